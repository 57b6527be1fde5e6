// SPDX-License-Identifier: MIT
/*
 * What a plan is charged before it is looked at is enough for what the verifier takes, whichever
 * table is the large one, and not more than that.
 */
#include "counted.h"
#include "plan_builder.h"
#include "tap.h"
#include "verify/coverage.h"
#include "verify/verify.h"

#define COUNT	20000
/* Slots and banks are charged as if there were all of them. */
#define ROOM_BYTES	(DRM_LOOM_MAX_SLOTS * sizeof(struct loom_slot) +	\
			 DRM_LOOM_MAX_BANKS * sizeof(u64))

bool loom_port_relax(void)
{
	return true;
}

static void build_nothing(struct plan_builder *pb)
{
	(void)pb;
}

/* Of two bytes each, all alive in the one step. */
static void build_tensors(struct plan_builder *pb)
{
	u32 i;

	pb_add_slot(pb, 2 * COUNT, DRM_LOOM_SLOT_READ);
	for (i = 0; i < COUNT; i++)
		pb_add_dram(pb, 0, 2 * i, 0, 0, DRM_LOOM_DTYPE_I8, PB_SHAPE(2));
	pb_begin_step(pb);
}

static void build_steps(struct plan_builder *pb)
{
	u32 i;

	for (i = 0; i < COUNT; i++)
		pb_begin_step(pb);
}

static void build_views(struct plan_builder *pb)
{
	pb_push(&pb->views, COUNT);
}

static void build_attrs(struct plan_builder *pb)
{
	pb_push(&pb->attrs, 64 * COUNT);
}

static void build_slots(struct plan_builder *pb)
{
	u32 i;

	for (i = 0; i < DRM_LOOM_MAX_SLOTS; i++)
		pb_add_slot(pb, 1, DRM_LOOM_SLOT_READ);
}

static void build_commands(struct plan_builder *pb)
{
	struct drm_loom_attr_fill fill = {};
	u32 tensor, i;

	pb_add_slot(pb, 2, DRM_LOOM_SLOT_WRITE);
	tensor = pb_add_dram(pb, 0, 0, 0, 0, DRM_LOOM_DTYPE_I8, PB_SHAPE(2));
	pb_begin_step(pb);
	for (i = 0; i < COUNT; i++)
		pb_add(pb, DRM_LOOM_OP_FILL, &fill, sizeof(fill), PB_VIEWS(pb_all(pb, tensor)));
}

static const struct {
	const char *name;
	void (*build)(struct plan_builder *pb);
} plans[] = {
	{ "nothing", build_nothing },
	{ "tensors", build_tensors },
	{ "steps", build_steps },
	{ "views", build_views },
	{ "attributes", build_attrs },
	{ "slots", build_slots },
	{ "commands", build_commands },
};

/*
 * The sort of tensors and the ranges of commands are not in memory at once, so the larger is
 * charged. A plan without commands takes only the first.
 */
static void test_charge(const char *name, void (*build)(struct plan_builder *pb))
{
	const struct drm_loom_chip *chip = loom_preset_find("tiny");
	struct drm_loom_reject reject;
	struct plan_builder pb;
	struct loom_plan *plan;
	u64 size, said, sort;
	s64 room, most;
	void *blob;

	pb_init(&pb, chip->region[DRM_LOOM_REGION_SRAM].banks, 0);
	build(&pb);
	blob = pb_blob(&pb, &size);
	bytes_most = 0;
	if (loom_plan_create(blob, size, chip, &plan, &reject))
		tap_fatal("%s: refused for %s", name, loom_rule_name(reject.rule));
	said = loom_plan_peak_bytes(blob, size);
	room = (s64)(said - bytes_most);
	most = (s64)bytes_most;
	if (!pb.commands.count) {
		sort = loom_verify_overlap_bytes(pb.tensors.count, pb.steps.count);
		room += (s64)sort - (s64)max(sort, loom_coverage_bytes(size));
		/* of the levels of the bitmap it says a bit more than they are */
		most = (s64)ROOM_BYTES + pb.tensors.count / 8;
	}
	tap_ok(bytes_most <= said && room >= 0 && room <= most,
	       "%s: took %llu, was charged %llu, room %lld of %lld", name,
	       (unsigned long long)bytes_most, (unsigned long long)said, (long long)room,
	       (long long)most);
	loom_plan_destroy(plan);
	pb_fini(&pb);
	free(blob);
}

int main(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(plans); i++)
		test_charge(plans[i].name, plans[i].build);
	return tap_end();
}
