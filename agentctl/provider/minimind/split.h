/*
 * split.h: GPT-2's pattern, by which text falls into pieces before BPE.
 */
#ifndef AGENTCTL_MINIMIND_SPLIT_H
#define AGENTCTL_MINIMIND_SPLIT_H

#include <stddef.h>

/** split_next(p, left): how many bytes the first piece of the UTF-8 at @p has, at least
 * one of @left > 0:
 *	's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ */
size_t split_next(const char *p, size_t left);

#endif
