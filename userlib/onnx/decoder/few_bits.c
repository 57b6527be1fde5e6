// SPDX-License-Identifier: MIT
/* Importers of weights in a few bits, which are constants. */
#include "onnx/import.h"
#include "base/array.h"
#include "loom_core.h"

#include <errno.h>
#include <string.h>

/* Weights stay in 4 bits in products of at most block / PACKED_ROWS rows. */
#define PACKED_ROWS	8

static int64_t row_bytes(int64_t columns, int64_t bits)
{
	return columns / (8 / bits) + (columns % (8 / bits) != 0);
}

static bool bytes_fit(struct loom_import *im, const struct loom_value *x, int64_t bits,
		      uint32_t rank, const int64_t *dims)
{
	const int64_t columns = rank ? dims[rank - 1] : 0;
	int64_t count;

	if (x->dtype == DRM_LOOM_DTYPE_U8 && columns >= 1 && !loom_dims_count(rank, dims, &count) &&
	    x->num_elems == count / columns * row_bytes(columns, bits))
		return true;
	loom_import_fail(im, -EINVAL, "%lld elements of type %s do not fit the shape",
			 (long long)x->num_elems, loom_dtype_name(x->dtype));
	return false;
}

/* Integer @column of @bits bits out of the bytes of a row, the lowest first. */
static inline uint8_t in_row(const uint8_t *row, int64_t bits, int64_t column)
{
	return (row[column * bits / 8] >> (column * bits % 8)) & ((1 << bits) - 1);
}

static struct loom_value *unpack(struct loom_import *im, const struct loom_value *x, int64_t bits,
				 uint32_t rank, const int64_t *dims)
{
	const uint8_t *bytes = x->data;
	struct loom_value *y = NULL;
	int64_t at, columns;

	if (bytes_fit(im, x, bits, rank, dims))
		y = loom_emit_const(im->em, DRM_LOOM_DTYPE_U8, rank, dims);
	if (!y)
		return NULL;
	columns = dims[rank - 1];
	for (at = 0; at < y->num_elems; at++)
		loom_value_set_int(y, at, in_row(bytes + at / columns * row_bytes(columns, bits),
						 bits, at % columns));
	return y;
}

static bool bits_fit(struct loom_import *im, int64_t bits)
{
	if (bits == 2 || bits == 4 || bits == 8)
		return true;
	loom_import_fail(im, -EOPNOTSUPP, "%lld bits are not supported", (long long)bits);
	return false;
}

/* The least integer of 4 bits of a constant; bytes that hold two are unsigned. */
static int64_t lowest(const struct loom_value *x)
{
	return x->bits && loom_dtype_is_signed(x->dtype) ? -8 : 0;
}

/**
 * struct nibbles - integers of 4 bits, [N, K] or its transpose, less lowest()
 * @data: of a constant that has fewer bits in the model a byte for each; else two in a byte
 * @whole: they are a byte each
 * @low: lowest()
 * @row: elements or, of two in a byte, bytes of a row; with @turned those of a column
 * @turned: the transpose
 */
struct nibbles {
	const uint8_t *data;
	bool whole;
	int64_t low;
	int64_t row;
	bool turned;
};

static inline uint8_t nibble(const struct nibbles *of, int64_t row, int64_t column)
{
	if (of->turned) {
		int64_t other = row;

		row = column;
		column = other;
	}
	if (of->whole)
		return (uint8_t)((int8_t)of->data[row * of->row + column] - of->low) & 15;
	return in_row(of->data + row * of->row, 4, column);
}

/* columns of which all rows are packed before others: they are far apart where they come from */
#define TILE	64

/*
 * Of integers of 4 bits, [N, blocks * @block] = @dims, or the transpose of that with @turned: bytes
 * [blocks, @block / 2, N] or, with @rows, [N, blocks, @block / 2], with the first half of a block
 * in the low bits. The device computes what depends on them.
 */
static struct loom_value *pack(struct loom_import *im, const struct loom_value *x,
			       const int64_t *dims, bool turned, int64_t block, bool rows)
{
	const int64_t columns = dims[0], inner = dims[1], half = block / 2;
	const int64_t step = rows ? 1 : columns, next = rows ? inner / 2 : 1;
	const int64_t width = turned ? columns : inner;
	const struct nibbles of = {
		x->data, x->bits, lowest(x), x->bits ? width : row_bytes(width, 4), turned,
	};
	struct loom_value *y = NULL;
	int64_t tile, column, k, at;
	uint8_t *bytes;

	if (x->bits || bytes_fit(im, x, 4, 2, dims))
		y = loom_emit_const(im->em, DRM_LOOM_DTYPE_U8, 3, rows ?
				    (int64_t[]){ columns, inner / block, half } :
				    (int64_t[]){ inner / block, half, columns });
	if (!y)
		return NULL;
	bytes = y->data;
	for (tile = 0; tile < columns; tile += TILE) {
		for (k = 0; k < inner / 2; k++) {
			at = k / half * block + k % half;
			for (column = tile; column < columns && column < tile + TILE; column++)
				bytes[k * step + column * next] =
					(uint8_t)(nibble(&of, column, at) |
						  nibble(&of, column, at + half) << 4);
		}
	}
	y->held = true;
	return y;
}

/* Of x[blocks, N]: [blocks, 1, N], whose type the device changes to @dtype */
static struct loom_value *by_block(struct loom_import *im, struct loom_value *x, uint32_t dtype)
{
	x = x ? loom_emit_reshape(im->em, x, 3, (int64_t[]){ x->dims[0], 1, x->dims[1] }) : NULL;
	if (!x)
		return NULL;
	x->held = x->data;
	return loom_emit_cast(im->em, x, dtype);
}

/* @a, [rows, K], as [blocks, rows, block], with zeroes behind K */
static struct loom_value *in_blocks(struct loom_import *im, struct loom_value *a, int64_t blocks,
				    int64_t block)
{
	const int64_t inner = a->dims[a->rank - 1], rows = a->num_elems / inner;
	const struct loom_gpad pad = { .end = { 0, blocks * block - inner } };
	static const uint32_t turn[] = { 1, 0, 2 };

	a = loom_emit_reshape(im->em, a, 2, (int64_t[]){ rows, inner });
	if (a && pad.end[1])
		a = loom_emit_pad(im->em, a, &pad);
	a = loom_emit_reshape(im->em, a, 3, (int64_t[]){ rows, blocks, block });
	return a ? loom_emit_transpose(im->em, a, turn) : NULL;
}

/* Both numbers of each byte of U8, the lower ones first along @axis. */
static struct loom_value *take_apart(struct loom_import *im, struct loom_value *x, uint32_t axis)
{
	struct loom_value *sixteen = loom_emit_scalar(im->em, DRM_LOOM_DTYPE_U8, 16);
	struct loom_value *halves[2];

	halves[0] = loom_emit_binary(im->em, LOOM_GBIN_MOD, x, sixteen);
	halves[1] = loom_emit_binary(im->em, LOOM_GBIN_DIV, x, sixteen);
	return loom_emit_concat(im->em, 2, halves, axis);
}

/* A copy of a constant: it is loaded once for all of its readers. */
static struct loom_value *loaded(struct loom_import *im, struct loom_value *x)
{
	return loom_emit_end(im->em, loom_emit_begin(im->em, LOOM_GOP_CAST, x->dtype, x->rank,
						     x->dims, 1, &x));
}

/* (x - @zero) * @scale by block, in @dtype. @middle: where @zero is NULL. */
static struct loom_value *in_scale(struct loom_import *im, struct loom_value *x,
				   struct loom_value *scale, struct loom_value *zero,
				   int64_t middle, uint32_t dtype)
{
	bool bytes = dtype == DRM_LOOM_DTYPE_F32 && (!zero || zero->dtype == x->dtype);
	uint32_t as = bytes ? DRM_LOOM_DTYPE_U8 : dtype;

	zero = zero ? by_block(im, zero, as) : loom_emit_scalar(im->em, as, (double)middle);
	scale = by_block(im, scale, dtype);
	if (bytes)
		return loom_import_steps_by(im, x, scale, zero);
	x = loom_emit_binary(im->em, LOOM_GBIN_SUB, loom_emit_cast(im->em, x, dtype), zero);
	return loom_emit_binary(im->em, LOOM_GBIN_MUL, x, scale);
}

/*
 * @a times (x - @zero) * @scale, whose integers of 4 bits stay so in memory, packed by pack(): the
 * device takes bytes apart, multiplies block by block, and adds the products. @middle: where @zero
 * is NULL.
 */
static struct loom_value *packed_product(struct loom_import *im, struct loom_value *a,
					 struct loom_value *x, struct loom_value *scale,
					 struct loom_value *zero, int64_t middle)
{
	int64_t result[LOOM_GRAPH_RANK], blocks, block;

	if (!x)
		return NULL;
	blocks = x->dims[0];
	block = 2 * x->dims[1];
	memcpy(result, a->dims, sizeof(result));
	result[a->rank - 1] = x->dims[2];
	x = take_apart(im, loaded(im, x), 1);
	if (!x)
		return NULL;
	x = in_scale(im, x, scale, zero, middle, a->dtype);
	x = loom_import_scaled_product(im, in_blocks(im, a, blocks, block), x, false, 1);
	x = loom_emit_reduce(im->em, LOOM_GREDUCE_SUM, x, 1 << 0, false);
	return loom_emit_reshape(im->em, x, a->rank, result);
}

/* Whether the sums of blocks are less work than it is to move the weights. */
static bool has_few_rows(const struct loom_value *a, int64_t inner, int64_t block)
{
	return block % 2 == 0 && a->rank > 1 && a->dims[a->rank - 1] == inner &&
	       a->num_elems / inner <= block / PACKED_ROWS;
}

/* @a times @b, a constant that stays in 4 bits; NULL if it does not. */
static struct loom_value *few_rows(struct loom_import *im, struct loom_value *a,
				   const struct loom_value *b)
{
	const struct loom_blocks *from = b->blocks;
	struct loom_value *zero = NULL;
	int64_t low, middle = 0, at;
	bool differ = false;

	if (!from || !b->num_elems || a->data || from->x->bits != 4 || b->rank != 2 || from->axis ||
	    b->dims[0] % from->block || !has_few_rows(a, b->dims[0], from->block))
		return NULL;
	low = lowest(from->x);
	if (from->zero) {
		middle = loom_value_int(from->zero, 0);
		zero = loom_emit_const(im->em, DRM_LOOM_DTYPE_U8, 2, from->zero->dims);
		for (at = 0; zero && at < zero->num_elems; at++) {
			differ |= loom_value_int(from->zero, at) != middle;
			loom_value_set_int(zero, at, loom_value_int(from->zero, at) - low);
		}
	}
	return packed_product(im, a, pack(im, from->x, (int64_t[]){ b->dims[1], b->dims[0] }, true,
					  from->block, false), from->scale, differ ? zero : NULL,
			      middle - low);
}

void loom_import_matmul(struct loom_import *im, int unused)
{
	struct loom_value *a = loom_import_operand(im, 0), *b = loom_import_packed(im, 1), *y;

	(void)unused;
	if (!b)
		b = loom_import_operand(im, 1);
	if (!a || !b)
		return;
	if (a->dtype != b->dtype || !loom_dtype_is_float(a->dtype))
		loom_import_fail(im, -EOPNOTSUPP, "operands of types %s and %s are not supported",
				 loom_dtype_name(a->dtype), loom_dtype_name(b->dtype));
	y = few_rows(im, a, b);
	if (!y)
		y = loom_import_numpy_matmul(im, a, loom_import_operand(im, 1));
	loom_import_result(im, 0, y);
}

/**
 * struct weights - the constants of a node MatMulNBits
 * @x: two integers or more in a byte
 * @scale: by column and block
 * @zero: the same, NULL for the middle
 * @dims: columns, and rows in whole blocks
 * @block: elements of a block
 * @bits: of an integer
 */
struct weights {
	struct loom_value *x;
	struct loom_value *scale;
	struct loom_value *zero;
	int64_t dims[2];
	int64_t block;
	int64_t bits;
};

/* Columns of a product in whole rows of lanes: another one may follow them. */
#define WHOLE_ROW	128
/* Maximum number of products that are computed at once. */
#define MOST_PRODUCTS	8
/* Maximum number of columns for each row of weights: wider ones need slices in little SRAM. */
#define MOST_COLUMNS	2
/* Distance of nodes in the file whose products may be computed at once. */
#define NEAR_NODES	64

/* Reads the constants of the node. Returns false after an error. */
static bool read_weights(struct loom_import *im, const struct loom_value *a, struct weights *w)
{
	const int64_t most = (int64_t)1 << 31;
	int64_t inner = loom_attr_int(im, "K", 0), columns = loom_attr_int(im, "N", 0);

	*w = (struct weights){
		.x = loom_import_known(im, 1),
		.scale = loom_import_known(im, 2),
		.block = loom_attr_int(im, "block_size", 0),
		.bits = loom_attr_int(im, "bits", 4),
	};
	if (loom_import_has(im, 3))
		w->zero = loom_import_known(im, 3);
	if (loom_import_has(im, 4))
		loom_import_fail(im, -EOPNOTSUPP, "g_idx is not supported");
	if (!a || !w->x || !w->scale || im->em->status || !bits_fit(im, w->bits))
		return false;
	if (w->block < 8 || w->block > most || inner < 1 || inner > most || columns < 1 ||
	    columns > most || a->dtype != w->scale->dtype || !loom_dtype_is_float(a->dtype)) {
		loom_import_fail(im, -EINVAL, "%lld times %lld in blocks of %lld, types %s and %s",
				 (long long)columns, (long long)inner, (long long)w->block,
				 loom_dtype_name(a->dtype), loom_dtype_name(w->scale->dtype));
		return false;
	}
	w->dims[0] = columns;
	w->dims[1] = (inner + w->block - 1) / w->block;
	w->scale = loom_emit_reshape(im->em, w->scale, 2, w->dims);
	if (w->zero && w->zero->dtype == DRM_LOOM_DTYPE_U8)
		w->zero = unpack(im, w->zero, w->bits, 2, w->dims);
	else if (w->zero)
		w->zero = loom_emit_reshape(im->em, w->zero, 2, w->dims);
	w->dims[1] *= w->block;
	return !im->em->status;
}

/*
 * The same of a node whose product with @a, of at most @most columns, can be computed together with
 * that of the node.
 */
static bool read_sibling(struct loom_import *im, struct loom_source_node *node,
			 const struct loom_value *a, int64_t most, const struct weights *like,
			 struct weights *w)
{
	static const char *const equal[] = { "K", "bits", "block_size" };
	struct loom_import other = *im;
	uint32_t i;
	bool good;

	other.node = node;
	if (node->product || node->branch || node->native ||
	    strcmp(node->desc.op_type, im->node->desc.op_type) || !loom_import_has(&other, 0) ||
	    strcmp(node->desc.inputs[0], im->node->desc.inputs[0]) ||
	    loom_import_has(&other, 3) != !!like->zero || loom_import_has(&other, 4) ||
	    loom_attr_int(&other, "N", 0) > most)
		return false;
	for (i = 1; i < 3 + !!like->zero; i++) {
		const struct loom_value *x = loom_import_packed(&other, i);

		if (!x || !x->data)
			return false;
	}
	for (i = 0; i < ARRAY_SIZE(equal); i++)
		if (loom_attr_int(&other, equal[i], 0) != loom_attr_int(im, equal[i], 0))
			return false;
	/* for errors */
	im->em->name = node->desc.name;
	good = read_weights(&other, a, w) &&
	       (!w->zero || w->zero->dtype == like->zero->dtype) &&
	       (w->x->bits || bytes_fit(im, w->x, w->bits, 2, w->dims));
	im->em->name = im->node->desc.name;
	return good;
}

/* Constants [blocks, N] of several weights [N, blocks], side by side. */
static struct loom_value *side_by_side(struct loom_import *im, struct loom_value **parts,
				       uint32_t count)
{
	return loom_emit_transpose(im->em, loom_emit_concat(im->em, count, parts, 0),
				   (uint32_t[]){ 1, 0 });
}

/* Without a bias the product is the result of its node, whose name no other value gets. */
static void name_product(struct loom_import *im, struct loom_source_node *node)
{
	struct loom_import other = *im;

	other.node = node;
	if (!loom_import_has(&other, 5))
		loom_import_result(&other, 0, node->product);
}

/*
 * @a times weights of 4 bits, and times those of the nodes behind it in the file that read the same
 * operand: queries, keys and values are one product, which takes the commands of one.
 */
static struct loom_value *products(struct loom_import *im, struct loom_value *a,
				   const struct weights *first)
{
	const struct loom_source *source = im->graph->source;
	struct loom_value *x[MOST_PRODUCTS], *scale[MOST_PRODUCTS], *zero[MOST_PRODUCTS], *y;
	struct loom_source_node *nodes[MOST_PRODUCTS];
	int64_t starts[MOST_PRODUCTS + 1] = { 0 };
	struct weights w = *first;
	uint32_t count = 0, i, end;

	/* those before it may be fewer by now; nodes of bodies are not among these */
	i = min(im->node->index + 1, source->num_nodes);
	while (i && source->nodes[i - 1] != im->node)
		i--;
	i = i ? i - 1 : source->num_nodes;
	end = min(source->num_nodes, i + NEAR_NODES);
	while (i < end || !count) {
		nodes[count] = i < end ? source->nodes[i] : NULL;
		x[count] = pack(im, w.x, w.dims, false, w.block, false);
		scale[count] = w.scale;
		zero[count] = w.zero;
		starts[count + 1] = starts[count] + w.dims[0];
		count++;
		if (im->em->status || count == MOST_PRODUCTS || starts[count] % WHOLE_ROW)
			break;
		while (++i < end &&
		       !read_sibling(im, source->nodes[i], a,
				     MOST_COLUMNS * first->dims[1] - starts[count], first, &w))
			;
	}
	for (i = 0; i < count && count > 1 && !im->em->status; i++)
		x[i]->held = false;
	y = loom_emit_concat(im->em, count, x, 2);
	if (y)
		y->held = true;
	y = packed_product(im, a, y, side_by_side(im, scale, count),
			   first->zero ? side_by_side(im, zero, count) : NULL, 8);
	for (i = 1; y && i < count; i++) {
		nodes[i]->product = loom_import_part(im, y, y->rank - 1, starts[i], 1,
						     starts[i + 1] - starts[i]);
		name_product(im, nodes[i]);
	}
	return count > 1 && y ? loom_import_part(im, y, y->rank - 1, 0, 1, starts[1]) : y;
}

/* Operands: data, weights [N, blocks, bytes], scales, zero points, g_idx, bias. */
void loom_import_matmul_bits(struct loom_import *im, int unused)
{
	struct loom_value *a = loom_import_operand(im, 0), *y = im->node->product, *b;
	const int64_t inner = loom_attr_int(im, "K", 0);
	struct weights w;

	(void)unused;
	if (!y && !read_weights(im, a, &w))
		return;
	if (!y && w.bits == 4 && has_few_rows(a, inner, w.block)) {
		y = products(im, a, &w);
	} else if (!y) {
		b = unpack(im, w.x, w.bits, 2, w.dims);
		b = loom_import_part(im, b, 1, 0, 1, inner);
		b = loom_import_blocks_of(im, b, w.scale, w.zero, 1 << (w.bits - 1), 1, w.block);
		y = loom_import_scaled_product(im, a, b, true, 1);
	}
	if (loom_import_has(im, 5))
		y = loom_emit_binary(im->em, LOOM_GBIN_ADD, y, loom_import_operand(im, 5));
	loom_import_result(im, 0, y);
}

/*
 * Rows at @indices of (@x - @zero) * @scale, a table of 4-bit integers that stay so in memory: the
 * bytes of the rows are taken apart.
 */
static struct loom_value *packed_rows(struct loom_import *im, struct loom_value *x, int64_t width,
				      struct loom_value *indices, struct loom_value *scale,
				      struct loom_value *zero, int64_t block)
{
	const int64_t count = indices->num_elems, blocks = width / block, rows = x->dims[0];
	const int64_t low = lowest(x);
	int64_t by_blocks[] = { count, blocks, 1 }, dims[LOOM_GRAPH_RANK];
	struct loom_value *y;

	memcpy(dims, indices->dims, sizeof(dims));
	dims[indices->rank] = width;
	y = pack(im, x, (int64_t[]){ rows, width }, false, block, true);
	y = loom_emit_gather(im->em, y, loom_emit_reshape(im->em, indices, 3, (int64_t[]){
		count, 1, 1 }), 0);
	y = loom_emit_cast(im->em, take_apart(im, y, 2), scale->dtype);
	if (zero) {
		zero = loom_emit_cast(im->em, zero, scale->dtype);
		zero = loom_import_rows(im, zero, 0, indices);
		zero = loom_emit_reshape(im->em, zero, 3, by_blocks);
		zero = loom_emit_binary(im->em, LOOM_GBIN_SUB, zero,
					loom_emit_scalar(im->em, scale->dtype, low));
	} else {
		zero = loom_emit_scalar(im->em, scale->dtype, x->bits ? -low : 8);
	}
	scale = loom_import_rows(im, scale, 0, indices);
	scale = loom_emit_reshape(im->em, scale, 3, by_blocks);
	y = loom_emit_binary(im->em, LOOM_GBIN_SUB, y, zero);
	y = loom_emit_binary(im->em, LOOM_GBIN_MUL, y, scale);
	return loom_emit_reshape(im->em, y, indices->rank + 1, dims);
}

static bool has_rows_of_blocks(const struct loom_value *scale, const struct loom_value *zero,
			       const int64_t *dims, int64_t block)
{
	return block > 0 && block % 2 == 0 && dims[1] % block == 0 && scale->rank == 2 &&
	       scale->dims[0] == dims[0] && scale->dims[1] == dims[1] / block &&
	       loom_dtype_is_float(scale->dtype) && (!zero || loom_dims_equal(zero, scale));
}

/* Operands: data, indices, scales, zero points. Bytes hold several numbers along the last axis. */
void loom_import_gather_blocks(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_known(im, 0), *indices = loom_import_operand(im, 1);
	struct loom_value *scale = loom_import_known(im, 2), *zero = NULL;
	int64_t bits = loom_attr_int(im, "bits", 4), block = loom_attr_int(im, "block_size", 128);
	int64_t dims[LOOM_GRAPH_RANK], middle;
	uint32_t from, axis;
	bool packed;

	(void)unused;
	if (loom_import_has(im, 3))
		zero = loom_import_known(im, 3);
	if (!x || !indices || !scale || im->em->status || !bits_fit(im, bits))
		return;
	from = loom_import_axis(im, loom_attr_int(im, "gather_axis", 0), x->rank);
	axis = loom_import_axis(im, loom_attr_int(im, "quantize_axis", 1), x->rank);
	packed = !x->bits && x->dtype == DRM_LOOM_DTYPE_U8 && bits < 8;
	middle = !x->bits && x->dtype == DRM_LOOM_DTYPE_U8 ? 1 << (bits - 1) : 0;
	if (im->em->status)
		return;
	memcpy(dims, x->dims, sizeof(dims));
	if (packed) {
		if (axis != x->rank - 1 || x->dims[axis] > ((int64_t)1 << 40)) {
			loom_import_fail(im, -EINVAL, "bytes are not packed along the last axis");
			return;
		}
		dims[axis] *= 8 / bits;
		zero = zero ? unpack(im, zero, bits, scale->rank, scale->dims) : NULL;
	}
	if (!im->em->status && bits == 4 && (packed || x->bits == 4) && x->rank == 2 && !from &&
	    axis == 1 && has_rows_of_blocks(scale, zero, dims, block) && !indices->data &&
	    loom_import_is_index(indices->dtype) && indices->num_elems &&
	    indices->rank < LOOM_GRAPH_RANK - 1) {
		x = packed_rows(im, x, dims[1], indices, scale, zero, block);
	} else {
		x = packed ? unpack(im, x, bits, x->rank, dims) : x;
		x = loom_import_blocks_of(im, x, scale, zero, middle, axis, block);
		x = loom_import_rows(im, loom_import_filled(im, x), from, indices);
	}
	loom_import_result(im, 0, x);
}
