/*
 * bench.h: what the tools of the server work on: a piece of work of our own, or, inside
 * of a run, the sandbox that is there. Private to mcp.
 */
#ifndef AGENTCTL_MCP_BENCH_H
#define AGENTCTL_MCP_BENCH_H

#include <json-c/json.h>
#include "agentctl/loop/work.h"
#include "agentctl/mcp/mcp.h"

/** What a tool says: words for a model, the same as data, and whether it failed. All
 * belong to the answer. */
struct answer {
	char *text;
	json_object *data; /* an object, or NULL */
	bool failed;
};

/** The arguments of a call. */
struct call {
	json_object *args;	    /* an object, or NULL */
	const struct work_ear *ear; /* hears that it was cancelled */
};

struct bench;

/** What can be done; NULL: it cannot, and is not offered. 0 and an answer; -errno only if
 * there is no memory for one. */
struct bench_ops {
	int (*run)(struct bench *b, const struct call *c, struct answer *a);
	int (*status)(struct bench *b, const struct call *c, struct answer *a);
	int (*diff)(struct bench *b, const struct call *c, struct answer *a);
	int (*savepoint)(struct bench *b, const struct call *c, struct answer *a);
	int (*rollback)(struct bench *b, const struct call *c, struct answer *a);
	int (*begin)(struct bench *b, const struct call *c, struct answer *a);
	int (*commit)(struct bench *b, const struct call *c, struct answer *a);
	int (*abort)(struct bench *b, const struct call *c, struct answer *a);
	int (*signal_fd)(struct bench *b); /* -1: signals come as usual */
	void (*close)(struct bench *b);
};

/** The head of both kinds. */
struct bench {
	struct bench_ops ops;
	int forwarded; /* signal to us that came while a command ran, and ended it */
};

/** bench_outside(out, o), bench_inside(out, o): -ENOMEM. */
int bench_outside(struct bench **out, const struct mcp_options *o);
int bench_inside(struct bench **out, const struct mcp_options *o);

/** bench_say(a, failed, format, ..): set the words. 0 or -ENOMEM. */
int bench_say(struct answer *a, bool failed, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** bench_text(c, key): a string argument without NUL bytes; NULL: there is none.
 * bench_ms(c, key): seconds as milliseconds, 0: there is none. */
const char *bench_text(const struct call *c, const char *key);
int bench_ms(const struct call *c, const char *key);

/** bench_ran(a, r): the answer to a command; takes r->output. */
int bench_ran(struct answer *a, struct work_result *r);

#endif
