/*
 * transcript.c: what was said and done in a task. A transcript that cannot be written
 * stops no work: it is told once, and the record of policyd is another thing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "agentctl/loop/loop.h"
#include "agentctl/loop/transcript.h"
#include "common/cleanup.h"
#include "common/escape.h"
#include "common/hash.h"
#include "common/mem.h"
#include "txfs/audit.h"
#include "txfs/client.h"

#define BASE64 "_base64" /* end of keys, see report.h */

struct transcript {
	int fd;	     /* -1 before there is a transaction */
	char *early; /* lines that wait for it */
	size_t n_early, bytes;
	bool broken;
};

struct transcript *transcript_new(void)
{
	struct transcript *t = mem_zalloc(sizeof *t);

	if (t)
		t->fd = -1;
	return t;
}

void transcript_free(struct transcript *t)
{
	if (!t)
		return;
	if (t->fd >= 0)
		close(t->fd);
	free(t->early);
	free(t);
}

/* --- masking --------------------------------------------------------------------------
 */

static json_object *mask_string(json_object *o)
{
	const char *s = json_object_get_string(o);
	size_t size = 3 * strlen(s) + 16;
	auto_free char *out = mem_alloc(size);

	if (!out)
		return NULL;
	audit_mask(s, out, size);
	return json_object_new_string(out);
}

/* Bytes that are no UTF-8 came as base64: as text, what is not replaced, they can be read
 * and masked. */
static json_object *text_of_base64(const char *coded)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"0123456789+/";
	auto_free char *bytes = mem_alloc(strlen(coded) + 1), *inner = NULL,
		       *quoted = NULL;
	unsigned int bits = 0, n_bits = 0;
	size_t n = 0;

	for (; bytes && *coded && strchr(digits, *coded); coded++) {
		bits = bits << 6 | (unsigned int)(strchr(digits, *coded) - digits);
		n_bits += 6;
		if (n_bits >= 8) {
			n_bits -= 8;
			bytes[n++] = (char)(bits >> n_bits);
		}
	}
	inner = bytes ? escape_json(bytes, n) : NULL;
	quoted = inner ? mem_printf("\"%s\"", inner) : NULL;
	return quoted ? json_tokener_parse(quoted) : NULL;
}

static void mask_member(json_object *out, const char *key, json_object *value)
{
	size_t n = strlen(key), end = strlen(BASE64);
	auto_free char *name = NULL;
	json_object *text;

	if (n <= end || strcmp(key + n - end, BASE64) != 0) {
		json_object_object_add(out, key, transcript_mask(value));
		return;
	}
	name = mem_printf("%.*s", (int)(n - end), key);
	text = text_of_base64(json_object_get_string(value));
	if (name)
		json_object_object_add(out, name, transcript_mask(text));
	json_object_put(text);
}

static json_object *mask_array(json_object *o)
{
	json_object *out = json_object_new_array();

	for (size_t i = 0; i < json_object_array_length(o); i++)
		json_object_array_add(
			out, transcript_mask(json_object_array_get_idx(o, i)));
	return out;
}

json_object *transcript_mask(json_object *o)
{
	json_object *out;

	if (json_object_is_type(o, json_type_string))
		return mask_string(o);
	if (json_object_is_type(o, json_type_array))
		return mask_array(o);
	if (!json_object_is_type(o, json_type_object))
		return json_object_get(o);
	out = json_object_new_object();
	json_object_object_foreach(o, key, value) mask_member(out, key, value);
	return out;
}

/* --- writing --------------------------------------------------------------------------
 */

static bool write_all(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return false;
		p += done;
		n -= (size_t)done;
	}
	return true;
}

static void keep_early(struct transcript *t, const char *line, size_t n)
{
	char *more;

	if (t->n_early + n > TRANSCRIPT_EARLY)
		return;
	more = realloc(t->early, t->n_early + n);
	if (!more)
		return;
	t->early = more;
	memcpy(more + t->n_early, line, n);
	t->n_early += n;
}

static void now_text(char *buf, size_t size, const char *format)
{
	time_t now = time(NULL);
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(buf, size, format, &tm);
}

static char *line_of(json_object *event)
{
	json_object *line = json_object_new_object(), *masked = transcript_mask(event);
	char stamp[32], *text;

	now_text(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ");
	json_object_object_add(line, "time", json_object_new_string(stamp));
	if (masked) {
		json_object_object_foreach(masked, key, value)
			json_object_object_add(line, key, json_object_get(value));
	}
	text = mem_printf(
		"%s\n", json_object_to_json_string_ext(line,
				JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(masked);
	json_object_put(line);
	return text;
}

static bool is_end(json_object *event)
{
	json_object *v;

	return json_object_object_get_ex(event, "ev", &v) &&
	       strcmp(json_object_get_string(v), "end") == 0;
}

void transcript_add(struct transcript *t, json_object *event)
{
	auto_free char *line = NULL;
	size_t n;

	if (!t || t->broken || (t->bytes > TRANSCRIPT_BYTES && !is_end(event)))
		return;
	line = line_of(event);
	n = line ? strlen(line) : 0;
	t->bytes += n;
	if (t->fd < 0)
		keep_early(t, line, n);
	else if (n && !write_all(t->fd, line, n))
		t->broken = true;
}

/* --- the file -------------------------------------------------------------------------
 */

int loop_transcript_dir(char **out)
{
	auto_free char *state = NULL;
	int r = txfs_state_dir(&state);

	*out = r == 0 ? mem_printf("%s/transcripts", state) : NULL;
	if (r == 0 && !*out)
		r = -ENOMEM;
	if (r == 0 && mkdir(*out, 0700) != 0 && errno != EEXIST)
		r = -errno;
	if (r != 0)
		free(steal(out));
	return r;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_ours(const struct dirent *e)
{
	struct loop_transcript t;

	return loop_transcript_name(e->d_name, &t);
}

/* Names begin with the time. */
static void drop_oldest(const char *dir)
{
	struct dirent **list = NULL;
	int n = scandir(dir, &list, is_ours, by_name);

	for (int i = 0; i < n; i++) {
		auto_free char *path = mem_printf("%s/%s", dir, list[i]->d_name);

		if (path && i + TRANSCRIPT_KEEP <= n)
			unlink(path);
		free(list[i]);
	}
	free(list);
}

bool loop_transcript_name(const char *name, struct loop_transcript *t)
{
	unsigned long long tx;
	int end = 0;

	memset(t, 0, sizeof *t);
	if (sscanf(name, "%16[0-9TZ]-%16[0-9a-f]-%llu.jsonl%n", t->time, t->workspace,
		    &tx, &end) != 3 ||
		end == 0 || name[end])
		return false;
	t->tx = tx;
	return strlen(t->time) == 16 && strlen(t->workspace) == 16;
}

void loop_transcript_hash(const char *workspace, char out[17])
{
	snprintf(out, 17, "%016llx",
		(unsigned long long)hash64(workspace, strlen(workspace)));
}

int transcript_begin(struct transcript *t, const char *workspace, uint64_t tx)
{
	auto_free char *dir = NULL, *path = NULL;
	char stamp[32], hash[17];
	int r = loop_transcript_dir(&dir);

	if (r == 0) {
		drop_oldest(dir);
		now_text(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ");
		loop_transcript_hash(workspace, hash);
		path = mem_printf(
			"%s/%s-%s-%llu.jsonl", dir, stamp, hash, (unsigned long long)tx);
		t->fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)
			     : -1;
		if (t->fd < 0)
			r = path ? -errno : -ENOMEM;
	}
	t->broken = r != 0 || !write_all(t->fd, t->early, t->n_early);
	free(steal(&t->early));
	t->n_early = 0;
	return r;
}
