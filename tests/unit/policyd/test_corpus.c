/*
 * test_corpus.c: the fuzzers' corpus is read again, whole and cut short at each byte.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "tests/unit/policyd/suites.h"

static void read_all_cuts(const char *path)
{
	auto_file FILE *f = fopen(path, "re");
	char text[8192];
	size_t n;

	ck_assert_ptr_nonnull(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	for (size_t cut = n + 1; cut-- > 0;) {
		struct shell_reading *r;
		char c = text[cut];

		text[cut] = '\0';
		r = read_command(text);
		shell_free(r);
		text[cut] = c;
	}
}

START_TEST(the_corpus_is_read_without_a_fault)
{
	const char *tests = getenv("TESTS");
	char dir[1024], path[1400];
	auto_dir DIR *d = NULL;
	struct dirent *e;
	int files = 0;

	snprintf(dir, sizeof(dir), "%s/fuzz/shell", tests ? tests : "tests");
	d = opendir(dir);
	ck_assert_msg(d != NULL, "no corpus in '%s'; set TESTS", dir);
	while ((e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		read_all_cuts(path);
		files++;
	}
	ck_assert_int_ge(files, 10);
}
END_TEST

/* What fuzzing found beyond the labelled commands, each text ended by a NUL. */
START_TEST(what_fuzzing_found_is_read_without_a_fault)
{
	const char *tests = getenv("TESTS");
	auto_free char *all = calloc(1, 1 << 20);
	auto_file FILE *f = NULL;
	char path[1024];
	int texts = 0;
	size_t n;

	snprintf(path, sizeof(path), "%s/fuzz/shell.corpus", tests ? tests : "tests");
	f = fopen(path, "re");
	ck_assert_msg(f && all, "no corpus in '%s'; set TESTS", path);
	n = fread(all, 1, (1 << 20) - 1, f);
	for (char *p = all; p < all + n; p += strlen(p) + 1) {
		shell_free(read_command(p));
		texts++;
	}
	ck_assert_int_ge(texts, 100);
}
END_TEST

TCase *tcase_corpus(void)
{
	TCase *t = tcase_create("corpus");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, the_corpus_is_read_without_a_fault);
	tcase_add_test(t, what_fuzzing_found_is_read_without_a_fault);
	return t;
}
