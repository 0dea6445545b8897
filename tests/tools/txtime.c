/*
 * txtime.c DIR RUNS FILES: times of the transaction calls on the workspace of DIR, in
 * nanoseconds, one line a call: name and RUNS numbers. Each run begins a private
 * transaction, makes a savepoint, changes FILES files below its view (t/0 ...), makes a
 * second one, rolls back to the first, changes them again, and aborts; another one
 * commits the same changes, and a third commits nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "txfs/client.h"

enum call {
	BEGIN,
	SAVEPOINT,
	SAVEPOINT_2,
	ROLLBACK,
	ABORT,
	COMMIT,
	COMMIT_NOTHING,
	CALLS
};

static const char *const names[CALLS] = {"begin", "savepoint", "savepoint_dirty",
	"rollback", "abort", "commit", "commit_nothing"};

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void die(const char *what, int err, struct txfs *t)
{
	fprintf(stderr, "txtime: %s: %s %s\n", what, strerror(-err),
		t ? txfs_message(t) : "");
	exit(1);
}

static void change(const char *view, int files, int run)
{
	char path[4500], text[1024];

	memset(text, 'a' + run % 26, sizeof(text));
	snprintf(path, sizeof(path), "%s/t", view);
	mkdir(path, 0755);
	for (int i = 0; i < files; i++) {
		int fd;

		snprintf(path, sizeof(path), "%s/t/%d", view, i);
		fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0644);
		if (fd < 0 || write(fd, text, sizeof(text)) != (ssize_t)sizeof(text))
			die(path, -errno, NULL);
		close(fd);
	}
}

#define TIMED(call, expr)                           \
	do {                                        \
		long long began = now_ns();         \
		int err = (expr);                   \
		took[call][run] = now_ns() - began; \
		if (err)                            \
			die(names[call], err, t);   \
	} while (0)

int main(int argc, char **argv)
{
	int runs = argc > 3 ? atoi(argv[2]) : 0, files = argc > 3 ? atoi(argv[3]) : 0;
	long long *took[CALLS];
	struct txfs_begun b;
	struct txfs *t = NULL;
	int r;

	if (runs < 1 || runs > 10000) {
		fprintf(stderr, "usage: txtime DIR RUNS FILES\n");
		return 2;
	}
	r = txfs_open(argv[1], &t);
	if (r)
		die(argv[1], r, t);
	for (int i = 0; i < CALLS; i++) {
		took[i] = calloc((size_t)runs, sizeof(**took));
		if (!took[i])
			die("memory", -ENOMEM, NULL);
	}
	for (int run = 0; run < runs; run++) {
		TIMED(BEGIN, txfs_begin(t, TXFS_BEGIN_PRIVATE, NULL, &b));
		TIMED(SAVEPOINT, txfs_savepoint(t, b.id, "a"));
		change(b.view, files, run);
		TIMED(SAVEPOINT_2, txfs_savepoint(t, b.id, "b"));
		change(b.view, files, run + 1);
		TIMED(ROLLBACK, txfs_rollback(t, b.id, "a"));
		change(b.view, files, run + 2);
		TIMED(ABORT, txfs_abort(t, b.id, NULL));
		r = txfs_begin(t, TXFS_BEGIN_PRIVATE, NULL, &b);
		if (r)
			die("begin", r, t);
		change(b.view, files, run);
		TIMED(COMMIT, txfs_commit(t, b.id, 0, NULL));
		r = txfs_begin(t, TXFS_BEGIN_PRIVATE, NULL, &b);
		if (r)
			die("begin", r, t);
		TIMED(COMMIT_NOTHING, txfs_commit(t, b.id, 0, NULL));
	}
	for (int i = 0; i < CALLS; i++) {
		printf("%s", names[i]);
		for (int run = 0; run < runs; run++)
			printf(" %lld", took[i][run]);
		puts("");
		free(took[i]);
	}
	txfs_close(t);
	return 0;
}
