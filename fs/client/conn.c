/*
 * conn.c: a connection to a mount: finding it, opening its control file, keeping a
 * message.
 */
#include "fs/client/impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/cleanup.h"
#include "common/mem.h"

int say(struct txfs *t, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	free(t->message);
	t->message = mem_vprintf(fmt, ap);
	va_end(ap);
	return err;
}

static int connect_to(struct txfs *t)
{
	const char *mnt = t->w->mnt;
	auto_free char *ctl = mem_printf("%s/.txfs/ctl", mnt);

	if (!ctl)
		return -ENOMEM;
	t->fd = open(ctl, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (t->fd >= 0)
		return 0;
	switch (errno) {
	case ENOTCONN:
	case ECONNABORTED:
		return say(t, -ENOTCONN,
			"the mount at '%s' is dead, its daemon is gone; "
			"take it over with: txfs mount --store '%s' '%s' '%s'",
			mnt, t->w->store, t->w->base, mnt);
	case ENOENT:
	case ENOTDIR:
		return say(t, -ENOENT,
			"the workspace of '%s' is not mounted at '%s'; "
			"mount it with: txfs mount --store '%s' '%s' '%s'",
			t->w->base, mnt, t->w->store, t->w->base, mnt);
	case EACCES:
	case EPERM:
		return say(t, -EACCES,
			"no access to '%s': it is open to the owner of the mount only",
			ctl);
	default: return say(t, -errno, "cannot open '%s': %s", ctl, strerror(errno));
	}
}

int txfs_open(const char *dir, struct txfs **out)
{
	struct txfs *t = mem_zalloc(sizeof(*t));
	int err;

	*out = t;
	if (!t)
		return -ENOMEM;
	t->fd = -1;
	err = txfs_workspace_find(dir, &t->w);
	if (err == -ENOENT)
		return say(t, err,
			"'%s' is in no mounted workspace; mount one with: txfs mount DIR",
			dir);
	if (err)
		return say(t, err, "cannot look for the workspace of '%s': %s", dir,
			strerror(-err));
	return connect_to(t);
}

void txfs_close(struct txfs *t)
{
	if (!t)
		return;
	if (t->fd >= 0)
		close(t->fd);
	txfs_workspace_free(t->w);
	free(t->message);
	free(t);
}

const char *txfs_message(const struct txfs *t)
{
	return t && t->message ? t->message : "out of memory";
}

const char *txfs_mnt(const struct txfs *t)
{
	return t->w ? t->w->mnt : "";
}

const char *txfs_base(const struct txfs *t)
{
	return t->w ? t->w->base : "";
}

uint64_t txfs_view_id(const struct txfs *t)
{
	return t->w ? t->w->view : 0;
}
