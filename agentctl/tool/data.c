/*
 * data.c: the tables, taken in by the assembler (the build runs at the root of the tree),
 * and the reader of their lines.
 */
#include <string.h>
#include "agentctl/tool/data.h"

#define TAKE_IN(name, file)                                          \
	__asm__(".pushsection .rodata\n"                             \
		".global " #name "\n.hidden " #name "\n" #name ":\n" \
		".incbin \"" file "\"\n.byte 0\n"                    \
		".popsection\n")

TAKE_IN(data_late, "agentctl/data/late.tsv");
TAKE_IN(data_places, "agentctl/data/places.tsv");

bool data_next(const char **at, struct data_row *row)
{
	while (**at) {
		const char *line = *at;
		size_t n = strcspn(line, "\n");
		const char *tab = memchr(line, '\t', n);

		*at = line + n + (line[n] == '\n');
		if (*line == '#' || !tab)
			continue;
		row->kind = line;
		row->kind_len = (size_t)(tab - line);
		row->value = tab + 1;
		row->value_len = n - row->kind_len - 1;
		return true;
	}
	return false;
}

bool data_is(const struct data_row *row, const char *kind)
{
	return strlen(kind) == row->kind_len &&
	       memcmp(kind, row->kind, row->kind_len) == 0;
}
