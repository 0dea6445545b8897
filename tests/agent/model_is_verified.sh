#!/bin/bash
# TLS is always verified: an unknown issuer and another host's certificate end the work before
# anything was sent; the right authority lets it go on. Redirections and plain HTTP are no way
# around, and the key never leaves for anybody but the server that it was given for.
. "$TESTS/lib.sh"
# shellcheck source=tests/tools/modelserver.sh
. "$TESTS/tools/modelserver.sh"
requires_fuse
requires openssl
P=$TMP/project
make_project "$P"
cd "$P" || exit 1

make_cert() { # NAME SUBJECT-ALTERNATIVE
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -keyout "$TMP/$1.key" \
		-out "$TMP/$1.crt" -subj "/CN=$1" -addext "subjectAltName=$2" >"$TMP/openssl" 2>&1 ||
		fail "$(cat "$TMP/openssl")"
}
make_cert right IP:127.0.0.1
make_cert other DNS:elsewhere.example
umask 077
echo 'sk-file-0123456789abcdef' >"$TMP/key"

serves_tls() { # CERT
	model_serves --tls "$TMP/$1.crt" "$TMP/$1.key" <<-'END'
		{"run": "echo made > made"}
		{"finish": "so"}
	END
	MODEL_URL=https${MODEL_URL#http}
}

serves_tls right
status 1 model_task --retries 3 --key-file "$TMP/key" 'x'
has 'cannot be trusted' "$TMP/talk"
[ ! -s "$MODEL_OUT/requests" ] || fail 'sent to a server nobody vouches for'
model_task --ca-file "$TMP/right.crt" --key-file "$TMP/key" 'x' || fail "$(cat "$TMP/talk")"
eq made "$(cat made)"
grep -q 'Bearer sk-file-0123456789abcdef' "$MODEL_OUT/requests" || fail 'the key was not sent'
serves_tls other
status 1 model_task --ca-file "$TMP/other.crt" --key-file "$TMP/key" 'x'
has 'cannot be trusted' "$TMP/talk"
[ ! -s "$MODEL_OUT/requests" ] || fail 'sent to another host'
# HTTP where TLS is wanted
model_serves <<<'{"finish": "so"}'
MODEL_URL=https${MODEL_URL#http}
status 1 model_task --retries 0 --key-file "$TMP/key" 'x'
[ ! -s "$MODEL_OUT/requests" ] || fail 'sent without TLS'
status 125 model_task --ca-file "$TMP/none" 'x'
