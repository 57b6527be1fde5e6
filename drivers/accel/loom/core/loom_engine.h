/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_ENGINE_H
#define LOOM_ENGINE_H

#include "loom_plan.h"

/**
 * DOC: Engine interface
 *
 * The room core/engine is a functional model of the device. It runs a decoded plan, which the
 * verifier must have proved safe, on memory for its scratch and slots. Results are bit-identical on
 * every machine. It counts bytes moved, steps, commands, multiply-accumulates, and the cycles and
 * energy that the verifier has computed for each command.
 *
 * - engine.c: the run of a plan: steps, commands, units, budget, counters
 * - compute.c: from an operation to the function that computes it, with the vector instructions
 *   that the machine has: fp_table.c and the other files fp_*.c are compiled for each set of them
 * - share.c: how the units of a command are shared among processors
 * - fp_<name>.c: one family of operations each; the only files with floating point. fp.h lists them
 * - fp_conv.c: convolution: chooses between fp_conv_wide.c (blocks of rows), fp_conv_packed.c (of
 *   bytes in a process, if the processor has instructions for them) and fp_conv_plain.c (any type
 *   and layout). fp_conv_shared.c is what they and fp_deconv.c have in common. In processes,
 *   fp_conv_box.c copies x where its elements are apart
 * - fp_row.c: from views to rows and tiles of elements, conversion of types
 * - fp_nest.c: the common loop of elementwise commands
 * - fp_vec.h: vectors of four floats
 * - fp_math.c: elementary functions, since there is no libm in a kernel
 *
 * It uses core/op for the list of operations, sums of loom_clock.h, and nothing else: the plan was
 * checked before. Rejected: libm, whose last bits depend on the machine; intrinsics where GCC's
 * vectors suffice, since they tie the code to one machine (exceptions: parts of a row, and products
 * of bytes; each has a portable alternative); and threads inside of the engine: callers with
 * several processors should run several plans.
 *
 * Wider vectors do not change bits: a vector is several outputs, never several terms of one, and
 * there is no contraction to FMA. With AVX-512 convolutions run at 40 to 60 GMAC/s where SSE2 gives
 * 13 to 17; networks take half of the time.
 */

/**
 * enum loom_isa - sets of vector instructions, each a superset of the one before
 * @LOOM_ISA_BASE: baseline of the architecture
 * @LOOM_ISA_AVX2: x86: AVX2 and F16C
 * @LOOM_ISA_AVX512: x86: AVX-512 F, BW, DQ and VL
 * @LOOM_ISA_VNNI: x86: and VNNI
 * @LOOM_ISA_END: number of them
 */
enum loom_isa {
	LOOM_ISA_BASE,
	LOOM_ISA_AVX2,
	LOOM_ISA_AVX512,
	LOOM_ISA_VNNI,
	LOOM_ISA_END,
};

/**
 * loom_port_isa() - instructions of this machine that the caller may use
 *
 * Return: the last set.
 */
enum loom_isa loom_port_isa(void);

/**
 * struct loom_memory - memory of a run
 * @lanes: SRAM banks
 * @scratch: first byte of the plan's scratch in bank 0
 * @lane_pitch: bytes from a bank to the next, in this process's memory
 * @slots: first byte of the binding of each slot; of an SRAM slot in bank 0
 * @slot_pitches: by slot: bytes from a bank to the next of an SRAM slot; may be NULL for a plan
 *	without these
 */
struct loom_memory {
	u32 lanes;
	u8 *scratch;
	u64 lane_pitch;
	u8 *const *slots;
	const u64 *slot_pitches;
};

/**
 * loom_engine_pitch() - best pitch of the banks of a scratch
 * @bytes: of a bank, at most 1 << 63
 *
 * An element of a row over banks is in each of them at the same offset. With a power of two as
 * pitch, all of these would be in one set of a cache with 8 or so ways: networks in groups took up
 * to twice as long. So the pitch is an odd number of cache lines. A bank begins aligned.
 *
 * Return: bytes from a bank to the next; 0 if @bytes are.
 */
static inline u64 loom_engine_pitch(u64 bytes)
{
	return bytes ? (loom_div_round_up(bytes, 64) | 1) * 64 : 0;
}

/*
 * Budget of a call in a kernel, in element operations. An element operation may take 10 ns (four
 * products of denormal numbers at once take 40), so this is a third of a millisecond at worst, and
 * some microseconds where data and layout are kind. A call exceeds its budget by less than
 * LOOM_ENGINE_EXCESS: the worst case is a tile of long divisions of F64, 64 of 512, plus the cost
 * of elements that are not adjacent.
 */
#define LOOM_ENGINE_PIECE	24576
#define LOOM_ENGINE_EXCESS	(34U << 10)

/**
 * union loom_sums - sums that are not complete
 * @f32: of a tile of four rows or channels
 * @f64: of a tile, sorted by phase
 * @u64: integers, extended
 * @s32: sums of products of bytes
 */
union loom_sums {
	float f32[256];
	double f64[128];
	u64 u64[128];
	s32 s32[256];
};

/**
 * struct loom_part - progress of a call inside of a unit
 *
 * Each operation has its own use for @phase, @at and @index; all are cleared when a unit begins.
 *
 * @sums: partial sums; must be first, so that its vectors are aligned like the whole
 * @left: element operations that the call may still do; below zero if it did more
 * @begun: a unit is begun and not complete
 * @phase: which of several passes, or methods
 * @units: units that are computed together
 * @at: first element, or term, that is still to be done
 * @index: axes, or taps, that are still to be done
 */
struct loom_part {
	union loom_sums sums;
	s64 left;
	bool begun;
	u32 phase;
	u32 units;
	u64 at;
	u32 index[DRM_LOOM_MAX_RANK];
};

/**
 * struct loom_engine - a run of a plan
 *
 * A plain struct that the caller owns; it holds no resources.
 *
 * @plan: the plan
 * @memory: its memory
 * @step: current step
 * @command: next command
 * @unit: next unit of it
 * @work: element operations done so far
 * @share_least: element operations of a command that is not computed by loom_engine_run(), but
 *	shared among processors, see loom_engine_shared(); 0: there is none. One that is begun is
 *	not shared any more
 * @part: how far the next unit is
 * @step_dma: cycles so far of the DMA stream of the current step
 * @step_compute: the same of its compute stream
 * @counters: counters so far: bytes per region, macs, steps, commands, cycles, energy
 */
struct loom_engine {
	const struct loom_plan *plan;
	const struct loom_memory *memory;
	u32 step;
	u32 command;
	u64 unit;
	u64 work;
	u64 share_least;
	struct loom_part part;
	u64 step_dma;
	u64 step_compute;
	struct drm_loom_counters counters;
};

/**
 * loom_engine_init() - begin a run
 * @engine: the run
 * @plan: the plan; must outlive the run
 * @memory: its memory; must outlive the run
 */
void loom_engine_init(struct loom_engine *engine, const struct loom_plan *plan,
		      const struct loom_memory *memory);

/**
 * loom_engine_run() - go on with a run for a while
 * @engine: the run
 * @budget: work to do before it returns, in element operations. The call goes on by something in
 *	any case, and does less than LOOM_ENGINE_EXCESS beyond its budget, whatever the plan is
 *
 * Where a unit costs more than that, the call stops inside of it, and the next one goes on there.
 * Results do not depend on where calls stop.
 *
 * In a kernel: between kernel_fpu_begin() and kernel_fpu_end(), with memory that does not
 * fault. To cancel a run, do not call it again.
 *
 * Return: true when the plan has ended, false when there is more to do.
 */
bool loom_engine_run(struct loom_engine *engine, u64 budget);

/**
 * loom_engine_count() - counters of a whole run
 * @plan: the plan
 * @counters: out: all but jobs and busy_ns
 *
 * O(1) for each command and step, whatever they compute. May take long for a large plan.
 */
void loom_engine_count(const struct loom_plan *plan, struct drm_loom_counters *counters);

/**
 * loom_engine_compute() - compute some units of one command
 * @command: the command
 * @memory: where its operands lie
 * @first: first unit
 * @count: number of units, below or equal to those of the command from @first
 *
 * Like loom_engine_run(), without a plan and without a budget. Units are independent and in a fixed
 * order, so several threads can compute units of one command at once. Does not sleep, allocate or
 * fault. Must not be called in a kernel: its frame is large.
 */
void loom_engine_compute(const struct loom_command *command, const struct loom_memory *memory,
			 u64 first, u64 count);

/**
 * loom_engine_share() - number of units that a processor should take at a time
 * @command: the command
 * @workers: processors that work on it, at least one
 *
 * Results do not depend on it: shares begin where units begin that read the same.
 *
 * Return: units, at least one; may be more than there are.
 */
u64 loom_engine_share(const struct loom_command *command, u32 workers);

/**
 * struct loom_command_share - the part of a command that one processor computes
 *
 * Zeroed, it is empty.
 *
 * @part: how far it is inside of a unit
 * @unit: next unit
 * @end: behind the last
 */
struct loom_command_share {
	struct loom_part part;
	u64 unit;
	u64 end;
};

/**
 * loom_share_run() - go on with a share for a while
 * @share: the share; not empty
 * @command: of that
 * @memory: where its operands lie
 * @budget: as for loom_engine_run(), and called under the same conditions
 */
void loom_share_run(struct loom_command_share *share, const struct loom_command *command,
		    const struct loom_memory *memory, u64 budget);

/**
 * loom_engine_shared() - the command that loom_engine_run() has stopped in front of
 * @engine: the run
 *
 * The caller must compute all its units, by shares, and then call loom_engine_shared_end().
 *
 * Return: the command, or NULL if the caller should call loom_engine_run().
 */
const struct loom_command *loom_engine_shared(const struct loom_engine *engine);

/**
 * loom_engine_shared_end() - the shared command is complete
 * @engine: the run
 */
void loom_engine_shared_end(struct loom_engine *engine);

#endif /* LOOM_ENGINE_H */
