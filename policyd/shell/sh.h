/*
 * sh.h: what the files of the reader share. Its face is txfs/shell.h.
 *
 *	parse	text -> tree (ast.h)		expand	words -> fields with holes
 *	eval	tree -> simple commands		run	argv -> wrappers, shells, tables
 *	files, verbs, code, special		what a program does
 *	path	where a word points		table	the data files
 *
 * One struct sh is one reading. Everything in it lies in one arena; running out of
 * memory, work or nesting leaves by sh_stop() for shell_read(), which frees nothing
 * but the arena: so no function below holds anything that needs releasing.
 */
#ifndef POLICYD_SHELL_SH_H
#define POLICYD_SHELL_SH_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policyd/shell/ast.h"
#include "txfs/shell.h"

enum {
	MAX_STEPS = 40000,
	MAX_ARENA = 24 * 1024 * 1024,
	MAX_ALTS = 8,	   /* values that one variable may have at one time */
	MAX_PICKS = 16,	   /* combinations of them that one command is read with */
	MAX_LOOP = 48,	   /* words that a for loop is unrolled for */
	MAX_FIELDS = 4096, /* words of one command that are looked at one by one */
	MAX_OUTPUT = 64 * 1024,
	MAX_CALLS = 12, /* nested function calls */
};

/** HOLE(h): a static string of that one hole. */
#define HOLE(h) (sh_holes[h])
extern const char sh_holes[8][2];
#define is_hole(c) ((unsigned char)(c) >= 1 && (unsigned char)(c) <= 7)

/** Fields: an argv under construction. quoted: some part of it was. */
struct fields {
	char **v;
	bool *quoted;
	size_t n, cap;
};

/** A variable. One value of several is meant (alt), or it is an array (elem). */
struct var {
	struct var *next;
	const char *name;
	char **alt;
	size_t n_alt;
	char **elem;
	size_t n_elem;
	bool array, unset, ref;
};

/** The stack of pushd: never changed, only replaced. */
struct dir {
	struct dir *next;
	const char *path;
};

/** What changes as a command runs, and is forked by subshells and branches. */
struct state {
	struct var *vars;
	char **cwd;
	size_t n_cwd;
	char **args; /* "$@" */
	size_t n_args;
	struct dir *dirs;
};

struct func {
	struct func *next;
	const char *name;
	const struct node *body;
	bool active; /* being read: a call of itself is recursion */
};

/** A link that the command made; writing to a hard one writes to its target. */
struct link {
	struct link *next;
	const char *path, *target;
	bool hard;
};

/** A file that the command made: what is in it, or which program it is a copy of. */
struct made {
	struct made *next;
	const char *path, *content, *program;
	bool active; /* its content is being read: running it again is recursion */
};

struct sh {
	const struct shell_context *ctx;
	jmp_buf *out;	 /* where sh_stop() goes */
	const char *why; /* undecided because */
	struct chunk *chunks;
	size_t arena_bytes;
	unsigned steps, depth, calls;

	const char *arg0;	   /* $0 of an inner shell */
	const struct assign *sets; /* in front of the program that is run */
	struct state st;
	struct func *funcs, *aliases;
	struct made *made, *trees;
	struct link *links;
	const char *fd[10]; /* paths that descriptors were opened on */
	size_t pick, radix;
	bool again; /* a further pick: assignments add a value */
	bool begun; /* this choice of the command has not changed the folder yet */
	unsigned fds;
	bool guess; /* reading text that only might be code */
	unsigned in_function_bg;
	bool away;		     /* reading a command that runs somewhere else */
	bool many;		     /* seq counted far */
	const char *at_exit;	     /* the text of the trap on EXIT */
	bool in_trap, endless_input; /* the input is that of "yes TEXT |" */
	const char *foreign;	     /* whose processes were looked for: see process.c */

	struct shell_effect *effects;
	size_t n_effects, cap_effects;
	struct shell_command *commands;
	size_t n_commands, cap_commands;
};

/* --- arena.c --- */
void *sh_alloc(struct sh *sh, size_t n);
char *sh_strn(struct sh *sh, const char *s, size_t n);
char *sh_str(struct sh *sh, const char *s);
char *sh_cat(struct sh *sh, const char *a, const char *b);
char *sh_cat3(struct sh *sh, const char *a, const char *b, const char *c);
/** sh_grow(sh, p, n, cap, size): room for one more of @size at @p[n]; returns p. */
void *sh_grow(struct sh *sh, void *p, size_t n, size_t *cap, size_t size);
void sh_free_arena(struct sh *sh);
_Noreturn void sh_stop(struct sh *sh, const char *why);
/** sh_step(sh): count one unit of work, stop at the limit. */
void sh_step(struct sh *sh);

struct buf {
	char *s;
	size_t n, cap;
};
void buf_add(struct sh *sh, struct buf *b, const char *s, size_t n);
void buf_c(struct sh *sh, struct buf *b, char c);
char *buf_str(struct sh *sh, struct buf *b);

bool has_hole(const char *s);
bool has_any(const char *s); /* a hole other than number or name */
bool str_in(const char *s, const char *const *list);
/** word_in(s, list): is @s one of the blank-separated words of @list? */
bool word_in(const char *s, const char *list);

/* --- parse.c --- */
/** parse(sh, text): the tree, in the arena; stops when it does not parse. */
struct node *sh_parse(struct sh *sh, const char *text);
/** sh_parse_text(sh, text): @text as between double quotes. */
struct word *sh_parse_text(struct sh *sh, const char *text);
/** sh_parses(sh, text): NULL instead of stopping. */
struct node *sh_try_parse(struct sh *sh, const char *text);

/* --- vars.c --- */
struct var *var_find(struct sh *sh, const char *name);
/** var_get(sh, name): its value; NULL when it is known to be unset. */
const char *var_get(struct sh *sh, const char *name);
/** var_restore(sh, before, name): the variable is again what it was there. */
void var_restore(struct sh *sh, const struct state *before, const char *name);
void var_set(struct sh *sh, const char *name, const char *value);
void var_set_array(struct sh *sh, const char *name, char **v, size_t n);
void var_set_ref(struct sh *sh, const char *name, const char *target);
void var_unset(struct sh *sh, const char *name);
struct state state_copy(struct sh *sh);
/** state_merge(sh, other): from now on the state is either this one or @other. */
void state_merge(struct sh *sh, const struct state *other);
/**
 * variable_hook(sh, name, value, program): is @name one of those whose value is run or
 * given to programs? Then it is read as that.
 */
bool variable_hook(
	struct sh *sh, const char *name, const char *value, const char *program);
const char *sh_cwd(struct sh *sh);
void sh_chdir(struct sh *sh, const char *dir);
/** add_alt(sh, alt, n, value): one more of the values that something may have; too many
 * are a hole. */
void add_alt(struct sh *sh, char ***alt, size_t *n, const char *value);

/* --- expand.c --- */
void expand_word(struct sh *sh, const struct word *w, struct fields *out);
/** expand_one(sh, w): as in an assignment: no splitting, no globs. */
char *expand_one(struct sh *sh, const struct word *w);
void fields_add(struct sh *sh, struct fields *f, char *s, bool quoted);
/** hidden_substitution(sh, s): what evaluating @s as arithmetic would run: a[$(..)]. */
void hidden_substitution(struct sh *sh, const char *s);
/** sh_printf_escapes(sh, s): backslash escapes of echo -e and printf. */
char *sh_unescape(struct sh *sh, const char *s, size_t n);

/* --- eval.c --- */
/** eval_node(sh, n, in): read @n with input @in (NULL: none); returns its output. */
char *eval_node(struct sh *sh, const struct node *n, const char *in);
/** eval_text(sh, text, in): parse and read; code with a hole at its start is judged. */
char *eval_text(struct sh *sh, const char *text, const char *in, const char *program);
char *eval_sub(struct sh *sh, const struct node *n);
/** arith_set_all(sh, w): variables that the arithmetic text @w sets. */
void arith_set_all(struct sh *sh, const struct word *w);
/** sh_quote(sh, s): @s as one word of shell text. */
char *sh_quote(struct sh *sh, const char *s);
char *eval_proc(struct sh *sh, const struct node *n, char dir);

/* --- run.c --- */
struct cmd {
	char **argv;
	size_t argc;
	const char *in;	     /* its input, NULL if none */
	const char *name;    /* base name of the program */
	unsigned char flags; /* CMD_* */
};
enum { CMD_BUILT = 1, CMD_PRIV = 2, CMD_OPERANDS_UNKNOWN = 4 };
char *run_argv(struct sh *sh, char **argv, size_t argc, const char *in);
/** is_stdin(word): a name of the input: -, /dev/stdin, /dev/fd/0. */
bool is_stdin(const char *word);
/** run_builtin(sh, c, out): true when it was one. */
bool run_builtin(struct sh *sh, struct cmd *c, char **out);

/* --- opts.c --- */
struct opt {
	const char *name, *value; /* "-o" or "--out"; value NULL */
};
struct opts {
	struct opt *opt;
	size_t n_opt, cap_opt;
	char **rest; /* operands */
	size_t n_rest, cap_rest;
};
/**
 * opts_read(sh, c, valued, o): split argv into options and operands. @valued names the
 * options that take a value; "1" among them: one dash starts a long option.
 * "first": options end at the first operand.
 */
void opts_read(struct sh *sh, const struct cmd *c, const char *valued, struct opts *o);
/** add_operand(sh, o, s): as if @s had been an operand. */
void add_operand(struct sh *sh, struct opts *o, const char *s);
const struct opt *opts_find(const struct opts *o, const char *names);

/* --- path.c --- */
/** path_of(sh, word, path): where @word points from here; the path goes to *path. */
enum shell_place path_of(struct sh *sh, const char *word, const char **path);
enum shell_place place_of(
	const struct shell_context *ctx, struct sh *sh, const char *path);
/** path_below_links(sh, word): absolute, through links that the command made itself. */
char *path_below_links(struct sh *sh, const char *word);
char *path_join(struct sh *sh, const char *cwd, const char *word);
/** path_is_below(path, dir): @path is @dir or lies in it. */
bool path_is_below(const char *path, const char *dir);
bool path_is_product(const char *path, const char *workspace);

/* --- effect.c --- */
struct shell_effect *effect(struct sh *sh, enum shell_verb v, enum shell_place p,
	enum shell_how how, const char *program, const char *word, const char *class_);
/** effect_path(sh, v, c, word): @v on the file that @word names. */
struct shell_effect *effect_path(struct sh *sh, enum shell_verb v, const char *program,
	const char *word, enum shell_how how);
void note_made(struct sh *sh, const char *word, const char *content, const char *program);
void note_link(struct sh *sh, const char *word, const char *target, bool hard);
struct made *find_made(struct sh *sh, const char *word);
/** note_tree(sh, word): what lies below @word was fetched by this command. */
void note_tree(struct sh *sh, const char *word);
bool in_tree(struct sh *sh, const char *word);
/** fd_path(sh, n): what "exec n< PATH" opened, or NULL. */
const char *fd_path(struct sh *sh, unsigned n);
void note_fd(struct sh *sh, int fd, const char *word);
bool is_outside(enum shell_place p);

/* --- files.c, verbs.c, code.c, special.c, git.c, net.c --- */
bool files_apply(struct sh *sh, struct cmd *c);
bool verbs_apply(struct sh *sh, struct cmd *c);
bool hooks_apply(struct sh *sh, struct cmd *c);
void unknown_apply(struct sh *sh, struct cmd *c);
/** code_text(sh, lang, text, program): inline code of another language. */
void code_text(struct sh *sh, const char *lang, const char *text, const char *program);
/** language_of(path): the language of a source file by its name's end; "" if none. */
const char *language_of(const char *path);
/** code_counts(e): would @e count if the text were run that only may be? */
/** awk_named(sh, code, name, value, program): what awk's @code does with its variable
 * @name, which is @value: a command, a file. */
void awk_named(struct sh *sh, const char *code, const char *name, const char *value,
	const char *program);
bool code_counts(const struct shell_effect *e);
/** code_guess(sh, text, program): @text may be a shell command; count what destroys. */
void code_guess(struct sh *sh, const char *text, const char *program);
bool special_apply(struct sh *sh, struct cmd *c, char **out);
char *output_of(struct sh *sh, struct cmd *c);
/** redirect_net(sh, path): if @path is bash's own name of a connection, its effect; and
 * whether it is. */
bool redirect_net(struct sh *sh, const char *path);

/* --- process.c --- */
/* --- loops.c --- */

enum { LOOP_FAR = 500 }; /* rounds that are too many to start something in each */
struct node;
/** loop_starts_more(body): it starts something in the background and nothing waits.
 * loop_grows(body): that, or it grows or writes each time without waiting. */
bool loop_starts_more(const struct node *body);
bool loop_grows(const struct node *body);
/** loop_has_no_end(sh, cond, until): nothing in the condition ends it. */
bool loop_has_no_end(struct sh *sh, const struct node *cond, bool until);
/** loop_counts_far(head): for ((@head)) has no condition, or one that holds long. */
bool loop_counts_far(const char *head);
/** is_literal_word(w, text): @w is @text, without quotes or expansions. */
struct word;
bool is_literal_word(const struct word *w, const char *text);

/** endless(sh, program, word): it starts or fills without end. */
void endless(struct sh *sh, const char *program, const char *word);
/** check_endless(sh, c, out): sources without an end whose output goes to file @out. */
void check_endless(struct sh *sh, struct cmd *c, const char *out_path);
bool too_large(const char *s);

/* --- table.c --- */
enum table {
	T_WRAPPERS,
	T_FILES,
	T_VERBS,
	T_HOOKS,
	T_INTERPRETERS,
	T_PRODUCTS,
	T_CACHES,
	T_HIDDEN,
	T_DESTRUCTION,
	T_CODE,
	T_VARIABLES,
	T_TEXTUAL,
	T_SERVICES,
	T_REMOTES,
	T_N
};
/** table_find(t, key, n): the rows of @key (their columns), *n of them; NULL: none. */
const char *const *const *table_find(enum table t, const char *key, size_t *n);
const char *const *const *table_all(enum table t, size_t *n);
/** table_row(t, key): the first row of @key, or NULL. row[0] is the key. */
const char *const *table_row(enum table t, const char *key);

#endif
