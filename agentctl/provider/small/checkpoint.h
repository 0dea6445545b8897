/*
 * checkpoint.h: the small model's files, taken in when agentctl is built. Private to
 * provider.
 */
#ifndef AGENTCTL_PROVIDER_CHECKPOINT_H
#define AGENTCTL_PROVIDER_CHECKPOINT_H

#include <stddef.h>

extern const char checkpoint_config[], checkpoint_tokenizer[], checkpoint_tensors[],
	checkpoint_tools[];
extern const size_t checkpoint_config_size, checkpoint_tokenizer_size,
	checkpoint_tensors_size, checkpoint_tools_size;

/** checkpoint_least(dir, least, message, size): txfs_least_probability of the config.json
 * in @dir, or of ours where @dir is NULL. -EINVAL: it is no model of this protocol
 * (txfs_protocol 1); what open(2) gives. */
int checkpoint_least(const char *dir, double *least, char *message, size_t size);

#endif
