/* SPDX-License-Identifier: MIT */
/*
 * What moves between launches whose packages are cut while they run, where inputs lie with the devices that
 * computed them: a smoothing of two buffers that change places, over stub GPUs. The stub's timeline says who
 * computed what and what went where; each device must have got exactly what the packages it ran read and it
 * did not hold, and all together little more than the borders between them. Each case has a process of its
 * own.
 */
#include "cl_fixture.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { N = 1 << 16, LOCAL = 64, STEPS = 10, DEVICES = 4 };

static char timeline[64];
static cl_int plate[N], result[N], model[2][N];

/* What each device holds of the step's input, and whether it needs it. */
static bool holds[DEVICES][N], needs[DEVICES][N], writes[DEVICES][N];

struct moved {
    size_t expected, in, out; /* elements: to devices, by what packages read and the device lacked, ... */
};

static void stubs(const char *algo, const char *devices, const char *speed)
{
    snprintf(timeline, sizeof(timeline), "/tmp/coexec-owners-%d", (int)getpid());
    setenv("STUB_TIMELINE", timeline, 1);
    setenv("STUB_DEVICES", devices, 1);
    setenv("STUB_SPEED", speed, 1);
    setenv("COEXEC_ALGO", algo, 1);
    setenv("COEXEC_RESCUE", "0", 1); /* what is done again moves, too */
}

static cl_kernel open_smooth(cl_program *program)
{
    static char text[1 << 16];
    FILE *file = fopen(STUB_KERNELS, "r");
    cl_int code;
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_gt(fread(text, 1, sizeof(text) - 1, file), 0);
    fclose(file);
    cl_open();
    *program = cl_build(text, "");
    cl_kernel kernel = clCreateKernel(*program, "stub_smooth", &code);
    cl_ok(code);
    return kernel;
}

/* Reads the timeline from line `from` on: what kernels needed and wrote, and what moved. Gives its lines. */
static unsigned look(unsigned from, struct moved *moved)
{
    FILE *file = fopen(timeline, "r");
    unsigned long start, end;
    unsigned device, queue, line = 0;
    size_t first, count;
    char what[16];
    ck_assert_ptr_nonnull(file);
    memset(needs, 0, sizeof(needs));
    memset(writes, 0, sizeof(writes));
    for (; fscanf(file, "%lu %lu d%u q%u %15s %zu %zu", &start, &end, &device, &queue, what, &first,
                  &count) == 7;
         line++) {
        if (line < from)
            continue;
        ck_assert_uint_lt(device, DEVICES);
        if (!strcmp(what, "write"))
            moved->in += count / sizeof(cl_int);
        if (!strcmp(what, "read"))
            moved->out += count / sizeof(cl_int);
        if (strcmp(what, "kernel") != 0)
            continue;
        ck_assert_uint_le(first + count, N);
        memset(&writes[device][first], 1, count);
        const size_t lo = first ? first - 1 : 0, hi = first + count < N ? first + count + 1 : N;
        memset(&needs[device][lo], 1, hi - lo);
    }
    fclose(file);
    return line;
}

/* One step: launches, waits, and compares what moved with what had to. */
static void step(cl_kernel kernel, cl_mem in, cl_mem out, unsigned *line, struct moved *moved)
{
    const size_t items = N, local = LOCAL;
    const size_t before = moved->in;
    cl_set_mem(kernel, 0, in);
    cl_set_mem(kernel, 1, out);
    cl_set_int(kernel, 2, N);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    cl_ok(clFinish(cl.queue));
    *line = look(*line, moved);
    size_t lacked = 0;
    for (unsigned d = 0; d < DEVICES; d++)
        for (size_t i = 0; i < N; i++)
            lacked += needs[d][i] && !holds[d][i];
    moved->expected += lacked;
    ck_assert_uint_eq(moved->in - before, lacked);
    memcpy(holds, writes, sizeof(holds));
}

static void smooth(const cl_int *in, cl_int *out)
{
    for (size_t i = 0; i < N; i++)
        out[i] = (cl_int)((cl_uint)in[i ? i - 1 : 0] + 2u * (cl_uint)in[i] +
                          (cl_uint)in[i + 1 < N ? i + 1 : N - 1]);
}

/* The first step brings all in from the host; of the later ones that many may be uneven, with speeds unknown.
 */
static void iterate(const char *algo, const char *devices, const char *speed, unsigned uneven)
{
    cl_program program;
    struct moved moved = {0}, late = {0};
    unsigned line;
    stubs(algo, devices, speed);
    cl_kernel kernel = open_smooth(&program);
    cl_mem mem[2] = {cl_buffer(CL_MEM_READ_WRITE, sizeof(plate), NULL),
                     cl_buffer(CL_MEM_READ_WRITE, sizeof(plate), NULL)};
    cl_seed(3);
    for (size_t i = 0; i < N; i++)
        model[0][i] = plate[i] = (cl_int)cl_roll(1000);
    cl_write(mem[0], plate, sizeof(plate));
    memset(holds, 0, sizeof(holds));
    line = look(0, &moved);
    moved = (struct moved){0};
    for (unsigned s = 0; s < STEPS; s++) {
        step(kernel, mem[s % 2], mem[(s + 1) % 2], &line, s <= uneven ? &moved : &late);
        smooth(model[s % 2], model[(s + 1) % 2]);
    }
    cl_read(mem[STEPS % 2], result, sizeof(result));
    ck_assert_mem_eq(result, model[STEPS % 2], sizeof(result));
    /* what stays where it is: most of it */
    const size_t all = (STEPS - 1 - uneven) * (size_t)N;
    ck_assert_msg(late.in < all / 8 && late.out < all / 8, "%zu in, %zu out, of %zu", late.in, late.out, all);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    for (unsigned i = 0; i < 2; i++)
        cl_ok(clReleaseMemObject(mem[i]));
    cl_close();
    remove(timeline);
}

static const struct {
    const char *algo, *devices, *speed;
    unsigned uneven;
} cases[] = {
    {"sigmoid", "2", "0.05", 1}, {"sigmoid", "2", "0.06,0.02", 3},      {"sigmoid", "4", "0.02", 1},
    {"dynamic", "2", "0.05", 1}, {"hguided", "4", "0.02,0.02,0.04", 3}, {"auto", "2", "0.05", 3},
    {"auto", "4", "0.02", 3},
};

START_TEST(halos_move)
{
    iterate(cases[_i].algo, cases[_i].devices, cases[_i].speed, cases[_i].uneven);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("owners");
    TCase *tc = tcase_create("stencil");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, halos_move, 0, sizeof(cases) / sizeof(*cases));
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
