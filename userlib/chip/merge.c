// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "loom.h"
#include "loom_chip_file.h"
#include "number.h"
#include "values.h"

/**
 * struct merge - a file whose values are being sorted in
 * @values: the result
 * @file: name for errors
 * @err: one line on failure, may be NULL
 */
struct merge {
	struct loom_chip_values *values;
	const char *file;
	struct loom_error *err;
};

static int __attribute__((format(printf, 3, 4)))
merge_fault(struct merge *merge, const struct loom_chip_node *node, const char *format, ...)
{
	char what[600];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	return loom_error_set(merge->err, -EINVAL, "%s:%u: %s: %s", merge->file, node->line,
			      node->path, what);
}

static const char *merge_kind(const struct loom_chip_node *node)
{
	static const char *const kinds[] = { "a value", "a map", "a list" };

	return kinds[node->kind];
}

static struct loom_chip_place merge_place(struct merge *merge, const struct loom_chip_node *node)
{
	return (struct loom_chip_place){ merge->file, node->line };
}

/* Stores a scalar; "none" removes the value of the extended file. */
static int merge_scalar(struct merge *merge, const struct loom_chip_node *node,
			struct loom_chip_value *value)
{
	if (node->kind != LOOM_CHIP_SCALAR)
		return merge_fault(merge, node, "takes a single value, not %s", merge_kind(node));
	if (node->is_none) {
		memset(value, 0, sizeof(*value));
		return 0;
	}
	value->text = node->text;
	value->place = merge_place(merge, node);
	return 0;
}

/* Whether a field belongs to the map @name of @length letters. */
static bool merge_is_in(const struct loom_chip_field *field, const char *name, size_t length)
{
	return !strncmp(field->name, name, length) && field->name[length] == '.';
}

static int merge_unknown(struct merge *merge, const struct loom_chip_node *node,
			 const struct loom_chip_guess *guess, const char *what)
{
	char text[440];

	return merge_fault(merge, node, "unknown %s, %s", what,
			   loom_chip_guess_print(guess, text, sizeof(text)));
}

static int merge_unknown_key(struct merge *merge, const struct loom_chip_node *node,
			     const struct loom_chip_field *fields, const char *map)
{
	static const char *const others[] = { "extends", "memory", "types", "operations" };
	struct loom_chip_guess guess = { .word = node->key };
	const bool is_root = fields == loom_chip_whole_fields && !map;
	size_t i, length = map ? strlen(map) : 0;

	for (; fields->name; fields++)
		if (!map || merge_is_in(fields, map, length))
			loom_chip_guess_add(&guess, fields->name + length + !!map);
	for (i = 0; is_root && i < ARRAY_SIZE(others); i++)
		loom_chip_guess_add(&guess, others[i]);
	return merge_unknown(merge, node, &guess, "key");
}

/* Merges the fields whose names begin with @map: from a nested map, or one value for all. */
static int merge_map(struct merge *merge, const struct loom_chip_node *node,
		     const struct loom_chip_field *fields, struct loom_chip_value *values)
{
	const size_t length = strlen(node->key);
	const struct loom_chip_node *child;
	bool is_known = false;
	int i, ret;

	if (node->kind == LOOM_CHIP_LIST)
		return merge_fault(merge, node, "takes a map, not a list");
	for (i = 0; node->kind == LOOM_CHIP_SCALAR && fields[i].name; i++) {
		if (merge_is_in(&fields[i], node->key, length)) {
			ret = merge_scalar(merge, node, &values[i]);
			if (ret)
				return ret;
		}
	}
	for (child = node->child; child; child = child->next) {
		for (is_known = false, i = 0; fields[i].name && !is_known; i++)
			is_known = merge_is_in(&fields[i], node->key, length) &&
				   !strcmp(fields[i].name + length + 1, child->key);
		if (!is_known)
			return merge_unknown_key(merge, child, fields, node->key);
		ret = merge_scalar(merge, child, &values[i - 1]);
		if (ret)
			return ret;
	}
	return 0;
}

static int merge_field(struct merge *merge, const struct loom_chip_node *node,
		       const struct loom_chip_field *fields, struct loom_chip_value *values)
{
	int i = strchr(node->key, '.') ? -1 : loom_chip_field_find(fields, node->key);

	if (i >= 0)
		return merge_scalar(merge, node, &values[i]);
	for (i = 0; fields[i].name; i++)
		if (merge_is_in(&fields[i], node->key, strlen(node->key)))
			return merge_map(merge, node, fields, values);
	return merge_unknown_key(merge, node, fields, NULL);
}

/* Merges a region or a type: its fields, or "none". */
static int merge_group(struct merge *merge, const struct loom_chip_node *node,
		       const struct loom_chip_field *fields, struct loom_chip_value *values,
		       struct loom_chip_place *place)
{
	const struct loom_chip_node *child;
	int ret;

	if (node->is_none) {
		memset(place, 0, sizeof(*place));
		memset(values, 0, LOOM_CHIP_MAX_FIELDS * sizeof(*values));
		return 0;
	}
	if (node->kind != LOOM_CHIP_MAP)
		return merge_fault(merge, node, "takes a map or 'none', not %s", merge_kind(node));
	*place = merge_place(merge, node);
	for (child = node->child; child; child = child->next) {
		ret = merge_field(merge, child, fields, values);
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Finds the number of a word among @count names, the first of which is @first. If it is none of
 * them, returns @count and the names it may have meant. A number without a name is "?".
 */
static u32 merge_find(const char *word, const char *(*name)(u32), u32 first, u32 count,
		      struct loom_chip_guess *guess)
{
	u32 i;

	*guess = (struct loom_chip_guess){ .word = word };
	for (i = first; i < count; i++) {
		if (!strcmp(name(i), "?"))
			continue;
		if (!strcmp(name(i), word))
			return i;
		loom_chip_guess_add(guess, name(i));
	}
	return count;
}

/**
 * struct merge_list - a map whose keys are names of numbers: memories, types
 * @what: singular, for errors
 * @some: the first, for errors
 * @name: of each number
 * @first: the first number
 * @count: behind the last one
 * @fields: fields of each
 */
struct merge_list {
	const char *what;
	const char *some;
	const char *(*name)(u32 number);
	u32 first;
	u32 count;
	const struct loom_chip_field *fields;
};

/* @values, @places: by number */
static int merge_named(struct merge *merge, const struct loom_chip_node *node,
		       const struct merge_list *list,
		       struct loom_chip_value (*values)[LOOM_CHIP_MAX_FIELDS],
		       struct loom_chip_place *places)
{
	const struct loom_chip_node *child;
	struct loom_chip_guess guess;
	u32 i;
	int ret;

	if (node->kind != LOOM_CHIP_MAP)
		return merge_fault(merge, node, "takes a map of %s, ..., not %s", list->some,
				   merge_kind(node));
	for (child = node->child; child; child = child->next) {
		i = merge_find(child->key, list->name, list->first, list->count, &guess);
		if (i == list->count)
			return merge_unknown(merge, child, &guess, list->what);
		ret = merge_group(merge, child, list->fields, values[i], &places[i]);
		if (ret)
			return ret;
	}
	return 0;
}

static int merge_memory(struct merge *merge, const struct loom_chip_node *node)
{
	static const struct merge_list memories = {
		"memory", "dram, sram", loom_region_name, 0, DRM_LOOM_REGION_COUNT,
		loom_chip_region_fields,
	};

	return merge_named(merge, node, &memories, merge->values->region, merge->values->regions);
}

static int merge_types(struct merge *merge, const struct loom_chip_node *node)
{
	static const struct merge_list types = {
		"type", "f32, i8", loom_dtype_name, 1, DRM_LOOM_DTYPE_END, loom_chip_type_fields,
	};

	merge->values->all_types = merge_place(merge, node);
	return merge_named(merge, node, &types, merge->values->type, merge->values->types);
}

u64 loom_chip_all_opcodes(void)
{
	u64 all = 0;
	u32 i;

	for (i = 0; i < DRM_LOOM_OP_END; i++)
		if (strcmp(loom_opcode_name(i), "?"))
			all |= 1ULL << i;
	return all;
}

static int merge_opcodes(struct merge *merge, const struct loom_chip_node *list, u64 *opcodes)
{
	const struct loom_chip_node *child;
	struct loom_chip_guess guess;
	char shown[LOOM_CHIP_SHOWN], text[440];
	u32 i;

	*opcodes = 0;
	if (list->kind != LOOM_CHIP_LIST)
		return merge_fault(merge, list, "takes a list of operations, not %s",
				   merge_kind(list));
	for (child = list->child; child; child = child->next) {
		if (child->kind != LOOM_CHIP_SCALAR)
			return merge_fault(merge, child, "an operation is a word, not %s",
					   merge_kind(child));
		i = merge_find(child->text, loom_opcode_name, 0, DRM_LOOM_OP_END, &guess);
		if (i == DRM_LOOM_OP_END)
			return merge_fault(merge, child, "there is no operation '%s', %s",
					   loom_chip_show(shown, child->text),
					   loom_chip_guess_print(&guess, text, sizeof(text)));
		*opcodes |= 1ULL << i;
	}
	return 0;
}

static int merge_operations(struct merge *merge, const struct loom_chip_node *node)
{
	struct loom_chip_values *values = merge->values;
	const struct loom_chip_node *child = node->child;
	u64 opcodes;
	int ret;

	values->operations = merge_place(merge, node);
	if (node->kind == LOOM_CHIP_LIST)
		return merge_opcodes(merge, node, &values->opcodes);
	if (node->kind == LOOM_CHIP_SCALAR && !strcmp(node->text, "all")) {
		values->opcodes = loom_chip_all_opcodes();
		return 0;
	}
	if (node->kind != LOOM_CHIP_MAP || !child || child->next || strcmp(child->key, "except"))
		return merge_fault(merge, node,
				   "takes 'all', a list of operations, or {except: a list}");
	ret = merge_opcodes(merge, child, &opcodes);
	if (!ret)
		values->opcodes &= ~opcodes;
	return ret;
}

static int merge_root(struct merge *merge, const struct loom_chip_node *node)
{
	if (!strcmp(node->key, "extends"))
		return 0;
	if (!strcmp(node->key, "memory"))
		return merge_memory(merge, node);
	if (!strcmp(node->key, "types"))
		return merge_types(merge, node);
	if (!strcmp(node->key, "operations"))
		return merge_operations(merge, node);
	return merge_field(merge, node, loom_chip_whole_fields, merge->values->whole);
}

int loom_chip_merge(struct loom_chip_values *values, const char *file,
		    const struct loom_chip_node *root, struct loom_error *err)
{
	struct merge merge = { values, file, err };
	const struct loom_chip_node *node;
	int ret = 0;

	/* the name is never inherited */
	memset(&values->whole[loom_chip_field_find(loom_chip_whole_fields, "name")], 0,
	       sizeof(values->whole[0]));
	for (node = root->child; node && !ret; node = node->next)
		ret = merge_root(&merge, node);
	return ret;
}
