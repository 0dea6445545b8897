/*
 * server.h: the daemon: one loop over a Unix socket, one JSON object a line.
 *
 *	start.c		setting up, and giving up rights
 *	serve.c		the loop: events, signals, turns
 *	listen.c	the socket: made, taken over, or given by systemd
 *	client.c	one connection: its buffers, its states
 *	peers.c		what all connections of one process may use together
 *	json.c		strict JSON, before and after the library sees it
 *	request.c	from JSON to a request
 *	answer.c	the ops
 *	links.c		looks at the filesystem, in a thread of its own, with a bound
 *	loader.c	reading of rules files, in a thread of its own
 *	confine.c	rights given up once everything is open
 *	explain.c	what a command would do, as JSON		tell.c	for people
 *
 * The loop does no I/O but on sockets: it waits for links.c at most LINKS_WAIT_MS a
 * request, for loader.c at most LOADER_WAIT_MS, and for the record as long at most.
 */
#ifndef POLICYD_SERVER_SERVER_H
#define POLICYD_SERVER_SERVER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "policyd/rules/rules.h"

enum {
	MAX_CLIENTS = 4096,	   /* connections; when all are taken the idlest goes */
	PEER_CLIENTS = 1280,	   /* of one process */
	PEER_BYTES = 8 << 20,	   /* unanswered input that one process may leave here */
	ALL_BYTES = 64 << 20,	   /* and all together */
	PEER_LOG_BURST = 32 << 20, /* of the record, then */
	PEER_LOG_RATE = 2 << 20,   /* bytes a second; faster clients wait */
	LINKS_WAIT_MS = 400,	   /* a busy disk takes that long */
	LINKS_STUCK_MS = 20,	   /* while an earlier look-up has not come back */
	LINKS_MAX = 64,		   /* look-ups a request */
	LOADER_WAIT_MS = 400,
	IDLE_MS = 300 * 1000,  /* a silent client is dropped */
	SLOW_MS = 10 * 1000,   /* for the rest of a line that was begun */
	SEND_MAX = 256 * 1024, /* unread answers a client may leave */
	MAX_SOURCES = 68,
};

struct links;
struct loader;
struct audit;

struct server {
	struct rules_source source[MAX_SOURCES]; /* of rules, in order */
	size_t n_sources;
	struct rules *rules;
	struct loader *loader; /* NULL: workspaces have no rules */
	struct links *links;
	struct audit *audit;
	const char *socket;
	char home[1024]; /* of the user we run as; from the user database at start */
	char rules_error[512]; /* why the last reload kept the old rules, or "" */
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

/** server_load(s, err, size): read the rules, or the old ones stay. Blocks. 0, -errno. */
int server_load(struct server *s, char *err, size_t size);

/** explain_command: print what @command would do, and the verdict. Exit status. */
struct explain_options {
	const char *command, *cwd, *workspace;
	const struct rules_source *source;
	size_t n_sources;
	bool json;
};
int explain_command(const struct explain_options *o);

#endif
