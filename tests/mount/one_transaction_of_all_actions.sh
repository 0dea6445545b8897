#!/bin/bash
# P2: moves that depend on each other, all in one transaction, arrive in the base as on ext4;
# savepoints and a rollback on the way make no difference.
# timeout: 60
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt PLAIN=$TMP/plain
python3 - "$TMP/script" <<'END'
import random, sys
random.seed(7)
dirs, files, lines, n = ["."], [], [], 0
def below(d, e): return e == d or e.startswith(d + "/")
for _ in range(700):
    n += 1
    act = random.choice("mkdir file file edit edit mvf mvf mvd rm ln swapf over rmdir trunc chmod".split())
    if act == "mkdir":
        d = f"{random.choice(dirs)}/d{n}"; dirs.append(d); lines.append(f"mkdir {d}")
    elif act == "file":
        f = f"{random.choice(dirs)}/f{n}"; files.append(f); lines.append(f"echo {n} >{f}")
    elif act == "edit" and files:
        lines.append(f"echo {n} >>{random.choice(files)}")
    elif act == "trunc" and files:
        lines.append(f"truncate -s {random.randrange(20000)} {random.choice(files)}")
    elif act == "chmod" and files:
        lines.append(f"chmod {random.choice(['600', '755', '640'])} {random.choice(files)}")
    elif act == "mvf" and files:
        i = random.randrange(len(files)); f = f"{random.choice(dirs)}/m{n}"
        lines.append(f"mv {files[i]} {f}"); files[i] = f
    elif act == "over" and len(files) > 1:
        a, b = random.sample(files, 2); lines.append(f"mv -f {a} {b} 2>/dev/null || rm -f {a}")
        files.remove(a)
    elif act == "ln" and files:
        f = f"{random.choice(dirs)}/l{n}"; lines.append(f"ln {random.choice(files)} {f}"); files.append(f)
    elif act == "rm" and files:
        f = random.choice(files); files.remove(f); lines.append(f"rm {f}")
    elif act == "swapf" and len(files) > 1:
        a, b = random.sample(files, 2); lines.append(f"mv {a} t{n}; mv {b} {a}; mv t{n} {b}")
    elif act == "mvd" and len(dirs) > 3:
        d = random.choice(dirs[1:]); to = random.choice([e for e in dirs if not below(d, e)])
        new = f"{to}/v{n}"; lines.append(f"mv {d} {new}")
        dirs = [new + e[len(d):] if below(d, e) else e for e in dirs]
        files = [new + f[len(d):] if below(d, f) else f for f in files]
    elif act == "rmdir" and len(dirs) > 12:
        d = random.choice(dirs[1:]); lines.append(f"rm -r {d}")
        dirs = [e for e in dirs if not below(d, e)]; files = [f for f in files if not below(d, f)]
for part in range(7):
    open(f"{sys.argv[1]}.{part}", "w").write("\n".join(lines[part * len(lines) // 7:(part + 1) * len(lines) // 7]) + "\n")
END
mkdir -p "$PLAIN" "$B"
play() { (cd "$2" && bash -e "$TMP/script.$1") || fail "part $1 in $2"; }
play 0 "$PLAIN"
play 1 "$PLAIN"
cp -a "$PLAIN/." "$B"
mount_ws "$B" "$M"
begin_private "$M"
for part in 2 3 4; do
	play "$part" "$PLAIN"
	play "$part" "$VIEW"
	txfs -C "$VIEW" savepoint "p$part" || fail savepoint
	manifest --no-times "$PLAIN" >"$TMP/plain.m"
	manifest --no-times "$VIEW" >"$TMP/view.m"
	same_tree "$TMP/plain.m" "$TMP/view.m" "plain ext4 and view differ after part $part"
done
play 5 "$VIEW"
play 6 "$VIEW"
txfs -C "$VIEW" rollback p4 || fail rollback
play 5 "$PLAIN"
play 5 "$VIEW"
txfs -C "$VIEW" release p3 || fail release
play 6 "$PLAIN"
play 6 "$VIEW"
manifest "$VIEW" >"$TMP/view.m"
commit_tx "$M" "$ID"
manifest "$B" >"$TMP/base.m"
same_tree "$TMP/view.m" "$TMP/base.m" 'view and base differ'
manifest --no-times "$PLAIN" >"$TMP/plain.m"
manifest --no-times "$B" >"$TMP/base.m"
same_tree "$TMP/plain.m" "$TMP/base.m" 'plain ext4 and base differ'
