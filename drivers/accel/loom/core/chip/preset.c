// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "loom_chip.h"

#define KIB(n) ((u64)(n) << 10)
#define MIB(n) ((u64)(n) << 20)
#define GIB(n) ((u64)(n) << 30)

/*
 * Must be equal to the files of these names in userlib/chips/, which give the source of each
 * figure. One alignment unit at the bottom of each DRAM bank is reserved, as on real lockstep
 * devices, which keep a barrier there.
 */

#define ALL_DTYPES	((1U << DRM_LOOM_DTYPE_END) - 2)
#define BITS(first, end) ((1ULL << (end)) - (1ULL << (first)))
#define ALL_OPCODES							\
	(BITS(DRM_LOOM_OP_LOAD, DRM_LOOM_OP_FILL + 1) | BITS(DRM_LOOM_OP_CONV, DRM_LOOM_OP_END))

#define WHOLE(_name, _frequency)					\
	.name = _name, .dtypes = ALL_DTYPES, .flags = DRM_LOOM_CHIP_OVERLAP,	\
	.opcodes = ALL_OPCODES, .frequency_hz = _frequency, .compute_units = 1

/* sizes of a region; and bytes per 1000 cycles */
#define SIZES(_banks, _sub_banks, _bytes, _reserved, _align)		\
	.banks = _banks, .sub_banks = _sub_banks, .bank_bytes = _bytes,	\
	.reserved_bytes = _reserved, .align_bytes = _align
#define RATE(_read, _write)	.read_rate = _read, .write_rate = _write

/* Multiply-accumulates and other operations per 1000 cycles and lane; bytes: I8, U8. */
#define TYPE(_mac, _op)	{ .mac_rate = _mac, .op_rate = _op }
#define TYPES(_f32, _f16, _f64, _bytes, _bool, _int16, _int32, _int64)	\
	.type = {							\
		[DRM_LOOM_DTYPE_F32] = TYPE _f32,			\
		[DRM_LOOM_DTYPE_F16] = TYPE _f16,			\
		[DRM_LOOM_DTYPE_F64] = TYPE _f64,			\
		[DRM_LOOM_DTYPE_I8 ... DRM_LOOM_DTYPE_U8] = TYPE _bytes,	\
		[DRM_LOOM_DTYPE_I16 ... DRM_LOOM_DTYPE_U16] = { .op_rate = _int16 },	\
		[DRM_LOOM_DTYPE_I32 ... DRM_LOOM_DTYPE_U32] = { .op_rate = _int32 },	\
		[DRM_LOOM_DTYPE_I64 ... DRM_LOOM_DTYPE_U64] = { .op_rate = _int64 },	\
		[DRM_LOOM_DTYPE_BOOL] = { .op_rate = _bool },		\
	}

static const struct drm_loom_chip presets[] = {
	{
		WHOLE("soft", 1000000000),
		.region = {
			{ SIZES(8, 1, MIB(256), 64, 64),
			  RATE(16000, 16000), .flags = DRM_LOOM_CHIP_SHARED },
			{ SIZES(16, 16, KIB(256), 0, 64), RATE(1024000, 1024000) },
		},
		TYPES((64000, 64000), (64000, 64000), (64000, 64000),
		      (64000, 64000), 64000, 64000, 64000, 64000),
	},
	{
		WHOLE("tiny", 1000000000),
		.region = {
			{ SIZES(2, 1, MIB(16), 64, 64),
			  RATE(16000, 16000), .flags = DRM_LOOM_CHIP_SHARED },
			{ SIZES(4, 4, KIB(64), KIB(1), 16), RATE(1024000, 1024000) },
		},
		TYPES((256000, 256000), (256000, 256000), (256000, 256000),
		      (256000, 256000), 256000, 256000, 256000, 256000),
	},
	{
		WHOLE("wormhole", 1000000000),
		.region = {
			{ SIZES(12, 1, 1073741824, 32, 32),
			  RATE(288000, 288000), .flags = DRM_LOOM_CHIP_SHARED },
			{ SIZES(64, 1, 1499136, 116416, 16), RATE(4096000, 4096000) },
		},
		TYPES((128000, 32000), (512000, 32000), (0, 1000),
		      (1024000, 32000), 32000, 32000, 32000, 1000),
	},
	{
		WHOLE("blackhole", 1350000000),
		.region = {
			{ SIZES(8, 1, 4278190080, 64, 64),
			  RATE(379259, 379259), .flags = DRM_LOOM_CHIP_SHARED },
			{ SIZES(140, 1, 1572864, KIB(111), 16), RATE(8960000, 8960000) },
		},
		TYPES((256000, 32000), (1024000, 32000), (0, 1000),
		      (2048000, 32000), 32000, 32000, 32000, 1000),
	},
	{
		WHOLE("bm1684x", 1000000000),
		.region = {
			{ SIZES(1, 1, GIB(4), 4096, 4096),
			  RATE(45000, 45000), .flags = DRM_LOOM_CHIP_SHARED },
			{ SIZES(64, 16, KIB(256), 0, 64), RATE(4096000, 4096000) },
		},
		TYPES((8000, 16000), (62500, 32000), (0, 1000),
		      (125000, 64000), 64000, 32000, 16000, 8000),
		.compute_start = 2000,
		.array = {
			[DRM_LOOM_DTYPE_F16] = { 32, 1, 4 },
			[DRM_LOOM_DTYPE_I8 ... DRM_LOOM_DTYPE_U8] = { 64, 1, 4 },
		},
	},
	{
		WHOLE("bm1688", 1000000000),
		.region = {
			{ SIZES(1, 1, GIB(4), 4096, 4096),
			  RATE(34000, 34000), .flags = DRM_LOOM_CHIP_SHARED },
			{ SIZES(32, 16, KIB(128), 0, 16), RATE(512000, 512000) },
		},
		TYPES((4000, 4000), (16000, 8000), (0, 1000),
		      (64000, 16000), 16000, 8000, 4000, 2000),
		.compute_start = 2000,
	},
	{
		WHOLE("cv181x", 500000000),
		.region = {
			{ SIZES(1, 1, MIB(256), 4096, 4096),
			  RATE(7400, 7400), .flags = DRM_LOOM_CHIP_SHARED },
			{ SIZES(8, 8, KIB(32), 0, 16), RATE(128000, 128000) },
		},
		TYPES((1000, 1000), (16000, 8000), (0, 1000),
		      (64000, 16000), 16000, 8000, 4000, 2000),
	},
};

const struct drm_loom_chip *loom_preset_get(unsigned int index)
{
	return index < ARRAY_SIZE(presets) ? &presets[index] : NULL;
}

const struct drm_loom_chip *loom_preset_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(presets); i++)
		if (!strcmp(name, presets[i].name))
			return &presets[i];
	return NULL;
}
