/*
 * chain.h: the form of a line's end, shared by who writes and who reads the record.
 */
#ifndef POLICYD_AUDIT_CHAIN_H
#define POLICYD_AUDIT_CHAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "txfs/audit.h"

#define AUDIT_FILE "audit.jsonl"
#define AUDIT_OLD "audit-%012lu.jsonl"

enum { AUDIT_MAX_LINE = 16 * 1024 };

/** chain_hash(s, n, out): SHA-256 as 64 hex digits. */
void chain_hash(const char *s, size_t n, char out[AUDIT_HASH]);

/** chain_line_hash(line, len, out): the "hash" that a line ends with; false: it has none.
 * chain_body(len): how many bytes of the line it covers. */
bool chain_line_hash(const char *line, size_t len, char out[AUDIT_HASH]);
size_t chain_body(size_t len);

/** chain_line_number(line): its "n", or 0. */
unsigned long chain_line_number(const char *line);

/** chain_old_number(name): the N of a name audit-N.jsonl, or 0. */
unsigned long chain_old_number(const char *name);

#endif
