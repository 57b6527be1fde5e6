// SPDX-License-Identifier: MIT
#include "device.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

/**
 * struct loom_bo - a buffer on the device
 * @device: the device
 * @handle: GEM handle
 * @size: size requested, or all bytes of an imported buffer
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

	/* fails only without such a handle, and then there is nothing to close */
	(void)loom_device_ioctl(device, DRM_IOCTL_GEM_CLOSE, &close);
}

static struct loom_shared_handle *loom_bo_find_shared(struct loom_device *device, uint32_t handle)
{
	size_t i;

	for (i = 0; i < device->num_shared; i++)
		if (device->shared[i].handle == handle)
			return &device->shared[i];
	return NULL;
}

/* Counts @users more of a handle, at least one. The caller must hold the lock of the device. */
static int loom_bo_share_locked(struct loom_device *device, uint32_t handle, uint32_t users)
{
	struct loom_shared_handle *shared = loom_bo_find_shared(device, handle), *grown;

	if (!shared) {
		grown = realloc(device->shared, (device->num_shared + 1) * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		device->shared = grown;
		shared = &grown[device->num_shared++];
		*shared = (struct loom_shared_handle){ .handle = handle };
	}
	shared->users += users;
	if (!shared->users)
		shared->users = 1;
	return 0;
}

static void loom_bo_release(struct loom_device *device, uint32_t handle)
{
	struct loom_shared_handle *shared;

	pthread_mutex_lock(&device->lock);
	shared = loom_bo_find_shared(device, handle);
	if (shared && !--shared->users)
		*shared = device->shared[--device->num_shared];
	else if (shared)
		handle = 0;
	if (handle)
		loom_bo_close(device, handle);
	pthread_mutex_unlock(&device->lock);
}

/* Takes ownership of the handle: closes it if no buffer can be made. */
static int loom_bo_take(struct loom_device *device, uint32_t handle, uint64_t size,
			struct loom_bo **out)
{
	struct loom_bo *bo = calloc(1, sizeof(*bo));
	int ret = bo ? -pthread_mutex_init(&bo->lock, NULL) : -ENOMEM;

	if (ret) {
		loom_bo_release(device, handle);
		free(bo);
		return ret;
	}
	bo->device = device;
	bo->handle = handle;
	bo->size = size;
	*out = bo;
	return 0;
}

int loom_bo_create(struct loom_device *device, const struct drm_loom_bo_create *request,
		   struct loom_bo **out)
{
	struct drm_loom_bo_create create = *request;
	int ret;

	*out = NULL;
	create.handle = 0;
	ret = loom_device_ioctl(device, DRM_IOCTL_LOOM_BO_CREATE, &create);
	return ret ? ret : loom_bo_take(device, create.handle, create.size, out);
}

int loom_bo_set_label(const struct loom_bo *bo, const char *label)
{
	struct drm_loom_bo_label args = {
		.handle = bo->handle,
		.size = strnlen(label, DRM_LOOM_LABEL_BYTES + 1),
		.ptr = (uintptr_t)label,
	};

	return loom_device_ioctl(bo->device, DRM_IOCTL_LOOM_BO_LABEL, &args);
}

struct loom_device *loom_bo_device(const struct loom_bo *bo)
{
	return bo->device;
}

int loom_bo_info(const struct loom_bo *bo, struct drm_loom_bo_info *info)
{
	memset(info, 0, sizeof(*info));
	info->handle = bo->handle;
	return loom_device_ioctl(bo->device, DRM_IOCTL_LOOM_BO_INFO, info);
}

int loom_bo_addresses(const struct loom_bo *bo, uint64_t *addresses, uint32_t room, uint32_t *count)
{
	struct drm_loom_bo_info info;
	uint32_t i;
	int ret;

	*count = 0;
	ret = loom_bo_info(bo, &info);
	if (ret || info.flags & DRM_LOOM_BO_EVICTED)
		return ret;
	/* drivers before minor 8 have no other buffers, and do not know the array */
	if (!(info.flags & DRM_LOOM_BO_PER_BANK)) {
		for (i = 0; i < info.banks && i < room; i++)
			addresses[i] = info.address;
		*count = info.banks;
		return 0;
	}
	info = (struct drm_loom_bo_info){
		.handle = bo->handle,
		.addresses = room ? (uintptr_t)addresses : 0,
		.address_count = room,
	};
	ret = loom_device_ioctl(bo->device, DRM_IOCTL_LOOM_BO_INFO, &info);
	if (!ret)
		*count = info.address_count;
	return ret;
}

int loom_bo_export(const struct loom_bo *bo, int *fd)
{
	struct drm_prime_handle prime = {
		.handle = bo->handle, .flags = DRM_RDWR | DRM_CLOEXEC,
	};
	int ret;

	pthread_mutex_lock(&bo->device->lock);
	ret = loom_bo_share_locked(bo->device, bo->handle, 0);
	pthread_mutex_unlock(&bo->device->lock);
	if (!ret)
		ret = loom_device_ioctl(bo->device, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);
	*fd = ret ? -1 : prime.fd;
	return ret;
}

/* A handle of a dma-buf that another buffer may have already. */
static int loom_bo_open(struct loom_device *device, int fd, uint32_t *handle)
{
	struct drm_prime_handle prime = { .fd = fd };
	int ret;

	pthread_mutex_lock(&device->lock);
	ret = loom_device_ioctl(device, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime);
	if (!ret)
		ret = loom_bo_share_locked(device, prime.handle, 1);
	/* one that is shared already has room */
	if (ret && prime.handle)
		loom_bo_close(device, prime.handle);
	pthread_mutex_unlock(&device->lock);
	*handle = prime.handle;
	return ret;
}

int loom_bo_import(struct loom_device *device, int fd, struct loom_bo **out)
{
	struct drm_loom_bo_info info = {};
	int ret;

	*out = NULL;
	ret = loom_bo_open(device, fd, &info.handle);
	if (ret)
		return ret;
	ret = loom_device_ioctl(device, DRM_IOCTL_LOOM_BO_INFO, &info);
	if (!ret)
		return loom_bo_take(device, info.handle, info.size, out);
	loom_bo_release(device, info.handle);
	return ret;
}

void loom_bo_destroy(struct loom_bo *bo)
{
	if (!bo)
		return;
	if (bo->map)
		munmap(bo->map, bo->size);
	loom_bo_release(bo->device, bo->handle);
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

/* Maps it where it was mapped before, if it was. */
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
	map = mmap(bo->map, bo->size,
		   PROT_READ | (info.flags & DRM_LOOM_BO_SEALED ? 0 : PROT_WRITE),
		   MAP_SHARED | (bo->map ? MAP_FIXED : 0), bo->device->fd, info.mmap_offset);
	if (map == MAP_FAILED) {
		ret = -errno;
		errno = saved;
		return ret;
	}
	bo->map = map;
	return 0;
}

/* Has nothing at the address of the mapping, which stays reserved. */
static int loom_bo_unmap_locked(struct loom_bo *bo)
{
	int saved = errno, ret = 0;

	if (mmap(bo->map, bo->size, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
		ret = -errno;
	errno = saved;
	return ret;
}

int loom_bo_seal(struct loom_bo *bo)
{
	struct drm_loom_bo_seal args = { .handle = bo->handle };
	int ret = 0, mapped = 0;

	pthread_mutex_lock(&bo->lock);
	if (bo->map)
		ret = loom_bo_unmap_locked(bo);
	if (!ret) {
		ret = loom_device_ioctl(bo->device, DRM_IOCTL_LOOM_BO_SEAL, &args);
		mapped = bo->map ? loom_bo_map_locked(bo) : 0;
	}
	pthread_mutex_unlock(&bo->lock);
	return ret ? ret : mapped;
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

/* A call may end early because of a signal. */
static int loom_bo_copy(const struct loom_bo *bo, unsigned long request, uint64_t offset,
			const void *data, uint64_t bytes)
{
	uint64_t done = 0;
	int ret = 0;

	while (!ret && done < bytes) {
		struct drm_loom_bo_copy copy = {
			.handle = bo->handle,
			.offset = offset + done,
			.size = bytes - done,
			.ptr = (uintptr_t)data + done,
		};

		ret = loom_device_ioctl(bo->device, request, &copy);
		done += copy.size;
	}
	return ret;
}

int loom_bo_read(const struct loom_bo *bo, uint64_t offset, void *data, uint64_t bytes)
{
	return loom_bo_copy(bo, DRM_IOCTL_LOOM_BO_READ, offset, data, bytes);
}

int loom_bo_write(const struct loom_bo *bo, uint64_t offset, const void *data, uint64_t bytes)
{
	return loom_bo_copy(bo, DRM_IOCTL_LOOM_BO_WRITE, offset, data, bytes);
}

int loom_bo_wait(const struct loom_bo *bo, int64_t deadline_ns)
{
	struct drm_loom_bo_wait wait = {
		.handle = bo->handle,
		.timeout_ns = deadline_ns,
	};

	return loom_device_ioctl(bo->device, DRM_IOCTL_LOOM_BO_WAIT, &wait);
}
