/*
 * arena.c: memory of one reading: handed out in pieces, given back at once, bounded;
 * and the limits on work, which leave the reading by the same door.
 */
#include <stdlib.h>
#include <string.h>

#include "policyd/shell/sh.h"

const char sh_holes[8][2] = {"", "\1", "\2", "\3", "\4", "\5", "\6", "\7"};

struct chunk {
	struct chunk *next;
	size_t used, size;
	max_align_t data[];
};

_Noreturn void sh_stop(struct sh *sh, const char *why)
{
	sh->why = why;
	longjmp(*sh->out, 1);
}

void sh_step(struct sh *sh)
{
	if (++sh->steps > MAX_STEPS)
		sh_stop(sh, "it needs more work than is allowed for one command");
}

void *sh_alloc(struct sh *sh, size_t n)
{
	struct chunk *c = sh->chunks;
	void *p;

	n = (n + sizeof(max_align_t) - 1) & ~(sizeof(max_align_t) - 1);
	if (!c || c->size - c->used < n) {
		size_t size = n > 8192 ? n : c ? 65536 : 16384;

		if (sh->arena_bytes + size > MAX_ARENA)
			sh_stop(sh,
				"it needs more memory than is allowed for one command");
		if (!(c = malloc(sizeof(*c) + size)))
			sh_stop(sh, "out of memory");
		*c = (struct chunk){.next = sh->chunks, .size = size};
		if (n > 8192 && sh->chunks) { /* keep the room in the newest chunk */
			c->next = sh->chunks->next;
			sh->chunks->next = c;
		} else {
			sh->chunks = c;
		}
		sh->arena_bytes += size;
	}
	p = (char *)c->data + c->used;
	c->used += n;
	return memset(p, 0, n);
}

void sh_free_arena(struct sh *sh)
{
	struct chunk *next;

	for (struct chunk *c = sh->chunks; c; c = next) {
		next = c->next;
		free(c);
	}
	sh->chunks = NULL;
}

void *sh_grow(struct sh *sh, void *p, size_t n, size_t *cap, size_t size)
{
	void *q;

	if (n < *cap)
		return p;
	*cap = *cap ? *cap * 2 : 8;
	q = sh_alloc(sh, *cap * size);
	if (n)
		memcpy(q, p, n * size);
	return q;
}

char *sh_strn(struct sh *sh, const char *s, size_t n)
{
	char *p = sh_alloc(sh, n + 1);

	memcpy(p, s, n);
	return p;
}

char *sh_str(struct sh *sh, const char *s)
{
	return sh_strn(sh, s, strlen(s));
}

char *sh_cat3(struct sh *sh, const char *a, const char *b, const char *c)
{
	size_t la = strlen(a), lb = strlen(b), lc = strlen(c);
	char *p = sh_alloc(sh, la + lb + lc + 1);

	memcpy(p, a, la);
	memcpy(p + la, b, lb);
	memcpy(p + la + lb, c, lc);
	return p;
}

char *sh_cat(struct sh *sh, const char *a, const char *b)
{
	return sh_cat3(sh, a, b, "");
}

void buf_add(struct sh *sh, struct buf *b, const char *s, size_t n)
{
	if (b->cap - b->n < n + 1) {
		size_t cap = b->cap ? b->cap * 2 : 64;
		char *p;

		while (cap - b->n < n + 1)
			cap *= 2;
		p = sh_alloc(sh, cap);
		if (b->n)
			memcpy(p, b->s, b->n);
		b->s = p;
		b->cap = cap;
	}
	if (n)
		memcpy(b->s + b->n, s, n);
	b->n += n;
	b->s[b->n] = '\0';
}

void buf_c(struct sh *sh, struct buf *b, char c)
{
	buf_add(sh, b, &c, 1);
}

char *buf_str(struct sh *sh, struct buf *b)
{
	buf_add(sh, b, "", 0);
	return b->s;
}

bool has_hole(const char *s)
{
	for (; *s; s++)
		if (is_hole(*s))
			return true;
	return false;
}

bool has_any(const char *s)
{
	for (; *s; s++)
		if (is_hole(*s) && *s > SHELL_NAME)
			return true;
	return false;
}

bool str_in(const char *s, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(s, *list))
			return true;
	return false;
}

bool word_in(const char *s, const char *list)
{
	size_t n = strlen(s);

	for (const char *p = n ? strstr(list, s) : NULL; p; p = strstr(p + 1, s))
		if ((p == list || p[-1] == ' ') && (p[n] == ' ' || !p[n]))
			return true;
	return false;
}
