// SPDX-License-Identifier: GPL-2.0
/* Where the tracepoints of loom_trace.h live. */
#ifndef __CHECKER__
#define CREATE_TRACE_POINTS
#include "loom_trace.h"
#endif
