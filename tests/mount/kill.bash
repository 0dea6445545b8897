# shellcheck shell=bash
# kill.bash: kill_rounds COUNT SEED: kill the daemon COUNT times at random points of a commit,
# and of the time before it, and look at what is left.

kill_start() { # DIR
	mkdir -p "$1/old/deep" "$1/swap1" "$1/swap2"
	for i in $(seq 60); do echo "$i" >"$1/old/f$i"; done
	for i in $(seq 20); do seq 3000 >"$1/old/deep/g$i"; done
	echo a >"$1/swap1/a" && echo b >"$1/swap2/b"
	ln "$1/old/f1" "$1/link1"
}

kill_change() { # DIR
	(
		cd "$1" || exit
		for i in $(seq 30); do echo new >>"old/f$i"; done
		rm old/f4? && mkdir -p made/deep && for i in $(seq 80); do echo m >"made/deep/n$i"; done
		mv swap1 t && mv swap2 swap1 && mv t swap2
		mv old/deep moved && for i in $(seq 10); do echo tail >>"moved/g$i"; done
		mv old/f50 old/f51 && ln old/f52 made/link && chmod 600 old/f53 && truncate -s 10 moved/g15
		rm link1 && ln -s old link1 && mkfifo made/pipe && setfattr -n user.a -v b old/f54
	)
}

kill_round() { # NUMBER DELAY-IN-MS
	local state got=0 pid
	rm -rf "$B" "$TMP"/store-* && mkdir -p "$B"
	kill_start "$B"
	manifest "$B" >"$TMP/none"
	mount_ws "$B" "$M" -o interval=600
	begin_private "$M"
	kill_change "$VIEW"
	manifest "$VIEW" >"$TMP/all"
	pid=$(daemon_pid "$M")
	txfs -C "$M" commit --tx "$ID" >"$TMP/out" 2>"$TMP/err" &
	sleep "$(printf '0.%04d' "$2")"
	kill -9 "$pid" || fail "no daemon to kill in round $1"
	wait $! || got=$?
	wait_for 10 gone "$M"
	txfs mount --store "$TMP/store-mnt" "$B" "$M" >"$TMP/out" 2>&1 || {
		cat "$TMP/out" >&2
		fail "round $1, after $2/10 ms: the next mount fails"
	}
	state=$(state_of "$M" "$ID")
	manifest "$B" >"$TMP/base.m"
	manifest "$M" >"$TMP/main.m"
	case $state in
	committed) same_tree "$TMP/all" "$TMP/base.m" "round $1, after $2/10 ms: committed, but half in the base" ;;
	suspended)
		[ "$got" != 0 ] || fail "round $1, after $2/10 ms: commit said done, but is suspended"
		same_tree "$TMP/none" "$TMP/base.m" "round $1, after $2/10 ms: suspended, but the base changed"
		;;
	*) fail "round $1, after $2/10 ms: state '$state'" ;;
	esac
	same_tree "$TMP/base.m" "$TMP/main.m" "round $1, after $2/10 ms: base and main view differ"
	if [ "$state" = suspended ]; then
		commit_tx "$M" "$ID"
		manifest "$B" >"$TMP/base.m"
		same_tree "$TMP/all" "$TMP/base.m" "round $1, after $2/10 ms: commit of what was suspended"
	fi
	echo "round $1: killed after $2/10 ms: $state"
	txfs umount "$M" || fail "round $1: umount"
	eq 0 "$(find "$TMP" -path '*.txfs-stage*' -type f 2>/dev/null | wc -l)" "round $1: staged files left"
}

kill_rounds() { # COUNT SEED
	local i
	B=$TMP/base M=$TMP/mnt
	RANDOM=$2
	for i in $(seq "$1"); do
		kill_round "$i" $((i % 3 ? RANDOM % 400 : RANDOM % 1500))
	done
}
