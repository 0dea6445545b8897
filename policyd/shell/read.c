/*
 * read.c: the library's face: one reading from start to end, and names for people.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policyd/shell/sh.h"

/* A reading and the arena that everything in it lies in. */
struct owned {
	struct shell_reading r;
	struct sh sh;
	struct shell_effect undecided;
};

static void run(struct owned *o, const char *text, const char *const *argv, size_t argc)
{
	struct sh *sh = &o->sh;
	jmp_buf here;
	char **v;

	sh->out = &here;
	if (setjmp(here))
		return;
	if (text) {
		for (const char *p = text; *p; p++)
			if (is_hole(*p))
				sh_stop(sh, "it holds control characters");
		eval_node(sh, sh_parse(sh, text), NULL);
		sh->in_trap = true;
		if (sh->at_exit)
			eval_text(sh, sh->at_exit, NULL, "trap");
		return;
	}
	v = sh_alloc(sh, (argc + 1) * sizeof(char *));
	for (size_t i = 0; i < argc; i++) {
		for (const char *p = argv[i]; *p; p++)
			if (is_hole(*p))
				sh_stop(sh, "it holds control characters");
		v[i] = sh_str(sh, argv[i]);
	}
	run_argv(sh, v, argc, NULL);
}

static void finish(struct owned *o)
{
	struct sh *sh = &o->sh;

	o->r.effects = sh->effects;
	o->r.n_effects = sh->n_effects;
	o->r.commands = sh->commands;
	o->r.n_commands = sh->n_commands;
	o->r.undecided = sh->why;
	/* a command that was left half read spans to the end */
	for (size_t i = 0; sh->why && i < sh->n_commands; i++)
		if (!sh->commands[i].n_effects)
			sh->commands[i].n_effects =
				sh->n_effects - sh->commands[i].first_effect;
}

static int read_any(const struct shell_context *ctx, const char *text,
	const char *const *argv, size_t argc, struct shell_reading **r)
{
	static char *no_args[1];
	struct owned *o = calloc(1, sizeof(*o));

	*r = NULL;
	if (!o)
		return -ENOMEM;
	o->sh.ctx = ctx;
	o->sh.radix = 1;
	o->sh.st.args = no_args;
	if (text && strlen(text) > SHELL_MAX_TEXT)
		o->sh.why = "it is longer than 128 KiB";
	else
		run(o, text, argv, argc);
	finish(o);
	*r = &o->r;
	return 0;
}

int shell_read(
	const struct shell_context *ctx, const char *text, struct shell_reading **r)
{
	return read_any(ctx, text, NULL, 0, r);
}

int shell_read_argv(const struct shell_context *ctx, const char *const *argv, size_t argc,
	struct shell_reading **r)
{
	return read_any(ctx, NULL, argv, argc, r);
}

void shell_free(struct shell_reading *r)
{
	struct owned *o = (struct owned *)r;

	if (!o)
		return;
	sh_free_arena(&o->sh);
	free(o);
}

enum shell_place shell_place_of(
	const struct shell_context *ctx, const char *path, char *out, size_t size)
{
	struct sh sh = {.ctx = ctx, .radix = 1};
	jmp_buf here;
	volatile enum shell_place p = SHELL_UNKNOWN;
	const char *full;

	sh.out = &here;
	if (!setjmp(here)) {
		p = path_of(&sh, path, &full);
		snprintf(out, size, "%s", full ? full : "");
	}
	sh_free_arena(&sh);
	return p;
}

const char *shell_verb_name(enum shell_verb v)
{
	static const char *const names[SHELL_N_VERBS] = {"read", "create", "edit",
		"overwrite", "delete", "meta", "run", "send", "remote", "privilege",
		"host", "process", "leave", "undecided"};

	return (unsigned)v < SHELL_N_VERBS ? names[v] : "undecided";
}

const char *shell_place_name(enum shell_place p)
{
	static const char *const names[SHELL_N_PLACES] = {"nowhere", "workspace", "root",
		"scratch", "cache", "home", "system", "device", "credential", "empty",
		"unknown"};

	return (unsigned)p < SHELL_N_PLACES ? names[p] : "unknown";
}

/* Characters of more than one byte that move the cursor or turn the text around it:
 * controls of Latin 1, marks and overrides of direction, separators of lines. */
static size_t unsafe_char(const char *s)
{
	const unsigned char *u = (const unsigned char *)s;

	if (u[0] == 0xc2 && u[1] >= 0x80 && u[1] < 0xa0)
		return 2;
	if (u[0] != 0xe2 || (u[1] != 0x80 && u[1] != 0x81))
		return 0;
	if (u[1] == 0x81)
		return u[2] >= 0xa6 && u[2] <= 0xa9 ? 3 : 0;
	return u[2] == 0x8e || u[2] == 0x8f || (u[2] >= 0xa8 && u[2] <= 0xae) ? 3 : 0;
}

void shell_show(const char *s, char *out, size_t size)
{
	static const char *const holes[] = {"", "<number>", "*", "<path>", "<unknown>",
		"<downloaded>", "<computed>", "<file content>"};
	size_t n = 0;

	for (; *s && n + 20 < size; s++) {
		unsigned char c = (unsigned char)*s;
		size_t unsafe = unsafe_char(s);

		for (size_t i = 0; i < unsafe; i++)
			n += (size_t)snprintf(
				out + n, size - n, "\\x%02x", (unsigned char)s[i]);
		if (unsafe) {
			s += unsafe - 1;
			continue;
		}
		if (is_hole(c))
			n += (size_t)snprintf(out + n, size - n, "%s", holes[c]);
		else if (c < 32 || c == 127)
			n += (size_t)snprintf(out + n, size - n, "\\x%02x", c);
		else
			out[n++] = *s;
	}
	if (*s) {
		while (n && ((unsigned char)out[n - 1] & 0xc0) == 0x80)
			n--; /* no half of a character */
		if (n && (unsigned char)out[n - 1] >= 0xc0)
			n--;
		n += (size_t)snprintf(out + n, size - n, "...");
	}
	if (size)
		out[n < size ? n : size - 1] = '\0';
}
