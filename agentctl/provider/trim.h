/*
 * trim.h: what of a conversation is left out when it does not fit. Private to provider.
 */
#ifndef AGENTCTL_PROVIDER_TRIM_H
#define AGENTCTL_PROVIDER_TRIM_H

#include "agentctl/provider/provider.h"

#define TRIM_SHORT 160 /* bytes of an old observation */

/** What was left out to save room; it only grows, so that the beginning of a conversation
 * stays the same from one question to the next as long as possible. */
struct trim {
	size_t shortened;  /* observations of messages before this one are short */
	size_t dropped;	   /* messages before this one are left out, but for the head */
	size_t last_bytes; /* the last observation has at most so many; 0: all */
};

/** trim_more(t, m, n, bytes): leave out at least @bytes more, if so much can be left out:
 * first old observations, then the oldest steps, then the middle of the last observation.
 * Never the system's and the user's words. False: nothing more can go. */
bool trim_more(struct trim *t, const struct provider_message *m, size_t n, size_t bytes);

/** trim_head(m, n): how many messages stand before the first answer; they always stay. */
size_t trim_head(const struct provider_message *m, size_t n);

#endif
