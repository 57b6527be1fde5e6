/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_DEVICE_DRIVER_H
#define LOOM_TESTS_DEVICE_DRIVER_H

/* For a test that is the driver itself: who asks is told that it is Loom's. It has drmIoctl(). */

#include <errno.h>
#include <string.h>
#include <xf86drm.h>

#include <drm/loom_accel.h>

drmVersionPtr drmGetVersion(int fd)
{
	static drmVersion version = { .name_len = 4 };

	(void)fd;
	version.name = (char *)"loom";
	return &version;
}

void drmFreeVersion(drmVersionPtr version)
{
	(void)version;
}

/* DRM_IOCTL_LOOM_QUERY for a device of four banks in each region. Return: 0 or -EINVAL. */
static inline int driver_answer(struct drm_loom_query *query)
{
	struct drm_loom_device_info device = { .name = "test", .lanes = 4, .compute_units = 1 };
	struct drm_loom_region_info region = {
		.banks = 4, .sub_banks = 1, .bank_bytes = 65536, .align_bytes = 64,
	};
	void *to = (void *)(uintptr_t)query->ptr;

	if (query->type == DRM_LOOM_QUERY_DEVICE && query->size == sizeof(device))
		memcpy(to, &device, sizeof(device));
	else if (query->type == DRM_LOOM_QUERY_REGION && query->size == sizeof(region))
		memcpy(to, &region, sizeof(region));
	else
		return -EINVAL;
	return 0;
}

#endif /* LOOM_TESTS_DEVICE_DRIVER_H */
