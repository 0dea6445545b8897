/*
 * verbs.c: programs whose first words say what they do to another system or to the host
 * (git push, kubectl delete, systemctl stop), from the table verbs.tsv; options that
 * run code, from hooks.tsv; and programs that no table knows.
 *
 * A row of verbs.tsv: program, class, how many plain words may be verbs, options that
 * take a value, what an unlisted verb means, then three lists: safe, risky, and risky
 * only for the workspace. An item is WORD, WORD.WORD (in sequence), with globs, and
 * may end in /OPTION or /OPTION=VALUE (which must be there too), /^TEXT (an operand
 * that begins so), /~GLOB (a word of the command line) or />TEXT (the last operand begins
 * so and the one before does not); an item in the safe list that begins with ! wins over
 * risky ones.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "policyd/shell/sh.h"

struct verb {
	struct sh *sh;
	struct cmd *c;
	struct opts o;
	size_t depth;	/* how many operands may be verbs */
	bool publishes; /* a word of publishing counts behind the first one, too */
};

/* The words of @item, in sequence, somewhere among the operands that may be verbs. */
static bool words_match(struct verb *v, const char *item, size_t depth)
{
	size_t n = strcspn(item, "/");

	if (!n)
		return true;
	for (size_t i = 0; i < depth && i < v->o.n_rest; i++) {
		const char *p = item;

		for (size_t k = i; p < item + n && k < v->o.n_rest; k++) {
			size_t len = strcspn(p, "./");
			char one[64];

			if (len >= sizeof(one))
				return false;
			memcpy(one, p, len);
			one[len] = '\0';
			if (fnmatch(one, v->o.rest[k], FNM_CASEFOLD))
				break;
			p += len;
			p += *p == '.';
		}
		if (p >= item + n)
			return true;
	}
	return false;
}

static bool condition(struct verb *v, const char *cond)
{
	size_t n = strcspn(cond, "=");

	if (*cond == '^') {
		for (size_t i = 1; i < v->o.n_rest; i++)
			if (!strncmp(v->o.rest[i], cond + 1, strlen(cond + 1)))
				return true;
		return false;
	}
	if (*cond == '~') {
		for (size_t i = 1; i < v->c->argc; i++)
			if (!fnmatch(cond + 1, v->c->argv[i], 0))
				return true;
		return false;
	}
	if (*cond == '>') {
		size_t last = v->o.n_rest - 1, len = strlen(cond + 1);

		return v->o.n_rest > 1 && !strncmp(v->o.rest[last], cond + 1, len) &&
		       strncmp(v->o.rest[last - 1], cond + 1, len);
	}
	for (size_t i = 0; i < v->o.n_opt; i++) {
		const struct opt *o = &v->o.opt[i];

		if (strlen(o->name) != n || strncmp(o->name, cond, n))
			continue;
		if (!cond[n] || (o->value && !strcasecmp(o->value, cond + n + 1)))
			return true;
	}
	return false;
}

static bool item_matches(struct verb *v, const char *item, bool strong)
{
	const char *slash = strchr(item, '/');

	return words_match(v, item, strong ? 1 : v->depth) &&
	       (!slash || condition(v, slash + 1));
}

/* The first item of @list that matches, or NULL; with @strong only those with !. */
static const char *list_match(struct verb *v, const char *list, bool strong)
{
	for (const char *p = list; *p;) {
		size_t n = strcspn(p, " ");
		char *item = sh_strn(v->sh, p, n);

		sh_step(v->sh);
		if (strong == (*item == '!') && item_matches(v, item + strong, strong))
			return item;
		p += n;
		p += *p == ' ';
	}
	return NULL;
}

/*
 * A word that sounds like destruction, or like publishing, whole or as a part:
 * delete-bucket, db:drop. With @kind only words of that kind count.
 */
static bool sounds(struct sh *sh, const char *w, const char *kind)
{
	char part[32];
	const char *const *row;

	if (*w == '/' || *w == '.' || strchr(w, '='))
		return false;
	while (*w) {
		size_t n = strcspn(w, "-_:./,");

		if (n && n < sizeof(part)) {
			for (size_t i = 0; i < n; i++)
				part[i] = (char)(w[i] >= 'A' && w[i] <= 'Z' ? w[i] + 32
									    : w[i]);
			part[n] = '\0';
			row = table_row(T_DESTRUCTION, part);
			/* "publish" is telling alone, not in "deploy-prod" or "deploy/x"
			 */
			if (row && (kind ? !strcmp(row[1], kind)
					 : strcmp(row[1], "publish") || w[n] == '\0'))
				return true;
		}
		w += n;
		w += *w != '\0';
	}
	return false;
}

static const char *find_destruction(struct verb *v)
{
	for (size_t i = 0; i < v->depth && i < v->o.n_rest; i++)
		if (i && strchr(v->o.rest[i], '/')) /* job/delete-rows: a name */
			continue;
		else if (sounds(v->sh, v->o.rest[i],
				 i && !v->publishes ? "ends" : NULL) ||
			 (i && sounds(v->sh, v->o.rest[i], "")))
			return v->o.rest[i];
	for (size_t i = 0; i < v->o.n_opt; i++) { /* --revoke, whole */
		const char *w = v->o.opt[i].name;

		if (w[0] == '-' && w[1] == '-' && !strchr(w + 2, '-') &&
			sounds(v->sh, w + 2, "ends"))
			return w;
	}
	return NULL;
}

static void found(
	struct verb *v, const char *const *row, enum shell_how how, const char *word)
{
	static const char local[] =
		"host-service-state host-packages block-device kernel-memory "
		"defense-evasion privesc-accounts persistence "
		"container-escape container-destroy fs-destroy process "
		"credential-access system-files";
	enum shell_verb verb = word_in(row[1], local) ? SHELL_HOST : SHELL_REMOTE;

	effect(v->sh, verb, SHELL_NOWHERE, how, v->c->name, word, row[1]);
}

/* The words that @item names, and its option: compose down -v. */
static const char *operand_text(struct verb *v, const char *item)
{
	size_t n = strcspn(item, "/"), words = 1;
	bool option = item[n] && item[n + 1] == '-';
	const char *text;

	if (!n || !v->o.n_rest)
		return option	     ? item + n + 1
		       : v->o.n_rest ? v->o.rest[0]
		       : n	     ? sh_strn(v->sh, item, n)
				     : item;
	text = v->o.rest[0];
	for (size_t i = 0; i < n; i++)
		if (item[i] == '.' && words < v->o.n_rest)
			text = sh_cat3(v->sh, text, " ", v->o.rest[words++]);
	return option ? sh_cat3(v->sh, text, " ", item + n + 1) : text;
}

/* mkfs.ext4 disk.img: a disk that is a file in the workspace. */
static bool image_only(struct verb *v, const char *const *row)
{
	const char *path, *image = NULL;

	if (strcmp(row[1], "block-device"))
		return false;
	for (size_t i = 0; i < v->o.n_rest; i++) {
		enum shell_place p = path_of(v->sh, v->o.rest[i], &path);

		if (!image && strchr(v->o.rest[i], '.'))
			image = v->o.rest[i];

		if (p != SHELL_WORKSPACE &&
			(p != SHELL_SCRATCH || !strncmp(path, "/dev", 4)))
			return false;
	}
	if (image)
		effect_path(v->sh, SHELL_OVERWRITE, v->c->name, image, SHELL_PLAIN);
	return image != NULL;
}

static void judge(struct verb *v, const char *const *row)
{
	const char *def = row[4], *word;

	if (list_match(v, row[5], true) || opts_find(&v->o, "--help -help") ||
		(!v->o.n_rest && opts_find(&v->o, "--version")) ||
		(v->o.n_rest && !strcmp(v->o.rest[0], "help")) ||
		(v->o.n_rest > 1 && !strcmp(v->c->name, "aws") &&
			!strcmp(v->o.rest[v->o.n_rest - 1], "help")) ||
		(v->o.n_opt && !strcmp(v->o.opt[v->o.n_opt - 1].name, "-h") &&
			!strcmp(v->c->argv[v->c->argc - 1], "-h")))
		return;
	v->publishes =
		strcmp(row[1], "k8s-destroy") && v->o.n_rest > 1 &&
		!word_in(v->o.rest[0], "get list show describe view logs log info");
	if (image_only(v, row))
		return;
	if ((word = list_match(v, row[6], false))) {
		found(v, row, SHELL_HOW_CERTAIN, operand_text(v, word));
		return;
	}
	if ((word = list_match(v, row[7], false))) {
		effect_path(v->sh, SHELL_DELETE, v->c->name, ".", SHELL_PLAIN);
		return;
	}
	if (list_match(v, row[5], false))
		return;
	if (!strcmp(def, "deny"))
		found(v, row, SHELL_HOW_CERTAIN, v->o.n_rest ? v->o.rest[0] : v->c->name);
	else if (!strcmp(def, "operand") && v->o.n_rest)
		found(v, row, SHELL_HOW_CERTAIN, v->o.rest[0]);
	else if (!strcmp(def, "option") && (v->o.n_rest || v->o.n_opt))
		found(v, row, SHELL_HOW_CERTAIN,
			v->o.n_rest ? v->o.rest[0] : v->o.opt[0].name);
	else if (!strcmp(def, "words") && (word = find_destruction(v)))
		found(v, row, SHELL_HOW_POSSIBLE, word);
	else if (!strcmp(def, "words") && v->o.n_rest &&
		 v->o.rest[0][0] == SHELL_ANYTHING)
		found(v, row, SHELL_HOW_POSSIBLE, v->o.rest[0]);
}

/* ./deploy is a script of the workspace, node_modules/.bin/deploy the tool. */
static bool is_own_script(struct sh *sh, const char *word)
{
	static const char *const tools[] = {"node_modules/", "vendor/bin/", "venv/bin/",
		"bin/rails", "bin/rake", "bin/console", "bin/cake", "bin/magento",
		"gradlew", "mvnw", ".py", "artisan", ".phar", ".jar", ".local/bin",
		"cargo/bin", "go/bin", NULL};
	const char *path;

	if (!strchr(word, '/') || path_of(sh, word, &path) != SHELL_WORKSPACE)
		return false;
	for (const char *const *p = tools; *p; p++)
		if (strstr(word, *p))
			return false;
	return true;
}

/* RAILS_ENV=test rails db:reset: what tests are run on is made anew all the time. */
static bool on_test_data(struct sh *sh)
{
	static const char *const names[] = {
		"RAILS_ENV", "RACK_ENV", "APP_ENV", "NODE_ENV", "MIX_ENV", NULL};

	for (const char *const *p = names; *p; p++) {
		const char *v = var_find(sh, *p) ? var_get(sh, *p) : NULL;

		if (v && !strcmp(v, "test"))
			return true;
	}
	return false;
}

bool verbs_apply(struct sh *sh, struct cmd *c)
{
	static const char frameworks[] =
		"rails rake artisan console mix sequelize knex prisma";
	size_t n;
	const char *const *const *rows = table_find(T_VERBS, c->name, &n);

	if (rows && is_own_script(sh, c->argv[0]))
		return false;
	for (size_t i = 0; rows && i < n; i++) {
		struct verb v = {.sh = sh, .c = c};

		if (!strcmp(rows[i][1], "db-destroy") && word_in(c->name, frameworks) &&
			on_test_data(sh))
			continue;
		opts_read(sh, c, rows[i][3], &v.o);
		v.depth = (size_t)atoi(rows[i][2]);
		judge(&v, rows[i]);
	}
	return rows != NULL;
}

/*
 * Options that run something: program, options, kind. Kinds: sh (a command line),
 * prog (one word, a program), code:LANG, sql; "sh:PREFIX" wants the value to begin so.
 */
static void hook(struct sh *sh, struct cmd *c, const char *kind, const char *value)
{
	const char *prefix = strchr(kind, ':'), *whole = value;

	if (!strncmp(kind, "code:", 5)) {
		code_text(sh, kind + 5, value, c->name);
		return;
	}
	if (!strcmp(kind, "commas")) { /* gcc -wrapper PROGRAM,WORD,.. */
		struct buf b = {0};

		for (const char *p = value; *p; p += *p == ',') {
			size_t n = strcspn(p, ",");
			const char *w = sh_quote(sh, sh_strn(sh, p, n));

			buf_add(sh, &b, w, strlen(w));
			buf_c(sh, &b, ' ');
			p += n;
		}
		code_guess(sh, buf_str(sh, &b), c->name);
		return;
	}
	if (prefix) {
		const char *at = strstr(value, prefix + 1);

		if (!at)
			return;
		value = at + strlen(prefix + 1);
		if (at > whole && at[-1] == '(') /* $(shell ..) */
			value = sh_strn(sh, value, strcspn(value, ")"));
	}
	if (*value == SHELL_FETCHED || *value == SHELL_COMPUTED)
		effect(sh, SHELL_RUN, SHELL_UNKNOWN, SHELL_HOW_COMPUTED, c->name, value,
			"code");
	else
		code_guess(sh, value, c->name);
}

static bool hook_operands(const char *options)
{
	return !strcmp(options, "operands");
}

bool hooks_apply(struct sh *sh, struct cmd *c)
{
	size_t n;
	const char *const *const *rows = table_find(T_HOOKS, c->name, &n);

	for (size_t k = 0; rows && k < n; k++) {
		struct opts o;

		opts_read(sh, c, sh_cat3(sh, rows[k][3], " ", rows[k][1]), &o);
		for (size_t i = 0; i < o.n_opt; i++)
			if (o.opt[i].value && word_in(o.opt[i].name, rows[k][1]))
				hook(sh, c, rows[k][2], o.opt[i].value);
		for (size_t i = 0; hook_operands(rows[k][1]) && i < o.n_rest; i++)
			if (strcmp(rows[k][2], "sh") ||
				strpbrk(o.rest[i], " \t\n;|&")) /* not just a name */
				hook(sh, c, rows[k][2], o.rest[i]);
		if (!strcmp(rows[k][1], "stdin") && c->in && *c->in)
			hook(sh, c, rows[k][2], c->in);
	}
	return rows != NULL;
}

static bool looks_like_output(const char *option)
{
	static const char *const prefixes[] = {"--out", "--dest", "--target-dir",
		"--save", "--export", "--write", "--log-file", "--logfile", NULL};

	if (!strcmp(option, "-o"))
		return true;
	for (const char *const *p = prefixes; *p; p++)
		if (!strncmp(option, *p, strlen(*p)))
			return true;
	return false;
}

/* A word like rm or bash among the operands: the rest may well be run by it. */
static void inner_command(struct sh *sh, struct cmd *c, struct opts *o)
{
	for (size_t i = 0; i + 1 < o->n_rest; i++) {
		const char *w = strrchr(o->rest[i], '/');
		struct buf b = {0};

		w = w ? w + 1 : o->rest[i];
		if (!word_in(w, "rm shred dd unlink rmdir truncate mv cp tee sh bash "
				"dash zsh chmod "
				"chown busybox find python3 perl ln"))
			continue;
		for (size_t k = 1; k < c->argc; k++) {
			if (c->argv[k] == o->rest[i])
				b.n = 0;
			buf_add(sh, &b, c->argv[k], strlen(c->argv[k]));
			buf_c(sh, &b, ' ');
		}
		code_guess(sh, buf_str(sh, &b), c->name);
		return;
	}
}

static bool all_are_paths(struct sh *sh, struct opts *o, size_t from)
{
	const char *path;

	if (from >= o->n_rest)
		return false;
	for (; from < o->n_rest; from++)
		if (!strchr(o->rest[from], '/') ||
			path_of(sh, o->rest[from], &path) != SHELL_WORKSPACE)
			return false;
	return true;
}

/* delete-records --all, tool --purge: the program's own name, or a long option. */
static void telling_names(struct sh *sh, struct cmd *c, struct opts *o)
{
	char *name = sh_strn(sh, c->name, strcspn(c->name, "."));

	if (strpbrk(name, "-_") && sounds(sh, name, "ends") && c->argc > 0)
		effect(sh, SHELL_REMOTE, SHELL_NOWHERE, SHELL_HOW_POSSIBLE, c->name,
			c->name, "unknown-program");
	for (size_t i = 0; i < o->n_opt; i++) {
		const char *w = o->opt[i].name;

		if (w[0] != '-' || w[1] != '-' || !strncmp(w, "--no-", 5))
			continue;
		w = sh_strn(sh, w + 2, strcspn(w + 2, "-"));
		if (sounds(sh, w, "ends"))
			effect(sh, SHELL_REMOTE, SHELL_NOWHERE, SHELL_HOW_POSSIBLE,
				c->name, o->opt[i].name, "unknown-program");
	}
}

/* No table has it: its plain words may still say that it destroys. */
void unknown_apply(struct sh *sh, struct cmd *c)
{
	bool local = strchr(c->argv[0], '/') != NULL,
	     textual = table_row(T_TEXTUAL, c->name);
	struct opts o;

	opts_read(sh, c, "-o --output --out --dest --outfile", &o);
	if (textual)
		return;
	for (size_t i = 0; !local && i < 2 && i < o.n_rest; i++)
		if (sounds(sh, o.rest[i], NULL) && !strchr(o.rest[i], '.') &&
			!strchr(o.rest[i], '/') && !all_are_paths(sh, &o, i + 1)) {
			effect(sh, SHELL_REMOTE, SHELL_NOWHERE, SHELL_HOW_POSSIBLE,
				c->name, o.rest[i], "unknown-program");
			break;
		}
	if (!local && !all_are_paths(sh, &o, 0))
		telling_names(sh, c, &o);
	for (size_t i = 0; i < o.n_opt; i++)
		if (o.opt[i].value && looks_like_output(o.opt[i].name))
			effect_path(sh, SHELL_OVERWRITE, c->name, o.opt[i].value,
				SHELL_PLAIN);
		else if (o.opt[i].value && strpbrk(o.opt[i].value, " \t"))
			code_guess(sh, o.opt[i].value, c->name);
	for (size_t i = 0; i < o.n_rest; i++) {
		const char *path;
		enum shell_place p = path_of(sh, o.rest[i], &path);

		if (strpbrk(o.rest[i], " \t\n"))
			code_guess(sh, o.rest[i], c->name);
		else if (!has_hole(o.rest[i]) || p == SHELL_CREDENTIAL)
			effect_path(sh, SHELL_READ, c->name, o.rest[i], SHELL_PLAIN);
		if (c->flags & CMD_BUILT && is_outside(p))
			effect(sh, SHELL_RUN, p, SHELL_HOW_BUILT, c->name, o.rest[i],
				"code");
	}
	inner_command(sh, c, &o);
}
