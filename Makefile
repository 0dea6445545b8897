# txfs: a transactional workspace for coding agents.
#
# Targets
#   all (default)   build/bin/{txfs,policyd,agentctl}, libtxfs.a
#   deps            install the Debian packages that building and testing need
#   demo            what building needs, build, and three tasks on a copy of this repository
#   check           deps, build, every test; exits non-zero if one fails
#   check-unit      unit tests (Check), nothing mounted
#   check-mount     mount tests (scripts below tests/mount)
#   check-policy    the labelled commands of tests/policy against policyd
#   check-agent     agentctl end to end
#   check-long      longer versions of the same (crash points, soak)
#   lint            layering, headers, formatting, static analysis, manuals
#   bench-policy    verdicts on labelled commands, class by class, and their latency
#   bench-quick     txfs beside ext4 and fuse-overlayfs, under three minutes
#   model           train the small model that is built in (agentctl/model/model.mk)
#   install         to $(DESTDIR)$(PREFIX)
# Knobs
#   V=1             show commands            W=1   warnings do not stop the build
#   D=asan,ubsan    or D=tsan: sanitizers    CC=clang
#   SLOW=N          tests have N times as long (default 1; more with D)
#
# A source file belongs to the program whose folder it lies in; there is no list of
# files to keep. Objects of each sanitizer setting live in their own build folder.

PREFIX  ?= /usr/local
DESTDIR ?=
UNITDIR ?= $(PREFIX)/lib/systemd/user
CC      ?= gcc
ifeq ($(origin CC),default)
CC      := gcc
endif

comma   := ,
B       := build$(if $(D),/$(subst $(comma),-,$(D)))
BIN     := $(B)/bin
Q       := $(if $(V),,@)
say      = $(if $(V),,@printf '  %-6s %s\n' $(1) $(2))

PKGS_FS     := fuse3 sqlite3 libxxhash
PKGS_POLICY := yaml-0.1 json-c libpcre2-8 libseccomp
PKGS_AGENT  := json-c libseccomp
PKGS_ALL    := fuse3 sqlite3 libxxhash yaml-0.1 json-c libpcre2-8 libseccomp
# Only their headers are compiled against: agentctl loads a library when it needs it.
PKGS_HEADER := libcurl libedit libmicrohttpd

SAN_asan  := -fsanitize=address
SAN_ubsan := -fsanitize=undefined -fno-sanitize-recover=undefined
SAN_tsan  := -fsanitize=thread
SAN       := $(foreach d,$(subst $(comma), ,$(D)),$(SAN_$(d)))

SLOW    ?= $(if $(D),$(if $(findstring tsan,$(D)),6,4),1)
export SLOW

CFLAGS  ?= -O2 -g
CFLAGS_ALL := $(CFLAGS) $(SAN) $(if $(D),-fno-omit-frame-pointer) -std=gnu11 -pthread \
	-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
	-Wno-unused-parameter $(if $(W),,-Werror) \
	-D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DFUSE_USE_VERSION=312 -I. -Iinclude -I$(B)/gen \
	$(shell pkg-config --cflags $(PKGS_ALL) $(PKGS_HEADER) 2>/dev/null)
# As shared libraries of gcc they share names, and log_path is asan's alone.
SAN_LD    := $(if $(findstring clang,$(CC)),,$(patsubst %,-static-lib%,$(subst $(comma), ,$(D))))
LDFLAGS_ALL := $(LDFLAGS) $(SAN) $(SAN_LD) -pthread

src = $(sort $(foreach d,$(1),$(wildcard $(d)/*.c)))
obj = $(patsubst %.c,$(B)/obj/%.o,$(1))

SRC_common := $(call src,common)
SRC_client := $(call src,fs/client)
SRC_fs     := $(call src,fs/cmd fs/fuse fs/tx fs/tree fs/block fs/store fs/base)
SRC_shell  := $(call src,policyd/shell)
SRC_pclient:= $(call src,policyd/client)
SRC_audit  := $(addprefix policyd/audit/,chain.c mask.c sha256.c)
SRC_policy := $(call src,policyd/server policyd/rules policyd/audit)
SRC_agent  := $(call src,agentctl/repl agentctl/mcp agentctl/serve agentctl/loop agentctl/tool agentctl/provider \
	agentctl/provider/minimind agentctl/provider/small agentctl/provider/brain agentctl/sandbox)

GEN := $(B)/gen/sql.h $(B)/gen/policy_data.h

all: $(BIN)/txfs $(BIN)/policyd $(BIN)/agentctl $(B)/libtxfs.a

# --- generated: SQL and data files become tables -------------------------------------
$(B)/gen/sql.h: fs/store/schema.sql fs/store/queries.sql fs/store/sql2h.sh
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D) && sh fs/store/sql2h.sh fs/store/schema.sql fs/store/queries.sql > $@.tmp && mv $@.tmp $@

$(B)/gen/policy_data.h: $(wildcard policyd/data/*) policyd/data2h.sh
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D) && sh policyd/data2h.sh policyd/data > $@.tmp && mv $@.tmp $@

$(B)/obj/%.o: %.c | $(GEN)
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

libs = $(shell pkg-config --libs $(1))

$(BIN)/txfs: $(call obj,fs/main.c $(SRC_fs) $(SRC_client) $(SRC_common))
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(LDFLAGS_ALL) -o $@ $^ $(call libs,$(PKGS_FS))

$(BIN)/policyd: $(call obj,policyd/main.c $(SRC_policy) $(SRC_shell) $(SRC_pclient) $(SRC_common))
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(LDFLAGS_ALL) -o $@ $^ $(call libs,$(PKGS_POLICY))

$(BIN)/agentctl: $(call obj,agentctl/main.c $(SRC_agent) $(SRC_client) $(SRC_pclient) $(SRC_audit) $(SRC_common))
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(LDFLAGS_ALL) -o $@ $^ $(call libs,$(PKGS_AGENT)) -lm

$(B)/libtxfs.a: $(call obj,$(SRC_client) $(SRC_common))
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

# --- unit tests: one Check program a folder below tests/unit ---------------------------
UNITS := $(patsubst tests/unit/%/main.c,%,$(wildcard tests/unit/*/main.c))
UNITBINS := $(UNITS:%=$(B)/tests/unit-%)
UNITSRC_common  := $(SRC_common)
UNITSRC_fs      := $(SRC_fs) $(SRC_client) $(SRC_common)
UNITSRC_policyd := $(SRC_policy) $(SRC_shell) $(SRC_pclient) $(SRC_common)
UNITSRC_agentctl:= $(SRC_agent) $(SRC_client) $(SRC_pclient) $(SRC_audit) $(SRC_shell) $(SRC_common)

define unit_rule
$(B)/tests/unit-$(1): $$(call obj,$$(call src,tests/unit/$(1)) $$(UNITSRC_$(1)))
	$$(call say,LD,$$@)
	$$(Q)mkdir -p $$(@D) && $$(CC) $$(LDFLAGS_ALL) -o $$@ $$^ $$(call libs,check $$(PKGS_ALL)) -lm
endef
$(foreach u,$(UNITS),$(eval $(call unit_rule,$(u))))

unit-tests: $(UNITBINS)

check-unit: $(UNITBINS)
	$(Q)bash tests/run-unit.sh $(UNITBINS)

# --- small programs that test scripts and benchmarks use ------------------------------
TOOLS := $(patsubst tests/tools/%.c,$(B)/tests/tools/%,$(wildcard tests/tools/*.c))

$(B)/tests/tools/%: tests/tools/%.c $(B)/libtxfs.a
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $^ $(call libs,fuse3)

tools: $(TOOLS)

check-mount: all tools
	$(Q)bash tests/run-scripts.sh $(BIN) mount $(TESTS)

check-policy: all
	$(Q)bash tests/run-scripts.sh $(BIN) policy $(TESTS)

check-agent: all
	$(Q)bash tests/run-scripts.sh $(BIN) agent $(TESTS)

deps:
	$(Q)sh tests/deps.sh

# deps must have finished before pkg-config is asked, so the rest is a second make.
check: deps
	$(Q)$(MAKE) --no-print-directory check-all

check-all: all unit-tests tools
	$(Q)bash tests/check.sh $(BIN) $(B)

check-long: deps
	$(Q)$(MAKE) --no-print-directory all tools && bash tests/run-scripts.sh $(BIN) long $(TESTS)

demo:
	$(Q)sh tests/deps.sh build
	$(Q)$(MAKE) --no-print-directory all && bash tests/demo.sh $(BIN)

lint: all
	$(Q)bash tests/lint/lint.sh "$(CC)" "$(filter-out -fsanitize%,$(CFLAGS_ALL))"

bench-policy: all tools
	$(Q)python3 benchmarks/policy.py $(BIN) --expect tests/policy/expect.tsv

bench-quick: all tools
	$(Q)bash benchmarks/quick.sh $(BIN)

include agentctl/model/model.mk

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib \
		$(DESTDIR)$(PREFIX)/include/txfs
	install -m 755 $(BIN)/txfs $(BIN)/policyd $(BIN)/agentctl $(DESTDIR)$(PREFIX)/bin
	for s in 1 4 5 7 8; do for m in man/*.$$s; do [ ! -f $$m ] || \
		install -D -m 644 $$m $(DESTDIR)$(PREFIX)/share/man/man$$s/$${m##*/}; done; done
	install -D -m 644 policyd/systemd/policyd.socket $(DESTDIR)$(UNITDIR)/policyd.socket
	sed 's|@BINDIR@|$(PREFIX)/bin|' policyd/systemd/policyd.service.in \
		> $(DESTDIR)$(UNITDIR)/policyd.service
	chmod 644 $(DESTDIR)$(UNITDIR)/policyd.service
	install -D -m 644 agentctl/hooks/opencode.js $(DESTDIR)$(PREFIX)/share/txfs/opencode.js
	install -m 644 $(B)/libtxfs.a $(DESTDIR)$(PREFIX)/lib
	install -m 644 $(wildcard include/txfs/*.h) $(DESTDIR)$(PREFIX)/include/txfs

clean:
	rm -rf build

.PHONY: all deps demo check check-all check-unit check-mount check-policy check-agent \
	check-long lint bench-quick bench-policy install clean unit-tests tools
.DELETE_ON_ERROR:

# Taken in by .incbin, which -MMD does not see.
$(B)/obj/agentctl/tool/data.o: $(wildcard agentctl/data/*)
$(B)/obj/agentctl/provider/small/checkpoint.o: $(wildcard agentctl/model/checkpoint/* agentctl/model/tools.json)

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
