// SPDX-License-Identifier: MIT
#include "report.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loom_file.h"
#include "run.h"

/**
 * DOC: Reports as files
 *
 * loom_report_write() writes files as loom_file_save() does, so that readers see complete files
 * only. The rows of a plan are appended under a lock on the first of the three files, so that the
 * rows of two processes do not mix; a process that finds a file empty writes its header line.
 *
 * Plans are numbered by the process, from 1, and each row has the process's id. Rows of
 * loom_report_write() have plan 0.
 */

#define LOOM_REPORT_FILES	3
#define LOOM_REPORT_ENV		"LOOM_MEMORY_REPORTS"

static const char *const loom_report_file_names[LOOM_REPORT_FILES] = {
	"l1_usage_summary.csv", "memory_usage_summary.csv", "detailed_memory_usage.csv",
};

/**
 * struct loom_report_auto - whether this process reports each plan
 * @lock: protects the fields below
 * @known: @dir is valid: from the environment, or from loom_report_enable() or _disable()
 * @dir: the directory, or NULL for no reports
 * @plans: number of plans reported
 */
struct loom_report_auto {
	pthread_mutex_t lock;
	bool known;
	char *dir;
	unsigned int plans;
};

static struct loom_report_auto loom_report_auto = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

void loom_report_headers(const struct loom_report_files *files)
{
	fputs("pid,plan,min_largest_free_bytes,largest_interleaved_bytes,scratch_bytes\n",
	      files->l1);
	fputs("pid,plan,region,bank,total_allocatable_bytes,total_allocated_bytes,",
	      files->summary);
	fputs("total_free_bytes,largest_free_bytes,scratch_bytes,fragmentation\n",
	      files->summary);
	fputs("pid,plan,region,bank,address,size_bytes,allocated,kind,label\n", files->detail);
}

/* A label may contain commas and quotes, so it is quoted. */
static void loom_report_row_block(const struct loom_report_files *files, const char *who,
				  const struct loom_report_region *report, uint32_t bank,
				  const struct loom_report_block *block)
{
	const char *at;

	fprintf(files->detail, "%s,%s,%u,0x%llx,%llu,%s,%s,", who, report->name, bank,
		(unsigned long long)block->address, (unsigned long long)block->size_bytes,
		block->kind == LOOM_REPORT_FREE ? "N" : "Y", loom_report_kind_name(block->kind));
	if (block->label[0])
		putc('"', files->detail);
	for (at = block->label; *at; at++)
		fprintf(files->detail, *at == '"' ? "\"\"" : "%c", *at);
	fputs(block->label[0] ? "\"\n" : "\n", files->detail);
}

static void loom_report_row_bank(const struct loom_report_files *files, const char *who,
				 const struct loom_report_region *report, uint32_t index)
{
	const struct loom_report_bank *bank = &report->banks[index];
	unsigned int fragmentation = loom_report_fragmentation(bank);
	size_t i;

	fprintf(files->summary, "%s,%s,%u,%llu,%llu,%llu,%llu,%llu,%u.%03u\n", who, report->name,
		index, (unsigned long long)bank->allocatable_bytes,
		(unsigned long long)bank->allocated_bytes, (unsigned long long)bank->free_bytes,
		(unsigned long long)bank->largest_free_bytes,
		(unsigned long long)bank->scratch_bytes, fragmentation / 1000,
		fragmentation % 1000);
	for (i = 0; i < bank->num_blocks; i++)
		loom_report_row_block(files, who, report, index, &bank->blocks[i]);
}

int loom_report_rows(const struct loom_report_files *files, const struct loom_target *target,
		     unsigned int plan, uint64_t scratch_bytes)
{
	struct loom_report_region *report;
	uint32_t region, i;
	char who[32];
	int ret;

	snprintf(who, sizeof(who), "%d,%u", (int)getpid(), plan);
	for (region = 0; region < DRM_LOOM_REGION_COUNT; region++) {
		if (!target->chip->region[region].banks)
			continue;
		ret = loom_report_region_get(target, region, scratch_bytes, &report);
		if (ret)
			return ret;
		if (region == DRM_LOOM_REGION_SRAM)
			fprintf(files->l1, "%s,%llu,%llu,%llu\n", who,
				(unsigned long long)report->min_largest_free_bytes,
				(unsigned long long)report->largest_interleaved_bytes,
				(unsigned long long)report->banks[0].scratch_bytes);
		for (i = 0; i < report->num_banks; i++)
			loom_report_row_bank(files, who, report, i);
		loom_report_region_put(report);
	}
	return 0;
}

static int loom_report_fail(struct loom_error *err, int code, const char *path)
{
	return loom_error_set(err, code, "memory reports: %s: %s", path, strerror(-code));
}

static int loom_report_make_dir(const char *dir, struct loom_error *err)
{
	if (mkdir(dir, 0777) && errno != EEXIST)
		return loom_report_fail(err, -errno, dir);
	return 0;
}

/* Flushes and closes; returns @ret, or the first write error. */
static int loom_report_close(FILE **files, int ret)
{
	int i;

	for (i = 0; i < LOOM_REPORT_FILES; i++) {
		if (!files[i])
			continue;
		if ((fflush(files[i]) || ferror(files[i])) && !ret)
			ret = errno ? -errno : -EIO;
		fclose(files[i]);
	}
	return ret;
}

static void loom_report_free_names(char **names)
{
	int i;

	for (i = 0; i < LOOM_REPORT_FILES; i++)
		free(names[i]);
}

static int loom_report_make_names(char **names, const char *dir, const char *prefix)
{
	int i;

	memset(names, 0, LOOM_REPORT_FILES * sizeof(*names));
	for (i = 0; i < LOOM_REPORT_FILES; i++)
		if (asprintf(&names[i], "%s/%s%s", dir, prefix ? prefix : "",
			     loom_report_file_names[i]) < 0) {
			names[i] = NULL;
			loom_report_free_names(names);
			return -ENOMEM;
		}
	return 0;
}

static int loom_report_open(char *const *names, FILE **files, struct loom_error *err)
{
	int i, ret;

	memset(files, 0, LOOM_REPORT_FILES * sizeof(*files));
	for (i = 0; i < LOOM_REPORT_FILES; i++) {
		files[i] = fopen(names[i], "ae");
		if (!files[i]) {
			ret = loom_report_fail(err, -errno, names[i]);
			loom_report_close(files, 0);
			return ret;
		}
	}
	return 0;
}

/* Formats the rows of all files in memory. */
static int loom_report_make(const struct loom_target *target, char **texts, size_t *sizes)
{
	FILE *files[LOOM_REPORT_FILES];
	struct loom_report_files to;
	int ret = 0, i;

	for (i = 0; i < LOOM_REPORT_FILES; i++) {
		files[i] = open_memstream(&texts[i], &sizes[i]);
		if (!files[i])
			ret = -ENOMEM;
	}
	if (!ret) {
		to = (struct loom_report_files){ files[0], files[1], files[2] };
		loom_report_headers(&to);
		ret = loom_report_rows(&to, target, 0, 0);
	}
	return loom_report_close(files, ret);
}

/* All files must be complete before the first is renamed. */
static int loom_report_put(char *const *names, char *const *texts, const size_t *sizes,
			   struct loom_error *err)
{
	struct loom_saving *saving[LOOM_REPORT_FILES] = { NULL };
	int ret = 0, i;

	for (i = 0; i < LOOM_REPORT_FILES && !ret; i++)
		ret = loom_file_stage(names[i], texts[i], sizes[i], &saving[i], err);
	for (i = 0; i < LOOM_REPORT_FILES; i++) {
		if (ret)
			loom_file_discard(saving[i]);
		else
			ret = loom_file_commit(saving[i], err);
	}
	return ret;
}

static int loom_report_write_files(const struct loom_target *target, const char *dir,
				   const char *prefix, struct loom_error *err)
{
	char *names[LOOM_REPORT_FILES], *texts[LOOM_REPORT_FILES] = { NULL };
	size_t sizes[LOOM_REPORT_FILES] = { 0 };
	int ret, i;

	ret = loom_report_make_names(names, dir, prefix);
	if (ret)
		return loom_report_fail(err, ret, dir);
	ret = loom_report_make(target, texts, sizes);
	if (ret)
		loom_report_fail(err, ret, dir);
	else
		ret = loom_report_put(names, texts, sizes, err);
	for (i = 0; i < LOOM_REPORT_FILES; i++)
		free(texts[i]);
	loom_report_free_names(names);
	return ret;
}

int loom_report_write(const struct loom_target *target, const char *dir, const char *prefix,
		      struct loom_error *err)
{
	int saved = errno, ret;

	ret = loom_report_make_dir(dir, err);
	if (!ret)
		ret = loom_report_write_files(target, dir, prefix, err);
	errno = saved;
	return ret;
}

static int loom_report_append_files(const struct loom_target *target, char *const *names,
				    uint64_t scratch_bytes, struct loom_error *err)
{
	FILE *files[LOOM_REPORT_FILES];
	struct loom_report_files to;
	struct stat stat_of;
	int ret;

	ret = loom_report_open(names, files, err);
	if (ret)
		return ret;
	to = (struct loom_report_files){ files[0], files[1], files[2] };
	if (flock(fileno(to.l1), LOCK_EX) || fstat(fileno(to.l1), &stat_of)) {
		ret = -errno;
	} else {
		if (!stat_of.st_size)
			loom_report_headers(&to);
		ret = loom_report_rows(&to, target, loom_report_auto.plans, scratch_bytes);
		/* closing the first file releases the lock, so the others must be written first */
		fflush(to.summary);
		fflush(to.detail);
	}
	ret = loom_report_close(files, ret);
	return ret ? loom_report_fail(err, ret, names[0]) : 0;
}

static int loom_report_append_locked(const struct loom_target *target, uint64_t scratch_bytes,
				     struct loom_error *err)
{
	const char *dir = loom_report_auto.dir;
	char *names[LOOM_REPORT_FILES];
	int ret;

	ret = loom_report_make_dir(dir, err);
	if (ret)
		return ret;
	ret = loom_report_make_names(names, dir, NULL);
	if (ret)
		return loom_report_fail(err, ret, dir);
	loom_report_auto.plans++;
	ret = loom_report_append_files(target, names, scratch_bytes, err);
	loom_report_free_names(names);
	return ret;
}

/* The environment applies until loom_report_enable() or loom_report_disable() is called. */
static int loom_report_read_env_locked(struct loom_error *err)
{
	const char *dir = getenv(LOOM_REPORT_ENV);

	if (loom_report_auto.known)
		return 0;
	if (dir && *dir) {
		loom_report_auto.dir = strdup(dir);
		if (!loom_report_auto.dir)
			return loom_report_fail(err, -ENOMEM, dir);
	}
	loom_report_auto.known = true;
	return 0;
}

int loom_report_plan(const struct loom_target *target, uint64_t scratch_bytes,
		     struct loom_error *err)
{
	int saved = errno, ret;

	pthread_mutex_lock(&loom_report_auto.lock);
	ret = loom_report_read_env_locked(err);
	if (!ret && loom_report_auto.dir)
		ret = loom_report_append_locked(target, scratch_bytes, err);
	pthread_mutex_unlock(&loom_report_auto.lock);
	errno = saved;
	return ret;
}

int loom_report_enable(const char *dir, struct loom_error *err)
{
	int saved = errno, ret;
	char *copy = strdup(dir);

	if (!copy)
		return loom_report_fail(err, -ENOMEM, dir);
	ret = loom_report_make_dir(dir, err);
	errno = saved;
	if (ret) {
		free(copy);
		return ret;
	}
	pthread_mutex_lock(&loom_report_auto.lock);
	free(loom_report_auto.dir);
	loom_report_auto.dir = copy;
	loom_report_auto.known = true;
	pthread_mutex_unlock(&loom_report_auto.lock);
	return 0;
}

void loom_report_disable(void)
{
	pthread_mutex_lock(&loom_report_auto.lock);
	free(loom_report_auto.dir);
	loom_report_auto.dir = NULL;
	loom_report_auto.known = true;
	pthread_mutex_unlock(&loom_report_auto.lock);
}
