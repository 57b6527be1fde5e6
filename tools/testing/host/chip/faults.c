// SPDX-License-Identifier: MIT
/* Broken files: each has one line that says where it is broken, and what is wrong there. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "loom_chip_file.h"
#include "loom_core.h"
#include "tap.h"

/* the least that a chip needs; the faulty text comes behind */
#define HEAD	"name: my\nfrequency: 1 GHz\n"
#define TYPES	"types: {f32: {ops: 1}}\n"
#define SRAM	"memory:\n  sram:\n    size: 64k\n    read: 16\n"
#define DRAM	"  dram:\n    size: 1M\n    read: 4\n"
#define BASE	"name: my\nextends: tiny\n"

struct fault {
	const char *text;
	const char *said;
};

static const struct fault yaml[] = {
	{ "", "my.yaml:1: is empty" },
	{ "# nothing\n", "my.yaml:1: is empty" },
	{ "tiny\n", "my.yaml:1: is not a map of keys and values" },
	{ "\n- a\n- b\n", "my.yaml:2: is not a map of keys and values" },
	{ "name: a: b\n",
	  "my.yaml:1: is not YAML: mapping values are not allowed in this context" },
	{ "name: my\n\tfrequency: 1\n",
	  "my.yaml:2: is not YAML: found a tab character that violates indentation" },
	{ "memory: {sram: {banks: 1\nname: my\n",
	  "my.yaml:2: is not YAML: did not find expected ',' or '}'" },
	{ "name: 'my\n", "my.yaml:2: is not YAML: found unexpected end of stream" },
	{ "name: my\ndescription: \xff\n", "my.yaml:2: is not YAML: invalid leading UTF-8 octet" },
	{ "name: \"m\\0y\"\n", "my.yaml:1: a text has a NUL in it" },
	{ "name: &a my\ndescription: *a\n", "my.yaml:1: anchors ('&') are not allowed" },
	{ "name: my\ndescription: *a\n", "my.yaml:2: aliases ('*') are not allowed" },
	{ "memory: &m {sram: {}}\n", "my.yaml:1: anchors ('&') are not allowed" },
	{ "name: !!str my\n", "my.yaml:1: tags ('!') are not allowed" },
	{ SRAM "    size: 1k\n", "my.yaml:5: memory.sram.size: is there twice, first in line 3" },
	{ "memory: [[[[[[[1]]]]]]]\n", "my.yaml:1: is nested too deep" },
	{ "? [a, b]\n: 1\n", "my.yaml:1: a key is not a word" },
};

static const struct fault keys[] = {
	{ BASE "freqency: 1\n",
	  "my.yaml:3: freqency: unknown key, did you mean 'frequency'?" },
	{ BASE "memory: {sram: {bank: 2}}\n",
	  "my.yaml:3: memory.sram.bank: unknown key, did you mean 'banks'?" },
	{ BASE "memory:\n  sram:\n    latency: {raed: 2}\n",
	  "my.yaml:5: memory.sram.latency.raed: unknown key, did you mean 'read'?" },
	{ BASE "memory: {flush: {}}\n",
	  "my.yaml:3: memory.flush: unknown memory, known are " },
	{ BASE "types: {int8: {ops: 1}}\n",
	  "my.yaml:3: types.int8: unknown type, did you mean 'i8'?" },
	{ BASE "types: {i8: {mac: 1}}\n",
	  "my.yaml:3: types.i8.mac: unknown key, did you mean 'macs'?" },
	{ BASE "dma: {strat: 1}\n", "my.yaml:3: dma.strat: unknown key, did you mean 'start'?" },
	{ BASE "memory.sram.banks: 1\n",
	  "my.yaml:3: memory.sram.banks: unknown key, known are " },
	{ BASE "<<: {banks: 1}\n", "my.yaml:3: <<: unknown key, known are " },
	{ BASE "operations: [conv, madmul]\n",
	  "my.yaml:3: operations: there is no operation 'madmul', did you mean 'matmul'?" },
	{ BASE "name:\n", "my.yaml:3: name: is there twice, first in line 1" },
};

static const struct fault kinds[] = {
	{ BASE "frequency: [1]\n", "my.yaml:3: frequency: takes a single value, not a list" },
	{ BASE "frequency: {hz: 1}\n", "my.yaml:3: frequency: takes a single value, not a map" },
	{ BASE "memory: 4\n",
	  "my.yaml:3: memory: takes a map of dram, sram, ..., not a value" },
	{ BASE "memory: {dram: 1}\n",
	  "my.yaml:3: memory.dram: takes a map or 'none', not a value" },
	{ BASE "memory: {dram: [banks]}\n",
	  "my.yaml:3: memory.dram: takes a map or 'none', not a list" },
	{ BASE "types: [i8, f32]\n", "my.yaml:3: types: takes a map of f32, i8, ..., not a list" },
	{ BASE "dma: [1]\n", "my.yaml:3: dma: takes a map, not a list" },
	{ BASE "operations: none\n",
	  "my.yaml:3: operations: takes 'all', a list of operations, or {except: a list}" },
	{ BASE "operations: {except: conv}\n",
	  "my.yaml:3: operations.except: takes a list of operations, not a value" },
	{ BASE "operations: {without: [conv]}\n",
	  "my.yaml:3: operations: takes 'all', a list of operations, or {except: a list}" },
	{ BASE "operations: [[conv]]\n",
	  "my.yaml:3: operations: an operation is a word, not a list" },
	{ BASE "overlap: maybe\n", "my.yaml:3: overlap: takes yes or no, not 'maybe'" },
	{ "name: my\nextends: [tiny]\n", "my.yaml:2: extends: takes a name or a path" },
};

static const struct fault numbers[] = {
	{ BASE "frequency: fast\n", "my.yaml:3: frequency: 'fast' is not a number" },
	{ BASE "frequency: .nan\n", "my.yaml:3: frequency: '.nan' is not a number" },
	{ BASE "frequency: nan\n", "my.yaml:3: frequency: 'nan' is not a number" },
	{ BASE "frequency: .inf\n", "my.yaml:3: frequency: '.inf' is not a number" },
	{ BASE "frequency: -1 GHz\n", "my.yaml:3: frequency: '-1 GHz' is negative" },
	{ BASE "frequency: 0\n", "my.yaml:3: frequency: is zero" },
	{ BASE "frequency: 0.0001 kHz\n",
	  "my.yaml:3: frequency: '0.0001 kHz' is not a whole number" },
	{ BASE "frequency: 1 GB\n",
	  "my.yaml:3: frequency: unknown unit 'GB', known are Hz, kHz, MHz, GHz" },
	{ BASE "frequency: 1.5.2 GHz\n",
	  "my.yaml:3: frequency: unknown unit '.2 GHz', known are Hz, kHz, MHz, GHz" },
	{ BASE "frequency: 1. GHz\n",
	  "my.yaml:3: frequency: '1. GHz' is not a number of up to 18 digits" },
	{ BASE "frequency: 1234567890123456789\n",
	  "my.yaml:3: frequency: '1234567890123456789' is not a number of up to 18 digits" },
	{ BASE "compute_units: 1.5\n", "my.yaml:3: compute_units: '1.5' is not a whole number" },
	{ BASE "compute_units: 2 cores\n",
	  "my.yaml:3: compute_units: takes a number without a unit, not 'cores'" },
	{ BASE "compute_units: 4294967297\n", "my.yaml:3: compute_units: is too large" },
	{ BASE "memory: {sram: {size: 999999999999999999 T}}\n",
	  "my.yaml:3: memory.sram.size: '999999999999999999 T' is too large" },
	{ BASE "memory: {sram: {size: 1 MB}}\n",
	  "my.yaml:3: memory.sram.size: unknown unit 'MB', known are " },
	{ BASE "memory: {sram: {read: 0.0001}}\n",
	  "my.yaml:3: memory.sram.read: '0.0001' is less than a thousandth" },
	{ BASE "memory: {sram: {read: 16 GHz}}\n",
	  "my.yaml:3: memory.sram.read: unknown unit 'GHz', known are B/cycle, MB/s, GB/s, TB/s" },
	{ BASE "dma: {start: 1.5}\n", "my.yaml:3: dma.start: '1.5' is not a whole number" },
	{ BASE "types: {i8: {macs: 1e3}}\n",
	  "my.yaml:3: types.i8.macs: takes a number without a unit, not 'e3'" },
	{ BASE "memory: {dram: {energy: {read: 1 J}}}\n",
	  "my.yaml:3: memory.dram.energy.read: unknown unit 'J', known are fJ, pJ, nJ" },
	{ BASE "frequency: \"1\\n2\"\n",
	  "my.yaml:3: frequency: unknown unit '?2', known are Hz, kHz, MHz, GHz" },
};

static const struct fault figures[] = {
	{ "frequency: 1 GHz\n" TYPES SRAM DRAM, "my.yaml:1: name: is missing" },
	{ "name: My Chip\nextends: tiny\n",
	  "my.yaml:1: name: is not 1 to 31 lower case letters, digits, '-', '_' and '.'" },
	{ "name: a-name-that-is-far-too-long-for-it\nextends: tiny\n",
	  "my.yaml:1: name: is longer than 31 letters" },
	{ "name: my\n" TYPES SRAM DRAM, "my.yaml:1: frequency: is missing" },
	{ HEAD TYPES, "my.yaml:1: memory.sram: is missing: there is nothing to compute in" },
	{ HEAD TYPES "memory:\n  sram:\n    read: 1\n", "my.yaml:5: memory.sram.size: is missing" },
	{ HEAD TYPES "memory:\n  sram:\n    size: 1\n", "my.yaml:5: memory.sram.read: is missing" },
	{ HEAD SRAM DRAM, "my.yaml:1: types: has no types, or unknown ones" },
	{ HEAD SRAM DRAM "types: {}\n", "my.yaml:10: types: has no types, or unknown ones" },
	{ HEAD SRAM DRAM "types:\n  i8: {}\n", "my.yaml:11: types.i8.ops: is missing" },
	{ HEAD SRAM DRAM "types:\n  i8: {ops: 0}\n",
	  "my.yaml:11: types.i8.ops: is not 0.001 to 2000000 in a cycle" },
	{ BASE "memory: {dram: none}\n",
	  "tiny.yaml:12: memory.sram.banks: is above 1 although there is no DRAM" },
	{ BASE "memory: {sram: none}\n",
	  "my.yaml:1: memory.sram: is missing: there is nothing to compute in" },
	{ BASE "types: {f32: {ops: none}}\n", "my.yaml:3: types.f32.ops: is missing" },
	{ "name: my\nextends: moon\n", "my.yaml:2: extends: there is no chip 'moon'" },
	{ "name: my\nextends: moon.yaml\n",
	  "my.yaml:2: extends: 'moon.yaml': No such file or directory" },
	{ "name: my\nextends: /\n", "my.yaml:2: extends: '/': Is a directory" },
	{ "name: my\nextends: /dev/null\n",
	  "my.yaml:2: extends: '/dev/null': Not a regular file" },
};

/* behind a chip that is good */
static const struct fault behind[] = {
	{ "---\nname: my\n", "my.yaml:11: there is a second document" },
	{ "frequency: 1\n", "my.yaml:11: frequency: is there twice, first in line 2" },
	{ "    banks: 300\n", "my.yaml:11: memory.dram.banks: is above 256" },
	{ "    banks: 0\n",
	  "my.yaml:11: memory.dram.banks: is zero; a chip without that memory says 'none' for it" },
	{ "    sub_banks: 3\n",
	  "my.yaml:11: memory.dram.sub_banks: does not divide the size of a bank" },
	{ "    align: 48\n",
	  "my.yaml:11: memory.dram.align: is not a power of two up to 1 MiB" },
	{ "    reserved: 1M\n",
	  "my.yaml:11: memory.dram.reserved: leaves nothing of the bank" },
	{ "    floor: 2M\n", "my.yaml:11: memory.dram.floor: is more than there is in a bank" },
	{ "    burst: 2M\n", "my.yaml:11: memory.dram.burst: is above 1 MiB" },
	{ "    write: 0\n",
	  "my.yaml:11: memory.dram.write: is not 0.001 to 2000000 bytes in a cycle" },
	{ "    latency: 2000000\n", "my.yaml:11: memory.dram.latency.read: is above 1000000" },
	{ "    latency: {write: 2 us, read: 1100 us}\n",
	  "my.yaml:11: memory.dram.latency.read: is above 1000000" },
	{ "    energy: {write: 3000000}\n",
	  "my.yaml:11: memory.dram.energy.write: is above 2 uJ" },
	{ "  rom: {size: 1M, read: 1, write: 1}\n",
	  "my.yaml:11: memory.rom.write: is not zero in memory that is only read" },
	{ "  rom: {size: 1M}\n", "my.yaml:11: memory.rom.read: is missing" },
	{ "compute_units: 0\n", "my.yaml:11: compute_units: is not 1 to 256" },
	{ "dma: 1000001\n", "my.yaml:11: dma.start: is above 1000000" },
	{ "operations: {except: [copy]}\n",
	  "my.yaml:11: operations: has unknown operations, or lacks COPY" },
	{ "operations: []\n", "my.yaml:11: operations: has unknown operations, or lacks COPY" },
};

static void test_faults(const char *before, const struct fault *faults, size_t count)
{
	struct drm_loom_chip chip;
	struct loom_error err;
	char text[400];
	size_t i;
	int ret;

	for (i = 0; i < count; i++) {
		err.text[0] = '\0';
		snprintf(text, sizeof(text), "%s%s", before, faults[i].text);
		ret = loom_chip_parse(text, strlen(text), "my.yaml", &chip, &err);
		/* a list of what is known is not repeated here */
		if (!tap_ok(ret && !strncmp(err.text, faults[i].said, strlen(faults[i].said)) &&
			    (strlen(err.text) == strlen(faults[i].said) ||
			     faults[i].said[strlen(faults[i].said) - 1] == ' '),
			    "%s", faults[i].said))
			tap_note("%d, and it said: %s", ret, err.text);
	}
}

static void test_good(const char *text, const char *name)
{
	struct drm_loom_chip chip;
	struct loom_error err = { .text = "" };
	int ret;

	ret = loom_chip_parse(text, strlen(text), "my.yaml", &chip, &err);
	if (!tap_ok(!ret, "%s", name))
		tap_note("%s", err.text);
}

static void test_known(void)
{
	const char *text = "name: my\nmoon: 1\n";
	struct drm_loom_chip chip;
	struct loom_error err;

	loom_chip_parse(text, strlen(text), "my.yaml", &chip, &err);
	tap_ok(strstr(err.text, "known are name, description, frequency, compute_units,") &&
	       strstr(err.text, " overlap, dma, compute, storage_banks, extends, memory, ") &&
	       strstr(err.text, " memory, types, operations"),
	       "a key that is near to none is answered with all of them");
}

static void test_size(void)
{
	static char text[(64 << 10) + 1];
	struct drm_loom_chip chip;
	struct loom_error err;

	memset(text, '\n', sizeof(text));
	tap_ok(loom_chip_parse(text, sizeof(text), "my.yaml", &chip, &err) == -EFBIG &&
	       !strcmp(err.text, "my.yaml: is larger than 64 KiB"), "a file that is too large");
	memcpy(text, "a: [", 4);
	for (size_t i = 4; i + 2 < sizeof(text); i += 2)
		memcpy(text + i, "1,", 2);
	tap_ok(loom_chip_parse(text, sizeof(text) - 1, "my.yaml", &chip, &err) == -EINVAL &&
	       !strcmp(err.text, "my.yaml:1: more than 1000 values"), "one of too many values");
	tap_ok(loom_chip_parse("a", 1, "my.yaml", &chip, NULL) == -EINVAL, "nobody has to listen");
}

static void test_names(void)
{
	struct drm_loom_chip chip;
	struct loom_error err;

	tap_ok(loom_chip_load("wormhol", &chip, &err) == -ENXIO &&
	       !strcmp(err.text, "there is no chip 'wormhol', did you mean 'wormhole'?"),
	       "a name that is misspelt");
	tap_ok(loom_chip_load("./moon", &chip, &err) == -ENOENT &&
	       !strcmp(err.text, "./moon: No such file or directory"), "a file that is not there");
	tap_ok(loom_chip_load("/", &chip, &err) == -EISDIR &&
	       !strcmp(err.text, "/: Is a directory"), "a folder");
	tap_ok(loom_chip_load("", &chip, &err) == -ENXIO, "no name at all");
}

/* errno stays as it is, as all headers promise, also where a file cannot be opened. */
static void test_errno(void)
{
	static const char *const wrong[] = {
		"/nowhere/chip.yaml", "/", "/dev/null", "nowhere.yaml", "no_such_chip",
	};
	struct drm_loom_chip chip;
	struct loom_error err;
	uint32_t i;

	errno = 77;
	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		tap_ok(loom_chip_load(wrong[i], &chip, &err) < 0 && errno == 77,
		       "errno is left alone: %s", err.text);
	tap_ok(loom_chip_load(NULL, &chip, &err) == -EINVAL && errno == 77, "%s", err.text);
}

int main(void)
{
	test_errno();
	test_good(HEAD TYPES SRAM DRAM, "the least that a chip needs");
	test_good(HEAD TYPES SRAM, "a lane and no DRAM");
	test_good(BASE, "what extends another needs only a name");
	test_faults("", yaml, ARRAY_SIZE(yaml));
	test_faults("", keys, ARRAY_SIZE(keys));
	test_faults("", kinds, ARRAY_SIZE(kinds));
	test_faults("", numbers, ARRAY_SIZE(numbers));
	test_faults("", figures, ARRAY_SIZE(figures));
	test_faults(HEAD TYPES SRAM DRAM, behind, ARRAY_SIZE(behind));
	test_known();
	test_size();
	test_names();
	return tap_end();
}
