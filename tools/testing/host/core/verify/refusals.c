// SPDX-License-Identifier: MIT
/*
 * Every operation: each operand, type, place, axis and attribute that its check has to refuse, one
 * fault at a time, beside what it has to accept.
 */
#include "refusals.h"
#include "tap.h"

static void note(const struct refusal_table *table, u32 form, u32 row, const char *what,
		 const struct drm_loom_reject *reject)
{
	const struct refusal_change *change;
	u32 i;

	tap_note("%s form %u row %d %s: %s, valid %#x step %u command %u operand %u tensor %u",
		 table->name, form, row, what, loom_rule_name(reject->rule), reject->valid,
		 reject->step, reject->command, reject->operand, reject->tensor);
	for (i = 0; row < table->row_count && i < REFUSAL_CHANGES; i++) {
		change = &table->rows[row].changes[i];
		if (change->what)
			tap_note("  change %u at %u axis %u value %#x to %#x", change->what,
				 change->at, change->axis, change->value, change->last);
	}
	if (row < table->row_count)
		tap_note("  wanted: %s, operand %d", loom_rule_name(table->rows[row].rule),
			 table->rows[row].operand);
}

int main(void)
{
	u32 refused = 0, i;

	for (i = 0; i < ARRAY_SIZE(refusal_tables); i++) {
		const struct refusal_table *table = &refusal_tables[i];
		struct refusal_count count = { .note = note };

		refusals_run(table, &count);
		refused += count.refused;
		tap_ok(!count.wrong && count.refused && count.accepted,
		       "%s: %u refused, %u accepted, %u wrong", table->name, count.refused,
		       count.accepted, count.wrong);
		tap_ok(!refusals_gaps(table), "%s: nothing is left out", table->name);
	}
	tap_note("%u commands with one fault were refused", refused);
	return tap_end();
}
