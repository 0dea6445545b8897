"""How often a checkpoint does what was asked: whole conversations, turn by turn, greedy.

    evaluate.py CHECKPOINT [--n 1500] [--held] [--dev dev.jsonl] [--show 20] [--calibrate]

A conversation is played with the outcomes that the generator gave it; it is right if every call is. What
the engine's grammar would do is left out, so this is a lower bound. Below the least probability a call
counts as "unclear". --calibrate finds the threshold and writes it to config.json.
"""

import argparse
import json
import os
import random

import torch

import generate
import tokenizer
import train


class Writer:
    """Greedy writing with a cache of keys and values, one conversation at a time."""

    def __init__(self, model):
        self.m, self.s = model, model.s
        self.clear()

    def clear(self):
        self.n, self.k, self.v = 0, [None] * self.s["layers"], [None] * self.s["layers"]

    @torch.no_grad()
    def feed(self, ids):
        m, s = self.m, self.s
        n = len(ids)
        x = torch.nn.functional.embedding(torch.tensor(ids), m.w("model.embed_tokens.weight"))
        cos, sin = m.cos[self.n:self.n + n], m.sin[self.n:self.n + n]

        def turn(q):
            half = q.shape[-1] // 2
            a, b = q[..., :half], q[..., half:]
            return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)
        mask = torch.full((n, self.n + n), float("-inf")).triu(self.n + 1)
        for i in range(s["layers"]):
            at = f"model.layers.{i}."
            h = m.rms(x, at + "input_layernorm.weight")
            at += "self_attn."
            q = turn(m.rms((h @ m.w(at + "q_proj.weight").T).view(n, s["heads"], s["dim"]), at + "q_norm.weight").transpose(0, 1))
            k = turn(m.rms((h @ m.w(at + "k_proj.weight").T).view(n, s["kv"], s["dim"]), at + "k_norm.weight").transpose(0, 1))
            v = (h @ m.w(at + "v_proj.weight").T).view(n, s["kv"], s["dim"]).transpose(0, 1)
            self.k[i] = k if self.k[i] is None else torch.cat((self.k[i], k), 1)
            self.v[i] = v if self.v[i] is None else torch.cat((self.v[i], v), 1)
            groups = s["heads"] // s["kv"]
            a = q @ self.k[i].repeat_interleave(groups, 0).transpose(1, 2) / s["dim"] ** 0.5 + mask
            o = (a.softmax(-1) @ self.v[i].repeat_interleave(groups, 0)).transpose(0, 1).reshape(n, -1)
            x = x + o @ m.w(at + "o_proj.weight").T
            at = f"model.layers.{i}."
            x = x + m.experts(m.rms(x, at + "post_attention_layernorm.weight"), at + "mlp.")[0]
        self.n += n
        return m.logits(m.rms(x[-1:], "model.norm.weight"))[0]

    def call(self, ids, close):
        """Write one call after @ids: its tokens, and the least probability among them."""
        out, least = [], 1.0
        logits = self.feed(ids)
        while len(out) < 160 and self.n < 1900:
            p = logits.softmax(-1)
            best = int(p.argmax())
            least = min(least, float(p[best]))
            out.append(best)
            if best in close:
                return out, least
            logits = self.feed([best])
        return out, least


def closing(t):
    ends = [tokenizer.CLOSE] + [tokenizer.opening(c) for c in tokenizer.CALLS if not tokenizer.CALLS[c]]
    ends += [tokenizer.choice(a, v) for a in tokenizer.CHOICES for v in tokenizer.CHOICES[a]]
    return {t.frame(e) for e in ends}


def play(writer, t, request, turns, close):
    """[(wanted, written, least)] up to the first that differs."""
    writer.clear()
    feed = [t.frame(tokenizer.USER), *t.encode(request), t.frame(tokenizer.ASK)]
    out = []
    for call, args, observation in turns:
        want = "".join(x for _, x in generate.call_pieces(call, args))
        ids, least = writer.call(feed, close)
        got = t.decode(ids)
        out.append((want, got, least))
        if got != want:
            break
        if observation is not None:
            feed = [ids[-1], t.frame(tokenizer.ANSWER), *t.encode(observation), t.frame(tokenizer.ASK_AGAIN)]
    return out


UNCLEAR = tokenizer.opening("unclear")
ENDS = tuple(tokenizer.opening(c) for c in ("done", "stop", "unclear"))


def verdict(rows, threshold):
    """right, wrong (something else would have been done), or unclear."""
    for want, got, least in rows:
        if least < threshold and got not in ENDS:
            got = UNCLEAR
        if got != want:
            return "unclear" if got in ENDS[1:] else "wrong"
    return "right"


def dev_rows(path):
    """Requests written by hand: {"request": .., "calls": [[name, {..}, observation], ..]}; the last call's may be absent."""
    with open(path, encoding="utf-8") as f:
        for line in f:
            o = json.loads(line)
            turns = [(c[0], c[1] if len(c) > 1 else {}, c[2] if len(c) > 2 else "ok") for c in o["calls"]]
            if turns[-1][0] not in ("done", "stop", "unclear"):
                turns.append(("done", {}, None))
            turns[-1] = (turns[-1][0], turns[-1][1], None)
            yield turns[0][0], o["request"], turns


def generated(n, held, seed):
    r, w = random.Random(seed), generate.Wordings()
    for _ in range(n):
        c = generate.Conversation(r, w, held=held)
        yield c.kind, c.request, c.turns


def table(played, threshold):
    kinds = {}
    for kind, _, rows in played:
        k = kinds.setdefault(kind, {"right": 0, "wrong": 0, "unclear": 0})
        k[verdict(rows, threshold)] += 1
    for kind in sorted(kinds):
        k = kinds[kind]
        print(f"{kind:14} {sum(k.values()):5} {k['right'] / sum(k.values()):7.1%} right {k['wrong']:4} wrong {k['unclear']:4} unclear")
    total = [sum(k[x] for k in kinds.values()) for x in ("right", "wrong", "unclear")]
    print(f"{'all':14} {sum(total):5} {total[0] / sum(total):7.2%} right {total[1]:4} wrong {total[2]:4} unclear, threshold {threshold}")
    return total


def main():
    a = argparse.ArgumentParser()
    a.add_argument("checkpoint")
    a.add_argument("--n", type=int, default=1500)
    a.add_argument("--seed", type=int, default=999)
    a.add_argument("--held", action="store_true")
    a.add_argument("--dev")
    a.add_argument("--show", type=int, default=0)
    a.add_argument("--calibrate", action="store_true")
    a.add_argument("--threshold", type=float)
    o = a.parse_args()
    torch.set_num_threads(1)
    model, t = train.load(o.checkpoint)
    where = os.path.join(o.checkpoint, "config.json")
    with open(where, encoding="utf-8") as f:
        conf = json.load(f)
    threshold = conf["txfs_least_probability"] if o.threshold is None else o.threshold
    close, writer = closing(t), Writer(model)
    rows = dev_rows(o.dev) if o.dev else generated(o.n, o.held, o.seed)
    played = [(kind, request, play(writer, t, request, turns, close)) for kind, request, turns in rows]
    shown = 0
    for kind, request, rows in played:
        v = verdict(rows, threshold)
        if v != "right" and shown < o.show:
            shown += 1
            print(f"{v} [{kind}] {request!r}\n   want {rows[-1][0]!r}\n   got  {rows[-1][1]!r} {min(x[2] for x in rows):.3f}")
    for at in (0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95):
        v = [verdict(x, at) for _, _, x in played]
        print(f"threshold {at}: {v.count('right') / len(v):.2%} right, {v.count('wrong') / len(v):.2%} wrong")
    table(played, threshold)
    if o.calibrate:
        conf["txfs_least_probability"] = threshold
        with open(where, "w", encoding="utf-8") as f:
            json.dump(conf, f, indent=1)
            f.write("\n")


if __name__ == "__main__":
    main()
