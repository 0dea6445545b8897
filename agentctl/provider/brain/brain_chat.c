/*
 * brain_chat.c: any model of the shape, by the template of Minimind's chats (ChatML;
 * jingyaogong/minimind, generation 3 where the tags of calls are tokens, else 2). Some
 * sessions are kept, and a conversation goes on in the one that knows most of it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/bytes.h"
#include "agentctl/provider/call.h"
#include "agentctl/provider/words.h"
#include "agentctl/provider/brain/impl.h"
#include "common/cleanup.h"
#include "common/mem.h"

enum { SESSIONS = 4 };

struct kept {
	struct minimind_session *session;
	uint32_t *ids; /* what it was fed last */
	size_t n;
	uint64_t used;
};

struct chat {
	struct brain head;
	struct minimind *m;
	bool third; /* generation */
	struct kept kept[SESSIONS];
	uint64_t clock;
	uint32_t context;
	unsigned long ids;
};

/* --- the template ---------------------------------------------------------------------
 */

/** A prompt as pieces; texts of others are no markup. */
struct prompt {
	struct minimind_text *parts;
	char **own; /* texts to be freed */
	size_t n, cap;
	bool failed;
};

static void add(struct prompt *p, char *text, bool markup)
{
	if (p->n == p->cap) {
		size_t cap = p->cap ? 2 * p->cap : 64;
		struct minimind_text *parts = realloc(p->parts, cap * sizeof *parts);
		char **own = realloc(p->own, cap * sizeof *own);

		p->parts = parts ? parts : p->parts;
		p->own = own ? own : p->own;
		p->failed = p->failed || !parts || !own;
		if (!p->failed)
			p->cap = cap;
	}
	if (!text || p->failed) {
		free(text);
		p->failed = true;
		return;
	}
	p->own[p->n] = text;
	p->parts[p->n++] = (struct minimind_text){text, strlen(text), markup};
}

static void markup(struct prompt *p, const char *text)
{
	add(p, mem_strdup(text), true);
}

static void prompt_free(struct prompt *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->own[i]);
	free(p->own);
	free(p->parts);
}

static const char *text_at(json_object *o, const char *key)
{
	json_object *v;

	return o && json_object_object_get_ex(o, key, &v) &&
			       json_object_is_type(v, json_type_string)
		       ? json_object_get_string(v)
		       : "";
}

static char *plain_json(json_object *o)
{
	return mem_strdup(json_object_to_json_string_ext(
		o, JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE));
}

static void add_tools(struct prompt *p, json_object *tools)
{
	markup(p, "# Tools\n\nYou may call one or more functions to assist with the user "
		  "query.\n\nYou are provided with function signatures within "
		  "<tools></tools> XML tags:\n<tools>");
	for (size_t i = 0; i < json_object_array_length(tools); i++) {
		markup(p, "\n");
		add(p, plain_json(json_object_array_get_idx(tools, i)), false);
	}
	markup(p, "\n</tools>\n\nFor each function call, return a json object with "
		  "function name and arguments within <tool_call></tool_call> XML "
		  "tags:\n<tool_call>\n{\"name\": <function-name>, \"arguments\": "
		  "<args-json-object>}\n</tool_call>");
}

static void add_system(const struct chat *c, struct prompt *p, const struct question *q)
{
	json_object *first = json_object_array_get_idx(q->messages, 0);
	bool given = strcmp(text_at(first, "role"), "system") == 0 ||
		     strcmp(text_at(first, "role"), "developer") == 0;
	bool tools = q->tools && !q->no_calls;

	if (!given && !tools && c->third)
		return;
	markup(p, "<|im_start|>system\n");
	if (given)
		add(p, question_text(first), false);
	else if (!c->third)
		markup(p, "You are a helpful assistant");
	if (tools) {
		if (given || !c->third)
			markup(p, "\n\n");
		add_tools(p, q->tools);
	}
	markup(p, "<|im_end|>\n");
}

static void add_calls(struct prompt *p, json_object *message)
{
	json_object *calls, *f;

	if (!json_object_object_get_ex(message, "tool_calls", &calls) ||
		!json_object_is_type(calls, json_type_array))
		return;
	for (size_t i = 0; i < json_object_array_length(calls); i++) {
		if (!json_object_object_get_ex(
			    json_object_array_get_idx(calls, i), "function", &f))
			continue;
		markup(p, "\n<tool_call>\n{\"name\": \"");
		add(p, mem_strdup(text_at(f, "name")), false);
		markup(p, "\", \"arguments\": ");
		add(p, mem_strdup(text_at(f, "arguments")), false);
		markup(p, "}\n</tool_call>");
	}
}

/* Answers of tools in a row share a turn of the user. */
static void add_message(
	const struct chat *c, struct prompt *p, json_object *list, size_t i)
{
	json_object *m = json_object_array_get_idx(list, i);
	json_object *next = i + 1 < json_object_array_length(list)
				    ? json_object_array_get_idx(list, i + 1)
				    : NULL;
	json_object *before = i > 0 ? json_object_array_get_idx(list, i - 1) : NULL;
	const char *role = text_at(m, "role");

	if (strcmp(role, "tool") == 0) {
		if (!before || strcmp(text_at(before, "role"), "tool") != 0)
			markup(p, "<|im_start|>user");
		markup(p, "\n<tool_response>\n");
		add(p, question_text(m), false);
		markup(p, "\n</tool_response>");
		if (!next || strcmp(text_at(next, "role"), "tool") != 0)
			markup(p, "<|im_end|>\n");
		return;
	}
	if (strcmp(role, "assistant") == 0) {
		markup(p, "<|im_start|>assistant\n");
		if (c->third)
			markup(p, "<think>\n\n</think>\n\n");
		add(p, question_text(m), false);
		add_calls(p, m);
	} else {
		markup(p, strcmp(role, "user") == 0 ? "<|im_start|>user\n"
						    : "<|im_start|>system\n");
		add(p, question_text(m), false);
	}
	markup(p, "<|im_end|>\n");
}

static void compose(const struct chat *c, struct prompt *p, const struct question *q)
{
	const char *first = text_at(json_object_array_get_idx(q->messages, 0), "role");
	size_t from = strcmp(first, "system") == 0 || strcmp(first, "developer") == 0;

	add_system(c, p, q);
	for (size_t i = from; i < json_object_array_length(q->messages); i++)
		add_message(c, p, q->messages, i);
	markup(p, "<|im_start|>assistant\n");
	if (c->third)
		markup(p, "<think>\n\n</think>\n\n");
}

/* --- sessions -------------------------------------------------------------------------
 */

static size_t common(const struct kept *k, const uint32_t *ids, size_t n)
{
	size_t same = 0;

	while (same < n && same < k->n && k->ids[same] == ids[same])
		same++;
	return same;
}

/* The session that knows most of it, else the one that was not used for longest. */
static struct kept *choose(struct chat *c, const uint32_t *ids, size_t n)
{
	struct kept *best = &c->kept[0], *oldest = &c->kept[0];

	for (int i = 1; i < SESSIONS; i++) {
		if (common(&c->kept[i], ids, n) > common(best, ids, n))
			best = &c->kept[i];
		if (c->kept[i].used < oldest->used)
			oldest = &c->kept[i];
	}
	best = common(best, ids, n) > 0 ? best : oldest;
	best->used = ++c->clock;
	return best;
}

/** Words on their way to a client, and all of them. */
struct voice {
	struct bytes all;
	struct words_live live;
	brain_say say;
	void *arg;
	bool gone; /* nobody listens any more */
};

static void pass_on(void *arg, const char *text, size_t n)
{
	struct voice *v = arg;

	v->gone = v->gone || v->say(v->arg, text, n) != 0;
}

static int hear(void *arg, const char *text, size_t n)
{
	struct voice *v = arg;

	bytes_add(&v->all, text, n);
	words_live(&v->live, text, n, pass_on, v);
	return v->gone || v->all.error;
}

/* NULL: the tools cannot be held to, or need not be. */
static struct minimind_grammar *grammar_for(const struct question *q)
{
	struct minimind_grammar_options o = {
		.trigger = "<tool_call>\n", .after = "\n</tool_call>"};
	struct minimind_grammar *g = NULL;
	char why[128];

	if (!q->constrained || !q->tools || q->no_calls)
		return NULL;
	o.tools.data = json_object_to_json_string_ext(q->tools, JSON_C_TO_STRING_PLAIN);
	o.tools.size = strlen(o.tools.data);
	return minimind_grammar_open(&g, &o, why, sizeof why) == 0 ? g : NULL;
}

static int generate(struct chat *c, const struct question *q, struct voice *v,
	struct minimind_result *result)
{
	struct prompt p = {0};
	struct minimind_grammar *g;
	uint32_t *ids = NULL;
	struct kept *k;
	size_t n = 0;
	int r;

	compose(c, &p, q);
	r = p.failed ? -ENOMEM : minimind_encode(c->m, p.parts, p.n, &ids, &n);
	prompt_free(&p);
	if (r != 0)
		return r;
	k = choose(c, ids, n);
	if (!k->session)
		r = minimind_session_open(&k->session, c->m, c->context);
	g = r == 0 ? grammar_for(q) : NULL;
	if (r == 0)
		r = minimind_generate(k->session, ids, n, &q->how, g, hear, v, result);
	minimind_grammar_close(g);
	free(k->ids);
	k->ids = ids;
	k->n = r == 0 ? n : 0;
	return r;
}

/* --- answering ------------------------------------------------------------------------
 */

/* One call that was written, as OpenAI has it; NULL: it makes no sense. */
static json_object *tool_call(struct chat *c, json_object *o)
{
	json_object *name, *args = NULL;
	char id[40];

	if (!json_object_is_type(o, json_type_object) ||
		!json_object_object_get_ex(o, "name", &name) ||
		!json_object_is_type(name, json_type_string))
		return NULL;
	json_object_object_get_ex(o, "arguments", &args);
	snprintf(id, sizeof id, "call_%lu", ++c->ids);
	return brain_tool_call(id, json_object_get_string(name),
		json_object_is_type(args, json_type_string) ? json_object_get_string(args)
		: args ? json_object_to_json_string_ext(args, JSON_C_TO_STRING_PLAIN)
		       : "{}");
}

/* The calls in what was written, thoughts left out; NULL: there are none. */
static json_object *tool_calls(struct chat *c, const char *text)
{
	static const char open[] = "<tool_call>", thought[] = "</think>";
	json_object *list = NULL;
	const char *at = strstr(text, thought);

	at = at ? at + strlen(thought) : text;
	while ((at = strstr(at, open))) {
		json_object *o, *call;
		size_t used = 0;

		at += strlen(open);
		at += strspn(at, " \n\r\t");
		o = call_parse(at, strlen(at), &used);
		call = tool_call(c, o);
		json_object_put(o);
		at += used;
		if (!call)
			continue;
		list = list ? list : json_object_new_array();
		json_object_array_add(list, call);
	}
	return list;
}

static int take_words(
	struct chat *c, const struct question *q, struct voice *v, struct reply *r)
{
	struct bytes text = {.max = 16 << 20};
	struct calls calls = {0};
	const char *raw = v->all.p ? v->all.p : "";
	int e = words_read(raw, v->all.n, &text, &calls);

	r->text = e == 0 ? bytes_steal(&text) : NULL;
	bytes_free(&text);
	calls_free(&calls);
	if (e == 0 && q->tools && !q->no_calls)
		r->tool_calls = tool_calls(c, raw);
	return e == 0 && !r->text ? -ENOMEM : e;
}

static int answer(struct brain *b, const struct question *q, brain_say say, void *arg,
	struct reply *r, char *message, size_t size)
{
	struct chat *c = (struct chat *)b;
	struct voice v = {.all.max = 16 << 20, .say = say, .arg = arg};
	struct minimind_result result = {0};
	int e = generate(c, q, &v, &result);

	if (e == 0)
		e = take_words(c, q, &v, r);
	bytes_free(&v.all);
	r->tokens_in = result.prompt;
	r->reused = result.reused;
	r->tokens_out = result.tokens;
	r->cut = result.end == MINIMIND_END_LENGTH;
	if (e == -E2BIG)
		snprintf(message, size,
			"the conversation is longer than the context of %u tokens",
			c->context);
	else if (e != 0)
		snprintf(message, size, "the model: %s", strerror(-e));
	return e;
}

static void close_chat(struct brain *b)
{
	struct chat *c = (struct chat *)b;

	for (int i = 0; i < SESSIONS; i++) {
		minimind_session_close(c->kept[i].session);
		free(c->kept[i].ids);
	}
	minimind_close(c->m);
	free(c);
}

int brain_open_chat(struct brain **out, const char *dir, unsigned int threads,
	uint32_t context, char *message, size_t size)
{
	static const struct brain_ops ops = {answer, close_chat};
	const struct minimind_options o = {.threads = threads};
	struct chat *c = mem_zalloc(sizeof *c);
	struct minimind_info info;
	int r = c ? minimind_open(&c->m, dir, &o, message, size) : -ENOMEM;

	*out = NULL;
	if (r != 0) {
		free(c);
		return r;
	}
	info = minimind_info(c->m);
	c->head.ops = &ops;
	c->third = minimind_token(c->m, "<tool_call>") != UINT32_MAX;
	c->context = context ? context : info.context < 4096 ? info.context : 4096;
	if (c->context > info.context) {
		snprintf(message, size, "the model knows %u tokens of context at most",
			info.context);
		close_chat(&c->head);
		return -EINVAL;
	}
	*out = &c->head;
	return 0;
}
