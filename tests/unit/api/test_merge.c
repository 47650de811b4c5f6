/* SPDX-License-Identifier: MIT */
/*
 * The parts of merging and of private copies by themselves: finding changed blocks on the host and on a
 * device against a plain comparison, neutral elements and combination against plain arithmetic, and regions
 * as runs of bytes.
 */
#include "capture.h"
#include "layer/memory/coherence_map.h"
#include "layer/memory/host_copy.h"
#include "layer/memory/storage.h"
#include "layer/object/device.h"
#include "layer/launch/diff.h"
#include "layer/base/entry.h"
#include "layer/launch/region_ranges.h"
#include "layer/launch/private_copies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 1;

static uint64_t roll(uint64_t below)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (state >> 20) % below;
}

/* ---- changed blocks ---- */

enum { ROOM = 40 * CX_DIFF_BLOCK };

/* Contents before and after, with some bytes changed; gives the blocks that differ. */
static void change(unsigned char *before, unsigned char *now, size_t bytes, unsigned char *expected)
{
    memset(expected, 0, cx_diff_bytes(bytes));
    for (size_t i = 0; i < bytes; i++)
        now[i] = before[i] = (unsigned char)roll(256);
    for (uint64_t n = roll(6); n > 0; n--) {
        size_t at = (size_t)roll(bytes);
        now[at] = (unsigned char)(before[at] + 1 + roll(255));
    }
    for (size_t i = 0; i < bytes; i++)
        expected[i / CX_DIFF_BLOCK / 8] |= (unsigned char)((now[i] != before[i]) << i / CX_DIFF_BLOCK % 8);
}

static size_t some_size(void)
{
    switch (roll(4)) {
    case 0:
        return 1 + (size_t)roll(40);
    case 1:
        return (1 + (size_t)roll(32)) * CX_DIFF_BLOCK;
    default:
        return 1 + (size_t)roll(32 * CX_DIFF_BLOCK);
    }
}

START_TEST(host_blocks)
{
    static unsigned char before[ROOM], now[ROOM], flags[64], expected[64];
    for (unsigned round = 0; round < 500; round++) {
        size_t bytes = some_size();
        change(before, now, bytes, expected);
        cx_diff_host(now, before, bytes, flags);
        ck_assert_mem_eq(flags, expected, cx_diff_bytes(bytes));
    }
}
END_TEST

static struct cx_context *open_context(cl_context *handle)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    clean_environment();
    set_environment("POCL_DEVICES", "basic pthread", "POCL_MAX_PTHREAD_COUNT", "1", "COEXEC_BUDGET", "1",
                    "analysis", "0", NULL);
    ck_assert_int_eq(cx_clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    ck_assert_int_eq(cx_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), CL_SUCCESS);
    *handle = cx_clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    ck_assert_int_eq(error, CL_SUCCESS);
    return cx_context_from(*handle);
}

static void compare_on(struct cx_worker *worker)
{
    static unsigned char before[ROOM], now[ROOM], flags[64], expected[64];
    const cl_icd_dispatch *cl = worker->device->cl;
    cl_int error;
    for (unsigned round = 0; round < 60; round++) {
        size_t bytes = some_size(), lo = (size_t)roll(4) * CX_DIFF_BLOCK;
        cl_event event[2];
        change(before, now, bytes, expected);
        cl_mem x = cl->clCreateBuffer(worker->real_context, CL_MEM_READ_WRITE, lo + bytes, NULL, &error);
        ck_assert_int_eq(error, CL_SUCCESS);
        cl_mem y = cl->clCreateBuffer(worker->real_context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
                                      before, &error);
        ck_assert_int_eq(error, CL_SUCCESS);
        ck_assert_int_eq(cl->clEnqueueWriteBuffer(worker->queue, x, CL_TRUE, lo, bytes, now, 0, NULL, NULL),
                         CL_SUCCESS);
        if (worker->diff)
            worker->diff->failed = round % 4 == 3; /* the host's way */
        ck_assert_int_eq(cx_diff_device(worker, x, lo, y, bytes, flags, event), CL_SUCCESS);
        ck_assert_int_eq(worker->diff->failed, !event[1]);
        if (event[1])
            ck_assert_int_eq(cl->clWaitForEvents(2, event), CL_SUCCESS);
        ck_assert_mem_eq(flags, expected, cx_diff_bytes(bytes));
        ck_assert_int_eq(cx_worker_drop_events(worker, event, 2), CL_SUCCESS);
        cl->clReleaseMemObject(x);
        cl->clReleaseMemObject(y);
    }
}

START_TEST(device_blocks)
{
    cl_context handle;
    struct cx_context *context = open_context(&handle);
    for (unsigned m = 0; m < context->nmembers; m++)
        compare_on(&context->workers[m]);
    cx_clReleaseContext(handle);
}
END_TEST

/* ---- combination ---- */

static uint64_t apply(unsigned op, unsigned width, uint64_t x, uint64_t y)
{
    const uint64_t mask = width == 8 ? UINT64_MAX : UINT32_MAX;
    int64_t sx = width == 8 ? (int64_t)x : (int32_t)x, sy = width == 8 ? (int64_t)y : (int32_t)y;
    switch (op) {
    case CX_ATOMIC_ADD:
        return (x + y) & mask;
    case CX_ATOMIC_MIN:
        return sx < sy ? x : y;
    case CX_ATOMIC_MAX:
        return sx > sy ? x : y;
    case CX_ATOMIC_UMIN:
        return x < y ? x : y;
    case CX_ATOMIC_UMAX:
        return x > y ? x : y;
    case CX_ATOMIC_AND:
        return x & y;
    case CX_ATOMIC_OR:
        return x | y;
    default:
        return x ^ y;
    }
}

static const unsigned operations[] = {CX_ATOMIC_ADD,  CX_ATOMIC_MIN, CX_ATOMIC_MAX, CX_ATOMIC_UMIN,
                                      CX_ATOMIC_UMAX, CX_ATOMIC_AND, CX_ATOMIC_OR,  CX_ATOMIC_XOR};

/* An original updated by two devices, each in a copy that starts at the neutral element: the order must not
 * matter. */
START_TEST(combines)
{
    for (unsigned round = 0; round < 20000; round++) {
        const unsigned op = operations[roll(sizeof(operations) / sizeof(*operations))];
        const unsigned width = roll(2) ? 8 : 4;
        const uint64_t mask = width == 8 ? UINT64_MAX : UINT32_MAX;
        uint64_t original = (roll(UINT64_MAX) << (round % 30)) & mask, expected = original, copy[2] = {0, 0};
        for (unsigned device = 0; device < 2; device++) {
            unsigned char neutral[8];
            cx_private_copies_neutral(op, width, neutral);
            memcpy(&copy[device], neutral, width);
            for (uint64_t n = roll(4); n > 0; n--) {
                uint64_t value = (roll(UINT64_MAX) << (n * 13)) & mask;
                copy[device] = apply(op, width, copy[device], value);
                expected = apply(op, width, expected, value);
            }
        }
        uint64_t got = original;
        cx_private_copies_combine(op, width, (unsigned char *)&got, (unsigned char *)&copy[0], width);
        cx_private_copies_combine(op, width, (unsigned char *)&got, (unsigned char *)&copy[1], width);
        ck_assert_msg(got == expected, "operation %u, width %u", op, width);
    }
}
END_TEST

START_TEST(combines_floats)
{
    float sums[3] = {1.5f, -0.0f, 3.0f}, deltas[3] = {0.25f, 0, -3.0f};
    double wide[2] = {1.5, -2.5}, more[2] = {2, 0};
    unsigned char neutral[8];
    float nothing;

    cx_private_copies_neutral(CX_ATOMIC_FADD, 4, neutral);
    memcpy(&nothing, neutral, 4);
    ck_assert(nothing == 0 && signbit(nothing)); /* plus zero would turn minus zero into plus zero */
    memcpy(&deltas[1], neutral, 4);
    cx_private_copies_combine(CX_ATOMIC_FADD, 4, (unsigned char *)sums, (unsigned char *)deltas,
                              sizeof(sums));
    ck_assert(sums[0] == 1.75f && sums[1] == 0 && signbit(sums[1]) && sums[2] == 0);
    cx_private_copies_neutral(CX_ATOMIC_FADD, 8, neutral);
    memcpy(&more[1], neutral, 8);
    cx_private_copies_combine(CX_ATOMIC_FADD, 8, (unsigned char *)wide, (unsigned char *)more, sizeof(wide));
    ck_assert(wide[0] == 3.5 && wide[1] == -2.5);
}
END_TEST

/* ---- runs of bytes ---- */

START_TEST(rows_of_boxes)
{
    struct cx_mem root = {.size = 1000}, window = {.origin = 100, .size = 300};
    struct cx_access_region region = {.write = {.lo = 10, .hi = 250, .known = true}, .nwrite = 2};
    struct cx_byte_ranges ranges;

    region.write_box[0] =
        (struct cx_access_box){.lo = 10, .len = 4, .stride = {20, 0}, .count = {3, 1}, .exact = true};
    region.write_box[1] =
        (struct cx_access_box){.lo = 100, .len = 10, .stride = {10, 100}, .count = {2, 2}, .exact = false};
    ck_assert(cx_region_ranges(&ranges, &root, &region, true, false));
    ck_assert_uint_eq(ranges.count, 5); /* neighbouring rows become one run */
    ck_assert(ranges.range[2].lo == 50 && ranges.range[2].hi == 54);
    ck_assert(ranges.range[4].lo == 200 && ranges.range[4].hi == 220);
    cx_byte_ranges_finish(&ranges);
    ck_assert(cx_region_ranges(&ranges, &window, &region, true,
                               true)); /* clipped, moved, without what is written surely */
    ck_assert_uint_eq(ranges.count, 2);
    ck_assert(ranges.range[0].lo == 200 && ranges.range[1].hi == 320);
    cx_byte_ranges_finish(&ranges);
    region.nwrite = 0;
    ck_assert(cx_region_ranges(&ranges, &window, &region, true, true));
    ck_assert(ranges.count == 1 && ranges.range[0].lo == 110 && ranges.range[0].hi == 350);
    cx_byte_ranges_finish(&ranges);
}
END_TEST

enum { ROWS = 16, PITCH = 65536 };

/* What the place needs before it writes, or reads, the rows, in ranges and bytes. */
static size_t needs_for(const struct cx_mem *mem, const struct cx_access_region *rows, bool write,
                        unsigned place, uint64_t *bytes) CX_UNCHECKED
{
    struct cx_byte_ranges ranges;
    ck_assert(cx_region_needs(&ranges, mem, rows, write, place));
    *bytes = 0;
    for (size_t i = 0; i < ranges.count; i++)
        *bytes += ranges.range[i].hi - ranges.range[i].lo;
    const size_t count = ranges.count;
    cx_byte_ranges_finish(&ranges);
    return count;
}

static size_t needs(const struct cx_mem *mem, const struct cx_access_region *rows, unsigned place,
                    uint64_t *bytes) CX_UNCHECKED
{
    return needs_for(mem, rows, true, place, bytes);
}

/* A column of a matrix that a device holds stays one segment of the map. One that it does not hold is kept
 * row by row for as long as that has cost less than bringing what lies between, and where some of that was
 * lost. */
static void keep_rows(bool apart, bool lost) CX_UNCHECKED
{
    struct cx_storage storage = {.coherence = cx_coherence_create((uint64_t)ROWS * PITCH, 3, 2)};
    struct cx_mem mem = {.root = &mem, .size = (uint64_t)ROWS * PITCH, .storage = &storage};
    const uint64_t hull = (ROWS - 1) * PITCH + 64;
    struct cx_access_region rows = {.write = {.lo = 0, .hi = hull, .known = true, .apart = apart},
                                    .nwrite = 1};
    uint64_t bytes;
    unsigned rounds = 0;
    rows.write_box[0] =
        (struct cx_access_box){.lo = 0, .len = 64, .stride = {PITCH, 0}, .count = {ROWS, 1}, .exact = true};
    ck_assert(cx_coherence_own(storage.coherence, 0, mem.size, 1));
    ck_assert_int_eq(cx_region_takes_gaps(&mem, &rows, 1), apart);
    ck_assert_uint_eq(needs(&mem, &rows, 1, &bytes), 0);
    if (lost)
        ck_assert(cx_coherence_void(storage.coherence, PITCH / 2, PITCH / 2 + 1));
    while (rounds < 200 && needs(&mem, &rows, 2, &bytes) == 0) {
        ck_assert(!cx_region_takes_gaps(&mem, &rows, 2));
        rounds++;
    }
    ck_assert(apart && !lost ? rounds > 2 && rounds < 30 && bytes == hull : rounds == 200);
    ck_assert(cx_coherence_validate(storage.coherence, 0, hull, 2));
    ck_assert_int_eq(cx_region_takes_gaps(&mem, &rows, 2), apart);
    ck_assert(!apart || lost || !cx_region_takes_gaps(&mem, &rows, 2)); /* it has been spent */
    cx_coherence_destroy(storage.coherence);
}

/* A column that is read: looking for each row is not done for ever where one look would do. */
static void read_rows(bool apart, bool lost) CX_UNCHECKED
{
    struct cx_storage storage = {.coherence = cx_coherence_create((uint64_t)ROWS * PITCH, 3, 2)};
    struct cx_mem mem = {.root = &mem, .size = (uint64_t)ROWS * PITCH, .storage = &storage};
    const uint64_t hull = (ROWS - 1) * PITCH + 64;
    struct cx_access_region rows = {.read = {.lo = 0, .hi = hull, .known = true, .apart = apart}, .nread = 1};
    uint64_t bytes;
    unsigned rounds = 0;
    rows.read_box[0] = (struct cx_access_box){.lo = 0, .len = 64, .stride = {PITCH, 0}, .count = {ROWS, 1}};
    ck_assert(cx_coherence_own(storage.coherence, 0, mem.size, 1));
    ck_assert_uint_eq(needs_for(&mem, &rows, false, 1, &bytes), 0);
    if (lost)
        ck_assert(cx_coherence_void(storage.coherence, PITCH / 2, PITCH / 2 + 1));
    while (rounds < 1000 && needs_for(&mem, &rows, false, 2, &bytes) == ROWS)
        rounds++;
    ck_assert(apart && !lost ? rounds > 20 && rounds < 200 && bytes == hull : rounds == 1000);
    cx_coherence_destroy(storage.coherence);
}

START_TEST(gaps_between_rows)
{
    read_rows(true, false);
    read_rows(false, false);
    read_rows(true, true);
    keep_rows(true, false);
    keep_rows(false, false);
    keep_rows(true, true);
}
END_TEST

/* ---- copies by several threads ---- */

START_TEST(copies)
{
    cl_context handle;
    struct cx_context *context = open_context(&handle);
    const size_t room = (size_t)20 << 20;
    unsigned char *from = malloc(room), *to = malloc(room);
    ck_assert(from && to);
    for (size_t i = 0; i < room; i++)
        from[i] = (unsigned char)(i * 7 + i / 4096);
    for (unsigned round = 0; round < 24; round++) {
        size_t lo = (size_t)roll(5000), bytes = round % 3 ? (size_t)roll(room - lo) : (size_t)roll(9000);
        memset(to, 0, room);
        cx_host_copy(context, to + lo, from + lo, bytes);
        ck_assert_int_eq(memcmp(to + lo, from + lo, bytes), 0);
        ck_assert(lo == 0 || to[lo - 1] == 0);
        ck_assert(lo + bytes == room || to[lo + bytes] == 0);
    }
    memcpy(to, from, room);
    cx_host_copy(context, to + 100, to, room - 100); /* overlapping */
    ck_assert_int_eq(memcmp(to + 100, from, room - 100), 0);
    free(from);
    free(to);
    cx_clReleaseContext(handle);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("merge");
    TCase *all = tcase_create("merge");
    tcase_set_timeout(all, 60);
    tcase_add_test(all, host_blocks);
    tcase_add_test(all, device_blocks);
    tcase_add_test(all, combines);
    tcase_add_test(all, combines_floats);
    tcase_add_test(all, rows_of_boxes);
    tcase_add_test(all, gaps_between_rows);
    tcase_add_test(all, copies);
    suite_add_tcase(suite, all);
    return tap_run(suite);
}
