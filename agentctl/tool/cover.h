/*
 * cover.h: what could bring back changes made in a directory, for hooks of other agents,
 * which run where they are and not in a sandbox of ours.
 */
#ifndef AGENTCTL_TOOL_COVER_H
#define AGENTCTL_TOOL_COVER_H

#include <limits.h>

#include "txfs/policy.h"

struct cover {
	enum policy_cover cover;  /* TX only if a transaction is open there right now */
	char workspace[PATH_MAX]; /* its mount or view, else the project, else the place
				   */
	char tx[24];		  /* of that transaction, or "" */
};

/**
 * cover_find(cwd, c): @cwd is an absolute path. Whatever cannot be found out, and a mount
 * that does not answer, is no cover. May block on a mount whose daemon hangs.
 */
void cover_find(const char *cwd, struct cover *c);

#endif
