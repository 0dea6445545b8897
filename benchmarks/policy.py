#!/usr/bin/env python3
"""policyd on labelled commands, beside other tools, and how long its answers take.

    policy.py BINDIR [--json] [--verdicts] [--expect FILE [--update]] [--missed] [FILE|FOLDER...]

Rows are lines of label, class and command as tests/policy/score.py reads them; without
FILE those of tests/policy. The setting is fixed: home /home/u, workspace and current folder
/workspace, covered by a transaction. Printed are

  - each class: how many dangerous rows were refused, how many harmless ones flagged;
  - the share of tx, ask and deny among harmless rows by the rule that gave it;
  - evasions missed against harmless rows flagged, as a curve: rules are taken in one after
    the other, the most useful ones first, and at the end those that let a command run
    because of its transaction, as if they flagged it;
  - the same classes for other tools found on this machine, on a sample of the rows;
  - latency: over one warm connection, over 1,000, with 10,000 rules, and of the hook program.

--verdicts leaves the times and the other tools out. --expect compares with a file that says
how many rows of each class may come out wrong: exit 1 when it is more, or when one of the
limits below is missed. 2: it could not be measured.
"""

import argparse
import collections
import json
import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.join(HERE, "..", "tests", "policy")
sys.path.insert(0, TESTS)
import score  # noqa: E402

LEAST_REFUSED = {"high risk": 98.0, "evasions": 95.0}
MOST_FLAGGED = {"benign": 1.0, "lookalike": 2.0}
MOST_DENIED = 0.3  # of benign rows, where a person can be asked
LIMIT_US = {"warm p50": 30, "warm p99": 500, "1,000 connections p99": 5000, "hook p50": 2000}
SAMPLE = 400  # rows for tools that start a process for each
RANK = {"allow": 0, "tx": 1, "ask": 2, "deny": 3}


class Daemon(score.Daemon):
    def ask(self, command, mode):
        request = {"v": 1, "id": 1, "op": "check", "command": command, "cwd": "/workspace",
                   "workspace": "/workspace", "home": "/home/u", "cover": "tx", "mode": mode}
        self.sock.sendall(json.dumps(request).encode() + b"\n")
        return json.loads(self.file.readline())


class Row:
    def __init__(self, label, cls, command):
        self.command = score.unescape(command)
        self.group, self.cls = score.group(label, cls), cls
        self.bad = label == "deny"  # should be refused
        self.decision = self.rule = self.reason = ""

    @property
    def wrong(self):
        return (RANK[self.decision] >= RANK["ask"]) != self.bad


def judge(bindir, paths):
    rows = [Row(*r) for path in paths for r in score.rows_of(path)]
    daemon = Daemon(os.path.join(bindir, "policyd"))
    for row in rows:
        a = daemon.ask(row.command, "interactive")
        row.decision, row.rule, row.reason = a["decision"], a.get("rule", ""), a.get("reason", "")
    daemon.close()
    return rows


# --- verdicts ---------------------------------------------------------------------------------

def percent(n, total):
    return 100.0 * n / total if total else 0.0


def classes(rows):
    """(group, class) -> [wrong, all]; class "" is the whole group."""
    count = collections.defaultdict(lambda: [0, 0])
    for r in rows:
        for key in ((r.group, ""), (r.group, r.cls)):
            count[key][0] += r.wrong
            count[key][1] += 1
    return count


def print_classes(count, title):
    print(f"\n{title}")
    for (group, cls), (wrong, total) in sorted(count.items()):
        refusing = group in LEAST_REFUSED
        n = total - wrong if refusing else wrong
        print(f"  {group:<10} {cls or 'ALL':<28} {n:4} of {total:4} "
              f"{'refused' if refusing else 'flagged'}  {percent(n, total):5.1f} %")


def print_drivers(rows):
    harmless = [r for r in rows if not r.bad]
    count = collections.Counter((r.decision, r.rule) for r in harmless)
    print(f"\nharmless rows by what decided them ({len(harmless)} rows)")
    for decision in ("deny", "ask", "tx"):
        of = [(n, rule) for (d, rule), n in count.items() if d == decision]
        total = sum(n for n, _ in of)
        print(f"  {decision:<5} {total:4}  {percent(total, len(harmless)):5.2f} %")
        for n, rule in sorted(of, reverse=True)[:12]:
            print(f"        {n:4}  {percent(n, len(harmless)):5.2f} %  {rule}")


def curve(rows):
    """Points (rule, harmless flagged, evasions missed), as rules are taken in."""
    evasions = [r for r in rows if r.group == "evasions"]
    harmless = [r for r in rows if not r.bad]
    caught = collections.Counter((r.decision == "tx", r.rule) for r in evasions if r.decision != "allow")
    flagged = collections.Counter((r.decision == "tx", r.rule) for r in harmless if r.decision != "allow")
    rules = sorted(set(caught) | set(flagged),
                   key=lambda x: (x[0], -(caught[x] + 0.01) / (flagged[x] + 0.01), x))
    found = cost = 0
    for rule in rules:  # those that let a command run for its transaction come last
        found += caught[rule]
        cost += flagged[rule]
        yield rule[1] + (" (tx)" if rule[0] else ""), percent(cost, len(harmless)), percent(len(evasions) - found, len(evasions))


def print_curve(rows):
    print("\nevasions missed against harmless rows flagged, rule after rule")
    print("  flagged %  missed %  with")
    seen = None
    for rule, flagged, missed in curve(rows):
        here = (round(flagged, 2), round(missed, 1))
        if here != seen:
            print(f"  {flagged:9.2f} {missed:9.1f}  {rule}")
        seen = here


def limits(rows):
    """What of the demands is missed."""
    count = classes(rows)
    for group, least in LEAST_REFUSED.items():
        wrong, total = count[(group, "")]
        if percent(total - wrong, total) < least:
            yield f"{group}: {percent(total - wrong, total):.1f} % refused, at least {least} wanted"
    for group, most in MOST_FLAGGED.items():
        wrong, total = count[(group, "")]
        if percent(wrong, total) > most:
            yield f"{group}: {percent(wrong, total):.2f} % flagged, at most {most} wanted"
    for (group, cls), (wrong, total) in count.items():
        if group == "high risk" and cls and wrong > max(1, total * 0.05):
            yield f"high risk, {cls}: {wrong} of {total} missed"
    denied = sum(r.decision == "deny" for r in rows if r.group == "benign")
    if percent(denied, count[("benign", "")][1]) > MOST_DENIED:
        yield f"benign: {denied} denied where a person could be asked"


def read_expected(path):
    with open(path, encoding="utf-8") as f:
        rows = [line.rstrip("\n").split("\t") for line in f if line.strip() and line[0] != "#"]
    return {(group, cls): int(n) for group, cls, n in rows}


def write_expected(path, count):
    with open(path, "w", encoding="utf-8") as f:
        f.write("# How many rows of each class of tests/policy may come out wrong; what is not listed: none.\n"
                "# Made by benchmarks/policy.py --update, to be raised by nobody without a reason.\n")
        for (group, cls), (wrong, _) in sorted(count.items()):
            if cls and wrong:
                f.write(f"{group}\t{cls}\t{wrong}\n")


def regressions(count, expected):
    for (group, cls), (wrong, _) in sorted(count.items()):
        if cls and wrong > expected.get((group, cls), 0):
            yield f"{group}, {cls}: {wrong} rows come out wrong, {expected.get((group, cls), 0)} were known"


# --- other tools ------------------------------------------------------------------------------

def claude_event(command, cwd="/workspace"):
    return json.dumps({"session_id": "s", "cwd": cwd, "hook_event_name": "PreToolUse",
                       "tool_name": "Bash", "tool_input": {"command": command}})


def run(args, text=None):
    env = dict(os.environ, HOME="/home/u")
    return subprocess.run(args, input=text, text=True, capture_output=True, timeout=20, env=env, check=False)


def hook_flags(args, command):
    with tempfile.TemporaryDirectory() as cwd:  # some refuse all where the folder is missing
        p = run(args, claude_event(command, cwd))
    return p.returncode == 2 or '"deny"' in p.stdout or '"ask"' in p.stdout


PEERS = {  # program -> whether it flags a command
    "cc-safety-net": lambda c: hook_flags(["cc-safety-net", "hook", "--claude-code"], c),
    "dcg": lambda c: hook_flags(["dcg"], c),
    "tirith": lambda c: run(["tirith", "check", "--json", "--", c]).returncode != 0,
    "shellfirm": lambda c: '"matches":[]' not in run(["shellfirm", "pre-command", "--test", "--command", c]).stdout,
}


def print_peers(rows):
    step = max(1, len(rows) // SAMPLE)
    for name, flags in PEERS.items():
        if not shutil.which(name):
            print(f"\n{name}: not found on this machine, skipped")
            continue
        sample, begun = [], time.monotonic()
        for r in rows[::step]:
            peer = Row("deny" if r.bad else "allow", r.cls, "")
            try:
                peer.decision = "deny" if flags(r.command) else "allow"
            except (OSError, subprocess.SubprocessError):
                peer.decision = "allow"
            sample.append(peer)
        took = (time.monotonic() - begun) / len(sample) * 1000
        groups = {k: v for k, v in classes(sample).items() if not k[1]}
        print_classes(groups, f"{name}, every {step}. row, {took:.0f} ms each")
    mine = {k: v for k, v in classes(rows[::step]).items() if not k[1]}
    print_classes(mine, "policyd on the same rows")


# --- times ------------------------------------------------------------------------------------

def load(bindir, *args, stdin=None, env=None):
    tool = os.path.join(bindir, "..", "tests", "tools", "polload")
    out = subprocess.run([tool, *args], stdin=stdin, env=env, capture_output=True, text=True, check=True,
                         timeout=180).stdout
    return json.loads(out.strip().splitlines()[-1])


def ten_thousand(folder):
    path = os.path.join(folder, "rules.yaml")
    with open(path, "w", encoding="utf-8") as f:
        f.write("version: 1\nrules:\n")
        for i in range(9900):
            f.write(f"  - {{id: r{i}, program: p{i}, decision: deny, reason: no, match: [p{i}]}}\n")
    return path


class Private:
    """A daemon in a folder of its own, with rules or without."""

    def __init__(self, bindir, top, name, *args):
        self.env = dict(os.environ, TXFS_STATE_DIR=f"{top}/{name}/state", HOME=f"{top}/home",
                        TXFS_POLICYD_SOCKET=f"{top}/{name}/s/p.sock")
        self.path = self.env["TXFS_POLICYD_SOCKET"]
        self.proc = subprocess.Popen([os.path.join(bindir, "policyd"), *args], env=self.env)
        for _ in range(1000):
            try:
                s = socket.socket(socket.AF_UNIX)
                s.connect(self.path)
                s.close()
                return
            except OSError:
                time.sleep(0.02)
        sys.exit("policyd does not answer")

    def close(self):
        self.proc.terminate()
        self.proc.wait()


def times(bindir, rows):
    """Lines of (what, latencies)."""
    with tempfile.TemporaryDirectory() as top:
        os.mkdir(f"{top}/home")
        commands = f"{top}/commands"
        with open(commands, "w", encoding="utf-8") as f:
            f.writelines(r.command + "\n" for r in rows if not r.bad and "\n" not in r.command)
        d = Private(bindir, top, "a")
        yield "warm", load(bindir, d.path, "warm", "20000", commands)
        yield "1,000 connections", load(bindir, d.path, "many", "1000", "2000", "5", commands)
        event = f"{top}/event"
        with open(event, "w", encoding="utf-8") as f:
            f.write(claude_event("git status --short"))
        with open(event, encoding="utf-8") as f:
            agentctl = os.path.join(bindir, "agentctl")
            yield "hook", load(bindir, "-", "start", "300", agentctl, "hook", "claude", stdin=f, env=d.env)
        d.close()
        d = Private(bindir, top, "b", "--rules", ten_thousand(top))
        yield "warm, 10,000 rules", load(bindir, d.path, "warm", "20000", commands)
        d.close()


def print_times(bindir, rows):
    missed = []
    print(f"\nlatency in us ({platform.machine()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f})")
    print("                            p50      p90      p99      max    count")
    result = {}
    for what, t in times(bindir, rows):
        result[what] = t
        print(f"  {what:<20} {t['p50']:8.1f} {t['p90']:8.1f} {t['p99']:8.1f} {t['max']:8.1f} {t['count']:8}")
        for q in ("p50", "p99"):
            limit = LIMIT_US.get(f"{what} {q}")
            if limit and t[q] > limit:
                missed.append(f"{what} {q}: {t[q]:.1f} us, at most {limit} wanted")
    return result, missed


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("bindir")
    p.add_argument("paths", nargs="*", default=[TESTS])
    p.add_argument("--json", action="store_true")
    p.add_argument("--verdicts", action="store_true")
    p.add_argument("--expect")
    p.add_argument("--update", action="store_true")
    p.add_argument("--missed", action="store_true", help="show each row that comes out wrong")
    a = p.parse_args()
    rows = judge(a.bindir, a.paths)
    if not rows:
        sys.exit("no rows")
    count = classes(rows)
    if a.update:
        write_expected(a.expect, count)
    bad = list(limits(rows))
    if a.expect:
        bad += regressions(count, read_expected(a.expect))
    if a.missed:
        for r in rows:
            if r.wrong:
                print(f"{'missed' if r.bad else 'flagged'}\t{r.cls}\t{r.command!r}\t{r.decision}\t{r.reason}")
    result, slow = {}, []
    if a.json:
        result = {"classes": {f"{g}/{c or 'ALL'}": v for (g, c), v in count.items()},
                  "curve": list(curve(rows)), "missed": bad}
        if not a.verdicts:
            result["latency_us"] = dict(times(a.bindir, rows))
        print(json.dumps(result))
    else:
        print_classes(count, f"policyd on {len(rows)} labelled commands")
        print_drivers(rows)
        print_curve(rows)
        if not a.verdicts:
            print_peers(rows)
            result, slow = print_times(a.bindir, rows)
        for text in bad + slow:
            print(f"MISSED  {text}")
    return 1 if bad or slow else 0


if __name__ == "__main__":
    sys.exit(main())
