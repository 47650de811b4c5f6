/* SPDX-License-Identifier: MIT */
/*
 * The dispatch table of all entry points, through which the loader calls the layer.
 */
#ifndef CX_LAYER_API_ICD_H
#define CX_LAYER_API_ICD_H

#include <CL/cl_icd.h>

/* Every handle of the layer points to it (object.h). */
extern const cl_icd_dispatch cx_dispatch;

#endif
