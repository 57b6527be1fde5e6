// SPDX-License-Identifier: MIT
#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/chip_fault.h"

/* Checks the host's chip at once, not later when a plan is requested. */
static int loom_target_open_host(struct loom_target *target, const struct drm_loom_chip *chip,
				 struct loom_error *err)
{
	struct loom_chip_fault fault;

	if (chip && loom_chip_check(chip, &fault))
		return loom_chip_refuse(chip, &fault, err);
	return loom_host_open(target, chip, err);
}

static int loom_target_open_named(struct loom_target *target, const char *name,
				  const struct drm_loom_chip *chip, struct loom_error *err)
{
	int ret;

	if (!name)
		return loom_error_set(err, -EINVAL,
				      "a target has no name: \"auto\" takes a device or the host");
	if (!strcmp(name, "host"))
		return loom_target_open_host(target, chip, err);
	if (!strcmp(name, "soft") || !strcmp(name, "device"))
		return loom_soft_open(target, NULL, err);
	if (strchr(name, '/'))
		return loom_soft_open(target, name, err);
	if (strcmp(name, "auto"))
		return loom_error_set(err, -EINVAL,
				      "there is no device '%s': it is host, auto, soft, device or the path of a node",
				      name);
	ret = loom_soft_open(target, NULL, err);
	/*
	 * a node that cannot be opened is an error, because running on the host instead would be
	 * slow
	 */
	if (ret != -ENODEV)
		return ret;
	loom_error_clear(err);
	return loom_target_open_host(target, chip, err);
}

int loom_target_open(const char *name, const struct drm_loom_chip *chip,
		     struct loom_target **out, struct loom_error *err)
{
	struct loom_target *target;
	int ret;

	*out = NULL;
	target = calloc(1, sizeof(*target));
	if (!target)
		return loom_error_set(err, -ENOMEM, "no memory");
	ret = loom_target_open_named(target, name, chip, err);
	if (ret) {
		free(target);
		return ret;
	}
	*out = target;
	return 0;
}

void loom_target_close(struct loom_target *target)
{
	if (!target)
		return;
	target->ops->close(target);
	free(target);
}

int loom_target_set_threads(struct loom_target *target, uint32_t threads, struct loom_error *err)
{
	if (target->device)
		return loom_error_set(err, -EINVAL, "how many threads %s has is up to its driver",
				      target->name);
	return loom_host_set_threads(target, threads, err);
}

int loom_target_set_natives(struct loom_target *target, const struct loom_native_set *natives,
			    struct loom_error *err)
{
	if (target->device)
		return loom_error_set(err, -EINVAL, "%s runs native commands itself",
				      target->name);
	target->natives = natives;
	return 0;
}

const char *loom_target_name(const struct loom_target *target)
{
	return target->name;
}

const struct drm_loom_chip *loom_target_chip(const struct loom_target *target)
{
	return target->chip;
}

struct loom_device *loom_target_device(const struct loom_target *target)
{
	return target->device;
}
