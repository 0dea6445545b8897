/*
 * sandbox.h: run commands contained.
 *
 * A sandbox is a mount, pid and ipc namespace (and, for an ordinary user, a user
 * namespace) whose first process is a small init of ours. Inside, `view` is shown at
 * `workspace` and is, besides scratch directories that end with the sandbox (/tmp,
 * /var/tmp, /dev/shm), the only place that takes writes: the rest of the file system is
 * read-only, devices are the harmless few, the paths of `hidden` are empty. Commands run
 * in a session of their own, may gain no privileges, and keep of root's only those that
 * work on files in the view. Any number of commands may run in one sandbox, one after
 * the other; what they leave running lives until sandbox_close.
 *
 * Not contained here: the network, abstract sockets, memory and the number of processes,
 * system calls, and what the user may read.
 *
 * The module knows nothing of transactions or policy. One thread at a time; the calling
 * process must be single-threaded (a namespace is made by forking it). Functions return
 * 0 or -errno.
 */
#ifndef AGENTCTL_SANDBOX_H
#define AGENTCTL_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sandbox;

/** Where the one socket of the outside is shown, if there is one. */
#define SANDBOX_SOCKET "/dev/agentctl"

/** What to show; all borrowed for the time of sandbox_open. */
struct sandbox_spec {
	const char *view;	   /* directory with the content of the workspace */
	const char *workspace;	   /* absolute real path at which it is shown */
	const char *home;	   /* shown, read-only, also below /tmp; or NULL */
	const char *const *hidden; /* files and directories that appear empty */
	size_t n_hidden;
	const char *socket; /* shown at SANDBOX_SOCKET, or NULL */
	char *const *env;   /* environment of every command, NULL ended */
};

/**
 * sandbox_open(out, spec, message, size): make a sandbox. On error *out is NULL, nothing
 * is left behind, and @message (at least 256 bytes) says what could not be done to which
 * path. -EINVAL also when a hidden path contains the workspace. Blocks for about 1 ms.
 */
int sandbox_open(struct sandbox **out, const struct sandbox_spec *spec, char *message,
	size_t size);

struct sandbox_cmd {
	char *const *argv; /* found through PATH of the environment */
	const char *cwd;   /* absolute, inside */
	int in, out, err;  /* descriptors; -1: nothing, or for out and err: to output() */
	int timeout_ms;	   /* 0: none */
	int signal_fd;	   /* a signalfd whose signals are forwarded, or -1 */
	void (*output)(void *arg, int stream, const char *data, size_t bytes);
	void *arg; /* output: stream is 1 or 2, called from sandbox_exec */
	/* who may want it to end: hear is called when hear_fd is readable. 0: go on; 1:
	 * as if its time were over; -1: nothing more will be heard. With hear only. */
	int hear_fd;
	int (*hear)(void *arg);
	void *hear_arg;
};

struct sandbox_result {
	int status;	  /* as a shell tells it: exit status, 128 + signal, 127 */
	int signal;	  /* that ended the command, or 0 */
	int start_error;  /* errno why it did not start, or 0; then status is 127 */
	int forwarded;	  /* last signal sent on from signal_fd, or 0 */
	bool timed_out;	  /* the sandbox is dead then, only to be closed */
	uint64_t time_ns; /* wall time */
};

/**
 * sandbox_exec(s, cmd, r): run one command to its end. -EINVAL: a descriptor of cmd is a
 * directory (it would lead out of the sandbox). -EPIPE: the sandbox is dead. Other errors
 * mean that nothing ran. At the time-out the command gets SIGTERM, two seconds later the
 * whole sandbox SIGKILL.
 */
int sandbox_exec(
	struct sandbox *s, const struct sandbox_cmd *cmd, struct sandbox_result *r);

/**
 * sandbox_close(s): kill every process of the sandbox, wait until all are gone, free @s.
 * After it returned nothing that ran inside can write anything. NULL is fine.
 */
void sandbox_close(struct sandbox *s);

#endif
