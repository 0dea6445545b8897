/*
 * span.c: is this a run of words of the conversation?
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/minimind/span.h"
#include "agentctl/provider/minimind/unicode.h"
#include "common/mem.h"

static bool is_word(char c)
{
	uint8_t b = (uint8_t)c;

	return b >= 0x80 || (b >= '0' && b <= '9') ||
	       ((b | 32) >= 'a' && (b | 32) <= 'z') || b == '_';
}

static int by_text(const void *a, const void *b, void *context)
{
	const struct spans *s = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t later = x > y ? x : y, n = s->n - later;
	int c = memcmp(s->text + x, s->text + y, n < SPAN_MAX ? n : SPAN_MAX);

	return c ? c : x > y ? -1 : x < y;
}

static void add_part(struct spans *s, const struct minimind_text *part)
{
	size_t at = 0;
	uint32_t c;

	while (at < part->len) {
		int n = unicode_next(part->text + at, part->len - at, &c);

		s->n += (uint32_t)unicode_put(c, s->text + s->n);
		at += (size_t)(n < 0 ? -n : n);
	}
	s->text[s->n++] = 0;
}

/* U+2000 to U+207F, and the quotes of U+00AB and U+00BB, are signs between names. */
static bool is_mark(const char *at)
{
	uint8_t a = (uint8_t)at[0], b = (uint8_t)at[1];

	return (a == 0xe2 && (b == 0x80 || b == 0x81)) ||
	       (a == 0xc2 && (b == 0xab || b == 0xbb));
}

/* Whether the byte at @i belongs to a name, as people write them between other words. */
static bool is_of_name(const struct spans *s, uint32_t i)
{
	uint8_t b = (uint8_t)s->text[i];

	if (b < 0x80)
		return b && (is_word((char)b) || strchr(".-/+=@%~", b));
	while (i > 0 && ((uint8_t)s->text[i] & 0xc0) == 0x80)
		i--;
	return !is_mark(s->text + i);
}

static bool begins_name(const struct spans *s, uint32_t i)
{
	return is_of_name(s, i) && ((uint8_t)s->text[i] & 0xc0) != 0x80 &&
	       (i == 0 || !is_of_name(s, i - 1));
}

static void sort(struct spans *s, uint32_t *places, uint32_t n)
{
	if (n > 0)
		qsort_r(places, n, sizeof *places, by_text, s);
}

int spans_open(struct spans *s, const struct minimind_text *parts, size_t n)
{
	size_t room = 1;

	memset(s, 0, sizeof *s);
	for (size_t i = 0; i < n; i++) {
		if (parts[i].len > SPAN_TEXT_MAX - room)
			return -EFBIG;
		room += parts[i].len + 1;
	}
	s->text = mem_alloc(3 * room);
	s->places = mem_alloc(3 * room * sizeof *s->places);
	s->names = mem_alloc(3 * room * sizeof *s->names);
	if (!s->text || !s->places || !s->names) {
		spans_close(s);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		add_part(s, &parts[i]);
	for (uint32_t i = 0; i < s->n; i++) {
		if (s->text[i] && (i == 0 || !is_word(s->text[i - 1])))
			s->places[s->n_places++] = i;
		if (begins_name(s, i))
			s->names[s->n_names++] = i;
	}
	sort(s, s->places, s->n_places);
	sort(s, s->names, s->n_names);
	return 0;
}

void spans_close(struct spans *s)
{
	free(s->text);
	free(s->places);
	free(s->names);
	memset(s, 0, sizeof *s);
}

static const uint32_t *places_of(const struct spans *s, enum span_kind kind)
{
	return kind >= SPAN_WHOLE ? s->names : s->places;
}

struct span span_all(const struct spans *s, enum span_kind kind)
{
	return (struct span){0, kind >= SPAN_WHOLE ? s->n_names : s->n_places, 0};
}

/* The first of the places from low on whose next byte is at least @byte. */
static uint32_t first_from(const struct spans *s, const uint32_t *places,
	const struct span *at, unsigned byte)
{
	uint32_t low = at->low, high = at->high;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2, place = places[mid] + at->depth;

		if ((uint8_t)s->text[place] < byte)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Bytes are never 0, so that nothing goes on over the end of a part. */
bool span_narrow(
	const struct spans *s, enum span_kind kind, struct span *at, uint8_t byte)
{
	const uint32_t *places = places_of(s, kind);
	uint32_t low;

	/* a character is never cut */
	if (byte == 0 || at->depth == SPAN_MAX - 1 ||
		(at->depth >= SPAN_MAX - 5 && (byte & 0xc0) == 0xc0))
		return false;
	low = first_from(s, places, at, byte);
	at->high = first_from(s, places, at, byte + 1u);
	at->low = low;
	at->depth++;
	return at->low < at->high;
}

/* The quote that stands before @i and opens something, or NULL; its bytes in *n. */
static const char *quote_before(const struct spans *s, uint32_t i, uint32_t *n)
{
	const char *at = s->text + i;

	*n = i >= 3 && memcmp(at - 3, "\xe2\x80\x9c", 3) == 0 ? 3 : 1;
	if (*n == 1 && (i == 0 || !at[-1] || !strchr("\"'`", at[-1])))
		return NULL;
	return i == *n || !is_word(s->text[i - *n - 1]) ? at - *n : NULL;
}

/* Whether the quote @q, opened before, is closed at @i. */
static bool closes(const struct spans *s, uint32_t i, const char *q, uint32_t n)
{
	const char *at = s->text + i;

	if (n == 3)
		return strncmp(at, "\xe2\x80\x9d", 3) == 0;
	return *at == *q && !is_word(at[1]);
}

static bool is_closed(const struct spans *s, uint32_t i, const char *q, uint32_t n)
{
	for (; s->text[i]; i++)
		if (closes(s, i, q, n))
			return true;
	return false;
}

static bool phrase_may_end(const struct spans *s, uint32_t from, uint32_t i)
{
	uint32_t n;
	const char *q = quote_before(s, from, &n);

	if (q && is_closed(s, from, q, n))
		return closes(s, i, q, n);
	return !is_word(s->text[i]);
}

/* Behind a name may stand a mark of the sentence, or a slash that says it is a folder;
 * they are no part of it. */
static bool name_may_end(const struct spans *s, uint32_t from, uint32_t i, bool folder)
{
	char c = s->text[i], last = s->text[i - 1];

	if (i - from > 1 && (last == '/' || last == '.'))
		return false;
	if (!is_of_name(s, i) || (folder && c == '/'))
		return true;
	return (c == '.' || c == '/') && !is_of_name(s, i + 1);
}

/* A character is never cut; where the longest span has been reached a word is. */
static bool word_may_end(const struct span *at, char next)
{
	return !is_word(next) ||
	       (at->depth >= SPAN_MAX - 5 && ((uint8_t)next & 0xc0) != 0x80);
}

bool span_may_end(const struct spans *s, enum span_kind kind, const struct span *at)
{
	const uint32_t *places = places_of(s, kind);

	for (uint32_t p = at->low; at->depth > 0 && p < at->high; p++) {
		uint32_t i = places[p] + at->depth;

		if (kind == SPAN_PHRASE ? phrase_may_end(s, places[p], i)
			: kind >= SPAN_WHOLE
				? name_may_end(s, places[p], i, kind == SPAN_FOLDER)
				: word_may_end(at, s->text[i]))
			return true;
	}
	return false;
}
