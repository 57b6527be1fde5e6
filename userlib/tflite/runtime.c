// SPDX-License-Identifier: MIT
/*
 * DOC: The whole arena of TensorFlow Lite Micro
 *
 * The runtime keeps its structures at the end of the arena and allocates downwards, in this order:
 * its allocators, a structure per tensor and operator, options of all operators, data of all
 * kernels, then arrays of the kernels, handles of scratch buffers, variables, and the tensors of
 * inputs and outputs. The walk here is the same, so that padding is counted where it arises.
 * Scratch buffers are alive during one operator, and go to the lowest gap between the tensors.
 *
 * Sizes are those of a processor with pointers and enumerations of 4 bytes, compiled with
 * TF_LITE_STATIC_MEMORY. They and the formulas follow the files of these names in
 * github.com/tensorflow/tflite-micro, tensorflow/lite/micro/: micro_allocator, micro_interpreter,
 * micro_allocation_info, memory_planner/, arena_allocator/, kernels/, kernels/cmsis_nn/; and in
 * github.com/ARM-software/CMSIS-NN, Source/: arm_{convolve,depthwise_conv,avgpool,fully_connected}_
 * get_buffer_sizes_s8.c for processors with DSP instructions. The larger size counts where versions
 * or compilers differ. A kernel without a line in the table, or with types that its function does
 * not know, is unknown.
 */
#include "memory.h"

#include "base/error.h"
#include "loom_core.h"

#include <errno.h>
#include <string.h>

/* in bytes */
#define SIZE_ALLOCATORS		(36 + 44 + 36 + 8)
#define SIZE_SUBGRAPH		8
#define SIZE_EVAL_TENSOR	12
#define SIZE_NODE		32
#define SIZE_TENSOR		40
#define SIZE_QUANTIZATION	12
#define SIZE_POINTER		4
/* while it plans: a request of a scratch buffer, a lifetime, an entry of the planner */
#define SIZE_REQUEST		12
#define SIZE_LIFETIME		24
#define SIZE_PLANNED		40
#define FREE_REQUESTS		12

#define TYPE_INT4		17

enum library { REFERENCE, CMSIS_NN, LIBRARIES };

static const char *const library_names[] = { "reference", "cmsis-nn" };

/* A kernel's demand beside its data: two arrays of @array_bytes, a scratch buffer. */
struct demand {
	uint64_t array_bytes;
	uint64_t scratch_bytes;
};

static const struct loom_tflite_tensor *input_of(const struct loom_tflite_model *model,
						 const struct loom_tflite_operator *op,
						 uint32_t index)
{
	return index < op->num_inputs && op->inputs[index] >= 0 ?
	       &model->tensors[op->inputs[index]] : NULL;
}

/* Its product times @elem_bytes into @bytes; false if that is no size. */
static bool product(const int64_t *dims, uint32_t count, uint64_t elem_bytes, uint64_t *bytes)
{
	uint32_t i;

	*bytes = elem_bytes;
	for (i = 0; i < count; i++)
		if (dims[i] < 0 || __builtin_mul_overflow(*bytes, (uint64_t)dims[i], bytes))
			return false;
	return *bytes <= UINT32_MAX;
}

/* A filter of four bits is unpacked, by the reference kernels. */
static bool unpacked(const struct loom_tflite_tensor *filter, struct demand *demand)
{
	return filter->type != TYPE_INT4 ||
	       product(filter->dims, filter->rank, 1, &demand->scratch_bytes);
}

static bool ask_conv(const struct loom_tflite_model *model, const struct loom_tflite_operator *op,
		     enum library library, struct demand *demand)
{
	const struct loom_tflite_tensor *in = input_of(model, op, 0);
	const struct loom_tflite_tensor *filter = input_of(model, op, 1);
	const bool depthwise = op->code == LOOM_TFLITE_DEPTHWISE_CONV_2D;
	const uint32_t dilation = depthwise ? 5 : 4;
	const struct loom_flat_table *options = &op->options;
	bool dilated, wide;

	if (!in || !filter || in->rank != 4 || filter->rank != 4)
		return false;
	if (library == CMSIS_NN && in->type == LOOM_TFLITE_FLOAT32)
		return true;
	if (!product(&filter->dims[depthwise ? 3 : 0], 1, 4, &demand->array_bytes))
		return false;
	if (library == REFERENCE)
		return unpacked(filter, demand);
	if (in->type != LOOM_TFLITE_INT8 || filter->type != LOOM_TFLITE_INT8)
		return false;
	dilated = loom_flat_number(options, dilation, 4, 1) != 1 ||
		  loom_flat_number(options, dilation + 1, 4, 1) != 1;
	wide = filter->dims[1] != 1 || filter->dims[2] != 1 || dilated ||
	       loom_flat_number(options, 1, 4, 0) != 1 || loom_flat_number(options, 2, 4, 0) != 1;
	if (depthwise) {
		/* padding of three by three is at most one */
		if (in->dims[3] != filter->dims[3] || in->dims[0] != 1 || dilated ||
		    (filter->dims[1] == 3 && filter->dims[2] == 3))
			return true;
		return product(&filter->dims[1], 3, 2, &demand->scratch_bytes);
	}
	if (!wide)
		return product(&in->dims[3], 1, 4, &demand->scratch_bytes);
	if (in->dims[3] < 0 || in->dims[3] > INT32_MAX ||
	    !product(&filter->dims[1], 2, (uint64_t)in->dims[3], &demand->scratch_bytes))
		return false;
	demand->scratch_bytes = (demand->scratch_bytes + 3) / 4 * 16;
	return true;
}

static bool ask_dense(const struct loom_tflite_model *model, const struct loom_tflite_operator *op,
		      enum library library, struct demand *demand)
{
	const struct loom_tflite_tensor *in = input_of(model, op, 0);
	const struct loom_tflite_tensor *filter = input_of(model, op, 1);
	const struct loom_tflite_tensor *out;

	if (!in || !filter || !filter->rank || !op->num_outputs)
		return false;
	out = &model->tensors[op->outputs[0]];
	if (in->type == LOOM_TFLITE_FLOAT32)
		return true;
	if (filter->scales.count > 1)
		demand->array_bytes = 4ULL * filter->scales.count;
	if (library == REFERENCE)
		return unpacked(filter, demand);
	if (in->type != LOOM_TFLITE_INT8 || filter->type != LOOM_TFLITE_INT8)
		return false;
	if (out->rank <= 2 || filter->dims[filter->rank - 1] % 4)
		return true;
	/* runs as a convolution, with arrays that are not shared with those per channel */
	if (demand->array_bytes)
		return false;
	return product(&out->dims[out->rank - 1], 1, 4, &demand->array_bytes) &&
	       product(&filter->dims[filter->rank - 1], 1, 4, &demand->scratch_bytes);
}

static bool ask_pool(const struct loom_tflite_model *model, const struct loom_tflite_operator *op,
		     enum library library, struct demand *demand)
{
	const struct loom_tflite_tensor *in = input_of(model, op, 0);

	if (!in || in->rank != 4)
		return false;
	if (library == REFERENCE || in->type == LOOM_TFLITE_FLOAT32)
		return true;
	if (in->type != LOOM_TFLITE_INT8)
		return false;
	return op->code != LOOM_TFLITE_AVERAGE_POOL_2D ||
	       product(&in->dims[3], 1, 4, &demand->scratch_bytes);
}

static bool ask_softmax(const struct loom_tflite_model *model,
			const struct loom_tflite_operator *op, enum library library,
			struct demand *demand)
{
	const struct loom_tflite_tensor *in = input_of(model, op, 0);

	/* two tables of 513 results */
	if (in && in->type == LOOM_TFLITE_INT16)
		demand->array_bytes = 2 * 513;
	return in && (library == REFERENCE || in->type != LOOM_TFLITE_INT16);
}

/* Bytes of the options of an operator, and of the data of its kernel; @ask: the rest. */
static const struct kernel {
	uint32_t code;
	uint32_t options_bytes;
	uint32_t data_bytes[LIBRARIES];
	bool (*ask)(const struct loom_tflite_model *model, const struct loom_tflite_operator *op,
		    enum library library, struct demand *demand);
} kernels[] = {
	{ LOOM_TFLITE_ADD, 8, { 60, 60 }, NULL },
	{ LOOM_TFLITE_AVERAGE_POOL_2D, 40, { 32, 36 }, ask_pool },
	{ LOOM_TFLITE_CONV_2D, 28, { 56, 60 }, ask_conv },
	{ LOOM_TFLITE_DEPTHWISE_CONV_2D, 28, { 56, 60 }, ask_conv },
	{ LOOM_TFLITE_FULLY_CONNECTED, 16, { 48, 76 }, ask_dense },
	{ LOOM_TFLITE_MAX_POOL_2D, 40, { 32, 36 }, ask_pool },
	{ LOOM_TFLITE_RESHAPE, 36, { 0, 0 }, NULL },
	{ LOOM_TFLITE_SOFTMAX, 4, { 56, 64 }, ask_softmax },
	{ LOOM_TFLITE_QUANTIZE, 0, { 32, 32 }, NULL },
};

/* The kernel's line and demand; NULL if unknown. */
static const struct kernel *find_kernel(const struct loom_tflite_model *model,
					const struct loom_tflite_operator *op,
					enum library library, struct demand *demand)
{
	size_t i;

	*demand = (struct demand){ 0 };
	for (i = 0; i < ARRAY_SIZE(kernels); i++) {
		if (kernels[i].code != op->code || op->custom)
			continue;
		if (!kernels[i].ask || kernels[i].ask(model, op, library, demand))
			return &kernels[i];
		*demand = (struct demand){ 0 };
		return NULL;
	}
	return NULL;
}

static void take(uint64_t *tail, uint64_t bytes, uint64_t align)
{
	*tail = (*tail + bytes + align - 1) / align * align;
}

/* The lowest offset of @bytes beside the tensors that are alive at @moment. */
static uint64_t find_gap(const struct loom_place_problem *problem, const uint64_t *offsets,
			 int64_t moment, uint64_t bytes)
{
	uint64_t at = 0;
	bool moved;
	uint32_t i;

	do {
		for (i = 0, moved = false; i < problem->num_items; i++) {
			const struct loom_place_item *item = &problem->items[i];

			if (item->lower > moment || item->upper <= moment ||
			    offsets[i] >= at + bytes || offsets[i] + item->size_bytes <= at)
				continue;
			at = offsets[i] + item->size_bytes;
			moved = true;
		}
	} while (moved);
	return at;
}

/* Operators in their order: options, then data, then arrays and scratch buffers. */
static uint32_t walk_kernels(const struct loom_tflite_arena *arena, const uint64_t *offsets,
			     enum library library, uint64_t *tail,
			     struct loom_tflite_runtime *runtime)
{
	const struct loom_tflite_model *model = &arena->model;
	uint32_t pass, i, num_scratch = 0;

	for (pass = 0; pass < 3; pass++) {
		for (i = 0; i < model->num_operators; i++) {
			const struct loom_tflite_operator *op = &model->operators[arena->order[i]];
			struct demand demand;
			const struct kernel *kernel = find_kernel(model, op, library, &demand);
			uint64_t bytes = (demand.scratch_bytes + LOOM_TFLITE_ALIGN - 1) &
					 -(uint64_t)LOOM_TFLITE_ALIGN;
			uint64_t top;

			if (!kernel && !pass && !runtime->num_unknown++)
				runtime->unknown = loom_tflite_op_name(op);
			if (kernel && !pass)
				take(tail, kernel->options_bytes, 4);
			if (kernel && pass == 1 && kernel->data_bytes[library])
				take(tail, kernel->data_bytes[library], LOOM_TFLITE_ALIGN);
			if (pass != 2)
				continue;
			if (demand.array_bytes) {
				take(tail, demand.array_bytes, LOOM_TFLITE_ALIGN);
				take(tail, demand.array_bytes, LOOM_TFLITE_ALIGN);
			}
			if (!bytes)
				continue;
			num_scratch++;
			if (demand.scratch_bytes > runtime->scratch_bytes)
				runtime->scratch_bytes = demand.scratch_bytes;
			top = find_gap(&arena->view.problem, offsets, i + 1, bytes) + bytes;
			if (top > runtime->head_bytes)
				runtime->head_bytes = top;
		}
	}
	return num_scratch;
}

static void take_ends(const struct loom_tflite_model *model, const int32_t *ends, uint32_t count,
		      uint64_t *tail)
{
	uint32_t i;

	take(tail, (uint64_t)SIZE_POINTER * count, LOOM_TFLITE_ALIGN);
	for (i = 0; i < count; i++) {
		const struct loom_tflite_tensor *tensor = &model->tensors[ends[i]];

		take(tail, SIZE_TENSOR, 4);
		if (tensor->scales.count && tensor->zeros.count)
			take(tail, SIZE_QUANTIZATION + 4 + 4ULL * tensor->scales.count, 4);
	}
}

int loom_tflite_memory_runtime(const struct loom_tflite_memory *memory, const uint64_t *offsets,
			       const char *library, struct loom_tflite_runtime *runtime,
			       struct loom_error *err)
{
	const struct loom_tflite_arena *arena = loom_tflite_arena_of(memory);
	const struct loom_tflite_model *model = &arena->model;
	const struct loom_place_problem *problem = &memory->problem;
	uint64_t tail = 0, planned;
	uint32_t which, i, num_scratch;

	*runtime = (struct loom_tflite_runtime){ 0 };
	for (which = 0; which < LIBRARIES; which++)
		if (!strcmp(library, library_names[which]))
			break;
	if (which == LIBRARIES)
		return loom_error_set(err, -ENOENT,
				      "no kernel library '%.50s': there are reference and cmsis-nn",
				      library);
	for (i = 0; i < problem->num_items; i++)
		if (offsets[i] + problem->items[i].size_bytes > runtime->head_bytes)
			runtime->head_bytes = offsets[i] + problem->items[i].size_bytes;
	take(&tail, SIZE_ALLOCATORS + SIZE_SUBGRAPH, 4);
	take(&tail, (uint64_t)SIZE_EVAL_TENSOR * model->num_tensors, 4);
	take(&tail, (uint64_t)SIZE_NODE * model->num_operators, 4);
	num_scratch = walk_kernels(arena, offsets, which, &tail, runtime);
	take(&tail, (uint64_t)SIZE_POINTER * num_scratch, 4);
	for (i = 0; i < model->num_tensors; i++)
		if (model->tensors[i].is_variable)
			take(&tail, model->tensors[i].size_bytes, LOOM_TFLITE_ALIGN);
	planned = tail;
	take_ends(model, model->inputs, model->num_inputs, &tail);
	take_ends(model, model->outputs, model->num_outputs, &tail);
	runtime->persistent_bytes = tail;
	runtime->start_bytes = (uint64_t)SIZE_REQUEST * (num_scratch + FREE_REQUESTS) +
			       SIZE_POINTER +
			       (uint64_t)SIZE_LIFETIME * (model->num_tensors + num_scratch) +
			       (uint64_t)SIZE_PLANNED * (problem->num_items + num_scratch);
	runtime->arena_bytes = tail + runtime->head_bytes;
	if (planned + runtime->start_bytes > runtime->arena_bytes)
		runtime->arena_bytes = planned + runtime->start_bytes;
	take(&runtime->arena_bytes, 0, LOOM_TFLITE_ALIGN);
	return 0;
}
