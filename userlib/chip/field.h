/* SPDX-License-Identifier: MIT */
/* The keys of a file that stand for a figure of &struct drm_loom_chip. */
#ifndef LOOM_CHIP_FIELD_H
#define LOOM_CHIP_FIELD_H

#include "loom_chip.h"

/**
 * enum loom_chip_unit - what the value of a key is
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
 * struct loom_chip_field - a key, and the field that it stands for
 * @name: with a dot where it is in a map of its own, "latency.read"; NULL ends a table
 * @unit: what its value is
 * @is_required: there is no default
 * @preset: the default, as it is kept
 * @offset: of the field in the structure
 * @is_wide: it has 64 bits, not 32
 * @flag: which bit of the field, if it is one
 * @key: what loom_chip_check() calls it
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

/** LOOM_CHIP_MAX_FIELDS - more than any table has */
#define LOOM_CHIP_MAX_FIELDS	20

/** loom_chip_whole_fields - of &struct drm_loom_chip */
extern const struct loom_chip_field loom_chip_whole_fields[];
/** loom_chip_region_fields - of &struct drm_loom_chip_region */
extern const struct loom_chip_field loom_chip_region_fields[];
/** loom_chip_type_fields - of &struct drm_loom_chip_type */
extern const struct loom_chip_field loom_chip_type_fields[];

/** loom_chip_field_find() - the index of a key in a table, or -1 */
int loom_chip_field_find(const struct loom_chip_field *fields, const char *name);
/** loom_chip_field_key() - the index of what loom_chip_check() calls @key in a table, or -1 */
int loom_chip_field_key(const struct loom_chip_field *fields, enum loom_chip_key key);

/** loom_chip_field_get() - reads a field of the structure at @base */
u64 loom_chip_field_get(const struct loom_chip_field *field, const void *base);
/** loom_chip_field_set() - writes one; false if the value is too large for it */
bool loom_chip_field_set(const struct loom_chip_field *field, void *base, u64 value);

/**
 * struct loom_chip_guess - what a misspelt word may have meant
 * @word: the word
 * @best: the candidate that is nearest to it
 * @distance: letters that have to be changed for it
 * @known: all candidates, for a word that is near to none
 */
struct loom_chip_guess {
	const char *word;
	char best[32];
	size_t distance;
	char known[400];
};

/** loom_chip_guess_add() - a candidate, up to its end or the first dot */
void loom_chip_guess_add(struct loom_chip_guess *guess, const char *name);
/** loom_chip_guess_print() - "did you mean 'x'?", or "known are x, y"; returns @text */
const char *loom_chip_guess_print(const struct loom_chip_guess *guess, char *text, size_t size);

#endif /* LOOM_CHIP_FIELD_H */
