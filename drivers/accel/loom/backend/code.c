// SPDX-License-Identifier: GPL-2.0
#include <kunit/visibility.h>

#include "core/loom_code.h"
#include "loom_compat.h"

/* Exports of core/code/, for back ends and for tests/. */

EXPORT_SYMBOL_NS_GPL(loom_code_bytes, LOOM_COMPAT_NS);
EXPORT_SYMBOL_NS_GPL(loom_code_encode, LOOM_COMPAT_NS);
EXPORT_SYMBOL_IF_KUNIT(loom_code_decode);
