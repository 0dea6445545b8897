/*
 * test-fuse.c: the kernel's protocol spoken over a socket pair, to one worker.
 */
#include "tests/unit/fs/world.h"
#include "fs/fuse/impl.h"

#include <linux/fuse.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static struct world w;
static struct serve *s;
static int sock;
static uint64_t unique;

struct answer {
	struct fuse_out_header h;
	char body[70000];
};
static struct answer ans;

/* One request of up to three parts; the answer's error, 0 or -errno. */
static int ask(uint32_t op, uint64_t node, const void *a, size_t na, const void *b,
	size_t nb, const void *c, size_t nc)
{
	static char buf[80000];
	struct fuse_in_header h = {.opcode = op, .nodeid = node};
	ssize_t n;

	h.unique = ++unique;
	h.len = (uint32_t)(sizeof(h) + na + nb + nc);
	memcpy(buf, &h, sizeof(h));
	if (na)
		memcpy(buf + sizeof(h), a, na);
	if (nb)
		memcpy(buf + sizeof(h) + na, b, nb);
	if (nc)
		memcpy(buf + sizeof(h) + na + nb, c, nc);
	ck_assert_int_eq(send(sock, buf, h.len, 0), (ssize_t)h.len);
	if (op == FUSE_FORGET)
		return 0;
	n = recv(sock, &ans, sizeof(ans), 0);
	ck_assert_int_ge(n, (ssize_t)sizeof(ans.h));
	ck_assert_uint_eq(ans.h.len, (uint32_t)n);
	ck_assert_uint_eq(ans.h.unique, unique);
	return ans.h.error;
}

#define ASK1(op, node, a) ask(op, node, &(a), sizeof(a), NULL, 0, NULL, 0)
#define ASK_NAME(op, node, name) ask(op, node, name, strlen(name) + 1, NULL, 0, NULL, 0)

static void setup(void)
{
	struct fuse_init_in in = {.major = 7,
		.minor = 36,
		.max_readahead = 65536,
		.flags = FUSE_DO_READDIRPLUS | FUSE_HANDLE_KILLPRIV_V2 | FUSE_POSIX_ACL |
			 FUSE_DONT_MASK | FUSE_NO_OPEN_SUPPORT | FUSE_BIG_WRITES};
	const struct fuse_init_out *out = (void *)ans.body;
	int fd[2];

	world_make(&w, "put f hello; mkdir d; put d/x 1; put d/y 2");
	world_open(&w);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd), 0);
	s = calloc(1, sizeof(*s));
	s->o = (struct mount_opts){
		.base = w.base, .mnt = "/nonexistent", .store = w.dir, .workers = 1};
	s->t = w.t;
	s->m = w.m;
	s->store = w.store;
	s->basefd = s->inotify = -1;
	ck_assert_int_eq(serve_over(s, fd[0]), 0);
	sock = fd[1];
	ck_assert_int_eq(ASK1(FUSE_INIT, 0, in), 0);
	ck_assert_uint_eq(out->major, 7);
	ck_assert(out->flags & FUSE_HANDLE_KILLPRIV_V2);
	ck_assert(out->flags & FUSE_POSIX_ACL);
	ck_assert(out->flags & FUSE_DO_READDIRPLUS);
	ck_assert(!(out->flags & FUSE_WRITEBACK_CACHE));
}

static void teardown(void)
{
	close(sock);
	serve_over_end(s);
	world_close(&w);
	free(s);
}

static int lookup(uint64_t dir, const char *name, struct fuse_entry_out *e)
{
	int r = ASK_NAME(FUSE_LOOKUP, dir, name);

	if (!r)
		memcpy(e, ans.body, sizeof(*e));
	return r;
}

static uint64_t id_of(uint64_t dir, const char *name)
{
	struct fuse_entry_out e;

	ck_assert_int_eq(lookup(dir, name, &e), 0);
	ck_assert_uint_ne(e.nodeid, 0);
	return e.nodeid;
}

static int getattr(uint64_t node, struct fuse_attr *a)
{
	struct fuse_getattr_in in = {0};
	int r = ASK1(FUSE_GETATTR, node, in);

	if (!r)
		*a = ((const struct fuse_attr_out *)(void *)ans.body)->attr;
	return r;
}

static int write_at(
	uint64_t node, uint64_t off, const char *text, size_t n, uint32_t flags)
{
	struct fuse_write_in in = {
		.offset = off, .size = (uint32_t)n, .write_flags = flags};
	int r = ask(FUSE_WRITE, node, &in, sizeof(in), text, n, NULL, 0);

	return r ? r : (int)((const struct fuse_write_out *)(void *)ans.body)->size;
}

static int read_at(uint64_t node, uint64_t off, uint32_t n)
{
	struct fuse_read_in in = {.offset = off, .size = n};
	int r = ASK1(FUSE_READ, node, in);

	return r ? r : (int)(ans.h.len - sizeof(ans.h));
}

static uint64_t mknod_at(uint64_t dir, const char *name, uint32_t mode)
{
	struct fuse_mknod_in in = {.mode = mode, .umask = 022};

	ck_assert_int_eq(
		ask(FUSE_MKNOD, dir, &in, sizeof(in), name, strlen(name) + 1, NULL, 0),
		0);
	return ((const struct fuse_entry_out *)(void *)ans.body)->nodeid;
}

static int ioctl_on(uint64_t node, unsigned int cmd, void *io, size_t n)
{
	struct fuse_ioctl_in in = {
		.cmd = cmd, .in_size = (uint32_t)n, .out_size = (uint32_t)n};
	int r = ask(FUSE_IOCTL, node, &in, sizeof(in), io, n, NULL, 0);

	if (r)
		return r;
	memcpy(io, ans.body + sizeof(struct fuse_ioctl_out), n);
	return ((const struct fuse_ioctl_out *)(void *)ans.body)->result;
}

static uint64_t ctl(void)
{
	return id_of(id_of(FUSE_ROOT_ID, ".txfs"), "ctl");
}

static void begin(struct txfs_ioc_begin *b, uint32_t flags)
{
	*b = (struct txfs_ioc_begin){.version = TXFS_ABI, .flags = flags};
	ck_assert_int_eq(ioctl_on(ctl(), TXFS_IOC_BEGIN, b, sizeof(*b)), 0);
	ck_assert_int_eq(b->error, 0);
}

static int end(const struct txfs_ioc_begin *b, unsigned int cmd)
{
	struct txfs_ioc_end e = {.version = TXFS_ABI, .id = b->id};

	memcpy(e.token, b->token, sizeof(e.token));
	ck_assert_int_eq(ioctl_on(ctl(), cmd, &e, sizeof(e)), 0);
	return -e.error;
}

static uint64_t view_of(const struct txfs_ioc_begin *b)
{
	char name[24];

	snprintf(name, sizeof(name), "%llu", (unsigned long long)b->id);
	return id_of(id_of(id_of(FUSE_ROOT_ID, ".txfs"), "tx"), name);
}

/* P6 */
START_TEST(a_file_is_made_written_and_read)
{
	uint64_t f = mknod_at(FUSE_ROOT_ID, "new", S_IFREG | 0666);
	struct fuse_attr a;

	ck_assert_int_eq(write_at(f, 3, "abc", 3, 0), 3);
	ck_assert_int_eq(read_at(f, 0, 100), 6);
	ck_assert_mem_eq(ans.body, "\0\0\0abc", 6);
	ck_assert_int_eq(getattr(f, &a), 0);
	ck_assert_uint_eq(a.size, 6);
	ck_assert_uint_eq(a.mode, S_IFREG | 0644); /* the umask is ours to take */
	ck_assert_uint_eq(f, id_of(FUSE_ROOT_ID, "new"));
}
END_TEST

START_TEST(what_the_kernel_need_not_ask_again_is_enosys)
{
	static const uint32_t ops[] = {FUSE_OPEN, FUSE_OPENDIR, FUSE_FLUSH, FUSE_CREATE};
	char in[64] = {0};
	uint64_t f = id_of(FUSE_ROOT_ID, _i == 1 || _i == 3 ? "d" : "f");

	strcpy(in + sizeof(struct fuse_create_in), "name");
	ck_assert_int_eq(ASK1(ops[_i], f, in), -ENOSYS);
}
END_TEST

/* P6: the flags that libfuse does not pass on. */
START_TEST(suid_goes_where_the_kernel_says_so)
{
	uint64_t f = mknod_at(FUSE_ROOT_ID, "s", S_IFREG | 0644);
	struct fuse_setattr_in in = {.valid = FATTR_MODE, .mode = S_IFREG | 06755};
	struct fuse_attr a;

	ck_assert_int_eq(ASK1(FUSE_SETATTR, f, in), 0);
	ck_assert_int_eq(write_at(f, 0, "x", 1, 0), 1);
	ck_assert_int_eq(getattr(f, &a), 0);
	ck_assert_uint_eq(a.mode & 07777, 06755);
	if (_i) {
		ck_assert_int_eq(write_at(f, 0, "x", 1, FUSE_WRITE_KILL_SUIDGID), 1);
	} else {
		in = (struct fuse_setattr_in){
			.valid = FATTR_SIZE | FATTR_KILL_SUIDGID, .size = 0};
		ck_assert_int_eq(ASK1(FUSE_SETATTR, f, in), 0);
	}
	ck_assert_int_eq(getattr(f, &a), 0);
	ck_assert_uint_eq(a.mode & 07777, 0755);
}
END_TEST

/* P6: d_ino equal to st_ino; each entry comes with its node, once. */
START_TEST(a_directory_is_read_with_its_nodes)
{
	struct fuse_read_in in = {.size = 4096};
	unsigned int found = 0;

	ck_assert_int_eq(ASK1(FUSE_READDIRPLUS, id_of(FUSE_ROOT_ID, "d"), in), 0);
	for (char *p = ans.body; p < (char *)&ans + ans.h.len;) {
		const struct fuse_direntplus *e = (void *)p;

		p += FUSE_DIRENTPLUS_SIZE(e);
		if (e->dirent.name[0] == '.')
			continue;
		ck_assert_uint_eq(e->dirent.ino, e->entry_out.attr.ino);
		ck_assert_uint_ne(e->entry_out.nodeid, 0);
		ck_assert_uint_eq(e->dirent.namelen, 1);
		found += e->dirent.name[0] == 'x' ? 1 : 10;
	}
	ck_assert_uint_eq(found, 11);
	/* the hidden directory is never listed */
	ck_assert_int_eq(ASK1(FUSE_READDIR, FUSE_ROOT_ID, in), 0);
	for (char *p = ans.body; p < (char *)&ans + ans.h.len;) {
		const struct fuse_dirent *e = (void *)p;

		p += FUSE_DIRENT_SIZE(e);
		ck_assert(strncmp(e->name, ".txfs", 5));
	}
}
END_TEST

/* P9 */
START_TEST(ioctls_are_known_on_ctl_alone)
{
	static char io[sizeof(struct txfs_ioc_status)];
	struct txfs_ioc_begin b = {.version = TXFS_ABI};
	uint64_t f = id_of(FUSE_ROOT_ID, "f");

	ck_assert_int_eq(ioctl_on(f, TXFS_IOC_BEGIN, &b, sizeof(b)), -ENOTTY);
	ck_assert_int_eq(ioctl_on(FUSE_ROOT_ID, TXFS_IOC_BEGIN, &b, sizeof(b)), -ENOTTY);
	ck_assert_int_eq(ioctl_on(f, 0x5401, io, 36), -ENOTTY); /* TCGETS */
	ck_assert_int_eq(ioctl_on(ctl(), 0x5401, io, 36), -ENOTTY);
	ck_assert_int_eq(ioctl_on(ctl(), TXFS_IOC_BEGIN, &b, sizeof(b) - 8), -EINVAL);
	b.version = 99;
	ck_assert_int_eq(
		ioctl_on(ctl(), TXFS_IOC_BEGIN, &b, sizeof(b)), -EPROTONOSUPPORT);
	b.version = TXFS_ABI;
	b.flags = 1u << 31;
	ck_assert_int_eq(ioctl_on(ctl(), TXFS_IOC_BEGIN, &b, sizeof(b)), -EINVAL);
}
END_TEST

/* P9: the hidden directory is in the root of the main view only. */
START_TEST(a_private_view_has_no_hidden_directory)
{
	struct txfs_ioc_begin b;
	struct fuse_entry_out e;

	begin(&b, TXFS_BEGIN_PRIVATE);
	ck_assert_int_eq(lookup(view_of(&b), ".txfs", &e), 0);
	ck_assert_uint_eq(e.nodeid, 0); /* a negative entry */
	ck_assert_int_eq(lookup(id_of(FUSE_ROOT_ID, "d"), ".txfs", &e), 0);
	ck_assert_uint_eq(e.nodeid, 0);
	ck_assert_int_eq(end(&b, TXFS_IOC_ABORT), 0);
}
END_TEST

/* P1, P2, P4 */
START_TEST(ids_of_an_ended_view_are_stale_and_never_come_again)
{
	struct txfs_ioc_begin b;
	struct fuse_attr a;
	uint64_t f, made, old;

	begin(&b, TXFS_BEGIN_PRIVATE);
	f = id_of(view_of(&b), "f");
	made = mknod_at(view_of(&b), "made", S_IFREG | 0644);
	ck_assert_int_eq(write_at(f, 0, "HELLO", 5, 0), 5);
	ck_assert_int_eq(write_at(made, 0, "x", 1, 0), 1);
	old = id_of(FUSE_ROOT_ID, "f");
	ck_assert_int_eq(read_at(old, 0, 9), 5);
	ck_assert_mem_eq(ans.body, "hello", 5);
	ck_assert_int_eq(end(&b, _i ? TXFS_IOC_COMMIT : TXFS_IOC_ABORT), 0);
	ck_assert_int_eq(getattr(f, &a), -ESTALE);
	ck_assert_int_eq(write_at(made, 0, "y", 1, 0), -ESTALE);
	ck_assert_int_eq(read_at(f, 0, 1), -ESTALE);
	ck_assert_int_eq(read_at(old, 0, 9), 5); /* the main view's id goes on */
	ck_assert_mem_eq(ans.body, _i ? "HELLO" : "hello", 5);
	ck_assert_uint_ne(mknod_at(FUSE_ROOT_ID, "again", S_IFREG | 0644), made);
}
END_TEST

/* P4: abort in the main view. */
START_TEST(an_abort_retires_the_ids_of_changed_files)
{
	struct txfs_ioc_begin b;
	struct fuse_attr a;
	uint64_t f, d = id_of(FUSE_ROOT_ID, "d"), x = id_of(d, "x");

	begin(&b, 0);
	f = id_of(FUSE_ROOT_ID, "f");
	ck_assert_int_eq(write_at(f, 0, "HELLO", 5, 0), 5);
	ck_assert_int_eq(end(&b, TXFS_IOC_ABORT), 0);
	ck_assert_int_eq(write_at(f, 0, "again", 5, 0), -ESTALE);
	ck_assert_int_eq(getattr(x, &a), 0);
	ck_assert_int_eq(getattr(d, &a), 0);
	ck_assert_uint_ne(id_of(FUSE_ROOT_ID, "f"), f);
	ck_assert_int_eq(read_at(id_of(FUSE_ROOT_ID, "f"), 0, 9), 5);
	ck_assert_mem_eq(ans.body, "hello", 5);
}
END_TEST

START_TEST(a_forgotten_id_is_stale)
{
	uint64_t f = id_of(FUSE_ROOT_ID, "f"), again;
	struct fuse_forget_in in = {.nlookup = 1};
	struct fuse_attr a;

	ck_assert_uint_eq(id_of(FUSE_ROOT_ID, "f"), f);
	ASK1(FUSE_FORGET, f, in);
	ck_assert_int_eq(getattr(f, &a), 0); /* was looked up twice */
	ASK1(FUSE_FORGET, f, in);
	ck_assert_int_eq(getattr(f, &a), -ESTALE);
	again = id_of(FUSE_ROOT_ID, "f");
	ck_assert_uint_ne(again, f);
	ck_assert_int_eq(getattr(1ull << 40, &a), -ESTALE);
}
END_TEST

Suite *suite_fuse(void)
{
	Suite *suite = suite_create("fuse");
	TCase *t = tcase_create("fuse");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 30);
	tcase_add_test(t, a_file_is_made_written_and_read);
	tcase_add_loop_test(t, what_the_kernel_need_not_ask_again_is_enosys, 0, 4);
	tcase_add_loop_test(t, suid_goes_where_the_kernel_says_so, 0, 2);
	tcase_add_test(t, a_directory_is_read_with_its_nodes);
	tcase_add_test(t, ioctls_are_known_on_ctl_alone);
	tcase_add_test(t, a_private_view_has_no_hidden_directory);
	tcase_add_loop_test(t, ids_of_an_ended_view_are_stale_and_never_come_again, 0, 2);
	tcase_add_test(t, an_abort_retires_the_ids_of_changed_files);
	tcase_add_test(t, a_forgotten_id_is_stale);
	suite_add_tcase(suite, t);
	return suite;
}
