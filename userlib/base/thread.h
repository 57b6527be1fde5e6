/* SPDX-License-Identifier: MIT */
#ifndef LOOM_BASE_THREAD_H
#define LOOM_BASE_THREAD_H

#include <pthread.h>
#include <stdint.h>

/*
 * Stack of a thread that runs the engine, which copies operands of convolutions to the stack: it
 * needs a third of this. Some C libraries give a thread 128 KiB.
 */
#define LOOM_THREAD_STACK	(1U << 20)

/**
 * loom_thread_start() - pthread_create() of a thread that may run the engine
 * @thread: [out] the thread
 * @run: its function
 * @arg: for @run
 *
 * Its stack is the larger of LOOM_THREAD_STACK and the default.
 *
 * Return: 0, or a negative errno.
 */
int loom_thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);

/** loom_thread_processors() - number of processors that this process may use; at least 1 */
uint32_t loom_thread_processors(void);

#endif /* LOOM_BASE_THREAD_H */
