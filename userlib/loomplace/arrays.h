/* SPDX-License-Identifier: MIT */
/* Problems as arrays, and their answers: helpers of the calls of loomplace.h. */
#ifndef LOOMPLACE_ARRAYS_H
#define LOOMPLACE_ARRAYS_H

#include <stdbool.h>

#include "loom_place.h"
#include "loomplace.h"

/** place_check_problem() - clears @answer; 0, or -EINVAL or -E2BIG. Unknown fields must be zero */
int place_check_problem(const struct loomplace_problem *problem, const uint64_t *offsets,
			struct loomplace_answer *answer);
/** place_has_gaps() - an item is not alive in all of its lifetime */
bool place_has_gaps(const struct loomplace_problem *problem);
/** place_fail() - puts @text into @answer, if there is one. Returns @code */
int place_fail(struct loomplace_answer *answer, int code, const char *text);
/** place_fail_by() - the same for a fault */
int place_fail_by(struct loomplace_answer *answer, int code, const struct loom_place_fault *fault);
/** place_answer() - puts the figures of @result into @answer, which may be NULL */
void place_answer(struct loomplace_answer *answer, const struct loom_place_result *result);
/** place_make_items() - the items of @problem, and one more; to be freed. NULL: no memory */
struct loom_place_item *place_make_items(const struct loomplace_problem *problem);

#endif /* LOOMPLACE_ARRAYS_H */
