// SPDX-License-Identifier: MIT
/*
 * Plans on the device: what the planner makes is uploaded, buffers are copied in, jobs run through
 * the rings, and what is copied out is to the bit what the engine computes here, with the same
 * counts. Some of the slots are the client's memory.
 * On memory that the device maps, and on memory that it has to ask for.
 */
#include "driver.h"
#include "host/plan/programs.h"
#include "loom_engine.h"
#include "loom_verify.h"
#include "random.h"

static struct driver driver;
static u32 programs, wrong;
/* Banks of the lanes, if the plans are for a partition. */
static struct loom_mask lanes;
static u64 noise_seed = 99;

/* Floats between -1 and 1, as weights and inputs are. */
static void noise(u8 *bytes, u64 count)
{
	u64 i;

	for (i = 0; i + 4 <= count; i += 4) {
		float f = ((float)random_xorshift(&noise_seed, 4096) - 2048) / 2048;

		memcpy(bytes + i, &f, 4);
	}
	for (; i < count; i++)
		bytes[i] = i;
}

/**
 * struct bench - a plan, here and there
 * @plan: decoded
 * @places: by slot: where it is there
 * @here: by slot: the bytes that it shall have
 * @pitches: by slot: of an SRAM slot, from a bank to the next in @here
 */
struct bench {
	const struct loom_plan *plan;
	struct loom_pci_place places[DRM_LOOM_MAX_SLOTS];
	u8 *here[DRM_LOOM_MAX_SLOTS];
	u64 pitches[DRM_LOOM_MAX_SLOTS];
};

/* Page sizes that make the device collect a slot, or compute on it where it lies. */
static struct loom_pci_place slot_place(struct bench *bench, u32 index)
{
	static const u64 pages[] = { 4096, 64, 1 << 20, 1088 };
	const struct loom_slot *slot = &bench->plan->slots[index];
	u32 region = slot->flags & DRM_LOOM_SLOT_ROM ? DRM_LOOM_REGION_ROM : DRM_LOOM_REGION_DRAM;

	/* one page in each bank */
	if (slot->flags & DRM_LOOM_SLOT_SRAM) {
		struct loom_pci_place place;
		u32 i, bank = 0;

		bench->pitches[index] = (slot->size + 63) / 64 * 64;
		place = driver_buffer(&driver, DRM_LOOM_REGION_SRAM,
				      bench->pitches[index] * bench->plan->lanes,
				      bench->pitches[index]);
		for (i = 0; i < place.banks && loom_mask_count(&lanes); i++) {
			bank = loom_mask_next(&lanes, i ? bank + 1 : 0);
			place.bank[i] = bank;
		}
		return place;
	}
	if ((index + programs) % 5 == 2)
		return driver_host_slot(&driver, region, slot->size, 4096 + 8 * programs);
	return driver_buffer(&driver, region, slot->size,
			     slot->dtype ? slot->pitch_bytes : pages[(index + programs) % 4]);
}

static bool slot_copy(const struct loom_pci_place *place, u8 *in, u8 *out)
{
	if (!(place->flags & LOOM_PCI_PLACE_HOST))
		return !driver_copy(&driver, place, in, out);
	driver_host_copy(&driver, place, in, out);
	return true;
}

/* Room above the scratch, noise in it, and what a job is told of it. */
static bool bench_init(struct bench *bench)
{
	bool ok = true;
	u32 i;

	for (i = 0; i < DRM_LOOM_REGION_COUNT; i++)
		driver.top[i] = driver.chip.region[i].reserved_bytes;
	driver.top[DRM_LOOM_REGION_SRAM] += bench->plan->scratch_bytes;
	driver.slots_top = 0;
	driver.lists_top = 0;
	for (i = 0; i < bench->plan->slot_count; i++) {
		bench->places[i] = slot_place(bench, i);
		bench->here[i] = malloc(bench->places[i].bytes);
		noise(bench->here[i], bench->places[i].bytes);
		ok &= slot_copy(&bench->places[i], bench->here[i], NULL);
	}
	for (i = 0; i < bench->plan->slot_count; i++) {
		struct loom_pci_place place = bench->places[i];

		place.bytes = bench->plan->slots[i].size;
		driver_put_place(&driver, i, &place);
	}
	return ok;
}

static void compute_here(struct bench *bench, struct drm_loom_counters *counters)
{
	u64 pitch = (bench->plan->scratch_bytes + 63) / 64 * 64;
	struct loom_memory memory = {
		.lanes = bench->plan->lanes,
		.scratch = calloc(bench->plan->lanes, pitch + 64),
		.lane_pitch = pitch,
		.slots = bench->here,
		.slot_pitches = bench->pitches,
	};
	struct loom_engine engine;

	loom_engine_init(&engine, bench->plan, &memory);
	while (!loom_engine_run(&engine, 1 << 22))
		;
	*counters = engine.counters;
	free(memory.scratch);
}

static bool same_counters(const struct loom_pci_record *record,
			  const struct drm_loom_counters *want)
{
	struct drm_loom_counters got;

	memcpy(&got, record->counters, sizeof(got));
	if (!got.busy_ns)
		return false;
	got.busy_ns = 0;
	return !memcmp(&got, want, sizeof(got));
}

static bool same_slots(struct bench *bench)
{
	bool ok = true;
	u32 i;

	for (i = 0; i < bench->plan->slot_count; i++) {
		u8 *there = malloc(bench->places[i].bytes);

		ok &= slot_copy(&bench->places[i], NULL, there) &&
		      !memcmp(there, bench->here[i], bench->places[i].bytes);
		free(there);
	}
	return ok;
}

static bool check_plan(const struct loom_plan *plan)
{
	const u64 scatter = loom_mask_count(&lanes) ? RAM_BASE + LANES_AT : 0;
	struct bench bench = { .plan = plan };
	struct drm_loom_counters counters;
	struct loom_pci_record record;
	bool ok;
	u32 i;

	ok = !driver_plan(&driver, programs % 7, plan) && bench_init(&bench);
	compute_here(&bench, &counters);
	memcpy(driver.client->ram + LANES_AT, &lanes, sizeof(lanes));
	ok &= !driver_do(&driver, (struct loom_pci_descriptor){
		.kind = LOOM_PCI_KIND_JOB, .plan = programs % 7,
		.count = plan->slot_count, .address = RAM_BASE + PLACES_AT, .scatter = scatter,
	}, &record);
	ok &= same_counters(&record, &counters) && same_slots(&bench);
	ok &= !driver_do(&driver, (struct loom_pci_descriptor){
		.kind = LOOM_PCI_KIND_PLAN_DROP, .plan = programs % 7,
	}, &record);
	for (i = 0; i < plan->slot_count; i++)
		free(bench.here[i]);
	return ok;
}

static void check_program(const struct loom_program *program, const struct drm_loom_chip *chip)
{
	struct drm_loom_reject reject;
	struct loom_plan *plan;

	if (loom_plan_create(program->plan, program->plan_bytes, chip, &plan, &reject))
		tap_fatal("a plan is refused");
	programs++;
	wrong += !check_plan(plan);
	loom_plan_destroy(plan);
}

/* Plans for the odd banks of the SRAM alone. Sets of other sizes are refused. */
static void test_partitions(u32 count)
{
	const u32 banks = driver.chip.region[DRM_LOOM_REGION_SRAM].banks;
	u32 i;

	programs = 0;
	wrong = 0;
	for (i = 1; i < banks; i += 2)
		loom_mask_set(&lanes, i);
	driver.chip.region[DRM_LOOM_REGION_SRAM].banks = banks / 2;
	for (i = 0; i < count; i++)
		check_programs(i, &driver.chip, check_program);
	tap_ok(programs >= count / 2 && !wrong, "%u of %u programs run on lanes of their own",
	       programs - wrong, programs);
	loom_mask_set(&lanes, 0);
	programs = 0;
	wrong = 0;
	check_programs(0, &driver.chip, check_program);
	tap_ok(programs && wrong == programs, "a set of too many banks is refused");
	driver.chip.region[DRM_LOOM_REGION_SRAM].banks = banks;
	lanes = (struct loom_mask){ { 0 } };
}

static void test_programs(const char *chip_name, bool shared, u32 count)
{
	const char *const options[] = { "--chip", chip_name, NULL };
	struct client client;
	u32 i;

	client_start(&client, shared, options);
	driver_probe(&driver, &client);
	programs = 0;
	wrong = 0;
	tap_ok(driver_reset(&driver, 7), "%s: it takes an epoch", chip_name);
	for (i = 0; i < count; i++)
		check_programs(i, &driver.chip, check_program);
	tap_ok(programs >= count / 2 && !wrong,
	       "%s, memory %s: %u of %u programs give the bits, bytes and cycles of the host",
	       chip_name, shared ? "mapped" : "asked for", programs - wrong, programs);
	if (driver.chip.region[DRM_LOOM_REGION_SRAM].banks > 1)
		test_partitions(count / 4);
	tap_ok(shared ? !client.asked : client.asked > programs, "%s: %llu accesses were asked for",
	       chip_name, (unsigned long long)client.asked);
	tap_ok(!client_stop(&client), "it ends well");
}

int main(void)
{
	u32 count = getenv("LOOM_SANITIZED") ? 12 : 40;

	test_programs("soft", true, count);
	test_programs("tiny", false, count / 2);
	test_programs("ethos-u55-256", true, count / 4);
	return tap_end();
}
