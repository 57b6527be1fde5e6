// SPDX-License-Identifier: MIT
/* Checks a protobuf message before protobuf-c unpacks it, see loom_onnx_scan(). */
#include "proto.h"

#include <errno.h>

/* models nest graphs in attributes in nodes in graphs; real ones stay below ten */
#define SCAN_DEPTH_MAX		32
/* the largest models seen have some thousand nodes of some ten parts each */
#define SCAN_PARTS_MAX		(1u << 22)

enum wire_type {
	WIRE_VARINT = 0,
	WIRE_64BIT = 1,
	WIRE_BYTES = 2,
	WIRE_32BIT = 5,
};

/**
 * struct scan - where the scan stands
 * @next: next byte
 * @end: end of the message at hand
 * @num_parts: fields seen in the whole file
 */
struct scan {
	const uint8_t *next;
	const uint8_t *end;
	uint32_t num_parts;
};

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

static int scan_field(struct scan *scan, const ProtobufCMessageDescriptor *descriptor,
		      unsigned int depth)
{
	const ProtobufCFieldDescriptor *field;
	const uint8_t *end = scan->end;
	unsigned int number;
	uint64_t tag, value;
	int err;

	err = scan_varint(scan, &tag);
	if (err)
		return err;
	if (++scan->num_parts > SCAN_PARTS_MAX)
		return -EMLINK;
	switch (tag & 7) {
	case WIRE_VARINT:
		return scan_varint(scan, &value);
	case WIRE_64BIT:
		return scan_skip(scan, 8);
	case WIRE_32BIT:
		return scan_skip(scan, 4);
	case WIRE_BYTES:
		break;
	default:
		return -EBADMSG;
	}
	err = scan_varint(scan, &value);
	if (err || value > (uint64_t)(scan->end - scan->next))
		return -EBADMSG;
	/* no field has such a large number; cut to 32 bits it could name one */
	number = tag >> 3 <= UINT32_MAX ? (unsigned int)(tag >> 3) : 0;
	field = protobuf_c_message_descriptor_get_field(descriptor, number);
	if (!field || field->type != PROTOBUF_C_TYPE_MESSAGE)
		return scan_skip(scan, value);
	scan->end = scan->next + value;
	err = scan_message(scan, field->descriptor, depth + 1);
	scan->end = end;
	return err;
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
		   size_t size_bytes)
{
	struct scan scan = { .next = bytes, .end = bytes + size_bytes };

	return scan_message(&scan, descriptor, 0);
}
