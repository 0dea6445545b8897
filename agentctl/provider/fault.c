/*
 * fault.c: one line about what went wrong, whatever a server put into it.
 */
#include <stdarg.h>
#include <stdio.h>
#include "agentctl/provider/fault.h"

void fault_set(struct fault *f, enum fault_kind kind, const char *format, ...)
{
	va_list ap;

	f->kind = kind;
	va_start(ap, format);
	vsnprintf(f->text, sizeof f->text, format, ap);
	va_end(ap);
	for (char *p = f->text; *p; p++) {
		if ((unsigned char)*p < ' ' || *p == 127)
			*p = ' ';
	}
}
