// SPDX-License-Identifier: MIT
/*
 * Devices. ONNX Runtime finds a Loom on the bus among its hardware. Other nodes are reported to it
 * as virtual devices; without any node, this process is the device.
 */
#include "ort.h"

#include "loom_device.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <onnxruntime_ep_device_ep_metadata_keys.h>

#define ACCEL_CLASS	"/sys/class/accel"

/* as in drivers/accel/loom/pci/regs.h; also used for virtual devices */
#define VENDOR_ID	0x4c4f
#define DEVICE_ID	0x4f4d

/* metadata key: the argument of loom_target_open() */
#define KEY_NODE	"loom_device"

/**
 * struct devices - a list under construction
 * @factory: its owner
 * @made: virtual devices
 * @list: all devices
 * @max: capacity of both
 * @count: number of @list
 */
struct devices {
	OrtEpFactory *factory;
	OrtHardwareDevice **made;
	OrtEpDevice **list;
	size_t max;
	size_t count;
};

static OrtStatus *add(struct devices *devices, const OrtHardwareDevice *hardware, const char *node)
{
	const OrtApi *api = loom_ort.api;
	OrtKeyValuePairs *metadata;
	OrtStatus *status;

	api->CreateKeyValuePairs(&metadata);
	api->AddKeyValuePair(metadata, KEY_NODE, node);
	status = loom_ort.ep->CreateEpDevice(devices->factory, hardware, metadata, NULL,
					     &devices->list[devices->count]);
	api->ReleaseKeyValuePairs(metadata);
	if (!status)
		devices->count++;
	return status;
}

static OrtStatus *make(struct devices *devices, const char *node)
{
	OrtHardwareDevice **made = &devices->made[devices->count];
	const OrtApi *api = loom_ort.api;
	OrtKeyValuePairs *metadata;
	OrtStatus *status;

	api->CreateKeyValuePairs(&metadata);
	api->AddKeyValuePair(metadata, kOrtHardwareDevice_MetadataKey_IsVirtual, "1");
	status = loom_ort.ep->CreateHardwareDevice(OrtHardwareDeviceType_NPU, VENDOR_ID, DEVICE_ID,
						   LOOM_ORT_VENDOR, metadata, made);
	api->ReleaseKeyValuePairs(metadata);
	return status ? status : add(devices, *made, node);
}

/* Whether a node belongs to Loom, and whether it is on the bus. */
static bool is_loom(const char *path, const char *name, bool *on_bus)
{
	char link[320], target[320];
	struct loom_device *device;
	const char *base;
	ssize_t length;

	if (loom_device_open(path, &device))
		return false;
	loom_device_close(device);
	snprintf(link, sizeof(link), ACCEL_CLASS "/%s/device/subsystem", name);
	length = readlink(link, target, sizeof(target) - 1);
	target[length > 0 ? length : 0] = '\0';
	base = strrchr(target, '/');
	*on_bus = base && !strcmp(base, "/pci");
	return true;
}

static int is_node(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "accel", 5);
}

static OrtStatus *add_nodes(struct devices *devices, bool on_bus, const OrtHardwareDevice *hardware)
{
	struct dirent **entries = NULL;
	OrtStatus *status = NULL;
	int count = scandir(ACCEL_CLASS, &entries, is_node, versionsort), i;

	for (i = 0; i < count; i++) {
		char path[300];
		bool bus;

		snprintf(path, sizeof(path), "/dev/accel/%s", entries[i]->d_name);
		if (!status && devices->count < devices->max &&
		    is_loom(path, entries[i]->d_name, &bus) && bus == on_bus)
			status = hardware ? add(devices, hardware, path) : make(devices, path);
		free(entries[i]);
	}
	free(entries);
	return status;
}

static OrtStatus *list(struct devices *devices, const OrtHardwareDevice *const *hardware,
		       size_t num_hardware)
{
	const OrtApi *api = loom_ort.api;
	size_t i;

	for (i = 0; i < num_hardware; i++) {
		if (api->HardwareDevice_VendorId(hardware[i]) != VENDOR_ID ||
		    api->HardwareDevice_DeviceId(hardware[i]) != DEVICE_ID)
			continue;
		ORT_TRY(add_nodes(devices, true, hardware[i]));
		break;
	}
	ORT_TRY(add_nodes(devices, false, NULL));
	/* nodes on the bus that ONNX Runtime has not found; it searches since 1.28 */
	if (!devices->count)
		ORT_TRY(add_nodes(devices, true, NULL));
	return devices->count || !devices->max ? NULL : make(devices, "host");
}

OrtStatus *loom_ort_devices(OrtEpFactory *factory, const OrtHardwareDevice *const *hardware,
			    size_t num_hardware, OrtHardwareDevice **made, OrtEpDevice **devices,
			    size_t max, size_t *count)
{
	struct devices all = { .factory = factory, .made = made, .list = devices, .max = max };
	OrtStatus *status = list(&all, hardware, num_hardware);

	*count = all.count;
	return status;
}

const char *loom_ort_device_name(const OrtHardwareDevice *hardware,
				 const OrtKeyValuePairs *metadata)
{
	const char *name = metadata ? loom_ort.api->GetKeyValue(metadata, KEY_NODE) : NULL;

	(void)hardware;
	return name ? name : "auto";
}
