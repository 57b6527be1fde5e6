// SPDX-License-Identifier: MIT
/*
 * Limits of loom_chip_check(), for each figure of a description: the largest and the smallest valid
 * value, and those next to them, which are refused with the figure and the place at fault.
 */
#include <errno.h>
#include <string.h>

#include "loom_chip.h"
#include "tap.h"

#define SRAM	DRM_LOOM_REGION_SRAM
#define DRAM	DRM_LOOM_REGION_DRAM
#define ROM	DRM_LOOM_REGION_ROM
#define F32	DRM_LOOM_DTYPE_F32

/**
 * struct limit - a figure of a description and a value of it
 * @what: the figure, for people
 * @at: where it is in @chip
 * @bytes: of it
 * @value: the new value
 * @key: the key that the fault must name; LOOM_CHIP_KEY_NONE: the value is fine
 */
struct limit {
	const char *what;
	void *at;
	size_t bytes;
	u64 value;
	enum loom_chip_key key;
};

/* each limit changes one figure; it is made valid again for the next */
static struct drm_loom_chip chip;

#define SHORT(field, value, key)	{ #field, &chip.field, 4, value, LOOM_CHIP_KEY_##key }
#define LONG(field, value, key)		{ #field, &chip.field, 8, value, LOOM_CHIP_KEY_##key }

static const struct limit limits[] = {
	SHORT(dtypes, 0, DTYPES),
	SHORT(dtypes, 1, DTYPES),
	SHORT(dtypes, 1U << DRM_LOOM_DTYPE_END, DTYPES),
	SHORT(flags, 0, NONE),
	SHORT(flags, DRM_LOOM_CHIP_OVERLAP, NONE),
	SHORT(flags, DRM_LOOM_CHIP_OVERLAP << 1, FLAGS),
	LONG(opcodes, 0, OPCODES),
	LONG(opcodes, 1ULL << DRM_LOOM_OP_COPY, NONE),
	LONG(opcodes, 1ULL << DRM_LOOM_OP_FILL, OPCODES),
	LONG(opcodes, 1ULL << DRM_LOOM_OP_COPY | 1ULL << DRM_LOOM_OP_END, OPCODES),
	LONG(frequency_hz, 0, FREQUENCY),
	LONG(frequency_hz, 1, NONE),
	LONG(frequency_hz, LOOM_CHIP_MAX_FREQUENCY_HZ, NONE),
	LONG(frequency_hz, LOOM_CHIP_MAX_FREQUENCY_HZ + 1, FREQUENCY),
	SHORT(compute_units, 0, COMPUTE_UNITS),
	SHORT(compute_units, 1, NONE),
	SHORT(compute_units, DRM_LOOM_MAX_BANKS, NONE),
	SHORT(compute_units, DRM_LOOM_MAX_BANKS + 1, COMPUTE_UNITS),
	SHORT(dma_start, LOOM_CHIP_MAX_CYCLES, NONE),
	SHORT(dma_start, LOOM_CHIP_MAX_CYCLES + 1, DMA_START),
	SHORT(compute_start, LOOM_CHIP_MAX_CYCLES, NONE),
	SHORT(compute_start, LOOM_CHIP_MAX_CYCLES + 1, COMPUTE_START),
	SHORT(pad, 1, PAD),

	SHORT(region[SRAM].banks, 0, BANKS),
	SHORT(region[SRAM].banks, DRM_LOOM_MAX_BANKS, NONE),
	SHORT(region[SRAM].banks, DRM_LOOM_MAX_BANKS + 1, BANKS),
	SHORT(region[DRAM].banks, 0, BANKS),
	SHORT(region[SRAM].sub_banks, 0, SUB_BANKS),
	SHORT(region[SRAM].sub_banks, 64, NONE),
	SHORT(region[SRAM].sub_banks, 65, SUB_BANKS),
	SHORT(region[SRAM].sub_banks, 3, SUB_BANKS),
	LONG(region[SRAM].bank_bytes, 0, BANK_BYTES),
	LONG(region[SRAM].bank_bytes, LOOM_CHIP_MAX_BANK_BYTES, NONE),
	LONG(region[SRAM].bank_bytes, LOOM_CHIP_MAX_BANK_BYTES + 64, BANK_BYTES),
	SHORT(region[SRAM].align_bytes, 0, ALIGN_BYTES),
	SHORT(region[SRAM].align_bytes, 1, NONE),
	SHORT(region[SRAM].align_bytes, 48, ALIGN_BYTES),
	SHORT(region[SRAM].align_bytes, LOOM_CHIP_MAX_ALIGN_BYTES, NONE),
	SHORT(region[SRAM].align_bytes, LOOM_CHIP_MAX_ALIGN_BYTES << 1, ALIGN_BYTES),
	LONG(region[SRAM].reserved_bytes, (1 << 20) - 1, NONE),
	LONG(region[SRAM].reserved_bytes, 1 << 20, RESERVED_BYTES),
	LONG(region[SRAM].floor_bytes, 1 << 20, NONE),
	LONG(region[SRAM].floor_bytes, (1 << 20) + 1, FLOOR_BYTES),
	SHORT(region[SRAM].flags, DRM_LOOM_CHIP_IN_PLACE | DRM_LOOM_CHIP_SHARED, NONE),
	SHORT(region[SRAM].flags, DRM_LOOM_CHIP_BROADCAST, NONE),
	SHORT(region[SRAM].flags, DRM_LOOM_CHIP_BROADCAST << 1, FLAGS),
	SHORT(region[SRAM].flags, 1U << 31, FLAGS),
	SHORT(region[DRAM].burst_bytes, LOOM_CHIP_MAX_BURST_BYTES, NONE),
	SHORT(region[DRAM].burst_bytes, LOOM_CHIP_MAX_BURST_BYTES + 1, BURST_BYTES),
	SHORT(region[DRAM].read_rate, 0, READ_RATE),
	SHORT(region[DRAM].read_rate, 1, NONE),
	SHORT(region[DRAM].read_rate, LOOM_CHIP_MAX_RATE, NONE),
	SHORT(region[DRAM].read_rate, LOOM_CHIP_MAX_RATE + 1, READ_RATE),
	SHORT(region[DRAM].write_rate, 0, WRITE_RATE),
	SHORT(region[DRAM].write_rate, 1, NONE),
	SHORT(region[DRAM].write_rate, LOOM_CHIP_MAX_RATE, NONE),
	SHORT(region[DRAM].write_rate, LOOM_CHIP_MAX_RATE + 1, WRITE_RATE),
	SHORT(region[ROM].write_rate, 1, WRITE_RATE),
	SHORT(region[DRAM].read_latency, LOOM_CHIP_MAX_CYCLES, NONE),
	SHORT(region[DRAM].read_latency, LOOM_CHIP_MAX_CYCLES + 1, READ_LATENCY),
	SHORT(region[DRAM].write_latency, LOOM_CHIP_MAX_CYCLES, NONE),
	SHORT(region[DRAM].write_latency, LOOM_CHIP_MAX_CYCLES + 1, WRITE_LATENCY),
	SHORT(region[DRAM].read_energy, LOOM_CHIP_MAX_ENERGY, NONE),
	SHORT(region[DRAM].read_energy, LOOM_CHIP_MAX_ENERGY + 1, READ_ENERGY),
	SHORT(region[DRAM].write_energy, LOOM_CHIP_MAX_ENERGY, NONE),
	SHORT(region[DRAM].write_energy, LOOM_CHIP_MAX_ENERGY + 1, WRITE_ENERGY),
	/* a region that nobody knows, and one that is not there and has figures */
	SHORT(region[DRM_LOOM_REGION_COUNT].banks, 1, BANKS),
	SHORT(region[DRM_LOOM_REGION_COUNT].read_rate, 1, BANKS),

	SHORT(type[F32].mac_rate, 0, NONE),
	SHORT(type[F32].mac_rate, LOOM_CHIP_MAX_RATE, NONE),
	SHORT(type[F32].mac_rate, LOOM_CHIP_MAX_RATE + 1, MAC_RATE),
	SHORT(type[F32].op_rate, 0, OP_RATE),
	SHORT(type[F32].op_rate, 1, NONE),
	SHORT(type[F32].op_rate, LOOM_CHIP_MAX_RATE, NONE),
	SHORT(type[F32].op_rate, LOOM_CHIP_MAX_RATE + 1, OP_RATE),
	SHORT(type[F32].mac_energy, LOOM_CHIP_MAX_ENERGY, NONE),
	SHORT(type[F32].mac_energy, LOOM_CHIP_MAX_ENERGY + 1, MAC_ENERGY),
	SHORT(type[F32].op_energy, LOOM_CHIP_MAX_ENERGY, NONE),
	SHORT(type[F32].op_energy, LOOM_CHIP_MAX_ENERGY + 1, OP_ENERGY),
	SHORT(array[F32].in_channels, LOOM_CHIP_MAX_BLOCK, NONE),
	SHORT(array[F32].in_channels, LOOM_CHIP_MAX_BLOCK + 1, IN_CHANNELS),
	SHORT(array[F32].out_channels, LOOM_CHIP_MAX_BLOCK, NONE),
	SHORT(array[F32].out_channels, LOOM_CHIP_MAX_BLOCK + 1, OUT_CHANNELS),
	SHORT(array[F32].positions, LOOM_CHIP_MAX_BLOCK, NONE),
	SHORT(array[F32].positions, LOOM_CHIP_MAX_BLOCK + 1, POSITIONS),
	SHORT(array[F32].depthwise_rate, LOOM_CHIP_MAX_RATE, NONE),
	SHORT(array[F32].depthwise_rate, LOOM_CHIP_MAX_RATE + 1, DEPTHWISE_RATE),
	SHORT(vector[F32].pool_rate, LOOM_CHIP_MAX_RATE, NONE),
	SHORT(vector[F32].pool_rate, LOOM_CHIP_MAX_RATE + 1, POOL_RATE),
	SHORT(vector[F32].element_rate, LOOM_CHIP_MAX_RATE, NONE),
	SHORT(vector[F32].element_rate, LOOM_CHIP_MAX_RATE + 1, ELEMENT_RATE),
	SHORT(vector[F32].reserved[1], 1, PAD),
	/* with those that compute */
	SHORT(storage_banks, DRM_LOOM_MAX_BANKS / 2, NONE),
	SHORT(storage_banks, DRM_LOOM_MAX_BANKS, STORAGE_BANKS),
	SHORT(storage_banks, UINT32_MAX, STORAGE_BANKS),
	SHORT(pad2, 1, PAD),
	/* a type that the chip does not have */
	SHORT(array[0].positions, 1, OP_RATE),
	SHORT(vector[0].pool_rate, 1, OP_RATE),
	SHORT(type[0].op_rate, 1, OP_RATE),
	SHORT(type[0].mac_energy, 1, OP_RATE),
};

static const struct {
	const char *name;
	bool fine;
} names[] = {
	{ "a", true }, { "0.b-c_z9", true }, { "abcdefghijklmnopqrstuvwxyz01234", true },
	{ "", false }, { ".a", false }, { "A", false }, { "a/b", false }, { "a b", false },
	{ "a{", false }, { "a`", false }, { "a:", false }, { "a\xff", false },
};

/* It has each region, and a megabyte of SRAM in a bank. */
static void make_valid(void)
{
	chip = *loom_preset_find("soft");
	chip.region[SRAM].bank_bytes = 1 << 20;
	chip.region[SRAM].reserved_bytes = 0;
	chip.region[SRAM].floor_bytes = 0;
	chip.region[ROM] = chip.region[DRAM];
	chip.region[ROM].flags = 0;
	chip.region[ROM].write_rate = 0;
	chip.region[ROM].write_latency = 0;
	chip.region[ROM].write_energy = 0;
}

/* Which of @count records of @size bytes from @first on a figure is in; U32_MAX: in none. */
static u32 place(const void *at, const void *first, size_t size, u32 count)
{
	size_t offset = (const u8 *)at - (const u8 *)first;

	return (const u8 *)at >= (const u8 *)first && offset < size * count ? offset / size :
									      U32_MAX;
}

static void test_limit(const struct limit *limit)
{
	u32 region = place(limit->at, chip.region, sizeof(*chip.region), ARRAY_SIZE(chip.region));
	u32 type = place(limit->at, chip.type, sizeof(*chip.type), ARRAY_SIZE(chip.type));
	u32 array = place(limit->at, chip.array, sizeof(*chip.array), ARRAY_SIZE(chip.array));
	u32 vector = place(limit->at, chip.vector, sizeof(*chip.vector), ARRAY_SIZE(chip.vector));
	bool fine = limit->key == LOOM_CHIP_KEY_NONE;
	struct loom_chip_fault fault;
	u32 value = limit->value;
	int ret;

	make_valid();
	if (limit->bytes == sizeof(value))
		memcpy(limit->at, &value, sizeof(value));
	else
		memcpy(limit->at, &limit->value, sizeof(limit->value));
	memset(&fault, 0xff, sizeof(fault));
	ret = loom_chip_check(&chip, &fault);
	tap_ok(fine ? !ret :
	       ret == -EINVAL && fault.key == limit->key && fault.region == region &&
	       fault.type == min(type, min(array, vector)) && fault.text && *fault.text &&
	       loom_chip_check(&chip, NULL) == -EINVAL,
	       "%s %llu is %s", limit->what, (unsigned long long)limit->value,
	       fine ? "fine" : "refused");
}

static void test_names(void)
{
	struct loom_chip_fault fault;
	u32 i, wrong = 0;
	int ret;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		make_valid();
		memset(chip.name, 0, sizeof(chip.name));
		memcpy(chip.name, names[i].name, strlen(names[i].name));
		ret = loom_chip_check(&chip, &fault);
		wrong += names[i].fine ? !!ret :
			 ret != -EINVAL || fault.key != LOOM_CHIP_KEY_NAME;
	}
	tap_ok(!wrong, "names of letters, digits and signs, no others");
	make_valid();
	memset(chip.name, 'a', sizeof(chip.name));
	tap_ok(loom_chip_check(&chip, &fault) && fault.key == LOOM_CHIP_KEY_NAME,
	       "a name without an end is refused");
	make_valid();
	chip.name[sizeof(chip.name) - 1] = 'x';
	tap_ok(loom_chip_check(&chip, &fault) && fault.key == LOOM_CHIP_KEY_NAME,
	       "and one with bytes behind its end");
}

/* One memory, in which it computes. */
static void test_without_dram(void)
{
	struct loom_chip_fault fault;

	make_valid();
	memset(&chip.region[DRAM], 0, sizeof(chip.region[DRAM]));
	chip.region[SRAM].banks = 1;
	tap_ok(!loom_chip_check(&chip, &fault), "without DRAM one bank of SRAM is fine");
	chip.region[SRAM].banks = 2;
	tap_ok(loom_chip_check(&chip, &fault) && fault.key == LOOM_CHIP_KEY_BANKS &&
	       fault.region == SRAM, "two are not");
	make_valid();
	memset(&chip.region[SRAM], 0, sizeof(chip.region[SRAM]));
	tap_ok(loom_chip_check(&chip, &fault) && fault.key == LOOM_CHIP_KEY_BANKS &&
	       fault.region == SRAM, "nor is none");
}

int main(void)
{
	size_t i;

	make_valid();
	tap_ok(!loom_chip_check(&chip, NULL), "the chip that is changed is fine");
	for (i = 0; i < ARRAY_SIZE(limits); i++)
		test_limit(&limits[i]);
	test_names();
	test_without_dram();
	return tap_end();
}
