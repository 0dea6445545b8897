/*
 * repl.h: the command line of agentctl: verbs, options, help.
 */
#ifndef AGENTCTL_REPL_H
#define AGENTCTL_REPL_H

/** A verb; its line of help and its function, which gets the verb as argv[0]. */
struct repl_verb {
	const char *name, *arguments, *help;
	int (*run)(int argc, char **argv);
};

/** repl_verbs: the table, ended by a NULL name. */
extern const struct repl_verb repl_verbs[];

int repl_run(int argc, char **argv);
int repl_task(int argc, char **argv);
int repl_transcript(int argc, char **argv);
int repl_audit(int argc, char **argv);
int repl_hook(int argc, char **argv);
int repl_doctor(int argc, char **argv);
int repl_mcp(int argc, char **argv);
int repl_serve(int argc, char **argv);
int repl_session(int argc, char **argv); /* argv[0] is no verb but the program */

/** repl_usage(verb): complain with the line of @verb; returns 2. */
int repl_usage(const char *verb);

#endif
