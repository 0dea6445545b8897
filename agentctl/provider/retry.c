/*
 * retry.c: exponential back-off with jitter, and the servers that know better.
 */
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/retry.h"

#define FIRST_MS 500
#define CAP_MS 30000
#define FAR_MS (1000ll * 86400 * 365)

static bool passing_status(int status)
{
	switch (status) {
	case 408: /* time-out */
	case 409: /* conflict, "try again" */
	case 425: /* too early */
	case 429: /* too many */ return true;
	default: return status >= 500 && status != 501 && status != 505;
	}
}

bool retry_may_help(const struct fault *f)
{
	if (f->retry_ms > RETRY_LONGEST_MS)
		return false;
	switch (f->kind) {
	case FAULT_CONNECT:
	case FAULT_TIME:
	case FAULT_BROKEN: return true;
	case FAULT_REFUSED:
		/* 429, too, but waiting brings no money */
		if (strstr(f->text, "insufficient_quota"))
			return false;
		return f->status == 0 || passing_status(f->status);
	default: return false;
	}
}

int64_t retry_wait_ms(unsigned int attempt, const struct fault *f, uint32_t random)
{
	int64_t ms = FIRST_MS;

	if (f->retry_ms >= 0)
		return f->retry_ms + (int64_t)random % (f->retry_ms / 10 + 50);
	while (--attempt > 0 && ms < CAP_MS)
		ms *= 2;
	if (ms > CAP_MS)
		ms = CAP_MS;
	return ms - (int64_t)random % (ms / 2);
}

int64_t retry_after_ms(const char *value, time_t now)
{
	struct tm tm = {0};
	char *end;
	double s = strtod(value, &end);
	time_t at;

	if (end != value && !*end)
		return s >= 0 && s * 1000 < (double)FAR_MS ? (int64_t)(s * 1000) : -1;
	end = strptime(value, "%a, %d %b %Y %H:%M:%S GMT", &tm);
	if (!end || *end)
		return -1;
	at = timegm(&tm);
	return at > now ? (int64_t)(at - now) * 1000 : 0;
}
