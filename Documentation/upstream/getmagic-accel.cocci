// SPDX-License-Identifier: GPL-2.0
// drm/auth: refuse GET_MAGIC where there is no master
//
// The file of an accel node has no master, so drm_getmagic() follows a NULL pointer, and dies
// with the device's master_mutex held. SET_MASTER says EINVAL to such a file; say the same.
//
// drivers/gpu/drm/drm_auth.c
@@
identifier dev, data, file, ret;
@@
 int drm_getmagic(struct drm_device *dev, void *data, struct drm_file *file)
 {
 	...
 	int ret = 0;
+
+	if (!file->master)
+		return -EINVAL;
 	...
 }
