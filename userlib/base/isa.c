// SPDX-License-Identifier: MIT
/* Vector instructions for the engine: those of the processor, or fewer for tests. */
#include "isa.h"

#include <stdatomic.h>
#include <stdlib.h>

#define ISA_UNKNOWN	LOOM_ISA_END

static _Atomic unsigned int isa_used = ISA_UNKNOWN;

static const char *const isa_names[LOOM_ISA_END] = {
	[LOOM_ISA_BASE] = "base",
	[LOOM_ISA_AVX2] = "avx2",
	[LOOM_ISA_AVX512] = "avx512",
	[LOOM_ISA_VNNI] = "vnni",
};

const char *loom_isa_name(unsigned int isa)
{
	return isa < LOOM_ISA_END ? isa_names[isa] : NULL;
}

enum loom_isa loom_isa_has(void)
{
/* clang 14, used for the fuzzers, does not support f16c here */
#if defined(__x86_64__) && !defined(__clang__)
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("f16c"))
		return LOOM_ISA_BASE;
	if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
	    !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl"))
		return LOOM_ISA_AVX2;
	return __builtin_cpu_supports("avx512vnni") ? LOOM_ISA_VNNI : LOOM_ISA_AVX512;
#else
	return LOOM_ISA_BASE;
#endif
}

void loom_isa_limit(enum loom_isa most)
{
	atomic_store_explicit(&isa_used, min(most, loom_isa_has()), memory_order_relaxed);
}

/* The set requested by the environment; an unknown name is ignored. */
static enum loom_isa isa_wanted(void)
{
	const char *name = getenv("LOOM_ISA");
	unsigned int i;

	for (i = 0; name && i < LOOM_ISA_END; i++)
		if (!strcmp(name, isa_names[i]))
			return i;
	return LOOM_ISA_END - 1;
}

enum loom_isa loom_port_isa(void)
{
	unsigned int isa = atomic_load_explicit(&isa_used, memory_order_relaxed);

	if (isa == ISA_UNKNOWN) {
		loom_isa_limit(isa_wanted());
		isa = atomic_load_explicit(&isa_used, memory_order_relaxed);
	}
	return isa;
}
