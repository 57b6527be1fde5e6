/* SPDX-License-Identifier: MIT */
#ifndef LOOM_BASE_THREAD_H
#define LOOM_BASE_THREAD_H

#include <pthread.h>

/*
 * Stack of a thread that runs the engine, which copies what convolutions read to there: it needs a
 * third of this. Some C libraries give a thread 128 KiB.
 */
#define LOOM_THREAD_STACK	(1U << 20)

/**
 * loom_thread_start() - pthread_create() of a thread that may run the engine
 * @thread: [out] the thread
 * @run: what it does
 * @arg: for @run
 *
 * Its stack is at least LOOM_THREAD_STACK, or what is usual, if that is more.
 *
 * Return: 0, or a negative errno.
 */
int loom_thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);

#endif /* LOOM_BASE_THREAD_H */
