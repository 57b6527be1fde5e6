/* SPDX-License-Identifier: MIT */
/**
 * DOC: Arrays and pictures in files
 *
 * What goes into a network and comes out of it: NumPy's .npy, ONNX TensorProto
 * (.pb, in loom.h), bare bytes, and pictures (PNG, PGM, PPM).
 */
#ifndef LOOM_FILE_H
#define LOOM_FILE_H

#include "loom.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * loom_npy_load() - reads a .npy file: little endian, C order
 * @path: the file
 * @array: [out] release with loom_array_clear()
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0, -EINVAL for a file that is none or is cut off, -EOPNOTSUPP for another kind of
 * array, -EOVERFLOW, -ENOMEM, or what fopen() said.
 */
int loom_npy_load(const char *path, struct loom_array *array, struct loom_error *err);

/**
 * loom_npy_save() - writes a .npy file
 * @path: the file; one that exists is replaced
 * @array: the array. The same array gives the same bytes
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0 or -errno of writing.
 */
int loom_npy_save(const char *path, const struct loom_array *array, struct loom_error *err);

/**
 * loom_raw_load() - reads bare elements
 * @path: the file, whose size has to be that of @array
 * @array: from loom_array_alloc()
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0, -EINVAL for another size, or what fopen() said.
 */
int loom_raw_load(const char *path, struct loom_array *array, struct loom_error *err);

/**
 * loom_raw_save() - writes bare elements
 * @path: the file; one that exists is replaced
 * @array: the array
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0 or -errno of writing.
 */
int loom_raw_save(const char *path, const struct loom_array *array, struct loom_error *err);

/**
 * struct loom_image - a picture
 * @width: pixels
 * @height: pixels
 * @rgba: red, green, blue and alpha of each pixel, row by row, from malloc
 */
struct loom_image {
	uint32_t width;
	uint32_t height;
	uint8_t *rgba;
};

/**
 * enum loom_image_fit - how a picture goes into a tensor of another shape
 * @LOOM_IMAGE_STRETCH: each axis is scaled for itself
 * @LOOM_IMAGE_PAD: scaled to the tensor's height with its proportions kept, but squeezed where it
 *	would be too wide; what is left at the right is zero, after normalisation
 */
enum loom_image_fit {
	LOOM_IMAGE_STRETCH,
	LOOM_IMAGE_PAD,
};

/**
 * struct loom_image_options - from pixels to elements: (pixel * scale - mean) / std
 * @fit: see there
 * @bgr: the order of colours is blue, green, red
 * @scale: factor, 1/255 brings pixels to [0, 1]
 * @mean: per channel of the tensor
 * @std: per channel of the tensor
 *
 * U8 tensors take the pixels as they are.
 */
struct loom_image_options {
	enum loom_image_fit fit;
	bool bgr;
	float scale;
	float mean[4];
	float std[4];
};

/**
 * loom_image_load() - reads a PNG, PGM or PPM file
 * @path: the file
 * @image: [out] release with loom_image_clear()
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0, -EINVAL for a file that is none of them or is damaged, -ENOMEM, or what fopen() said.
 */
int loom_image_load(const char *path, struct loom_image *image, struct loom_error *err);

/**
 * loom_image_clear() - frees the pixels of a picture, and zeroes it
 * @image: the picture; a zeroed one is fine
 */
void loom_image_clear(struct loom_image *image);

/**
 * loom_image_shape() - completes the shape of a tensor that takes a picture
 * @image: the picture
 * @rank: of the tensor: 2 to 4
 * @dims: negative where open. Batch becomes 1. With the height given, an open width keeps the
 *	picture's proportions; with both open, the picture's own size is rounded to whole 32s
 *
 * Return: 0, -EINVAL for a tensor that no picture goes into.
 */
int loom_image_shape(const struct loom_image *image, uint32_t rank, int64_t *dims);

/**
 * loom_image_channels_first() - whether channels come before rows in a tensor that takes a picture
 * @rank: number of dimensions
 * @dims: its dimensions
 *
 * Return: true for [.., C, H, W].
 */
bool loom_image_channels_first(uint32_t rank, const int64_t *dims);

/**
 * loom_image_to_array() - scales a picture into a tensor
 * @image: the picture
 * @options: how
 * @array: from loom_array_alloc(), F32 or U8: [N,C,H,W], [N,H,W,C], [C,H,W], [H,W,C] or [H,W] with
 *	C 1 (grey), 3 or 4 and N 1
 *
 * Scaling is bilinear; what gets smaller is averaged over all the pixels it comes from. Where C
 * is not 4, what is transparent becomes white.
 *
 * Return: 0, -EINVAL for a tensor that no picture goes into, -ENOMEM.
 */
int loom_image_to_array(const struct loom_image *image, const struct loom_image_options *options,
			struct loom_array *array);

#ifdef __cplusplus
}
#endif

#endif /* LOOM_FILE_H */
