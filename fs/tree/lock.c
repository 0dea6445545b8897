/*
 * lock.c: the locks of several nodes, taken in any order.
 *
 * Which node lies above which changes under us, here by renames and in the base by
 * others, so no order of nodes holds for long. Therefore nobody who holds a node's lock
 * waits for another: it is tried, and where it is busy all are given up and that one is
 * waited for first.
 */
#include "fs/tree/impl.h"

static void give_up(struct locks *k)
{
	while (k->n)
		pthread_rwlock_unlock(&k->node[--k->n]->lock);
}

void locks_begin(struct locks *k)
{
	if (!k->busy)
		return;
	pthread_rwlock_wrlock(&k->busy->lock);
	k->node[k->n++] = k->busy;
}

bool locks_take(struct locks *k, struct node *n)
{
	for (int i = 0; i < k->n; i++)
		if (k->node[i] == n)
			return true;
	if (!k->n) {
		pthread_rwlock_wrlock(&n->lock);
	} else if (pthread_rwlock_trywrlock(&n->lock)) {
		struct node *was = k->busy;

		k->busy = node_get(n);
		give_up(k);
		node_put(was);
		return false;
	}
	k->node[k->n++] = n;
	return true;
}

void locks_end(struct locks *k)
{
	give_up(k);
	node_put(k->busy);
	k->busy = NULL;
}
