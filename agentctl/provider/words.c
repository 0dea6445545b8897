/*
 * words.c: a model's text, from left to right: words, thoughts, calls. A call inside of
 * thoughts was not meant. A tag inside of a call's JSON belongs to the JSON, which is
 * read by its own rules; so a command may contain what looks like an end tag.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include "agentctl/provider/words.h"

#define THINK "<think>"
#define THINK_END "</think>"
#define CALL "<tool_call>"
#define CALL_END "</tool_call>"

static const char *find(const char *s, size_t n, const char *what)
{
	return n ? memmem(s, n, what, strlen(what)) : NULL;
}

static bool starts(const char *s, const char *end, const char *what)
{
	size_t n = strlen(what);

	return (size_t)(end - s) >= n && memcmp(s, what, n) == 0;
}

static const char *skip_blanks(const char *s, const char *end)
{
	while (s < end && isspace((unsigned char)*s))
		s++;
	return s;
}

/* Templates may open the thoughts already in the prompt. */
static const char *after_open_thoughts(const char *s, const char *end)
{
	const char *open = find(s, (size_t)(end - s), THINK);
	const char *close = find(s, (size_t)(end - s), THINK_END);

	return close && (!open || close < open) ? close + strlen(THINK_END) : s;
}

/* A call begins at @s, behind its tag; returns what follows it. */
static const char *take_call(
	const char *s, const char *end, struct calls *calls, int *error)
{
	size_t used = 0;
	const char *from = skip_blanks(s, end), *close;
	json_object *o = call_parse(from, (size_t)(end - from), &used);

	*error = calls_add_object(calls, o);
	json_object_put(o);
	if (*error == 0) {
		s = skip_blanks(from + used, end);
		return starts(s, end, CALL_END) ? s + strlen(CALL_END) : s;
	}
	if (*error == -EINVAL)
		*error = calls_add_unread(calls,
			"what stood between the tool_call tags is no JSON object with "
			"name and arguments");
	close = find(s, (size_t)(end - s), CALL_END);
	return close ? close + strlen(CALL_END) : end;
}

static void trim(struct bytes *b)
{
	size_t skip = 0;

	while (b->n && isspace((unsigned char)b->p[b->n - 1]))
		b->p[--b->n] = 0;
	while (skip < b->n && isspace((unsigned char)b->p[skip]))
		skip++;
	if (skip) {
		b->n -= skip;
		memmove(b->p, b->p + skip, b->n + 1);
	}
}

/* Small models forget the tags. */
static int take_bare_call(struct bytes *text, struct calls *calls)
{
	json_object *o;
	int r;

	if (calls->n || text->n == 0 || text->p[0] != '{')
		return 0;
	o = call_parse(text->p, text->n, NULL);
	r = calls_add_object(calls, o);
	json_object_put(o);
	if (r == 0)
		bytes_empty(text);
	return r == -EINVAL ? 0 : r;
}

int words_read(const char *s, size_t n, struct bytes *text, struct calls *calls)
{
	const char *end = s + n;
	int r = 0;

	s = after_open_thoughts(s, end);
	while (s < end && r == 0) {
		const char *lt = memchr(s, '<', (size_t)(end - s));

		if (!lt)
			lt = end;
		r = bytes_add(text, s, (size_t)(lt - s));
		s = lt;
		if (r != 0 || s == end)
			break;
		if (starts(s, end, THINK)) {
			s = find(s, (size_t)(end - s), THINK_END);
			s = s ? s + strlen(THINK_END) : end;
		} else if (starts(s, end, CALL)) {
			s = take_call(s + strlen(CALL), end, calls, &r);
		} else {
			r = bytes_add(text, s++, 1);
		}
	}
	if (r != 0)
		return r;
	trim(text);
	return take_bare_call(text, calls);
}

/* --- on their way ---------------------------------------------------------------------
 */

static bool may_become(const struct words_live *w, const char *tag)
{
	return w->n_held <= strlen(tag) && memcmp(w->held, tag, w->n_held) == 0;
}

static bool is_now(const struct words_live *w, const char *tag)
{
	return w->n_held == strlen(tag) && memcmp(w->held, tag, w->n_held) == 0;
}

/* What is held is a tag, may become one (true: hold on), or is no tag. */
static bool is_tag(struct words_live *w)
{
	if (w->thinking || w->calling) {
		const char *end = w->thinking ? THINK_END : CALL_END;

		if (is_now(w, end)) {
			w->thinking = w->calling = false;
			w->n_held = 0;
		}
		return may_become(w, end);
	}
	if (is_now(w, THINK) || is_now(w, CALL)) {
		w->thinking = is_now(w, THINK);
		w->calling = !w->thinking;
		w->n_held = 0;
	}
	return may_become(w, THINK) || may_become(w, CALL);
}

void words_live(struct words_live *w, const char *s, size_t n,
	void (*say)(void *arg, const char *s, size_t n), void *arg)
{
	for (size_t i = 0; i < n; i++) {
		bool hidden = w->thinking || w->calling;

		if (w->n_held == 0 && s[i] != '<') {
			size_t run = 1;

			while (i + run < n && s[i + run] != '<')
				run++;
			if (!hidden)
				say(arg, s + i, run);
			i += run - 1;
			continue;
		}
		w->held[w->n_held++] = s[i];
		if (is_tag(w))
			continue;
		w->n_held--;
		if (!hidden)
			say(arg, w->held, w->n_held);
		w->n_held = 0;
		i--; /* this byte may begin a tag itself */
	}
}
