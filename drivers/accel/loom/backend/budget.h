/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_BUDGET_H
#define LOOM_BUDGET_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct loom_device;

/* A device of which more users cause resets within a minute forgets the oldest. */
#define LOOM_BUDGET_USERS	64

/**
 * struct loom_budget_user - a user whose job had a device reset
 */
struct loom_budget_user {
	/** @uid: who */
	kuid_t uid;
	/** @reset_ns: when its job had the device reset the last time; zero: the entry is free */
	u64 reset_ns;
	/** @refused_ns: its jobs are refused until then */
	u64 refused_ns;
};

/**
 * struct loom_budget - how often a device may be reset
 */
struct loom_budget {
	/** @lock: protects all of it; taken inside of all other locks */
	spinlock_t lock;
	/** @reset_ns: the last two resets since the last record, for which no job was blamed */
	u64 reset_ns[2];
	/** @refused_ns: the last &loom_budget_user.refused_ns; read with READ_ONCE() as well */
	u64 refused_ns;
	/** @users: in no order */
	struct loom_budget_user users[LOOM_BUDGET_USERS];
};

bool loom_budget_take(struct loom_device *loom);
void loom_budget_renew(struct loom_device *loom);
void loom_budget_take_user(struct loom_device *loom, kuid_t uid);
bool loom_budget_refuses(struct loom_device *loom, kuid_t uid);

#endif /* LOOM_BUDGET_H */
