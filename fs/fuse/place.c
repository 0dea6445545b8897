/*
 * place.c: checks before a mount, the staging directory, mounting as root or with
 * fusermount3.
 */
#include "fs/fuse/place.h"

#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/hash.h"
#include "common/path.h"
#include "txfs/client.h"

static int say(char **msg, int err, const char *fmt, ...)
{
	va_list ap;

	free(*msg);
	va_start(ap, fmt);
	if (vasprintf(msg, fmt, ap) < 0)
		*msg = NULL;
	va_end(ap);
	return err;
}

static bool below(const char *path, const char *top)
{
	return path_below(path, top) != NULL;
}

/* --- mounts that are there already
 * ------------------------------------------------------------ */

struct seen {
	bool at_mnt_alive, at_mnt_dead;
	char *inside; /* mount points below the base, one a line */
};

static int look_at_mounts(const struct mount_opts *o, struct seen *s)
{
	FILE *f = setmntent("/proc/self/mounts", "r");
	struct mntent *m;
	struct statvfs vfs;

	if (!f)
		return 0;
	while ((m = getmntent(f))) {
		char *longer;

		if (!strcmp(m->mnt_dir, o->mnt) && !strncmp(m->mnt_type, "fuse", 4)) {
			/* Attributes may be cached; this always asks. */
			bool dead = statvfs(o->mnt, &vfs) < 0 &&
				    (errno == ENOTCONN || errno == ECONNABORTED);

			s->at_mnt_dead |= dead;
			s->at_mnt_alive |= !dead && !strcmp(m->mnt_type, "fuse.txfs");
		}
		if (!strcmp(m->mnt_dir, o->base) || !strcmp(m->mnt_dir, o->mnt) ||
			!below(m->mnt_dir, o->base))
			continue;
		if (asprintf(&longer, "%s%s%s", s->inside ? s->inside : "",
			    s->inside ? ", " : "", m->mnt_dir) < 0)
			break;
		free(s->inside);
		s->inside = longer;
	}
	endmntent(f);
	return 0;
}

static int check_mounts(const struct mount_opts *o, char **msg)
{
	struct seen s = {0};
	int r = look_at_mounts(o, &s);

	if (s.at_mnt_dead && umount2(o->mnt, MNT_DETACH) < 0)
		r = say(msg, -errno,
			"cannot detach the dead mount at '%s': %s; try: fusermount3 -uz "
			"'%s'",
			o->mnt, strerror(errno), o->mnt);
	else if (s.at_mnt_alive)
		r = say(msg, -EBUSY, "'%s' is mounted already; see: txfs -C '%s' status",
			o->mnt, o->mnt);
	else if (s.inside && !o->hide_submounts)
		r = say(msg, -EBUSY,
			"'%s' has mounts below it: %s; unmount them, or mount with -o "
			"submounts=hide",
			o->base, s.inside);
	free(s.inside);
	return r;
}

/* --- base and mount point
 * ------------------------------------------------------------------------ */

static int check_dir(const char *path, const char *what, char **msg)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return say(msg, -errno, "cannot use %s '%s': %s", what, path,
			strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return say(
			msg, -ENOTDIR, "cannot use %s '%s': not a directory", what, path);
	return 0;
}

static int open_base(struct place *p, const struct mount_opts *o, char **msg)
{
	struct stat st;
	int fd = open(o->base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return say(msg, -errno, "cannot open base '%s': %s", o->base,
			strerror(errno));
	/* The lock lives as long as the descriptor, also over a kill. */
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		int e = errno;

		close(fd);
		return say(msg, -EBUSY,
			e == EWOULDBLOCK
				? "'%s' is served by another txfs mount; unmount it first"
				: "cannot lock base '%s'",
			o->base);
	}
	if (!fstatat(fd, ".txfs", &st, AT_SYMLINK_NOFOLLOW)) {
		close(fd);
		return say(msg, -EEXIST,
			"'%s' has an entry '.txfs' of its own, the name txfs needs; "
			"rename it first",
			o->base);
	}
	p->basefd = fd;
	return 0;
}

/* A base inside the base of a mount that serves would be changed by both. */
static int check_others(const struct mount_opts *o, char **msg)
{
	struct txfs_workspace *w;
	int r = txfs_workspace_find(o->base, &w);

	if (r)
		return 0;
	if (w->pid && strcmp(w->base, o->base) && below(o->base, w->base))
		r = say(msg, -EBUSY,
			"'%s' lies inside '%s', which is mounted at '%s'; unmount that "
			"first",
			o->base, w->base, w->mnt);
	else if (w->pid && strcmp(w->mnt, o->mnt) && below(o->base, w->mnt))
		r = say(msg, -EINVAL,
			"'%s' lies inside the txfs mount '%s'; mount its base '%s'",
			o->base, w->mnt, w->base);
	txfs_workspace_free(w);
	return r;
}

int place_check(struct place *p, const struct mount_opts *o, char **msg)
{
	bool in_place = !strcmp(o->base, o->mnt);
	int r = check_mounts(o, msg);

	if (!r)
		r = check_dir(o->base, "base", msg);
	if (!r)
		r = check_others(o, msg);
	if (!r)
		r = check_dir(o->mnt, "mount point", msg);
	if (r)
		return r;
	if (!in_place && below(o->mnt, o->base))
		return say(msg, -EINVAL,
			"mount point '%s' lies inside the base '%s'; choose one outside, "
			"or none to mount in place",
			o->mnt, o->base);
	if (!in_place && below(o->base, o->mnt))
		return say(msg, -EINVAL,
			"base '%s' lies inside the mount point '%s'; choose another",
			o->base, o->mnt);
	if (below(o->store, o->base))
		return say(msg, -EINVAL,
			"store '%s' lies inside the base '%s'; choose one outside",
			o->store, o->base);
	return open_base(p, o, msg);
}

/* --- staging
 * ---------------------------------------------------------------------------------------
 */

static int open_stage(int dirfd, const char *name)
{
	int fd;

	if (mkdirat(dirfd, name, 0700) < 0 && errno != EEXIST)
		return -errno;
	fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Moves must not cross a mount: the same device is not enough, so one is tried. */
static bool can_move(int stagefd, int basefd)
{
	struct stat a, b;

	return !fstat(stagefd, &a) && !fstat(basefd, &b) && a.st_dev == b.st_dev;
}

int place_stage(struct place *p, int storefd, const char *store, char **msg)
{
	uint8_t hash[HASH_BYTES];
	char name[64], hex[2 * HASH_BYTES + 1];
	int up, fd = open_stage(storefd, "stage");

	if (fd >= 0 && can_move(fd, p->basefd)) {
		p->stagefd = fd;
		return 0;
	}
	if (fd >= 0)
		close(fd);
	hash128(store, strlen(store), hash);
	hash_hex(hash, hex);
	snprintf(name, sizeof(name), ".txfs-stage-%.12s", hex);
	up = openat(p->basefd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = up >= 0 && can_move(up, p->basefd) ? open_stage(up, name) : -EXDEV;
	if (up >= 0)
		close(up);
	if (fd < 0) {
		fd = open_stage(p->basefd, name);
		snprintf(p->hidden, sizeof(p->hidden), "%s", name);
	}
	if (fd < 0)
		return say(msg, fd,
			"cannot make a staging directory beside or in the base: %s",
			strerror(-fd));
	p->stagefd = fd;
	return 0;
}

void place_unstage(struct tree *t)
{
	char name[64], path[64];
	ssize_t n;

	if (!t || t->stagefd < 0)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", t->stagefd);
	char target[4096];

	n = readlink(path, target, sizeof(target) - 1);
	if (n <= 0)
		return;
	target[n] = 0;
	snprintf(name, sizeof(name), "%s", strrchr(target, '/') + 1);
	if (!strncmp(name, ".txfs-stage-", 12))
		rmdir(target);
	close(t->stagefd);
	t->stagefd = -1;
}

/* --- mounting
 * -------------------------------------------------------------------------------------
 */

static int mount_as_root(const char *mnt, char **msg)
{
	char opts[128];
	struct stat st;
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return say(msg, -errno,
			"cannot open '/dev/fuse': %s; is the fuse module loaded?",
			strerror(errno));
	if (stat(mnt, &st) < 0) {
		close(fd);
		return say(msg, -errno, "cannot use mount point '%s': %s", mnt,
			strerror(errno));
	}
	snprintf(opts, sizeof(opts),
		"fd=%d,rootmode=%o,user_id=0,group_id=0,default_permissions,allow_other",
		fd, st.st_mode & S_IFMT);
	if (mount("txfs", mnt, "fuse.txfs", 0, opts) < 0) {
		close(fd);
		return say(msg, -errno, "cannot mount at '%s': %s", mnt, strerror(errno));
	}
	return fd;
}

int place_mount(struct fuse_session *se, const char *mnt, bool allow_other, char **msg)
{
	if (!geteuid())
		return mount_as_root(mnt, msg);
	if (access("/dev/fuse", R_OK | W_OK) < 0)
		return say(msg, -errno, "cannot open '/dev/fuse': %s", strerror(errno));
	if (fuse_session_mount(se, mnt))
		return say(msg, -EPERM,
			"cannot mount at '%s' without root; is fusermount3 (package "
			"fuse3) installed?",
			mnt);
	return fuse_session_fd(se);
}

int place_dry_run(const struct mount_opts *o, char **msg)
{
	struct place p = {.basefd = -1, .stagefd = -1};
	int r = place_check(&p, o, msg);

	if (p.basefd >= 0)
		close(p.basefd);
	return r ? r
		 : say(msg, 0, "would mount '%s' at '%s' with its store in '%s'", o->base,
			   o->mnt, o->store);
}
