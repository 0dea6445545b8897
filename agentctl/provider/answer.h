/*
 * answer.h: the body of a response to an answer. Private to provider.
 */
#ifndef AGENTCTL_PROVIDER_ANSWER_H
#define AGENTCTL_PROVIDER_ANSWER_H

#include "agentctl/provider/draft.h"
#include "agentctl/provider/sse.h"
#include "agentctl/provider/words.h"

/** What a server answered; zeroed it is empty. */
struct answer {
	char *text; /* or NULL */
	struct calls calls;
	bool cut; /* ended by its length */
	uint64_t tokens_in, tokens_out;
};

void answer_free(struct answer *a);

/** answer_make(d, a): from a draft: thoughts left out, calls found. 0 or -ENOMEM. */
int answer_make(const struct draft *d, struct answer *a);

enum reader_form { READER_UNKNOWN, READER_JSON, READER_EVENTS, READER_OTHER };

/** A body on its way. Whether it is a stream shows by its first byte, not by its type. */
struct reader {
	enum reader_form form;
	struct bytes body; /* of JSON, or its beginning if it is neither */
	struct sse sse;
	struct draft draft;
	size_t bytes;
	bool done;    /* [DONE] came */
	bool garbage; /* an event was no JSON object */
	int error;
	struct words_live live;
	void (*say)(void *arg, const char *s, size_t n); /* may be NULL */
	void *arg;
};

void reader_init(struct reader *r);

/** reader_feed(r, p, n): more of the body. Non-zero: no use to read on. */
int reader_feed(struct reader *r, const char *p, size_t n);

/**
 * reader_end(r, whole, status, a, f): the body is over; @whole: as far as the transport
 * can tell. @status of HTTP. Returns 0 with @a (answer_free), or -EIO with @f.
 * f->retry_ms is left alone.
 */
int reader_end(
	struct reader *r, bool whole, int status, struct answer *a, struct fault *f);
void reader_free(struct reader *r);

#endif
