/*
 * workspace.c: from a directory to a workspace, and the places that are none.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "agentctl/tool/data.h"
#include "agentctl/tool/workspace.h"
#include "common/cleanup.h"
#include "common/mem.h"
#include "txfs/client.h"

bool workspace_below(const char *path, const char *top)
{
	size_t n = strlen(top);

	while (n > 0 && top[n - 1] == '/')
		n--;
	return strncmp(path, top, n) == 0 && (path[n] == 0 || path[n] == '/');
}

/* The place of a row, ~ replaced; false if it does not fit or there is no home. */
static bool place_of(const struct data_row *row, const char *home, char out[PATH_MAX])
{
	const char *rest = row->value;
	int len = (int)row->value_len, n;

	if (*rest == '~' && !home)
		return false;
	if (*rest == '~')
		n = snprintf(out, PATH_MAX, "%s%.*s", home, len - 1, rest + 1);
	else
		n = snprintf(out, PATH_MAX, "%.*s", len, rest);
	return n > 0 && n < PATH_MAX;
}

bool workspace_refused(const char *path, const char *home, char *message, size_t size)
{
	const char *at = data_places;
	struct data_row row;
	char place[PATH_MAX];

	if (strcmp(path, "/") == 0 || (home && workspace_below(home, path))) {
		bool is_home = home && strcmp(path, home) == 0;

		snprintf(message, size, "'%s' %s", path,
			is_home ? "is the home directory"
				: "contains the home directory");
		return true;
	}
	while (data_next(&at, &row)) {
		bool tree = data_is(&row, "tree"), is_place = data_is(&row, "place");

		if (!place_of(&row, home, place))
			continue;
		if (workspace_below(place, path)) {
			bool known = tree || is_place || access(place, F_OK) == 0;

			if (!known)
				continue;
			snprintf(message, size, "'%s' %s '%s'", path,
				strcmp(path, place) ? "contains" : "is", place);
			return true;
		}
		if (tree && workspace_below(path, place)) {
			snprintf(message, size, "'%s' lies in the system's '%s'", path,
				place);
			return true;
		}
	}
	return false;
}

int workspace_hidden(const char *home, char ***list, size_t *n)
{
	const char *at = data_places;
	struct data_row row;
	char place[PATH_MAX];

	*list = NULL;
	*n = 0;
	while (data_next(&at, &row)) {
		char **more, *real;

		if (!data_is(&row, "hide") || !place_of(&row, home, place))
			continue;
		real = realpath(place, NULL);
		if (!real)
			continue;
		more = realloc(*list, (*n + 1) * sizeof **list);
		if (!more) {
			free(real);
			return -ENOMEM;
		}
		*list = more;
		(*list)[(*n)++] = real;
	}
	return 0;
}

char *workspace_project(const char *from, const char *home)
{
	auto_free char *dir = mem_strdup(from);
	bool in_home = home && workspace_below(from, home);

	while (dir && *dir) {
		auto_free char *git = mem_printf("%s/.git", dir);
		char *slash = strrchr(dir, '/');

		if (in_home && strcmp(dir, home) == 0)
			return NULL;
		if (git && access(git, F_OK) == 0)
			return steal(&dir);
		if (!slash)
			return NULL;
		*slash = 0;
	}
	return NULL;
}

/* The directory that a .git file leads to, or NULL; relative to the file's own place. */
static char *git_target(const char *dir)
{
	auto_free char *path = mem_printf("%s/.git", dir);
	auto_file FILE *f = NULL;
	auto_free char *joined = NULL;
	char line[PATH_MAX];
	struct stat st;

	if (!path || lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return NULL;
	f = fopen(path, "re");
	if (!f || !fgets(line, sizeof line, f) || strncmp(line, "gitdir: ", 8) != 0)
		return NULL;
	line[strcspn(line, "\r\n")] = 0;
	joined = line[8] == '/' ? mem_strdup(line + 8)
				: mem_printf("%s/%s", dir, line + 8);
	return joined ? realpath(joined, NULL) : NULL;
}

/* A registered workspace that @path lies in decides for itself. 1: found. */
static int from_registry(
	struct workspace *w, const char *path, char *message, size_t size)
{
	struct txfs_workspace *found = NULL;
	int r = txfs_workspace_find(path, &found);
	const char *root;

	if (r == -ENOENT)
		return 0;
	if (r != 0) {
		snprintf(message, size, "cannot read the registry of workspaces: %s",
			strerror(-r));
		return r;
	}
	if (found->view) {
		snprintf(message, size,
			"'%s' lies in the view of transaction %llu; leave it first", path,
			(unsigned long long)found->view);
		txfs_workspace_free(found);
		return -EPERM;
	}
	root = workspace_below(path, found->mnt) ? found->mnt : found->base;
	w->path = mem_strdup(root);
	w->mnt = mem_strdup(found->mnt);
	w->store = found->store ? mem_strdup(found->store) : NULL;
	w->mounted = true;
	txfs_workspace_free(found);
	return w->path && w->mnt ? 1 : -ENOMEM;
}

static int check_place(struct workspace *w, const char *home, char *message, size_t size)
{
	auto_free char *target = NULL;
	char why[256];

	if (workspace_refused(w->path, home, why, sizeof why)) {
		snprintf(message, size, "%s; name a project by --workspace", why);
		return -EPERM;
	}
	target = git_target(w->path);
	if (target && !workspace_below(target, w->path)) {
		snprintf(message, size,
			"'%s' is a linked worktree or submodule, its git directory '%s' "
			"lies "
			"outside; work in the main worktree",
			w->path, target);
		return -EPERM;
	}
	return 0;
}

static int resolve(struct workspace *w, const char *dir, const char *home,
	const char *here, char *message, size_t size)
{
	auto_free char *given = dir ? realpath(dir, NULL) : mem_strdup(here);
	struct stat st;
	int r;

	if (!given || stat(given, &st) != 0 || !S_ISDIR(st.st_mode)) {
		r = given && S_ISREG(st.st_mode) ? -ENOTDIR : -errno;
		if (r == 0)
			r = -ENOTDIR;
		snprintf(message, size, "cannot use '%s' as workspace: %s",
			dir ? dir : here, strerror(-r));
		return r;
	}
	r = from_registry(w, given, message, size);
	if (r != 0)
		return r < 0 ? r : 0;
	if (!dir)
		w->path = workspace_project(given, home);
	if (!w->path)
		w->path = mem_strdup(given);
	if (!w->path)
		return -ENOMEM;
	if (strcmp(w->path, "/") == 0) {
		snprintf(message, size, "'/' cannot be a workspace");
		return -EPERM;
	}
	return dir ? 0 : check_place(w, home, message, size);
}

int workspace_resolve(struct workspace *w, const char *dir, char *message, size_t size)
{
	auto_free char *here = getcwd(NULL, 0);
	const char *env = getenv("HOME");
	auto_free char *home = env && *env == '/' ? realpath(env, NULL) : NULL;
	int r;

	memset(w, 0, sizeof *w);
	if (!here) {
		r = -errno;
		snprintf(message, size, "cannot find the current directory: %s",
			strerror(-r));
		return r;
	}
	r = resolve(w, dir, home, here, message, size);
	if (r != 0)
		return r;
	w->cwd = mem_strdup(workspace_below(here, w->path) ? here : w->path);
	return w->cwd ? 0 : -ENOMEM;
}

void workspace_free(struct workspace *w)
{
	free(w->path);
	free(w->cwd);
	free(w->mnt);
	free(w->store);
	memset(w, 0, sizeof *w);
}
