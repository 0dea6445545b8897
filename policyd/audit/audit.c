/*
 * audit.c: one event to one line, and the chain. The JSON is written by hand: a line is
 * part of every answer's time.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "common/cleanup.h"
#include "common/escape.h"
#include "policyd/audit/audit.h"
#include "policyd/audit/chain.h"
#include "policyd/audit/writer.h"
#include "txfs/policy.h"

enum {
	FLUSH_MS = 20,
	MAX_FIELD = 1024,
	MAX_COMMAND = 4096,
	MAX_TEXTS = AUDIT_MAX_LINE - 2048
};

struct audit {
	struct writer *w;
	unsigned long n, lost, failures, bytes;
	char head[AUDIT_HASH];
	time_t second; /* of the text below: made once a second */
	char text[24];
};

/** A line in the making. Texts that would not fit are left out, so that its frame does.
 */
struct line {
	char s[AUDIT_MAX_LINE];
	size_t n;
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

int audit_make_dir(char *path, size_t size)
{
	int e = policy_state_dir(path, size);

	return e ? e : make_dirs(path);
}

int audit_open_with(
	struct audit **out, size_t file_bytes, size_t keep, size_t queue_bytes)
{
	auto_free struct audit *a = calloc(1, sizeof(*a));
	struct writer_start start;
	char path[PATH_MAX];
	int e;

	*out = NULL;
	if (!a)
		return -ENOMEM;
	if ((e = audit_make_dir(path, sizeof(path))) ||
		(e = writer_open(&a->w, path, file_bytes, keep, queue_bytes, &start)))
		return e;
	a->n = start.number;
	memcpy(a->head, start.head, sizeof(a->head));
	*out = steal(&a);
	return 0;
}

int audit_open(struct audit **out)
{
	return audit_open_with(out, AUDIT_FILE_BYTES, AUDIT_KEEP, AUDIT_QUEUE_BYTES);
}

void audit_close(struct audit *a)
{
	if (!a)
		return;
	writer_close(a->w);
	free(a);
}

void audit_flush(struct audit *a)
{
	if (a)
		writer_flush(a->w, FLUSH_MS);
}

void audit_seal(struct audit *a)
{
	if (a)
		writer_seal(a->w);
}

unsigned long audit_failures(const struct audit *a)
{
	return a ? a->failures + writer_failures(a->w) : 0;
}

unsigned long audit_bytes(const struct audit *a)
{
	return a ? a->bytes : 0;
}

unsigned long audit_number(const struct audit *a)
{
	return a ? a->n : 0;
}

const char *audit_head(const struct audit *a)
{
	return a ? a->head : "";
}

static void put(struct line *l, const char *s, size_t n)
{
	if (l->n + n > sizeof(l->s))
		return;
	memcpy(l->s + l->n, s, n);
	l->n += n;
}

static void puts_(struct line *l, const char *s)
{
	put(l, s, strlen(s));
}

/* The inside of a JSON string: controls, quotes and what is not UTF-8 are escaped. */
static void put_text(struct line *l, const char *s)
{
	size_t plain = 0;

	while (s[plain] >= 0x20 && s[plain] < 0x7f && s[plain] != '"' && s[plain] != '\\')
		plain++;
	if (l->n + plain > MAX_TEXTS)
		return;
	put(l, s, plain);
	if (s[plain]) {
		auto_free char *rest = escape_json(s + plain, strlen(s + plain));

		if (rest && l->n + strlen(rest) <= MAX_TEXTS)
			puts_(l, rest);
		else
			puts_(l, "...");
	}
}

static void add_cut(struct line *l, const char *key, const char *s, size_t size)
{
	char masked[MAX_COMMAND];

	if (!s || !*s)
		return;
	audit_mask(s, masked, size);
	put(l, ",\"", 2);
	puts_(l, key);
	put(l, "\":\"", 3);
	put_text(l, masked);
	put(l, "\"", 1);
}

static void add(struct line *l, const char *key, const char *s)
{
	add_cut(l, key, s, MAX_FIELD);
}

static void add_number(struct line *l, const char *key, unsigned long n)
{
	char buf[64];

	put(l, buf, (size_t)snprintf(buf, sizeof(buf), ",\"%s\":%lu", key, n));
}

static void add_time(struct audit *a, struct line *l)
{
	struct timespec t;
	char buf[64];

	clock_gettime(CLOCK_REALTIME, &t);
	if (t.tv_sec != a->second) {
		struct tm tm;

		gmtime_r(&t.tv_sec, &tm);
		strftime(a->text, sizeof(a->text), "%Y-%m-%dT%H:%M:%S", &tm);
		a->second = t.tv_sec;
	}
	put(l, buf,
		(size_t)snprintf(buf, sizeof(buf), ",\"time\":\"%s.%03ldZ\"", a->text,
			t.tv_nsec / 1000000));
}

static void begin(struct audit *a, struct line *l, const char *op)
{
	char buf[32];

	l->n = 0;
	put(l, buf, (size_t)snprintf(buf, sizeof(buf), "{\"n\":%lu", a->n + 1));
	add_time(a, l);
	add(l, "op", op);
}

/* Close the line and hand it over; only then does the chain move on. */
static int end(struct audit *a, struct line *l)
{
	char hash[AUDIT_HASH];

	puts_(l, ",\"prev\":\"");
	puts_(l, a->head);
	put(l, "\"", 1);
	chain_hash(l->s, l->n, hash);
	puts_(l, ",\"hash\":\"");
	puts_(l, hash);
	put(l, "\"}\n", 3);
	if (!writer_room(a->w, l->n))
		return -ENOBUFS;
	writer_put(a->w, l->s, l->n);
	a->n++;
	a->bytes += l->n;
	memcpy(a->head, hash, sizeof(hash));
	return 0;
}

static int tell_lost(struct audit *a, struct line *l)
{
	begin(a, l, "lost");
	add_number(l, "count", a->lost);
	if (end(a, l))
		return -ENOBUFS;
	a->lost = 0;
	return 0;
}

int audit_write(struct audit *a, const struct audit_event *ev)
{
	struct line l;

	if (!a)
		return -EBADF;
	if (a->lost && tell_lost(a, &l))
		goto lost;
	begin(a, &l, ev->op);
	add_number(&l, "uid", ev->uid);
	add_number(&l, "pid", (unsigned long)ev->pid);
	add(&l, "tx", ev->tx);
	add(&l, "agent", ev->agent);
	add(&l, "event", ev->event);
	add(&l, "vets", ev->vets);
	add(&l, "workspace", ev->workspace);
	add(&l, "cwd", ev->cwd);
	add_cut(&l, "command", ev->command, MAX_COMMAND);
	add(&l, "decision", ev->decision);
	add(&l, "rule", ev->rule);
	add(&l, "class", ev->class_);
	add_number(&l, "us", ev->us);
	if (!end(a, &l))
		return 0;
lost:
	a->lost++;
	a->failures++;
	return -ENOBUFS;
}
