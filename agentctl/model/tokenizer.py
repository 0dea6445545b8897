"""Text into tokens: bytes, pairs of letters, and the words that requests are made of.

A name is split the same way wherever it stands, since no merge begins with a blank; so copying it is
copying tokens. The fixed parts of a conversation are one token each. tokenizer.json says the same in
Hugging Face's form, for the engine.
"""

import functools
import json
import re
import unicodedata

CALLS = {
    "create": ("path", "text"), "append": ("path", "text"), "prepend": ("path", "text"),
    "replace": ("path", "old", "new"), "drop": ("path", "text"), "move": ("from", "to"), "copy": ("from", "to"),
    "delete": ("path",), "mkdir": ("path",), "count": ("path", "what"), "search": ("text", "path"), "list": ("path",),
    "show": ("path", "part"), "test": ("command",), "done": (), "stop": (), "unclear": ()}
CHOICES = {"what": ("lines", "words", "characters", "files"), "part": ("all", "first", "last")}

USER = "<|im_start|>user\n"
ASK = "<|im_end|>\n<|im_start|>assistant\n<tool_call>\n"
ANSWER = "<|im_end|>\n<|im_start|>user\n<tool_response>\n"
ASK_AGAIN = "\n</tool_response><|im_end|>\n<|im_start|>assistant\n<tool_call>\n"
CLOSE = '"}}\n</tool_call>'


def opening(call):
    """The frame up to the first argument, or the whole call where there is none."""
    if not CALLS[call]:
        return f'{{"name": "{call}", "arguments": {{}}}}\n</tool_call>'
    return f'{{"name": "{call}", "arguments": {{"{CALLS[call][0]}": "'


def between(argument):
    return f'", "{argument}": "'


def choice(argument, value):
    return f'", "{argument}": "{value}"}}}}\n</tool_call>'


def frames():
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", USER, ASK, ANSWER, ASK_AGAIN]
    plain = [opening(c) for c in CALLS]
    plain += [between(a) for a in ("text", "old", "new", "to", "path")]
    plain += [choice(a, v) for a in CHOICES for v in CHOICES[a]]
    return special, plain + [CLOSE]


def alphabet():
    """GPT-2's: each byte as a character that can be seen."""
    seen = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table, more = {b: chr(b) for b in seen}, 256
    for b in range(256):
        if b not in table:
            table[b] = chr(more)
            more += 1
    return table


ASCII = re.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+")


def kind(c):
    if c.isspace():
        return "Z"
    return {"L": "L", "N": "N"}.get(unicodedata.category(c)[0], "O")


def split(text):
    """GPT-2's split into pieces that no merge crosses."""
    if text.isascii():
        return ASCII.findall(text)
    out, at = [], 0
    while at < len(text):
        m = re.match(r"'(s|t|re|ve|m|ll|d)", text[at:])
        if m:
            out.append(m.group())
            at += m.end()
            continue
        first = at + 1 if text[at] == " " and at + 1 < len(text) and not text[at + 1].isspace() else at
        end, k = first, kind(text[first])
        while end < len(text) and kind(text[end]) == k:
            end += 1
        if k == "Z" and end < len(text) and end - at > 1:
            end -= 1  # the last blank goes with what follows
        out.append(text[at:end])
        at = end
    return out


class Tokenizer:
    def __init__(self, merges, vocab):
        self.rank = {m: i for i, m in enumerate(merges)}
        self.vocab, self.table = vocab, alphabet()
        self.text = {i: t for t, i in vocab.items()}
        self.size = max(self.text) + 1
        self.piece = functools.lru_cache(200000)(self._piece)

    def _join(self, parts):
        while len(parts) > 1:
            best = min(range(len(parts) - 1), key=lambda i: self.rank.get((parts[i], parts[i + 1]), 1 << 30))
            pair = (parts[best], parts[best + 1])
            if pair not in self.rank:
                break
            out, i = [], 0
            while i < len(parts):
                if i + 1 < len(parts) and (parts[i], parts[i + 1]) == pair:
                    out.append(parts[i] + parts[i + 1])
                    i += 2
                else:
                    out.append(parts[i])
                    i += 1
            parts = out
        return parts

    def _piece(self, piece):
        return tuple(self.vocab[p] for p in self._join([self.table[b] for b in piece.encode()]))

    def encode(self, text):
        return [i for piece in split(text) for i in self.piece(piece)]

    def frame(self, text):
        return self.vocab[text]

    def decode(self, ids):
        back = {c: b for b, c in self.table.items()}
        special, plain = frames()
        whole = set(special + plain)
        out = b""
        for i in ids:
            t = self.text[i]
            out += t.encode() if t in whole else bytes(back[c] for c in t)
        return out.decode("utf-8", "replace")


def learn(words, others, n_pairs):
    """Merges: the pairs of letters that are frequent in @words and @others, then those that make each of
    @words whole."""
    counts = {}
    for w, n in [*words.items(), *others.items()]:
        for a, b in zip(w, w[1:]):
            if a.isascii() and a.isalpha() and b.isascii() and b.islower():
                counts[a, b] = counts.get((a, b), 0) + n
    merges = sorted(counts, key=lambda p: (-counts[p], p))[:n_pairs]
    special, plain = frames()
    table = alphabet()

    def build():
        names = special + list(table.values()) + [a + b for a, b in merges] + plain
        return Tokenizer(merges, {t: i for i, t in enumerate(dict.fromkeys(names))})
    t = build()
    for w in sorted(words, key=lambda w: (-words[w], w)):
        parts = t._join([table[b] for b in w.encode()])
        while len(parts) > 1:
            merges.append((parts[0], parts[1]))
            t.rank[parts[0], parts[1]] = len(merges) - 1
            parts = [parts[0] + parts[1]] + parts[2:]
    return build()


def as_json(t):
    special, plain = frames()
    added = [{"id": t.vocab[c], "content": c, "single_word": False, "lstrip": False, "rstrip": False,
              "normalized": False, "special": c in special} for c in special + plain]
    vocab = {name: i for name, i in t.vocab.items() if name not in set(special + plain)}
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    merges = sorted(t.rank, key=t.rank.get)
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": None,
            "pre_tokenizer": level, "post_processor": None, "decoder": level,
            "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
                      "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "vocab": vocab,
                      "merges": [f"{a} {b}" for a, b in merges]}}


def save(t, path):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(as_json(t), f, ensure_ascii=False, separators=(",", ":"))
        f.write("\n")


def load(path):
    with open(path, encoding="utf-8") as f:
        o = json.load(f)
    vocab = dict(o["model"]["vocab"])
    vocab.update({a["content"]: a["id"] for a in o["added_tokens"]})
    return Tokenizer([tuple(m.split(" ")) for m in o["model"]["merges"]], vocab)
