#!/bin/sh
# Turn the data files into a C header: DIR/NAME.tsv becomes the table policy_NAME, rows
# of columns, sorted by the first; DIR/NAME.yaml becomes the string policy_NAME_yaml.
# A first column "a,b" stands for two rows. Usage: data2h.sh DIR > policy_data.h
set -eu
export LC_ALL=C
echo "/* Made by data2h.sh from the files in policyd/data; do not edit. */"
for f in "$1"/*.tsv; do
	name=$(basename "$f" .tsv)
	printf 'static const char *const *const policy_%s[] __attribute__((unused)) = {\n' "$name"
	awk -F '\t' '!/^#/ && NF {
		n = split($1, key, ",")
		for (i = 1; i <= n; i++) {
			printf "%s", key[i]
			for (j = 2; j <= 8; j++)
				printf "\t%s", $j
			print ""
		}
	}' "$f" | sort -s -t '	' -k 1,1 | awk -F '\t' '{
		gsub(/\\/, "\\\\")
		gsub(/"/, "\\\"")
		printf "\t(const char *const[]){"
		for (j = 1; j <= 8; j++)
			printf "\"%s\", ", $j
		print "0},"
	}'
	echo '};'
done
for f in "$1"/*.yaml; do
	[ -e "$f" ] || continue
	printf 'static const char policy_%s_yaml[] __attribute__((unused)) =\n' "$(basename "$f" .yaml)"
	sed 's/\\/\\\\/g; s/"/\\"/g; s/.*/\t"&\\n"/' "$f"
	echo '	"";'
done
