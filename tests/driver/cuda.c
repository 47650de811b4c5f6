/* SPDX-License-Identifier: MIT */
/*
 * A made-up libcuda for tests of peer copies: "device memory" is a memory file, mapped where the layer copies
 * and exported for the driver of shared.c to map once more. Copies run in a thread of their stream, late.
 *
 *   FAKE_CUDA_DEVICES=2      devices; device i has the identity that shared.c gives the i-th OpenCL device
 *   FAKE_CUDA_APART=1        no device reaches another's memory
 *   FAKE_CUDA_GRAIN=4096     bytes of a granule, a multiple of the page
 *   FAKE_CUDA_DELAY=us       copies begin up to so much later
 *   FAKE_CUDA_OPEN=us        cuInit, and each device's context, take so long
 *   FAKE_CUDA_FAIL=call:k:code  the k-th call of that name (since the rules last changed) gives code; k+:
 *                            and all after it; list with ,
 *   FAKE_CUDA_LOG=file       a line for each device-to-device copy, for cuInit and for each device's context
 *
 * A process that ends while one of those two is under way ends badly, as with a real library.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "layer/driver/cuda.h"

#define EXPORT __attribute__((visibility("default")))

#define DECLARE(field, name, parameters) EXPORT cx_cu_result name parameters;
CX_CUDA_CALLS(DECLARE)
#undef DECLARE

enum {
    OK,
    INVALID = 1,
    NO_MEMORY = 2,
    NOT_READY = 600,
    BAD_CONTEXT = 201,
    MAX_DEVICES = 16,
    MAX_MAPS = 4096
};

struct cx_cu_context_st {
    int device;
};

struct handle {
    int fd, device;
    size_t bytes;
    atomic_int refs; /* the handle itself and each mapping */
};

struct work {
    struct work *next;
    struct cx_cu_rect rect;
    bool poisoned; /* fails when it runs */
};

struct cx_cu_stream_st {
    int device;
    pthread_t thread;
    struct work *head, *tail;
    uint64_t queued, done; /* under lock */
    bool stop;
    cx_cu_result failed;
};

struct cx_cu_event_st {
    cx_cu_stream stream;
    uint64_t at;
};

static struct cx_cu_context_st contexts[MAX_DEVICES];
static _Thread_local cx_cu_context current;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct map {
    uintptr_t at;
    size_t bytes;
    struct handle *handle; /* NULL: reserved only */
    uint64_t access;       /* devices, as bits */
} maps[MAX_MAPS];          /* under lock */

static long number(const char *name, long fallback)
{
    const char *text = getenv(name);
    return text && *text ? strtol(text, NULL, 10) : fallback;
}

/* A line of the log. */
__attribute__((format(printf, 1, 2))) static void note(const char *format, ...)
{
    const char *log = getenv("FAKE_CUDA_LOG");
    FILE *file = log && *log ? fopen(log, "ae") : NULL;
    va_list arguments;
    if (!file)
        return;
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    fputc('\n', file);
    fclose(file);
}

/* ---- faults ---- */

static cx_cu_result fault(const char *call)
{
    static struct {
        char name[48];
        unsigned long seen;
    } calls[64];
    cx_cu_result code = OK;
    static char rules[256];
    const char *now = getenv("FAKE_CUDA_FAIL");
    unsigned long k = 0;
    pthread_mutex_lock(&lock);
    if (strcmp(rules, now ? now : "") != 0) { /* other rules count anew */
        snprintf(rules, sizeof(rules), "%s", now ? now : "");
        memset(calls, 0, sizeof(calls));
    }
    for (unsigned i = 0; i < 64 && !k; i++) {
        if (!*calls[i].name)
            snprintf(calls[i].name, sizeof(calls[i].name), "%s", call);
        if (strcmp(calls[i].name, call) == 0)
            k = ++calls[i].seen;
    }
    pthread_mutex_unlock(&lock);
    for (const char *item = getenv("FAKE_CUDA_FAIL"); item && *item;) {
        char name[48], from[2] = "";
        unsigned long at;
        int give;
        if (sscanf(item, "%47[^:]:%lu:%d", name, &at, &give) != 3 &&
            sscanf(item, "%47[^:]:%lu%1[+]:%d", name, &at, from, &give) != 4)
            break;
        if (strcmp(name, call) == 0 && (k == at || (*from && k > at)))
            code = give;
        item = strchr(item, ',');
        item = item ? item + 1 : NULL;
    }
    return code;
}

#define CALL(name)                                                                                           \
    do {                                                                                                     \
        cx_cu_result code_ = fault(name);                                                                    \
        if (code_)                                                                                           \
            return code_;                                                                                    \
    } while (0)

/* ---- devices ---- */

static int device_count(void)
{
    long n = number("FAKE_CUDA_DEVICES", 2);
    return n < 0 ? 0 : n > MAX_DEVICES ? MAX_DEVICES : (int)n;
}

static atomic_int opening;
static _Atomic pid_t opener;

static void take_time(void)
{
    atomic_store(&opener, getpid());
    atomic_fetch_add(&opening, 1);
    usleep((useconds_t)number("FAKE_CUDA_OPEN", 0));
    atomic_fetch_sub(&opening, 1);
}

__attribute__((destructor)) static void end(void)
{
    if (atomic_load(&opening) && atomic_load(&opener) == getpid()) {
        fprintf(stderr, "fake cuda: the process ends while the library opens\n");
        abort();
    }
}

EXPORT cx_cu_result cuInit(unsigned flags)
{
    CALL("cuInit");
    note("init");
    take_time();
    return flags ? INVALID : OK;
}

EXPORT cx_cu_result cuDeviceGetCount(int *count)
{
    CALL("cuDeviceGetCount");
    *count = device_count();
    return OK;
}

EXPORT cx_cu_result cuDeviceGet(cx_cu_device *device, int ordinal)
{
    CALL("cuDeviceGet");
    *device = ordinal;
    return ordinal < 0 || ordinal >= device_count() ? INVALID : OK;
}

EXPORT cx_cu_result cuDeviceGetUuid(struct cx_cu_uuid *uuid, cx_cu_device device)
{
    CALL("cuDeviceGetUuid");
    memcpy(uuid->bytes, "coexec test dev", 15);
    uuid->bytes[15] = (unsigned char)device;
    return OK;
}

EXPORT cx_cu_result cuDeviceCanAccessPeer(int *can, cx_cu_device device, cx_cu_device peer)
{
    CALL("cuDeviceCanAccessPeer");
    *can = device != peer && !number("FAKE_CUDA_APART", 0);
    return OK;
}

EXPORT cx_cu_result cuDevicePrimaryCtxRetain(cx_cu_context *context, cx_cu_device device)
{
    CALL("cuDevicePrimaryCtxRetain");
    note("context of device %d", device);
    take_time();
    contexts[device].device = device;
    *context = &contexts[device];
    return OK;
}

EXPORT cx_cu_result cuCtxGetCurrent(cx_cu_context *context)
{
    CALL("cuCtxGetCurrent");
    *context = current;
    return OK;
}

EXPORT cx_cu_result cuCtxSetCurrent(cx_cu_context context)
{
    CALL("cuCtxSetCurrent");
    current = context;
    return OK;
}

EXPORT cx_cu_result cuGetErrorName(cx_cu_result code, const char **name)
{
    *name = code == NO_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_OF_THE_TEST";
    return OK;
}

/* ---- memory ---- */

static size_t grain(void)
{
    return (size_t)number("FAKE_CUDA_GRAIN", 4096);
}

static void unref(struct handle *handle)
{
    if (atomic_fetch_sub(&handle->refs, 1) != 1)
        return;
    close(handle->fd);
    free(handle);
}

EXPORT cx_cu_result cuMemGetAllocationGranularity(size_t *bytes, const struct cx_cu_allocation *allocation,
                                                  int recommended)
{
    CALL("cuMemGetAllocationGranularity");
    (void)recommended;
    *bytes = grain();
    return allocation->kind == CX_CU_PINNED && allocation->location.kind == CX_CU_ON_DEVICE ? OK : INVALID;
}

EXPORT cx_cu_result cuMemCreate(cx_cu_handle *out, size_t bytes, const struct cx_cu_allocation *allocation,
                                unsigned long long flags)
{
    CALL("cuMemCreate");
    if (!bytes || bytes % grain() || flags || allocation->handles != CX_CU_POSIX_FD ||
        allocation->location.id >= device_count())
        return INVALID;
    struct handle *handle = calloc(1, sizeof(*handle));
    if (!handle)
        return NO_MEMORY;
    handle->fd = memfd_create("fake-cuda", MFD_CLOEXEC);
    if (handle->fd < 0 || ftruncate(handle->fd, (off_t)bytes) != 0) {
        free(handle);
        return NO_MEMORY;
    }
    handle->bytes = bytes;
    handle->device = allocation->location.id;
    atomic_store(&handle->refs, 1);
    *out = (cx_cu_handle)(uintptr_t)handle;
    return OK;
}

EXPORT cx_cu_result cuMemRelease(cx_cu_handle handle)
{
    CALL("cuMemRelease");
    unref((struct handle *)(uintptr_t)handle);
    return OK;
}

/* The place of an address in the table; NULL for none. The caller holds the lock. */
static struct map *map_at(uintptr_t at)
{
    for (unsigned i = 0; i < MAX_MAPS; i++)
        if (maps[i].bytes && at >= maps[i].at && at < maps[i].at + maps[i].bytes)
            return &maps[i];
    return NULL;
}

EXPORT cx_cu_result cuMemAddressReserve(cx_cu_pointer *pointer, size_t bytes, size_t alignment,
                                        cx_cu_pointer wish, unsigned long long flags)
{
    CALL("cuMemAddressReserve");
    if (!bytes || bytes % grain() || alignment || wish || flags)
        return INVALID;
    void *at = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return NO_MEMORY;
    cx_cu_result code = NO_MEMORY;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < MAX_MAPS && code; i++)
        if (!maps[i].bytes) {
            maps[i] = (struct map){(uintptr_t)at, bytes, NULL, 0};
            code = OK;
        }
    pthread_mutex_unlock(&lock);
    if (code)
        munmap(at, bytes);
    *pointer = (cx_cu_pointer)(uintptr_t)at;
    return code;
}

EXPORT cx_cu_result cuMemAddressFree(cx_cu_pointer pointer, size_t bytes)
{
    cx_cu_result code = fault("cuMemAddressFree");
    pthread_mutex_lock(&lock);
    struct map *map = map_at((uintptr_t)pointer);
    if (!code && (!map || map->at != pointer || map->bytes != bytes || map->handle))
        code = INVALID;
    if (!code) {
        munmap((void *)map->at, bytes);
        *map = (struct map){0};
    }
    pthread_mutex_unlock(&lock);
    return code;
}

EXPORT cx_cu_result cuMemMap(cx_cu_pointer pointer, size_t bytes, size_t offset, cx_cu_handle from,
                             unsigned long long flags)
{
    struct handle *handle = (struct handle *)(uintptr_t)from;
    cx_cu_result code = fault("cuMemMap");
    pthread_mutex_lock(&lock);
    struct map *map = map_at((uintptr_t)pointer);
    if (!code && (!map || map->at != pointer || map->bytes != bytes || map->handle || offset || flags ||
                  handle->bytes != bytes))
        code = INVALID;
    if (!code && mmap((void *)map->at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, handle->fd,
                      0) == MAP_FAILED)
        code = NO_MEMORY;
    if (!code) {
        map->handle = handle;
        atomic_fetch_add(&handle->refs, 1);
    }
    pthread_mutex_unlock(&lock);
    return code;
}

EXPORT cx_cu_result cuMemUnmap(cx_cu_pointer pointer, size_t bytes)
{
    cx_cu_result code = fault("cuMemUnmap");
    pthread_mutex_lock(&lock);
    struct map *map = map_at((uintptr_t)pointer);
    if (!code && (!map || map->at != pointer || map->bytes != bytes || !map->handle))
        code = INVALID;
    if (!code) {
        mmap((void *)map->at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
             0);
        unref(map->handle);
        map->handle = NULL;
        map->access = 0;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

EXPORT cx_cu_result cuMemSetAccess(cx_cu_pointer pointer, size_t bytes, const struct cx_cu_access *access,
                                   size_t count)
{
    cx_cu_result code = fault("cuMemSetAccess");
    pthread_mutex_lock(&lock);
    struct map *map = map_at((uintptr_t)pointer);
    if (!code && (!map || map->at != pointer || map->bytes != bytes || !map->handle))
        code = INVALID;
    for (size_t i = 0; i < count && !code; i++)
        if (access[i].location.kind == CX_CU_ON_DEVICE && access[i].flags == CX_CU_READ_WRITE)
            map->access |= UINT64_C(1) << access[i].location.id;
    pthread_mutex_unlock(&lock);
    return code;
}

EXPORT cx_cu_result cuMemExportToShareableHandle(void *shared, cx_cu_handle handle, int kind,
                                                 unsigned long long flags)
{
    CALL("cuMemExportToShareableHandle");
    if (kind != CX_CU_POSIX_FD || flags)
        return INVALID;
    const int fd = dup(((struct handle *)(uintptr_t)handle)->fd);
    memcpy(shared, &fd, sizeof(fd));
    return fd < 0 ? NO_MEMORY : OK;
}

/* ---- streams and copies ---- */

static void *run_stream(void *data)
{
    cx_cu_stream stream = data;
    unsigned random = 1;
    const unsigned delay = (unsigned)number("FAKE_CUDA_DELAY", 0);
    pthread_mutex_lock(&lock);
    for (;;) {
        struct work *work = stream->head;
        if (!work && stream->stop)
            break;
        if (!work) {
            pthread_cond_wait(&changed, &lock);
            continue;
        }
        stream->head = work->next;
        pthread_mutex_unlock(&lock);
        if (delay)
            usleep((unsigned)rand_r(&random) % delay);
        const struct cx_cu_rect *rect = &work->rect;
        for (size_t row = 0; row < rect->height && !work->poisoned; row++)
            memcpy((char *)(uintptr_t)rect->to.device + row * rect->to.pitch,
                   (const char *)(uintptr_t)rect->from.device + row * rect->from.pitch, rect->width);
        pthread_mutex_lock(&lock);
        if (work->poisoned)
            stream->failed = 700;
        stream->done++;
        pthread_cond_broadcast(&changed);
        free(work);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

EXPORT cx_cu_result cuStreamCreate(cx_cu_stream *out, unsigned flags)
{
    CALL("cuStreamCreate");
    if (!current || flags != CX_CU_NON_BLOCKING)
        return BAD_CONTEXT;
    cx_cu_stream stream = calloc(1, sizeof(*stream));
    if (!stream)
        return NO_MEMORY;
    stream->device = current->device;
    if (pthread_create(&stream->thread, NULL, run_stream, stream) != 0) {
        free(stream);
        return NO_MEMORY;
    }
    *out = stream;
    return OK;
}

EXPORT cx_cu_result cuStreamDestroy_v2(cx_cu_stream stream)
{
    CALL("cuStreamDestroy_v2");
    pthread_mutex_lock(&lock);
    stream->stop = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(stream->thread, NULL);
    free(stream);
    return OK;
}

static cx_cu_result wait_until(cx_cu_stream stream, uint64_t at)
{
    pthread_mutex_lock(&lock);
    while (stream->done < at)
        pthread_cond_wait(&changed, &lock);
    cx_cu_result code = stream->failed;
    stream->failed = OK;
    pthread_mutex_unlock(&lock);
    return code;
}

EXPORT cx_cu_result cuStreamSynchronize(cx_cu_stream stream)
{
    CALL("cuStreamSynchronize");
    pthread_mutex_lock(&lock);
    const uint64_t at = stream->queued;
    pthread_mutex_unlock(&lock);
    return wait_until(stream, at);
}

/* Both ends must be mapped and may be touched by the stream's device. */
static bool reachable(uintptr_t at, size_t bytes, int device)
{
    pthread_mutex_lock(&lock);
    const struct map *map = map_at(at);
    bool ok = map && map->handle && at + bytes <= map->at + map->bytes && map->access >> device & 1;
    pthread_mutex_unlock(&lock);
    return ok;
}

static cx_cu_result enqueue(const struct cx_cu_rect *rect, cx_cu_stream stream, bool poisoned)
{
    const size_t from = (rect->height - 1) * rect->from.pitch + rect->width,
                 to = (rect->height - 1) * rect->to.pitch + rect->width;
    if (!current || !stream || current->device != stream->device)
        return BAD_CONTEXT;
    if (!reachable((uintptr_t)rect->from.device, from, stream->device) ||
        !reachable((uintptr_t)rect->to.device, to, stream->device))
        return INVALID;
    struct work *work = calloc(1, sizeof(*work));
    if (!work)
        return NO_MEMORY;
    work->rect = *rect;
    work->poisoned = poisoned;
    note("copy %zu x %zu", rect->width, rect->height);
    pthread_mutex_lock(&lock);
    if (stream->head)
        stream->tail->next = work;
    else
        stream->head = work;
    stream->tail = work;
    stream->queued++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return OK;
}

EXPORT cx_cu_result cuMemcpyDtoDAsync_v2(cx_cu_pointer to, cx_cu_pointer from, size_t bytes,
                                         cx_cu_stream stream)
{
    const struct cx_cu_rect rect = {
        .from = {.device = from}, .to = {.device = to}, .width = bytes, .height = 1};
    CALL("cuMemcpyDtoDAsync_v2");
    return enqueue(&rect, stream, fault("copying") != OK);
}

EXPORT cx_cu_result cuMemcpy2DAsync_v2(const struct cx_cu_rect *rect, cx_cu_stream stream)
{
    CALL("cuMemcpy2DAsync_v2");
    if (rect->from.kind != CX_CU_DEVICE_MEMORY || rect->to.kind != CX_CU_DEVICE_MEMORY ||
        rect->from.pitch < rect->width || rect->to.pitch < rect->width || !rect->height || rect->from.x ||
        rect->from.y || rect->to.x || rect->to.y)
        return INVALID;
    return enqueue(rect, stream, fault("copying") != OK);
}

/* ---- events ---- */

EXPORT cx_cu_result cuEventCreate(cx_cu_event *event, unsigned flags)
{
    CALL("cuEventCreate");
    (void)flags;
    *event = current ? calloc(1, sizeof(**event)) : NULL;
    return *event ? OK : BAD_CONTEXT;
}

EXPORT cx_cu_result cuEventDestroy_v2(cx_cu_event event)
{
    CALL("cuEventDestroy_v2");
    free(event);
    return OK;
}

EXPORT cx_cu_result cuEventRecord(cx_cu_event event, cx_cu_stream stream)
{
    CALL("cuEventRecord");
    pthread_mutex_lock(&lock);
    event->stream = stream;
    event->at = stream->queued;
    pthread_mutex_unlock(&lock);
    return OK;
}

EXPORT cx_cu_result cuEventQuery(cx_cu_event event)
{
    CALL("cuEventQuery");
    pthread_mutex_lock(&lock);
    const bool done = event->stream->done >= event->at;
    pthread_mutex_unlock(&lock);
    return done ? wait_until(event->stream, event->at) : NOT_READY;
}

EXPORT cx_cu_result cuEventSynchronize(cx_cu_event event)
{
    CALL("cuEventSynchronize");
    return wait_until(event->stream, event->at);
}
