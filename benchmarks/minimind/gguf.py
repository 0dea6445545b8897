#!/usr/bin/env python3
"""Write a qwen3moe or qwen3 model as GGUF, so that llama.cpp runs the same weights.

    gguf.py DIR OUT f32|f16|q8_0

DIR has config.json and model.safetensors. Norms and routers stay f32. There is no
vocabulary in the file: tokens go in as numbers. int8 is rounded as ggml's reference does.
"""

import json
import struct
import sys

import numpy as np

F32, F16, Q8 = 0, 1, 8


def read(folder):
    with open(folder + "/model.safetensors", "rb") as f:
        data = f.read()
    n = struct.unpack("<Q", data[:8])[0]
    out = {}
    for name, d in json.loads(data[8:8 + n]).items():
        if name == "__metadata__":
            continue
        a, b = (8 + n + v for v in d["data_offsets"])
        raw = data[a:b]
        if d["dtype"] == "BF16":
            x = (np.frombuffer(raw, "<u2").astype("<u4") << 16).view("<f4")
        else:
            x = np.frombuffer(raw, {"F32": "<f4", "F16": "<f2"}[d["dtype"]]).astype("<f4")
        out[name] = x.reshape(d["shape"])
    return out


def q8(x):
    x = x.reshape(-1, 32)
    d = np.abs(x).max(1, keepdims=True) / np.float32(127)
    by = np.where(d > 0, np.float32(1) / np.where(d > 0, d, 1), 0).astype("<f4")
    v = x * by
    q = np.where(v >= 0, np.floor(v + np.float32(.5)), np.ceil(v - np.float32(.5)))
    out = np.empty((len(x), 34), "u1")
    out[:, :2] = d.astype("<f2").view("u1")
    out[:, 2:] = q.astype("i1").view("u1")
    return out.tobytes()


def encode(x, kind):
    return {F32: lambda: x.tobytes(), F16: lambda: x.astype("<f2").tobytes(),
            Q8: lambda: q8(x)}[kind]()


def text(s):
    b = s.encode()
    return struct.pack("<Q", len(b)) + b


def main():
    folder, path, kind = sys.argv[1:]
    kind = {"f32": F32, "f16": F16, "q8_0": Q8}[kind]
    with open(folder + "/config.json", encoding="utf-8") as f:
        c = json.load(f)
    w = read(folder)
    arch = {"qwen3_moe": "qwen3moe", "qwen3": "qwen3"}[c["model_type"]]
    tensors = [("token_embd.weight", w["model.embed_tokens.weight"]),
               ("output_norm.weight", w["model.norm.weight"])]
    for i in range(c["num_hidden_layers"]):
        p, b = f"model.layers.{i}.", f"blk.{i}."
        names = {"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm",
                 "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
                 "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj",
                 "attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm"}
        if arch == "qwen3moe":
            names["ffn_gate_inp"] = "mlp.gate"
        else:
            names.update(ffn_gate="mlp.gate_proj", ffn_up="mlp.up_proj",
                         ffn_down="mlp.down_proj")
        tensors += [(b + to + ".weight", w[p + of + ".weight"]) for to, of in names.items()]
        for part in ("gate", "up", "down") if arch == "qwen3moe" else ():
            tensors.append((f"{b}ffn_{part}_exps.weight", np.stack(
                [w[f"{p}mlp.experts.{e}.{part}_proj.weight"]
                 for e in range(c["num_experts"])])))
    keys = {"block_count": c["num_hidden_layers"], "vocab_size": c["vocab_size"],
            "context_length": c["max_position_embeddings"],
            "embedding_length": c["hidden_size"],
            "feed_forward_length": c["intermediate_size"],
            "attention.head_count": c["num_attention_heads"],
            "attention.head_count_kv": c["num_key_value_heads"],
            "attention.key_length": c["head_dim"], "attention.value_length": c["head_dim"],
            "attention.layer_norm_rms_epsilon": float(c["rms_norm_eps"]),
            "rope.freq_base": float(c["rope_theta"])}
    if arch == "qwen3moe":
        keys.update({"expert_count": c["num_experts"],
                     "expert_used_count": c["num_experts_per_tok"],
                     "expert_feed_forward_length": c["moe_intermediate_size"]})
    meta = [text("general.architecture") + struct.pack("<I", 8) + text(arch),
            text("tokenizer.ggml.model") + struct.pack("<I", 8) + text("no_vocab")]
    meta += [text(f"{arch}.{k}") + (struct.pack("<If", 6, v) if isinstance(v, float)
                                    else struct.pack("<II", 4, v)) for k, v in keys.items()]
    infos, blobs, at = [], [], 0
    for name, x in tensors:
        t = F32 if x.ndim == 1 or "gate_inp" in name else kind
        raw = encode(np.ascontiguousarray(x), t)
        infos.append(text(name) + struct.pack("<I", x.ndim) +
                     b"".join(struct.pack("<Q", d) for d in reversed(x.shape)) +
                     struct.pack("<IQ", t, at))
        raw += b"\0" * (-len(raw) % 32)
        at += len(raw)
        blobs.append(raw)
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(infos), len(meta))
    head += b"".join(meta) + b"".join(infos)
    with open(path, "wb") as f:
        f.write(head + b"\0" * (-len(head) % 32))
        for b in blobs:
            f.write(b)


if __name__ == "__main__":
    main()
