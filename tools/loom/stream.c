// SPDX-License-Identifier: MIT
/*
 * Standard output and standard error. Output for people has names from models, tables, the kernel
 * and other processes, and a terminal would interpret control characters in them. So both streams
 * go through one filter, which cannot be forgotten.
 *
 * Rejected: a function around each name. There were hundreds of places, including errors of the
 * library.
 */
#include "tool.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

size_t tool_char_length(const char *text, size_t left)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *at = (const unsigned char *)text;
	uint32_t code;
	size_t i, length;

	if (at[0] < 0x80)
		return at[0] >= 0x20 && at[0] != 0x7f;
	length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
	if (at[0] < 0xc2 || at[0] > 0xf4 || length > left)
		return 0;
	code = at[0] & (0x7f >> length);
	for (i = 1; i < length; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (at[i] & 0x3f);
	}
	return code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code >= 0xe000) &&
	       code >= 0xa0 ? length : 0;
}

bool tool_char_moves(const char *text, size_t length)
{
	const unsigned char *at = (const unsigned char *)text;
	unsigned int code;

	if (length == 2)
		return at[0] == 0xd8 && at[1] == 0x9c;	/* U+061C */
	if (length != 3 || at[0] != 0xe2)
		return false;
	code = 0x2000 | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu);
	return code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

/**
 * struct stream - a stream that is filtered
 * @fd: where it goes
 * @error: errno of the first write that failed, or 0
 * @held: first bytes of a character of which the rest has not come
 * @num_held: number of @held
 */
struct stream {
	int fd;
	int error;
	char held[4];
	size_t num_held;
};

static struct stream stream_out = { .fd = STDOUT_FILENO }, stream_err = { .fd = STDERR_FILENO };

static int stream_put(struct stream *stream, const char *bytes, size_t size)
{
	while (size) {
		ssize_t done = write(stream->fd, bytes, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0) {
			if (!stream->error)
				stream->error = errno;
			return -1;
		}
		bytes += done;
		size -= (size_t)done;
	}
	return 0;
}

/* Bytes of a character that begins with @first, if it is one. */
static size_t stream_wants(unsigned char first)
{
	return first < 0xc2 || first > 0xf4 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
}

/*
 * Keeps newlines, tabs and printable characters that move no text; replaces all else by question
 * marks. Returns the number of consumed bytes of @text; the rest may be the begin of a character.
 */
static size_t stream_filter(const char *text, size_t size, char *out, size_t *out_size)
{
	size_t at, length;

	for (at = 0; at < size; at += length ? length : 1) {
		length = text[at] == '\n' || text[at] == '\t' ? 1 :
			 tool_char_length(text + at, size - at);
		if (!length && size - at < stream_wants((unsigned char)text[at]))
			break;
		if (length && !tool_char_moves(text + at, length)) {
			memcpy(out + *out_size, text + at, length);
			*out_size += length;
		} else {
			out[(*out_size)++] = '?';
		}
	}
	return at;
}

static ssize_t stream_write(void *cookie, const char *bytes, size_t size)
{
	struct stream *stream = cookie;
	char in[1024], out[sizeof(in)];
	size_t done = 0;

	while (done < size) {
		size_t part = min(size - done, sizeof(in) - stream->num_held), total, seen;
		size_t out_size = 0;

		memcpy(in, stream->held, stream->num_held);
		memcpy(in + stream->num_held, bytes + done, part);
		total = stream->num_held + part;
		seen = stream_filter(in, total, out, &out_size);
		stream->num_held = total - seen;
		memcpy(stream->held, in + seen, stream->num_held);
		if (stream_put(stream, out, out_size))
			return 0;
		done += part;
	}
	return (ssize_t)size;
}

static FILE *stream_open(struct stream *stream, int buffering)
{
	FILE *file = fopencookie(stream, "w", (cookie_io_functions_t){ .write = stream_write });

	if (file)
		setvbuf(file, NULL, buffering, BUFSIZ);
	return file;
}

int tool_streams_filter(void)
{
	FILE *out = stream_open(&stream_out, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF);
	FILE *err = stream_open(&stream_err, _IONBF);

	if (!out || !err)
		return -ENOMEM;
	stdout = out;
	stderr = err;
	return 0;
}

int tool_stream_raw(FILE *file, const void *bytes, size_t size)
{
	struct stream *stream = file == stderr ? &stream_err : &stream_out;

	if (fflush(file) || stream_put(stream, bytes, size))
		return stream->error ? -stream->error : -EIO;
	return 0;
}

int tool_stdout_error(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	return stream_out.error ? -stream_out.error : -EIO;
}
