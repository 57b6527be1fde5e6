// SPDX-License-Identifier: MIT
#include "tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "place.h"

/* Not an exit status: the option was a complete request. */
#define TOOL_PLACE_DONE	(TOOL_USAGE + 1)

static int tool_place_set_strategy(struct tool_placing *place, const char *name)
{
	unsigned int i;

	for (i = 0; loom_place_strategy_name(i); i++) {
		if (!strcmp(loom_place_strategy_name(i), name)) {
			place->options.strategy = name;
			return 0;
		}
	}
	return tool_usage(&tool_place, "there is no strategy '%s', try: loom place --strategies",
			  name);
}

static int tool_place_set_time(struct tool_placing *place, const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds > 0) || seconds > 1e9)
		return tool_usage(&tool_place, "--time takes seconds above 0, not '%s'", text);
	place->asked_ns = (int64_t)(seconds * 1e9);
	return 0;
}

static int tool_place_parse_files(int argc, char **argv, struct tool_placing *place)
{
	unsigned int to_stdout = place->json;

	if (optind + 1 != argc)
		return tool_usage(&tool_place, "takes one file, or - for standard input");
	place->path = argv[optind];
	if (place->check && (place->output || place->picture || place->picture_before ||
			     place->minimize || place->reorder || place->library ||
			     place->anew || place->explain || place->options.strategy ||
			     place->options.budget || place->asked_ns))
		return tool_usage(&tool_place,
				  "--check places nothing: only --capacity, --forbid and --json go with it");
	to_stdout += place->output && !strcmp(place->output, "-");
	to_stdout += place->picture && !strcmp(place->picture, "-");
	if (to_stdout > 1)
		return tool_usage(&tool_place,
				  "only one of answer, picture and --json can go to standard output");
	if (to_stdout && place->explain)
		return tool_usage(&tool_place,
				  "--explain goes to standard output, where nothing else may go then");
	return 0;
}

static int tool_place_parse(int argc, char **argv, struct tool_placing *place)
{
	static const struct option longs[] = {
		{ "capacity", required_argument, NULL, 'c' },
		{ "minimize", no_argument, NULL, 'm' },
		{ "strategy", required_argument, NULL, 's' },
		{ "strategies", no_argument, NULL, 'l' },
		{ "budget", required_argument, NULL, 'b' },
		{ "time", required_argument, NULL, 't' },
		{ "jobs", required_argument, NULL, 'J' },
		{ "anew", no_argument, NULL, 'a' },
		{ "pool", required_argument, NULL, 'P' },
		{ "forbid", required_argument, NULL, 'f' },
		{ "explain", no_argument, NULL, 'e' },
		{ "json", no_argument, NULL, 'j' },
		{ "svg", required_argument, NULL, 'p' },
		{ "svg-before", required_argument, NULL, 'q' },
		{ "check", no_argument, NULL, 'k' },
		{ "reorder", no_argument, NULL, 'r' },
		{ "runtime", required_argument, NULL, 'R' },
		{ "output", required_argument, NULL, 'o' },
		{ NULL, 0, NULL, 0 },
	};
	bool strategies = false;
	int option, ret = 0;

	opterr = 0;
	while (!ret && (option = tool_getopt(&tool_place, argc, argv, "o:", longs)) != -1) {
		switch (option) {
		case 'c':
			ret = tool_set_number(&tool_place, "--capacity", "a number above 0",
					      optarg, true, &place->capacity_bytes);
			break;
		case 'm':
			place->minimize = true;
			break;
		case 's':
			ret = tool_place_set_strategy(place, optarg);
			break;
		case 'l':
			strategies = true;
			break;
		case 'b':
			ret = tool_set_number(&tool_place, "--budget", "a number above 0",
					      optarg, false, &place->options.budget);
			break;
		case 't':
			ret = tool_place_set_time(place, optarg);
			break;
		case 'J':
			ret = tool_set_jobs(&tool_place, optarg, &place->options.jobs);
			break;
		case 'a':
			place->anew = true;
			break;
		case 'P':
			ret = tool_place_add_pool(place, optarg);
			break;
		case 'f':
			ret = tool_place_add_forbidden(place, optarg);
			break;
		case 'e':
			place->explain = true;
			break;
		case 'j':
			place->json = true;
			break;
		case 'p':
			place->picture = optarg;
			break;
		case 'q':
			place->picture_before = optarg;
			break;
		case 'k':
			place->check = true;
			break;
		case 'r':
			place->reorder = true;
			break;
		case 'R':
			place->library = optarg;
			break;
		case 'o':
			place->output = optarg;
			break;
		default:
			return tool_bad_option(&tool_place, argv);
		}
	}
	if (!ret && strategies) {
		tool_strategies_print(false, place->json);
		return TOOL_PLACE_DONE;
	}
	if (!ret)
		ret = tool_place_parse_files(argc, argv, place);
	if (!ret)
		ret = tool_output_check(place->picture);
	if (!ret)
		ret = tool_output_check(place->picture_before);
	return ret ? ret : tool_output_check(place->output);
}

/* CPU time of this thread. */
static int64_t tool_place_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static int tool_place_load(struct tool_placing *place)
{
	struct loom_error err;
	int ret;

	if (loom_tflite_file_is(place->path)) {
		ret = tool_place_load_tflite(place);
		if (ret)
			return ret;
	} else if (place->check || place->reorder || place->library || place->picture_before) {
		return tool_usage(&tool_place, "%s is no TensorFlow Lite file", place->path);
	}
	if (place->memory)
		ret = 0;
	else if (!strcmp(place->path, "-"))
		ret = loom_place_csv_read(stdin, "standard input", &place->csv, &err);
	else
		ret = loom_place_csv_load(place->path, &place->csv, &err);
	if (ret)
		return tool_fail("%s", err.text);
	if (place->anew)
		loom_place_csv_free_offsets(place->csv);
	place->read_ns = tool_place_clock();
	place->problem = place->csv->problem;
	ret = tool_place_set_pools(place);
	if (ret)
		return ret;
	place->problem.pools = place->pools;
	place->problem.num_pools = place->num_pools;
	/*
	 * with a capacity any placement that fits will do; without one the lowest is searched for
	 */
	place->options.fit_only = place->capacity_bytes != LOOM_PLACE_ANYWHERE && !place->minimize;
	return 0;
}

static int tool_place_failed(const struct tool_placing *place, int code,
			     const struct loom_place_fault *fault)
{
	struct loom_error err;

	if (code == -ENOSPC && place->pool_names[0])
		return tool_place_refuse_pools(place, fault);
	loom_place_csv_explain(place->csv, &place->problem, code, fault, &err);
	return tool_fail("%s", err.text);
}

/* Time left for the placer after reading, with the same amount reserved for the final check. */
static uint64_t tool_place_time(const struct tool_placing *place)
{
	int64_t left = place->asked_ns - 2 * place->read_ns;

	return left > 0 ? (uint64_t)left : 1;
}

static int tool_place_solve(struct tool_placing *place)
{
	struct loom_place_fault fault = { LOOM_PLACE_NONE, LOOM_PLACE_NONE, 0, 0, "" };
	int64_t start = tool_now_ns();
	struct tool_ticker ticker;
	int ret;

	if (place->asked_ns)
		place->options.time_ns = tool_place_time(place);
	tool_ticker_begin(&ticker, "loom: placing");
	ret = loom_place(&place->problem, &place->options, &place->result, &fault);
	tool_ticker_end(&ticker);
	/* an invalid placement is a failure, whatever the strategy returns */
	if (!ret)
		ret = loom_place_check(&place->problem, place->result.offsets, place->result.pools,
				       &fault);
	place->took_ns = tool_now_ns() - start;
	place->used_ns = tool_place_clock();
	return ret ? tool_place_failed(place, ret, &fault) : 0;
}

static uint64_t tool_place_sum(const struct tool_placing *place)
{
	uint64_t sum = 0;
	uint32_t i;

	/* overflows only if most items are never alive together */
	for (i = 0; i < place->problem.num_items; i++)
		if (__builtin_add_overflow(sum, place->problem.items[i].size_bytes, &sum))
			return UINT64_MAX;
	return sum;
}

/* Whether there are pools with names. */
static bool tool_place_has_pools(const struct tool_placing *place)
{
	return place->pool_names[0];
}

static double tool_place_ratio(const struct tool_placing *place)
{
	const uint64_t bound = place->result.bound_bytes[0];

	return bound ? (double)place->result.height_bytes[0] / bound : 1;
}

static void tool_place_print_verdict(const struct tool_placing *place)
{
	const uint64_t height = place->result.height_bytes[0];
	const uint64_t bound = place->result.bound_bytes[0];
	char text[TOOL_TEXT];

	printf("result     ");
	if (place->capacity_bytes != LOOM_PLACE_ANYWHERE)
		printf("fits in %llu bytes, %llu to spare; ",
		       (unsigned long long)place->capacity_bytes,
		       (unsigned long long)(place->capacity_bytes - height));
	if (place->result.proved)
		printf("proved optimal\n");
	else
		printf("no proof: up to %s lower may be possible\n",
		       tool_bytes(text, height - bound));
}

static void tool_place_print_height(const struct tool_placing *place)
{
	const struct loom_place_result *result = &place->result;
	char text[TOOL_TEXT];

	printf("bound      %llu bytes, %s\n", (unsigned long long)result->bound_bytes[0],
	       tool_bytes(text, result->bound_bytes[0]));
	printf("height     %llu bytes, %s, %.4f of the bound\n",
	       (unsigned long long)result->height_bytes[0],
	       tool_bytes(text, result->height_bytes[0]), tool_place_ratio(place));
	tool_place_print_verdict(place);
}

/* Items that a storage of a token strategy holds in turn. */
static uint32_t tool_place_users(const struct loom_place_result *result, uint32_t num_items,
				 uint32_t storage)
{
	uint32_t i, users = 0;

	for (i = 0; i < num_items; i++)
		users += result->storage_of[i] == storage;
	return users;
}

/* Storages of images; of others only the heights matter. */
static void tool_place_print_storages(const struct tool_placing *place)
{
	const struct loom_place_result *result = &place->result;
	const struct loom_place_storage *storage;
	char text[TOOL_TEXT];
	uint32_t i;

	for (i = 0; i < result->num_storages; i++) {
		storage = &result->storages[i];
		if (storage->width)
			printf("image      %llu x %llu at %llu, %s, for %u items in turn\n",
			       (unsigned long long)storage->width,
			       (unsigned long long)storage->height,
			       (unsigned long long)storage->offset,
			       tool_bytes(text, storage->size_bytes),
			       tool_place_users(result, place->problem.num_items, i));
	}
}

static void tool_place_json_storages(const struct tool_placing *place, struct json *json)
{
	const struct loom_place_result *result = &place->result;
	uint32_t i;

	json_open(json, "storages", '[');
	for (i = 0; i < result->num_storages; i++) {
		const struct loom_place_storage *storage = &result->storages[i];

		json_open(json, NULL, '{');
		json_u64(json, "offset", storage->offset);
		json_u64(json, "bytes", storage->size_bytes);
		json_u64(json, "width", storage->width);
		json_u64(json, "height", storage->height);
		json_u64(json, "items", tool_place_users(result, place->problem.num_items, i));
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void tool_place_print(const struct tool_placing *place)
{
	const struct loom_place_result *result = &place->result;
	char text[TOOL_TEXT];
	uint32_t i;

	printf("file       %s\n", place->csv->path);
	printf("items      %u of %s in all\n", place->problem.num_items,
	       tool_bytes(text, tool_place_sum(place)));
	if (tool_place_has_pools(place))
		tool_place_print_pools(place);
	else
		tool_place_print_height(place);
	tool_place_print_storages(place);
	if (place->memory)
		tool_place_print_before(place);
	if (place->library)
		tool_place_print_runtime(place);
	printf("strategy   %s, %llu nodes, %.3f s\n", result->strategy,
	       (unsigned long long)result->nodes, place->took_ns / 1e9);
	if (place->asked_ns && place->used_ns > place->asked_ns / 10 * 11)
		printf("time       %.3f s instead of %.3f: reading took %.3f, %s\n",
		       (double)place->used_ns / 1e9, (double)place->asked_ns / 1e9,
		       (double)place->read_ns / 1e9, "and one placement is completed");
	for (i = 0; i < place->csv->num_unknown; i++)
		printf("ignored    column '%s'\n", place->csv->unknown[i]);
}

static void tool_place_print_json(const struct tool_placing *place)
{
	const struct loom_place_result *result = &place->result;
	struct json json;
	uint32_t i;

	json_begin(&json, stdout);
	json_string(&json, "file", place->csv->path);
	json_u64(&json, "items", place->problem.num_items);
	json_u64(&json, "sum_bytes", tool_place_sum(place));
	if (tool_place_has_pools(place)) {
		tool_place_put_pools(place, &json);
	} else {
		json_u64(&json, "bound_bytes", result->bound_bytes[0]);
		json_u64(&json, "height_bytes", result->height_bytes[0]);
		json_double(&json, "ratio", tool_place_ratio(place));
	}
	if (place->capacity_bytes != LOOM_PLACE_ANYWHERE)
		json_u64(&json, "capacity_bytes", place->capacity_bytes);
	json_bool(&json, "proved", result->proved);
	if (!tool_place_has_pools(place))
		json_u64(&json, "gap_bytes", result->height_bytes[0] - result->bound_bytes[0]);
	if (place->memory) {
		json_u64(&json, "before_bytes", place->before.height_bytes[0]);
		json_u64(&json, "operators", place->memory->num_operators);
		json_u64(&json, "moved_operators", place->memory->num_moved);
	}
	if (place->library)
		tool_place_put_runtime(place, &json);
	if (result->num_storages)
		tool_place_json_storages(place, &json);
	json_string(&json, "strategy", result->strategy);
	json_u64(&json, "nodes", result->nodes);
	json_double(&json, "seconds", place->took_ns / 1e9);
	json_open(&json, "ignored_columns", '[');
	for (i = 0; i < place->csv->num_unknown; i++)
		json_string(&json, NULL, place->csv->unknown[i]);
	json_close(&json, ']');
	json_end(&json);
}

static int tool_place_make_answer(const struct tool_placing *place, struct tool_place_text *answer)
{
	int ret;

	if (place->memory)
		return tool_place_make_tflite(place, answer);
	if (tool_place_has_pools(place))
		ret = loom_place_csv_answer_pools(place->csv, &place->result, place->pool_names,
						  &answer->text, &answer->size_bytes);
	else
		ret = loom_place_csv_answer(place->csv, place->result.offsets, &answer->text,
					    &answer->size_bytes);
	if (ret)
		return tool_fail("%s: %s", place->output, strerror(-ret));
	return tool_save_begin(&answer->save, place->output, answer->text, answer->size_bytes);
}

static int tool_place_make_picture(const struct tool_placing *place, const char *path,
				   const struct loom_place_result *result,
				   struct tool_place_text *picture)
{
	const char *slash = strrchr(place->csv->path, '/');
	struct loom_place_svg_options options = {
		.title = slash ? slash + 1 : place->csv->path,
		.ids = place->csv->ids,
		.time = place->memory ? "operator" : NULL,
	};
	int ret;

	ret = loom_place_svg(&place->problem, result, &options, &picture->text,
			     &picture->size_bytes);
	if (ret)
		return tool_fail("%s: %s", path, strerror(-ret));
	return tool_save_begin(&picture->save, path, picture->text, picture->size_bytes);
}

/* All files are complete before one of them is renamed. */
static int tool_place_write(const struct tool_placing *place)
{
	struct tool_place_text answer = { 0 }, picture = { 0 }, before = { 0 };
	int ret = 0;

	if (place->output)
		ret = tool_place_make_answer(place, &answer);
	if (!ret && place->picture)
		ret = tool_place_make_picture(place, place->picture, &place->result, &picture);
	if (!ret && place->picture_before)
		ret = tool_place_make_picture(place, place->picture_before, &place->before,
					      &before);
	if (!ret && place->output)
		ret = tool_save_commit(&answer.save);
	if (!ret && place->picture)
		ret = tool_save_commit(&picture.save);
	if (!ret && place->picture_before)
		ret = tool_save_commit(&before.save);
	tool_save_clear(&answer.save);
	tool_save_clear(&picture.save);
	tool_save_clear(&before.save);
	free(answer.text);
	free(picture.text);
	free(before.text);
	return ret;
}

static int tool_place_file(struct tool_placing *place)
{
	int ret;

	ret = tool_place_load(place);
	if (!ret && place->check)
		return tool_place_check_tflite(place);
	if (!ret)
		ret = tool_place_solve(place);
	if (!ret && place->memory)
		ret = tool_place_solve_before(place);
	if (!ret)
		ret = tool_place_write(place);
	if (ret)
		return ret;
	if (place->json) {
		tool_place_print_json(place);
		return 0;
	}
	if ((place->output && !strcmp(place->output, "-")) ||
	    (place->picture && !strcmp(place->picture, "-")))
		return 0;
	tool_place_print(place);
	return place->explain ? tool_place_explain(place) : 0;
}

static int tool_place_run(int argc, char **argv)
{
	struct tool_placing place = {
		.command = &tool_place, .capacity_bytes = LOOM_PLACE_ANYWHERE,
	};
	int ret;

	ret = tool_place_parse(argc, argv, &place);
	if (!ret)
		ret = tool_place_file(&place);
	loom_place_result_free(&place.result);
	loom_place_result_free(&place.before);
	loom_place_csv_destroy(place.csv);
	loom_tflite_memory_destroy(place.memory);
	free(place.items);
	return ret == TOOL_PLACE_DONE ? 0 : ret;
}

const struct tool_command tool_place = {
	.name = "place",
	.usage = "FILE.csv|FILE.json|MODEL.tflite [OPTION...]",
	.text = "place items with sizes and lifetimes into memory",
	.help =
		"  --capacity BYTES     find a placement that fits; default: find the lowest\n"
		"  --pool NAME=[BYTES][,COST]\n"
		"                       a memory, once for each; COST of a byte: default one more\n"
		"                       than in the previous one. Items spill to the cheapest pool\n"
		"                       with room that their column 'pool' allows\n"
		"  --forbid FROM-TO     offsets that no item may use; once for each range\n"
		"  --explain            list the items at the peak, and the peak without each\n"
		"  --minimize           with --capacity: find the lowest placement, too\n"
		"  --strategy NAME      placement strategy (default: auto)\n"
		"  --strategies         list the strategies\n"
		"  --budget NODES       limit of search nodes\n"
		"  --time SECONDS       search for that much processor time: not reproducible\n"
		"  --jobs NUMBER        threads; the result does not depend on it\n"
		"  --anew               ignore the offsets in the file\n"
		"  --json               print the summary as JSON\n"
		"  --svg FILE           draw the placement, time against address\n"
		"  -o, --output FILE    write the problem with a column 'offset', or the model\n"
		"                       with a memory plan for TensorFlow Lite Micro\n"
		"\n"
		"Options for a TensorFlow Lite model:\n"
		"  --check              check the memory plan in the file\n"
		"  --reorder            take another order of its operators if that lowers the peak\n"
		"  --runtime LIBRARY    size of the whole arena, with structures and scratch buffers of\n"
		"                       the runtime; whose kernels: reference, cmsis-nn\n"
		"  --svg-before FILE    draw the previous plan in the file, or the placement of the\n"
		"                       runtime without one\n"
		"\n"
		"- stands for standard input, or for standard output.\n",
	.examples =
		"  loom place items.csv --svg items.svg\n"
		"  loom place net.tflite --capacity 60k -o planned.tflite\n",
	.run = tool_place_run,
};
