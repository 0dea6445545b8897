/*
 * quote.h: arguments as one line of shell that means exactly them. Private to tool.
 */
#ifndef AGENTCTL_TOOL_QUOTE_H
#define AGENTCTL_TOOL_QUOTE_H

/** quote_argv(argv): the NULL-ended @argv as words of a shell, separated by blanks; plain
 * words stay as they are. Caller frees; NULL: no memory. */
char *quote_argv(char *const *argv);

#endif
