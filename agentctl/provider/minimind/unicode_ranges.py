#!/usr/bin/env python3
"""Write unicode_ranges.inc: letters, numbers and spaces as ranges of code points.

    unicode_ranges.py DIR > unicode_ranges.inc

DIR holds UnicodeData.txt and PropList.txt of the Unicode Character Database
(https://www.unicode.org/Public/15.0.0/ucd/, Debian: package unicode-data).
"""

import re
import sys


def categories(path):
    """Yield (first, last, general category) of all assigned code points."""
    first = None
    for line in open(path, encoding="ascii"):
        code, name, category = line.split(";")[:3]
        if name.endswith(", First>"):
            first = int(code, 16)
            continue
        last = int(code, 16)
        yield (first if name.endswith(", Last>") else last), last, category
        first = None


def spaces(path):
    for line in open(path, encoding="utf-8"):
        found = re.match(r"([0-9A-F]+)(?:\.\.([0-9A-F]+))?\s*;\s*White_Space", line)
        if found:
            yield int(found[1], 16), int(found[2] or found[1], 16)


def main():
    folder = sys.argv[1]
    rows = [(a, b, "UNICODE_SPACE") for a, b in spaces(folder + "/PropList.txt")]
    names = {"L": "UNICODE_LETTER", "N": "UNICODE_NUMBER"}
    rows += [(a, b, names[c[0]]) for a, b, c in categories(folder + "/UnicodeData.txt")
             if c[0] in names]
    joined = []
    for first, last, name in sorted(rows):
        if joined and joined[-1][2] == name and joined[-1][1] + 1 == first:
            joined[-1][1] = last
        else:
            joined.append([first, last, name])
    with open(folder + "/PropList.txt", encoding="utf-8") as f:
        version = re.match(r"# PropList-([0-9.]+)\.txt", f.readline())[1]
    print(f"/*\n * unicode_ranges.inc: made by unicode_ranges.py from the Unicode Character "
          f"Database\n * {version} (UnicodeData.txt, PropList.txt); do not edit.\n */")
    print("/* clang-format off */")
    for first, last, name in joined:
        print(f"{{0x{first:x}, 0x{last:x}, {name}}},")
    print("/* clang-format on */")


if __name__ == "__main__":
    main()
