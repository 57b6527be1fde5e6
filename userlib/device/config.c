// SPDX-License-Identifier: MIT
/* Devices through configfs: a file for each attribute, then "live". See loom_config.h. */
#include "loom_config.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "loom.h"
#include "loom_core.h"

#define ROOT	"/sys/kernel/config/loom"

/**
 * struct figure - a member of a structure and its file
 * @name: of both
 * @offset: of the member
 * @wide: it has 64 bits, not 32
 * @later: drivers before minor 7 lack the file; it is not written where it would be zero, which is
 *	its default
 */
struct figure {
	const char *name;
	size_t offset;
	bool wide;
	bool later;
};

#define FIGURE(_type, _name, _wide) \
	{ #_name, offsetof(struct drm_loom_##_type, _name), _wide, false }

/* structures of a type have the same size, so their distance is that of the arrays */
#define BESIDE(_array, _name) \
	{ #_name, offsetof(struct drm_loom_chip, _array[0]._name) - \
		  offsetof(struct drm_loom_chip, type), false, true }

static const struct figure chip_figures[] = {
	FIGURE(chip, dtypes, false),
	FIGURE(chip, flags, false),
	FIGURE(chip, opcodes, true),
	FIGURE(chip, frequency_hz, true),
	FIGURE(chip, compute_units, false),
	FIGURE(chip, dma_start, false),
	FIGURE(chip, compute_start, false),
	FIGURE(chip, storage_banks, false),
};

static const struct figure region_figures[] = {
	FIGURE(chip_region, banks, false),
	FIGURE(chip_region, sub_banks, false),
	FIGURE(chip_region, bank_bytes, true),
	FIGURE(chip_region, reserved_bytes, true),
	FIGURE(chip_region, align_bytes, true),
	FIGURE(chip_region, floor_bytes, true),
	FIGURE(chip_region, flags, false),
	FIGURE(chip_region, burst_bytes, false),
	FIGURE(chip_region, read_rate, false),
	FIGURE(chip_region, write_rate, false),
	FIGURE(chip_region, read_latency, false),
	FIGURE(chip_region, write_latency, false),
	FIGURE(chip_region, read_energy, false),
	FIGURE(chip_region, write_energy, false),
};

static const struct figure type_figures[] = {
	FIGURE(chip_type, mac_rate, false),
	FIGURE(chip_type, op_rate, false),
	FIGURE(chip_type, mac_energy, false),
	FIGURE(chip_type, op_energy, false),
	BESIDE(array, in_channels),
	BESIDE(array, out_channels),
	BESIDE(array, positions),
	BESIDE(array, depthwise_rate),
	BESIDE(vector, pool_rate),
	BESIDE(vector, element_rate),
};

/**
 * struct maker - a device under construction
 * @dir: its open directory
 * @name: of the device
 * @err: error text
 */
struct maker {
	int dir;
	const char *name;
	struct loom_error *err;
};

/* Translates errors of the calls on the directory itself. */
static int fail(struct loom_error *err, const char *name, int code)
{
	switch (code) {
	case EACCES:
	case EPERM:
		return loom_error_set(err, -code, "%s: only root makes and removes devices", name);
	case EEXIST:
		return loom_error_set(err, -code, "there is a device '%s'", name);
	case ENOENT:
		return loom_error_set(err, -code, "there is no device '%s'", name);
	}
	return loom_error_set(err, -code, "%s: %s", name, strerror(code));
}

static int check_root(struct loom_error *err)
{
	if (!access(ROOT, F_OK))
		return 0;
	if (access("/sys/kernel/config", F_OK))
		return loom_error_set(err, -ENODEV,
				      "there is no configfs: try modprobe configfs, or a kernel with CONFIG_CONFIGFS_FS");
	return loom_error_set(err, -ENODEV, "there is no " ROOT
			      ": try modprobe loom, and mount -t configfs none /sys/kernel/config");
}

static int check_name(const char *name, struct loom_error *err)
{
	size_t length = 0;

	while (isalnum((unsigned char)name[length]) ||
	       (name[length] && strchr("-_.", name[length])))
		length++;
	if (!length || name[length] || length >= LOOM_CONFIG_NAME || name[0] == '.')
		return loom_error_set(err, -EINVAL, "'%s' is no name for a device", name);
	return 0;
}

static int write_file(const struct maker *maker, const char *file, const char *text)
{
	int fd = openat(maker->dir, file, O_WRONLY | O_CLOEXEC), ret = 0;

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		ret = loom_error_set(maker->err, -errno, "%s: %s cannot be set to %.*s: %s",
				     maker->name, file, (int)strcspn(text, "\n"), text,
				     strerror(errno));
	if (fd >= 0)
		close(fd);
	return ret;
}

static void read_file(int dir, const char *file, char *text, size_t size)
{
	int fd = openat(dir, file, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? 0 : read(fd, text, size - 1);

	text[got > 0 ? got : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (fd >= 0)
		close(fd);
}

static int write_figures(const struct maker *maker, const char *folder,
			 const struct figure *figures, size_t count, const void *from)
{
	char file[64], text[32];
	uint64_t value;
	uint32_t narrow;
	size_t i;
	int ret;

	for (i = 0; i < count; i++) {
		memcpy(&narrow, (const char *)from + figures[i].offset, sizeof(narrow));
		value = narrow;
		if (figures[i].wide)
			memcpy(&value, (const char *)from + figures[i].offset, sizeof(value));
		if (figures[i].later && !value)
			continue;
		snprintf(file, sizeof(file), "%s%s", folder, figures[i].name);
		snprintf(text, sizeof(text), "%" PRIu64 "\n", value);
		ret = write_file(maker, file, text);
		if (ret)
			return ret;
	}
	return 0;
}

static int write_chip(const struct maker *maker, const struct drm_loom_chip *chip)
{
	char text[64];
	uint32_t i;
	int ret;

	snprintf(text, sizeof(text), "%.31s\n", chip->name);
	ret = write_file(maker, "name", text);
	if (!ret)
		ret = write_figures(maker, "", chip_figures, ARRAY_SIZE(chip_figures), chip);
	for (i = 0; !ret && i < DRM_LOOM_REGION_COUNT; i++) {
		snprintf(text, sizeof(text), "%s/", loom_region_name(i));
		ret = write_figures(maker, text, region_figures, ARRAY_SIZE(region_figures),
				    &chip->region[i]);
	}
	for (i = DRM_LOOM_DTYPE_F32; !ret && i < DRM_LOOM_DTYPE_END; i++) {
		snprintf(text, sizeof(text), "types/%s/", loom_dtype_name(i));
		ret = write_figures(maker, text, type_figures, ARRAY_SIZE(type_figures),
				    &chip->type[i]);
	}
	return ret;
}

static int make(const struct maker *maker, const struct drm_loom_chip *chip, uint32_t timeout_ms)
{
	char text[32];
	int ret = write_chip(maker, chip);

	if (!ret && timeout_ms) {
		snprintf(text, sizeof(text), "%u\n", timeout_ms);
		ret = write_file(maker, "job_timeout_ms", text);
	}
	if (ret)
		return ret;
	ret = write_file(maker, "live", "1\n");
	if (ret == -EINVAL)
		return loom_error_set(maker->err, ret,
				      "%s: the driver does not take this description; its debug log says why",
				      maker->name);
	return ret;
}

static int open_folder(const char *name)
{
	char path[sizeof(ROOT) + LOOM_CONFIG_NAME + 1];

	snprintf(path, sizeof(path), ROOT "/%.*s", LOOM_CONFIG_NAME - 1, name);
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void read_device(int dir, const char *name, struct loom_config_device *device)
{
	snprintf(device->name, sizeof(device->name), "%.*s", LOOM_CONFIG_NAME - 1, name);
	read_file(dir, "name", device->chip, sizeof(device->chip));
	read_file(dir, "node", device->node, sizeof(device->node));
}

static int add(const char *name, const struct drm_loom_chip *chip, uint32_t timeout_ms,
	       struct loom_config_device *device, struct loom_error *err)
{
	struct maker maker = { .name = name, .err = err };
	char path[sizeof(ROOT) + LOOM_CONFIG_NAME + 1];
	int ret = check_root(err);

	if (!ret)
		ret = check_name(name, err);
	if (ret)
		return ret;
	snprintf(path, sizeof(path), ROOT "/%.*s", LOOM_CONFIG_NAME - 1, name);
	if (mkdir(path, 0755))
		return fail(err, name, errno);
	maker.dir = open_folder(name);
	ret = maker.dir < 0 ? fail(err, name, errno) : make(&maker, chip, timeout_ms);
	if (!ret)
		read_device(maker.dir, name, device);
	if (maker.dir >= 0)
		close(maker.dir);
	if (ret)
		rmdir(path);
	return ret;
}

int loom_config_add(const char *name, const struct drm_loom_chip *chip, uint32_t timeout_ms,
		    struct loom_config_device *device, struct loom_error *err)
{
	int saved = errno, ret;

	memset(device, 0, sizeof(*device));
	ret = add(name, chip, timeout_ms, device, err);
	errno = saved;
	return ret;
}

int loom_config_remove(const char *name, struct loom_error *err)
{
	char path[sizeof(ROOT) + LOOM_CONFIG_NAME + 1];
	int saved = errno, ret = check_root(err);

	if (!ret && check_name(name, NULL))
		ret = fail(err, name, ENOENT);
	if (!ret) {
		snprintf(path, sizeof(path), ROOT "/%.*s", LOOM_CONFIG_NAME - 1, name);
		if (rmdir(path))
			ret = fail(err, name, errno);
	}
	errno = saved;
	return ret;
}

static int is_device(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && strlen(entry->d_name) < LOOM_CONFIG_NAME;
}

static int list(struct loom_config_device **devices, uint32_t *count, struct loom_error *err)
{
	struct dirent **entries;
	int found, dir, i, ret = check_root(err);

	if (ret)
		return ret;
	found = scandir(ROOT, &entries, is_device, versionsort);
	if (found < 0)
		return fail(err, ROOT, errno);
	*devices = calloc((size_t)found + 1, sizeof(**devices));
	for (i = 0; i < found; i++) {
		/* a device that was removed meanwhile is omitted */
		dir = *devices ? open_folder(entries[i]->d_name) : -1;
		if (dir >= 0) {
			read_device(dir, entries[i]->d_name, &(*devices)[(*count)++]);
			close(dir);
		}
		free(entries[i]);
	}
	free(entries);
	return *devices ? 0 : loom_error_set(err, -ENOMEM, "no memory");
}

int loom_config_list(struct loom_config_device **devices, uint32_t *count, struct loom_error *err)
{
	int saved = errno, ret;

	*devices = NULL;
	*count = 0;
	ret = list(devices, count, err);
	errno = saved;
	return ret;
}
