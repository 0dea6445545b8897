/*
 * polload.c: load on a policy daemon, and how long each answer takes.
 *
 *	polload SOCKET warm COUNT [FILE]		one connection, one question after
 *the other polload SOCKET many CONNS RATE SECONDS [FILE]	questions at a fixed rate
 *over CONNS connections polload SOCKET start COUNT PROGRAM ARG...	COUNT runs of a
 *program, its input FILE of fd 0
 *
 * FILE has one command a line. Latency with a fixed rate counts from the moment that a
 * question was due, so that a server that stalls cannot hide it. Prints one JSON object:
 * count, p50, p90, p99, max in microseconds, and how many answers had which decision.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_LINES = 20000, MAX_CONNS = 8192 };

static char *commands[MAX_LINES];
static size_t n_commands;
static double *took;
static size_t n_took, cap_took;
static unsigned long decided[5]; /* allow tx ask deny other */

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(1);
}

static void note(double us)
{
	if (n_took == cap_took) {
		cap_took = cap_took ? cap_took * 2 : 4096;
		took = realloc(took, cap_took * sizeof(*took));
		if (!took)
			die("realloc");
	}
	took[n_took++] = us;
}

static void note_decision(const char *answer)
{
	static const char *const names[] = {"allow", "tx", "ask", "deny"};
	const char *d = strstr(answer, "\"decision\":\"");

	for (int i = 0; d && i < 4; i++)
		if (!strncmp(d + 12, names[i], strlen(names[i]))) {
			decided[i]++;
			return;
		}
	decided[4]++;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double at(double share)
{
	return n_took ? took[(size_t)(share * (double)(n_took - 1))] : -1;
}

static void report(void)
{
	qsort(took, n_took, sizeof(*took), by_size);
	printf("{\"count\":%zu,\"p50\":%.1f,\"p90\":%.1f,\"p99\":%.1f,\"max\":%.1f,"
	       "\"allow\":%lu,\"tx\":%lu,\"ask\":%lu,\"deny\":%lu,\"other\":%lu}\n",
		n_took, at(.5), at(.9), at(.99), at(1), decided[0], decided[1],
		decided[2], decided[3], decided[4]);
}

static void load_commands(const char *path)
{
	static char *usual[] = {(char *)"ls -la", (char *)"git status --short",
		(char *)"make -j4 2>&1 | tail -20", (char *)"grep -rn TODO src | head",
		(char *)"rm -rf build && cmake -B build", (char *)"cat README.md",
		(char *)"sed -n 1,80p src/main.c", (char *)"git diff HEAD~1 -- src"};
	FILE *f = path ? fopen(path, "re") : NULL;
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	if (path && !f)
		die(path);
	while (f && n_commands < MAX_LINES && (n = getline(&line, &cap, f)) > 0) {
		if (line[n - 1] == '\n')
			line[n - 1] = 0;
		commands[n_commands++] = strdup(line);
	}
	free(line);
	if (f)
		fclose(f);
	for (size_t i = 0; !n_commands && i < sizeof(usual) / sizeof(*usual); i++)
		commands[i] = usual[i];
	if (!n_commands)
		n_commands = sizeof(usual) / sizeof(*usual);
}

static size_t question(size_t i, char *buf, size_t size)
{
	size_t n = (size_t)snprintf(buf, size,
		"{\"v\":1,\"id\":%zu,\"op\":\"check\",\"cwd\":\"/workspace\","
		"\"workspace\":\"/workspace\",\"home\":\"/home/u\",\"command\":\"",
		i);

	for (const char *p = commands[i % n_commands]; *p && n + 16 < size; p++) {
		unsigned char c = (unsigned char)*p;

		if (c == '"' || c == '\\')
			n += (size_t)snprintf(buf + n, size - n, "\\%c", c);
		else if (c < 0x20)
			n += (size_t)snprintf(buf + n, size - n, "\\u%04x", c);
		else
			buf[n++] = (char)c;
	}
	memcpy(buf + n, "\"}\n", 3);
	return n + 3;
}

static int connect_to(const char *path)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(sa.sun_path, sizeof(sa.sun_path), "%s", path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&sa, sizeof(sa)))
		die(path);
	return fd;
}

static void warm(const char *path, size_t count)
{
	static char out[1 << 18], in[1 << 17];
	int fd = connect_to(path);

	for (size_t i = 0; i < count; i++) {
		size_t n = question(i, out, sizeof(out)), have = 0;
		double begun = now_us();

		if (write(fd, out, n) != (ssize_t)n)
			die("write");
		do {
			ssize_t r = read(fd, in + have, sizeof(in) - 1 - have);

			if (r <= 0)
				die("read");
			have += (size_t)r;
		} while (in[have - 1] != '\n');
		in[have] = 0;
		note(now_us() - begun);
		note_decision(in);
	}
}

/** A connection: when its question was due, 0 when none is out. */
struct conn {
	int fd;
	double due;
};

static struct conn conns[MAX_CONNS];

static void take_answer(struct conn *c)
{
	char in[8192];
	ssize_t r = recv(c->fd, in, sizeof(in) - 1, MSG_DONTWAIT);

	if (r < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (r <= 0)
		die("recv");
	in[r] = 0;
	if (in[r - 1] != '\n')
		return;
	note(now_us() - c->due);
	note_decision(in);
	c->due = 0;
}

static void many(const char *path, size_t n, double rate, double seconds)
{
	static char out[1 << 18];
	struct rlimit files = {n + 64, n + 64};
	int ep = epoll_create1(EPOLL_CLOEXEC);
	size_t sent = 0, total = (size_t)(rate * seconds);
	double begun;

	setrlimit(RLIMIT_NOFILE, &files);
	for (size_t i = 0; i < n; i++) {
		struct epoll_event e = {.events = EPOLLIN, .data.ptr = &conns[i]};

		conns[i].fd = connect_to(path);
		epoll_ctl(ep, EPOLL_CTL_ADD, conns[i].fd, &e);
	}
	begun = now_us();
	while (n_took < total) {
		struct epoll_event e[64];
		double due = begun + (double)sent * 1e6 / rate, now = now_us();
		struct conn *c = &conns[sent % n];
		bool can = sent < total && !c->due;
		const struct timespec wait = {
			.tv_nsec = can ? (due > now ? (long)((due - now) * 1000) : 0)
				       : 50000000};
		int got;

		if (can && due <= now) {
			size_t len = question(sent, out, sizeof(out));

			c->due = due;
			if (write(c->fd, out, len) != (ssize_t)len)
				die("write");
			sent++;
		}
		got = epoll_pwait2(ep, e, 64, &wait, NULL);
		for (int i = 0; i < got; i++)
			take_answer(e[i].data.ptr);
		if (now - begun > (seconds + 20) * 1e6) {
			fprintf(stderr, "no answer for 20 s\n");
			exit(1);
		}
	}
}

static void start(size_t count, char **argv)
{
	extern char **environ;

	for (size_t i = 0; i < count; i++) {
		double begun = now_us();
		int status;
		pid_t pid;

		lseek(0, 0, SEEK_SET);
		if (posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ))
			die(argv[0]);
		while (waitpid(pid, &status, 0) < 0)
			;
		note(now_us() - begun);
		decided[WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : 3]++;
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 3 ? argv[2] : "";

	if (!strcmp(mode, "warm")) {
		load_commands(argc > 4 ? argv[4] : NULL);
		warm(argv[1], strtoul(argv[3], NULL, 10));
	} else if (!strcmp(mode, "many") && argc > 5) {
		load_commands(argc > 6 ? argv[6] : NULL);
		many(argv[1], strtoul(argv[3], NULL, 10), atof(argv[4]), atof(argv[5]));
	} else if (!strcmp(mode, "start") && argc > 4) {
		fflush(stdout);
		start(strtoul(argv[3], NULL, 10), argv + 4);
	} else {
		fprintf(stderr, "usage: polload SOCKET warm|many|start ...\n");
		return 2;
	}
	report();
	return 0;
}
