/* SPDX-License-Identifier: MIT */
/*
 * How long judging a launch and asking for a package takes: `bench_access ANALYSER FILE.cl...`, one line a
 * kernel, in nanoseconds, and the mean over all.
 */
#include "layer/access/access.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 2000

static double now_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static struct cx_summary *analyse(const char *analyser, const char *path)
{
    char command[1000];
    static char blob[1 << 20];
    struct cx_summary *summary = NULL;
    FILE *pipe;
    size_t size;

    snprintf(command, sizeof(command), "'%s' -o - '%s' -- -cl-std=CL2.0", analyser, path);
    pipe = popen(command, "r");
    if (!pipe) {
        return NULL;
    }
    size = fread(blob, 1, sizeof(blob), pipe);
    pclose(pipe);
    cx_summary_parse(blob, size, &summary);
    return summary;
}

struct sums {
    double judge, package, arguments;
    unsigned kernels;
};

static void measure(const struct cx_summary_kernel *k, struct sums *sums)
{
    static uint32_t number[64];
    struct cx_access_geometry g = {2, {0, 0, 0}, {1024, 1024, 1}, {16, 16, 1}};
    struct cx_access_arg *args = calloc(k->narg + 1, sizeof(*args));
    struct cx_access_region *regions = calloc(k->narg + 1, sizeof(*regions));
    struct cx_access_verdict v;
    struct cx_access *a = NULL;
    unsigned memory = 0;
    double start, judge, package;

    for (uint32_t i = 0; i < 64; i++) {
        number[i] = 1024;
    }
    for (uint32_t i = 0; i < k->narg; i++) {
        args[i] = (struct cx_access_arg){.value = number,
                                         .size = k->arg[i].size == 8 ? 8 : sizeof(number),
                                         .object = i + 1,
                                         .bytes = 1 << 30,
                                         .is_image = true,
                                         .image = {1024, 1024, 1, 1, 4096, 1 << 22, 4, 0, 0}};
        memory += k->arg[i].kind == CX_ARG_GLOBAL || k->arg[i].kind == CX_ARG_CONSTANT;
    }
    start = now_ns();
    for (unsigned i = 0; i < ROUNDS; i++) {
        cx_access_destroy(&a);
        cx_access_separable(k, &g, args, 1, 1, &a, &v);
    }
    judge = (now_ns() - start) / ROUNDS;
    start = now_ns();
    for (unsigned i = 0; a && i < ROUNDS; i++) {
        cx_access_package(a, i % 63, i % 63 + 1, regions);
    }
    package = (now_ns() - start) / ROUNDS;
    if (a && memory) {
        printf("%-24s judge %7.0f ns, package %6.0f ns, %5.0f ns an argument, %s\n", k->name, judge, package,
               package / memory, v.separable ? "splits" : cx_summary_reason_name(v.reason));
        sums->judge += judge;
        sums->package += package;
        sums->arguments += memory;
        sums->kernels++;
    }
    cx_access_destroy(&a);
    free(args);
    free(regions);
}

int main(int argc, char **argv)
{
    struct sums sums = {0};

    for (int i = 2; i < argc; i++) {
        struct cx_summary *summary = analyse(argv[1], argv[i]);
        for (uint32_t j = 0; summary && j < summary->nkernel; j++) {
            measure(&summary->kernel[j], &sums);
        }
        cx_summary_destroy(&summary);
    }
    if (sums.kernels) {
        printf("mean of %u kernels: judge %.0f ns, package %.0f ns an argument\n", sums.kernels,
               sums.judge / sums.kernels, sums.package / sums.arguments);
    }
    return sums.kernels ? EXIT_SUCCESS : EXIT_FAILURE;
}
