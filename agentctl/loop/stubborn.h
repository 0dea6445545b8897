/*
 * stubborn.h: noticing a model that does not get on. Private to loop.
 *
 * Small models repeat themselves: a command that was refused, a command that fails the
 * same way each time, answers without a call. They are told so, and when that does not
 * help the work is ended.
 */
#ifndef AGENTCTL_LOOP_STUBBORN_H
#define AGENTCTL_LOOP_STUBBORN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	STUBBORN_SAME_REFUSED = 3, /* the same command, refused so often: the end */
	STUBBORN_REFUSED = 10,	   /* any commands, refused in a row: the end */
	STUBBORN_SAME_TOLD = 3,	   /* the same command and result in a row: told */
	STUBBORN_SAME = 6,	   /* the end */
	STUBBORN_IDLE = 4,	   /* answers in a row without a usable call: the end */
	STUBBORN_KNOWN = 64,	   /* refused commands that are remembered */
};

/** Zeroed it has seen nothing. */
struct stubborn {
	struct {
		uint64_t hash;
		unsigned int n;
	} refused[STUBBORN_KNOWN];
	size_t n_refused, oldest;
	unsigned int refused_in_row, same_in_row, idle;
	uint64_t last; /* command and result */
};

/** Each takes what happened and returns NULL, or why it is the end (static). */

/** stubborn_refused(s, command, times): @command was refused; *times so far. Commands
 * that differ in blanks only are the same. */
const char *stubborn_refused(
	struct stubborn *s, const char *command, unsigned int *times);

/** stubborn_ran(s, command, result, times): it ran; *times in a row with that result. */
const char *stubborn_ran(
	struct stubborn *s, const char *command, const char *result, unsigned int *times);

/** stubborn_idle(s): an answer without a usable call. */
const char *stubborn_idle(struct stubborn *s);

#endif
