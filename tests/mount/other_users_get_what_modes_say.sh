#!/bin/bash
# P6: modes, owners, sticky bits, umask, setgid directories and suid bits work for a second uid
# as on ext4: it reads no 0600 file, also one that root has just had open and cached.
# timeout: 30
. "$TESTS/mount/helpers.bash"
requires_root
requires setpriv
programs_for_users
B=$TMP/base M=$TMP/mnt P=$TMP/plain
chmod 755 "$TMP"
for d in "$B" "$P"; do
	mkdir -p "$d/open" "$d/sticky" "$d/closed" "$d/group" "$d/mine"
	chmod 777 "$d/open" && chmod 1777 "$d/sticky" && chmod 700 "$d/closed"
	echo secret >"$d/secret" && chmod 600 "$d/secret"
	echo group >"$d/grouped" && chown 0:12345 "$d/grouped" && chmod 640 "$d/grouped"
	echo root >"$d/sticky/root" && echo in >"$d/closed/in"
	echo suid >"$d/mine/suid" && chown -R 12345:12345 "$d/mine" && chmod 6755 "$d/mine/suid"
	chown 12345:777 "$d/group" && chmod 2775 "$d/group"
	cp /bin/true "$d/prog" && chmod 700 "$d/prog"
	umask 022
done
mount_ws "$B" "$M"
begin_private "$M"
cat "$M/secret" "$VIEW/secret" "$M/closed/in" >/dev/null
"$M/prog"
cat >"$TMP/play" <<'END'
cd "$1" || exit
try() { if "$@" >/dev/null 2>&1; then echo "yes: $*"; else echo "no: $*"; fi; }
id -u
try cat secret
try cat closed/in
try ls closed
try cat grouped
try sh -c 'echo x >>grouped'
try ./prog
try touch forbidden
try sh -c 'echo mine >open/mine'
try mkdir open/dir
try mv sticky/root sticky/other
try rm sticky/root
try rm -f secret
try chmod 666 secret
try chown 12345 secret
try ln secret open/link
try sh -c 'umask 007; mkdir open/um; echo u >open/um/f'
try sh -c 'echo more >>mine/suid'
try chmod 2755 mine/suid
try chgrp 777 mine/suid
try mkdir group/d
try touch group/f group/d/f
try touch -d 2001-01-01 secret
try touch secret
try truncate -s 0 secret
try setfattr -n user.a -v 1 secret
try setfattr -n user.a -v 1 mine/suid
try setfattr -n trusted.a -v 1 mine/suid
try mknod open/null c 1 3
try mkfifo open/fifo
try cat "$1/secret"
END
for d in "$P" "$M"; do
	as_user bash "$TMP/play" "$d" 2>&1 | sed "s#$d##" >"$TMP/$(basename "$d").out"
done
diff "$TMP/plain.out" "$TMP/mnt.out" >&2 || fail 'ext4 (<) and the mount (>) allow different things'
txfs -C "$M" sync || fail sync
manifest --no-times "$P" >"$TMP/want" && manifest --no-times "$B" >"$TMP/got"
same_tree "$TMP/want" "$TMP/got" 'ext4 and base differ'
as_user ls "$M/.txfs" >/dev/null 2>&1 && fail 'another uid enters .txfs'
as_user cat "$VIEW/grouped" >/dev/null 2>&1 && fail 'another uid enters a private view'
as_user txfs -C "$M" begin >/dev/null 2>&1 && fail 'another uid begins a transaction'
abort_tx "$M" "$ID"
