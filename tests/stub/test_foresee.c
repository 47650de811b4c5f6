/* SPDX-License-Identifier: MIT */
/*
 * Reads that are expected of a program because it did them before (layer/plan/result_use.h): launches run in
 * slices whose results come home before anybody asked for them. As in test_write_back.c kernels of the stub
 * GPUs wait for reads that should not wait for them.
 */
#include "cl_folder.h"
#include "write_back_gpus.h"

enum { ITEMS = 1 << 18 };
static cl_int area[ITEMS], model[3][ITEMS];
static const char *const algos[] = {"static", "dynamic"};

/* What followed the last launch is expected to follow this one: also a device's one share is run in slices.
 */
static bool expects_read(int which)
{
    write_back_gpus(algos[which]);
    setenv("STUB_SPEED", "1", 1);
    setenv("STUB_HOME", "0:10:0,1:10:1", 1); /* the last slices of the third launch */
    set_variable("link", "0.01");
    write_back_algo(algos[which], 2);
    write_back_begin();
    for (unsigned i = 0; i < 2; i++) { /* speeds are known after the second one */
        write_back_launch();
        write_back_read_part(fixture.mem[2], 0, WRITE_BACK_BYTES, fixture.z);
        cl_ok(clFinish(cl.queue));
        write_back_check_sums(fixture.z, 0, WRITE_BACK_N);
        memset(fixture.z, 0, sizeof(fixture.z));
    }
    const unsigned before = write_back_launches();
    const unsigned long since = write_back_newest();
    write_back_shut_gate();
    write_back_launch();
    write_back_read_part(fixture.mem[2], 0, WRITE_BACK_BYTES, fixture.z);
    write_back_open_gate(before + 16);
    cl_ok(clFinish(cl.queue));
    write_back_check_sums(fixture.z, 0, WRITE_BACK_N);
    const bool early = write_back_early_since(since, 0, 0) && write_back_early_since(since, 1, 1);
    write_back_end();
    cl_folder_remove();
    return early;
}

START_TEST(expected_read)
{
    ck_assert(cl_in_some_try(expects_read, _i));
}
END_TEST

/* Once it was used by another launch instead, it must be read twice before that counts again. */
START_TEST(not_expected_after_all)
{
    const unsigned expected[] = {0, 0, 1, 0, 0, 1};
    write_back_gpus("static");
    setenv("STUB_SPEED", "1", 1);
    set_variable("link", "0.01");
    write_back_begin();
    for (unsigned i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        const unsigned before = write_back_launches();
        write_back_launch();
        cl_ok(clFinish(cl.queue));
        ck_assert_int_eq(write_back_launches() > before + 2, expected[i]);
        if (i == 2)
            continue; /* the next launch finds it unread */
        cl_read(fixture.mem[2], fixture.z, WRITE_BACK_BYTES);
        write_back_check_sums(fixture.z, 0, WRITE_BACK_N);
    }
    write_back_end();
}
END_TEST

/* A launch that the program waits for before it reads: results come to the host copy while it runs, and the
 * read finds them there. */
START_TEST(foreseen)
{
    const bool maps = _i;
    cl_int code;
    write_back_gpus("static");
    setenv("STUB_SPEED", "1", 1);
    setenv("STUB_HOME", "0:10:0,1:10:1", 1); /* the last slices of the third launch */
    set_variable("link", "0.01");
    write_back_begin();
    for (unsigned i = 0; i < 4; i++) {
        const unsigned before = write_back_launches();
        const unsigned long since = write_back_newest();
        write_back_launch();
        cl_ok(clFinish(cl.queue));
        if (i == 2) {
            ck_assert_uint_eq(write_back_launches(), before + 16);
            ck_assert_uint_ge(write_back_early_since(since, 0, 0), 1);
            ck_assert_uint_ge(write_back_early_since(since, 1, 1), 1);
        }
        const unsigned long bytes = write_back_bytes_read();
        if (maps) {
            const cl_int *sums = clEnqueueMapBuffer(cl.queue, fixture.mem[2], CL_TRUE, CL_MAP_READ, 0,
                                                    WRITE_BACK_BYTES, 0, NULL, NULL, &code);
            cl_ok(code);
            write_back_check_sums(sums, 0, WRITE_BACK_N);
            cl_ok(clEnqueueUnmapMemObject(cl.queue, fixture.mem[2], (void *)sums, 0, NULL, NULL));
            cl_ok(clFinish(cl.queue));
        } else {
            cl_read(fixture.mem[2], fixture.z, WRITE_BACK_BYTES);
            write_back_check_sums(fixture.z, 0, WRITE_BACK_N);
        }
        if (i == 2)
            ck_assert_uint_le(write_back_bytes_read() - bytes, WRITE_BACK_BYTES / 4);
        fixture.x[i] += 3;
        cl_write(fixture.mem[0], fixture.x, WRITE_BACK_BYTES);
    }
    ck_assert_uint_eq(write_back_bytes_read(), 4 * WRITE_BACK_BYTES); /* nothing twice */
    write_back_end();
}
END_TEST

/* A transfer to the host copy that fails is no harm to the results: what the program reads without an error
 * is right. */
static const char *const faults[] = {"clEnqueueReadBuffer:5:-5", "clEnqueueReadBuffer:5:-5:event",
                                     "clEnqueueReadBuffer:8:-5:event", "clEnqueueReadBuffer:12:-5"};

START_TEST(fails)
{
    write_back_gpus(_i % 2 ? "auto" : "static");
    setenv("STUB_SPEED", "1", 1);
    setenv("STUB_FAIL", faults[_i / 2], 1);
    set_variable("link", "0.01");
    write_back_begin();
    for (unsigned i = 0; i < 5; i++) {
        write_back_launch();
        (void)clFinish(cl.queue);
        memset(fixture.z, 0, sizeof(fixture.z));
        if (clEnqueueReadBuffer(cl.queue, fixture.mem[2], CL_TRUE, 0, WRITE_BACK_BYTES, fixture.z, 0, NULL,
                                NULL) == CL_SUCCESS)
            write_back_check_sums(fixture.z, 0, WRITE_BACK_N);
    }
    write_back_end();
}
END_TEST

/*
 * Launches whose results are read or mapped next as a rule, but also left alone, written over, copied or read
 * by another launch: whatever was sent for in vain, the program reads what it should.
 */
START_TEST(foreseen_at_random)
{
    const size_t items = ITEMS, local = 64, size = sizeof(model[0]);
    const char *const names[] = {"static", "dynamic", "auto", "sigmoid"};
    cl_int code;
    write_back_gpus(names[_i % 4]);
    write_back_algo(names[_i % 4], 6);
    set_variable("link", "0.01");
    set_variable("queues", _i / 4 % 2 ? "gpus" : "one");
    setenv("STUB_SPEED", "4,2", 1);
    setenv("STUB_LINK", "4000,1000", 1);
    setenv("STUB_LATE", "1:23:40,0:50:40", 1);
    fixture.kernel = write_back_open_kernel("stub_add");
    cl_seed((unsigned)_i);
    for (unsigned i = 0; i < 3; i++) {
        cl_noise(model[i], size);
        fixture.mem[i] = cl_buffer(CL_MEM_READ_WRITE, size, NULL);
        cl_write(fixture.mem[i], model[i], size);
        cl_set_mem(fixture.kernel, i, fixture.mem[i]);
    }
    for (unsigned i = 0; i < 30; i++) {
        cl_ok(clEnqueueNDRangeKernel(cl.queue, fixture.kernel, 1, NULL, &items, &local, 0, NULL, NULL));
        for (int k = 0; k < ITEMS; k++)
            model[2][k] = (cl_int)((cl_uint)model[0][k] + (cl_uint)model[1][k]);
        if (cl_roll(2))
            cl_ok(clFinish(cl.queue));
        const unsigned what = cl_roll(12), at = cl_roll(ITEMS / 2) * sizeof(cl_int);
        if (what == 0) {
            memset((char *)model[2] + at, 1, size / 2);
            memset((char *)area + at, 1, size / 2);
            cl_ok(clEnqueueWriteBuffer(cl.queue, fixture.mem[2], CL_FALSE, at, size / 2, (char *)area + at, 0,
                                       NULL, NULL));
        } else if (what == 1) {
            cl_ok(clEnqueueCopyBuffer(cl.queue, fixture.mem[2], fixture.mem[0], 0, 0, size, 0, NULL, NULL));
            memcpy(model[0], model[2], size);
        } else if (what == 2) {
            const cl_int one = 1;
            cl_ok(clEnqueueFillBuffer(cl.queue, fixture.mem[2], &one, sizeof(one), at, size / 2, 0, NULL,
                                      NULL));
            for (unsigned k = 0; k < ITEMS / 2; k++)
                model[2][at / sizeof(cl_int) + k] = 1;
        } else if (what == 3) {
            continue;
        }
        if (what < 6) {
            cl_int *sums = clEnqueueMapBuffer(cl.queue, fixture.mem[2], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                                              0, size, 0, NULL, NULL, &code);
            cl_ok(code);
            ck_assert_int_eq(memcmp(sums, model[2], size), 0);
            sums[at / sizeof(cl_int)] = model[2][at / sizeof(cl_int)] = 7;
            cl_ok(clEnqueueUnmapMemObject(cl.queue, fixture.mem[2], sums, 0, NULL, NULL));
        } else {
            cl_read(fixture.mem[2], area, size);
            ck_assert_int_eq(memcmp(area, model[2], size), 0);
        }
    }
    for (unsigned i = 0; i < 3; i++) {
        cl_read(fixture.mem[i], area, size);
        ck_assert_int_eq(memcmp(area, model[i], size), 0);
    }
    write_back_end();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("foresee");
    TCase *tcase = tcase_create("foresee");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, NULL, cl_folder_remove);
    tcase_add_loop_test(tcase, expected_read, 0, sizeof(algos) / sizeof(algos[0]));
    tcase_add_test(tcase, not_expected_after_all);
    tcase_add_loop_test(tcase, foreseen, 0, 2);
    tcase_add_loop_test(tcase, fails, 0, 2 * sizeof(faults) / sizeof(faults[0]));
    tcase_add_loop_test(tcase, foreseen_at_random, 0, 12);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
