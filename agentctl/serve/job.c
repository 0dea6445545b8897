/*
 * job.c: first come, first served; the engine is one.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/bytes.h"
#include "agentctl/serve/job.h"
#include "common/mem.h"

struct job {
	struct question q;
	pthread_mutex_t lock;
	pthread_cond_t news;
	int holders; /* the connection, and the queue */
	bool left;   /* the connection has gone */
	bool ended;
	struct bytes words;
	size_t read; /* of them */
	struct reply reply;
	int error;
	char message[256];
	struct job *next;
};

struct jobs {
	struct brain *brain;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t work;
	struct job *first, **last;
	struct job *current; /* that is being answered */
	unsigned int waiting;
	bool closing;
};

/* --- a job ----------------------------------------------------------------------------
 */

static void drop(struct job *job)
{
	int left;

	pthread_mutex_lock(&job->lock);
	left = --job->holders;
	pthread_mutex_unlock(&job->lock);
	if (left > 0)
		return;
	question_free(&job->q);
	reply_free(&job->reply);
	bytes_free(&job->words);
	pthread_mutex_destroy(&job->lock);
	pthread_cond_destroy(&job->news);
	free(job);
}

void job_release(struct job *job)
{
	if (!job)
		return;
	pthread_mutex_lock(&job->lock);
	job->left = true;
	pthread_mutex_unlock(&job->lock);
	drop(job);
}

const struct question *job_question(const struct job *job)
{
	return &job->q;
}

void job_wait(struct job *job)
{
	pthread_mutex_lock(&job->lock);
	while (!job->ended)
		pthread_cond_wait(&job->news, &job->lock);
	pthread_mutex_unlock(&job->lock);
}

size_t job_read(struct job *job, char *buf, size_t size)
{
	size_t n;

	pthread_mutex_lock(&job->lock);
	while (!job->ended && job->read == job->words.n)
		pthread_cond_wait(&job->news, &job->lock);
	n = job->words.n - job->read;
	n = n < size ? n : size;
	if (n > 0)
		memcpy(buf, job->words.p + job->read, n);
	job->read += n;
	pthread_mutex_unlock(&job->lock);
	return n;
}

int job_error(const struct job *job)
{
	return job->error;
}

const char *job_message(const struct job *job)
{
	return job->message;
}

const struct reply *job_reply(const struct job *job)
{
	return &job->reply;
}

static int say(void *arg, const char *text, size_t n)
{
	struct job *job = arg;
	bool left;

	pthread_mutex_lock(&job->lock);
	bytes_add(&job->words, text, n);
	left = job->left || job->words.error;
	pthread_cond_signal(&job->news);
	pthread_mutex_unlock(&job->lock);
	return left;
}

static void end(struct job *job, int error)
{
	pthread_mutex_lock(&job->lock);
	job->error = error;
	job->ended = true;
	pthread_cond_broadcast(&job->news);
	pthread_mutex_unlock(&job->lock);
	drop(job);
}

static void answer(struct jobs *j, struct job *job)
{
	bool left;
	int r = -ECANCELED;

	pthread_mutex_lock(&job->lock);
	left = job->left;
	pthread_mutex_unlock(&job->lock);
	if (!left)
		r = brain_answer(j->brain, &job->q, say, job, &job->reply, job->message,
			sizeof job->message);
	pthread_mutex_lock(&j->lock);
	j->current = NULL;
	pthread_mutex_unlock(&j->lock);
	end(job, r);
}

/* --- the queue ------------------------------------------------------------------------
 */

static struct job *take(struct jobs *j)
{
	struct job *job;

	pthread_mutex_lock(&j->lock);
	while (!j->first && !j->closing)
		pthread_cond_wait(&j->work, &j->lock);
	job = j->first;
	j->current = job;
	if (job) {
		j->first = job->next;
		j->waiting--;
		if (!j->first)
			j->last = &j->first;
	}
	pthread_mutex_unlock(&j->lock);
	return job;
}

static void *work(void *arg)
{
	struct jobs *j = arg;
	struct job *job;

	while ((job = take(j))) {
		if (j->closing)
			end(job, -ECANCELED);
		else
			answer(j, job);
	}
	return NULL;
}

int jobs_open(struct jobs **out, struct brain *brain)
{
	struct jobs *j = mem_zalloc(sizeof *j);
	int r;

	*out = NULL;
	if (!j)
		return -ENOMEM;
	j->brain = brain;
	j->last = &j->first;
	pthread_mutex_init(&j->lock, NULL);
	pthread_cond_init(&j->work, NULL);
	r = pthread_create(&j->thread, NULL, work, j);
	if (r != 0) {
		free(j);
		return -r;
	}
	*out = j;
	return 0;
}

void jobs_stop(struct jobs *j)
{
	pthread_mutex_lock(&j->lock);
	j->closing = true;
	if (j->current) {
		pthread_mutex_lock(&j->current->lock);
		j->current->left = true;
		pthread_mutex_unlock(&j->current->lock);
	}
	pthread_cond_signal(&j->work);
	pthread_mutex_unlock(&j->lock);
	pthread_join(j->thread, NULL);
}

void jobs_close(struct jobs *j)
{
	if (!j)
		return;
	pthread_mutex_destroy(&j->lock);
	pthread_cond_destroy(&j->work);
	free(j);
}

static struct job *new_job(struct question *q)
{
	struct job *job = mem_zalloc(sizeof *job);

	if (!job)
		return NULL;
	job->q = *q;
	job->q.how.stops = job->q.stops; /* it moved */
	memset(q, 0, sizeof *q);
	job->words.max = 16 << 20;
	job->holders = 2;
	pthread_mutex_init(&job->lock, NULL);
	pthread_cond_init(&job->news, NULL);
	return job;
}

int jobs_add(struct jobs *j, struct question *q, struct job **out)
{
	struct job *job = new_job(q);
	bool full;

	*out = NULL;
	if (!job) {
		question_free(q);
		return -ENOMEM;
	}
	pthread_mutex_lock(&j->lock);
	full = j->waiting >= JOBS_WAITING || j->closing;
	if (!full) {
		*j->last = job;
		j->last = &job->next;
		j->waiting++;
		pthread_cond_signal(&j->work);
	}
	pthread_mutex_unlock(&j->lock);
	if (full) {
		drop(job);
		drop(job);
		return -EBUSY;
	}
	*out = job;
	return 0;
}
