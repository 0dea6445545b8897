/*
 * test_request.c: a conversation becomes valid JSON of the protocol, whatever is in it,
 * and gets smaller without losing the task.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/request.h"
#include "tests/unit/agentctl/suites.h"

#define BIG 20000

static char big[BIG + 1];

static struct provider_message talk[] = {
	{.role = PROVIDER_SYSTEM, .text = (char *)"rules"},
	{.role = PROVIDER_USER, .text = (char *)"the \"task\"\n"},
	{.role = PROVIDER_ASSISTANT,
		.text = (char *)"I look",
		.command = (char *)"ls '\xff'",
		.call_id = (char *)"c1"},
	{.role = PROVIDER_TOOL, .text = big, .call_id = (char *)"c1"},
	{.role = PROVIDER_ASSISTANT, .call_id = (char *)"c2", .back = true, .back_to = 3},
	{.role = PROVIDER_TOOL, .text = big, .call_id = (char *)"c2"},
	{.role = PROVIDER_USER, .text = (char *)"go on"},
	{.role = PROVIDER_ASSISTANT, .command = (char *)"pwd", .call_id = (char *)"c3"},
	{.role = PROVIDER_TOOL, .text = big, .call_id = (char *)"c3"},
};

#define N_TALK (sizeof talk / sizeof talk[0])

static void fill(void)
{
	memset(big, 'x', BIG);
	memcpy(big, "exit status 0\n", 14);
}

static json_object *rendered(
	const struct request *q, const struct trim *t, size_t n, size_t *bytes)
{
	struct bytes b = {.max = 1 << 20};
	json_object *o;

	ck_assert_int_eq(request_render(&b, q, t, talk, n), 0);
	if (bytes)
		*bytes = b.n;
	o = json_tokener_parse(b.p);
	ck_assert_msg(o != NULL, "%s", b.p);
	bytes_free(&b);
	return o;
}

static json_object *at(json_object *o, const char *key)
{
	json_object *v;

	ck_assert_msg(json_object_object_get_ex(o, key, &v), "no %s", key);
	return v;
}

static const char *text(json_object *o, const char *key)
{
	return json_object_get_string(at(o, key));
}

static json_object *message(json_object *o, size_t i)
{
	return json_object_array_get_idx(at(o, "messages"), i);
}

START_TEST(a_conversation_becomes_json)
{
	struct request q = {.model = "m\"", .stream = true, .usage = true};
	struct trim t = {0};
	json_object *o = rendered(&q, &t, N_TALK, NULL), *call;

	ck_assert_str_eq(text(o, "model"), "m\"");
	ck_assert_uint_eq(json_object_array_length(at(o, "messages")), N_TALK);
	ck_assert_str_eq(text(message(o, 1), "content"), "the \"task\"\n");
	call = json_object_array_get_idx(at(message(o, 2), "tool_calls"), 0);
	ck_assert_str_eq(text(call, "id"), "c1");
	ck_assert_str_eq(text(at(call, "function"), "arguments"),
		"{\"command\":\"ls '\\ufffd'\"}");
	ck_assert_str_eq(text(message(o, 3), "tool_call_id"), "c1");
	call = json_object_array_get_idx(at(message(o, 4), "tool_calls"), 0);
	ck_assert_str_eq(text(at(call, "function"), "name"), "rollback");
	ck_assert_str_eq(text(at(call, "function"), "arguments"), "{\"step\":3}");
	ck_assert_uint_eq(json_object_array_length(at(o, "tools")), 3);
	ck_assert(json_object_get_boolean(at(at(o, "stream_options"), "include_usage")));
	json_object_put(o);
}
END_TEST

START_TEST(tools_can_be_told_in_words)
{
	struct request q = {.model = "m",
		.tools_in_text = true,
		.no_rollback = true,
		.max_reply = 5,
		.new_limit = true,
		.has_temperature = true,
		.temperature = 0.5};
	struct trim t = {0};
	json_object *o = rendered(&q, &t, N_TALK, NULL);

	ck_assert(!json_object_object_get_ex(o, "tools", NULL));
	ck_assert_ptr_nonnull(strstr(text(message(o, 0), "content"), "- finish {"));
	ck_assert_ptr_null(strstr(text(message(o, 0), "content"), "rollback"));
	ck_assert_str_eq(text(message(o, 2), "content"),
		"I look\n<tool_call>\n{\"name\":\"run\",\"arguments\":{\"command\":\"ls "
		"'\\ufffd'\"}}\n</tool_call>");
	ck_assert_str_eq(text(message(o, 3), "role"), "user");
	ck_assert_int_eq(json_object_get_int(at(o, "max_completion_tokens")), 5);
	ck_assert(json_object_get_double(at(o, "temperature")) == 0.5);
	json_object_put(o);
}
END_TEST

/* First old observations, then old steps, then the middle of the last observation. */
START_TEST(the_oldest_goes_first)
{
	struct request q = {.model = "m"};
	struct trim t = {0};
	size_t bytes, before;
	json_object *o = rendered(&q, &t, N_TALK, &before);

	json_object_put(o);
	ck_assert(trim_more(&t, talk, N_TALK, 1000));
	o = rendered(&q, &t, N_TALK, &bytes);
	ck_assert_uint_lt(bytes, before - 1000);
	ck_assert_uint_eq(json_object_array_length(at(o, "messages")), N_TALK);
	ck_assert_str_eq(text(message(o, 3), "content"),
		"exit status 0\n[19987 bytes left out to save room]");
	ck_assert_str_eq(text(message(o, 5), "content"), big);
	json_object_put(o);

	ck_assert(trim_more(&t, talk, N_TALK, 35000));
	o = rendered(&q, &t, N_TALK, &bytes);
	ck_assert_str_eq(text(message(o, 1), "content"), "the \"task\"\n");
	ck_assert_str_eq(text(message(o, 2), "content"),
		"[5 earlier messages left out to save room]");
	ck_assert_str_eq(text(message(o, 3), "role"), "assistant");
	ck_assert_ptr_nonnull(strstr(text(message(o, 4), "content"), "bytes left out"));
	ck_assert_uint_lt(bytes, 8000);
	json_object_put(o);
	while (trim_more(&t, talk, N_TALK, 100000))
		;
	o = rendered(&q, &t, N_TALK, &bytes);
	ck_assert_uint_lt(bytes, 3000);
	json_object_put(o);
}
END_TEST

/* The beginning stays the same as long as nothing more is left out. */
START_TEST(a_trim_stays)
{
	struct request q = {.model = "m"};
	struct trim t = {0};
	json_object *a, *b;

	ck_assert(trim_more(&t, talk, N_TALK, 1000));
	a = rendered(&q, &t, N_TALK - 2, NULL);
	b = rendered(&q, &t, N_TALK, NULL);
	for (size_t i = 0; i < N_TALK - 2; i++)
		ck_assert(json_object_equal(message(a, i), message(b, i)));
	json_object_put(a);
	json_object_put(b);
}
END_TEST

START_TEST(a_request_is_bounded)
{
	struct bytes b = {.max = 1000};
	struct request q = {.model = "m"};
	struct trim t = {0};

	ck_assert_int_eq(request_render(&b, &q, &t, talk, N_TALK), -EMSGSIZE);
	bytes_free(&b);
}
END_TEST

TCase *case_request(void)
{
	TCase *t = tcase_create("request");

	tcase_add_checked_fixture(t, fill, NULL);
	tcase_add_test(t, a_conversation_becomes_json);
	tcase_add_test(t, tools_can_be_told_in_words);
	tcase_add_test(t, the_oldest_goes_first);
	tcase_add_test(t, a_trim_stays);
	tcase_add_test(t, a_request_is_bounded);
	return t;
}
