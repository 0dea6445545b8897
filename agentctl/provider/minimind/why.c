/*
 * why.c: the one line that says why a file was refused.
 */
#include <stdarg.h>
#include <stdio.h>
#include "agentctl/provider/minimind/why.h"

int why_set(struct why *w, int error, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(w->text, sizeof w->text, fmt, ap);
	va_end(ap);
	for (char *p = w->text; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	return error;
}
