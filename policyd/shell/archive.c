/*
 * archive.c: tar, whose first letters say which way it goes, and cmake -E, which is a
 * small set of file commands under other names.
 */
#include <string.h>

#include "policyd/shell/special.h"

static const char tar_valued[] = "-f --file -C --directory -T --files-from -X "
				 "--exclude-from --exclude --strip-components "
				 "-I --use-compress-program --to-command "
				 "--checkpoint-action --checkpoint --transform -b "
				 "--owner --group --mode -H --format --rsh-command -g "
				 "--listed-incremental -K -N -L -V -F "
				 "--info-script --new-volume-script --one-top-level";

enum direction { TAR_OTHER, TAR_CREATE, TAR_EXTRACT, TAR_LIST };

static enum direction direction_of(const char *letters)
{
	for (; *letters; letters++)
		switch (*letters) {
		case 'c':
		case 'r':
		case 'u':
		case 'A': return TAR_CREATE;
		case 'x': return TAR_EXTRACT;
		case 't':
		case 'd': return TAR_LIST;
		}
	return TAR_OTHER;
}

/* The old form "tar xzf FILE": the first word is a bundle without its dash. */
static struct cmd with_dash(struct sh *sh, const struct cmd *c)
{
	struct cmd d = *c;

	if (c->argc < 2 || c->argv[1][0] == '-')
		return d;
	d.argv = sh_alloc(sh, c->argc * sizeof(char *));
	memcpy(d.argv, c->argv, c->argc * sizeof(char *));
	d.argv[1] = sh_cat(sh, "-", c->argv[1]);
	return d;
}

char *run_tar(struct sh *sh, struct cmd *c)
{
	struct cmd d = with_dash(sh, c);
	const struct opt *file, *dir;
	enum direction way = TAR_OTHER;
	struct opts o;
	bool to_stdout;

	opts_read(sh, &d, tar_valued, &o);
	hooks_apply(sh, &d);
	for (size_t i = 0; i < o.n_opt && way == TAR_OTHER; i++) {
		const char *n = o.opt[i].name;

		if (word_in(n, "--create --append --update --concatenate"))
			way = TAR_CREATE;
		else if (word_in(n, "--extract --get"))
			way = TAR_EXTRACT;
		else if (word_in(n, "--list --diff --compare"))
			way = TAR_LIST;
		else if (n[0] == '-' && n[1] != '-')
			way = direction_of(n + 1);
	}
	file = opts_find(&o, "-f --file");
	dir = opts_find(&o, "-C --directory --one-top-level");
	to_stdout = opts_find(&o, "-O --to-stdout") ||
		    (file && file->value && !strcmp(file->value, "-"));
	to_stdout |= way == TAR_CREATE && !file;
	if (way == TAR_CREATE) {
		if (file && file->value && strcmp(file->value, "-"))
			effect_path(
				sh, SHELL_OVERWRITE, c->name, file->value, SHELL_PLAIN);
		for (size_t i = 0; i < o.n_rest; i++)
			effect_path(sh,
				opts_find(&o, "--remove-files") ? SHELL_DELETE
								: SHELL_READ,
				c->name,
				dir && dir->value
					? path_join(sh,
						  path_join(sh, sh_cwd(sh), dir->value),
						  o.rest[i])
					: o.rest[i],
				SHELL_PLAIN);
	} else if (way == TAR_EXTRACT && !opts_find(&o, "-O --to-stdout")) {
		const struct made *m =
			file && file->value ? find_made(sh, file->value) : NULL;

		if ((m && m->content && *m->content == SHELL_FETCHED) ||
			((!file || !strcmp(file->value ? file->value : "-", "-")) &&
				c->in && strchr(c->in, SHELL_FETCHED)))
			note_tree(sh, dir && dir->value ? dir->value : ".");
		/* the folder itself stays; what comes out lies below it */
		effect_path(sh, SHELL_CREATE, c->name,
			sh_cat(sh, dir && dir->value ? dir->value : ".", "/\3"),
			SHELL_PLAIN);
		if (opts_find(&o, "-P --absolute-names"))
			effect(sh, SHELL_OVERWRITE, SHELL_UNKNOWN, SHELL_PLAIN, c->name,
				"-P", NULL);
	} else if (file && file->value) {
		effect_path(sh, SHELL_READ, c->name, file->value, SHELL_PLAIN);
	}
	if (!to_stdout)
		return NULL;
	return sh_str(sh, c->in && strchr(c->in, SHELL_FETCHED) ? HOLE(SHELL_FETCHED)
								: HOLE(SHELL_FILE));
}

char *run_cmake(struct sh *sh, struct cmd *c)
{
	static const char *const names[][2] = {{"remove", "rm"},
		{"remove_directory", "rm"}, {"rm", "rm"}, {"copy", "cp"},
		{"copy_directory", "cp"}, {"copy_if_different", "cp"}, {"rename", "mv"},
		{"touch", "touch"}, {"make_directory", "mkdir"}, {"env", "env"},
		{"time", "time"}, {"create_symlink", "ln"}, {"tar", "tar"},
		{"chdir", "env"}, {"cat", "cat"}};
	size_t i = 1;
	const struct made *m;

	for (size_t k = 1; k + 1 < c->argc; k++)
		if (!strcmp(c->argv[k], "-P") && (m = find_made(sh, c->argv[k + 1])) &&
			m->content)
			code_text(sh, "cmake", m->content, c->name);
	if ((m = find_made(sh, "CMakeLists.txt")) && m->content)
		code_text(sh, "cmake", m->content, c->name);
	while (i < c->argc && strcmp(c->argv[i], "-E"))
		i++;
	if (i + 1 >= c->argc) {
		files_apply(sh, c);
		return NULL;
	}
	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
		char **v;

		if (strcmp(c->argv[i + 1], names[k][0]))
			continue;
		v = sh_alloc(sh, (c->argc - i) * sizeof(char *));
		memcpy(v, c->argv + i + 1, (c->argc - i - 1) * sizeof(char *));
		v[0] = sh_str(sh, names[k][1]);
		return run_argv(sh, v, c->argc - i - 1, NULL);
	}
	return NULL;
}
