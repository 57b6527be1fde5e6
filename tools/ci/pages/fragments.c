// SPDX-License-Identifier: MIT
/*
 * The EXAMPLES of the man pages, by header: man.py prints each function behind the comment with
 * the header's name, and "make docs" compiles them.
 */
#include <drm/loom_accel.h>
#include <errno.h>
#include <loom.h>
#include <loom_cache.h>
#include <loom_chip_file.h>
#include <loom_client.h>
#include <loom_config.h>
#include <loom_device.h>
#include <loom_file.h>
#include <loom_fit.h>
#include <loom_kernels.h>
#include <loom_parallel.h>
#include <loom_place.h>
#include <loom_place_file.h>
#include <loom_planner.h>
#include <loom_program_file.h>
#include <loom_replay.h>
#include <loom_report.h>
#include <loom_run.h>
#include <loom_tflite.h>
#include <loom_version.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>

/* loom.h */
int import(const char *path, struct loom_graph **graph)
{
	struct loom_error err;
	int ret = loom_graph_import(path, NULL, graph, &err);

	if (ret)
		fprintf(stderr, "%s\n", err.text);
	return ret;
}

/* loom_error.h */
int report_error(const char *path)
{
	struct loom_graph *graph;
	struct loom_error err;
	int ret = loom_graph_import(path, NULL, &graph, &err);

	if (ret)
		fprintf(stderr, "%s\n", err.text);
	else
		loom_graph_destroy(graph);
	return ret;
}

/* loom_version.h */
int check_version(void)
{
	return loom_version() < LOOM_VERSION ? -EPROTO : 0;
}

/* loom_chip_file.h loom_planner.h loom_program.h */
int plan(const struct loom_graph *graph, const char *chip_name)
{
	struct loom_program *program;
	struct drm_loom_chip chip;
	struct loom_planner_options options = { .chip = &chip };
	struct loom_error err;
	int ret = loom_chip_load(chip_name, &chip, &err);

	if (!ret)
		ret = loom_program_create(graph, &options, &program, &err);
	if (ret) {
		fprintf(stderr, "%s\n", err.text);
		return ret;
	}
	printf("%llu cycles\n", (unsigned long long)program->stats.cycles);
	loom_program_destroy(program);
	return 0;
}

/* loom_program_file.h loom_run.h loom_file.h */
int run(const char *path, const struct loom_array *input, struct loom_array *output)
{
	struct loom_program_file *file = NULL;
	struct loom_session *session = NULL;
	struct loom_target *target = NULL;
	struct loom_error err;
	int ret = loom_program_load(path, &file, &err);

	if (!ret)
		ret = loom_target_open("auto", loom_program_file_origin(file)->chip, &target, &err);
	if (!ret)
		ret = loom_session_create(target, loom_program_file_program(file), &session, &err);
	if (!ret)
		ret = loom_session_set_input(session, 0, input, &err);
	if (!ret)
		ret = loom_session_run(session, NULL, NULL, &err);
	if (!ret)
		ret = loom_session_get_output(session, 0, output, &err);
	if (ret)
		fprintf(stderr, "%s\n", err.text);
	loom_session_destroy(session);
	loom_target_close(target);
	loom_program_unload(file);
	return ret;
}

/* loom_parallel.h */
int run_on_two(struct loom_session *const sessions[2], const struct loom_array *items,
	       uint32_t num_items, struct loom_array *outputs)
{
	const struct loom_batch batch = {
		.inputs = items, .num_inputs = 1, .num_items = num_items,
	};
	struct loom_share shares[2];
	struct loom_error err;

	return loom_batch_run(sessions, 2, &batch, outputs, shares, &err);
}

/* loom_device.h loom_client.h */
int list_clients(void)
{
	struct loom_client *clients;
	struct loom_device *device;
	size_t count, i;
	int ret = loom_device_open(NULL, &device);

	if (ret)
		return ret;
	ret = loom_client_list(device, &clients, &count);
	if (!ret) {
		for (i = 0; i < count; i++)
			printf("%d %s\n", (int)clients[i].pid, clients[i].command);
		free(clients);
	}
	loom_device_close(device);
	return ret;
}

/* loom_config.h */
int make_device(const struct drm_loom_chip *chip)
{
	struct loom_config_device device;
	struct loom_error err;
	int ret = loom_config_add("mine", chip, 0, &device, &err);

	if (ret)
		fprintf(stderr, "%s\n", err.text);
	else
		printf("/dev/accel/%s\n", device.node);
	return ret;
}

/* loom_report.h */
int report_banks(const struct loom_target *target)
{
	struct loom_error err;

	return loom_report_write(target, "reports", NULL, &err);
}

/* loom_fit.h */
int fits(const char *path, const struct drm_loom_chip *chip)
{
	struct drm_loom_fit_list answer;
	struct loom_fit_list *list;
	struct loom_error err;
	int ret = loom_fit_list_read(path, &list, &err);

	if (ret)
		return ret;
	ret = loom_fit_chip(chip, NULL, list->buffers, list->count, &answer, &err);
	if (!ret && answer.error)
		printf("%s: %llu bytes are missing\n", list->names[answer.failed],
		       (unsigned long long)answer.short_bytes);
	loom_fit_list_free(list);
	return ret;
}

/* loom_place.h loom_place_file.h */
int place(const char *path)
{
	struct loom_place_result result;
	struct loom_place_csv *csv;
	struct loom_error err;
	int ret = loom_place_csv_load(path, &csv, &err);

	if (ret)
		return ret;
	ret = loom_place(&csv->problem, NULL, &result, NULL);
	if (!ret)
		loom_place_result_free(&result);
	loom_place_csv_destroy(csv);
	return ret;
}

/* loom_cache.h */
int plan_once(const struct loom_graph *graph, const struct drm_loom_chip *chip)
{
	const struct loom_planner_options options = { .chip = chip };
	struct loom_program *program;
	struct loom_program_file *file;
	struct loom_error err;
	int ret = loom_program_obtain(graph, &options, &program, &file, &err);

	if (ret)
		return ret;
	printf("%s\n", file ? "cached" : "planned");
	loom_program_destroy(program);
	loom_program_unload(file);
	return 0;
}

/* loom_kernels.h */
int import_native(const char *path, const struct loom_native_kernel *kernel, loom_native_fn run,
		  struct loom_native_set **set, struct loom_graph **graph)
{
	const struct drm_loom_format format = { .id = 0x5ca1ab1e, .version = 1 };
	struct loom_graph_options options = { 0 };
	struct loom_error err;
	int ret = loom_native_create(&format, run, NULL, set);

	if (!ret)
		ret = loom_native_add(*set, kernel, &err);
	options.natives = *set;
	return ret ? ret : loom_graph_import_onnx(path, &options, graph, &err);
}

/* loom_replay.h */
int replay(const struct loom_program *program, const struct drm_loom_chip *chip)
{
	const struct loom_replay_options options = { .chip = chip };
	struct loom_replay_report *report;
	struct loom_error err;
	int ret = loom_replay_program(program, &options, &report, &err);

	if (ret)
		return ret;
	printf("%llu faults\n", (unsigned long long)report->num_faults);
	loom_replay_destroy(report);
	return 0;
}

/* loom_tflite.h */
int check_memory_plan(const char *path)
{
	struct loom_tflite_verdict verdict;
	struct loom_tflite_memory *memory;
	struct loom_error err;
	int ret = loom_tflite_memory_load(path, &memory, &err);

	if (ret)
		return ret;
	ret = loom_tflite_memory_check(memory, &verdict, &err);
	loom_tflite_memory_destroy(memory);
	return ret;
}

/* loom_accel.h */
int query_device(int fd, struct drm_loom_device_info *info)
{
	struct drm_loom_query query = {
		.type = DRM_LOOM_QUERY_DEVICE,
		.ptr = (uintptr_t)info,
		.size = sizeof(*info),
	};

	return ioctl(fd, DRM_IOCTL_LOOM_QUERY, &query) ? -errno : 0;
}
