/*
 * spawn.c: mounting a directory for the time of a run, by the txfs program.
 */
#include "fs/client/impl.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common/cleanup.h"
#include "common/mem.h"
#include "common/path.h"

extern char **environ;

/* The txfs beside the running program, if there is one; else whatever PATH has. */
static char *program(void)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - sizeof("txfs"));
	char *slash;

	if (n > 0) {
		self[n] = 0;
		slash = strrchr(self, '/');
		if (slash) {
			strcpy(slash + 1, "txfs");
			if (!access(self, X_OK))
				return mem_strdup(self);
		}
	}
	return mem_strdup("txfs");
}

/* Standard error goes to a file in memory: a daemon that keeps it open does not keep us
 * waiting, as it would with a pipe. */
static int spawn(char *const argv[], int errfd, pid_t *pid)
{
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t at;
	sigset_t none, all;
	int err;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&fa);
	posix_spawnattr_init(&at);
	posix_spawnattr_setsigmask(&at, &none);
	posix_spawnattr_setsigdefault(&at, &all);
	posix_spawnattr_setflags(&at, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&fa, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&fa, errfd, 2);
	err = posix_spawnp(pid, argv[0], &fa, &at, argv, environ);
	posix_spawnattr_destroy(&at);
	posix_spawn_file_actions_destroy(&fa);
	return -err;
}

static void take_message(struct txfs *t, int errfd, const char *verb)
{
	char line[TXFS_MESSAGE_BYTES];
	ssize_t n = pread(errfd, line, sizeof(line) - 1, 0);
	const char *text = line;

	line[n > 0 ? n : 0] = 0;
	line[strcspn(line, "\n")] = 0;
	if (!strncmp(text, "txfs: ", 6))
		text += 6;
	if (*text)
		say(t, 0, "%s", text);
	else
		say(t, 0, "txfs %s failed and gave no reason", verb);
}

/* Run txfs with these arguments and wait. 0; -EIO: it failed, its line is the message. */
static int run_txfs(struct txfs *t, char *const argv[])
{
	auto_close int errfd = memfd_create("txfs-stderr", MFD_CLOEXEC);
	int err, status;
	pid_t pid;

	if (errfd < 0)
		return say(t, -errno, "cannot run txfs: %s", strerror(errno));
	err = spawn(argv, errfd, &pid);
	if (err)
		return say(t, err,
			"cannot run '%s': %s; install it beside this program or in PATH",
			argv[0], strerror(-err));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return say(
				t, -errno, "cannot wait for txfs: %s", strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	take_message(t, errfd, argv[1]);
	return -EIO;
}

/* STATE/mnt/HASH for the base, made. */
static int own_mount_point(const char *base, char **out)
{
	auto_free char *dir = NULL;
	char hash[33];
	int err = state_sub("mnt", &dir);

	*out = NULL;
	if (err)
		return err;
	path_hash(base, hash);
	*out = mem_printf("%s/%s", dir, hash);
	if (!*out)
		return -ENOMEM;
	/* a dead mount there answers ENOTCONN, and is taken over */
	return mkdir(*out, 0700) && errno != EEXIST && errno != ENOTCONN ? -errno : 0;
}

static int mount_new(struct txfs *t, const char *dir)
{
	auto_free char *base = realpath(dir, NULL);
	auto_free char *mnt = NULL;
	auto_free char *txfs = program();
	int err;

	if (!base)
		return say(t, -errno, "cannot mount '%s': %s", dir, strerror(errno));
	err = txfs ? own_mount_point(base, &mnt) : -ENOMEM;
	if (err)
		return say(t, err,
			"cannot make a mount point for '%s' in the state directory: %s",
			dir, strerror(-err));
	return run_txfs(t, (char *[]){txfs, "mount", "--", base, mnt, NULL});
}

static int mount_again(struct txfs *t)
{
	auto_free char *txfs = program();
	struct txfs_workspace *w = t->w;

	if (!txfs)
		return say(t, -ENOMEM, "out of memory");
	return run_txfs(t, (char *[]){txfs, "mount", "--store", w->store, "--", w->base,
				   w->mnt, NULL});
}

/* Whoever mounts or unmounts for a run does it alone: STATE/mnt/lock, until closed. */
static int own_mounts_lock(void)
{
	auto_free char *dir = NULL;
	auto_free char *path = NULL;
	int err = state_sub("mnt", &dir), fd;

	if (err)
		return err;
	path = mem_printf("%s/lock", dir);
	if (!path)
		return -ENOMEM;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0 && flock(fd, LOCK_EX) < 0) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd < 0 ? -errno : fd;
}

int txfs_open_or_mount(const char *dir, struct txfs **out, bool *mounted)
{
	int err = txfs_open(dir, out);
	auto_close int lock = -1;

	*mounted = false;
	if (!*out || (err != -ENOENT && err != -ENOTCONN))
		return err;
	lock = own_mounts_lock();
	if (lock < 0)
		return say(*out, lock, "cannot lock the state directory: %s",
			strerror(-lock));
	/* somebody else may have been quicker with the same directory */
	txfs_close(*out);
	err = txfs_open(dir, out);
	if (!*out || (err != -ENOENT && err != -ENOTCONN))
		return err;
	err = (*out)->w ? mount_again(*out) : mount_new(*out, dir);
	if (err)
		return err;
	txfs_close(*out);
	err = txfs_open(dir, out);
	*mounted = !err;
	return err;
}

static bool is_own_mount(const char *mnt)
{
	auto_free char *dir = NULL;

	return !state_sub("mnt", &dir) && path_below(mnt, dir);
}

int txfs_unmount_idle(struct txfs *t)
{
	auto_free struct txfs_ioc_status *s = mem_alloc(sizeof(*s));
	auto_free char *txfs = program();
	auto_free char *mnt = mem_strdup(txfs_mnt(t));
	int err = s && txfs && mnt ? txfs_status(t, s) : -ENOMEM;
	struct txfs scratch = {.fd = -1};
	auto_close int lock = own_mounts_lock();

	if (!err && lock < 0)
		err = lock;
	if (!err && (s->open_id || s->privates || !is_own_mount(mnt)))
		err = -EBUSY;
	txfs_close(t);
	if (err)
		return err;
	err = run_txfs(&scratch, (char *[]){txfs, "umount", "--", mnt, NULL});
	free(scratch.message);
	return err ? -EBUSY : 0;
}
