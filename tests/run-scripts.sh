#!/bin/bash
# run-scripts.sh BINDIR SUITE [NAME...]: run tests/SUITE/*.sh (or only those named) one
# after the other under tests/watchdog.py, which owns their time, processes and mounts.
exec python3 "$(dirname "$0")/watchdog.py" "$@"
