/*
 * unicode.h: UTF-8, and the three classes of characters by which GPT-2 splits text.
 */
#ifndef AGENTCTL_MINIMIND_UNICODE_H
#define AGENTCTL_MINIMIND_UNICODE_H

#include <stddef.h>
#include <stdint.h>

/** Letters are the categories L*, numbers N*, spaces the property White_Space. */
enum unicode_class { UNICODE_OTHER, UNICODE_LETTER, UNICODE_NUMBER, UNICODE_SPACE };

enum unicode_class unicode_class(uint32_t c);

/** unicode_next(p, left, c): the character at @p into *@c; returns its bytes. What is no
 * UTF-8 is U+FFFD for each longest piece that could have begun a character, as decoders
 * of the web do it; then the return value is negative. @left > 0. */
int unicode_next(const char *p, size_t left, uint32_t *c);

/** unicode_put(c, out): UTF-8 of @c into 4 bytes at @out; returns how many. */
size_t unicode_put(uint32_t c, char *out);

#endif
