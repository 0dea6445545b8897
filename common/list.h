/*
 * list.h: intrusive doubly linked lists with a head, as in the kernel.
 * Not thread safe; the owner of the head says which lock guards it.
 */
#ifndef COMMON_LIST_H
#define COMMON_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list {
	struct list *next, *prev;
};

#define container_of(p, type, member) ((type *)((char *)(p)-offsetof(type, member)))
#define LIST_INIT(l)       \
	{                  \
		&(l), &(l) \
	}

static inline void list_init(struct list *l)
{
	l->next = l->prev = l;
}

static inline bool list_empty(const struct list *l)
{
	return l->next == l;
}

static inline void list_add_(struct list *n, struct list *prev, struct list *next)
{
	n->prev = prev;
	n->next = next;
	prev->next = n;
	next->prev = n;
}

/** list_add(n, head): insert @n first. */
static inline void list_add(struct list *n, struct list *head)
{
	list_add_(n, head, head->next);
}

/** list_add_tail(n, head): insert @n last. */
static inline void list_add_tail(struct list *n, struct list *head)
{
	list_add_(n, head->prev, head);
}

/** list_del(n): take @n out; @n may be taken out again (no effect). */
static inline void list_del(struct list *n)
{
	n->prev->next = n->next;
	n->next->prev = n->prev;
	list_init(n);
}

/** list_splice(from, head): move all of @from to the end of @head. */
static inline void list_splice(struct list *from, struct list *head)
{
	if (list_empty(from))
		return;
	from->next->prev = head->prev;
	head->prev->next = from->next;
	from->prev->next = head;
	head->prev = from->prev;
	list_init(from);
}

#define list_entry(p, type, member) container_of(p, type, member)
#define list_first(head, type, member) list_entry((head)->next, type, member)
#define list_last(head, type, member) list_entry((head)->prev, type, member)

#define list_for_each(it, head, member)                              \
	for (it = list_entry((head)->next, __typeof__(*it), member); \
		&it->member != (head);                               \
		it = list_entry(it->member.next, __typeof__(*it), member))

#define list_for_each_safe(it, tmp, head, member)                       \
	for (it = list_entry((head)->next, __typeof__(*it), member),    \
	    tmp = list_entry(it->member.next, __typeof__(*it), member); \
		&it->member != (head);                                  \
		it = tmp, tmp = list_entry(tmp->member.next, __typeof__(*it), member))

#endif
