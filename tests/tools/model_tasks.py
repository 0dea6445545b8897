#!/usr/bin/env python3
"""Tasks for the small model, each done for real: a workspace, agentctl task, and what is there afterwards.

    model_tasks.py FILE.jsonl... [--agentctl PROGRAM] [--model DIR] [--jobs 2] [--show VERDICT] [--first N]
                   [--expect SET=RIGHT[:WRONG]]... [--json]

A row: {"id", "set", "kind", "task", "files": {path: content}, "dirs": [..], "exec": [..], "check": command,
"expect": {"files": {..}, "gone": [..], "dirs": [..], "says": [..], "fails": true, "unclear": true}}.
Verdicts: right; wrong: committed, and not what was wanted; lost: nothing was committed although it should
have been (stopped, or not understood). A row that is wrong is done once more with a check that only the
wanted result passes: it has to be rolled back. --expect gives the least share that is right, and the
greatest that is wrong, in percent. The last line counts sets and roll-backs as tests.
"""

import argparse
import concurrent.futures
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile


def build(top, row):
    for d in row.get("dirs", ()):
        os.makedirs(os.path.join(top, d), exist_ok=True)
    for path, content in row.get("files", {}).items():
        full = os.path.join(top, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8", newline="") as f:
            f.write(content)
    for path in row.get("exec", ()):
        os.chmod(os.path.join(top, path), 0o755)


def tree(top):
    out = {}
    for at, dirs, files in os.walk(top):
        for d in dirs:
            out[os.path.relpath(os.path.join(at, d), top) + "/"] = None
        for name in files:
            full = os.path.join(at, name)
            with open(full, "rb") as f:
                out[os.path.relpath(full, top)] = f.read().decode("utf-8", "replace")
    return out


def as_wanted(row, before, after, said):
    """Why the tree or the words (None: of no interest) are not what was wanted; "": they are."""
    e = row["expect"]
    if e.get("fails") or e.get("unclear"):
        return "" if before == after else "something changed"
    for path, content in e.get("files", {}).items():
        if after.get(path) != content:
            return f"{path} is {after.get(path)!r}, want {content!r}"
    for path in e.get("gone", ()):
        if path in after or path.rstrip("/") + "/" in after:
            return f"{path} is still there"
    for path in e.get("dirs", ()):
        if path.rstrip("/") + "/" not in after:
            return f"{path} is no folder"
    for text in e.get("says", ()):
        if said is not None and text not in said:
            return f"{text!r} was not said"
    listed = set(e.get("files", {})) | set(before)
    more = [p for p in after if not p.endswith("/") and p not in listed
            and not any(p.startswith(d.rstrip("/") + "/") for d in e.get("dirs", ()))]
    return f"{more[0]} is new" if more else ""


def checker(row):
    """A command that only the wanted result passes."""
    e, parts = row["expect"], []
    if e.get("fails") or e.get("unclear"):
        return "false"
    for path, content in e.get("files", {}).items():
        parts.append(f"printf %s {shlex.quote(content)} | cmp -s - {shlex.quote('./' + path)}")
    parts += [f"! test -e {shlex.quote('./' + p)}" for p in e.get("gone", ())]
    parts += [f"test -d {shlex.quote('./' + p)}" for p in e.get("dirs", ())]
    return " && ".join(parts) or "true"


def run(o, row, check):
    top = tempfile.mkdtemp(prefix="task-")
    work = os.path.join(top, "w")
    os.mkdir(work)
    try:
        build(work, row)
        before = tree(work)
        command = [o.agentctl, "task", "--no-keep", "--json", "--workspace", work, *(["--model", o.model] if o.model else []),
                   *(["--check", check] if check else []), row["task"]]
        p = subprocess.run(command, cwd=work, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
        after = tree(work)
    finally:
        shutil.rmtree(top, ignore_errors=True)
    events = [json.loads(line) for line in p.stdout.decode("utf-8", "replace").splitlines() if line.startswith("{")]
    said = "\n".join(e.get("text") or "" for e in events if e["ev"] in ("say", "result", "end"))
    calls = [e["command"] for e in events if e["ev"] == "call"]
    return before, after, said, calls, p.returncode, events


def judge(o, row):
    before, after, said, calls, status, _ = run(o, row, row.get("check"))
    e = row["expect"]
    why = as_wanted(row, before, after, said)
    if e.get("unclear") and status == 0:
        why = "it was taken for understood"
    elif e.get("fails") and status == 0:
        why = "it did not fail"
    elif not why and not e.get("unclear") and not e.get("fails") and status != 0:
        why = f"ended with {status}"
    verdict = "right" if not why else "wrong" if status == 0 else "lost"
    back = None
    if verdict == "wrong" and before != after and as_wanted(row, before, after, None):
        b, a, _, _, s, _ = run(o, row, checker(row))
        back = b == a and s == 120
    return dict(row=row, verdict=verdict, why=why, calls=calls, status=status, back=back, unclear="did not understand" in said)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("files", nargs="+")
    a.add_argument("--agentctl", default="agentctl")
    a.add_argument("--model")
    a.add_argument("--jobs", type=int, default=2)
    a.add_argument("--show", default="")
    a.add_argument("--first", type=int)
    a.add_argument("--expect", action="append", default=[])
    a.add_argument("--json", action="store_true")
    o = a.parse_args()
    o.agentctl = os.path.abspath(o.agentctl) if "/" in o.agentctl else o.agentctl
    rows = [json.loads(line) for name in o.files for line in open(name, encoding="utf-8") if line.strip()]
    rows = rows[:o.first] if o.first else rows
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        done = list(pool.map(lambda r: judge(o, r), rows))
    for d in done:
        if d["verdict"] in o.show.split(","):
            print(f"{d['verdict']} {d['row']['id']} [{d['row'].get('kind')}] {d['row']['task']!r}\n    {d['calls']} {d['why']}", file=sys.stderr)
        if o.json:
            print(json.dumps({"id": d["row"]["id"], "verdict": d["verdict"], "why": d["why"], "calls": d["calls"], "rolled_back": d["back"]}))
    passed = failed = 0
    wanted = dict(e.split("=") for e in o.expect)
    for name in sorted({r["set"] for r in rows}):
        of = [d for d in done if d["row"]["set"] == name]
        share = {v: sum(d["verdict"] == v for d in of) / len(of) for v in ("right", "wrong", "lost")}
        unclear = sum(d["verdict"] == "lost" and d["unclear"] for d in of)
        print(f"{name:10} {len(of):5} tasks {share['right']:7.1%} right {share['wrong']:6.1%} wrong {share['lost']:6.1%} not done ({unclear} not understood)")
        if name in wanted:
            right, _, wrong = wanted[name].partition(":")
            good = share["right"] * 100 >= float(right) and (not wrong or share["wrong"] * 100 <= float(wrong))
            passed, failed = passed + good, failed + (not good)
    back = [d["back"] for d in done if d["back"] is not None]
    if back:
        print(f"wrong results with a check: {sum(back)} of {len(back)} rolled back")
    passed, failed = passed + sum(back), failed + len(back) - sum(back)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
