/* SPDX-License-Identifier: MIT */
/**
 * DOC: The device node
 *
 * Thin, opaque handles over the ioctls of drm/loom_accel.h. Every function returns 0 or a negative
 * errno and leaves errno alone; results are the last parameters. Interrupted calls are restarted.
 *
 * Threads: devices, buffers and contexts may be used by any number of threads at once, but must not
 * be destroyed while another thread uses them. A device must outlive the objects made on it.
 */
#ifndef LOOM_DEVICE_H
#define LOOM_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include <drm/loom_accel.h>

#ifdef __cplusplus
extern "C" {
#endif

struct loom_device;
struct loom_bo;
struct loom_context;
struct drm_loom_chip;

/**
 * define LOOM_WAIT_FOREVER - no deadline
 */
#define LOOM_WAIT_FOREVER	INT64_MAX

/**
 * loom_device_open() - opens a Loom node
 * @path: the node, or NULL for the first one in /sys/class/accel
 * @device: [out] the device, close with loom_device_close()
 *
 * Return: 0, -ENODEV if there is no node or @path is not a Loom device, -EACCES and the like from
 * open(), -EPROTO for a driver with an invalid chip.
 */
int loom_device_open(const char *path, struct loom_device **device);

/**
 * loom_device_close() - closes the node
 * @device: the device, after all that was made on it was destroyed; NULL is fine
 */
void loom_device_close(struct loom_device *device);

/**
 * loom_device_fd() - the open file of a device
 * @device: the device
 *
 * Return: a file descriptor, which the device still owns.
 */
int loom_device_fd(const struct loom_device *device);

/**
 * loom_device_path() - the node that was opened
 * @device: the device
 *
 * Return: its path, which lives as long as the device.
 */
const char *loom_device_path(const struct loom_device *device);

/**
 * loom_device_info() - the answer to DRM_LOOM_QUERY_DEVICE at opening
 * @device: the device
 *
 * Return: the record, which lives as long as the device. Fields that an older driver lacks are 0.
 */
const struct drm_loom_device_info *loom_device_info(const struct loom_device *device);

/**
 * loom_device_chip() - the description of the chip, as planner and verifier take it
 * @device: the device
 *
 * Return: the description, with the floor of scratch; lives as long as the device.
 */
const struct drm_loom_chip *loom_device_chip(const struct loom_device *device);

/**
 * loom_device_version() - version of the driver
 * @device: the device
 * @major: [out] of the interface
 * @minor: [out] grows with each addition
 * @patch: [out]
 */
void loom_device_version(const struct loom_device *device, int *major, int *minor, int *patch);

/**
 * loom_device_region() - asks how full a region is now
 * @device: the device
 * @region: an &enum drm_loom_region
 * @info: [out] the figures; fields that an older driver lacks are 0
 *
 * Return: 0, -EINVAL for another region, -ENODEV.
 */
int loom_device_region(const struct loom_device *device, uint32_t region,
		       struct drm_loom_region_info *info);

/**
 * loom_device_blocks() - asks for the blocks of a region, in address order, free ones included
 * @device: the device
 * @region: an &enum drm_loom_region
 * @blocks: [out] from malloc
 * @count: [out] number of @blocks
 *
 * Return: 0, -EINVAL for another region and for a driver older than minor 4, -ENOMEM, -ENODEV.
 */
int loom_device_blocks(const struct loom_device *device, uint32_t region,
		       struct drm_loom_block **blocks, size_t *count);

/**
 * loom_device_bank_blocks() - the same for one bank, without buffers on other banks
 * @device: the device
 * @region: an &enum drm_loom_region
 * @bank: from 0
 * @blocks: [out] from malloc
 * @count: [out] number of @blocks
 *
 * Return: 0, -EINVAL for another region or bank, -ENOMEM, -ENODEV.
 */
int loom_device_bank_blocks(const struct loom_device *device, uint32_t region, uint32_t bank,
			    struct drm_loom_block **blocks, size_t *count);

/**
 * loom_device_no_space() - why the last loom_bo_create() that returned -ENOSPC found no room
 * @device: the device
 * @record: [out] all zero if there was none
 *
 * Return: 0 or -ENODEV.
 */
int loom_device_no_space(const struct loom_device *device, struct drm_loom_no_space *record);

/**
 * loom_no_space_print() - the same in words: whether memory is exhausted or fragmented
 * @text: [out] one line, cut if it does not fit
 * @size: bytes of @text; 384 are enough
 * @record: from loom_device_no_space()
 *
 * Return: as snprintf().
 */
int loom_no_space_print(char *text, size_t size, const struct drm_loom_no_space *record);

/**
 * loom_bo_create() - allocates a buffer of zeroes
 * @device: where
 * @request: size, region and so on; all but the size may be zero. The handle is ignored.
 *	DRM_LOOM_BO_CREATE_PER_BANK in its flags: an address for each bank, see loom_bo_addresses()
 * @bo: [out] the buffer, free with loom_bo_destroy()
 *
 * Return: 0, -ENOSPC when the banks are full, -ENOMEM, -EINVAL.
 */
int loom_bo_create(struct loom_device *device, const struct drm_loom_bo_create *request,
		   struct loom_bo **bo);

/**
 * loom_bo_export() - a dma-buf of a buffer, for other devices and other processes
 * @bo: the buffer
 * @fd: [out] the dma-buf, to be closed
 *
 * Return: 0, -EMFILE, -ENOMEM.
 */
int loom_bo_export(const struct loom_bo *bo, int *fd);

/**
 * loom_bo_seal() - makes a buffer constant, for processes that share it
 * @bo: the buffer, made on its device by loom_bo_create()
 *
 * Nobody can write it any more: see &struct drm_loom_bo_seal. Its view of loom_bo_map() stays where
 * it is and becomes readable only; no thread may access it during the call. Any other mapping of
 * it must be gone, in child processes, too, which inherit the view.
 *
 * Return: 0; -EBUSY while something may write it; -EPERM for a buffer of another process or driver;
 * -EINVAL of a driver before minor 12.
 */
int loom_bo_seal(struct loom_bo *bo);

/**
 * loom_bo_import() - a buffer that is that of a dma-buf
 * @device: which shall use it
 * @fd: the dma-buf, which stays the caller's
 * @bo: [out] the buffer, free with loom_bo_destroy()
 *
 * Return: 0, -EOPNOTSUPP where one of the two devices cannot reach it, -EINVAL, -ENOSPC, -ENOMEM.
 */
int loom_bo_import(struct loom_device *device, int fd, struct loom_bo **bo);

/**
 * loom_bo_destroy() - unmaps and closes a buffer
 * @bo: the buffer; NULL is fine. Jobs that use it still run
 */
void loom_bo_destroy(struct loom_bo *bo);

/**
 * loom_bo_handle() - GEM handle of a buffer, for bindings
 * @bo: the buffer
 *
 * Return: the handle, on the file of its device.
 */
uint32_t loom_bo_handle(const struct loom_bo *bo);

/**
 * loom_bo_device() - where a buffer was made, or imported
 * @bo: the buffer
 *
 * Return: the device.
 */
struct loom_device *loom_bo_device(const struct loom_bo *bo);

/**
 * loom_bo_size() - size of a buffer
 * @bo: the buffer
 *
 * Return: bytes that were asked for.
 */
uint64_t loom_bo_size(const struct loom_bo *bo);

/**
 * loom_bo_map() - its linear view, mapped on the first call, until loom_bo_destroy()
 * @bo: the buffer
 * @ptr: [out] the first byte; of a sealed buffer for reading only
 *
 * Return: 0, -ENOMEM, -EOPNOTSUPP in the SRAM of a device that is memory of its own, where pages of
 * the buffer are none of the processor's: there are loom_bo_read() and loom_bo_write().
 */
int loom_bo_map(struct loom_bo *bo, void **ptr);

/**
 * loom_bo_read() - copies bytes of its linear view, whether it can be mapped or not
 * @bo: the buffer
 * @offset: of the first byte
 * @data: [out] where they go
 * @bytes: how many; none is fine
 *
 * It waits for no job: see loom_bo_wait(). In memory of the device's own the buffer stays where it
 * is, while a mapping may take it to system memory.
 *
 * Return: 0, -EINVAL for bytes beyond its end, or of a driver older than minor 5, -EOPNOTSUPP for a
 * buffer of another driver, -ENOMEM, -EIO when the device is broken, -ENODEV when it is gone.
 */
int loom_bo_read(const struct loom_bo *bo, uint64_t offset, void *data, uint64_t bytes);

/**
 * loom_bo_write() - the same the other way round: jobs that are submitted next see the bytes
 * @bo: the buffer
 * @offset: of the first byte
 * @data: bytes to write
 * @bytes: how many; none is fine
 *
 * Return: as loom_bo_read(). When it fails, some of the bytes may be written.
 */
int loom_bo_write(const struct loom_bo *bo, uint64_t offset, const void *data, uint64_t bytes);

/**
 * loom_bo_set_label() - names a buffer in lists, reports and traces
 * @bo: the buffer
 * @label: printable ASCII, at most DRM_LOOM_LABEL_BYTES characters; empty removes the label
 *
 * Return: 0, -EINVAL for another label and for a driver older than minor 8, -ENODEV.
 */
int loom_bo_set_label(const struct loom_bo *bo, const char *label);

/**
 * loom_bo_info() - addresses and layout of a buffer as of now
 * @bo: the buffer
 * @info: [out] the record
 *
 * Return: 0 or -ENODEV.
 */
int loom_bo_info(const struct loom_bo *bo, struct drm_loom_bo_info *info);

/**
 * loom_bo_addresses() - first bytes of a buffer in its banks as of now
 * @bo: the buffer
 * @addresses: [out] one for each of its banks, in the order of the banks; NULL if @room is 0
 * @room: capacity of @addresses
 * @count: [out] number of its banks, of which more than @room are not written; 0 while evicted
 *
 * They are equal except with DRM_LOOM_BO_CREATE_PER_BANK.
 *
 * Return: 0, -ENODEV.
 */
int loom_bo_addresses(const struct loom_bo *bo, uint64_t *addresses, uint32_t room,
		      uint32_t *count);

/**
 * loom_bo_wait() - waits until no job uses the buffer
 * @bo: the buffer
 * @deadline_ns: absolute CLOCK_MONOTONIC time; 0 polls
 *
 * Return: 0, -ETIME when the deadline came first.
 */
int loom_bo_wait(const struct loom_bo *bo, int64_t deadline_ns);

/**
 * loom_context_create() - makes a queue
 * @device: where
 * @priority: an &enum drm_loom_priority
 * @context: [out] destroy with loom_context_destroy()
 *
 * Return: 0, -EACCES for a priority that the caller may not have, -EINVAL, -ENOMEM.
 */
int loom_context_create(struct loom_device *device, uint32_t priority,
			struct loom_context **context);

/**
 * loom_context_create_exclusive() - makes a queue that lets this file have all of the SRAM
 * @device: where
 * @priority: an &enum drm_loom_priority
 * @context: [out] destroy with loom_context_destroy()
 *
 * Plans need it whose scratch ends above &drm_loom_region_info.scratch_floor_bytes
 * (DRM_LOOM_FIT_EXCLUSIVE), and SRAM buffers below that or beyond the share of a file.
 *
 * Return: as loom_context_create(); -EACCES also without CAP_SYS_NICE while another file of the
 * device is open, -EBUSY when another file has such a queue.
 */
int loom_context_create_exclusive(struct loom_device *device, uint32_t priority,
				  struct loom_context **context);

/**
 * loom_context_create_lanes() - makes a queue that owns lanes of the device: a partition
 * @device: where
 * @priority: an &enum drm_loom_priority
 * @lanes: how many; must not be zero
 * @mask: [out] which: bit b % 64 of word b / 64 is lane b
 * @context: [out] destroy with loom_context_destroy()
 *
 * It runs plans for exactly @lanes lanes, at the same time as other partitions.
 *
 * Return: as loom_context_create(); -EBUSY when too few lanes are left, -EDQUOT when the user would
 * own more than half of them, -EOPNOTSUPP on a device without DRM_LOOM_DEVICE_LANES.
 */
int loom_context_create_lanes(struct loom_device *device, uint32_t priority, uint32_t lanes,
			      uint64_t mask[DRM_LOOM_MAX_BANKS / 64],
			      struct loom_context **context);

/**
 * loom_context_destroy() - drops a queue
 * @context: the queue; NULL is fine. Jobs that were submitted still run
 */
void loom_context_destroy(struct loom_context *context);

/**
 * loom_context_query() - whether jobs of a queue were ended by the timeout, and their counters
 * @context: the queue
 * @query: [out]
 *
 * Return: 0, -ENODEV.
 */
int loom_context_query(const struct loom_context *context, struct drm_loom_context_query *query);

/**
 * loom_device_plan_create() - hands a plan to the kernel, which verifies it
 * @device: where it is to run
 * @blob: the plan, see &struct drm_loom_plan_header
 * @size: bytes of @blob
 * @reject: [out] why it was refused; may be NULL; written with -EBADMSG only
 * @plan: [out] its id, give back with loom_device_plan_destroy()
 *
 * Return: 0, -EBADMSG when the plan breaks a rule, -E2BIG, -ENOMEM.
 */
int loom_device_plan_create(struct loom_device *device, const void *blob, uint64_t size,
			    struct drm_loom_reject *reject, uint32_t *plan);

/**
 * loom_reject_print() - why a plan was refused, in words: the rule, and where it is broken
 * @text: [out] one line, cut if it does not fit
 * @size: bytes of @text; 512 are enough
 * @reject: from loom_device_plan_create() or loom_plan_create()
 *
 * Return: as snprintf().
 */
int loom_reject_print(char *text, size_t size, const struct drm_loom_reject *reject);

/**
 * loom_fit_print() - whether a plan would fit now, in words, and the obstacle
 * @text: [out] one line, cut if it does not fit
 * @size: bytes of @text; 512 are enough
 * @fit: from loom_device_plan_fit()
 *
 * Return: as snprintf().
 */
int loom_fit_print(char *text, size_t size, const struct drm_loom_fit *fit);

/**
 * loom_device_plan_fit() - whether a plan would fit now
 * @device: the device
 * @plan: its id
 * @fit: [out] whether, and if not the obstacle and the missing bytes
 *
 * Return: 0; -ENOENT if there is no such plan; -EINVAL from a driver without this query.
 */
int loom_device_plan_fit(const struct loom_device *device, uint32_t plan,
			 struct drm_loom_fit *fit);

/**
 * loom_device_fit_list() - whether a list of buffers would fit now
 * @device: the device
 * @buffers: as for loom_bo_create()
 * @count: number of @buffers, at most DRM_LOOM_MAX_FIT
 * @own: [out] handles of the caller's buffers in the way, ascending; may be NULL
 * @room: capacity of @own, at most DRM_LOOM_MAX_FIT
 * @answer: [out] whether they fit, or the first that does not and what is missing
 *
 * Return: 0, whether they fit or not; -EINVAL for a buffer that the device cannot have, or from a
 * driver older than minor 8; -E2BIG, -ENOMEM, -ENODEV.
 */
int loom_device_fit_list(const struct loom_device *device,
			 const struct drm_loom_bo_create *buffers, uint32_t count, uint32_t *own,
			 uint32_t room, struct drm_loom_fit_list *answer);

/**
 * loom_device_plan_destroy() - drops a plan
 * @device: the device
 * @plan: its id. Jobs that were submitted still run
 *
 * Return: 0, -ENOENT if there is no such plan, -ENODEV.
 */
int loom_device_plan_destroy(struct loom_device *device, uint32_t plan);

/**
 * loom_sync_create() - makes a syncobj without a fence
 * @device: the device
 * @sync: [out] its handle, drop it with loom_sync_destroy()
 *
 * Return: 0 or -errno.
 */
int loom_sync_create(struct loom_device *device, uint32_t *sync);

/**
 * loom_sync_destroy() - drops a syncobj
 * @device: the device
 * @sync: its handle
 */
void loom_sync_destroy(struct loom_device *device, uint32_t sync);

/**
 * loom_sync_share() - a syncobj of one device as one of another
 * @from: the device
 * @sync: its syncobj
 * @to: the other device
 * @shared: [out] a handle there; drop it, too
 *
 * Return: 0, -EMFILE, -ENOMEM.
 */
int loom_sync_share(struct loom_device *from, uint32_t sync, struct loom_device *to,
		    uint32_t *shared);

/**
 * loom_sync_wait() - waits for a fence
 * @device: the device
 * @sync: syncobj handle; need not have a fence yet
 * @point: timeline point, 0 for a binary one
 * @deadline_ns: absolute CLOCK_MONOTONIC time; 0 polls
 *
 * The fence of a job that did not come to its end is signalled, too: see loom_sync_status().
 *
 * Return: 0, -ETIME when the deadline came first.
 */
int loom_sync_wait(struct loom_device *device, uint32_t sync, uint64_t point,
		   int64_t deadline_ns);

/**
 * loom_sync_status() - state of a fence
 * @device: the device
 * @sync: handle of a binary syncobj that has a fence
 *
 * Return: 0: signalled, without an error; -EBUSY: not yet; -EIO, -ENODEV, -ECANCELED, -ETIME: see
 * the list of errors in drm/loom_accel.h; -EINVAL: there is no fence; -EMFILE, -ENOMEM.
 */
int loom_sync_status(struct loom_device *device, uint32_t sync);

/**
 * loom_sync_export() - the fence of a syncobj as a sync_file, for poll() and for other drivers
 * @device: the device
 * @sync: handle of a binary syncobj that has a fence
 * @fd: [out] the sync_file, to be closed; readable once the fence has signalled
 *
 * Return: 0, -EINVAL: there is no fence; -EMFILE, -ENOMEM, -ENODEV.
 */
int loom_sync_export(struct loom_device *device, uint32_t sync, int *fd);

/**
 * struct loom_submit - a job
 * @plan: id of the plan
 * @num_bindings: number of @bindings: the plan's slots
 * @num_in: number of @in
 * @num_out: number of @out
 * @bindings: a buffer for each slot
 * @in: fences to wait for
 * @out: fences to signal
 */
struct loom_submit {
	uint32_t plan;
	uint32_t num_bindings;
	uint32_t num_in;
	uint32_t num_out;
	const struct drm_loom_binding *bindings;
	const struct drm_loom_sync *in;
	const struct drm_loom_sync *out;
};

/**
 * loom_context_submit() - queues a job
 * @context: the queue
 * @submit: the job; may be freed after the call
 *
 * Return: 0, -EBUSY when a resident SRAM buffer is in the way, -ENOSPC, -ECANCELED when an
 * earlier job of this queue was ended by the timeout, -EINVAL, -ENOENT.
 */
int loom_context_submit(struct loom_context *context, const struct loom_submit *submit);

#ifdef __cplusplus
}
#endif

#endif /* LOOM_DEVICE_H */
