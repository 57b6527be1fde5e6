/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_IOCTL_H
#define LOOM_IOCTL_H

/*
 * The ioctls of buffers, contexts, plans and syncobjs as functions that return 0 or -errno.
 */
#include <linux/dma-buf.h>

#include "loom_node.h"

#include <linux/sync_file.h>

/* ----------------------------------------------------------------- buffers */

static inline int loom_bo_create(int fd, uint64_t size, uint32_t region, uint32_t *handle)
{
	struct drm_loom_bo_create args = { .size = size, .region = region };
	int ret = loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &args);

	*handle = args.handle;
	return ret;
}

static inline int loom_bo_info(int fd, uint32_t handle, struct drm_loom_bo_info *info)
{
	*info = (struct drm_loom_bo_info) { .handle = handle };
	return loom_call(fd, DRM_IOCTL_LOOM_BO_INFO, info);
}

static inline int loom_bo_wait(int fd, uint32_t handle, int64_t timeout_ns)
{
	struct drm_loom_bo_wait args = { .handle = handle, .timeout_ns = timeout_ns };

	return loom_call(fd, DRM_IOCTL_LOOM_BO_WAIT, &args);
}

static inline int loom_bo_close(int fd, uint32_t handle)
{
	struct drm_gem_close args = { .handle = handle };

	return loom_call(fd, DRM_IOCTL_GEM_CLOSE, &args);
}

static inline void *loom_bo_map(int fd, uint32_t handle, uint64_t size)
{
	struct drm_loom_bo_info info;

	if (loom_bo_info(fd, handle, &info))
		return MAP_FAILED;
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, info.mmap_offset);
}

/* Return: how many bytes were copied, or -errno. */
static inline int64_t loom_bo_copy(int fd, unsigned long cmd, uint32_t handle, uint64_t offset,
				   const void *ptr, uint64_t size)
{
	struct drm_loom_bo_copy args = {
		.handle = handle, .offset = offset, .size = size, .ptr = (uintptr_t)ptr,
	};
	int ret = loom_call(fd, cmd, &args);

	return ret ?: (int64_t)args.size;
}

static inline int64_t loom_bo_read(int fd, uint32_t handle, uint64_t offset, void *ptr,
				   uint64_t size)
{
	return loom_bo_copy(fd, DRM_IOCTL_LOOM_BO_READ, handle, offset, ptr, size);
}

static inline int64_t loom_bo_write(int fd, uint32_t handle, uint64_t offset, const void *ptr,
				    uint64_t size)
{
	return loom_bo_copy(fd, DRM_IOCTL_LOOM_BO_WRITE, handle, offset, ptr, size);
}

/* Rows of @bytes in each bank, of which the first can be bound to a slot in the SRAM. */
static inline int loom_sram_rows(int fd, const struct drm_loom_region_info *sram, uint64_t bytes,
				 uint32_t direction, struct drm_loom_bo_info *info)
{
	struct drm_loom_bo_create args = {
		.size = bytes * sram->banks,
		.region = DRM_LOOM_REGION_SRAM,
		.page_bytes = LOOM_ROW_BYTES,
		.direction = direction,
	};
	int ret = loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &args);

	return ret ? ret : loom_bo_info(fd, args.handle, info);
}

/* ------------------------------------------------------ contexts and plans */

static inline int loom_context_create(int fd, uint32_t priority, uint32_t *context)
{
	struct drm_loom_context_create args = { .priority = priority };
	int ret = loom_call(fd, DRM_IOCTL_LOOM_CONTEXT_CREATE, &args);

	*context = args.context;
	return ret;
}

#ifdef _LOOM_ACCEL_REPORT_H_
/* The file may have all of the SRAM: needs CAP_SYS_NICE, or that no other file is open. */
static inline int loom_exclusive(int fd, uint32_t *context)
{
	struct drm_loom_context_create args = {
		.priority = DRM_LOOM_PRIORITY_NORMAL,
		.flags = DRM_LOOM_CONTEXT_EXCLUSIVE,
	};
	int ret = loom_call(fd, DRM_IOCTL_LOOM_CONTEXT_CREATE, &args);

	*context = args.context;
	return ret;
}
#endif

static inline int loom_context_destroy(int fd, uint32_t context)
{
	struct drm_loom_context_destroy args = { .context = context };

	return loom_call(fd, DRM_IOCTL_LOOM_CONTEXT_DESTROY, &args);
}

static inline int loom_context_query(int fd, uint32_t context,
				     struct drm_loom_context_query *query)
{
	*query = (struct drm_loom_context_query) { .context = context };
	return loom_call(fd, DRM_IOCTL_LOOM_CONTEXT_QUERY, query);
}

static inline int loom_plan_create(int fd, const void *blob, uint64_t size,
				   struct drm_loom_reject *reject, uint32_t *plan)
{
	struct drm_loom_plan_create args = {
		.ptr = (uintptr_t)blob,
		.size = size,
		.reject = (uintptr_t)reject,
		.reject_size = reject ? sizeof(*reject) : 0,
	};
	int ret = loom_call(fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args);

	*plan = args.plan;
	return ret;
}

static inline int loom_plan_destroy(int fd, uint32_t plan)
{
	struct drm_loom_plan_destroy args = { .plan = plan };

	return loom_call(fd, DRM_IOCTL_LOOM_PLAN_DESTROY, &args);
}

/* ------------------------------------------------------------------ fences */

static inline uint32_t loom_sync_create(int fd, uint32_t flags)
{
	struct drm_syncobj_create args = { .flags = flags };

	return loom_call(fd, DRM_IOCTL_SYNCOBJ_CREATE, &args) ? 0 : args.handle;
}

static inline int loom_sync_destroy(int fd, uint32_t handle)
{
	struct drm_syncobj_destroy args = { .handle = handle };

	return loom_call(fd, DRM_IOCTL_SYNCOBJ_DESTROY, &args);
}

static inline int loom_sync_reset(int fd, uint32_t handle)
{
	struct drm_syncobj_array args = { .handles = (uintptr_t)&handle, .count_handles = 1 };

	return loom_call(fd, DRM_IOCTL_SYNCOBJ_RESET, &args);
}

/* 0, -ETIME, or -EINVAL when nothing has been submitted to it. */
static inline int loom_sync_wait(int fd, uint32_t handle, int64_t timeout_ns)
{
	struct drm_syncobj_wait args = {
		.handles = (uintptr_t)&handle,
		.count_handles = 1,
		.timeout_nsec = timeout_ns,
	};

	return loom_call(fd, DRM_IOCTL_SYNCOBJ_WAIT, &args);
}

static inline int loom_sync_wait_point(int fd, uint32_t handle, uint64_t point, int64_t timeout_ns)
{
	struct drm_syncobj_timeline_wait args = {
		.handles = (uintptr_t)&handle,
		.points = (uintptr_t)&point,
		.count_handles = 1,
		.timeout_nsec = timeout_ns,
	};

	return loom_call(fd, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &args);
}

/* The fence as a file. Return: a descriptor, or -errno. */
static inline int loom_sync_export(int fd, uint32_t handle)
{
	struct drm_syncobj_handle export = {
		.handle = handle,
		.flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE,
	};
	int ret = loom_call(fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &export);

	return ret ? ret : export.fd;
}

static inline int loom_sync_file_status(int file)
{
	struct sync_file_info info = {};
	int ret = loom_call(file, SYNC_IOC_FILE_INFO, &info);

	return ret ? ret : info.status;
}

/* Return: 1: ended without error, 0: has not ended, -errno: ended with that error. */
static inline int loom_sync_status(int fd, uint32_t handle)
{
	int file = loom_sync_export(fd, handle), ret;

	if (file < 0)
		return file;
	ret = loom_sync_file_status(file);
	close(file);
	return ret;
}

/* Return: when the job of a syncobj ended, in ns of CLOCK_MONOTONIC; UINT64_MAX if it has not. */
static inline uint64_t loom_sync_end(int fd, uint32_t handle)
{
	struct sync_fence_info fence = {};
	struct sync_file_info info = { .num_fences = 1, .sync_fence_info = (uintptr_t)&fence };
	int file = loom_sync_export(fd, handle);
	int ret = file < 0 ? file : loom_call(file, SYNC_IOC_FILE_INFO, &info);

	if (file >= 0)
		close(file);
	return !ret && info.status ? fence.timestamp_ns : UINT64_MAX;
}

/* ----------------------------------------------------------------- sharing */

/* Return: a dma-buf, or -errno. */
static inline int loom_bo_export(int fd, uint32_t handle)
{
	struct drm_prime_handle prime = {
		.handle = handle, .flags = DRM_RDWR | DRM_CLOEXEC,
	};
	int ret = loom_call(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);

	return ret ?: prime.fd;
}

static inline int loom_bo_import(int fd, int dmabuf, uint32_t *handle)
{
	struct drm_prime_handle prime = { .fd = dmabuf };
	int ret = loom_call(fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime);

	*handle = prime.handle;
	return ret;
}

/* A buffer of one node as one of another. */
static inline int loom_bo_share(int from, uint32_t handle, int to, uint32_t *shared)
{
	int dmabuf = loom_bo_export(from, handle), ret;

	if (dmabuf < 0)
		return dmabuf;
	ret = loom_bo_import(to, dmabuf, shared);
	close(dmabuf);
	return ret;
}

/* A syncobj of one node as one of another. Return: its handle there, or 0. */
static inline uint32_t loom_sync_share(int from, uint32_t handle, int to)
{
	struct drm_syncobj_handle args = { .handle = handle };

	if (loom_call(from, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args))
		return 0;
	args.handle = 0;
	if (loom_call(to, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &args))
		args.handle = 0;
	close(args.fd);
	return args.handle;
}

/* ---------------------------------------------------------- another driver */

/* Buffers and fences of vgem, which the VM has. */
struct vgem_fence_attach {
	__u32 handle;
	__u32 flags;
	__u32 out_fence;
	__u32 pad;
};

struct vgem_fence_signal {
	__u32 fence;
	__u32 flags;
};

#define VGEM_FENCE_ATTACH	DRM_IOWR(DRM_COMMAND_BASE + 1, struct vgem_fence_attach)
#define VGEM_FENCE_SIGNAL	DRM_IOW(DRM_COMMAND_BASE + 2, struct vgem_fence_signal)

static inline int vgem_open(void)
{
	char name[16];
	struct drm_version version = { .name = name, .name_len = sizeof(name) };
	int fd = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);

	if (fd >= 0 && !loom_call(fd, DRM_IOCTL_VERSION, &version) && version.name_len == 4 &&
	    !memcmp(name, "vgem", 4))
		return fd;
	close(fd);
	return -ENODEV;
}

/* A dma-buf of vgem with a fence on it that signals on demand, or after ten seconds. */
static inline int vgem_create_fenced(int vgem, uint32_t *fence)
{
	struct drm_mode_create_dumb dumb = { .width = 64, .height = 64, .bpp = 32 };
	struct vgem_fence_attach attach = { .flags = 1 };
	struct drm_prime_handle prime = { .flags = DRM_RDWR | DRM_CLOEXEC };
	int ret = loom_call(vgem, DRM_IOCTL_MODE_CREATE_DUMB, &dumb);

	attach.handle = dumb.handle;
	prime.handle = dumb.handle;
	ret = ret ?: loom_call(vgem, VGEM_FENCE_ATTACH, &attach);
	ret = ret ?: loom_call(vgem, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);
	*fence = attach.out_fence;
	return ret ?: prime.fd;
}

/* The fence of a dma-buf in a syncobj of ours. */
static inline int syncobj_import(int fd, uint32_t syncobj, int dmabuf)
{
	struct dma_buf_export_sync_file export = { .flags = DMA_BUF_SYNC_RW };
	struct drm_syncobj_handle handle = {
		.handle = syncobj,
		.flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE,
	};
	int ret = loom_call(dmabuf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &export);

	if (ret)
		return ret;
	handle.fd = export.fd;
	ret = loom_call(fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &handle);
	close(export.fd);
	return ret;
}

/* A dma-buf of vgem with at least @bytes. */
static inline int vgem_create(int vgem, uint64_t bytes)
{
	struct drm_mode_create_dumb dumb = { .width = bytes / 4, .height = 1, .bpp = 32 };
	struct drm_prime_handle prime = { .flags = DRM_RDWR | DRM_CLOEXEC };
	int ret = loom_call(vgem, DRM_IOCTL_MODE_CREATE_DUMB, &dumb);

	prime.handle = dumb.handle;
	return ret ?: loom_call(vgem, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime) ?: prime.fd;
}

/* Imports a buffer of ours into vgem, which holds its pages until the handle is closed. */
static inline int vgem_import(int vgem, int fd, uint32_t handle, uint32_t *imported)
{
	struct drm_prime_handle prime = { .handle = handle, .flags = DRM_RDWR | DRM_CLOEXEC };
	int ret = loom_call(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);

	if (ret)
		return ret;
	ret = loom_call(vgem, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime);
	close(prime.fd);
	*imported = prime.handle;
	return ret;
}

#endif /* LOOM_IOCTL_H */
