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
	if (!s->text || !s->places) {
		spans_close(s);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		add_part(s, &parts[i]);
	for (uint32_t i = 0; i < s->n; i++)
		if (s->text[i] && (i == 0 || !is_word(s->text[i - 1])))
			s->places[s->n_places++] = i;
	if (s->n_places > 0)
		qsort_r(s->places, s->n_places, sizeof *s->places, by_text, s);
	return 0;
}

void spans_close(struct spans *s)
{
	free(s->text);
	free(s->places);
	memset(s, 0, sizeof *s);
}

/* The first of the places from low on whose next byte is at least @byte. */
static uint32_t first_from(const struct spans *s, const struct span *at, unsigned byte)
{
	uint32_t low = at->low, high = at->high;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2, place = s->places[mid] + at->depth;

		if ((uint8_t)s->text[place] < byte)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Bytes are never 0, so that nothing goes on over the end of a part. */
bool span_narrow(const struct spans *s, struct span *at, uint8_t byte)
{
	uint32_t low;

	/* a character is never cut */
	if (byte == 0 || at->depth == SPAN_MAX - 1 ||
		(at->depth >= SPAN_MAX - 5 && (byte & 0xc0) == 0xc0))
		return false;
	low = first_from(s, at, byte);
	at->high = first_from(s, at, byte + 1u);
	at->low = low;
	at->depth++;
	return at->low < at->high;
}

/* Look at each different byte that follows; a byte within a character is a word's. Where
 * the longest span has been reached a word is cut. */
bool span_may_end(const struct spans *s, const struct span *at)
{
	struct span rest = *at;

	if (at->depth == 0)
		return false;
	while (rest.low < rest.high) {
		char next = s->text[s->places[rest.low] + at->depth];

		if (!is_word(next) ||
			(at->depth >= SPAN_MAX - 5 && ((uint8_t)next & 0xc0) != 0x80))
			return true;
		rest.low = first_from(s, &rest, (uint8_t)next + 1u);
	}
	return false;
}
