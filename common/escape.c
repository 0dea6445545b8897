/*
 * escape.c: one walk over UTF-8, and what each form makes of a character.
 */
#include "common/escape.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/mem.h"

/* Bytes of the character at @s and its value; 0: not UTF-8 there. */
static size_t next_char(const unsigned char *s, size_t n, uint32_t *ch)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t len;

	if (s[0] < 0x80) {
		*ch = s[0];
		return 1;
	}
	len = (s[0] & 0xe0) == 0xc0   ? 2
	      : (s[0] & 0xf0) == 0xe0 ? 3
	      : (s[0] & 0xf8) == 0xf0 ? 4
				      : 0;
	if (!len || len > n)
		return 0;
	*ch = s[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*ch = *ch << 6 | (s[i] & 0x3f);
	}
	if (*ch < least[len] || *ch > 0x10ffff || (*ch >= 0xd800 && *ch < 0xe000))
		return 0;
	return len;
}

bool utf8_valid(const char *s, size_t n)
{
	uint32_t ch;
	size_t len;

	for (size_t i = 0; i < n; i += len) {
		len = next_char((const unsigned char *)s + i, n - i, &ch);
		if (!len)
			return false;
	}
	return true;
}

/* Controls of ASCII and of Latin 1; direction marks, overrides and isolates; separators
 * of lines and paragraphs. */
static bool unsafe(uint32_t ch)
{
	return ch < 0x20 || (ch >= 0x7f && ch < 0xa0) || ch == 0x200e || ch == 0x200f ||
	       (ch >= 0x2028 && ch <= 0x202e) || (ch >= 0x2066 && ch <= 0x2069);
}

char *escape_text(const char *s, size_t n)
{
	const unsigned char *u = (const unsigned char *)s;
	char *out = mem_alloc(4 * n + 1), *o = out;
	uint32_t ch;
	size_t len;

	if (!out)
		return NULL;
	for (size_t i = 0; i < n; i += len) {
		len = next_char(u + i, n - i, &ch);
		if (len && !unsafe(ch) && ch != '\\') {
			memcpy(o, u + i, len);
			o += len;
			continue;
		}
		if (len == 1 && (ch == '\n' || ch == '\t' || ch == '\\')) {
			*o++ = '\\';
			*o++ = ch == '\n' ? 'n' : ch == '\t' ? 't' : '\\';
			continue;
		}
		len = len ? len : 1;
		for (size_t k = 0; k < len; k++)
			o += sprintf(o, "\\x%02X", u[i + k]);
	}
	*o = 0;
	return out;
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

char *unescape_text(const char *s)
{
	char *out = mem_alloc(strlen(s) + 1), *o = out;

	if (!out)
		return NULL;
	while (*s) {
		if (*s != '\\') {
			*o++ = *s++;
		} else if (s[1] == 'n' || s[1] == 't' || s[1] == '\\') {
			*o++ = s[1] == 'n' ? '\n' : s[1] == 't' ? '\t' : '\\';
			s += 2;
		} else if (s[1] == 'x' && hex(s[2]) >= 0 && hex(s[3]) >= 0) {
			*o++ = (char)(hex(s[2]) << 4 | hex(s[3]));
			s += 4;
		} else {
			free(out);
			errno = EINVAL;
			return NULL;
		}
	}
	*o = 0;
	return out;
}

char *escape_json(const char *s, size_t n)
{
	const unsigned char *u = (const unsigned char *)s;
	char *out = mem_alloc(6 * n + 1), *o = out;
	uint32_t ch;
	size_t len;

	if (!out)
		return NULL;
	for (size_t i = 0; i < n; i += len) {
		len = next_char(u + i, n - i, &ch);
		if (!len) {
			o += sprintf(o, "\\ufffd");
			len = 1;
		} else if (ch == '"' || ch == '\\') {
			*o++ = '\\';
			*o++ = (char)ch;
		} else if (ch < 0x10000 && unsafe(ch)) {
			o += sprintf(o, "\\u%04x", ch);
		} else {
			memcpy(o, u + i, len);
			o += len;
		}
	}
	*o = 0;
	return out;
}

char *base64_text(const void *p, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *u = p;
	char *out = mem_alloc((n + 2) / 3 * 4 + 1), *o = out;

	if (!out)
		return NULL;
	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)u[i] << 16;

		if (i + 1 < n)
			v |= (uint32_t)u[i + 1] << 8;
		if (i + 2 < n)
			v |= u[i + 2];
		*o++ = digits[v >> 18];
		*o++ = digits[v >> 12 & 63];
		*o++ = i + 1 < n ? digits[v >> 6 & 63] : '=';
		*o++ = i + 2 < n ? digits[v & 63] : '=';
	}
	*o = 0;
	return out;
}
