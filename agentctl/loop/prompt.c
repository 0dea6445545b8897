/*
 * prompt.c: what a provider is told. Few lines: small models lose the thread in long
 * ones.
 */
#include "agentctl/loop/prompt.h"
#include "common/cleanup.h"
#include "common/mem.h"

const char prompt_no_call[] =
	"You called no tool. If the work goes on, call run; if it is done, or cannot be "
	"done, call finish with a message. Where tools cannot be called otherwise, write "
	"<tool_call>\n{\"name\": \"run\", \"arguments\": {\"command\": \"ls\"}}\n"
	"</tool_call>";

const char prompt_cut[] =
	"Your answer broke off, it was too long; nothing of it was done. Be shorter: one "
	"small step, and long files in several pieces.";

static const char *const failures[] = {
	[LOOP_FAILURE_MODEL] = "What a failed command changed stays, unless you call "
			       "rollback. ",
	[LOOP_FAILURE_ROLLBACK] =
		"What a failed command changed is undone before you hear of it. ",
	[LOOP_FAILURE_KEEP] = "What a failed command changed stays. ",
};

char *prompt_system(const struct loop *l)
{
	const char *check = l->o->check;
	auto_free char *last =
		mem_printf("%s%s%s", check ? "At the end this check must succeed: " : "",
			check ? check : "", check ? "\n" : "");

	if (!last)
		return NULL;
	return mem_printf(
		"You work in the directory %s by shell commands, one at a time, each in "
		"a "
		"new bash that starts in %s.\n"
		"Everything you change there is part of one transaction: nobody sees it "
		"until it is committed at the end, and if the work fails all of it is "
		"undone. %sNothing outside can be changed, but /tmp, which is thrown "
		"away.\n"
		"A command that the policy refuses was not run, and you are told why: do "
		"not repeat it, find another way or say that it cannot be done.\n"
		"%sDo not guess what you can look up. When you are done, call finish and "
		"say what you did; say so if you failed.",
		tool_workspace(l->t), tool_cwd(l->t), failures[l->o->on_failure], last);
}
