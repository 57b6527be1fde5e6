// SPDX-License-Identifier: MIT
#include "device.h"

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <xf86drm.h>

#define LOOM_DRIVER_NAME	"loom"
#define LOOM_ACCEL_CLASS	"/sys/class/accel"
/* Upper limit on lists: a block is at least as large as the alignment of its region. */
#define LOOM_MAX_BLOCK_BYTES	(1U << 30)

int loom_device_ioctl(const struct loom_device *device, unsigned long request, void *arg)
{
	int saved = errno;
	int ret = drmIoctl(device->fd, request, arg) ? -errno : 0;

	errno = saved;
	return ret;
}

/* @stride: bytes of an element, of arrays; else 0. */
static int loom_device_query(const struct loom_device *device, uint32_t type, uint32_t index,
			     void *answer, uint32_t *size, uint32_t stride)
{
	struct drm_loom_query query = {
		.type = type,
		.index = index,
		.ptr = (uintptr_t)answer,
		.size = *size,
		.stride = stride,
	};
	int ret = loom_device_ioctl(device, DRM_IOCTL_LOOM_QUERY, &query);

	if (!ret)
		*size = query.size;
	return ret;
}

/* Sizes of the records' first versions. */
#define FIRST_DEVICE_BYTES	offsetof(struct drm_loom_device_info, max_bo_bytes)
#define FIRST_REGION_BYTES	(offsetof(struct drm_loom_region_info, flags) + sizeof(uint32_t))

/*
 * An older driver's record is shorter, but at least @first bytes: missing fields are zero. A newer
 * driver's record is longer, and is cut.
 */
static int loom_device_query_one(const struct loom_device *device, uint32_t type, uint32_t index,
				 void *answer, uint32_t size, uint32_t first)
{
	uint32_t got = size;
	int ret;

	memset(answer, 0, size);
	ret = loom_device_query(device, type, index, answer, &got, 0);
	if (ret)
		return ret;
	return got < first ? -EPROTO : 0;
}

int loom_device_plan_fit(const struct loom_device *device, uint32_t plan,
			 struct drm_loom_fit *fit)
{
	return loom_device_query_one(device, DRM_LOOM_QUERY_FIT, plan, fit, sizeof(*fit),
				     sizeof(*fit));
}

int loom_device_fit_list(const struct loom_device *device,
			 const struct drm_loom_bo_create *buffers, uint32_t count, uint32_t *own,
			 uint32_t room, struct drm_loom_fit_list *answer)
{
	uint32_t size = sizeof(*answer);

	*answer = (struct drm_loom_fit_list){
		.allocations = { sizeof(*buffers), count, (uintptr_t)buffers },
		.own = { sizeof(*own), own ? room : 0, (uintptr_t)own },
	};
	return loom_device_query(device, DRM_LOOM_QUERY_FIT_LIST, 0, answer, &size, 0);
}

int loom_device_region(const struct loom_device *device, uint32_t region,
		       struct drm_loom_region_info *info)
{
	return loom_device_query_one(device, DRM_LOOM_QUERY_REGION, region, info, sizeof(*info),
				     FIRST_REGION_BYTES);
}

static int loom_device_list_blocks(const struct loom_device *device, uint32_t type,
				   uint32_t index, struct drm_loom_block **blocks,
				   size_t *count)
{
	struct drm_loom_block *list = NULL;
	uint32_t size = 0, room, stride = sizeof(*list);
	void *grown;
	int ret;

	*blocks = NULL;
	*count = 0;
	ret = loom_device_query(device, type, index, NULL, &size, stride);
	if (ret)
		return ret;
	/* others may allocate between two queries: repeat until the answer fits */
	do {
		room = size;
		if (room > LOOM_MAX_BLOCK_BYTES) {
			ret = -EPROTO;
			goto fail;
		}
		grown = realloc(list, room ? room : 1);
		if (!grown) {
			ret = -ENOMEM;
			goto fail;
		}
		list = grown;
		ret = loom_device_query(device, type, index, list, &size, stride);
		if (ret)
			goto fail;
	} while (size > room);
	*blocks = list;
	*count = size / sizeof(*list);
	return 0;

fail:
	free(list);
	return ret;
}

int loom_device_blocks(const struct loom_device *device, uint32_t region,
		       struct drm_loom_block **blocks, size_t *count)
{
	return loom_device_list_blocks(device, DRM_LOOM_QUERY_BLOCKS, region, blocks, count);
}

int loom_device_bank_blocks(const struct loom_device *device, uint32_t region, uint32_t bank,
			    struct drm_loom_block **blocks, size_t *count)
{
	*blocks = NULL;
	*count = 0;
	if (region >= DRM_LOOM_REGION_COUNT || bank >= DRM_LOOM_MAX_BANKS)
		return -EINVAL;
	return loom_device_list_blocks(device, DRM_LOOM_QUERY_BANK_BLOCKS, region | bank << 16,
				       blocks, count);
}

int loom_device_no_space(const struct loom_device *device, struct drm_loom_no_space *record)
{
	uint32_t size = sizeof(*record);

	memset(record, 0, sizeof(*record));
	return loom_device_query(device, DRM_LOOM_QUERY_NO_SPACE, 0, record, &size, 0);
}

/* Drivers before minor 5 report no clock, and have all types and operations, like "soft". */
static int loom_device_compose_chip(struct loom_device *device)
{
	struct drm_loom_chip *chip = &device->chip;
	struct drm_loom_region_info info;
	unsigned int i;
	int ret;

	*chip = *loom_preset_get(0);
	memcpy(chip->name, device->info.name, sizeof(chip->name));
	/* those that they have */
	chip->opcodes &= (1ULL << DRM_LOOM_OP_TOPK) - 1;
	chip->compute_units = device->info.compute_units;
	for (i = DRM_LOOM_REGION_DRAM; i <= DRM_LOOM_REGION_SRAM; i++) {
		ret = loom_device_region(device, i, &info);
		if (ret)
			return ret;
		chip->region[i].banks = info.banks;
		chip->region[i].sub_banks = info.sub_banks;
		chip->region[i].bank_bytes = info.bank_bytes;
		chip->region[i].reserved_bytes = info.reserved_bytes;
		chip->region[i].align_bytes = info.align_bytes;
		chip->region[i].floor_bytes = info.scratch_floor_bytes;
	}
	return 0;
}

/* A driver may be newer than the library, but its chip must be valid. */
static int loom_device_read_chip(struct loom_device *device)
{
	struct drm_loom_chip *chip = &device->chip;
	int ret;

	ret = loom_device_query_one(device, DRM_LOOM_QUERY_DEVICE, 0, &device->info,
				    sizeof(device->info),
				    FIRST_DEVICE_BYTES);
	if (ret)
		return ret;
	device->info.name[sizeof(device->info.name) - 1] = '\0';
	ret = loom_device_query_one(device, DRM_LOOM_QUERY_CHIP, 0, chip, sizeof(*chip),
				    LOOM_CHIP_FIRST_BYTES);
	if (ret == -EINVAL)
		ret = loom_device_compose_chip(device);
	if (ret)
		return ret;
	/* plans have none of the operations of a newer driver */
	chip->opcodes &= (1ULL << DRM_LOOM_OP_END) - 1;
	if (loom_chip_check(chip, NULL) ||
	    device->info.lanes != chip->region[DRM_LOOM_REGION_SRAM].banks)
		return -EPROTO;
	return 0;
}

/* Returns 0, or -ENODEV if the node belongs to another driver. */
static int loom_device_check_driver(struct loom_device *device)
{
	drmVersionPtr version = drmGetVersion(device->fd);
	int ret = -ENODEV;

	if (!version)
		return -ENODEV;
	if (version->name && !strcmp(version->name, LOOM_DRIVER_NAME)) {
		device->version[0] = version->version_major;
		device->version[1] = version->version_minor;
		device->version[2] = version->version_patchlevel;
		ret = 0;
	}
	drmFreeVersion(version);
	return ret;
}

static int loom_device_open_path(const char *path, struct loom_device **out)
{
	struct loom_device *device = calloc(1, sizeof(*device));
	int ret = device ? -pthread_mutex_init(&device->lock, NULL) : -ENOMEM;

	if (ret) {
		free(device);
		return ret;
	}
	device->fd = -1;
	device->path = strdup(path);
	ret = -ENOMEM;
	if (!device->path)
		goto fail;
	device->fd = open(path, O_RDWR | O_CLOEXEC);
	if (device->fd < 0) {
		ret = -errno;
		goto fail;
	}
	ret = loom_device_check_driver(device);
	if (!ret)
		ret = loom_device_read_chip(device);
	if (ret)
		goto fail;
	*out = device;
	return 0;

fail:
	loom_device_close(device);
	return ret;
}

static int loom_device_is_node(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "accel", 5);
}

/* Keeps the first error that is not -ENODEV, because "permission denied" is more specific. */
static int loom_device_open_first(struct loom_device **device)
{
	struct dirent **entries;
	char path[300];
	int count, i, ret, result = -ENODEV;

	count = scandir(LOOM_ACCEL_CLASS, &entries, loom_device_is_node, versionsort);
	if (count < 0)
		return -ENODEV;
	for (i = 0; i < count; i++) {
		if (result) {
			snprintf(path, sizeof(path), "/dev/accel/%s", entries[i]->d_name);
			ret = loom_device_open_path(path, device);
			if (!ret || (result == -ENODEV && ret != -ENOENT))
				result = ret;
		}
		free(entries[i]);
	}
	free(entries);
	return result;
}

int loom_device_open(const char *path, struct loom_device **device)
{
	int saved = errno;
	int ret;

	*device = NULL;
	ret = path ? loom_device_open_path(path, device) : loom_device_open_first(device);
	errno = saved;
	return ret;
}

void loom_device_close(struct loom_device *device)
{
	int saved = errno;

	if (!device)
		return;
	if (device->fd >= 0)
		close(device->fd);
	pthread_mutex_destroy(&device->lock);
	free(device->shared);
	free(device->path);
	free(device);
	errno = saved;
}

int loom_device_fd(const struct loom_device *device)
{
	return device->fd;
}

const char *loom_device_path(const struct loom_device *device)
{
	return device->path;
}

const struct drm_loom_device_info *loom_device_info(const struct loom_device *device)
{
	return &device->info;
}

const struct drm_loom_chip *loom_device_chip(const struct loom_device *device)
{
	return &device->chip;
}

void loom_device_version(const struct loom_device *device, int *major, int *minor, int *patch)
{
	*major = device->version[0];
	*minor = device->version[1];
	*patch = device->version[2];
}
