// SPDX-License-Identifier: MIT
/*
 * Every condition of the decoder: bytes for a device that are valid but for one thing, with a sum
 * that fits, so that the sum does not hide what the decoder looks at.
 */
#include "code.h"

static void report(struct code *code, int want, const char *what)
{
	tap_ok(code_try(code) == want, "%s: %s", want ? "refused" : "fine", what);
}

/* Makes the sample, changes one thing of it and tries. */
#define TRY(_images, _want, ...) do {						\
	struct code c;								\
										\
	code_make(&c, _images);							\
	__VA_ARGS__;								\
	report(&c, _want, #__VA_ARGS__);					\
} while (0)
#define REFUSED(...)	TRY(false, -EBADMSG, __VA_ARGS__)
#define FINE(...)	TRY(false, 0, __VA_ARGS__)
#define REFUSED_IMAGE(...)	TRY(true, -EBADMSG, __VA_ARGS__)
#define FINE_IMAGE(...)	TRY(true, 0, __VA_ARGS__)
/* Operand of a command. */
#define VIEW(_command, _operand) (c.views[c.commands[_command].first_view + (_operand)])
#define BANK_BYTES	(chip.region[DRM_LOOM_REGION_SRAM].bank_bytes -		\
			 chip.region[DRM_LOOM_REGION_SRAM].reserved_bytes)

static void test_header(void)
{
	FINE((void)c);
	FINE_IMAGE((void)c);
	REFUSED(c.header->magic++);
	REFUSED(c.header->version++);
	REFUSED(c.header->size += 8);
	REFUSED(c.header->size -= 8);
	REFUSED(c.header->pad = 1);
	REFUSED(c.header->lanes = 0);
	REFUSED(c.header->lanes--);
	REFUSED(c.header->lanes++);
	FINE(c.header->scratch_bytes = BANK_BYTES);
	REFUSED(c.header->scratch_bytes = BANK_BYTES + 1);
	REFUSED(c.header->scratch_bytes = ~0ULL);
	REFUSED(c.header->slots++);
	REFUSED(c.header->steps++);
	REFUSED(c.header->commands++);
	REFUSED(c.header->views++);
	REFUSED(c.header->attr_bytes += 8);
	REFUSED(c.header->slots = DRM_LOOM_MAX_SLOTS + 1);
	REFUSED(c.header->tensors = T_COUNT - 1);
	FINE(c.header->tensors = DRM_LOOM_MAX_TENSORS);
	REFUSED(c.header->tensors = DRM_LOOM_MAX_TENSORS + 1);
	FINE(c.ends[0].bytes = SAMPLE_SCRATCH);
	REFUSED(c.ends[0].bytes = SAMPLE_SCRATCH + 1);
	REFUSED(c.ends[1].bytes = c.ends[0].bytes + 1);
	FINE(c.ends[3].bytes = 0);
	REFUSED(c.ends[2].bytes = 0, c.ends[3].bytes = 1);
}

static void test_slots(void)
{
	REFUSED(c.slots[1].size = 0);
	REFUSED(c.slots[1].flags |= 0x40);
	REFUSED(c.slots[1].flags |= 0x80000000);
	REFUSED(c.slots[1].pad = 1);
	FINE(c.slots[1].flags |= DRM_LOOM_SLOT_SPREAD);
	FINE(c.slots[1].flags |= DRM_LOOM_SLOT_PER_BANK);
	FINE(c.slots[1].flags |= DRM_LOOM_SLOT_WRITE);
	/* slots that are read in the SRAM must not be loaded from */
	REFUSED(c.slots[1].flags |= DRM_LOOM_SLOT_SRAM);
	/* one that is written has to say so */
	REFUSED(c.slots[SLOT_OUTPUT].flags = DRM_LOOM_SLOT_READ);
	REFUSED(c.slots[SLOT_OUTPUT].size--);
	FINE(c.slots[SLOT_OUTPUT].size++);
	/* no chip of these has ROM, until it has */
	REFUSED(c.slots[0].flags |= DRM_LOOM_SLOT_ROM, VIEW(C_LOAD_W, 1).region = 2,
		VIEW(C_LOAD_BIAS, 1).region = 2);
	chip.region[DRM_LOOM_REGION_ROM] = chip.region[DRM_LOOM_REGION_DRAM];
	FINE(c.slots[0].flags |= DRM_LOOM_SLOT_ROM, VIEW(C_LOAD_W, 1).region = 2,
	     VIEW(C_LOAD_BIAS, 1).region = 2);
	REFUSED(c.slots[0].flags |= DRM_LOOM_SLOT_ROM);
	REFUSED(VIEW(C_LOAD_W, 1).region = 2);
	REFUSED(c.slots[0].flags |= DRM_LOOM_SLOT_ROM | DRM_LOOM_SLOT_WRITE,
		VIEW(C_LOAD_W, 1).region = 2, VIEW(C_LOAD_BIAS, 1).region = 2);
	REFUSED(c.slots[0].flags |= DRM_LOOM_SLOT_ROM | DRM_LOOM_SLOT_SRAM,
		VIEW(C_LOAD_W, 1).region = 2, VIEW(C_LOAD_BIAS, 1).region = 2);
	chip.region[DRM_LOOM_REGION_ROM].banks = 0;
}

static void test_steps(void)
{
	REFUSED(c.steps[0].dma_commands--);
	REFUSED(c.steps[SAMPLE_STEPS - 1].dma_commands--);
	REFUSED(c.steps[SAMPLE_STEPS - 1].dma_commands++);
	REFUSED(c.steps[0].dma_commands = ~0U);
	REFUSED(c.steps[0].compute_commands = ~0U);
	REFUSED(c.steps[1].dma_commands = 0x80000000, c.steps[1].compute_commands = 0x80000003);
	REFUSED(c.steps[1].compute_commands = 0xfffffffe, c.steps[2].compute_commands = 6);
	/* a stream that it is not of */
	REFUSED(c.steps[3].dma_commands--, c.steps[3].compute_commands++);
	REFUSED(c.steps[5].dma_commands++, c.steps[5].compute_commands--);
	/* when a tensor is alive is not said any more */
	FINE(c.steps[0].dma_commands++, c.steps[1].dma_commands--);
}

static void test_commands(void)
{
	REFUSED(c.commands[C_ADD].opcode = 0);
	REFUSED(c.commands[C_ADD].opcode = 5);
	REFUSED(c.commands[C_ADD].opcode = DRM_LOOM_OP_END);
	REFUSED(c.commands[C_ADD].opcode = 0xffff);
	REFUSED(c.commands[C_ADD].pad = 1);
	REFUSED(c.commands[C_ADD].operands = 2);
	REFUSED(c.commands[C_ADD].operands = 4);
	REFUSED(c.commands[C_LOAD_W].operands = 3);
	REFUSED(c.commands[C_LOAD_W].operands = 0);
	REFUSED(c.commands[C_STORE_Z].first_view++);
	REFUSED(c.commands[C_STORE_Z].first_view += 2);
	REFUSED(c.commands[C_STORE_Z].first_view += 3);
	REFUSED(c.commands[C_STORE_Z].first_view = ~0U);
	REFUSED(c.commands[C_ADD].attr_offset += 4);
	REFUSED(c.commands[C_ADD].attr_offset = ~7U);
	REFUSED(c.commands[C_ADD].attr_offset = c.header->attr_bytes);
	REFUSED(c.commands[C_ADD].attr_offset = c.header->attr_bytes - 8);
	REFUSED(c.commands[C_CAST].attr_offset = 8);
	/* attributes of another operation are checked like all others */
	REFUSED(c.commands[C_RELU0].attr_offset = c.commands[C_CONV0].attr_offset + 8);
	/* operations whose types do not fit */
	REFUSED(c.commands[C_CAST].opcode = DRM_LOOM_OP_UNARY);
	REFUSED(VIEW(C_CAST, 0).dtype = DRM_LOOM_DTYPE_F32);
}

static void test_views(void)
{
	REFUSED(VIEW(C_LOAD_Z, 1).flags |= 4);
	REFUSED(VIEW(C_LOAD_Z, 1).flags |= LOOM_CODE_VIEW_IMAGE);
	REFUSED(VIEW(C_LOAD_Z, 1).flags |= LOOM_CODE_VIEW_BOUND);
	REFUSED(VIEW(C_LOAD_Z, 0).flags |= LOOM_CODE_VIEW_IMAGE);
	REFUSED(VIEW(C_LOAD_Z, 0).flags |= LOOM_CODE_VIEW_BOUND);
	REFUSED(VIEW(C_LOAD_Z, 1).pad = 1);
	REFUSED(VIEW(C_LOAD_Z, 1).region = DRM_LOOM_REGION_COUNT);
	REFUSED(VIEW(C_LOAD_Z, 1).region = DRM_LOOM_REGION_SRAM);
	REFUSED(VIEW(C_LOAD_Z, 1).tensor = T_COUNT);
	FINE(VIEW(C_LOAD_Z, 1).tensor = T_COUNT - 1);
	REFUSED(VIEW(C_LOAD_Z, 1).dtype = 0);
	REFUSED(VIEW(C_LOAD_Z, 1).dtype = DRM_LOOM_DTYPE_END);
	REFUSED(VIEW(C_LOAD_Z, 1).dtype = 255);
	REFUSED(VIEW(C_LOAD_Z, 1).slot = 4);
	REFUSED(VIEW(C_LOAD_Z, 1).slot = 255);
	REFUSED(VIEW(C_LOAD_Z, 0).slot = 1);
	REFUSED(VIEW(C_LOAD_Z, 1).rank = 0, VIEW(C_LOAD_Z, 0).rank = 0);
	REFUSED(VIEW(C_LOAD_Z, 1).rank = 7, VIEW(C_LOAD_Z, 0).rank = 7);
	REFUSED(VIEW(C_LOAD_Z, 1).rank = 3);
	FINE(VIEW(C_LOAD_Z, 1).rank = 3, VIEW(C_LOAD_Z, 0).rank = 3);
	FINE(VIEW(C_LOAD_Z, 1).rank = 6, VIEW(C_LOAD_Z, 0).rank = 6);
	REFUSED(VIEW(C_LOAD_Z, 1).rank = 1, VIEW(C_LOAD_Z, 0).rank = 1);
	REFUSED(VIEW(C_LOAD_Z, 1).lane_axis = 1);
	REFUSED(VIEW(C_LOAD_Z, 1).lane_start = 1);
	REFUSED(VIEW(C_LOAD_Z, 1).dims[5] = 0);
	REFUSED(VIEW(C_LOAD_Z, 1).dims[5] = 2);
	REFUSED(VIEW(C_LOAD_Z, 1).dims[2] = 2);
	REFUSED(VIEW(C_LOAD_Z, 1).dims[0] = 0, VIEW(C_LOAD_Z, 0).dims[0] = 0);
	REFUSED(VIEW(C_LOAD_Z, 1).strides[5] = 4);
	REFUSED(VIEW(C_LOAD_Z, 1).strides[2] = 4);
	REFUSED(VIEW(C_LOAD_Z, 1).dims[0] = 1, VIEW(C_LOAD_Z, 0).dims[0] = 1);
	FINE(VIEW(C_LOAD_Z, 1).dims[0] = 1, VIEW(C_LOAD_Z, 1).strides[0] = 0,
	     VIEW(C_LOAD_Z, 0).dims[0] = 1);
	REFUSED(VIEW(C_LOAD_Z, 1).strides[1] = 2);
	REFUSED(VIEW(C_LOAD_Z, 1).strides[1] = 5);
	REFUSED(VIEW(C_LOAD_Z, 0).strides[1] = 6);
	REFUSED(VIEW(C_LOAD_Z, 1).offset += 2);
	REFUSED(VIEW(C_LOAD_Z, 0).offset += 1);
	REFUSED(VIEW(C_LOAD_Z, 0).lane_axis = 2);
	REFUSED(VIEW(C_LOAD_Z, 0).lane_axis = 255);
	REFUSED(VIEW(C_LOAD_Z, 0).strides[0] = -256);
	/* the next row of a bank may be the same */
	FINE(VIEW(C_STORE_Z, 1).strides[0] = 0);
	REFUSED(VIEW(C_LOAD_Z, 0).lane_start = ~0U);
	REFUSED(VIEW(C_LOAD_Z, 0).lane_start = ~0U - 7);
	/* types of one size, and one that the chip lacks */
	chip.dtypes &= ~(1U << DRM_LOOM_DTYPE_I64);
	REFUSED(VIEW(C_LOAD_Z, 1).dtype = DRM_LOOM_DTYPE_I64);
	FINE(VIEW(C_LOAD_Z, 1).dtype = DRM_LOOM_DTYPE_U32);
	chip.dtypes &= ~(1U << DRM_LOOM_DTYPE_U32);
	REFUSED(VIEW(C_LOAD_Z, 1).dtype = DRM_LOOM_DTYPE_U32);
	chip.dtypes |= 1U << DRM_LOOM_DTYPE_I64 | 1U << DRM_LOOM_DTYPE_U32;
}

/* Of the output: 8 rows of 256 bytes in 2048, and of the scratch: 4096 bytes in each bank. */
static void test_bounds(void)
{
	REFUSED(VIEW(C_STORE_Z, 0).offset = 4);
	REFUSED(VIEW(C_STORE_Z, 0).offset = ~3ULL);
	REFUSED(VIEW(C_STORE_Z, 0).strides[0] = 260);
	REFUSED(VIEW(C_STORE_Z, 0).strides[0] = 1LL << 62);
	REFUSED(VIEW(C_STORE_Z, 0).strides[0] = -256);
	FINE(VIEW(C_STORE_Z, 0).strides[0] = -256, VIEW(C_STORE_Z, 0).offset = 7 * 256);
	REFUSED(VIEW(C_STORE_Z, 0).strides[0] = -256, VIEW(C_STORE_Z, 0).offset = 7 * 256 - 4);
	REFUSED(VIEW(C_STORE_Z, 0).strides[0] = -256, VIEW(C_STORE_Z, 0).offset = 7 * 256 + 4);
	REFUSED(VIEW(C_STORE_Z, 0).strides[0] = S64_MIN, VIEW(C_STORE_Z, 0).offset = 1 << 10);
	FINE(VIEW(C_STORE_Z, 0).strides[0] = -256, VIEW(C_STORE_Z, 0).strides[1] = -4,
	     VIEW(C_STORE_Z, 0).offset = 2044);
	REFUSED(VIEW(C_STORE_Z, 0).strides[0] = -256, VIEW(C_STORE_Z, 0).strides[1] = -4,
		VIEW(C_STORE_Z, 0).offset = 2040);
	/* 8 rows are two in each of four banks, 512 bytes from 3072 */
	FINE(VIEW(C_STORE_Z, 1).offset = 4096 - 512);
	REFUSED(VIEW(C_STORE_Z, 1).offset = 4096 - 508);
	FINE(VIEW(C_STORE_Z, 1).offset = 4096 - 768, VIEW(C_STORE_Z, 1).lane_start = 1);
	REFUSED(VIEW(C_STORE_Z, 1).offset = 4096 - 764, VIEW(C_STORE_Z, 1).lane_start = 1);
	REFUSED(VIEW(C_STORE_Z, 1).offset = 4096 - 512, VIEW(C_STORE_Z, 1).lane_start = 1);
	FINE(VIEW(C_STORE_Z, 1).offset = 4096 - 768, VIEW(C_STORE_Z, 1).lane_start = 4);
	REFUSED(VIEW(C_STORE_Z, 1).offset = 4096 - 764, VIEW(C_STORE_Z, 1).lane_start = 4);
	REFUSED(VIEW(C_STORE_Z, 1).offset = 4096 - 768, VIEW(C_STORE_Z, 1).lane_start = 5);
	REFUSED(VIEW(C_STORE_Z, 1).lane_start = 1U << 31,
		VIEW(C_STORE_Z, 1).strides[0] = 1LL << 60);
	REFUSED(c.header->scratch_bytes = 4092 - 512, c.ends[0].bytes = 0, c.ends[1].bytes = 0,
		c.ends[2].bytes = 0, c.ends[3].bytes = 0);
}

/* Commands compute in images, in the SRAM, or where the chip says; types are those of pixels. */
static void test_images(void)
{
	REFUSED_IMAGE(VIEW(C_CONV1, 1).flags = 0);
	/* copies from an image, too */
	REFUSED_IMAGE(VIEW(C_LOAD_X0, 1).flags = 0);
	REFUSED_IMAGE(c.slots[SLOT_INPUT].dtype = 0);
	REFUSED_IMAGE(c.slots[SLOT_INPUT].dtype = DRM_LOOM_DTYPE_I32);
	REFUSED_IMAGE(c.slots[SLOT_INPUT].dtype = DRM_LOOM_DTYPE_I32,
		      VIEW(C_LOAD_X0, 1).dtype = DRM_LOOM_DTYPE_I32,
		      VIEW(C_LOAD_X1, 1).dtype = DRM_LOOM_DTYPE_I32);
	REFUSED_IMAGE(VIEW(C_LOAD_X0, 1).dtype = DRM_LOOM_DTYPE_I32);
	REFUSED(VIEW(C_CONV1, 1) = VIEW(C_LOAD_X1, 1));
	chip.region[DRM_LOOM_REGION_DRAM].flags |= DRM_LOOM_CHIP_IN_PLACE;
	FINE(VIEW(C_CONV1, 1) = VIEW(C_LOAD_X1, 1));
	REFUSED(VIEW(C_CONV1, 0) = VIEW(C_STORE1, 0));
	chip.region[DRM_LOOM_REGION_DRAM].flags &= ~DRM_LOOM_CHIP_IN_PLACE;
}

/* Bytes of nothing but one table. */
static int try_table(u32 slots, u32 steps, u32 attr_bytes)
{
	struct code c;
	u32 i;

	code_make_zero(&c, (struct loom_code_header){
		.lanes = 4, .slots = slots, .steps = steps, .attr_bytes = attr_bytes,
	});
	for (i = 0; i < slots; i++)
		c.slots[i] = (struct loom_code_slot){ .size = 1, .flags = DRM_LOOM_SLOT_READ };
	return code_try(&c);
}

static void test_limits(void)
{
	tap_ok(!try_table(DRM_LOOM_MAX_SLOTS, 0, 0), "as many slots as there may be");
	tap_ok(try_table(DRM_LOOM_MAX_SLOTS + 1, 0, 0) == -EBADMSG, "one more");
	tap_ok(!try_table(0, DRM_LOOM_MAX_STEPS, 0), "as many steps");
	tap_ok(try_table(0, DRM_LOOM_MAX_STEPS + 1, 0) == -EBADMSG, "one more");
	tap_ok(!try_table(0, 0, DRM_LOOM_MAX_ATTR_BYTES), "as many bytes of attributes");
	tap_ok(try_table(0, 0, DRM_LOOM_MAX_ATTR_BYTES + 8) == -EBADMSG, "eight more");
}

/* Whether streams overlap is the chip's to say: no byte of the plan does. */
static void test_overlap(void)
{
	struct loom_plan *plan;
	struct code code;
	u32 i;

	for (i = 0; i < 2; i++) {
		chip.flags ^= DRM_LOOM_CHIP_OVERLAP;
		code_make(&code, false);
		tap_ok(!loom_code_decode(code.bytes, code.size, &chip, &plan) && plan &&
		       plan->overlap == !!(chip.flags & DRM_LOOM_CHIP_OVERLAP),
		       "a plan for a chip with flags %#x", chip.flags);
		loom_plan_destroy(plan);
		pb_free(code.bytes);
	}
}

/* Lanes divide: none are none of a chip, even of one that has no SRAM. */
static void test_no_lanes(void)
{
	u32 banks = chip.region[DRM_LOOM_REGION_SRAM].banks;
	struct code c;

	code_make_zero(&c, (struct loom_code_header){ .lanes = 0 });
	chip.region[DRM_LOOM_REGION_SRAM].banks = 0;
	tap_ok(code_try(&c) == -EBADMSG, "no lanes of a chip without banks");
	chip.region[DRM_LOOM_REGION_SRAM].banks = banks;
}

/* Two machines of different builds have to agree. */
static void test_sum(void)
{
	static const u64 words[] = { 1, 2, ~0ULL };

	tap_ok(loom_code_sum(words, 0) == LOOM_CODE_MAGIC, "a sum of nothing");
	tap_ok(loom_code_sum(words, 1) == 0xb4cb7a2a3e332741ULL, "of one");
	tap_ok(loom_code_sum(words, 3) == 0x8650c6946c547abeULL, "of three");
}

int main(void)
{
	chip = *loom_preset_find(SAMPLE_TOPOLOGY);
	test_header();
	test_slots();
	test_steps();
	test_commands();
	test_views();
	test_bounds();
	test_images();
	test_limits();
	test_overlap();
	test_no_lanes();
	test_sum();
	return tap_end();
}
