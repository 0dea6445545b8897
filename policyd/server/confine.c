/*
 * confine.c: rights given up for good, since what is read comes from others.
 *
 * Landlock (where the kernel has it) first, before there are threads: nothing is written,
 * made or removed but in the folder of the record and, to remove its name at the end,
 * beside the socket; no program is started, no TCP, no signal, no abstract socket of
 * others. Then, with all threads, a filter of system calls: what serving needs is
 * allowed; what only an intruder would want ends the process with SIGSYS, loudly; all
 * else is EPERM. Without Landlock no file can be opened for writing at all.
 */
#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "policyd/server/private.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1 /* their run time wants system calls of its own */
#else
#define SANITIZED 0
#endif

/* --- Landlock: the system's headers may be older than the kernel ---------------------
 */

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

enum {
	FS_EXECUTE = 1 << 0,
	FS_WRITE_FILE = 1 << 1,
	FS_REMOVE_DIR = 1 << 4,
	FS_REMOVE_FILE = 1 << 5,
	FS_MAKE_REG = 1 << 8,
	FS_ALL_MAKE = 0x7f << 6,
	FS_REFER = 1 << 13,	/* ABI 2 */
	FS_TRUNCATE = 1 << 14,	/* ABI 3 */
	FS_IOCTL_DEV = 1 << 15, /* ABI 5 */
	NET_TCP = 3,		/* ABI 4: bind and connect */
	SCOPES = 3,		/* ABI 6: abstract sockets and signals */
	RULE_PATH = 1,
	VERSION = 1,
};

struct ruleset {
	uint64_t fs, net, scoped;
};

struct path_rule {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

static int allow_in(int ruleset, const char *dir, uint64_t what)
{
	auto_close int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct path_rule rule = {.allowed = what, .parent = fd};

	if (fd < 0)
		return -errno;
	return syscall(SYS_landlock_add_rule, ruleset, RULE_PATH, &rule, 0) ? -errno : 0;
}

int confine_files(const char *writable, const char *removable, bool *works)
{
	long abi =
		SANITIZED ? -1 : syscall(SYS_landlock_create_ruleset, NULL, 0, VERSION);
	struct ruleset r = {.fs = FS_EXECUTE | FS_WRITE_FILE | FS_REMOVE_DIR |
				  FS_REMOVE_FILE | FS_ALL_MAKE};
	size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
	auto_close int fd = -1;
	int e = 0;

	*works = false;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	if (abi < 1)
		return 0;
	r.fs |= (abi >= 2 ? FS_REFER : 0) | (abi >= 3 ? FS_TRUNCATE : 0) |
		(abi >= 5 ? FS_IOCTL_DEV : 0);
	r.net = abi >= 4 ? NET_TCP : 0;
	r.scoped = abi >= 6 ? SCOPES : 0;
	fd = (int)syscall(SYS_landlock_create_ruleset, &r, size, 0);
	if (fd < 0)
		return -errno;
	if (writable)
		e = allow_in(fd, writable,
			FS_WRITE_FILE | FS_MAKE_REG | FS_REMOVE_FILE |
				(abi >= 2 ? FS_REFER : 0));
	if (!e && removable)
		e = allow_in(fd, removable, FS_REMOVE_FILE);
	if (!e && syscall(SYS_landlock_restrict_self, fd, 0))
		e = -errno;
	*works = !e;
	return e;
}

/* --- system calls --------------------------------------------------------------------
 */

static const int served[] = {SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(close),
	SCMP_SYS(fstat), SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(newfstatat),
	SCMP_SYS(statx), SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(faccessat2),
	SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(getcwd), SCMP_SYS(lseek),
	SCMP_SYS(pread64), SCMP_SYS(getdents64), SCMP_SYS(fcntl), SCMP_SYS(munmap),
	SCMP_SYS(mremap), SCMP_SYS(brk), SCMP_SYS(madvise), SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn), SCMP_SYS(futex), SCMP_SYS(poll), SCMP_SYS(ppoll),
	SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait), SCMP_SYS(epoll_pwait2),
	SCMP_SYS(epoll_ctl), SCMP_SYS(accept4), SCMP_SYS(getsockopt), SCMP_SYS(sendto),
	SCMP_SYS(recvfrom), SCMP_SYS(clock_gettime), SCMP_SYS(clock_nanosleep),
	SCMP_SYS(nanosleep), SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(getpid),
	SCMP_SYS(gettid), SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getrandom),
	SCMP_SYS(sched_yield), SCMP_SYS(set_robust_list), SCMP_SYS(rseq),
	SCMP_SYS(membarrier), SCMP_SYS(restart_syscall), SCMP_SYS(exit),
	SCMP_SYS(exit_group)};

/* Of the folder of the record; where these lead is Landlock's to say. */
static const int kept[] = {SCMP_SYS(renameat), SCMP_SYS(renameat2), SCMP_SYS(unlink),
	SCMP_SYS(unlinkat), SCMP_SYS(fchmod), SCMP_SYS(fdatasync)};

static const int deadly[] = {SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(fork),
	SCMP_SYS(vfork), SCMP_SYS(clone), SCMP_SYS(clone3), SCMP_SYS(socket),
	SCMP_SYS(socketpair), SCMP_SYS(connect), SCMP_SYS(bind), SCMP_SYS(listen),
	SCMP_SYS(sendmsg), SCMP_SYS(sendmmsg), SCMP_SYS(ptrace), SCMP_SYS(kill),
	SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), SCMP_SYS(pidfd_getfd),
	SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(move_mount), SCMP_SYS(open_tree),
	SCMP_SYS(chroot), SCMP_SYS(pivot_root), SCMP_SYS(setns), SCMP_SYS(unshare),
	SCMP_SYS(bpf), SCMP_SYS(perf_event_open), SCMP_SYS(userfaultfd),
	SCMP_SYS(io_uring_setup), SCMP_SYS(memfd_create), SCMP_SYS(init_module),
	SCMP_SYS(finit_module), SCMP_SYS(kexec_load), SCMP_SYS(reboot),
	SCMP_SYS(open_by_handle_at), SCMP_SYS(keyctl), SCMP_SYS(add_key),
	SCMP_SYS(setuid), SCMP_SYS(setgid), SCMP_SYS(setresuid), SCMP_SYS(setresgid),
	SCMP_SYS(capset), SCMP_SYS(personality)};

static int add_all(scmp_filter_ctx f, uint32_t action, const int *calls, size_t n)
{
	int e = 0;

	/* a call that this architecture does not have is no loss */
	for (size_t i = 0; !e && i < n; i++)
		if (calls[i] >= 0)
			e = seccomp_rule_add(f, action, calls[i], 0);
	return e;
}

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

/* Memory that runs is never made; files are opened as far as Landlock guards them. */
static int add_guarded(scmp_filter_ctx f, bool files_guarded)
{
	static const int pages[] = {SCMP_SYS(mmap), SCMP_SYS(mprotect)};
	const unsigned writes = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
	int e = 0;

	for (size_t i = 0; !e && i < COUNT(pages); i++) {
		e = seccomp_rule_add(f, SCMP_ACT_ALLOW, pages[i], 1,
			SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
		if (!e)
			e = seccomp_rule_add(f, SCMP_ACT_KILL_PROCESS, pages[i], 1,
				SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, PROT_EXEC));
	}
	if (e)
		return e;
	if (!files_guarded)
		return seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1,
			SCMP_A2(SCMP_CMP_MASKED_EQ, writes, 0));
	e = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(openat), 0);
	return e ? e : add_all(f, SCMP_ACT_ALLOW, kept, COUNT(kept));
}

int confine_calls(bool files_guarded)
{
	scmp_filter_ctx f = SANITIZED ? NULL : seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int e;

	if (SANITIZED)
		return 0;
	if (!f)
		return -ENOMEM;
	e = seccomp_attr_set(f, SCMP_FLTATR_CTL_TSYNC, 1);
	if (!e)
		e = add_all(f, SCMP_ACT_ALLOW, served, COUNT(served));
	if (!e)
		e = add_all(f, SCMP_ACT_KILL_PROCESS, deadly, COUNT(deadly));
	if (!e)
		e = add_guarded(f, files_guarded);
	if (!e)
		e = seccomp_load(f);
	seccomp_release(f);
	return e;
}
