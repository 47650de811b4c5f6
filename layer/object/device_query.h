/* SPDX-License-Identifier: MIT */
/*
 * Answers queries of the virtual device from its members' answers: numbers, by one table, and lists of names
 * with versions. shown.h decides whether the program sees these answers or the fastest member's. Thread-safe.
 * Next: device_info.c.
 */
#ifndef CX_LAYER_OBJECT_DEVICE_QUERY_H
#define CX_LAYER_OBJECT_DEVICE_QUERY_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

struct cx_device;
struct cx_real_device;

/* A number that clGetDeviceInfo returns for the query; 0 if the query is not for a number. Called by
 * memory/image.c, memory/image_info.c and memory/sampler.c. */
size_t cx_device_number(const struct cx_device *device, cl_device_info query);
/* Answers clGetDeviceInfo if the query is for such a number: true, with *code set. room, value and size_ret
 * are arguments of that call. Called by api/device_info.c. */
bool cx_device_answer_number(const struct cx_device *device, cl_device_info query, size_t room, void *value,
                             size_t *size_ret, cl_int *code);

/* Lists the answer to a query for cl_name_version entries: the fastest member's, or those that all members
 * have (COEXEC_DEBUG=limits=common), filtered by `keep`. Returns their number (0: none, or the query fails);
 * the caller frees *list. Called by api/device_info.c. */
size_t cx_device_versions(const struct cx_device *device, cl_device_info query,
                          bool (*keep)(const cl_name_version *entry), cl_name_version **list);
/* Like cx_device_versions, for one member, unfiltered. Called by api/device_info.c. */
size_t cx_device_member_versions(const struct cx_real_device *member, cl_device_info query,
                                 cl_name_version **list);
/* Splits an extension string into entries of version 1.0.0. Returns how many; the caller frees *list.
 * Called by platform.c and api/device_info.c. */
size_t cx_device_extension_versions(const char *extensions, cl_name_version **list);

#endif
