/*
 * audit.c: `agentctl audit`: look things up in the record of policyd, and check that
 * nothing in it was changed. It reads the files; no daemon is needed.
 *
 * Commands are vetted before their transaction has an id; its "begin" names the lines, so
 * a search for a transaction first collects these, then walks the record once more.
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "agentctl/repl/repl.h"
#include "common/cleanup.h"
#include "common/escape.h"
#include "txfs/audit.h"
#include "txfs/policy.h"

#define FAILED 1
#define MAX_VETS 4096

struct query {
	const char *tx, *decision, *text, *op, *workspace, *head;
	char since[32], until[32]; /* in the form of the record, may be cut */
	unsigned long last;	   /* only so many, the newest; 0: all */
	bool json, verify;
	unsigned long vets[MAX_VETS];
	size_t n_vets;
	unsigned long seen, skip; /* lines that fit; those before the last ones */
	bool counting;
};

static const char *text_of(json_object *o, const char *key)
{
	json_object *v;

	return json_object_object_get_ex(o, key, &v) ? json_object_get_string(v) : "";
}

static unsigned long number_of(json_object *o, const char *key)
{
	json_object *v;

	return json_object_object_get_ex(o, key, &v)
		       ? (unsigned long)json_object_get_int64(v)
		       : 0;
}

/* --- what fits ------------------------------------------------------------------------
 */

static bool is_tx(const struct query *q, json_object *o)
{
	return strcmp(text_of(o, "tx"), q->tx) == 0 &&
	       (!q->workspace || strcmp(text_of(o, "workspace"), q->workspace) == 0);
}

static bool was_vetted_for(const struct query *q, unsigned long n)
{
	for (size_t i = 0; i < q->n_vets; i++) {
		if (q->vets[i] == n)
			return true;
	}
	return false;
}

static int collect_vets(void *arg, const struct audit_line *l)
{
	struct query *q = arg;
	json_object *o = json_tokener_parse(l->text);
	const char *p = o && is_tx(q, o) ? text_of(o, "vets") : "";
	char *end;

	while (*p && q->n_vets < MAX_VETS) {
		q->vets[q->n_vets++] = strtoul(p, &end, 10);
		p = *end ? end + 1 : end;
	}
	json_object_put(o);
	return 0;
}

static bool has_text(const struct query *q, json_object *o)
{
	static const char *const keys[] = {"command", "cwd", "agent", "rule", "event"};

	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		if (strcasestr(text_of(o, keys[i]), q->text))
			return true;
	}
	return false;
}

static bool fits(const struct query *q, json_object *o)
{
	const char *time = text_of(o, "time");

	if (q->tx && !is_tx(q, o) && !was_vetted_for(q, number_of(o, "n")))
		return false;
	if (q->workspace && strcmp(text_of(o, "workspace"), q->workspace) != 0)
		return false;
	if (q->decision && strcmp(text_of(o, "decision"), q->decision) != 0)
		return false;
	if (q->op && strcmp(text_of(o, "op"), q->op) != 0)
		return false;
	if (*q->since && strncmp(time, q->since, strlen(q->since)) < 0)
		return false;
	if (*q->until && strncmp(time, q->until, strlen(q->until)) > 0)
		return false;
	return !q->text || has_text(q, o);
}

/* --- showing --------------------------------------------------------------------------
 */

static void show(json_object *o)
{
	const char *decision = text_of(o, "decision"), *tx = text_of(o, "tx");
	const char *what = text_of(o, "command");
	auto_free char *shown = NULL;
	char number[32] = "-";

	if (!*what)
		what = text_of(o, "event");
	shown = escape_text(what, strlen(what));
	if (*tx)
		snprintf(number, sizeof number, "tx %.24s", tx);
	printf("%6lu  %.24s  %-7.7s  %-8s  %-18.40s  %s\n", number_of(o, "n"),
		text_of(o, "time"), *decision ? decision : text_of(o, "op"), number,
		text_of(o, "rule"), shown ? shown : "");
}

static int look_at(void *arg, const struct audit_line *l)
{
	struct query *q = arg;
	json_object *o = json_tokener_parse(l->text);

	if (!o || !fits(q, o)) {
		json_object_put(o);
		return 0;
	}
	q->seen++;
	if (!q->counting && q->seen > q->skip) {
		if (q->json)
			printf("%s\n", l->text);
		else
			show(o);
	}
	json_object_put(o);
	return 0;
}

static int failed(const char *dir, int r)
{
	if (r == -ENOENT)
		fprintf(stderr, "agentctl: there is no record in '%s' yet\n", dir);
	else
		fprintf(stderr, "agentctl: cannot read the record in '%s': %s\n", dir,
			strerror(-r));
	return FAILED;
}

static int search(struct query *q, const char *dir)
{
	int r = q->tx ? audit_walk(dir, collect_vets, q) : 0;

	if (r == 0 && q->last) {
		q->counting = true;
		r = audit_walk(dir, look_at, q);
		q->skip = q->seen > q->last ? q->seen - q->last : 0;
		q->seen = 0;
		q->counting = false;
	}
	if (r == 0)
		r = audit_walk(dir, look_at, q);
	return r ? failed(dir, r) : 0;
}

/* --- checking -------------------------------------------------------------------------
 */

static void verified_json(const struct audit_found *f, bool holds)
{
	json_object *o = json_object_new_object();

	json_object_object_add(o, "holds", json_object_new_boolean(holds));
	json_object_object_add(o, "lines", json_object_new_int64((int64_t)f->lines));
	json_object_object_add(o, "first", json_object_new_int64((int64_t)f->first));
	json_object_object_add(o, "head", json_object_new_string(f->head));
	if (!holds) {
		json_object_object_add(o, "file", json_object_new_string(f->file));
		json_object_object_add(
			o, "line", json_object_new_int64((int64_t)f->line));
		json_object_object_add(o, "why", json_object_new_string(f->why));
	}
	printf("%s\n", json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
	json_object_put(o);
}

static int verify(const struct query *q, const char *dir)
{
	struct audit_found f;
	int r = audit_verify(dir, q->head, &f);

	if (r != 0 && r != -EBADMSG)
		return failed(dir, r);
	if (q->json) {
		verified_json(&f, r == 0);
	} else if (r == 0) {
		printf("the record holds: %lu lines, head %s\n", f.lines, f.head);
		if (f.first > 1)
			printf("it begins with line %lu; older files were removed\n",
				f.first);
	} else if (f.line) {
		printf("the record is broken: %s:%lu %s\n", f.file, f.line, f.why);
	} else {
		printf("the record is broken: %s\n", f.why);
	}
	return r ? FAILED : 0;
}

/* --- options --------------------------------------------------------------------------
 */

/* A time as in the record, as far as given, or an age: 90s, 15m, 2h, 7d. */
static bool parse_time(const char *text, char *out, size_t size)
{
	static const char units[] = "smhd";
	static const long seconds[] = {1, 60, 3600, 86400};
	char *end;
	double n = strtod(text, &end);
	const char *unit = *end ? strchr(units, *end) : NULL;
	time_t at = time(NULL);
	struct tm tm;

	if (unit && !end[1] && n >= 0 && n < 1e6) {
		at -= (time_t)(n * (double)seconds[unit - units]);
		gmtime_r(&at, &tm);
		return strftime(out, size, "%Y-%m-%dT%H:%M:%S", &tm) != 0;
	}
	if (strlen(text) < 4 || strlen(text) >= size ||
		strspn(text, "0123456789-:T.Z ") != strlen(text))
		return false;
	snprintf(out, size, "%s", text);
	for (char *p = out; *p; p++) {
		if (*p == ' ')
			*p = 'T';
	}
	return true;
}

static bool is_head(const char *s)
{
	return strlen(s) == 64 && strspn(s, "0123456789abcdef") == 64;
}

static bool is_decision(const char *s)
{
	for (int d = POLICY_DENY; d <= POLICY_ALLOW; d++) {
		if (strcmp(s, policy_decision_name((enum policy_decision)d)) == 0)
			return true;
	}
	return false;
}

static bool take(struct query *q, int opt, const char *value)
{
	char *end;

	switch (opt) {
	case 'x': q->tx = value; break;
	case 'd': q->decision = value; return is_decision(value);
	case 't': q->text = value; break;
	case 'o': q->op = value; break;
	case 'w': q->workspace = value; break;
	case 's': return parse_time(value, q->since, sizeof q->since);
	case 'u': return parse_time(value, q->until, sizeof q->until);
	case 'n':
		q->last = strtoul(value, &end, 10);
		return isdigit((unsigned char)*value) && !*end && q->last;
	case 'j': q->json = true; break;
	case 'v': q->verify = true; break;
	case 'h': q->head = value; return is_head(value);
	default: return false;
	}
	return true;
}

int repl_audit(int argc, char **argv)
{
	static const struct option options[] = {{"tx", required_argument, NULL, 'x'},
		{"decision", required_argument, NULL, 'd'},
		{"text", required_argument, NULL, 't'},
		{"op", required_argument, NULL, 'o'},
		{"workspace", required_argument, NULL, 'w'},
		{"since", required_argument, NULL, 's'},
		{"until", required_argument, NULL, 'u'},
		{"last", required_argument, NULL, 'n'}, {"json", no_argument, NULL, 'j'},
		{"verify", no_argument, NULL, 'v'},
		{"head", required_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
	auto_free struct query *q = calloc(1, sizeof *q);
	char dir[PATH_MAX];
	int opt, at = 0, r = policy_state_dir(dir, sizeof dir);

	optind = 0;
	while (q && (opt = getopt_long(argc, argv, "", options, &at)) != -1) {
		if (opt == '?')
			return repl_usage("audit");
		if (!take(q, opt, optarg)) {
			fprintf(stderr, "agentctl: cannot use '%s' for --%s\n", optarg,
				options[at].name);
			return repl_usage("audit");
		}
	}
	if (!q || optind < argc || (q->head && !q->verify))
		return repl_usage("audit");
	if (r != 0)
		return failed("?", r);
	return q->verify ? verify(q, dir) : search(q, dir);
}
