/* SPDX-License-Identifier: MIT */
/* Errors of commands: launches, transfers, maps, migration, markers. */
#include "negative.h"

enum { SIZE = 256 };

static cl_mem mem, other, foreign, hidden, write_only, read_only;
static cl_context second;
static char host[4 * SIZE];

/* A second context, and buffers of either. */
static void open_buffers(void)
{
    cl_int error;
    second = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &error);
    cl_ok(error);
    foreign = clCreateBuffer(second, 0, SIZE, NULL, &error);
    cl_ok(error);
    mem = cl_buffer(0, SIZE, NULL);
    other = cl_buffer(0, SIZE, NULL);
    hidden = cl_buffer(CL_MEM_HOST_NO_ACCESS, SIZE, NULL);
    write_only = cl_buffer(CL_MEM_HOST_WRITE_ONLY, SIZE, NULL);
    read_only = cl_buffer(CL_MEM_HOST_READ_ONLY, SIZE, NULL);
}

static void close_buffers(void)
{
    cl_mem list[] = {mem, other, foreign, hidden, write_only, read_only};
    cl_ok(clFinish(cl.queue));
    for (unsigned i = 0; i < sizeof(list) / sizeof(*list); i++)
        cl_ok(clReleaseMemObject(list[i]));
    cl_ok(clReleaseContext(second));
    negative_end();
}

START_TEST(reads_and_writes)
{
    cl_event none = NULL, strange;
    cl_int error;
    open_buffers();
    strange = clCreateUserEvent(second, &error);
    cl_ok(error);
    cl_ok(clSetUserEventStatus(strange, CL_COMPLETE));

#define READ(queue, mem, offset, size, ptr)                                                                  \
    clEnqueueReadBuffer(queue, mem, CL_TRUE, offset, size, ptr, 0, NULL, NULL)
#define WRITE(queue, mem, offset, size, ptr)                                                                 \
    clEnqueueWriteBuffer(queue, mem, CL_TRUE, offset, size, ptr, 0, NULL, NULL)
#define WAIT(count, list) clEnqueueReadBuffer(cl.queue, mem, CL_TRUE, 0, 8, host, count, list, NULL)
    ROW(CL_INVALID_COMMAND_QUEUE, READ(NULL, mem, 0, 8, host));
    ROW_POCL(CL_INVALID_COMMAND_QUEUE, CRASHES, READ((cl_command_queue)cl.context, mem, 0, 8, host));
    ROW(CL_INVALID_MEM_OBJECT, READ(cl.queue, NULL, 0, 8, host));
    ROW_POCL(CL_INVALID_MEM_OBJECT, CRASHES, READ(cl.queue, (cl_mem)cl.context, 0, 8, host));
    ROW(CL_INVALID_CONTEXT, READ(cl.queue, foreign, 0, 8, host));
    ROW(CL_INVALID_VALUE, READ(cl.queue, mem, 0, 8, NULL));
    ROW(CL_INVALID_VALUE, READ(cl.queue, mem, 0, SIZE + 1, host));
    ROW(CL_INVALID_VALUE, READ(cl.queue, mem, SIZE, 1, host));
    ROW(CL_INVALID_VALUE, READ(cl.queue, mem, SIZE_MAX, 8, host));
    ROW(CL_INVALID_VALUE, READ(cl.queue, mem, 8, SIZE_MAX, host));
    ROW(CL_INVALID_OPERATION, READ(cl.queue, hidden, 0, 8, host));
    ROW(CL_INVALID_OPERATION, READ(cl.queue, write_only, 0, 8, host));
    ROW(CL_INVALID_EVENT_WAIT_LIST, WAIT(1, NULL));
    ROW(CL_INVALID_EVENT_WAIT_LIST, WAIT(0, &strange));
    ROW(CL_INVALID_EVENT_WAIT_LIST, WAIT(1, &none));
    ROW(CL_INVALID_CONTEXT, WAIT(1, &strange));
    ROW(CL_INVALID_COMMAND_QUEUE, WRITE(NULL, mem, 0, 8, host));
    ROW(CL_INVALID_MEM_OBJECT, WRITE(cl.queue, NULL, 0, 8, host));
    ROW(CL_INVALID_CONTEXT, WRITE(cl.queue, foreign, 0, 8, host));
    ROW(CL_INVALID_VALUE, WRITE(cl.queue, mem, 0, 8, NULL));
    ROW(CL_INVALID_VALUE, WRITE(cl.queue, mem, 1, SIZE, host));
    ROW(CL_INVALID_OPERATION, WRITE(cl.queue, hidden, 0, 8, host));
    ROW(CL_INVALID_OPERATION, WRITE(cl.queue, read_only, 0, 8, host));
    cl_ok(clReleaseEvent(strange));
    close_buffers();
}
END_TEST

START_TEST(rectangles)
{
    const size_t zero[3] = {0, 0, 0}, region[3] = {8, 2, 2}, empty[3] = {8, 0, 1}, wide[3] = {SIZE + 1, 1, 1},
                 deep[3] = {8, 8, 8}, far[3] = {SIZE, 0, 0}, around_x[3] = {SIZE_MAX, 0, 0},
                 around_y[3] = {0, SIZE_MAX, 0}, around_z[3] = {0, 0, SIZE_MAX};
    open_buffers();

#define RECT(queue, mem, origin, region, row, slice, ptr)                                                    \
    clEnqueueReadBufferRect(queue, mem, CL_TRUE, origin, zero, region, row, slice, 0, 0, ptr, 0, NULL, NULL)
#define RECT_WRITE(queue, mem, origin, region, row, slice, ptr)                                              \
    clEnqueueWriteBufferRect(queue, mem, CL_TRUE, origin, zero, region, row, slice, 0, 0, ptr, 0, NULL, NULL)
#define RECT_COPY(queue, from, to, origin, region, row, slice)                                               \
    clEnqueueCopyBufferRect(queue, from, to, origin, zero, region, row, slice, 0, 0, 0, NULL, NULL)
    ROW(CL_INVALID_COMMAND_QUEUE, RECT(NULL, mem, zero, region, 0, 0, host));
    ROW(CL_INVALID_MEM_OBJECT, RECT(cl.queue, NULL, zero, region, 0, 0, host));
    ROW(CL_INVALID_CONTEXT, RECT(cl.queue, foreign, zero, region, 0, 0, host));
    ROW(CL_INVALID_VALUE, RECT(cl.queue, mem, zero, region, 0, 0, NULL));
    ROW(CL_INVALID_VALUE, RECT(cl.queue, mem, NULL, region, 0, 0, host));
    ROW(CL_INVALID_VALUE, RECT(cl.queue, mem, zero, NULL, 0, 0, host));
    ROW(CL_INVALID_VALUE, RECT(cl.queue, mem, zero, empty, 0, 0, host));
    ROW(CL_INVALID_VALUE, RECT(cl.queue, mem, zero, wide, 0, 0, host));
    ROW(CL_INVALID_VALUE, RECT(cl.queue, mem, zero, deep, 0, 0, host));
    ROW(CL_INVALID_VALUE, RECT(cl.queue, mem, far, region, 0, 0, host));
    ROW_POCL(CL_INVALID_VALUE, CRASHES, RECT(cl.queue, mem, around_x, region, 0, 0, host));
    ROW_POCL(CL_INVALID_VALUE, CRASHES, RECT(cl.queue, mem, around_y, region, 0, 0, host));
    ROW_POCL(CL_INVALID_VALUE, CRASHES, RECT(cl.queue, mem, around_z, region, 0, 0, host));
    ROW(CL_INVALID_VALUE, RECT(cl.queue, mem, zero, region, 7, 0, host));
    ROW(CL_INVALID_VALUE, RECT(cl.queue, mem, zero, region, 8, 15, host));
    ROW(CL_INVALID_VALUE, RECT(cl.queue, mem, zero, region, 16, 40, host));
    ROW(CL_INVALID_OPERATION, RECT(cl.queue, hidden, zero, region, 0, 0, host));
    ROW(CL_INVALID_OPERATION, RECT(cl.queue, write_only, zero, region, 0, 0, host));
    ROW(CL_INVALID_VALUE, RECT_WRITE(cl.queue, mem, zero, region, 0, 0, NULL));
    ROW(CL_INVALID_VALUE, RECT_WRITE(cl.queue, mem, zero, empty, 0, 0, host));
    ROW(CL_INVALID_VALUE, RECT_WRITE(cl.queue, mem, zero, deep, 0, 0, host));
    ROW(CL_INVALID_OPERATION, RECT_WRITE(cl.queue, hidden, zero, region, 0, 0, host));
    ROW(CL_INVALID_OPERATION, RECT_WRITE(cl.queue, read_only, zero, region, 0, 0, host));
    ROW_POCL(CL_INVALID_MEM_OBJECT, CRASHES, RECT_COPY(cl.queue, mem, NULL, zero, region, 0, 0));
    ROW(CL_INVALID_CONTEXT, RECT_COPY(cl.queue, mem, foreign, zero, region, 0, 0));
    ROW(CL_INVALID_VALUE, RECT_COPY(cl.queue, mem, other, zero, empty, 0, 0));
    ROW(CL_INVALID_VALUE, RECT_COPY(cl.queue, mem, other, zero, deep, 0, 0));
    ROW(CL_INVALID_VALUE, RECT_COPY(cl.queue, mem, other, zero, region, 7, 0));
    ROW(CL_MEM_COPY_OVERLAP, RECT_COPY(cl.queue, mem, mem, zero, region, 0, 0));
    ROW(CL_INVALID_COMMAND_QUEUE, RECT_WRITE(NULL, mem, zero, region, 0, 0, host));
    ROW(CL_INVALID_MEM_OBJECT, RECT_WRITE(cl.queue, NULL, zero, region, 0, 0, host));
    ROW(CL_INVALID_CONTEXT, RECT_WRITE(cl.queue, foreign, zero, region, 0, 0, host));
    ROW(CL_INVALID_VALUE, RECT_WRITE(cl.queue, mem, NULL, region, 0, 0, host));
    ROW(CL_INVALID_VALUE, RECT_WRITE(cl.queue, mem, zero, NULL, 0, 0, host));
    ROW(CL_INVALID_VALUE, RECT_WRITE(cl.queue, mem, far, region, 0, 0, host));
    ROW(CL_INVALID_VALUE, RECT_WRITE(cl.queue, mem, zero, region, 7, 0, host));
    ROW(CL_INVALID_VALUE, RECT_WRITE(cl.queue, mem, zero, region, 8, 15, host));
    ROW(CL_INVALID_COMMAND_QUEUE, RECT_COPY(NULL, mem, other, zero, region, 0, 0));
    ROW_POCL(CL_INVALID_MEM_OBJECT, CRASHES, RECT_COPY(cl.queue, NULL, mem, zero, region, 0, 0));
    ROW(CL_INVALID_CONTEXT, RECT_COPY(cl.queue, foreign, mem, zero, region, 0, 0));
    ROW(CL_INVALID_VALUE, RECT_COPY(cl.queue, mem, other, NULL, region, 0, 0));
    ROW(CL_INVALID_VALUE, RECT_COPY(cl.queue, mem, other, zero, NULL, 0, 0));
    ROW(CL_INVALID_VALUE, RECT_COPY(cl.queue, mem, other, far, region, 0, 0));
    ROW(CL_INVALID_VALUE, RECT_COPY(cl.queue, mem, other, zero, region, 8, 15));
    close_buffers();
}
END_TEST

/* The second side of rectangles: the host's, or the other buffer's. */
START_TEST(rectangles_other_side)
{
    const size_t zero[3] = {0, 0, 0}, region[3] = {8, 2, 2}, far[3] = {SIZE, 0, 0}, along[3] = {4, 0, 0};
    open_buffers();

#define HOST(call, origin, row, slice)                                                                       \
    call(cl.queue, mem, CL_TRUE, zero, origin, region, 0, 0, row, slice, host, 0, NULL, NULL)
#define THERE(to, from_row, from_slice, origin, row, slice)                                                  \
    clEnqueueCopyBufferRect(cl.queue, mem, to, zero, origin, region, from_row, from_slice, row, slice, 0,    \
                            NULL, NULL)
    ROW(CL_INVALID_VALUE, HOST(clEnqueueReadBufferRect, NULL, 0, 0));
    ROW(CL_INVALID_VALUE, HOST(clEnqueueReadBufferRect, zero, 7, 0));
    ROW(CL_INVALID_VALUE, HOST(clEnqueueReadBufferRect, zero, 8, 15));
    ROW(CL_INVALID_VALUE, HOST(clEnqueueReadBufferRect, zero, 16, 40));
    ROW(CL_SUCCESS, HOST(clEnqueueReadBufferRect, along, 16, 32));
    ROW(CL_INVALID_VALUE, HOST(clEnqueueWriteBufferRect, NULL, 0, 0));
    ROW(CL_INVALID_VALUE, HOST(clEnqueueWriteBufferRect, zero, 7, 0));
    ROW(CL_INVALID_VALUE, HOST(clEnqueueWriteBufferRect, zero, 8, 15));
    ROW(CL_INVALID_VALUE, HOST(clEnqueueWriteBufferRect, zero, 16, 40));
    ROW(CL_SUCCESS, HOST(clEnqueueWriteBufferRect, along, 16, 32));
    ROW(CL_INVALID_VALUE, THERE(other, 0, 0, NULL, 0, 0));
    ROW(CL_INVALID_VALUE, THERE(other, 0, 0, far, 0, 0));
    ROW(CL_INVALID_VALUE, THERE(other, 0, 0, zero, 7, 0));
    ROW(CL_INVALID_VALUE, THERE(other, 0, 0, zero, 8, 15));
    ROW(CL_INVALID_VALUE, THERE(other, 0, 0, zero, 16, 40));
    ROW(CL_INVALID_VALUE, THERE(mem, 16, 32, far, 24, 48)); /* within one buffer both pitches are the same */
    ROW(CL_MEM_COPY_OVERLAP, THERE(mem, 16, 32, along, 16, 32));
    ROW(CL_INVALID_VALUE, THERE(mem, 16, 32, zero, 24, 48));
    close_buffers();
}
END_TEST

/* Each command looks at its wait list. */
START_TEST(wait_lists)
{
    const size_t zero[3] = {0, 0, 0}, region[3] = {8, 1, 1}, one = 1;
    const char pattern[4] = {0};
    cl_event none = NULL, strange;
    cl_int *code = &negative_code;
    open_buffers();
    strange = clCreateUserEvent(second, code);
    cl_ok(*code);
    cl_ok(clSetUserEventStatus(strange, CL_COMPLETE));
    cl_kernel kernel = cl_kernel_of("__kernel void run(__global int *a) { a[0] = 1; }", "run");
    cl_set_mem(kernel, 0, mem);
    void *mapped = clEnqueueMapBuffer(cl.queue, mem, CL_TRUE, CL_MAP_READ, 0, 8, 0, NULL, NULL, code);
    cl_ok(*code);

#define LISTS_POCL(missing, others, call)                                                                    \
    ROW_POCL(CL_INVALID_EVENT_WAIT_LIST, missing, call(1, NULL));                                            \
    ROW_POCL(CL_INVALID_EVENT_WAIT_LIST, others(CL_INVALID_EVENT_WAIT_LIST), call(0, &none));                \
    ROW_POCL(CL_INVALID_EVENT_WAIT_LIST, others(CL_INVALID_EVENT_WAIT_LIST), call(1, &none));                \
    ROW_POCL(CL_INVALID_CONTEXT, others(CL_INVALID_CONTEXT), call(1, &strange))
#define SAME(code)        (code)
#define TAKEN(code)       CL_SUCCESS /* PoCL does not look */
#define LISTS(call)       LISTS_POCL(CL_INVALID_EVENT_WAIT_LIST, SAME, call)
#define BY_READ(n, list)  clEnqueueReadBuffer(cl.queue, mem, CL_FALSE, 0, 8, host, n, list, NULL)
#define BY_WRITE(n, list) clEnqueueWriteBuffer(cl.queue, mem, CL_FALSE, 0, 8, host, n, list, NULL)
#define BY_READ_RECT(n, list)                                                                                \
    clEnqueueReadBufferRect(cl.queue, mem, CL_FALSE, zero, zero, region, 0, 0, 0, 0, host, n, list, NULL)
#define BY_WRITE_RECT(n, list)                                                                               \
    clEnqueueWriteBufferRect(cl.queue, mem, CL_FALSE, zero, zero, region, 0, 0, 0, 0, host, n, list, NULL)
#define BY_COPY(n, list) clEnqueueCopyBuffer(cl.queue, mem, other, 0, 0, 8, n, list, NULL)
#define BY_COPY_RECT(n, list)                                                                                \
    clEnqueueCopyBufferRect(cl.queue, mem, other, zero, zero, region, 0, 0, 0, 0, n, list, NULL)
#define BY_FILL(n, list)    clEnqueueFillBuffer(cl.queue, mem, pattern, 4, 0, 8, n, list, NULL)
#define BY_MIGRATE(n, list) clEnqueueMigrateMemObjects(cl.queue, 1, &mem, 0, n, list, NULL)
#define BY_MAP(n, list)                                                                                      \
    MADE(clEnqueueMapBuffer(cl.queue, mem, CL_FALSE, CL_MAP_READ, 0, 8, n, list, NULL, code))
#define BY_UNMAP(n, list)  clEnqueueUnmapMemObject(cl.queue, mem, mapped, n, list, NULL)
#define BY_LAUNCH(n, list) clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &one, NULL, n, list, NULL)
#define BY_TASK(n, list)   clEnqueueTask(cl.queue, kernel, n, list, NULL)
    LISTS(BY_READ);
    LISTS(BY_WRITE);
    LISTS(BY_READ_RECT);
    LISTS(BY_WRITE_RECT);
    LISTS(BY_COPY);
    LISTS(BY_COPY_RECT);
    LISTS(BY_FILL);
    LISTS(BY_MIGRATE);
    LISTS(BY_MAP);
    LISTS(BY_UNMAP);
    LISTS_POCL(CRASHES, TAKEN, BY_LAUNCH);
    LISTS_POCL(CRASHES, TAKEN, BY_TASK);
    cl_ok(clEnqueueUnmapMemObject(cl.queue, mem, mapped, 0, NULL, NULL));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseEvent(strange));
    close_buffers();
}
END_TEST

/* Calls that block tell that what they waited for has failed. */
START_TEST(failed_waits)
{
    const size_t zero[3] = {0, 0, 0}, region[3] = {8, 1, 1};
    cl_int *code = &negative_code;
    cl_event failed;
    if (!cl_user_events_fail())
        return;
    open_buffers();
    failed = clCreateUserEvent(cl.context, code);
    cl_ok(*code);
    cl_ok(clSetUserEventStatus(failed, -7));
    cl_command_queue queue = cl_queue(0);
    ROW(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
        clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 8, host, 1, &failed, NULL));
    ROW(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
        clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, 8, host, 1, &failed, NULL));
    ROW(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
        clEnqueueReadBufferRect(queue, mem, CL_TRUE, zero, zero, region, 0, 0, 0, 0, host, 1, &failed, NULL));
    ROW(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
        clEnqueueWriteBufferRect(queue, mem, CL_TRUE, zero, zero, region, 0, 0, 0, 0, host, 1, &failed,
                                 NULL));
    ROW(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
        MADE(clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ, 0, 8, 1, &failed, NULL, code)));
    ROW(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &failed));
    cl_ok(clReleaseCommandQueue(queue));
    cl_ok(clReleaseEvent(failed));
    close_buffers();
}
END_TEST

START_TEST(copies_fills_and_moves)
{
    cl_mem list[] = {mem};
    const char pattern[256] = {0};
    open_buffers();
    list[0] = mem;

#define COPY(queue, from, to, at, there, size)                                                               \
    clEnqueueCopyBuffer(queue, from, to, at, there, size, 0, NULL, NULL)
#define FILL(queue, mem, bytes, offset, size)                                                                \
    clEnqueueFillBuffer(queue, mem, pattern, bytes, offset, size, 0, NULL, NULL)
#define MIGRATE(queue, count, list, flags)                                                                   \
    clEnqueueMigrateMemObjects(queue, count, list, flags, 0, NULL, NULL)
    ROW(CL_INVALID_COMMAND_QUEUE, COPY(NULL, mem, other, 0, 0, 8));
    ROW(CL_INVALID_MEM_OBJECT, COPY(cl.queue, NULL, other, 0, 0, 8));
    ROW(CL_INVALID_MEM_OBJECT, COPY(cl.queue, mem, NULL, 0, 0, 8));
    ROW(CL_INVALID_CONTEXT, COPY(cl.queue, mem, foreign, 0, 0, 8));
    ROW(CL_INVALID_CONTEXT, COPY(cl.queue, foreign, mem, 0, 0, 8));
    ROW(CL_INVALID_VALUE, COPY(cl.queue, mem, other, 1, 0, SIZE));
    ROW(CL_INVALID_VALUE, COPY(cl.queue, mem, other, 0, 1, SIZE));
    ROW(CL_INVALID_VALUE, COPY(cl.queue, mem, other, SIZE_MAX, 0, 8));
    ROW(CL_INVALID_VALUE, COPY(cl.queue, mem, other, 0, 0, SIZE_MAX));
    ROW(CL_MEM_COPY_OVERLAP, COPY(cl.queue, mem, mem, 0, 4, 8));
    ROW(CL_MEM_COPY_OVERLAP, COPY(cl.queue, mem, mem, 4, 0, 8));
    ROW(CL_INVALID_COMMAND_QUEUE, FILL(NULL, mem, 4, 0, 8));
    ROW(CL_INVALID_MEM_OBJECT, FILL(cl.queue, NULL, 4, 0, 8));
    ROW(CL_INVALID_CONTEXT, FILL(cl.queue, foreign, 4, 0, 8));
    ROW(CL_INVALID_VALUE, FILL(cl.queue, mem, 0, 0, 8));
    ROW(CL_INVALID_VALUE, FILL(cl.queue, mem, 3, 0, 9));
    ROW(CL_INVALID_VALUE, FILL(cl.queue, mem, 256, 0, 256));
    ROW(CL_INVALID_VALUE, FILL(cl.queue, mem, 4, 2, 8));
    ROW(CL_INVALID_VALUE, FILL(cl.queue, mem, 4, 0, 6));
    ROW(CL_INVALID_VALUE, FILL(cl.queue, mem, 4, 0, SIZE + 4));
    ROW(CL_INVALID_VALUE, FILL(cl.queue, mem, 4, SIZE, 4));
    ROW(CL_INVALID_VALUE, clEnqueueFillBuffer(cl.queue, mem, NULL, 4, 0, 8, 0, NULL, NULL));
    ROW(CL_INVALID_COMMAND_QUEUE, MIGRATE(NULL, 1, list, 0));
    ROW(CL_INVALID_VALUE, MIGRATE(cl.queue, 0, list, 0));
    ROW(CL_INVALID_VALUE, MIGRATE(cl.queue, 1, NULL, 0));
    ROW(CL_INVALID_VALUE, MIGRATE(cl.queue, 1, list, (cl_mem_migration_flags)1 << 20));
    list[0] = NULL;
    ROW(CL_INVALID_MEM_OBJECT, MIGRATE(cl.queue, 1, list, 0));
    list[0] = foreign;
    ROW(CL_INVALID_CONTEXT, MIGRATE(cl.queue, 1, list, 0));
    close_buffers();
}
END_TEST

START_TEST(maps)
{
    cl_int *code = &negative_code;
    open_buffers();

#define MAP(queue, mem, flags, offset, size)                                                                 \
    MADE(clEnqueueMapBuffer(queue, mem, CL_TRUE, flags, offset, size, 0, NULL, NULL, code))
    ROW(CL_INVALID_COMMAND_QUEUE, MAP(NULL, mem, CL_MAP_READ, 0, 8));
    ROW(CL_INVALID_MEM_OBJECT, MAP(cl.queue, NULL, CL_MAP_READ, 0, 8));
    ROW(CL_INVALID_CONTEXT, MAP(cl.queue, foreign, CL_MAP_READ, 0, 8));
    ROW(CL_INVALID_VALUE, MAP(cl.queue, mem, CL_MAP_READ, 0, 0));
    ROW(CL_INVALID_VALUE, MAP(cl.queue, mem, CL_MAP_READ, 0, SIZE + 1));
    ROW(CL_INVALID_VALUE, MAP(cl.queue, mem, CL_MAP_READ, SIZE, 1));
    ROW_POCL(CL_INVALID_VALUE, CL_SUCCESS, MAP(cl.queue, mem, 1 << 20, 0, 8));
    ROW_POCL(CL_INVALID_VALUE, CL_SUCCESS,
             MAP(cl.queue, mem, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 8));
    ROW(CL_INVALID_OPERATION, MAP(cl.queue, hidden, CL_MAP_READ, 0, 8));
    ROW(CL_INVALID_OPERATION, MAP(cl.queue, write_only, CL_MAP_READ, 0, 8));
    ROW(CL_INVALID_OPERATION, MAP(cl.queue, read_only, CL_MAP_WRITE, 0, 8));
    ROW(CL_INVALID_OPERATION, MAP(cl.queue, read_only, CL_MAP_WRITE_INVALIDATE_REGION, 0, 8));
    void *mapped = clEnqueueMapBuffer(cl.queue, mem, CL_TRUE, CL_MAP_READ, 0, 8, 0, NULL, NULL, code);
    cl_ok(*code);
    ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueUnmapMemObject(NULL, mem, mapped, 0, NULL, NULL));
    ROW(CL_INVALID_MEM_OBJECT, clEnqueueUnmapMemObject(cl.queue, NULL, mapped, 0, NULL, NULL));
    ROW(CL_INVALID_VALUE, clEnqueueUnmapMemObject(cl.queue, mem, host, 0, NULL, NULL));
    ROW(CL_INVALID_VALUE, clEnqueueUnmapMemObject(cl.queue, mem, NULL, 0, NULL, NULL));
    ROW(CL_INVALID_VALUE, clEnqueueUnmapMemObject(cl.queue, other, mapped, 0, NULL, NULL));
    ROW(CL_INVALID_CONTEXT, clEnqueueUnmapMemObject(cl.queue, foreign, mapped, 0, NULL, NULL));
    cl_ok(clEnqueueUnmapMemObject(cl.queue, mem, mapped, 0, NULL, NULL));
    /* CL_INVALID_OPERATION by the specification where both are for writing; no driver known to us refuses it,
     * programs rely on that, and we have no reason to */
    ROW(CL_SUCCESS, MAP(cl.queue, mem, CL_MAP_WRITE, 0, 16));
    ROW(CL_SUCCESS, MAP(cl.queue, mem, CL_MAP_WRITE, 8, 16));
    ROW(CL_SUCCESS, MAP(cl.queue, mem, CL_MAP_WRITE_INVALIDATE_REGION, 0, 32));
    /* of which one is for reading overlap as they like */
    ROW(CL_SUCCESS, MAP(cl.queue, mem, CL_MAP_READ, 0, 16));
    close_buffers();
}
END_TEST

static const char text[] =
    "__kernel void run(__global int *a, int n) { a[0] = n; }\n"
    "__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void eight(__global int *a) { a[0] = 1; }\n";

START_TEST(launches)
{
    cl_int error;
    size_t most = 0, items[3] = {0}, huge[3] = {1, 1, 1};
    const size_t global = 16, local = 4, zero = 0, odd = 5, offset = 8, last = SIZE_MAX - 2;
    const size_t many[3] = {16, 0, 16};
    char version[128] = "";
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_VERSION, sizeof(version), version, NULL));
    /* since then an empty range is a marker */
    const cl_int none_at_all = strcmp(version, "OpenCL 2.1") >= 0 ? CL_SUCCESS : CL_INVALID_GLOBAL_WORK_SIZE;
    open_buffers();
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(most), &most, NULL));
    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof(items), items, NULL));
    cl_program program = cl_build(text, "-cl-std=CL1.2");
    cl_kernel kernel = clCreateKernel(program, "run", &error),
              eight = clCreateKernel(program, "eight", &error);
    cl_ok(error);
    cl_set_mem(eight, 0, mem);

#define LAUNCH(queue, kernel, dim, offset, global, local)                                                    \
    clEnqueueNDRangeKernel(queue, kernel, dim, offset, global, local, 0, NULL, NULL)
    ROW(CL_INVALID_KERNEL_ARGS, LAUNCH(cl.queue, kernel, 1, NULL, &global, &local));
    cl_set_mem(kernel, 0, mem);
    ROW(CL_INVALID_KERNEL_ARGS, LAUNCH(cl.queue, kernel, 1, NULL, &global, &local));
    cl_set_int(kernel, 1, 1);
    ROW(CL_INVALID_COMMAND_QUEUE, LAUNCH(NULL, kernel, 1, NULL, &global, &local));
    ROW_POCL(CL_INVALID_KERNEL, CRASHES, LAUNCH(cl.queue, NULL, 1, NULL, &global, &local));
    ROW_POCL(CL_INVALID_KERNEL, CRASHES, LAUNCH(cl.queue, (cl_kernel)cl.context, 1, NULL, &global, &local));
    ROW(CL_INVALID_WORK_DIMENSION, LAUNCH(cl.queue, kernel, 0, NULL, &global, &local));
    ROW(CL_INVALID_WORK_DIMENSION, LAUNCH(cl.queue, kernel, 4, NULL, &global, &local));
    ROW(none_at_all, LAUNCH(cl.queue, kernel, 1, NULL, NULL, NULL));
    ROW(none_at_all, LAUNCH(cl.queue, kernel, 1, NULL, &zero, NULL));
    ROW(none_at_all, LAUNCH(cl.queue, kernel, 3, NULL, many, NULL));
    ROW(CL_INVALID_WORK_GROUP_SIZE, LAUNCH(cl.queue, kernel, 1, NULL, &global, &odd));
    ROW_POCL(CL_INVALID_WORK_GROUP_SIZE, CL_SUCCESS, LAUNCH(cl.queue, kernel, 1, NULL, &global, &zero));
    ROW(CL_INVALID_WORK_GROUP_SIZE, LAUNCH(cl.queue, eight, 1, NULL, &global, &local));
    ROW(CL_INVALID_WORK_GROUP_SIZE, LAUNCH(cl.queue, eight, 1, NULL, &offset, &local));
    huge[0] = items[0] * 2;
    /* over CL_DEVICE_MAX_WORK_ITEM_SIZES as well: the driver says which it tells of */
    ROW(CL_INVALID_WORK_GROUP_SIZE, LAUNCH(cl.queue, kernel, 1, NULL, huge, huge));
    ROW_POCL(CL_INVALID_GLOBAL_OFFSET, CL_SUCCESS, LAUNCH(cl.queue, kernel, 1, &last, &global, &local));
#define WAITING(count, list)                                                                                 \
    clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &global, &local, count, list, NULL)
    cl_event none = NULL;
    ROW_POCL(CL_INVALID_EVENT_WAIT_LIST, CRASHES, WAITING(1, NULL));
    ROW_POCL(CL_INVALID_EVENT_WAIT_LIST, CL_SUCCESS, WAITING(0, &none));
    ROW_POCL(CL_INVALID_EVENT_WAIT_LIST, CL_SUCCESS, WAITING(1, &none));
    cl_command_queue strange = clCreateCommandQueue(second, cl.device, 0, &error);
    cl_ok(error);
    ROW(CL_INVALID_CONTEXT, LAUNCH(strange, kernel, 1, NULL, &global, &local));
    ROW_POCL(CL_INVALID_KERNEL, CRASHES, clEnqueueTask(cl.queue, NULL, 0, NULL, NULL));
    ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueTask(NULL, kernel, 0, NULL, NULL));
    ROW(CL_INVALID_CONTEXT, clEnqueueTask(strange, kernel, 0, NULL, NULL));
    ROW(CL_INVALID_WORK_GROUP_SIZE, clEnqueueTask(cl.queue, eight, 0, NULL, NULL));
    cl_kernel unset = clCreateKernel(program, "run", &error);
    cl_ok(error);
    ROW(CL_INVALID_KERNEL_ARGS, clEnqueueTask(cl.queue, unset, 0, NULL, NULL));
    cl_ok(clReleaseKernel(unset));
    cl_ok(clReleaseCommandQueue(strange));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseKernel(eight));
    cl_ok(clReleaseProgram(program));
    close_buffers();
}
END_TEST

static void CL_CALLBACK never(void *data)
{
    (void)data;
    abort();
}

START_TEST(native_kernels)
{
    struct {
        void *first, *second;
    } args = {NULL, NULL};
    const void *inside[] = {&args.first, &args.second}, *outside[] = {&args.first, &args + 1};
    cl_event none = NULL;
    open_buffers();
    const cl_mem good[] = {mem, other}, bad[] = {mem, negative_handle()}, strange[] = {mem, foreign};
#define NATIVE(function, args, size, count, list, places)                                                    \
    clEnqueueNativeKernel(cl.queue, function, args, size, count, list, places, 0, NULL, NULL)
    ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueNativeKernel(NULL, never, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    ROW(CL_INVALID_VALUE, NATIVE(NULL, &args, sizeof(args), 0, NULL, NULL));
    ROW(CL_INVALID_VALUE, NATIVE(never, NULL, sizeof(args), 0, NULL, NULL));
    ROW(CL_INVALID_VALUE, NATIVE(never, NULL, 0, 2, good, inside));
    ROW(CL_INVALID_VALUE, NATIVE(never, &args, 0, 0, NULL, NULL));
    ROW(CL_INVALID_VALUE, NATIVE(never, &args, sizeof(args), 2, NULL, inside));
    ROW(CL_INVALID_VALUE, NATIVE(never, &args, sizeof(args), 2, good, NULL));
    ROW(CL_INVALID_VALUE, NATIVE(never, &args, sizeof(args), 0, good, inside));
    ROW_POCL(CL_INVALID_VALUE, CRASHES, NATIVE(never, &args, sizeof(args), 2, good, outside));
    ROW_POCL(CL_INVALID_MEM_OBJECT, CRASHES, NATIVE(never, &args, sizeof(args), 2, bad, inside));
    ROW_POCL(CL_INVALID_CONTEXT, CRASHES, NATIVE(never, &args, sizeof(args), 2, strange, inside));
    ROW_POCL(CL_INVALID_EVENT_WAIT_LIST, CRASHES,
             clEnqueueNativeKernel(cl.queue, never, &args, sizeof(args), 0, NULL, NULL, 1, &none, NULL));
    close_buffers();
}
END_TEST

START_TEST(markers)
{
    cl_event none = NULL, strange;
    cl_int error;
    open_buffers();
    strange = clCreateUserEvent(second, &error);
    cl_ok(error);
    cl_ok(clSetUserEventStatus(strange, CL_COMPLETE));

#define MARK(queue, count, list) clEnqueueMarkerWithWaitList(queue, count, list, NULL)
#define BAR(queue, count, list)  clEnqueueBarrierWithWaitList(queue, count, list, NULL)
    ROW(CL_INVALID_COMMAND_QUEUE, MARK(NULL, 0, NULL));
    ROW(CL_INVALID_EVENT_WAIT_LIST, MARK(cl.queue, 1, NULL));
    ROW(CL_INVALID_EVENT_WAIT_LIST, MARK(cl.queue, 0, &strange));
    ROW(CL_INVALID_EVENT_WAIT_LIST, MARK(cl.queue, 1, &none));
    ROW(CL_INVALID_CONTEXT, MARK(cl.queue, 1, &strange));
    ROW(CL_INVALID_COMMAND_QUEUE, BAR(NULL, 0, NULL));
    ROW(CL_INVALID_EVENT_WAIT_LIST, BAR(cl.queue, 1, NULL));
    ROW(CL_INVALID_EVENT_WAIT_LIST, BAR(cl.queue, 0, &strange));
    ROW(CL_INVALID_EVENT_WAIT_LIST, BAR(cl.queue, 1, &none));
    ROW(CL_INVALID_CONTEXT, BAR(cl.queue, 1, &strange));
    ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueMarker(NULL, &none));
    ROW(CL_INVALID_VALUE, clEnqueueMarker(cl.queue, NULL));
    ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueBarrier(NULL));
    ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueWaitForEvents(NULL, 1, &strange));
    ROW_POCL(CL_INVALID_VALUE, CL_INVALID_EVENT_WAIT_LIST, clEnqueueWaitForEvents(cl.queue, 0, &strange));
    ROW_POCL(CL_INVALID_VALUE, CL_INVALID_EVENT_WAIT_LIST, clEnqueueWaitForEvents(cl.queue, 1, NULL));
    ROW_POCL(CL_INVALID_EVENT, CL_INVALID_EVENT_WAIT_LIST, clEnqueueWaitForEvents(cl.queue, 1, &none));
    ROW(CL_INVALID_CONTEXT, clEnqueueWaitForEvents(cl.queue, 1, &strange));
    cl_ok(clReleaseEvent(strange));
    close_buffers();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("negative enqueue");
    TCase *tests = cl_case(suite, "enqueue");
    tcase_add_test(tests, reads_and_writes);
    tcase_add_test(tests, rectangles);
    tcase_add_test(tests, rectangles_other_side);
    tcase_add_test(tests, wait_lists);
    tcase_add_test(tests, failed_waits);
    tcase_add_test(tests, copies_fills_and_moves);
    tcase_add_test(tests, maps);
    tcase_add_test(tests, launches);
    tcase_add_test(tests, native_kernels);
    tcase_add_test(tests, markers);
    return tap_run(suite);
}
