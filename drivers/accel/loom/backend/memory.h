/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_BACKEND_MEMORY_H
#define LOOM_BACKEND_MEMORY_H

#include "backend/backend.h"

struct loom_move;
struct page;

/*
 * Where the banks are local memory of the device (&loom_device_config.memory), the core has bytes
 * copied when a buffer gets an address or loses it (see memory/), and processes map it through BAR
 * or bus. @prepare, @run and @release are called once for each such copy.
 */

/**
 * enum loom_move_kind - direction of a move
 */
enum loom_move_kind {
	/** @LOOM_MOVE_CLEAR: zero the region's bytes, to the end of the last page */
	LOOM_MOVE_CLEAR,
	/** @LOOM_MOVE_IN: copy from pages of the host to the region */
	LOOM_MOVE_IN,
	/** @LOOM_MOVE_OUT: copy from the region to pages of the host */
	LOOM_MOVE_OUT,
};

/**
 * struct loom_move_piece - bytes of a move that are contiguous in a bank and in a page of the host
 */
struct loom_move_piece {
	/** @region: an &enum drm_loom_region */
	u32 region;
	/** @bank: number of the bank in the region */
	u32 bank;
	/** @address: first byte in the bank */
	u64 address;
	/** @bytes: number of bytes */
	u64 bytes;
	/** @page: page of the host, NULL for LOOM_MOVE_CLEAR */
	struct page *page;
	/** @page_offset: first byte in @page */
	u32 page_offset;
};

/**
 * struct loom_backend_memory - operations on local memory
 *
 * @pfn and @run are called while the device is bound and started.
 */
struct loom_backend_memory {
	/**
	 * @pfn: page frame of the page at @address of a bank, as the processor sees it. @address is
	 * a multiple of PAGE_SIZE. Called under a reservation lock; must not sleep. Returns false
	 * if the processor cannot access it; the core then copies the bytes to system pages and
	 * maps these. May be NULL where &loom_device_memory.map_bytes is 0
	 */
	bool (*pfn)(struct loom_device *loom, u32 region, u32 bank, u64 address,
		    unsigned long *pfn);
	/**
	 * @clear: write zeroes to bytes of a bank, at most 1 MiB, by the processor. Called with
	 * &loom_flight.gate held for reading; fence safe. Returns false if it cannot access all of
	 * them; the core then has the device clear them (LOOM_MOVE_CLEAR). May be NULL
	 */
	bool (*clear)(struct loom_device *loom, u32 region, u32 bank, u64 address, u64 bytes);
	/**
	 * @prepare: allocate all memory that a move will need, map its pages for DMA, and set
	 * &loom_move.run to a pointer other than NULL. The move may be of a part of the buffer,
	 * from &loom_move.offset on. Called under a reservation lock; may sleep and allocate.
	 * Returns 0, or -errno with nothing left to undo
	 */
	int (*prepare)(struct loom_move *move);
	/**
	 * @run: submit the move; the device owns it until loom_moves_complete(). Fence safe,
	 * and must not wait for its end. Called again after a reset for a move that had
	 * not ended
	 */
	void (*run)(struct loom_move *move);
	/**
	 * @release: undo @prepare; fence safe. The device does not own the move, or is
	 * stopped; it may be unplugged
	 */
	void (*release)(struct loom_move *move);
};

/*
 * Calls that a back end must make:
 *
 * - loom_moves_complete() for completion records of moves, from a thread that may sleep;
 * - loom_device_hide() and loom_device_show() around anything that makes its memory invisible to
 *   the processor (a reset of the function), in &loom_backend.reset;
 * - loom_device_move_out() when the system is about to sleep in a way that loses the memory;
 * - loom_device_reset_prepare() and loom_device_reset_done() when the bus resets it on request.
 */
int loom_moves_complete(struct loom_device *loom, u64 id, u32 epoch, bool failed);
void loom_device_hide(struct loom_device *loom);
void loom_device_show(struct loom_device *loom);
int loom_device_move_out(struct device *dev);
void loom_device_reset_prepare(struct device *dev);
void loom_device_reset_done(struct device *dev);

/* Pointer to &loom_move.run, which the back end owns. */
void **loom_move_data(struct loom_move *move);
struct loom_device *loom_move_device(const struct loom_move *move);
u64 loom_move_id(const struct loom_move *move);
enum loom_move_kind loom_move_direction(const struct loom_move *move);
u64 loom_move_bytes(const struct loom_move *move);
void loom_move_piece(const struct loom_move *move, u64 at, struct loom_move_piece *piece);

#endif /* LOOM_BACKEND_MEMORY_H */
