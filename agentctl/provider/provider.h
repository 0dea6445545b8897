/*
 * provider.h: where the words of a model come from: messages in, text or a tool call out.
 *
 * A provider is a table of functions over a state of its own. Today there is one that
 * reads its answers from a script; an engine and an HTTP client will stand behind the
 * same face. Strings are UTF-8. Functions return 0 or -errno.
 */
#ifndef AGENTCTL_PROVIDER_H
#define AGENTCTL_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>

enum provider_role { PROVIDER_SYSTEM, PROVIDER_USER, PROVIDER_ASSISTANT, PROVIDER_TOOL };

/** One message of a conversation. An assistant's may call the tool: then command is what
 * it wants run and call_id names the call; the tool's answer carries the same call_id. */
struct provider_message {
	enum provider_role role;
	char *text;    /* may be NULL beside a command */
	char *command; /* assistant only, or NULL */
	char *call_id; /* or NULL */
};

/** An answer; strings are the caller's to free (provider_reply_free). */
struct provider_reply {
	char *text;    /* to be shown, or NULL */
	char *command; /* run this and come back, or NULL */
	char *call_id;
	bool done; /* the work is finished, text is the last word */
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
	const char *name;  /* shown in all output, e.g. "scripted" */
	char message[256]; /* after an error: one line */
};

void provider_reply_free(struct provider_reply *r);

/** provider_close(p): NULL is fine. */
void provider_close(struct provider *p);

/**
 * provider_open_script(out, path, message, size): answers from the file @path, one JSON
 * object a line, in order, whatever is asked; empty lines and lines that begin with # are
 * skipped. Keys: `say` text to show, `run` a command, `done` the last words. A line has
 * `run` or `done` and may have `say`. -EINVAL with a line in @message names the bad line.
 */
int provider_open_script(
	struct provider **out, const char *path, char *message, size_t size);

#endif
