/*
 * log.h: one line for a person, to standard error or to a file.
 *
 *	log_error("cannot sync '%s': %s", path, strerror(e));
 *
 * A line is written by one write(2), so lines of threads do not mix. Control characters
 * become `?`. With a file each line begins with the time in UTC and the level.
 */
#ifndef COMMON_LOG_H
#define COMMON_LOG_H

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/** log_open(path, level): send lines up to @level to @path (created 0600, appended to);
 * NULL: standard error. 0 or -errno, then the old target stays. Call it before threads.
 */
int log_open(const char *path, enum log_level level);

/** log_line(level, fmt, ..): write one line; keeps errno; any thread. */
void log_line(enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#define log_error(...) log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...) log_line(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...) log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif
