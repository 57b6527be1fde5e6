// SPDX-License-Identifier: MIT
/*
 * A native kernel: two additions of bytes become one command of the template's chip, whose
 * payloads are instructions on tiles (drivers/accel/loom/template/tile.h).
 *
 *	native_kernel [host|auto|/dev/accel/accelN] [FILE]
 *
 * FILE receives the program, which `loom run` then runs on a device of that chip.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <loom.h>
#include <loom_file.h>
#include <loom_kernels.h>
#include <loom_planner.h>
#include <loom_program_file.h>
#include <loom_run.h>

#define ROWS	4
#define COLUMNS	6000

/* The chip's payload: instructions, each on the same range of bytes in some lanes. */
struct insn {
	uint8_t op;
	uint8_t to;
	uint8_t from[2];
	uint16_t first_lane;
	uint16_t lanes;
	uint32_t bytes;
	uint32_t to_at;
	uint32_t from_at[2];
};

#define INSN_ADD	3

static const struct drm_loom_format format = { .id = 0x454c4954544d454cULL, .version = 1 };

/* Takes bytes of equal shape, all three of them. */
static int add3_infer(void *data, struct loom_native_node *node)
{
	const struct loom_native_tensor *first = &node->inputs[0];
	uint32_t i;

	(void)data;
	for (i = 0; i < node->num_inputs; i++)
		if (node->inputs[i].dtype != DRM_LOOM_DTYPE_U8 || node->inputs[i].rank != 2 ||
		    memcmp(node->inputs[i].dims, first->dims, 2 * sizeof(first->dims[0])))
			return -EOPNOTSUPP;
	node->result = *first;
	return 0;
}

/* Rows are dealt over the lanes, one each; columns may be cut. The chip takes dense tiles only. */
static int add3_cut(void *data, const struct loom_native_node *node, struct loom_native_cut *cut)
{
	uint32_t i, k;

	(void)data;
	if (node->result.dims[0] > cut->lanes)
		return -EOPNOTSUPP;
	cut->axes = 1 << 1;
	cut->alone = true;
	cut->lane_axis = 0;
	for (i = 0; i < node->num_inputs; i++) {
		cut->inputs[i].lane_axis = 0;
		for (k = 0; k < 2; k++)
			cut->inputs[i].axes[k] = (struct loom_native_axis){
				.follow = LOOM_NATIVE_SAME, .axis = k,
			};
	}
	return 0;
}

/* The chip adds 16 bytes in a cycle and starts an instruction in one. */
static uint64_t add3_cycles(void *data, const struct loom_native_slice *slice)
{
	(void)data;
	return 2 * (slice->operands[0].dims[1] / 16 + 1);
}

static int add3_write(void *data, const struct loom_native_slice *slice, void *payload,
		      uint32_t *payload_bytes)
{
	const struct insn add = {
		.op = INSN_ADD, .from = { 1, 2 }, .lanes = (uint16_t)slice->operands[0].dims[0],
		.bytes = slice->operands[0].dims[1],
	};
	struct insn insns[2] = { add, add };

	(void)data;
	/* y = a + b, y = y + c: operands are numbered as in the command */
	insns[1].from[0] = 0;
	insns[1].from[1] = 3;
	if (*payload_bytes < sizeof(insns))
		return -E2BIG;
	memcpy(payload, insns, sizeof(insns));
	*payload_bytes = sizeof(insns);
	return 0;
}

/* Stands in for the chip on the host: bytes of a tile are contiguous in each lane. */
static int run_tiles(void *data, const struct loom_native_run *run)
{
	const struct insn *insns = run->payload;
	uint32_t count = run->payload_bytes / sizeof(*insns), i, k, lane;

	(void)data;
	for (i = 0; i < count; i++) {
		const struct insn *insn = &insns[i];
		const struct loom_native_view *y = &run->operands[insn->to];
		const struct loom_native_view *a = &run->operands[insn->from[0]];
		const struct loom_native_view *b = &run->operands[insn->from[1]];

		/* the payloads of this program are its own; those of others must be checked */
		if (insn->op != INSN_ADD)
			return -EBADMSG;
		for (lane = insn->first_lane; lane < insn->first_lane + insn->lanes; lane++)
			for (k = 0; k < insn->bytes; k++)
				y->bytes[lane * y->lane_bytes + insn->to_at + k] =
					a->bytes[lane * a->lane_bytes + insn->from_at[0] + k] +
					b->bytes[lane * b->lane_bytes + insn->from_at[1] + k];
	}
	return 0;
}

static int make_natives(struct loom_native_set **natives, struct loom_error *err)
{
	static const char *const ops[] = { "Add", "Add" };
	const struct loom_native_kernel add3 = {
		.ops = ops, .num_ops = 2, .infer = add3_infer, .cut = add3_cut,
		.cycles = add3_cycles, .write = add3_write,
	};
	int ret = loom_native_create(&format, run_tiles, NULL, natives);

	return ret ? ret : loom_native_add(*natives, &add3, err);
}

/* y = a + b + c */
static int make_graph(const struct loom_native_set *natives, struct loom_graph **graph,
		      struct loom_error *err)
{
	static const char *const first[] = { "a", "b" }, *const second[] = { "ab", "c" };
	static const char *const ab[] = { "ab" }, *const y[] = { "y" };
	struct loom_tensor_info info = {
		.dtype = DRM_LOOM_DTYPE_U8, .rank = 2, .dims = { ROWS, COLUMNS },
	};
	struct loom_node_desc node = {
		.op_type = "Add", .inputs = first, .num_inputs = 2, .outputs = ab, .num_outputs = 1,
	};
	const struct loom_graph_options options = { .natives = natives };
	int ret = loom_graph_create("add3", 14, graph);

	if (ret)
		return ret;
	/* an error sticks, and finishing reports it */
	info.name = "a";
	loom_graph_add_input(*graph, &info);
	info.name = "b";
	loom_graph_add_input(*graph, &info);
	info.name = "c";
	loom_graph_add_input(*graph, &info);
	loom_graph_add_node(*graph, &node);
	node.inputs = second;
	node.outputs = y;
	loom_graph_add_node(*graph, &node);
	loom_graph_add_output(*graph, "y");
	return loom_graph_finish(*graph, &options, err);
}

static int save(const char *path, const struct loom_program *program,
		const struct drm_loom_chip *chip, struct loom_error *err)
{
	const struct loom_program_origin origin = { .chip = chip };
	size_t size_bytes;
	void *bytes = NULL;
	int ret = loom_program_write(program, &origin, &bytes, &size_bytes, err);

	if (!ret)
		ret = loom_file_save(path, bytes, size_bytes, err);
	free(bytes);
	return ret;
}

static int run(struct loom_session *session, const struct loom_program *program,
	       struct loom_error *err)
{
	struct loom_array array, y = { 0 };
	int64_t dims[] = { ROWS, COLUMNS };
	struct loom_native_figures declared;
	struct drm_loom_counters counters;
	uint32_t hash = 0, i, k;
	int ret = loom_array_alloc(&array, DRM_LOOM_DTYPE_U8, 2, dims);

	if (ret)
		return ret;
	/* a, b and c: 0 1 2.., 1 3 5.., 2 5 8.. */
	for (i = 0; i < 3 && !ret; i++) {
		for (k = 0; k < ROWS * COLUMNS; k++)
			((uint8_t *)array.data)[k] = (uint8_t)(i + (i + 1) * k);
		ret = loom_session_set_input(session, i, &array, err);
	}
	loom_array_clear(&array);
	if (!ret)
		ret = loom_session_run(session, NULL, NULL, err);
	if (!ret)
		ret = loom_session_get_output(session, 0, &y, err);
	if (ret)
		return ret;
	loom_session_counters(session, &counters);
	loom_program_native(program, &declared);
	printf("%u native command%s, %llu cycles declared, %llu cycles of compute counted\n",
	       declared.commands, declared.commands > 1 ? "s" : "",
	       (unsigned long long)declared.cycles, (unsigned long long)counters.compute_cycles);
	for (k = 0; k < ROWS * COLUMNS; k++)
		hash = 31 * hash + ((uint8_t *)y.data)[k];
	for (k = 0; k < 8; k++)
		printf("%s%u", k ? " " : "", ((uint8_t *)y.data)[k]);
	printf(".. hash %08x\n", hash);
	loom_array_clear(&y);
	return 0;
}

int main(int argc, char **argv)
{
	struct loom_planner_options options = { 0 };
	struct loom_native_set *natives = NULL;
	struct loom_session *session = NULL;
	struct loom_program *program = NULL;
	struct loom_target *target = NULL;
	struct loom_graph *graph = NULL;
	struct loom_error err = { .text = "out of memory" };
	int ret = make_natives(&natives, &err);

	if (!ret)
		ret = make_graph(natives, &graph, &err);
	if (!ret)
		ret = loom_target_open(argc > 1 ? argv[1] : "host", NULL, &target, &err);
	/* a device runs its native commands itself */
	if (!ret && !loom_target_device(target))
		ret = loom_target_set_natives(target, natives, &err);
	if (!ret) {
		options.chip = loom_target_chip(target);
		ret = loom_program_create(graph, &options, &program, &err);
	}
	if (!ret && argc > 2)
		ret = save(argv[2], program, options.chip, &err);
	if (!ret)
		ret = loom_session_create(target, program, &session, &err);
	if (!ret)
		ret = run(session, program, &err);
	if (ret)
		fprintf(stderr, "native_kernel: %s\n", err.text);
	loom_session_destroy(session);
	loom_program_destroy(program);
	loom_graph_destroy(graph);
	loom_target_close(target);
	loom_native_destroy(natives);
	return ret ? 1 : 0;
}
