/*
 * load.h: tensors of a file into the matrices that are laid out for them.
 */
#ifndef AGENTCTL_MINIMIND_LOAD_H
#define AGENTCTL_MINIMIND_LOAD_H

#include "agentctl/provider/minimind/weights.h"

/** load_weights(w, shape, tensors, why): fill all matrices of @w. Errors as weights_load,
 * whose second half this is. */
int load_weights(const struct weights *w, const struct shape *shape,
	const struct safetensors *tensors, struct why *why);

#endif
