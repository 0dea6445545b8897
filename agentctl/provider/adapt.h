/*
 * adapt.h: what a server means by a refusal. Private to provider.
 */
#ifndef AGENTCTL_PROVIDER_ADAPT_H
#define AGENTCTL_PROVIDER_ADAPT_H

#include "agentctl/provider/fault.h"
#include "agentctl/provider/request.h"

/** adapt_request(q, tools_too, f, told): if the server refused something of @q by its
 * name, leave that out of it; *told says what. Tools only if @tools_too. False: nothing
 * to leave out. */
bool adapt_request(
	struct request *q, bool tools_too, const struct fault *f, const char **told);

/** adapt_too_long(f): whether the conversation is too long for the model. */
bool adapt_too_long(const struct fault *f);

#endif
