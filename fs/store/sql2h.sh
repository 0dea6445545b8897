#!/bin/sh
# sql2h.sh SCHEMA QUERIES: print a C header with the steps of SCHEMA and an enum and a table
# of the statements of QUERIES. The marks that steer this are described at the top of both
# files. Only the file that defines SQL_TABLES gets the texts.
set -eu
[ $# -eq 2 ] || { echo "usage: sql2h.sh SCHEMA QUERIES" >&2; exit 2; }

cat <<'END'
/* Made by fs/store/sql2h.sh from schema.sql and queries.sql; do not edit. */
#ifndef GEN_SQL_H
#define GEN_SQL_H

END

awk '
/^-- STMT / { names[n++] = toupper($3) }
END {
	print "enum sql_stmt {"
	for (i = 0; i < n; i++)
		print "\tSQL_" names[i] ","
	print "\tSQL_N\n};\n"
}' "$2"

# Text is quoted a line at a time. Comments at the left margin are ours alone; the others
# stay, so that `.schema` in the sqlite3 shell shows what each column means.
quote='
function quote(s) {
	sub(/[ \t]+$/, "", s)
	gsub(/\\/, "\\\\", s)
	gsub(/"/, "\\\"", s)
	return s
}'

awk "$quote"'
/^-- STEP / { steps++; next }
END { print "#define SQL_STEPS " steps "\n" }' "$1"

echo '#ifdef SQL_TABLES'
awk "$quote"'
BEGIN { print "static const char *const sql_steps[SQL_STEPS] = {" }
/^-- STEP / {
	if ($3 != ++n) { print "steps out of order: " $0 > "/dev/stderr"; exit 1 }
	if (n > 1) print "\t,"
	next
}
/^--/ || !n { next }
{ s = quote($0); if (s != "") print "\t\"" s "\\n\"" }
END { print "};\n" }' "$1"

awk "$quote"'
function flush() {
	if (name == "") return
	printf "\t[SQL_%s] = {\"%s\", %s,\n%s\t},\n", toupper(name), name, scan, text
}
BEGIN {
	print "static const struct {"
	print "\tconst char *name;"
	print "\tint scans; /* reads a whole table on purpose */"
	print "\tconst char *text;"
	print "} sql_stmts[SQL_N] = {"
}
/^-- STMT / { flush(); name = $3; scan = 0; text = ""; next }
/^-- SCAN / { scan = 1; next }
/^--/ { next }
{ s = quote($0); if (s != "") text = text "\t\t\"" s "\\n\"\n" }
END { flush(); print "};" }' "$2"
echo '#endif'
echo
echo '#endif'
