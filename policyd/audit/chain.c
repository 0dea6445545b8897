/*
 * chain.c: reading the record: its files in order, its lines, and whether each answers
 * for the one before.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "policyd/audit/chain.h"
#include "policyd/audit/sha256.h"

static const char mark[] = ",\"hash\":\"";

void chain_hash(const char *s, size_t n, char out[AUDIT_HASH])
{
	static int fast = -1; /* the same answer whoever asks first */
	struct sha256 c;

	if (fast < 0)
		fast = sha256_fast();
	if (fast)
		sha256_init_fast(&c);
	else
		sha256_init(&c);
	sha256_add(&c, s, n);
	sha256_hex(&c, out);
}

size_t chain_body(size_t len)
{
	size_t tail = sizeof(mark) - 1 + 64 + 2;

	return len < tail ? 0 : len - tail;
}

bool chain_line_hash(const char *line, size_t len, char out[AUDIT_HASH])
{
	size_t body = chain_body(len);

	if (!body || memcmp(line + body, mark, sizeof(mark) - 1))
		return false;
	memcpy(out, line + len - 66, 64);
	out[64] = '\0';
	return true;
}

unsigned long chain_line_number(const char *line)
{
	return strncmp(line, "{\"n\":", 5) ? 0 : strtoul(line + 5, NULL, 10);
}

unsigned long chain_old_number(const char *name)
{
	unsigned long n = 0;
	char again[64];

	if (strncmp(name, "audit-", 6))
		return 0;
	n = strtoul(name + 6, NULL, 10);
	snprintf(again, sizeof(again), AUDIT_OLD, n);
	return strcmp(again, name) ? 0 : n;
}

static int by_number(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return x < y ? -1 : x > y;
}

/* The numbers of the full files, in order; *list is the caller's. */
static int old_files(const char *dir, unsigned long **list, size_t *n)
{
	auto_dir DIR *d = opendir(dir);
	struct dirent *e;

	*list = NULL;
	*n = 0;
	if (!d)
		return -errno;
	while ((e = readdir(d))) {
		unsigned long number = chain_old_number(e->d_name), *more;

		if (!number)
			continue;
		more = realloc(*list, (*n + 1) * sizeof(**list));
		if (!more)
			return -ENOMEM;
		*list = more;
		(*list)[(*n)++] = number;
	}
	if (*n)
		qsort(*list, *n, sizeof(**list), by_number);
	return 0;
}

static int walk_file(const char *dir, const char *name,
	int (*each)(void *arg, const struct audit_line *l), void *arg)
{
	auto_free char *path = NULL, *line = NULL;
	auto_file FILE *f = NULL;
	struct audit_line l = {.file = name};
	size_t cap = 0;
	ssize_t n;
	int r;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return -ENOMEM;
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while ((n = getline(&line, &cap, f)) > 0) {
		l.line++;
		l.text = line;
		l.len = (size_t)n;
		if (line[n - 1] == '\n')
			line[--l.len] = '\0';
		if ((r = each(arg, &l)))
			return r;
	}
	return ferror(f) ? -EIO : 0;
}

int audit_walk(
	const char *dir, int (*each)(void *arg, const struct audit_line *l), void *arg)
{
	auto_free unsigned long *old = NULL;
	char name[64];
	size_t n;
	int r = old_files(dir, &old, &n);

	for (size_t i = 0; !r && i < n; i++) {
		snprintf(name, sizeof(name), AUDIT_OLD, old[i]);
		r = walk_file(dir, name, each, arg);
	}
	if (r)
		return r;
	r = walk_file(dir, AUDIT_FILE, each, arg);
	return r == -ENOENT && n ? 0 : r; /* between two files */
}

/** Where a check stands. */
struct check {
	struct audit_found *f;
	const char *want;
	unsigned long n;
};

static int broken(struct check *c, const struct audit_line *l, const char *why)
{
	snprintf(c->f->file, sizeof(c->f->file), "%s", l->file);
	snprintf(c->f->why, sizeof(c->f->why), "%s", why);
	c->f->line = l->line;
	return -EBADMSG;
}

static int check_line(void *arg, const struct audit_line *l)
{
	struct check *c = arg;
	char hash[AUDIT_HASH], said[AUDIT_HASH], want[80];
	unsigned long n = chain_line_number(l->text);

	if (!n || !chain_line_hash(l->text, l->len, said))
		return broken(c, l, "is not a whole line of the record");
	chain_hash(l->text, chain_body(l->len), hash);
	if (strcmp(hash, said))
		return broken(c, l, "was changed: its hash is another");
	snprintf(want, sizeof(want), "\"prev\":\"%s\"", c->f->head);
	if (!c->f->lines && n > 1)
		c->f->first = n; /* what was before is gone, by age */
	else if (!memmem(l->text, l->len, want, strlen(want)) || n != c->n + 1)
		return broken(c, l, "does not follow the line before it");
	if (!c->f->lines && n == 1)
		c->f->first = 1;
	c->n = n;
	c->f->lines++;
	memcpy(c->f->head, said, sizeof(said));
	c->f->has_wanted |= c->want && !strcmp(c->want, said);
	return 0;
}

int audit_verify(const char *dir, const char *want, struct audit_found *f)
{
	struct check c = {.f = f, .want = want};
	int r;

	memset(f, 0, sizeof(*f));
	memset(f->head, '0', AUDIT_HASH - 1);
	r = audit_walk(dir, check_line, &c);
	if (!r && want && !f->has_wanted) {
		struct audit_line end = {.file = AUDIT_FILE};

		return broken(&c, &end, "the wanted head is not in the record");
	}
	return r;
}
