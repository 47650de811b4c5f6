/* SPDX-License-Identifier: MIT */
/*
 * fission.c and driver_threads.c on made-up devices that can be cut in one way or another, on a machine of
 * two processors as a small tree tells of it; and on PoCL. Every test runs in its own process, so each finds
 * its own machine. The build gives TEST_STUB (libstub.so).
 */
#include "capture.h"
#include "cl_folder.h"
#include "layer/driver/device.h"
#include "layer/driver/driver_threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char pocl[] = "/etc/OpenCL/vendors/pocl.icd";
static int cpus[2]; /* the first two that the test may run on; -1: there is one */

static void take_two_cpus(void)
{
    cpu_set_t allowed, two;
    ck_assert_int_eq(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    CPU_ZERO(&two);
    for (int cpu = 0, n = 0; cpu < CPU_SETSIZE && n < 2; cpu++)
        if (CPU_ISSET(cpu, &allowed)) {
            cpus[n++] = cpu;
            CPU_SET(cpu, &two);
        }
    ck_assert_int_eq(sched_setaffinity(0, sizeof two, &two), 0);
}

static void begin(void)
{
    cpus[1] = -1;
    clean_environment();
    cl_folder_make("fission");
    take_two_cpus();
    set_environment("COEXEC_SYSFS", cl_folder_path("."), "COEXEC_CACHE_DIR", "-", NULL);
}

static void end(void)
{
    cl_folder_remove();
}

static void put_file(const char *folder, const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(cl_folder_path(path), "w");
    ck_assert_ptr_nonnull(file);
    ck_assert(fputs(text, file) >= 0);
    ck_assert_int_eq(fclose(file), 0);
}

static void put_cache(int cpu, unsigned index, const char *level, const char *type, const char *list)
{
    char folder[64];
    mkdir(cl_folder_path("cpu"), 0755);
    snprintf(folder, sizeof folder, "cpu/cpu%d", cpu);
    mkdir(cl_folder_path(folder), 0755);
    snprintf(folder, sizeof folder, "cpu/cpu%d/cache", cpu);
    mkdir(cl_folder_path(folder), 0755);
    snprintf(folder, sizeof folder, "cpu/cpu%d/cache/index%u", cpu, index);
    mkdir(cl_folder_path(folder), 0755);
    put_file(folder, "level", level);
    put_file(folder, "type", type);
    put_file(folder, "shared_cpu_list", list);
}

/* Two processors with an L2 cache each and one L3, of whose L1 caches for data and nodes nothing is told. */
static void put_machine(void)
{
    char both[32], one[16];
    snprintf(both, sizeof both, "%d,%d\n", cpus[0], cpus[1]);
    for (unsigned i = 0; i < 2; i++) {
        snprintf(one, sizeof one, "%d\n", cpus[i]);
        put_cache(cpus[i], 0, "1\n", "Instruction\n", one);
        put_cache(cpus[i], 1, "2\n", "Unified\n", one);
        put_cache(cpus[i], 2, "3\n", "Unified\n", both);
    }
}

/* ---- cuts ---- */

/* What a device of so many units becomes: the parts' units, "4" for one that stays whole, and words of what
 * is told. */
static const struct {
    const char *fission, *units, *cuts, *numa, *domain, *parts, *told;
} cases[] = {
    {"2", "4", "counts", "0", "numa", "2 2", "cut into 2 devices of 2 cores (COEXEC_FISSION)"},
    {"2", "3", "counts", "0", "numa", "2 1", "cut into 2 devices of 2, 1 cores (COEXEC_FISSION)"},
    {"3", "8", "counts", "0", "numa", "3 3 2", "cut into 3 devices of 3, 3, 2 cores"},
    {"2", "5", "equally", "0", "numa", "2 2", "cut into 2 devices of 2 cores, and 1 core is in none"},
    {"2", "4", "none", "0", "numa", "4", "its driver cannot cut it into sub-devices (2 of 4 cores"},
    {"2", "4", "none", "2", "numa", "4", "its driver cannot cut it into sub-devices"},
    {"4", "4", "counts", "0", "numa", "4", NULL},
    {"9", "4", "counts", "0", "numa", "4", NULL},
    {"0", "4", "counts", "0", "numa", "4", NULL},
    {"1", "100", "counts", "0", "numa", "100", "not cut: there would be 100 parts, and there can be 62"},
    {"18446744073709551615", "4", "counts", "0", "numa", "4", NULL},
    {"l2", "2", "counts", "0", "numa", "1 1",
     "one for what shares an L2 cache: FIRST | SECOND; by counts, in the order of processors)"},
    {"l2", "2", "equally", "0", "numa", "1 1",
     "one for what shares an L2 cache: FIRST | SECOND; into equal parts, as its driver can no other)"},
    /* a driver that counts more processors than there are, and one that counts fewer */
    {"l2", "5", "counts", "0", "numa", "2 3", "one for what shares an L2 cache; by counts"},
    {"l2", "1", "counts", "0", "numa", "1", NULL},
    {"l3", "4", "counts", "0", "numa", "4", "not cut: all its processors share an L3 cache"},
    {"l1", "4", "counts", "0", "numa", "4", "the system does not tell which processors share an L1 cache"},
    {"numa", "4", "counts", "0", "numa", "4",
     "the system does not tell which processors share a memory domain"},
    {"l2", "4", "none", "0", "numa", "4", "its driver cannot cut it into 2 sub-devices"},
    /* affinity domains of the driver's, of which the system need not tell */
    {"numa", "8", "counts", "4", "numa", "2 2 2 2",
     "one for what shares a memory domain; by the driver's affinity domains)"},
    {"l1", "8", "none", "4", "l1", "2 2 2 2", "one for what shares an L1 cache; by the driver's affinity"},
    {"l2", "2", "counts", "2", "l2", "1 1", "an L2 cache: FIRST | SECOND; by the driver's affinity domains)"},
    {"l2", "8", "counts", "4", "numa", "4 4", "one for what shares an L2 cache; by counts"},
    {"l3", "8", "counts", "4", "numa", "8", "not cut: all its processors share an L3 cache"},
};

static void check_note(const struct cx_machine *machine, const char *told)
{
    char text[256], first[16], second[16];
    ck_assert_uint_eq(machine->nnotes, told ? 1 : 0);
    if (!told)
        return;
    const char *at = strstr(told, "FIRST | SECOND");
    snprintf(first, sizeof first, "%d", cpus[0]);
    snprintf(second, sizeof second, "%d", cpus[1]);
    if (at)
        snprintf(text, sizeof text, "%.*s%s | %s%s", (int)(at - told), told, first, second, at + 14);
    else
        snprintf(text, sizeof text, "%s", told);
    ck_assert_msg(strstr(machine->notes[0], text) != NULL, "'%s' is not in '%s'", text, machine->notes[0]);
}

START_TEST(cuts)
{
    if (cpus[1] < 0)
        return;
    put_machine();
    set_environment("COEXEC_VENDORS", TEST_STUB, "STUB_DEVICES", "1", "STUB_UNITS", cases[_i].units,
                    "STUB_CUTS", cases[_i].cuts, "STUB_NUMA", cases[_i].numa, "STUB_DOMAIN", cases[_i].domain,
                    "COEXEC_FISSION", cases[_i].fission, NULL);
    const struct cx_machine *machine = cx_machine_get();
    char parts[64] = "";
    for (unsigned i = 0, at = 0; i < machine->ndevices; i++) {
        const struct cx_real_device *device = &machine->devices[i];
        at += (unsigned)snprintf(parts + at, sizeof parts - at, "%s%u", i ? " " : "", device->compute_units);
        ck_assert_uint_eq(device->index, i);
        ck_assert(device->used);
        ck_assert_int_eq(device->is_sub_device, machine->ndevices > 1);
    }
    ck_assert_msg(strcmp(parts, cases[_i].parts) == 0, "case %d: %s", _i, parts);
    check_note(machine, cases[_i].told);
}
END_TEST

/* Other types of devices are never cut. */
START_TEST(gpu)
{
    set_environment("COEXEC_VENDORS", TEST_STUB, "STUB_DEVICES", "2", "STUB_UNITS", "4", "STUB_CUTS",
                    "counts", "STUB_TYPE", "gpu,cpu", "COEXEC_FISSION", "2", NULL);
    const struct cx_machine *machine = cx_machine_get();
    ck_assert_uint_eq(machine->ndevices, 3);
    ck_assert_uint_eq(machine->devices[0].compute_units, 4);
    ck_assert(!machine->devices[0].is_sub_device);
    ck_assert_uint_eq(machine->devices[2].compute_units, 2);
}
END_TEST

/* A driver that fails leaves the device whole, or is asked in another way. */
START_TEST(driver_fails)
{
    static const struct {
        const char *fail;
        unsigned devices;
    } rules[] = {{"clCreateSubDevices:1:-6", 2},
                 {"clCreateSubDevices:1:-6,clCreateSubDevices:2:-6", 1},
                 {"clCreateSubDevices:2:-6", 2}};
    set_environment("COEXEC_VENDORS", TEST_STUB, "STUB_DEVICES", "1", "STUB_UNITS", "4", "STUB_CUTS",
                    "counts+equally", "STUB_FAIL", rules[_i].fail, "COEXEC_FISSION", "2", NULL);
    ck_assert_uint_eq(cx_machine_get()->ndevices, rules[_i].devices);
}
END_TEST

/* ---- PoCL ---- */

START_TEST(remainder_of_pocl)
{
    if (access(pocl, R_OK) != 0)
        return;
    set_environment("COEXEC_VENDORS", pocl, "POCL_DEVICES", "pthread", "POCL_MAX_PTHREAD_COUNT", "3",
                    "COEXEC_FISSION", "2", NULL);
    const struct cx_machine *machine = cx_machine_get();
    if (machine->ndevices == 1 && machine->devices[0].compute_units <= 2)
        return; /* a PoCL that counts processors alone */
    ck_assert_uint_eq(machine->nused, 2);
    ck_assert_uint_eq(machine->devices[0].compute_units, 2);
    ck_assert_uint_eq(machine->devices[1].compute_units, 1);
}
END_TEST

/* ---- threads ---- */

static pthread_barrier_t barrier;

static void *thread_main(void *data)
{
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return data;
}

static bool runs_on(pid_t thread, int cpu)
{
    cpu_set_t set;
    return sched_getaffinity(thread, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1 && CPU_ISSET(cpu, &set);
}

static void *ends_at_once(void *nothing)
{
    return nothing;
}

START_TEST(threads_are_found_and_bound)
{
    struct cx_driver_threads before, threads;
    pthread_t id[3];
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpus[0], &one);
    ck_assert_int_eq(pthread_create(&id[0], NULL, ends_at_once, NULL), 0);
    ck_assert_int_eq(pthread_join(id[0], NULL),
                     0); /* with the first one a sanitizer may make one of its own */
    cx_driver_threads_list(&before);
    ck_assert_uint_ge(before.n, 1);
    ck_assert_int_eq(pthread_barrier_init(&barrier, NULL, 4), 0);
    for (unsigned i = 0; i < 3; i++)
        ck_assert_int_eq(pthread_create(&id[i], NULL, thread_main, NULL), 0);
    pthread_barrier_wait(&barrier);
    cx_driver_threads_list(&threads);
    cx_driver_threads_since(&threads, &before);
    ck_assert_uint_eq(threads.n, 3);
    ck_assert(cx_driver_threads_bind(&threads, 1, 2, &one));
    if (cpus[1] >= 0) {
        ck_assert(!runs_on(before.id[0], cpus[0]));
        ck_assert(!runs_on(threads.id[0], cpus[0]));
    }
    ck_assert(runs_on(threads.id[1], cpus[0]) && runs_on(threads.id[2], cpus[0]));
    pthread_barrier_wait(&barrier);
    for (unsigned i = 0; i < 3; i++)
        ck_assert_int_eq(pthread_join(id[i], NULL), 0);
    cx_driver_threads_free(&before);
    cx_driver_threads_free(&threads);
}
END_TEST

/* PoCL's thread of each core runs on the processor of its part; with a core more than there are processors
 * nothing is bound. */
START_TEST(threads_of_pocl)
{
    struct cx_driver_threads before, threads;
    if (access(pocl, R_OK) != 0 || cpus[1] < 0)
        return;
    put_machine();
    cx_driver_threads_list(&before);
    set_environment("COEXEC_VENDORS", pocl, "POCL_DEVICES", "pthread", "POCL_MAX_PTHREAD_COUNT",
                    _i ? "3" : "2", "COEXEC_FISSION", "l2", NULL);
    const struct cx_machine *machine = cx_machine_get();
    cx_driver_threads_list(&threads);
    cx_driver_threads_since(&threads, &before);
    if (threads.n != (_i ? 3 : 2))
        return; /* a PoCL that makes them otherwise */
    ck_assert_uint_eq(machine->ndevices, 2);
    for (unsigned i = 0; i < 2; i++)
        ck_assert_int_eq(runs_on(threads.id[i], cpus[i]), _i == 0);
    ck_assert_int_eq(strstr(machine->notes[0], "bound") != NULL, _i == 0);
    cx_driver_threads_free(&before);
    cx_driver_threads_free(&threads);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fission");
    TCase *tcase = tcase_create("fission");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_loop_test(tcase, cuts, 0, sizeof cases / sizeof *cases);
    tcase_add_test(tcase, gpu);
    tcase_add_loop_test(tcase, driver_fails, 0, 3);
    tcase_add_test(tcase, remainder_of_pocl);
    tcase_add_test(tcase, threads_are_found_and_bound);
    tcase_add_loop_test(tcase, threads_of_pocl, 0, 2);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
