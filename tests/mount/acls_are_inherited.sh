#!/bin/bash
# P6: POSIX ACLs: enforced for a second uid, folded into the mode, inherited from a directory's
# default, kept by commit; as on ext4.
# timeout: 20
. "$TESTS/mount/helpers.bash"
requires_root
requires setfacl getfacl setpriv
B=$TMP/base M=$TMP/mnt P=$TMP/plain
for d in "$B" "$P"; do
	mkdir -p "$d/old" "$d/inherit"
	echo text >"$d/old/named" && chmod 600 "$d/old/named" && setfacl -m u:12345:rw "$d/old/named"
	echo text >"$d/old/masked" && setfacl -m u:12345:rw,m::r "$d/old/masked"
	setfacl -d -m u:12345:rwx,g::rx,o::- "$d/inherit"
done
mount_ws "$B" "$M"
cat >"$TMP/play" <<'END'
cd "$1" || exit
try() { if "$@" >/dev/null 2>&1; then echo "yes: $*"; else echo "no: $*"; fi; }
user() { setpriv --reuid 12345 --regid 12345 --clear-groups "$@"; }
try user cat old/named
try user sh -c 'echo x >>old/named'
try user cat old/masked
try user sh -c 'echo x >>old/masked'
mkdir inherit/d && echo f >inherit/f && echo g >inherit/d/g
(umask 077 && echo h >inherit/h && mkdir inherit/e)
mkfifo inherit/p && ln -s f inherit/s
try user sh -c 'echo x >>inherit/f'
try user touch inherit/d/by-user
chmod 640 inherit/f
try user sh -c 'echo x >>inherit/f'
setfacl -x u:12345 old/named
try user cat old/named
setfacl -m g:777:r old/named && chmod 604 old/named
cp -a inherit copy
mv inherit/f old/f
find . | LC_ALL=C sort | xargs getfacl 2>/dev/null
END
for d in "$P" "$M"; do bash "$TMP/play" "$d" >"$TMP/$(basename "$d").out" 2>&1; done
diff "$TMP/plain.out" "$TMP/mnt.out" >&2 || fail 'ext4 (<) and the mount (>) differ'
txfs -C "$M" sync || fail sync
manifest --no-times "$P" >"$TMP/want" && manifest --no-times "$B" >"$TMP/got"
same_tree "$TMP/want" "$TMP/got" 'ext4 and base differ'
