/*
 * token.c: the tokens that end transactions, one file each, for the user's eyes only.
 */
#include "fs/client/impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/cleanup.h"
#include "common/mem.h"

static int token_path(const char *store, uint64_t id, char **out)
{
	auto_free char *dir = NULL;
	char hash[33];
	int err = state_sub("tokens", &dir);

	*out = NULL;
	if (err)
		return err;
	path_hash(store, hash);
	*out = mem_printf("%s/%s-%llu", dir, hash, (unsigned long long)id);
	return *out ? 0 : -ENOMEM;
}

int token_put(const char *store, uint64_t id, const __u8 token[TXFS_TOKEN_BYTES])
{
	auto_free char *path = NULL;
	char text[2 * TXFS_TOKEN_BYTES + 2];
	int err = token_path(store, id, &path);

	for (int i = 0; i < TXFS_TOKEN_BYTES; i++)
		sprintf(text + 2 * i, "%02x", token[i]);
	strcpy(text + 2 * TXFS_TOKEN_BYTES, "\n");
	if (!err)
		err = write_file(path, text);
	explicit_bzero(text, sizeof(text));
	return err;
}

int token_get(const char *store, uint64_t id, __u8 token[TXFS_TOKEN_BYTES])
{
	auto_free char *path = NULL;
	auto_free char *text = NULL;
	int err = token_path(store, id, &path);

	if (!err)
		err = read_file(path, &text);
	if (err)
		return err;
	for (int i = 0; i < TXFS_TOKEN_BYTES; i++) {
		unsigned int v;

		if (sscanf(text + 2 * i, "%2x", &v) != 1)
			return -EINVAL;
		token[i] = (__u8)v;
	}
	return 0;
}

void token_del(const char *store, uint64_t id)
{
	auto_free char *path = NULL;

	if (!token_path(store, id, &path))
		unlink(path);
}
