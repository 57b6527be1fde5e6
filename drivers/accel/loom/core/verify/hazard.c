// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "verify.h"

/**
 * DOC: Hazards
 *
 * The two streams of a step run at the same time, so neither may touch what the other writes. The
 * accesses of a step are ranges of bytes, sorted by their first byte; a sweep keeps, for each
 * stream and for reads and writes, the range that ends last so far. A range that begins before that
 * end overlaps it. Ranges are larger than what views touch, so interleaved views are refused:
 * planners that overlap transfers and work use two buffers.
 *
 * A step with one stream has no hazards, and costs nothing.
 */

int loom_hazard_begin(struct loom_verify *verify, const struct drm_loom_plan_step *step)
{
	/* the number of commands is limited, so no sum overflows */
	u32 commands = step->dma_commands + step->compute_commands, need = 0, operands, i;
	int ret;

	verify->access_count = 0;
	if (!step->dma_commands || !step->compute_commands)
		return 0;
	for (i = 0; i < commands; i++) {
		ret = loom_verify_work(verify, 1);
		if (ret)
			return ret;
		/* one that has more and is not native is refused before they are added */
		operands = verify->commands[step->first_command + i].operands;
		need += operands > DRM_LOOM_MAX_OPERANDS ? DRM_LOOM_MAX_OPERANDS : operands;
	}
	/* native commands share no views */
	if (verify->format)
		need += verify->header->views.count;
	if (need <= verify->access_room)
		return 0;
	loom_port_free(verify->accesses);
	verify->access_room = 0;
	verify->accesses = loom_port_alloc(need, sizeof(*verify->accesses));
	if (!verify->accesses)
		return -ENOMEM;
	verify->access_room = need;
	return 0;
}

void loom_hazard_add(struct loom_verify *verify, bool compute)
{
	const struct loom_command *command = &verify->plan->commands[verify->command];
	u32 i;

	for (i = 0; i < command->operands; i++) {
		const struct loom_view *view = &command->views[i];
		struct loom_access *access = &verify->accesses[verify->access_count++];

		access->start = view->start;
		access->space = loom_view_space(view);
		access->command = verify->command;
		access->operand = i;
		access->compute = compute;
		access->write = i < command->written;
	}
}

static const struct loom_view *loom_access_view(const struct loom_verify *verify,
						const struct loom_access *access)
{
	return &verify->plan->commands[access->command].views[access->operand];
}

/* By address, then by place in the plan, so that the order is unique. */
static bool loom_access_before(const struct loom_access *a, const struct loom_access *b)
{
	if (a->space != b->space)
		return a->space < b->space;
	if (a->start != b->start)
		return a->start < b->start;
	if (a->command != b->command)
		return a->command < b->command;
	return a->operand < b->operand;
}

static void loom_access_sift(struct loom_access *heap, u32 root, u32 count)
{
	struct loom_access moved = heap[root];
	u32 child;

	while ((child = 2 * root + 1) < count) {
		if (child + 1 < count && loom_access_before(&heap[child], &heap[child + 1]))
			child++;
		if (!loom_access_before(&moved, &heap[child]))
			break;
		heap[root] = heap[child];
		root = child;
	}
	heap[root] = moved;
}

/* Levels of a heap. */
static u32 loom_access_depth(u32 count)
{
	u32 depth = 0;

	while (count >>= 1)
		depth++;
	return depth;
}

/* Heapsort: in place, and O(n log n) for every input. */
static int __must_check loom_access_sort(struct loom_verify *verify)
{
	struct loom_access *accesses = verify->accesses;
	u32 count = verify->access_count, i;
	int ret;

	for (i = count / 2; i-- > 0;) {
		ret = loom_verify_work(verify, loom_access_depth(count));
		if (ret)
			return ret;
		loom_access_sift(accesses, i, count);
	}
	for (i = count; i-- > 1;) {
		struct loom_access last = accesses[i];

		ret = loom_verify_work(verify, loom_access_depth(count));
		if (ret)
			return ret;
		accesses[i] = accesses[0];
		accesses[0] = last;
		loom_access_sift(accesses, 0, i);
	}
	return 0;
}

static int loom_hazard_reject(struct loom_verify *verify, const struct loom_access *a,
			      const struct loom_access *b)
{
	const struct loom_access *compute = a->compute ? a : b;
	const struct loom_access *dma = a->compute ? b : a;
	const struct loom_view *view = loom_access_view(verify, compute);
	const struct loom_view *other = loom_access_view(verify, dma);

	verify->command = compute->command;
	loom_reject_overlap(verify, DRM_LOOM_RULE_HAZARD, view->tensor, other->tensor,
			    max(view->start, other->start), min(view->end, other->end));
	verify->reject->valid |= DRM_LOOM_REJECT_OPERAND;
	verify->reject->operand = compute->operand;
	return -EBADMSG;
}

/**
 * struct loom_furthest - the access that ends last so far
 * @access: it, or NULL
 * @end: where it ends
 */
struct loom_furthest {
	const struct loom_access *access;
	u64 end;
};

int loom_hazard_end(struct loom_verify *verify)
{
	/* in this space, by stream, then by read and write */
	struct loom_furthest furthest[2][2] = {};
	u32 i, space = 0, write;
	int ret;

	ret = loom_access_sort(verify);
	if (ret)
		return ret;
	for (i = 0; i < verify->access_count; i++) {
		const struct loom_access *access = &verify->accesses[i];
		struct loom_furthest *own = &furthest[access->compute][access->write];
		u64 end = loom_access_view(verify, access)->end;

		ret = loom_verify_work(verify, 1);
		if (ret)
			return ret;
		if (access->space != space) {
			memset(furthest, 0, sizeof(furthest));
			space = access->space;
		}
		/* a read conflicts with writes of the other stream, a write with all accesses */
		for (write = !access->write; write < 2; write++) {
			const struct loom_furthest *other = &furthest[!access->compute][write];

			if (other->access && access->start < other->end)
				return loom_hazard_reject(verify, access, other->access);
		}
		if (!own->access || end > own->end)
			*own = (struct loom_furthest){ access, end };
	}
	return 0;
}
