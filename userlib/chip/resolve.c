// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "loom.h"
#include "loom_chip_file.h"
#include "number.h"
#include "values.h"

/**
 * struct resolve - a description under construction
 * @file: the requested file
 * @chip: the description
 * @err: one line on failure, may be NULL
 */
struct resolve {
	const char *file;
	struct drm_loom_chip *chip;
	struct loom_error *err;
};

/* @map is the key's map, "memory.sram.", or empty */
static int resolve_fault(struct resolve *resolve, const struct loom_chip_place *place,
			 const char *map, const char *key, const char *what)
{
	return loom_error_set(resolve->err, -EINVAL, "%s:%u: %s%s%s: %s",
			      place->file ? place->file : resolve->file,
			      place->file ? place->line : 1, map, *map && *key ? "." : "", key,
			      what);
}

static int resolve_flag(const char *text, u64 *value, char fault[LOOM_CHIP_FAULT])
{
	static const char *const words[] = { "no", "yes", "false", "true", "off", "on" };
	char shown[LOOM_CHIP_SHOWN];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcmp(text, words[i])) {
			*value = i & 1;
			return 0;
		}
	}
	snprintf(fault, LOOM_CHIP_FAULT, "takes yes or no, not '%s'", loom_chip_show(shown, text));
	return -EINVAL;
}

static int resolve_text(struct resolve *resolve, const struct loom_chip_field *field,
			const char *text, char fault[LOOM_CHIP_FAULT])
{
	struct drm_loom_chip *chip = resolve->chip;

	if (field->unit == LOOM_CHIP_UNIT_NOTE)
		return 0;
	/* the valid characters are checked later */
	if (strlen(text) >= sizeof(chip->name)) {
		snprintf(fault, LOOM_CHIP_FAULT, "is longer than %zu letters",
			 sizeof(chip->name) - 1);
		return -EINVAL;
	}
	memcpy(chip->name, text, strlen(text));
	return 0;
}

static int resolve_field(struct resolve *resolve, const struct loom_chip_field *field,
			 const char *text, void *base, char fault[LOOM_CHIP_FAULT])
{
	u64 value = field->preset;
	int ret = 0;

	if (text && field->unit <= LOOM_CHIP_UNIT_NAME)
		return resolve_text(resolve, field, text, fault);
	if (field->unit == LOOM_CHIP_UNIT_NOTE)
		return 0;
	if (!text && field->is_required) {
		snprintf(fault, LOOM_CHIP_FAULT, "is missing");
		return -EINVAL;
	}
	if (text && field->unit == LOOM_CHIP_UNIT_FLAG)
		ret = resolve_flag(text, &value, fault);
	else if (text)
		ret = loom_chip_number(text, field->unit, resolve->chip->frequency_hz, &value,
				       fault);
	if (ret)
		return ret;
	/* later rates per second are divided by it */
	if (field->unit == LOOM_CHIP_UNIT_FREQUENCY && !value) {
		snprintf(fault, LOOM_CHIP_FAULT, "is zero");
		return -EINVAL;
	}
	if (!loom_chip_field_set(field, base, value)) {
		snprintf(fault, LOOM_CHIP_FAULT, "is too large");
		return -EINVAL;
	}
	return 0;
}

/* All fields of a structure; @around is the position of the structure itself. */
static int resolve_fields(struct resolve *resolve, const struct loom_chip_field *fields,
			  const struct loom_chip_value *values, void *base, const char *map,
			  const struct loom_chip_place *around)
{
	char fault[LOOM_CHIP_FAULT];
	int i, ret;

	for (i = 0; fields[i].name; i++) {
		ret = resolve_field(resolve, &fields[i], values[i].text, base, fault);
		if (ret)
			return resolve_fault(resolve, values[i].text ? &values[i].place : around,
					     map, fields[i].name, fault);
	}
	return 0;
}

static int resolve_region(struct resolve *resolve, const struct loom_chip_values *values, u32 id)
{
	const int banks = loom_chip_field_find(loom_chip_region_fields, "banks");
	const int write = loom_chip_field_find(loom_chip_region_fields, "write");
	struct drm_loom_chip_region *region = &resolve->chip->region[id];
	char map[32];
	int ret;

	if (!values->regions[id].file)
		return 0;
	snprintf(map, sizeof(map), "memory.%s", loom_region_name(id));
	ret = resolve_fields(resolve, loom_chip_region_fields, values->region[id], region, map,
			     &values->regions[id]);
	if (ret)
		return ret;
	if (!region->banks) {
		snprintf(map + strlen(map), sizeof(map) - strlen(map), ".banks");
		return resolve_fault(resolve, &values->region[id][banks].place, map, "",
				     "is zero; a chip without that memory says 'none' for it");
	}
	/* a ROM is never written */
	if (!values->region[id][write].text && id != DRM_LOOM_REGION_ROM)
		region->write_rate = region->read_rate;
	return 0;
}

static int resolve_type(struct resolve *resolve, const struct loom_chip_values *values, u32 id)
{
	char map[32];

	if (!values->types[id].file)
		return 0;
	resolve->chip->dtypes |= 1U << id;
	snprintf(map, sizeof(map), "types.%s", loom_dtype_name(id));
	return resolve_fields(resolve, loom_chip_type_fields, values->type[id],
			      &resolve->chip->type[id], map, &values->types[id]);
}

/* The line of a fault of loom_chip_check(). */
static int resolve_check_fault(struct resolve *resolve, const struct loom_chip_values *values,
			       const struct loom_chip_fault *fault)
{
	const struct loom_chip_field *fields = loom_chip_whole_fields;
	const struct loom_chip_value *value = values->whole;
	struct loom_chip_place place = { .file = NULL };
	char map[32] = "";
	int i;

	if (fault->region < DRM_LOOM_CHIP_REGIONS) {
		fields = loom_chip_region_fields;
		value = values->region[fault->region];
		place = values->regions[fault->region];
		snprintf(map, sizeof(map), "memory.%s", loom_region_name(fault->region));
	} else if (fault->type < DRM_LOOM_CHIP_TYPES) {
		fields = loom_chip_type_fields;
		value = values->type[fault->type];
		place = values->types[fault->type];
		snprintf(map, sizeof(map), "types.%s", loom_dtype_name(fault->type));
	} else if (fault->key == LOOM_CHIP_KEY_DTYPES) {
		return resolve_fault(resolve, &values->all_types, "types", "", fault->text);
	} else if (fault->key == LOOM_CHIP_KEY_OPCODES) {
		return resolve_fault(resolve, &values->operations, "operations", "", fault->text);
	}
	i = loom_chip_field_key(fields, fault->key);
	if (i >= 0 && value[i].text)
		place = value[i].place;
	return resolve_fault(resolve, &place, map, i >= 0 ? fields[i].name : "", fault->text);
}

int loom_chip_resolve(const struct loom_chip_values *values, const char *file,
		      struct drm_loom_chip *chip, struct loom_error *err)
{
	struct resolve resolve = { file, chip, err };
	const struct loom_chip_place nowhere = { .file = NULL };
	struct loom_chip_fault fault;
	int ret;
	u32 i;

	memset(chip, 0, sizeof(*chip));
	chip->opcodes = values->opcodes;
	ret = resolve_fields(&resolve, loom_chip_whole_fields, values->whole, chip, "", &nowhere);
	for (i = 0; !ret && i < DRM_LOOM_REGION_COUNT; i++)
		ret = resolve_region(&resolve, values, i);
	for (i = 1; !ret && i < DRM_LOOM_DTYPE_END; i++)
		ret = resolve_type(&resolve, values, i);
	if (ret)
		return ret;
	if (!values->regions[DRM_LOOM_REGION_SRAM].file)
		return resolve_fault(&resolve, &nowhere, "memory.sram", "",
				     "is missing: there is nothing to compute in");
	ret = loom_chip_check(chip, &fault);
	return ret ? resolve_check_fault(&resolve, values, &fault) : 0;
}
