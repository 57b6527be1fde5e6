// SPDX-License-Identifier: GPL-2.0
#include <linux/cred.h>
#include <linux/slab.h>

#include "loom_compat.h"
#include "loom_file.h"

/**
 * DOC: Files
 *
 * A file owns names: ids of plans and contexts, and the GEM handles and syncobjs that DRM keeps.
 * The objects behind the names are refcounted, since jobs go on using them. loom_plan_object.c and
 * loom_context.c fill and empty the tables of a file.
 *
 * It is the account of its client, too: contexts and buffers refer to it, so it can outlive the
 * &struct drm_file.
 */

static DEFINE_SPINLOCK(loom_file_users_lock);
static LIST_HEAD(loom_file_users);

/**
 * loom_turn_round_init() - initialise an empty round
 * @round: out
 */
void loom_turn_round_init(struct loom_turn_round *round)
{
	INIT_LIST_HEAD(&round->active);
	INIT_LIST_HEAD(&round->expired);
	/* differs from the 0 of a new share */
	round->round = 1;
}
EXPORT_SYMBOL_NS_GPL(loom_turn_round_init, LOOM_COMPAT_NS);

static struct loom_file_user *loom_file_user_create(const void *device)
{
	struct loom_file_user *user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);
	u32 i;

	if (!user)
		return NULL;
	user->device = device;
	user->uid = current_euid();
	for (i = 0; i < LOOM_PRIORITY_COUNT; i++) {
		INIT_LIST_HEAD(&user->turns[i].share.node);
		loom_turn_round_init(&user->turns[i].files);
	}
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

static void loom_file_user_put(struct loom_file_user *user)
{
	spin_lock(&loom_file_users_lock);
	user->files--;
	if (user->files)
		user = NULL;
	else
		list_del(&user->node);
	spin_unlock(&loom_file_users_lock);
	kfree(user);
}

static void loom_file_release(struct kref *ref)
{
	struct loom_file *client = container_of(ref, struct loom_file, ref);

	xa_destroy(&client->plans);
	xa_destroy(&client->contexts);
	loom_file_fini_no_space(client);
	loom_file_user_put(client->user);
	kfree(client);
}

/**
 * loom_file_get() - take a reference
 * @client: the file
 *
 * Return: @client.
 */
struct loom_file *loom_file_get(struct loom_file *client)
{
	kref_get(&client->ref);
	return client;
}

/**
 * loom_file_put() - drop a reference
 * @client: the file
 */
void loom_file_put(struct loom_file *client)
{
	kref_put(&client->ref, loom_file_release);
}

/**
 * loom_file_create() - a client opens the node
 * @id: drm_file.client_id
 * @device: the device
 *
 * Return: a reference, or NULL.
 */
struct loom_file *loom_file_create(u64 id, const void *device)
{
	struct loom_file *client = kzalloc(sizeof(*client), GFP_KERNEL_ACCOUNT);
	u32 i;

	if (!client)
		return NULL;
	client->user = loom_file_user_get(device);
	if (!client->user) {
		kfree(client);
		return NULL;
	}
	kref_init(&client->ref);
	loom_file_init_no_space(client);
	INIT_LIST_HEAD(&client->jobs_list);
	for (i = 0; i < LOOM_PRIORITY_COUNT; i++) {
		INIT_LIST_HEAD(&client->turns[i].share.node);
		client->turns[i].user = &client->user->turns[i];
		INIT_LIST_HEAD(&client->turns[i].jobs);
	}
	client->id = id;
	/* ids are never zero */
	xa_init_flags(&client->plans, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	xa_init_flags(&client->contexts, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	return client;
}
