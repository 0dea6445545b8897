/*
 * private.h: what a model is made of, for the files that make up minimind.h.
 */
#ifndef AGENTCTL_MINIMIND_PRIVATE_H
#define AGENTCTL_MINIMIND_PRIVATE_H

#include "agentctl/provider/minimind/forward.h"
#include "agentctl/provider/minimind/minimind.h"
#include "agentctl/provider/minimind/tokenizer.h"

struct minimind {
	struct shape shape;
	struct weights weights;
	struct tokenizer *tokenizer;
	const struct kernel *kernel;
	struct team *team;
};

#endif
