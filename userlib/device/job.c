// SPDX-License-Identifier: MIT
#include "device.h"

#include <linux/sync_file.h>
#include <stdlib.h>

#include <xf86drm.h>
#include <unistd.h>

/**
 * struct loom_context - a queue on the device; immutable, so it needs no lock
 * @device: the device
 * @id: its id
 */
struct loom_context {
	struct loom_device *device;
	uint32_t id;
};

static int loom_context_make(struct loom_device *device, struct drm_loom_context_create *create,
			     struct loom_context **out)
{
	struct loom_context *context;
	int ret;

	*out = NULL;
	context = calloc(1, sizeof(*context));
	if (!context)
		return -ENOMEM;
	ret = loom_device_ioctl(device, DRM_IOCTL_LOOM_CONTEXT_CREATE, create);
	if (ret) {
		free(context);
		return ret;
	}
	context->device = device;
	context->id = create->context;
	*out = context;
	return 0;
}

int loom_context_create(struct loom_device *device, uint32_t priority, struct loom_context **out)
{
	struct drm_loom_context_create create = { .priority = priority };

	return loom_context_make(device, &create, out);
}

int loom_context_create_exclusive(struct loom_device *device, uint32_t priority,
				  struct loom_context **out)
{
	struct drm_loom_context_create create = {
		.priority = priority, .flags = DRM_LOOM_CONTEXT_EXCLUSIVE,
	};

	return loom_context_make(device, &create, out);
}

int loom_context_create_lanes(struct loom_device *device, uint32_t priority, uint32_t lanes,
			      uint64_t mask[DRM_LOOM_MAX_BANKS / 64], struct loom_context **out)
{
	struct drm_loom_context_create create = { .priority = priority, .lanes = lanes };
	int ret;

	*out = NULL;
	if (!lanes)
		return -EINVAL;
	if (!(device->info.flags & DRM_LOOM_DEVICE_LANES))
		return -EOPNOTSUPP;
	ret = loom_context_make(device, &create, out);
	memcpy(mask, create.lane_mask, sizeof(create.lane_mask));
	return ret;
}

void loom_context_destroy(struct loom_context *context)
{
	struct drm_loom_context_destroy destroy;

	if (!context)
		return;
	destroy = (struct drm_loom_context_destroy){ .context = context->id };
	(void)loom_device_ioctl(context->device, DRM_IOCTL_LOOM_CONTEXT_DESTROY, &destroy);
	free(context);
}

int loom_context_query(const struct loom_context *context, struct drm_loom_context_query *query)
{
	memset(query, 0, sizeof(*query));
	query->context = context->id;
	return loom_device_ioctl(context->device, DRM_IOCTL_LOOM_CONTEXT_QUERY, query);
}

int loom_context_submit(struct loom_context *context, const struct loom_submit *submit)
{
	struct drm_loom_submit args = {
		.context = context->id,
		.plan = submit->plan,
		.bindings = {
			.stride = sizeof(*submit->bindings),
			.count = submit->num_bindings,
			.ptr = (uintptr_t)submit->bindings,
		},
		.in_syncs = {
			.stride = sizeof(*submit->in),
			.count = submit->num_in,
			.ptr = (uintptr_t)submit->in,
		},
		.out_syncs = {
			.stride = sizeof(*submit->out),
			.count = submit->num_out,
			.ptr = (uintptr_t)submit->out,
		},
	};

	return loom_device_ioctl(context->device, DRM_IOCTL_LOOM_SUBMIT, &args);
}

int loom_device_plan_create(struct loom_device *device, const void *blob, uint64_t size,
			    struct drm_loom_reject *reject, uint32_t *plan)
{
	struct drm_loom_plan_create create = {
		.ptr = (uintptr_t)blob,
		.size = size,
		.reject = (uintptr_t)reject,
		.reject_size = reject ? sizeof(*reject) : 0,
	};
	int ret = loom_device_ioctl(device, DRM_IOCTL_LOOM_PLAN_CREATE, &create);

	*plan = ret ? 0 : create.plan;
	return ret;
}

int loom_device_plan_destroy(struct loom_device *device, uint32_t plan)
{
	struct drm_loom_plan_destroy destroy = { .plan = plan };

	return loom_device_ioctl(device, DRM_IOCTL_LOOM_PLAN_DESTROY, &destroy);
}

/* The drmSyncobj calls return -errno or -1 with errno, depending on the call. */
static int loom_sync_result(int ret, int saved)
{
	if (ret == -1)
		ret = -errno;
	errno = saved;
	return ret;
}

int loom_sync_create(struct loom_device *device, uint32_t *sync)
{
	int saved = errno;

	*sync = 0;
	errno = 0;
	return loom_sync_result(drmSyncobjCreate(device->fd, 0, sync), saved);
}

void loom_sync_destroy(struct loom_device *device, uint32_t sync)
{
	int saved = errno;

	drmSyncobjDestroy(device->fd, sync);
	errno = saved;
}

int loom_sync_share(struct loom_device *from, uint32_t sync, struct loom_device *to,
		    uint32_t *shared)
{
	struct drm_syncobj_handle args = { .handle = sync };
	int ret = loom_device_ioctl(from, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args);

	*shared = 0;
	if (ret)
		return ret;
	args.handle = 0;
	ret = loom_device_ioctl(to, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &args);
	close(args.fd);
	if (!ret)
		*shared = args.handle;
	return ret;
}

int loom_sync_wait(struct loom_device *device, uint32_t sync, uint64_t point, int64_t deadline_ns)
{
	unsigned int flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT;
	int saved = errno;
	int ret;

	errno = 0;
	if (point)
		ret = drmSyncobjTimelineWait(device->fd, &sync, &point, 1, deadline_ns, flags,
					     NULL);
	else
		ret = drmSyncobjWait(device->fd, &sync, 1, deadline_ns, flags, NULL);
	return loom_sync_result(ret, saved);
}

int loom_sync_export(struct loom_device *device, uint32_t sync, int *fd)
{
	struct drm_syncobj_handle args = {
		.handle = sync, .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE,
	};
	int ret = loom_device_ioctl(device, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args);

	*fd = ret ? -1 : args.fd;
	return ret;
}

/* The status of a fence; a wait reports that it has signalled, but not its error. */
int loom_sync_status(struct loom_device *device, uint32_t sync)
{
	struct sync_file_info info = {};
	int fd, ret = loom_sync_export(device, sync, &fd);
	int saved = errno;

	if (ret)
		return ret;
	if (drmIoctl(fd, SYNC_IOC_FILE_INFO, &info))
		ret = -errno;
	else
		ret = info.status > 0 ? 0 : info.status ? info.status : -EBUSY;
	close(fd);
	errno = saved;
	return ret;
}
