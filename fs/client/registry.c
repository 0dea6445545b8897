/*
 * registry.c: which directory is a workspace: one small text file for each, by mount
 *point.
 *
 *	base=/home/a/project
 *	mnt=/home/a/project
 *	store=/home/a/.local/state/txfs/store/3f..
 *	pid=4711 start=99887
 *
 * Paths are canonical when they are registered and are escaped as for display. A file is
 * put in place whole, so a reader needs no lock. An entry whose daemon is gone and whose
 * mount point carries no mount is of no use: the next search removes it. One whose daemon
 * is gone but is still mounted stays, with pid 0: its mount answers ENOTCONN.
 */
#include "fs/client/impl.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/cleanup.h"
#include "common/escape.h"
#include "common/mem.h"
#include "common/path.h"

void txfs_workspace_free(struct txfs_workspace *w)
{
	if (!w)
		return;
	free(w->base);
	free(w->mnt);
	free(w->store);
	free(w);
}

static int entry_path(const char *mnt, char **out)
{
	auto_free char *dir = NULL;
	char hash[33];
	int err = state_sub("workspaces", &dir);

	*out = NULL;
	if (err)
		return err;
	path_hash(mnt, hash);
	*out = mem_printf("%s/%s", dir, hash);
	return *out ? 0 : -ENOMEM;
}

int txfs_workspace_add(const struct txfs_workspace *w)
{
	auto_free char *path = NULL;
	auto_free char *base = escape_text(w->base, strlen(w->base));
	auto_free char *mnt = escape_text(w->mnt, strlen(w->mnt));
	auto_free char *store = escape_text(w->store, strlen(w->store));
	auto_free char *text = NULL;
	int err = entry_path(w->mnt, &path);

	if (err)
		return err;
	if (base && mnt && store)
		text = mem_printf("base=%s\nmnt=%s\nstore=%s\npid=%d start=%llu\n", base,
			mnt, store, w->pid, pid_start(w->pid));
	return text ? write_file(path, text) : -ENOMEM;
}

int txfs_workspace_del(const char *mnt)
{
	auto_free char *path = NULL;
	int err = entry_path(mnt, &path);

	if (err)
		return err;
	return unlink(path) && errno != ENOENT ? -errno : 0;
}

static int parse_line(struct txfs_workspace *w, const char *line)
{
	unsigned long long start;
	char **to = NULL;
	int pid;

	if (sscanf(line, "pid=%d start=%llu", &pid, &start) == 2) {
		w->pid = pid > 0 && start && pid_start(pid) == start ? pid : 0;
		return 0;
	}
	if (!strncmp(line, "base=", 5))
		to = &w->base;
	else if (!strncmp(line, "mnt=", 4))
		to = &w->mnt;
	else if (!strncmp(line, "store=", 6))
		to = &w->store;
	if (!to || *to)
		return 0; /* of a newer program */
	*to = unescape_text(strchr(line, '=') + 1);
	return *to ? 0 : -errno;
}

/* -EINVAL: not an entry (cut short, or no paths in it). */
static int entry_read(const char *path, struct txfs_workspace **out)
{
	struct txfs_workspace *w = mem_zalloc(sizeof(*w));
	auto_free char *text = NULL;
	char *save = NULL;
	int err;

	*out = NULL;
	err = w ? read_file(path, &text) : -ENOMEM;
	if (!err)
		for (char *l = strtok_r(text, "\n", &save); l && !err;
			l = strtok_r(NULL, "\n", &save))
			err = parse_line(w, l);
	if (!err &&
		(!w->base || !w->mnt || !w->store || *w->base != '/' || *w->mnt != '/'))
		err = -EINVAL;
	if (err)
		txfs_workspace_free(w);
	else
		*out = w;
	return err;
}

/* The number in "/.txfs/tx/ID" or "/.txfs/tx/ID/..", else 0. */
static uint64_t view_of(const char *rest)
{
	static const char top[] = "/.txfs/tx/";
	unsigned long long id;
	char *end;

	if (strncmp(rest, top, sizeof(top) - 1))
		return 0;
	rest += sizeof(top) - 1;
	if (*rest < '1' || *rest > '9')
		return 0;
	errno = 0;
	id = strtoull(rest, &end, 10);
	return errno || (*end && *end != '/') ? 0 : id;
}

/* How well @path fits: length of the matching top, doubled, and one more for a mount
 * point, which goes before a base of the same length; 0: not at all. */
static size_t fits(struct txfs_workspace *w, const char *path)
{
	const char *rest = path_below(path, w->mnt);
	size_t mnt = rest ? 2 * strlen(w->mnt) + 1 : 0;
	size_t base = path_below(path, w->base) ? 2 * strlen(w->base) : 0;

	w->view = rest && mnt > base ? view_of(rest) : 0;
	return mnt > base ? mnt : base;
}

static bool stale(const struct txfs_workspace *w)
{
	return !w->pid && !mount_at(w->mnt);
}

/* Mount points found in the state directory's own files are no directory entries to trust
 * blindly: names that are not 32 hex digits (half-written files among them) are skipped.
 */
static bool is_entry(const char *name)
{
	return strlen(name) == 32 && strspn(name, "0123456789abcdef") == 32;
}

static int search(const char *dir, const char *path, struct txfs_workspace **out)
{
	auto_dir DIR *d = opendir(dir);
	size_t best = 0;
	struct dirent *e;

	*out = NULL;
	if (!d)
		return -errno;
	while ((e = readdir(d))) {
		auto_free char *file = NULL;
		struct txfs_workspace *w = NULL;
		size_t fit;

		if (!is_entry(e->d_name))
			continue;
		file = mem_printf("%s/%s", dir, e->d_name);
		if (!file || entry_read(file, &w) == -ENOMEM) {
			txfs_workspace_free(*out);
			*out = NULL;
			return -ENOMEM;
		}
		fit = w ? fits(w, path) : 0;
		if (fit > best && stale(w)) {
			unlink(file);
			fit = 0;
		}
		if (fit > best) {
			best = fit;
			txfs_workspace_free(*out);
			*out = w;
		} else {
			txfs_workspace_free(w);
		}
	}
	return *out ? 0 : -ENOENT;
}

int txfs_workspace_find(const char *path, struct txfs_workspace **out)
{
	auto_free char *dir = NULL;
	auto_free char *absolute = NULL;
	auto_free char *real = NULL;
	int err;

	*out = NULL;
	err = state_sub("workspaces", &dir);
	if (!err)
		err = path_absolute(path, &absolute);
	if (!err)
		err = search(dir, absolute, out);
	if (err != -ENOENT || !absolute)
		return err;
	/* By a symbolic link, perhaps. Nothing mounted lies at the path as it is written.
	 */
	real = realpath(absolute, NULL);
	if (!real || !strcmp(real, absolute))
		return -ENOENT;
	return search(dir, real, out);
}
