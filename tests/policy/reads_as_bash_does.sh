#!/bin/bash
# The reader beside bash: it parses what bash parses, and predicts what bash starts.
set -eu
: "${BIN:=${1:-build/bin}}"
here=$(cd "$(dirname "$0")" && pwd)
command -v python3 >/dev/null || { echo "skip: no python3"; exit 77; }
python3 "$here/differential.py" "$BIN/policyd" exec 300
python3 "$here/differential.py" "$BIN/policyd" parse 1200 \
	"$here/commands.tsv" "$here/unseen.tsv" "$here/kinds.tsv" \
	"$here/corners.tsv" "$here/unseen2.tsv" "$here/unseen3.tsv"
