/*
 * late.h: which changed files run later, outside of the sandbox. Private to
 * agentctl/tool.
 */
#ifndef AGENTCTL_TOOL_LATE_H
#define AGENTCTL_TOOL_LATE_H

#include <stdbool.h>
#include <stddef.h>

enum late_kind {
	LATE_NO,
	LATE_ANY,	/* held back */
	LATE_GITCONFIG, /* held back if late_gitconfig says so */
	LATE_LIST,	/* only named */
};

/** late_kind(path): what the table says of a path relative to the workspace. */
enum late_kind late_kind(const char *path);

/** late_gitconfig(old, old_bytes, now, bytes): does the git configuration @now set a key
 * of the table to something that @old (NULL: none) does not? Also true where one of them
 * cannot be read: then it is not known. */
bool late_gitconfig(const char *old, size_t old_bytes, const char *now, size_t bytes);

/** late_match(pattern, pattern_len, path): * within a component, ** across them. */
bool late_match(const char *pattern, size_t pattern_len, const char *path);

#endif
