/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_LOWER_CASE_H
#define LOOM_TESTS_LOWER_CASE_H

/* A graph of few nodes with random inputs, for tests of lowering. */

#include "draw.h"
#include "graph/graph.h"
#include "loom_core.h"
#include "loom_planner.h"
#include "model.h"
#include "tap.h"

#include <stdarg.h>
#include <string.h>

/* from @low to @high */
static inline int64_t range(int64_t low, int64_t high)
{
	return low + draw((uint32_t)(high - low + 1));
}

#define MAX_INPUTS	4
#define MAX_ATTRS	8

/**
 * struct test_case - a graph and its inputs
 * @graph: the graph
 * @inputs: arrays for its inputs
 * @num_inputs: number of @inputs
 * @attrs: attributes of the next node
 * @num_attrs: number of @attrs
 * @ints: integer values of @attrs
 * @floats: floating-point values of @attrs
 * @check: compares with plain loops, or NULL
 * @geometry: for @check
 */
struct test_case {
	struct loom_graph *graph;
	struct loom_array inputs[MAX_INPUTS];
	uint32_t num_inputs;
	struct loom_attr attrs[MAX_ATTRS];
	uint32_t num_attrs;
	int64_t ints[MAX_ATTRS][8];
	float floats[MAX_ATTRS];
	bool (*check)(const struct test_case *test, const struct loom_array *y);
	int64_t geometry[32];
};

static inline void fill(struct loom_array *array)
{
	size_t i;

	for (i = 0; i < array->size_bytes / loom_dtype_size(array->dtype); i++) {
		switch (array->dtype) {
		case DRM_LOOM_DTYPE_F32:
			((float *)array->data)[i] = ((float)draw(4096) - 2048) / 512;
			break;
		case DRM_LOOM_DTYPE_F64:
			((double *)array->data)[i] = ((double)draw(4096) - 2048) / 512;
			break;
		case DRM_LOOM_DTYPE_BOOL:
			((uint8_t *)array->data)[i] = draw(2);
			break;
		case DRM_LOOM_DTYPE_I64:
			((int64_t *)array->data)[i] = (int64_t)draw(200) - 100;
			break;
		case DRM_LOOM_DTYPE_I32:
			((int32_t *)array->data)[i] = (int32_t)draw(200) - 100;
			break;
		default:
			((uint8_t *)array->data)[i] = draw(256);
		}
	}
}

static inline struct loom_array make_array(const char *name, uint32_t dtype, uint32_t rank,
					   const int64_t *dims)
{
	struct loom_array array = { .name = (char *)name, .dtype = dtype, .rank = rank };
	uint32_t i;

	array.size_bytes = loom_dtype_size(dtype);
	for (i = 0; i < rank; i++) {
		array.dims[i] = dims[i];
		array.size_bytes *= (size_t)dims[i];
	}
	array.data = calloc(1, array.size_bytes + 1);
	if (!array.data)
		tap_fatal("no memory");
	fill(&array);
	return array;
}

/* A graph input with random content. */
static inline void input(struct test_case *test, const char *name, uint32_t dtype, uint32_t rank,
			 const int64_t *dims)
{
	struct loom_array *array = &test->inputs[test->num_inputs++];
	struct loom_tensor_info info = { .name = name, .dtype = dtype, .rank = rank };

	*array = make_array(name, dtype, rank, dims);
	if (rank)
		memcpy(info.dims, dims, rank * sizeof(*dims));
	loom_graph_add_input(test->graph, &info);
}

/* A constant of given integers: shapes, axes. */
static inline void ints(struct test_case *test, const char *name, uint32_t count,
			const int64_t *numbers)
{
	model_add_ints(test->graph, name, count, (int64_t *)numbers);
}

static inline void bytes_const(struct test_case *test, const char *name, uint32_t dtype,
			       uint32_t count, const void *data)
{
	struct loom_array array = {
		.name = (char *)name, .dtype = dtype, .rank = count ? 1 : 0, .dims = { count },
		.data = (void *)data, .size_bytes = (count ? count : 1) * loom_dtype_size(dtype),
	};

	loom_graph_add_const(test->graph, &array);
}

static inline void attr_ints(struct test_case *test, const char *name, uint32_t count,
			     const int64_t *numbers)
{
	memcpy(test->ints[test->num_attrs], numbers, count * sizeof(*numbers));
	test->attrs[test->num_attrs] = (struct loom_attr){
		.name = name, .type = LOOM_ATTR_INTS, .count = count,
		.ints = test->ints[test->num_attrs],
	};
	test->num_attrs++;
}

static inline void attr_int(struct test_case *test, const char *name, int64_t number)
{
	attr_ints(test, name, 1, &number);
	test->attrs[test->num_attrs - 1].type = LOOM_ATTR_INT;
}

static inline void attr_float(struct test_case *test, const char *name, float number)
{
	test->floats[test->num_attrs] = number;
	test->attrs[test->num_attrs] = (struct loom_attr){
		.name = name, .type = LOOM_ATTR_FLOAT, .count = 1,
		.floats = &test->floats[test->num_attrs],
	};
	test->num_attrs++;
}

static inline void attr_string(struct test_case *test, const char *name, const char *string)
{
	test->attrs[test->num_attrs++] = (struct loom_attr){
		.name = name, .type = LOOM_ATTR_STRING, .string = string,
	};
}

/* A node with the attributes collected so far; operands separated by blanks, "-" for none. */
static inline void node(struct test_case *test, const char *op, const char *operands,
			const char *result)
{
	model_add_node(test->graph, op, operands, result, test->attrs, test->num_attrs);
	test->num_attrs = 0;
}

/* Two operands; @to has 40 bytes. */
static inline void text(char *to, const char *a, const char *b)
{
	snprintf(to, 40, "%.18s %.18s", a, b);
}

/* A type by its name, or 0. */
static inline uint32_t case_dtype(const char *name)
{
	uint32_t dtype = DRM_LOOM_DTYPE_END;

	while (--dtype && strcmp(loom_dtype_name(dtype), name))
		;
	return dtype;
}

/*
 * An input or a constant by its type and dims. Elements are random, those of a constant follow a
 * colon if they are given.
 */
static inline void case_tensor(struct test_case *test, const char *name, char **words,
			       uint32_t count, bool constant)
{
	const uint32_t dtype = case_dtype(words[0]);
	const uint64_t kept = seed;
	struct loom_array array;
	const char *names[LOOM_GRAPH_RANK];
	struct loom_tensor_info info;
	uint32_t rank = 0, colon, i;
	int64_t dims[8];
	bool fixed;

	while (rank + 1 < count && *words[rank + 1] != ':') {
		dims[rank] = strtoll(words[rank + 1], NULL, 10);
		rank++;
	}
	colon = rank + 1;
	if (!constant) {
		input(test, name, dtype, rank, dims);
		/* the text does not last */
		if (loom_graph_declared(test->graph, test->num_inputs - 1, &info, names, &fixed))
			tap_fatal("no input %s", name);
		test->inputs[test->num_inputs - 1].name = (char *)info.name;
		return;
	}
	array = make_array(name, dtype, rank, dims);
	if (colon < count || dtype == DRM_LOOM_DTYPE_F32)
		seed = kept;
	for (i = 0; colon + i + 1 < count; i++)
		loom_array_set_element(&array, i, strtod(words[colon + i + 1], NULL));
	for (; i < array.size_bytes / sizeof(float) && dtype == DRM_LOOM_DTYPE_F32; i++)
		((float *)array.data)[i] = ((float)draw(2048) - 1024) / 1024;
	loom_graph_add_const(test->graph, &array);
	free(array.data);
}

/* NAME=3, NAME=0.5, NAME=text, or NAME=1,2 and NAME=1, for lists. */
static inline void case_attr(struct test_case *test, const char *name, char *value)
{
	int64_t numbers[8];
	uint32_t count = 0;
	char *number;

	if (strchr(value, ',')) {
		while ((number = strsep(&value, ",")))
			if (*number)
				numbers[count++] = strtoll(number, NULL, 10);
		attr_ints(test, name, count, numbers);
	} else if (*value >= 'a') {
		attr_string(test, name, value);
	} else if (strchr(value, '.')) {
		attr_float(test, name, strtof(value, NULL));
	} else {
		attr_int(test, name, strtoll(value, NULL, 10));
	}
}

static inline void case_node(struct test_case *test, char **words, uint32_t count, uint32_t equals)
{
	const char *inputs[16];
	struct loom_node_desc desc = {
		.name = words[equals + 1], .op_type = words[equals + 1], .inputs = inputs,
		.outputs = (const char *const *)words, .num_outputs = equals, .attrs = test->attrs,
	};
	uint32_t i;

	for (i = equals + 2; i < count; i++) {
		char *value = strchr(words[i], '=');

		if (value) {
			*value++ = '\0';
			case_attr(test, words[i], value);
		} else {
			inputs[desc.num_inputs++] = strcmp(words[i], "-") ? words[i] : "";
		}
	}
	desc.num_attrs = test->num_attrs;
	loom_graph_add_node(test->graph, &desc);
	test->num_attrs = 0;
}

/*
 * Statements with semicolons between them, of words with blanks between them:
 *
 *	x f32 2 5 9	an input
 *	w = f32 5 3	a constant
 *	s = i64 2 : 1 7	one whose elements are given
 *	y z = Op x - w axis=1	a node; "-" for an operand that is left out
 *	> y z		outputs
 */
static inline void case_add_list(struct test_case *test, const char *format, va_list args)
{
	char text[2048], *rest = text, *statement, *word, *words[64];
	uint32_t count, equals, i;

	if (vsnprintf(text, sizeof(text), format, args) >= (int)sizeof(text))
		tap_fatal("a long text");
	while ((statement = strsep(&rest, ";"))) {
		for (count = 0; (word = strsep(&statement, " ")) && count < 64;)
			if (*word)
				words[count++] = word;
		for (equals = 0; equals < count && strcmp(words[equals], "=");)
			equals++;
		if (!strcmp(words[0], ">"))
			for (i = 1; i < count; i++)
				loom_graph_add_output(test->graph, words[i]);
		else if (equals == count)
			case_tensor(test, words[0], words + 1, count - 1, false);
		else if (case_dtype(words[equals + 1]))
			case_tensor(test, words[0], words + 2, count - 2, true);
		else
			case_node(test, words, count, equals);
	}
}

static inline void case_add(struct test_case *test, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static inline void case_add(struct test_case *test, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	case_add_list(test, format, args);
	va_end(args);
}

/* An empty graph; the random numbers for it follow from @which. */
static inline void case_begin(struct test_case *test, uint64_t which, uint32_t opset)
{
	memset(test, 0, sizeof(*test));
	seed = which;
	if (loom_graph_create("test", opset, &test->graph))
		tap_fatal("no memory");
}

/* A graph of a text as case_add() reads it, not finished. */
static inline struct loom_graph *case_graph(uint32_t opset, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static inline struct loom_graph *case_graph(uint32_t opset, const char *format, ...)
{
	struct test_case test;
	va_list args;

	case_begin(&test, 1, opset);
	va_start(args, format);
	case_add_list(&test, format, args);
	va_end(args);
	while (test.num_inputs)
		free(test.inputs[--test.num_inputs].data);
	return test.graph;
}

static inline void case_finish(struct test_case *test)
{
	struct loom_error err;

	if (loom_graph_finish(test->graph, NULL, &err))
		tap_fatal("graph: %s", err.text);
}

static inline void free_case(struct test_case *test)
{
	uint32_t i;

	loom_graph_destroy(test->graph);
	for (i = 0; i < test->num_inputs; i++)
		free(test->inputs[i].data);
}

/* A graph of a text, finished. */
#define case_finished(...) ({						\
	struct test_case case_ = { .graph = case_graph(__VA_ARGS__) };	\
	case_finish(&case_);						\
	case_.graph;							\
})

/* A graph by @make, of numbers that follow from @which; ready to be planned. */
static inline void make_case_of(struct test_case *test, uint32_t which, uint32_t opset,
				void (*make)(struct test_case *test))
{
	case_begin(test, which, opset);
	make(test);
	case_finish(test);
}

/* A plan, which there must be. */
static inline struct loom_program *case_plan(const struct test_case *test,
					     const struct loom_planner_options *options)
{
	struct loom_program *program;
	struct loom_error err;

	if (loom_program_create(test->graph, options, &program, &err))
		tap_fatal("%s", err.text);
	return program;
}

/* No plan, with @code and an error that has @part in it. */
static inline void case_refused(const struct test_case *test,
				const struct loom_planner_options *options, int code,
				const char *part)
{
	struct loom_program *program = NULL;
	struct loom_error err = { .text = "" };
	int ret = loom_program_create(test->graph, options, &program, &err);

	tap_ok(ret == code && strstr(err.text, part), "refused: %s", err.text);
	loom_program_destroy(program);
}

#endif /* LOOM_TESTS_LOWER_CASE_H */
