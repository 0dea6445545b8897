/*
 * safetensors.c: named tensors in one file or several.
 *
 * Everything the header says is checked against the size of the file before any use:
 * each tensor's bytes lie in it and are as many as type and shape make them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/minimind/jtext.h"
#include "agentctl/provider/minimind/safetensors.h"
#include "common/cleanup.h"
#include "common/mem.h"

enum { HEADER_MAX = 32 << 20, INDEX_MAX = 16 << 20, FILES_MAX = 256, NAME_MAX_ = 256 };

unsigned tensor_element_bytes(enum tensor_type type)
{
	static const unsigned bytes[] = {4, 2, 2, 1, 0};

	return bytes[type];
}

static enum tensor_type type_of(const struct jtext *d, uint32_t node)
{
	static const char *const names[] = {"F32", "F16", "BF16", "I8"};

	for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
		if (jtext_is(d, node, names[i]))
			return (enum tensor_type)i;
	return TENSOR_OTHER;
}

static int shape_of(const struct jtext *d, uint32_t node, struct tensor *t)
{
	uint64_t v;

	if (jtext_kind(d, node) != JTEXT_ARRAY)
		return -EINVAL;
	t->dims = 0;
	for (uint32_t i = jtext_first(d, node); i < jtext_end(d, node);
		i = jtext_next(d, i)) {
		if (!jtext_uint(d, i, &v))
			return -EINVAL;
		if (t->dims == 4)
			t->type = TENSOR_OTHER;
		else
			t->shape[t->dims++] = v;
	}
	return 0;
}

/* Whether type and shape make exactly t->size bytes; types not known are not asked. */
static bool size_fits(const struct tensor *t)
{
	uint64_t bytes = tensor_element_bytes(t->type);

	if (t->type == TENSOR_OTHER)
		return true;
	for (unsigned i = 0; i < t->dims; i++)
		if (__builtin_mul_overflow(bytes, t->shape[i], &bytes))
			return false;
	return bytes == t->size;
}

static int read_tensor(const struct jtext *d, uint32_t key, uint64_t data_at,
	const struct source *src, struct tensor *t, struct why *why)
{
	uint32_t o = key + 1, places = jtext_get(d, o, "data_offsets"), from;
	uint32_t dtype = jtext_get(d, o, "dtype"), shape = jtext_get(d, o, "shape");
	uint64_t begin, end;
	char name[NAME_MAX_];

	if (!jtext_name(d, key, name, sizeof name))
		return why_set(
			why, -EINVAL, "'%s' has a tensor with a bad name", src->name);
	if (!places || !dtype || !shape || jtext_kind(d, places) != JTEXT_ARRAY ||
		jtext_count(d, places) != 2)
		return why_set(why, -EINVAL, "'%s': tensor '%s' is not described",
			src->name, name);
	from = jtext_first(d, places);
	t->type = type_of(d, dtype);
	if (shape_of(d, shape, t) != 0 || !jtext_uint(d, from, &begin) ||
		!jtext_uint(d, jtext_next(d, from), &end) || begin > end ||
		end > src->size - data_at)
		return why_set(why, -EINVAL, "'%s': tensor '%s' lies outside of the file",
			src->name, name);
	t->at = data_at + begin;
	t->size = end - begin;
	if (!size_fits(t))
		return why_set(why, -EINVAL, "'%s': tensor '%s' has the wrong size",
			src->name, name);
	t->name = mem_strdup(name);
	return t->name ? 0 : why_set(why, -ENOMEM, "out of memory");
}

static int read_tensors(struct safetensors *s, const struct jtext *d, uint64_t data_at,
	unsigned file, struct why *why)
{
	struct tensor *more;
	int r;

	if (jtext_kind(d, 0) != JTEXT_OBJECT)
		return why_set(why, -EINVAL, "'%s' has no header", s->files[file].name);
	more = realloc(
		s->tensors, (s->n + jtext_count(d, 0) / 2 + 1) * sizeof *s->tensors);
	if (!more)
		return why_set(why, -ENOMEM, "out of memory");
	s->tensors = more;
	for (uint32_t i = jtext_first(d, 0); i < jtext_end(d, 0);
		i = jtext_next(d, i + 1)) {
		if (jtext_is(d, i, "__metadata__"))
			continue;
		memset(&s->tensors[s->n], 0, sizeof *s->tensors);
		s->tensors[s->n].file = file;
		r = read_tensor(d, i, data_at, &s->files[file], &s->tensors[s->n], why);
		if (r != 0)
			return r;
		s->n++;
	}
	return 0;
}

/* Read the header of the last file that was added. */
static int read_header(struct safetensors *s, struct why *why)
{
	unsigned file = s->n_files - 1;
	struct source *src = &s->files[file];
	auto_free char *text = NULL;
	uint8_t head[8];
	uint64_t len = 0;
	struct jtext d = {0};
	int r = source_read(src, 0, head, sizeof head, why);

	if (r != 0)
		return r;
	for (int i = 7; i >= 0; i--)
		len = len << 8 | head[i];
	if (len > src->size - 8 || len > HEADER_MAX)
		return why_set(why, -EINVAL, "'%s' is no safetensors file, or cut short",
			src->name);
	text = mem_alloc(len + 1);
	if (!text)
		return why_set(why, -ENOMEM, "out of memory");
	r = source_read(src, 8, text, len, why);
	if (r == 0)
		r = jtext_parse(&d, text, len, src->name, why);
	if (r == 0)
		r = read_tensors(s, &d, 8 + len, file, why);
	jtext_free(&d);
	return r;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct tensor *)a)->name, ((const struct tensor *)b)->name);
}

static int finish(struct safetensors *s, struct why *why)
{
	if (s->n > 0)
		qsort(s->tensors, s->n, sizeof *s->tensors, by_name);
	for (size_t i = 1; i < s->n; i++)
		if (strcmp(s->tensors[i - 1].name, s->tensors[i].name) == 0)
			return why_set(why, -EINVAL, "tensor '%s' is there twice",
				s->tensors[i].name);
	return 0;
}

static int add_file(
	struct safetensors *s, const char *dir, const char *name, struct why *why)
{
	struct source *more;
	int r;

	for (unsigned i = 0; i < s->n_files; i++)
		if (strcmp(s->files[i].name, name) == 0)
			return 0;
	if (s->n_files == FILES_MAX)
		return why_set(why, -EINVAL, "the model is in too many files");
	if (name[0] == 0 || strchr(name, '/') || strlen(name) >= sizeof more->name)
		return why_set(why, -EINVAL, "the index names a bad file '%s'", name);
	more = realloc(s->files, (s->n_files + 1) * sizeof *more);
	if (!more)
		return why_set(why, -ENOMEM, "out of memory");
	s->files = more;
	r = source_open(&s->files[s->n_files], dir, name, why);
	if (r != 0)
		return r;
	s->n_files++;
	return read_header(s, why);
}

static int add_indexed(
	struct safetensors *s, const char *dir, const struct jtext *d, struct why *why)
{
	uint32_t map = jtext_get(d, 0, "weight_map");
	char name[NAME_MAX_];
	int r;

	if (!map || jtext_kind(d, map) != JTEXT_OBJECT)
		return why_set(why, -EINVAL, "the index has no weight_map");
	for (uint32_t i = jtext_first(d, map); i < jtext_end(d, map);
		i = jtext_next(d, i + 1)) {
		if (!jtext_name(d, i + 1, name, sizeof name))
			return why_set(why, -EINVAL, "the index names a bad file");
		r = add_file(s, dir, name, why);
		if (r != 0)
			return r;
	}
	return 0;
}

static int open_indexed(struct safetensors *s, const char *dir, struct why *why)
{
	struct source index;
	auto_free char *text = NULL;
	struct jtext d = {0};
	int r = source_open(&index, dir, "model.safetensors.index.json", why);

	if (r != 0)
		return r;
	r = source_text(&index, INDEX_MAX, &text, why);
	if (r == 0)
		r = jtext_parse(&d, text, index.size, index.name, why);
	if (r == 0)
		r = add_indexed(s, dir, &d, why);
	jtext_free(&d);
	source_close(&index);
	return r;
}

int safetensors_open(struct safetensors *s, const char *dir, struct why *why)
{
	struct why second;
	int r;

	memset(s, 0, sizeof *s);
	r = add_file(s, dir, "model.safetensors", why);
	if (r == -ENOENT && s->n_files == 0) {
		r = open_indexed(s, dir, &second);
		if (r != -ENOENT || s->n_files > 0)
			*why = second;
	}
	if (r == 0)
		r = finish(s, why);
	if (r != 0)
		safetensors_close(s);
	return r;
}

int safetensors_memory(
	struct safetensors *s, const void *data, size_t size, struct why *why)
{
	int r;

	memset(s, 0, sizeof *s);
	s->files = mem_zalloc(sizeof *s->files);
	if (!s->files)
		return why_set(why, -ENOMEM, "out of memory");
	source_memory(&s->files[0], data, size, "model.safetensors");
	s->n_files = 1;
	r = read_header(s, why);
	if (r == 0)
		r = finish(s, why);
	if (r != 0)
		safetensors_close(s);
	return r;
}

void safetensors_close(struct safetensors *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->tensors[i].name);
	for (unsigned i = 0; i < s->n_files; i++)
		source_close(&s->files[i]);
	free(s->tensors);
	free(s->files);
	memset(s, 0, sizeof *s);
}

const struct tensor *safetensors_find(const struct safetensors *s, const char *name)
{
	struct tensor key = {.name = (char *)name};

	if (s->n == 0)
		return NULL;
	return bsearch(&key, s->tensors, s->n, sizeof *s->tensors, by_name);
}
