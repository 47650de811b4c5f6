/* SPDX-License-Identifier: MIT */
/* What kernels print: each line once, launches in their order, all of it there when the queue is finished. */
#include "cl_fixture.h"

#include <stdio.h>
#include <unistd.h>

static const char text[] = "__kernel void say(int tag)\n"
                           "{ printf(\"%d:%d\\n\", tag, (int)get_global_id(0)); }\n"
                           "__kernel void sum(__global int *a)\n"
                           "{ size_t i = get_global_id(0); a[i] += (int)i; }\n";

enum { LAUNCHES = 6, ITEMS = 64 };

START_TEST(once_and_in_order)
{
    char path[] = "/tmp/coexec-printf-XXXXXX";
    unsigned seen[LAUNCHES][ITEMS] = {{0}};
    size_t items = ITEMS, group = 8;
    int tag, id, last = 0;
    cl_int error, a[ITEMS] = {0};
    cl_program program = cl_build(text, "");
    cl_kernel say = clCreateKernel(program, "say", &error), sum = clCreateKernel(program, "sum", &error);
    cl_ok(error);
    cl_mem mem = cl_buffer(CL_MEM_COPY_HOST_PTR, sizeof(a), a);
    cl_set_mem(sum, 0, mem);

    fflush(stdout);
    int out = dup(STDOUT_FILENO), file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_ge(dup2(file, STDOUT_FILENO), 0);
    for (int i = 0; i < LAUNCHES; i++) {
        cl_set_int(say, 0, i);
        cl_ok(clEnqueueNDRangeKernel(cl.queue, say, 1, NULL, &items, &group, 0, NULL, NULL));
        cl_ok(clEnqueueNDRangeKernel(cl.queue, sum, 1, NULL, &items, &group, 0, NULL, NULL));
    }
    cl_ok(clFinish(cl.queue));
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    close(out);
    close(file);

    FILE *read = fopen(path, "r");
    ck_assert_ptr_nonnull(read);
    while (fscanf(read, "%d:%d\n", &tag, &id) == 2) {
        ck_assert(tag >= last && tag < LAUNCHES && id >= 0 && id < ITEMS);
        seen[tag][id]++;
        last = tag;
    }
    ck_assert(feof(read));
    fclose(read);
    unlink(path);
    for (int i = 0; i < LAUNCHES; i++)
        for (int j = 0; j < ITEMS; j++)
            ck_assert_uint_eq(seen[i][j], 1);
    cl_read(mem, a, sizeof(a));
    for (int i = 0; i < ITEMS; i++)
        ck_assert_int_eq(a[i], LAUNCHES * i);
    cl_ok(clReleaseMemObject(mem));
    cl_ok(clReleaseKernel(say));
    cl_ok(clReleaseKernel(sum));
    cl_ok(clReleaseProgram(program));
}
END_TEST

START_TEST(buffer_size)
{
    size_t size = 0;
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_PRINTF_BUFFER_SIZE, sizeof(size), &size, NULL));
    ck_assert_uint_ge(size, 1024);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("printf");
    TCase *tests = cl_case(suite, "printf");
    tcase_add_test(tests, once_and_in_order);
    tcase_add_test(tests, buffer_size);
    return tap_run(suite);
}
