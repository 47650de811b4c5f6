/* SPDX-License-Identifier: MIT */
/*
 * The entry points behind the table that the loader calls (icd.c): each OpenCL function under the name
 * cx_<function>, declared with the type the OpenCL headers give it, so that a drifted signature does not
 * compile.
 *
 * Defined in the file of the object they work on, or in refused.c where the layer does not offer them.
 * Previous stage: the ICD loader. Thread-safety: as OpenCL asks of the function.
 */
#ifndef CX_LAYER_BASE_ENTRY_H
#define CX_LAYER_BASE_ENTRY_H

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_gl.h>

/* extern __typeof__(clFinish) cx_clFinish; and so on */
#define CX_ENTRY(version, name) extern __typeof__(name) cx_##name;
#include "layer/base/entry.def"
#undef CX_ENTRY

/* cl_khr_icd: the loader asks for it by name. */
extern __typeof__(clIcdGetPlatformIDsKHR) cx_clIcdGetPlatformIDsKHR;
/* cl_khr_gl_sharing: refused, see icd.c. */
extern __typeof__(clGetGLContextInfoKHR) cx_clGetGLContextInfoKHR;

#endif
