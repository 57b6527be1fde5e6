// SPDX-License-Identifier: GPL-2.0
#include <linux/cleanup.h>
#include <linux/configfs.h>
#include <linux/device.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/slab.h>

#include "backend/presets.h"
#include "loom_device.h"
#include "loom_quota.h"
#include "soft.h"
#include "team.h"

/**
 * DOC: Soft devices of any shape
 *
 * A folder in /sys/kernel/config/loom/ is a description of a chip, in which each field of &struct
 * drm_loom_chip is a file with one number: of the chip, of its regions (folders dram, sram, rom),
 * and of its types (folders types/f32 and so on). The defaults are the preset "soft", with the caps
 * and the timeout of the module parameters. Writing 1 to the file "live" creates a device, whose
 * node is named in the file "node"; writing 0 unplugs it, and so does removing the folder.
 *
 * Fields are not checked against others when they are written: the whole is checked when the device
 * is created, and the debug log names the invalid field. While a device is live its fields cannot
 * change (EBUSY).
 *
 * If a device cannot be created, writing "live" returns the error of its probe. The bus does not
 * return it, so the driver stores it in the platform data: ENOMEM, or EBUSY if all numbers of accel
 * nodes are in use. ENXIO means that the kernel has not probed it.
 *
 * Each device is a platform device with a copy of the description as its platform data, so that it
 * can outlive the folder while its node is open. It can be unbound from its driver through sysfs
 * like the first one, which has no folder; "live" does not change by that, and "node" is empty
 * meanwhile.
 *
 * Folders pin the module, as for all users of configfs: they must be removed before it can be
 * unloaded.
 *
 * Rejected: one file with the whole structure. It is half the code, but not readable, and a shell
 * could not write it. Rejected, too: refusing to remove the folder of a live device; configfs has
 * no way to.
 */

/* Subfolder of a region or a type. */
struct loom_config_part {
	struct config_group group;
	struct loom_config *config;
};

/**
 * struct loom_config - a folder and its device
 */
struct loom_config {
	/** @group: base */
	struct config_group group;
	/** @regions: its folders, by &enum drm_loom_region */
	struct loom_config_part regions[DRM_LOOM_REGION_COUNT];
	/** @types: the folder of types */
	struct config_group types;
	/** @type: folders in there, by &enum drm_loom_dtype; 0 is unused */
	struct loom_config_part type[DRM_LOOM_DTYPE_END];
	/** @lock: protects the fields below */
	struct mutex lock;
	/** @soft: description of the next device */
	struct loom_soft_data soft;
	/** @pdev: the device, or NULL; @soft must not change while there is one */
	struct platform_device *pdev;
};

static const char * const loom_config_types[DRM_LOOM_DTYPE_END] = {
	[DRM_LOOM_DTYPE_F32] = "f32", [DRM_LOOM_DTYPE_F16] = "f16", [DRM_LOOM_DTYPE_F64] = "f64",
	[DRM_LOOM_DTYPE_I8] = "i8", [DRM_LOOM_DTYPE_U8] = "u8", [DRM_LOOM_DTYPE_I16] = "i16",
	[DRM_LOOM_DTYPE_U16] = "u16", [DRM_LOOM_DTYPE_I32] = "i32", [DRM_LOOM_DTYPE_U32] = "u32",
	[DRM_LOOM_DTYPE_I64] = "i64", [DRM_LOOM_DTYPE_U64] = "u64", [DRM_LOOM_DTYPE_BOOL] = "bool",
};

static struct loom_config *to_loom_config(struct config_item *item)
{
	return container_of(to_config_group(item), struct loom_config, group);
}

static struct loom_config_part *to_loom_config_part(struct config_item *item)
{
	return container_of(to_config_group(item), struct loom_config_part, group);
}

/* ----------------------------------------------------------------- figures */

/**
 * struct loom_config_figure - a file with a number
 * @part: returns the structure with the number and its &struct loom_config, for the item of its
 *	folder
 * @offset: in that structure
 * @bits: 32 or 64
 */
struct loom_config_figure {
	void *(*part)(struct config_item *item, struct loom_config **config);
	size_t offset;
	u32 bits;
};

static ssize_t loom_config_show(const struct loom_config_figure *figure, struct config_item *item,
				char *page)
{
	struct loom_config *config;
	void *at = figure->part(item, &config) + figure->offset;

	guard(mutex)(&config->lock);
	return sysfs_emit(page, "%llu\n", figure->bits == 64 ? *(u64 *)at : *(u32 *)at);
}

static ssize_t loom_config_store(const struct loom_config_figure *figure, struct config_item *item,
				 const char *page, size_t count)
{
	struct loom_config *config;
	void *at = figure->part(item, &config) + figure->offset;
	u64 value;
	int ret = kstrtou64(page, 0, &value);

	if (ret)
		return ret;
	if (figure->bits == 32 && value > U32_MAX)
		return -ERANGE;
	guard(mutex)(&config->lock);
	if (config->pdev)
		return -EBUSY;
	if (figure->bits == 64)
		*(u64 *)at = value;
	else
		*(u32 *)at = value;
	return count;
}

/* Define the file of @_name in the structure that loom_config_PART() returns. */
#define LOOM_CONFIG_FIGURE(_part, _type, _name, _bits)				\
static const struct loom_config_figure loom_config_##_part##_figure_##_name = {	\
	.part = loom_config_##_part,						\
	.offset = offsetof(_type, _name),					\
	.bits = _bits,								\
};										\
static ssize_t loom_config_##_part##_##_name##_show(struct config_item *item, char *page)	\
{										\
	return loom_config_show(&loom_config_##_part##_figure_##_name, item, page);	\
}										\
static ssize_t loom_config_##_part##_##_name##_store(struct config_item *item,	\
						     const char *page, size_t count)	\
{										\
	return loom_config_store(&loom_config_##_part##_figure_##_name, item, page, count); \
}										\
static struct configfs_attribute loom_config_##_part##_attr_##_name = {		\
	.ca_name = #_name,							\
	.ca_mode = 0644,							\
	.ca_owner = THIS_MODULE,						\
	.show = loom_config_##_part##_##_name##_show,				\
	.store = loom_config_##_part##_##_name##_store,				\
}

static void *loom_config_chip(struct config_item *item, struct loom_config **config)
{
	*config = to_loom_config(item);
	return &(*config)->soft.device.chip;
}

static void *loom_config_caps(struct config_item *item, struct loom_config **config)
{
	*config = to_loom_config(item);
	return &(*config)->soft.device.caps;
}

static void *loom_config_device(struct config_item *item, struct loom_config **config)
{
	*config = to_loom_config(item);
	return &(*config)->soft.device;
}

static void *loom_config_soft(struct config_item *item, struct loom_config **config)
{
	*config = to_loom_config(item);
	return &(*config)->soft;
}

static void *loom_config_region(struct config_item *item, struct loom_config **config)
{
	struct loom_config_part *part = to_loom_config_part(item);

	*config = part->config;
	return &part->config->soft.device.chip.region[part - part->config->regions];
}

static void *loom_config_type(struct config_item *item, struct loom_config **config)
{
	struct loom_config_part *part = to_loom_config_part(item);

	*config = part->config;
	return &part->config->soft.device.chip.type[part - part->config->type];
}

static void *loom_config_array(struct config_item *item, struct loom_config **config)
{
	struct loom_config_part *part = to_loom_config_part(item);

	*config = part->config;
	return &part->config->soft.device.chip.array[part - part->config->type];
}

static void *loom_config_vector(struct config_item *item, struct loom_config **config)
{
	struct loom_config_part *part = to_loom_config_part(item);

	*config = part->config;
	return &part->config->soft.device.chip.vector[part - part->config->type];
}

#define FIGURE(_name, _bits) \
	LOOM_CONFIG_FIGURE(chip, struct drm_loom_chip, _name, _bits)
FIGURE(dtypes, 32);
FIGURE(flags, 32);
FIGURE(opcodes, 64);
FIGURE(frequency_hz, 64);
FIGURE(compute_units, 32);
FIGURE(dma_start, 32);
FIGURE(compute_start, 32);
FIGURE(storage_banks, 32);
#undef FIGURE

#define FIGURE(_name, _bits) \
	LOOM_CONFIG_FIGURE(caps, struct loom_quota_caps, _name, _bits)
FIGURE(max_bytes, 64);
FIGURE(max_file_bytes, 64);
FIGURE(max_plans_bytes, 64);
FIGURE(max_file_plans_bytes, 64);
FIGURE(max_file_jobs, 32);
FIGURE(max_file_contexts, 32);
#undef FIGURE

LOOM_CONFIG_FIGURE(device, struct loom_device_config, job_timeout_ms, 32);
LOOM_CONFIG_FIGURE(soft, struct loom_soft_data, threads, 32);

#define FIGURE(_name, _bits) \
	LOOM_CONFIG_FIGURE(region, struct drm_loom_chip_region, _name, _bits)
FIGURE(banks, 32);
FIGURE(sub_banks, 32);
FIGURE(bank_bytes, 64);
FIGURE(reserved_bytes, 64);
FIGURE(align_bytes, 64);
FIGURE(floor_bytes, 64);
FIGURE(flags, 32);
FIGURE(burst_bytes, 32);
FIGURE(read_rate, 32);
FIGURE(write_rate, 32);
FIGURE(read_latency, 32);
FIGURE(write_latency, 32);
FIGURE(read_energy, 32);
FIGURE(write_energy, 32);
#undef FIGURE

static struct configfs_attribute *loom_config_region_attrs[] = {
	&loom_config_region_attr_banks,
	&loom_config_region_attr_sub_banks,
	&loom_config_region_attr_bank_bytes,
	&loom_config_region_attr_reserved_bytes,
	&loom_config_region_attr_align_bytes,
	&loom_config_region_attr_floor_bytes,
	&loom_config_region_attr_flags,
	&loom_config_region_attr_burst_bytes,
	&loom_config_region_attr_read_rate,
	&loom_config_region_attr_write_rate,
	&loom_config_region_attr_read_latency,
	&loom_config_region_attr_write_latency,
	&loom_config_region_attr_read_energy,
	&loom_config_region_attr_write_energy,
	NULL
};

#define FIGURE(_name, _bits) \
	LOOM_CONFIG_FIGURE(type, struct drm_loom_chip_type, _name, _bits)
FIGURE(mac_rate, 32);
FIGURE(op_rate, 32);
FIGURE(mac_energy, 32);
FIGURE(op_energy, 32);
#undef FIGURE

#define FIGURE(_name, _bits) \
	LOOM_CONFIG_FIGURE(array, struct drm_loom_chip_array, _name, _bits)
FIGURE(in_channels, 32);
FIGURE(out_channels, 32);
FIGURE(positions, 32);
FIGURE(depthwise_rate, 32);
#undef FIGURE

#define FIGURE(_name, _bits) \
	LOOM_CONFIG_FIGURE(vector, struct drm_loom_chip_vector, _name, _bits)
FIGURE(pool_rate, 32);
FIGURE(element_rate, 32);
#undef FIGURE

static struct configfs_attribute *loom_config_type_attrs[] = {
	&loom_config_type_attr_mac_rate,
	&loom_config_type_attr_op_rate,
	&loom_config_type_attr_mac_energy,
	&loom_config_type_attr_op_energy,
	&loom_config_array_attr_in_channels,
	&loom_config_array_attr_out_channels,
	&loom_config_array_attr_positions,
	&loom_config_array_attr_depthwise_rate,
	&loom_config_vector_attr_pool_rate,
	&loom_config_vector_attr_element_rate,
	NULL
};

static ssize_t loom_config_name_show(struct config_item *item, char *page)
{
	struct loom_config *config = to_loom_config(item);

	guard(mutex)(&config->lock);
	return sysfs_emit(page, "%s\n", config->soft.device.chip.name);
}

static ssize_t loom_config_name_store(struct config_item *item, const char *page, size_t count)
{
	struct loom_config *config = to_loom_config(item);
	size_t length = strcspn(page, "\n");

	if (length >= sizeof(config->soft.device.chip.name))
		return -EINVAL;
	guard(mutex)(&config->lock);
	if (config->pdev)
		return -EBUSY;
	memset(config->soft.device.chip.name, 0, sizeof(config->soft.device.chip.name));
	memcpy(config->soft.device.chip.name, page, length);
	return count;
}

CONFIGFS_ATTR(loom_config_, name);

/* ------------------------------------------------------------------ device */

/* File name of a field. */
static const char *loom_config_key(enum loom_chip_key key)
{
	static const char * const names[] = {
		[LOOM_CHIP_KEY_NAME] = "name", [LOOM_CHIP_KEY_DTYPES] = "dtypes",
		[LOOM_CHIP_KEY_FLAGS] = "flags", [LOOM_CHIP_KEY_OPCODES] = "opcodes",
		[LOOM_CHIP_KEY_FREQUENCY] = "frequency_hz",
		[LOOM_CHIP_KEY_COMPUTE_UNITS] = "compute_units",
		[LOOM_CHIP_KEY_DMA_START] = "dma_start",
		[LOOM_CHIP_KEY_COMPUTE_START] = "compute_start",
		[LOOM_CHIP_KEY_STORAGE_BANKS] = "storage_banks",
		[LOOM_CHIP_KEY_BANKS] = "banks", [LOOM_CHIP_KEY_SUB_BANKS] = "sub_banks",
		[LOOM_CHIP_KEY_BANK_BYTES] = "bank_bytes",
		[LOOM_CHIP_KEY_RESERVED_BYTES] = "reserved_bytes",
		[LOOM_CHIP_KEY_ALIGN_BYTES] = "align_bytes",
		[LOOM_CHIP_KEY_FLOOR_BYTES] = "floor_bytes",
		[LOOM_CHIP_KEY_BURST_BYTES] = "burst_bytes",
		[LOOM_CHIP_KEY_READ_RATE] = "read_rate", [LOOM_CHIP_KEY_WRITE_RATE] = "write_rate",
		[LOOM_CHIP_KEY_READ_LATENCY] = "read_latency",
		[LOOM_CHIP_KEY_WRITE_LATENCY] = "write_latency",
		[LOOM_CHIP_KEY_READ_ENERGY] = "read_energy",
		[LOOM_CHIP_KEY_WRITE_ENERGY] = "write_energy",
		[LOOM_CHIP_KEY_MAC_RATE] = "mac_rate", [LOOM_CHIP_KEY_OP_RATE] = "op_rate",
		[LOOM_CHIP_KEY_MAC_ENERGY] = "mac_energy",
		[LOOM_CHIP_KEY_OP_ENERGY] = "op_energy",
		[LOOM_CHIP_KEY_IN_CHANNELS] = "in_channels",
		[LOOM_CHIP_KEY_OUT_CHANNELS] = "out_channels",
		[LOOM_CHIP_KEY_POSITIONS] = "positions",
		[LOOM_CHIP_KEY_DEPTHWISE_RATE] = "depthwise_rate",
		[LOOM_CHIP_KEY_POOL_RATE] = "pool_rate",
		[LOOM_CHIP_KEY_ELEMENT_RATE] = "element_rate",
	};

	return key < ARRAY_SIZE(names) && names[key] ? names[key] : "?";
}

static void loom_config_log_fault(struct loom_config *config,
				  const struct loom_chip_fault *fault)
{
	const char *folder = "", *slash = "", *part = "";

	if (fault->region < DRM_LOOM_REGION_COUNT) {
		part = loom_region_names[fault->region];
		slash = "/";
	} else if (fault->type && fault->type < DRM_LOOM_DTYPE_END) {
		folder = "types/";
		part = loom_config_types[fault->type];
		slash = "/";
	}
	pr_debug("loom: %s/%s%s%s%s %s\n", config_item_name(&config->group.cg_item), folder, part,
		 slash, loom_config_key(fault->key), fault->text);
}

static int loom_config_plug_locked(struct loom_config *config)
{
	const struct loom_soft_data *data;
	struct loom_chip_fault fault;
	struct platform_device *pdev;
	int ret;

	lockdep_assert_held(&config->lock);
	if (loom_chip_check(&config->soft.device.chip, &fault)) {
		loom_config_log_fault(config, &fault);
		return -EINVAL;
	}
	if (!config->soft.threads || config->soft.threads > LOOM_SOFT_THREADS) {
		pr_debug("loom: %s/threads is not 1 to %d\n",
			 config_item_name(&config->group.cg_item), LOOM_SOFT_THREADS);
		return -EINVAL;
	}
	if (!config->soft.device.job_timeout_ms || config->soft.device.job_timeout_ms > INT_MAX) {
		pr_debug("loom: %s/job_timeout_ms is not 1 to %d\n",
			 config_item_name(&config->group.cg_item), INT_MAX);
		return -EINVAL;
	}
	config->soft.probe_ret = -ENXIO;
	pdev = platform_device_register_data(NULL, LOOM_SOFT_NAME, PLATFORM_DEVID_AUTO,
					     &config->soft, sizeof(config->soft));
	if (IS_ERR(pdev))
		return PTR_ERR(pdev);
	/* probing has ended; the bus does not return its error */
	if (!dev_get_drvdata(&pdev->dev)) {
		data = dev_get_platdata(&pdev->dev);
		ret = READ_ONCE(data->probe_ret);
		platform_device_unregister(pdev);
		return ret ?: -ENXIO;
	}
	config->pdev = pdev;
	return 0;
}

static void loom_config_unplug_locked(struct loom_config *config)
{
	lockdep_assert_held(&config->lock);
	if (config->pdev)
		platform_device_unregister(config->pdev);
	config->pdev = NULL;
}

static ssize_t loom_config_live_show(struct config_item *item, char *page)
{
	struct loom_config *config = to_loom_config(item);

	guard(mutex)(&config->lock);
	return sysfs_emit(page, "%d\n", !!config->pdev);
}

static ssize_t loom_config_live_store(struct config_item *item, const char *page, size_t count)
{
	struct loom_config *config = to_loom_config(item);
	bool live;
	int ret = kstrtobool(page, &live);

	if (ret)
		return ret;
	guard(mutex)(&config->lock);
	if (!live)
		loom_config_unplug_locked(config);
	else if (!config->pdev)
		ret = loom_config_plug_locked(config);
	return ret ?: count;
}

CONFIGFS_ATTR(loom_config_, live);

static ssize_t loom_config_node_show(struct config_item *item, char *page)
{
	struct loom_config *config = to_loom_config(item);
	struct loom_device *loom = NULL;

	guard(mutex)(&config->lock);
	if (!config->pdev)
		return sysfs_emit(page, "\n");
	/* excludes unbinding through sysfs */
	guard(device)(&config->pdev->dev);
	loom = dev_get_drvdata(&config->pdev->dev);
	if (!loom)
		return sysfs_emit(page, "\n");
	return sysfs_emit(page, "accel%u\n", loom_device_index(loom));
}

CONFIGFS_ATTR_RO(loom_config_, node);

static struct configfs_attribute *loom_config_attrs[] = {
	&loom_config_attr_name,
	&loom_config_chip_attr_dtypes,
	&loom_config_chip_attr_flags,
	&loom_config_chip_attr_opcodes,
	&loom_config_chip_attr_frequency_hz,
	&loom_config_chip_attr_compute_units,
	&loom_config_chip_attr_dma_start,
	&loom_config_chip_attr_compute_start,
	&loom_config_chip_attr_storage_banks,
	&loom_config_caps_attr_max_bytes,
	&loom_config_caps_attr_max_file_bytes,
	&loom_config_caps_attr_max_plans_bytes,
	&loom_config_caps_attr_max_file_plans_bytes,
	&loom_config_caps_attr_max_file_jobs,
	&loom_config_caps_attr_max_file_contexts,
	&loom_config_device_attr_job_timeout_ms,
	&loom_config_soft_attr_threads,
	&loom_config_attr_live,
	&loom_config_attr_node,
	NULL
};

/* ----------------------------------------------------------------- folders */

static void loom_config_release(struct config_item *item)
{
	struct loom_config *config = to_loom_config(item);

	mutex_destroy(&config->lock);
	kfree(config);
}

static struct configfs_item_operations loom_config_item_ops = {
	.release = loom_config_release,
};

static const struct config_item_type loom_config_item_type = {
	.ct_owner = THIS_MODULE,
	.ct_item_ops = &loom_config_item_ops,
	.ct_attrs = loom_config_attrs,
};

static const struct config_item_type loom_config_region_item_type = {
	.ct_owner = THIS_MODULE,
	.ct_attrs = loom_config_region_attrs,
};

static const struct config_item_type loom_config_type_item_type = {
	.ct_owner = THIS_MODULE,
	.ct_attrs = loom_config_type_attrs,
};

static const struct config_item_type loom_config_types_item_type = {
	.ct_owner = THIS_MODULE,
};

/* Default groups have no reference of their own: they are removed with their folder. */
static void loom_config_add_part(struct loom_config *config, struct loom_config_part *part,
				 struct config_group *parent, const char *name,
				 const struct config_item_type *type)
{
	part->config = config;
	config_group_init_type_name(&part->group, name, type);
	configfs_add_default_group(&part->group, parent);
}

static struct config_group *loom_config_make(struct config_group *group, const char *name)
{
	struct loom_config *config = kzalloc(sizeof(*config), GFP_KERNEL);
	u32 i;

	if (!config)
		return ERR_PTR(-ENOMEM);
	mutex_init(&config->lock);
	config->soft.device.chip = *loom_preset_get(0);
	config->soft.device.has_caps = true;
	config->soft.device.caps = loom_quota_params;
	config->soft.device.job_timeout_ms = loom_device_param_job_timeout_ms();
	config->soft.threads = loom_presets_threads();
	config_group_init_type_name(&config->group, name, &loom_config_item_type);
	for (i = 0; i < DRM_LOOM_REGION_COUNT; i++)
		loom_config_add_part(config, &config->regions[i], &config->group,
				     loom_region_names[i], &loom_config_region_item_type);
	config_group_init_type_name(&config->types, "types", &loom_config_types_item_type);
	configfs_add_default_group(&config->types, &config->group);
	for (i = 1; i < DRM_LOOM_DTYPE_END; i++)
		loom_config_add_part(config, &config->type[i], &config->types,
				     loom_config_types[i], &loom_config_type_item_type);
	return &config->group;
}

static void loom_config_drop(struct config_group *group, struct config_item *item)
{
	struct loom_config *config = to_loom_config(item);

	scoped_guard(mutex, &config->lock)
		loom_config_unplug_locked(config);
	config_item_put(item);
}

static struct configfs_group_operations loom_config_group_ops = {
	.make_group = loom_config_make,
	.drop_item = loom_config_drop,
};

static const struct config_item_type loom_config_root_type = {
	.ct_owner = THIS_MODULE,
	.ct_group_ops = &loom_config_group_ops,
};

static struct configfs_subsystem loom_config_subsystem = {
	.su_group = {
		.cg_item = {
			.ci_namebuf = "loom",
			.ci_type = &loom_config_root_type,
		},
	},
	.su_mutex = __MUTEX_INITIALIZER(loom_config_subsystem.su_mutex),
};

/**
 * loom_config_module_init() - create the folder "loom"
 *
 * Return: 0 or -errno.
 */
int loom_config_module_init(void)
{
	config_group_init(&loom_config_subsystem.su_group);
	return configfs_register_subsystem(&loom_config_subsystem);
}

/**
 * loom_config_module_exit() - remove the folder "loom", which must be empty
 */
void loom_config_module_exit(void)
{
	configfs_unregister_subsystem(&loom_config_subsystem);
}
