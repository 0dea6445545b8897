/*
 * wire.h: messages between the courier and who asked, and waiting for them. Private to
 * provider.
 */
#ifndef AGENTCTL_PROVIDER_WIRE_H
#define AGENTCTL_PROVIDER_WIRE_H

#include "agentctl/provider/answer.h"
#include "agentctl/provider/provider.h"

/** watch_wait(w, fd, until_ns): until @fd (-1: none) is readable: 0; or it is @until_ns
 * of CLOCK_MONOTONIC (0: never): -EAGAIN; -EINTR: w->stop said so; -ETIME: w->until_ns is
 * over. */
int watch_wait(const struct provider_watch *w, int fd, int64_t until_ns);

/** wire_put_question(fd, body, n): -EMSGSIZE: too large; -errno. */
int wire_put_question(int fd, const char *body, size_t n);

/** wire_get_question(fd, body, n): wait for one; caller frees *body, also on error. */
int wire_get_question(int fd, char **body, size_t *n);

/** wire_put_words(fd, s, n): words on their way. */
int wire_put_words(int fd, const char *s, size_t n);

/** wire_put(fd, a, f, e): an answer, or a fault if @e is non-zero. 0, -errno. */
int wire_put(int fd, const struct answer *a, const struct fault *f, int e);

/** wire_get(fd, w, until_ns, a, f): wait for it, pass words on to w->said. 0 with @a
 * (answer_free); -EIO with @f; -EPROTO: what came makes no sense, -EPIPE: it ended;
 * others as watch_wait. */
int wire_get(int fd, const struct provider_watch *w, int64_t until_ns, struct answer *a,
	struct fault *f);

#endif
