// SPDX-License-Identifier: GPL-2.0
#include <linux/debugfs.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "loom_gcov.h"

/*
 * DOC: gcov in one module
 *
 * Symbols that modules compiled with --coverage call, for a kernel without CONFIG_GCOV_KERNEL. A
 * kernel with it would count in all of its code, or be built for this alone; here only our modules
 * count, and the kernels are those that all other tests run on.
 *
 * Each object announces its counters in a constructor. The instrumented kernel calls those of a
 * module (CONFIG_CONSTRUCTORS, which KASAN selects). For other kernels user space must write their
 * addresses to /sys/kernel/debug/loom_gcov/constructors once the module is loaded, and they are
 * called here; earlier counts are included. Constructors must not be called twice.
 *
 * /sys/kernel/debug/loom_gcov/counters has all counters of objects in modules that are loaded, and
 * of those that were, which are added up as they go: a text, of which report.py makes files for
 * gcov. Only arcs are counted, so each function has one array of them.
 *
 * /sys/kernel/debug/loom_gcov/new is for a fuzzer: the counts since the last look are put into
 * classes (once, twice, 3, 4 to 7, 8 to 15, ..), and the text is the number of pairs of a counter
 * and a class that no look had before, and the number of counters that were ever reached.
 */

/**
 * struct loom_gcov_counter - what is remembered of a counter
 * @before: sum of those of modules that are gone
 * @looked: its value at the last look of a fuzzer
 * @classes: a bit for each class that a look has had
 */
struct loom_gcov_counter {
	u64 before;
	u64 looked;
	u32 classes;
};

/**
 * struct loom_gcov_object - an object file whose module is or was loaded
 * @link: in loom_gcov_objects
 * @info: the module's own data, while the module is loaded
 * @name: of the file for its counters
 * @version: of the compiler, as the objects below
 * @stamp: which compilation it was
 * @checksum: of the file's functions
 * @functions: which they are, and where their values are while the module is loaded
 * @n_functions: how many
 * @counters: of all functions, one after the other
 *
 * All are protected by loom_gcov_lock, and are there until this module goes.
 */
struct loom_gcov_object {
	struct list_head link;
	struct gcov_info *info;
	char *name;
	u32 version;
	u32 stamp;
	u32 checksum;
	struct gcov_fn_info *functions;
	u32 n_functions;
	struct loom_gcov_counter *counters;
};

static LIST_HEAD(loom_gcov_objects);
static DEFINE_MUTEX(loom_gcov_lock);
static struct dentry *loom_gcov_folder;
static u32 loom_gcov_lost;

static u32 loom_gcov_checksum(const struct gcov_info *info)
{
#if GCC_VERSION >= 120000
	return info->checksum;
#else
	return 0;
#endif
}

static void loom_gcov_object_free(struct loom_gcov_object *object)
{
	kvfree(object->counters);
	kvfree(object->functions);
	kfree(object->name);
	kfree(object);
}

static struct loom_gcov_object *loom_gcov_object_new(const struct gcov_info *info)
{
	struct loom_gcov_object *object = kzalloc(sizeof(*object), GFP_KERNEL);
	size_t n = 0;
	u32 i;

	if (!object)
		return NULL;
	object->name = kstrdup(info->filename, GFP_KERNEL);
	object->functions = kvcalloc(info->n_functions, sizeof(*object->functions), GFP_KERNEL);
	if (!object->name || !object->functions)
		goto err_free;
	for (i = 0; i < info->n_functions; i++) {
		const struct gcov_fn_info *function = info->functions[i];

		/* of several copies the linker may have kept that of another object */
		if (!function || function->key != info)
			continue;
		object->functions[object->n_functions++] = *function;
		n += function->arcs.num;
	}
	object->counters = kvcalloc(n, sizeof(*object->counters), GFP_KERNEL);
	if (!object->counters)
		goto err_free;
	object->version = info->version;
	object->stamp = info->stamp;
	object->checksum = loom_gcov_checksum(info);
	return object;

err_free:
	loom_gcov_object_free(object);
	return NULL;
}

static struct loom_gcov_object *loom_gcov_object_find(const struct gcov_info *info)
{
	struct loom_gcov_object *object;

	list_for_each_entry(object, &loom_gcov_objects, link)
		if (!object->info && object->stamp == info->stamp &&
		    object->checksum == loom_gcov_checksum(info) &&
		    !strcmp(object->name, info->filename))
			return object;
	return NULL;
}

/* A value of the n-th function. It is written meanwhile, by whom we do not know. */
static u64 loom_gcov_value(const struct loom_gcov_object *object, u32 n, u32 i)
{
	return object->info ? READ_ONCE(object->functions[n].arcs.values[i]) : 0;
}

void __gcov_init(struct gcov_info *info)
{
	struct loom_gcov_object *object;
	u32 i, n = 0;

	mutex_lock(&loom_gcov_lock);
	object = loom_gcov_object_find(info);
	if (!object) {
		object = loom_gcov_object_new(info);
		if (object)
			list_add_tail(&object->link, &loom_gcov_objects);
		else
			loom_gcov_lost++;
	} else {
		/* the same functions at another address */
		for (i = 0; i < info->n_functions; i++)
			if (info->functions[i] && info->functions[i]->key == info)
				object->functions[n++] = *info->functions[i];
	}
	if (object)
		object->info = info;
	mutex_unlock(&loom_gcov_lock);
}
EXPORT_SYMBOL_GPL(__gcov_init);

void __gcov_exit(void)
{
}
EXPORT_SYMBOL_GPL(__gcov_exit);

/* Only its address is taken, to say which kinds of counters there are. */
void __gcov_merge_add(u64 *counters, u32 n)
{
}
EXPORT_SYMBOL_GPL(__gcov_merge_add);

/* Its module goes, with its counters. */
static void loom_gcov_keep(struct loom_gcov_object *object)
{
	struct loom_gcov_counter *counter = object->counters;
	u32 n, i;

	for (n = 0; n < object->n_functions; n++)
		for (i = 0; i < object->functions[n].arcs.num; i++, counter++)
			counter->before += loom_gcov_value(object, n, i);
	object->info = NULL;
}

static int loom_gcov_notify(struct notifier_block *nb, unsigned long event, void *data)
{
	struct loom_gcov_object *object;
	struct module *module = data;

	if (event != MODULE_STATE_GOING)
		return NOTIFY_OK;
	mutex_lock(&loom_gcov_lock);
	list_for_each_entry(object, &loom_gcov_objects, link)
		if (object->info && within_module((unsigned long)object->info, module))
			loom_gcov_keep(object);
	mutex_unlock(&loom_gcov_lock);
	return NOTIFY_OK;
}

/* Runs after all others, because they may still run code of the module, which is counted, too. */
static struct notifier_block loom_gcov_notifier = {
	.notifier_call = loom_gcov_notify,
	.priority = INT_MIN,
};

static int counters_show(struct seq_file *m, void *unused)
{
	struct loom_gcov_object *object;
	u32 n, i;

	mutex_lock(&loom_gcov_lock);
	seq_printf(m, "lost %u\n", loom_gcov_lost);
	list_for_each_entry(object, &loom_gcov_objects, link) {
		struct loom_gcov_counter *counter = object->counters;

		seq_printf(m, "object %u %u %u %s\n", object->version, object->stamp,
			   object->checksum, object->name);
		for (n = 0; n < object->n_functions; n++) {
			const struct gcov_fn_info *function = &object->functions[n];

			seq_printf(m, "function %u %u %u", function->ident,
				   function->lineno_checksum, function->cfg_checksum);
			for (i = 0; i < function->arcs.num; i++, counter++)
				seq_printf(m, " %llu",
					   counter->before + loom_gcov_value(object, n, i));
			seq_putc(m, '\n');
		}
	}
	mutex_unlock(&loom_gcov_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counters);

/* 1, 2, 3, 4 to 7, 8 to 15, ..: a loop that runs once more is new, its thousandth round is not. */
static u32 loom_gcov_class(u64 times)
{
	return times < 4 ? BIT(times) : BIT(min(fls64(times) + 1, 12));
}

static int new_show(struct seq_file *m, void *unused)
{
	struct loom_gcov_object *object;
	u32 n, i, fresh = 0, reached = 0;

	mutex_lock(&loom_gcov_lock);
	list_for_each_entry(object, &loom_gcov_objects, link) {
		struct loom_gcov_counter *counter = object->counters;

		for (n = 0; n < object->n_functions; n++) {
			for (i = 0; i < object->functions[n].arcs.num; i++, counter++) {
				u64 now = counter->before + loom_gcov_value(object, n, i);
				u64 times = now - counter->looked;
				u32 class;

				reached += !!now;
				counter->looked = now;
				if (!times)
					continue;
				class = loom_gcov_class(times);
				fresh += !(counter->classes & class);
				counter->classes |= class;
			}
		}
	}
	mutex_unlock(&loom_gcov_lock);
	seq_printf(m, "%u %u\n", fresh, reached);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(new);

/* One address, as in /proc/kallsyms. */
static ssize_t loom_gcov_construct(struct file *file, const char __user *from, size_t size,
				   loff_t *offset)
{
	u64 address;
	int ret = kstrtou64_from_user(from, size, 16, &address);

	if (ret)
		return ret;
	if (IS_ENABLED(CONFIG_CONSTRUCTORS))
		return -EOPNOTSUPP;
	((void (*)(void))(unsigned long)address)();
	return size;
}

static const struct file_operations loom_gcov_constructors_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = loom_gcov_construct,
};

static int __init loom_gcov_init(void)
{
	int ret = register_module_notifier(&loom_gcov_notifier);

	if (ret)
		return ret;
	loom_gcov_folder = debugfs_create_dir("loom_gcov", NULL);
	debugfs_create_file("counters", 0400, loom_gcov_folder, NULL, &counters_fops);
	debugfs_create_file("constructors", 0200, loom_gcov_folder, NULL,
			    &loom_gcov_constructors_fops);
	debugfs_create_file("new", 0400, loom_gcov_folder, NULL, &new_fops);
	return 0;
}
module_init(loom_gcov_init);

/* The modules that count hold this one, so that none of them is there any more. */
static void __exit loom_gcov_exit(void)
{
	struct loom_gcov_object *object, *next;

	debugfs_remove(loom_gcov_folder);
	unregister_module_notifier(&loom_gcov_notifier);
	list_for_each_entry_safe(object, next, &loom_gcov_objects, link)
		loom_gcov_object_free(object);
}
module_exit(loom_gcov_exit);

MODULE_DESCRIPTION("Counts what modules compiled with --coverage run");
MODULE_LICENSE("GPL");
