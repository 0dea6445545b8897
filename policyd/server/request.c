/*
 * request.c: one line of JSON in, one out.
 *
 * Decoding is strict: valid UTF-8, no NUL, bounded depth, no duplicate or unknown keys,
 * each value of its type. Whatever fails becomes an answer with decision "deny" and an
 * "error", so that no client can take trouble for permission.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/cleanup.h"
#include "policyd/audit/audit.h"
#include "policyd/server/server.h"

enum { MAX_DEPTH = 4, MAX_ENV = 512, MAX_ARGV = 16384, MAX_KEYS = 64 };

enum op { OP_CHECK, OP_EXEC, OP_EXPLAIN, OP_RELOAD, OP_STATS, N_OPS };
static const char *const op_names[N_OPS] = {
	"check", "exec", "explain", "reload", "stats"};

struct request {
	struct json_object *o;
	enum op op;
	const char *command, *cwd, *workspace, *home, *tx, *agent;
	enum policy_cover cover;
	bool interactive;
	struct shell_var *env;
	size_t n_env;
	const char **argv;
	size_t argc;
	const char *error;
};

/* --- before json-c sees it -----------------------------------------------------------
 */

/* Well-formed UTF-8: shortest forms only, no surrogates, nothing over U+10FFFF. */
static bool valid_utf8(const unsigned char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		unsigned c = s[i], more = c >= 0xf0   ? 3
					  : c >= 0xe0 ? 2
					  : c >= 0xc0 ? 1
						      : 0;
		unsigned low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
		unsigned high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;

		if ((c >= 0x80 && c < 0xc2) || c > 0xf4 || more >= n - i)
			return false;
		for (unsigned k = 1; k <= more; k++) {
			if (s[i + k] < (k == 1 ? low : 0x80) ||
				s[i + k] > (k == 1 ? high : 0xbf))
				return false;
		}
		i += more + 1;
	}
	return true;
}

/*
 * json-c keeps the last of duplicate keys, silently: so keys are counted here, in one
 * pass over the bytes, and compared with what it kept. Depth is bounded on the way.
 */
static const char *scan(const char *s, size_t n, size_t *keys)
{
	int depth = 0;
	bool string = false;

	*keys = 0;
	for (size_t i = 0; i < n; i++) {
		if (string) {
			if (s[i] == '\\')
				i++;
			else if (s[i] == '"')
				string = false;
			continue;
		}
		switch (s[i]) {
		case '"': string = true; break;
		case ':': ++*keys; break;
		case '{':
		case '[':
			if (++depth > MAX_DEPTH)
				return "the JSON is nested too deeply";
			break;
		case '}':
		case ']': depth--; break;
		}
	}
	return NULL;
}

static size_t count_keys(struct json_object *o)
{
	size_t n = 0;

	if (json_object_is_type(o, json_type_object)) {
		json_object_object_foreach(o, key, v)
		{
			(void)key;
			n += 1 + count_keys(v);
		}
	}
	return n;
}

static struct json_object *parse_line(const char *line, size_t len, const char **error)
{
	struct json_tokener *tok;
	struct json_object *o;
	size_t keys;

	if (memchr(line, '\0', len)) {
		*error = "a NUL byte in the request";
		return NULL;
	}
	if (!valid_utf8((const unsigned char *)line, len)) {
		*error = "the request is not UTF-8";
		return NULL;
	}
	if ((*error = scan(line, len, &keys)))
		return NULL;
	tok = json_tokener_new_ex(MAX_DEPTH + 2);
	if (!tok) {
		*error = "out of memory";
		return NULL;
	}
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
	o = json_tokener_parse_ex(tok, line, (int)len);
	if (!o || json_tokener_get_error(tok) != json_tokener_success ||
		json_tokener_get_parse_end(tok) != len ||
		!json_object_is_type(o, json_type_object))
		*error = "the request is not one JSON object";
	else if (count_keys(o) != keys)
		*error = "a duplicate key";
	json_tokener_free(tok);
	if (*error) {
		json_object_put(o);
		return NULL;
	}
	return o;
}

/* --- from JSON to a request ------------------------------------------------------------
 */

/* A string without NUL in it (JSON can say \u0000). */
static const char *string_of(struct request *q, struct json_object *v, const char *error)
{
	const char *s = json_object_is_type(v, json_type_string)
				? json_object_get_string(v)
				: NULL;

	if (!s || strlen(s) != (size_t)json_object_get_string_len(v)) {
		q->error = error;
		return NULL;
	}
	return s;
}

static int one_of(struct request *q, struct json_object *v, const char *const *names,
	int n, const char *error)
{
	const char *s = string_of(q, v, error);

	for (int i = 0; s && i < n; i++)
		if (!strcmp(s, names[i]))
			return i;
	q->error = error;
	return 0;
}

static void take_env(struct request *q, struct json_object *v)
{
	if (!json_object_is_type(v, json_type_object) ||
		json_object_object_length(v) > MAX_ENV) {
		q->error = "env must be an object of at most 512 variables";
		return;
	}
	q->env = calloc((size_t)json_object_object_length(v) + 1, sizeof(*q->env));
	if (!q->env) {
		q->error = "out of memory";
		return;
	}
	json_object_object_foreach(v, name, value)
	{
		const char *s =
			value ? string_of(q, value, "env: a value must be text or null")
			      : NULL;

		for (const char *p = s; p && *p; p++)
			if ((unsigned char)*p < 8)
				q->error = "env: control characters";
		q->env[q->n_env++] = (struct shell_var){name, s};
	}
}

static void take_argv(struct request *q, struct json_object *v)
{
	size_t n =
		json_object_is_type(v, json_type_array) ? json_object_array_length(v) : 0;

	if (!n || n > MAX_ARGV) {
		q->error = "argv must be a list of 1 to 16384 texts";
		return;
	}
	q->argv = calloc(n + 1, sizeof(*q->argv));
	if (!q->argv) {
		q->error = "out of memory";
		return;
	}
	for (size_t i = 0; i < n && !q->error; i++)
		q->argv[q->argc++] = string_of(q, json_object_array_get_idx(v, i),
			"argv must be a list of texts");
}

static void take_key(struct request *q, const char *key, struct json_object *v)
{
	static const char *const covers[] = {"tx", "contained", "none"};
	static const char *const modes[] = {"headless", "interactive"};
	struct {
		const char *key;
		const char **to;
	} texts[] = {{"command", &q->command}, {"cwd", &q->cwd},
		{"workspace", &q->workspace}, {"home", &q->home}, {"tx", &q->tx},
		{"agent", &q->agent}};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (!strcmp(key, texts[i].key)) {
			*texts[i].to = string_of(q, v, "a text is wanted");
			return;
		}
	if (!strcmp(key, "v")) {
		if (!json_object_is_type(v, json_type_int) ||
			json_object_get_int64(v) != 1)
			q->error = "unknown version: v must be 1";
	} else if (!strcmp(key, "id")) {
		if (!json_object_is_type(v, json_type_int) &&
			!json_object_is_type(v, json_type_string))
			q->error = "id must be a number or a text";
	} else if (!strcmp(key, "op")) {
		q->op = (enum op)one_of(q, v, op_names, N_OPS, "unknown op");
	} else if (!strcmp(key, "cover")) {
		q->cover = (enum policy_cover)one_of(q, v, covers, 3, "unknown cover");
	} else if (!strcmp(key, "mode")) {
		q->interactive = one_of(q, v, modes, 2, "unknown mode") == 1;
	} else if (!strcmp(key, "env")) {
		take_env(q, v);
	} else if (!strcmp(key, "argv")) {
		take_argv(q, v);
	} else {
		q->error = "unknown key";
	}
}

static void decode(struct request *q)
{
	static const char *const needed[] = {"v", "op"};
	struct json_object *v;

	for (size_t i = 0; i < 2; i++)
		if (!json_object_object_get_ex(q->o, needed[i], &v))
			q->error = "v and op are needed";
	json_object_object_foreach(q->o, key, value)
	{
		if (!q->error)
			take_key(q, key, value);
	}
	if (q->error || q->op == OP_RELOAD || q->op == OP_STATS)
		return;
	if (q->op == OP_EXEC ? !q->argv : !q->command)
		q->error = q->op == OP_EXEC ? "no argv" : "no command";
	else if (!q->cwd || *q->cwd != '/' || !q->workspace || *q->workspace != '/')
		q->error = "cwd and workspace must be absolute paths";
	else if (q->home && *q->home != '/')
		q->error = "home must be an absolute path";
}

/* --- the ops
 * ---------------------------------------------------------------------------- */

static void refuse(struct policy_answer *ans, const char *reason)
{
	memset(ans, 0, sizeof(*ans));
	snprintf(ans->rule, sizeof(ans->rule), "bad-request");
	snprintf(ans->class_, sizeof(ans->class_), "policy");
	snprintf(ans->reason, sizeof(ans->reason), "%s", reason);
	snprintf(ans->suggest, sizeof(ans->suggest), "correct the request");
}

static const char *variable(const struct request *q, const char *name)
{
	for (size_t i = 0; i < q->n_env; i++)
		if (!strcmp(q->env[i].name, name))
			return q->env[i].value;
	return NULL;
}

/* Nothing is looked up here: the user database may be slow. */
static const char *home_of(const struct server *s, const struct peer *peer)
{
	if (peer->uid == 0)
		return "/root";
	return *s->home == '/' ? s->home : "/nonexistent";
}

static void judge(struct server *s, struct request *q, const struct peer *peer,
	struct policy_answer *ans)
{
	const char *tmp = variable(q, "TMPDIR");
	struct shell_context ctx = {.home = q->home ? q->home : home_of(s, peer),
		.cwd = q->cwd,
		.workspace = q->workspace,
		.tmpdir = tmp && *tmp == '/' ? tmp : NULL,
		.env = q->env,
		.n_env = q->n_env};
	struct rules_look look = {links_look, s->links};
	struct shell_reading *r;
	int e;

	e = q->op == OP_EXEC ? shell_read_argv(&ctx, q->argv, q->argc, &r)
			     : shell_read(&ctx, q->command, &r);
	if (e) {
		refuse(ans, "policyd is out of memory");
		return;
	}
	if (s->links)
		links_begin(s->links);
	if (q->op == OP_EXEC)
		rules_judge_exec(s->rules, &ctx, r, ans);
	else
		rules_judge(s->rules, &ctx, q->cover, r, s->links ? &look : NULL, ans);
	shell_free(r);
	/* without a person an ask has nobody to answer it */
	if (ans->decision == POLICY_ASK && !q->interactive)
		ans->decision = POLICY_DENY;
}

static void add(struct json_object *o, const char *key, const char *text)
{
	if (*text)
		json_object_object_add(o, key, json_object_new_string(text));
}

static struct json_object *stats_json(const struct server *s)
{
	struct json_object *o = json_object_new_object();
	const struct {
		const char *key;
		unsigned long n;
	} rows[] = {{"requests", s->stats.requests}, {"errors", s->stats.errors},
		{"deny", s->stats.decisions[0]}, {"ask", s->stats.decisions[1]},
		{"tx", s->stats.decisions[2]}, {"allow", s->stats.decisions[3]},
		{"reloads", s->stats.reloads}, {"clients", s->stats.clients},
		{"dropped", s->stats.dropped}, {"us_total", s->stats.us_total},
		{"us_max", s->stats.us_max}, {"rules", rules_count(s->rules)},
		{"audit_failures", audit_failures(s->audit)}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		json_object_object_add(
			o, rows[i].key, json_object_new_int64((int64_t)rows[i].n));
	add(o, "audit_head", audit_head(s->audit));
	return o;
}

static unsigned long now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long)t.tv_sec * 1000000UL + (unsigned long)t.tv_nsec / 1000;
}

static void log_it(struct server *s, const struct request *q, const struct peer *peer,
	const struct policy_answer *ans)
{
	char command[4096];
	struct audit_event ev = {.op = op_names[q->op],
		.command = command,
		.cwd = q->cwd,
		.tx = q->tx,
		.agent = q->agent,
		.decision = policy_decision_name(ans->decision),
		.rule = ans->rule,
		.class_ = ans->class_,
		.uid = peer->uid,
		.pid = peer->pid,
		.us = ans->us};

	shell_show(q->command ? q->command
		   : q->argc  ? q->argv[0]
			      : "",
		command, sizeof(command));
	audit_write(s->audit, &ev);
}

static char *render(struct server *s, struct request *q, const struct policy_answer *ans,
	struct json_object *extra)
{
	struct json_object *o = json_object_new_object(), *id = NULL;
	char masked[1024];
	const char *text;
	char *out;

	json_object_object_add(o, "v", json_object_new_int(POLICY_VERSION));
	if (q->o && json_object_object_get_ex(q->o, "id", &id))
		json_object_object_add(o, "id", json_object_get(id));
	add(o, "decision", policy_decision_name(ans->decision));
	add(o, "rule", ans->rule);
	audit_mask(ans->reason, masked, sizeof(masked));
	add(o, "reason", masked);
	add(o, "suggest", ans->suggest);
	add(o, "class", ans->class_);
	if (q->error)
		add(o, "error", q->error);
	json_object_object_add(o, "us", json_object_new_int64((int64_t)ans->us));
	if (extra)
		json_object_object_add(o, "stats", extra);
	text = json_object_to_json_string_ext(
		o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
	out = text ? malloc(strlen(text) + 2) : NULL;
	if (out)
		sprintf(out, "%s\n", text);
	json_object_put(o);
	return out;
}

static void count(struct server *s, const struct policy_answer *ans)
{
	s->stats.decisions[ans->decision]++;
	s->stats.us_total += ans->us;
	if (ans->us > s->stats.us_max)
		s->stats.us_max = ans->us;
}

char *request_answer(
	struct server *s, const char *line, size_t len, const struct peer *peer)
{
	struct request q = {0};
	struct policy_answer ans = {0};
	struct json_object *extra = NULL;
	unsigned long start = now_us();
	char err[512] = "";
	char *out;

	s->stats.requests++;
	q.o = parse_line(line, len, &q.error);
	if (q.o)
		decode(&q);
	if (q.error) {
		s->stats.errors++;
		refuse(&ans, q.error);
	} else if (q.op == OP_STATS) {
		extra = stats_json(s);
		ans.decision = POLICY_ALLOW;
	} else if (q.op == OP_RELOAD) {
		if (server_reload(s, err, sizeof(err))) {
			q.error = "the rules were not loaded; the old ones stay";
			refuse(&ans, *err ? err : q.error);
		} else {
			ans.decision = POLICY_ALLOW;
		}
	} else {
		judge(s, &q, peer, &ans);
		ans.us = now_us() - start;
		count(s, &ans);
		log_it(s, &q, peer, &ans);
	}
	out = render(s, &q, &ans, extra);
	free(q.env);
	free(q.argv);
	json_object_put(q.o);
	return out;
}

char *request_refuse(const char *error)
{
	struct request q = {.error = error};
	struct policy_answer ans;

	refuse(&ans, error);
	return render(NULL, &q, &ans, NULL);
}
