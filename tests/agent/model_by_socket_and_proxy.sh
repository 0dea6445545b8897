#!/bin/bash
# A model behind a Unix socket; and through the proxy that the environment names.
. "$TESTS/lib.sh"
# shellcheck source=tests/tools/modelserver.sh
. "$TESTS/tools/modelserver.sh"
requires_fuse
P=$TMP/project
make_project "$P"
cd "$P" || exit 1
model_serves --unix "$TMP/model.sock" < <(printf '%s\n' '{"run": "echo 1 > one"}' '{"finish": "so"}')
MODEL_URL=unix:$TMP/model.sock
model_task 'x' || fail "$(cat "$TMP/talk")"
eq 1 "$(cat one)"
asked 0 'r["path"] == "/v1/chat/completions"'
# a relative path, and a proxy that must not be asked
model_serves --unix "$TMP/other.sock" <<<'{"finish": "so"}'
MODEL_URL=unix:../other.sock
http_proxy=http://127.0.0.1:1 model_task 'x' || fail "$(cat "$TMP/talk")"
model_serves <<<'{"finish": "so"}'
proxy=${MODEL_URL%/v1}
MODEL_URL=http://model.example/other/
http_proxy=$proxy model_task 'x' || fail "$(cat "$TMP/talk")"
asked 0 'r["path"] == "http://model.example/other/chat/completions"'
