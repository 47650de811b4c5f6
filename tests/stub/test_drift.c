/* SPDX-License-Identifier: MIT */
/*
 * A device gets slower in the middle of a program, on two equal stub CPUs that work in place, so that none
 * can do again what the other holds. Each case has a process of its own.
 */
#include "cl_fixture.h"
#include "cl_folder.h"
#include "cl_timeline.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { N = 1 << 15, LOCAL = 16 };

static cl_int numbers[N];

/* The second device's part of the launch that is under way; tells it, and how long both took. */
static double part_there(void)
{
    static struct cl_span spans[1 << 15];
    static unsigned before;
    size_t there = 0;
    unsigned long first = ~0ul, last = 0;
    cl_ok(clFinish(cl.queue));
    const unsigned n = cl_spans_read(cl_folder_path("timeline"), spans, sizeof(spans) / sizeof(*spans));
    ck_assert_uint_lt(n, sizeof(spans) / sizeof(*spans));
    for (unsigned i = before; i < n; i++) {
        if (!cl_span_is(&spans[i], "kernel"))
            continue;
        there += spans[i].device == 1 ? spans[i].count : 0;
        first = spans[i].start < first ? spans[i].start : first;
        last = spans[i].end > last ? spans[i].end : last;
    }
    before = n;
    fprintf(stderr, " %.2f in %.0f ms", (double)there / N, last > first ? (double)(last - first) / 1e6 : 0);
    return (double)there / N;
}

static void begin(cl_kernel kernel)
{
    const size_t items = N, local = LOCAL;
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    cl_ok(clFlush(cl.queue));
}

/* Launches until the second device's part is between these, so many at most; gives how many. */
static int launch_until(cl_kernel kernel, double least, double most, int launches)
{
    double part = -1;
    int i = 0;
    while (i < launches && (part < least || part > most)) {
        begin(kernel);
        part = part_there();
        i++;
    }
    return part < least || part > most ? launches + 1 : i;
}

/* The second device takes four times as long from now on. */
static void set_load(void)
{
    FILE *file = fopen(cl_folder_path("made"), "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_gt(fputs("1,4", file), 0);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(rename(cl_folder_path("made"), cl_folder_path("load")), 0);
}

static cl_kernel open_kernel(cl_program *program)
{
    cl_open();
    *program = cl_build_file(STUB_KERNELS);
    return cl_kernel_in(*program, "stub_inc");
}

/* Opens a kernel, settled on equal parts. */
static cl_kernel settle(const char *policy, cl_program *program, cl_mem *mem)
{
    cl_folder_make("drift");
    fprintf(stderr, "\n%s:", policy);
    setenv("COEXEC_ALGO", policy, 1);
    setenv("STUB_TIMELINE", cl_folder_path("timeline"), 1);
    setenv("STUB_LOAD", cl_folder_path("load"), 1);
    cl_kernel kernel = open_kernel(program);
    *mem = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(numbers), numbers);
    cl_set_mem(kernel, 0, *mem);
    for (int i = 0; i < 6; i++)
        (void)launch_until(kernel, 0.45, 0.55, 10);
    return kernel;
}

static void end(cl_program program, cl_kernel kernel, cl_mem mem)
{
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_close();
    cl_folder_remove();
}

/* The load comes before a launch (when: 0) or in the middle of one. Settled as they are the devices would
 * share it by halves; a fifth is right, or a third. */
static bool notices(int when)
{
    cl_program program;
    cl_mem mem;
    cl_kernel kernel = settle("auto", &program, &mem);
    const struct timespec nap = {.tv_nsec = 12000000};
    fprintf(stderr, "\nauto, load %s:", when ? "12 ms after a launch's begin" : "before a launch");
    if (when == 0)
        set_load();
    begin(kernel);
    if (when > 0) {
        nanosleep(&nap, NULL);
        set_load();
    }
    const double part = part_there();
    end(program, kernel, mem);
    return part < (when ? 0.42 : 0.35);
}

START_TEST(auto_notices_within_the_launch)
{
    ck_assert(cl_in_some_try(notices, _i));
}
END_TEST

/* And how many launches they may take to have the new shares. */
static const struct {
    const char *name;
    int launches;
} policies[] = {{"static", 6}, {"auto", 6}, {"sigmoid", 6}, {"hguided", 6}, {"adaptive", 6}, {"marrow", 14}};

/* A few launches later it gets what it can do, and when the load is gone a half again. */
static bool follows(int policy)
{
    cl_program program;
    cl_mem mem;
    const int most = policies[policy].launches;
    cl_kernel kernel = settle(policies[policy].name, &program, &mem);
    fprintf(stderr, "\n%s, load:", policies[policy].name);
    set_load();
    const int there = launch_until(kernel, 0.1, 0.3, most);
    for (int i = 0; i < 4; i++)
        (void)launch_until(kernel, 0.1, 0.3, 1);
    ck_assert_int_eq(unlink(cl_folder_path("load")), 0);
    fprintf(stderr, "\n%s, gone:", policies[policy].name);
    const int back = launch_until(kernel, 0.4, 0.6, most);
    end(program, kernel, mem);
    return there <= most && back <= most;
}

START_TEST(all_follow)
{
    ck_assert_msg(cl_in_some_try(follows, _i), "%s", policies[_i].name);
}
END_TEST

/* ---- steps ---- */

/* As nbody's: each step reads all that the one before wrote, and writes each body once. Here a body moves to
 * the place before its own. */
struct steps {
    cl_kernel kernel;
    cl_mem body[2], next;
    unsigned done;
};

static void begin_step(struct steps *steps)
{
    cl_set_mem(steps->kernel, 0, steps->body[steps->done % 2]);
    cl_set_mem(steps->kernel, 1, steps->next);
    cl_set_mem(steps->kernel, 2, steps->body[++steps->done % 2]);
    begin(steps->kernel);
}

static void open_steps(const char *policy, cl_program *program, struct steps *steps)
{
    static cl_int places[N];
    cl_folder_make("drift");
    setenv("COEXEC_ALGO", policy, 1);
    setenv("STUB_TIMELINE", cl_folder_path("timeline"), 1);
    setenv("STUB_LOAD", cl_folder_path("load"), 1);
    cl_open();
    *program = cl_build_file(STUB_KERNELS);
    steps->kernel = cl_kernel_in(*program, "stub_gather");
    for (int i = 0; i < N; i++) {
        numbers[i] = 7 * i;
        places[i] = (i + 1) % N;
    }
    steps->body[0] = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(numbers), numbers);
    steps->body[1] = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(numbers), numbers);
    steps->next = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(places), places);
}

/* Whether each body went each step exactly once; releases all. */
static bool close_steps(cl_program program, struct steps *steps)
{
    bool right = true;
    cl_read(steps->body[steps->done % 2], numbers, sizeof(numbers));
    for (unsigned i = 0; i < N; i++)
        right &= numbers[i] == 7 * (cl_int)((i + steps->done) % N);
    cl_ok(clReleaseMemObject(steps->body[0]));
    cl_ok(clReleaseMemObject(steps->body[1]));
    end(program, steps->kernel, steps->next);
    return right;
}

/* Steps with equal parts first; then one with a load that comes in its middle, and those behind it. When the
 * loaded device's part is what it should be: marrow keeps the shares for three unbalanced steps and has
 * others after one to four more, static after two steps, auto in the next. */
static const struct {
    const char *name;
    int kept, most; /* steps with the old shares at least, and until the new ones */
} stepping[] = {{"marrow", 3, 9}, {"static", 1, 5}, {"auto", 0, 2}};
enum { SETTLING = 12, BEHIND = 10 };

static bool steps_are_followed(int policy)
{
    cl_program program;
    struct steps steps = {0};
    double part[BEHIND + 1], before = 0;
    const struct timespec nap = {.tv_nsec = 12000000};
    fprintf(stderr, "\n%s, steps:", stepping[policy].name);
    open_steps(stepping[policy].name, &program, &steps);
    for (int i = 0; i < SETTLING; i++) {
        begin_step(&steps);
        before = part_there();
    }
    fprintf(stderr, "\n%s, load 12 ms after a step's begin:", stepping[policy].name);
    for (int i = 0; i <= BEHIND; i++) {
        begin_step(&steps);
        if (i == 0) {
            nanosleep(&nap, NULL);
            set_load();
        }
        part[i] = part_there();
    }
    ck_assert(close_steps(program, &steps));
    int kept = 0, there = 0;
    while (kept <= BEHIND && part[kept] > before - 0.01)
        kept++;
    while (there <= BEHIND && part[there] > 0.3)
        there++;
    fprintf(stderr, " kept %d, there %d", kept, there);
    return kept >= stepping[policy].kept && there <= stepping[policy].most;
}

START_TEST(load_in_the_middle_of_steps)
{
    ck_assert_msg(cl_in_some_try(steps_are_followed, _i), "%s", stepping[_i].name);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("drift");
    TCase *tcase = tcase_create("drift");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, auto_notices_within_the_launch, 0, 2);
    tcase_add_loop_test(tcase, all_follow, 0, sizeof(policies) / sizeof(*policies));
    tcase_add_loop_test(tcase, load_in_the_middle_of_steps, 0, sizeof(stepping) / sizeof(*stepping));
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
