#!/usr/bin/env python3
"""Compare the reader of commands with bash.

usage: differential.py POLICYD parse|exec COUNT FILE...

parse: the commands of labelled FILEs, and the same ones cut or with a letter missing: what
bash -n accepts the reader parses, and what it rejects the reader does not allow.
exec: scripts made of COUNT random pieces are run by bash where only a stub can be started,
which notes its words; each such start must be among those that the reader predicts, word
for word where it says what a word is. Prints the differences; exit 1 if there are any.
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import score

HOLE = re.compile(r"<number>|<path>|<unknown>|<downloaded>|<computed>|<file content>|\*")
# read by bash -n, refused when it would run: a bad substitution, or one in a here-document
BAD = re.compile(r"\$\{([^\w@*#?$!-]|[-@*?$]\w)|<<[^<][\s\S]*(\$\(|`)")
INNER = ("sh", "bash", "dash", "zsh", "eval", "watch", "ssh")  # their text is parsed, too


def texts_of(files, count):
    rng, texts = random.Random(7), []
    for path in files:
        for i, (_, _, command) in enumerate(score.rows_of(path)):
            text = score.unescape(command)
            if i % 3 == 1:
                text = text[: rng.randrange(1, len(text) + 1)]
            elif i % 3 == 2:
                at = rng.randrange(len(text))
                text = text[:at] + text[at + 1 :]
            if text.strip() and "\0" not in text:
                texts.append(text)
    rng.shuffle(texts)
    return texts[:count]


def compare_parse(daemon, count, files):
    bad = 0
    for text in texts_of(files, count):
        bash = subprocess.run(["bash", "-n", "-c", text], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)
        answer = daemon.check(text)
        parses = "does not parse" not in answer.get("reason", "")
        if bash.returncode == 0 and not bash.stderr and not parses:
            if not any(re.search(r"\b%s\b" % w, text) for w in INNER) and not BAD.search(text):
                print("only bash accepts %r" % text)
                bad += 1
        elif bash.returncode and parses and answer["decision"] in ("allow", "tx"):
            if not re.search(r"(^|[;&|] *)in\b", text):
                print("only the reader accepts %r: %s" % (text, bash.stderr.strip()))
                bad += 1
    return bad


STUB = """#!/bin/bash
{ printf '%s\\0' "${0##*/}" "$@"; printf '\\n\\0'; } >> "$LOG"
"""
WORDS = ["a", "b c", "x*y", "'q r'", '"$v"', "$v", "${v}", "${u:-d e}", '"${u:-d e}"', "{1,2}",
         "p{a,b}s", "$'t\\x41'", '"$@"', "$*", "${v%c}", "${v#b}", "${v/c/z}", "${#v}", "\\$v",
         "${v:1:2}", '"${r[@]}"', "${r[1]}", "$(echo k l)", '"$(echo k l)"', "`echo m`",
         "$((1+2))", "${v^^}", "~/h", "''", "${n:+yes}", "$v$v", "a\"b 'c\"d", "{1..3}",
         "${w:=assigned}", "$(printf '%s-' 1 2)", "-x", "--o=$v", "${!z}", "x$u", "${r[*]}"]


def simple(rng):
    return " ".join(["p"] + [rng.choice(WORDS) for _ in range(rng.randrange(1, 4))])


def piece(rng, depth=0):
    kind = rng.randrange(16 if not depth else 14 if depth < 2 else 4)
    inner = lambda: piece(rng, depth + 1)
    return {
        4: lambda: "for i in %s; do p \"$i\"; %s; done" % (rng.choice(WORDS), inner()),
        5: lambda: "if true; then %s; else %s; fi" % (inner(), inner()),
        6: lambda: "{ %s; }" % inner(),
        7: lambda: "( v='in sub'; %s )" % inner(),
        8: lambda: "f() { p \"$1\" $2; }; f %s %s" % (rng.choice(WORDS), rng.choice(WORDS)),
        9: lambda: "case %s in b*) %s;; *) %s;; esac" % (rng.choice(WORDS), inner(), inner()),
        10: lambda: "eval 'p %s'" % rng.choice(["$v", "a b", '"$v"', "x; p y"]),
        11: lambda: "v=%s; %s" % (rng.choice(WORDS), simple(rng)),
        12: lambda: "set -- one 'two three'; %s" % simple(rng),
        13: lambda: "r+=(%s); %s" % (rng.choice(WORDS), simple(rng)),
        14: lambda: "while read -r l; do p \"$l\"; done <<E\nfirst $v\nE\n",
        15: lambda: "%s && %s || %s" % (simple(rng), inner(), inner()),
    }.get(kind, lambda: simple(rng))()


def fits(predicted, actual):
    if len(predicted) == len(actual):
        return all(re.fullmatch("".join(".*" if HOLE.fullmatch(part) else re.escape(part)
                                        for part in re.split("(%s)" % HOLE.pattern, want)),
                                got, re.S)
                   for want, got in zip(predicted, actual))
    # an unquoted hole may stand for several words, or for none
    return any(HOLE.search(w) for w in predicted)


def compare_exec(daemon, policyd, count):
    rng, bad, exact = random.Random(11), 0, 0
    with tempfile.TemporaryDirectory() as top:
        bindir, log = os.path.join(top, "bin"), os.path.join(top, "log")
        os.mkdir(bindir)
        with open(os.path.join(bindir, "p"), "w", encoding="utf-8") as f:
            f.write(STUB)
        os.chmod(os.path.join(bindir, "p"), 0o755)
        for _ in range(count):
            script = "v='b c' z=v n=1 r=(e 'f g')\n" + "\n".join(
                piece(rng) for _ in range(rng.randrange(1, 4)))
            open(log, "w", encoding="utf-8").close()
            subprocess.run(["/bin/bash", "-c", script], cwd=top, stdin=subprocess.DEVNULL,
                           capture_output=True, timeout=20,
                           env={"PATH": bindir, "LOG": log, "HOME": "/home/u"})
            with open(log, encoding="utf-8") as f:
                starts = [s.split("\0")[:-1] for s in f.read().split("\n\0")[:-1]]
            out = subprocess.run([policyd, "explain", script, "--workspace", "/workspace",
                                  "--json"], capture_output=True, text=True,
                                 env={"PATH": bindir, "HOME": "/home/u"}).stdout
            answer = json.loads(out)
            if answer["rule"] == "undecided":
                continue
            for start in starts:
                if start in answer["commands"]:
                    exact += 1
                elif not any(fits(c, start) for c in answer["commands"]):
                    print("bash starts %r, which is not predicted, in\n%s" % (start, script))
                    bad += 1
    print("%d starts predicted word for word" % exact)
    return bad


def main(argv):
    if len(argv) < 4 or argv[2] not in ("parse", "exec"):
        print(__doc__, file=sys.stderr)
        return 2
    daemon = score.Daemon(argv[1])
    bad = (compare_parse(daemon, int(argv[3]), argv[4:]) if argv[2] == "parse"
           else compare_exec(daemon, argv[1], int(argv[3])))
    daemon.close()
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
