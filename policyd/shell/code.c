/*
 * code.c: code of other languages given as text: not parsed, but scanned.
 *
 * The table code.tsv lists calls by what they do: process, delete, write, network,
 * and dynamic (code made from data) and hidden (data decoded). A call is judged by the
 * literals in its arguments: a command is read as shell, a path is an effect; a call
 * whose argument is computed, and any call beside hidden or dynamic code, is a question.
 */
#include <ctype.h>
#include <string.h>

#include "policyd/shell/special.h"

enum {
	K_PROCESS = 1,
	K_DELETE = 2,
	K_WRITE = 4,
	K_NETWORK = 8,
	K_DYNAMIC = 16,
	K_HIDDEN = 32,
	K_FORK = 64,
	K_READ = 128,
	K_FETCH = 256,
	K_KILL = 512,
	K_COPY = 1024,
	K_MOVE = 2048,
	K_SQL = 4096,
	K_PRIV = 8192,
	K_CHDIR = 16384,
};

struct scan {
	struct sh *sh;
	const char *lang, *text, *program;
	const char *moved; /* where the text leaves the folder it starts in */
	char **cwd;	   /* that folder */
	size_t n_cwd;
	unsigned kinds;
};

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

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The end of a string literal that begins at @p, or NULL. */
static const char *literal_end(const char *p)
{
	char q = *p == '`' || *p == '\'' || *p == '"' ? *p : 0;
	const char *s = p + 1;

	if (!q)
		return NULL;
	for (; *s; s++) {
		if (*s == '\\' && s[1])
			s++;
		else if (*s == q || (q == '`' && *s == '\'')) /* m4 quotes as well */
			return s;
	}
	return NULL;
}

/* The arguments of a call: to the matching parenthesis, or to the end of the statement.
 */
static const char *args_end(const char *p)
{
	int depth = 0;
	bool paren = *p == '(';

	for (; *p; p++) {
		const char *e = literal_end(p);

		if (e) {
			p = e;
			continue;
		}
		if (*p == '(')
			depth++;
		else if (*p == ')' && --depth <= 0 && paren)
			return p + 1;
		else if ((*p == ';' || *p == '\n' || *p == '}') && !paren)
			return p;
	}
	return p;
}

/* --- values of arguments ---------------------------------------------------------------
 *
 * A value is a string like a word of shell text: literal, with holes for what is not
 * known. Variables that the code sets once to something of that kind are followed.
 */
enum { MAX_VALUES = 64, MAX_HOPS = 4 };

struct values {
	char *v[MAX_VALUES];
	size_t n;
};

/* Calls that hand on the path they are given; those with "join" put slashes between. */
static const char handing_on[] =
	"Path PurePath pathlib.Path os.path.join os.path.abspath os.path.expanduser "
	"os.path.realpath os.path.normpath os.path.expandvars str os.fspath path.join "
	"path.resolve path.normalize require String File.join File.expand_path Pathname "
	"Pathname.new Paths.get Path.of new File java.io.File list sorted glob.glob "
	"glob.iglob Dir.glob Dir glob realpath dirname filepath.Join path.Join "
	"PathBuf::from "
	"Path::new normalizePath file.path joinpath shlex.split split my our const let "
	"var "
	"expanduser iglob glob.sync globSync fs.readdirSync os.listdir os.scandir "
	"os.walk";

static const char at_home[] =
	"os.homedir homedir Path.home pathlib.Path.home Dir.home process.env.HOME "
	"env.HOME os.environ.HOME $ENV{HOME} $env(HOME) $env:HOME $HOME homedir_p "
	"os.UserHomeDir";

static bool is_chain(char c)
{
	return is_word(c) || c == '.' || c == ':' || c == '$' || c == '@';
}

/* "$x", "#{x}", "{x}" inside a literal: HOME is known, all else is not. */
static char *interpolate(struct scan *s, const char *lit, char quote, bool format)
{
	bool dollar =
		word_in(s->lang, "perl php tcl javascript pwsh julia groovy jvm dart");
	bool hash = word_in(s->lang, "ruby elixir");
	struct buf b = {0};

	if (quote == '\'' || (word_in(s->lang, "javascript") && quote != '`'))
		dollar = hash = false;
	for (const char *p = lit; *p; p++) {
		size_t n = 0;

		if (*p == '\\' && p[1] == '$')
			continue;
		if (dollar && *p == '$' && (p[1] == '{' || is_word(p[1])))
			n = p[1] == '{' ? strcspn(p, "}") + 1
					: 1 + strspn(p + 1, "abcdefghijklmnopqrstuvwxyz_:"
							    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0"
							    "123456789");
		else if ((hash && p[0] == '#' && p[1] == '{') || (format && *p == '{'))
			n = strcspn(p, "}") + 1;
		if (!n) {
			buf_c(s->sh, &b, *p);
			continue;
		}
		if (n > 1 && p[n] == '{' && *p == '$' && p[1] != '{') /* $ENV{HOME} */
			n += strcspn(p + n, "}") + 1;
		if (n > strlen(p))
			n = strlen(p);
		if (strstr(sh_strn(s->sh, p, n), "HOME") ||
			strstr(sh_strn(s->sh, p, n), "home"))
			buf_add(s->sh, &b, s->sh->ctx->home, strlen(s->sh->ctx->home));
		else
			buf_c(s->sh, &b, SHELL_ANYTHING);
		p += n - 1;
	}
	return buf_str(s->sh, &b);
}

static const char *skip_brackets(const char *p, const char *end)
{
	int depth = 0;

	for (; p < end && *p; p++) {
		const char *e = literal_end(p);

		if (e && e < end) {
			p = e;
			continue;
		}
		if (strchr("([{", *p))
			depth++;
		else if (strchr(")]}", *p) && --depth <= 0)
			return p + 1;
	}
	return end;
}

static const char *statement_end(const char *p)
{
	int depth = 0;

	for (; *p; p++) {
		const char *e = literal_end(p);

		if (e) {
			p = e;
			continue;
		}
		if (strchr("([{", *p))
			depth++;
		else if (strchr(")]}", *p) && --depth < 0)
			return p;
		else if ((*p == ';' || *p == '\n') && depth <= 0)
			return p;
		else if (*p == ':' && depth <= 0 && (p[1] == '\n' || p[1] == ' '))
			return p; /* for x in ..: */
	}
	return p;
}

static void values_of(
	struct scan *s, const char *p, const char *end, int hops, struct values *out);

/* In "for a, NAME, b in X": where X begins, or NULL. */
static const char *in_for(struct scan *s, const char *name)
{
	size_t n = strcspn(name, ":;\n");
	const char *in = strstr(sh_strn(s->sh, name, n), " in "), *from = name;

	while (from > s->text && from[-1] != '\n' && from[-1] != ';' && from[-1] != '(' &&
		from[-1] != '[')
		from--;
	from += strspn(from, " \t");
	return in && !strncmp(from, "for ", 4) ? name + n - strlen(in) + 4 : NULL;
}

/* X.each { |NAME| .. }, X.forEach(NAME => ..): the values of X. */
static void each_value(struct scan *s, const char *name, int hops, struct values *out)
{
	const char *end = name, *from;

	while (end > s->text && !strchr("{(;\n", end[-1]) && strncmp(end, "do ", 3))
		end--;
	if (end > s->text && (end[-1] == '{' || end[-1] == '('))
		end--;
	for (from = end; from > s->text && !strchr(";\n{=", from[-1]);)
		from--;
	values_of(s, from, end, hops, out);
}

/* Where @name (n bytes) is set: "name =", "name :=", "for name in", "|name|". */
static bool variable(
	struct scan *s, const char *name, size_t n, int hops, struct values *out)
{
	size_t before = out->n;

	if (!n || hops >= MAX_HOPS)
		return false;
	for (const char *p = s->text; (p = strstr(p, sh_strn(s->sh, name, n))); p += n) {
		const char *q = p + n, *from = NULL;

		sh_step(s->sh);
		if ((p > s->text && (is_word(p[-1]) || p[-1] == '.')) || is_word(*q))
			continue;
		q += strspn(q, " \t");
		if (*q == '=' && q[1] != '=' && q[1] != '~' && q[1] != '>')
			from = q + 1;
		else if (*q == ':' && q[1] == '=')
			from = q + 2;
		else if (!strncmp(q, "in ", 3) || !strncmp(q, "of ", 3))
			from = q + 3;
		else if (word_in(s->lang, "tcl") && p > s->text + 4 &&
			 !strncmp(p - 4, "set ", 4))
			from = q;
		else if (*q == ',' && in_for(s, p)) /* for root, dirs, files in .. */
			from = in_for(s, p);
		else if (p > s->text &&
			 ((p[-1] == '|' && *q == '|') || !strncmp(q, "=>", 2)))
			each_value(s, p, hops + 1, out);
		if (from && hops < MAX_HOPS)
			values_of(s, from, statement_end(from), hops + 1, out);
	}
	return out->n > before;
}

struct value {
	struct buf b;
	bool any, join;
};

static void end_value(struct scan *s, struct value *v, struct values *out)
{
	if (v->any && out->n < MAX_VALUES)
		out->v[out->n++] = buf_str(s->sh, &v->b);
	*v = (struct value){0};
}

static void add_value(struct scan *s, struct value *v, const char *text)
{
	v->any = true;
	buf_add(s->sh, &v->b, text, strlen(text));
}

/* A name, a call or a member: what it stands for, or a hole. Returns its end. */
static const char *value_name(struct scan *s, const char *p, const char *end, int hops,
	struct value *v, struct values *out)
{
	size_t n = 0;
	const char *q, *name;
	struct values set = {.n = 0};

	while (p + n < end && is_chain(p[n]))
		n++;
	name = sh_strn(s->sh, p, n);
	q = p + n;
	if (literal_end(q) && word_in(name, "f r b u rb br F R fr rf"))
		return q;
	while (q < end && (*q == ' ' || *q == '\t'))
		q++;
	if (q < end && *q == '=' && q[1] != '=' && q[1] != '>') { /* key=value */
		while (q < end && *q != ',' && *q != ')')
			q = literal_end(q)	? literal_end(q) + 1
			    : strchr("([{", *q) ? skip_brackets(q, end)
						: q + 1;
		return q;
	}
	if (word_in(name, ".homedir .home")) { /* of the module before it */
		v->b = (struct buf){0};
		add_value(s, v, s->sh->ctx->home);
		return *q == '(' ? skip_brackets(q, end) : q;
	}
	if (word_in(name, at_home)) {
		add_value(s, v, s->sh->ctx->home);
		return *q == '(' ? skip_brackets(q, end) : q;
	}
	if (strchr("([{", *q) && q < end &&
		(strstr(name, "environ") || strstr(name, "ENV") || strstr(name, "env"))) {
		const char *e = skip_brackets(q, end);

		add_value(s, v,
			strstr(sh_strn(s->sh, q, (size_t)(e - q)), "HOME")
				? s->sh->ctx->home
				: HOLE(SHELL_ANYTHING));
		return e;
	}
	if (word_in(name, "getenv os.getenv os.Getenv System.getenv Sys.getenv") &&
		*q == '(') {
		add_value(s, v,
			strstr(sh_strn(s->sh, q, (size_t)(skip_brackets(q, end) - q)),
				"HOME")
				? s->sh->ctx->home
				: HOLE(SHELL_ANYTHING));
		return skip_brackets(q, end);
	}
	if (word_in(name,
		    "True False None true false null nil undefined not and or if in "
		    "await return print echo"))
		return q;
	if (name[strspn(name, "0123456789.")] == '\0')
		return q;
	if (q < end && *q == '(') {
		if (word_in(name, handing_on) || (*name == '.' && v->any)) {
			v->join |= strstr(name, "oin") || strstr(name, "resolve");
			if (*name != '.' ||
				word_in(name, ".joinpath .glob .rglob .iterdir "
					      ".format .join"))
				v->join |= *name == '.';
			if (strstr(name, "glob") || strstr(name, "list") ||
				strstr(name, "iterdir") || strstr(name, "walk") ||
				strstr(name, "readdir")) {
				if (v->any) { /* root.glob("*") */
					add_value(s, v, "/");
					add_value(s, v, HOLE(SHELL_BELOW));
					return skip_brackets(q, end);
				}
			}
			if (!strcmp(name, ".format"))
				return skip_brackets(q, end);
			return q + 1;
		}
		add_value(s, v, HOLE(SHELL_ANYTHING));
		return skip_brackets(q, end);
	}
	if (word_in(name, handing_on))
		return q;
	if (*name == '.' && v->any) /* a member of what we have */
		return q;
	if (!strcmp(name, "__dirname") || !strcmp(name, "__file__")) {
		add_value(s, v, sh_cwd(s->sh));
		return q;
	}
	if (variable(s, name, n, hops, &set)) {
		if (!v->any)
			for (size_t i = 1; i < set.n && out->n < MAX_VALUES; i++)
				out->v[out->n++] = set.v[i];
		add_value(s, v, set.v[0]);
		return q;
	}
	add_value(s, v, HOLE(SHELL_ANYTHING));
	return q;
}

/* The values between @p and @end, one for each part between commas. */
static void values_of(
	struct scan *s, const char *p, const char *end, int hops, struct values *out)
{
	struct value v = {.any = false};

	while (p < end && *p) {
		const char *e = literal_end(p);

		sh_step(s->sh);
		if (e && e <= end) {
			bool f = p > s->text && (p[-1] == 'f' || p[-1] == 'F');
			bool format = !strncmp(e + 1, ".format", 7) ||
				      (f && word_in(s->lang, "python"));
			char *lit = sh_unescape(s->sh, p + 1, (size_t)(e - p - 1));

			add_value(s, &v, interpolate(s, lit, *p, format));
			p = e + 1;
		} else if (is_chain(*p)) {
			p = value_name(s, p, end, hops, &v, out);
		} else if (*p == ',' || *p == ']') {
			if (v.join && *p == ',')
				buf_c(s->sh, &v.b, '/');
			else
				end_value(s, &v, out);
			p++;
		} else if (*p == '/' && v.any) { /* Path("a") / "b" */
			buf_c(s->sh, &v.b, '/');
			p++;
		} else if (*p == '{' && (p == s->text || p[-1] != '$')) {
			p = skip_brackets(p, end); /* an object of options, a block */
		} else {
			v.join &= *p != ')';
			p++;
		}
	}
	end_value(s, &v, out);
}

/* Languages whose words need no quotes. */
static bool is_bare(const struct scan *s)
{
	return word_in(s->lang, "tcl pwsh vim cmake");
}

static void bare_values(
	struct scan *s, const char *p, const char *end, struct values *out)
{
	while (p < end) {
		const char *e = literal_end(p);
		struct value v = {.any = false};
		char *w;
		size_t n;

		if (strchr(" \t(),{}", *p)) {
			p++;
			continue;
		}
		if (e && e < end) {
			w = interpolate(
				s, sh_strn(s->sh, p + 1, (size_t)(e - p - 1)), *p, false);
			n = (size_t)(e + 1 - p);
		} else {
			n = strcspn(p, " \t(),\n;\"'");
			if (!strncmp(p, "$env(", 5) || !strncmp(p, "$ENV{", 5))
				n += strcspn(p + n, " \t");
			if (n > (size_t)(end - p))
				n = (size_t)(end - p);
			if (!n) {
				p++;
				continue;
			}
			w = interpolate(s, sh_strn(s->sh, p, n), '"', false);
		}
		if (*w != '-') {
			add_value(s, &v, w);
			end_value(s, &v, out);
		}
		p += n;
	}
}

/* --- calls
 * ------------------------------------------------------------------------------ */

static void computed(struct scan *s, enum shell_verb v, const char *args, const char *end)
{
	effect(s->sh, v, SHELL_UNKNOWN, SHELL_HOW_COMPUTED, s->program,
		sh_strn(s->sh, args, (size_t)(end - args)), "code");
}

/* The code does run it: unlike a guess everything counts but what it leaves behind. */
static void run_text(struct scan *s, const char *text)
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
	if (strpbrk(l.v[0], " \t"))
		run_text(s, l.v[0]);
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
	return *name &&
	       (word_in(name, known) || strstr(s->text, sh_cat(s->sh, "import ", name)));
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

	for (const char *const *r = runs; *r; r++)
		if (strstr(s->text, *r))
			return false;
	for (const char *p = s->text; p < at; p++) {
		const char *e = literal_end(p);

		if (!e)
			continue;
		if (e > at) { /* no quote of another kind: it cannot be two literals */
			for (const char *q = p + 1; q < e; q++)
				if (strchr("'\"`\\\n", *q))
					return false;
			return true;
		}
		p = e;
	}
	return false;
}

static char *find_exact(const char *text, const char *token)
{
	return strstr(text, token);
}

static char *find_any_case(const char *text, const char *token)
{
	return strcasestr(text, token);
}

static void scan_calls(struct scan *s)
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
			if ((kind & (K_DELETE | K_WRITE | K_COPY | K_MOVE)) &&
				only_said(s, p))
				continue;
			if (!strcmp(token, "require(") && literal_end(p + len))
				continue; /* a module by its name */
			one_call(s, kind, token, p, p + len - (token[len - 1] == '('));
			if (*token == '`' && strchr(p + 1, '`'))
				p = strchr(p + 1, '`');
		}
	}
}

/* sed: the commands w, W, r, e and the flags of s that name files or run code. */
static void scan_sed(struct scan *s)
{
	for (const char *p = s->text; *p;) {
		char cmd;

		p += strspn(p, " \t\n;{}0123456789,$!~+");
		while (*p == '/' || (*p == '\\' && p[1])) { /* an address */
			char d = *p == '\\' ? *++p : '/';

			for (p++; *p && *p != d; p++)
				p += *p == '\\' && p[1];
			p += *p == d;
			p += strspn(p, " \t0123456789,$!~+IM{");
		}
		cmd = *p ? *p++ : 0;
		if (cmd == 's' || cmd == 'y') {
			char d = *p;
			int seen = 0;

			for (p += d != 0; *p && seen < 2; p++) {
				if (*p == '\\' && p[1])
					p++;
				else if (*p == d)
					seen++;
			}
			for (; *p && strchr("gpiIeMm0123456789w", *p) && cmd == 's';
				p++) {
				if (*p == 'e')
					effect(s->sh, SHELL_RUN, SHELL_UNKNOWN,
						SHELL_HOW_COMPUTED, s->program, s->text,
						"code");
				if (*p == 'w') {
					cmd = 'w';
					p++;
					break;
				}
			}
		}
		if (cmd == 'w' || cmd == 'W' || cmd == 'r') {
			const char *f = p + strspn(p, " \t");
			size_t n = strcspn(f, "\n;}");

			if (n)
				effect_path(s->sh,
					cmd == 'r' ? SHELL_READ : SHELL_OVERWRITE,
					s->program, sh_strn(s->sh, f, n),
					SHELL_HOW_INLINE);
		}
		if (cmd == 'e')
			code_guess(
				s->sh, sh_strn(s->sh, p, strcspn(p, "\n")), s->program);
		p += strcspn(p, cmd == 'a' || cmd == 'i' || cmd == 'c' ? "\n" : ";\n}");
	}
}

/* vim, ed: "w FILE", "!COMMAND", also behind a range and between bars. */
static void scan_vim(struct scan *s)
{
	for (const char *p = s->text; *p;) {
		size_t n = strcspn(p, "|\n");
		char *line = sh_strn(s->sh, p, n), *w;

		line += strspn(line, " \t:0123456789,$%.'");
		if (*line == '!')
			run_text(s, line + 1);
		w = line + strspn(line, "abcdefghijklmnopqrstuvwxyz");
		if (w > line && strchr("wus", *line) &&
			word_in(sh_strn(s->sh, line, (size_t)(w - line)),
				"w write wq up update sav saveas")) {
			w += strspn(w, "! \t>");
			if (*w && *w != '+')
				effect_path(s->sh, SHELL_OVERWRITE, s->program, w,
					SHELL_HOW_INLINE);
		}
		p += n;
		p += *p != '\0';
	}
}

/* awk: "cmd" | getline, print | "cmd", print > "file". */
static void scan_awk(struct scan *s)
{
	for (const char *p = s->text; *p; p++) {
		const char *e = literal_end(p), *after;
		const char *before = p;
		char *lit;

		if (*p != '"' || !e)
			continue;
		lit = sh_unescape(s->sh, p + 1, (size_t)(e - p - 1));
		after = e + 1 + strspn(e + 1, " \t");
		while (before > s->text && (before[-1] == ' ' || before[-1] == '\t'))
			before--;
		if (*after == '|' && after[1] != '|')
			code_guess(s->sh, lit, s->program);
		else if (before > s->text && before[-1] == '|' &&
			 !(before - 1 > s->text && before[-2] == '|'))
			code_guess(s->sh, lit, s->program);
		else if (before > s->text && before[-1] == '>')
			effect_path(s->sh, SHELL_OVERWRITE, s->program, lit,
				SHELL_HOW_INLINE);
		p = e;
	}
}

/* Beside dynamic code every literal may be what it runs or names. */
static void scan_literals(struct scan *s)
{
	for (const char *p = s->text; *p; p++) {
		const char *e = literal_end(p), *path;
		char *lit;

		if (!e)
			continue;
		lit = sh_unescape(s->sh, p + 1, (size_t)(e - p - 1));
		if (strpbrk(lit, " \t"))
			code_guess(s->sh, lit, s->program);
		else if (*lit == '/' && is_outside(path_of(s->sh, lit, &path)))
			effect(s->sh, SHELL_RUN, SHELL_UNKNOWN, SHELL_HOW_COMPUTED,
				s->program, lit, "code");
		p = e;
	}
}

/* Literals that name a place nobody should read from. */
static void scan_credentials(struct scan *s)
{
	for (const char *p = s->text; *p; p++) {
		const char *e = literal_end(p), *path;
		char *lit;

		if (!e)
			continue;
		lit = sh_strn(s->sh, p + 1, (size_t)(e - p - 1));
		if (*lit == '~' && lit[1] == '/')
			lit = sh_cat(s->sh, s->sh->ctx->home, lit + 1);
		if (*lit == '/' && path_of(s->sh, lit, &path) == SHELL_CREDENTIAL)
			effect_path(s->sh, SHELL_READ, s->program, lit, SHELL_HOW_INLINE);
		p = e;
	}
}

static bool has_one(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (strstr(text, *words))
			return true;
	return false;
}

static const char *without_literals(struct sh *sh, const char *text)
{
	struct buf b = {0};

	for (const char *p = text; *p; p++) {
		const char *e = literal_end(p);

		if (e)
			p = e;
		else
			buf_c(sh, &b, *p);
	}
	return buf_str(sh, &b);
}

/* fork in a loop; a loop without end that starts, or keeps, more and more. */
static bool starts_without_end(struct scan *s)
{
	static const char *const loops[] = {"while True", "while (true", "while(true",
		"while (1", "while(1", "while 1", "for(;;", "for (;;", "loop {",
		"loop do", "while true", "loop{", "1 while", "itertools.count", "forever",
		"setInterval(", NULL};
	static const char *const starts[] = {"Popen", "spawn(", "spawn ", "Thread",
		"fork", "exec(", "Process(", "start(", ".append(", ".push(", "push @",
		"push(", "*= 2", "*=2", "malloc(", " += s", "Worker(", "create_task",
		"<<", "go func", "Buffer.alloc", "bytearray(", "&\")", "&')", "& \")",
		NULL};
	static const char *const ends[] = {"wait", "sleep", "communicate", "break",
		"join(", "input(", ".read(", "readline", "recv", "accept", "getline",
		"return", "exit", NULL};

	static const char *const sizes[] = {"*10**1", "* 10**1", "*10 ** 1", "x 1e1",
		"x1e1", " << 40", "<<40", ".repeat(1e9", "9999999999)", "*(10**1",
		"* (10**1", "1 << 4", "alloc(1e1", NULL};
	const char *waits;

	if ((s->kinds & K_FORK) && (strstr(s->text, "while") || strstr(s->text, "for") ||
					   strstr(s->text, "loop")))
		return true;
	if (has_one(s->text, sizes))
		return true;
	waits = strstr(s->text, "Popen(") || strstr(s->text, "spawn(")
			? without_literals(s->sh, s->text)
			: s->text;
	return has_one(s->text, loops) && has_one(s->text, starts) &&
	       (!has_one(waits, ends) || strstr(s->text, "&\")"));
}

const char *language_of(const char *path)
{
	static const char *const ends[][2] = {{".py", "python"}, {".js", "javascript"},
		{".mjs", "javascript"}, {".cjs", "javascript"}, {".ts", "javascript"},
		{".pl", "perl"}, {".pm", "perl"}, {".rb", "ruby"}, {".php", "php"},
		{".lua", "lua"}, {".tcl", "tcl"}, {".R", "r"}, {".jl", "julia"},
		{".el", "lisp"}, {".go", "go"}, {".rs", "rust"}, {".c", "c"},
		{".cc", "c"}, {".cpp", "c"}, {".java", "jvm"}, {".kts", "jvm"},
		{".groovy", "jvm"}, {".scala", "jvm"}, {".gradle", "jvm"},
		{".cmake", "cmake"}, {"CMakeLists.txt", "cmake"}, {".awk", "awk"},
		{".ps1", "pwsh"}, {".exs", "elixir"}, {"Rakefile", "ruby"},
		{".vim", "vim"}, {".nim", "nim"}, {".swift", "swift"}, {".dart", "dart"},
		{".m", "octave"}, {".erl", "erlang"}, {".hs", "haskell"},
		{".ml", "ocaml"}, {".scm", "lisp"}, {".lisp", "lisp"}};
	size_t n = strlen(path);

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		size_t k = strlen(ends[i][0]);

		if (n >= k && !strcmp(path + n - k, ends[i][0]))
			return ends[i][1];
	}
	return "";
}

/* Each @word( of the text as @full(, @word. as @full. */
static char *rename_all(
	struct sh *sh, const char *text, const char *word, const char *full)
{
	struct buf b = {0};
	size_t n = strlen(word);

	for (const char *p = text; *p;) {
		if (!strncmp(p, word, n) &&
			(p == text || (!is_word(p[-1]) && p[-1] != '.')) &&
			(p[n] == '(' || p[n] == '.')) {
			buf_add(sh, &b, full, strlen(full));
			p += n;
			continue;
		}
		buf_c(sh, &b, *p++);
	}
	return buf_str(sh, &b);
}

/* import subprocess as s; from os import system as f: by their full names. */
static const char *without_aliases(struct sh *sh, const char *text)
{
	const char *p = text;

	for (int k = 0; k < 8 && (p = strstr(p, "import ")); k++) {
		size_t n = strcspn(p, ";\n");
		char *line = sh_strn(sh, p + 7, n - 7), *mod = NULL, *item, *save = NULL;

		for (const char *f = p; f > text && f[-1] != ';' && f[-1] != '\n'; f--)
			if (!strncmp(f - 1, "from ", 5))
				mod = sh_strn(sh, f + 4, strcspn(f + 4, " "));
		for (item = strtok_r(line, ",", &save); item;
			item = strtok_r(NULL, ",", &save)) {
			char *as = strstr(item, " as "), *name;

			item += strspn(item, " (");
			name = sh_strn(sh, item, strcspn(item, " )"));
			if (mod)
				text = rename_all(sh, text,
					as ? sh_strn(sh, as + 4, strcspn(as + 4, " )"))
					   : name,
					sh_cat3(sh, mod, ".", name));
			else if (as)
				text = rename_all(sh, text,
					sh_strn(sh, as + 4, strcspn(as + 4, " )")), name);
		}
		p = strstr(text, "import ");
		for (int i = 0; p && i <= k; i++)
			p = strstr(p + 1, "import ");
		if (!p)
			break;
	}
	return text;
}

void code_text(struct sh *sh, const char *lang, const char *text, const char *program)
{
	struct scan s = {.sh = sh, .lang = lang, .text = text, .program = program};
	char **cwd;
	size_t n_cwd;

	if (!strcmp(lang, "sh")) {
		eval_text(sh, text, NULL, program);
		return;
	}
	if (*text == SHELL_FETCHED || *text == SHELL_COMPUTED ||
		(*text == SHELL_ANYTHING && !text[1])) {
		effect(sh, SHELL_RUN, SHELL_UNKNOWN,
			*text == SHELL_FETCHED ? SHELL_HOW_FETCHED : SHELL_HOW_COMPUTED,
			program, text, "code");
		return;
	}
	if (!strcmp(lang, "python") && strstr(text, "import "))
		text = s.text = without_aliases(sh, text);
	cwd = sh->st.cwd;
	n_cwd = sh->st.n_cwd;
	s.cwd = cwd;
	s.n_cwd = n_cwd;
	sh->st.cwd = sh_alloc(sh, MAX_ALTS * sizeof(*cwd));
	for (size_t i = 0; i < n_cwd; i++)
		sh->st.cwd[i] = cwd[i];
	if (!strcmp(lang, "sed"))
		scan_sed(&s);
	else
		scan_calls(&s);
	if (!strcmp(lang, "awk"))
		scan_awk(&s);
	if (!strcmp(lang, "vim"))
		scan_vim(&s);
	scan_credentials(&s);
	if (s.kinds & K_DYNAMIC)
		scan_literals(&s);
	sh->st.cwd = cwd;
	sh->st.n_cwd = n_cwd;
	if ((strstr(text, "process_iter") || strstr(text, "psutil.pids")) &&
		(strstr(text, ".kill(") || strstr(text, ".terminate(")) &&
		!strstr(text, "name"))
		effect(sh, SHELL_PROCESS, SHELL_NOWHERE, SHELL_HOW_CERTAIN, program, text,
			"process-kill");
	if (starts_without_end(&s))
		endless(sh, program, text);
	if (s.kinds & K_FETCH && s.kinds & (K_DYNAMIC | K_PROCESS))
		effect(sh, SHELL_RUN, SHELL_UNKNOWN, SHELL_HOW_FETCHED, program, text,
			"remote-exec");
	if (s.kinds & K_NETWORK && s.kinds & K_PROCESS)
		effect(sh, SHELL_SEND, SHELL_NOWHERE, SHELL_HOW_CERTAIN, program, text,
			"reverse-shell");
	if ((s.kinds & K_HIDDEN && s.kinds & (K_DYNAMIC | K_PROCESS | K_DELETE)) ||
		(s.kinds & K_DYNAMIC && s.kinds & (K_PROCESS | K_DELETE | K_NETWORK)))
		effect(sh, SHELL_RUN, SHELL_UNKNOWN, SHELL_HOW_COMPUTED, program, text,
			"code");
}

/* What counts from text that only may be a command: what cannot be brought back. */
bool code_counts(const struct shell_effect *e)
{
	switch (e->verb) {
	case SHELL_CREATE:
	case SHELL_EDIT:
	case SHELL_OVERWRITE:
	case SHELL_DELETE:
	case SHELL_META: return is_outside(e->place) || e->place == SHELL_CACHE;
	case SHELL_READ: return e->place == SHELL_CREDENTIAL;
	case SHELL_RUN: return true;
	case SHELL_SEND:
	case SHELL_REMOTE:
	case SHELL_HOST:
	case SHELL_PROCESS:
	case SHELL_PRIVILEGE: return true;
	default: return false;
	}
}

void code_guess(struct sh *sh, const char *text, const char *program)
{
	unsigned depth = sh->depth, calls = sh->calls;
	size_t keep = sh->n_effects, commands = sh->n_commands;
	bool guess = sh->guess;
	struct state st;

	if (*text == SHELL_ANYTHING || *text == SHELL_FILE || !*text)
		return;
	while (*text == '!' || *text == ':' || *text == '|')
		text++;
	if (sh->depth > SHELL_MAX_NESTING)
		sh_stop(sh, "its commands are nested too deeply");
	st = state_copy(sh);
	sh->guess = true;
	eval_text(sh, text, NULL, program);
	sh->guess = guess;
	sh->depth = depth;
	sh->calls = calls;
	sh->st = st;
	for (size_t i = keep; i < sh->n_effects; i++)
		if (code_counts(&sh->effects[i]))
			sh->effects[keep++] = sh->effects[i];
	sh->n_effects = keep;
	sh->n_commands = commands;
}
