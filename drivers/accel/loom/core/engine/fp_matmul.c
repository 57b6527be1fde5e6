// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_half.h"
#include "fp_math.h"

/**
 * DOC: Matrix product
 *
 * Each result is one sum over K from first to last, independent of what is computed with it. In F32
 * a block of results, one row or four rows by as many columns as there are registers for, is kept
 * while k goes over K. Four rows share the elements read from b. Columns of b that are not adjacent
 * in memory (b is transposed, or its columns are dealt over the lanes) are gathered into vectors.
 *
 * F16 is summed in binary32 in the same blocks, F64 in binary64, integers in 32 bits that wrap.
 * MATMUL_ADD begins with sums from an operand instead of zeroes, and reads them before it writes y.
 *
 * Units of F32 and F16 are numbered so that those of four rows that share columns follow each
 * other. A call can stop between two terms of the sums of a tile, or of four tiles.
 */

/**
 * struct matmul - a product with its operands prepared
 * @memory: where the operands lie
 * @attr: its attributes
 * @y: the result
 * @a: left operand
 * @b: right operand
 * @bias: the bias, or NULL
 * @scale: the scale, or NULL
 * @start: sums to begin with, or NULL
 * @half: a and b are binary16
 * @part: pays for it; keeps the sums of a tile of columns, or of four rows of it
 * @k: first term to add
 * @k_end: behind the last
 * @index: of the current block's first result
 */
struct matmul {
	const struct loom_memory *memory;
	const struct drm_loom_attr_matmul *attr;
	const struct loom_view *y;
	const struct loom_view *a;
	const struct loom_view *b;
	const struct loom_view *bias;
	const struct loom_view *scale;
	const struct loom_view *start;
	bool half;
	struct loom_part *part;
	u32 k;
	u32 k_end;
	u32 index[4];
};

/* Address of the matrix of the current batch: of its element [0, 0]. */
static u8 *matmul_base(const struct matmul *m, const struct loom_view *view)
{
	u8 *base = loom_view_origin(view, m->memory);
	u32 i;

	for (i = 0; i < 2; i++)
		base += loom_view_step(view, m->memory, i, view->dims[i] == 1 ? 0 : m->index[i]);
	return base;
}

/* A row along N of y, or of an operand that is broadcast to y. */
static struct loom_row matmul_row(const struct matmul *m, const struct loom_view *view, u32 row,
				  u32 column)
{
	u8 *base = matmul_base(m, view);
	struct loom_row r;

	base += loom_view_step(view, m->memory, 2, view->dims[2] == 1 ? 0 : row);
	r = loom_row_along(view, m->memory, base, 3, view->dims[3] == 1 ? 0 : column);
	if (view->dims[3] == 1) {
		r.stride = 0;
		r.lanes = 0;
	}
	return r;
}

/* An element of an operand. */
static __always_inline float matmul_get(const void *from, const bool half)
{
	return half ? loom_half_widen(*(const u16 *)from) : loom_get_f32(from);
}

#define MATMUL_V 4
#include "fp_matmul_block.h"
#undef MATMUL_V
#if LOOM_VEC_MOST > 4
#define MATMUL_V LOOM_VEC_MOST
#include "fp_matmul_block.h"
#undef MATMUL_V
#endif

/*
 * Terms @k to @k_end of the sums of @nb rows by 4 * @nv columns from @index, of which @count are
 * valid and which are apart in b, added to out[nb][LOOM_TILE].
 */
static __always_inline void matmul_apart(const struct matmul *m, u32 count, const u32 nb,
					 const u32 nv, const bool half, float *out)
{
	const struct loom_memory *memory = m->memory;
	struct loom_row ak = loom_row_along(m->a, memory, matmul_base(m, m->a), 3, m->k);
	struct loom_row bk = loom_row_along(m->b, memory, matmul_base(m, m->b), 2, m->k);
	u32 left = m->k_end - m->k, run, k, i, j;
	struct loom_vec acc[8];
	s64 ao[4], bo[32];

#pragma GCC unroll 4
	for (i = 0; i < nb; i++) {
		ao[i] = loom_view_step(m->a, memory, 2, m->index[2] + i);
#pragma GCC unroll 8
		for (j = 0; j < nv; j++)
			acc[i * nv + j] = loom_vec_load(out + LOOM_TILE * i + 4 * j);
	}
	for (i = 0; i < 4 * nv; i++)
		bo[i] = loom_view_step(m->b, memory, 3, m->index[3] + min(i, count - 1));

	for (; left; left -= run) {
		const u8 *a = ak.at, *b = bk.at;

		run = loom_row_run(&ak, loom_row_run(&bk, left));
		for (k = 0; k < run; k++) {
			struct loom_vec bv[8];
			float lanes[32];

#pragma GCC unroll 32
			for (j = 0; j < 4 * nv; j++)
				lanes[j] = matmul_get(b + bo[j], half);
#pragma GCC unroll 8
			for (j = 0; j < nv; j++)
				bv[j] = loom_vec_load(lanes + 4 * j);
#pragma GCC unroll 4
			for (i = 0; i < nb; i++) {
				struct loom_vec av = loom_vec_splat(matmul_get(a + ao[i], half));

#pragma GCC unroll 8
				for (j = 0; j < nv; j++)
					acc[i * nv + j].v += av.v * bv[j].v;
			}
			a += ak.stride;
			b += bk.stride;
		}
		loom_row_skip(&ak, run);
		loom_row_skip(&bk, run);
	}
#pragma GCC unroll 4
	for (i = 0; i < nb; i++) {
#pragma GCC unroll 8
		for (j = 0; j < nv; j++)
			loom_vec_store(out + LOOM_TILE * i + 4 * j, acc[i * nv + j]);
	}
}

static __always_inline void matmul_apart_any(const struct matmul *m, u32 count, const u32 nb,
					     const u32 nv, float *out)
{
	if (m->half)
		matmul_apart(m, count, nb, nv, true, out);
	else
		matmul_apart(m, count, nb, nv, false, out);
}

/* One function for each size of block, so that their sums stay in registers. */
#define MATMUL_SIDE(v, nb, nv)								\
	static noinline void matmul_##v##_##nb##_##nv(const struct matmul *m, float *out)	\
	{										\
		matmul_any_##v(m, nb, nv, out);						\
	}
#define MATMUL_APART(nb, nv)								\
	static noinline void matmul_apart_##nb##_##nv(const struct matmul *m, u32 count,	\
						      float *out)			\
	{										\
		matmul_apart_any(m, count, nb, nv, out);				\
	}

MATMUL_SIDE(4, 4, 1)
MATMUL_SIDE(4, 4, 2)
MATMUL_SIDE(4, 1, 1)
MATMUL_SIDE(4, 1, 2)
MATMUL_SIDE(4, 1, 4)
#if LOOM_VEC_MOST == 4
MATMUL_SIDE(4, 1, 8)
#elif LOOM_VEC_MOST == 8
MATMUL_SIDE(8, 4, 2)
MATMUL_SIDE(8, 1, 4)
MATMUL_SIDE(8, 1, 8)
#elif LOOM_VEC_MOST == 16
MATMUL_SIDE(16, 4, 1)
MATMUL_SIDE(16, 4, 2)
MATMUL_SIDE(16, 4, 4)
MATMUL_SIDE(16, 1, 2)
MATMUL_SIDE(16, 1, 4)
#endif
MATMUL_APART(4, 2)
MATMUL_APART(4, 1)
MATMUL_APART(1, 8)
MATMUL_APART(1, 4)
MATMUL_APART(1, 2)
MATMUL_APART(1, 1)

/**
 * struct matmul_size - a block of results
 * @width: columns of it
 * @side: adds terms where they lie side by side in b
 * @apart: where they do not; NULL: there is none of this width
 */
struct matmul_size {
	u32 width;
	void (*side)(const struct matmul *m, float *out);
	void (*apart)(const struct matmul *m, u32 count, float *out);
};

/* Of four rows, and of one: the widest first. */
static const struct matmul_size matmul_fours[] = {
#if LOOM_VEC_MOST == 16
	{ 64, matmul_16_4_4, NULL }, { 32, matmul_16_4_2, NULL }, { 16, matmul_16_4_1, NULL },
#elif LOOM_VEC_MOST == 8
	{ 16, matmul_8_4_2, NULL },
#endif
	{ 8, matmul_4_4_2, matmul_apart_4_2 }, { 4, matmul_4_4_1, matmul_apart_4_1 },
};

static const struct matmul_size matmul_ones[] = {
#if LOOM_VEC_MOST == 16
	{ 64, matmul_16_1_4, NULL }, { 32, matmul_16_1_2, matmul_apart_1_8 },
#elif LOOM_VEC_MOST == 8
	{ 64, matmul_8_1_8, NULL }, { 32, matmul_8_1_4, matmul_apart_1_8 },
#else
	{ 32, matmul_4_1_8, matmul_apart_1_8 },
#endif
	{ 16, matmul_4_1_4, matmul_apart_1_4 }, { 8, matmul_4_1_2, matmul_apart_1_2 },
	{ 4, matmul_4_1_1, matmul_apart_1_1 },
};

/* alpha, bias, activation, and out: @n results of row @row from column @column. */
static noinline void matmul_emit_f32(const struct matmul *m, u32 row, u32 column, u32 n, float *v)
{
	const struct drm_loom_attr_matmul *attr = m->attr;
	float alpha = loom_f32_of_bits(attr->alpha);
	float beta = loom_f32_of_bits(attr->beta);
	struct loom_row to = matmul_row(m, m->y, row, column);
	union loom_buf buf;
	u32 i;

	if (alpha != 1.0f) {
		for (i = 0; i < n; i++)
			v[i] *= alpha;
	}
	if (m->bias) {
		struct loom_row from = matmul_row(m, m->bias, row, column);
		const float *bias = loom_row_f32(&from, DRM_LOOM_DTYPE_F32, n, &buf);

		for (i = 0; i < n; i++)
			v[i] += beta * bias[i];
	}
	loom_tile_act_f32(v, n, attr->act, attr->act_p0, attr->act_p1);
	loom_row_put_f32(&to, m->y->dtype, n, v);
}

/* Whether neighbours on N are side by side in b. */
static bool matmul_dense(const struct matmul *m)
{
	return m->b->strides[3] == m->b->elem_bytes &&
	       (m->b->lane_axis != 3 || m->memory->lanes == 1);
}

/* Adds terms @k to @k_end of a tile of @count columns of @nb rows (1 or 4) to the sums. */
static void matmul_add_f32(struct matmul *m, u32 nb, u32 count)
{
	const struct matmul_size *sizes = nb == 4 ? matmul_fours : matmul_ones, *size;
	const bool contiguous = matmul_dense(m);
	u32 column = m->index[3], done, left, room;
	float *out = m->part->sums.f32;

	for (done = 0; done < count; done += size->width) {
		left = count - done;
		m->index[3] = column + done;
		room = m->b->dims[3] - m->index[3];
		/*
		 * The narrowest that has room for the rest, or else the widest. The last vector may
		 * read beyond @left columns, but not beyond the row of b.
		 */
		for (size = sizes; size->width > 4 && (size[1].width >= left ||
						       (contiguous && size->width > room)); size++)
			;
		if (contiguous && size->width <= room) {
			size->side(m, out + done);
			continue;
		}
		while (!size->apart)
			size++;
		size->apart(m, min(left, size->width), out + done);
	}
	m->index[3] = column;
}

/* A call adds to the sums of a tile, or begins them, as far as it can. Return: they are complete */
static bool matmul_terms(struct matmul *m, u32 term_cost)
{
	struct loom_part *part = m->part;
	u32 k = m->a->dims[3];
	u64 paid;

	paid = part->left > 0 ? div64_u64(part->left, term_cost) : 0;
	m->k = part->at;
	m->k_end = min((u64)k, part->at + max(paid, 1ULL));
	part->at = m->k_end;
	loom_part_charge(part, (u64)(m->k_end - m->k) * term_cost);
	return m->k_end == k;
}

/* The sums to begin with of @nb rows of @count columns. */
static noinline void matmul_begin_f32(const struct matmul *m, u32 nb, u32 count)
{
	float *sums = m->part->sums.f32;
	union loom_buf buf;
	struct loom_row row;
	u32 i;

	memset(sums, 0, nb * LOOM_TILE * sizeof(sums[0]));
	for (i = 0; m->start && i < nb; i++) {
		row = matmul_row(m, m->start, m->index[2] + i, m->index[3]);
		memcpy(sums + LOOM_TILE * i, loom_row_f32(&row, DRM_LOOM_DTYPE_F32, count, &buf),
		       count * sizeof(sums[0]));
	}
}

/* A tile of @count columns of @nb rows from @index. */
static void matmul_tile_f32(struct matmul *m, u32 nb, u32 count)
{
	float *sums = m->part->sums.f32;
	bool complete;
	u32 cost, i;

	if (!m->part->begun) {
		loom_part_charge(m->part, LOOM_UNIT_COST + nb * (LOOM_ROW_COST + count));
		loom_part_begin(m->part);
		m->part->units = nb;
		matmul_begin_f32(m, nb, count);
	}
	cost = m->half + (matmul_dense(m) ? 1 : 2);
	complete = matmul_terms(m, nb * ((count + 3) & ~3U) * cost);
	matmul_add_f32(m, nb, count);
	if (!complete)
		return;
	m->part->begun = false;
	for (i = 0; i < nb; i++)
		matmul_emit_f32(m, m->index[2] + i, m->index[3], count, sums + LOOM_TILE * i);
}

/* One row of b at a time, for types without a fast path. */
static noinline void matmul_tile_f64(struct matmul *m, u32 n, bool complete)
{
	const struct drm_loom_attr_matmul *attr = m->attr;
	const struct loom_memory *memory = m->memory;
	struct loom_row bk = loom_row_along(m->b, memory, matmul_base(m, m->b), 2, m->k);
	double alpha = loom_f32_of_bits(attr->alpha);
	double beta = loom_f32_of_bits(attr->beta);
	double *acc = m->part->sums.f64;
	struct loom_row a, row;
	union loom_buf buf;
	const double *b;
	double av;
	u32 k, i;

	a = loom_row_along(m->a, memory, matmul_base(m, m->a) +
			   loom_view_step(m->a, memory, 2, m->index[2]), 3, m->k);
	for (k = m->k; k < m->k_end; k++) {
		row = loom_row_along(m->b, memory, bk.at, 3, m->index[3]);
		memcpy(&av, a.at, sizeof(av));
		b = loom_row_f64(&row, DRM_LOOM_DTYPE_F64, n, &buf);
		for (i = 0; i < n; i++)
			acc[i] += av * b[i];
		loom_row_next(&a);
		loom_row_next(&bk);
	}
	if (!complete)
		return;
	for (i = 0; i < n; i++)
		acc[i] *= alpha;
	if (m->bias) {
		row = matmul_row(m, m->bias, m->index[2], m->index[3]);
		b = loom_row_f64(&row, DRM_LOOM_DTYPE_F32, n, &buf);
		for (i = 0; i < n; i++)
			acc[i] += beta * b[i];
	}
	loom_tile_act_f64(acc, n, attr->act, attr->act_p0, attr->act_p1);
	row = matmul_row(m, m->y, m->index[2], m->index[3]);
	loom_row_put_f64(&row, n, acc);
}

static noinline void matmul_emit_int(const struct matmul *m, u32 n, s32 *acc)
{
	struct loom_row row;
	union loom_buf buf;
	const s32 *bias;
	const float *scale;
	u8 to[LOOM_TILE];
	u32 i;

	if (m->bias) {
		row = matmul_row(m, m->bias, m->index[2], m->index[3]);
		bias = loom_row_raw(&row, 4, n, &buf);
		for (i = 0; i < n; i++)
			acc[i] = (s32)((u32)acc[i] + (u32)bias[i]);
	}
	if (m->scale) {
		row = matmul_row(m, m->scale, m->index[2], m->index[3]);
		scale = loom_row_f32(&row, DRM_LOOM_DTYPE_F32, n, &buf);
		for (i = 0; i < n; i++)
			to[i] = loom_requantise(acc[i], scale[i], m->attr->y_zero, m->y->dtype);
		row = matmul_row(m, m->y, m->index[2], m->index[3]);
		loom_row_write(&row, 1, n, to);
	} else {
		row = matmul_row(m, m->y, m->index[2], m->index[3]);
		loom_row_write(&row, 4, n, acc);
	}
}

static noinline void matmul_tile_int(struct matmul *m, u32 n, bool complete)
{
	const struct loom_memory *memory = m->memory;
	struct loom_row bk = loom_row_along(m->b, memory, matmul_base(m, m->b), 2, m->k);
	bool a_signed = m->a->dtype == DRM_LOOM_DTYPE_I8;
	bool b_signed = m->b->dtype == DRM_LOOM_DTYPE_I8;
	s16 b_zero = m->attr->b_zero, av, bv[LOOM_TILE];
	s32 *acc = m->part->sums.s32;
	u8 buf[LOOM_TILE];
	struct loom_row a, row;
	const u8 *b;
	u32 k, i;

	a = loom_row_along(m->a, memory, matmul_base(m, m->a) +
			   loom_view_step(m->a, memory, 2, m->index[2]), 3, m->k);
	for (k = m->k; k < m->k_end; k++) {
		row = loom_row_along(m->b, memory, bk.at, 3, m->index[3]);
		av = (a_signed ? (s8)*a.at : *a.at) - m->attr->a_zero;
		b = loom_row_raw(&row, 1, n, buf);
		if (b_signed) {
			for (i = 0; i < n; i++)
				bv[i] = (s8)b[i] - b_zero;
		} else {
			for (i = 0; i < n; i++)
				bv[i] = b[i] - b_zero;
		}
		for (i = 0; i < n; i++)
			acc[i] = (s32)((u32)acc[i] + (u32)((s32)av * bv[i]));
		loom_row_next(&a);
		loom_row_next(&bk);
	}
	if (!complete)
		return;
	matmul_emit_int(m, n, acc);
}

/* The sums to begin with of a tile of @n columns of one row. */
static noinline void matmul_begin(const struct matmul *m, u32 n)
{
	u32 bytes = m->a->dtype == DRM_LOOM_DTYPE_F64 ? sizeof(double) : sizeof(s32);
	union loom_buf buf;
	struct loom_row row;

	memset(&m->part->sums, 0, LOOM_TILE * sizeof(m->part->sums.f64[0]));
	if (!m->start)
		return;
	row = matmul_row(m, m->start, m->index[2], m->index[3]);
	memcpy(&m->part->sums, loom_row_raw(&row, bytes, n, &buf), n * bytes);
}

/* A tile of @n columns of one row, of a type without a fast path. */
static void matmul_tile(struct matmul *m, u32 n)
{
	bool complete;

	if (!m->part->begun) {
		loom_part_charge(m->part, LOOM_UNIT_COST + 2 * n);
		loom_part_begin(m->part);
		m->part->units = 1;
		matmul_begin(m, n);
	}
	complete = matmul_terms(m, LOOM_ROW_COST + 2 * n);
	if (m->y->dtype == DRM_LOOM_DTYPE_F64)
		matmul_tile_f64(m, n, complete);
	else
		matmul_tile_int(m, n, complete);
	m->part->begun = !complete;
}

/* Finds unit @unit of F32. Return: units from there on that four rows can do together. */
static u32 matmul_seek_f32(struct matmul *m, u64 unit)
{
	u32 tiles = loom_tile_per_row(m->y->dims[3]), rows = m->y->dims[2];
	u64 batch = div64_u64_rem(unit, (u64)rows * tiles, &unit);
	u64 fours = (u64)(rows & ~3U) * tiles, row;

	m->index[1] = batch % m->y->dims[1];
	m->index[0] = batch / m->y->dims[1];
	if (unit >= fours) {
		unit -= fours;
		m->index[2] = (rows & ~3U) + unit / tiles;
		m->index[3] = unit % tiles * LOOM_TILE;
		return 1;
	}
	row = unit / (4ULL * tiles);
	unit %= 4ULL * tiles;
	m->index[2] = 4 * row + unit % 4;
	m->index[3] = unit / 4 * LOOM_TILE;
	return unit % 4 ? 1 : 4;
}

static void matmul_seek(struct matmul *m, u64 unit)
{
	u32 tiles = loom_tile_per_row(m->y->dims[3]);
	u64 row = unit / tiles;

	m->index[3] = unit % tiles * LOOM_TILE;
	m->index[2] = row % m->y->dims[2];
	m->index[1] = row / m->y->dims[2] % m->y->dims[1];
	m->index[0] = row / m->y->dims[2] / m->y->dims[1];
}

/* Operands behind b begin at @next; there are sums to begin with, or @start is NULL. */
static u64 matmul_run(const struct loom_command *command, const struct loom_memory *memory,
		      u64 first, u64 count, struct loom_part *part, const struct loom_view *start,
		      const struct loom_view *next)
{
	const struct drm_loom_attr_matmul *attr = command->attr;
	const struct loom_view *y = &command->views[0];
	struct matmul m = {
		.memory = memory,
		.attr = attr,
		.y = y,
		.a = &command->views[1],
		.b = &command->views[2],
		.bias = attr->flags & DRM_LOOM_ATTR_BIAS ? next++ : NULL,
		.scale = attr->flags & DRM_LOOM_ATTR_SCALE ? next : NULL,
		.start = start,
		.half = command->views[1].dtype == DRM_LOOM_DTYPE_F16,
		.part = part,
	};
	bool fast = m.half || y->dtype == DRM_LOOM_DTYPE_F32;
	u64 done = 0;
	u32 nb, n;

	do {
		nb = 1;
		if (fast)
			nb = matmul_seek_f32(&m, first + done);
		else
			matmul_seek(&m, first + done);
		if (part->begun)
			nb = part->units;
		else if (nb > count - done)
			nb = 1;
		n = min(y->dims[3] - m.index[3], (u32)LOOM_TILE);
		if (fast)
			matmul_tile_f32(&m, nb, n);
		else
			matmul_tile(&m, n);
		if (part->begun)
			break;
		done += nb;
	} while (done < count && loom_part_ready(part));
	return done;
}

u64 loom_fp_matmul_run(const struct loom_command *command, const struct loom_memory *memory,
		       u64 first, u64 count, struct loom_part *part)
{
	return matmul_run(command, memory, first, count, part, NULL, &command->views[3]);
}

u64 loom_fp_matmul_add_run(const struct loom_command *command, const struct loom_memory *memory,
			   u64 first, u64 count, struct loom_part *part)
{
	return matmul_run(command, memory, first, count, part, &command->views[3],
			  &command->views[4]);
}
