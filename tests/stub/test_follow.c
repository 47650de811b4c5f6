/* SPDX-License-Identifier: MIT */
/*
 * A short kernel follows its data where that takes less than moving them: on two stub GPUs that are not
 * alike, of which the one with more compute units is the slower one, or on two that say they are.
 */
#include "cl_fixture.h"
#include "cl_folder.h"
#include "cl_timeline.h"

#include <stdio.h>

enum { N = 1 << 18, SHORT = N / 2, STEPS = 120, LAST = 20, MOST_SPANS = 1 << 14 };

static void launch(cl_kernel kernel, size_t items, size_t local)
{
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
}

/* Steps of a long kernel, of many work-groups, and of a short one, of a single one, which reads what that one
 * writes. */
static void run_steps(cl_kernel inc, cl_kernel copy)
{
    for (int i = 0; i < STEPS; i++) {
        launch(inc, N, 1);
        launch(copy, SHORT, SHORT);
        cl_ok(clFinish(cl.queue));
    }
}

struct found {
    unsigned launches, on_second; /* of the short one, in the last steps */
    unsigned long moved;          /* bytes in these */
};

static struct found look(void)
{
    static struct cl_span spans[MOST_SPANS];
    struct found found = {0};
    const unsigned n = cl_spans_read(cl_folder_path("timeline"), spans, MOST_SPANS);
    ck_assert_uint_lt(n, MOST_SPANS);
    for (unsigned i = n; i-- > 0 && found.launches < LAST;) {
        const bool kernel = cl_span_is(&spans[i], "kernel");
        if (kernel && spans[i].count == SHORT) {
            found.launches++;
            found.on_second += spans[i].device == 1;
        }
        found.moved += kernel ? 0 : spans[i].count;
    }
    return found;
}

static bool stays_with_data(int unused)
{
    static cl_int numbers[N];
    (void)unused;
    cl_folder_make("follow");
    setenv("STUB_TIMELINE", cl_folder_path("timeline"), 1);
    cl_open();
    cl_program program = cl_build_file(STUB_KERNELS);
    cl_kernel inc = cl_kernel_in(program, "stub_inc"), copy = cl_kernel_in(program, "stub_copy");
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(numbers), numbers),
           other = cl_buffer(0, sizeof(numbers), NULL);
    cl_set_mem(inc, 0, mem);
    cl_set_mem(copy, 0, mem);
    cl_set_mem(copy, 1, other);
    run_steps(inc, copy);
    const struct found found = look();
    for (int b = 0; b < 2; b++) {
        const int n = b ? SHORT : N;
        cl_read(b ? other : mem, numbers, (size_t)n * sizeof(*numbers));
        for (int i = 0; i < n; i++)
            ck_assert_int_eq(numbers[i], STEPS);
    }
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseMemObject(other));
    cl_ok(clReleaseKernel(inc));
    cl_ok(clReleaseKernel(copy));
    cl_ok(clReleaseProgram(program));
    cl_close();
    cl_folder_remove();
    printf("# %u of %u on the second device, %lu bytes moved\n", found.on_second, found.launches,
           found.moved);
    return found.launches == LAST && found.on_second >= LAST * 3 / 4;
}

START_TEST(short_ones_stay_with_their_data)
{
    ck_assert(cl_in_some_try(stays_with_data, 0));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("follow");
    TCase *tests = tcase_create("follow");
    tcase_set_timeout(tests, 200);
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, short_ones_stay_with_their_data);
    return tap_run(suite);
}
