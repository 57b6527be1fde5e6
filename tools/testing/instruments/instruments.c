// SPDX-License-Identifier: GPL-2.0
/*
 * Faults on purpose, one for each instrument of the debug kernel:
 *
 *         insmod instruments.ko fault=NAME
 *
 * A kernel whose log stays empty has the instrument switched off, whatever its .config says, and
 * the tests that ran on it prove nothing. The fault happens in the init function, which then
 * returns -ECANCELED, so the module is never loaded.
 */
#include <linux/dma-fence.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <linux/vmalloc.h>

static char *fault = "";
module_param(fault, charp, 0);
MODULE_PARM_DESC(fault, "What to do wrong");

/* Values that the compiler does not know, or it would remove the fault. */
static int hidden(int value)
{
	OPTIMIZER_HIDE_VAR(value);
	return value;
}

static int touch(const char *bytes, int index)
{
	return READ_ONCE(bytes[hidden(index)]);
}

/* KASAN: a byte behind an object of the slab */
static void fault_slab_bounds(void)
{
	char *bytes = kzalloc(40, GFP_KERNEL);

	if (bytes)
		touch(bytes, 40);
	kfree(bytes);
}

/* KASAN: an object that was freed */
static void fault_use_after_free(void)
{
	char *bytes = kzalloc(40, GFP_KERNEL);

	kfree(bytes);
	if (bytes)
		touch(bytes, 0);
}

/* KASAN_VMALLOC: a byte behind an allocation, on the same page */
static void fault_vmalloc_bounds(void)
{
	char *bytes = vzalloc(4000);

	if (bytes)
		touch(bytes, 4008);
	vfree(bytes);
}

/* KASAN_STACK: a byte behind an array of the stack */
static void fault_stack_bounds(void)
{
	char bytes[24] = {};

	touch(bytes, sizeof(bytes));
}

/* UBSAN_SHIFT */
static void fault_shift(void)
{
	int number = 1 << hidden(40);

	OPTIMIZER_HIDE_VAR(number);
}

/* UBSAN_BOUNDS */
static void fault_index(void)
{
	static int numbers[4];
	int number = numbers[hidden(5)];

	OPTIMIZER_HIDE_VAR(number);
}

/*
 * DEBUG_KMEMLEAK: no pointer to it is left; large, so that its size is reported as asked for.
 * Several, as what looks like a pointer to one may be left on the stack.
 */
static noinline void fault_leak(void)
{
	unsigned int i;
	char *bytes;

	for (i = 0; i < 8; i++) {
		bytes = kzalloc(12345, GFP_KERNEL);
		OPTIMIZER_HIDE_VAR(bytes);
	}
}

/* PROVE_LOCKING: two locks, in one order and then in the other */
static void fault_lock_order(void)
{
	static DEFINE_MUTEX(first);
	static DEFINE_MUTEX(second);

	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);
	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
}

/* PROVE_LOCKING: allocates memory, for which reclaim may wait, where a fence has to be signalled */
static void fault_fence(void)
{
	bool cookie = dma_fence_begin_signalling();

	kfree(kmalloc(8, GFP_KERNEL));
	dma_fence_end_signalling(cookie);
}

/* DEBUG_ATOMIC_SLEEP: a function that might sleep, in atomic context */
static void fault_atomic_sleep(void)
{
	static DEFINE_SPINLOCK(lock);

	spin_lock(&lock);
	might_sleep();
	spin_unlock(&lock);
}

static void fault_timer_callback(struct timer_list *timer)
{
}

/* DEBUG_OBJECTS: a timer that is initialised again while it is pending */
static void fault_timer(void)
{
	static struct timer_list timer;

	timer_setup(&timer, fault_timer_callback, 0);
	mod_timer(&timer, jiffies + HZ * 3600);
	timer_setup(&timer, fault_timer_callback, 0);
	timer_delete_sync(&timer);
}

/* DEBUG_LIST: an entry that is deleted twice */
static void fault_list(void)
{
	static LIST_HEAD(head);
	static struct list_head entry;

	list_add(&entry, &head);
	list_del(&entry);
	list_del(&entry);
}

static const struct {
	const char *name;
	void (*commit)(void);
} faults[] = {
	{ "slab-bounds", fault_slab_bounds },
	{ "use-after-free", fault_use_after_free },
	{ "vmalloc-bounds", fault_vmalloc_bounds },
	{ "stack-bounds", fault_stack_bounds },
	{ "shift", fault_shift },
	{ "index", fault_index },
	{ "leak", fault_leak },
	{ "lock-order", fault_lock_order },
	{ "fence", fault_fence },
	{ "atomic-sleep", fault_atomic_sleep },
	{ "timer", fault_timer },
	{ "list", fault_list },
};

static int __init instruments_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		if (strcmp(fault, faults[i].name))
			continue;
		faults[i].commit();
		return -ECANCELED;
	}
	return -EINVAL;
}
module_init(instruments_init);

MODULE_DESCRIPTION("Faults for the instruments of a debug kernel to find");
MODULE_AUTHOR("Loom developers");
MODULE_LICENSE("GPL");
