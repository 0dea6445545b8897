/*
 * place.h: from what a person gives as the place of a model to where requests go. Private
 * to provider.
 */
#ifndef AGENTCTL_PROVIDER_PLACE_H
#define AGENTCTL_PROVIDER_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/** Where requests go; strings are the caller's to free (place_free). */
struct place {
	char *url;	 /* of chat completions */
	char *unix_path; /* absolute, or NULL */
	bool bare;	 /* neither encrypted nor on this machine */
};

/** place_read(p, text, message, size): http://HOST/PATH, https://HOST/PATH, where PATH
 * may end in chat/completions or is what that is appended to (v1 if there is none), or
 * unix:PATH. Passwords in it are refused: others can see command lines. 0, -EINVAL,
 * -ENOMEM. */
int place_read(struct place *p, const char *text, char *message, size_t size);
void place_free(struct place *p);

#endif
