// SPDX-License-Identifier: MIT
/*
 * An operation's check that refuses a command fills in all of the record, whatever stood in it
 * before.
 */
#include "loom_op.h"
#include "tap.h"

#define LANES	16

static struct loom_view row(u32 dtype, u32 region)
{
	return (struct loom_view){
		.region = region, .dtype = dtype, .elem_bytes = loom_dtype_stride(dtype),
		.rank = 1, .dims = { LANES, 1, 1, 1, 1, 1 },
		.strides = { loom_dtype_stride(dtype) },
	};
}

/* A record in which all is set, to something that is not so. */
static struct loom_check refused(struct loom_command *command, u32 opcode, const void *attr,
				 const struct loom_view *views, u32 operands)
{
	struct loom_check check = {
		.command = command, .rule = DRM_LOOM_RULE_END, .operand = DRM_LOOM_MAX_OPERANDS,
		.has_operand = true,
	};

	*command = (struct loom_command){
		.op = loom_op_get(opcode), .attr = attr, .views = views, .operands = operands,
	};
	if (command->op->check(&check))
		tap_fatal("%s was accepted", command->op->name);
	return check;
}

static void test_no_operand(void)
{
	static const struct drm_loom_attr_binary attr = { .kind = ~0U };
	struct loom_view views[3];
	struct loom_command command;
	struct loom_check check;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(views); i++)
		views[i] = row(DRM_LOOM_DTYPE_F32, DRM_LOOM_REGION_SRAM);
	check = refused(&command, DRM_LOOM_OP_BINARY, &attr, views, ARRAY_SIZE(views));
	tap_ok(check.rule == DRM_LOOM_RULE_ATTR && !check.has_operand,
	       "a wrong attribute is the fault of no operand");
}

static void test_operand(void)
{
	static const struct drm_loom_attr_binary attr = { .kind = DRM_LOOM_BINARY_ADD };
	struct loom_view views[3];
	struct loom_command command;
	struct loom_check check;
	u32 i, at;

	for (at = 0; at < ARRAY_SIZE(views); at++) {
		for (i = 0; i < ARRAY_SIZE(views); i++)
			views[i] = row(DRM_LOOM_DTYPE_F32, i == at ? DRM_LOOM_REGION_DRAM :
								     DRM_LOOM_REGION_SRAM);
		check = refused(&command, DRM_LOOM_OP_BINARY, &attr, views, ARRAY_SIZE(views));
		tap_ok(check.rule == DRM_LOOM_RULE_VIEW_REGION && check.has_operand &&
		       check.operand == at, "operand %u is where no operation computes", at);
	}
}

int main(void)
{
	test_no_operand();
	test_operand();
	return tap_end();
}
