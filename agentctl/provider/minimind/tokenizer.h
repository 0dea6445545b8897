/*
 * tokenizer.h: text into token ids and back, as a tokenizer.json says.
 *
 * Byte-level BPE: added tokens are cut out first, the rest is split by GPT-2's pattern,
 * and in each piece pairs are joined in the order of the list of merges.
 */
#ifndef AGENTCTL_MINIMIND_TOKENIZER_H
#define AGENTCTL_MINIMIND_TOKENIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agentctl/provider/minimind/minimind.h"
#include "agentctl/provider/minimind/why.h"

struct tokenizer;

/** tokenizer_read(out, text, size, why): from the text of a tokenizer.json. -EINVAL where
 * it is damaged or asks for what is not known here (another model, a normalizer, another
 * split); -ENOMEM. */
int tokenizer_read(
	struct tokenizer **out, const char *text, size_t size, struct why *why);
/** tokenizer_free(t): NULL is fine. */
void tokenizer_free(struct tokenizer *t);

/** How many ids there are: one more than the largest. */
uint32_t tokenizer_size(const struct tokenizer *t);

/** tokenizer_encode(t, parts, n, ids, count): see minimind_encode. */
int tokenizer_encode(const struct tokenizer *t, const struct minimind_text *parts,
	size_t n, uint32_t **ids, size_t *count);

/** tokenizer_piece(t, id, len): the bytes of a token, no NUL; empty for an id that is
 * none. */
const char *tokenizer_piece(const struct tokenizer *t, uint32_t id, size_t *len);

/** tokenizer_is_special(t, id): whether it is an added token that is marked special. */
bool tokenizer_is_special(const struct tokenizer *t, uint32_t id);

/** tokenizer_find(t, text): the id of the added token @text; UINT32_MAX: none. */
uint32_t tokenizer_find(const struct tokenizer *t, const char *text);

#endif
