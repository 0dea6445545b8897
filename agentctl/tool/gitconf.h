/*
 * gitconf.h: a reader of git's configuration files that runs nothing and follows no
 * include. Private to agentctl/tool.
 */
#ifndef AGENTCTL_TOOL_GITCONF_H
#define AGENTCTL_TOOL_GITCONF_H

#include <stddef.h>

/**
 * gitconf_scan(text, bytes, entry, arg): call entry(arg, key, value) for every variable,
 * in order. @key is `section.name` or `section.subsection.name`, section and name in
 * lower case, the subsection as written; @value has its quotes and escapes taken off and
 * is NULL where the file gives none. A non-zero answer of entry ends the scan and is
 * returned. -EINVAL: not a configuration that git would read; -ENOMEM.
 */
int gitconf_scan(const char *text, size_t bytes,
	int (*entry)(void *arg, const char *key, const char *value), void *arg);

#endif
