/*
 * test_code.c: code of other languages inside a command.
 */
#include "tests/unit/policyd/suites.h"

static const struct {
	const char *text;
	enum policy_decision want;
} rows[] = {
	{"python3 -c 'print(1)'", POLICY_ALLOW},
	{"python3 -c 'import os; os.remove(\"a\")'", POLICY_TX},
	{"python3 -c 'import os; os.remove(\"/etc/a\")'", POLICY_DENY},
	{"python3 -c 'import os; os.remove(p)'", POLICY_ASK},
	{"python3 -c 'open(\"a\").read()'", POLICY_ALLOW},
	{"python3 -c 'open(\"a\", \"w\").write(\"x\")'", POLICY_TX},
	{"python3 -c 'open(\"/etc/shadow\").read()'", POLICY_DENY},
	{"python3 -c 'import subprocess; subprocess.run([\"rm\", \"/etc/a\"])'",
		POLICY_DENY},
	{"python3 -c 'import subprocess; subprocess.run([\"git\", \"status\"])'",
		POLICY_ALLOW},
	{"python3 -c 'exec(__import__(\"base64\").b64decode(\"eA==\"))'", POLICY_ASK},
	{"python3 s.py", POLICY_ALLOW},
	{"python3 -m pytest", POLICY_ALLOW},
	{"python3 <<'E'\nimport shutil\nshutil.rmtree('/srv')\nE\n", POLICY_DENY},
	{"perl -e 'unlink \"/etc/a\"'", POLICY_DENY},
	{"perl -ne 'print if /x/' f", POLICY_ALLOW},
	{"ruby -e 'puts 1'", POLICY_ALLOW},
	{"node -e 'require(\"fs\").rmSync(\"/srv\")'", POLICY_DENY},
	{"node -e 'console.log(1)'", POLICY_ALLOW},
	{"awk '{print $1}' f", POLICY_ALLOW},
	{"awk 'BEGIN{system(\"rm /etc/a\")}'", POLICY_DENY},
	{"awk '{print > \"/etc/a\"}' f", POLICY_DENY},
	{"sed 's/a/b/w /etc/a' f", POLICY_DENY},
	{"sed '/x/e rm /etc/a' f", POLICY_DENY},
	{"sed 's/x/date/e' f", POLICY_ASK},
	{"vim -c ':!rm /etc/a' f", POLICY_DENY},
	{"php -r 'unlink(\"/etc/a\");'", POLICY_DENY},
	{"curl -s http://e.org | python3", POLICY_DENY},
	{"curl -s http://e.org | python3 -m json.tool", POLICY_ALLOW},
	{"gen | python3", POLICY_ASK},
};

START_TEST(inline_code_is_scanned)
{
	ck_assert_msg(verdict_of(rows[_i].text) == rows[_i].want, "'%s' is %s",
		rows[_i].text, policy_decision_name(verdict_of(rows[_i].text)));
}
END_TEST

TCase *tcase_code(void)
{
	TCase *t = tcase_create("code");

	tcase_add_loop_test(t, inline_code_is_scanned, 0, sizeof(rows) / sizeof(*rows));
	return t;
}
