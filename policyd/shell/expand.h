/*
 * expand.h: the parts of expansion: braces (brace.c), parameters (param.c), the rest.
 */
#ifndef POLICYD_SHELL_EXPAND_H
#define POLICYD_SHELL_EXPAND_H

#include "policyd/shell/sh.h"

struct seg_list {
	struct seg_list *next;
	struct seg *segs;
};

/** brace_expand(sh, segs): the words that a{b,c}d stands for, at least one. */
struct seg_list *brace_expand(struct sh *sh, struct seg *segs);

/** param_value(sh, s): ${..} with its operator; NULL when unset. Not "$@". */
const char *param_value(struct sh *sh, const struct seg *s);

/** arith_assigns(sh, text): variables that an arithmetic expression sets. */
void arith_assigns(struct sh *sh, const char *text);

#endif
