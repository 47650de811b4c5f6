/* SPDX-License-Identifier: MIT */
/*
 * Opening NVIDIA's driver library. See cuda.h. It is never closed, as drivers are.
 */
#include "layer/cuda.h"
#include "layer/options.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct cx_cuda table;
static bool usable;
static char problem[200];

static void open_library(void)
{
    const char *file = cx_options_get()->libcuda;
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *why = dlerror();
        snprintf(problem, sizeof(problem), "%s", why ? why : file);
        return;
    }
#define CX_CUDA_LOAD(field, name, parameters)                                                                \
    *(void **)&table.field = dlsym(library, #name);                                                          \
    if (!table.field) {                                                                                      \
        snprintf(problem, sizeof(problem), "%s has no %s", file, #name);                                     \
        return;                                                                                              \
    }
    CX_CUDA_CALLS(CX_CUDA_LOAD)
#undef CX_CUDA_LOAD
    cx_cu_result code = table.init(0);
    if (code == 0)
        code = table.device_count(&table.ndevices);
    usable = code == 0;
    if (!usable)
        snprintf(problem, sizeof(problem), "%s cannot be initialised: %s", file, cx_cuda_name(code));
}

const struct cx_cuda *cx_cuda_get(void)
{
    pthread_once(&once, open_library);
    return usable ? &table : NULL;
}

const char *cx_cuda_problem(void)
{
    return problem;
}

cx_cu_result cx_cuda_context(cx_cu_device device, cx_cu_context *context)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static cx_cu_context held[64];
    cx_cu_result code = CX_CU_OUT_OF_MEMORY;
    if (device < 0 || device >= (int)(sizeof(held) / sizeof(held[0])))
        return code;
    pthread_mutex_lock(&lock);
    code = held[device] ? 0 : table.primary_retain(&held[device], device);
    if (code != 0)
        held[device] = NULL;
    *context = held[device];
    pthread_mutex_unlock(&lock);
    return code;
}

const char *cx_cuda_name(cx_cu_result code)
{
    const char *name = NULL;
    return table.error_name && table.error_name(code, &name) == 0 && name ? name : "an unknown error";
}
