/* SPDX-License-Identifier: MIT */
/*
 * Sub-devices: partitions by counts and equally, their queries, references, and contexts, queues, programs
 * and launches on them. For any device that can be partitioned; others pass by their refusals alone.
 */
#include "cl_fixture.h"
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { ITEMS = 1024, MOST = 16 };

static const char text[] = "kernel void put(global int *out, int x)\n"
                           "{ out[get_global_id(0)] = x + (int)get_global_id(0); }\n"
                           "kernel void add(global int *out, int x)\n"
                           "{ out[get_global_id(0)] = 3 * out[get_global_id(0)] + x; }\n";

static cl_uint units_of(cl_device_id device)
{
    cl_uint units = 0;
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    return units;
}

static cl_uint most_of(cl_device_id device)
{
    cl_uint most = 0;
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof most, &most, NULL));
    return most;
}

static bool offers(cl_device_id device, cl_device_partition_property way)
{
    cl_device_partition_property list[8];
    size_t size = 0;
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, sizeof list, list, &size));
    for (size_t i = 0; i < size / sizeof *list; i++)
        if (list[i] == way)
            return true;
    return false;
}

/* Two sub-devices of half the compute units each; false where the device cannot. */
static bool halve(cl_device_id *halves)
{
    cl_device_partition_property list[] = {CL_DEVICE_PARTITION_EQUALLY, units_of(cl.device) / 2, 0};
    if (!offers(cl.device, CL_DEVICE_PARTITION_EQUALLY) || units_of(cl.device) < 2)
        return false;
    cl_device_id made[MOST];
    cl_uint count = 0;
    cl_ok(clCreateSubDevices(cl.device, list, MOST, made, &count));
    ck_assert_uint_ge(count, 2);
    halves[0] = made[0];
    halves[1] = made[1];
    while (count > 2)
        cl_ok(clReleaseDevice(made[--count]));
    return true;
}

static void check_sub(cl_device_id sub, cl_uint units, const cl_device_partition_property *type, size_t ntype)
{
    cl_device_partition_property list[MOST];
    cl_device_id parent = NULL;
    cl_platform_id platform = NULL;
    cl_uint references = 0;
    char name[512];
    size_t size = 0;
    ck_assert_uint_eq(units_of(sub), units);
    cl_ok(clGetDeviceInfo(sub, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
    ck_assert_ptr_eq(parent, cl.device);
    cl_ok(clGetDeviceInfo(sub, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    ck_assert_ptr_eq(platform, cl.platform);
    cl_ok(clGetDeviceInfo(sub, CL_DEVICE_PARTITION_TYPE, sizeof list, list, &size));
    ck_assert_uint_eq(size, ntype * sizeof *type);
    ck_assert_int_eq(memcmp(list, type, size), 0);
    cl_ok(clGetDeviceInfo(sub, CL_DEVICE_REFERENCE_COUNT, sizeof references, &references, NULL));
    ck_assert_uint_eq(references, 1);
    cl_ok(clGetDeviceInfo(sub, CL_DEVICE_NAME, sizeof name, name, NULL));
    ck_assert_uint_gt(strlen(name), 0);
}

START_TEST(root_queries)
{
    cl_device_id parent = cl.device;
    cl_device_partition_property list[8];
    size_t size = 0;
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
    ck_assert_ptr_null(parent);
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_PARTITION_TYPE, sizeof list, list, &size));
    ck_assert(size == 0 || (size == sizeof *list && list[0] == 0));
    ck_assert_uint_le(most_of(cl.device), units_of(cl.device));
    cl_uint references = 0;
    cl_ok(clRetainDevice(cl.device)); /* of no effect on a root device */
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_REFERENCE_COUNT, sizeof references, &references, NULL));
    ck_assert_uint_eq(references, 1);
    cl_ok(clReleaseDevice(cl.device));
    cl_ok(clReleaseDevice(cl.device));
    ck_assert_uint_ge(units_of(cl.device), 1);
}
END_TEST

START_TEST(errors)
{
    cl_device_partition_property none[] = {0}, unknown[] = {0x7777, 1, 0};
    cl_device_partition_property far[] = {CL_DEVICE_PARTITION_BY_COUNTS, units_of(cl.device) + 1,
                                          CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    cl_device_partition_property zero[] = {CL_DEVICE_PARTITION_EQUALLY, 0, 0};
    cl_device_partition_property nowhere[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, 1 << 30, 0};
    cl_device_partition_property ones[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id made[MOST];
    cl_uint count;
    cl_expect(clCreateSubDevices(NULL, ones, MOST, made, &count), CL_INVALID_DEVICE);
    cl_expect(clCreateSubDevices(cl.device, NULL, MOST, made, &count), CL_INVALID_VALUE);
    cl_expect(clCreateSubDevices(cl.device, none, MOST, made, &count), CL_INVALID_VALUE);
    cl_expect(clCreateSubDevices(cl.device, unknown, MOST, made, &count), CL_INVALID_VALUE);
    cl_expect(clCreateSubDevices(cl.device, nowhere, MOST, made, &count), CL_INVALID_VALUE);
    if (!offers(cl.device, CL_DEVICE_PARTITION_EQUALLY))
        return;
    cl_expect(clCreateSubDevices(cl.device, zero, MOST, made, &count), CL_INVALID_VALUE);
    cl_expect(clCreateSubDevices(cl.device, far, MOST, made, &count), CL_INVALID_DEVICE_PARTITION_COUNT);
    cl_expect_either(clCreateSubDevices(cl.device, ones, 1, made, &count), CL_INVALID_VALUE,
                     CL_DEVICE_PARTITION_FAILED);
    cl_expect(clRetainDevice(NULL), CL_INVALID_DEVICE);
    cl_expect(clReleaseDevice(NULL), CL_INVALID_DEVICE);
}
END_TEST

/* The implementation knows the way, but such a device has nothing left to share out. */
START_TEST(smallest)
{
    cl_device_partition_property ones[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1,
                                             CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    cl_device_partition_property unknown[] = {0x7777, 1, 0};
    cl_device_id made[MOST], none[MOST];
    cl_uint count = 0, units = units_of(cl.device);
    if (!offers(cl.device, CL_DEVICE_PARTITION_EQUALLY) || most_of(cl.device) < units)
        return;
    cl_ok(clCreateSubDevices(cl.device, ones, MOST, made, &count));
    ck_assert_uint_eq(count, units);
    cl_expect(clCreateSubDevices(made[0], ones, MOST, none, NULL), CL_DEVICE_PARTITION_FAILED);
    cl_expect(clCreateSubDevices(made[0], counts, MOST, none, NULL), CL_DEVICE_PARTITION_FAILED);
    cl_expect(clCreateSubDevices(made[0], unknown, MOST, none, NULL), CL_INVALID_VALUE);
    for (cl_uint i = 0; i < count; i++)
        cl_ok(clReleaseDevice(made[i]));
}
END_TEST

START_TEST(equally)
{
    cl_device_partition_property list[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id made[MOST];
    cl_uint count = 0, told = 0, units = units_of(cl.device);
    if (!offers(cl.device, CL_DEVICE_PARTITION_EQUALLY))
        return;
    cl_int code = clCreateSubDevices(cl.device, list, 0, NULL, &told);
    if (code == CL_DEVICE_PARTITION_FAILED || told > MOST)
        return; /* what it consists of cannot be cut so small, or into too many for this test */
    cl_ok(code);
    cl_ok(clCreateSubDevices(cl.device, list, MOST, made, &count));
    ck_assert_uint_eq(count, told);
    ck_assert_uint_le(count, units);
    for (cl_uint i = 0; i < count; i++) {
        check_sub(made[i], 1, list, 3);
        ck_assert(!offers(made[i], CL_DEVICE_PARTITION_EQUALLY));
        cl_ok(clReleaseDevice(made[i]));
    }
}
END_TEST

START_TEST(by_counts)
{
    cl_uint units = units_of(cl.device), count = 0;
    cl_device_partition_property list[] = {CL_DEVICE_PARTITION_BY_COUNTS, units - units / 2, units / 2,
                                           CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    cl_device_id made[2];
    if (!offers(cl.device, CL_DEVICE_PARTITION_BY_COUNTS))
        return;
    cl_ok(clCreateSubDevices(cl.device, list, 2, made, &count));
    ck_assert_uint_eq(count, 2);
    for (int i = 0; i < 2; i++) {
        check_sub(made[i], (cl_uint)list[1 + i], list, 5);
        cl_ok(clReleaseDevice(made[i]));
    }
}
END_TEST

static void run(cl_context context, cl_command_queue queue, cl_program program)
{
    static int got[ITEMS];
    const size_t items = ITEMS, group = 64;
    cl_int error;
    cl_mem mem = clCreateBuffer(context, 0, sizeof got, NULL, &error);
    cl_ok(error);
    const char *names[] = {"put", "add"};
    for (int i = 0; i < 2; i++) {
        cl_kernel kernel = clCreateKernel(program, names[i], &error);
        cl_ok(error);
        cl_set_mem(kernel, 0, mem);
        cl_set_int(kernel, 1, 5);
        cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
        cl_ok(clReleaseKernel(kernel));
    }
    cl_ok(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; i++)
        ck_assert_int_eq(got[i], 3 * (5 + i) + 5);
    cl_ok(clReleaseMemObject(mem));
}

static cl_program build_in(cl_context context, cl_uint ndevices, const cl_device_id *devices)
{
    const char *source = text;
    cl_int error;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    cl_ok(error);
    cl_ok(clBuildProgram(program, ndevices, devices, "", NULL, NULL));
    return program;
}

/* A context of these devices: what it says, a program, and the same launches on every device. */
static void use(cl_uint ndevices, const cl_device_id *devices, cl_device_id stranger)
{
    cl_device_id got[MOST] = {NULL};
    cl_uint count = 0;
    cl_int error;
    cl_context context = clCreateContext(NULL, ndevices, devices, NULL, NULL, &error);
    cl_ok(error);
    cl_ok(clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, ndevices);
    cl_ok(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof got, got, NULL));
    ck_assert_int_eq(memcmp(got, devices, ndevices * sizeof *got), 0);
    if (stranger) {
        ck_assert_ptr_null(clCreateCommandQueue(context, stranger, 0, &error));
        cl_expect(error, CL_INVALID_DEVICE);
    }

    cl_program program = build_in(context, ndevices, devices);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, ndevices);
    size_t sizes[MOST], size = 0;
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, &size));
    ck_assert_uint_eq(size, ndevices * sizeof *sizes);
    unsigned char *binaries[MOST];
    for (cl_uint i = 0; i < ndevices; i++)
        binaries[i] = malloc(sizes[i]);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL));
    cl_program again = clCreateProgramWithBinary(context, ndevices, devices, sizes,
                                                 (const unsigned char **)binaries, NULL, &error);
    cl_ok(error);
    cl_ok(clBuildProgram(again, ndevices, devices, "", NULL, NULL));
    for (cl_uint i = 0; i < ndevices; i++)
        free(binaries[i]);

    for (cl_uint i = 0; i < ndevices; i++) {
        cl_device_id of = NULL;
        cl_command_queue queue = clCreateCommandQueue(context, devices[i], 0, &error);
        cl_ok(error);
        cl_ok(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof of, &of, NULL));
        ck_assert_ptr_eq(of, devices[i]);
        cl_build_status status = CL_BUILD_NONE;
        cl_ok(clGetProgramBuildInfo(program, of, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
        ck_assert_int_eq(status, CL_BUILD_SUCCESS);
        run(context, queue, program);
        run(context, queue, again);
        cl_ok(clReleaseCommandQueue(queue));
    }
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseProgram(again));
    cl_ok(clReleaseContext(context));
}

START_TEST(contexts)
{
    cl_device_id halves[2];
    if (!halve(halves))
        return;
    use(1, &halves[0], halves[1]);
    use(1, &halves[1], cl.device);
    use(2, halves, cl.device);
    cl_device_id both[] = {cl.device, halves[1]}; /* the root and a part of it */
    use(2, both, NULL);
    cl_ok(clReleaseDevice(halves[0]));
    cl_ok(clReleaseDevice(halves[1]));
}
END_TEST

/* Programs and kernels of one half know neither the other half nor the root. */
START_TEST(foreign_devices)
{
    cl_device_id halves[2];
    cl_int error;
    size_t size = 64, got = 0;
    if (!halve(halves))
        return;
    cl_context context = clCreateContext(NULL, 1, &halves[0], NULL, NULL, &error);
    cl_ok(error);
    const char *source = text;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    cl_ok(error);
    const cl_device_id others[] = {halves[1], cl.device};
    for (unsigned i = 0; i < 2; i++) {
        cl_expect(clBuildProgram(program, 1, &others[i], NULL, NULL, NULL), CL_INVALID_DEVICE);
        cl_expect(clCompileProgram(program, 1, &others[i], NULL, 0, NULL, NULL, NULL, NULL),
                  CL_INVALID_DEVICE);
    }
    cl_ok(clCompileProgram(program, 1, &halves[0], NULL, 0, NULL, NULL, NULL, NULL));
    ck_assert_ptr_null(clLinkProgram(context, 1, &others[0], NULL, 1, &program, NULL, NULL, &error));
    cl_expect(error, CL_INVALID_DEVICE);
    cl_ok(clBuildProgram(program, 1, &halves[0], NULL, NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "put", &error);
    cl_ok(error);
    cl_expect(clGetKernelSubGroupInfo(kernel, others[0], CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                                      sizeof size, &size, sizeof got, &got, NULL),
              CL_INVALID_DEVICE);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseContext(context));
    cl_ok(clReleaseDevice(halves[0]));
    cl_ok(clReleaseDevice(halves[1]));
}
END_TEST

/* Everything is released while the analysis may still run; a sanitizer sees what it then touches. */
START_TEST(released_at_once)
{
    cl_device_id halves[2];
    char unknown[128];
    cl_int error;
    if (!halve(halves))
        return;
    snprintf(unknown, sizeof unknown,
             "kernel void k(global int *a) { a[get_global_id(0)] = %ld; }\n#if __NO_SUCH__\n#endif\n",
             (long)getpid());
    const char *source = unknown;
    cl_context context = clCreateContext(NULL, 1, &halves[0], NULL, NULL, &error);
    cl_ok(error);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    cl_ok(error);
    cl_ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseContext(context));
    cl_ok(clReleaseDevice(halves[0]));
    cl_ok(clReleaseDevice(halves[1]));
    const struct timespec pause = {0, 200000000};
    nanosleep(&pause, NULL);
}
END_TEST

/* What one device of a context wrote is what the other reads. */
START_TEST(shared_buffer)
{
    cl_device_id halves[2];
    static int got[ITEMS];
    const size_t items = ITEMS, group = 64;
    cl_int error;
    if (!halve(halves))
        return;
    cl_context context = clCreateContext(NULL, 2, halves, NULL, NULL, &error);
    cl_ok(error);
    cl_program program = build_in(context, 0, NULL);
    cl_kernel put = clCreateKernel(program, "put", &error), add = clCreateKernel(program, "add", &error);
    cl_mem mem = clCreateBuffer(context, 0, sizeof got, NULL, &error);
    cl_command_queue queues[2];
    for (int i = 0; i < 2; i++)
        queues[i] = clCreateCommandQueue(context, halves[i], 0, &error);
    cl_set_mem(put, 0, mem);
    cl_set_int(put, 1, 7);
    cl_set_mem(add, 0, mem);
    cl_set_int(add, 1, 1);
    cl_event last;
    cl_ok(clEnqueueNDRangeKernel(queues[0], put, 1, NULL, &items, &group, 0, NULL, &last));
    int factor = 1, more = 0;
    for (int i = 1; i < 10; i++) {
        cl_event next;
        cl_ok(clEnqueueNDRangeKernel(queues[i % 2], add, 1, NULL, &items, &group, 1, &last, &next));
        cl_ok(clReleaseEvent(last));
        last = next;
        factor *= 3;
        more = 3 * more + 1;
    }
    cl_ok(clEnqueueReadBuffer(queues[0], mem, CL_TRUE, 0, sizeof got, got, 1, &last, NULL));
    for (int i = 0; i < ITEMS; i++)
        ck_assert_int_eq(got[i], factor * (7 + i) + more);
    cl_ok(clReleaseEvent(last));
    for (int i = 0; i < 2; i++) {
        cl_ok(clReleaseCommandQueue(queues[i]));
        cl_ok(clReleaseDevice(halves[i])); /* the context holds them */
    }
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(put));
    cl_ok(clReleaseKernel(add));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseContext(context));
}
END_TEST

START_TEST(reference_counts)
{
    cl_device_id halves[2], context_device = NULL;
    cl_uint references = 0;
    cl_int error;
    if (!halve(halves))
        return;
    cl_ok(clRetainDevice(halves[0]));
    cl_ok(clGetDeviceInfo(halves[0], CL_DEVICE_REFERENCE_COUNT, sizeof references, &references, NULL));
    ck_assert_uint_eq(references, 2);
    cl_ok(clReleaseDevice(halves[0]));
    cl_context context = clCreateContext(NULL, 1, &halves[0], NULL, NULL, &error);
    cl_ok(error);
    cl_ok(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof context_device, &context_device, NULL));
    ck_assert_ptr_eq(context_device, halves[0]);
    cl_ok(clReleaseContext(context));
    cl_ok(clReleaseDevice(halves[0]));
    cl_ok(clReleaseDevice(halves[1]));
}
END_TEST

/* A part of a part, where a half has at least two compute units. */
START_TEST(parts_of_parts)
{
    cl_device_partition_property ones[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id halves[2], made[MOST], parent = NULL;
    cl_uint count = 0;
    if (!halve(halves))
        return;
    if (offers(halves[0], CL_DEVICE_PARTITION_EQUALLY)) {
        if (units_of(halves[0]) <= MOST)
            cl_ok(clCreateSubDevices(halves[0], ones, MOST, made, &count));
    }
    if (count) {
        cl_ok(clGetDeviceInfo(made[0], CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
        ck_assert_ptr_eq(parent, halves[0]);
    }
    cl_ok(clReleaseDevice(halves[0]));
    if (count)
        use(count, made, cl.device);
    while (count)
        cl_ok(clReleaseDevice(made[--count]));
    cl_ok(clReleaseDevice(halves[1]));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("api_subdevices");
    TCase *tcase = cl_case(suite, "subdevices");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, root_queries);
    tcase_add_test(tcase, errors);
    tcase_add_test(tcase, smallest);
    tcase_add_test(tcase, equally);
    tcase_add_test(tcase, by_counts);
    tcase_add_test(tcase, contexts);
    tcase_add_test(tcase, foreign_devices);
    tcase_add_test(tcase, released_at_once);
    tcase_add_test(tcase, shared_buffer);
    tcase_add_test(tcase, reference_counts);
    tcase_add_test(tcase, parts_of_parts);
    return tap_run(suite);
}
