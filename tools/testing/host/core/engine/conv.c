// SPDX-License-Identifier: MIT
/*
 * CONV and DECONV against sums computed from their definition, over random geometries, layouts and
 * types.
 */
#include "case.h"

struct geometry {
	u32 n, c, o, groups;
	u32 x[3], k[3], y[3];
	struct drm_loom_attr_conv attr;
	struct ec_act act;
};

static void random_geometry(struct geometry *g, bool forward)
{
	bool pointwise = ec_chance(20), depthwise = ec_chance(20);
	u32 i;

	memset(g, 0, sizeof(*g));
	g->n = ec_range(1, 2);
	g->groups = depthwise ? ec_range(1, 20) : ec_chance(25) ? ec_range(2, 3) : 1;
	g->c = g->groups * (depthwise ? 1 : ec_range(1, 9));
	g->o = g->groups * (depthwise ? ec_range(1, 2) : ec_range(1, 11));
	g->attr.groups = g->groups;
	for (i = 0; i < 3; i++) {
		u32 most = i == 2 ? 80 : i == 1 ? 12 : ec_chance(70) ? 1 : 3;

		if (i == 2 && ec_chance(50))
			most = 12;
		g->x[i] = ec_range(1, most);
		g->k[i] = pointwise ? 1 : ec_range(1, i ? 4 : ec_chance(70) ? 1 : 2);
		g->attr.stride[i] = ec_chance(60) ? 1 : ec_range(1, 3);
		g->attr.dilation[i] = ec_chance(70) ? 1 : ec_range(1, 3);
		g->attr.pad[i] = ec_chance(40) ? 0 : ec_range(0, 3);
		if (pointwise && ec_chance(70)) {
			g->attr.stride[i] = 1;
			g->attr.pad[i] = 0;
		}
		/* sizes that only slices of a convolution have are allowed, too */
		if (forward)
			g->y[i] = (g->x[i] - 1) / g->attr.stride[i] + ec_range(1, 3);
		else
			g->y[i] = (g->x[i] - 1) * g->attr.stride[i] + ec_range(1, 4);
		if (pointwise && ec_chance(70))
			g->y[i] = g->x[i];
		if (!forward && ec_chance(20))
			g->attr.pad[i] = -g->attr.pad[i];
	}
	/* kernels too wide for the stage that taps share */
	if (ec_chance(5) && !pointwise)
		g->k[2] = ec_range(17, 20);
	if (ec_chance(5))
		g->attr.stride[2] = ec_range(30, 70);
	if (ec_chance(5))
		g->attr.dilation[2] = ec_range(20, 300);
	g->act = ec_act_random();
}

static void make_operands(struct ec *ec, struct geometry *g, bool forward, u32 y_dtype, u32 x_dtype,
			  u32 w_dtype)
{
	const u32 y[5] = { g->n, g->o, g->y[0], g->y[1], g->y[2] };
	const u32 x[5] = { g->n, g->c, g->x[0], g->x[1], g->x[2] };
	const u32 w[5] = { forward ? g->o : g->c, (forward ? g->c : g->o) / g->groups,
			   g->k[0], g->k[1], g->k[2] };

	ec_view(ec, 0, DRM_LOOM_REGION_SRAM, y_dtype, 5, y, EC_WRITE);
	ec_view(ec, 1, DRM_LOOM_REGION_SRAM, x_dtype, 5, x, EC_READ);
	ec_view(ec, 2, DRM_LOOM_REGION_SRAM, w_dtype, 5, w, EC_READ);
	ec_fill(ec, 0, NULL);
	ec_fill(ec, 1, NULL);
	ec_fill(ec, 2, NULL);
}

/* Walks the terms of an output: moves to the next channel and tap that is inside of x. */
static bool next_term(const struct geometry *g, bool forward, const u32 *y, u32 *tap, u32 *x,
		      u32 *w, bool *more)
{
	const u32 dims[4] = { g->c / g->groups, g->k[0], g->k[1], g->k[2] };
	u32 group = y[1] / (g->o / g->groups), i;
	bool meets = true;

	x[0] = y[0];
	x[1] = group * (g->c / g->groups) + tap[0];
	w[0] = forward ? y[1] : x[1];
	w[1] = forward ? tap[0] : y[1] % (g->o / g->groups);
	for (i = 0; i < 3; i++) {
		s64 at;

		w[2 + i] = tap[1 + i];
		if (forward) {
			at = (s64)y[2 + i] * g->attr.stride[i] +
			     (s64)tap[1 + i] * g->attr.dilation[i] - g->attr.pad[i];
		} else {
			at = (s64)y[2 + i] + g->attr.pad[i] -
			     (s64)tap[1 + i] * g->attr.dilation[i];
			if (at % g->attr.stride[i])
				meets = false;
			at /= g->attr.stride[i];
			if (at == 0 && (s64)y[2 + i] + g->attr.pad[i] <
				       (s64)tap[1 + i] * g->attr.dilation[i])
				meets = false;
		}
		if (at < 0 || at >= g->x[i])
			meets = false;
		x[2 + i] = at;
	}
	*more = ec_next(dims, 4, tap);
	return meets;
}

static void check_float(struct ec *ec, bool forward, u32 dtype)
{
	struct geometry g;
	u32 y[5] = {}, operands = 3, o;
	bool more;

	random_geometry(&g, forward);
	make_operands(ec, &g, forward, dtype, dtype, dtype);
	g.attr.act = g.act.act;
	g.attr.act_p0 = ec_bits(g.act.p0);
	g.attr.act_p1 = ec_bits(g.act.p1);
	if (ec_chance(50)) {
		g.attr.flags = DRM_LOOM_ATTR_BIAS;
		ec_view(ec, 3, DRM_LOOM_REGION_SRAM, DRM_LOOM_DTYPE_F32, 1, &g.o, EC_READ);
		ec_fill(ec, 3, NULL);
		operands++;
	}
	if (!ec_run(ec, forward ? DRM_LOOM_OP_CONV : DRM_LOOM_OP_DECONV, &g.attr, operands))
		return;
	do {
		long double sum = 0, magnitude = 0, term;
		u32 tap[4] = {}, x[5], w[5];
		u64 terms = 0;

		do {
			if (!next_term(&g, forward, y, tap, x, w, &more))
				continue;
			term = ec_get(ec, &ec->views[1], x) * ec_get(ec, &ec->views[2], w);
			sum += term;
			magnitude += fabsl(term);
			terms++;
		} while (more);
		o = y[1];
		if (operands > 3)
			sum += ec_get(ec, &ec->views[3], &o);
		ec_expect_sum(ec, y, &g.act, sum, magnitude, terms);
	} while (ec_next(ec->views[0].dims, 5, y) && !ec->failed);
}

/* Blocks of sixteen channels and what is left of them, groups of one channel, one column. */
static void block_geometry(struct geometry *g)
{
	bool pointwise = ec_chance(30), depthwise = ec_chance(25);
	u32 i;

	memset(g, 0, sizeof(*g));
	g->n = ec_range(1, 2);
	g->groups = depthwise ? ec_range(1, 50) : ec_range(1, 2);
	g->c = g->groups * (depthwise ? 1 : ec_range(2, 40));
	g->o = g->groups * (depthwise ? ec_chance(80) ? 1 : 2 : ec_range(4, 37));
	g->attr.groups = g->groups;
	for (i = 0; i < 3; i++) {
		g->k[i] = pointwise || !i ? 1 : ec_range(1, 5);
		g->attr.stride[i] = !i || ec_chance(60) ? 1 : ec_range(1, 3);
		g->attr.dilation[i] = ec_chance(75) ? 1 : ec_range(2, 3);
		g->attr.pad[i] = !i || ec_chance(40) ? 0 : ec_range(0, 5);
		g->x[i] = !i ? ec_range(1, 2) : ec_range(1, ec_chance(20) ? 70 : 12);
		g->y[i] = !i ? g->x[i] : (g->x[i] - 1) / g->attr.stride[i] + ec_range(1, 3);
		if (i == 2 && ec_chance(20))
			g->y[i] = 1;
	}
}

/* The greatest products: of these a pair or four would not fit a half of a word. */
static void make_extreme(struct ec *ec, u32 operand)
{
	const struct loom_view *view = &ec->views[operand];
	bool is_signed = view->dtype == DRM_LOOM_DTYPE_I8;
	u32 index[5] = {}, odds = ec_chance(50) ? 0 : 10;

	do {
		bool least = operand == 2 && !odds ? index[0] % 2 : ec_chance(odds);

		ec_put(ec, view, index, (least ? 0 : 255) - (is_signed ? 128 : 0));
	} while (ec_next(view->dims, 5, index));
}

static void check_integer(struct ec *ec, bool scaled, bool blocks)
{
	u32 x_dtype = ec_chance(50) ? DRM_LOOM_DTYPE_I8 : DRM_LOOM_DTYPE_U8;
	u32 w_dtype = ec_chance(50) ? DRM_LOOM_DTYPE_I8 : DRM_LOOM_DTYPE_U8;
	u32 y_dtype = !scaled	    ? DRM_LOOM_DTYPE_I32 :
		      ec_chance(50) ? DRM_LOOM_DTYPE_I8 :
				      DRM_LOOM_DTYPE_U8;
	u32 y[5] = {}, operands = 3, o, scale = 0;
	struct geometry g;
	bool more;

	if (blocks)
		block_geometry(&g);
	else
		random_geometry(&g, true);
	make_operands(ec, &g, true, y_dtype, x_dtype, w_dtype);
	if (blocks && ec_chance(30)) {
		make_extreme(ec, 1);
		make_extreme(ec, 2);
	}
	g.attr.x_zero = (s32)ec_range(0, 255) - (x_dtype == DRM_LOOM_DTYPE_I8 ? 128 : 0);
	g.attr.w_zero = (s32)ec_range(0, 255) - (w_dtype == DRM_LOOM_DTYPE_I8 ? 128 : 0);
	if (blocks && ec_chance(80))
		g.attr.w_zero = w_dtype == DRM_LOOM_DTYPE_I8 ? 0 : 128;
	if (blocks && ec_chance(20))
		g.attr.x_zero = ec_chance(50) ? 0 : x_dtype == DRM_LOOM_DTYPE_I8 ? 127 : 255;
	if (ec_chance(50)) {
		g.attr.flags |= DRM_LOOM_ATTR_BIAS;
		ec_view(ec, operands, DRM_LOOM_REGION_SRAM, DRM_LOOM_DTYPE_I32, 1, &g.o, EC_READ);
		ec_fill(ec, operands++, NULL);
	}
	if (scaled) {
		g.attr.flags |= DRM_LOOM_ATTR_SCALE;
		g.attr.y_zero = y_dtype == DRM_LOOM_DTYPE_I8 ? (s32)ec_range(0, 40) - 20 :
							   (s32)ec_range(0, 255);
		scale = operands;
		ec_view(ec, operands, DRM_LOOM_REGION_SRAM, DRM_LOOM_DTYPE_F32, 1, &g.o, EC_READ);
		for (o = 0; o < g.o; o++)
			ec_put(ec, &ec->views[operands], &o, ec_real(0.0, 0.01));
		operands++;
	}
	if (!ec_run(ec, DRM_LOOM_OP_CONV, &g.attr, operands))
		return;
	do {
		u32 tap[4] = {}, x[5], w[5];
		s64 sum = 0;
		double want;

		o = y[1];
		if (g.attr.flags & DRM_LOOM_ATTR_BIAS)
			sum = (s64)ec_get(ec, &ec->views[3], &o);
		do {
			if (next_term(&g, true, y, tap, x, w, &more))
				sum += ((s64)ec_get(ec, &ec->views[1], x) - g.attr.x_zero) *
				       ((s64)ec_get(ec, &ec->views[2], w) - g.attr.w_zero);
		} while (more);
		want = (s32)sum;
		if (scaled)
			want = ec_requantise((s32)sum, (float)ec_get(ec, &ec->views[scale], &o),
					     g.attr.y_zero, y_dtype);
		ec_expect(ec, y, want, 0);
	} while (ec_next(ec->views[0].dims, 5, y) && !ec->failed);
}

/* An infinite weight makes NaN wherever its input is zero, also in the padding. */
static void check_infinite_weights(struct ec *ec)
{
	struct geometry g;
	u32 index[5] = {};

	do {
		random_geometry(&g, true);
	} while (g.k[2] < 2);
	make_operands(ec, &g, true, DRM_LOOM_DTYPE_F32, DRM_LOOM_DTYPE_F32, DRM_LOOM_DTYPE_F32);
	do {
		if (ec_chance(20))
			ec_put(ec, &ec->views[2], index, INFINITY);
	} while (ec_next(ec->views[2].dims, 5, index));
	/* ec_run() checks that all divisions of the work give the same bits */
	ec_run(ec, DRM_LOOM_OP_CONV, &g.attr, 3);
}

/* Strips: rows of 1 to 16 outputs, and many of them, of a few channels or one each. */
static void strip_geometry(struct geometry *g)
{
	bool depthwise = ec_chance(30);
	u32 i;

	memset(g, 0, sizeof(*g));
	g->n = 1;
	g->groups = depthwise ? ec_range(1, 6) : 1;
	g->c = g->groups * (depthwise ? 1 : ec_range(1, 14));
	g->o = g->groups * (depthwise ? 1 : ec_range(1, 9));
	g->attr.groups = g->groups;
	for (i = 0; i < 3; i++) {
		g->k[i] = i ? ec_range(1, 4) : 1;
		g->attr.stride[i] = ec_chance(70) ? 1 : 2;
		g->attr.dilation[i] = ec_chance(80) ? 1 : 2;
		g->attr.pad[i] = i ? ec_range(0, 2) : 0;
		g->y[i] = !i ? 1 : i == 1 ? ec_range(3, 90) : ec_chance(50) ? 1 : ec_range(2, 16);
		/* as many as all windows see, or less */
		g->x[i] = (g->y[i] - 1) * g->attr.stride[i] +
			  (g->k[i] - 1) * g->attr.dilation[i] + 1;
		if (i && g->x[i] > g->attr.pad[i] + ec_range(0, 3))
			g->x[i] -= g->attr.pad[i];
	}
	g->act = ec_act_random();
}

/* The same with all that a block of several rows has to look at: depth, and taps far apart. */
static void deep_strip_geometry(struct geometry *g)
{
	u32 i;

	memset(g, 0, sizeof(*g));
	g->n = ec_range(1, 2);
	g->groups = ec_range(1, 2);
	g->c = g->groups * ec_range(1, 20);
	g->o = g->groups * ec_range(1, 9);
	g->attr.groups = g->groups;
	for (i = 0; i < 3; i++) {
		s64 size;

		g->k[i] = ec_range(1, i ? 5 : 3);
		g->attr.stride[i] = ec_chance(80) ? 1 : ec_range(2, 3);
		g->attr.dilation[i] = ec_chance(65) ? 1 : ec_range(2, 4);
		g->attr.pad[i] = ec_chance(50) ? 0 : ec_range(1, 6);
		g->y[i] = ec_range(1, !i ? 3 : i == 1 ? 40 : 17);
		/* more or less than all windows see, or little */
		size = (s64)(g->y[i] - 1) * g->attr.stride[i] +
		       (s64)(g->k[i] - 1) * g->attr.dilation[i] + ec_range(0, 6) - 2 -
		       g->attr.pad[i];
		if (ec_chance(20))
			size = ec_range(1, 8);
		g->x[i] = size < 1 ? 1 : size;
	}
}

/* Base of other geometries: one item, one group, all taps side by side. */
static void plain_geometry(struct geometry *g)
{
	u32 i;

	memset(g, 0, sizeof(*g));
	g->n = 1;
	g->groups = 1;
	g->attr.groups = 1;
	for (i = 0; i < 3; i++) {
		g->attr.stride[i] = 1;
		g->attr.dilation[i] = 1;
	}
}

/* Kernels of more rows than the engine notes the places of. */
static void tall_geometry(struct geometry *g)
{
	u32 i;

	plain_geometry(g);
	g->c = ec_range(1, 3);
	g->o = ec_range(1, 9);
	g->k[0] = ec_range(1, 3);
	g->k[1] = ec_range(30, 40);
	g->k[2] = ec_range(1, 3);
	for (i = 0; i < 3; i++) {
		g->attr.dilation[i] = ec_chance(80) ? 1 : 2;
		g->attr.pad[i] = ec_range(0, i);
		g->y[i] = ec_range(1, !i ? 2 : i == 1 ? 3 : 40);
		g->x[i] = g->y[i] + (g->k[i] - 1) * g->attr.dilation[i];
	}
	g->act = ec_act_random();
}

/*
 * Columns: one output in a row, of so many channels that they are gathered. Taps that are far apart
 * are not copied side by side before.
 */
static void column_geometry(struct geometry *g)
{
	u32 i;

	plain_geometry(g);
	g->c = ec_range(10, 20);
	g->o = ec_range(4, 9);
	for (i = 0; i < 3; i++) {
		g->k[i] = i == 1 ? ec_range(2, 4) : i ? 2 : 1;
		g->attr.dilation[i] = i == 2 && ec_chance(60) ? ec_range(65, 70) : 1;
		g->attr.pad[i] = i == 1 ? ec_range(0, 2) : 0;
		g->y[i] = i == 1 ? ec_range(10, 90) : 1;
		g->x[i] = g->y[i] + (g->k[i] - 1) * g->attr.dilation[i] - g->attr.pad[i];
	}
	g->act = ec_act_random();
}

/* Taps on D and H only, all of which meet x: its rows may be one. */
static void flat_geometry(struct geometry *g)
{
	u32 i;

	plain_geometry(g);
	g->c = ec_range(1, 9);
	g->o = ec_range(1, 9);
	for (i = 0; i < 3; i++) {
		g->k[i] = i == 2 ? 1 : ec_range(1, i ? 4 : 2);
		g->attr.dilation[i] = ec_chance(70) ? 1 : 2;
		g->y[i] = ec_range(1, i ? 20 : 2);
		g->x[i] = g->y[i] + (g->k[i] - 1) * g->attr.dilation[i] + (i == 1 && ec_chance(20));
	}
	g->act = ec_act_random();
}

/* So much of x that the engine has rows of it side by side a few at a time. */
static void broad_geometry(struct geometry *g)
{
	u32 i;

	plain_geometry(g);
	g->c = ec_range(110, 130);
	g->o = ec_range(1, 5);
	for (i = 0; i < 3; i++) {
		g->k[i] = i ? ec_range(2, 3) : 1;
		g->y[i] = i ? ec_range(24, 30) : 1;
		g->x[i] = g->y[i] + g->k[i] - 1;
	}
	g->act = ec_act_random();
}

/* All divisions of the work give the same bits: those of the sum by channel, then by tap. */
static void check_strip(struct ec *ec, void (*make)(struct geometry *g))
{
	struct geometry g;
	u32 y[5] = {};
	bool more;

	make(&g);
	make_operands(ec, &g, true, DRM_LOOM_DTYPE_F32, DRM_LOOM_DTYPE_F32, DRM_LOOM_DTYPE_F32);
	if (!ec_run(ec, DRM_LOOM_OP_CONV, &g.attr, 3))
		return;
	do {
		u32 tap[4] = {}, x[5], w[5];
		float sum = 0.0f;

		do {
			if (next_term(&g, true, y, tap, x, w, &more))
				sum += (float)ec_get(ec, &ec->views[1], x) *
				       (float)ec_get(ec, &ec->views[2], w);
		} while (more);
		ec_expect(ec, y, sum, 0);
	} while (ec_next(ec->views[0].dims, 5, y) && !ec->failed);
}

int main(void)
{
	static const struct {
		const char *name;
		u32 dtype;
		u32 cases;
	} types[] = {
		{ "f32", DRM_LOOM_DTYPE_F32, 240 },
		{ "f16", DRM_LOOM_DTYPE_F16, 60 },
		{ "f64", DRM_LOOM_DTYPE_F64, 60 },
	};
	struct ec ec = {};
	u32 t;

	for (t = 0; t < ARRAY_SIZE(types); t++) {
		EC_TRY(1000 * t, types[t].cases, check_float(&ec, true, types[t].dtype),
		       "conv %s", types[t].name);
		EC_TRY(1000 * t + 500, types[t].cases / 2,
		       check_float(&ec, false, types[t].dtype), "deconv %s", types[t].name);
	}
	for (t = 0; t < 2; t++)
		EC_TRY(5000 + 1000 * t, 60, check_integer(&ec, t, false), "conv of bytes%s",
		       t ? ", quantised" : "");
	EC_TRY(8000, 60, check_infinite_weights(&ec),
	       "conv with infinite weights does not depend on cuts");
	for (t = 0; t < 2; t++)
		EC_TRY(9000 + 1000 * t, 160,
		       check_strip(&ec, t ? deep_strip_geometry : strip_geometry),
		       "conv of %sstrips has the bits of its sums", t ? "deep " : "");
	ec_same_bits(0x88fa41006d465e9e);
	/* rows of bytes come together in many ways */
	EC_TRY(20000, 300, check_integer(&ec, i % 2, false), "more of bytes");
	EC_TRY(40000, 60, check_strip(&ec, i % 2 ? flat_geometry : tall_geometry),
	       "kernels of many rows, and of flat rows");
	EC_TRY(50000, 20, check_strip(&ec, column_geometry), "columns of many channels");
	/* these take longer */
	EC_TRY(51000, 5, check_strip(&ec, broad_geometry),
	       "more of x than lies side by side at once");
	EC_TRY(30000, 300, check_integer(&ec, i % 3, true), "conv of bytes in blocks of channels");
	ec_end(&ec);
	return tap_end();
}
