/*
 * http.c: one POST by libcurl. Three clocks run: until the connection stands, since the
 * last byte, and over all. A server that says that it has ended and keeps the line open
 * is not waited for long.
 */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include "agentctl/provider/http.h"
#include "agentctl/provider/provider.h"
#include "agentctl/provider/retry.h"
#include "common/cleanup.h"
#include "common/mem.h"
#include "common/time.h"
#include "common/version.h"

#define LIBRARY "libcurl.so.4"
#define MAX_HEADERS (256u << 10)
#define AFTER_DONE_NS (NS_PER_S / 2) /* after [DONE] */
#define AFTER_END_NS (2 * NS_PER_S)  /* after finish_reason: usage may follow */

#define CURL_CALLS(X)         \
	X(curl_global_init)   \
	X(curl_easy_init)     \
	X(curl_easy_setopt)   \
	X(curl_easy_perform)  \
	X(curl_easy_getinfo)  \
	X(curl_easy_strerror) \
	X(curl_easy_reset)    \
	X(curl_easy_cleanup)  \
	X(curl_slist_append)  \
	X(curl_slist_free_all)

struct http {
	struct http_to to;
	void *library;
	CURL *easy;
#define DECLARE(name) __typeof__(name) *name;
	CURL_CALLS(DECLARE)
};

/** One request under way. */
struct post {
	struct http *h;
	struct reader *r;
	size_t header_bytes;
	int64_t retry_ms, last_ns; /* of the last byte */
	bool idle, enough;	   /* why we ended it ourselves */
	char location[256];
	char error[CURL_ERROR_SIZE];
};

static int64_t now_ns(void)
{
	return ns_of(ts_in(CLOCK_MONOTONIC, 0));
}

static int load(struct http *h, struct fault *f)
{
	h->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!h->library) {
		fault_set(f, FAULT_LOCAL, "cannot load libcurl (Debian: libcurl4): %s",
			dlerror());
		return -EIO;
	}
#define LOOK_UP(name) h->name = (__typeof__(h->name))dlsym(h->library, #name);
	CURL_CALLS(LOOK_UP)
#define MISSING(name) || !h->name
	if (0 CURL_CALLS(MISSING)) {
		fault_set(f, FAULT_LOCAL, "%s is not the libcurl we know", LIBRARY);
		return -EIO;
	}
	return 0;
}

bool provider_can_ask(char *message, size_t size)
{
	struct http h = {0};
	struct fault f;
	int r = load(&h, &f);

	snprintf(message, size, "%s", r == 0 ? LIBRARY " loads" : f.text);
	return r == 0;
}

int http_open(struct http **out, const struct http_to *to, struct fault *f)
{
	struct http *h = mem_zalloc(sizeof *h);
	int r = h ? load(h, f) : -ENOMEM;

	*out = NULL;
	if (r == 0) {
		h->to = *to;
		if (h->curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK)
			h->easy = h->curl_easy_init();
		if (!h->easy) {
			fault_set(f, FAULT_LOCAL, "libcurl does not start");
			r = -EIO;
		}
	}
	if (r != 0) {
		http_close(h);
		return r;
	}
	*out = h;
	return 0;
}

/* The library stays loaded: unloading it is known to go wrong. */
void http_close(struct http *h)
{
	if (!h)
		return;
	if (h->easy)
		h->curl_easy_cleanup(h->easy);
	free(h);
}

static size_t on_body(char *p, size_t size, size_t n, void *arg)
{
	struct post *post = arg;

	post->last_ns = now_ns();
	return reader_feed(post->r, p, size * n) == 0 ? size * n : 0;
}

static void copy_value(const char *p, size_t n, char *out, size_t size)
{
	while (n && (*p == ' ' || *p == '\t')) {
		p++;
		n--;
	}
	while (n && strchr("\r\n\t ", p[n - 1]))
		n--;
	snprintf(out, size, "%.*s", (int)(n < size ? n : size - 1), p);
}

static size_t on_header(char *p, size_t size, size_t n, void *arg)
{
	struct post *post = arg;
	char value[128];

	n *= size;
	post->last_ns = now_ns();
	post->header_bytes += n;
	if (post->header_bytes > MAX_HEADERS)
		return 0;
	if (n > 12 && strncasecmp(p, "retry-after:", 12) == 0) {
		copy_value(p + 12, n - 12, value, sizeof value);
		post->retry_ms = retry_after_ms(value, time(NULL));
	}
	if (n > 9 && strncasecmp(p, "location:", 9) == 0)
		copy_value(p + 9, n - 9, post->location, sizeof post->location);
	return n;
}

/* About once a second, and after each piece. */
static int on_time(void *arg, curl_off_t dltotal, curl_off_t dlnow, curl_off_t ultotal,
	curl_off_t ulnow)
{
	struct post *post = arg;
	int64_t silent = now_ns() - post->last_ns;

	if (post->r->done || post->r->draft.ended)
		post->enough = silent > (post->r->done ? AFTER_DONE_NS : AFTER_END_NS);
	else
		post->idle = silent > post->h->to.idle_ms * 1000000ll;
	return post->enough || post->idle;
}

static struct curl_slist *headers(struct http *h)
{
	static const char *const fixed[] = {"Content-Type: application/json",
		"Accept: application/json, text/event-stream", "Expect:"};
	struct curl_slist *list = NULL, *more;
	auto_free char *key =
		h->to.key ? mem_printf("Authorization: Bearer %s", h->to.key) : NULL;

	for (size_t i = 0; i <= sizeof fixed / sizeof fixed[0]; i++) {
		const char *line = i < sizeof fixed / sizeof fixed[0] ? fixed[i] : key;

		if (!line && !h->to.key)
			break;
		more = line ? h->curl_slist_append(list, line) : NULL;
		if (!more) {
			h->curl_slist_free_all(list);
			return NULL;
		}
		list = more;
	}
	return list;
}

static void set_place(struct http *h)
{
	CURL *e = h->easy;

	h->curl_easy_setopt(e, CURLOPT_URL, h->to.url);
	h->curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
	h->curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L);
	h->curl_easy_setopt(e, CURLOPT_SSL_VERIFYPEER, 1L);
	h->curl_easy_setopt(e, CURLOPT_SSL_VERIFYHOST, 2L);
	h->curl_easy_setopt(e, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	if (h->to.ca_file)
		h->curl_easy_setopt(e, CURLOPT_CAINFO, h->to.ca_file);
	if (h->to.unix_path) {
		h->curl_easy_setopt(e, CURLOPT_UNIX_SOCKET_PATH, h->to.unix_path);
		h->curl_easy_setopt(e, CURLOPT_PROXY, "");
	}
	h->curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
	h->curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, (long)h->to.connect_ms);
	h->curl_easy_setopt(e, CURLOPT_TIMEOUT_MS, (long)h->to.total_ms);
	h->curl_easy_setopt(e, CURLOPT_USERAGENT, "agentctl/" TXFS_VERSION);
}

static void set_request(struct http *h, struct post *post, const char *body, size_t n,
	struct curl_slist *list)
{
	CURL *e = h->easy;

	h->curl_easy_setopt(e, CURLOPT_POST, 1L);
	h->curl_easy_setopt(e, CURLOPT_POSTFIELDS, body);
	h->curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)n);
	h->curl_easy_setopt(e, CURLOPT_HTTPHEADER, list);
	h->curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
	h->curl_easy_setopt(e, CURLOPT_WRITEDATA, post);
	h->curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header);
	h->curl_easy_setopt(e, CURLOPT_HEADERDATA, post);
	h->curl_easy_setopt(e, CURLOPT_NOPROGRESS, 0L);
	h->curl_easy_setopt(e, CURLOPT_XFERINFOFUNCTION, on_time);
	h->curl_easy_setopt(e, CURLOPT_XFERINFODATA, post);
	h->curl_easy_setopt(e, CURLOPT_ERRORBUFFER, post->error);
}

static enum fault_kind kind_of(CURLcode c)
{
	switch (c) {
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_SSL_CONNECT_ERROR: /* a reset in the handshake, too */
	case CURLE_COULDNT_CONNECT: return FAULT_CONNECT;
	case CURLE_OPERATION_TIMEDOUT: return FAULT_TIME;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CIPHER:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_ISSUER_ERROR: return FAULT_TLS;
	case CURLE_WEIRD_SERVER_REPLY:
	case CURLE_UNSUPPORTED_PROTOCOL: return FAULT_NOT_CHAT;
	case CURLE_URL_MALFORMAT:
	case CURLE_OUT_OF_MEMORY: return FAULT_LOCAL;
	default: return FAULT_BROKEN;
	}
}

/* The transport failed: is what came before an answer all the same? */
static int transport_failed(
	struct post *post, CURLcode c, int status, struct answer *a, struct fault *f)
{
	enum fault_kind kind = kind_of(c);
	const char *why = *post->error ? post->error : post->h->curl_easy_strerror(c);

	if (post->idle)
		fault_set(f, FAULT_TIME, "nothing was heard for %.1f s",
			post->h->to.idle_ms / 1000.0);
	else if (post->enough || c == CURLE_WRITE_ERROR ||
		 (status && kind == FAULT_BROKEN))
		return reader_end(post->r, false, status, a, f);
	else
		fault_set(f, kind, "%s", why);
	f->status = status;
	return -EIO;
}

int http_post(struct http *h, const char *body, size_t n, struct reader *r,
	struct answer *a, struct fault *f)
{
	struct post post = {.h = h, .r = r, .retry_ms = -1, .last_ns = now_ns()};
	struct curl_slist *list = headers(h);
	long status = 0;
	CURLcode c;
	int e;

	if (!list) {
		fault_set(f, FAULT_LOCAL, "out of memory");
		return -EIO;
	}
	h->curl_easy_reset(h->easy);
	set_place(h);
	set_request(h, &post, body, n, list);
	c = h->curl_easy_perform(h->easy);
	h->curl_easy_getinfo(h->easy, CURLINFO_RESPONSE_CODE, &status);
	h->curl_slist_free_all(list);
	if (c == CURLE_OK)
		e = reader_end(r, true, (int)status, a, f);
	else
		e = transport_failed(&post, c, (int)status, a, f);
	if (e != 0 && status >= 300 && status < 400)
		fault_set(f, FAULT_REFUSED, "it redirects to '%s'; give that address",
			post.location);
	f->retry_ms = post.retry_ms;
	return e;
}
