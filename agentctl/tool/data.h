/*
 * data.h: the tables of agentctl/data, linked into the program as they are.
 *
 * A table is lines of `kind TAB value`; empty lines and those that begin with # are
 * remarks. Private to agentctl/tool.
 */
#ifndef AGENTCTL_TOOL_DATA_H
#define AGENTCTL_TOOL_DATA_H

#include <stdbool.h>
#include <stddef.h>

extern const char data_late[];	 /* late.tsv, NUL ended */
extern const char data_places[]; /* places.tsv, NUL ended */

/** One line of a table; not NUL ended. */
struct data_row {
	const char *kind, *value;
	size_t kind_len, value_len;
};

/** data_next(at, row): the next line at *at, which moves on; false at the end. */
bool data_next(const char **at, struct data_row *row);

/** data_is(row, kind): is it of this kind? */
bool data_is(const struct data_row *row, const char *kind);

#endif
