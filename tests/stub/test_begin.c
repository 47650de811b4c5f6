/* SPDX-License-Identifier: MIT */
/*
 * How a program begins, on two equal stub GPUs: with the first alone. Short launches never open the second;
 * long ones do, and share with it; one long launch begins as slices and shares what is left. Each case has a
 * process of its own, and another before it, which leaves the analysis in the cache.
 */
#include "begin_fixture.h"
#include "cl_fixture.h"
#include "cl_folder.h"
#include "file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

START_TEST(short_ones_stay_alone)
{
    unsigned kernels;
    begin_in_folder("10");
    begin_launch_each(50, 4096); /* 25 us each */
    begin_end(4096);
    ck_assert(begin_is_open(0));
    ck_assert_msg(!begin_is_open(1), "the second device was opened");
    ck_assert_uint_eq(begin_did(1, &kernels), 0);
    cl_folder_remove();
}
END_TEST

/* How long builds took stands in files, which a short launch does not ask for: opening one may take as long
 * as it does. */
START_TEST(short_ones_read_no_file)
{
    char events[4096] __attribute__((aligned(8)));
    setenv("STUB_HANG", "clBuildProgram:1:20", 1); /* long enough to be kept */
    begin_in_folder("10");
    const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    ck_assert_int_ge(inotify_add_watch(watch, cl_folder_path("cache"), IN_OPEN), 0);
    begin_launch_each(4, 4096);
    ck_assert_int_le(read(watch, events, sizeof(events)), 0);
    close(watch);
    begin_end(4096);
    cl_folder_remove();
}
END_TEST

START_TEST(long_ones_share)
{
    begin_in_folder("0.2"); /* 20 ms each */
    begin_launch_until_shared(N);
    begin_end(N);
    cl_folder_remove();
}
END_TEST

/* The most milliseconds that the log says splits took for pages of host copies; -1: it says nothing. */
static double most_for_host_copies(void)
{
    return cl_most_with(cl_folder_path("plan"), " to make host copies");
}

/* What a launch made on the first device has no host copy yet, by which the second one's half would come: new
 * pages, 3 GB a second. One that the program filled has its pages. */
START_TEST(host_copies_are_in_the_bound)
{
    const bool filled = _i;
    begin_keep_analysis();
    setenv("COEXEC_LOG", "error,plan:debug", 1);
    setenv("COEXEC_LOG_FILE", cl_folder_path("plan"), 1);
    begin_open("0.2");
    if (filled) {
        cl_ok(clReleaseMemObject(begin.mem[1]));
        begin.mem[1] = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(begin.in), begin.in);
    }
    for (unsigned i = 0; i < 100 && most_for_host_copies() < 0; i++) {
        begin_launch_over(begin.kernel, begin.mem[1], begin.mem[0], N);
        begin_launch_each(1, N);
    }
    const double least = N * sizeof(cl_int) / 2 / 3e9 * 1e3, most = most_for_host_copies();
    if (filled)
        ck_assert_double_eq(most, 0);
    else
        ck_assert_msg(most >= 0.9 * least && most <= 4 * least, "%g ms, %g at least", most, least);
    cl_close();
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

/* One device built it; the file that its text includes is gone. */
static void use_binary_with_file(void)
{
    size_t size;
    cl_int error;
    cl_ok(clReleaseKernel(begin.kernel));
    cl_ok(clReleaseProgram(begin.program));
    unsigned char *binary = binary_with_file(&size);
    begin.program = clCreateProgramWithBinary(cl.context, 1, &cl.device, &size,
                                              (const unsigned char **)&binary, NULL, &error);
    cl_ok(error);
    free(binary);
    cl_ok(clBuildProgram(begin.program, 1, &cl.device, "", NULL, NULL));
    begin.kernel = cl_kernel_in(begin.program, begin.name);
}

/* In a process of its own: leaves the analysis in the cache, since beside other work it may take longer than
 * all launches. */
static void analyse_binary(void)
{
    set_variable("analysis_wait", "60000");
    begin_open("10");
    use_binary_with_file();
    begin_launch_each(1, N);
    _exit(0);
}

/* Another device builds it when long launches share. */
START_TEST(binary_is_built_elsewhere)
{
    begin_make_folder();
    begin_in_a_process(analyse_binary);
    begin_open("0.2"); /* 20 ms each */
    use_binary_with_file();
    begin_launch_until_shared(N);
    begin_end(N);
    cl_folder_remove();
}
END_TEST

static bool one_begins_with_slices_once(void)
{
    unsigned first, second;
    begin_in_folder("0.004"); /* a second */
    begin_launch_each(1, N);
    begin_end(N);
    const size_t there = begin_did(1, &second), here = begin_did(0, &first);
    ck_assert_uint_gt(first, 1);
    ck_assert_uint_ge(here + there, N); /* some may be done twice */
    cl_folder_remove();
    return there > N / 8;
}

START_TEST(one_begins_with_slices)
{
    begin_ask_of_longer_ones(one_begins_with_slices_once);
}
END_TEST

/* Work-items read what they write, and nobody else does: no work-item may run twice. */
static bool in_place_begins_with_slices_once(void)
{
    static const cl_int zeros[N];
    unsigned first, second;
    begin.name = "stub_settle_own";
    begin_in_folder("0.004"); /* a second */
    cl_ok(clEnqueueWriteBuffer(cl.queue, begin.mem[1], CL_TRUE, 0, sizeof(zeros), zeros, 0, NULL, NULL));
    begin_launch_each(1, N);
    begin_end(N);
    const size_t there = begin_did(1, &second), here = begin_did(0, &first);
    ck_assert_uint_gt(first, 1);
    ck_assert_uint_eq(here + there, N);
    cl_folder_remove();
    return there > N / 8;
}

START_TEST(in_place_begins_with_slices)
{
    begin_ask_of_longer_ones(in_place_begins_with_slices_once);
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
    begin_in_folder("0.0012");
    use_plain_queue();
    for (unsigned i = 0; i < 10; i++) /* 213 ms each */
        begin_launch(FEW);
    cl_ok(clFinish(cl.queue));
    begin_end(FEW);
    return begin_second_did(1);
}

START_TEST(those_behind_know)
{
    begin_ask_of_longer_ones(those_behind_know_once);
}
END_TEST

/* By its text one alone is too short to be waited for, but not as many as the program enqueues. */
static bool many_behind_know_once(void)
{
    begin.name = "stub_steps";
    begin.iterations = 3000;
    set_variable("analysis_wait", "60000");
    begin_in_folder("0.08"); /* 51 ms each */
    use_plain_queue();
    for (unsigned i = 0; i < 40; i++)
        begin_launch(N);
    cl_ok(clFinish(cl.queue));
    begin_end(N);
    return begin_second_did(1);
}

START_TEST(many_behind_know)
{
    begin_ask_of_longer_ones(many_behind_know_once);
}
END_TEST

/* Each too short to wait for anything, all of them enqueued before the first is over. */
static bool short_ones_enqueued_at_once_share_once(void)
{
    ck_assert_msg(begin_times_longer() <= 4, "nor of 6,400 launches any");
    begin_keep_analysis();
    setenv("STUB_HANG", "clBuildProgram:2:800", 1); /* longer than enqueueing them takes */
    begin_open("4,4");                              /* a millisecond each */
    use_plain_queue();
    for (unsigned i = 0; i < 1600 * begin_times_longer(); i++)
        begin_launch(N);
    cl_ok(clFinish(cl.queue));
    begin_end(N);
    return begin_second_did(20 * (size_t)N);
}

START_TEST(short_ones_enqueued_at_once_share)
{
    begin_ask_of_longer_ones(short_ones_enqueued_at_once_share_once);
}
END_TEST

/* The analyser, which begins two seconds late. */
static void analyse_late(void)
{
    FILE *script = fopen(cl_folder_path("late"), "w");
    ck_assert_ptr_nonnull(script);
    fprintf(script, "#!/bin/sh\nsleep 2\nexec %s \"$@\"\n", ANALYSER);
    ck_assert_int_eq(fclose(script), 0);
    ck_assert_int_eq(chmod(cl_folder_path("late"), 0700), 0);
    ck_assert_int_eq(setenv("COEXEC_ANALYSER", cl_folder_path("late"), 1), 0);
}

static unsigned repeated(void)
{
    return cl_lines_with(cl_folder_path("worker"), "runs as before");
}

/* Whether launches of 0.2 ms that are waited for were repeated while the other device was closed, and opened
 * it in the end. */
static bool short_ones_are_repeated_once(void)
{
    enum { FEW = 256 * LOCAL, ENOUGH = 40 };
    unsigned more = 0;
    begin_keep_analysis();
    setenv("COEXEC_LOG", "error,worker:debug", 1);
    setenv("COEXEC_LOG_FILE", cl_folder_path("worker"), 1);
    begin_open("1.28,1.28");
    use_plain_queue();
    begin_launch_each(300, FEW); /* until their length is known, and some more */
    for (unsigned i = 0; i < 10 && more < ENOUGH && !begin_is_open(1); i++) {
        const unsigned before = repeated();
        begin_launch_each(100, FEW);
        more = repeated() - before;
    }
    for (unsigned i = 0; i < 500 && !begin_is_open(1); i++)
        begin_launch_each(20, FEW);
    const bool opened = begin_is_open(1);
    begin_end(FEW);
    cl_folder_remove();
    return opened && more >= ENOUGH;
}

/* What keeps them whole may change, but not within each of them (replay.h). Opening the other device is worth
 * while all the same, once so many of them were whole. On a busy machine they last longer and open it early.
 */
START_TEST(short_ones_are_repeated)
{
    begin_ask_of_longer_ones(short_ones_are_repeated_once);
}
END_TEST

/* All are enqueued before the kernel is analysed. */
static bool those_behind_are_analysed_once(void)
{
    begin_make_folder();
    analyse_late();
    begin_open("0.008"); /* half a second each */
    use_plain_queue();
    for (unsigned i = 0; i < 12; i++)
        begin_launch(N);
    cl_ok(clFinish(cl.queue));
    begin_end(N);
    return begin_second_did(1);
}

START_TEST(those_behind_are_analysed)
{
    begin_ask_of_longer_ones(those_behind_are_analysed_once);
}
END_TEST

/* The second kernel's only launch is enqueued behind the first one's before either is analysed. */
static bool first_behind_is_analysed_once(void)
{
    begin_make_folder();
    analyse_late();
    begin_open("0.0005"); /* 4 s each */
    use_plain_queue();
    cl_kernel other = cl_kernel_in(begin.program, "stub_copy_plus");
    begin_launch_over(other, begin.mem[0], begin.mem[1], N / 2);
    begin_launch(N / 2);
    cl_ok(clFinish(cl.queue));
    cl_ok(clReleaseKernel(other));
    begin_end(N / 2);
    return begin_second_did(N / 16);
}

START_TEST(first_behind_is_analysed)
{
    begin_ask_of_longer_ones(first_behind_is_analysed_once);
}
END_TEST

/* The program waits for each, which tells how long they take where their driver's times are not taken. */
static bool waits_tell_lengths_once(void)
{
    enum { FEW = 256 * LOCAL };
    begin_in_folder("0.0005");
    use_plain_queue();
    begin_launch_each(3, FEW); /* half a second each: one tells, one runs while others come */
    begin_end(FEW);
    return begin_second_did(1);
}

START_TEST(waits_tell_lengths)
{
    begin_ask_of_longer_ones(waits_tell_lengths_once);
}
END_TEST

/* By its text a launch takes no time: the first one tells that it does, the second begins with slices. */
static bool text_is_not_all_once(void)
{
    begin.name = "stub_copy_plus";
    begin_in_folder("0.01");
    use_plain_queue();
    begin_launch_each(2, N); /* 410 ms each */
    begin_end(N);
    return begin_second_did(N / 8);
}

START_TEST(text_is_not_all)
{
    begin_ask_of_longer_ones(text_is_not_all_once);
}
END_TEST

/* The first part of the range tells of a short launch: slices must not be so long that most of the range is
 * done before it is known. */
static bool dear_part_comes_late_once(void)
{
    begin.name = "stub_surge";
    begin_in_folder("0.33"); /* a second, the first fifth in 2 ms */
    begin_launch_each(1, N);
    begin_end(N);
    return begin_second_did(N / 4);
}

START_TEST(dear_part_comes_late)
{
    begin_ask_of_longer_ones(dear_part_comes_late_once);
}
END_TEST

/* CPU devices that leave a core to the compiler: a build that takes a third of a launch is worth it. */
static bool builds_on_a_spare_core_once(void)
{
    setenv("STUB_TYPE", "cpu", 1);
    setenv("STUB_IN_PLACE", "1", 1);
    setenv("STUB_HANG", "clBuildProgram:1:150,clBuildProgram:2:150", 1);
    begin_in_folder("0.008"); /* half a second */
    begin_launch_each(1, N);
    begin_end(N);
    return begin_second_did(sysconf(_SC_NPROCESSORS_ONLN) > 1 ? N / 8 : 0);
}

START_TEST(builds_on_a_spare_core)
{
    begin_ask_of_longer_ones(builds_on_a_spare_core_once);
}
END_TEST

/* CPUs' drivers compile slices anew. By its text the launch lasts a tenth of a second. */
static void use_cpus(void)
{
    begin.name = "stub_steps";
    begin.iterations = 1000;
    setenv("STUB_TYPE", "cpu", 1);
    setenv("STUB_IN_PLACE", "1", 1);
    setenv("STUB_COMPILE", "100", 1);
}

/* Kernels that the first device ran of a launch of 16 ms. */
static unsigned kernels_of_one(void)
{
    unsigned kernels;
    begin_open("0.25");
    begin_launch_each(1, N);
    begin_end(N);
    begin_did(0, &kernels);
    ck_assert_int_eq(unlink(cl_folder_path("timeline")), 0);
    return kernels;
}

/* No process compiled them before. */
START_TEST(slices_may_have_to_be_compiled)
{
    use_cpus();
    begin_keep_analysis();
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
    begin_keep_analysis();
    begin_in_a_process(split_one);
    ck_assert_uint_gt(kernels_of_one(), 1);
    cl_folder_remove();
}
END_TEST

/* A launch of known length begins with slices while the other device builds. */
static bool known_ones_wait_in_slices_once(void)
{
    setenv("STUB_HANG", "clBuildProgram:2:800", 1);
    begin_in_folder("0.008");
    begin_launch_each(2, N); /* half a second each */
    begin_end(N);
    return begin_second_did(1);
}

START_TEST(known_ones_wait_in_slices)
{
    begin_ask_of_longer_ones(known_ones_wait_in_slices_once);
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
    for (unsigned i = 0; i < 1000 && begin_did(1, &kernels) < least; i++) {
        cl_ok(clEnqueueWriteBuffer(cl.queue, from, CL_TRUE, 0, bytes, numbers, 0, NULL, NULL));
        begin_launch_over(begin.kernel, from, to, MANY);
        if (reads)
            cl_ok(clEnqueueReadBuffer(cl.queue, to, CL_TRUE, 0, bytes, numbers, 0, NULL, NULL));
        else
            cl_ok(clFinish(cl.queue));
    }
    ck_assert_uint_ge(begin_did(1, &kernels), least);
    free(numbers);
    cl_ok(clReleaseMemObject(from));
    cl_ok(clReleaseMemObject(to));
    begin_launch(N);
    begin_end(N);
    cl_folder_remove();
}

/* What the program uploads to the first device tells how fast its inputs would come to the second. */
START_TEST(uploads_tell_of_the_link)
{
    setenv("STUB_LINK", "4000", 1); /* half has to go there: 2 ms, for which it is taken 400 */
    set_variable("link", "0.02");
    begin_in_folder("4"); /* 65 ms each */
    feed(1, false);
}
END_TEST

/* Inputs that come from the host each time are halved as well as the work, which alone would not pay for
 * them. */
START_TEST(halves_of_inputs_move)
{
    setenv("STUB_LINK", "1000", 1); /* 16 ms to one device, 8 of them to each of two */
    begin_in_folder("40");          /* 6.5 ms each */
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
    begin_in_folder("0.00012");
    begin_launch_each(15, FEW); /* 100 ms each: 30 ms in the account, of which it may take 20 */
    begin_end(FEW);
    return begin_second_did(sysconf(_SC_NPROCESSORS_ONLN) > 1);
}

START_TEST(joins_in_late_at_worst)
{
    begin_ask_of_longer_ones(joins_in_late_at_worst_once);
}
END_TEST

/* The second device gives no context: the first one goes on alone. */
START_TEST(opening_may_fail)
{
    unsigned kernels;
    setenv("STUB_FAIL", "clCreateContext:2:-6", 1);
    begin_in_folder("0.2");
    begin_launch_each(40, N);
    begin_end(N);
    ck_assert_uint_eq(begin_did(1, &kernels), 0);
    cl_folder_remove();
}
END_TEST

/* What is enqueued behind a launch that runs in slices sees all of its results, and its times span it. */
START_TEST(slices_are_one_launch)
{
    cl_mem last;
    cl_event event;
    const size_t local = LOCAL, items = N;
    begin_in_folder("0.004");
    last = cl_buffer(0, sizeof(begin.out), NULL);
    cl_set_mem(begin.kernel, 0, begin.mem[0]);
    cl_set_mem(begin.kernel, 1, begin.mem[1]);
    cl_set_int(begin.kernel, 2, 1 << 20);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, begin.kernel, 1, NULL, &items, &local, 0, NULL, &event));
    begin_launch_over(begin.kernel, begin.mem[1], last, N);
    cl_ok(clReleaseKernel(begin.kernel));
    cl_ok(clEnqueueReadBuffer(cl.queue, last, CL_TRUE, 0, sizeof(begin.out), begin.out, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        ck_assert_msg(begin.out[i] == begin.in[i] + 2, "%d: %d", i, begin.out[i]);
    ck_assert_uint_gt(cl_time_of(event, CL_PROFILING_COMMAND_END),
                      cl_time_of(event, CL_PROFILING_COMMAND_START));
    cl_ok(clReleaseEvent(event));
    cl_ok(clReleaseMemObject(last));
    cl_ok(clReleaseMemObject(begin.mem[0]));
    cl_ok(clReleaseMemObject(begin.mem[1]));
    cl_ok(clReleaseProgram(begin.program));
    cl_close();
    cl_folder_remove();
}
END_TEST

/* Nothing may be risked: what is known to gain is split all the same. */
START_TEST(no_account)
{
    setenv("COEXEC_BUDGET", "0", 1);
    begin_in_folder("0.2");
    for (unsigned i = 0; i < 40; i++)
        begin_launch(N);
    begin_end(N);
    cl_folder_remove();
}
END_TEST

/* A slice whose driver fails must fail the launch, and nothing must wait for it for ever. */
START_TEST(slices_may_fail)
{
    setenv("STUB_DIES", "0:2:-9999", 1);
    begin_in_folder("0.004");
    begin_launch(N);
    (void)clFinish(cl.queue);
    cl_ok(clReleaseMemObject(begin.mem[0]));
    cl_ok(clReleaseMemObject(begin.mem[1]));
    cl_ok(clReleaseKernel(begin.kernel));
    cl_ok(clReleaseProgram(begin.program));
    (void)clReleaseCommandQueue(cl.queue);
    (void)clReleaseContext(cl.context);
    cl_folder_remove();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("begin");
    TCase *tcase = tcase_create("begin");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, short_ones_stay_alone);
    tcase_add_test(tcase, short_ones_read_no_file);
    tcase_add_test(tcase, long_ones_share);
    tcase_add_loop_test(tcase, host_copies_are_in_the_bound, 0, 2);
    tcase_add_test(tcase, binary_is_built_elsewhere);
    tcase_add_test(tcase, one_begins_with_slices);
    tcase_add_test(tcase, in_place_begins_with_slices);
    tcase_add_test(tcase, those_behind_know);
    tcase_add_test(tcase, many_behind_know);
    tcase_add_test(tcase, those_behind_are_analysed);
    tcase_add_test(tcase, first_behind_is_analysed);
    tcase_add_test(tcase, short_ones_enqueued_at_once_share);
    tcase_add_test(tcase, short_ones_are_repeated);
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
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
