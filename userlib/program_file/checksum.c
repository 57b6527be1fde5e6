// SPDX-License-Identifier: MIT
/* CRC-32C: polynomial 0x1edc6f41, reflected, eight bytes at a time. */
#include "program_file.h"

#include "base/watch.h"

#include <pthread.h>
#include <string.h>

/* The caller of the library is asked again after so many bytes. */
#define STEP_BYTES	((size_t)1 << 20)

static u32 tables[8][256];
static pthread_once_t made = PTHREAD_ONCE_INIT;

static void make_tables(void)
{
	u32 i, k;

	for (i = 0; i < 256; i++) {
		u32 value = i;

		for (k = 0; k < 8; k++)
			value = value >> 1 ^ (value & 1 ? 0x82f63b78 : 0);
		tables[0][i] = value;
	}
	for (k = 1; k < 8; k++)
		for (i = 0; i < 256; i++)
			tables[k][i] = tables[k - 1][i] >> 8 ^
				       tables[0][tables[k - 1][i] & 0xff];
}

static u32 add(u32 before, const u8 *at, size_t size)
{
	u32 value = ~before;

	for (; size >= 8; size -= 8, at += 8) {
		value ^= (u32)at[0] | (u32)at[1] << 8 | (u32)at[2] << 16 | (u32)at[3] << 24;
		value = tables[7][value & 0xff] ^ tables[6][value >> 8 & 0xff] ^
			tables[5][value >> 16 & 0xff] ^ tables[4][value >> 24] ^
			tables[3][at[4]] ^ tables[2][at[5]] ^ tables[1][at[6]] ^ tables[0][at[7]];
	}
	for (; size; size--, at++)
		value = value >> 8 ^ tables[0][(value ^ *at) & 0xff];
	return ~value;
}

u32 loom_checksum(u32 before, const void *bytes, size_t size)
{
	const u8 *at = bytes;
	size_t part;

	pthread_once(&made, make_tables);
	/* a call that unwinds has no use for the sum */
	for (; size && !loom_watch_spend(min(size, STEP_BYTES) / 64); at += part, size -= part) {
		part = min(size, STEP_BYTES);
		before = add(before, at, part);
	}
	return before;
}
