/* SPDX-License-Identifier: MIT */
/*
 * The functions of NVIDIA's driver that peer transfers need. The library is opened at run time, once in a
 * process and only when peer transfers are wanted; building needs nothing of CUDA. Types and numbers are
 * those of the driver's binary interface.
 *
 * Opening takes half a second, mostly for the devices' contexts, so it can be done in a thread of its own.
 * exit() waits for the one call that this thread may be making, since the library must not be torn down
 * during it.
 *
 * Thread-safe; the table never changes. Used by peer.h.
 */
#ifndef CX_LAYER_DRIVER_CUDA_H
#define CX_LAYER_DRIVER_CUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int cx_cu_result; /* 0: fine */
typedef int cx_cu_device;
typedef uint64_t cx_cu_pointer;
typedef uint64_t cx_cu_handle; /* of physical memory */
typedef struct cx_cu_context_st *cx_cu_context;
typedef struct cx_cu_stream_st *cx_cu_stream;
typedef struct cx_cu_event_st *cx_cu_event;

enum {
    CX_CU_OUT_OF_MEMORY = 2,
    CX_CU_NOT_READY = 600,
    CX_CU_PINNED = 1,       /* a kind of allocation */
    CX_CU_POSIX_FD = 1,     /* a kind of handle */
    CX_CU_ON_DEVICE = 1,    /* a kind of location */
    CX_CU_READ_WRITE = 3,   /* access */
    CX_CU_NON_BLOCKING = 1, /* a stream's flag */
    CX_CU_EVENT_BLOCKS = 1, /* events' flags */
    CX_CU_EVENT_NO_TIME = 2,
    CX_CU_DEVICE_MEMORY = 2, /* a kind of memory of a rectangle */
};

struct cx_cu_uuid {
    unsigned char bytes[16];
};

struct cx_cu_location {
    int kind, id;
};

struct cx_cu_allocation {
    int kind, handles;
    struct cx_cu_location location;
    void *windows;
    struct {
        unsigned char compression, direct;
        unsigned short usage;
        unsigned char reserved[4];
    } flags;
};

struct cx_cu_access {
    struct cx_cu_location location;
    int flags;
};

struct cx_cu_side {
    size_t x, y; /* bytes, rows */
    int kind;
    void *host;
    cx_cu_pointer device;
    void *array;
    size_t pitch;
};

struct cx_cu_rect {
    struct cx_cu_side from, to;
    size_t width, height; /* bytes, rows */
};

/* X(field, name in the library, (parameters)) */
#define CX_CUDA_CALLS(X)                                                                                     \
    X(init, cuInit, (unsigned flags))                                                                        \
    X(device_count, cuDeviceGetCount, (int *count))                                                          \
    X(device_get, cuDeviceGet, (cx_cu_device * device, int ordinal))                                         \
    X(device_uuid, cuDeviceGetUuid, (struct cx_cu_uuid * uuid, cx_cu_device device))                         \
    X(can_access, cuDeviceCanAccessPeer, (int *can, cx_cu_device device, cx_cu_device peer))                 \
    X(primary_retain, cuDevicePrimaryCtxRetain, (cx_cu_context * context, cx_cu_device device))              \
    X(current_get, cuCtxGetCurrent, (cx_cu_context * context))                                               \
    X(current_set, cuCtxSetCurrent, (cx_cu_context context))                                                 \
    X(granularity, cuMemGetAllocationGranularity,                                                            \
      (size_t * bytes, const struct cx_cu_allocation *allocation, int recommended))                          \
    X(create, cuMemCreate,                                                                                   \
      (cx_cu_handle * handle, size_t bytes, const struct cx_cu_allocation *allocation,                       \
       unsigned long long flags))                                                                            \
    X(release, cuMemRelease, (cx_cu_handle handle))                                                          \
    X(reserve, cuMemAddressReserve,                                                                          \
      (cx_cu_pointer * pointer, size_t bytes, size_t alignment, cx_cu_pointer wish,                          \
       unsigned long long flags))                                                                            \
    X(address_free, cuMemAddressFree, (cx_cu_pointer pointer, size_t bytes))                                 \
    X(map, cuMemMap,                                                                                         \
      (cx_cu_pointer pointer, size_t bytes, size_t offset, cx_cu_handle handle, unsigned long long flags))   \
    X(unmap, cuMemUnmap, (cx_cu_pointer pointer, size_t bytes))                                              \
    X(set_access, cuMemSetAccess,                                                                            \
      (cx_cu_pointer pointer, size_t bytes, const struct cx_cu_access *access, size_t count))                \
    X(export_handle, cuMemExportToShareableHandle,                                                           \
      (void *shared, cx_cu_handle handle, int kind, unsigned long long flags))                               \
    X(copy, cuMemcpyDtoDAsync_v2, (cx_cu_pointer to, cx_cu_pointer from, size_t bytes, cx_cu_stream stream)) \
    X(copy_rect, cuMemcpy2DAsync_v2, (const struct cx_cu_rect *rect, cx_cu_stream stream))                   \
    X(stream_create, cuStreamCreate, (cx_cu_stream * stream, unsigned flags))                                \
    X(stream_destroy, cuStreamDestroy_v2, (cx_cu_stream stream))                                             \
    X(stream_wait, cuStreamSynchronize, (cx_cu_stream stream))                                               \
    X(event_create, cuEventCreate, (cx_cu_event * event, unsigned flags))                                    \
    X(event_destroy, cuEventDestroy_v2, (cx_cu_event event))                                                 \
    X(event_record, cuEventRecord, (cx_cu_event event, cx_cu_stream stream))                                 \
    X(event_query, cuEventQuery, (cx_cu_event event))                                                        \
    X(event_wait, cuEventSynchronize, (cx_cu_event event))                                                   \
    X(error_name, cuGetErrorName, (cx_cu_result code, const char **name))

#define CX_CUDA_FIELD(field, name, parameters) cx_cu_result(*field) parameters;
struct cx_cuda {
    CX_CUDA_CALLS(CX_CUDA_FIELD)
    int ndevices;
};
#undef CX_CUDA_FIELD

/* Opens the library at the first call (COEXEC_LIBCUDA, default libcuda.so.1) and initialises it. NULL: it is
 * missing or lacks a function; cx_cuda_problem says why. Called by memory/peer.c. */
const struct cx_cuda *cx_cuda_get(void);
const char *cx_cuda_problem(void);
/* Starts a thread that opens the library and the contexts of those of these devices that reach another one's
 * memory. Nothing waits for it. Returns a number with which cx_cuda_is_ready says whether the attempt is
 * over; a set of devices, or a part of it, is tried once in a process. 0: no thread could be started. Called
 * by memory/peer.c. */
unsigned cx_cuda_open_beside(const struct cx_cu_uuid *uuids, unsigned count);
bool cx_cuda_is_ready(unsigned number);

/* Once the library is open: finds the device with this identity; whether two devices reach each other's
 * memory. Called by memory/peer.c. */
bool cx_cuda_find(const struct cx_cu_uuid *uuid, cx_cu_device *device);
bool cx_cuda_reaches(cx_cu_device a, cx_cu_device b);
/* The device's primary context, retained at the first call for the life of the process. Called by
 * memory/peer.c. */
cx_cu_result cx_cuda_context(cx_cu_device device, cx_cu_context *context);
/* An error's name, never NULL. Called by memory/peer.c and memory/transport_peer.c. */
const char *cx_cuda_name(cx_cu_result code);

#endif
