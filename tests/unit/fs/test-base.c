/*
 * test-base.c: the base is read by descriptors that never leave it.
 */
#include "fs/base/base.h"
#include "fs/base/fdcache.h"
#include "tests/unit/fs/suites.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>
#include "common/cleanup.h"

static char dir[256], path[400];
static int root;

static const char *at(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void put(const char *name, const char *text)
{
	int fd = open(at(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static void setup(void)
{
	scratch(dir);
	root = base_open(dir);
	ck_assert_int_ge(root, 0);
	ck_assert_int_eq(mkdir(at("d"), 0755), 0);
	put("d/f", "hello");
	ck_assert_int_eq(symlink("d", at("l")), 0);
	ck_assert_int_eq(symlink("/etc/passwd", at("d/out")), 0);
	ck_assert_int_eq(symlink("../..", at("d/up")), 0);
}

/* P3: of a path and what opening it says. */
static const struct leaving {
	const char *path;
	int want; /* 0: opens */
} leavings[] = {
	{"", 0},
	{"d", 0},
	{"d/f", 0},
	{"..", -EXDEV},
	{"d/../..", -EXDEV},
	{"/etc", -EXDEV},
	{"l/f", -ELOOP},
	{"d/out", -ELOOP},
	{"d/up/x", -ELOOP},
	{"d/none", -ENOENT},
	{"d/f/x", -ENOTDIR},
};

START_TEST(a_path_never_leaves_the_base)
{
	const struct leaving *l = &leavings[_i];
	int fd = base_at(root, l->path, O_RDONLY);

	if (l->want)
		ck_assert_int_eq(fd, l->want);
	else
		ck_assert_int_ge(fd, 0);
	close(fd);
}
END_TEST

START_TEST(a_path_never_crosses_into_another_mount)
{
	auto_close int top = base_open("/");

	ck_assert_int_eq(base_at(top, "proc/self", O_PATH), -EXDEV);
	ck_assert_int_eq(base_at(top, "proc", O_PATH), -EXDEV);
}
END_TEST

static struct base_print print_of(const char *name)
{
	struct bstat st;

	ck_assert_int_eq(base_stat(root, name, &st), 0);
	return st.print;
}

/* P3: what happens to a file, and whether its print tells. */
static void nothing(void)
{
}

static void longer(void)
{
	put("f", "longer than before");
}

static void same_size(void)
{
	put("f", "olleh");
}

static void mode(void)
{
	chmod(at("f"), 0600);
}

static void owner(void)
{
	ck_assert_int_eq(chown(at("f"), geteuid(), getegid()), 0);
}

static void replaced(void)
{
	char to[300];

	put("g", "hello");
	snprintf(to, sizeof(to), "%.256s/f", dir);
	ck_assert_int_eq(rename(at("g"), to), 0);
}

static void linked(void)
{
	char to[300];

	snprintf(to, sizeof(to), "%.256s/other", dir);
	ck_assert_int_eq(link(at("f"), to), 0);
}

static void times(void)
{
	const struct timespec ts[2] = {{5, 5}, {7, 7}};

	ck_assert_int_eq(utimensat(AT_FDCWD, at("f"), ts, 0), 0);
}

static const struct telling {
	void (*f)(void);
	bool same;
} tellings[] = {
	{nothing, true},
	{longer, false},
	{same_size, false},
	{mode, false},
	{owner, false}, /* the ctime moved */
	{replaced, false},
	{linked, false},
	{times, false},
};

START_TEST(a_print_tells_every_change_of_a_file)
{
	struct base_print a, b;

	put("f", "hello");
	usleep(25000);
	a = print_of("f");
	ck_assert(!a.racy);
	usleep(10000);
	tellings[_i].f();
	b = print_of("f");
	ck_assert_int_eq(base_unchanged(&a, &b), tellings[_i].same);
}
END_TEST

START_TEST(a_print_of_a_young_ctime_says_so)
{
	put("f", "hello");
	ck_assert(print_of("f").racy);
	usleep(30000);
	ck_assert(!print_of("f").racy);
}
END_TEST

START_TEST(entries_of_a_directory_leave_its_print_as_it_was)
{
	struct base_print a = print_of("d"), b;

	usleep(10000);
	put("d/new", "x");
	b = print_of("d");
	ck_assert(base_unchanged(&a, &b));
	ck_assert(base_same(&a, &b));
}
END_TEST

static int count(void *arg, const char *name, unsigned char type, uint64_t ino)
{
	ck_assert(strcmp(name, ".") && strcmp(name, ".."));
	return ++*(int *)arg == 2 ? 17 : 0;
}

START_TEST(a_listing_has_no_dots_and_ends_where_told)
{
	auto_close int d = base_at(root, "d", O_PATH | O_DIRECTORY);
	int n = 0;

	ck_assert_int_eq(base_list(d, count, &n), 17);
	ck_assert_int_eq(n, 2);
	ck_assert_int_eq(base_list(root, count, &n), 0);
	ck_assert_int_eq(n, 4);
}
END_TEST

START_TEST(targets_and_xattrs_are_read_without_following)
{
	auto_close int d = base_at(root, "d", O_PATH | O_DIRECTORY);
	auto_free char *to = NULL;
	char buf[64];

	ck_assert_int_eq(base_readlink(d, "out", &to), 0);
	ck_assert_str_eq(to, "/etc/passwd");
	ck_assert_int_eq(base_readlink(d, "f", &to), -EINVAL);
	if (base_setxattr(d, "f", "user.k", "value", 5) == -EOPNOTSUPP)
		return;
	ck_assert_int_eq(base_getxattr(d, "f", "user.k", buf, sizeof(buf)), 5);
	ck_assert_int_eq(base_listxattr(d, "f", buf, sizeof(buf)), 7);
	ck_assert_int_eq(base_getxattr(d, "f", "user.none", buf, 64), -ENODATA);
	ck_assert_int_lt(base_getxattr(d, "out", "user.k", buf, sizeof(buf)), 0);
	ck_assert_int_eq(base_removexattr(d, "f", "user.k"), 0);
	ck_assert_int_eq(base_removexattr(d, "f", "user.k"), 0); /* gone is gone */
	ck_assert_int_eq(base_listxattr(d, "f", buf, sizeof(buf)), 0);
	ck_assert_int_eq(base_setxattr(d, "", "user.k", "v", 1), 0); /* itself */
	ck_assert_int_eq(getxattr(at("d"), "user.k", buf, sizeof(buf)), 1);
}
END_TEST

START_TEST(content_has_the_same_hash_only_if_it_is_the_same)
{
	uint8_t a[16], b[16];
	auto_close int fd = base_at(root, "d/f", O_RDONLY);

	ck_assert_int_eq(base_content(fd, 5, a), 0);
	ck_assert_int_eq(base_content(fd, 5, b), 0);
	ck_assert_mem_eq(a, b, 16);
	put("d/f", "hellO");
	ck_assert_int_eq(base_content(fd, 5, b), 0);
	ck_assert_mem_ne(a, b, 16);
	put("d/f", "he");
	ck_assert_int_eq(base_content(fd, 5, b), 0); /* shorter by now: ends there */
	ck_assert_mem_ne(a, b, 16);
}
END_TEST

/* --- the cache of descriptors
 * ---------------------------------------------------------------- */

static int fresh(void)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* P8 */
START_TEST(the_least_recently_used_descriptor_is_closed_first)
{
	struct fdcache *c = fdcache_new(3);
	int fd[4];

	for (uint64_t i = 0; i < 4; i++) {
		struct fdref *r;

		if (i == 3) /* 0 is used again, so 1 goes */
			fdcache_put(c, fdcache_get(c, 0));
		fd[i] = fresh();
		r = fdcache_add(c, i, fd[i]);
		ck_assert_int_eq(r->fd, fd[i]);
		fdcache_put(c, r);
	}
	ck_assert(is_open(fd[0]) && !is_open(fd[1]) && is_open(fd[2]) && is_open(fd[3]));
	ck_assert_ptr_null(fdcache_get(c, 1));
	fdcache_free(c);
	ck_assert(!is_open(fd[0]) && !is_open(fd[2]) && !is_open(fd[3]));
}
END_TEST

START_TEST(a_held_descriptor_stays_open_after_it_was_dropped)
{
	struct fdcache *c = fdcache_new(1);
	int fd = fresh(), other = fresh();
	struct fdref *r = fdcache_add(c, 7, fd), *o;

	fdcache_drop(c, 7);
	fdcache_drop(c, 7);
	ck_assert_ptr_null(fdcache_get(c, 7));
	ck_assert(is_open(fd));
	o = fdcache_add(c, 8, other);
	fdcache_put(c, o);
	ck_assert(is_open(fd));
	fdcache_put(c, r);
	ck_assert(!is_open(fd));
	fdcache_put(c, NULL);
	fdcache_free(c);
	fdcache_free(NULL);
}
END_TEST

START_TEST(the_first_descriptor_for_a_key_stays)
{
	struct fdcache *c = fdcache_new(8);
	int a = fresh(), b = fresh();
	struct fdref *ra = fdcache_add(c, 1, a), *rb = fdcache_add(c, 1, b);

	ck_assert_ptr_eq(ra, rb);
	ck_assert(is_open(a) && !is_open(b));
	fdcache_put(c, ra);
	fdcache_put(c, rb);
	fdcache_free(c);
}
END_TEST

#define COUNT(a) ((int)(sizeof(a) / sizeof(*(a))))

Suite *suite_base(void)
{
	Suite *s = suite_create("base");
	TCase *t = tcase_create("base");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_loop_test(t, a_path_never_leaves_the_base, 0, COUNT(leavings));
	tcase_add_test(t, a_path_never_crosses_into_another_mount);
	tcase_add_loop_test(t, a_print_tells_every_change_of_a_file, 0, COUNT(tellings));
	tcase_add_test(t, a_print_of_a_young_ctime_says_so);
	tcase_add_test(t, entries_of_a_directory_leave_its_print_as_it_was);
	tcase_add_test(t, a_listing_has_no_dots_and_ends_where_told);
	tcase_add_test(t, targets_and_xattrs_are_read_without_following);
	tcase_add_test(t, content_has_the_same_hash_only_if_it_is_the_same);
	tcase_add_test(t, the_least_recently_used_descriptor_is_closed_first);
	tcase_add_test(t, a_held_descriptor_stays_open_after_it_was_dropped);
	tcase_add_test(t, the_first_descriptor_for_a_key_stays);
	suite_add_tcase(s, t);
	return s;
}
