/*
 * adapt.c: what a server means by a refusal. There is no code for it, only words.
 */
#include <string.h>
#include "agentctl/provider/adapt.h"

static bool stop_tools(struct request *q)
{
	bool was = !q->tools_in_text;

	q->tools_in_text = true;
	return was;
}

static bool stop_usage(struct request *q)
{
	bool was = q->stream && q->usage;

	q->usage = false;
	return was;
}

static bool stop_stream(struct request *q)
{
	bool was = q->stream;

	q->stream = false;
	return was;
}

static bool rename_limit(struct request *q)
{
	bool was = q->max_reply && !q->new_limit;

	q->new_limit = true;
	return was;
}

static bool stop_temperature(struct request *q)
{
	bool was = q->has_temperature;

	q->has_temperature = false;
	return was;
}

/* The words by which a server refuses something, the longer before what they contain. */
static const struct {
	const char *word, *told;
	bool (*change)(struct request *q);
} features[] = {
	{"stream_options", "usage in streams", stop_usage},
	{"max_tokens", "max_tokens", rename_limit},
	{"temperature", "temperature", stop_temperature},
	{"tool", "tools in requests", stop_tools},
	{"function", "tools in requests", stop_tools},
	{"stream", "streams", stop_stream},
};

bool adapt_request(
	struct request *q, bool tools_too, const struct fault *f, const char **told)
{
	if (f->kind != FAULT_REFUSED ||
		(f->status != 400 && f->status != 422 && f->status != 501 &&
			f->status != 404 && f->status != 500))
		return false;
	for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
		if (!strcasestr(f->text, features[i].word) ||
			(features[i].change == stop_tools && !tools_too) ||
			!features[i].change(q))
			continue;
		*told = features[i].told;
		return true;
	}
	return false;
}

bool adapt_too_long(const struct fault *f)
{
	static const char *const words[] = {"context_length", "context length",
		"context size", "context window", "maximum context", "too long",
		"too large", "too many tokens", "exceeds the", "reduce the length", NULL};

	if (f->kind != FAULT_REFUSED)
		return false;
	if (f->status == 413)
		return true;
	if (f->status != 400 && f->status != 422 && f->status != 500 && f->status != 0)
		return false;
	for (const char *const *w = words; *w; w++) {
		if (strcasestr(f->text, *w))
			return true;
	}
	return false;
}
