/*
 * safetensors.h: named tensors in one file or several.
 *
 * A file is eight bytes of length (little endian), that much JSON which names for each
 * tensor its type, shape and place, and the data. Several files are joined by an index,
 * model.safetensors.index.json, which says in which file a tensor lies.
 */
#ifndef AGENTCTL_MINIMIND_SAFETENSORS_H
#define AGENTCTL_MINIMIND_SAFETENSORS_H

#include <stdbool.h>
#include "agentctl/provider/minimind/source.h"

enum tensor_type { TENSOR_F32, TENSOR_F16, TENSOR_BF16, TENSOR_I8, TENSOR_OTHER };

struct tensor {
	char *name;
	enum tensor_type type;
	unsigned dims; /* 0 to 4; more are kept as TENSOR_OTHER */
	uint64_t shape[4];
	uint64_t at, size; /* bytes in the file */
	unsigned file;
};

struct safetensors {
	struct source *files;
	unsigned n_files;
	struct tensor *tensors; /* sorted by name */
	size_t n;
};

/** safetensors_open(s, dir, why): model.safetensors in @dir, or what its index names. */
int safetensors_open(struct safetensors *s, const char *dir, struct why *why);
/** safetensors_memory(s, data, size, why): one file that is in memory, borrowed. */
int safetensors_memory(
	struct safetensors *s, const void *data, size_t size, struct why *why);
/** safetensors_close(s): zeroed is fine, also after a failed open. */
void safetensors_close(struct safetensors *s);

/** safetensors_find(s, name): NULL if there is none. */
const struct tensor *safetensors_find(const struct safetensors *s, const char *name);

/** tensor_element_bytes(type): 0 for TENSOR_OTHER. */
unsigned tensor_element_bytes(enum tensor_type type);

#endif
