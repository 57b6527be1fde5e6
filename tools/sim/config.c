// SPDX-License-Identifier: MIT
#include "config.h"

#include <linux/pci_regs.h>

#include "pci/regs.h"

/* Where the capabilities are. */
#define CONFIG_MSI	0x40
#define CONFIG_POWER	0x50
#define CONFIG_EXPRESS	0x60

static void config_set(struct sim_config *config, u32 offset, u32 value, u32 bytes)
{
	/* little endian, as all of PCI */
	for (; bytes--; value >>= 8)
		config->bytes[offset++] = value;
}

static u32 config_get(const struct sim_config *config, u32 offset, u32 bytes)
{
	u32 value = 0;

	while (bytes--)
		value = value << 8 | config->bytes[offset + bytes];
	return value;
}

/* One vector, with an address of 64 bits. No INTx: the pin is zero. */
static void config_init_msi(struct sim_config *config)
{
	config_set(config, CONFIG_MSI, PCI_CAP_ID_MSI | CONFIG_POWER << 8, 2);
	config_set(config, CONFIG_MSI + PCI_MSI_FLAGS, PCI_MSI_FLAGS_64BIT, 2);
}

/* D0 and D3hot, which forgets everything: No_Soft_Reset is not set. */
static void config_init_power(struct sim_config *config)
{
	config_set(config, CONFIG_POWER, PCI_CAP_ID_PM | CONFIG_EXPRESS << 8, 2);
	config_set(config, CONFIG_POWER + PCI_PM_PMC, 3, 2);
}

static void config_init_express(struct sim_config *config)
{
	config_set(config, CONFIG_EXPRESS, PCI_CAP_ID_EXP, 2);
	config_set(config, CONFIG_EXPRESS + PCI_EXP_FLAGS, 2, 2);
	config_set(config, CONFIG_EXPRESS + PCI_EXP_DEVCAP, PCI_EXP_DEVCAP_RBER |
		   PCI_EXP_DEVCAP_FLR, 4);
	config_set(config, CONFIG_EXPRESS + PCI_EXP_LNKCAP, 0x11, 4);
	config_set(config, CONFIG_EXPRESS + PCI_EXP_LNKSTA, 0x11, 2);
}

void sim_config_init(struct sim_config *config, u64 bar)
{
	memset(config, 0, sizeof(*config));
	config->bar = bar;
	config_set(config, PCI_VENDOR_ID, LOOM_PCI_VENDOR, 2);
	config_set(config, PCI_DEVICE_ID, LOOM_PCI_DEVICE, 2);
	config_set(config, PCI_STATUS, PCI_STATUS_CAP_LIST, 2);
	config_set(config, PCI_CLASS_REVISION, LOOM_PCI_CLASS << 8 | LOOM_PCI_VERSION_MAJOR, 4);
	config_set(config, PCI_BASE_ADDRESS_2,
		   PCI_BASE_ADDRESS_MEM_TYPE_64 | PCI_BASE_ADDRESS_MEM_PREFETCH, 4);
	config_set(config, PCI_SUBSYSTEM_VENDOR_ID, LOOM_PCI_VENDOR, 2);
	config_set(config, PCI_SUBSYSTEM_ID, LOOM_PCI_DEVICE, 2);
	config_set(config, PCI_CAPABILITY_LIST, CONFIG_MSI, 1);
	config_init_msi(config);
	config_init_power(config);
	config_init_express(config);
}

/**
 * struct config_field - bits that the host may write
 * @offset: where
 * @bytes: how many
 * @mask: which bits
 */
struct config_field {
	u32 offset;
	u32 bytes;
	u32 mask;
};

static const struct config_field config_fields[] = {
	{ PCI_COMMAND, 2, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_SERR |
			  PCI_COMMAND_INTX_DISABLE },
	{ PCI_CACHE_LINE_SIZE, 1, 0xff },
	{ PCI_BASE_ADDRESS_0, 4, ~(LOOM_PCI_REGS_BYTES - 1U) },
	{ PCI_INTERRUPT_LINE, 1, 0xff },
	{ CONFIG_MSI + PCI_MSI_FLAGS, 2, PCI_MSI_FLAGS_ENABLE },
	{ CONFIG_MSI + PCI_MSI_ADDRESS_LO, 4, 0xfffffffc },
	{ CONFIG_MSI + PCI_MSI_ADDRESS_HI, 4, 0xffffffff },
	{ CONFIG_MSI + PCI_MSI_DATA_64, 2, 0xffff },
	{ CONFIG_POWER + PCI_PM_CTRL, 2, PCI_PM_CTRL_STATE_MASK },
	{ CONFIG_EXPRESS + PCI_EXP_DEVCTL, 2, 0x7fff },
};

static void config_write_field(struct sim_config *config, u32 offset, u32 bytes, u32 mask,
			       u32 at, const u8 *data, u32 count)
{
	u32 i;

	for (i = 0; i < bytes; i++) {
		u8 bits = mask >> 8 * i;

		if (offset + i < at || offset + i >= at + count)
			continue;
		config->bytes[offset + i] &= ~bits;
		config->bytes[offset + i] |= data[offset + i - at] & bits;
	}
}

static bool config_covers(u32 offset, u32 at, u32 count)
{
	return offset >= at && offset < at + count;
}

enum config_event sim_config_write(struct sim_config *config, u32 offset, const u8 *data,
				   u32 count)
{
	u32 power = config_get(config, CONFIG_POWER + PCI_PM_CTRL, 2) & PCI_PM_CTRL_STATE_MASK;
	u32 high = CONFIG_EXPRESS + PCI_EXP_DEVCTL + 1, was = power;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(config_fields); i++)
		config_write_field(config, config_fields[i].offset, config_fields[i].bytes,
				   config_fields[i].mask, offset, data, count);
	/* writing ones tells the size */
	config_write_field(config, PCI_BASE_ADDRESS_2, 4, ~(u32)(config->bar - 1), offset, data,
			   count);
	config_write_field(config, PCI_BASE_ADDRESS_3, 4, ~(u32)((config->bar - 1) >> 32), offset,
			   data, count);
	if (config_covers(high, offset, count) &&
	    data[high - offset] & (PCI_EXP_DEVCTL_BCR_FLR >> 8))
		return CONFIG_FUNCTION_RESET;
	power = config_get(config, CONFIG_POWER + PCI_PM_CTRL, 2) & PCI_PM_CTRL_STATE_MASK;
	if (!was != !power)
		return power ? CONFIG_POWER_OFF : CONFIG_POWER_ON;
	return CONFIG_NOTHING;
}

bool sim_config_is_master(const struct sim_config *config)
{
	return config_get(config, PCI_COMMAND, 2) & PCI_COMMAND_MASTER;
}
