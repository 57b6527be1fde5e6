// SPDX-License-Identifier: MIT
/*
 * The engine copies inputs of convolutions to its stack. Threads that the library starts have room
 * for that where the C library's have 128 KiB; on a caller's stack that is too small the process
 * ends at the guard page, and does not write to what lies below it.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/isa.h"
#include "base/thread.h"
#include "loom_engine.h"
#include "loom_op.h"
#include "tap.h"

/* stack of a thread with musl */
#define SMALL	(128U << 10)
#define PAGE	4096
#define BELOW	(4U << 20)
#define BANK	(1U << 20)

/**
 * struct work - a convolution whose channels are innermost in x, so that x is copied to a box
 * @attr: its attributes
 * @views: its operands
 * @command: the convolution
 * @memory: where they lie
 */
struct work {
	struct drm_loom_attr_conv attr;
	struct loom_view views[3];
	struct loom_command command;
	struct loom_memory memory;
};

static void make_view(struct loom_view *view, u32 dtype, const u32 *dims, u64 offset)
{
	static const u32 inwards[] = { 1, 4, 3, 2, 0 };
	u32 bytes = loom_dtype_stride(dtype), i;
	u64 size = bytes;

	*view = (struct loom_view){
		.region = DRM_LOOM_REGION_SRAM, .dtype = dtype, .elem_bytes = bytes, .rank = 5,
		.offset = offset, .lane_axis = 1,
	};
	for (i = 0; i < DRM_LOOM_MAX_RANK; i++)
		view->dims[i] = i < 5 ? dims[i] : 1;
	for (i = 0; i < 5; i++) {
		view->strides[inwards[i]] = size;
		size *= dims[inwards[i]];
	}
}

static void make_work(struct work *work, u32 dtype)
{
	static const u32 plane[] = { 1, 8, 1, 20, 20 }, weights[] = { 8, 8, 1, 3, 3 };
	struct loom_check check = { .command = &work->command, .opcodes = U64_MAX };
	u32 i;

	memset(work, 0, sizeof(*work));
	work->attr.groups = 1;
	for (i = 0; i < 3; i++) {
		work->attr.stride[i] = 1;
		work->attr.dilation[i] = 1;
		work->attr.pad[i] = !!i;
	}
	make_view(&work->views[0], dtype == DRM_LOOM_DTYPE_F32 ? dtype : DRM_LOOM_DTYPE_I32,
		  plane, 0);
	make_view(&work->views[1], dtype, plane, BANK / 4);
	make_view(&work->views[2], dtype, weights, BANK / 2);
	work->command.op = loom_op_get(DRM_LOOM_OP_CONV);
	work->command.views = work->views;
	work->command.operands = 3;
	work->command.attr = &work->attr;
	work->memory.lanes = 1;
	work->memory.lane_pitch = BANK;
	work->memory.scratch = calloc(1, BANK);
	if (!work->memory.scratch || !work->command.op->check(&check))
		tap_fatal("no convolution");
}

static void *compute(void *arg)
{
	struct work *work = arg;

	loom_engine_compute(&work->command, &work->memory, 0, work->command.units);
	return NULL;
}

/* In a child: on SMALL bytes of stack, which has a guard page and another mapping below it. */
static void compute_small(struct work *work)
{
	u8 *below = mmap(NULL, BELOW + PAGE + SMALL, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0), *guard = below + BELOW;
	int status = 0, dirty = 0;
	pid_t child;
	u32 i;

	if (below == MAP_FAILED || mprotect(guard, PAGE, PROT_NONE))
		tap_fatal("no stack");
	child = fork();
	if (!child) {
		const struct rlimit none = { 0, 0 };
		pthread_attr_t attr;
		pthread_t thread;

		setrlimit(RLIMIT_CORE, &none);
		if (pthread_attr_init(&attr) ||
		    pthread_attr_setstack(&attr, guard + PAGE, SMALL) ||
		    pthread_create(&thread, &attr, compute, work))
			_exit(2);
		pthread_join(thread, NULL);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		tap_fatal("no child");
	for (i = 0; i < BELOW; i++)
		dirty += below[i] != 0;
	munmap(below, BELOW + PAGE + SMALL);
	tap_ok(!dirty && !(WIFEXITED(status) && WEXITSTATUS(status)),
	       "of a mapping below a small stack %d bytes are written", dirty);
}

/* The C library's default is made SMALL: a thread of the library has more. */
static void *room(void *arg)
{
	pthread_attr_t attr;

	if (pthread_getattr_np(pthread_self(), &attr))
		return NULL;
	pthread_attr_getstacksize(&attr, arg);
	pthread_attr_destroy(&attr);
	return NULL;
}

static void check_started(struct work *work)
{
	size_t bytes = 0;
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, SMALL);
	pthread_setattr_default_np(&attr);
	pthread_attr_destroy(&attr);
	if (loom_thread_start(&thread, room, &bytes))
		tap_fatal("no thread");
	pthread_join(thread, NULL);
	tap_ok(bytes >= LOOM_THREAD_STACK, "a thread has %zu KiB of stack", bytes >> 10);
	if (loom_thread_start(&thread, compute, work))
		tap_fatal("no thread");
	pthread_join(thread, NULL);
	tap_ok(true, "and computes on it");
}

int main(void)
{
	static const u32 dtypes[] = { DRM_LOOM_DTYPE_F32, DRM_LOOM_DTYPE_I8 };
	struct work work;
	enum loom_isa isa;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(dtypes); i++) {
		make_work(&work, dtypes[i]);
		for (isa = 0; isa <= loom_isa_has() && !getenv("LOOM_SANITIZED"); isa++) {
			loom_isa_limit(isa);
			compute_small(&work);
		}
		check_started(&work);
		free(work.memory.scratch);
	}
	return tap_end();
}
