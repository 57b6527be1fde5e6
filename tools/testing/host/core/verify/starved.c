// SPDX-License-Identifier: MIT
/*
 * The verifier, and plans as bytes, without memory and for a client that was killed: each
 * allocation fails once, and each look says once to give up. Nothing may be kept or freed twice.
 */
#include "loom_verify.h"
#include "plan_sample.h"
#include "port.h"
#include "tap.h"

#define COMMANDS	3000

static const struct drm_loom_chip *chip;

/* One thing that takes memory and looks up now and then. Returns as that does. */
struct job {
	const char *name;
	int (*run)(const void *bytes, u64 size);
	const void *bytes;
	u64 size;
	bool allocates;
	bool looks;
};

static int run_create(const void *bytes, u64 size)
{
	struct drm_loom_reject reject;
	struct loom_plan *plan;
	int ret = loom_plan_create(bytes, size, chip, &plan, &reject);

	if (!ret != !!plan || reject.rule)
		return 1;
	loom_plan_destroy(plan);
	return ret;
}

static int run_decode(const void *bytes, u64 size)
{
	struct loom_plan *plan;
	int ret = loom_code_decode(bytes, size, chip, &plan);

	if (!ret != !!plan)
		return 1;
	loom_plan_destroy(plan);
	return ret;
}

static int run_encode(const void *bytes, u64 size)
{
	void *out = pb_alloc(size);
	int ret = loom_code_encode(bytes, out);

	pb_free(out);
	return ret;
}

static void test_job(const struct job *job)
{
	u32 i, rounds, questions;
	bool good;
	int ret;

	port_allocs = 0;
	port_looks = 0;
	tap_ok(!job->run(job->bytes, job->size) && !port_kept, "%s: is fine", job->name);
	tap_ok(job->allocates == !!port_allocs && job->looks == !!port_looks,
	       "%s: allocates %u times, and looks %u times", job->name, port_allocs, port_looks);

	rounds = port_allocs;
	questions = port_looks;
	for (i = 0, good = true; i < rounds; i++) {
		port_allocs = 0;
		port_fail_at = i;
		ret = job->run(job->bytes, job->size);
		good &= ret == -ENOMEM && !port_kept;
	}
	port_fail_at = U32_MAX;
	tap_ok(good, "%s: without memory", job->name);

	for (i = 0, good = true; i < questions; i++) {
		port_looks = 0;
		port_stop_at = i;
		ret = job->run(job->bytes, job->size);
		if (ret != -EINTR || port_kept || port_looks != i + 1)
			tap_note("stopped at %u: %d, %lld kept, %u looks", i, ret,
				 (long long)port_kept, port_looks);
		good &= ret == -EINTR && !port_kept && port_looks == i + 1;
	}
	port_stop_at = U32_MAX;
	tap_ok(good, "%s: of a client that is killed", job->name);
}

/* The sample, with images or not, and one more step of many commands of both streams. */
static void build(struct plan_builder *pb, bool images, bool many)
{
	struct drm_loom_attr_unary relu = { .kind = DRM_LOOM_UNARY_RELU };
	struct drm_loom_attr_fill fill = {};
	u32 i;

	sample_build(pb);
	if (images)
		sample_use_images(pb);
	if (!many)
		return;
	pb_tensor(pb, T_SZ2)->last_step = SAMPLE_STEPS;
	pb_tensor(pb, T_Y)->last_step = SAMPLE_STEPS;
	pb_begin_step(pb);
	for (i = 0; i < COMMANDS; i++)
		pb_add(pb, DRM_LOOM_OP_FILL, &fill, sizeof(fill),
		       PB_VIEWS(pb_slice(pb, pb_all(pb, T_Y), 3, i % 8, 1)));
	for (i = 0; i < COMMANDS; i++)
		pb_add(pb, DRM_LOOM_OP_UNARY, &relu, sizeof(relu),
		       PB_VIEWS(pb_all(pb, T_SZ2), pb_all(pb, T_SZ2)));
}

static void test_plan(const char *name, bool images, bool many)
{
	struct drm_loom_reject reject;
	struct plan_builder pb;
	struct loom_plan *plan;
	void *blob, *bytes;
	char title[64];
	u64 size, code_bytes;
	s64 own;

	build(&pb, images, many);
	blob = pb_blob(&pb, &size);
	pb_fini(&pb);
	if (loom_plan_create(blob, size, chip, &plan, &reject))
		tap_fatal("%s: refused for %s", name, loom_rule_name(reject.rule));
	code_bytes = loom_code_bytes(plan);
	bytes = pb_alloc(code_bytes);
	if (loom_code_encode(plan, bytes))
		tap_fatal("%s: cannot be written", name);
	/* allocations of this program itself */
	own = port_kept;
	port_kept = 0;
	snprintf(title, sizeof(title), "%s, verified", name);
	test_job(&(struct job){ title, run_create, blob, size, true, true });
	snprintf(title, sizeof(title), "%s, written", name);
	test_job(&(struct job){ title, run_encode, plan, code_bytes, false, many });
	snprintf(title, sizeof(title), "%s, read", name);
	test_job(&(struct job){ title, run_decode, bytes, code_bytes, true, many });
	port_kept = own;
	loom_plan_destroy(plan);
	tap_ok(!port_kept, "%s: nothing is left", name);
	pb_free(bytes);
	pb_free(blob);
}

int main(void)
{
	chip = loom_preset_find(SAMPLE_TOPOLOGY);
	test_plan("the sample", false, false);
	test_plan("images", true, false);
	test_plan("many commands", false, true);
	return tap_end();
}
