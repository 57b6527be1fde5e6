/* SPDX-License-Identifier: MIT */
#ifndef LOOM_BASE_ISA_H
#define LOOM_BASE_ISA_H

#include "loom_engine.h"

/** loom_isa_has() - the largest set of vector instructions that this machine supports */
enum loom_isa loom_isa_has(void);

/**
 * loom_isa_limit() - limit the vector instructions from now on
 * @most: the largest set allowed; LOOM_ISA_END - 1: all that the machine supports
 *
 * Results are the same. The environment variable LOOM_ISA (base, avx2, avx512 or vnni) does this
 * for a whole program. Must not be called while the engine runs in another thread.
 */
void loom_isa_limit(enum loom_isa most);

/** loom_isa_name() - as in the variable; NULL past the last */
const char *loom_isa_name(unsigned int isa);

#endif /* LOOM_BASE_ISA_H */
