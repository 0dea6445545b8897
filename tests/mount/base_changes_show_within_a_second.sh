#!/bin/bash
# P5: with base=shared a change that others make in the base shows through the mount within
# a second: content, new, removed and renamed names, modes; also in a private view, but for
# files that the view changed itself.
# timeout: 40
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
mkdir -p "$B/dir/sub"
for n in edited replaced removed renamed moded own; do echo old >"$B/dir/sub/$n"; done
mount_ws "$B" "$M"
begin_private "$M"
echo mine >"$VIEW/dir/sub/own"
for v in "$M" "$VIEW"; do
	find "$v" -type f -exec cat {} + >/dev/null
	ls -l "$v/dir" "$v/dir/sub" "$v/dir/sub/not-yet" >/dev/null 2>&1
done
echo new >"$B/dir/sub/edited"
echo new >"$B/t" && mv "$B/t" "$B/dir/sub/replaced"
rm "$B/dir/sub/removed"
mv "$B/dir/sub/renamed" "$B/dir/elsewhere"
chmod 600 "$B/dir/sub/moded"
echo now >"$B/dir/sub/not-yet"
mkdir "$B/dir/sub/made" && echo in >"$B/dir/sub/made/in"
echo theirs >"$B/dir/sub/own"
shows() {
	[ "$(cat "$1/edited")" = new ] && [ "$(cat "$1/replaced")" = new ] && [ ! -e "$1/removed" ] &&
		[ ! -e "$1/renamed" ] && [ "$(cat "$1/../elsewhere")" = old ] &&
		[ "$(stat -c %a "$1/moded")" = 600 ] && [ "$(cat "$1/not-yet")" = now ] &&
		[ "$(cat "$1/made/in")" = in ] && [ "$(find "$1" -type f | wc -l)" = "$2" ]
}
sleep 1
shows "$M/dir/sub" 6 2>/dev/null || { ls -lR "$M" >&2; fail 'the main view shows old things'; }
eq theirs "$(cat "$M/dir/sub/own")"
shows "$VIEW/dir/sub" 6 2>/dev/null || { ls -lR "$VIEW" >&2; fail 'the private view shows old things'; }
eq mine "$(cat "$VIEW/dir/sub/own")" 'a change of the view'
# Base changes of open files show, too.
exec 4<"$M/dir/sub/edited"
echo newer >>"$B/dir/sub/edited"
sleep 1
eq newer "$(tail -n 1 "$M/dir/sub/edited")"
exec 4<&-
abort_tx "$M" "$ID"
