"""Names of files, one-line texts and numbers that nobody has seen: what a request is about.

Most stems are made of syllables, so that copying is learnt and not a list of words.
"""

import random

WORDS = """account action active adapter address admin agenda album alert alias alpha amount anchor animal answer
apple archive array article asset atlas audio author auto backup badge balance banner base basket batch beach bench
beta bill bird block blue board body book border bottle branch bread bridge bucket budget buffer bug build bundle
button cache cake camera campaign car card cargo carrot cart case cat catalog chain change chapter chart chat check
cheese city class client clock cloud coffee color column comment common company config contact content context
contract control core corner cost counter country course cover credit cron crop csv curve custom customer daily dashboard
data date deal debug default delta demo deploy design desk detail device diary digest dinner dish disk doc doctor
document dog domain door draft dragon dream driver dump earth east echo editor egg email engine entry env error
event example export face factory family farm feature feed field figure file filter final finance fire fish flag
flight floor flow flower food footer forest form format forum frame friend front fruit function future galaxy game
garden gate gateway general ghost gift glass global gold grape graph green grid group guide habit hammer hand handler
happy header health heart height helper hero hill history holiday home honey hook horse hotel hour house icon idea
image import income index info ink inner input insect inventory invoice island issue item jacket job journal juice
junior jungle kernel key kitchen kite label lake lamp landing language laptop large laser latest launch layer layout
leaf ledger legacy lemon letter level library license light limit line link lion list loader local lock log login
logo loop lunch machine magic mail main manager manual map march marker market master matrix meal measure media
meeting member memo memory menu message meta meter metric migration milk minor mirror misc mobile mock model module
money monitor month moon morning motor mountain mouse movie museum music name nature network news night node noise
north note notes number object ocean office old option orange order other output owner package page paint panel paper
parent park parser part party password patch path pattern payment peach pencil people pepper person phone photo piano
picture pilot pipe pixel plan planet plant plate player plugin pocket poem point policy pool portal position post
poster potato power present preview price print private process product profile program project proof proxy public
queue quick quiz quote rabbit radar radio rain random range rate raw reader readme receipt recipe record red
region release remote render report request reset resource response rest result review ride ring river road robot
rocket role roof room root rose route router rule runner salad sales salt sample sand scale scan schedule schema school
score screen script sea search season secret section seed sensor server service session setting settings setup shadow
shape share sheet shell ship shirt shop short signal silver simple site sketch sky slide small smoke snow soap social
socket sock soft soil song soup source south space spec speed spring sprint staff stage star state static station status
steel step stock stone storage store storm story stream street string student studio style sugar summary summer sun
support surface survey switch symbol sync system table tag tail target task tax tea team temp template tenant test
text theme thing ticket tiger timer title toast todo token tomato tool topic total tower town track trade train
tree trial trip truck type uncle unit update upload user utils vacation valley value vector vendor version video
view village vision voice volume wallet watch water wave weather web week weekly west wheel white widget wiki wind
window winter wire wood word work worker world yard year yellow young zebra zero zone""".split()

SYLLABLES = [a + b + c for a in ("b", "c", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w",
                                 "z", "br", "cl", "cr", "dr", "fl", "gr", "pl", "pr", "qu", "sh", "sl", "sp", "st",
                                 "th", "tr", "x", "y", "")
             for b in ("a", "e", "i", "o", "u", "ai", "ea", "ee", "oo", "ou") for c in ("", "", "n", "r", "s", "t", "l",
                                                                                     "m", "ck", "nd")]
EXTENSIONS = """txt txt txt txt md md md log log py py py js js ts c h cpp hpp rs go java rb sh sh json json yaml yml toml ini
cfg conf csv csv tsv html css scss xml sql env lock bak tmp old orig out dat bin pdf png jpg svg gz zip tar tex rst
php lua vue jsx tsx ipynb proto mk cmake patch diff pem key service map""".split()
PLAIN = """Makefile Dockerfile LICENSE README CHANGELOG TODO NOTES AUTHORS Procfile Gemfile Rakefile Vagrantfile
Jenkinsfile CODEOWNERS VERSION INSTALL COPYING NEWS HISTORY Cargo.toml go.mod go.sum package.json tsconfig.json
requirements.txt setup.py pyproject.toml index.html main.c app.py docker-compose.yml README.md CMakeLists.txt
server.js manage.py style.css notes.txt todo.txt data.csv config.json settings.ini build.log""".split()
DOTFILES = """.env .gitignore .bashrc .editorconfig .eslintrc .prettierrc .npmrc .dockerignore .gitattributes .env.local
.vimrc .profile .babelrc .flake8 .pylintrc .nvmrc .htaccess .clang-format .env.production .zshrc""".split()
FOLDERS = """src lib docs doc test tests build dist bin assets images data config scripts tools examples include public
static templates components utils backup old archive tmp logs reports notes vendor client server api web app core
modules pages styles fonts sql migrations fixtures samples drafts output results cache""".split()


def word(r):
    if r.random() < 0.82:
        return r.choice(WORDS)
    return "".join(r.choice(SYLLABLES) for _ in range(r.randint(1, 3)))


def number(r):
    k = r.random()
    if k < 0.3:
        return str(r.randint(0, 9))
    if k < 0.6:
        return str(r.randint(10, 999))
    if k < 0.8:
        return str(r.randint(1000, 99999))
    if k < 0.9:
        return f"{r.randint(0, 99)}.{r.randint(0, 99)}"
    if k < 0.95:
        return f"{r.randint(0, 9)}.{r.randint(0, 20)}.{r.randint(0, 20)}"
    return str(r.choice((8080, 3000, 443, 5432, 1024, 65535, 2024, 2025, 2026)))


def stem(r):
    k = r.random()
    w = word(r)
    if k < 0.40:
        return w
    if k < 0.52:
        return w + "_" + word(r)
    if k < 0.64:
        return w + "-" + word(r)
    if k < 0.70:
        return w + str(r.randint(0, 99))
    if k < 0.74:
        return w + r.choice("-_") + str(r.randint(1, 2030))
    if k < 0.78:
        return w.capitalize() + word(r).capitalize()
    if k < 0.81:
        return w + word(r).capitalize()
    if k < 0.84:
        return w.upper()
    if k < 0.87:
        return w.capitalize()
    if k < 0.90:
        return f"{r.randint(2019, 2027)}-{r.randint(1, 12):02}-{r.randint(1, 28):02}" + r.choice(("", "-" + w, "_" + w))
    if k < 0.93:
        return "_".join((w, word(r), word(r)))
    if k < 0.96:
        return w + ".v" + str(r.randint(1, 9))
    if k < 0.98:
        return r.choice("abcdefghijklmnopqrstuvwxyz") + r.choice(("", "", str(r.randint(0, 9))))
    return w + "." + word(r)


def filename(r):
    k = r.random()
    if k < 0.07:
        return r.choice(PLAIN)
    if k < 0.10:
        return r.choice(DOTFILES)
    if k < 0.13:
        return stem(r)
    if k < 0.15:
        return "." + word(r) + r.choice(("", "rc", ".json", ".yml"))
    if k < 0.17:
        return stem(r) + "." + word(r)
    return stem(r) + "." + r.choice(EXTENSIONS)


def related(r, name):
    """Another name for the file @name, as people make them: a backup, a version, another extension."""
    head, slash, base = name.rpartition("/")
    stem_, dot, ext = base.rpartition(".") if "." in base[1:] else (base, "", "")
    k = r.random()
    if k < 0.40:
        new = base + r.choice((".bak", ".old", ".orig", ".backup", ".txt", ".1", ".md", ".tmp", ".copy", ".save", "~"))
    elif k < 0.75:
        new = stem_ + r.choice(("-backup", "_backup", "-old", "_old", "-copy", "2", "-v2", "_new", "-final", "_final", ".old", "-2", "1", "-new",
                                str(r.randint(2, 9)), "s")) + dot + ext
    elif k < 0.85:
        new = r.choice(("new-", "old-", "my-", "copy-of-", "backup-", "old_", "new_")) + base
    elif dot:
        new = stem_ + "." + r.choice(EXTENSIONS)
    else:
        new = base + "." + r.choice(EXTENSIONS)
    return new if r.random() < 0.7 or not slash else head + "/" + new


def folder(r):
    return r.choice(FOLDERS) if r.random() < 0.45 else stem(r)


def folders(r):
    """A path of one to three folders."""
    k = r.random()
    n = 1 if k < 0.72 else 2 if k < 0.94 else 3
    return "/".join(folder(r) for _ in range(n))


def path(r):
    if r.random() < 0.70:
        return filename(r)
    return folders(r) + "/" + filename(r)


def phrase(r, most=9):
    n = min(1 + int(r.expovariate(0.35)), most)
    w = [word(r) if r.random() < 0.85 else r.choice(("the", "a", "of", "is", "and", "to", "in", "for", "not", "it"))
         for _ in range(n)]
    if r.random() < 0.35:
        w[0] = w[0].capitalize()
    if r.random() < 0.15:
        w[r.randrange(n)] = number(r)
    if r.random() < 0.08:
        w[r.randrange(n)] += ","
    if r.random() < 0.05:
        w[r.randrange(n)] = filename(r)
    return " ".join(w)


CODE = (lambda r: f"{word(r)} = {number(r)}", lambda r: f"{word(r).upper()}={word(r)}",
        lambda r: f"{word(r).upper()}_{word(r).upper()}={number(r)}", lambda r: f"{word(r)}: {number(r)}",
        lambda r: f"{word(r)}: {word(r)}", lambda r: f"import {word(r)}", lambda r: f"from {word(r)} import {word(r)}",
        lambda r: f"#include <{word(r)}.h>", lambda r: f"# {phrase(r, 4)}", lambda r: f"// {phrase(r, 4)}",
        lambda r: f"TODO: {phrase(r, 5)}", lambda r: f"- [ ] {phrase(r, 4)}", lambda r: f"- {phrase(r, 3)}",
        lambda r: f"* {phrase(r, 3)}", lambda r: f"return {word(r)}", lambda r: f"print({word(r)!r})",
        lambda r: f'console.log("{word(r)}")', lambda r: f"{word(r)},{word(r)},{number(r)}",
        lambda r: f"https://{word(r)}.{r.choice(('com', 'org', 'io'))}/{word(r)}",
        lambda r: f"{word(r)}@{word(r)}.com", lambda r: f"v{number(r)}", lambda r: f"{word(r)}=={number(r)}",
        lambda r: f"{word(r)}/", lambda r: f"*.{word(r)}", lambda r: f"def {word(r)}():", lambda r: f"{word(r)}()",
        lambda r: f"export {word(r).upper()}={number(r)}", lambda r: f"## {phrase(r, 3)}", lambda r: f"if {word(r)}:",
        lambda r: f"{word(r)};", lambda r: f"[{word(r)}]", lambda r: "{" + f'"{word(r)}": {number(r)}' + "}",
        lambda r: f"<{word(r)}>", lambda r: f"{word(r)} -> {word(r)}", lambda r: f"{word(r)} & {word(r)}",
        lambda r: f"${word(r).upper()}", lambda r: f"{word(r)}|{word(r)}", lambda r: f"{word(r)} \\ {word(r)}")
FOREIGN = ("café", "naïve", "über", "größe", "señor", "año", "été", "façade", "日本語", "привет", "мир", "你好", "données",
           "Zürich", "Ångström", "résumé", "✓ done", "→ next", "50 €", "ok 👍", "½ cup", "“quoted”", "fin…", "smørrebrød")
EVERYDAY = ("hello world", "Hello, world!", "hello", "Hello", "hi there", "buy milk", "done", "ok", "true", "false",
            "enabled", "yes", "call mom tomorrow", "first line", "last line", "the end", "remember the milk",
            "work in progress", "do not touch", "hello again", "All rights reserved.", "It works!", "fix me",
            "needs review", "to be continued...", "see you soon", "draft", "v2", "final version", "good morning")


def text(r):
    """One line of text, as people put it into files."""
    k = r.random()
    if k < 0.50:
        s = phrase(r)
        k = r.random()
        return s + (r.choice((".", "!", "?", "...")) if k < 0.18 else "")
    if k < 0.78:
        return r.choice(CODE)(r)
    if k < 0.86:
        return r.choice(EVERYDAY)
    if k < 0.91:
        return number(r)
    if k < 0.95:
        return phrase(r, 3) + " " + r.choice(FOREIGN)
    if k < 0.97:
        return f'{word(r)} "{word(r)}" {word(r)}'
    return f"{word(r)}'s {phrase(r, 4)}"


def plain(r):
    """A text that may stand in a sentence without quotes: words only, no mark at its end."""
    k = r.random()
    if k < 0.70:
        return phrase(r, 6).replace(",", "")
    if k < 0.80:
        return r.choice(EVERYDAY[:20]).rstrip(".!")
    if k < 0.92:
        return r.choice(CODE[:8])(r)
    return number(r)


def pair(r):
    """Old and new of a replacement."""
    k = r.random()
    if k < 0.40:
        a, b = word(r), word(r)
    elif k < 0.60:
        a, b = number(r), number(r)
    elif k < 0.70:
        a, b = phrase(r, 3), phrase(r, 3)
    elif k < 0.78:
        a, b = r.choice((("true", "false"), ("false", "true"), ("debug", "release"), ("http", "https"), ("on", "off"),
                         ("localhost", "0.0.0.0"), ("foo", "bar"), ("dev", "prod"), ("yes", "no"), ("TODO", "DONE"),
                         ("0", "1"), ("1", "2"), ("INFO", "DEBUG"), ("False", "True"), ("teh", "the"), ("http:", "https:")))
    elif k < 0.82:
        a = word(r)
        b = a + r.choice(("s", "2", "_id", "-new", "er")) if r.random() < 0.5 else a.capitalize()
    elif k < 0.88:
        key = r.choice((word(r), word(r).upper()))
        sep = r.choice(("=", ": ", " = ", ":", " = "))
        value = number if r.random() < 0.6 else word
        a, b = key + sep + value(r), key + sep + value(r)
        if r.random() < 0.2:
            a, b = key + sep + "True", key + sep + "False"
    elif k < 0.94:
        a, b = word(r).capitalize(), word(r).capitalize()
    else:
        a, b = r.choice(CODE)(r), r.choice(CODE)(r)
    return (a, b) if a != b else pair(r)


TESTS = (lambda r: f"python3 {path(r).rsplit('.', 1)[0]}.py", lambda r: f"python3 test_{word(r)}.py",
         lambda r: f"python3 tests/test_{word(r)}.py", lambda r: "make test", lambda r: "make check",
         lambda r: f"make {word(r)}", lambda r: "npm test", lambda r: f"npm run {word(r)}", lambda r: "pytest",
         lambda r: f"pytest tests/test_{word(r)}.py", lambda r: "pytest -q", lambda r: f"./{stem(r)}.sh",
         lambda r: f"sh {stem(r)}.sh", lambda r: f"bash {path(r).rsplit('.', 1)[0]}.sh", lambda r: "cargo test",
         lambda r: "go test ./...", lambda r: "./run_tests.sh", lambda r: "sh check.sh", lambda r: "python3 test.py",
         lambda r: "python3 -m unittest", lambda r: "python3 -m pytest", lambda r: f"node {stem(r)}.js",
         lambda r: f"python {stem(r)}.py", lambda r: f"./{word(r)}", lambda r: f"./scripts/{word(r)}.sh",
         lambda r: f"python3 check_{word(r)}.py", lambda r: f"sh test_{word(r)}.sh", lambda r: f"sh tests/{word(r)}.sh",
         lambda r: f"bash tests/{stem(r)}.sh", lambda r: f"node test/{stem(r)}.js", lambda r: f"ruby {stem(r)}.rb")


def test(r):
    return r.choice(TESTS)(r)


if __name__ == "__main__":
    rng = random.Random(1)
    for make in (path, folders, text, plain, pair, test):
        print(make.__name__, [make(rng) for _ in range(12)])
