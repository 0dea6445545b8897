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

#define STATE "audit-state"
#define LOG STATE "/audit.jsonl"

static void setup(void)
{
	char dir[4096];

	ck_assert_ptr_nonnull(getcwd(dir, sizeof(dir) - 20));
	strcat(dir, "/audit-state");
	setenv("TXFS_STATE_DIR", dir, 1);
	ck_assert_int_eq(system("rm -f " STATE "/audit*.jsonl"), 0);
}

static int verify(struct audit_found *f)
{
	return audit_verify(STATE, NULL, f);
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

START_TEST(both_forms_of_sha256_agree)
{
	char text[300], a[65], b[65];
	struct sha256 c;

	if (!sha256_fast())
		return;
	for (size_t n = 0; n < sizeof(text); n++) {
		text[n] = (char)(n * 7 + 1);
		sha256_init(&c);
		sha256_add(&c, text, n / 3);
		sha256_add(&c, text + n / 3, n - n / 3);
		sha256_hex(&c, a);
		sha256_init_fast(&c);
		sha256_add(&c, text, n);
		sha256_hex(&c, b);
		ck_assert_str_eq(a, b);
	}
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
	struct audit_found f;
	struct stat st;

	write_some(3);
	write_some(2);
	ck_assert_int_eq(verify(&f), 0);
	ck_assert_uint_eq(f.lines, 5);
	ck_assert_uint_eq(f.first, 1);
	ck_assert_int_eq(stat(LOG, &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0600);
}
END_TEST

START_TEST(a_changed_line_breaks_the_chain)
{
	struct audit_found found;
	auto_file FILE *f = NULL;

	write_some(3);
	f = fopen(LOG, "r+e");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fseek(f, 10, SEEK_SET), 0);
	fputc('X', f);
	fflush(f);
	ck_assert_int_eq(verify(&found), -EBADMSG);
	ck_assert_uint_eq(found.line, 1);
	ck_assert_str_eq(found.file, "audit.jsonl");
	ck_assert_str_ne(found.why, "");
}
END_TEST

START_TEST(a_torn_line_does_not_hide_the_next)
{
	struct audit_found f;
	struct audit *a;
	struct stat st;

	write_some(2);
	ck_assert_int_eq(stat(LOG, &st), 0);
	ck_assert_int_eq(truncate(LOG, st.st_size - 10), 0);
	ck_assert_int_eq(audit_open(&a), 0);
	ck_assert_int_eq(audit_write(a, &(struct audit_event){.op = "check"}), 0);
	audit_close(a);
	ck_assert_int_eq(verify(&f), -EBADMSG);
	ck_assert_uint_eq(f.line, 2);
}
END_TEST

static void write_many(int n, size_t file_bytes, size_t keep)
{
	struct audit *a;

	ck_assert_int_eq(audit_open_with(&a, file_bytes, keep, 1 << 20), 0);
	for (int i = 0; i < n; i++) {
		ck_assert_int_eq(audit_write(a, &(struct audit_event){.op = "check",
							.command = "make"}),
			0);
		if (i % 10 == 9) {
			audit_close(a);
			ck_assert_int_eq(
				audit_open_with(&a, file_bytes, keep, 1 << 20), 0);
		}
	}
	audit_close(a);
}

static int count_files(void)
{
	auto_dir DIR *d = opendir(STATE);
	struct dirent *e;
	int n = 0;

	while ((e = readdir(d)))
		n += strstr(e->d_name, ".jsonl") != NULL;
	return n;
}

START_TEST(a_full_file_is_followed_by_the_next_in_one_chain)
{
	struct audit_found f;

	write_many(100, 2000, 100);
	ck_assert_int_gt(count_files(), 5);
	ck_assert_int_eq(verify(&f), 0);
	ck_assert_uint_eq(f.lines, 100);
}
END_TEST

START_TEST(the_oldest_files_go_and_the_chain_still_holds)
{
	struct audit_found f;

	write_many(100, 2000, 2);
	ck_assert_int_eq(count_files(), 3);
	ck_assert_int_eq(verify(&f), 0);
	ck_assert_uint_gt(f.first, 1);
	ck_assert_uint_eq(f.first + f.lines, 101);
}
END_TEST

START_TEST(a_file_that_was_full_is_left_at_the_next_start)
{
	struct audit_found f;
	struct audit *a;

	write_some(5);
	ck_assert_int_eq(audit_open_with(&a, 100, 10, 1 << 20), 0);
	audit_seal(a); /* no Landlock: from now on nothing can be opened */
	ck_assert_int_eq(audit_write(a, &(struct audit_event){.op = "check"}), 0);
	audit_close(a);
	ck_assert_int_eq(count_files(), 2);
	ck_assert_int_eq(verify(&f), 0);
	ck_assert_uint_eq(f.lines, 6);
}
END_TEST

START_TEST(a_missing_file_breaks_the_chain)
{
	struct audit_found f;

	write_many(100, 2000, 100);
	ck_assert_int_eq(system("rm \"$(ls " STATE "/audit-*.jsonl | sed -n 3p)\""), 0);
	ck_assert_int_eq(verify(&f), -EBADMSG);
}
END_TEST

START_TEST(an_earlier_head_must_be_there)
{
	struct audit_found f;
	char head[AUDIT_HASH];

	write_some(2);
	ck_assert_int_eq(verify(&f), 0);
	memcpy(head, f.head, sizeof(head));
	write_some(2);
	ck_assert_int_eq(audit_verify(STATE, head, &f), 0);
	/* a shorter record that holds by itself is found out by the head alone */
	ck_assert_int_eq(system("sed -i 1q " LOG), 0);
	ck_assert_int_eq(verify(&f), 0);
	ck_assert_int_eq(audit_verify(STATE, head, &f), -EBADMSG);
}
END_TEST

START_TEST(what_finds_no_room_is_counted_in_the_record)
{
	struct audit_found f;
	struct audit *a;
	int lost = 0;

	ck_assert_int_eq(audit_open_with(&a, 1 << 20, 2, 4096), 0);
	for (int i = 0; i < 2000; i++)
		lost += audit_write(a, &(struct audit_event){.op = "check"}) == -ENOBUFS;
	while (audit_write(a, &(struct audit_event){.op = "check"}))
		lost++;
	ck_assert_uint_eq(audit_failures(a), (unsigned long)lost);
	audit_close(a);
	ck_assert_int_eq(verify(&f), 0);
	if (lost)
		ck_assert_int_eq(system("grep -q '\"op\":\"lost\",\"count\":' " LOG), 0);
}
END_TEST

START_TEST(a_second_writer_is_kept_out)
{
	struct audit *a, *b;

	ck_assert_int_eq(audit_open(&a), 0);
	ck_assert_int_eq(audit_open(&b), -EBUSY);
	audit_close(a);
}
END_TEST

START_TEST(a_line_is_json_whatever_is_in_it)
{
	char big[20000];
	struct audit_found f;
	struct audit *a;

	memset(big, 1, sizeof(big) - 1);
	big[sizeof(big) - 1] = 0;
	ck_assert_int_eq(audit_open(&a), 0);
	ck_assert_int_eq(audit_write(a, &(struct audit_event){.op = "check",
						.command = big,
						.cwd = big,
						.tx = big,
						.agent = "\xff\"\\\n\x1b[2J",
						.workspace = big,
						.decision = "deny"}),
		0);
	audit_close(a);
	ck_assert_int_eq(verify(&f), 0);
	ck_assert_int_eq(system("python3 -c 'import json; o = json.loads(open(\"" LOG
				"\").read()); assert o[\"decision\"] == \"deny\"'"),
		0);
	ck_assert_int_eq(system("! grep -q '[[:cntrl:]]' " LOG), 0);
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
	{"curl -H 'Authorization: Basic dTpw' u", "curl -H 'Authorization: Basic ***' u"},
	{"curl -H 'X-Api-Key: 99aa' u", "curl -H 'X-Api-Key: ***' u"},
	{"curl -H 'Cookie: sid=1; b=2' u", "curl -H 'Cookie: ***' u"},
	{"curl -u me:pw h", "curl -u me:*** h"},
	{"curl --user me:pw h", "curl --user me:*** h"},
	{"git clone https://me:s3cret@h/r", "git clone https://me:***@h/r"},
	{"git clone https://me:a@b@h/r", "git clone https://me:***@h/r"},
	{"psql postgresql://u:p%40w@db:5432/x", "psql postgresql://u:***@db:5432/x"},
	{"git clone https://abcdefghij0123456789@h/r", "git clone https://***@h/r"},
	{"redis-cli -u redis://:pw@h", "redis-cli -u redis://:***@h"},
	{"echo ghp_abcdef", "echo ***"},
	{"A=1 AWS_SECRET_ACCESS_KEY=xyz cmd", "A=1 AWS_SECRET_ACCESS_KEY=*** cmd"},
	{"MY_DB_PASSWORD='a b' x", "MY_DB_PASSWORD='***' x"},
	{"export PGPASSWORD=x; y", "export PGPASSWORD=***; y"},
	{"mysql -u root -phunter2 db", "mysql -u root -p*** db"},
	{"mkdir -p dir", "mkdir -p dir"},
	{"sshpass -p pw ssh h", "sshpass -p pw ssh h"},
	{"echo sk-0123456789abcdef", "echo ***"},
	{"x AKIAIOSFODNN7EXAMPLE y", "x *** y"},
	{"echo eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2ln", "echo ***"},
	{"printf '{\"password\": \"pw\"}'", "printf '{\"password\": \"***\"}'"},
	{"x api_key: zz", "x api_key: ***"},
	{"echo $TOKEN", "echo $TOKEN"},
	{"x --token $TOKEN", "x --token $TOKEN"},
	{"x --password \"$P\"", "x --password \"$P\""},
	{"echo '-----BEGIN RSA PRIVATE KEY-----\nAAA\n-----END RSA PRIVATE KEY-----'",
		"echo '***-----END RSA PRIVATE KEY-----'"},
	{"grep -rn password src", "grep -rn password src"},
	{"cat author.txt authors", "cat author.txt authors"},
	{"ls tests/token.c", "ls tests/token.c"},
	{"docker run -e API_TOKEN=t img", "docker run -e API_TOKEN=*** img"},
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
	tcase_add_test(t, both_forms_of_sha256_agree);
	tcase_add_test(t, the_chain_goes_on_after_a_restart);
	tcase_add_test(t, a_changed_line_breaks_the_chain);
	tcase_add_test(t, a_torn_line_does_not_hide_the_next);
	tcase_add_test(t, a_full_file_is_followed_by_the_next_in_one_chain);
	tcase_add_test(t, the_oldest_files_go_and_the_chain_still_holds);
	tcase_add_test(t, a_file_that_was_full_is_left_at_the_next_start);
	tcase_add_test(t, a_missing_file_breaks_the_chain);
	tcase_add_test(t, an_earlier_head_must_be_there);
	tcase_add_test(t, what_finds_no_room_is_counted_in_the_record);
	tcase_add_test(t, a_second_writer_is_kept_out);
	tcase_add_test(t, a_line_is_json_whatever_is_in_it);
	tcase_add_test(t, no_log_is_an_error_that_can_be_seen);
	tcase_add_loop_test(t, secrets_are_masked, 0, sizeof(masks) / sizeof(*masks));
	suite_add_tcase(s, t);
	return s;
}
