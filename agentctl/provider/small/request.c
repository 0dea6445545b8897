/*
 * request.c: what can be read off a request without a model: whether a name is meant as a
 * folder, and whether every name and text of it was used. Both only ever refuse.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "agentctl/provider/small/small.h"
#include "common/cleanup.h"
#include "common/mem.h"

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("._-/+=@%:,~", c)) ||
	       (unsigned char)c >= 0x80;
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'' || c == '`';
}

/* --- folders --------------------------------------------------------------------------
 */

static bool among(const char *const *words, const char *at, size_t n)
{
	for (; *words; words++) {
		if (strlen(*words) == n && strncasecmp(*words, at, n) == 0)
			return true;
	}
	return false;
}

static const char *const folders[] = {
	"folder", "directory", "dir", "subfolder", "subdirectory", "subdir", NULL};

/* The word that ends before @at, over quotes and blanks; its length in *n. */
static const char *word_before(const char *start, const char *at, size_t *n)
{
	const char *end;

	while (at > start && !isalpha((unsigned char)at[-1]) && at[-1] != '.' &&
		at[-1] != ';')
		at--;
	end = at;
	while (at > start && isalpha((unsigned char)at[-1]))
		at--;
	*n = (size_t)(end - at);
	return at;
}

static bool folder_before(const char *start, const char *at)
{
	static const char *const into[] = {
		"into", "inside", "in", "under", "within", "below", NULL};
	static const char *const skip[] = {"the", "my", "our", "called", "named", "a",
		"this", "that", "existing", NULL};
	size_t n;
	const char *w = word_before(start, at, &n);

	for (int i = 0; i < 4 && n > 0 && among(skip, w, n); i++)
		w = word_before(start, w, &n);
	return n > 0 && (among(into, w, n) || among(folders, w, n));
}

static bool folder_after(const char *at)
{
	size_t n = 0;

	while (is_quote(*at) || *at == ' ' || *at == '/')
		at++;
	while (isalpha((unsigned char)at[n]))
		n++;
	return among(folders, at, n);
}

bool small_means_folder(const char *request, const char *name)
{
	size_t n = strlen(name);
	const char *at = request;

	for (; n > 0 && (at = strstr(at, name)); at++) {
		if ((at > request && is_of_name(at[-1])) ||
			(is_of_name(at[n]) && !strchr(".,:/", at[n])))
			continue;
		if (folder_before(request, at) || folder_after(at + n) ||
			(at[n] == '/' && !is_of_name(at[n + 1])))
			return true;
	}
	return false;
}

/* --- names ----------------------------------------------------------------------------
 */

static bool has_word(const char *request, const char *const *words)
{
	while (*request) {
		size_t n = 0;

		while (isalpha((unsigned char)request[n]))
			n++;
		if (n > 0 && among(words, request, n))
			return true;
		request += n ? n : 1;
	}
	return false;
}

bool small_means_rename(const char *request)
{
	static const char *const rename[] = {"rename", "renamed", "renaming", "ren",
		"name", "named", "call", "called", "retitle", "relabel", NULL};
	static const char *const move[] = {"move", "moved", "moving", "mv", NULL};

	return has_word(request, rename) && !has_word(request, move);
}

/* --- sense ----------------------------------------------------------------------------
 */

/* Programs and verbs that begin a request; a file may be called so, but not there. */
static bool is_first_verb(const char *request, const char *name)
{
	static const char *const verbs[] = {"mv", "cp", "rm", "cat", "ls", "grep",
		"mkdir", "touch", "sed", "echo", "move", "copy", "delete", "remove",
		"rename", "create", "make", "show", "print", "list", "count", "search",
		"find", "replace", "change", "append", "add", "put", "write", "run",
		"execute", NULL};
	size_t n = strlen(name);

	request += strspn(request, " \t\n");
	return among(verbs, name, n) && strncasecmp(request, name, n) == 0 &&
	       !is_of_name(request[n]);
}

/* The next word of @at, its length in *n; at the end 0. */
static const char *next_word(const char *at, size_t *n)
{
	while (*at && !isalpha((unsigned char)*at))
		at++;
	for (*n = 0; isalpha((unsigned char)at[*n]);)
		++*n;
	return at;
}

/* "do not delete", but not "I don't need it, delete it". */
static bool is_forbidden(const char *request)
{
	static const char *const aux[] = {
		"do", "must", "should", "shall", "may", "can", "to", NULL};
	static const char *const short_form[] = {
		"don", "mustn", "shouldn", "never", "dont", NULL};
	static const char *const harmless[] = {"need", "needed", "want", "use", "have",
		"like", "care", "worry", "forget", "know", "be", "hesitate", NULL};
	const char *before = "", *w;
	size_t n, nb = 0;

	for (w = next_word(request, &n); n > 0; w = next_word(w + n, &n)) {
		bool no = among(short_form, w, n) ||
			  (n == 3 && strncasecmp(w, "not", 3) == 0 &&
				  among(aux, before, nb));

		before = w;
		nb = n;
		if (!no)
			continue;
		w = next_word(w + n, &n);
		if (n == 1 && (*w == 't' || *w == 'T'))
			w = next_word(w + n, &n);
		if (n > 0 && !among(harmless, w, n))
			return true;
	}
	return false;
}

bool small_makes_sense(const struct small_call *c, const char *request)
{
	bool destroys = c->kind == SMALL_DELETE || c->kind == SMALL_MOVE ||
			c->kind == SMALL_DROP || c->kind == SMALL_REPLACE;

	if (destroys && is_forbidden(request))
		return false;
	switch (c->kind) {
	case SMALL_MOVE:
	case SMALL_COPY:
		return strcmp(c->arg[0], c->arg[1]) != 0 &&
		       !is_first_verb(request, c->arg[0]) &&
		       !is_first_verb(request, c->arg[1]);
	case SMALL_REPLACE:
		return *c->arg[1] && strcmp(c->arg[1], c->arg[2]) != 0 &&
		       strcmp(c->arg[0], c->arg[1]) != 0;
	case SMALL_SEARCH: return *c->arg[0];
	case SMALL_TEST: return !is_first_verb(request, c->arg[0]);
	case SMALL_APPEND:
	case SMALL_PREPEND:
	case SMALL_DROP:
		return *c->arg[1] && strcmp(c->arg[0], c->arg[1]) != 0 &&
		       !is_first_verb(request, c->arg[0]);
	default: return !c->arg[0] || !is_first_verb(request, c->arg[0]);
	}
}

/* --- all of it ------------------------------------------------------------------------
 */

static bool in_calls(
	const struct small_call *calls, size_t n, const char *text, size_t len)
{
	auto_free char *t = mem_printf("%.*s", (int)len, text);

	while (t && len > 1 && t[len - 1] == '/')
		t[--len] = 0;
	for (size_t i = 0; t && i < n; i++) {
		for (int k = 0; k < SMALL_ARGS; k++) {
			if (calls[i].arg[k] && strstr(calls[i].arg[k], t))
				return true;
		}
	}
	return !t;
}

/* A slash between letters, or a dot before an extension of letters, not at its end. */
static bool looks_like_path(const char *s, size_t n)
{
	for (size_t i = 1; i + 1 < n; i++) {
		if (s[i] == '/' && isalnum((unsigned char)s[i - 1]) &&
			isalnum((unsigned char)s[i + 1]))
			return n > 3 && strncasecmp(s, "and/or", n) != 0;
		if (s[i] == '.' && isalnum((unsigned char)s[i - 1]) &&
			isalpha((unsigned char)s[i + 1]))
			return n > 3;
	}
	return false;
}

/* The closing quote of the one at @at, or NULL: it quotes nothing. */
static const char *closing(const char *start, const char *at)
{
	const char *end = at + 1;

	if (at > start && is_of_name(at[-1]))
		return NULL;
	do {
		end = strchr(end, *at);
		if (end && (!end[1] || !isalnum((unsigned char)end[1])))
			return end > at + 1 ? end : NULL;
		end = end ? end + 1 : NULL;
	} while (end);
	return NULL;
}

bool small_all_used(const char *request, const struct small_call *calls, size_t n)
{
	const char *at = request, *end;

	while (*at) {
		if (is_quote(*at) && (end = closing(request, at))) {
			if (!in_calls(calls, n, at + 1, (size_t)(end - at - 1)))
				return false;
			at = end + 1;
			continue;
		}
		if (!is_of_name(*at)) {
			at++;
			continue;
		}
		for (end = at; is_of_name(*end); end++)
			;
		while (end > at + 1 && strchr(".,:", end[-1]))
			end--;
		if (looks_like_path(at, (size_t)(end - at)) &&
			!in_calls(calls, n, at, (size_t)(end - at)))
			return false;
		at = end;
		while (is_of_name(*at))
			at++;
	}
	return true;
}

/* --- what it hears --------------------------------------------------------------------
 */

enum { LINES = 20, LINE_BYTES = 160 };

/* @n bytes, or fewer, so that no character is cut. */
static size_t whole(const char *s, size_t n)
{
	if (n <= LINE_BYTES)
		return n;
	for (n = LINE_BYTES; n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80; n--)
		;
	return n;
}

char *small_observation(int status, bool refused, const char *output)
{
	size_t len = strlen(output);
	char *out = mem_alloc(32 + LINES * (LINE_BYTES + 1)), *to = out;

	if (!out)
		return NULL;
	if (refused)
		to += sprintf(to, "refused");
	else if (status == 0)
		to += sprintf(to, "ok");
	else
		to += sprintf(to, "failed %d", status);
	while (len > 0 && output[len - 1] == '\n')
		len--;
	for (int i = 0; i < LINES && len > 0; i++) {
		const char *eol = memchr(output, '\n', len);
		size_t n = eol ? (size_t)(eol - output) : len, take = whole(output, n);

		*to++ = '\n';
		memcpy(to, output, take);
		to += take;
		len -= eol ? n + 1 : n;
		output += eol ? n + 1 : n;
	}
	*to = 0;
	return out;
}
