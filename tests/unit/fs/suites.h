/*
 * suites.h: the suites of txfs's unit tests, one for each source folder or file, and the
 * scratch directory that they share.
 */
#ifndef TESTS_UNIT_FS_SUITES_H
#define TESTS_UNIT_FS_SUITES_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

Suite *suite_store(void);
Suite *suite_fault(void);
Suite *suite_pool(void);
Suite *suite_bmap(void);
Suite *suite_base(void);
Suite *suite_client(void);
Suite *suite_cmd(void);
Suite *suite_tree(void);
Suite *suite_content(void);
Suite *suite_layer(void);
Suite *suite_tx(void);
Suite *suite_checkpoint(void);
Suite *suite_fuse(void);
Suite *suite_recover(void);
Suite *suite_conflict(void);

/** scratch(buf): a new empty directory below TMPDIR, its path in @buf. */
static inline const char *scratch(char buf[256])
{
	const char *top = getenv("TMPDIR");

	snprintf(buf, 256, "%s/txfs-test.XXXXXX", top ? top : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(buf));
	return buf;
}

#endif
