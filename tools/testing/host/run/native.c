// SPDX-License-Identifier: MIT
/*
 * Native kernels: networks in which some operators are native, some are Loom's own, and a run of
 * these is fused into a native one, have the elements of plain loops, in every strategy, whatever
 * is cut. Commands get what they were promised, and nobody runs them without a callback.
 */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "loom_chip.h"
#include "loom_kernels.h"
#include "loom_planner.h"
#include "loom_program_file.h"
#include "loom_run.h"

#include "counted.h"
#include "host/lower/case.h"
#include "tap.h"

#define CHANNELS	6
#define ROWS		40
#define COLUMNS		24
#define ELEMENTS	(CHANNELS * ROWS * COLUMNS)

/* Payloads: the operation, and where the part lies in the whole. */
enum insn_op {
	INSN_BLUR,
	INSN_ADD_RELU,
	INSN_TOTAL,
};

struct insn {
	uint32_t op;
	uint32_t pad;
	int64_t row;
	int64_t from_row;
};

/**
 * struct counts - what the callbacks have seen
 * @cuts: slices that are not the whole
 * @halos: slices of BLUR that need rows of others
 * @fail: the callback that runs commands returns it
 */
static struct counts {
	atomic_uint cuts;
	atomic_uint halos;
	int fail;
} counts;

/**
 * struct mode - how kernels may be cut
 * @axes: which axes
 * @alone: not in groups
 */
struct mode {
	uint32_t axes;
	bool alone;
};

static struct mode all_axes = { .axes = 7 };
static struct mode rows_only = { .axes = 2 };
static struct mode in_no_group = { .axes = 7, .alone = true };

static uint64_t elements(const struct loom_native_view *view)
{
	uint64_t count = 1;
	uint32_t i;

	for (i = 0; i < view->rank; i++)
		count *= view->dims[i];
	return count;
}

static int same_shape(void *data, struct loom_native_node *node)
{
	(void)data;
	if (node->inputs[0].rank != 3 || node->inputs[0].dtype != DRM_LOOM_DTYPE_F32)
		return -EOPNOTSUPP;
	node->result = node->inputs[0];
	return 0;
}

static int total_shape(void *data, struct loom_native_node *node)
{
	(void)data;
	node->result.dtype = DRM_LOOM_DTYPE_F32;
	return 0;
}

/* A blur needs a row more on both sides, and a row of sums. */
static int cut_blur(void *data, const struct loom_native_node *node, struct loom_native_cut *cut)
{
	struct loom_native_operand same = {
		.axes = { { .follow = LOOM_NATIVE_SAME }, { .follow = LOOM_NATIVE_SAME, .axis = 1 },
			  { .follow = LOOM_NATIVE_SAME, .axis = 2 } },
	};
	const struct mode *mode = data;
	uint32_t i;

	cut->axes = mode->axes;
	cut->lane_axis = 0;
	cut->alone = mode->alone;
	for (i = 0; i < node->num_inputs; i++)
		cut->inputs[i] = same;
	if (!strcmp(node->ops[0]->op_type, "test.Blur")) {
		cut->inputs[0].axes[1] = (struct loom_native_axis){
			.follow = LOOM_NATIVE_WINDOW, .axis = 1, .stride = 1, .extent = 3, .pad = 1,
		};
		cut->num_temporaries = 1;
		cut->temporaries[0] = (struct loom_native_temporary){
			.dtype = DRM_LOOM_DTYPE_F32, .rank = 3,
			.dims = { CHANNELS, 1, COLUMNS }, .operand = same,
		};
		cut->temporaries[0].operand.axes[1].follow = LOOM_NATIVE_WHOLE;
	}
	return 0;
}

static uint64_t count_cycles(void *data, const struct loom_native_slice *slice)
{
	(void)data;
	return 7 + elements(&slice->operands[0]);
}

static int write_insn(void *data, const struct loom_native_slice *slice, void *payload,
		      uint32_t *payload_bytes)
{
	const struct loom_native_view *y = &slice->operands[0];
	const struct loom_native_view *x = &slice->operands[slice->num_operands - 1];
	const char *op = slice->node->ops[0]->op_type;
	struct insn insn = {
		.op = !strcmp(op, "test.Blur") ? INSN_BLUR :
		      !strcmp(op, "test.Total") ? INSN_TOTAL : INSN_ADD_RELU,
		.row = y->first[1], .from_row = x->first[1],
	};

	(void)data;
	if (*payload_bytes < sizeof(insn))
		return -ENOSPC;
	memcpy(payload, &insn, sizeof(insn));
	*payload_bytes = sizeof(insn);
	counts.cuts += insn.op != INSN_TOTAL && elements(y) < ELEMENTS;
	counts.halos += insn.op == INSN_BLUR && x->dims[1] > y->dims[1];
	return 0;
}

static float *at(const struct loom_native_view *view, uint32_t c, uint32_t h, uint32_t w)
{
	return (float *)loom_native_at(view, (uint32_t[]){ c, h, w });
}

static void run_blur(const struct insn *insn, const struct loom_native_run *run)
{
	const struct loom_native_view *y = &run->operands[0], *sum = &run->operands[1];
	const struct loom_native_view *x = &run->operands[2];
	uint32_t c, h, w;
	int64_t first, k;

	for (h = 0; h < y->dims[1]; h++) {
		first = insn->row + h - 1;
		for (c = 0; c < y->dims[0]; c++) {
			for (w = 0; w < y->dims[2]; w++) {
				*at(sum, c, 0, w) = 0;
				for (k = first; k < first + 3; k++)
					if (k >= 0 && k < ROWS)
						*at(sum, c, 0, w) +=
							*at(x, c, k - insn->from_row, w);
				*at(y, c, h, w) = *at(sum, c, 0, w) / 4;
			}
		}
	}
}

static int run_insn(void *data, const struct loom_native_run *run)
{
	const struct loom_native_view *y = &run->operands[0];
	const struct insn *insn = run->payload;
	uint32_t c, h, w;

	(void)data;
	if (counts.fail || run->payload_bytes != sizeof(*insn))
		return counts.fail ? counts.fail : -EBADMSG;
	if (insn->op == INSN_BLUR) {
		run_blur(insn, run);
		return 0;
	}
	if (insn->op == INSN_TOTAL) {
		const struct loom_native_view *x = &run->operands[1];

		for (c = 0; c < x->dims[0]; c++)
			for (h = 0; h < x->dims[1]; h++)
				for (w = 0; w < x->dims[2]; w++)
					*(float *)y->bytes += *at(x, c, h, w);
		return 0;
	}
	for (c = 0; c < y->dims[0]; c++)
		for (h = 0; h < y->dims[1]; h++)
			for (w = 0; w < y->dims[2]; w++) {
				float sum = *at(&run->operands[1], c, h, w) +
					    *at(&run->operands[2], c, h, w);

				*at(y, c, h, w) = sum > 0 ? sum : 0;
			}
	return 0;
}

static const char *const blur[] = { "test.Blur" };
static const char *const total[] = { "test.Total" };
static const char *const add_relu[] = { "Add", "Relu" };
static const struct drm_loom_format format = { .id = 0x74736574, .version = 3 };

static struct loom_native_set *make_set(loom_native_fn run, struct mode *mode)
{
	struct loom_native_kernel kernel = {
		.ops = blur, .num_ops = 1, .data = mode, .infer = same_shape, .cut = cut_blur,
		.cycles = count_cycles, .write = write_insn,
	};
	struct loom_native_set *set;

	if (loom_native_create(&format, run, NULL, &set) || loom_native_add(set, &kernel, NULL))
		tap_fatal("no set");
	kernel.ops = add_relu;
	kernel.num_ops = 2;
	if (loom_native_add(set, &kernel, NULL))
		tap_fatal("no kernel");
	kernel.ops = total;
	kernel.num_ops = 1;
	kernel.infer = total_shape;
	kernel.cut = NULL;
	if (loom_native_add(set, &kernel, NULL))
		tap_fatal("no kernel");
	return set;
}

#define NET	"x f32 6 40 24; a = test.Blur x; b = Sigmoid a; s = Add b x; r = Relu s; "	\
		"y = test.Blur r; "

static struct loom_graph *make_graph(const struct loom_native_set *set, const char *text)
{
	struct loom_graph_options options = { .natives = set };
	struct loom_graph *graph = case_graph(13, "%s", text);
	struct loom_error err;

	if (loom_graph_finish(graph, &options, &err))
		tap_fatal("%s", err.text);
	return graph;
}

static void plain_blur(const float *x, float *y)
{
	int64_t i, h;
	float sum;

	for (i = 0; i < ELEMENTS; i++) {
		h = i / COLUMNS % ROWS;
		sum = 0;
		if (h)
			sum += x[i - COLUMNS];
		sum += x[i];
		if (h < ROWS - 1)
			sum += x[i + COLUMNS];
		y[i] = sum / 4;
	}
}

/* The network with a sigmoid that is computed as the device does: by Loom alone. */
static void plain(const float *x, float *y)
{
	struct loom_planner_options options = { .chip = loom_preset_get(0) };
	struct loom_graph *graph = case_finished(13, "a f32 6 40 24; b = Sigmoid a; > b");
	static float a[ELEMENTS], r[ELEMENTS];
	struct loom_program *program;
	struct loom_session *session;
	struct loom_target *target;
	const struct loom_array from = {
		.dtype = DRM_LOOM_DTYPE_F32, .rank = 3, .dims = { CHANNELS, ROWS, COLUMNS },
		.data = a, .size_bytes = sizeof(a),
	};
	struct loom_array b;
	int64_t i;

	plain_blur(x, a);
	if (loom_program_create(graph, &options, &program, NULL) ||
	    loom_target_open("host", options.chip, &target, NULL) ||
	    loom_session_create(target, program, &session, NULL) ||
	    loom_session_set_input(session, 0, &from, NULL) ||
	    loom_session_run(session, NULL, NULL, NULL) ||
	    loom_session_get_output(session, 0, &b, NULL))
		tap_fatal("no sigmoid");
	for (i = 0; i < ELEMENTS; i++) {
		r[i] = ((float *)b.data)[i] + x[i];
		r[i] = r[i] > 0 ? r[i] : 0;
	}
	plain_blur(r, y);
	loom_array_clear(&b);
	loom_session_destroy(session);
	loom_target_close(target);
	loom_program_destroy(program);
	loom_graph_destroy(graph);
}

static struct loom_array image;
static float want[ELEMENTS];

static void make_input(void)
{
	static const int64_t dims[] = { CHANNELS, ROWS, COLUMNS };

	if (loom_array_alloc(&image, DRM_LOOM_DTYPE_F32, 3, dims))
		tap_fatal("no memory");
	loom_array_randomize(&image, 5);
	plain(image.data, want);
}

/* Runs a program on the host; whether output 0 is @want. */
static bool runs(const struct loom_program *program, const struct drm_loom_chip *chip,
		 const struct loom_native_set *set, uint32_t threads)
{
	struct loom_session *session = NULL;
	struct loom_target *target;
	struct loom_array y = { 0 };
	struct loom_error err = { .text = "" };
	bool good;

	if (loom_target_open("host", chip, &target, &err) ||
	    loom_target_set_threads(target, threads, &err) ||
	    loom_target_set_natives(target, set, &err) ||
	    loom_session_create(target, program, &session, &err) ||
	    loom_session_set_input(session, 0, &image, &err) ||
	    loom_session_run(session, NULL, NULL, &err) ||
	    loom_session_get_output(session, 0, &y, &err))
		tap_fatal("%s", err.text);
	good = y.size_bytes == sizeof(want) && !memcmp(y.data, want, sizeof(want));
	loom_array_clear(&y);
	loom_session_destroy(session);
	loom_target_close(target);
	return good;
}

/* No plan is below its lower bounds, whatever native commands declare. */
static bool is_bounded(const struct loom_program *program)
{
	const struct loom_program_least *least = &program->least;
	const struct loom_program_stats *stats = &program->stats;

	return least->dram_read_bytes && least->dram_read_bytes <= stats->dram_read_bytes &&
	       least->dram_write_bytes <= stats->dram_write_bytes &&
	       least->relaxed_cycles <= stats->cycles;
}

/* With as many threads as it likes, the planner makes the same plan. */
static bool same_with_threads(const struct loom_graph *graph, struct loom_planner_options options,
			      const struct loom_program *program)
{
	struct loom_program *other;
	bool same;

	options.jobs = 3;
	if (loom_program_create(graph, &options, &other, NULL))
		return false;
	same = other->plan_bytes == program->plan_bytes &&
	       !memcmp(other->plan, program->plan, program->plan_bytes);
	loom_program_destroy(other);
	return same;
}

/* In every strategy, with SRAM for all, and for some rows of some channels. */
static void test_strategies(const struct loom_graph *graph, const struct loom_native_set *set,
			    const struct mode *mode)
{
	struct loom_planner_options options = { .chip = loom_preset_find("tiny"), .jobs = 1 };
	static const uint64_t limits[] = { 0, 16384, 6144, 2048 };
	struct loom_program *program;
	uint32_t i, k;
	bool good;

	for (i = 0; loom_grouping_name(i); i++) {
		options.grouping = loom_grouping_name(i);
		counts.cuts = 0;
		counts.halos = 0;
		for (k = 0, good = true; k < ARRAY_SIZE(limits); k++) {
			struct loom_error err;

			options.sram_limit_bytes = limits[k];
			if (loom_program_create(graph, &options, &program, &err))
				tap_fatal("%s: %s", options.grouping, err.text);
			good &= runs(program, options.chip, set, 1 + (k & 1)) &&
				outcome_counts(program, options.chip) && is_bounded(program) &&
				same_with_threads(graph, options, program);
			loom_program_destroy(program);
		}
		/* channels are cut without halos where they may be */
		tap_ok(good && counts.cuts && (counts.halos || mode->axes != 2),
		       "%s, axes 0x%x: the elements of plain loops, %u slices, %u with a halo",
		       options.grouping, mode->axes, counts.cuts, counts.halos);
	}
}

/* Kernels with values in SRAM of other kernels, and without. */
static void test_groups(const struct loom_graph *graph, const struct loom_graph *alone)
{
	struct loom_planner_options options = { .chip = loom_preset_find("tiny") };
	struct loom_program *together, *apart;

	if (loom_program_create(graph, &options, &together, NULL) ||
	    loom_program_create(alone, &options, &apart, NULL))
		tap_fatal("no plans");
	tap_ok(together->stats.dram_write_bytes == sizeof(want) &&
	       apart->stats.dram_write_bytes > sizeof(want),
	       "values between kernels stay in SRAM, but not around kernels that are alone");
	tap_ok(together->stats.cycles > 3 * ELEMENTS,
	       "the cycles of the plan have those of its native commands");
	loom_program_destroy(together);
	loom_program_destroy(apart);
}

/* Swaps the inputs of the first sum: its payload stays the same. */
static void swap_inputs(struct loom_program *program)
{
	const struct drm_loom_plan_header *header = program->plan;
	char *plan = (char *)program->plan;
	struct drm_loom_plan_command *command = (void *)(plan + header->commands.offset);
	struct drm_loom_plan_view *views = (void *)(plan + header->views.offset), view;

	while (command->opcode != DRM_LOOM_OP_NATIVE ||
	       ((struct insn *)(plan + header->attrs.offset + command->attr_offset +
				sizeof(struct drm_loom_attr_native)))->op != INSN_ADD_RELU)
		command++;
	views += command->first_view;
	view = views[1];
	views[1] = views[2];
	views[2] = view;
}

/*
 * The elements that the judge compares with those of the reference, or with @swapped inputs of a
 * command how many are wrong.
 */
static uint64_t compared(const struct loom_graph *graph, const char *grouping, uint64_t limit,
			 bool swapped)
{
	struct loom_planner_options options = {
		.chip = loom_preset_find("tiny"), .grouping = grouping, .sram_limit_bytes = limit,
	};
	struct loom_program *program, *reference;
	struct loom_replay_options how = { .chip = options.chip };
	struct loom_replay_report *report;
	struct loom_error err;
	uint64_t count;

	if (loom_program_create(graph, &options, &program, &err) ||
	    loom_program_create_reference(graph, &options, NULL, &reference, &err))
		tap_fatal("%s", err.text);
	how.reference = reference;
	if (swapped)
		swap_inputs(program);
	if (loom_replay_program(program, &how, &report, &err))
		tap_fatal("%s", err.text);
	if (report->num_faults && !swapped)
		tap_fatal("%s", report->faults[0].text);
	count = swapped ? report->num_faults : report->compared;
	loom_replay_destroy(report);
	loom_program_destroy(reference);
	loom_program_destroy(program);
	return count;
}

static void test_judge(const struct loom_graph *graph)
{
	tap_ok(compared(graph, "layerwise", 0, false) == ELEMENTS,
	       "the judge compares values behind native commands");
	tap_ok(compared(graph, "layerwise", 0, true),
	       "to the judge a sum of swapped inputs is another value");
	tap_ok(!compared(graph, "layerwise", 2048, false),
	       "but not if these are cut in another way");
}

static void test_fusion(const struct loom_native_set *set)
{
	struct loom_graph *graph = make_graph(set, NET "> y");
	struct loom_graph *seen = make_graph(set, NET "> y s");
	struct loom_node_info info;
	uint32_t i, fused = 0;

	tap_ok(loom_graph_num_nodes(graph) == 4 && loom_graph_num_nodes(seen) == 5,
	       "a run is one node, but not if a value in between is seen");
	for (i = 0; !loom_graph_node(graph, i, &info); i++)
		fused += !strcmp(info.op, "Add+Relu") && !strcmp(info.computes, "native") &&
			 !strcmp(info.output.name, "r");
	tap_ok(fused == 1, "it is named after both operators");
	loom_graph_destroy(graph);
	loom_graph_destroy(seen);
	graph = make_graph(set, "x f32 6 40; w f32 6 40; s = Add x w; r = Relu s; > r");
	for (i = 0, fused = 0; !loom_graph_node(graph, i, &info); i++)
		fused += !strcmp(info.computes, "native");
	tap_ok(!fused, "nodes that a kernel does not take are Loom's");
	loom_graph_destroy(graph);
}

static void test_scalar(const struct loom_native_set *set)
{
	struct loom_planner_options options = { .chip = loom_preset_find("tiny") };
	struct loom_graph *graph = make_graph(set, "x f32 6 40 24; t = test.Total x; > t");
	struct loom_session *session = NULL;
	struct loom_program *program;
	struct loom_target *target;
	struct loom_array t;
	float sum = 0;
	uint32_t i;

	/* by channels, rows and columns, as the callback does */
	for (i = 0; i < ELEMENTS; i++)
		sum += ((float *)image.data)[i];
	if (loom_program_create(graph, &options, &program, NULL) ||
	    loom_target_open("host", options.chip, &target, NULL) ||
	    loom_target_set_natives(target, set, NULL) ||
	    loom_session_create(target, program, &session, NULL) ||
	    loom_session_set_input(session, 0, &image, NULL) ||
	    loom_session_run(session, NULL, NULL, NULL) ||
	    loom_session_get_output(session, 0, &t, NULL))
		tap_fatal("no total");
	tap_ok(t.rank == 0 && *(float *)t.data == sum, "a scalar of all elements, zeroed before");
	loom_array_clear(&t);
	counts.fail = -EDOM;
	tap_ok(loom_session_run(session, NULL, NULL, NULL) == -EDOM, "a callback may fail");
	counts.fail = 0;
	loom_session_destroy(session);
	loom_target_close(target);
	loom_program_destroy(program);
	loom_graph_destroy(graph);
}

/* A program in a file, and targets that cannot run it. */
static void test_targets(const struct loom_graph *graph, const struct loom_native_set *set)
{
	struct loom_planner_options options = { .chip = loom_preset_find("tiny") };
	struct loom_native_set *mute = make_set(NULL, &all_axes);
	const struct loom_program_origin origin = { .chip = options.chip };
	struct loom_program_file *file = NULL;
	struct loom_session *session = NULL;
	struct loom_program *program;
	struct loom_target *target;
	struct loom_error err;
	size_t size_bytes;
	void *bytes;

	if (loom_program_create(graph, &options, &program, &err) ||
	    loom_target_open("host", options.chip, &target, &err))
		tap_fatal("no program");
	tap_ok(loom_session_create(target, program, &session, &err) == -EOPNOTSUPP &&
	       strstr(err.text, "0x74736574, version 3"), "without a set: %s", err.text);
	loom_session_destroy(session);
	loom_target_set_natives(target, mute, NULL);
	tap_ok(loom_session_create(target, program, &session, &err) == -EOPNOTSUPP,
	       "nor with a set that has no callback");
	loom_session_destroy(session);
	loom_target_close(target);
	tap_ok(!loom_program_write(program, &origin, &bytes, &size_bytes, &err) &&
	       !loom_program_parse(bytes, size_bytes, "native", &file, &err) &&
	       runs(loom_program_file_program(file), options.chip, set, 1),
	       "a program file has native commands");
	loom_program_unload(file);
	free(bytes);
	loom_program_destroy(program);
	loom_native_destroy(mute);
}

static void test_refusals(void)
{
	struct loom_native_kernel kernel = {
		.ops = blur, .infer = same_shape, .write = write_insn,
	};
	const struct drm_loom_format none = { .version = 1 };
	struct loom_native_set *set;
	struct loom_error err;

	tap_ok(loom_native_create(&none, NULL, NULL, &set) == -EINVAL && !set,
	       "a format has an id");
	if (loom_native_create(&format, NULL, NULL, &set))
		tap_fatal("no memory");
	tap_ok(loom_native_add(set, &kernel, &err) == -EINVAL, "refused: %s", err.text);
	kernel.num_ops = 1;
	tap_ok(loom_native_add(set, &kernel, &err) == -EINVAL && strstr(err.text, "cycles"),
	       "refused: %s", err.text);
	loom_native_destroy(set);
}

int main(void)
{
	struct loom_native_set *set = make_set(run_insn, &all_axes);
	struct loom_native_set *by_rows = make_set(run_insn, &rows_only);
	struct loom_native_set *lonely = make_set(run_insn, &in_no_group);
	struct loom_graph *graph = make_graph(set, NET "> y");
	struct loom_graph *rows = make_graph(by_rows, NET "> y");
	struct loom_graph *alone = make_graph(lonely, NET "> y");

	make_input();
	test_fusion(set);
	test_strategies(graph, set, &all_axes);
	test_strategies(rows, by_rows, &rows_only);
	test_groups(graph, alone);
	test_judge(graph);
	test_scalar(set);
	test_targets(graph, set);
	test_refusals();
	loom_array_clear(&image);
	loom_graph_destroy(graph);
	loom_graph_destroy(rows);
	loom_graph_destroy(alone);
	loom_native_destroy(set);
	loom_native_destroy(by_rows);
	loom_native_destroy(lonely);
	return tap_end();
}
