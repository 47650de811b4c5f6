/* SPDX-License-Identifier: MIT */
/*
 * Kernels whose result depends on the order in which work-groups run. One device runs them nearly always in
 * one order, that of their numbers, and programs have come to rely on it; a split must not take that away.
 * Nor may it keep those apart that wait for each other.
 */
#include "cl_fixture.h"

enum { GROUPS = 512, LOCAL = 16, ITEMS = GROUPS * LOCAL };

static const char text[] =
    "__kernel void least(__global const float *in, __global float *out, int rounds, __local float *m)\n"
    "{ size_t i = get_global_id(0), l = get_local_id(0); float v = in[i];\n"
    "  out[i] = 1e21f;\n"
    "  for (int r = 0; r < rounds; r++) v = sqrt(v * v + 1e-9f);\n"
    "  m[l] = v; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  if (l == 0) { for (size_t j = 1; j < get_local_size(0); j++) m[0] = fmin(m[0], m[j]);\n"
    "    out[get_group_id(0)] = m[0]; } }\n";

/* Each item resets its own place, the first of each group then stores the group's minimum where an item of an
 * earlier group has. */
START_TEST(minima_outlast_resets)
{
    static float in[ITEMS], out[ITEMS];
    cl_kernel kernel = cl_kernel_of(text, "least");
    for (int i = 0; i < ITEMS; i++)
        in[i] = 1 + (float)(i * 7919 % 1000) * .001f;
    cl_mem from = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(in), in), to = cl_buffer(0, sizeof(out), NULL);
    cl_set_mem(kernel, 0, from);
    cl_set_mem(kernel, 1, to);
    cl_set_int(kernel, 2, 50);
    cl_ok(clSetKernelArg(kernel, 3, LOCAL * sizeof(float), NULL));
    for (int launch = 0; launch < 4; launch++) {
        const size_t items = ITEMS, local = LOCAL;
        cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
        cl_read(to, out, sizeof(out));
        for (int i = 0; i < ITEMS; i++)
            ck_assert_msg((out[i] < 3) == (i < GROUPS), "launch %d left %g at %d", launch, (double)out[i], i);
    }
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(from));
    cl_ok(clReleaseMemObject(to));
}
END_TEST

static const char meeting[] =
    "__kernel void meet(volatile __global int *met, __global int *out, int rounds)\n"
    "{ int n = get_num_groups(0);\n"
    "  for (int r = 1; r <= rounds; r++) {\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);\n"
    "    if (get_local_id(0) == 0) { atomic_inc(met); while (atomic_add(met, 0) < r * n); }\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE); }\n"
    "  out[get_global_id(0)] = get_group_id(0); }\n";

/* As many work-groups as there are compute units wait for each other, which ends if all of them run at once.
 */
START_TEST(a_group_a_unit_meets)
{
    enum { MOST = 256 };
    static int out[MOST * LOCAL], zero;
    cl_uint units;
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, NULL));
    const size_t groups = units < MOST ? units : MOST, items = groups * LOCAL, local = LOCAL;
    cl_kernel kernel = cl_kernel_of(meeting, "meet");
    cl_mem met = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(zero), &zero), to = cl_buffer(0, sizeof(out), NULL);
    cl_set_mem(kernel, 0, met);
    cl_set_mem(kernel, 1, to);
    cl_set_int(kernel, 2, 4);
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    cl_read(to, out, sizeof(out));
    for (size_t i = 0; i < items; i++)
        ck_assert_int_eq(out[i], (int)(i / LOCAL));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(met));
    cl_ok(clReleaseMemObject(to));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("races");
    tcase_add_test(cl_case(suite, "order"), minima_outlast_resets);
    tcase_add_test(cl_case(suite, "meeting"), a_group_a_unit_meets);
    return tap_run(suite);
}
