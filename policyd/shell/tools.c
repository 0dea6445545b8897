/*
 * tools.c: git, container runners and database clients: what the tables of verbs cannot
 * say about them.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "policyd/shell/special.h"

/* --- containers -------------------------------------------------------------------- */

static void host_effect(struct sh *sh, struct cmd *c, const char *word)
{
	effect(sh, SHELL_HOST, SHELL_NOWHERE, SHELL_HOW_CERTAIN, c->name, word,
		"container-escape");
}

/* -v SOURCE:TARGET, --mount type=bind,source=..: only the workspace may be lent. */
static void mount_source(struct sh *sh, struct cmd *c, const char *value)
{
	const char *src = value, *path;
	enum shell_place p;
	size_t n;
	bool read_only;

	if (strstr(value, "source=") || strstr(value, "src=")) {
		if (!strstr(value, "type=bind"))
			return;
		src = strstr(value, "source=") ? strstr(value, "source=") + 7
					       : strstr(value, "src=") + 4;
		n = strcspn(src, ",");
		read_only = strstr(value, "readonly") || strstr(value, ",ro");
	} else {
		n = strcspn(src, ":");
		read_only = n && strlen(value) > 3 &&
			    !strcmp(value + strlen(value) - 3, ":ro");
		if (!strchr("/.~\1\2\3\4\5\6\7", *src) || !src[n])
			return; /* a named volume */
	}
	src = sh_strn(sh, src, n);
	p = path_of(sh, src, &path);
	if (strstr(src, "docker.sock") || strstr(src, "containerd.sock") ||
		p == SHELL_CREDENTIAL)
		host_effect(sh, c, value);
	else if (is_outside(p) && !(read_only && p == SHELL_SYSTEM && strlen(path) > 1 &&
					  !strncmp(path, "/etc/localtime", 14)))
		host_effect(sh, c, value);
	else if (p == SHELL_UNKNOWN)
		effect(sh, SHELL_HOST, SHELL_NOWHERE, SHELL_HOW_POSSIBLE, c->name, value,
			"container-escape");
}

static bool grants_host(const struct opt *o)
{
	if (word_in(o->name,
		    "--privileged --cap-add --device --userns --cgroupns --security-opt"))
		return !o->value || !strstr(o->value, "no-new-privileges");
	if (word_in(o->name, "--pid --net --network --ipc --uts"))
		return o->value && !strcmp(o->value, "host");
	return false;
}

static bool has_word_arg(const struct cmd *c, const char *words)
{
	for (size_t i = 1; i < c->argc; i++)
		if (word_in(c->argv[i], words))
			return true;
	return false;
}

char *run_docker(struct sh *sh, struct cmd *c)
{
	static const char valued[] =
		"-v --volume --mount --pid --net --network --ipc --uts --cap-add "
		"--device --userns "
		"--security-opt --name -e --env --env-file -p --publish -w --workdir -u "
		"--user "
		"--entrypoint --file --tag --platform -l --label -H --host --context -c "
		"--filter "
		"--format --build-arg --target -m --memory --cpus --gpus -h --hostname "
		"--volumes-from --cgroupns";
	struct opts o;

	/* -t is a tag when building and a flag when running */
	opts_read(sh, c,
		sh_cat(sh, valued, has_word_arg(c, "run exec create") ? "" : " -t -f"),
		&o);
	if (!opts_find(&o, "--help")) {
		for (size_t i = 0; i < o.n_opt; i++) {
			if (grants_host(&o.opt[i]))
				host_effect(sh, c, o.opt[i].name);
			if (word_in(o.opt[i].name, "-v --volume --mount") &&
				o.opt[i].value)
				mount_source(sh, c, o.opt[i].value);
		}
		verbs_apply(sh, c);
	}
	if (o.n_rest > 1 && !strcmp(o.rest[0], "cp") &&
		!strchr(o.rest[o.n_rest - 1], ':'))
		effect_path(
			sh, SHELL_OVERWRITE, c->name, o.rest[o.n_rest - 1], SHELL_PLAIN);
	return sh_str(sh, HOLE(SHELL_ANYTHING));
}

/* --- git ------------------------------------------------------------------------------
 */

static const char git_valued[] =
	"-C -c --git-dir --work-tree --namespace --exec-path --config-env -m --message "
	"-F --file "
	"--author --date -b -B --branch --depth -o --origin --output -n --max-count "
	"--format "
	"--pretty --since --until --exec -x -s --strategy -X --onto -u --upload-pack "
	"--receive-pack "
	"--template --separate-git-dir --reference --pathspec-from-file --tree-filter "
	"--index-filter --env-filter --msg-filter --cleanup -S -G -L --diff-filter "
	"--source "
	"--output-directory -t --track --config";

/* Set for every repository of a person, it runs something from then on. */
static bool is_lasting(const char *kv, const char *value)
{
	static const char *const keys[] = {"core.hookspath=", "core.fsmonitor=",
		"core.sshcommand=", "init.templatedir=", "gpg.program=", "diff.external=",
		"core.gitproxy=", NULL};

	if (word_in(value, "true false"))
		return false;
	for (const char *const *k = keys; *k; k++)
		if (!strncasecmp(kv, *k, strlen(*k)))
			return true;
	return (*value == '!' &&
		(!strncasecmp(kv, "alias.", 6) || !strncasecmp(kv, "credential", 10)));
}

/* core.pager=CMD and its kin; an alias with "!" is a command line. */
static void git_config(struct sh *sh, struct cmd *c, const char *kv, bool keeps)
{
	const char *eq = strchr(kv, '=');
	static const char *const keys[] = {"core.pager", "core.editor", "core.sshcommand",
		"core.fsmonitor", "core.hookspath", "sequence.editor",
		"credential.helper", "diff.external", "core.gitproxy", "gpg.program",
		"uploadpack.packobjectshook", "protocol.ext.allow", "core.askpass", NULL};
	char key[64];
	size_t n;

	if (!eq)
		return;
	n = (size_t)(eq - kv);
	if (keeps && is_lasting(kv, eq + 1))
		effect(sh, SHELL_HOST, SHELL_NOWHERE, SHELL_HOW_POSSIBLE, c->name, kv,
			"persistence");
	if (n >= sizeof(key))
		return;
	for (size_t i = 0; i < n; i++)
		key[i] = (char)tolower((unsigned char)kv[i]);
	key[n] = '\0';
	if (!strncmp(key, "alias.", 6) && eq[1] != '!')
		return;
	if (!strncmp(key, "alias.", 6) || str_in(key, keys) || strstr(key, "textconv") ||
		strstr(key, ".command") || strstr(key, ".cmd") ||
		!strncmp(key, "filter.", 7) || !strncmp(key, "pager.", 6) ||
		strstr(key, ".driver")) {
		code_guess(sh, eq + 1, c->name);
		if (has_any(eq + 1))
			effect(sh, SHELL_RUN, SHELL_UNKNOWN, SHELL_HOW_COMPUTED, c->name,
				kv, "code");
	}
}

static bool git_reads(const char *sub)
{
	return word_in(sub,
		"status log show diff blame ls-files ls-tree ls-remote rev-parse "
		"rev-list describe "
		"cat-file grep shortlog reflog for-each-ref show-ref symbolic-ref "
		"name-rev "
		"merge-base branch tag remote stash config version help count-objects "
		"fsck "
		"check-ignore var whatchanged cherry range-diff diff-tree diff-index");
}

static void git_paths(struct sh *sh, struct cmd *c, struct opts *o, const char *sub)
{
	size_t from = 1;

	if (word_in(sub, "rm")) {
		if (!opts_find(o, "--cached -n --dry-run"))
			for (; from < o->n_rest; from++)
				effect_path(sh, SHELL_DELETE, c->name, o->rest[from],
					SHELL_PLAIN);
	} else if (word_in(sub, "mv")) {
		for (; from < o->n_rest; from++)
			effect_path(sh, SHELL_EDIT, c->name, o->rest[from], SHELL_PLAIN);
	} else if (word_in(sub, "clone")) {
		if (o->n_rest > 2)
			effect_path(sh, SHELL_CREATE, c->name, o->rest[2], SHELL_PLAIN);
		if (o->n_rest > 1 && strstr(o->rest[1], "ext::"))
			code_guess(sh, strstr(o->rest[1], "ext::") + 5, c->name);
	} else if (word_in(sub, "diff grep") && opts_find(o, "--no-index")) {
		for (; from < o->n_rest; from++)
			effect_path(sh, SHELL_READ, c->name, o->rest[from], SHELL_PLAIN);
	} else if (word_in(sub, "init")) {
		if (o->n_rest > 1)
			effect_path(sh, SHELL_CREATE, c->name, o->rest[1], SHELL_PLAIN);
	} else if (word_in(sub, "worktree bundle") && o->n_rest > 2) {
		if (word_in(o->rest[1], "create") && strcmp(o->rest[2], "-"))
			effect_path(sh, SHELL_CREATE, c->name, o->rest[2], SHELL_PLAIN);
		else if (word_in(o->rest[1], "remove"))
			effect_path(sh, SHELL_DELETE, c->name, o->rest[2], SHELL_PLAIN);
	}
	for (size_t i = 0; i < o->n_opt; i++)
		if (!strcmp(o->opt[i].name, "--prefix") && o->opt[i].value &&
			word_in(sub, "checkout-index"))
			effect_path(sh, SHELL_OVERWRITE, c->name, o->opt[i].value,
				SHELL_PLAIN);
	for (size_t i = 0; i < o->n_opt; i++)
		if (o->opt[i].value &&
			word_in(o->opt[i].name, "--output -o --output-directory") &&
			word_in(sub, "archive format-patch diff log show bundle"))
			effect_path(sh, SHELL_OVERWRITE, c->name, o->opt[i].value,
				SHELL_PLAIN);
}

static void git_hooks(struct sh *sh, struct cmd *c, struct opts *o, const char *sub)
{
	struct buf b = {0};
	size_t from = 0;

	for (size_t i = 0; i < o->n_opt; i++)
		if (o->opt[i].value &&
			word_in(o->opt[i].name,
				"--exec -x --tree-filter --index-filter --env-filter "
				"--msg-filter --upload-pack --receive-pack -u "
				"--extcmd") &&
			!(word_in(o->opt[i].name, "-u -x") &&
				!word_in(sub, "rebase clone fetch ls-remote")))
			code_guess(sh, o->opt[i].value, c->name);
	for (size_t i = 1; i < o->n_rest; i++) {
		const char *ext = strstr(o->rest[i], "ext::");
		char *text = ext ? sh_str(sh, ext + 5) : NULL;

		for (char *p = text; p && *p; p++) /* "% " is a blank in a word */
			if (*p == '%' && p[1] == ' ')
				*p = '\\';
		if (text)
			code_guess(sh, text, c->name);
	}
	hooks_apply(sh, c);
	if (word_in(sub, "bisect") && o->n_rest > 2 && !strcmp(o->rest[1], "run"))
		from = 2;
	if (word_in(sub, "submodule") && o->n_rest > 2 && !strcmp(o->rest[1], "foreach"))
		from = 2;
	for (size_t i = from; from && i < o->n_rest; i++) {
		buf_add(sh, &b, o->rest[i], strlen(o->rest[i]));
		buf_c(sh, &b, ' ');
	}
	if (from)
		code_guess(sh, buf_str(sh, &b), c->name);
}

static char *git_output(struct sh *sh, struct opts *o, const char *sub)
{
	if (word_in(sub, "rev-parse") && opts_find(o, "--show-toplevel"))
		return sh_str(sh, sh->ctx->workspace);
	if (word_in(sub, "rev-parse") && opts_find(o, "--git-dir --git-common-dir"))
		return sh_cat(sh, sh->ctx->workspace, "/.git");
	if (word_in(sub, "ls-files") ||
		(word_in(sub, "diff show log ls-tree diff-tree grep") &&
			opts_find(o, "--name-only -l")))
		return sh_str(sh, HOLE(SHELL_BELOW));
	if (word_in(sub, "rev-parse describe symbolic-ref merge-base rev-list config"))
		return sh_str(sh, HOLE(SHELL_NAME));
	return sh_str(sh, HOLE(SHELL_ANYTHING));
}

static bool is_outside_word(struct sh *sh, const char *word)
{
	const char *path;

	return is_outside(path_of(sh, word, &path));
}

/* What is in a fresh clone was fetched by this command. */
static void git_clone(struct sh *sh, struct opts *o)
{
	const char *name = strrchr(o->rest[1], '/');
	char *dir = o->n_rest > 2 ? o->rest[2] : sh_str(sh, name ? name + 1 : o->rest[1]);
	char *git = strstr(dir, ".git");

	if (o->n_rest < 3 && git)
		*git = '\0';
	if (strstr(o->rest[1], "://") || strchr(o->rest[1], '@'))
		note_tree(sh, dir);
}

/* A push to an address that is no configured remote, or of a tree outside. */
static void git_push(struct sh *sh, struct cmd *c, struct opts *o, const char *dir)
{
	const char *to = o->n_rest > 1 ? o->rest[1] : "";
	size_t n = strcspn(to, ":/");

	if (opts_find(o, "--dry-run -n"))
		return;
	if (strstr(to, "://") || (to[n] == ':' && n && strchr(to, '@')) ||
		is_outside_word(sh, dir))
		effect(sh, SHELL_SEND, SHELL_NOWHERE, SHELL_HOW_CERTAIN, c->name,
			*to ? to : dir, "exfil");
}

/* git -c alias.X='VERB ..' X: the command that it stands for, or NULL. */
static const char *git_alias(
	struct sh *sh, const struct opts *o, const char *dir, const char *sub)
{
	for (size_t i = 0; i < o->n_opt; i++) {
		const char *v = o->opt[i].value;
		size_t n = strlen(sub);
		char *text;

		if (!n || !v || strcmp(o->opt[i].name, "-c") ||
			strncasecmp(v, "alias.", 6) || strncmp(v + 6, sub, n) ||
			v[6 + n] != '=')
			continue;
		v += 7 + n;
		if (*v == '!')
			text = sh_str(sh, v + 1);
		else
			text = sh_cat(
				sh, sh_cat3(sh, "git -C ", sh_quote(sh, dir), " "), v);
		for (size_t k = 1; k < o->n_rest; k++)
			text = sh_cat3(sh, text, " ", sh_quote(sh, o->rest[k]));
		return text;
	}
	return NULL;
}

char *run_git(struct sh *sh, struct cmd *c)
{
	const char *dir = ".", *sub, *alias;
	struct var *tree = var_find(sh, "GIT_WORK_TREE");
	struct opts o;

	opts_read(sh, c, git_valued, &o);
	sub = o.n_rest ? o.rest[0] : "";
	if (tree && var_get(sh, "GIT_WORK_TREE"))
		dir = var_get(sh, "GIT_WORK_TREE");
	for (size_t i = 0; i < o.n_opt; i++) {
		const char *v = o.opt[i].value;

		if (v && word_in(o.opt[i].name, "-c --config --config-env") &&
			(strcmp(o.opt[i].name, "-c") || strchr(v, '=')))
			git_config(sh, c, v, false);
		if (v &&
			word_in(o.opt[i].name,
				"-C --work-tree --git-dir --separate-git-dir") &&
			!(word_in(o.opt[i].name, "-C") &&
				word_in(sub, "commit switch")) &&
			!(strcmp(o.opt[i].name, "--work-tree") &&
				is_outside_word(sh, dir)))
			dir = v;
	}
	if ((alias = git_alias(sh, &o, dir, sub)))
		return eval_text(sh, alias, c->in, c->name);
	if (word_in(sub, "config") && o.n_rest > 2)
		git_config(sh, c, sh_cat3(sh, o.rest[1], "=", o.rest[2]),
			opts_find(&o, "--global --system") != NULL);
	if (word_in(sub, "config") && opts_find(&o, "--system"))
		effect_path(sh, SHELL_EDIT, c->name, "/etc/gitconfig", SHELL_PLAIN);
	if (!git_reads(sub) && *sub &&
		!word_in(sub, "clone init maintenance push fetch")) {
		const char *path;
		enum shell_place p = path_of(sh, dir, &path);

		if (is_outside(p))
			effect_path(sh, SHELL_EDIT, c->name, dir, SHELL_PLAIN);
	}
	if (word_in(sub, "clone") && o.n_rest > 1)
		git_clone(sh, &o);
	if (word_in(sub, "push"))
		git_push(sh, c, &o, dir);
	git_paths(sh, c, &o, sub);
	git_hooks(sh, c, &o, sub);
	verbs_apply(sh, c);
	return git_output(sh, &o, sub);
}

/* --- databases -------------------------------------------------------------------------
 */

static bool has_word(const char *s, const char *w)
{
	size_t n = strlen(w);

	for (; *s; s++)
		if (!strncasecmp(s, w, n) && !isalnum((unsigned char)s[n]) && s[n] != '_')
			return true;
	return false;
}

/* @sql without its string literals and comments, unless it runs strings. */
static const char *bare_sql(struct sh *sh, const char *sql)
{
	struct buf b = {0};

	if (has_word(sql, "execute") || has_word(sql, "exec") || has_word(sql, "do") ||
		has_word(sql, "prepare") || has_word(sql, "dblink_exec"))
		return sql;
	if (!strncasecmp(sql + strspn(sql, " \t\n"), "explain ", 8) &&
		!has_word(sql, "analyze"))
		return ""; /* it only plans */
	for (const char *p = sql; *p; p++) {
		const char *end = *p == '\''		 ? strchr(p + 1, '\'')
				  : !strncmp(p, "--", 2) ? strchr(p, '\n')
							 : NULL;

		if (!strncmp(p, "/*", 2) && strncmp(p, "/*!", 3) && strstr(p, "*/"))
			end = strstr(p, "*/") + 1;
		if (end)
			p = end;
		else if (!strncmp(p, "--", 2))
			break;
		buf_c(sh, &b, *p == '\'' || *p == '/' ? ' ' : *p);
	}
	return buf_str(sh, &b);
}

/* The first destroying statement of @sql, or NULL. */
static const char *destroying_sql(const char *sql)
{
	static const char *const words[] = {"drop", "truncate", "delete", "flushall",
		"flushdb", "dropdatabase", "deletemany", "deleteone", "shutdown",
		"detach delete", "dropuser", "debug segfault", "config set",
		"script flush", "remove", "drop()", "unlink", "grant", "revoke",
		"alter user", "alter role", "alter system", "create user", "update",
		"replace into", "load_file", "into outfile", "xp_cmdshell",
		"pg_read_file", "copy", "drop_caches", "swapdb", "failover", "replicaof",
		"slaveof", "purge", "flush_all", NULL};

	for (const char *const *w = words; *w; w++)
		if (has_word(sql, *w))
			return *w;
	return NULL;
}

const char *sql_destroys(struct sh *sh, const char *text)
{
	return destroying_sql(bare_sql(sh, text));
}

/* Files that a statement names itself. */
static void database_files(struct sh *sh, struct cmd *c, const char *text)
{
	static const char *const forms[] = {"writefile('", "writefile(\"",
		"vacuum into '", "VACUUM INTO '", "\\o ", "attach '", "ATTACH '",
		"attach database '", "ATTACH DATABASE '", ".log ", ".open ", ".clone ",
		"tee ", NULL};

	for (const char *const *f = forms; *f; f++) {
		const char *at = strstr(text, *f);

		if (at) {
			at += strlen(*f);
			effect_path(sh, SHELL_EDIT, c->name,
				sh_strn(sh, at, strcspn(at, "'\" ;\n")), SHELL_PLAIN);
		}
	}
}

static void database_text(struct sh *sh, struct cmd *c, const char *text, bool local)
{
	bool quoted =
		word_in(c->name, "psql mysql mariadb sqlcmd sqlite3 duckdb bq snowsql "
				 "clickhouse-client cqlsh sqlplus");
	const char *w = destroying_sql(quoted ? bare_sql(sh, text) : text);
	const char *bang;

	for (bang = text; (bang = strstr(bang, "\\!")); bang += 2)
		code_guess(sh, bang + 2, c->name);
	bang = strstr(text, ".shell");
	if (!bang)
		bang = strstr(text, ".system");
	if (bang)
		code_guess(sh, bang + strcspn(bang, " "), c->name);
	if ((bang = strstr(text, ".output ")) || (bang = strstr(text, ".once ")) ||
		(bang = strstr(text, ".backup ")) || (bang = strstr(text, ".save "))) {
		bang += strcspn(bang, " ") + 1;
		effect_path(sh, SHELL_OVERWRITE, c->name,
			sh_strn(sh, bang, strcspn(bang, " \n'\";")), SHELL_PLAIN);
	}
	database_files(sh, c, text);
	if (local || !w)
		return;
	effect(sh, SHELL_REMOTE, SHELL_NOWHERE, SHELL_HOW_CERTAIN, c->name, w,
		"database");
}

char *run_database(struct sh *sh, struct cmd *c)
{
	bool local = word_in(c->name, "sqlite3 duckdb");
	struct opts o;

	opts_read(sh, c,
		"-h --host -U --username -u --user -p --port -P -d --dbname --database "
		"-e --execute -c "
		"--command -f --file -a -n --eval -H -S -Q -q -i -o --output --query -D "
		"-cmd -init",
		&o);
	verbs_apply(sh, c);
	if (opts_find(&o, "--help --version"))
		return NULL;
	local &= !o.n_rest || strncmp(o.rest[0], "md:", 3) != 0; /* served by others */
	for (size_t i = 0; i < o.n_opt; i++) {
		const char *v = o.opt[i].value;

		if (v && word_in(o.opt[i].name,
				 "-e --execute -c --command --eval -Q -q --query -cmd "
				 "-execute"))
			database_text(sh, c, v, local);
		if (v && word_in(o.opt[i].name, "-o --output --tee --log-file -L"))
			effect_path(sh, SHELL_OVERWRITE, c->name, v, SHELL_PLAIN);
	}
	if (local && o.n_rest && *o.rest[0] != ':')
		effect_path(sh,
			o.n_rest > 1 && destroying_sql(o.rest[1]) ? SHELL_EDIT
								  : SHELL_READ,
			c->name, o.rest[0], SHELL_PLAIN);
	for (size_t i = local ? 1 : 0; i < o.n_rest; i++)
		if (!word_in(c->name, "redis-cli valkey-cli keydb-cli") ||
			strchr(o.rest[i], ' '))
			database_text(sh, c, o.rest[i], local);
	for (size_t i = 1; i < c->argc && !local; i++) /* however it is spelled */
		if (strchr(c->argv[i], ' ') && c->argv[i][0] != '-')
			database_text(sh, c, c->argv[i], local);
	for (size_t i = 0; i < o.n_opt; i++) { /* -f FILE that the command wrote */
		const struct made *m =
			o.opt[i].value && word_in(o.opt[i].name, "-f --file -i")
				? find_made(sh, o.opt[i].value)
				: NULL;

		if (m && m->content)
			database_text(sh, c, m->content, local);
	}
	if (c->in && *c->in)
		database_text(sh, c, c->in, local);
	if (c->in && *c->in == SHELL_FETCHED && !local)
		effect(sh, SHELL_RUN, SHELL_UNKNOWN, SHELL_HOW_FETCHED, c->name, c->in,
			"code");
	return sh_str(sh, HOLE(SHELL_ANYTHING));
}
