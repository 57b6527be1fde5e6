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
 * LOOM_WORK_INTERVAL units plus the largest single charge, which must be well below that.
 *
 * The result is sticky: after an interrupt all later calls return false, so helper functions need
 * not propagate it: they end their loops, and their caller returns -EINTR.
 *
 * Signals that are not fatal are ignored. The call would have to be restarted, and with a timer
 * that is faster than the verification of a large plan it would never end.
 */

/* Units between two checks: some 100 microseconds. */
#define LOOM_WORK_INTERVAL		(1U << 12)

/* The largest single charge in units: see LOOM_WORK_INTERVAL. */
#define LOOM_WORK_COMMAND	16
#define LOOM_WORK_TENSOR	4
#define LOOM_WORK_FOOTPRINT	16

/**
 * struct loom_work - work of a verification; initially zero
 * @done: units
 * @next_check: value of @done at the next check; zero after an interrupt
 * @last_check: value of @done at the last check
 * @longest: maximum of units between two checks
 * @interrupted: a fatal signal was found
 */
struct loom_work {
	u64 done;
	u64 next_check;
	u64 last_check;
	u64 longest;
	bool interrupted;
};

/* Check for a fatal signal, and reschedule. False if the caller must give up. */
static inline bool loom_work_check(struct loom_work *work)
{
	if (work->interrupted)
		return false;
	work->longest = max(work->longest, work->done - work->last_check);
	work->last_check = work->done;
	work->next_check = work->done + LOOM_WORK_INTERVAL;
	if (loom_port_relax())
		return true;
	work->interrupted = true;
	work->next_check = 0;
	return false;
}

/* Count units, and check at times. False if the caller must give up. */
static inline bool loom_work_do(struct loom_work *work, u64 units)
{
	work->done += units;
	return likely(work->done < work->next_check) || loom_work_check(work);
}

#endif /* LOOM_WORK_H */
