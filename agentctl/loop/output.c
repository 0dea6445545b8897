/*
 * output.c: what a command printed, bounded.
 */
#include <stdio.h>
#include <string.h>
#include "agentctl/loop/output.h"

void output_collect(void *arg, int stream, const char *data, size_t n)
{
	struct output *o = arg;
	size_t take = OUTPUT_HEAD - o->n_head;

	if (take > n)
		take = n;
	memcpy(o->head + o->n_head, data, take);
	o->n_head += take;
	for (size_t i = take; i < n; i++)
		o->tail[o->n_tail++ % OUTPUT_TAIL] = data[i];
}

char *output_text(const struct output *o, const char *first)
{
	size_t kept = o->n_tail < OUTPUT_TAIL ? (size_t)o->n_tail : OUTPUT_TAIL;
	unsigned long long lost = o->n_tail - kept;
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	if (first)
		fprintf(f, "%s\n", first);
	fwrite(o->head, 1, o->n_head, f);
	if (lost)
		fprintf(f, "\n[%llu bytes left out]\n", lost);
	for (size_t i = 0; i < kept; i++)
		fputc(o->tail[(lost + i) % OUTPUT_TAIL], f);
	if (fclose(f) != 0)
		return NULL;
	for (size_t i = 0; i < n; i++)
		text[i] = text[i] ? text[i] : ' ';
	return text;
}
