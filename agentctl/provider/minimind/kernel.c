/*
 * kernel.c: which inner loops this processor can run.
 */
#include "agentctl/provider/minimind/kernel.h"

#ifdef __x86_64__
/* Every processor with AVX2 and FMA also converts halves. */
static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
	return has_avx2() && __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vnni");
}

const struct kernel *kernel_choose(enum kernel_kind kind)
{
	switch (kind) {
	case KERNEL_SCALAR: return &kernel_scalar;
	case KERNEL_AVX2: return has_avx2() ? &kernel_avx2 : NULL;
	case KERNEL_AVX512: return has_avx512() ? &kernel_avx512 : NULL;
	default: break;
	}
	return has_avx512() ? &kernel_avx512 : has_avx2() ? &kernel_avx2 : &kernel_scalar;
}
#else
const struct kernel *kernel_choose(enum kernel_kind kind)
{
	return kind == KERNEL_AUTO || kind == KERNEL_SCALAR ? &kernel_scalar : NULL;
}
#endif

void kernel_quantise(const struct kernel *k, const struct vectors *x)
{
	for (unsigned v = 0; v < x->n; v++)
		k->quantise(x->f + v * x->stride, x->stride, x->q + v * x->stride,
			x->scale + v * (x->stride / KERNEL_BLOCK),
			x->start + v * (x->stride / 4));
}
