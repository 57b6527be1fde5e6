// SPDX-License-Identifier: MIT
#include "../tool.h"

#include <stdlib.h>
#include <string.h>

#include <drm/loom_accel_plan.h>

/**
 * DOC: Explaining peaks
 *
 * The tensors that are alive when a group needs most SRAM, and the values that are alive when the
 * arena does; and the peak without each of them, as loom place --explain has it for a problem in a
 * file. Sizes are summed, so gaps of the placement do not count. An alias lies in its parent and
 * counts nothing.
 */

/* Items that are listed as text. */
#define PEAK_SHOWN	4

/* A tensor or value: its bytes, and the first and last moment of its life. */
struct peak_item {
	const char *name;
	uint64_t bytes;
	uint32_t first;
	uint32_t last;
};

/**
 * struct peak - the bytes that are alive over a range of moments
 * @items: tensors that are alive at one of the moments
 * @count: number of @items
 * @sums: bytes that are alive, by moment
 * @first: first moment
 * @moments: number of moments
 * @at: the moment with most bytes, the first of several, from @first on
 * @alive: items that are alive then, the largest first
 * @num_alive: number of @alive
 */
struct peak {
	struct peak_item *items;
	uint32_t count;
	uint64_t *sums;
	uint32_t first;
	uint32_t moments;
	uint32_t at;
	uint32_t *alive;
	uint32_t num_alive;
};

static int peak_compare(const void *a, const void *b, void *arg)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct peak_item *items = arg;

	if (items[x].bytes != items[y].bytes)
		return items[x].bytes > items[y].bytes ? -1 : 1;
	return (x > y) - (x < y);
}

static bool peak_has(const struct peak *peak, uint32_t index, uint32_t moment)
{
	const struct peak_item *item = &peak->items[index];

	return item->first <= peak->first + moment && item->last >= peak->first + moment;
}

static void peak_clear(struct peak *peak)
{
	free(peak->items);
	free(peak->sums);
	free(peak->alive);
}

static int peak_begin(struct peak *peak, uint32_t first, uint32_t moments, uint32_t room)
{
	*peak = (struct peak){
		.items = calloc(room + 1ULL, sizeof(*peak->items)),
		.sums = calloc(moments + 1ULL, sizeof(*peak->sums)),
		.alive = calloc(room + 1ULL, sizeof(*peak->alive)),
		.first = first,
		.moments = moments,
	};
	return peak->items && peak->sums && peak->alive ? 0 : -1;
}

/* Finds the peak of all @items, each of which is alive at one of the moments. */
static void peak_find(struct peak *peak)
{
	uint32_t i, m, begin, end;

	for (i = 0; i < peak->count; i++) {
		begin = peak->items[i].first > peak->first ? peak->items[i].first - peak->first : 0;
		end = peak->items[i].last + 1 - peak->first;
		peak->sums[begin] += peak->items[i].bytes;
		peak->sums[end < peak->moments ? end : peak->moments] -= peak->items[i].bytes;
	}
	for (m = 1; m < peak->moments; m++) {
		peak->sums[m] += peak->sums[m - 1];
		if (peak->sums[m] > peak->sums[peak->at])
			peak->at = m;
	}
	for (i = 0; i < peak->count; i++)
		if (peak_has(peak, i, peak->at))
			peak->alive[peak->num_alive++] = i;
	qsort_r(peak->alive, peak->num_alive, sizeof(*peak->alive), peak_compare, peak->items);
}

/* The peak without the item that is number @i of those at the peak; @at: its moment. */
static uint64_t peak_without(const struct peak *peak, uint32_t i, uint32_t *at)
{
	const uint32_t index = peak->alive[i];
	uint64_t most = 0, sum;
	uint32_t m;

	*at = peak->first;
	for (m = 0; m < peak->moments; m++) {
		sum = peak->sums[m];
		if (peak_has(peak, index, m))
			sum -= peak->items[index].bytes;
		if (sum > most) {
			most = sum;
			*at = peak->first + m;
		}
	}
	return most;
}

/* ---------------------------------------------------------------- of a program */

/* Values of the arena, over the nodes. */
static int peak_of_arena(struct peak *peak, const struct loom_program *program)
{
	uint32_t i;

	if (peak_begin(peak, 0, program->num_nodes, program->num_neurons))
		return -1;
	for (i = 0; i < program->num_neurons; i++)
		peak->items[peak->count++] = (struct peak_item){
			program->neurons[i].name, program->neurons[i].size_bytes,
			program->neurons[i].first_node, program->neurons[i].last_node,
		};
	peak_find(peak);
	return 0;
}

/**
 * struct tool_peaks - tensors in the scratch, by the groups in whose steps they are alive
 * @program: the program
 * @first: by group: where its tensors begin in @tensors; one more than there are groups
 * @tensors: indices
 */
struct tool_peaks {
	const struct loom_program *program;
	uint32_t *first;
	uint32_t *tensors;
};

static const struct drm_loom_plan_tensor *peaks_table(const struct loom_program *program)
{
	const struct drm_loom_plan_header *header = program->plan;

	return (const void *)((const char *)program->plan + header->tensors.offset);
}

/* Calls for each tensor in the scratch, and each group that it is alive in: counts, or stores. */
static void peaks_walk(struct tool_peaks *peaks, uint32_t *at, bool store)
{
	const struct drm_loom_plan_tensor *tensor = peaks_table(peaks->program);
	const struct loom_program_group *groups = peaks->program->groups;
	uint32_t i, g, low, high, middle;

	for (i = 0; i < peaks->program->num_labels; i++, tensor++) {
		if (tensor->region != DRM_LOOM_REGION_SRAM ||
		    tensor->flags & (DRM_LOOM_TENSOR_SLOT | DRM_LOOM_TENSOR_ALIAS))
			continue;
		low = 0;
		high = peaks->program->num_groups;
		while (low < high) {
			middle = low + (high - low) / 2;
			if (groups[middle].first_step + groups[middle].num_steps <=
			    tensor->first_step)
				low = middle + 1;
			else
				high = middle;
		}
		for (g = low; g < peaks->program->num_groups; g++) {
			if (groups[g].first_step > tensor->last_step)
				break;
			if (store)
				peaks->tensors[at[g]] = i;
			at[g]++;
		}
	}
}

void tool_peaks_close(struct tool_peaks *peaks)
{
	if (!peaks)
		return;
	free(peaks->first);
	free(peaks->tensors);
	free(peaks);
}

struct tool_peaks *tool_peaks_open(const struct loom_program *program)
{
	struct tool_peaks *peaks = calloc(1, sizeof(*peaks));
	const uint32_t groups = program->num_groups;
	uint32_t *at = calloc(groups + 1ULL, sizeof(*at)), g;

	if (peaks) {
		peaks->program = program;
		peaks->first = calloc(groups + 1ULL, sizeof(*peaks->first));
	}
	if (at && peaks && peaks->first) {
		peaks_walk(peaks, at, false);
		for (g = 0; g < groups; g++) {
			peaks->first[g + 1] = peaks->first[g] + at[g];
			at[g] = peaks->first[g];
		}
		peaks->tensors = calloc(peaks->first[groups] + 1ULL, sizeof(*peaks->tensors));
		if (peaks->tensors)
			peaks_walk(peaks, at, true);
	}
	free(at);
	if (peaks && peaks->tensors)
		return peaks;
	tool_peaks_close(peaks);
	return NULL;
}

static int peak_of_group(struct peak *peak, const struct tool_peaks *peaks, uint32_t g)
{
	const struct loom_program_group *group = &peaks->program->groups[g];
	const struct drm_loom_plan_tensor *tensors = peaks_table(peaks->program);
	const struct loom_program_label *labels = peaks->program->labels;
	uint32_t i;

	if (peak_begin(peak, group->first_step, group->num_steps,
		       peaks->first[g + 1] - peaks->first[g]))
		return -1;
	for (i = peaks->first[g]; i < peaks->first[g + 1]; i++) {
		const uint32_t t = peaks->tensors[i];

		peak->items[peak->count++] = (struct peak_item){
			labels[t].name, tensors[t].size, tensors[t].first_step,
			tensors[t].last_step,
		};
	}
	peak_find(peak);
	return 0;
}

/* ----------------------------------------------------------------------- output */

static void peak_print(const struct peak *peak, const char *where, const char *unit)
{
	char a[TOOL_TEXT], b[TOOL_TEXT];
	uint32_t i, at;

	if (!peak->num_alive)
		return;
	printf("%s%s alive in %s %u\n", where, tool_bytes(a, peak->sums[peak->at]), unit,
	       peak->first + peak->at);
	for (i = 0; i < peak->num_alive && i < PEAK_SHOWN; i++) {
		const struct peak_item *item = &peak->items[peak->alive[i]];
		const uint64_t without = peak_without(peak, i, &at);

		printf("             %s '%s': without it %s, in %s %u\n",
		       tool_bytes(a, item->bytes), item->name ? item->name : "",
		       tool_bytes(b, without), unit, at);
	}
	if (i < peak->num_alive)
		printf("             and %u smaller ones\n", peak->num_alive - i);
}

void tool_peaks_print_arena(const struct tool_peaks *peaks)
{
	struct peak peak;

	if (!peak_of_arena(&peak, peaks->program))
		peak_print(&peak, "arena      ", "node");
	peak_clear(&peak);
}

void tool_peaks_print_group(const struct tool_peaks *peaks, uint32_t group)
{
	struct peak peak;

	if (!peak_of_group(&peak, peaks, group))
		peak_print(&peak, "           SRAM peak ", "step");
	peak_clear(&peak);
}

/* Members of the open object: the peak, and at most @most of the items that make it. */
static void peak_json(const struct peak *peak, const char *unit, uint32_t most, struct json *json)
{
	uint32_t i, at;

	json_u64(json, "bytes", peak->sums[peak->at]);
	json_u64(json, unit, peak->first + peak->at);
	json_u64(json, "alive", peak->num_alive);
	json_open(json, "tensors", '[');
	for (i = 0; i < peak->num_alive && i < most; i++) {
		const struct peak_item *item = &peak->items[peak->alive[i]];

		json_open(json, NULL, '{');
		json_string(json, "name", item->name ? item->name : "");
		json_u64(json, "bytes", item->bytes);
		json_u64(json, "without_bytes", peak_without(peak, i, &at));
		json_close(json, '}');
	}
	json_close(json, ']');
}

void tool_peaks_json_arena(const struct loom_program *program, uint32_t most, struct json *json)
{
	struct peak peak;

	json_open(json, "arena_peak", '{');
	if (!peak_of_arena(&peak, program))
		peak_json(&peak, "node", most, json);
	json_close(json, '}');
	peak_clear(&peak);
}

int tool_peaks_json(const struct loom_program *program, struct json *json)
{
	struct tool_peaks *peaks = tool_peaks_open(program);
	struct peak peak;
	uint32_t g;

	if (!peaks)
		return tool_fail("no memory");
	tool_peaks_json_arena(program, UINT32_MAX, json);
	json_open(json, "group_peaks", '[');
	for (g = 0; g < program->num_groups; g++) {
		json_open(json, NULL, '{');
		if (!peak_of_group(&peak, peaks, g))
			peak_json(&peak, "step", UINT32_MAX, json);
		json_close(json, '}');
		peak_clear(&peak);
	}
	json_close(json, ']');
	tool_peaks_close(peaks);
	return 0;
}
