// SPDX-License-Identifier: MIT
/*
 * DOC: Fuzzing plans
 *
 * One input is the bytes of a plan. The verifier accepts or refuses it. An accepted plan is checked
 * once more by code that shares nothing with the verifier (plan_judge.h), comes back from bytes for
 * a device as it was, and is run twice on memory of exactly the declared size, with opposite
 * garbage in it: a plan that reads uninitialized bytes gives two answers, and one that leaves its
 * memory meets the sanitizer or a guard.
 *
 * Inputs come from valid plans: the sample of the tests with and without images, and a command of
 * every form in the tables of refusals, so that each operation is reached at once. Fields and words
 * of them are damaged.
 */
#include "loom_core.h"

#define FUZZ_NAME	"fuzz-plan"
#define FUZZ_MAX_BYTES	(16 << 10)

#include "fuzz.h"
#include "plan_arena.h"
#include "plan_damage.h"
#include "plan_judge.h"
#include "plan_native.h"
#include "refusals.h"

static u64 fuzz_taken, fuzz_ran;

/* A chip that lacks a type or an operation of the plan refuses it. */
static void fuzz_lack(const struct plan_judge *judge, size_t size)
{
	const struct drm_loom_plan_header *h = judge->header;
	struct drm_loom_chip less[2] = { *judge->chip, *judge->chip };
	struct drm_loom_reject reject;
	struct loom_plan *plan;
	u32 i;

	less[0].dtypes &= ~(1U << judge->tensors[h->tensors.count - 1].dtype);
	/* one that it lacks anyway is NATIVE */
	less[1].opcodes &= ~(1ULL << judge->commands[h->commands.count - 1].opcode % 64);
	for (i = 0; i < ARRAY_SIZE(less); i++)
		if (i ? h->commands.count : h->tensors.count)
			fuzz_expect(loom_plan_create(h, size, &less[i], &plan, &reject) == -EBADMSG,
				    "a chip takes what it lacks");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct drm_loom_chip chips[2];
	const struct drm_loom_chip *chip;
	struct drm_loom_reject reject;
	struct plan_judge judge;
	struct loom_plan *plan;
	void *exact;
	int ret;

	if (!chips[0].region[0].banks) {
		chips[0] = *loom_preset_find(SAMPLE_TOPOLOGY);
		chips[1] = chips[0];
		chips[1].region[DRM_LOOM_REGION_ROM] = chips[1].region[DRM_LOOM_REGION_DRAM];
		chips[1].region[DRM_LOOM_REGION_ROM].flags |= DRM_LOOM_CHIP_IN_PLACE;
		chips[1].region[DRM_LOOM_REGION_DRAM].flags |= DRM_LOOM_CHIP_IN_PLACE;
	}
	/* aligned as the driver's copy is, and not a byte more */
	exact = pb_alloc(size + !size);
	memcpy(exact, data, size);
	chip = &chips[0];
	ret = loom_plan_create_native(exact, size, chip, pb_native(), &plan, &reject);
	if (ret == -EBADMSG) {
		/* there may be a ROM, and computing where it is, in another chip */
		chip = &chips[1];
		ret = loom_plan_create_native(exact, size, chip, pb_native(), &plan, &reject);
	}
	if (ret) {
		pb_free(exact);
		fuzz_expect(ret == -EBADMSG && !plan && reject.rule &&
			    reject.rule < DRM_LOOM_RULE_END, "a refusal that says nothing");
		return 0;
	}
	fuzz_expect(plan && !reject.rule, "a plan that is taken, with a reason to refuse it");
	fuzz_expect(plan_judge(&judge, exact, chip), "what is accepted is wrong: %s", judge.fault);
	fuzz_lack(&judge, size);
	pb_free(exact);
	fuzz_expect(!code_round(plan, chip), "another plan comes back from its bytes");
	fuzz_taken++;
	/* no engine computes native commands */
	ret = plan->native ? 0 : plan_arena_try(plan);
	fuzz_expect(ret >= 0, "it read garbage, or left its memory");
	fuzz_ran += ret;
	loom_plan_destroy(plan);
	return 0;
}

/* The weights are in ROM, and there is one image more, with nothing in it. */
static void fuzz_vary_sample(struct plan_builder *pb)
{
	pb_slot(pb, SLOT_WEIGHTS)->flags |= DRM_LOOM_SLOT_ROM;
	pb_tensor(pb, T_W)->region = DRM_LOOM_REGION_ROM;
	pb_tensor(pb, T_BIAS)->region = DRM_LOOM_REGION_ROM;
	pb_add_image(pb, pb_add_slot(pb, 0, DRM_LOOM_SLOT_READ), DRM_LOOM_DTYPE_F32, 64, 4, 256);
}

/* One or two native commands, with operands in SRAM, or some in DRAM. */
static void fuzz_use_native(u64 *seed, struct plan_builder *pb)
{
	u64 rare = *seed;
	u32 i, tensor;

	use_native(pb);
	/*
	 * Rarely no result, where there must be one. The loop below begins with the same number,
	 * which must be odd, so that it replaces a reader.
	 */
	if (random_xorshift(&rare, 16) == 1) {
		native_attr(pb)->attr.outputs = 0;
		native_attr(pb)->attr.temporaries = 3;
		native_attr(pb)->attr.inouts = 0;
	}
	/* nobody needs what they write */
	for (i = 0; i < 3 && random_xorshift(seed, 2); i++)
		*pb_operand(pb, C_READ_OUT0 + i, 1) = pb_all(pb, T_IN);
	/* a transfer beside that reads, too */
	if (random_xorshift(seed, 2))
		*pb_command(pb, C_FILL_BESIDE) = *pb_command(pb, C_READ_INOUT);
	if (random_xorshift(seed, 2)) {
		native_again(pb);
	} else if (random_xorshift(seed, 2)) {
		tensor = native_in_dram(pb, random_xorshift(seed, 2));
		*pb_operand(pb, C_NATIVE, random_xorshift(seed, O_COUNT)) = pb_all(pb, tensor);
	}
}

/* Tensors of a form are in the first columns of their image; here they begin in the second. */
static void fuzz_shift_images(struct plan_builder *pb)
{
	u32 i, k;

	for (i = 0; i < pb->images.count; i++) {
		struct drm_loom_plan_image *image = pb_image(pb, i);
		u32 bytes = loom_dtype_stride(image->dtype);

		if ((image->width + 1) * bytes > image->pitch_bytes)
			continue;
		image->width++;
		for (k = 0; k < pb->tensors.count; k++)
			if (pb_tensor(pb, k)->slot == image->slot)
				pb_tensor(pb, k)->offset += bytes;
	}
}

/* A valid plan. Return: its bytes, at most @room. */
static size_t fuzz_plan(u64 *seed, void *out, size_t room)
{
	const struct refusal_table *table;
	struct refusal_try *try;
	struct plan_builder pb;
	u32 kind = random_xorshift(seed, 4), i;
	void *blob;
	u64 size;

	if (kind < 2) {
		sample_build(&pb);
		if (kind)
			sample_use_images(&pb);
		if (random_xorshift(seed, 2))
			fuzz_vary_sample(&pb);
		else if (random_xorshift(seed, 2))
			fuzz_use_native(seed, &pb);
	} else {
		try = pb_alloc(sizeof(*try));
		/* few operations take images: half of these do */
		do {
			table = &refusal_tables[random_xorshift(seed, ARRAY_SIZE(refusal_tables))];
			refusal_try_form(table, random_xorshift(seed, table->form_count), try);
		} while (kind == 2 && !try->form.images);
		for (i = 0; kind == 2 && i < try->form.images; i++)
			if (random_xorshift(seed, 2))
				try->form.operand[i].place = IN_IMAGE;
		/* one form of many is of booleans */
		if (try->opcode == DRM_LOOM_OP_BINARY && random_xorshift(seed, 2)) {
			try->form.words[0] = DRM_LOOM_BINARY_XOR;
			for (i = 0; i < try->form.operands; i++)
				try->form.operand[i].dtype = DRM_LOOM_DTYPE_BOOL;
		}
		/* where it must not be, as a rule */
		if (!random_xorshift(seed, 16))
			try->form.operand[random_xorshift(seed, try->form.operands)].place =
				random_xorshift(seed, PLACE_COUNT);
		refusal_build(try, &pb);
		fuzz_shift_images(&pb);
		pb_free(try);
	}
	blob = pb_blob(&pb, &size);
	pb_fini(&pb);
	if (size > room)
		size = 0;
	memcpy(out, blob, size);
	pb_free(blob);
	return size;
}

#ifdef LOOM_LIBFUZZER

/* Words of valid plans, beside what libFuzzer does to bytes. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int seed)
{
	u64 state = seed | 1ULL << 32;
	u32 changes;

	if (size < sizeof(struct drm_loom_plan_header) || !random_xorshift(&state, 64))
		size = fuzz_plan(&state, data, room);
	if (size && random_xorshift(&state, 4)) {
		for (changes = 1 + random_xorshift(&state, 2); changes; changes--)
			plan_damage_some(&state, data, size);
		return size;
	}
	return LLVMFuzzerMutate(data, size, room);
}

#else

static void fuzz_next(void)
{
	u32 changes;

	fuzz_now.size = fuzz_plan(&fuzz_state, fuzz_now.data, sizeof(fuzz_now.data));
	if (!fuzz_now.size)
		fuzz_fail("a valid plan is too large");
	/* two are seldom both fine */
	changes = !fuzz_tried ? 0 : random_xorshift(&fuzz_state, 4) ? 1 :
		  random_xorshift(&fuzz_state, 4);
	for (; changes; changes--)
		plan_damage_some(&fuzz_state, fuzz_now.data, fuzz_now.size);
}

int main(int argc, char **argv)
{
	static const struct fuzz_maker maker = {
		.make = fuzz_next,
		.counts = { { "accepted", &fuzz_taken }, { "of them run twice", &fuzz_ran } },
	};

	return fuzz_main(argc, argv, &maker);
}

#endif
