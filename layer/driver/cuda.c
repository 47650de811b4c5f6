/* SPDX-License-Identifier: MIT */
/*
 * Opening NVIDIA's driver library. See cuda.h. It is never closed, as drivers are.
 */
#include "layer/driver/cuda.h"
#include "layer/base/exit_guard.h"
#include "layer/base/clock.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/base/lock.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

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
    static struct cx_lock lock = CX_LOCK_INIT(CX_RANK_CUDA);
    static struct {
        atomic_bool asked; /* the others are written before */
        cx_cu_context context;
        cx_cu_result code;
    } held[64];
    *context = NULL;
    if (device < 0 || device >= (int)(sizeof(held) / sizeof(held[0])))
        return CX_CU_OUT_OF_MEMORY;
    if (!atomic_load_explicit(&held[device].asked, memory_order_acquire)) {
        cx_lock(&lock);
        if (!atomic_load(&held[device].asked)) {
            held[device].code = table.primary_retain(&held[device].context, device);
            atomic_store_explicit(&held[device].asked, true, memory_order_release);
        }
        cx_unlock(&lock);
    }
    *context = held[device].code == 0 ? held[device].context : NULL;
    return held[device].code;
}

bool cx_cuda_find(const struct cx_cu_uuid *uuid, cx_cu_device *device)
{
    struct cx_cu_uuid its;
    for (int i = 0; i < table.ndevices; i++)
        if (table.device_get(device, i) == 0 && table.device_uuid(&its, *device) == 0 &&
            memcmp(&its, uuid, sizeof(its)) == 0)
            return true;
    return false;
}

bool cx_cuda_reaches(cx_cu_device a, cx_cu_device b)
{
    int there = 0, back = 0;
    return a != b && table.can_access(&there, a, b) == 0 && table.can_access(&back, b, a) == 0 && there &&
           back;
}

/* ---- in a thread of its own ---- */

enum { GROUPS = 8, GROUP_MOST = 64 };

/* Devices that somebody wants, in the order of asking. */
static struct group {
    unsigned count;
    struct cx_cu_uuid uuid[GROUP_MOST];
} groups[GROUPS];          /* an entry below ngroups never changes */
static unsigned ngroups;   /* under asking */
static bool working;       /* under asking: a thread is at them */
static atomic_uint nready; /* so many have been tried */
static struct cx_lock asking = CX_LOCK_INIT(CX_RANK_CUDA_ASKING);

static void open_group(const struct group *group)
{
    cx_cu_device device[GROUP_MOST];
    cx_cu_context unused;
    const uint64_t since = cx_clock_ns();
    unsigned n = 0;
    if (!cx_cuda_get())
        return;
    for (unsigned i = 0; i < group->count; i++)
        n += cx_cuda_find(&group->uuid[i], &device[n]);
    for (unsigned i = 0; i < n; i++) {
        bool reaches = false;
        for (unsigned k = 0; k < n && !reaches; k++)
            reaches = cx_cuda_reaches(device[i], device[k]);
        if (reaches && !cx_exit_guard_ending())
            (void)cx_cuda_context(device[i], &unused); /* who needs it asks again, and hears of errors */
    }
    cx_info(CX_TOPIC_DATA, "%s: open for %u devices after %.1f ms beside the program",
            cx_options_get()->libcuda, n, (double)(cx_clock_ns() - since) * 1e-6);
}

static void open_groups(void *unused)
{
    (void)unused;
    for (;;) {
        cx_lock(&asking);
        const unsigned next = atomic_load(&nready);
        const bool over = next == ngroups || cx_exit_guard_ending();
        working = !over;
        cx_unlock(&asking);
        if (over)
            return;
        if (cx_exit_guard_enter()) { /* else the program ends, and nobody asks any more */
            open_group(&groups[next]);
            cx_exit_guard_leave();
        }
        atomic_store_explicit(&nready, next + 1, memory_order_release);
    }
}

static bool has_all(const struct group *group, const struct cx_cu_uuid *uuids, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        bool has = false;
        for (unsigned k = 0; k < group->count && !has; k++)
            has = memcmp(&group->uuid[k], &uuids[i], sizeof(*uuids)) == 0;
        if (!has)
            return false;
    }
    return true;
}

unsigned cx_cuda_open_beside(const struct cx_cu_uuid *uuids, unsigned count)
{
    unsigned number = 0;
    cx_lock(&asking);
    for (unsigned g = 0; g < ngroups && !number; g++)
        number = has_all(&groups[g], uuids, count) ? g + 1 : 0;
    if (!number && ngroups < GROUPS && count <= GROUP_MOST) {
        groups[ngroups].count = count;
        memcpy(groups[ngroups].uuid, uuids, count * sizeof(*uuids));
        number = ++ngroups;
    }
    if (atomic_load(&nready) < ngroups && !working) /* also where no thread could be started before */
        working = cx_exit_guard_run(open_groups, NULL);
    cx_unlock(&asking);
    return number;
}

bool cx_cuda_is_ready(unsigned number)
{
    return number && atomic_load_explicit(&nready, memory_order_acquire) >= number;
}

const char *cx_cuda_name(cx_cu_result code)
{
    const char *name = NULL;
    return table.error_name && table.error_name(code, &name) == 0 && name ? name : "an unknown error";
}
