// SPDX-License-Identifier: MIT
#include "thread.h"

#include <stddef.h>

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
