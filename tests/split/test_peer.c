/* SPDX-License-Identifier: MIT */
/*
 * Copies between devices that reach each other's memory: two CPU devices that pass for such (tests/driver's
 * shared.c) and a made-up libcuda (cuda.c). Which bytes go that way, every failure of the library, drivers
 * that do not play along, nothing that is left behind. The order of copies and commands is what "stress
 * peers" tests. Each test has a process of its own (libcheck forks), and so an environment of its own.
 */
#include "cl_fixture.h"
#include "cl_folder.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { W = 64, N = W * W, BYTES = N * sizeof(cl_int) };

static const char source[] =
    "__kernel void count(__global int *out, int k) { int i = get_global_id(0); out[i] = k + 3 * i; }\n"
    "__kernel void turn(__global const int *in, __global int *out, int n)\n"
    "{ int i = get_global_id(0); out[i] = in[n - 1 - i] + 1; }\n"
    "__kernel void flip(__global const int *in, __global int *out)\n"
    "{ size_t x = get_global_id(0), y = get_global_id(1);\n"
    "  out[y * get_global_size(0) + x] = in[x * get_global_size(1) + y]; }\n";

static cl_int got[N];

static unsigned open_files(void)
{
    unsigned count = 0;
    DIR *all = opendir("/proc/self/fd");
    ck_assert_ptr_nonnull(all);
    while (readdir(all))
        count++;
    closedir(all);
    return count;
}

static unsigned mapped(const char *name)
{
    return cl_lines_with("/proc/self/maps", name);
}

struct programs {
    cl_kernel count, turn, flip;
};

static struct programs start(const char *algo)
{
    struct programs p;
    cl_folder_make("peer");
    setenv("FAKE_CUDA_LOG", cl_folder_path("copies"), 1);
    setenv("SHARED_LOG", cl_folder_path("slots"), 1);
    setenv("COEXEC_ALGO", algo, 1);
    setenv("COEXEC_LOG", "data:info", 1);
    setenv("COEXEC_LOG_FILE", cl_folder_path("log"), 1);
    cl_open();
    cl_program program = cl_build(source, "");
    cl_int error[3];
    p.count = clCreateKernel(program, "count", &error[0]);
    p.turn = clCreateKernel(program, "turn", &error[1]);
    p.flip = clCreateKernel(program, "flip", &error[2]);
    for (unsigned i = 0; i < 3; i++)
        cl_ok(error[i]);
    cl_ok(clReleaseProgram(program));
    return p;
}

static void stop(const struct programs *p)
{
    cl_ok(clReleaseKernel(p->count));
    cl_ok(clReleaseKernel(p->turn));
    cl_ok(clReleaseKernel(p->flip));
    cl_close();
    cl_folder_remove();
}

static void launch(cl_kernel kernel)
{
    const size_t items = N, local = 64;
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
}

/* Counts into a on both devices, turns it into b, and back; each needs what the other has. */
static void rounds(const struct programs *p, cl_mem a, cl_mem b, unsigned count)
{
    cl_set_mem(p->count, 0, a);
    cl_set_int(p->count, 1, 7);
    launch(p->count);
    for (unsigned i = 0; i < count; i++) {
        cl_set_mem(p->turn, 0, i % 2 ? b : a);
        cl_set_mem(p->turn, 1, i % 2 ? a : b);
        cl_set_int(p->turn, 2, N);
        launch(p->turn);
    }
    cl_read(count % 2 ? b : a, got, BYTES);
    int bad = 0;
    for (int i = 0; i < N; i++)
        bad += got[i] != 7 + 3 * (count % 2 ? N - 1 - i : i) + (int)count;
    ck_assert_int_eq(bad, 0);
}

static void run(const struct programs *p, unsigned count)
{
    cl_mem a = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL), b = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL);
    rounds(p, a, b, count);
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseMemObject(b));
}

/* ---- what goes that way ---- */

static const char *const algos[] = {"static", "hguided"};

START_TEST(copies)
{
    struct programs p = start(algos[_i]);
    run(&p, 6);
    if (_i == 0) /* shares are fixed */
        ck_assert_uint_ge(cl_lines_with(cl_folder_path("copies"), "copy"), 2);
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), "exchange bytes directly, from 4096"), 1);
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), "cannot"), 0);
    stop(&p);
}
END_TEST

static void flip_columns(const struct programs *p)
{
    const size_t items[2] = {W, W}, local[2] = {16, 4};
    cl_mem a = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL), b = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL);
    cl_set_mem(p->count, 0, a);
    cl_set_int(p->count, 1, 7);
    launch(p->count);
    cl_set_mem(p->flip, 0, a);
    cl_set_mem(p->flip, 1, b);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, p->flip, 2, NULL, items, local, 0, NULL, NULL));
    cl_read(b, got, BYTES);
    int bad = 0;
    for (int i = 0; i < N; i++)
        bad += got[i] != 7 + 3 * (i % W * W + i / W);
    ck_assert_int_eq(bad, 0);
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseMemObject(b));
}

START_TEST(columns)
{
    struct programs p = start("static");
    flip_columns(&p);
    ck_assert_uint_ge(cl_lines_with(cl_folder_path("copies"), "copy"), 2);
    stop(&p);
}
END_TEST

/* Sub-buffers, fills and copies of shared buffers are as those of any other. */
START_TEST(parts)
{
    struct programs p = start("static");
    const cl_buffer_region region = {4096, 8192};
    const cl_int five = 5;
    cl_int error, want[N];
    cl_mem a = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL), b = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL);
    rounds(&p, a, b, 3);
    memcpy(want, got, BYTES);
    cl_mem part = clCreateSubBuffer(b, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    cl_ok(error);
    cl_ok(clEnqueueFillBuffer(cl.queue, part, &five, sizeof(five), 1024, 2048, 0, NULL, NULL));
    for (unsigned i = 0; i < 512; i++)
        want[(4096 + 1024) / 4 + i] = 5;
    cl_ok(clEnqueueCopyBuffer(cl.queue, b, a, 0, 0, BYTES, 0, NULL, NULL));
    cl_ok(clEnqueueCopyBuffer(cl.queue, part, a, 0, 12288, 4096, 0, NULL, NULL));
    memcpy((char *)want + 12288, (char *)want + 4096, 4096);
    cl_read(a, got, BYTES);
    ck_assert_mem_eq(got, want, BYTES);
    cl_ok(clReleaseMemObject(part));
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseMemObject(b));
    stop(&p);
}
END_TEST

/* ---- where it does not go that way ---- */

START_TEST(not_asked)
{
    set_variable("peer", "0");
    struct programs p = start("static");
    run(&p, 3);
    ck_assert_uint_eq(mapped("libfakecuda"), 0);
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), "directly"), 0);
    stop(&p);
}
END_TEST

START_TEST(alone)
{
    setenv("COEXEC_DEVICES", "0", 1);
    struct programs p = start("static");
    run(&p, 3);
    ck_assert_uint_eq(mapped("libfakecuda"), 0);
    stop(&p);
}
END_TEST

/* Buffers below a granule do not even open the library's contexts in vain, and go through the host. */
START_TEST(small)
{
    setenv("FAKE_CUDA_GRAIN", "2097152", 1);
    struct programs p = start("static");
    run(&p, 3);
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("copies"), "copy"), 0);
    ck_assert_uint_eq(mapped("memfd:fake-cuda"), 0);
    stop(&p);
}
END_TEST

/* NVIDIA's driver crashes on shared memory of 512 MB and more: such buffers go the ordinary way. */
START_TEST(large)
{
    set_variable("staging", _i % 2 ? "1" : "0");
    static const size_t sizes[] = {(510u << 20) + 4096, 512u << 20, 513u << 20};
    struct programs p = start("static");
    cl_mem a = cl_buffer(CL_MEM_READ_WRITE, sizes[_i / 2], NULL),
           b = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL);
    rounds(&p, a, b, 3);
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseMemObject(b));
    stop(&p);
}
END_TEST

static const struct {
    const char *name, *value, *says;
} obstacles[] = {
    {"FAKE_CUDA_APART", "1", "no devices exchange bytes directly: none reaches another's memory"},
    {"FAKE_CUDA_DEVICES", "1", "no devices exchange bytes directly: none reaches another's memory"},
    {"COEXEC_LIBCUDA", "libno-such-library.so", "no devices exchange bytes directly: libno-such-library.so"},
    {"FAKE_CUDA_FAIL", "cuInit:1:100", "cannot be initialised: CUDA_ERROR_OF_THE_TEST"},
    {"SHARED_FAIL", "import", "cannot be shared with its peers: CL_INVALID_VALUE"},
    {"SHARED_FAIL", "acquire", "cannot be shared with its peers: CL_OUT_OF_RESOURCES"},
};

START_TEST(obstacle)
{
    setenv(obstacles[_i].name, obstacles[_i].value, 1);
    set_variable("peer", "1");
    struct programs p = start("static");
    run(&p, 3);
    ck_assert_uint_ge(cl_lines_with(cl_folder_path("log"), obstacles[_i].says), 1);
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("copies"), "copy"), 0);
    ck_assert_uint_eq(mapped("memfd:fake-cuda"), 0);
    stop(&p);
}
END_TEST

/* ---- opened beside the program ---- */

/* `much`: opens from the start on. */
static struct programs start_beside(const char *slot, const char *grain, bool much)
{
    set_variable("peer", "auto");
    setenv("FAKE_CUDA_OPEN", "300000", 0);
    set_variable("staging", slot);
    setenv("FAKE_CUDA_GRAIN", grain, 1);
    if (much)
        set_variable("peer_from", "0");
    return start("static");
}

/* Runs, with these buffers and new ones, until the log says so; until then everything goes through the host.
 */
static void rounds_until(const struct programs *p, cl_mem a, cl_mem b, const char *says)
{
    unsigned tries = 0;
    while (cl_lines_with(cl_folder_path("log"), says) == 0) {
        const bool before = cl_lines_with(cl_folder_path("log"), "bytes directly") == 0;
        ck_assert_uint_lt(tries++, 2000);
        if (before) {
            ck_assert_uint_eq(cl_lines_with(cl_folder_path("copies"), "copy"), 0);
            ck_assert_uint_eq(cl_lines_with(cl_folder_path("slots"), "copy"), 0);
        }
        rounds(p, a, b, 3);
        run(p, 1);
        usleep(10000);
    }
}

/* Shadows that were there before use slots afterwards, new ones are shared. */
START_TEST(beside)
{
    struct programs p = start_beside(_i ? "1" : "0", _i == 1 ? "2097152" : "4096", true);
    cl_mem a = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL), b = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL);
    rounds_until(&p, a, b, "devices exchange bytes directly, from");
    const unsigned direct = cl_lines_with(cl_folder_path("copies"), "copy"),
                   in_slots = cl_lines_with(cl_folder_path("slots"), "copy");
    rounds(&p, a, b, 4);
    if (_i)
        ck_assert_uint_ge(cl_lines_with(cl_folder_path("slots"), "copy"), in_slots + 2);
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("copies"), "copy"), direct);
    run(&p, 6);
    if (_i != 1)
        ck_assert_uint_ge(cl_lines_with(cl_folder_path("copies"), "copy"), direct + 2);
    rounds(&p, a, b, 3);
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), "bytes directly"), 1);
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("copies"), "init"), 1);
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseMemObject(b));
    stop(&p);
    ck_assert(cl_unmapped("memfd:fake-cuda"));
}
END_TEST

static const struct {
    const char *name, *value, *says;
} obstacles_beside[] = {
    {"FAKE_CUDA_APART", "1", "none reaches another's memory"},
    {"FAKE_CUDA_DEVICES", "1", "none reaches another's memory"},
    {"COEXEC_LIBCUDA", "libno-such-library.so", "directly: libno-such-library.so"},
    {"FAKE_CUDA_FAIL", "cuInit:1:100", "cannot be initialised: CUDA_ERROR_OF_THE_TEST"},
    {"FAKE_CUDA_FAIL", "cuDeviceGetCount:1:100", "cannot be initialised: CUDA_ERROR_OF_THE_TEST"},
    {"FAKE_CUDA_FAIL", "cuDevicePrimaryCtxRetain:2:100", "none reaches another's memory"},
    {"FAKE_CUDA_FAIL", "cuMemGetAllocationGranularity:1:100", "none reaches another's memory"},
};

START_TEST(fails_beside)
{
    setenv(obstacles_beside[_i].name, obstacles_beside[_i].value, 1);
    setenv("FAKE_CUDA_OPEN", "50000", 1);
    struct programs p = start_beside("1", "4096", true);
    cl_mem a = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL), b = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL);
    rounds_until(&p, a, b, obstacles_beside[_i].says);
    run(&p, 3);
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), "no devices exchange bytes directly"), 1);
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("copies"), "copy"), 0);
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("slots"), "copy"), 0);
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseMemObject(b));
    stop(&p);
}
END_TEST

/* Contexts come and go while the library opens, once a process. */
START_TEST(many_beside)
{
    cl_int error;
    struct programs p = start_beside("1", "4096", true);
    for (unsigned i = 0; i < 200; i++) {
        cl_context context = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &error);
        cl_ok(error);
        cl_command_queue queue = clCreateCommandQueue(context, cl.device, 0, &error);
        cl_ok(error);
        cl_ok(clReleaseCommandQueue(queue));
        cl_ok(clReleaseContext(context));
    }
    cl_mem a = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL), b = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL);
    rounds_until(&p, a, b, "devices exchange bytes directly, from");
    rounds(&p, a, b, 4);
    ck_assert_uint_ge(cl_lines_with(cl_folder_path("slots"), "copy"), 2);
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("copies"), "init"), 1);
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("copies"), "context of device"), 2);
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseMemObject(b));
    stop(&p);
}
END_TEST

/* The process ends well meanwhile, with all objects alive or none; so does a child of it. */
START_TEST(ends_beside)
{
    int status = -1;
    struct programs p = start_beside("1", "4096", true);
    run(&p, 2);
    if (_i == 0)
        stop(&p);
    if (_i == 1) {
        const pid_t child = fork();
        if (child == 0)
            exit(0);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_int_eq(status, 0);
        run(&p, 2);
    }
    exit(0);
}
END_TEST

/* Small programs do without. */
START_TEST(little_no_opening)
{
    struct programs p = start_beside("1", "4096", false);
    run(&p, 3);
    usleep(50000);
    ck_assert_uint_eq(mapped("libfakecuda"), 0);
    stop(&p);
}
END_TEST

/* So do those that ask for more than can be had. */
START_TEST(refused_no_opening)
{
    struct programs p = start_beside("1", "4096", false);
    cl_ulong most;
    cl_int code;
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(most), &most, NULL));
    ck_assert_ptr_null(clCreateBuffer(cl.context, CL_MEM_READ_WRITE, 64 * (size_t)most, NULL, &code));
    ck_assert_int_eq(code, CL_INVALID_BUFFER_SIZE);
    usleep(50000);
    ck_assert_uint_eq(mapped("libfakecuda"), 0);
    stop(&p);
}
END_TEST

/* But not those that go on for long. */
START_TEST(little_for_long)
{
    struct programs p = start_beside("1", "4096", false);
    cl_mem a = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL), b = cl_buffer(CL_MEM_READ_WRITE, BYTES, NULL);
    rounds(&p, a, b, 600);
    rounds_until(&p, a, b, "devices exchange bytes directly, from");
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseMemObject(b));
    stop(&p);
}
END_TEST

/* ---- failures ---- */

/* Asked once a process, and again and again. */
static const char *const opening[] = {"cuDeviceGetCount", "cuDevicePrimaryCtxRetain"};
static const char *const calls[] = {
    "cuDeviceGet",
    "cuDeviceGetUuid",
    "cuDeviceCanAccessPeer",
    "cuCtxGetCurrent",
    "cuCtxSetCurrent",
    "cuMemGetAllocationGranularity",
    "cuMemCreate",
    "cuMemAddressReserve",
    "cuMemMap",
    "cuMemSetAccess",
    "cuMemExportToShareableHandle",
    "cuMemcpyDtoDAsync_v2",
    "copying",
    "cuStreamCreate",
    "cuStreamSynchronize",
    "cuEventCreate",
    "cuEventRecord",
    "cuEventQuery",
    "cuEventSynchronize",
};

/* Results are right, and no memory stays. */
static void survive(const char *call, const char *when, const char *algo)
{
    char rule[96];
    snprintf(rule, sizeof(rule), "%s:%s:999", call, when);
    setenv("FAKE_CUDA_FAIL", rule, 1);
    struct programs p = start(algo);
    run(&p, 5);
    cl_ok(clFinish(cl.queue));
    ck_assert_uint_eq(mapped("memfd:fake-cuda"), 0);
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), "fails to move data"), 0);
    stop(&p);
}

START_TEST(opening_fails)
{
    survive(opening[_i / 2], _i % 2 ? "2" : "1", "static");
}
END_TEST

/* The first, the second, and all calls from the third on. */
START_TEST(failures)
{
    static const char *const when[] = {"1", "2", "3+"};
    for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        if (i % 3 == (unsigned)_i % 3)
            survive(calls[i], when[(i + (unsigned)_i / 3) % 3], algos[(i + (unsigned)_i) % 2]);
}
END_TEST

START_TEST(copy_fails)
{
    setenv("FAKE_CUDA_FAIL", "copying:2:700", 1);
    struct programs p = start(algos[_i]);
    run(&p, 8);
    ck_assert_uint_eq(
        cl_lines_with(cl_folder_path("log"), "CUDA_ERROR_OF_THE_TEST; their bytes go through the host"), 1);
    stop(&p);
}
END_TEST

/* One of three devices refuses its part of a launch when the others have done theirs: each of them does more,
 * and neither waits for the other to be through with the launch. */
START_TEST(late_refusal)
{
    char rule[32];
    snprintf(rule, sizeof(rule), "launch:%d", _i + 4); /* of the first one that copies from peers, or later */
    setenv("SHARED_FAIL", rule, 1);
    setenv("POCL_DEVICES", "pthread pthread pthread", 1);
    setenv("FAKE_CUDA_DEVICES", "3", 1);
    struct programs p = start("static");
    run(&p, 6);
    stop(&p);
}
END_TEST

/* ---- through slots ---- */

/* Kilobytes of a slot, and whether buffers are shared as well, so that what is longer goes directly. */
static const struct {
    const char *slot;
    bool shared;
} slots[] = {{"1", false}, {"3", false}, {"8192", false}, {"1", true}, {"8192", true}};
enum { WAYS = sizeof(slots) / sizeof(slots[0]) };

static struct programs start_slots(unsigned way, const char *algo)
{
    set_variable("staging", slots[way].slot);
    setenv("FAKE_CUDA_GRAIN", slots[way].shared ? "4096" : "2097152", 1);
    return start(algo);
}

START_TEST(by_slots)
{
    const unsigned way = (unsigned)_i % WAYS;
    struct programs p = start_slots(way, "static");
    run(&p, 6);
    flip_columns(&p);
    run(&p, 3);
    if (way == 3) /* nothing fits into one */
        ck_assert_uint_ge(cl_lines_with(cl_folder_path("copies"), "copy"), 2);
    else
        ck_assert_uint_ge(cl_lines_with(cl_folder_path("slots"), "copy"), 8);
    if (!slots[way].shared)
        ck_assert_uint_eq(cl_lines_with(cl_folder_path("copies"), "copy"), 0);
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), "cannot"), 0);
    stop(&p);
    ck_assert(cl_unmapped("memfd:fake-cuda"));
}
END_TEST

/* Halves that fail, one or all of them: the same bytes come through the host. */
START_TEST(slot_fails)
{
    char rule[32];
    snprintf(rule, sizeof(rule), "copy:%d%s", _i % 8 + 1, _i < 8 ? "" : "+");
    setenv("SHARED_FAIL", rule, 1);
    struct programs p = start_slots((unsigned)_i % 3, "static");
    run(&p, 6);
    flip_columns(&p);
    ck_assert_uint_ge(
        cl_lines_with(cl_folder_path("log"), "CL_OUT_OF_RESOURCES; their bytes go through the host"), 1);
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("log"), "fails to move data"), 0);
    stop(&p);
    ck_assert(cl_unmapped("memfd:fake-cuda"));
}
END_TEST

/* Slots that cannot be had, on one device or on both, or not by the other one. */
START_TEST(no_slots)
{
    static const char *const rules[] = {"cuMemCreate:1:2", "cuMemCreate:1+:2", "cuMemCreate:2:2",
                                        "cuMemExportToShareableHandle:2:999", "cuMemMap:1:999"};
    setenv("FAKE_CUDA_FAIL", rules[_i], 1);
    struct programs p = start_slots(0, "static");
    run(&p, 6);
    flip_columns(&p);
    stop(&p);
    ck_assert(cl_unmapped("memfd:fake-cuda"));
}
END_TEST

/* ---- nothing stays ---- */

START_TEST(cycles)
{
    enum { ROUNDS = 100, WARM = 20 };
    unsigned files = 0, maps = 0;
    struct programs p = _i ? start_slots(0, "static") : start("static");
    for (unsigned i = 0; i < ROUNDS; i++) {
        run(&p, 2);
        cl_ok(clFinish(cl.queue));
        if (i == WARM) {
            files = open_files();
            maps = mapped("");
        }
    }
    ck_assert_uint_eq(mapped("memfd:fake-cuda"), _i ? 6 : 0); /* two devices' slots, each mapped thrice */
    ck_assert_uint_le(open_files(), files + 16);              /* helpers come and go */
    ck_assert_uint_le(mapped(""), maps + 40);
    stop(&p);
}
END_TEST

START_TEST(contexts)
{
    unsigned files = 0;
    for (unsigned i = 0; i < 8; i++) {
        struct programs p = i % 2 ? start_slots(0, "static") : start("static");
        run(&p, 2);
        stop(&p);
        if (i == 2)
            files = open_files();
    }
    ck_assert(cl_unmapped("memfd:fake-cuda"));
    ck_assert_uint_le(open_files(), files + 16);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("peer");
    TCase *tcase = tcase_create("peer");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, copies, 0, 2);
    tcase_add_test(tcase, columns);
    tcase_add_test(tcase, parts);
    tcase_add_test(tcase, not_asked);
    tcase_add_test(tcase, alone);
    tcase_add_test(tcase, small);
    tcase_add_loop_test(tcase, large, 0, 6);
    tcase_add_loop_test(tcase, obstacle, 0, (int)(sizeof(obstacles) / sizeof(obstacles[0])));
    tcase_add_loop_test(tcase, beside, 0, 3);
    tcase_add_loop_test(tcase, fails_beside, 0,
                        (int)(sizeof(obstacles_beside) / sizeof(obstacles_beside[0])));
    tcase_add_test(tcase, many_beside);
    tcase_add_loop_exit_test(tcase, ends_beside, 0, 0, 3);
    tcase_add_test(tcase, little_no_opening);
    tcase_add_test(tcase, refused_no_opening);
    tcase_add_test(tcase, little_for_long);
    tcase_add_loop_test(tcase, opening_fails, 0, 4);
    tcase_add_loop_test(tcase, failures, 0, getenv("PEER_TEST_LONG") ? 9 : 3);
    tcase_add_loop_test(tcase, copy_fails, 0, 2);
    tcase_add_loop_test(tcase, late_refusal, 0, 6);
    tcase_add_loop_test(tcase, by_slots, 0, WAYS);
    tcase_add_loop_test(tcase, slot_fails, 0, 16);
    tcase_add_loop_test(tcase, no_slots, 0, 5);
    tcase_add_loop_test(tcase, cycles, 0, 2);
    tcase_add_test(tcase, contexts);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
