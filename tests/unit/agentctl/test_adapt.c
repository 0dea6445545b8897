/*
 * test_adapt.c: what a refusal is about, by the words that servers use.
 */
#include <string.h>
#include "agentctl/provider/adapt.h"
#include "tests/unit/agentctl/suites.h"

static const struct {
	int status;
	const char *text, *told; /* "": nothing to leave out */
	bool too_long;
} rows[] = {
	{400, "Unrecognized request argument supplied: stream_options",
		"usage in streams", false},
	{422, "extra fields not permitted: tools", "tools in requests", false},
	{400, "registry/m does not support tools", "tools in requests", false},
	{501, "Functions are not implemented", "tools in requests", false},
	{400, "streaming is not supported", "streams", false},
	{400, "Unsupported parameter: 'max_tokens'; use 'max_completion_tokens'",
		"max_tokens", false},
	{400, "temperature must be 1", "temperature", false},
	{401, "no tools for this key", "", false},
	{429, "too many streams", "", false},
	{400, "no such model", "", false},
	{400,
		"This model's maximum context length is 8192 tokens. However, you "
		"requested "
		"9000 tokens. Please reduce the length of the messages or functions.",
		"tools in requests", true},
	{400, "the request exceeds the available context size", "", true},
	{413, "", "", true},
	{500, "input is too long", "", true},
	{400, "prompt is too long: 9 tokens > 8 maximum", "", true},
	{429, "too many tokens per minute", "", false},
};

START_TEST(a_refusal_is_understood)
{
	struct request q = {.model = "m",
		.stream = true,
		.usage = true,
		.max_reply = 7,
		.has_temperature = true};
	struct fault f = {.kind = FAULT_REFUSED, .status = rows[_i].status};
	const char *told = "";

	strcpy(f.text, rows[_i].text);
	ck_assert_int_eq(adapt_too_long(&f), rows[_i].too_long);
	ck_assert_int_eq(adapt_request(&q, true, &f, &told), *rows[_i].told != 0);
	ck_assert_str_eq(told, rows[_i].told);
}
END_TEST

START_TEST(nothing_is_left_out_twice)
{
	struct request q = {.model = "m"};
	struct fault f = {.kind = FAULT_REFUSED, .status = 400, .text = "no tools"};
	const char *told;

	ck_assert(adapt_request(&q, true, &f, &told));
	ck_assert(!adapt_request(&q, true, &f, &told));
}
END_TEST

START_TEST(wanted_tools_stay)
{
	struct request q = {.model = "m"};
	struct fault f = {.kind = FAULT_REFUSED, .status = 400, .text = "no tools"};
	const char *told;

	ck_assert(!adapt_request(&q, false, &f, &told));
	ck_assert(!q.tools_in_text);
}
END_TEST

TCase *case_adapt(void)
{
	TCase *t = tcase_create("adapt");

	tcase_add_loop_test(
		t, a_refusal_is_understood, 0, (int)(sizeof rows / sizeof rows[0]));
	tcase_add_test(t, nothing_is_left_out_twice);
	tcase_add_test(t, wanted_tools_stay);
	return t;
}
