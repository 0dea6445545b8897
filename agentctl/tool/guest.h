/*
 * guest.h: what may be asked at the door besides questions of policy: how the transaction
 * stands, what it changed, and, where it was allowed, savepoints. Private to tool.
 *
 *	{"v":1,"id":..,"op":"status"}
 *	{"v":1,"id":..,"op":"diff","path":"..","max":N}      path and max may be absent
 *	{"v":1,"id":..,"op":"savepoint"|"rollback","name":".."}
 *
 * Answers: {"v":1,"id":..,"ok":true,..} or {..,"ok":false,"reason":".."}. Nothing here
 * ends a transaction.
 */
#ifndef AGENTCTL_TOOL_GUEST_H
#define AGENTCTL_TOOL_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include "agentctl/tool/door.h"

/** Most of a diff, in bytes. */
#define GUEST_DIFF_BYTES (256 * 1024)

/** guest_wants(line, n): is this such a question? */
bool guest_wants(const char *line, size_t n);

/** guest_answer(line, n, label): the answer, without a newline; caller frees. NULL: no
 * memory. Speaks with the mount, so it may block; call it in a process of its own. */
char *guest_answer(const char *line, size_t n, const struct door_label *label);

#endif
