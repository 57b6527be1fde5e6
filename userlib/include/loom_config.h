/* SPDX-License-Identifier: MIT */
/**
 * DOC: Software devices of any shape, made through configfs
 *
 * A device is a folder in /sys/kernel/config/loom/ with a file for each figure of its description;
 * see "Soft devices of any shape" in the driver. Making one is for root. Functions return 0 or a
 * negative errno and leave errno alone; they keep no state, and can be called by several threads.
 */
#ifndef LOOM_CONFIG_H
#define LOOM_CONFIG_H

#include <stdint.h>

#include <drm/loom_accel_chip.h>

#include "loom_error.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * define LOOM_CONFIG_NAME - longest name of a device, with its end
 */
#define LOOM_CONFIG_NAME	64

/**
 * struct loom_config_device - a device that was made
 * @name: of its folder
 * @chip: name of its description
 * @node: "accel3", or "" if it has none: it is not live, or unbound from its driver
 */
struct loom_config_device {
	char name[LOOM_CONFIG_NAME];
	char chip[32];
	char node[32];
};

/**
 * loom_config_add() - makes a device, and waits until its node is there
 * @name: of the device: letters, digits, '-', '_', '.'; not that of another
 * @chip: its description
 * @timeout_ms: a job that has the engine for longer is ended; 0: the module's
 * @device: [out] the device
 * @err: [out] one line on failure, may be NULL
 *
 * Nothing is left of it after a failure.
 *
 * Return: 0; -EEXIST for a name that is taken; -EINVAL for a name or a description that the driver
 * does not take; -EACCES or -EPERM without privileges; -ENODEV if the module is not loaded or
 * configfs not mounted.
 */
int loom_config_add(const char *name, const struct drm_loom_chip *chip, uint32_t timeout_ms,
		    struct loom_config_device *device, struct loom_error *err);

/**
 * loom_config_remove() - unplugs a device: its jobs end with ENODEV
 * @name: of the device
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0; -ENOENT if there is none; -EACCES or -EPERM; -ENODEV as above.
 */
int loom_config_remove(const char *name, struct loom_error *err);

/**
 * loom_config_list() - the devices that there are, by name
 * @devices: [out] from malloc
 * @count: [out] number of @devices
 * @err: [out] one line on failure, may be NULL
 *
 * The first device, which the module makes by its parameters, is not among them.
 *
 * Return: 0; -ENODEV as above; -ENOMEM.
 */
int loom_config_list(struct loom_config_device **devices, uint32_t *count,
		     struct loom_error *err);

#ifdef __cplusplus
}
#endif

#endif /* LOOM_CONFIG_H */
