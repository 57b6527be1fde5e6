/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_PRESETS_H
#define LOOM_PRESETS_H

#include "core/loom_chip.h"

const struct drm_loom_chip *loom_presets_chip(void);
u32 loom_presets_threads(void);

#endif /* LOOM_PRESETS_H */
