/* SPDX-License-Identifier: MIT */
/*
 * Sub-ranges: each launch is made whole from the plain program and in three uneven packages from the variant
 * that the layer would build; what every work-item sees of itself must be equal. Through the ordinary API, on
 * any device.
 */
#include "cl_fixture.h"
#include "layer/source/subrange.h"

#include <stdio.h>

/* Every function, with the dimension known and not known to the compiler, in a helper, through another name;
 * and a reduction that names its group. The place in the output comes from the functions under test too, so
 * wrong ids show twice. */
static const char source[] =
    "#define GG get_group_id\n"
    "size_t ask(uint what, uint d)\n"
    "{\n"
    "    switch (what) {\n"
    "    case 0: return get_global_id(d);\n"
    "    case 1: return get_global_size(d);\n"
    "    case 2: return get_group_id(d);\n"
    "    case 3: return get_num_groups(d);\n"
    "    case 4: return get_local_id(d);\n"
    "    case 5: return get_local_size(d);\n"
    "    default: return OFFSET(d);\n"
    "    }\n"
    "}\n"
    "__attribute__((noinline)) ulong deep(uint d) { return GG(d) * 100003 + get_num_groups(d); }\n"
    "__kernel void record(__global ulong *out, ulong4 origin, ulong4 size)\n"
    "{\n"
    "    ulong x = get_global_id(0) - origin.x, y = get_global_id(1) - origin.y, z = get_global_id(2) - "
    "origin.z;\n"
    "    if (x >= size.x || y >= size.y || z >= size.z)\n"
    "        return;\n"
    "    __global ulong *o = out + ((z * size.y + y) * size.x + x) * 48;\n"
    "    for (uint d = 0; d < 4; d++)\n"
    "        for (uint what = 0; what < 7; what++)\n"
    "            *o++ = ask(what, d);\n"
    "    *o++ = get_global_id(0) + 1000 * get_global_id(1) + 1000000 * get_global_id(2);\n"
    "    *o++ = get_group_id(0) + 1000 * get_group_id(1) + 1000000 * get_group_id(2);\n"
    "    *o++ = get_num_groups(0) + 1000 * get_num_groups(1) + 1000000 * get_num_groups(2);\n"
    "    *o++ = get_global_size(0) + 1000 * get_global_size(1) + 1000000 * get_global_size(2);\n"
    "    *o++ = OFFSET(0) + 1000 * OFFSET(1) + 1000000 * OFFSET(2);\n"
    "    *o++ = deep(0) + 7 * deep(1) + 49 * deep(2) + 343 * deep(3);\n"
    "    *o++ = get_work_dim();\n"
    "    *o++ = __LINE__;\n"
    "#if defined(__OPENCL_C_VERSION__) && __OPENCL_C_VERSION__ >= 200\n"
    "    *o++ = get_global_linear_id();\n"
    "    *o++ = get_local_linear_id();\n"
    "    *o++ = get_enqueued_local_size(0) + 1000 * get_enqueued_local_size(1);\n"
    "#endif\n"
    "}\n"
    "__kernel void reduce(__global ulong *out, __local ulong *room)\n"
    "{\n"
    "    uint l = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + "
    "get_local_id(0);\n"
    "    room[l] = get_global_id(0) * 3 + get_global_id(1) * 5 + get_global_id(2) * 7;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    ulong sum = 0;\n"
    "    for (uint i = 0; i < get_local_size(0) * get_local_size(1) * get_local_size(2); i++)\n"
    "        sum += room[i];\n"
    "    if (l == 0)\n"
    "        out[(GG(2) * get_num_groups(1) + GG(1)) * get_num_groups(0) + GG(0)] = sum;\n"
    "}\n"
    "__kernel void plain(__global ulong *out, ulong4 origin, ulong4 size)\n"
    "{\n"
    "    ulong x = get_global_id(0) - origin.x, y = get_global_id(1) - origin.y, z = get_global_id(2) - "
    "origin.z;\n"
    "    if (x < size.x && y < size.y && z < size.z)\n"
    "        out[(z * size.y + y) * size.x + x] = get_local_id(0) + 10 * get_local_id(1) + 100 * "
    "get_local_size(0) + x * 3 + get_global_id(1) * 7;\n"
    "}\n";

/* PoCL 5 cannot load kernels whose helpers call get_global_offset: left out there. */
static const char *base_options(void)
{
    char version[256] = "";

    cl_ok(clGetDeviceInfo(cl.device, CL_DEVICE_VERSION, sizeof(version), version, NULL));
    return strstr(version, "PoCL 5") ? "-DOFFSET(d)=0" : "-DOFFSET(d)=get_global_offset(d)";
}

enum { WORDS = 48, MOST = 4096 };

struct shape {
    unsigned dims;
    uint64_t offset[3], global[3], local[3];
};

static const struct shape shapes[] = {
    {1, {0, 0, 0}, {96, 1, 1}, {8, 1, 1}},   {1, {0, 0, 0}, {8 * 61, 1, 1}, {8, 1, 1}},
    {2, {0, 0, 0}, {32, 20, 1}, {8, 4, 1}},  {2, {0, 5, 0}, {40, 12, 1}, {8, 4, 1}},
    {2, {7, 0, 0}, {32, 28, 1}, {8, 4, 1}},  {3, {0, 0, 0}, {16, 12, 10}, {4, 2, 2}},
    {3, {0, 0, 9}, {16, 12, 10}, {4, 2, 2}}, {3, {9, 0, 0}, {16, 12, 10}, {4, 2, 2}},
    {3, {0, 9, 0}, {16, 12, 10}, {4, 2, 2}},
};

static struct cx_access_geometry geometry_of(const struct shape *shape)
{
    struct cx_access_geometry geometry = {.work_dim = shape->dims};
    for (unsigned d = 0; d < 3; d++) {
        geometry.offset[d] = shape->offset[d];
        geometry.global[d] = shape->global[d];
        geometry.local[d] = shape->local[d];
    }
    return geometry;
}

static cl_program build_variant(enum cx_variant variant, const char *text, const char *options, cl_int *error)
{
    const char *strings[] = {cx_subrange_text(variant), text, cx_subrange_check(variant)};
    cl_program program = clCreateProgramWithSource(cl.context, 3, strings, NULL, error);
    cl_ok(*error);
    *error = clBuildProgram(program, 1, &cl.device, options, NULL, NULL);
    return program;
}

static void set_args(cl_kernel kernel, const char *name, cl_mem out, const struct shape *shape)
{
    cl_ulong4 origin = {{shape->offset[0], shape->offset[1], shape->offset[2], 0}};
    cl_ulong4 size = {{shape->global[0], shape->global[1], shape->global[2], 1}};

    cl_set_mem(kernel, 0, out);
    if (!strcmp(name, "reduce")) {
        cl_ok(clSetKernelArg(kernel, 1, 64 * sizeof(cl_ulong), NULL));
        return;
    }
    cl_ok(clSetKernelArg(kernel, 1, sizeof(origin), &origin));
    cl_ok(clSetKernelArg(kernel, 2, sizeof(size), &size));
}

static void launch(cl_kernel kernel, const struct cx_subrange_launch *l)
{
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, l->dims, l->offset, l->global, l->local, 0, NULL, NULL));
}

/* Compares one kernel over one shape cut along dim; false when that cannot be done. */
static bool compare(cl_program whole, cl_program cut, enum cx_variant variant, const char *name,
                    const struct shape *shape, unsigned dim)
{
    static cl_ulong expected[MOST * WORDS], got[MOST * WORDS];
    struct cx_access_geometry geometry = geometry_of(shape);
    struct cx_subrange_launch package;
    size_t size = shape->global[0] * shape->global[1] * shape->global[2] * WORDS * sizeof(cl_ulong);
    uint64_t groups = (shape->global[dim] + shape->local[dim] - 1) / shape->local[dim];
    uint64_t border[] = {0, 1, 1 + (groups - 1) / 3, groups};
    cl_int error;

    if (groups < 3 || cx_subrange_limit(&geometry, dim, variant) != CX_SUBRANGE_FITS)
        return false;
    ck_assert_uint_le(size, sizeof(got));
    cl_kernel one = clCreateKernel(whole, name, &error);
    cl_ok(error);
    cl_kernel many = clCreateKernel(cut, name, &error);
    cl_ok(error);
    memset(expected, 0xee, sizeof(expected));
    cl_mem first = cl_buffer(CL_MEM_COPY_HOST_PTR, size, expected);
    cl_mem second = cl_buffer(CL_MEM_COPY_HOST_PTR, size, expected);
    set_args(one, name, first, shape);
    set_args(many, name, second, shape);

    cx_subrange_package(&geometry, dim, CX_VARIANT_PLAIN, 0, groups, &package);
    ck_assert_uint_eq(package.dims, shape->dims);
    launch(one, &package);
    for (unsigned p = 0; p < 3; p++) {
        if (border[p] == border[p + 1])
            continue;
        cx_subrange_package(&geometry, dim, variant, border[p], border[p + 1], &package);
        launch(many, &package);
    }
    cl_read(first, expected, size);
    cl_read(second, got, size);
    for (size_t i = 0; i < size / sizeof(cl_ulong); i++)
        ck_assert_msg(expected[i] == got[i],
                      "%s, %u-D split along %u: word %zu of item %zu is %llu, not %llu", name, shape->dims,
                      dim, i % WORDS, i / WORDS, (unsigned long long)got[i], (unsigned long long)expected[i]);
    cl_ok(clReleaseMemObject(first));
    cl_ok(clReleaseMemObject(second));
    cl_ok(clReleaseKernel(one));
    cl_ok(clReleaseKernel(many));
    return true;
}

static const char *const standards[] = {"", " -cl-std=CL1.1", " -cl-std=CL2.0", " -cl-std=CL3.0"};

/* All shapes under one language version. */
START_TEST(equivalence)
{
    char options[128];
    cl_program built[CX_VARIANT_COUNT] = {NULL};
    unsigned done = 0;
    cl_int error;

    snprintf(options, sizeof(options), "%s%s", base_options(), standards[_i]);
    for (int v = 0; v < CX_VARIANT_COUNT; v++) {
        built[v] = build_variant((enum cx_variant)v, source, options, &error);
        if (error != CL_SUCCESS && v == CX_VARIANT_PLAIN) { /* the device lacks this version */
            cl_ok(clReleaseProgram(built[v]));
            fprintf(stderr, "the device has no%s\n", standards[_i]);
            return;
        }
        cl_ok(error);
    }
    for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++) {
        struct cx_access_geometry geometry = geometry_of(&shapes[s]);
        for (unsigned dim = 0; dim < shapes[s].dims; dim++) {
            enum cx_variant variant = cx_subrange_variant(&geometry, dim, true);
            done += compare(built[0], built[variant], variant, "record", &shapes[s], dim);
            done += compare(built[0], built[variant], variant, "reduce", &shapes[s], dim);
            ck_assert(compare(built[0], built[0], CX_VARIANT_PLAIN, "plain", &shapes[s], dim));
        }
    }
    ck_assert_uint_eq(done, 2 * (1 + 1 + 2 + 1 + 1 + 3 + 1 + 1 + 1));
    for (int v = 0; v < CX_VARIANT_COUNT; v++)
        cl_ok(clReleaseProgram(built[v]));
}
END_TEST

/* Uneven last groups, where the device has them. */
START_TEST(uneven_groups)
{
    static const struct shape uneven[] = {
        {1, {0, 0, 0}, {93, 1, 1}, {8, 1, 1}},
        {2, {0, 0, 0}, {37, 18, 1}, {8, 4, 1}},
        {3, {0, 0, 0}, {15, 7, 9}, {4, 2, 2}},
    };
    char options[128];
    cl_bool able = CL_FALSE;
    cl_int error;

    if (clGetDeviceInfo(cl.device, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, sizeof(able), &able, NULL) ||
        !able)
        return;
    snprintf(options, sizeof(options), "%s -cl-std=CL3.0", base_options());
    for (size_t s = 0; s < sizeof(uneven) / sizeof(uneven[0]); s++) {
        struct cx_access_geometry geometry = geometry_of(&uneven[s]);
        for (unsigned dim = 0; dim < uneven[s].dims; dim++) {
            enum cx_variant variant = cx_subrange_variant(&geometry, dim, true);
            cl_program whole = build_variant(CX_VARIANT_PLAIN, source, options, &error);
            cl_ok(error);
            cl_program cut = build_variant(variant, source, options, &error);
            cl_ok(error);
            ck_assert(compare(whole, cut, variant, "record", &uneven[s], dim));
            cl_ok(clReleaseProgram(whole));
            cl_ok(clReleaseProgram(cut));
        }
    }
}
END_TEST

struct text_case {
    const char *text, *options;
    bool builds;
};

/* Texts that meet the prelude's names: harmless uses build, others must not. */
static const struct text_case texts[] = {
    {"__kernel void k(__global uint *o) { o[get_global_id(0)] = 1; }", "-Werror", true},
    {"__kernel void k(__global uint *o) { int get_group_id = 3; o[get_global_id(0)] = get_group_id; }", "",
     true},
    {"#define G get_group_id\n__kernel void k(__global uint *o) { o[G(0)] = F; }", "-DF=get_num_groups(0)",
     true},
    {"#ifdef X\n#define get_group_id(d) 1\n#endif\n__kernel void k(__global uint *o) { o[get_group_id(0)] = "
     "1; }",
     "", true},
    {"#define get_group_id(d) 1\n__kernel void k(__global uint *o) { o[get_group_id(0)] = 1; }", "", false},
    {"#define get_num_groups(d) (get_global_size(d) / get_local_size(d))\n"
     "__kernel void k(__global uint *o) { o[get_num_groups(0)] = 1; }",
     "", false},
    {"#undef get_global_size\n__kernel void k(__global uint *o) { o[get_global_size(0)] = 1; }", "", false},
    {"#undef get_work_dim\n__kernel void k(__global uint *o) { o[get_work_dim()] = 1; }", "", false},
    {"#define get_global_offset(d) 0\n__kernel void k(__global uint *o) { o[get_global_id(0)] = 1; }", "",
     false},
    {"__kernel void k(__global uint *o) { o[get_group_id(0)] = 1; }", "-Dget_group_id(d)=0", false},
};

/* All in one process: a driver's first build in each is the dear one. */
START_TEST(names)
{
    cl_int error;

    for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); t++) {
        const struct text_case *text = &texts[t];
        cl_program plain = build_variant(CX_VARIANT_PLAIN, text->text, text->options, &error);
        ck_assert_msg(error == CL_SUCCESS || !text->builds, /* a macro in the options can break headers */
                      "%s: %s", text->text, cl_code_name(error));
        cl_ok(clReleaseProgram(plain));
        for (int v = CX_VARIANT_SPLIT; v <= CX_VARIANT_SPLIT3_0; v++) {
            cl_program cut = build_variant((enum cx_variant)v, text->text, text->options, &error);
            ck_assert_msg((error == CL_SUCCESS) == text->builds, "%s: variant %d: %s", text->text, v,
                          cl_code_name(error));
            cl_ok(clReleaseProgram(cut));
        }
    }
}
END_TEST

START_TEST(limits)
{
    const uint64_t big = UINT64_C(1) << 31; /* where NVIDIA's offsets turn negative */
    struct cx_access_geometry g = {.work_dim = 1, .global = {1024, 1, 1}, .local = {64, 1, 1}};

    ck_assert_int_eq(cx_subrange_variant(&g, 0, false), CX_VARIANT_PLAIN);
    ck_assert_int_eq(cx_subrange_variant(&g, 0, true), CX_VARIANT_SPLIT);
    ck_assert_int_eq(cx_subrange_limit(&g, 0, CX_VARIANT_SPLIT), CX_SUBRANGE_FITS);
    ck_assert_int_eq(cx_subrange_limit(&g, 1, CX_VARIANT_PLAIN), CX_SUBRANGE_NO_DIMENSION);
    ck_assert_int_eq(cx_subrange_limit(&g, 0, CX_VARIANT_SPLIT3_0), CX_SUBRANGE_OTHER_VARIANT);
    g.offset[0] = 1;
    ck_assert_int_eq(cx_subrange_limit(&g, 0, CX_VARIANT_PLAIN), CX_SUBRANGE_FITS);
    ck_assert_int_eq(cx_subrange_limit(&g, 0, CX_VARIANT_SPLIT), CX_SUBRANGE_OFFSET);
    g.offset[0] = big - 1024;
    ck_assert_int_eq(cx_subrange_limit(&g, 0, CX_VARIANT_PLAIN), CX_SUBRANGE_FITS);
    g.offset[0]++;
    ck_assert_int_eq(cx_subrange_limit(&g, 0, CX_VARIANT_PLAIN), CX_SUBRANGE_IDS);
    g.offset[0] = UINT64_MAX;
    ck_assert_int_eq(cx_subrange_limit(&g, 0, CX_VARIANT_PLAIN), CX_SUBRANGE_IDS);
    g.offset[0] = 0;
    g.global[0] = UINT64_C(1) << 30;
    ck_assert_int_eq(cx_subrange_limit(&g, 0, CX_VARIANT_PLAIN), CX_SUBRANGE_FITS);
    ck_assert_int_eq(cx_subrange_limit(&g, 0, CX_VARIANT_SPLIT), CX_SUBRANGE_SIZE_30);

    for (unsigned i = 1; i < CX_SUBRANGE_LIMITS; i++)
        ck_assert_uint_gt(strlen(cx_subrange_limit_text((enum cx_subrange_limit)i)), 10);

    g = (struct cx_access_geometry){.work_dim = 3, .global = {64, 64, 64}, .local = {8, 8, 1}};
    for (unsigned d = 0; d < 3; d++)
        ck_assert_int_eq(cx_subrange_variant(&g, d, true), CX_VARIANT_SPLIT3_0 + (int)d);
    g.offset[1] = 8;
    ck_assert_int_eq(cx_subrange_limit(&g, 0, CX_VARIANT_SPLIT3_0),
                     CX_SUBRANGE_STATE_OFFSET); /* carries the size */
    ck_assert_int_eq(cx_subrange_limit(&g, 1, CX_VARIANT_SPLIT3_1), CX_SUBRANGE_OFFSET); /* the split one */
    ck_assert_int_eq(cx_subrange_limit(&g, 2, CX_VARIANT_SPLIT3_2), CX_SUBRANGE_FITS);
    ck_assert_int_eq(cx_subrange_limit(&g, 2, CX_VARIANT_SPLIT3_1), CX_SUBRANGE_OTHER_VARIANT);
}
END_TEST

START_TEST(packages)
{
    const struct cx_access_geometry g = {
        .work_dim = 2, .offset = {3, 0, 99}, .global = {30, 21, 99}, .local = {10, 4, 99}};
    struct cx_subrange_launch l;

    cx_subrange_package(&g, 1, CX_VARIANT_SPLIT, 2, 6, &l);
    ck_assert_uint_eq(l.dims, 3);
    ck_assert_uint_eq(l.offset[0], 3);
    ck_assert_uint_eq(l.offset[1], 8);
    ck_assert_uint_eq(l.offset[2], 21 << 2 | 3);
    ck_assert_uint_eq(l.global[0], 30);
    ck_assert_uint_eq(l.global[1], 13); /* the last group is uneven */
    ck_assert_uint_eq(l.global[2], 1);
    ck_assert_uint_eq(l.local[2], 1);
    cx_subrange_package(&g, 0, CX_VARIANT_PLAIN, 1, 2, &l);
    ck_assert_uint_eq(l.dims, 2);
    ck_assert_uint_eq(l.offset[0], 13);
    ck_assert_uint_eq(l.global[0], 10);
    ck_assert_uint_eq(l.global[1], 21);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("prelude");
    TCase *numbers = tcase_create("numbers");

    tcase_add_test(numbers, limits);
    tcase_add_test(numbers, packages);
    suite_add_tcase(suite, numbers);
    TCase *device = cl_case(suite, "device");
    tcase_add_loop_test(device, equivalence, 0, sizeof(standards) / sizeof(standards[0]));
    tcase_add_test(device, uneven_groups);
    tcase_add_test(device, names);
    return tap_run(suite);
}
