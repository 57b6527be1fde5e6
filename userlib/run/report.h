/* SPDX-License-Identifier: MIT */
#ifndef LOOM_REPORT_PRIV_H
#define LOOM_REPORT_PRIV_H

#include "loom_report.h"

#include <stdio.h>

/**
 * loom_report_plan() - append the rows of a loaded plan, if reports are enabled
 * @target: the target
 * @scratch_bytes: SRAM per bank that the plan needs while it runs
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0 or -errno.
 */
int loom_report_plan(const struct loom_target *target, uint64_t scratch_bytes,
		     struct loom_error *err);

/**
 * struct loom_report_files - the three files, open for writing
 * @l1: l1_usage_summary.csv
 * @summary: memory_usage_summary.csv
 * @detail: detailed_memory_usage.csv
 */
struct loom_report_files {
	FILE *l1;
	FILE *summary;
	FILE *detail;
};

/** loom_report_headers() - writes the header line of each */
void loom_report_headers(const struct loom_report_files *files);
/**
 * loom_report_rows() - writes the rows of all regions as they are now
 * @files: the files
 * @target: the target
 * @plan: number of the plan, 0 for none
 * @scratch_bytes: scratch of the plan, per SRAM bank
 *
 * The caller must check the files for write errors with ferror().
 *
 * Return: 0 or the error of querying the target.
 */
int loom_report_rows(const struct loom_report_files *files, const struct loom_target *target,
		     unsigned int plan, uint64_t scratch_bytes);

#endif /* LOOM_REPORT_PRIV_H */
