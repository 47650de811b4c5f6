/* SPDX-License-Identifier: MIT */
/* Launches of an attack: kernels with arguments of every kind, set anew or left as they were. */
#include "world.h"

#include <string.h>

/* Memory for an argument, apart from that of the others. */
static struct mem *choose(const struct kernel *kernel, enum argument argument)
{
    const enum mem_kind kind = argument == BUFFER ? MEM_BUFFER : argument == IMAGE ? MEM_IMAGE : MEM_LINE;
    const enum argument *wanted = kernel_kinds[kernel->what].argument;
    /* PoCL 3.1 crashes on kernels of which a line is the only memory object */
    const bool lined = wanted[0] == LINE || wanted[1] == LINE,
               shared = kind == MEM_BUFFER && roll(4) == 0 && !lined;
    struct mem *mem = pick_mem((int)kernel->context, shared ? MEM_SHARED : kind, true);
    for (unsigned i = 0; mem && i < how.ntouched; i++)
        if (how.touched[i] == mem->root)
            return NULL;
    return mem;
}

static cl_int set_plain(cl_kernel kernel, cl_uint index, enum argument argument, unsigned local)
{
    struct {
        cl_int x;
        cl_short y;
        cl_char z[6];
    } pair = {0};
    cl_int number = (cl_int)roll(50);
    if (argument == LOCAL)
        return clSetKernelArg(kernel, index, local * sizeof(cl_int), NULL);
    if (argument == INT)
        return clSetKernelArg(kernel, index, sizeof(number), &number);
    noise(&pair, 12);
    cl_int code = clSetKernelArg(kernel, index, sizeof(pair), &pair);
    memset(&pair, 0, sizeof(pair)); /* taken by value */
    return code;
}

/* Sets all arguments; false: memory that one needs is not there. */
static bool set_arguments(struct kernel *kernel, unsigned local)
{
    const struct kernel_kind *kind = &kernel_kinds[kernel->what];
    for (cl_uint a = 0; a < 4 && kind->argument[a]; a++) {
        const enum argument argument = kind->argument[a];
        cl_int code;
        if (argument == BUFFER || argument == IMAGE || argument == LINE) {
            struct mem *mem = choose(kernel, argument);
            if (!mem)
                return false;
            touch(mem->root);
            code = mem->shared ? clSetKernelArgSVMPointer(kernel->handle, a, mem->shared)
                               : clSetKernelArg(kernel->handle, a, sizeof(cl_mem), &mem->handle);
        } else {
            code = set_plain(kernel->handle, a, argument, local);
        }
        if (code != CL_SUCCESS)
            wrong("argument %u of %s: %d", a, kind->name, code);
    }
    return true;
}

static void launch(struct kernel *kernel)
{
    const struct kernel_kind *kind = &kernel_kinds[kernel->what];
    const size_t line[3] = {(size_t)64 << roll(3), 1, 1}, plane[2] = {SIDE, SIDE}, tile[2] = {8, 4},
                 eight[1] = {8}, offset[3] = {roll(4) ? 0 : 64, 0, 0};
    const bool null = roll(4) == 0 && !kind->group_sized && !kind->two_dims;
    begin(kernel->context, false);
    if (!set_arguments(kernel, 8))
        return;
    if (!ready())
        done(0, kind->name);
    else if (kind->two_dims)
        done(clEnqueueNDRangeKernel(how.queue->handle, kernel->handle, 2, NULL, plane, tile, how.nwait,
                                    waits(), event()),
             kind->name);
    else
        done(clEnqueueNDRangeKernel(how.queue->handle, kernel->handle, 1, offset[0] ? offset : NULL, line,
                                    null ? NULL : eight, how.nwait, waits(), event()),
             kind->name);
}

static void clone(struct kernel *kernel)
{
    unsigned k = 0;
    cl_int code = 1;
    while (k < KERNELS && w.kernel[k].handle)
        k++;
    if (k == KERNELS)
        return;
    w.kernel[k] = *kernel;
    w.kernel[k].handle = clCloneKernel(kernel->handle, &code);
    tell(code, "clone of %u", (unsigned)(kernel - w.kernel));
}

static void ask(const struct kernel *kernel)
{
    char name[64] = "";
    cl_uint count = 0;
    size_t group = 0;
    clGetKernelInfo(kernel->handle, CL_KERNEL_FUNCTION_NAME, sizeof(name), name, NULL);
    clGetKernelInfo(kernel->handle, CL_KERNEL_NUM_ARGS, sizeof(count), &count, NULL);
    tell(clGetKernelWorkGroupInfo(kernel->handle, w.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(group), &group,
                                  NULL),
         "kernel %s of %u arguments", name, count);
}

void step_launch(void)
{
    struct kernel *kernel = pick_kernel();
    const unsigned what = roll(12);
    if (!kernel)
        return;
    if (what == 0)
        clone(kernel);
    else if (what == 1)
        ask(kernel);
    else
        launch(kernel);
}
