/* SPDX-License-Identifier: MIT */
/* Platform, device, contexts, queues and buffers: creation, queries, counts, and the error codes for what is
 * wrong. */
#include "cl_fixture.h"
#include <string.h>

enum { SIZE = 4096 };

START_TEST(platform_info)
{
    static const cl_platform_info texts[] = {CL_PLATFORM_PROFILE, CL_PLATFORM_VERSION, CL_PLATFORM_NAME,
                                             CL_PLATFORM_VENDOR, CL_PLATFORM_EXTENSIONS};
    char text[4096];
    size_t size = 0;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        cl_ok(clGetPlatformInfo(cl.platform, texts[i], 0, NULL, &size));
        ck_assert_uint_ge(size, 1);
        cl_ok(clGetPlatformInfo(cl.platform, texts[i], sizeof(text), text, NULL));
        ck_assert_uint_eq(strlen(text) + 1, size);
        cl_expect(clGetPlatformInfo(cl.platform, texts[i], size - 1, text, NULL), CL_INVALID_VALUE);
    }
    cl_ok(clGetPlatformInfo(cl.platform, CL_PLATFORM_VERSION, sizeof(text), text, NULL));
    ck_assert_int_eq(strncmp(text, "OpenCL ", 7), 0);
    cl_expect(clGetPlatformInfo(cl.platform, 0x1, sizeof(text), text, NULL), CL_INVALID_VALUE);
}
END_TEST

START_TEST(device_ids)
{
    cl_device_id device = NULL;
    cl_uint count = 0;
    cl_ok(clGetDeviceIDs(cl.platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count));
    ck_assert_uint_ge(count, 1);
    cl_ok(clGetDeviceIDs(cl.platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL));
    ck_assert_ptr_nonnull(device);
    cl_expect(clGetDeviceIDs(cl.platform, CL_DEVICE_TYPE_ALL, 0, &device, NULL), CL_INVALID_VALUE);
    cl_expect(clGetDeviceIDs(cl.platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL), CL_INVALID_VALUE);
    /* the spec has CL_INVALID_DEVICE_TYPE; PoCL 3.1 finds none */
    cl_expect_either(clGetDeviceIDs(cl.platform, 0, 1, &device, NULL), CL_INVALID_DEVICE_TYPE,
                     CL_DEVICE_NOT_FOUND);
    cl_ok(clRetainDevice(cl.device));
    cl_ok(clReleaseDevice(cl.device));
}
END_TEST

#define QUERY(what, type)                                                                                    \
    {                                                                                                        \
        what, sizeof(type), #what                                                                            \
    }
/* Fixed-size queries of OpenCL 1.2 that every device must answer. */
static const struct {
    cl_device_info what;
    size_t size;
    const char *name;
} device_queries[] = {
    QUERY(CL_DEVICE_TYPE, cl_device_type),
    QUERY(CL_DEVICE_VENDOR_ID, cl_uint),
    QUERY(CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint),
    QUERY(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, cl_uint),
    QUERY(CL_DEVICE_MAX_WORK_GROUP_SIZE, size_t),
    QUERY(CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, cl_uint),
    QUERY(CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, cl_uint),
    QUERY(CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, cl_uint),
    QUERY(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, cl_uint),
    QUERY(CL_DEVICE_MAX_CLOCK_FREQUENCY, cl_uint),
    QUERY(CL_DEVICE_ADDRESS_BITS, cl_uint),
    QUERY(CL_DEVICE_MAX_MEM_ALLOC_SIZE, cl_ulong),
    QUERY(CL_DEVICE_IMAGE_SUPPORT, cl_bool),
    QUERY(CL_DEVICE_MAX_READ_IMAGE_ARGS, cl_uint),
    QUERY(CL_DEVICE_MAX_SAMPLERS, cl_uint),
    QUERY(CL_DEVICE_MAX_PARAMETER_SIZE, size_t),
    QUERY(CL_DEVICE_MEM_BASE_ADDR_ALIGN, cl_uint),
    QUERY(CL_DEVICE_SINGLE_FP_CONFIG, cl_device_fp_config),
    QUERY(CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, cl_device_mem_cache_type),
    QUERY(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, cl_uint),
    QUERY(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, cl_ulong),
    QUERY(CL_DEVICE_GLOBAL_MEM_SIZE, cl_ulong),
    QUERY(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, cl_ulong),
    QUERY(CL_DEVICE_MAX_CONSTANT_ARGS, cl_uint),
    QUERY(CL_DEVICE_LOCAL_MEM_TYPE, cl_device_local_mem_type),
    QUERY(CL_DEVICE_LOCAL_MEM_SIZE, cl_ulong),
    QUERY(CL_DEVICE_ERROR_CORRECTION_SUPPORT, cl_bool),
    QUERY(CL_DEVICE_HOST_UNIFIED_MEMORY, cl_bool),
    QUERY(CL_DEVICE_PROFILING_TIMER_RESOLUTION, size_t),
    QUERY(CL_DEVICE_ENDIAN_LITTLE, cl_bool),
    QUERY(CL_DEVICE_AVAILABLE, cl_bool),
    QUERY(CL_DEVICE_COMPILER_AVAILABLE, cl_bool),
    QUERY(CL_DEVICE_LINKER_AVAILABLE, cl_bool),
    QUERY(CL_DEVICE_EXECUTION_CAPABILITIES, cl_device_exec_capabilities),
    QUERY(CL_DEVICE_QUEUE_PROPERTIES, cl_command_queue_properties),
    QUERY(CL_DEVICE_PLATFORM, cl_platform_id),
    QUERY(CL_DEVICE_PRINTF_BUFFER_SIZE, size_t),
    QUERY(CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, cl_bool),
    QUERY(CL_DEVICE_PARENT_DEVICE, cl_device_id),
    QUERY(CL_DEVICE_PARTITION_MAX_SUB_DEVICES, cl_uint),
    QUERY(CL_DEVICE_PARTITION_AFFINITY_DOMAIN, cl_device_affinity_domain),
    QUERY(CL_DEVICE_REFERENCE_COUNT, cl_uint),
};

START_TEST(device_info_sizes)
{
    unsigned char room[64];
    size_t size;
    for (size_t i = 0; i < sizeof(device_queries) / sizeof(device_queries[0]); i++) {
        cl_int code = clGetDeviceInfo(cl.device, device_queries[i].what, sizeof(room), room, &size);
        ck_assert_msg(code == CL_SUCCESS, "%s: %s", device_queries[i].name, cl_code_name(code));
        ck_assert_msg(size == device_queries[i].size, "%s: %zu bytes", device_queries[i].name, size);
        if (size > 1)
            cl_expect(clGetDeviceInfo(cl.device, device_queries[i].what, size - 1, room, NULL),
                      CL_INVALID_VALUE);
    }
    cl_expect(clGetDeviceInfo(cl.device, 0x1, sizeof(room), room, NULL), CL_INVALID_VALUE);
}
END_TEST

START_TEST(device_info_values)
{
    static const cl_device_info texts[] = {
        CL_DEVICE_NAME,    CL_DEVICE_VENDOR,           CL_DRIVER_VERSION,    CL_DEVICE_PROFILE,
        CL_DEVICE_VERSION, CL_DEVICE_OPENCL_C_VERSION, CL_DEVICE_EXTENSIONS, CL_DEVICE_BUILT_IN_KERNELS};
    char text[8192];
    cl_device_type type;
    cl_platform_id platform;
    size_t sizes[8] = {0}, group, size;
    cl_uint dimensions;
    cl_ulong memory, largest;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        cl_ok(clGetDeviceInfo(cl.device, texts[i], sizeof(text), text, &size));
        ck_assert_uint_eq(strlen(text) + 1, size);
    }
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_TYPE, sizeof(type), &type, NULL));
    ck_assert(type & (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR));
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_PLATFORM, sizeof(platform), &platform, NULL));
    ck_assert_ptr_eq(platform, cl.platform);
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, sizeof(dimensions), &dimensions,
                          NULL));
    ck_assert_uint_ge(dimensions, 3);
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof(sizes), sizes, &size));
    ck_assert_uint_eq(size, dimensions * sizeof(size_t));
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(group), &group, NULL));
    ck_assert_uint_ge(group, 1);
    ck_assert_uint_ge(sizes[0], 1);
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(memory), &memory, NULL));
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(largest), &largest, NULL));
    ck_assert_uint_le(largest, memory);
    ck_assert_uint_ge(largest, memory / 4 < (1 << 20) ? memory / 4 : (1 << 20));
}
END_TEST

static void CL_CALLBACK on_context_error(const char *text, const void *data, size_t size, void *user)
{
}

static cl_uint context_refs(cl_context context)
{
    cl_uint refs = 0;
    cl_ok(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof(refs), &refs, NULL));
    return refs;
}

START_TEST(context_create_and_query)
{
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)cl.platform, 0}, got[8];
    cl_device_id device;
    cl_uint count;
    size_t size;
    cl_int error;
    cl_context context = clCreateContext(properties, 1, &cl.device, on_context_error, &error, &error);
    cl_ok(error);
    ck_assert_uint_eq(context_refs(context), 1);
    cl_ok(clRetainContext(context));
    ck_assert_uint_eq(context_refs(context), 2);
    cl_ok(clReleaseContext(context));
    cl_ok(clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof(count), &count, NULL));
    ck_assert_uint_eq(count, 1);
    cl_ok(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof(device), &device, &size));
    ck_assert_ptr_eq(device, cl.device);
    ck_assert_uint_eq(size, sizeof(device));
    cl_ok(clGetContextInfo(context, CL_CONTEXT_PROPERTIES, sizeof(got), got, &size));
    ck_assert_uint_eq(size, sizeof(properties));
    ck_assert_mem_eq(got, properties, sizeof(properties));
    cl_expect(clGetContextInfo(context, 0x1, sizeof(got), got, NULL), CL_INVALID_VALUE);
    cl_expect(clGetContextInfo(context, CL_CONTEXT_DEVICES, 1, &device, NULL), CL_INVALID_VALUE);
    cl_ok(clReleaseContext(context));
}
END_TEST

START_TEST(context_from_type)
{
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)cl.platform, 0};
    cl_device_type type;
    cl_int error;
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_TYPE, sizeof(type), &type, NULL));
    const cl_device_type types[] = {type, CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_DEFAULT};
    for (int i = 0; i < 3; i++) {
        cl_context context = clCreateContextFromType(properties, types[i], NULL, NULL, &error);
        cl_ok(error);
        cl_ok(clReleaseContext(context));
    }
    if (!cl_is_coexec())
        return; /* PoCL 3.1 makes a context without devices and aborts at its release */
    ck_assert_ptr_null(clCreateContextFromType(properties, CL_DEVICE_TYPE_CUSTOM, NULL, NULL, &error));
    cl_expect(error, CL_DEVICE_NOT_FOUND);
}
END_TEST

START_TEST(context_errors)
{
    cl_context_properties unknown[] = {0x1234567, 1, 0};
    cl_int error, data;
    ck_assert_ptr_null(clCreateContext(unknown, 1, &cl.device, NULL, NULL, &error));
    cl_expect(error, CL_INVALID_PROPERTY);
    ck_assert_ptr_null(clCreateContext(NULL, 1, &cl.device, NULL, &data, &error));
    cl_expect(error, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateContext(NULL, 0, &cl.device, NULL, NULL, &error));
    cl_expect(error, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateContext(NULL, 1, NULL, NULL, NULL, &error));
    cl_expect(error, CL_INVALID_VALUE);
    cl_expect(clRetainContext(NULL), CL_INVALID_CONTEXT);
    cl_expect(clReleaseContext(NULL), CL_INVALID_CONTEXT);
}
END_TEST

START_TEST(queue_create_and_query)
{
    cl_int error;
    cl_context context;
    cl_device_id device;
    cl_command_queue_properties properties;
    cl_uint refs;
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    cl_command_queue queue = clCreateCommandQueueWithProperties(cl.context, cl.device, list, &error);
    cl_ok(error);
    cl_ok(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(context), &context, NULL));
    ck_assert_ptr_eq(context, cl.context);
    cl_ok(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(device), &device, NULL));
    ck_assert_ptr_eq(device, cl.device);
    cl_ok(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof(properties), &properties, NULL));
    ck_assert_uint_eq(properties, CL_QUEUE_PROFILING_ENABLE);
    cl_ok(clRetainCommandQueue(queue));
    cl_ok(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof(refs), &refs, NULL));
    ck_assert_uint_eq(refs, 2);
    cl_expect(clGetCommandQueueInfo(queue, 0x1, sizeof(refs), &refs, NULL), CL_INVALID_VALUE);
    cl_ok(clReleaseCommandQueue(queue));
    cl_ok(clReleaseCommandQueue(queue));
    queue = clCreateCommandQueueWithProperties(cl.context, cl.device, NULL, &error);
    cl_ok(error);
    cl_ok(clFlush(queue));
    cl_ok(clFinish(queue));
    cl_ok(clReleaseCommandQueue(queue));
}
END_TEST

START_TEST(queue_errors)
{
    cl_int error;
    ck_assert_ptr_null(clCreateCommandQueue(NULL, cl.device, 0, &error));
    cl_expect(error, CL_INVALID_CONTEXT);
    ck_assert_ptr_null(clCreateCommandQueue(cl.context, NULL, 0, &error));
    cl_expect(error, CL_INVALID_DEVICE);
    ck_assert_ptr_null(
        clCreateCommandQueue(cl.context, cl.device, (cl_command_queue_properties)1 << 40, &error));
    cl_expect(error, CL_INVALID_VALUE);
    const cl_queue_properties unknown[] = {0x777777, 1, 0};
    ck_assert_ptr_null(clCreateCommandQueueWithProperties(cl.context, cl.device, unknown, &error));
    cl_expect(error, CL_INVALID_VALUE);
    cl_expect(clFinish(NULL), CL_INVALID_COMMAND_QUEUE);
    cl_expect(clFlush(NULL), CL_INVALID_COMMAND_QUEUE);
}
END_TEST

/* The context goes only after what was made in it; releasing it first is the usual order of many programs. */
START_TEST(children_outlive_release_of_context)
{
    cl_int error, value = 5, got = 0;
    cl_context context = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &error);
    cl_ok(error);
    cl_command_queue queue = clCreateCommandQueue(context, cl.device, 0, &error);
    cl_ok(error);
    cl_mem mem = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(value), &value, &error);
    cl_ok(error);
    cl_ok(clReleaseContext(context));
    cl_ok(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(got), &got, 0, NULL, NULL));
    ck_assert_int_eq(got, 5);
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseCommandQueue(queue));
}
END_TEST

#define MEM_INFO(mem, what, type, expected)                                                                  \
    do {                                                                                                     \
        type mem_got;                                                                                        \
        size_t mem_size;                                                                                     \
        cl_ok(clGetMemObjectInfo(mem, what, sizeof(mem_got), &mem_got, &mem_size));                          \
        ck_assert_uint_eq(mem_size, sizeof(mem_got));                                                        \
        ck_assert_msg(mem_got == (expected), "%s", #what);                                                   \
    } while (0)

START_TEST(buffer_info)
{
    static char host[SIZE];
    cl_mem mem = cl_buffer(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, SIZE, host);
    MEM_INFO(mem, CL_MEM_TYPE, cl_mem_object_type, CL_MEM_OBJECT_BUFFER);
    MEM_INFO(mem, CL_MEM_FLAGS, cl_mem_flags, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR);
    MEM_INFO(mem, CL_MEM_SIZE, size_t, SIZE);
    MEM_INFO(mem, CL_MEM_HOST_PTR, void *, (void *)host);
    MEM_INFO(mem, CL_MEM_MAP_COUNT, cl_uint, 0);
    MEM_INFO(mem, CL_MEM_REFERENCE_COUNT, cl_uint, 1);
    MEM_INFO(mem, CL_MEM_CONTEXT, cl_context, cl.context);
    MEM_INFO(mem, CL_MEM_ASSOCIATED_MEMOBJECT, cl_mem, NULL);
    MEM_INFO(mem, CL_MEM_OFFSET, size_t, 0);
    cl_ok(clRetainMemObject(mem));
    MEM_INFO(mem, CL_MEM_REFERENCE_COUNT, cl_uint, 2);
    cl_ok(clReleaseMemObject(mem));
    cl_expect(clGetMemObjectInfo(mem, 0x1, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_ok(clReleaseMemObject(mem));
    mem = cl_buffer(CL_MEM_COPY_HOST_PTR, SIZE, host);
    MEM_INFO(mem, CL_MEM_HOST_PTR, void *, NULL);
    cl_ok(clReleaseMemObject(mem));
    mem = cl_buffer(0, SIZE, NULL);
    /* the spec's default is READ_WRITE; some drivers tell what they were given */
    cl_mem_flags flags;
    cl_ok(clGetMemObjectInfo(mem, CL_MEM_FLAGS, sizeof(flags), &flags, NULL));
    ck_assert(flags == CL_MEM_READ_WRITE || flags == 0);
    cl_ok(clReleaseMemObject(mem));
}
END_TEST

/* Flags are told as they were given, and none as the default; a window has its parent's besides. */
START_TEST(flags_reported)
{
    static const cl_mem_flags given[] = {CL_MEM_READ_WRITE,
                                         CL_MEM_READ_ONLY,
                                         CL_MEM_HOST_READ_ONLY,
                                         CL_MEM_HOST_NO_ACCESS | CL_MEM_ALLOC_HOST_PTR,
                                         CL_MEM_COPY_HOST_PTR,
                                         CL_MEM_USE_HOST_PTR | CL_MEM_HOST_WRITE_ONLY,
                                         CL_MEM_USE_HOST_PTR | CL_MEM_WRITE_ONLY};
    static char host[SIZE] __attribute__((aligned(4096)));
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const cl_buffer_region half = {0, SIZE / 2};
    cl_int error;
    for (unsigned i = 0; i < sizeof(given) / sizeof(*given); i++) {
        void *from = given[i] & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) ? host : NULL;
        cl_mem mem = cl_buffer(given[i], SIZE, from);
        MEM_INFO(mem, CL_MEM_FLAGS, cl_mem_flags, given[i]);
        cl_mem part = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &half, &error);
        cl_ok(error);
        MEM_INFO(part, CL_MEM_FLAGS, cl_mem_flags, given[i]);
        cl_ok(clReleaseMemObject(part));
        cl_ok(clReleaseMemObject(mem));
        mem = clCreateImage(cl.context, given[i], &format, &desc, from, &error);
        cl_ok(error);
        MEM_INFO(mem, CL_MEM_FLAGS, cl_mem_flags, given[i]);
        cl_ok(clReleaseMemObject(mem));
    }
    cl_mem mem = cl_buffer(CL_MEM_HOST_READ_ONLY, SIZE, NULL);
    cl_mem part = clCreateSubBuffer(mem, CL_MEM_WRITE_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &half, &error);
    cl_ok(error);
    MEM_INFO(part, CL_MEM_FLAGS, cl_mem_flags, CL_MEM_HOST_READ_ONLY | CL_MEM_WRITE_ONLY);
    cl_ok(clReleaseMemObject(part));
    cl_ok(clReleaseMemObject(mem));
}
END_TEST

/* What an object was made with is told as it was given: a list, an empty one, or none. */
START_TEST(property_lists)
{
    const cl_mem_properties empty[] = {0};
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    unsigned char got[64];
    size_t size = 99;
    cl_int error;
    cl_mem mems[] = {cl_buffer(0, SIZE, NULL), NULL, NULL};
    mems[1] = clCreateBufferWithProperties(cl.context, NULL, CL_MEM_READ_WRITE, SIZE, NULL, &error);
    cl_ok(error);
    mems[2] = clCreateBufferWithProperties(cl.context, empty, CL_MEM_READ_WRITE, SIZE, NULL, &error);
    cl_ok(error);
    for (unsigned i = 0; i < 3; i++) {
        cl_ok(clGetMemObjectInfo(mems[i], CL_MEM_PROPERTIES, sizeof(got), got, &size));
        ck_assert_uint_eq(size, i < 2 ? 0 : sizeof(empty));
        cl_write(mems[i], got, sizeof(got));
        cl_ok(clReleaseMemObject(mems[i]));
    }
    cl_command_queue queue = clCreateCommandQueueWithProperties(cl.context, cl.device, list, &error);
    cl_ok(error);
    cl_ok(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof(got), got, &size));
    ck_assert_uint_eq(size, sizeof(list));
    ck_assert_mem_eq(got, list, sizeof(list));
    cl_ok(clReleaseCommandQueue(queue));
    queue = cl_queue(CL_QUEUE_PROFILING_ENABLE);
    cl_ok(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof(got), got, &size));
    ck_assert_uint_eq(size, 0);
    cl_ok(clReleaseCommandQueue(queue));
}
END_TEST

/* Both timers go on, and one call tells them at about the same time: between two of the other. */
START_TEST(timers)
{
    cl_ulong before = 0, device = 0, host = 0, after = 0, later = 0;
    if (clGetHostTimer(cl.device, &before) != CL_SUCCESS)
        return;
    cl_ok(clGetDeviceAndHostTimer(cl.device, &device, &host));
    cl_ok(clGetHostTimer(cl.device, &after));
    ck_assert_uint_le(before, host);
    ck_assert_uint_le(host, after);
    cl_ok(clGetDeviceAndHostTimer(cl.device, &later, &host));
    ck_assert_uint_le(device, later);
    ck_assert_uint_le(after, host);
}
END_TEST

START_TEST(buffer_host_pointer_flags)
{
    static const cl_mem_flags flags[] = {0,
                                         CL_MEM_ALLOC_HOST_PTR,
                                         CL_MEM_USE_HOST_PTR,
                                         CL_MEM_COPY_HOST_PTR,
                                         CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR,
                                         CL_MEM_COPY_HOST_PTR | CL_MEM_HOST_READ_ONLY,
                                         CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY};
    unsigned char *host = aligned_alloc(4096, SIZE), got[SIZE];
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        bool given = flags[i] & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
        cl_noise(host, SIZE);
        cl_mem mem = cl_buffer(flags[i], SIZE, given ? host : NULL);
        if (!given)
            cl_write(mem, host, SIZE);
        cl_read(mem, got, SIZE);
        ck_assert_mem_eq(got, host, SIZE);
        cl_ok(clReleaseMemObject(mem));
    }
    free(host);
}
END_TEST

static void refuse_buffer(cl_mem_flags flags, size_t size, void *host, cl_int expected)
{
    cl_int error = 1;
    ck_assert_ptr_null(clCreateBuffer(cl.context, flags, size, host, &error));
    ck_assert_msg(error == expected, "flags %#lx size %zu: %s", (unsigned long)flags, size,
                  cl_code_name(error));
}

START_TEST(buffer_errors)
{
    static char host[SIZE];
    cl_ulong largest;
    cl_int error;
    refuse_buffer(0, 0, NULL, CL_INVALID_BUFFER_SIZE);
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(largest), &largest, NULL));
    refuse_buffer(0, largest + 4096, NULL, CL_INVALID_BUFFER_SIZE);
    refuse_buffer(CL_MEM_USE_HOST_PTR, SIZE, NULL, CL_INVALID_HOST_PTR);
    refuse_buffer(CL_MEM_COPY_HOST_PTR, SIZE, NULL, CL_INVALID_HOST_PTR);
    refuse_buffer(CL_MEM_READ_WRITE, SIZE, host, CL_INVALID_HOST_PTR);
    refuse_buffer(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, SIZE, NULL, CL_INVALID_VALUE);
    refuse_buffer(CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, SIZE, host, CL_INVALID_VALUE);
    refuse_buffer(CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, SIZE, host, CL_INVALID_VALUE);
    refuse_buffer(CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY, SIZE, NULL, CL_INVALID_VALUE);
    refuse_buffer((cl_mem_flags)1 << 50, SIZE, NULL, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateBuffer(NULL, 0, SIZE, NULL, &error));
    cl_expect(error, CL_INVALID_CONTEXT);
    cl_expect(clReleaseMemObject(NULL), CL_INVALID_MEM_OBJECT);
    cl_expect(clRetainMemObject(NULL), CL_INVALID_MEM_OBJECT);
    ck_assert_ptr_null(clCreateBuffer(cl.context, 0, 0, NULL, NULL)); /* no room for the code is fine */
}
END_TEST

static size_t sub_alignment(void)
{
    cl_uint bits;
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(bits), &bits, NULL));
    return bits / 8;
}

static cl_mem sub_buffer(cl_mem parent, cl_mem_flags flags, size_t origin, size_t size, cl_int *error)
{
    cl_buffer_region region = {origin, size};
    return clCreateSubBuffer(parent, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, error);
}

START_TEST(sub_buffers_are_windows)
{
    size_t align = sub_alignment(), size = align * 8;
    unsigned char *model = malloc(size), *got = malloc(size), *noise = malloc(size);
    cl_int error;
    cl_noise(model, size);
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, size, model);
    cl_mem low = sub_buffer(mem, 0, align, align * 4, &error); /* [1, 5) */
    cl_ok(error);
    cl_mem high = sub_buffer(mem, CL_MEM_READ_WRITE, align * 3, align * 5, &error); /* [3, 8): overlaps */
    cl_ok(error);
    MEM_INFO(low, CL_MEM_ASSOCIATED_MEMOBJECT, cl_mem, mem);
    MEM_INFO(low, CL_MEM_OFFSET, size_t, align);
    MEM_INFO(low, CL_MEM_SIZE, size_t, align * 4);
    cl_noise(noise, size);
    cl_write(low, noise, align * 4);
    memcpy(model + align, noise, align * 4);
    cl_read(high, got, align * 5);
    ck_assert_mem_eq(got, model + align * 3, align * 5);
    cl_noise(noise, size);
    cl_write(high, noise, align * 5);
    memcpy(model + align * 3, noise, align * 5);
    cl_read(low, got, align * 4);
    ck_assert_mem_eq(got, model + align, align * 4);
    cl_ok(clReleaseMemObject(mem)); /* the windows keep it alive */
    cl_read(high, got, align * 5);
    ck_assert_mem_eq(got, model + align * 3, align * 5);
    cl_ok(clReleaseMemObject(low));
    cl_ok(clReleaseMemObject(high));
    free(model);
    free(got);
    free(noise);
}
END_TEST

START_TEST(sub_buffer_errors)
{
    size_t align = sub_alignment();
    cl_int error;
    cl_mem mem = cl_buffer(CL_MEM_READ_ONLY, align * 4, NULL);
    ck_assert_ptr_null(sub_buffer(mem, 0, align * 3, align * 2, &error));
    cl_expect(error, CL_INVALID_VALUE);
    ck_assert_ptr_null(sub_buffer(mem, 0, align, 0, &error));
    cl_expect(error, CL_INVALID_BUFFER_SIZE);
    ck_assert_ptr_null(sub_buffer(mem, CL_MEM_WRITE_ONLY, 0, align, &error));
    cl_expect(error, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, &error));
    cl_expect(error, CL_INVALID_VALUE);
    ck_assert_ptr_null(sub_buffer(mem, 0, 1, align, &error));
    cl_expect(error, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    cl_mem sub = sub_buffer(mem, 0, align, align, &error);
    cl_ok(error);
    ck_assert_ptr_null(sub_buffer(sub, 0, 0, align, &error));
    cl_expect(error, CL_INVALID_MEM_OBJECT);
    ck_assert_ptr_null(sub_buffer(NULL, 0, 0, align, &error));
    cl_expect(error, CL_INVALID_MEM_OBJECT);
    cl_ok(clReleaseMemObject(sub));
    cl_ok(clReleaseMemObject(mem));
}
END_TEST

static int destroyed[4];
static unsigned ndestroyed;

static void CL_CALLBACK on_destroy(cl_mem mem, void *data)
{
    destroyed[ndestroyed++] = *(int *)data;
}

START_TEST(buffer_destructors)
{
    int numbers[3] = {1, 2, 3};
    ndestroyed = 0;
    cl_mem mem = cl_buffer(0, SIZE, NULL);
    for (int i = 0; i < 3; i++)
        cl_ok(clSetMemObjectDestructorCallback(mem, on_destroy, &numbers[i]));
    cl_expect(clSetMemObjectDestructorCallback(mem, NULL, NULL), CL_INVALID_VALUE);
    cl_expect(clSetMemObjectDestructorCallback(NULL, on_destroy, NULL), CL_INVALID_MEM_OBJECT);
    cl_ok(clRetainMemObject(mem));
    cl_ok(clReleaseMemObject(mem));
    ck_assert_uint_eq(ndestroyed, 0);
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clFinish(cl.queue));
    ck_assert_uint_eq(ndestroyed, 3); /* last registered first */
    ck_assert_int_eq(destroyed[0], 3);
    ck_assert_int_eq(destroyed[2], 1);
}
END_TEST

/* A buffer released while commands still use it lives on until they are done. */
START_TEST(buffer_released_while_in_use)
{
    static int values[SIZE], got[SIZE];
    for (int i = 0; i < SIZE; i++)
        values[i] = i;
    cl_mem mem = cl_buffer(0, sizeof(values), NULL);
    cl_ok(clEnqueueWriteBuffer(cl.queue, mem, CL_FALSE, 0, sizeof(values), values, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(cl.queue, mem, CL_FALSE, 0, sizeof(got), got, 0, NULL, NULL));
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clFinish(cl.queue));
    ck_assert_mem_eq(got, values, sizeof(values));
}
END_TEST

START_TEST(many_buffers)
{
    enum { COUNT = 300 };
    cl_mem mems[COUNT];
    for (int i = 0; i < COUNT; i++) {
        mems[i] = cl_buffer(0, 4096 + (size_t)i, NULL);
        cl_ok(clEnqueueFillBuffer(cl.queue, mems[i], &i, sizeof(i), 0, 4096, 0, NULL, NULL));
    }
    for (int i = COUNT - 1; i >= 0; i--) {
        int got = -1;
        cl_ok(clEnqueueReadBuffer(cl.queue, mems[i], CL_TRUE, 4092, 4, &got, 0, NULL, NULL));
        ck_assert_int_eq(got, i);
        cl_ok(clReleaseMemObject(mems[i]));
    }
}
END_TEST

/* A handle of another kind: an error code, not a crash. Other drivers do crash. */
START_TEST(handles_of_another_kind)
{
    cl_int error;
    cl_uint count;
    if (!cl_is_coexec())
        return;
    cl_mem mem = cl_buffer(0, SIZE, NULL);
    ck_assert_ptr_null(clCreateBuffer((cl_context)mem, 0, SIZE, NULL, &error));
    cl_expect(error, CL_INVALID_CONTEXT);
    cl_expect(clFinish((cl_command_queue)mem), CL_INVALID_COMMAND_QUEUE);
    cl_expect(clReleaseMemObject((cl_mem)cl.queue), CL_INVALID_MEM_OBJECT);
    cl_expect(clRetainContext((cl_context)cl.queue), CL_INVALID_CONTEXT);
    cl_expect(clGetContextInfo((cl_context)cl.device, CL_CONTEXT_NUM_DEVICES, sizeof(count), &count, NULL),
              CL_INVALID_CONTEXT);
    cl_expect(clGetDeviceInfo((cl_device_id)mem, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(count), &count, NULL),
              CL_INVALID_DEVICE);
    cl_expect(clEnqueueReadBuffer(cl.queue, (cl_mem)cl.context, CL_TRUE, 0, 4, &count, 0, NULL, NULL),
              CL_INVALID_MEM_OBJECT);
    cl_expect(clReleaseEvent((cl_event)mem), CL_INVALID_EVENT);
    cl_expect(clReleaseKernel((cl_kernel)mem), CL_INVALID_KERNEL);
    cl_expect(clReleaseProgram((cl_program)mem), CL_INVALID_PROGRAM);
    cl_ok(clReleaseMemObject(mem));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("api_objects");
    TCase *tcase = cl_case(suite, "objects");
    tcase_add_test(tcase, platform_info);
    tcase_add_test(tcase, device_ids);
    tcase_add_test(tcase, device_info_sizes);
    tcase_add_test(tcase, device_info_values);
    tcase_add_test(tcase, context_create_and_query);
    tcase_add_test(tcase, context_from_type);
    tcase_add_test(tcase, context_errors);
    tcase_add_test(tcase, queue_create_and_query);
    tcase_add_test(tcase, queue_errors);
    tcase_add_test(tcase, children_outlive_release_of_context);
    tcase_add_test(tcase, buffer_info);
    tcase_add_test(tcase, flags_reported);
    tcase_add_test(tcase, property_lists);
    tcase_add_test(tcase, timers);
    tcase_add_test(tcase, buffer_host_pointer_flags);
    tcase_add_test(tcase, buffer_errors);
    tcase_add_test(tcase, sub_buffers_are_windows);
    tcase_add_test(tcase, sub_buffer_errors);
    tcase_add_test(tcase, buffer_destructors);
    tcase_add_test(tcase, buffer_released_while_in_use);
    tcase_add_test(tcase, many_buffers);
    tcase_add_test(tcase, handles_of_another_kind);
    return tap_run(suite);
}
