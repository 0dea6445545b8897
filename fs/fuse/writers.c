/*
 * writers.c: who else writes in the workspace? A transaction on the main view takes in
 * everybody's changes, so it is not begun while another session has a file open for
 * writing.
 *
 * Only descriptors are looked at, in /proc/PID/fd and fdinfo: reading a process's memory
 * map or command line would wait for a page fault that this daemon has to answer.
 */
#include "fs/fuse/impl.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "common/path.h"

static FILE *proc_file(const char *pid, const char *what)
{
	char path[600];

	snprintf(path, sizeof(path), "/proc/%s/%s", pid, what);
	return fopen(path, "re");
}

/* Field 6 of stat, after the name in parentheses, which may hold anything. */
static long session_of(const char *pid)
{
	auto_file FILE *f = proc_file(pid, "stat");
	char line[512], *p;
	long session = -1;

	if (!f || !fgets(line, sizeof(line), f))
		return -1;
	p = strrchr(line, ')');
	if (!p || sscanf(p + 1, " %*c %*d %*d %ld", &session) != 1)
		return -1;
	return session;
}

static bool opened_to_write(const char *pid, const char *fd)
{
	char name[300], line[128];
	unsigned int flags = 0;

	snprintf(name, sizeof(name), "fdinfo/%s", fd);
	auto_file FILE *f = proc_file(pid, name);

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "flags: %o", &flags) == 1)
			break;
	return (flags & O_ACCMODE) != O_RDONLY;
}

/* The first file of @pid below @mnt that is open for writing; "" if there is none. */
static void file_of(const char *pid, const char *mnt, char out[4096])
{
	char path[600];
	struct dirent *e;

	*out = 0;
	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	auto_dir DIR *d = opendir(path);

	while (d && (e = readdir(d))) {
		const char *below;
		ssize_t n;

		n = readlinkat(dirfd(d), e->d_name, out, 4095);
		if (n <= 0)
			continue;
		out[n] = 0;
		below = path_below(out, mnt);
		if (below && strncmp(below, ".txfs", 5) &&
			opened_to_write(pid, e->d_name))
			return;
	}
	*out = 0;
}

int writers_find(const char *mnt, long caller, char *msg, size_t size)
{
	char self[32], file[4096];
	long mine;
	struct dirent *e;
	auto_dir DIR *d = opendir("/proc");

	snprintf(self, sizeof(self), "%ld", caller);
	mine = session_of(self);
	while (d && (e = readdir(d))) {
		char comm[32] = "";

		if (!isdigit((unsigned char)e->d_name[0]) ||
			session_of(e->d_name) == mine)
			continue;
		file_of(e->d_name, mnt, file);
		if (!*file)
			continue;
		auto_file FILE *f = proc_file(e->d_name, "comm");

		if (f && fgets(comm, sizeof(comm), f))
			comm[strcspn(comm, "\n")] = 0;
		snprintf(msg, size,
			"process %s (%s) of another session has '%.200s' open for "
			"writing; "
			"end it, use --private, or --force to take its changes in",
			e->d_name, comm, file);
		return -EBUSY;
	}
	return 0;
}
