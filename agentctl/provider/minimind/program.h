/*
 * program.h: the instructions of a grammar.
 */
#ifndef AGENTCTL_MINIMIND_PROGRAM_H
#define AGENTCTL_MINIMIND_PROGRAM_H

#include "agentctl/provider/minimind/grammar.h"
#include "agentctl/provider/minimind/span.h"

enum operation {
	OP_BYTES,   /* y bytes of the text from x on */
	OP_TEXT,    /* the inside of a JSON string, any */
	OP_SPAN,    /* the inside of a JSON string: a span; y: its kind */
	OP_INTEGER, /* JSON numbers */
	OP_NUMBER,
	OP_VALUE, /* any JSON */
	OP_SPLIT, /* both at x and at y */
	OP_JUMP,  /* at x */
	OP_MATCH, /* done */
};

struct instruction {
	enum operation op;
	uint32_t x, y;
};

enum { PROGRAM_MAX = 32768, PROGRAM_TEXT_MAX = 1 << 20, TRIGGER_MAX = 64 };

struct minimind_grammar {
	struct instruction *code;
	uint32_t n, cap;
	char *text;
	uint32_t text_n, text_cap;
	char trigger[TRIGGER_MAX];
	uint32_t trigger_n;
	struct spans spans;
};

#endif
