// SPDX-License-Identifier: MIT
/*
 * Draws the inputs of the end-to-end tests when these run: pictures and sounds of the kind that the
 * networks were trained on.
 *
 *	pictures face OUT.ppm SIZE		a drawn face in front of a wall
 *	pictures room OUT.ppm SIZE		a corner of a room: door, window, floor boards
 *	pictures page OUT.ppm W H LINE.png...	lines of type, one below the other
 *	pictures turn OUT.ppm IN		upside down
 *	pictures speech OUT.npy SEED DIM...	features that move as those of speech do
 *	pictures voice OUT.npy FRAMES SAMPLES	frames of a sound that speaks and pauses
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loom_file.h"

#define SAMPLES	4	/* samples per pixel and axis */

struct color {
	double r, g, b;
};

/* a point of the picture; x and y are from 0 to 1 */
typedef struct color (*shade_fn)(double x, double y);

static struct color mix(struct color a, struct color b, double part)
{
	part = part < 0 ? 0 : part > 1 ? 1 : part;
	return (struct color){ a.r + (b.r - a.r) * part, a.g + (b.g - a.g) * part,
			       a.b + (b.b - a.b) * part };
}

/* Distance from the centre; below 1 inside. */
static double ellipse(double x, double y, double cx, double cy, double rx, double ry)
{
	return hypot((x - cx) / rx, (y - cy) / ry);
}

static struct color face_eye(double x, double y, double cx, struct color skin)
{
	static const struct color white = { 0.95, 0.95, 0.93 }, iris = { 0.25, 0.18, 0.12 };
	static const struct color brow = { 0.2, 0.13, 0.08 };

	if (ellipse(x, y, cx, 0.355, 0.075, 0.016) < 1)
		return brow;
	if (ellipse(x, y, cx, 0.43, 0.024, 0.026) < 1)
		return iris;
	if (ellipse(x, y, cx, 0.43, 0.058, 0.028) < 1)
		return white;
	/* the socket is darker than the cheek */
	return mix(mix(skin, brow, 0.25), skin, ellipse(x, y, cx, 0.42, 0.09, 0.07));
}

static struct color face_shade(double x, double y)
{
	static const struct color wall = { 0.55, 0.62, 0.68 }, hair = { 0.16, 0.1, 0.07 };
	static const struct color shirt = { 0.2, 0.25, 0.5 }, lips = { 0.7, 0.3, 0.3 };
	struct color skin = { 0.87, 0.68, 0.56 };

	/* light comes from the left */
	skin = mix(skin, (struct color){ 0.6, 0.42, 0.33 }, 1.6 * fabs(x - 0.44));
	if (ellipse(x, y, 0.5, 0.5, 0.23, 0.31) < 1) {
		if (y < 0.27 - 0.3 * (x - 0.5) * (x - 0.5))
			return hair;
		if (ellipse(x, y, 0.5, 0.66, 0.085, 0.025) < 1)
			return lips;
		if (ellipse(x, y, 0.485, 0.57, 0.012, 0.008) < 1 ||
		    ellipse(x, y, 0.525, 0.57, 0.012, 0.008) < 1)
			return hair;
		if (ellipse(x, y, 0.52, 0.52, 0.022, 0.075) < 1)
			return mix(skin, hair, 0.12);
		return x < 0.5 ? face_eye(x, y, 0.405, skin) : face_eye(x, y, 0.595, skin);
	}
	if (ellipse(x, y, 0.5, 0.43, 0.26, 0.33) < 1 && y < 0.55)
		return hair;
	if (fabs(x - 0.5) < 0.1 && y > 0.7 && y < 0.87)
		return mix(skin, hair, 0.2);
	if (ellipse(x, y, 0.5, 1.1, 0.46, 0.3) < 1)
		return shirt;
	return mix(wall, (struct color){ 0.4, 0.45, 0.5 }, x * 0.7 + y * 0.3);
}

static struct color room_paint(double x, double y)
{
	static const struct color left = { 0.82, 0.78, 0.7 }, right = { 0.68, 0.64, 0.57 };
	static const struct color board = { 0.5, 0.33, 0.2 }, gap = { 0.28, 0.17, 0.1 };
	static const struct color door = { 0.42, 0.27, 0.16 }, frame = { 0.96, 0.96, 0.94 };
	static const struct color sky = { 0.55, 0.75, 0.95 }, ceiling = { 0.93, 0.93, 0.91 };
	double floor_y = x < 0.55 ? 0.72 + (0.55 - x) * 0.3 : 0.72 + (x - 0.55) * 0.45;
	double top_y = x < 0.55 ? 0.14 - (0.55 - x) * 0.18 : 0.14 - (x - 0.55) * 0.27;

	if (y < top_y)
		return ceiling;
	if (y > floor_y) {
		double depth = (y - 0.6) * 1.0;
		double across = (x - 0.55) / depth;

		return fabs(across * 5 - round(across * 5)) < 0.03 / depth * 0.4 ? gap : board;
	}
	if (x > 0.1 && x < 0.3 && y > 0.3 + (0.3 - x) * 0.03)
		return x < 0.115 || x > 0.285 || y < 0.315 ? frame : door;
	if (x > 0.66 && x < 0.9 && y > 0.26 && y < 0.52) {
		bool bar = fabs(x - 0.78) < 0.008 || fabs(y - 0.39) < 0.008;

		return bar || x < 0.675 || x > 0.885 || y < 0.275 || y > 0.505 ? frame : sky;
	}
	return x < 0.55 ? left : right;
}

/* Shading and noise, as a camera would see them: light falls off, plaster is rough. */
static struct color room_shade(double x, double y)
{
	static const struct color dark = { 0.1, 0.1, 0.12 };
	double light = 0.35 * hypot(x - 0.78, y - 0.4);
	double rough = 0.03 * sin(61 * x + 23 * sin(17 * y)) * cos(53 * y + 19 * sin(29 * x));

	return mix(room_paint(x, y), dark, light + rough + 0.03);
}

static uint8_t to_byte(double value)
{
	value = value * 255 + 0.5;
	return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value;
}

static int write_ppm(const char *path, const uint8_t *rgb, uint32_t width, uint32_t height)
{
	FILE *file = fopen(path, "wb");
	size_t size = (size_t)width * height * 3;

	if (!file) {
		perror(path);
		return 1;
	}
	fprintf(file, "P6\n%u %u\n255\n", width, height);
	if (fwrite(rgb, 1, size, file) != size || fclose(file)) {
		perror(path);
		return 1;
	}
	return 0;
}

static int draw(const char *path, uint32_t size, shade_fn shade)
{
	uint8_t *rgb = malloc((size_t)size * size * 3);
	uint32_t x, y, s;
	int ret;

	if (!rgb)
		return 1;
	for (y = 0; y < size; y++) {
		for (x = 0; x < size; x++) {
			struct color sum = { 0 };

			for (s = 0; s < SAMPLES * SAMPLES; s++) {
				double dx = (s % SAMPLES + 0.5) / SAMPLES;
				double dy = (s / SAMPLES + 0.5) / SAMPLES;
				struct color one = shade((x + dx) / size, (y + dy) / size);

				sum = (struct color){ sum.r + one.r, sum.g + one.g, sum.b + one.b };
			}
			rgb[(y * size + x) * 3] = to_byte(sum.r / (SAMPLES * SAMPLES));
			rgb[(y * size + x) * 3 + 1] = to_byte(sum.g / (SAMPLES * SAMPLES));
			rgb[(y * size + x) * 3 + 2] = to_byte(sum.b / (SAMPLES * SAMPLES));
		}
	}
	ret = write_ppm(path, rgb, size, size);
	free(rgb);
	return ret;
}

static int load(const char *path, struct loom_image *image)
{
	struct loom_error err;

	if (!loom_image_load(path, image, &err))
		return 0;
	fprintf(stderr, "pictures: %s\n", err.text);
	return 1;
}

static int page(const char *path, uint32_t width, uint32_t height, int count, char **lines)
{
	uint8_t *rgb = malloc((size_t)width * height * 3);
	struct loom_image image;
	uint32_t top, x, y;
	int i, ret;

	if (!rgb)
		return 1;
	memset(rgb, 0xf4, (size_t)width * height * 3);
	for (i = 0; i < count; i++) {
		if (load(lines[i], &image)) {
			free(rgb);
			return 1;
		}
		top = height * i / count + (height / count > image.height ?
					    (height / count - image.height) / 2 : 0);
		for (y = 0; y < image.height && top + y < height; y++)
			for (x = 0; x < image.width && 8 + x < width; x++)
				memcpy(rgb + ((top + y) * width + 8 + x) * 3,
				       image.rgba + (y * image.width + x) * 4, 3);
		loom_image_clear(&image);
	}
	ret = write_ppm(path, rgb, width, height);
	free(rgb);
	return ret;
}

static int turn(const char *path, const char *from)
{
	struct loom_image image;
	size_t i, pixels;
	uint8_t *rgb;
	int ret = 1;

	if (load(from, &image))
		return 1;
	pixels = (size_t)image.width * image.height;
	rgb = malloc(pixels * 3);
	for (i = 0; rgb && i < pixels; i++)
		memcpy(rgb + i * 3, image.rgba + (pixels - 1 - i) * 4, 3);
	if (rgb)
		ret = write_ppm(path, rgb, image.width, image.height);
	free(rgb);
	loom_image_clear(&image);
	return ret;
}

/*
 * A spectrogram: the last dimension that is larger than one is frequency, the one before it time. A
 * few bands of energy move slowly in frequency, as formants do, in syllables with pauses.
 */
static int speech(const char *path, uint32_t seed, uint32_t rank, const int64_t *dims)
{
	int64_t bands = dims[rank - 1] > 1 ? dims[rank - 1] : dims[rank - 2];
	struct loom_array array;
	struct loom_error err;
	float *data;
	int64_t i, count;

	if (loom_array_alloc(&array, DRM_LOOM_DTYPE_F32, rank, dims))
		return 1;
	data = array.data;
	count = array.size_bytes / sizeof(*data);
	for (i = 0; i < count; i++) {
		double t = (double)(i / bands), f = (double)(i % bands) / bands, sum = -1;
		double loud = 0.5 + 0.5 * sin(t * 0.37 + seed);
		int k;

		for (k = 1; k <= 3; k++) {
			double at = 0.25 * k + 0.1 * sin(t * (0.11 + 0.05 * k) + seed * 1.7 + k);

			sum += 3.0 / k * loud * exp(-300 * (f - at) * (f - at));
		}
		data[i] = (float)(sum + 0.2 * sin(f * 40 + t * 0.9 + seed));
	}
	if (loom_npy_save(path, &array, &err)) {
		fprintf(stderr, "pictures: %s\n", err.text);
		return 1;
	}
	loom_array_clear(&array);
	return 0;
}

/*
 * 16000 samples a second: overtones of a voice that rises and falls, of which those near two
 * formants are the loudest; four syllables a second, every third second silence, and some noise.
 */
static int voice(const char *path, int64_t frames, int64_t samples)
{
	const double turn = 2 * 3.14159265358979;
	const int64_t dims[] = { frames, samples };
	struct loom_array array;
	struct loom_error err;
	double phase = 0;
	uint32_t noise = 1;
	int64_t i;

	if (loom_array_alloc(&array, DRM_LOOM_DTYPE_F32, 2, dims))
		return 1;
	for (i = 0; i < frames * samples; i++) {
		double t = (double)i / 16000, sum = 0, pitch = 130 + 40 * sin(turn * 0.4 * t);
		double first = 600 + 200 * sin(turn * 1.3 * t);
		double second = 1600 + 500 * sin(turn * 0.9 * t);
		double loud = (int64_t)t % 3 == 2 ? 0 : pow(sin(turn * 2 * t), 2);
		int k;

		phase += turn * pitch / 16000;
		for (k = 1; k <= 24; k++)
			sum += sin(k * phase) * (0.05 + exp(-pow((k * pitch - first) / 150, 2)) +
						 0.6 * exp(-pow((k * pitch - second) / 250, 2)));
		noise = noise * 1664525 + 1013904223;
		((float *)array.data)[i] =
			(float)(0.1 * loud * sum + 0.002 * ((noise >> 8) / 8388608.0 - 1));
	}
	if (loom_npy_save(path, &array, &err)) {
		fprintf(stderr, "pictures: %s\n", err.text);
		return 1;
	}
	loom_array_clear(&array);
	return 0;
}

int main(int argc, char **argv)
{
	int64_t dims[LOOM_GRAPH_RANK];
	int i;

	if (argc == 4 && !strcmp(argv[1], "face"))
		return draw(argv[2], atoi(argv[3]), face_shade);
	if (argc == 4 && !strcmp(argv[1], "room"))
		return draw(argv[2], atoi(argv[3]), room_shade);
	if (argc > 5 && !strcmp(argv[1], "page"))
		return page(argv[2], atoi(argv[3]), atoi(argv[4]), argc - 5, argv + 5);
	if (argc == 4 && !strcmp(argv[1], "turn"))
		return turn(argv[2], argv[3]);
	if (argc > 5 && argc <= 4 + LOOM_GRAPH_RANK && !strcmp(argv[1], "speech")) {
		for (i = 4; i < argc; i++)
			dims[i - 4] = atoll(argv[i]);
		return speech(argv[2], atoi(argv[3]), argc - 4, dims);
	}
	if (argc == 5 && !strcmp(argv[1], "voice"))
		return voice(argv[2], atoll(argv[3]), atoll(argv[4]));
	fprintf(stderr, "usage: pictures face|room|page|turn|speech|voice OUT ...\n");
	return 2;
}
