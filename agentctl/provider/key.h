/*
 * key.h: the secret that a server wants. Private to provider.
 */
#ifndef AGENTCTL_PROVIDER_KEY_H
#define AGENTCTL_PROVIDER_KEY_H

#include <stddef.h>

/** key_from_env(name, out, message, size): the variable's value, or NULL if there is none
 * or it is empty; caller frees. The variable is wiped and taken out of the environment,
 * so that no child gets it. 0, -EINVAL: it cannot be a key; -ENOMEM. */
int key_from_env(const char *name, char **out, char *message, size_t size);

/** key_from_file(path, out, message, size): the first line of @path. -EACCES: others may
 * read it; what open(2) gives. */
int key_from_file(const char *path, char **out, char *message, size_t size);

#endif
