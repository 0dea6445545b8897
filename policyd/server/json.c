/*
 * json.c: strict JSON: valid UTF-8, no NUL, bounded depth, no duplicate keys. Whatever
 * the library would let pass silently is found before or after it.
 */
#include <string.h>

#include "common/cleanup.h"
#include "common/escape.h"
#include "policyd/server/private.h"

enum { MAX_DEPTH = 4 };

/*
 * json-c keeps the last of duplicate keys, silently: so keys are counted here, in one
 * pass over the bytes, and compared with what it kept. Depth is bounded on the way.
 */
static const char *scan(const char *s, size_t n, size_t *keys)
{
	int depth = 0;
	bool string = false;

	*keys = 0;
	for (size_t i = 0; i < n; i++) {
		if (string) {
			if (s[i] == '\\')
				i++;
			else if (s[i] == '"')
				string = false;
			continue;
		}
		switch (s[i]) {
		case '"': string = true; break;
		case ':': ++*keys; break;
		case '{':
		case '[':
			if (++depth > MAX_DEPTH)
				return "the JSON is nested too deeply";
			break;
		case '}':
		case ']': depth--; break;
		}
	}
	return NULL;
}

static size_t count_keys(struct json_object *o)
{
	size_t n = 0;

	if (json_object_is_type(o, json_type_object)) {
		json_object_object_foreach(o, key, v)
		{
			(void)key;
			n += 1 + count_keys(v);
		}
	}
	return n;
}

struct json_object *json_line(const char *line, size_t len, const char **error)
{
	struct json_tokener *tok;
	struct json_object *o;
	size_t keys;

	if (memchr(line, '\0', len)) {
		*error = "a NUL byte in the request";
		return NULL;
	}
	if (!utf8_valid(line, len)) {
		*error = "the request is not UTF-8";
		return NULL;
	}
	if ((*error = scan(line, len, &keys)))
		return NULL;
	tok = json_tokener_new_ex(MAX_DEPTH + 2);
	if (!tok) {
		*error = "out of memory";
		return NULL;
	}
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
	o = json_tokener_parse_ex(tok, line, (int)len);
	if (!o || json_tokener_get_error(tok) != json_tokener_success ||
		json_tokener_get_parse_end(tok) != len ||
		!json_object_is_type(o, json_type_object))
		*error = "the request is not one JSON object";
	else if (count_keys(o) != keys)
		*error = "a duplicate key";
	json_tokener_free(tok);
	if (*error) {
		json_object_put(o);
		return NULL;
	}
	return o;
}

void json_add(struct json_object *o, const char *key, const char *text)
{
	auto_free char *safe = NULL;

	if (!text || !*text)
		return;
	if (!utf8_valid(text, strlen(text))) { /* cut in the middle, or a name's bytes */
		safe = strdup(text);
		for (char *p = safe; p && *p; p++)
			if (*p & 0x80)
				*p = '?';
		text = safe ? safe : "?";
	}
	json_object_object_add(o, key, json_object_new_string(text));
}
