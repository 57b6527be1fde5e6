// SPDX-License-Identifier: MIT
/*
 * On a device: a buffer of the size that a report says would fit does fit, and one byte more does
 * not; and the figures of the report are those of the driver. And a session takes a buffer of the
 * caller that is large enough, and no smaller one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "loom_device.h"
#include "loom_planner.h"
#include "loom_report.h"
#include "loom_run.h"

#define BUFFERS	12

static struct loom_bo *bos[BUFFERS];

static int create(struct loom_device *device, uint64_t size, uint32_t align,
		  struct loom_bo **bo)
{
	struct drm_loom_bo_create request = {
		.size = size, .region = DRM_LOOM_REGION_SRAM, .page_bytes = align,
	};

	return loom_bo_create(device, &request, bo);
}

/* Compares the report of a bank with QUERY of that bank. */
static bool is_bank(struct loom_device *device, const struct loom_report_bank *bank, uint32_t index)
{
	struct drm_loom_block *blocks;
	uint64_t allocated = 0, free_bytes = 0, largest = 0;
	size_t count, i;

	if (loom_device_bank_blocks(device, DRM_LOOM_REGION_SRAM, index, &blocks, &count))
		return false;
	for (i = 0; i < count; i++) {
		if (blocks[i].flags & DRM_LOOM_BLOCK_ALLOCATED) {
			allocated += blocks[i].bytes;
		} else if (!(blocks[i].flags & DRM_LOOM_BLOCK_RESERVED)) {
			free_bytes += blocks[i].bytes;
			if (blocks[i].bytes > largest)
				largest = blocks[i].bytes;
		}
	}
	free(blocks);
	return bank->num_blocks == count && bank->allocated_bytes == allocated &&
	       bank->free_bytes == free_bytes && bank->largest_free_bytes == largest;
}

static void test_some_banks(struct loom_target *target)
{
	struct loom_device *device = loom_target_device(target);
	struct loom_report_region *report;
	uint64_t mask;
	struct drm_loom_bo_create request = {
		.region = DRM_LOOM_REGION_SRAM, .page_bytes = 4096, .bank_mask_words = 1,
		.bank_mask = (uintptr_t)&mask,
	};
	struct loom_bo *one, *other, *all;
	bool alike = true;
	uint32_t i;
	int ret;

	/* 80 KiB on bank 1; 40 KiB on each of banks 2 and 3 */
	mask = 2;
	request.size = 20 * 4096;
	if (loom_bo_create(device, &request, &one))
		tap_fatal("no buffer on one bank");
	mask = 12;
	if (loom_bo_create(device, &request, &other))
		tap_fatal("no buffer on two banks");
	if (loom_report_region_get(target, DRM_LOOM_REGION_SRAM, 0, &report))
		tap_fatal("no report");
	tap_ok(report->banks[0].allocated_bytes == 0 &&
	       report->banks[1].allocated_bytes == 20 * 4096 &&
	       report->banks[2].allocated_bytes == 10 * 4096 &&
	       report->banks[3].allocated_bytes == 10 * 4096 &&
	       report->banks[report->num_banks - 1].allocated_bytes == 0,
	       "a buffer is charged to its banks");
	for (i = 0; i < report->num_banks; i++)
		alike = alike && is_bank(device, &report->banks[i], i);
	tap_ok(alike, "every bank is as the driver says");
	tap_ok(report->min_largest_free_bytes == report->banks[1].largest_free_bytes,
	       "the bank that has least left says what is left in all");
	ret = create(device, report->largest_interleaved_bytes + 1, report->align_bytes, &all);
	tap_ok(ret == -ENOSPC, "over all banks one byte more does not fit");
	ret = create(device, report->largest_interleaved_bytes, report->align_bytes, &all);
	tap_ok(!ret, "over all banks what is said to fit does");
	loom_report_region_put(report);
	loom_bo_destroy(all);
	loom_bo_destroy(other);
	loom_bo_destroy(one);
}

/* The reason that the driver gives for one byte more, beside the report. */
static void test_reason(struct loom_device *device, const struct loom_report_region *report,
			const char *when, uint32_t reason)
{
	struct drm_loom_no_space record;
	char text[256];

	if (loom_device_no_space(device, &record))
		tap_fatal("no record");
	loom_no_space_print(text, sizeof(text), &record);
	tap_ok(record.reason == reason && record.region == DRM_LOOM_REGION_SRAM &&
	       record.banks == report->num_banks &&
	       record.largest_free_bytes == report->min_largest_free_bytes, "%s: %s", when, text);
}

static void test_fits(struct loom_target *target, const char *when, uint32_t reason)
{
	struct loom_device *device = loom_target_device(target);
	struct loom_report_region *report;
	struct drm_loom_region_info info;
	struct loom_bo *bo;
	int ret;

	if (loom_report_region_get(target, DRM_LOOM_REGION_SRAM, 0, &report) ||
	    loom_device_region(device, DRM_LOOM_REGION_SRAM, &info))
		tap_fatal("no report");
	tap_ok(report->num_banks == info.banks &&
	       report->banks[0].allocatable_bytes == info.total_bytes &&
	       report->banks[0].allocated_bytes == info.allocated_bytes &&
	       report->banks[0].free_bytes == info.free_bytes &&
	       report->min_largest_free_bytes == info.largest_free_bytes,
	       "%s: the figures are the driver's", when);
	tap_note("%s: %llu bytes free in a bank, fragmentation %u/1000, largest interleaved %llu",
		 when, (unsigned long long)report->banks[0].free_bytes,
		 loom_report_fragmentation(&report->banks[0]),
		 (unsigned long long)report->largest_interleaved_bytes);
	ret = create(device, report->largest_interleaved_bytes + 1, report->align_bytes, &bo);
	tap_ok(ret == -ENOSPC, "%s: one byte more does not fit", when);
	test_reason(device, report, when, reason);
	ret = create(device, report->largest_interleaved_bytes, report->align_bytes, &bo);
	tap_ok(!ret, "%s: what is said to fit does", when);
	loom_bo_destroy(bo);
	loom_report_region_put(report);
}

static struct loom_program *make_program(struct loom_target *target, struct loom_graph **graph)
{
	struct loom_planner_options options = { .chip = loom_target_chip(target) };
	struct loom_tensor_info x = {
		.name = "x", .dtype = DRM_LOOM_DTYPE_F32, .rank = 1, .dims = { 64 },
	};
	const char *const in = "x", *const out = "y";
	struct loom_node_desc node = {
		.op_type = "Neg", .inputs = &in, .num_inputs = 1, .outputs = &out, .num_outputs = 1,
	};
	struct loom_program *program;
	struct loom_error err;

	if (loom_graph_create("neg", 17, graph) || loom_graph_add_input(*graph, &x) ||
	    loom_graph_add_node(*graph, &node) || loom_graph_add_output(*graph, "y") ||
	    loom_graph_finish(*graph, NULL, &err) ||
	    loom_program_create(*graph, &options, &program, &err))
		tap_fatal("no program");
	return program;
}

/* Its input and output are buffers of ours; each again the session's own, too. */
static void test_bound(struct loom_session *session, struct loom_bo *x, struct loom_bo *y)
{
	float in[64] = { 1, 2, 3 }, out[64];
	struct loom_array array;
	struct loom_error err;

	tap_ok(!loom_session_bind_input(session, 0, x, &err) &&
	       !loom_session_bind_output(session, 0, y, &err), "buffers are bound");
	tap_ok(!loom_bo_write(x, 0, in, sizeof(in)) && !loom_session_submit(session, &err) &&
	       loom_session_bind_input(session, 0, NULL, &err) == -EINVAL &&
	       !loom_session_wait(session, LOOM_WAIT_FOREVER, &err) &&
	       !loom_bo_read(y, 0, out, sizeof(out)) && out[1] == -2, "and read and written");
	tap_ok(!loom_session_get_output(session, 0, &array, &err) &&
	       !memcmp(array.data, out, sizeof(out)), "an output is copied from there");
	loom_array_clear(&array);
	tap_ok(!loom_session_bind_output(session, 0, NULL, &err) &&
	       !loom_session_run(session, NULL, NULL, &err) &&
	       !loom_session_get_output(session, 0, &array, &err) &&
	       !memcmp(array.data, out, sizeof(out)), "the session has its own again");
	loom_array_clear(&array);
	tap_ok(!loom_session_bind_input(session, 0, NULL, &err) &&
	       loom_session_run(session, NULL, NULL, &err) == -ENODATA,
	       "and wants its input: %s", err.text);
}

static void test_bind(struct loom_target *target)
{
	struct drm_loom_bo_create request = { .size = 256 }, small = { .size = 255 };
	struct loom_bo *x, *y, *less, *foreign;
	struct loom_device *other;
	struct loom_session *session;
	struct loom_program *program;
	struct loom_graph *graph;
	struct loom_error err;

	program = make_program(target, &graph);
	if (loom_session_create(target, program, &session, &err) ||
	    loom_device_open(NULL, &other) || loom_bo_create(other, &request, &foreign) ||
	    loom_bo_create(loom_target_device(target), &request, &x) ||
	    loom_bo_create(loom_target_device(target), &request, &y) ||
	    loom_bo_create(loom_target_device(target), &small, &less))
		tap_fatal("no session or buffers");
	tap_ok(loom_session_bind_input(session, 0, less, &err) == -EINVAL &&
	       strstr(err.text, "255"), "too small: %s", err.text);
	tap_ok(loom_session_bind_output(session, 0, foreign, &err) == -EINVAL,
	       "of another open file: %s", err.text);
	tap_ok(loom_session_bind_output(session, 1, y, &err) == -ENOENT, "no such output: %s",
	       err.text);
	test_bound(session, x, y);
	loom_session_destroy(session);
	tap_ok(!loom_bo_wait(y, 0), "what the caller has bound is still the caller's");
	loom_bo_destroy(x);
	loom_bo_destroy(y);
	loom_bo_destroy(less);
	loom_bo_destroy(foreign);
	loom_device_close(other);
	loom_program_destroy(program);
	loom_graph_destroy(graph);
}

int main(void)
{
	struct loom_device *device;
	struct loom_context *exclusive;
	struct loom_target *target;
	struct loom_error err;
	unsigned int i;

	if (loom_target_open("device", NULL, &target, &err))
		tap_fatal("%s", err.text);
	device = loom_target_device(target);
	/* reports are of the banks, not of what this process may have of them */
	if (loom_context_create_exclusive(device, DRM_LOOM_PRIORITY_NORMAL, &exclusive))
		tap_fatal("no exclusive context");
	test_fits(target, "empty", DRM_LOOM_NO_SPACE_TOO_LARGE);
	for (i = 0; i < BUFFERS; i++)
		if (create(device, 70000 + 30000 * (i % 5), 4096, &bos[i]))
			tap_fatal("no buffer %u", i);
	test_fits(target, "some", DRM_LOOM_NO_SPACE_EXHAUSTED);
	for (i = 0; i < BUFFERS; i += 2) {
		loom_bo_destroy(bos[i]);
		bos[i] = NULL;
	}
	test_fits(target, "holes", DRM_LOOM_NO_SPACE_FRAGMENTED);
	for (i = 0; i < BUFFERS; i++)
		loom_bo_destroy(bos[i]);
	test_fits(target, "empty again", DRM_LOOM_NO_SPACE_TOO_LARGE);
	test_some_banks(target);
	loom_context_destroy(exclusive);
	test_bind(target);
	loom_target_close(target);
	return tap_end();
}
