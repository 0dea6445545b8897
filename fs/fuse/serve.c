/*
 * serve.c: the daemon: from a directory and a mount point to a mount that serves.
 *
 * The caller forks; the child opens base and store, recovers, mounts, starts its threads
 * and tests the barrier, and then tells the parent, who returns. What fails before that
 * is one line to the parent. The child serves until the mount is gone, then commits what
 * autocommit holds, suspends what is open and leaves.
 */
#include "fs/fuse/impl.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fs/fuse/place.h"
#include "txfs/client.h"

#ifndef PR_SET_IO_FLUSHER
#define PR_SET_IO_FLUSHER 57
#endif
#define MIN_WORKERS 2 /* one may wait for a checkpoint */
#define MAX_DEFAULT_WORKERS 8
#define END_MS 1000 /* until a sleeping worker sees that all has ended */

static _Thread_local struct worker *me;

struct worker *worker_current(void)
{
	return me;
}

/* --- workers
 * --------------------------------------------------------------------------------- */

/* One of the sleeping workers is woken for a request. */
static int wait_for_request(struct serve *s, int ep)
{
	struct epoll_event e;
	uint64_t seen = awake_seen(&s->awake);
	int ms = awake_wait_ms(&s->awake);
	int n = epoll_wait(ep, &e, 1, ms < 0 ? END_MS : ms);

	if (!n && ms >= 0)
		awake_quiet(&s->awake, seen);
	return n < 0 && errno != EINTR ? -errno : 0;
}

static int open_epoll(struct serve *s)
{
	struct epoll_event e = {.events = EPOLLIN | EPOLLEXCLUSIVE};
	int ep = epoll_create1(EPOLL_CLOEXEC);

	if (ep >= 0 && epoll_ctl(ep, EPOLL_CTL_ADD, s->devfd, &e) < 0) {
		close(ep);
		return -1;
	}
	return ep;
}

/* A worker counts as busy before it reads, so that the barrier can know of every request
 * that left the kernel; therefore reading never waits, and waiting is apart. */
static void *work(void *arg)
{
	struct worker *w = arg;
	struct serve *s = w->s;
	struct fuse_buf b = {0};
	auto_close int ep = open_epoll(s);

	me = w;
	while (ep >= 0 && !fuse_session_exited(s->se)) {
		int n;

		atomic_fetch_add(&w->turn, 1);
		n = fuse_session_receive_buf(s->se, &b);
		if (n > 0) {
			awake_request(&s->awake);
			raw_read(b.mem, b.size);
			atomic_fetch_add(&s->requests, raw_current()->answered);
			fuse_session_process_buf(s->se, &b);
		}
		atomic_fetch_add(&w->turn, 1);
		if (n == -EAGAIN)
			n = wait_for_request(s, ep);
		else if (n == 0)
			break;
		if (n < 0 && n != -EINTR)
			break;
	}
	fuse_session_exit(s->se);
	free(b.mem);
	return NULL;
}

static int workers_by_default(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < MIN_WORKERS		 ? MIN_WORKERS
	       : n > MAX_DEFAULT_WORKERS ? MAX_DEFAULT_WORKERS
					 : (int)n;
}

static int workers_start(struct serve *s)
{
	int want = s->o.workers ? s->o.workers : workers_by_default();

	for (; s->workers < want; s->workers++) {
		struct worker *w = &s->worker[s->workers];
		int r;

		w->s = s;
		w->buf = malloc(1 << 20);
		if (!w->buf)
			return -ENOMEM;
		r = pthread_create(&w->thread, NULL, work, w);
		if (r)
			return -r;
	}
	return 0;
}

static void workers_join(struct serve *s)
{
	for (int i = 0; i < s->workers; i++) {
		pthread_join(s->worker[i].thread, NULL);
		free(s->worker[i].buf);
	}
}

/* --- signals
 * -------------------------------------------------------------------------------- */

static void ending_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGHUP);
}

/* One asks for an end in good order: detach, so that no new request comes. */
static void *signals(void *arg)
{
	struct serve *s = arg;
	sigset_t set;
	int sig;

	ending_signals(&set);
	while (!sigwait(&set, &sig) && !s->ending)
		if (sig != SIGHUP && umount2(s->o.mnt, MNT_DETACH) < 0)
			fuse_session_exit(s->se);
	return NULL;
}

/* Before there are threads. What comes while we start is heard once we serve. */
static void signals_block(void)
{
	sigset_t set;

	ending_signals(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static int signals_start(struct serve *s)
{
	int r = pthread_create(&s->signals, NULL, signals, s);

	s->hears = !r;
	return -r;
}

/* Before the session goes that it would end. */
static void signals_stop(struct serve *s)
{
	if (!s->hears)
		return;
	s->ending = true;
	pthread_kill(s->signals, SIGHUP);
	pthread_join(s->signals, NULL);
	s->hears = false;
}

/* --- start
 * ------------------------------------------------------------------------------------ */

static int fail(char **msg, int err, const char *fmt, ...)
{
	va_list ap;

	if (*msg)
		return err;
	va_start(ap, fmt);
	if (vasprintf(msg, fmt, ap) < 0)
		*msg = NULL;
	va_end(ap);
	return err;
}

static int open_store(struct serve *s, struct place *p, char **msg)
{
	struct tree_hooks watch = {watch_dir, s};
	struct txm_opts o = {s->o.interval_s, s->o.strict_fsync};
	struct txm_hooks h = {barrier_wait, notify_invalidate, s};
	char *note = NULL;
	int r = store_open(s->o.store, &s->store, msg);

	if (!r)
		r = place_stage(p, store_dirfd(s->store), s->o.store, msg);
	if (r)
		return r;
	r = tree_new(p->basefd, s->store, p->stagefd, &s->t);
	if (r)
		return fail(msg, r, "cannot read '%s': %s", s->o.base, strerror(-r));
	s->basefd = p->basefd;
	p->basefd = -1;
	snprintf(s->t->stage_name, sizeof(s->t->stage_name), "%s", p->hidden);
	s->t->hooks = watch;
	s->t->quota_bytes = s->o.quota_bytes;
	r = txm_new(s->t, &o, &h, &s->m, &note);
	if (note)
		log_warn("%s", note);
	if (r == -EXDEV)
		fail(msg, r,
			"store '%s' holds unfinished work of another directory than "
			"'%s'; choose "
			"another with --store",
			s->o.store, s->o.base);
	else if (r)
		fail(msg, r,
			"cannot recover '%s': %s; mend that and mount again, nothing is "
			"lost",
			s->o.store, note ? note : strerror(-r));
	free(note);
	return r;
}

static int new_session(struct serve *s)
{
	char *argv[] = {"txfs", "-o",
		geteuid() || s->o.allow_other
			? "fsname=txfs,subtype=txfs,default_permissions"
			: "default_permissions",
		NULL};
	struct fuse_args args = FUSE_ARGS_INIT(3, argv);

	s->se = fuse_session_new(&args, &serve_ops, sizeof(serve_ops), s);
	fuse_opt_free_args(&args);
	return s->se ? 0 : -ENOMEM;
}

static int open_session(struct serve *s, char **msg)
{
	int fd, r = new_session(s);

	if (r)
		return fail(msg, r, "cannot make a FUSE session");
	fd = place_mount(s->se, s->o.mnt, s->o.allow_other, msg);
	if (fd < 0)
		return fd;
	r = raw_attach(s, fd);
	return r ? fail(msg, r, "cannot serve '%s': %s", s->o.mnt, strerror(-r)) : 0;
}

/* -o no_FEATURE, for one that we know of. */
static bool without(const struct mount_opts *o, const char *feature)
{
	size_t n = strlen(feature);

	for (const char *p = o->no_features; p; p = strchr(p, ',')) {
		p += *p == ',';
		if (!strncmp(p, feature, n) && (!p[n] || p[n] == ','))
			return true;
	}
	return false;
}

static int start_threads(struct serve *s, char **msg)
{
	int r = control_start(s);

	if (!r)
		r = watch_start(s);
	if (!without(&s->o, "awake"))
		awake_open(&s->awake);
	if (!r)
		r = workers_start(s);
	if (!r)
		r = barrier_wait(s);
	if (!r)
		r = signals_start(s);
	if (r)
		return fail(msg, r, "cannot serve '%s': %s", s->o.mnt, strerror(-r));
	s->epochs = !without(&s->o, "epochs") && !raw_inc_epoch(s);
	return txm_start(s->m);
}

int serve_over(struct serve *s, int fd)
{
	int r = new_session(s);

	if (!r)
		r = raw_attach(s, fd);
	if (!r)
		r = control_start(s);
	return r ? r : workers_start(s);
}

void serve_over_end(struct serve *s)
{
	workers_join(s);
	control_stop(s);
	fuse_session_destroy(s->se);
}

static int register_mount(struct serve *s, char **msg)
{
	struct txfs_workspace w = {
		.base = (char *)s->o.base,
		.mnt = (char *)s->o.mnt,
		.store = (char *)s->o.store,
		.pid = getpid(),
	};
	int r = txfs_workspace_add(&w);

	s->registered = !r;
	return r ? fail(msg, r, "cannot register '%s' in the state directory: %s",
			   s->o.mnt, strerror(-r))
		 : 0;
}

static int start(struct serve *s, char **msg)
{
	struct place p = {.basefd = -1, .stagefd = -1};
	int r;

	prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0);
	/* A thread's own arena grows page by page; the shared one in steps. */
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_TOP_PAD, 1 << 20);
	s->uid = geteuid();
	s->gid = getegid();
	r = place_check(&p, &s->o, msg);
	if (!r)
		r = open_store(s, &p, msg);
	if (!r)
		r = open_session(s, msg);
	if (!r)
		r = start_threads(s, msg);
	if (!r)
		r = register_mount(s, msg);
	if (r && s->devfd >= 0)
		umount2(s->o.mnt, MNT_DETACH);
	return r;
}

/* --- end
 * ----------------------------------------------------------------------------------------
 */

static void stop(struct serve *s)
{
	signals_stop(s);
	if (s->controls)
		control_stop(s);
	watch_stop(s);
	if (s->m)
		txm_close(s->m);
	barrier_stop(s);
	place_unstage(s->t);
	if (s->se) {
		fuse_session_unmount(s->se); /* where libfuse mounted, for a user */
		fuse_session_destroy(s->se);
	}
	tree_free(s->t);
	store_close(s->store);
	if (s->registered)
		txfs_workspace_del(s->o.mnt);
}

static void to_background(struct serve *s)
{
	auto_free char *log = NULL;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	if (chdir("/") < 0)
		log_warn("cannot leave the current directory: %s", strerror(errno));
	if (asprintf(&log, "%s/daemon.log", s->o.store) >= 0)
		log_open(log, LOG_LEVEL_INFO);
	if (null < 0)
		return;
	dup2(null, 0);
	dup2(null, 1);
	dup2(null, 2);
	close(null);
}

/* Room for the cached descriptors, made while there is one thread: later each doubling of
 * the table would wait for an RCU grace period, tens of milliseconds in the middle of a
 * request. */
static void grow_descriptors(void)
{
	struct rlimit lim;
	int fd;

	if (getrlimit(RLIMIT_NOFILE, &lim))
		return;
	lim.rlim_cur = lim.rlim_max;
	setrlimit(RLIMIT_NOFILE, &lim);
	fd = fcntl(
		0, F_DUPFD_CLOEXEC, lim.rlim_cur > 8192 ? 8000 : (int)lim.rlim_cur - 1);
	if (fd >= 0)
		close(fd);
}

/* In the child: tell the parent through @fd how it went, then serve. */
static int serve(const struct mount_opts *o, int fd)
{
	struct serve *s = calloc(1, sizeof(*s));
	char *msg = NULL;
	int r;

	if (!s)
		return ENOMEM;
	s->o = *o;
	s->devfd = s->basefd = s->inotify = -1;
	pthread_mutex_init(&s->barrier_lock, NULL);
	pthread_cond_init(&s->barrier_seen, NULL);
	if (!o->foreground)
		to_background(s);
	grow_descriptors();
	r = barrier_start(s);
	signals_block();
	if (!r)
		r = start(s, &msg);
	if (write(fd, &r, sizeof(r)) != sizeof(r) ||
		(msg && write(fd, msg, strlen(msg)) < 0))
		log_error(
			"cannot tell that '%s' is %s", o->mnt, r ? "refused" : "mounted");
	close(fd);
	free(msg);
	if (!r)
		workers_join(s);
	awake_close(&s->awake);
	stop(s);
	return -r;
}

static int hear(int fd, char **msg)
{
	char buf[1024];
	ssize_t n;
	int r;

	if (read(fd, &r, sizeof(r)) != sizeof(r)) {
		*msg = strdup(
			"the daemon ended before it served; see daemon.log in the store");
		return -EIO;
	}
	n = read(fd, buf, sizeof(buf) - 1);
	buf[n > 0 ? n : 0] = 0;
	if (n > 0)
		*msg = strdup(buf);
	return r;
}

int serve_mount(const struct mount_opts *o, char **msg)
{
	int fd[2], r;
	pid_t pid;

	*msg = NULL;
	if (o->dry_run)
		return place_dry_run(o, msg);
	if (pipe2(fd, O_CLOEXEC) < 0)
		return -errno;
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid) {
		close(fd[0]);
		exit(serve(o, fd[1])); /* not _exit: leaks are looked for there */
	}
	close(fd[1]);
	r = hear(fd[0], msg);
	close(fd[0]);
	if (r || o->foreground)
		waitpid(pid, NULL, 0);
	return r;
}
