// SPDX-License-Identifier: GPL-2.0
#include <linux/slab.h>

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

static void loom_file_release(struct kref *ref)
{
	struct loom_file *client = container_of(ref, struct loom_file, ref);

	xa_destroy(&client->plans);
	xa_destroy(&client->contexts);
	loom_file_fini_no_space(client);
	loom_file_user_fini(client);
	kfree(client);
}

/* Take a reference. Return: @client. */
struct loom_file *loom_file_get(struct loom_file *client)
{
	kref_get(&client->ref);
	return client;
}

/* Drop a reference. */
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

	if (!client)
		return NULL;
	if (loom_file_user_init(client, device)) {
		kfree(client);
		return NULL;
	}
	kref_init(&client->ref);
	loom_file_init_no_space(client);
	INIT_LIST_HEAD(&client->jobs_list);
	client->id = id;
	/* ids are never zero */
	xa_init_flags(&client->plans, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	xa_init_flags(&client->contexts, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	return client;
}
