/*
 * serve.c: the one loop. Each turn: what the kernel says is ready, one line of each
 * client that has a whole one, then signals, reloads, new clients and the clock.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "policyd/audit/audit.h"
#include "policyd/server/loop.h"

enum { EVENTS = 256, CLOCK_MS = 1000, PAUSE_MS = 5, ACCEPT_TURN = 256 };

long loop_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000L + t.tv_nsec / 1000000;
}

/* --- clients -------------------------------------------------------------------------
 */

static void watch(struct loop *l, struct client *c)
{
	struct epoll_event ev = {.data.ptr = c};

	if (c->state == READING && !c->more && !c->paused)
		ev.events |= EPOLLIN;
	if (c->n_out)
		ev.events |= EPOLLOUT;
	if (ev.events == c->events)
		return;
	c->events = ev.events;
	epoll_ctl(l->epoll, EPOLL_CTL_MOD, c->fd, &ev);
}

/* Freed at the end of the turn: an event of this turn may still name it. */
void loop_drop(struct loop *l, struct client *c)
{
	struct client *last = l->client[--l->n];

	l->client[c->at] = last;
	last->at = c->at;
	c->state = GONE;
	epoll_ctl(l->epoll, EPOLL_CTL_DEL, c->fd, NULL);
	l->gone[l->n_gone++] = c;
}

void loop_bury(struct loop *l)
{
	while (l->n_gone)
		client_free(l->gone[--l->n_gone], &l->peers);
}

/* When all places are taken, whoever was silent the longest makes room. */
static bool make_room(struct loop *l)
{
	struct client *idlest = NULL;

	for (size_t i = 0; i < l->n; i++)
		if (!l->client[i]->more &&
			(!idlest || l->client[i]->seen_ms < idlest->seen_ms))
			idlest = l->client[i];
	if (!idlest || l->n_gone >= MAX_CLIENTS)
		return false;
	loop_drop(l, idlest);
	l->s->stats.dropped++;
	return true;
}

static struct client *admit(struct loop *l, int fd)
{
	struct ucred uc;
	socklen_t len = sizeof(uc);
	struct peer_use *use;
	struct client *c;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &uc, &len) ||
		(uc.uid != geteuid() && uc.uid != 0) ||
		(l->n == MAX_CLIENTS && !make_room(l)))
		return NULL;
	use = peers_join(&l->peers, uc.pid, l->now);
	if (!use)
		return NULL;
	c = client_new(fd, &(struct peer){uc.uid, uc.pid}, use, l->now);
	if (!c)
		peers_leave(&l->peers, use);
	return c;
}

static void accept_some(struct loop *l)
{
	for (int i = 0; i < ACCEPT_TURN; i++) {
		int fd =
			accept4(l->listener.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		struct epoll_event ev = {.events = EPOLLIN};
		struct client *c;

		if (fd < 0 && (errno == EMFILE || errno == ENFILE))
			make_room(l); /* by the end of the turn */
		if (fd < 0)
			return;
		c = admit(l, fd);
		if (!c) {
			close(fd);
			l->s->stats.dropped++;
			continue;
		}
		c->events = EPOLLIN;
		c->at = l->n;
		l->client[l->n++] = c;
		l->s->stats.clients++;
		ev.data.ptr = c;
		if (epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &ev))
			loop_drop(l, c);
	}
}

/* One line at most. False: the client has to go. */
static bool serve(struct loop *l, struct client *c, unsigned events)
{
	if (events & EPOLLHUP && (c->state != READING || c->more))
		return false; /* nobody is there to hear the answer */
	if (c->state == READING && !c->more && events & (EPOLLIN | EPOLLHUP) &&
		!client_read(c, &l->peers, l->now))
		return false;
	if (c->state == READING && c->more) {
		c->paused = !peers_may_log(c->use, l->now);
		if (!c->paused && !client_answer(c, l->s, &l->peers, l->now))
			return false;
	}
	if (!client_flush(c) || (c->state == CLOSING && !c->n_out))
		return false;
	return !(events & EPOLLERR);
}

static void serve_and_watch(struct loop *l, struct client *c, unsigned events)
{
	if (c->state == GONE)
		return;
	if (serve(l, c, events)) {
		watch(l, c);
		l->waiting |= c->more;
	} else {
		loop_drop(l, c);
	}
}

/* Those with more lines than one, and those whose pause may be over. */
static void serve_waiting(struct loop *l)
{
	l->n_more = l->n_paused = 0;
	if (!l->waiting)
		return;
	l->waiting = false;
	for (size_t i = l->n; i-- > 0;) { /* from the end: drop moves the last one */
		struct client *c = l->client[i];

		if (!c->more || c->state != READING)
			continue;
		serve_and_watch(l, c, 0);
		if (c->state != GONE && c->more) {
			l->n_paused += c->paused;
			l->n_more += !c->paused;
		}
	}
}

/* --- the rest of a turn --------------------------------------------------------------
 */

static void take_signals(struct loop *l)
{
	struct signalfd_siginfo si;

	while (read(l->signal_fd, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo != SIGHUP)
			l->stop = true;
		else if (l->s->loader)
			loader_reload(l->s->loader);
	}
}

static void take_reload(struct loop *l)
{
	struct server *s = l->s;
	struct rules *fresh = NULL;
	char err[512] = "";
	unsigned long served = loader_done(s->loader, &fresh, err, sizeof(err));

	if (!served)
		return;
	if (fresh) {
		rules_free(s->rules);
		s->rules = fresh;
		s->stats.reloads++;
		s->rules_error[0] = '\0';
	} else {
		char text[640];

		snprintf(text, sizeof(text), "the old rules stay: %s", err);
		snprintf(s->rules_error, sizeof(s->rules_error), "%s", err);
		fprintf(stderr, "policyd: %s\n", text);
		answer_note(s, text);
	}
	for (size_t i = l->n; i-- > 0;) {
		struct client *c = l->client[i];

		if (c->state != AWAITING || c->ticket > served)
			continue;
		l->waiting |= c->more;
		l->n_more += c->more; /* do not sleep on it */
		if (client_reloaded(c, fresh ? NULL : err))
			watch(l, c);
		else
			loop_drop(l, c);
	}
}

static void tick(struct loop *l)
{
	if (l->now - l->clock_ms < CLOCK_MS)
		return;
	l->clock_ms = l->now;
	for (size_t i = l->n; i-- > 0;)
		if (client_late(l->client[i], l->now)) {
			l->s->stats.dropped++;
			loop_drop(l, l->client[i]);
		}
}

static int patience_ms(const struct loop *l)
{
	int quiet = awake_wait_ms(&l->awake);

	return l->n_more     ? 0
	       : quiet >= 0  ? quiet
	       : l->n_paused ? PAUSE_MS
	       : l->n	     ? CLOCK_MS
			     : -1;
}

int loop_turn(struct loop *l)
{
	struct epoll_event ev[EVENTS];
	bool news = false, calls = false, signals = false;
	uint64_t seen = awake_seen(&l->awake);
	int n = epoll_wait(l->epoll, ev, EVENTS, patience_ms(l));

	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	if (n > 0)
		awake_request(&l->awake);
	else if (!l->n_more)
		awake_quiet(&l->awake, seen);
	l->now = loop_now();
	for (int i = 0; i < n; i++) {
		void *p = ev[i].data.ptr;

		if (p == &l->listener)
			calls = true;
		else if (p == &l->signal_fd)
			signals = true;
		else if (p == l->s->loader)
			news = true;
		else
			serve_and_watch(l, p, ev[i].events);
	}
	serve_waiting(l);
	if (news)
		take_reload(l);
	if (signals)
		take_signals(l);
	if (calls)
		accept_some(l);
	tick(l);
	loop_bury(l);
	return 0;
}
