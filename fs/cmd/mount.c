/*
 * mount.c: the verb mount: options in words become struct mount_opts.
 */
#include "fs/cmd/cmd.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/cleanup.h"
#include "common/mem.h"
#include "fs/fuse/serve.h"

#define DEFAULT_INTERVAL_S 1.0

/* What the options gather, besides struct mount_opts itself. */
struct parsed {
	struct mount_opts o;
	char *no_features;
};

static int bad(const char *option, const char *why)
{
	cmd_error("mount option '%s': %s; see: man txfs", option, why);
	return CMD_USAGE;
}

static int set_interval(struct parsed *p, const char *option, const char *value)
{
	char *end;

	p->o.interval_s = strtod(value, &end);
	if (end == value || *end || !isfinite(p->o.interval_s) || p->o.interval_s <= 0 ||
		p->o.interval_s > 86400)
		return bad(option, "a number of seconds above 0 is expected");
	return 0;
}

static int set_workers(struct parsed *p, const char *option, const char *value)
{
	char *end;
	long n = strtol(value, &end, 10);

	if (end == value || *end || n < 1 || n > 64)
		return bad(option, "a number from 1 to 64 is expected");
	p->o.workers = (int)n;
	return 0;
}

static int set_quota(struct parsed *p, const char *option, const char *value)
{
	static const char units[] = "KMGT";
	unsigned long long n;
	const char *unit;
	char *end;
	int shift;

	errno = 0;
	n = strtoull(value, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	shift = unit ? 10 * (int)(unit - units + 1) : 0;
	if (end == value || *value == '-' || errno || !n || (*end && (!unit || end[1])) ||
		n > UINT64_MAX >> shift)
		return bad(option, "a size is expected, as 512M or 20G");
	p->o.quota_bytes = n << shift;
	return 0;
}

static int add_no_feature(struct parsed *p, const char *option)
{
	static const char *const known[] = {"awake", "epochs"};
	const char *name = option + 3;
	char *list;

	if (strcmp(name, known[0]) != 0 && strcmp(name, known[1]) != 0)
		return bad(option, "the features are awake and epochs");
	list = p->no_features ? mem_printf("%s,%s", p->no_features, name)
			      : mem_strdup(name);
	if (!list)
		return CMD_FAILED;
	free(p->no_features);
	p->no_features = list;
	return 0;
}

/* 0, or an exit code after the reason was printed. */
static int set_option(struct parsed *p, const char *option)
{
	if (!strcmp(option, "base=shared"))
		p->o.exclusive = false;
	else if (!strcmp(option, "base=exclusive"))
		p->o.exclusive = true;
	else if (!strcmp(option, "submounts=hide"))
		p->o.hide_submounts = true;
	else if (!strcmp(option, "strict_fsync"))
		p->o.strict_fsync = true;
	else if (!strcmp(option, "allow_other"))
		p->o.allow_other = true;
	else if (!strncmp(option, "interval=", 9))
		return set_interval(p, option, option + 9);
	else if (!strncmp(option, "workers=", 8))
		return set_workers(p, option, option + 8);
	else if (!strncmp(option, "quota=", 6))
		return set_quota(p, option, option + 6);
	else if (!strncmp(option, "history=", 8) ||
		 !strcmp(option, "checkpoint=background") ||
		 !strcmp(option, "outside_links=write"))
		return bad(option, "not supported yet");
	else if (!strncmp(option, "no_", 3))
		return add_no_feature(p, option);
	else
		return bad(option, "not known");
	return 0;
}

static int set_options(struct parsed *p, const char *options)
{
	auto_free char *copy = options ? mem_strdup(options) : NULL;
	char *save = NULL;
	int rc = 0;

	if (options && !copy)
		return CMD_FAILED;
	for (char *o = copy ? strtok_r(copy, ",", &save) : NULL; o && !rc;
		o = strtok_r(NULL, ",", &save))
		rc = set_option(p, o);
	return rc;
}

/* The store: as asked; else that of the dead mount that we take over; else the default.
 */
static int find_store(const struct args *a, const char *base, const char *mnt, char **out)
{
	struct txfs_workspace *w = NULL;
	int err;

	if (a->store)
		return cmd_path(a, a->store, out);
	*out = NULL;
	if (!txfs_workspace_find(mnt, &w) && !w->pid && !strcmp(w->mnt, mnt) &&
		!strcmp(w->base, base))
		*out = steal(&w->store);
	txfs_workspace_free(w);
	err = *out ? 0 : txfs_default_store(base, out);
	return err;
}

static int serve(const struct args *a, struct parsed *p)
{
	auto_free char *msg = NULL;
	int err;

	p->o.no_features = p->no_features;
	p->o.dry_run = a->dry_run;
	p->o.foreground = a->foreground;
	err = serve_mount(&p->o, &msg);
	if (!err) {
		if (msg)
			puts(msg);
		return CMD_DONE;
	}
	cmd_error("%s", msg ? msg : strerror(-err));
	return err == -EPERM || err == -EACCES ? CMD_DENIED : CMD_FAILED;
}

int cmd_mount(const struct args *a)
{
	struct parsed p = {.o = {.interval_s = DEFAULT_INTERVAL_S}};
	auto_free char *base = NULL;
	auto_free char *mnt = NULL;
	auto_free char *store = NULL;
	int rc, err;

	rc = set_options(&p, a->options);
	if (!rc) {
		err = cmd_path(a, a->pos[0], &base);
		if (!err)
			err = cmd_path(a, a->pos[a->n - 1], &mnt);
		if (!err)
			err = find_store(a, base, mnt, &store);
		p.o.base = base;
		p.o.mnt = mnt;
		p.o.store = store;
		if (err) {
			cmd_error("cannot prepare the mount of '%s': %s; check the state "
				  "directory",
				a->pos[0], strerror(-err));
			rc = CMD_FAILED;
		} else {
			rc = serve(a, &p);
		}
	}
	free(p.no_features);
	return rc;
}
