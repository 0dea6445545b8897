/*
 * out.c: printing to stdout.
 */
#include "fs/cmd/out.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "common/cleanup.h"
#include "common/escape.h"

/* --- JSON ------------------------------------------------------------------------------
 */

static bool first;

void out_open(void)
{
	putchar('{');
	first = true;
}

void out_close(void)
{
	puts("}");
}

static void key_of(const char *key, const char *suffix)
{
	printf("%s\"%s%s\":", first ? "" : ",", key, suffix);
	first = false;
}

void out_u64(const char *key, uint64_t v)
{
	key_of(key, "");
	printf("%llu", (unsigned long long)v);
}

void out_double(const char *key, double v)
{
	key_of(key, "");
	printf("%.3f", v);
}

void out_bool(const char *key, bool v)
{
	key_of(key, "");
	fputs(v ? "true" : "false", stdout);
}

void out_null(const char *key)
{
	key_of(key, "");
	fputs("null", stdout);
}

void out_text(const char *key, const char *s)
{
	auto_free char *json = s ? escape_json(s, strlen(s)) : NULL;
	auto_free char *bytes = NULL;

	if (!s) {
		out_null(key);
		return;
	}
	key_of(key, "");
	printf("\"%s\"", json ? json : "");
	if (utf8_valid(s, strlen(s)))
		return;
	bytes = base64_text(s, strlen(s));
	key_of(key, "_base64");
	printf("\"%s\"", bytes ? bytes : "");
}

/* --- text ------------------------------------------------------------------------------
 */

void show_name(const char *s)
{
	auto_free char *text = escape_text(s, strlen(s));

	fputs(text ? text : "?", stdout);
}

double age_of(uint64_t ns)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9 - (double)ns / 1e9;
}

void show_age(double seconds)
{
	if (seconds < 0)
		seconds = 0;
	if (seconds < 120)
		printf("%.0f s", seconds);
	else if (seconds < 7200)
		printf("%.0f min", seconds / 60);
	else if (seconds < 172800)
		printf("%.0f h", seconds / 3600);
	else
		printf("%.0f d", seconds / 86400);
}

static bool colours(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb");
}

void show_colour(enum colour c)
{
	static const char *const codes[] = {"0", "31", "32", "33", "34", "36", "1"};

	if (colours())
		printf("\033[%sm", codes[c]);
}

bool out_end(void)
{
	return fflush(stdout) == 0 && !ferror(stdout);
}
