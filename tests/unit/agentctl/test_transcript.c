/*
 * test_transcript.c: P12: transcripts hold no secrets, and their names say what they are.
 */
#include <string.h>
#include "agentctl/loop/loop.h"
#include "agentctl/loop/transcript.h"
#include "tests/unit/agentctl/suites.h"

START_TEST(secrets_are_masked_at_any_depth)
{
	json_object *o =
		json_tokener_parse("{\"text\":\"a password=hunter22 b\",\"list\":["
				   "\"ghp_abcdefgh1234\",{\"x\":\"--token s3cret\"}],"
				   "\"n\":7,\"none\":null,\"plain\":\"words\"}");
	json_object *masked = transcript_mask(o);

	ck_assert_str_eq(json_object_to_json_string_ext(masked, JSON_C_TO_STRING_PLAIN),
		"{\"text\":\"a password=*** b\",\"list\":[\"***\",{\"x\":\"--token "
		"***\"}],\"n\":7,\"none\":null,\"plain\":\"words\"}");
	json_object_put(masked);
	json_object_put(o);
}
END_TEST

START_TEST(bytes_are_masked_as_text)
{
	/* "token=abcdef \xff\n" */
	json_object *o = json_tokener_parse("{\"text_base64\":\"dG9rZW49YWJjZGVmIP8K\"}");
	json_object *masked = transcript_mask(o), *v;

	ck_assert(json_object_object_get_ex(masked, "text", &v));
	ck_assert_str_eq(json_object_get_string(v), "token=*** \xef\xbf\xbd\n");
	json_object_put(masked);
	json_object_put(o);
}
END_TEST

START_TEST(a_long_text_is_kept_whole)
{
	static char text[100000];
	json_object *o = json_object_new_object(), *masked, *v;

	for (size_t i = 0; i + 12 < sizeof text; i += 12)
		memcpy(text + i, "password=aa ", 12);
	json_object_object_add(o, "text", json_object_new_string(text));
	masked = transcript_mask(o);
	ck_assert(json_object_object_get_ex(masked, "text", &v));
	ck_assert_int_eq(json_object_get_string_len(v), (int)(strlen(text) / 12 * 13));
	json_object_put(masked);
	json_object_put(o);
}
END_TEST

static const struct {
	const char *name;
	bool ours;
} names[] = {
	{"20260131T120000Z-0123456789abcdef-7.jsonl", true},
	{"20260131T120000Z-0123456789abcdef-18446744073709551615.jsonl", true},
	{"20260131T120000Z-0123456789abcdef-7.jsonl.new", false},
	{"20260131T120000Z-0123-7.jsonl", false},
	{"2026-0123456789abcdef-7.jsonl", false},
	{".", false},
	{"audit.jsonl", false},
};

START_TEST(a_name_is_read)
{
	struct loop_transcript t;

	ck_assert_int_eq(loop_transcript_name(names[_i].name, &t), names[_i].ours);
	if (_i == 0) {
		ck_assert_str_eq(t.time, "20260131T120000Z");
		ck_assert_str_eq(t.workspace, "0123456789abcdef");
		ck_assert_uint_eq(t.tx, 7);
	}
}
END_TEST

TCase *case_transcript(void)
{
	TCase *t = tcase_create("transcript");

	tcase_add_test(t, secrets_are_masked_at_any_depth);
	tcase_add_test(t, bytes_are_masked_as_text);
	tcase_add_test(t, a_long_text_is_kept_whole);
	tcase_add_loop_test(t, a_name_is_read, 0, (int)(sizeof names / sizeof names[0]));
	return t;
}
