// SPDX-License-Identifier: MIT
/*
 * DOC: Fuzzing the loader of programs
 *
 * One input is a file. Whatever is in it, nothing may crash; a refusal is one line with the name of
 * the file, and the same when asked again. A program that is accepted is written, and read as what
 * was written, and its plan is looked at once more (plan_judge.h); it is printed, drawn, and run
 * where its buffers are not too large for that.
 *
 * Inputs are files of random networks, with bits, numbers, fields and pieces exchanged, most of
 * them with checksums that fit.
 */
#include "loom_core.h"

#define FUZZ_NAME	"fuzz-program"
#define FUZZ_MAX_BYTES	(256 << 10)

#include "fuzz.h"
#include "host/program_file/programs.h"
#include "plan_damage.h"
#include "plan_judge.h"
#include "program_bytes.h"

/* Programs with more are not run: faults that show only in large buffers are not looked for. */
#define FUZZ_MAX_BUFFERS	(16ULL << 20)

static uint64_t fuzz_taken, fuzz_ran;

/* How often a run of so many element operations may be called. */
static int fuzz_stop(void *arg, uint64_t done, uint64_t total)
{
	(void)arg;
	(void)done;
	(void)total;
	return -ETIME;
}

/* @other: of the same file, whose buffers may be used, or NULL */
static void fuzz_run_program(const struct loom_program *program, const struct loom_program *other,
			     const struct drm_loom_chip *chip)
{
	const uint64_t lanes = chip->region[DRM_LOOM_REGION_SRAM].banks;
	uint64_t bytes = program->stats.scratch_bytes * lanes;
	struct loom_session *session = NULL, *beside = NULL;
	struct loom_target *target;
	struct loom_array array;
	struct loom_error err;
	uint32_t i;

	for (i = 0; i < program->num_slots && bytes < FUZZ_MAX_BUFFERS; i++)
		bytes += program->slots[i].size_bytes > FUZZ_MAX_BUFFERS ? FUZZ_MAX_BUFFERS :
			 program->slots[i].size_bytes * lanes;
	if (bytes >= FUZZ_MAX_BUFFERS || loom_target_open("host", chip, &target, &err))
		return;
	if (other && !loom_session_create(target, other, &beside, &err) &&
	    loom_session_create_beside(beside, program, LOOM_BESIDE_STATES, &session, &err))
		loom_session_create_beside(beside, program, 0, &session, &err);
	if (session || !loom_session_create(target, program, &session, &err)) {
		for (i = 0; i < program->num_inputs; i++) {
			const struct loom_program_tensor *input = &program->inputs[i];

			if (loom_array_alloc(&array, input->dtype, input->rank, input->dims))
				continue;
			loom_array_randomize(&array, i);
			loom_session_set_input(session, i, &array, &err);
			loom_array_clear(&array);
		}
		fuzz_ran += !loom_session_run(session, fuzz_stop, NULL, &err);
		for (i = 0; i < program->num_outputs; i++)
			if (!loom_session_get_output(session, i, &array, NULL))
				loom_array_clear(&array);
		for (i = 0; i < program->num_observed; i++)
			if (!loom_session_get_observed(session, i, &array, NULL))
				loom_array_clear(&array);
	}
	loom_session_destroy(session);
	loom_session_destroy(beside);
	loom_target_close(target);
}

/* Runs take sizes and places from here: they are as the dimensions say, and in a slot. */
static void fuzz_check_tensors(const struct loom_program *program,
			       const struct loom_program_tensor *tensors, uint32_t count)
{
	uint32_t i, k;

	for (i = 0; i < count; i++) {
		const struct loom_program_tensor *tensor = &tensors[i];
		uint64_t bytes = loom_dtype_stride(tensor->dtype);

		for (k = 0; k < tensor->rank; k++)
			fuzz_expect(!__builtin_mul_overflow(bytes, tensor->dims[k], &bytes),
				    "'%s' is too large", tensor->name);
		fuzz_expect(bytes == tensor->size_bytes, "'%s' has another size", tensor->name);
		if (!bytes)
			continue;
		fuzz_expect(tensor->slot < program->num_slots, "'%s' has no slot", tensor->name);
		fuzz_expect(tensor->offset <= program->slots[tensor->slot].size_bytes &&
			    tensor->size_bytes <= program->slots[tensor->slot].size_bytes -
						  tensor->offset,
			    "'%s' is not in its slot", tensor->name);
	}
}

static void fuzz_use(const struct loom_program *program, const struct loom_program *other,
		     const struct drm_loom_chip *chip)
{
	struct plan_judge judge;
	size_t size;
	char *text;

	fuzz_check_tensors(program, program->inputs, program->num_inputs);
	fuzz_check_tensors(program, program->outputs, program->num_outputs);
	fuzz_check_tensors(program, program->observed, program->num_observed);
	fuzz_expect(plan_judge(&judge, program->plan, chip), "what is accepted is wrong: %s",
		    judge.fault);
	fuzz_expect(!loom_plan_dump(program->plan, program->plan_bytes, &text), "no dump");
	free(text);
	fuzz_expect(!loom_program_svg(program, chip, NULL, &text, &size), "no picture");
	free(text);
	fuzz_expect(!loom_program_trace(program, chip, NULL, &text, &size), "no trace");
	free(text);
	fuzz_run_program(program, other, chip);
}

/* A file that is accepted has the sums that fit it. */
static void fuzz_check_sums(const uint8_t *data, size_t size)
{
	uint8_t *fixed = malloc(size);

	if (!fixed)
		fuzz_fail("no memory");
	memcpy(fixed, data, size);
	bytes_fix(fixed, size);
	fuzz_expect(!memcmp(fixed, data, size), "a file with a wrong checksum is accepted");
	free(fixed);
}

static int fuzz_write(const struct loom_program_file *file, void **bytes, size_t *size,
		      struct loom_error *err)
{
	const struct loom_program *programs[LOOM_FILE_PROGRAMS];
	uint32_t i;

	for (i = 0; i < loom_program_file_count(file); i++)
		programs[i] = loom_program_file_at(file, i);
	return loom_program_write_set(programs, i, loom_program_file_origin(file), bytes, size,
				      err);
}

static void fuzz_write_again(const struct loom_program_file *file)
{
	struct loom_program_file *again;
	void *bytes[2];
	size_t sizes[2];
	struct loom_error err;
	int ret;

	ret = fuzz_write(file, &bytes[0], &sizes[0], &err);
	/* a plan may read what is no weight */
	if (ret == -EINVAL && loom_program_file_count(file) > 1)
		return;
	fuzz_expect(!ret, "what was accepted cannot be written: %s", err.text);
	ret = loom_program_parse(bytes[0], sizes[0], "again.loom", &again, &err);
	fuzz_expect(!ret, "what was written cannot be read: %s", err.text);
	ret = fuzz_write(again, &bytes[1], &sizes[1], &err);
	fuzz_expect(!ret && sizes[0] == sizes[1] && !memcmp(bytes[0], bytes[1], sizes[0]),
		    "what was written is another program");
	loom_program_unload(again);
	free(bytes[0]);
	free(bytes[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_program_file *file, *again;
	struct loom_error err, second;
	uint32_t i;
	int ret;

	ret = loom_program_parse(data, size, "fuzz.loom", &file, &err);
	if (ret) {
		fuzz_check_line(&err, "fuzz.loom: ");
		fuzz_expect(loom_program_parse(data, size, "fuzz.loom", &again, &second) == ret &&
			    !strcmp(err.text, second.text), "two answers to the same question");
		return 0;
	}
	fuzz_taken++;
	fuzz_check_sums(data, size);
	fuzz_write_again(file);
	for (i = 0; i < loom_program_file_count(file); i++)
		fuzz_use(loom_program_file_at(file, i),
			 i ? loom_program_file_at(file, i - 1) : NULL,
			 loom_program_file_origin(file)->chip);
	loom_program_unload(file);
	return 0;
}

#ifdef LOOM_LIBFUZZER

/* A checksum that does not fit ends it at once: most are made right again. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int seed)
{
	size = LLVMFuzzerMutate(data, size, room);
	if (seed % 16)
		bytes_fix(data, size);
	return size;
}

#else

#define FUZZ_HEADER	(sizeof(struct loom_file_header) +			\
			 LOOM_FILE_PARTS * sizeof(struct loom_file_section))

static struct fuzz_input fuzz_files[24];
static uint32_t fuzz_num_files;

static void fuzz_add_file(const void *bytes, size_t size)
{
	struct fuzz_input *file = &fuzz_files[fuzz_num_files++];

	memcpy(file->data, bytes, size);
	file->size = size;
}

/* A file of two programs, with states and weights. */
static void fuzz_make_set(uint32_t which)
{
	const struct loom_program *programs[2];
	struct loom_program_origin origin;
	struct made made[2];
	struct loom_error err;
	void *bytes;
	size_t size;
	uint32_t i;

	for (i = 0; i < 2; i++) {
		if (!make_program(which, &made[i]))
			fuzz_fail("no program");
		programs[i] = made[i].program;
	}
	origin = (struct loom_program_origin){ .chip = &made[0].chip };
	if (loom_program_write_set(programs, 2, &origin, &bytes, &size, &err))
		fuzz_fail("%s", err.text);
	if (size <= FUZZ_MAX_BYTES)
		fuzz_add_file(bytes, size);
	free(bytes);
	for (i = 0; i < 2; i++)
		put_program(&made[i]);
}

static void fuzz_make_files(void)
{
	static const uint32_t sets[] = { 0, 1, 2, 5, 8, 10 };
	struct made made;
	uint8_t *bytes;
	uint32_t which;
	size_t size;

	for (which = 0; which < ARRAY_SIZE(sets); which++)
		fuzz_make_set(sets[which]);

	for (which = 0; which < MADE && fuzz_num_files < ARRAY_SIZE(fuzz_files); which++) {
		if (!make_program(which, &made))
			continue;
		bytes = write_program(&made, &size);
		if (size <= FUZZ_MAX_BYTES && made.program->stats.commands < 300)
			fuzz_add_file(bytes, size);
		free(bytes);
		put_program(&made);
	}
	if (fuzz_num_files < 8)
		fuzz_fail("%u files are too few", fuzz_num_files);
}

static uint64_t fuzz_number(uint64_t value)
{
	static const uint64_t numbers[] = {
		0, 1, 2, 64, 4096, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 1ULL << 44,
		0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff,
	};

	switch (random_below(4)) {
	case 0:
		return value + random_below(9) - 4;
	case 1:
		return value ^ 1ULL << random_below(64);
	case 2:
		return random_u64() >> random_below(64);
	default:
		return numbers[random_below(ARRAY_SIZE(numbers))];
	}
}

/* A number of a record, of the plan or of the chip; the rest at random. */
static void fuzz_mutate(void)
{
	const uint32_t sections = max(bytes_num_sections(fuzz_now.data, fuzz_now.size), 1U);
	const uint32_t part = random_below(3) ? (uint32_t)random_below(sections) :
						LOOM_FILE_PLAN;
	const struct loom_file_section *section = &bytes_sections(fuzz_now.data)[part];
	uint64_t value = 0, at, width = random_below(2) ? 4 : 8, from;

	if (section->offset > fuzz_now.size ||
	    section->size_bytes > fuzz_now.size - section->offset ||
	    section->size_bytes < width || !random_below(8)) {
		/* the header has a sum of its own, and sections are found by it */
		at = random_below(random_below(2) ? fuzz_now.size :
				  random_below(2) ? sizeof(struct loom_file_header) :
						    FUZZ_HEADER);
		fuzz_now.data[at] = (uint8_t)random_u64();
		return;
	}
	if (part % LOOM_FILE_DATA == LOOM_FILE_PLAN && random_below(8)) {
		value = random_u64() | 1;
		plan_damage_some(&value, fuzz_now.data + section->offset, section->size_bytes);
		return;
	}
	at = section->offset + random_below(section->size_bytes - width + 1) / 4 * 4;
	if (random_below(4)) {
		memcpy(&value, fuzz_now.data + at, width);
		value = fuzz_number(value);
		memcpy(fuzz_now.data + at, &value, width);
		return;
	}
	/* bytes from elsewhere in the section */
	from = section->offset + random_below(section->size_bytes - width + 1) / 4 * 4;
	memmove(fuzz_now.data + at, fuzz_now.data + from, width);
}

static void fuzz_next(void)
{
	const struct fuzz_input *from = &fuzz_files[random_below(fuzz_num_files)];
	uint64_t mutations;

	memcpy(fuzz_now.data, from->data, from->size);
	fuzz_now.size = from->size;
	for (mutations = random_below(4); mutations; mutations--)
		fuzz_mutate();
	if (!random_below(16))
		fuzz_now.size = random_below(fuzz_now.size) + 1;
	else if (random_below(16))
		bytes_fix(fuzz_now.data, fuzz_now.size);
}

int main(int argc, char **argv)
{
	static const struct fuzz_maker maker = {
		.begin = fuzz_make_files,
		.make = fuzz_next,
		.counts = { { "accepted", &fuzz_taken }, { "ran", &fuzz_ran } },
	};

	return fuzz_main(argc, argv, &maker);
}

#endif
