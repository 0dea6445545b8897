/*
 * recall.h: a conversation from the transcripts of its transaction. Private to loop.
 */
#ifndef AGENTCTL_LOOP_RECALL_H
#define AGENTCTL_LOOP_RECALL_H

#include <stdint.h>
#include "agentctl/loop/talk.h"

/** recall(t, workspace, tx, step): add what was said and done in the transaction @tx, as
 * far as it is kept, and the number of its last step. Secrets are masked there. 0, also
 * where nothing is kept; -ENOMEM. */
int recall(struct talk *t, const char *workspace, uint64_t tx, unsigned int *step);

#endif
