/*
 * bench.c: what both kinds of bench need for arguments and answers.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include "agentctl/mcp/bench.h"
#include "common/escape.h"
#include "common/cleanup.h"
#include "common/mem.h"

int bench_say(struct answer *a, bool failed, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	free(a->text);
	a->text = mem_vprintf(format, ap);
	va_end(ap);
	a->failed = failed;
	return a->text ? 0 : -ENOMEM;
}

const char *bench_text(const struct call *c, const char *key)
{
	json_object *v;
	const char *s;

	if (!c->args || !json_object_object_get_ex(c->args, key, &v) ||
		!json_object_is_type(v, json_type_string))
		return NULL;
	s = json_object_get_string(v);
	return strlen(s) == (size_t)json_object_get_string_len(v) ? s : NULL;
}

int bench_ms(const struct call *c, const char *key)
{
	json_object *v;
	double s;

	if (!c->args || !json_object_object_get_ex(c->args, key, &v))
		return 0;
	s = json_object_get_double(v);
	return s > 0 && s < 1000000 ? (int)(s * 1000) + 1 : 0;
}

static int add_refusal(struct answer *a, const struct policy_answer *v)
{
	json_object_object_add(a->data, "refused", json_object_new_boolean(true));
	json_object_object_add(a->data, "rule", json_object_new_string(v->rule));
	json_object_object_add(a->data, "reason", json_object_new_string(v->reason));
	json_object_object_add(a->data, "suggest", json_object_new_string(v->suggest));
	return bench_say(a, true, "Refused by the policy, nothing was run: %s%s%s",
		v->reason, *v->suggest ? ". Instead: " : "", v->suggest);
}

static json_object *text_json(const char *text)
{
	auto_free char *clean = NULL;

	if (utf8_valid(text, strlen(text)))
		return json_object_new_string(text);
	clean = escape_text(text, strlen(text));
	return json_object_new_string(clean ? clean : "");
}

int bench_ran(struct answer *a, struct work_result *r)
{
	auto_free char *output = steal(&r->output);
	auto_free char *shown = NULL;
	char how[80];

	a->data = json_object_new_object();
	if (r->refused)
		return add_refusal(a, &r->verdict);
	if (r->timed_out)
		snprintf(how, sizeof how, "timed out or cancelled, and was ended");
	else if (r->signal)
		snprintf(how, sizeof how, "killed by signal %d", r->signal);
	else
		snprintf(how, sizeof how, "exit status %d", r->status);
	json_object_object_add(a->data, "status", json_object_new_int(r->status));
	json_object_object_add(
		a->data, "timed_out", json_object_new_boolean(r->timed_out));
	if (r->step)
		json_object_object_add(
			a->data, "step", json_object_new_int64((int64_t)r->step));
	json_object_object_add(a->data, "output", text_json(output ? output : ""));
	shown = mem_strdup(
		json_object_get_string(json_object_object_get(a->data, "output")));
	if (!shown)
		return -ENOMEM;
	return bench_say(a, r->status != 0 || r->timed_out, "%s\n%s", how, shown);
}
