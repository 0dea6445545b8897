/*
 * test_place.c: addresses of models, and the keys for them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "agentctl/provider/key.h"
#include "agentctl/provider/place.h"
#include "tests/unit/agentctl/suites.h"

static char message[512];

static const struct {
	const char *text, *url, *unix_path;
	bool bare;
} good[] = {
	{"http://localhost:8998", "http://localhost:8998/v1/chat/completions", NULL,
		false},
	{"http://127.0.0.1:1/v1", "http://127.0.0.1:1/v1/chat/completions", NULL, false},
	{"http://[::1]:1/v1/", "http://[::1]:1/v1/chat/completions", NULL, false},
	{"http://127.evil.example/v1", "http://127.evil.example/v1/chat/completions",
		NULL, true},
	{"http://localhost.evil.example/v1",
		"http://localhost.evil.example/v1/chat/completions", NULL, true},
	{"https://host/api/v2///", "https://host/api/v2/chat/completions", NULL, false},
	{"https://host/x/chat/completions", "https://host/x/chat/completions", NULL,
		false},
	{"http://host", "http://host/v1/chat/completions", NULL, true},
	{"unix:/run/m.sock", "http://localhost/v1/chat/completions", "/run/m.sock",
		false},
	{"unix:/run/../tmp/m", "http://localhost/v1/chat/completions", "/tmp/m", false},
};

START_TEST(an_address_is_completed)
{
	struct place p;

	ck_assert_int_eq(place_read(&p, good[_i].text, message, sizeof message), 0);
	ck_assert_str_eq(p.url, good[_i].url);
	ck_assert_str_eq(p.unix_path ? p.unix_path : "",
		good[_i].unix_path ? good[_i].unix_path : "");
	ck_assert_int_eq(p.bare, good[_i].bare);
	place_free(&p);
}
END_TEST

static const char *const bad[] = {"", "localhost:8998", "ftp://host",
	"file:///etc/passwd", "http://", "http:///v1", "https://me:secret@host/v1",
	"https://host/v1?x=y", "https://host/v1#x", "http://ho st/", "http://host/\n",
	"unix:"};

START_TEST(what_is_no_address_is_refused)
{
	struct place p;

	ck_assert_int_eq(place_read(&p, bad[_i], message, sizeof message), -EINVAL);
	ck_assert_ptr_null(strstr(message, "secret"));
	place_free(&p);
}
END_TEST

START_TEST(a_key_leaves_the_environment)
{
	char *key, *value;

	setenv("TEST_KEY", "abc-123", 1);
	value = getenv("TEST_KEY");
	ck_assert_int_eq(key_from_env("TEST_KEY", &key, message, sizeof message), 0);
	ck_assert_str_eq(key, "abc-123");
	ck_assert_ptr_null(getenv("TEST_KEY"));
	ck_assert_int_eq(value[0], 0); /* wiped where it was */
	free(key);
	ck_assert_int_eq(key_from_env("TEST_KEY", &key, message, sizeof message), 0);
	ck_assert_ptr_null(key);
	setenv("TEST_KEY", "two\r\nX-Header: 1", 1);
	ck_assert_int_eq(
		key_from_env("TEST_KEY", &key, message, sizeof message), -EINVAL);
	ck_assert_ptr_null(strstr(message, "two"));
}
END_TEST

static int from_text(const char *text, mode_t mode, char **key)
{
	char path[] = "/tmp/key.XXXXXX";
	int fd = mkstemp(path), r;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fchmod(fd, mode), 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (int)strlen(text));
	close(fd);
	r = key_from_file(path, key, message, sizeof message);
	unlink(path);
	return r;
}

START_TEST(a_key_file_is_ones_own)
{
	char *key;

	ck_assert_int_eq(from_text("abc\nmore\n", 0600, &key), 0);
	ck_assert_str_eq(key, "abc");
	free(key);
	ck_assert_int_eq(from_text("abc\n", 0644, &key), -EACCES);
	ck_assert_int_eq(from_text("\n", 0600, &key), -EINVAL);
	ck_assert_int_eq(from_text("a b\n", 0600, &key), -EINVAL);
	ck_assert_int_eq(
		key_from_file("/no/such", &key, message, sizeof message), -ENOENT);
}
END_TEST

#define N(a) ((int)(sizeof(a) / sizeof((a)[0])))

TCase *case_place(void)
{
	TCase *t = tcase_create("place");

	tcase_add_loop_test(t, an_address_is_completed, 0, N(good));
	tcase_add_loop_test(t, what_is_no_address_is_refused, 0, N(bad));
	tcase_add_test(t, a_key_leaves_the_environment);
	tcase_add_test(t, a_key_file_is_ones_own);
	return t;
}
