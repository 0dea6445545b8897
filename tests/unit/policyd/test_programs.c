/*
 * test_programs.c: effects of programs by their tables: options, operands, wrappers.
 */
#include <stdio.h>
#include <string.h>

#include "tests/unit/policyd/suites.h"

/* The effects as "verb place path" lines, reads of the workspace left out. */
static const struct {
	const char *text, *effects;
} rows[] = {
	{"rm -rf a -- -b",
		"delete workspace /workspace/a;delete workspace /workspace/-b;"},
	{"mv a b", "edit workspace /workspace/a;overwrite workspace /workspace/b;"},
	{"mv /opt/a b", "delete system /opt/a;overwrite workspace /workspace/b;"},
	{"cp -t out a b", "overwrite workspace /workspace/out;"},
	{"cp a /opt", "overwrite system /opt;"},
	{"sed -i s/a/b/ f g", "edit workspace /workspace/f;edit workspace /workspace/g;"},
	{"sed -i.bak -e /x/d f", "edit workspace /workspace/f;"},
	{"sed /etc/d f", ""},
	{"dd if=a of=/dev/sda bs=1", "overwrite device /dev/sda;"},
	{"tee -a x < /dev/null", "create workspace /workspace/x;"},
	{"chmod -R 700 x", "meta workspace /workspace/x;"},
	{"sort -ox y", "overwrite workspace /workspace/x;"},
	{"gcc -o x y.c", "overwrite workspace /workspace/x;"},
	{"tar czf /opt/x.tgz a", "overwrite system /opt/x.tgz;"},
	{"tar -C /opt -xf a", "create system /opt/\x03;"},
	{"timeout -k 1 5 nice -n 3 rm x", "delete workspace /workspace/x;"},
	{"env -u A B=1 rm x", "delete workspace /workspace/x;"},
	{"xargs -n1 -a l rm x", "delete workspace /workspace/x;delete unknown \x04;"},
	{"echo a b | xargs rm",
		"delete workspace /workspace/a;delete workspace /workspace/b;"},
	{"find p q -name '*.z' -delete",
		"delete workspace /workspace/p/\x03/\x02.z;delete workspace "
		"/workspace/q/\x03/\x02.z;"},
	{"find . -exec rm {} +", "delete workspace /workspace/\x03;"},
	{"sudo -u x rm y", "privilege nowhere -;delete workspace /workspace/y;"},
	{"curl -o x https://e.org", "overwrite workspace /workspace/x;"},
	{"curl -d @x https://e.org", "send nowhere -;"},
	{"curl -d @x http://localhost", ""},
	{"git push --force", "remote nowhere -;"},
	{"git push", ""},
	{"git reset --hard", "delete root /workspace;"},
	{"git -C /opt/r checkout x", "edit system /opt/r;"},
	{"systemctl stop x", "host nowhere -;"},
	{"systemctl status x", ""},
	{"frob --output /opt/x", "overwrite system /opt/x;"},
	{"frob destroy all", "remote nowhere -;"},
	{"./frob destroy all", ""},
	{"cp /bin/rm t; ./t x",
		"overwrite workspace /workspace/t;delete workspace /workspace/x;"},
	{"docker run -v /:/h a", "host nowhere -;"},
	{"docker run -v $PWD:/h a", ""},
	{"kill -9 1", "process nowhere -;"},
	{"psql -c 'drop table x'", "remote nowhere -;"},
	{"psql -c 'select 1'", ""},
	{"PAGER='rm /opt/x' man ls", "delete system /opt/x;"},
	{"tar xf a --to-command='rm /opt/x'",
		"delete system /opt/x;create workspace /workspace/\x03;"},
	{"echo rm /opt/x", ""},
	{"man rm /opt/x", ""},
	{"wrapit rm /opt/x", "remote nowhere -;delete system /opt/x;"},
};

static const char *effects_of(const char *text, char *out, size_t size)
{
	struct shell_reading *r = read_command(text);
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < r->n_effects; i++) {
		const struct shell_effect *e = &r->effects[i];

		if (e->verb == SHELL_READ)
			continue;
		n += (size_t)snprintf(out + n, size - n, "%s %s %s;",
			shell_verb_name(e->verb), shell_place_name(e->place),
			e->path ? e->path : "-");
	}
	shell_free(r);
	return out;
}

START_TEST(a_program_has_the_effects_of_its_table)
{
	char out[1024];

	ck_assert_str_eq(effects_of(rows[_i].text, out, sizeof(out)), rows[_i].effects);
}
END_TEST

START_TEST(an_argv_is_read_like_a_command)
{
	const char *argv[] = {"rm", "-rf", "/etc/x y"};
	struct shell_reading *r;

	ck_assert_int_eq(shell_read_argv(&test_ctx, argv, 3, &r), 0);
	ck_assert_uint_eq(r->n_effects, 1);
	ck_assert_str_eq(r->effects[0].path, "/etc/x y");
	shell_free(r);
}
END_TEST

TCase *tcase_programs(void)
{
	TCase *t = tcase_create("programs");

	tcase_add_loop_test(t, a_program_has_the_effects_of_its_table, 0,
		sizeof(rows) / sizeof(*rows));
	tcase_add_test(t, an_argv_is_read_like_a_command);
	return t;
}
