"""Conversations to learn from: a request in somebody's words, the calls that do it, what came of each.

A conversation is a list of (role, text): "frame" and "text" are what the model reads, "call" what it
has to write. Wordings are drawn from wordings.py, names and texts from names.py.
"""

import json
import random
import re

import names
import tokenizer
import wordings

# --- wordings ---------------------------------------------------------------------------


def parse(s, at=0, depth=0):
    """A wording as a list of parts: a string, ("or", parts..), ("slot", name), ("verb", class)."""
    alternatives, parts, literal = [], [], ""
    while at < len(s):
        c = s[at]
        if c == "(" and not (depth == 0 and s[at:at + 2] == "()"):
            if literal:
                parts.append(literal)
                literal = ""
            node, at = parse(s, at + 1, depth + 1)
            parts.append(node)
            continue
        if depth and c in "|)":
            if literal:
                parts.append(literal)
                literal = ""
            alternatives.append(parts)
            parts = []
            at += 1
            if c == ")":
                return ("or", alternatives), at
            continue
        if c in "{[":
            end = s.index("}" if c == "{" else "]", at)
            if literal:
                parts.append(literal)
                literal = ""
            parts.append(("slot" if c == "{" else "verb", s[at + 1:end]))
            at = end + 1
            continue
        literal += c
        at += 1
    if literal:
        parts.append(literal)
    return parts, at


VERBS = {name: [[f.replace("_", " ") for f in v.strip().split(" ")] for v in text.split(";")]
         for name, text in wordings.VERBS.items()}


def verb(r, name, form):
    return r.choice(VERBS[name])[form]


def expand(r, parts, slots, form):
    out = ""
    for i, p in enumerate(parts):
        if isinstance(p, str):
            out += p
        elif p[0] == "or":
            out += expand(r, r.choice(p[1]), slots, form if i == 0 else 0)
        elif p[0] == "verb":
            before = out[-12:].lower()
            passive = re.search(r"\b(be|being|get|gets) (never )?$", before) is not None
            ing = re.search(r"\b(by|from|of|mind) $", before) is not None
            out += verb(r, p[1], 2 if passive else 1 if ing else form if i == 0 else 0)
        else:
            out += slots(p[1])
    return out


class Wordings:
    """The wordings of each kind, parsed; a share is held out for measuring."""

    def __init__(self):
        self.known, self.held = {}, {}
        blocks = dict(wordings.KIND, unclear=wordings.UNCLEAR)
        for kind, block in blocks.items():
            all_of = [parse(s)[0] for s in wordings.lines(block)]
            r = random.Random(kind)
            keep = [x for x in all_of if kind == "unclear" or r.random() >= wordings.HELD_OUT] or all_of
            self.known[kind] = keep
            self.held[kind] = [x for x in all_of if x not in keep]


# --- slots ------------------------------------------------------------------------------

QUOTES = ((r'"', r'"'), ("'", "'"), ("`", "`"), ("“", "”"))


def quoted(r, s, bare):
    """@s in quotes that it does not hold; bare: how often it goes without."""
    if r.random() < bare:
        return s
    for _ in range(6):
        a, b = r.choices(QUOTES, (52, 32, 11, 5))[0]
        if a not in s and b not in s:
            return a + s + b
    return f'"{s}"' if '"' not in s else f"'{s}'"


def file_words(r, name):
    k = r.random()
    if k < 0.66:
        return name
    if k < 0.84:
        return r.choice(("the file ", "file ", "my file ", "the file named ", "the file called ", "the existing file ")) + name
    if k < 0.96:
        return r.choice(("the ", "the ", "our ", "my ")) + name + r.choice((" file", " file", ""))
    return name + " file"


def folder_words(r, name, already):
    k = r.random()
    if already or k < 0.62:
        return name
    if k < 0.80:
        return r.choice(("the folder ", "the directory ", "folder ", "directory ", "the dir ", "the folder called ")) + name
    return r.choice(("the ", "the ", "my ")) + name + r.choice((" folder", " directory", " folder", " dir"))


class Slots:
    """What a wording talks about: made when it is first asked for, the same from then on."""

    def __init__(self, r, kind, it=None, inside=None):
        self.r, self.kind = r, kind
        self.it, self.said_it = it, False  # the file that "it" means, and whether it was said
        self.inside = inside  # a folder named before, where all of it happens
        self.v, self.where = {}, None
        self.last = ""

    def whole(self, name):
        return self.inside + "/" + name if self.inside else name

    def value(self, key):
        if key not in self.v:
            self.v[key] = self.make(key)
        return self.v[key]

    def make(self, key):
        r = self.r
        if key == "file":
            if self.it:
                return self.it
            return names.filename(r) if self.inside else names.path(r)
        if key == "thing":
            if self.it:
                return self.it
            k = r.random()
            if self.inside:
                return names.filename(r) if k < 0.8 else names.folder(r)
            return names.path(r) if k < 0.76 else names.folders(r)
        if key == "new" and self.kind in ("rename", "copy", "move") and r.random() < 0.3:
            return names.related(r, self.value("thing").rsplit("/", 1)[-1] if self.kind != "copy" else self.value("thing"))
        if key == "new":
            return names.filename(r) if self.inside or r.random() < 0.8 else names.path(r)
        if key in ("folder", "made"):
            return names.folder(r) if self.inside else names.folders(r)
        if key == "text":
            return names.text(r)
        if key == "plain":
            return names.plain(r)
        if key == "test":
            return names.test(r)
        if key == "pair":
            return names.pair(r)
        raise KeyError(key)

    def named(self, key, words):
        """A file or thing in words; sometimes as "NAME in the folder DIR"."""
        r = self.r
        if key in self.v and self.last == key and r.random() < 0.5:
            return "it"
        first = key not in self.v
        name = self.value(key)
        if self.it == name and first:
            self.said_it = True
            return r.choice(("it", "it", "it", "that file", "the file", "this file", "the new file")
                            if key == "file" else ("it", "it", "it", "that"))
        if first and self.compose(key) and "/" not in name and r.random() < 0.10:
            d = names.folders(r)
            self.where = d
            self.v[key] = d + "/" + name
            shown = quoted(r, name, 0.8)
            if r.random() < 0.4:
                shown = "the file " + shown
            prep = r.choice(("in", "in", "inside", "from", "under") if self.kind in ("delete", "move", "copy")
                            else ("in", "in", "in", "inside", "under"))
            return shown + f" {prep} " + folder_words(r, quoted(r, d + r.choice(("", "", "/")), 0.85), False)
        name = self.v[key]
        shown = quoted(r, name, 0.72)
        return words(r, shown)

    def compose(self, key):
        return not self.inside and not self.it and self.kind in (
            "delete", "show", "show_first", "show_last", "append", "prepend", "count_lines", "count_words", "move",
            "rename", "create", "create_empty", "copy")

    def __call__(self, s):
        out = self.slot(s)
        return out

    def slot(self, s):
        r = self.r
        if s == "F":
            return self.named("file", file_words)
        if s == "X":
            folder = self.it is None and "." not in self.value("thing")
            return self.named("thing", (lambda r, n: folder_words(r, n, False)) if folder else file_words)
        if s == "N":
            return self.named("new", lambda r, n: n)
        if s == "D":
            d = self.value("folder")
            return folder_words(r, quoted(r, d + ("/" if r.random() < 0.22 else ""), 0.82), True)
        if s == "M":
            return quoted(r, self.value("made") + ("/" if r.random() < 0.15 else ""), 0.75)
        if s in "fx":
            return self.value("file" if s == "f" else "thing")
        if s == "n":
            return self.value("new")
        if s == "d":
            return self.value("folder") + ("/" if r.random() < 0.3 else "")
        if s == "T":
            return self.text()
        if s == "U":
            return self.v.setdefault("text", names.plain(r))
        if s in "OWow":
            if "pair" not in self.v:
                self.bare_pair = s in "ow" or r.random() < 0.5
                p = self.value("pair")
                if self.bare_pair and any(not re.fullmatch(r"[\w.:=/-]+", t) for t in p):
                    self.v["pair"] = (names.word(r), names.word(r)) if r.random() < 0.6 else (names.number(r), names.number(r))
                    if self.v["pair"][0] == self.v["pair"][1]:
                        self.v["pair"] = ("old" + self.v["pair"][0], self.v["pair"][1])
            t = self.v["pair"][s in "Ww"]
            return t if self.bare_pair or s in "ow" else quoted(r, t, 0)
        if s == "C":
            return quoted(r, self.value("test"), 0.6) if self.v.get("test") else self.command()
        if s == "c":
            return self.value("test")
        raise KeyError(s)

    def command(self):
        c, r = self.value("test"), self.r
        k = r.random()
        return c if k < 0.55 else f"`{c}`" if k < 0.8 else f'"{c}"' if k < 0.9 else f"'{c}'"

    def text(self):
        r = self.r
        if "text" in self.v:
            return quoted(r, self.v["text"], 0)
        bare = {"search": 0.5, "search_dir": 0.5, "search_here": 0.5, "append": 0.2, "prepend": 0.15, "drop": 0.25,
                "create": 0.18}.get(self.kind, 0.1)
        if r.random() < bare:
            search = self.kind.startswith("search")
            t = names.word(r) if search and r.random() < 0.8 else names.phrase(r, 3).replace(",", "")
            t = re.sub(r"\b(to|in|the|and|of|it|is|for|a)\b", "x", t)
            self.v["text"] = t
            return t
        self.v["text"] = names.word(r) if self.kind.startswith("search") and r.random() < 0.45 else names.text(r)
        return quoted(r, self.v["text"], 0)


# --- clauses: one wish and its calls ----------------------------------------------------

WEIGHTS = {"create": 12, "create_empty": 5, "append": 8, "prepend": 5, "replace": 11, "drop": 6, "rename": 9, "move": 8,
           "copy": 8, "delete": 10, "mkdir": 6, "count_lines": 3, "count_words": 2.5, "count_chars": 2, "count_files": 2.5,
           "search": 6, "search_dir": 2.5, "search_here": 2, "list": 4, "list_here": 2.5, "show": 6, "show_first": 3,
           "show_last": 3, "test": 5, "fix": 8}


class Clause:
    def __init__(self, r, kind, w, form=0, it=None, held=False):
        self.r, self.kind = r, kind
        self.it_after = None  # the file that "it" means afterwards
        inside = None
        if not it and kind in ("create", "create_empty", "delete", "append", "show", "replace", "count_lines", "rename",
                               "mkdir") and r.random() < 0.03:
            inside = names.folders(r)
        wordings_of = (w.held if held else w.known)[kind] or w.known[kind]
        for attempt in range(60):
            it = it if attempt < 12 else None
            s = Slots(r, kind, it, inside)
            parts = r.choice(wordings_of)
            starts = not isinstance(parts[0], str) and parts[0][0] == "verb"
            text = expand(r, parts, s, form if starts else 0)
            if it and not s.said_it:
                continue
            try:
                if self.calls(s):
                    break
            except KeyError:
                pass  # a wording without the name that it needs
        self.starts, self.slots = starts, s
        if inside:
            where = folder_words(r, quoted(r, inside + r.choice(("", "", "/")), 0.85), False)
            text = f"in {where}{r.choice((',', ',', ''))} {text}"
            self.starts = False
        self.text = text

    def calls(self, s):
        """The steps that the wording asks for; False: it makes no sense."""
        k, v = self.kind, s.v
        whole = s.whole
        if k in ("create", "create_empty"):
            name = whole(v.get("new") or v.get("file"))
            self.steps = [("create", dict(path=name, text=v["text"] if k == "create" else ""))]
            self.it_after = name
        elif k in ("append", "prepend", "drop"):
            name = whole(v["file"])
            self.steps = [(k, dict(path=name, text=v["text"]))]
            self.it_after = name
        elif k == "replace":
            name = whole(v["file"])
            self.steps = [("replace", dict(path=name, old=v["pair"][0], new=v["pair"][1]))]
            self.it_after = name
        elif k == "rename":
            a, b = whole(v["thing"]), v["new"]
            if "/" not in b and "/" in a:
                b = a.rsplit("/", 1)[0] + "/" + b
            elif s.inside:
                b = whole(b)
            self.steps = [("move", {"from": a, "to": b})]
            self.it_after = b
            if a == b:
                return False
        elif k in ("move", "copy"):
            a = v["thing"]
            b = v.get("folder") or v.get("new")
            if "folder" in v and ("." not in a or "/" not in a) and a == b:
                return False
            if k == "copy" and "new" in v and "/" in a and "/" not in b:
                return False
            if a == b or b.startswith(a + "/"):
                return False
            self.steps = [(k, {"from": a, "to": b})]
            if "new" in v and k == "move":
                self.it_after = b
        elif k == "delete":
            self.steps = [("delete", dict(path=whole(v["thing"])))]
        elif k == "mkdir":
            self.steps = [("mkdir", dict(path=whole(v["made"])))]
        elif k.startswith("count"):
            what = {"count_lines": "lines", "count_words": "words", "count_chars": "characters", "count_files": "files"}[k]
            name = v["folder"] if k == "count_files" else whole(v["file"])
            self.steps = [("count", dict(path=name, what=what))]
            self.it_after = name if k != "count_files" else None
        elif k == "search":
            self.steps = [("search", dict(text=v["text"], path=v["file"]))]
            self.it_after = v["file"]
        elif k == "search_dir":
            self.steps = [("search", dict(text=v["text"], path=v["folder"]))]
        elif k == "search_here":
            self.steps = [("search", dict(text=v["text"], path="."))]
        elif k == "list":
            self.steps = [("list", dict(path=v["folder"]))]
        elif k == "list_here":
            self.steps = [("list", dict(path="."))]
        elif k.startswith("show"):
            part = {"show": "all", "show_first": "first", "show_last": "last"}[k]
            self.steps = [("show", dict(path=whole(v["file"]), part=part))]
            self.it_after = whole(v["file"])
        elif k == "test":
            self.steps = [("test", dict(command=v["test"]))]
        elif k == "fix":
            self.steps = [("test", dict(command=v["test"])), ("fix", dict(path=v["file"]))]
        return True


# --- what comes of a call ---------------------------------------------------------------

FAILURES = {
    "create": ("bash: {p}: Is a directory", "bash: {p}: Permission denied", "mkdir: cannot create directory ‘{p}’: Not a directory"),
    "append": ("bash: {p}: Is a directory", "{p}: no such file", "bash: {p}: Permission denied"),
    "prepend": ("{p}: no such file", "sed: can't read {p}: No such file or directory"),
    "replace": ("{p}: no such text", "grep: {p}: No such file or directory", "{p}: no such file"),
    "drop": ("{p}: no such line", "grep: {p}: No such file or directory", "{p}: no such file"),
    "move": ("mv: cannot stat '{p}': No such file or directory", "{q}: exists already", "{p}: no such file"),
    "copy": ("cp: cannot stat '{p}': No such file or directory", "{q}: exists already", "{p}: no such file"),
    "delete": ("rm: cannot remove '{p}': No such file or directory", "{p}: no such file"),
    "mkdir": ("mkdir: cannot create directory ‘{p}’: File exists", "mkdir: cannot create directory ‘{p}’: Not a directory"),
    "count": ("{p}: no such file", "bash: {p}: No such file or directory", "wc: {p}: Is a directory"),
    "search": ("", "grep: {p}: No such file or directory"),
    "list": ("ls: cannot access '{p}': No such file or directory",),
    "show": ("cat: {p}: No such file or directory", "cat: {p}: Is a directory", "head: cannot open '{p}' for reading: No such file or directory"),
    "test": ("bash: {c}: command not found", "AssertionError", "1 test failed", "FAILED", "Error: {w} {w}", "make: *** No rule to make target '{w}'.  Stop.",
             "python3: can't open file '/work/{w}.py': [Errno 2] No such file or directory", "Traceback (most recent call last):\n  File \"{w}.py\", line {n}, in <module>\n    assert {w} == {n}\nAssertionError")}
REFUSALS = ("the policy refuses it", "refused by rule delete-outside", "it would change the system", "rm deletes '{p}' outside the workspace",
            "it runs something that is not known", "that is not allowed here", "this would leave the workspace", "denied: {w}")
PASSES = ("ok", "OK", "1 passed", "all tests passed", "PASS", "passed", "{n} passed in 0.0{n}s", "Ran {n} tests in 0.00{n}s\n\nOK", "", "all good",
          "tests passed: {n}", "{w}: ok", "success", "done", "✓ {w} {w}", "everything is fine", "{n} tests, 0 failures", "{w} {w} {w}", "exit 0", "good")


def fill(r, s, **more):
    return re.sub(r"\{(\w)\}", lambda m: str(more.get(m.group(1)) or {"w": names.word, "n": names.number}.get(m.group(1), names.word)(r)), s)


def failure(r, call, args):
    p = args.get("path") or args.get("from") or ""
    s = r.choice(FAILURES[call])
    return f"failed {r.choice((1, 1, 1, 2, 127, 3) if call == 'test' else (1, 1, 1, 2))}\n" + fill(
        r, s, p=p, q=args.get("to"), c=args.get("command", "").split(" ")[0])


def success(r, call, args):
    if call == "count":
        return "ok\n" + str(r.choice((r.randint(0, 12), r.randint(0, 300), r.randint(100, 99999))))
    if call == "search":
        rows = []
        for _ in range(min(1 + int(r.expovariate(0.8)), 6)):
            line = " ".join((names.phrase(r, 3), args["text"], names.phrase(r, 2))) if r.random() < 0.6 else args["text"]
            rows.append((f"{names.path(r)}:" if args["path"] == "." or r.random() < 0.4 else "") + f"{r.randint(1, 90)}:{line}")
        return "ok\n" + "\n".join(rows)
    if call == "list":
        return "ok\n" + "\n".join(sorted(names.filename(r) for _ in range(min(int(r.expovariate(0.3)), 10))))
    if call == "show":
        n = 1 if args["part"] != "all" else min(int(r.expovariate(0.35)), 8)
        return "ok\n" + "\n".join(names.text(r) for _ in range(n))
    if call == "test":
        return "ok\n" + fill(r, r.choice(PASSES))
    return "ok\n" if r.random() < 0.1 else "ok"


def cut(observation):
    rows = observation.rstrip("\n").split("\n")[:21]
    return "\n".join(c.encode()[:160].decode("utf-8", "ignore") for c in rows)


# --- a test that fails because of one value ---------------------------------------------

BOTH = ("AssertionError: expected {e}, got {a}", "AssertionError: expected {e}, found {a}", "assert {a} == {e}", "AssertionError: {a} != {e}",
        "expected {e} but got {a}", "expected: {e}\ngot: {a}", "Expected: {e}\nActual: {a}", "got {a}, want {e}", "want {e}, have {a}", "{k}: got {a}, want {e}",
        "FAIL: {k} is {a}, expected {e}", "FAIL: {k} should be {e}, is {a}", "{k} is {a} but should be {e}", "{k} must be {e}, not {a}", "-{e}\n+{a}",
        "E       assert {a} == {e}", "error: {k}={a}, expected {k}={e}", "expected {k} to be {e}, got {a}", "AssertionError: {k} is {a}, expected {e}",
        "{k}: expected {e}, found {a}", "AssertionError: expected {k} {e} but found {a}", "{k} mismatch: expected {e}, actual {a}", "Error: {k} should equal {e} but equals {a}",
        "AssertionError: {k} expected {e} found {a}", "not ok 1 - {k}\n  found: {a}\n  wanted: {e}", "  Expected {e}\n  Received {a}", "expected={e} found={a}", "FAILED: expected {e}, found {a}",
        "{k} = {a}, but it should be {e}", "wrong {k}: {a} (expected {e})", "{k}: {a} != {e}", "bad {k}: found {a}, expected {e}", "test failed: expected {k} to equal {e}, but it was {a}",
        "AssertionError: expected {k}={e}, found {k}={a}", "expected {k}={e}, found {k}={a}", "FAIL expected {e} found {a}", "AssertionError: '{a}' != '{e}'", "expected '{e}', got '{a}'",
        'expected "{e}" but found "{a}"', "AssertionError: Expected '{e}' but found '{a}'", "AssertionError: found {a}, expected {e}", "found {a}, expected {e}", "{k} was {a}, expected {e}")
SAYS = ("", "", "", "", "FAIL: ", "FAILED: ", "Error: ", "AssertionError: ", "AssertionError: ", "error: ", "not ok: ", "Test failed: ", "{k}: ", "FAIL {k}: ", "assertion failed: ",
        "test failed: ", "{w}: ", "FAIL - ", "check failed: ", "[FAIL] ", "✗ ", "FAIL: {k}: ", "AssertionError: {k}: ", "mismatch: ", "AssertionError: {k} ", "{k} ", "ERROR {k}: ")
WANTED = ("expected {e}", "expected {k} {e}", "expected {k} to be {e}", "expected {k}={e}", "want {e}", "wanted {e}", "should be {e}", "must be {e}", "expected: {e}", "expected '{e}'",
          'expected "{e}"', "expected {k} == {e}", "expected value {e}", "expecting {e}", "expect {e}", "expected {k} = {e}", "expected {k}: {e}", "expected a {k} of {e}", "required {e}")
FOUND = ("got {a}", "found {a}", "but got {a}", "but found {a}", "but was {a}", "was {a}", "but it was {a}", "actual {a}", "have {a}", "is {a}", "but it is {a}", "received {a}", "saw {a}",
         "found {k} {a}", "found {k}={a}", "found: {a}", "got: {a}", "got '{a}'", "found '{a}'", 'found "{a}"', "not {a}", "got {k} = {a}", "but had {a}", "but read {a}", "actual: {a}", "config has {a}",
         "file says {a}", "found value {a}", "but {k} is {a}", "found {k}: {a}", "instead of {a}", "current value {a}")


def complaint(r):
    """A line that says what was expected and what was found, in either order."""
    if r.random() < 0.35:
        return r.choice(BOTH)
    a, b = r.choice(WANTED), r.choice(FOUND)
    if r.random() < 0.25 and not b.startswith(("but", "not", "instead")):
        a, b = b, a
    return r.choice(SAYS) + a + r.choice((", ", ", ", " ", "; ", " / ", " (", "\n  ", ", ")) .replace(" (", ", ") + b + r.choice(("", "", "", "", "!", "."))


def traceback(r, key, good, message):
    """What Python prints, with the line of the source and the marks below it."""
    v = r.choice(("value", key, "found", "actual", "got", "limit", "x", f'config["{key}"]', f"cfg.{key}", f"settings['{key}']"))
    source = r.choice((f"assert {v} == {good}", f"assert {v} == {good}, f\"expected {good}, found {{{v}}}\"", f"assert {v} == EXPECTED, f'expected {{EXPECTED}}, found {{{v}}}'",
                       f"self.assertEqual({v}, {good})", f"raise AssertionError(f\"expected {good}, found {{{v}}}\")", f"assert int({v}) == {good}, message", "main()"))
    rows = ["Traceback (most recent call last):", f'  File "{r.choice(("/work/", "/tmp/", "/home/me/", ""))}{names.path(r)}", line {r.randint(1, 60)}, in {r.choice(("<module>", "test_" + key, "main", "check"))}',
            "    " + source]
    if r.random() < 0.6:
        rows.append("    " + r.choice(("       ", "")) + "^" * r.randint(4, 30))
    return "\n".join(rows) + "\n" + r.choice(("AssertionError: ", "AssertionError: ", "AssertionError: " + key + ": ")) + message


ONE = ("AssertionError: {k} must be {e}", "{k} should be {e}", "expected {k} to be {e}", "FAIL: {k} has to be {e}", "expected {k} = {e}", "the right {k} is {e}", "wrong {k}, want {e}",
       "AssertionError: {k} is not {e}")
TRACE = ('Traceback (most recent call last):\n  File "{f}", line {n}, in <module>\n    ', "FAIL: test_{k}\n", "running {w}\n", "F\n", "{w} ... FAIL\n", "not ok {n}\n",
         'Traceback (most recent call last):\n  File "/work/{f}", line {n}, in <module>\n    assert {k} == {w}, message\n', "checking {k}\n", "======\nFAIL: {k}\n------\n")
LINES = ("{k} = {v}", "{k}={v}", "{k}: {v}", '"{k}": {v},', "{k} {v}", "{K}={v}", "{K} = {v}", "  {k}: {v}", "const {k} = {v};", "export {K}={v}", '{k} = "{v}"', "#define {K} {v}", "int {k} = {v};")


def values(r):
    k = r.random()
    make = names.number if k < 0.75 else names.word
    a, e = make(r), make(r)
    return (a, e) if a != e else values(r)


def config_lines(r, key, value):
    style = r.choice(LINES)

    def line(k, v):
        return style.replace("{k}", k).replace("{K}", k.upper()).replace("{v}", v)
    rows = [line(names.word(r), names.number(r) + "7") for _ in range(r.randint(0, 4))]
    rows.insert(r.randint(0, len(rows)), line(key, value))
    if r.random() < 0.2:
        rows.insert(0, "# " + names.phrase(r, 4))
    return rows


def repair(r, turns, command, path):
    """The turns of a failing test and its repair; how it ends."""
    key, (bad, good) = names.word(r), values(r)
    if r.random() < 0.12:
        return say(turns, "test", dict(command=command), success(r, "test", {})) or "done"
    for again in range(2):
        both = r.random() < 0.8
        out = fill(r, r.choice(TRACE), k=key, f=names.path(r)) if r.random() < 0.35 else ""
        message = fill(r, complaint(r) if both else r.choice(ONE), e=good, a=bad, k=key)
        out += traceback(r, key, good, message.removeprefix("AssertionError: ")) if not out and r.random() < 0.4 else message
        if r.random() < 0.2:
            out += fill(r, r.choice(("\n{n} failed", "\nFAILED (failures=1)", "\nmake: *** [Makefile:{n}: test] Error 1", "\n1 failed, {n} passed")))
        say(turns, "test", dict(command=command), "failed " + r.choice("1112") + "\n" + out)
        if not both:
            rows = config_lines(r, key, bad)
            if r.random() < 0.05:
                say(turns, "show", dict(path=path, part="all"), failure(r, "show", dict(path=path)))
                return "stop"
            say(turns, "show", dict(path=path, part="all"), "ok\n" + "\n".join(rows))
        args = dict(path=path, old=bad, new=good)
        if r.random() < 0.06:
            say(turns, "replace", args, failure(r, "replace", args))
            return "stop"
        say(turns, "replace", args, "ok")
        if again or r.random() < 0.85:
            break
        key, (bad, good) = names.word(r), values(r)
    if r.random() < 0.10:
        say(turns, "test", dict(command=command), failure(r, "test", dict(command=command)))
        return "stop"
    say(turns, "test", dict(command=command), success(r, "test", {}))
    return "done"


def say(turns, call, args, observation):
    turns.append((call, args, cut(observation)))


# --- conversations ----------------------------------------------------------------------

ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def typo(r, s, protect):
    """A slip of the keyboard in a word that is no name and no text."""
    spots = [m for m in re.finditer(r"[a-z]{4,}", s) if not any(a <= m.start() < b for a, b in protect)]
    if not spots:
        return s
    m = r.choice(spots)
    w, i = m.group(), r.randrange(1, len(m.group()) - 1)
    k = r.random()
    w = (w[:i] + w[i + 1:] if k < 0.35 else w[:i] + w[i + 1] + w[i] + w[i + 2:] if k < 0.7
         else w[:i] + w[i] + w[i:] if k < 0.85 else w[:i] + r.choice(ALPHABET) + w[i + 1:])
    return s[:m.start()] + w + s[m.end():]


def protected(s, values_of):
    out = []
    for v in values_of:
        for part in {v, *v.split("/")} if v else ():
            if len(part) < 2:
                continue
            at = s.find(part)
            while at >= 0:
                out.append((at, at + len(part)))
                at = s.find(part, at + 1)
    return out


SHELL = re.compile(r"(rm|mv|cp|cat|ls|grep|mkdir|touch|wc|head|tail|sed|echo|del|dir|md|ren|type|less|python3?|make|npm|pytest|sh|bash|cargo|go|node|ruby|rmdir) ")


def capital(s, keep=()):
    """The first letter large, unless a name, a text or a command begins there."""
    if SHELL.match(s) or any(v and s.startswith(v) and not s[len(v):len(v) + 1].isalnum() for v in keep):
        return s
    return s[:1].upper() + s[1:] if s[:1].isalpha() and not re.match(r"[\w.-]*[./_]\w", s) else s


def words_of(slots):
    """All that must stay as it is written."""
    out = []
    for v in [*slots.v.values(), slots.it, slots.where, slots.inside]:
        for x in v if isinstance(v, tuple) else (v,):
            if x:
                out += [x, x.split("/")[0]]
    return out


def is_question(s):
    return re.match(r"(how|what|which|where|is|are|does|do|can|could|would|will|in which|on which|with what|who|when|why|should|did|was)\b", s.lower()) is not None


def polite(r, c):
    """A clause with what people put before it."""
    k = r.random()
    if not c.starts:
        return r.choice(("please ", "hey, ", "ok, ", "so, ", "")) + c.text if k < 0.06 else c.text
    if k < 0.50:
        return c.text
    return r.choice(PREFIXES) + c.text


PREFIXES = [p.lstrip("\n") for p in wordings.PREFIX.split("|") if p.strip()]
GERUNDS = [p for p in wordings.GERUND.split("|") if p.strip()]
BEFORES, AFTERS = wordings.lines(wordings.BEFORE), wordings.lines(wordings.AFTER)


def finish(r, s, bare_end):
    """The sentence's own end; @bare_end: it ends in a text without quotes."""
    k = r.random()
    if is_question(s):
        return s + ("?" if k < 0.72 else "")
    if bare_end:
        return s + ("" if k < 0.85 else ".")
    if k < 0.45:
        return s
    if k < 0.80:
        return s + "."
    return s + r.choice((" please", " please.", ", please", "!", " for me", " for me.", ", thanks", " thanks", ", thanks.", " now", " now.", ", ok?", " right now"))


def single(r, w, held=False):
    kind = r.choices(list(WEIGHTS), WEIGHTS.values())[0]
    if r.random() < 0.03:
        c = Clause(r, kind, w, form=1, held=held)
        if c.starts:
            return r.choice(GERUNDS) + c.text, [c]
    if r.random() < 0.05 and kind in ("append", "prepend", "replace", "drop", "rename", "move", "copy", "delete", "count_lines", "count_words",
                                      "show", "show_first", "show_last", "search"):
        f = names.path(r)
        c = Clause(r, kind, w, it=f, held=held)
        if c.slots.said_it:
            intro = expand(r, r.choice(INTROS), lambda s: quoted(r, f, 0.8), 0)
            mark = r.choice((": ", ", ", " - ", ". ")) if not intro.endswith("?") else " "
            return intro + mark + (capital(c.text, words_of(c.slots)) if mark in (". ", " ") else c.text), [c]
    c = Clause(r, kind, w, held=held)
    return polite(r, c), [c]


INTROS = [parse(s)[0] for s in wordings.lines(wordings.INTRO)]
JOIN = (" and ", " and then ", ", then ", "; ", ". Then ", ". After that, ", ". Next, ", "\n", ", and ", ", and then ", ". And ", ". Also, ", ". Also ",
        " and after that ", ", after that ", ". Afterwards, ", " then ", "; then ", " and also ", ". Finally, ", ". Once that is done, ", ". When done, ",
        ", afterwards ", ", followed by this: ", ". Second, ", " plus ", " && ", ", ")
NO_FIX = tuple(k for k in WEIGHTS if k != "fix")


def chain(r, w, n, held=False):
    """@n wishes in one request."""
    kinds = r.choices(NO_FIX, [WEIGHTS[k] for k in NO_FIX], k=n)
    if r.random() < 0.5:  # what people often do together
        kinds[-1] = r.choice(("show", "rename", "copy", "delete", "append", "move", "count_lines", "replace", "create", "list", "test", "mkdir"))
    form = r.random()
    clauses, text = [], ""
    if n == 2 and form < 0.06:  # the second is named first
        b, a = Clause(r, kinds[1], w, held=held), Clause(r, kinds[0], w, held=held)
        a1 = Clause(r, kinds[0], w, form=1, held=held)
        if b.starts and a1.starts and r.random() < 0.5:
            return f"{b.text} after {a1.text}", [a1, b]
        return f"{r.choice(('before you', 'before you', 'before we'))} {b.text}, {a.text}", [a, b]
    if n == 2 and form < 0.10:
        a, b = Clause(r, kinds[0], w, form=1, held=held), Clause(r, kinds[1], w, held=held)
        if a.starts:
            return f"{r.choice(('after', 'once you are done with', 'after you are done'))} {a.text}, {b.text}", [a, b]
    numbered = form > 0.94
    first = form > 0.84
    for i in range(n):
        it = clauses[-1].it_after if clauses and r.random() < 0.4 else None
        if it and kinds[i] not in ("append", "prepend", "replace", "drop", "rename", "move", "copy", "delete", "count_lines", "count_words",
                                   "search", "show", "show_first", "show_last"):
            it = None
        c = Clause(r, kinds[i], w, it=it, held=held)
        if it and not c.slots.said_it:
            c = Clause(r, kinds[i], w, held=held)
        clauses.append(c)
        if numbered:
            mark = f"{i + 1}. " if form > 0.965 else f"{i + 1}) " if form > 0.955 else "- "
            text += ("" if i == 0 else r.choice((" ", "\n")) if "\n" not in text else "\n") + mark + c.text + (r.choice((".", "")) if form < 0.98 else "")
        elif i == 0:
            text = ("first, " if r.random() < 0.5 else "first ") + c.text if first else polite(r, c)
        else:
            j = r.choice(JOIN)
            if first and i == n - 1 and r.random() < 0.7:
                j = r.choice((", then ", " and then ", ", finally ", ". Then ", "; then ", ", second, ", ". Second, ", ", and finally ", " and finally "))
            t = c.text
            if "\n" in j or (j.endswith(". ") and r.random() < 0.8):
                t = capital(t, words_of(c.slots))
            text += j + t
    return text, clauses


def objects(r, w):
    """One verb, two or three objects."""
    n = 2 if r.random() < 0.75 else 3
    kind = r.choice(("delete", "delete", "delete", "show", "mkdir", "create_empty", "count_lines", "move", "copy", "drop", "search", "list"))
    make = names.path if kind not in ("mkdir", "list") else names.folders
    items = list(dict.fromkeys((make(r) if r.random() < 0.9 or kind == "show" else names.folders(r)) for _ in range(n)))
    if len(items) < 2:
        return objects(r, w)
    shown = [quoted(r, i, 0.8) for i in items]
    both = r.choice(("", "", "", "the files ", "both ", "files ") if kind not in ("mkdir", "list") else ("", "the folders ", "the directories ", "folders "))
    both = both if not (both == "both " and len(items) != 2) else ""
    listed = ", ".join(shown[:-1]) + r.choice((" and ", " and ", ", and " if len(items) > 2 else " and ", " & ", ", ")) + shown[-1]
    d = names.folders(r)
    dd = quoted(r, d + r.choice(("", "", "/")), 0.85)
    x = names.text(r)
    t = quoted(r, x, 0)
    f = names.path(r)
    say_it = {
        "delete": (f"{verb(r, 'delete', 0)} {both}{listed}", f"{listed} {r.choice(('should', 'must', 'can'))} {r.choice(('go', 'be ' + verb(r, 'delete', 2)))}",
                   f"rm {' '.join(items)}"),
        "show": (f"{verb(r, 'show', 0)} {both}{listed}", f"what is in {listed}", f"cat {' '.join(items)}"),
        "mkdir": (f"{verb(r, 'mkdir', 0)} {both or 'the folders '}{listed}", f"mkdir {' '.join(items)}",
                  f"{verb(r, 'mkdir', 0)} {'two' if len(items) == 2 else 'three'} {r.choice(('folders', 'directories'))}{r.choice((',', ':', ' called', ' named'))} {listed}"),
        "create_empty": (f"{verb(r, 'create', 0)} {r.choice(('the empty files ', 'empty files ', 'the files '))}{listed}", f"touch {' '.join(items)}", f"touch {listed}",
                         f"{verb(r, 'create', 0)} {'two' if len(items) == 2 else 'three'} empty files{r.choice((',', ':', ' called', ' named'))} {listed}"),
        "count_lines": (f"{verb(r, 'count', 0)} the lines {r.choice(('in', 'of'))} {both}{listed}", f"how many lines do {listed} have", f"how many lines are in {listed}"),
        "move": (f"{verb(r, 'move', 0)} {both}{listed} {r.choice(('to', 'into'))} {folder_words(r, dd, False)}", f"mv {' '.join(items)} {d}"),
        "copy": (f"{verb(r, 'copy', 0)} {both}{listed} {r.choice(('to', 'into'))} {folder_words(r, dd, False)}", f"cp {' '.join(items)} {d}"),
        "drop": (f"{verb(r, 'delete', 0)} the line {t} from {both}{listed}",),
        "search": (f"{verb(r, 'search', 0)} for {t} in {both}{listed}", f"grep {t} {' '.join(items)}"),
        "list": (f"{verb(r, 'list', 0)} {r.choice(('the files in ', 'the contents of ', ''))}{both}{listed}", f"what is in {r.choice(('the folders ', 'the directories '))}{listed}"),
    }[kind]
    call = {"create_empty": "create", "count_lines": "count"}.get(kind, kind)
    if kind == "move" and d in items:
        return objects(r, w)
    steps = []
    for i in items:
        steps.append((call, {"delete": dict(path=i), "show": dict(path=i, part="all"), "mkdir": dict(path=i), "create": dict(path=i, text=""),
                             "count": dict(path=i, what="lines"), "move": {"from": i, "to": d}, "copy": {"from": i, "to": d},
                             "drop": dict(path=i, text=x), "search": dict(text=x, path=i), "list": dict(path=i)}[call]))
    k = r.random()
    text = r.choice(say_it)
    if k < 0.06 and kind == "delete":
        text = f"{verb(r, 'delete', 0)} {shown[0]}. {r.choice(('The same for', 'Same with', 'Also', 'And also', 'Do the same with'))} {shown[1]}"
        steps = steps[:2]
    elif k < 0.10:  # two texts, one file
        y = names.text(r)
        text = f"{verb(r, 'append', 0)} {quoted(r, x, 0)} and {r.choice(('', 'then '))}{quoted(r, y, 0)} to {file_words(r, quoted(r, f, .8))}"
        steps = [("append", dict(path=f, text=x)), ("append", dict(path=f, text=y))]
    elif k < 0.15:  # two files with texts
        y, g = names.text(r), names.path(r)
        text = (f"{verb(r, 'create', 0)} {quoted(r, f, .8)} {r.choice(('with', 'containing', 'saying', 'with the text'))} {quoted(r, x, 0)} and "
                f"{quoted(r, g, .8)} {r.choice(('with', 'containing', 'saying', 'with the text'))} {quoted(r, y, 0)}")
        steps = [("create", dict(path=f, text=x)), ("create", dict(path=g, text=y))]
        if f == g:
            return objects(r, w)
    elif k < 0.20:  # two replacements, one file
        (a, b), (c, e) = names.pair(r), names.pair(r)
        q = (lambda s: quoted(r, s, 0.2 if re.fullmatch(r"\w+", s) else 0))
        text = r.choice((f"in {f}, {verb(r, 'replace', 0)} {q(a)} with {q(b)} and {q(c)} with {q(e)}", f"{verb(r, 'change', 0)} {q(a)} to {q(b)} and {q(c)} to {q(e)} in {f}",
                         f"{verb(r, 'replace', 0)} {q(a)} by {q(b)} and {q(c)} by {q(e)} in {f}"))
        steps = [("replace", dict(path=f, old=a, new=b)), ("replace", dict(path=f, old=c, new=e))]
    elif k < 0.26:  # two renames, moves or copies
        b, g, h = names.filename(r), names.path(r), names.filename(r)
        call = r.choice(("move", "copy"))
        if len({f, b, g, h}) < 4 or "/" in f or "/" in g:
            return objects(r, w)
        v = verb(r, "rename" if call == "move" else "copy", 0)
        text = f"{v} {quoted(r, f, .85)} to {quoted(r, b, .85)} and {quoted(r, g, .85)} to {quoted(r, h, .85)}"
        steps = [(call, {"from": f, "to": b}), (call, {"from": g, "to": h})]
    return text, steps


def unclear(r, w):
    def slot(s):
        if s == "F":
            return quoted(r, names.path(r) if r.random() < 0.9 else names.folders(r), 0.85)
        if s in "DM":
            return quoted(r, names.folders(r) + r.choice(("", "/")), 0.85)
        if s == "N":
            return names.path(r)
        if s == "T":
            return quoted(r, names.text(r), 0.1)
        if s in "OW":
            return quoted(r, names.pair(r)[0], 0.5)
        if s in "cC":
            return names.test(r)
        if s == "e":
            return r.choice(names.EXTENSIONS)
        return {"w": names.word, "n": names.number}[s](r)
    parts = r.choice(w.known["unclear"])
    starts = not isinstance(parts[0], str)
    text = expand(r, parts, slot, 0)
    if starts and r.random() < 0.3:
        text = r.choice(PREFIXES) + text
    elif r.random() < 0.08:
        text = r.choice(PREFIXES) + text
    return text


class Conversation:
    """A request and its turns: (call, arguments, observation); the last has no observation."""

    def __init__(self, r, w, held=False):
        self.r, self.turns = r, []
        k = r.random()
        clauses, steps = [], None
        self.kind = "single"
        if k < 0.14 and not held:
            self.kind = "unclear"
            text = unclear(r, w)
        elif k < 0.64 or held:
            text, clauses = single(r, w, held)
            self.kind = clauses[0].kind
        elif k < 0.72:
            self.kind = "objects"
            text, steps = objects(r, w)
        elif k < 0.955:
            self.kind = "two"
            text, clauses = chain(r, w, 2)
        else:
            self.kind = "three"
            text, clauses = chain(r, w, 3)
        if steps is None:
            steps = [s for c in clauses for s in c.steps]
        bare_end = bool(clauses) and text.rstrip().endswith(str(clauses[-1].slots.v.get("text", "\0")))
        self.request = self.dress(text, bare_end, steps)
        self.play(steps)

    def dress(self, text, bare_end, steps):
        r = self.r
        values_of = [v for _, a in steps for v in a.values()] + re.findall(r"[\"'`“]([^\"'`”]+)[\"'`”]", text)
        if r.random() < 0.03:
            text = typo(r, text, protected(text, values_of))
        s = finish(r, text, bare_end)
        if r.random() < 0.62:
            s = capital(s, [x for v in values_of for x in (v, v.split("/")[0])])
        k = r.random()
        if k < 0.04:
            s = capital(r.choice(BEFORES)) + r.choice((". ", ": ", ", ", "! ", " - ")) + s
        elif k < 0.09 and not bare_end:
            s += (" " if s[-1] in ".!?" else r.choice((". ", " - ", "; ", ", "))) + (capital if r.random() < 0.6 else str)(r.choice(AFTERS)) + r.choice((".", "", "!"))
        return s.strip()

    def play(self, steps):
        r = self.r
        if not steps:
            self.turns.append(("unclear", {}, None))
            return
        end = "done"
        i = 0
        while i < len(steps):
            call, args = steps[i]
            if i + 1 < len(steps) and steps[i + 1][0] == "fix":
                end = repair(r, self.turns, args["command"], steps[i + 1][1]["path"])
                i += 2
                if end == "stop":
                    break
                continue
            k = r.random()
            if k < 0.07:
                say(self.turns, call, args, failure(r, call, args))
                end = "stop"
                break
            if k < 0.085:
                say(self.turns, call, args, "refused\n" + fill(r, r.choice(REFUSALS), p=args.get("path", "x")))
                end = "stop"
                break
            say(self.turns, call, args, success(r, call, args))
            i += 1
        self.turns.append((end, {}, None))

    def pieces(self):
        """(role, text) as the tokenizer wants them."""
        yield "frame", tokenizer.USER
        yield "text", self.request
        yield "frame", tokenizer.ASK
        for call, args, observation in self.turns:
            yield from call_pieces(call, args)
            if observation is not None:
                yield "frame", tokenizer.ANSWER
                yield "text", observation
                yield "frame", tokenizer.ASK_AGAIN


def call_pieces(call, args):
    order = tokenizer.CALLS[call]
    yield "call", tokenizer.opening(call)
    for i, a in enumerate(order):
        if a in tokenizer.CHOICES:
            yield "call", tokenizer.choice(a, args[a])
            return
        if i > 0:
            yield "call", tokenizer.between(a)
        yield "argument", json.dumps(args[a], ensure_ascii=False)[1:-1]
    if order:
        yield "call", tokenizer.CLOSE


def encode(t, conversation):
    """Token ids, and for each how much it matters what the model writes there: the engine's grammar
    completes a name whose beginning is written, so beginnings and frames are what counts."""
    ids, weight = [], []
    for role, text in conversation.pieces():
        part = [t.frame(text)] if role in ("frame", "call") else t.encode(text)
        ids += part
        if role == "call":
            weight += [1.0] * len(part)
        elif role == "argument":
            weight += [1.0, 0.5, *[0.2] * len(part)][:len(part)]
        else:
            weight += [0.0] * len(part)
    return ids, weight


def make_tokenizer(conversations=60000, words=320, pairs=430, seed=7):
    """Whole: the words of requests that are no names; pairs: also those of names."""
    r, w, counts = random.Random(seed), Wordings(), {}
    for _ in range(conversations):
        for m in re.findall(r"[A-Za-z]{3,}", Conversation(r, w).request):
            counts[m] = counts.get(m, 0) + 1
    listed = {n.lower() for n in names.WORDS + names.FOLDERS + names.EXTENSIONS + names.PLAIN}
    own = [m for m in counts if m.lower() not in listed]
    own = sorted(own, key=lambda m: (-counts[m], m))[:words]
    return tokenizer.learn({m: counts[m] for m in own}, {n: 60 for n in names.WORDS}, pairs)


if __name__ == "__main__":
    import sys
    rng, known = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1), Wordings()
    for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 30):
        c = Conversation(rng, known)
        print(f"[{c.kind}] {c.request!r}")
        for turn in c.turns:
            print("     ", *turn)
