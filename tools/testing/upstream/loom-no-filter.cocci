// SPDX-License-Identifier: GPL-2.0
// The node without its filter: each of DRM's own ioctls gets to DRM. For tools/ci/upstream/faults.sh,
// and what becomes of the driver once the core is mended.
//
// drivers/accel/loom/loom_drv.c
@@
identifier f = { drm_ioctl, drm_compat_ioctl };
@@
-	loom_drv_check(...) ?: f
+	f
	(...)
