/*
 * talk.h: the conversation with a provider, as it grows. Private to loop.
 */
#ifndef AGENTCTL_LOOP_TALK_H
#define AGENTCTL_LOOP_TALK_H

#include "agentctl/provider/provider.h"

#define TALK_BYTES (32u << 20) /* then old observations are cut to their first line */

/** Zeroed it is empty. */
struct talk {
	struct provider_message *m;
	size_t n, cap;
	size_t bytes, cut; /* of texts; messages before this one are cut */
};

/** talk_add(t, m): one message more; takes the strings of @m, also when it fails. */
int talk_add(struct talk *t, struct provider_message m);

/** talk_say(t, role, text): words alone; @text is taken, and may be NULL: -ENOMEM. */
int talk_say(struct talk *t, enum provider_role role, char *text);
void talk_free(struct talk *t);

#endif
