#!/bin/bash
# P6: a C project with a library, dependencies and an in-source build is built, tested, rebuilt
# after an edit and cleaned in a private transaction, as on ext4.
# timeout: 60
. "$TESTS/mount/helpers.bash"
requires make cc ar
B=$TMP/base M=$TMP/mnt
mkdir -p "$B/src" "$B/include"
for i in $(seq 12); do
	printf '#include "all.h"\nint f%d(void) { return %d + BASE; }\n' "$i" "$i" >"$B/src/f$i.c"
done
{ echo '#define BASE 100' && for i in $(seq 12); do echo "int f$i(void);"; done; } >"$B/include/all.h"
printf '#include <stdio.h>\n#include "all.h"\nint main(void) { printf("%%d\\n", f1() + f12()); return 0; }\n' >"$B/src/main.c"
cat >"$B/Makefile" <<'END'
OBJ = $(patsubst src/%.c,obj/%.o,$(wildcard src/f*.c))
prog: obj/main.o libf.a
	$(CC) -o $@ obj/main.o -L. -lf
libf.a: $(OBJ)
	ar rcs $@ $^
obj/%.o: src/%.c
	@mkdir -p obj
	$(CC) -Iinclude -MMD -c -o $@ $<
clean:
	rm -rf obj libf.a prog
-include $(wildcard obj/*.d)
END
mount_ws "$B" "$M"
begin_private "$M"
cd "$VIEW" || exit 1
make -s -j2 || fail make
eq 213 "$(./prog)"
eq "make: 'prog' is up to date." "$(make)" 'make builds again without a change'
sed -i 's/100/200/' include/all.h
make -s -j2 || fail 'make after an edit'
eq 413 "$(./prog)"
manifest . >"$TMP/view"
cd / || exit 1
commit_tx "$M" "$ID"
manifest "$B" >"$TMP/b"
same_tree "$TMP/view" "$TMP/b" 'view and base differ'
eq 413 "$("$B/prog")"
eq 413 "$("$M/prog")"
eq "make: 'prog' is up to date." "$(make -C "$M" --no-print-directory)" 'make builds again after commit'
eq "make: 'prog' is up to date." "$(make -C "$B" --no-print-directory)" 'make builds again in the base'
begin_private "$M"
make -s -C "$VIEW" clean && make -s -C "$VIEW" -j2 && make -s -C "$VIEW" clean || fail 'clean and build'
abort_tx "$M" "$ID"
manifest "$M" >"$TMP/m"
same_tree "$TMP/view" "$TMP/m" 'abort of a clean'
