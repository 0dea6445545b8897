#!/usr/bin/env python3
"""Turn the JSON lines of `agentctl task --json` into a short story for people.

    demo-show.py [--width N] < events

The last line, "outcome TAB exit", goes to descriptor 3 where one is open.
"""

import json
import os
import sys
import textwrap

WIDTH = 96


def show(prefix, text, most=3):
    lines = [line for line in text.splitlines() if line.strip()]
    for line in lines[:most]:
        clean = "".join(c if c.isprintable() else "?" for c in line)
        room = WIDTH - len(prefix)
        print(prefix + (clean if len(clean) <= room else clean[: room - 3] + "..."))
    if len(lines) > most:
        print(f"{prefix}({len(lines) - most} more lines)")


def ms(value):
    return f"{value:.2f} ms" if value < 10 else f"{value:.0f} ms"


def ending(event):
    times = event.get("times", {})
    last = "abort" if event["outcome"] == "aborted" else "commit"
    named = (("begin", "begin_ms"), ("contain", "contain_ms"), ("vet", "vet_ms"), ("run", "run_ms"),
             ("check", "check_ms"), (last, "end_ms"))
    parts = [f"{name} {ms(times[key])}" for name, key in named if times.get(key)]
    counts = ", ".join(f"{event.get(k, 0)} {k}" for k in ("added", "changed", "deleted"))
    verb = "aborted, dropped" if event["outcome"] == "aborted" else event["outcome"]
    print(f"  = transaction {event.get('tx', '-')} {verb}: {counts}")
    print(f"    {', '.join(parts)}")


def main():
    outcome, code = "none", -1
    for line in sys.stdin:
        event = json.loads(line)
        kind = event["ev"]
        if kind == "task":
            print(f"  task: {event['text']}")
        elif kind == "say":
            show(f"  {event['provider']}: ", event["text"])
        elif kind == "call":
            show("  $ ", event["command"], 2)
        elif kind == "result" and event["text"].startswith("Refused"):
            print(textwrap.fill(event["text"], WIDTH, initial_indent="    ", subsequent_indent="    "))
        elif kind == "result":
            show("    ", event["text"])
        elif kind == "check":
            print(f"  check: status {event['status']}")
        elif kind == "end":
            ending(event)
            outcome, code = event["outcome"], event["exit"]
            if outcome in ("failed", "refused", "conflict"):
                show("    ", event.get("text", ""))
        sys.stdout.flush()
    try:
        os.write(3, f"{outcome}\t{code}\n".encode())
    except OSError:
        pass


if __name__ == "__main__":
    main()
