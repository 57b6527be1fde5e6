/* SPDX-License-Identifier: MIT */
/* Windows that slide over data: shared by Conv, ConvTranspose and the pools. */
#ifndef LOOM_ONNX_WINDOW_H
#define LOOM_ONNX_WINDOW_H

#include "import.h"

/* limit on windows, strides and borders, far above real models; keeps products in 64 bits */
#define LOOM_WINDOW_MAX	((int64_t)1 << 24)

/** enum loom_auto_pad - ONNX attribute auto_pad, same names */
enum loom_auto_pad {
	LOOM_AUTO_PAD_NOTSET,
	LOOM_AUTO_PAD_SAME_UPPER,
	LOOM_AUTO_PAD_SAME_LOWER,
	LOOM_AUTO_PAD_VALID,
};

/**
 * struct loom_onnx_window - window attributes of Conv and the pools
 * @num_spatial: 1 to 3
 * @in: size of the input
 * @out: size of the output, set by loom_window_shape()
 * @kernel: size of the window
 * @strides: per axis
 * @dilations: per axis
 * @pads_begin: per axis
 * @pads_end: per axis
 * @ceil_mode: round the number of windows up
 * @is_pool: it may be larger than the data
 */
struct loom_onnx_window {
	uint32_t num_spatial;
	int64_t in[LOOM_GRAPH_SPATIAL];
	int64_t out[LOOM_GRAPH_SPATIAL];
	int64_t kernel[LOOM_GRAPH_SPATIAL];
	int64_t strides[LOOM_GRAPH_SPATIAL];
	int64_t dilations[LOOM_GRAPH_SPATIAL];
	int64_t pads_begin[LOOM_GRAPH_SPATIAL];
	int64_t pads_end[LOOM_GRAPH_SPATIAL];
	bool ceil_mode;
	bool is_pool;
};

/** loom_window_auto_pad() - reads auto_pad */
enum loom_auto_pad loom_window_auto_pad(struct loom_import *im);

/**
 * loom_window_ints() - reads an attribute of @count integers
 * @im: the node
 * @name: of the attribute
 * @count: number of @ints
 * @missing: default of each of them
 * @least: smaller ones are an error, and so are those above LOOM_WINDOW_MAX
 * @ints: [out] the integers
 */
void loom_window_ints(struct loom_import *im, const char *name, uint32_t count, int64_t missing,
		      int64_t least, int64_t *ints);

/**
 * loom_window_attrs() - reads strides, dilations and pads, and checks kernel_shape
 * @im: the node
 * @x: [N, C, spatial...]
 * @window: [in] @num_spatial and @kernel [out] @in, @strides and @dilations
 * @pads: [out] begins, then ends
 */
void loom_window_attrs(struct loom_import *im, const struct loom_value *x,
		       struct loom_onnx_window *window, int64_t *pads);

/** loom_window_split_pads() - divides @total over both ends by @mode, SAME_* only */
void loom_window_split_pads(enum loom_auto_pad mode, int64_t total, int64_t *begin, int64_t *end);

/**
 * loom_window_shape() - loom_window_attrs() and auto_pad, and from them @window->out
 * @im: the node
 * @x: [N, C, spatial...]
 * @window: [in] @num_spatial, @kernel, @ceil_mode and @is_pool [out] the rest
 */
void loom_window_shape(struct loom_import *im, const struct loom_value *x,
		       struct loom_onnx_window *window);

/** loom_window_extent() - how far a window reaches along @axis, dilation included */
int64_t loom_window_extent(const struct loom_onnx_window *window, uint32_t axis);

#endif /* LOOM_ONNX_WINDOW_H */
