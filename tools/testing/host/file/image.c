// SPDX-License-Identifier: MIT
/* Pictures in files and as tensors. */
#include "loom_file.h"

#include <math.h>

#include "near.h"
#include "temporary.h"

/* A sample byte that is zero would end the text: there is none. */
static int load_image(const char *text, struct loom_image *image)
{
	struct loom_error err;

	put(text, strlen(text));
	return loom_image_load(path, image, &err);
}

static void test_pnm(void)
{
	struct loom_image image;

	tap_ok(!load_image("P5 # grey\n2 1\n# max\n255\n\x01\xff", &image) &&
	       image.width == 2 && image.height == 1 &&
	       !memcmp(image.rgba, "\x01\x01\x01\xff\xff\xff\xff\xff", 8),
	       "a PGM with comments is read");
	loom_image_clear(&image);
	tap_ok(!load_image("P6 1 1 255 \x01\x02\x03", &image) &&
	       !memcmp(image.rgba, "\x01\x02\x03\xff", 4), "a PPM is read");
	loom_image_clear(&image);
	tap_ok(!load_image("P5 1 1 65535 \xff\xff", &image) && image.rgba[0] == 255,
	       "a PGM of sixteen bits is read");
	loom_image_clear(&image);
	tap_ok(load_image("P6 1 1 255 \x01\x02", &image) == -EINVAL, "a PPM that ends early");
	tap_ok(load_image("P5 0 1 255 ", &image) == -EFBIG, "a picture without pixels");
	tap_ok(load_image("P5 60000 60000 255 ", &image) == -EFBIG, "a picture too large");
	tap_ok(load_image("P5 1 1 0 \x01", &image) == -EINVAL, "a maximum of zero");
	tap_ok(load_image("P5 1", &image) == -EINVAL, "a header that ends early");
	tap_ok(load_image("\x89PNG\r\n\x1a\nnonsense", &image) == -EINVAL, "a broken PNG");
	tap_ok(load_image("", &image) == -EINVAL, "an empty file");
}

static void test_shapes(void)
{
	struct loom_image image = { .width = 200, .height = 40 };
	int64_t rec[] = { -1, 3, 48, -1 }, det[] = { -1, 3, -1, -1 }, nhwc[] = { 1, 64, 64, 3 };
	int64_t odd[] = { 1, 16, 96, 7 }, batch[] = { 2, 3, 8, 8 };

	tap_ok(!loom_image_shape(&image, 4, rec) && rec[0] == 1 && rec[3] == 240,
	       "an open width follows from the picture's proportions");
	tap_ok(!loom_image_shape(&image, 4, det) && det[2] == 32 && det[3] == 192,
	       "open sizes become whole 32s");
	tap_ok(!loom_image_shape(&image, 4, nhwc) && nhwc[1] == 64, "sizes that are given stay");
	tap_ok(loom_image_shape(&image, 4, odd) == -EINVAL, "seven channels are no picture");
	tap_ok(loom_image_shape(&image, 4, batch) == -EINVAL, "a batch is not one picture");
}

static bool near(float a, float b)
{
	return near_off(a, b) < 0.00001;
}

static void test_tensors(void)
{
	static const struct loom_image_options plain = {
		.scale = 1, .std = { 1, 1, 1, 1 },
	};
	static const struct loom_image_options padded = {
		.fit = LOOM_IMAGE_PAD, .bgr = true, .scale = 1.0f / 255, .mean = { .5f, .5f, .5f },
		.std = { .5f, .5f, .5f, .5f },
	};
	/* two pixels, red and half transparent blue */
	static uint8_t rgba[] = { 255, 0, 0, 255, 0, 0, 255, 0 };
	struct loom_image image = { .width = 2, .height = 1, .rgba = rgba };
	static const int64_t chw[] = { 3, 1, 2 }, hwc[] = { 1, 2, 3 }, grey[] = { 1, 1 };
	static const int64_t wide[] = { 1, 3, 1, 4 };
	struct loom_array array;
	float *data;

	if (loom_array_alloc(&array, DRM_LOOM_DTYPE_F32, 3, chw))
		tap_fatal("no memory");
	data = array.data;
	tap_ok(!loom_image_to_array(&image, &plain, &array) && data[0] == 255 && data[1] == 255 &&
	       data[2] == 0 && data[3] == 255 && data[4] == 0 && data[5] == 255,
	       "channels first, what is transparent is white");
	loom_array_clear(&array);
	if (loom_array_alloc(&array, DRM_LOOM_DTYPE_U8, 3, hwc))
		tap_fatal("no memory");
	tap_ok(!loom_image_to_array(&image, &plain, &array) &&
	       !memcmp(array.data, "\xff\0\0\xff\xff\xff", 6), "channels last, as bytes");
	loom_array_clear(&array);
	if (loom_array_alloc(&array, DRM_LOOM_DTYPE_F32, 2, grey))
		tap_fatal("no memory");
	data = array.data;
	tap_ok(!loom_image_to_array(&image, &plain, &array) &&
	       near(data[0], (0.299f * 255 + 255) / 2), "shrinking averages, in grey");
	loom_array_clear(&array);
	if (loom_array_alloc(&array, DRM_LOOM_DTYPE_F32, 4, wide))
		tap_fatal("no memory");
	data = array.data;
	tap_ok(!loom_image_to_array(&image, &padded, &array) && near(data[0], -1) &&
	       near(data[1], 1) && data[2] == 0 && data[3] == 0 && near(data[8], 1),
	       "padding is zero, blue comes first, pixels go from -1 to 1");
	loom_array_clear(&array);
}

int main(void)
{
	temporary_create();
	test_pnm();
	test_shapes();
	test_tensors();
	unlink(path);
	return tap_end();
}
