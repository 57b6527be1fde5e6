// SPDX-License-Identifier: GPL-2.0
#include "core/loom_layout.h"
#include "loom_compat.h"

/* Exports of core/ for back ends. They are here because core/ does not include kernel headers. */

EXPORT_SYMBOL_NS_GPL(loom_layout_map, LOOM_COMPAT_NS);
EXPORT_SYMBOL_NS_GPL(loom_port_relax, LOOM_COMPAT_NS);
