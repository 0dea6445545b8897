/*
 * session.c: the interactive session: what is typed is a request for the model, a command
 * of one's own behind !, or one of the table below behind /.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include "agentctl/loop/session.h"
#include "agentctl/repl/lines.h"
#include "agentctl/repl/model.h"
#include "agentctl/repl/options.h"
#include "agentctl/repl/repl.h"
#include "common/cleanup.h"
#include "common/escape.h"
#include "common/mem.h"
#include "txfs/client.h"

#define DIFF_BYTES (256 * 1024)

struct repl {
	struct model model;
	struct session *s;
	struct lines *lines;
	int signal_fd;
	bool quit, colour;
};

/* --- showing --------------------------------------------------------------------------
 */

static void failed(struct repl *r, int e)
{
	if (e != 0 && *session_message(r->s))
		printf("%s\n", session_message(r->s));
	fflush(stdout);
}

static const char *colour_of(const char *line)
{
	switch (*line) {
	case '+': return "\033[32m";
	case '-': return "\033[31m";
	case '~':
	case '>':
	case 'm': return "\033[1m";
	case '@': return "\033[36m";
	default: return NULL;
	}
}

/* Lines of files are a stranger's, too; tabs are harmless. */
static void show_line(const struct repl *r, const char *line, size_t n)
{
	const char *colour = r->colour ? colour_of(line) : NULL;

	if (colour)
		fputs(colour, stdout);
	while (n > 0) {
		const char *tab = memchr(line, '\t', n);
		size_t plain = tab ? (size_t)(tab - line) : n;
		auto_free char *safe = escape_text(line, plain);

		fputs(safe ? safe : "?", stdout);
		if (tab)
			putchar('\t');
		line += tab ? plain + 1 : plain;
		n -= tab ? plain + 1 : plain;
	}
	puts(colour ? "\033[0m" : "");
}

static void show_diff(const struct repl *r, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		show_line(r, text, n);
		text += n + (text[n] == '\n');
	}
	fflush(stdout);
}

static int diff(struct repl *r, const char *path)
{
	auto_free char *text = NULL;
	int e = session_diff(r->s, *path ? path : NULL, DIFF_BYTES, &text);

	if (e == 0 && !*text)
		puts("nothing changed");
	else if (e == 0)
		show_diff(r, text);
	return e;
}

static int status(struct repl *r, const char *rest)
{
	uint64_t added, changed, deleted;
	int e;

	printf("model %s\n", r->model.name);
	if (!session_is_open(r->s)) {
		puts("no transaction is open; the next request begins one");
		return 0;
	}
	e = session_count(r->s, &added, &changed, &deleted);
	if (e == 0)
		printf("workspace %s\ntransaction %llu: %llu added, %llu changed, %llu "
		       "deleted; nothing is published yet\n",
			session_workspace(r->s), (unsigned long long)session_tx(r->s),
			(unsigned long long)added, (unsigned long long)changed,
			(unsigned long long)deleted);
	return e;
}

/* --- commands --------------------------------------------------------------------------
 */

static bool sure(struct repl *r, const char *question)
{
	const char *answer;

	if (!lines_on_terminal(r->lines))
		return true;
	return lines_read_plain(r->lines, question, &answer) == LINES_LINE &&
	       (*answer == 'y' || *answer == 'Y');
}

static int commit(struct repl *r, const char *rest)
{
	int e;

	if (strcmp(rest, "-y") != 0) {
		e = diff(r, "");
		if (e != 0)
			return e;
		if (!sure(r, "publish this? [y/N] ")) {
			puts("not published");
			return 0;
		}
	}
	return session_end(r->s, WORK_COMMIT);
}

static int abort_work(struct repl *r, const char *rest)
{
	return session_end(r->s, WORK_ABORT);
}

static int undo(struct repl *r, const char *rest)
{
	unsigned long step = 0;
	unsigned int undone = 0;
	int e;

	if (*rest && !options_count(rest, 1000000, &step)) {
		puts("/undo takes a step's number, or nothing for the last one");
		return 0;
	}
	e = session_back(r->s, (unsigned int)step, &undone);
	if (e == 0)
		printf("undone: step %u%s\n", undone, step ? " and all after it" : "");
	return e;
}

static int savepoint(struct repl *r, const char *rest)
{
	int e = session_savepoint(r->s, rest);

	if (e == 0)
		printf("savepoint %s\n", rest);
	return e;
}

static int rollback(struct repl *r, const char *rest)
{
	int e = session_back_to(r->s, rest);

	if (e == 0)
		printf("back at savepoint %s\n", rest);
	return e;
}

static int why(struct repl *r, const char *rest)
{
	const char *command;
	const struct policy_answer *a = session_refusal(r->s, &command);
	auto_free char *shown = a ? escape_text(command, strlen(command)) : NULL;

	if (!a) {
		puts("nothing was refused");
		return 0;
	}
	printf("refused: %s\nbecause: %s\nrule: %s, class %s\n", shown ? shown : "?",
		a->reason, a->rule, a->class_);
	if (*a->suggest)
		printf("instead: %s\n", a->suggest);
	puts("more: policyd explain 'COMMAND'");
	return 0;
}

static int model(struct repl *r, const char *rest)
{
	struct model next = r->model;
	auto_free char *words = mem_strdup(rest);
	char *name = words ? strchr(words, ' ') : NULL;

	if (!*rest) {
		printf("model %s\n", r->model.name);
		return 0;
	}
	if (name)
		*name++ = 0;
	if (!words || !model_choose(&next, words, name)) {
		puts("/model embedded, /model DIRECTORY, or /model URL NAME");
		return 0;
	}
	if (session_model(r->s, &next.o) != 0)
		return 0;
	model_keep(&r->model, &next);
	return 0;
}

static int quit(struct repl *r, const char *rest)
{
	r->quit = true;
	return 0;
}

static int help(struct repl *r, const char *rest);

static const struct command {
	const char *name, *arguments, *about;
	int (*act)(struct repl *r, const char *rest);
} commands[] = {
	{"diff", "[PATH]", "what changed so far", diff},
	{"status", "", "the transaction and the model", status},
	{"undo", "[STEP]", "undo the last step, or a step and all after it", undo},
	{"commit", "[-y]", "publish all changes, after a look at them", commit},
	{"abort", "", "drop all changes", abort_work},
	{"savepoint", "NAME", "remember this state", savepoint},
	{"rollback", "NAME", "go back to a savepoint", rollback},
	{"why", "", "why the last command was refused", why},
	{"model", "[MODEL [NAME]]", "show or change the model", model},
	{"help", "", "this list", help},
	{"quit", "", "leave; what is open is kept", quit},
};

static int help(struct repl *r, const char *rest)
{
	puts("a request for the model, !COMMAND to run one yourself, or");
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
		printf("  /%-10s%-16s%s\n", commands[i].name, commands[i].arguments,
			commands[i].about);
	puts("Ctrl-C ends a step, Ctrl-D the session");
	return 0;
}

static int command(struct repl *r, const char *line)
{
	size_t n = strcspn(line, " ");
	const char *rest = line + n + strspn(line + n, " ");

	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
		if (n > 0 && strlen(commands[i].name) == n &&
			strncmp(commands[i].name, line, n) == 0)
			return commands[i].act(r, rest);
	}
	puts("there is no such command; see /help");
	return 0;
}

/* --- line by line ---------------------------------------------------------------------
 */

static char *prompt(struct repl *r)
{
	uint64_t added = 0, changed = 0, deleted = 0;

	if (!session_is_open(r->s))
		return mem_strdup("agentctl> ");
	session_count(r->s, &added, &changed, &deleted);
	return mem_printf("agentctl [%llu +%llu ~%llu -%llu]> ",
		(unsigned long long)session_tx(r->s), (unsigned long long)added,
		(unsigned long long)changed, (unsigned long long)deleted);
}

static char *trimmed(const char *line)
{
	size_t n;

	line += strspn(line, " \t");
	n = strlen(line);
	while (n > 0 && strchr(" \t\r", line[n - 1]))
		n--;
	return mem_printf("%.*s", (int)n, line);
}

static void obey(struct repl *r, const char *typed)
{
	auto_free char *line = trimmed(typed);
	int e, signo;

	if (!line || !*line)
		return;
	if (*line == '/')
		e = command(r, line + 1);
	else if (*line == '!')
		e = session_run(r->s, line + 1);
	else
		e = session_ask(r->s, line);
	failed(r, e);
	signo = session_signal(r->s);
	if (e == -EINTR && signo != SIGINT)
		r->quit = true;
}

/* A signal of the step that ended must not end the next line. */
static void drain(struct repl *r)
{
	struct signalfd_siginfo si;

	while (read(r->signal_fd, &si, sizeof si) == sizeof si)
		r->quit = r->quit || si.ssi_signo != SIGINT;
}

static void talk(struct repl *r)
{
	const char *line;

	while (!r->quit) {
		auto_free char *text = prompt(r);
		enum lines_end end;

		drain(r);
		if (r->quit || !text)
			break;
		fflush(NULL);
		end = lines_read(r->lines, text, &line);
		if (end == LINES_ENDED)
			break;
		if (end == LINES_LINE)
			obey(r, line);
	}
}

static int block_signals(void)
{
	static const int ours[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
		sigaddset(&set, ours[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void greet(struct repl *r)
{
	if (!lines_on_terminal(r->lines))
		return;
	puts("Nothing that is done here is published before /commit. /help says more.");
}

static void leave(struct repl *r)
{
	uint64_t added = 0, changed = 0, deleted = 0;
	uint64_t tx = session_tx(r->s);

	session_count(r->s, &added, &changed, &deleted);
	session_free(r->s);
	if (tx && added + changed + deleted > 0)
		fprintf(stderr, "go on: agentctl --resume %llu\n",
			(unsigned long long)tx);
}

static int run(struct repl *r, uint64_t resume)
{
	auto_free char *state = NULL;
	auto_free char *history = NULL;
	int e;

	if (txfs_state_dir(&state) == 0)
		history = mem_printf("%s/history", state);
	r->colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	r->signal_fd = block_signals();
	e = lines_open(&r->lines, r->signal_fd, history);
	if (e == 0 && resume)
		e = session_resume(r->s, resume);
	if (e == 0) {
		greet(r);
		talk(r);
	}
	leave(r);
	lines_close(r->lines);
	if (r->signal_fd >= 0)
		close(r->signal_fd);
	return e ? 125 : 0;
}

static int open_session(struct repl *r)
{
	unsigned long tx = 0;

	if (r->model.resume && !options_count(r->model.resume, ~0ul >> 1, &tx)) {
		fprintf(stderr, "agentctl: --resume takes a transaction's number\n");
		return 2;
	}
	if (session_new(&r->s, &r->model.o) != 0)
		return 125;
	return run(r, tx);
}

int repl_session(int argc, char **argv)
{
	struct repl r = {0};
	int first = model_options(&r.model, argc, argv, true);
	int status = first == argc ? open_session(&r) : 2;

	if (first >= 0 && first < argc)
		fprintf(stderr, "agentctl: unknown verb '%s'; see `agentctl --help`\n",
			argv[first]);
	model_free(&r.model);
	return status;
}
