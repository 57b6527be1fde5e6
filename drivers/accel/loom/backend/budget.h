/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_BUDGET_H
#define LOOM_BUDGET_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct loom_device;
struct loom_file;

#ifdef CONFIG_DRM_ACCEL_LOOM_LIMITS
/* Table size; if more users cause resets within a minute, the oldest entry is replaced. */
#define LOOM_BUDGET_USERS	64

/**
 * struct loom_budget_user - a user whose job has caused a reset
 */
struct loom_budget_user {
	/** @uid: the user */
	kuid_t uid;
	/** @reset_ns: time of the last reset; zero: the entry is free */
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

void loom_budget_init(struct loom_device *loom);
bool loom_budget_charge(struct loom_device *loom);
void loom_budget_renew(struct loom_device *loom);
void loom_budget_charge_user(struct loom_device *loom, const struct loom_file *client);
bool loom_budget_refuses(struct loom_device *loom, const struct loom_file *client);
#else
/* a device is reset as often as it takes */
static inline void loom_budget_init(struct loom_device *loom)
{
}

static inline bool loom_budget_charge(struct loom_device *loom)
{
	return true;
}

static inline void loom_budget_renew(struct loom_device *loom)
{
}

static inline void loom_budget_charge_user(struct loom_device *loom, const struct loom_file *client)
{
}

static inline bool loom_budget_refuses(struct loom_device *loom, const struct loom_file *client)
{
	return false;
}
#endif

#endif /* LOOM_BUDGET_H */
