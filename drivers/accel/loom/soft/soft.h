/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_SOFT_H
#define LOOM_SOFT_H

int loom_soft_module_init(void);
void loom_soft_module_exit(void);

#endif /* LOOM_SOFT_H */
