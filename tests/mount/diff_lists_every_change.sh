#!/bin/bash
# P12: diff shows each changed path once with what happened to it, also as JSON; status, ls and
# log count and name the same.
# timeout: 30
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
mkdir -p "$B/dir/sub" "$B/gone/deep" "$B/moved"
echo 1 >"$B/edited" && echo 2 >"$B/deleted" && echo 3 >"$B/mode" && echo 4 >"$B/old" && echo 5 >"$B/gone/deep/f"
echo 6 >"$B/moved/inside" && echo 7 >"$B/both" && echo 8 >"$B/same"
mount_ws "$B" "$M"
begin_private "$M" --label 'a label'
cd "$VIEW" || exit 1
echo more >>edited && rm deleted && chmod 700 mode && mv old new && rm -r gone && mv moved elsewhere
mkdir -p made/empty && echo x >made/file && echo y >$'odd\nname\xff' && ln -s x link && mv both b && echo z >>b
echo tmp >tmp && rm tmp && echo 9 >dir/sub/f && echo 8 >>same && truncate -s 2 same
cd / || exit 1
txfs -C "$M" diff --tx 'a label' >"$TMP/diff" || fail diff
grep -vxF '~ same' "$TMP/diff" | LC_ALL=C sort >"$TMP/got"
LC_ALL=C sort >"$TMP/want" <<'END'
+ dir/sub/f
+ link
+ made
+ made/empty
+ made/file
+ odd\nname\xFF
- deleted
- gone
- gone/deep
- gone/deep/f
> both -> b
> moved -> elsewhere
> old -> new
m mode
~ b
~ edited
END
diff "$TMP/want" "$TMP/got" >&2 || fail 'want (<), got (>)'
txfs -C "$VIEW" diff --json >"$TMP/json" || fail 'diff --json'
python3 - "$TMP/json" <<'END' || fail 'JSON'
import base64, json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
odd = [r for r in rows if "odd" in r["path"]]
assert len(odd) == 1 and base64.b64decode(odd[0]["path_base64"]) == b"odd\nname\xff", odd
assert [r["to"] for r in rows if r["path"] == "old"] == ["new"]
assert {r["change"] for r in rows} == set("+~m->")
END
txfs -C "$M" ls --json >"$TMP/ls"
eq "$ID open a label $VIEW" "$(for k in id state label view; do json "$TMP/ls" $k; done | paste -sd ' ')"
commit_tx "$M" "$ID"
txfs -C "$M" log --json >"$TMP/log"
eq "$ID committed a label" "$(for k in id state label; do json "$TMP/log" $k; done | paste -sd ' ')"
eq "" "$(txfs -C "$M" ls)"
begin_private "$M"
eq '' "$(txfs -C "$VIEW" diff)" 'diff of nothing'
abort_tx "$M" "$ID"
