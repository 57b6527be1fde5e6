/* SPDX-License-Identifier: MIT */
/**
 * DOC: Replay
 *
 * Checks the bytes of a plan without running them: whether tensors share bytes while they live,
 * bytes are read before they are written, or the two streams of a step touch the same bytes, and
 * whether each element of each output is computed from the right elements of inputs and weights
 * by the right operators. It counts bytes and work, too.
 *
 * It knows the plan format and nothing else: it shares no code with the planner that made the
 * plan, the verifier that lets it pass and the engine that runs it, so that it can check
 * all three, and plans of all strategies alike.
 */
#ifndef LOOM_REPLAY_H
#define LOOM_REPLAY_H

#include <drm/loom_accel_plan.h>

#include "loom.h"
#include "loom_program.h"

struct drm_loom_chip;

#ifdef __cplusplus
extern "C" {
#endif

/**
 * enum loom_replay_kind - kinds of faults of a plan
 * @LOOM_REPLAY_FORM: the bytes are no plan: tables, numbers, operands that do not fit together
 * @LOOM_REPLAY_ROOM: something lies outside of its slot, of the scratch, or the scratch of a bank
 * @LOOM_REPLAY_OVERLAP: two tensors share bytes while both live
 * @LOOM_REPLAY_LIFETIME: a tensor is used in a step in which it does not live
 * @LOOM_REPLAY_BOUNDS: a view leaves its tensor
 * @LOOM_REPLAY_READ_ONLY: a slot is written that may only be read
 * @LOOM_REPLAY_UNWRITTEN: bytes are read that nobody has written, since the tensor lives
 * @LOOM_REPLAY_TWICE: a command writes a byte twice
 * @LOOM_REPLAY_IN_PLACE: a command writes its operand, other than element by element
 * @LOOM_REPLAY_RACE: both streams touch a byte in one step, and one writes it
 * @LOOM_REPLAY_VALUE: an element is not that of the reference
 * @LOOM_REPLAY_COUNT: the plan moves or computes another amount than was promised
 * @LOOM_REPLAY_KINDS: number of kinds
 */
enum loom_replay_kind {
	LOOM_REPLAY_FORM,
	LOOM_REPLAY_ROOM,
	LOOM_REPLAY_OVERLAP,
	LOOM_REPLAY_LIFETIME,
	LOOM_REPLAY_BOUNDS,
	LOOM_REPLAY_READ_ONLY,
	LOOM_REPLAY_UNWRITTEN,
	LOOM_REPLAY_TWICE,
	LOOM_REPLAY_IN_PLACE,
	LOOM_REPLAY_RACE,
	LOOM_REPLAY_VALUE,
	LOOM_REPLAY_COUNT,
	LOOM_REPLAY_KINDS,
};

/**
 * loom_replay_kind_name() - name of a kind of fault
 * @kind: an &enum loom_replay_kind
 *
 * Return: "overlap", "race", ...; NULL past the last.
 */
const char *loom_replay_kind_name(unsigned int kind);

/**
 * struct loom_replay_fault - one thing that a plan does wrong
 * @kind: its kind
 * @step: where; UINT32_MAX: in no step
 * @command: index of the command; UINT32_MAX: in none
 * @text: one line that says all of it
 */
struct loom_replay_fault {
	enum loom_replay_kind kind;
	uint32_t step;
	uint32_t command;
	char text[256];
};

/**
 * struct loom_replay_options - chip and reference of a check
 * @chip: of the device it is for
 * @sram_limit_bytes: bytes per lane that it may use; 0: all that there is
 * @reference: a trusted plan of the same graph, see
 *	loom_program_create_reference(). NULL: values are not compared, as of a program whose
 *	native commands are not those of the reference
 * @max_faults: faults that are listed; 0: 16
 */
struct loom_replay_options {
	const struct drm_loom_chip *chip;
	uint64_t sram_limit_bytes;
	const struct loom_program *reference;
	uint32_t max_faults;
};

/**
 * struct loom_replay_report - the faults that were found
 * @faults: the first faults, in the order in which they were found
 * @num_listed: number of @faults
 * @num_faults: how many there are. Later ones may be consequences of the first
 * @counted: counters of a run: bytes, macs, steps and commands
 * @recomputed_macs: multiply-accumulates more than the reference has; 0 without one
 * @peak_bytes: most bytes of tensors alive in SRAM in one step, per lane
 * @top_bytes: behind the last byte of SRAM that a tensor has, per lane
 * @elements: elements that commands wrote
 * @compared: elements that were compared with those of the reference
 */
struct loom_replay_report {
	const struct loom_replay_fault *faults;
	uint32_t num_listed;
	uint64_t num_faults;
	struct drm_loom_counters counted;
	uint64_t recomputed_macs;
	uint64_t peak_bytes;
	uint64_t top_bytes;
	uint64_t elements;
	uint64_t compared;
};

/**
 * loom_replay_program() - check a program
 * @program: its plan is checked, its other data are trusted: where inputs, weights and outputs
 *	lie, and its costs
 * @options: by what
 * @report: [out] destroy with loom_replay_destroy()
 * @err: [out] one line on failure, may be NULL
 *
 * A plan that is wrong is no failure: it is in the report. Takes about twenty bytes of memory for
 * each element of slots and SRAM, and time in the bytes that the commands touch, not in their
 * arithmetic.
 *
 * Return: 0; -EINVAL for options that make no sense, or a reference that has faults itself or
 * other outputs; -E2BIG for a plan that is too large to be replayed; -ENOMEM.
 */
int loom_replay_program(const struct loom_program *program,
			const struct loom_replay_options *options,
			struct loom_replay_report **report, struct loom_error *err);

/**
 * loom_replay_destroy() - frees a report
 * @report: the report; NULL is fine
 */
void loom_replay_destroy(struct loom_replay_report *report);

#ifdef __cplusplus
}
#endif

#endif /* LOOM_REPLAY_H */
