/*
 * recall.c: events become messages again: a request, words and a call, what came of it.
 */
#include <dirent.h>
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "agentctl/loop/loop.h"
#include "agentctl/loop/recall.h"
#include "common/cleanup.h"
#include "common/mem.h"

struct recall {
	struct talk *t;
	char *words; /* said, and not yet part of a message */
	bool called; /* a call waits for its result */
	unsigned int n, step;
};

static const char *text_of(json_object *o, const char *key)
{
	json_object *v = json_object_object_get(o, key);

	return v ? json_object_get_string(v) : NULL;
}

static char *copy(const char *s)
{
	return s ? mem_strdup(s) : NULL;
}

static int take_request(struct recall *r, json_object *o)
{
	return talk_say(r->t, PROVIDER_USER, mem_strdup(text_of(o, "text")));
}

static int take_words(struct recall *r, json_object *o)
{
	free(r->words);
	r->words = copy(text_of(o, "text"));
	return 0;
}

static int take_call(struct recall *r, json_object *o)
{
	struct provider_message m = {.role = PROVIDER_ASSISTANT};

	m.text = r->words;
	m.command = copy(text_of(o, "command"));
	m.call_id = mem_printf("recalled_%u", r->n);
	r->words = NULL;
	r->called = true;
	r->step = (unsigned int)json_object_get_int(json_object_object_get(o, "step"));
	if (!m.command || !m.call_id) {
		free(m.text);
		free(m.command);
		free(m.call_id);
		return -ENOMEM;
	}
	return talk_add(r->t, m);
}

static int take_result(struct recall *r, json_object *o)
{
	struct provider_message m = {.role = PROVIDER_TOOL,
		.text = copy(text_of(o, "text")),
		.call_id = mem_printf("recalled_%u", r->n)};

	if (!r->called || !m.text || !m.call_id) {
		bool memory = r->called;

		free(m.text);
		free(m.call_id);
		return memory ? -ENOMEM : 0;
	}
	r->called = false;
	r->n++;
	return talk_add(r->t, m);
}

/* Words without a call are an answer of their own. */
static int end_words(struct recall *r)
{
	if (!r->words)
		return 0;
	return talk_say(r->t, PROVIDER_ASSISTANT, steal(&r->words));
}

static int take_event(struct recall *r, json_object *o)
{
	const char *ev = text_of(o, "ev");
	int e = 0;

	if (!ev)
		return 0;
	if (strcmp(ev, "task") == 0 && text_of(o, "text")) {
		e = end_words(r);
		return e ? e : take_request(r, o);
	}
	if (strcmp(ev, "say") == 0)
		return take_words(r, o);
	if (strcmp(ev, "call") == 0)
		return take_call(r, o);
	if (strcmp(ev, "result") == 0)
		return take_result(r, o);
	return 0;
}

static int take_file(struct recall *r, const char *path)
{
	auto_file FILE *f = fopen(path, "re");
	auto_free char *line = NULL;
	size_t cap = 0;
	int e = 0;

	while (f && e == 0 && getline(&line, &cap, f) > 0) {
		json_object *o = json_tokener_parse(line);

		if (json_object_is_type(o, json_type_object))
			e = take_event(r, o);
		json_object_put(o);
	}
	return e;
}

/* A call that never got a result, as when agentctl was killed, is no part of it. */
static void drop_open_call(struct recall *r)
{
	struct provider_message *m;

	if (!r->called || r->t->n == 0)
		return;
	m = &r->t->m[--r->t->n];
	free(m->text);
	free(m->command);
	free(m->call_id);
}

int recall(struct talk *t, const char *workspace, uint64_t tx, unsigned int *step)
{
	struct recall r = {.t = t, .step = *step};
	auto_free char *dir = NULL;
	struct dirent **list = NULL;
	struct loop_transcript name;
	char hash[17];
	int n, e = 0;

	loop_transcript_hash(workspace, hash);
	if (loop_transcript_dir(&dir) != 0)
		return 0;
	n = scandir(dir, &list, NULL, alphasort); /* names begin with the time */
	for (int i = 0; i < n; i++) {
		auto_free char *path = mem_printf("%s/%s", dir, list[i]->d_name);

		if (e == 0 && path && loop_transcript_name(list[i]->d_name, &name) &&
			name.tx == tx && strcmp(name.workspace, hash) == 0)
			e = take_file(&r, path);
		free(list[i]);
	}
	free(list);
	if (e == 0)
		e = end_words(&r);
	free(r.words);
	drop_open_call(&r);
	*step = r.step;
	return e;
}
