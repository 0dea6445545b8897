/*
 * inval.c: collecting what the kernel must forget, under locks, to be told without them.
 */
#include "fs/tx/impl.h"

void inval_add_entry(struct inval *i, uint64_t parent, const char *name)
{
	char *copy = strdup(name);

	if (copy && i->entries == i->entry_cap) {
		size_t cap = i->entry_cap ? i->entry_cap * 2 : 32;
		struct inval_entry *p = realloc(i->entry, cap * sizeof(*p));

		if (p) {
			i->entry = p;
			i->entry_cap = cap;
		}
	}
	if (!copy || i->entries == i->entry_cap) {
		free(copy);
		i->all = true;
		return;
	}
	i->entry[i->entries++] = (struct inval_entry){parent, copy};
}

void inval_add_inode(struct inval *i, uint64_t node)
{
	if (i->inodes == i->inode_cap) {
		size_t cap = i->inode_cap ? i->inode_cap * 2 : 32;
		uint64_t *p = realloc(i->inode, cap * sizeof(*p));

		if (!p) {
			i->all = true;
			return;
		}
		i->inode = p;
		i->inode_cap = cap;
	}
	i->inode[i->inodes++] = node;
}

void inval_send(struct txm *m, struct inval *i)
{
	if (m->h.invalidate && !m->stop && (i->entries || i->inodes || i->all))
		m->h.invalidate(m->h.arg, i);
	for (size_t k = 0; k < i->entries; k++)
		free(i->entry[k].name);
	free(i->entry);
	free(i->inode);
	*i = (struct inval){0};
}
