/*
 * http.c: requests come in by libmicrohttpd, each connection in a thread of its own,
 * which waits for the engine. The library is loaded when a server begins: all else that
 * agentctl does would pay for it.
 *
 * Whoever can connect may ask, so the default is loopback, a page in somebody's browser
 * is turned away (it sends an Origin), and a key can be asked for.
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "agentctl/provider/bytes.h"
#include "agentctl/serve/job.h"
#include "agentctl/serve/serve.h"
#include "agentctl/serve/wire.h"
#include "common/cleanup.h"
#include "common/mem.h"

#define DEFAULT_LISTEN "127.0.0.1:8998"
#define BODY_BYTES (4 << 20)
#define CONNECTIONS 64
#define IDLE_SECONDS 300
#define BLOCK_BYTES 4096

/** What is taken from the library. */
struct http {
	void *library;
	__typeof__(&MHD_start_daemon) start;
	__typeof__(&MHD_stop_daemon) stop;
	__typeof__(&MHD_create_response_from_buffer) from_buffer;
	__typeof__(&MHD_create_response_from_callback) from_callback;
	__typeof__(&MHD_add_response_header) add_header;
	__typeof__(&MHD_queue_response) queue;
	__typeof__(&MHD_destroy_response) destroy;
	__typeof__(&MHD_lookup_connection_value) value;
};

struct server {
	struct http http;
	struct brain *brain;
	struct jobs *jobs;
	const char *name;
	char *key;
	int64_t began;
	pthread_mutex_t lock;
	uint64_t ids;
	char unlink[sizeof((struct sockaddr_un *)NULL)->sun_path];
};

/** A request on its way in. */
struct incoming {
	struct bytes body;
	bool too_long;
};

/** A stream on its way out. */
struct stream {
	struct job *job;
	struct wire w;
	char *out; /* an event that is not all out */
	size_t n, at;
	bool ended;
};

static bool load(struct http *h)
{
	h->library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
	if (!h->library)
		return false;
#define TAKE(field, name) (h->field = (__typeof__(h->field))dlsym(h->library, #name))
	return TAKE(start, MHD_start_daemon) && TAKE(stop, MHD_stop_daemon) &&
	       TAKE(from_buffer, MHD_create_response_from_buffer) &&
	       TAKE(from_callback, MHD_create_response_from_callback) &&
	       TAKE(add_header, MHD_add_response_header) &&
	       TAKE(queue, MHD_queue_response) && TAKE(destroy, MHD_destroy_response) &&
	       TAKE(value, MHD_lookup_connection_value);
#undef TAKE
}

/* --- answers --------------------------------------------------------------------------
 */

static enum MHD_Result send_response(struct server *s, struct MHD_Connection *c,
	unsigned int status, struct MHD_Response *r, const char *type)
{
	enum MHD_Result result;

	if (!r)
		return MHD_NO;
	s->http.add_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	if (status == MHD_HTTP_SERVICE_UNAVAILABLE)
		s->http.add_header(r, MHD_HTTP_HEADER_RETRY_AFTER, "1");
	result = s->http.queue(c, status, r);
	s->http.destroy(r);
	return result;
}

/* Takes @body. */
static enum MHD_Result send_json(
	struct server *s, struct MHD_Connection *c, unsigned int status, char *body)
{
	if (!body)
		return MHD_NO;
	return send_response(s, c, status,
		s->http.from_buffer(strlen(body), body, MHD_RESPMEM_MUST_FREE),
		"application/json");
}

static enum MHD_Result refuse(struct server *s, struct MHD_Connection *c,
	unsigned int status, const char *message)
{
	return send_json(s, c, status,
		wire_error(message,
			status >= 500 ? "server_error" : "invalid_request_error"));
}

static struct wire wire_of(struct server *s)
{
	struct wire w = {.created = time(NULL), .model = s->name};

	pthread_mutex_lock(&s->lock);
	w.id = (uint64_t)s->began << 20 | ++s->ids;
	pthread_mutex_unlock(&s->lock);
	return w;
}

static unsigned int status_of(int error)
{
	switch (error) {
	case -E2BIG:
	case -EINVAL: return MHD_HTTP_BAD_REQUEST;
	case -EBUSY:
	case -ECANCELED: return MHD_HTTP_SERVICE_UNAVAILABLE;
	default: return MHD_HTTP_INTERNAL_SERVER_ERROR;
	}
}

/* The next event. At the end of the words: what closes the stream. */
static char *next_event(struct stream *t)
{
	char words[BLOCK_BYTES];
	size_t n = job_read(t->job, words, sizeof words);

	if (n > 0)
		return wire_words(&t->w, words, n);
	t->ended = true;
	if (job_error(t->job) != 0)
		return wire_trouble(
			*job_message(t->job) ? job_message(t->job) : "the model failed");
	return wire_last(&t->w, job_reply(t->job), job_question(t->job)->usage);
}

static ssize_t read_stream(void *arg, uint64_t pos, char *buf, size_t max)
{
	struct stream *t = arg;
	size_t n;

	if (t->at == t->n) {
		if (t->ended)
			return MHD_CONTENT_READER_END_OF_STREAM;
		free(t->out);
		t->out = next_event(t);
		if (!t->out)
			return MHD_CONTENT_READER_END_WITH_ERROR;
		t->n = strlen(t->out);
		t->at = 0;
	}
	n = t->n - t->at < max ? t->n - t->at : max;
	memcpy(buf, t->out + t->at, n);
	t->at += n;
	return (ssize_t)n;
}

static void free_stream(void *arg)
{
	struct stream *t = arg;

	job_release(t->job);
	free(t->out);
	free(t);
}

static enum MHD_Result send_stream(
	struct server *s, struct MHD_Connection *c, struct job *job)
{
	struct stream *t = mem_zalloc(sizeof *t);

	if (!t) {
		job_release(job);
		return MHD_NO;
	}
	t->job = job;
	t->w = wire_of(s);
	t->out = wire_first(&t->w);
	t->n = t->out ? strlen(t->out) : 0;
	return send_response(s, c, MHD_HTTP_OK,
		s->http.from_callback(
			MHD_SIZE_UNKNOWN, BLOCK_BYTES, read_stream, t, free_stream),
		"text/event-stream");
}

static enum MHD_Result send_whole(
	struct server *s, struct MHD_Connection *c, struct job *job)
{
	struct wire w = wire_of(s);
	enum MHD_Result r;

	job_wait(job);
	if (job_error(job) == 0)
		r = send_json(s, c, MHD_HTTP_OK, wire_whole(&w, job_reply(job)));
	else
		r = refuse(s, c, status_of(job_error(job)),
			*job_message(job) ? job_message(job) : "the model failed");
	job_release(job);
	return r;
}

/* --- requests -------------------------------------------------------------------------
 */

static enum MHD_Result complete(
	struct server *s, struct MHD_Connection *c, const struct incoming *in)
{
	struct question q;
	struct job *job;
	char message[256];
	bool stream;
	int r = question_read(
		&q, in->body.p ? in->body.p : "", in->body.n, message, sizeof message);

	if (r != 0)
		return refuse(s, c, MHD_HTTP_BAD_REQUEST, message);
	stream = q.stream;
	r = jobs_add(s->jobs, &q, &job);
	if (r == -EBUSY)
		return refuse(s, c, MHD_HTTP_SERVICE_UNAVAILABLE,
			"too many questions are waiting; ask again later");
	if (r != 0)
		return refuse(s, c, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory");
	return stream ? send_stream(s, c, job) : send_whole(s, c, job);
}

/* In a time that does not tell how much of it was right. */
static bool same(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	unsigned char diff = n != m;

	for (size_t i = 0; i < n; i++)
		diff |= (unsigned char)(a[i] ^ b[m ? i % m : 0]);
	return diff == 0 && n == m;
}

static bool has_key(struct server *s, struct MHD_Connection *c)
{
	const char *given =
		s->http.value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_AUTHORIZATION);

	return !s->key || (given && strncasecmp(given, "Bearer ", 7) == 0 &&
				  same(s->key, given + 7));
}

static enum MHD_Result route(struct server *s, struct MHD_Connection *c, const char *url,
	const char *method, const struct incoming *in)
{
	bool get = strcmp(method, "GET") == 0, post = strcmp(method, "POST") == 0;
	struct wire w = {.created = s->began, .model = s->name};

	if (s->http.value(c, MHD_HEADER_KIND, "Origin"))
		return refuse(s, c, MHD_HTTP_FORBIDDEN, "pages of browsers may not ask");
	if (!has_key(s, c))
		return refuse(s, c, MHD_HTTP_UNAUTHORIZED, "the key is missing or wrong");
	if (in->too_long)
		return refuse(s, c, MHD_HTTP_CONTENT_TOO_LARGE, "more than 4 MiB");
	if (strcmp(url, "/v1/chat/completions") == 0)
		return post ? complete(s, c, in)
			    : refuse(s, c, MHD_HTTP_METHOD_NOT_ALLOWED, "POST it");
	if (strcmp(url, "/v1/models") == 0)
		return get ? send_json(s, c, MHD_HTTP_OK, wire_models(&w))
			   : refuse(s, c, MHD_HTTP_METHOD_NOT_ALLOWED, "GET it");
	if (strcmp(url, "/health") == 0)
		return send_json(s, c, MHD_HTTP_OK, mem_strdup("{\"status\":\"ok\"}\n"));
	return refuse(s, c, MHD_HTTP_NOT_FOUND,
		"there are /v1/chat/completions, /v1/models and /health");
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *c, const char *url,
	const char *method, const char *version, const char *data, size_t *size,
	void **state)
{
	struct server *s = arg;
	struct incoming *in = *state;

	if (!in) {
		in = *state = mem_zalloc(sizeof *in);
		if (!in)
			return MHD_NO;
		in->body.max = BODY_BYTES;
		return MHD_YES;
	}
	if (*size > 0) {
		in->too_long = in->too_long || bytes_add(&in->body, data, *size) != 0;
		*size = 0;
		return MHD_YES;
	}
	return route(s, c, url, method, in);
}

static void on_end(void *arg, struct MHD_Connection *c, void **state,
	enum MHD_RequestTerminationCode how)
{
	struct incoming *in = *state;

	if (!in)
		return;
	bytes_free(&in->body);
	free(in);
	*state = NULL;
}

/* --- where it listens -----------------------------------------------------------------
 */

static int fail(int r, const char *what, const char *where)
{
	fprintf(stderr, "agentctl: cannot %s '%s': %s\n", what, where, strerror(-r));
	return r;
}

static int listen_unix(struct server *s, const char *path)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	auto_close int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	mode_t mask;
	int r;

	if (strlen(path) >= sizeof sa.sun_path)
		return fail(-ENAMETOOLONG, "listen at", path);
	strcpy(sa.sun_path, path);
	if (connect(fd, (struct sockaddr *)&sa, sizeof sa) != 0 && errno == ECONNREFUSED)
		unlink(path); /* of a server that is gone */
	mask = umask(0177);
	r = bind(fd, (struct sockaddr *)&sa, sizeof sa) ? -errno : 0;
	umask(mask);
	if (r == 0 && listen(fd, CONNECTIONS) != 0)
		r = -errno;
	if (r != 0)
		return fail(r, "listen at", path);
	strcpy(s->unlink, path);
	fprintf(stderr, "agentctl: serving %s at unix:%s\n", s->name, path);
	return steal_fd(&fd);
}

static void tell_place(struct server *s, int fd)
{
	struct sockaddr_storage sa;
	socklen_t n = sizeof sa;
	char host[NI_MAXHOST], port[NI_MAXSERV];

	if (getsockname(fd, (struct sockaddr *)&sa, &n) == 0 &&
		getnameinfo((struct sockaddr *)&sa, n, host, sizeof host, port,
			sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) == 0)
		fprintf(stderr, "agentctl: serving %s at http://%s%s%s:%s/v1\n", s->name,
			strchr(host, ':') ? "[" : "", host, strchr(host, ':') ? "]" : "",
			port);
}

static int bind_address(const struct addrinfo *a)
{
	auto_close int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int one = 1;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (bind(fd, a->ai_addr, a->ai_addrlen) != 0 || listen(fd, CONNECTIONS) != 0)
		return -errno;
	return steal_fd(&fd);
}

static int listen_tcp(struct server *s, const char *place)
{
	const struct addrinfo hints = {.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_PASSIVE | AI_NUMERICSERV};
	auto_free char *host = mem_strdup(place);
	char *port = host ? strrchr(host, ':') : NULL, *name = host;
	struct addrinfo *a = NULL;
	int fd;

	if (!port)
		return fail(-EINVAL, "listen at", place);
	*port++ = 0;
	if (*name == '[' && name[strlen(name) - 1] == ']') {
		name[strlen(name) - 1] = 0;
		name++;
	}
	if (!*name || getaddrinfo(name, port, &hints, &a) != 0)
		return fail(-EINVAL, "listen at", place);
	fd = bind_address(a);
	freeaddrinfo(a);
	if (fd < 0)
		return fail(fd, "listen at", place);
	tell_place(s, fd);
	return fd;
}

static int open_socket(struct server *s, const char *place)
{
	if (!place)
		place = DEFAULT_LISTEN;
	return strncmp(place, "unix:", 5) == 0 ? listen_unix(s, place + 5)
					       : listen_tcp(s, place);
}

/* --- from end to end ------------------------------------------------------------------
 */

static int read_key(struct server *s, const char *path)
{
	auto_file FILE *f = path ? fopen(path, "re") : NULL;
	size_t cap = 0;
	ssize_t n;

	if (!path)
		return 0;
	n = f ? getline(&s->key, &cap, f) : -1;
	while (n > 0 && strchr("\r\n \t", s->key[n - 1]))
		s->key[--n] = 0;
	return n > 0 ? 0 : fail(f ? -ENODATA : -errno, "read a key from", path);
}

static void wait_for_the_end(void)
{
	sigset_t set;
	int signo;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	while (sigwait(&set, &signo) != 0)
		;
}

static void block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static int serve(struct server *s, const struct serve_options *o)
{
	int fd = open_socket(s, o->listen);
	struct MHD_Daemon *d;

	if (fd < 0) {
		jobs_stop(s->jobs);
		return fd;
	}
	d = s->http.start(MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD,
		0, NULL, NULL, on_request, s, MHD_OPTION_LISTEN_SOCKET, fd,
		MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
		IDLE_SECONDS, MHD_OPTION_NOTIFY_COMPLETED, on_end, NULL, MHD_OPTION_END);
	if (!d) {
		jobs_stop(s->jobs);
		close(fd);
		return fail(-EIO, "start a server at", o->listen ? o->listen : "");
	}
	wait_for_the_end();
	/* whoever still waits for the engine is told so, or stopping would wait, too */
	jobs_stop(s->jobs);
	s->http.stop(d);
	return 0;
}

static const char *name_of(const struct serve_options *o)
{
	const char *slash = o->dir ? strrchr(o->dir, '/') : NULL;

	if (o->name)
		return o->name;
	return !o->dir ? "embedded" : slash && slash[1] ? slash + 1 : o->dir;
}

int serve_run(const struct serve_options *o)
{
	struct server s = {.name = name_of(o), .began = time(NULL)};
	char message[512];
	int r = 0;

	pthread_mutex_init(&s.lock, NULL);
	block_signals();
	if (!load(&s.http)) {
		fprintf(stderr, "agentctl: serve needs libmicrohttpd: apt-get install "
				"libmicrohttpd12\n");
		return 125;
	}
	r = read_key(&s, o->key_file);
	if (r == 0 && (r = brain_open(&s.brain, o->dir, o->threads, o->context, message,
			       sizeof message)) != 0)
		fprintf(stderr, "agentctl: %s\n", message);
	if (r == 0 && (r = jobs_open(&s.jobs, s.brain)) != 0)
		fail(r, "begin", s.name);
	if (r == 0)
		r = serve(&s, o);
	jobs_close(s.jobs);
	brain_close(s.brain);
	if (*s.unlink)
		unlink(s.unlink);
	free(s.key);
	return r == 0 ? 0 : 125;
}
