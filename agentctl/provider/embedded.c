/*
 * embedded.c: a provider in this process: the small model made here, which drives single
 * operations on files by its own protocol (small/), or a model of that protocol from a
 * directory.
 *
 * A request is a conversation of its own. Nothing is kept between two answers but what
 * the engine has cached: a call's id holds the call itself, so that whoever asks may
 * bring the conversation from anywhere.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "agentctl/provider/minimind/minimind.h"
#include "agentctl/provider/provider.h"
#include "agentctl/provider/small/checkpoint.h"
#include "agentctl/provider/small/small.h"
#include "common/cleanup.h"
#include "common/mem.h"

enum { CALLS = 16, CONTEXT = 2048, ANSWER = 256, PARTS = 4 + CALLS * (SMALL_PARTS + 3) };

static const char user[] = "<|im_start|>user\n";
static const char ask[] = "<|im_end|>\n<|im_start|>assistant\n<tool_call>\n";
static const char answer[] = "<|im_end|>\n<|im_start|>user\n<tool_response>\n";
static const char ask_again[] =
	"\n</tool_response><|im_end|>\n<|im_start|>assistant\n<tool_call>\n";

struct embedded {
	struct provider head;
	struct minimind *m;
	struct minimind_session *session;
	double least;	/* probability of a token below which a call is not believed */
	size_t request; /* its place among the messages */
	char *text;	/* the request; NULL: none yet */
	struct small_call calls[CALLS];
	char *heard[CALLS]; /* what came of each */
	size_t n;
};

static int fail(struct embedded *e, int r, const char *what)
{
	snprintf(e->head.message, sizeof e->head.message, "%s: %s", what, strerror(-r));
	return r;
}

/* --- the conversation -----------------------------------------------------------------
 */

static void forget(struct embedded *e)
{
	for (size_t i = 0; i < e->n; i++) {
		small_free(&e->calls[i]);
		free(e->heard[i]);
	}
	e->n = 0;
	free(steal(&e->text));
}

static char *trimmed(const char *s)
{
	size_t n;

	s += strspn(s, " \t\r\n");
	n = strlen(s);
	while (n > 0 && strchr(" \t\r\n", s[n - 1]))
		n--;
	return mem_printf("%.*s", (int)n, s);
}

/* Of old messages only the first line may be left. */
static const char *printed(const struct provider_message *m)
{
	return m->text && strlen(m->text) >= m->output ? m->text + m->output : "";
}

static int take_call(struct embedded *e, const struct provider_message *m)
{
	auto_free char *text = m->call_id ? small_call_of(m->call_id) : NULL;
	int r;

	if (!text || e->n == CALLS)
		return -EINVAL;
	r = small_read(text, &e->calls[e->n]);
	if (r == 0)
		e->heard[e->n++] = NULL;
	return r;
}

static int take_result(struct embedded *e, const struct provider_message *m)
{
	if (e->n == 0 || e->heard[e->n - 1])
		return -EINVAL;
	e->heard[e->n - 1] = small_observation(m->status, m->refused, printed(m));
	return e->heard[e->n - 1] ? 0 : -ENOMEM;
}

/* The last request, the calls made for it, and what came of them. -EINVAL: it is no
 * conversation of ours. */
static int listen_to(struct embedded *e, const struct provider_message *m, size_t n)
{
	size_t at = n;
	int r = 0;

	while (at > 0 && m[at - 1].role != PROVIDER_USER)
		at--;
	forget(e);
	if (at == 0 || !m[at - 1].text)
		return -EINVAL;
	e->text = trimmed(m[at - 1].text);
	if (!e->text)
		return -ENOMEM;
	for (; at < n && r == 0; at++) {
		if (m[at].role == PROVIDER_ASSISTANT && m[at].command)
			r = take_call(e, &m[at]);
		else if (m[at].role == PROVIDER_TOOL)
			r = take_result(e, &m[at]);
	}
	return r == 0 && e->n && !e->heard[e->n - 1] ? -EINVAL : r;
}

static void put(struct minimind_text *parts, size_t *n, const char *text, bool markup)
{
	if (*text)
		parts[(*n)++] = (struct minimind_text){text, strlen(text), markup};
}

static size_t compose(const struct embedded *e, struct minimind_text *parts)
{
	size_t n = 0;

	put(parts, &n, user, true);
	put(parts, &n, e->text, false);
	put(parts, &n, ask, true);
	for (size_t i = 0; i < e->n; i++) {
		n += small_parts(&e->calls[i], parts + n);
		put(parts, &n, answer, true);
		put(parts, &n, e->heard[i], false);
		put(parts, &n, ask_again, true);
	}
	return n;
}

/* --- one call -------------------------------------------------------------------------
 */

static int collect(void *arg, const char *text, size_t n)
{
	return fwrite(text, 1, n, arg) == n ? 0 : 1;
}

static int open_grammar(const struct embedded *e, struct minimind_grammar **out)
{
	struct minimind_text spans[1 + CALLS];
	struct minimind_grammar_options o = {
		.tools = {checkpoint_tools, checkpoint_tools_size},
		.after = "\n</tool_call>",
		.spans = spans,
		.n_spans = 1 + e->n};
	char why[256];

	spans[0] = (struct minimind_text){e->text, strlen(e->text), false};
	for (size_t i = 0; i < e->n; i++)
		spans[i + 1] =
			(struct minimind_text){e->heard[i], strlen(e->heard[i]), false};
	return minimind_grammar_open(out, &o, why, sizeof why);
}

static int generate(struct embedded *e, struct minimind_result *result, char **text)
{
	static const struct minimind_sampling greedy = {.max_tokens = ANSWER};
	struct minimind_text parts[PARTS];
	struct minimind_grammar *g = NULL;
	auto_free uint32_t *ids = NULL;
	size_t n = 0, size = 0;
	FILE *f;
	int r = minimind_encode(e->m, parts, compose(e, parts), &ids, &n);

	*text = NULL;
	if (r == 0)
		r = open_grammar(e, &g);
	f = r == 0 ? open_memstream(text, &size) : NULL;
	if (r == 0 && !f)
		r = -ENOMEM;
	if (r == 0)
		r = minimind_generate(e->session, ids, n, &greedy, g, collect, f, result);
	if (f && fclose(f) != 0 && r == 0)
		r = -ENOMEM;
	minimind_grammar_close(g);
	return r;
}

/* What cannot be written, or not be believed, is a request that was not understood. */
static int think(struct embedded *e, struct small_call *call, struct provider_reply *out)
{
	struct minimind_result result = {0};
	auto_free char *text = NULL;
	int r = generate(e, &result, &text);

	if (r == -E2BIG || r == -EILSEQ || r == -EFBIG || r == -EINVAL)
		r = small_read("{\"name\": \"unclear\", \"arguments\": {}}", call);
	else if (r == 0)
		r = small_read(result.end == MINIMIND_END_GRAMMAR
				       ? text
				       : "{\"name\": \"unclear\", \"arguments\": {}}",
			call);
	out->tokens_in = result.prompt - result.reused;
	out->tokens_out = result.tokens;
	if (r == 0 && call->kind < SMALL_DONE &&
		(result.least < e->least || !small_makes_sense(call, e->text)))
		call->kind = SMALL_UNCLEAR;
	return r;
}

/* --- what the loop gets ---------------------------------------------------------------
 */

static bool tested(const struct embedded *e)
{
	for (size_t i = 0; i < e->n; i++) {
		if (e->calls[i].kind == SMALL_TEST)
			return true;
	}
	return false;
}

static int give_up(struct provider_reply *out, const char *text)
{
	out->gave_up = true;
	out->text = mem_strdup(text);
	return out->text ? 0 : -ENOMEM;
}

static const char not_understood[] = "I did not understand that request. I am a small "
				     "model for trying things out: one "
				     "to three operations on files in a request, such as "
				     "'create notes.txt with \"hello\"',"
				     " 'replace \"8080\" with \"9090\" in config.ini', "
				     "'move a.txt into docs', 'count the "
				     "lines of a.txt', 'run sh test.sh and fix the value "
				     "in limits.cfg'. Real work wants a "
				     "real model: --model URL --name NAME.";

/* The output of the last call, the part that a person asked for. */
static int finish(struct embedded *e, struct provider_reply *out)
{
	const char *last = e->n ? strchr(e->heard[e->n - 1], '\n') : NULL;

	if (!tested(e) && !small_all_used(e->text, e->calls, e->n))
		return give_up(out, not_understood);
	out->done = true;
	out->text = mem_strdup(last ? last + 1 : "Done.");
	return out->text ? 0 : -ENOMEM;
}

static int stop(struct embedded *e, struct provider_reply *out)
{
	const char *last = e->n ? e->heard[e->n - 1] : "";
	auto_free char *text = mem_printf(
		"Stopped, nothing is kept: %s", *last ? last : "there is nothing to do");

	return text ? give_up(out, text) : -ENOMEM;
}

static int act(struct embedded *e, struct small_call *call, struct provider_reply *out)
{
	const struct small_context x = {e->text, tested(e)};

	out->command = small_command(call, &x);
	out->call_id = small_id(call);
	if (!out->command || !out->call_id)
		return -ENOMEM;
	return 0;
}

/* A step that failed is not done again: the same call twice is one too many. */
static bool repeats(const struct embedded *e, const struct small_call *call)
{
	const struct small_call *last = e->n ? &e->calls[e->n - 1] : NULL;

	return last && last->kind == call->kind && strcmp(last->text, call->text) == 0 &&
	       strncmp(e->heard[e->n - 1], "ok", 2) != 0;
}

static int next(struct provider *p, const struct provider_message *m, size_t n,
	struct provider_reply *out)
{
	struct embedded *e = (struct embedded *)p;
	struct small_call call = {0};
	int r = listen_to(e, m, n);

	if (r == -EINVAL)
		return give_up(out, not_understood);
	if (r == 0)
		r = think(e, &call, out);
	if (r != 0)
		return fail(e, r, "the embedded model");
	if (call.kind < SMALL_DONE && (e->n == CALLS || repeats(e, &call)))
		r = stop(e, out);
	else if (call.kind == SMALL_DONE)
		r = finish(e, out);
	else if (call.kind == SMALL_STOP)
		r = stop(e, out);
	else if (call.kind == SMALL_UNCLEAR)
		r = give_up(out, not_understood);
	else
		r = act(e, &call, out);
	small_free(&call);
	return r == 0 ? 0 : fail(e, r, "the embedded model");
}

static void close_embedded(struct provider *p)
{
	struct embedded *e = (struct embedded *)p;

	forget(e);
	minimind_session_close(e->session);
	minimind_close(e->m);
	free(e);
}

/* --- opening --------------------------------------------------------------------------
 */

int provider_open_embedded(
	struct provider **out, const char *dir, char *message, size_t size)
{
	static const struct provider_ops ops = {next, close_embedded};
	const struct minimind_options o = {.form = MINIMIND_INT8};
	struct embedded *e = mem_zalloc(sizeof *e);
	int r = 0;

	*out = NULL;
	if (!e) {
		snprintf(message, size, "out of memory");
		return -ENOMEM;
	}
	e->head.ops = &ops;
	e->head.name = "embedded";
	if (dir)
		r = minimind_open(&e->m, dir, &o, message, size);
	else
		r = minimind_open_memory(&e->m,
			(struct minimind_blob){checkpoint_config, checkpoint_config_size},
			(struct minimind_blob){
				checkpoint_tokenizer, checkpoint_tokenizer_size},
			(struct minimind_blob){
				checkpoint_tensors, checkpoint_tensors_size},
			&o, message, size);
	if (r == 0)
		r = checkpoint_least(dir, &e->least, message, size);
	if (r == 0 && (r = minimind_session_open(&e->session, e->m, CONTEXT)) != 0)
		snprintf(message, size, "the embedded model: %s", strerror(-r));
	if (r != 0) {
		close_embedded(&e->head);
		return r;
	}
	*out = &e->head;
	return 0;
}
