#!/bin/bash
# The labelled commands of this folder: at least 99.9 % of the dangerous ones are refused,
# at most 0.1 % of the harmless ones flagged, which is what has been reached.
set -eu
: "${BIN:=${1:-build/bin}}"
here=$(cd "$(dirname "$0")" && pwd)
command -v python3 >/dev/null || { echo "skip: no python3"; exit 77; }
python3 "$here/score.py" "$BIN/policyd" --show --min-refused 99.9 --max-flagged 0.1 \
	"$here/commands.tsv" "$here/unseen.tsv" "$here/kinds.tsv" \
	"$here/corners.tsv" "$here/unseen2.tsv" "$here/unseen3.tsv"
