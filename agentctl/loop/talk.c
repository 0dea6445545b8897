/*
 * talk.c: the conversation with a provider: a list that grows. A provider may send less
 * of it, to fit its model; what is here is bounded by memory alone.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/loop/talk.h"

static void clear(struct provider_message *m)
{
	free(m->text);
	free(m->command);
	free(m->call_id);
}

static size_t size_of(const struct provider_message *m)
{
	return (m->text ? strlen(m->text) : 0) + (m->command ? strlen(m->command) : 0);
}

/* Down to three quarters; the newest message stays as it is. */
static void cut_old(struct talk *t)
{
	while (t->bytes > TALK_BYTES / 4 * 3 && t->cut + 1 < t->n) {
		struct provider_message *m = &t->m[t->cut++];

		if (m->role != PROVIDER_TOOL)
			continue;
		t->bytes -= size_of(m);
		m->text[strcspn(m->text, "\n")] = 0;
		t->bytes += size_of(m);
	}
}

int talk_add(struct talk *t, struct provider_message m)
{
	if (t->n == t->cap) {
		size_t cap = t->cap ? 2 * t->cap : 16;
		struct provider_message *more = realloc(t->m, cap * sizeof *more);

		if (!more) {
			clear(&m);
			return -ENOMEM;
		}
		t->m = more;
		t->cap = cap;
	}
	t->m[t->n++] = m;
	t->bytes += size_of(&m);
	if (t->bytes > TALK_BYTES)
		cut_old(t);
	return 0;
}

int talk_say(struct talk *t, enum provider_role role, char *text)
{
	if (!text)
		return -ENOMEM;
	return talk_add(t, (struct provider_message){.role = role, .text = text});
}

void talk_free(struct talk *t)
{
	for (size_t i = 0; i < t->n; i++)
		clear(&t->m[i]);
	free(t->m);
	memset(t, 0, sizeof *t);
}
