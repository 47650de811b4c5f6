/* SPDX-License-Identifier: MIT */
/*
 * Shapes of field with several queues, of which each has launches of its own.
 */
#include "field.h"

#include <stdlib.h>
#include <string.h>

/* ---- several queues, each with steps of its own ---- */

/* Each with two buffers, of which every step reads one and writes the other. */
static void make_queues(struct run *run, struct field *f)
{
    for (unsigned q = 0; q < FIELD_QUEUES; q++) {
        f->queue[q] = q ? run_queue(run) : run->queue;
        for (unsigned b = 0; b < 2; b++)
            f->pair[q][b] = field_buffer(run, f->n);
    }
}

static void queues_setup(struct run *run, void *state)
{
    struct field *f = state;
    f->n = (cl_uint)run_size(run);
    f->array[0] = field_numbers(run, f->n, 23);
    f->array[1] = field_output(run, (size_t)FIELD_QUEUES * f->n);
    make_queues(run, f);
    f->kernel[0] = run_kernel(run, "advance");
    SET_ARG(f->kernel[0], 2, f->n);
}

static void queues_step(struct run *run, struct field *f, unsigned q, size_t i)
{
    SET_ARG(f->kernel[0], 0, f->pair[q][i % 2]);
    SET_ARG(f->kernel[0], 1, f->pair[q][(i + 1) % 2]);
    run->queue = f->queue[q];
    field_launch(run, f->kernel[0], f->n);
    cl_check(clFlush(run->queue), "clFlush");
}

static void wait_for_all(struct run *run, struct field *f)
{
    for (unsigned q = FIELD_QUEUES; q--;) {
        run->queue = f->queue[q];
        run_finish(run);
    }
}

/* Queue q does q steps less than the first one, so that all results differ. */
static size_t queue_steps(const struct run *run, unsigned q)
{
    return run_iterations(run) > q ? run_iterations(run) - q : 1;
}

static void queues_enqueue(struct run *run, void *state)
{
    struct field *f = state;
    for (unsigned q = 0; q < FIELD_QUEUES; q++) {
        run->queue = f->queue[q];
        field_write(run, f->pair[q][0], f->array[0], f->n);
    }
    for (size_t i = 0; i < run_iterations(run); i++)
        for (unsigned q = 0; q < FIELD_QUEUES; q++)
            if (i < queue_steps(run, q))
                queues_step(run, f, q, i);
    for (unsigned q = 0; q < FIELD_QUEUES; q++) {
        run->queue = f->queue[q];
        field_read(run, f->pair[q][queue_steps(run, q) % 2], f->array[1] + (size_t)q * f->n, f->n);
    }
    wait_for_all(run, f);
}

static bool queues_check(struct run *run, void *state)
{
    struct field *f = state;
    const size_t n = f->n, steps = run_shorten(run, 100000000 / n + 1, f);
    cl_uint *from = run_array(run, n * sizeof *from), *to = run_array(run, n * sizeof *to);
    bool pass = true;
    memcpy(from, f->array[0], n * sizeof *from);
    for (size_t s = 1; s <= steps; s++) {
        for (size_t i = 0; i < n; i++)
            to[i] = field_mix(from[i > 0 ? i - 1 : i] + 3 * from[i] + 5 * from[i + 1 < n ? i + 1 : i]);
        cl_uint *other = from;
        from = to;
        to = other;
        for (unsigned q = 0; q < FIELD_QUEUES; q++)
            if (queue_steps(run, q) == s)
                pass &= field_equal(run, f->array[1] + (size_t)q * n, from, n);
    }
    return pass;
}

/* ---- several queues, each with a chain of long launches that one device alone can do ---- */

enum { APPEND_ROUNDS = 128, STEPS_BETWEEN_WAITS = 8 };

static void chains_setup(struct run *run, void *state)
{
    struct field *f = state;
    const cl_uint rounds = APPEND_ROUNDS;
    f->n = (cl_uint)run_size(run);
    f->array[0] = field_numbers(run, f->n, 25);
    f->array[1] = field_output(run, (size_t)FIELD_QUEUES * f->n);
    f->array[2] = run_array(run, run_iterations(run) * sizeof(cl_uint));
    f->array[3] = run_array(run, f->n * sizeof(cl_uint));
    memset(f->array[2], 0, run_iterations(run) * sizeof(cl_uint));
    make_queues(run, f);
    for (unsigned q = 0; q < FIELD_QUEUES; q++)
        f->buffer[q] = field_buffer(run, run_iterations(run));
    f->kernel[0] = run_kernel(run, "append");
    SET_ARG(f->kernel[0], 3, f->n);
    SET_ARG(f->kernel[0], 5, rounds);
}

static void chains_step(struct run *run, struct field *f, unsigned q, size_t i)
{
    const cl_uint step = (cl_uint)i;
    SET_ARG(f->kernel[0], 2, f->buffer[q]);
    SET_ARG(f->kernel[0], 4, step);
    queues_step(run, f, q, i);
}

/* By their values, in two passes of 16 bits; `room` for as many. */
static void sort(cl_uint *number, cl_uint *room, size_t n)
{
    static size_t at[1 << 16];
    cl_uint *from = number, *to = room;
    for (unsigned shift = 0; shift < 32; shift += 16) {
        size_t before = 0;
        memset(at, 0, sizeof(at));
        for (size_t i = 0; i < n; i++)
            at[from[i] >> shift & 0xffff]++;
        for (size_t d = 0; d < 1 << 16; d++) {
            const size_t count = at[d];
            at[d] = before;
            before += count;
        }
        for (size_t i = 0; i < n; i++)
            to[at[from[i] >> shift & 0xffff]++] = from[i];
        from = to;
        to = number;
    }
}

/* The host waits for all chains now and then. Which number stands where is left to the device: sorted. */
static void chains_enqueue(struct run *run, void *state)
{
    struct field *f = state;
    for (unsigned q = 0; q < FIELD_QUEUES; q++) {
        field_write(run, f->pair[q][0], f->array[0], f->n);
        field_write(run, f->buffer[q], f->array[2], run_iterations(run));
    }
    field_begin(run);
    for (size_t i = 0; i < run_iterations(run); i++) {
        for (unsigned q = 0; q < FIELD_QUEUES; q++)
            if (i < queue_steps(run, q))
                chains_step(run, f, q, i);
        if ((i + 1) % STEPS_BETWEEN_WAITS == 0)
            wait_for_all(run, f);
    }
    wait_for_all(run, f);
    field_end(run);
    for (unsigned q = 0; q < FIELD_QUEUES; q++)
        field_read(run, f->pair[q][queue_steps(run, q) % 2], f->array[1] + (size_t)q * f->n, f->n);
    run_finish(run);
    for (unsigned q = 0; q < FIELD_QUEUES; q++)
        sort(f->array[1] + (size_t)q * f->n, f->array[3], f->n);
}

static bool chains_check(struct run *run, void *state)
{
    struct field *f = state;
    const size_t n = f->n, steps = run_shorten(run, 2000000 / n + 1, f);
    cl_uint *number = run_array(run, n * sizeof *number), *sorted = run_array(run, n * sizeof *sorted);
    bool pass = true;
    memcpy(number, f->array[0], n * sizeof *number);
    for (size_t s = 1; s <= steps; s++) {
        for (size_t i = 0; i < n; i++)
            for (cl_uint r = 0; r < APPEND_ROUNDS; r++)
                number[i] = field_mix(number[i] ^ r);
        for (unsigned q = 0; q < FIELD_QUEUES; q++)
            if (queue_steps(run, q) == s) {
                memcpy(sorted, number, n * sizeof *sorted);
                sort(sorted, f->array[3], n);
                pass &= field_equal(run, f->array[1] + (size_t)q * n, sorted, n);
            }
    }
    return pass;
}

const struct field_shape field_queue_shapes[] = {
    {"queues",
     "four queues with steps of their own",
     "numbers",
     "steps",
     {4000, 100000, 4000000},
     {20, 200, 500},
     queues_setup,
     queues_enqueue,
     queues_check},
    {"chains",
     "four queues with chains of long launches that append where a counter says",
     "numbers",
     "launches of a chain",
     {512, 16384, 8388608},
     {6, 96, 200},
     chains_setup,
     chains_enqueue,
     chains_check},
    {.name = NULL},
};
