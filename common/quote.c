/*
 * quote.c: shell quoting. A word of harmless characters stays bare; any other stands in
 * single quotes, in which only the single quote itself needs care.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/quote.h"

static const char plain[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	"%+-./:@_,";

/* A bare first word must not become an assignment, a keyword or an alias's business. */
static int is_plain(const char *word, int first)
{
	static const char *const keywords[] = {"if", "then", "else", "elif", "fi", "do",
		"done", "case", "esac", "while", "until", "for", "in", "function",
		"select", "time", "coproc"};

	if (*word == 0 || word[strspn(word, plain)] != 0)
		return 0;
	for (size_t i = 0; first && i < sizeof keywords / sizeof keywords[0]; i++) {
		if (strcmp(word, keywords[i]) == 0)
			return 0;
	}
	return 1;
}

static void put_word(FILE *f, const char *word, int first)
{
	if (is_plain(word, first)) {
		fputs(word, f);
		return;
	}
	fputc('\'', f);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", f);
		else
			fputc(*word, f);
	}
	fputc('\'', f);
}

char *quote_argv(char *const *argv)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	int bad;

	if (!f)
		return NULL;
	for (int i = 0; argv[i]; i++) {
		if (i > 0)
			fputc(' ', f);
		put_word(f, argv[i], i == 0);
	}
	bad = ferror(f);
	if (fclose(f) != 0 || bad) {
		free(text);
		return NULL;
	}
	return text;
}
