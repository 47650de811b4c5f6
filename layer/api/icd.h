/* SPDX-License-Identifier: MIT */
/*
 * The table of all entry points. Next: the program's calls.
 */
#ifndef CX_LAYER_API_ICD_H
#define CX_LAYER_API_ICD_H

#include <CL/cl_icd.h>

/* What every handle of the layer points to (object.h). */
extern const cl_icd_dispatch cx_dispatch;

#endif
