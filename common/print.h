/*
 * print.h: the fingerprint of a file: what stat says of it, enough to tell a change.
 */
#ifndef COMMON_PRINT_H
#define COMMON_PRINT_H

#include <stdbool.h>
#include <stdint.h>

/** Times in ns since 1970; a birth of 0 where the file system has none. */
struct base_print {
	uint64_t dev, ino;
	int64_t btime_ns, mtime_ns, ctime_ns;
	uint64_t size;
	uint32_t mode, uid, gid, nlink;
	bool racy;	     /* ctime was younger than 20 ms: the content decides */
	uint8_t content[16]; /* XXH3-128 of the content, where racy and a file */
};

#endif
