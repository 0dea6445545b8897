/*
 * test_client.c: the client against a peer that answers as the test wants: anything but
 * a good answer is an error, and an error is a refusal.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "policyd/client/client.h"
#include "tests/unit/policyd/suites.h"

static const struct policy_request question = {
	.command = "ls", .cwd = "/w", .workspace = "/w"};

struct peer_end {
	int fd;
	const char *say; /* NULL: nothing */
};

static void *answer(void *arg)
{
	struct peer_end *p = arg;
	char buf[4096];

	if (recv(p->fd, buf, sizeof(buf), 0) > 0 && p->say)
		send(p->fd, p->say, strlen(p->say), MSG_NOSIGNAL);
	return NULL;
}

static int ask(const char *say, bool close_first, struct policy_answer *ans)
{
	struct policy *p = calloc(1, sizeof(*p));
	struct peer_end end = {.say = say};
	pthread_t t;
	int sv[2], r;

	ck_assert_ptr_nonnull(p);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, sv), 0);
	p->fd = sv[0];
	p->timeout_ms = 100;
	end.fd = sv[1];
	if (close_first)
		close(sv[1]);
	else
		ck_assert_int_eq(pthread_create(&t, NULL, answer, &end), 0);
	r = policy_check(p, &question, ans);
	if (!close_first) {
		pthread_join(t, NULL);
		close(sv[1]);
	}
	if (r)
		ck_assert_int_lt(
			policy_check(p, &question, &(struct policy_answer){0}), 0);
	policy_close(p);
	return r;
}

START_TEST(a_good_answer_is_taken)
{
	struct policy_answer ans;

	ck_assert_int_eq(
		ask("{\"v\":1,\"id\":1,\"decision\":\"tx\",\"rule\":\"r\",\"us\":5}\n",
			false, &ans),
		0);
	ck_assert_int_eq(ans.decision, POLICY_TX);
	ck_assert_str_eq(ans.rule, "r");
	ck_assert(policy_permits(&ans));
}
END_TEST

static const char *const rubbish[] = {"\n", "{}\n", "hello\n", "{\"v\":1,\"id\":1}\n",
	"{\"v\":1,\"id\":2,\"decision\":\"allow\"}\n",
	"{\"v\":2,\"id\":1,\"decision\":\"allow\"}\n",
	"{\"v\":1,\"id\":1,\"decision\":\"yes\"}\n",
	"{\"v\":1,\"id\":1,\"decision\":1}\n",
	"{\"v\":1,\"id\":1,\"decision\":\"allow\"}\n{\"x\":1}\n",
	"{\"v\":1,\"id\":1,\"decision\":\"allow\"}", NULL};

START_TEST(rubbish_is_a_refusal)
{
	struct policy_answer ans;

	ck_assert_int_lt(ask(rubbish[_i], false, &ans), 0);
	ck_assert_int_eq(ans.decision, POLICY_DENY);
	ck_assert(!policy_permits(&ans));
}
END_TEST

START_TEST(a_dead_peer_is_a_refusal)
{
	struct policy_answer ans;

	ck_assert_int_lt(ask(NULL, true, &ans), 0);
	ck_assert_int_eq(ans.decision, POLICY_DENY);
}
END_TEST

START_TEST(a_missing_socket_is_an_error)
{
	struct policy *p;

	ck_assert_int_eq(policy_connect(&p, "/no/such/socket", 10), -ENOENT);
	ck_assert_ptr_null(p);
}
END_TEST

START_TEST(the_socket_has_its_place)
{
	char buf[256];

	setenv("TXFS_POLICYD_SOCKET", "/a/b", 1);
	ck_assert_int_eq(policy_socket_path(buf, sizeof(buf)), 0);
	ck_assert_str_eq(buf, "/a/b");
	unsetenv("TXFS_POLICYD_SOCKET");
	setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
	ck_assert_int_eq(policy_socket_path(buf, sizeof(buf)), 0);
	ck_assert_str_eq(buf, "/run/user/7/txfs/policyd.sock");
	ck_assert_int_eq(policy_socket_path(buf, 10), -ENAMETOOLONG);
}
END_TEST

START_TEST(named_variables_go_along)
{
	struct policy_env env[16];
	char *names;
	bool here = false, gone = false;
	int n;

	setenv("T_HERE", "v", 1);
	unsetenv("T_GONE");
	n = policy_env_for("rm $T_HERE ${T_GONE:-x} \"$T_HERE\" $", env, 16, &names);
	for (int i = 0; i < n; i++) {
		here |= !strcmp(env[i].name, "T_HERE") && env[i].value;
		gone |= !strcmp(env[i].name, "T_GONE") && !env[i].value;
	}
	ck_assert_int_eq(n, 7);
	ck_assert(here && gone);
	free(names);
}
END_TEST

Suite *suite_client(void)
{
	Suite *s = suite_create("client");
	TCase *t = tcase_create("client");

	tcase_add_test(t, a_good_answer_is_taken);
	tcase_add_loop_test(
		t, rubbish_is_a_refusal, 0, sizeof(rubbish) / sizeof(*rubbish));
	tcase_add_test(t, a_dead_peer_is_a_refusal);
	tcase_add_test(t, a_missing_socket_is_an_error);
	tcase_add_test(t, the_socket_has_its_place);
	tcase_add_test(t, named_variables_go_along);
	suite_add_tcase(s, t);
	return s;
}
