/* SPDX-License-Identifier: MIT */
#include "queries.h"
#include "layer/base/entry.h"
#include "tests/tap.h"

cl_platform_id platform(void)
{
    cl_platform_id id = NULL;
    cl_uint count = 0;
    ck_assert_int_eq(cx_clGetPlatformIDs(1, &id, &count), CL_SUCCESS);
    ck_assert_uint_eq(count, 1);
    return id;
}

cl_device_id device(void)
{
    cl_device_id id = NULL;
    ck_assert_int_eq(cx_clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, 1, &id, NULL), CL_SUCCESS);
    return id;
}

cl_ulong number(cl_device_info query)
{
    cl_ulong wide = 0;
    cl_uint narrow = 0;
    size_t size = 0;
    ck_assert_int_eq(cx_clGetDeviceInfo(device(), query, 0, NULL, &size), CL_SUCCESS);
    ck_assert_uint_le(size, sizeof wide);
    ck_assert_int_eq(
        cx_clGetDeviceInfo(device(), query, size, size == sizeof narrow ? (void *)&narrow : &wide, NULL),
        CL_SUCCESS);
    return size == sizeof narrow ? narrow : wide;
}

const char *text(cl_device_info query)
{
    static char room[2048];
    ck_assert_int_eq(cx_clGetDeviceInfo(device(), query, sizeof room, room, NULL), CL_SUCCESS);
    return room;
}
