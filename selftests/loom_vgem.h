/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_VGEM_H
#define LOOM_VGEM_H

/*
 * Buffers and fences of another driver: vgem, which the VM has.
 */
#include <linux/dma-buf.h>

#include "loom_selftest.h"

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

/* What vgem makes of a buffer of ours: it has its pages until the handle is closed. */
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

#endif /* LOOM_VGEM_H */
