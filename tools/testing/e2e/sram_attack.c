// SPDX-License-Identifier: MIT
/*
 * A process without privileges that takes all of the SRAM that it gets, from both ends, with
 * several files, and keeps it until it is killed. Prints what it has as soon as it gets no more.
 */
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "loom_device.h"
#include "loom_chip.h"

#define FILES	8

static int drop_privileges(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { { 0 } };

	return syscall(SYS_capset, &header, none);
}

static uint64_t take(struct loom_device *device, uint32_t direction)
{
	const struct drm_loom_chip_region *sram =
		&loom_device_chip(device)->region[DRM_LOOM_REGION_SRAM];
	struct drm_loom_bo_create request = {
		.region = DRM_LOOM_REGION_SRAM,
		.page_bytes = sram->align_bytes,
		.direction = direction,
	};
	uint64_t bytes, sum = 0;
	struct loom_bo *bo;

	for (bytes = sram->bank_bytes; bytes >= sram->align_bytes; bytes /= 2) {
		request.size = bytes * sram->banks;
		while (!loom_bo_create(device, &request, &bo))
			sum += bytes;
	}
	return sum;
}

int main(void)
{
	struct loom_device *device;
	uint64_t sum = 0;
	int i;

	for (i = 0; i < FILES; i++) {
		if (loom_device_open(NULL, &device)) {
			fprintf(stderr, "sram_attack: no device\n");
			return 1;
		}
		if (!i && drop_privileges()) {
			perror("sram_attack: capset");
			return 1;
		}
		sum += take(device, i % 2 ? DRM_LOOM_DIRECTION_BOTTOM_UP :
					    DRM_LOOM_DIRECTION_DEFAULT);
	}
	printf("taken %llu\n", (unsigned long long)sum);
	fflush(stdout);
	pause();
	return 0;
}
