/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TEST_RUN_UNMAPPED_H
#define LOOM_TEST_RUN_UNMAPPED_H

/*
 * The host as a target whose slots are not mapped, as an SRAM of a device's own: sessions copy all
 * that goes in and comes out, and count how often.
 */
#include <stdlib.h>

#include "run/run.h"

/**
 * struct unmapped - a session
 * @host: the host's data of it
 * @slots: where its slots are
 */
struct unmapped {
	void *host;
	uint8_t **slots;
};

static const struct loom_target_ops *unmapped_host;
static uint32_t unmapped_writes, unmapped_reads;

/* The host's own view of the session, and back. */
static void unmapped_swap(struct loom_session *session, struct unmapped *unmapped)
{
	uint8_t **slots = session->slots;

	if (session->priv == unmapped)
		session->priv = unmapped->host;
	else
		session->priv = unmapped;
	session->slots = unmapped->slots;
	unmapped->slots = slots;
}

static int unmapped_load(struct loom_session *session, struct loom_error *err)
{
	struct unmapped *unmapped = calloc(1, sizeof(*unmapped));
	int ret = unmapped_host->load(session, err);

	unmapped->host = session->priv;
	unmapped->slots = calloc(session->program->num_slots + 1, sizeof(*unmapped->slots));
	unmapped_swap(session, unmapped);
	return ret;
}

static int unmapped_write(struct loom_session *session, uint32_t slot, uint64_t offset,
			  const void *data, uint64_t bytes)
{
	struct unmapped *unmapped = session->priv;

	unmapped_writes++;
	memcpy(unmapped->slots[slot] + offset, data, bytes);
	return 0;
}

static int unmapped_read(struct loom_session *session, uint32_t slot, uint64_t offset, void *data,
			 uint64_t bytes)
{
	struct unmapped *unmapped = session->priv;

	unmapped_reads++;
	memcpy(data, unmapped->slots[slot] + offset, bytes);
	return 0;
}

static int unmapped_submit(struct loom_session *session, uint32_t item, struct loom_error *err)
{
	struct unmapped *unmapped = session->priv;
	int ret;

	unmapped_swap(session, unmapped);
	ret = unmapped_host->submit(session, item, err);
	unmapped_swap(session, unmapped);
	return ret;
}

static int unmapped_finish(struct loom_session *session, loom_progress_fn progress, void *arg,
			   struct loom_error *err)
{
	struct unmapped *unmapped = session->priv;
	int ret;

	unmapped_swap(session, unmapped);
	ret = unmapped_host->finish(session, progress, arg, err);
	unmapped_swap(session, unmapped);
	return ret;
}

static void unmapped_exchange(struct loom_session *session, uint32_t a, uint32_t b)
{
	struct unmapped *unmapped = session->priv;
	uint8_t *slot;

	unmapped_swap(session, unmapped);
	slot = session->slots[a];
	session->slots[a] = session->slots[b];
	session->slots[b] = slot;
	unmapped_host->exchange(session, a, b);
	unmapped_swap(session, unmapped);
}

static void unmapped_unload(struct loom_session *session)
{
	struct unmapped *unmapped = session->priv;

	unmapped_swap(session, unmapped);
	unmapped_host->unload(session);
	free(unmapped->slots);
	free(unmapped);
}

/* From now on none of @target's slots is mapped. It has no sessions, and is the host. */
static void unmapped_make(struct loom_target *target)
{
	static struct loom_target_ops ops;

	unmapped_host = target->ops;
	ops = *unmapped_host;
	ops.load = unmapped_load;
	ops.write = unmapped_write;
	ops.read = unmapped_read;
	ops.submit = unmapped_submit;
	ops.finish = unmapped_finish;
	ops.exchange = unmapped_exchange;
	ops.unload = unmapped_unload;
	target->ops = &ops;
}

#endif /* LOOM_TEST_RUN_UNMAPPED_H */
