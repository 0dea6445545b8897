/*
 * grammar.c: descriptions of tools become a grammar's program.
 *
 * Alternatives are a chain of splits. Arguments that may be left out are skipped by a
 * split as well; since the comma depends on whether one came before, there are two places
 * to go on from behind each argument.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/minimind/jtext.h"
#include "agentctl/provider/minimind/program.h"
#include "agentctl/provider/minimind/why.h"
#include "common/cleanup.h"
#include "common/mem.h"

/* A choice has as many threads as alternatives, so fewer than there may be. */
enum { CHOICE_MAX = GRAMMAR_THREADS / 2, ARGUMENTS_MAX = 64 };

struct compiler {
	struct minimind_grammar *g;
	const struct jtext *d;
	struct why *why;
	int error; /* the first one; what is written afterwards does not matter */
};

static void fail(struct compiler *c, int error, const char *what)
{
	if (c->error == 0)
		c->error = why_set(c->why, error, "tools: %s", what);
}

/* --- writing code ---------------------------------------------------------------------
 */

static uint32_t emit(struct compiler *c, enum operation op, uint32_t x, uint32_t y)
{
	struct minimind_grammar *g = c->g;

	if (g->n == g->cap) {
		uint32_t cap = g->cap ? 2 * g->cap : 64;
		struct instruction *more =
			cap <= PROGRAM_MAX ? realloc(g->code, cap * sizeof *more) : NULL;

		if (!more) {
			fail(c, cap <= PROGRAM_MAX ? -ENOMEM : -EFBIG,
				"too many of them");
			return 0;
		}
		g->code = more;
		g->cap = cap;
	}
	g->code[g->n] = (struct instruction){op, x, y};
	return g->n++;
}

static bool make_room(struct compiler *c, size_t n)
{
	struct minimind_grammar *g = c->g;
	char *more;
	uint32_t cap;

	if (n > PROGRAM_TEXT_MAX || g->text_n > PROGRAM_TEXT_MAX) {
		fail(c, -EFBIG, "too much text in them");
		return false;
	}
	if (g->text_n + n <= g->text_cap)
		return true;
	cap = (uint32_t)(2 * (g->text_n + n));
	more = realloc(g->text, cap);
	if (!more) {
		fail(c, -ENOMEM, "out of memory");
		return false;
	}
	g->text = more;
	g->text_cap = cap;
	return true;
}

static void emit_bytes(struct compiler *c, const char *text, size_t n)
{
	if (n == 0 || !make_room(c, n))
		return;
	memcpy(c->g->text + c->g->text_n, text, n);
	emit(c, OP_BYTES, c->g->text_n, (uint32_t)n);
	c->g->text_n += (uint32_t)n;
}

static void emit_text(struct compiler *c, const char *text)
{
	emit_bytes(c, text, strlen(text));
}

/* The inside of a JSON string that means @text. */
static void emit_quoted(struct compiler *c, const char *text, size_t n)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	auto_free char *out = mem_alloc(6 * n + 1);
	size_t used = 0;
	const char *f;

	if (!out) {
		fail(c, -ENOMEM, "out of memory");
		return;
	}
	for (size_t i = 0; i < n; i++) {
		f = text[i] ? strchr(from, text[i]) : NULL;
		if (f) {
			out[used++] = '\\';
			out[used++] = to[f - from];
		} else if ((uint8_t)text[i] < 0x20) {
			used += (size_t)sprintf(out + used, "\\u%04x", text[i]);
		} else {
			out[used++] = text[i];
		}
	}
	emit_bytes(c, out, used);
}

/* Alternatives: for each but the last a split before it, and a jump behind each. */
struct choice {
	uint32_t split, jumps; /* jumps: a chain through x, UINT32_MAX at its end */
};

static void choice_next(struct compiler *c, struct choice *o, bool first, bool last)
{
	if (!first) {
		o->jumps = emit(c, OP_JUMP, o->jumps, 0);
		if (c->error == 0)
			c->g->code[o->split].y = c->g->n;
	}
	if (!last) {
		o->split = emit(c, OP_SPLIT, 0, 0);
		if (c->error == 0)
			c->g->code[o->split].x = c->g->n;
	}
}

static void choice_end(struct compiler *c, const struct choice *o)
{
	uint32_t next;

	for (uint32_t j = o->jumps; c->error == 0 && j != UINT32_MAX; j = next) {
		next = c->g->code[j].x;
		c->g->code[j].x = c->g->n;
	}
}

/* --- arguments ------------------------------------------------------------------------
 */

static const struct mark {
	const char *text;
	enum operation op;
	enum span_kind kind;
} marks[] = {{"{text}", OP_TEXT, SPAN_TEXT}, {"{span}", OP_SPAN, SPAN_TEXT},
	{"{name}", OP_SPAN, SPAN_NAME}, {"{phrase}", OP_SPAN, SPAN_PHRASE},
	{"{whole}", OP_SPAN, SPAN_WHOLE}, {"{folder}", OP_SPAN, SPAN_FOLDER}};

static const struct mark *mark_at(const char *form, size_t n)
{
	for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
		size_t len = strlen(marks[i].text);

		if (n >= len && memcmp(form, marks[i].text, len) == 0)
			return &marks[i];
	}
	return NULL;
}

/* One form: plain text with marks in it. */
static void compile_form(struct compiler *c, const char *form, size_t n)
{
	size_t from = 0, at = 0;

	while (at < n) {
		const struct mark *m = mark_at(form + at, n - at);

		if (!m) {
			at++;
			continue;
		}
		emit_quoted(c, form + from, at - from);
		emit(c, m->op, 0, m->kind);
		from = at += strlen(m->text);
	}
	emit_quoted(c, form + from, n - from);
}

static void compile_forms(struct compiler *c, uint32_t list)
{
	size_t n = jtext_count(c->d, list), i = 0;
	struct choice o = {0, UINT32_MAX};

	for (uint32_t k = jtext_first(c->d, list); k < jtext_end(c->d, list);
		k = jtext_next(c->d, k), i++) {
		auto_free char *form = mem_alloc(c->d->nodes[k].len + 1);

		if (!form || jtext_kind(c->d, k) != JTEXT_STRING) {
			fail(c, form ? -EINVAL : -ENOMEM, "a form is no string");
			return;
		}
		choice_next(c, &o, i == 0, i + 1 == n);
		compile_form(c, form, jtext_string(c->d, k, form));
	}
	choice_end(c, &o);
}

static void compile_enum(struct compiler *c, uint32_t list)
{
	size_t n = jtext_count(c->d, list), i = 0;
	struct choice o = {0, UINT32_MAX};

	for (uint32_t k = jtext_first(c->d, list); k < jtext_end(c->d, list);
		k = jtext_next(c->d, k), i++) {
		const struct jtext_node *node = &c->d->nodes[k];
		auto_free char *text = mem_alloc(node->len + 1);

		if (!text || node->kind > JTEXT_STRING) {
			fail(c, text ? -EINVAL : -ENOMEM,
				"an enum holds more than values");
			return;
		}
		choice_next(c, &o, i == 0, i + 1 == n);
		if (node->kind != JTEXT_STRING) {
			emit_bytes(c, c->d->text + node->at, node->len);
			continue;
		}
		emit_text(c, "\"");
		emit_quoted(c, text, jtext_string(c->d, k, text));
		emit_text(c, "\"");
	}
	choice_end(c, &o);
}

static void compile_words(struct compiler *c, const char *a, const char *b)
{
	struct choice o = {0, UINT32_MAX};

	choice_next(c, &o, true, false);
	emit_text(c, a);
	choice_next(c, &o, false, true);
	emit_text(c, b);
	choice_end(c, &o);
}

/* Whether there is no list, or one of not too many. */
static bool is_choice(const struct compiler *c, uint32_t node)
{
	size_t n = node ? jtext_count(c->d, node) : 0;

	return !node ||
	       (jtext_kind(c->d, node) == JTEXT_ARRAY && n > 0 && n <= CHOICE_MAX);
}

static void compile_value(struct compiler *c, uint32_t schema)
{
	uint32_t type = jtext_get(c->d, schema, "type");
	uint32_t values = jtext_get(c->d, schema, "enum");
	uint32_t forms = jtext_get(c->d, schema, "x-forms");

	if (!is_choice(c, values) || !is_choice(c, forms)) {
		fail(c, -EINVAL, "enum and x-forms are lists of 1 to 128");
	} else if (values) {
		compile_enum(c, values);
	} else if (forms || (type && jtext_is(c->d, type, "string"))) {
		emit_text(c, "\"");
		if (forms)
			compile_forms(c, forms);
		else
			emit(c, OP_TEXT, 0, 0);
		emit_text(c, "\"");
	} else if (type && jtext_is(c->d, type, "integer")) {
		emit(c, OP_INTEGER, 0, 0);
	} else if (type && jtext_is(c->d, type, "number")) {
		emit(c, OP_NUMBER, 0, 0);
	} else if (type && jtext_is(c->d, type, "boolean")) {
		compile_words(c, "true", "false");
	} else if (type && jtext_is(c->d, type, "null")) {
		emit_text(c, "null");
	} else {
		emit(c, OP_VALUE, 0, 0);
	}
}

static bool is_required(const struct compiler *c, uint32_t schema, const char *name)
{
	uint32_t list = jtext_get(c->d, schema, "required");

	if (!list || jtext_kind(c->d, list) != JTEXT_ARRAY)
		return false;
	for (uint32_t k = jtext_first(c->d, list); k < jtext_end(c->d, list);
		k = jtext_next(c->d, k))
		if (jtext_is(c->d, k, name))
			return true;
	return false;
}

/* Where code goes on behind an argument: [0] none has been written, [1] one has. What is
 * not there yet is a chain of jumps. */
struct ways {
	uint32_t jumps[2];
};

static void go_on(struct compiler *c, struct ways *w, int written)
{
	w->jumps[written] = emit(c, OP_JUMP, w->jumps[written], 0);
}

static void land(struct compiler *c, uint32_t jumps)
{
	const struct choice o = {0, jumps};

	choice_end(c, &o);
}

static void compile_argument(struct compiler *c, uint32_t key, bool required,
	const struct ways *in, struct ways *out)
{
	char name[64];

	if (!jtext_name(c->d, key, name, sizeof name)) {
		fail(c, -EINVAL, "an argument has a bad name");
		return;
	}
	for (int written = 0; written < 2; written++) {
		uint32_t split;

		if (in->jumps[written] == UINT32_MAX)
			continue;
		land(c, in->jumps[written]);
		if (!required) {
			split = emit(c, OP_SPLIT, 0, 0);
			go_on(c, out, written);
			if (c->error == 0) {
				c->g->code[split].x = c->g->n;
				c->g->code[split].y = split + 1;
			}
		}
		emit_text(c, written ? ", \"" : "\"");
		emit_quoted(c, name, strlen(name));
		emit_text(c, "\": ");
		compile_value(c, key + 1);
		go_on(c, out, 1);
	}
}

static void compile_arguments(struct compiler *c, uint32_t schema)
{
	uint32_t list = schema ? jtext_get(c->d, schema, "properties") : 0;
	struct ways in = {{UINT32_MAX, UINT32_MAX}}, out;
	char name[64];

	go_on(c, &in, 0);
	if (list && jtext_count(c->d, list) > 2 * ARGUMENTS_MAX)
		fail(c, -EFBIG, "too many arguments");
	if (list && jtext_kind(c->d, list) != JTEXT_OBJECT)
		fail(c, -EINVAL, "properties is no object");
	for (uint32_t k = list ? jtext_first(c->d, list) : 0;
		c->error == 0 && list && k < jtext_end(c->d, list);
		k = jtext_next(c->d, k + 1)) {
		bool required = jtext_name(c->d, k, name, sizeof name) &&
				is_required(c, schema, name);

		out = (struct ways){{UINT32_MAX, UINT32_MAX}};
		compile_argument(c, k, required, &in, &out);
		in = out;
	}
	land(c, in.jumps[0]);
	land(c, in.jumps[1]);
}

static void compile_tool(struct compiler *c, uint32_t tool)
{
	uint32_t inner = jtext_get(c->d, tool, "function"), name;
	auto_free char *text = NULL;

	if (inner)
		tool = inner;
	name = jtext_get(c->d, tool, "name");
	if (!name || jtext_kind(c->d, name) != JTEXT_STRING) {
		fail(c, -EINVAL, "a tool has no name");
		return;
	}
	text = mem_alloc(c->d->nodes[name].len + 1);
	if (!text) {
		fail(c, -ENOMEM, "out of memory");
		return;
	}
	emit_quoted(c, text, jtext_string(c->d, name, text));
	emit_text(c, "\", \"arguments\": {");
	compile_arguments(c, jtext_get(c->d, tool, "parameters"));
}

static void compile(struct compiler *c, const char *after)
{
	size_t n = jtext_count(c->d, 0), i = 0;
	struct choice o = {0, UINT32_MAX};

	if (jtext_kind(c->d, 0) != JTEXT_ARRAY || n == 0 || n > CHOICE_MAX) {
		fail(c, -EINVAL, "want a list of some of them");
		return;
	}
	emit_text(c, "{\"name\": \"");
	for (uint32_t k = jtext_first(c->d, 0); k < jtext_end(c->d, 0) && c->error == 0;
		k = jtext_next(c->d, k), i++) {
		choice_next(c, &o, i == 0, i + 1 == n);
		compile_tool(c, k);
	}
	choice_end(c, &o);
	emit_text(c, "}}");
	if (after)
		emit_text(c, after);
	emit(c, OP_MATCH, 0, 0);
}

/* --- opening --------------------------------------------------------------------------
 */

static int open_all(struct minimind_grammar *g, const struct minimind_grammar_options *o,
	struct why *why)
{
	struct jtext d = {0};
	struct compiler c = {.g = g, .d = &d, .why = why};
	int r;

	if (o->trigger) {
		g->trigger_n = (uint32_t)strlen(o->trigger);
		if (g->trigger_n >= TRIGGER_MAX)
			return why_set(why, -EFBIG, "the trigger is too long");
		memcpy(g->trigger, o->trigger, g->trigger_n);
	}
	r = spans_open(&g->spans, o->spans, o->n_spans);
	if (r != 0)
		return why_set(why, r, "spans: %s", strerror(-r));
	if (o->tools.size > PROGRAM_TEXT_MAX)
		return why_set(why, -EFBIG, "tools: too long");
	r = jtext_parse(&d, o->tools.data, o->tools.size, "tools", why);
	if (r == 0) {
		compile(&c, o->after);
		r = c.error;
	}
	jtext_free(&d);
	return r;
}

int minimind_grammar_open(struct minimind_grammar **out,
	const struct minimind_grammar_options *options, char *message, size_t size)
{
	struct minimind_grammar *g = mem_zalloc(sizeof *g);
	struct why why = {""};
	int r;

	*out = NULL;
	r = g ? open_all(g, options, &why) : why_set(&why, -ENOMEM, "out of memory");
	snprintf(message, size, "%s", why.text);
	if (r != 0) {
		minimind_grammar_close(g);
		return r;
	}
	*out = g;
	return 0;
}

void minimind_grammar_close(struct minimind_grammar *g)
{
	if (!g)
		return;
	spans_close(&g->spans);
	free(g->code);
	free(g->text);
	free(g);
}
