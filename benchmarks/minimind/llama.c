/*
 * llama.c: libllama by its C interface, doing what mmtool does, to compare with.
 *
 *	llama FILE THREADS f32|f16 run NEW      lines of ids to the ids that greedy
 *decoding adds; the cache has numbers of that kind llama FILE THREADS f32|f16 speed N
 *RUNS
 *
 * Build beside a copy of llama.cpp's headers and its libraries; the folder of the
 * libraries is taken from LLAMA_LIBS.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "llama.h"

static void quiet(enum ggml_log_level level, const char *text, void *context)
{
	if (level == GGML_LOG_LEVEL_ERROR)
		fputs(text, stderr);
}

static int likeliest(const float *logits, int n)
{
	int best = 0;

	for (int i = 1; i < n; i++)
		if (logits[i] > logits[best])
			best = i;
	return best;
}

static void feed(struct llama_context *c, llama_token *ids, int n)
{
	if (llama_decode(c, llama_batch_get_one(ids, n)) != 0) {
		fprintf(stderr, "llama: decode failed\n");
		exit(1);
	}
}

static void run(struct llama_context *c, int vocab, int more)
{
	static llama_token ids[8192];
	char *line = NULL;
	size_t cap = 0;

	while (getline(&line, &cap, stdin) > 0) {
		int n = 0;

		for (char *p = strtok(line, " \n"); p; p = strtok(NULL, " \n"))
			ids[n++] = atoi(p);
		llama_memory_clear(llama_get_memory(c), true);
		feed(c, ids, n);
		for (int i = 0; i < more; i++) {
			llama_token t = likeliest(llama_get_logits_ith(c, -1), vocab);

			printf("%s%d", i ? " " : "", t);
			if (t == 2 || i + 1 == more)
				break;
			feed(c, &t, 1);
		}
		putchar('\n');
	}
	free(line);
}

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void speed(struct llama_context *c, int vocab, int n, int runs)
{
	for (int r = 0; r < runs; r++) {
		double cpu = 0, wall = 0;

		llama_memory_clear(llama_get_memory(c), true);
		for (int i = 0; i < n; i++) {
			llama_token t = i * 7919 % vocab;

			if (i == 1) {
				cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
				wall = seconds(CLOCK_MONOTONIC);
			}
			feed(c, &t, 1);
			llama_get_logits_ith(c, -1);
		}
		cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
		wall = seconds(CLOCK_MONOTONIC) - wall;
		printf("%.1f tokens/s, %.1f per CPU second\n", (n - 1) / wall,
			(n - 1) / cpu);
	}
}

int main(int argc, char **argv)
{
	struct llama_model_params m = llama_model_default_params();
	struct llama_context_params p = llama_context_default_params();
	struct llama_model *model;
	struct llama_context *c;
	int vocab;

	if (argc < 6)
		return 2;
	llama_log_set(quiet, NULL);
	ggml_backend_load_all_from_path(getenv("LLAMA_LIBS"));
	model = llama_model_load_from_file(argv[1], m);
	if (!model)
		return 1;
	p.n_ctx = 512;
	p.n_batch = p.n_ubatch = 512;
	p.n_threads = p.n_threads_batch = atoi(argv[2]);
	p.type_k = p.type_v = strcmp(argv[3], "f32") == 0 ? GGML_TYPE_F32 : GGML_TYPE_F16;
	p.no_perf = true;
	c = llama_init_from_model(model, p);
	if (!c)
		return 1;
	vocab = llama_vocab_n_tokens(llama_model_get_vocab(model));
	if (strcmp(argv[4], "run") == 0)
		run(c, vocab, atoi(argv[5]));
	else
		speed(c, vocab, atoi(argv[5]), atoi(argv[6]));
	llama_free(c);
	llama_model_free(model);
	return 0;
}
