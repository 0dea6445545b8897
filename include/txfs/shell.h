/*
 * shell.h: the reader of shell commands: text in, effects out.
 *
 * A pure library: it opens no file, runs nothing, knows no policy and keeps no state
 * between calls; any number of threads may read at once. Work, memory and nesting are
 * bounded; what goes beyond, does not parse, or is not modelled comes out as an effect
 * of verb SHELL_UNDECIDED, never as nothing.
 *
 * Text that is not known before the command runs is carried as a *hole*, one byte
 * below 8 inside an otherwise literal word; shell_show() makes it readable.
 */
#ifndef TXFS_SHELL_H
#define TXFS_SHELL_H

#include <stdbool.h>
#include <stddef.h>

#define SHELL_MAX_TEXT (128 * 1024)
#define SHELL_MAX_NESTING 64

/** Holes: what is known of a piece of text that is not known. */
enum shell_hole {
	SHELL_NUMBER = 1, /* digits */
	SHELL_NAME,	  /* no slash in it */
	SHELL_BELOW,	  /* a path that stays below what precedes it */
	SHELL_ANYTHING,	  /* nothing is known */
	SHELL_FETCHED,	  /* came over the network in this command */
	SHELL_COMPUTED,	  /* decoded or computed in this command */
	SHELL_FILE,	  /* the content of a file that was not read */
};

/** What a command does to a place. */
enum shell_verb {
	SHELL_READ,
	SHELL_CREATE,	 /* also append */
	SHELL_EDIT,	 /* in place */
	SHELL_OVERWRITE, /* the old content, if any, is lost */
	SHELL_DELETE,
	SHELL_META,	 /* mode, owner, times, xattr */
	SHELL_RUN,	 /* code: see how */
	SHELL_SEND,	 /* content leaves the machine */
	SHELL_REMOTE,	 /* a change in another system */
	SHELL_PRIVILEGE, /* runs with more rights */
	SHELL_HOST,	 /* services, packages, accounts, kernel, power, containers */
	SHELL_PROCESS,	 /* other processes */
	SHELL_LEAVE,	 /* something goes on behind the command */
	SHELL_UNDECIDED,
	SHELL_N_VERBS
};

enum shell_place {
	SHELL_NOWHERE,	 /* the effect has no path */
	SHELL_WORKSPACE, /* below it */
	SHELL_ROOT,	 /* the workspace itself, its .git, or all of either */
	SHELL_SCRATCH,
	SHELL_CACHE, /* tool caches and per-user tool state */
	SHELL_HOME,
	SHELL_SYSTEM,
	SHELL_DEVICE,
	SHELL_CREDENTIAL, /* also other hidden places */
	SHELL_EMPTY,	  /* the word is known to be empty */
	SHELL_UNKNOWN,	  /* any path at all */
	SHELL_N_PLACES
};

/** Further facts of an effect; zero for most. */
enum shell_how {
	SHELL_PLAIN,
	SHELL_PRODUCT,	 /* a build product, made again by the next build */
	SHELL_NOCLOBBER, /* writes only what does not exist */
	SHELL_HOW_COMPUTED,
	SHELL_HOW_FETCHED,
	SHELL_HOW_INLINE,   /* by code of another language inside the command */
	SHELL_HOW_BUILT,    /* by a program that the same command made */
	SHELL_HOW_CERTAIN,  /* listed as destroying, publishing or altering */
	SHELL_HOW_POSSIBLE, /* not listed, but it sounds like that */
	SHELL_N_HOWS
};

struct shell_effect {
	enum shell_verb verb;
	enum shell_place place;
	enum shell_how how;
	bool exact;	     /* no hole in program, options or path */
	const char *program; /* its base name */
	const char *word;    /* the word at fault, may hold holes */
	const char *path;    /* normalised, may end in a hole; NULL without one */
	const char *class_;  /* kind of risk, or NULL */
};

/** One program that would start, after expansion, wrappers taken off. */
struct shell_command {
	const char *program;
	const char *const *argv; /* may hold holes; argv[0] as written */
	size_t argc;
	size_t first_effect, n_effects; /* its share of the effects */
	bool piped;			/* its input comes from another command */
	const char *const *sets; /* names of variables set in front of it, NULL-ended */
};

struct shell_var {
	const char *name;
	const char *value; /* NULL: known to be unset */
};

/** What the reader may know of the command's surroundings; all strings borrowed. */
struct shell_context {
	const char *home;
	const char *cwd;
	const char *workspace;
	const char *tmpdir; /* NULL: /tmp */
	const struct shell_var *env;
	size_t n_env;
};

struct shell_reading {
	const struct shell_effect *effects;
	size_t n_effects;
	const struct shell_command *commands;
	size_t n_commands;
	const char *undecided; /* why, or NULL */
};

/**
 * shell_read(ctx, text, r): what would @text do, run by bash? Returns 0 and *r, which
 * the caller frees with shell_free(); -ENOMEM. Strings in *r live as long as it does.
 */
int shell_read(
	const struct shell_context *ctx, const char *text, struct shell_reading **r);

/** shell_read_argv(ctx, argv, argc, r): the same for one program about to start. */
int shell_read_argv(const struct shell_context *ctx, const char *const *argv, size_t argc,
	struct shell_reading **r);

void shell_free(struct shell_reading *r);

/**
 * shell_place_of(ctx, path, out, size): where does @path (absolute, or relative to
 * ctx->cwd) lie? Writes the normalised path to @out, cut to @size. Pure.
 */
enum shell_place shell_place_of(
	const struct shell_context *ctx, const char *path, char *out, size_t size);

const char *shell_verb_name(enum shell_verb v);
const char *shell_place_name(enum shell_place p);

/** shell_show(s, out, size): @s for people: holes named, control characters escaped. */
void shell_show(const char *s, char *out, size_t size);

#endif
