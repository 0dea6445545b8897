/*
 * scripted.c: a provider without a model: its answers are the lines of a file. The whole
 * file is read and checked before the first answer is given, so that a mistake in it ends
 * nothing half-way.
 */
#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/provider.h"
#include "common/cleanup.h"
#include "common/mem.h"

struct scripted {
	struct provider head;
	struct provider_reply *steps;
	size_t n, at;
};

static void scripted_close(struct provider *p)
{
	struct scripted *s = (struct scripted *)p;

	for (size_t i = 0; i < s->n; i++)
		provider_reply_free(&s->steps[i]);
	free(s->steps);
	free(s);
}

static char *copy(const char *text)
{
	return text ? mem_strdup(text) : NULL;
}

static int scripted_next(struct provider *p, const struct provider_message *m, size_t n,
	struct provider_reply *out)
{
	struct scripted *s = (struct scripted *)p;
	const struct provider_reply *step;

	if (s->at >= s->n) {
		snprintf(
			p->message, sizeof p->message, "the script ended without `done`");
		return -ENODATA;
	}
	step = &s->steps[s->at++];
	out->text = copy(step->text);
	out->command = copy(step->command);
	out->call_id = step->command || step->back ? mem_printf("call-%zu", s->at) : NULL;
	out->done = step->done;
	out->back = step->back;
	out->back_to = step->back_to;
	if ((step->text && !out->text) || (step->command && !out->command) ||
		((step->command || step->back) && !out->call_id))
		return -ENOMEM;
	return 0;
}

static const struct provider_ops scripted_ops = {scripted_next, scripted_close};

/* The string of a key; NULL with *bad set where it is there and no string. */
static char *string_of(json_object *o, const char *key, bool *bad)
{
	json_object *v;

	if (!json_object_object_get_ex(o, key, &v))
		return NULL;
	if (!json_object_is_type(v, json_type_string) ||
		strlen(json_object_get_string(v)) !=
			(size_t)json_object_get_string_len(v)) {
		*bad = true;
		return NULL;
	}
	return mem_strdup(json_object_get_string(v));
}

/* The number of a step. */
static void take_back(json_object *o, struct provider_reply *step, bool *bad)
{
	json_object *v;
	int64_t n;

	step->back = json_object_object_get_ex(o, "rollback", &v);
	if (!step->back)
		return;
	n = json_object_get_int64(v);
	if (!json_object_is_type(v, json_type_int) || n < 0 || n > INT_MAX)
		*bad = true;
	else
		step->back_to = (unsigned int)n;
}

static bool known_keys(json_object *o)
{
	json_object_object_foreach(o, key, value)
	{
		(void)value;
		if (strcmp(key, "say") != 0 && strcmp(key, "run") != 0 &&
			strcmp(key, "rollback") != 0 && strcmp(key, "done") != 0)
			return false;
	}
	return true;
}

static int parse_line(const char *line, struct provider_reply *step)
{
	json_object *o = json_tokener_parse(line);
	auto_free char *say = NULL, *run = NULL, *done = NULL;
	bool bad = false;

	if (!o || !json_object_is_type(o, json_type_object) || !known_keys(o)) {
		json_object_put(o);
		return -EINVAL;
	}
	say = string_of(o, "say", &bad);
	run = string_of(o, "run", &bad);
	done = string_of(o, "done", &bad);
	take_back(o, step, &bad);
	json_object_put(o);
	if (bad || (run != NULL) + (done != NULL) + step->back != 1)
		return -EINVAL;
	step->done = done != NULL;
	step->command = steal(&run);
	step->text = step->done ? steal(&done) : steal(&say);
	return 0;
}

static int add_step(struct scripted *s, const char *line)
{
	struct provider_reply *more = realloc(s->steps, (s->n + 1) * sizeof *more);

	if (!more)
		return -ENOMEM;
	s->steps = more;
	memset(&more[s->n], 0, sizeof *more);
	return parse_line(line, &more[s->n++]);
}

static int read_script(
	struct scripted *s, FILE *f, const char *path, char *message, size_t size)
{
	auto_free char *line = NULL;
	size_t cap = 0, number = 0;
	int r;

	while (getline(&line, &cap, f) > 0) {
		number++;
		if (line[strspn(line, " \t\r\n")] == 0 || line[0] == '#')
			continue;
		r = add_step(s, line);
		if (r == 0)
			continue;
		snprintf(message, size,
			"%s:%zu: want {\"run\": \"...\"} or {\"done\": \"...\"}", path,
			number);
		return r;
	}
	return 0;
}

int provider_open_script(
	struct provider **out, const char *path, char *message, size_t size)
{
	auto_file FILE *f = fopen(path, "re");
	struct scripted *s;
	int r = 0;

	*out = NULL;
	if (!f) {
		r = -errno;
		snprintf(message, size, "cannot open '%s': %s", path, strerror(-r));
		return r;
	}
	s = mem_zalloc(sizeof *s);
	if (!s)
		return -ENOMEM;
	s->head.ops = &scripted_ops;
	s->head.name = "scripted";
	r = read_script(s, f, path, message, size);
	if (r != 0) {
		scripted_close(&s->head);
		return r;
	}
	*out = &s->head;
	return 0;
}
