/*
 * start.c: setting up, in the order that giving up rights asks for: everything is opened,
 * then files are closed to us, then threads start, then system calls; then it serves.
 */
#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "policyd/audit/audit.h"
#include "policyd/server/loop.h"

int server_load(struct server *s, char *err, size_t size)
{
	struct rules *fresh;
	int e = rules_load(s->source, s->n_sources, &fresh, err, size);

	if (e)
		return e;
	rules_free(s->rules);
	s->rules = fresh;
	s->stats.reloads++;
	return 0;
}

static int open_signals(struct loop *l)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -errno;
	signal(SIGPIPE, SIG_IGN);
	l->signal_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return l->signal_fd < 0 ? -errno : 0;
}

static int watch_fd(struct loop *l, int fd, void *who)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.ptr = who};

	return epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &ev) ? -errno : 0;
}

static int open_loop(struct loop *l)
{
	int e = listen_open(&l->listener, l->s->socket);

	if (e == -EADDRINUSE)
		fprintf(stderr, "policyd: another policyd serves '%s'\n", l->s->socket);
	else if (e)
		fprintf(stderr, "policyd: cannot listen on '%s': %s\n", l->s->socket,
			strerror(-e));
	if (e)
		return e;
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	l->client = calloc(MAX_CLIENTS, sizeof(struct client *));
	l->gone = calloc(2 * MAX_CLIENTS, sizeof(struct client *));
	if (l->epoll < 0 || !l->client || !l->gone)
		return l->epoll < 0 ? -errno : -ENOMEM;
	e = watch_fd(l, l->listener.fd, &l->listener);
	return e ? e : watch_fd(l, l->signal_fd, &l->signal_fd);
}

static void find_home(struct server *s)
{
	const struct passwd *pw = getpwuid(geteuid());

	if (pw && pw->pw_dir)
		snprintf(s->home, sizeof(s->home), "%s", pw->pw_dir);
}

static void limit(void)
{
	struct rlimit files = {MAX_CLIENTS + 64, MAX_CLIENTS + 64}, none = {0, 0}, had;

	if (!getrlimit(RLIMIT_NOFILE, &had) && had.rlim_max < files.rlim_max)
		files.rlim_cur = files.rlim_max = had.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0);
}

static void folder_of(const char *path, char *dir, size_t size)
{
	char *slash;

	snprintf(dir, size, "%s", path);
	slash = strrchr(dir, '/');
	if (slash && slash != dir)
		*slash = '\0';
}

/* Files first, since threads that exist keep their rights to them; then the threads; then
 * the system calls of all. */
static int open_and_confine(
	struct server *s, const struct listener *l, struct awake *awake)
{
	char state[PATH_MAX], run[PATH_MAX];
	bool guarded;
	int e = audit_make_dir(state, sizeof(state)), e_calls;

	folder_of(l->path, run, sizeof(run));
	limit();
	awake_open(awake);
	if (e)
		fprintf(stderr, "policyd: the audit log cannot be written: %s\n",
			strerror(-e));
	if ((e_calls = confine_files(e ? NULL : state, l->made ? run : NULL, &guarded)))
		goto fail;
	if (!e && (e = audit_open(&s->audit)) && e != -EBUSY)
		fprintf(stderr, "policyd: the audit log cannot be written: %s\n",
			strerror(-e));
	if (e == -EBUSY) {
		fprintf(stderr, "policyd: another policyd writes the record in '%s'\n",
			state);
		return e;
	}
	if (!guarded)
		audit_seal(s->audit);
	if ((e = links_new(&s->links)) ||
		(e = loader_new(&s->loader, s->source, s->n_sources)))
		return e;
	if (!(e_calls = confine_calls(guarded)))
		return 0;
fail:
	fprintf(stderr, "policyd: cannot give up rights: %s\n", strerror(-e_calls));
	return e_calls;
}

int server_run(struct server *s)
{
	struct loop l = {.s = s,
		.listener = {.fd = -1, .lock_fd = -1},
		.epoll = -1,
		.signal_fd = -1};
	int e = open_signals(&l);

	find_home(s);
	if (!e)
		e = open_loop(&l);
	if (!e)
		e = open_and_confine(s, &l.listener, &l.awake);
	if (!e)
		e = watch_fd(&l, loader_fd(s->loader), s->loader);
	l.clock_ms = loop_now();
	while (!e && !l.stop)
		e = loop_turn(&l);
	while (l.n)
		loop_drop(&l, l.client[l.n - 1]);
	loop_bury(&l);
	listen_close(&l.listener);
	awake_close(&l.awake);
	if (l.signal_fd >= 0)
		close(l.signal_fd);
	if (l.epoll >= 0)
		close(l.epoll);
	free(l.client);
	free(l.gone);
	links_free(s->links);
	loader_free(s->loader);
	audit_close(s->audit);
	return e;
}
