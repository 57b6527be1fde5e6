// SPDX-License-Identifier: MIT
/* Arrays in files: they are read as they were written, and broken files are refused. */
#include "loom_core.h"
#include "loom_file.h"

#include "temporary.h"

static size_t get(unsigned char *bytes, size_t room)
{
	FILE *file = fopen(path, "rb");
	size_t size = file ? fread(bytes, 1, room, file) : 0;

	if (file)
		fclose(file);
	return size;
}

static bool round_trip(uint32_t dtype, uint32_t rank, const int64_t *dims)
{
	struct loom_array out, in;
	struct loom_error err;
	bool same;
	size_t i;

	if (loom_array_alloc(&out, dtype, rank, dims))
		return false;
	for (i = 0; i < out.size_bytes; i++)
		((unsigned char *)out.data)[i] = dtype == DRM_LOOM_DTYPE_BOOL ? i & 1 : i * 7;
	if (loom_npy_save(path, &out, &err) || loom_npy_load(path, &in, &err)) {
		tap_note("%s", err.text);
		loom_array_clear(&out);
		return false;
	}
	same = in.dtype == dtype && in.rank == rank && in.size_bytes == out.size_bytes &&
	       !memcmp(in.dims, dims, rank * sizeof(*dims)) &&
	       !memcmp(in.data, out.data, out.size_bytes);
	loom_array_clear(&out);
	loom_array_clear(&in);
	return same;
}

static void test_round_trip(void)
{
	static const int64_t dims[LOOM_GRAPH_RANK] = { 2, 1, 3, 1, 2, 1, 1, 2 };
	static const int64_t none[] = { 3, 0, 2 };
	bool good = true;
	uint32_t i;

	for (i = 1; i < DRM_LOOM_DTYPE_END; i++)
		good &= round_trip(i, 3, dims);
	tap_ok(good, "every element type comes back from a .npy file");
	for (i = 0, good = true; i <= LOOM_GRAPH_RANK; i++)
		good &= round_trip(DRM_LOOM_DTYPE_F32, i, dims);
	tap_ok(good, "every rank comes back, a scalar too");
	tap_ok(round_trip(DRM_LOOM_DTYPE_F32, 3, none), "an array without elements comes back");
}

static int load_text(const char *header, size_t elements)
{
	unsigned char bytes[1024] = "\x93NUMPY\x01";
	struct loom_array array;
	struct loom_error err = { .text = "" };
	int ret;

	bytes[8] = strlen(header);
	memcpy(bytes + 10, header, strlen(header));
	put(bytes, 10 + strlen(header) + elements * 4);
	ret = loom_npy_load(path, &array, &err);
	if (!ret)
		loom_array_clear(&array);
	else if (!strstr(err.text, path) || array.data || strpbrk(err.text, "\n\x1b\x7f"))
		return 1;
	return ret;
}

static void test_headers(void)
{
	static const struct {
		const char *header;
		size_t elements;
		int want;
	} cases[] = {
		{ "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", 6, 0 },
		{ "{'shape':(6,),'fortran_order':False,'descr':'<f4'}", 6, 0 },
		{ "{'descr': '<f4', 'fortran_order': False, 'shape': (), }", 1, 0 },
		{ "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 5, -EINVAL },
		{ "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 7, -EINVAL },
		/* no memory is asked for what the file has not */
		{ "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 399999999999)}", 6,
		  -EINVAL },
		{ "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", 6, -EOPNOTSUPP },
		{ "{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3), }", 6, -EOPNOTSUPP },
		{ "{'descr': '\n\x1b[m\x7f', 'fortran_order': False, 'shape': (3,), }", 6,
		  -EOPNOTSUPP },
		{ "{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }", 6, -EOPNOTSUPP },
		{ "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,)}", 6, -EINVAL },
		{ "{'descr': '<f4', 'fortran_order': False, 'shape': (-6,), }", 6, -EINVAL },
		{ "{'descr': '<f4', 'fortran_order': False, 'shape': (6", 6, -EINVAL },
		{ "{'descr': '<f4', 'fortran_order': False, }", 6, -EINVAL },
		{ "{'fortran_order': False, 'shape': (6,), }", 6, -EINVAL },
		{ "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,6)}", 6,
		  -EINVAL },
		{ "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", 6,
		  -EINVAL },
	};
	bool good = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		int ret = load_text(cases[i].header, cases[i].elements);

		if (ret != cases[i].want) {
			tap_note("%s: %d, not %d", cases[i].header, ret, cases[i].want);
			good = false;
		}
	}
	tap_ok(good, "headers are understood or refused, with the file's name");
	tap_ok(load_text("{'descr':'<f4','fortran_order':False,'shape':(9999999999,99999999)}",
			 6) < 0, "a shape that no machine holds is refused");
}

/* Any byte of a file may be anything, and it may end anywhere: an error or an array, no more. */
static void test_mutations(void)
{
	static const int64_t dims[] = { 2, 3 };
	unsigned char bytes[256], broken[256];
	struct loom_array array;
	size_t size, i, b;

	if (!round_trip(DRM_LOOM_DTYPE_F32, 2, dims))
		tap_fatal("no file to break");
	size = get(bytes, sizeof(bytes));
	for (i = 0; i < size; i++) {
		for (b = 0; b < 8; b++) {
			memcpy(broken, bytes, size);
			broken[i] ^= 1 << b;
			put(broken, size);
			if (!loom_npy_load(path, &array, NULL))
				loom_array_clear(&array);
		}
		put(bytes, i);
		if (!loom_npy_load(path, &array, NULL))
			break;
	}
	tap_ok(i == size, "files with a flipped bit do no harm, files cut short are refused");
}

static void test_raw(void)
{
	static const int64_t dims[] = { 2, 2 };
	static const float want[] = { 1, 2, 3, 4 };
	struct loom_array array;
	struct loom_error err;

	if (loom_array_alloc(&array, DRM_LOOM_DTYPE_F32, 2, dims))
		tap_fatal("no memory");
	put(want, sizeof(want));
	tap_ok(!loom_raw_load(path, &array, &err) && !memcmp(array.data, want, sizeof(want)),
	       "bare bytes of the right length are taken");
	put(want, sizeof(want) - 1);
	tap_ok(loom_raw_load(path, &array, &err) == -EINVAL && strstr(err.text, "fewer"),
	       "one byte less is refused");
	tap_ok(loom_raw_load("/nowhere", &array, &err) == -ENOENT, "a file that is not there");
	tap_ok(loom_npy_save("/nowhere/x.npy", &array, &err) == -ENOENT &&
	       strstr(err.text, "/nowhere/x.npy"), "a folder that is not there");
	loom_array_clear(&array);
}

int main(void)
{
	temporary_create();
	test_round_trip();
	test_headers();
	test_mutations();
	test_raw();
	unlink(path);
	return tap_end();
}
