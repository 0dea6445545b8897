/*
 * minimind.h: an engine for Minimind and what is built like it, in this process.
 *
 * A model is opened once and shared by its sessions; a session holds the keys and values
 * of one conversation. Nothing here is locked: one thread at a time uses a model and its
 * sessions. Functions return 0 or -errno, and where they take @message one line that says
 * why is written there. Files are untrusted: whatever is wrong with them is an error.
 */
#ifndef AGENTCTL_MINIMIND_H
#define AGENTCTL_MINIMIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct minimind;
struct minimind_session;
struct minimind_grammar;

/* --- models ---------------------------------------------------------------------------
 */

/** What the large matrices become in memory. MINIMIND_16 is bf16 where the file has that,
 * else f16; MINIMIND_INT8 has a factor for each 32 numbers. */
enum minimind_form { MINIMIND_AS_STORED, MINIMIND_F32, MINIMIND_16, MINIMIND_INT8 };

/** Which inner loops run; AUTO takes the best that the processor has. */
enum minimind_cpu { MINIMIND_AUTO, MINIMIND_SCALAR, MINIMIND_AVX2, MINIMIND_AVX512 };

/** All zero is a good choice. */
struct minimind_options {
	enum minimind_form form;
	enum minimind_cpu cpu; /* -ENOTSUP if the processor has not got it */
	unsigned threads;      /* 0: one */
	uint64_t max_bytes;    /* of weights; 0: 8 GiB */
};

struct minimind_info {
	uint32_t vocab, context, hidden, layers, experts;
	uint64_t weight_bytes; /* in memory */
	uint64_t token_bytes;  /* of them read for one token */
	const char *cpu, *form;
};

/** minimind_open(out, dir, options, message, size): the model in @dir: config.json,
 * tokenizer.json and model.safetensors, or the files that model.safetensors.index.json
 * names. @options may be NULL. -EINVAL: damaged or not known here; -EFBIG: larger than
 * allowed; -ENOMEM; what open(2) gives. */
int minimind_open(struct minimind **out, const char *dir,
	const struct minimind_options *options, char *message, size_t size);

struct minimind_blob {
	const void *data;
	size_t size;
};

/** minimind_open_memory(..): the same from files in memory, not needed afterwards. */
int minimind_open_memory(struct minimind **out, struct minimind_blob config,
	struct minimind_blob tokenizer, struct minimind_blob tensors,
	const struct minimind_options *options, char *message, size_t size);

/** minimind_close(m): after its sessions. NULL is fine. */
void minimind_close(struct minimind *m);

struct minimind_info minimind_info(const struct minimind *m);

/* --- tokens ---------------------------------------------------------------------------
 */

/** A piece of text. In markup added tokens such as <|im_end|> are tokens; elsewhere they
 * are plain text, so that what others wrote cannot end a turn. */
struct minimind_text {
	const char *text;
	size_t len;
	bool markup;
};

/** minimind_encode(m, parts, n, ids, count): the tokens of @n parts behind each other,
 * split as if they were one text. What is no UTF-8 becomes U+FFFD. The caller frees *ids.
 * -ENOMEM, -EFBIG. */
int minimind_encode(const struct minimind *m, const struct minimind_text *parts, size_t n,
	uint32_t **ids, size_t *count);

/** minimind_piece(m, id, len): a token's bytes, maybe only a part of a character; no NUL.
 * The model's memory. */
const char *minimind_piece(const struct minimind *m, uint32_t id, size_t *len);

/** minimind_token(m, text): the id of the added token @text; UINT32_MAX: there is none.
 */
uint32_t minimind_token(const struct minimind *m, const char *text);

/** minimind_is_end(m, id): whether @id ends an answer. */
bool minimind_is_end(const struct minimind *m, uint32_t id);

/* --- grammars -------------------------------------------------------------------------
 */

/**
 * What may be written: one tool call, {"name": "..", "arguments": {..}}, spaced as
 * Python's json.dumps does it, names and arguments those of a tool, arguments in the
 * order of their schema.
 *
 * tools is a JSON list in OpenAI's form, or of the functions in it. Of a schema count
 * type, enum, properties and required; x-forms of a string lists what it may look like:
 * plain text with {text} for any text, {span} for a run of words that stands in spans,
 * and {name} for a span that is a name or path without spaces or signs that a shell
 * reads. {phrase} is a {span} that ends before the closing quote if it begins behind an
 * opening one; {whole} a name that is not a part of a longer one, but for a mark of the
 * sentence or a slash at its end; {folder} the same, or what stands before one of its
 * slashes.
 */
struct minimind_grammar_options {
	struct minimind_blob tools;
	const char *trigger; /* anything goes until this has been written; NULL: from the
				beginning */
	const char *after;   /* what follows the call; NULL: nothing */
	const struct minimind_text *spans;
	size_t n_spans;
};

/** minimind_grammar_open(out, options, message, size): -EINVAL where tools are not as
 * above; -EFBIG where they or the spans are too long (1 MiB); -ENOMEM. Nothing of
 * @options is needed afterwards. */
int minimind_grammar_open(struct minimind_grammar **out,
	const struct minimind_grammar_options *options, char *message, size_t size);
/** minimind_grammar_close(g): NULL is fine. */
void minimind_grammar_close(struct minimind_grammar *g);

/** minimind_grammar_accepts(g, text, n): whether a text that is allowed begins so. */
bool minimind_grammar_accepts(
	const struct minimind_grammar *g, const char *text, size_t n);

/* --- sessions -------------------------------------------------------------------------
 */

/** minimind_session_open(out, m, context): room for @context tokens (0: 4096 or what the
 * model knows, whatever is less). -ENOMEM; -EINVAL if the model knows less. */
int minimind_session_open(
	struct minimind_session **out, struct minimind *m, uint32_t context);
/** minimind_session_close(s): NULL is fine. */
void minimind_session_close(struct minimind_session *s);

/**
 * minimind_session_feed(s, ids, n, reused): let the session hold exactly these @n > 0
 * tokens; what it already holds of their beginning is not computed again, *reused (may be
 * NULL) says how many. Takes as long as the rest needs. -E2BIG: more than the context;
 * -EINVAL: an id that is none.
 */
int minimind_session_feed(
	struct minimind_session *s, const uint32_t *ids, size_t n, size_t *reused);

/** minimind_session_logits(s): vocab numbers for what comes next, valid until the session
 * is fed again. NULL before the first feeding. */
const float *minimind_session_logits(const struct minimind_session *s);

/** How the next token is chosen; all zero is greedy, without penalty or limits. In this
 * order: repetition, temperature, top_k, top_p. */
struct minimind_sampling {
	float temperature; /* 0: always the likeliest */
	float repetition;  /* > 1 makes what was there before less likely; 0 and 1: off */
	uint32_t top_k;	   /* 0: off */
	float top_p;	   /* 0 and 1: off */
	uint64_t seed;	   /* the same seed gives the same text */
	uint32_t max_tokens; /* 0: as far as the context goes */
	const char *const
		*stops; /* an answer ends before any of these; not empty strings */
	size_t n_stops;
};

enum minimind_end {
	MINIMIND_END_TOKEN,   /* the model ended its answer */
	MINIMIND_END_STOP,    /* a stop string */
	MINIMIND_END_GRAMMAR, /* the grammar is complete */
	MINIMIND_END_LENGTH,  /* max_tokens or the context */
	MINIMIND_END_SINK,    /* the sink wanted no more */
};

struct minimind_result {
	size_t prompt, reused; /* tokens fed, and how many of them were there already */
	size_t tokens;	       /* tokens generated */
	enum minimind_end end;
	const char *stop; /* the stop string, or NULL */
	double least;	  /* the least probability that the model itself gave to a token
			     that was written; 1 if there was none */
};

/** Gets whole characters of UTF-8 as they become certain, never special tokens or what
 * belongs to a stop string; anything but 0 ends the answer. */
typedef int (*minimind_sink)(void *context, const char *text, size_t n);

/**
 * minimind_generate(s, ids, n, how, grammar, sink, context, result): feed @n tokens and
 * write on. @how may be NULL (greedy); @grammar may be NULL, else only texts that it
 * allows are written. -EDOM: the model's numbers are none; -EILSEQ: no token fits the
 * grammar; others as minimind_session_feed.
 */
int minimind_generate(struct minimind_session *s, const uint32_t *ids, size_t n,
	const struct minimind_sampling *how, const struct minimind_grammar *grammar,
	minimind_sink sink, void *context, struct minimind_result *result);

#endif
