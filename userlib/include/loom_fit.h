/* SPDX-License-Identifier: MIT */
/**
 * DOC: Whether buffers would fit
 *
 * The question of DRM_LOOM_QUERY_FIT_LIST without a device: would these buffers fit in the banks of
 * a chip, empty or as a report has found them? The answer has the same fields, because the same
 * allocator and layouts give it. loom_device_fit_list() asks a device.
 *
 * Nothing here has state; all functions may be called by any number of threads.
 */
#ifndef LOOM_FIT_H
#define LOOM_FIT_H

#include <stdint.h>

#include <drm/loom_accel.h>

#include "loom_error.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct loom_fit_list - buffers by name
 * @buffers: as for BO_CREATE; their masks belong to the list
 * @names: of each
 * @count: number of both, at most DRM_LOOM_MAX_FIT
 */
struct loom_fit_list {
	struct drm_loom_bo_create *buffers;
	char **names;
	uint32_t count;
};

/**
 * loom_fit_list_read() - reads a list from a CSV file
 * @path: the file. Its first line names the columns: name and size, and of the others those that
 *	are needed; see Documentation/reports.rst
 * @list: [out] the buffers, to be freed by loom_fit_list_free()
 * @err: [out] one line on failure, with file and line; may be NULL
 *
 * Return: 0, -EINVAL for a wrong file, -E2BIG for more than DRM_LOOM_MAX_FIT lines, -ENOENT and the
 * like, -ENOMEM.
 */
int loom_fit_list_read(const char *path, struct loom_fit_list **list, struct loom_error *err);

/**
 * loom_fit_list_free() - frees a list
 * @list: the list; NULL is fine
 */
void loom_fit_list_free(struct loom_fit_list *list);

/**
 * loom_fit_chip() - whether buffers would fit in the banks of a chip
 * @chip: the chip
 * @snapshot: detailed_memory_usage.csv, of which the last report counts; NULL: the banks are empty
 * @buffers: as for BO_CREATE
 * @count: number of @buffers, at most DRM_LOOM_MAX_FIT
 * @answer: [out] as a device would answer; its arrays are empty
 * @err: [out] one line on failure, may be NULL
 *
 * If the chip has a floor, the limits of the SRAM are those of a file without an exclusive context
 * that has no buffer yet: a snapshot does not tell the caller's buffers from others. Without a
 * floor there are no limits. Caps on bytes of the host do not count.
 *
 * Return: 0, whether they fit or not; -EINVAL for a buffer that no device takes, or a wrong
 * snapshot; -E2BIG; -ENOENT and the like for the snapshot; -ENOMEM.
 */
int loom_fit_chip(const struct drm_loom_chip *chip, const char *snapshot,
		  const struct drm_loom_bo_create *buffers, uint32_t count,
		  struct drm_loom_fit_list *answer, struct loom_error *err);

#ifdef __cplusplus
}
#endif

#endif /* LOOM_FIT_H */
