/*
 * client.h: one connection. READING until a line is whole, then its answer is queued;
 * AWAITING while a reload is under way; CLOSING ends it once what is queued is out, and
 * what it still sends is not read. A client has one line answered a turn, so that none
 * can keep the others waiting.
 */
#ifndef POLICYD_SERVER_CLIENT_H
#define POLICYD_SERVER_CLIENT_H

#include "policyd/server/private.h"

struct client {
	int fd;
	enum { READING, AWAITING, CLOSING, GONE } state;
	struct peer peer;
	struct peer_use *use;
	char *in, *out;
	size_t n_in, cap_in, scanned, n_out, cap_out;
	long seen_ms;	 /* last byte in */
	long begun_ms;	 /* of the line that is not whole yet, or 0 */
	unsigned events; /* that epoll watches for it */
	bool more;	 /* a whole line may be waiting in @in */
	bool paused;	 /* has written its share of the record */
	unsigned long ticket;
	char *id;  /* of the request that is awaited, as JSON, or NULL */
	size_t at; /* its place in the table */
};

/** client_new(fd, peer, use, now): NULL: no memory. client_free: also its descriptor. */
struct client *client_new(
	int fd, const struct peer *peer, struct peer_use *use, long now_ms);
void client_free(struct client *c, struct peers *peers);

/** client_read(c, peers, now): take what is there. False: it has to go. */
bool client_read(struct client *c, struct peers *peers, long now_ms);

/** client_answer(c, s, peers, now): answer one whole line, if there is one. False: go. */
bool client_answer(struct client *c, struct server *s, struct peers *peers, long now_ms);

/** client_reloaded(c, error): the answer it awaited. client_flush(c): send what goes. */
bool client_reloaded(struct client *c, const char *error);
bool client_flush(struct client *c);

/** client_late(c, now): silent for too long, or too slow with a line. */
bool client_late(const struct client *c, long now_ms);

#endif
