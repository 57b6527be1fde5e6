// SPDX-License-Identifier: MIT
#include "curves.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loom_place_file.h"

/**
 * DOC: Curves of a recording
 *
 * A sweep over all moments at which a buffer comes, ends to be in use, or goes. The living buffers
 * are kept by address. Bytes that two of them share, on different banks, count once, for the first
 * of them, so that the labels add up to what is allocated.
 */

/* A buffer of the file. */
struct curve_buffer {
	const char *label;
	uint64_t start;
	uint64_t end;
	uint64_t lower;
	uint64_t idle;
	uint64_t upper;
	uint32_t curve;
};

struct curves_sweep {
	struct curves curves;
	struct curve_buffer *buffers;
	struct curve_buffer **alive;
	size_t count;
	uint64_t floor;
	uint64_t ceiling;
};

/* --- reading ---------------------------------------------------------------------------- */

static int read_buffer(struct curves_sweep *sweep, const struct loom_place_csv *csv, uint32_t i)
{
	static const char *const columns[] = {
		"lower", "idle", "upper", "offset", "floor", "ceiling", "label",
	};
	struct curve_buffer *buffer = &sweep->buffers[i];
	const char *text = NULL;
	int64_t v[ARRAY_SIZE(columns)] = { 0 };
	uint32_t k;

	for (k = 0; k < ARRAY_SIZE(columns); k++) {
		text = loom_place_csv_text(csv, i, columns[k]);
		if (!text)
			return tool_fail("%s: no column '%s', which loom report --record writes",
					 csv->path, columns[k]);
		if (k + 1 < ARRAY_SIZE(columns) && tool_parse_number(text, false, &v[k]))
			return tool_fail("%s:%u: column '%s': '%s' is no number", csv->path,
					 csv->lines[i], columns[k], text);
	}
	*buffer = (struct curve_buffer){
		.label = text, .lower = v[0], .idle = v[1], .upper = v[2], .start = v[3],
		.end = v[3] + csv->problem.items[i].size_bytes,
	};
	if (v[1] < v[0] || v[1] > v[2])
		return tool_fail("%s:%u: column 'idle': %lld is outside of the lifetime", csv->path,
				 csv->lines[i], (long long)v[1]);
	if (v[3] < v[4] || buffer->end > (uint64_t)v[5] ||
	    (i && ((uint64_t)v[4] != sweep->floor || (uint64_t)v[5] != sweep->ceiling)))
		return tool_fail("%s:%u: not between 'floor' and 'ceiling' of line %u",
				 csv->path, csv->lines[i], csv->lines[0]);
	sweep->floor = v[4];
	sweep->ceiling = v[5];
	return 0;
}

/* --- labels ----------------------------------------------------------------------------- */

static int compare_areas(const void *a, const void *b)
{
	const struct curve_label *x = a, *y = b;

	return x->area == y->area ? strcmp(x->name, y->name) : x->area < y->area ? 1 : -1;
}

static int rank_labels(struct curves_sweep *sweep)
{
	struct curve_label *all = calloc(sweep->count + 1, sizeof(*all));
	struct curves *curves = &sweep->curves;
	size_t i, k, n = 0;

	if (!all)
		return tool_fail("no memory");
	for (i = 0; i < sweep->count; i++) {
		const struct curve_buffer *buffer = &sweep->buffers[i];

		for (k = 0; k < n && strcmp(all[k].name, buffer->label); k++)
			;
		if (k == n)
			all[n++].name = buffer->label;
		all[k].area += (double)(buffer->end - buffer->start) *
			       (double)(buffer->upper - buffer->lower);
	}
	qsort(all, n, sizeof(*all), compare_areas);
	curves->num_labels = n < CURVES_MOST ? n : CURVES_MOST;
	memcpy(curves->labels, all, curves->num_labels * sizeof(*all));
	free(all);
	for (i = 0; i < sweep->count; i++) {
		struct curve_buffer *buffer = &sweep->buffers[i];
		const uint64_t late_us = buffer->upper - buffer->idle;
		struct curve_label *label;

		for (k = 0; k + 1 < curves->num_labels; k++)
			if (!strcmp(curves->labels[k].name, buffer->label))
				break;
		buffer->curve = k;
		label = &curves->labels[k];
		label->buffers++;
		label->late_buffers += late_us > 0;
		label->longest_us = late_us > label->longest_us ? late_us : label->longest_us;
	}
	if (n > CURVES_MOST)
		curves->labels[CURVES_MOST - 1].name = "(others)";
	for (k = 0; k < curves->num_labels; k++)
		if (!*curves->labels[k].name)
			curves->labels[k].name = "(no label)";
	return 0;
}

/* --- the sweep -------------------------------------------------------------------------- */

static int compare_lowers(const void *a, const void *b)
{
	const struct curve_buffer *x = a, *y = b;

	return x->lower == y->lower ? (x->start > y->start) - (x->start < y->start) :
	       x->lower > y->lower ? 1 : -1;
}

static int compare_moments(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void find_point(struct curves_sweep *sweep, struct curve_point *point, size_t alive)
{
	uint64_t at = sweep->floor;
	size_t i;

	for (i = 0; i <= alive; i++) {
		const struct curve_buffer *buffer = i < alive ? sweep->alive[i] : NULL;
		const uint64_t start = buffer ? buffer->start : sweep->ceiling;
		uint64_t bytes;

		if (start > at && start - at > point->largest_bytes)
			point->largest_bytes = start - at;
		if (!buffer || buffer->end <= at)
			continue;
		bytes = buffer->end - (start > at ? start : at);
		point->allocated_bytes += bytes;
		point->bytes[buffer->curve] += bytes;
		if (buffer->idle <= point->us)
			point->late_bytes[buffer->curve] += bytes;
		at = buffer->end;
	}
	point->free_bytes = sweep->curves.bank_bytes - point->allocated_bytes;
	if (point->free_bytes)
		point->fragmentation = 1000 - (uint64_t)((__uint128_t)point->largest_bytes * 1000 /
							 point->free_bytes);
	for (i = 0; i < sweep->curves.num_labels; i++) {
		struct curve_label *label = &sweep->curves.labels[i];

		if (point->bytes[i] > label->peak_bytes)
			label->peak_bytes = point->bytes[i];
		if (point->late_bytes[i] > label->late_peak_bytes)
			label->late_peak_bytes = point->late_bytes[i];
	}
}

/* @moments: all of them, ascending; @buffers are by ascending lower */
static void find_points(struct curves_sweep *sweep, const uint64_t *moments, size_t num_moments)
{
	struct curves *curves = &sweep->curves;
	size_t alive = 0, next = 0, i, k, kept;

	for (i = 0; i < num_moments; i++) {
		struct curve_point *point;

		if (i && moments[i] == moments[i - 1])
			continue;
		point = &curves->points[curves->num_points++];
		point->us = moments[i];
		for (k = 0, kept = 0; k < alive; k++)
			if (sweep->alive[k]->upper > point->us)
				sweep->alive[kept++] = sweep->alive[k];
		alive = kept;
		for (; next < sweep->count && sweep->buffers[next].lower == point->us; next++) {
			struct curve_buffer *born = &sweep->buffers[next];

			for (k = alive++; k && sweep->alive[k - 1]->start > born->start; k--)
				sweep->alive[k] = sweep->alive[k - 1];
			sweep->alive[k] = born;
		}
		find_point(sweep, point, alive);
	}
}

static int find_curves(struct curves_sweep *sweep, const struct loom_place_csv *csv)
{
	const size_t count = csv->problem.num_items;
	uint64_t *moments = calloc(3 * count + 1, sizeof(*moments));
	size_t i;
	int ret = 0;

	sweep->count = count;
	sweep->buffers = calloc(count + 1, sizeof(*sweep->buffers));
	sweep->alive = calloc(count + 1, sizeof(*sweep->alive));
	sweep->curves.points = calloc(3 * count + 1, sizeof(*sweep->curves.points));
	if (!moments || !sweep->buffers || !sweep->alive || !sweep->curves.points)
		ret = tool_fail("no memory");
	for (i = 0; i < count && !ret; i++)
		ret = read_buffer(sweep, csv, i);
	if (!ret)
		ret = rank_labels(sweep);
	if (!ret) {
		sweep->curves.bank_bytes = sweep->ceiling - sweep->floor;
		for (i = 0; i < count; i++) {
			moments[3 * i] = sweep->buffers[i].lower;
			moments[3 * i + 1] = sweep->buffers[i].idle;
			moments[3 * i + 2] = sweep->buffers[i].upper;
		}
		qsort(moments, 3 * count, sizeof(*moments), compare_moments);
		qsort(sweep->buffers, count, sizeof(*sweep->buffers), compare_lowers);
		find_points(sweep, moments, 3 * count);
	}
	free(moments);
	return ret;
}

/* --- output ----------------------------------------------------------------------------- */

static void print(const struct curves *curves)
{
	const struct curve_point *most = curves->points, *least = curves->points, *point;
	uint64_t fragmentation = 0;
	char a[TOOL_TEXT], b[TOOL_TEXT];
	uint32_t i;

	if (!curves->num_points)
		return;
	for (point = curves->points; point < curves->points + curves->num_points; point++) {
		if (point->fragmentation > fragmentation)
			fragmentation = point->fragmentation;
		most = point->allocated_bytes > most->allocated_bytes ? point : most;
		least = point->largest_bytes < least->largest_bytes ? point : least;
	}
	printf("  most allocated in a bank %s, after %.6f s\n",
	       tool_bytes(a, most->allocated_bytes), (double)most->us / 1e6);
	printf("  smallest largest free block %s, after %.6f s; fragmentation at most %.3f\n",
	       tool_bytes(a, least->largest_bytes), (double)least->us / 1e6,
	       (double)fragmentation / 1000);
	printf("  %-24s %7s  %12s   %10s  %12s  %s\n", "LABEL", "BUFFERS", "PEAK", "LATE FREES",
	       "THEIR PEAK", "LONGEST");
	for (i = 0; i < curves->num_labels; i++) {
		const struct curve_label *label = &curves->labels[i];

		printf("  %-24s %7llu  %12s   %10llu  %12s  %.6f s\n", label->name,
		       (unsigned long long)label->buffers, tool_bytes(a, label->peak_bytes),
		       (unsigned long long)label->late_buffers,
		       tool_bytes(b, label->late_peak_bytes), (double)label->longest_us / 1e6);
	}
}

static void put_bytes(const struct curves *curves, struct json *json, const char *key,
		      const uint64_t *bytes)
{
	uint32_t i;

	json_open(json, key, '[');
	for (i = 0; i < curves->num_labels; i++)
		json_u64(json, NULL, bytes[i]);
	json_close(json, ']');
}

static void print_json(const struct curves *curves)
{
	const struct curve_point *point = curves->points;
	struct json json;
	uint32_t i;

	json_begin(&json, stdout);
	json_string(&json, "recording", curves->name);
	json_u64(&json, "bank_bytes", curves->bank_bytes);
	json_open(&json, "labels", '[');
	for (i = 0; i < curves->num_labels; i++) {
		const struct curve_label *label = &curves->labels[i];

		json_open(&json, NULL, '{');
		json_string(&json, "label", label->name);
		json_u64(&json, "buffers", label->buffers);
		json_u64(&json, "peak_bytes", label->peak_bytes);
		json_u64(&json, "late_buffers", label->late_buffers);
		json_u64(&json, "late_peak_bytes", label->late_peak_bytes);
		json_u64(&json, "longest_us", label->longest_us);
		json_close(&json, '}');
	}
	json_close(&json, ']');
	json_open(&json, "points", '[');
	for (; point < curves->points + curves->num_points; point++) {
		json_open(&json, NULL, '{');
		json_u64(&json, "us", point->us);
		json_u64(&json, "allocated_bytes", point->allocated_bytes);
		json_u64(&json, "largest_free_bytes", point->largest_bytes);
		json_double(&json, "fragmentation", (double)point->fragmentation / 1000);
		put_bytes(curves, &json, "bytes", point->bytes);
		put_bytes(curves, &json, "late_bytes", point->late_bytes);
		json_close(&json, '}');
	}
	json_close(&json, ']');
	json_end(&json);
}

int tool_curves_show(const struct tool_curves *curves, const char *text, size_t size_bytes)
{
	const bool input = !strcmp(curves->path, "-");
	struct curves_sweep sweep = { .curves.name = input ? "standard input" : curves->path };
	struct loom_place_csv *csv;
	struct loom_error err;
	int ret;

	if (text)
		ret = loom_place_csv_parse(text, size_bytes, sweep.curves.name, &csv, &err);
	else if (input)
		ret = loom_place_csv_read(stdin, sweep.curves.name, &csv, &err);
	else
		ret = loom_place_csv_load(curves->path, &csv, &err);
	if (ret)
		return tool_fail("%s", err.text);
	ret = find_curves(&sweep, csv);
	if (!ret && curves->picture)
		ret = curves_draw(&sweep.curves, curves->picture);
	if (!ret && curves->json)
		print_json(&sweep.curves);
	else if (!ret)
		print(&sweep.curves);
	free(sweep.curves.points);
	free(sweep.buffers);
	free(sweep.alive);
	loom_place_csv_destroy(csv);
	return ret;
}
