/*
 * hold.c: a process that holds descriptors and mappings for a test and does as it is
 *told.
 *
 * It reads commands from standard input, one a line, and answers each with one line:
 * "ok", "ok VALUE", or the name of an errno ("ESTALE"); touching a mapping may answer
 * "SIGBUS". Words are separated by blanks; slots are numbers from 0 to 15.
 *
 *	open SLOT MODE PATH	MODE: r w rw, then any of +c create +x exclusive +t
 *truncate +a append +d direct +T O_TMPFILE +s sync +P O_PATH +D directory close SLOT read
 *SLOT OFF LEN	text; OFF -1: at the position of the descriptor write SLOT OFF TEXT fill
 *SLOT OFF LEN CHAR	LEN bytes of CHAR, in pieces of 1 MiB
 *	map SLOT LEN		shared, of the descriptor's access mode; munmap SLOT
 *	peek SLOT OFF		the character there
 *	poke SLOT OFF CHAR · dirty SLOT OFF LEN CHAR · msync SLOT
 *	fsync SLOT · fdatasync SLOT · truncate SLOT SIZE
 *	stat SLOT		"size=N nlink=N mode=OOO ino=N mtime=NS blocks=N"
 *	chdir PATH · cwd · lock SLOT sh|ex|un (flock) · plock SLOT sh|ex|un START LEN
 *	swap A B		renameat2(RENAME_EXCHANGE) · noreplace A B · exists PATH
 *	fallocate SLOT MODE OFF LEN	MODE: keep punch zero plain collapse
 *	seek SLOT data|hole OFF · copy FROM OFF TO OFF LEN · linkat SLOT PATH
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SLOTS 16
#define WORDS 8

static int fds[SLOTS];
static char *maps[SLOTS];
static size_t map_len[SLOTS];
static sigjmp_buf bus;

static void on_bus(int number)
{
	siglongjmp(bus, number);
}

static int slot(const char *word)
{
	int n = word ? atoi(word) : -1;

	if (n < 0 || n >= SLOTS) {
		fprintf(stderr, "hold: wrong slot\n");
		exit(2);
	}
	return n;
}

static long long number(const char *word)
{
	return word ? strtoll(word, NULL, 0) : 0;
}

static void answer(long long r)
{
	if (r < 0)
		printf("%s\n", strerrorname_np(errno));
	else
		puts("ok");
}

static void answer_number(long long r)
{
	if (r < 0)
		printf("%s\n", strerrorname_np(errno));
	else
		printf("ok %lld\n", r);
}

static int open_flags(const char *mode)
{
	static const struct {
		char letter;
		int flag;
	} table[] = {{'c', O_CREAT}, {'x', O_EXCL}, {'t', O_TRUNC}, {'a', O_APPEND},
		{'d', O_DIRECT}, {'T', O_TMPFILE}, {'s', O_SYNC}, {'P', O_PATH},
		{'D', O_DIRECTORY}};
	int flags = !strncmp(mode, "rw", 2) ? O_RDWR : *mode == 'w' ? O_WRONLY : O_RDONLY;
	const char *more = strchr(mode, '+');

	for (; more && *more; more++)
		for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
			if (table[i].letter == *more)
				flags |= table[i].flag;
	return flags;
}

static void do_open(char **w)
{
	int s = slot(w[1]), fd = open(w[3], open_flags(w[2]) | O_CLOEXEC, 0644);

	if (fd >= 0 && fds[s] >= 0)
		close(fds[s]);
	if (fd >= 0)
		fds[s] = fd;
	answer(fd);
}

static void do_read(char **w)
{
	static char buf[65537];
	int fd = fds[slot(w[1])];
	long long off = number(w[2]);
	size_t len = (size_t)number(w[3]);
	ssize_t n;

	if (len > sizeof(buf) - 1)
		len = sizeof(buf) - 1;
	n = off < 0 ? read(fd, buf, len) : pread(fd, buf, len, off);
	if (n < 0) {
		answer(n);
		return;
	}
	for (ssize_t i = 0; i < n; i++)
		if (buf[i] == '\n' || !buf[i])
			buf[i] = buf[i] ? '/' : '.';
	buf[n] = 0;
	printf("ok %s\n", buf);
}

static void do_write(char **w)
{
	int fd = fds[slot(w[1])];
	long long off = number(w[2]);
	size_t len = strlen(w[3]);

	answer_number(off < 0 ? write(fd, w[3], len) : pwrite(fd, w[3], len, off));
}

static void do_fill(char **w)
{
	static char buf[1 << 20];
	int fd = fds[slot(w[1])];
	long long off = number(w[2]), left = number(w[3]);
	ssize_t n = 0;

	memset(buf, *w[4], sizeof(buf));
	while (left > 0) {
		size_t len = left < (long long)sizeof(buf) ? (size_t)left : sizeof(buf);

		n = pwrite(fd, buf, len, off);
		if (n <= 0)
			break;
		off += n;
		left -= n;
	}
	answer(n < 0 ? -1 : 0);
}

static void do_map(char **w)
{
	int s = slot(w[1]), flags = fcntl(fds[s], F_GETFL);
	size_t len = (size_t)number(w[2]);
	int prot = (flags & O_ACCMODE) == O_RDONLY ? PROT_READ : PROT_READ | PROT_WRITE;
	char *p = mmap(NULL, len, prot, MAP_SHARED, fds[s], 0);

	if (p != MAP_FAILED) {
		maps[s] = p;
		map_len[s] = len;
	}
	answer(p == MAP_FAILED ? -1 : 0);
}

/* peek, poke, dirty: whatever touches a mapping may find its file gone. */
static void touch(char **w)
{
	volatile char *p = maps[slot(w[1])];
	long long off = number(w[2]);

	if (!p || off < 0 || (size_t)off >= map_len[slot(w[1])]) {
		puts("EFAULT");
		return;
	}
	if (sigsetjmp(bus, 1)) {
		puts("SIGBUS");
		return;
	}
	if (!strcmp(w[0], "peek")) {
		char c = p[off];

		printf("ok %c\n", c ? c : '.');
	} else if (!strcmp(w[0], "poke")) {
		p[off] = *w[3];
		puts("ok");
	} else {
		for (long long i = 0; i < number(w[3]); i++)
			p[off + i] = *w[4];
		puts("ok");
	}
}

static void do_stat(char **w)
{
	struct stat st;

	if (fstat(fds[slot(w[1])], &st) < 0) {
		answer(-1);
		return;
	}
	printf("ok size=%lld nlink=%lu mode=%o ino=%llu mtime=%lld%09ld blocks=%lld\n",
		(long long)st.st_size, (unsigned long)st.st_nlink, st.st_mode & 07777U,
		(unsigned long long)st.st_ino, (long long)st.st_mtim.tv_sec,
		st.st_mtim.tv_nsec, (long long)st.st_blocks);
}

static void do_plock(char **w)
{
	struct flock l = {.l_type = *w[2] == 's'   ? F_RDLCK
				    : *w[2] == 'e' ? F_WRLCK
						   : F_UNLCK,
		.l_whence = SEEK_SET,
		.l_start = number(w[3]),
		.l_len = number(w[4])};

	answer(fcntl(fds[slot(w[1])], F_SETLK, &l));
}

static void do_flock(char **w)
{
	int how = *w[2] == 's' ? LOCK_SH : *w[2] == 'e' ? LOCK_EX : LOCK_UN;

	answer(flock(fds[slot(w[1])], how | LOCK_NB));
}

static void do_fallocate(char **w)
{
	int mode = 0;

	if (!strcmp(w[2], "keep"))
		mode = FALLOC_FL_KEEP_SIZE;
	else if (!strcmp(w[2], "punch"))
		mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
	else if (!strcmp(w[2], "zero"))
		mode = FALLOC_FL_ZERO_RANGE;
	else if (!strcmp(w[2], "collapse"))
		mode = FALLOC_FL_COLLAPSE_RANGE;
	answer(fallocate(fds[slot(w[1])], mode, number(w[3]), number(w[4])));
}

static void do_copy(char **w)
{
	off_t from = number(w[2]), to = number(w[4]);

	answer_number(copy_file_range(
		fds[slot(w[1])], &from, fds[slot(w[3])], &to, (size_t)number(w[5]), 0));
}

static void do_linkat(char **w)
{
	char self[64];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fds[slot(w[1])]);
	answer(linkat(AT_FDCWD, self, AT_FDCWD, w[2], AT_SYMLINK_FOLLOW));
}

static void do_cwd(void)
{
	char path[4096];

	if (getcwd(path, sizeof(path)))
		printf("ok %s\n", path);
	else
		answer(-1);
}

static void obey(char **w)
{
	const char *c = w[0];
	int s;

	if (!strcmp(c, "open"))
		do_open(w);
	else if (!strcmp(c, "read"))
		do_read(w);
	else if (!strcmp(c, "write"))
		do_write(w);
	else if (!strcmp(c, "fill"))
		do_fill(w);
	else if (!strcmp(c, "map"))
		do_map(w);
	else if (!strcmp(c, "peek") || !strcmp(c, "poke") || !strcmp(c, "dirty"))
		touch(w);
	else if (!strcmp(c, "msync"))
		answer(msync(maps[slot(w[1])], map_len[slot(w[1])], MS_SYNC));
	else if (!strcmp(c, "munmap"))
		answer(munmap(maps[slot(w[1])], map_len[slot(w[1])]));
	else if (!strcmp(c, "fsync"))
		answer(fsync(fds[slot(w[1])]));
	else if (!strcmp(c, "fdatasync"))
		answer(fdatasync(fds[slot(w[1])]));
	else if (!strcmp(c, "truncate"))
		answer(ftruncate(fds[slot(w[1])], number(w[2])));
	else if (!strcmp(c, "stat"))
		do_stat(w);
	else if (!strcmp(c, "chdir"))
		answer(chdir(w[1]));
	else if (!strcmp(c, "cwd"))
		do_cwd();
	else if (!strcmp(c, "lock"))
		do_flock(w);
	else if (!strcmp(c, "plock"))
		do_plock(w);
	else if (!strcmp(c, "swap"))
		answer(renameat2(AT_FDCWD, w[1], AT_FDCWD, w[2], RENAME_EXCHANGE));
	else if (!strcmp(c, "noreplace"))
		answer(renameat2(AT_FDCWD, w[1], AT_FDCWD, w[2], RENAME_NOREPLACE));
	else if (!strcmp(c, "exists"))
		answer(faccessat(AT_FDCWD, w[1], F_OK, AT_SYMLINK_NOFOLLOW));
	else if (!strcmp(c, "fallocate"))
		do_fallocate(w);
	else if (!strcmp(c, "seek"))
		answer_number(lseek(fds[slot(w[1])], number(w[3]),
			*w[2] == 'd' ? SEEK_DATA : SEEK_HOLE));
	else if (!strcmp(c, "copy"))
		do_copy(w);
	else if (!strcmp(c, "linkat"))
		do_linkat(w);
	else if (!strcmp(c, "close")) {
		s = slot(w[1]);
		answer(close(fds[s]));
		fds[s] = -1;
	} else
		puts("ENOSYS");
}

int main(void)
{
	struct sigaction sa = {.sa_handler = on_bus};
	char none[1] = "", *line = NULL, *save, *words[WORDS + 1];
	size_t cap = 0;
	ssize_t n;

	for (int i = 0; i < SLOTS; i++)
		fds[i] = -1;
	sigaction(SIGBUS, &sa, NULL);
	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((n = getline(&line, &cap, stdin)) > 0) {
		int count = 0;

		line[n - 1] = 0;
		for (char *p = strtok_r(line, " ", &save); p && count < WORDS;
			p = strtok_r(NULL, " ", &save))
			words[count++] = p;
		if (!count)
			continue;
		for (int i = count; i <= WORDS; i++)
			words[i] = none;
		obey(words);
		fflush(stdout);
	}
	free(line);
	return 0;
}
