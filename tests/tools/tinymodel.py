#!/usr/bin/env python3
"""A model of generation 3's or 2's shape with random weights, in a directory: its words are noise, but its
files, templates and limits are real.

    tinymodel.py DIR TOKENIZER.json [--second]
"""

import array
import json
import os
import random
import sys


def main():
    out, tokenizer, second = sys.argv[1], sys.argv[2], "--second" in sys.argv
    os.makedirs(out, exist_ok=True)
    t = json.load(open(tokenizer, encoding="utf-8"))
    size = 1 + max([*t["model"]["vocab"].values(), *(a["id"] for a in t["added_tokens"])])
    if not second:
        for text in ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>"):
            t["added_tokens"].append({"id": size, "content": text, "single_word": False, "lstrip": False, "rstrip": False,
                                      "normalized": False, "special": False})
            size += 1
    json.dump(t, open(f"{out}/tokenizer.json", "w", encoding="utf-8"))
    h, d, heads, kv, inner = 64, 16, 4, 2, 64
    config = {"vocab_size": size, "hidden_size": h, "num_hidden_layers": 2, "num_attention_heads": heads, "num_key_value_heads": kv,
              "intermediate_size": inner, "max_position_embeddings": 2048, "rms_norm_eps": 1e-6, "rope_theta": 1e6, "eos_token_id": 2,
              "bos_token_id": 1, "tie_word_embeddings": True}
    if second:
        config.update(model_type="minimind", use_moe=False)
    else:
        config.update(model_type="qwen3_moe", head_dim=d, num_experts=4, num_experts_per_tok=1, moe_intermediate_size=inner, norm_topk_prob=True)
    json.dump(config, open(f"{out}/config.json", "w", encoding="utf-8"))
    shapes = {"model.embed_tokens.weight": [size, h], "model.norm.weight": [h]}
    for i in range(2):
        at = f"model.layers.{i}."
        shapes.update({at + "input_layernorm.weight": [h], at + "post_attention_layernorm.weight": [h],
                       at + "self_attn.q_proj.weight": [heads * d, h], at + "self_attn.k_proj.weight": [kv * d, h],
                       at + "self_attn.v_proj.weight": [kv * d, h], at + "self_attn.o_proj.weight": [h, heads * d]})
        names = [at + "mlp."] if second else [f"{at}mlp.experts.{e}." for e in range(4)]
        if not second:
            shapes.update({at + "self_attn.q_norm.weight": [d], at + "self_attn.k_norm.weight": [d], at + "mlp.gate.weight": [4, h]})
        for n in names:
            shapes.update({n + "gate_proj.weight": [inner, h], n + "up_proj.weight": [inner, h], n + "down_proj.weight": [h, inner]})
    r, header, blobs, at = random.Random(1), {}, [], 0
    for name, shape in shapes.items():
        n = shape[0] * (shape[1] if len(shape) > 1 else 1)
        data = array.array("f", [1.0] * n if name.endswith("norm.weight") else [r.gauss(0, 0.2) for _ in range(n)]).tobytes()
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + len(data)]}
        blobs.append(data)
        at += len(data)
    text = json.dumps(header).encode()
    with open(f"{out}/model.safetensors", "wb") as f:
        f.write(len(text).to_bytes(8, "little") + text + b"".join(blobs))


main()
