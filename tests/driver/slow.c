/* SPDX-License-Identifier: MIT */
/*
 * A wrapper around a real driver that slows some of its devices: each kernel launch there is waited for, and
 * then followed by a pause in proportion to the time it took, which its profiling times tell too. For
 * benchmarks of devices of unlike speeds on a machine that has none.
 *
 *   SLOW_DRIVER=file     the driver below; default libpocl.so.2
 *   SLOW_FACTORS=1,4     how many times as long launches take, one number a device of the first platform, the
 *                        last one repeats
 */
#include "wrap.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_EVENTS = 4096 };

static double factors[WRAP_MAX_DEVICES];

/* Launches that were slowed, by event; one whose place is taken is forgotten. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct slowed {
    cl_event event;
    cl_ulong extra;
} slowed[MAX_EVENTS];

static cl_ulong now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (cl_ulong)now.tv_sec * 1000000000u + (cl_ulong)now.tv_nsec;
}

static void pause_until(cl_ulong end)
{
    struct timespec until = {.tv_sec = (time_t)(end / 1000000000u), .tv_nsec = (long)(end % 1000000000u)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
        continue;
}

static struct slowed *place_of(cl_event event)
{
    return &slowed[((uintptr_t)event >> 4) % MAX_EVENTS];
}

static double factor_of(cl_command_queue queue)
{
    cl_device_id device = NULL;
    driver.real.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(device), &device, NULL);
    for (cl_uint i = 0; i < driver.ndevices; i++)
        if (driver.devices[i] == device)
            return factors[i];
    return 1;
}

static cl_int CL_API_CALL slow_launch(cl_command_queue queue, cl_kernel kernel, cl_uint dim,
                                      const size_t *offset, const size_t *global, const size_t *local,
                                      cl_uint nwaits, const cl_event *waits, cl_event *event)
{
    cl_event own = NULL;
    cl_ulong start = 0, end = 0;
    double factor = factor_of(queue);
    if (factor <= 1)
        return driver.real.clEnqueueNDRangeKernel(queue, kernel, dim, offset, global, local, nwaits, waits,
                                                  event);
    driver.real.clFinish(queue); /* what came before is no part of this launch */
    cl_ulong begin = now_ns();
    cl_int code =
        driver.real.clEnqueueNDRangeKernel(queue, kernel, dim, offset, global, local, nwaits, waits, &own);
    if (code != CL_SUCCESS)
        return code;
    driver.real.clWaitForEvents(1, &own);
    cl_ulong over = now_ns(), took = over - begin;
    if (driver.real.clGetEventProfilingInfo(own, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL) ==
            CL_SUCCESS &&
        driver.real.clGetEventProfilingInfo(own, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL) ==
            CL_SUCCESS &&
        end > start)
        took = end - start;
    cl_ulong extra = (cl_ulong)((double)took * (factor - 1));
    pause_until(over + extra);
    if (!event) {
        driver.real.clReleaseEvent(own);
        return code;
    }
    pthread_mutex_lock(&lock);
    *place_of(own) = (struct slowed){own, extra};
    pthread_mutex_unlock(&lock);
    *event = own;
    return code;
}

static cl_int CL_API_CALL slow_profile(cl_event event, cl_profiling_info what, size_t room, void *value,
                                       size_t *size_ret)
{
    cl_int code = driver.real.clGetEventProfilingInfo(event, what, room, value, size_ret);
    if (code != CL_SUCCESS || !value ||
        (what != CL_PROFILING_COMMAND_END && what != CL_PROFILING_COMMAND_COMPLETE))
        return code;
    pthread_mutex_lock(&lock);
    if (place_of(event)->event == event)
        *(cl_ulong *)value += place_of(event)->extra;
    pthread_mutex_unlock(&lock);
    return code;
}

static cl_int CL_API_CALL slow_release(cl_event event)
{
    cl_uint refs = 0;
    driver.real.clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof(refs), &refs, NULL);
    pthread_mutex_lock(&lock);
    if (refs == 1 && place_of(event)->event == event)
        place_of(event)->event = NULL;
    pthread_mutex_unlock(&lock);
    return driver.real.clReleaseEvent(event);
}

static void read_factors(void)
{
    const char *text = getenv("SLOW_FACTORS");
    double factor = 1;
    for (unsigned i = 0; i < WRAP_MAX_DEVICES; i++) {
        if (text && *text) {
            char *end;
            factor = strtod(text, &end);
            text = *end == ',' ? end + 1 : NULL;
        }
        factors[i] = factor;
    }
}

const char *const wrap_name = "slow", *const wrap_variable = "SLOW_DRIVER";

void wrap_replace(cl_icd_dispatch *table)
{
    read_factors();
    table->clEnqueueNDRangeKernel = slow_launch;
    table->clGetEventProfilingInfo = slow_profile;
    table->clReleaseEvent = slow_release;
}
