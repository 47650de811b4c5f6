/* SPDX-License-Identifier: MIT */
/*
 * What the example programs share: options, choice of the device, build, timing, checksum, comparison.
 *
 * An example is a const struct with three functions: setup makes inputs, buffers and kernels; enqueue puts
 * one run's launches into the queue; check compares the output with plain C. example_main does the rest:
 * around enqueue it writes the inputs and reads the outputs that setup has named. Anything that goes wrong
 * ends the program with a message on stderr: exit status 1: the check failed, 2: bad usage or a size that
 * does not fit, 3: an OpenCL error.
 */
#ifndef EXAMPLES_COMMON_H
#define EXAMPLES_COMMON_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum exit_status { STATUS_OK, STATUS_CHECK_FAILED, STATUS_USAGE, STATUS_OPENCL };

/* Options that every example has; its own ones follow from OPT_EXTRA on. */
enum option_index {
    OPT_SIZE,
    OPT_ITERATIONS,
    OPT_REPEAT,
    OPT_DEVICE_TYPE,
    OPT_PLATFORM,
    OPT_DEVICE,
    OPT_CHECK,
    OPT_VERBOSE,
    OPT_HELP,
    OPT_PRESET,
    OPT_NATIVE,
    OPT_EXTRA,
    OPT_COUNT = OPT_EXTRA + 2
};

/* The value of --platform and --device where the program takes the first that fits. */
#define ANY SIZE_MAX

/* A number between min and max; or, with choices ("a|b|c"), the index of a word; or, with choices "", a flag.
 * The option native is a list. */
struct option {
    const char *name;
    const char *help;
    const char *choices;
    size_t min, max, value;
};

/* What --preset stands for; 0 leaves the example's default. Large: about 0.1 to 0.8 s of one H200 where
 * arithmetic takes the time, and enough work-items to fill several; by times measured there, or estimated
 * from those of a CPU. */
struct preset {
    size_t size, iterations, extra[OPT_COUNT - OPT_EXTRA];
};
enum preset_index { PRESET_DEFAULT, PRESET_TINY, PRESET_SMALL, PRESET_PAPER, PRESET_LARGE, PRESET_COUNT };

struct run;

struct example {
    const char *name;
    const char *summary;       /* for --help: what is computed, what size means */
    const char *iterations;    /* for --help: what iterations means */
    const char *check_note;    /* for --help: what --check compares */
    const char *source;        /* OpenCL C */
    const char *build_options; /* may be NULL */
    bool rounds_exactly;       /* division and square root as in plain C, where the device can */
    size_t size, size_max;     /* default, largest */
    size_t default_iterations;
    struct preset presets[PRESET_COUNT];        /* PRESET_DEFAULT is not used */
    struct option extra[OPT_COUNT - OPT_EXTRA]; /* own options; unused ones have no name */
    size_t state_size;                          /* bytes of the example's own data, zeroed before setup */

    void (*setup)(struct run *run, void *state);
    void (*enqueue)(struct run *run, void *state);
    bool (*check)(struct run *run, void *state);
    void (*done)(struct run *run, void *state); /* after the last run, not with --native; may be NULL */

    /*
     * Hand-split over several devices, for --native; may be NULL. Enqueues one step of this part and tells
     * whether there is another one, which starts when all parts have done this one.
     */
    bool (*native)(struct run *part, void *state, size_t step);
};

enum { MAX_KEPT = 32, MAX_PARTS = 16 };

/* What each run writes before its launches or reads after them. */
struct transfer {
    cl_mem buffer;
    void *array;
    size_t bytes;
};

/* One execution of an example. setup fills in the output; everything made by run_* is freed at the end. */
struct run {
    const struct example *example;
    struct option options[OPT_COUNT];
    bool given[OPT_COUNT]; /* in the arguments: goes before the preset */
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    const void *output; /* what the checksum covers besides the outputs below; may be NULL */
    size_t output_bytes;
    double measured_ms; /* what enqueue took of the time for the result; 0: all of the run is */

    struct transfer inputs[MAX_KEPT], outputs[MAX_KEPT];
    unsigned input_count, output_count;
    cl_mem buffers[MAX_KEPT];
    cl_kernel kernels[MAX_KEPT];
    cl_command_queue queues[MAX_KEPT]; /* besides the one above */
    void *arrays[MAX_KEPT];
    unsigned buffer_count, kernel_count, queue_count, array_count;

    /* With --native: one part a device; the first one keeps them all, and the arrays, in pinned memory. */
    double powers[MAX_PARTS];
    struct {
        const char *platform; /* its name; NULL: the devices are taken in order */
        size_t length;
        unsigned device; /* among that platform's */
    } wanted[MAX_PARTS];
    unsigned part_count, part;
    struct run *parts[MAX_PARTS];
    void *states[MAX_PARTS];
    cl_mem pinned[MAX_KEPT];
};

/* Runs the example with the program's arguments; returns the exit status. */
int example_main(const struct example *example, int argc, char **argv);

size_t run_size(const struct run *run);
size_t run_iterations(const struct run *run);
/* The value of the example's own option number i. */
size_t run_extra(const struct run *run, unsigned i);

/* Made for the run and freed with it. Bytes: the size in bytes. They return only on success. */
void *run_array(struct run *run, size_t bytes);
cl_mem run_buffer(struct run *run, cl_mem_flags flags, size_t bytes);
cl_kernel run_kernel(struct run *run, const char *name);
/* One more queue; while it is run->queue, what is enqueued goes there. */
cl_command_queue run_queue(struct run *run);

/* An array of the buffer's size that each run writes into the buffer before its launches. */
void *run_input(struct run *run, cl_mem buffer, size_t bytes);
/* One that each run reads from the buffer after its launches; the checksum covers it. */
void *run_output(struct run *run, cl_mem buffer, size_t bytes);
/* Writes all inputs, enqueues the example's launches, reads all outputs, waits. */
void run_once(struct run *run, void *state);
/* For checks: runs once more with that many iterations if there were more. Returns how many the outputs have
 * now. */
size_t run_shorten(struct run *run, size_t most, void *state);

/* True in a part of a hand-split run. */
bool run_is_native(const struct run *run);
/* The part's share of total, in whole units but for the last one's end. */
void run_share(const struct run *part, size_t total, size_t unit, size_t *first, size_t *end);

/* Enqueue on the run's queue without waiting; the _part forms for bytes from first to end of buffer and
 * array. */
void run_write(struct run *run, cl_mem buffer, const void *from, size_t bytes);
void run_read(struct run *run, cl_mem buffer, size_t bytes, void *to);
void run_write_part(struct run *run, cl_mem buffer, const void *from, size_t first, size_t end);
void run_read_part(struct run *run, cl_mem buffer, size_t first, size_t end, void *to);
void run_launch(struct run *run, cl_kernel kernel, cl_uint dims, const size_t *global, const size_t *local);
void run_launch_part(struct run *run, cl_kernel kernel, cl_uint dims, const size_t *offset,
                     const size_t *global, const size_t *local);
void run_finish(struct run *run);

void set_arg(cl_kernel kernel, cl_uint index, size_t size, const void *value);
#define SET_ARG(kernel, index, variable) set_arg((kernel), (index), sizeof(variable), &(variable))

/* The first arguments of a kernel in order: SET_ARGS(kernel, ARG(x), ARG(y)). */
struct arg {
    size_t size;
    const void *value;
};
void set_args(cl_kernel kernel, cl_uint count, const struct arg *args);
#define ARG(variable)                                                                                        \
    (struct arg)                                                                                             \
    {                                                                                                        \
        sizeof(variable), &(variable)                                                                        \
    }
#define SET_ARGS(kernel, ...)                                                                                \
    set_args((kernel), sizeof((struct arg[]){__VA_ARGS__}) / sizeof(struct arg), (struct arg[]){__VA_ARGS__})

/* The least multiple of unit that holds n. */
size_t round_up(size_t n, size_t unit);

/* Ends the program with status 3 and a message naming the call, unless error is CL_SUCCESS. */
void cl_check(cl_int error, const char *call);
/* Frees what was made for the run, but for its arrays. */
void run_release(struct run *run);

/* Ends the program with the given status and the message. */
_Noreturn void fail(enum exit_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A small generator (xorshift64*); equal seeds give equal sequences on every machine. */
struct random {
    uint64_t state;
};
struct random random_seeded(uint64_t seed);
uint32_t random_u32(struct random *random);
/* In [-1, 1), a multiple of 2^-23. */
float random_float(struct random *random);

/* Counts values that are not as expected; the first one is told on stderr. */
struct tally {
    const char *name;
    size_t seen, wrong;
};
/* For values that are not equal; does not count them as seen. */
void tally_difference(struct tally *tally, size_t index, double got, double want, double tolerance);
/* Right: |got - want| <= tolerance * max(1, |want|). */
static inline void tally_value(struct tally *tally, size_t index, double got, double want, double tolerance)
{
    tally->seen++;
    if (got != want)
        tally_difference(tally, index, got, want, tolerance);
}
/*
 * The distance between the indices to compare so that about affordable ones of total are: 1 for all, else a
 * number without a common divisor with width, so that the sample visits every column of a picture in turn.
 */
size_t sample_stride(size_t total, size_t affordable, size_t width);
/* True if at most allowed values are wrong. */
bool tally_pass(const struct tally *tally, size_t allowed);

/* options.c: reads the arguments into run->options; --help and bad usage end the program. */
void options_parse(struct run *run, int argc, char **argv);

/* native.c: opens the parts that --native names and sets them up; runs all of them once; releases all but
 * run. */
void native_open(struct run *run);
void native_once(struct run *run);
void native_close(struct run *run);
/* An array that all parts share, in memory pinned by the first one. */
void *native_array(struct run *run, size_t bytes);

/* All devices of the wanted kind on the wanted platforms; returns their number. */
unsigned device_list(const struct run *run, cl_device_id *devices, unsigned most);
/* Device `number` of the wanted kind among those of the platforms of that name; NULL: there is none. */
cl_device_id device_named(const struct run *run, const char *platform, size_t length, unsigned number);
/* device.c: opens device, context and queue as the options say unless the device is known, and builds the
 * example's program. */
void device_open(struct run *run);
void program_build(struct run *run);

#endif
