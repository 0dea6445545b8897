/*
 * doctor.c: what is there, what is missing, and what a sandbox does not contain. The
 * sandbox is tried, not guessed: one is built around the root directory's own /tmp and a
 * command is run in it.
 */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "agentctl/provider/provider.h"
#include "agentctl/repl/repl.h"
#include "agentctl/sandbox/sandbox.h"
#include "common/cleanup.h"
#include "txfs/client.h"
#include "txfs/policy.h"

struct finding {
	const char *what;
	bool good;
	char detail[512];
};

static void try_fuse(struct finding *f)
{
	auto_close int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	f->good = fd >= 0;
	snprintf(f->detail, sizeof f->detail, "%s",
		f->good ? "/dev/fuse opens"
			: "cannot open /dev/fuse; load the fuse module");
}

static void try_txfs(struct finding *f)
{
	char path[4096] = "";
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 16);
	char *slash = n > 0 ? strrchr(path, '/') : NULL;

	if (slash) {
		strcpy(slash, "/txfs");
		f->good = access(path, X_OK) == 0;
	}
	snprintf(f->detail, sizeof f->detail, "%.400s%s", slash ? path : "txfs",
		f->good ? "" : " is missing beside agentctl; PATH is searched");
}

static void try_state(struct finding *f)
{
	auto_free char *dir = NULL;
	int r = txfs_state_dir(&dir);

	f->good = r == 0;
	snprintf(f->detail, sizeof f->detail, "%s", r == 0 ? dir : strerror(-r));
}

static void try_policy(struct finding *f)
{
	struct policy *p = NULL;
	char path[512] = "?";
	int r = policy_open(&p, NULL, 0);

	policy_socket_path(path, sizeof path);
	f->good = r == 0;
	snprintf(f->detail, sizeof f->detail, "%.400s%s%s", path,
		r == 0 ? " answers" : ": ", r == 0 ? "" : strerror(-r));
	policy_close(p);
}

static void run_true(struct sandbox *s, const char *cwd, struct finding *f)
{
	char *argv[] = {(char *)"true", NULL};
	struct sandbox_cmd cmd = {.argv = argv,
		.cwd = cwd,
		.in = -1,
		.out = -1,
		.err = -1,
		.timeout_ms = 5000,
		.signal_fd = -1};
	struct sandbox_result r;
	int e = sandbox_exec(s, &cmd, &r);

	f->good = e == 0 && r.status == 0;
	snprintf(f->detail, sizeof f->detail,
		f->good ? "mount, pid and ipc namespaces work%s"
			: "cannot run in a sandbox%s",
		geteuid() == 0 ? "" : " in a user namespace");
}

static void try_sandbox(struct finding *f)
{
	char dir[] = "/tmp/doctor.XXXXXX";
	struct sandbox_spec spec = {.view = dir, .workspace = dir, .env = environ};
	struct sandbox *s = NULL;

	if (!mkdtemp(dir)) {
		snprintf(f->detail, sizeof f->detail,
			"cannot make a directory in '/tmp': %s", strerror(errno));
		return;
	}
	if (sandbox_open(&s, &spec, f->detail, sizeof f->detail) == 0)
		run_true(s, dir, f);
	sandbox_close(s);
	rmdir(dir);
}

static const char *const not_contained[] = {
	"network: commands reach every host, and abstract sockets of this machine",
	"secrets: what you may read, commands may read (keys, tokens, browser profiles)",
	"memory, processes, time: no limits but --timeout",
	"system calls: neither seccomp nor Landlock is used",
	"what you run later yourself; files known to run later are held back",
};

#define N(a) (sizeof(a) / sizeof((a)[0]))

static void show_json(const struct finding *f, size_t n)
{
	for (size_t i = 0; i < n + N(not_contained); i++) {
		json_object *o = json_object_new_object();
		bool found = i < n;

		json_object_object_add(o, "kind",
			json_object_new_string(found ? "check" : "not-contained"));
		if (found) {
			json_object_object_add(
				o, "what", json_object_new_string(f[i].what));
			json_object_object_add(
				o, "ok", json_object_new_boolean(f[i].good));
		}
		json_object_object_add(o, "text",
			json_object_new_string(
				found ? f[i].detail : not_contained[i - n]));
		printf("%s\n",
			json_object_to_json_string_ext(o,
				JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
		json_object_put(o);
	}
}

static void show_text(const struct finding *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("%-7s %-9s %s\n", f[i].good ? "ok" : "MISSING", f[i].what,
			f[i].detail);
	printf("\nnot contained yet:\n");
	for (size_t i = 0; i < N(not_contained); i++)
		printf("        %s\n", not_contained[i]);
}

int repl_doctor(int argc, char **argv)
{
	struct finding f[] = {{.what = "fuse"}, {.what = "txfs"}, {.what = "state"},
		{.what = "policyd"}, {.what = "sandbox"}, {.what = "models"}};
	bool json = argc == 2 && strcmp(argv[1], "--json") == 0, good = true;

	if (argc > 1 && !json)
		return repl_usage("doctor");
	try_fuse(&f[0]);
	try_txfs(&f[1]);
	try_state(&f[2]);
	try_policy(&f[3]);
	try_sandbox(&f[4]);
	f[5].good = provider_can_ask(f[5].detail, sizeof f[5].detail);
	if (json)
		show_json(f, N(f));
	else
		show_text(f, N(f));
	for (size_t i = 0; i < N(f); i++)
		good = good && f[i].good;
	return good ? 0 : 1;
}
