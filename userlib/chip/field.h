/* SPDX-License-Identifier: MIT */
/* The keys of a file, for the fields of &struct drm_loom_chip. */
#ifndef LOOM_CHIP_FIELD_H
#define LOOM_CHIP_FIELD_H

#include "loom_chip.h"

/**
 * enum loom_chip_unit - unit of the value of a key
 * @LOOM_CHIP_UNIT_NOTE: text for people only
 * @LOOM_CHIP_UNIT_NAME: the name of the chip
 * @LOOM_CHIP_UNIT_FLAG: yes or no
 * @LOOM_CHIP_UNIT_COUNT: a whole number
 * @LOOM_CHIP_UNIT_BYTES: bytes
 * @LOOM_CHIP_UNIT_FREQUENCY: Hz
 * @LOOM_CHIP_UNIT_CYCLES: cycles, or a time
 * @LOOM_CHIP_UNIT_RATE: bytes per cycle, or per second; kept as thousandths
 * @LOOM_CHIP_UNIT_OPS: operations per cycle and lane; kept as thousandths
 * @LOOM_CHIP_UNIT_ENERGY: pJ; kept as fJ
 */
enum loom_chip_unit {
	LOOM_CHIP_UNIT_NOTE,
	LOOM_CHIP_UNIT_NAME,
	LOOM_CHIP_UNIT_FLAG,
	LOOM_CHIP_UNIT_COUNT,
	LOOM_CHIP_UNIT_BYTES,
	LOOM_CHIP_UNIT_FREQUENCY,
	LOOM_CHIP_UNIT_CYCLES,
	LOOM_CHIP_UNIT_RATE,
	LOOM_CHIP_UNIT_OPS,
	LOOM_CHIP_UNIT_ENERGY,
};

/**
 * struct loom_chip_field - a key and its field
 * @name: with a dot if it is in a nested map, "latency.read"; NULL ends a table
 * @unit: unit of its value
 * @is_required: there is no default
 * @preset: the default, as stored
 * @offset: of the field in the structure
 * @is_wide: it has 64 bits, not 32
 * @flag: the bit of the field, if it is a flag
 * @key: its name in loom_chip_check()
 */
struct loom_chip_field {
	const char *name;
	enum loom_chip_unit unit;
	bool is_required;
	u32 preset;
	u16 offset;
	bool is_wide;
	u32 flag;
	enum loom_chip_key key;
};

/** LOOM_CHIP_MAX_FIELDS - upper limit on the size of a table */
#define LOOM_CHIP_MAX_FIELDS	20

/** loom_chip_whole_fields - of &struct drm_loom_chip */
extern const struct loom_chip_field loom_chip_whole_fields[];
/** loom_chip_region_fields - of &struct drm_loom_chip_region */
extern const struct loom_chip_field loom_chip_region_fields[];
/** loom_chip_type_fields - of &struct drm_loom_chip_type */
extern const struct loom_chip_field loom_chip_type_fields[];

/** loom_chip_field_find() - the index of a key in a table, or -1 */
int loom_chip_field_find(const struct loom_chip_field *fields, const char *name);
/** loom_chip_field_key() - the index of loom_chip_check()'s @key in a table, or -1 */
int loom_chip_field_key(const struct loom_chip_field *fields, enum loom_chip_key key);

/** loom_chip_field_get() - reads a field of the structure at @base */
u64 loom_chip_field_get(const struct loom_chip_field *field, const void *base);
/** loom_chip_field_set() - writes one; false if the value is too large for it */
bool loom_chip_field_set(const struct loom_chip_field *field, void *base, u64 value);

/**
 * struct loom_chip_guess - suggestions for a misspelt word
 * @word: the word
 * @best: the nearest candidate
 * @distance: its edit distance
 * @known: all candidates, for a word that is near to none
 */
struct loom_chip_guess {
	const char *word;
	char best[32];
	size_t distance;
	char known[400];
};

/** loom_chip_guess_add() - adds a candidate, up to its end or the first dot */
void loom_chip_guess_add(struct loom_chip_guess *guess, const char *name);
/** loom_chip_guess_print() - "did you mean 'x'?", or "known are x, y"; returns @text */
const char *loom_chip_guess_print(const struct loom_chip_guess *guess, char *text, size_t size);

#endif /* LOOM_CHIP_FIELD_H */
