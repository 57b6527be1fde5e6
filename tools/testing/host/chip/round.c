// SPDX-License-Identifier: MIT
/* Chips are read as they were written; a chip that extends another inherits its figures. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chip_random.h"
#include "loom_chip_file.h"
#include "tap.h"

#define ROUNDS	3000

static uint64_t all_opcodes(void)
{
	struct drm_loom_chip chip;

	if (loom_chip_find("soft", &chip))
		tap_fatal("soft cannot be read");
	return chip.opcodes;
}

static void test_round_trip(void)
{
	struct drm_loom_chip chip, back;
	uint64_t opcodes = all_opcodes();
	struct loom_error err;
	unsigned int i, good = 0;
	char *text, *again;

	random_state = 12;
	for (i = 0; i < ROUNDS; i++) {
		chip = chip_random(opcodes);
		text = NULL;
		again = NULL;
		err.text[0] = '\0';
		if (!loom_chip_write(&chip, &text) &&
		    !loom_chip_parse(text, strlen(text), "written", &back, &err) &&
		    !memcmp(&chip, &back, sizeof(chip)) && !loom_chip_write(&back, &again) &&
		    !strcmp(text, again))
			good++;
		else
			tap_note("number %u: %s\n%s", i, err.text, text ? text : "");
		free(text);
		free(again);
	}
	tap_ok(good == ROUNDS, "%u of %d random chips are read as they were written", good, ROUNDS);
}

static void test_refusals(void)
{
	struct drm_loom_chip chip;
	char *text;

	memset(&chip, 0, sizeof(chip));
	tap_ok(loom_chip_write(&chip, &text) == -EINVAL && !text, "nonsense is not written");
	chip = *loom_preset_get(0);
	chip.opcodes |= 1;
	tap_ok(loom_chip_write(&chip, &text) == -EINVAL && !text,
	       "nor is an operation that has no name");
}

/* --- what extends what --------------------------------------------------------------------- */

static char folder[32];

static void put(const char *name, const char *text)
{
	char path[100];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fclose(file))
		tap_fatal("%s cannot be written", path);
}

static int load(const char *name, struct drm_loom_chip *chip, struct loom_error *err)
{
	char path[100];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	err->text[0] = '\0';
	return loom_chip_load(path, chip, err);
}

static void fails(const char *name, const char *said)
{
	struct drm_loom_chip chip;
	struct loom_error err;
	char want[300];
	int ret;

	snprintf(want, sizeof(want), "%s/%s", folder, said);
	ret = load(name, &chip, &err);
	if (!tap_ok(ret == -EINVAL && !strcmp(err.text, want), "%s", said))
		tap_note("%d, and it said: %s", ret, err.text);
}

static void test_chain(void)
{
	struct drm_loom_chip a, b, tiny;
	struct loom_error err;

	loom_chip_find("tiny", &tiny);
	put("a.yaml", "name: a\nextends: tiny\n");
	tap_ok(!load("a.yaml", &a, &err) && !strcmp(a.name, "a") &&
	       !memcmp((char *)&a + sizeof(a.name), (char *)&tiny + sizeof(a.name),
		       sizeof(a) - sizeof(a.name)),
	       "a file that extends a name is the same but for its own name");

	put("b.yaml", "name: b\nextends: a.yaml\nfrequency: 2 GHz\nmemory:\n"
	    "  dram: {read: 34 GB/s, write: none, latency: {read: 100 ns}}\n"
	    "  sram: {banks: 3}\ntypes: {f64: none, i8: {macs: 7}}\n"
	    "operations: {except: [conv, deconv]}\n");
	tap_ok(!load("b.yaml", &b, &err), "a chain of three%s", err.text);
	tap_ok(b.region[0].read_rate == 17000 && b.region[0].read_latency == 200,
	       "rates and times are of the frequency that holds in the end");
	tap_ok(b.region[0].write_rate == 17000, "what is none has its default again");
	tap_ok(b.region[1].banks == 3 && b.region[1].bank_bytes == tiny.region[1].bank_bytes,
	       "what is not named stays");
	tap_ok(b.dtypes == (tiny.dtypes & ~(1U << DRM_LOOM_DTYPE_F64)), "a type is taken away");
	tap_ok(b.type[DRM_LOOM_DTYPE_I8].mac_rate == 7000 &&
	       b.type[DRM_LOOM_DTYPE_I8].op_rate == tiny.type[DRM_LOOM_DTYPE_I8].op_rate,
	       "another has one figure changed");
	tap_ok(b.opcodes == (tiny.opcodes & ~(3ULL << DRM_LOOM_OP_CONV)),
	       "and two operations are taken away");

	put("c.yaml", "name: c\nextends: b.yaml\noperations: {except: [matmul]}\nfrequency: 1 GHz\n"
	    "memory: {dram: {latency: 5}}\n");
	tap_ok(!load("c.yaml", &b, &err) && b.region[0].read_rate == 34000 &&
	       b.region[0].read_latency == 5 && b.region[0].write_latency == 5,
	       "a rate follows the frequency of a file that extends its own");
	tap_ok(b.opcodes == (tiny.opcodes & ~(3ULL << DRM_LOOM_OP_CONV) &
			     ~(1ULL << DRM_LOOM_OP_MATMUL)),
	       "operations are taken away from what is left");
	put("all.yaml", "name: all\nextends: b.yaml\noperations: all\n");
	tap_ok(!load("all.yaml", &b, &err) && b.opcodes == tiny.opcodes, "and are all back");
	put("lane.yaml", "name: lane\nextends: tiny\nmemory: {dram: none, sram: {banks: 1}}\n");
	tap_ok(!load("lane.yaml", &b, &err) && !b.region[0].banks && !b.region[0].read_rate,
	       "a memory is taken away with all that it had");
}

static void test_chain_faults(void)
{
	char name[32], text[100];
	int i;

	put("x.yaml", "name: x\nextends: y.yaml\n");
	put("y.yaml", "name: y\n\nextends: x.yaml\n");
	fails("x.yaml", "y.yaml:3: extends: 'x.yaml' extends this file, too");
	put("x.yaml", "name: x\nextends: ./x.yaml\n");
	fails("x.yaml", "x.yaml:2: extends: './x.yaml' extends this file, too");
	put("base.yaml", "name: base\nextends: tiny\nmemory:\n  sram:\n    banks: 999\n");
	put("x.yaml", "name: x\nextends: base.yaml\n");
	fails("x.yaml", "base.yaml:5: memory.sram.banks: is above 256");
	put("base.yaml", "name: base\nextends: tiny\nmemry: 1\n");
	fails("x.yaml", "base.yaml:3: memry: unknown key, did you mean 'memory'?");
	put("base.yaml", "extends: tiny\n");
	put("x.yaml", "extends: base.yaml\n");
	fails("x.yaml", "x.yaml:1: name: is missing");
	put("n0.yaml", "name: n\nextends: tiny\n");
	for (i = 1; i < 8; i++) {
		snprintf(name, sizeof(name), "n%d.yaml", i);
		snprintf(text, sizeof(text), "name: n\nextends: n%d.yaml\n", i - 1);
		put(name, text);
	}
	fails("n7.yaml", "n0.yaml:2: extends: 'tiny' is number 9 in a chain of at most 8");
}

int main(void)
{
	char command[100];

	test_round_trip();
	test_refusals();
	snprintf(folder, sizeof(folder), "/tmp/loom-chip-XXXXXX");
	if (!mkdtemp(folder))
		tap_fatal("no folder");
	test_chain();
	test_chain_faults();
	snprintf(command, sizeof(command), "rm -r %s", folder);
	tap_ok(!system(command), "nothing is left");
	return tap_end();
}
