// SPDX-License-Identifier: MIT
/* Callbacks before a session: the two symbols of the library, and devices. */
#include "ort.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ONNX Runtime's limit per call */
#define DEVICES	16

/**
 * struct factory - creates the providers of sessions
 * @base: ONNX Runtime's callbacks
 * @made: virtual devices, to be released
 */
struct factory {
	OrtEpFactory base;
	OrtHardwareDevice *made[DEVICES];
};

OrtStatus *CreateEpFactories(const char *name, const OrtApiBase *base, const OrtLogger *logger,
			     OrtEpFactory **factories, size_t max, size_t *count);
OrtStatus *ReleaseEpFactory(OrtEpFactory *factory);

static const char *ORT_API_CALL get_name(const OrtEpFactory *factory)
{
	(void)factory;
	return LOOM_ORT_NAME;
}

static const char *ORT_API_CALL get_vendor(const OrtEpFactory *factory)
{
	(void)factory;
	return LOOM_ORT_VENDOR;
}

static uint32_t ORT_API_CALL get_vendor_id(const OrtEpFactory *factory)
{
	(void)factory;
	return 0x4c4f;
}

static const char *ORT_API_CALL get_version(const OrtEpFactory *factory)
{
	(void)factory;
	return LOOM_ORT_VERSION;
}

static void release_made(struct factory *factory)
{
	uint32_t i;

	for (i = 0; i < DEVICES; i++) {
		if (factory->made[i])
			loom_ort.ep->ReleaseHardwareDevice(factory->made[i]);
		factory->made[i] = NULL;
	}
}

static OrtStatus *ORT_API_CALL get_devices(OrtEpFactory *base,
					   const OrtHardwareDevice *const *hardware,
					   size_t num_hardware, OrtEpDevice **devices, size_t max,
					   size_t *count)
{
	struct factory *factory = (struct factory *)base;

	return loom_ort_devices(base, hardware, num_hardware, factory->made, devices,
				max < DEVICES ? max : DEVICES, count);
}

static OrtStatus *ORT_API_CALL create_ep(OrtEpFactory *factory,
					 const OrtHardwareDevice *const *hardware,
					 const OrtKeyValuePairs *const *metadata, size_t count,
					 const OrtSessionOptions *options, const OrtLogger *logger,
					 OrtEp **ep)
{
	(void)factory;
	*ep = NULL;
	if (count != 1)
		return loom_ort_fail(-EINVAL, "a session takes one device, not %zu", count);
	return loom_ort_ep_create(loom_ort_device_name(hardware[0], metadata[0]), options, logger,
				  ep);
}

static void ORT_API_CALL release_ep(OrtEpFactory *factory, OrtEp *ep)
{
	(void)factory;
	loom_ort_ep_destroy(ep);
}

/* These four callbacks are mandatory: without them registration calls NULL. */
static OrtStatus *ORT_API_CALL create_allocator(OrtEpFactory *factory, const OrtMemoryInfo *info,
						const OrtKeyValuePairs *options,
						OrtAllocator **allocator)
{
	(void)factory;
	(void)info;
	(void)options;
	/* use the processor's */
	*allocator = NULL;
	return NULL;
}

static void ORT_API_CALL release_allocator(OrtEpFactory *factory, OrtAllocator *allocator)
{
	(void)factory;
	(void)allocator;
}

static OrtStatus *ORT_API_CALL create_transfer(OrtEpFactory *factory, OrtDataTransferImpl **out)
{
	(void)factory;
	*out = NULL;
	return NULL;
}

static bool ORT_API_CALL is_stream_aware(const OrtEpFactory *factory)
{
	(void)factory;
	return false;
}

/* Finds the newest API version that both sides support. */
static bool find_api(const OrtApiBase *base)
{
	uint32_t version;

	for (version = ORT_API_VERSION; version >= LOOM_ORT_LEAST; version--) {
		loom_ort.api = base->GetApi(version);
		if (!loom_ort.api)
			continue;
		loom_ort.version = version;
		loom_ort.ep = loom_ort.api->GetEpApi();
		loom_ort.editor = loom_ort.api->GetModelEditorApi();
		return loom_ort.ep && loom_ort.editor;
	}
	return false;
}

__attribute__((visibility("default")))
OrtStatus *CreateEpFactories(const char *name, const OrtApiBase *base, const OrtLogger *logger,
			     OrtEpFactory **factories, size_t max, size_t *count)
{
	struct factory *factory;

	(void)name;
	(void)logger;
	*count = 0;
	if (!find_api(base)) {
		const OrtApi *oldest = base->GetApi(1);

		return oldest->CreateStatus(ORT_NOT_IMPLEMENTED,
					    "Loom: ONNX Runtime 1.24 or newer is needed");
	}
	if (!max)
		return loom_ort_fail(-EINVAL, "there is no room for a factory");
	factory = calloc(1, sizeof(*factory));
	if (!factory)
		return loom_ort_no_memory();
	factory->base.ort_version_supported = loom_ort.version;
	factory->base.GetName = get_name;
	factory->base.GetVendor = get_vendor;
	factory->base.GetVendorId = get_vendor_id;
	factory->base.GetVersion = get_version;
	factory->base.GetSupportedDevices = get_devices;
	factory->base.CreateEp = create_ep;
	factory->base.ReleaseEp = release_ep;
	factory->base.CreateAllocator = create_allocator;
	factory->base.ReleaseAllocator = release_allocator;
	factory->base.CreateDataTransfer = create_transfer;
	factory->base.IsStreamAware = is_stream_aware;
	factories[0] = &factory->base;
	*count = 1;
	return NULL;
}

__attribute__((visibility("default")))
OrtStatus *ReleaseEpFactory(OrtEpFactory *base)
{
	struct factory *factory = (struct factory *)base;

	release_made(factory);
	free(factory);
	return NULL;
}
