/*
 * model.h: the options of what works with a model: which one, how it is reached, how long
 * it may work. Private to repl.
 */
#ifndef AGENTCTL_REPL_MODEL_H
#define AGENTCTL_REPL_MODEL_H

#include "agentctl/loop/loop.h"

/** Options of the loop that point into themselves; never copied but by model_choose. */
struct model {
	struct loop_options o;
	struct provider_server *server; /* o.server points to it where it is used */
	char *spec, *server_name;	/* chosen later, or NULL */
	const char *name;		/* for a person */
	const char *resume;		/* --resume, where it is allowed */
};

/** model_options(m, argc, argv, session): read them; --resume only for a @session. The
 * index of the first word behind them, or -1 after a complaint. */
int model_options(struct model *m, int argc, char **argv, bool session);

/** model_choose(m, spec, name): another model: "embedded", a directory, or the URL of a
 * server with the model's name there. @m begins as a copy of what there was, which is not
 * touched. False: it makes no sense, or no memory. */
bool model_choose(struct model *m, const char *spec, const char *name);

/** model_keep(m, next): @next takes the place of @m. */
void model_keep(struct model *m, struct model *next);

void model_free(struct model *m);

#endif
