/*
 * mask.c: secrets that show by their form, taken out of what is logged: the value after
 * a telling name (password=, --token, Authorization:), user:password@ in a URL, and
 * words with the prefix of a known kind of token.
 */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "policyd/audit/audit.h"

static const char *const names[] = {"password", "passwd", "passphrase", "secret", "token",
	"api_key", "apikey", "api-key", "access_key", "access-key", "private_key", "auth",
	"bearer", "credential", "pgpassword", NULL};

static const char *const prefixes[] = {"ghp_", "gho_", "ghs_", "ghu_", "github_pat_",
	"glpat-", "sk-", "sk_live_", "xoxb-", "xoxp-", "AKIA", "ASIA", "AIza", "npm_",
	"pypi-", "hf_", "dop_v1_", "eyJ", NULL};

static bool ends_word(char c)
{
	return !c || isspace((unsigned char)c) || strchr("'\"&;|<>()", c);
}

/* How much of @s is a telling name with its separator; the value follows. */
static size_t named(const char *s)
{
	for (const char *const *n = names; *n; n++) {
		size_t len = strlen(*n);

		if (strncasecmp(s, *n, len))
			continue;
		if (s[len] == '=' || s[len] == ':')
			return len + 1 + strspn(s + len + 1, " ");
		if (s[len] == ' ' && (!strcmp(*n, "bearer") || s[-1] == '-'))
			return len + 1;
	}
	return 0;
}

static bool known_prefix(const char *s)
{
	for (const char *const *p = prefixes; *p; p++)
		if (!strncmp(s, *p, strlen(*p)))
			return true;
	return false;
}

/* scheme://user:SECRET@: the length of SECRET at @s, which follows the colon. */
static size_t url_password(const char *start, const char *s)
{
	size_t n = strcspn(s, "@/ \t\n'\"");
	const char *p = s - 1;

	if (s[n] != '@' || !n)
		return 0;
	while (p > start && !strchr("/ \t\n'\"", p[-1]))
		p--;
	return p - start >= 3 && !strncmp(p - 3, "://", 3) ? n : 0;
}

void audit_mask(const char *s, char *out, size_t size)
{
	const char *start = s;
	size_t n = 0;

	while (*s && n + 8 < size) {
		bool edge = s == start || !isalnum((unsigned char)s[-1]);
		size_t skip = s > start ? named(s) : 0;

		if (skip && skip + n + 8 < size) {
			memcpy(out + n, s, skip);
			n += skip;
			s += skip;
			if (!strncasecmp(s, "bearer ", 7)) {
				memcpy(out + n, s, 7);
				n += 7;
				s += 7;
			}
		} else if (s > start && s[-1] == ':' && url_password(start, s)) {
			s += url_password(start, s);
			memcpy(out + n, "***", 3);
			n += 3;
			continue;
		} else if (!(edge && known_prefix(s))) {
			out[n++] = *s++;
			continue;
		}
		if (ends_word(*s) || *s == '$')
			continue;
		while (!ends_word(*s) && *s != '@')
			s++;
		memcpy(out + n, "***", 3);
		n += 3;
	}
	out[n] = '\0';
}
