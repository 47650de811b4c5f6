/* SPDX-License-Identifier: MIT */
/*
 * Prints how long the first four launches of processes that follow each other take, over the ideal, what part
 * of each the second of two stub devices did, the mean of all launches, and from which one on it took part.
 *
 * usage: second_process gpus|cpu SPEEDS [PROCESSES [LAUNCHES [WAIT_MS]]]: two GPUs that are told alike, or a
 * GPU beside a CPU of a tenth of its nominal speed; work-groups a microsecond of both, as 0.04,0.004;
 * processes (3), launches of each (30), and ms between making a kernel and the first launch (0).
 */
#include "begin_fixture.h"
#include "cl_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *speeds;
static unsigned launches = 30, wait_ms;
static bool tells, cpu; /* the second one is */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void process(void)
{
    double one = 0, other = 0;
    sscanf(speeds, "%lf,%lf", &one, &other);
    const double ideal = N / LOCAL / (one + other) * 1e-6;
    double all = 0;
    unsigned shared = 0, first = 0;
    begin_open(speeds);
    usleep(wait_ms * 1000);
    for (unsigned i = 0; i < launches; i++) {
        unsigned kernels;
        const double before = (double)begin_did(1, &kernels), since = now();
        begin_launch_each(1, N);
        const double took = now() - since, there = ((double)begin_did(1, &kernels) - before) / N;
        all += took / ideal / launches;
        shared += there > 0;
        first = there > 0 && !first ? i + 1 : first;
        if (tells && i < 4)
            printf(" %.3f (%.3f)", took / ideal, there);
    }
    printf("; all %.3f; %u shared, from launch %u on", all, shared, first);
    begin_end(N);
    fflush(stdout);
}

static void choose_devices(void)
{
    setenv("OCL_ICD_VENDORS", ICD_FOLDER, 1);
    setenv("OCL_ICD_FILENAMES", "", 1);
    setenv("COEXEC_VENDORS", STUB_DRIVER, 1);
    setenv("COEXEC_LOG", "error", 0);
    setenv("STUB_DEVICES", "2", 1);
    setenv("STUB_ASYNC", "1", 1);
    setenv("STUB_NAMES", "one,other", 1);
    setenv("STUB_TYPE", cpu ? "gpu,cpu" : "gpu", 1);
    setenv("STUB_UNITS", cpu ? "10,8" : "1", 1);
    setenv("STUB_IN_PLACE", cpu ? "0,1" : "0", 1);
    set_variable("queues", "one"); /* a stub device computes for both queues at once */
}

static unsigned processes = 3;

START_TEST(processes_follow_each_other)
{
    choose_devices();
    begin_keep_analysis();
    tells = true;
    for (unsigned p = 1; p <= processes; p++) {
        printf("# process %u:", p);
        fflush(stdout);
        unlink(cl_folder_path("log"));
        unlink(cl_folder_path("timeline"));
        begin_in_a_process(process);
        puts("");
    }
    cl_folder_remove();
}
END_TEST

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: second_process gpus|cpu SPEEDS [PROCESSES [LAUNCHES [WAIT_MS]]]\n");
        return 2;
    }
    cpu = strcmp(argv[1], "cpu") == 0;
    speeds = argv[2];
    processes = argc > 3 ? (unsigned)atoi(argv[3]) : processes;
    launches = argc > 4 ? (unsigned)atoi(argv[4]) : launches;
    wait_ms = argc > 5 ? (unsigned)atoi(argv[5]) : 0;
    Suite *suite = suite_create("second process");
    TCase *tcase = tcase_create("second process");
    tcase_set_timeout(tcase, 600);
    tcase_add_test(tcase, processes_follow_each_other);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
