/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_GCOV_H
#define LOOM_GCOV_H

#include <linux/compiler.h>
#include <linux/types.h>

/* Data that gcc emits for an object: layouts of libgcc, private to versions of the compiler. */
#if GCC_VERSION < 100000 || GCC_VERSION >= 140000
#error "What this compiler emits for --coverage is not known here"
#endif
#define LOOM_GCOV_COUNTERS	8

struct gcov_info;

struct loom_gcov_array {
	u32 num;
	u64 *values;
};

struct gcov_fn_info {
	const struct gcov_info *key;
	u32 ident;
	u32 lineno_checksum;
	u32 cfg_checksum;
	struct loom_gcov_array arcs;
};

struct gcov_info {
	u32 version;
	struct gcov_info *next;
	u32 stamp;
#if GCC_VERSION >= 120000
	u32 checksum;
#endif
	const char *filename;
	void *merge[LOOM_GCOV_COUNTERS];
	u32 n_functions;
	const struct gcov_fn_info *const *functions;
};

/* Functions that the compiler emits calls of. */
void __gcov_init(struct gcov_info *info);
void __gcov_exit(void);
void __gcov_merge_add(u64 *counters, u32 n);

#endif /* LOOM_GCOV_H */
