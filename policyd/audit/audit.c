/*
 * audit.c: writing and checking the chain of lines.
 *
 * A line is one write(2) of one buffer to a descriptor opened with O_APPEND; a torn
 * line (disk full) is closed with a newline before the next, and shows in the chain.
 */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "policyd/audit/audit.h"
#include "policyd/audit/sha256.h"
#include "txfs/policy.h"
#include "txfs/shell.h"

enum { MAX_COMMAND = 4096, MAX_LINE = 16 * 1024 };

struct audit {
	int fd;
	unsigned long n, failures;
	bool torn, complained;
	char head[65];
};

static int make_dirs(char *path)
{
	for (char *p = path + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(path, 0700) && errno != EEXIST) {
			*p = '/';
			return -errno;
		}
		*p = '/';
	}
	return mkdir(path, 0700) && errno != EEXIST ? -errno : 0;
}

static void hash_of(const char *s, size_t n, char out[65])
{
	struct sha256 c;

	sha256_init(&c);
	sha256_add(&c, s, n);
	sha256_hex(&c, out);
}

/* The "hash" that a line ends with, if it has the right form. */
static bool line_hash(const char *line, size_t len, char out[65])
{
	static const char mark[] = ",\"hash\":\"";
	size_t tail = sizeof(mark) - 1 + 64 + 2;

	if (len < tail || memcmp(line + len - tail, mark, sizeof(mark) - 1))
		return false;
	memcpy(out, line + len - 66, 64);
	out[64] = '\0';
	return true;
}

/* Take up the chain: the last line's hash, and its number. */
static int take_up(struct audit *a)
{
	off_t size = lseek(a->fd, 0, SEEK_END),
	      from = size > MAX_LINE ? size - MAX_LINE : 0;
	auto_free char *buf = malloc(MAX_LINE + 1);
	char *line, *end;
	ssize_t n;

	memset(a->head, '0', 64);
	if (!buf)
		return -ENOMEM;
	if (size <= 0)
		return 0;
	n = pread(a->fd, buf, MAX_LINE, from);
	if (n <= 0)
		return n < 0 ? -errno : 0;
	buf[n] = '\0';
	a->torn = buf[n - 1] != '\n';
	end = a->torn ? strrchr(buf, '\n') : buf + n - 1;
	if (!end)
		return 0;
	*end = '\0';
	line = strrchr(buf, '\n');
	line = line ? line + 1 : buf;
	if (!line_hash(line, (size_t)(end - line), a->head))
		memset(a->head, '0', 64);
	if (!strncmp(line, "{\"n\":", 5))
		a->n = strtoul(line + 5, NULL, 10);
	return 0;
}

int audit_open(struct audit **out)
{
	char path[PATH_MAX];
	auto_free struct audit *a = calloc(1, sizeof(*a));
	int e;

	*out = NULL;
	if (!a)
		return -ENOMEM;
	if ((e = policy_state_dir(path, sizeof(path) - 16)) || (e = make_dirs(path)))
		return e;
	strcat(path, "/audit.jsonl");
	a->fd = open(path,
		O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (a->fd < 0)
		return -errno;
	e = fchmod(a->fd, 0600) ? -errno : take_up(a);
	if (e) {
		close(a->fd);
		return e;
	}
	*out = steal(&a);
	return 0;
}

void audit_close(struct audit *a)
{
	if (!a)
		return;
	close(a->fd);
	free(a);
}

unsigned long audit_failures(const struct audit *a)
{
	return a ? a->failures : 0;
}

const char *audit_head(const struct audit *a)
{
	return a ? a->head : "";
}

static void now(char *out, size_t size)
{
	struct timespec t;
	struct tm tm;
	size_t n;

	clock_gettime(CLOCK_REALTIME, &t);
	gmtime_r(&t.tv_sec, &tm);
	n = strftime(out, size, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(out + n, size - n, ".%03ldZ", t.tv_nsec / 1000000);
}

static void add(struct json_object *o, const char *key, const char *s)
{
	char masked[MAX_COMMAND];

	if (!s)
		return;
	audit_mask(s, masked, sizeof(masked));
	json_object_object_add(o, key, json_object_new_string(masked));
}

/* The line up to its hash, closing brace left out; malloc'ed. */
static char *render(const struct audit *a, const struct audit_event *ev)
{
	struct json_object *o = json_object_new_object();
	char time[40];
	const char *s;
	char *line;

	now(time, sizeof(time));
	json_object_object_add(o, "n", json_object_new_int64((int64_t)a->n + 1));
	json_object_object_add(o, "time", json_object_new_string(time));
	add(o, "op", ev->op);
	json_object_object_add(o, "uid", json_object_new_int64(ev->uid));
	json_object_object_add(o, "pid", json_object_new_int64(ev->pid));
	add(o, "tx", ev->tx);
	add(o, "agent", ev->agent);
	add(o, "cwd", ev->cwd);
	add(o, "command", ev->command);
	add(o, "decision", ev->decision);
	add(o, "rule", ev->rule);
	add(o, "class", ev->class_);
	json_object_object_add(o, "us", json_object_new_int64((int64_t)ev->us));
	json_object_object_add(o, "prev", json_object_new_string(a->head));
	s = json_object_to_json_string_ext(
		o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
	line = s ? malloc(strlen(s) + 80) : NULL;
	if (line) {
		strcpy(line, s);
		line[strlen(line) - 1] = '\0';
	}
	json_object_put(o);
	return line;
}

static int failed(struct audit *a, int e)
{
	a->failures++;
	if (!a->complained)
		fprintf(stderr, "policyd: cannot write the audit log: %s\n",
			strerror(-e));
	a->complained = true;
	return e;
}

int audit_write(struct audit *a, const struct audit_event *ev)
{
	auto_free char *line = NULL;
	char hash[65];
	size_t len;
	ssize_t n;

	if (!a)
		return -EBADF;
	line = render(a, ev);
	if (!line)
		return failed(a, -ENOMEM);
	hash_of(line, strlen(line), hash);
	len = strlen(line);
	len += (size_t)sprintf(line + len, ",\"hash\":\"%s\"}\n", hash);
	if (a->torn && write(a->fd, "\n", 1) != 1)
		return failed(a, -errno);
	n = write(a->fd, line, len);
	a->torn = n > 0 && (size_t)n < len;
	if (n < 0 || (size_t)n < len)
		return failed(a, n < 0 ? -errno : -ENOSPC);
	a->complained = false;
	a->n++;
	memcpy(a->head, hash, sizeof(hash));
	return 0;
}

int audit_verify(const char *path, unsigned long *line_no)
{
	auto_file FILE *f = fopen(path, "re");
	auto_free char *line = NULL;
	char prev[65], hash[65], said[65], want[80];
	size_t cap = 0;
	ssize_t n;

	*line_no = 0;
	if (!f)
		return -errno;
	memset(prev, '0', 64);
	prev[64] = '\0';
	while ((n = getline(&line, &cap, f)) > 0) {
		++*line_no;
		if (line[n - 1] != '\n' || !line_hash(line, (size_t)n - 1, said))
			return -EBADMSG;
		hash_of(line, (size_t)n - 1 - 75, hash);
		snprintf(want, sizeof(want), "\"prev\":\"%s\"", prev);
		if (strcmp(hash, said) || !strstr(line, want))
			return -EBADMSG;
		memcpy(prev, hash, sizeof(prev));
	}
	return 0;
}
