/* SPDX-License-Identifier: MIT */
/*
 * Marrow's experiments. See marrow_paper.h.
 */
#include "scheduler/marrow_paper.h"
#include "scheduler/admission.h"
#include "scheduler/derive.h"
#include "scheduler/memory.h"

#include <math.h>
#include <stdlib.h>

/* Table 5; times in milliseconds, as those of Table 3. */
const struct cx_marrow_image cx_marrow_images[CX_MARROW_IMAGES] = {
    {1024, 1024, 87.5, 1.10, 0, 0, 0, 0, 0},           {4288, 2848, 92.8, 10.68, 87.5, 16, 3, 93.5, 11.55},
    {512, 512, 94.8, 0.53, 93.5, 7, 2, 92.0, 0.61},    {8192, 8192, 93.8, 45.24, 94.5, 5, 3, 91.6, 48.45},
    {1800, 1125, 99.9, 1.90, 91.7, 12, 4, 98.4, 1.95}, {2048, 2048, 92.7, 3.13, 92.4, 6, 1, 94.3, 3.28},
    {256, 512, 89.6, 0.43, 90.4, 50, 3, 91.9, 0.44},   {1440, 900, 94.9, 1.35, 92.7, 30, 10, 92.0, 1.33},
};

enum { RUNS = 100, LAST_RUNS = 50, PIXELS = 256 /* a work-group */ };
/* Of a package's time: of 500 runs of a stable system the paper's worst was at 0.83 to 0.98 (Table 4). */
static const double jitter = 0.05, fft_jitter = 0.02;

/* A GPU and a CPU of which the former is to get that part of the work. */
static void make_devices(struct cx_sim_device *device, double share, double groups, double seconds,
                         double varies)
{
    for (unsigned i = 0; i < 2; i++)
        device[i] = (struct cx_sim_device){.known = {.fill = 1, .accelerator = i == 0},
                                           .speed = (i ? 1 - share : share) * groups / seconds,
                                           .jitter = varies};
}

/* What policies are told of the speeds: relations alone. */
static void tell_share(struct cx_sim_device *device, double share)
{
    device[0].known.measured_speed = share;
    device[1].known.measured_speed = 1 - share;
}

/* ---- images ---- */

/* What is known of sizes: the relation of the devices' speeds, as plan/recall.h derives it. */
struct base {
    struct cx_derive_point point[CX_MARROW_IMAGES];
    unsigned of[CX_MARROW_IMAGES]; /* which image */
    unsigned n;
};

static void place_of(unsigned image, double *at)
{
    at[0] = log(cx_marrow_images[image].width);
    at[1] = log(cx_marrow_images[image].height);
    at[2] = 0;
}

static void persist(struct base *base, unsigned image, double share)
{
    unsigned i = 0;
    while (i < base->n && base->of[i] != image)
        i++;
    base->n += i == base->n;
    base->of[i] = image;
    place_of(image, base->point[i].at);
    base->point[i].value = log(share / (1 - share));
}

static double derive(const struct base *base, unsigned image)
{
    double at[CX_DERIVE_DIMS], value = 0;
    place_of(image, at);
    (void)cx_derive(base->point, base->n, 2, at, &value);
    return 1 / (1 + exp(-value));
}

static uint64_t groups_of(unsigned image)
{
    return (uint64_t)cx_marrow_images[image].width * cx_marrow_images[image].height / PIXELS;
}

/* One run; its time. */
static double run(const char *policy, struct cx_sim_device *devices, const struct cx_sim_load *load,
                  struct cx_memory *memory, uint64_t seed)
{
    const struct cx_simulation sim = {.policy = cx_policy_find(policy),
                                      .load = load,
                                      .ndevices = 2,
                                      .devices = devices,
                                      .partitions = true,
                                      .memory = memory,
                                      .seed = seed};
    return cx_simulate(&sim).seconds;
}

static void apply(struct cx_marrow_applied *applied, const struct base *base, const struct cx_sim_load *load,
                  struct cx_memory *memory, uint64_t seed)
{
    const struct cx_marrow_image *image = &cx_marrow_images[applied->image];
    const double groups = (double)load->groups, share = image->share / 100;
    struct cx_sim_device devices[2], ideal[2];
    double truth = 0;
    make_devices(devices, share, groups, image->seconds * 1e-3, jitter);
    make_devices(ideal, share, groups, image->seconds * 1e-3, jitter);
    const double derived = derive(base, applied->image);
    tell_share(devices, derived);
    tell_share(ideal, share);
    cx_memory_init(memory);
    for (unsigned i = 0; i < RUNS; i++) {
        const double seconds = run("marrow", devices, load, memory, seed * RUNS + i);
        truth += run("static", ideal, load, NULL, (seed + 1000) * RUNS + i) / RUNS;
        applied->derived_time = i == 0 ? seconds : applied->derived_time;
        applied->time += i + LAST_RUNS >= RUNS ? seconds / LAST_RUNS : 0;
    }
    const struct cx_marrow *kept = &memory->marrow;
    applied->derived = 100 * derived;
    applied->derived_time /= truth;
    applied->time /= truth;
    applied->unbalanced = kept->unbalanced;
    applied->operations = kept->operations;
    applied->persisted = 100 * kept->part[0] / (kept->part[0] + kept->part[1]);
}

bool cx_marrow_apply(struct cx_marrow_applied applied[CX_MARROW_APPLIED])
{
    static const unsigned order[CX_MARROW_APPLIED] = {1, 2, 3, 4, 5, 6, 7, 5, 2, 1};
    struct base base = {.n = 0};
    struct cx_memory *memory = malloc(sizeof(*memory));
    bool ok = memory;
    persist(&base, 0, cx_marrow_images[0].share / 100);
    for (unsigned i = 0; i < CX_MARROW_APPLIED && ok; i++) {
        struct cx_sim_load *load = cx_sim_load_create(CX_SIM_REGULAR, groups_of(order[i]), 1);
        applied[i] = (struct cx_marrow_applied){.image = order[i]};
        ok = load;
        if (ok)
            apply(&applied[i], &base, load, memory, i);
        persist(&base, order[i], applied[i].persisted / 100);
        free(load);
    }
    free(memory);
    return ok;
}

/* ---- load ---- */

/* FFT of 128 MB on two GPUs and a CPU: 75.5 : 24.5 (section 4.2.2), 12.01 ms (Table 3). */
enum { FFT_GROUPS = 16384 };
static const double fft_share = 0.755, fft_seconds = 12.01e-3;

static double share_now(double factor, bool loaded)
{
    const double cpu = (1 - fft_share) / (loaded ? factor : 1);
    return fft_share / (fft_share + cpu);
}

bool cx_marrow_fluctuate(const struct cx_policy *policy, double factor, struct cx_marrow_fluctuation *result)
{
    struct cx_sim_load *load = cx_sim_load_create(CX_SIM_REGULAR, FFT_GROUPS, 1);
    struct cx_memory *memory = malloc(sizeof(*memory));
    struct cx_speed_record records[2] = {{0}};
    struct cx_sim_device devices[2];
    const bool ok = load && memory;
    uint64_t done[2];
    make_devices(devices, fft_share, FFT_GROUPS, fft_seconds, fft_jitter);
    tell_share(devices, fft_share);
    if (ok)
        cx_memory_init(memory);
    for (unsigned i = 0; i < CX_MARROW_FLUCTUATES && ok; i++) {
        const bool loaded = i >= CX_MARROW_BEFORE && i < CX_MARROW_BEFORE + CX_MARROW_LOADED;
        const struct cx_simulation sim = {.policy = policy,
                                          .load = load,
                                          .ndevices = 2,
                                          .devices = devices,
                                          .partitions = true,
                                          .memory = memory,
                                          .records = records,
                                          .seed = i + 1,
                                          .groups_done = done};
        devices[1].slows_at = loaded ? 1e-12 : 0;
        devices[1].slow_factor = factor;
        result->time[i] = cx_simulate(&sim).seconds / fft_seconds * (fft_share / share_now(factor, loaded));
        result->share[i] = 100 * (double)done[0] / FFT_GROUPS;
        for (unsigned d = 0; d < 2; d++)
            devices[d].known.measured_speed = cx_speed_record_speed(&records[d]);
    }
    for (unsigned i = 0; i < 3; i++)
        result->ideal[i] = 100 * share_now(factor, i == 1);
    free(memory);
    free(load);
    return ok;
}
