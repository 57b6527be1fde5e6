// SPDX-License-Identifier: MIT
/* Several programs in one file: their weights are there once, and sessions share buffers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/lower/case.h"
#include "loom_chip_file.h"
#include "loom_device.h"
#include "loom_program_file.h"
#include "loom_run.h"
#include "program_bytes.h"
#include "run/run.h"

#define ROOM	8
#define WIDTH	3

/* Rows of x are multiplied by w and put into past; all is added to old, a state of two buffers. */
#define NET	"x f32 1 %d 3; past f32 1 8 3; old f32 1 8 3; at i64 1; " \
		"w = f32 3 3 : 1 2 3 4 5 6 7 8 10; b = f32 %d 1 : %s; " \
		"twin = f32 3 3 : 1 2 3 4 5 6 7 8 10; " \
		"h = MatMul x w; g = MatMul h twin; i = Add g b; " \
		"now = TensorScatter past i at axis=1; new = Add old now; y = MatMul new w; > y now new"

static const struct loom_state_binding states[] = { { "now", "past" }, { "new", "old" } };

/**
 * struct set - a file of several programs
 * @graphs: of the programs
 * @programs: as they were planned
 * @file: loaded
 * @bytes: of the file
 * @size: number of @bytes
 * @target: the host
 */
struct set {
	struct loom_graph *graphs[2];
	struct loom_program *programs[2];
	struct loom_program_file *file;
	void *bytes;
	size_t size;
	struct loom_target *target;
};

static void make_set(struct set *set, const char *chip_name)
{
	static const char *const numbers[] = { "1 2 4", "1" };
	static const int64_t rows[] = { 3, 1 };
	const struct loom_graph_options finish = { .states = states, .num_states = 2 };
	const struct loom_program *programs[2];
	struct drm_loom_chip chip;
	const struct loom_planner_options options = { .chip = &chip };
	const struct loom_program_origin origin = { .chip = &chip };
	struct loom_error err;
	uint32_t i;

	if (loom_chip_find(chip_name, &chip))
		tap_fatal("no chip");
	for (i = 0; i < 2; i++) {
		set->graphs[i] = case_graph(24, NET, (int)rows[i], (int)rows[i],
					    numbers[i]);
		if (loom_graph_finish(set->graphs[i], &finish, &err) ||
		    loom_program_create(set->graphs[i], &options, &set->programs[i], &err))
			tap_fatal("%s", err.text);
		programs[i] = set->programs[i];
	}
	if (loom_program_write_set(programs, 2, &origin, &set->bytes, &set->size, &err) ||
	    loom_program_parse(set->bytes, set->size, "set.loom", &set->file, &err) ||
	    loom_target_open("host", &chip, &set->target, &err))
		tap_fatal("%s", err.text);
}

static void put_set(struct set *set)
{
	uint32_t i;

	loom_target_close(set->target);
	loom_program_unload(set->file);
	free(set->bytes);
	for (i = 0; i < 2; i++) {
		loom_program_destroy(set->programs[i]);
		loom_graph_destroy(set->graphs[i]);
	}
}

static const struct loom_program_tensor *find_weight(const struct loom_program *program,
						     const char *name)
{
	uint32_t i;

	for (i = 0; i < program->num_weights; i++)
		if (!strcmp(program->weights[i].name, name))
			return &program->weights[i];
	tap_fatal("%s is missing", name);
	return NULL;
}

/* Number of weights of @a that are not also those of @b. */
static uint32_t count_own(const struct loom_program *a, const struct loom_program *b)
{
	uint32_t i, k, count = 0;

	for (i = 0; i < a->num_weights; i++) {
		for (k = 0; k < b->num_weights; k++)
			if (a->weights[i].data == b->weights[k].data)
				break;
		count += k == b->num_weights;
	}
	return count;
}

static bool is_one_place(const struct loom_program *a, const struct loom_program *b,
			 const char *name)
{
	const struct loom_program_tensor *x = find_weight(a, name), *y = find_weight(b, name);

	return x->offset == y->offset && x->data == y->data;
}

static void test_file(const char *chip)
{
	struct loom_program_section section = { 0 };
	const struct loom_program *a, *b;
	struct set set;
	uint64_t end = 0;
	uint32_t i;
	bool good = true;

	tap_note("for %s", chip);
	make_set(&set, chip);
	a = loom_program_file_at(set.file, 0);
	b = loom_program_file_at(set.file, 1);
	tap_ok(loom_program_file_count(set.file) == 2 && !loom_program_file_at(set.file, 2) &&
	       loom_program_file_program(set.file) == a && a->set && a->set == b->set,
	       "a file has two programs");
	tap_ok(is_one_place(a, b, "w") && is_one_place(a, b, "twin") &&
	       find_weight(a, "w")->offset != find_weight(a, "twin")->offset,
	       "weights of both are at one place; two of one program are not");
	tap_ok(count_own(a, b) && count_own(a, b) + 2 <= a->num_weights,
	       "each has others of its own");
	tap_ok(a->stats.cycles == set.programs[0]->stats.cycles &&
	       !memcmp(find_weight(b, "w")->data, find_weight(set.programs[1], "w")->data, 36),
	       "cycles and numbers are as they were");
	for (i = 0; !loom_program_file_section(set.file, i, &section); i++) {
		good = good && section.offset >= end;
		end = section.offset + section.size_bytes;
	}
	tap_ok(good && end == set.size && i == 2 * LOOM_FILE_DATA + 1 &&
	       !strcmp(section.name, "data"), "sections follow each other");
	put_set(&set);
}

/* Results of one or more runs: how much the next row is, and where it goes. */
static void run_once(struct loom_session *session, const struct loom_program *program,
		     int64_t rows, int64_t at)
{
	float x[3 * WIDTH];
	uint32_t i;

	for (i = 0; i < rows * WIDTH; i++)
		x[i] = (float)(at * WIDTH + i % WIDTH) + (float)(i / WIDTH);
	for (i = 0; i < program->num_inputs; i++) {
		struct loom_array array = {
			.dtype = program->inputs[i].dtype, .rank = program->inputs[i].rank,
			.size_bytes = program->inputs[i].size_bytes,
		};
		struct loom_error err;

		memcpy(array.dims, program->inputs[i].dims, sizeof(array.dims));
		array.data = strcmp(program->inputs[i].name, "x") ? (void *)&at : (void *)x;
		if ((!strcmp(program->inputs[i].name, "x") ||
		     !strcmp(program->inputs[i].name, "at")) &&
		    loom_session_set_input(session, i, &array, &err))
			tap_fatal("%s", err.text);
	}
	if (loom_session_run(session, NULL, NULL, NULL))
		tap_fatal("no run");
}

/* Output @i, or behind @outputs a state. */
static void read_one(struct loom_session *session, uint32_t outputs, uint32_t i,
		     struct loom_array *array)
{
	if (i < outputs ? loom_session_get_output(session, i, array, NULL) :
			  loom_session_get_state(session, i - outputs, array, NULL))
		tap_fatal("no output");
}

/* All that a session knows, its states as each program reads them, and its result. */
static bool same(struct loom_session *a, struct loom_session *b, uint32_t outputs)
{
	struct loom_array x, y;
	bool good = true;
	uint32_t i;

	for (i = 0; i < outputs + 2; i++) {
		read_one(a, outputs, i, &x);
		read_one(b, outputs, i, &y);
		good = good && x.size_bytes == y.size_bytes &&
		       !memcmp(x.data, y.data, x.size_bytes);
		loom_array_clear(&x);
		loom_array_clear(&y);
	}
	return good;
}

/* Moves all states of @from to @to. */
static void hand_over(struct loom_session *from, struct loom_session *to)
{
	struct loom_array state;
	uint32_t i;

	for (i = 0; i < 2; i++) {
		if (loom_session_get_state(from, i, &state, NULL) ||
		    loom_session_set_state(to, i, &state, NULL))
			tap_fatal("no state");
		loom_array_clear(&state);
	}
}

/* Sessions that share everything compute what sessions do whose states are handed over. */
static void test_states(void)
{
	static const uint32_t turns[] = { 0, 1, 1, 0, 1, 0, 0, 1 };
	struct loom_session *mine[2], *third, *theirs[2];
	const struct loom_program *programs[2];
	struct loom_error err;
	struct set set;
	bool good = true;
	uint32_t i;

	make_set(&set, "soft");
	for (i = 0; i < 2; i++) {
		programs[i] = loom_program_file_at(set.file, i);
		if (loom_session_create(set.target, set.programs[i], &theirs[i], &err) ||
		    (i ? loom_session_create_beside(mine[0], programs[1], LOOM_BESIDE_STATES,
						    &mine[1], &err) :
			 loom_session_create(set.target, programs[0], &mine[0], &err)))
			tap_fatal("%s", err.text);
	}
	for (i = 0; i < ARRAY_SIZE(turns); i++) {
		uint32_t turn = turns[i];

		run_once(mine[turn], programs[turn], turn ? 1 : 3, i % 5);
		run_once(theirs[turn], set.programs[turn], turn ? 1 : 3, i % 5);
		hand_over(theirs[turn], theirs[!turn]);
		good = good && same(mine[turn], theirs[turn], 1) &&
		       same(mine[!turn], theirs[!turn], 0);
	}
	tap_ok(good, "a session goes on from the last run of another one");
	if (loom_session_create_beside(mine[1], programs[0], LOOM_BESIDE_STATES, &third, &err))
		tap_fatal("%s", err.text);
	tap_ok(same(third, mine[0], 0), "a third one begins where they are");
	run_once(third, programs[0], 3, 2);
	run_once(theirs[0], set.programs[0], 3, 2);
	tap_ok(same(third, theirs[0], 1) && same(mine[0], theirs[0], 0) &&
	       same(mine[1], theirs[0], 0), "and they go on where it is");
	good = !loom_session_reset_states(mine[1]) && !loom_session_reset_states(theirs[0]);
	tap_ok(good && same(third, theirs[0], 0), "all begin again if one does");
	loom_session_destroy(third);
	for (i = 2; i--;) {
		loom_session_destroy(mine[i]);
		loom_session_destroy(theirs[i]);
	}
	put_set(&set);
}

/* While a run is under way on common states nobody else comes to them. */
static void test_turns(void)
{
	struct loom_session *first, *second, *third;
	const struct loom_program *program;
	struct loom_array state;
	struct loom_error err;
	struct set set;
	bool good;

	make_set(&set, "soft");
	program = loom_program_file_at(set.file, 1);
	if (loom_session_create(set.target, program, &first, &err) ||
	    loom_session_create_beside(first, program, LOOM_BESIDE_STATES, &second, &err) ||
	    loom_session_create_beside(first, program, LOOM_BESIDE_STATES, &third, &err))
		tap_fatal("%s", err.text);
	run_once(first, program, 1, 0);
	run_once(second, program, 1, 1);
	run_once(third, program, 1, 2);
	good = !loom_session_submit(second, &err) &&
	       loom_session_run(first, NULL, NULL, &err) == -EINVAL;
	tap_note("%s", err.text);
	tap_ok(good && loom_session_submit(third, &err) == -EINVAL &&
	       loom_session_reset_states(first) == -EINVAL &&
	       loom_session_get_state(third, 0, &state, &err) == -EINVAL,
	       "others wait while a run is under way");
	tap_ok(!loom_session_wait(second, LOOM_WAIT_FOREVER, &err) &&
	       !loom_session_submit(first, &err) &&
	       loom_session_run(second, NULL, NULL, &err) == -EINVAL &&
	       !loom_session_wait(first, LOOM_WAIT_FOREVER, &err) &&
	       !loom_session_run(third, NULL, NULL, &err), "and go on behind it");
	good = !loom_session_submit(third, &err);
	loom_session_destroy(third);
	tap_ok(good && !loom_session_run(first, NULL, NULL, &err), "or when it is gone");
	loom_session_destroy(second);
	loom_session_destroy(first);
	put_set(&set);
}

#define CACHES	30

/* So many states that all inputs are in few buffers: those of the states are apart. */
static void test_many_states(void)
{
	static const int64_t places[] = { 0, 1 };
	struct loom_state_binding bindings[CACHES];
	struct loom_graph_options finish = { .states = bindings, .num_states = CACHES };
	struct loom_graph *graph = model_create(24);
	char names[CACHES][2][8];
	struct loom_session *sessions[2];
	struct loom_planner_options options = { 0 };
	struct loom_program *program;
	struct loom_target *target;
	struct drm_loom_chip chip;
	struct loom_array array;
	struct loom_error err;
	uint32_t i, k;
	bool good = true;

	model_add_input(graph, "x", 3, (int64_t[]){ 1, 1, 1 });
	loom_graph_add_input(graph, &(struct loom_tensor_info){
		.name = "at", .dtype = DRM_LOOM_DTYPE_I64, .rank = 1, .dims = { 1 } });
	model_add_node(graph, "Neg", "x", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	for (i = 0; i < CACHES; i++) {
		char operands[16];

		snprintf(names[i][0], sizeof(names[i][0]), "n%u", i);
		snprintf(names[i][1], sizeof(names[i][1]), "p%u", i);
		snprintf(operands, sizeof(operands), "p%u x at", i);
		bindings[i] = (struct loom_state_binding){ names[i][0], names[i][1] };
		model_add_input(graph, names[i][1], 3, (int64_t[]){ 1, 4, 1 });
		model_add_node(graph, "TensorScatter", operands, names[i][0], NULL, 0);
		loom_graph_add_output(graph, names[i][0]);
	}
	options.chip = &chip;
	if (loom_chip_find("soft", &chip) || loom_graph_finish(graph, &finish, &err) ||
	    loom_program_create(graph, &options, &program, &err) ||
	    loom_target_open("host", &chip, &target, &err) ||
	    loom_session_create(target, program, &sessions[0], &err) ||
	    loom_session_create_beside(sessions[0], program, LOOM_BESIDE_STATES, &sessions[1],
				       &err))
		tap_fatal("%s", err.text);
	for (i = 0; i < 2; i++) {
		float x = (float)i + 1;
		const struct loom_array inputs[] = {
			{ .dtype = DRM_LOOM_DTYPE_F32, .rank = 3, .dims = { 1, 1, 1 },
			  .data = &x, .size_bytes = sizeof(x) },
			{ .dtype = DRM_LOOM_DTYPE_I64, .rank = 1, .dims = { 1 },
			  .data = (void *)&places[i], .size_bytes = sizeof(places[i]) },
		};

		for (k = 0; k < 2; k++)
			if (loom_session_set_input(sessions[i], k, &inputs[k], &err))
				tap_fatal("%s", err.text);
	}
	for (i = 0; i < 2; i++) {
		if (loom_session_run(sessions[i], NULL, NULL, &err) ||
		    loom_session_get_output(sessions[i], 0, &array, &err))
			tap_fatal("%s", err.text);
		good = good && *(float *)array.data == -(float)i - 1;
		loom_array_clear(&array);
	}
	tap_ok(program->inputs[0].slot == program->inputs[1].slot && good,
	       "inputs in one buffer are each session's own");
	if (loom_session_get_state(sessions[0], CACHES - 1, &array, &err))
		tap_fatal("%s", err.text);
	tap_ok(((float *)array.data)[0] == 1 && ((float *)array.data)[1] == 2,
	       "and the states are those of both");
	loom_array_clear(&array);
	loom_session_destroy(sessions[1]);
	loom_session_destroy(sessions[0]);
	loom_target_close(target);
	loom_program_destroy(program);
	loom_graph_destroy(graph);
}

static int read_nothing(struct loom_session *session, uint32_t slot, uint64_t offset, void *data,
			uint64_t bytes)
{
	(void)session;
	(void)slot;
	(void)offset;
	(void)data;
	(void)bytes;
	return -EINVAL;
}

/* Drivers without BO_READ: weights are compared where they are mapped. */
static void test_no_read(void)
{
	const struct loom_target_ops *before;
	struct loom_session *first, *second;
	struct loom_target_ops ops;
	struct loom_error err = { .text = "" };
	struct set set;
	int ret;

	make_set(&set, "soft");
	before = set.target->ops;
	ops = *before;
	ops.read = read_nothing;
	set.target->ops = &ops;
	if (loom_session_create(set.target, loom_program_file_at(set.file, 0), &first, &err))
		tap_fatal("%s", err.text);
	ret = loom_session_create_beside(first, loom_program_file_at(set.file, 1), 0, &second,
					 &err);
	tap_ok(!ret, "a driver that cannot read buffers: %s", err.text);
	loom_session_destroy(second);
	loom_session_destroy(first);
	set.target->ops = before;
	put_set(&set);
}

/* Two sequences with one copy of the weights; of one program, and of two. */
static void test_weights(const char *chip)
{
	struct loom_session *first, *second, *other, *alone;
	struct loom_error err;
	struct set set;

	make_set(&set, chip);
	if (loom_session_create(set.target, loom_program_file_at(set.file, 0), &first, &err) ||
	    loom_session_create_beside(first, loom_program_file_at(set.file, 0), 0, &second,
				       &err) ||
	    loom_session_create_beside(second, loom_program_file_at(set.file, 1), 0, &other,
				       &err) ||
	    loom_session_create(set.target, set.programs[1], &alone, &err))
		tap_fatal("%s", err.text);
	run_once(first, loom_program_file_at(set.file, 0), 3, 1);
	run_once(second, loom_program_file_at(set.file, 0), 3, 4);
	tap_ok(!same(first, second, 0), "each has states of its own");
	run_once(other, loom_program_file_at(set.file, 1), 1, 2);
	run_once(alone, set.programs[1], 1, 2);
	tap_ok(same(other, alone, 1), "a program beside another computes the same");
	loom_session_destroy(alone);
	loom_session_destroy(other);
	loom_session_destroy(second);
	loom_session_destroy(first);
	put_set(&set);
}

static bool refuses(struct loom_session *beside, const struct loom_program *program,
		    uint32_t flags)
{
	struct loom_session *session;
	struct loom_error err = { .text = "" };
	int ret = loom_session_create_beside(beside, program, flags, &session, &err);

	tap_note("%s", err.text);
	return ret == -EINVAL && !session && *err.text;
}

static void test_refused(void)
{
	const struct loom_program *programs[65] = { 0 };
	struct loom_session *session, *third;
	struct loom_program other;
	struct loom_error err;
	struct set set;
	void *bytes;
	size_t size;
	uint32_t i;

	make_set(&set, "stm32f746");
	if (loom_session_create(set.target, loom_program_file_at(set.file, 0), &session, &err))
		tap_fatal("%s", err.text);
	tap_ok(refuses(session, loom_program_file_at(set.file, 1), LOOM_BESIDE_STATES),
	       "states in the SRAM are not shared");
	loom_session_destroy(session);
	put_set(&set);
	make_set(&set, "soft");
	if (loom_session_create(set.target, loom_program_file_at(set.file, 0), &session, &err))
		tap_fatal("%s", err.text);
	tap_ok(refuses(session, set.programs[0], 0), "a program of another file");
	tap_ok(refuses(session, loom_program_file_at(set.file, 1), 2), "unknown flags");
	tap_ok(refuses(NULL, loom_program_file_at(set.file, 1), 0) && refuses(session, NULL, 0),
	       "nothing");
	other = *loom_program_file_at(set.file, 0);
	other.num_states = 1;
	tap_ok(refuses(session, &other, LOOM_BESIDE_STATES), "other states");
	if (loom_session_create_beside(session, loom_program_file_at(set.file, 1),
				       LOOM_BESIDE_STATES, &third, &err))
		tap_fatal("%s", err.text);
	for (i = 0; i < other.num_inputs; i++)
		if (!strcmp(other.inputs[i].name, "past"))
			break;
	tap_ok(loom_session_bind_input(third, i, NULL, &err) < 0,
	       "a state of another session is not bound");
	loom_session_destroy(third);
	loom_session_destroy(session);
	for (i = 0; i < 65; i++)
		programs[i] = set.programs[0];
	tap_ok(loom_program_write_set(programs, 0, loom_program_file_origin(set.file), &bytes,
				      &size, &err) == -EINVAL &&
	       loom_program_write_set(programs, 65, loom_program_file_origin(set.file), &bytes,
				      &size, &err) == -EINVAL && !bytes,
	       "a file has 1 to 64 programs");
	put_set(&set);
}

static bool is_spoilt(const struct set *set, const uint8_t *bytes, const char *text)
{
	struct loom_program_file *file;
	struct loom_error err = { .text = "" };
	int ret = loom_program_parse(bytes, set->size, "set.loom", &file, &err);

	tap_note("%s", err.text);
	return ret == -EINVAL && !file && strstr(err.text, text);
}

/* Changes a record of the weights of the second program: @field, as in the table of fields. */
static uint64_t *weight_field(const struct set *set, uint8_t *bytes, const char *name,
			      const char *field)
{
	const struct loom_program *program = loom_program_file_at(set->file, 1);
	const struct loom_records *records = &loom_file_records[LOOM_FILE_WEIGHTS];
	const struct loom_file_section *section =
		&bytes_sections(bytes)[LOOM_FILE_DATA + LOOM_FILE_WEIGHTS];
	uint64_t which = find_weight(program, name) - program->weights;
	uint64_t at = section->offset + which * section->record_bytes;
	uint32_t i;

	for (i = 0; strcmp(records->fields[i].name, field); i++)
		at += loom_field_bytes(&records->fields[i]);
	return (uint64_t *)(bytes + at);
}

static void add(uint64_t *field, uint64_t number)
{
	uint64_t value;

	memcpy(&value, field, sizeof(value));
	value += number;
	memcpy(field, &value, sizeof(value));
}

static void test_damaged(void)
{
	static const uint32_t sections[] = { 0, 21, 42, 1300 };
	const struct loom_file_section *section;
	struct set set;
	uint8_t *bytes;
	uint32_t i;

	make_set(&set, "soft");
	bytes = malloc(set.size);
	if (!bytes)
		tap_fatal("no memory");
	for (i = 0; i < ARRAY_SIZE(sections); i++) {
		memcpy(bytes, set.bytes, set.size);
		bytes_header(bytes)->num_sections = sections[i];
		tap_ok(is_spoilt(&set, bytes, "number of its sections"), "sections are missing");
	}
	memcpy(bytes, set.bytes, set.size);
	bytes_header(bytes)->version = LOOM_FILE_VERSION;
	tap_ok(is_spoilt(&set, bytes, "number of its sections"), "two programs in a file for one");
	memcpy(bytes, set.bytes, set.size);
	add(weight_field(&set, bytes, "w", "offset"), 64);
	bytes_fix(bytes, set.size);
	tap_ok(is_spoilt(&set, bytes, "set.loom: program 1"), "a weight overlaps another one");
	memcpy(bytes, set.bytes, set.size);
	section = &bytes_sections(bytes)[LOOM_FILE_DATA];
	bytes[section->offset + offsetof(struct drm_loom_chip, name)] ^= 1;
	bytes_fix(bytes, set.size);
	tap_ok(is_spoilt(&set, bytes, "chip"), "another chip");
	for (i = 0; i < 2; i++) {
		const struct loom_program *program = loom_program_file_at(set.file, 0);
		uint32_t slot = i ? program->inputs[0].slot : program->weights[0].slot;

		memcpy(bytes, set.bytes, set.size);
		*(uint32_t *)bytes_field(bytes, LOOM_FILE_SLOTS, slot, 0) =
			i ? LOOM_SLOT_KIND_WEIGHTS : LOOM_SLOT_KIND_ARENA;
		bytes_fix(bytes, set.size);
		tap_ok(is_spoilt(&set, bytes, "in a slot for other tensors"),
		       "a slot for other tensors");
	}
	free(bytes);
	put_set(&set);
}

int main(void)
{
	test_file("soft");
	test_file("stm32f746");
	test_no_read();
	test_states();
	test_turns();
	test_many_states();
	test_weights("soft");
	test_weights("stm32f746");
	test_refused();
	test_damaged();
	return tap_end();
}
