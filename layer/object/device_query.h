/* SPDX-License-Identifier: MIT */
/*
 * Queries of the virtual device whose answers are made of its members': numbers, by one table, and lists of
 * names with versions. These are coexec's own answers; whether the program sees them or the fastest member's
 * says shown.h. Thread-safe. Next: device_info.c.
 */
#ifndef CX_LAYER_OBJECT_DEVICE_QUERY_H
#define CX_LAYER_OBJECT_DEVICE_QUERY_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

struct cx_device;
struct cx_real_device;

/* One of clGetDeviceInfo's numbers; 0 where there is none. Called by memory/image.c, memory/image_info.c
 * and memory/sampler.c. */
size_t cx_device_number(const struct cx_device *device, cl_device_info query);
/* clGetDeviceInfo's answer, if the query is for such a number; then *code is set. room, value and size_ret
 * are the call's. Called by api/device_info.c. */
bool cx_device_answer_number(const struct cx_device *device, cl_device_info query, size_t room, void *value,
                             size_t *size_ret, cl_int *code);

/* Lists what one query of an array of cl_name_version gives on the fastest member, or what all have in common
 * by name and version (COEXEC_LIMITS=common), kept where `keep` says yes. Returns how many (0: none, or the
 * query fails); the caller frees *list. Called by api/device_info.c. */
size_t cx_device_versions(const struct cx_device *device, cl_device_info query,
                          bool (*keep)(const cl_name_version *entry), cl_name_version **list);
/* The same of one member. Called by api/device_info.c. */
size_t cx_device_member_versions(const struct cx_real_device *member, cl_device_info query,
                                 cl_name_version **list);
/* Splits an extension string into entries of version 1.0.0. Returns how many; the caller frees *list.
 * Called by platform.c and api/device_info.c. */
size_t cx_extension_versions(const char *extensions, cl_name_version **list);

#endif
