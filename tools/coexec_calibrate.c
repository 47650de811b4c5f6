/* SPDX-License-Identifier: MIT */
/*
 * coexec calibrate: what each device consumes idle, with its context open, and computing, for
 * COEXEC_OBJECTIVE. All devices are opened and left idle, then each computes alone for as long; the powers
 * are kept in the cache folder, where programs find them (layer/power/record.h).
 */
#include "layer/api/power.h"
#include "layer/base/options.h"
#include "layer/driver/device.h"
#include "layer/power/record.h"
#include "layer/power/meter.h"
#include "tools/coexec.h"
#include "tools/coexec_guess.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char me[] = "calibrate";
static const double launch_seconds = 20e-3, settle_seconds = 0.5, period = 0.045, idle_error = 0.05;

/* Multiplies and adds in registers: what a device computes with. The numbers stay chaotic between 0 and 1
 * (logistic maps): of others, which end as 0 or infinity, a GPU consumes a third less. */
static const char text[] = "__kernel void burn(__global float *out, int rounds)\n"
                           "{\n"
                           "    float4 a = 1e-7f * get_global_id(0) + (float4)(0.1f, 0.2f, 0.3f, 0.4f);\n"
                           "    float4 b = a + 0.05f;\n"
                           "    for (int i = 0; i < rounds; i++) {\n"
                           "        float4 s = 3.9f * a, t = 3.9f * b;\n"
                           "        a = mad(-s, a, s); b = mad(-t, b, t);\n"
                           "    }\n"
                           "    a += b;\n"
                           "    out[get_global_id(0)] = a.x + a.y + a.z + a.w;\n"
                           "}\n";

struct end {
    const struct cx_real_device *device;
    bool sources[CX_POWER_SOURCES]; /* which tell of it */
    bool has_source, is_cpu;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem out;
    size_t items;
    cl_int rounds;
    double idle, computing; /* watts; NAN: not known */
};

struct calibrate {
    double seconds;
    struct cx_power_meter *meter;
    unsigned n, cpus;
    struct end end[CX_MEMBERS_MAX];
};

/* ---- devices ---- */

static void find_sources(struct calibrate *all, struct end *end)
{
    char pci[CX_POWER_PCI];
    uint8_t uuid[16];
    const bool has_uuid = cx_power_identify(end->device, pci, uuid);
    const struct cx_power_sources *sources = &all->meter->sources;
    const struct cx_power_source *own = cx_power_source_of(sources, pci, has_uuid ? uuid : NULL);
    end->is_cpu = end->device->type == CL_DEVICE_TYPE_CPU;
    all->cpus += end->is_cpu;
    for (unsigned i = 0; i < sources->n; i++) {
        end->sources[i] =
            end->is_cpu ? sources->source[i].part == CX_POWER_PACKAGE : own == &sources->source[i];
        end->has_source |= end->sources[i];
    }
}

static bool open_device(struct end *end)
{
    const cl_icd_dispatch *cl = end->device->cl;
    const char *source = text;
    cl_int error;
    end->items = (size_t)end->device->compute_units * (end->is_cpu ? 256 : 4096);
    end->context = cl->clCreateContext(NULL, 1, &end->device->id, NULL, NULL, &error);
    if (error == CL_SUCCESS)
        end->queue = cl->clCreateCommandQueue(end->context, end->device->id, 0, &error);
    if (error == CL_SUCCESS)
        end->program = cl->clCreateProgramWithSource(end->context, 1, &source, NULL, &error);
    if (error == CL_SUCCESS)
        error = cl->clBuildProgram(end->program, 1, &end->device->id, "", NULL, NULL);
    if (error == CL_SUCCESS)
        end->kernel = cl->clCreateKernel(end->program, "burn", &error);
    if (error == CL_SUCCESS)
        end->out =
            cl->clCreateBuffer(end->context, CL_MEM_WRITE_ONLY, end->items * sizeof(float), NULL, &error);
    if (error == CL_SUCCESS)
        error = cl->clSetKernelArg(end->kernel, 0, sizeof(cl_mem), &end->out);
    return error == CL_SUCCESS;
}

static void close_device(struct end *end)
{
    const cl_icd_dispatch *cl = end->device->cl;
    if (end->out)
        cl->clReleaseMemObject(end->out);
    if (end->kernel)
        cl->clReleaseKernel(end->kernel);
    if (end->program)
        cl->clReleaseProgram(end->program);
    if (end->queue)
        cl->clReleaseCommandQueue(end->queue);
    if (end->context)
        cl->clReleaseContext(end->context);
}

/* Seconds of a launch; 0: it failed. */
static double launch(const struct calibrate *all, const struct end *end)
{
    const cl_icd_dispatch *cl = end->device->cl;
    const double begin = all->meter->clock();
    if (cl->clSetKernelArg(end->kernel, 1, sizeof end->rounds, &end->rounds) != CL_SUCCESS ||
        cl->clEnqueueNDRangeKernel(end->queue, end->kernel, 1, NULL, &end->items, NULL, 0, NULL, NULL) !=
            CL_SUCCESS ||
        cl->clFinish(end->queue) != CL_SUCCESS)
        return 0;
    return fmax(all->meter->clock() - begin, 1e-9);
}

static bool size_launches(const struct calibrate *all, struct end *end)
{
    double seconds = 0;
    for (end->rounds = 256; end->rounds < 1 << 26; end->rounds *= 2) {
        seconds = launch(all, end);
        if (!(seconds > 0) || seconds >= launch_seconds)
            break;
    }
    return seconds > 0;
}

/* ---- measuring ---- */

/* Has the device compute (NULL: none does) for so long. False: a launch failed. */
static bool compute_for(const struct calibrate *all, const struct end *end, double seconds)
{
    const struct timespec pause = {0, (long)(period * 1e9)};
    const double until = all->meter->clock() + seconds;
    double next = 0;
    while (all->meter->clock() < until) {
        if (end ? !(launch(all, end) > 0) : nanosleep(&pause, NULL) != 0)
            return false;
        if (all->meter->clock() < next)
            continue;
        cx_power_meter_sample(all->meter);
        next = all->meter->clock() + period;
    }
    return true;
}

/* Mean watts of each source meanwhile; NAN: no figure. */
static bool measure(const struct calibrate *all, const struct end *end, double *watts)
{
    static struct cx_power_mark from, to;
    if (!compute_for(all, end, settle_seconds))
        return false;
    cx_power_meter_mark(all->meter, &from);
    const bool ok = compute_for(all, end, all->seconds);
    cx_power_meter_mark(all->meter, &to);
    for (unsigned i = 0; i < all->meter->sources.n; i++) {
        const struct cx_power_figure figure = cx_power_meter_between(all->meter, &from, &to, i);
        watts[i] = figure.lack == CX_POWER_KNOWN ? figure.watts : NAN;
    }
    return ok;
}

static double sum_of(const struct end *end, const double *watts, unsigned n)
{
    double sum = end->has_source ? 0 : NAN;
    for (unsigned i = 0; i < n; i++)
        sum += end->sources[i] ? watts[i] : 0;
    return sum;
}

static bool keep(const struct calibrate *all, const struct end *end)
{
    const unsigned cpus = end->is_cpu ? all->cpus : 0;
    const double idle = end->idle / (cpus ? cpus : 1);
    const struct cx_power_pair powers = {idle, fmax(end->computing - end->idle, 0), idle_error * idle};
    unsigned i = 0;
    while (!end->sources[i])
        i++;
    return cx_power_record_store(&all->meter->sources.source[i], end->device->index, cpus, &powers);
}

static void tell(const struct calibrate *all, const struct end *end)
{
    printf("  %-3u %-44.44s", end->device->index, end->device->name);
    if (!end->has_source)
        puts("  no power source tells of it");
    else if (!isfinite(end->idle) || !isfinite(end->computing))
        puts("  failed");
    else
        printf("  %9.1f  %9.1f\n", end->idle, fmax(end->computing - end->idle, 0));
    if (isfinite(end->idle) && isfinite(end->computing) && !keep(all, end))
        fputs("coexec calibrate: not kept: COEXEC_KNOWLEDGE or the cache folder does not allow it\n", stderr);
}

static int calibrate_all(struct calibrate *all)
{
    double idle[CX_POWER_SOURCES] = {0}, busy[CX_POWER_SOURCES];
    unsigned known = 0;
    for (unsigned d = 0; d < all->n; d++) {
        struct end *end = &all->end[d];
        if (end->has_source && !(open_device(end) && size_launches(all, end)))
            fprintf(stderr, "coexec calibrate: %s: cannot compute\n", end->device->name);
        end->idle = end->computing = NAN;
    }
    measure(all, NULL, idle);
    printf("%-50s  %9s  %9s\n", "device", "idle W", "more W computing");
    for (unsigned d = 0; d < all->n; d++) {
        struct end *end = &all->end[d];
        if (end->out && end->has_source && measure(all, end, busy)) {
            end->idle = sum_of(end, idle, all->meter->sources.n);
            end->computing = sum_of(end, busy, all->meter->sources.n);
        }
        tell(all, end);
        known += isfinite(end->computing) && isfinite(end->idle);
    }
    for (unsigned d = 0; d < all->n; d++)
        close_device(&all->end[d]);
    return known ? CX_EXIT_OK : cx_tool_error(me, "no device was measured");
}

/* ---- the command line ---- */

static int read_arguments(struct calibrate *all, int argc, char **argv)
{
    char *end;
    for (int i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--seconds") != 0) {
            struct cx_guess guess;
            cx_guess_init(&guess, argv[i]);
            cx_guess_offer(&guess, "--seconds");
            return cx_usage_error(me, "unknown option %s%s", argv[i], cx_guess_text(&guess));
        }
        if (i + 1 == argc)
            return cx_usage_error(me, "%s needs a value", argv[i]);
        all->seconds = strtod(argv[i + 1], &end);
        if (end == argv[i + 1] || *end || !(all->seconds >= 1.5) || !(all->seconds <= 600))
            return cx_usage_error(me, "--seconds %s: not a number of seconds from 1.5 to 600", argv[i + 1]);
    }
    return CX_EXIT_OK;
}

static int calibrate(int argc, char **argv)
{
    static struct calibrate all = {.seconds = 3};
    int status = read_arguments(&all, argc, argv);
    if (status != CX_EXIT_OK)
        return status;
    const struct cx_machine *machine = cx_machine_get();
    if (machine->nused == 0)
        return cx_tool_error(me, "there is no OpenCL device; `coexec info` tells where it was looked for");
    all.meter = cx_power_meter_create(NULL);
    if (!all.meter)
        return cx_tool_error(me, "out of memory");
    for (unsigned i = 0; i < all.meter->sources.nnotes; i++)
        fprintf(stderr, "coexec calibrate: %s\n", all.meter->sources.note[i]);
    if (!all.meter->sources.n) {
        cx_power_meter_destroy(all.meter);
        return cx_tool_error(me, "nothing on this machine tells its power; see `coexec help power`");
    }
    for (all.n = 0; all.n < machine->nused && all.n < CX_MEMBERS_MAX; all.n++) {
        all.end[all.n].device = machine->used[all.n];
        find_sources(&all, &all.end[all.n]);
    }
    status = calibrate_all(&all);
    cx_power_meter_destroy(all.meter);
    return fflush(stdout) == 0 ? status : CX_EXIT_FAILED;
}

const struct cx_subcommand cx_calibrate_subcommand = {
    .name = "calibrate",
    .run = calibrate,
    .summary = "measure what each device consumes, for COEXEC_OBJECTIVE",
    .help = "usage: coexec calibrate [--seconds S]\n\n"
            "Measures the power of each used device idle, with all of them opened, and computing alone, and "
            "keeps it in\n"
            "the cache folder for programs with COEXEC_OBJECTIVE=energy or edp. Nothing else should use the "
            "devices\n"
            "meanwhile. The exit status is 1 where nothing was measured.\n\n"
            "  --seconds S  for each measurement, 1.5 to 600 (3)\n",
};
