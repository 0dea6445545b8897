/*
 * verdict.c: the table verdicts.tsv applied to one effect, and the texts of a refusal.
 *
 * Two facts come from outside the reader, when a way to look is given: whether a target
 * exists (an overwrite of nothing is a creation), and where links lead (a path below
 * the workspace that leaves it through a link is judged where it ends).
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policyd/rules/private.h"

#include "policy_data.h"

static bool word_in(const char *s, const char *list)
{
	size_t n = strlen(s);

	if (!strcmp(list, "*"))
		return true;
	for (const char *p = list; *p;) {
		size_t len = strcspn(p, " ");

		if (len == n && !memcmp(p, s, n))
			return true;
		p += len;
		p += *p == ' ';
	}
	return false;
}

static const char *how_name(enum shell_how h)
{
	static const char *const names[SHELL_N_HOWS] = {"plain", "product", "noclobber",
		"computed", "fetched", "inline", "built", "certain", "possible"};

	return (unsigned)h < SHELL_N_HOWS ? names[h] : "plain";
}

static const char *const *find_row(const struct shell_effect *e)
{
	const char *verb = shell_verb_name(e->verb);
	size_t n = sizeof(policy_verdicts) / sizeof(*policy_verdicts);

	for (size_t i = 0; i < n; i++) {
		const char *const *row = policy_verdicts[i];

		if (!strcmp(row[0], verb) &&
			word_in(shell_place_name(e->place), row[1]) &&
			word_in(how_name(e->how), row[2]))
			return row;
	}
	return NULL;
}

static const char *class_text(const char *name)
{
	size_t n = sizeof(policy_classes) / sizeof(*policy_classes);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(policy_classes[i][0], name))
			return policy_classes[i][1];
	return NULL;
}

static const char *what_of(const struct shell_effect *e)
{
	const char *text = e->class_ ? class_text(e->class_) : NULL;

	return text ? text : class_text(e->verb == SHELL_HOST ? "host" : "remote");
}

/* A reason or suggestion with {word}, {path}, {program} and {what} filled in. */
static void fill(const char *t, const struct shell_effect *e, char *out, size_t size)
{
	char part[512];
	size_t n = 0;

	for (; *t && n + 1 < size; t++) {
		const char *v = NULL;

		if (!strncmp(t, " ({path})", 9) &&
			(!e->path || !strcmp(e->path, e->word)))
			t += 9; /* the word says it already */
		if (!*t)
			break;
		if (!strncmp(t, "{word}", 6))
			v = e->word, t += 5;
		else if (!strncmp(t, "{path}", 6))
			v = e->path ? e->path : e->word, t += 5;
		else if (!strncmp(t, "{program}", 9))
			v = *e->program ? e->program : "the command", t += 8;
		else if (!strncmp(t, "{what}", 6))
			v = what_of(e), t += 5;
		if (!v) {
			out[n++] = *t;
			continue;
		}
		shell_show(!strcmp(v, ">") || !strcmp(v, "<") ? "a redirection" : v, part,
			strlen(v) > 200 ? 200 : sizeof(part));
		n += (size_t)snprintf(out + n, size - n, "%s", part);
		if (n >= size)
			n = size - 1;
	}
	out[n] = '\0';
}

static bool writes(enum shell_verb v)
{
	return v == SHELL_CREATE || v == SHELL_EDIT || v == SHELL_OVERWRITE ||
	       v == SHELL_DELETE || v == SHELL_META;
}

static bool covered(enum shell_place p)
{
	return p == SHELL_WORKSPACE || p == SHELL_SCRATCH || p == SHELL_CACHE;
}

/* The part of the path that is sure, up to the last slash before a hole. */
static bool fixed_part(const char *path, char *out, size_t size)
{
	size_t n = strcspn(path, "\1\2\3\4\5\6\7");

	if (path[n])
		while (n > 1 && path[n - 1] != '/')
			n--;
	if (path[n] && n > 1)
		n--;
	if (!n || n >= size)
		return false;
	memcpy(out, path, n);
	out[n] = '\0';
	return true;
}

/* What the filesystem adds: where links lead, and whether there is anything there. */
static enum rules_seen look_at(const struct shell_context *ctx,
	const struct rules_look *look, struct shell_effect *e, char *real, size_t size)
{
	char path[PATH_MAX], again[PATH_MAX];
	enum rules_seen seen;
	enum shell_place p;

	if (!look || !look->look || !e->path || *e->path != '/' ||
		!strncmp(e->path, "/dev/", 5) || !covered(e->place) ||
		!(writes(e->verb) || e->verb == SHELL_READ))
		return RULES_UNSEEN;
	if (!fixed_part(e->path, path, sizeof(path)))
		return RULES_UNSEEN;
	seen = look->look(look->arg, path, real, size);
	if (seen == RULES_LATE || seen == RULES_UNSEEN)
		return seen;
	if (strcmp(real, path)) {
		p = shell_place_of(ctx, real, again, sizeof(again));
		if (!covered(p) && p != SHELL_ROOT) {
			e->place = p;
			e->path = real;
		}
	}
	return strlen(path) == strlen(e->path) ? seen : RULES_UNSEEN;
}

static enum policy_decision decide(const char *word, enum rules_seen seen)
{
	if (!strcmp(word, "allow"))
		return POLICY_ALLOW;
	if (!strcmp(word, "tx"))
		return POLICY_TX;
	if (!strcmp(word, "exists"))
		return seen == RULES_ABSENT ? POLICY_ALLOW : POLICY_TX;
	return !strcmp(word, "ask") ? POLICY_ASK : POLICY_DENY;
}

static const char *default_class(const struct shell_effect *e)
{
	if (e->class_)
		return e->class_;
	switch (e->verb) {
	case SHELL_READ:
		return e->place == SHELL_CREDENTIAL ? "credential-access" : "read";
	case SHELL_DELETE: return "fs-destroy";
	case SHELL_UNDECIDED: return "undecided";
	default: return e->place == SHELL_DEVICE ? "block-device" : "system-files";
	}
}

void rules_effect(const struct shell_context *ctx, enum policy_cover cover,
	const struct shell_effect *effect, const struct rules_look *look,
	struct policy_answer *ans)
{
	struct shell_effect e = *effect;
	char real[PATH_MAX] = "";
	enum rules_seen seen = look_at(ctx, look, &e, real, sizeof(real));
	const char *const *row = find_row(&e);

	memset(ans, 0, sizeof(*ans));
	if (!row) { /* a gap in the table must never allow */
		snprintf(ans->rule, sizeof(ans->rule), "no-verdict");
		snprintf(ans->reason, sizeof(ans->reason),
			"no verdict is known for this effect");
		return;
	}
	ans->decision = decide(row[cover == POLICY_COVER_CONTAINED ? 4 : 3], seen);
	snprintf(ans->rule, sizeof(ans->rule), "%s", row[5]);
	snprintf(ans->class_, sizeof(ans->class_), "%s", default_class(&e));
	fill(row[6], &e, ans->reason, sizeof(ans->reason));
	fill(row[7], &e, ans->suggest, sizeof(ans->suggest));
	if (seen == RULES_LATE && ans->decision > POLICY_ASK) {
		ans->decision = POLICY_ASK;
		snprintf(ans->rule, sizeof(ans->rule), "links-late");
		fill("where '{word}' leads could not be found out in time", &e,
			ans->reason, sizeof(ans->reason));
		snprintf(ans->suggest, sizeof(ans->suggest),
			"try again, or name the real path");
	}
	if (cover == POLICY_COVER_NONE && ans->decision == POLICY_TX) {
		ans->decision = POLICY_ASK;
		if (!*ans->reason)
			fill("{program} changes '{word}', and no transaction is open "
			     "that could "
			     "bring it back",
				&e, ans->reason, sizeof(ans->reason));
		if (!*ans->suggest)
			snprintf(ans->suggest, sizeof(ans->suggest),
				"run it through agentctl run, which opens a transaction");
	}
}
