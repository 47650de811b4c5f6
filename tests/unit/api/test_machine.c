/* SPDX-License-Identifier: MIT */
/*
 * drivers.c, device.c and probe.c over the stub driver, a cl_khr_icd 2.0 driver and things that are no
 * driver. Every test runs in its own process, so each finds its own machine. PoCL, where installed, is probed
 * as well.
 *
 * The build gives TEST_STUB (libstub.so), TEST_ICD2 (libicd2.so), TEST_SELF (libcoexec.so), TEST_LACKING
 * (liblacking.so, which calls a function that is nowhere).
 */
#include "capture.h"
#include "cl_folder.h"
#include "layer/object/device.h"
#include "layer/base/entry.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct cx_machine *machine_of(const char *vendors)
{
    set_environment("COEXEC_VENDORS", vendors, NULL);
    return cx_machine_get();
}

static bool has_note(const struct cx_machine *machine, const char *part)
{
    for (unsigned i = 0; i < machine->nnotes; i++)
        if (strstr(machine->notes[i], part))
            return true;
    return false;
}

START_TEST(finds_devices)
{
    set_environment("STUB_DEVICES", "3", "STUB_UNITS", "1,8,2", NULL);
    const struct cx_machine *machine = machine_of(TEST_STUB);
    ck_assert_ptr_eq(cx_machine_get(), machine);
    ck_assert_uint_eq(machine->nplatforms, 1);
    ck_assert_uint_eq(machine->ndevices, 3);
    ck_assert_uint_eq(machine->nused, 3);
    ck_assert_uint_eq(machine->nnotes, 0);
    ck_assert_uint_eq(machine->platforms[0].version_number, 300);
    ck_assert_ptr_eq(machine->fastest, &machine->devices[1]);
    for (unsigned i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "stub %u", i);
        ck_assert_str_eq(machine->devices[i].name, name);
        ck_assert_uint_eq(machine->devices[i].index, i);
        ck_assert(machine->devices[i].nominal_gflops > 0);
        ck_assert_ptr_eq(machine->used[i], &machine->devices[i]);
    }
}
END_TEST

/* Of an NVIDIA GPU by its compute capability, the registers as it tells; not of others, nor of one that is
 * newer than the table. */
START_TEST(multiprocessors_are_known)
{
    set_environment("STUB_DEVICES", "4", "STUB_TYPE", "gpu,gpu,gpu,cpu", "STUB_VENDOR_ID",
                    "0x10de,0x10de,0x1002,0x10de", "STUB_EXTENSIONS", "cl_nv_device_attribute_query",
                    "STUB_NVIDIA", "9.0.32768,99.0.65536,9.0.65536,9.0.65536", NULL);
    const struct cx_machine *machine = machine_of(TEST_STUB);
    ck_assert_uint_eq(machine->ndevices, 4);
    ck_assert_uint_eq(machine->devices[0].multiprocessor.warps, 64);
    ck_assert_uint_eq(machine->devices[0].multiprocessor.registers, 32768);
    for (unsigned i = 1; i < 4; i++)
        ck_assert_uint_eq(machine->devices[i].multiprocessor.warps, 0);
}
END_TEST

START_TEST(same_library_once)
{
    const struct cx_machine *machine = machine_of(TEST_STUB ":" TEST_STUB);
    ck_assert_uint_eq(machine->nplatforms, 1);
    ck_assert_uint_eq(machine->nnotes, 0);
}
END_TEST

/* Writes an .icd file into a new folder; returns the folder. */
static const char *make_folder(const char *text)
{
    static char folder[] = "/tmp/coexec-icd-XXXXXX";
    char path[64];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.icd", folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
    return folder;
}

static void remove_folder(const char *folder)
{
    char path[64];
    snprintf(path, sizeof path, "%s/a.icd", folder);
    unlink(path);
    rmdir(folder);
}

START_TEST(folders_and_icd_files)
{
    const char *folder = make_folder("\n  " TEST_STUB " \r\n");
    char list[256];
    snprintf(list, sizeof list, "%s:%s/a.icd", folder, folder);
    const struct cx_machine *machine = machine_of(list);
    remove_folder(folder);
    ck_assert_uint_eq(machine->nplatforms, 1);
    ck_assert_uint_eq(machine->nused, 2);
    ck_assert_uint_eq(machine->nnotes, 0);
    ck_assert_ptr_nonnull(strstr(machine->searched, folder));
}
END_TEST

START_TEST(icd_file_without_library)
{
    const char *folder = make_folder("\n\n");
    const struct cx_machine *machine = machine_of(folder);
    remove_folder(folder);
    ck_assert_uint_eq(machine->ndevices, 0);
    ck_assert(has_note(machine, "names no library"));
}
END_TEST

/* Whatever stands beside it, the good driver is found. */
START_TEST(no_drivers_beside_one)
{
    capture_start();
    const struct cx_machine *machine = machine_of("/nonexistent.so:libm.so.6:libOpenCL.so.1:" TEST_SELF
                                                  "::/nonexistent.icd:/proc/self/fd:" TEST_STUB);
    ck_assert_str_eq(capture_end(), "");
    ck_assert_uint_eq(machine->nused, 2);
    ck_assert(has_note(machine, "/nonexistent.so (from COEXEC_VENDORS): cannot be opened"));
    ck_assert(has_note(machine, "libm.so.6 (from COEXEC_VENDORS): not an OpenCL driver"));
    ck_assert(has_note(machine, "libOpenCL.so.1 (from COEXEC_VENDORS): an OpenCL loader"));
    ck_assert(has_note(machine, "/nonexistent.icd: No such file"));
    ck_assert(has_note(machine, "/proc/self/fd: no .icd file in it"));
    ck_assert(!has_note(machine, TEST_SELF)); /* to be expected, so not worth a note */
}
END_TEST

static void copy_file(const char *from, const char *to)
{
    char bytes[4096];
    size_t got;
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    ck_assert(in && out);
    while ((got = fread(bytes, 1, sizeof bytes, in)) > 0)
        ck_assert_uint_eq(fwrite(bytes, 1, got, out), got);
    fclose(in);
    ck_assert_int_eq(fclose(out), 0);
}

/* How many devices a new process finds there. */
static unsigned devices_of(const char *vendors)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit((int)machine_of(vendors)->nused);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    return (unsigned)WEXITSTATUS(status);
}

static unsigned entries_of(const char *folder)
{
    unsigned count = 0;
    DIR *entries = opendir(folder);
    while (entries && readdir(entries))
        count++;
    if (entries)
        closedir(entries);
    return count < 2 ? 0 : count - 2; /* itself and the one above */
}

/* A library that lacks a function is refused, though the one of that name before it was found whole (first
 * case) or nothing may be kept. That one is whole is kept once. */
START_TEST(functions_missing)
{
    char path[128], list[512], cache[128];
    cl_folder_make("lacking");
    snprintf(path, sizeof path, "%s", cl_folder_path("driver.so"));
    snprintf(cache, sizeof cache, "%s", cl_folder_path("cache"));
    snprintf(list, sizeof list, "%s:%s", path, TEST_STUB);
    set_environment("COEXEC_CACHE_DIR", _i ? "-" : cache, NULL);
    copy_file(TEST_STUB, path);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_uint_eq(devices_of(path), 2);
        ck_assert_uint_eq(entries_of(cache), _i ? 0 : 1);
    }
    ck_assert_int_eq(unlink(path), 0);
    copy_file(TEST_LACKING, path);
    const struct cx_machine *machine = machine_of(list);
    ck_assert_uint_eq(machine->nused, 2);
    ck_assert(has_note(machine, "driver.so (from COEXEC_VENDORS): cannot be opened: "));
    ck_assert(has_note(machine, "in_no_library"));
    ck_assert_uint_eq(entries_of(cache), _i ? 0 : 2); /* and the stub's, which is whole */
    cl_folder_remove();
}
END_TEST

static const struct {
    const char *variable, *value, *note;
} broken[] = {
    {"STUB_FAIL", "clIcdGetPlatformIDsKHR:1:-6", "no platform (CL_OUT_OF_HOST_MEMORY)"},
    {"STUB_FAIL", "clIcdGetPlatformIDsKHR:2:-1001", "no platform (CL_PLATFORM_NOT_FOUND_KHR)"},
    {"STUB_FAIL", "clGetDeviceIDs:1:-5", "has no device (CL_OUT_OF_RESOURCES)"},
    {"STUB_FAIL", "clGetDeviceIDs:2:-5", "has no device (CL_OUT_OF_RESOURCES)"},
    {"STUB_DEVICES", "0", "has no device"},
};

START_TEST(broken_drivers)
{
    set_environment(broken[_i].variable, broken[_i].value, NULL);
    capture_start();
    const struct cx_machine *machine = machine_of(TEST_STUB ":" TEST_ICD2);
    ck_assert_str_eq(capture_end(), "");
    ck_assert_msg(has_note(machine, broken[_i].note), "no note '%s'", broken[_i].note);
    ck_assert_uint_eq(machine->nused, 2);
    ck_assert_str_eq(machine->used[0]->name, "twin");
}
END_TEST

/* The k-th query fails: the device may lose a fact or be left out, nothing else. */
START_TEST(failing_queries)
{
    char rule[64];
    snprintf(rule, sizeof rule, "clGetDeviceInfo:%d:-5", _i + 1);
    set_environment("STUB_FAIL", rule, NULL);
    const struct cx_machine *machine = machine_of(TEST_STUB);
    ck_assert_uint_eq(machine->ndevices, 2);
    ck_assert_uint_ge(machine->nused, 1);
    for (unsigned i = 0; i < 2; i++)
        ck_assert(machine->devices[i].used || *machine->devices[i].left_out);
}
END_TEST

START_TEST(nothing_found)
{
    cl_uint count = 7;
    set_environment("COEXEC_VENDORS", "/nonexistent", NULL);
    capture_start();
    ck_assert_int_eq(cx_clIcdGetPlatformIDsKHR(0, NULL, &count), CL_PLATFORM_NOT_FOUND_KHR);
    ck_assert_int_eq(cx_clIcdGetPlatformIDsKHR(0, NULL, &count), CL_PLATFORM_NOT_FOUND_KHR);
    ck_assert_str_eq(capture_end(), "coexec: error: driver: no real OpenCL driver; searched: /nonexistent\n");
    ck_assert_uint_eq(count, 0);
    ck_assert_ptr_null(cx_platform_get());
    ck_assert_ptr_null(cx_device_get());
}
END_TEST

START_TEST(old_versions)
{
    set_environment("STUB_VERSION", "1.1", NULL);
    const struct cx_machine *machine = machine_of(TEST_STUB ":" TEST_ICD2);
    ck_assert_uint_eq(machine->ndevices, 4);
    ck_assert(!machine->devices[0].used);
    ck_assert_str_eq(machine->devices[0].left_out, "older than OpenCL 1.2");
}
END_TEST

START_TEST(table_ends_with_version)
{
    set_environment("STUB_VERSION", "1.2", NULL);
    const struct cx_machine *machine = machine_of(TEST_STUB);
    ck_assert_uint_eq(machine->nused, 2);
    ck_assert(machine->devices[0].cl->clEnqueueFillBuffer != NULL);
    ck_assert(machine->devices[0].cl->clSVMAlloc == NULL);
    ck_assert(machine->devices[0].cl->clCreateBufferWithProperties == NULL);
}
END_TEST

START_TEST(unfit_types)
{
    set_environment("STUB_TYPE", "custom,cpu", NULL);
    const struct cx_machine *machine = machine_of(TEST_STUB);
    ck_assert_uint_eq(machine->nused, 1);
    ck_assert_str_eq(machine->used[0]->name, "stub 1");
}
END_TEST

START_TEST(chosen_order)
{
    set_environment("STUB_DEVICES", "4", "COEXEC_DEVICES", "3,0,!stub 2,1", NULL);
    const struct cx_machine *machine = machine_of(TEST_STUB);
    ck_assert_uint_eq(machine->nused, 3);
    ck_assert_uint_eq(machine->used[0]->index, 3);
    ck_assert_uint_eq(machine->used[1]->index, 0);
    ck_assert_uint_eq(machine->used[2]->index, 1);
    ck_assert_str_eq(machine->devices[2].left_out, "not chosen by COEXEC_DEVICES");
}
END_TEST

START_TEST(bad_choice)
{
    set_environment("COEXEC_DEVICES", "geforce", NULL);
    capture_start();
    const struct cx_machine *machine = machine_of(TEST_STUB);
    ck_assert_str_eq(
        capture_end(),
        "coexec: COEXEC_DEVICES=geforce: 'geforce' names no device; accepted: 0 (stub 0), 1 (stub 1), cpu, "
        "gpu, accelerator, all, a part of a name or a pattern with * ?, !item; using all\n");
    ck_assert_uint_eq(machine->nused, 2);
}
END_TEST

START_TEST(icd2_is_driven)
{
    const struct cx_machine *machine = machine_of(TEST_ICD2 ":" TEST_STUB);
    ck_assert_uint_eq(machine->nplatforms, 2);
    ck_assert_uint_eq(machine->nused, 4);
    ck_assert_str_eq(machine->platforms[0].name, "icd2");
    ck_assert(machine->platforms[0].cl->clFinish != NULL);
}
END_TEST

START_TEST(icd2_refuses_table)
{
    set_environment("ICD2_REFUSE", "1", NULL);
    const struct cx_machine *machine = machine_of(TEST_ICD2 ":" TEST_STUB);
    ck_assert_uint_eq(machine->nplatforms, 1);
    ck_assert(has_note(machine, "clIcdSetPlatformDispatchDataKHR failed"));
}
END_TEST

START_TEST(odd_devices)
{
    static const char *const odd[][2] = {{"endian", "byte order differs"}, {"bits", "32-bit pointers"}};
    set_environment("ICD2_ODD", odd[_i][0], NULL);
    const struct cx_machine *machine = machine_of(TEST_ICD2);
    ck_assert_uint_eq(machine->nused, 1);
    ck_assert(!machine->devices[1].used);
    ck_assert_ptr_nonnull(strstr(machine->devices[1].left_out, odd[_i][1]));
}
END_TEST

/* The icd2 driver has one core a device, so there is nothing to cut; the stub cannot cut its four. */
START_TEST(fission_refused)
{
    set_environment("COEXEC_FISSION", "2", "STUB_UNITS", "4", "STUB_FAIL",
                    "clCreateSubDevices:1:-18,clCreateSubDevices:2:-18", "STUB_DEVICES", "1", NULL);
    const struct cx_machine *machine = machine_of(TEST_STUB ":" TEST_ICD2);
    ck_assert_uint_eq(machine->ndevices, 3);
    ck_assert_uint_eq(machine->nused, 3);
    ck_assert(has_note(machine, "cannot cut"));
}
END_TEST

START_TEST(extension_words)
{
    ck_assert(cx_device_has_extension("a bc d", "bc"));
    ck_assert(cx_device_has_extension("a bc d", "a"));
    ck_assert(cx_device_has_extension("a bc d", "d"));
    ck_assert(cx_device_has_extension("abc bc", "bc"));
    ck_assert(!cx_device_has_extension("abc bcd", "bc"));
    ck_assert(!cx_device_has_extension("", "bc"));
    ck_assert(!cx_device_has_extension(NULL, "bc"));
    ck_assert(!cx_device_has_extension("a b", ""));
}
END_TEST

/* ---- probe ---- */

static void probe(struct cx_real_device *device)
{
    cl_int code;
    cl_context context = device->cl->clCreateContext(NULL, 1, &device->id, NULL, NULL, &code);
    ck_assert_int_eq(code, CL_SUCCESS);
    cl_command_queue queue = device->cl->clCreateCommandQueue(context, device->id, 0, &code);
    ck_assert_int_eq(code, CL_SUCCESS);
    cx_probe_device(device, context, queue);
    cx_probe_device(device, context, queue);
    ck_assert(device->probe.done);
    device->cl->clReleaseCommandQueue(queue);
    device->cl->clReleaseContext(context);
}

START_TEST(probe_stub)
{
    set_environment("STUB_IN_PLACE", "1,0", "STUB_ASYNC", _i ? "1" : "0", NULL);
    const struct cx_machine *machine = machine_of(TEST_STUB);
    probe(machine->used[0]);
    probe(machine->used[1]);
    ck_assert_int_eq(machine->used[0]->probe.synchronous, _i == 0);
    ck_assert(machine->used[0]->probe.in_place);
    ck_assert(!machine->used[1]->probe.in_place);
}
END_TEST

START_TEST(probe_switched_off)
{
    set_environment("zero_copy", "0", NULL);
    const struct cx_machine *machine = machine_of(TEST_STUB);
    probe(machine->used[0]);
    ck_assert(!machine->used[0]->probe.in_place);
}
END_TEST

START_TEST(probe_failures)
{
    static const char *const rules[] = {"clCreateBuffer:1:-4",      "clCreateBuffer:2:-4",
                                        "clCreateBuffer:5:-4",      "clEnqueueFillBuffer:1:-5",
                                        "clEnqueueFillBuffer:5:-5", "clEnqueueCopyBuffer:2:-5",
                                        "clEnqueueReadBuffer:1:-5", "clFinish:5:-5"};
    set_environment("STUB_FAIL", rules[_i], NULL);
    const struct cx_machine *machine = machine_of(TEST_STUB);
    probe(machine->used[0]);
    ck_assert(!machine->used[0]->probe.in_place || !machine->used[0]->probe.synchronous);
}
END_TEST

/* Known from measurement: PoCL's basic device, the first here, runs commands in the caller, pthread does not;
 * both work in place. */
START_TEST(probe_pocl)
{
    if (!dlopen("libpocl.so.2", RTLD_LAZY | RTLD_NOLOAD) && access("/etc/OpenCL/vendors/pocl.icd", R_OK) != 0)
        return;
    set_environment("POCL_DEVICES", "basic pthread", "POCL_MAX_PTHREAD_COUNT", "1", NULL);
    const struct cx_machine *machine = machine_of("/etc/OpenCL/vendors/pocl.icd");
    if (machine->nused != 2)
        return;
    for (unsigned i = 0; i < 2; i++) {
        probe(machine->used[i]);
        ck_assert(machine->used[i]->probe.in_place);
        ck_assert_int_eq(machine->used[i]->probe.synchronous, i == 0);
    }
}
END_TEST

START_TEST(fission_of_pocl)
{
    if (access("/etc/OpenCL/vendors/pocl.icd", R_OK) != 0)
        return;
    set_environment("POCL_DEVICES", "pthread", "POCL_MAX_PTHREAD_COUNT", "4", "COEXEC_FISSION", "2", NULL);
    const struct cx_machine *machine = machine_of("/etc/OpenCL/vendors/pocl.icd");
    if (machine->ndevices == 1 && machine->devices[0].compute_units <= 2)
        return; /* a machine of two cores */
    ck_assert_uint_eq(machine->ndevices, 2);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert(machine->devices[i].is_sub_device);
        ck_assert_uint_eq(machine->devices[i].compute_units, 2);
        probe(machine->used[i]);
    }
    ck_assert(has_note(machine, "cut into 2 devices of 2 cores"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("machine");
    TCase *tcase = tcase_create("machine");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, clean_environment, NULL);
    tcase_add_test(tcase, finds_devices);
    tcase_add_test(tcase, multiprocessors_are_known);
    tcase_add_test(tcase, same_library_once);
    tcase_add_test(tcase, folders_and_icd_files);
    tcase_add_test(tcase, icd_file_without_library);
    tcase_add_test(tcase, no_drivers_beside_one);
    tcase_add_loop_test(tcase, functions_missing, 0, 2);
    tcase_add_loop_test(tcase, broken_drivers, 0, sizeof broken / sizeof *broken);
    tcase_add_loop_test(tcase, failing_queries, 0, 40);
    tcase_add_test(tcase, nothing_found);
    tcase_add_test(tcase, old_versions);
    tcase_add_test(tcase, table_ends_with_version);
    tcase_add_test(tcase, unfit_types);
    tcase_add_test(tcase, chosen_order);
    tcase_add_test(tcase, bad_choice);
    tcase_add_test(tcase, icd2_is_driven);
    tcase_add_test(tcase, icd2_refuses_table);
    tcase_add_loop_test(tcase, odd_devices, 0, 2);
    tcase_add_test(tcase, fission_refused);
    tcase_add_test(tcase, extension_words);
    tcase_add_loop_test(tcase, probe_stub, 0, 2);
    tcase_add_test(tcase, probe_switched_off);
    tcase_add_loop_test(tcase, probe_failures, 0, 8);
    tcase_add_test(tcase, probe_pocl);
    tcase_add_test(tcase, fission_of_pocl);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
