/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TESTS_RULE_CASES_H
#define LOOM_TESTS_RULE_CASES_H

/*
 * Every rule of the verifier, by a plan that is valid but for one thing, in a file for each
 * subject. The tests of the library and those of the module go through the same cases; a rule
 * without a case fails both.
 */
#include "rule_case.h"
#include "rule_cases_command.h"
#include "rule_cases_data.h"
#include "rule_cases_header.h"
#include "rule_cases_image.h"
#include "rule_cases_tensor.h"
#include "rule_cases_view.h"

/**
 * rule_case_next() - go through all cases
 * @last: the one before, or NULL for the first
 *
 * Return: a case, or NULL behind the last.
 */
static inline const struct rule_case *rule_case_next(const struct rule_case *last)
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
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(subjects); i++) {
		if (!last)
			return subjects[i].cases;
		if (last < subjects[i].cases || last >= subjects[i].cases + subjects[i].count)
			continue;
		if (last + 1 < subjects[i].cases + subjects[i].count)
			return last + 1;
		/* on to the first of the next subject */
		last = NULL;
	}
	return NULL;
}

#endif /* LOOM_TESTS_RULE_CASES_H */
