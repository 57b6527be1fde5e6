// SPDX-License-Identifier: MIT
#include "field.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define WHOLE(_member)	.offset = offsetof(struct drm_loom_chip, _member)
#define REGION(_member)	.offset = offsetof(struct drm_loom_chip_region, _member)
#define TYPE(_member)	.offset = offsetof(struct drm_loom_chip_type, _member)

/*
 * Arrays of the chip by type, whose elements are as large as &struct drm_loom_chip_type: fields at
 * a distance from the type.
 */
#define BESIDE(_array, _member) \
	.offset = offsetof(struct drm_loom_chip, _array[0]._member) - \
		  offsetof(struct drm_loom_chip, type)
_Static_assert(sizeof(struct drm_loom_chip_array) == sizeof(struct drm_loom_chip_type) &&
	       sizeof(struct drm_loom_chip_vector) == sizeof(struct drm_loom_chip_type),
	       "BESIDE");

/* The frequency must precede all fields whose times or rates are converted to cycles. */
const struct loom_chip_field loom_chip_whole_fields[] = {
	{ "name", LOOM_CHIP_UNIT_NAME, true, .key = LOOM_CHIP_KEY_NAME, WHOLE(name) },
	{ .name = "description", .unit = LOOM_CHIP_UNIT_NOTE },
	{ "frequency", LOOM_CHIP_UNIT_FREQUENCY, true, .key = LOOM_CHIP_KEY_FREQUENCY,
	  WHOLE(frequency_hz), .is_wide = true },
	{ "compute_units", LOOM_CHIP_UNIT_COUNT, .preset = 1, .key = LOOM_CHIP_KEY_COMPUTE_UNITS,
	  WHOLE(compute_units) },
	{ "overlap", LOOM_CHIP_UNIT_FLAG, .preset = 1, .key = LOOM_CHIP_KEY_FLAGS,
	  WHOLE(flags), .flag = DRM_LOOM_CHIP_OVERLAP },
	{ "dma.start", LOOM_CHIP_UNIT_CYCLES, .key = LOOM_CHIP_KEY_DMA_START, WHOLE(dma_start) },
	{ "compute.start", LOOM_CHIP_UNIT_CYCLES, .key = LOOM_CHIP_KEY_COMPUTE_START,
	  WHOLE(compute_start) },
	{ "storage_banks", LOOM_CHIP_UNIT_COUNT, .key = LOOM_CHIP_KEY_STORAGE_BANKS,
	  WHOLE(storage_banks) },
	{ .name = NULL },
};

const struct loom_chip_field loom_chip_region_fields[] = {
	{ "banks", LOOM_CHIP_UNIT_COUNT, .preset = 1, .key = LOOM_CHIP_KEY_BANKS, REGION(banks) },
	{ "sub_banks", LOOM_CHIP_UNIT_COUNT, .preset = 1, .key = LOOM_CHIP_KEY_SUB_BANKS,
	  REGION(sub_banks) },
	{ "size", LOOM_CHIP_UNIT_BYTES, true, .key = LOOM_CHIP_KEY_BANK_BYTES,
	  REGION(bank_bytes), .is_wide = true },
	{ "reserved", LOOM_CHIP_UNIT_BYTES, .key = LOOM_CHIP_KEY_RESERVED_BYTES,
	  REGION(reserved_bytes), .is_wide = true },
	{ "align", LOOM_CHIP_UNIT_BYTES, .preset = 64, .key = LOOM_CHIP_KEY_ALIGN_BYTES,
	  REGION(align_bytes), .is_wide = true },
	{ "floor", LOOM_CHIP_UNIT_BYTES, .key = LOOM_CHIP_KEY_FLOOR_BYTES,
	  REGION(floor_bytes), .is_wide = true },
	{ "in_place", LOOM_CHIP_UNIT_FLAG, .key = LOOM_CHIP_KEY_FLAGS, REGION(flags),
	  .flag = DRM_LOOM_CHIP_IN_PLACE },
	{ "shared", LOOM_CHIP_UNIT_FLAG, .key = LOOM_CHIP_KEY_NONE, REGION(flags),
	  .flag = DRM_LOOM_CHIP_SHARED },
	{ "broadcast", LOOM_CHIP_UNIT_FLAG, .key = LOOM_CHIP_KEY_NONE, REGION(flags),
	  .flag = DRM_LOOM_CHIP_BROADCAST },
	{ "burst", LOOM_CHIP_UNIT_BYTES, .key = LOOM_CHIP_KEY_BURST_BYTES, REGION(burst_bytes) },
	{ "read", LOOM_CHIP_UNIT_RATE, true, .key = LOOM_CHIP_KEY_READ_RATE, REGION(read_rate) },
	{ "write", LOOM_CHIP_UNIT_RATE, .key = LOOM_CHIP_KEY_WRITE_RATE, REGION(write_rate) },
	{ "latency.read", LOOM_CHIP_UNIT_CYCLES, .key = LOOM_CHIP_KEY_READ_LATENCY,
	  REGION(read_latency) },
	{ "latency.write", LOOM_CHIP_UNIT_CYCLES, .key = LOOM_CHIP_KEY_WRITE_LATENCY,
	  REGION(write_latency) },
	{ "energy.read", LOOM_CHIP_UNIT_ENERGY, .key = LOOM_CHIP_KEY_READ_ENERGY,
	  REGION(read_energy) },
	{ "energy.write", LOOM_CHIP_UNIT_ENERGY, .key = LOOM_CHIP_KEY_WRITE_ENERGY,
	  REGION(write_energy) },
	{ .name = NULL },
};

const struct loom_chip_field loom_chip_type_fields[] = {
	{ "macs", LOOM_CHIP_UNIT_OPS, .key = LOOM_CHIP_KEY_MAC_RATE, TYPE(mac_rate) },
	{ "ops", LOOM_CHIP_UNIT_OPS, true, .key = LOOM_CHIP_KEY_OP_RATE, TYPE(op_rate) },
	{ "depthwise", LOOM_CHIP_UNIT_OPS, .key = LOOM_CHIP_KEY_DEPTHWISE_RATE,
	  BESIDE(array, depthwise_rate) },
	{ "pool", LOOM_CHIP_UNIT_OPS, .key = LOOM_CHIP_KEY_POOL_RATE, BESIDE(vector, pool_rate) },
	{ "elements", LOOM_CHIP_UNIT_OPS, .key = LOOM_CHIP_KEY_ELEMENT_RATE,
	  BESIDE(vector, element_rate) },
	{ "array.in", LOOM_CHIP_UNIT_COUNT, .key = LOOM_CHIP_KEY_IN_CHANNELS,
	  BESIDE(array, in_channels) },
	{ "array.out", LOOM_CHIP_UNIT_COUNT, .key = LOOM_CHIP_KEY_OUT_CHANNELS,
	  BESIDE(array, out_channels) },
	{ "array.positions", LOOM_CHIP_UNIT_COUNT, .key = LOOM_CHIP_KEY_POSITIONS,
	  BESIDE(array, positions) },
	{ "energy.mac", LOOM_CHIP_UNIT_ENERGY, .key = LOOM_CHIP_KEY_MAC_ENERGY, TYPE(mac_energy) },
	{ "energy.op", LOOM_CHIP_UNIT_ENERGY, .key = LOOM_CHIP_KEY_OP_ENERGY, TYPE(op_energy) },
	{ .name = NULL },
};

int loom_chip_field_find(const struct loom_chip_field *fields, const char *name)
{
	int i;

	for (i = 0; fields[i].name; i++)
		if (!strcmp(fields[i].name, name))
			return i;
	return -1;
}

int loom_chip_field_key(const struct loom_chip_field *fields, enum loom_chip_key key)
{
	int i;

	for (i = 0; fields[i].name; i++)
		if (fields[i].key == key && key != LOOM_CHIP_KEY_NONE)
			return i;
	return -1;
}

u64 loom_chip_field_get(const struct loom_chip_field *field, const void *base)
{
	const u8 *at = (const u8 *)base + field->offset;
	u64 wide;
	u32 narrow;

	if (field->is_wide) {
		memcpy(&wide, at, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, at, sizeof(narrow));
	return field->flag ? !!(narrow & field->flag) : narrow;
}

bool loom_chip_field_set(const struct loom_chip_field *field, void *base, u64 value)
{
	u8 *at = (u8 *)base + field->offset;
	u32 narrow = value;

	if (field->is_wide) {
		memcpy(at, &value, sizeof(value));
		return true;
	}
	if (narrow != value)
		return false;
	if (field->flag) {
		memcpy(&narrow, at, sizeof(narrow));
		narrow = value ? narrow | field->flag : narrow & ~field->flag;
	}
	memcpy(at, &narrow, sizeof(narrow));
	return true;
}

#define GUESS_LETTERS	31

/* Levenshtein distance of words up to GUESS_LETTERS. */
static size_t guess_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	size_t row[GUESS_LETTERS + 1], i, j, diagonal, best;

	for (j = 0; j <= b_length; j++)
		row[j] = j;
	for (i = 1; i <= a_length; i++) {
		diagonal = row[0];
		row[0] = i;
		for (j = 1; j <= b_length; j++) {
			best = diagonal + (a[i - 1] != b[j - 1]);
			best = min(best, min(row[j], row[j - 1]) + 1);
			diagonal = row[j];
			row[j] = best;
		}
	}
	return row[b_length];
}

void loom_chip_guess_add(struct loom_chip_guess *guess, const char *name)
{
	size_t length = strcspn(name, "."), used = strlen(guess->known), distance;
	size_t letters = strlen(guess->word);
	const char *last = strrchr(guess->known, ' ');

	last = last ? last + 1 : guess->known;
	/* keys of one map are contiguous */
	if (length > GUESS_LETTERS || (strlen(last) == length && !memcmp(last, name, length)))
		return;
	if (used < sizeof(guess->known))
		snprintf(guess->known + used, sizeof(guess->known) - used, "%s%.*s",
			 used ? ", " : "", (int)length, name);
	if (letters > GUESS_LETTERS)
		return;
	distance = guess_distance(guess->word, letters, name, length);
	if (guess->best[0] && distance >= guess->distance)
		return;
	guess->distance = distance;
	snprintf(guess->best, sizeof(guess->best), "%.*s", (int)length, name);
}

const char *loom_chip_guess_print(const struct loom_chip_guess *guess, char *text, size_t size)
{
	if (guess->best[0] && guess->distance <= (strlen(guess->word) + 1) / 2)
		snprintf(text, size, "did you mean '%s'?", guess->best);
	else
		snprintf(text, size, "known are %s", guess->known);
	return text;
}
