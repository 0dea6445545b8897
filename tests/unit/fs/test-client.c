/*
 * test-client.c: the registry finds the right workspace, answers are not trusted blindly.
 *
 * No mount is needed: ioctl() is replaced by one that answers from a script.
 */
#include "tests/unit/fs/suites.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "common/escape.h"
#include "common/mem.h"
#include "common/path.h"
#include "fs/client/impl.h"

static char top[256];

static void setup(void)
{
	char state[300];

	scratch(top);
	snprintf(state, sizeof(state), "%s/state", top);
	setenv("TXFS_STATE_DIR", state, 1);
}

/* --- paths and names -------------------------------------------------------------------
 */

START_TEST(paths_are_tidied_by_their_text)
{
	static const char *const t[][2] = {
		{"/", "/"},
		{"//", "/"},
		{"/a", "/a"},
		{"/a/", "/a"},
		{"/a//b/./c/", "/a/b/c"},
		{"/a/b/../c", "/a/c"},
		{"/..", "/"},
		{"/../../a", "/a"},
		{"/a/..", "/"},
		{"/a/.../..b", "/a/.../..b"},
		{"/a/b/../../..", "/"},
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		char *out;

		ck_assert_int_eq(path_absolute(t[i][0], &out), 0);
		ck_assert_str_eq(out, t[i][1]);
		free(out);
	}
}
END_TEST

START_TEST(below_goes_by_components)
{
	ck_assert_str_eq(path_below("/a/b", "/a"), "/b");
	ck_assert_str_eq(path_below("/a", "/a"), "");
	ck_assert_ptr_null(path_below("/ab", "/a"));
	ck_assert_ptr_null(path_below("/", "/a"));
	ck_assert_str_eq(path_below("/a", "/"), "/a");
}
END_TEST

START_TEST(escaped_names_come_back)
{
	static const char *const t[][2] = {
		{"plain name", "plain name"},
		{"a\nb\tc\\d", "a\\nb\\tc\\\\d"},
		{"\x1b[31m\x7f", "\\x1B[31m\\x7F"},
		{"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
			"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
		{"\xff\xc3(", "\\xFF\\xC3("},
		{"\xc0\x80\xed\xa0\x80",
			"\\xC0\\x80\\xED\\xA0\\x80"}, /* overlong, surrogate */
		{"\xe2\x80\xae", "\\xE2\\x80\\xAE"},  /* right to left */
		{"\xc2\x9b", "\\xC2\\x9B"},	      /* CSI of Latin 1 */
		{"", ""},
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		char *e = escape_text(t[i][0], strlen(t[i][0])), *back;

		ck_assert_str_eq(e, t[i][1]);
		back = unescape_text(e);
		ck_assert_str_eq(back, t[i][0]);
		free(e);
		free(back);
	}
	ck_assert_ptr_null(unescape_text("\\"));
	ck_assert_ptr_null(unescape_text("\\x1"));
	ck_assert_ptr_null(unescape_text("\\q"));
	ck_assert_int_eq(errno, EINVAL);
}
END_TEST

START_TEST(json_and_base64)
{
	static const char *const b[][2] = {{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="},
		{"foo", "Zm9v"}, {"\xff\xfe", "//4="}};
	char *s = escape_json("a\"\\\n\xff\xe2\x80\xae", 8);

	ck_assert_str_eq(s, "a\\\"\\\\\\u000a\\ufffd\\u202e");
	free(s);
	for (size_t i = 0; i < sizeof(b) / sizeof(*b); i++) {
		s = base64_text(b[i][0], strlen(b[i][0]));
		ck_assert_str_eq(s, b[i][1]);
		free(s);
	}
}
END_TEST

/* --- registry --------------------------------------------------------------------------
 */

static void add(const char *base, const char *mnt, int pid)
{
	struct txfs_workspace w = {(char *)base, (char *)mnt, (char *)"/store", 0, pid};

	ck_assert_int_eq(txfs_workspace_add(&w), 0);
}

/* The mount point found for a path, "" if none; the view in *view. */
static const char *find(const char *path, uint64_t *view)
{
	static char mnt[512];
	struct txfs_workspace *w = NULL;
	int err = txfs_workspace_find(path, &w);

	*mnt = 0;
	if (err) {
		ck_assert_int_eq(err, -ENOENT);
		ck_assert_ptr_null(w);
		return mnt;
	}
	snprintf(mnt, sizeof(mnt), "%s", w->mnt);
	if (view)
		*view = w->view;
	txfs_workspace_free(w);
	return mnt;
}

START_TEST(longest_match_of_whole_components_wins)
{
	int pid = getpid();

	add("/w/base", "/w/mnt", pid);
	add("/w/base/sub", "/w/sub", pid);
	add("/w/place", "/w/place", pid);
	ck_assert_str_eq(find("/w/base", NULL), "/w/mnt");
	ck_assert_str_eq(find("/w/base/x/y", NULL), "/w/mnt");
	ck_assert_str_eq(find("/w/base/sub/x", NULL), "/w/sub");
	ck_assert_str_eq(find("/w/base/subway", NULL), "/w/mnt");
	ck_assert_str_eq(find("/w/mnt/./a/../b", NULL), "/w/mnt");
	ck_assert_str_eq(find("/w/place/deep", NULL), "/w/place");
	ck_assert_str_eq(find("/w/bas", NULL), "");
	ck_assert_str_eq(find("/w", NULL), "");
	ck_assert_str_eq(find("/", NULL), "");
}
END_TEST

START_TEST(views_are_told_from_other_paths)
{
	static const struct {
		const char *path;
		uint64_t view;
	} t[] = {
		{"/w/mnt/.txfs/tx/12", 12},
		{"/w/mnt/.txfs/tx/12/", 12},
		{"/w/mnt/.txfs/tx/12/a/b", 12},
		{"/w/mnt/.txfs/tx/12a", 0},
		{"/w/mnt/.txfs/tx/012", 0},
		{"/w/mnt/.txfs/tx/", 0},
		{"/w/mnt/.txfs/tx/-1", 0},
		{"/w/mnt/.txfs/tx/99999999999999999999", 0},
		{"/w/mnt/a/.txfs/tx/12", 0},
		{"/w/base/.txfs/tx/12", 0},
		{"/w/mnt", 0},
	};

	add("/w/base", "/w/mnt", getpid());
	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		uint64_t view = 99;

		ck_assert_str_eq(find(t[i].path, &view), "/w/mnt");
		ck_assert_msg(view == t[i].view, "%s", t[i].path);
	}
}
END_TEST

START_TEST(stale_entry_is_cleaned)
{
	struct txfs_workspace *w = NULL;
	char path[600], hash[33];

	add("/w/base", "/w/mnt", 0);
	path_hash("/w/mnt", hash);
	snprintf(path, sizeof(path), "%s/workspaces/%s", getenv("TXFS_STATE_DIR"), hash);
	ck_assert_int_eq(access(path, F_OK), 0);
	ck_assert_int_eq(txfs_workspace_find("/w/mnt", &w), -ENOENT);
	ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

START_TEST(another_process_of_the_same_number_is_not_the_daemon)
{
	struct txfs_workspace *w = NULL;
	char path[600], hash[33], text[300];

	add("/w/base", "/w/mnt", getpid());
	path_hash("/w/mnt", hash);
	snprintf(path, sizeof(path), "%s/workspaces/%s", getenv("TXFS_STATE_DIR"), hash);
	snprintf(text, sizeof(text),
		"base=/w/base\nmnt=/w/mnt\nstore=/s\npid=%d start=%llu\n", getpid(),
		pid_start(getpid()) + 1);
	ck_assert_int_eq(write_file(path, text), 0);
	ck_assert_int_eq(txfs_workspace_find("/w/mnt", &w), -ENOENT);
}
END_TEST

START_TEST(odd_names_and_broken_entries)
{
	char path[600];
	struct txfs_workspace *w = NULL;

	add("/w/a\nmnt=/evil\\x41", "/w/new\nline", getpid());
	ck_assert_int_eq(txfs_workspace_find("/w/new\nline/x", &w), 0);
	ck_assert_str_eq(w->base, "/w/a\nmnt=/evil\\x41");
	ck_assert_str_eq(w->store, "/store");
	ck_assert_int_eq(w->pid, getpid());
	txfs_workspace_free(w);
	txfs_workspace_free(NULL);
	snprintf(path, sizeof(path), "%s/workspaces/%032d", getenv("TXFS_STATE_DIR"), 1);
	ck_assert_int_eq(write_file(path, "base=/w\nmnt=\\x4"), 0);
	snprintf(path, sizeof(path), "%s/workspaces/%032d", getenv("TXFS_STATE_DIR"), 2);
	ck_assert_int_eq(write_file(path, ""), 0);
	ck_assert_str_eq(find("/w/zzz", NULL), "");
	ck_assert_str_eq(find("/w/new\nline", NULL), "/w/new\nline");
	ck_assert_int_eq(txfs_workspace_del("/w/new\nline"), 0);
	ck_assert_int_eq(txfs_workspace_del("/w/new\nline"), 0);
	ck_assert_str_eq(find("/w/new\nline", NULL), "");
}
END_TEST

START_TEST(symbolic_links_lead_to_the_workspace)
{
	char real[300], link[300], below[320];

	snprintf(real, sizeof(real), "%s/real", top);
	snprintf(link, sizeof(link), "%s/link", top);
	snprintf(below, sizeof(below), "%s/sub", link);
	ck_assert_int_eq(mkdir(real, 0700), 0);
	ck_assert_int_eq(symlink(real, link), 0);
	add(real, real, getpid());
	ck_assert_str_eq(find(link, NULL), real);
	ck_assert_str_eq(find(below, NULL), ""); /* does not exist */
	snprintf(below, sizeof(below), "%s/sub", real);
	ck_assert_int_eq(mkdir(below, 0700), 0);
	snprintf(below, sizeof(below), "%s/sub", link);
	ck_assert_str_eq(find(below, NULL), real);
	ck_assert_int_eq(chdir(below), 0);
	ck_assert_str_eq(find(".", NULL), real);
}
END_TEST

START_TEST(state_directory_follows_the_environment)
{
	char want[300], *dir;
	struct stat st;

	snprintf(want, sizeof(want), "%s/deep/er", top);
	setenv("TXFS_STATE_DIR", want, 1);
	ck_assert_int_eq(txfs_state_dir(&dir), 0);
	ck_assert_str_eq(dir, want);
	ck_assert_int_eq(stat(dir, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0700);
	free(dir);
	ck_assert_int_eq(txfs_default_store("/w/base", &dir), 0);
	ck_assert_ptr_nonnull(strstr(dir, "/deep/er/store/"));
	ck_assert_int_ne(access(dir, F_OK), 0);
	free(dir);
	if (geteuid() == 0)
		return;
	unsetenv("TXFS_STATE_DIR");
	setenv("XDG_STATE_HOME", top, 1);
	ck_assert_int_eq(txfs_state_dir(&dir), 0);
	snprintf(want, sizeof(want), "%s/txfs", top);
	ck_assert_str_eq(dir, want);
	free(dir);
}
END_TEST

START_TEST(tokens_are_private_and_go)
{
	__u8 token[TXFS_TOKEN_BYTES], back[TXFS_TOKEN_BYTES];
	char path[600], hash[33];
	struct stat st;

	for (int i = 0; i < TXFS_TOKEN_BYTES; i++)
		token[i] = (__u8)(i * 9);
	ck_assert_int_eq(token_get("/s", 3, back), -ENOENT);
	ck_assert_int_eq(token_put("/s", 3, token), 0);
	ck_assert_int_eq(token_get("/s", 3, back), 0);
	ck_assert_mem_eq(token, back, sizeof(token));
	ck_assert_int_eq(token_get("/other", 3, back), -ENOENT);
	path_hash("/s", hash);
	snprintf(path, sizeof(path), "%s/tokens/%s-3", getenv("TXFS_STATE_DIR"), hash);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	ck_assert_int_eq(write_file(path, "not hex"), 0);
	ck_assert_int_eq(token_get("/s", 3, back), -EINVAL);
	token_del("/s", 3);
	ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

/* --- a daemon that follows a script
 * ----------------------------------------------------- */

static int (*script)(unsigned long nr, void *arg);
static int script_fd = -1;

int ioctl(int fd, unsigned long nr, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, nr);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (script && fd == script_fd) {
		int e = script(nr, arg);

		errno = e;
		return e ? -1 : 0;
	}
	return (int)syscall(SYS_ioctl, fd, nr, arg);
}

static struct txfs *open_scripted(int (*f)(unsigned long, void *))
{
	char path[300];
	struct txfs *t;
	int fd;

	snprintf(path, sizeof(path), "%s/m", top);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	add("/w/base", path, getpid());
	ck_assert_int_eq(txfs_open(path, &t), -ENOENT); /* nothing is mounted */
	ck_assert_ptr_nonnull(strstr(txfs_message(t), "txfs mount"));
	txfs_close(t);
	strcat(path, "/.txfs");
	ck_assert_int_eq(mkdir(path, 0700), 0);
	strcat(path, "/ctl");
	fd = open(path, O_CREAT | O_RDWR, 0600);
	ck_assert_int_ge(fd, 0);
	close(fd);
	snprintf(path, sizeof(path), "%s/m/.txfs/tx/4/deep", top);
	ck_assert_int_eq(txfs_open(path, &t), 0);
	ck_assert_uint_eq(txfs_view_id(t), 4);
	ck_assert_str_eq(txfs_base(t), "/w/base");
	script = f;
	script_fd = t->fd;
	return t;
}

static int plain_file(unsigned long nr, void *arg)
{
	return ENOTTY;
}

START_TEST(what_is_no_mount_is_told)
{
	struct txfs *t = open_scripted(plain_file);

	ck_assert_int_eq(txfs_sync(t), -ENOTTY);
	ck_assert_ptr_nonnull(strstr(txfs_message(t), "does not answer as a txfs mount"));
	txfs_close(t);
}
END_TEST

static int gone(unsigned long nr, void *arg)
{
	return ENOTCONN;
}

START_TEST(dead_daemon_is_told)
{
	struct txfs *t = open_scripted(gone);

	ck_assert_int_eq(txfs_sync(t), -ENOTCONN);
	ck_assert_ptr_nonnull(strstr(txfs_message(t), "is gone"));
	ck_assert_int_eq(txfs_savepoint(t, 4, "x"), -ENOTCONN);
	txfs_close(t);
}
END_TEST

static struct txfs_ioc_end last_end;
static unsigned long last_nr;

static int obliging(unsigned long nr, void *arg)
{
	last_nr = nr;
	if (nr == TXFS_IOC_BEGIN) {
		struct txfs_ioc_begin *b = arg;

		ck_assert_uint_eq(b->version, TXFS_ABI);
		ck_assert_str_eq(b->label, "try");
		b->id = 8;
		memset(b->token, 0x7e, sizeof(b->token));
		if (b->flags & TXFS_BEGIN_PRIVATE)
			strcpy(b->view, ".txfs/tx/8");
	} else if (nr == TXFS_IOC_STATUS) {
		((struct txfs_ioc_status *)arg)->open_id = 8;
	} else {
		struct txfs_ioc_end *e = arg;

		last_end = *e;
		e->added = 3;
		if (!strcmp(e->name, "bad")) {
			e->error = ENOENT;
			memset(e->message, 'x', sizeof(e->message)); /* no NUL */
		}
	}
	return 0;
}

START_TEST(begin_keeps_the_token_until_the_end)
{
	struct txfs *t = open_scripted(obliging);
	__u8 token[TXFS_TOKEN_BYTES];
	struct txfs_begun b;
	struct txfs_ended e;
	char view[300], long_name[200] = "";

	ck_assert_int_eq(txfs_begin(t, TXFS_BEGIN_PRIVATE, "try", &b), 0);
	snprintf(view, sizeof(view), "%s/m/.txfs/tx/8", top);
	ck_assert_str_eq(b.view, view);
	ck_assert_uint_eq(b.id, 8);
	ck_assert_int_eq(token_get("/store", 8, token), 0);
	ck_assert_int_eq(txfs_savepoint(t, 8, "s"), 0);
	ck_assert_uint_eq(last_nr, TXFS_IOC_SAVEPOINT);
	ck_assert_mem_eq(last_end.token, token, sizeof(token));
	ck_assert_int_eq(txfs_rollback(t, 8, "bad"), -ENOENT);
	ck_assert_uint_eq(strlen(txfs_message(t)), TXFS_MESSAGE_BYTES - 1);
	memset(long_name, 'n', TXFS_LABEL_BYTES);
	ck_assert_int_eq(txfs_release(t, 8, long_name), -ENAMETOOLONG);
	ck_assert_int_eq(txfs_commit(t, 8, TXFS_COMMIT_DRY_RUN, &e), 0);
	ck_assert_int_eq(token_get("/store", 8, token), 0);
	ck_assert_int_eq(txfs_commit(t, 0, 0, &e), 0); /* 0: what status calls open */
	ck_assert_uint_eq(last_end.id, 8);
	ck_assert_uint_eq(e.added, 3);
	ck_assert_int_eq(token_get("/store", 8, token), -ENOENT);
	ck_assert_int_eq(txfs_abort(t, 9, NULL), 0);
	ck_assert_uint_eq(last_end.token[0], 0); /* unknown: zeros, the daemon decides */
	txfs_close(t);
}
END_TEST

START_TEST(begin_without_room_for_the_token_is_taken_back)
{
	struct txfs *t = open_scripted(obliging);
	struct txfs_begun b;

	setenv("TXFS_STATE_DIR", "/proc/no/such", 1);
	ck_assert_int_lt(txfs_begin(t, 0, "try", &b), 0);
	ck_assert_uint_eq(last_nr, TXFS_IOC_ABORT);
	ck_assert_uint_eq(last_end.id, 8);
	ck_assert_uint_eq(last_end.token[0], 0x7e);
	txfs_close(t);
}
END_TEST

static int pages;

/* Transactions 1..100, in pages of ten; labels "n1".., the last two share one. */
static int many(unsigned long nr, void *arg)
{
	struct txfs_ioc_page *p = arg;

	pages++;
	ck_assert_uint_eq(nr, TXFS_IOC_LIST);
	for (int i = 0; i < 10; i++) {
		struct txfs_row_tx r = {.bytes = sizeof(r), .state = TXFS_OPEN};

		r.id = p->cursor + (__u64)i + 1;
		snprintf(r.label, sizeof(r.label), "n%llu", r.id < 100 ? r.id : 99ull);
		memcpy(p->rows + p->used, &r, sizeof(r));
		p->used += sizeof(r);
		p->count++;
	}
	p->cursor = p->cursor + 10 < 100 ? p->cursor + 10 : 0;
	return 0;
}

START_TEST(lists_are_paged_and_names_resolved)
{
	struct txfs *t = open_scripted(many);
	uint64_t id;

	ck_assert_int_eq(txfs_resolve(t, NULL, &id), 0);
	ck_assert_uint_eq(id, 4);
	ck_assert_int_eq(txfs_resolve(t, "55", &id), 0);
	ck_assert_uint_eq(id, 55);
	ck_assert_int_eq(pages, 10);
	ck_assert_int_eq(txfs_resolve(t, "n7", &id), 0);
	ck_assert_uint_eq(id, 7);
	ck_assert_int_eq(txfs_resolve(t, "n99", &id), -EEXIST);
	ck_assert_int_eq(txfs_resolve(t, "n101", &id), -ENOENT);
	ck_assert_int_eq(txfs_resolve(t, "101", &id), -ENOENT);
	ck_assert_int_eq(txfs_resolve(t, "", &id), -ENOENT);
	txfs_close(t);
}
END_TEST

static int rubbish_kind;

static void put_change(struct txfs_ioc_page *p, __u32 bytes, __u32 kind, __u32 path_len,
	__u32 to_len, const char *names, size_t n)
{
	struct txfs_row_change r = {
		.bytes = bytes, .kind = kind, .path_len = path_len, .to_len = to_len};

	memcpy(p->rows + p->used, &r, sizeof(r));
	memcpy(p->rows + p->used + sizeof(r), names, n);
	p->used += bytes;
	p->count++;
}

static int rubbish(unsigned long nr, void *arg)
{
	const __u32 row = sizeof(struct txfs_row_change) + 8;
	struct txfs_ioc_page *p = arg;

	switch (rubbish_kind) {
	case 0: /* good */
		put_change(p, row, '+', 3, 0, "a/b\0\0\0\0", 8);
		put_change(p, row, '>', 1, 3, "a\0b/c\0\0", 8);
		break;
	case 1: put_change(p, 0, '+', 1, 0, "a", 2); break;
	case 2: put_change(p, row, '+', 8, 0, "aaaaaaaa", 8); break;
	case 3: put_change(p, row, '+', 0xffffffff, 0, "a", 2); break;
	case 4: put_change(p, row, '>', 3, 4, "aaa\0bbb", 8); break;
	case 5: put_change(p, row, '>', 6, 1, "aaaaaa\0b", 8); break;
	case 6:
		put_change(p, row, '+', 1, 0, "a", 2);
		p->count = 2;
		break;
	case 7: p->used = sizeof(p->rows) + 1; break;
	case 8:
		put_change(p, row, '+', 1, 0, "a", 2);
		p->cursor = 7; /* for ever */
		break;
	case 9: put_change(p, row + 1, '+', 1, 0, "a", 2); break;
	case 10: p->error = -5; break;
	default: put_change(p, 0xfffffff8, '+', 1, 0, "a", 2); break;
	}
	return 0;
}

static int good_rows;

static int on_change(
	void *arg, const struct txfs_row_change *r, const char *path, const char *to)
{
	ck_assert(strlen(path) == r->path_len);
	if (!rubbish_kind) {
		ck_assert_str_eq(path, good_rows ? "a" : "a/b");
		if (good_rows)
			ck_assert_str_eq(to, "b/c");
		else
			ck_assert_ptr_null(to);
	}
	good_rows++;
	return 0;
}

START_TEST(rubbish_rows_are_refused)
{
	struct txfs *t = open_scripted(rubbish);
	int err;

	rubbish_kind = _i;
	err = txfs_changes(t, 4, 0, on_change, NULL);
	ck_assert_int_eq(err, _i ? -EPROTO : 0);
	if (!_i)
		ck_assert_int_eq(good_rows, 2);
	else
		ck_assert_ptr_nonnull(strstr(txfs_message(t), "makes no sense"));
	txfs_close(t);
}
END_TEST

/* --- finding and mounting
 * --------------------------------------------------------------- */

START_TEST(directory_of_no_workspace_is_told)
{
	struct txfs *t;

	ck_assert_int_eq(txfs_open(top, &t), -ENOENT);
	ck_assert_ptr_nonnull(strstr(txfs_message(t), "txfs mount"));
	txfs_close(t);
	txfs_close(NULL);
}
END_TEST

static void fake_txfs(const char *body)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/txfs", top);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fprintf(f, "#!/bin/sh\n%s\n", body);
	fclose(f);
	chmod(path, 0700);
	setenv("PATH", top, 1);
}

START_TEST(failure_of_the_mount_program_is_passed_on)
{
	struct txfs *t;
	bool mounted = true;

	fake_txfs("echo \"txfs: cannot mount: $1 $2 because\" >&2; exit 1");
	ck_assert_int_eq(txfs_open_or_mount(top, &t, &mounted), -EIO);
	ck_assert_str_eq(txfs_message(t), "cannot mount: mount -- because");
	ck_assert(!mounted);
	txfs_close(t);
	fake_txfs("exit 3");
	ck_assert_int_eq(txfs_open_or_mount(top, &t, &mounted), -EIO);
	ck_assert_str_eq(txfs_message(t), "txfs mount failed and gave no reason");
	txfs_close(t);
	setenv("PATH", "/nonexistent", 1);
	ck_assert_int_eq(txfs_open_or_mount(top, &t, &mounted), -ENOENT);
	ck_assert_ptr_nonnull(strstr(txfs_message(t), "PATH"));
	txfs_close(t);
}
END_TEST

START_TEST(each_allocation_fails)
{
	int failures = 0, err;
	struct txfs *t;

	add("/w/base", "/w/mnt", getpid());
	for (long n = 0; n < 200; n++) {
		mem_fail_after(n);
		err = txfs_open("/w/mnt", &t);
		ck_assert_int_lt(err, 0);
		ck_assert_ptr_nonnull(txfs_message(t));
		txfs_close(t);
		if (!mem_failed())
			break;
		failures++;
	}
	mem_fail_after(-1);
	ck_assert_int_gt(failures, 5);
	ck_assert_int_eq(err, -ENOENT); /* undisturbed: nothing is mounted */
}
END_TEST

Suite *suite_client(void)
{
	Suite *s = suite_create("client");
	TCase *t = tcase_create("client");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_test(t, paths_are_tidied_by_their_text);
	tcase_add_test(t, below_goes_by_components);
	tcase_add_test(t, escaped_names_come_back);
	tcase_add_test(t, json_and_base64);
	tcase_add_test(t, longest_match_of_whole_components_wins);
	tcase_add_test(t, views_are_told_from_other_paths);
	tcase_add_test(t, stale_entry_is_cleaned);
	tcase_add_test(t, another_process_of_the_same_number_is_not_the_daemon);
	tcase_add_test(t, odd_names_and_broken_entries);
	tcase_add_test(t, symbolic_links_lead_to_the_workspace);
	tcase_add_test(t, state_directory_follows_the_environment);
	tcase_add_test(t, tokens_are_private_and_go);
	tcase_add_test(t, what_is_no_mount_is_told);
	tcase_add_test(t, dead_daemon_is_told);
	tcase_add_test(t, begin_keeps_the_token_until_the_end);
	tcase_add_test(t, begin_without_room_for_the_token_is_taken_back);
	tcase_add_test(t, lists_are_paged_and_names_resolved);
	tcase_add_loop_test(t, rubbish_rows_are_refused, 0, 12);
	tcase_add_test(t, directory_of_no_workspace_is_told);
	tcase_add_test(t, failure_of_the_mount_program_is_passed_on);
	tcase_add_test(t, each_allocation_fails);
	suite_add_tcase(s, t);
	return s;
}
