# shellcheck shell=bash disable=SC2034
# helpers.bash: what mount tests share beyond tests/lib.sh, which it sources.
#
#	TOOLS                      directory of the programs built from tests/tools
#	begin_private [MNT [ARG..]]  sets ID and VIEW
#	begin_main [MNT [ARG..]]   sets ID
#	commit_tx, abort_tx [MNT [ID]]  quiet; the test ends when it fails
#	json FILE KEY              value of KEY in the first line of JSON in FILE
#	requests MNT               number of requests that the daemon has served
#	store_bytes DIR            size of all files in the store
#	hold_start [NAME]          start tests/tools/hold as a coprocess
#	hold [@NAME] WORDS...      give it a command; its answer goes to stdout and $SAID
#	say WANT WORDS...          command, and the answer must be WANT
#	daemon_pid MNT             pid of the daemon
#	kill_daemon MNT            kill -9, and wait until the mount is dead
#	forget_mount MNT           end the connection of a mount that may hang, detach it
#	as_user CMD...             as another uid (12345, gid 12345)
#	state_of MNT ID            word of `txfs ls` or `txfs log` for a transaction
#	make_every_kind DIR        every type of file, owners, modes, xattrs, ACLs, links
. "$TESTS/lib.sh"
requires_fuse
TOOLS=$BIN/../tests/tools
# A wrapper named python3 in PATH would cost more than the test.
[ -x /usr/bin/python3 ] && PATH=$BIN:/usr/bin:$PATH

begin_private() {
	local mnt=${1:-$M} out
	shift $(($# > 0))
	out=$(txfs -C "$mnt" begin --private "$@") || fail "cannot begin in $mnt"
	ID=${out%%$'\n'*} VIEW=${out#*$'\n'}
	[ -d "$VIEW" ] || fail "no view at '$VIEW'"
}

begin_main() {
	local mnt=${1:-$M}
	shift $(($# > 0))
	ID=$(txfs -C "$mnt" begin "$@" 2>/dev/null) || fail "cannot begin in $mnt"
}

commit_tx() {
	txfs -C "${1:-$M}" commit ${2:+--tx "$2"} >"$TMP/commit.out" 2>&1 && return
	cat "$TMP/commit.out" >&2
	fail "cannot commit ${2:-}"
}

abort_tx() {
	txfs -C "${1:-$M}" abort ${2:+--tx "$2"} >"$TMP/abort.out" 2>&1 && return
	cat "$TMP/abort.out" >&2
	fail "cannot abort ${2:-}"
}

json() {
	python3 -c 'import json, sys
value = json.loads(open(sys.argv[1]).readline()).get(sys.argv[2])
print("" if value is None else value)' "$1" "$2"
}

requests() {
	local text
	text=$(txfs -C "$1" status --json) || fail "no status of $1"
	[[ $text =~ \"requests\":([0-9]+) ]] || fail "no number of requests in: $text"
	echo "${BASH_REMATCH[1]}"
}

store_bytes() { du -sB1 --apparent-size "$1" | cut -f1; }

hold_start() {
	local name=${1:-HOLD} pid
	eval "coproc $name { exec \"\$TOOLS/hold\"; }" 2>/dev/null
	eval "HOLD_IN_$name=\${${name}[1]} HOLD_OUT_$name=\${${name}[0]} pid=\$${name}_PID"
	at_exit "kill $pid 2>/dev/null; wait $pid 2>/dev/null"
}

hold() {
	local name=HOLD in out
	[[ $1 != @* ]] || { name=${1#@} && shift; }
	in=HOLD_IN_$name out=HOLD_OUT_$name
	echo "$*" >&"${!in}"
	IFS= read -r -t 30 SAID <&"${!out}" || fail "no answer to: $*"
	echo "$SAID"
}

say() {
	local want=$1
	shift
	hold "$@" >/dev/null
	[ "$SAID" = "$want" ] || fail "want '$want', got '$SAID': $*"
}

daemon_pid() {
	local text
	text=$(txfs -C "$1" status --json) || fail "no status of $1"
	[[ $text =~ \"pid\":([0-9]+) ]] && echo "${BASH_REMATCH[1]}"
}

# Threads of a killed process hold its files for some time after it became a zombie.
gone() { stat "$1/.txfs/nothing" 2>&1 | grep -q 'not connected'; }

kill_daemon() {
	local pid
	pid=$(daemon_pid "$1")
	[ "${pid:-0}" -gt 1 ] || fail "no pid of the daemon of $1"
	kill -9 "$pid"
	wait_for 10 gone "$1"
}

forget_mount() {
	local dev
	dev=$(awk -v m="$1" '$5 == m { split($3, d, ":"); print d[2] }' /proc/self/mountinfo | tail -n 1)
	[ -z "$dev" ] || echo 1 >"/sys/fs/fuse/connections/$dev/abort" 2>/dev/null
	umount -l "$1"
}

as_user() { setpriv --reuid 12345 --regid 12345 --clear-groups "$@"; }

state_of() {
	{
		txfs -C "$1" ls --json
		txfs -C "$1" log --json
	} | python3 -c 'import json, sys
states = [r["state"] for r in map(json.loads, sys.stdin) if r["id"] == int(sys.argv[1])]
print(states[0] if states else "unknown")' "$2"
}

make_every_kind() {
	local d=$1
	mkdir -p "$d/dir/deep/er" "$d/empty" "$d/.git/objects"
	echo 'some text' >"$d/file"
	printf 'no newline' >"$d/dir/short"
	: >"$d/nothing"
	head -c 300000 /dev/urandom >"$d/dir/deep/blob"
	echo '[core]' >"$d/.git/config"
	echo '*.o' >"$d/.gitignore"
	echo 'ignored' >"$d/dir/x.o"
	ln "$d/file" "$d/dir/twin"
	ln "$d/file" "$d/dir/deep/third"
	ln -s ../file "$d/dir/link"
	ln -s /nowhere/at/all "$d/dangling"
	mkfifo -m 620 "$d/pipe"
	python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$d/sock"
	truncate -s 5M "$d/sparse"
	printf 'x' | dd of="$d/sparse" bs=1 seek=3000000 conv=notrunc status=none
	: >"$d/name with blank"$'\n'"and newline"
	: >"$d/"$'latin-\xe9'
	chmod 4755 "$d/dir/short"
	chmod 2775 "$d/dir"
	chmod 1777 "$d/empty"
	setfattr -n user.note -v 'on a file' "$d/file"
	setfattr -n user.empty -v '' "$d/nothing"
	setfattr -n user.dir -v 'on a directory' "$d/dir/deep"
	setfacl -m u:12345:rw "$d/dir/deep/blob"
	setfacl -d -m g:12346:rx "$d/dir/deep"
	if [ "$(id -u)" = 0 ]; then
		mknod "$d/null" c 1 3
		mknod "$d/disk" b 7 99
		chown 12345:12346 "$d/dir/x.o" "$d/pipe"
		chown -h 12345:12346 "$d/dangling"
		setfattr -n trusted.secret -v 'root only' "$d/file"
		setfattr -h -n trusted.onlink -v 'on a link' "$d/dangling"
	fi
	touch -d '2001-02-03 04:05:06.123456789' "$d/nothing" "$d/null" "$d/sock" "$d/pipe" 2>/dev/null
	touch -h -d '1999-12-31 23:59:59.000000001' "$d/dangling"
	touch -d '2010-10-10 10:10:10.101010101' "$d/empty" "$d/dir/deep"
}
