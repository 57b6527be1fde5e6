// SPDX-License-Identifier: MIT
#include "tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loom_file.h"

/**
 * DOC: Input files
 *
 * A dimension that the model leaves open is taken from --dim and --shape, else from the file: from
 * the shape of an array, the proportions of a picture, the length of bare bytes. A file that
 * contradicts is refused here, where its name is known.
 */

enum tool_file_kind {
	TOOL_FILE_RAW,
	TOOL_FILE_NPY,
	TOOL_FILE_PB,
	TOOL_FILE_IMAGE,
	TOOL_FILE_RANDOM,
};

/* Not a file: random numbers. */
#define TOOL_INPUT_RANDOM	"random:"

static int tool_file_detect(const char *path, enum tool_file_kind *kind)
{
	static const char png[] = "\x89PNG";
	static const char npy[] = "\x93NUMPY";
	const char *suffix = strrchr(path, '.');
	char magic[6] = "";
	FILE *file;
	size_t got;

	if (!strncmp(path, TOOL_INPUT_RANDOM, strlen(TOOL_INPUT_RANDOM))) {
		*kind = TOOL_FILE_RANDOM;
		return 0;
	}
	file = fopen(path, "rb");
	if (!file)
		return tool_fail("%s: %s", path, strerror(errno));
	got = fread(magic, 1, sizeof(magic), file);
	fclose(file);
	if (got == sizeof(magic) && !memcmp(magic, npy, 6))
		*kind = TOOL_FILE_NPY;
	else if (got >= 4 && !memcmp(magic, png, 4))
		*kind = TOOL_FILE_IMAGE;
	else if (suffix && (!strcmp(suffix, ".pgm") || !strcmp(suffix, ".ppm") ||
			    !strcmp(suffix, ".pnm") || !strcmp(suffix, ".png")))
		*kind = TOOL_FILE_IMAGE;
	else if (suffix && !strcmp(suffix, ".pb"))
		*kind = TOOL_FILE_PB;
	else if (suffix && !strcmp(suffix, ".npy"))
		*kind = TOOL_FILE_NPY;
	else
		*kind = TOOL_FILE_RAW;
	return 0;
}

/* The shape that the model, --shape and --dim give; negative dimensions are open. */
static void tool_input_shape(const struct tool_model *model, struct loom_tensor_info *info,
			     const char *const *names, bool *has_shape, int64_t *dims)
{
	char anonymous[256];
	uint32_t i, d;

	memcpy(dims, info->dims, sizeof(info->dims));
	for (i = 0; i < model->num_shapes; i++) {
		if (strcmp(model->shapes[i].input, info->name))
			continue;
		if (!*has_shape)
			info->rank = model->shapes[i].rank;
		*has_shape = true;
		if (model->shapes[i].rank == info->rank)
			memcpy(dims, model->shapes[i].dims, info->rank * sizeof(*dims));
	}
	for (d = 0; d < info->rank; d++) {
		snprintf(anonymous, sizeof(anonymous), "%s:%u", info->name, d);
		for (i = 0; dims[d] < 0 && i < model->num_dims; i++)
			if (!strcmp(model->dims[i].name, anonymous) ||
			    (names[d] && !strcmp(model->dims[i].name, names[d])))
				dims[d] = model->dims[i].value;
	}
}

static bool tool_input_fits(const struct loom_array *array, uint32_t rank, const int64_t *dims)
{
	uint32_t i;

	if (array->rank != rank)
		return false;
	for (i = 0; i < rank; i++)
		if (dims[i] >= 0 && dims[i] != array->dims[i])
			return false;
	return true;
}

/**
 * enum tool_input_items - how an array holds several items
 * @TOOL_INPUT_ONE: it holds one, for all
 * @TOOL_INPUT_LONGER: one after the other along the first dimension
 * @TOOL_INPUT_AXIS: along one more dimension in front
 */
enum tool_input_items {
	TOOL_INPUT_ONE,
	TOOL_INPUT_LONGER,
	TOOL_INPUT_AXIS,
};

static enum tool_input_items tool_input_holds(const struct tool_model *model, uint32_t index,
					      uint32_t items, const struct loom_array *array)
{
	const char *names[LOOM_GRAPH_RANK] = { NULL };
	int64_t dims[LOOM_GRAPH_RANK];
	struct loom_tensor_info info;
	struct loom_array item = *array;
	bool has_shape;

	if (items == 1 || tool_model_declared(model, index, &info, names, &has_shape))
		return TOOL_INPUT_ONE;
	tool_input_shape(model, &info, names, &has_shape, dims);
	if (!array->rank || array->dims[0] % items)
		return TOOL_INPUT_ONE;
	if (!has_shape)
		return TOOL_INPUT_LONGER;
	item.rank--;
	memmove(item.dims, array->dims + 1, item.rank * sizeof(*item.dims));
	if (array->dims[0] == items && tool_input_fits(&item, info.rank, dims))
		return TOOL_INPUT_AXIS;
	if (info.rank && dims[0] >= 0)
		dims[0] *= items;
	return tool_input_fits(array, info.rank, dims) ? TOOL_INPUT_LONGER : TOOL_INPUT_ONE;
}

uint32_t tool_input_item(const struct tool_model *model, uint32_t index, uint32_t items,
			 const struct loom_array *array, int64_t *dims)
{
	enum tool_input_items how = tool_input_holds(model, index, items, array);
	uint32_t rank = array->rank - (how == TOOL_INPUT_AXIS);

	memcpy(dims, array->dims + (how == TOOL_INPUT_AXIS), rank * sizeof(*dims));
	if (how == TOOL_INPUT_LONGER)
		dims[0] /= items;
	return rank;
}

static int tool_input_check(const char *path, const struct loom_tensor_info *info,
			    bool has_shape, const int64_t *dims, const struct loom_array *array)
{
	char wants[TOOL_TEXT], has[TOOL_TEXT];

	if (array->dtype != info->dtype)
		return tool_fail("%s: holds %s elements, input '%s' takes %s", path,
				 loom_dtype_name(array->dtype), info->name,
				 loom_dtype_name(info->dtype));
	if (has_shape && !tool_input_fits(array, info->rank, dims))
		return tool_fail("%s: is %s, input '%s' takes %s", path,
				 tool_dims(has, array->rank, array->dims), info->name,
				 tool_dims(wants, info->rank, dims));
	return 0;
}

/* The one open dimension follows from the length of the file. */
static void tool_input_close_raw(const char *path, uint32_t dtype, uint32_t rank, int64_t *dims)
{
	uint64_t rest = loom_dtype_size(dtype);
	uint32_t i, num_open = 0, open = 0;
	size_t size;
	FILE *file;

	for (i = 0; i < rank; i++) {
		if (dims[i] < 0) {
			num_open++;
			open = i;
		} else if (__builtin_mul_overflow(rest, (uint64_t)dims[i], &rest)) {
			return;
		}
	}
	if (num_open != 1 || !rest)
		return;
	file = fopen(path, "rb");
	if (!file)
		return;
	if (!tool_file_size(file, &size) && size && !(size % rest))
		dims[open] = size / rest;
	fclose(file);
}

/* For what has no shape of its own. */
static int tool_input_alloc(const char *path, const struct loom_tensor_info *info,
			    const int64_t *dims, struct loom_array *array)
{
	char text[TOOL_TEXT];
	uint32_t i;

	for (i = 0; i < info->rank; i++)
		if (dims[i] < 0)
			return tool_fail("%s: has no shape, and input '%s' is %s: give --shape",
					 path, info->name, tool_dims(text, info->rank, dims));
	if (loom_array_alloc(array, info->dtype, info->rank, dims))
		return tool_fail("input '%s' %s is too large", info->name,
				 tool_dims(text, info->rank, dims));
	return 0;
}

static int tool_input_load_raw(const char *path, const struct loom_tensor_info *info,
			       int64_t *dims, struct loom_array *array)
{
	struct loom_error err;
	int ret;

	tool_input_close_raw(path, info->dtype, info->rank, dims);
	ret = tool_input_alloc(path, info, dims, array);
	if (ret)
		return ret;
	if (loom_raw_load(path, array, &err))
		return tool_fail("%s", err.text);
	return 0;
}

static int tool_input_make_random(const char *path, const struct loom_tensor_info *info,
				  const int64_t *dims, struct loom_array *array)
{
	const char *seed = path + strlen(TOOL_INPUT_RANDOM);
	int ret;

	if (!*seed || strlen(seed) > 18 || seed[strspn(seed, "0123456789")])
		return tool_fail("%s: the seed is a number", path);
	ret = tool_input_alloc(path, info, dims, array);
	if (!ret)
		loom_array_randomize(array, strtoull(seed, NULL, 10));
	return ret;
}

static void tool_input_image_options(const struct tool_input_options *options, bool open,
				     uint32_t rank, const int64_t *dims,
				     struct loom_image_options *image)
{
	image->scale = options->scale;
	memcpy(image->mean, options->mean, sizeof(image->mean));
	memcpy(image->std, options->std, sizeof(image->std));
	image->bgr = options->order ? !strcmp(options->order, "bgr") :
				      loom_image_channels_first(rank, dims);
	image->fit = (options->fit ? !strcmp(options->fit, "pad") : open) ? LOOM_IMAGE_PAD :
									    LOOM_IMAGE_STRETCH;
}

static int tool_input_load_image(const char *path, const struct loom_tensor_info *info,
				 int64_t *dims, const struct tool_input_options *options,
				 struct loom_array *array)
{
	bool open = info->rank && (info->dims[info->rank - 1] < 0);
	struct loom_image_options how;
	struct loom_image image;
	struct loom_error err;
	char text[TOOL_TEXT];
	int ret = 0;

	if (loom_image_load(path, &image, &err))
		return tool_fail("%s", err.text);
	if (loom_image_shape(&image, info->rank, dims) ||
	    (info->dtype != DRM_LOOM_DTYPE_F32 && info->dtype != DRM_LOOM_DTYPE_U8)) {
		ret = tool_fail("%s: a picture does not fit into input '%s' %s %s", path,
				info->name, loom_dtype_name(info->dtype),
				tool_dims(text, info->rank, info->dims));
		goto out;
	}
	tool_input_image_options(options, open, info->rank, dims, &how);
	if (loom_array_alloc(array, info->dtype, info->rank, dims) ||
	    loom_image_to_array(&image, &how, array))
		ret = tool_fail("%s: no memory for input '%s' %s", path, info->name,
				tool_dims(text, info->rank, dims));
out:
	loom_image_clear(&image);
	return ret;
}

static int tool_input_load_kind(enum tool_file_kind kind, const char *path,
				const struct loom_tensor_info *info, int64_t *dims,
				const struct tool_input_options *options,
				struct loom_array *array)
{
	struct loom_error err;

	switch (kind) {
	case TOOL_FILE_NPY:
		return loom_npy_load(path, array, &err) ? tool_fail("%s", err.text) : 0;
	case TOOL_FILE_PB:
		return loom_tensor_load_pb(path, array, &err) ? tool_fail("%s", err.text) : 0;
	case TOOL_FILE_IMAGE:
		return tool_input_load_image(path, info, dims, options, array);
	case TOOL_FILE_RANDOM:
		return tool_input_make_random(path, info, dims, array);
	case TOOL_FILE_RAW:
		break;
	}
	return tool_input_load_raw(path, info, dims, array);
}

int tool_input_load(const struct tool_model *model, uint32_t index, const char *path,
		    uint32_t items, const struct tool_input_options *options,
		    struct loom_array *array)
{
	const char *names[LOOM_GRAPH_RANK] = { NULL };
	int64_t dims[LOOM_GRAPH_RANK];
	struct loom_tensor_info info;
	enum tool_file_kind kind = TOOL_FILE_RAW;
	bool has_shape;
	int ret;

	memset(array, 0, sizeof(*array));
	if (tool_model_declared(model, index, &info, names, &has_shape))
		return tool_fail("%s: has no input %u", model->path, index);
	tool_input_shape(model, &info, names, &has_shape, dims);
	ret = tool_file_detect(path, &kind);
	if (!ret && !has_shape && kind != TOOL_FILE_NPY && kind != TOOL_FILE_PB)
		return tool_fail("%s: the model does not say the shape of input '%s': give --shape",
				 path, info.name);
	/* these say nothing of items: they hold all of them */
	if ((kind == TOOL_FILE_RAW || kind == TOOL_FILE_RANDOM) && items > 1 && info.rank &&
	    dims[0] > 0)
		dims[0] *= items;
	if (!ret)
		ret = tool_input_load_kind(kind, path, &info, dims, options, array);
	if (!ret && tool_input_holds(model, index, items, array) == TOOL_INPUT_ONE)
		ret = tool_input_check(path, &info, has_shape, dims, array);
	if (ret)
		goto fail;
	free(array->name);
	array->name = strdup(info.name);
	if (array->name)
		return 0;
	ret = tool_fail("no memory");
fail:
	loom_array_clear(array);
	return ret;
}

/* ---------------------------------------------------------------- --value */

bool tool_input_is_fixed(const struct tool_model *model, const char *name)
{
	uint32_t i;

	for (i = 0; i < model->num_fixed; i++)
		if (!strcmp(model->fixed[i].input, name))
			return true;
	return false;
}

static uint64_t tool_input_count(const char *text)
{
	uint64_t count = 1;

	for (; *text; text++)
		count += *text == ',';
	return count;
}

/* One dimension that is open follows from the number of values. */
static void tool_input_close(uint32_t rank, int64_t *dims, uint64_t count)
{
	uint64_t others = 1;
	int64_t *open = NULL;
	uint32_t i;

	for (i = 0; i < rank; i++) {
		if (dims[i] >= 0) {
			others *= (uint64_t)dims[i];
			continue;
		}
		if (open)
			return;
		open = &dims[i];
	}
	if (open && others && count % others == 0)
		*open = (int64_t)(count / others);
}

/* End of a number, true or false; @text if it is none of these. */
static const char *tool_input_number(const char *text, double *number)
{
	char *end;

	*number = !strncmp(text, "true", 4);
	if (*number)
		return text + 4;
	if (!strncmp(text, "false", 5))
		return text + 5;
	*number = strtod(text, &end);
	return end;
}

static int tool_input_parse(const struct tool_value *value, struct loom_array *array)
{
	const char *at = value->text, *end;
	double number;
	uint64_t i;

	for (i = 0; *at; i++) {
		end = tool_input_number(at, &number);
		if (end == at || (*end && *end != ','))
			return tool_fail("--value %s: '%.40s' is not a list of numbers",
					 value->input, value->text);
		loom_array_set_element(array, i, number);
		at = end + (*end == ',');
	}
	return 0;
}

static int tool_input_value(const struct tool_model *model, const struct tool_value *value,
			    struct loom_array *array)
{
	const char *names[LOOM_GRAPH_RANK] = { NULL };
	uint64_t count = tool_input_count(value->text);
	struct loom_tensor_info info;
	int64_t dims[LOOM_GRAPH_RANK];
	char text[TOOL_TEXT];
	bool has_shape;
	uint32_t i;
	int ret;

	for (i = 0; !tool_model_declared(model, i, &info, names, &has_shape); i++)
		if (!strcmp(info.name, value->input))
			break;
	if (i == tool_model_num_declared(model))
		return tool_fail("--value %s: the model has no such input", value->input);
	tool_input_shape(model, &info, names, &has_shape, dims);
	tool_input_close(info.rank, dims, count);
	ret = tool_input_alloc("--value", &info, dims, array);
	if (ret)
		return ret;
	array->name = strdup(info.name);
	if (!array->name)
		return tool_fail("no memory");
	if (count * loom_dtype_size(array->dtype) != array->size_bytes)
		return tool_fail("--value %s: %llu values for %s", value->input,
				 (unsigned long long)count, tool_dims(text, info.rank, dims));
	return tool_input_parse(value, array);
}

int tool_input_values(const struct tool_model *model, struct loom_array **constants)
{
	uint32_t i;
	int ret = 0;

	*constants = NULL;
	if (!model->num_fixed)
		return 0;
	*constants = calloc(model->num_fixed, sizeof(**constants));
	if (!*constants)
		return tool_fail("no memory");
	for (i = 0; i < model->num_fixed && !ret; i++)
		ret = tool_input_value(model, &model->fixed[i], &(*constants)[i]);
	return ret;
}
