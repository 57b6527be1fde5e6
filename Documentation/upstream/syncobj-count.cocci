// SPDX-License-Identifier: GPL-2.0
// drm/syncobj: a client's count of handles is no reason to warn
//
// The SYNCOBJ_* ioctls allocate by a count that any client may choose. When it is absurd the page
// allocator warns, which ends a machine with panic_on_warn. Fail with ENOMEM alone.
//
// drivers/gpu/drm/drm_syncobj.c
@@
expression n, size, object;
@@
(
 kmalloc_array(n, size,
-	GFP_KERNEL
+	GFP_KERNEL | __GFP_NOWARN
 )
|
 kcalloc(n, size,
-	GFP_KERNEL
+	GFP_KERNEL | __GFP_NOWARN
 )
|
 kmalloc_objs(object, n
+	, GFP_KERNEL | __GFP_NOWARN
 )
|
 kzalloc_objs(object, n
+	, GFP_KERNEL | __GFP_NOWARN
 )
)
