/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_WORK_H
#define LOOM_WORK_H

#include "loom_core.h"

/**
 * DOC: Work
 *
 * What a verification does is counted in units: about the time that it takes to look at one record
 * that is not in the cache. Whether others want the processor, and whether the client was killed,
 * is asked by units and not by entries of a table, as one command can take as long as a thousand.
 * Nothing between two questions is longer than LOOM_WORK_LOOK units and the longest single charge,
 * which is well below LOOM_WORK_LOOK, too.
 *
 * The answer is kept: who was told to give up once goes on being told so, whatever the caller
 * in between did with it. So functions that have nothing to do with clients need not hand it on:
 * they end their loops, and the file that called them returns -EINTR.
 *
 * A signal that does not kill is not looked at. The call would have to begin from the start, and
 * a timer that ticks faster than a large plan is verified would keep it from ever ending.
 */

/* Units between two questions: some 100 microseconds. */
#define LOOM_WORK_LOOK		(1U << 12)

/* The largest single charge in units: see LOOM_WORK_LOOK. */
#define LOOM_WORK_COMMAND	16
#define LOOM_WORK_TENSOR	4
#define LOOM_WORK_FOOTPRINT	16

/**
 * struct loom_work - what a verification has done so far; all zero before
 * @done: units
 * @look: what @done is when it asks next; zero when it was told to give up
 * @looked: what @done was when it asked last
 * @longest: most units that were between two questions
 * @interrupted: it was told to give up
 */
struct loom_work {
	u64 done;
	u64 look;
	u64 looked;
	u64 longest;
	bool interrupted;
};

/* Asks; false if the caller should give up. */
static inline bool loom_work_look(struct loom_work *work)
{
	if (work->interrupted)
		return false;
	work->longest = max(work->longest, work->done - work->looked);
	work->looked = work->done;
	work->look = work->done + LOOM_WORK_LOOK;
	if (loom_port_relax())
		return true;
	work->interrupted = true;
	work->look = 0;
	return false;
}

/* Counts units, and lets others run every so often. False if the caller should give up. */
static inline bool loom_work_do(struct loom_work *work, u64 units)
{
	work->done += units;
	return likely(work->done < work->look) || loom_work_look(work);
}

#endif /* LOOM_WORK_H */
