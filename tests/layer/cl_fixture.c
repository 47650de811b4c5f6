/* SPDX-License-Identifier: MIT */
/* What the API tests share: see cl_fixture.h. */
#include "cl_fixture.h"
#include "file.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct cl_fixture cl;

enum { TIME_LIMIT = 300, MAX_PLATFORMS = 8, MAX_DEVICES = 32 };

static unsigned wanted_device(void)
{
    const char *text = getenv("CL_TEST_DEVICE");
    return text ? (unsigned)strtoul(text, NULL, 10) : 0;
}

void cl_open_device(void)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_device_id devices[MAX_DEVICES];
    cl_uint nplatforms = 0, wanted = wanted_device();
    cl_ok(clGetPlatformIDs(MAX_PLATFORMS, platforms, &nplatforms));
    for (cl_uint p = 0; p < nplatforms && !cl.device; p++) {
        cl_uint count = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices, &count) != CL_SUCCESS)
            continue;
        if (wanted < count) {
            cl.platform = platforms[p];
            cl.device = devices[wanted];
        } else {
            wanted -= count;
        }
    }
    ck_assert_msg(cl.device != NULL, "no such device");
}

void cl_open(void)
{
    cl_int error;
    cl_open_device();
    cl.context = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &error);
    cl_ok(error);
    cl.queue = cl_queue(CL_QUEUE_PROFILING_ENABLE);
}

void cl_close(void)
{
    cl_ok(clFinish(cl.queue));
    cl_ok(clReleaseCommandQueue(cl.queue));
    cl_ok(clReleaseContext(cl.context));
}

TCase *cl_case(Suite *suite, const char *name)
{
    TCase *tcase = tcase_create(name);
    tcase_set_timeout(tcase, TIME_LIMIT);
    tcase_add_checked_fixture(tcase, cl_open, cl_close);
    suite_add_tcase(suite, tcase);
    return tcase;
}

#define CODE(name)                                                                                           \
    {                                                                                                        \
        name, #name                                                                                          \
    }
static const struct {
    cl_int code;
    const char *name;
} codes[] = {
    CODE(CL_SUCCESS),
    CODE(CL_DEVICE_NOT_FOUND),
    CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    CODE(CL_OUT_OF_RESOURCES),
    CODE(CL_OUT_OF_HOST_MEMORY),
    CODE(CL_PROFILING_INFO_NOT_AVAILABLE),
    CODE(CL_MEM_COPY_OVERLAP),
    CODE(CL_BUILD_PROGRAM_FAILURE),
    CODE(CL_MAP_FAILURE),
    CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    CODE(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    CODE(CL_INVALID_VALUE),
    CODE(CL_INVALID_DEVICE_TYPE),
    CODE(CL_INVALID_PLATFORM),
    CODE(CL_INVALID_DEVICE),
    CODE(CL_INVALID_CONTEXT),
    CODE(CL_INVALID_QUEUE_PROPERTIES),
    CODE(CL_INVALID_COMMAND_QUEUE),
    CODE(CL_INVALID_HOST_PTR),
    CODE(CL_INVALID_MEM_OBJECT),
    CODE(CL_INVALID_BINARY),
    CODE(CL_INVALID_BUILD_OPTIONS),
    CODE(CL_INVALID_PROGRAM),
    CODE(CL_INVALID_PROGRAM_EXECUTABLE),
    CODE(CL_INVALID_KERNEL_NAME),
    CODE(CL_INVALID_KERNEL_DEFINITION),
    CODE(CL_INVALID_KERNEL),
    CODE(CL_INVALID_ARG_INDEX),
    CODE(CL_INVALID_ARG_VALUE),
    CODE(CL_INVALID_ARG_SIZE),
    CODE(CL_INVALID_KERNEL_ARGS),
    CODE(CL_INVALID_WORK_DIMENSION),
    CODE(CL_INVALID_WORK_GROUP_SIZE),
    CODE(CL_INVALID_WORK_ITEM_SIZE),
    CODE(CL_INVALID_GLOBAL_OFFSET),
    CODE(CL_INVALID_EVENT_WAIT_LIST),
    CODE(CL_INVALID_EVENT),
    CODE(CL_INVALID_OPERATION),
    CODE(CL_INVALID_BUFFER_SIZE),
    CODE(CL_INVALID_GLOBAL_WORK_SIZE),
    CODE(CL_INVALID_PROPERTY),
    CODE(CL_INVALID_SAMPLER),
    CODE(CL_INVALID_IMAGE_SIZE),
    CODE(CL_INVALID_COMPILER_OPTIONS),
    CODE(CL_INVALID_LINKER_OPTIONS),
    CODE(CL_COMPILE_PROGRAM_FAILURE),
    CODE(CL_LINK_PROGRAM_FAILURE),
    CODE(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
    CODE(CL_IMAGE_FORMAT_NOT_SUPPORTED),
    CODE(CL_INVALID_IMAGE_DESCRIPTOR),
    CODE(CL_DEVICE_PARTITION_FAILED),
    CODE(CL_INVALID_DEVICE_PARTITION_COUNT),
    CODE(CL_IMAGE_FORMAT_MISMATCH),
};

const char *cl_code_name(cl_int code)
{
    static char number[16];
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        if (codes[i].code == code)
            return codes[i].name;
    }
    snprintf(number, sizeof(number), "%d", code);
    return number;
}

cl_command_queue cl_queue(cl_command_queue_properties properties)
{
    cl_int error;
    cl_command_queue queue = clCreateCommandQueue(cl.context, cl.device, properties, &error);
    cl_ok(error);
    return queue;
}

cl_mem cl_buffer(cl_mem_flags flags, size_t size, void *host_ptr)
{
    cl_int error;
    cl_mem mem = clCreateBuffer(cl.context, flags, size, host_ptr, &error);
    cl_ok(error);
    return mem;
}

cl_program cl_build(const char *source, const char *options)
{
    cl_int error;
    cl_program program = clCreateProgramWithSource(cl.context, 1, &source, NULL, &error);
    cl_ok(error);
    cl_ok(clBuildProgram(program, 1, &cl.device, options, NULL, NULL));
    return program;
}

cl_kernel cl_kernel_in(cl_program program, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    cl_ok(error);
    return kernel;
}

cl_kernel cl_kernel_of(const char *source, const char *name)
{
    cl_program program = cl_build(source, NULL);
    cl_kernel kernel = cl_kernel_in(program, name);
    cl_ok(clReleaseProgram(program));
    return kernel;
}

cl_program cl_build_file(const char *path)
{
    char *source = file_read(path, NULL);
    ck_assert_ptr_nonnull(source);
    cl_program program = cl_build(source, "");
    free(source);
    return program;
}

cl_kernel cl_kernel_of_file(const char *path, const char *name)
{
    cl_program program = cl_build_file(path);
    cl_kernel kernel = cl_kernel_in(program, name);
    cl_ok(clReleaseProgram(program));
    return kernel;
}

void cl_set_mem(cl_kernel kernel, cl_uint index, cl_mem mem)
{
    cl_ok(clSetKernelArg(kernel, index, sizeof(mem), &mem));
}

void cl_set_int(cl_kernel kernel, cl_uint index, cl_int value)
{
    cl_ok(clSetKernelArg(kernel, index, sizeof(value), &value));
}

void cl_launch(cl_kernel kernel, size_t items)
{
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
}

void cl_read(cl_mem mem, void *to, size_t size)
{
    cl_ok(clEnqueueReadBuffer(cl.queue, mem, CL_TRUE, 0, size, to, 0, NULL, NULL));
}

void cl_write(cl_mem mem, const void *from, size_t size)
{
    cl_ok(clEnqueueWriteBuffer(cl.queue, mem, CL_TRUE, 0, size, from, 0, NULL, NULL));
}

cl_ulong cl_time_of(cl_event event, cl_profiling_info what)
{
    cl_ulong time = 0;
    cl_ok(clGetEventProfilingInfo(event, what, sizeof(time), &time, NULL));
    return time;
}

static atomic_uint ends;

static void CL_CALLBACK on_end(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    atomic_fetch_add(&ends, 1);
}

void cl_count_end(cl_event event)
{
    cl_ok(clSetEventCallback(event, CL_COMPLETE, on_end, NULL));
}

unsigned cl_ends(void)
{
    return atomic_load(&ends);
}

bool cl_is_coexec(void)
{
    char name[128] = "";
    cl_ok(clGetPlatformInfo(cl.platform, CL_PLATFORM_NAME, sizeof(name), name, NULL));
    return strncmp(name, "coexec", strlen("coexec")) == 0;
}

static bool is_pocl(void)
{
    char name[128] = "";
    cl_ok(clGetPlatformInfo(cl.platform, CL_PLATFORM_NAME, sizeof(name), name, NULL));
    return strcmp(name, "Portable Computing Language") == 0;
}

bool cl_user_events_work(void)
{
    char name[256] = "";
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_NAME, sizeof(name), name, NULL));
    return !is_pocl() || strncmp(name, "basic", 5) != 0;
}

bool cl_user_events_fail(void)
{
    return !is_pocl();
}

bool cl_out_of_order_works(void)
{
    cl_command_queue_properties properties = 0;
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_QUEUE_PROPERTIES, sizeof(properties), &properties, NULL));
    return properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
}

static uint64_t state = 1;

void cl_seed(uint64_t seed)
{
    state = seed * 2 + 1;
}

double cl_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

unsigned cl_roll(unsigned below)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

void cl_noise(void *room, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)room)[i] = (unsigned char)cl_roll(256);
}

bool cl_in_some_try(bool (*try_once)(int), int with)
{
    enum { TRIES = 5, LATE = 3 };
    int status = 0;
    for (unsigned i = 0; i < TRIES; i++) {
        const pid_t child = fork();
        if (child == 0)
            exit(try_once(with) ? 0 : LATE);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(WIFEXITED(status));
        if (WEXITSTATUS(status) != LATE)
            break;
    }
    ck_assert_int_ne(WEXITSTATUS(status), 1); /* an assertion of the try's */
    return WEXITSTATUS(status) == 0;
}
