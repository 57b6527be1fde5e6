// SPDX-License-Identifier: GPL-2.0
#include <kunit/visibility.h>
#include <linux/export.h>

#include "core/loom_bank.h"
#include "core/loom_op.h"
#include "core/loom_verify.h"

/*
 * Exports of core/ for tests/. They exist only if the kernel has KUnit, in a namespace for tests.
 * They are here because core/ does not include kernel headers.
 */

EXPORT_SYMBOL_IF_KUNIT(loom_bank_init);
EXPORT_SYMBOL_IF_KUNIT(loom_bank_fini);
EXPORT_SYMBOL_IF_KUNIT(loom_bank_alloc);
EXPORT_SYMBOL_IF_KUNIT(loom_bank_free);
EXPORT_SYMBOL_IF_KUNIT(loom_bank_chunk_create);
EXPORT_SYMBOL_IF_KUNIT(loom_port_free);

EXPORT_SYMBOL_IF_KUNIT(loom_port_alloc);

EXPORT_SYMBOL_IF_KUNIT(loom_plan_create_native);
EXPORT_SYMBOL_IF_KUNIT(loom_plan_destroy);
EXPORT_SYMBOL_IF_KUNIT(loom_op_get);
