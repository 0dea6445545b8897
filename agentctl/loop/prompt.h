/*
 * prompt.h: what a provider is told, in words. Private to loop.
 */
#ifndef AGENTCTL_LOOP_PROMPT_H
#define AGENTCTL_LOOP_PROMPT_H

#include "agentctl/loop/impl.h"

/** prompt_system(l): where it works, what a transaction, a refusal and a roll-back are;
 * caller frees. NULL: no memory. */
char *prompt_system(const struct loop *l);

/** After an answer with no call; after one that broke off. */
extern const char prompt_no_call[], prompt_cut[];

#endif
