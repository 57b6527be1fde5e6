// SPDX-License-Identifier: MIT
/*
 * The library on a driver of this test, which stands in for libdrm's functions of the same names:
 * records that are shorter or longer than the library's, copies of a buffer's bytes that end early,
 * as signals make them do, and fences.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sync_file.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>

#include <drm/loom_accel.h>

#include "loom_core.h"
#include "loom_device.h"
#include "tap.h"

/* Bytes of the records of the first driver. */
#define FIRST_DEVICE_BYTES	88
#define FIRST_REGION_BYTES	80

#define BYTES	1000
#define SYNC	7
#define HANDLE	1
#define DMABUF	99

/* Of its records. */
static uint32_t device_bytes = sizeof(struct drm_loom_device_info);
static uint32_t region_bytes = sizeof(struct drm_loom_region_info);
/* Its buffer, the most that a call copies, where copies fail, and how many calls there were. */
static unsigned char buffer[BYTES];
static uint64_t most = 7, fail_at = BYTES;
static uint32_t calls;
/* The label of its buffer, and whether it has partitions. */
static char label[DRM_LOOM_LABEL_BYTES + 1];
static uint32_t device_flags;
/* Whether its buffer has an address per bank, or is evicted. */
static uint32_t bo_flags;
/* How often HANDLE was closed. */
static uint32_t closed;
/* Its answer about the fence in SYNC. */
static int status, fence_fd = -1;
static bool asked_for_sync_file;

drmVersionPtr drmGetVersion(int fd)
{
	static drmVersion version = { .name_len = 4 };

	(void)fd;
	version.name = (char *)"loom";
	return &version;
}

void drmFreeVersion(drmVersionPtr version)
{
	(void)version;
}

static int query(struct drm_loom_query *query)
{
	struct drm_loom_device_info device = {
		.name = "test", .lanes = 4, .compute_units = 1, .max_bo_bytes = 12345,
		.flags = device_flags,
	};
	struct drm_loom_region_info region = {
		.banks = 4, .sub_banks = 1, .bank_bytes = 65536, .align_bytes = 64, .blocks = 3,
	};
	bool is_device = query->type == DRM_LOOM_QUERY_DEVICE;
	uint32_t bytes = is_device ? device_bytes : region_bytes;
	unsigned char answer[4096];

	/* it does not know of chips */
	if (!is_device && query->type != DRM_LOOM_QUERY_REGION)
		return -EINVAL;
	memset(answer, 0xa5, sizeof(answer));
	if (is_device)
		memcpy(answer, &device, sizeof(device));
	else
		memcpy(answer, &region, sizeof(region));
	memcpy((void *)(uintptr_t)query->ptr, answer, min(query->size, bytes));
	query->size = bytes;
	return 0;
}

static int copy(struct drm_loom_bo_copy *args, bool write)
{
	void *user = (void *)(uintptr_t)args->ptr;

	calls++;
	if (args->flags || !args->size || args->offset >= BYTES ||
	    args->size > BYTES - args->offset)
		return -EINVAL;
	if (args->offset >= fail_at)
		return -EIO;
	if (args->size > most)
		args->size = most;
	if (write)
		memcpy(buffer + args->offset, user, args->size);
	else
		memcpy(user, buffer + args->offset, args->size);
	return 0;
}

static int set_label(const struct drm_loom_bo_label *args)
{
	if (args->size > DRM_LOOM_LABEL_BYTES)
		return -EINVAL;
	memset(label, 0, sizeof(label));
	memcpy(label, (void *)(uintptr_t)args->ptr, args->size);
	return 0;
}

/* Three banks. The first driver has none of the fields from the addresses on. */
static int bo_info(struct drm_loom_bo_info *info)
{
	uint64_t *addresses = (void *)(uintptr_t)info->addresses;
	uint32_t i;

	info->flags = bo_flags;
	info->banks = 3;
	info->address = bo_flags & DRM_LOOM_BO_EVICTED ? 0 : 4096;
	if (device_bytes == FIRST_DEVICE_BYTES)
		return 0;
	if (!addresses != !info->address_count)
		return -EINVAL;
	for (i = 0; i < info->address_count && i < info->banks; i++)
		addresses[i] = 4096 + (bo_flags & DRM_LOOM_BO_PER_BANK ? 64 * i : 0);
	info->address_count = info->banks;
	return 0;
}

static int make_context(struct drm_loom_context_create *args)
{
	if (args->lanes > 4)
		return -EINVAL;
	args->context = 1;
	args->lane_mask[0] = args->lanes ? 0x50 : 0;
	return 0;
}

static int export(struct drm_syncobj_handle *args)
{
	if (args->handle != SYNC)
		return -EINVAL;
	asked_for_sync_file = args->flags == DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE;
	fence_fd = open("/dev/null", O_RDWR);
	args->fd = fence_fd;
	return 0;
}

/* It is the buffer that the file has already. */
static int import(struct drm_prime_handle *args)
{
	args->handle = args->fd == DMABUF ? HANDLE : 0;
	return args->handle ? 0 : -EBADF;
}

int drmIoctl(int fd, unsigned long request, void *arg)
{
	int ret = 0;

	if (request == DRM_IOCTL_LOOM_QUERY)
		ret = query(arg);
	else if (request == DRM_IOCTL_LOOM_BO_CREATE)
		((struct drm_loom_bo_create *)arg)->handle = HANDLE;
	else if (request == DRM_IOCTL_LOOM_BO_INFO)
		ret = bo_info(arg);
	else if (request == DRM_IOCTL_LOOM_BO_READ || request == DRM_IOCTL_LOOM_BO_WRITE)
		ret = copy(arg, request == DRM_IOCTL_LOOM_BO_WRITE);
	else if (request == DRM_IOCTL_LOOM_BO_LABEL)
		ret = set_label(arg);
	else if (request == DRM_IOCTL_LOOM_CONTEXT_CREATE)
		ret = make_context(arg);
	else if (request == DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD)
		ret = export(arg);
	else if (request == SYNC_IOC_FILE_INFO && fd == fence_fd)
		((struct sync_file_info *)arg)->status = status;
	else if (request == DRM_IOCTL_PRIME_HANDLE_TO_FD)
		((struct drm_prime_handle *)arg)->fd = DMABUF;
	else if (request == DRM_IOCTL_PRIME_FD_TO_HANDLE)
		ret = import(arg);
	else if (request == DRM_IOCTL_GEM_CLOSE)
		closed++;
	else if (request != DRM_IOCTL_LOOM_CONTEXT_DESTROY)
		ret = -ENOTTY;
	errno = -ret;
	return ret ? -1 : 0;
}

static int open_with(uint32_t device, uint32_t region, struct loom_device **out)
{
	device_bytes = device;
	region_bytes = region;
	return loom_device_open("/dev/null", out);
}

/* A library that is newer than the driver, and one that is older. */
static void test_records(void)
{
	struct drm_loom_region_info region;
	struct loom_device *device;
	int ret;

	ret = open_with(FIRST_DEVICE_BYTES, FIRST_REGION_BYTES, &device);
	tap_ok(!ret, "the first driver is understood");
	tap_ok(!ret && loom_device_info(device)->lanes == 4 &&
	       !loom_device_info(device)->max_bo_bytes, "what it does not say is zero");
	memset(&region, 0xff, sizeof(region));
	tap_ok(!ret && !loom_device_region(device, 0, &region) && region.blocks == 3 &&
	       !((unsigned char *)&region)[sizeof(region) - 1], "the same for a region");
	loom_device_close(device);
	ret = open_with(sizeof(struct drm_loom_device_info) + 512,
			sizeof(struct drm_loom_region_info) + 512, &device);
	tap_ok(!ret && loom_device_info(device)->max_bo_bytes == 12345, "a newer driver is, too");
	loom_device_close(device);
	tap_ok(open_with(FIRST_DEVICE_BYTES - 4, FIRST_REGION_BYTES, &device) == -EPROTO &&
	       !device, "half a record of the device is an error");
	tap_ok(open_with(FIRST_DEVICE_BYTES, FIRST_REGION_BYTES - 8, &device) == -EPROTO &&
	       !device, "half a record of a region is an error");
}

static void test_copies(struct loom_device *device)
{
	const struct drm_loom_bo_create request = { .size = BYTES };
	unsigned char data[BYTES], back[BYTES];
	struct loom_bo *bo;
	uint32_t i;

	for (i = 0; i < BYTES; i++)
		data[i] = (unsigned char)(i * 31 + i / 256);
	if (loom_bo_create(device, &request, &bo))
		tap_fatal("no buffer");
	tap_ok(!loom_bo_write(bo, 0, data, BYTES) && !memcmp(buffer, data, BYTES) &&
	       calls == (BYTES + most - 1) / most, "all is written, however early a call ends");
	memset(back, 0, sizeof(back));
	tap_ok(!loom_bo_read(bo, 3, back, 500) && !memcmp(back, data + 3, 500) && !back[500],
	       "and read, no byte more");
	calls = 0;
	tap_ok(!loom_bo_read(bo, 0, back, 0) && !loom_bo_write(bo, BYTES + 5, data, 0) && !calls,
	       "nothing to copy needs no call");
	tap_ok(loom_bo_read(bo, 1, back, BYTES) == -EINVAL && calls == 1, "beyond the end");
	fail_at = 700;
	tap_ok(loom_bo_write(bo, 650, data, 100) == -EIO && !memcmp(buffer + 650, data, 50),
	       "an error half way ends it");
	loom_bo_destroy(bo);
}

static void test_labels(struct loom_device *device)
{
	const struct drm_loom_bo_create request = { .size = BYTES };
	char long_label[DRM_LOOM_LABEL_BYTES + 2];
	struct loom_bo *bo;

	if (loom_bo_create(device, &request, &bo))
		tap_fatal("no buffer");
	tap_ok(!loom_bo_set_label(bo, "a name") && !strcmp(label, "a name"), "a label");
	tap_ok(!loom_bo_set_label(bo, "") && !label[0], "none");
	memset(long_label, 'x', sizeof(long_label));
	long_label[DRM_LOOM_LABEL_BYTES + 1] = '\0';
	tap_ok(loom_bo_set_label(bo, long_label) == -EINVAL && !label[0], "one that is too long");
	long_label[DRM_LOOM_LABEL_BYTES] = '\0';
	tap_ok(!loom_bo_set_label(bo, long_label) && !strcmp(label, long_label), "the longest");
	loom_bo_destroy(bo);
}

/* An import of a dma-buf gives the handle that the file has. */
static void test_shared(struct loom_device *device)
{
	const struct drm_loom_bo_create request = { .size = BYTES };
	struct loom_bo *bo, *imports[2];
	int fd;

	closed = 0;
	if (loom_bo_create(device, &request, &bo) || loom_bo_export(bo, &fd) ||
	    loom_bo_export(bo, &fd) || loom_bo_import(device, fd, &imports[0]) ||
	    loom_bo_import(device, fd, &imports[1]))
		tap_fatal("no buffer");
	loom_bo_destroy(imports[0]);
	loom_bo_destroy(bo);
	tap_ok(!closed, "a handle is open while one of three buffers has it");
	loom_bo_destroy(imports[1]);
	tap_ok(closed == 1, "and is closed with the last");
	if (loom_bo_import(device, fd, &bo))
		tap_fatal("no buffer");
	loom_bo_destroy(bo);
	tap_ok(closed == 2, "so is that of an import");
	tap_ok(loom_bo_import(device, fd + 1, &bo) == -EBADF && !bo && closed == 2,
	       "no dma-buf, no handle");
}

static void test_addresses(uint32_t device_size)
{
	const struct drm_loom_bo_create request = { .size = BYTES };
	struct loom_device *device;
	uint64_t at[4] = { 1, 1, 1, 1 };
	struct loom_bo *bo;
	uint32_t count;

	if (open_with(device_size, sizeof(struct drm_loom_region_info), &device) ||
	    loom_bo_create(device, &request, &bo))
		tap_fatal("no buffer");
	bo_flags = 0;
	tap_ok(!loom_bo_addresses(bo, at, 4, &count) && count == 3 && at[0] == 4096 &&
	       at[2] == 4096 && at[3] == 1, "one address in all banks");
	if (device_size != FIRST_DEVICE_BYTES) {
		bo_flags = DRM_LOOM_BO_PER_BANK;
		tap_ok(!loom_bo_addresses(bo, at, 2, &count) && count == 3 &&
		       at[1] == 4096 + 64 && at[2] == 4096, "one for each, as there is room for");
		tap_ok(!loom_bo_addresses(bo, NULL, 0, &count) && count == 3, "their number");
	}
	bo_flags |= DRM_LOOM_BO_EVICTED;
	tap_ok(!loom_bo_addresses(bo, at, 4, &count) && !count, "none while evicted");
	loom_bo_destroy(bo);
	loom_device_close(device);
}

static void test_lanes(void)
{
	uint64_t mask[DRM_LOOM_MAX_BANKS / 64];
	struct loom_context *context;
	struct loom_device *device;

	if (open_with(sizeof(struct drm_loom_device_info), sizeof(struct drm_loom_region_info),
		      &device))
		tap_fatal("no device");
	tap_ok(loom_context_create_lanes(device, 1, 2, mask, &context) == -EOPNOTSUPP && !context,
	       "a device without partitions");
	loom_device_close(device);
	device_flags = DRM_LOOM_DEVICE_LANES;
	if (open_with(sizeof(struct drm_loom_device_info), sizeof(struct drm_loom_region_info),
		      &device))
		tap_fatal("no device");
	tap_ok(!loom_context_create_lanes(device, 1, 2, mask, &context) && mask[0] == 0x50 &&
	       !mask[3], "which lanes there are");
	loom_context_destroy(context);
	tap_ok(loom_context_create_lanes(device, 1, 0, mask, &context) == -EINVAL && !context,
	       "a partition without lanes");
	tap_ok(loom_context_create_lanes(device, 1, 5, mask, &context) == -EINVAL && !context,
	       "more than there are");
	loom_device_close(device);
}

static void test_fences(struct loom_device *device)
{
	status = 1;
	tap_ok(!loom_sync_status(device, SYNC) && asked_for_sync_file, "a job that has run");
	tap_ok(fcntl(fence_fd, F_GETFD) == -1, "nothing is left open");
	status = 0;
	tap_ok(loom_sync_status(device, SYNC) == -EBUSY, "one that has not ended");
	status = -EIO;
	tap_ok(loom_sync_status(device, SYNC) == -EIO, "one that has failed");
	tap_ok(loom_sync_status(device, SYNC + 1) == -EINVAL, "no fence");
}

int main(void)
{
	struct loom_device *device;

	test_records();
	if (open_with(sizeof(struct drm_loom_device_info), sizeof(struct drm_loom_region_info),
		      &device))
		tap_fatal("no device");
	test_copies(device);
	test_labels(device);
	test_shared(device);
	test_fences(device);
	loom_device_close(device);
	test_addresses(sizeof(struct drm_loom_device_info));
	test_addresses(FIRST_DEVICE_BYTES);
	test_lanes();
	return tap_end();
}
