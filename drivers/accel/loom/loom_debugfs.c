// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include <drm/drm_debugfs.h>
#include <drm/drm_file.h>

#include "loom_context.h"
#include "loom_debugfs.h"
#include "loom_device.h"
#include "loom_file.h"
#include "loom_job.h"
#include "loom_plan_object.h"
#include "memory/no_space.h"

/**
 * DOC: debugfs
 *
 * Three files in /sys/kernel/debug/accel/DEVICE, for root: memory (every block of every region,
 * with its owner), plans and jobs. They show for all clients the state that QUERY and fdinfo show
 * for one.
 *
 * A list is copied under its lock and printed without: printing is slow, and a job takes the
 * region's lock before it signals its fence. Addresses are those of the device; addresses of the
 * kernel or of a process must never be printed.
 *
 * Order of locks: drm_device.filelist_mutex, then those of a file's tables.
 */

/* Limit of the allocation that a reader can cause: further blocks are not listed. */
#define LOOM_DEBUGFS_MAX_BLOCKS	BIT(20)

static struct loom_device *loom_debugfs_device(struct seq_file *m)
{
	struct drm_debugfs_entry *entry = m->private;

	return to_loom_device(entry->dev);
}

/* "client 7, pid 123 (loom)"; the pid is that of the reader's namespace. */
static void loom_debugfs_print_client(struct seq_file *m, const struct drm_file *file)
{
	struct task_struct *task;
	struct pid *pid;

	rcu_read_lock();
	pid = rcu_dereference(file->pid);
	task = pid_task(pid, PIDTYPE_TGID);
	seq_printf(m, "client %llu, pid %d (%s)", file->client_id, pid_vnr(pid),
		   task ? task->comm : "gone");
	rcu_read_unlock();
}

static void loom_debugfs_print_owner(struct seq_file *m, struct drm_device *drm, u64 owner)
{
	struct drm_file *file;

	mutex_lock(&drm->filelist_mutex);
	list_for_each_entry(file, &drm->filelist, lhead) {
		if (file->client_id != owner)
			continue;
		loom_debugfs_print_client(m, file);
		mutex_unlock(&drm->filelist_mutex);
		return;
	}
	mutex_unlock(&drm->filelist_mutex);
	/* a buffer may outlive the file it was made on: shared, or in use by a job */
	seq_printf(m, "client %llu, closed", owner);
}

/**
 * struct loom_debugfs_list - blocks and their owners
 * @blocks: in address order
 * @owners: as many
 * @count: number of @blocks
 */
struct loom_debugfs_list {
	struct drm_loom_block *blocks;
	u64 *owners;
	u64 count;
};

static void loom_debugfs_list_put(struct loom_debugfs_list *list)
{
	kvfree(list->blocks);
	kvfree(list->owners);
	*list = (struct loom_debugfs_list) {};
}

/* List the banks of @mask, or of all banks if NULL. Memory is allocated without the lock. */
static int loom_debugfs_list_get(struct loom_region *region, const struct loom_mask *mask,
				 struct loom_debugfs_list *list)
{
	u64 room = 0;

	*list = (struct loom_debugfs_list) {};
	for (;;) {
		list->count = loom_region_blocks(region, mask, list->blocks, room, 0, true,
						 list->owners);
		if (list->count <= room)
			return 0;
		/* the number has grown */
		room = list->count + list->count / 8;
		loom_debugfs_list_put(list);
		if (room > LOOM_DEBUGFS_MAX_BLOCKS)
			return -E2BIG;
		list->blocks = kvcalloc(room, sizeof(*list->blocks), GFP_KERNEL);
		list->owners = kvcalloc(room, sizeof(*list->owners), GFP_KERNEL);
		if (!list->blocks || !list->owners) {
			loom_debugfs_list_put(list);
			return -ENOMEM;
		}
	}
}

static bool loom_debugfs_list_same(const struct loom_debugfs_list *a,
				   const struct loom_debugfs_list *b)
{
	return a->count == b->count &&
	       !memcmp(a->blocks, b->blocks, a->count * sizeof(*a->blocks)) &&
	       !memcmp(a->owners, b->owners, a->count * sizeof(*a->owners));
}

static bool loom_debugfs_list_partial(const struct loom_debugfs_list *list)
{
	u64 i;

	for (i = 0; i < list->count; i++)
		if (list->blocks[i].flags & DRM_LOOM_BLOCK_PARTIAL)
			return true;
	return false;
}

static void loom_debugfs_list_print(struct seq_file *m, struct loom_device *loom,
				    const struct loom_debugfs_list *list)
{
	u64 i;

	for (i = 0; i < list->count; i++) {
		const struct drm_loom_block *block = &list->blocks[i];

		seq_printf(m, "  0x%010llx..0x%010llx %12llu ", block->address,
			   block->address + block->bytes, block->bytes);
		if (block->flags & DRM_LOOM_BLOCK_ALLOCATED)
			loom_debugfs_print_owner(m, &loom->drm, list->owners[i]);
		else
			seq_puts(m, block->flags & DRM_LOOM_BLOCK_RESERVED ? "reserved" : "free");
		if (block->flags & DRM_LOOM_BLOCK_PARTIAL)
			seq_puts(m, ", on some banks");
		if (block->label[0])
			seq_printf(m, ", %.*s", DRM_LOOM_LABEL_BYTES, block->label);
		seq_putc(m, '\n');
	}
}

/* If banks differ, list each run of equal adjacent banks. */
static int loom_debugfs_banks(struct seq_file *m, struct loom_device *loom, u32 id)
{
	u32 banks = loom->region[id].banks, first = 0, bank;
	struct loom_debugfs_list list = {}, next;
	int ret = 0;

	for (bank = 0; !ret && bank < banks; bank++) {
		struct loom_mask mask = {};

		loom_mask_set(&mask, bank);
		ret = loom_debugfs_list_get(&loom->region[id], &mask, &next);
		if (ret)
			break;
		if (bank && !loom_debugfs_list_same(&list, &next)) {
			seq_printf(m, " banks %u-%u:\n", first, bank - 1);
			loom_debugfs_list_print(m, loom, &list);
			first = bank;
		}
		loom_debugfs_list_put(&list);
		list = next;
	}
	if (!ret) {
		seq_printf(m, " banks %u-%u:\n", first, banks - 1);
		loom_debugfs_list_print(m, loom, &list);
	}
	loom_debugfs_list_put(&list);
	return ret;
}

static int loom_debugfs_blocks(struct seq_file *m, struct loom_device *loom, u32 id)
{
	struct loom_debugfs_list list;
	int ret;

	ret = loom_debugfs_list_get(&loom->region[id], NULL, &list);
	if (!ret && loom_debugfs_list_partial(&list))
		ret = loom_debugfs_banks(m, loom, id);
	else if (!ret)
		loom_debugfs_list_print(m, loom, &list);
	loom_debugfs_list_put(&list);
	if (ret == -E2BIG) {
		seq_puts(m, "  more blocks than can be listed\n");
		return 0;
	}
	return ret;
}

static int loom_debugfs_memory(struct seq_file *m, void *data)
{
	struct loom_device *loom = loom_debugfs_device(m);
	struct drm_loom_region_info info;
	int ret = 0;
	u32 id;

	for (id = 0; !ret && id < DRM_LOOM_REGION_COUNT; id++) {
		if (!loom_region_exists(&loom->region[id]))
			continue;
		loom_region_info(&loom->region[id], NULL, &info);
		seq_printf(m, "%s: %u banks; in each: total %llu, allocated %llu, free %llu, ",
			   loom_region_names[id], info.banks, info.total_bytes,
			   info.allocated_bytes, info.free_bytes);
		seq_printf(m, "largest free %llu, scratch %llu, blocks %u\n",
			   info.largest_free_bytes, info.scratch_bytes, info.blocks);
		ret = loom_debugfs_blocks(m, loom, id);
	}
	return ret;
}

static int loom_debugfs_plans(struct seq_file *m, void *data)
{
	struct loom_device *loom = loom_debugfs_device(m);
	struct loom_plan_object *object;
	struct drm_file *file;
	unsigned long id;

	mutex_lock(&loom->drm.filelist_mutex);
	list_for_each_entry_reverse(file, &loom->drm.filelist, lhead) {
		struct loom_file *client = file->driver_priv;

		loom_debugfs_print_client(m, file);
		seq_putc(m, '\n');
		/* entries of the table are alive while it is locked */
		xa_lock(&client->plans);
		xa_for_each(&client->plans, id, object) {
			const struct loom_plan *plan = object->plan;

			seq_printf(m, "  plan %lu: %u slots, %u tensors, %u steps, %u commands, ",
				   id, plan->slot_count, plan->tensor_count, plan->step_count,
				   plan->command_count);
			seq_printf(m, "scratch %llu\n", plan->scratch_bytes);
		}
		xa_unlock(&client->plans);
	}
	mutex_unlock(&loom->drm.filelist_mutex);
	return 0;
}

static void loom_debugfs_context(struct seq_file *m, unsigned long id,
				 struct loom_context *context)
{
	struct drm_loom_counters counters;
	u32 resets;

	spin_lock(&context->lock);
	counters = context->counters;
	resets = context->resets;
	spin_unlock(&context->lock);
	seq_printf(m, "  context %lu: %u queued, %llu done, busy %llu ns, %llu cycles, %u resets%s",
		   id, spsc_queue_count(&context->entity.job_queue), counters.jobs,
		   counters.busy_ns, counters.cycles, resets,
		   atomic_read(&context->guilty) ? ", guilty" : "");
	if (context->lane_count)
		seq_printf(m, ", %u lanes: %016llx %016llx %016llx %016llx", context->lane_count,
			   context->lanes.word[0], context->lanes.word[1], context->lanes.word[2],
			   context->lanes.word[3]);
	seq_putc(m, '\n');
}

static void loom_debugfs_job_state(struct seq_file *m, const struct loom_job *job)
{
	seq_printf(m, "busy %llu ns, ", READ_ONCE(job->busy_ns));
	if (READ_ONCE(job->ended))
		seq_puts(m, "done\n");
	else
		seq_puts(m, READ_ONCE(job->turn_ns) ? "running\n" : "waits for its turn\n");
}

static int loom_debugfs_jobs(struct seq_file *m, void *data)
{
	struct loom_device *loom = loom_debugfs_device(m);
	struct loom_context *context;
	const struct loom_job *job;
	struct drm_file *file;
	unsigned long id;

	/* a job is freed after it was removed from this list */
	spin_lock(&loom->job_lock);
	list_for_each_entry(job, &loom->jobs, node) {
		/* the others are counted below */
		if (!READ_ONCE(job->started))
			continue;
		seq_printf(m, "job %llu of client %llu: %u slots, %u steps, scratch %llu, ",
			   job->id, job->context->client->id, job->slot_count,
			   job->plan->plan->step_count, job->plan->plan->scratch_bytes);
		loom_debugfs_job_state(m, job);
	}
	spin_unlock(&loom->job_lock);

	mutex_lock(&loom->drm.filelist_mutex);
	list_for_each_entry_reverse(file, &loom->drm.filelist, lhead) {
		struct loom_file *client = file->driver_priv;

		loom_debugfs_print_client(m, file);
		seq_putc(m, '\n');
		xa_lock(&client->contexts);
		xa_for_each(&client->contexts, id, context)
			loom_debugfs_context(m, id, context);
		xa_unlock(&client->contexts);
	}
	mutex_unlock(&loom->drm.filelist_mutex);
	return 0;
}

static const struct drm_debugfs_info loom_debugfs_files[] = {
	{ "memory", loom_debugfs_memory },
	{ "plans", loom_debugfs_plans },
	{ "jobs", loom_debugfs_jobs },
};

/**
 * loom_debugfs_init() - create the files
 * @loom: the device, not yet registered
 */
void loom_debugfs_init(struct loom_device *loom)
{
	drm_debugfs_add_files(&loom->drm, loom_debugfs_files, ARRAY_SIZE(loom_debugfs_files));
}
