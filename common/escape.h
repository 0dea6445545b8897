/*
 * escape.h: bytes of names, made safe to show, to store in a line, and to put into JSON.
 *
 * A name may hold any byte. Shown as it is, it could move the cursor, end the line or
 * reverse the text around it.
 */
#ifndef COMMON_ESCAPE_H
#define COMMON_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

/** escape_text(s, n): a copy to show: control characters, backslash, marks that change
 * the direction of text, and bytes that are not UTF-8 become \n, \t, \\ or \xHH. Caller
 * frees; NULL: no memory. unescape_text gives the bytes back. */
char *escape_text(const char *s, size_t n);

/** unescape_text(s): the bytes that escape_text made into @s; caller frees. NULL: no
 * memory, or not the work of escape_text (errno tells: ENOMEM, EINVAL). */
char *unescape_text(const char *s);

/** escape_json(s, n): the inside of a JSON string, without quotes. What is not UTF-8
 * becomes U+FFFD; use base64_text beside it. Caller frees; NULL: no memory. */
char *escape_json(const char *s, size_t n);

/** utf8_valid(s, n): whether all @n bytes are UTF-8 (shortest form, no surrogates). */
bool utf8_valid(const char *s, size_t n);

/** base64_text(p, n): RFC 4648 base64 with padding. Caller frees; NULL: no memory. */
char *base64_text(const void *p, size_t n);

#endif
