/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_CODE_PRIV_H
#define LOOM_CODE_PRIV_H

#include "loom_code.h"

/* Commands between two calls of loom_port_relax(). */
#define LOOM_CODE_PIECE		1024

#define LOOM_CODE_LITTLE_ENDIAN	(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

/**
 * struct loom_code_tables - offsets of the tables in bytes
 * @ends: of the lanes
 * @slots: the slots
 * @steps: the steps
 * @commands: the commands
 * @views: the views
 * @attrs: the attributes
 * @size: of the whole
 */
struct loom_code_tables {
	u64 ends;
	u64 slots;
	u64 steps;
	u64 commands;
	u64 views;
	u64 attrs;
	u64 size;
};

/* encode.c: from the counts, each of which fits in 32 bits. */
void loom_code_lay(const struct loom_code_header *header, struct loom_code_tables *tables);

/* Number of words of eight bytes after the sum. */
static inline u64 loom_code_words(u64 size)
{
	return (size - offsetof(struct loom_code_header, scratch_bytes)) / 8;
}

#endif /* LOOM_CODE_PRIV_H */
