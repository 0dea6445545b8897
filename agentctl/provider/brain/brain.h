/*
 * brain.h: what answers a question: the small model by its protocol, or any other by a
 * chat's template. For provider and serve. One thread.
 */
#ifndef AGENTCTL_PROVIDER_BRAIN_H
#define AGENTCTL_PROVIDER_BRAIN_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agentctl/provider/minimind/minimind.h"

#define BRAIN_STOPS 8

/** A question, read from its JSON; strings and lists belong to @json. */
struct question {
	json_object *json, *messages, *tools; /* tools: NULL: none */
	const char *model;
	bool stream, usage; /* usage: also at the end of a stream */
	bool no_calls;	    /* tool_choice none */
	bool constrained;   /* behind a call's tag only what the tools take is written */
	struct minimind_sampling how;
	const char *stops[BRAIN_STOPS];
};

/** A piece of an answer as it comes; non-zero: nobody wants more. */
typedef int (*brain_say)(void *arg, const char *text, size_t n);

/** What was answered. */
struct reply {
	char *text;		 /* all words; or NULL */
	json_object *tool_calls; /* as OpenAI has them, or NULL */
	bool cut;		 /* by its length */
	size_t tokens_in, tokens_out, reused;
};

void reply_free(struct reply *r);

struct brain;

/** brain_open(out, dir, threads, context, message, size): see serve_options. */
int brain_open(struct brain **out, const char *dir, unsigned int threads,
	uint32_t context, char *message, size_t size);
void brain_close(struct brain *b);

/** brain_answer(b, q, say, arg, r, message, size): words are given to @say as they come.
 * -E2BIG: more than the model takes in; -EINVAL: the messages make no sense. */
int brain_answer(struct brain *b, const struct question *q, brain_say say, void *arg,
	struct reply *r, char *message, size_t size);

/** question_read(q, body, n, message, size): -EINVAL; the caller frees by question_free.
 */
int question_read(
	struct question *q, const char *body, size_t n, char *message, size_t size);
void question_free(struct question *q);

/** question_text(message): the words of one message, its parts joined; caller frees. */
char *question_text(json_object *message);

#endif
