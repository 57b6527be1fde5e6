// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "translate.h"

#ifndef __KERNEL__
#include <string.h>
#endif

/* The work of the chip for the instructions of tile.c. Includes headers of core/ only, as that. */

/* Bytes that a lane works on in a cycle. */
#define TILE_CYCLE_BYTES	16

static struct tile_place tile_place(const struct loom_view *view, u32 at)
{
	return (struct tile_place) {
		.slot = view->bound ? view->slot : TILE_SCRATCH,
		.offset = view->offset + at,
	};
}

/* Zeroes for a whole operand, which is dense. */
static struct tile_move tile_zero(const struct loom_view *view)
{
	struct tile_move move = {
		.op = TILE_FILL,
		.lanes = view->dims[view->lane_axis],
		.bytes = view->elem_bytes,
		.to = tile_place(view, 0),
	};
	u32 i;

	for (i = 0; i < view->rank; i++)
		if (i != view->lane_axis)
			move.bytes *= view->dims[i];
	return move;
}

/**
 * tile_translate() - translate a checked command
 * @command: the command, of a verified plan
 * @moves: out: as many as this returns, or NULL
 *
 * Return: number of moves: zeroes for the outputs that need them, then the instructions.
 */
u32 tile_translate(const struct loom_command *command, struct tile_move *moves)
{
	const struct drm_loom_attr_native *attr = command->attr;
	const struct tile_insn *insn = (const void *)(attr + 1);
	u32 i, k, count = 0, insns = attr->payload_bytes / sizeof(*insn);

	for (i = 0; i < command->outputs; i++) {
		if (!(command->zero >> i & 1))
			continue;
		if (moves)
			moves[count] = tile_zero(&command->views[i]);
		count++;
	}
	for (i = 0; moves && i < insns; i++) {
		struct tile_move *move = &moves[count + i];

		*move = (struct tile_move) {
			.op = insn[i].op,
			.value = insn[i].op == TILE_FILL ? insn[i].from[0] : 0,
			.first_lane = insn[i].first_lane,
			.lanes = insn[i].lanes,
			.bytes = insn[i].bytes,
			.to = tile_place(&command->views[insn[i].to], insn[i].to_at),
		};
		for (k = 0; k < tile_sources(&insn[i]); k++)
			move->from[k] = tile_place(&command->views[insn[i].from[k]],
						   insn[i].from_at[k]);
	}
	return count + insns;
}

/**
 * tile_run() - what the chip does in a lane
 * @move: the move
 * @to: bytes that it writes
 * @a: bytes of its first operand, if it has one
 * @b: bytes of its second operand
 *
 * Return: cycles.
 */
u64 tile_run(const struct tile_move *move, u8 *to, const u8 *a, const u8 *b)
{
	u32 i;

	if (move->op == TILE_FILL)
		memset(to, move->value, move->bytes);
	else if (move->op == TILE_COPY)
		memmove(to, a, move->bytes);
	else
		for (i = 0; i < move->bytes; i++)
			to[i] = a[i] + b[i];
	return move->bytes / TILE_CYCLE_BYTES + 1;
}
