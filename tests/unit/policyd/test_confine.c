/*
 * test_confine.c: what the daemon cannot do once it serves, each tried in a process of
 * its own; and what all connections of one process may use.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "policyd/server/private.h"
#include "tests/unit/policyd/suites.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

#define IN "confined-in"
#define OUT "confined-out"

static int try_exec(void)
{
	char *argv[] = {(char *)"/bin/true", NULL};

	return execv(argv[0], argv);
}

static int try_fork(void)
{
	return fork();
}

static void *nothing(void *arg)
{
	return arg;
}

static int try_thread(void)
{
	pthread_t t;

	return -pthread_create(&t, NULL, nothing, NULL);
}

static int try_inet(void)
{
	return socket(AF_INET, SOCK_STREAM, 0);
}

static int try_unix(void)
{
	return socket(AF_UNIX, SOCK_STREAM, 0);
}

static int try_kill(void)
{
	return kill(getppid(), 0);
}

static int try_ptrace(void)
{
	return (int)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

static int try_unshare(void)
{
	return unshare(CLONE_NEWUSER);
}

static int try_code(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
		       ? -1
		       : 0;
}

static int try_setuid(void)
{
	return setuid(65534);
}

static int make(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	return fd < 0 || (flags != O_RDONLY && write(fd, "x", 1) != 1) ? -1 : 0;
}

static int try_write_in(void)
{
	return make(IN "/new", O_WRONLY | O_CREAT);
}

static int try_append_in(void)
{
	return make(IN "/old", O_WRONLY | O_APPEND);
}

static int try_rename_in(void)
{
	return renameat(AT_FDCWD, IN "/old", AT_FDCWD, IN "/older");
}

static int try_write_out(void)
{
	return make(OUT "/new", O_WRONLY | O_CREAT);
}

static int try_write_old(void)
{
	return make(OUT "/old", O_WRONLY);
}

static int try_read_out(void)
{
	return make(OUT "/old", O_RDONLY);
}

static int try_mkdir_out(void)
{
	return mkdir(OUT "/dir", 0700);
}

static int try_unlink_out(void)
{
	return unlink(OUT "/old");
}

static int try_rename_out(void)
{
	return renameat(AT_FDCWD, OUT "/old", AT_FDCWD, IN "/stolen");
}

static int try_link_out(void)
{
	return symlink("/etc", OUT "/link");
}

static int try_chmod_out(void)
{
	return chmod(OUT "/old", 0666);
}

static int try_truncate_out(void)
{
	return truncate(OUT "/old", 0);
}

enum outcome { WORKS, REFUSED, KILLED };

static const struct {
	const char *name;
	int (*what)(void);
	enum outcome guarded, unguarded; /* with Landlock, and without */
} tries[] = {
	{"exec", try_exec, KILLED, KILLED},
	{"fork", try_fork, KILLED, KILLED},
	{"a thread", try_thread, KILLED, KILLED},
	{"internet", try_inet, KILLED, KILLED},
	{"unix socket", try_unix, KILLED, KILLED},
	{"kill", try_kill, KILLED, KILLED},
	{"ptrace", try_ptrace, KILLED, KILLED},
	{"unshare", try_unshare, KILLED, KILLED},
	{"code", try_code, KILLED, KILLED},
	{"setuid", try_setuid, KILLED, KILLED},
	{"new in", try_write_in, WORKS, REFUSED},
	{"append in", try_append_in, WORKS, REFUSED},
	{"rename in", try_rename_in, WORKS, REFUSED},
	{"new out", try_write_out, REFUSED, REFUSED},
	{"write out", try_write_old, REFUSED, REFUSED},
	{"read out", try_read_out, WORKS, WORKS},
	{"mkdir out", try_mkdir_out, REFUSED, REFUSED},
	{"unlink out", try_unlink_out, REFUSED, REFUSED},
	{"rename out", try_rename_out, REFUSED, REFUSED},
	{"link out", try_link_out, REFUSED, REFUSED},
	{"chmod out", try_chmod_out, REFUSED, REFUSED},
	{"truncate out", try_truncate_out, REFUSED, REFUSED},
};

enum { N_TRIES = sizeof(tries) / sizeof(*tries) };

static void setup(void)
{
	ck_assert_int_eq(system("rm -rf " IN " " OUT "; mkdir " IN " " OUT
				"; echo x > " IN "/old; echo x > " OUT "/old"),
		0);
}

static _Noreturn void in_child(int (*what)(void), bool guard)
{
	bool works = false;

	signal(SIGSYS, SIG_DFL);
	if (guard && confine_files(IN, NULL, &works))
		_exit(90);
	if (guard && !works)
		_exit(91); /* no Landlock in this kernel */
	if (confine_calls(guard))
		_exit(92);
	_exit(what() < 0 ? 1 : 0);
}

static void attempt(int i, bool guard, enum outcome want)
{
	pid_t pid = fork();
	int status;

	ck_assert_int_ge(pid, 0);
	if (!pid)
		in_child(tries[i].what, guard);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 91)
		return;
	if (want == KILLED)
		ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS,
			"%s: status %x", tries[i].name, status);
	else
		ck_assert_msg(
			WIFEXITED(status) && WEXITSTATUS(status) == (want == REFUSED),
			"%s: status %x", tries[i].name, status);
}

START_TEST(a_confined_daemon_can_serve_and_no_more)
{
	if (!SANITIZED)
		attempt(_i, true, tries[_i].guarded);
}
END_TEST

START_TEST(without_landlock_nothing_is_opened_for_writing)
{
	if (!SANITIZED)
		attempt(_i, false, tries[_i].unguarded);
}
END_TEST

/* --- what one process may use --------------------------------------------------------
 */

START_TEST(connections_and_input_of_one_process_are_bounded)
{
	struct peers p = {0};
	struct peer_use *u = NULL, *other;

	for (int i = 0; i < PEER_CLIENTS; i++)
		ck_assert_ptr_nonnull(u = peers_join(&p, 7, 0));
	ck_assert_ptr_null(peers_join(&p, 7, 0));
	ck_assert_ptr_nonnull(other = peers_join(&p, 8, 0));
	ck_assert(peers_hold(&p, u, PEER_BYTES));
	ck_assert(!peers_hold(&p, u, 1));
	ck_assert(peers_hold(&p, other, PEER_BYTES));
	peers_release(&p, u, PEER_BYTES);
	ck_assert(peers_hold(&p, u, PEER_BYTES / 2));
	ck_assert_uint_le(p.bytes, ALL_BYTES);
	for (int i = 0; i < PEER_CLIENTS; i++)
		peers_leave(&p, u);
	peers_leave(&p, other);
}
END_TEST

START_TEST(input_of_all_processes_is_bounded)
{
	struct peer_use *u[100] = {0};
	struct peers p = {0};
	int n = 0;

	while (n < 100 && peers_hold(&p, u[n] = peers_join(&p, 100 + n, 0), PEER_BYTES))
		n++;
	ck_assert_int_eq(n, ALL_BYTES / PEER_BYTES);
	for (int i = 0; i < 100 && u[i]; i++)
		peers_leave(&p, u[i]);
}
END_TEST

START_TEST(who_fills_the_record_waits_also_after_connecting_anew)
{
	struct peers p = {0};
	struct peer_use *u = peers_join(&p, 7, 0);

	ck_assert(peers_may_log(u, 0));
	peers_log(u, PEER_LOG_BURST);
	ck_assert(!peers_may_log(u, 0));
	peers_leave(&p, u);
	u = peers_join(&p, 7, 0);
	ck_assert(!peers_may_log(u, 0));
	ck_assert(peers_may_log(u, 1000));
	peers_log(u, PEER_LOG_RATE);
	ck_assert(!peers_may_log(u, 1000));
	ck_assert(peers_may_log(u, 1000 * 1000 * 100));
	peers_leave(&p, u);
}
END_TEST

TCase *tcase_confine(void)
{
	TCase *t = tcase_create("confine");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_loop_test(t, a_confined_daemon_can_serve_and_no_more, 0, N_TRIES);
	tcase_add_loop_test(
		t, without_landlock_nothing_is_opened_for_writing, 0, N_TRIES);
	tcase_add_test(t, connections_and_input_of_one_process_are_bounded);
	tcase_add_test(t, input_of_all_processes_is_bounded);
	tcase_add_test(t, who_fills_the_record_waits_also_after_connecting_anew);
	return t;
}
