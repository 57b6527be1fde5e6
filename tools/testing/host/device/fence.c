// SPDX-License-Identifier: MIT
/* What became of a fence, as a driver of this test says. */
#include <errno.h>
#include <fcntl.h>
#include <linux/sync_file.h>
#include <string.h>
#include <unistd.h>

#include <drm/loom_accel.h>

#include "driver.h"
#include "loom_device.h"
#include "tap.h"

#define SYNC	7

/* The driver of this test: of the fence in SYNC it says @status. */
static int status, fence_fd = -1;
static bool asked_for_sync_file;

static int export(struct drm_syncobj_handle *args)
{
	if (args->handle != SYNC)
		return -EINVAL;
	asked_for_sync_file = args->flags == DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE;
	fence_fd = open("/dev/null", O_RDWR);
	args->fd = fence_fd;
	return 0;
}

int drmIoctl(int fd, unsigned long request, void *arg)
{
	int ret = 0;

	if (request == DRM_IOCTL_LOOM_QUERY)
		ret = driver_answer(arg);
	else if (request == DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD)
		ret = export(arg);
	else if (request == SYNC_IOC_FILE_INFO && fd == fence_fd)
		((struct sync_file_info *)arg)->status = status;
	else
		ret = -ENOTTY;
	errno = -ret;
	return ret ? -1 : 0;
}

int main(void)
{
	struct loom_device *device;

	tap_ok(!loom_device_open("/dev/null", &device), "a device");
	status = 1;
	tap_ok(!loom_sync_status(device, SYNC) && asked_for_sync_file, "a job that has run");
	tap_ok(fcntl(fence_fd, F_GETFD) == -1, "nothing is left open");
	status = 0;
	tap_ok(loom_sync_status(device, SYNC) == -EBUSY, "one that has not ended");
	status = -EIO;
	tap_ok(loom_sync_status(device, SYNC) == -EIO, "one that has failed");
	tap_ok(loom_sync_status(device, SYNC + 1) == -EINVAL, "no fence");
	loom_device_close(device);
	return tap_end();
}
