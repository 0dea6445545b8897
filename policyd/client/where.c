/*
 * where.c: where the daemon's state and socket are, and what of the environment a
 * question should carry.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "policyd/client/client.h"

static const char *env_dir(const char *name)
{
	const char *v = getenv(name);

	return v && v[0] == '/' ? v : NULL;
}

static int put(char *buf, size_t size, const char *dir, const char *rest)
{
	int n = snprintf(buf, size, "%s%s", dir, rest);

	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

int policy_state_dir(char *buf, size_t size)
{
	const char *d;

	if ((d = env_dir("TXFS_STATE_DIR")))
		return put(buf, size, d, "");
	if (geteuid() == 0)
		return put(buf, size, "/var/lib/txfs", "");
	if ((d = env_dir("XDG_STATE_HOME")))
		return put(buf, size, d, "/txfs");
	if ((d = env_dir("HOME")))
		return put(buf, size, d, "/.local/state/txfs");
	return -ENOENT;
}

int policy_socket_path(char *buf, size_t size)
{
	char state[PATH_MAX];
	const char *d;
	int r;

	if ((d = env_dir("TXFS_POLICYD_SOCKET")))
		r = put(buf, size, d, "");
	else if ((d = env_dir("XDG_RUNTIME_DIR")))
		r = put(buf, size, d, "/txfs/policyd.sock");
	else if (geteuid() == 0)
		r = put(buf, size, "/run/txfs/policyd.sock", "");
	else if (!(r = policy_state_dir(state, sizeof(state))))
		r = put(buf, size, state, "/policyd.sock");
	if (!r && strlen(buf) >= sizeof(((struct sockaddr_un *)0)->sun_path))
		r = -ENAMETOOLONG;
	return r;
}

static bool name_start(char c)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool known(const struct policy_env *env, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(env[i].name, name))
			return true;
	return false;
}

/* Any name behind a '$' or inside braces will do: more names than used do no harm. */
int policy_env_for(const char *command, struct policy_env *env, size_t max, char **names)
{
	static const char *const always[] = {"PATH", "HOME", "PWD", "TMPDIR", "USER"};
	size_t n = 0;
	char *out;

	*names = out = malloc(strlen(command) + 1);
	if (!out)
		return -ENOMEM;
	for (size_t i = 0; i < sizeof(always) / sizeof(*always) && n < max; i++, n++)
		env[n] = (struct policy_env){always[i], getenv(always[i])};
	for (const char *p = command; *p && n < max; p++) {
		const char *start = out;

		if (*p != '$')
			continue;
		p += strspn(p, "${!#\"");
		if (!name_start(*p)) {
			p--;
			continue;
		}
		while (name_start(*p) || (*p >= '0' && *p <= '9'))
			*out++ = *p++;
		*out++ = '\0';
		p--;
		if (!known(env, n, start)) {
			env[n++] = (struct policy_env){start, getenv(start)};
			continue;
		}
		out = (char *)start;
	}
	return (int)n;
}
