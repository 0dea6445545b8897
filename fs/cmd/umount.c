/*
 * umount.c: the verb umount: sync, unmount, wait until the daemon is gone.
 *
 * A dead mount is taken away at once, since nobody answers there. Nothing of a
 * transaction is lost in either case: what the store has is there at the next mount.
 */
#include "fs/cmd/cmd.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common/cleanup.h"
#include "common/mem.h"

extern char **environ;

#define WAIT_MS 120000
#define SHOW_MAX 5 /* processes named when the mount is busy */

/* --- who is in the way -----------------------------------------------------------------
 */

static bool is_on(const char *path, dev_t dev)
{
	struct stat st;

	return !stat(path, &st) && st.st_dev == dev;
}

static bool uses(const char *pid, dev_t dev)
{
	static const char *const links[] = {"cwd", "root", "exe"};
	auto_free char *fds = mem_printf("/proc/%s/fd", pid);
	auto_dir DIR *d = NULL;
	struct dirent *e;

	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++) {
		auto_free char *path = mem_printf("/proc/%s/%s", pid, links[i]);

		if (path && is_on(path, dev))
			return true;
	}
	d = fds ? opendir(fds) : NULL;
	while (d && (e = readdir(d))) {
		auto_free char *path = mem_printf("%s/%s", fds, e->d_name);

		if (path && *e->d_name != '.' && is_on(path, dev))
			return true;
	}
	return false;
}

static void name_of(const char *pid, char *name, size_t size)
{
	auto_free char *path = mem_printf("/proc/%s/comm", pid);
	auto_file FILE *f = path ? fopen(path, "re") : NULL;

	if (!f || !fgets(name, (int)size, f))
		snprintf(name, size, "?");
	name[strcspn(name, "\n")] = 0;
}

static int busy(const char *mnt)
{
	auto_dir DIR *d = opendir("/proc");
	auto_free char *who = mem_strdup("");
	struct dirent *e;
	struct stat st;
	int shown = 0;

	while (d && who && !stat(mnt, &st) && shown < SHOW_MAX && (e = readdir(d))) {
		char name[32], *more;

		if (*e->d_name < '1' || *e->d_name > '9' || !uses(e->d_name, st.st_dev))
			continue;
		name_of(e->d_name, name, sizeof(name));
		more = mem_printf(
			"%s%s%s (%s)", who, shown++ ? ", " : "", e->d_name, name);
		free(who);
		who = more;
	}
	if (shown)
		cmd_error("'%s' is busy: in use by %s; end these, or leave the "
			  "directory, and "
			  "try again",
			mnt, who ? who : "others");
	else
		cmd_error("'%s' is busy: a process has a file or directory there in use; "
			  "look "
			  "for it with: fuser -vm '%s'",
			mnt, mnt);
	return CMD_FAILED;
}

/* --- taking the mount away -------------------------------------------------------------
 */

/* What fusermount3 says about a busy mount is said better by us; the rest it says itself.
 */
static int why_not(int errfd)
{
	char text[512];
	ssize_t n = pread(errfd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = 0;
	text[strcspn(text, "\n")] = 0;
	if (strstr(text, strerror(EBUSY)))
		return -EBUSY;
	if (*text)
		cmd_error("%s", text);
	return -EPERM;
}

static int spawn_wait(char *const argv[], int errfd, int *status)
{
	posix_spawn_file_actions_t fa;
	pid_t pid;
	int err;

	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, errfd, 2);
	err = posix_spawnp(&pid, argv[0], &fa, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&fa);
	if (err)
		return -err;
	while (waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

static int fusermount(const char *mnt, bool detach)
{
	char *const argv[] = {
		"fusermount3", detach ? "-uz" : "-u", "--", (char *)mnt, NULL};
	auto_close int errfd = memfd_create("fusermount3", MFD_CLOEXEC);
	int status = 0, err;

	if (errfd < 0)
		return -errno;
	err = spawn_wait(argv, errfd, &status);
	if (err == -ENOENT)
		cmd_error(
			"fusermount3 is not installed; without it only root can unmount");
	if (err)
		return err;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : why_not(errfd);
}

static int take_away(const char *mnt, bool detach)
{
	if (!umount2(mnt, UMOUNT_NOFOLLOW | (detach ? MNT_DETACH : 0)))
		return 0;
	if (errno != EPERM)
		return -errno;
	return fusermount(mnt, detach);
}

/* 0 when the process is gone; -ETIMEDOUT. */
static int wait_gone(int pid)
{
	auto_close int fd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int n;

	if (fd < 0)
		return 0;
	do
		n = poll(&p, 1, WAIT_MS);
	while (n < 0 && errno == EINTR);
	return n == 0 ? -ETIMEDOUT : 0;
}

/* Directories made for mounts below the state directory are of no use afterwards. */
static void forget(const struct txfs_workspace *w)
{
	auto_free char *state = NULL;

	txfs_workspace_del(w->mnt);
	if (!txfs_state_dir(&state) && !strncmp(w->mnt, state, strlen(state)))
		rmdir(w->mnt);
}

static int finish(const struct txfs_workspace *w, bool detach)
{
	int err = take_away(w->mnt, detach);

	if (err == -EBUSY)
		return busy(w->mnt);
	if (err && err != -EINVAL) { /* EINVAL: nothing is mounted there any more */
		cmd_error("cannot unmount '%s': %s", w->mnt, strerror(-err));
		return err == -EPERM || err == -EACCES ? CMD_DENIED : CMD_FAILED;
	}
	if (wait_gone(w->pid)) {
		cmd_error("'%s' is unmounted, but its daemon (process %d) still writes; "
			  "do not "
			  "mount it again before it ends",
			w->mnt, w->pid);
		return CMD_FAILED;
	}
	forget(w);
	return CMD_DONE;
}

/* --- the verb --------------------------------------------------------------------------
 */

/* Commit what waits. A mount that is dead has nothing to say. */
static int sync_first(
	const struct args *a, const struct txfs_workspace *w, bool *dead, bool *died)
{
	struct txfs *t = NULL;
	int err = txfs_open(w->mnt, &t);

	*dead = err == -ENOTCONN || (err == -ENOENT && !w->pid);
	if (!err)
		err = txfs_sync(t);
	if (err == -ENOTCONN && !*dead) {
		*dead = *died = true;
		cmd_error("the daemon of '%s' ended meanwhile; what was not committed is "
			  "in "
			  "the store: mount again, then look at 'txfs ls'",
			w->mnt);
	}
	if (*dead || !err) {
		err = 0;
	} else {
		cmd_error("%s", txfs_message(t));
		if (a->force)
			err = 0;
		else
			cmd_error("'%s' stays mounted; --force unmounts it, and what was "
				  "not "
				  "committed stays in the store",
				w->mnt);
	}
	txfs_close(t);
	return err ? CMD_FAILED : CMD_DONE;
}

int cmd_umount(const struct args *a)
{
	auto_free char *path = NULL;
	struct txfs_workspace *w = NULL;
	const char *named = a->n ? a->pos[0] : a->dir;
	bool dead = false, died = false;
	int rc, err;

	err = cmd_path(a, a->n ? named : ".", &path);
	if (!err)
		err = txfs_workspace_find(path, &w);
	if (!err && a->n && strcmp(path, w->mnt) && strcmp(path, w->base))
		err = -ENOENT;
	if (err) {
		cmd_error("'%s' is no mounted workspace; see: txfs -C DIR status", named);
		txfs_workspace_free(w);
		return CMD_FAILED;
	}
	rc = sync_first(a, w, &dead, &died);
	if (rc == CMD_DONE)
		rc = finish(w, dead);
	if (rc == CMD_DONE && died)
		rc = CMD_FAILED;
	txfs_workspace_free(w);
	return rc;
}
