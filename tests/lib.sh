# shellcheck shell=bash
# lib.sh: what test scripts share. Source it first: . "$TESTS/lib.sh"
#
# The runner gives TMP (scratch), BIN (programs, also first in PATH), TESTS, SRC, and
# private HOME, TMPDIR, XDG_RUNTIME_DIR and TXFS_STATE_DIR inside TMP.
#
#	fail TEXT...               end the test as failed
#	skip TEXT...               end the test as skipped, with the reason
#	requires CMD...            skip unless every command is there
#	requires_root              skip unless uid 0
#	requires_fuse              skip unless /dev/fuse can be opened
#	requires_libfuzzer         skip unless clang can build with it
#	programs_for_users         let other users run the programs, wherever the tree lies
#	at_exit COMMAND            run COMMAND at the end, the last one given first
#	eq WANT GOT [TEXT]         fail unless the strings are equal
#	status WANT CMD...         fail unless CMD exits with WANT
#	has TEXT FILE              fail unless FILE contains TEXT
#	manifest DIR > FILE        one line for each file: all that "the same" means
#	same_tree A B [TEXT]       fail unless two manifests are equal; shows the difference
#	mount_ws BASE [MNT [OPT..]]  txfs mount with a store in TMP, unmounted at exit
#	wait_for SECONDS CMD...    until CMD succeeds; fail when the time is over
#	make_project DIR           a small git project with all kinds of files
#	event_of FILE EV KEY       a value of the last JSON line of FILE with this "ev"
#	stop_policyd               end the policy daemon that this test caused
set -u

# A test may send its standard error elsewhere; why it failed is still shown.
exec {lib_stderr}>&2

at_exit_list=()
run_at_exit() {
	local status=$? i
	trap - EXIT
	set +e
	stop_policyd # while its socket is still there
	for ((i = ${#at_exit_list[@]} - 1; i >= 0; i--)); do
		eval "${at_exit_list[i]}"
	done
	exit "$status"
}
trap run_at_exit EXIT
trap 'exit 130' INT TERM

# Above the tree there may be a directory that others cannot enter, as /root.
programs_for_users() {
	mkdir "$TMP/programs" && cp "$BIN"/{txfs,policyd,agentctl} "$TMP/programs" &&
		chmod 755 "$TMP" "$TMP/programs" "$TMP/programs"/* || fail 'cannot copy the programs'
	export BIN=$TMP/programs PATH=$TMP/programs:$PATH
}

at_exit() { at_exit_list+=("$1"); }

fail() {
	echo "FAILED at ${BASH_SOURCE[-1]##*/}:${BASH_LINENO[-2]}: $*" >&"$lib_stderr"
	exit 1
}

skip() {
	echo "$*"
	exit 77
}

requires() {
	local c
	for c in "$@"; do
		command -v "$c" >/dev/null || skip "needs $c"
	done
}

requires_root() { [ "$(id -u)" = 0 ] || skip "needs root"; }

requires_libfuzzer() {
	requires clang
	echo 'int LLVMFuzzerTestOneInput(const char *p, long n) { return 0; }' |
		clang -fsanitize=fuzzer -x c - -o "$TMP/fuzzer-works" 2>/dev/null || skip 'clang has no libFuzzer'
}

requires_fuse() { (: <>/dev/fuse) 2>/dev/null || skip "needs /dev/fuse"; }

# Long values are shown cut: a line of the log is read by people.
eq() { [ "$1" = "$2" ] || fail "${3:-values differ}: want '${1:0:1000}', got '${2:0:1000}'"; }

status() {
	local want=$1 got=0
	shift
	"$@" || got=$?
	[ "$got" = "$want" ] || fail "want exit $want, got $got: $*"
}

has() { grep -qF -e "$1" "$2" || { cat "$2" >&2; fail "'$1' is not in $2"; }; }

manifest() { python3 "$TESTS/manifest.py" "$@"; }

same_tree() {
	cmp -s "$1" "$2" && return
	diff "$1" "$2" | head -n 40 >&2
	fail "${3:-trees differ}"
}

# The store's path is short and its own for each mount point.
mount_ws() {
	local base=$1 mnt=${2:-$1} store
	shift $(($# < 2 ? $# : 2))
	store=$TMP/store-$(basename "$mnt")
	mkdir -p "$base" "$mnt"
	if [ "$base" = "$mnt" ]; then
		"$BIN/txfs" mount --store "$store" "$@" "$base" || fail "cannot mount $base"
	else
		"$BIN/txfs" mount --store "$store" "$@" "$base" "$mnt" || fail "cannot mount $base"
	fi
	at_exit "mountpoint -q '$mnt' && { cd /; '$BIN/txfs' umount '$mnt' || umount -l '$mnt'; }"
}

wait_for() {
	local end=$((SECONDS + $1 * ${SLOW:-1}))
	shift
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || fail "waited in vain for: $*"
		sleep 0.05
	done
}

make_project() {
	mkdir -p "$1/src" "$1/build" "$1/empty"
	git -C "$1" init -q
	echo 'int main(void) { return 0; }' >"$1/src/main.c"
	printf 'all:\n\tcc -o build/main src/main.c\n' >"$1/Makefile"
	echo '/build/' >"$1/.gitignore"
	git -C "$1" add . && git -C "$1" commit -q -m 'first'
	echo 'object' >"$1/build/main.o"
	ln "$1/build/main.o" "$1/build/twin.o"
	ln -s ../src/main.c "$1/build/link"
	mkfifo "$1/build/pipe"
	echo 'not tracked' >"$1/note with blanks.txt"
	chmod 600 "$1/note with blanks.txt"
	touch -d '2003-02-01 10:20:30.123456789' "$1/note with blanks.txt"
}

event_of() {
	python3 - "$@" <<-'END'
		import json, sys
		rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
		rows = [r for r in rows if r["ev"] == sys.argv[2]]
		value = rows[-1].get(sys.argv[3], "") if rows else "no such event"
		print(value if isinstance(value, str) else json.dumps(value))
	END
}

# The daemon is found by asking the kernel who listens on this test's own socket.
stop_policyd() {
	local pid
	pid=$(python3 - "$XDG_RUNTIME_DIR/txfs/policyd.sock" <<-'END'
		import socket, struct, sys
		s = socket.socket(socket.AF_UNIX)
		try:
		    s.connect(sys.argv[1])
		    print(struct.unpack("3i", s.getsockopt(1, 17, 12))[0])
		except OSError:
		    pass
	END
	)
	[ -z "$pid" ] || [ "$pid" -le 1 ] || kill "$pid" 2>/dev/null
	return 0
}
