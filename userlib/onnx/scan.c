// SPDX-License-Identifier: MIT
/*
 * Checks a protobuf message before protobuf-c unpacks it, and leaves out what protobuf-c would copy
 * only for the graph to copy it once more, see loom_onnx_scan().
 */
#include "proto.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* models nest graphs in attributes in nodes in graphs; real ones stay below ten */
#define SCAN_DEPTH_MAX		32
/* the largest models seen have some thousand nodes of some ten parts each */
#define SCAN_PARTS_MAX		(1u << 22)
/* a length of a message in the thin file, which is written before it is known: 35 bits */
#define LENGTH_BYTES		5

enum wire_type {
	WIRE_VARINT = 0,
	WIRE_64BIT = 1,
	WIRE_BYTES = 2,
	WIRE_32BIT = 5,
};

/**
 * struct scan - where the scan stands
 * @bytes: the file
 * @next: next byte
 * @end: end of the message at hand
 * @num_parts: fields seen in the whole file
 * @thin: the file so far without raw data, from malloc
 * @used: bytes of @thin
 * @room: bytes that @thin has room for
 */
struct scan {
	const uint8_t *bytes;
	const uint8_t *next;
	const uint8_t *end;
	uint32_t num_parts;
	uint8_t *thin;
	size_t used;
	size_t room;
};

static int scan_put(struct scan *scan, const void *bytes, size_t count)
{
	uint8_t *larger;
	size_t room;

	if (!scan->thin || count > scan->room - scan->used) {
		room = 2 * (scan->used + count) + 4096;
		larger = realloc(scan->thin, room);
		if (!larger)
			return -ENOMEM;
		scan->thin = larger;
		scan->room = room;
	}
	memcpy(scan->thin + scan->used, bytes, count);
	scan->used += count;
	return 0;
}

/* All of its bytes but the last say that another follows. */
static void write_length(uint8_t *at, size_t length)
{
	unsigned int i;

	for (i = 0; i < LENGTH_BYTES; i++)
		at[i] = (uint8_t)((length >> (7 * i) & 0x7f) | (i < LENGTH_BYTES - 1 ? 0x80 : 0));
}

static int put_length(struct scan *scan, size_t length)
{
	uint8_t bytes[LENGTH_BYTES];

	write_length(bytes, length);
	return scan_put(scan, bytes, sizeof(bytes));
}

static int scan_varint(struct scan *scan, uint64_t *value)
{
	unsigned int shift;

	*value = 0;
	for (shift = 0; shift < 64; shift += 7) {
		uint8_t byte;

		if (scan->next == scan->end)
			return -EBADMSG;
		byte = *scan->next++;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return 0;
	}
	return -EBADMSG;
}

static int scan_skip(struct scan *scan, uint64_t count)
{
	if (count > (uint64_t)(scan->end - scan->next))
		return -EBADMSG;
	scan->next += count;
	return 0;
}

static int scan_message(struct scan *scan, const struct ProtobufCMessageDescriptor *descriptor,
			unsigned int depth);

/* A field that is a message, of which @scan->next is the first byte. */
static int scan_inner(struct scan *scan, const ProtobufCMessageDescriptor *descriptor,
		      size_t length, unsigned int depth)
{
	const uint8_t *end = scan->end;
	size_t start;
	int err;

	err = put_length(scan, 0);
	if (err)
		return err;
	start = scan->used;
	scan->end = scan->next + length;
	err = scan_message(scan, descriptor, depth + 1);
	scan->end = end;
	if (!err)
		write_length(scan->thin + start - LENGTH_BYTES, scan->used - start);
	return err;
}

static bool is_raw_data(const ProtobufCMessageDescriptor *descriptor,
			const ProtobufCFieldDescriptor *field)
{
	return field && descriptor == &onnx__tensor_proto__descriptor &&
	       field->offset == offsetof(Onnx__TensorProto, raw_data);
}

/* Raw data of a tensor, which stay where they are: the message says where that is. */
static int scan_raw_data(struct scan *scan, size_t length)
{
	const struct loom_onnx_span span = { (uint64_t)(scan->next - scan->bytes), length };
	int err = put_length(scan, sizeof(span));

	return err ? err : scan_put(scan, &span, sizeof(span)) ? -ENOMEM : scan_skip(scan, length);
}

/* A field with a length, and its tag, which begins at @start. */
static int scan_bytes(struct scan *scan, const ProtobufCMessageDescriptor *descriptor,
		      uint64_t number, const uint8_t *start, unsigned int depth)
{
	const uint8_t *length_at = scan->next;
	const ProtobufCFieldDescriptor *field;
	uint64_t length;
	bool is_message;
	int err;

	err = scan_varint(scan, &length);
	if (err || length > (uint64_t)(scan->end - scan->next))
		return -EBADMSG;
	/* no field has such a large number; cut to 32 bits it could name one */
	field = number <= UINT32_MAX ?
		protobuf_c_message_descriptor_get_field(descriptor, (unsigned int)number) : NULL;
	is_message = field && field->type == PROTOBUF_C_TYPE_MESSAGE;
	if (!is_message && !is_raw_data(descriptor, field)) {
		scan->next += length;
		return scan_put(scan, start, (size_t)(scan->next - start));
	}
	err = scan_put(scan, start, (size_t)(length_at - start));
	if (err)
		return err;
	return is_message ? scan_inner(scan, field->descriptor, length, depth) :
			    scan_raw_data(scan, length);
}

static int scan_field(struct scan *scan, const ProtobufCMessageDescriptor *descriptor,
		      unsigned int depth)
{
	const uint8_t *start = scan->next;
	uint64_t tag, value;
	int err;

	err = scan_varint(scan, &tag);
	if (err)
		return err;
	if (++scan->num_parts > SCAN_PARTS_MAX)
		return -EMLINK;
	switch (tag & 7) {
	case WIRE_VARINT:
		err = scan_varint(scan, &value);
		break;
	case WIRE_64BIT:
		err = scan_skip(scan, 8);
		break;
	case WIRE_32BIT:
		err = scan_skip(scan, 4);
		break;
	case WIRE_BYTES:
		return scan_bytes(scan, descriptor, tag >> 3, start, depth);
	default:
		return -EBADMSG;
	}
	return err ? err : scan_put(scan, start, (size_t)(scan->next - start));
}

static int scan_message(struct scan *scan, const struct ProtobufCMessageDescriptor *descriptor,
			unsigned int depth)
{
	int err = 0;

	if (depth > SCAN_DEPTH_MAX)
		return -EMLINK;
	while (!err && scan->next < scan->end)
		err = scan_field(scan, descriptor, depth);
	return err;
}

int loom_onnx_scan(const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes,
		   size_t size_bytes, void **thin, size_t *thin_bytes)
{
	struct scan scan = { .bytes = bytes, .next = bytes, .end = bytes + size_bytes };
	int err = scan_put(&scan, "", 0);

	if (!err)
		err = scan_message(&scan, descriptor, 0);
	if (err)
		free(scan.thin);
	*thin = err ? NULL : scan.thin;
	*thin_bytes = scan.used;
	return err;
}
