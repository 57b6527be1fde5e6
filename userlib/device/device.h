/* SPDX-License-Identifier: MIT */
#ifndef LOOM_DEVICE_PRIV_H
#define LOOM_DEVICE_PRIV_H

#include "loom_device.h"
#include "loom_topology.h"

/**
 * struct loom_device - an open node; immutable, so it needs no lock
 * @fd: the file
 * @path: the node
 * @info: answer to QUERY
 * @topology: made from the answers to QUERY; its name is @info's
 * @version: major, minor, patch of the driver
 */
struct loom_device {
	int fd;
	char *path;
	struct drm_loom_device_info info;
	struct loom_topology topology;
	int version[3];
};

/** loom_device_ioctl() - drmIoctl() that returns 0 or -errno and leaves errno alone */
int loom_device_ioctl(const struct loom_device *device, unsigned long request, void *arg);

#endif /* LOOM_DEVICE_PRIV_H */
