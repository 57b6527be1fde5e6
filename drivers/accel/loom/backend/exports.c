// SPDX-License-Identifier: GPL-2.0
#include "core/loom_chip.h"
#include "loom_compat.h"

/*
 * What back ends ask of core/. Here and not beside each function, because core/ does not know the
 * kernel.
 */

LOOM_EXPORT(loom_chip_check);
LOOM_EXPORT(loom_preset_get);
