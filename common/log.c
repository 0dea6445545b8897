/*
 * log.c: a line is formatted on the stack and written at once.
 */
#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LINE_BYTES 2048

static int log_fd = STDERR_FILENO;
static enum log_level log_max = LOG_LEVEL_WARN;

int log_open(const char *path, enum log_level level)
{
	int fd = STDERR_FILENO;

	if (path) {
		fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
		if (fd < 0)
			return -errno;
	}
	if (log_fd != STDERR_FILENO)
		close(log_fd);
	log_fd = fd;
	log_max = level;
	return 0;
}

static size_t log_head(char *buf, size_t size, enum log_level level)
{
	static const char *const names[] = {"error", "warning", "info", "debug"};
	struct timespec now;
	struct tm tm;

	if (log_fd == STDERR_FILENO)
		return (size_t)snprintf(buf, size, "%s: ", program_invocation_short_name);
	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	return (size_t)snprintf(buf, size,
		"%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ %s: ", tm.tm_year + 1900,
		tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
		now.tv_nsec / 1000000, names[level]);
}

void log_line(enum log_level level, const char *fmt, ...)
{
	char line[LINE_BYTES];
	int e = errno;
	size_t n;
	va_list ap;

	if (level > log_max)
		return;
	n = log_head(line, sizeof(line), level);
	va_start(ap, fmt);
	vsnprintf(line + n, sizeof(line) - n - 1, fmt, ap);
	va_end(ap);
	n = strlen(line);
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
			line[i] = '?';
	line[n++] = '\n';
	if (write(log_fd, line, n) < 0)
		errno = e; /* nobody is left to be told */
	errno = e;
}
