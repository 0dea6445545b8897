/*
 * mmtool.c: the engine on a command line, for comparisons and measurements.
 *
 *	mmtool DIR FORM CPU THREADS encode          lines of text (JSON escapes are not
 *read; \n is the end) to lines of ids mmtool DIR FORM CPU THREADS run NEW [FILE]  lines
 *of ids to the ids that greedy decoding adds; all logits to FILE mmtool DIR FORM CPU
 *THREADS speed N RUNS    seconds of CPU and of clock for N tokens
 *
 * FORM: stored f32 16 int8. CPU: auto scalar avx2 avx512.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "agentctl/provider/minimind/minimind.h"

static unsigned index_of(const char *const *names, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	fprintf(stderr, "mmtool: what is '%s'?\n", name);
	exit(2);
}

static struct minimind *open_model(char **argv)
{
	static const char *const forms[] = {"stored", "f32", "16", "int8"};
	static const char *const cpus[] = {"auto", "scalar", "avx2", "avx512"};
	struct minimind_options o = {
		.form = (enum minimind_form)index_of(forms, 4, argv[2]),
		.cpu = (enum minimind_cpu)index_of(cpus, 4, argv[3]),
		.threads = (unsigned)atoi(argv[4]),
	};
	struct minimind *m;
	char message[256];

	if (minimind_open(&m, argv[1], &o, message, sizeof message) != 0) {
		fprintf(stderr, "mmtool: %s\n", message);
		exit(1);
	}
	return m;
}

static void encode(const struct minimind *m)
{
	char *line = NULL;
	size_t cap = 0, n;
	uint32_t *ids;
	ssize_t len;

	while ((len = getdelim(&line, &cap, 0, stdin)) > 0) {
		struct minimind_text t = {line, (size_t)len - (line[len - 1] == 0), true};

		if (minimind_encode(m, &t, 1, &ids, &n) != 0)
			exit(1);
		for (size_t i = 0; i < n; i++)
			printf("%s%u", i ? " " : "", ids[i]);
		putchar('\n');
		free(ids);
	}
	free(line);
}

static size_t read_ids(char *line, uint32_t *ids, size_t most)
{
	size_t n = 0;

	for (char *p = strtok(line, " \n"); p && n < most; p = strtok(NULL, " \n"))
		ids[n++] = (uint32_t)atoi(p);
	return n;
}

static uint32_t likeliest(const float *logits, uint32_t n)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < n; i++)
		if (logits[i] > logits[best])
			best = i;
	return best;
}

static void run_line(struct minimind *m, struct minimind_session *s, uint32_t *ids,
	size_t n, size_t more, FILE *logits)
{
	uint32_t vocab = minimind_info(m).vocab;

	for (size_t i = logits ? 1 : n; i <= n; i++) {
		if (minimind_session_feed(s, ids, i, NULL) != 0)
			exit(1);
		if (logits)
			fwrite(minimind_session_logits(s), sizeof(float), vocab, logits);
	}
	for (size_t i = 0; i < more; i++, n++) {
		if (minimind_session_feed(s, ids, n, NULL) != 0)
			break;
		ids[n] = likeliest(minimind_session_logits(s), vocab);
		printf("%s%u", i ? " " : "", ids[n]);
		if (minimind_is_end(m, ids[n]))
			break;
	}
	putchar('\n');
}

static void run(struct minimind *m, size_t more, const char *path)
{
	static uint32_t ids[8192];
	FILE *logits = path ? fopen(path, "w") : NULL;
	struct minimind_session *s;
	char *line = NULL;
	size_t cap = 0;

	if (minimind_session_open(&s, m, 0) != 0)
		exit(1);
	while (getline(&line, &cap, stdin) > 0)
		run_line(m, s, ids, read_ids(line, ids, 4096), more, logits);
	minimind_session_close(s);
	free(line);
	if (logits)
		fclose(logits);
}

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void speed(struct minimind *m, size_t n, int runs)
{
	struct minimind_info info = minimind_info(m);
	struct minimind_session *s;
	uint32_t *ids = malloc(n * sizeof *ids);

	printf("%s %s: %.1f MB read for a token\n", info.cpu, info.form,
		(double)info.token_bytes / 1e6);
	for (size_t i = 0; i < n; i++)
		ids[i] = (uint32_t)(i * 7919 % info.vocab);
	for (int r = 0; r < runs; r++) {
		double cpu, wall;

		if (minimind_session_open(&s, m, 0) != 0)
			exit(1);
		minimind_session_feed(s, ids, 1, NULL);
		cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
		wall = seconds(CLOCK_MONOTONIC);
		for (size_t i = 2; i <= n; i++)
			minimind_session_feed(s, ids, i, NULL);
		cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
		wall = seconds(CLOCK_MONOTONIC) - wall;
		printf("%.1f tokens/s, %.1f per CPU second, %.2f GB/s\n",
			(double)(n - 1) / wall, (double)(n - 1) / cpu,
			(double)info.token_bytes * (double)(n - 1) / wall / 1e9);
		minimind_session_close(s);
	}
	free(ids);
}

int main(int argc, char **argv)
{
	struct minimind *m;

	if (argc < 6)
		return 2;
	m = open_model(argv);
	if (strcmp(argv[5], "encode") == 0)
		encode(m);
	else if (strcmp(argv[5], "run") == 0 && argc > 6)
		run(m, (size_t)atoi(argv[6]), argc > 7 ? argv[7] : NULL);
	else if (strcmp(argv[5], "speed") == 0 && argc > 7)
		speed(m, (size_t)atoi(argv[6]), atoi(argv[7]));
	minimind_close(m);
	return 0;
}
