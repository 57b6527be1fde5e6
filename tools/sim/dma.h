/* SPDX-License-Identifier: MIT */
#ifndef LOOM_SIM_DMA_H
#define LOOM_SIM_DMA_H

/*
 * Access to the host's memory. A range for which the client has passed a file is mapped; otherwise,
 * and with --dma messages, each access is a request to the client, which an IOMMU can refuse. A
 * mapping gives no protection: it covers all of the client's memory.
 */

#include <pthread.h>
#include <stdatomic.h>

#include "loom_core.h"
#include "wire.h"

/**
 * struct sim_map - a range of the host's memory
 * @next: in &sim_dma.maps
 * @address: on the bus
 * @size: bytes
 * @flags: PROTOCOL_MAP_*
 * @bytes: mapped here, or NULL
 * @mapped: first byte of the mapping, which begins at a page
 * @mapped_size: bytes of it
 */
struct sim_map {
	struct sim_map *next;
	u64 address;
	u64 size;
	u32 flags;
	u8 *bytes;
	void *mapped;
	size_t mapped_size;
};

/**
 * struct sim_question - an access by message that is not answered
 * @next: in &sim_dma.questions
 * @id: of the message
 * @out: where the answer goes, NULL for a write
 * @bytes: how many are expected
 * @done: it was answered
 * @error: the answer: 0 or -errno
 */
struct sim_question {
	struct sim_question *next;
	u16 id;
	void *out;
	u32 bytes;
	bool done;
	int error;
};

/**
 * struct sim_dma - the host's memory
 * @socket: to the client
 * @send_lock: one message is sent at a time
 * @maps_lock: protects @maps; held for reading while bytes are copied
 * @maps: ranges that the client has told
 * @map_count: number of @maps
 * @questions_lock: protects @questions, @id, @closed
 * @answered: one of @questions is done
 * @questions: accesses by message
 * @id: of the last question
 * @closed: the connection is over
 * @messages: never by a mapping
 * @master: the host allows DMA (bus master enable)
 */
struct sim_dma {
	int socket;
	pthread_mutex_t send_lock;
	pthread_rwlock_t maps_lock;
	struct sim_map *maps;
	u32 map_count;
	pthread_mutex_t questions_lock;
	pthread_cond_t answered;
	struct sim_question *questions;
	u16 id;
	bool closed;
	bool messages;
	atomic_bool master;
};

/** sim_dma_init() - no memory */
void sim_dma_init(struct sim_dma *dma, int socket, bool messages);
/** sim_dma_send() - a message to the client, from any thread */
int sim_dma_send(struct sim_dma *dma, struct protocol_header *header, const void *head,
		 size_t head_bytes, const void *data, size_t data_bytes, int fd);
/** sim_dma_map() - a range, with a file or -1, which stays the caller's; 0 or -errno */
int sim_dma_map(struct sim_dma *dma, const struct protocol_map *map, int fd);
/** sim_dma_unmap() - forget ranges; returns when none of them is being used */
int sim_dma_unmap(struct sim_dma *dma, const struct protocol_unmap *unmap);
/** sim_dma_answer() - the client's answer to a question */
void sim_dma_answer(struct sim_dma *dma, const struct wire_message *message);
/** sim_dma_close() - the connection has ended: pending questions fail */
void sim_dma_close(struct sim_dma *dma);
/** sim_dma_read() - from the host; 0 or -errno */
int sim_dma_read(struct sim_dma *dma, u64 address, void *out, u64 bytes);
/** sim_dma_write() - to the host; 0 or -errno */
int sim_dma_write(struct sim_dma *dma, u64 address, const void *data, u64 bytes);

#endif /* LOOM_SIM_DMA_H */
