/*
 * forward.h: tokens through the network, with a cache of keys and values.
 */
#ifndef AGENTCTL_MINIMIND_FORWARD_H
#define AGENTCTL_MINIMIND_FORWARD_H

#include "agentctl/provider/minimind/kernel.h"
#include "agentctl/provider/minimind/shape.h"
#include "agentctl/provider/minimind/team.h"
#include "agentctl/provider/minimind/weights.h"

/** How many tokens go through the network side by side at most. */
enum { FORWARD_BATCH = 32 };

struct forward;

/** forward_open(out, shape, weights, kernel, team, context): room for @context tokens.
 * What it is given must outlive it. -ENOMEM. Memory of the cache is only touched as far
 * as tokens reach. */
int forward_open(struct forward **out, const struct shape *shape,
	const struct weights *weights, const struct kernel *kernel, struct team *team,
	uint32_t context);
/** forward_close(f): NULL is fine. */
void forward_close(struct forward *f);

/**
 * forward_run(f, tokens, n, at): tokens for the positions @at to @at + @n - 1, where
 * everything before @at is in the cache; what the cache held from @at on is replaced.
 * @n > 0, ids below vocab and positions below the context. Returns the vocab logits of
 * the last token, valid until the next call.
 */
const float *forward_run(
	struct forward *f, const uint32_t *tokens, size_t n, uint32_t at);

#endif
