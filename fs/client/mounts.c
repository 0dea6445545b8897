/*
 * mounts.c: what /proc says of mounts and processes, so that a dead mount is never
 * touched.
 */
#include "fs/client/impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/cleanup.h"
#include "common/mem.h"

/* /proc/self/mountinfo writes blanks and backslashes as \ooo. In place. */
static void unoctal(char *s)
{
	char *to = s;

	while (*s) {
		if (s[0] == '\\' && strspn(s + 1, "01234567") >= 3) {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 |
				       (s[3] - '0'));
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to = 0;
}

/* Fields of a line: id parent dev root MOUNTPOINT options.. - TYPE source .. */
static bool is_mount(char *line, const char *mnt)
{
	char *save = NULL, *field = strtok_r(line, " ", &save), *point = NULL;

	for (int i = 0; field && i < 4; i++)
		field = strtok_r(NULL, " ", &save);
	point = field;
	while (field && strcmp(field, "-"))
		field = strtok_r(NULL, " ", &save);
	field = field ? strtok_r(NULL, " ", &save) : NULL;
	if (!point || !field || strncmp(field, "fuse", 4))
		return false;
	unoctal(point);
	return !strcmp(point, mnt);
}

bool mount_at(const char *mnt)
{
	auto_file FILE *f = fopen("/proc/self/mountinfo", "re");
	auto_free char *line = NULL;
	size_t size = 0;

	if (!f)
		return true; /* not known: then nothing is called stale */
	while (getline(&line, &size, f) > 0)
		if (is_mount(line, mnt))
			return true;
	return false;
}

unsigned long long pid_start(int pid)
{
	auto_free char *path = mem_printf("/proc/%d/stat", pid);
	auto_free char *text = NULL;
	unsigned long long start = 0;
	char state, *p;

	if (pid <= 0 || !path || read_file(path, &text))
		return 0;
	p = strrchr(text, ')'); /* the command's name may hold anything */
	if (!p || sscanf(p + 1,
			  " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d "
			  "%*d %*d %*d"
			  " %*d %llu",
			  &state, &start) != 2)
		return 0;
	return state == 'Z' || state == 'X' ? 0 : start;
}
