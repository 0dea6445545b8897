#include "agentctl/provider/minimind/grammar.h"
void grammar_begin(const struct minimind_grammar *g, struct grammar_state *s)
{
}
bool grammar_allows(const struct minimind_grammar *g, const struct grammar_state *s,
	const char *text, size_t n)
{
	return true;
}
void grammar_advance(const struct minimind_grammar *g, struct grammar_state *s,
	const char *text, size_t n)
{
}
bool grammar_is_free(const struct minimind_grammar *g, const struct grammar_state *s)
{
	return true;
}
bool grammar_may_end(const struct minimind_grammar *g, const struct grammar_state *s)
{
	return true;
}
bool grammar_is_complete(const struct minimind_grammar *g, const struct grammar_state *s)
{
	return false;
}
