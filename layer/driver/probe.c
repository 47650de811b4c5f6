/* SPDX-License-Identifier: MIT */
/*
 * Properties of a driver that no query tells and no device type implies: whether it runs commands in the
 * thread that enqueues them, and whether it works on CL_MEM_USE_HOST_PTR memory in place, as buffers and as
 * images. Found by trying,
 * once a device. Uses fills and copies only, so no program is built. A try that fails for any reason means
 * "no", the safe answer.
 */
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/driver/device.h"
#include "layer/base/lock.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct cx_lock lock = CX_LOCK_INIT(CX_RANK_PROBE); /* guards the probed fields of all devices */

struct probe {
    const struct cx_real_device *device;
    const cl_icd_dispatch *cl;
    cl_context context;
    cl_command_queue queue;
};

/* ---- synchronous ---- */

enum {
    FILL_BYTES = 8 << 20,    /* 0.5 ms or more on any core: long against an enqueue that only hands over */
    FILL_TRIES = 3,          /* a preempted caller may come back late once, not thrice */
    CALL_NANOSECONDS = 50000 /* a fill that was done within the call cannot have been shorter */
};

static int64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/* Enqueues a long fill. True when it was complete on return and the call lasted as long as such work takes: a
 * GPU may be through with it in microseconds, which says nothing about the caller. */
static bool fill_in_caller(const struct probe *probe, cl_mem buffer, size_t size)
{
    const cl_uint pattern = 0x5a5a5a5a;
    cl_int status = CL_QUEUED;
    cl_event event = NULL;
    int64_t start = now_ns();
    if (probe->cl->clEnqueueFillBuffer(probe->queue, buffer, &pattern, sizeof pattern, 0, size, 0, NULL,
                                       &event) != CL_SUCCESS)
        return false;
    int64_t duration = now_ns() - start;
    cl_int code =
        probe->cl->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    probe->cl->clFinish(probe->queue);
    probe->cl->clReleaseEvent(event);
    return code == CL_SUCCESS && status == CL_COMPLETE && duration >= CALL_NANOSECONDS;
}

/* A native kernel tells for certain: it notes the thread it runs in. */
struct native {
    pthread_t thread;
    bool ran;
};

static void CL_CALLBACK note_thread(void *argument)
{
    struct native *native = *(struct native **)argument;
    native->thread = pthread_self();
    native->ran = true;
}

/* False where the driver runs no native kernels; else *in_caller is the answer. */
static bool native_tells(const struct probe *probe, bool *in_caller)
{
    cl_device_exec_capabilities can = 0;
    struct native native = {.ran = false}, *argument = &native;
    if (probe->cl->clGetDeviceInfo(probe->device->id, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof(can), &can,
                                   NULL) != CL_SUCCESS ||
        !(can & CL_EXEC_NATIVE_KERNEL) || !probe->cl->clEnqueueNativeKernel)
        return false;
    if (probe->cl->clEnqueueNativeKernel(probe->queue, note_thread, &argument, sizeof(argument), 0, NULL,
                                         NULL, 0, NULL, NULL) != CL_SUCCESS ||
        probe->cl->clFinish(probe->queue) != CL_SUCCESS || !native.ran)
        return false;
    *in_caller = pthread_equal(native.thread, pthread_self());
    return true;
}

static bool probe_caller(const struct probe *probe)
{
    cl_int code;
    bool reported;
    if (native_tells(probe, &reported))
        return reported;
    size_t size = FILL_BYTES < probe->device->limits.max_alloc
                      ? FILL_BYTES
                      : (size_t)probe->device->limits.max_alloc / 64 * 64;
    cl_mem buffer = probe->cl->clCreateBuffer(probe->context, CL_MEM_READ_WRITE, size, NULL, &code);
    bool in_caller = code == CL_SUCCESS;
    for (int i = 0; in_caller && i < FILL_TRIES; i++)
        in_caller = fill_in_caller(probe, buffer, size);
    if (code == CL_SUCCESS)
        probe->cl->clReleaseMemObject(buffer);
    return in_caller;
}

/* ---- in_place ---- */

/* Few pages, since each process of the program's gets them anew. */
enum { PAGE = 4096, RANGE = 6 * PAGE, PART = 2 * PAGE, PART_SIZE = 3 * PAGE, VIEWS = 3 };

/* The range of host memory, two buffers over all of it, one over a part, and one that is the device's own,
 * with room for VIEWS times as much. */
struct range {
    unsigned char *host;
    unsigned char *copy; /* of the device's own, on the host */
    cl_mem first, second, part, own;
};

static bool all_bytes(const unsigned char *bytes, size_t size, unsigned char value)
{
    return bytes[0] == value && memcmp(bytes, bytes + 1, size - 1) == 0;
}

static bool device_fills(const struct probe *probe, cl_mem buffer, size_t size, unsigned char value)
{
    return probe->cl->clEnqueueFillBuffer(probe->queue, buffer, &value, 1, 0, size, 0, NULL, NULL) ==
               CL_SUCCESS &&
           probe->cl->clFinish(probe->queue) == CL_SUCCESS;
}

/* The device copies what it sees of a buffer to its own memory, at that place there. */
static bool device_copies(const struct probe *probe, const struct range *range, cl_mem buffer, size_t size,
                          unsigned place)
{
    return probe->cl->clEnqueueCopyBuffer(probe->queue, buffer, range->own, 0, place * (size_t)RANGE, size, 0,
                                          NULL, NULL) == CL_SUCCESS;
}

/* Brings what it copied to the host. */
static bool device_tells(const struct probe *probe, const struct range *range)
{
    return probe->cl->clEnqueueReadBuffer(probe->queue, range->own, CL_TRUE, 0, VIEWS * (size_t)RANGE,
                                          range->copy, 0, NULL, NULL) == CL_SUCCESS;
}

/* Whether it saw that value in every byte. */
static bool device_saw(const struct range *range, unsigned place, size_t size, unsigned char value)
{
    return all_bytes(range->copy + place * (size_t)RANGE, size, value);
}

/* Writes go round between the host and the buffers, with no map, read or write to help; every view must
 * follow. */
static bool views_agree(const struct probe *probe, const struct range *range)
{
    unsigned char *host = range->host;
    if (!device_fills(probe, range->first, RANGE, 1) || !all_bytes(host, RANGE, 1))
        return false;
    memset(host, 2, RANGE);
    if (!device_copies(probe, range, range->first, RANGE, 0) ||
        !device_copies(probe, range, range->second, RANGE, 1) ||
        !device_copies(probe, range, range->part, PART_SIZE, 2) || !device_tells(probe, range) ||
        !device_saw(range, 0, RANGE, 2) || !device_saw(range, 1, RANGE, 2) ||
        !device_saw(range, 2, PART_SIZE, 2))
        return false;
    if (!device_fills(probe, range->second, RANGE, 3) || !all_bytes(host, RANGE, 3) ||
        !device_copies(probe, range, range->first, RANGE, 0))
        return false;
    if (!device_fills(probe, range->part, PART_SIZE, 4) || !all_bytes(host + PART, PART_SIZE, 4) ||
        !all_bytes(host, PART, 3) || !all_bytes(host + PART + PART_SIZE, RANGE - PART - PART_SIZE, 3))
        return false;
    memset(host, 5, RANGE);
    return device_copies(probe, range, range->second, RANGE, 1) && device_tells(probe, range) &&
           device_saw(range, 0, RANGE, 3) && device_saw(range, 1, RANGE, 5);
}

static cl_mem make_buffer(const struct probe *probe, size_t size, void *host)
{
    cl_int code = CL_SUCCESS;
    cl_mem_flags flags = CL_MEM_READ_WRITE | (host ? CL_MEM_USE_HOST_PTR : 0);
    cl_mem buffer = probe->cl->clCreateBuffer(probe->context, flags, size, host, &code);
    return code == CL_SUCCESS ? buffer : NULL;
}

/* Releasing a buffer must not write an old copy back. */
static bool release_leaves_host(const struct probe *probe, struct range *range)
{
    cl_mem *buffers[] = {&range->first, &range->second, &range->part, &range->own};
    memset(range->host, 6, RANGE);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        if (*buffers[i])
            probe->cl->clReleaseMemObject(*buffers[i]);
    probe->cl->clFinish(probe->queue);
    return all_bytes(range->host, RANGE, 6);
}

/* A device that does not share its memory with the host may reach host memory in place all the same, but over
 * its bus; there a shadow of its own is what makes it fast, so it counts as "no". */
static bool probe_place(const struct probe *probe)
{
    struct range range = {.host = NULL};
    void *memory = NULL;
    if (!probe->device->unified_memory || probe->device->limits.max_alloc < VIEWS * RANGE ||
        posix_memalign(&memory, PAGE, (1 + VIEWS) * (size_t)RANGE) != 0)
        return false;
    range.host = memory;
    range.copy = range.host + RANGE;
    memset(range.host, 0, RANGE);
    range.first = make_buffer(probe, RANGE, range.host);
    range.second = make_buffer(probe, RANGE, range.host);
    range.part = make_buffer(probe, PART_SIZE, range.host + PART);
    range.own = make_buffer(probe, VIEWS * (size_t)RANGE, NULL);
    bool agree = range.first && range.second && range.part && range.own && views_agree(probe, &range);
    bool left = release_leaves_host(probe, &range);
    free(memory);
    return agree && left;
}

/* ---- images_in_place ---- */

enum { TEXEL = 4, WIDTH = 6, HEIGHT = 3, LAYERS = 2, ROW = 16 * TEXEL, SLICE = 4 * ROW };

/* The bytes of the texels all have one value, and those between rows and slices the other. */
static bool texels_are(const unsigned char *host, const size_t extent[3], const size_t step[2],
                       unsigned char value, unsigned char between)
{
    for (size_t at = 0; at < LAYERS * SLICE; at++) {
        const size_t z = at / step[1], y = at % step[1] / step[0], x = at % step[1] % step[0];
        const bool texel = z < extent[2] && y < extent[1] && x < extent[0] * TEXEL;
        if (host[at] != (texel ? value : between))
            return false;
    }
    return true;
}

/* Writes texels of one value into the image, or reads whether they are there. */
static bool image_io(const struct probe *probe, cl_mem image, const size_t extent[3], unsigned char value,
                     bool in)
{
    const size_t bytes = extent[0] * extent[1] * extent[2] * TEXEL, none[3] = {0, 0, 0};
    unsigned char copy[LAYERS * HEIGHT * WIDTH * TEXEL];
    const cl_icd_dispatch *cl = probe->cl;
    memset(copy, in ? value : 0, sizeof copy);
    if (in)
        return cl->clEnqueueWriteImage(probe->queue, image, CL_TRUE, none, extent, 0, 0, copy, 0, NULL,
                                       NULL) == CL_SUCCESS;
    return cl->clEnqueueReadImage(probe->queue, image, CL_TRUE, none, extent, 0, 0, copy, 0, NULL, NULL) ==
               CL_SUCCESS &&
           all_bytes(copy, bytes, value);
}

/* An image of one type over host memory with wide pitches: what is written through the driver must show in
 * the memory, and what the host writes there must be read through the driver. */
static bool image_agrees(const struct probe *probe, cl_mem_object_type type, unsigned char *host)
{
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const bool layers = type == CL_MEM_OBJECT_IMAGE1D_ARRAY, solid = type == CL_MEM_OBJECT_IMAGE3D;
    cl_image_desc desc = {.image_type = type,
                          .image_width = WIDTH,
                          .image_height = layers ? 0 : HEIGHT,
                          .image_depth = solid ? LAYERS : 0,
                          .image_array_size = layers ? HEIGHT : 0,
                          .image_row_pitch = ROW,
                          .image_slice_pitch = layers  ? ROW
                                               : solid ? SLICE
                                                       : 0};
    const size_t extent[3] = {WIDTH, HEIGHT, solid ? LAYERS : 1}, step[2] = {ROW, SLICE};
    cl_int code;
    memset(host, 9, LAYERS * SLICE);
    cl_mem image = probe->cl->clCreateImage(probe->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, &format,
                                            &desc, host, &code);
    if (code != CL_SUCCESS)
        return false;
    bool agrees = image_io(probe, image, extent, 1, true) && texels_are(host, extent, step, 1, 9);
    memset(host, 2, LAYERS * SLICE);
    agrees = agrees && image_io(probe, image, extent, 2, false);
    memset(host, 3, LAYERS * SLICE);
    probe->cl->clReleaseMemObject(image);
    probe->cl->clFinish(probe->queue);
    return agrees && all_bytes(host, LAYERS * SLICE, 3);
}

static bool images_agree(const struct probe *probe)
{
    void *memory = NULL;
    if (!probe->device->images || posix_memalign(&memory, PAGE, LAYERS * SLICE) != 0)
        return false;
    const bool agree = image_agrees(probe, CL_MEM_OBJECT_IMAGE2D, memory) &&
                       image_agrees(probe, CL_MEM_OBJECT_IMAGE3D, memory) &&
                       image_agrees(probe, CL_MEM_OBJECT_IMAGE1D_ARRAY, memory);
    free(memory);
    return agree;
}

/* A part of a device does as the whole, which is asked where the part must not be. */
static bool probe_images(const struct probe *probe)
{
    struct probe whole = *probe;
    cl_device_id parent = NULL, above = probe->device->id;
    cl_int code = CL_SUCCESS;
    if (cx_real_device_moves_images(probe->device))
        return images_agree(probe);
    while (above) { /* a part may be a part's */
        parent = above;
        if (probe->cl->clGetDeviceInfo(parent, CL_DEVICE_PARENT_DEVICE, sizeof above, &above, NULL) !=
            CL_SUCCESS)
            return false;
    }
    whole.context = probe->cl->clCreateContext(NULL, 1, &parent, NULL, NULL, &code);
    if (code != CL_SUCCESS)
        return false;
    whole.queue = probe->cl->clCreateCommandQueue(whole.context, parent, 0, &code);
    const bool agree = code == CL_SUCCESS && images_agree(&whole);
    if (code == CL_SUCCESS)
        probe->cl->clReleaseCommandQueue(whole.queue);
    probe->cl->clReleaseContext(whole.context);
    return agree;
}

/* The device's own number in COEXEC_DEBUG=zero_copy, or the only one there. */
static bool may_work_in_place(const struct cx_real_device *device)
{
    double number[64];
    const size_t n = cx_options_numbers(cx_options_get()->zero_copy, number, 64),
                 own = n == 1 ? 0 : device->index;
    return own >= n || own >= 64 || number[own] != 0;
}

void cx_probe_device(struct cx_real_device *device, cl_context context, cl_command_queue queue)
{
    struct probe probe = {device, device->cl, context, queue};
    cx_lock(&lock);
    if (!device->probe.done) {
        bool can_fill = device->cl->clEnqueueFillBuffer != NULL;
        device->probe.synchronous = can_fill && probe_caller(&probe);
        device->probe.in_place = can_fill && may_work_in_place(device) && probe_place(&probe);
        device->probe.images_in_place = device->probe.in_place && probe_images(&probe);
        device->probe.done = true;
        cx_info(CX_TOPIC_DRIVER, "device %u: %s, %s%s", device->index,
                device->probe.synchronous ? "runs commands in the calling thread" : "enqueues at once",
                device->probe.in_place ? "uses host memory in place" : "has its own memory",
                device->probe.in_place && device->images && !device->probe.images_in_place
                    ? ", but not for images"
                    : "");
    }
    cx_unlock(&lock);
}
