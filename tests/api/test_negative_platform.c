/* SPDX-License-Identifier: MIT */
/* Errors of platforms and devices. */
#include "negative.h"

START_TEST(platforms)
{
    cl_platform_id list[1];
    cl_uint count;
    char text[256];
    size_t size;

    ROW(CL_INVALID_VALUE, clGetPlatformIDs(0, list, NULL));
    ROW(CL_INVALID_VALUE, clGetPlatformIDs(0, NULL, NULL));
    ROW(CL_INVALID_VALUE, clGetPlatformIDs(0, list, &count));
    ROW(CL_INVALID_VALUE, clGetPlatformInfo(cl.platform, 0xffff, sizeof(text), text, &size));
    ROW(CL_INVALID_VALUE, clGetPlatformInfo(cl.platform, CL_PLATFORM_NAME, 1, text, &size));
    ROW(CL_INVALID_VALUE, clGetPlatformInfo(cl.platform, CL_DEVICE_NAME, sizeof(text), text, &size));
    ROW(CL_SUCCESS, clGetPlatformInfo(cl.platform, CL_PLATFORM_NAME, 0, NULL, &size));
    ROW(CL_SUCCESS, clGetPlatformInfo(cl.platform, CL_PLATFORM_NAME, 0, NULL, NULL));
    ROW_POCL(CL_INVALID_PLATFORM, CRASHES,
             clGetPlatformInfo((cl_platform_id)cl.device, CL_PLATFORM_NAME, sizeof(text), text, &size));
    ROW_POCL(CL_INVALID_PLATFORM, CRASHES, clUnloadPlatformCompiler((cl_platform_id)cl.device));
    /* these give no code: a function, or none */
    ROW(CL_SUCCESS, clGetExtensionFunctionAddressForPlatform(cl.platform, "clUnheardOf") != NULL);
    ROW_POCL(CL_SUCCESS, CRASHES, clGetExtensionFunctionAddressForPlatform(cl.platform, NULL) != NULL);
    ROW(CL_SUCCESS, clGetExtensionFunctionAddressForPlatform(NULL, "clUnheardOf") != NULL);
    ROW(CL_SUCCESS, clGetExtensionFunctionAddress("clUnheardOf") != NULL);
    negative_end();
}
END_TEST

START_TEST(devices)
{
    cl_device_id list[2];
    cl_uint count;
    char text[4096];
    size_t size;

    ROW_POCL(CL_INVALID_DEVICE_TYPE, CL_DEVICE_NOT_FOUND, clGetDeviceIDs(cl.platform, 0, 1, list, &count));
    ROW_POCL(CL_INVALID_DEVICE_TYPE, CL_DEVICE_NOT_FOUND,
             clGetDeviceIDs(cl.platform, (cl_device_type)1 << 20, 1, list, &count));
    ROW(CL_INVALID_VALUE, clGetDeviceIDs(cl.platform, CL_DEVICE_TYPE_ALL, 0, list, &count));
    ROW(CL_INVALID_VALUE, clGetDeviceIDs(cl.platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL));
    ROW(CL_INVALID_VALUE, clGetDeviceIDs(cl.platform, CL_DEVICE_TYPE_ALL, 1, NULL, NULL));
    ROW(CL_DEVICE_NOT_FOUND, clGetDeviceIDs(cl.platform, CL_DEVICE_TYPE_CUSTOM, 1, list, &count));
    ROW_POCL(CL_INVALID_PLATFORM, CRASHES,
             clGetDeviceIDs((cl_platform_id)cl.device, CL_DEVICE_TYPE_ALL, 1, list, &count));
    ROW(CL_INVALID_VALUE, clGetDeviceInfo(cl.device, 0xffff, sizeof(text), text, &size));
    ROW(CL_INVALID_VALUE, clGetDeviceInfo(cl.device, CL_DEVICE_NAME, 1, text, &size));
    ROW(CL_INVALID_VALUE, clGetDeviceInfo(cl.device, CL_DEVICE_TYPE, 1, text, &size));
    ROW(CL_INVALID_VALUE, clGetDeviceInfo(cl.device, CL_DEVICE_MAX_WORK_ITEM_SIZES, 8, text, &size));
    ROW(CL_INVALID_VALUE, clGetDeviceInfo(cl.device, CL_DEVICE_EXTENSIONS_WITH_VERSION, 1, text, &size));
    ROW(CL_INVALID_DEVICE, clGetDeviceInfo(NULL, CL_DEVICE_NAME, sizeof(text), text, &size));
    ROW_POCL(CL_INVALID_DEVICE, CRASHES,
             clGetDeviceInfo((cl_device_id)cl.platform, CL_DEVICE_NAME, sizeof(text), text, &size));
    ROW(CL_INVALID_DEVICE, clRetainDevice(NULL));
    ROW(CL_INVALID_DEVICE, clReleaseDevice(NULL));
    ROW_POCL(CL_INVALID_DEVICE, CRASHES, clRetainDevice((cl_device_id)cl.context));
    ROW_POCL(CL_INVALID_DEVICE, CRASHES, clReleaseDevice((cl_device_id)cl.context));
    negative_end();
}
END_TEST

START_TEST(sub_devices)
{
    const cl_device_partition_property none[] = {0}, unknown[] = {0x7777, 1, 0},
                                       nothing[] = {CL_DEVICE_PARTITION_BY_COUNTS, 0, 0},
                                       huge[] = {CL_DEVICE_PARTITION_EQUALLY, 1 << 20, 0},
                                       many[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1 << 20, 0, 0},
                                       negative[] = {CL_DEVICE_PARTITION_BY_COUNTS, -1, 0, 0},
                                       zero[] = {CL_DEVICE_PARTITION_EQUALLY, 0, 0},
                                       both[] = {CL_DEVICE_PARTITION_EQUALLY, 1, CL_DEVICE_PARTITION_EQUALLY,
                                                 1, 0};
    cl_device_id list[8];
    cl_uint count;
    cl_device_partition_property ways[8] = {0};
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_PARTITION_PROPERTIES, sizeof(ways), ways, NULL));
    /* a device that cannot be partitioned knows no way of it */
    const cl_int too_many = ways[0] ? CL_INVALID_DEVICE_PARTITION_COUNT : CL_INVALID_VALUE;

    ROW(CL_INVALID_DEVICE, clCreateSubDevices(NULL, huge, 8, list, &count));
    ROW(CL_INVALID_VALUE, clCreateSubDevices(cl.device, NULL, 8, list, &count));
    ROW(CL_INVALID_VALUE, clCreateSubDevices(cl.device, none, 8, list, &count));
    ROW(CL_INVALID_VALUE, clCreateSubDevices(cl.device, unknown, 8, list, &count));
    ROW_POCL(CL_INVALID_VALUE, too_many, clCreateSubDevices(cl.device, nothing, 8, list, &count));
    ROW_POCL(too_many, CL_INVALID_VALUE, clCreateSubDevices(cl.device, huge, 8, list, &count));
    ROW(too_many, clCreateSubDevices(cl.device, many, 8, list, &count));
    ROW(too_many, clCreateSubDevices(cl.device, negative, 8, list, &count));
    ROW_POCL(CL_INVALID_VALUE, CRASHES, clCreateSubDevices(cl.device, zero, 8, list, &count));
    ROW(CL_INVALID_VALUE, clCreateSubDevices(cl.device, both, 8, list, &count));
    ROW_POCL(CL_INVALID_DEVICE, CRASHES,
             clCreateSubDevices((cl_device_id)cl.context, unknown, 8, list, &count));
    cl_uint units = 0;
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, NULL));
    const cl_device_partition_property ones[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    ROW(CL_INVALID_VALUE, clCreateSubDevices(cl.device, ones, 0, list, &count));
    if (units > 1 && units <= 8) {
        ROW(CL_INVALID_VALUE, clCreateSubDevices(cl.device, ones, 1, list, NULL));
        const cl_device_partition_property whole[] = {CL_DEVICE_PARTITION_EQUALLY, units, 0};
        ROW_POCL(CL_DEVICE_PARTITION_FAILED, ANY, clCreateSubDevices(cl.device, whole, 8, list, NULL));
        cl_ok(clCreateSubDevices(cl.device, ones, 8, list, &count));
        ROW(CL_DEVICE_PARTITION_FAILED, clCreateSubDevices(list[0], ones, 0, NULL, &count));
        ROW(CL_INVALID_VALUE, clCreateSubDevices(list[0], unknown, 0, NULL, &count));
        for (cl_uint i = 0; i < count; i++)
            cl_ok(clReleaseDevice(list[i]));
    }
    negative_end();
}
END_TEST

START_TEST(timers)
{
    cl_ulong device_time, host_time;

    ROW(CL_INVALID_DEVICE, clGetDeviceAndHostTimer(NULL, &device_time, &host_time));
    ROW(CL_INVALID_DEVICE, clGetHostTimer(NULL, &host_time));
    ROW_POCL(CL_INVALID_VALUE, CL_INVALID_OPERATION, clGetDeviceAndHostTimer(cl.device, NULL, &host_time));
    ROW_POCL(CL_INVALID_VALUE, CL_INVALID_OPERATION, clGetDeviceAndHostTimer(cl.device, &device_time, NULL));
    ROW_POCL(CL_INVALID_VALUE, CL_INVALID_OPERATION, clGetHostTimer(cl.device, NULL));
    negative_end();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("negative platform");
    TCase *tests = cl_case(suite, "platform");
    tcase_add_test(tests, platforms);
    tcase_add_test(tests, devices);
    tcase_add_test(tests, sub_devices);
    tcase_add_test(tests, timers);
    return tap_run(suite);
}
