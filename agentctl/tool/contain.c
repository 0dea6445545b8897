/*
 * contain.c: what the sandbox of a piece of work shows, hides, and puts into the
 * environment of commands.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agentctl/tool/impl.h"
#include "common/cleanup.h"
#include "common/mem.h"

/** A growing list of strings, NULL ended. */
struct list_of {
	char **s;
	size_t n;
	bool failed;
};

static void add(struct list_of *l, char *s)
{
	char **more = s ? realloc(l->s, (l->n + 2) * sizeof *more) : NULL;

	if (!more) {
		free(s);
		l->failed = true;
		return;
	}
	l->s = more;
	l->s[l->n++] = s;
	l->s[l->n] = NULL;
}

static void add_real(struct list_of *l, const char *path)
{
	char *real = path ? realpath(path, NULL) : NULL;

	if (real)
		add(l, real);
}

static void clear(struct list_of *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->s[i]);
	free(l->s);
}

/* Staged files and before-images lie beside the base, or in it. */
static void hide_stages(const char *dir, struct list_of *l)
{
	auto_dir DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		if (strncmp(e->d_name, ".txfs-stage-", 12) == 0)
			add(l, mem_printf("%s/%s", dir, e->d_name));
	}
}

static void hide_stages_of(const char *base, struct list_of *l)
{
	auto_free char *parent = mem_strdup(base);
	char *slash = parent ? strrchr(parent, '/') : NULL;

	hide_stages(base, l);
	if (!slash)
		return;
	slash[slash == parent] = 0;
	hide_stages(parent, l);
}

/* Ours first: the state directory, the store, the socket of policyd, the mount's own
 * place where it is not the workspace's; then the sockets of the table. */
static void hide(struct tool *t, const char *home, struct list_of *l)
{
	char socket[PATH_MAX], **table = NULL;
	auto_free char *state = NULL;
	size_t n = 0;

	if (txfs_state_dir(&state) == 0)
		add_real(l, state);
	add_real(l, t->ws.store);
	add_real(l, t->o.secret);
	if (strcmp(t->ws.mnt, t->ws.path) != 0)
		add(l, mem_strdup(t->ws.mnt)); /* not looked up: it may be slow or dead */
	hide_stages_of(txfs_base(t->fs), l);
	add_real(l, getenv("XDG_RUNTIME_DIR"));
	if (policy_socket_path(socket, sizeof socket) == 0)
		add_real(l, socket);
	if (workspace_hidden(home, &table, &n) != 0)
		l->failed = true;
	for (size_t i = 0; i < n; i++)
		add(l, table[i]);
	free(table);
}

static bool kept_out(const char *variable)
{
	static const char *const prefixes[] = {"TXFS_",
		"XDG_RUNTIME_DIR=", "DBUS_SESSION_BUS_ADDRESS=", "PWD=", "TMPDIR="};

	for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
		if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	}
	return false;
}

static void environment(struct tool *t, struct list_of *l)
{
	for (char **e = environ; *e; e++) {
		if (!kept_out(*e))
			add(l, mem_strdup(*e));
	}
	add(l, mem_printf("AGENTCTL_TX=%llu", (unsigned long long)t->begun.id));
	add(l, mem_printf("AGENTCTL_WORKSPACE=%s", t->ws.path));
}

int tool_contain(struct tool *t)
{
	const char *env_home = getenv("HOME");
	auto_free char *home =
		env_home && *env_home == '/' ? realpath(env_home, NULL) : NULL;
	struct list_of hidden = {0}, env = {0};
	struct sandbox_spec spec;
	uint64_t at = tool_now();
	char why[256] = "";
	int r;

	hide(t, home, &hidden);
	environment(t, &env);
	spec = (struct sandbox_spec){.view = t->begun.view,
		.workspace = t->ws.path,
		.home = home,
		.hidden = (const char *const *)hidden.s,
		.n_hidden = hidden.n,
		.socket = *t->door.path ? t->door.path : NULL,
		.env = env.s};
	r = hidden.failed || env.failed
		    ? -ENOMEM
		    : sandbox_open(&t->sandbox, &spec, why, sizeof why);
	clear(&hidden);
	clear(&env);
	t->times.contain += tool_now() - at;
	if (r != 0)
		return tool_say(t, r, "cannot contain: %s", *why ? why : strerror(-r));
	return 0;
}
