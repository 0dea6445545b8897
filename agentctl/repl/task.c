/*
 * task.c: `agentctl task`: a model works on a text, headless.
 */
#include "agentctl/repl/model.h"
#include "agentctl/repl/repl.h"

int repl_task(int argc, char **argv)
{
	struct model m;
	int first = model_options(&m, argc, argv, false);
	int r = first == argc - 1 ? loop_task(&m.o, argv[first]) : repl_usage("task");

	model_free(&m);
	return r;
}
