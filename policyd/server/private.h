/*
 * private.h: what the files of this folder share.
 */
#ifndef POLICYD_SERVER_PRIVATE_H
#define POLICYD_SERVER_PRIVATE_H

#include <json-c/json.h>

#include "policyd/server/server.h"

/* --- json.c --------------------------------------------------------------------------
 */

/** json_line(line, len, error): one object, or NULL and why not. */
struct json_object *json_line(const char *line, size_t len, const char **error);

/** json_add(o, key, text): add a text unless it is empty. */
void json_add(struct json_object *o, const char *key, const char *text);

/* --- request.c -----------------------------------------------------------------------
 */

enum op { OP_CHECK, OP_EXEC, OP_EXPLAIN, OP_RELOAD, OP_STATS, OP_RECORD, N_OPS };
extern const char *const op_names[N_OPS];

/** A decoded request; strings belong to @o. */
struct request {
	struct json_object *o;
	enum op op;
	const char *command, *cwd, *workspace, *home, *tx, *agent, *event, *vets;
	enum policy_cover cover;
	bool interactive;
	struct shell_var *env;
	size_t n_env;
	const char **argv;
	size_t argc;
	const char *error; /* then nothing else counts */
};

void request_decode(struct request *q, const char *line, size_t len);
void request_free(struct request *q);

/* --- answer.c ------------------------------------------------------------------------
 */

/** One question and its answer, from the line to the record. */
struct exchange {
	struct request q;
	struct policy_answer ans;
	struct peer peer;
	unsigned long ticket; /* the reload that the answer waits for, or 0 */
	bool log;	      /* belongs into the record */
};

/** exchange_begin(s, x, line, len, peer): the answer, malloc'ed, ending in a newline;
 * NULL: out of memory, or x->ticket is set: it comes later, by exchange_reloaded.
 * Whatever is wrong with the line, the decision is "deny". */
char *exchange_begin(struct server *s, struct exchange *x, const char *line, size_t len,
	const struct peer *peer);

/** exchange_end(s, x): to the record, once the answer is out; frees what @x holds. */
void exchange_end(struct server *s, struct exchange *x);

/** answer_reloaded(id, error): the late answer to a reload; @id as JSON text, or NULL. */
char *answer_reloaded(const char *id, const char *error);

/** answer_refuse(error): an answer for a line that was not even read. */
char *answer_refuse(const char *error);

/** answer_note(s, what): a line of the record about the daemon itself. */
void answer_note(struct server *s, const char *what);

/* --- links.c -------------------------------------------------------------------------
 */

/** links_new(l): start the thread. 0 or -errno. */
int links_new(struct links **l);
void links_free(struct links *l);
/** links_begin(l): a new command: from here on links_look notes which paths matter.
 * links_fetch(l): look at them all, at most LINKS_WAIT_MS (links_begin: LINKS_STUCK_MS
 * for what is still out); then links_look tells. False: there was none. */
void links_begin(struct links *l);
bool links_fetch(struct links *l);
/** links_look: a struct rules_look's look, with a struct links as argument. */
enum rules_seen links_look(void *arg, const char *path, char *real, size_t size);
/** links_judge(l, ...): rules_judge with these looks; @l NULL: without. */
void links_judge(struct links *l, const struct rules *r, const struct rules *ws,
	const struct shell_context *ctx, enum policy_cover cover,
	const struct shell_reading *reading, struct policy_answer *ans);

/* --- loader.c ------------------------------------------------------------------------
 */

/** loader_new(l, source, n): start the thread. loader_fd: readable after a reload. */
int loader_new(struct loader **l, const struct rules_source *source, size_t n);
void loader_free(struct loader *l);
int loader_fd(const struct loader *l);

/** loader_reload(l): begin to read all rules; returns a ticket. loader_done(l, rules,
 * err, size): the tickets served so far; *rules is new, or NULL with why in @err; 0:
 * nothing happened. */
unsigned long loader_reload(struct loader *l);
unsigned long loader_done(struct loader *l, struct rules **rules, char *err, size_t size);

enum loader_found { LOADER_NONE, LOADER_RULES, LOADER_LATE, LOADER_BROKEN };

/**
 * loader_workspace(l, workspace, rules, err, size): the rules of a workspace. They are
 * the loader's, good until the next call. BROKEN: the file has a mistake and no earlier
 * form of it is known; RULES with a text in @err: a mistake, an earlier form stays.
 */
enum loader_found loader_workspace(struct loader *l, const char *workspace,
	const struct rules **rules, char *err, size_t size);

/* --- peers.c -------------------------------------------------------------------------
 */

/** What the connections of one process use together. */
struct peer_use {
	struct peer_use *next;
	pid_t pid;
	unsigned clients;
	size_t bytes;	/* of input held */
	long log_bytes; /* that may still go to the record */
	long filled_ms;
};

struct peers {
	struct peer_use *bucket[256];
	size_t bytes; /* of all */
};

/** peers_join(p, pid): one connection more; NULL: too many, or no memory. */
struct peer_use *peers_join(struct peers *p, pid_t pid, long now_ms);
void peers_leave(struct peers *p, struct peer_use *u);
/** peers_hold(p, u, more): @more bytes of input; false: too many are held. */
bool peers_hold(struct peers *p, struct peer_use *u, size_t more);
void peers_release(struct peers *p, struct peer_use *u, size_t bytes);
/** peers_log(u, bytes, now): note what went to the record. peers_may_log: whether more
 * may, or the client has to wait. */
void peers_log(struct peer_use *u, size_t bytes);
bool peers_may_log(struct peer_use *u, long now_ms);

/* --- listen.c ------------------------------------------------------------------------
 */

struct listener {
	int fd, lock_fd;
	bool made; /* by us, not by systemd: ours to remove */
	const char *path;
};

/** listen_open(l, path): 0; -EADDRINUSE: another policyd serves there; -errno. */
int listen_open(struct listener *l, const char *path);
void listen_close(struct listener *l);

/* --- confine.c -----------------------------------------------------------------------
 */

/** confine_files(writable, removable, works): give up writing, but in the folder
 * @writable, and removing, but there and in @removable; either may be NULL. For this
 * thread and those it starts later. *works: the kernel can do so. 0 or -errno. */
int confine_files(const char *writable, const char *removable, bool *works);

/** confine_calls(files_guarded): give up all system calls that serving does not need, in
 * all threads. @files_guarded: confine_files works, so files may be opened. 0, -errno. */
int confine_calls(bool files_guarded);

/* --- explain.c -----------------------------------------------------------------------
 */

enum { EXPLAIN_WORDS = 40 }; /* of a command, shown at most */

/** explain_text(s, buf, size): @s as it may be shown; returns buf. explain_word(c, at,
 * buf, size): a word of a command, masked if the words before it say that it is a secret.
 * explain_secret(r, word): whether it was masked so. */
const char *explain_text(const char *s, char *buf, size_t size);
const char *explain_word(
	const struct shell_command *c, size_t at, char *buf, size_t size);
bool explain_secret(const struct shell_reading *r, const char *word);

/** explain_json(o, ctx, cover, reading, look): add "commands" and "effects" to @o. */
void explain_json(struct json_object *o, const struct shell_context *ctx,
	enum policy_cover cover, const struct shell_reading *r,
	const struct rules_look *look);

#endif
