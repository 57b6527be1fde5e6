/* SPDX-License-Identifier: MIT */
#ifndef LOOM_DEVICE_PRIV_H
#define LOOM_DEVICE_PRIV_H

#include <pthread.h>

#include "loom_device.h"
#include "loom_chip.h"

/**
 * DOC: Device access
 *
 * This folder is the only one that talks to the kernel. The input is a path and the structs of
 * drm/loom_accel.h; the output is handles: a device (an open node and its properties), buffers,
 * contexts, plans, syncobjs, and the list of the processes that use a node. It neither plans nor
 * runs; run/ above it does. Its interface is public: loom_device.h, loom_client.h, loom_config.h.
 *
 * * device.c: opens a node, and all queries
 * * bo.c: buffers and their mappings
 * * job.c: contexts, plans, submission, syncobjs
 * * config.c: software devices of any shape, through configfs
 * * client.c: processes that use a node, from fdinfo in /proc
 * * no_space.c: messages about a buffer without room
 * * text.c: messages about a plan that was refused or does not fit
 *
 * bo.c, job.c and client.c call device.c only; the others call no file of this folder.
 *
 * libdrm supports accel nodes only in part: drmGetVersion(), drmIoctl() and the syncobjs work,
 * drmGetDevices2() and drmGetNodeTypeFromFd() do not. So nodes are found by reading
 * /sys/class/accel and told apart by the driver's name. libdrm returns -1 with errno in some
 * functions and -errno in others. This folder returns 0 or -errno, and preserves errno.
 *
 * Rejected: one global device. Tests open the node many times in a process, and a server may own
 * several. Rejected: caching the answers of QUERY about regions and blocks. Others allocate at any
 * time, so only constants (&struct loom_device) are kept.
 */

/**
 * struct loom_shared_handle - a handle that an import of its dma-buf gives again
 * @handle: GEM handle
 * @users: buffers with it; the last one closes it
 */
struct loom_shared_handle {
	uint32_t handle;
	uint32_t users;
};

/**
 * struct loom_device - an open node; immutable but for the shared handles
 * @fd: the file
 * @path: the node
 * @info: answer to QUERY
 * @chip: made from the answers to QUERY; @info owns its name
 * @version: major, minor, patch of the driver
 * @lock: protects @shared, and is held while handles of dma-bufs are opened and closed
 * @shared: handles of buffers that were exported or imported
 * @num_shared: number of @shared
 */
struct loom_device {
	int fd;
	char *path;
	struct drm_loom_device_info info;
	struct drm_loom_chip chip;
	int version[3];
	pthread_mutex_t lock;
	struct loom_shared_handle *shared;
	size_t num_shared;
};

/** loom_device_ioctl() - drmIoctl() that returns 0 or -errno and preserves errno */
int loom_device_ioctl(const struct loom_device *device, unsigned long request, void *arg);

#endif /* LOOM_DEVICE_PRIV_H */
