// SPDX-License-Identifier: MIT
/* One place in the buffers of weights for those that several programs have. */
#include "program_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "plan/build.h"
#include "run/run.h"

/**
 * struct link - a weight of a program
 * @program: of the programs
 * @weight: of its weights
 * @memory: loom_file_memory()
 * @sum: checksum of its bytes
 * @first: number of the first one that it shares a place with, in the order of programs and
 *	weights
 * @leader: of the first ones in a run of equal bytes: @first of each
 * @from: as the program was planned
 * @to: where all weights with these bytes are
 * @size_bytes: number of bytes
 * @data: the bytes
 */
struct link {
	u32 program;
	u32 weight;
	u32 memory;
	u32 sum;
	size_t first;
	size_t leader;
	u64 from;
	u64 to;
	u64 size_bytes;
	const void *data;
};

static int by_bytes(const void *a, const void *b)
{
	const struct link *x = a, *y = b;

	if (x->memory != y->memory)
		return x->memory < y->memory ? -1 : 1;
	if (x->size_bytes != y->size_bytes)
		return x->size_bytes < y->size_bytes ? -1 : 1;
	if (x->sum != y->sum)
		return x->sum < y->sum ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static int by_first(const void *a, const void *b)
{
	const struct link *x = a, *y = b;

	if (x->program != y->program)
		return x->program < y->program ? -1 : 1;
	return x->weight < y->weight ? -1 : x->weight > y->weight;
}

static int by_place(const void *a, const void *b)
{
	const struct link *x = a, *y = b;

	if (x->memory != y->memory)
		return x->memory < y->memory ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static size_t collect(const struct loom_program *const *programs, u32 count, struct link *links)
{
	size_t num_links = 0;
	u32 i, k;

	for (i = 0; i < count; i++) {
		for (k = 0; k < programs[i]->num_weights; k++) {
			const struct loom_program_tensor *weight = &programs[i]->weights[k];

			/* each session has its own in SRAM */
			if (!weight->size_bytes ||
			    !loom_slot_is_shared(&programs[i]->slots[weight->slot]))
				continue;
			links[num_links] = (struct link){
				.program = i, .weight = k, .first = num_links,
				.memory = loom_file_memory(programs[i], weight),
				.sum = loom_checksum(0, weight->data, weight->size_bytes),
				.from = weight->offset, .size_bytes = weight->size_bytes,
				.data = weight->data,
			};
			num_links++;
		}
	}
	return num_links;
}

static bool is_equal(const struct link *a, const struct link *b)
{
	return a->memory == b->memory && a->size_bytes == b->size_bytes && a->sum == b->sum &&
	       !memcmp(a->data, b->data, a->size_bytes);
}

/*
 * Pairs weights of equal bytes, which the links from @run on are. Two of one program keep a place
 * each, as in its plan: the nth of a program is paired with the nth of those before.
 */
static void pair_run(struct link *run, size_t length)
{
	size_t leaders = 0, nth = 0, i;

	for (i = 0; i < length; i++) {
		nth = i && run[i].program == run[i - 1].program ? nth + 1 : 0;
		if (nth == leaders)
			run[leaders++].leader = run[i].first;
		run[i].first = run[nth].leader;
	}
}

static void pair_equal(struct link *links, size_t count)
{
	size_t begin, end;

	qsort(links, count, sizeof(*links), by_bytes);
	for (begin = 0; begin < count; begin = end) {
		for (end = begin + 1; end < count && is_equal(&links[end - 1], &links[end]); end++)
			;
		pair_run(links + begin, end - begin);
	}
	qsort(links, count, sizeof(*links), by_first);
}

/* Places all weights one after the other. @ends: of the buffers in DRAM and in ROM */
static void lay_out(struct link *links, size_t count, u64 *ends)
{
	size_t i;

	for (i = 0; i < count; i++) {
		u64 *end = &ends[links[i].memory == DRM_LOOM_SLOT_ROM];

		if (links[i].first != i) {
			links[i].to = links[links[i].first].to;
			continue;
		}
		links[i].to = loom_file_align(*end, LOOM_PLAN_WEIGHT_ALIGN);
		*end = links[i].to + links[i].size_bytes;
	}
}

/* The weight that holds a tensor of the plan; NULL: none. */
static const struct link *holder(const struct link *links, size_t count, u32 memory,
				 const struct drm_loom_plan_tensor *tensor)
{
	size_t low = 0, high = count, middle;
	const struct link *link;

	/* the last weight that begins at the tensor or before */
	while (low < high) {
		middle = (low + high) / 2;
		link = &links[middle];
		if (link->memory < memory ||
		    (link->memory == memory && link->from <= tensor->offset))
			low = middle + 1;
		else
			high = middle;
	}
	link = low ? &links[low - 1] : NULL;
	if (!link || link->memory != memory ||
	    tensor->offset - link->from > link->size_bytes ||
	    tensor->size > link->size_bytes - (tensor->offset - link->from))
		return NULL;
	return link;
}

static void *copy_of(const void *bytes, size_t size)
{
	void *copy = malloc(size ? size : 1);

	return copy && size ? memcpy(copy, bytes, size) : copy;
}

static bool holds(const struct loom_program *program, const struct drm_loom_table *table,
		  size_t record_bytes, u64 records)
{
	return table->stride >= record_bytes && table->offset <= program->plan_bytes &&
	       table->count >= records &&
	       (u64)table->count * table->stride <= program->plan_bytes - table->offset;
}

/* Moves the tensors of a plan to where its weights are. @links: by place */
static int move_tensors(const struct loom_program *program, u8 *plan, const struct link *links,
			size_t count)
{
	struct drm_loom_plan_header *header = (struct drm_loom_plan_header *)plan;
	struct drm_loom_plan_tensor tensor;
	const struct link *link;
	u32 i;

	if (program->plan_bytes < sizeof(*header) ||
	    !holds(program, &header->slots, sizeof(struct drm_loom_plan_slot),
		   program->num_slots) ||
	    !holds(program, &header->tensors, sizeof(tensor), 0))
		return -EINVAL;
	for (i = 0; i < program->num_slots; i++)
		memcpy(plan + header->slots.offset + (u64)i * header->slots.stride,
		       &program->slots[i].size_bytes, sizeof(u64));
	for (i = 0; i < header->tensors.count; i++) {
		u8 *at = plan + header->tensors.offset + (u64)i * header->tensors.stride;

		memcpy(&tensor, at, sizeof(tensor));
		if (tensor.region == DRM_LOOM_REGION_SRAM || tensor.slot >= program->num_slots ||
		    !loom_slot_is_shared(&program->slots[tensor.slot]))
			continue;
		link = holder(links, count, program->slots[tensor.slot].flags & DRM_LOOM_SLOT_ROM,
			      &tensor);
		if (!link)
			return -EINVAL;
		tensor.offset += link->to - link->from;
		memcpy(at, &tensor, sizeof(tensor));
	}
	return 0;
}

/* Makes @to @from with a plan, slots and weights of its own. @first: number of its first link */
static int link_program(const struct loom_program *from, struct loom_program *to,
			struct link *links, size_t first, size_t count, const u64 *ends)
{
	struct loom_program_slot *slots = copy_of(from->slots, from->num_slots * sizeof(*slots));
	struct loom_program_tensor *weights =
		copy_of(from->weights, from->num_weights * sizeof(*weights));
	u8 *plan = copy_of(from->plan, from->plan_bytes);
	size_t i;

	*to = *from;
	to->slots = slots;
	to->weights = weights;
	to->plan = plan;
	if (!slots || !weights || !plan)
		return -ENOMEM;
	for (i = 0; i < from->num_slots; i++)
		if (loom_slot_is_shared(&slots[i]))
			slots[i].size_bytes = ends[!!(slots[i].flags & DRM_LOOM_SLOT_ROM)];
	for (i = 0; i < count; i++) {
		weights[links[i].weight].offset = links[i].to;
		if (links[i].first != first + i)
			weights[links[i].weight].data = NULL;
	}
	qsort(links, count, sizeof(*links), by_place);
	return move_tensors(to, plan, links, count);
}

static int link_all(const struct loom_program *const *programs, u32 count, struct link *links,
		    struct loom_program *linked)
{
	size_t all = collect(programs, count, links), begin = 0, end;
	u64 ends[2] = { 0, 0 };
	int ret = 0;
	u32 i;

	pair_equal(links, all);
	lay_out(links, all, ends);
	for (i = 0; i < count && !ret; i++, begin = end) {
		for (end = begin; end < all && links[end].program == i; end++)
			;
		ret = link_program(programs[i], &linked[i], links + begin, begin, end - begin,
				   ends);
	}
	return ret;
}

int loom_file_link(const struct loom_program *const *programs, u32 count,
		   struct loom_program **out, struct loom_error *err)
{
	struct loom_program *linked = calloc(count, sizeof(*linked));
	struct link *links;
	size_t all = 0;
	u32 i;
	int ret;

	for (i = 0; i < count; i++)
		all += programs[i]->num_weights;
	links = calloc(all + 1, sizeof(*links));
	ret = links && linked ? link_all(programs, count, links, linked) : -ENOMEM;
	free(links);
	*out = linked;
	if (!ret)
		return 0;
	loom_file_unlink(linked, count);
	*out = NULL;
	return loom_error_set(err, ret, ret == -ENOMEM ? "no memory for the file" :
			      "a plan has weights that are not the program's");
}

void loom_file_unlink(struct loom_program *linked, u32 count)
{
	u32 i;

	for (i = 0; linked && i < count; i++) {
		free((void *)linked[i].slots);
		free((void *)linked[i].weights);
		free((void *)linked[i].plan);
	}
	free(linked);
}
