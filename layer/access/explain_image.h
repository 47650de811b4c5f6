/* SPDX-License-Identifier: MIT */
/* Image accesses in words; for explain.c. */
#ifndef CX_LAYER_ACCESS_EXPLAIN_IMAGE_H
#define CX_LAYER_ACCESS_EXPLAIN_IMAGE_H

#include "layer/access/summary.h"

/* Which texels an access to an image argument touches, such as "texel (gid(0), gid(1) - 1)"; false where it
 * can only be told in bytes. Called by explain.c. */
bool cx_explain_texel(char *buf, size_t size, const struct cx_summary_kernel *kernel,
                      const struct cx_access_record *record);
/* Whether a guard of the access says no more than that its texel lies inside the image. Called by
 * explain.c. */
bool cx_explain_is_inside(const struct cx_summary_kernel *kernel, const struct cx_access_record *record,
                          const struct cx_guard *guard);

#endif
