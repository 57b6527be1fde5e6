/* SPDX-License-Identifier: MIT */
/* The figures of a description as its files give them, and where each of them stands. */
#ifndef LOOM_CHIP_VALUES_H
#define LOOM_CHIP_VALUES_H

#include "field.h"
#include "tree.h"

/**
 * struct loom_chip_place - where something stands
 * @file: in which file; NULL: nowhere
 * @line: in which line
 */
struct loom_chip_place {
	const char *file;
	uint32_t line;
};

/**
 * struct loom_chip_value - the value of a key
 * @text: as in the file; NULL: the default
 * @place: where it is, if it is anywhere
 */
struct loom_chip_value {
	const char *text;
	struct loom_chip_place place;
};

/**
 * struct loom_chip_values - all values
 * @whole: of the chip, by loom_chip_whole_fields
 * @region: of each region, by loom_chip_region_fields
 * @type: of each type, by loom_chip_type_fields
 * @regions: where each region is; nowhere if the chip does not have it
 * @types: the same of types
 * @all_types: where the map of the types is
 * @operations: where the list of operations is
 * @opcodes: which operations there are
 */
struct loom_chip_values {
	struct loom_chip_value whole[LOOM_CHIP_MAX_FIELDS];
	struct loom_chip_value region[DRM_LOOM_CHIP_REGIONS][LOOM_CHIP_MAX_FIELDS];
	struct loom_chip_value type[DRM_LOOM_CHIP_TYPES][LOOM_CHIP_MAX_FIELDS];
	struct loom_chip_place regions[DRM_LOOM_CHIP_REGIONS];
	struct loom_chip_place types[DRM_LOOM_CHIP_TYPES];
	struct loom_chip_place all_types;
	struct loom_chip_place operations;
	u64 opcodes;
};

/** loom_chip_all_opcodes() - every operation there is */
u64 loom_chip_all_opcodes(void);

/**
 * loom_chip_merge() - puts the values of a file over those that are there
 * @values: from all zero, with all opcodes
 * @file: name for errors; kept
 * @root: the file; kept
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0 or -EINVAL.
 */
int loom_chip_merge(struct loom_chip_values *values, const char *file,
		    const struct loom_chip_node *root, struct loom_error *err);

/**
 * loom_chip_resolve() - makes a description of values, and checks it
 * @values: of all files
 * @file: the one that was asked for, for errors about what is nowhere
 * @chip: [out] the description
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0 or -EINVAL.
 */
int loom_chip_resolve(const struct loom_chip_values *values, const char *file,
		      struct drm_loom_chip *chip, struct loom_error *err);

#endif /* LOOM_CHIP_VALUES_H */
