/*
 * workspace.h: which directory a command works on, and whether it may. Private to tool.
 */
#ifndef AGENTCTL_TOOL_WORKSPACE_H
#define AGENTCTL_TOOL_WORKSPACE_H

#include <stdbool.h>
#include <stddef.h>

/** A resolved workspace; strings belong to it. */
struct workspace {
	char *path;   /* absolute, real: where it is shown inside */
	char *cwd;    /* where the command starts: path or below it */
	char *mnt;    /* its mount point when it is mounted, else NULL */
	char *store;  /* its store when it is mounted, else NULL */
	bool mounted; /* a registered workspace */
};

/**
 * workspace_resolve(w, dir, message, size): @dir, else the mount that holds the current
 * directory, else the nearest parent with .git (not above HOME), else the current
 * directory. Places of the table, HOME, a linked worktree and the view of another
 * transaction are refused with a line in @message; a @dir that was given is refused only
 * where it cannot work. 0; -EPERM: refused; -ENOENT, -ENOTDIR and others: @dir is no
 * directory. Free by workspace_free in any case.
 */
int workspace_resolve(struct workspace *w, const char *dir, char *message, size_t size);

void workspace_free(struct workspace *w);

/** workspace_below(path, top): is @path @top itself or below it? Both absolute. */
bool workspace_below(const char *path, const char *top);

/** workspace_refused(path, home, message, size): whether the table of places speaks
 * against @path, with the reason. */
bool workspace_refused(const char *path, const char *home, char *message, size_t size);

/** workspace_project(from, home): the nearest directory from @from upwards that has .git,
 * but none above @home (may be NULL); caller frees. NULL: none. */
char *workspace_project(const char *from, const char *home);

/** workspace_hidden(home, list, n): real paths that every sandbox hides; caller frees
 * the strings and the list. 0 or -ENOMEM. */
int workspace_hidden(const char *home, char ***list, size_t *n);

#endif
