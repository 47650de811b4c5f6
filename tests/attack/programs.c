/* SPDX-License-Identifier: MIT */
/*
 * Programs and kernels of an attack: from source, or linked; built again, released while used. None from
 * binaries: PoCL 3.1 aborts, also bare, where one is asked for while a kernel of the program is being
 * compiled, by another process with the same cache even.
 */
#include "world.h"

#include <stdlib.h>
#include <string.h>

const char attack_source[] =
    "struct pair { int x; short y; char z[6]; };\n"
    "__kernel void scale(__global int *a, int k) { size_t i = get_global_id(0); a[i] = a[i] * k + 1; }\n"
    "__kernel void add(__global int *a, __global const int *b, int k)\n"
    "{ int i = get_global_id(0); if (i < 200 + k) a[i] += b[i] ^ (int)get_group_id(0); }\n"
    "__kernel void scatter(__global int *a, __global const int *b)\n"
    "{ int p = b[get_global_id(0)] & 255; a[p] = p * 7; }\n"
    "__kernel void tally(__global int *a, __global const int *b)\n"
    "{ atomic_add(&a[b[get_global_id(0)] & 127], 3); }\n"
    "__kernel void turn(__global int *a, __local int *t)\n"
    "{ int l = get_local_id(0), n = get_local_size(0); t[l] = a[get_global_id(0)];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(0)] = t[n - 1 - l]; }\n"
    "__kernel void fields(__global int *a, struct pair p)\n"
    "{ size_t i = get_global_id(0); a[i] = p.x + p.y * (int)i + p.z[i % 6]; }\n"
    "__kernel void shade(__write_only image2d_t to, __read_only image2d_t from, int k)\n"
    "{ const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
    "  int2 p = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imageui(to, p, (read_imageui(from, s, p + (int2)(1, 0)) + (uint4)(k, p.x, p.y, 3)) & 255u); }\n"
    "__kernel void line(__write_only image1d_buffer_t to, __global const int *b)\n"
    "{ int i = get_global_id(0); write_imageui(to, i, (uint4)((uint)b[i] * 5u)); }\n"
    "__kernel void unline(__global int *a, __read_only image1d_buffer_t from)\n"
    "{ int i = get_global_id(0); a[i] ^= (int)read_imageui(from, i).x; }\n";
const char broken_source[] = "__kernel void broken(__global int *a) { a[0] = no_such_name; }\n";

const struct kernel_kind kernel_kinds[KERNEL_KINDS] = {
    {"scale", {BUFFER, INT}, false, false},      {"add", {BUFFER, BUFFER, INT}, false, true},
    {"scatter", {BUFFER, BUFFER}, false, false}, {"tally", {BUFFER, BUFFER}, false, false},
    {"turn", {BUFFER, LOCAL}, false, true},      {"fields", {BUFFER, PAIR}, false, false},
    {"shade", {IMAGE, IMAGE, INT}, true, false}, {"line", {LINE, BUFFER}, false, false},
    {"unline", {BUFFER, LINE}, false, false},
};

struct kernel *pick_kernel(void)
{
    struct kernel *fit[KERNELS];
    unsigned count = 0;
    for (unsigned k = 0; k < KERNELS; k++)
        if (w.kernel[k].handle)
            fit[count++] = &w.kernel[k];
    return count ? fit[roll(count)] : NULL;
}

struct program *pick_program(void)
{
    struct program *fit[PROGRAMS];
    unsigned count = 0;
    for (unsigned p = 0; p < PROGRAMS; p++)
        if (w.program[p].handle)
            fit[count++] = &w.program[p];
    return count ? fit[roll(count)] : NULL;
}

static struct program *free_program(void)
{
    for (unsigned p = 0; p < PROGRAMS; p++)
        if (!w.program[p].handle)
            return &w.program[p];
    return NULL;
}

static void make_linked(unsigned context)
{
    const char *text = attack_source;
    struct program *program = free_program();
    cl_int code = 1;
    if (!program)
        return;
    cl_program object = clCreateProgramWithSource(w.context[context].handle, 1, &text, NULL, &code);
    if (object)
        code = clCompileProgram(object, 0, NULL, "", 0, NULL, NULL, NULL, NULL);
    tell(code, "object");
    *program = (struct program){.context = context, .linked = true, .built = true};
    program->handle = clLinkProgram(w.context[context].handle, 0, NULL, "", 1, &object, NULL, NULL, &code);
    clReleaseProgram(object);
    tell(code, "program %u linked", (unsigned)(program - w.program));
}

static void make_program(unsigned context)
{
    cl_int code = 1;
    const char *text[2] = {roll(5) ? attack_source : broken_source, "\n"};
    const size_t sizes[2] = {strlen(text[0]), 0};
    struct program *program = free_program();
    if (!program)
        return;
    *program = (struct program){.context = context, .failed = text[0] == broken_source};
    program->handle =
        clCreateProgramWithSource(w.context[context].handle, 2, text, roll(2) ? sizes : NULL, &code);
    tell(code, "program %u%s", (unsigned)(program - w.program), program->failed ? " broken" : "");
}

static void build_program(struct program *program)
{
    static const char *const options[] = {"", "-cl-mad-enable", NULL};
    if (program->linked) /* PoCL 3.1 takes it */
        return;
    if (program->kernels) /* kernels that were released stay attached while their launches wait, for how long
                             is up to the driver */
        meet();
    cl_int code = clBuildProgram(program->handle, 0, NULL, options[roll(3)], NULL, NULL);
    tell(code, "build %u of %u kernels", (unsigned)(program - w.program), program->kernels);
    program->built |= code == CL_SUCCESS;
}

static void make_kernel(struct program *program)
{
    unsigned k = 0;
    cl_int code = 1;
    while (k < KERNELS && w.kernel[k].handle)
        k++;
    if (k == KERNELS || !program->built)
        return;
    struct kernel *kernel = &w.kernel[k];
    kernel->what = roll(KERNEL_KINDS);
    kernel->context = program->context;
    kernel->handle = clCreateKernel(program->handle, kernel_kinds[kernel->what].name, &code);
    program->kernels++;
    tell(code, "kernel %u %s", k, kernel_kinds[kernel->what].name);
}

static void make_all_kernels(const struct program *program)
{
    cl_kernel kernels[KERNEL_KINDS + 1];
    cl_uint count = 0;
    char name[64] = "";
    cl_int code = clCreateKernelsInProgram(program->handle, KERNEL_KINDS, kernels, &count);
    tell(code, "all kernels: %u", count);
    for (cl_uint i = 0; code == CL_SUCCESS && i < count; i++) {
        clGetKernelInfo(kernels[i], CL_KERNEL_FUNCTION_NAME, sizeof(name), name, NULL);
        clReleaseKernel(kernels[i]);
    }
}

void release_kernel(struct kernel *kernel)
{
    tell(clReleaseKernel(kernel->handle), "release kernel %u", (unsigned)(kernel - w.kernel));
    kernel->handle = NULL;
}

void release_program(struct program *program)
{
    tell(clReleaseProgram(program->handle), "release program %u", (unsigned)(program - w.program));
    program->handle = NULL;
}

void step_program(unsigned context)
{
    struct program *program = pick_program();
    struct kernel *kernel = pick_kernel();
    const unsigned what = roll(14);
    if (what < 2 && context < CONTEXTS)
        make_program(context);
    else if (what == 2 && context < CONTEXTS)
        make_linked(context);
    else if (what < 6 && program)
        build_program(program);
    else if (what < 11 && program)
        make_kernel(program);
    else if (what == 11 && kernel && roll(2))
        release_kernel(kernel);
    else if (what == 12 && program && roll(2))
        release_program(program);
    else if (what == 13 && program && program->built)
        make_all_kernels(program);
}
