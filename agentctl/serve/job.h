/*
 * job.h: questions in a queue, and the one thread that answers them. Private to serve.
 *
 * A job is shared by the thread of its connection and that of the engine; its lock guards
 * what is between them: words that came, and the end. Who lets go last frees it.
 */
#ifndef AGENTCTL_SERVE_JOB_H
#define AGENTCTL_SERVE_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include "agentctl/provider/brain/brain.h"

#define JOBS_WAITING 32

struct job;
struct jobs;

/** jobs_open(out, brain): begin to answer. -ENOMEM, -EAGAIN. jobs_stop(j): answer no
 * more; what waits or is being answered gets -ECANCELED, what comes -EBUSY. Once, then
 * jobs_close(j). */
int jobs_open(struct jobs **out, struct brain *brain);
void jobs_stop(struct jobs *j);
void jobs_close(struct jobs *j);

/** jobs_add(j, q, out): takes @q in any case. -EBUSY: too many wait; -ENOMEM. */
int jobs_add(struct jobs *j, struct question *q, struct job **out);

/** job_question(job): what was asked. */
const struct question *job_question(const struct job *job);

/** job_wait(job): until it has ended. job_read(job, buf, size): words that came, waiting
 * for at least a byte; 0: there are no more. */
void job_wait(struct job *job);
size_t job_read(struct job *job, char *buf, size_t size);

/** After its end: job_error: 0 or -errno with job_message; job_reply: the answer. */
int job_error(const struct job *job);
const char *job_message(const struct job *job);
const struct reply *job_reply(const struct job *job);

/** job_release(job): nobody is interested any more; if it is being answered it ends. */
void job_release(struct job *job);

#endif
