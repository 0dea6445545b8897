/*
 * checkpoint.c: doing the steps of a committed transaction in the base.
 *
 * Each step knows what it expects to find (an inode and its birth) and recognises its own
 * result. Expected: do it. Result: nothing to do. Neither: leave it alone and report it;
 * what is there was put there by somebody else. So the list may be run from the beginning
 * any number of times, after a crash at any instant.
 */
#include "fs/tx/impl.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONFLICT 1 /* what a step answers where it finds neither state */

struct run {
	struct tree *t;
	char *dir; /* the directory last opened, and its descriptor */
	int dirfd;
};

static void forget_dir(struct run *r)
{
	if (r->dirfd >= 0)
		close(r->dirfd);
	free(r->dir);
	r->dir = NULL;
	r->dirfd = -1;
}

/* The directory that holds @path, and the last component. */
static int dir_of(struct run *r, const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	size_t len = slash ? (size_t)(slash - path) : 0;

	*name = slash ? slash + 1 : path;
	if (r->dir && strlen(r->dir) == len && !strncmp(r->dir, path, len))
		return r->dirfd;
	forget_dir(r);
	r->dir = strndup(path, len);
	if (!r->dir)
		return -ENOMEM;
	r->dirfd = base_at(r->t->rootfd, r->dir, O_RDONLY | O_DIRECTORY);
	if (r->dirfd < 0) {
		int e = r->dirfd;

		forget_dir(r);
		return e;
	}
	return r->dirfd;
}

/* Somebody else took the directory away, or it cannot be reached for now. */
static int no_dir(int err)
{
	return err == -ENOENT || err == -ENOTDIR || err == -ELOOP ? CONFLICT : err;
}

static bool holds(int dirfd, const char *name, uint64_t ino, int64_t btime_ns)
{
	struct bstat st;

	return !base_stat(dirfd, name, &st) && st.print.ino == ino &&
	       st.print.btime_ns == btime_ns;
}

static int move(int from, const char *a, int to, const char *b, unsigned int flags)
{
	return renameat2(from, a, to, b, flags) < 0 ? -errno : 0;
}

static int is_entry(void *arg, const char *name, unsigned char type, uint64_t ino)
{
	return 1;
}

static int do_take(struct run *r, const struct rec_step *s)
{
	int stage = r->t->stagefd, dir, err;
	const char *name;

	if (holds(stage, s->path2, s->ino, s->btime_ns))
		return 0;
	dir = dir_of(r, s->path, &name);
	if (dir < 0)
		return dir == -ENOENT || dir == -ENOTDIR ? 0 : dir;
	if (!holds(dir, name, s->ino, s->btime_ns))
		return 0; /* placed already, or somebody else's: the placing decides */
	if (s->flags & STEP_MUST_BE_EMPTY) {
		int fd = base_at(dir, name, O_PATH | O_DIRECTORY);

		err = fd < 0 ? fd : base_list(fd, is_entry, NULL);
		if (fd >= 0)
			close(fd);
		if (err)
			return err == 1 ? CONFLICT : err;
	}
	err = move(dir, name, stage, s->path2, RENAME_NOREPLACE);
	if (err)
		return err;
	if (holds(stage, s->path2, s->ino, s->btime_ns))
		return 0;
	move(stage, s->path2, dir, name, RENAME_NOREPLACE);
	return CONFLICT;
}

static int do_place(struct run *r, const struct rec_step *s)
{
	const char *name;
	int dir = dir_of(r, s->path, &name), err;

	if (dir < 0)
		return no_dir(dir);
	if (holds(dir, name, s->ino, s->btime_ns))
		return 0;
	if (!holds(r->t->stagefd, s->path2, s->ino, s->btime_ns))
		return CONFLICT;
	err = move(r->t->stagefd, s->path2, dir, name, RENAME_NOREPLACE);
	return err == -EEXIST ? CONFLICT : err;
}

static int do_swap(struct run *r, const struct rec_step *s)
{
	const char *name;
	int stage = r->t->stagefd, dir = dir_of(r, s->path, &name), err;

	if (dir < 0)
		return no_dir(dir);
	if (holds(dir, name, s->ino2, s->btime2_ns))
		return 0;
	if (!holds(dir, name, s->ino, s->btime_ns) ||
		!holds(stage, s->path2, s->ino2, s->btime2_ns))
		return CONFLICT;
	err = move(stage, s->path2, dir, name, RENAME_EXCHANGE);
	if (err)
		return err;
	if (holds(stage, s->path2, s->ino, s->btime_ns))
		return 0;
	move(stage, s->path2, dir, name, RENAME_EXCHANGE);
	return CONFLICT;
}

/* A new link at @name for the file at s->path2. */
static int link_from(struct run *r, const struct rec_step *s, int dir, const char *name)
{
	struct run other = {.t = r->t, .dirfd = -1};
	const char *from;
	int fd = dir_of(&other, s->path2, &from), err;

	err = fd < 0 ? fd : linkat(fd, from, dir, name, 0) < 0 ? -errno : 0;
	forget_dir(&other);
	return err == -ENOENT ? CONFLICT : err;
}

static int do_link(struct run *r, const struct rec_step *s)
{
	const char *name;
	int dir = dir_of(r, s->path, &name), err;

	if (dir < 0)
		return no_dir(dir);
	if (holds(dir, name, s->ino, s->btime_ns))
		return 0;
	err = link_from(r, s, dir, name);
	return err == -EEXIST ? CONFLICT : err;
}

static int do_relink(struct run *r, const struct rec_step *s)
{
	char tmp[64];
	const char *name;
	int stage = r->t->stagefd, dir = dir_of(r, s->path, &name), err;

	if (dir < 0)
		return no_dir(dir);
	if (holds(dir, name, s->ino2, s->btime2_ns))
		return 0;
	if (!holds(dir, name, s->ino, s->btime_ns))
		return CONFLICT;
	snprintf(tmp, sizeof(tmp), "l%llu-%llu", (unsigned long long)s->layer,
		(unsigned long long)s->n);
	unlinkat(stage, tmp, 0);
	err = link_from(r, s, stage, tmp);
	if (!err)
		err = move(stage, tmp, dir, name, RENAME_EXCHANGE);
	unlinkat(stage, tmp, 0);
	return err;
}

static int set_xattrs(int dir, const char *name, const struct rec_step *s)
{
	const char *p = s->blob, *end = p + s->blob_size;

	while (p < end) {
		size_t len = strnlen(p, (size_t)(end - p)) + 1;
		const char *value = p + len + 4;
		uint32_t size;
		int r;

		if (value > end)
			return -EINVAL;
		memcpy(&size, p + len, 4);
		if (size == UINT32_MAX) {
			r = base_removexattr(dir, name, p);
			p = value;
		} else {
			if ((size_t)(end - value) < size)
				return -EINVAL;
			r = base_setxattr(dir, name, p, value, size);
			p = value + size;
		}
		if (r)
			return r;
	}
	return 0;
}

static int set_times(int dir, const char *name, const struct rec_step *s)
{
	struct timespec ts[2] = {ts_of(s->atime_ns), ts_of(s->mtime_ns)};

	return utimensat(dir, *name ? name : ".", ts, AT_SYMLINK_NOFOLLOW) < 0 ? -errno
									       : 0;
}

static int do_attr(struct run *r, const struct rec_step *s)
{
	const char *name;
	int dir = dir_of(r, s->path, &name), err;

	if (dir < 0)
		return no_dir(dir);
	if (!holds(dir, name, s->ino, s->btime_ns))
		return CONFLICT;
	if (!*name)
		name = ".";
	if (s->flags & STEP_OWNED) {
		if (fchownat(dir, name, s->uid, s->gid, AT_SYMLINK_NOFOLLOW) < 0)
			return -errno;
		if (!S_ISLNK(s->mode) && fchmodat(dir, name, s->mode & 07777, 0) < 0)
			return -errno;
	}
	err = set_xattrs(dir, name, s);
	/* An access ACL may have moved the mode: once more, it is the last word. */
	if (!err && s->flags & STEP_OWNED && s->blob_size && !S_ISLNK(s->mode) &&
		fchmodat(dir, name, s->mode & 07777, 0) < 0)
		err = -errno;
	return err ? err : set_times(dir, name, s);
}

static int do_times(struct run *r, const struct rec_step *s)
{
	const char *name;
	int dir = dir_of(r, s->path, &name);

	if (dir < 0 || !holds(dir, name, s->ino, s->btime_ns))
		return 0; /* times of what is not there matter to nobody */
	return set_times(dir, name, s);
}

static int do_step(struct run *r, const struct rec_step *s)
{
	switch ((enum step_op)s->op) {
	case STEP_TAKE: return do_take(r, s);
	case STEP_PLACE: return do_place(r, s);
	case STEP_LINK: return do_link(r, s);
	case STEP_SWAP: return do_swap(r, s);
	case STEP_RELINK: return do_relink(r, s);
	case STEP_ATTR: return do_attr(r, s);
	case STEP_TIMES: return do_times(r, s);
	case STEP_DONE: return 0;
	}
	return -EPROTO;
}

void checkpoint_run(
	struct tree *t, const struct rec_step *step, size_t n, struct outcome *out)
{
	struct run r = {.t = t, .dirfd = -1};

	*out = (struct outcome){0};
	for (size_t i = 0; i < n; i++) {
		int err = do_step(&r, &step[i]);

		/* Moves may change what a path leads to. */
		if (step[i].op == STEP_TAKE || step[i].op == STEP_PLACE)
			if (r.dir && !strncmp(r.dir, step[i].path, strlen(step[i].path)))
				forget_dir(&r);
		if (!err)
			continue;
		if (!*out->first)
			snprintf(out->first, sizeof(out->first), "%s: %s", step[i].path,
				err == CONFLICT ? "changed behind the mount"
						: strerror(-err));
		if (err == CONFLICT) {
			out->conflicts++;
			continue;
		}
		out->behind = n - i;
		break;
	}
	forget_dir(&r);
}
