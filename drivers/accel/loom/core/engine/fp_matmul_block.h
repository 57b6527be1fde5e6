/* SPDX-License-Identifier: GPL-2.0 OR MIT */

/*
 * Blocks of results of one or four rows, in vectors of MATMUL_V floats that lie side by side in b:
 * fp_matmul.c includes this once for each width of vector, so there is no guard.
 */

#define VEC	struct LOOM_PASTE(matmul_vec, MATMUL_V)
#define V(name)	LOOM_PASTE(matmul_##name, MATMUL_V)

VEC {
	float v __attribute__((vector_size(4 * MATMUL_V)));
};

static __always_inline VEC V(splat)(float f)
{
	float lanes[MATMUL_V];
	VEC r;
	u32 i;

#pragma GCC unroll 16
	for (i = 0; i < MATMUL_V; i++)
		lanes[i] = f;
	memcpy(&r, lanes, sizeof(r));
	return r;
}

static __always_inline VEC V(load)(const u8 *from, const bool half)
{
	float lanes[MATMUL_V];
	VEC r;

	if (half) {
		loom_halves_widen(lanes, from, MATMUL_V);
		memcpy(&r, lanes, sizeof(r));
	} else {
		memcpy(&r, from, sizeof(r));
	}
	return r;
}

/* Terms @m->k to @m->k_end of @nb rows by MATMUL_V * @nv columns, added to out[nb][LOOM_TILE]. */
static __always_inline void V(side)(const struct matmul *m, const u32 nb, const u32 nv,
				    const bool half, float *out)
{
	const struct loom_memory *memory = m->memory;
	struct loom_row ak = loom_row_along(m->a, memory, matmul_base(m, m->a), 3, m->k);
	struct loom_row bk = loom_row_along(m->b, memory, matmul_base(m, m->b), 2, m->k);
	u32 left = m->k_end - m->k, run, k, i, j;
	VEC acc[16];
	s64 ao[4];

#pragma GCC unroll 4
	for (i = 0; i < nb; i++) {
		ao[i] = loom_view_step(m->a, memory, 2, m->index[2] + i);
#pragma GCC unroll 8
		for (j = 0; j < nv; j++)
			memcpy(&acc[i * nv + j], out + LOOM_TILE * i + MATMUL_V * j, sizeof(VEC));
	}
	bk.at += loom_view_step(m->b, memory, 3, m->index[3]);
	for (; left; left -= run) {
		const u8 *a = ak.at, *b = bk.at;

		run = loom_row_run(&ak, loom_row_run(&bk, left));
		for (k = 0; k < run; k++) {
			VEC bv[8];

#pragma GCC unroll 8
			for (j = 0; j < nv; j++)
				bv[j] = V(load)(b + (half ? 2 : 4) * MATMUL_V * j, half);
#pragma GCC unroll 4
			for (i = 0; i < nb; i++) {
				VEC av = V(splat)(matmul_get(a + ao[i], half));

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
			memcpy(out + LOOM_TILE * i + MATMUL_V * j, &acc[i * nv + j], sizeof(VEC));
	}
}

static __always_inline void V(any)(const struct matmul *m, const u32 nb, const u32 nv, float *out)
{
	if (m->half)
		V(side)(m, nb, nv, true, out);
	else
		V(side)(m, nb, nv, false, out);
}

#undef V
#undef VEC
