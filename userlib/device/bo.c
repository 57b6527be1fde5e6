// SPDX-License-Identifier: MIT
#include "device.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

/**
 * struct loom_bo - a buffer on the device
 * @device: where it was made
 * @handle: GEM handle
 * @size: bytes that were asked for
 * @lock: protects @map
 * @map: linear view, NULL until the first loom_bo_map()
 */
struct loom_bo {
	struct loom_device *device;
	uint32_t handle;
	uint64_t size;
	pthread_mutex_t lock;
	void *map;
};

static void loom_bo_close(struct loom_device *device, uint32_t handle)
{
	struct drm_gem_close close = { .handle = handle };

	/* Fails only if there is no such handle, and then there is nothing to close. */
	(void)loom_device_ioctl(device, DRM_IOCTL_GEM_CLOSE, &close);
}

int loom_bo_create(struct loom_device *device, const struct drm_loom_bo_create *request,
		   struct loom_bo **out)
{
	struct drm_loom_bo_create create = *request;
	struct loom_bo *bo;
	int ret;

	*out = NULL;
	bo = calloc(1, sizeof(*bo));
	if (!bo)
		return -ENOMEM;
	create.handle = 0;
	ret = loom_device_ioctl(device, DRM_IOCTL_LOOM_BO_CREATE, &create);
	if (ret)
		goto free_bo;
	ret = -pthread_mutex_init(&bo->lock, NULL);
	if (ret)
		goto close_handle;
	bo->device = device;
	bo->handle = create.handle;
	bo->size = create.size;
	*out = bo;
	return 0;

close_handle:
	loom_bo_close(device, create.handle);
free_bo:
	free(bo);
	return ret;
}

void loom_bo_destroy(struct loom_bo *bo)
{
	if (!bo)
		return;
	if (bo->map)
		munmap(bo->map, bo->size);
	loom_bo_close(bo->device, bo->handle);
	pthread_mutex_destroy(&bo->lock);
	free(bo);
}

uint32_t loom_bo_handle(const struct loom_bo *bo)
{
	return bo->handle;
}

uint64_t loom_bo_size(const struct loom_bo *bo)
{
	return bo->size;
}

int loom_bo_info(const struct loom_bo *bo, struct drm_loom_bo_info *info)
{
	memset(info, 0, sizeof(*info));
	info->handle = bo->handle;
	return loom_device_ioctl(bo->device, DRM_IOCTL_LOOM_BO_INFO, info);
}

static int loom_bo_map_locked(struct loom_bo *bo)
{
	struct drm_loom_bo_info info;
	int saved = errno;
	int ret;
	void *map;

	ret = loom_bo_info(bo, &info);
	if (ret)
		return ret;
	if (bo->size > SIZE_MAX)
		return -EOVERFLOW;
	map = mmap(NULL, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED, bo->device->fd,
		   info.mmap_offset);
	if (map == MAP_FAILED) {
		ret = -errno;
		errno = saved;
		return ret;
	}
	bo->map = map;
	return 0;
}

int loom_bo_map(struct loom_bo *bo, void **ptr)
{
	int ret = 0;

	pthread_mutex_lock(&bo->lock);
	if (!bo->map)
		ret = loom_bo_map_locked(bo);
	*ptr = bo->map;
	pthread_mutex_unlock(&bo->lock);
	return ret;
}

int loom_bo_wait(const struct loom_bo *bo, int64_t deadline_ns)
{
	struct drm_loom_bo_wait wait = {
		.handle = bo->handle,
		.timeout_ns = deadline_ns,
	};

	return loom_device_ioctl(bo->device, DRM_IOCTL_LOOM_BO_WAIT, &wait);
}
