/*
 * mask.c: secrets that show by their form, taken out of what is shown and logged.
 *
 * One pass. At each place three questions are asked: does a telling name end here, so
 * that a value follows (password=, --token, Authorization:, -u user:)? Is this the
 * password in a URL? Does a word begin here that has the form of a known kind of token,
 * or of a private key? Too much masked is better than too little: a name is telling
 * when it ends in a telling word, whatever is before it (MY_DB_PASSWORD).
 */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "txfs/audit.h"

/* Ends of names whose values are secret. */
static const char *const names[] = {"password", "passwd", "passphrase", "passcode", "pwd",
	"secret", "secrets", "token", "api_key", "apikey", "api-key", "access_key",
	"access-key", "secret_key", "secret-key", "secretkey", "private_key",
	"private-key", "account_key", "accountkey", "auth_key", "authkey", "signing_key",
	"encryption_key", "sharedaccesskey", "authorization", "auth", "credential",
	"credentials", "pgpassword", "mysql_pwd", "cookie", "session_id", "sessionid",
	"signature", "sig", "otp", "pin", "x-api-key", "client_secret", "pat", "dsn",
	NULL};

/* Schemes of an Authorization header: the word behind them is the secret. */
static const char *const schemes[] = {
	"bearer ", "basic ", "token ", "digest ", "apikey ", "negotiate ", NULL};

static const struct {
	const char *prefix;
	size_t least; /* characters of the word behind it */
} kinds[] = {{"ghp_", 4}, {"gho_", 4}, {"ghs_", 4}, {"ghu_", 4}, {"ghr_", 4},
	{"github_pat_", 4}, {"glpat-", 4}, {"gldt-", 4}, {"glrt-", 4}, {"sk-", 12},
	{"sk_live_", 4}, {"sk_test_", 4}, {"rk_live_", 4}, {"pk_live_", 4}, {"whsec_", 8},
	{"xoxb-", 4}, {"xoxp-", 4}, {"xoxa-", 4}, {"xoxs-", 4}, {"xapp-", 4},
	{"AKIA", 12}, {"ASIA", 12}, {"AIza", 16}, {"ya29.", 8}, {"npm_", 8}, {"pypi-", 8},
	{"hf_", 8}, {"dop_v1_", 4}, {"doo_v1_", 4}, {"shpat_", 8}, {"shpss_", 8},
	{"SG.", 16}, {"key-", 24}, {"dckr_pat_", 4}, {"lin_api_", 4}, {"sq0atp-", 4},
	{"sq0csp-", 4}, {"NRAK-", 8}, {"glsa_", 8}, {"eyJ", 16}, {"PMAK-", 8},
	{"tskey-", 8}, {"rubygems_", 8}, {"cio", 32}, {"hvs.", 8}, {"hvb.", 8},
	{"atlasv1.", 8}, {"AGE-SECRET-KEY-", 8}, {"gsk_", 12}, {"r8_", 12},
	{"vercel_", 12}, {"figd_", 8}, {"ATATT", 12}, {"dapi", 28}, {NULL, 0}};

static bool word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

static bool ends_word(char c)
{
	return !c || isspace((unsigned char)c) || strchr("'\"&;|<>()`,", c);
}

static bool named_end(const char *start, const char *s)
{
	char last = s > start ? (char)tolower((unsigned char)s[-1]) : 0;

	for (const char *const *n = names; *n; n++) {
		size_t len = strlen(*n);

		if ((*n)[len - 1] != last)
			continue;
		if ((size_t)(s - start) >= len && !strncasecmp(s - len, *n, len) &&
			((size_t)(s - start) == len ||
				!isalnum((unsigned char)s[-(long)len - 1]) || len > 4))
			return true;
	}
	return false;
}

/* A long option that ends in a telling word: its value is the next word. */
static bool option_name(const char *start, const char *s)
{
	const char *p = s;

	while (p > start && word_char(p[-1]))
		p--;
	return p < s && *p == '-' && named_end(p, s);
}

/* A name has just ended before @s: how much is its separator? 0: none, or no name. */
static size_t separator(const char *start, const char *s)
{
	size_t n = 0;

	if (s == start || !word_char(s[-1]) || word_char(*s) || !named_end(start, s))
		return 0;
	if (*s == '"' || *s == '\'') /* a key of JSON */
		n++;
	while (s[n] == ' ' && (s[n + 1] == '=' || s[n + 1] == ':' || s[n + 1] == ' '))
		n++;
	if (s[n] == '=' || (s[n] == ':' && s[n + 1] != '/'))
		return n + 1 + (s[n + 1] == '=') + strspn(s + n + 1, " \"'\\");
	return !n && *s == ' ' && option_name(start, s) ? 1 + strspn(s + 1, " \"'") : 0;
}

/* curl -u user:SECRET, --user user:SECRET, --proxy-user: the colon has just passed. */
static bool user_option(const char *start, const char *s)
{
	static const char *const options[] = {"-u", "--user", "-U", "--proxy-user", NULL};
	const char *p = s - 1;

	while (p > start && !ends_word(p[-1]) && p[-1] != '=')
		p--;
	while (p > start && strchr(" =\"'", p[-1]))
		p--;
	for (const char *const *o = options; *o; o++) {
		size_t n = strlen(*o);

		if ((size_t)(p - start) >= n && !memcmp(p - n, *o, n) &&
			((size_t)(p - start) == n || p[-(long)n - 1] == ' '))
			return true;
	}
	return false;
}

/* Length of the secret that follows a colon: scheme://user:SECRET@, -u user:SECRET. */
static size_t after_colon(const char *start, const char *s)
{
	const char *p = s - 1, *at = s;
	size_t n = strcspn(s, " \t\n'\"");

	if (s == start || s[-1] != ':' || !n)
		return 0;
	while (p > start && !strchr("/ \t\n'\"@", p[-1]))
		p--;
	if (p - start >= 3 && !strncmp(p - 3, "://", 3)) {
		for (size_t i = 0; i < n && s[i] != '/'; i++)
			if (s[i] == '@')
				at = s + i;
		if (at > s)
			return (size_t)(at - s);
	}
	return strncmp(s, "//", 2) && user_option(start, s) ? n : 0;
}

/* scheme://SECRET@host, where there is no user: a token alone. */
static size_t url_token(const char *start, const char *s)
{
	size_t n = strcspn(s, "@/: \t\n'\"");

	return s - start >= 3 && !strncmp(s - 3, "://", 3) && s[n] == '@' && n >= 16 ? n
										     : 0;
}

static size_t known_kind(const char *start, const char *s)
{
	size_t n = 0;

	if (!strchr("ANPSacdefghklnprstvwxy", *s) || !*s)
		return 0;
	if (s > start && (isalnum((unsigned char)s[-1]) || s[-1] == '_'))
		return 0;
	while (word_char(s[n]) || s[n] == '.' || s[n] == '=' || s[n] == '+')
		n++;
	for (size_t i = 0; kinds[i].prefix; i++) {
		size_t len;

		if (*s != kinds[i].prefix[0] || s[1] != kinds[i].prefix[1])
			continue;
		len = strlen(kinds[i].prefix);
		if (!strncmp(s, kinds[i].prefix, len) && n >= len + kinds[i].least)
			return n;
	}
	return 0;
}

/* -----BEGIN .. PRIVATE KEY-----, up to its end or the end of all. */
static size_t private_key(const char *s)
{
	const char *head, *end;

	if (strncmp(s, "-----BEGIN ", 11))
		return 0;
	head = strstr(s, "PRIVATE KEY");
	if (!head || head - s > 40)
		return 0;
	end = strstr(head, "-----END ");
	return end ? (size_t)(end - s) : strlen(s);
}

/* Of a value that is quoted, or in a quoted header of several parts, all is secret. */
static size_t quoted_length(const char *start, const char *name_end, const char *s)
{
	const char *end = NULL;

	if (s[-1] == '"' || s[-1] == '\'')
		end = strchr(s, s[-1]);
	else if (*name_end == ':' && name_end - start >= 6 &&
		 !strncasecmp(name_end - 6, "cookie", 6))
		end = strpbrk(s, "\"'");
	return end ? (size_t)(end - s) : 0;
}

static size_t value_length(const char *s)
{
	size_t n = 0;

	while (!ends_word(s[n]))
		n += s[n] == '\\' && s[n + 1] ? 2 : 1;
	return n;
}

/* mysql -pSECRET and its kin: only behind such a program's name. */
static size_t short_password(const char *start, const char *s)
{
	static const char *const programs[] = {"mysql", "mysqldump", "mysqladmin",
		"mariadb", "mariadb-dump", "sshpass", NULL};

	if (s - start < 3 || strncmp(s - 3, " -p", 3) || ends_word(*s))
		return 0;
	for (const char *const *p = programs; *p; p++) {
		const char *at = strstr(start, *p);

		if (at && at < s)
			return value_length(s);
	}
	return 0;
}

/* What of @s is to be masked, and *keep: what of it is shown before. */
static size_t secret_at(const char *start, const char *s, size_t *keep)
{
	size_t n, quoted;

	*keep = 0;
	if ((n = separator(start, s))) {
		for (const char *const *x = schemes; *x; x++)
			if (!strncasecmp(s + n, *x, strlen(*x)))
				n += strlen(*x);
		*keep = n;
		/* a variable is named, not its value */
		if (s[n] == '$' && s[n + 1] != '\'')
			return 0;
		quoted = quoted_length(start, s, s + n);
		return quoted ? quoted : value_length(s + n);
	}
	if (!strncasecmp(s, "bearer ", 7) && (s == start || !word_char(s[-1]))) {
		*keep = 7;
		return s[7] == '$' ? 0 : value_length(s + 7);
	}
	if ((n = private_key(s)) || (n = known_kind(start, s)) ||
		(n = url_token(start, s)))
		return n;
	if ((n = after_colon(start, s)) || (n = short_password(start, s)))
		return *s == '$' ? 0 : n;
	return 0;
}

static bool letter(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* In the middle of a word only the value of -pSECRET may begin. */
static bool none_begins(const char *start, const char *s)
{
	return s - start >= 2 && letter(s[-1]) && letter(*s) &&
	       (s[-1] != 'p' || s[-2] != '-');
}

void audit_mask(const char *s, char *out, size_t size)
{
	const char *start = s;
	size_t n = 0;

	while (*s && n + 8 < size) {
		size_t keep = 0, secret = 0;

		if (!none_begins(start, s))
			secret = secret_at(start, s, &keep);
		if (!secret) {
			out[n++] = *s++;
			continue;
		}
		if (keep + n + 8 >= size)
			break;
		memcpy(out + n, s, keep);
		memcpy(out + n + keep, "***", 3);
		n += keep + 3;
		s += keep + secret;
	}
	out[n] = '\0';
}
