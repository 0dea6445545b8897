/*
 * provider.h: where the words of a model come from: messages in, text or a tool call out.
 *
 * A provider is a table of functions over a state of its own. One reads its answers from
 * a script, one asks a server by the OpenAI protocol; an engine stands behind the same
 * face. Strings are UTF-8. Functions return 0 or -errno.
 *
 * Three tools exist: `run` a shell command, `finish` with last words, `rollback` to the
 * state before a step.
 */
#ifndef AGENTCTL_PROVIDER_H
#define AGENTCTL_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum provider_role { PROVIDER_SYSTEM, PROVIDER_USER, PROVIDER_ASSISTANT, PROVIDER_TOOL };

/** One message of a conversation. An assistant's may call a tool: then command is what it
 * wants run, or back is set, and call_id names the call; the tool's answer carries the
 * same call_id. */
struct provider_message {
	enum provider_role role;
	char *text;    /* may be NULL beside a call */
	char *command; /* assistant only, or NULL */
	char *call_id; /* or NULL */
	bool back;     /* assistant: wants to go back */
	unsigned int back_to;
	bool failed;   /* tool: refused, or it did not end well */
	bool refused;  /* tool: nothing was run */
	int status;    /* tool: of the command, as a shell tells it */
	size_t output; /* tool: where in text what it printed, or the reason, begins */
};

/** An answer; strings are the caller's to free (provider_reply_free). Without command,
 * back, done and unread it is words alone. */
struct provider_reply {
	char *text;    /* to be shown, or NULL */
	char *command; /* run this and come back, or NULL */
	char *call_id;
	bool done;    /* the work is finished, text is the last word */
	bool gave_up; /* it cannot be finished, text is the last word */
	bool back;    /* undo what step back_to and those after it changed; 0: the last */
	unsigned int back_to;
	char *unread; /* there was a call, but no sense in it: why, for the model */
	bool cut;     /* the answer broke off at its greatest length */
	uint64_t tokens_in, tokens_out; /* what it cost; 0: free, or said before */
};

/** How a provider that waits hears of the outside; the caller sets it before next. All
 * zero: it hears of nothing. */
struct provider_watch {
	int fd; /* when this is readable, stop is asked; with stop only */
	bool (*stop)(void *arg); /* whether to give up, with -EINTR */
	/* the words as they come; NULL: all of this answer was for nothing, it begins
	 * anew. May be NULL. */
	void (*said)(void *arg, const char *text, size_t n);
	/* a line about trouble that may pass. May be NULL. */
	void (*trouble)(void *arg, const char *line);
	void *arg;
	int64_t until_ns; /* CLOCK_MONOTONIC; then -ETIME; 0: no end */
};

struct provider;

struct provider_ops {
	/** next(p, m, n, out): the answer to the @n messages at @m. @out is zeroed. May
	 * block as long as the model thinks. -ENODATA: the model has nothing more to say,
	 * and did not finish. */
	int (*next)(struct provider *p, const struct provider_message *m, size_t n,
		struct provider_reply *out);
	void (*close)(struct provider *p);
};

/** The head of every provider's state. */
struct provider {
	const struct provider_ops *ops;
	const char *name; /* shown in all output, e.g. "scripted" */
	struct provider_watch watch;
	char message[512]; /* after an error: one line */
};

void provider_reply_free(struct provider_reply *r);

/** provider_close(p): NULL is fine. */
void provider_close(struct provider *p);

/**
 * provider_open_script(out, path, message, size): answers from the file @path, one JSON
 * object a line, in order, whatever is asked; empty lines and lines that begin with # are
 * skipped. Keys: `say` text to show, `run` a command, `rollback` a step's number (0: the
 * last), `done` the last words. A line has `run`, `rollback` or `done` and may have
 * `say`. -EINVAL with a line in @message names the bad line.
 */
int provider_open_script(
	struct provider **out, const char *path, char *message, size_t size);

/** How the tools are offered: in the request, or in words, or as the server wants. */
enum provider_tools { PROVIDER_TOOLS_AUTO, PROVIDER_TOOLS_NATIVE, PROVIDER_TOOLS_TEXT };

/** A server of chat completions. Strings are copied. Zero means the default, but for
 * retries. */
struct provider_server {
	const char *url;      /* http(s)://HOST[:PORT]/v1, or unix:PATH */
	const char *model;    /* its name for the server */
	const char *key_env;  /* variable with the key; NULL: OPENAI_API_KEY */
	const char *key_file; /* or a file with it */
	const char *ca_file;  /* certificates to trust instead of the system's */
	enum provider_tools tools;
	bool no_stream, no_rollback; /* not ask for a stream; not offer that tool */
	unsigned int max_reply;	     /* tokens of one answer; 0: the server's choice */
	unsigned int context;	     /* tokens that the model can take in; 0: unknown */
	bool has_temperature;
	double temperature;
	unsigned int retries; /* of one question */
	int connect_ms, idle_ms, total_ms;
};

#define PROVIDER_RETRIES 5
#define PROVIDER_CONNECT_MS 15000
#define PROVIDER_IDLE_MS 300000
#define PROVIDER_TOTAL_MS 1800000

/**
 * provider_open_server(out, s, message, size): a model behind the OpenAI protocol. Checks
 * the options and reads the key; nothing is connected. Where the key comes from the
 * environment it is taken out of it, so that no command sees it. -EINVAL, -EACCES, what
 * open(2) gives; @message is one line.
 */
int provider_open_server(struct provider **out, const struct provider_server *s,
	char *message, size_t size);

/** provider_open_embedded(out, dir, message, size): the small model made here, or one of
 * its protocol in the directory @dir (NULL: the one that is built in). Answers take
 * milliseconds, so watch is not asked. */
int provider_open_embedded(
	struct provider **out, const char *dir, char *message, size_t size);

/**
 * provider_open_local(out, s, dir, message, size): the model in @dir, in this process:
 * one of the small one's protocol, or a chat model. Of @s (may be NULL) count max_reply,
 * temperature (0 without one), context and no_rollback. Errors as minimind_open.
 */
int provider_open_local(struct provider **out, const struct provider_server *s,
	const char *dir, char *message, size_t size);

/** provider_can_ask(message, size): whether what asks servers is installed; @message is
 * one line about it. */
bool provider_can_ask(char *message, size_t size);

#endif
