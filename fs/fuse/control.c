/*
 * control.c: ioctls and whatever else may wait for a commit, away from the workers.
 */
#include "fs/fuse/impl.h"

#include <sys/ioctl.h>
#include <unistd.h>

void control_post(struct serve *s, struct job *j)
{
	auto_unlock pthread_mutex_t *l = lock(&s->jobs_lock);

	list_add_tail(&j->link, &s->jobs);
	pthread_cond_signal(&s->jobs_wake);
}

static struct job *next_job(struct serve *s)
{
	auto_unlock pthread_mutex_t *l = lock(&s->jobs_lock);
	struct job *j;

	while (list_empty(&s->jobs) && !s->stop)
		pthread_cond_wait(&s->jobs_wake, &s->jobs_lock);
	if (list_empty(&s->jobs))
		return NULL;
	j = list_first(&s->jobs, struct job, link);
	list_del(&j->link);
	return j;
}

static void *control(void *arg)
{
	struct serve *s = arg;
	struct job *j;

	while ((j = next_job(s))) {
		j->run(s, j);
		free(j);
	}
	return NULL;
}

int control_start(struct serve *s)
{
	list_init(&s->jobs);
	pthread_mutex_init(&s->jobs_lock, NULL);
	pthread_cond_init(&s->jobs_wake, NULL);
	for (; s->controls < CONTROL_THREADS; s->controls++) {
		int r = pthread_create(&s->control[s->controls], NULL, control, s);

		if (r)
			return -r;
	}
	return 0;
}

void control_stop(struct serve *s)
{
	pthread_mutex_lock(&s->jobs_lock);
	s->stop = true;
	pthread_cond_broadcast(&s->jobs_wake);
	pthread_mutex_unlock(&s->jobs_lock);
	while (s->controls)
		pthread_join(s->control[--s->controls], NULL);
}

/* --- ioctls
 * ---------------------------------------------------------------------------------- */

static void fill_status(struct serve *s, struct txfs_ioc_status *io)
{
	txm_status(s->m, io);
	io->pid = (uint64_t)getpid();
	io->requests = atomic_load(&s->requests);
	io->flags = s->o.exclusive ? TXFS_STATUS_EXCLUSIVE : 0;
	strncpy(io->base, s->o.base, sizeof(io->base) - 1);
	strncpy(io->mnt, s->o.mnt, sizeof(io->mnt) - 1);
	strncpy(io->store, s->o.store, sizeof(io->store) - 1);
}

static void run_begin(struct serve *s, struct job *j)
{
	struct txfs_ioc_begin *io = &j->io.begin;
	bool alone = io->flags & (TXFS_BEGIN_PRIVATE | TXFS_BEGIN_FORCE);
	int r = alone ? 0
		      : writers_find(s->o.mnt, j->pid, io->message, sizeof(io->message));

	if (r) {
		io->id = 0;
		io->error = -r;
		return;
	}
	txm_begin(s->m, io);
}

static void run_ioctl(struct serve *s, struct job *j)
{
	switch (j->cmd) {
	case TXFS_IOC_BEGIN: run_begin(s, j); break;
	case TXFS_IOC_COMMIT: txm_commit(s->m, &j->io.end); break;
	case TXFS_IOC_ABORT: txm_abort(s->m, &j->io.end); break;
	case TXFS_IOC_SAVEPOINT: txm_savepoint(s->m, &j->io.end); break;
	case TXFS_IOC_ROLLBACK: txm_rollback(s->m, &j->io.end); break;
	case TXFS_IOC_RELEASE: txm_release(s->m, &j->io.end); break;
	case TXFS_IOC_SYNC: txm_sync(s->m, &j->io.end); break;
	case TXFS_IOC_STATUS: fill_status(s, &j->io.status); break;
	case TXFS_IOC_LIST: txm_list(s->m, &j->io.page); break;
	case TXFS_IOC_CHANGES: txm_changes(s->m, &j->io.page); break;
	}
	fuse_reply_ioctl(j->req, 0, &j->io, _IOC_SIZE(j->cmd));
}

struct call {
	unsigned int cmd, flags; /* flags that the call defines */
};

static const struct call calls[] = {
	{TXFS_IOC_BEGIN, TXFS_BEGIN_PRIVATE | TXFS_BEGIN_FORCE},
	{TXFS_IOC_COMMIT, TXFS_COMMIT_DRY_RUN},
	{TXFS_IOC_ABORT, 0},
	{TXFS_IOC_SAVEPOINT, 0},
	{TXFS_IOC_ROLLBACK, 0},
	{TXFS_IOC_RELEASE, 0},
	{TXFS_IOC_SYNC, 0},
	{TXFS_IOC_STATUS, 0},
	{TXFS_IOC_LIST, TXFS_LIST_LOG},
	{TXFS_IOC_CHANGES, TXFS_CHANGES_CONFLICTS},
};

/* Version and flags come first in every struct. */
static int check_call(unsigned int cmd, const void *in, size_t in_size, size_t out_size)
{
	uint32_t head[2];

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		if (calls[i].cmd != cmd)
			continue;
		if (in_size != _IOC_SIZE(cmd) || out_size != _IOC_SIZE(cmd))
			return -EINVAL;
		memcpy(head, in, sizeof(head));
		if (head[0] != TXFS_ABI)
			return -EPROTONOSUPPORT;
		return head[1] & ~calls[i].flags ? -EINVAL : 0;
	}
	return -ENOTTY;
}

static void clean_input(struct job *j)
{
	if (j->cmd == TXFS_IOC_STATUS) {
		memset(&j->io.status, 0, sizeof(j->io.status));
		j->io.status.version = TXFS_ABI;
	} else if (j->cmd == TXFS_IOC_LIST || j->cmd == TXFS_IOC_CHANGES) {
		j->io.page.used = j->io.page.count = 0;
		j->io.page.error = 0;
	} else if (j->cmd == TXFS_IOC_BEGIN) {
		j->io.begin.message[0] = 0;
		j->io.begin.view[0] = 0;
	} else {
		j->io.end.message[0] = 0;
	}
}

void op_ioctl(fuse_req_t req, fuse_ino_t ino, unsigned int cmd, void *arg,
	struct fuse_file_info *fi, unsigned int flags, const void *in, size_t in_size,
	size_t out_size)
{
	struct serve *s = serve_of(req);
	struct job *j;
	int r = ino == CTL_ID(CTL_CTL) ? check_call(cmd, in, in_size, out_size) : -ENOTTY;

	if (r) {
		fuse_reply_err(req, -r);
		return;
	}
	j = calloc(1, sizeof(*j));
	if (!j) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	j->req = req;
	j->cmd = cmd;
	j->pid = fuse_req_ctx(req)->pid;
	j->run = run_ioctl;
	memcpy(&j->io, in, in_size);
	clean_input(j);
	control_post(s, j);
}
