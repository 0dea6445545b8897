/*
 * test_model.c: every kind of network gives the numbers that the formulas give, in every
 * form of weights, from every layout of file and on every processor.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/minimind/kernel.h"
#include "tests/unit/agentctl/minimind_world.h"
#include "tests/unit/agentctl/suites.h"

enum { TOKENS = 45 }; /* more than go side by side */

static void make_ids(uint32_t *ids)
{
	for (uint32_t i = 0; i < TOKENS; i++)
		ids[i] = (i * i * 31 + 7 * i + 5) % WORLD_VOCAB;
}

static double furthest(const float *a, const double *b, double *size)
{
	double most = 0;

	*size = 0;
	for (int i = 0; i < WORLD_VOCAB; i++) {
		double off = fabs((double)a[i] - b[i]);

		ck_assert(isfinite(a[i]));
		most = off > most ? off : most;
		*size = fabs(b[i]) > *size ? fabs(b[i]) : *size;
	}
	return most;
}

static void check_logits(const struct world *w, enum minimind_form form,
	enum minimind_cpu cpu, double bound)
{
	struct minimind *m = world_open(w, form, cpu);
	struct minimind_session *s;
	double want[WORLD_VOCAB], size, off;
	uint32_t ids[TOKENS];

	make_ids(ids);
	ck_assert_int_eq(minimind_session_open(&s, m, 0), 0);
	for (size_t n = 1; n <= TOKENS; n = 2 * n + 1) {
		ck_assert_int_eq(minimind_session_feed(s, ids, n, NULL), 0);
		world_logits(w, ids, n, want);
		off = furthest(minimind_session_logits(s), want, &size);
		ck_assert_msg(off <= bound * size,
			"%s, %s, %s: %zu tokens, off by %g of %g", w->shape->name,
			minimind_info(m).form, minimind_info(m).cpu, n, off, size);
	}
	minimind_session_close(s);
	minimind_close(m);
}

static bool has(int cpu)
{
	return kernel_choose((enum kernel_kind)cpu) != NULL;
}

START_TEST(logits_are_what_the_formulas_say)
{
	struct world w;

	world_make(&w, _i % WORLD_KINDS, "F32", false);
	if (has(1 + _i / WORLD_KINDS))
		check_logits(&w, MINIMIND_AS_STORED, 1 + _i / WORLD_KINDS, 2e-5);
	world_free(&w);
}
END_TEST

/* The weights are such that 16 bits hold them, so nothing may be lost. */
START_TEST(sixteen_bits_are_exact)
{
	struct world w;

	world_make(&w, _i % WORLD_KINDS, _i & 1 ? "F16" : "BF16", _i % WORLD_KINDS == 2);
	if (has(1 + _i / WORLD_KINDS)) {
		check_logits(&w, MINIMIND_AS_STORED, 1 + _i / WORLD_KINDS, 2e-5);
		check_logits(&w, MINIMIND_F32, 1 + _i / WORLD_KINDS, 2e-5);
	}
	world_free(&w);
	world_make(&w, _i % WORLD_KINDS, "F32", _i % WORLD_KINDS == 0);
	if (has(1 + _i / WORLD_KINDS))
		check_logits(&w, MINIMIND_16, 1 + _i / WORLD_KINDS, 2e-5);
	world_free(&w);
}
END_TEST

/* What a processor makes of int8 differs from the plain loops by rounding only. */
static void check_same(const struct world *w, enum minimind_form form, int cpu)
{
	struct minimind *a = world_open(w, form, MINIMIND_SCALAR);
	struct minimind *b = world_open(w, form, (enum minimind_cpu)cpu);
	struct minimind_session *s, *t;
	uint32_t ids[TOKENS];
	const float *x, *y;

	make_ids(ids);
	ck_assert_int_eq(minimind_session_open(&s, a, 0), 0);
	ck_assert_int_eq(minimind_session_open(&t, b, 0), 0);
	ck_assert_int_eq(minimind_session_feed(s, ids, 3, NULL), 0);
	ck_assert_int_eq(minimind_session_feed(t, ids, 3, NULL), 0);
	x = minimind_session_logits(s);
	y = minimind_session_logits(t);
	for (int i = 0; i < WORLD_VOCAB; i++)
		ck_assert_float_eq_tol(x[i], y[i], 0.1f);
	minimind_session_close(s);
	minimind_session_close(t);
	minimind_close(a);
	minimind_close(b);
}

START_TEST(processors_agree_on_int8)
{
	struct world w;

	world_make(&w, _i, _i % 2 ? "I8" : "F32", false);
	for (int cpu = MINIMIND_AVX2; cpu <= MINIMIND_AVX512; cpu++)
		if (has(cpu))
			check_same(&w, MINIMIND_INT8, cpu);
	world_free(&w);
}
END_TEST

/* Stored int8 is exact when it is read into floats. */
START_TEST(stored_int8_is_read)
{
	struct world w;
	struct minimind *m;

	world_make(&w, _i, "I8", _i == 2);
	check_logits(&w, MINIMIND_F32, MINIMIND_AUTO, 2e-5);
	m = world_open(&w, MINIMIND_AS_STORED, MINIMIND_AUTO);
	ck_assert_str_eq(minimind_info(m).form,
		world_shapes[_i].hidden % 32 == 0 ? "int8" : "f32");
	minimind_close(m);
	world_free(&w);
}
END_TEST

/* The same bits whether tokens come alone or together. */
START_TEST(results_do_not_depend_on_the_batch)
{
	struct world w;
	struct minimind *m;
	struct minimind_session *one, *all;
	uint32_t ids[TOKENS];

	world_make(&w, _i % WORLD_KINDS, "F32", false);
	m = world_open(
		&w, _i < WORLD_KINDS ? MINIMIND_F32 : MINIMIND_INT8, MINIMIND_AUTO);
	make_ids(ids);
	ck_assert_int_eq(minimind_session_open(&one, m, 64), 0);
	ck_assert_int_eq(minimind_session_open(&all, m, 0), 0);
	for (size_t n = 1; n <= TOKENS; n++)
		ck_assert_int_eq(minimind_session_feed(one, ids, n, NULL), 0);
	ck_assert_int_eq(minimind_session_feed(all, ids, TOKENS, NULL), 0);
	ck_assert_mem_eq(minimind_session_logits(one), minimind_session_logits(all),
		WORLD_VOCAB * sizeof(float));
	minimind_session_close(one);
	minimind_session_close(all);
	minimind_close(m);
	world_free(&w);
}
END_TEST

static struct {
	const char *from, *to, *says;
} damages[] = {
	{"\"hidden_size\":64", "\"hidden_size\":0", "hidden_size"},
	{"\"hidden_size\":64", "\"hidden_size\":1e9", "hidden_size"},
	{"\"hidden_size\":64", "\"hidden_size\":65", "shape"},
	{"\"hidden_size\":64", "\"hidden\":64", "missing"},
	{"\"num_hidden_layers\":2", "\"num_hidden_layers\":3", "missing"},
	{"\"num_attention_heads\":4", "\"num_attention_heads\":3", "fit"},
	{"\"num_attention_heads\":4", "\"num_attention_heads\":\"4\"", "bounds"},
	{"\"vocab_size\":272", "\"vocab_size\":271", "tokenizer"},
	{"\"vocab_size\":272", "\"vocab_size\":1048576", "shape"},
	{"\"qwen3\"", "\"gpt2\"", "model_type"},
	{"\"rope_theta\":1e6", "\"rope_scaling\":{\"rope_type\":\"llama3\"}",
		"rope_scaling"},
	{"\"rope_theta\":1e6", "\"rope_theta\":-1", "rope_theta"},
	{"\"rope_theta\":1e6", "\"hidden_act\":\"gelu\"", "hidden_act"},
	{"\"rope_theta\":1e6", "\"attention_bias\":true", "attention_bias"},
	{"\"rope_theta\":1e6", "\"attention_bias\":1", "neither"},
	{"\"eos_token_id\":2", "\"eos_token_id\":[2,272]", "eos_token_id"},
	{"\"tie_word_embeddings\":true", "\"tie_word_embeddings\":false", "lm_head"},
	{"{", "[", "JSON"},
};

START_TEST(a_damaged_config_is_refused)
{
	char config[1024], message[256] = "";
	const char *whole, *at;
	struct minimind *m;
	struct world w;
	int r;

	world_make(&w, 4, "F32", false);
	whole = w.shape->config;
	at = strstr(whole, damages[_i].from);
	snprintf(config, sizeof config, "%.*s%s%s", (int)(at - whole), whole,
		damages[_i].to, at + strlen(damages[_i].from));
	r = world_try(
		&m, config, world_tokenizer, w.file, w.size, message, sizeof message);
	ck_assert_msg(r == -EINVAL, "%s: %d", config, r);
	ck_assert_ptr_null(m);
	ck_assert_msg(strstr(message, damages[_i].says) != NULL, "%s", message);
	world_free(&w);
}
END_TEST

START_TEST(a_file_cut_short_is_refused)
{
	char message[256] = "";
	struct minimind *m;
	struct world w;
	size_t n;

	world_make(&w, 2, "F16", false);
	for (n = 0; n < w.size; n += n < 64 ? 1 : 997) {
		message[0] = 0;
		ck_assert_int_eq(world_try(&m, w.shape->config, world_tokenizer, w.file,
					 n, message, sizeof message),
			-EINVAL);
		ck_assert_str_ne(message, "");
	}
	world_free(&w);
}
END_TEST

START_TEST(flipped_bytes_of_the_header_never_crash)
{
	char message[256];
	struct minimind *m;
	struct world w;
	uint64_t head;

	world_make(&w, _i, "F32", _i & 1);
	memcpy(&head, w.file, 8);
	for (size_t n = 0; n < 8 + head; n += 3) {
		char was = w.file[n];

		w.file[n] = (char)(was ^ (1 << n % 7));
		if (world_try(&m, w.shape->config, world_tokenizer, w.file, w.size,
			    message, sizeof message) == 0)
			minimind_close(m);
		w.file[n] = was;
	}
	world_free(&w);
}
END_TEST

START_TEST(weights_that_are_no_numbers_are_refused)
{
	static const float bad[] = {NAN, INFINITY, -INFINITY};
	char message[256] = "";
	struct minimind *m;
	struct world w;

	world_make(&w, 4, "F32", false);
	memcpy(w.file + w.size - 4, &bad[_i], 4);
	ck_assert_int_eq(world_try(&m, w.shape->config, world_tokenizer, w.file, w.size,
				 message, sizeof message),
		-EINVAL);
	ck_assert_ptr_nonnull(strstr(message, "down_proj"));
	world_free(&w);
}
END_TEST

START_TEST(a_model_too_large_is_refused)
{
	const struct minimind_options o = {.max_bytes = 100000};
	struct minimind_blob c, t = {world_tokenizer, strlen(world_tokenizer)}, f;
	char message[256];
	struct minimind *m;
	struct world w;

	world_make(&w, 0, "F32", false);
	c = (struct minimind_blob){w.shape->config, strlen(w.shape->config)};
	f = (struct minimind_blob){w.file, w.size};
	ck_assert_int_eq(
		minimind_open_memory(&m, c, t, f, &o, message, sizeof message), -EFBIG);
	world_free(&w);
}
END_TEST

TCase *case_model(void)
{
	TCase *t = tcase_create("model");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, logits_are_what_the_formulas_say, 0, 3 * WORLD_KINDS);
	tcase_add_loop_test(t, sixteen_bits_are_exact, 0, 3 * WORLD_KINDS);
	tcase_add_loop_test(t, processors_agree_on_int8, 0, WORLD_KINDS);
	tcase_add_loop_test(t, stored_int8_is_read, 0, WORLD_KINDS);
	tcase_add_loop_test(t, results_do_not_depend_on_the_batch, 0, 2 * WORLD_KINDS);
	tcase_add_loop_test(
		t, a_damaged_config_is_refused, 0, sizeof damages / sizeof damages[0]);
	tcase_add_test(t, a_file_cut_short_is_refused);
	tcase_add_loop_test(t, flipped_bytes_of_the_header_never_crash, 0, WORLD_KINDS);
	tcase_add_loop_test(t, weights_that_are_no_numbers_are_refused, 0, 3);
	tcase_add_test(t, a_model_too_large_is_refused);
	return t;
}
