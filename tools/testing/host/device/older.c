// SPDX-License-Identifier: MIT
/* A library that is newer than the driver, and one that is older: records are shorter or longer. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <xf86drm.h>

#include <drm/loom_accel.h>

#include "driver.h"
#include "loom_device.h"
#include "tap.h"

/* Bytes of the records of the first driver. */
#define FIRST_DEVICE_BYTES	88
#define FIRST_REGION_BYTES	80

/* The driver of this test: stands in for libdrm's functions of the same names. */
static uint32_t device_bytes, region_bytes;

int drmIoctl(int fd, unsigned long request, void *arg)
{
	struct drm_loom_device_info device = {
		.name = "older", .lanes = 4, .compute_units = 1, .max_bo_bytes = 12345,
	};
	struct drm_loom_region_info region = {
		.banks = 4, .sub_banks = 1, .bank_bytes = 65536, .align_bytes = 64, .blocks = 3,
	};
	struct drm_loom_query *query = arg;
	unsigned char answer[4096];
	uint32_t bytes;

	(void)fd;
	/* no driver here knows of chips */
	if (request != DRM_IOCTL_LOOM_QUERY || query->type == DRM_LOOM_QUERY_CHIP) {
		errno = EINVAL;
		return -1;
	}
	memset(answer, 0xa5, sizeof(answer));
	if (query->type == DRM_LOOM_QUERY_DEVICE) {
		memcpy(answer, &device, sizeof(device));
		bytes = device_bytes;
	} else {
		memcpy(answer, &region, sizeof(region));
		bytes = region_bytes;
	}
	memcpy((void *)(uintptr_t)query->ptr, answer, query->size < bytes ? query->size : bytes);
	query->size = bytes;
	return 0;
}

static int open_with(uint32_t device, uint32_t region, struct loom_device **out)
{
	device_bytes = device;
	region_bytes = region;
	return loom_device_open("/dev/null", out);
}

int main(void)
{
	struct drm_loom_region_info region;
	struct loom_device *device;
	int ret;

	ret = open_with(FIRST_DEVICE_BYTES, FIRST_REGION_BYTES, &device);
	tap_ok(!ret, "the first driver is understood");
	tap_ok(!ret && loom_device_info(device)->lanes == 4 &&
	       !loom_device_info(device)->max_bo_bytes, "what it does not say is zero");
	memset(&region, 0xff, sizeof(region));
	tap_ok(!ret && !loom_device_region(device, 0, &region) && region.blocks == 3 &&
	       !((unsigned char *)&region)[sizeof(region) - 1], "the same for a region");
	loom_device_close(device);

	ret = open_with(sizeof(struct drm_loom_device_info) + 512,
			sizeof(struct drm_loom_region_info) + 512, &device);
	tap_ok(!ret && loom_device_info(device)->max_bo_bytes == 12345, "a newer driver is, too");
	loom_device_close(device);

	tap_ok(open_with(FIRST_DEVICE_BYTES - 4, FIRST_REGION_BYTES, &device) == -EPROTO &&
	       !device, "half a record of the device is an error");
	tap_ok(open_with(FIRST_DEVICE_BYTES, FIRST_REGION_BYTES - 8, &device) == -EPROTO &&
	       !device, "half a record of a region is an error");
	return tap_end();
}
