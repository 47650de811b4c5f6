/* SPDX-License-Identifier: MIT */
/*
 * bfs: levels of a random graph's nodes as seen from the first one, by breadth-first search.
 */
#include "common.h"

#include <string.h>

#include "bfs.cl.h"

enum { LOCAL_SIZE = 64, EXTRA_DEGREE = 0 };

struct bfs {
    cl_kernel visit, advance;
    cl_mem first_buffer, neighbour_buffer, frontier_buffer, seen_buffer, next_buffer, level_buffer,
        more_buffer;
    cl_uint *first, *neighbour;
    cl_uchar *start, *none;
    cl_int *level, *unseen;
    cl_uint nodes, edges;
};

static void make_graph(struct run *run, struct bfs *b)
{
    struct random random = random_seeded(9);
    size_t degree = run_extra(run, EXTRA_DEGREE);
    b->edges = (cl_uint)(b->nodes * degree);
    b->first = run_array(run, (b->nodes + 1) * sizeof(cl_uint));
    b->neighbour = run_array(run, b->edges * sizeof(cl_uint));
    for (size_t i = 0; i <= b->nodes; i++)
        b->first[i] = (cl_uint)(i * degree);
    for (size_t i = 0; i < b->edges; i++)
        b->neighbour[i] = (cl_uint)(((uint64_t)random_u32(&random) * b->nodes) >> 32);
}

static void bfs_setup(struct run *run, void *state)
{
    struct bfs *b = state;
    b->nodes = (cl_uint)run_size(run);
    make_graph(run, b);
    b->start = run_array(run, b->nodes);
    b->none = run_array(run, b->nodes);
    b->level = run_array(run, b->nodes * sizeof(cl_int));
    b->unseen = run_array(run, b->nodes * sizeof(cl_int));
    memset(b->start, 0, b->nodes);
    memset(b->none, 0, b->nodes);
    memset(b->unseen, 0xff, b->nodes * sizeof(cl_int));
    b->start[0] = 1;
    b->unseen[0] = 0;
    b->first_buffer = run_buffer(run, CL_MEM_READ_ONLY, (b->nodes + 1) * sizeof(cl_uint));
    b->neighbour_buffer = run_buffer(run, CL_MEM_READ_ONLY, b->edges * sizeof(cl_uint));
    b->frontier_buffer = run_buffer(run, CL_MEM_READ_WRITE, b->nodes);
    b->seen_buffer = run_buffer(run, CL_MEM_READ_WRITE, b->nodes);
    b->next_buffer = run_buffer(run, CL_MEM_READ_WRITE, b->nodes);
    b->level_buffer = run_buffer(run, CL_MEM_READ_WRITE, b->nodes * sizeof(cl_int));
    b->more_buffer = run_buffer(run, CL_MEM_READ_WRITE, sizeof(cl_int));

    b->visit = run_kernel(run, "visit");
    SET_ARG(b->visit, 0, b->first_buffer);
    SET_ARG(b->visit, 1, b->neighbour_buffer);
    SET_ARG(b->visit, 2, b->frontier_buffer);
    SET_ARG(b->visit, 3, b->seen_buffer);
    SET_ARG(b->visit, 4, b->next_buffer);
    SET_ARG(b->visit, 5, b->level_buffer);
    SET_ARG(b->visit, 6, b->nodes);
    b->advance = run_kernel(run, "advance");
    SET_ARG(b->advance, 0, b->frontier_buffer);
    SET_ARG(b->advance, 1, b->seen_buffer);
    SET_ARG(b->advance, 2, b->next_buffer);
    SET_ARG(b->advance, 3, b->more_buffer);
    SET_ARG(b->advance, 4, b->nodes);
    run->output = b->level;
    run->output_bytes = b->nodes * sizeof(cl_int);
}

/* The host looks after each level whether there is another one. */
static void search(struct run *run, struct bfs *b)
{
    size_t global = round_up(b->nodes, LOCAL_SIZE), local = LOCAL_SIZE;
    cl_int more = 1;
    run_write(run, b->frontier_buffer, b->start, b->nodes);
    run_write(run, b->seen_buffer, b->start, b->nodes);
    run_write(run, b->next_buffer, b->none, b->nodes);
    run_write(run, b->level_buffer, b->unseen, b->nodes * sizeof(cl_int));
    for (cl_int number = 1; more; number++) {
        cl_int no = 0;
        SET_ARG(b->visit, 7, number);
        run_launch(run, b->visit, 1, &global, &local);
        run_write(run, b->more_buffer, &no, sizeof(no));
        run_launch(run, b->advance, 1, &global, &local);
        run_read(run, b->more_buffer, sizeof(more), &more);
        run_finish(run);
    }
    run_read(run, b->level_buffer, b->nodes * sizeof(cl_int), b->level);
}

static void bfs_enqueue(struct run *run, void *state)
{
    struct bfs *b = state;
    run_write(run, b->first_buffer, b->first, (b->nodes + 1) * sizeof(cl_uint));
    run_write(run, b->neighbour_buffer, b->neighbour, b->edges * sizeof(cl_uint));
    for (size_t i = 0; i < run_iterations(run); i++)
        search(run, b);
}

static bool bfs_check(struct run *run, void *state)
{
    const struct bfs *b = state;
    struct tally tally = {.name = run->example->name};
    cl_int *expected = run_array(run, b->nodes * sizeof(cl_int));
    cl_uint *queue = run_array(run, b->nodes * sizeof(cl_uint));
    size_t head = 0, tail = 1;
    memcpy(expected, b->unseen, b->nodes * sizeof(cl_int));
    queue[0] = 0;
    while (head < tail) {
        cl_uint node = queue[head++];
        for (cl_uint e = b->first[node]; e < b->first[node + 1]; e++)
            if (expected[b->neighbour[e]] < 0) {
                expected[b->neighbour[e]] = expected[node] + 1;
                queue[tail++] = b->neighbour[e];
            }
    }
    for (size_t i = 0; i < b->nodes; i++)
        tally_value(&tally, i, b->level[i], expected[i], 0);
    return tally_pass(&tally, 0);
}

static const struct example bfs = {
    .name = "bfs",
    .summary = "Breadth-first search in a random directed graph of size nodes.",
    .iterations = "searches from the first node",
    .check_note = "every node's level must be equal.",
    .source = kernel_source,
    .size = 1000000,
    .size_max = (size_t)1 << 27,
    .default_iterations = 1,
    .presets = {[PRESET_TINY] = {.size = 500000},
                [PRESET_SMALL] = {.size = 4000000},
                [PRESET_LARGE] = {.size = 16000000},
                [PRESET_PAPER] = {.size = 16000000}},
    .extra = {{"degree", "edges that leave each node", NULL, 1, 30, 6}},
    .state_size = sizeof(struct bfs),
    .setup = bfs_setup,
    .enqueue = bfs_enqueue,
    .check = bfs_check,
};

int main(int argc, char **argv)
{
    return example_main(&bfs, argc, argv);
}
