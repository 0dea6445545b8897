/*
 * place.c: the address of chat completions.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/place.h"
#include "common/mem.h"
#include "common/path.h"

#define END "/chat/completions"

void place_free(struct place *p)
{
	free(p->url);
	free(p->unix_path);
	memset(p, 0, sizeof *p);
}

static bool is_plain(const char *s)
{
	for (; *s; s++) {
		if (*s <= ' ' || *s == 127 || *s == '#' || *s == '?')
			return false;
	}
	return true;
}

static bool is_host(const char *host, size_t n, const char *name)
{
	return strlen(name) == n && strncmp(host, name, n) == 0;
}

/* On this machine: what is sent there is seen by nobody else. */
static bool is_near(const char *host)
{
	size_t n = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":/");

	return is_host(host, n, "localhost") || is_host(host, n, "[::1]") ||
	       (strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.") == n);
}

static int read_url(struct place *p, const char *text, char *message, size_t size)
{
	const char *host = strstr(text, "://") + 3;
	size_t n = strlen(text), authority = strcspn(host, "/");
	bool root;

	if (!is_plain(text) || authority == 0) {
		snprintf(message, size, "'%.200s' is not the address of a server", text);
		return -EINVAL;
	}
	if (memchr(host, '@', authority)) {
		snprintf(message, size,
			"no names or passwords in the address, others can "
			"see it; give a key by --key-file");
		return -EINVAL;
	}
	while (n && text[n - 1] == '/')
		n--;
	root = text + n <= host + authority;
	if (n >= strlen(END) && strncmp(text + n - strlen(END), END, strlen(END)) == 0)
		p->url = mem_printf("%.*s", (int)n, text);
	else
		p->url = mem_printf("%.*s%s%s", (int)n, text, root ? "/v1" : "", END);
	p->bare = strncmp(text, "http:", 5) == 0 && !is_near(host);
	return p->url ? 0 : -ENOMEM;
}

int place_read(struct place *p, const char *text, char *message, size_t size)
{
	int r;

	memset(p, 0, sizeof *p);
	if (strncmp(text, "http://", 7) == 0 || strncmp(text, "https://", 8) == 0)
		return read_url(p, text, message, size);
	if (strncmp(text, "unix:", 5) == 0 && text[5]) {
		r = path_absolute(text + 5, &p->unix_path);
		p->url = mem_strdup("http://localhost/v1" END);
		return r ? r : p->url ? 0 : -ENOMEM;
	}
	snprintf(message, size,
		"'%.200s' is no model: want http(s)://HOST:PORT/v1 or unix:PATH", text);
	return -EINVAL;
}
