/*
 * session.c: from DIR to a connection, mounting what is known but not mounted.
 *
 * A directory is known by its default store: the nearest parent of DIR that has one is a
 * workspace. It is mounted below the state directory for the verb and unmounted after it,
 * unless the verb left a transaction open.
 */
#include "fs/cmd/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/cleanup.h"
#include "common/mem.h"
#include "common/path.h"

static bool has_store(const char *dir)
{
	auto_free char *store = NULL;
	auto_free char *db = NULL;

	if (txfs_default_store(dir, &store))
		return false;
	db = mem_printf("%s/store.db", store);
	return db && !access(db, F_OK);
}

/* The nearest known workspace at or above @dir; NULL if none. Caller frees. */
static char *known_workspace(const char *dir)
{
	char *path = realpath(dir, NULL), *slash;

	while (path) {
		if (has_store(path))
			return path;
		slash = strrchr(path, '/');
		if (slash == path)
			break;
		*slash = 0;
	}
	free(path);
	return NULL;
}

/* After a mount over the base itself, a shell that stood there still stands below. */
static void warn_below(const struct args *a, const struct txfs *t)
{
	auto_free char *cwd = getcwd(NULL, 0);
	struct stat here, there;

	if (strcmp(a->dir, ".") || !cwd || strcmp(txfs_mnt(t), txfs_base(t)) ||
		!path_below(cwd, txfs_mnt(t)))
		return;
	if (!stat(".", &here) && !stat(cwd, &there) && here.st_dev != there.st_dev)
		cmd_error("this shell still stands in the directory below the mount; "
			  "enter the mount with: cd \"$PWD\"");
}

int session_open(const struct args *a, struct session *s)
{
	auto_free char *known = NULL;
	int err;

	*s = (struct session){0};
	err = txfs_open(a->dir, &s->t);
	if (err == -ENOENT)
		known = known_workspace(a->dir);
	if (known) {
		txfs_close(s->t);
		err = txfs_open_or_mount(known, &s->t, &s->mounted);
	}
	if (err)
		return cmd_fail(s->t, err);
	warn_below(a, s->t);
	err = txfs_resolve(s->t, a->tx, &s->id);
	return err ? cmd_fail(s->t, err) : 0;
}

void session_close(struct session *s)
{
	if (s->mounted)
		txfs_unmount_idle(s->t);
	else
		txfs_close(s->t);
	s->t = NULL;
}
