/* SPDX-License-Identifier: MIT */
/*
 * What the layer shows: its platform, its device, and answers to the device's queries. Any failure is the
 * test's.
 */
#ifndef CX_TESTS_UNIT_API_QUERIES_H
#define CX_TESTS_UNIT_API_QUERIES_H

#include <CL/cl.h>

cl_platform_id platform(void);
cl_device_id device(void);
/* A number of 4 or 8 bytes. */
cl_ulong number(cl_device_info query);
/* Good until the next call. */
const char *text(cl_device_info query);

#endif
