// SPDX-License-Identifier: MIT
/*
 * On a device: what a report says would fit does fit, and one byte more does not; and its figures
 * are those of the driver.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../host/tap.h"
#include "loom_device.h"
#include "loom_report.h"
#include "loom_run.h"

#define BUFFERS	12

static struct loom_bo *bos[BUFFERS];

static int create(struct loom_device *device, uint64_t size, uint32_t align,
		  struct loom_bo **bo)
{
	struct drm_loom_bo_create request = {
		.size = size, .region = LOOM_REGION_SRAM, .page_bytes = align,
	};

	return loom_bo_create(device, &request, bo);
}

static void test_fits(struct loom_target *target, const char *when)
{
	struct loom_device *device = loom_target_device(target);
	struct loom_report_region *report;
	struct drm_loom_region_info info;
	struct loom_bo *bo;
	int ret;

	if (loom_report_region_get(target, LOOM_REGION_SRAM, 0, &report) ||
	    loom_device_region(device, LOOM_REGION_SRAM, &info))
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
	ret = create(device, report->largest_interleaved_bytes, report->align_bytes, &bo);
	tap_ok(!ret, "%s: what is said to fit does", when);
	loom_bo_destroy(bo);
	loom_report_region_put(report);
}

int main(void)
{
	struct loom_device *device;
	struct loom_target *target;
	struct loom_error err;
	unsigned int i;

	if (loom_target_open("device", NULL, &target, &err))
		tap_fatal("%s", err.text);
	device = loom_target_device(target);
	test_fits(target, "empty");
	for (i = 0; i < BUFFERS; i++)
		if (create(device, 70000 + 30000 * (i % 5), 4096, &bos[i]))
			tap_fatal("no buffer %u", i);
	test_fits(target, "some");
	for (i = 0; i < BUFFERS; i += 2) {
		loom_bo_destroy(bos[i]);
		bos[i] = NULL;
	}
	test_fits(target, "holes");
	for (i = 0; i < BUFFERS; i++)
		loom_bo_destroy(bos[i]);
	test_fits(target, "empty again");
	loom_target_close(target);
	return tap_end();
}
