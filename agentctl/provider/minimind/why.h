/*
 * why.h: the one line that says why a file was refused.
 */
#ifndef AGENTCTL_MINIMIND_WHY_H
#define AGENTCTL_MINIMIND_WHY_H

/** One line of UTF-8 without control characters; empty as long as nothing is wrong. */
struct why {
	char text[256];
};

/** why_set(w, error, fmt, ..): write the line and return @error, for `return
 * why_set(..)`. Control characters of names that come from the file become '?'. */
int why_set(struct why *w, int error, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
