/* SPDX-License-Identifier: MIT */
/*
 * A wrapper around a real CPU driver that lets its devices pass for GPUs that take over memory from outside:
 * they have an identity, know cl_khr_external_memory_opaque_fd, and map what the made-up libcuda of cuda.c
 * exports. For tests of peer copies. What NVIDIA's driver (580.159.04) cannot bear ends the program: memory
 * that ends while still acquired (there clReleaseContext hangs), and memory of 512 MB or more (it crashes).
 *
 *   SHARED_DRIVER=file       the driver below; default libpocl.so.2
 *   SHARED_FAIL=import|acquire|visit|copy:k|copy:k+|launch:k  what is refused; kernels of memory that was
 *                            imported before; copies within a device: the k-th, and all after; the k-th
 *                            kernel, after a while
 *   SHARED_DELAY=us          copies within a device are enqueued up to so much later
 *   SHARED_LATE=us           every other kernel begins up to so much later than it could
 *   SHARED_LOG=file          a line for each copy within a device, with its two objects
 */
#include "wrap.h"

#include <CL/cl_ext.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool refused(const char *what)
{
    const char *fail = getenv("SHARED_FAIL");
    return fail && strcmp(fail, what) == 0;
}

static cl_int give(const void *data, size_t size, size_t room, void *value, size_t *size_ret)
{
    if (size_ret)
        *size_ret = size;
    if (value && room < size)
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, data, size);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, size_t room, void *value,
                                      size_t *size_ret)
{
    static const char more[] = " cl_khr_device_uuid cl_khr_external_memory cl_khr_external_memory_opaque_fd";
    unsigned char uuid[CL_UUID_SIZE_KHR] = "coexec test dev";
    char text[8192];
    if (what == CL_DEVICE_UUID_KHR) {
        while (uuid[15] < driver.ndevices && driver.devices[uuid[15]] != device)
            uuid[15]++;
        return give(uuid, sizeof(uuid), room, value, size_ret);
    }
    if (what != CL_DEVICE_EXTENSIONS)
        return driver.real.clGetDeviceInfo(device, what, room, value, size_ret);
    cl_int code = driver.real.clGetDeviceInfo(device, what, sizeof(text) - sizeof(more), text, NULL);
    if (code != CL_SUCCESS)
        return code;
    strcat(text, more);
    return give(text, strlen(text) + 1, room, value, size_ret);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct mapping {
    void *at;
    size_t bytes;
    cl_mem mem;
    ino_t file;
    bool acquired, second; /* another one of the same memory was there before */
    struct mapping *next;
} *mappings;

/* All of them are ours, and not in this state yet. */
static bool move(cl_uint count, const cl_mem *mems, bool acquired)
{
    cl_uint found = 0;
    pthread_mutex_lock(&lock);
    for (cl_uint i = 0; i < count; i++)
        for (struct mapping *m = mappings; m; m = m->next)
            if (m->mem == mems[i] && m->acquired != acquired) {
                m->acquired = acquired;
                found++;
            }
    pthread_mutex_unlock(&lock);
    return found == count;
}

static void CL_CALLBACK unmap(cl_mem mem, void *data)
{
    struct mapping *mapping = data;
    (void)mem;
    pthread_mutex_lock(&lock);
    for (struct mapping **at = &mappings; *at; at = &(*at)->next)
        if (*at == mapping) {
            *at = mapping->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    if (mapping->acquired) {
        fprintf(stderr, "shared driver: external memory ends while it is acquired\n");
        abort();
    }
    munmap(mapping->at, mapping->bytes);
    free(mapping);
}

static cl_mem CL_API_CALL create_with_properties(cl_context context, const cl_mem_properties *properties,
                                                 cl_mem_flags flags, size_t size, void *host, cl_int *error)
{
    struct stat file;
    if (!properties || properties[0] != CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR)
        return driver.real.clCreateBuffer(context, flags, size, host, error);
    const int fd = (int)properties[1];
    if (size >= 512u << 20) {
        fprintf(stderr, "shared driver: %zu bytes of external memory are too many\n", size);
        abort();
    }
    *error = refused("import") || fstat(fd, &file) != 0 || (size_t)file.st_size != size || host
                 ? CL_INVALID_VALUE
                 : CL_SUCCESS;
    if (*error != CL_SUCCESS)
        return NULL;
    struct mapping *mapping = calloc(1, sizeof(*mapping));
    mapping->bytes = size;
    mapping->at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    cl_mem mem = driver.real.clCreateBuffer(context, flags | CL_MEM_USE_HOST_PTR, size, mapping->at, error);
    if (*error != CL_SUCCESS) {
        unmap(NULL, mapping);
        return NULL;
    }
    driver.real.clSetMemObjectDestructorCallback(mem, unmap, mapping);
    mapping->mem = mem;
    mapping->file = file.st_ino;
    pthread_mutex_lock(&lock);
    for (const struct mapping *m = mappings; m; m = m->next)
        mapping->second |= m->file == mapping->file;
    mapping->next = mappings;
    mappings = mapping;
    pthread_mutex_unlock(&lock);
    close(fd); /* it is the driver's now */
    return mem;
}

static cl_int CL_API_CALL acquire(cl_command_queue queue, cl_uint count, const cl_mem *mems, cl_uint nwaits,
                                  const cl_event *waits, cl_event *event)
{
    if (refused("acquire"))
        return CL_OUT_OF_RESOURCES;
    return count && mems && move(count, mems, true)
               ? driver.real.clEnqueueMarkerWithWaitList(queue, nwaits, waits, event)
               : CL_INVALID_VALUE;
}

static cl_int CL_API_CALL release(cl_command_queue queue, cl_uint count, const cl_mem *mems, cl_uint nwaits,
                                  const cl_event *waits, cl_event *event)
{
    return count && mems && move(count, mems, false)
               ? driver.real.clEnqueueMarkerWithWaitList(queue, nwaits, waits, event)
               : CL_INVALID_VALUE;
}

/* ---- copies within a device ---- */

/* Whether the next one is to fail. Each thread has delays of its own. */
static bool copy_fails(cl_mem from_mem, cl_mem to, size_t bytes, size_t rows)
{
    static _Thread_local unsigned random;
    static atomic_ulong seen;
    const char *delay = getenv("SHARED_DELAY"), *log = getenv("SHARED_LOG"), *fail = getenv("SHARED_FAIL");
    const unsigned long k = atomic_fetch_add(&seen, 1) + 1;
    unsigned long at = 0;
    char from = 0;
    if (delay && *delay != '0') {
        random = random ? random : (unsigned)k;
        usleep((unsigned)rand_r(&random) % (unsigned)strtoul(delay, NULL, 10));
    }
    FILE *file = log && *log ? fopen(log, "ae") : NULL;
    if (file) {
        fprintf(file, "copy %zu x %zu from %p to %p\n", bytes, rows, (void *)from_mem, (void *)to);
        fclose(file);
    }
    return fail && sscanf(fail, "copy:%lu%c", &at, &from) >= 1 && (k == at || (from == '+' && k > at));
}

static cl_int CL_API_CALL copy_buffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                                      size_t to_offset, size_t bytes, cl_uint nwaits, const cl_event *waits,
                                      cl_event *event)
{
    return copy_fails(from, to, bytes, 1)
               ? CL_OUT_OF_RESOURCES
               : driver.real.clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, bytes, nwaits,
                                                 waits, event);
}

static cl_int CL_API_CALL copy_rect(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin,
                                    const size_t *to_origin, const size_t *region, size_t from_row,
                                    size_t from_slice, size_t to_row, size_t to_slice, cl_uint nwaits,
                                    const cl_event *waits, cl_event *event)
{
    return copy_fails(from, to, region[0], region[1] * region[2])
               ? CL_OUT_OF_RESOURCES
               : driver.real.clEnqueueCopyBufferRect(queue, from, to, from_origin, to_origin, region,
                                                     from_row, from_slice, to_row, to_slice, nwaits, waits,
                                                     event);
}

/* ---- kernels ---- */

/* Opens a gate after a while. */
struct late {
    cl_event gate;
    useconds_t us;
};

static void *open_late(void *data)
{
    struct late *late = data;
    usleep(late->us);
    driver.real.clSetUserEventStatus(late->gate, CL_COMPLETE);
    driver.real.clReleaseEvent(late->gate);
    free(late);
    return NULL;
}

/* A gate that a kernel of the queue shall wait for; NULL: none. Each thread has times of its own. */
static struct late *make_late(cl_command_queue queue)
{
    static _Thread_local unsigned random;
    static atomic_uint threads;
    const char *most = getenv("SHARED_LATE");
    cl_context context;
    cl_int error;
    random = random ? random : 1 + atomic_fetch_add(&threads, 1);
    if (!most || *most == '0' || rand_r(&random) % 2 == 0 ||
        driver.real.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(context), &context, NULL))
        return NULL;
    struct late *late = malloc(sizeof(*late));
    late->us = (unsigned)rand_r(&random) % (unsigned)strtoul(most, NULL, 10);
    late->gate = driver.real.clCreateUserEvent(context, &error);
    if (error == CL_SUCCESS)
        return late;
    free(late);
    return NULL;
}

static cl_int CL_API_CALL set_arg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    bool visits = false;
    pthread_mutex_lock(&lock);
    for (const struct mapping *m = mappings; m && value && size == sizeof(cl_mem); m = m->next)
        visits |= m->second && memcmp(value, &m->mem, sizeof(cl_mem)) == 0;
    pthread_mutex_unlock(&lock);
    return visits && refused("visit") ? CL_INVALID_MEM_OBJECT
                                      : driver.real.clSetKernelArg(kernel, index, size, value);
}

/* Whether this kernel is refused: late, when other devices have done theirs. */
static bool launch_fails(void)
{
    static atomic_ulong seen;
    const char *fail = getenv("SHARED_FAIL");
    const unsigned long k = atomic_fetch_add(&seen, 1) + 1;
    unsigned long at = 0;
    if (!fail || sscanf(fail, "launch:%lu", &at) != 1 || k != at)
        return false;
    usleep(100000);
    return true;
}

static cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dim, const size_t *offset,
                                 const size_t *global, const size_t *local, cl_uint nwaits,
                                 const cl_event *waits, cl_event *event)
{
    cl_event all[8];
    pthread_t thread;
    if (launch_fails())
        return CL_OUT_OF_RESOURCES;
    struct late *late = nwaits < 8 ? make_late(queue) : NULL;
    if (!late)
        return driver.real.clEnqueueNDRangeKernel(queue, kernel, dim, offset, global, local, nwaits, waits,
                                                  event);
    for (cl_uint i = 0; i < nwaits; i++)
        all[i] = waits[i];
    all[nwaits] = late->gate;
    const cl_int code =
        driver.real.clEnqueueNDRangeKernel(queue, kernel, dim, offset, global, local, nwaits + 1, all, event);
    driver.real.clFlush(queue);
    if (pthread_create(&thread, NULL, open_late, late) == 0)
        pthread_detach(thread);
    else
        open_late(late);
    return code;
}

static void *CL_API_CALL address_for(cl_platform_id platform, const char *name)
{
    if (strcmp(name, "clEnqueueAcquireExternalMemObjectsKHR") == 0)
        return (void *)(uintptr_t)acquire;
    if (strcmp(name, "clEnqueueReleaseExternalMemObjectsKHR") == 0)
        return (void *)(uintptr_t)release;
    return driver.real.clGetExtensionFunctionAddressForPlatform(platform, name);
}

const char *const wrap_name = "shared", *const wrap_variable = "SHARED_DRIVER";

void wrap_replace(cl_icd_dispatch *table)
{
    table->clGetDeviceInfo = device_info;
    table->clCreateBufferWithProperties = create_with_properties;
    table->clGetExtensionFunctionAddressForPlatform = address_for;
    table->clSetKernelArg = set_arg;
    table->clEnqueueNDRangeKernel = launch;
    table->clEnqueueCopyBuffer = copy_buffer;
    table->clEnqueueCopyBufferRect = copy_rect;
}
