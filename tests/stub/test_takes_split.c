/* SPDX-License-Identifier: MIT */
/*
 * Launches in work-groups beyond what drivers report are split once the driver has taken such a launch whole,
 * over devices that took one, too, or are of one kind with one that did. A driver may refuse the packages all
 * the same: others do them, or the launch runs whole; the program notices nothing. Stub GPUs that report 256
 * items and take more; each case has a process of its own. COEXEC_SPLIT stands in the environment.
 */
#include "cl_fixture.h"
#include "cl_folder.h"
#include "cl_timeline.h"

#include <stdio.h>

enum { N = 1 << 15, SMALL = 256, LARGE = 512, LAUNCHES = 10, MOST_SPANS = 4096 };

/* The second one looks at the range, which packages must not see: it needs a variant. */
#define FILL                                                                                                 \
    "kernel void stub_fill_gid(global int *a)\n"                                                             \
    "{ if (get_global_size(0) > get_global_id(0)) a[get_global_id(0)] = get_global_id(0); }\n"
static const char *const texts[] = {
    FILL "kernel void stub_inc(global int *a) { a[get_global_id(0)] += 1; }\n",
    FILL "kernel void stub_inc(global int *a)\n"
         "{ if (get_global_size(0) > get_global_id(0)) a[get_global_id(0)] += 1; }\n",
};

/* `first`, `last`: on which devices, as bits, the second and the last such launch must run; ANY: whichever;
 * ONE: on any one of them. */
enum { ANY = 0, ONE = 1, BOTH = 3, ENDS = 5 };
static const struct {
    const char *what, *devices, *names, *takes, *split_lacks, *split_group;
    bool varies; /* it needs a variant */
    unsigned first, last;
} cases[] = {
    {"both take it", "2", "twin", "1024", "0", "256", true, ANY, BOTH},
    {"both take it, no variant", "2", "twin", "1024", "0", "256", false, ANY, BOTH},
    {"the other one refuses the variant", "2", "twin", "1024", "0,512", "256", true, ONE, ONE},
    {"the first one refuses the variant", "2", "twin", "1024", "512,0", "256", true, ANY, ONE},
    {"both refuse the variant", "2", "twin", "1024", "512", "256", true, ONE, ONE},
    {"all of three refuse the variant", "3", "twin", "1024", "512", "256", true, ONE, ONE},
    {"two of three refuse the variant", "3", "twin", "1024", "0,512,0", "256", true, ANY, ENDS},
    {"the other one refuses its packages", "2", "twin", "1024,256", "0", "256", false, ONE, ONE},
    {"the variant reports less", "2", "twin", "1024", "0", "256,128", true, ONE, ONE},
    {"another kind", "2", "one,other", "1024,256", "0", "256", true, ONE, ONE},
    {"one of another kind", "3", "twin,other,twin", "1024,256,1024", "0", "256", true, ENDS, ENDS},
    {"another kind takes it, too", "2", "one,other", "1024", "0", "256", true, ANY, ANY},
};

/* fresh: no device has run the kernel before, so that some are to be measured first (COEXEC_SPLIT=auto). */
static const struct {
    const char *algo, *async, *in_place;
    bool fresh;
} settings[] = {{"static", "1", "0", false},  {"static", "0", "1", true},  {"hguided", "1", "0", false},
                {"dynamic", "0", "0", false}, {"sigmoid", "1", "1", true}, {"auto", "1", "0", false},
                {"auto", "1", "0", true},     {"auto", "1", "1,0", true},  {"auto", "0", "0,1", false}};

enum { NCASES = sizeof(cases) / sizeof(*cases), NSETTINGS = sizeof(settings) / sizeof(*settings) };

static void open_setting(int s)
{
    cl_folder_make("takes");
    setenv("STUB_TIMELINE", cl_folder_path("timeline"), 1);
    setenv("COEXEC_LOG_FILE", cl_folder_path("log"), 1);
    setenv("COEXEC_LOG", "info", 1);
    setenv("STUB_ASYNC", settings[s].async, 1);
    setenv("STUB_IN_PLACE", settings[s].in_place, 1);
    setenv("COEXEC_ALGO", settings[s].algo, 1);
    cl_open();
}

static void open_case(int c, int s)
{
    setenv("STUB_DEVICES", cases[c].devices, 1);
    setenv("STUB_NAMES", cases[c].names, 1);
    setenv("STUB_TAKES", cases[c].takes, 1);
    setenv("STUB_SPLIT_LACKS", cases[c].split_lacks, 1);
    setenv("STUB_SPLIT_GROUP", cases[c].split_group, 1);
    open_setting(s);
}

static void launch(cl_kernel kernel, size_t items, size_t local)
{
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    cl_ok(clFinish(cl.queue));
}

/* The devices, as bits, on which each of the launches, one after the other, did all its items, each once.
 * first: items of a launch before them. */
static void read_devices(unsigned *devices, unsigned nlaunches, unsigned long first)
{
    static struct cl_span spans[MOST_SPANS];
    const unsigned n = cl_spans_read(cl_folder_path("timeline"), spans, MOST_SPANS);
    unsigned long done = 0;
    memset(devices, 0, nlaunches * sizeof(*devices));
    for (unsigned i = 0; i < n; i++) {
        if (!cl_span_is(&spans[i], "kernel"))
            continue;
        if (done >= first) {
            ck_assert_uint_lt((done - first) / N, nlaunches);
            devices[(done - first) / N] |= 1u << spans[i].device;
        }
        done += spans[i].count;
    }
    ck_assert_uint_eq(done, first + (unsigned long)nlaunches * N);
}

/* Whether all that are wanted worked. Others must not have. */
static bool are_those(unsigned devices, unsigned wanted)
{
    if (wanted == ANY)
        return true;
    if (wanted == ONE)
        ck_assert_uint_eq(devices & (devices - 1), 0);
    else
        ck_assert_uint_eq(devices & ~wanted, 0);
    return wanted == ONE || devices == wanted;
}

static bool launch_beyond(int i)
{
    const int c = i / NSETTINGS, s = i % NSETTINGS;
    const cl_int more = LAUNCHES + 1;
    static cl_int a[N];
    unsigned devices[LAUNCHES + 1];
    for (int n = 0; n < N; n++)
        a[n] = 7 * n;
    open_case(c, s);
    cl_program program = cl_build(texts[cases[c].varies], "");
    cl_kernel kernel = cl_kernel_in(program, "stub_inc"), fill = cl_kernel_in(program, "stub_fill_gid");
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(a), a), other = cl_buffer(0, sizeof(a), NULL);
    cl_set_mem(kernel, 0, mem);
    cl_set_mem(fill, 0, other);
    if (settings[s].fresh)
        launch(fill, SMALL, SMALL);
    else
        launch(kernel, N, SMALL);
    for (int n = 0; n < LAUNCHES; n++)
        launch(kernel, N, LARGE);
    launch(kernel, N, SMALL);
    cl_read(mem, a, sizeof(a));
    for (int n = 0; n < N; n++)
        ck_assert_msg(a[n] == 7 * n + more + !settings[s].fresh, "%s: %d is %d", cases[c].what, n, a[n]);
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseMemObject(other));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseKernel(fill));
    cl_ok(clReleaseProgram(program));
    cl_close();
    read_devices(devices, (unsigned)more, settings[s].fresh ? SMALL : N);
    for (int n = 0; n < more; n++)
        printf("# %s, %s: %d on %u\n", cases[c].what, settings[s].algo, n, devices[n]);
    ck_assert(are_those(devices[0], ONE)); /* nobody knew */
    const bool first = are_those(devices[1], cases[c].first),
               last = are_those(devices[LAUNCHES - 1], cases[c].last);
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), "left out"), 0);
    if (strcmp(cases[c].names, "twin") || strcmp(cases[c].split_group, "256")) /* nobody was tried in vain */
        ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), "fails to start"), 0);
    cl_folder_remove();
    return first && last;
}

/* One launch within what is reported, which others share, then those beyond it, then one within. The first
 * one waits for the variant; fresh: it is another kernel's, and one work-group. Where what is measured
 * decides (COEXEC_SPLIT=auto) a busy machine may have one that others would share stay whole. */
START_TEST(beyond)
{
    ck_assert(cl_in_some_try(launch_beyond, _i));
}
END_TEST

/* Within what is reported, too: the launch does not fail where the program alone would run. Both refuse the
 * variant, or but one does; in all launches, or where smaller groups were split before. */
START_TEST(within)
{
    const int both = _i / NSETTINGS % 2, s = _i % NSETTINGS, before = _i / NSETTINGS / 2 * LAUNCHES;
    static cl_int a[N];
    for (int i = 0; i < N; i++)
        a[i] = 7 * i;
    setenv("STUB_SPLIT_LACKS", both ? "256" : "0,256", 1);
    open_setting(s);
    cl_kernel kernel = cl_kernel_of(texts[1], "stub_inc");
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(a), a);
    cl_set_mem(kernel, 0, mem);
    for (int i = 0; i < LAUNCHES + before; i++)
        launch(kernel, N, i < before ? SMALL / 2 : SMALL);
    cl_read(mem, a, sizeof(a));
    for (int i = 0; i < N; i++)
        ck_assert_msg(a[i] == 7 * i + LAUNCHES + before, "%d is %d", i, a[i]);
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
    cl_close();
    cl_folder_remove();
}
END_TEST

/* Nobody waits: launches on two buffers by turns, and in between those within what is reported. */
START_TEST(enqueued_ahead)
{
    const int c = _i / NSETTINGS, s = _i % NSETTINGS;
    static cl_int a[N];
    const size_t items = N, local[] = {SMALL, LARGE, LARGE, LARGE};
    cl_mem mem[2];
    memset(a, 0, sizeof(a));
    open_case(c, s);
    cl_kernel kernel = cl_kernel_of(texts[cases[c].varies], "stub_inc");
    for (int b = 0; b < 2; b++)
        mem[b] = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(a), a);
    for (int i = 0; i < 4 * LAUNCHES; i++) {
        cl_set_mem(kernel, 0, mem[i % 2]);
        cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local[i % 4], 0, NULL, NULL));
    }
    cl_ok(clFinish(cl.queue));
    for (int b = 0; b < 2; b++) {
        cl_read(mem[b], a, sizeof(a));
        for (int i = 0; i < N; i++)
            ck_assert_msg(a[i] == 2 * LAUNCHES, "%s: %d is %d", cases[c].what, i, a[i]);
        cl_ok(clReleaseMemObject(mem[b]));
    }
    cl_ok(clReleaseKernel(kernel));
    cl_close();
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), "left out"), 0);
    cl_folder_remove();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("takes_split");
    TCase *tests = tcase_create("takes_split");
    tcase_set_timeout(tests, 100);
    suite_add_tcase(suite, tests);
    test_add_some(tests, beyond, NCASES * NSETTINGS);
    test_add_some(tests, within, 4 * NSETTINGS);
    test_add_some(tests, enqueued_ahead, NCASES * NSETTINGS);
    return tap_run(suite);
}
