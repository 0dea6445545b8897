/*
 * trim.c: what of a conversation is left out when it does not fit: first old
 * observations, then the oldest steps, then the middle of the last observation.
 */
#include <string.h>
#include "agentctl/provider/trim.h"

#define LAST_LEAST 512 /* bytes of the last observation */
#define FRAME_BYTES 64 /* around a message, about */

size_t trim_head(const struct provider_message *m, size_t n)
{
	size_t i = 0;

	while (i < n && (m[i].role == PROVIDER_SYSTEM || m[i].role == PROVIDER_USER))
		i++;
	return i;
}

static size_t text_bytes(const struct provider_message *m)
{
	return (m->text ? strlen(m->text) : 0) + (m->command ? strlen(m->command) : 0);
}

/* As it is sent today. */
static size_t sent_bytes(
	const struct trim *t, const struct provider_message *m, size_t at)
{
	size_t n = text_bytes(&m[at]);

	return at < t->shortened && m[at].role == PROVIDER_TOOL && n > TRIM_SHORT
		       ? TRIM_SHORT
		       : n;
}

static size_t shorten(
	struct trim *t, const struct provider_message *m, size_t n, size_t bytes)
{
	size_t saved = 0, last = n;

	while (last > 0 && m[last - 1].role != PROVIDER_TOOL)
		last--;
	while (last > 0 && t->shortened + 1 < last && saved < bytes) {
		const struct provider_message *o = &m[t->shortened++];

		if (o->role == PROVIDER_TOOL && text_bytes(o) > TRIM_SHORT)
			saved += text_bytes(o) - TRIM_SHORT;
	}
	return saved;
}

/* Whole steps, an answer with what followed it, but not the last one. */
static size_t drop(
	struct trim *t, const struct provider_message *m, size_t n, size_t bytes)
{
	size_t saved = 0, head = trim_head(m, n), last = n;

	while (last > head && m[last - 1].role != PROVIDER_ASSISTANT)
		last--;
	if (last > head)
		last--;
	if (t->dropped < head)
		t->dropped = head;
	while (t->dropped < last && saved < bytes) {
		do
			saved += sent_bytes(t, m, t->dropped++) + FRAME_BYTES;
		while (t->dropped < last && m[t->dropped].role != PROVIDER_ASSISTANT);
	}
	return saved;
}

static size_t cut_last(
	struct trim *t, const struct provider_message *m, size_t n, size_t bytes)
{
	size_t now, then;

	if (n == 0 || m[n - 1].role != PROVIDER_TOOL)
		return 0;
	now = text_bytes(&m[n - 1]);
	if (t->last_bytes && t->last_bytes < now)
		now = t->last_bytes;
	if (now <= LAST_LEAST)
		return 0;
	then = now > bytes + LAST_LEAST ? now - bytes : LAST_LEAST;
	t->last_bytes = then;
	return now - then;
}

bool trim_more(struct trim *t, const struct provider_message *m, size_t n, size_t bytes)
{
	size_t saved = shorten(t, m, n, bytes);

	if (saved < bytes)
		saved += drop(t, m, n, bytes - saved);
	if (saved < bytes)
		saved += cut_last(t, m, n, bytes - saved);
	return saved > 0;
}
