// SPDX-License-Identifier: MIT
/* Copies of a buffer's bytes, with a driver that ends each call early, as signals make it do. */
#include <errno.h>
#include <string.h>
#include <xf86drm.h>

#include <drm/loom_accel.h>

#include "driver.h"
#include "loom_device.h"
#include "tap.h"

#define BYTES	1000

/* The driver of this test: stands in for libdrm's functions of the same names. */
static unsigned char buffer[BYTES];
static uint64_t most, fail_at;
static uint32_t calls;

static int copy(struct drm_loom_bo_copy *args, bool write)
{
	void *user = (void *)(uintptr_t)args->ptr;

	calls++;
	if (args->flags || !args->size || args->offset >= BYTES ||
	    args->size > BYTES - args->offset)
		return -EINVAL;
	if (args->offset >= fail_at)
		return -EIO;
	if (args->size > most)
		args->size = most;
	if (write)
		memcpy(buffer + args->offset, user, args->size);
	else
		memcpy(user, buffer + args->offset, args->size);
	return 0;
}

int drmIoctl(int fd, unsigned long request, void *arg)
{
	int ret = 0;

	(void)fd;
	if (request == DRM_IOCTL_LOOM_QUERY)
		ret = driver_answer(arg);
	else if (request == DRM_IOCTL_LOOM_BO_CREATE)
		((struct drm_loom_bo_create *)arg)->handle = 1;
	else if (request == DRM_IOCTL_LOOM_BO_READ || request == DRM_IOCTL_LOOM_BO_WRITE)
		ret = copy(arg, request == DRM_IOCTL_LOOM_BO_WRITE);
	errno = -ret;
	return ret ? -1 : 0;
}

int main(void)
{
	const struct drm_loom_bo_create request = { .size = BYTES };
	unsigned char data[BYTES], back[BYTES];
	struct loom_device *device;
	struct loom_bo *bo = NULL;
	uint32_t i;

	for (i = 0; i < BYTES; i++)
		data[i] = (unsigned char)(i * 31 + i / 256);
	most = 7;
	fail_at = BYTES;
	tap_ok(!loom_device_open("/dev/null", &device) && !loom_bo_create(device, &request, &bo),
	       "a buffer");
	if (!bo)
		return tap_end();
	tap_ok(!loom_bo_write(bo, 0, data, BYTES) && !memcmp(buffer, data, BYTES) &&
	       calls == (BYTES + most - 1) / most, "all is written, however early a call ends");
	memset(back, 0, sizeof(back));
	tap_ok(!loom_bo_read(bo, 3, back, 500) && !memcmp(back, data + 3, 500) && !back[500],
	       "and read, no byte more");
	calls = 0;
	tap_ok(!loom_bo_read(bo, 0, back, 0) && !loom_bo_write(bo, BYTES + 5, data, 0) && !calls,
	       "nothing to copy needs no call");
	tap_ok(loom_bo_read(bo, 1, back, BYTES) == -EINVAL && calls == 1, "beyond the end");
	fail_at = 700;
	tap_ok(loom_bo_write(bo, 650, data, 100) == -EIO && !memcmp(buffer + 650, data, 50),
	       "an error half way ends it");
	loom_bo_destroy(bo);
	loom_device_close(device);
	return tap_end();
}
