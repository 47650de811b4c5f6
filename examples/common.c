/* SPDX-License-Identifier: MIT */
/*
 * The course of every example: options, device, build, set-up, one untimed run, the timed runs, check, last
 * line. After options.c and device.c; before the single programs, whose functions it calls.
 */
#include "common.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

_Noreturn void fail(enum exit_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(status);
}

size_t run_size(const struct run *run)
{
    return run->options[OPT_SIZE].value;
}

size_t run_iterations(const struct run *run)
{
    return run->options[OPT_ITERATIONS].value;
}

size_t run_extra(const struct run *run, unsigned i)
{
    return run->options[OPT_EXTRA + i].value;
}

static void check_room(const struct run *run, unsigned used)
{
    if (used == MAX_KEPT)
        fail(STATUS_USAGE, "%s: more than %d objects of one kind", run->example->name, MAX_KEPT);
}

void *run_array(struct run *run, size_t bytes)
{
    check_room(run, run->array_count);
    if (run_is_native(run))
        return native_array(run, bytes);
    void *array = malloc(bytes);
    if (!array)
        fail(STATUS_USAGE, "%s: --size %zu is too large: no host memory for an array of %zu bytes",
             run->example->name, run_size(run), bytes);
    run->arrays[run->array_count++] = array;
    return array;
}

cl_mem run_buffer(struct run *run, cl_mem_flags flags, size_t bytes)
{
    check_room(run, run->buffer_count);
    cl_ulong limit = 0;
    cl_check(clGetDeviceInfo(run->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(limit), &limit, NULL),
             "clGetDeviceInfo(CL_DEVICE_MAX_MEM_ALLOC_SIZE)");
    if (bytes > limit)
        fail(STATUS_USAGE,
             "%s: --size %zu is too large: it needs a buffer of %zu bytes, the device allows at most %" PRIu64
             " (CL_DEVICE_MAX_MEM_ALLOC_SIZE)",
             run->example->name, run_size(run), bytes, (uint64_t)limit);
    cl_int error;
    cl_mem buffer = clCreateBuffer(run->context, flags, bytes, NULL, &error);
    cl_check(error, "clCreateBuffer");
    run->buffers[run->buffer_count++] = buffer;
    return buffer;
}

cl_kernel run_kernel(struct run *run, const char *name)
{
    check_room(run, run->kernel_count);
    cl_int error;
    cl_kernel kernel = clCreateKernel(run->program, name, &error);
    cl_check(error, "clCreateKernel");
    run->kernels[run->kernel_count++] = kernel;
    return kernel;
}

cl_command_queue run_queue(struct run *run)
{
    check_room(run, run->queue_count);
    cl_int error;
    cl_command_queue queue = clCreateCommandQueueWithProperties(run->context, run->device, NULL, &error);
    cl_check(error, "clCreateCommandQueueWithProperties");
    run->queues[run->queue_count++] = queue;
    return queue;
}

static void *add_transfer(struct run *run, struct transfer *list, unsigned *count, cl_mem buffer,
                          size_t bytes)
{
    check_room(run, *count);
    list[*count] = (struct transfer){buffer, run_array(run, bytes), bytes};
    return list[(*count)++].array;
}

void *run_input(struct run *run, cl_mem buffer, size_t bytes)
{
    return add_transfer(run, run->inputs, &run->input_count, buffer, bytes);
}

void *run_output(struct run *run, cl_mem buffer, size_t bytes)
{
    return add_transfer(run, run->outputs, &run->output_count, buffer, bytes);
}

void run_write(struct run *run, cl_mem buffer, const void *from, size_t bytes)
{
    cl_check(clEnqueueWriteBuffer(run->queue, buffer, CL_FALSE, 0, bytes, from, 0, NULL, NULL),
             "clEnqueueWriteBuffer");
}

void run_read(struct run *run, cl_mem buffer, size_t bytes, void *to)
{
    cl_check(clEnqueueReadBuffer(run->queue, buffer, CL_FALSE, 0, bytes, to, 0, NULL, NULL),
             "clEnqueueReadBuffer");
}

void run_write_part(struct run *run, cl_mem buffer, const void *from, size_t first, size_t end)
{
    if (end > first)
        cl_check(clEnqueueWriteBuffer(run->queue, buffer, CL_FALSE, first, end - first,
                                      (const char *)from + first, 0, NULL, NULL),
                 "clEnqueueWriteBuffer");
}

void run_read_part(struct run *run, cl_mem buffer, size_t first, size_t end, void *to)
{
    if (end > first)
        cl_check(clEnqueueReadBuffer(run->queue, buffer, CL_FALSE, first, end - first, (char *)to + first, 0,
                                     NULL, NULL),
                 "clEnqueueReadBuffer");
}

void run_launch_part(struct run *run, cl_kernel kernel, cl_uint dims, const size_t *offset,
                     const size_t *global, const size_t *local)
{
    cl_check(clEnqueueNDRangeKernel(run->queue, kernel, dims, offset, global, local, 0, NULL, NULL),
             "clEnqueueNDRangeKernel");
}

void run_launch(struct run *run, cl_kernel kernel, cl_uint dims, const size_t *global, const size_t *local)
{
    run_launch_part(run, kernel, dims, NULL, global, local);
}

void run_finish(struct run *run)
{
    cl_check(clFinish(run->queue), "clFinish");
}

void set_arg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    cl_check(clSetKernelArg(kernel, index, size, value), "clSetKernelArg");
}

void set_args(cl_kernel kernel, cl_uint count, const struct arg *args)
{
    for (cl_uint i = 0; i < count; i++)
        set_arg(kernel, i, args[i].size, args[i].value);
}

size_t round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

struct random random_seeded(uint64_t seed)
{
    return (struct random){.state = (seed + 1) * 0x9e3779b97f4a7c15u};
}

uint32_t random_u32(struct random *random)
{
    uint64_t x = random->state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    random->state = x;
    return (uint32_t)((x * 0x2545f4914f6cdd1du) >> 32);
}

float random_float(struct random *random)
{
    return (float)((int32_t)(random_u32(random) >> 8) - (1 << 23)) / (float)(1 << 23);
}

void tally_difference(struct tally *tally, size_t index, double got, double want, double tolerance)
{
    /* Written so that a NaN counts as wrong. */
    if (fabs(got - want) <= tolerance * fmax(1.0, fabs(want)))
        return;
    if (tally->wrong++ == 0)
        fprintf(stderr, "%s: check: element %zu is %.9g, expected %.9g\n", tally->name, index, got, want);
}

bool tally_pass(const struct tally *tally, size_t allowed)
{
    if (tally->wrong > 0)
        fprintf(stderr, "%s: check: %zu of %zu compared elements differ, %zu allowed\n", tally->name,
                tally->wrong, tally->seen, allowed);
    return tally->wrong <= allowed;
}

static size_t common_divisor(size_t a, size_t b)
{
    while (b > 0) {
        size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

size_t sample_stride(size_t total, size_t affordable, size_t width)
{
    if (total <= affordable)
        return 1;
    size_t stride = total / (affordable + 1) + 1;
    while (common_divisor(stride, width) != 1)
        stride++;
    return stride;
}

/* FNV-1a over words of eight bytes, with a shift so that the high bits of a word reach the low ones. */
static uint64_t checksum(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    hash ^= bytes;
    while (bytes > 0) {
        uint64_t word = 0;
        size_t step = bytes < sizeof(word) ? bytes : sizeof(word);
        memcpy(&word, at, step);
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 32;
        at += step;
        bytes -= step;
    }
    return hash;
}

static uint64_t checksum_outputs(const struct run *run)
{
    uint64_t hash = 0xcbf29ce484222325u;
    if (run->output)
        hash = checksum(hash, run->output, run->output_bytes);
    for (unsigned i = 0; i < run->output_count; i++)
        hash = checksum(hash, run->outputs[i].array, run->outputs[i].bytes);
    return hash;
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void run_once(struct run *run, void *state)
{
    for (unsigned i = 0; i < run->input_count; i++)
        run_write(run, run->inputs[i].buffer, run->inputs[i].array, run->inputs[i].bytes);
    run->example->enqueue(run, state);
    for (unsigned i = 0; i < run->output_count; i++)
        run_read(run, run->outputs[i].buffer, run->outputs[i].bytes, run->outputs[i].array);
    run_finish(run);
}

size_t run_shorten(struct run *run, size_t most, void *state)
{
    if (run_iterations(run) > most) {
        run->options[OPT_ITERATIONS].value = most;
        run_once(run, state);
    }
    return run_iterations(run);
}

static double time_once(struct run *run, void *state)
{
    double start = now_ms();
    run->measured_ms = 0;
    if (run_is_native(run))
        native_once(run);
    else
        run_once(run, state);
    return run->measured_ms > 0 ? run->measured_ms : now_ms() - start;
}

/* The median time of the repeats in milliseconds, after one run that is not counted. */
static double run_timed(struct run *run, void *state)
{
    size_t repeats = run->options[OPT_REPEAT].value;
    double *times = run_array(run, repeats * sizeof(*times));
    double first = time_once(run, state);
    if (run->options[OPT_VERBOSE].value)
        fprintf(stderr, "%s: first run %.3f ms\n", run->example->name, first);
    for (size_t i = 0; i < repeats; i++)
        times[i] = time_once(run, state);
    qsort(times, repeats, sizeof(*times), compare_doubles);
    return (times[(repeats - 1) / 2] + times[repeats / 2]) / 2;
}

void run_release(struct run *run)
{
    for (unsigned i = 0; i < run->kernel_count; i++)
        cl_check(clReleaseKernel(run->kernels[i]), "clReleaseKernel");
    for (unsigned i = 0; i < run->buffer_count; i++)
        cl_check(clReleaseMemObject(run->buffers[i]), "clReleaseMemObject");
    for (unsigned i = 0; i < run->queue_count; i++)
        cl_check(clReleaseCommandQueue(run->queues[i]), "clReleaseCommandQueue");
    cl_check(clReleaseProgram(run->program), "clReleaseProgram");
    cl_check(clReleaseCommandQueue(run->queue), "clReleaseCommandQueue");
    cl_check(clReleaseContext(run->context), "clReleaseContext");
}

int example_main(const struct example *example, int argc, char **argv)
{
    struct run run = {.example = example};
    options_parse(&run, argc, argv);
    void *state = calloc(1, example->state_size);
    if (!state)
        fail(STATUS_USAGE, "%s: no host memory", example->name);
    run.states[0] = state;
    if (run.part_count > 0) {
        native_open(&run);
    } else {
        device_open(&run);
        program_build(&run);
        example->setup(&run, state);
    }

    double ms = run_timed(&run, state);
    uint64_t sum = checksum_outputs(&run);
    bool check = run.options[OPT_CHECK].value != 0;
    double start = now_ms();
    bool pass = !check || example->check(&run, state);
    if (check && run.options[OPT_VERBOSE].value)
        fprintf(stderr, "%s: check %.3f ms\n", example->name, now_ms() - start);
    if (example->done && run.part_count == 0)
        example->done(&run, state);
    printf("name=%s size=%zu ms=%.3f checksum=%016" PRIx64 " check=%s\n", example->name, run_size(&run), ms,
           sum,
           !check ? "off"
           : pass ? "pass"
                  : "fail");
    if (run.part_count > 0)
        native_close(&run);
    for (unsigned i = 0; run.part_count == 0 && i < run.array_count; i++)
        free(run.arrays[i]);
    run_release(&run);
    free(state);
    return pass ? STATUS_OK : STATUS_CHECK_FAILED;
}
