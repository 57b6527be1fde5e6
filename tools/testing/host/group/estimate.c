// SPDX-License-Identifier: MIT
/*
 * Estimates of the groups of random graphs, for each choice of residents before and after a group:
 * every cost is written, as many fit as is said, and the same group has the same estimate again,
 * whatever was in the array before. The work of slices is that of one slice after the other, and
 * nodes alone are estimated at about what their plans cost.
 */
#include "chips.h"
#include "list.h"
#include "loom_planner.h"
#include "case.h"
#include "host/lower/rounds.h"

#define ROUNDS	60

static u32 num_estimates, num_refused, num_works;

/* Fills @costs with @pattern first, so that stale entries show. */
static u32 take(struct loom_group_estimate *est, u32 num_units, u8 in, u8 out, u32 num_counts,
		int pattern, struct loom_group_cost *costs)
{
	memset(costs, pattern, num_counts * sizeof(*costs));
	return loom_group_estimate_take(est, num_units, in, out, costs);
}

static bool estimate_is_whole(struct loom_group_estimate *est, u32 num_units, u8 in, u8 out,
			      u32 num_counts)
{
	struct loom_group_cost a[LOOM_GROUP_SLICE_COUNTS], b[LOOM_GROUP_SLICE_COUNTS];
	u32 fit = take(est, num_units, in, out, num_counts, 0, a), q;

	num_estimates++;
	num_refused += !fit;
	if (take(est, num_units, in, out, num_counts, 0x5a, b) != fit)
		return false;
	for (q = 0; q < num_counts; q++) {
		if (a[q].price != b[q].price || a[q].tie != b[q].tie)
			return false;
		fit -= a[q].price != U64_MAX;
	}
	return !fit;
}

static bool try_axis(struct list_case *c, struct loom_group_estimate *est, u32 first, u8 in,
		     u32 axis, const u32 *counts, u32 num_counts)
{
	u32 n = 0;
	u8 out;

	loom_group_estimate_begin(est, first, in, axis, counts, num_counts);
	while (loom_group_estimate_append(est, n)) {
		n++;
		for (out = 0; out < c->list.choices[first + n].count; out++)
			if (!estimate_is_whole(est, n, in, out, num_counts))
				return false;
	}
	return true;
}

static bool try_list(struct list_case *c)
{
	struct loom_group_estimate *est;
	static const u32 whole[] = { 1 };
	bool good = true;
	u32 first;
	u8 in;

	est = loom_group_estimate_make(&c->list);
	if (!est)
		tap_fatal("no memory");
	for (first = 0; first < c->list.num_units; first++) {
		const struct loom_group_use *use = loom_group_first_result(&c->list, first);

		for (in = 0; in < c->list.choices[first].count && good; in++) {
			u32 counts[LOOM_GROUP_SLICE_COUNTS], count, axis;

			good = try_axis(c, est, first, in, 0, whole, 1);
			for (axis = 0; axis < use->rank && good; axis++) {
				count = loom_group_slice_counts(use->dims[axis], counts);
				good = !count || try_axis(c, est, first, in, axis, counts, count);
			}
		}
	}
	loom_group_estimate_free(est);
	return good;
}

/* Elements of a result of which each lane has some along axis @k, slice by slice along @cut. */
static u64 rounds_of_slices(const struct loom_ref *y, u32 lanes, u32 k, s8 cut, u32 slices)
{
	u64 sum = 0, rows = loom_div_round_up(y->dims[cut], slices);
	u32 slice, i;

	for (slice = 0; slice < slices; slice++) {
		/* a slice along the axis of the lanes takes what the first one does */
		u64 left = y->dims[cut] - (k == (u32)cut ? 0 : slice * rows), product = 1;

		for (i = 0; i < y->rank; i++) {
			u64 dim = i == (u32)cut ? min(left, rows) : y->dims[i];

			product *= i == k ? loom_div_round_up(dim, (u64)lanes) : dim;
		}
		sum += product;
	}
	return sum;
}

static bool work_is_summed(const struct loom_group_list *list, const struct loom_group_op *op,
			   s8 cut, u32 slices)
{
	const struct loom_kernel *kernel = &op->kernel;
	const struct loom_ref *y = &kernel->operands[0].ref;
	u32 lanes = list->uses[op->access[0].value].lanes, k, i;
	u64 rounds = U64_MAX, cycles = 0;

	for (k = 0; k < y->rank; k++)
		if (op->access[0].axis[k] >= 0 &&
		    (!lanes || lanes >> op->access[0].axis[k] & 1))
			rounds = min(rounds, rounds_of_slices(y, list->lower->sram.lanes, k, cut,
							      slices));
	for (i = 0; rounds != U64_MAX && i < kernel->num_stages; i++)
		cycles += slices * list->lower->chip->compute_start +
			  loom_group_stage_cycles(list->lower->chip, kernel, &kernel->stages[i],
						  rounds);
	num_works++;
	return loom_group_sliced_work(list, op, cut, slices) == cycles;
}

static bool works_are_summed(const struct loom_group_list *list)
{
	u32 index, slices;
	s8 cut;

	for (index = 0; index < list->num_ops; index++) {
		const struct loom_group_op *op = list->ops[index];
		const struct loom_ref *y = &op->kernel.operands[0].ref;

		for (cut = 0; op->kind == LOOM_GROUP_COMPUTE && cut < (s8)y->rank; cut++)
			for (slices = 1; slices <= min(y->dims[cut], 5U); slices++)
				/* each slice has a row at least */
				if (loom_div_round_up(y->dims[cut], slices) * (slices - 1) <
				    y->dims[cut] && !work_is_summed(list, op, cut, slices))
					return false;
	}
	return true;
}

/* Bytes of SRAM per lane: too little for most groups, for some, for none. */
static bool try_round(u32 round)
{
	static const u64 sram_bytes[] = { 1 << 10, 8 << 10, 256 << 10 };
	const struct loom_slice_limits sram = {
		.lanes = 4,
		.bytes = sram_bytes[round % ARRAY_SIZE(sram_bytes)],
		.align_bytes = 16,
	};
	struct test_case test;
	struct list_case c;
	bool good;

	make_case(&test, round * 7919 + 5);
	list_begin(&c, test.graph, &sram);
	good = try_list(&c) && works_are_summed(&c.list);
	list_end(&c);
	free_case(&test);
	return good;
}

static void make_batches(struct test_case *test)
{
	case_add(test, "x f32 5 8 3 6; y = Neg x; > y");
}

/*
 * 8 channels on 4 lanes are 2 elements in each for each of 18 pixels: 36 a batch, whether the 5 are
 * cut into 1 + 1 + 1 + 1 + 1, 2 + 2 + 1 or 3 + 2. A cut of 3 rows into 2 + 1 computes 180, too.
 */
static void test_batches(void)
{
	const struct loom_slice_limits sram = { .lanes = 4, .bytes = 4096, .align_bytes = 16 };
	const struct loom_group_op *op = NULL;
	struct test_case test;
	struct list_case c;
	u64 all;
	u32 i;

	make_case_of(&test, 1, 14, make_batches);
	list_begin(&c, test.graph, &sram);
	for (i = 0; i < c.list.num_ops; i++)
		if (c.list.ops[i]->kind == LOOM_GROUP_COMPUTE)
			op = c.list.ops[i];
	all = loom_group_stage_cycles(c.lower.chip, &op->kernel, &op->kernel.stages[0], 180);
	tap_ok(all == 3 && all == loom_group_sliced_work(&c.list, op, 0, 2) &&
	       all == loom_group_sliced_work(&c.list, op, 0, 3) &&
	       all == loom_group_sliced_work(&c.list, op, 0, 5) &&
	       all == loom_group_sliced_work(&c.list, op, 2, 2) && works_are_summed(&c.list),
	       "five batches are computed in %llu cycles in any slices", (unsigned long long)all);
	list_end(&c);
	free_case(&test);
}

static int64_t num_channels;

static void make_long_sums(struct test_case *test)
{
	const struct loom_tensor_info x = {
		.name = "x", .dtype = DRM_LOOM_DTYPE_F32, .rank = 4,
		.dims = { 1, num_channels, 1, 65 },
	};
	const struct loom_tensor_info w = {
		.name = "w", .dtype = DRM_LOOM_DTYPE_F32, .rank = 4,
		.dims = { 1, num_channels, 1, 1 },
	};

	loom_graph_add_input(test->graph, &x);
	loom_graph_add_input(test->graph, &w);
	case_add(test, "y = Conv x w; > y");
}

/* The device takes 2^22 operations in a tile of 64 elements: 65536 for each, and no more. */
static void test_tiles(void)
{
	const struct loom_slice_limits sram = { .lanes = 4, .bytes = 1 << 20, .align_bytes = 16 };
	struct test_case test;
	struct list_case c;
	u32 i;

	for (i = 0; i < 2; i++) {
		num_channels = 65536 + i;
		make_case_of(&test, 1, 14, make_long_sums);
		list_begin(&c, test.graph, &sram);
		tap_ok(c.list.num_units == 1 && c.list.units[0].ungroupable == (i == 1),
		       "sums of %lld products can%s be in a group", (long long)num_channels,
		       i ? "not" : "");
		list_end(&c);
		free_case(&test);
	}
}

/* A stage is as slow as the slowest type that it reads or writes, whichever comes first. */
static void test_slowest(void)
{
	struct drm_loom_chip chip = CHIP_SRAM("types", (1, 1, 4096, 0, 16));
	const struct loom_stage stages[] = {
		{ .opcode = DRM_LOOM_OP_UNARY, .operands = 2, .operand = { 0, 1 } },
		{ .opcode = DRM_LOOM_OP_UNARY, .operands = 2, .operand = { 1, 0 } },
	};
	struct loom_kernel_room room = { .operands = { { .role = LOOM_ROLE_STORE } } };
	struct loom_kernel kernel = loom_kernel_in(&room);
	u64 cycles[2];
	u32 i;

	kernel.unit_cost = 1;
	kernel.operands[0].ref.dtype = DRM_LOOM_DTYPE_F32;
	kernel.operands[1].ref.dtype = DRM_LOOM_DTYPE_I8;
	chip.type[DRM_LOOM_DTYPE_F32].op_rate = 500;
	chip.type[DRM_LOOM_DTYPE_I8].op_rate = 2000;
	for (i = 0; i < 2; i++)
		cycles[i] = loom_group_stage_cycles(&chip, &kernel, &stages[i], 10);
	tap_ok(cycles[0] == 20 && cycles[1] == 20,
	       "ten elements, half a cycle or two each: %llu and %llu cycles",
	       (unsigned long long)cycles[0], (unsigned long long)cycles[1]);
}

/**
 * struct costly - a chip on which only one thing takes time, and how near estimates of nodes are
 * @what: the thing that takes time
 * @dma_start: see &drm_loom_chip; as the others
 * @compute_start: to start a command
 * @read_rate: bytes read, in thousandths of a cycle
 * @write_rate: bytes written
 * @mac_rate: multiply-accumulates
 * @op_rate: other operations
 * @permille: the estimate, in thousandths of the cost of plans: nearer to 1000 is better
 */
struct costly {
	const char *what;
	u32 dma_start;
	u32 compute_start;
	u32 read_rate;
	u32 write_rate;
	u32 mac_rate;
	u32 op_rate;
	u64 permille;
};

static const struct costly costly[] = {
	{ "starts of DMA", 10000, 0, 16000, 16000, 64000, 64000, 750 },
	{ "starts of commands", 0, 10000, 16000, 16000, 64000, 64000, 785 },
	{ "reads", 0, 0, 10, 16000, 64000, 64000, 963 },
	{ "writes", 0, 0, 16000, 10, 64000, 64000, 964 },
	{ "multiply-accumulates", 0, 0, 16000, 16000, 10, 64000, 1354 },
	{ "other operations", 0, 0, 16000, 16000, 64000, 10, 1002 },
};

static struct drm_loom_chip chip_of_cost(const struct costly *cost)
{
	struct drm_loom_chip chip = CHIP_SRAM("costly", (4, 1, 6000, 0, 16));
	u32 i;

	chip.dma_start = cost->dma_start;
	chip.compute_start = cost->compute_start;
	chip.region[DRM_LOOM_REGION_DRAM].read_rate = cost->read_rate;
	chip.region[DRM_LOOM_REGION_DRAM].write_rate = cost->write_rate;
	for (i = 1; i < DRM_LOOM_DTYPE_END; i++) {
		chip.type[i].mac_rate = cost->mac_rate;
		chip.type[i].op_rate = cost->op_rate;
	}
	return chip;
}

/* Adds what nodes of a random graph are estimated at alone, and what they cost layer by layer. */
static void add_alone(u32 which, const struct drm_loom_chip *chip, u64 *estimated, u64 *counted)
{
	const struct loom_slice_limits sram = { .lanes = 4, .bytes = 6000, .align_bytes = 16 };
	const struct loom_planner_options how = {
		.grouping = "layerwise", .chip = chip, .objective = LOOM_OBJECTIVE_BYTES,
	};
	struct loom_program *program;
	struct test_case test;
	struct list_case c;
	u32 i;

	make_case(&test, which * 7919 + 5);
	if (loom_program_create(test.graph, &how, &program, NULL))
		tap_fatal("no plan of graph %u", which);
	*counted += program->stats.cycles;
	loom_program_destroy(program);
	list_begin(&c, test.graph, &sram);
	c.lower.chip = chip;
	for (i = 0; i < c.list.num_units; i++)
		*estimated += loom_group_layerwise_cycles(&c.list, i);
	list_end(&c);
	free_case(&test);
}

static void test_alone(void)
{
	u32 i, which;

	for (i = 0; i < ARRAY_SIZE(costly); i++) {
		struct drm_loom_chip chip = chip_of_cost(&costly[i]);
		u64 estimated = 0, counted = 0, permille;

		for (which = 0; which < 30; which++)
			add_alone(which, &chip, &estimated, &counted);
		permille = 1000 * estimated / counted;
		tap_ok(permille == costly[i].permille,
		       "%s: estimates of nodes alone are %llu permille of what plans cost",
		       costly[i].what, (unsigned long long)permille);
	}
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_run(argc, argv, ROUNDS, try_round);

	tap_ok(!rounds.bad, "%u of %u graphs: every cost of an estimate is written",
	       rounds.count - rounds.bad, rounds.count);
	tap_note("%u estimates, %u of groups that do not fit; work of %u ops in slices",
		 num_estimates, num_refused, num_works);
	if (argc > 1)
		return tap_end();
	test_batches();
	test_slowest();
	test_tiles();
	test_alone();
	tap_ok(num_estimates > 1000 && num_refused > 100, "some groups fit, others do not");
	return tap_end();
}
