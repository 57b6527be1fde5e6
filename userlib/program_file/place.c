// SPDX-License-Identifier: MIT
/* Where the bytes of the weights of a file's programs are. */
#include "program_file.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"

/**
 * struct place - weights of programs before, at one place of their buffers
 * @memory: loom_file_memory()
 * @begin: first byte in the slot
 * @end: behind the last one
 * @data: the bytes
 */
struct place {
	u32 memory;
	u64 begin;
	u64 end;
	const void *data;
};

static int by_begin(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->memory != y->memory)
		return x->memory < y->memory ? -1 : 1;
	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* A new weight has the next bytes of the section. */
static int take_bytes(const struct loom_program_file *file, struct loom_program_tensor *weight,
		      u64 *end)
{
	const u64 has = file->programs->sections[LOOM_FILE_DATA].size_bytes;
	u64 at = loom_file_align(*end, LOOM_FILE_ALIGN);

	if (at > has || weight->size_bytes > has - at)
		return -EINVAL;
	weight->data = file->data + at;
	*end = at + weight->size_bytes;
	return 0;
}

/* Of a weight that lies where one of a program before lies, or of a new one. */
static int place_weight(const struct loom_program_file *file, const struct loom_program *program,
			const struct place *places, size_t count,
			struct loom_program_tensor *weight, u64 *end)
{
	const struct place want = {
		.memory = loom_file_memory(program, weight), .begin = weight->offset,
	};
	const struct place *known = NULL;

	if (count && !(want.memory & DRM_LOOM_SLOT_SRAM))
		known = bsearch(&want, places, count, sizeof(*places), by_begin);
	if (!known)
		return take_bytes(file, weight, end);
	if (known->end - known->begin != weight->size_bytes)
		return -EFBIG;
	weight->data = known->data;
	return 0;
}

/* Adds the weights of a program to those before. Returns false where two overlap. */
static bool add_places(const struct loom_program *program, struct place *places, size_t *count)
{
	size_t i, kept = 0;

	for (i = 0; i < program->num_weights; i++) {
		const struct loom_program_tensor *weight = &program->weights[i];
		u32 memory = weight->size_bytes ? loom_file_memory(program, weight) : 0;

		if (weight->size_bytes && !(memory & DRM_LOOM_SLOT_SRAM))
			places[(*count)++] = (struct place){
				.memory = memory, .begin = weight->offset,
				.end = weight->offset + weight->size_bytes, .data = weight->data,
			};
	}
	qsort(places, *count, sizeof(*places), by_begin);
	for (i = 0; i < *count; i++) {
		if (kept && places[kept - 1].memory == places[i].memory) {
			if (places[kept - 1].data == places[i].data)
				continue;
			if (places[kept - 1].end > places[i].begin)
				return false;
		}
		places[kept++] = places[i];
	}
	*count = kept;
	return true;
}

static int place_program(const struct loom_program_file *file, struct loom_file_program *program,
			 struct place *places, size_t *count, u64 *end, struct loom_error *err)
{
	struct loom_program_tensor *weights = program->tables[LOOM_FILE_WEIGHTS];
	u32 i;
	int ret;

	for (i = 0; i < program->program.num_weights; i++) {
		if (!weights[i].size_bytes)
			continue;
		ret = place_weight(file, &program->program, places, *count, &weights[i], end);
		if (ret)
			return loom_error_set(err, -EINVAL, "%s: weights %u: %s", program->name, i,
					      ret == -EFBIG ?
					      "one of an earlier program there has another size" :
					      "its bytes are missing");
	}
	program->program.set = file->count > 1 ? file : NULL;
	if (file->count > 1 && !add_places(&program->program, places, count))
		return loom_error_set(err, -EINVAL, "%s: its weights overlap those of others",
				      program->name);
	return 0;
}

int loom_file_place(struct loom_program_file *file, struct loom_error *err)
{
	struct place *places;
	size_t count = 0;
	u64 end = 0;
	int ret = 0;
	u32 i;

	for (i = 0; i < file->count; i++)
		count += file->programs[i].program.num_weights;
	places = malloc((count + 1) * sizeof(*places));
	if (!places)
		return loom_error_set(err, -ENOMEM, "%s: no memory", file->name);
	count = 0;
	for (i = 0; i < file->count && !ret; i++)
		ret = place_program(file, &file->programs[i], places, &count, &end, err);
	free(places);
	if (!ret && end != file->programs->sections[LOOM_FILE_DATA].size_bytes)
		return loom_error_set(err, -EINVAL,
				      "%s: there are bytes behind the last of the weights",
				      file->name);
	return ret;
}
