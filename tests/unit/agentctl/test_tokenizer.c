/*
 * test_tokenizer.c: text is split and joined as the reference does it, and comes back.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/minimind/split.h"
#include "agentctl/provider/minimind/tokenizer.h"
#include "tests/unit/agentctl/minimind_world.h"
#include "tests/unit/agentctl/suites.h"

static const struct {
	const char *text, *pieces; /* | between pieces */
} splits[] = {
	{"the cat", "the| cat"},
	{"the  cat", "the| | cat"},
	{"the \n cat", "the| \n| cat"},
	{"a\n\nb", "a|\n|\n|b"},
	{"a \n", "a| \n"},
	{"  ", "  "},
	{" ", " "},
	{"it's we'll I'd they're", "it|'s| we|'ll| I|'d| they|'re"},
	{"'S 'x'", "'|S| '|x|'"},
	{"x12 34.5", "x|12| 34|.|5"},
	{"\xc3\xa4\xd0\xb6 \xe4\xb8\xad\xe6\x96\x87",
		"\xc3\xa4\xd0\xb6| \xe4\xb8\xad\xe6\x96\x87"},
	{"\xd9\xa3\xe2\x85\xa7", "\xd9\xa3\xe2\x85\xa7"},
	{"a\xc2\xa0"
	 "b",
		"a|\xc2\xa0|b"},
	{"a \xe2\x80\x83"
	 "b",
		"a| |\xe2\x80\x83|b"},
	{"\xf0\x9f\x98\x80!x", "\xf0\x9f\x98\x80!|x"},
	{"if (x) {\n\treturn;\n}", "if| (|x|)| {|\n|\t|return|;|\n|}"},
};

START_TEST(text_falls_into_pieces)
{
	const char *p = splits[_i].text;
	char got[128] = "";
	size_t left = strlen(p);

	while (left > 0) {
		size_t n = split_next(p, left);

		if (*got)
			strcat(got, "|");
		strncat(got, p, n);
		p += n;
		left -= n;
	}
	ck_assert_str_eq(got, splits[_i].pieces);
}
END_TEST

static struct tokenizer *open_one(void)
{
	struct tokenizer *t;
	struct why why;

	ck_assert_msg(
		tokenizer_read(&t, world_tokenizer, strlen(world_tokenizer), &why) == 0,
		"%s", why.text);
	return t;
}

/* Ids as the file has them: a byte is not its own number. */
static void check(const char *text, bool markup, const char *want)
{
	const struct minimind_text part = {text, strlen(text), markup};
	struct tokenizer *t = open_one();
	char got[512] = "";
	uint32_t *ids;
	size_t n, len;

	ck_assert_int_eq(tokenizer_encode(t, &part, 1, &ids, &n), 0);
	for (size_t i = 0; i < n; i++) {
		const char *piece = tokenizer_piece(t, ids[i], &len);

		if (i > 0)
			strcat(got, "|");
		strncat(got, piece, len);
	}
	ck_assert_str_eq(got, want);
	free(ids);
	tokenizer_free(t);
}

START_TEST(pairs_are_joined_in_order)
{
	check("the thing", false, "the| |th|ing");
	check("in the there", false, "in| the| the|r|e");
	check("a cat\n\n", false, "a| c|a|t|\n\n");
	check("\xc3\xa4\xc3\xb6", false, "\xc3\xa4|\xc3|\xb6");
	check("", false, "");
}
END_TEST

START_TEST(added_tokens_are_cut_out_of_markup_only)
{
	check("<|im_start|>the<|im_end|>", true, "<|im_start|>|the|<|im_end|>");
	check("<tool_call><tool>", true, "<tool_call>|<tool>");
	check("<|im_end|>", false, "<|||i|m|_|e|n|d|||>");
}
END_TEST

START_TEST(parts_are_split_as_one_text)
{
	const struct minimind_text parts[] = {
		{"<|im_start|>the ", 16, true},
		{" cat<|im_", 9, false},
		{"end|><|im_end|>", 15, true},
	};
	struct tokenizer *t = open_one();
	uint32_t *ids, end = tokenizer_find(t, "<|im_end|>");
	size_t n, ends = 0;

	ck_assert_uint_eq(end, 2);
	ck_assert_int_eq(tokenizer_encode(t, parts, 3, &ids, &n), 0);
	for (size_t i = 0; i < n; i++)
		ends += ids[i] == end;
	ck_assert_uint_eq(ends, 1);
	ck_assert_uint_eq(ids[0], 1);
	ck_assert_uint_eq(ids[1], 260); /* the */
	ck_assert_uint_eq(ids[2], 35);	/* the first of two spaces */
	ck_assert_uint_eq(ids[3], 267); /* " c" */
	free(ids);
	tokenizer_free(t);
}
END_TEST

START_TEST(broken_utf8_is_replaced)
{
	check("a\xff"
	      "b\xe4\xb8",
		false, "a|\xef|\xbf|\xbd|b|\xef|\xbf|\xbd");
	check("\xed\xa0\x80", false, "\xef|\xbf|\xbd|\xef|\xbf|\xbd|\xef|\xbf|\xbd");
}
END_TEST

/* A run of one pair's letters, as long as a hostile prompt makes it. */
START_TEST(long_pieces_are_joined_quickly)
{
	enum { N = 1 << 18 };
	struct tokenizer *t = open_one();
	struct minimind_text part = {malloc(N), N, false};
	uint32_t *ids;
	size_t n;

	for (size_t i = 0; i < N; i++)
		((char *)part.text)[i] = "the"[i % 3];
	ck_assert_int_eq(tokenizer_encode(t, &part, 1, &ids, &n), 0);
	ck_assert_uint_eq(n, N / 3 + 1);
	free(ids);
	free((char *)part.text);
	tokenizer_free(t);
}
END_TEST

static const struct {
	const char *from, *to, *says;
} damages[] = {
	{"\"BPE\"", "\"WordPiece\"", "BPE"},
	{"\"normalizer\":null", "\"normalizer\":{\"type\":\"NFC\"}", "normalizer"},
	{"\"ByteLevel\"", "\"Whitespace\"", "split"},
	{"\"add_prefix_space\":false", "\"add_prefix_space\":true", "split"},
	{"\"use_regex\":true", "\"use_regex\":false", "split"},
	{"\"t h\"", "\"t z z\"", "not there"},
	{"\"t h\"", "\"th\"", "pair"},
	{"\"t h\"", "[\"t\"]", "pair"},
	{"\"t h\"", "7", "pair"},
	{"\"!\":36", "\"!\":37", "twice"},
	{"\"!\":36", "\"!\":-3", "bounds"},
	{"\"!\":36", "\"!\":4e9", "bounds"},
	{"\"!\":36", "\"!\":null", "bounds"},
	{"\"merges\"", "\"merge\"", "merges"},
	{"\"vocab\"", "\"words\"", "vocab"},
	{"\"lstrip\":false", "\"lstrip\":true", "lstrip"},
	{"\"id\":0", "\"id\":1e7", "bounds"},
	{"\"content\"", "\"contents\"", "added"},
	{"\"dropout\":null", "\"dropout\":0.1", "dropout"},
	{"{", "", "JSON"},
};

START_TEST(a_damaged_file_is_refused)
{
	const char *at = strstr(world_tokenizer, damages[_i].from);
	size_t size = strlen(world_tokenizer) + 64;
	char *text = malloc(size);
	struct tokenizer *t;
	struct why why = {""};

	snprintf(text, size, "%.*s%s%s", (int)(at - world_tokenizer), world_tokenizer,
		damages[_i].to, at + strlen(damages[_i].from));
	ck_assert_int_eq(tokenizer_read(&t, text, strlen(text), &why), -EINVAL);
	ck_assert_ptr_null(t);
	ck_assert_msg(strstr(why.text, damages[_i].says) != NULL, "%s", why.text);
	free(text);
}
END_TEST

TCase *case_tokenizer(void)
{
	TCase *t = tcase_create("tokenizer");

	tcase_add_loop_test(
		t, text_falls_into_pieces, 0, sizeof splits / sizeof splits[0]);
	tcase_add_test(t, pairs_are_joined_in_order);
	tcase_add_test(t, added_tokens_are_cut_out_of_markup_only);
	tcase_add_test(t, parts_are_split_as_one_text);
	tcase_add_test(t, broken_utf8_is_replaced);
	tcase_add_test(t, long_pieces_are_joined_quickly);
	tcase_add_loop_test(
		t, a_damaged_file_is_refused, 0, sizeof damages / sizeof damages[0]);
	return t;
}
