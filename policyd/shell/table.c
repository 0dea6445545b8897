/*
 * table.c: the data files, compiled in, looked up by their first column.
 */
#include <string.h>

#include "policyd/shell/sh.h"

#include "policy_data.h"

struct data {
	const char *const *const *rows;
	size_t n;
};

#define DATA(name)                                                            \
	{                                                                     \
		policy_##name, sizeof(policy_##name) / sizeof(*policy_##name) \
	}

static const struct data tables[T_N] = {
	[T_WRAPPERS] = DATA(wrappers),
	[T_FILES] = DATA(files),
	[T_VERBS] = DATA(verbs),
	[T_HOOKS] = DATA(hooks),
	[T_INTERPRETERS] = DATA(interpreters),
	[T_PRODUCTS] = DATA(products),
	[T_CACHES] = DATA(caches),
	[T_HIDDEN] = DATA(hidden),
	[T_DESTRUCTION] = DATA(destruction),
	[T_CODE] = DATA(code),
	[T_VARIABLES] = DATA(variables),
	[T_TEXTUAL] = DATA(textual),
	[T_SERVICES] = DATA(services),
	[T_REMOTES] = DATA(remotes),
};

/* Rows are sorted by their key, bytewise. */
const char *const *const *table_find(enum table t, const char *key, size_t *n)
{
	const struct data *d = &tables[t];
	size_t lo = 0, hi = d->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (strcmp(d->rows[mid][0], key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (*n = 0; lo + *n < d->n && !strcmp(d->rows[lo + *n][0], key); ++*n)
		;
	return *n ? d->rows + lo : NULL;
}

const char *const *const *table_all(enum table t, size_t *n)
{
	*n = tables[t].n;
	return tables[t].rows;
}

const char *const *table_row(enum table t, const char *key)
{
	size_t n;
	const char *const *const *rows = table_find(t, key, &n);

	return rows ? rows[0] : NULL;
}
