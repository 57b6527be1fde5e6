// SPDX-License-Identifier: MIT
/*
 * A picture is decoded to eight-bit RGBA, scaled in floating point and written into a tensor,
 * normalised. The tensor's shape says where the channels are. Scaling is separable with a triangle
 * as wide as an output pixel: bilinear when enlarging, an average over all source pixels when
 * shrinking.
 */
#include "file.h"

#include "base/error.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#define IMAGE_MAX_SIDE		32768
#define IMAGE_MAX_PIXELS	(64U << 20)

static int image_alloc(struct loom_image *image, uint32_t width, uint32_t height)
{
	if (!width || !height || width > IMAGE_MAX_SIDE || height > IMAGE_MAX_SIDE ||
	    (uint64_t)width * height > IMAGE_MAX_PIXELS)
		return -EFBIG;
	image->rgba = malloc((size_t)width * height * 4);
	if (!image->rgba)
		return -ENOMEM;
	image->width = width;
	image->height = height;
	return 0;
}

static int image_load_png(FILE *file, const char *path, struct loom_image *image,
			  struct loom_error *err)
{
	png_image png = { .version = PNG_IMAGE_VERSION };
	int ret;

	if (!png_image_begin_read_from_stdio(&png, file))
		return loom_error_set(err, -EINVAL, "%s: %s", path, png.message);
	png.format = PNG_FORMAT_RGBA;
	ret = image_alloc(image, png.width, png.height);
	if (ret) {
		png_image_free(&png);
		return loom_error_set(err, ret, ret == -ENOMEM ? "%s: out of memory" :
				      "%s: the picture is too large", path);
	}
	if (!png_image_finish_read(&png, NULL, image->rgba, 0, NULL))
		return loom_error_set(err, -EINVAL, "%s: %s", path, png.message);
	return 0;
}

/* The next character of a PNM header; a comment, from # to the end of the line, is one newline. */
static int image_pnm_char(FILE *file)
{
	int c = fgetc(file);

	if (c == '#')
		while (c != '\n' && c != EOF)
			c = fgetc(file);
	return c;
}

/* A number of a PNM header, and exactly one white space behind it. */
static int image_pnm_number(FILE *file, uint32_t *number)
{
	int c;

	do {
		c = image_pnm_char(file);
	} while (c == ' ' || c == '\t' || c == '\n' || c == '\r');
	*number = 0;
	if (c < '0' || c > '9')
		return -EINVAL;
	for (; c >= '0' && c <= '9'; c = image_pnm_char(file)) {
		*number = *number * 10 + (c - '0');
		if (*number > 65535)
			return -EINVAL;
	}
	return c == EOF ? -EINVAL : 0;
}

static int image_read_pnm(FILE *file, uint32_t channels, uint32_t max,
			  struct loom_image *image)
{
	size_t pixels = (size_t)image->width * image->height;
	uint8_t *to = image->rgba;
	uint32_t c, value;
	int high, low;
	size_t i;

	for (i = 0; i < pixels; i++, to += 4) {
		for (c = 0; c < channels; c++) {
			high = max > 255 ? fgetc(file) : 0;
			low = fgetc(file);
			if (high == EOF || low == EOF)
				return -EINVAL;
			value = (uint32_t)high << 8 | (uint32_t)low;
			to[c] = value >= max ? 255 : (value * 255 + max / 2) / max;
		}
		for (; c < 3; c++)
			to[c] = to[0];
		to[3] = 255;
	}
	return 0;
}

static int image_load_pnm(FILE *file, const char *path, uint32_t channels,
			  struct loom_image *image, struct loom_error *err)
{
	uint32_t width, height, max;
	int ret;

	if (image_pnm_number(file, &width) || image_pnm_number(file, &height) ||
	    image_pnm_number(file, &max) || !max)
		return loom_error_set(err, -EINVAL, "%s: invalid header of a picture",
				      path);
	ret = image_alloc(image, width, height);
	if (ret)
		return loom_error_set(err, ret, ret == -ENOMEM ? "%s: out of memory" :
				      "%s: the picture is too large, or empty", path);
	ret = image_read_pnm(file, channels, max, image);
	if (ret)
		return loom_error_set(err, ret, "%s: the file ends before the picture does", path);
	return 0;
}

int loom_image_load(const char *path, struct loom_image *image, struct loom_error *err)
{
	int saved = errno;
	unsigned char magic[2];
	FILE *file;
	int ret;

	memset(image, 0, sizeof(*image));
	file = fopen(path, "rb");
	if (!file) {
		ret = loom_error_set(err, -errno, "%s: %s", path, strerror(errno));
		goto out;
	}
	if (fread(magic, 1, 2, file) != 2) {
		ret = loom_error_set(err, -EINVAL, "%s: the file is empty", path);
	} else if (magic[0] == 'P' && (magic[1] == '5' || magic[1] == '6')) {
		ret = image_load_pnm(file, path, magic[1] == '5' ? 1 : 3, image, err);
	} else {
		rewind(file);
		ret = image_load_png(file, path, image, err);
	}
	fclose(file);
	if (ret)
		loom_image_clear(image);
out:
	errno = saved;
	return ret;
}

void loom_image_clear(struct loom_image *image)
{
	free(image->rgba);
	memset(image, 0, sizeof(*image));
}

/**
 * struct image_axes - roles of the axes of a tensor
 * @channel: the channels, or -1
 * @height: rows
 * @width: columns
 */
struct image_axes {
	int channel;
	int height;
	int width;
};

static bool image_is_channels(int64_t dim)
{
	return dim == 1 || dim == 3 || dim == 4;
}

static int image_find_axes(uint32_t rank, const int64_t *dims, struct image_axes *axes)
{
	int first = (int)rank - 3;

	if (rank == 2) {
		*axes = (struct image_axes){ -1, 0, 1 };
		return 0;
	}
	if (rank != 3 && rank != 4)
		return -EINVAL;
	if (rank == 4 && dims[0] != 1 && dims[0] >= 0)
		return -EINVAL;
	/* a single row of colours is more likely than three columns of grey */
	if (image_is_channels(dims[first]) &&
	    !(dims[first] == 1 && dims[first + 2] != 1 && image_is_channels(dims[first + 2])))
		*axes = (struct image_axes){ first, first + 1, first + 2 };
	else if (image_is_channels(dims[first + 2]))
		*axes = (struct image_axes){ first + 2, first, first + 1 };
	else
		return -EINVAL;
	return 0;
}

bool loom_image_channels_first(uint32_t rank, const int64_t *dims)
{
	struct image_axes axes;

	return !image_find_axes(rank, dims, &axes) && axes.channel >= 0 &&
	       axes.channel < axes.height;
}

static int64_t image_to_32(uint32_t pixels)
{
	int64_t whole = ((int64_t)pixels + 16) / 32 * 32;

	return whole ? whole : 32;
}

int loom_image_shape(const struct loom_image *image, uint32_t rank, int64_t *dims)
{
	struct image_axes axes;
	int64_t *height, *width;

	if (image_find_axes(rank, dims, &axes))
		return -EINVAL;
	if (rank == 4)
		dims[0] = 1;
	height = &dims[axes.height];
	width = &dims[axes.width];
	if (*height < 0 && *width < 0) {
		*height = image_to_32(image->height);
		*width = image_to_32(image->width);
	} else if (*width < 0) {
		*width = (*height * image->width + image->height - 1) / image->height;
	} else if (*height < 0) {
		*height = (*width * image->height + image->width - 1) / image->width;
	}
	return *height > 0 && *width > 0 ? 0 : -EINVAL;
}

/* Scales @from pixels, @step floats apart, to @to pixels. */
static void image_scale_line(const float *in, uint32_t from, size_t in_step, float *out,
			     uint32_t to, size_t out_step)
{
	double ratio = (double)from / to;
	double support = ratio > 1 ? ratio : 1;
	double center, weight, sum, total;
	int64_t i, first, last;
	uint32_t o;

	for (o = 0; o < to; o++) {
		center = (o + 0.5) * ratio - 0.5;
		first = (int64_t)ceil(center - support);
		last = (int64_t)floor(center + support);
		if (first < 0)
			first = 0;
		if (last > (int64_t)from - 1)
			last = (int64_t)from - 1;
		sum = 0;
		total = 0;
		for (i = first; i <= last; i++) {
			weight = 1 - fabs(i - center) / support;
			if (weight <= 0)
				continue;
			sum += weight * in[i * in_step];
			total += weight;
		}
		out[o * out_step] = (float)(sum / total);
	}
}

static float image_sample(const uint8_t *rgba, uint32_t channels, uint32_t channel, bool bgr)
{
	float alpha = rgba[3] / 255.0f;
	float color[3];
	uint32_t i;

	if (channels == 4)
		return rgba[bgr && channel < 3 ? 2 - channel : channel];
	for (i = 0; i < 3; i++)
		color[i] = rgba[i] * alpha + 255.0f * (1 - alpha);
	if (channels == 1)
		return 0.299f * color[0] + 0.587f * color[1] + 0.114f * color[2];
	return color[bgr ? 2 - channel : channel];
}

/* One channel of @image, @width by @height, into @plane; @narrow has room for the columns. */
static void image_scale_plane(const struct loom_image *image, float *whole, float *narrow,
			      float *plane, uint32_t width, uint32_t height)
{
	uint32_t i;

	for (i = 0; i < image->height; i++)
		image_scale_line(whole + (size_t)i * image->width, image->width, 1,
				 narrow + (size_t)i * width, width, 1);
	for (i = 0; i < width; i++)
		image_scale_line(narrow + i, image->height, width, plane + i, height, width);
}

static void image_store(struct loom_array *array, const struct image_axes *axes,
			uint32_t channel, const float *plane, uint32_t width, uint32_t height,
			const struct loom_image_options *options)
{
	int64_t steps[4] = { 0 };
	int64_t step = 1, at;
	uint32_t x, y;
	int i;

	for (i = (int)array->rank - 1; i >= 0; i--) {
		steps[i] = step;
		step *= array->dims[i];
	}
	for (y = 0; y < height; y++) {
		for (x = 0; x < width; x++) {
			float pixel = plane[(size_t)y * width + x];

			at = y * steps[axes->height] + x * steps[axes->width];
			if (axes->channel >= 0)
				at += channel * steps[axes->channel];
			if (array->dtype == DRM_LOOM_DTYPE_U8)
				((uint8_t *)array->data)[at] = (uint8_t)lrintf(pixel);
			else
				((float *)array->data)[at] =
					(pixel * options->scale - options->mean[channel]) /
					options->std[channel];
		}
	}
}

int loom_image_to_array(const struct loom_image *image, const struct loom_image_options *options,
			struct loom_array *array)
{
	size_t pixels = (size_t)image->width * image->height;
	uint32_t width, height, channels, c;
	struct image_axes axes;
	float *whole, *narrow, *plane;
	int ret = -ENOMEM;
	size_t i;

	if (array->dtype != DRM_LOOM_DTYPE_F32 && array->dtype != DRM_LOOM_DTYPE_U8)
		return -EINVAL;
	if (image_find_axes(array->rank, array->dims, &axes) ||
	    array->dims[axes.width] < 1 || array->dims[axes.width] > IMAGE_MAX_SIDE ||
	    array->dims[axes.height] < 1 || array->dims[axes.height] > IMAGE_MAX_SIDE)
		return -EINVAL;
	width = array->dims[axes.width];
	height = array->dims[axes.height];
	channels = axes.channel < 0 ? 1 : array->dims[axes.channel];
	if (options->fit == LOOM_IMAGE_PAD) {
		uint64_t wanted = ((uint64_t)height * image->width + image->height - 1) /
				  image->height;

		if (wanted < width)
			width = wanted;
	}

	whole = malloc(pixels * sizeof(*whole));
	narrow = malloc((size_t)width * image->height * sizeof(*narrow));
	plane = malloc((size_t)width * height * sizeof(*plane));
	if (!whole || !narrow || !plane)
		goto out;
	for (c = 0; c < channels; c++) {
		for (i = 0; i < pixels; i++)
			whole[i] = image_sample(image->rgba + i * 4, channels, c,
						options->bgr);
		image_scale_plane(image, whole, narrow, plane, width, height);
		image_store(array, &axes, c, plane, width, height, options);
	}
	ret = 0;
out:
	free(whole);
	free(narrow);
	free(plane);
	return ret;
}
