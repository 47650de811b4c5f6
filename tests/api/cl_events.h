/* SPDX-License-Identifier: MIT */
/*
 * What the event tests share: a kernel, gates (user events), launches behind wait lists.
 */
#ifndef CX_TESTS_LAYER_CL_EVENTS_H
#define CX_TESTS_LAYER_CL_EVENTS_H

#include "cl_fixture.h"

__attribute__((unused)) static const char text[] =
    "__kernel void put(__global int *out, int value) { out[get_global_id(0)] = value; }\n"
    "__kernel void add(__global int *out, int value) { out[get_global_id(0)] = out[get_global_id(0)] * 3 + "
    "value; }\n"
    "__kernel void slow(__global int *out, int rounds)\n"
    "{ int x = out[get_global_id(0)]; for (int i = 0; i < rounds; i++) x = x * 1664525 + 1013904223;\n"
    "  out[get_global_id(0)] = x; }\n";

enum { ITEMS = 256 };

__attribute__((unused)) static cl_int status_of(cl_event event)
{
    cl_int status = 99;
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
    return status;
}

__attribute__((unused)) static cl_event gate_new(void)
{
    cl_int error;
    cl_event gate = clCreateUserEvent(cl.context, &error);
    cl_ok(error);
    return gate;
}

__attribute__((unused)) static void set_args(cl_kernel kernel, cl_mem mem, int value)
{
    cl_set_mem(kernel, 0, mem);
    cl_set_int(kernel, 1, value);
}

__attribute__((unused)) static cl_event launch(cl_command_queue queue, cl_kernel kernel, cl_mem mem,
                                               int value, cl_uint nwaits, const cl_event *waits)
{
    size_t items = ITEMS;
    cl_event event = NULL;
    set_args(kernel, mem, value);
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, nwaits, waits, &event));
    return event;
}

__attribute__((unused)) static int first_of(cl_mem mem)
{
    int got[ITEMS];
    cl_read(mem, got, sizeof(got));
    for (int i = 1; i < ITEMS; i++)
        ck_assert_int_eq(got[i], got[0]);
    return got[0];
}

#endif
