/*
 * cover.c: is a directory inside a txfs mount, and is a transaction open there? The path
 * alone does not tell: a process that stood in the directory before something was mounted
 * over it still stands below the mount, so the caller's own place is compared, too.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "agentctl/tool/cover.h"
#include "agentctl/tool/workspace.h"
#include "common/cleanup.h"
#include "txfs/client.h"

/* Our parent stands at @cwd, but not in what is mounted there now. */
static bool stands_below(const char *cwd)
{
	char link[64], where[PATH_MAX];
	struct stat here, there;
	ssize_t n;

	snprintf(link, sizeof link, "/proc/%ld/cwd", (long)getppid());
	n = readlink(link, where, sizeof where - 1);
	if (n <= 0 || stat(link, &there) != 0 || stat(cwd, &here) != 0)
		return false;
	where[n] = 0;
	return strcmp(where, cwd) == 0 &&
	       (here.st_dev != there.st_dev || here.st_ino != there.st_ino);
}

/* A view lies at MNT/.txfs/tx/ID; that is then the workspace. */
static void name_workspace(struct cover *c, const char *mnt, uint64_t view)
{
	if (view)
		snprintf(c->workspace, sizeof c->workspace, "%.4000s/.txfs/tx/%llu", mnt,
			(unsigned long long)view);
	else
		snprintf(c->workspace, sizeof c->workspace, "%s", mnt);
}

static bool in_mount(const char *cwd, struct cover *c)
{
	struct txfs_ioc_status status;
	struct txfs *fs = NULL;
	uint64_t tx = 0;
	bool inside = false;

	if (txfs_open(cwd, &fs) == 0)
		inside = workspace_below(cwd, txfs_mnt(fs)) && !stands_below(cwd);
	if (inside) {
		name_workspace(c, txfs_mnt(fs), txfs_view_id(fs));
		tx = txfs_view_id(fs);
		if (!tx && txfs_status(fs, &status) == 0)
			tx = status.open_id;
		/* of a view that has ended nothing is left to stand in */
		if (tx && access(c->workspace, X_OK) != 0)
			tx = 0;
	}
	txfs_close(fs);
	if (tx) {
		c->cover = POLICY_COVER_TX;
		snprintf(c->tx, sizeof c->tx, "%llu", (unsigned long long)tx);
	}
	return inside;
}

void cover_find(const char *cwd, struct cover *c)
{
	auto_free char *real = realpath(cwd, NULL);
	const char *home = getenv("HOME"), *place;
	char *project, why[256];

	memset(c, 0, sizeof *c);
	c->cover = POLICY_COVER_NONE;
	if (in_mount(real ? real : cwd, c))
		return;
	project = workspace_project(real ? real : cwd, home);
	place = project ? project : real ? real : cwd;
	/* the home directory, or the system, is nobody's workspace: nothing lies in it */
	if (workspace_refused(place, home, why, sizeof why))
		place = "/nonexistent";
	snprintf(c->workspace, sizeof c->workspace, "%s", place);
	free(project);
}
