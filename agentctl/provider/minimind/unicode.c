/*
 * unicode.c: UTF-8, and the three classes of characters by which GPT-2 splits text.
 */
#include "agentctl/provider/minimind/unicode.h"

struct range {
	uint32_t first, last;
	enum unicode_class class;
};

static const struct range ranges[] = {
#include "agentctl/provider/minimind/unicode_ranges.inc"
};

enum unicode_class unicode_class(uint32_t c)
{
	size_t low = 0, high = sizeof ranges / sizeof ranges[0];

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (c < ranges[mid].first)
			high = mid;
		else if (c > ranges[mid].last)
			low = mid + 1;
		else
			return ranges[mid].class;
	}
	return UNICODE_OTHER;
}

/* How many bytes the lead byte @b asks for, 0 if it leads nothing; the second byte must
 * lie from *low to *high, which excludes long forms, surrogates and what is too large. */
static int lead(uint8_t b, uint8_t *low, uint8_t *high)
{
	*low = b == 0xe0 ? 0xa0 : b == 0xf0 ? 0x90 : 0x80;
	*high = b == 0xed ? 0x9f : b == 0xf4 ? 0x8f : 0xbf;
	if (b < 0x80)
		return 1;
	if (b < 0xc2 || b > 0xf4)
		return 0;
	return b < 0xe0 ? 2 : b < 0xf0 ? 3 : 4;
}

int unicode_next(const char *p, size_t left, uint32_t *c)
{
	const uint8_t *u = (const uint8_t *)p;
	uint8_t low, high;
	int n = lead(u[0], &low, &high);

	*c = 0xfffd;
	if (n == 0)
		return -1;
	if (n == 1) {
		*c = u[0];
		return 1;
	}
	for (int i = 1; i < n; i++) {
		if ((size_t)i >= left || u[i] < low || u[i] > high)
			return -i;
		low = 0x80;
		high = 0xbf;
	}
	*c = u[0] & (0xffu >> (n + 1));
	for (int i = 1; i < n; i++)
		*c = *c << 6 | (u[i] & 63);
	return n;
}

size_t unicode_put(uint32_t c, char *out)
{
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const uint8_t mark[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (size_t i = n - 1; i > 0; i--, c >>= 6)
		out[i] = (char)(0x80 | (c & 63));
	out[0] = (char)(mark[n] | c);
	return n;
}
