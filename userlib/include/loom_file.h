/* SPDX-License-Identifier: MIT */
/**
 * DOC: Arrays and pictures in files
 *
 * Inputs and outputs of networks: NumPy's .npy, ONNX TensorProto
 * (.pb, in loom.h), bare bytes, and pictures (PNG, PGM, PPM).
 *
 * loom_file_save() writes all files of the library and its tools, and follows four rules:
 *
 * * A regular file is replaced as a whole: the bytes go to a new file in the same folder, which is
 *   renamed when it is complete. So the folder must be writable, a process that has the old file
 *   mapped keeps its bytes, and other hard links keep the old file. After an error the old file is
 *   as it was, and nothing is left beside it.
 * * Links are followed, also to a file that does not exist yet; the link stays.
 * * Devices and pipes are written in place.
 * * A file that replaces another has its mode, and its owner and group as far as the process may
 *   set them. A file that the process may not write is not replaced.
 */
#ifndef LOOM_FILE_H
#define LOOM_FILE_H

#include "loom.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A file that is complete, but not at its place yet. */
struct loom_saving;

/**
 * loom_file_stage() - writes a file beside its place
 * @path: where it is to be
 * @bytes: the content. They must stay until loom_file_commit(), because devices and pipes are
 *	written there
 * @size_bytes: their number
 * @saving: [out] end it with loom_file_commit() or loom_file_discard(); NULL on failure
 * @err: [out] one line on failure, may be NULL
 *
 * Several files that belong together are staged first and committed when all of them are complete.
 *
 * Return: 0 or -errno of writing, -EISDIR for a folder, -ELOOP for links in a circle.
 */
int loom_file_stage(const char *path, const void *bytes, size_t size_bytes,
		    struct loom_saving **saving, struct loom_error *err);

/**
 * loom_file_commit() - puts a staged file at its place
 * @saving: from loom_file_stage(); it is freed, also on failure
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0 or -errno of writing.
 */
int loom_file_commit(struct loom_saving *saving, struct loom_error *err);

/**
 * loom_file_discard() - removes a staged file
 * @saving: from loom_file_stage(), or NULL
 */
void loom_file_discard(struct loom_saving *saving);

/**
 * loom_file_save() - writes a file
 * @path: the file
 * @bytes: the content
 * @size_bytes: their number
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0 or -errno of writing, as loom_file_stage().
 */
int loom_file_save(const char *path, const void *bytes, size_t size_bytes, struct loom_error *err);

/**
 * loom_npy_load() - reads a .npy file: little endian, C order
 * @path: the file
 * @array: [out] release with loom_array_clear()
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0, -EINVAL for a file that is none or is cut off, -EOPNOTSUPP for another kind of
 * array, -EOVERFLOW, -ENOMEM, or the error of fopen().
 */
int loom_npy_load(const char *path, struct loom_array *array, struct loom_error *err);

/**
 * loom_npy_save() - writes a .npy file
 * @path: the file, written as by loom_file_save()
 * @array: the array. The same array gives the same bytes
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0 or -errno of writing.
 */
int loom_npy_save(const char *path, const struct loom_array *array, struct loom_error *err);

/**
 * loom_raw_load() - reads bare elements
 * @path: the file, whose size must be that of @array
 * @array: from loom_array_alloc()
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0, -EINVAL for another size, or the error of fopen().
 */
int loom_raw_load(const char *path, struct loom_array *array, struct loom_error *err);

/**
 * loom_raw_save() - writes bare elements
 * @path: the file, written as by loom_file_save()
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
 *	would be too wide; the rest at the right is zero, after normalisation
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
 * Return: 0, -EINVAL for a file that is none of them or is damaged, -ENOMEM, or the error of
 * fopen().
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
 * Scaling is bilinear; shrinking averages over all source pixels. Where C
 * is not 4, transparent pixels become white.
 *
 * Return: 0, -EINVAL for a tensor that no picture goes into, -ENOMEM.
 */
int loom_image_to_array(const struct loom_image *image, const struct loom_image_options *options,
			struct loom_array *array);

#ifdef __cplusplus
}
#endif

#endif /* LOOM_FILE_H */
