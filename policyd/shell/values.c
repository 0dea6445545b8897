/*
 * values.c: what the arguments of a call in other languages' code stand for.
 *
 * A value is a string like a word of shell text: literal, with holes for what is not
 * known. Variables that the code sets once to something of that kind are followed.
 */
#include <ctype.h>
#include <string.h>

#include "policyd/shell/scan.h"

bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The end of a string literal that begins at @p, or NULL. */
const char *literal_end(const char *p)
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
const char *args_end(const char *p)
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

static bool variable(
	struct scan *s, const char *name, size_t n, int hops, struct values *out);

/* "${x}", "#{x}", "{x}", "{$x}" (n bytes): the one value of x, or a hole. */
static const char *inside(struct scan *s, const char *p, size_t n)
{
	struct values l = {.n = 0};
	size_t skip = strspn(p, "$#{"), len = n - skip - (p[n - 1] == '}');
	bool one = false;

	if (skip < n && len && s->hops < MAX_HOPS) {
		const char *name = sh_strn(s->sh, p + skip, len);

		s->hops++;
		while (is_word(*name))
			name++;
		one = !*name && variable(s, name - len, len, s->hops, &l);
		for (size_t i = 1; i < l.n; i++)
			one &= !strcmp(l.v[i], l.v[0]);
		s->hops--;
	}
	return one ? l.v[0] : HOLE(SHELL_ANYTHING);
}

/* "$x", "#{x}", "{x}" inside a literal: HOME is known, and what is set once. */
char *interpolate(struct scan *s, const char *lit, char quote, bool format)
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
		else if ((hash && p[0] == '#' && p[1] == '{') || (format && *p == '{') ||
			 (dollar && *p == '{' && p[1] == '$'))
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
		else {
			const char *v = inside(s, p, n);

			buf_add(s->sh, &b, v, strlen(v));
		}
		p += n - 1;
	}
	return buf_str(s->sh, &b);
}

const char *skip_brackets(const char *p, const char *end)
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
	while (end > from && !is_word(end[-1]))
		end--;
	while (end > from && is_word(end[-1]))
		end--; /* the name of the method */
	if (end > from && end[-1] == '.')
		end--;
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
		else if (word_in(s->lang, "tcl") && p >= s->text + 4 &&
			 !strncmp(p - 4, "set ", 4))
			from = q;
		else if (*q == ',' && in_for(s, p)) /* for root, dirs, files in .. */
			from = in_for(s, p);
		else if (p > s->text &&
			 ((p[-1] == '|' && *q == '|') || !strncmp(q, "=>", 2)))
			each_value(s, p, hops + 1, out);
		if (from && is_bare(s))
			bare_values(s, from, statement_end(from), out);
		else if (from)
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

/* "p.join", where p = require("path"): "path.join". */
static const char *by_module(struct scan *s, const char *name, int hops)
{
	const char *dot = strchr(name, '.');
	struct values l = {.n = 0};

	if (!dot || dot == name || !word_in(s->lang, "javascript") ||
		word_in(name, handing_on) ||
		!variable(s, name, (size_t)(dot - name), hops, &l) || l.n != 1)
		return name;
	if (!word_in(l.v[0], "path node:path"))
		return name;
	return sh_cat(s->sh, "path", dot);
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
	name = by_module(s, sh_strn(s->sh, p, n), hops);
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
void values_of(
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
bool is_bare(const struct scan *s)
{
	return word_in(s->lang, "tcl pwsh vim cmake");
}

void bare_values(struct scan *s, const char *p, const char *end, struct values *out)
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
