/* SPDX-License-Identifier: MIT */
/*
 * Builds left for later (COEXEC_DEBUG=build=lazy): who builds a program when, and that nobody notices. Two
 * stub devices; each test has a process of its own. LATE_TEST_ALL is set where all members build at once.
 */
#include "cl_fixture.h"
#include "cl_folder.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MANY = 1 << 18, SOME = 1 << 16, FEW = 1 << 10 };

#define ADD                                                                                                  \
    "kernel void stub_add(global const int *a, global const int *b, global int *c)\n"                        \
    "{ size_t i = get_global_id(0); c[i] = a[i] + b[i]; }\n"
/* stub_inc may run for long, by its text, and cannot */
static const char source[] =
    ADD "kernel void stub_inc(global int *a)\n"
        "{ size_t i = get_global_id(0); while (a[i] < -1) a[i] ^= 1 << (a[i] & 7); a[i] += 1; }\n";
static const char brief[] = ADD "kernel void stub_inc(global int *a) { a[get_global_id(0)] += 1; }\n";

static void open_with(const char *name, const char *value)
{
    cl_folder_make("late");
    setenv("STUB_LOG", cl_folder_path("calls"), 1);
    setenv("COEXEC_LOG_FILE", cl_folder_path("log"), 1);
    if (name)
        set_variable(name, value);
    cl_open();
}

static void close_log(void)
{
    cl_close();
    cl_folder_remove();
}

/* How many builds the devices were asked for so far. */
static unsigned builds(void)
{
    return cl_lines_with(cl_folder_path("calls"), "clBuildProgram");
}

static bool all(void)
{
    return getenv("LATE_TEST_ALL") != NULL;
}

static cl_kernel kernel_of(cl_program program, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    cl_ok(error);
    return kernel;
}

/* Adds one to each of n numbers, and looks at them. */
static void expect_increments(cl_command_queue queue, cl_kernel kernel, size_t n)
{
    cl_int *numbers = calloc(n, sizeof(*numbers));
    const size_t local = 64;
    for (size_t i = 0; i < n; i++)
        numbers[i] = (cl_int)i;
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, n * sizeof(*numbers), numbers);
    cl_set_mem(kernel, 0, mem);
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, &local, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, n * sizeof(*numbers), numbers, 0, NULL, NULL));
    size_t right = 0;
    while (right < n && numbers[right] == (cl_int)right + 1)
        right++;
    ck_assert_uint_eq(right, n);
    cl_ok(clReleaseMemObject(mem));
    free(numbers);
}

/* Launches worth a split until there were so many builds; the analysis must be there before. */
static void launch_until_built(cl_kernel kernel, unsigned expected)
{
    for (unsigned i = 0; i < 2000 && builds() < expected; i++) {
        expect_increments(cl.queue, kernel, MANY);
        usleep(10000);
    }
}

static void launch_until_wanted(cl_kernel kernel, unsigned expected)
{
    launch_until_built(kernel, expected);
    ck_assert_uint_eq(builds(), expected);
}

static cl_int status_of(cl_program program)
{
    cl_build_status status = 99;
    cl_ok(clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_STATUS, sizeof(status), &status, NULL));
    return status;
}

/* Has the text analysed, which the next program of it finds in the cache. */
static void learn_text(const char *text)
{
    cl_program program = cl_build(text, "");
    cl_kernel kernel = kernel_of(program, "stub_inc");
    launch_until_built(kernel, 2);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
}

/* Short launches never make the other device build. */
START_TEST(short_programs_build_once)
{
    size_t limit = 0, count = 0;
    char log[64] = "";
    open_with("STUB_HANG",
              "clBuildProgram:3:1000"); /* launches twice as long as that would pay for another build */
    learn_text(brief);
    cl_program program = cl_build(brief, "");
    cl_kernel kernel = kernel_of(program, "stub_inc");
    for (unsigned i = 0; i < 5; i++)
        expect_increments(cl.queue, kernel, i == 2 ? MANY : FEW);
    ck_assert_int_eq(status_of(program), CL_BUILD_SUCCESS);
    cl_ok(clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL));
    ck_assert_str_eq(log, "");
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(count), &count, NULL));
    ck_assert_uint_eq(count, 2);
    cl_ok(
        clGetKernelWorkGroupInfo(kernel, cl.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(limit), &limit, NULL));
    ck_assert_uint_eq(limit, 256); /* of the fastest, whatever the one says that has not built it */
    ck_assert_uint_eq(builds(), all() ? 4 : 3);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    close_log();
}
END_TEST

START_TEST(long_programs_build_twice)
{
    open_with("STUB_HANG", "clBuildProgram:2:300");
    cl_program program = cl_build(source, "");
    cl_kernel kernel = kernel_of(program, "stub_inc");
    if (!all())
        ck_assert_uint_eq(builds(), 1);
    launch_until_wanted(kernel, 2);
    for (unsigned i = 0; i < 20; i++) /* before and after it has ended */
        expect_increments(cl.queue, kernel, MANY);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    close_log();
}
END_TEST

/* The first launch that may be long waits for the other device's build, as it would have done in
 * clBuildProgram. Its work-items loop for no one knows how long: fewer of them are enough. */
START_TEST(first_long_launch_waits)
{
    setenv("COEXEC_LOG", "plan:info", 1);
    open_with("STUB_HANG", "clBuildProgram:2:500");
    cl_program program = cl_build(source, "");
    cl_kernel kernel = kernel_of(program, "stub_inc");
    expect_increments(cl.queue, kernel, _i ? SOME : MANY);
    ck_assert_uint_eq(builds(), 2);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_close();
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), "stub_inc runs"), 1);
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), "have not built"), 0);
    cl_folder_remove();
}
END_TEST

/* The same in another process, whose launches do not count; the analysis has ended then. */
static void learn_text_elsewhere(const char *text)
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        open_with("analysis_wait", "20000");
        learn_text(text);
        close_log();
        exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

/* A split of it needs a variant of the program. */
static const char sized[] = ADD "kernel void stub_inc(global int *a)\n"
                                "{ size_t i = get_global_id(0); while (a[i] < -1) a[i] ^= 1 << (a[i] & 7);\n"
                                "  a[i] += get_global_size(0) > 0; }\n";

#define BUSY(times)                                                                                          \
    ADD "kernel void stub_inc(global int *a)\n"                                                              \
        "{ size_t i = get_global_id(0); int x = a[i]; for (int k = 0; k < " #times "; k++) x = x * x + k;\n" \
        "  a[i] = a[i] + 1 + (x == 7); }\n"

/* Runs one large launch on such devices, what it was planned with in the log. Gives the seconds it took: what
 * takes long on a busy machine is worth more builds afterwards. */
static double run_first(const char *text, const char *types, const char *units, const char *hang)
{
    learn_text_elsewhere(text);
    setenv("STUB_TYPE", types, 1);
    setenv("STUB_UNITS", units, 1);
    setenv("COEXEC_LOG", "plan:info", 1);
    open_with("STUB_HANG", hang);
    cl_program program = cl_build(text, "");
    cl_kernel kernel = kernel_of(program, "stub_inc");
    double took = -cl_seconds();
    expect_increments(cl.queue, kernel, MANY);
    took += cl_seconds();
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_close(); /* what was begun is done */
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), "stub_inc runs"), 1);
    return took;
}

/* A split could not follow the other device's build: no launch waits for that. */
START_TEST(nothing_waits_without_variant)
{
    (void)run_first(sized, "cpu", "1", "clBuildProgram:2:3000"); /* a busy machine may stall for a second */
    const char *log = cl_folder_path("log");
    ck_assert_uint_eq(cl_lines_with(log, all() ? "variant is not built yet" : "have not built the program") +
                          cl_lines_with(log, "analysis still running"),
                      1);
    cl_folder_remove();
}
END_TEST

/* Whether it waited for the other device's build. Where the analysis was not read from the cache in time, on
 * a busy machine, that is not asked: another process tries. */
static bool first_waits(const char *text, const char *types, const char *units, const char *hang)
{
    enum { WAITED, ASSERTED, RAN, UNKNOWN };
    int status = UNKNOWN;
    for (unsigned tries = 0; tries < 8 && status == UNKNOWN; tries++) {
        const pid_t child = fork();
        if (child == 0) {
            (void)run_first(text, types, units, hang);
            const char *log = cl_folder_path("log");
            const int code = cl_lines_with(log, "analysis still running")       ? UNKNOWN
                             : cl_lines_with(log, "have not built the program") ? RAN
                                                                                : WAITED;
            cl_folder_remove();
            exit(code);
        }
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        status = WIFEXITED(status) ? WEXITSTATUS(status) : ASSERTED;
        ck_assert_int_ne(status, ASSERTED);
    }
    ck_assert_int_ne(status, UNKNOWN);
    return status == WAITED;
}

/* A split variant is built once launches are known to take long enough, all together. */
START_TEST(variants_once_measured)
{
    if (run_first(sized, "cpu", "4,1", "clBuildProgram:1:1") < 0.02) /* less than a build is taken to last */
        ck_assert_uint_eq(builds(), all() ? 2 : 1);
    cl_folder_remove();
}
END_TEST

/* What would keep a CPU core for long enough to wait for a build is nothing to a GPU. */
START_TEST(many_at_once)
{
    ck_assert(first_waits(BUSY(2000000), "cpu", "2,1", "clBuildProgram:1:50"));
}
END_TEST

/* What its text bounds to less than a CPU's compiler takes waits for none, however soon the first build
 * ended. */
START_TEST(brief_by_its_text)
{
    ck_assert(first_waits(BUSY(200), "cpu", "2,1", "clBuildProgram:1:1") == all());
}
END_TEST

START_TEST(nothing_to_a_gpu)
{
    ck_assert(first_waits(BUSY(5000), "gpu,cpu", "100,1", "clBuildProgram:1:50") == all());
}
END_TEST

/* A GPU's driver has the program in its cache; a CPU's compiler takes longer than it could save. */
START_TEST(cpu_compiles_for_longer)
{
    ck_assert(first_waits(BUSY(5000), "gpu,cpu", "1,3", "clBuildProgram:1:1") == all());
}
END_TEST

/* Nothing waits for the build of a device that could do a hundredth of the work; it takes part all the same
 * once launches have taken as long. */
START_TEST(slow_ones_later)
{
    setenv("STUB_TYPE", "gpu,cpu", 1);
    setenv("STUB_UNITS", "100,1", 1);
    open_with("STUB_HANG", "clBuildProgram:1:20");
    cl_program program = cl_build(source, "");
    cl_kernel kernel = kernel_of(program, "stub_inc");
    expect_increments(cl.queue, kernel, MANY);
    ck_assert_uint_eq(builds(), all() ? 2 : 1);
    launch_until_wanted(kernel, 2);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    close_log();
}
END_TEST

/* Nor do GPUs of one kind build at the same time: the second finds the program in its driver's cache. */
START_TEST(equal_gpus_build_later)
{
    setenv("STUB_TYPE", "gpu", 1);
    setenv("STUB_UNITS", "4", 1);
    setenv("STUB_NAMES", "twin,twin", 1);
    open_with(NULL, NULL);
    cl_program program = cl_build(brief, "");
    ck_assert_uint_eq(builds(), all() ? 2 : 1);
    cl_kernel kernel = kernel_of(program, "stub_inc");
    expect_increments(cl.queue, kernel, FEW);
    ck_assert_uint_eq(builds(), all() ? 2 : 1);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    close_log();
}
END_TEST

/* The second device's compiler fails: the program hears nothing of it, and its user one line. */
START_TEST(second_fails)
{
    setenv("COEXEC_LOG", "warn", 1);
    open_with("STUB_FAIL", "clBuildProgram:2:-11");
    cl_program program = cl_build(source, "");
    cl_kernel kernel = kernel_of(program, "stub_inc");
    launch_until_wanted(kernel, 2);
    for (unsigned i = 0; i < 10; i++)
        expect_increments(cl.queue, kernel, MANY);
    ck_assert_int_eq(status_of(program), CL_BUILD_SUCCESS);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_close();
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), "is left out, its compiler failed with"), 1);
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), ""), 1);
    cl_folder_remove();
}
END_TEST

static size_t group_limit(cl_kernel kernel)
{
    size_t limit = 0;
    cl_ok(
        clGetKernelWorkGroupInfo(kernel, cl.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(limit), &limit, NULL));
    return limit;
}

/* The second device has built the program, and is still asked for the kernels that there are of it. */
START_TEST(limits_meanwhile)
{
    const size_t n = FEW;
    open_with("STUB_HANG", "clCreateKernel:2:100,clCreateKernel:3:100,clCreateKernel:4:100");
    cl_program program = cl_build(source, "");
    cl_kernel kernel = kernel_of(program, "stub_inc");
    cl_mem mem = cl_buffer(CL_MEM_READ_WRITE, n * sizeof(cl_int), NULL);
    cl_set_mem(kernel, 0, mem);
    ck_assert_uint_eq(group_limit(kernel), 256);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL));
    cl_ok(clFlush(cl.queue));
    for (unsigned i = 0; i < 400; i++) {
        ck_assert_uint_eq(group_limit(kernel), 256);
        usleep(1000);
    }
    cl_ok(clFinish(cl.queue));
    ck_assert_uint_eq(group_limit(kernel), 256);
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    close_log();
}
END_TEST

/* The first device builds the program, and cannot run its kernel: what follows runs on the second one, which
 * builds it for that. */
START_TEST(first_fails_to_run)
{
    cl_int number = 0;
    const size_t n = 1;
    cl_event event;
    int status = -1;
    const pid_t child = fork(); /* whose launches do not count */
    if (child == 0) {
        open_with(NULL, NULL);
        learn_text(brief);
        close_log();
        exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    open_with("STUB_FAIL", "clEnqueueNDRangeKernel:1:-5:event");
    cl_program program = cl_build(brief, "");
    cl_kernel kernel = kernel_of(program, "stub_inc");
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(number), &number);
    cl_set_mem(kernel, 0, mem);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &n, NULL, 0, NULL, &event));
    (void)clWaitForEvents(1, &event); /* what is lost is lost */
    ck_assert_uint_eq(builds(), all() ? 2 : 1);
    cl_ok(clReleaseEvent(event));
    for (unsigned i = 0; i < 3; i++)
        expect_increments(cl.queue, kernel, FEW);
    ck_assert_uint_eq(builds(), 2);
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    close_log();
}
END_TEST

/* The first device's compiler fails: the build waits for the others'. */
START_TEST(first_fails)
{
    char log[256] = "";
    open_with("STUB_FAIL", "clBuildProgram:1:-11");
    cl_program program = cl_build(source, "");
    ck_assert_uint_eq(builds(), 2);
    cl_ok(clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL));
    ck_assert_ptr_nonnull(strstr(log, "injected"));
    cl_kernel kernel = kernel_of(program, "stub_inc");
    expect_increments(cl.queue, kernel, FEW);
    expect_increments(cl.queue, kernel, MANY);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    close_log();
}
END_TEST

START_TEST(all_fail)
{
    const char *text = source;
    cl_int error;
    open_with("STUB_FAIL", "clBuildProgram:1:-11,clBuildProgram:2:-11");
    cl_program program = clCreateProgramWithSource(cl.context, 1, &text, NULL, &error);
    cl_ok(error);
    cl_expect(clBuildProgram(program, 1, &cl.device, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    ck_assert_int_eq(status_of(program), CL_BUILD_ERROR);
    cl_ok(clBuildProgram(program, 1, &cl.device, "", NULL, NULL));
    cl_kernel kernel = kernel_of(program, "stub_inc");
    expect_increments(cl.queue, kernel, FEW);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    close_log();
}
END_TEST

/* A name that the first device does not know may be known to another. */
START_TEST(unknown_names)
{
    cl_int error;
    open_with(NULL, NULL);
    cl_program program = cl_build(source, "");
    ck_assert_ptr_null(clCreateKernel(program, "stub_nothing", &error));
    cl_expect(error, CL_INVALID_KERNEL_NAME);
    ck_assert_uint_eq(builds(), 2);
    cl_kernel kernel = kernel_of(program, "stub_inc");
    expect_increments(cl.queue, kernel, MANY);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    close_log();
}
END_TEST

/* The first device makes no kernel of it. */
START_TEST(first_makes_no_kernel)
{
    open_with("STUB_FAIL", "clCreateKernel:1:-5");
    cl_program program = cl_build(source, "");
    cl_kernel kernel = kernel_of(program, "stub_inc");
    expect_increments(cl.queue, kernel, FEW);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    close_log();
}
END_TEST

static void CL_CALLBACK count_call(cl_program program, void *data)
{
    cl_build_status status = 99;
    clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_STATUS, sizeof(status), &status, NULL);
    if (status == CL_BUILD_SUCCESS)
        atomic_fetch_add((atomic_uint *)data, 1);
}

START_TEST(callbacks)
{
    const char *text = source;
    atomic_uint count = 0;
    cl_int error;
    open_with(NULL, NULL);
    cl_program program = clCreateProgramWithSource(cl.context, 1, &text, NULL, &error);
    cl_ok(error);
    cl_ok(clBuildProgram(program, 1, &cl.device, "", count_call, &count));
    for (unsigned i = 0; i < 5000 && !atomic_load(&count); i++)
        usleep(1000);
    cl_kernel kernel = kernel_of(program, "stub_inc");
    launch_until_wanted(kernel, 2);
    expect_increments(cl.queue, kernel, MANY);
    ck_assert_uint_eq(atomic_load(&count), 1);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    close_log();
}
END_TEST

/* A build waits for what is left of the one before, and drops what has not begun. */
START_TEST(build_anew)
{
    open_with("STUB_HANG", "clBuildProgram:2:300");
    cl_program program = cl_build(source, "");
    cl_kernel kernel = kernel_of(program, "stub_inc");
    launch_until_wanted(kernel, 2);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clFinish(cl.queue));
    for (unsigned i = 0; i < 3; i++)
        cl_ok(clBuildProgram(program, 1, &cl.device, "-cl-fast-relaxed-math", NULL, NULL));
    ck_assert_uint_eq(builds(), all() ? 8 : 5);
    kernel = kernel_of(program, "stub_inc");
    expect_increments(cl.queue, kernel, MANY);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    close_log();
}
END_TEST

/* A program, then all that is, may go while the other device builds. */
START_TEST(release_meanwhile)
{
    open_with("STUB_HANG", "clBuildProgram:2:500");
    cl_program program = cl_build(source, "");
    cl_kernel kernel = kernel_of(program, "stub_inc");
    launch_until_wanted(kernel, 2);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    close_log(); /* and the process ends */
}
END_TEST

/* A child may be made and end while the other device builds, and its parent goes on. */
START_TEST(fork_meanwhile)
{
    int status = -1;
    open_with("STUB_HANG", "clBuildProgram:2:500");
    cl_program program = cl_build(source, "");
    cl_kernel kernel = kernel_of(program, "stub_inc");
    launch_until_wanted(kernel, 2);
    const pid_t child = fork();
    if (child == 0) { /* has none of the threads that build */
        cl_int error;
        cl_kernel other = clCreateKernel(program, "stub_nothing", &error);
        exit(other != NULL || error == CL_SUCCESS);
    }
    expect_increments(cl.queue, kernel, MANY);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    close_log();
}
END_TEST

/* The binary of a program that has built but once makes a whole one. */
START_TEST(binaries)
{
    size_t size = 0;
    cl_int error;
    open_with(NULL, NULL);
    cl_program program = cl_build(source, "");
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
    ck_assert_uint_gt(size, 0);
    ck_assert_uint_eq(builds(), all() ? 2 : 1);
    unsigned char *binary = malloc(size);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
    cl_ok(clReleaseProgram(program));

    const unsigned char *given = binary;
    program = clCreateProgramWithBinary(cl.context, 1, &cl.device, &size, &given, NULL, &error);
    cl_ok(error);
    cl_ok(clBuildProgram(program, 1, &cl.device, "", NULL, NULL));
    cl_kernel kernel = kernel_of(program, "stub_inc");
    expect_increments(cl.queue, kernel, FEW);
    ck_assert_ptr_null(clCreateKernel(program, "stub_nothing", &error)); /* now the other one builds */
    expect_increments(cl.queue, kernel, MANY);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    free(binary);
    close_log();
}
END_TEST

/* A queue that only the other device serves waits for its build, not the program. */
START_TEST(other_devices_queue)
{
    const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_BY_COUNTS, 4, 1, 0, 0};
    cl_device_id part[2];
    cl_context context;
    cl_int error;
    open_with("STUB_HANG", "clBuildProgram:2:200");
    cl_ok(clCreateSubDevices(cl.device, halves, 2, part, NULL));
    context = clCreateContext(NULL, 2, part, NULL, NULL, &error);
    cl_ok(error);
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    cl_ok(error);
    cl_ok(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = kernel_of(program, "stub_inc");
    for (unsigned d = 0; d < 2; d++) {
        cl_int numbers[64] = {0};
        const size_t n = 64;
        cl_command_queue queue = clCreateCommandQueue(context, part[d], 0, &error);
        cl_ok(error);
        cl_mem mem = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(numbers), numbers, &error);
        cl_ok(error);
        cl_set_mem(kernel, 0, mem);
        cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, &n, 0, NULL, NULL));
        cl_ok(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(numbers), numbers, 0, NULL, NULL));
        for (unsigned i = 0; i < 64; i++)
            ck_assert_int_eq(numbers[i], 1);
        cl_ok(clReleaseMemObject(mem));
        cl_ok(clReleaseCommandQueue(queue));
    }
    ck_assert_uint_eq(builds(), 2);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseContext(context));
    for (unsigned d = 0; d < 2; d++)
        cl_ok(clReleaseDevice(part[d]));
    close_log();
}
END_TEST

static void *use(void *data)
{
    cl_program program = data;
    cl_command_queue queue = cl_queue(0);
    for (unsigned i = 0; i < 4; i++) {
        cl_kernel kernel = kernel_of(program, "stub_inc"), other = kernel_of(program, "stub_add");
        expect_increments(queue, kernel, i % 2 ? MANY : FEW);
        cl_ok(clReleaseKernel(kernel));
        cl_ok(clReleaseKernel(other));
    }
    cl_ok(clReleaseCommandQueue(queue));
    return NULL;
}

START_TEST(many_threads)
{
    pthread_t thread[4];
    open_with("STUB_HANG", "clBuildProgram:2:20");
    cl_program program = cl_build(source, "");
    for (unsigned t = 0; t < 4; t++)
        ck_assert_int_eq(pthread_create(&thread[t], NULL, use, program), 0);
    for (unsigned t = 0; t < 4; t++)
        ck_assert_int_eq(pthread_join(thread[t], NULL), 0);
    cl_ok(clReleaseProgram(program));
    close_log();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("late");
    TCase *tcase = tcase_create("late");

    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, short_programs_build_once);
    tcase_add_test(tcase, long_programs_build_twice);
    tcase_add_loop_test(tcase, first_long_launch_waits, 0, 2);
    tcase_add_test(tcase, nothing_waits_without_variant);
    tcase_add_test(tcase, variants_once_measured);
    tcase_add_test(tcase, many_at_once);
    tcase_add_test(tcase, brief_by_its_text);
    tcase_add_test(tcase, nothing_to_a_gpu);
    tcase_add_test(tcase, cpu_compiles_for_longer);
    tcase_add_test(tcase, slow_ones_later);
    tcase_add_test(tcase, equal_gpus_build_later);
    tcase_add_test(tcase, second_fails);
    tcase_add_test(tcase, limits_meanwhile);
    tcase_add_test(tcase, first_fails_to_run);
    tcase_add_test(tcase, first_fails);
    tcase_add_test(tcase, all_fail);
    tcase_add_test(tcase, unknown_names);
    tcase_add_test(tcase, first_makes_no_kernel);
    tcase_add_test(tcase, callbacks);
    tcase_add_test(tcase, build_anew);
    tcase_add_test(tcase, release_meanwhile);
    tcase_add_test(tcase, fork_meanwhile);
    tcase_add_test(tcase, binaries);
    tcase_add_test(tcase, other_devices_queue);
    tcase_add_test(tcase, many_threads);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
