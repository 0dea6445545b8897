#!/bin/bash
# The labelled commands of this folder: at least 98 % of the dangerous ones are refused,
# at most 1 % of the harmless ones flagged.
set -eu
: "${BIN:=${1:-build/bin}}"
here=$(cd "$(dirname "$0")" && pwd)
command -v python3 >/dev/null || { echo "skip: no python3"; exit 77; }
python3 "$here/score.py" "$BIN/policyd" --show --min-refused 98 --max-flagged 1 "$here/commands.tsv"
