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

bool redirect_net(struct sh *sh, const char *path)
{
	const char *host = path + 9;

	if (strncmp(path, "/dev/tcp/", 9) && strncmp(path, "/dev/udp/", 9))
		return false;
	if (!is_local_host(host))
		effect(sh, SHELL_SEND, SHELL_NOWHERE, SHELL_HOW_CERTAIN, "bash", path,
			"reverse-shell");
	return true;
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

/* Ports on which databases, clusters and container engines listen. */
static bool is_data_port(const char *url)
{
	static const char *const ports[] = {":9200", ":5984", ":8086", ":8123", ":2379",
		":8500", ":8200", ":15672", ":8983", ":2375", ":2376", ":7474", ":6333",
		":8529", ":9090/api/v1/admin", ":10250", ":10255", ":6443", ":8001/api",
		":4646", ":9000/minio", ":19530", ":7700", ":8108", NULL};

	for (const char *const *p = ports; *p; p++)
		if (strstr(url, *p))
			return true;
	return false;
}

static bool sounds_like_loss(const char *url)
{
	static const char *const words[] = {"_delete_by_query", "DROP", "drop+",
		"drop%20", "action=UNLOAD", "action=DELETE", "action=delete", "/purge",
		"_flush", "TRUNCATE", "delete_series", "/delete", "clean_tombstones",
		"/shutdown", "_close", NULL};

	for (const char *const *p = words; *p; p++)
		if (strstr(url, *p))
			return true;
	return false;
}

struct fetch {
	struct sh *sh;
	struct cmd *c;
	struct opts o;
	bool local; /* every address is this machine, and no database */
	bool near;  /* every address is this machine */
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

		if (strstr(v, "mutation") &&
			(strstr(v, "delete") || strstr(v, "remove") ||
				strstr(v, "destroy")))
			effect(f->sh, SHELL_REMOTE, SHELL_NOWHERE, SHELL_HOW_CERTAIN,
				f->c->name, v, "remote");
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
	if (!f->near)
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
	bool as_curl = !wget || !strcmp(f->c->name, "fetch"); /* that of BSD */
	const struct opt *out =
		opts_find(&f->o, as_curl ? "-o --output" : "-O --output-document");
	const struct opt *dir = opts_find(
		&f->o, wget ? "-P --directory-prefix -d --dir" : "--output-dir");

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
				sh_cat3(f->sh, dir && dir->value ? dir->value : ".", "/",
					sh_strn(f->sh, slash + 1,
						strcspn(slash + 1, "?#"))),
				HOLE(SHELL_FETCHED), NULL);
	}
	if (wget && !out)
		return NULL;
	return sh_str(f->sh, HOLE(SHELL_FETCHED));
}

/* curl -K FILE: each line is an option and its value. */
static void fetch_config(struct sh *sh, struct cmd *c, const char *name)
{
	const struct made *m = find_made(sh, name);
	const char *text = !strcmp(name, "-") ? c->in : m ? m->content : NULL;
	struct fields f = {0};
	struct cmd d = *c;

	fields_add(sh, &f, c->argv[0], false);
	while (text && *text) {
		size_t n = strcspn(text, "\n"), k;
		char *line = sh_strn(sh, text, n);

		line += strspn(line, " \t");
		line += *line == '-';
		line += *line == '-';
		k = strcspn(line, " \t=:");
		if (k)
			fields_add(sh, &f,
				sh_cat3(sh, k > 1 ? "--" : "-", sh_strn(sh, line, k), ""),
				false);
		line += k + strspn(line + k, " \t=:\"");
		if (*line)
			fields_add(sh, &f, sh_strn(sh, line, strcspn(line, "\"")), false);
		text += n;
		text += *text == '\n';
	}
	d.argv = f.v;
	d.argc = f.n;
	d.in = NULL;
	if (++sh->depth < SHELL_MAX_NESTING && f.n > 1)
		run_fetch(sh, &d);
	sh->depth--;
}

/* A name that is made of something this machine knows: $(whoami).example.org */
static bool carries_name(const char *host)
{
	size_t n = strcspn(host, "/:");
	const char *hole = strpbrk(host, "\2\6\7"), *dot;

	if (!hole || (size_t)(hole - host) > n)
		return false;
	dot = hole[1] == '.' ? strchr(hole + 2, '.') : NULL;
	return dot && (size_t)(dot - host) < n;
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
	verbs_apply(sh, c);
	for (size_t i = 0; i < f.o.n_opt && !wget; i++)
		if (word_in(f.o.opt[i].name, "-K --config") && f.o.opt[i].value)
			fetch_config(sh, c, f.o.opt[i].value);
		else if (!strcmp(f.o.opt[i].name, "--url") && f.o.opt[i].value)
			add_operand(sh, &f.o, f.o.opt[i].value);
	f.local = f.near = f.o.n_rest > 0;
	for (size_t i = 0; i < f.o.n_rest; i++) {
		f.near &= is_local_host(f.o.rest[i]);
		f.local &= f.near && !is_data_port(f.o.rest[i]);
	}
	for (size_t i = 0; i < f.o.n_rest; i++)
		if (is_data_port(f.o.rest[i]) && sounds_like_loss(f.o.rest[i]))
			effect(sh, SHELL_REMOTE, SHELL_NOWHERE, SHELL_HOW_CERTAIN,
				c->name, f.o.rest[i], "database");
	for (size_t i = 0; i < f.o.n_opt; i++)
		fetch_option(&f, &f.o.opt[i], wget);
	for (size_t i = 0; i < f.o.n_rest && !f.local; i++) {
		const char *host = strstr(f.o.rest[i], "://");

		if (strchr(f.o.rest[i], SHELL_FILE) ||
			strchr(f.o.rest[i], SHELL_COMPUTED) ||
			carries_name(host ? host + 3 : f.o.rest[i]))
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
		bool file = false, far = false;

		for (size_t i = 0; i < o.n_rest; i++) {
			const char *colon = strchr(o.rest[i], ':');

			if (!colon)
				continue;
			if (!strncasecmp(o.rest[i], "file:", 5) ||
				!strncasecmp(o.rest[i], "open:", 5) ||
				!strncasecmp(o.rest[i], "gopen:", 6) ||
				!strncasecmp(o.rest[i], "create:", 7)) {
				file = true;
				effect_path(sh,
					strstr(colon, "trunc") ||
							strstr(colon, "creat") ||
							!strncasecmp(o.rest[i], "cr", 2)
						? SHELL_OVERWRITE
						: SHELL_READ,
					c->name,
					sh_strn(sh, colon + 1, strcspn(colon + 1, ",")),
					SHELL_PLAIN);
			} else if (strcasestr(o.rest[i], "tcp") ||
				   strcasestr(o.rest[i], "udp") ||
				   strcasestr(o.rest[i], "openssl")) {
				far |= !is_local_host(colon + 1) &&
				       !strcasestr(o.rest[i], "listen");
			}
		}
		if (file && far)
			send_effect(sh, c, o.rest[o.n_rest - 1], SHELL_HOW_CERTAIN);
		for (size_t i = 0; i < o.n_rest; i++)
			if (!strncasecmp(o.rest[i], "exec:", 5) ||
				!strncasecmp(o.rest[i], "system:", 7) ||
				strstr(o.rest[i], ".sock") ||
				!strncasecmp(o.rest[i], "shell:", 6))
				effect(sh, SHELL_SEND, SHELL_NOWHERE, SHELL_HOW_CERTAIN,
					c->name, o.rest[i], "reverse-shell");
	} else if (strcmp(c->name, "telnet") && strcmp(c->name, "openssl") &&
		   opts_find(&o, "-e --exec -c --sh-exec --lua-exec")) {
		effect(sh, SHELL_SEND, SHELL_NOWHERE, SHELL_HOW_CERTAIN, c->name, c->name,
			"reverse-shell");
	}
	verbs_apply(sh, c);
	for (size_t i = 0; i < o.n_opt; i++)
		if (!strcmp(o.opt[i].name, "-connect"))
			host = o.opt[i].value;
	if (!host)
		host = o.n_rest ? o.rest[0] : "";
	if (c->in && has_any(c->in) && !is_local_host(host) && !opts_find(&o, "-z -l"))
		send_effect(sh, c, host, SHELL_HOW_CERTAIN);
	else if (c->in && sql_destroys(sh, c->in))
		effect(sh, SHELL_REMOTE, SHELL_NOWHERE, SHELL_HOW_CERTAIN, c->name,
			sql_destroys(sh, c->in), "database");
	return sh_str(sh, HOLE(SHELL_FETCHED));
}

/* Lines to sftp and its kin that remove or rename something over there. */
static void session_lines(struct sh *sh, struct cmd *c)
{
	for (const char *p = c->in; *p; p += strcspn(p, "\n")) {
		p += strspn(p, " \t\n-@");
		if (word_in(sh_strn(sh, p, strcspn(p, " \t\n")),
			    "rm rmdir rename delete mdelete del"))
			effect(sh, SHELL_REMOTE, SHELL_NOWHERE, SHELL_HOW_CERTAIN,
				c->name, sh_strn(sh, p, strcspn(p, "\n")), "remote");
	}
}

/* mail, ftp, name look-ups: what comes in, or is put into a name, goes out. */
char *run_carrier(struct sh *sh, struct cmd *c)
{
	bool session = word_in(c->name, "ftp sftp lftp tnftp ncftp tftp");
	bool names =
		word_in(c->name, "dig nslookup host drill ping ping6 traceroute whois "
				 "getent resolvectl mtr fping kdig doggo dog q");

	for (size_t i = 1; session && i < c->argc; i++)
		if (strstr(c->argv[i], "put ") || !strcmp(c->argv[i], "put") ||
			strstr(c->argv[i], "mirror -R") ||
			strstr(c->argv[i], "--reverse") || strstr(c->argv[i], "rm "))
			send_effect(sh, c, c->argv[i], SHELL_HOW_CERTAIN);

	if (session && !strcmp(c->name, "sftp"))
		run_copy(sh, c);
	verbs_apply(sh, c);
	hooks_apply(sh, c);
	if (session && c->in)
		session_lines(sh, c);
	if (session && c->in && (has_any(c->in) || strstr(c->in, "put ")))
		send_effect(sh, c, c->name, SHELL_HOW_POSSIBLE);
	else if (!session && !names && c->in && has_any(c->in))
		send_effect(sh, c, c->name, SHELL_HOW_CERTAIN);
	for (size_t i = 1; names && i < c->argc; i++)
		if (strchr(c->argv[i], SHELL_FILE) ||
			strchr(c->argv[i], SHELL_COMPUTED) || carries_name(c->argv[i]))
			send_effect(sh, c, c->argv[i], SHELL_HOW_CERTAIN);
	return sh_str(sh, HOLE(SHELL_ANYTHING));
}

/* --- ssh, scp, rsync
 * ---------------------------------------------------------------------- */

enum where { REMOTE_HOST, CONTAINER, THROWN_AWAY /* with the container, at its end */ };

/* In a container only what lies in its mounts outlives it, and not what is scratch. */
static bool outlives(const struct shell_effect *e, enum where where)
{
	static const char *const own[] = {"/app", "/src", "/code", "/work", "/usr/src",
		"/build", "/tmp", "/var/tmp", "/var/cache", "/root/.cache", NULL};

	if (e->verb == SHELL_REMOTE || e->verb == SHELL_SEND || e->verb == SHELL_RUN ||
		e->verb == SHELL_UNDECIDED)
		return true;
	if (where == THROWN_AWAY || !is_outside(e->place) || !e->path ||
		(e->verb != SHELL_DELETE && e->verb != SHELL_OVERWRITE))
		return false;
	for (const char *const *p = own; *p; p++)
		if (!strncmp(e->path, *p, strlen(*p)))
			return false;
	return true;
}

/* Over there nothing is covered: every change is one of another system. */
static void elsewhere(struct sh *sh, struct cmd *c, const char *text, enum where where)
{
	size_t from = sh->n_effects, keep = from, commands = sh->n_commands;
	struct state st = state_copy(sh);
	bool guess = sh->guess, away = sh->away;

	sh->guess = true;
	sh->away = where == REMOTE_HOST;
	eval_text(sh, text, c->in, c->name);
	sh->away = away;
	sh->guess = guess;
	sh->st = st;
	for (size_t i = from; i < sh->n_effects; i++) {
		struct shell_effect e = sh->effects[i];

		if (e.verb == SHELL_READ ||
			(e.verb == SHELL_RUN && e.how == SHELL_HOW_BUILT) ||
			e.verb == SHELL_LEAVE ||
			(e.place == SHELL_SCRATCH && e.path &&
				!strncmp(e.path, "/dev/", 5)))
			continue;
		if (where != REMOTE_HOST && !outlives(&e, where))
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
}

/* The words of one alternative, at the beginning of the operands: how many, or 0. */
static size_t words_first(const struct opts *o, const char *item, size_t len)
{
	size_t k = 0;

	for (const char *p = item; p < item + len; k++) {
		size_t n = strcspn(p, ". ");

		if (n > (size_t)(item + len - p))
			n = (size_t)(item + len - p);
		if (k >= o->n_rest || strlen(o->rest[k]) != n || memcmp(o->rest[k], p, n))
			return 0;
		p += n + 1;
	}
	return k;
}

static bool remote_words(const struct opts *o, const char *list, size_t *n)
{
	*n = 0;
	for (const char *p = list; *p;) {
		size_t len = strcspn(p, " ");

		if (len == 1 && *p == '-')
			return true;
		if ((*n = words_first(o, p, len)))
			return true;
		p += len;
		p += *p == ' ';
	}
	return false;
}

/* npx TOOL@VERSION .., uv run TOOL ..: it runs here, by its own name. */
static void run_here(struct sh *sh, struct cmd *c, size_t i)
{
	char **v = sh_alloc(sh, (c->argc - i + 1) * sizeof(char *));
	char *at;

	memcpy(v, c->argv + i, (c->argc - i) * sizeof(char *));
	if (strstr(v[0], "://"))
		effect(sh, SHELL_RUN, SHELL_UNKNOWN, SHELL_HOW_FETCHED, c->name, v[0],
			"remote-exec");
	at = strchr(v[0] + (*v[0] == '@'), '@');
	if (at)
		v[0] = sh_strn(sh, v[0], (size_t)(at - v[0]));
	run_argv(sh, v, c->argc - i, c->in);
}

static void remote_row(struct sh *sh, struct cmd *c, const char *const *row)
{
	bool here = !strcmp(row[4], "here");
	enum where where = strcmp(row[4], "container") ? REMOTE_HOST : CONTAINER;
	struct opts o;
	struct buf text = {0};
	size_t from;

	opts_read(sh, c, row[2], &o);
	if (!remote_words(&o, row[1], &from))
		return;
	if (where == CONTAINER && opts_find(&o, "--rm") &&
		!opts_find(&o, "-v --volume --mount --volumes-from --privileged --pid"))
		where = THROWN_AWAY;
	if (row[3][0] == '-') {
		for (size_t i = 0; i < o.n_opt; i++)
			if (o.opt[i].value && word_in(o.opt[i].name, row[3])) {
				if (here)
					eval_text(sh, o.opt[i].value, NULL, c->name);
				else
					elsewhere(sh, c, o.opt[i].value, where);
			}
		return;
	}
	from += (size_t)(row[3][0] - '0');
	/* the command's own options are no options of ours: take argv from there on */
	for (size_t i = 1; i < c->argc && from < o.n_rest; i++)
		if (here && c->argv[i] == o.rest[from]) {
			run_here(sh, c, i);
			return;
		} else if (!here && (c->argv[i] == o.rest[from] || text.n)) {
			if (!text.n && i > 1 && !strcmp(c->argv[i], "--"))
				continue;
			bool line = !text.n && strpbrk(c->argv[i], " \t\n;|&");
			const char *w = line || (i + 1 == c->argc && !text.n)
						? c->argv[i] /* a command line */
						: sh_quote(sh, c->argv[i]);

			buf_add(sh, &text, w, strlen(w));
			buf_c(sh, &text, ' ');
			if (line)
				break;
		}
	if (text.n)
		elsewhere(sh, c, buf_str(sh, &text), where);
}

void remotes_apply(struct sh *sh, struct cmd *c)
{
	size_t n;
	const char *const *const *rows = table_find(T_REMOTES, c->name, &n);

	for (size_t i = 0; rows && i < n; i++)
		remote_row(sh, c, rows[i]);
}

char *run_ssh(struct sh *sh, struct cmd *c)
{
	struct opts o;
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
	if (o.n_rest < 2) {
		struct cmd shell = *c;

		shell.in = NULL;
		if (c->in && o.n_rest) /* a shell over there reads it */
			elsewhere(sh, &shell, c->in, REMOTE_HOST);
		return sh_str(sh, HOLE(SHELL_ANYTHING));
	}
	for (size_t i = strcmp(o.rest[1], "--") ? 1 : 2; i < o.n_rest; i++) {
		buf_add(sh, &text, o.rest[i], strlen(o.rest[i]));
		buf_c(sh, &text, ' ');
	}
	elsewhere(sh, c, buf_str(sh, &text), REMOTE_HOST);
	return sh_str(sh, HOLE(SHELL_ANYTHING));
}

/* A file that came from elsewhere, at @to or below it by its own name. */
static void note_fetched(struct sh *sh, const char *from, const char *to)
{
	const char *slash = strrchr(from, '/');

	if (!slash)
		slash = strrchr(from, ':');
	note_made(sh, to, HOLE(SHELL_FETCHED), NULL);
	if (slash && slash[1])
		note_made(sh, sh_cat3(sh, to, "/", slash + 1), HOLE(SHELL_FETCHED), NULL);
}

/* aws s3 cp, gsutil cp ..: from a store in the cloud to here. */
void run_store_copy(struct sh *sh, struct cmd *c)
{
	static const char *const schemes[] = {
		"s3://", "gs://", "https://", "az://", "hf://", "oci://", NULL};
	struct opts o;
	const char *from, *to;

	opts_read(sh, c,
		"--profile --region --endpoint-url --exclude --include --acl -o -c", &o);
	for (size_t i = 0; i < o.n_opt; i++)
		if (!strcmp(o.opt[i].name, "--acl") && o.opt[i].value &&
			!strncmp(o.opt[i].value, "public", 6))
			send_effect(sh, c, "--acl", SHELL_HOW_CERTAIN);
	if (o.n_rest < 3 || !word_in(o.rest[o.n_rest > 3 ? o.n_rest - 3 : 0],
				    "cp sync mv get copy rsync"))
		return;
	from = o.rest[o.n_rest - 2];
	to = o.rest[o.n_rest - 1];
	for (const char *const *p = schemes; *p; p++)
		if (!strncmp(from, *p, strlen(*p)) && strncmp(to, *p, strlen(*p)) &&
			!strstr(to, "://") && strcmp(to, "-")) {
			effect_path(sh,
				opts_find(&o, "--delete -d") ? SHELL_DELETE
							     : SHELL_OVERWRITE,
				c->name, to, SHELL_PLAIN);
			note_fetched(sh, from, to);
		}
}

/* name@FILE, name=@FILE, name:=@FILE; but not name=a@example.org. */
static bool names_file(const char *item)
{
	size_t n = strcspn(item, "=@");

	n += item[n] == '=';
	return item[n] == '@' && item[n + 1];
}

/* http METHOD URL ITEM..: items with @ carry files. */
char *run_httpie(struct sh *sh, struct cmd *c)
{
	struct opts o;
	bool local = false, seen = false;

	opts_read(sh, c,
		"-a --auth -A --auth-type -o --output --session -p --print --verify "
		"--timeout --proxy --cert --cert-key --raw -s --style --pretty",
		&o);
	for (size_t i = 0; i < o.n_rest; i++) {
		const char *w = o.rest[i];

		if (strchr(w, '.') || !strncmp(w, "localhost", 9) || *w == ':' ||
			strstr(w, "://")) {
			local |= !seen && (is_local_host(w) || *w == ':');
			if (!seen) {
				seen = true;
				if (!local && (strchr(w, SHELL_FILE) ||
						      strchr(w, SHELL_COMPUTED)))
					send_effect(sh, c, w, SHELL_HOW_CERTAIN);
				continue;
			}
		}
		if (seen && !local &&
			(names_file(w) || strchr(w, SHELL_FILE) ||
				strchr(w, SHELL_COMPUTED)))
			send_effect(sh, c, w, SHELL_HOW_CERTAIN);
	}
	if (!local)
		verbs_apply(sh, c);
	if (c->in && *c->in && has_any(c->in) && !local)
		send_effect(sh, c, c->name, SHELL_HOW_CERTAIN);
	for (size_t i = 0; i < o.n_opt; i++)
		if (word_in(o.opt[i].name, "-o --output") && o.opt[i].value) {
			effect_path(sh, SHELL_OVERWRITE, c->name, o.opt[i].value,
				SHELL_PLAIN);
			if (!local)
				note_made(sh, o.opt[i].value, HOLE(SHELL_FETCHED), NULL);
		}
	return sh_str(sh, HOLE(SHELL_FETCHED));
}

/* Programs that serve a folder to everybody: only the workspace may be shown. */
char *run_server(struct sh *sh, struct cmd *c)
{
	struct opts o;
	const char *path, *dir = ".";

	opts_read(sh, c,
		"-d --directory -p --port -b --bind -r --root --path -t -S -l --listen "
		"-h -a "
		"--address --host",
		&o);
	for (size_t i = 0; i < o.n_opt; i++)
		if (o.opt[i].value &&
			(word_in(o.opt[i].name, "-d --directory --root --path -t -r") ||
				(!strcmp(c->name, "httpd") &&
					word_in(o.opt[i].name, "-h"))))
			dir = o.opt[i].value;
	for (size_t i = 0; i < o.n_rest; i++)
		if (strpbrk(o.rest[i], "/~"))
			dir = o.rest[i];
	if (is_outside(path_of(sh, dir, &path)))
		send_effect(sh, c, dir, SHELL_HOW_CERTAIN);
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
			if (!is_remote_path(to))
				note_fetched(sh, o.rest[i], to);
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
