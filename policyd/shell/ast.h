/*
 * ast.h: the tree that the parser makes of a command. Nodes live in the reading's
 * arena and are never changed after parsing.
 */
#ifndef POLICYD_SHELL_AST_H
#define POLICYD_SHELL_AST_H

#include <stdbool.h>
#include <stddef.h>

struct node;
struct word;

enum seg_kind {
	SEG_TEXT,  /* text; unquoted text may hold globs, braces, a tilde */
	SEG_PARAM, /* ${text}, with op and arg */
	SEG_CMD,   /* $(cmd), `cmd` */
	SEG_ARITH, /* $((arg)) */
	SEG_PROC,  /* <(cmd), >(cmd): op says which */
};

struct seg {
	struct seg *next;
	enum seg_kind kind;
	bool quoted;
	bool indirect;	  /* ${!x} */
	bool length;	  /* ${#x} */
	const char *text; /* text, or the parameter's name */
	const char *op;	  /* ":-", "%%", "/" ...; "" for none */
	struct word *arg, *arg2;
	struct word *index; /* ${a[index]} */
	struct node *cmd;
};

struct word {
	struct word *next;
	struct seg *segs;
};

struct assign {
	struct assign *next;
	const char *name;
	bool append, array;
	struct word *index;
	struct word *value; /* array: a list */
};

enum redir_kind {
	R_IN,
	R_OUT,
	R_CLOBBER,
	R_APPEND,
	R_RDWR,
	R_DUP_IN,
	R_DUP_OUT,
	R_BOTH,
	R_HERE,
	R_STRING
};

struct redir {
	struct redir *next;
	enum redir_kind kind;
	int fd;		   /* -1: the default */
	struct word *word; /* target, or the document */
};

enum node_kind {
	N_SIMPLE,
	N_PIPE,	 /* list of a */
	N_AND,	 /* a && b */
	N_OR,	 /* a || b */
	N_SEQ,	 /* list of a */
	N_BG,	 /* a & */
	N_NOT,	 /* ! a */
	N_GROUP, /* { a } */
	N_SUB,	 /* ( a ) */
	N_IF,	 /* a then b else c */
	N_WHILE, /* while or until a do b */
	N_FOR,	 /* name in words do b */
	N_CASE,	 /* words: the subject; items */
	N_FUNC,	 /* name, body a */
	N_ARITH, /* (( words )) */
	N_COND,	 /* [[ words ]] */
	N_COPROC,
};

struct case_item {
	struct case_item *next;
	struct word *patterns;
	struct node *body;
};

struct node {
	enum node_kind kind;
	struct node *next; /* in the list of its parent */
	struct node *a, *b, *c;
	const char *name;
	bool has_in; /* for: "in" was there */
	bool until;
	struct word *words;
	struct assign *assigns;
	struct redir *redirs;
	struct case_item *items;
};

#endif
