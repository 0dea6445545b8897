/*
 * scan.h: what the scanners of other languages' code share. Private to policyd/shell.
 */
#ifndef POLICYD_SHELL_SCAN_H
#define POLICYD_SHELL_SCAN_H

#include "policyd/shell/special.h"

/* What a call does, in code.tsv; a text has those of all its calls. */
enum {
	K_PROCESS = 1,
	K_DELETE = 2,
	K_WRITE = 4,
	K_NETWORK = 8,
	K_DYNAMIC = 16,
	K_HIDDEN = 32,
	K_FORK = 64,
	K_READ = 128,
	K_FETCH = 256,
	K_KILL = 512,
	K_COPY = 1024,
	K_MOVE = 2048,
	K_SQL = 4096,
	K_PRIV = 8192,
	K_CHDIR = 16384,
};

struct scan {
	struct sh *sh;
	const char *lang, *text, *program;
	const char *moved; /* where the text leaves the folder it starts in */
	char **cwd;	   /* that folder */
	size_t n_cwd;
	unsigned kinds;
	int hops; /* of variables inside literals */
};

enum { MAX_VALUES = 64, MAX_HOPS = 4 };

struct values {
	char *v[MAX_VALUES];
	size_t n;
};

/* --- values.c --- */

bool is_word(char c);
/** literal_end(p): the end of a string literal that begins at @p, or NULL. */
const char *literal_end(const char *p);
/** args_end(p): where the arguments of the call at @p end: the matching parenthesis, or
 * the end of the statement. */
const char *args_end(const char *p);
/** is_bare(s): does the language write words without quotes? */
bool is_bare(const struct scan *s);
/** values_of(s, p, end, hops, out): the values between @p and @end, one for each part
 * between commas, following at most MAX_HOPS - @hops variables. */
void values_of(
	struct scan *s, const char *p, const char *end, int hops, struct values *out);
/** bare_values(s, p, end, out): the same in a language whose words need no quotes. */
void bare_values(struct scan *s, const char *p, const char *end, struct values *out);
/** interpolate(s, lit, quote, format): @lit as a value: variables in it become holes. */
char *interpolate(struct scan *s, const char *lit, char quote, bool format);
/** skip_brackets(p, end): behind the bracket that closes the one at @p. */
const char *skip_brackets(const char *p, const char *end);

/* --- code.c --- */

/** without_literals(sh, text): @text without its string literals. */
const char *without_literals(struct sh *sh, const char *text);

/* --- calls.c --- */

/** scan_calls(s): the effects of every call of code.tsv that the text has; s->kinds. */
void scan_calls(struct scan *s);
/** run_text(s, text): the code runs @text as a shell command. */
void run_text(struct scan *s, const char *text);

/* --- editors.c --- */

void scan_sed(struct scan *s);
void scan_vim(struct scan *s);
void scan_awk(struct scan *s);

#endif
