// SPDX-License-Identifier: GPL-2.0
// drm/ioctl: refuse GET_UNIQUE where there is no master
//
// The file of an accel node has no master, so drm_getunique() follows a NULL pointer, and dies
// with the device's master_mutex held. It takes no privilege. SET_MASTER says EINVAL to such a
// file; say the same.
//
// drivers/gpu/drm/drm_ioctl.c
@@
identifier dev, data, file, master;
@@
 int drm_getunique(struct drm_device *dev, void *data, struct drm_file *file)
 {
 	...
 	struct drm_master *master;
+
+	if (!file->master)
+		return -EINVAL;
 	...
 }
