// SPDX-License-Identifier: MIT
/*
 * DOC: Fuzzing files of arrays and pictures
 *
 * One input is a file: .npy, a TensorProto, or a picture (PNG, PGM, PPM). Each reader is given it,
 * whatever it is. Nothing may crash; a refusal is one line. An array that is read is written, and
 * read as the same array.
 *
 * Inputs are small valid files, with bytes, numbers and pieces exchanged.
 */
#include "loom_core.h"

#include <fcntl.h>
#include <png.h>
#include <sys/mman.h>
#include <zlib.h>

#define FUZZ_NAME	"fuzz-files"
/* more than the longest header of .npy that is read */
#define FUZZ_MAX_BYTES	(80 << 10)

#include "fuzz.h"
#include "loom_file.h"

static u64 fuzz_arrays, fuzz_images;

/* Whether what was read is written and read as the same. */
static void fuzz_again(const struct loom_array *array)
{
	int fd = memfd_create("again", 0);
	struct loom_array again;
	struct loom_error err;
	char path[64];

	if (fd < 0)
		fuzz_fail("no memory for a file");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!loom_npy_save(path, array, &err)) {
		fuzz_expect(!loom_npy_load(path, &again, &err), "what was written is refused: %s",
			    err.text);
		fuzz_expect(again.dtype == array->dtype && again.rank == array->rank &&
			    !memcmp(again.dims, array->dims, again.rank * sizeof(*again.dims)) &&
			    again.size_bytes == array->size_bytes &&
			    !memcmp(again.data, array->data, again.size_bytes),
			    "what was written is another array");
		loom_array_clear(&again);
	}
	close(fd);
}

/* A header says how long it is itself; behind it there is the array, and nothing else. */
static void fuzz_check_size(const struct loom_array *array, const uint8_t *data, size_t size)
{
	size_t header = data[8] | data[9] << 8, start = data[6] > 1 ? 12 : 10;

	if (data[6] > 1)
		header |= (size_t)data[10] << 16 | (size_t)data[11] << 24;
	fuzz_expect(size == start + header + array->size_bytes,
		    "%zu bytes are read as an array of %zu", size, array->size_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", 0);
	struct loom_array array;
	struct loom_image image;
	struct loom_error err;
	char path[64];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		fuzz_fail("no memory for a file");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (loom_npy_load(path, &array, &err)) {
		fuzz_check_line(&err, "");
	} else {
		fuzz_arrays++;
		fuzz_check_size(&array, data, size);
		fuzz_again(&array);
		loom_array_clear(&array);
	}
	if (loom_tensor_load_pb(path, &array, &err)) {
		fuzz_check_line(&err, "");
	} else {
		fuzz_again(&array);
		loom_array_clear(&array);
	}
	if (loom_image_load(path, &image, &err)) {
		fuzz_check_line(&err, "");
	} else {
		fuzz_images++;
		fuzz_expect(image.width && image.height && image.rgba, "a picture of nothing");
		loom_image_clear(&image);
	}
	close(fd);
	return 0;
}

#ifdef LOOM_LIBFUZZER

static uint32_t fuzz_big_endian(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
}

/* The sums of a PNG's chunks are made right again, as nothing behind a wrong one is read. */
static void fuzz_fix_png(uint8_t *data, size_t size)
{
	size_t at = 8;

	while (size - at >= 12) {
		uint32_t length = fuzz_big_endian(data + at), sum, i;

		if (length > size - at - 12)
			return;
		sum = (uint32_t)crc32(0, data + at + 4, length + 4);
		for (i = 0; i < 4; i++)
			data[at + 8 + length + i] = (uint8_t)(sum >> (24 - 8 * i));
		at += 12 + (size_t)length;
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int seed)
{
	size = LLVMFuzzerMutate(data, size, room);
	if (seed % 16 && size > 8 && !memcmp(data, "\x89PNG", 4))
		fuzz_fix_png(data, size);
	return size;
}

#else

/* Up to ten dimensions, and now and then a long header: more of both than is allowed. */
static size_t fuzz_npy(uint64_t *seed, uint8_t *out, size_t room)
{
	static const char *const types[] = { "<f4", "<f8", "<f2", "|i1", "|u1", "<i8", "|b1" };
	static const u8 bytes[] = { 4, 8, 2, 1, 1, 8, 1 };
	u32 type = random_xorshift(seed, ARRAY_SIZE(types)), rows = 1 + random_xorshift(seed, 4), i;
	u32 ones = random_xorshift(seed, 4) ? 0 : random_xorshift(seed, 9);
	size_t header = random_xorshift(seed, 256) ? 118 : 65400 + random_xorshift(seed, 512);
	size_t start = header > 65535 ? 12 : 10, size;

	memcpy(out, start == 12 ? "\x93NUMPY\x02" : "\x93NUMPY\x01", 8);
	for (i = 8; i < start; i++)
		out[i] = header >> 8 * (i - 8);
	size = start + snprintf((char *)out + start, room - start,
				"{'descr': '%s', 'fortran_order': False, 'shape': (%.*s%u, 3), }",
				types[type], 3 * ones, "1, 1, 1, 1, 1, 1, 1, 1, ", rows);
	memset(out + size, ' ', start + header - size - 1);
	size = start + header;
	out[size - 1] = '\n';
	for (i = 0; i < rows * 3 * bytes[type]; i++)
		out[size++] = random_xorshift(seed, 2);
	return size;
}

static size_t fuzz_png(uint64_t *seed, uint8_t *out, size_t room)
{
	static const u32 formats[] = {
		PNG_FORMAT_GRAY, PNG_FORMAT_GA, PNG_FORMAT_RGB, PNG_FORMAT_RGBA,
		PNG_FORMAT_LINEAR_Y,
	};
	png_image png = { .version = PNG_IMAGE_VERSION };
	png_alloc_size_t size = room;
	u16 pixels[8 * 8 * 4];
	u32 i;

	png.width = 1 + random_xorshift(seed, 8);
	png.height = 1 + random_xorshift(seed, 8);
	png.format = formats[random_xorshift(seed, ARRAY_SIZE(formats))];
	for (i = 0; i < ARRAY_SIZE(pixels); i++)
		pixels[i] = random_xorshift(seed, 65536);
	if (!png_image_write_to_memory(&png, out, &size, 0, pixels, 0, NULL))
		fuzz_fail("a picture cannot be written");
	return size;
}

static size_t fuzz_pnm(uint64_t *seed, uint8_t *out, size_t room)
{
	u32 colour = random_xorshift(seed, 2), width = 1 + random_xorshift(seed, 9);
	u32 height = 1 + random_xorshift(seed, 9), wide = random_xorshift(seed, 2), i;
	size_t size = snprintf((char *)out, room, "P%u\n# a comment\n%u %u\n%u\n", 5 + colour,
			       width, height, wide ? 65535 : 255);

	for (i = 0; i < width * height * (colour ? 3 : 1) * (wide ? 2 : 1); i++)
		out[size++] = random_xorshift(seed, 256);
	return size;
}

/* A tensor of two floats, of up to ten dimensions: dims, type, name, bytes. */
static size_t fuzz_tensor(uint64_t *seed, uint8_t *out, size_t room)
{
	static const uint8_t rest[] = {
		0x08, 2, 0x10, 1, 0x42, 1, 'x', 0x4a, 8, 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40,
	};
	size_t size = 2 * random_xorshift(seed, 10), i;

	if (room < size + sizeof(rest))
		return 0;
	for (i = 0; i < size; i++)
		out[i] = i % 2 ? 1 : 0x08;
	memcpy(out + size, rest, sizeof(rest));
	return size + sizeof(rest);
}

static void fuzz_damage(uint64_t *seed)
{
	static const char *const words[] = {
		"0", "-1", "65536", "4294967296", "99999999999999999999", "(", ")", ",", "'",
		"True", "<f4", ">f4", "<U4", "\n", "#", "\xff", "IDAT", "IHDR", "PLTE", "tRNS",
	};
	size_t size = fuzz_now.size, at = size ? random_xorshift(seed, size) : 0, length;
	const char *word;

	switch (random_xorshift(seed, 4)) {
	case 0:
		fuzz_now.size = at;
		break;
	case 1:
		word = words[random_xorshift(seed, ARRAY_SIZE(words))];
		length = min(strlen(word), size - at);
		memcpy(fuzz_now.data + at, word, length);
		break;
	default:
		if (size)
			fuzz_now.data[at] ^= 1 << random_xorshift(seed, 8);
		break;
	}
}

static void fuzz_next(void)
{
	static size_t (*const make[])(uint64_t *seed, uint8_t *out, size_t room) = {
		fuzz_npy, fuzz_png, fuzz_pnm, fuzz_tensor,
	};
	u32 kind = random_xorshift(&fuzz_state, ARRAY_SIZE(make)), changes;

	fuzz_now.size = make[kind](&fuzz_state, fuzz_now.data, sizeof(fuzz_now.data));
	for (changes = random_xorshift(&fuzz_state, 4); changes; changes--)
		fuzz_damage(&fuzz_state);
}

int main(int argc, char **argv)
{
	static const struct fuzz_maker maker = {
		.make = fuzz_next,
		.counts = { { "arrays", &fuzz_arrays }, { "pictures", &fuzz_images } },
	};

	return fuzz_main(argc, argv, &maker);
}

#endif
