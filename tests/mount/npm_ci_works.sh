#!/bin/bash
# P6: `npm ci` of a small set of packed local packages, with a bin link and a dependency, in a
# private transaction; the base after commit equals the view, and the same work on ext4.
# timeout: 60
. "$TESTS/mount/helpers.bash"
requires node npm
B=$TMP/base M=$TMP/mnt P=$TMP/plain
export npm_config_cache=$TMP/cache npm_config_offline=true npm_config_audit=false npm_config_fund=false \
	npm_config_update_notifier=false npm_config_loglevel=error
mkdir -p "$TMP/src/inner/bin" "$TMP/src/outer/lib" "$TMP/packed" "$P" "$B"
echo '{"name":"inner","version":"1.0.0","bin":{"inner":"bin/run.js"},"main":"bin/run.js"}' >"$TMP/src/inner/package.json"
printf '#!/usr/bin/env node\nmodule.exports = 42;\nif (require.main === module) console.log("inner runs");\n' >"$TMP/src/inner/bin/run.js"
chmod 755 "$TMP/src/inner/bin/run.js"
for i in $(seq 40); do echo "exports.n = $i;" >"$TMP/src/outer/lib/m$i.js"; done
echo '{"name":"outer","version":"2.0.0","main":"lib/m1.js"}' >"$TMP/src/outer/package.json"
for p in inner outer; do (cd "$TMP/packed" && npm pack -s "$TMP/src/$p" >/dev/null) || fail 'npm pack'; done
mkdir -p "$P/app/packages" && cp "$TMP"/packed/*.tgz "$P/app/packages"
cat >"$P/app/package.json" <<'END'
{"name":"app","version":"1.0.0","dependencies":{"inner":"file:packages/inner-1.0.0.tgz","outer":"file:packages/outer-2.0.0.tgz"}}
END
(cd "$P/app" && npm install -s --package-lock-only) || fail 'npm install --package-lock-only'
cp -a "$P/app" "$B"
(cd "$P/app" && npm ci -s) || fail 'npm ci on ext4'
mount_ws "$B" "$M"
begin_private "$M"
cd "$VIEW/app" || exit 1
npm ci -s || fail 'npm ci in a view'
eq 'inner runs' "$(node_modules/.bin/inner)"
eq '42 1' "$(node -p 'require("inner") + " " + require("outer").n')"
manifest "$VIEW" >"$TMP/view"
cd / || exit 1
commit_tx "$M" "$ID"
manifest "$B" >"$TMP/b"
same_tree "$TMP/view" "$TMP/b" 'view and base differ'
manifest --no-times "$P" >"$TMP/want" && manifest --no-times "$B" >"$TMP/b"
same_tree "$TMP/want" "$TMP/b" 'ext4 and base differ'
begin_private "$M"
(cd "$VIEW/app" && npm ci -s) || fail 'a second npm ci'
abort_tx "$M" "$ID"
manifest "$M" >"$TMP/m"
same_tree "$TMP/view" "$TMP/m" 'abort of npm ci'
