/* SPDX-License-Identifier: MIT */
/*
 * Shapes of field in which the host has a part: it looks at results between launches, tries settings, maps
 * memory or builds many programs.
 */
#include "field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- a search for a password ---- */

enum { LOOPS = 8, ROUNDS = 125 };

/* What becomes of candidate number i. */
static cl_uint digest(cl_uint i, unsigned loops)
{
    cl_uint x = field_mix(i);
    for (unsigned l = 0; l < loops; l++)
        for (cl_uint r = 0; r < ROUNDS; r++)
            x = field_mix(x ^ r);
    return x;
}

static cl_uint secret(const struct run *run, const struct field *f)
{
    return (cl_uint)((run_iterations(run) - 1) * f->n + f->n / 3);
}

static void search_kernels(struct run *run, struct field *f)
{
    const cl_uint rounds = ROUNDS;
    f->n = (cl_uint)run_size(run);
    f->buffer[0] = field_buffer(run, f->n);
    f->kernel[0] = run_kernel(run, "search_begin");
    f->kernel[1] = run_kernel(run, "search_loop");
    SET_ARGS(f->kernel[0], ARG(f->buffer[0]), ARG(f->n));
    SET_ARGS(f->kernel[1], ARG(f->buffer[0]), ARG(f->n), ARG(rounds));
}

static void search_setup(struct run *run, void *state)
{
    struct field *f = state;
    search_kernels(run, f);
    const cl_uint wanted = digest(secret(run, f), LOOPS);
    f->buffer[1] = field_buffer(run, 2);
    f->array[0] = field_output(run, 3);
    f->kernel[2] = run_kernel(run, "search_compare");
    SET_ARGS(f->kernel[2], ARG(f->buffer[0]), ARG(f->n), ARG(wanted), ARG(f->buffer[1]));
}

/* Candidates in portions, until one is the password: how many are it, which, in which portion. */
static void search_enqueue(struct run *run, void *state)
{
    static const cl_uint none[2] = {0, 0};
    struct field *f = state;
    memset(f->array[0], 0, 3 * sizeof(cl_uint));
    field_begin(run);
    for (cl_uint i = 0; i < run_iterations(run) && f->array[0][0] == 0; i++) {
        const cl_uint first = i * f->n;
        SET_ARG(f->kernel[0], 2, first);
        field_write(run, f->buffer[1], none, 2);
        field_launch(run, f->kernel[0], f->n);
        for (unsigned l = 0; l < LOOPS; l++)
            field_launch(run, f->kernel[1], f->n);
        field_launch(run, f->kernel[2], f->n);
        field_read(run, f->buffer[1], f->array[0], 2);
        run_finish(run);
        f->array[0][2] = i;
    }
    field_end(run);
}

static bool search_check(struct run *run, void *state)
{
    const struct field *f = state;
    const cl_uint want[3] = {1, secret(run, f) % f->n, secret(run, f) / f->n};
    return field_equal(run, f->array[0], want, 3);
}

/* ---- settings tried one after the other, then the fastest one used ---- */

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void tune_setup(struct run *run, void *state)
{
    struct field *f = state;
    search_kernels(run, f);
    f->array[0] = field_output(run, f->n);
}

/* One launch over the first n work-items, waited for. */
static double tried_ms(struct run *run, struct field *f, size_t n, size_t local)
{
    const double start = now_ms();
    run_launch(run, f->kernel[1], 1, &n, &local);
    run_finish(run);
    return now_ms() - start;
}

/* Sizes of group and of launch, each a few times; what is launched then runs with the best size of group. */
static void tune_enqueue(struct run *run, void *state)
{
    static const size_t locals[] = {32, 64, 128, 256};
    struct field *f = state;
    const cl_uint none = 0;
    const size_t n = round_up(f->n, 256);
    size_t best = locals[0], chosen;
    double best_ms = 0;
    SET_ARG(f->kernel[0], 2, none);
    field_begin(run);
    field_launch(run, f->kernel[0], f->n);
    for (size_t l = 0; l < sizeof locals / sizeof *locals; l++)
        for (size_t part = 16; part > 0; part /= 2) {
            const double ms = tried_ms(run, f, round_up(n / part, 256), locals[l]);
            if (part == 1 && (best_ms == 0 || ms < best_ms)) {
                best_ms = ms;
                best = locals[l];
            }
        }
    chosen = best;
    field_launch(run, f->kernel[0], f->n);
    for (size_t i = 0; i < run_iterations(run); i++)
        run_launch(run, f->kernel[1], 1, &n, &chosen);
    field_end(run);
    field_read(run, f->buffer[0], f->array[0], f->n);
}

static bool tune_check(struct run *run, void *state)
{
    const struct field *f = state;
    struct tally tally = {.name = run->example->name};
    const size_t cost = ROUNDS * run_iterations(run), stride = sample_stride(f->n, 200000000 / cost, 1);
    for (size_t i = 0; i < f->n; i += stride)
        tally_value(&tally, i, f->array[0][i], digest((cl_uint)i, (unsigned)run_iterations(run)), 0);
    return tally_pass(&tally, 0);
}

/* ---- sums by a few groups of the largest size, added up by the host ---- */

struct reduction {
    size_t groups, local;
};

static struct reduction reduction_of(const struct run *run)
{
    size_t largest, local = 1;
    cl_uint units;
    cl_check(clGetDeviceInfo(run->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof largest, &largest, NULL),
             "clGetDeviceInfo(CL_DEVICE_MAX_WORK_GROUP_SIZE)");
    cl_check(clGetDeviceInfo(run->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL),
             "clGetDeviceInfo(CL_DEVICE_MAX_COMPUTE_UNITS)");
    while (2 * local <= largest && local < 1024)
        local *= 2;
    return (struct reduction){units, local};
}

static void reduce_setup(struct run *run, void *state)
{
    struct field *f = state;
    const struct reduction r = reduction_of(run);
    f->n = (cl_uint)run_size(run);
    f->array[0] = field_numbers(run, f->n, 21);
    f->array[1] = run_array(run, r.groups * sizeof(cl_uint));
    f->array[2] = field_output(run, 1);
    f->buffer[0] = field_buffer(run, f->n);
    f->buffer[1] = field_buffer(run, r.groups);
    f->kernel[0] = run_kernel(run, "reduce");
    SET_ARGS(f->kernel[0], ARG(f->buffer[0]), ARG(f->n), ARG(f->buffer[1]));
    set_arg(f->kernel[0], 3, r.local * sizeof(cl_uint), NULL);
}

static void reduce_enqueue(struct run *run, void *state)
{
    struct field *f = state;
    const struct reduction r = reduction_of(run);
    const size_t global = r.groups * r.local;
    field_write(run, f->buffer[0], f->array[0], f->n);
    f->array[2][0] = 0;
    field_begin(run);
    for (size_t i = 0; i < run_iterations(run); i++) {
        run_launch(run, f->kernel[0], 1, &global, &r.local);
        field_read(run, f->buffer[1], f->array[1], r.groups);
        run_finish(run);
        for (size_t g = 0; g < r.groups; g++)
            f->array[2][0] += f->array[1][g];
    }
    field_end(run);
}

static bool reduce_check(struct run *run, void *state)
{
    const struct field *f = state;
    cl_uint sum = 0;
    for (size_t i = 0; i < f->n; i++)
        sum += f->array[0][i];
    sum *= (cl_uint)run_iterations(run);
    return field_equal(run, f->array[2], &sum, 1);
}

/* ---- the host picks from all distances where to look from next ---- */

enum { DIMENSIONS = 64 };

static void cluster_setup(struct run *run, void *state)
{
    struct field *f = state;
    const cl_uint dimensions = DIMENSIONS;
    f->n = (cl_uint)run_size(run);
    f->array[0] = field_numbers(run, (size_t)f->n * DIMENSIONS, 22);
    f->array[1] = run_array(run, DIMENSIONS * sizeof(cl_uint));
    f->array[2] = run_array(run, f->n * sizeof(cl_uint));
    f->array[3] = field_output(run, run_iterations(run));
    f->buffer[0] = field_buffer(run, (size_t)f->n * DIMENSIONS);
    f->buffer[1] = field_buffer(run, DIMENSIONS);
    f->buffer[2] = field_buffer(run, f->n);
    f->kernel[0] = run_kernel(run, "distances");
    SET_ARGS(f->kernel[0], ARG(f->buffer[0]), ARG(f->buffer[1]), ARG(f->buffer[2]), ARG(f->n),
             ARG(dimensions));
}

/* The point farthest away becomes the centre. */
static size_t farthest(const cl_uint *distance, size_t n)
{
    size_t most = 0;
    for (size_t i = 1; i < n; i++)
        if (distance[i] > distance[most])
            most = i;
    return most;
}

static void cluster_enqueue(struct run *run, void *state)
{
    struct field *f = state;
    size_t at = 0;
    field_write(run, f->buffer[0], f->array[0], (size_t)f->n * DIMENSIONS);
    field_begin(run);
    for (size_t i = 0; i < run_iterations(run); i++) {
        for (size_t d = 0; d < DIMENSIONS; d++)
            f->array[1][d] = field_mix(f->array[0][d * f->n + at] + (cl_uint)i);
        field_write(run, f->buffer[1], f->array[1], DIMENSIONS);
        field_launch(run, f->kernel[0], f->n);
        field_read(run, f->buffer[2], f->array[2], f->n);
        run_finish(run);
        f->array[3][i] = (cl_uint)(at = farthest(f->array[2], f->n));
    }
    field_end(run);
}

static bool cluster_check(struct run *run, void *state)
{
    struct field *f = state;
    struct tally tally = {.name = run->example->name};
    size_t at = 0, steps = run_iterations(run), most = 50000000 / ((size_t)f->n * DIMENSIONS) + 1;
    for (size_t i = 0; i < steps && i < most; i++) {
        memset(f->array[2], 0, f->n * sizeof(cl_uint));
        for (size_t d = 0; d < DIMENSIONS; d++) {
            const cl_uint centre = field_mix(f->array[0][d * f->n + at] + (cl_uint)i);
            for (size_t p = 0; p < f->n; p++) {
                const cl_uint point = f->array[0][d * f->n + p];
                f->array[2][p] += (point > centre ? point - centre : centre - point) >> 8;
            }
        }
        at = farthest(f->array[2], f->n);
        tally_value(&tally, i, f->array[3][i], (double)at, 0);
    }
    return tally_pass(&tally, 0);
}

/* ---- frames: mapped, filled, computed, mapped again and looked at ---- */

static void frames_setup(struct run *run, void *state)
{
    struct field *f = state;
    f->n = (cl_uint)run_size(run);
    f->array[0] = field_output(run, run_iterations(run));
    for (unsigned b = 0; b < 2; b++)
        f->buffer[b] = run_buffer(run, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, f->n * sizeof(cl_uint));
    f->kernel[0] = run_kernel(run, "shade");
    SET_ARGS(f->kernel[0], ARG(f->buffer[0]), ARG(f->buffer[1]), ARG(f->n));
}

static cl_uint *map(struct run *run, cl_mem buffer, cl_map_flags flags, size_t n)
{
    cl_int error;
    cl_uint *mapped =
        clEnqueueMapBuffer(run->queue, buffer, CL_TRUE, flags, 0, n * sizeof *mapped, 0, NULL, NULL, &error);
    cl_check(error, "clEnqueueMapBuffer");
    return mapped;
}

static void unmap(struct run *run, cl_mem buffer, cl_uint *mapped)
{
    cl_check(clEnqueueUnmapMemObject(run->queue, buffer, mapped, 0, NULL, NULL), "clEnqueueUnmapMemObject");
}

static void frames_enqueue(struct run *run, void *state)
{
    struct field *f = state;
    for (cl_uint frame = 0; frame < run_iterations(run); frame++) {
        cl_uint *in = map(run, f->buffer[0], CL_MAP_WRITE_INVALIDATE_REGION, f->n), sum = 0;
        for (size_t i = 0; i < f->n; i++)
            in[i] = (cl_uint)i * 7 + frame;
        unmap(run, f->buffer[0], in);
        SET_ARG(f->kernel[0], 3, frame);
        field_launch(run, f->kernel[0], f->n);
        cl_uint *out = map(run, f->buffer[1], CL_MAP_READ, f->n);
        for (size_t i = 0; i < f->n; i++)
            sum += out[i] ^ (cl_uint)i;
        unmap(run, f->buffer[1], out);
        f->array[0][frame] = sum;
    }
}

static bool frames_check(struct run *run, void *state)
{
    const struct field *f = state;
    cl_uint *want = run_array(run, run_iterations(run) * sizeof *want);
    for (cl_uint frame = 0; frame < run_iterations(run); frame++) {
        want[frame] = 0;
        for (size_t i = 0; i < f->n; i++)
            want[frame] += field_mix(((cl_uint)i * 7 + frame) ^ frame) ^ (cl_uint)i;
    }
    return field_equal(run, f->array[0], want, run_iterations(run));
}

/* ---- many programs of long straight-line code, launched a few times each ---- */

enum { VARIABLES = 16, STATEMENTS = 500, LAUNCHES_EACH = 3 };

struct statement {
    unsigned char to, a, b, shift;
    cl_uint factor;
};

/* Program p's statements; every one changes a variable that others read. */
static void make_statements(unsigned p, struct statement *list)
{
    struct random random = random_seeded(100 + p);
    for (unsigned s = 0; s < STATEMENTS; s++) {
        const uint32_t bits = random_u32(&random);
        list[s] = (struct statement){.to = bits % VARIABLES,
                                     .a = (bits >> 8) % VARIABLES,
                                     .b = (bits >> 16) % VARIABLES,
                                     .shift = 1 + (bits >> 24) % 16,
                                     .factor = random_u32(&random) | 1};
    }
}

static char *program_text(unsigned p)
{
    struct statement list[STATEMENTS];
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    make_statements(p, list);
    fprintf(out, "__kernel void code(__global const uint *in, __global uint *out, uint n)\n{\n"
                 "    const uint i = get_global_id(0);\n    if (i >= n)\n        return;\n");
    for (unsigned v = 0; v < VARIABLES; v++)
        fprintf(out, "    uint v%u = in[i] + %uu;\n", v, v);
    for (unsigned s = 0; s < STATEMENTS; s++)
        fprintf(out, "    v%u = v%u * %uu + (v%u >> %u);\n", list[s].to, list[s].a, list[s].factor, list[s].b,
                list[s].shift);
    fprintf(out, "    out[i] = v0");
    for (unsigned v = 1; v < VARIABLES; v++)
        fprintf(out, " ^ v%u", v);
    fprintf(out, ";\n}\n");
    return fclose(out) == 0 ? text : NULL;
}

static cl_uint compute(const struct statement *list, cl_uint x)
{
    cl_uint v[VARIABLES], all = 0;
    for (unsigned i = 0; i < VARIABLES; i++)
        v[i] = x + i;
    for (unsigned s = 0; s < STATEMENTS; s++)
        v[list[s].to] = v[list[s].a] * list[s].factor + (v[list[s].b] >> list[s].shift);
    for (unsigned i = 0; i < VARIABLES; i++)
        all ^= v[i];
    return all;
}

static cl_kernel build_one(struct run *run, unsigned p)
{
    char *text = program_text(p);
    const char *source = text;
    cl_int error;
    if (!text)
        fail(STATUS_USAGE, "%s: no host memory", run->example->name);
    cl_program program = clCreateProgramWithSource(run->context, 1, &source, NULL, &error);
    cl_check(error, "clCreateProgramWithSource");
    cl_check(clBuildProgram(program, 1, &run->device, NULL, NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "code", &error);
    cl_check(error, "clCreateKernel");
    cl_check(clReleaseProgram(program), "clReleaseProgram");
    run->kernels[run->kernel_count++] = kernel;
    free(text);
    return kernel;
}

static size_t programs_of(const struct run *run)
{
    return run_iterations(run) < FIELD_STAGES ? run_iterations(run) : FIELD_STAGES;
}

static void programs_setup(struct run *run, void *state)
{
    struct field *f = state;
    f->n = (cl_uint)run_size(run);
    f->array[0] = field_numbers(run, f->n, 24);
    f->array[1] = field_output(run, f->n);
    f->buffer[0] = field_buffer(run, f->n);
    f->buffer[1] = field_buffer(run, f->n);
    for (unsigned p = 0; p < programs_of(run); p++) {
        f->kernel[p] = build_one(run, p);
        SET_ARG(f->kernel[p], 2, f->n);
    }
}

static void programs_enqueue(struct run *run, void *state)
{
    struct field *f = state;
    const size_t launches = programs_of(run) * LAUNCHES_EACH;
    field_write(run, f->buffer[0], f->array[0], f->n);
    field_begin(run);
    for (size_t i = 0; i < launches; i++) {
        cl_kernel kernel = f->kernel[i % programs_of(run)];
        SET_ARG(kernel, 0, f->buffer[i % 2]);
        SET_ARG(kernel, 1, f->buffer[(i + 1) % 2]);
        field_launch(run, kernel, f->n);
    }
    field_end(run);
    field_read(run, f->buffer[launches % 2], f->array[1], f->n);
}

static bool programs_check(struct run *run, void *state)
{
    const struct field *f = state;
    struct tally tally = {.name = run->example->name};
    const size_t programs = programs_of(run), cost = programs * LAUNCHES_EACH * STATEMENTS;
    const size_t stride = sample_stride(f->n, 200000000 / cost, 1);
    struct statement(*lists)[STATEMENTS] = run_array(run, programs * sizeof *lists);
    for (unsigned p = 0; p < programs; p++)
        make_statements(p, lists[p]);
    for (size_t i = 0; i < f->n; i += stride) {
        cl_uint x = f->array[0][i];
        for (size_t l = 0; l < programs * LAUNCHES_EACH; l++)
            x = compute(lists[l % programs], x);
        tally_value(&tally, i, f->array[1][i], x, 0);
    }
    return tally_pass(&tally, 0);
}

const struct field_shape field_host_shapes[] = {
    {"search",
     "a search for a password: candidates, many loops, a comparison, its outcome read",
     "candidates of a portion",
     "portions",
     {1000, 10000, 4194304},
     {3, 10, 50},
     search_setup,
     search_enqueue,
     search_check},
    {"tune",
     "settings tried with launches of many sizes, each waited for, then the best one used",
     "work-items",
     "launches with it",
     {2048, 20000, 4194304},
     {4, 10, 50},
     tune_setup,
     tune_enqueue,
     tune_check},
    {"reduce",
     "sums by one large group a compute unit, added up by the host",
     "numbers",
     "sums",
     {50000, 1000000, 33554432},
     {5, 50, 100},
     reduce_setup,
     reduce_enqueue,
     reduce_check},
    {"cluster",
     "the host writes a centre, reads all distances and picks the next one",
     "points",
     "centres",
     {2000, 10000, 65536},
     {5, 50, 500},
     cluster_setup,
     cluster_enqueue,
     cluster_check},
    {"frames",
     "frames that are mapped, filled, computed, mapped and looked at",
     "pixels",
     "frames",
     {20000, 500000, 2073600},
     {3, 20, 100},
     frames_setup,
     frames_enqueue,
     frames_check},
    {"programs",
     "many programs of long straight-line code, launched a few times each",
     "numbers",
     "programs",
     {5000, 20000, 200000},
     {3, 8, 27},
     programs_setup,
     programs_enqueue,
     programs_check},
    {.name = NULL},
};
