/*
 * path.c: taking paths apart by their components.
 */
#include "common/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/cleanup.h"
#include "common/mem.h"

/* Take "." and ".." out of an absolute path, in place. */
static void tidy(char *path)
{
	char *from = path, *to = path;

	while (*from) {
		char *end = from + 1 + strcspn(from + 1, "/");
		size_t n = (size_t)(end - from); /* slash and component */

		if (n == 3 && from[1] == '.' && from[2] == '.') {
			while (to > path && *--to != '/')
				;
		} else if (n > 1 && !(n == 2 && from[1] == '.')) {
			memmove(to, from, n);
			to += n;
		}
		from = end;
	}
	if (to == path)
		*to++ = '/';
	*to = 0;
}

int path_absolute(const char *path, char **out)
{
	auto_free char *cwd = NULL;
	char *p;

	*out = NULL;
	if (*path != '/') {
		cwd = getcwd(NULL, 0);
		if (!cwd)
			return -errno;
		if (*cwd != '/') /* outside of our root */
			return -ENOENT;
	}
	p = cwd ? mem_printf("%s/%s", cwd, path) : mem_strdup(path);
	if (!p)
		return -ENOMEM;
	tidy(p);
	*out = p;
	return 0;
}

const char *path_below(const char *path, const char *top)
{
	size_t n = strlen(top);

	if (n == 1) /* the root */
		return path;
	if (strncmp(path, top, n) || (path[n] && path[n] != '/'))
		return NULL;
	return path + n;
}
