/*
 * outside.c: a bench with a piece of work of its own: the first command begins a
 * transaction, and who may end it says so.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/mcp/bench.h"
#include "common/cleanup.h"
#include "common/mem.h"

#define DIFF_BYTES (64 * 1024)

struct outside {
	struct bench b;
	struct work *w;
};

static struct work *work_of(struct bench *b)
{
	return ((struct outside *)b)->w;
}

static int trouble(struct bench *b, struct answer *a)
{
	return bench_say(a, true, "Not done: %s", work_message(work_of(b)));
}

static int run(struct bench *b, const struct call *c, struct answer *a)
{
	struct work_result r = {0};
	int e = work_run(work_of(b), bench_text(c, "command"),
		bench_ms(c, "timeout_seconds"), c->ear, &r);

	b->forwarded = r.forwarded;
	return e ? trouble(b, a) : bench_ran(a, &r);
}

static int status(struct bench *b, const struct call *c, struct answer *a)
{
	struct work *w = work_of(b);
	uint64_t added, changed, deleted;

	a->data = json_object_new_object();
	json_object_object_add(a->data, "open", json_object_new_boolean(work_is_open(w)));
	if (!work_is_open(w))
		return bench_say(
			a, false, "No transaction is open; the next command begins one.");
	if (work_count(w, &added, &changed, &deleted) != 0)
		return trouble(b, a);
	json_object_object_add(a->data, "tx", json_object_new_int64((int64_t)work_tx(w)));
	json_object_object_add(
		a->data, "workspace", json_object_new_string(work_workspace(w)));
	json_object_object_add(a->data, "added", json_object_new_int64((int64_t)added));
	json_object_object_add(
		a->data, "changed", json_object_new_int64((int64_t)changed));
	json_object_object_add(
		a->data, "deleted", json_object_new_int64((int64_t)deleted));
	return bench_say(a, false,
		"Transaction %llu in %s: %llu added, %llu changed, %llu deleted. Nothing "
		"of it is published yet.",
		(unsigned long long)work_tx(w), work_workspace(w),
		(unsigned long long)added, (unsigned long long)changed,
		(unsigned long long)deleted);
}

static int diff(struct bench *b, const struct call *c, struct answer *a)
{
	auto_free char *text = NULL;

	if (work_diff(work_of(b), bench_text(c, "path"), DIFF_BYTES, &text) != 0)
		return trouble(b, a);
	return bench_say(a, false, "%s", *text ? text : "Nothing changed.");
}

static int savepoint(struct bench *b, const struct call *c, struct answer *a)
{
	const char *name = bench_text(c, "name");

	if (work_savepoint(work_of(b), name) != 0)
		return trouble(b, a);
	return bench_say(a, false, "Savepoint %s is set.", name);
}

static int rollback(struct bench *b, const struct call *c, struct answer *a)
{
	const char *name = bench_text(c, "name");
	unsigned int undone = 0;
	int step = bench_ms(c, "step") / 1000;

	if (name) {
		if (work_back_to(work_of(b), name) != 0)
			return trouble(b, a);
		return bench_say(a, false,
			"Rolled back: all that changed since the savepoint %s is undone.",
			name);
	}
	if (work_back(work_of(b), (unsigned int)step, &undone) != 0)
		return trouble(b, a);
	return bench_say(a, false,
		"Rolled back: what step %u and all after it changed is undone.", undone);
}

static int begin(struct bench *b, const struct call *c, struct answer *a)
{
	struct work *w = work_of(b);

	if (work_begin(w) != 0)
		return trouble(b, a);
	return bench_say(a, false, "Transaction %llu is open in %s.",
		(unsigned long long)work_tx(w), work_workspace(w));
}

static const char *end_text(json_object *event, const char *key)
{
	json_object *v = event ? json_object_object_get(event, key) : NULL;

	return v ? json_object_get_string(v) : "0";
}

/* The names of a list, with commas between. */
static char *joined(json_object *list)
{
	char *text = mem_strdup("");

	for (size_t i = 0; text && i < json_object_array_length(list); i++) {
		char *longer = mem_printf("%s%s%s", text, i ? ", " : "",
			json_object_get_string(json_object_array_get_idx(list, i)));

		free(text);
		text = longer;
	}
	return text;
}

static int tell_held(struct answer *a)
{
	auto_free char *names = joined(json_object_object_get(a->data, "held"));

	if (!names)
		return -ENOMEM;
	return bench_say(a, true,
		"Not committed: files that run later outside are among the changes: %s. "
		"A "
		"person has to look at transaction %s.",
		names, end_text(a->data, "tx"));
}

static int end(struct bench *b, enum work_end how, struct answer *a)
{
	json_object *e;
	const char *outcome;

	if (work_end(work_of(b), how, &e) != 0)
		return trouble(b, a);
	json_object_object_del(e, "ev");
	json_object_object_del(e, "text");
	a->data = e;
	outcome = end_text(e, "outcome");
	if (how == WORK_ABORT && strcmp(outcome, "aborted") == 0)
		return bench_say(a, false, "Aborted: every file is as before.");
	if (strcmp(outcome, "committed") == 0)
		return bench_say(a, false, "Committed: %s added, %s changed, %s deleted.",
			end_text(e, "added"), end_text(e, "changed"),
			end_text(e, "deleted"));
	if (strcmp(outcome, "aborted") == 0)
		return bench_say(
			a, true, "The check failed: aborted, every file is as before.");
	if (strcmp(outcome, "kept") == 0)
		return tell_held(a);
	return bench_say(a, true,
		"Not committed (%s): transaction %s is kept; a person has to look at it.",
		outcome, end_text(e, "tx"));
}

static int commit(struct bench *b, const struct call *c, struct answer *a)
{
	return end(b, WORK_COMMIT, a);
}

static int drop(struct bench *b, const struct call *c, struct answer *a)
{
	return end(b, WORK_ABORT, a);
}

static int signal_fd(struct bench *b)
{
	return work_signal_fd(work_of(b));
}

/* What changed nothing is no work to be kept. */
static void close_bench(struct bench *b)
{
	struct work *w = work_of(b);
	uint64_t added, changed, deleted;

	if (work_is_open(w) && work_count(w, &added, &changed, &deleted) == 0 &&
		added + changed + deleted == 0)
		work_end(w, WORK_ABORT, NULL);
	work_free(w);
	free(b);
}

int bench_outside(struct bench **out, const struct mcp_options *o)
{
	static const struct bench_ops ops = {.run = run,
		.status = status,
		.diff = diff,
		.savepoint = savepoint,
		.rollback = rollback,
		.signal_fd = signal_fd,
		.close = close_bench};
	struct outside *b = mem_zalloc(sizeof *b);

	*out = NULL;
	if (!b || work_new(&b->w, &o->loop, "agentctl mcp") != 0) {
		free(b);
		return -ENOMEM;
	}
	b->b.ops = ops;
	if (o->allow_tx) {
		b->b.ops.begin = begin;
		b->b.ops.commit = commit;
		b->b.ops.abort = drop;
	}
	*out = &b->b;
	return 0;
}
