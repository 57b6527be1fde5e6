// SPDX-License-Identifier: GPL-2.0
#include <linux/ktime.h>
#include <linux/lockdep.h>

#include "budget.h"
#include "loom_device.h"
#include "loom_file.h"

/**
 * DOC: Reset budgets
 *
 * A reset costs all clients time, so neither a client nor a device may cause them without end.
 *
 * A reset because a job could not be stopped, of the device or of the job's lanes, is charged to
 * the user who submitted it: contexts without lanes wait for both. After two within a minute the
 * pending jobs of this user end with EIO during the next minute, and SUBMIT refuses new ones. Jobs
 * of other users run. Users are those of turn.c, because a client can open any number of files;
 * root is no exception.
 *
 * Any other reset is charged to the device: moves that do not end, a stalled heartbeat, records of
 * another epoch. The third within a minute wedges the device instead, unless a record has completed
 * a job or a move in between.
 *
 * Users are charged inside of fence signalling, so nothing must be allocated: the table has a fixed
 * size, and a new user replaces the one with the oldest reset.
 */

#define LOOM_BUDGET_WINDOW_NS	(60ULL * NSEC_PER_SEC)

static bool loom_budget_is_recent(u64 ns, u64 now_ns)
{
	return ns && now_ns - ns < LOOM_BUDGET_WINDOW_NS;
}

/* Initialise, without resets. */
void loom_budget_init(struct loom_device *loom)
{
	spin_lock_init(&loom->budget.lock);
}

/**
 * loom_budget_charge() - charge a reset without a guilty job to the device
 * @loom: the device
 *
 * Return: false if the budget is used up: the caller must wedge the device.
 */
bool loom_budget_charge(struct loom_device *loom)
{
	struct loom_budget *budget = &loom->budget;
	u64 now_ns = ktime_get_ns();
	bool left;

	spin_lock(&budget->lock);
	left = !loom_budget_is_recent(budget->reset_ns[0], now_ns);
	budget->reset_ns[0] = budget->reset_ns[1];
	budget->reset_ns[1] = now_ns;
	spin_unlock(&budget->lock);
	return left;
}

/* A record has completed a job or a move. */
void loom_budget_renew(struct loom_device *loom)
{
	struct loom_budget *budget = &loom->budget;

	if (!READ_ONCE(budget->reset_ns[1]))
		return;
	spin_lock(&budget->lock);
	budget->reset_ns[0] = 0;
	WRITE_ONCE(budget->reset_ns[1], 0);
	spin_unlock(&budget->lock);
}

/* The entry of a user, or else the one to be used next. */
static struct loom_budget_user *loom_budget_find_locked(struct loom_budget *budget, kuid_t uid)
{
	struct loom_budget_user *user, *oldest = budget->users;

	lockdep_assert_held(&budget->lock);
	for (user = budget->users; user < budget->users + LOOM_BUDGET_USERS; user++) {
		if (user->reset_ns && uid_eq(user->uid, uid))
			return user;
		if (user->reset_ns < oldest->reset_ns)
			oldest = user;
	}
	return oldest;
}

/**
 * loom_budget_charge_user() - charge a reset to the user of the guilty job
 * @loom: the device
 * @client: the file of the job
 */
void loom_budget_charge_user(struct loom_device *loom, const struct loom_file *client)
{
	struct loom_budget *budget = &loom->budget;
	kuid_t uid = client->user->uid;
	struct loom_budget_user *user;
	u64 now_ns = ktime_get_ns();

	spin_lock(&budget->lock);
	user = loom_budget_find_locked(budget, uid);
	if (!uid_eq(user->uid, uid))
		*user = (struct loom_budget_user) { .uid = uid };
	if (loom_budget_is_recent(user->reset_ns, now_ns)) {
		user->refused_ns = now_ns + LOOM_BUDGET_WINDOW_NS;
		WRITE_ONCE(budget->refused_ns, user->refused_ns);
	}
	user->reset_ns = now_ns;
	spin_unlock(&budget->lock);
}

/**
 * loom_budget_refuses() - whether the budget of a user is used up
 * @loom: the device
 * @client: a file of the user
 *
 * Return: true if the jobs of this user must be refused for now.
 */
bool loom_budget_refuses(struct loom_device *loom, const struct loom_file *client)
{
	struct loom_budget *budget = &loom->budget;
	kuid_t uid = client->user->uid;
	struct loom_budget_user *user;
	bool refused;
	u64 now_ns;

	if (likely(!READ_ONCE(budget->refused_ns)))
		return false;
	now_ns = ktime_get_ns();
	spin_lock(&budget->lock);
	user = loom_budget_find_locked(budget, uid);
	refused = uid_eq(user->uid, uid) && now_ns < user->refused_ns;
	spin_unlock(&budget->lock);
	return refused;
}
