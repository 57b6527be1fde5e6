// SPDX-License-Identifier: MIT
/*
 * Looks for plans that keep the verifier busy, or make it take memory, for few bytes of their own.
 * work.c has plans that somebody thought of; here they are bred. A plan is made from numbers, its
 * genes: tensors and aliases of some shape, and templates of commands over slices of them, each
 * repeated with its operands shared or moved on. One gene after the other is changed at random, and
 * changes for the worse are undone. Work is counted, not measured, so a seed gives the same plans
 * on all machines.
 *
 *	attack [ROUNDS [SEED [COMMANDS]]]
 *
 * No plan on the way may take more than the bounds say; the worst are printed.
 */
#include <time.h>

#include "chips.h"
#include "plan_builder.h"
#include "port.h"
#include "random.h"
#include "tap.h"
#include "verify/verify.h"

#define LANES		4
#define BANK_BYTES	(64U << 10)
#define SLOT_BYTES	(1ULL << 40)
#define LARGER		64
#define MAX_TENSORS	4
#define MAX_TEMPLATES	6

/**
 * struct template_genes - a command, and how it is repeated
 * @what: which operation; how large its share of all commands is; whether a step begins before it;
 *	whether its operands are shared; the axis along which they move on, and by how much
 * @box: elements by axis
 * @tensor: of each operand
 * @start: of each operand by axis
 * @order: of each operand: how its axes are exchanged
 */
struct template_genes {
	u8 what[6];
	u8 box[DRM_LOOM_MAX_RANK];
	u8 tensor[DRM_LOOM_MAX_OPERANDS];
	u8 start[DRM_LOOM_MAX_OPERANDS][DRM_LOOM_MAX_RANK];
	u8 order[DRM_LOOM_MAX_OPERANDS];
};

/**
 * struct genes - a plan
 * @counts: of axes, of tensors, of templates; where the tensors are
 * @dims: by tensor and axis
 * @parents: by tensor: whether it is an alias, and of which
 * @templates: of commands, in the order of the plan
 */
struct genes {
	u8 counts[4];
	u8 dims[MAX_TENSORS][DRM_LOOM_MAX_RANK];
	u8 parents[MAX_TENSORS];
	struct template_genes templates[MAX_TEMPLATES];
};

/* Cost of a plan's verification, by byte of the plan. */
struct effort {
	double work;
	double memory;
	u64 size;
	int ret;
	u32 rule;
};

static struct drm_loom_chip chip =
	CHIP("attack", (1, 1, SLOT_BYTES, 0, 64), (LANES, 1, BANK_BYTES, 0, 16));
static u32 commands = 1500;
static u64 over_work, over_memory, over_said, late, accepted, refused;

/* Shapes: dims that are small or long, as many as fit in a bank if they are in the SRAM. */
static void add_tensors(struct plan_builder *pb, const struct genes *genes, u32 rank, u32 count)
{
	static const u16 dims[] = { 1, 2, 3, 4, 5, 7, 8, 9, 16, 33, 64, 512, 4096 };
	bool sram = genes->counts[3] % 2;
	u64 offset = 0;
	u32 t, i;

	for (t = 0; t < count; t++) {
		u32 parent = t ? genes->parents[t] % t : 0;
		struct pb_shape shape = { .rank = rank };
		struct drm_loom_plan_tensor *tensor;
		bool alias = t && genes->parents[t] >= 128 &&
			     !(pb_tensor(pb, parent)->flags & DRM_LOOM_TENSOR_ALIAS);
		u64 room = alias ? pb_tensor(pb, parent)->size :
			   sram ? BANK_BYTES / MAX_TENSORS : 1ULL << 36;

		for (i = 0; i < rank; i++)
			shape.dims[i] = dims[genes->dims[t][i] % ARRAY_SIZE(dims)];
		if (alias)
			pb_add_alias(pb, parent, DRM_LOOM_DTYPE_I8, 0, shape);
		else if (sram)
			pb_add_sram(pb, offset, 0, 0, DRM_LOOM_DTYPE_I8, 0, shape);
		else
			pb_add_dram(pb, 0, offset, 0, 0, DRM_LOOM_DTYPE_I8, shape);
		tensor = pb_tensor(pb, t);
		for (i = 0; tensor->size > room; i = (i + 1) % rank) {
			tensor->dims[i] = (tensor->dims[i] + 1) / 2;
			pb_pack(pb, tensor);
		}
		if (!alias)
			offset += (tensor->size + 63) & ~63ULL;
	}
}

/* The axes of a view in one of as many orders as it has; lanes stay the first in the SRAM. */
static struct drm_loom_plan_view exchanged(struct drm_loom_plan_view view, u32 first, u32 gene)
{
	u32 order[DRM_LOOM_MAX_RANK], i, j, other;

	for (i = 0; i < view.rank; i++)
		order[i] = i;
	for (i = view.rank; i-- > first + 1;) {
		j = first + gene % (i + 1 - first);
		gene /= i + 1 - first;
		other = order[i];
		order[i] = order[j];
		order[j] = other;
	}
	return pb_transpose(view, order);
}

/* An operand of the @n-th repetition: a box of a tensor, or the whole length of a short axis. */
static struct drm_loom_plan_view operand(struct plan_builder *pb, const struct template_genes *of,
					 u32 tensors, const u32 *box, u32 index, u32 n)
{
	u32 tensor = of->tensor[index] % tensors, axis, length, room;
	struct drm_loom_plan_view view = pb_all(pb, tensor);
	u32 moving = of->what[4] % view.rank;

	for (axis = 0; axis < view.rank; axis++) {
		length = min(box[axis], view.dims[axis]);
		room = view.dims[axis] - length + 1;
		view = pb_slice(pb, view, axis,
				(of->start[index][axis] + (axis == moving ? n * of->what[5] : 0)) %
				room, length);
	}
	if (of->order[index] < 64)
		view = exchanged(view, pb_tensor(pb, tensor)->region == DRM_LOOM_REGION_SRAM,
				 of->order[index]);
	return view;
}

static void add_template(struct plan_builder *pb, const struct template_genes *of, u32 tensors,
			 u32 rank, u32 times)
{
	static const u16 opcodes[] = { DRM_LOOM_OP_FILL, DRM_LOOM_OP_COPY, DRM_LOOM_OP_UNARY,
				       DRM_LOOM_OP_BINARY };
	static const u8 operands[] = { 1, 2, 2, 3 };
	static const struct drm_loom_attr_unary unary = { .kind = DRM_LOOM_UNARY_RELU };
	static const struct drm_loom_attr_binary binary = { .kind = DRM_LOOM_BINARY_ADD };
	static const struct drm_loom_attr_fill fill;
	static const u16 lengths[] = { 1, 2, 3, 4, 5, 6, 7, 8, 16, 64, 512, 4096 };
	static const void *const attrs[] = { &fill, NULL, &unary, &binary };
	static const u32 sizes[] = { sizeof(fill), 0, sizeof(unary), sizeof(binary) };
	u32 kind = of->what[0] % ARRAY_SIZE(opcodes), box[DRM_LOOM_MAX_RANK], i, n, first_attr = 0;
	bool compute = loom_op_get(opcodes[kind])->stream == LOOM_STREAM_COMPUTE;
	struct drm_loom_plan_command *command;
	struct pb_views views = { .count = operands[kind] };

	if (!pb->steps.count || of->what[2] % 4 == 0 ||
	    (!compute && pb_step(pb, pb->steps.count - 1)->compute_commands))
		pb_begin_step(pb);
	for (i = 0; i < rank; i++)
		box[i] = lengths[of->box[i] % ARRAY_SIZE(lengths)];
	for (n = 0; n < times; n++) {
		bool shared = n && of->what[3] % 2;
		u32 at;

		/* a view that is not stored again costs nothing */
		if (!shared)
			for (i = 0; i < views.count; i++)
				views.view[i] = operand(pb, of, tensors, box, i, n);
		at = pb_add_views(pb, opcodes[kind], attrs[kind], n ? 0 : sizes[kind], &views);
		command = pb_command(pb, at);
		if (!n)
			first_attr = command->attr_offset;
		command->attr_offset = sizes[kind] ? first_attr : 0;
		command->attr_size = sizes[kind];
		if (shared) {
			pb->views.count -= views.count;
			command->first_view = pb_command(pb, at - 1)->first_view;
		}
	}
}

static void *make(const struct genes *genes, u64 *size)
{
	u32 rank = 1 + genes->counts[0] % DRM_LOOM_MAX_RANK;
	u32 tensors = 1 + genes->counts[1] % MAX_TENSORS;
	u32 templates = 1 + genes->counts[2] % MAX_TEMPLATES, weights = 0, i;
	struct plan_builder pb;
	void *blob;

	pb_init(&pb, LANES, genes->counts[3] % 2 ? BANK_BYTES : 0);
	pb_add_slot(&pb, SLOT_BYTES, DRM_LOOM_SLOT_WRITE |
		    (genes->counts[3] % 8 == 2 ? DRM_LOOM_SLOT_READ : 0));
	add_tensors(&pb, genes, rank, tensors);
	for (i = 0; i < templates; i++)
		weights += 1 + genes->templates[i].what[1] % 32;
	for (i = 0; i < templates; i++)
		add_template(&pb, &genes->templates[i], tensors, rank,
			     1 + commands * (1 + genes->templates[i].what[1] % 32) / weights);
	for (i = 0; i < tensors; i++)
		pb_tensor(&pb, i)->last_step = pb.steps.count - 1;
	blob = pb_blob(&pb, size);
	pb_fini(&pb);
	return blob;
}

static struct effort judge(const struct genes *genes)
{
	struct drm_loom_reject reject;
	struct effort effort = {};
	struct loom_plan *plan;
	struct loom_work work;
	void *blob = make(genes, &effort.size);

	port_bytes_most = 0;
	effort.ret = loom_plan_create_counted(blob, effort.size, &chip, NULL, &plan, &reject,
					      &work);
	effort.rule = reject.rule;
	effort.work = (double)work.done / (double)effort.size;
	/* small plans count as 16 KiB, because the bound has a constant part */
	effort.memory = (double)port_bytes_most / (double)max(effort.size, 1ULL << 14);
	over_work += work.done > LOOM_PLAN_WORK_START + effort.size * LOOM_PLAN_WORK_BYTE;
	over_memory += port_bytes_most > LOOM_PLAN_MEMORY_START +
					 effort.size * LOOM_PLAN_MEMORY_BYTE;
	over_said += port_bytes_most > loom_plan_peak_bytes(blob, effort.size);
	late += work.longest >= 2 * LOOM_WORK_INTERVAL;
	accepted += !effort.ret;
	refused += effort.ret == -EBADMSG;
	loom_plan_destroy(plan);
	free(blob);
	return effort;
}

/* Objective of the search: work or memory, of accepted plans only or of all. */
static double worth(const struct effort *effort, bool memory, bool fine)
{
	if (fine && effort->ret)
		/* one that breaks a rule late is nearer to one that breaks none */
		return memory ? 0 : effort->work / 1e6;
	return memory ? effort->memory : effort->work;
}

static void change(struct genes *genes, const struct genes *other)
{
	u8 *bytes = (u8 *)genes;
	u32 times = 1 + random_below(4), at, length;

	while (times--) {
		at = random_below(sizeof(*genes));
		if (random_below(8)) {
			bytes[at] = random_below(256);
			continue;
		}
		/* a piece of another one */
		length = 1 + random_below(32);
		length = min(length, (u32)sizeof(*genes) - at);
		memcpy(bytes + at, (const u8 *)other + at, length);
	}
}

static void note(const struct genes *genes, const struct effort *effort, bool memory, bool fine)
{
	static const char *const names[] = { "FILL", "COPY", "UNARY", "BINARY" };
	u32 templates = 1 + genes->counts[2] % MAX_TEMPLATES, i;

	tap_note("most %s by byte%s: %.2f units and %.2f bytes for each of %llu bytes, rule %s",
		 memory ? "memory" : "work", fine ? ", accepted" : "", effort->work, effort->memory,
		 (unsigned long long)effort->size,
		 effort->ret ? loom_rule_name(effort->rule) : "none");
	printf("#   %s, %u axes, %u tensors:", genes->counts[3] % 2 ? "SRAM" : "DRAM",
	       1 + genes->counts[0] % DRM_LOOM_MAX_RANK, 1 + genes->counts[1] % MAX_TENSORS);
	for (i = 0; i < templates; i++)
		printf(" %s%s*%u%s", genes->templates[i].what[2] % 4 ? "" : "| ",
		       names[genes->templates[i].what[0] % ARRAY_SIZE(names)],
		       1 + genes->templates[i].what[1] % 32,
		       genes->templates[i].what[3] % 2 ? " shared" : "");
	printf("\n");
}

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + 0.000000001 * (double)ts.tv_nsec;
}

/* Some lines are bred by themselves, as each ends somewhere else. */
static void breed(bool memory, bool fine, u32 rounds)
{
	const u32 lines = 4;
	struct genes best = {}, line = {}, next;
	struct effort top = {}, effort, now = {};
	double start;
	u32 i, n, at;

	for (i = 0; i < lines; i++) {
		for (n = 0; n < rounds / lines; n++) {
			if (n < rounds / lines / 8) {
				/* the line begins with the best of many */
				for (at = 0; at < sizeof(next); at++)
					((u8 *)&next)[at] = random_below(256);
			} else {
				next = line;
				change(&next, &best);
			}
			effort = judge(&next);
			if (n && worth(&effort, memory, fine) < worth(&now, memory, fine))
				continue;
			line = next;
			now = effort;
		}
		if (i && worth(&now, memory, fine) <= worth(&top, memory, fine))
			continue;
		best = line;
		top = now;
	}
	note(&best, &top, memory, fine);
	/* sorting and searching take longer where more is sorted */
	commands *= LARGER;
	start = now_s();
	effort = judge(&best);
	tap_note("  %u times the commands: %.2f units, %.2f bytes, %.0f ns for each of %llu, %s",
		 LARGER, effort.work, effort.memory, 1e9 * (now_s() - start) / (double)effort.size,
		 (unsigned long long)effort.size,
		 effort.ret ? loom_rule_name(effort.rule) : "none");
	commands /= LARGER;
}

int main(int argc, char **argv)
{
	u32 rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : getenv("LOOM_SANITIZED") ? 500 : 1500;

	random_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	commands = argc > 3 ? strtoul(argv[3], NULL, 0) : commands;
	breed(false, false, rounds);
	breed(false, true, rounds);
	breed(true, false, rounds);
	breed(true, true, rounds);
	tap_ok(!over_work, "%u plans: the work of %llu is above its bound", 4 * rounds,
	       (unsigned long long)over_work);
	tap_ok(!over_memory && !over_said, "the memory of %llu is, or above what was said before",
	       (unsigned long long)(over_memory + over_said));
	tap_ok(!late, "%llu did not look for signals often enough", (unsigned long long)late);
	tap_ok(!port_bytes, "nothing is left");
	tap_ok(accepted > rounds / 4 && refused > rounds / 4,
	       "%llu were accepted, %llu refused", (unsigned long long)accepted,
	       (unsigned long long)refused);
	return tap_end();
}
