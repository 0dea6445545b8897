/*
 * mounts.c: the file system that a sandboxed command sees.
 *
 * Order matters. What must survive is cloned first as detached mounts (the view, the few
 * devices, a home that lies below a scratch directory). Then everything becomes read-only
 * and without devices in one recursive call, and on top of that come, each covering what
 * was there: /proc of the new pid namespace with its writable system files closed, a
 * small /dev, the scratch directories, the home, the hidden paths, and last the view at
 * the workspace's path, so that nothing can cover it.
 *
 * Nothing is ever uncovered again: commands inside have no right to unmount, and mounts
 * copied into a namespace of theirs are locked by the kernel.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include "agentctl/sandbox/wire.h"
#include "common/cleanup.h"

#define CLOSED (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV)
#define N(a) (sizeof(a) / sizeof((a)[0]))

static const char *const device_names[] = {
	"null", "zero", "full", "random", "urandom", "tty"};
static const char *const scratch_dirs[] = {"/tmp", "/var/tmp", "/dev/shm"};
static const char *const proc_closed[] = {"/proc/sys", "/proc/sysrq-trigger", "/proc/irq",
	"/proc/bus", "/proc/fs", "/proc/scsi", "/proc/acpi"};

/** A build in progress: the detached mounts and where to complain. */
struct build {
	const struct sandbox_spec *spec;
	char *text;
	size_t size;
	int view, home, socket;
	int devices[N(device_names)];
};

__attribute__((format(printf, 2, 3))) static int failed(
	struct build *b, const char *format, ...)
{
	int e = errno;
	size_t used;
	va_list ap;

	va_start(ap, format);
	vsnprintf(b->text, b->size, format, ap);
	va_end(ap);
	used = strlen(b->text);
	snprintf(b->text + used, b->size - used, ": %s", strerror(e));
	return e ? -e : -EIO;
}

static bool below(const char *path, const char *top)
{
	size_t n = strlen(top);

	return strncmp(path, top, n) == 0 && (path[n] == 0 || path[n] == '/');
}

static bool below_scratch(const char *path)
{
	for (size_t i = 0; i < N(scratch_dirs); i++) {
		if (below(path, scratch_dirs[i]) && strcmp(path, scratch_dirs[i]) != 0)
			return true;
	}
	return false;
}

/* The detached copy of a mount tree, or -1 with errno. */
static int clone_at(const char *path, unsigned int flags)
{
	return open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | flags);
}

static int restrict_tree(int fd, uint64_t set)
{
	struct mount_attr a = {.attr_set = set};

	return mount_setattr(fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &a, sizeof a);
}

static int attach(int fd, const char *path)
{
	return move_mount(fd, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH);
}

/* Directories of a path in a scratch directory, as far as they are missing. */
static int make_dirs(const char *path)
{
	char part[PATH_MAX];
	size_t n = strlen(path);

	if (n >= sizeof part)
		return -ENAMETOOLONG;
	for (size_t i = 1; i <= n; i++) {
		if (path[i] != '/' && path[i] != 0)
			continue;
		memcpy(part, path, i);
		part[i] = 0;
		if (mkdir(part, 0755) != 0 && errno != EEXIST && errno != EROFS)
			return -errno;
	}
	return 0;
}

/* A file to mount on. */
static int make_file(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0644);

	if (fd < 0)
		return -1;
	return close(fd);
}

static int clone_devices(struct build *b)
{
	for (size_t i = 0; i < N(device_names); i++) {
		char path[64];

		snprintf(path, sizeof path, "/dev/%s", device_names[i]);
		b->devices[i] = clone_at(path, 0);
		if (b->devices[i] < 0)
			return failed(b, "cannot bind '%s'", path);
	}
	return 0;
}

static int clone_kept(struct build *b)
{
	const struct sandbox_spec *s = b->spec;

	b->view = clone_at(s->view, AT_RECURSIVE);
	if (b->view < 0)
		return failed(b, "cannot bind the view '%s'", s->view);
	if (restrict_tree(b->view, MOUNT_ATTR_NODEV | MOUNT_ATTR_NOSUID) != 0)
		return failed(b, "cannot restrict the view '%s'", s->view);
	b->socket = s->socket ? clone_at(s->socket, 0) : -1;
	if (s->socket && b->socket < 0)
		return failed(b, "cannot bind the socket '%s'", s->socket);
	if (s->home && below_scratch(s->home)) {
		b->home = clone_at(s->home, AT_RECURSIVE);
		if (b->home < 0 && errno != ENOENT)
			return failed(b, "cannot bind the home '%s'", s->home);
		if (b->home >= 0 && restrict_tree(b->home, CLOSED) != 0)
			return failed(b, "cannot close the home '%s'", s->home);
	}
	return clone_devices(b);
}

/* The proc of our pid namespace, mounted before all is closed: the kernel wants a fully
 * visible one to be there when an ordinary user asks for another. */
static int mount_proc(struct build *b)
{
	if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0)
		return failed(b, "cannot mount '/proc'");
	return 0;
}

static int close_all(struct build *b)
{
	struct mount_attr closed = {.attr_set = CLOSED};
	struct mount_attr open = {.attr_clr = MOUNT_ATTR_RDONLY};

	if (mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &closed, sizeof closed) != 0)
		return failed(b, "cannot make '/' read-only");
	if (mount_setattr(AT_FDCWD, "/proc", 0, &open, sizeof open) != 0)
		return failed(b, "cannot open '/proc'");
	for (size_t i = 0; i < N(proc_closed); i++) {
		auto_close int fd = clone_at(proc_closed[i], 0);

		if (fd < 0 && errno == ENOENT)
			continue;
		if (fd < 0 || restrict_tree(fd, CLOSED) != 0 ||
			attach(fd, proc_closed[i]))
			return failed(b, "cannot close '%s'", proc_closed[i]);
	}
	return 0;
}

static int mount_dev(struct build *b)
{
	static const char *const links[][2] = {{"/proc/self/fd", "/dev/fd"},
		{"/proc/self/fd/0", "/dev/stdin"}, {"/proc/self/fd/1", "/dev/stdout"},
		{"/proc/self/fd/2", "/dev/stderr"}, {"pts/ptmx", "/dev/ptmx"}};

	if (mount("txfs-dev", "/dev", "tmpfs", MS_NOSUID | MS_NOEXEC, "mode=755") != 0)
		return failed(b, "cannot mount '/dev'");
	for (size_t i = 0; i < N(device_names); i++) {
		char path[64];

		snprintf(path, sizeof path, "/dev/%s", device_names[i]);
		if (make_file(path) != 0 || attach(b->devices[i], path) != 0)
			return failed(b, "cannot bind '%s'", path);
	}
	for (size_t i = 0; i < N(links); i++) {
		if (symlink(links[i][0], links[i][1]) != 0)
			return failed(b, "cannot make '%s'", links[i][1]);
	}
	if (b->socket >= 0 &&
		(make_file(SANDBOX_SOCKET) != 0 || attach(b->socket, SANDBOX_SOCKET)))
		return failed(b, "cannot show '%s'", SANDBOX_SOCKET);
	if (mkdir("/dev/shm", 0755) != 0 || mkdir("/dev/pts", 0755) != 0)
		return failed(b, "cannot make '/dev/pts'");
	if (mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC,
		    "newinstance,ptmxmode=0666,mode=620") != 0)
		return failed(b, "cannot mount '/dev/pts'");
	return 0;
}

static int mount_scratch(struct build *b)
{
	for (size_t i = 0; i < N(scratch_dirs); i++) {
		struct stat st;

		if (lstat(scratch_dirs[i], &st) != 0 || !S_ISDIR(st.st_mode))
			continue; /* missing, or a link to another of them */
		if (mount("txfs-scratch", scratch_dirs[i], "tmpfs", MS_NOSUID | MS_NODEV,
			    "mode=1777") != 0)
			return failed(b, "cannot mount '%s'", scratch_dirs[i]);
	}
	if (b->home < 0)
		return 0;
	if (make_dirs(b->spec->home) != 0 || attach(b->home, b->spec->home) != 0)
		return failed(b, "cannot show the home '%s'", b->spec->home);
	return 0;
}

static int hide(struct build *b, const char *path)
{
	unsigned long flags = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
	auto_close int null = -1;
	struct stat st;

	if (below(b->spec->workspace, path)) {
		errno = EINVAL;
		return failed(b, "the workspace lies in the hidden path '%s'", path);
	}
	if (lstat(path, &st) != 0) {
		if (errno == ENOENT || errno == ENOTDIR)
			return 0;
		return failed(b, "cannot hide '%s'", path);
	}
	if (S_ISDIR(st.st_mode)) {
		if (mount("txfs-hidden", path, "tmpfs", flags, "size=4k,mode=555") != 0)
			return failed(b, "cannot hide '%s'", path);
		return 0;
	}
	null = clone_at("/dev/null", 0);
	if (null < 0 || attach(null, path) != 0)
		return failed(b, "cannot hide '%s'", path);
	return 0;
}

static int show_view(struct build *b)
{
	const char *ws = b->spec->workspace;

	if (below_scratch(ws) && make_dirs(ws) != 0)
		return failed(b, "cannot make '%s'", ws);
	if (attach(b->view, ws) != 0)
		return failed(b, "cannot show the view at '%s'", ws);
	return 0;
}

static int build_all(struct build *b)
{
	int r;

	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return failed(b, "cannot make mounts private");
	if ((r = clone_kept(b)) != 0)
		return r;
	if ((r = mount_proc(b)) != 0)
		return r;
	if ((r = close_all(b)) != 0)
		return r;
	if ((r = mount_dev(b)) != 0)
		return r;
	if ((r = mount_scratch(b)) != 0)
		return r;
	for (size_t i = 0; i < b->spec->n_hidden; i++) {
		if ((r = hide(b, b->spec->hidden[i])) != 0)
			return r;
	}
	return show_view(b);
}

int mounts_build(const struct sandbox_spec *spec, char *text, size_t size)
{
	struct build b = {.spec = spec,
		.text = text,
		.size = size,
		.view = -1,
		.home = -1,
		.socket = -1};
	int r;

	for (size_t i = 0; i < N(b.devices); i++)
		b.devices[i] = -1;
	r = build_all(&b);
	for (size_t i = 0; i < N(b.devices); i++) {
		if (b.devices[i] >= 0)
			close(b.devices[i]);
	}
	if (b.view >= 0)
		close(b.view);
	if (b.home >= 0)
		close(b.home);
	if (b.socket >= 0)
		close(b.socket);
	return r;
}
