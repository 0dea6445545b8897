/*
 * report.c: the two ways of telling, with one rule for text that others wrote.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agentctl/loop/report.h"
#include "common/cleanup.h"
#include "common/escape.h"
#include "common/mem.h"

json_object *report_event(const char *name)
{
	json_object *o = json_object_new_object();

	report_add(o, "ev", name);
	return o;
}

void report_add_bytes(json_object *o, const char *key, const char *p, size_t n)
{
	auto_free char *name = NULL, *coded = NULL;

	if (utf8_valid(p, n)) {
		json_object_object_add(o, key, json_object_new_string_len(p, (int)n));
		return;
	}
	name = mem_printf("%s_base64", key);
	coded = base64_text(p, n);
	if (name && coded)
		json_object_object_add(o, name, json_object_new_string(coded));
}

void report_add(json_object *o, const char *key, const char *text)
{
	if (text)
		report_add_bytes(o, key, text, strlen(text));
}

void report_add_int(json_object *o, const char *key, int64_t v)
{
	json_object_object_add(o, key, json_object_new_int64(v));
}

void report_add_bool(json_object *o, const char *key, bool v)
{
	json_object_object_add(o, key, json_object_new_boolean(v));
}

void report_add_list(json_object *o, const char *key, char *const *s, size_t n)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < n; i++) {
		auto_free char *shown = escape_text(s[i], strlen(s[i]));

		json_object_array_add(list, json_object_new_string(shown ? shown : "?"));
	}
	json_object_object_add(o, key, list);
}

void report_add_ms(json_object *o, const char *key, uint64_t ns)
{
	char text[32];

	snprintf(text, sizeof text, "%.3f", (double)ns / 1e6);
	json_object_object_add(o, key, json_object_new_double_s((double)ns / 1e6, text));
}

static void write_all(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return; /* nobody listens; the exit status still tells */
		p += done;
		n -= (size_t)done;
	}
}

void report_emit(bool json, json_object *o)
{
	if (json) {
		const char *text = json_object_to_json_string_ext(
			o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
		auto_free char *line = mem_printf("%s\n", text);

		if (line)
			write_all(STDOUT_FILENO, line, strlen(line));
	}
	json_object_put(o);
}

void report_say(const char *format, ...)
{
	auto_free char *text = NULL, *shown = NULL, *line = NULL;
	va_list ap;

	va_start(ap, format);
	text = mem_vprintf(format, ap);
	va_end(ap);
	shown = text ? escape_text(text, strlen(text)) : NULL;
	line = shown ? mem_printf("%s\n", shown) : NULL;
	if (line)
		write_all(STDERR_FILENO, line, strlen(line));
}

const char *report_time(uint64_t ns, char *buf, size_t size)
{
	double ms = (double)ns / 1e6;

	if (ms < 10)
		snprintf(buf, size, "%.*f ms", ms < 1 ? 2 : 1, ms);
	else if (ms < 10000)
		snprintf(buf, size, "%.0f ms", ms);
	else
		snprintf(buf, size, "%.1f s", ms / 1000);
	return buf;
}
