// SPDX-License-Identifier: MIT
/*
 * Memory reports on the host: figures against a count by hand, the files, and when they are
 * written.
 */
#include "chips.h"
#include "loom_planner.h"
#include "loom_report.h"
#include "loom_run.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loom_chip.h"
#include "host/lower/case.h"
#include "tap.h"

#define ROWS	64
#define COLUMNS	48

/* Reserved bytes that are no multiple of the alignment; the first address given out is 1088. */
static struct drm_loom_chip chip;

#define BASE	1088

static void make_chip(void)
{
	chip = chip_of(4, 1 << 20, 8, 1 << 16);
	chip.region[DRM_LOOM_REGION_DRAM].reserved_bytes = 1025;
	chip.region[DRM_LOOM_REGION_SRAM].reserved_bytes = 1025;
}

static char *dir;

/* y = relu(x) */
static struct loom_graph *make_graph(void)
{
	return case_finished(13, "x f32 %d %d; y = Relu x; > y", ROWS, COLUMNS);
}

static char *path_of(const char *prefix, const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s%s", dir, prefix, name);
	return path;
}

/* All of a file, freed by the caller; NULL if it is not there. */
static char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = calloc(1, 1 << 20);

	if (!file || !text) {
		free(text);
		text = NULL;
	} else if (fread(text, 1, (1 << 20) - 1, file) == 0) {
		*text = '\0';
	}
	if (file)
		fclose(file);
	return text;
}

static unsigned int count_files(void)
{
	unsigned int files = 0;
	struct dirent *entry;
	DIR *found = opendir(dir);

	while (found && (entry = readdir(found)))
		files += *entry->d_name != '.';
	if (found)
		closedir(found);
	return files;
}

static unsigned int count_lines(const char *path)
{
	char *text = read_file(path), *at = text;
	unsigned int lines = 0;

	while (at && (at = strchr(at, '\n'))) {
		lines++;
		at++;
	}
	free(text);
	return lines;
}

static void clear_dir(void)
{
	DIR *open = opendir(dir);
	struct dirent *entry;

	while (open && (entry = readdir(open)))
		if (entry->d_name[0] != '.')
			unlink(path_of("", entry->d_name));
	if (open)
		closedir(open);
	rmdir(dir);
}

/* The blocks tile the bank, and all sums are those of the blocks. */
static bool adds_up(const struct loom_report_region *report, uint64_t bank_bytes)
{
	uint32_t b;
	size_t i;

	for (b = 0; b < report->num_banks; b++) {
		const struct loom_report_bank *bank = &report->banks[b];
		uint64_t sums[LOOM_REPORT_HIDDEN + 1] = { 0 }, at = 0, largest = 0;

		for (i = 0; i < bank->num_blocks; i++) {
			const struct loom_report_block *block = &bank->blocks[i];

			if (block->address != at || !block->size_bytes)
				return false;
			at += block->size_bytes;
			sums[block->kind] += block->size_bytes;
			if (block->kind == LOOM_REPORT_FREE && block->size_bytes > largest)
				largest = block->size_bytes;
		}
		if (at != bank_bytes || sums[LOOM_REPORT_RESERVED] != BASE ||
		    bank->allocatable_bytes != bank_bytes - BASE ||
		    bank->free_bytes != sums[LOOM_REPORT_FREE] ||
		    bank->scratch_bytes != sums[LOOM_REPORT_SCRATCH] ||
		    bank->allocated_bytes != bank->allocatable_bytes - bank->free_bytes ||
		    bank->largest_free_bytes != largest)
			return false;
	}
	return true;
}

static void test_empty(struct loom_target *target)
{
	struct loom_report_region *report;

	if (loom_report_region_get(target, DRM_LOOM_REGION_SRAM, 0, &report))
		tap_fatal("no report");
	tap_ok(report->num_banks == 8 && adds_up(report, 1 << 16), "an empty SRAM adds up");
	tap_ok(report->banks[7].num_blocks == 2 && report->banks[7].blocks[1].address == BASE,
	       "its free block begins above the reserved bytes");
	tap_ok(report->min_largest_free_bytes == (1 << 16) - BASE &&
	       report->largest_interleaved_bytes == 8 * ((1 << 16) - BASE),
	       "all of it is one block, eight times");
	tap_ok(loom_report_fragmentation(&report->banks[0]) == 0, "in one piece");
	loom_report_region_put(report);

	if (loom_report_region_get(target, DRM_LOOM_REGION_SRAM, 4096, &report))
		tap_fatal("no report");
	tap_ok(adds_up(report, 1 << 16) && report->banks[3].scratch_bytes == 4096 &&
	       report->banks[3].blocks[1].kind == LOOM_REPORT_SCRATCH &&
	       report->banks[3].blocks[1].address == BASE &&
	       report->largest_interleaved_bytes == 8 * ((1 << 16) - BASE - 4096),
	       "scratch lies at the bottom and is not free");
	loom_report_region_put(report);
	if (loom_report_region_get(target, DRM_LOOM_REGION_SRAM, 1 << 20, &report))
		tap_fatal("no report");
	tap_ok(adds_up(report, 1 << 16) && !report->banks[0].free_bytes &&
	       loom_report_fragmentation(&report->banks[0]) == 0 &&
	       report->largest_interleaved_bytes == 0, "scratch that is too large leaves nothing");
	loom_report_region_put(report);
	tap_ok(loom_report_region_get(target, DRM_LOOM_REGION_COUNT, 0, &report) == -EINVAL &&
	       !report,
	       "there is no third region");
	loom_report_region_put(NULL);
}

static struct loom_session *load(struct loom_target *target, const struct loom_program *program)
{
	struct loom_session *session;
	struct loom_error err;

	make_chip();
	if (loom_session_create(target, program, &session, &err))
		tap_fatal("%s", err.text);
	return session;
}

static void test_sessions(struct loom_target *target, const struct loom_program *program)
{
	struct loom_session *first = load(target, program), *second = load(target, program);
	struct loom_report_region *report;
	uint64_t allocated, free_bytes;

	if (loom_report_region_get(target, DRM_LOOM_REGION_DRAM, 0, &report))
		tap_fatal("no report");
	allocated = report->banks[0].allocated_bytes;
	free_bytes = report->banks[0].free_bytes;
	/* input and output of 12288 bytes: three pages of 4096 on four banks, twice */
	tap_ok(adds_up(report, 1 << 20) && allocated == 4 * 4096,
	       "slots of two sessions are in the DRAM: %llu bytes in a bank",
	       (unsigned long long)allocated);
	loom_report_region_put(report);

	loom_session_destroy(first);
	if (loom_report_region_get(target, DRM_LOOM_REGION_DRAM, 0, &report))
		tap_fatal("no report");
	tap_ok(adds_up(report, 1 << 20) && report->banks[3].allocated_bytes == allocated / 2 &&
	       report->banks[3].free_bytes == free_bytes + allocated / 2,
	       "half of them when one is gone");
	/* 8192 bytes at the bottom, and the rest above the other's */
	tap_ok(loom_report_fragmentation(&report->banks[0]) ==
	       8192 * 1000 / report->banks[0].free_bytes, "and a hole, which is told");
	loom_report_region_put(report);
	loom_session_destroy(second);
}

static void test_write(struct loom_target *target, const struct loom_program *program)
{
	struct loom_session *session = load(target, program);
	char want[256], *text;
	struct loom_error err = { .text = "" };

	tap_ok(loom_report_write(target, dir, "a-", &err) == 0, "written: %s", err.text);
	tap_ok(count_lines(path_of("a-", "l1_usage_summary.csv")) == 2, "one row for the SRAM");
	tap_ok(count_lines(path_of("a-", "memory_usage_summary.csv")) == 13, "one row per bank");
	/* reserved, two slots, free; reserved, free */
	tap_ok(count_lines(path_of("a-", "detailed_memory_usage.csv")) == 1 + 4 * 4 + 8 * 2,
	       "one row per block and bank");
	text = read_file(path_of("a-", "memory_usage_summary.csv"));
	snprintf(want, sizeof(want), "\n%d,0,dram,3,%u,8192,%u,%u,0,0.000\n", (int)getpid(),
		 (1 << 20) - BASE, (1 << 20) - BASE - 8192, (1 << 20) - BASE - 8192);
	tap_ok(text && strstr(text, want), "a bank: %.*s", (int)strcspn(want + 1, "\n"), want + 1);
	free(text);
	text = read_file(path_of("a-", "detailed_memory_usage.csv"));
	snprintf(want, sizeof(want), "\n%d,0,dram,2,0x%x,4096,Y,buffer,\n", (int)getpid(),
		 BASE + 4096);
	tap_ok(text && strstr(text, want), "a block: %.*s", (int)strcspn(want + 1, "\n"), want + 1);
	snprintf(want, sizeof(want), "\n%d,0,sram,7,0x%x,%u,N,free,\n", (int)getpid(), BASE,
		 (1 << 16) - BASE);
	tap_ok(text && strstr(text, want), "a hole: %.*s", (int)strcspn(want + 1, "\n"), want + 1);
	free(text);
	tap_ok(loom_report_write(target, dir, "a-", &err) == 0 &&
	       count_lines(path_of("a-", "memory_usage_summary.csv")) == 13,
	       "written again, it is the same");
	tap_ok(count_files() == 3,
	       "nothing half-done is left");
	tap_ok(loom_report_write(target, "/proc/there/is/none", NULL, &err) == -ENOENT &&
	       strstr(err.text, "/proc/there/is/none"), "no such folder: %s", err.text);
	loom_session_destroy(session);
}

static void test_plans(struct loom_target *target, const struct loom_program *program)
{
	struct loom_session *session;
	char want[256], *text;
	struct loom_error err;
	uint64_t left;

	tap_ok(program->stats.scratch_bytes > 0, "the plan has scratch");
	loom_session_destroy(load(target, program));
	tap_ok(access(path_of("", "l1_usage_summary.csv"), F_OK) != 0, "nobody asked: no files");

	tap_ok(loom_report_enable(dir, &err) == 0, "enabled");
	loom_session_destroy(load(target, program));
	loom_session_destroy(load(target, program));
	loom_report_disable();
	loom_session_destroy(load(target, program));
	tap_ok(count_lines(path_of("", "l1_usage_summary.csv")) == 3,
	       "a row for each plan of two");
	tap_ok(count_lines(path_of("", "memory_usage_summary.csv")) == 1 + 2 * 12,
	       "and one for each bank");
	text = read_file(path_of("", "l1_usage_summary.csv"));
	left = (1 << 16) - BASE - program->stats.scratch_bytes;
	snprintf(want, sizeof(want), "\n%d,2,%llu,%llu,%llu\n", (int)getpid(),
		 (unsigned long long)left, (unsigned long long)(left - left % 64) * 8,
		 (unsigned long long)program->stats.scratch_bytes);
	tap_ok(text && strstr(text, want), "the second leaves: %.*s",
	       (int)strcspn(want + 1, "\n"), want + 1);
	free(text);

	tap_ok(loom_report_enable("/proc/there/is/none", &err) == -ENOENT,
	       "enabled where no folder can be: refused");
	if (loom_report_enable(dir, &err))
		tap_fatal("%s", err.text);
	clear_dir();
	if (mkdir(dir, 0700) || mkdir(path_of("", "detailed_memory_usage.csv"), 0700))
		tap_fatal("no folder");
	tap_ok(loom_session_create(target, program, &session, &err) == -EISDIR && !session &&
	       strstr(err.text, "detailed_memory_usage.csv"),
	       "a report that cannot be written is not lost in silence: %s", err.text);
	loom_report_disable();
	rmdir(path_of("", "detailed_memory_usage.csv"));
}

/* The first plan of a process looks at it, so this comes first. */
static void test_environment(struct loom_target *target, const struct loom_program *program)
{
	setenv("LOOM_MEMORY_REPORTS", dir, 1);
	loom_session_destroy(load(target, program));
	tap_ok(count_lines(path_of("", "l1_usage_summary.csv")) == 2,
	       "LOOM_MEMORY_REPORTS: a row per plan");
	loom_report_disable();
	loom_session_destroy(load(target, program));
	tap_ok(count_lines(path_of("", "l1_usage_summary.csv")) == 2, "disabled: no more rows");
	clear_dir();
}

int main(void)
{
	struct loom_planner_options options = { .grouping = "layerwise", .chip = &chip };
	struct loom_graph *graph = make_graph();
	char name[] = "/tmp/loom-report-XXXXXX";
	struct loom_program *program;
	struct loom_target *target;
	struct loom_error err;

	make_chip();
	dir = mkdtemp(name);
	if (!dir)
		tap_fatal("no folder");
	if (loom_program_create(graph, &options, &program, &err) ||
	    loom_target_open("host", &chip, &target, &err))
		tap_fatal("%s", err.text);
	test_environment(target, program);
	test_empty(target);
	test_sessions(target, program);
	test_write(target, program);
	test_plans(target, program);
	loom_target_close(target);
	loom_program_destroy(program);
	loom_graph_destroy(graph);
	clear_dir();
	return tap_end();
}
