/* SPDX-License-Identifier: MIT */
/*
 * platform.c, device.c and device_info.c: the virtual platform and device over stub devices of given limits.
 * Every test runs in its own process, so each makes its own device.
 *
 * The build gives TEST_STUB (libstub.so) and TEST_ICD2 (libicd2.so).
 */
#include "capture.h"
#include "queries.h"
#include "layer/object/device.h"
#include "layer/base/entry.h"

#include <CL/cl_ext.h>
#include <stdlib.h>
#include <string.h>

static void use_stub(void)
{
    clean_environment();
    set_environment("COEXEC_VENDORS", TEST_STUB, NULL);
}

START_TEST(platform_queries)
{
    static const cl_platform_info queries[] = {CL_PLATFORM_PROFILE,
                                               CL_PLATFORM_VERSION,
                                               CL_PLATFORM_NAME,
                                               CL_PLATFORM_VENDOR,
                                               CL_PLATFORM_EXTENSIONS,
                                               CL_PLATFORM_EXTENSIONS_WITH_VERSION,
                                               CL_PLATFORM_NUMERIC_VERSION,
                                               0x0905,
                                               CL_PLATFORM_ICD_SUFFIX_KHR};
    char room[4096];
    size_t size;
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        ck_assert_int_eq(cx_clGetPlatformInfo(platform(), queries[i], 0, NULL, &size), CL_SUCCESS);
        ck_assert_uint_gt(size, 0);
        ck_assert_int_eq(cx_clGetPlatformInfo(platform(), queries[i], size - 1, room, NULL),
                         CL_INVALID_VALUE);
        ck_assert_int_eq(cx_clGetPlatformInfo(platform(), queries[i], size, room, NULL), CL_SUCCESS);
    }
    ck_assert_int_eq(cx_clGetPlatformInfo(platform(), CL_PLATFORM_NAME, sizeof room, room, NULL), CL_SUCCESS);
    ck_assert_str_eq(room, "coexec (2 devices)");
    ck_assert_int_eq(cx_clGetPlatformInfo(platform(), CL_PLATFORM_EXTENSIONS, sizeof room, room, NULL),
                     CL_SUCCESS);
    ck_assert(cx_device_has_extension(room, "cl_khr_icd"));
    ck_assert_int_eq(cx_clGetPlatformInfo(platform(), 0x4711, 0, NULL, &size), CL_INVALID_VALUE);
    ck_assert_int_eq(cx_clGetPlatformInfo(NULL, CL_PLATFORM_NAME, 0, NULL, &size), CL_INVALID_PLATFORM);
    ck_assert_int_eq(cx_clGetPlatformInfo((cl_platform_id)device(), CL_PLATFORM_NAME, 0, NULL, &size),
                     CL_INVALID_PLATFORM);
}
END_TEST

START_TEST(platform_ids)
{
    cl_uint count = 0;
    cl_platform_id ids[2] = {NULL, NULL};
    ck_assert_int_eq(cx_clGetPlatformIDs(0, NULL, NULL), CL_INVALID_VALUE);
    ck_assert_int_eq(cx_clGetPlatformIDs(0, ids, &count), CL_INVALID_VALUE);
    ck_assert_int_eq(cx_clIcdGetPlatformIDsKHR(2, ids, &count), CL_SUCCESS);
    ck_assert_uint_eq(count, 1);
    ck_assert_ptr_eq(ids[0], platform());
    ck_assert_ptr_null(ids[1]);
}
END_TEST

START_TEST(device_ids)
{
    cl_uint count = 0;
    cl_device_id id = NULL;
    static const cl_device_type types[] = {
        CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU,     CL_DEVICE_TYPE_ACCELERATOR,
        CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_DEFAULT, CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_CPU};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        ck_assert_int_eq(cx_clGetDeviceIDs(platform(), types[i], 1, &id, &count), CL_SUCCESS);
        ck_assert_uint_eq(count, 1);
        ck_assert_ptr_eq(id, (cl_device_id)cx_device_get());
    }
    ck_assert_int_eq(cx_clGetDeviceIDs(platform(), CL_DEVICE_TYPE_CUSTOM, 1, &id, &count),
                     CL_DEVICE_NOT_FOUND);
    ck_assert_uint_eq(count, 0);
    ck_assert_int_eq(cx_clGetDeviceIDs(platform(), 0, 1, &id, NULL), CL_INVALID_DEVICE_TYPE);
    ck_assert_int_eq(cx_clGetDeviceIDs(platform(), 1 << 20, 1, &id, NULL), CL_INVALID_DEVICE_TYPE);
    ck_assert_int_eq(cx_clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, 0, &id, NULL), CL_INVALID_VALUE);
    ck_assert_int_eq(cx_clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, 1, NULL, NULL), CL_INVALID_VALUE);
    ck_assert_int_eq(cx_clGetDeviceIDs(NULL, CL_DEVICE_TYPE_ALL, 1, &id, NULL), CL_INVALID_PLATFORM);
    ck_assert_int_eq(cx_clRetainDevice(id), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseDevice(id), CL_SUCCESS);
    ck_assert_int_eq(cx_clReleaseDevice(NULL), CL_INVALID_DEVICE);
}
END_TEST

START_TEST(narrowed_type)
{
    cl_device_id id;
    set_environment("device_type", "cpu", "STUB_TYPE", "cpu,gpu", NULL);
    ck_assert_int_eq(cx_clGetDeviceIDs(platform(), CL_DEVICE_TYPE_GPU, 1, &id, NULL), CL_DEVICE_NOT_FOUND);
    ck_assert_int_eq(cx_clGetDeviceIDs(platform(), CL_DEVICE_TYPE_CPU, 1, &id, NULL), CL_SUCCESS);
    ck_assert_int_eq(cx_clGetDeviceIDs(platform(), CL_DEVICE_TYPE_DEFAULT, 1, &id, NULL), CL_SUCCESS);
    ck_assert_uint_eq(number(CL_DEVICE_TYPE), CL_DEVICE_TYPE_CPU);
}
END_TEST

START_TEST(joint_type)
{
    set_environment("STUB_TYPE", "cpu,accelerator,gpu", "STUB_DEVICES", _i ? "3" : "2", NULL);
    ck_assert_uint_eq(number(CL_DEVICE_TYPE), _i ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_ACCELERATOR);
}
END_TEST

/* Who asks for one type alone gets a device that says that it is of it; who does not sees the one type. */
START_TEST(asked_type)
{
    cl_device_id id = NULL;
    set_environment("COEXEC_VENDORS", TEST_STUB, "STUB_TYPE", _i ? "cpu,gpu" : "cpu", NULL);
    const cl_device_type own = _i ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_CPU;
    const cl_device_type other = _i ? CL_DEVICE_TYPE_CPU : CL_DEVICE_TYPE_GPU;
    ck_assert_int_eq(cx_clGetDeviceIDs(platform(), own | other, 1, &id, NULL), CL_SUCCESS);
    ck_assert_int_eq(cx_clGetDeviceIDs(platform(), CL_DEVICE_TYPE_DEFAULT, 1, &id, NULL), CL_SUCCESS);
    ck_assert_uint_eq(number(CL_DEVICE_TYPE), own);
    ck_assert_int_eq(cx_clGetDeviceIDs(platform(), other, 1, &id, NULL), CL_SUCCESS);
    ck_assert_uint_eq(number(CL_DEVICE_TYPE), own | other);
}
END_TEST

/* Every query of cl.h, 3.0 and deprecated: it has an answer, of the size it tells, and a room too small is an
 * error. */
START_TEST(every_query)
{
    char room[4096];
    size_t size, other;
    for (cl_device_info query = CL_DEVICE_TYPE; query <= CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED;
         query++) {
        cl_int code = cx_clGetDeviceInfo(device(), query, 0, NULL, &size);
        ck_assert_msg(code == CL_SUCCESS, "query 0x%x gives %d", query, code);
        ck_assert_uint_le(size, sizeof room);
        ck_assert_int_eq(cx_clGetDeviceInfo(device(), query, sizeof room, room, &other), CL_SUCCESS);
        ck_assert_uint_eq(size, other);
        if (size)
            ck_assert_int_eq(cx_clGetDeviceInfo(device(), query, size - 1, room, NULL), CL_INVALID_VALUE);
    }
}
END_TEST

START_TEST(refused_queries)
{
    static const cl_device_info queries[] = {0x0fff, 0x1073, 0x4000, 0x4001, 0x4036, 0x10001};
    size_t size;
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        ck_assert_int_eq(cx_clGetDeviceInfo(device(), queries[i], 0, NULL, &size), CL_INVALID_VALUE);
    ck_assert_int_eq(cx_clGetDeviceInfo(NULL, CL_DEVICE_NAME, 0, NULL, &size), CL_INVALID_DEVICE);
    ck_assert_int_eq(cx_clGetDeviceInfo((cl_device_id)platform(), CL_DEVICE_NAME, 0, NULL, &size),
                     CL_INVALID_DEVICE);
}
END_TEST

/* The second is the fastest; the first has the most memory. */
static void two_unlike(const char *limits, const char *units)
{
    set_environment("STUB_UNITS", "2,6", "STUB_MEM", "4194304,1048576", "STUB_ALLOC", "262144,524288",
                    "STUB_GROUP", "128,512", "STUB_EXTENSIONS",
                    "cl_khr_fp64 cl_khr_spir cl_khr_int64_base_atomics", "limits", limits, "units", units,
                    "COEXEC_IDENTITY", "virtual", NULL);
}

START_TEST(limits_of_fastest)
{
    two_unlike("fastest", "fastest");
    ck_assert_uint_eq(number(CL_DEVICE_MAX_COMPUTE_UNITS), 6);
    ck_assert_uint_eq(number(CL_DEVICE_MAX_WORK_GROUP_SIZE), 512);
    ck_assert_uint_eq(number(CL_DEVICE_MAX_MEM_ALLOC_SIZE), 524288);
    ck_assert_uint_eq(number(CL_DEVICE_GLOBAL_MEM_SIZE), 1048576);
    ck_assert_str_eq(text(CL_DEVICE_NAME), "coexec: stub 0 + stub 1");
    ck_assert(cx_device_has_extension(text(CL_DEVICE_EXTENSIONS), "cl_khr_fp64"));
    ck_assert(!cx_device_has_extension(text(CL_DEVICE_EXTENSIONS), "cl_khr_spir"));
}
END_TEST

START_TEST(limits_in_common)
{
    two_unlike("common", "fastest");
    ck_assert_uint_eq(number(CL_DEVICE_MAX_COMPUTE_UNITS), 6);
    ck_assert_uint_eq(number(CL_DEVICE_MAX_WORK_GROUP_SIZE), 128);
    ck_assert_uint_eq(number(CL_DEVICE_MAX_MEM_ALLOC_SIZE), 262144);
    ck_assert_uint_eq(number(CL_DEVICE_GLOBAL_MEM_SIZE), 1048576);
}
END_TEST

/* Who asks for the sums gets them, whatever the limits are. */
START_TEST(sums_of_all)
{
    two_unlike(_i ? "common" : "fastest", "sum");
    ck_assert_uint_eq(number(CL_DEVICE_MAX_COMPUTE_UNITS), 8);
    ck_assert_uint_eq(number(CL_DEVICE_GLOBAL_MEM_SIZE), 4194304 + 1048576);
    ck_assert_uint_eq(number(CL_DEVICE_MAX_WORK_GROUP_SIZE), _i ? 128 : 512);
}
END_TEST

/* Twin has fp16 and the stub has not; twin's OpenCL C 3.0 is not the stub's. */
START_TEST(extensions_by_limits)
{
    set_environment("COEXEC_VENDORS", TEST_ICD2 ":" TEST_STUB, "STUB_EXTENSIONS", "cl_khr_fp64", "limits",
                    _i ? "common" : "fastest", "COEXEC_DEVICES", "0,1,2", "COEXEC_IDENTITY", "virtual", NULL);
    const struct cx_machine *machine = cx_machine_get();
    bool twin = strcmp(machine->fastest->name, "twin") == 0;
    ck_assert(cx_device_has_extension(text(CL_DEVICE_EXTENSIONS), "cl_khr_fp16") == (_i == 0 && twin));
    ck_assert(cx_device_has_extension(text(CL_DEVICE_EXTENSIONS), "cl_khr_fp64") == (_i == 0 && !twin));
    ck_assert_str_eq(text(CL_DEVICE_NAME), "coexec: 2 x twin + stub 0");
}
END_TEST

/* StarPU gives the name 64 bytes and ends where it needs more. */
START_TEST(names_are_short)
{
    static const struct {
        const char *devices, *end, *name;
    } cases[] = {
        {"2", " of a very long name indeed",
         "coexec: stub 0 of a very long name + stub 1 of a very long name"},
        {"2", " with a name", "coexec: stub 0 with a name + stub 1 with a name"},
        {"16", "", "coexec: 16 devices"},
    };
    set_environment("COEXEC_VENDORS", TEST_STUB, "STUB_DEVICES", cases[_i].devices, "STUB_NAME_END",
                    cases[_i].end, "COEXEC_IDENTITY", "virtual", NULL);
    ck_assert_str_eq(text(CL_DEVICE_NAME), cases[_i].name);
}
END_TEST

static cl_int partition(cl_device_partition_property way, const cl_uint *counts, unsigned n,
                        struct cx_device **made, cl_uint *nmade)
{
    cl_device_partition_property list[8] = {way};
    for (unsigned i = 0; i < n; i++)
        list[1 + i] = counts[i];
    *nmade = 0;
    return cx_clCreateSubDevices((cl_device_id)cx_device_get(), list, 8, (cl_device_id *)made, nmade);
}

/* Members that no driver can cut: sub-devices are whole members. */
START_TEST(sub_devices_of_whole_members)
{
    struct cx_device *made[8];
    cl_uint n = 0;
    set_environment("COEXEC_VENDORS", TEST_STUB, "STUB_DEVICES", "3", "STUB_UNITS", "4,132,4", "units", "sum",
                    NULL);
    ck_assert_uint_eq(number(CL_DEVICE_MAX_COMPUTE_UNITS), 140);
    ck_assert_uint_eq(number(CL_DEVICE_PARTITION_MAX_SUB_DEVICES), 3);
    ck_assert_int_eq(partition(CL_DEVICE_PARTITION_BY_COUNTS, (cl_uint[]){8, 132}, 2, made, &n), CL_SUCCESS);
    ck_assert_uint_eq(n, 2);
    ck_assert_uint_eq(made[0]->nmembers, 2);
    ck_assert_uint_eq(made[0]->members[0]->index + made[0]->members[1]->index, 2); /* 0 and 2 */
    ck_assert_uint_eq(made[1]->nmembers, 1);
    ck_assert_uint_eq(made[1]->members[0]->index, 1);
    ck_assert_uint_eq(made[1]->nparts, 0);
    for (cl_uint i = 0; i < n; i++)
        ck_assert_int_eq(cx_clReleaseDevice((cl_device_id)made[i]), CL_SUCCESS);
    ck_assert_int_eq(partition(CL_DEVICE_PARTITION_BY_COUNTS, (cl_uint[]){136}, 1, made, &n), CL_SUCCESS);
    ck_assert_uint_eq(made[0]->nmembers, 2);
    cx_clReleaseDevice((cl_device_id)made[0]);
    ck_assert_int_eq(partition(CL_DEVICE_PARTITION_EQUALLY, (cl_uint[]){4}, 1, made, &n), CL_SUCCESS);
    ck_assert_uint_eq(n, 2); /* the large one cannot be cut into such parts */
    for (cl_uint i = 0; i < n; i++)
        cx_clReleaseDevice((cl_device_id)made[i]);
    ck_assert_int_eq(partition(CL_DEVICE_PARTITION_BY_COUNTS, (cl_uint[]){2, 2}, 2, made, &n),
                     CL_DEVICE_PARTITION_FAILED);
    ck_assert_int_eq(partition(CL_DEVICE_PARTITION_BY_COUNTS, (cl_uint[]){140, 1}, 2, made, &n),
                     CL_INVALID_DEVICE_PARTITION_COUNT);
    ck_assert_int_eq(partition(CL_DEVICE_PARTITION_BY_COUNTS, NULL, 0, made, &n), CL_INVALID_VALUE);
    ck_assert_int_eq(partition(CL_DEVICE_PARTITION_EQUALLY, (cl_uint[]){2}, 1, made, &n),
                     CL_DEVICE_PARTITION_FAILED);
    ck_assert_int_eq(partition(CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                               (cl_uint[]){CL_DEVICE_AFFINITY_DOMAIN_NUMA}, 1, made, &n),
                     CL_INVALID_VALUE);
}
END_TEST

/* Where the device shows the units of its fastest member, no more than these are shared out. */
START_TEST(sub_devices_of_units_shown)
{
    struct cx_device *made[8];
    cl_uint n = 0;
    set_environment("COEXEC_VENDORS", TEST_STUB, "STUB_DEVICES", "3", "STUB_UNITS", "4,132,4", NULL);
    ck_assert_uint_eq(number(CL_DEVICE_MAX_COMPUTE_UNITS), 132);
    ck_assert_uint_eq(number(CL_DEVICE_PARTITION_MAX_SUB_DEVICES), 3);
    ck_assert_int_eq(partition(CL_DEVICE_PARTITION_EQUALLY, (cl_uint[]){4}, 1, made, &n), CL_SUCCESS);
    ck_assert_uint_eq(n, 2);
    for (cl_uint i = 0; i < n; i++)
        cx_clReleaseDevice((cl_device_id)made[i]);
    ck_assert_int_eq(partition(CL_DEVICE_PARTITION_BY_COUNTS, (cl_uint[]){132}, 1, made, &n), CL_SUCCESS);
    ck_assert_uint_eq(made[0]->members[0]->index, 1);
    cx_clReleaseDevice((cl_device_id)made[0]);
    ck_assert_int_eq(partition(CL_DEVICE_PARTITION_BY_COUNTS, (cl_uint[]){132, 4}, 2, made, &n),
                     CL_INVALID_DEVICE_PARTITION_COUNT);
}
END_TEST

/* A member that knows the domain is cut by its driver; one that does not is a sub-device as it is. 1: the
 * next domain, whatever that is. */
START_TEST(sub_devices_by_domain)
{
    struct cx_device *made[8];
    cl_device_partition_property way[3];
    cl_uint n = 0;
    set_environment("COEXEC_VENDORS", TEST_STUB, "STUB_DEVICES", "2", "STUB_UNITS", "8,4", "STUB_NUMA", "2,0",
                    NULL);
    ck_assert_uint_ne(number(CL_DEVICE_PARTITION_AFFINITY_DOMAIN) & CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0);
    ck_assert_int_eq(partition(CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                               (cl_uint[]){_i ? CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE
                                              : CL_DEVICE_AFFINITY_DOMAIN_NUMA},
                               1, made, &n),
                     CL_SUCCESS);
    ck_assert_uint_eq(n, 3);
    for (cl_uint i = 0; i < n; i++) {
        cl_uint units = 0;
        ck_assert_uint_eq(made[i]->nmembers, 1);
        ck_assert_int_eq(cx_clGetDeviceInfo((cl_device_id)made[i], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units,
                                            &units, NULL),
                         CL_SUCCESS);
        ck_assert_uint_eq(units, 4);
        ck_assert_int_eq(
            cx_clGetDeviceInfo((cl_device_id)made[i], CL_DEVICE_PARTITION_TYPE, sizeof way, way, NULL),
            CL_SUCCESS);
        ck_assert_int_eq(way[0], CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN);
        ck_assert_int_eq(way[1], CL_DEVICE_AFFINITY_DOMAIN_NUMA);
        cx_clReleaseDevice((cl_device_id)made[i]);
    }
    ck_assert_int_eq(partition(CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                               (cl_uint[]){CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE}, 1, made, &n),
                     CL_INVALID_VALUE);
    ck_assert_int_eq(partition(CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, (cl_uint[]){3}, 1, made, &n),
                     CL_INVALID_VALUE);
}
END_TEST

static cl_int queue_of(const cl_queue_properties *list)
{
    cl_device_id id = device();
    cl_int error = CL_SUCCESS;
    cl_context context = cx_clCreateContext(NULL, 1, &id, NULL, NULL, &error);
    ck_assert_int_eq(error, CL_SUCCESS);
    cl_command_queue queue = cx_clCreateCommandQueueWithProperties(context, id, list, &error);
    ck_assert((queue != NULL) == (error == CL_SUCCESS));
    if (queue) {
        cl_queue_properties got[16];
        size_t size = 0;
        ck_assert_int_eq(cx_clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof got, got, &size),
                         CL_SUCCESS);
        ck_assert_int_eq(list ? memcmp(got, list, size) : (int)size, 0);
        cx_clReleaseCommandQueue(queue);
    }
    cx_clReleaseContext(context);
    return error;
}

START_TEST(queue_properties)
{
    enum { ORDER = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE };
    set_environment("COEXEC_VENDORS", TEST_STUB, NULL);
#define LIST(...) queue_of((cl_queue_properties[]){__VA_ARGS__, 0})
    ck_assert_int_eq(queue_of(NULL), CL_SUCCESS);
    ck_assert_int_eq(queue_of((cl_queue_properties[]){0}), CL_SUCCESS);
    ck_assert_int_eq(LIST(CL_QUEUE_PROPERTIES, ORDER | CL_QUEUE_PROFILING_ENABLE), CL_SUCCESS);
    ck_assert_int_eq(LIST(CL_QUEUE_PROPERTIES, 1 << 20), CL_INVALID_VALUE);
    ck_assert_int_eq(LIST(0x4711, 1), CL_INVALID_VALUE);
    ck_assert_int_eq(LIST(CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE), CL_INVALID_VALUE);
    ck_assert_int_eq(LIST(CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE_DEFAULT | ORDER), CL_INVALID_VALUE);
    ck_assert_int_eq(LIST(CL_QUEUE_SIZE, 4096), CL_INVALID_VALUE);
    ck_assert_int_eq(LIST(CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | ORDER), CL_INVALID_QUEUE_PROPERTIES);
    ck_assert_int_eq(LIST(CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | ORDER, CL_QUEUE_SIZE, 4096),
                     CL_INVALID_QUEUE_PROPERTIES);
    /* hints that the members do not know */
    ck_assert_int_eq(LIST(CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_LOW_KHR), CL_INVALID_QUEUE_PROPERTIES);
    ck_assert_int_eq(LIST(CL_QUEUE_PRIORITY_KHR, 77), CL_INVALID_VALUE);
}
END_TEST

START_TEST(queue_hints)
{
    char log[] = "/tmp/coexec-hints-XXXXXX", line[256], seen[4096] = "";
    int fd = mkstemp(log);
    ck_assert_int_ge(fd, 0);
    set_environment("COEXEC_VENDORS", TEST_STUB, "STUB_DEVICES", "2", "STUB_LOG", log, "STUB_EXTENSIONS",
                    "cl_khr_priority_hints cl_khr_throttle_hints", "COEXEC_BUDGET", "1", NULL);
    ck_assert(cx_device_has_extension(text(CL_DEVICE_EXTENSIONS), "cl_khr_priority_hints"));
    ck_assert(cx_device_has_extension(text(CL_DEVICE_EXTENSIONS), "cl_khr_throttle_hints"));
    ck_assert_int_eq(LIST(CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_LOW_KHR, CL_QUEUE_THROTTLE_KHR,
                          CL_QUEUE_THROTTLE_HIGH_KHR),
                     CL_SUCCESS);
    FILE *file = fdopen(fd, "r");
    while (fgets(line, sizeof line, file))
        if (strncmp(line, "priority", 8) == 0 || strncmp(line, "throttle", 8) == 0)
            strcat(seen, line);
    fclose(file);
    remove(log);
    ck_assert_str_eq(seen, "priority d0 4\nthrottle d0 1\npriority d1 4\nthrottle d1 1\n");
}
END_TEST

START_TEST(timers)
{
    cl_ulong first = 0, device_time = 0, host_time = 0, last = 0;
    set_environment("COEXEC_VENDORS", TEST_STUB, NULL);
    ck_assert_int_eq(cx_clGetHostTimer(device(), &first), CL_SUCCESS);
    ck_assert_int_eq(cx_clGetDeviceAndHostTimer(device(), &device_time, &host_time), CL_SUCCESS);
    ck_assert_int_eq(cx_clGetHostTimer(device(), &last), CL_SUCCESS);
    ck_assert_uint_le(first, host_time);
    ck_assert_uint_le(host_time, last);
    ck_assert_uint_le(first, device_time);
    ck_assert_uint_le(device_time, last);
    ck_assert_int_eq(cx_clGetHostTimer(device(), NULL), CL_INVALID_VALUE);
    ck_assert_int_eq(cx_clGetHostTimer(NULL, &last), CL_INVALID_DEVICE);
    ck_assert_int_eq(cx_clGetDeviceAndHostTimer(device(), NULL, &host_time), CL_INVALID_VALUE);
    ck_assert_int_eq(cx_clGetDeviceAndHostTimer(NULL, &device_time, &host_time), CL_INVALID_DEVICE);
}
END_TEST

START_TEST(extension_functions)
{
    set_environment("COEXEC_VENDORS", TEST_STUB, NULL);
    ck_assert_ptr_nonnull(
        cx_clGetExtensionFunctionAddressForPlatform(platform(), "clCreateCommandQueueWithPropertiesKHR"));
    ck_assert_ptr_nonnull(cx_clGetExtensionFunctionAddress("clIcdGetPlatformIDsKHR"));
    ck_assert_ptr_nonnull(cx_clGetExtensionFunctionAddress("clCreateCommandBufferKHR"));
    static const char *const absent[] = {"clGetGLContextInfoKHR",
                                         "clCreateFromGLBuffer",
                                         "clCreateEventFromEGLSyncKHR",
                                         "clGetDeviceIDsFromD3D11KHR",
                                         "clUpdateMutableCommandsKHR",
                                         "clNoSuchFunction",
                                         ""};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        ck_assert_ptr_null(cx_clGetExtensionFunctionAddressForPlatform(platform(), absent[i]));
        ck_assert_ptr_null(cx_clGetExtensionFunctionAddress(absent[i]));
    }
    ck_assert_ptr_null(cx_clGetExtensionFunctionAddressForPlatform((cl_platform_id)device(),
                                                                   "clCreateCommandQueueWithPropertiesKHR"));
    static const char *const sharing[] = {"cl_khr_gl_sharing", "cl_khr_gl_event", "cl_khr_egl_image",
                                          "cl_khr_d3d11_sharing", "cl_khr_pci_bus_info"};
    for (size_t i = 0; i < sizeof sharing / sizeof *sharing; i++)
        ck_assert(!cx_device_has_extension(text(CL_DEVICE_EXTENSIONS), sharing[i]));
}
END_TEST

static void uuid_of(cl_device_id id, cl_device_info query, cl_uchar *uuid)
{
    size_t size = 0;
    ck_assert_int_eq(cx_clGetDeviceInfo(id, query, CL_UUID_SIZE_KHR, uuid, &size), CL_SUCCESS);
    ck_assert_uint_eq(size, CL_UUID_SIZE_KHR);
}

START_TEST(uuids)
{
    cl_uchar one[CL_UUID_SIZE_KHR], again[CL_UUID_SIZE_KHR], driver[CL_UUID_SIZE_KHR];
    struct cx_device *made[8];
    cl_uint n = 0;
    set_environment("COEXEC_VENDORS", TEST_STUB, "STUB_DEVICES", "2", "STUB_UNITS", "1", "units", "sum",
                    NULL);
    ck_assert(cx_device_has_extension(text(CL_DEVICE_EXTENSIONS), "cl_khr_device_uuid"));
    uuid_of(device(), CL_DEVICE_UUID_KHR, one);
    uuid_of(device(), CL_DEVICE_UUID_KHR, again);
    uuid_of(device(), CL_DRIVER_UUID_KHR, driver);
    ck_assert_int_eq(memcmp(one, again, sizeof one), 0);
    ck_assert_int_ne(memcmp(one, driver, sizeof one), 0);
    ck_assert_int_eq(partition(CL_DEVICE_PARTITION_EQUALLY, (cl_uint[]){1}, 1, made, &n), CL_SUCCESS);
    uuid_of((cl_device_id)made[0], CL_DEVICE_UUID_KHR, one);
    uuid_of((cl_device_id)made[1], CL_DEVICE_UUID_KHR, again);
    ck_assert_int_ne(memcmp(one, again, sizeof one), 0);
    ck_assert_uint_eq(number(CL_DEVICE_LUID_VALID_KHR), 0);
    cx_clReleaseDevice((cl_device_id)made[0]);
    cx_clReleaseDevice((cl_device_id)made[1]);
}
END_TEST

/* 0: one device, 1: two unlike ones */
START_TEST(sub_groups)
{
    set_environment("COEXEC_VENDORS", TEST_STUB, "STUB_DEVICES", _i ? "2" : "1", "STUB_SUB_GROUP", "8",
                    "STUB_GROUP", "256", "STUB_EXTENSIONS", "cl_khr_subgroups", NULL);
    ck_assert_uint_eq(number(CL_DEVICE_MAX_NUM_SUB_GROUPS), _i ? 0 : 32);
    ck_assert(cx_device_has_extension(text(CL_DEVICE_EXTENSIONS), "cl_khr_subgroups") == !_i);
}
END_TEST

START_TEST(what_is_not_offered)
{
    static const cl_device_info zero[] = {CL_DEVICE_IMAGE_SUPPORT,
                                          CL_DEVICE_SVM_CAPABILITIES,
                                          CL_DEVICE_PIPE_SUPPORT,

                                          CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES,
                                          CL_DEVICE_MAX_NUM_SUB_GROUPS,
                                          CL_DEVICE_PARENT_DEVICE};
    for (size_t i = 0; i < sizeof zero / sizeof *zero; i++)
        ck_assert_uint_eq(number(zero[i]), 0);
    ck_assert_uint_eq(number(CL_DEVICE_REFERENCE_COUNT), 1);
    ck_assert_uint_eq(number(CL_DEVICE_EXECUTION_CAPABILITIES), CL_EXEC_KERNEL);
    ck_assert_str_eq(text(CL_DEVICE_IL_VERSION), "");
    ck_assert_ptr_nonnull(strstr(text(CL_DEVICE_VERSION), "OpenCL 3.0 "));
    cl_ulong fences = number(CL_DEVICE_ATOMIC_FENCE_CAPABILITIES);
    ck_assert((fences & CL_DEVICE_ATOMIC_ORDER_ACQ_REL) && (fences & CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP));
    ck_assert(!(fences & CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES));
}
END_TEST

START_TEST(c_versions)
{
    cl_name_version list[8];
    size_t size;
    ck_assert_int_eq(cx_clGetDeviceInfo(device(), CL_DEVICE_OPENCL_C_ALL_VERSIONS, sizeof list, list, &size),
                     CL_SUCCESS);
    ck_assert_uint_ge(size / sizeof *list, 1);
    ck_assert_str_eq(list[0].name, "OpenCL C");
    ck_assert_int_eq(strncmp(text(CL_DEVICE_OPENCL_C_VERSION), "OpenCL C ", 9), 0);
    ck_assert_int_eq(
        cx_clGetDeviceInfo(device(), CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof list, list, &size),
        CL_SUCCESS);
    ck_assert_str_eq(list[0].name, "cl_khr_create_command_queue");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("device");
    TCase *tcase = tcase_create("device");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, use_stub, NULL);
    tcase_add_test(tcase, platform_queries);
    tcase_add_test(tcase, platform_ids);
    tcase_add_test(tcase, device_ids);
    tcase_add_test(tcase, narrowed_type);
    tcase_add_loop_test(tcase, joint_type, 0, 2);
    tcase_add_loop_test(tcase, asked_type, 0, 2);
    tcase_add_test(tcase, every_query);
    tcase_add_test(tcase, refused_queries);
    tcase_add_test(tcase, limits_of_fastest);
    tcase_add_loop_test(tcase, names_are_short, 0, 3);
    tcase_add_test(tcase, limits_in_common);
    tcase_add_loop_test(tcase, sums_of_all, 0, 2);
    tcase_add_loop_test(tcase, extensions_by_limits, 0, 2);
    tcase_add_test(tcase, sub_devices_of_whole_members);
    tcase_add_test(tcase, sub_devices_of_units_shown);
    tcase_add_loop_test(tcase, sub_devices_by_domain, 0, 2);
    tcase_add_test(tcase, queue_properties);
    tcase_add_test(tcase, queue_hints);
    tcase_add_test(tcase, timers);
    tcase_add_test(tcase, extension_functions);
    tcase_add_test(tcase, uuids);
    tcase_add_loop_test(tcase, sub_groups, 0, 2);
    tcase_add_test(tcase, what_is_not_offered);
    tcase_add_test(tcase, c_versions);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
