/* SPDX-License-Identifier: MIT */
/*
 * Sub-devices that drivers make. See sub_devices.h.
 */
#include "layer/driver/sub_devices.h"
#include "layer/base/lock.h"
#include "layer/driver/drivers.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The parts that one call of PoCL's made. */
struct kept {
    struct kept *next;
    cl_device_id of;
    cl_device_partition_property *list; /* a copy up to the first 0: all that counts, and counts end there */
    size_t nlist;
    cl_uint n, out;      /* parts, and how many of these somebody has */
    cl_device_id part[]; /* n of them */
};

static struct cx_lock lock = CX_LOCK_INIT(CX_RANK_SUB_DEVICES);
static struct kept *all;

static size_t length_of(const cl_device_partition_property *list)
{
    size_t n = 0;
    while (list[n])
        n++;
    return n;
}

/* Parts that were made so before and that nobody has; *made: how many. */
static bool take_kept(cl_device_id of, const cl_device_partition_property *list, cl_uint room,
                      cl_device_id *part, cl_uint *made)
{
    const size_t nlist = length_of(list);
    cx_lock(&lock);
    struct kept *kept = all;
    while (kept && (kept->out || kept->of != of || kept->n > room || kept->nlist != nlist ||
                    memcmp(kept->list, list, nlist * sizeof *list) != 0))
        kept = kept->next;
    if (kept) {
        memcpy(part, kept->part, kept->n * sizeof *part);
        *made = kept->out = kept->n;
    }
    cx_unlock(&lock);
    return kept;
}

/* Without memory for it they are just never used again. */
static void keep(cl_device_id of, const cl_device_partition_property *list, const cl_device_id *part,
                 cl_uint n)
{
    const size_t nlist = length_of(list);
    struct kept *kept = calloc(1, sizeof *kept + n * sizeof *part);
    cl_device_partition_property *copy = malloc((nlist + 1) * sizeof *list);
    if (!kept || !copy) {
        free(kept);
        free(copy);
        return;
    }
    *kept = (struct kept){.of = of, .list = copy, .nlist = nlist, .n = n, .out = n};
    memcpy(copy, list, nlist * sizeof *list);
    memcpy(kept->part, part, n * sizeof *part);
    cx_lock(&lock);
    kept->next = all;
    all = kept;
    cx_unlock(&lock);
}

cl_int cx_sub_devices_make(const struct cx_real_device *device, const cl_device_partition_property *list,
                           cl_uint room, cl_device_id *part, cl_uint *made)
{
    const bool keeps = cx_drivers_is_pocl(device->platform->name);
    if (keeps && take_kept(device->id, list, room, part, made))
        return CL_SUCCESS;
    const cl_int code = device->cl->clCreateSubDevices(device->id, list, room, part, made);
    if (code == CL_SUCCESS && keeps)
        keep(device->id, list, part, *made);
    return code;
}

static void put_back(cl_device_id part)
{
    bool found = false;
    cx_lock(&lock);
    for (struct kept *kept = all; kept && !found; kept = kept->next)
        for (cl_uint i = 0; i < kept->n && !found; i++) {
            found = kept->part[i] == part;
            kept->out -= found;
        }
    cx_unlock(&lock);
}

void cx_sub_device_give_back(const struct cx_real_platform *platform, cl_device_id part)
{
    if (cx_drivers_is_pocl(platform->name))
        put_back(part);
    else
        platform->cl->clReleaseDevice(part);
}
