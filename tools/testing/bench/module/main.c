// SPDX-License-Identifier: GPL-2.0
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include <drm/drm_mm.h>

#include "loom_bank.h"
#include "loom_bench.h"

/**
 * DOC: The allocator beside drm_mm
 *
 * The same trace on core/bank and on the kernel's own range allocator. drm_mm knows no
 * banks, so one bank in lockstep is compared: all blocks on all banks. Both have their nodes
 * embedded in what the caller holds, so nothing but the search and the bookkeeping is timed. The
 * clock is read twice a run, not for each operation: in an emulator it costs as much as they do.
 */

#define LOOM_BENCH_MAX	(4U << 20)

union loom_bench_node {
	struct loom_bank_block block;
	struct drm_mm_node mm;
};

struct loom_bench {
	const struct loom_bench_op *ops;
	struct loom_bench_run run;
	union loom_bench_node *nodes;
	struct loom_bank bank;
	struct loom_bank_chunk *spare;
	struct drm_mm mm;
};

void *loom_port_alloc(size_t count, size_t size)
{
	return kvcalloc(count, size, GFP_KERNEL);
}

void loom_port_free(void *ptr)
{
	kvfree(ptr);
}

static bool loom_bench_of_mm(const struct loom_bench *bench)
{
	return bench->run.engine >= LOOM_BENCH_MM_BEST;
}

static int loom_bench_alloc(struct loom_bench *bench, union loom_bench_node *node, u64 size,
			    bool top_down)
{
	struct loom_bank_request request = {
		.size = size,
		.align = bench->run.align_bytes,
		.high = U64_MAX,
		.spare = &bench->spare,
		.top_down = top_down,
	};
	enum drm_mm_insert_mode mode = DRM_MM_INSERT_LOW;

	if (!loom_bench_of_mm(bench)) {
		if (!bench->spare)
			bench->spare = loom_bank_chunk_create();
		return loom_bank_alloc(&bench->bank, &node->block, &request);
	}
	if (top_down)
		mode = DRM_MM_INSERT_HIGH;
	else if (bench->run.engine == LOOM_BENCH_MM_BEST)
		mode = DRM_MM_INSERT_BEST;
	return drm_mm_insert_node_in_range(&bench->mm, &node->mm, size, request.align, 0, 0,
					   U64_MAX, mode);
}

/* False: the allocation had failed. */
static bool loom_bench_free(struct loom_bench *bench, union loom_bench_node *node)
{
	if (!loom_bench_of_mm(bench))
		return !loom_bank_free(&bench->bank, &node->block);
	if (!drm_mm_node_allocated(&node->mm))
		return false;
	drm_mm_remove_node(&node->mm);
	return true;
}

static int loom_bench_replay(struct loom_bench *bench)
{
	struct loom_bench_run *run = &bench->run;
	u64 start = ktime_get_ns();
	u32 i;

	for (i = 0; i < run->count; i++) {
		const struct loom_bench_op *op = &bench->ops[i];
		union loom_bench_node *node = &bench->nodes[op->id];

		if (i % 1024 == 0) {
			cond_resched();
			if (fatal_signal_pending(current))
				return -EINTR;
		}
		switch (op->kind) {
		case LOOM_BENCH_MARK:
			run->timed = 0;
			start = ktime_get_ns();
			break;
		case LOOM_BENCH_FREE:
			run->timed += loom_bench_free(bench, node);
			break;
		default:
			run->timed++;
			if (loom_bench_alloc(bench, node, ALIGN(op->size, run->align_bytes),
					     op->kind == LOOM_BENCH_HIGH))
				run->failures++;
		}
	}
	run->ns = ktime_get_ns() - start;
	return 0;
}

static int loom_bench_check(const struct loom_bench *bench)
{
	const struct loom_bench_run *run = &bench->run;
	u32 i;

	if (run->engine >= LOOM_BENCH_ENGINES || run->pad || run->align_bytes > PAGE_SIZE ||
	    !is_power_of_2(run->align_bytes) || !run->cap_bytes || run->cap_bytes > 1ULL << 48)
		return -EINVAL;
	for (i = 0; i < run->count; i++) {
		const struct loom_bench_op *op = &bench->ops[i];

		if (op->kind > LOOM_BENCH_MARK || op->id > run->ids || op->size > 1ULL << 48)
			return -EINVAL;
		/* an id is taken once: its node is free then */
		if (op->kind <= LOOM_BENCH_HIGH && (!op->size || !op->id))
			return -EINVAL;
	}
	return 0;
}

/* Each id is allocated once, whatever the caller says. */
static int loom_bench_check_ids(const struct loom_bench *bench)
{
	u32 i, last = 0;

	for (i = 0; i < bench->run.count; i++) {
		if (bench->ops[i].kind > LOOM_BENCH_HIGH)
			continue;
		if (bench->ops[i].id <= last)
			return -EINVAL;
		last = bench->ops[i].id;
	}
	return 0;
}

static int loom_bench_run_bank(struct loom_bench *bench)
{
	static const enum loom_bank_policy policies[] = {
		[LOOM_BENCH_BANK_BEST] = LOOM_BANK_BEST_FIT,
		[LOOM_BENCH_BANK_NEAR] = LOOM_BANK_NEAR_FIT,
		[LOOM_BENCH_BANK_FIRST] = LOOM_BANK_FIRST_FIT,
	};
	int ret = loom_bank_init(&bench->bank, 0, bench->run.cap_bytes, 1,
				 policies[bench->run.engine]);

	if (ret)
		return ret;
	ret = loom_bench_replay(bench);
	loom_bank_fini(&bench->bank);
	loom_port_free(bench->spare);
	return ret;
}

static int loom_bench_run_mm(struct loom_bench *bench)
{
	u32 i;
	int ret;

	drm_mm_init(&bench->mm, 0, bench->run.cap_bytes);
	ret = loom_bench_replay(bench);
	for (i = 0; i <= bench->run.ids; i++)
		if (drm_mm_node_allocated(&bench->nodes[i].mm))
			drm_mm_remove_node(&bench->nodes[i].mm);
	drm_mm_takedown(&bench->mm);
	return ret;
}

static long loom_bench_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	void __user *user = (void __user *)arg;
	struct loom_bench *bench;
	void *ops = NULL;
	int ret = -ENOMEM;

	if (cmd != LOOM_BENCH_RUN)
		return -ENOTTY;
	bench = kvzalloc(sizeof(*bench), GFP_KERNEL);
	if (!bench)
		return -ENOMEM;
	ret = -EFAULT;
	if (copy_from_user(&bench->run, user, sizeof(bench->run)))
		goto out;
	ret = -EINVAL;
	if (bench->run.count > LOOM_BENCH_MAX || bench->run.ids > LOOM_BENCH_MAX)
		goto out;
	bench->run.timed = 0;
	bench->run.failures = 0;
	ops = vmemdup_array_user(u64_to_user_ptr(bench->run.ops), bench->run.count,
				 sizeof(*bench->ops));
	if (IS_ERR(ops)) {
		ret = PTR_ERR(ops);
		ops = NULL;
		goto out;
	}
	bench->ops = ops;
	ret = loom_bench_check(bench);
	if (!ret)
		ret = loom_bench_check_ids(bench);
	if (ret)
		goto out;
	ret = -ENOMEM;
	bench->nodes = kvcalloc(bench->run.ids + 1, sizeof(*bench->nodes), GFP_KERNEL);
	if (!bench->nodes)
		goto out;
	ret = loom_bench_of_mm(bench) ? loom_bench_run_mm(bench) : loom_bench_run_bank(bench);
	if (!ret && copy_to_user(user, &bench->run, sizeof(bench->run)))
		ret = -EFAULT;
out:
	kvfree(bench->nodes);
	kvfree(ops);
	kvfree(bench);
	return ret;
}

static const struct file_operations loom_bench_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = loom_bench_ioctl,
};

static struct miscdevice loom_bench_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = LOOM_BENCH_NODE,
	.fops = &loom_bench_fops,
	.mode = 0600,
};
module_misc_device(loom_bench_device);

MODULE_DESCRIPTION("Loom's bank allocator beside drm_mm");
MODULE_LICENSE("GPL");
