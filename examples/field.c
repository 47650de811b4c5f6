/* SPDX-License-Identifier: MIT */
/*
 * field: programs in small, each with the shape of one that people run: how long its launches are, what it
 * waits for, what it reads back, how often. `--shape NAME`, given first, chooses one; it is then an example
 * like the others. The shapes are in field_single.c, field_steps.c, field_host.c and field_queues.c.
 */
#include "field.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "field.cl.h"

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

void field_begin(struct run *run)
{
    run_finish(run);
    run->measured_ms = -now_ms();
}

void field_end(struct run *run)
{
    run_finish(run);
    run->measured_ms += now_ms();
}

cl_uint *field_numbers(struct run *run, size_t n, cl_uint seed)
{
    cl_uint *numbers = run_array(run, n * sizeof(cl_uint));
    struct random random = random_seeded(seed);
    for (size_t i = 0; i < n; i++)
        numbers[i] = random_u32(&random);
    return numbers;
}

cl_mem field_buffer(struct run *run, size_t n)
{
    return run_buffer(run, CL_MEM_READ_WRITE, n * sizeof(cl_uint));
}

void field_write(struct run *run, cl_mem buffer, const cl_uint *from, size_t n)
{
    run_write(run, buffer, from, n * sizeof(cl_uint));
}

void field_read(struct run *run, cl_mem buffer, cl_uint *to, size_t n)
{
    run_read(run, buffer, n * sizeof(cl_uint), to);
}

cl_uint *field_output(struct run *run, size_t n)
{
    cl_uint *output = run_array(run, n * sizeof(cl_uint));
    memset(output, 0, n * sizeof(cl_uint));
    run->output = output;
    run->output_bytes = n * sizeof(cl_uint);
    return output;
}

void field_launch(struct run *run, cl_kernel kernel, size_t n)
{
    const size_t global = round_up(n, FIELD_LOCAL), local = FIELD_LOCAL;
    run_launch(run, kernel, 1, &global, &local);
}

bool field_equal(const struct run *run, const cl_uint *got, const cl_uint *want, size_t n)
{
    struct tally tally = {.name = run->example->name};
    for (size_t i = 0; i < n; i++)
        tally_value(&tally, i, got[i], want[i], 0);
    return tally_pass(&tally, 0);
}

static const struct field_shape *const groups[] = {field_single_shapes, field_step_shapes, field_host_shapes,
                                                   field_queue_shapes};

static const struct field_shape *shape_named(const char *name)
{
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        for (const struct field_shape *shape = groups[g]; shape->name; shape++)
            if (strcmp(shape->name, name) == 0)
                return shape;
    return NULL;
}

static void list_shapes(FILE *out)
{
    fprintf(out,
            "usage: field --shape NAME [OPTIONS]; field --shape NAME --help tells the options. Shapes:\n");
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        for (const struct field_shape *shape = groups[g]; shape->name; shape++)
            fprintf(out, "  %-15s %s\n", shape->name, shape->summary);
}

static struct preset preset(const struct field_shape *shape, enum field_preset which)
{
    return (struct preset){.size = shape->size[which], .iterations = shape->iterations[which]};
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        list_shapes(stdout);
        return STATUS_OK;
    }
    const struct field_shape *shape =
        argc > 2 && strcmp(argv[1], "--shape") == 0 ? shape_named(argv[2]) : NULL;
    if (!shape) {
        list_shapes(stderr);
        return STATUS_USAGE;
    }
    char name[32], summary[256];
    snprintf(name, sizeof name, "field-%s", shape->name);
    snprintf(summary, sizeof summary, "%s Size: %s.", shape->summary, shape->size_is);
    const struct example example = {
        .name = name,
        .summary = summary,
        .iterations = shape->iterations_are,
        .check_note = "every number looked at must be equal.",
        .source = kernel_source,
        .size = shape->size[FIELD_SMALL],
        .size_max = (size_t)1 << 28,
        .default_iterations = shape->iterations[FIELD_SMALL],
        .presets = {[PRESET_TINY] = preset(shape, FIELD_TINY),
                    [PRESET_SMALL] = preset(shape, FIELD_SMALL),
                    [PRESET_PAPER] = preset(shape, FIELD_LARGE),
                    [PRESET_LARGE] = preset(shape, FIELD_LARGE)},
        .state_size = sizeof(struct field),
        .setup = shape->setup,
        .enqueue = shape->enqueue,
        .check = shape->check,
    };
    argv[2] = argv[0];
    return example_main(&example, argc - 2, argv + 2);
}
