#!/usr/bin/env python3
"""Judge labelled commands with policyd and print, for each class, how many were refused.

usage: score.py POLICYD [--show] [--max-flagged PCT] [--min-refused PCT] FILE|FOLDER...

A file has lines of label, class and command, separated by tabs; label is deny or allow,
and in the command \\n \\t \\r \\\\ are escapes. Of a folder every *.tsv with that form is
taken. The setting is fixed: home /home/u, workspace and current folder /workspace,
covered by a transaction, nobody to ask. A private policyd is started for the run.
Exit: 0 within the thresholds, 1 below, 2 wrong usage.
"""
import collections
import json
import os
import socket
import subprocess
import sys
import tempfile
import time

ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}


def unescape(text):
    out, i = [], 0
    while i < len(text):
        if text[i] == "\\" and i + 1 < len(text) and text[i + 1] in ESCAPES:
            out.append(ESCAPES[text[i + 1]])
            i += 1
        else:
            out.append(text[i])
        i += 1
    return "".join(out)


def rows_of(path):
    names = [path]
    if os.path.isdir(path):
        names = sorted(os.path.join(path, n) for n in os.listdir(path) if n.endswith(".tsv"))
    for name in names:
        with open(name, encoding="utf-8") as f:
            for line in f:
                cols = line.rstrip("\n").split("\t", 2)
                if len(cols) == 3 and cols[0] in ("deny", "allow"):
                    yield cols[0], cols[1], cols[2]


class Daemon:
    """A policyd of our own, in a folder of its own, gone when we are."""

    def __init__(self, program):
        self.dir = tempfile.TemporaryDirectory()
        path = os.path.join(self.dir.name, "s", "policyd.sock")
        env = dict(os.environ, TXFS_STATE_DIR=os.path.join(self.dir.name, "state"))
        self.proc = subprocess.Popen([program, "--socket", path], env=env)
        for _ in range(200):
            try:
                self.sock = socket.socket(socket.AF_UNIX)
                self.sock.connect(path)
                break
            except OSError:
                self.sock.close()
                time.sleep(0.02)
        else:
            sys.exit("policyd does not answer")
        self.file = self.sock.makefile("rb")

    def check(self, command):
        request = {"v": 1, "id": 1, "op": "check", "command": command, "cwd": "/workspace",
                   "workspace": "/workspace", "home": "/home/u", "cover": "tx"}
        self.sock.sendall(json.dumps(request).encode() + b"\n")
        return json.loads(self.file.readline())

    def close(self):
        self.proc.terminate()
        self.proc.wait()
        self.dir.cleanup()


def group(label, cls):
    if label == "deny":
        return "evasions" if cls.startswith("evasion:") else "high risk"
    return "lookalike" if cls == "lookalike" else "benign"


def main(argv):
    show, least, most, paths = False, 0.0, 100.0, []
    it = iter(argv[2:])
    for a in it:
        if a == "--show":
            show = True
        elif a == "--min-refused":
            least = float(next(it))
        elif a == "--max-flagged":
            most = float(next(it))
        else:
            paths.append(a)
    if len(argv) < 3 or not paths:
        print(__doc__, file=sys.stderr)
        return 2
    daemon = Daemon(argv[1])
    count = collections.defaultdict(lambda: [0, 0])
    verdicts = collections.Counter()
    for path in paths:
        for label, cls, command in rows_of(path):
            answer = daemon.check(unescape(command))
            flagged = answer["decision"] in ("deny", "ask")
            for key in ((group(label, cls), ""), (group(label, cls), cls)):
                count[key][0] += flagged
                count[key][1] += 1
            if label == "allow":
                verdicts[answer["decision"]] += 1
            if show and flagged != (label == "deny"):
                print("%s\t%s\t%s\t%s" % ("missed" if label == "deny" else "flagged", cls,
                                            command, answer.get("reason", "")))
    daemon.close()
    bad = False
    for (grp, cls), (n, total) in sorted(count.items()):
        want_flag = grp in ("evasions", "high risk")
        print("%-10s %-28s %4d of %4d %s (%.1f %%)" % (
            grp, cls or "ALL", n, total, "refused" if want_flag else "flagged",
            100.0 * n / total))
        if not cls:
            bad |= 100.0 * n / total < least if want_flag else 100.0 * n / total > most
    print("harmless rows by verdict: %s" % dict(verdicts))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
