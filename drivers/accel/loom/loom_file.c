// SPDX-License-Identifier: GPL-2.0
#include <linux/cred.h>
#include <linux/slab.h>

#include "loom_file.h"

/**
 * DOC: Files
 *
 * A file owns names: ids of plans and contexts, and the GEM handles and syncobjs that DRM keeps.
 * What the names stand for is refcounted by itself, since jobs go on using it. A file knows none
 * of it: its tables are filled and emptied by loom_plan_object.c and loom_context.c.
 *
 * It is the account of its client, too: contexts and buffers refer to it, so it can outlive the
 * &struct drm_file.
 */

static void loom_file_release(struct kref *ref)
{
	struct loom_file *client = container_of(ref, struct loom_file, ref);

	xa_destroy(&client->plans);
	xa_destroy(&client->contexts);
	mutex_destroy(&client->no_space_lock);
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
 *
 * Return: a reference, or NULL.
 */
struct loom_file *loom_file_create(u64 id)
{
	struct loom_file *client = kzalloc(sizeof(*client), GFP_KERNEL_ACCOUNT);
	u32 i;

	if (!client)
		return NULL;
	kref_init(&client->ref);
	mutex_init(&client->no_space_lock);
	INIT_LIST_HEAD(&client->jobs_list);
	for (i = 0; i < LOOM_PRIORITY_COUNT; i++) {
		INIT_LIST_HEAD(&client->turns[i].node);
		INIT_LIST_HEAD(&client->turns[i].jobs);
	}
	client->id = id;
	client->uid = current_uid();
	/* ids are never zero */
	xa_init_flags(&client->plans, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	xa_init_flags(&client->contexts, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	return client;
}
