/*
 * calls.c: what the calls in other languages' code do.
 *
 * The table code.tsv lists calls by what they do: process, delete, write, network,
 * and dynamic (code made from data) and hidden (data decoded). A call is judged by the
 * values of its arguments: a command is read as shell, a path is an effect; a call
 * whose argument is computed, and any call beside hidden or dynamic code, is a question.
 */
#include <ctype.h>
#include <string.h>

#include "policyd/shell/scan.h"

static unsigned kind_of(const char *name)
{
	static const char *const names[] = {"process", "delete", "write", "network",
		"dynamic", "hidden", "fork", "read", "fetch", "kill", "copy", "move",
		"sql", "privilege", "chdir"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return 1u << i;
	return 0;
}

/* --- calls
 * ------------------------------------------------------------------------------ */

static void computed(struct scan *s, enum shell_verb v, const char *args, const char *end)
{
	effect(s->sh, v, SHELL_UNKNOWN, SHELL_HOW_COMPUTED, s->program,
		sh_strn(s->sh, args, (size_t)(end - args)), "code");
}

/* The code does run it: unlike a guess everything counts but what it leaves behind. */
void run_text(struct scan *s, const char *text)
{
	struct sh *sh = s->sh;
	struct state st = state_copy(sh);
	size_t commands = sh->n_commands;
	bool guess = sh->guess;

	sh->guess = true;
	eval_text(sh, text, NULL, s->program);
	sh->guess = guess;
	sh->st = st;
	sh->n_commands = commands;
}

/* qx{..}, %x(..), `..`: the text between the brackets. */
static bool process_quote(struct scan *s, const char *token, const char *args)
{
	const char *close;
	char c = *token == '`' ? '`' : *args;
	const char *from = *token == '`' ? args : args + 1;

	if (*token != '`' && strcmp(token, "qx") && strcmp(token, "%x"))
		return false;
	close = strchr(from, c == '{' ? '}' : c == '(' ? ')' : c == '[' ? ']' : c);
	if (!close || close == from)
		return false;
	run_text(s,
		interpolate(s, sh_strn(s->sh, from, (size_t)(close - from)), '"', false));
	return true;
}

/* Path("x").unlink(): the values of what stands before the call in its statement. */
static void receiver(struct scan *s, const char *before, struct values *l)
{
	const char *from = before;
	int depth = 0;

	if (from > s->text + 1 && (from[-1] == '"' || from[-1] == '\''))
		for (from--;
			from > s->text && from[-1] != *before && from[-1] != from[0];)
			from--; /* to where the literal before it begins */
	for (; from > s->text && before - from < 200; from--) {
		char c = from[-1];

		if (c == ')' || c == ']')
			depth++;
		else if ((c == '(' || c == '[') && --depth < 0)
			break;
		else if (depth <= 0 && (c == ';' || c == '\n' || c == '{' || c == '=' ||
					       (c == ' ' && from - s->text > 1 &&
						       !strchr("/+", from[-2]) &&
						       !strchr("/+", *from))))
			break;
	}
	values_of(s, from, before, 0, l);
}

/* One command line, or an argv as a list. */
static void process_call(struct scan *s, const char *token, const char *at,
	const char *args, const char *end)
{
	struct values l = {.n = 0};
	struct buf b = {0};

	if (process_quote(s, token, args))
		return;
	if (is_bare(s) && *args != '(') {
		run_text(s, sh_strn(s->sh, args, strcspn(args, ")\n")));
		return;
	}
	values_of(s, args, end, 0, &l);
	if (!l.n && *at == '.') /* "rm x".execute() */
		receiver(s, at, &l);
	if (!l.n || is_hole(l.v[0][0])) {
		if (end - args > 2)
			computed(s, SHELL_RUN, args, end);
		return;
	}
	if (strpbrk(l.v[0], " \t")) {
		run_text(s, l.v[0]);
		if (word_in(s->lang, "javascript"))
			return; /* what follows are options */
	}
	for (size_t i = 0; i < l.n; i++) {
		const char *w = sh_quote(s->sh, l.v[i]);

		buf_add(s->sh, &b, w, strlen(w));
		buf_c(s->sh, &b, ' ');
	}
	if (l.n > 1 || !strpbrk(l.v[0], " \t"))
		run_text(s, buf_str(s->sh, &b));
}

static bool is_mode(const char *s)
{
	return strlen(s) <= 4 && *s && strspn(s, "rwax+bt><") == strlen(s);
}

/* The end of the first of the arguments that are in parentheses. */
static const char *first_end(const char *args, const char *end)
{
	if (*args != '(')
		return end;
	for (const char *p = args + 1; p < end; p++) {
		const char *e = literal_end(p);

		if (e)
			p = e;
		else if (strchr("([{", *p))
			p = skip_brackets(p, end) - 1;
		else if (*p == ',')
			return p;
	}
	return end;
}

/* Is the name before @dot a module, and no value? */
static bool is_module(struct scan *s, const char *dot)
{
	static const char known[] =
		"os shutil fs fsPromises pathlib File FileUtils Dir Files "
		"Deno Bun promises path io glob IO Pathname Unix Sys";
	const char *from = dot;
	char *name;

	while (from > s->text && is_word(from[-1]))
		from--;
	name = sh_strn(s->sh, from, (size_t)(dot - from));
	if (!*name || word_in(name, known))
		return *name;
	name = sh_cat(s->sh, "import ", name);
	for (const char *p = s->text; (p = strstr(p, name)); p++)
		if (!is_word(p[strlen(name)]))
			return true;
	return false;
}

static void path_call(struct scan *s, enum shell_verb v, const char *args,
	const char *end, const char *before)
{
	struct values l = {.n = 0};
	bool any = false, own = false;

	/* the first argument is the path, except where calls have no parentheses */
	if (is_bare(s))
		bare_values(s, args, end, &l);
	else if (v != SHELL_DELETE && !word_in(s->lang, "perl tcl r lisp vim awk"))
		values_of(s, args, first_end(args, end), 0, &l);
	else
		values_of(s, args, end, 0, &l);
	if (*before == '.' && is_module(s, before))
		return; /* os.unlink: a row of its own */
	if (before > s->text && before[-1] == '.' && !strncmp(args, "()", 2))
		return; /* x.unlink(): so has that */
	if (*before == '.') {
		own = true;
		l.n = 0;
		receiver(s, before, &l);
	}
	for (size_t i = 0; i < l.n; i++) {
		char *w = l.v[i];
		size_t n = strlen(w);

		if ((i && is_mode(w)) || !n || strchr(w, '\n'))
			continue;
		while (n > 1 && v != SHELL_READ && (*w == '>' || *w == ' '))
			w++, n--;
		any = true;
		if (*w == '~' && (w[1] == '/' || !w[1]))
			w = sh_cat(s->sh, s->sh->ctx->home, w + 1);
		if ((v == SHELL_READ && has_hole(w)) ||
			(own && is_hole(*w) && !strncmp(before, ".rename(", 8)))
			continue;
		if ((is_hole(*w) && !strcmp(s->lang, "perl") && i + 1 < l.n) ||
			(is_bare(s) && is_mode(w)))
			continue; /* the handle of open, its mode */
		effect_path(s->sh, v, s->program, w, SHELL_HOW_INLINE);
	}
	if (v != SHELL_READ && !any && !own)
		computed(s, v, args, end);
}

/* copy(a, b), rename(a, b): the first is read or goes away, the second is replaced. */
static void copy_call(struct scan *s, bool away, const char *args, const char *end)
{
	struct values l = {.n = 0};

	values_of(s, args, end, 0, &l);
	if (l.n < 2)
		return;
	effect_path(s->sh, away ? SHELL_DELETE : SHELL_READ, s->program, l.v[0],
		SHELL_HOW_INLINE);
	effect_path(s->sh, SHELL_OVERWRITE, s->program, l.v[1], SHELL_HOW_INLINE);
}

/* open(.., "w"): only a mode or a leading > makes it a write. */
static bool opens_for_writing(struct scan *s, const char *args, const char *end)
{
	for (const char *p = args; p < end; p++) {
		const char *e = literal_end(p);
		char *lit;

		if (!e || e > end)
			continue;
		lit = sh_strn(s->sh, p + 1, (size_t)(e - p - 1));
		if ((p > args + 1 && is_mode(lit) && strpbrk(lit, "wax+>")) ||
			lit[0] == '>')
			return true;
		p = e;
	}
	return word_in(s->lang, "tcl") &&
	       (strstr(sh_strn(s->sh, args, (size_t)(end - args)), " w") ||
		       strstr(sh_strn(s->sh, args, (size_t)(end - args)), " a"));
}

static void network_call(struct scan *s, const char *args, const char *end)
{
	struct values l = {.n = 0};

	values_of(s, args, end, 0, &l);
	for (size_t i = 0; i < l.n; i++)
		if (strstr(l.v[i], "localhost") || !strncmp(l.v[i], "127.", 4) ||
			!strncmp(l.v[i], "http://127.", 11))
			return;
	effect(s->sh, SHELL_SEND, SHELL_NOWHERE, SHELL_HOW_POSSIBLE, s->program,
		l.n ? l.v[0] : sh_strn(s->sh, args, (size_t)(end - args)), "network");
}

/* os.kill(1, ..), kill 9, -1: process 1, or all of them. */
static void kill_call(struct scan *s, const char *args, const char *end)
{
	bool signal_first = word_in(s->lang, "perl ruby tcl");
	size_t i = 0;

	if (strstr(sh_strn(s->sh, args, (size_t)(end - args)), "ppid"))
		effect(s->sh, SHELL_PROCESS, SHELL_NOWHERE, SHELL_HOW_CERTAIN, s->program,
			"ppid", "process-kill");
	for (const char *p = args + (*args == '('); p < end; i++) {
		size_t n = strcspn(p, ",;)=\n");
		const char *q = p + strspn(p, " >=");
		size_t k = strspn(q, "-0123456789");
		char *number = sh_strn(s->sh, q, k);

		if ((i > 0) == signal_first && word_in(number, "-1 1 0"))
			effect(s->sh, SHELL_PROCESS, SHELL_NOWHERE, SHELL_HOW_CERTAIN,
				s->program, number, "process-kill");
		p += n + 1;
	}
}

/* .execute("DROP ..") on another database than a file of one's own. */
static void sql_call(struct scan *s, const char *args, const char *end)
{
	struct values l = {.n = 0};
	const char *w;

	if (strstr(s->text, "sqlite") || strstr(s->text, ":memory:"))
		return;
	values_of(s, args, end, 0, &l);
	if (l.n && (w = sql_destroys(s->sh, l.v[0])))
		effect(s->sh, SHELL_REMOTE, SHELL_NOWHERE, SHELL_HOW_CERTAIN, s->program,
			w, "database");
}

/* source("https://.."), import("https://.."): code from the network. */
static void loading_call(struct scan *s, const char *args, const char *end)
{
	struct values l = {.n = 0};

	values_of(s, args, end, 0, &l);
	if (l.n && (!strncmp(l.v[0], "http://", 7) || !strncmp(l.v[0], "https://", 8)))
		effect(s->sh, SHELL_RUN, SHELL_UNKNOWN, SHELL_HOW_FETCHED, s->program,
			l.v[0], "remote-exec");
}

/* os.chdir("/x"), cwd="/x": paths and commands start there. The first step outside
 * counts.
 */
static void chdir_call(struct scan *s, const char *args, const char *end)
{
	struct values l = {.n = 0};
	const char *path;

	if (is_outside(path_of(s->sh, ".", &path)))
		return;
	if (is_bare(s))
		bare_values(s, args, end, &l);
	else
		values_of(s, args, first_end(args, end), 0, &l);
	if (!l.n || !*l.v[0] || has_hole(l.v[0]))
		return;
	if (*l.v[0] == '~' && (l.v[0][1] == '/' || !l.v[0][1]))
		l.v[0] = sh_cat(s->sh, s->sh->ctx->home, l.v[0] + 1);
	sh_chdir(s->sh, path_join(s->sh, sh_cwd(s->sh), l.v[0]));
	s->moved = args;
}

static bool is_open(const char *at)
{
	return !strncmp(at, "open", 4) || !strncmp(at, "fopen", 5) ||
	       !strncmp(at, "File.open", 9) || !strncmp(at, "io.open", 7) ||
	       !strncmp(at, ".open(", 6);
}

/* open F, "| cmd"; open F, "cmd |"; open F, "|-", "cmd", ..: a command, and no file. */
static void perl_pipe(struct scan *s, const char *args, const char *end)
{
	struct values l = {.n = 0};

	values_of(s, args, end, 0, &l);
	for (size_t i = 0; i < l.n; i++) {
		char *w = l.v[i];
		size_t n = strlen(w);
		struct buf b = {0};

		if (!strcmp(w, "|-") || !strcmp(w, "-|")) {
			for (size_t k = i + 1; k < l.n; k++) {
				const char *q = k == i + 1 && l.n == i + 2
							? l.v[k]
							: sh_quote(s->sh, l.v[k]);

				buf_add(s->sh, &b, q, strlen(q));
				buf_c(s->sh, &b, ' ');
			}
			run_text(s, buf_str(s->sh, &b));
			return;
		}
		if (n > 1 && *w == '|')
			run_text(s, w + 1);
		else if (n > 1 && w[n - 1] == '|')
			run_text(s, sh_strn(s->sh, w, n - 1));
	}
}

static void one_call(struct scan *s, unsigned kind, const char *token, const char *at,
	const char *after)
{
	const char *args = after + strspn(after, " \t");
	const char *end = args_end(args);

	char **cwd = s->sh->st.cwd;
	size_t n_cwd = s->sh->st.n_cwd;
	bool before = s->moved && end <= s->moved;

	s->kinds |= kind;
	if (before) {
		s->sh->st.cwd = s->cwd;
		s->sh->st.n_cwd = s->n_cwd;
	}
	switch (kind) {
	case K_PROCESS: process_call(s, token, at, args, end); break;
	case K_DELETE: path_call(s, SHELL_DELETE, args, end, at); break;
	case K_WRITE:
		if (!strcmp(s->lang, "perl") && is_open(at))
			perl_pipe(s, args, end);
		if (is_open(at) && !opens_for_writing(s, args, end))
			path_call(s, SHELL_READ, args, end, at);
		else
			path_call(s, SHELL_OVERWRITE, args, end, at);
		break;
	case K_COPY: copy_call(s, false, args, end); break;
	case K_MOVE: copy_call(s, true, args, end); break;
	case K_READ: path_call(s, SHELL_READ, args, end, at); break;
	case K_NETWORK: network_call(s, args, end); break;
	case K_KILL: kill_call(s, args, end); break;
	case K_SQL: sql_call(s, args, end); break;
	case K_DYNAMIC: loading_call(s, args, end); break;
	case K_CHDIR: chdir_call(s, args, end); break;
	case K_PRIV:
		effect(s->sh, SHELL_PRIVILEGE, SHELL_NOWHERE, SHELL_PLAIN, s->program,
			token, "privilege");
		break;
	}
	if (before) {
		s->sh->st.cwd = cwd;
		s->sh->st.n_cwd = n_cwd;
	}
}

static bool for_language(const char *langs, const char *lang)
{
	return !*langs || word_in(lang, langs);
}

/* print "unlink": a plain literal holds the word, and nothing here runs text. */
static bool only_said(struct scan *s, const char *at)
{
	static const char *const runs[] = {
		"eval", "exec", "system", "compile", "`", "send", "spawn", "qx", NULL};

	bool python = !strcmp(s->lang, "python"); /* no quotes but those of strings */
	const char *text = python ? without_literals(s->sh, s->text) : s->text;

	for (const char *const *r = runs; *r; r++)
		if (strstr(text, *r))
			return false;
	for (const char *p = s->text; p < at; p++) {
		const char *e = literal_end(p);

		if (!e)
			continue;
		if (e > at) { /* no quote of another kind: it cannot be two literals */
			for (const char *q = p + 1; q < e; q++)
				if (*q == '\\' && strchr("'\"`", q[1]))
					q++;
				else if (strchr(python ? "\n" : "'\"`\\\n", *q))
					return false;
			return true;
		}
		p = e;
	}
	return false;
}

/* Does the text turn one thing into another, so that .decode() may show what was hidden?
 */
static bool unpacks(const char *text)
{
	static const char *const ways[] = {"b64", "base64", "hex", "rot", "zlib", "gzip",
		"bz2", "lzma", "bytes", "codecs", "chr(", "\\x", "b32", "b85", "uu",
		NULL};

	for (const char *const *w = ways; *w; w++)
		if (strstr(text, *w))
			return true;
	return false;
}

/* Are the functions of node's child_process only called, or taken by their own names? */
static bool called_by_name(const char *text)
{
	static const char *const names[] = {"execFileSync", "execFile", "execSync",
		"exec", "spawnSync", "spawn", "fork", NULL};
	bool called = false;

	if (strstr(text, "connect(") || strstr(text, "Socket"))
		return false; /* and what it runs may hang on a connection */
	for (const char *p = text; *p; p++) {
		const char *const *n = names;

		if (p > text && is_word(p[-1]))
			continue;
		while (*n && (strncmp(p, *n, strlen(*n)) || is_word(p[strlen(*n)])))
			n++;
		if (!*n)
			continue;
		p += strlen(*n);
		p += strspn(p, " ");
		if (!*p || !strchr("(},", *p))
			return false;
		called |= *p == '(';
	}
	return called;
}

static char *find_exact(const char *text, const char *token)
{
	return strstr(text, token);
}

static char *find_any_case(const char *text, const char *token)
{
	return strcasestr(text, token);
}

void scan_calls(struct scan *s)
{
	size_t n;
	const char *const *const *rows = table_all(T_CODE, &n);
	bool folds = !strcmp(s->lang, "pwsh"); /* case says nothing there */
	char *(*find)(const char *, const char *) = folds ? find_any_case : find_exact;
	uint64_t pair[128] = {0};

	for (const char *p = s->text; *p; p++) {
		pair[(unsigned char)*p & 127] |= 1ull << ((unsigned char)p[1] & 63);
		pair[(unsigned char)*p & 127] |= 1; /* a token of one byte */
	}

	for (size_t i = 0; i < n; i++) {
		const char *token = rows[i][0];
		size_t len = strlen(token);
		unsigned kind = kind_of(rows[i][1]);

		/* most tokens are ruled out by their first two bytes */
		if (!folds && !(pair[(unsigned char)token[0] & 127] >>
					      ((unsigned char)token[1] & 63) &
				      1))
			continue;
		if (!for_language(rows[i][2], s->lang))
			continue;
		for (const char *p = s->text; (p = find(p, token)); p += len) {
			sh_step(s->sh);
			if (p > s->text && is_word(*token) &&
				(is_word(p[-1]) || p[-1] == '$' || p[-1] == '@'))
				continue;
			if (is_word(token[len - 1]) && is_word(p[len]) &&
				(len < 5 || strcmp(token + len - 4, "http")))
				continue; /* but http is the beginning of https */
			if ((kind & (K_DELETE | K_WRITE | K_COPY | K_MOVE | K_PROCESS)) &&
				only_said(s, p))
				continue;
			if (!strcmp(token, "require(") && literal_end(p + len))
				continue; /* a module by its name */
			if (!strcmp(token, "child_process") && called_by_name(s->text))
				continue; /* its calls have rows of their own */
			if (!strcmp(token, ".decode(") && !unpacks(s->text))
				continue; /* bytes as text: nothing was hidden */
			one_call(s, kind, token, p, p + len - (token[len - 1] == '('));
			if (*token == '`' && strchr(p + 1, '`'))
				p = strchr(p + 1, '`');
		}
	}
}
