/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_PCI_H
#define LOOM_PCI_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "backend/memory.h"
#include "loom_device.h"
#include "regs.h"
#include "ring.h"

struct loom_device;
struct pci_dev;

/* Limits of jobs and of moves on the device. */
#define LOOM_PCI_JOBS		8
#define LOOM_PCI_MOVES		64
/* Limit of plans, in addition to that of the device. */
#define LOOM_PCI_PLANS		4096

/**
 * struct loom_pci_map - addresses of the banks of a region in local memory
 */
struct loom_pci_map {
	/** @base: of bank 0 */
	u64 base;
	/** @pitch: from a bank to the next */
	u64 pitch;
};

/**
 * struct loom_pci - a device on the bus
 *
 * Freed when the driver is unbound and the last reference to the DRM device is dropped. Mappings
 * for the processor or the device are undone when the driver is unbound.
 */
struct loom_pci {
	/** @ref: held by the bus driver and by the DRM device */
	struct kref ref;
	/** @pdev: the function; must not be touched once the driver is unbound */
	struct pci_dev *pdev;
	/** @loom: base; set in init, then constant */
	struct loom_device *loom;
	/** @config: its description, checked; constant */
	struct loom_device_config config;
	/** @regs: BAR0, constant */
	void __iomem *regs;
	/** @irq: number of its interrupt, constant */
	int irq;
	/** @window: bus address of BAR2 as the processor sees it, constant */
	phys_addr_t window;
	/** @window_bytes: size of the window, constant */
	u64 window_bytes;
	/** @memory: the window, mapped for the kernel to clear new buffers; constant */
	void __iomem *memory;
	/** @map: by region, checked; constant */
	struct loom_pci_map map[DRM_LOOM_REGION_COUNT];
	/** @firmware: version, constant */
	u32 firmware;
	/** @plan_limit: numbers of plans are below it, constant */
	u32 plan_limit;
	/** @queues: numbers of queues are below it, constant */
	u32 queues;
	/** @epoch: the last epoch given to the device; accessed in start and reset only */
	u32 epoch;
	/** @shared_lock: protects @shared, and the number of users of each */
	spinlock_t shared_lock;
	/** @shared: &struct loom_pci_shared in use by jobs */
	struct list_head shared;
	/** @ring: descriptors and records */
	struct loom_pci_ring ring;
	/** @plan_lock: protects @plans, @plan_numbers and &loom_pci_plan.mapped */
	struct mutex plan_lock;
	/** @plans: &struct loom_pci_plan that have a number */
	struct list_head plans;
	/** @plan_numbers: bitmap of numbers in use */
	unsigned long *plan_numbers;
	/** @plan_work: frees destroyed plans that the device may have been reading */
	struct work_struct plan_work;
	/** @heartbeat: checks the device every second, from start to stop */
	struct delayed_work heartbeat;
	/** @beats: HEARTBEAT at the last check; accessed by @heartbeat only */
	u32 beats;
	/** @silent: number of checks since the last change; accessed by @heartbeat only */
	u32 silent;
};

static inline struct loom_pci *to_loom_pci(const struct loom_device *loom)
{
	return loom->backend_data;
}

/* chip.c */
int loom_pci_chip_read(struct loom_pci *pci);

/* device.c */
u64 loom_pci_read64(struct loom_pci *pci, u32 offset);
int loom_pci_init(struct loom_device *loom);
int loom_pci_start(struct loom_device *loom);
void loom_pci_stop(struct loom_device *loom, enum loom_stop_reason why);
int loom_pci_reset(struct loom_device *loom);
void loom_pci_poll(struct loom_device *loom);
void loom_pci_dump(struct loom_device *loom, struct drm_printer *p);
void loom_pci_put(struct loom_pci *pci);

/* memory.c */
bool loom_pci_memory_pfn(struct loom_device *loom, u32 region, u32 bank, u64 address,
			 unsigned long *pfn);
bool loom_pci_memory_clear(struct loom_device *loom, u32 region, u32 bank, u64 address,
			   u64 bytes);

/* move.c */
int loom_pci_move_prepare(struct loom_move *move);
void loom_pci_move_run(struct loom_move *move);
void loom_pci_move_release(struct loom_move *move);

/* job.c */
int loom_pci_job_prepare(struct loom_job *job);
int loom_pci_job_emit(struct loom_job *job);
void loom_pci_job_unmap(struct loom_job *job);
void loom_pci_job_run(struct loom_job *job);
void loom_pci_job_progress(struct loom_job *job, struct loom_job_position *position);
void loom_pci_job_stop(struct loom_job *job);
void loom_pci_job_reset(struct loom_job *job);
void loom_pci_job_release(struct loom_job *job);

/* sensor.c */
int loom_pci_sensor_init(struct loom_pci *pci);

#endif /* LOOM_PCI_H */
