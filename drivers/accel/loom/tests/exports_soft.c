// SPDX-License-Identifier: GPL-2.0
#include <kunit/visibility.h>
#include <linux/export.h>

#include "core/loom_engine.h"

/* As exports.c, of what is in the module loom_soft. */

EXPORT_SYMBOL_IF_KUNIT(loom_engine_count);
