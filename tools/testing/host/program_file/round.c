// SPDX-License-Identifier: MIT
/* Programs of all kinds are read as written, with their results and the chips that they fit. */
#include <errno.h>

#include "host/program_file/programs.h"
#include "loom_chip.h"
#include "program_file/program_file.h"

static bool same(const void *a, const void *b, size_t size)
{
	return !size || !memcmp(a, b, size);
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_tensors(const struct loom_program_tensor *a, const struct loom_program_tensor *b,
			 uint32_t count, bool data)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (strcmp(a[i].name, b[i].name) || a[i].dtype != b[i].dtype ||
		    a[i].rank != b[i].rank || memcmp(a[i].dims, b[i].dims, sizeof(a[i].dims)) ||
		    a[i].slot != b[i].slot || a[i].offset != b[i].offset ||
		    a[i].size_bytes != b[i].size_bytes || a[i].open_dims != b[i].open_dims ||
		    (data && !same(a[i].data, b[i].data, a[i].size_bytes)))
			return false;
	return true;
}

static bool same_names(const struct loom_program *a, const struct loom_program *b)
{
	uint32_t i;

	for (i = 0; i < a->num_kernels; i++)
		if (!same_text(a->kernels[i].node, b->kernels[i].node) ||
		    !same_text(a->kernels[i].op, b->kernels[i].op) ||
		    memcmp(&a->kernels[i].first_step, &b->kernels[i].first_step,
			   offsetof(struct loom_program_kernel, overlap) -
			   offsetof(struct loom_program_kernel, first_step)) ||
		    memcmp(a->kernels[i].chunk, b->kernels[i].chunk, sizeof(a->kernels[i].chunk)))
			return false;
	for (i = 0; i < a->num_neurons; i++)
		if (!same_text(a->neurons[i].name, b->neurons[i].name) ||
		    a->neurons[i].offset != b->neurons[i].offset ||
		    a->neurons[i].size_bytes != b->neurons[i].size_bytes ||
		    a->neurons[i].first_node != b->neurons[i].first_node ||
		    a->neurons[i].last_node != b->neurons[i].last_node)
			return false;
	for (i = 0; i < a->num_labels; i++)
		if (!same_text(a->labels[i].name, b->labels[i].name) ||
		    a->labels[i].kind != b->labels[i].kind ||
		    a->labels[i].slice != b->labels[i].slice)
			return false;
	for (i = 0; i < a->num_nodes; i++)
		if (!same_text(a->nodes[i].name, b->nodes[i].name) ||
		    !same_text(a->nodes[i].op, b->nodes[i].op))
			return false;
	return same_text(a->placer, b->placer) && same_text(a->grouping, b->grouping);
}

static bool same_counts(const struct loom_program *a, const struct loom_program *b)
{
	return a->plan_bytes == b->plan_bytes && a->num_slots == b->num_slots &&
	       a->num_inputs == b->num_inputs && a->num_outputs == b->num_outputs &&
	       a->num_states == b->num_states && a->num_observed == b->num_observed &&
	       a->num_weights == b->num_weights && a->num_kernels == b->num_kernels &&
	       a->num_neurons == b->num_neurons && a->num_labels == b->num_labels &&
	       a->num_nodes == b->num_nodes && a->num_groups == b->num_groups &&
	       a->num_commands == b->num_commands;
}

static bool same_programs(const struct loom_program *a, const struct loom_program *b)
{
	return same_counts(a, b) && same(a->plan, b->plan, a->plan_bytes) &&
	       same(a->slots, b->slots, a->num_slots * sizeof(*a->slots)) &&
	       same(a->states, b->states, a->num_states * sizeof(*a->states)) &&
	       same(a->groups, b->groups, a->num_groups * sizeof(*a->groups)) &&
	       (!a->num_groups ||
		same(a->cuts, b->cuts, (a->num_groups - 1) * sizeof(*a->cuts))) &&
	       same(a->command_nodes, b->command_nodes, a->num_commands * sizeof(u32)) &&
	       same(&a->stats, &b->stats, sizeof(a->stats)) &&
	       same(&a->least, &b->least, sizeof(a->least)) &&
	       same_tensors(a->inputs, b->inputs, a->num_inputs, false) &&
	       same_tensors(a->outputs, b->outputs, a->num_outputs, false) &&
	       same_tensors(a->observed, b->observed, a->num_observed, false) &&
	       same_tensors(a->weights, b->weights, a->num_weights, true) && same_names(a, b);
}

/* Runs three times, and puts what comes out into @bytes. */
static size_t run(const struct drm_loom_chip *chip, const struct loom_program *program,
		  uint8_t *bytes, size_t room, struct drm_loom_counters *counters)
{
	struct loom_session *session;
	struct loom_target *target;
	struct loom_array array;
	struct loom_error err;
	size_t at = 0;
	uint32_t i, k;

	if (loom_target_open("host", chip, &target, &err) ||
	    loom_session_create(target, program, &session, &err))
		tap_fatal("%s", err.text);
	for (k = 0; k < 3; k++) {
		for (i = 0; i < program->num_inputs; i++) {
			const struct loom_program_tensor *input = &program->inputs[i];

			if (program->num_states && i == program->states[0].input)
				continue;
			if (loom_array_alloc(&array, input->dtype, input->rank, input->dims))
				tap_fatal("no memory");
			loom_array_randomize(&array, k * 100 + i);
			if (loom_session_set_input(session, i, &array, &err))
				tap_fatal("%s", err.text);
			loom_array_clear(&array);
		}
		if (loom_session_run(session, NULL, NULL, &err))
			tap_fatal("%s", err.text);
		for (i = 0; i < program->num_outputs + program->num_observed; i++) {
			if (i < program->num_outputs ?
			    loom_session_get_output(session, i, &array, NULL) :
			    loom_session_get_observed(session, i - program->num_outputs, &array,
						      NULL))
				tap_fatal("no output");
			if (at + array.size_bytes > room)
				tap_fatal("the outputs are too large");
			memcpy(bytes + at, array.data, array.size_bytes);
			at += array.size_bytes;
			loom_array_clear(&array);
		}
	}
	loom_session_counters(session, counters);
	counters->busy_ns = 0;
	loom_session_destroy(session);
	loom_target_close(target);
	return at;
}

static bool same_results(const struct made *made, const struct loom_program *loaded)
{
	static uint8_t results[2][8 << 20];
	struct drm_loom_counters counters[2];
	size_t size = run(&made->chip, made->program, results[0], sizeof(results[0]), &counters[0]);

	return run(&made->chip, loaded, results[1], sizeof(results[1]), &counters[1]) == size &&
	       size && same(results[0], results[1], size) &&
	       same(&counters[0], &counters[1], sizeof(counters[0]));
}

/* Text of a drawing, or of a trace. */
static bool same_texts(const struct made *made, const struct loom_program *loaded)
{
	char *texts[2];
	size_t sizes[2];
	bool good;

	if (loom_program_svg(made->program, &made->chip, NULL, &texts[0], &sizes[0]) ||
	    loom_program_svg(loaded, &made->chip, NULL, &texts[1], &sizes[1]))
		tap_fatal("no picture");
	good = sizes[0] == sizes[1] && same(texts[0], texts[1], sizes[0]);
	free(texts[0]);
	free(texts[1]);
	if (loom_program_trace(made->program, &made->chip, "t", &texts[0], &sizes[0]) ||
	    loom_program_trace(loaded, &made->chip, "t", &texts[1], &sizes[1]))
		tap_fatal("no trace");
	good = good && sizes[0] == sizes[1] && same(texts[0], texts[1], sizes[0]);
	free(texts[0]);
	free(texts[1]);
	return good;
}

/* Bytes of the chip: those of older libraries where these can read it. */
static uint64_t chip_bytes(const struct loom_program_file *file)
{
	struct loom_program_section section = { 0 };
	uint32_t i;

	for (i = 0; !loom_program_file_section(file, i, &section); i++)
		if (!strcmp(section.name, "chip"))
			break;
	return section.size_bytes;
}

/* The least that a library knew of a chip when it could read this one. */
static uint64_t least_chip_bytes(const struct drm_loom_chip *chip)
{
	static const uint64_t sizes[] = { LOOM_CHIP_FIRST_BYTES, LOOM_CHIP_SECOND_BYTES,
					  sizeof(*chip) };
	size_t end = sizeof(*chip), i;

	while (end && !((const uint8_t *)chip)[end - 1])
		end--;
	for (i = 0; sizes[i] < end; i++)
		;
	return sizes[i];
}

static void test_round(void)
{
	uint32_t which, count = 0, states = 0, images = 0, observed = 0, read = 0, computed = 0;
	uint32_t drawn = 0, again = 0, chips = 0, later = 0;

	for (which = 0; which < MADE; which++) {
		struct loom_program_file *file;
		const struct loom_program *loaded;
		struct loom_error err;
		uint8_t *bytes, *second;
		struct made made;
		size_t size, next;

		if (!make_program(which, &made))
			continue;
		count++;
		bytes = write_program(&made, &size);
		if (loom_program_parse(bytes, size, "file", &file, &err))
			tap_fatal("program %u: %s", which, err.text);
		loaded = loom_program_file_program(file);
		states += loaded->num_states;
		images += loaded->stats.images != 0;
		observed += loaded->num_observed != 0;
		read += same_programs(made.program, loaded) &&
			same(loom_program_file_origin(file)->chip, &made.chip, sizeof(made.chip));
		later += least_chip_bytes(&made.chip) > LOOM_CHIP_FIRST_BYTES;
		chips += chip_bytes(file) == least_chip_bytes(&made.chip);
		computed += same_results(&made, loaded);
		drawn += same_texts(&made, loaded);
		put_program(&made);
		made.program = (struct loom_program *)loaded;
		second = write_program(&made, &next);
		again += size == next && same(bytes, second, size);
		free(second);
		loom_program_unload(file);
		free(bytes);
	}
	tap_note("%u programs, %u with states, %u with images, %u observed", count, states, images,
		 observed);
	tap_ok(chips == count && later && later < count,
	       "chips with none of the later fields have the bytes of older libraries");
	tap_ok(count > MADE / 2 && states && images && observed, "there are programs of all kinds");
	tap_ok(read == count, "each is read as it was written");
	tap_ok(computed == count, "computes the same bits, and counts the same");
	tap_ok(drawn == count, "is drawn the same");
	tap_ok(again == count, "and is written as the same bytes again");
}

static void test_same_bytes(void)
{
	struct made made, twin;
	uint8_t *bytes, *others;
	size_t size, next;

	if (!make_program(5, &made) || !make_program(5, &twin))
		tap_fatal("no program");
	bytes = write_program(&made, &size);
	others = write_program(&twin, &next);
	tap_ok(size == next && same(bytes, others, size), "the same plan gives the same file");
	free(bytes);
	free(others);
	put_program(&made);
	put_program(&twin);
}

static void test_sections(void)
{
	struct loom_program_section section;
	struct loom_program_file *file;
	struct loom_error err;
	struct made made;
	uint64_t end = 0;
	uint8_t *bytes;
	uint32_t i;
	size_t size;
	bool good = true;

	if (!make_program(8, &made))
		tap_fatal("no program");
	bytes = write_program(&made, &size);
	if (loom_program_parse(bytes, size, "file", &file, &err))
		tap_fatal("%s", err.text);
	for (i = 0; !loom_program_file_section(file, i, &section); i++) {
		good = good && section.name && section.offset >= end && !(section.offset % 64);
		end = section.offset + section.size_bytes;
	}
	tap_ok(good && end == size && !strcmp(section.name, "data") && !(section.offset % 4096),
	       "sections follow each other, and constants begin a page");
	tap_ok(loom_program_file_origin(file)->library == LOOM_VERSION &&
	       loom_program_file_origin(file)->objective == LOOM_OBJECTIVE_TIME,
	       "it says where it is from");
	loom_program_unload(file);
	free(bytes);
	put_program(&made);
}

static void test_fits(void)
{
	struct loom_program_file *file;
	struct drm_loom_chip other;
	struct loom_error err;
	struct made made;
	uint8_t *bytes;
	size_t size;

	if (!make_program(5, &made))
		tap_fatal("no program");
	bytes = write_program(&made, &size);
	if (loom_program_parse(bytes, size, "file", &file, &err))
		tap_fatal("%s", err.text);
	other = made.chip;
	other.frequency_hz++;
	other.region[DRM_LOOM_REGION_SRAM].floor_bytes = 4096;
	tap_ok(!loom_program_file_fits(file, &other, &err), "another clock changes no result");
	other.region[DRM_LOOM_REGION_SRAM].banks++;
	tap_ok(loom_program_file_fits(file, &other, &err) == -EXDEV &&
	       strstr(err.text, "banks of sram"), "other banks do: %s", err.text);
	other = made.chip;
	other.opcodes &= other.opcodes - 1;
	tap_ok(loom_program_file_fits(file, &other, &err) == -EXDEV &&
	       strstr(err.text, "operations"), "an operation is missing: %s", err.text);
	loom_program_unload(file);
	free(bytes);
	put_program(&made);
}

static void test_refusals(void)
{
	struct loom_program_origin origin = { 0 };
	struct loom_program_node nodes[1] = { { "a\nb", NULL } };
	struct loom_program_file *file;
	struct loom_program program;
	struct loom_error err;
	struct drm_loom_chip chip;
	struct made made;
	size_t size;
	void *bytes;

	errno = 77;
	if (!make_program(5, &made))
		tap_fatal("no program");
	tap_ok(loom_program_write(made.program, &origin, &bytes, &size, &err) == -EINVAL && !bytes,
	       "no chip: %s", err.text);
	tap_ok(loom_program_write(made.program, NULL, &bytes, &size, &err) == -EINVAL && !bytes,
	       "no origin: %s", err.text);
	tap_ok(loom_program_write(NULL, &origin, &bytes, &size, &err) == -EINVAL && !bytes,
	       "no program: %s", err.text);
	chip = made.chip;
	chip.region[DRM_LOOM_REGION_SRAM].banks *= 2;
	origin.chip = &chip;
	tap_ok(loom_program_write(made.program, &origin, &bytes, &size, &err) == -EINVAL &&
	       !bytes && strstr(err.text, "lanes"), "the chip of another program: %s", err.text);
	origin.chip = &made.chip;
	origin.objective = 99;
	tap_ok(loom_program_write(made.program, &origin, &bytes, &size, &err) == -EINVAL,
	       "no objective: %s", err.text);
	origin.objective = 0;
	program = *made.program;
	program.nodes = nodes;
	program.num_nodes = 1;
	tap_ok(loom_program_write(&program, &origin, &bytes, &size, &err) == -EINVAL && !bytes &&
	       !strchr(err.text, '\n'), "a name of two lines: %s", err.text);
	put_program(&made);
	tap_ok(loom_program_load("/nowhere/net.loom", &file, &err) == -ENOENT && !file,
	       "no file: %s", err.text);
	tap_ok(loom_program_load("/", &file, &err) == -EISDIR && !file, "a folder: %s", err.text);
	tap_ok(loom_program_load("/dev/null", &file, &err) == -EINVAL && !file,
	       "no program: %s", err.text);
	tap_ok(!loom_program_file_is("/dev/null") && !loom_program_file_is("/nowhere/net.loom"),
	       "and none is recognised");
	tap_ok(loom_program_load(NULL, &file, &err) == -EINVAL && !file &&
	       !strstr(err.text, "null") && !loom_program_file_is(NULL), "no path: %s", err.text);
	tap_ok(errno == 77, "errno is left alone");
}

static void test_checksum(void)
{
	/* RFC 3720, B.4 */
	uint8_t bytes[32] = { 0 };
	uint32_t i, parts;

	tap_ok(loom_checksum(0, bytes, 32) == 0x8a9136aa, "CRC-32C of zeroes");
	for (i = 0; i < 32; i++)
		bytes[i] = (uint8_t)i;
	tap_ok(loom_checksum(0, bytes, 32) == 0x46dd794e, "CRC-32C of numbers");
	parts = loom_checksum(loom_checksum(0, bytes, 13), bytes + 13, 19);
	tap_ok(parts == 0x46dd794e, "and in parts");
}

int main(void)
{
	test_checksum();
	test_round();
	test_same_bytes();
	test_sections();
	test_fits();
	test_refusals();
	return tap_end();
}
