// SPDX-License-Identifier: MIT
/*
 * Finds the nodes that a chip does not support. Nodes are lowered into a sink that checks opcodes
 * and types and discards the commands, so the decision depends on commands, not on kinds of nodes.
 * Rewriting to other operations has been tried before (rewrite/).
 */
#include "lacks.h"

#include "loom_chip_file.h"
#include "planner.h"
#include "rewrite/rewrite.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/**
 * struct lacks - the missing feature of a node
 * @chip: the chip
 * @opcode: of the first unsupported command
 * @dtype: its unsupported type; 0: the opcode is unsupported
 * @of: type of the command's result
 * @found: there is such a command
 */
struct lacks {
	const struct drm_loom_chip *chip;
	u32 opcode;
	u32 dtype;
	u32 of;
	bool found;
};

static void see(struct lacks *lacks, u32 opcode, u32 of, u32 dtype)
{
	/* a device tells by the format of payloads whether it has native commands */
	bool op = opcode == DRM_LOOM_OP_NATIVE || loom_chip_has(lacks->chip, opcode);

	if (lacks->found || (op && loom_chip_has_type(lacks->chip, dtype)))
		return;
	lacks->found = true;
	lacks->opcode = opcode;
	lacks->of = of;
	lacks->dtype = op ? dtype : 0;
}

static int see_kernel(void *context, struct loom_kernel *kernel)
{
	static const u32 moves[] = {
		[LOOM_ROLE_STORE] = DRM_LOOM_OP_STORE,
		[LOOM_ROLE_LOAD] = DRM_LOOM_OP_LOAD,
		[LOOM_ROLE_TEMP] = DRM_LOOM_OP_COPY,
		[LOOM_ROLE_FILL] = DRM_LOOM_OP_FILL,
		[LOOM_ROLE_DIRECT] = DRM_LOOM_OP_LOAD,
	};
	u32 i, k;

	for (i = 0; i < kernel->num_stages; i++) {
		const struct loom_stage *stage = &kernel->stages[i];
		u32 of = kernel->operands[stage->operand[0]].ref.dtype;

		for (k = 0; k < stage->operands; k++)
			see(context, stage->opcode, of,
			    kernel->operands[stage->operand[k]].ref.dtype);
	}
	for (i = 0; i < kernel->num_operands; i++)
		see(context, moves[kernel->operands[i].role], kernel->operands[i].ref.dtype,
		    kernel->operands[i].ref.dtype);
	return 0;
}

static int see_copy(void *context, const struct loom_ref *to, const struct loom_ref *from)
{
	see(context, DRM_LOOM_OP_COPY, to->dtype, from->dtype);
	return 0;
}

static int see_fill(void *context, const struct loom_ref *to, u64 bits)
{
	(void)bits;
	see(context, DRM_LOOM_OP_FILL, to->dtype, to->dtype);
	return 0;
}

/* The name of an opcode in capitals. */
static const char *capital(u32 opcode, char *text, size_t size)
{
	size_t i;

	snprintf(text, size, "%s", loom_opcode_name(opcode));
	for (i = 0; text[i]; i++)
		text[i] = (char)toupper((unsigned char)text[i]);
	return text;
}

/* Writes "MATMUL", "REDUCE or BINARY": the opcodes of @wants that the chip lacks. */
static void list_wanted(const struct lacks *lacks, u64 wants, char *text, size_t size)
{
	char name[16];
	int at = 0;
	u32 i;

	text[0] = '\0';
	for (i = 0; i < DRM_LOOM_OP_END; i++)
		if (wants >> i & 1 && !loom_chip_has(lacks->chip, i) && (size_t)at < size)
			at += snprintf(text + at, size - (size_t)at, "%s%s", at ? " or " : "",
				       capital(i, name, sizeof(name)));
}

static int refuse(struct loom_lower *lower, const struct loom_node *node, const struct lacks *lacks,
		  u32 others)
{
	u64 wants = loom_rewrite_wants(lacks->opcode);
	char more[64] = "", wanted[64], name[16];

	if (others)
		snprintf(more, sizeof(more), "; nor can it do %u other node%s", others,
			 others > 1 ? "s" : "");
	capital(lacks->opcode, name, sizeof(name));
	lower->node = node;
	if (lacks->dtype)
		return loom_lower_fail(lower, -EOPNOTSUPP,
				       "chip '%s' has no %s, and so no %s of it%s",
				       lacks->chip->name, loom_dtype_name(lacks->dtype), name,
				       more);
	list_wanted(lacks, wants, wanted, sizeof(wanted));
	if (wanted[0])
		return loom_lower_fail(lower, -EOPNOTSUPP,
				       "chip '%s' has no %s (of %s), and no %s to rewrite it into%s",
				       lacks->chip->name, name, loom_dtype_name(lacks->of), wanted,
				       more);
	return loom_lower_fail(lower, -EOPNOTSUPP, "chip '%s' has no %s (of %s)%s%s",
			       lacks->chip->name, name, loom_dtype_name(lacks->of),
			       wants ? ", and this one cannot be rewritten" : "", more);
}

static bool has_all(const struct drm_loom_chip *chip)
{
	u32 i;

	for (i = 0; i < DRM_LOOM_OP_END; i++)
		if (strcmp(loom_opcode_name(i), "?") && !loom_chip_has(chip, i))
			return false;
	for (i = 1; i < DRM_LOOM_DTYPE_END; i++)
		if (!loom_chip_has_type(chip, i))
			return false;
	return true;
}

int loom_lacks_check(struct loom_lower *lower, const struct drm_loom_chip *chip)
{
	static const struct loom_sink_ops ops = {
		.symbolic = true, .kernel = see_kernel, .copy = see_copy, .fill = see_fill,
	};
	struct lacks first = { .found = false };
	struct loom_lower look = *lower;
	const struct loom_node *node = NULL;
	u32 others = 0, i;

	if (has_all(chip))
		return 0;
	/* other errors of a node are reported by lowering */
	look.err = NULL;
	for (i = 0; i < lower->graph->num_nodes; i++) {
		struct lacks lacks = { .chip = chip };

		look.sink = (struct loom_sink){ .ops = &ops, .context = &lacks };
		loom_lower_node(&look, lower->storage->nodes[i]);
		if (!lacks.found)
			continue;
		if (node) {
			others += node->source != lower->storage->nodes[i]->source;
			continue;
		}
		node = lower->storage->nodes[i];
		first = lacks;
	}
	return node ? refuse(lower, node, &first, others) : 0;
}
