/* SPDX-License-Identifier: MIT */
/*
 * sub_devices.c on a made-up driver that counts: PoCL's parts of devices are kept and used again, one user at
 * a time; other drivers' are released.
 */
#include "capture.h"
#include "layer/driver/sub_devices.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static char names[MOST]; /* a part is the address of one of them */
static unsigned made, released;
static cl_uint per_call = 2;

static cl_int create(cl_device_id of, const cl_device_partition_property *list, cl_uint room,
                     cl_device_id *part, cl_uint *count)
{
    (void)of;
    (void)list;
    if (room < per_call || made + per_call > MOST)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < per_call; i++)
        part[i] = (cl_device_id)&names[made++];
    *count = per_call;
    return CL_SUCCESS;
}

static cl_int release(cl_device_id part)
{
    ck_assert_ptr_nonnull(part);
    released++;
    return CL_SUCCESS;
}

static const cl_icd_dispatch calls = {.clCreateSubDevices = create, .clReleaseDevice = release};
static char pocls_name[] = "Portable Computing Language", others_name[] = "Stub";
static const struct cx_real_platform pocl = {.cl = &calls, .name = pocls_name},
                                     other = {.cl = &calls, .name = others_name};
static char first, second;
static const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0},
                                          counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 3, 0, 0},
                                          others[] = {CL_DEVICE_PARTITION_BY_COUNTS, 3, 1, 0, 0};

static void make(const struct cx_real_platform *platform, char *device,
                 const cl_device_partition_property *list, cl_device_id part[2])
{
    const struct cx_real_device real = {.platform = platform, .cl = &calls, .id = (cl_device_id)device};
    cl_uint n = 0;
    ck_assert_int_eq(cx_sub_devices_make(&real, list, 2, part, &n), CL_SUCCESS);
    ck_assert_uint_eq(n, 2);
}

static void give_back(const struct cx_real_platform *platform, cl_device_id part[2])
{
    cx_sub_device_give_back(platform, part[0]);
    cx_sub_device_give_back(platform, part[1]);
}

/* PoCL has no way of telling when a queue's device is no longer in use (PoCL 3.1). */
START_TEST(pocls_are_kept)
{
    cl_device_id part[2], again[2];
    make(&pocl, &first, halves, part);
    for (unsigned i = 0; i < 10 * MOST; i++) { /* a loop of a program has no more of them in the end */
        give_back(&pocl, part);
        make(&pocl, &first, halves, again);
        ck_assert_ptr_eq(again[0], part[0]);
        ck_assert_ptr_eq(again[1], part[1]);
    }
    ck_assert_uint_eq(released, 0);
    ck_assert_uint_eq(made, 2);
}
END_TEST

/* Neither those of another device or partition nor those that somebody has, all or one of them. */
START_TEST(each_has_one_user)
{
    cl_device_id part[6][2];
    make(&pocl, &first, counts, part[0]);
    give_back(&pocl, part[0]);
    make(&pocl, &second, counts, part[1]);
    make(&pocl, &first, halves, part[2]);
    make(&pocl, &first, others, part[3]);
    ck_assert_uint_eq(made, 8);
    make(&pocl, &first, counts, part[4]);
    ck_assert_uint_eq(made, 8);
    make(&pocl, &first, counts, part[5]);
    ck_assert_uint_eq(made, 10);
    cx_sub_device_give_back(&pocl, part[5][1]);
    make(&pocl, &first, counts, part[0]);
    ck_assert_uint_eq(made, 12);
    cx_sub_device_give_back(&pocl, part[5][0]);
    make(&pocl, &first, counts, part[0]);
    ck_assert_ptr_eq(part[0][1], part[5][1]);
    ck_assert_uint_eq(released, 0);
}
END_TEST

START_TEST(too_little_room)
{
    cl_device_id part[2];
    cl_uint n;
    const struct cx_real_device real = {.platform = &pocl, .cl = &calls, .id = (cl_device_id)&first};
    make(&pocl, &first, halves, part);
    give_back(&pocl, part);
    ck_assert_int_eq(cx_sub_devices_make(&real, halves, 1, part, &n), CL_INVALID_VALUE);
}
END_TEST

START_TEST(others_are_released)
{
    cl_device_id part[2];
    for (unsigned i = 0; i < 8; i++) {
        make(&other, &first, halves, part);
        give_back(&other, part);
    }
    ck_assert_uint_eq(made, 16);
    ck_assert_uint_eq(released, 16);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sub_devices");
    TCase *tcase = tcase_create("sub_devices");
    suite_add_tcase(suite, tcase);
    tcase_add_test(tcase, pocls_are_kept);
    tcase_add_test(tcase, each_has_one_user);
    tcase_add_test(tcase, too_little_room);
    tcase_add_test(tcase, others_are_released);
    return tap_run(suite);
}
