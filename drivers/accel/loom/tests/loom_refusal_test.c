// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/slab.h>

#include "loom_compat.h"
#include "refusals.h"

/*
 * Every operation, one fault at a time: refusals.h, which the library's tests go through, too. A
 * test of its own for each operation.
 */
static const void *refusal_gen_params(LOOM_COMPAT_KUNIT_TEST const void *previous, char *desc)
{
	const struct refusal_table *table = previous;

	table = table ? table + 1 : refusal_tables;
	if (table == refusal_tables + ARRAY_SIZE(refusal_tables))
		return NULL;
	strscpy(desc, table->name, KUNIT_PARAM_DESC_SIZE);
	return table;
}

static void refusal_note(const struct refusal_table *table, u32 form, u32 row, const char *what,
			 const struct drm_loom_reject *reject)
{
	pr_info("%s form %u row %d %s: %s, valid %#x step %u command %u operand %u\n",
		table->name, form, (int)row, what, loom_rule_name(reject->rule), reject->valid,
		reject->step, reject->command, reject->operand);
}

static void refusal_of_each_fault(struct kunit *test)
{
	const struct refusal_table *table = test->param_value;
	struct refusal_count count = { .note = refusal_note };

	refusals_run(table, &count);
	KUNIT_EXPECT_EQ(test, 0, count.wrong);
	KUNIT_EXPECT_GT(test, count.refused, 0);
	KUNIT_EXPECT_GT(test, count.accepted, 0);
	KUNIT_EXPECT_EQ(test, 0, refusals_gaps(table));
}

static struct kunit_case refusal_cases[] = {
	KUNIT_CASE_PARAM(refusal_of_each_fault, refusal_gen_params),
	{}
};

static struct kunit_suite refusal_suite = {
	.name = "loom_refusal",
	.test_cases = refusal_cases,
};

kunit_test_suite(refusal_suite);
