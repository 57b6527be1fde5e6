// SPDX-License-Identifier: GPL-2.0
#include <kunit/visibility.h>
#include <linux/export.h>

#include "core/loom_engine.h"

/* Exports of the module loom_soft for tests, see exports.c. */

EXPORT_SYMBOL_IF_KUNIT(loom_engine_count);
