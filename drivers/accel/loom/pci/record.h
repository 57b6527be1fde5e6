/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_PCI_RECORD_H
#define LOOM_PCI_RECORD_H

#include <linux/irqreturn.h>
#include <linux/types.h>

struct loom_pci;

u32 loom_pci_record_process(struct loom_pci *pci);
bool loom_pci_record_is_skipped(struct loom_pci *pci);
irqreturn_t loom_pci_record_interrupt(int irq, void *data);
void loom_pci_record_forget(struct loom_pci *pci);

#endif /* LOOM_PCI_RECORD_H */
