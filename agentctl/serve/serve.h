/*
 * serve.h: the engine as a server of chat completions, as OpenAI has them: models, chat
 * completions with and without streaming, tools. One question is answered after the
 * other; who waits, waits in a queue.
 */
#ifndef AGENTCTL_SERVE_SERVE_H
#define AGENTCTL_SERVE_SERVE_H

#include <stdbool.h>
#include <stdint.h>

struct serve_options {
	const char
		*listen;  /* HOST:PORT, [HOST]:PORT or unix:PATH; NULL: 127.0.0.1:8998 */
	const char *dir;  /* the model's directory; NULL: the embedded one */
	const char *name; /* told by /v1/models; NULL: the directory's, or "embedded" */
	const char *key_file; /* whoever asks must have this key; NULL: nobody */
	unsigned int threads; /* of the engine; 0: one */
	uint32_t context; /* tokens of a conversation; 0: 4096, or what the model knows */
};

/** serve_run(o): answer until SIGINT or SIGTERM. Returns the program's exit status: 0;
 * 125: it could not begin, told. */
int serve_run(const struct serve_options *o);

#endif
