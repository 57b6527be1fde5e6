// SPDX-License-Identifier: GPL-2.0
#include <linux/cred.h>
#include <linux/slab.h>

#include "loom_file.h"

/* Users with open files of a device: their turns, lanes and resets are counted together. */

static DEFINE_SPINLOCK(loom_file_users_lock);
static LIST_HEAD(loom_file_users);

static void loom_file_user_init_turns(struct loom_file_user *user)
{
#ifdef CONFIG_DRM_ACCEL_LOOM_TURNS
	u32 i;

	for (i = 0; i < LOOM_PRIORITY_COUNT; i++) {
		INIT_LIST_HEAD(&user->turns[i].share.node);
		loom_turn_round_init(&user->turns[i].files);
	}
#endif
}

static void loom_file_init_turns(struct loom_file *client)
{
#ifdef CONFIG_DRM_ACCEL_LOOM_TURNS
	u32 i;

	for (i = 0; i < LOOM_PRIORITY_COUNT; i++) {
		INIT_LIST_HEAD(&client->turns[i].share.node);
		client->turns[i].user = &client->user->turns[i];
		INIT_LIST_HEAD(&client->turns[i].jobs);
	}
#endif
}

static struct loom_file_user *loom_file_user_create(const void *device)
{
	struct loom_file_user *user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);

	if (!user)
		return NULL;
	user->device = device;
	user->uid = current_euid();
	loom_file_user_init_turns(user);
	return user;
}

/* A reference to the entry of the current user, or NULL. */
static struct loom_file_user *loom_file_user_get(const void *device)
{
	struct loom_file_user *fresh = loom_file_user_create(device), *user;

	spin_lock(&loom_file_users_lock);
	list_for_each_entry(user, &loom_file_users, node)
		if (user->device == device && uid_eq(user->uid, current_euid()))
			break;
	if (list_entry_is_head(user, &loom_file_users, node)) {
		user = fresh;
		if (fresh)
			list_add(&fresh->node, &loom_file_users);
		fresh = NULL;
	}
	if (user)
		user->files++;
	spin_unlock(&loom_file_users_lock);
	kfree(fresh);
	return user;
}

/**
 * loom_file_user_init() - set the user of a new file
 * @client: the file, opened by the current task
 * @device: the device
 *
 * Return: 0 or -ENOMEM.
 */
int loom_file_user_init(struct loom_file *client, const void *device)
{
	client->user = loom_file_user_get(device);
	if (!client->user)
		return -ENOMEM;
	loom_file_init_turns(client);
	return 0;
}

/* Undo loom_file_user_init(). */
void loom_file_user_fini(struct loom_file *client)
{
	struct loom_file_user *user = client->user;

	spin_lock(&loom_file_users_lock);
	user->files--;
	if (user->files)
		user = NULL;
	else
		list_del(&user->node);
	spin_unlock(&loom_file_users_lock);
	kfree(user);
}
