/* SPDX-License-Identifier: MIT */
/*
 * Opening the driver below. See wrap.h.
 */
#include "wrap.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

struct wrapped driver;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *(CL_API_CALL *get_address)(const char *name);

static void open_driver(void)
{
    const char *file = getenv(wrap_variable);
    void *library = dlopen(file ? file : "libpocl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s: %s\n", wrap_name, dlerror());
        return;
    }
    *(void **)&get_address = dlsym(library, "clGetExtensionFunctionAddress");
    cl_int(CL_API_CALL * list)(cl_uint, cl_platform_id *, cl_uint *) = NULL;
    cl_platform_id platform = NULL;
    if (get_address)
        *(void **)&list = get_address("clIcdGetPlatformIDsKHR");
    if (!list || list(1, &platform, NULL) != CL_SUCCESS) {
        fprintf(stderr, "%s: the driver below has no platform\n", wrap_name);
        return;
    }
    cl_icd_dispatch *table = *(cl_icd_dispatch **)(void *)platform;
    driver.real = *table;
    driver.real.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, WRAP_MAX_DEVICES, driver.devices,
                               &driver.ndevices);
    if (driver.ndevices > WRAP_MAX_DEVICES)
        driver.ndevices = WRAP_MAX_DEVICES;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t first = (uintptr_t)table / page * page;
    mprotect((void *)first, (uintptr_t)(table + 1) - first, PROT_READ | PROT_WRITE);
    wrap_replace(table);
}

EXPORT void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
    pthread_once(&once, open_driver);
    return get_address ? get_address(name) : NULL;
}

EXPORT cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t room,
                                            void *value, size_t *size_ret)
{
    pthread_once(&once, open_driver);
    return driver.real.clGetPlatformInfo
               ? driver.real.clGetPlatformInfo(platform, what, room, value, size_ret)
               : CL_INVALID_PLATFORM;
}
