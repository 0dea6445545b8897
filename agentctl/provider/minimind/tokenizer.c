/*
 * tokenizer.c: text into token ids and back, as a tokenizer.json says.
 *
 * Names of tokens are written in GPT-2's alphabet: each byte is one character, itself
 * where it can be seen, else one from U+0100 on in order. All strings lie in one blob;
 * looking one up is a search in a sorted list, which no file can make slow.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/minimind/bpe.h"
#include "agentctl/provider/minimind/jtext.h"
#include "agentctl/provider/minimind/shape.h"
#include "agentctl/provider/minimind/split.h"
#include "agentctl/provider/minimind/tokenizer.h"
#include "agentctl/provider/minimind/unicode.h"
#include "common/cleanup.h"
#include "common/mem.h"

enum { NONE = UINT32_MAX, ADDED_MAX = 4096 };

struct text {
	const char *p;
	uint32_t n;
};

struct named {
	struct text name; /* as written, in the alphabet */
	uint32_t id;
};

struct token {
	struct text bytes;
	bool there, special;
};

struct added {
	struct text content;
	uint32_t id;
	bool late; /* "normalized": cut out of what the others leave */
};

struct tokenizer {
	char *blob;
	size_t blob_used;
	struct token *tokens;
	uint32_t size;
	struct named *names; /* sorted */
	size_t n_names;
	struct bpe bpe;
	struct added *added; /* sorted by first byte, then longest first */
	size_t n_added;
	uint32_t first[257];	/* where in added a first byte begins */
	uint32_t byte_ids[256]; /* NONE: left out, as the reference does */
	bool whole_words;	/* ignore_merges */
};

/* --- the alphabet ---------------------------------------------------------------------
 */

static bool visible(uint32_t b)
{
	return (b >= '!' && b <= '~') || (b >= 0xa1 && b <= 0xac) || b >= 0xae;
}

/* The byte that a character of the alphabet stands for, -1 if it is none of it. */
static int byte_of(uint32_t c)
{
	uint32_t next = 0x100;

	if (c < 0x100)
		return visible(c) ? (int)c : -1;
	if (c >= 0x144)
		return -1;
	for (uint32_t b = 0; b < 0x100; b++)
		if (!visible(b) && next++ == c)
			return (int)b;
	return -1;
}

/* Bytes of a name in the alphabet into @out of as many bytes; a name that has other
 * characters stands for itself. */
static uint32_t spell(struct text name, char *out)
{
	uint32_t at = 0, n = 0, c;
	int used, b;

	while (at < name.n) {
		used = unicode_next(name.p + at, name.n - at, &c);
		b = used > 0 ? byte_of(c) : -1;
		if (b < 0) {
			memcpy(out, name.p, name.n);
			return name.n;
		}
		out[n++] = (char)b;
		at += (uint32_t)used;
	}
	return n;
}

/* --- reading --------------------------------------------------------------------------
 */

static int compare(struct text a, struct text b)
{
	int c = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);

	return c ? c : a.n < b.n ? -1 : a.n > b.n;
}

static int by_name(const void *a, const void *b)
{
	return compare(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static uint32_t id_of(const struct tokenizer *t, struct text name)
{
	struct named key = {name, 0}, *found;

	found = t->n_names ? bsearch(&key, t->names, t->n_names, sizeof key, by_name)
			   : NULL;
	return found ? found->id : NONE;
}

/* A string of the document, copied into the blob. */
static struct text keep(struct tokenizer *t, const struct jtext *d, uint32_t node)
{
	struct text out = {t->blob + t->blob_used, 0};

	out.n = (uint32_t)jtext_string(d, node, t->blob + t->blob_used);
	t->blob_used += out.n;
	return out;
}

static int bad(struct why *why, const char *what)
{
	return why_set(why, -EINVAL, "tokenizer: %s", what);
}

/* Make room for ids up to @id. */
static int grow(struct tokenizer *t, uint64_t id, struct why *why)
{
	struct token *more;
	uint32_t size = (uint32_t)id + 1;

	if (id >= SHAPE_VOCAB_MAX)
		return bad(why, "a token's id is out of bounds");
	if (size <= t->size)
		return 0;
	more = realloc(t->tokens, size * sizeof *more);
	if (!more)
		return why_set(why, -ENOMEM, "out of memory");
	memset(more + t->size, 0, (size - t->size) * sizeof *more);
	t->tokens = more;
	t->size = size;
	return 0;
}

static uint64_t largest_id(const struct jtext *d, uint32_t vocab)
{
	uint64_t id, most = 0;

	for (uint32_t i = jtext_first(d, vocab); i < jtext_end(d, vocab);
		i = jtext_next(d, i + 1))
		if (!jtext_uint(d, i + 1, &id))
			return UINT64_MAX;
		else if (id > most)
			most = id;
	return most;
}

static int read_vocab(
	struct tokenizer *t, const struct jtext *d, uint32_t vocab, struct why *why)
{
	uint64_t id;
	int r;

	if (!vocab || jtext_kind(d, vocab) != JTEXT_OBJECT || jtext_count(d, vocab) == 0)
		return bad(why, "has no vocab");
	r = grow(t, largest_id(d, vocab), why);
	if (r != 0)
		return r;
	t->names = mem_alloc(jtext_count(d, vocab) / 2 * sizeof *t->names);
	if (!t->names)
		return why_set(why, -ENOMEM, "out of memory");
	for (uint32_t i = jtext_first(d, vocab); i < jtext_end(d, vocab);
		i = jtext_next(d, i + 1)) {
		struct text name = keep(t, d, i);
		struct token *k;

		if (!jtext_uint(d, i + 1, &id))
			return bad(why, "a token has no id");
		k = &t->tokens[id];
		if (k->there)
			return bad(why, "an id is there twice");
		k->there = true;
		k->bytes.p = t->blob + t->blob_used;
		k->bytes.n = spell(name, t->blob + t->blob_used);
		t->blob_used += k->bytes.n;
		t->names[t->n_names++] = (struct named){name, (uint32_t)id};
	}
	qsort(t->names, t->n_names, sizeof *t->names, by_name);
	return 0;
}

/* The two names of a merge, written as "a b" or ["a", "b"], behind each other. */
static bool merge_names(struct tokenizer *t, const struct jtext *d, uint32_t node,
	struct text *left, struct text *right, struct text *both)
{
	uint32_t first = jtext_first(d, node);
	char *space;

	if (jtext_kind(d, node) == JTEXT_ARRAY) {
		if (jtext_count(d, node) != 2 || jtext_kind(d, first) != JTEXT_STRING ||
			jtext_kind(d, jtext_next(d, first)) != JTEXT_STRING)
			return false;
		*left = keep(t, d, first);
		*right = keep(t, d, jtext_next(d, first));
		*both = (struct text){left->p, left->n + right->n};
		return true;
	}
	if (jtext_kind(d, node) != JTEXT_STRING)
		return false;
	*both = keep(t, d, node);
	space = memchr(both->p, ' ', both->n);
	if (!space)
		return false;
	*left = (struct text){both->p, (uint32_t)(space - both->p)};
	memmove(space, space + 1, both->n - left->n - 1);
	both->n--;
	*right = (struct text){space, both->n - left->n};
	return true;
}

static int read_merges(
	struct tokenizer *t, const struct jtext *d, uint32_t merges, struct why *why)
{
	struct text left, right, both;
	uint32_t l, r, joined;
	size_t keep_to;

	if (!merges || jtext_kind(d, merges) != JTEXT_ARRAY)
		return bad(why, "has no merges");
	t->bpe.merges = mem_alloc((jtext_count(d, merges) + 1) * sizeof *t->bpe.merges);
	if (!t->bpe.merges)
		return why_set(why, -ENOMEM, "out of memory");
	for (uint32_t i = jtext_first(d, merges); i < jtext_end(d, merges);
		i = jtext_next(d, i)) {
		keep_to = t->blob_used;
		if (!merge_names(t, d, i, &left, &right, &both))
			return bad(why, "a merge is no pair");
		l = id_of(t, left);
		r = id_of(t, right);
		joined = id_of(t, both);
		t->blob_used = keep_to;
		if (l == NONE || r == NONE || joined == NONE)
			return bad(why, "a merge names a token that is not there");
		t->bpe.merges[t->bpe.n] =
			(struct merge){(uint64_t)l << 32 | r, (uint32_t)t->bpe.n, joined};
		t->bpe.n++;
	}
	bpe_sort(&t->bpe);
	return 0;
}

static bool is_true(const struct jtext *d, uint32_t object, const char *key)
{
	uint32_t v = jtext_get(d, object, key);

	return v && jtext_kind(d, v) == JTEXT_TRUE;
}

static int read_added_token(
	struct tokenizer *t, const struct jtext *d, uint32_t o, struct why *why)
{
	uint32_t content = jtext_get(d, o, "content"), node = jtext_get(d, o, "id");
	struct added *a = &t->added[t->n_added];
	uint64_t id;
	int r;

	if (!content || jtext_kind(d, content) != JTEXT_STRING || !node ||
		!jtext_uint(d, node, &id))
		return bad(why, "an added token is not described");
	if (is_true(d, o, "single_word") || is_true(d, o, "lstrip") ||
		is_true(d, o, "rstrip"))
		return bad(why, "single_word, lstrip and rstrip are not supported");
	r = grow(t, id, why);
	if (r != 0)
		return r;
	a->content = keep(t, d, content);
	a->id = (uint32_t)id;
	a->late = is_true(d, o, "normalized");
	t->tokens[id] = (struct token){a->content, true, is_true(d, o, "special")};
	if (a->content.n > 0)
		t->n_added++;
	return 0;
}

static int by_first_then_long(const void *x, const void *y)
{
	const struct added *a = x, *b = y;
	uint8_t c = (uint8_t)a->content.p[0], d = (uint8_t)b->content.p[0];

	if (c != d)
		return c < d ? -1 : 1;
	if (a->content.n != b->content.n)
		return a->content.n > b->content.n ? -1 : 1;
	return memcmp(a->content.p, b->content.p, a->content.n);
}

static int read_added(
	struct tokenizer *t, const struct jtext *d, uint32_t list, struct why *why)
{
	size_t n = list ? jtext_count(d, list) : 0, at = 0;
	int r;

	if (n > 0 && jtext_kind(d, list) != JTEXT_ARRAY)
		return bad(why, "added_tokens is no list");
	if (n > ADDED_MAX)
		return bad(why, "there are too many added tokens");
	t->added = mem_alloc((n + 1) * sizeof *t->added);
	if (!t->added)
		return why_set(why, -ENOMEM, "out of memory");
	for (uint32_t i = n ? jtext_first(d, list) : 0; n && i < jtext_end(d, list);
		i = jtext_next(d, i)) {
		r = read_added_token(t, d, i, why);
		if (r != 0)
			return r;
	}
	if (t->n_added > 0)
		qsort(t->added, t->n_added, sizeof *t->added, by_first_then_long);
	for (uint32_t b = 0; b <= 256; b++) {
		while (at < t->n_added && (uint8_t)t->added[at].content.p[0] < b)
			at++;
		t->first[b] = (uint32_t)(b == 256 ? t->n_added : at);
	}
	return 0;
}

static bool absent(const struct jtext *d, uint32_t object, const char *key)
{
	uint32_t v = jtext_get(d, object, key);

	return !v || jtext_kind(d, v) == JTEXT_NULL;
}

static bool empty(const struct jtext *d, uint32_t object, const char *key)
{
	return absent(d, object, key) || jtext_is(d, jtext_get(d, object, key), "");
}

/* Refuse what would make other tokens than this file's code does. */
static int check_kind(const struct jtext *d, uint32_t model, struct why *why)
{
	uint32_t split = jtext_get(d, 0, "pre_tokenizer");
	uint32_t regex = split ? jtext_get(d, split, "use_regex") : 0;
	uint32_t prefix = split ? jtext_get(d, split, "add_prefix_space") : 0;
	uint32_t type = model ? jtext_get(d, model, "type") : 0;

	if (!model || jtext_kind(d, model) != JTEXT_OBJECT ||
		(type && !jtext_is(d, type, "BPE")))
		return bad(why, "is not BPE");
	if (!absent(d, 0, "normalizer"))
		return bad(why, "a normalizer is not supported");
	if (!split || jtext_kind(d, split) != JTEXT_OBJECT ||
		!jtext_get(d, split, "type") ||
		!jtext_is(d, jtext_get(d, split, "type"), "ByteLevel") ||
		(regex && jtext_kind(d, regex) != JTEXT_TRUE) || !prefix ||
		jtext_kind(d, prefix) != JTEXT_FALSE)
		return bad(why, "the split is not GPT-2's without a space before");
	if (!empty(d, model, "continuing_subword_prefix") ||
		!empty(d, model, "end_of_word_suffix") || !absent(d, model, "dropout"))
		return bad(why, "prefix, suffix and dropout are not supported");
	return 0;
}

static void find_bytes(struct tokenizer *t, uint32_t unknown)
{
	char name[4];
	uint32_t next = 0x100;

	for (uint32_t b = 0; b < 256; b++) {
		size_t n = unicode_put(visible(b) ? b : next++, name);
		uint32_t id = id_of(t, (struct text){name, (uint32_t)n});

		t->byte_ids[b] = id == NONE ? unknown : id;
	}
}

static int read_all(struct tokenizer *t, const struct jtext *d, struct why *why)
{
	uint32_t model = jtext_get(d, 0, "model"), unknown;
	struct text name;
	int r = check_kind(d, model, why);

	if (r == 0)
		r = read_vocab(t, d, jtext_get(d, model, "vocab"), why);
	if (r == 0)
		r = read_merges(t, d, jtext_get(d, model, "merges"), why);
	if (r == 0)
		r = read_added(t, d, jtext_get(d, 0, "added_tokens"), why);
	if (r != 0)
		return r;
	t->whole_words = is_true(d, model, "ignore_merges");
	unknown = jtext_get(d, model, "unk_token");
	if (!unknown || jtext_kind(d, unknown) != JTEXT_STRING) {
		find_bytes(t, NONE);
		return 0;
	}
	name = keep(t, d, unknown);
	find_bytes(t, id_of(t, name));
	return 0;
}

int tokenizer_read(struct tokenizer **out, const char *text, size_t size, struct why *why)
{
	struct tokenizer *t = mem_zalloc(sizeof *t);
	struct jtext d = {0};
	int r;

	*out = NULL;
	if (!t)
		return why_set(why, -ENOMEM, "out of memory");
	r = jtext_parse(&d, text, size, "tokenizer.json", why);
	if (r == 0) {
		/* names as written and spelt, neither longer than in the text */
		t->blob = mem_alloc(2 * size + 1);
		r = t->blob ? read_all(t, &d, why)
			    : why_set(why, -ENOMEM, "out of memory");
	}
	jtext_free(&d);
	if (r != 0) {
		tokenizer_free(t);
		return r;
	}
	*out = t;
	return 0;
}

void tokenizer_free(struct tokenizer *t)
{
	if (!t)
		return;
	free(t->blob);
	free(t->tokens);
	free(t->names);
	free(t->bpe.merges);
	free(t->added);
	free(t);
}

/* --- encoding -------------------------------------------------------------------------
 */

struct encoder {
	const struct tokenizer *t;
	char *text; /* all parts, what is no UTF-8 replaced */
	size_t n;
	char *markup; /* for each byte of text, 1 or 0 */
	uint32_t *ids;
	size_t n_ids, cap;
	struct bpe_room room;
};

static int reserve(struct encoder *e, size_t more)
{
	size_t cap = e->n_ids + more;
	uint32_t *ids;

	if (cap <= e->cap)
		return 0;
	cap += cap / 2 + 64;
	ids = realloc(e->ids, cap * sizeof *ids);
	if (!ids)
		return -ENOMEM;
	e->ids = ids;
	e->cap = cap;
	return 0;
}

static int encode_piece(struct encoder *e, const char *p, size_t n)
{
	size_t from = e->n_ids;
	long left;
	int r = reserve(e, n);

	if (r != 0)
		return r;
	for (size_t i = 0; i < n; i++)
		if (e->t->byte_ids[(uint8_t)p[i]] != NONE)
			e->ids[e->n_ids++] = e->t->byte_ids[(uint8_t)p[i]];
	left = bpe_join(&e->t->bpe, &e->room, e->ids + from, e->n_ids - from);
	if (left < 0)
		return (int)left;
	e->n_ids = from + (size_t)left;
	return 0;
}

/* A piece that is a token as a whole, where the file says that this comes first. */
static uint32_t whole_word(const struct tokenizer *t, const char *p, size_t n)
{
	char name[256];
	uint32_t used = 0, next;

	if (!t->whole_words || n > sizeof name / 2)
		return NONE;
	for (size_t i = 0; i < n; i++) {
		uint32_t b = (uint8_t)p[i];

		next = 0x100;
		for (uint32_t c = 0; c < b && !visible(b); c++)
			next += !visible(c);
		used += (uint32_t)unicode_put(visible(b) ? b : next, name + used);
	}
	return id_of(t, (struct text){name, used});
}

static int encode_plain(struct encoder *e, size_t from, size_t to)
{
	int r = 0;

	while (from < to && r == 0) {
		size_t n = split_next(e->text + from, to - from);
		uint32_t whole = whole_word(e->t, e->text + from, n);

		if (whole == NONE)
			r = encode_piece(e, e->text + from, n);
		else if ((r = reserve(e, 1)) == 0)
			e->ids[e->n_ids++] = whole;
		from += n;
	}
	return r;
}

/* The added token that begins at @at, the longest one; NULL if there is none. */
static const struct added *added_at(
	const struct encoder *e, size_t at, size_t to, bool late)
{
	uint8_t b = (uint8_t)e->text[at];

	for (uint32_t i = e->t->first[b]; i < e->t->first[b + 1]; i++) {
		const struct added *a = &e->t->added[i];

		if (a->late == late && a->content.n <= to - at &&
			memcmp(a->content.p, e->text + at, a->content.n) == 0 &&
			!memchr(e->markup + at, 0, a->content.n))
			return a;
	}
	return NULL;
}

static int encode_range(struct encoder *e, size_t from, size_t to, bool late)
{
	const struct added *a;
	size_t at = from;
	int r = 0;

	while (at < to && r == 0) {
		a = added_at(e, at, to, late);
		if (!a) {
			at++;
			continue;
		}
		r = late ? encode_plain(e, from, at) : encode_range(e, from, at, true);
		if (r == 0)
			r = reserve(e, 1);
		if (r == 0)
			e->ids[e->n_ids++] = a->id;
		at += a->content.n;
		from = at;
	}
	if (r != 0)
		return r;
	return late ? encode_plain(e, from, to) : encode_range(e, from, to, true);
}

/* Copy one part behind the others; each broken byte may become three. */
static void add_part(struct encoder *e, const struct minimind_text *part)
{
	size_t at = 0;
	uint32_t c;

	while (at < part->len) {
		int n = unicode_next(part->text + at, part->len - at, &c);
		size_t put = unicode_put(c, e->text + e->n);

		memset(e->markup + e->n, part->markup, put);
		e->n += put;
		at += (size_t)(n < 0 ? -n : n);
	}
}

int tokenizer_encode(const struct tokenizer *t, const struct minimind_text *parts,
	size_t n, uint32_t **ids, size_t *count)
{
	struct encoder e = {.t = t};
	auto_free char *text = NULL;
	auto_free char *markup = NULL;
	size_t room = 1;
	int r;

	*ids = NULL;
	*count = 0;
	for (size_t i = 0; i < n; i++)
		if (__builtin_add_overflow(room, parts[i].len, &room) ||
			room > SIZE_MAX / 4)
			return -EFBIG;
	e.text = text = mem_alloc(3 * room);
	e.markup = markup = mem_alloc(3 * room);
	r = text && markup ? reserve(&e, 1) : -ENOMEM;
	for (size_t i = 0; i < n && r == 0; i++)
		add_part(&e, &parts[i]);
	if (r == 0)
		r = encode_range(&e, 0, e.n, false);
	bpe_room_free(&e.room);
	if (r != 0) {
		free(e.ids);
		return r;
	}
	*ids = e.ids;
	*count = e.n_ids;
	return 0;
}

/* --- decoding -------------------------------------------------------------------------
 */

uint32_t tokenizer_size(const struct tokenizer *t)
{
	return t->size;
}

const char *tokenizer_piece(const struct tokenizer *t, uint32_t id, size_t *len)
{
	*len = id < t->size ? t->tokens[id].bytes.n : 0;
	return *len ? t->tokens[id].bytes.p : "";
}

bool tokenizer_is_special(const struct tokenizer *t, uint32_t id)
{
	return id < t->size && t->tokens[id].special;
}

uint32_t tokenizer_find(const struct tokenizer *t, const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i < t->n_added; i++)
		if (t->added[i].content.n == n &&
			memcmp(t->added[i].content.p, text, n) == 0)
			return t->added[i].id;
	return NONE;
}
