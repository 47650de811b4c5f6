/* SPDX-License-Identifier: MIT */
/*
 * What the API tests share: an open device in a checked fixture (after the fork: PoCL hangs when it is opened
 * before), short forms for the calls that every test makes, and a seeded random sequence. The tests know
 * nothing of coexec: they must pass on any OpenCL. CL_TEST_DEVICE=n takes the n-th device of all platforms, 0
 * by default.
 */
#ifndef CX_TESTS_LAYER_CL_FIXTURE_H
#define CX_TESTS_LAYER_CL_FIXTURE_H

#include "tap.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct cl_fixture {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue; /* in order, with profiling */
};

extern struct cl_fixture cl;

/* Checked setup and teardown. Close finishes the queue and releases everything. */
void cl_open(void);
void cl_close(void);
/* Only platform and device. */
void cl_open_device(void);

/* A test case with this fixture and a generous time limit; add tests to it. */
TCase *cl_case(Suite *suite, const char *name);

const char *cl_code_name(cl_int code);
#define cl_expect(call, expected)                                                                            \
    do {                                                                                                     \
        cl_int cl_got = (call), cl_want = (expected);                                                        \
        ck_assert_msg(cl_got == cl_want, "%s gave %s, not %s", #call, cl_code_name(cl_got),                  \
                      cl_code_name(cl_want));                                                                \
    } while (0)
#define cl_ok(call) cl_expect(call, CL_SUCCESS)
/* Either of two codes, where drivers differ. */
#define cl_expect_either(call, one, other)                                                                   \
    do {                                                                                                     \
        cl_int cl_got = (call);                                                                              \
        ck_assert_msg(cl_got == (one) || cl_got == (other), "%s gave %s", #call, cl_code_name(cl_got));      \
    } while (0)

/* These assert success. */
cl_command_queue cl_queue(cl_command_queue_properties properties);
cl_ulong cl_time_of(cl_event event, cl_profiling_info what);
cl_mem cl_buffer(cl_mem_flags flags, size_t size, void *host_ptr);
cl_program cl_build(const char *source, const char *options);
cl_program cl_build_file(const char *path);
cl_kernel cl_kernel_in(cl_program program, const char *name);
/* Of a program of their own. */
cl_kernel cl_kernel_of(const char *source, const char *name);
cl_kernel cl_kernel_of_file(const char *path, const char *name);
void cl_set_mem(cl_kernel kernel, cl_uint index, cl_mem mem);
void cl_set_int(cl_kernel kernel, cl_uint index, cl_int value);
/* One dimension, default local size, on cl.queue. */
void cl_launch(cl_kernel kernel, size_t items);
void cl_read(cl_mem mem, void *to, size_t size);
void cl_write(cl_mem mem, const void *from, size_t size);
/* Counts the event's end in a callback; how many have been counted. */
void cl_count_end(cl_event event);
unsigned cl_ends(void);
bool cl_is_coexec(void); /* for checks that crash other drivers */
/* Commands may wait for a user event. PoCL 3.1's basic device aborts or hangs; its others must be flushed
 * first. */
bool cl_user_events_work(void);
/* ... and the user event may fail (PoCL 3.1 aborts). */
bool cl_user_events_fail(void);
bool cl_out_of_order_works(void); /* the device has out-of-order queues */

/* A clock's seconds, for lengths of time. */
/* Whether it is so in one of a few tries, each in a process of its own: on a busy machine a thread may be
 * away when it should act, what comes early comes late, and speeds are measured wrong. What must hold in each
 * is asserted in the try. */
bool cl_in_some_try(bool (*try_once)(int), int with);
double cl_seconds(void);
void cl_seed(uint64_t seed);
unsigned cl_roll(unsigned below);
void cl_noise(void *room, size_t size);

#endif
