/*
 * provider.c: what all providers share.
 */
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/provider.h"

void provider_reply_free(struct provider_reply *r)
{
	free(r->text);
	free(r->command);
	free(r->call_id);
	free(r->unread);
	memset(r, 0, sizeof *r);
}

void provider_close(struct provider *p)
{
	if (p)
		p->ops->close(p);
}
