/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TESTS_RULE_CASES_H
#define LOOM_TESTS_RULE_CASES_H

/*
 * Every rule of the verifier, by a plan that is valid but for one thing, in a file for each
 * subject. The tests of the library and those of the module go through the same cases; a rule
 * without a case fails both.
 */
#include "rule_case.h"
#include "rule_cases_chip.h"
#include "rule_cases_command.h"
#include "rule_cases_data.h"
#include "rule_cases_header.h"
#include "rule_cases_image.h"
#include "rule_cases_native.h"
#include "rule_cases_tensor.h"
#include "rule_cases_view.h"

/**
 * rule_case_get() - a case by its number, counted over all subjects
 * @index: its number
 *
 * Return: the case, or NULL behind the last.
 */
static inline const struct rule_case *rule_case_get(size_t index)
{
	static const struct {
		const struct rule_case *cases;
		size_t count;
	} subjects[] = {
		{ rule_cases_header, ARRAY_SIZE(rule_cases_header) },
		{ rule_cases_tensor, ARRAY_SIZE(rule_cases_tensor) },
		{ rule_cases_command, ARRAY_SIZE(rule_cases_command) },
		{ rule_cases_view, ARRAY_SIZE(rule_cases_view) },
		{ rule_cases_data, ARRAY_SIZE(rule_cases_data) },
		{ rule_cases_image, ARRAY_SIZE(rule_cases_image) },
		{ rule_cases_chip, ARRAY_SIZE(rule_cases_chip) },
		{ rule_cases_native, ARRAY_SIZE(rule_cases_native) },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(subjects); i++) {
		if (index < subjects[i].count)
			return &subjects[i].cases[index];
		index -= subjects[i].count;
	}
	return NULL;
}

/**
 * rule_case_next() - go through all cases
 * @last: the one before, or NULL for the first
 *
 * Return: a case, or NULL behind the last.
 */
static inline const struct rule_case *rule_case_next(const struct rule_case *last)
{
	const struct rule_case *at;
	size_t index = 0;

	if (!last)
		return rule_case_get(0);
	/* by equality: pointers into different arrays have no order */
	while ((at = rule_case_get(index++)) && at != last)
		;
	return at ? rule_case_get(index) : NULL;
}

#endif /* LOOM_TESTS_RULE_CASES_H */
