/* SPDX-License-Identifier: MIT */
/*
 * shown.c, extensions.c and executables.c: whom a program takes the virtual device for. Every test runs in
 * its own process, so each makes its own device.
 *
 * The build gives TEST_STUB (libstub.so).
 */
#include "capture.h"
#include "queries.h"
#include "layer/object/device.h"
#include "layer/base/entry.h"

#include <CL/cl_ext.h>
#include <stdlib.h>
#include <string.h>

static const char *platform_text(cl_platform_info query)
{
    static char room[256];
    ck_assert_int_eq(cx_clGetPlatformInfo(platform(), query, sizeof room, room, NULL), CL_SUCCESS);
    return room;
}

/* A slow device of one vendor, a fast one of another. */
static void two_vendors(const char *name, const char *value)
{
    set_environment("COEXEC_VENDORS", TEST_STUB, "STUB_DEVICES", "2", "STUB_UNITS", "1,20", "STUB_VENDOR",
                    "The Other,NVIDIA Corporation", "STUB_VENDOR_ID", "0x1002,0x10de", "STUB_DRIVER",
                    "7,535.104", "STUB_NAMES", "Slow,Fast", "STUB_EXTENSIONS",
                    "cl_amd_device_attribute_query cl_khr_fp64,cl_khr_fp64 cl_nv_device_attribute_query "
                    "cl_nv_pragma_unroll cl_nv_create_buffer cl_khr_gl_sharing cl_khr_pci_bus_info "
                    "cl_khr_device_uuid",
                    name, value, NULL);
}

static cl_int query_code(cl_device_info query)
{
    char room[64];
    return cx_clGetDeviceInfo(device(), query, sizeof room, room, NULL);
}

START_TEST(identity_of_fastest)
{
    two_vendors("COEXEC_LOG", "warn");
    ck_assert_str_eq(text(CL_DEVICE_NAME), "Fast");
    ck_assert_str_eq(text(CL_DEVICE_VENDOR), "NVIDIA Corporation");
    ck_assert_uint_eq(number(CL_DEVICE_VENDOR_ID), 0x10de);
    ck_assert_str_eq(text(CL_DEVICE_VERSION), "OpenCL 3.0 stub");
    ck_assert_str_eq(text(CL_DEVICE_OPENCL_C_VERSION), "OpenCL C 1.2 stub");
    ck_assert_int_eq(strncmp(text(CL_DRIVER_VERSION), "535.104 coexec ", 15), 0);
    ck_assert_str_eq(platform_text(CL_PLATFORM_NAME), "coexec (2 devices)");
    ck_assert_str_eq(platform_text(CL_PLATFORM_VENDOR), "NVIDIA Corporation");
    ck_assert_str_eq(platform_text(CL_PLATFORM_ICD_SUFFIX_KHR), "coexec");
    ck_assert_ptr_nonnull(strstr(platform_text(CL_PLATFORM_VERSION), "coexec"));
}
END_TEST

/* 0: COEXEC_IDENTITY=virtual, 1: fastest */
START_TEST(vendors_queries)
{
    two_vendors("COEXEC_IDENTITY", _i ? "fastest" : "virtual");
    const char *list = text(CL_DEVICE_EXTENSIONS);
    ck_assert(cx_device_has_extension(list, "cl_nv_device_attribute_query") == _i);
    ck_assert(cx_device_has_extension(list, "cl_nv_pragma_unroll"));
    ck_assert(!cx_device_has_extension(list, "cl_nv_create_buffer"));
    ck_assert(!cx_device_has_extension(list, "cl_khr_gl_sharing"));
    ck_assert(!cx_device_has_extension(list, "cl_amd_device_attribute_query"));
    for (cl_device_info query = 0x4000; query <= 0x4007; query++)
        if (_i)
            ck_assert_uint_eq(number(query), 100 + query - 0x4000);
        else
            ck_assert_int_eq(query_code(query), CL_INVALID_VALUE);
    ck_assert_int_eq(query_code(0x4043), CL_INVALID_VALUE); /* the slower device's */
}
END_TEST

/* 0: as it is, 1: COEXEC_DEBUG=place=1 */
START_TEST(place_by_option)
{
    cl_uint bus[4] = {0};
    two_vendors("place", _i ? "1" : "0");
    ck_assert(cx_device_has_extension(text(CL_DEVICE_EXTENSIONS), "cl_khr_pci_bus_info") == _i);
    ck_assert(cx_device_has_extension(text(CL_DEVICE_EXTENSIONS), "cl_khr_device_uuid"));
    ck_assert_int_eq(query_code(0x4008), _i ? CL_SUCCESS : CL_INVALID_VALUE);
    ck_assert_int_eq(query_code(0x400A), _i ? CL_SUCCESS : CL_INVALID_VALUE);
    ck_assert_int_eq(cx_clGetDeviceInfo(device(), 0x410F, sizeof bus, bus, NULL),
                     _i ? CL_SUCCESS : CL_INVALID_VALUE);
    ck_assert_uint_eq(bus[1], _i ? 2 : 0);
    ck_assert_int_eq(memcmp(text(CL_DEVICE_UUID_KHR), "sixteen bytes id", 16) == 0, _i);
}
END_TEST

/* Without pipes, device queues and shared memory it is no OpenCL 2. */
START_TEST(versions_of_fastest)
{
    static const struct {
        const char *real, *shown;
        cl_version version;
    } cases[] = {{"1.2", "OpenCL 1.2 stub", CL_MAKE_VERSION(1, 2, 0)},
                 {"2.1", "OpenCL 3.0 stub", CL_MAKE_VERSION(3, 0, 0)},
                 {"3.0", "OpenCL 3.0 stub", CL_MAKE_VERSION(3, 0, 0)}};
    set_environment("COEXEC_VENDORS", TEST_STUB, "STUB_VERSION", cases[_i].real, NULL);
    ck_assert_str_eq(text(CL_DEVICE_VERSION), cases[_i].shown);
    ck_assert_uint_eq(number(CL_DEVICE_NUMERIC_VERSION), cases[_i].version);
}
END_TEST

START_TEST(identity_of_coexec)
{
    two_vendors("COEXEC_IDENTITY", "virtual");
    ck_assert_str_eq(text(CL_DEVICE_NAME), "coexec: Slow + Fast");
    ck_assert_str_eq(text(CL_DEVICE_VENDOR), "coexec");
    ck_assert_uint_eq(number(CL_DEVICE_VENDOR_ID), 0x4358);
    ck_assert_str_eq(text(CL_DRIVER_VERSION), CX_DRIVER_VERSION);
    ck_assert_str_eq(platform_text(CL_PLATFORM_NAME), "coexec");
    ck_assert_str_eq(platform_text(CL_PLATFORM_VENDOR), "coexec");
    ck_assert_ptr_nonnull(strstr(text(CL_DEVICE_VERSION), "coexec"));
    ck_assert_ptr_nonnull(strstr(text(CL_DEVICE_OPENCL_C_VERSION), "coexec"));
}
END_TEST

/* What the user's file says of this test's executable, and of none of it. */
START_TEST(answers_by_executable)
{
    char path[] = "/tmp/coexec-programs-XXXXXX", uuid[CL_UUID_SIZE_KHR];
    FILE *file = fdopen(mkstemp(path), "w");
    fputs("# executable  query  answer\n"
          "\n"
          "test_sho*  CL_PLATFORM_NAME  \"Name of # mine\"  # with a reason\n"
          "test_sho*  CL_PLATFORM_VENDOR  coexec\n"
          "other      CL_DEVICE_NAME    \"not for this one\"\n"
          "test_sho*  CL_DEVICE_VENDOR_ID 0x1234\n"
          "test_sho*  CL_DRIVER_VERSION real\n"
          "test_sho*  CL_DRIVER_VERSION none\n"
          "test_sho*  CL_DEVICE_GLOBAL_MEM_SIZE 1048576\n"
          "test_sho*  0x4008 real\n"
          "test_sho*  0x4003 none\n"
          "test_sho*  CL_DEVICE_PCI_BUS_INFO_KHR real\n"
          "test_sho*  CL_DEVICE_PARENT_DEVICE real\n"
          "test_sho*  CL_DEVICE_NAME maybe\n"
          "test_sho*\n"
          "test_sho*  CL_DEVICE_VERSION \"open\n",
          file);
    fclose(file);
    two_vendors("COEXEC_PROGRAMS", path);
    capture_start();
    ck_assert_str_eq(platform_text(CL_PLATFORM_NAME), "Name of # mine");
    ck_assert_str_eq(platform_text(CL_PLATFORM_VENDOR), "coexec");
    ck_assert_str_eq(text(CL_DEVICE_NAME), "Fast");
    ck_assert_uint_eq(number(CL_DEVICE_VENDOR_ID), 0x1234);
    ck_assert_str_eq(text(CL_DRIVER_VERSION), "535.104");
    ck_assert_uint_eq(number(CL_DEVICE_GLOBAL_MEM_SIZE), 1048576);
    ck_assert_int_eq(query_code(0x4008), CL_SUCCESS);
    ck_assert_int_eq(query_code(0x4009), CL_INVALID_VALUE);
    ck_assert_int_eq(query_code(0x4003), CL_INVALID_VALUE);
    ck_assert(cx_device_has_extension(text(CL_DEVICE_EXTENSIONS), "cl_khr_pci_bus_info"));
    ck_assert_int_eq(cx_clGetDeviceInfo(device(), CL_DEVICE_UUID_KHR, sizeof uuid, uuid, NULL), CL_SUCCESS);
    ck_assert_int_ne(memcmp(uuid, "sixteen bytes id", sizeof uuid), 0);
    const char *said = capture_end();
    ck_assert_ptr_nonnull(strstr(said, "line 13 is passed over: no such query"));
    ck_assert_ptr_nonnull(strstr(said, "line 14 is passed over: the answer is none of"));
    ck_assert_ptr_nonnull(strstr(said, "line 15 is passed over: no such query"));
    ck_assert_ptr_nonnull(strstr(said, "line 16 is passed over: a text without a closing quote"));
    ck_assert_ptr_null(strstr(said, "line 12"));
    remove(path);
}
END_TEST

START_TEST(programs_file_is_absent)
{
    two_vendors("COEXEC_PROGRAMS", "/nowhere/programs");
    capture_start();
    ck_assert_str_eq(text(CL_DEVICE_NAME), "Fast");
    ck_assert_ptr_nonnull(strstr(capture_end(), "/nowhere/programs cannot be read"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("shown");
    TCase *tcase = tcase_create("shown");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, clean_environment, NULL);
    tcase_add_test(tcase, identity_of_fastest);
    tcase_add_test(tcase, identity_of_coexec);
    tcase_add_loop_test(tcase, vendors_queries, 0, 2);
    tcase_add_loop_test(tcase, place_by_option, 0, 2);
    tcase_add_loop_test(tcase, versions_of_fastest, 0, 3);
    tcase_add_test(tcase, answers_by_executable);
    tcase_add_test(tcase, programs_file_is_absent);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
