// SPDX-License-Identifier: MIT
#include "moments.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* An item begins or ends. */
struct event {
	int64_t time;
	bool begins;
	uint64_t align_bytes;
	uint32_t item;
};

static int compare_events(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->begins != y->begins)
		return x->begins < y->begins ? -1 : 1;
	if (x->align_bytes != y->align_bytes)
		return x->align_bytes > y->align_bytes ? -1 : 1;
	return (x->item > y->item) - (x->item < y->item);
}

int loom_moments_find(const struct loom_tiling_item *items, uint32_t num_items,
		      struct loom_moments *moments)
{
	size_t count = 2 * (size_t)num_items, k;
	struct event *events = malloc(count * sizeof(*events));
	uint32_t begun = 0, ended = 0, moment = 0;

	if (!events)
		return -ENOMEM;
	for (k = 0; k < count; k++) {
		const struct loom_tiling_item *item = &items[k / 2];

		events[k] = (struct event){
			k % 2 ? item->upper : item->lower, !(k % 2), item->align_bytes,
			(uint32_t)(k / 2),
		};
	}
	qsort(events, count, sizeof(*events), compare_events);
	for (k = 0; k < count; k++) {
		moment += k && events[k].time != events[k - 1].time;
		if (events[k].begins) {
			moments->first[events[k].item] = moment;
			moments->begins[begun++] = events[k].item;
		} else {
			moments->last[events[k].item] = moment;
			moments->ends[ended++] = events[k].item;
		}
	}
	moments->count = moment + 1;
	free(events);
	return 0;
}
