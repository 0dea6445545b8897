/*
 * ending.c: from what happened to one number. The strongest fact wins: what was not
 * started cannot have failed, what was not published is no success.
 */
#include "agentctl/loop/loop.h"

enum {
	EXIT_CHECK = 120,
	EXIT_CONFLICT = 121,
	EXIT_UNCLEAN = 122,
	EXIT_TIMED_OUT = 124,
	EXIT_SET_UP = 125,
	EXIT_REFUSED = 126,
};

const char *loop_outcome_name(enum loop_outcome o)
{
	static const char *const names[] = {[LOOP_COMMITTED] = "committed",
		[LOOP_KEPT] = "kept",
		[LOOP_ABORTED] = "aborted",
		[LOOP_REFUSED] = "refused",
		[LOOP_CONFLICT] = "conflict",
		[LOOP_FAILED] = "failed"};

	return names[o];
}

int loop_exit_code(const struct loop_ending *e)
{
	if (e->outcome == LOOP_REFUSED)
		return EXIT_REFUSED;
	if (e->outcome == LOOP_CONFLICT)
		return EXIT_CONFLICT;
	if (e->outcome == LOOP_FAILED)
		return e->ran ? EXIT_UNCLEAN : EXIT_SET_UP;
	if (e->unclean || e->behind)
		return EXIT_UNCLEAN;
	if (e->timed_out)
		return EXIT_TIMED_OUT;
	if (e->status == 0 && e->check_failed)
		return EXIT_CHECK;
	if (e->status == 0 && e->outcome == LOOP_ABORTED)
		return 1; /* aborted for another reason: never 0 */
	return e->status;
}
