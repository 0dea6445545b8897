/*
 * http.h: one POST by libcurl. Private to provider, and used only in the process that
 * courier.h makes.
 *
 * libcurl is loaded when it is first needed, since it and what it brings take six
 * milliseconds, which every other verb would pay.
 */
#ifndef AGENTCTL_PROVIDER_HTTP_H
#define AGENTCTL_PROVIDER_HTTP_H

#include "agentctl/provider/answer.h"

/** Where to; strings are borrowed and may be NULL but for url. */
struct http_to {
	const char *url;       /* of the request itself */
	const char *unix_path; /* a socket to use instead of the url's host */
	const char *key;       /* sent as a bearer token */
	const char *ca_file;
	int connect_ms, idle_ms, total_ms;
};

struct http;

/** http_open(out, to, f): load the library. 0, or -EIO with @f. */
int http_open(struct http **out, const struct http_to *to, struct fault *f);

/** http_post(h, body, n, r, a, f): send @n bytes of JSON; the response goes through @r.
 * Certificates are always checked, redirections never followed; proxies are those of the
 * environment. 0 with @a, or -EIO with @f. Blocks. */
int http_post(struct http *h, const char *body, size_t n, struct reader *r,
	struct answer *a, struct fault *f);
void http_close(struct http *h);

#endif
