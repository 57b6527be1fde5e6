// SPDX-License-Identifier: MIT
/*
 * DOC: Fuzzing the loader of chips
 *
 * One input is a file. Whatever is in it, nothing may crash; a refusal is one line with the name of
 * a file, and the same when asked again; a description that is accepted is within all limits, and
 * is written as text that is read as the same description.
 *
 * Inputs are files of the library and of random chips, with words, lines and bytes exchanged,
 * doubled and cut out.
 */
#include "loom_core.h"

#include <ctype.h>

#define FUZZ_NAME	"fuzz-chip"
#define FUZZ_MAX_BYTES	6000

#include "chip_random.h"
#include "fuzz.h"
#include "loom_chip_file.h"

static uint64_t fuzz_taken;

/* A number is no more than @most, and no less than @least. */
static void fuzz_check_range(const char *what, u64 value, u64 least, u64 most)
{
	fuzz_expect(value >= least && value <= most, "%s of %llu was accepted", what,
		    (unsigned long long)value);
}

static void fuzz_check_region(const struct drm_loom_chip_region *region, bool rom)
{
	const u64 rate = 2000000000, cycles = 1000000, energy = 2000000000;

	fuzz_check_range("banks", region->banks, 1, 256);
	fuzz_check_range("sub-banks", region->sub_banks, 1, 64);
	fuzz_check_range("bytes of a bank", region->bank_bytes, 1, 1ULL << 44);
	fuzz_check_range("rest of a sub-bank", region->bank_bytes % region->sub_banks, 0, 0);
	fuzz_check_range("alignment", region->align_bytes, 1, 1 << 20);
	fuzz_check_range("bits of an alignment", __builtin_popcountll(region->align_bytes), 1, 1);
	fuzz_check_range("reserved bytes", region->reserved_bytes, 0, region->bank_bytes - 1);
	fuzz_check_range("floor", region->floor_bytes, 0,
			 region->bank_bytes - region->reserved_bytes);
	fuzz_check_range("burst", region->burst_bytes, 0, 1 << 20);
	fuzz_check_range("rate of reads", region->read_rate, 1, rate);
	fuzz_check_range("rate of writes", region->write_rate, !rom, rom ? 0 : rate);
	fuzz_check_range("latency of reads", region->read_latency, 0, cycles);
	fuzz_check_range("latency of writes", region->write_latency, 0, cycles);
	fuzz_check_range("energy of reads", region->read_energy, 0, energy);
	fuzz_check_range("energy of writes", region->write_energy, 0, energy);
}

/* The limits that Documentation/chips.rst names, once more. */
static void fuzz_check_limits(const struct drm_loom_chip *chip)
{
	u32 i;

	fuzz_check_range("frequency", chip->frequency_hz, 1, 1000000000000);
	fuzz_check_range("compute units", chip->compute_units, 1, 256);
	fuzz_check_range("start of DMA", chip->dma_start, 0, 1000000);
	fuzz_check_range("start of computing", chip->compute_start, 0, 1000000);
	fuzz_check_range("types", chip->dtypes, 1, (1U << DRM_LOOM_DTYPE_END) - 2);
	fuzz_check_range("COPY", chip->opcodes >> DRM_LOOM_OP_COPY & 1, 1, 1);
	fuzz_check_range("banks of SRAM", chip->region[DRM_LOOM_REGION_SRAM].banks, 1, 256);
	for (i = 0; i < DRM_LOOM_REGION_COUNT; i++)
		if (chip->region[i].banks)
			fuzz_check_region(&chip->region[i], i == DRM_LOOM_REGION_ROM);
	for (i = 0; i < DRM_LOOM_CHIP_TYPES; i++) {
		const struct drm_loom_chip_type *type = &chip->type[i];
		bool has = chip->dtypes >> i & 1;

		fuzz_check_range("rate of operations", type->op_rate, has, has ? 2000000000 : 0);
		fuzz_check_range("rate of products", type->mac_rate, 0, has ? 2000000000 : 0);
		fuzz_check_range("energy of operations", type->op_energy, 0, 2000000000);
		fuzz_check_range("energy of products", type->mac_energy, 0, 2000000000);
		fuzz_check_range("block", chip->array[i].in_channels, 0, has ? 65536 : 0);
		fuzz_check_range("block", chip->array[i].out_channels, 0, has ? 65536 : 0);
		fuzz_check_range("block", chip->array[i].positions, 0, has ? 65536 : 0);
		fuzz_check_range("rate", chip->array[i].depthwise_rate, 0, has ? 2000000000 : 0);
		fuzz_check_range("rate", chip->vector[i].pool_rate, 0, has ? 2000000000 : 0);
		fuzz_check_range("rate", chip->vector[i].element_rate, 0, has ? 2000000000 : 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct drm_loom_chip chip, again;
	struct loom_error err, second;
	char *text;
	int ret;

	ret = loom_chip_parse((const char *)data, size, "fuzz.yaml", &chip, &err);
	if (ret) {
		fuzz_check_line(&err, ".yaml:");
		fuzz_expect(loom_chip_parse((const char *)data, size, "fuzz.yaml", &again,
					    &second) == ret && !strcmp(err.text, second.text),
			    "two answers to the same question");
		return 0;
	}
	fuzz_taken++;
	fuzz_expect(!loom_chip_check(&chip, NULL), "what was accepted makes no sense");
	fuzz_check_limits(&chip);
	fuzz_expect(!loom_chip_write(&chip, &text), "what was accepted cannot be written");
	ret = loom_chip_parse(text, strlen(text), "written.yaml", &again, &err);
	fuzz_expect(!ret, "what was written cannot be read: %s", err.text);
	fuzz_expect(!memcmp(&chip, &again, sizeof(chip)), "what was written is another chip");
	free(text);
	return 0;
}

#ifndef LOOM_LIBFUZZER

static void fuzz_begin(void)
{
	struct drm_loom_chip chip, first;
	unsigned int count = 0;
	const char *source;
	char *text = NULL;

	while (loom_chip_name(count))
		count++;
	if (random_below(2)) {
		source = loom_chip_text(loom_chip_name(random_below(count)));
	} else {
		if (loom_chip_find(loom_chip_name(0), &first))
			fuzz_fail("no chip is built in");
		chip = chip_random(first.opcodes);
		if (loom_chip_write(&chip, &text))
			fuzz_fail("a random chip cannot be written");
		source = text;
	}
	fuzz_now.size = min(strlen(source), sizeof(fuzz_now.data));
	memcpy(fuzz_now.data, source, fuzz_now.size);
	free(text);
}

/* Where a line, or behind a space or a bracket a word, begins. */
static size_t fuzz_find(const char *before)
{
	size_t at = random_below(fuzz_now.size + 1);

	while (at && !strchr(before, fuzz_now.data[at - 1]))
		at--;
	return at;
}

static size_t fuzz_length(size_t at, const char *until)
{
	size_t length = 0;

	while (at + length < fuzz_now.size && !strchr(until, fuzz_now.data[at + length]))
		length++;
	return length;
}

static const char *fuzz_word(void)
{
	static const char *const words[] = {
		"none", "null", "~", "0", "-1", ".nan", "1e9", "yes", "*a", "&a", "!!int", "<<",
		"{", "}", "[", "]", ":", ",", "|", ">", "---", "...", "%YAML 1.1\n", "# ", "? ",
		"\"\\0\"", "\"\\n\"", "'", "\t", "\xff", "\xef\xbb\xbf", "18446744073709551616",
		"999999999999999999", "0.000000000000000001", "1 GHz", "34 GB/s", "100 ns", "3 MiB",
		"16T", "extends: tiny\n", "extends: fuzz.yaml\n", "extends: none\n", "name", "macs",
		"memory:", "dram:", "sram:", "rom: {size: 4k, read: 1}\n", "types:", "operations:",
		"except:", "energy: 3", "latency: {read: 3}", "banks: 1\n", "257", "2000001",
		"size", "read",
	};

	return words[random_below(ARRAY_SIZE(words))];
}

/* A number is doubled some times; units and what is behind a point stay. */
static void fuzz_grow(size_t at, size_t length)
{
	unsigned long long value = 0;
	char text[24];
	size_t digits;

	for (digits = 0; digits < length && isdigit(fuzz_now.data[at + digits]); digits++)
		value = value * 10 + fuzz_now.data[at + digits] - '0';
	snprintf(text, sizeof(text), "%llu", value << random_below(24));
	if (digits)
		fuzz_splice(at, digits, text, strlen(text));
}

static void fuzz_mutate(void)
{
	static const char words[] = "\n ,:{}[]", lines[] = "\n";
	uint8_t copy[400];
	const char *word;
	size_t at, length;

	switch (random_below(8)) {
	case 0:
		if (fuzz_now.size)
			fuzz_now.data[random_below(fuzz_now.size)] = random_u64();
		break;
	case 1:
		at = fuzz_find(words);
		word = fuzz_word();
		fuzz_splice(at, fuzz_length(at, words), word, strlen(word));
		break;
	case 2:
		word = fuzz_word();
		fuzz_splice(random_below(fuzz_now.size + 1), 0, word, strlen(word));
		break;
	case 3:
		at = fuzz_find(lines);
		fuzz_splice(at, fuzz_length(at, lines) + 1, "", 0);
		break;
	case 4:
		at = fuzz_find(lines);
		length = min(fuzz_length(at, lines) + 1, min(sizeof(copy), fuzz_now.size - at));
		memcpy(copy, fuzz_now.data + at, length);
		fuzz_splice(fuzz_find(lines), 0, copy, length);
		break;
	case 5:
		at = random_below(fuzz_now.size + 1);
		fuzz_splice(at, random_below(20), "", 0);
		break;
	default:
		at = fuzz_find(words);
		fuzz_grow(at, fuzz_length(at, words));
		break;
	}
}

static void fuzz_next(void)
{
	uint64_t mutations;

	fuzz_begin();
	for (mutations = random_below(5); mutations; mutations--)
		fuzz_mutate();
}

int main(int argc, char **argv)
{
	static const struct fuzz_maker maker = {
		.make = fuzz_next,
		.counts = { { "accepted", &fuzz_taken } },
	};

	return fuzz_main(argc, argv, &maker);
}

#endif
