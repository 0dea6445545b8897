/*
 * lines.c: libedit where a person types. It is loaded when it is needed, since every
 * other use of agentctl would pay for it at its start.
 *
 * Signals stay blocked: the wait for a key looks at a signalfd as well, so that Ctrl-C
 * ends a line and nothing else.
 */
#include <dlfcn.h>
#include <errno.h>
#include <histedit.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>
#include "agentctl/repl/lines.h"
#include "common/mem.h"

enum { REMEMBERED = 1000 };

/** What is taken from the library. */
struct libedit {
	void *library;
	__typeof__(&el_init) el_init;
	__typeof__(&el_end) el_end;
	__typeof__(&el_set) el_set;
	__typeof__(&el_get) el_get;
	__typeof__(&el_gets) el_gets;
	__typeof__(&history_init) history_init;
	__typeof__(&history_end) history_end;
	__typeof__(&history) history;
};

struct lines {
	struct libedit lib;
	EditLine *el; /* NULL: lines are read as they are */
	History *history;
	const char *file, *prompt;
	int signal_fd;
	bool cancelled, ended;
	char *line;
	size_t cap;
};

static bool load(struct libedit *l)
{
	l->library = dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL);
	if (!l->library)
		return false;
#define TAKE(name) (l->name = (__typeof__(l->name))dlsym(l->library, #name))
	return TAKE(el_init) && TAKE(el_end) && TAKE(el_set) && TAKE(el_get) &&
	       TAKE(el_gets) && TAKE(history_init) && TAKE(history_end) && TAKE(history);
#undef TAKE
}

/* --- keys -----------------------------------------------------------------------------
 */

/* 1: a byte; 0: the end of the line, or of all lines. */
static int read_byte(struct lines *l, char *c)
{
	struct pollfd p[2] = {{.fd = STDIN_FILENO, .events = POLLIN},
		{.fd = l->signal_fd, .events = POLLIN}};
	struct signalfd_siginfo si;
	ssize_t n;

	if (poll(p, 2, -1) < 0)
		return errno == EINTR ? read_byte(l, c) : 0;
	if (p[1].revents && read(l->signal_fd, &si, sizeof si) == sizeof si) {
		l->cancelled = si.ssi_signo == SIGINT;
		l->ended = !l->cancelled;
		return 0;
	}
	n = read(STDIN_FILENO, c, 1);
	if (n < 0 && errno == EINTR)
		return read_byte(l, c);
	l->ended = n <= 0;
	return n == 1;
}

static struct lines *lines_of(EditLine *el, const struct libedit *lib);

/* A key for libedit. Ctrl-C ends the line, as Enter does. */
static int get_key(EditLine *el, wchar_t *out)
{
	struct lines *l = lines_of(el, NULL);
	mbstate_t state = {0};
	char c;

	for (;;) {
		size_t n;

		if (!read_byte(l, &c)) {
			*out = L'\n';
			return l->cancelled ? 1 : 0;
		}
		n = mbrtowc(out, &c, 1, &state);
		if (n == (size_t)-2)
			continue;
		if (n == (size_t)-1)
			*out = L'?';
		return 1;
	}
}

/* libedit hands back what was given to it. */
static struct lines *lines_of(EditLine *el, const struct libedit *lib)
{
	static const struct libedit *known;
	struct lines *l = NULL;

	if (lib)
		known = lib;
	if (el)
		known->el_get(el, EL_CLIENTDATA, &l);
	return l;
}

static const char *prompt_of(EditLine *el)
{
	return lines_of(el, NULL)->prompt;
}

/* --- opening --------------------------------------------------------------------------
 */

static void remember_nothing(struct lines *l)
{
	if (l->history)
		l->lib.history_end(l->history);
	l->history = NULL;
}

static void open_history(struct lines *l)
{
	HistEvent ev;

	l->history = l->lib.history_init();
	if (!l->history)
		return;
	if (l->lib.history(l->history, &ev, H_SETSIZE, REMEMBERED) < 0) {
		remember_nothing(l);
		return;
	}
	l->lib.history(l->history, &ev, H_SETUNIQUE, 1);
	if (l->file)
		l->lib.history(l->history, &ev, H_LOAD, l->file);
	l->lib.el_set(l->el, EL_HIST, l->lib.history, l->history);
}

static void open_editor(struct lines *l)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !load(&l->lib))
		return;
	setlocale(LC_CTYPE, "");
	l->el = l->lib.el_init("agentctl", stdin, stdout, stderr);
	if (!l->el)
		return;
	lines_of(NULL, &l->lib);
	l->lib.el_set(l->el, EL_CLIENTDATA, l);
	l->lib.el_set(l->el, EL_PROMPT, prompt_of);
	l->lib.el_set(l->el, EL_EDITOR, "emacs");
	l->lib.el_set(l->el, EL_SIGNAL, 0);
	l->lib.el_set(l->el, EL_GETCFN, get_key);
	open_history(l);
}

int lines_open(struct lines **out, int signal_fd, const char *history)
{
	struct lines *l = mem_zalloc(sizeof *l);

	*out = l;
	if (!l)
		return -ENOMEM;
	l->signal_fd = signal_fd;
	l->file = history;
	open_editor(l);
	return 0;
}

void lines_close(struct lines *l)
{
	HistEvent ev;
	mode_t mask;

	if (!l)
		return;
	if (l->history && l->file) {
		mask = umask(0177);
		l->lib.history(l->history, &ev, H_SAVE, l->file);
		umask(mask);
	}
	remember_nothing(l);
	if (l->el)
		l->lib.el_end(l->el);
	if (l->lib.library)
		dlclose(l->lib.library);
	free(l->line);
	free(l);
}

bool lines_on_terminal(const struct lines *l)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

/* --- reading --------------------------------------------------------------------------
 */

static bool put(struct lines *l, size_t at, char c)
{
	if (at + 1 >= l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 256;
		char *more = realloc(l->line, cap);

		if (!more)
			return false;
		l->line = more;
		l->cap = cap;
	}
	l->line[at] = c;
	l->line[at + 1] = 0;
	return true;
}

static enum lines_end read_raw(struct lines *l, const char *prompt)
{
	size_t n = 0;
	char c;

	if (lines_on_terminal(l)) {
		fputs(prompt, stdout);
		fflush(stdout);
	}
	if (!put(l, 0, 0))
		return LINES_ENDED;
	while (read_byte(l, &c)) {
		if (c == '\n')
			return LINES_LINE;
		if (!put(l, n++, c))
			return LINES_ENDED;
	}
	if (l->cancelled)
		return LINES_CANCELLED;
	return n > 0 ? LINES_LINE : LINES_ENDED;
}

static enum lines_end read_edited(struct lines *l, const char *prompt)
{
	const char *got;
	int n = 0;

	l->prompt = prompt;
	got = l->lib.el_gets(l->el, &n);
	if (l->cancelled) {
		puts("^C");
		return LINES_CANCELLED;
	}
	if (!got || n <= 0 || l->ended) {
		putchar('\n');
		return LINES_ENDED;
	}
	while (n > 0 && (got[n - 1] == '\n' || got[n - 1] == '\r'))
		n--;
	free(l->line);
	l->cap = 0;
	l->line = mem_printf("%.*s", n, got);
	return l->line ? LINES_LINE : LINES_ENDED;
}

enum lines_end lines_read_plain(struct lines *l, const char *prompt, const char **text)
{
	enum lines_end end;

	l->cancelled = l->ended = false;
	end = l->el ? read_edited(l, prompt) : read_raw(l, prompt);
	*text = end == LINES_LINE ? l->line : "";
	return end;
}

enum lines_end lines_read(struct lines *l, const char *prompt, const char **text)
{
	enum lines_end end = lines_read_plain(l, prompt, text);
	HistEvent ev;

	/* as in a shell, a line that begins with a blank is not remembered */
	if (end == LINES_LINE && l->history && **text && **text != ' ')
		l->lib.history(l->history, &ev, H_ENTER, *text);
	return end;
}
