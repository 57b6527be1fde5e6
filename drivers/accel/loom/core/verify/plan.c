// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "verify.h"

/**
 * DOC: The plan verifier
 *
 * A plan comes from an untrusted client, and decides where a device reads and writes. The verifier
 * proves, before anything runs, that
 *
 * - every element of every operand lies in its tensor, and the tensor in its slot or in the
 *   scratch: view.c, tensor.c;
 * - tensors that are alive in the same step do not share bytes: overlap.c;
 * - views of an image stay inside of its rows and columns: image.c;
 * - an operation does not leave its operands, and its units are bounded: the room core/op;
 * - only written elements are read: data.c with footprint.c and coverage.c;
 * - no stream touches what the other writes in the same step: hazard.c;
 * - payloads of native commands keep to their operands, by the check of the back end: native.c.
 *
 * It decodes accepted plans, and the engine runs nothing else. The rules are those of &enum
 * drm_loom_rule; the first that is broken, in the order of the tables, is reported.
 *
 * Safety of the verifier itself: it works on one copy of the client's bytes, which must not change;
 * everything that is not allowed is refused, there is no default; sums and products of the client's
 * numbers must go through check_*_overflow() until a bound on them is proved; "not set" must be a
 * separate bool and never a magic number; each function that can refuse must be __must_check.
 *
 * Complexity: time is O(n log n) and memory O(n) in tensors plus commands, for any plan: loops must
 * not run over a dim, a size or a step count of a tensor. The constants are bounded, too: at most
 * LOOM_PLAN_WORK_BYTE units of work (work.h) for each byte of the plan, of which coverage.c may
 * take four, and LOOM_PLAN_MEMORY_BYTE bytes of memory. A plan beyond the bound on work is refused,
 * with its own rule. There are at most LOOM_WORK_INTERVAL units and a few between two checks for a
 * fatal signal. Rejected: a map of bytes, simple but as large as the device; and comparing all
 * pairs, simple but quadratic.
 */

/* Bytes of attributes copied between two checks for a fatal signal. */
#define LOOM_PLAN_COPY_BYTES	0x10000

/* Guaranteed alignment of a table. */
#define LOOM_TABLE_ALIGN 8

/* in the order of the header */
enum {
	LOOM_TABLE_SLOTS,
	LOOM_TABLE_TENSORS,
	LOOM_TABLE_STEPS,
	LOOM_TABLE_COMMANDS,
	LOOM_TABLE_VIEWS,
	LOOM_TABLE_ATTRS,
	LOOM_TABLE_IMAGES,
	LOOM_TABLE_COUNT,
};

/**
 * struct loom_table_rule - what is known about a table
 * @entry_bytes: size of an entry
 * @max_count: cap on the number of entries
 */
struct loom_table_rule {
	u32 entry_bytes;
	u32 max_count;
};

static const struct loom_table_rule loom_table_rules[LOOM_TABLE_COUNT] = {
	[LOOM_TABLE_SLOTS] = { sizeof(struct drm_loom_plan_slot), DRM_LOOM_MAX_SLOTS },
	[LOOM_TABLE_TENSORS] = { sizeof(struct drm_loom_plan_tensor), DRM_LOOM_MAX_TENSORS },
	[LOOM_TABLE_STEPS] = { sizeof(struct drm_loom_plan_step), DRM_LOOM_MAX_STEPS },
	[LOOM_TABLE_COMMANDS] = { sizeof(struct drm_loom_plan_command), DRM_LOOM_MAX_COMMANDS },
	[LOOM_TABLE_VIEWS] = { sizeof(struct drm_loom_plan_view), DRM_LOOM_MAX_VIEWS },
	[LOOM_TABLE_ATTRS] = { 1, DRM_LOOM_MAX_ATTR_BYTES },
	[LOOM_TABLE_IMAGES] = { sizeof(struct drm_loom_plan_image), DRM_LOOM_MAX_SLOTS },
};

static const struct drm_loom_table *loom_plan_table(const struct drm_loom_plan_header *header,
						    u32 table)
{
	const u8 *first = (const u8 *)header + offsetof(struct drm_loom_plan_header, slots);

	return (const struct drm_loom_table *)(const void *)first + table;
}

static u64 loom_plan_header_bytes(const struct drm_loom_plan_header *header)
{
	return header->version == DRM_LOOM_PLAN_VERSION_NATIVE ?
	       sizeof(struct drm_loom_plan_header_native) : sizeof(*header);
}

static int __must_check loom_plan_check_header(struct loom_verify *verify, u64 size)
{
	const struct drm_loom_plan_header *header = verify->header;
	const struct drm_loom_plan_header_native *native = (const void *)header;

	if (size < sizeof(*header))
		return loom_reject(verify, DRM_LOOM_RULE_HEADER);
	if (header->magic != DRM_LOOM_PLAN_MAGIC || header->size != size || header->flags ||
	    (header->version != DRM_LOOM_PLAN_VERSION &&
	     header->version != DRM_LOOM_PLAN_VERSION_NATIVE) ||
	    size < loom_plan_header_bytes(header))
		return loom_reject(verify, DRM_LOOM_RULE_HEADER);
	if (header->version == DRM_LOOM_PLAN_VERSION_NATIVE && native->format.pad)
		return loom_reject(verify, DRM_LOOM_RULE_HEADER);
	return 0;
}

/* Plans of versions without images have zeroes there. */
static bool loom_table_absent(const struct drm_loom_table *table)
{
	return !table->offset && !table->count && !table->stride;
}

static int __must_check loom_plan_check_tables(struct loom_verify *verify, u64 size)
{
	u64 start[LOOM_TABLE_COUNT], end[LOOM_TABLE_COUNT];
	u32 i, j;

	for (i = 0; i < LOOM_TABLE_COUNT; i++) {
		const struct drm_loom_table *table = loom_plan_table(verify->header, i);

		/* it is the last table: no other is compared with it */
		if (i == LOOM_TABLE_IMAGES && loom_table_absent(table))
			return 0;
		/* The product of two u32 fits. */
		if (table->stride != loom_table_rules[i].entry_bytes ||
		    table->offset & (LOOM_TABLE_ALIGN - 1) ||
		    table->offset < loom_plan_header_bytes(verify->header) ||
		    check_add_overflow(table->offset, (u64)table->count * table->stride,
				       &end[i]) ||
		    end[i] > size)
			return loom_reject(verify, DRM_LOOM_RULE_TABLE);
		start[i] = table->offset;
		for (j = 0; j < i; j++)
			if (start[i] < end[j] && start[j] < end[i])
				return loom_reject(verify, DRM_LOOM_RULE_TABLE);
	}
	return 0;
}

static int __must_check loom_plan_check_limits(struct loom_verify *verify, u64 size)
{
	u32 i;

	if (size > DRM_LOOM_MAX_PLAN_BYTES)
		return loom_reject(verify, DRM_LOOM_RULE_LIMIT);
	for (i = 0; i < LOOM_TABLE_COUNT; i++)
		if (loom_plan_table(verify->header, i)->count > loom_table_rules[i].max_count)
			return loom_reject(verify, DRM_LOOM_RULE_LIMIT);
	return 0;
}

static int __must_check loom_plan_check_device(struct loom_verify *verify)
{
	const struct drm_loom_chip_region *sram = &verify->chip->region[DRM_LOOM_REGION_SRAM];
	const struct drm_loom_plan_header *header = verify->header;
	u64 top;

	if (!header->lanes || header->lanes != sram->banks)
		return loom_reject(verify, DRM_LOOM_RULE_TOPOLOGY);
	if (check_add_overflow(header->scratch_bytes, sram->reserved_bytes, &top) ||
	    top > sram->bank_bytes)
		return loom_reject(verify, DRM_LOOM_RULE_SCRATCH);
	return 0;
}

static int __must_check loom_plan_check_slots(struct loom_verify *verify)
{
	const struct drm_loom_chip_region *sram = &verify->chip->region[DRM_LOOM_REGION_SRAM];
	const u32 access = DRM_LOOM_SLOT_READ | DRM_LOOM_SLOT_WRITE;
	const u32 kind = DRM_LOOM_SLOT_SRAM | DRM_LOOM_SLOT_SPREAD | DRM_LOOM_SLOT_ROM |
			 DRM_LOOM_SLOT_PER_BANK;
	const u32 linear = DRM_LOOM_SLOT_SPREAD | DRM_LOOM_SLOT_PER_BANK;
	u32 i;

	for (i = 0; i < verify->header->slots.count; i++) {
		const struct drm_loom_plan_slot *slot = &verify->slots[i];

		if (!slot->size || slot->pad || !(slot->flags & access) ||
		    slot->flags & ~(access | kind))
			return loom_reject_slot(verify, DRM_LOOM_RULE_SLOT, i);
		/* a piece of every bank, at one address */
		if (slot->flags & DRM_LOOM_SLOT_SRAM &&
		    (slot->flags & linear || slot->size > sram->bank_bytes))
			return loom_reject_slot(verify, DRM_LOOM_RULE_SLOT, i);
		if (slot->flags & DRM_LOOM_SLOT_ROM &&
		    slot->flags & (DRM_LOOM_SLOT_WRITE | DRM_LOOM_SLOT_SRAM))
			return loom_reject_slot(verify, DRM_LOOM_RULE_SLOT, i);
		if (!verify->chip->region[loom_slot_region(slot)].banks)
			return loom_reject_slot(verify, DRM_LOOM_RULE_SLOT, i);
	}
	return 0;
}

static void loom_plan_find_tables(struct loom_verify *verify, const u8 *blob)
{
	const struct drm_loom_plan_header *header = verify->header;

	verify->slots = (const void *)(blob + header->slots.offset);
	verify->tensors = (const void *)(blob + header->tensors.offset);
	verify->steps = (const void *)(blob + header->steps.offset);
	verify->commands = (const void *)(blob + header->commands.offset);
	verify->views = (const void *)(blob + header->views.offset);
	verify->attrs = blob + header->attrs.offset;
}

static int __must_check loom_plan_copy_attrs(struct loom_verify *verify)
{
	u32 at = 0, count = verify->header->attrs.count, bytes;
	int ret;

	for (; at < count; at += bytes) {
		bytes = min(count - at, (u32)LOOM_PLAN_COPY_BYTES);
		ret = loom_verify_work(verify, LOOM_PLAN_COPY_BYTES / 64);
		if (ret)
			return ret;
		memcpy((u8 *)verify->plan->attrs + at, verify->attrs + at, bytes);
	}
	return 0;
}

/* Allocates the decoded plan: the counts are within their limits. */
static int __must_check loom_plan_alloc(struct loom_verify *verify)
{
	const struct drm_loom_plan_header *header = verify->header;
	struct loom_plan *plan = loom_port_alloc(1, sizeof(*plan));
	u32 i;

	if (!plan)
		return -ENOMEM;
	verify->plan = plan;
	plan->lanes = header->lanes;
	plan->overlap = verify->chip->flags & DRM_LOOM_CHIP_OVERLAP;
	plan->scratch_bytes = header->scratch_bytes;
	plan->native = verify->format;
	if (verify->format)
		plan->format = *verify->format;
	plan->slot_count = header->slots.count;
	plan->step_count = header->steps.count;
	plan->command_count = header->commands.count;
	plan->view_count = header->views.count;
	plan->tensor_count = header->tensors.count;
	plan->slots = loom_port_alloc(plan->slot_count, sizeof(*plan->slots));
	plan->steps = loom_port_alloc(plan->step_count, sizeof(*plan->steps));
	plan->commands = loom_port_alloc(plan->command_count, sizeof(*plan->commands));
	plan->views = loom_port_alloc(plan->view_count, sizeof(*plan->views));
	plan->attr_bytes = header->attrs.count;
	plan->attrs = loom_port_alloc(header->attrs.count, 1);
	plan->scratch_ends = loom_port_alloc(plan->lanes, sizeof(*plan->scratch_ends));
	verify->states = loom_port_alloc(plan->tensor_count, sizeof(*verify->states));
	if (!plan->slots || !plan->steps || !plan->commands || !plan->views || !plan->attrs ||
	    !plan->scratch_ends || !verify->states)
		return -ENOMEM;

	for (i = 0; i < plan->slot_count; i++) {
		const struct drm_loom_plan_image *image = verify->images[i];

		plan->slots[i].size = verify->slots[i].size;
		plan->slots[i].flags = verify->slots[i].flags;
		if (!image)
			continue;
		plan->slots[i].dtype = image->dtype;
		plan->slots[i].width = image->width;
		plan->slots[i].height = image->height;
		plan->slots[i].pitch_bytes = image->pitch_bytes;
	}
	return loom_plan_copy_attrs(verify);
}

/* Bit mask of the regions that compute commands may read in, besides the SRAM. */
static u32 loom_plan_in_place(const struct drm_loom_chip *chip)
{
	u32 i, regions = 0;

	for (i = 0; i < DRM_LOOM_REGION_COUNT; i++)
		if (chip->region[i].flags & DRM_LOOM_CHIP_IN_PLACE)
			regions |= 1U << i;
	return regions;
}

static int __must_check loom_plan_verify(struct loom_verify *verify, const void *blob, u64 size)
{
	int ret;

	verify->header = blob;
	ret = loom_plan_check_header(verify, size);
	if (ret)
		return ret;
	ret = loom_plan_check_tables(verify, size);
	if (ret)
		return ret;
	ret = loom_plan_check_limits(verify, size);
	if (ret)
		return ret;
	ret = loom_native_check_format(verify);
	if (ret)
		return ret;
	ret = loom_plan_check_device(verify);
	if (ret)
		return ret;
	loom_plan_find_tables(verify, blob);
	ret = loom_plan_check_slots(verify);
	if (ret)
		return ret;
	ret = loom_verify_images(verify);
	if (ret)
		return ret;
	ret = loom_plan_alloc(verify);
	if (ret)
		return ret;
	ret = loom_overlap_begin(verify);
	if (ret)
		return ret;
	ret = loom_verify_tensors(verify);
	if (ret)
		return ret;
	ret = loom_overlap_end(verify);
	if (ret)
		return ret;
	return loom_verify_steps(verify);
}

int loom_plan_create_counted(const void *blob, u64 size, const struct drm_loom_chip *chip,
			     const struct loom_native *native, struct loom_plan **plan,
			     struct drm_loom_reject *reject, struct loom_work *work)
{
	struct loom_verify *verify;
	int ret;

	*plan = NULL;
	memset(reject, 0, sizeof(*reject));
	memset(work, 0, sizeof(*work));
	verify = loom_port_alloc(1, sizeof(*verify));
	if (!verify)
		return -ENOMEM;
	verify->chip = chip;
	verify->native = native;
	verify->reject = reject;
	verify->in_place = loom_plan_in_place(chip);
	loom_coverage_pool_init(&verify->pool, &verify->work, size);

	ret = loom_plan_verify(verify, blob, size);
	if (ret)
		loom_plan_destroy(verify->plan);
	else
		*plan = verify->plan;
	*work = verify->work;

	loom_coverage_pool_fini(&verify->pool);
	loom_overlap_free(verify);
	loom_port_free(verify->accesses);
	loom_port_free(verify->states);
	loom_port_free(verify);
	return ret;
}

int loom_plan_create_native(const void *blob, u64 size, const struct drm_loom_chip *chip,
			    const struct loom_native *native, struct loom_plan **plan,
			    struct drm_loom_reject *reject)
{
	struct loom_work work;

	return loom_plan_create_counted(blob, size, chip, native, plan, reject, &work);
}

u64 loom_plan_peak_bytes(const void *blob, u64 size)
{
	const struct drm_loom_plan_header *header = blob;
	u64 bytes = sizeof(struct loom_verify) + sizeof(struct loom_plan) +
		    DRM_LOOM_MAX_SLOTS * sizeof(struct loom_slot) +
		    DRM_LOOM_MAX_BANKS * sizeof(u64);
	u32 count[LOOM_TABLE_COUNT], i;
	u64 overlap, steps;

	if (size < sizeof(*header))
		return bytes;
	/* a plan whose tables do not fit is refused before anything is allocated for them */
	for (i = 0; i < LOOM_TABLE_COUNT; i++)
		count[i] = min((u64)loom_plan_table(header, i)->count,
			       div64_u64(size, loom_table_rules[i].entry_bytes));
	bytes += count[LOOM_TABLE_STEPS] * (u64)sizeof(struct loom_step) +
		 count[LOOM_TABLE_COMMANDS] * (u64)sizeof(struct loom_command) +
		 count[LOOM_TABLE_VIEWS] * (u64)sizeof(struct loom_view) +
		 count[LOOM_TABLE_ATTRS] +
		 count[LOOM_TABLE_TENSORS] * (u64)sizeof(struct loom_tensor_state);
	overlap = loom_verify_overlap_bytes(count[LOOM_TABLE_TENSORS], count[LOOM_TABLE_STEPS]);
	steps = loom_coverage_bytes(size) + count[LOOM_TABLE_COMMANDS] *
		(u64)(DRM_LOOM_MAX_OPERANDS * sizeof(struct loom_access));
	if (header->version == DRM_LOOM_PLAN_VERSION_NATIVE)
		steps += count[LOOM_TABLE_VIEWS] * (u64)sizeof(struct loom_access);
	return bytes + max(overlap, steps);
}

u64 loom_plan_bytes(const struct loom_plan *plan)
{
	return sizeof(*plan) + plan->slot_count * (u64)sizeof(*plan->slots) +
	       plan->step_count * (u64)sizeof(*plan->steps) +
	       plan->command_count * (u64)sizeof(*plan->commands) +
	       plan->view_count * (u64)sizeof(*plan->views) + plan->attr_bytes +
	       plan->lanes * (u64)sizeof(*plan->scratch_ends);
}

void loom_plan_destroy(struct loom_plan *plan)
{
	if (!plan)
		return;
	loom_port_free(plan->slots);
	loom_port_free(plan->steps);
	loom_port_free(plan->commands);
	loom_port_free(plan->views);
	loom_port_free(plan->attrs);
	loom_port_free(plan->scratch_ends);
	loom_port_free(plan);
}
