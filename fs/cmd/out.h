/*
 * out.h: rows for a program (JSON, one object a line) and pieces of text for a person.
 */
#ifndef FS_CMD_OUT_H
#define FS_CMD_OUT_H

#include <stdbool.h>
#include <stdint.h>

/* JSON: out_open, any number of fields, out_close ends the line. */
void out_open(void);
void out_close(void);
void out_u64(const char *key, uint64_t v);
void out_double(const char *key, double v);
void out_bool(const char *key, bool v);
void out_null(const char *key);

/** out_text(key, s): a string; where @s is not UTF-8 a field KEY_base64 with its bytes
 * follows. NULL: null. */
void out_text(const char *key, const char *s);

/** show_name(s): print @s with control characters escaped. */
void show_name(const char *s);

/** show_age(seconds): print as "12 s", "3 min", "5 h", "2 d". */
void show_age(double seconds);

enum colour { PLAIN, RED, GREEN, YELLOW, BLUE, CYAN, BOLD };

/** show_colour(c): switch, on a terminal without NO_COLOR or TERM=dumb; PLAIN ends. */
void show_colour(enum colour c);

/** age_of(ns): seconds since a time of CLOCK_REALTIME. */
double age_of(uint64_t ns);

/** out_end(): flush stdout; whether all of it was written. */
bool out_end(void);

#endif
