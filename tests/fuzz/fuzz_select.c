/* SPDX-License-Identifier: MIT */
/* Fuzz target: lists of devices. What is chosen are devices that exist, each once. */
#include "layer/driver/select.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

enum { DEVICES = 5 };

static char names[DEVICES][40] = {"basic-AMD EPYC", "pthread-AMD EPYC", "NVIDIA H200", "NVIDIA H200",
                                  "odd [name] * with ? signs!"};
static char vendor[] = "Maker [and] sons", platform_name[] = "Portable *";
static const struct cx_real_platform platform = {.name = platform_name, .vendor = vendor};
static const struct cx_real_device devices[DEVICES] = {
    {.name = names[0], .vendor = vendor, .platform = &platform, .type = CL_DEVICE_TYPE_CPU},
    {.name = names[1], .vendor = vendor, .platform = &platform, .type = CL_DEVICE_TYPE_CPU},
    {.name = names[2], .vendor = vendor, .platform = &platform, .type = CL_DEVICE_TYPE_GPU},
    {.name = names[3], .vendor = vendor, .platform = &platform, .type = CL_DEVICE_TYPE_GPU},
    {.name = names[4], .vendor = vendor, .platform = &platform, .type = CL_DEVICE_TYPE_ACCELERATOR},
};

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    unsigned order[DEVICES], seen = 0;
    char problem[CX_SELECT_PROBLEM];

    if (size > 300) /* patterns with many stars take long in the C library, and have no place in a list */
        return 0;
    char *list = strndup((const char *)data, size);
    if (!list)
        return 0;
    unsigned count = cx_select(devices, DEVICES, list, order, problem);
    if (count > DEVICES || (count == 0) != (*problem != 0))
        abort();
    for (unsigned i = 0; i < count; i++) {
        if (order[i] >= DEVICES || seen & 1u << order[i])
            abort();
        seen |= 1u << order[i];
    }
    free(list);
    return 0;
}
