#!/usr/bin/env python3
"""Write a tokenizer of the usual size, and a corpus to compare tokenizers on.

    tokens.py train FOLDER FILE...     merges learnt from texts, into FOLDER/tokenizer.json
    tokens.py corpus FILE... > TEXTS   NUL between texts: chunks of the files, every script,
                                       emoji, spaces of all kinds, broken bytes
"""

import json
import random
import re
import sys
import unicodedata

ADDED = (["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
         ["<tool_call>", "</tool_call>", "<think>", "</think>"])


def alphabet():
    seen = [*range(33, 127), *range(0xa1, 0xad), *range(0xae, 0x100)]
    out = {b: chr(b) for b in seen}
    for b in range(256):
        out.setdefault(b, chr(0x100 + len(out) - len(seen)))
    return out


def learn(words, vocab, names):
    """Merges of the most frequent pairs; counts are kept up to date word by word."""
    words = [[list(w), n] for w, n in words.items()]
    counts, where = {}, {}
    for i, (w, n) in enumerate(words):
        for p in zip(w, w[1:]):
            counts[p] = counts.get(p, 0) + n
            where.setdefault(p, set()).add(i)
    merges, known = [], set(names)
    while len(names) < vocab and counts:
        best = max(counts, key=lambda p: (counts[p], p))
        joined = "".join(best)
        for i in list(where.get(best, ())):
            w, n = words[i]
            for p in zip(w, w[1:]):
                counts[p] -= n
            out, k = [], 0
            while k < len(w):
                two = k + 1 < len(w) and (w[k], w[k + 1]) == best
                out.append(joined if two else w[k])
                k += 2 if two else 1
            words[i][0] = out
            for p in zip(out, out[1:]):
                counts[p] = counts.get(p, 0) + n
                where.setdefault(p, set()).add(i)
        counts.pop(best, None)
        if joined not in known:
            known.add(joined)
            names.append(joined)
            merges.append(list(best))
    return merges


def train(folder, files):
    letters = alphabet()
    words = {}
    for path in files:
        with open(path, encoding="utf-8", errors="replace") as f:
            for w in re.findall(r" ?[^\W\d_]+| ?\d+| ?[^\s\w]+|\s+", f.read()):
                key = "".join(letters[b] for b in w.encode())
                words[key] = words.get(key, 0) + 1
    names = ADDED[0] + [letters[b] for b in range(256)]
    merges = learn({w: n for w, n in words.items() if n > 1}, 6400 - len(ADDED[1]), names)
    added = [{"id": i, "content": t, "single_word": False, "lstrip": False, "rstrip": False,
              "normalized": False, "special": True} for i, t in enumerate(ADDED[0])]
    added += [dict(added[0], id=len(names) + i, content=t, special=False)
              for i, t in enumerate(ADDED[1])]
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True,
             "use_regex": True}
    with open(folder + "/tokenizer.json", "w", encoding="utf-8") as f:
        json.dump({"version": "1.0", "truncation": None, "padding": None,
                   "added_tokens": added, "normalizer": None, "pre_tokenizer": level,
                   "post_processor": None, "decoder": level,
                   "model": {"type": "BPE", "dropout": None, "unk_token": None,
                             "continuing_subword_prefix": None, "end_of_word_suffix": None,
                             "fuse_unk": False, "byte_fallback": False,
                             "ignore_merges": False,
                             "vocab": {n: i for i, n in enumerate(names)},
                             "merges": merges}}, f, ensure_ascii=False)
    print(f"{len(names)} tokens, {len(merges)} merges", file=sys.stderr)


def corpus(files):
    r = random.Random(3)
    texts = []
    for path in files:
        with open(path, "rb") as f:
            data = f.read().replace(b"\0", b"")
        texts += [data[i:i + 700] for i in range(0, len(data), 700)]
    assigned = [c for c in range(1, 0x110000)
                if unicodedata.category(chr(c)) not in ("Cn", "Cs", "Co")]
    blocks = [assigned[i:i + 256] for i in range(0, len(assigned), 256)]
    glue = [" ", "  ", "\n", "\t", " \n ", "'s", "'LL", "7", ".", "\u00a0", "\u3000", "\u2003",
            "\u0085", "\u200d", "\ufe0f", "<|im_end|>", "<tool_call>", "<think", "\ufeff"]
    for block in blocks:  # every assigned character, beside its neighbours and between
        texts.append("".join(map(chr, block)).encode())
        texts.append("".join(chr(r.choice(block)) + (r.choice(glue) if r.random() < .4 else "")
                             for _ in range(120)).encode())
    for _ in range(1500):
        texts.append("".join(chr(r.choice(assigned)) if r.random() < .5 else r.choice(glue)
                             for _ in range(40)).encode())
    emoji = [0x1F468, 0x200D, 0x1F469, 0x1F467, 0xFE0F, 0x1F3FD, 0x2764, 0x1F1E9, 0x1F1EA, 0x20]
    for _ in range(300):
        texts.append("".join(chr(r.choice(emoji)) for _ in range(20)).encode())
    for _ in range(1500):  # broken: random bytes, and good text with bytes cut out or changed
        texts.append(bytes(r.randrange(1, 256) for _ in range(40)))
        good = bytearray(r.choice(texts[:-1])[:200])
        for _ in range(min(6, len(good))):
            good[r.randrange(len(good))] = r.randrange(1, 256)
        texts.append(bytes(good))
    sys.stdout.buffer.write(b"".join(t.replace(b"\0", b"") + b"\0" for t in texts))


if __name__ == "__main__":
    if sys.argv[1] == "train":
        train(sys.argv[2], sys.argv[3:])
    else:
        corpus(sys.argv[2:])
