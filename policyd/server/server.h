/*
 * server.h: the daemon: one poll loop over a Unix socket, one JSON object a line.
 *
 *	serve.c		sockets, connections, signals, the loop
 *	request.c	one line in, one line out: strict decoding, the ops
 *	links.c		looks at the filesystem in a thread of its own, with a bound
 *	explain.c	the verbs check and explain, without a daemon
 *
 * Only links.c touches files that others control, and only in its thread: the loop
 * waits for it at most LINKS_WAIT_MS a request.
 */
#ifndef POLICYD_SERVER_SERVER_H
#define POLICYD_SERVER_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "policyd/rules/rules.h"

enum {
	MAX_CLIENTS = 1024,
	LINKS_WAIT_MS = 20,
	LINKS_MAX = 64,	       /* look-ups a request */
	IDLE_MS = 300 * 1000,  /* a silent client is dropped */
	SEND_MAX = 256 * 1024, /* unread answers a client may leave */
};

struct links;
struct audit;

struct server {
	const char *const *files; /* rules, as given on the command line */
	size_t n_files;
	struct rules *rules;
	struct links *links;
	struct audit *audit;
	const char *socket;
	char home[1024]; /* of the user we run as; from the user database at start */
	struct {
		unsigned long requests, errors, decisions[4], reloads, clients, dropped;
		unsigned long us_total, us_max;
	} stats;
};

/** Who asks: from the kernel, never from the request. */
struct peer {
	uid_t uid;
	pid_t pid;
};

/** server_run(s): listen on s->socket and serve until SIGTERM or SIGINT. 0 or -errno. */
int server_run(struct server *s);

/** server_reload(s, err, size): new rules, or the old ones stay. 0 or -errno. */
int server_reload(struct server *s, char *err, size_t size);

/**
 * request_answer(s, line, len, peer): the answer to one line, malloc'ed, ending in
 * a newline; NULL when out of memory. Whatever is wrong with the line, the decision is
 * "deny".
 */
char *request_answer(
	struct server *s, const char *line, size_t len, const struct peer *peer);

/** request_refuse(error): an answer for a line that was not even read. */
char *request_refuse(const char *error);

/** links_new(l): start the thread. 0 or -errno. */
int links_new(struct links **l);
void links_free(struct links *l);
/** links_begin(l): a new request: its time and its look-ups start to count. */
void links_begin(struct links *l);
/** links_look: a struct rules_look's look, with a struct links as argument. */
enum rules_seen links_look(void *arg, const char *path, char *real, size_t size);

/** explain_command: print what @command would do, and the verdict. Exit status. */
int explain_command(const char *command, const char *cwd, const char *workspace,
	const char *const *files, size_t n_files, bool json);

#endif
