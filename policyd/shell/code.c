/*
 * code.c: code of other languages given as text: not parsed, but scanned.
 *
 * Calls (calls.c) and the values of their arguments (values.c), the languages of editors
 * (editors.c), and here what only the whole text shows: dynamic beside hidden, a loop
 * without end, places nobody should read from.
 */
#include <string.h>

#include "policyd/shell/scan.h"

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

const char *without_literals(struct sh *sh, const char *text)
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

/* "$x = 1" as a command line would run what $x is: no sign that it is one. */
static bool only_a_variable(const struct shell_effect *e)
{
	return e->verb == SHELL_RUN && e->how == SHELL_HOW_COMPUTED &&
	       !strcmp(e->word, HOLE(SHELL_ANYTHING));
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
		if (code_counts(&sh->effects[i]) && !only_a_variable(&sh->effects[i]))
			sh->effects[keep++] = sh->effects[i];
	sh->n_effects = keep;
	sh->n_commands = commands;
}
