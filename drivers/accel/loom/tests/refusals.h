/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TESTS_REFUSALS_H
#define LOOM_TESTS_REFUSALS_H

/*
 * Forms and rows of every operation, in the order of core/op/list.h. An operation without tables
 * fails the build; refusals_gaps() finds properties without a row.
 */
#include "refusal.h"
#include "refusals_axis.h"
#include "refusals_element.h"
#include "refusals_move.h"
#include "refusals_product.h"
#include "refusals_window.h"

struct refusal_table {
	u32 opcode;
	const char *name;
	bool compute;
	u8 min_operands;
	u8 max_operands;
	u32 attr_bytes;
	const struct refusal_form *forms;
	u32 form_count;
	const struct refusal_row *rows;
	u32 row_count;
};

#define LOOM_OP(_opcode, _name, _stream, _min, _max, _attr_size, _in_place) {	\
	.opcode = DRM_LOOM_OP_##_opcode, .name = #_opcode,			\
	.compute = LOOM_STREAM_##_stream == LOOM_STREAM_COMPUTE,		\
	.min_operands = _min, .max_operands = _max, .attr_bytes = _attr_size,	\
	.forms = refusal_forms_##_name, .form_count = ARRAY_SIZE(refusal_forms_##_name),	\
	.rows = refusal_rows_##_name, .row_count = ARRAY_SIZE(refusal_rows_##_name) },

static const struct refusal_table refusal_tables[] = {
#include "../core/op/list.h"
};

/**
 * struct refusal_count - what became of the rows of an operation
 * @accepted: commands that are fine, and were
 * @refused: commands that were refused, as they should be
 * @wrong: others
 * @note: says what is wrong with one, or NULL
 */
struct refusal_count {
	u32 accepted;
	u32 refused;
	u32 wrong;
	void (*note)(const struct refusal_table *table, u32 form, u32 row, const char *what,
		     const struct drm_loom_reject *reject);
};

/* Row numbers for tests of every form, which are not in the table. */
#define ROW_FORM	(~0U)
#define ROW_COUNT	(~0U - 1)
#define ROW_PLACE	(~0U - 2)
#define ROW_SIZE	(~0U - 3)

static inline void refusal_judge(const struct refusal_table *table, struct refusal_count *count,
				 const struct refusal_try *try, u32 form,
				 const struct refusal_row *row, u32 number, bool in_place)
{
	struct drm_loom_reject reject;
	struct loom_command accepted;
	const char *what = NULL;
	int ret;

	ret = refusal_verify(try, in_place, &accepted, &reject);
	if (row->rule) {
		if (ret != -EBADMSG)
			what = "was accepted";
		else if (reject.rule != row->rule)
			what = "was refused by another rule";
		else if (!refusal_record_fits(try, row->operand, &reject))
			what = "has another record";
		count->refused += !what;
	} else {
		if (ret)
			what = "was refused";
		else if (row->cost && accepted.unit_cost != row->cost)
			what = "costs something else";
		else if (number == ROW_FORM &&
			 (accepted.units != try->form.units || accepted.macs != try->form.macs))
			what = "has other work";
		count->accepted += !what;
	}
	if (!what)
		return;
	count->wrong++;
	if (count->note)
		count->note(table, form, number, what, &reject);
}

static inline void refusal_try_form(const struct refusal_table *table, u32 form,
				    struct refusal_try *try)
{
	memset(try, 0, sizeof(*try));
	try->form = table->forms[form];
	try->opcode = table->opcode;
	try->attr_bytes = table->attr_bytes;
}

/* All changes of a row, in one of their variants. */
static inline void refusal_run_variant(const struct refusal_table *table, u32 number,
				       struct refusal_count *count, struct refusal_try *try,
				       u32 bit, u32 value)
{
	const struct refusal_row *row = &table->rows[number];
	u32 i;

	refusal_try_form(table, row->form, try);
	for (i = 0; i < REFUSAL_CHANGES; i++) {
		const struct refusal_change *change = &row->changes[i];
		bool range = change->last > change->value;

		if (!refusal_apply(try, change, bit, range ? value : change->value))
			return;
	}
	refusal_judge(table, count, try, row->form, row, number, false);
}

/* A row in all its variants: bits of the first change, values of one with a range. */
static inline void refusal_run_row(const struct refusal_table *table, u32 number,
				   struct refusal_count *count, struct refusal_try *try)
{
	const struct refusal_change *changes = table->rows[number].changes;
	u32 mask = changes->what == RANK ? 3 : 1, first = 0, last = 0, bit, value, i;

	if (changes->what == TYPES || changes->what == TYPES_ALL || changes->what == PLACES)
		mask = changes->value;
	for (i = 0; i < REFUSAL_CHANGES; i++) {
		if (changes[i].last > changes[i].value) {
			first = changes[i].value;
			last = changes[i].last;
		}
	}
	for (bit = 0; bit < 32; bit++)
		for (value = first; mask >> bit & 1 && value <= last; value++)
			refusal_run_variant(table, number, count, try, bit, value);
}

/* Places of each operand of a command that computes, on a chip that reads in place and one not. */
static inline void refusal_run_places(const struct refusal_table *table, u32 form,
				      struct refusal_count *count, struct refusal_try *try)
{
	u32 operand, place, in_place;

	for (operand = 0; operand < table->forms[form].operands; operand++) {
		for (place = 0; place < PLACE_COUNT; place++) {
			for (in_place = 0; in_place < 2; in_place++) {
				struct refusal_row row = { .operand = NOBODY };

				refusal_try_form(table, form, try);
				try->form.operand[operand].place = place;
				if (place != IN_SRAM && !(operand && in_place) &&
				    !(operand && operand == try->form.anywhere) &&
				    !(place == IN_IMAGE && operand < try->form.images)) {
					row.rule = DRM_LOOM_RULE_VIEW_REGION;
					row.operand = operand;
				}
				refusal_judge(table, count, try, form, &row, ROW_PLACE, in_place);
			}
		}
	}
}

/* Fewer and more operands than a form has, shorter and longer attributes. */
static inline void refusal_run_sizes(const struct refusal_table *table, u32 form,
				     struct refusal_count *count, struct refusal_try *try)
{
	struct refusal_row row = { .rule = DRM_LOOM_RULE_OPERANDS, .operand = NOBODY };
	u32 operands;

	for (operands = 0; operands <= DRM_LOOM_MAX_OPERANDS; operands++) {
		refusal_try_form(table, form, try);
		if (operands == try->form.operands ||
		    (try->form.optional && operands >= table->min_operands &&
		     operands <= table->max_operands))
			continue;
		if (operands > try->form.operands)
			try->form.operand[operands - 1] = try->form.operand[0];
		if (operands > try->form.operands + 1U)
			try->form.operand[operands - 2] = try->form.operand[0];
		if (operands > try->form.operands + 2U)
			break;
		try->form.operands = operands;
		refusal_judge(table, count, try, form, &row, ROW_COUNT, false);
	}
	row.rule = DRM_LOOM_RULE_ATTR;
	refusal_try_form(table, form, try);
	try->attr_bytes += 8;
	refusal_judge(table, count, try, form, &row, ROW_SIZE, false);
	if (!table->attr_bytes)
		return;
	refusal_try_form(table, form, try);
	try->attr_bytes -= 4;
	refusal_judge(table, count, try, form, &row, ROW_SIZE, false);
}

/* Tries all of an operation. */
static inline void refusals_run(const struct refusal_table *table, struct refusal_count *count)
{
	struct refusal_try *try = pb_alloc(sizeof(*try));
	u32 i;

	for (i = 0; i < table->form_count; i++) {
		struct refusal_row fine = { .operand = NOBODY, .cost = table->forms[i].cost };

		refusal_try_form(table, i, try);
		refusal_judge(table, count, try, i, &fine, ROW_FORM, false);
		if (table->compute)
			refusal_run_places(table, i, count, try);
		refusal_run_sizes(table, i, count, try);
	}
	for (i = 0; i < table->row_count; i++)
		refusal_run_row(table, i, count, try);
	pb_free(try);
}

/* Whether a row changes this and nothing else. */
static inline bool refusal_row_is(const struct refusal_row *row, u32 form, u32 what, u32 at)
{
	return row->form == form && row->changes[0].what == what && row->changes[0].at == at &&
	       !row->changes[1].what;
}

/* Count properties of an operand without a row: types, places, axes, rank. */
static inline u32 refusal_operand_gaps(const struct refusal_table *table, u32 form, u32 operand)
{
	u32 types = 0, places = table->compute ? (1U << PLACE_COUNT) - 1 : 0, axes = 0, gaps = 0, i;
	bool rank = false;

	for (i = 0; i < table->row_count; i++) {
		const struct refusal_row *row = &table->rows[i];

		if (refusal_row_is(row, form, TYPES, operand))
			types |= row->changes[0].value;
		if (refusal_row_is(row, form, PLACES, operand))
			places |= row->changes[0].value;
		if (refusal_row_is(row, form, RANK, operand))
			rank = true;
		if (refusal_row_is(row, form, DIM, operand))
			axes |= 1U << row->changes[0].axis;
	}
	gaps += types != EVERY;
	gaps += places != (1U << PLACE_COUNT) - 1;
	gaps += !rank;
	gaps += axes != (1U << table->forms[form].operand[operand].shape.rank) - 1;
	return gaps;
}

/* Return: number of properties of an operation without a row. */
static inline u32 refusals_gaps(const struct refusal_table *table)
{
	u32 gaps = !table->form_count, form, operand, word, i;

	for (form = 0; form < table->form_count; form++)
		for (operand = 0; operand < table->forms[form].operands; operand++)
			gaps += refusal_operand_gaps(table, form, operand);
	for (word = 0; word < table->attr_bytes / 4; word++) {
		for (i = 0; i < table->row_count; i++)
			if (refusal_row_is(&table->rows[i], table->rows[i].form, WORD, word))
				break;
		gaps += i == table->row_count;
	}
	return gaps;
}

#endif /* LOOM_TESTS_REFUSALS_H */
