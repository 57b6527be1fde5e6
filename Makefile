# SPDX-License-Identifier: MIT
#
# Loom: every task of a developer or user starts here. `make help-all` lists the targets.
#
# One make without recursion: sources are found by wildcards, so that a new file needs no
# change here, and all products are under build/. What takes more than a few commands (the
# VM, the test run, downloads) is a script in tools/ci or tools/vm; this file only has the
# dependencies.

# as userlib/include/loom_version.h says
VERSION	:= $(shell sed -n 's/^.define LOOM_VERSION_[A-Z]*\t\([0-9]\)/\1/p' \
		userlib/include/loom_version.h | paste -sd .)
SOMAJOR	:= 1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SECONDARY:
MAKEFLAGS += --no-builtin-rules

O	:= build
CORE	:= drivers/accel/loom/core
T	:= tools/testing

PREFIX	?= /usr/local
LIBDIR	?= $(PREFIX)/lib
DESTDIR	?=
KREL	?= $(shell uname -r)

# pkg-config may not be installed before `make deps`: it is called when it is first needed, once
modules		:= libdrm libprotobuf-c libpng yaml-0.1
drm_cflags	= $(eval drm_cflags := $$(call pkg,--cflags libdrm))$(drm_cflags)
dep_libs	= $(eval dep_libs := $$(call pkg,--libs $$(modules)))$(dep_libs)
missing		= $1 is missing, try: make deps
pkg		= $(shell pkg-config $1 2>/dev/null)$(if $(filter-out 0,$(.SHELLSTATUS)),$(error \
			$(call missing,what "pkg-config $1" looks for)))

CC		:= gcc
WARN		:= -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -Wvla -Werror
CFLAGS		?= -O2 -g
CPPFLAGS_ALL	= -D_GNU_SOURCE -Iuapi -Iuserlib/include -Iuserlib -I$(CORE) \
		  -I$(O)/gen $(drm_cflags) $(CPPFLAGS)
# what the device's model shares with the driver
sim_cppflags	= $(if $(filter tools/sim/%,$*),-Idrivers/accel/loom -Itools)
# the memory of what makes graphs and programs is counted, see userlib/base/memory.h
memory_cppflags	= $(if $(filter userlib/%,$(filter-out userlib/ort/% userlib/loomplace/memory,$*)),-include \
		  userlib/base/memory.h)
# for what lies in $(T) alone: nothing else can include a header of the tests. Those of the host are
# compiled in half the time, and run as fast.
test_cppflags	= $(if $(filter $(T)/%,$*),-I$(T) -I$(CORE)/../tests) $(if $(filter $(T)/host/%,$*),-Og)
# no contraction to FMA: results are the same to the bit on every machine; and nobody puts functions of
# theirs before the library's own, so that it need not call them as if they were elsewhere
CFLAGS_ALL	= -std=gnu11 -fPIC -fno-semantic-interposition -ffp-contract=off $(WARN) $(CFLAGS) \
		  -MMD -MP
LIBS		= $(dep_libs) -lm -lpthread
# What is read before it was written has a pattern that it has not elsewhere: results differ then.
SANITIZE	:= -fsanitize=address,undefined -fno-sanitize-recover=all \
		   -fno-omit-frame-pointer -ftrivial-auto-var-init=pattern -Og -g1

# Inner loops are written to be vectorised across outputs, never along a sum.
FLAGS_FP	:= -O2 -ftree-vectorize -fvect-cost-model=dynamic -fno-math-errno -fno-trapping-math

# The engine's arithmetic again for what newer processors have; core/engine/compute.c chooses.
fp_src		:= $(wildcard $(CORE)/engine/fp_*.c)
ifneq ($(filter x86_64-%,$(shell $(CC) -dumpmachine 2>/dev/null)),)
ISAS		:= avx2 avx512 vnni
endif
ISA_avx2	:= -mavx2 -mf16c
ISA_avx512	:= -mavx512f -mavx512bw -mavx512dq -mavx512vl -mf16c -mprefer-vector-width=512
ISA_vnni	:= $(ISA_avx512) -mavx512vnni
flags_$(CORE)/engine/compute := $(if $(ISAS),-DLOOM_ENGINE_AVX2 -DLOOM_ENGINE_AVX512)

# what ONNX Runtime loads is no part of the library
ep_src		:= $(wildcard userlib/ort/*.c)
# libloomplace is made of the placer's objects, and of what is only in it
place_src	:= $(wildcard userlib/loomplace/*.c)
lib_src		:= $(filter-out $(ep_src) $(place_src),$(wildcard userlib/*/*.c userlib/*/*/*.c $(CORE)/*/*.c $(CORE)/*/*/*.c))
tool_src	:= $(wildcard tools/loom/*.c tools/loom/*/*.c)
sim_src		:= $(wildcard tools/sim/*.c)
test_src	:= $(wildcard $(addsuffix /*.c,$(T)/host/* $(T)/host/*/*))
e2e_src		:= $(wildcard $(T)/e2e/*.c)
bench_src	:= $(wildcard $(T)/bench/*.c)
fuzz_src	:= $(wildcard $(T)/fuzz/*.c)

lib_obj		:= $(lib_src:%.c=$(O)/obj/%.o) $(O)/obj/gen/onnx.pb-c.o $(O)/obj/gen/chips.o \
		   $(foreach i,$(ISAS),$(fp_src:%.c=$(O)/obj/isa/$i/%.o))
tool_obj	:= $(tool_src:%.c=$(O)/obj/%.o) $(O)/obj/gen/view_page.o
asan_obj	:= $(lib_obj:$(O)/obj/%=$(O)/asan/obj/%)
test_bin	:= $(test_src:$(T)/host/%.c=$(O)/host/%)
asan_bin	:= $(test_src:$(T)/host/%.c=$(O)/asan/host/%)
e2e_bin		:= $(e2e_src:$(T)/e2e/%.c=$(O)/e2e/%)
bench_bin	:= $(bench_src:$(T)/bench/%.c=$(O)/bench/%)
fuzz_bin	:= $(fuzz_src:$(T)/fuzz/%.c=$(O)/asan/fuzz/%)
uapi_headers	:= $(wildcard uapi/drm/*.h)
tool_bin	:= $(if $(tool_src),$(O)/loom)
asan_tool	:= $(if $(tool_src),$(O)/asan/loom)
sim_bin		:= $(O)/loom-sim

.PHONY: help help-all
help:
	@echo 'Loom $(VERSION)'
	@echo
	@echo '  make run          read a line of type with PP-OCR on the device node, in a VM'
	@echo '  make run-llm      train a small language model, let it write on the device node, in a VM'
	@echo '  make check        build everything, run the tests, here and in the VM'
	@echo '  make tools        build/loom, build/loom-sim, and the library that they use'
	@echo '  make module       loom.ko and loom_soft.ko in build/module/drivers/accel/loom for the VM kernel'
	@echo '  make lint         checkpatch, kernel-doc, sparse, UAPI header, rooms and floors'
	@echo '  make docs         Documentation/ as pages: build/docs/index.html'
	@echo '  make install      module (dkms), library, headers, tool, udev rule; DESTDIR= PREFIX='
	@echo
	@echo 'All products and downloads are under build/. make help-all lists all targets.'

help-all: help
	@echo
	@echo '  make run          TEXT="..." sets the line, MODEL=path INPUT=path runs your own,'
	@echo '                    DEVICE=pci runs it on a device on the bus, see Documentation/sim.rst'
	@echo '  make check-debug  build an instrumented kernel (once), run KUnit and the selftests on it'
	@echo '                    KERNEL=backports takes the newest source of Debian backports for it'
	@echo
	@echo '  make check-more   the tests again with sanitizers, all strategies, other chips, threads'
	@echo '  make check-long   random memory operations, storms of clients, packages, Slurm; the next two'
	@echo '  make check-pci    the device on the bus, in a VM with a QEMU that is fetched for it'
	@echo '  make check-rest   check-more, check-pci and check-debug at once, but for three parts'
	@echo '  make check-arm64  library, tool and module cross-built for ARM: host tests, the node, same bits'
	@echo
	@echo '  make lib          build/libloom.so, build/libloom.a; the placer alone: build/libloomplace.so, .a'
	@echo '  make python       the package loom for Python: build/python'
	@echo '  make ep           build/libloom_ep.so, which ONNX Runtime loads; fetches its headers'
	@echo '  make tsan         threads, teams and pipelines, with the sanitizer that sees data races'
	@echo '  make host-tests   build and run the tests that need no kernel, plain and with ASan'
	@echo '  make kselftest    build the kernel selftests and run them in the VM'
	@echo '  make bench        build the benchmarks and print their figures'
	@echo '  make bench-alloc  the allocator: refusals by family of traces, times; bench-masks: some banks'
	@echo '  make bench-lanes  two clients on half of the lanes each, beside turns on all of them'
	@echo '  make bench-engine speed of the engine on networks beside ONNX Runtime'
	@echo '  make bench-models arenas of real networks: peak over bound by strategy'
	@echo '  make golden       write anew what plans of networks and of random graphs cost, as tables'
	@echo '  make mutants      break the code and look whether tests notice: COUNT=100 SEED=1 AREA='
	@echo '  make planted      remove checks one by one and look whether fuzzers notice: FUZZER='
	@echo '  make coverage     lines of the core that its tests reach: TESTS="core/verify/rules ..."'
	@echo '  make coverage-module  lines of the module that selftests and KUnit reach: PARTS="node bus" SHOW=1'
	@echo '  make fuzz         all fuzzers, guided by libFuzzer (clang): FUZZ_SECONDS=600 TARGETS="plan files"'
	@echo '  make fuzz-place   fuzz placement strategies and the CSV reader, FUZZ_SECONDS=600'
	@echo '  make fuzz-ioctl   sequences of ioctls on the node, guided by what they reach in the module, the same'
	@echo '  make fuzz-chip    fuzz the loader of chips, the same'
	@echo '  make fuzz-program fuzz the loader of programs, the same'
	@echo '  make fuzz-tflite  fuzz the readers of TensorFlow Lite files, the same'
	@echo '  make bench-layergroup   groups by all strategies: DRAM bytes, cycles, time; NETWORKS="..."'
	@echo '  make bench-chips  published latencies of chips beside those of plans; CHIPS='
	@echo '  make bench-time   cycles of plans over bounds; NETWORKS=, CHIPS=, STRATEGIES=a,b, EXPLAIN=1'
	@echo '  make bench-plan-time  CPU time and memory of planning, by size and kind; ROWS=, LONG=1, OPTIONS='
	@echo '  make bench-transformers  plans of transformers and decoders over their bounds; ROWS="decode..."'
	@echo '  make bench-monotone  pairs of chips, one with more of a thing, whose plan is no slower; PAIRS='
	@echo '  make bench-sram   the least SRAM of networks for microcontrollers; NETWORKS="..."'
	@echo '  make bench-place  placement problems: INSTANCES="FILE.CAPACITY.csv|FOLDER...", LONG=1'
	@echo '  make ort-models   every network by the provider, beside ONNX Runtime: the table of its page; long'
	@echo '  make check-models every network by every grouping strategy in SRAM of every size: long'
	@echo '  make check-intree build the driver in a kernel tree: W=1, kernel-doc, sparse'
	@echo '  make series       cut it into patches for the kernel: build/series/ (SERIES=core: the first ones)'
	@echo '  make examples     the programs of Documentation/examples in C and C++: build/examples'
	@echo '  make man          man pages: build/man'
	@echo '  make vm           a shell in the VM, with the module loaded'
	@echo '  make deb          packages for Debian: build/deb/*.deb'
	@echo '  make clean        remove products, keep downloads; distclean removes both'
	@echo '  make compile_commands.json   for clangd: how each file of library, tools, tests and module is compiled'

# --- packages, downloads -----------------------------------------------------

.PHONY: deps deps-run deps-check deps-debug models
deps:
	@tools/ci/deps.sh build
deps-run:
	@tools/ci/deps.sh run
deps-check:
	@tools/ci/deps.sh check
deps-debug:
	@tools/ci/deps.sh debug
models:
	@tools/ci/models.sh

# --- library and tools -------------------------------------------------------

.PHONY: lib tools compile_commands.json
compile_commands.json:
	@$(MAKE) -Bn lib tools build-tests examples | tools/ci/compile-commands.py $(O)/module >$@

lib: $(O)/libloom.a $(O)/libloom.so $(O)/loom.pc $(O)/libloomplace.a $(O)/libloomplace.so \
	$(O)/loomplace.pc
tools: lib $(tool_bin) $(O)/loom-sweep $(sim_bin)

ONNX_PROTO ?= $(firstword $(wildcard /usr/include/onnx/onnx.proto) onnx.proto)

# it is made before anything else is, so that what is missing is said at once
$(O)/gen/onnx.pb-c.c: $(ONNX_PROTO)
	@for i in $(firstword $(CC)) protoc-c pkg-config; do \
		command -v $$i >/dev/null || { echo "$(call missing,$$i)" >&2; exit 1; }; done
	@for i in $(modules); do \
		pkg-config --exists $$i || { echo "$(call missing,$$i)" >&2; exit 1; }; done
	@mkdir -p $(@D)
	protoc-c --proto_path=$(dir $<) --c_out=$(@D) $<
$(O)/gen/onnx.pb-c.h: $(O)/gen/onnx.pb-c.c
onnx.proto:
	@echo '$(call missing,$@ of libonnx-dev)' >&2; exit 1

# The chips that have names, the default first. The folder is younger than a file that it lost.
chip_files	:= $(wildcard userlib/chips/*.yaml)
$(O)/gen/chips.c: $(chip_files) userlib/chips tools/ci/embed-chips.awk
	@mkdir -p $(@D)
	awk -f tools/ci/embed-chips.awk userlib/chips/soft.yaml \
		$(addsuffix .yaml,$(filter-out %/soft,$(sort $(chip_files:.yaml=)))) >$@

# The page of "loom view": its parts as one text, with the place for the data left open.
view_files	:= $(wildcard tools/loom/view/page/*)
$(O)/gen/view_page.c: tools/loom/view/embed.sh $(view_files) tools/loom/view/page
	@mkdir -p $(@D)
	tools/loom/view/embed.sh tools/loom/view/page >$@

compile = @echo '  CC      $@'; mkdir -p $(@D); $(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL)

$(O)/obj/%.o: %.c Makefile | $(O)/gen/onnx.pb-c.h
	$(compile) $(flags_$*) $(test_cppflags) $(sim_cppflags) $(memory_cppflags) -c $< -o $@
$(O)/asan/obj/%.o: %.c Makefile | $(O)/gen/onnx.pb-c.h
	$(compile) $(flags_$*) $(test_cppflags) $(sim_cppflags) $(memory_cppflags) $(SANITIZE) -c $< -o $@

# generated code is compiled without warnings
$(O)/obj/gen/%.o: $(O)/gen/%.c
	$(compile) -w -c $< -o $@
$(O)/asan/obj/gen/%.o: $(O)/gen/%.c
	$(compile) -w $(SANITIZE) -c $< -o $@

$(foreach s,$(fp_src) userlib/base/element.c,$(eval flags_$(s:.c=) := $(FLAGS_FP)))

# 1: a set of instructions
define isa_rules
$(O)/obj/isa/$1/%.o: %.c Makefile
	$$(compile) $$(flags_$$*) $$(ISA_$1) -DLOOM_ISA=$1 -c $$< -o $$@
$(O)/asan/obj/isa/$1/%.o: %.c Makefile
	$$(compile) $$(flags_$$*) $$(ISA_$1) -DLOOM_ISA=$1 $$(SANITIZE) -c $$< -o $$@
endef
$(foreach i,$(ISAS),$(eval $(call isa_rules,$i)))

$(O)/libloom.a: $(lib_obj)
	@echo '  AR      $@'; rm -f $@; $(AR) qcs $@ $^
$(O)/asan/libloom.a: $(asan_obj)
	@echo '  AR      $@'; rm -f $@; $(AR) qcs $@ $^
# all of it can be seen: tests link in a tenth of the time that the archive takes
$(O)/asan/libloom.so: $(asan_obj)
	@echo '  LD      $@'; $(CC) -shared $(SANITIZE) $(LDFLAGS) -o $@ $^ $(LIBS)

# all symbols that are exported, with the first two numbers of the version
$(O)/gen/libloom.map: userlib/libloom.abi userlib/include/loom_version.h
	@mkdir -p $(@D); { echo 'LOOM_$(basename $(VERSION)) {'; echo 'global:'; \
		sed -n 's/^[^(]*[ *]\(loom_[a-z0-9_]*\) (.*/\t\1;/p' $<; printf 'local:\n\t*;\n};\n'; } >$@

$(O)/libloom.so.$(SOMAJOR): $(lib_obj) $(O)/gen/libloom.map
	@echo '  LD      $@'; $(CC) -shared -Wl,-soname,libloom.so.$(SOMAJOR) \
		-Wl,--version-script=$(O)/gen/libloom.map -Wl,-z,defs,-z,relro,-z,now \
		$(LDFLAGS) -o $@ $(lib_obj) $(LIBS)
$(O)/libloom.so: $(O)/libloom.so.$(SOMAJOR)
	@ln -sf $(<F) $@

# The execution provider for ONNX Runtime: a library of its own, with what it needs of libloom
# inside, so that it can live in a process that has another one. The headers come from Debian under
# build/ (tools/ci/ort-headers.sh), or from where ORT_INCLUDE says.
ORT_INCLUDE	?= $(O)/ort-headers/usr/include/onnxruntime
ep_obj		:= $(ep_src:%.c=$(O)/obj/%.o)
flags_ort	= -isystem $(ORT_INCLUDE) -fvisibility=hidden
$(foreach s,$(ep_src),$(eval flags_$(s:.c=) = $$(flags_ort)))
ep_link = @echo '  LD      $@'; $(CC) -shared -Wl,-soname,$(@F) -Wl,--exclude-libs,ALL \
		-Wl,-z,relro,-z,now $(LDFLAGS)
$(O)/libloom_ep.so: $(ep_obj) $(O)/libloom.a
	$(ep_link) -Wl,-z,defs -o $@ $^ $(LIBS)
# with the judge in it, see judge.c
$(O)/ort-tests/libloom_ep.so: $(ep_obj) $(O)/libjudge.a $(O)/libloom.a
	@mkdir -p $(@D)
	$(ep_link) -Wl,-z,defs -o $@ $(judged) $(LIBS)
$(O)/asan/libloom_ep.so: $(ep_obj:$(O)/%=$(O)/asan/%) $(O)/asan/libloom.a
	$(ep_link) $(SANITIZE) -o $@ $^ $(LIBS)
# and what tests it: a host of ONNX Runtime, and files for it
ep_test_src	:= $(wildcard $(T)/ort/*.c)
ep_test_bin	:= $(ep_test_src:$(T)/ort/%.c=$(O)/ort-tests/%)
$(foreach s,$(ep_test_src),$(eval flags_$(s:.c=) = -isystem $$(ORT_INCLUDE)))
$(O)/ort-tests/%: $(O)/obj/$(T)/ort/%.o $(O)/libloom.a
	@echo '  LD      $@'; mkdir -p $(@D); $(CC) $(LDFLAGS) -o $@ $^ $(LIBS) -ldl
$(O)/asan/ort-tests/%: $(O)/asan/obj/$(T)/ort/%.o $(O)/asan/libloom.a
	@echo '  LD      $@'; mkdir -p $(@D); $(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(LIBS) -ldl
ep_of_ep	:= $(O)/libloom_ep.so
ep_of_ep-tests	:= $(O)/libloom_ep.so $(O)/ort-tests/libloom_ep.so $(ep_test_bin)
ep_of_ep-asan	:= $(ep_of_ep-tests) $(O)/asan/libloom_ep.so $(O)/asan/ort-tests/host
# The library first: the make below would build it at the same time as this one.
.PHONY: ep ep-tests ep-asan
ep ep-tests ep-asan: lib
	@mkdir -p $(O); \
	if ORT_INCLUDE='$(ORT_INCLUDE)' tools/ci/ort-headers.sh >$(O)/ort-headers.log 2>&1; then \
		$(MAKE) --no-print-directory -s $(ep_of_$@); \
	else tail -n 1 $(O)/ort-headers.log; fi

# The placer by itself: one object, of which only the interface can be seen, and whose memory comes
# from where its caller says (userlib/loomplace/memory.h).
OBJCOPY		?= $(patsubst %gcc,%objcopy,$(CC))
place_obj	:= $(filter-out %/memory.o,$(place_src:%.c=$(O)/obj/%.o)) \
		   $(patsubst %,$(O)/obj/userlib/base/%.o,error tasks thread watch) \
		   $(patsubst %.c,$(O)/obj/%.o,$(wildcard userlib/place/*.c))
place_renamed	:= $(foreach i,malloc calloc realloc free,loom_memory_$i=place_memory_$i) \
		   qsort=place_memory_qsort
$(O)/obj/loomplace.o: $(place_obj) $(O)/obj/userlib/loomplace/memory.o
	@echo '  LD      $@'; $(CC) -r -nostdlib -o $@.part $(place_obj) && \
	$(OBJCOPY) $(foreach i,$(place_renamed),--redefine-sym $i) $@.part && \
	$(CC) -r -nostdlib -o $@ $@.part $(O)/obj/userlib/loomplace/memory.o && rm -f $@.part && \
	$(OBJCOPY) --wildcard --keep-global-symbol='loomplace_*' $@
$(O)/libloomplace.a: $(O)/obj/loomplace.o
	@echo '  AR      $@'; rm -f $@; $(AR) qcs $@ $^
$(O)/libloomplace.so.$(SOMAJOR): $(O)/obj/loomplace.o
	@echo '  LD      $@'; $(CC) -shared -Wl,-soname,$(@F) -Wl,-z,defs,-z,relro,-z,now \
		$(LDFLAGS) -o $@ $^ -lm -lpthread
$(O)/libloomplace.so: $(O)/libloomplace.so.$(SOMAJOR)
	@ln -sf $(<F) $@
$(O)/loomplace.pc: Makefile
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR:$(PREFIX)/%=$${prefix}/%)' \
		'includedir=$${prefix}/include' '' 'Name: loomplace' \
		'Description: Offsets for items with sizes and lifetimes' 'Version: $(VERSION)' \
		'Libs: -L$${libdir} -lloomplace' 'Libs.private: -lm -lpthread' \
		'Cflags: -I$${includedir}' >$@

$(O)/loom.pc: Makefile
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR:$(PREFIX)/%=$${prefix}/%)' \
		'includedir=$${prefix}/include' '' 'Name: loom' \
		'Description: Neural networks on Loom accelerators' 'Version: $(VERSION)' \
		'Requires: libdrm' 'Requires.private: libprotobuf-c libpng yaml-0.1' \
		'Libs: -L$${libdir} -lloom' 'Libs.private: -lm -lpthread' \
		'Cflags: -I$${includedir}/loom' >$@

# The tool is linked statically with the library: it runs in a VM, or from build/.
$(O)/loom: $(tool_obj) $(O)/libloom.a
	@echo '  LD      $@'; $(CC) $(LDFLAGS) -o $@ $^ $(LIBS)
$(O)/asan/loom: $(tool_obj:$(O)/%=$(O)/asan/%) $(O)/asan/libloom.a
	@echo '  LD      $@'; $(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(LIBS)

# "loom sweep", for this tool and those in the folders of $(O)
$(O)/loom-sweep: tools/loom/sweep/loom-sweep.py
	@install -D -m 755 $< $@

# A device on the bus, for QEMU.
$(O)/loom-sim: $(sim_src:%.c=$(O)/obj/%.o) $(O)/libloom.a
	@echo '  LD      $@'; $(CC) $(LDFLAGS) -o $@ $^ $(LIBS)

# draws the line of type of the demo
$(O)/textline: tools/ci/textline.c Makefile
	@echo '  CC      $@'; mkdir -p $(@D); $(CC) -D_GNU_SOURCE -std=gnu11 $(WARN) $(CFLAGS) \
		$$(pkg-config --cflags freetype2 libpng) -o $@ $< \
		$$(pkg-config --libs freetype2 libpng)

# the language model of the demo: its training, and what writes with it. Vectors for the sums of rows
$(O)/llm/train: tools/llm/train.c Makefile
	@echo '  CC      $@'; mkdir -p $(@D); $(CC) -D_GNU_SOURCE -std=gnu11 $(WARN) $(CFLAGS) -O3 -o $@ $< -lm
$(O)/llm/write: $(O)/obj/tools/llm/write.o $(O)/libloom.a
	@echo '  LD      $@'; mkdir -p $(@D); $(CC) $(LDFLAGS) -o $@ $^ $(LIBS)

# --- Python and C++ ------------------------------------------------------------

# Pure Python; what it knows of C is made of the headers, so that it cannot fall behind them.
PYTHON		?= $(firstword $(wildcard /usr/bin/python3) python3)
python_src	:= $(wildcard userlib/python/loom/*.py userlib/python/loom/py.typed)
# where Debian's interpreter looks: packages of the distribution have a folder for all versions
PYTHONDIR	?= $(PREFIX)/lib/$(if $(filter /usr,$(PREFIX)),python3,$(shell $(PYTHON) -c \
			'import sys; print("python%d.%d" % sys.version_info[:2])'))/dist-packages
.PHONY: python
python: $(O)/python/.stamp
$(O)/python/.stamp: userlib/python/generate.py $(python_src) $(wildcard userlib/include/*.h) \
		$(uapi_headers) Makefile
	@echo '  GEN     $(O)/python/loom'; rm -rf $(O)/python; mkdir -p $(O)/python/loom
	@cp $(python_src) $(O)/python/loom/
	@$(PYTHON) userlib/python/generate.py $(O)/python/loom/abi.py $(CC) -std=gnu11 -Iuapi \
		-Iuserlib/include $(drm_cflags) $(wildcard userlib/include/*.h) $(uapi_headers)
	@touch $@

# --- tests and benchmarks on this machine ------------------------------------

# Every plan that a test makes or runs is replayed, and what a run counted is compared with what was
# promised: calls of these go by way of judge.c. Not where plans are broken to test the judge itself.
unjudged	:= $(O)/host/replay/faults
judge_wraps	:= program_create session_create session_run session_finish
judged		= $(if $(filter $@,$(unjudged)),,$(judge_wraps:%=-Wl,--wrap=loom_%)) \
		  -Wl,--start-group $(filter %.o %.a,$^) -Wl,--end-group
$(O)/libjudge.a: $(O)/obj/$(T)/judge.o
	@echo '  AR      $@'; rm -f $@; $(AR) qcs $@ $^
$(O)/host/%: $(O)/obj/$(T)/host/%.o $(O)/libjudge.a $(O)/libloom.a
	@echo '  LD      $@'; mkdir -p $(@D); $(CC) $(LDFLAGS) $(wrapped) -o $@ $(judged) $(LIBS)
# those that replace functions of the library, or set its variables, have it inside
asan_whole	:= $(addprefix $(O)/asan/host/,base/tasks place/starved planner/watch)
asan_lib	= $(if $(filter $@,$(asan_whole)),$(O)/asan/libloom.a,$(O)/asan/libloom.so)
$(O)/asan/host/%: $(O)/asan/obj/$(T)/host/%.o $(O)/asan/libloom.a $(O)/asan/libloom.so
	@echo '  LD      $@'; mkdir -p $(@D); $(CC) $(SANITIZE) $(LDFLAGS) $(wrapped) -o $@ \
		$(filter %.o,$^) $(asan_lib) -Wl,-rpath,$(abspath $(O)/asan) $(LIBS)
# the library's calls for memory go by way of the test in which each of them fails
$(O)/host/place/starved $(O)/asan/host/place/starved: private wrapped := \
	$(foreach i,malloc calloc realloc free,-Wl,--wrap=$i)
# the room of the provider is no part of the library; what knows nothing of ONNX Runtime is tested so
$(filter $(O)/host/ort/%,$(test_bin)): $(O)/obj/userlib/ort/partition.o
$(filter $(O)/asan/host/ort/%,$(asan_bin)): $(O)/asan/obj/userlib/ort/partition.o
# the template's payloads are no part of the library, and their check is replaced by one with a fault
$(filter $(O)/host/template/%,$(test_bin)): $(addprefix $(O)/obj/drivers/accel/loom/template/,tile.o translate.o)
$(filter $(O)/asan/host/template/%,$(asan_bin)): $(addprefix $(O)/asan/obj/drivers/accel/loom/template/,tile.o translate.o)
$(O)/e2e/%: $(O)/obj/$(T)/e2e/%.o $(O)/libjudge.a $(O)/libloom.a
	@echo '  LD      $@'; mkdir -p $(@D); $(CC) $(LDFLAGS) -o $@ $(judged) $(LIBS)
# the tool that the tests of this machine call
$(O)/e2e/loom: $(tool_obj) $(O)/libjudge.a $(O)/libloom.a
	@echo '  LD      $@'; mkdir -p $(@D); $(CC) $(LDFLAGS) -o $@ $(judged) $(LIBS)
$(O)/asan/e2e/%: $(O)/asan/obj/$(T)/e2e/%.o $(O)/asan/libloom.a
	@echo '  LD      $@'; mkdir -p $(@D); $(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(LIBS)
$(O)/asan/fuzz/%: $(O)/asan/obj/$(T)/fuzz/%.o $(O)/asan/libloom.a
	@echo '  LD      $@'; mkdir -p $(@D); \
		$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS)
$(O)/bench/bench_place: $(O)/libloomplace.a
$(O)/bench/%: $(O)/obj/$(T)/bench/%.o $(O)/libloom.a
	@echo '  LD      $@'; mkdir -p $(@D); $(CC) $(LDFLAGS) -o $@ $^ $(LIBS)

# The programs that the pages show, as one who has nothing but the headers and the shared library
# builds them.
example_src	:= $(wildcard Documentation/examples/*.c)
example_bin	:= $(example_src:Documentation/examples/%.c=$(O)/examples/%)
$(O)/examples/%: Documentation/examples/%.c $(O)/libloom.so Makefile
	@echo '  CC      $@'; mkdir -p $(@D); $(CC) -std=gnu11 -Wall -Wextra -Werror $(CFLAGS) -MMD -MP \
		-Iuapi -Iuserlib/include $(drm_cflags) -o $@ $< -L$(O) -lloom -ldrm \
		-Wl,-rpath,'$$ORIGIN/..'
CXX		?= g++
example_cpp	:= $(wildcard Documentation/examples/cpp/*.cpp)
# who has no compiler for C++ can do without
example_bin	+= $(if $(shell command -v $(CXX)),$(example_cpp:Documentation/examples/%.cpp=$(O)/examples/%))
$(O)/examples/%: Documentation/examples/%.cpp $(O)/libloom.so Makefile
	@echo '  CXX     $@'; mkdir -p $(@D); $(CXX) -std=c++17 -Wall -Wextra -Wpedantic -Werror $(CFLAGS) \
		-MMD -MP -Iuapi -Iuserlib/include $(drm_cflags) -o $@ $< -L$(O) -lloom \
		-Wl,-rpath,'$$ORIGIN/../..'
.PHONY: examples
examples: $(example_bin)

.PHONY: build-tests build-asan build-bench host-tests bench
build-tests: $(test_bin) $(e2e_bin) $(O)/e2e/loom $(example_bin) $(sim_bin) python $(O)/llm/train $(O)/llm/write
build-asan: $(asan_bin) $(asan_tool) $(fuzz_bin) $(O)/asan/e2e/onnx_backend
build-bench: $(bench_bin)
host-tests: tools build-tests build-asan
	@tools/ci/check.sh host asan
bench: build-bench
	@for i in $(bench_bin); do echo "== $${i##*/}"; $$i || status=1; done; exit $$status

# INSTANCES="..." names files FILE.CAPACITY.csv in MiniMalloc's format, or folders of such files;
# LONG=1 gives each cut rectangle up to 10 s.
INSTANCES ?=
instances = $(foreach i,$(INSTANCES),$(if $(wildcard $(i)/.),$(sort $(wildcard $(i)/*.csv)),$(i)))
.PHONY: bench-alloc bench-masks bench-lanes
bench-alloc: $(O)/bench/bench_alloc
	@$<
bench-masks: $(O)/bench/bench_masks
	@$<
bench-lanes: models $(O)/bench/bench_lanes
	@$(O)/bench/bench_lanes
.PHONY: bench-place
bench-place: $(O)/bench/bench_place
	@$< $(if $(LONG),--long) $(instances)
.PHONY: bench-layergroup
bench-layergroup: models $(O)/bench/bench_layergroup
	@$(O)/bench/bench_layergroup $(NETWORKS)
# What is measured: NETWORKS="rec,resnet50" CHIPS="soft,soma-2" STRATEGIES="layergroup" OBJECTIVES="time";
# EXPLAIN=1 measures how long plans for time take with --explain, too.
.PHONY: bench-time
bench-time: models $(O)/bench/bench_time
	@$(O)/bench/bench_time $(NETWORKS:%=--networks=%) $(CHIPS:%=--chips=%) \
		$(STRATEGIES:%=--strategies=%) $(OBJECTIVES:%=--objectives=%) \
		$(if $(EXPLAIN),--explain)
# Published latencies in the chip files beside plans; CHIPS="rk3588 bm1684x" are some
.PHONY: bench-chips
bench-chips: $(O)/bench/bench_chips
	@$(O)/bench/bench_chips $(CHIPS)
# ROWS="nas,topk" are some of the networks, LONG=1 has more nodes; OPTIONS="--time-budget 1": of loom plan
.PHONY: bench-plan-time
bench-plan-time: $(O)/loom
	@python3 $(T)/bench/plan_time.py $< $(O)/bench/plan-time $(ROWS:%=--rows=%) \
		$(if $(LONG),--long) -- $(OPTIONS)
.PHONY: bench-monotone
bench-monotone: $(O)/loom
	@$(PYTHON) $(T)/bench/monotone.py $< $(O)/bench/monotone $(PAIRS)
.PHONY: bench-transformers
bench-transformers: $(O)/loom
	@python3 $(T)/bench/transformers.py $< $(O)/bench/transformers $(ROWS)
.PHONY: bench-sram
bench-sram: $(O)/bench/bench_sram
	@$< $(NETWORKS)
# NETWORKS="ppocr_det,blazeface" CHIPS="soft,bm1688"; without node or ONNX Runtime a column is empty
.PHONY: bench-engine
bench-engine: models $(O)/bench/bench_engine_models
	@tools/ci/ort.sh || true
	@$(O)/bench/bench_engine_models $(NETWORKS:%=--networks=%) $(CHIPS:%=--chips=%)
.PHONY: bench-models
bench-models: models $(O)/bench/bench_models
	@$(O)/bench/bench_models

# Data races: library and test are built by a second make, as a flavour of all of this that one
# program needs would be more rules than it.
.PHONY: tsan tsan-build
tsan_tests	:= $(addprefix $(O)/tsan/host/,run/threads run/team run/async base/tasks planner/watch parallel/batch \
			parallel/pipeline)
tsan-build:
	+@$(MAKE) O=$(O)/tsan CFLAGS='-fsanitize=thread -O1 -g' LDFLAGS=-fsanitize=thread $(tsan_tests)
tsan: tsan-build
	@set -e; for i in $(tsan_tests); do $$i; done

# Lines of core/ that its tests reach: core/ alone is built a second time, for gcov, and linked before
# the library, so that all else comes from there. TESTS="core/verify/rules" runs some of them.
COVERAGE	?= $(if $(TESTS),0,98)
cov_src		:= $(wildcard $(CORE)/*/*.c)
cov_obj		:= $(cov_src:%.c=$(O)/coverage/obj/%.o) \
		   $(foreach i,$(ISAS),$(fp_src:%.c=$(O)/coverage/obj/isa/$i/%.o))
# what makes code faster and lines harder to tell apart is left out
cov_flags	= $(filter-out -O2 -ftree% -fvect%,$(flags_$*)) -O1 --coverage
cov_tests	= $(or $(TESTS),$(patsubst $(O)/host/%,%,$(filter $(O)/host/core/% $(O)/host/chip/%,\
			$(test_bin))))
$(O)/coverage/obj/%.o: %.c Makefile
	$(compile) $(cov_flags) -c $< -o $@
define cov_isa_rules
$(O)/coverage/obj/isa/$1/%.o: %.c Makefile
	$$(compile) $$(cov_flags) $$(ISA_$1) -DLOOM_ISA=$1 -c $$< -o $$@
endef
$(foreach i,$(ISAS),$(eval $(call cov_isa_rules,$i)))
$(O)/coverage/host/%: $(O)/obj/$(T)/host/%.o $(cov_obj) $(O)/libloom.a
	@echo '  LD      $@'; mkdir -p $(@D); $(CC) --coverage $(LDFLAGS) -o $@ $^ $(LIBS)
.PHONY: coverage
coverage: $(cov_tests:%=$(O)/coverage/host/%)
	@$(PYTHON) $(T)/coverage.py $(O)/coverage --least $(COVERAGE) $(cov_tests)

# Lines of the module that selftests and KUnit reach, on the instrumented kernel. PARTS of
# $(T)/kgcov/guest.sh, TESTS of it, SHOW=1 prints those that were not reached.
.PHONY: coverage-module
coverage-module:
	@LEAST=$(or $(LEAST),$(if $(TESTS)$(PARTS),0,90)) $(T)/kgcov/run.sh \
		$(or $(PARTS),kunit faults node tiny template bus)
# Sequences of ioctls on the node of that module, guided by what they reach. SEED=
.PHONY: fuzz-ioctl
fuzz-ioctl:
	@FUZZ_SECONDS=$(FUZZ_SECONDS) $(T)/kgcov/run.sh fuzz

# How long, in seconds; `make check-more` fuzzes for five.
FUZZ_SECONDS ?= 600
.PHONY: fuzz-chip fuzz-place fuzz-program fuzz-tflite
fuzz-chip: $(O)/asan/fuzz/chip
	$< --seconds $(FUZZ_SECONDS) --fail $(O)/fuzz-chip.fail
fuzz-place: $(O)/asan/fuzz/place
	$< --seconds $(FUZZ_SECONDS) --fail $(O)/fuzz-place.fail
fuzz-program: $(O)/asan/fuzz/program
	$< --seconds $(FUZZ_SECONDS) --fail $(O)/fuzz-program.fail
fuzz-tflite: $(O)/asan/fuzz/tflite
	$< --seconds $(FUZZ_SECONDS) --fail $(O)/fuzz-tflite.fail

# The same programs guided by what they reach, by libFuzzer: library and programs a second time, by
# clang, without the engine's arithmetic for newer processors. TARGETS="plan files" for some of them.
FUZZ_SANITIZE	:= -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all
TARGETS		?= $(notdir $(fuzz_src:.c=))
.PHONY: fuzz fuzz-build
$(O)/fuzz/%: $(O)/obj/$(T)/fuzz/%.o $(O)/libloom.a
	@echo '  LD      $@'; mkdir -p $(@D); \
		$(CC) $(LDFLAGS) -fsanitize=fuzzer -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS)
$(O)/fuzz/files: LIBS += -lz
# by themselves, they make inputs to begin with: the library's objects as they are
fuzz_seeds	:= $(fuzz_src:$(T)/fuzz/%.c=$(O)/fuzz-seeds/%)
$(fuzz_seeds): $(O)/fuzz-seeds/%: $(O)/obj/$(T)/fuzz/%.o $(O)/libloom.a
	@echo '  LD      $@'; mkdir -p $(@D); $(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) \
		$(filter %.a,$^) $(LIBS)
fuzz-build:
	+@$(MAKE) O=$(O)/libfuzzer CC=clang ISAS= WARN=-w LDFLAGS='$(FUZZ_SANITIZE)' \
		FLAGS_FP='-fno-math-errno -fno-trapping-math' \
		CFLAGS='-O1 -g -DLOOM_LIBFUZZER -fsanitize=fuzzer-no-link $(FUZZ_SANITIZE)' \
		$(TARGETS:%=$(O)/libfuzzer/fuzz/%)
fuzz:
	@FUZZ_SECONDS=$(FUZZ_SECONDS) MAKE='$(MAKE)' tools/testing/fuzz/guided.sh $(O) $(TARGETS)

# Breaks the code and looks whether the tests notice: AREA=verify,op,payload,bank
COUNT	?= 100
SEED	?= 1
.PHONY: golden golden-needs
golden-needs: models tools
	@$(PYTHON) $(T)/golden.py --networks
golden: golden-needs $(O)/host/group/figures $(O)/host/lower/random
	@$(PYTHON) $(T)/golden.py --write
	@LOOM_GOLDEN=1 $(O)/host/group/figures && LOOM_GOLDEN=1 $(O)/host/lower/random

.PHONY: mutants
mutants: lib
	@nice $(PYTHON) $(T)/mutants/mutants.py --count $(COUNT) --seed $(SEED) $(AREA:%=--area %)
.PHONY: planted
planted: build-asan
	@nice $(PYTHON) $(T)/mutants/planted.py --build $(O) $(FUZZER:%=--fuzzer %)

# --- module ------------------------------------------------------------------

# Linux 6.12 builds external modules beside their sources, so the sources are copied
# to build/ and the tree stays clean. Modification times are kept, so that only changed files
# are compiled.
KDIR ?= $(lastword $(shell ls -dv /usr/src/linux-headers-6.12.*-amd64 2>/dev/null))
module_dir := $(O)/module
MODULE_LOG := $(O)/module.log

# Two builds in one folder at the same time would break each other, hence the lock.
.PHONY: module
module:
	@test -n '$(KDIR)' || { echo 'module: no 6.12 kernel headers, try: make deps-run'; exit 1; }
	@mkdir -p $(module_dir)
	@flock $(O)/.module.lock $(MAKE) --no-print-directory module-locked
.PHONY: module-locked
module-locked:
	@rsync -rlptm --delete --exclude='*.mod.c' --include='*/' --include='*.[ch]' \
		--include='Kbuild*' --exclude='*' Kbuild drivers uapi $(module_dir)/
	@$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc)) \
		-C $(KDIR) M=$(abspath $(module_dir)) $(if $(C),C=$(C) CF='$(CF)') \
		CONFIG_DRM_ACCEL_LOOM_TEMPLATE=m modules \
		>$(MODULE_LOG) 2>&1 || { cat $(MODULE_LOG); exit 1; }
	@grep -E 'warning:|^  (CC|LD).*loom' $(MODULE_LOG) || true

# The module and its KUnit tests, against the instrumented kernel: KERNEL is 6.12 or backports.
KERNEL := $(or $(KERNEL),$(LOOM_KERNEL),6.12)
export LOOM_KERNEL := $(KERNEL)
debug_dir = $(O)/debug$(if $(filter-out 6.12,$(KERNEL)),-$(KERNEL))
.PHONY: module-debug
module-debug:
	@kernel=$$(tools/vm/debug-kernel.sh) && \
	$(MAKE) --no-print-directory module KDIR=$$kernel/build module_dir=$(debug_dir)/module \
		MODULE_LOG=$(debug_dir)/module.log CONFIG_DRM_ACCEL_LOOM=m CONFIG_DRM_ACCEL_LOOM_SOFT=m \
		CONFIG_DRM_ACCEL_LOOM_PCI=m CONFIG_DRM_ACCEL_LOOM_KUNIT_TEST=m

# --- the two commands, and the parts of the second ---------------------------

.PHONY: run check check-debug check-models kselftest lint vm
run:
	@tools/ci/deps.sh run
	@tools/ci/demo.sh
# a small language model, trained here, writes on the device node in a VM
.PHONY: run-llm
run-llm:
	@tools/ci/deps.sh run
	@tools/llm/run.sh
check:
	@tools/ci/deps.sh check
	@tools/ci/check.sh
check-models: models tools $(O)/e2e/loom $(O)/e2e/model_matrix $(O)/e2e/pictures $(O)/e2e/npy_compare
	@tools/ci/ort.sh >$(O)/ort.log
	@tools/ci/check-models.sh
# the table of networks in Documentation/onnxruntime.rst; what is fetched and exported stays
.PHONY: ort-models
ort-models: ep-tests
	@tools/ci/ort.sh >$(O)/ort.log
	@tools/ci/models.sh all >$(O)/models.log
	@tools/testing/ort/models.sh
check-debug:
	@tools/ci/deps.sh debug
	@tools/ci/check.sh debug
kselftest: module
	@tools/ci/kselftest.sh run
.PHONY: check-intree series
check-intree:
	@tools/ci/deps.sh debug
	@tools/ci/intree.sh
series:
	@tools/ci/deps.sh check
	@tools/ci/upstream/series.sh
# minutes
.PHONY: check-more
check-more:
	@tools/ci/deps.sh check
	@tools/ci/check.sh more
.PHONY: check-long
check-long: build-tests tools models module module-debug $(O)/bench/bench_units
	@tools/ci/check-long.sh
# fetches a QEMU to build/qemu; skipped where that cannot be had
.PHONY: check-pci
check-pci:
	@tools/ci/deps.sh debug
	@tools/ci/check.sh pci
# the three at once but for more-tsan, pci-models and debug-tiny, as CI runs them: two parts are always at work
.PHONY: check-rest
check-rest:
	@tools/ci/deps.sh debug
	@tools/ci/check.sh rest
# what comes from the distribution for ARM, and what is compared with it
.PHONY: check-arm64
check-arm64: models tools build-tests
	@tools/ci/deps.sh arm64
	@tools/ci/ksource.sh
	@tools/ci/arm64.sh
lint:
	@tools/ci/lint.sh
vm: tools module
	@tools/vm/run --shell

# loom(1), its commands, and the public headers
.PHONY: man
man: $(O)/man/.stamp
$(O)/man/.stamp: tools/ci/pages/man.py tools/ci/pages/fragments.c $(tool_bin) $(uapi_headers) \
		$(wildcard userlib/include/*.h Documentation/reference/*.rst) Documentation/tool.rst
	@$(CC) -fsyntax-only $(WARN) -Wno-missing-prototypes $(CPPFLAGS_ALL) tools/ci/pages/fragments.c
	@tools/ci/pages/man.py $(O)/loom $(O)/man
	@touch $@
# Sphinx with the kernel's own kernel-doc directive; a warning is an error, there and in man pages, and
# so is a public symbol that is in neither. Pictures of plans are
# drawn if "make models" has been there.
.PHONY: docs
docs: man python lib $(O)/e2e/draw_plan
	@tools/ci/deps.sh docs
	@tools/ci/ksource.sh
	@mandoc -Tlint -Wwarning $(O)/man/man1/*.1 $$(grep -L '^\.so ' $(O)/man/man3/*.3)
	@LOOM_KSOURCE=$(abspath $(O)/ksource) sphinx-build -q -n -W --keep-going -b html \
		Documentation $(O)/docs
	@tools/ci/pages/symbols.py $(O)/docs $(O)/man
	@echo 'docs: $(O)/docs/index.html'

# --- install -----------------------------------------------------------------

# dkms builds the module on the target machine for every kernel that is installed there;
# `make install-module` builds and installs it for the running kernel now.
dkms_dir = $(DESTDIR)/usr/src/loom-$(VERSION)
# for back ends outside of the tree: their one header backend.h, and what it includes
kit_dir = $(dkms_dir)/kit
kit_headers := backend/backend.h backend/memory.h backend/Kbuild.probes loom_compat.h loom_drv.h \
	$(addprefix core/loom_,chip.h core.h layout.h mask.h native.h op.h plan.h tile.h)
udev_dir = $(DESTDIR)/usr/lib/udev/rules.d
completion_bash = $(DESTDIR)$(PREFIX)/share/bash-completion/completions/loom
completion_zsh = $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_loom
completion_fish = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/loom.fish

.PHONY: install install-kit install-module uninstall
install-kit:
	rm -rf '$(kit_dir)'
	install -d '$(kit_dir)/include/backend' '$(kit_dir)/include/core' '$(kit_dir)/include/drm' \
		'$(kit_dir)/template'
	cd drivers/accel/loom && for i in $(kit_headers); do \
		install -m 644 $$i "$(abspath $(kit_dir))/include/$$i" || exit 1; done
	install -m 644 $(uapi_headers) '$(kit_dir)/include/drm'
	install -m 644 drivers/accel/loom/template/*.[ch] '$(kit_dir)/template'
	install -m 644 tools/install/kit/Kbuild.loom '$(kit_dir)'
	sed 's,@KIT@,$(kit_dir:$(DESTDIR)%=%),' tools/install/kit/Makefile >'$(kit_dir)/template/Makefile'
install: lib tools man python install-kit
	install -d '$(DESTDIR)$(LIBDIR)/pkgconfig' '$(DESTDIR)$(PREFIX)/bin' \
		'$(DESTDIR)$(PREFIX)/include/loom/drm' '$(udev_dir)' '$(dkms_dir)'
	install -m 755 $(O)/loom $(O)/loom-sweep '$(DESTDIR)$(PREFIX)/bin'
	install -m 644 $(O)/libloom.so.$(SOMAJOR) $(O)/libloom.a '$(DESTDIR)$(LIBDIR)'
	ln -sf libloom.so.$(SOMAJOR) '$(DESTDIR)$(LIBDIR)/libloom.so'
	install -m 644 $(O)/libloomplace.so.$(SOMAJOR) $(O)/libloomplace.a '$(DESTDIR)$(LIBDIR)'
	ln -sf libloomplace.so.$(SOMAJOR) '$(DESTDIR)$(LIBDIR)/libloomplace.so'
	$(if $(wildcard $(O)/libloom_ep.so),install -m 644 $(O)/libloom_ep.so '$(DESTDIR)$(LIBDIR)')
	for i in loom loomplace; do sed -e 's,^prefix=.*,prefix=$(PREFIX),' \
		-e 's,^libdir=.*,libdir=$(LIBDIR:$(PREFIX)/%=$${prefix}/%),' $(O)/$$i.pc \
		>'$(DESTDIR)$(LIBDIR)/pkgconfig/'$$i.pc || exit 1; done
	install -m 644 userlib/loomplace/loomplace.h userlib/loomplace/loomplace.hpp \
		'$(DESTDIR)$(PREFIX)/include'
	install -m 644 userlib/include/*.h userlib/include/*.hpp '$(DESTDIR)$(PREFIX)/include/loom'
	install -m 644 $(uapi_headers) '$(DESTDIR)$(PREFIX)/include/loom/drm'
	install -d '$(DESTDIR)$(PREFIX)/share/loom/chips' '$(DESTDIR)$(PYTHONDIR)/loom'
	install -m 644 $(O)/python/loom/*.py $(O)/python/loom/py.typed '$(DESTDIR)$(PYTHONDIR)/loom'
	install -m 644 $(chip_files) '$(DESTDIR)$(PREFIX)/share/loom/chips'
	install -m 644 tools/install/60-loom.rules '$(udev_dir)'
	install -D -m 644 tools/install/completion/loom.bash '$(completion_bash)'
	install -D -m 644 tools/install/completion/_loom '$(completion_zsh)'
	install -D -m 644 tools/install/completion/loom.fish '$(completion_fish)'
	install -d '$(DESTDIR)$(PREFIX)/share/man/man1' '$(DESTDIR)$(PREFIX)/share/man/man3'
	install -m 644 $(O)/man/man1/* '$(DESTDIR)$(PREFIX)/share/man/man1'
	install -m 644 $(O)/man/man3/* '$(DESTDIR)$(PREFIX)/share/man/man3'
	@# Kbuild takes every source that it finds: none of an older install may be left
	rm -rf '$(dkms_dir)/drivers' '$(dkms_dir)/uapi'
	cp -R Kbuild drivers uapi '$(dkms_dir)'
	sed 's/@VERSION@/$(VERSION)/' tools/install/dkms.conf >'$(dkms_dir)/dkms.conf'
	@$(if $(DESTDIR),:,echo ldconfig; PATH="$$PATH:/sbin:/usr/sbin" ldconfig 2>/dev/null || \
		echo 'ldconfig did not run: as root, it tells programs where libloom.so.$(SOMAJOR) is')
	@echo
	@echo 'Installed. The module: "make install-module" for the running kernel, or, with dkms,'
	@echo '"dkms install loom/$(VERSION)"; then "modprobe loom". The node belongs to group render.'

install-module:
	$(MAKE) module KDIR=/lib/modules/$(KREL)/build
	install -d '$(DESTDIR)/lib/modules/$(KREL)/updates'
	install -m 644 $(addprefix $(module_dir)/drivers/accel/loom/,loom.ko loom_soft.ko loom_pci.ko) \
		'$(DESTDIR)/lib/modules/$(KREL)/updates'
	install -m 644 $(module_dir)/Module.symvers '$(DESTDIR)/lib/modules/$(KREL)/updates/loom.symvers'
	$(if $(DESTDIR),,depmod $(KREL) && ldconfig)

uninstall:
	rm -f '$(DESTDIR)$(PREFIX)/bin/loom' '$(DESTDIR)$(PREFIX)/bin/loom-sweep' '$(DESTDIR)$(LIBDIR)'/libloom.* \
		'$(DESTDIR)$(LIBDIR)'/libloomplace.* '$(DESTDIR)$(LIBDIR)/pkgconfig/loomplace.pc' \
		'$(DESTDIR)$(PREFIX)/include/loomplace.h' '$(DESTDIR)$(PREFIX)/include/loomplace.hpp' \
		'$(DESTDIR)$(LIBDIR)/libloom_ep.so' \
		'$(DESTDIR)$(LIBDIR)/pkgconfig/loom.pc' '$(udev_dir)/60-loom.rules' \
		'$(completion_bash)' '$(completion_zsh)' '$(completion_fish)' \
		'$(DESTDIR)$(PREFIX)/share/man'/man1/loom.1 '$(DESTDIR)$(PREFIX)/share/man'/man1/loom-*.1 \
		'$(DESTDIR)$(PREFIX)/share/man'/man3/libloom.3 '$(DESTDIR)$(PREFIX)/share/man'/man3/loom[._]*.3 \
		'$(DESTDIR)$(PREFIX)/share/man'/man3/drm_loom_*.3
	rm -f $(addprefix '$(DESTDIR)/lib/modules/$(KREL)/updates'/loom,.ko _soft.ko _pci.ko .symvers)
	rm -rf '$(DESTDIR)$(PREFIX)/include/loom' '$(DESTDIR)$(PREFIX)/share/loom' '$(dkms_dir)' \
		'$(DESTDIR)$(PYTHONDIR)/loom'

# Packages for Debian. What is packaged is what git would have in a release; pictures of plans in the
# pages need the models.
.PHONY: deb
deb:
	@tools/ci/deps.sh deb
	@mkdir -p $(O)
	@tools/ci/models.sh >$(O)/models.log 2>&1 || echo 'deb: no models, the pages lack pictures of plans'
	@tools/install/deb.sh

# --- clean -------------------------------------------------------------------

.PHONY: clean distclean
# downloads (models, packages) are kept: they take long, and are verified by hash
clean:
	rm -rf $(addprefix $(O)/,obj asan coverage coverage-module coverage-module-stock gen host tests e2e e2e-out ort-tests examples bench module check tsan \
		check-debug check-debug-backports check-more check-pci check-rest \
		check-models ort-models plan-hashes debug \
		deb debug-backports fuzz intree libfuzzer mutants series kselftest vm lint docs man pictures python loom loom-sweep loom-sim pci \
		loom.pc loomplace.pc textline libloom_ep.so) \
		$(O)/libloom.* $(O)/libloomplace.* $(O)/*.log $(O)/.install.* $(O)/.floors.*
distclean:
	rm -rf $(O)

-include $(shell find $(O)/obj $(O)/asan/obj $(O)/coverage/obj $(O)/examples -name '*.d' 2>/dev/null)
