// SPDX-License-Identifier: MIT
#include "dma.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Bytes copied from a mapping before the lock is dropped for changes of the ranges. */
#define DMA_PIECE	((u64)1 << 20)
/* Ranges that a client may tell: an IOMMU has one for each page. */
#define DMA_MAPS	(1U << 20)

void sim_dma_init(struct sim_dma *dma, int socket, bool messages)
{
	*dma = (struct sim_dma){ .socket = socket, .messages = messages };
	pthread_mutex_init(&dma->send_lock, NULL);
	pthread_rwlock_init(&dma->maps_lock, NULL);
	pthread_mutex_init(&dma->questions_lock, NULL);
	pthread_cond_init(&dma->answered, NULL);
}

int sim_dma_send(struct sim_dma *dma, struct protocol_header *header, const void *head,
		 size_t head_bytes, const void *data, size_t data_bytes, int fd)
{
	int ret;

	pthread_mutex_lock(&dma->send_lock);
	ret = wire_send(dma->socket, header, head, head_bytes, data, data_bytes, fd);
	pthread_mutex_unlock(&dma->send_lock);
	return ret;
}

/* ------------------------------------------------------------------ ranges */

static int dma_map_file(struct sim_map *entry, u64 offset, int fd)
{
	u64 page = sysconf(_SC_PAGESIZE), skip = offset % page;
	int prot = PROT_READ | (entry->flags & PROTOCOL_MAP_WRITE ? PROT_WRITE : 0);

	entry->mapped_size = entry->size + skip;
	entry->mapped = mmap(NULL, entry->mapped_size, prot, MAP_SHARED, fd, offset - skip);
	if (entry->mapped == MAP_FAILED)
		return -errno;
	entry->bytes = (u8 *)entry->mapped + skip;
	return 0;
}

int sim_dma_map(struct sim_dma *dma, const struct protocol_map *map, int fd)
{
	struct sim_map *entry;
	u64 end;
	int ret = 0;

	if (!map->size || check_add_overflow(map->address, map->size - 1, &end) ||
	    dma->map_count == DMA_MAPS)
		return -EINVAL;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	entry->address = map->address;
	entry->size = map->size;
	entry->flags = map->flags;
	if (fd >= 0 && !dma->messages)
		ret = dma_map_file(entry, map->offset, fd);
	if (ret) {
		free(entry);
		return ret;
	}
	pthread_rwlock_wrlock(&dma->maps_lock);
	entry->next = dma->maps;
	dma->maps = entry;
	dma->map_count++;
	pthread_rwlock_unlock(&dma->maps_lock);
	return 0;
}

int sim_dma_unmap(struct sim_dma *dma, const struct protocol_unmap *unmap)
{
	bool all = unmap->flags & PROTOCOL_UNMAP_ALL;
	struct sim_map **link, *entry;

	pthread_rwlock_wrlock(&dma->maps_lock);
	for (link = &dma->maps; (entry = *link);) {
		if (!all && (entry->address < unmap->address || entry->size > unmap->size ||
			     entry->address - unmap->address > unmap->size - entry->size)) {
			link = &entry->next;
			continue;
		}
		*link = entry->next;
		dma->map_count--;
		if (entry->bytes)
			munmap(entry->mapped, entry->mapped_size);
		free(entry);
	}
	pthread_rwlock_unlock(&dma->maps_lock);
	return 0;
}

/* The range that an address is in; with the lock held. */
static const struct sim_map *dma_find_locked(const struct sim_dma *dma, u64 address)
{
	const struct sim_map *entry;

	for (entry = dma->maps; entry; entry = entry->next)
		if (address >= entry->address && address - entry->address < entry->size)
			return entry;
	return NULL;
}

/* --------------------------------------------------------------- questions */

void sim_dma_answer(struct sim_dma *dma, const struct wire_message *message)
{
	const struct protocol_header *header = &message->header;
	struct sim_question *question;

	pthread_mutex_lock(&dma->questions_lock);
	for (question = dma->questions; question; question = question->next) {
		if (question->id != header->id || question->done)
			continue;
		question->done = true;
		if (header->flags & PROTOCOL_ERROR)
			question->error = -EFAULT;
		else if (question->out &&
			 message->bytes < sizeof(struct protocol_dma) + question->bytes)
			question->error = -EPROTO;
		else if (question->out)
			memcpy(question->out, message->data + sizeof(struct protocol_dma),
			       question->bytes);
		pthread_cond_broadcast(&dma->answered);
		break;
	}
	pthread_mutex_unlock(&dma->questions_lock);
}

void sim_dma_close(struct sim_dma *dma)
{
	pthread_mutex_lock(&dma->questions_lock);
	dma->closed = true;
	pthread_cond_broadcast(&dma->answered);
	pthread_mutex_unlock(&dma->questions_lock);
}

/* Must not be called by the thread that receives answers: it would deadlock. */
static int dma_ask(struct sim_dma *dma, bool write, u64 address, void *bytes, u32 count)
{
	struct protocol_dma head = { .address = address, .count = count };
	struct protocol_header header = {
		.command = write ? PROTOCOL_DMA_WRITE : PROTOCOL_DMA_READ,
	};
	struct sim_question question = { .out = write ? NULL : bytes, .bytes = count };
	struct sim_question **link;
	int ret;

	pthread_mutex_lock(&dma->questions_lock);
	question.id = ++dma->id;
	question.next = dma->questions;
	dma->questions = &question;
	pthread_mutex_unlock(&dma->questions_lock);

	header.id = question.id;
	ret = sim_dma_send(dma, &header, &head, sizeof(head), bytes, write ? count : 0, -1);

	pthread_mutex_lock(&dma->questions_lock);
	while (!ret && !question.done && !dma->closed)
		pthread_cond_wait(&dma->answered, &dma->questions_lock);
	if (!ret)
		ret = question.done ? question.error : -EPIPE;
	for (link = &dma->questions; *link != &question; link = &(*link)->next)
		;
	*link = question.next;
	pthread_mutex_unlock(&dma->questions_lock);
	return ret;
}

/* A piece in one mapping: how many bytes were copied, 0 if there is none, or -errno. */
static s64 dma_copy(struct sim_dma *dma, bool write, u64 address, void *bytes, u64 count)
{
	u32 need = write ? PROTOCOL_MAP_WRITE : PROTOCOL_MAP_READ;
	const struct sim_map *entry;
	s64 ret = 0;

	pthread_rwlock_rdlock(&dma->maps_lock);
	entry = dma_find_locked(dma, address);
	if (!entry || !(entry->flags & need)) {
		ret = -EFAULT;
	} else if (entry->bytes) {
		u64 at = address - entry->address;

		ret = min(min(count, entry->size - at), DMA_PIECE);
		if (write)
			memcpy(entry->bytes + at, bytes, ret);
		else
			memcpy(bytes, entry->bytes + at, ret);
	}
	pthread_rwlock_unlock(&dma->maps_lock);
	return ret;
}

static int dma_access(struct sim_dma *dma, bool write, u64 address, void *bytes, u64 count)
{
	u8 *at = bytes;

	while (count) {
		const u64 most = WIRE_PIECE;
		s64 part = 0;
		int ret;

		if (!atomic_load(&dma->master))
			return -EPERM;
		/* messages are checked by the client, which knows better than the ranges */
		if (!dma->messages)
			part = dma_copy(dma, write, address, at, count);
		if (part < 0)
			return part;
		if (!part) {
			part = min(count, most);
			ret = dma_ask(dma, write, address, at, part);
			if (ret)
				return ret;
		}
		address += part;
		at += part;
		count -= part;
	}
	return 0;
}

int sim_dma_read(struct sim_dma *dma, u64 address, void *out, u64 bytes)
{
	return dma_access(dma, false, address, out, bytes);
}

int sim_dma_write(struct sim_dma *dma, u64 address, const void *data, u64 bytes)
{
	return dma_access(dma, true, address, (void *)data, bytes);
}
