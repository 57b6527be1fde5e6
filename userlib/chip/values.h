/* SPDX-License-Identifier: MIT */
/* The values of a description as its files give them, with the position of each. */
#ifndef LOOM_CHIP_VALUES_H
#define LOOM_CHIP_VALUES_H

#include "field.h"
#include "tree.h"

/**
 * struct loom_chip_place - position in a file
 * @file: the file; NULL: none
 * @line: the line
 */
struct loom_chip_place {
	const char *file;
	uint32_t line;
};

/**
 * struct loom_chip_value - the value of a key
 * @text: as in the file; NULL: the default
 * @place: its position, if any
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
 * @regions: position of each region; none if the chip lacks it
 * @types: position of each type; none if the chip lacks it
 * @all_types: position of the map of types
 * @operations: position of the list of operations
 * @opcodes: bit mask of the operations
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

/** loom_chip_all_opcodes() - bit mask of all operations */
u64 loom_chip_all_opcodes(void);

/**
 * loom_chip_merge() - override values by those of a file
 * @values: must begin as all zero, with all opcodes
 * @file: name for errors; must outlive @values
 * @root: the file; must outlive @values
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0 or -EINVAL.
 */
int loom_chip_merge(struct loom_chip_values *values, const char *file,
		    const struct loom_chip_node *root, struct loom_error *err);

/**
 * loom_chip_resolve() - make a description of values, and check it
 * @values: of all files
 * @file: the requested file, for errors about missing keys
 * @chip: [out] the description
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0 or -EINVAL.
 */
int loom_chip_resolve(const struct loom_chip_values *values, const char *file,
		      struct drm_loom_chip *chip, struct loom_error *err);

#endif /* LOOM_CHIP_VALUES_H */
