/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_NATIVE_H
#define LOOM_NATIVE_H

#include "loom_plan.h"

/**
 * DOC: Native commands
 *
 * A native command (DRM_LOOM_OP_NATIVE) has a payload that only its back end understands. The
 * verifier proves of the operands what it proves of every command: bounds, lifetimes,
 * initialisation, races, lanes, images. The back end must prove that the payload touches its
 * operands as they are declared; the verifier calls it for that (&loom_native.check) after its own
 * rules. Both proofs together are as strong as that of another command.
 *
 * The verifier's part of the work is bounded by the bytes of the plan because native commands share
 * neither views nor payloads, so that the back end's part is, too.
 */

/**
 * struct loom_payload - a payload to be checked
 */
struct loom_payload {
	/** @command: the command, decoded; its operands are proved, but for its zero */
	const struct loom_command *command;
	/** @format: format of the plan, one of &loom_native.formats */
	const struct drm_loom_format *format;
	/** @bytes: the payload, eight-byte aligned; it does not change while the plan exists */
	const void *bytes;
	/** @size: bytes of it */
	u32 size;
	/** @lanes: SRAM banks of the device */
	u32 lanes;
	/**
	 * @zero: out: mask of outputs that the payload may leave unwritten in part. The back end
	 * must write zeroes to all of these before the command
	 */
	u32 zero;
	/** @reason: out: a number of the format, if refused */
	u32 reason;
	/** @at: out: offset of the instruction at fault, if refused */
	u32 at;
};

/**
 * struct loom_native - the native commands of a back end
 */
struct loom_native {
	/** @formats: formats of payloads */
	const struct drm_loom_format *formats;
	/** @count: number of @formats */
	u32 count;
	/**
	 * @check: prove that a payload, for all bytes that its operands can hold,
	 *
	 * - reads only inputs, in-outs, and what it has written before;
	 * - writes only outputs, temporaries and in-outs;
	 * - touches only bytes of elements of their views;
	 * - writes every element of the outputs that are not in @zero.
	 *
	 * It must not keep pointers, and must not touch the device. It may sleep. It must take time
	 * in proportion to the size of the payload, and call loom_port_relax() at least every 100
	 * microseconds. Returns 0; -EBADMSG if refused; -ENOMEM; -EINTR if that was false
	 */
	int (*check)(struct loom_payload *payload);
};

#endif /* LOOM_NATIVE_H */
