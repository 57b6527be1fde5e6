// SPDX-License-Identifier: MIT
/*
 * Operators that answer with places, or read or write at places, where these come with the data:
 * corners that the ONNX backend tests do not have. Expected results are written down.
 */
#include "form.h"

#define ROWS23		F32(2, { 2, 3 }, { 0 })
#define ROWS34		F32(2, { 3, 4 }, { 0 })
/* six rows of five, whose elements are their numbers, but for the first */
#define TABLE(x)	F32(2, { 6, 5 }, { x, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, \
					   17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30 })

static const struct form forms[] = {
	{ "a scalar picks a row", "Gather", 13, { }, 0, { TABLE(1), I64(0, { 0 }, { 4 }) }, 2, 1,
	  { F32(1, { 5 }, { 21, 22, 23, 24, 25 }) }, 1 },
	{ "the last row, of an axis that is counted from the end", "Gather", 13,
	  { INT("axis", -2) }, 1, { TABLE(1), I64(1, { 1 }, { 5 }) }, 2, 1,
	  { F32(2, { 1, 5 }, { 26, 27, 28, 29, 30 }) }, 1 },
	{ "several, some of them from the end", "Gather", 13, { }, 0, { TABLE(1), I32(2, { 2, 3 },
	  { 0, 4, 5, -1, -6, 4 }) }, 2, 1, { F32(3, { 2, 3, 5 }, { 1, 2, 3, 4, 5, 21, 22, 23, 24,
	  25, 26, 27, 28, 29, 30, 26, 27, 28, 29, 30, 1, 2, 3, 4, 5, 21, 22, 23, 24, 25 }) }, 1 },
	{ "columns", "Gather", 13, { INT("axis", 1) }, 1, { TABLE(1), I64(1, { 3 }, { 4, 0, -2 })
	  }, 2, 1, { F32(2, { 6, 3 }, { 5, 1, 4, 10, 6, 9, 15, 11, 14, 20, 16, 19, 25, 21, 24, 30,
	  26, 29 }) }, 1 },
	/* which a product would turn into NaN */
	{ "rows of a table with infinities", "Gather", 13, { }, 0,
	  { TABLE(INFINITY), I64(1, { 3 }, { 1, 0, -1 }) }, 2, 1,
	  { F32(2, { 3, 5 }, { 6, 7, 8, 9, 10, INFINITY, 2, 3, 4, 5, 26, 27, 28, 29, 30 }) }, 1 },
	{ "rows of one with NaN", "Gather", 13, { }, 0,
	  { TABLE(NAN), I64(1, { 3 }, { 5, -6, 2 }) }, 2, 1,
	  { F32(2, { 3, 5 }, { 26, 27, 28, 29, 30, NAN, 2, 3, 4, 5, 11, 12, 13, 14, 15 }) }, 1 },
	{ "the first of equals", "ArgMax", 13, { INT("axis", 1) }, 1,
	  { F32(2, { 2, 4 }, { 1, 7, 7, 2, -1, -9, -1, -3 }) }, 1, 0,
	  { I64(2, { 2, 1 }, { 1, 0 }) }, 1 },
	{ "the last of equals", "ArgMin", 13,
	  { INT("axis", -1), INT("select_last_index", 1), INT("keepdims", 0) }, 3,
	  { F32(2, { 2, 4 }, { 1, 7, 1, 2, -1, -9, -9, -3 }) }, 1, 0,
	  { I64(1, { 2 }, { 2, 2 }) }, 1 },
	{ "of bytes", "ArgMax", 13, { INT("axis", 0) }, 1,
	  { U8(2, { 3, 2 }, { 1, 200, 255, 3, 254, 201 }) }, 1, 0,
	  { I64(2, { 1, 2 }, { 1, 2 }) }, 1 },
	{ "all of a row, with infinities and equals", "TopK", 11, { INT("axis", -1) }, 1,
	  { F32(1, { 6 }, { 3, -INFINITY, 5, 5, -INFINITY, INFINITY }),
	    I64(1, { 1 }, { 6 }) }, 2, 2,
	  { F32(1, { 6 }, { INFINITY, 5, 5, 3, -INFINITY, -INFINITY }),
	    I64(1, { 6 }, { 5, 2, 3, 0, 1, 4 }) }, 2 },
	{ "the smallest, along the first axis", "TopK", 11,
	  { INT("axis", 0), INT("largest", 0) }, 2,
	  { F32(2, { 3, 2 }, { 3, 1, 2, 2, 1, 3 }), I64(1, { 1 }, { 2 }) }, 2, 2,
	  { F32(2, { 2, 2 }, { 1, 1, 2, 2 }), I64(2, { 2, 2 }, { 2, 0, 1, 1 }) }, 2 },
	{ "of integers, the smallest of which is an element", "TopK", 11, { INT("axis", 0) }, 1,
	  { I64(1, { 3 }, { 4, -9, 7 }), I64(1, { 1 }, { 3 }) }, 2, 2,
	  { I64(1, { 3 }, { 7, 4, -9 }), I64(1, { 3 }, { 2, 0, 1 }) }, 2 },
	{ "what is beyond 32 bits is no index", "OneHot", 11, { }, 0,
	  { I64(1, { 4 }, { 0x100000001, 1, -0xffffffffLL, -1 }), I64(1, { 1 }, { 2 }),
	    F32(1, { 2 }, { 0, 1 }) }, 3, 6,
	  { F32(2, { 4, 2 }, { 0, 0, 0, 1, 0, 0, 0, 1 }) }, 1 },
	{ "nor is it with no sign", "OneHot", 11, { }, 0,
	  { { DRM_LOOM_DTYPE_U32, 1, { 2 }, { 0xffffffff, 1 } }, I64(1, { 1 }, { 2 }),
	    F32(1, { 2 }, { 0, 1 }) }, 3, 6,
	  { F32(2, { 2, 2 }, { 0, 0, 0, 1 }) }, 1 },
	{ "what is beyond 32 bits gives 0", "GatherElements", 13, { INT("axis", 0) }, 1,
	  { F32(1, { 2 }, { 5, 7 }), I64(1, { 3 }, { 0x100000001, 1, -0xffffffffLL }) }, 2, 0,
	  { F32(1, { 3 }, { 0, 7, 0 }) }, 1 },
	{ "no other row where a part of an index is out of range", "GatherND", 12, { }, 0,
	  { F32(2, { 2, 2 }, { 1, 2, 3, 4 }),
	    I64(2, { 5, 2 }, { 0, 2, 1, -3, 2, 0, 1, 1, -1, -2 }) }, 2, 0,
	  { F32(1, { 5 }, { 0, 0, 0, 4, 3 }) }, 1 },
	{ "no row of another batch", "GatherND", 12, { INT("batch_dims", 1) }, 1,
	  { F32(2, { 2, 2 }, { 1, 2, 3, 4 }), I64(2, { 2, 1 }, { 2, -3 }) }, 2, 0,
	  { F32(1, { 2 }, { 0, 0 }) }, 1 },
	{ "nothing before the first row", "GatherND", 12, { }, 0,
	  { F32(1, { 2 }, { 1, 2 }), I64(2, { 2, 1 }, { -3, -2 }) }, 2, 0,
	  { F32(1, { 2 }, { 0, 1 }) }, 1 },
	{ "dropped where a part of an index is out of range", "ScatterND", 18, { }, 0,
	  { F32(2, { 2, 2 }, { 1, 2, 3, 4 }), I64(2, { 2, 2 }, { 0, 2, 1, 1 }),
	    F32(1, { 2 }, { 10, 20 }) }, 3, 0,
	  { F32(2, { 2, 2 }, { 1, 2, 3, 20 }) }, 1 },
	{ "the last of two that write to a row", "ScatterND", 18, { }, 0,
	  { F32(2, { 3, 2 }, { 1, 2, 3, 4, 5, 6 }), I64(2, { 3, 1 }, { 2, 0, -1 }),
	    F32(2, { 3, 2 }, { 10, 11, 12, 13, 14, 15 }) }, 3, 0,
	  { F32(2, { 3, 2 }, { 12, 13, 3, 4, 14, 15 }) }, 1 },
	{ "rows that are known", "ScatterND", 18, { }, 0,
	  { F32(2, { 3, 2 }, { 1, 2, 3, 4, 5, 6 }), I64(2, { 3, 1 }, { 2, 0, -1 }),
	    F32(2, { 3, 2 }, { 10, 11, 12, 13, 14, 15 }) }, 3, 2,
	  { F32(2, { 3, 2 }, { 12, 13, 3, 4, 14, 15 }) }, 1 },
	{ "sums where two write", "ScatterND", 18, { TEXT("reduction", "add") }, 1,
	  { F32(2, { 2, 2 }, { 1, 2, 3, 4 }), I64(2, { 2, 2 }, { 1, 0, 1, 0 }),
	    F32(1, { 2 }, { 10, 20 }) }, 3, 0,
	  { F32(2, { 2, 2 }, { 1, 2, 33, 4 }) }, 1 },
	{ "the larger where two write", "ScatterND", 18, { TEXT("reduction", "max") }, 1,
	  { F32(1, { 3 }, { 1, -5, 3 }), I64(2, { 2, 1 }, { 1, 1 }),
	    F32(1, { 2 }, { -7, -6 }) }, 3, 0,
	  { F32(1, { 3 }, { 1, -5, 3 }) }, 1 },
	{ "elements, of fewer columns than there are", "ScatterElements", 16, { INT("axis", 0) }, 1,
	  { F32(2, { 3, 3 }, { 0, 1, 2, 3, 4, 5, 6, 7, 8 }),
	    I64(2, { 2, 2 }, { 1, -1, 1, 0 }), F32(2, { 2, 2 }, { 10, 11, 12, 13 }) }, 3, 0,
	  { F32(2, { 3, 3 }, { 0, 13, 2, 12, 4, 5, 6, 11, 8 }) }, 1 },
	{ "NaN beside what is picked", "GatherElements", 13, { INT("axis", 1) }, 1,
	  { F32(2, { 2, 3 }, { NAN, 1, INFINITY, 3, 4, 5 }),
	    I64(2, { 2, 2 }, { 1, -1, 0, 2 }) }, 2, 0,
	  { F32(2, { 2, 2 }, { 1, INFINITY, 3, 5 }) }, 1 },
	{ "slices of each batch", "GatherND", 13, { INT("batch_dims", 1) }, 1,
	  { F32(3, { 2, 2, 2 }, { 0, 1, 2, 3, 4, 5, 6, 7 }), I64(2, { 2, 1 }, { 1, 0 }) },
	  2, 0, { F32(2, { 2, 2 }, { 2, 3, 4, 5 }) }, 1 },
	{ "a sum of all before, backwards", "CumSum", 14,
	  { INT("exclusive", 1), INT("reverse", 1) }, 2,
	  { F32(1, { 7 }, { 1, 2, 4, 8, 16, 32, 64 }), I64(1, { 1 }, { 0 }) }, 2, 2,
	  { F32(1, { 7 }, { 126, 124, 120, 112, 96, 64, 0 }) }, 1 },
	{ "a product of matrices with batches that broadcast", "Einsum", 12,
	  { TEXT("equation", "...ij,...jk->...ik") }, 1,
	  { F32(3, { 2, 1, 2 }, { 1, 2, 3, 4 }), F32(2, { 2, 2 }, { 1, 2, 3, 4 }) }, 2, 0,
	  { F32(3, { 2, 1, 2 }, { 7, 10, 15, 22 }) }, 1 },
	{ "an outer product, turned", "Einsum", 12, { TEXT("equation", "a, b -> ba") }, 1,
	  { F32(1, { 2 }, { 1, 2 }), F32(1, { 3 }, { 1, 10, 100 }) }, 2, 0,
	  { F32(2, { 3, 2 }, { 1, 2, 10, 20, 100, 200 }) }, 1 },
	{ "three operands, one summed up before", "Einsum", 12,
	  { TEXT("equation", "ij,jk,kl->il") }, 1,
	  { F32(2, { 1, 2 }, { 1, 2 }), F32(2, { 2, 2 }, { 1, 0, 0, 1 }),
	    F32(2, { 2, 2 }, { 1, 2, 3, 4 }) }, 3, 0,
	  { F32(2, { 1, 2 }, { 7, 10 }) }, 1 },
	{ "a trace", "Einsum", 12, { TEXT("equation", "ii->") }, 1,
	  { F32(2, { 3, 3 }, { 1, 2, 3, 4, 5, 6, 7, 8, 9 }) }, 1, 0,
	  { F32(0, { 0 }, { 15 }) }, 1 },
	{ "what is implied: the alphabet", "Einsum", 12, { TEXT("equation", "ba") }, 1,
	  { F32(2, { 2, 3 }, { 1, 2, 3, 4, 5, 6 }) }, 1, 0,
	  { F32(2, { 3, 2 }, { 1, 4, 2, 5, 3, 6 }) }, 1 },
	{ "the first steps of each sequence", "ReverseSequence", 10,
	  { INT("time_axis", 1), INT("batch_axis", 0) }, 2,
	  { F32(3, { 2, 3, 1 }, { 1, 2, 3, 4, 5, 6 }), I64(1, { 2 }, { 2, 3 }) }, 2, 2,
	  { F32(3, { 2, 3, 1 }, { 2, 1, 3, 6, 5, 4 }) }, 1 },
};

/* Refusals and empty results come before any loop over a dimension, which would take too long. */
static void huge(const char *op, int64_t rows, int64_t columns, int code)
{
	struct loom_graph *graph = model_create(14);
	struct loom_error err = { .text = "" };
	int ret;

	model_add_input(graph, "a", 2, (int64_t[]){ rows, columns });
	model_add_node(graph, op, "a", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	ret = loom_graph_finish(graph, NULL, &err);
	tap_ok(ret == code, "%s of %lld times %lld: %d %s", op, (long long)rows,
	       (long long)columns, ret, err.text);
	loom_graph_destroy(graph);
}

#define NO_EQUATION(equation)	\
	{ "does not fit", "Einsum", 12, { TEXT("equation", equation) }, 1, { ROWS23, ROWS34 }, 2, \
	  0, { }, 0 }

static const struct form refusals[] = {
	NO_EQUATION("ij"), NO_EQUATION("ij,jk,kl"), NO_EQUATION("ijk,jk"),
	  NO_EQUATION("ij,jk->il"),
	NO_EQUATION("ij;jk"), NO_EQUATION("ij,jk->i."), NO_EQUATION("ij,jk->ik->"),
	{ "an axis of 2 and one of 3", "Einsum", 12, { TEXT("equation", "ij,ik") }, 1,
	  { ROWS23, ROWS34 }, 2, 0, { }, 0 },
	{ "indices", "GatherElements", 12, { INT("axis", 1) }, 1, { ROWS23, ROWS34 }, 2, 0, { }, 0
	  },
	/* attributes whose sum does not fit in 64 bits */
	{ "do not fit together", "GatherND", 12, { INT("batch_dims", INT64_MAX) }, 1,
	  { F32(2, { 2, 2 }, { 0 }), I64(1, { 2 }, { 1, 1 }) }, 2, 2, { }, 0 },
	{ "do not fit together", "ReverseSequence", 12,
	  { INT("time_axis", INT64_MAX), INT("batch_axis", 1) }, 2,
	  { F32(2, { 2, 2 }, { 0 }), I64(1, { 2 }, { 1, 1 }) }, 2, 2, { }, 0 },
	/* bytes are no indices */
	{ "\"b\" has to be known", "Gather", 13, { }, 0, { TABLE(1), U8(1, { 3 }, { 0 }) }, 2, 1,
	  { }, 0 },
};

int main(void)
{
	try_forms(forms, ARRAY_SIZE(forms));
	try_forms(refusals, ARRAY_SIZE(refusals));
	huge("EyeLike", 1LL << 44, 0, 0);
	huge("Trilu", 60000, 60000, -EOPNOTSUPP);
	huge("Trilu", 60000, 0, 0);
	return tap_end();
}
