/*
 * process.c: what is done to other processes: kill and its kin, and commands that look
 * for processes of others, whose numbers a later kill may take; and work without end.
 *
 * A number alone does not say whose process it is. So where the command itself finds
 * the numbers (pidof dockerd, ps -e, /run/x.pid), that is remembered in sh->foreign
 * until a filter narrows it down to something else, and a kill of a number that is not
 * literal is judged by it.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "policyd/shell/special.h"

static void process_effect(struct sh *sh, struct cmd *c, const char *word)
{
	effect(sh, SHELL_PROCESS, SHELL_NOWHERE, SHELL_HOW_CERTAIN, c->name, word,
		"process-kill");
}

static bool started_here(struct sh *sh, const char *name)
{
	for (size_t i = 0; i < sh->n_commands; i++)
		if (!strcmp(sh->commands[i].program, name))
			return true;
	return false;
}

/* ^name$, [n]ame, /usr/sbin/name: the name of a service that the command did not start?
 */
static bool is_service(struct sh *sh, const char *pattern)
{
	char name[64];
	const char *slash = strrchr(pattern, '/');
	size_t n = 0;

	if (sh->away) /* none over there is ours */
		return true;
	for (const char *p = slash ? slash + 1 : pattern; *p && *p != ' '; p++) {
		if (strchr("^$[]\\()", *p))
			continue;
		if (n + 1 >= sizeof(name))
			return false;
		name[n++] = *p;
	}
	name[n] = '\0';
	if (n && table_row(T_SERVICES, name))
		return !started_here(sh, name);
	memcpy(name + n, "d", n + 2 < sizeof(name) ? 2 : 0); /* ssh fits sshd */
	return n > 2 && n + 2 < sizeof(name) && table_row(T_SERVICES, name) &&
	       !started_here(sh, name);
}

/* A pattern without a letter or digit fits every name. */
static bool fits_all(const char *pattern)
{
	for (; *pattern; pattern++)
		if (isalnum((unsigned char)*pattern) || is_hole(*pattern))
			return false;
	return true;
}

/* --- kill, pkill, killall ------------------------------------------------------------
 */

static void kill_number(struct sh *sh, struct cmd *c, const char *a)
{
	if (!strcmp(a, "-1") || !strcmp(a, "1") || (!strcmp(a, "0") && !sh->in_trap))
		process_effect(sh, c, a);
	else if ((has_hole(a) && (sh->foreign || sh->many)) ||
		 (sh->away && (has_hole(a) || isdigit((unsigned char)*a))))
		process_effect(sh, c, sh->foreign ? sh->foreign : a);
}

static char *run_kill_numbers(struct sh *sh, struct cmd *c)
{
	size_t i = 1, literal = 0;
	const char *a = c->argc > 1 ? c->argv[1] : "";

	if (a[0] == '-' && strcmp(a, "--")) {
		i = 2;
		if (word_in(a, "-l -L --list --table -0"))
			return NULL;
		if (word_in(a, "-s -n --signal")) {
			if (c->argc > 2 && word_in(c->argv[2], "0 EXIT"))
				return NULL;
			i = 3;
		} else if (c->argc == 2) {
			kill_number(sh, c, a); /* kill -1 */
		}
	}
	for (; i < c->argc; i++) {
		kill_number(sh, c, c->argv[i]);
		literal += isdigit((unsigned char)c->argv[i][0]) != 0;
	}
	if (literal > 30)
		process_effect(sh, c, "many numbers");
	return NULL;
}

static const char name_valued[] =
	"-u -U -G -P -g -s -t -F -f? -n -N --user --euid --uid --terminal --group "
	"--pgroup "
	"--parent --session --signal --pidfile --ns --nslist -y --younger-than -o? "
	"--older-than -Z --context -O --older -r? --runstates";

/* pkill, killall, skill, slay: by name, user, terminal. */
static char *run_kill_names(struct sh *sh, struct cmd *whole)
{
	bool all = true, user = false;
	struct cmd rest = *whole, *c = &rest;
	struct opts o;

	/* -KILL, -9: a signal is no bundle of options */
	if (c->argc > 1 && c->argv[1][0] == '-' && c->argv[1][1] &&
		!c->argv[1][1 + strspn(c->argv[1] + 1,
					"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")] &&
		(c->argv[1][2] || isdigit((unsigned char)c->argv[1][1]))) {
		if (!strcmp(c->argv[1], "-0"))
			return NULL;
		c->argv++;
		c->argc--;
	}
	opts_read(sh, c, name_valued, &o);
	if (opts_find(&o, "-l -L --list -V --version --help -h -0"))
		return NULL;
	for (size_t i = 0; i < o.n_opt; i++) {
		const char *name = o.opt[i].name, *v = o.opt[i].value;

		if (word_in(name, "-u -U --user --euid --uid") && (!v || !has_hole(v)))
			process_effect(sh, c, v ? v : name);
		user |= word_in(name, "-u -U --user --euid --uid");
		if (word_in(name, "-t --terminal") ||
			(word_in(name, "-v --inverse") && strcmp(c->name, "killall")))
			process_effect(sh, c, name);
		if (word_in(name, "-P --parent") && v && !strcmp(v, "1"))
			process_effect(sh, c, "the children of process 1");
		user |= word_in(name, "-o -y --older-than --younger-than -O --older");
		all &= !word_in(name, "-P --parent -g --pgroup -s --session -F --pidfile "
				      "--ns");
		if (word_in(name, "-F --pidfile") && v)
			effect_path(sh, SHELL_READ, c->name, v, SHELL_PLAIN);
		if (word_in(name, "-F --pidfile") && sh->foreign)
			process_effect(sh, c, sh->foreign);
	}
	if (word_in(c->name, "skill slay snice")) {
		if (o.n_rest)
			process_effect(sh, c, o.rest[0]);
		return NULL;
	}
	for (size_t i = 0; i < o.n_rest; i++)
		if (is_service(sh, o.rest[i]) || fits_all(o.rest[i]) ||
			(o.rest[i][0] == SHELL_ANYTHING && user))
			process_effect(sh, c, *o.rest[i] ? o.rest[i] : "every process");
	if (!o.n_rest && all && user)
		process_effect(sh, c, "every process of a user");
	return NULL;
}

char *run_kill(struct sh *sh, struct cmd *c)
{
	if (word_in(c->name, "killall5 xkill"))
		process_effect(sh, c, c->name);
	else if (!strcmp(c->name, "kill"))
		return run_kill_numbers(sh, c);
	else
		return run_kill_names(sh, c);
	return NULL;
}

/* A port below 1024 belongs to a service. */
static bool is_low_port(const char *s)
{
	const char *colon = strrchr(s, ':');
	size_t n;

	s = colon ? colon + 1 : s;
	n = strspn(s, "0123456789");
	return n && n < 4 && (!s[n] || s[n] == '/');
}

/* fuser -k PLACE: who holds a port is fair; who holds a part of the system is not. */
char *run_fuser(struct sh *sh, struct cmd *c)
{
	struct opts o;
	const char *path;

	opts_read(sh, c, "-n -N -s? --namespace", &o);
	for (size_t i = 0; opts_find(&o, "-k --kill") && i < o.n_rest; i++)
		if (is_low_port(o.rest[i]))
			process_effect(sh, c, o.rest[i]);
		else if ((o.rest[i][0] == '/' || o.rest[i][0] == '~' ||
				 opts_find(&o, "-m --mount -M")) &&
			 is_outside(path_of(sh, o.rest[i], &path)))
			process_effect(sh, c, o.rest[i]);
	return sh_str(sh, HOLE(SHELL_NAME));
}

/* --- who is looked for ----------------------------------------------------------------
 */

static void look_by_name(struct sh *sh, struct cmd *c)
{
	struct opts o;

	opts_read(sh, c, name_valued, &o);
	sh->foreign = NULL;
	for (size_t i = 0; i < o.n_opt; i++)
		if (word_in(o.opt[i].name, "-u -U --user --euid --uid") &&
			o.opt[i].value && !has_hole(o.opt[i].value))
			sh->foreign = o.opt[i].value;
	for (size_t i = 0; i < o.n_rest; i++)
		if (is_service(sh, o.rest[i]) || fits_all(o.rest[i]))
			sh->foreign = o.rest[i];
}

static void look_by_ps(struct sh *sh, struct cmd *c)
{
	sh->foreign = NULL;
	for (size_t i = 1; i < c->argc; i++) {
		const char *a = c->argv[i];

		if (word_in(a, "-C --ppid -p --pid -s") && i + 1 < c->argc) {
			i++;
			if (is_service(sh, c->argv[i]) ||
				(!strcmp(a, "--ppid") && !strcmp(c->argv[i], "1")))
				sh->foreign = c->argv[i];
		} else if (word_in(a, "-u -U --user") && i + 1 < c->argc) {
			i++;
			if (!has_hole(c->argv[i]))
				sh->foreign = c->argv[i];
		} else if (word_in(a, "-o --format --sort -O") && i + 1 < c->argc) {
			i++;
		} else if (strpbrk(a, a[0] == '-' ? "eA" : "ax") && a[1] != '-' &&
			   strncmp(a, "-o", 2)) {
			sh->foreign = "every process";
		}
	}
}

static void look_by_files(struct sh *sh, struct cmd *c)
{
	struct opts o;
	const char *path;

	opts_read(sh, c, "-i? -u -p -c -g -s? -d +D +d -F?", &o);
	sh->foreign = NULL;
	for (size_t i = 0; i < o.n_opt; i++)
		if ((!strcmp(o.opt[i].name, "-u") && o.opt[i].value &&
			    !has_hole(o.opt[i].value)) ||
			(!strcmp(o.opt[i].name, "-i") && o.opt[i].value &&
				is_low_port(o.opt[i].value)))
			sh->foreign = o.opt[i].value;
	for (size_t i = 0; i < o.n_rest; i++)
		if (is_low_port(o.rest[i]) || is_outside(path_of(sh, o.rest[i], &path)))
			sh->foreign = o.rest[i];
}

/* A filter behind ps: what it keeps is what a kill will take. */
static void narrow(struct sh *sh, struct cmd *c)
{
	bool grep = word_in(c->name, "grep egrep fgrep rg ag");
	struct opts o;

	opts_read(sh, c, grep ? "-e -m -A -B -C" : "-F -v -f", &o);
	if (!c->in || (grep && opts_find(&o, "-v --invert-match")))
		return;
	if (grep && (opts_find(&o, "-e") || o.n_rest)) {
		const struct opt *e = opts_find(&o, "-e");
		const char *p = e && e->value ? e->value : o.rest[0];

		if (!p[strcspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "\1\2\3\4\5\6\7")])
			return; /* numbers: all are kept */
		sh->foreign = is_service(sh, p) ? p : NULL;
	} else if (!grep && o.n_rest && strchr(o.rest[0], '/')) {
		const char *p = strchr(o.rest[0], '/') + 1;

		p = sh_strn(sh, p, strcspn(p, "/"));
		sh->foreign = is_service(sh, p) ? p : NULL;
	}
}

void processes_seen(struct sh *sh, struct cmd *c)
{
	if (word_in(c->name, "pgrep pidof"))
		look_by_name(sh, c);
	else if (!strcmp(c->name, "ps"))
		look_by_ps(sh, c);
	else if (word_in(c->name, "who w users last loginctl") ||
		 (!strcmp(c->name, "screen") && c->argc > 1 &&
			 !strncmp(c->argv[1], "-l", 2)))
		sh->foreign = c->name;
	else if (!strcmp(c->name, "lsof"))
		look_by_files(sh, c);
	else if (!strcmp(c->name, "systemctl") && c->argc > 1 &&
		 !strcmp(c->argv[1], "show"))
		sh->foreign = c->argv[c->argc - 1];
	else if (sh->foreign && word_in(c->name, "grep egrep fgrep rg ag awk gawk sed"))
		narrow(sh, c);
}

/* --- work without end ------------------------------------------------------------------
 */

void endless(struct sh *sh, const char *program, const char *word)
{
	effect(sh, SHELL_PROCESS, SHELL_NOWHERE, SHELL_HOW_CERTAIN, program, word,
		"fork-bomb");
}

/** size_bytes(s): 10G, 512M, 3TB ..; 0 when it is none. */
static double size_bytes(const char *s)
{
	static const char units[] = "kmgtpe";
	char *end;
	double n = strtod(s, &end);
	const char *u = *end ? strchr(units, tolower((unsigned char)*end)) : NULL;

	for (long k = u ? u - units + 1 : 0; k > 0; k--)
		n *= 1024;
	return n;
}

/** too_large(s): a size that fills a usual disk. */
bool too_large(const char *s)
{
	return !has_hole(s) && size_bytes(s) >= 100.0 * 1024 * 1024 * 1024;
}

static bool is_source_without_end(const char *s)
{
	return word_in(s, "/dev/zero /dev/urandom /dev/random /dev/full");
}

/* dd without a count, cat of a device without an end, sizes beyond any disk. */
void check_endless(struct sh *sh, struct cmd *c, const char *out_path)
{
	bool source = !strcmp(c->name, "yes"), counted = false, to_file;
	const char *of = out_path;
	double block = 512, count = 0;

	if (!word_in(c->name,
		    "yes cat dd tail sort tac fallocate truncate mkfile head grep"))
		return;
	for (size_t i = 1; i < c->argc; i++) {
		const char *a = c->argv[i];

		source |= is_source_without_end(a) ||
			  (!strncmp(a, "if=", 3) && is_source_without_end(a + 3));
		counted |= !strncmp(a, "count=", 6) || !strncmp(a, "-n", 2) ||
			   !strncmp(a, "-m", 2) || !strncmp(a, "--max", 5);
		if (!strncmp(a, "of=", 3))
			of = a + 3;
		if (!strncmp(a, "bs=", 3))
			block = size_bytes(a + 3);
		if (!strncmp(a, "count=", 6))
			count = size_bytes(a + 6);
		if (i > 1 && word_in(c->argv[i - 1], "-l -c -s --length --bytes") &&
			strcmp(c->name, "truncate") && too_large(a) && of)
			endless(sh, c->name, a);
		if (!strcmp(c->name, "fallocate") &&
			((!strncmp(a, "-l", 2) && too_large(a + (a[2] ? 2 : 0))) ||
				(i > 1 && word_in(c->argv[i - 1], "-l --length") &&
					too_large(a))))
			endless(sh, c->name, a);
	}
	if (!strcmp(c->name, "dd") && block * count >= 100.0 * 1024 * 1024 * 1024)
		endless(sh, c->name, of ? of : "count");
	to_file = of && strncmp(of, "/dev/", 5);
	if (source && !counted && to_file && word_in(c->name, "yes cat dd"))
		endless(sh, c->name, of);
	if (source && !counted && word_in(c->name, "tail sort tac") && c->argc > 1 &&
		!strncmp(c->argv[c->argc - 1], "/dev/", 5))
		endless(sh, c->name, c->argv[c->argc - 1]);
}
