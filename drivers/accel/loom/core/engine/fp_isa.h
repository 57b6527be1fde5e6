/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_FP_ISA_H
#define LOOM_FP_ISA_H

/* Floats in the widest vector */
#if defined(__AVX512F__)
#define LOOM_VEC_MOST	16
#elif defined(__AVX2__)
#define LOOM_VEC_MOST	8
#else
#define LOOM_VEC_MOST	4
#endif

#define LOOM_PASTE_(name, suffix)	name##_##suffix
#define LOOM_PASTE(name, suffix)	LOOM_PASTE_(name, suffix)

/*
 * The files fp_*.c are compiled once for each set of instructions, LOOM_ISA, with their functions
 * under other names. It is undefined for what every machine of its kind has.
 */
#ifdef LOOM_ISA
#define LOOM_FP(name)			LOOM_PASTE(name, LOOM_ISA)

#define loom_axis_raw			LOOM_FP(loom_axis_raw)
#define loom_canonical_f32		LOOM_FP(loom_canonical_f32)
#define loom_cast_integer		LOOM_FP(loom_cast_integer)
#define loom_conv_begin			LOOM_FP(loom_conv_begin)
#define loom_conv_box_begin		LOOM_FP(loom_conv_box_begin)
#define loom_conv_box_hold		LOOM_FP(loom_conv_box_hold)
#define loom_conv_box_inside		LOOM_FP(loom_conv_box_inside)
#define loom_conv_box_suits		LOOM_FP(loom_conv_box_suits)
#define loom_conv_finish		LOOM_FP(loom_conv_finish)
#define loom_conv_flatten		LOOM_FP(loom_conv_flatten)
#define loom_conv_packed_look		LOOM_FP(loom_conv_packed_look)
#define loom_conv_packed_run		LOOM_FP(loom_conv_packed_run)
#define loom_conv_packed_suits		LOOM_FP(loom_conv_packed_suits)
#define loom_conv_run_plain		LOOM_FP(loom_conv_run_plain)
#define loom_conv_turned_run		LOOM_FP(loom_conv_turned_run)
#define loom_conv_wide_run		LOOM_FP(loom_conv_wide_run)
#define loom_erf			LOOM_FP(loom_erf)
#define loom_exp			LOOM_FP(loom_exp)
#define loom_expm1			LOOM_FP(loom_expm1)
#define loom_fmod			LOOM_FP(loom_fmod)
#define loom_fp_binary_run		LOOM_FP(loom_fp_binary_run)
#define loom_fp_cast_run		LOOM_FP(loom_fp_cast_run)
#define loom_fp_conv_run		LOOM_FP(loom_fp_conv_run)
#define loom_fp_copy_run		LOOM_FP(loom_fp_copy_run)
#define loom_fp_deconv_run		LOOM_FP(loom_fp_deconv_run)
#define loom_fp_dequantize_run		LOOM_FP(loom_fp_dequantize_run)
#define loom_fp_fill_run		LOOM_FP(loom_fp_fill_run)
#define loom_fp_gather_run		LOOM_FP(loom_fp_gather_run)
#define loom_fp_matmul_add_run		LOOM_FP(loom_fp_matmul_add_run)
#define loom_fp_matmul_run		LOOM_FP(loom_fp_matmul_run)
#define loom_fp_pool_run		LOOM_FP(loom_fp_pool_run)
#define loom_fp_quantize_run		LOOM_FP(loom_fp_quantize_run)
#define loom_fp_reduce_run		LOOM_FP(loom_fp_reduce_run)
#define loom_fp_resize_run		LOOM_FP(loom_fp_resize_run)
#define loom_fp_select_run		LOOM_FP(loom_fp_select_run)
#define loom_fp_softmax_run		LOOM_FP(loom_fp_softmax_run)
#define loom_fp_table			LOOM_FP(loom_fp_table)
#define loom_fp_topk_run		LOOM_FP(loom_fp_topk_run)
#define loom_fp_unary_run		LOOM_FP(loom_fp_unary_run)
#define loom_half_of_f32		LOOM_FP(loom_half_of_f32)
#define loom_half_of_f64		LOOM_FP(loom_half_of_f64)
#define loom_half_to_f32		LOOM_FP(loom_half_to_f32)
#define loom_log			LOOM_FP(loom_log)
#define loom_log1p			LOOM_FP(loom_log1p)
#define loom_nest_begin			LOOM_FP(loom_nest_begin)
#define loom_nest_widen			LOOM_FP(loom_nest_widen)
#define loom_nest_next			LOOM_FP(loom_nest_next)
#define loom_pow			LOOM_FP(loom_pow)
#define loom_row_along			LOOM_FP(loom_row_along)
#define loom_row_f32			LOOM_FP(loom_row_f32)
#define loom_row_f64			LOOM_FP(loom_row_f64)
#define loom_row_put_f32		LOOM_FP(loom_row_put_f32)
#define loom_row_put_f64		LOOM_FP(loom_row_put_f64)
#define loom_row_put_u64		LOOM_FP(loom_row_put_u64)
#define loom_row_raw			LOOM_FP(loom_row_raw)
#define loom_row_u64			LOOM_FP(loom_row_u64)
#define loom_row_write			LOOM_FP(loom_row_write)
#define loom_run_bases			LOOM_FP(loom_run_bases)
#define loom_tanh			LOOM_FP(loom_tanh)
#define loom_tile_act_f32		LOOM_FP(loom_tile_act_f32)
#define loom_tile_act_f64		LOOM_FP(loom_tile_act_f64)
#define loom_tile_unary_f32		LOOM_FP(loom_tile_unary_f32)
#define loom_tile_unary_f64		LOOM_FP(loom_tile_unary_f64)
#define loom_view_row			LOOM_FP(loom_view_row)
#endif

#endif /* LOOM_FP_ISA_H */
