/* SPDX-License-Identifier: MIT */
/* Shared by the files that show a recording of buffers. */
#ifndef TOOL_CURVES_H
#define TOOL_CURVES_H

#include "../tool.h"

/* labels with a curve of their own; with more, the last curve is the sum of the rest */
#define CURVES_MOST	8

/**
 * struct curve_label - the buffers with a label
 * @name: the label, for people
 * @area: product of bytes and lifetimes, by which labels are ranked
 * @buffers: number of buffers
 * @late_buffers: number of those that were freed late
 * @longest_us: the longest time between last use and free
 * @peak_bytes: most allocated at a moment
 * @late_peak_bytes: most at a moment of buffers that are freed late and not in use any more
 */
struct curve_label {
	const char *name;
	double area;
	uint64_t buffers;
	uint64_t late_buffers;
	uint64_t longest_us;
	uint64_t peak_bytes;
	uint64_t late_peak_bytes;
};

/**
 * struct curve_point - the state from a moment to the next one
 * @us: the moment, in microseconds from the first event
 * @bytes: by label: bytes in a bank
 * @late_bytes: by label: its part of @bytes that is not in use any more
 * @allocated_bytes: sum of @bytes
 * @free_bytes: the others
 * @largest_bytes: largest free block
 * @fragmentation: share of the free bytes outside of that block, in thousandths
 */
struct curve_point {
	uint64_t us;
	uint64_t bytes[CURVES_MOST];
	uint64_t late_bytes[CURVES_MOST];
	uint64_t allocated_bytes;
	uint64_t free_bytes;
	uint64_t largest_bytes;
	uint64_t fragmentation;
};

/**
 * struct curves - a recording
 * @name: of the file
 * @bank_bytes: that can be allocated in a bank
 * @labels: by descending area
 * @num_labels: number of @labels, at most CURVES_MOST
 * @points: by ascending moment
 * @num_points: number of @points
 */
struct curves {
	const char *name;
	uint64_t bank_bytes;
	struct curve_label labels[CURVES_MOST];
	uint32_t num_labels;
	struct curve_point *points;
	size_t num_points;
};

/** curves_draw() - writes the picture; 0 or TOOL_FAILED */
int curves_draw(const struct curves *curves, const char *path);

#endif /* TOOL_CURVES_H */
