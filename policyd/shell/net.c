/*
 * net.c: programs that fetch and send: where what they bring in goes, and whether what
 * they carry out is more than a literal.
 */
#include <string.h>
#include <strings.h>

#include "policyd/shell/special.h"

static bool is_local_host(const char *s)
{
	static const char *const schemes[] = {
		"http://", "https://", "ws://", "tcp:", "TCP:", "TCP4:", "tcp4:", NULL};
	static const char *const hosts[] = {"localhost", "127.", "0.0.0.0", "[::1]",
		"::1", "host.docker.internal", NULL};

	for (const char *const *p = schemes; *p; p++)
		if (!strncmp(s, *p, strlen(*p)))
			s += strlen(*p);
	for (const char *const *p = hosts; *p; p++)
		if (!strncmp(s, *p, strlen(*p)))
			return true;
	return false;
}

static void send_effect(
	struct sh *sh, struct cmd *c, const char *word, enum shell_how how)
{
	effect(sh, SHELL_SEND, SHELL_NOWHERE, how, c->name, word, "network");
}

void redirect_net(struct sh *sh, const char *path)
{
	const char *host = path + 9;

	if (strncmp(path, "/dev/tcp/", 9) && strncmp(path, "/dev/udp/", 9))
		return;
	if (!is_local_host(host))
		effect(sh, SHELL_SEND, SHELL_NOWHERE, SHELL_HOW_CERTAIN, "bash", path,
			"reverse-shell");
}

/* --- curl, wget -----------------------------------------------------------------------
 */

static const char fetch_valued[] = "-o --output -O --output-document -d --data "
				   "--data-raw --data-binary --data-urlencode "
				   "--data-ascii -F --form --form-string -T "
				   "--upload-file -X --request --method -H --header "
				   "-A --user-agent -u --user -e --referer -b --cookie "
				   "-c --cookie-jar -K --config -x --proxy "
				   "-m --max-time --connect-timeout -w --write-out "
				   "--retry --retry-delay --url -r --range "
				   "--post-file --post-data --body-file --body-data "
				   "--json -P --directory-prefix --output-dir "
				   "-i -t --tries --timeout --wait --cacert --cert -E "
				   "--key --resolve --limit-rate -D "
				   "--dump-header -a --append-output -l --level "
				   "--use-askpass --http-user --http-password "
				   "--execute --load-cookies --save-cookies --trace "
				   "--trace-ascii --netrc-file --interface";

static bool carries_file(const char *v)
{
	const char *at = strchr(v, '@');

	return (*v == '@' && v[1]) || (at && at > v && at[-1] == '=') || strstr(v, "=<");
}

struct fetch {
	struct sh *sh;
	struct cmd *c;
	struct opts o;
	bool local; /* every address is this machine */
};

static void fetch_body(struct fetch *f, const struct opt *o)
{
	const char *name = o->name, *v = o->value;

	if (word_in(name, "-T --upload-file --post-file --body-file")) {
		send_effect(f->sh, f->c, v, SHELL_HOW_CERTAIN);
	} else if (word_in(name, "-d --data --data-binary --data-ascii --data-urlencode "
				 "--json -F "
				 "--form --post-data --body-data --data-raw")) {
		bool raw =
			word_in(name, "--data-raw --form-string --post-data --body-data");

		if ((!raw && carries_file(v)) || has_any(v))
			send_effect(f->sh, f->c, v,
				strchr(v, SHELL_ANYTHING) && !carries_file(v)
					? SHELL_HOW_POSSIBLE
					: SHELL_HOW_CERTAIN);
	}
}

static void fetch_option(struct fetch *f, const struct opt *o, bool wget)
{
	const char *name = o->name, *v = o->value;
	struct cmd *c = f->c;

	if (!v)
		return;
	if (!f->local)
		fetch_body(f, o);
	if (word_in(name, "-X --request --method") && !f->local &&
		!strcasecmp(v, "DELETE"))
		effect(f->sh, SHELL_REMOTE, SHELL_NOWHERE, SHELL_HOW_CERTAIN, c->name, v,
			"remote");
	if (word_in(name,
		    wget ? "-O --output-document -o --output-file -a --append-output"
			 : "-o --output -D --dump-header -c --cookie-jar --trace "
			   "--trace-ascii") &&
		strcmp(v, "-"))
		effect_path(f->sh, SHELL_OVERWRITE, c->name, v, SHELL_PLAIN);
	if (word_in(name, "-P --directory-prefix --output-dir --save-cookies"))
		effect_path(f->sh, SHELL_CREATE, c->name, v, SHELL_PLAIN);
	if (word_in(name, "-K --config -b --load-cookies --netrc-file") && strchr(v, '/'))
		effect_path(f->sh, SHELL_READ, c->name, v, SHELL_PLAIN);
	if (word_in(name, "-H --header -A --user-agent -b --cookie") && !f->local &&
		strchr(v, SHELL_FILE))
		send_effect(f->sh, c, v, SHELL_HOW_CERTAIN);
}

/* Where the fetched text ends up: a named file, a file of the URL's name, or the output.
 */
static char *fetch_output(struct fetch *f, bool wget)
{
	const struct opt *out =
		opts_find(&f->o, wget ? "-O --output-document" : "-o --output");

	if (out && out->value && strcmp(out->value, "-")) {
		note_made(f->sh, out->value, HOLE(SHELL_FETCHED), NULL);
		return NULL;
	}
	for (size_t i = 0; i < f->o.n_rest; i++) {
		const char *slash = strrchr(f->o.rest[i], '/');

		if (slash && slash[1] &&
			(wget ? !out
			      : opts_find(&f->o,
					"-O --remote-name -J --remote-name-all") != NULL))
			note_made(f->sh,
				sh_strn(f->sh, slash + 1, strcspn(slash + 1, "?#")),
				HOLE(SHELL_FETCHED), NULL);
	}
	if (wget && !out)
		return NULL;
	return sh_str(f->sh, HOLE(SHELL_FETCHED));
}

char *run_fetch(struct sh *sh, struct cmd *c)
{
	struct fetch f = {.sh = sh, .c = c};
	bool wget = strcmp(c->name, "curl") != 0;
	const char *valued = fetch_valued;

	if (!wget) /* curl's -O and -i take no value */
		valued = sh_cat(sh, strstr(fetch_valued, "-d --data"), " -o --output");
	if (!wget)
		valued = sh_cat(sh,
			sh_strn(sh, valued, (size_t)(strstr(valued, " -i -t ") - valued)),
			strstr(valued, " --tries"));
	opts_read(sh, c, valued, &f.o);
	f.local = f.o.n_rest > 0;
	for (size_t i = 0; i < f.o.n_rest; i++)
		f.local &= is_local_host(f.o.rest[i]);
	for (size_t i = 0; i < f.o.n_opt; i++)
		fetch_option(&f, &f.o.opt[i], wget);
	for (size_t i = 0; i < f.o.n_rest && !f.local; i++) {
		if (strchr(f.o.rest[i], SHELL_FILE) ||
			strchr(f.o.rest[i], SHELL_COMPUTED))
			send_effect(sh, c, f.o.rest[i], SHELL_HOW_CERTAIN);
		if (!strncmp(f.o.rest[i], "file://", 7))
			effect_path(sh, SHELL_READ, c->name, f.o.rest[i], SHELL_PLAIN);
	}
	return fetch_output(&f, wget);
}

/* --- nc, socat, telnet, openssl
 * --------------------------------------------------------- */

char *run_netcat(struct sh *sh, struct cmd *c)
{
	const char *host = NULL;
	struct opts o;
	bool client = true;

	if (!strcmp(c->name, "openssl")) {
		client = c->argc > 1 && !strcmp(c->argv[1], "s_client");
		if (!client) {
			files_apply(sh, c);
			return sh_str(sh, HOLE(SHELL_COMPUTED));
		}
	}
	opts_read(sh, c,
		!strcmp(c->name, "openssl")
			? "1 -connect"
			: "-e --exec -c --sh-exec -p -w -s -i -q -X -x -g -G "
			  "--lua-exec -T -I -O -m",
		&o);
	if (!strcmp(c->name, "socat")) {
		for (size_t i = 0; i < o.n_rest; i++)
			if (!strncasecmp(o.rest[i], "exec:", 5) ||
				!strncasecmp(o.rest[i], "system:", 7) ||
				!strncasecmp(o.rest[i], "shell:", 6))
				effect(sh, SHELL_SEND, SHELL_NOWHERE, SHELL_HOW_CERTAIN,
					c->name, o.rest[i], "reverse-shell");
	} else if (strcmp(c->name, "telnet") && strcmp(c->name, "openssl") &&
		   opts_find(&o, "-e --exec -c --sh-exec --lua-exec")) {
		effect(sh, SHELL_SEND, SHELL_NOWHERE, SHELL_HOW_CERTAIN, c->name, c->name,
			"reverse-shell");
	}
	for (size_t i = 0; i < o.n_opt; i++)
		if (!strcmp(o.opt[i].name, "-connect"))
			host = o.opt[i].value;
	if (!host)
		host = o.n_rest ? o.rest[0] : "";
	if (c->in && has_any(c->in) && !is_local_host(host) && !opts_find(&o, "-z -l"))
		send_effect(sh, c, host, SHELL_HOW_CERTAIN);
	return sh_str(sh, HOLE(SHELL_FETCHED));
}

/* mail, ftp, name look-ups: what comes in, or is put into a name, goes out. */
char *run_carrier(struct sh *sh, struct cmd *c)
{
	bool session = word_in(c->name, "ftp sftp lftp tnftp ncftp");
	bool names = word_in(c->name, "dig nslookup host drill ping traceroute whois");

	if (session && !strcmp(c->name, "sftp"))
		run_copy(sh, c);
	verbs_apply(sh, c);
	hooks_apply(sh, c);
	if (session && c->in && (has_any(c->in) || strstr(c->in, "put ")))
		send_effect(sh, c, c->name, SHELL_HOW_POSSIBLE);
	else if (!session && !names && c->in && has_any(c->in))
		send_effect(sh, c, c->name, SHELL_HOW_CERTAIN);
	for (size_t i = 1; names && i < c->argc; i++)
		if (strchr(c->argv[i], SHELL_FILE) || strchr(c->argv[i], SHELL_COMPUTED))
			send_effect(sh, c, c->argv[i], SHELL_HOW_CERTAIN);
	return sh_str(sh, HOLE(SHELL_ANYTHING));
}

/* --- ssh, scp, rsync
 * ---------------------------------------------------------------------- */

char *run_ssh(struct sh *sh, struct cmd *c)
{
	struct opts o;
	size_t from = sh->n_effects, keep, commands;
	struct state st;
	struct buf text = {0};

	opts_read(sh, c,
		"first -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B",
		&o);
	hooks_apply(sh, c);
	for (size_t i = 0; i < o.n_opt; i++)
		if (!strcmp(o.opt[i].name, "-R"))
			effect(sh, SHELL_SEND, SHELL_NOWHERE, SHELL_HOW_POSSIBLE, c->name,
				o.opt[i].value ? o.opt[i].value : "-R", "network");
	if (c->in && *c->in && has_any(c->in) && o.n_rest && !is_local_host(o.rest[0]))
		send_effect(sh, c, o.rest[0], SHELL_HOW_CERTAIN);
	if (o.n_rest < 2)
		return sh_str(sh, HOLE(SHELL_ANYTHING));
	for (size_t i = 1; i < o.n_rest; i++) {
		buf_add(sh, &text, o.rest[i], strlen(o.rest[i]));
		buf_c(sh, &text, ' ');
	}
	/* over there nothing is covered: every change is one of another system */
	from = keep = sh->n_effects;
	commands = sh->n_commands;
	st = state_copy(sh);
	eval_text(sh, buf_str(sh, &text), NULL, c->name);
	sh->st = st;
	for (size_t i = from; i < sh->n_effects; i++) {
		struct shell_effect e = sh->effects[i];

		if (e.verb == SHELL_READ ||
			(e.verb == SHELL_RUN && e.how == SHELL_HOW_BUILT) ||
			e.verb == SHELL_LEAVE || (e.path && !strncmp(e.path, "/dev/", 5)))
			continue;
		e.class_ = "remote";
		e.place = SHELL_NOWHERE;
		if (e.verb != SHELL_RUN && e.verb != SHELL_SEND) {
			e.verb = SHELL_REMOTE;
			e.how = SHELL_HOW_CERTAIN;
		}
		e.path = NULL;
		sh->effects[keep++] = e;
	}
	sh->n_effects = keep;
	sh->n_commands = commands;
	return sh_str(sh, HOLE(SHELL_ANYTHING));
}

static bool is_remote_path(const char *s)
{
	size_t n = strcspn(s, ":/");

	if (!strncmp(s, "rsync://", 8) || !strncmp(s, "scp://", 6) ||
		!strncmp(s, "sftp://", 7))
		return true;
	return s[n] == ':' && n > 0;
}

char *run_copy(struct sh *sh, struct cmd *c)
{
	bool rsync = !strcmp(c->name, "rsync");
	struct opts o;
	const char *to;

	opts_read(sh, c,
		rsync ? "-e --rsh -f --filter --exclude --include --exclude-from "
			"--include-from "
			"--files-from --rsync-path --log-file --backup-dir --suffix -T "
			"--temp-dir "
			"--compare-dest --copy-dest --link-dest --bwlimit --port "
			"--password-file --chmod "
			"--chown --max-size --min-size -B --block-size -M --remote-option"
		      : "-c -D -F -i -J -l -o -P -S -X -b -B -R",
		&o);
	hooks_apply(sh, c);
	if (opts_find(&o, "-n --dry-run --help --version --list-only") || o.n_rest < 2) {
		if (!strcmp(c->name, "sftp") && opts_find(&o, "-b"))
			send_effect(sh, c, "-b", SHELL_HOW_POSSIBLE);
		return NULL;
	}
	to = o.rest[o.n_rest - 1];
	for (size_t i = 0; i + 1 < o.n_rest; i++) {
		const char *path;

		if (is_remote_path(o.rest[i])) {
			if (opts_find(&o, "--remove-source-files --remove-sent-files"))
				effect(sh, SHELL_REMOTE, SHELL_NOWHERE, SHELL_HOW_CERTAIN,
					c->name, o.rest[i], "remote");
			continue;
		}
		effect_path(sh, SHELL_READ, c->name, o.rest[i], SHELL_PLAIN);
		if (opts_find(&o, "--remove-source-files --remove-sent-files"))
			effect_path(sh, SHELL_DELETE, c->name, o.rest[i], SHELL_PLAIN);
		if (is_remote_path(to) && !is_local_host(to) &&
			path_of(sh, o.rest[i], &path) != SHELL_EMPTY)
			send_effect(sh, c, to, SHELL_HOW_CERTAIN);
	}
	if (!is_remote_path(to)) {
		bool deletes =
			opts_find(&o, "--delete --del --delete-before --delete-after "
				      "--delete-during --delete-delay --delete-excluded");

		effect_path(sh, deletes ? SHELL_DELETE : SHELL_OVERWRITE, c->name, to,
			SHELL_PLAIN);
	}
	return NULL;
}
