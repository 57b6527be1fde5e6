/* SPDX-License-Identifier: MIT */
#ifndef LOOM_DEVICE_PRIV_H
#define LOOM_DEVICE_PRIV_H

#include "loom_device.h"
#include "loom_chip.h"

/**
 * DOC: Device access
 *
 * This room is the only one that talks to the kernel. It is given a path and the structs of
 * drm/loom_accel.h, and gives handles: a device (an open node and what it said of itself), buffers,
 * contexts, plans, syncobjs, and the list of the processes that use a node. It plans and runs
 * nothing; run/ does, above it. All of its interface is public: loom_device.h, loom_client.h,
 * loom_config.h.
 *
 * * device.c: opens a node, and all queries
 * * bo.c: buffers and their mappings
 * * job.c: contexts, plans, submission, syncobjs
 * * config.c: software devices of any shape, through configfs
 * * client.c: who uses a node, from fdinfo in /proc
 * * no_space.c: why a buffer found no room, in words
 * * text.c: why a plan was refused or does not fit, in words
 *
 * bo.c, job.c and client.c call device.c and nothing else; the others call nobody here.
 *
 * What libdrm knows of accel nodes is partial: drmGetVersion(), drmIoctl() and the syncobjs work,
 * drmGetDevices2() and drmGetNodeTypeFromFd() do not. So nodes are found by reading
 * /sys/class/accel and told apart by the driver's name. libdrm returns -1 with errno in some
 * functions and -errno in others. Callers of this room see 0 or -errno, and errno is unchanged.
 *
 * Rejected: one global device. Tests open the node many times in a process, and a server may own
 * several. Rejected: caching what QUERY says of regions and blocks. Others allocate at any time, so
 * only what cannot change (&struct loom_device) is kept.
 */

/**
 * struct loom_device - an open node; immutable, so it needs no lock
 * @fd: the file
 * @path: the node
 * @info: answer to QUERY
 * @chip: made from the answers to QUERY; its name is @info's
 * @version: major, minor, patch of the driver
 */
struct loom_device {
	int fd;
	char *path;
	struct drm_loom_device_info info;
	struct drm_loom_chip chip;
	int version[3];
};

/** loom_device_ioctl() - drmIoctl() that returns 0 or -errno and leaves errno alone */
int loom_device_ioctl(const struct loom_device *device, unsigned long request, void *arg);

#endif /* LOOM_DEVICE_PRIV_H */
