/*
 * work.c: small pieces of work for benchmarks, timed inside: prints nanoseconds.
 *
 *	create DIR N BYTES [sync]	N new files d/f in DIR (100 a directory); sync:
 *fsync stat DIR N · read DIR N		what create made: stat(2); open, read, close write
 *FILE BYTES [sync]		in pieces of 1 MiB
 *	readall FILE			in pieces of 1 MiB
 *	random FILE N [sync]		N writes of 4 KiB at random places
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char buf[1 << 20];

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void sync_path(const char *path)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0 || fsync(fd) < 0)
		die(path);
	close(fd);
}

static void name_of(char *path, size_t size, const char *dir, int i)
{
	snprintf(path, size, "%s/d%d/f%d", dir, i / 100, i % 100);
}

static void create(const char *dir, int n, size_t bytes, int sync)
{
	char path[4096];

	for (int i = 0; i < n; i++) {
		int fd;

		if (i % 100 == 0) {
			snprintf(path, sizeof(path), "%s/d%d", dir, i / 100);
			if (mkdir(path, 0755) < 0)
				die(path);
		}
		name_of(path, sizeof(path), dir, i);
		fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0644);
		if (fd < 0 || write(fd, buf, bytes) != (ssize_t)bytes)
			die(path);
		if (sync && i == n - 1 && fsync(fd) < 0)
			die(path);
		close(fd);
	}
	if (sync)
		sync_path(dir);
}

static void look(const char *dir, int n, int reading)
{
	char path[4096];
	struct stat st;

	for (int i = 0; i < n; i++) {
		name_of(path, sizeof(path), dir, i);
		if (reading) {
			int fd = open(path, O_RDONLY);

			if (fd < 0 || read(fd, buf, sizeof(buf)) < 0)
				die(path);
			close(fd);
		} else if (stat(path, &st) < 0) {
			die(path);
		}
	}
}

static void stream(const char *path, long long bytes, int writing, int sync)
{
	int fd = open(path, writing ? O_CREAT | O_WRONLY | O_TRUNC : O_RDONLY, 0644);
	ssize_t n = 1;

	if (fd < 0)
		die(path);
	while (n > 0 && bytes > 0) {
		n = writing ? write(fd, buf, sizeof(buf)) : read(fd, buf, sizeof(buf));
		if (n < 0)
			die(path);
		bytes -= n;
	}
	if (sync && fsync(fd) < 0)
		die(path);
	close(fd);
}

static void scattered(const char *path, int n, int sync)
{
	int fd = open(path, O_RDWR);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		die(path);
	srandom(1);
	for (int i = 0; i < n; i++)
		if (pwrite(fd, buf, 4096, random() % (st.st_size / 4096) * 4096) != 4096)
			die(path);
	if (sync && fsync(fd) < 0)
		die(path);
	close(fd);
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "", *path = argc > 2 ? argv[2] : "";
	int n = argc > 3 ? atoi(argv[3]) : 0;
	int sync = argc > 3 && !strcmp(argv[argc - 1], "sync");
	struct timespec a, b;

	memset(buf, 'x', sizeof(buf));
	clock_gettime(CLOCK_MONOTONIC, &a);
	if (!strcmp(what, "create"))
		create(path, n, argc > 4 ? (size_t)atoi(argv[4]) : 0, sync);
	else if (!strcmp(what, "stat") || !strcmp(what, "read"))
		look(path, n, *what == 'r');
	else if (!strcmp(what, "write"))
		stream(path, n, 1, sync);
	else if (!strcmp(what, "readall"))
		stream(path, 1LL << 60, 0, 0);
	else if (!strcmp(what, "random"))
		scattered(path, n, sync);
	else
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("%lld\n", (b.tv_sec - a.tv_sec) * 1000000000LL + b.tv_nsec - a.tv_nsec);
	return 0;
}
