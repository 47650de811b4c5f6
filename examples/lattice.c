/* SPDX-License-Identifier: MIT */
/*
 * lattice: a fluid in a box with obstacles, moved by its lid, over many launches that update one buffer in
 * place.
 */
#include "common.h"

#include "lattice.cl.h"

#include <string.h>

enum { LOCAL = 64, DIRECTIONS = 19, FLUID = 0, SOLID = 1, LID = 2 };
/* Planes of populations that cross a border between two parts in a step: a pair of each direction along z. */
enum { CROSSING = 5, BORDER = 2 * CROSSING };
static const float relaxation = 1.6f, lid_speed = 0.1f;

/* Directions in pairs of opposite ones, the first of each as in the kernel. */
static const int direction[DIRECTIONS][3] = {{0, 0, 0},   {1, 0, 0},  {-1, 0, 0},  {0, 1, 0},   {0, -1, 0},
                                             {0, 0, 1},   {0, 0, -1}, {1, 1, 0},   {-1, -1, 0}, {1, 0, 1},
                                             {-1, 0, -1}, {0, 1, 1},  {0, -1, -1}, {1, -1, 0},  {-1, 1, 0},
                                             {1, 0, -1},  {-1, 0, 1}, {0, 1, -1},  {0, -1, 1}};

struct lattice {
    cl_kernel fill, step, flow;
    cl_mem populations, flags, speed;
    cl_uchar *flag;
    float *result;
    float *border[2]; /* hand-split: what parts exchange after even steps and after odd ones */
    size_t cells;
};

static float weight_of(unsigned i)
{
    return i == 0 ? 1.0f / 3.0f : i < 7 ? 1.0f / 18.0f : 1.0f / 36.0f;
}

/* A floor, a lid, and about one cell in fifty in between an obstacle. */
static void set_flags(struct lattice *s, size_t side)
{
    struct random random = random_seeded(31);
    for (size_t n = 0; n < s->cells; n++) {
        const size_t y = n / side % side;
        const bool obstacle = random_u32(&random) % 50 == 0;
        s->flag[n] = y == 0 ? SOLID : y + 1 == side ? LID : obstacle ? SOLID : FLUID;
    }
}

static void lattice_setup(struct run *run, void *state)
{
    struct lattice *s = state;
    const cl_uint side = (cl_uint)run_size(run);
    s->cells = (size_t)side * side * side;
    s->populations = run_buffer(run, CL_MEM_READ_WRITE, DIRECTIONS * s->cells * sizeof(float));
    s->flags = run_buffer(run, CL_MEM_READ_ONLY, s->cells);
    s->speed = run_buffer(run, CL_MEM_READ_WRITE, s->cells * sizeof(float));
    s->flag = run_input(run, s->flags, s->cells);
    s->result = run_output(run, s->speed, s->cells * sizeof(float));
    for (unsigned i = 0; i < 2 && run_is_native(run); i++)
        s->border[i] = run_array(run, run->part_count * BORDER * side * side * sizeof(float));
    set_flags(s, side);
    s->fill = run_kernel(run, "fill");
    SET_ARG(s->fill, 0, s->populations);
    SET_ARG(s->fill, 1, side);
    s->step = run_kernel(run, "lattice");
    SET_ARG(s->step, 0, s->populations);
    SET_ARG(s->step, 1, s->flags);
    SET_ARG(s->step, 2, side);
    SET_ARG(s->step, 3, relaxation);
    SET_ARG(s->step, 4, lid_speed);
    s->flow = run_kernel(run, "flow");
    SET_ARG(s->flow, 0, s->populations);
    SET_ARG(s->flow, 1, s->flags);
    SET_ARG(s->flow, 2, side);
    SET_ARG(s->flow, 3, lid_speed);
    SET_ARG(s->flow, 5, s->speed);
}

static void lattice_enqueue(struct run *run, void *state)
{
    struct lattice *s = state;
    const size_t global = round_up(s->cells, LOCAL), local = LOCAL, steps = run_iterations(run);
    run_launch(run, s->fill, 1, &global, &local);
    for (size_t step = 0; step <= steps; step++) {
        const cl_uint odd = step % 2;
        cl_kernel kernel = step < steps ? s->step : s->flow;
        SET_ARG(kernel, step < steps ? 5 : 4, odd);
        run_launch(run, kernel, 1, &global, &local);
    }
}

/* The planes z of a part, and the parts beside it on the ring; those without planes have none. */
struct slab {
    size_t first, end;
    unsigned above; /* the part that has plane `end`, or plane 0 */
};

static struct slab slab_of(const struct run *part, size_t side)
{
    struct slab slab = {.above = part->part};
    run_share(part, side, 1, &slab.first, &slab.end);
    size_t first = 0, end = 0;
    while (first == end) {
        struct run next = *part;
        next.part = slab.above = (slab.above + 1) % part->part_count;
        run_share(&next, side, 1, &first, &end);
    }
    return slab;
}

/*
 * Copies what crosses the border below plane z, from the device or to it. Of each pair of directions along z,
 * one slot there has been written by the part below, for the one above to read in the next step, and the
 * other one by the part above: odd tells which, as in the kernel.
 */
static void copy_border(struct run *part, struct lattice *s, float *border, size_t z, bool up, bool odd,
                        bool read)
{
    const size_t side = run_size(part), plane = side * side, bytes = plane * sizeof(float);
    unsigned n = up ? 0 : CROSSING;
    for (unsigned i = 1; i < DIRECTIONS; i += 2) {
        if (direction[i][2] == 0)
            continue;
        const bool rises = direction[i][2] > 0;
        const unsigned own = odd ? i : i + 1, other = odd ? i + 1 : i;
        const size_t slot = rises == up ? other : own, at = (rises ? z : z + side - 1) % side;
        const size_t offset = (slot * s->cells + at * plane) * sizeof(float);
        float *host = border + n++ * plane;
        if (read)
            cl_check(clEnqueueReadBuffer(part->queue, s->populations, CL_FALSE, offset, bytes, host, 0, NULL,
                                         NULL),
                     "clEnqueueReadBuffer");
        else
            cl_check(clEnqueueWriteBuffer(part->queue, s->populations, CL_FALSE, offset, bytes, host, 0, NULL,
                                          NULL),
                     "clEnqueueWriteBuffer");
    }
}

/* Sends what the part's step has written beyond its planes or for others, or gets what theirs have. */
static void exchange(struct run *part, struct lattice *s, const struct slab *slab, size_t step, bool send)
{
    const size_t side = run_size(part), size = BORDER * side * side;
    if (slab->above == part->part)
        return;
    float *below = s->border[step % 2] + part->part * size, *above = s->border[step % 2] + slab->above * size;
    copy_border(part, s, below, slab->first, !send, step % 2, send);
    copy_border(part, s, above, slab->end, send, step % 2, send);
}

/* Each device has some planes, and all memory; after each step parts exchange what crossed their borders. */
static bool lattice_native(struct run *part, void *state, size_t step)
{
    struct lattice *s = state;
    const size_t side = run_size(part), steps = run_iterations(part), all = round_up(s->cells, LOCAL);
    const size_t local = LOCAL, plane = side * side;
    const struct slab slab = slab_of(part, side);
    const size_t first = slab.first * plane, cells = (slab.end - slab.first) * plane;
    const cl_uint odd = step % 2;
    if (slab.first == slab.end)
        return step < steps;
    if (step == 0) {
        run_write(part, s->flags, s->flag, s->cells);
        run_launch(part, s->fill, 1, &all, &local);
    } else {
        exchange(part, s, &slab, step - 1, false);
    }
    cl_kernel kernel = step < steps ? s->step : s->flow;
    SET_ARG(kernel, step < steps ? 5 : 4, odd);
    run_launch_part(part, kernel, 1, &first, &cells, NULL);
    if (step < steps)
        exchange(part, s, &slab, step, true);
    else
        run_read_part(part, s->speed, first * sizeof(float), (first + cells) * sizeof(float), s->result);
    return step < steps;
}

/* The cell in that direction, on a ring in all dimensions. */
static size_t cell_beside(size_t n, const int *way, size_t side)
{
    const size_t x = (n % side + side + (size_t)way[0]) % side;
    const size_t y = (n / side % side + side + (size_t)way[1]) % side;
    const size_t z = (n / side / side + side + (size_t)way[2]) % side;
    return x + side * (y + side * z);
}

/* What arrives at a cell, the lid's push included; its density and speed. */
static float arrive(const struct lattice *s, const float *from, size_t n, size_t side, float *f, float *v)
{
    float density = 0.0f;
    memset(v, 0, 3 * sizeof(*v));
    for (unsigned i = 0; i < DIRECTIONS; i++) {
        const int *way = direction[i], back[3] = {-way[0], -way[1], -way[2]};
        const bool pushed = i > 0 && s->flag[cell_beside(n, back, side)] == LID;
        f[i] = from[i * s->cells + n] + (pushed ? 6.0f * weight_of(i) * (float)way[0] * lid_speed : 0.0f);
        density += f[i];
        for (unsigned d = 0; d < 3; d++)
            v[d] += (float)way[d] * f[i];
    }
    for (unsigned d = 0; d < 3; d++)
        v[d] /= density;
    return density;
}

/* One step as in a textbook: from what arrives at each cell, in one array, to what arrives next, in another.
 */
static void stream(const struct lattice *s, const float *from, float *to, size_t side)
{
    for (size_t n = 0; n < s->cells; n++) {
        float f[DIRECTIONS], v[3];
        const float density = arrive(s, from, n, side, f, v);
        const float rest = 1.5f * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        for (unsigned i = 0; i < DIRECTIONS; i++) {
            const int *way = direction[i];
            const float along = 3.0f * ((float)way[0] * v[0] + (float)way[1] * v[1] + (float)way[2] * v[2]);
            const float even = weight_of(i) * density * (1.0f + 0.5f * along * along - rest);
            const unsigned opposite = i == 0 ? 0 : ((i - 1) ^ 1) + 1;
            float leaves = f[i] + relaxation * (even + weight_of(i) * density * along - f[i]);
            if (s->flag[n] != FLUID) /* turned back as it came */
                leaves = from[opposite * s->cells + n];
            to[i * s->cells + cell_beside(n, way, side)] = leaves;
        }
    }
}

static bool lattice_check(struct run *run, void *state)
{
    struct lattice *s = state;
    struct tally tally = {.name = run->example->name};
    const size_t side = run_size(run), bytes = DIRECTIONS * s->cells * sizeof(float);
    float *from = run_array(run, bytes), *to = run_array(run, bytes);
    for (size_t i = 0; i < DIRECTIONS * s->cells; i++)
        from[i] = weight_of((unsigned)(i / s->cells));
    for (size_t step = 0; step < run_iterations(run); step++) {
        float *swap = to;
        stream(s, from, to, side);
        to = from;
        from = swap;
    }
    for (size_t n = 0; n < s->cells; n++) {
        float f[DIRECTIONS], v[3];
        arrive(s, from, n, side, f, v);
        tally_value(&tally, n, 1.0 + s->result[n], s->flag[n] == FLUID ? 1.0 + v[0] : 1.0, 1e-5);
    }
    return tally_pass(&tally, 0);
}

static const struct example lattice = {
    .name = "lattice",
    .summary = "Moves a fluid in a box of size by size by size cells by its lid, updating it in place.",
    .iterations = "time steps",
    .check_note =
        "all steps are computed in plain C, with two copies of all populations, and the speeds of all\n"
        "  cells compared (relative tolerance 1e-5 of a speed of 1). Takes long above a size of 128.",
    .source = kernel_source,
    .size = 64,
    .size_max = 640,
    .default_iterations = 20,
    .presets = {[PRESET_TINY] = {.size = 32, .iterations = 8},
                [PRESET_SMALL] = {.size = 64, .iterations = 50},
                [PRESET_LARGE] = {.size = 512, .iterations = 200},
                [PRESET_PAPER] = {.size = 256, .iterations = 1000}},
    .state_size = sizeof(struct lattice),
    .setup = lattice_setup,
    .enqueue = lattice_enqueue,
    .check = lattice_check,
    .native = lattice_native,
};

int main(int argc, char **argv)
{
    return example_main(&lattice, argc, argv);
}
