/*
 * number.h: the forms of numbers that weights have, and single conversions.
 */
#ifndef AGENTCTL_MINIMIND_NUMBER_H
#define AGENTCTL_MINIMIND_NUMBER_H

#include <stdint.h>
#include <string.h>

enum number { NUMBER_F32, NUMBER_F16, NUMBER_BF16, NUMBER_Q8, NUMBER_KINDS };

static inline uint32_t number_bits(float f)
{
	uint32_t u;

	memcpy(&u, &f, sizeof u);
	return u;
}

static inline float number_of_bits(uint32_t u)
{
	float f;

	memcpy(&f, &u, sizeof f);
	return f;
}

static inline float number_from_bf16(uint16_t h)
{
	return number_of_bits((uint32_t)h << 16);
}

/** To the nearest, ties to even; not for NaN. */
static inline uint16_t number_to_bf16(float f)
{
	uint32_t u = number_bits(f);

	return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

/* A half's exponent and mantissa, moved to a float's place, are the value times 2^-112;
 * only infinity and NaN need more. */
static inline float number_from_f16(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, rest = (uint32_t)(h & 0x7fff) << 13;
	float f = number_of_bits(rest) * 0x1p112f;

	if (rest >= 0x7c00u << 13)
		f = number_of_bits(rest | 0x7f800000);
	return number_of_bits(number_bits(f) | sign);
}

/** To the nearest, ties to even; what is too large becomes infinity; not for NaN. */
static inline uint16_t number_to_f16(float f)
{
	uint32_t u = number_bits(f), sign = u >> 16 & 0x8000;

	u &= 0x7fffffff;
	if (u >= 0x47800000)
		return (uint16_t)(sign | 0x7c00);
	if (u < 0x38800000) /* below the smallest normal half: units of 2^-24 */
		return (uint16_t)(sign |
				  (number_bits(number_of_bits(u) + 0.5f) & 0xffff));
	u += 0xfff + (u >> 13 & 1) - (112u << 23);
	return (uint16_t)(sign | u >> 13);
}

#endif
