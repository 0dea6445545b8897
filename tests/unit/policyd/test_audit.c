/*
 * test_audit.c: the chain holds, breaks when touched, and keeps no secrets.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "policyd/audit/audit.h"
#include "policyd/audit/sha256.h"
#include "tests/unit/policyd/suites.h"

#define LOG "audit-state/audit.jsonl"

static void setup(void)
{
	char dir[4096];

	ck_assert_ptr_nonnull(getcwd(dir, sizeof(dir) - 20));
	strcat(dir, "/audit-state");
	setenv("TXFS_STATE_DIR", dir, 1);
	unlink(LOG);
}

static const struct {
	const char *text, *hash;
} hashes[] = {
	{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
	{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
	{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
};

START_TEST(sha256_of_known_texts)
{
	struct sha256 c;
	char hex[65];

	sha256_init(&c);
	sha256_add(&c, hashes[_i].text, strlen(hashes[_i].text));
	sha256_hex(&c, hex);
	ck_assert_str_eq(hex, hashes[_i].hash);
}
END_TEST

static void write_some(int n)
{
	struct audit *a;

	ck_assert_int_eq(audit_open(&a), 0);
	for (int i = 0; i < n; i++)
		ck_assert_int_eq(audit_write(a, &(struct audit_event){.op = "check",
							.command = "ls --token abc\n",
							.cwd = "/w",
							.tx = "7",
							.decision = "allow",
							.rule = "read",
							.class_ = "read"}),
			0);
	audit_close(a);
}

START_TEST(the_chain_goes_on_after_a_restart)
{
	unsigned long line;
	struct stat st;

	write_some(3);
	write_some(2);
	ck_assert_int_eq(audit_verify(LOG, &line), 0);
	ck_assert_uint_eq(line, 5);
	ck_assert_int_eq(stat(LOG, &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0600);
}
END_TEST

START_TEST(a_changed_line_breaks_the_chain)
{
	unsigned long line;
	auto_file FILE *f = NULL;

	write_some(3);
	f = fopen(LOG, "r+e");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fseek(f, 10, SEEK_SET), 0);
	fputc('X', f);
	fflush(f);
	ck_assert_int_eq(audit_verify(LOG, &line), -EBADMSG);
	ck_assert_uint_eq(line, 1);
}
END_TEST

START_TEST(a_torn_line_does_not_hide_the_next)
{
	unsigned long line;
	struct audit *a;
	struct stat st;

	write_some(2);
	ck_assert_int_eq(stat(LOG, &st), 0);
	ck_assert_int_eq(truncate(LOG, st.st_size - 10), 0);
	ck_assert_int_eq(audit_open(&a), 0);
	ck_assert_int_eq(audit_write(a, &(struct audit_event){.op = "check"}), 0);
	audit_close(a);
	ck_assert_int_eq(audit_verify(LOG, &line), -EBADMSG);
	ck_assert_uint_eq(line, 2);
}
END_TEST

START_TEST(no_log_is_an_error_that_can_be_seen)
{
	struct audit *a;

	setenv("TXFS_STATE_DIR", "/dev/null/x", 1);
	ck_assert_int_lt(audit_open(&a), 0);
	ck_assert_ptr_null(a);
	ck_assert_int_lt(audit_write(NULL, &(struct audit_event){.op = "check"}), 0);
}
END_TEST

static const struct {
	const char *in, *out;
} masks[] = {
	{"ls -la", "ls -la"},
	{"x --token abc123", "x --token ***"},
	{"x --password=abc y", "x --password=*** y"},
	{"curl -H 'Authorization: Bearer abc.def' u",
		"curl -H 'Authorization: Bearer ***' u"},
	{"git clone https://me:s3cret@h/r", "git clone https://me:***@h/r"},
	{"echo ghp_abcdef", "echo ***"},
	{"A=1 AWS_SECRET_ACCESS_KEY=xyz cmd", "A=1 AWS_SECRET_ACCESS_KEY=*** cmd"},
	{"echo $TOKEN", "echo $TOKEN"},
};

START_TEST(secrets_are_masked)
{
	char out[256];

	audit_mask(masks[_i].in, out, sizeof(out));
	ck_assert_str_eq(out, masks[_i].out);
}
END_TEST

Suite *suite_audit(void)
{
	Suite *s = suite_create("audit");
	TCase *t = tcase_create("audit");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_loop_test(
		t, sha256_of_known_texts, 0, sizeof(hashes) / sizeof(*hashes));
	tcase_add_test(t, the_chain_goes_on_after_a_restart);
	tcase_add_test(t, a_changed_line_breaks_the_chain);
	tcase_add_test(t, a_torn_line_does_not_hide_the_next);
	tcase_add_test(t, no_log_is_an_error_that_can_be_seen);
	tcase_add_loop_test(t, secrets_are_masked, 0, sizeof(masks) / sizeof(*masks));
	suite_add_tcase(s, t);
	return s;
}
