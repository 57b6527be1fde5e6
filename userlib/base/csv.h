/* SPDX-License-Identifier: MIT */
/* Text of comma-separated values, cut in place into fields (RFC 4180). */
#ifndef LOOM_BASE_CSV_H
#define LOOM_BASE_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct loom_error;

/* LOOM_CSV_SHOWN: size of the buffer of loom_csv_show(); LOOM_CSV_COLUMNS: most fields of a row */
#define LOOM_CSV_SHOWN		48
#define LOOM_CSV_COLUMNS	32
/* LOOM_CSV_MAX_BYTES: a larger input is refused, because it may be an endless stream */
#define LOOM_CSV_MAX_BYTES	(1ULL << 30)

/**
 * struct loom_csv_scan - position in the text
 * @path: of the file, for messages
 * @at: next byte
 * @end: first byte behind the text; a zero may be written there
 * @line: number of the line that @at is in
 * @err: where messages go, or NULL
 */
struct loom_csv_scan {
	const char *path;
	char *at;
	char *end;
	uint32_t line;
	struct loom_error *err;
};

/** loom_csv_slurp() - reads the rest of @stream, or more than LOOM_CSV_MAX_BYTES; 0 or -errno */
int loom_csv_slurp(FILE *stream, char **text, size_t *size_bytes);
/** loom_csv_begin() - starts at @text; @scan has path and err. -EINVAL if that is no text */
int loom_csv_begin(struct loom_csv_scan *scan, char *text, size_t size_bytes);
/** loom_csv_show() - a printable form of @field for a message: one line, shortened */
const char *loom_csv_show(char shown[LOOM_CSV_SHOWN], const char *field);
/** loom_csv_fail() - formats a message about @line; 0: about the file. Returns @code */
int loom_csv_fail(struct loom_csv_scan *scan, int code, uint32_t line,
		  const char *format, ...) __attribute__((format(printf, 4, 5)));
/** loom_csv_no_memory() - formats a message about lack of memory; returns -ENOMEM */
int loom_csv_no_memory(struct loom_csv_scan *scan);

/** loom_csv_skip_blank() - skips empty lines; returns false at the end of the text */
bool loom_csv_skip_blank(struct loom_csv_scan *scan);
/** loom_csv_field() - extracts one field; @more: another follows on the line */
int loom_csv_field(struct loom_csv_scan *scan, char **field, bool *more);
/** loom_csv_trim() - @text without blanks around it: its first byte, and its @length */
const char *loom_csv_trim(const char *text, size_t *length);
/** loom_csv_number() - parses a number, moves *@at behind it; -EINVAL, -ERANGE */
int loom_csv_number(const char **at, int64_t *value);

/**
 * struct loom_csv - a file that is read row by row
 * @scan: position behind the row
 * @text: the file
 * @line: where the row begins
 * @fields: of the row, without blanks around them; valid until loom_csv_close()
 * @count: number of @fields
 */
struct loom_csv {
	struct loom_csv_scan scan;
	char *text;
	uint32_t line;
	char *fields[LOOM_CSV_COLUMNS];
	uint32_t count;
};

/** loom_csv_open() - reads a file and its first row; close it also on failure. 0 or -errno */
int loom_csv_open(struct loom_csv *csv, const char *path, struct loom_error *err);
/** loom_csv_next() - the next row that is no comment (#); 1, 0 at the end, or -errno */
int loom_csv_next(struct loom_csv *csv);
/** loom_csv_fail_row() - formats a message about the row; returns -EINVAL */
int loom_csv_fail_row(struct loom_csv *csv, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/** loom_csv_close() - frees the text */
void loom_csv_close(struct loom_csv *csv);

#endif /* LOOM_BASE_CSV_H */
