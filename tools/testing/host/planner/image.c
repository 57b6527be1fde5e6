// SPDX-License-Identifier: MIT
/*
 * Programs whose values live in images. By hand: rows and columns of a shape, and which values of a
 * small graph share which image. At random: chains of operators of all kinds, with each value in
 * an image or not, in groups or not, by bytes and by time, which must give the same bits as
 * without images, and count what was promised.
 */
#include <errno.h>

#include "lower/image_pool.h"
#include "loom_planner.h"
#include "loom_run.h"
#include "loom_chip.h"
#include "host/lower/case.h"

/* --- by hand */

static void test_flatten(void)
{
	static const struct {
		enum loom_scope scope;
		uint32_t rank;
		int64_t dims[5];
		uint64_t height, width, channels;
	} cases[] = {
		/* NCHW4c, as TVM's texture tests have it: rows N * C * H */
		{ LOOM_SCOPE_TEXTURE, 5, { 1, 8, 6, 7, 4 }, 48, 7, 4 },
		{ LOOM_SCOPE_TEXTURE, 4, { 2, 3, 5, 7 }, 6, 5, 7 },
		{ LOOM_SCOPE_TEXTURE, 3, { 3, 5, 7 }, 3, 5, 7 },
		{ LOOM_SCOPE_TEXTURE, 2, { 5, 7 }, 1, 5, 7 },
		{ LOOM_SCOPE_TEXTURE, 1, { 7 }, 1, 1, 7 },
		{ LOOM_SCOPE_TEXTURE, 0, { 0 }, 1, 1, 1 },
		/* OIHW4o: rows O, columns I * H * W */
		{ LOOM_SCOPE_TEXTURE_WEIGHT, 5, { 8, 3, 5, 7, 4 }, 8, 105, 4 },
		{ LOOM_SCOPE_TEXTURE_WEIGHT, 4, { 8, 3, 5, 7 }, 8, 15, 7 },
		/* NHWC: rows N * H; without N rows H */
		{ LOOM_SCOPE_TEXTURE_NHWC, 5, { 2, 3, 5, 7, 4 }, 6, 35, 4 },
		{ LOOM_SCOPE_TEXTURE_NHWC, 4, { 2, 3, 5, 7 }, 6, 5, 7 },
		{ LOOM_SCOPE_TEXTURE_NHWC, 3, { 3, 5, 7 }, 3, 5, 7 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct loom_value value = { .dtype = DRM_LOOM_DTYPE_F32, .rank = cases[i].rank };
		struct loom_image_shape shape;

		memcpy(value.dims, cases[i].dims, sizeof(cases[i].dims));
		shape = loom_image_flatten(&value, cases[i].scope);
		tap_ok(shape.height == cases[i].height && shape.width == cases[i].width &&
		       shape.channels == cases[i].channels,
		       "shape %u: %llu rows of %llu times %llu", i,
		       (unsigned long long)shape.height, (unsigned long long)shape.width,
		       (unsigned long long)shape.channels);
	}
}

static const struct loom_program_slot *image_slot(const struct loom_program *program,
						  uint32_t index)
{
	uint32_t i;

	for (i = 0; i < program->num_slots; i++)
		if (program->slots[i].kind == LOOM_SLOT_KIND_IMAGE && !index--)
			return &program->slots[i];
	return NULL;
}

/*
 * a [1,2,3,5], b the same, c [1,4,3,2], d the same: a is dead when c is made, and 2 rows of 15
 * become 4 of 15, which adds 30 elements where the image needs 24: a new one. b and d likewise.
 */
static void test_pools(void)
{
	struct loom_planner_options how = {
		.grouping = "layerwise", .chip = loom_preset_find("tiny"),
	};
	const struct loom_program_slot *slot;
	struct test_case test = { .num_inputs = 0 };
	struct loom_program *program;
	struct loom_error err;

	if (loom_graph_create("test", 14, &test.graph))
		tap_fatal("no memory");
	input(&test, "x", DRM_LOOM_DTYPE_F32, 4, (int64_t[]){ 1, 2, 3, 5 });
	node(&test, "Neg", "x", "a");
	node(&test, "Exp", "a", "b");
	node(&test, "Sigmoid", "b", "c");
	node(&test, "Neg", "c", "y");
	loom_graph_add_output(test.graph, "y");
	if (loom_graph_finish(test.graph, NULL, &err))
		tap_fatal("%s", err.text);
	tap_ok(loom_graph_set_scope(test.graph, "nobody", LOOM_SCOPE_TEXTURE) == -ENOENT,
	       "a value that there is not is ENOENT");
	tap_ok(loom_graph_set_scope(test.graph, "a", LOOM_SCOPE_TEXTURE_NHWC + 1) == -EINVAL,
	       "a scope that there is not is EINVAL");
	tap_ok(!loom_graph_set_scope(test.graph, NULL, LOOM_SCOPE_TEXTURE), "all are textures");
	if (loom_program_create(test.graph, &how, &program, &err))
		tap_fatal("%s", err.text);
	tap_ok(program->stats.images == 3 && program->stats.image_pools == 2,
	       "a, b and c take turns in two images");
	slot = image_slot(program, 0);
	tap_ok(slot && slot->width == 15 && slot->height == 2 && slot->pitch_bytes == 64 &&
	       slot->dtype == DRM_LOOM_DTYPE_F32 && slot->size_bytes == 128 &&
	       slot->num_values == 2 && slot->flags == DRM_LOOM_SLOT_WRITE,
	       "which are 2 rows of 15, at 64 bytes");
	tap_ok(program->stats.image_bytes == 256 && program->stats.image_value_bytes == 360 &&
	       !program->stats.neurons, "and take 256 bytes for 360");
	loom_program_destroy(program);

	if (loom_graph_set_scope(test.graph, "b", LOOM_SCOPE_GLOBAL) ||
	    loom_graph_set_scope(test.graph, "y", LOOM_SCOPE_TEXTURE) ||
	    loom_program_create(test.graph, &how, &program, &err))
		tap_fatal("%s", err.text);
	tap_ok(program->stats.images == 2 && program->stats.image_pools == 1 &&
	       program->stats.neurons == 1 && image_slot(program, 0) && !image_slot(program, 1),
	       "one of them in the arena: one image. The output stays as it is");
	loom_program_destroy(program);
	how.grouping = "layergroup";
	if (loom_program_create(test.graph, &how, &program, &err))
		tap_fatal("%s", err.text);
	tap_ok(!program->stats.images && !program->stats.image_pools && program->num_groups == 1,
	       "in one group they stay in the SRAM: no image");
	loom_program_destroy(program);
	loom_graph_destroy(test.graph);
	free(test.inputs[0].data);
}

/* Every seventh of 13 columns: rows at a provisional pitch of 14 would be one axis with them. */
static void test_steps(void)
{
	struct loom_planner_options how = {
		.grouping = "layerwise", .chip = loom_preset_find("tiny"),
	};
	struct test_case test = { .num_inputs = 0 };
	struct loom_program *program = NULL;
	struct loom_error err = { .text = "" };
	bool good;

	if (loom_graph_create("steps", 14, &test.graph))
		tap_fatal("no memory");
	input(&test, "x", DRM_LOOM_DTYPE_F32, 4, (int64_t[]){ 1, 6, 1, 13 });
	node(&test, "Neg", "x", "a");
	ints(&test, "start", 1, (int64_t[]){ 0 });
	ints(&test, "end", 1, (int64_t[]){ 13 });
	ints(&test, "axis", 1, (int64_t[]){ 3 });
	ints(&test, "step", 1, (int64_t[]){ 7 });
	node(&test, "Slice", "a start end axis step", "b");
	ints(&test, "flat", 1, (int64_t[]){ 12 });
	node(&test, "Reshape", "b flat", "c");
	node(&test, "Neg", "c", "y");
	loom_graph_add_output(test.graph, "y");
	if (loom_graph_finish(test.graph, NULL, &err) ||
	    loom_graph_set_scope(test.graph, "a", LOOM_SCOPE_TEXTURE))
		tap_fatal("%s", err.text);
	good = !loom_program_create(test.graph, &how, &program, &err);
	tap_ok(good, "steps over the end of a row are no rows%s%s", good ? "" : ": ", err.text);
	loom_program_destroy(program);
	loom_graph_destroy(test.graph);
	free(test.inputs[0].data);
}

/* More values alive at once than a plan has slots. */
static void test_many(void)
{
	struct loom_planner_options how = {
		.grouping = "layerwise", .chip = loom_preset_find("tiny"),
	};
	struct test_case test = { .num_inputs = 0 };
	struct loom_program *program;
	char a[16], b[16], sum[16];
	struct loom_error err;
	uint32_t i;

	if (loom_graph_create("many", 14, &test.graph))
		tap_fatal("no memory");
	input(&test, "x", DRM_LOOM_DTYPE_F32, 2, (int64_t[]){ 2, 3 });
	for (i = 0; i < 80; i++) {
		snprintf(a, sizeof(a), "a%u", i);
		node(&test, i % 2 ? "Neg" : "Exp", i ? b : "x", a);
		snprintf(b, sizeof(b), "a%u", i);
	}
	for (i = 80; i-- > 1;) {
		char operands[40];

		snprintf(operands, sizeof(operands), "a%u %s", i - 1, i == 79 ? "a79" : sum);
		snprintf(sum, sizeof(sum), "s%u", i);
		node(&test, "Add", operands, sum);
	}
	loom_graph_add_output(test.graph, sum);
	if (loom_graph_finish(test.graph, NULL, &err) ||
	    loom_graph_set_scope(test.graph, NULL, LOOM_SCOPE_TEXTURE))
		tap_fatal("%s", err.text);
	tap_ok(loom_program_create(test.graph, &how, &program, &err) == -E2BIG &&
	       strstr(err.text, "images"), "too many images: %s", err.text);
	loom_graph_destroy(test.graph);
	free(test.inputs[0].data);
}

/* --- at random */

#define MAX_VALUES	24

/**
 * struct chain - a random graph
 * @test: the graph
 * @rank: by value
 * @dims: by value
 * @count: number of values
 * @name: by value
 * @consts: constants so far
 */
struct chain {
	struct test_case test;
	uint32_t rank[MAX_VALUES];
	int64_t dims[MAX_VALUES][4];
	uint32_t count;
	char name[MAX_VALUES][8];
	uint32_t consts;
};

static const char *float_const(struct chain *c, uint32_t rank, const int64_t *dims, char *name)
{
	struct loom_array array;

	sprintf(name, "k%u", c->consts++);
	array = make_array(name, DRM_LOOM_DTYPE_F32, rank, dims);
	loom_graph_add_const(c->test.graph, &array);
	free(array.data);
	return name;
}

static const char *int_const(struct chain *c, uint32_t count, const int64_t *numbers, char *name)
{
	sprintf(name, "k%u", c->consts++);
	ints(&c->test, name, count, numbers);
	return name;
}

static void add(struct chain *c, const char *op, const char *operands, uint32_t rank,
		const int64_t *dims)
{
	uint32_t at = c->count++;

	sprintf(c->name[at], "v%u", at);
	node(&c->test, op, operands, c->name[at]);
	c->rank[at] = rank;
	memcpy(c->dims[at], dims, rank * sizeof(*dims));
}

/* Another value with the dims of value @of, maybe itself. */
static uint32_t alike(const struct chain *c, uint32_t of)
{
	uint32_t i = draw(c->count), n;

	for (n = 0; n < c->count; n++, i = (i + 1) % c->count)
		if (c->rank[i] == c->rank[of] &&
		    !memcmp(c->dims[i], c->dims[of], c->rank[of] * sizeof(int64_t)))
			return i;
	return of;
}

static void add_conv(struct chain *c, uint32_t x)
{
	int64_t *in = c->dims[x], groups = draw(3) ? 1 : in[1];
	int64_t k = draw(2) ? 3 : 1, out = groups * range(1, 4), stride = range(1, 2);
	int64_t pad = k / 2, dims[4] = { in[0], out, (in[2] - 1) / stride + 1,
					 (in[3] - 1) / stride + 1 };
	char operands[40], w[8], b[8];

	attr_ints(&c->test, "pads", 4, (int64_t[]){ pad, pad, pad, pad });
	attr_ints(&c->test, "strides", 2, (int64_t[]){ stride, stride });
	attr_int(&c->test, "group", groups);
	snprintf(operands, sizeof(operands), "%s %s %s", c->name[x],
		 float_const(c, 4, (int64_t[]){ out, in[1] / groups, k, k }, w),
		 float_const(c, 1, &out, b));
	add(c, "Conv", operands, 4, dims);
}

static void add_pool(struct chain *c, uint32_t x)
{
	int64_t *in = c->dims[x], stride = range(1, 2);
	int64_t dims[4] = { in[0], in[1], (in[2] - 1) / stride + 1, (in[3] - 1) / stride + 1 };

	attr_ints(&c->test, "kernel_shape", 2, (int64_t[]){ 3, 3 });
	attr_ints(&c->test, "pads", 4, (int64_t[]){ 1, 1, 1, 1 });
	attr_ints(&c->test, "strides", 2, (int64_t[]){ stride, stride });
	add(c, draw(2) ? "MaxPool" : "AveragePool", c->name[x], 4, dims);
}

static void add_transpose(struct chain *c, uint32_t x)
{
	int64_t perm[4] = { 0, 1, 2, 3 }, dims[4], swap;
	uint32_t rank = c->rank[x], i, k;

	for (i = rank; i-- > 1;) {
		k = draw(i + 1);
		swap = perm[i];
		perm[i] = perm[k];
		perm[k] = swap;
	}
	for (i = 0; i < rank; i++)
		dims[i] = c->dims[x][perm[i]];
	attr_ints(&c->test, "perm", rank, perm);
	add(c, "Transpose", c->name[x], rank, dims);
}

static void add_reshape(struct chain *c, uint32_t x)
{
	int64_t *in = c->dims[x], total = 1, dims[4];
	char operands[24], k[8];
	uint32_t rank, i;

	for (i = 0; i < c->rank[x]; i++)
		total *= in[i];
	/* some views of it, some not */
	for (rank = 1 + draw(4), i = 0; i + 1 < rank; i++) {
		dims[i] = draw(2) && c->rank[x] > i ? in[i] : range(1, 6);
		while (total % dims[i])
			dims[i]--;
		total /= dims[i];
	}
	dims[rank - 1] = total;
	snprintf(operands, sizeof(operands), "%s %s", c->name[x], int_const(c, rank, dims, k));
	add(c, "Reshape", operands, rank, dims);
}

static void add_slice(struct chain *c, uint32_t x)
{
	int64_t axis = draw(c->rank[x]), dims[4], start, end, step;
	char operands[64], k[4][8];

	memcpy(dims, c->dims[x], sizeof(dims));
	start = draw(dims[axis]);
	end = range(start + 1, dims[axis]);
	step = range(1, 2);
	dims[axis] = (end - start + step - 1) / step;
	if (draw(4) == 0) {
		/* the whole axis, reversed */
		start = -1;
		end = -100000;
		step = -1;
		dims[axis] = c->dims[x][axis];
	}
	snprintf(operands, sizeof(operands), "%s %s %s %s %s", c->name[x],
		 int_const(c, 1, &start, k[0]), int_const(c, 1, &end, k[1]),
		 int_const(c, 1, &axis, k[2]), int_const(c, 1, &step, k[3]));
	add(c, "Slice", operands, c->rank[x], dims);
}

static void add_concat(struct chain *c, uint32_t x)
{
	uint32_t axis = draw(c->rank[x]);
	char operands[24];
	int64_t dims[4];

	memcpy(dims, c->dims[x], sizeof(dims));
	dims[axis] *= 2;
	snprintf(operands, sizeof(operands), "%s %s", c->name[x], c->name[alike(c, x)]);
	attr_int(&c->test, "axis", axis);
	add(c, "Concat", operands, c->rank[x], dims);
}

static void add_pad(struct chain *c, uint32_t x)
{
	int64_t pads[8], dims[4];
	uint32_t rank = c->rank[x], i;
	char operands[24], k[8];

	for (i = 0; i < rank; i++) {
		pads[i] = draw(2);
		pads[rank + i] = draw(2);
		dims[i] = c->dims[x][i] + pads[i] + pads[rank + i];
	}
	snprintf(operands, sizeof(operands), "%s %s", c->name[x],
		 int_const(c, 2 * rank, pads, k));
	add(c, "Pad", operands, rank, dims);
}

static void add_reduce(struct chain *c, uint32_t x)
{
	int64_t axis = draw(c->rank[x]), dims[4];
	bool keep = draw(2) || c->rank[x] == 1;
	uint32_t rank = 0, i;

	for (i = 0; i < c->rank[x]; i++)
		if (i != axis)
			dims[rank++] = c->dims[x][i];
		else if (keep)
			dims[rank++] = 1;
	attr_ints(&c->test, "axes", 1, &axis);
	attr_int(&c->test, "keepdims", keep);
	add(c, draw(2) ? "ReduceMean" : "ReduceMax", c->name[x], rank, dims);
}

static void add_matmul(struct chain *c, uint32_t x)
{
	uint32_t rank = c->rank[x];
	char operands[24], k[8];
	int64_t dims[4], w[2];

	memcpy(dims, c->dims[x], sizeof(dims));
	w[0] = dims[rank - 1];
	w[1] = range(1, 9);
	dims[rank - 1] = w[1];
	snprintf(operands, sizeof(operands), "%s %s", c->name[x], float_const(c, 2, w, k));
	add(c, "MatMul", operands, rank, dims);
}

static void add_plain(struct chain *c, uint32_t x)
{
	static const char *const ops[] = { "Relu", "Sigmoid", "Neg", "Tanh" };
	char operands[24];

	if (draw(2)) {
		add(c, ops[draw(4)], c->name[x], c->rank[x], c->dims[x]);
		return;
	}
	snprintf(operands, sizeof(operands), "%s %s", c->name[x], c->name[alike(c, x)]);
	add(c, draw(2) ? "Add" : "Mul", operands, c->rank[x], c->dims[x]);
}

static int64_t elements(const struct chain *c, uint32_t x)
{
	int64_t n = 1;
	uint32_t i;

	for (i = 0; i < c->rank[x]; i++)
		n *= c->dims[x][i];
	return n;
}

static void add_any(struct chain *c)
{
	/* the last one mostly, so that the chain is long */
	uint32_t x = draw(3) ? c->count - 1 : draw(c->count);

	if (c->rank[x] == 4 && draw(2)) {
		(draw(3) ? add_conv : add_pool)(c, x);
		return;
	}
	switch (draw(10)) {
	case 0:
		add_transpose(c, x);
		break;
	case 1:
	case 2:
		add_reshape(c, x);
		break;
	case 3:
		add_slice(c, x);
		break;
	case 4:
		if (elements(c, x) < 4000)
			add_concat(c, x);
		break;
	case 5:
		if (elements(c, x) < 4000)
			add_pad(c, x);
		break;
	case 6:
		add_reduce(c, x);
		break;
	case 7:
		attr_int(&c->test, "axis", draw(c->rank[x]));
		add(c, "Softmax", c->name[x], c->rank[x], c->dims[x]);
		break;
	case 8:
		if (c->rank[x] > 1)
			add_matmul(c, x);
		break;
	default:
		add_plain(c, x);
	}
	if (!c->rank[c->count - 1])
		c->count--;
}

static void make_chain(struct chain *c)
{
	int64_t dims[4] = { range(1, 2), range(1, 5), range(1, 12), range(1, 16) };

	memset(c, 0, sizeof(*c));
	if (loom_graph_create("chain", 12, &c->test.graph))
		tap_fatal("no memory");
	input(&c->test, "x", DRM_LOOM_DTYPE_F32, 4, dims);
	snprintf(c->name[0], sizeof(c->name[0]), "x");
	c->rank[0] = 4;
	memcpy(c->dims[0], dims, sizeof(dims));
	c->count = 1;
	while (c->count < MAX_VALUES / 2)
		add_any(c);
	loom_graph_add_output(c->test.graph, c->name[c->count - 1]);
	loom_graph_add_output(c->test.graph, c->name[c->count - 2]);
}

static unsigned int num_images, num_pools, num_direct, num_sliced, num_grouped,
	num_skipped;

/* Plans and runs; the engine must count what the plan promised. */
static int run(struct chain *c, const struct loom_planner_options *how, struct loom_array *y,
	       struct loom_error *err)
{
	struct drm_loom_counters counters;
	struct loom_session *session = NULL;
	struct loom_program *program;
	struct loom_target *target;
	int ret;

	ret = loom_program_create(c->test.graph, how, &program, err);
	if (ret)
		return ret;
	num_images += program->stats.images;
	num_pools += program->stats.image_pools;
	num_sliced += program->stats.sliced_nodes && program->stats.images;
	num_grouped += how->grouping && program->num_groups < program->num_nodes &&
		       program->stats.images;
	ret = loom_target_open("host", how->chip, &target, err);
	if (!ret)
		ret = loom_session_create(target, program, &session, err);
	if (!ret && program->num_inputs)
		ret = loom_session_set_input(session, 0, &c->test.inputs[0], err);
	if (!ret)
		ret = loom_session_run(session, NULL, NULL, err);
	if (!ret)
		ret = loom_session_get_output(session, 0, &y[0], NULL);
	if (!ret)
		ret = loom_session_get_output(session, 1, &y[1], NULL);
	if (!ret) {
		loom_session_counters(session, &counters);
		/* more was read from DRAM than DMA brought to SRAM: a command read an image */
		num_direct += counters.dram_read_bytes > counters.sram_write_bytes &&
			      program->stats.images;
		if (counters.dram_read_bytes != program->stats.dram_read_bytes ||
		    counters.dram_write_bytes != program->stats.dram_write_bytes ||
		    counters.sram_read_bytes != program->stats.sram_read_bytes ||
		    counters.sram_write_bytes != program->stats.sram_write_bytes ||
		    counters.steps != program->stats.steps) {
			snprintf(err->text, sizeof(err->text), "it counts other than promised");
			ret = -EIO;
		}
	}
	loom_session_destroy(session);
	loom_target_close(target);
	loom_program_destroy(program);
	return ret;
}

static bool same(const struct loom_array *a, const struct loom_array *b)
{
	return a->size_bytes == b->size_bytes && !memcmp(a->data, b->data, a->size_bytes);
}

static bool try_scopes(struct chain *c, struct loom_planner_options how,
		       const struct loom_array *want, struct loom_error *err)
{
	static const char *const groupings[] = {
		"layerwise", "layerwise", "layerwise", "layergroup", "layergroup-text",
		"layergroup-dp",
	};
	struct loom_array y[2] = { 0 };
	uint32_t round, i;
	bool good = true;
	int ret;

	for (round = 0; round < 4 && good; round++) {
		/* all of one kind, then at random */
		loom_graph_set_scope(c->test.graph, NULL, (round + 1) % 4);
		for (i = 0; i < c->count && round == 3; i++)
			loom_graph_set_scope(c->test.graph, c->name[i], draw(4));
		how.flags = draw(3) ? 0 : LOOM_PLANNER_LOAD_IMAGES;
		how.flags |= draw(3) ? 0 : LOOM_PLANNER_NO_OVERLAP;
		how.flags |= draw(3) ? 0 : LOOM_PLANNER_GIVEN_ORDER;
		how.objective = draw(2) ? LOOM_OBJECTIVE_TIME : LOOM_OBJECTIVE_BYTES;
		how.grouping = groupings[draw(ARRAY_SIZE(groupings))];
		memset(y, 0, sizeof(y));
		snprintf(err->text, sizeof(err->text), "other bits");
		ret = run(c, &how, y, err);
		good = ret == -ENOSPC || (!ret && same(&y[0], &want[0]) && same(&y[1], &want[1]));
		if (!ret && !good)
			snprintf(err->text, sizeof(err->text), "other bits, scopes %u", round);
		loom_array_clear(&y[0]);
		loom_array_clear(&y[1]);
	}
	loom_graph_set_scope(c->test.graph, NULL, LOOM_SCOPE_GLOBAL);
	return good;
}

/*
 * A device with too little room cuts rows of convolutions short, which changes the order of sums
 * (see host/lower/random.c). Such limits say nothing about images.
 */
static bool is_cut_short(struct chain *c, const struct loom_planner_options *how,
			 const struct loom_array *want)
{
	struct loom_array y[2] = { 0 };
	struct loom_error err;
	bool same_bits;

	if (run(c, how, y, &err))
		return true;
	same_bits = same(&y[0], &want[0]) && same(&y[1], &want[1]);
	loom_array_clear(&y[0]);
	loom_array_clear(&y[1]);
	return !same_bits;
}

static bool try_chain(unsigned int round)
{
	static const uint64_t limits[] = { 0, 8192, 3072 };
	struct loom_planner_options how = {
		.grouping = "layerwise", .chip = loom_preset_find("tiny"),
	};
	struct loom_array want[2] = { 0 };
	struct loom_error err = { .text = "" };
	bool good = true;
	struct chain c;
	unsigned int i;

	seed = 77 + round;
	make_chain(&c);
	if (loom_graph_finish(c.test.graph, NULL, &err) || run(&c, &how, want, &err)) {
		tap_note("round %u: %s", round, err.text);
		good = false;
	}
	for (i = 0; i < ARRAY_SIZE(limits) && good; i++) {
		how.sram_limit_bytes = limits[i];
		if (limits[i] && is_cut_short(&c, &how, want)) {
			num_skipped++;
			continue;
		}
		good = try_scopes(&c, how, want, &err);
		if (!good)
			tap_note("round %u, %llu bytes of SRAM: %s", round,
				 (unsigned long long)limits[i], err.text);
	}
	loom_array_clear(&want[0]);
	loom_array_clear(&want[1]);
	loom_graph_destroy(c.test.graph);
	free(c.test.inputs[0].data);
	return good;
}

/* Arguments: none; or the number of a round, to try it alone; and how many from there on. */
int main(int argc, char **argv)
{
	unsigned int rounds = getenv("LOOM_SANITIZED") ? 60 : 600, round, bad = 0;
	unsigned int first = argc > 1 ? atoi(argv[1]) : 0;

	test_flatten();
	test_pools();
	test_steps();
	test_many();
	if (argc > 1)
		rounds = argc > 2 ? atoi(argv[2]) : 1;
	for (round = first; round < first + rounds; round++)
		bad += !try_chain(round);
	tap_ok(!bad, "%u of %u chains give the same bits in images", rounds - bad, rounds);
	tap_note("%u values in %u images; %u plans used some where they are, %u sliced", num_images,
		 num_pools, num_direct, num_sliced);
	tap_ok(num_images > rounds * 15 && num_pools * 5 < num_images * 4, "images were shared");
	tap_ok(num_direct > rounds / 4, "images were used where they are");
	tap_ok(num_skipped < rounds / 10, "%u devices were too small", num_skipped);
	tap_ok(num_grouped > rounds / 10, "%u plans have groups and images", num_grouped);
	tap_ok(num_sliced > rounds / 10, "slicing was put to the test");
	return tap_end();
}
