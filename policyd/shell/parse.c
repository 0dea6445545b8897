/*
 * parse.c: commands: lists, pipelines, compound commands, redirections, here-documents.
 *
 * A recursive descent over the bytes; words are taken apart by word.c in the same pass,
 * because a `$(` inside a word holds commands again. sh->depth counts both kinds of
 * recursion and is bounded by SHELL_MAX_NESTING, so the C stack is as well.
 * What bash would not accept stops the reading; what it accepts and we do not know
 * stops it too.
 */
#include <string.h>

#include "policyd/shell/parse.h"

static struct node *parse_list(struct parser *p);
static struct node *parse_some(struct parser *p);
static struct node *parse_command(struct parser *p);

static const char no_parse[] = "it does not parse as a shell command";

_Noreturn void parse_error(struct parser *p)
{
	sh_stop(p->sh, no_parse);
}

void parse_enter(struct parser *p)
{
	sh_step(p->sh);
	if (++p->sh->depth > SHELL_MAX_NESTING)
		sh_stop(p->sh, "it is nested deeper than 64 levels");
}

void parse_leave(struct parser *p)
{
	p->sh->depth--;
}

static struct node *new_node(struct parser *p, enum node_kind kind)
{
	struct node *n = sh_alloc(p->sh, sizeof(*n));

	n->kind = kind;
	return n;
}

static bool is_name_start(char c)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_name(char c)
{
	return is_name_start(c) || (c >= '0' && c <= '9');
}

static bool is_meta(char c)
{
	return !c || strchr(" \t\n;&|<>()", c);
}

/* The body of one here-document: from here to the line that is the delimiter alone. */
static void read_document(struct parser *p, struct pending *d)
{
	struct buf b = {0};
	bool ended = false;

	while (p->s[p->i] && !ended) {
		const char *line = p->s + p->i;
		size_t len = strcspn(line, "\n");
		size_t tabs = d->strip ? strspn(line, "\t") : 0;

		if (tabs > len)
			tabs = len;
		p->i += len + (line[len] == '\n');
		ended = len - tabs == strlen(d->end) &&
			!memcmp(line + tabs, d->end, len - tabs);
		if (!ended)
			buf_add(p->sh, &b, line + tabs, len - tabs + (line[len] == '\n'));
	}
	if (!ended)
		parse_error(p);
	if (d->quoted) {
		struct seg *s = sh_alloc(p->sh, sizeof(*s));

		*s = (struct seg){
			.kind = SEG_TEXT, .quoted = true, .text = buf_str(p->sh, &b)};
		d->redir->word = sh_alloc(p->sh, sizeof(struct word));
		d->redir->word->segs = s;
		return;
	}
	d->redir->word = sh_parse_text(p->sh, buf_str(p->sh, &b));
}

static void newline(struct parser *p)
{
	struct pending *d = p->pending;

	p->i++;
	p->pending = NULL;
	p->pending_tail = &p->pending;
	for (; d; d = d->next)
		read_document(p, d);
}

/* Blanks, comments and joined lines; with @lines newlines too. */
static void skip(struct parser *p, bool lines)
{
	for (;;) {
		char c = p->s[p->i];

		if (c == ' ' || c == '\t' || c == '\r')
			p->i++;
		else if (c == '\\' && p->s[p->i + 1] == '\n')
			p->i += 2;
		else if (c == '#' && (p->i == 0 || is_meta(p->s[p->i - 1])))
			p->i += strcspn(p->s + p->i, "\n");
		else if (c == '\n' && lines)
			newline(p);
		else
			return;
	}
}

static bool at(struct parser *p, const char *s)
{
	return !strncmp(p->s + p->i, s, strlen(s));
}

static bool take(struct parser *p, const char *s)
{
	if (!at(p, s))
		return false;
	p->i += strlen(s);
	return true;
}

static bool at_keyword(struct parser *p, const char *kw)
{
	size_t n = strlen(kw);

	return at(p, kw) && is_meta(p->s[p->i + n]);
}

static bool take_keyword(struct parser *p, const char *kw)
{
	skip(p, true);
	if (!at_keyword(p, kw))
		return false;
	p->i += strlen(kw);
	return true;
}

static void want_keyword(struct parser *p, const char *kw)
{
	if (!take_keyword(p, kw))
		parse_error(p);
}

static bool at_end_of_list(struct parser *p)
{
	static const char *const closers[] = {
		"then", "else", "elif", "fi", "do", "done", "esac", "}", NULL};

	if (!p->s[p->i] || p->s[p->i] == ')' || at(p, ";;") || at(p, ";&"))
		return true;
	for (const char *const *k = closers; *k; k++)
		if (at_keyword(p, *k))
			return true;
	return false;
}

/* <<WORD: the delimiter, quotes removed; the body comes after the next newline. */
static void here_document(struct parser *p, struct redir *r, bool strip)
{
	struct pending *d = sh_alloc(p->sh, sizeof(*d));
	struct buf b = {0};
	char q = 0;

	skip(p, false);
	for (; p->s[p->i] && (q || !is_meta(p->s[p->i])); p->i++) {
		char c = p->s[p->i];

		if (q ? c == q : c == '\'' || c == '"') {
			q = q ? 0 : c;
			d->quoted = true;
		} else if (!q && c == '\\' && p->s[p->i + 1]) {
			d->quoted = true;
			buf_c(p->sh, &b, p->s[++p->i]);
		} else {
			buf_c(p->sh, &b, c);
		}
	}
	if (q)
		parse_error(p);
	d->end = buf_str(p->sh, &b);
	d->strip = strip;
	d->redir = r;
	r->word = sh_alloc(p->sh, sizeof(struct word));
	*p->pending_tail = d;
	p->pending_tail = &d->next;
}

/* One redirection if there is one here; leading digits or {name} belong to it. */
static bool parse_redir(struct parser *p, struct redir ***tail)
{
	static const struct {
		const char *op;
		enum redir_kind kind;
	} ops[] = {{"<<<", R_STRING}, {"<<-", R_HERE}, {"<<", R_HERE}, {"<>", R_RDWR},
		{"<&", R_DUP_IN}, {"&>>", R_BOTH}, {"&>", R_BOTH}, {">>", R_APPEND},
		{">|", R_CLOBBER}, {">&", R_DUP_OUT}, {"<", R_IN}, {">", R_OUT}};
	size_t start = p->i, k;
	struct redir *r;
	int fd = -1;

	if (p->s[p->i] == '{' && is_name_start(p->s[p->i + 1])) {
		size_t j = p->i + 1;

		while (is_name(p->s[j]))
			j++;
		if (p->s[j] == '}' && (p->s[j + 1] == '<' || p->s[j + 1] == '>')) {
			p->i = j + 1;
			fd = 10;
		}
	}
	while (p->s[p->i] >= '0' && p->s[p->i] <= '9' && p->i - start < 4)
		fd = (fd < 0 ? 0 : fd * 10) + p->s[p->i++] - '0';
	for (k = 0; k < sizeof(ops) / sizeof(*ops) && !at(p, ops[k].op); k++)
		;
	if (k == sizeof(ops) / sizeof(*ops) || ((at(p, "<(") || at(p, ">(")) && fd < 0)) {
		p->i = start;
		return false;
	}
	p->i += strlen(ops[k].op);
	r = sh_alloc(p->sh, sizeof(*r));
	r->kind = ops[k].kind;
	r->fd = fd;
	**tail = r;
	*tail = &r->next;
	if (r->kind == R_HERE) {
		here_document(p, r, ops[k].op[2] == '-');
		return true;
	}
	skip(p, false);
	if (is_meta(p->s[p->i]) && !at(p, "<(") && !at(p, ">("))
		parse_error(p);
	r->word = parse_word(p, STOP_META);
	return true;
}

static void parse_redirs(struct parser *p, struct node *n)
{
	struct redir **tail = &n->redirs;

	while (*tail)
		tail = &(*tail)->next;
	for (skip(p, false); parse_redir(p, &tail); skip(p, false))
		;
}

/* name=, name+=, name[..]=: its length up to and with the '=', else 0. */
static size_t assign_prefix(struct parser *p)
{
	const char *s = p->s + p->i;
	size_t n = 0;

	if (!is_name_start(s[0]))
		return 0;
	while (is_name(s[n]))
		n++;
	if (s[n] == '[') {
		int depth = 0;

		for (; s[n] && s[n] != '\n'; n++) {
			depth += (s[n] == '[') - (s[n] == ']');
			if (!depth)
				break;
		}
		if (s[n] != ']')
			return 0;
		n++;
	}
	if (s[n] == '+')
		n++;
	return s[n] == '=' ? n + 1 : 0;
}

static void parse_array(struct parser *p, struct assign *a)
{
	struct word **tail = &a->value;

	a->array = true;
	p->i++;
	for (skip(p, true); p->s[p->i] != ')'; skip(p, true)) {
		if (!p->s[p->i])
			parse_error(p);
		if (p->s[p->i] == '[') { /* [index]=value: the value is what matters */
			size_t n = strcspn(p->s + p->i, "]\n");

			if (p->s[p->i + n] == ']' && p->s[p->i + n + 1] == '=' &&
				!memchr(p->s + p->i, '$', n) &&
				!memchr(p->s + p->i, '`', n))
				p->i += n + 2;
		}
		*tail = parse_word(p, STOP_META);
		tail = &(*tail)->next;
	}
	p->i++;
}

static void parse_assign(struct parser *p, size_t len, struct assign ***tail)
{
	struct assign *a = sh_alloc(p->sh, sizeof(*a));
	const char *s = p->s + p->i;
	size_t n = 0;

	while (is_name(s[n]))
		n++;
	a->name = sh_strn(p->sh, s, n);
	if (s[n] == '[')
		a->index = sh_parse_text(
			p->sh, sh_strn(p->sh, s + n + 1, strcspn(s + n + 1, "]")));
	a->append = s[len - 2] == '+';
	p->i += len;
	**tail = a;
	*tail = &a->next;
	if (p->s[p->i] == '(')
		parse_array(p, a);
	else if (!is_meta(p->s[p->i]) || at(p, "<(") || at(p, ">("))
		a->value = parse_word(p, STOP_META);
}

static struct node *function_body(struct parser *p, const char *name)
{
	struct node *n = new_node(p, N_FUNC);

	n->name = name;
	skip(p, true);
	n->a = parse_command(p);
	return n;
}

/* name () after a first word that is plain text. */
static bool at_function(struct parser *p, const struct word *w)
{
	size_t i = p->i;

	if (!w->segs || w->segs->next || w->segs->kind != SEG_TEXT || w->segs->quoted)
		return false;
	i += strspn(p->s + i, " \t");
	if (p->s[i] != '(')
		return false;
	i++;
	i += strspn(p->s + i, " \t");
	if (p->s[i] != ')')
		return false;
	p->i = i + 1;
	return true;
}

static struct node *parse_simple(struct parser *p)
{
	struct node *n = new_node(p, N_SIMPLE);
	struct word **wtail = &n->words;
	struct assign **atail = &n->assigns;
	struct redir **rtail = &n->redirs;

	for (;;) {
		size_t len;

		skip(p, false);
		if (parse_redir(p, &rtail))
			continue;
		if (is_meta(p->s[p->i]) && !at(p, "<(") && !at(p, ">("))
			break;
		len = assign_prefix(p);
		if (len && (!n->words || p->s[p->i + len] == '(')) {
			parse_assign(p, len, &atail);
			continue;
		}
		sh_step(p->sh);
		*wtail = parse_word(p, STOP_META);
		if (*wtail == n->words && !n->assigns && !n->redirs &&
			at_function(p, n->words))
			return function_body(p, n->words->segs->text);
		wtail = &(*wtail)->next;
	}
	if (!n->words && !n->assigns && !n->redirs)
		parse_error(p);
	return n;
}

static struct node *parse_if(struct parser *p)
{
	struct node *n = new_node(p, N_IF);

	parse_enter(p);
	n->a = parse_some(p);
	want_keyword(p, "then");
	n->b = parse_some(p);
	if (take_keyword(p, "elif")) {
		n->c = parse_if(p);
	} else {
		if (take_keyword(p, "else"))
			n->c = parse_some(p);
		want_keyword(p, "fi");
	}
	parse_leave(p);
	return n;
}

static struct node *parse_body(struct parser *p)
{
	struct node *n;

	skip(p, true);
	if (p->s[p->i] == ';') {
		p->i++;
		skip(p, true);
	}
	if (take(p, "{")) { /* an old form: for x in ..; { ..; } */
		n = parse_some(p);
		want_keyword(p, "}");
		return n;
	}
	want_keyword(p, "do");
	n = parse_some(p);
	want_keyword(p, "done");
	return n;
}

static struct node *parse_while(struct parser *p, bool until)
{
	struct node *n = new_node(p, N_WHILE);

	n->until = until;
	n->a = parse_some(p);
	n->b = parse_body(p);
	return n;
}

/* Behind "((": the text up to the matching "))", or NULL and nothing consumed. */
static struct word *parse_arith(struct parser *p)
{
	size_t i = p->i;
	int depth = 0;

	for (; p->s[i]; i++) {
		if (p->s[i] == '(') {
			depth++;
		} else if (p->s[i] == ')' && depth) {
			depth--;
		} else if (p->s[i] == ')') {
			if (p->s[i + 1] != ')')
				return NULL;
			break;
		} else if (p->s[i] == '\\' && p->s[i + 1]) {
			i++;
		}
	}
	if (!p->s[i])
		return NULL;
	i += 2;
	depth = (int)(i - 2 - p->i);
	p->i = i;
	return sh_parse_text(p->sh, sh_strn(p->sh, p->s + i - 2 - depth, (size_t)depth));
}

struct word *parse_arith_word(struct parser *p)
{
	return parse_arith(p);
}

static struct node *parse_for(struct parser *p)
{
	struct node *n = new_node(p, N_FOR);
	struct word **tail = &n->words;
	size_t len = 0;

	skip(p, false);
	if (take(p, "((")) {
		n->words = parse_arith(p);
		if (!n->words)
			parse_error(p);
		n->b = parse_body(p);
		return n;
	}
	while (is_name(p->s[p->i + len]))
		len++;
	if (!len)
		parse_error(p);
	n->name = sh_strn(p->sh, p->s + p->i, len);
	p->i += len;
	if (take_keyword(p, "in")) {
		n->has_in = true;
		for (skip(p, false); !is_meta(p->s[p->i]) || at(p, "<(");
			skip(p, false)) {
			*tail = parse_word(p, STOP_META);
			tail = &(*tail)->next;
		}
	}
	n->b = parse_body(p);
	return n;
}

static struct node *parse_case(struct parser *p)
{
	struct node *n = new_node(p, N_CASE);
	struct case_item **tail = &n->items;

	skip(p, false);
	n->words = parse_word(p, STOP_META);
	want_keyword(p, "in");
	for (;;) {
		struct case_item *it;
		struct word **w;

		if (take_keyword(p, "esac"))
			return n;
		it = sh_alloc(p->sh, sizeof(*it));
		*tail = it;
		tail = &it->next;
		w = &it->patterns;
		take(p, "(");
		do {
			skip(p, false);
			if (is_meta(p->s[p->i]))
				parse_error(p);
			*w = parse_word(p, STOP_META);
			w = &(*w)->next;
			skip(p, false);
		} while (take(p, "|"));
		if (!take(p, ")"))
			parse_error(p);
		skip(p, true);
		it->body = at_end_of_list(p) ? NULL : parse_list(p);
		skip(p, true);
		if (!take(p, ";;&") && !take(p, ";;") && !take(p, ";&")) {
			want_keyword(p, "esac");
			return n;
		}
	}
}

/* [[ .. ]]: the words in order; operators have no effect, substitutions do. */
static struct node *parse_cond(struct parser *p)
{
	struct node *n = new_node(p, N_COND);
	struct word **tail = &n->words;

	for (;;) {
		skip(p, true);
		if (take_keyword(p, "]]"))
			return n;
		if (!p->s[p->i])
			parse_error(p);
		if (strchr("&|()<>;", p->s[p->i]) && !at(p, "<(")) {
			p->i++;
			continue;
		}
		*tail = parse_word(p, STOP_META);
		tail = &(*tail)->next;
	}
}

static struct node *parse_group(struct parser *p, enum node_kind kind, const char *end)
{
	struct node *n = new_node(p, kind);

	n->a = parse_some(p);
	skip(p, true);
	if (!(*end == ')' ? take(p, end) : take_keyword(p, end)))
		parse_error(p);
	return n;
}

static struct node *parse_function(struct parser *p)
{
	const char *name;
	size_t n;

	skip(p, false);
	n = strcspn(p->s + p->i, " \t\n;&|<>()");
	if (!n)
		parse_error(p);
	name = sh_strn(p->sh, p->s + p->i, n);
	p->i += n;
	skip(p, false);
	if (take(p, "(")) {
		skip(p, false);
		if (!take(p, ")"))
			parse_error(p);
	}
	return function_body(p, name);
}

static struct node *parse_coproc(struct parser *p)
{
	struct node *n = new_node(p, N_COPROC);
	size_t len = 0, i;

	skip(p, false);
	while (is_name(p->s[p->i + len])) /* coproc NAME { ..; } */
		len++;
	i = p->i + len + strspn(p->s + p->i + len, " \t");
	n->name = "COPROC";
	if (len && (p->s[i] == '{' || p->s[i] == '(')) {
		n->name = sh_strn(p->sh, p->s + p->i, len);
		p->i = i;
	}
	n->a = parse_command(p);
	return n;
}

static struct node *parse_compound(struct parser *p)
{
	struct node *n = NULL;
	size_t start = p->i;

	if (take(p, "((")) {
		struct word *w = parse_arith(p);

		if (w) {
			n = new_node(p, N_ARITH);
			n->words = w;
			return n;
		}
		p->i = start;
	}
	if (take(p, "("))
		return parse_group(p, N_SUB, ")");
	if (take_keyword(p, "{"))
		return parse_group(p, N_GROUP, "}");
	if (take_keyword(p, "[["))
		return parse_cond(p);
	if (take_keyword(p, "if"))
		return parse_if(p);
	if (take_keyword(p, "while"))
		return parse_while(p, false);
	if (take_keyword(p, "until"))
		return parse_while(p, true);
	if (take_keyword(p, "for") || take_keyword(p, "select"))
		return parse_for(p);
	if (take_keyword(p, "case"))
		return parse_case(p);
	if (take_keyword(p, "function"))
		return parse_function(p);
	if (take_keyword(p, "coproc"))
		return parse_coproc(p);
	return NULL;
}

static struct node *parse_command(struct parser *p)
{
	struct node *n;

	parse_enter(p);
	skip(p, false);
	if (at_end_of_list(p))
		parse_error(p);
	n = parse_compound(p);
	if (n && n->kind != N_FUNC)
		parse_redirs(p, n);
	if (!n)
		n = parse_simple(p);
	parse_leave(p);
	return n;
}

/* time with an option that the keyword does not know is the program of that name. */
static bool is_time_program(struct parser *p)
{
	size_t i = p->i + 4;

	i += strspn(p->s + i, " \t");
	return p->s[i] == '-' && !(p->s[i + 1] == 'p' && is_meta(p->s[i + 2]));
}

/* time -p and ! before a pipeline say nothing about effects, but "!" is kept. */
static struct node *parse_pipeline(struct parser *p)
{
	struct node *first, **tail, *n;
	bool not = false;

	for (;;) {
		skip(p, false);
		if (at_keyword(p, "!")) {
			p->i++;
			not = true;
		} else if (at_keyword(p, "time") && !is_time_program(p)) {
			p->i += 4;
			skip(p, false);
			if (at_keyword(p, "-p"))
				p->i += 2;
			skip(p, false);
			if (!p->s[p->i] || strchr("\n;)", p->s[p->i]))
				return new_node(p, N_GROUP);
		} else {
			break;
		}
	}
	first = parse_command(p);
	tail = &first->next;
	for (skip(p, false); at(p, "|") && !at(p, "||"); skip(p, false)) {
		p->i++;
		take(p, "&");
		skip(p, true);
		*tail = parse_command(p);
		tail = &(*tail)->next;
	}
	if (!first->next && !not )
		return first;
	n = new_node(p, first->next ? N_PIPE : N_NOT);
	n->a = first;
	return n;
}

static struct node *parse_and_or(struct parser *p)
{
	struct node *left = parse_pipeline(p);

	for (;;) {
		struct node *n;
		bool and;

		skip(p, false);
		and = at(p, "&&");
		if (!and&&!at(p, "||"))
			return left;
		sh_step(p->sh);
		p->i += 2;
		skip(p, true);
		n = new_node(p, and? N_AND : N_OR);
		n->a = left;
		n->b = parse_pipeline(p);
		left = n;
	}
}

static struct node *parse_list(struct parser *p)
{
	struct node *seq = new_node(p, N_SEQ), **tail = &seq->a;

	parse_enter(p);
	for (skip(p, true); !at_end_of_list(p); skip(p, true)) {
		struct node *n = parse_and_or(p);

		skip(p, false);
		if (p->s[p->i] == '&' && p->s[p->i + 1] != '&') {
			struct node *bg = new_node(p, N_BG);

			p->i++;
			bg->a = n;
			n = bg;
		} else if (p->s[p->i] == ';' && !at(p, ";;") && !at(p, ";&")) {
			p->i++;
		} else if (p->s[p->i] == '\n') {
			newline(p);
		} else if (!at_end_of_list(p)) {
			parse_error(p);
		}
		*tail = n;
		tail = &n->next;
	}
	parse_leave(p);
	return seq;
}

/* Where the grammar wants at least one command. */
static struct node *parse_some(struct parser *p)
{
	struct node *n = parse_list(p);

	if (!n->a)
		parse_error(p);
	return n;
}

struct node *parse_commands(struct parser *p)
{
	return parse_list(p);
}

struct node *sh_parse(struct sh *sh, const char *text)
{
	struct parser p = {.sh = sh, .s = text};
	struct node *n;

	p.pending_tail = &p.pending;
	n = parse_list(&p);
	if (p.s[p.i] || p.pending) /* a here-document without an end is no command */
		parse_error(&p);
	return n;
}

/* Text that only may be a command: failing to parse is an answer, a limit is not. */
struct node *sh_try_parse(struct sh *sh, const char *text)
{
	jmp_buf here, *outer = sh->out;
	unsigned depth = sh->depth;
	struct node *volatile n = NULL;

	sh->out = &here;
	if (!setjmp(here))
		n = sh_parse(sh, text);
	sh->out = outer;
	sh->depth = depth;
	if (sh->why && sh->why != no_parse)
		sh_stop(sh, sh->why);
	sh->why = NULL;
	return n;
}
