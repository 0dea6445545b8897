/*
 * retry.h: whether to ask again, and when. Private to provider.
 */
#ifndef AGENTCTL_PROVIDER_RETRY_H
#define AGENTCTL_PROVIDER_RETRY_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include "agentctl/provider/fault.h"

/** What a server may ask to wait at most; who asks for more is not asked again. */
#define RETRY_LONGEST_MS 300000

/** retry_may_help(f): may the same question have an answer later? */
bool retry_may_help(const struct fault *f);

/** retry_wait_ms(attempt, f, random): how long to wait before the question is asked the
 * (attempt + 1)-th time, attempt from 1: half a second, doubled each time, at most 30 s,
 * of which @random takes off up to a half; or what the server asks, and up to a tenth
 * more. */
int64_t retry_wait_ms(unsigned int attempt, const struct fault *f, uint32_t random);

/** retry_after_ms(value, now): a Retry-After header, seconds or a date; -1: neither. */
int64_t retry_after_ms(const char *value, time_t now);

#endif
