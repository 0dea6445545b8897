/*
 * report.h: what a person and what a program hear: lines on standard error, or JSON lines
 * on standard output. Private to agentctl/loop.
 *
 * Text that comes from a model, a command or a name is escaped for the terminal, and put
 * into JSON as text where it is UTF-8, else as KEY_base64.
 */
#ifndef AGENTCTL_LOOP_REPORT_H
#define AGENTCTL_LOOP_REPORT_H

#include <json-c/json.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** report_event(name): a new object with "ev" set. */
json_object *report_event(const char *name);

void report_add(json_object *o, const char *key, const char *text); /* NULL: left out */
void report_add_bytes(json_object *o, const char *key, const char *p, size_t n);
void report_add_int(json_object *o, const char *key, int64_t v);
void report_add_bool(json_object *o, const char *key, bool v);
void report_add_list(json_object *o, const char *key, char *const *s, size_t n);

/** report_ms(ns): milliseconds with four digits that matter, as a JSON number. */
void report_add_ms(json_object *o, const char *key, uint64_t ns);

/** report_emit(json, o): print the line if @json, free @o in any case. */
void report_emit(bool json, json_object *o);

/** report_say(fmt, ..): one line on standard error, control characters escaped. */
void report_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** report_time(ns, buf, size): "0.21 ms", "31 ms", "4.2 s". Returns buf. */
const char *report_time(uint64_t ns, char *buf, size_t size);

#endif
