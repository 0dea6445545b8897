#!/usr/bin/env python3
"""The same greedy text from the engine, from torch, and from llama.cpp?

    compare.py DIR TEXT MARK [--mmtool PROGRAM] [--llama PROGRAM]

DIR is a model that reference.py trained on the bytes of TEXT. Prompts are 100 different
beginnings of lines of TEXT up to and with MARK; compared is what follows to the end of
the line. --llama is llama.c built; it needs a model of generation 3.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
NEW, END = "40", 10 + 3


def prompts(text, mark):
    found = sorted({m.group(0) for m in re.finditer(
        rb"(?m)^[^\n]*\n?" + re.escape(mark), text)})
    random.Random(11).shuffle(found)
    return "".join(" ".join(str(b + 3) for b in p) + "\n" for p in found[:100])


def answers(command, asked):
    out = subprocess.run(command, input=asked, capture_output=True, text=True, check=True)
    return [re.split(rf"\b{END}\b", line)[0].strip() for line in out.stdout.splitlines()]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("dir")
    p.add_argument("text")
    p.add_argument("mark")
    p.add_argument("--mmtool", default="./mmtool")
    p.add_argument("--llama")
    a = p.parse_args()
    with open(a.text, "rb") as f:
        asked = prompts(f.read(), a.mark.encode())
    scratch = tempfile.mkdtemp()
    with open(scratch + "/prompts", "w", encoding="ascii") as f:
        f.write(asked)

    def show(name, got, other, want):
        same = sum(x == y for x, y in zip(got, want))
        print(f"{name:12} as {other:10} {same}/{len(want)}", flush=True)

    torch = answers([sys.executable, HERE + "/reference.py", "run", a.dir,
                     scratch + "/prompts", "--new", NEW], asked)
    for form, kind in (("f32", "f32"), ("16", "f16"), ("int8", "q8_0")):
        ours = {cpu: answers([a.mmtool, a.dir, form, cpu, "1", "run", NEW], asked)
                for cpu in ("scalar", "avx2", "avx512")}
        for cpu, got in ours.items():
            show(form + " " + cpu, got, "torch f32", torch)
        if a.llama:
            path = scratch + "/model.gguf"
            subprocess.run([sys.executable, HERE + "/gguf.py", a.dir, path, kind], check=True)
            peer = answers([a.llama, path, "1", "f32", "run", NEW], asked)
            show("llama " + kind, peer, "torch f32", torch)
            show(form + " avx512", ours["avx512"], "llama " + kind, peer)


if __name__ == "__main__":
    main()
