/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_CORE_H
#define LOOM_CORE_H

/**
 * DOC: Core
 *
 * Code shared by the module, the library and the tests. Each folder is a room with one interface, a
 * header whose comment has its purpose and the rooms that it may use. Common to all are the decoded
 * plan (loom_plan.h) and the units of work (loom_tile.h).
 *
 * It is freestanding: it calls no libc and no kernel function but the loom_port_* functions
 * declared here, which each side implements (loom_port.c in the module, base/port.c in the
 * library), and memcpy(), memmove(), memset() and strcmp(). Floating point is in engine/fp_*.c
 * only.
 */

#ifdef __KERNEL__
#include <linux/types.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/overflow.h>
#include <linux/string.h>
#include <linux/minmax.h>
#include <linux/stddef.h>
#include <linux/compiler.h>
#include <linux/build_bug.h>
#include <linux/container_of.h>
#include <linux/math64.h>
#include <linux/nospec.h>
#else
/* parts that a kernel may leave out, see Kconfig */
#define CONFIG_DRM_ACCEL_LOOM_OPS	1
#define CONFIG_DRM_ACCEL_LOOM_LAYOUTS	1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <errno.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#define U32_MAX UINT32_MAX
#define U64_MAX UINT64_MAX
#define S64_MAX INT64_MAX
#define S64_MIN INT64_MIN

#define __must_check __attribute__((warn_unused_result))
#define check_add_overflow(a, b, d) __builtin_add_overflow(a, b, d)
#define check_sub_overflow(a, b, d) __builtin_sub_overflow(a, b, d)
#define check_mul_overflow(a, b, d) __builtin_mul_overflow(a, b, d)
#define noinline __attribute__((__noinline__))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define min(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a < _b ? _a : _b; })
#define max(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define container_of(ptr, type, member) \
	((type *)(void *)((char *)(ptr) - offsetof(type, member)))

static inline u64 div64_u64(u64 a, u64 b)
{
	return a / b;
}

static inline u64 div64_u64_rem(u64 a, u64 b, u64 *rem)
{
	*rem = a % b;
	return a / b;
}
#endif

#include <drm/loom_accel_plan.h>

/**
 * loom_port_alloc() - zeroed memory for an array
 * @count: number of elements
 * @size: bytes of an element; the product is checked for overflow
 *
 * May sleep.
 *
 * Return: the memory, or NULL.
 */
void *loom_port_alloc(size_t count, size_t size);

/**
 * loom_port_free() - free memory from loom_port_alloc()
 * @ptr: the memory, or NULL
 */
void loom_port_free(void *ptr);

/**
 * loom_port_relax() - must be called regularly in long loops of the verifier
 *
 * Reschedules if necessary.
 *
 * Return: false if the caller must give up (a fatal signal is pending).
 */
bool loom_port_relax(void);

/**
 * loom_index_nospec() - sanitise an index from a client after its bounds check
 * @index: below @size
 * @size: number of elements
 *
 * Against Spectre v1: a processor that speculates past the check must not read at the client's
 * index. The library does not need it, because it has no access to memory of others.
 *
 * Return: @index; zero under wrong speculation that it was below @size.
 */
#ifdef __KERNEL__
#define loom_index_nospec(index, size)	array_index_nospec(index, size)
#else
#define loom_index_nospec(index, size)	((void)(size), (index))
#endif

/* A number that a client may be writing: the compiler must not read it again. */
#ifdef __KERNEL__
#define loom_read_once(number)	READ_ONCE(number)
#else
#define loom_read_once(number) ({						\
	__auto_type once_ = 0 + (number);					\
										\
	__asm__("" : "+r"(once_));						\
	once_; })
#endif

/* Round up to a multiple of @align, which need not be a power of two. False on overflow. */
static inline bool __must_check loom_round_up(u64 value, u64 align, u64 *out)
{
	u64 rem;

	div64_u64_rem(value, align, &rem);
	if (!rem) {
		*out = value;
		return true;
	}
	return !check_add_overflow(value, align - rem, out);
}

/* The least n for which 2^n is not below @value, which is not zero. */
static inline u32 loom_log2_up(u32 value)
{
	return value > 1 ? 32 - __builtin_clz(value - 1) : 0;
}

static inline u64 loom_div_round_up(u64 value, u64 by)
{
	u64 rem, q = div64_u64_rem(value, by, &rem);

	return q + !!rem;
}

/* All banks of a region, which buffers may be on; of the SRAM the lanes come first. */
static inline u32 loom_chip_banks(const struct drm_loom_chip *chip, u32 region)
{
	return chip->region[region].banks +
	       (region == DRM_LOOM_REGION_SRAM ? chip->storage_banks : 0);
}

/* Bits of an element; zero for what is not a type. */
static inline u32 loom_dtype_bits(u32 dtype)
{
	switch (dtype) {
	case DRM_LOOM_DTYPE_I8:
	case DRM_LOOM_DTYPE_U8:
	case DRM_LOOM_DTYPE_BOOL:
		return 8;
	case DRM_LOOM_DTYPE_F16:
	case DRM_LOOM_DTYPE_I16:
	case DRM_LOOM_DTYPE_U16:
		return 16;
	case DRM_LOOM_DTYPE_F32:
	case DRM_LOOM_DTYPE_I32:
	case DRM_LOOM_DTYPE_U32:
		return 32;
	case DRM_LOOM_DTYPE_F64:
	case DRM_LOOM_DTYPE_I64:
	case DRM_LOOM_DTYPE_U64:
		return 64;
	}
	return 0;
}

/* Bytes of a row of elements, the last byte filled up; U64_MAX if there may be more than fit. */
static inline u64 loom_dtype_row_bytes(u32 dtype, u64 elems)
{
	u32 bits = loom_dtype_bits(dtype);

	if (elems > U64_MAX / sizeof(u64))
		return U64_MAX;
	return elems / 8 * bits + (elems % 8 * bits + 7) / 8;
}

/* Bytes from an element to the next, of types of whole bytes; zero for what is not a type. */
static inline u32 loom_dtype_stride(u32 dtype)
{
	return loom_dtype_bits(dtype) / 8;
}

#endif /* LOOM_CORE_H */
