// SPDX-License-Identifier: MIT
/* Results of a run: statistics of its outputs, and the most likely classes. */
#include "tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void tool_outcome_print(const struct loom_array *arrays, uint32_t count)
{
	struct loom_array_figures figures;
	char dims[TOOL_TEXT];
	uint32_t i;

	for (i = 0; i < count; i++) {
		loom_array_figures(&arrays[i], &figures);
		printf("result     %s %s %s:", arrays[i].name, loom_dtype_name(arrays[i].dtype),
		       tool_dims(dims, arrays[i].rank, arrays[i].dims));
		if (figures.numbers)
			printf(" min %.6g, max %.6g, mean %.6g", figures.min, figures.max,
			       figures.mean);
		else
			printf(" no numbers");
		if (figures.nans)
			printf(", %llu NaN", (unsigned long long)figures.nans);
		printf("\n");
	}
}

void tool_outcome_json(const struct loom_array *arrays, uint32_t count, struct json *json)
{
	struct loom_array_figures figures;
	uint32_t i;

	json_open(json, "results", '[');
	for (i = 0; i < count; i++) {
		loom_array_figures(&arrays[i], &figures);
		json_open(json, NULL, '{');
		json_string(json, "name", arrays[i].name);
		json_u64(json, "numbers", figures.numbers);
		json_u64(json, "nans", figures.nans);
		json_double(json, "min", figures.min);
		json_double(json, "max", figures.max);
		json_double(json, "mean", figures.mean);
		json_close(json, '}');
	}
	json_close(json, ']');
}

/* --------------------------------------------------------------- classes */

int tool_top_find(const struct loom_array *array, uint32_t count, const char *labels,
		  struct tool_top *top)
{
	uint64_t classes, i;
	uint32_t at;
	char dims[TOOL_TEXT];
	int ret = 0;

	classes = array->rank ? (uint64_t)array->dims[array->rank - 1] : 0;
	if (!classes || array->size_bytes != classes * loom_dtype_size(array->dtype))
		return tool_fail("--top: output '%s' %s is not one row of classes", array->name,
				 tool_dims(dims, array->rank, array->dims));
	if (labels) {
		ret = tool_labels_load(labels, &top->labels);
		if (ret)
			return ret;
		if (top->labels.num_lines != classes)
			return tool_fail("%s: has %u lines, but output '%s' has %llu classes",
					 labels, top->labels.num_lines, array->name,
					 (unsigned long long)classes);
	}
	top->classes = calloc(count, sizeof(*top->classes));
	if (!top->classes)
		return tool_fail("no memory");
	/* stable insertion sort: the first of equal classes is in front; NaN is skipped */
	for (i = 0; i < classes; i++) {
		struct tool_class class = { i, loom_array_element(array, i) };

		for (at = top->count; at && class.value > top->classes[at - 1].value; at--)
			if (at < count)
				top->classes[at] = top->classes[at - 1];
		if (at == count || class.value != class.value)
			continue;
		top->classes[at] = class;
		if (top->count < count)
			top->count++;
	}
	return 0;
}

static const char *tool_top_label(const struct tool_top *top, uint32_t index)
{
	return top->labels.num_lines ? top->labels.lines[top->classes[index].index] : "";
}

void tool_top_print(const struct tool_top *top)
{
	uint32_t i;

	for (i = 0; i < top->count; i++)
		printf("%-10s class %llu: %.6g%s%s\n", i ? "" : "top",
		       (unsigned long long)top->classes[i].index, top->classes[i].value,
		       top->labels.num_lines ? "  " : "", tool_top_label(top, i));
}

void tool_top_json(const struct tool_top *top, struct json *json)
{
	uint32_t i;

	json_open(json, "top", '[');
	for (i = 0; i < top->count; i++) {
		json_open(json, NULL, '{');
		json_u64(json, "class", top->classes[i].index);
		json_double(json, "value", top->classes[i].value);
		if (top->labels.num_lines)
			json_string(json, "label", tool_top_label(top, i));
		json_close(json, '}');
	}
	json_close(json, ']');
}

void tool_top_clear(struct tool_top *top)
{
	tool_labels_clear(&top->labels);
	free(top->classes);
	*top = (struct tool_top){ 0 };
}
