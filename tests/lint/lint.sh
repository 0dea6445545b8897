#!/bin/bash
# lint.sh CC FLAGS: what can be known without running anything. Layering (layers.py),
# every header on its own, form, static analysis, manuals, shell scripts. Only files that
# git tracks are looked at. Each check is one line; ends with `N passed, N failed`.
set -u
cc=${1:-gcc}
read -r -a flags <<<"${2:-}"
cd "$(dirname "$0")/../.." || exit 1
passed=0 failed=0 skipped=0
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
trap 'exit 130' INT TERM HUP

check() { # NAME CMD...
	local name=$1
	shift
	if "$@" >"$out/log" 2>&1; then
		echo "ok    $name"
		passed=$((passed + 1))
	else
		echo "FAIL  $name"
		head -n 60 "$out/log" | sed 's/^/     | /'
		failed=$((failed + 1))
	fi
}

check_with() { # TOOL NAME CMD...: skipped where the tool is not installed
	if command -v "$1" >/dev/null; then
		check "${@:2}"
	else
		echo "skip  $2: needs $1"
		skipped=$((skipped + 1))
	fi
}

tracked() { git ls-files -z -- "$@" | while IFS= read -r -d '' f; do
	[ -f "$f" ] && printf '%s\0' "$f"
done; }

headers_alone() {
	local h bad=0
	while IFS= read -r -d '' h; do
		"$cc" "${flags[@]}" -fsyntax-only -x c -include "$h" /dev/null || {
			echo "$h does not compile alone"
			bad=1
		}
	done < <(tracked '*.h')
	return $bad
}

formatted() {
	tracked '*.c' '*.h' | xargs -0 -r -n 1 -P "$(nproc)" sh -c '
		clang-format --dry-run -Werror "$0" 2>/dev/null ||
			{ echo "$0: run clang-format -i on it"; exit 1; }'
}

# Leaks are left to the sanitizers: cppcheck does not know the cleanup attribute, and calls
# every auto_free a leak. Macros of Check are not modelled either. What it found out is kept
# in the build folder, so that files that did not change cost nothing the next time.
analysed() {
	mkdir -p build/cppcheck
	tracked '*.c' | xargs -0 -r cppcheck --quiet --std=c11 --inline-suppr --error-exitcode=1 \
		--cppcheck-build-dir=build/cppcheck --enable=warning,performance,portability \
		--suppress=missingIncludeSystem --suppress=unknownMacro --suppress=memleak \
		--suppress=resourceLeak -I. -Iinclude -Ibuild/gen -D_GNU_SOURCE -D__GNUC__=12 \
		-j "$(nproc)"
}

manuals() {
	local m bad=0
	while IFS= read -r -d '' m; do
		mandoc -T lint -W warning "$m" || bad=1
	done < <(tracked 'man/*')
	return $bad
}

scripts() { tracked '*.sh' '.ci/run' | xargs -0 -r shellcheck -x -S warning; }

pythons() { tracked '*.py' | xargs -0 -r -n 1 python3 -c \
	'import ast, sys; ast.parse(open(sys.argv[1]).read(), sys.argv[1])'; }

check 'includes point down' python3 tests/lint/layers.py
check 'headers compile alone' headers_alone
check_with clang-format 'formatting' formatted
check_with cppcheck 'cppcheck' analysed
check_with mandoc 'manuals' manuals
check_with shellcheck 'shell scripts' scripts
# The model that is built in, and tools.json, are what their sources say.
model_files() {
	(cd agentctl/model/checkpoint && sha256sum --quiet -c SHA256SUMS) &&
		python3 agentctl/model/make_tools.py | cmp - agentctl/model/tools.json
}

check 'python files parse' pythons
check 'files of the small model' model_files
line="$passed passed, $failed failed"
[ "$skipped" -eq 0 ] || line="$line, $skipped skipped"
echo "$line"
[ "$failed" -eq 0 ]
