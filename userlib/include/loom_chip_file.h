/* SPDX-License-Identifier: MIT */
/**
 * DOC: Chips in files
 *
 * Descriptions of chips as files: YAML in, &struct drm_loom_chip out, and back. The keys, their
 * units and defaults are in Documentation/chips.rst. The library brings some chips with it; these
 * have names.
 */
#ifndef LOOM_CHIP_FILE_H
#define LOOM_CHIP_FILE_H

#include <stddef.h>
#include <stdint.h>

#include <drm/loom_accel_chip.h>

#include "loom_error.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * loom_chip_load() - reads a chip that a user names
 * @path_or_name: a file if it has a '/' or ends in ".yaml" or ".yml", else the name of a chip that
 *	is built in
 * @chip: [out] the description; it makes sense
 * @err: [out] one line on failure, "mychip.yaml:12: memory.sram.banks: is above 256"; may be NULL
 *
 * Return: 0; -ENXIO if there is no chip of that name; -ENOENT and the like for the file; -EINVAL
 * for a description that is broken; -EFBIG above 64 KiB; -ENOMEM.
 */
int loom_chip_load(const char *path_or_name, struct drm_loom_chip *chip, struct loom_error *err);

/**
 * loom_chip_parse() - the same from memory
 * @text: YAML, need not end in a NUL
 * @size_bytes: its size
 * @name: stands for the file in errors; a file that @text extends is looked for beside it
 * @chip: [out] the description
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0 or -errno, see loom_chip_load().
 */
int loom_chip_parse(const char *text, size_t size_bytes, const char *name,
		    struct drm_loom_chip *chip, struct loom_error *err);

/**
 * loom_chip_find() - a chip that is built in
 * @name: its name
 * @chip: [out] the description
 *
 * Return: 0; -ENOENT if there is none of that name; -ENOMEM.
 */
int loom_chip_find(const char *name, struct drm_loom_chip *chip);

/**
 * loom_chip_name() - names of the chips that are built in, one by one
 * @index: from 0; number 0 is what is planned for unless asked otherwise
 *
 * Return: the name, NULL past the last.
 */
const char *loom_chip_name(unsigned int index);

/**
 * loom_chip_text() - the file of a chip that is built in, with the source of each figure
 * @name: its name
 *
 * Return: YAML, NULL if there is none of that name.
 */
const char *loom_chip_text(const char *name);

/**
 * loom_chip_write() - a description as YAML
 * @chip: the description
 * @text: [out] from malloc; loom_chip_parse() makes exactly @chip of it
 *
 * Return: 0; -EINVAL if the description does not make sense; -ENOMEM.
 */
int loom_chip_write(const struct drm_loom_chip *chip, char **text);

/**
 * loom_opcode_name() - name of an operation of the device
 * @opcode: one of DRM_LOOM_OP_*
 *
 * Return: "conv", "load", ... or "?"; the library's.
 */
const char *loom_opcode_name(uint32_t opcode);

#ifdef __cplusplus
}
#endif

#endif /* LOOM_CHIP_FILE_H */
