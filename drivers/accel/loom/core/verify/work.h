/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_WORK_H
#define LOOM_WORK_H

#include "loom_core.h"

/**
 * DOC: Work
 *
 * The work of a verification is counted in units: one unit is about the time of a cache miss for a
 * record. Rescheduling and checks for a fatal signal are by units and not by entries of a table,
 * because one command can take as long as a thousand. The work between two checks is at most
 * LOOM_WORK_LOOK units plus the largest single charge, which must be well below LOOM_WORK_LOOK.
 *
 * The result is sticky: after an interrupt all later calls return false, so helper functions need
 * not propagate it: they end their loops, and their caller returns -EINTR.
 *
 * Signals that are not fatal are ignored. The call would have to be restarted, and with a timer
 * that is faster than the verification of a large plan it would never end.
 */

/* Units between two checks: some 100 microseconds. */
#define LOOM_WORK_LOOK		(1U << 12)

/* The largest single charge in units: see LOOM_WORK_LOOK. */
#define LOOM_WORK_COMMAND	16
#define LOOM_WORK_TENSOR	4
#define LOOM_WORK_FOOTPRINT	16

/**
 * struct loom_work - work of a verification; initially zero
 * @done: units
 * @look: value of @done at the next check; zero after an interrupt
 * @looked: value of @done at the last check
 * @longest: maximum of units between two checks
 * @interrupted: a fatal signal was found
 */
struct loom_work {
	u64 done;
	u64 look;
	u64 looked;
	u64 longest;
	bool interrupted;
};

/* Check for a fatal signal, and reschedule. False if the caller must give up. */
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

/* Count units, and check at times. False if the caller must give up. */
static inline bool loom_work_do(struct loom_work *work, u64 units)
{
	work->done += units;
	return likely(work->done < work->look) || loom_work_look(work);
}

#endif /* LOOM_WORK_H */
