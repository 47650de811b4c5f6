/* SPDX-License-Identifier: MIT */
/*
 * How a program begins, on two equal stub GPUs: with the first alone. Short launches never open the second;
 * long ones do, and share with it; one long launch begins as slices and shares what is left. Each case has a
 * process of its own, and another before it, which leaves the analysis in the cache.
 */
#include "cl_fixture.h"
#include "cl_folder.h"
#include "cl_timeline.h"
#include "file.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1 << 16, LOCAL = 16 };

static cl_int in[N], out[N];
static struct {
    cl_program program;
    cl_kernel kernel;
    cl_mem mem[2]; /* from, to */
} p;
static const char *kernel_name = "stub_settle";
static cl_int iterations = 1 << 20; /* by the text */

static void launch_in_groups(cl_kernel kernel, cl_mem from, cl_mem to, size_t items, size_t local)
{
    cl_set_mem(kernel, 0, from);
    cl_set_mem(kernel, 1, to);
    cl_set_int(kernel, 2, iterations);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
}

static void launch_over(cl_kernel kernel, cl_mem from, cl_mem to, size_t items)
{
    launch_in_groups(kernel, from, to, items, LOCAL);
}

static void launch(size_t items)
{
    launch_over(p.kernel, p.mem[0], p.mem[1], items);
}

/* So many times, and waits for each. */
static void launch_each(unsigned times, size_t items)
{
    for (unsigned i = 0; i < times; i++) {
        launch(items);
        cl_ok(clFinish(cl.queue));
    }
}

/* A process of its own does it and ends. */
static void in_a_process(void (*act)(void))
{
    int status = 1;
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        act();
        exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

/*
 * A stub device's launches last as long as they are told to; opening the second one, builds and analyses take
 * what the machine has left for them. So what has to happen within a launch is asked of longer launches where
 * it did not happen in shorter ones, each in a process of its own, which begins anew.
 */
static unsigned times_longer = 1;

static void ask_of_longer_ones(bool (*act)(void))
{
    for (int status = 1; WEXITSTATUS(status) != 0; times_longer *= 4) {
        ck_assert_msg(times_longer <= 64, "nor in launches 64 times as long");
        const pid_t child = fork();
        ck_assert_int_ge(child, 0);
        if (child == 0)
            exit(act() ? 0 : 2);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2));
    }
}

/* What it launches is of no form that others are of. */
static void wait_for_analysis(void)
{
    set_variable("analysis_wait", "60000");
    cl_open();
    cl_kernel kernel = cl_kernel_of_file(STUB_KERNELS, "stub_settle");
    cl_mem mem = cl_buffer(0, sizeof(in), NULL), other = cl_buffer(0, sizeof(out), NULL);
    launch_in_groups(kernel, mem, other, 1024, 2 * LOCAL);
    clFinish(cl.queue);
    _exit(0);
}

/* Makes the folder of a case, with the analysis in the cache. */
static void keep_analysis(void)
{
    cl_folder_make("begin");
    setenv("COEXEC_CACHE_DIR", cl_folder_path("cache"), 1);
    in_a_process(wait_for_analysis);
}

static void open_kernel(const char *speed)
{
    char slower[32];
    snprintf(slower, sizeof(slower), "%g", atof(speed) / times_longer);
    setenv("STUB_SPEED", slower, 1);
    setenv("STUB_TIMELINE", cl_folder_path("timeline"), 1);
    setenv("STUB_LOG", cl_folder_path("log"), 1);
    for (int i = 0; i < N; i++)
        in[i] = i * 7;
    cl_open();
    p.program = cl_build_file(STUB_KERNELS);
    p.kernel = cl_kernel_in(p.program, kernel_name);
    p.mem[0] = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(in), in);
    p.mem[1] = cl_buffer(0, sizeof(out), NULL);
}

/* Opens all that a case needs; speed: work-groups a microsecond. */
static void begin(const char *speed)
{
    keep_analysis();
    open_kernel(speed);
}

static void end(size_t items)
{
    cl_ok(clEnqueueReadBuffer(cl.queue, p.mem[1], CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    for (size_t i = 0; i < items; i++)
        ck_assert_msg(out[i] == in[i] + 1, "%zu: %d", i, out[i]);
    cl_ok(clReleaseMemObject(p.mem[0]));
    cl_ok(clReleaseMemObject(p.mem[1]));
    cl_ok(clReleaseKernel(p.kernel));
    cl_ok(clReleaseProgram(p.program));
    cl_close();
}

/* A process of its own does it and ends; gives what its summary says. */
static const char *summary_of(void (*act)(void))
{
    static char text[1 << 14];
    keep_analysis();
    setenv("COEXEC_SUMMARY", "1", 1);
    setenv("COEXEC_SUMMARY_FILE", cl_folder_path("summary"), 1);
    in_a_process(act);
    FILE *file = fopen(cl_folder_path("summary"), "r");
    ck_assert_ptr_nonnull(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    cl_folder_remove();
    return text;
}

/* The number behind these words, or -1. */
static double number_behind(const char *text, const char *words)
{
    const char *at = strstr(text, words);
    return at ? strtod(at + strlen(words), NULL) : -1;
}

static bool is_open(unsigned device)
{
    char line[32];
    snprintf(line, sizeof(line), "first=d%u", device);
    return cl_lines_with(cl_folder_path("log"), line) > 0;
}

/* Work-items that the device did, and in how many kernels. */
static size_t did(unsigned device, unsigned *kernels)
{
    static struct cl_span spans[8192];
    const unsigned n = cl_spans_read(cl_folder_path("timeline"), spans, sizeof(spans) / sizeof(*spans));
    size_t items = 0;
    *kernels = 0;
    for (unsigned i = 0; i < n; i++)
        if (spans[i].device == device && cl_span_is(&spans[i], "kernel")) {
            items += spans[i].count;
            ++*kernels;
        }
    return items;
}

/* Launches, one after another, until the second device takes part. */
static void launch_until_shared(size_t items)
{
    unsigned kernels;
    for (unsigned i = 0; i < 2000 && did(1, &kernels) == 0; i++)
        launch_each(1, items);
    ck_assert_msg(is_open(1), "the second device was not opened");
    ck_assert_uint_gt(did(1, &kernels), 0);
}

START_TEST(short_ones_stay_alone)
{
    unsigned kernels;
    begin("10");
    launch_each(50, 4096); /* 25 us each */
    end(4096);
    ck_assert(is_open(0));
    ck_assert_msg(!is_open(1), "the second device was opened");
    ck_assert_uint_eq(did(1, &kernels), 0);
    cl_folder_remove();
}
END_TEST

START_TEST(long_ones_share)
{
    begin("0.2"); /* 20 ms each */
    launch_until_shared(N);
    end(N);
    cl_folder_remove();
}
END_TEST

/* The binary of a text that includes a file. */
static unsigned char *binary_with_file(size_t *size)
{
    char options[256], *own = file_read(STUB_KERNELS, NULL), *text = NULL;
    FILE *header = fopen(cl_folder_path("number.h"), "w");
    ck_assert_ptr_nonnull(own);
    ck_assert_ptr_nonnull(header);
    fprintf(header, "#define NUMBER 5\n");
    fclose(header);
    ck_assert_int_ge(asprintf(&text, "#include \"number.h\"\n%s", own), 0);
    snprintf(options, sizeof(options), "-I%s", cl_folder_path("."));
    cl_program program = cl_build(text, options);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(*size), size, NULL));
    unsigned char *binary = malloc(*size);
    ck_assert_ptr_nonnull(binary);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
    cl_ok(clReleaseProgram(program));
    unlink(cl_folder_path("number.h"));
    free(text);
    free(own);
    return binary;
}

/* One device built it; the file that its text includes is gone. Another builds it when long launches share.
 */
START_TEST(binary_is_built_elsewhere)
{
    size_t size;
    cl_int error;
    begin("0.2"); /* 20 ms each */
    cl_ok(clReleaseKernel(p.kernel));
    cl_ok(clReleaseProgram(p.program));
    unsigned char *binary = binary_with_file(&size);
    p.program = clCreateProgramWithBinary(cl.context, 1, &cl.device, &size, (const unsigned char **)&binary,
                                          NULL, &error);
    cl_ok(error);
    free(binary);
    cl_ok(clBuildProgram(p.program, 1, &cl.device, "", NULL, NULL));
    p.kernel = cl_kernel_in(p.program, kernel_name);
    launch_until_shared(N);
    end(N);
    cl_folder_remove();
}
END_TEST

/* Whether the second device did so many work-items at least; the folder goes. */
static bool second_did(size_t least)
{
    unsigned kernels;
    const size_t items = did(1, &kernels);
    cl_folder_remove();
    return items >= least;
}

static bool one_begins_with_slices_once(void)
{
    unsigned first, second;
    begin("0.004"); /* a second */
    launch_each(1, N);
    end(N);
    const size_t there = did(1, &second), here = did(0, &first);
    ck_assert_uint_gt(first, 1);
    ck_assert_uint_ge(here + there, N); /* some may be done twice */
    cl_folder_remove();
    return there > N / 8;
}

START_TEST(one_begins_with_slices)
{
    ask_of_longer_ones(one_begins_with_slices_once);
}
END_TEST

/* Work-items read what they write, and nobody else does: no work-item may run twice. */
static bool in_place_begins_with_slices_once(void)
{
    static const cl_int zeros[N];
    unsigned first, second;
    kernel_name = "stub_settle_own";
    begin("0.004"); /* a second */
    cl_ok(clEnqueueWriteBuffer(cl.queue, p.mem[1], CL_TRUE, 0, sizeof(zeros), zeros, 0, NULL, NULL));
    launch_each(1, N);
    end(N);
    const size_t there = did(1, &second), here = did(0, &first);
    ck_assert_uint_gt(first, 1);
    ck_assert_uint_eq(here + there, N);
    cl_folder_remove();
    return there > N / 8;
}

START_TEST(in_place_begins_with_slices)
{
    ask_of_longer_ones(in_place_begins_with_slices_once);
}
END_TEST

/* Drivers' times are then not taken in the first moments. */
static void use_plain_queue(void)
{
    cl_ok(clReleaseCommandQueue(cl.queue));
    cl.queue = cl_queue(0);
}

/* All are enqueued before the first has told how long they take: the others wait for that, and then for the
 * second device while the first has work. */
static bool those_behind_know_once(void)
{
    enum { FEW = 256 * LOCAL }; /* too few work-groups to begin with slices */
    begin("0.0012");
    use_plain_queue();
    for (unsigned i = 0; i < 10; i++) /* 213 ms each */
        launch(FEW);
    cl_ok(clFinish(cl.queue));
    end(FEW);
    return second_did(1);
}

START_TEST(those_behind_know)
{
    ask_of_longer_ones(those_behind_know_once);
}
END_TEST

/* The program waits for each, which tells how long they take where their driver's times are not taken. */
static bool waits_tell_lengths_once(void)
{
    enum { FEW = 256 * LOCAL };
    begin("0.0005");
    use_plain_queue();
    launch_each(3, FEW); /* half a second each: one tells, one runs while others come */
    end(FEW);
    return second_did(1);
}

START_TEST(waits_tell_lengths)
{
    ask_of_longer_ones(waits_tell_lengths_once);
}
END_TEST

/* By its text a launch takes no time: the first one tells that it does, the second begins with slices. */
static bool text_is_not_all_once(void)
{
    kernel_name = "stub_copy_plus";
    begin("0.01");
    use_plain_queue();
    launch_each(2, N); /* 410 ms each */
    end(N);
    return second_did(N / 8);
}

START_TEST(text_is_not_all)
{
    ask_of_longer_ones(text_is_not_all_once);
}
END_TEST

/* The first part of the range tells of a short launch: slices must not be so long that most of the range is
 * done before it is known. */
static bool dear_part_comes_late_once(void)
{
    kernel_name = "stub_surge";
    begin("0.33"); /* a second, the first fifth in 2 ms */
    launch_each(1, N);
    end(N);
    return second_did(N / 4);
}

START_TEST(dear_part_comes_late)
{
    ask_of_longer_ones(dear_part_comes_late_once);
}
END_TEST

/* CPU devices that leave a core to the compiler: a build that takes a third of a launch is worth it. */
static bool builds_on_a_spare_core_once(void)
{
    setenv("STUB_TYPE", "cpu", 1);
    setenv("STUB_IN_PLACE", "1", 1);
    setenv("STUB_HANG", "clBuildProgram:1:150,clBuildProgram:2:150", 1);
    begin("0.008"); /* half a second */
    launch_each(1, N);
    end(N);
    return second_did(sysconf(_SC_NPROCESSORS_ONLN) > 1 ? N / 8 : 0);
}

START_TEST(builds_on_a_spare_core)
{
    ask_of_longer_ones(builds_on_a_spare_core_once);
}
END_TEST

/* CPUs' drivers compile slices anew. By its text the launch lasts a tenth of a second. */
static void use_cpus(void)
{
    kernel_name = "stub_steps";
    iterations = 1000;
    setenv("STUB_TYPE", "cpu", 1);
    setenv("STUB_IN_PLACE", "1", 1);
    setenv("STUB_COMPILE", "100", 1);
}

/* Kernels that the first device ran of a launch of 16 ms. */
static unsigned kernels_of_one(void)
{
    unsigned kernels;
    open_kernel("0.25");
    launch_each(1, N);
    end(N);
    did(0, &kernels);
    ck_assert_int_eq(unlink(cl_folder_path("timeline")), 0);
    return kernels;
}

/* No process compiled them before. */
START_TEST(slices_may_have_to_be_compiled)
{
    use_cpus();
    keep_analysis();
    ck_assert_uint_eq(kernels_of_one(), 1);
    cl_folder_remove();
}
END_TEST

static void split_one(void)
{
    setenv("COEXEC_SPLIT", "always", 1);
    set_variable("analysis_wait", "60000");
    (void)kernels_of_one();
}

/* A process that split the kernel did. */
START_TEST(compiled_slices_are_known)
{
    use_cpus();
    keep_analysis();
    in_a_process(split_one);
    ck_assert_uint_gt(kernels_of_one(), 1);
    cl_folder_remove();
}
END_TEST

/* A launch of known length begins with slices while the other device builds. */
static bool known_ones_wait_in_slices_once(void)
{
    setenv("STUB_HANG", "clBuildProgram:2:800", 1);
    begin("0.008");
    launch_each(2, N); /* half a second each */
    end(N);
    return second_did(1);
}

START_TEST(known_ones_wait_in_slices)
{
    ask_of_longer_ones(known_ones_wait_in_slices_once);
}
END_TEST

/* Launches over 16 MB that the program writes before each, until the second device has done so many
 * work-items; it reads the results, or waits. */
static void feed(size_t least, bool reads)
{
    enum { MANY = 1 << 22 };
    const size_t bytes = MANY * sizeof(cl_int);
    cl_int *numbers = calloc(MANY, sizeof(*numbers));
    unsigned kernels;
    ck_assert_ptr_nonnull(numbers);
    cl_mem from = cl_buffer(0, bytes, NULL), to = cl_buffer(0, bytes, NULL);
    for (unsigned i = 0; i < 1000 && did(1, &kernels) < least; i++) {
        cl_ok(clEnqueueWriteBuffer(cl.queue, from, CL_TRUE, 0, bytes, numbers, 0, NULL, NULL));
        launch_over(p.kernel, from, to, MANY);
        if (reads)
            cl_ok(clEnqueueReadBuffer(cl.queue, to, CL_TRUE, 0, bytes, numbers, 0, NULL, NULL));
        else
            cl_ok(clFinish(cl.queue));
    }
    ck_assert_uint_ge(did(1, &kernels), least);
    free(numbers);
    cl_ok(clReleaseMemObject(from));
    cl_ok(clReleaseMemObject(to));
    launch(N);
    end(N);
    cl_folder_remove();
}

/* What the program uploads to the first device tells how fast its inputs would come to the second. */
START_TEST(uploads_tell_of_the_link)
{
    setenv("STUB_LINK", "4000", 1); /* half has to go there: 2 ms, for which it is taken 400 */
    set_variable("link", "0.02");
    begin("4"); /* 65 ms each */
    feed(1, false);
}
END_TEST

/* Inputs that come from the host each time are halved as well as the work, which alone would not pay for
 * them. */
START_TEST(halves_of_inputs_move)
{
    setenv("STUB_LINK", "1000", 1); /* 16 ms to one device, 8 of them to each of two */
    begin("40");                    /* 6.5 ms each */
    feed(1 << 23, true);            /* half of four launches */
}
END_TEST

/* A device whose driver may compile first joins in late at worst: while it does, the other goes on. */
static bool joins_in_late_at_worst_once(void)
{
    enum { FEW = 12 * LOCAL }; /* too few work-groups to begin with slices */
    setenv("STUB_TYPE", "cpu", 1);
    setenv("STUB_IN_PLACE", "1", 1);
    setenv("STUB_HANG", "clBuildProgram:1:60,clBuildProgram:2:60", 1);
    begin("0.00012");
    launch_each(15, FEW); /* 100 ms each: 30 ms in the account, of which it may take 20 */
    end(FEW);
    return second_did(sysconf(_SC_NPROCESSORS_ONLN) > 1);
}

START_TEST(joins_in_late_at_worst)
{
    ask_of_longer_ones(joins_in_late_at_worst_once);
}
END_TEST

/* The second device gives no context: the first one goes on alone. */
START_TEST(opening_may_fail)
{
    unsigned kernels;
    setenv("STUB_FAIL", "clCreateContext:2:-6", 1);
    begin("0.2");
    launch_each(40, N);
    end(N);
    ck_assert_uint_eq(did(1, &kernels), 0);
    cl_folder_remove();
}
END_TEST

/* What is enqueued behind a launch that runs in slices sees all of its results, and its times span it. */
START_TEST(slices_are_one_launch)
{
    cl_mem last;
    cl_event event;
    const size_t local = LOCAL, items = N;
    begin("0.004");
    last = cl_buffer(0, sizeof(out), NULL);
    cl_set_mem(p.kernel, 0, p.mem[0]);
    cl_set_mem(p.kernel, 1, p.mem[1]);
    cl_set_int(p.kernel, 2, 1 << 20);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, p.kernel, 1, NULL, &items, &local, 0, NULL, &event));
    launch_over(p.kernel, p.mem[1], last, N);
    cl_ok(clReleaseKernel(p.kernel));
    cl_ok(clEnqueueReadBuffer(cl.queue, last, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        ck_assert_msg(out[i] == in[i] + 2, "%d: %d", i, out[i]);
    ck_assert_uint_gt(cl_time_of(event, CL_PROFILING_COMMAND_END),
                      cl_time_of(event, CL_PROFILING_COMMAND_START));
    cl_ok(clReleaseEvent(event));
    cl_ok(clReleaseMemObject(last));
    cl_ok(clReleaseMemObject(p.mem[0]));
    cl_ok(clReleaseMemObject(p.mem[1]));
    cl_ok(clReleaseProgram(p.program));
    cl_close();
    cl_folder_remove();
}
END_TEST

/* Nothing may be risked: what is known to gain is split all the same. */
START_TEST(no_account)
{
    setenv("COEXEC_BUDGET", "0", 1);
    begin("0.2");
    for (unsigned i = 0; i < 40; i++)
        launch(N);
    end(N);
    cl_folder_remove();
}
END_TEST

/* A slice whose driver fails must fail the launch, and nothing must wait for it for ever. */
START_TEST(slices_may_fail)
{
    setenv("STUB_DIES", "0:2:-9999", 1);
    begin("0.004");
    launch(N);
    (void)clFinish(cl.queue);
    cl_ok(clReleaseMemObject(p.mem[0]));
    cl_ok(clReleaseMemObject(p.mem[1]));
    cl_ok(clReleaseKernel(p.kernel));
    cl_ok(clReleaseProgram(p.program));
    (void)clReleaseCommandQueue(cl.queue);
    (void)clReleaseContext(cl.context);
    cl_folder_remove();
}
END_TEST

static void run_long_ones(void)
{
    open_kernel("0.2");
    launch_until_shared(N);
    launch_each(40, N);
    end(N);
}

/* The summary tells what the first device earned, what splits took of it and gained, and what was opened. */
START_TEST(summary_shows_the_account)
{
    const char *text = summary_of(run_long_ones);
    const double busy = number_behind(text, "account of device 0: busy "),
                 may = number_behind(text, "splits may lose "), lost = number_behind(text, "of that, lost "),
                 left = number_behind(text, "), left "), gained = number_behind(text, "; gained ");
    ck_assert_msg(busy >= 100 && may > 0, "%s", text); /* 60 launches of 20 ms, some shared */
    ck_assert_msg(may <= 0.0201 * busy && may >= 0.0199 * busy, "%s", text);
    ck_assert_msg(lost >= 0 && left >= 0 && gained > 0, "%s", text);
    ck_assert_msg(lost > may || (left <= may - lost + 0.002 && left >= may - lost - 0.002), "%s", text);
    ck_assert_msg(number_behind(text, "opened beside it: device 1 after ") > 0, "%s", text);
}
END_TEST

/* The program builds something while a build for the second device keeps its driver busy. */
static void run_beside_a_build(void)
{
    cl_program second;
    unsigned i = 0;
    setenv("STUB_HANG", "clBuildProgram:2:2000,clBuildProgram:3:200", 1);
    open_kernel("0.2");
    for (; i < 500 && cl_lines_with(cl_folder_path("log"), "clBuildProgram") < 2; i++) {
        launch(N);
        cl_ok(clFinish(cl.queue));
    }
    ck_assert_uint_lt(i, 500);
    second = cl_build_file(STUB_KERNELS);
    cl_ok(clReleaseProgram(second));
    end(N);
}

/* What that may have taken is lost; the build of 0.2 s began within the two seconds that ours takes. */
START_TEST(builds_are_charged)
{
    const char *text = summary_of(run_beside_a_build);
    const double builds = number_behind(text, ", builds ");
    ck_assert_msg(builds >= 100, "%s", text);
    ck_assert_msg(number_behind(text, "of that, lost ") >= builds, "%s", text);
}
END_TEST

static void run_in_two_contexts(void)
{
    for (unsigned c = 0; c < 2; c++) {
        open_kernel("0.2");
        launch_each(8, N);
        end(N);
    }
}

/* Both earn for one account. */
START_TEST(contexts_share_the_account)
{
    const char *text = summary_of(run_in_two_contexts), *first = strstr(text, "account of ");
    ck_assert_msg(first && !strstr(first + 1, "account of "), "%s", text);
    const double busy = number_behind(text, "account of device 0: busy "), /* the kernel's are both's */
        all = number_behind(strstr(text, "device 0  twin"), "busy ");
    ck_assert_msg(all > 0 && busy > 0.7 * all, "%s", text);
}
END_TEST

static void run_short_ones(void)
{
    open_kernel("10");
    launch(4096);
    end(4096);
}

START_TEST(summary_shows_that_nothing_was_opened)
{
    const char *text = summary_of(run_short_ones);
    ck_assert_msg(number_behind(text, "splits may lose ") == 0, "%s", text);
    ck_assert_msg(strstr(text, "opened beside it: nothing\n") != NULL, "%s", text);
}
END_TEST

/* Where nothing is bounded, or there is nobody to share with, there is no account. */
START_TEST(summary_without_an_account)
{
    setenv(_i ? "STUB_DEVICES" : "COEXEC_BUDGET", "1", 1);
    const char *text = summary_of(run_short_ones);
    ck_assert_msg(strstr(text, "kernel stub_settle: 1 launches") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "account") == NULL, "%s", text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("begin");
    TCase *tcase = tcase_create("begin");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, short_ones_stay_alone);
    tcase_add_test(tcase, long_ones_share);
    tcase_add_test(tcase, binary_is_built_elsewhere);
    tcase_add_test(tcase, one_begins_with_slices);
    tcase_add_test(tcase, in_place_begins_with_slices);
    tcase_add_test(tcase, those_behind_know);
    tcase_add_test(tcase, waits_tell_lengths);
    tcase_add_test(tcase, text_is_not_all);
    tcase_add_test(tcase, dear_part_comes_late);
    tcase_add_test(tcase, builds_on_a_spare_core);
    tcase_add_test(tcase, slices_may_have_to_be_compiled);
    tcase_add_test(tcase, compiled_slices_are_known);
    tcase_add_test(tcase, known_ones_wait_in_slices);
    tcase_add_test(tcase, uploads_tell_of_the_link);
    tcase_add_test(tcase, halves_of_inputs_move);
    tcase_add_test(tcase, joins_in_late_at_worst);
    tcase_add_test(tcase, opening_may_fail);
    tcase_add_test(tcase, slices_are_one_launch);
    tcase_add_test(tcase, no_account);
    tcase_add_test(tcase, slices_may_fail);
    tcase_add_test(tcase, summary_shows_the_account);
    tcase_add_test(tcase, builds_are_charged);
    tcase_add_test(tcase, contexts_share_the_account);
    tcase_add_test(tcase, summary_shows_that_nothing_was_opened);
    tcase_add_loop_test(tcase, summary_without_an_account, 0, 2);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
