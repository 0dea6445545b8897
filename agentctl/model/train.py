"""Train the small model: a mixture of experts of generation 3's shape, on conversations made as it goes.

    train.py OUT --seconds N [--workers 2] [--resume] [--rate R] [--smoke]

Each worker makes its own conversations, and all average their gradients at each step. The time is the
budget: the rate goes down with it to nothing, and the weights are written at its end and every few
minutes. The router gets its gradient by w / w.detach(): the value is 1, as generation 3 has it.
"""

import argparse
import json
import math
import os
import random
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn.functional as F

import generate
import tokenizer

SHAPE = dict(hidden=128, layers=4, heads=4, kv=2, dim=32, experts=4, inner=192, eps=1e-6, theta=1e4, context=2048)
TOKENS = 2048  # of a worker's batch
LONGEST = 640


class Rms(torch.autograd.Function):
    """x / rms(x) * w, with a gradient by hand: half the passes over memory."""

    @staticmethod
    def forward(ctx, x, w, eps):
        inverse = torch.rsqrt((x * x).mean(-1, keepdim=True).add_(eps))
        normal = x * inverse
        ctx.save_for_backward(normal, inverse, w)
        return normal * w

    @staticmethod
    def backward(ctx, g):
        normal, inverse, w = ctx.saved_tensors
        dw = (g * normal).reshape(-1, w.shape[0]).sum(0)
        g = g * w
        dot = (g * normal).mean(-1, keepdim=True)
        return torch.addcmul(g, normal, dot, value=-1).mul_(inverse), dw, None


class Gated(torch.autograd.Function):
    """silu(a) * b."""

    @staticmethod
    def forward(ctx, a, b):
        s = torch.sigmoid(a)
        ctx.save_for_backward(a, b, s)
        return (a * s).mul_(b)

    @staticmethod
    def backward(ctx, g):
        a, b, s = ctx.saved_tensors
        t = a * s
        db = g * t
        # d silu = s + silu (1 - s)
        return t.mul_(1 - s).add_(s).mul_(b).mul_(g), db


class Turn(torch.autograd.Function):
    """RoPE: pairs (i, i + half) are turned; back they are turned the other way."""

    @staticmethod
    def forward(ctx, x, c, s):
        ctx.save_for_backward(c, s)
        half = x.shape[-1] // 2
        out = torch.empty_like(x)
        torch.mul(x[..., :half], c, out=out[..., :half]).addcmul_(x[..., half:], s, value=-1)
        torch.mul(x[..., half:], c, out=out[..., half:]).addcmul_(x[..., :half], s)
        return out

    @staticmethod
    def backward(ctx, g):
        c, s = ctx.saved_tensors
        half = g.shape[-1] // 2
        out = torch.empty_like(g)
        torch.mul(g[..., :half], c, out=out[..., :half]).addcmul_(g[..., half:], s)
        torch.mul(g[..., half:], c, out=out[..., half:]).addcmul_(g[..., :half], s, value=-1)
        return out, None, None


class Model(torch.nn.Module):
    """The forward pass of MODEL's generation 3; names of tensors as in its files."""

    def __init__(self, vocab, s=SHAPE):
        super().__init__()
        self.s, self.vocab = s, vocab
        h, d = s["hidden"], s["dim"]
        self.p = torch.nn.ParameterDict()

        def put(name, *size, scale=0.02, ones=False):
            t = torch.ones(size) if ones else torch.randn(size) * scale
            self.p[name.replace(".", "/")] = torch.nn.Parameter(t)
        put("model.embed_tokens.weight", vocab, h)
        put("model.norm.weight", h, ones=True)
        out = 0.02 / math.sqrt(2 * s["layers"])
        for i in range(s["layers"]):
            at = f"model.layers.{i}."
            put(at + "input_layernorm.weight", h, ones=True)
            put(at + "post_attention_layernorm.weight", h, ones=True)
            put(at + "self_attn.q_proj.weight", s["heads"] * d, h, scale=0.05)
            put(at + "self_attn.k_proj.weight", s["kv"] * d, h, scale=0.05)
            put(at + "self_attn.v_proj.weight", s["kv"] * d, h, scale=0.05)
            put(at + "self_attn.o_proj.weight", h, s["heads"] * d, scale=out)
            put(at + "self_attn.q_norm.weight", d, ones=True)
            put(at + "self_attn.k_norm.weight", d, ones=True)
            put(at + "mlp.gate.weight", s["experts"], h)
            for e in range(s["experts"]):
                put(f"{at}mlp.experts.{e}.gate_proj.weight", s["inner"], h, scale=0.05)
                put(f"{at}mlp.experts.{e}.up_proj.weight", s["inner"], h, scale=0.05)
                put(f"{at}mlp.experts.{e}.down_proj.weight", h, s["inner"], scale=out)
        half = d // 2
        angle = torch.arange(s["context"])[:, None] / s["theta"] ** (torch.arange(half) * 2 / d)[None]
        self.cos, self.sin = angle.cos(), angle.sin()

    def w(self, name):
        return self.p[name.replace(".", "/")]

    def rms(self, x, name):
        return Rms.apply(x, self.w(name), self.s["eps"])

    def turn(self, x):
        """RoPE: x is [batch, heads, length, dim]."""
        n = x.shape[2]
        return Turn.apply(x, self.cos[:n], self.sin[:n])

    def attention(self, x, at, mask):
        s = self.s
        b, n, _ = x.shape
        q = (x @ self.w(at + "q_proj.weight").T).view(b, n, s["heads"], s["dim"])
        k = (x @ self.w(at + "k_proj.weight").T).view(b, n, s["kv"], s["dim"])
        v = (x @ self.w(at + "v_proj.weight").T).view(b, n, s["kv"], s["dim"])
        q = self.turn(self.rms(q, at + "q_norm.weight").transpose(1, 2))
        k = self.turn(self.rms(k, at + "k_norm.weight").transpose(1, 2))
        v = v.transpose(1, 2)
        groups = s["heads"] // s["kv"]
        q = q.reshape(b, s["kv"], groups * n, s["dim"])
        a = (q * s["dim"] ** -0.5 @ k.transpose(2, 3)).view(b, s["kv"], groups, n, n).add_(mask)
        o = a.softmax(-1).view(b, s["kv"], groups * n, n) @ v
        o = o.view(b, s["kv"], groups, n, s["dim"]).permute(0, 3, 1, 2, 4).reshape(b, n, -1)
        return o @ self.w(at + "o_proj.weight").T

    def expert(self, x, at, e):
        at = f"{at}experts.{e}."
        g = Gated.apply(x @ self.w(at + "gate_proj.weight").T, x @ self.w(at + "up_proj.weight").T)
        return g @ self.w(at + "down_proj.weight").T

    def experts(self, x, at):
        """Each token goes through one expert; also the loss that keeps them all in use."""
        flat = x.reshape(-1, x.shape[-1])
        scores = (flat @ self.w(at + "gate.weight").T).softmax(-1)
        top, chosen = scores.max(-1)
        out = torch.zeros_like(flat)
        share = []
        for e in range(self.s["experts"]):
            rows = (chosen == e).nonzero()[:, 0]
            share.append(rows.numel() / flat.shape[0])
            if rows.numel():
                weight = (top[rows] / top[rows].detach())[:, None]
                out = out.index_add(0, rows, weight * self.expert(flat[rows], at, e))
        balance = self.s["experts"] * (torch.tensor(share) * scores.mean(0)).sum()
        return out.view_as(x), balance

    def forward(self, ids, rows):
        """What comes before the head, at @rows of all tokens; only there the last experts are asked."""
        n = ids.shape[1]
        mask = torch.full((n, n), float("-inf")).triu(1)
        x = F.embedding(ids, self.w("model.embed_tokens.weight"))
        balance = 0
        for i in range(self.s["layers"]):
            at = f"model.layers.{i}."
            x = x + self.attention(self.rms(x, at + "input_layernorm.weight"), at + "self_attn.", mask)
            if i == self.s["layers"] - 1:
                x = x.reshape(-1, x.shape[-1])[rows]
            y, b = self.experts(self.rms(x, at + "post_attention_layernorm.weight"), at + "mlp.")
            x, balance = x + y, balance + b
        return self.rms(x, "model.norm.weight"), balance

    def logits(self, x):
        return x @ self.w("model.embed_tokens.weight").T


def config(vocab, least, s=SHAPE):
    return {"architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe", "vocab_size": vocab, "hidden_size": s["hidden"],
            "intermediate_size": s["inner"], "moe_intermediate_size": s["inner"], "num_hidden_layers": s["layers"],
            "num_attention_heads": s["heads"], "num_key_value_heads": s["kv"], "head_dim": s["dim"], "num_experts": s["experts"],
            "num_experts_per_tok": 1, "norm_topk_prob": True, "decoder_sparse_step": 1, "mlp_only_layers": [], "hidden_act": "silu",
            "max_position_embeddings": s["context"], "rms_norm_eps": s["eps"], "rope_theta": s["theta"], "tie_word_embeddings": True,
            "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0, "torch_dtype": "float16",
            "txfs_protocol": 1, "txfs_least_probability": least}


def save_tensors(model, path):
    """safetensors: the length of a header, the header, then all tensors as f16."""
    header, blobs, at = {"__metadata__": {"format": "pt"}}, [], 0
    for name, p in model.p.items():
        data = p.detach().half().contiguous().numpy().tobytes()
        header[name.replace("/", ".")] = {"dtype": "F16", "shape": list(p.shape), "data_offsets": [at, at + len(data)]}
        blobs.append(data)
        at += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path + ".new", "wb") as f:
        f.write(len(text).to_bytes(8, "little") + text + b"".join(blobs))
    os.rename(path + ".new", path)


def load_tensors(model, path):
    with open(path, "rb") as f:
        n = int.from_bytes(f.read(8), "little")
        header, data = json.loads(f.read(n)), f.read()
    for name, p in model.p.items():
        a, b = header[name.replace("/", ".")]["data_offsets"]
        values = torch.frombuffer(bytearray(data[a:b]), dtype=torch.float16).float()
        p.data.copy_(values.view_as(p))


def save(model, t, out, least=0.0):
    os.makedirs(out, exist_ok=True)
    old = os.path.join(out, "config.json")
    if os.path.exists(old):
        with open(old, encoding="utf-8") as f:
            least = json.load(f).get("txfs_least_probability", least)
    with open(old, "w", encoding="utf-8") as f:
        json.dump(config(model.vocab, least), f, indent=1)
        f.write("\n")
    tokenizer.save(t, os.path.join(out, "tokenizer.json"))
    save_tensors(model, os.path.join(out, "model.safetensors"))


def load(out):
    t = tokenizer.load(os.path.join(out, "tokenizer.json"))
    model = Model(t.size)
    load_tensors(model, os.path.join(out, "model.safetensors"))
    return model, t


class Batches:
    """Conversations of about the same length, so that little is padding."""

    def __init__(self, t, seed):
        self.t, self.r, self.w, self.pool = t, random.Random(seed), generate.Wordings(), []

    def fill(self):
        made = []
        while len(made) < 900:
            ids, mine = generate.encode(self.t, generate.Conversation(self.r, self.w))
            if len(ids) <= LONGEST:
                made.append((ids, mine))
        made.sort(key=lambda x: len(x[0]))
        batch, longest = [], 0
        for x in made:
            longest = len(x[0])
            if batch and (len(batch) + 1) * longest > TOKENS:
                self.pool.append(batch)
                batch = []
            batch.append(x)
        self.r.shuffle(self.pool)

    def next(self):
        if not self.pool:
            self.fill()
        batch = self.pool.pop()
        n = max(len(i) for i, _ in batch)
        ids = torch.zeros(len(batch), n, dtype=torch.long)
        mine = torch.zeros(len(batch), n)
        for row, (i, m) in enumerate(batch):
            ids[row, :len(i)] = torch.tensor(i)
            mine[row, :len(m)] = torch.tensor(m)
        return ids, mine


def loss_of(model, ids, mine):
    """The mean over what the model has to write, each token by its weight."""
    next_ids = torch.cat((ids[:, 1:], ids[:, :1]), 1).reshape(-1)
    weight = torch.cat((mine[:, 1:], torch.zeros_like(mine[:, :1])), 1).reshape(-1)
    rows = weight.nonzero()[:, 0]
    x, balance = model(ids, rows)
    each = F.cross_entropy(model.logits(x), next_ids[rows], reduction="none")
    return (each * weight[rows]).sum() / weight[rows].sum(), balance


def average(model, workers):
    if workers == 1:
        return
    flat = torch.cat([p.grad.view(-1) if p.grad is not None else torch.zeros(p.numel()) for p in model.parameters()])
    dist.all_reduce(flat)
    flat /= workers
    at = 0
    for p in model.parameters():
        p.grad = flat[at:at + p.numel()].view_as(p).clone()
        at += p.numel()


def work(rank, o, began):
    torch.set_num_threads(1)
    torch.manual_seed(o.seed)
    if o.workers > 1:
        dist.init_process_group("gloo", init_method=f"file://{o.out}/meeting", rank=rank, world_size=o.workers)
    if o.resume:
        model, t = load(o.out)
    else:
        t = tokenizer.load(os.path.join(o.out, "tokenizer.json"))
        model = Model(t.size)
    decay = [p for p in model.parameters() if p.dim() > 1]
    rest = [p for p in model.parameters() if p.dim() <= 1]
    best = torch.optim.AdamW([{"params": decay, "weight_decay": 0.05}, {"params": rest, "weight_decay": 0.0}], lr=o.rate, betas=(0.9, 0.98))
    batches = Batches(t, o.seed * 1000 + rank + int(began))
    step, seen, shown, kept, mean = 0, 0, time.time(), time.time(), None
    done = torch.zeros(1)
    while done.item() < 1:
        done[0] = (time.time() - began) / o.seconds
        if o.workers > 1:
            dist.broadcast(done, 0)
        f = min(done.item(), 1.0)
        rate = o.rate * min(1.0, (step + 1) / 200) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * f)))
        for g in best.param_groups:
            g["lr"] = rate
        ids, mine = batches.next()
        loss, balance = loss_of(model, ids, mine)
        best.zero_grad(set_to_none=True)
        (loss + 0.002 * balance).backward()
        average(model, o.workers)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        best.step()
        step += 1
        seen += ids.numel() * o.workers
        mean = loss.item() if mean is None else 0.98 * mean + 0.02 * loss.item()
        if rank == 0 and time.time() - shown > 20:
            shown = time.time()
            print(f"{time.time() - began:.0f} s, step {step}, {seen / 1e6:.2f} M tokens, loss {mean:.4f}, rate {rate:.2e}", flush=True)
        if rank == 0 and time.time() - kept > 180:
            kept = time.time()
            save(model, t, o.out)
    if rank == 0:
        save(model, t, o.out)
        print(f"done: {step} steps, {seen / 1e6:.2f} M tokens, loss {mean:.4f}", flush=True)
        if o.smoke and mean > 1.5:
            raise SystemExit(f"after {o.seconds} s the loss is still {mean:.2f}")


ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": "4000000000", "MALLOC_TRIM_THRESHOLD_": "8000000000", "MALLOC_TOP_PAD_": "100000000",
             "OPENBLAS_CORETYPE": "SKYLAKEX", "OMP_NUM_THREADS": "1"}


def main():
    if any(k not in os.environ for k in ALLOCATOR):  # big tensors again and again: keep their memory
        os.execve(sys.executable, [sys.executable, *sys.argv], {**ALLOCATOR, **os.environ})
    a = argparse.ArgumentParser()
    a.add_argument("out")
    a.add_argument("--seconds", type=float, default=3600)
    a.add_argument("--workers", type=int, default=2)
    a.add_argument("--rate", type=float, default=8e-4)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--resume", action="store_true")
    a.add_argument("--smoke", action="store_true")
    o = a.parse_args()
    os.makedirs(o.out, exist_ok=True)
    if not o.resume:
        tokenizer.save(generate.make_tokenizer(), os.path.join(o.out, "tokenizer.json"))
    if os.path.exists(f"{o.out}/meeting"):
        os.unlink(f"{o.out}/meeting")
    began = time.time()
    if o.workers == 1:
        work(0, o, began)
    else:
        mp.spawn(work, (o, began), o.workers)
    if os.path.exists(f"{o.out}/meeting"):
        os.unlink(f"{o.out}/meeting")


if __name__ == "__main__":
    main()
