/*
 * stubborn.c: noticing a model that does not get on, by hashes of what it did.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/loop/stubborn.h"
#include "common/cleanup.h"
#include "common/hash.h"
#include "common/mem.h"

/* Without memory two commands are never the same, and only the other bounds hold. */
static uint64_t hash_words(const char *command)
{
	auto_free char *text = mem_strdup(command);
	size_t n = 0;

	if (!text)
		return (uintptr_t)command;
	for (const char *p = command; *p; p++) {
		bool blank = isspace((unsigned char)*p);

		if (!blank || (n && text[n - 1] != ' '))
			text[n++] = blank ? ' ' : *p;
	}
	while (n && text[n - 1] == ' ')
		n--;
	return hash64(text, n);
}

static unsigned int count_refused(struct stubborn *s, uint64_t hash)
{
	size_t at;

	for (size_t i = 0; i < s->n_refused; i++) {
		if (s->refused[i].hash == hash)
			return ++s->refused[i].n;
	}
	if (s->n_refused < STUBBORN_KNOWN)
		at = s->n_refused++;
	else
		at = s->oldest++ % STUBBORN_KNOWN;
	s->refused[at].hash = hash;
	return s->refused[at].n = 1;
}

const char *stubborn_refused(struct stubborn *s, const char *command, unsigned int *times)
{
	*times = count_refused(s, hash_words(command));
	s->idle = 0;
	s->same_in_row = 0;
	if (*times >= STUBBORN_SAME_REFUSED)
		return "the same refused command was asked for again and again";
	if (++s->refused_in_row >= STUBBORN_REFUSED)
		return "nothing but refused commands was asked for";
	return NULL;
}

const char *stubborn_ran(
	struct stubborn *s, const char *command, const char *result, unsigned int *times)
{
	uint64_t now = hash_words(command) * 31 + hash64(result, strlen(result));

	s->idle = 0;
	s->refused_in_row = 0;
	s->same_in_row = now == s->last && s->same_in_row ? s->same_in_row + 1 : 1;
	s->last = now;
	*times = s->same_in_row;
	return s->same_in_row >= STUBBORN_SAME
		       ? "the same command was run again and again with the same result"
		       : NULL;
}

const char *stubborn_idle(struct stubborn *s)
{
	return ++s->idle >= STUBBORN_IDLE ? "no usable call was made, though asked for"
					  : NULL;
}
