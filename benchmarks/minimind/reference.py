#!/usr/bin/env python3
"""Minimind in torch, from the formulas of the published model, to compare the engine with.

    reference.py make SHAPE DIR [--dtype f32|f16|bf16] [--stacked] [--shards N] [--seed N]
                 [--train SECONDS TEXTFILE]
    reference.py run DIR PROMPTS [--new N] [--logits FILE]

`make` writes config.json, tokenizer.json and model.safetensors with random weights, or
weights trained for some seconds on the bytes of a text. `run` reads such a folder, and for
each line of PROMPTS (token ids) prints the ids that greedy decoding adds; --logits writes
all logits of the prompts as raw floats. Needs torch (Debian: python3-torch).
"""

import argparse
import json
import math
import os
import struct
import sys
import time

import torch
import torch.nn.functional as F

DTYPES = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
WIDTH = {"F32": 4, "F16": 2, "BF16": 2}

BASE = dict(vocab_size=320, max_position_embeddings=512, rope_theta=1e6, hidden_act="silu",
            bos_token_id=1, eos_token_id=2)
SHAPES = {
    "gen2-moe": dict(BASE, model_type="minimind", hidden_size=80, num_hidden_layers=3,
                     num_attention_heads=8, num_key_value_heads=2, use_moe=True,
                     n_routed_experts=4, num_experts_per_tok=2, n_shared_experts=1,
                     scoring_func="softmax", norm_topk_prob=True, rms_norm_eps=1e-5,
                     intermediate_size=None),
    "gen2-dense": dict(BASE, model_type="minimind", hidden_size=64, num_hidden_layers=2,
                       num_attention_heads=8, num_key_value_heads=2, use_moe=False,
                       rms_norm_eps=1e-5, intermediate_size=192),
    "gen2-yarn": dict(BASE, model_type="minimind", hidden_size=64, num_hidden_layers=2,
                      num_attention_heads=4, num_key_value_heads=2, use_moe=False,
                      rms_norm_eps=1e-5, intermediate_size=192, inference_rope_scaling=True),
    "gen3-moe": dict(BASE, model_type="qwen3_moe", hidden_size=128, num_hidden_layers=3,
                     num_attention_heads=4, num_key_value_heads=2, head_dim=48,
                     num_experts=4, num_experts_per_tok=1, moe_intermediate_size=192,
                     intermediate_size=192, norm_topk_prob=True, rms_norm_eps=1e-6,
                     decoder_sparse_step=1, mlp_only_layers=[], tie_word_embeddings=True),
    "gen3-top2": dict(BASE, model_type="minimind", hidden_size=96, num_hidden_layers=2,
                      num_attention_heads=4, num_key_value_heads=2, head_dim=32, use_moe=True,
                      num_experts=6, num_experts_per_tok=2, moe_intermediate_size=96,
                      intermediate_size=96, norm_topk_prob=False, rms_norm_eps=1e-6,
                      tie_word_embeddings=False),
    "gen3-dense": dict(BASE, model_type="qwen3", hidden_size=96, num_hidden_layers=2,
                       num_attention_heads=4, num_key_value_heads=4, head_dim=24,
                       intermediate_size=160, rms_norm_eps=1e-6, tie_word_embeddings=True),
    # the published sizes
    "minimind-3-moe": dict(BASE, model_type="qwen3_moe", vocab_size=6400, hidden_size=768,
                           num_hidden_layers=8, num_attention_heads=8, num_key_value_heads=4,
                           head_dim=96, num_experts=4, num_experts_per_tok=1,
                           moe_intermediate_size=2432, intermediate_size=2432,
                           norm_topk_prob=True, rms_norm_eps=1e-6, decoder_sparse_step=1,
                           mlp_only_layers=[], tie_word_embeddings=True,
                           max_position_embeddings=32768),
    "minimind2-moe": dict(BASE, model_type="minimind", vocab_size=6400, hidden_size=640,
                          num_hidden_layers=8, num_attention_heads=8, num_key_value_heads=2,
                          use_moe=True, n_routed_experts=4, num_experts_per_tok=2,
                          n_shared_experts=1, scoring_func="softmax", norm_topk_prob=True,
                          rms_norm_eps=1e-5, intermediate_size=1728,
                          max_position_embeddings=32768),
}


class Shape:
    """The config, with each value under one name."""

    def __init__(self, c):
        g = c.get
        self.c = c
        self.hidden, self.layers = c["hidden_size"], c["num_hidden_layers"]
        self.heads = c["num_attention_heads"]
        self.kv = g("num_key_value_heads") or self.heads
        self.dim = g("head_dim") or self.hidden // self.heads
        self.third = "head_dim" in c
        inner = g("intermediate_size") or 64 * math.ceil(int(self.hidden * 8 / 3) / 64)
        self.inner, self.expert_inner = inner, g("moe_intermediate_size") or inner
        self.second_moe = "n_routed_experts" in c
        moe = g("use_moe") or g("model_type") == "qwen3_moe"
        self.experts = (g("n_routed_experts") or g("num_experts")) if moe else 0
        self.top = g("num_experts_per_tok") if moe else 0
        self.shared = (g("n_shared_experts") or 0) if moe else 0
        self.normalise = g("norm_topk_prob", True)
        self.tied = g("tie_word_embeddings", True)
        self.eps, self.theta, self.vocab = c["rms_norm_eps"], c["rope_theta"], c["vocab_size"]

    def tensors(self):
        """Name and shape of each tensor."""
        d = self.dim
        yield "model.embed_tokens.weight", (self.vocab, self.hidden)
        if not self.tied:
            yield "lm_head.weight", (self.vocab, self.hidden)
        yield "model.norm.weight", (self.hidden,)
        for i in range(self.layers):
            p = f"model.layers.{i}."
            yield p + "input_layernorm.weight", (self.hidden,)
            yield p + "post_attention_layernorm.weight", (self.hidden,)
            yield p + "self_attn.q_proj.weight", (self.heads * d, self.hidden)
            yield p + "self_attn.k_proj.weight", (self.kv * d, self.hidden)
            yield p + "self_attn.v_proj.weight", (self.kv * d, self.hidden)
            yield p + "self_attn.o_proj.weight", (self.hidden, self.heads * d)
            if self.third:
                yield p + "self_attn.q_norm.weight", (d,)
                yield p + "self_attn.k_norm.weight", (d,)
            mlps = [("mlp.", self.inner)]
            if self.experts:
                yield p + "mlp.gate.weight", (self.experts, self.hidden)
                mlps = [(f"mlp.experts.{e}.", self.expert_inner) for e in range(self.experts)]
                mlps += [(f"mlp.shared_experts.{e}.", self.inner) for e in range(self.shared)]
            for name, inner in mlps:
                yield p + name + "gate_proj.weight", (inner, self.hidden)
                yield p + name + "up_proj.weight", (inner, self.hidden)
                yield p + name + "down_proj.weight", (self.hidden, inner)


def rms(x, w, eps):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w


def frequencies(s):
    f = 1.0 / (s.theta ** (torch.arange(0, s.dim, 2, dtype=torch.float64) / s.dim))
    if s.c.get("inference_rope_scaling"):
        def c(beta):
            return s.dim * math.log(2048 / (2 * math.pi * beta)) / (2 * math.log(s.theta))
        low, high = max(math.floor(c(32)), 0), min(math.ceil(c(1)), s.dim // 2 - 1)
        ramp = ((torch.arange(s.dim // 2) - low) / max(high - low, 1e-3)).clamp(0, 1)
        f = f * (1 - ramp + ramp / 16)
    return f.float()


def mlp(w, p, h):
    up = F.silu(h @ w[p + "gate_proj.weight"].T) * (h @ w[p + "up_proj.weight"].T)
    return up @ w[p + "down_proj.weight"].T


def experts(s, w, p, h, train):
    probs = torch.softmax(h @ w[p + "mlp.gate.weight"].T, -1)
    weight, taken = probs.topk(s.top, -1)
    if s.normalise and not (s.second_moe and s.top == 1):
        total = weight.sum(-1, keepdim=True) + 1e-20
        # a single expert's weight is 1; its gradient is kept for the router's sake
        weight = weight / (total.detach() if s.top == 1 else total)
    out = torch.zeros_like(h)
    for e in range(s.experts):
        mine = (taken == e)
        share = (weight * mine).sum(-1, keepdim=True)
        rows = mine.any(-1).nonzero(as_tuple=True)
        if rows[0].numel():
            out = out.index_put(rows, share[rows] * mlp(w, f"{p}mlp.experts.{e}.", h[rows]),
                                accumulate=True)
    for e in range(s.shared):
        out = out + mlp(w, f"{p}mlp.shared_experts.{e}.", h)
    return out


def forward(s, w, ids, train=False):
    """Logits [batch, time, vocab] of ids [batch, time]."""
    b, t = ids.shape
    x = w["model.embed_tokens.weight"][ids]
    angle = torch.outer(torch.arange(t).float(), frequencies(s))
    cos, sin = torch.cos(angle), torch.sin(angle)

    def turn(v):
        one, two = v[..., : s.dim // 2], v[..., s.dim // 2:]
        return torch.cat((one * cos - two * sin, two * cos + one * sin), -1)

    mask = torch.full((t, t), float("-inf")).triu(1)
    for i in range(s.layers):
        p = f"model.layers.{i}."
        h = rms(x, w[p + "input_layernorm.weight"], s.eps)

        def heads(name, n):
            return (h @ w[f"{p}self_attn.{name}_proj.weight"].T).view(b, t, n, s.dim)
        q, k, v = heads("q", s.heads), heads("k", s.kv), heads("v", s.kv)
        if s.third:
            q = rms(q, w[p + "self_attn.q_norm.weight"], s.eps)
            k = rms(k, w[p + "self_attn.k_norm.weight"], s.eps)
        q, k, v = turn(q.transpose(1, 2)), turn(k.transpose(1, 2)), v.transpose(1, 2)
        k, v = (z.repeat_interleave(s.heads // s.kv, 1) for z in (k, v))
        a = torch.softmax(q @ k.transpose(2, 3) / math.sqrt(s.dim) + mask, -1) @ v
        x = x + a.transpose(1, 2).reshape(b, t, -1) @ w[p + "self_attn.o_proj.weight"].T
        h = rms(x, w[p + "post_attention_layernorm.weight"], s.eps)
        x = x + (experts(s, w, p, h, train) if s.experts else mlp(w, p + "mlp.", h))
    x = rms(x, w["model.norm.weight"], s.eps)
    return x @ (w["model.embed_tokens.weight"] if s.tied else w["lm_head.weight"]).T


# --- files ------------------------------------------------------------------------------

def write_safetensors(path, tensors, kind):
    header, at, blobs = {}, 0, []
    for name, t in tensors.items():
        raw = t.to(DTYPES[kind]).contiguous()
        raw = raw.view(torch.int16) if kind != "F32" else raw
        raw = raw.numpy().tobytes()
        header[name] = {"dtype": kind, "shape": list(t.shape),
                        "data_offsets": [at, at + len(raw)]}
        at += len(raw)
        blobs.append(raw)
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(head)) + head)
        for b in blobs:
            f.write(b)


def read_safetensors(path):
    with open(path, "rb") as f:
        data = f.read()
    n = struct.unpack("<Q", data[:8])[0]
    out = {}
    for name, d in json.loads(data[8:8 + n]).items():
        if name == "__metadata__":
            continue
        a, b = (8 + n + v for v in d["data_offsets"])
        kind = d["dtype"]
        raw = torch.frombuffer(bytearray(data[a:b]),
                               dtype=torch.float32 if kind == "F32" else torch.int16)
        raw = raw if kind == "F32" else raw.view(DTYPES[kind])
        out[name] = raw.float().view(d["shape"])
    return out


def read_folder(folder):
    with open(folder + "/config.json", encoding="utf-8") as f:
        s = Shape(json.load(f))
    w = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".safetensors"):
            w.update(read_safetensors(folder + "/" + name))
    for i in range(s.layers):  # the stacked layout
        p = f"model.layers.{i}.mlp.experts."
        if p + "down_proj" in w:
            up, down = w.pop(p + "gate_up_proj"), w.pop(p + "down_proj")
            for e in range(s.experts):
                half = up.shape[1] // 2
                w[f"{p}{e}.gate_proj.weight"] = up[e, :half]
                w[f"{p}{e}.up_proj.weight"] = up[e, half:]
                w[f"{p}{e}.down_proj.weight"] = down[e]
    return s, w


def byte_alphabet():
    seen = [*range(33, 127), *range(0xa1, 0xad), *range(0xae, 0x100)]
    out = {b: chr(b) for b in seen}
    for b in range(256):
        if b not in out:
            out[b] = chr(0x100 + len(out) - len(seen))
    return out


def make_tokenizer(vocab, text):
    """Three special tokens, the bytes, and merges of frequent pairs up to vocab."""
    letters = byte_alphabet()
    names = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"] + [letters[b] for b in range(256)]
    merges = []
    words = {}
    for word in text.replace("\n", " \n ").split(" ")[:20000]:
        key = tuple(letters[b] for b in (" " + word).encode())
        words[key] = words.get(key, 0) + 1
    while len(names) < vocab:
        pairs = {}
        for word, n in words.items():
            for pair in zip(word, word[1:]):
                pairs[pair] = pairs.get(pair, 0) + n
        pairs = {p: n for p, n in pairs.items() if "".join(p) not in names}
        if not pairs:
            break
        best = max(pairs, key=lambda p: (pairs[p], p))
        merges.append(list(best))
        names.append("".join(best))
        joined = {}
        for word, n in words.items():
            out, i = [], 0
            while i < len(word):
                if word[i:i + 2] == best:
                    out.append("".join(best))
                    i += 2
                else:
                    out.append(word[i])
                    i += 1
            joined[tuple(out)] = joined.get(tuple(out), 0) + n
        words = joined
    added = [{"id": i, "content": names[i], "single_word": False, "lstrip": False,
              "rstrip": False, "normalized": False, "special": True} for i in range(3)]
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True,
             "use_regex": True}
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added,
            "normalizer": None, "pre_tokenizer": level, "post_processor": None,
            "decoder": dict(level, add_prefix_space=True),
            "model": {"type": "BPE", "dropout": None, "unk_token": None,
                      "continuing_subword_prefix": None, "end_of_word_suffix": None,
                      "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
                      "vocab": {n: i for i, n in enumerate(names)}, "merges": merges}}


def train(s, w, text, seconds, seed):
    """AdamW on windows of a text, as bytes + 3."""
    data = torch.tensor([b + 3 for b in text.encode()], dtype=torch.long)
    params = [p.requires_grad_() for p in w.values()]
    best = torch.optim.AdamW(params, lr=2e-3, weight_decay=0.01)
    gen = torch.Generator().manual_seed(seed)
    began, steps, loss = time.time(), 0, None
    while time.time() - began < seconds:
        at = torch.randint(0, len(data) - 97, (16,), generator=gen)
        batch = torch.stack([data[i:i + 97] for i in at])
        out = forward(s, w, batch[:, :-1], True)
        loss = F.cross_entropy(out.reshape(-1, s.vocab), batch[:, 1:].reshape(-1))
        best.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(params, 1.0)
        best.step()
        steps += 1
    print(f"trained {steps} steps, loss {loss.item():.3f}", file=sys.stderr)
    return {k: v.detach() for k, v in w.items()}


def make(a):
    config = SHAPES[a.shape]
    s = Shape(config)
    gen = torch.Generator().manual_seed(a.seed)
    w = {}
    for name, shape in s.tensors():
        if len(shape) == 1:
            w[name] = 1 + 0.1 * torch.randn(shape, generator=gen)
        else:
            w[name] = torch.randn(shape, generator=gen) * (
                0.05 if "embed" in name else 1 / math.sqrt(shape[1]))
    text = open(a.train[1], encoding="utf-8").read() if a.train else "the cat sat on the mat"
    if a.train:
        w = train(s, w, text, float(a.train[0]), a.seed)
    if a.stacked:
        for i in range(s.layers):
            p = f"model.layers.{i}.mlp.experts."
            up = [torch.cat((w.pop(f"{p}{e}.gate_proj.weight"),
                             w.pop(f"{p}{e}.up_proj.weight"))) for e in range(s.experts)]
            down = [w.pop(f"{p}{e}.down_proj.weight") for e in range(s.experts)]
            w[p + "gate_up_proj"], w[p + "down_proj"] = torch.stack(up), torch.stack(down)
    os.makedirs(a.dir, exist_ok=True)
    kind = a.dtype.upper()
    with open(a.dir + "/config.json", "w", encoding="utf-8") as f:
        json.dump(config, f, indent=1)
    with open(a.dir + "/tokenizer.json", "w", encoding="utf-8") as f:
        json.dump(make_tokenizer(min(s.vocab, 6400), text), f, ensure_ascii=False)
    if a.shards == 1:
        write_safetensors(a.dir + "/model.safetensors", w, kind)
        return
    names, index = sorted(w), {}
    for n in range(a.shards):
        mine = names[n::a.shards]
        path = f"model-{n + 1:05}-of-{a.shards:05}.safetensors"
        write_safetensors(f"{a.dir}/{path}", {k: w[k] for k in mine}, kind)
        index.update({k: path for k in mine})
    with open(a.dir + "/model.safetensors.index.json", "w", encoding="utf-8") as f:
        json.dump({"metadata": {}, "weight_map": index}, f)


def run(a):
    s, w = read_folder(a.dir)
    logits = open(a.logits, "wb") if a.logits else None
    for line in open(a.prompts, encoding="ascii"):
        ids = [int(v) for v in line.split()]
        prompt = len(ids)
        with torch.no_grad():
            while True:
                out = forward(s, w, torch.tensor([ids]))[0]
                if len(ids) == prompt and logits:
                    logits.write(out.numpy().tobytes())
                if len(ids) - prompt == a.new:
                    break
                ids.append(int(out[-1].argmax()))
                if ids[-1] == s.c["eos_token_id"]:
                    break
        print(*ids[prompt:])


def main():
    p = argparse.ArgumentParser()
    sub = p.add_subparsers(required=True)
    m = sub.add_parser("make")
    m.add_argument("shape", choices=SHAPES)
    m.add_argument("dir")
    m.add_argument("--dtype", default="f32", choices=["f32", "f16", "bf16"])
    m.add_argument("--stacked", action="store_true")
    m.add_argument("--shards", type=int, default=1)
    m.add_argument("--seed", type=int, default=1)
    m.add_argument("--train", nargs=2, metavar=("SECONDS", "TEXTFILE"))
    m.set_defaults(do=make)
    r = sub.add_parser("run")
    r.add_argument("dir")
    r.add_argument("prompts")
    r.add_argument("--new", type=int, default=16)
    r.add_argument("--logits")
    r.set_defaults(do=run)
    a = p.parse_args()
    torch.set_num_threads(1)
    a.do(a)


if __name__ == "__main__":
    main()
