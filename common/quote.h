/*
 * quote.h: arguments as one line of shell that means exactly them.
 */
#ifndef COMMON_QUOTE_H
#define COMMON_QUOTE_H

/** quote_argv(argv): the NULL-ended @argv as words of a shell, separated by blanks; plain
 * words stay as they are. Caller frees; NULL: no memory. */
char *quote_argv(char *const *argv);

#endif
