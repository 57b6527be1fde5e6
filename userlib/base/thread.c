// SPDX-License-Identifier: MIT
#include "thread.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <unistd.h>

int loom_thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
	pthread_attr_t attr;
	size_t usual;
	int ret;

	ret = -pthread_attr_init(&attr);
	if (ret)
		return ret;
	if (!pthread_attr_getstacksize(&attr, &usual) && usual < LOOM_THREAD_STACK)
		ret = -pthread_attr_setstacksize(&attr, LOOM_THREAD_STACK);
	if (!ret)
		ret = -pthread_create(thread, &attr, run, arg);
	pthread_attr_destroy(&attr);
	return ret;
}

uint32_t loom_thread_processors(void)
{
	int saved = errno;
	cpu_set_t set;
	long count;

	/* the set is too small for more than 1024 processors */
	count = sched_getaffinity(0, sizeof(set), &set) ? sysconf(_SC_NPROCESSORS_ONLN) :
							  CPU_COUNT(&set);
	errno = saved;
	return count > 0 ? (uint32_t)count : 1;
}
