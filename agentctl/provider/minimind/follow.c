/*
 * follow.c: a grammar's threads follow a text byte by byte.
 *
 * Each instruction either eats a byte and stays, or eats its last one and hands on, or
 * dies. Those of no fixed length may also hand on before each byte where they are
 * complete; then a second thread is made.
 */
#include <string.h>
#include "agentctl/provider/minimind/program.h"

/* --- inside a JSON string -------------------------------------------------------------
 */

/* The state of a string is one number, 0 between characters: what is expected, and above
 * that what has to be remembered. */
enum {
	CHAR = 0,
	ESCAPE = 1,
	HEX = 2,
	MORE = 6
}; /* HEX to HEX + 3: digits; MORE: UTF-8 */

static int hex(uint8_t b)
{
	if (b >= '0' && b <= '9')
		return b - '0';
	if ((b | 32) >= 'a' && (b | 32) <= 'f')
		return (b | 32) - 'a' + 10;
	return -1;
}

static bool lead(uint32_t *state, uint8_t b)
{
	uint32_t low = b == 0xe0 ? 0xa0 : b == 0xf0 ? 0x90 : 0x80;
	uint32_t high = b == 0xed ? 0x9f : b == 0xf4 ? 0x8f : 0xbf;
	uint32_t left = b < 0xe0 ? 1 : b < 0xf0 ? 2 : 3;

	if (b < 0xc2 || b > 0xf4)
		return false;
	*state = MORE | left << 8 | low << 16 | high << 24;
	return true;
}

static bool more(uint32_t *state, uint8_t b)
{
	uint32_t left = *state >> 8 & 0xff;

	if (b < (*state >> 16 & 0xff) || b > *state >> 24)
		return false;
	*state = left == 1 ? CHAR : MORE | (left - 1) << 8 | 0x80u << 16 | 0xbfu << 24;
	return true;
}

/* Neither NUL nor half a pair: they could not be written out. */
static bool hex_digit(uint32_t *state, uint8_t b)
{
	uint32_t at = *state & 0xff, value = *state >> 16;
	int v = hex(b);

	if (v < 0)
		return false;
	value = value << 4 | (uint32_t)v;
	if (at == HEX + 1 && value >= 0xd8 && value <= 0xdf)
		return false;
	if (at < HEX + 3) {
		*state = (at + 1) | value << 16;
		return true;
	}
	*state = CHAR;
	return value != 0;
}

static bool string_step(uint32_t *state, uint8_t b)
{
	switch (*state & 0xff) {
	case CHAR:
		if (b == '\\')
			*state = ESCAPE;
		else if (b >= 0x80)
			return lead(state, b);
		return b >= 0x20 && b != '"';
	case ESCAPE: *state = b == 'u' ? HEX : CHAR; return b && strchr("\"\\/bfnrtu", b);
	case MORE: return more(state, b);
	default: return hex_digit(state, b);
	}
}

/* --- numbers --------------------------------------------------------------------------
 */

enum { N_START, N_MINUS, N_ZERO, N_WHOLE, N_POINT, N_PART, N_E, N_SIGN, N_POWER, N_DEAD };
enum { NUMBER_MAX = 24 }; /* bytes */

static bool number_is_complete(uint32_t phase)
{
	return phase == N_ZERO || phase == N_WHOLE || phase == N_PART || phase == N_POWER;
}

static uint16_t number_step(uint32_t phase, uint8_t b, bool whole)
{
	bool digit = b >= '0' && b <= '9';

	switch (phase) {
	case N_START:
	case N_MINUS:
		if (b == '-' && phase == N_START)
			return N_MINUS;
		return b == '0' ? N_ZERO : digit ? N_WHOLE : N_DEAD;
	case N_ZERO:
	case N_WHOLE:
		if (digit && phase == N_WHOLE)
			return N_WHOLE;
		if (whole)
			return N_DEAD;
		return b == '.' ? N_POINT : (b | 32) == 'e' ? N_E : N_DEAD;
	case N_POINT:
	case N_PART:
		if (digit)
			return N_PART;
		return phase == N_PART && (b | 32) == 'e' ? N_E : N_DEAD;
	case N_E: return b == '-' || b == '+' ? N_SIGN : digit ? N_POWER : N_DEAD;
	default: return digit ? N_POWER : N_DEAD;
	}
}

/* --- any value ------------------------------------------------------------------------
 */

/* b is a stack of bits, 1 for an object, c how many there are and above that where in a
 * word; a is the state of a string or number, or which word. */
enum {
	V_VALUE,
	V_FIRST, /* behind [ */
	V_STRING,
	V_KEY,
	V_DONE,
	V_COLON,
	V_SPACE, /* behind : */
	V_COMMA, /* behind , */
	V_NUMBER,
	V_WORD,
	V_FIRST_KEY, /* behind { */
	V_NEXT_KEY,
};
enum { DEPTH_MAX = 32 };

static const char *const words[] = {"true", "false", "null"};

static bool push(struct grammar_thread *t, bool object)
{
	if (t->c == DEPTH_MAX)
		return false;
	t->b = t->b << 1 | object;
	t->c++;
	t->phase = object ? V_FIRST_KEY : V_FIRST;
	return true;
}

static bool pop(struct grammar_thread *t, bool object)
{
	if (t->c == 0 || (t->b & 1) != object)
		return false;
	t->b >>= 1;
	t->c--;
	t->phase = V_DONE;
	return true;
}

static bool begin_value(struct grammar_thread *t, uint8_t b)
{
	t->a = 0;
	if (b == '{' || b == '[')
		return push(t, b == '{');
	if (b == '"') {
		t->phase = V_STRING;
		return true;
	}
	for (uint32_t i = 0; i < 3; i++)
		if (b == words[i][0]) {
			t->phase = V_WORD;
			t->a = i;
			t->c |= 1u << 8;
			return true;
		}
	t->phase = V_NUMBER;
	t->a = number_step(N_START, b, false);
	return t->a != N_DEAD;
}

static bool behind_value(struct grammar_thread *t, uint8_t b)
{
	if (t->c == 0)
		return false;
	if (b != ',')
		return (b == '}' || b == ']') && pop(t, b == '}');
	t->phase = V_COMMA;
	return true;
}

static bool word_step(struct grammar_thread *t, uint8_t b)
{
	uint32_t at = t->c >> 8;

	if (b != (uint8_t)words[t->a][at])
		return false;
	t->c += 1u << 8;
	if (words[t->a][at + 1] == 0) {
		t->c &= 0xff;
		t->phase = V_DONE;
	}
	return true;
}

static bool quoted_step(struct grammar_thread *t, uint8_t b)
{
	if (b != '"' || t->a != CHAR)
		return string_step(&t->a, b);
	t->phase = t->phase == V_KEY ? V_COLON : V_DONE;
	return true;
}

static bool begin_key(struct grammar_thread *t, uint8_t b)
{
	t->a = CHAR;
	if (b == '}' && t->phase == V_FIRST_KEY)
		return pop(t, true);
	t->phase = V_KEY;
	return b == '"';
}

static bool value_step(struct grammar_thread *t, uint8_t b)
{
	uint16_t next;

	switch (t->phase) {
	case V_FIRST:
		if (b == ']')
			return pop(t, false);
		return begin_value(t, b);
	case V_VALUE: return begin_value(t, b);
	case V_STRING:
	case V_KEY: return quoted_step(t, b);
	case V_DONE: return behind_value(t, b);
	case V_COLON: t->phase = V_SPACE; return b == ':';
	case V_SPACE: t->phase = V_VALUE; return b == ' ';
	case V_COMMA: t->phase = t->b & 1 ? V_NEXT_KEY : V_VALUE; return b == ' ';
	case V_NUMBER:
		next = number_step(t->a, b, false);
		if (next == N_DEAD)
			return number_is_complete(t->a) && behind_value(t, b);
		t->a = next;
		return true;
	case V_WORD: return word_step(t, b);
	default: return begin_key(t, b);
	}
}

/* --- spans ----------------------------------------------------------------------------
 */

/* Signs of names and paths that no shell reads. */
static bool is_of_name(uint8_t b)
{
	return b >= 0x80 || (b >= '0' && b <= '9') ||
	       ((b | 32) >= 'a' && (b | 32) <= 'z') || (b && strchr("._-/+=@%:,~", b));
}

static bool span_byte(
	const struct minimind_grammar *g, struct grammar_thread *t, uint8_t b)
{
	enum span_kind kind = (enum span_kind)g->code[t->at].y;
	struct span at = {t->a, t->b, t->c};
	bool text = kind == SPAN_TEXT || kind == SPAN_PHRASE;
	bool ok = (text || is_of_name(b)) && span_narrow(&g->spans, kind, &at, b);

	t->a = at.low;
	t->b = at.high;
	t->c = at.depth;
	return ok;
}

static const char escapes[] = "\"\\bfnrt", escaped[] = "\"\\\b\f\n\r\t";

/* Whether something follows that has to be written with a backslash; else that would lead
 * nowhere. Signs that have no short escape end a span. */
static bool span_may_escape(
	const struct minimind_grammar *g, const struct grammar_thread *t)
{
	for (const char *p = escaped; *p; p++) {
		struct grammar_thread copy = *t;

		if (span_byte(g, &copy, (uint8_t)*p))
			return true;
	}
	return false;
}

static bool span_step(
	const struct minimind_grammar *g, struct grammar_thread *t, uint8_t b)
{
	const char *f;

	if (t->phase == ESCAPE) {
		f = b ? strchr(escapes, b) : NULL;
		t->phase = CHAR;
		return f && span_byte(g, t, (uint8_t)escaped[f - escapes]);
	}
	if (b != '\\')
		return b >= 0x20 && b != '"' && span_byte(g, t, b);
	t->phase = ESCAPE;
	return span_may_escape(g, t);
}

/* --- threads --------------------------------------------------------------------------
 */

static bool may_hand_on(const struct minimind_grammar *g, const struct grammar_thread *t)
{
	const struct span at = {t->a, t->b, t->c};

	switch (g->code[t->at].op) {
	case OP_TEXT: return t->a == CHAR;
	case OP_SPAN:
		return t->phase == CHAR &&
		       span_may_end(&g->spans, (enum span_kind)g->code[t->at].y, &at);
	case OP_INTEGER:
	case OP_NUMBER: return number_is_complete(t->phase);
	case OP_VALUE:
		return t->c == 0 &&
		       (t->phase == V_DONE ||
			       (t->phase == V_NUMBER && number_is_complete(t->a)));
	default: return false;
	}
}

static struct grammar_thread enter(const struct minimind_grammar *g, uint32_t at)
{
	struct grammar_thread t = {.at = (uint16_t)at};

	if (g->code[at].op == OP_SPAN)
		t.b = span_all(&g->spans, (enum span_kind)g->code[at].y).high;
	return t;
}

/* Add a thread and all that it can become without a byte. When there are too many the
 * rest is left out: that refuses some texts and allows none. */
static void add(const struct minimind_grammar *g, struct grammar_state *s,
	struct grammar_thread t)
{
	while (g->code[t.at].op == OP_SPLIT || g->code[t.at].op == OP_JUMP) {
		if (g->code[t.at].op == OP_SPLIT)
			add(g, s, enter(g, g->code[t.at].x));
		t = enter(g,
			g->code[t.at].op == OP_SPLIT ? g->code[t.at].y : g->code[t.at].x);
	}
	for (uint32_t i = 0; i < s->n; i++)
		if (memcmp(&s->threads[i], &t, sizeof t) == 0)
			return;
	if (s->n == GRAMMAR_THREADS)
		return;
	s->threads[s->n++] = t;
	if (may_hand_on(g, &t))
		add(g, s, enter(g, t.at + 1u));
}

static void step_thread(const struct minimind_grammar *g, struct grammar_state *to,
	struct grammar_thread t, uint8_t b)
{
	const struct instruction *i = &g->code[t.at];
	bool alive = false;

	switch (i->op) {
	case OP_BYTES:
		alive = (uint8_t)g->text[i->x + t.a] == b;
		if (alive && ++t.a == i->y)
			t = enter(g, t.at + 1u);
		break;
	case OP_TEXT: alive = string_step(&t.a, b); break;
	case OP_SPAN: alive = span_step(g, &t, b); break;
	case OP_INTEGER:
	case OP_NUMBER:
		t.phase = number_step(t.phase, b, i->op == OP_INTEGER);
		alive = t.phase != N_DEAD &&
			t.a < (number_is_complete(t.phase) ? NUMBER_MAX : NUMBER_MAX - 3);
		t.a++;
		break;
	case OP_VALUE: alive = value_step(&t, b); break;
	default: break;
	}
	if (alive)
		add(g, to, t);
}

static void begin_call(const struct minimind_grammar *g, struct grammar_state *s)
{
	memset(s, 0, sizeof *s);
	add(g, s, enter(g, 0));
}

/* How much of the trigger has come when @b follows @had bytes of it. */
static uint32_t trigger_step(const struct minimind_grammar *g, uint32_t had, uint8_t b)
{
	for (uint32_t n = had + 1; n > 0; n--)
		if ((uint8_t)g->trigger[n - 1] == b &&
			memcmp(g->trigger, g->trigger + had - (n - 1), n - 1) == 0)
			return n;
	return 0;
}

static bool step(const struct minimind_grammar *g, struct grammar_state *s, uint8_t b)
{
	struct grammar_state next;

	if (s->free > 0) {
		s->free = 1 + trigger_step(g, s->free - 1, b);
		if (s->free == 1 + g->trigger_n)
			begin_call(g, s);
		return true;
	}
	next.free = next.n = 0;
	for (uint32_t i = 0; i < s->n; i++)
		step_thread(g, &next, s->threads[i], b);
	s->n = next.n;
	memcpy(s->threads, next.threads, next.n * sizeof *next.threads);
	return s->n > 0;
}

void grammar_begin(const struct minimind_grammar *g, struct grammar_state *s)
{
	memset(s, 0, sizeof *s);
	s->free = 1;
	if (g->trigger_n == 0)
		begin_call(g, s);
}

bool grammar_allows(const struct minimind_grammar *g, const struct grammar_state *s,
	const char *text, size_t n)
{
	struct grammar_state copy;

	copy.free = s->free;
	copy.n = s->n;
	memcpy(copy.threads, s->threads, s->n * sizeof *s->threads);
	for (size_t i = 0; i < n; i++)
		if (!step(g, &copy, (uint8_t)text[i]))
			return false;
	return true;
}

void grammar_advance(const struct minimind_grammar *g, struct grammar_state *s,
	const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		step(g, s, (uint8_t)text[i]);
}

bool grammar_is_free(const struct minimind_grammar *g, const struct grammar_state *s)
{
	return s->free > 0;
}

static uint32_t matches(const struct minimind_grammar *g, const struct grammar_state *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n; i++)
		n += g->code[s->threads[i].at].op == OP_MATCH;
	return n;
}

bool grammar_may_end(const struct minimind_grammar *g, const struct grammar_state *s)
{
	return s->free > 0 || matches(g, s) > 0;
}

bool grammar_is_complete(const struct minimind_grammar *g, const struct grammar_state *s)
{
	return s->free == 0 && matches(g, s) == s->n;
}

bool minimind_grammar_accepts(
	const struct minimind_grammar *g, const char *text, size_t n)
{
	struct grammar_state s;

	grammar_begin(g, &s);
	return grammar_allows(g, &s, text, n);
}
