/*
 * notify.c: telling the kernel what it must forget. Never from a worker.
 */
#include "fs/fuse/impl.h"

#define MANY_NAMES \
	1000 /* from here on one new epoch is cheaper, where the kernel has it */

static void forget_names(struct serve *s, const struct inval *i)
{
	if ((i->entries > MANY_NAMES || i->all) && s->epochs) {
		if (!raw_inc_epoch(s))
			return;
		s->epochs = false;
	}
	for (size_t k = 0; k < i->entries; k++)
		fuse_lowlevel_notify_inval_entry(s->se, i->entry[k].parent,
			i->entry[k].name, strlen(i->entry[k].name));
}

void notify_invalidate(void *serve, const struct inval *i)
{
	struct serve *s = serve;

	forget_names(s, i);
	for (size_t k = 0; k < i->inodes; k++)
		fuse_lowlevel_notify_inval_inode(s->se, i->inode[k], 0, 0);
}
