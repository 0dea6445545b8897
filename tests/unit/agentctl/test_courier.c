/*
 * test_courier.c: an answer crosses the wire as it is; what makes no sense there is an
 * error, and waiting can be ended.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "agentctl/provider/courier.h"
#include "common/mem.h"
#include "common/time.h"
#include "tests/unit/agentctl/suites.h"

static int pair[2];
static const struct provider_watch nobody;

static void open_pair(void)
{
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
}

static void close_pair(void)
{
	close(pair[0]);
	close(pair[1]);
}

static void fill(struct answer *a)
{
	memset(a, 0, sizeof *a);
	a->text = mem_strdup("words");
	a->cut = true;
	a->tokens_in = 7;
	a->tokens_out = 1ull << 40;
	calls_add(&a->calls, "run", "id 1", "{\"command\":\"ls\"}", 16);
	calls_add(&a->calls, "rollback", NULL, "{\"step\":3}", 10);
	calls_add(&a->calls, "fly", "x", "", 0);
}

START_TEST(an_answer_arrives_as_it_was)
{
	struct answer a, b = {0};
	struct fault f = {0};

	fill(&a);
	ck_assert_int_eq(wire_put(pair[0], &a, &f, 0), 0);
	ck_assert_int_eq(wire_get(pair[1], &nobody, 0, &b, &f), 0);
	ck_assert_str_eq(b.text, "words");
	ck_assert(b.cut);
	ck_assert_uint_eq(b.tokens_out, 1ull << 40);
	ck_assert_uint_eq(b.calls.n, 3);
	ck_assert_str_eq(b.calls.c[0].id, "id 1");
	ck_assert_str_eq(b.calls.c[0].text, "ls");
	ck_assert_ptr_null(b.calls.c[1].id);
	ck_assert_uint_eq(b.calls.c[1].step, 3);
	ck_assert_int_eq(b.calls.c[2].kind, CALL_UNREAD);
	answer_free(&a);
	answer_free(&b);
}
END_TEST

START_TEST(a_fault_arrives_as_it_was)
{
	struct answer a = {0};
	struct fault f = {.kind = FAULT_TLS, .status = 7, .retry_ms = 9, .text = "why"},
		     g;

	ck_assert_int_eq(wire_put(pair[0], &a, &f, -EIO), 0);
	ck_assert_int_eq(wire_get(pair[1], &nobody, 0, &a, &g), -EIO);
	ck_assert_int_eq(g.kind, FAULT_TLS);
	ck_assert_int_eq(g.retry_ms, 9);
	ck_assert_str_eq(g.text, "why");
}
END_TEST

/* All that wire_put sends, broken off after each byte, and with each byte another. */
START_TEST(a_damaged_wire_is_an_error_or_an_answer)
{
	struct answer a, b;
	struct fault f = {0};
	char wire[4096];
	ssize_t n;

	fill(&a);
	ck_assert_int_eq(wire_put(pair[0], &a, &f, 0), 0);
	n = recv(pair[1], wire, sizeof wire, MSG_DONTWAIT);
	ck_assert_int_gt(n, 0);
	close_pair();
	for (ssize_t i = 0; i < 2 * n; i++) {
		char copy[sizeof wire];
		size_t len = i < n ? (size_t)i : (size_t)n;

		memcpy(copy, wire, sizeof copy);
		if (i >= n)
			copy[i - n] ^= 0x55;
		open_pair();
		ck_assert_int_eq(write(pair[0], copy, len), (ssize_t)len);
		shutdown(pair[0], SHUT_WR);
		memset(&b, 0, sizeof b);
		if (wire_get(pair[1], &nobody, 0, &b, &f) != 0)
			ck_assert_uint_eq(b.calls.n, 0);
		answer_free(&b);
		close_pair();
	}
	open_pair();
	answer_free(&a);
}
END_TEST

static bool yes(void *arg)
{
	++*(int *)arg;
	return *(int *)arg > 1;
}

START_TEST(waiting_can_be_ended)
{
	int asked = 0, p[2];
	struct provider_watch w = {.stop = yes, .arg = &asked};
	struct provider_watch late = {
		.until_ns = ns_of(ts_in(CLOCK_MONOTONIC, NS_PER_S / 20))};
	struct answer a = {0};
	struct fault f;

	ck_assert_int_eq(pipe(p), 0);
	ck_assert_int_eq(write(p[1], "x", 1), 1);
	w.fd = p[0];
	ck_assert_int_eq(wire_get(pair[1], &w, 0, &a, &f), -EINTR);
	ck_assert_int_eq(asked, 2);
	ck_assert_int_eq(wire_get(pair[1], &late, 0, &a, &f), -ETIME);
	ck_assert_int_eq(wire_get(pair[1], &nobody,
				 ns_of(ts_in(CLOCK_MONOTONIC, NS_PER_S / 20)), &a, &f),
		-EAGAIN);
	close(p[0]);
	close(p[1]);
}
END_TEST

START_TEST(a_key_is_taken_out)
{
	char s[] = "a key-1234, key-1234key-1234 b", t[] = "abc";

	courier_mask(s, "key-1234");
	ck_assert_str_eq(s, "a ***, ****** b");
	courier_mask(t, "b"); /* too short to be one */
	ck_assert_str_eq(t, "abc");
	courier_mask(t, NULL);
	courier_mask(NULL, "key-1234");
}
END_TEST

TCase *case_courier(void)
{
	TCase *t = tcase_create("courier");

	tcase_add_checked_fixture(t, open_pair, close_pair);
	tcase_add_test(t, an_answer_arrives_as_it_was);
	tcase_add_test(t, a_fault_arrives_as_it_was);
	tcase_add_test(t, a_damaged_wire_is_an_error_or_an_answer);
	tcase_add_test(t, waiting_can_be_ended);
	tcase_add_test(t, a_key_is_taken_out);
	return t;
}
