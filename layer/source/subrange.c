/* SPDX-License-Identifier: MIT */
/*
 * Sub-ranges: the texts of the prelude, and the launch arguments that go with them.
 *
 * The texts are OpenCL C of every version from 1.0 on. Their functions are always inlined and fold to the
 * built-in for a constant dimension wherever the launch cannot change it. `static` is an error before OpenCL
 * C 1.2, the enqueued local size (which an uneven last group does not change) exists from 2.0 on; before,
 * groups are even. Numbers fit 31 bits (cx_subrange_limit), so divisions are 32 bits wide: 64-bit ones are
 * slow on GPUs.
 */
#include "layer/source/subrange.h"

#define COMMON_HEAD                                                                                          \
    "#if defined(get_global_id) || defined(get_global_offset) || defined(get_work_dim) || "                  \
    "defined(get_global_size) || defined(get_group_id) || defined(get_num_groups)\n"                         \
    "#error a build option defines a work-item function\n"                                                   \
    "#endif\n"                                                                                               \
    "#if defined(__OPENCL_C_VERSION__) && __OPENCL_C_VERSION__ >= 120\n"                                     \
    "#define COEXEC__FN static inline __attribute__((always_inline, unused))\n"                              \
    "#else\n"                                                                                                \
    "#define COEXEC__FN inline __attribute__((always_inline, unused))\n"                                     \
    "#endif\n"                                                                                               \
    "#if defined(__OPENCL_C_VERSION__) && __OPENCL_C_VERSION__ >= 200\n"                                     \
    "#define COEXEC__LOCAL(d) get_enqueued_local_size(d)\n"                                                  \
    "#else\n"                                                                                                \
    "#define COEXEC__LOCAL(d) get_local_size(d)\n"                                                           \
    "#endif\n"                                                                                               \
    "#define COEXEC__FIRST(d) (get_global_id(d) - get_local_id(d) - get_group_id(d) * COEXEC__LOCAL(d))\n"

/* What differs: COEXEC__S, the split dimension; coexec__size, its original global size; global ids, offsets
 * and the number of dimensions. */
#define SHAPE_FLAT                                                                                           \
    "COEXEC__FN uint coexec__state(void) { return (uint)get_global_id(2); }\n"                               \
    "#define COEXEC__S ((uint)((coexec__state() & 3u) == 3u))\n"                                             \
    "COEXEC__FN uint coexec__size(void) { return coexec__state() >> 2; }\n"                                  \
    "COEXEC__FN size_t coexec__global_id(uint d) { return d < 2u ? get_global_id(d) : 0; }\n"                \
    "COEXEC__FN size_t coexec__global_offset(uint d)\n"                                                      \
    "{ return d < 2u && d != COEXEC__S ? COEXEC__FIRST(d) : 0; }\n"                                          \
    "COEXEC__FN uint coexec__work_dim(void) { return (coexec__state() & 3u) == 1u ? 1u : 2u; }\n"

#define SHAPE_DEEP(split, state)                                                                             \
    "#define COEXEC__S " split "u\n"                                                                         \
    "#define COEXEC__T " state "u\n"                                                                         \
    "COEXEC__FN uint coexec__size(void) { return (uint)COEXEC__FIRST(COEXEC__T); }\n"                        \
    "COEXEC__FN size_t coexec__global_id(uint d)\n"                                                          \
    "{ return d == COEXEC__T ? get_group_id(d) * COEXEC__LOCAL(d) + get_local_id(d) : get_global_id(d); }\n" \
    "COEXEC__FN size_t coexec__global_offset(uint d)\n"                                                      \
    "{ return d < 3u && d != COEXEC__S && d != COEXEC__T ? COEXEC__FIRST(d) : 0; }\n"                        \
    "COEXEC__FN uint coexec__work_dim(void) { return 3u; }\n"

#define COMMON_TAIL                                                                                          \
    "COEXEC__FN size_t coexec__global_size(uint d)\n"                                                        \
    "{ return d == COEXEC__S ? (size_t)coexec__size() : get_global_size(d); }\n"                             \
    "COEXEC__FN size_t coexec__group_id(uint d)\n"                                                           \
    "{ return d == COEXEC__S ? (size_t)((uint)(get_global_id(d) - get_local_id(d)) / "                       \
    "(uint)COEXEC__LOCAL(d)) : "                                                                             \
    "get_group_id(d); }\n"                                                                                   \
    "COEXEC__FN size_t coexec__num_groups(uint d)\n"                                                         \
    "{ return d == COEXEC__S ? (size_t)((coexec__size() - 1u) / (uint)COEXEC__LOCAL(d) + 1u) : "             \
    "get_num_groups(d); }\n"                                                                                 \
    "#if defined(__OPENCL_C_VERSION__) && __OPENCL_C_VERSION__ >= 200\n"                                     \
    "#define COEXEC__INDEX(d) (coexec__global_id(d) - coexec__global_offset(d))\n"                           \
    "COEXEC__FN size_t coexec__global_linear_id(void)\n"                                                     \
    "{ return (COEXEC__INDEX(2) * coexec__global_size(1) + COEXEC__INDEX(1)) * coexec__global_size(0) + "    \
    "COEXEC__INDEX(0); }\n"                                                                                  \
    "#define get_global_linear_id() coexec__global_linear_id()\n"                                            \
    "#endif\n"                                                                                               \
    "#define get_global_id(d) coexec__global_id(d)\n"                                                        \
    "#define get_global_offset(d) coexec__global_offset(d)\n"                                                \
    "#define get_work_dim() coexec__work_dim()\n"                                                            \
    "#define get_global_size(d) coexec__global_size(d)\n"                                                    \
    "#define get_group_id(d) coexec__group_id(d)\n"                                                          \
    "#define get_num_groups(d) coexec__num_groups(d)\n"                                                      \
    "#line 1\n"

/* Each name must still lead to our function: we turn those into a constant and ask for it where only
 * constants compile. Headers that the program includes are covered too. */
#define CHECK(name, parameter, argument)                                                                     \
    "#define coexec__" name "(" parameter ") 4711\n"                                                         \
    "typedef char coexec__check_" name "[get_" name "(" argument ") == 4711 ? 1 : -1];\n"

static const char check_text[] = "\n" CHECK("global_id", "d", "0") CHECK("global_offset", "d", "0") CHECK(
    "work_dim", "", "") CHECK("global_size", "d", "0") CHECK("group_id", "d", "0")
    CHECK("num_groups", "d", "0") "#if defined(__OPENCL_C_VERSION__) && __OPENCL_C_VERSION__ >= 200\n" CHECK(
        "global_linear_id", "", "") "#endif\n";

static const char *const texts[CX_VARIANT_COUNT] = {
    [CX_VARIANT_PLAIN] = "",
    [CX_VARIANT_SPLIT] = COMMON_HEAD SHAPE_FLAT COMMON_TAIL,
    [CX_VARIANT_SPLIT3_0] = COMMON_HEAD SHAPE_DEEP("0", "1") COMMON_TAIL,
    [CX_VARIANT_SPLIT3_1] = COMMON_HEAD SHAPE_DEEP("1", "2") COMMON_TAIL,
    [CX_VARIANT_SPLIT3_2] = COMMON_HEAD SHAPE_DEEP("2", "0") COMMON_TAIL,
};

/* The dimension whose offset carries the state of a 3-D launch split along dim. */
static unsigned state_dim(unsigned dim)
{
    return (dim + 1) % 3;
}

const char *cx_subrange_text(enum cx_variant variant)
{
    return texts[variant];
}

const char *cx_subrange_check(enum cx_variant variant)
{
    return variant == CX_VARIANT_PLAIN ? "" : check_text;
}

enum cx_variant cx_subrange_variant(const struct cx_access_geometry *geometry, unsigned dim, bool rewrite)
{
    if (!rewrite)
        return CX_VARIANT_PLAIN;
    return geometry->work_dim < 3 ? CX_VARIANT_SPLIT : (enum cx_variant)(CX_VARIANT_SPLIT3_0 + dim);
}

const char *cx_subrange_limit_text(enum cx_subrange_limit limit)
{
    static const char *const limit_texts[CX_SUBRANGE_LIMITS] = {
        [CX_SUBRANGE_FITS] = "",
        [CX_SUBRANGE_NO_DIMENSION] = "no such dimension",
        [CX_SUBRANGE_IDS] = "global ids need more than 31 bits",
        [CX_SUBRANGE_OFFSET] = "the launch has a global offset in the split dimension",
        [CX_SUBRANGE_SIZE_30] = "the global size needs more than 30 bits",
        [CX_SUBRANGE_SIZE_31] = "the global size needs more than 31 bits",
        [CX_SUBRANGE_STATE_OFFSET] = "the launch has a global offset in the dimension that carries the size",
        [CX_SUBRANGE_OTHER_VARIANT] = "another variant serves this launch",
    };
    return (unsigned)limit < CX_SUBRANGE_LIMITS ? limit_texts[limit] : "?";
}

enum cx_subrange_limit cx_subrange_limit(const struct cx_access_geometry *geometry, unsigned dim,
                                         enum cx_variant variant)
{
    const uint64_t limit = UINT64_C(1) << 31;

    if (dim >= geometry->work_dim || geometry->local[dim] == 0)
        return CX_SUBRANGE_NO_DIMENSION;
    if (geometry->global[dim] > limit || geometry->offset[dim] > limit - geometry->global[dim])
        return CX_SUBRANGE_IDS;
    if (variant == CX_VARIANT_PLAIN)
        return CX_SUBRANGE_FITS;
    if (geometry->offset[dim] != 0)
        return CX_SUBRANGE_OFFSET;
    if (variant == CX_VARIANT_SPLIT && geometry->global[dim] >= UINT64_C(1) << 30)
        return CX_SUBRANGE_SIZE_30;
    const unsigned carrier = state_dim(dim);
    if (variant != CX_VARIANT_SPLIT && geometry->offset[carrier] != 0)
        return CX_SUBRANGE_STATE_OFFSET;
    if (variant != CX_VARIANT_SPLIT && geometry->global[dim] >= limit - geometry->global[carrier])
        return CX_SUBRANGE_SIZE_31;
    return variant == cx_subrange_variant(geometry, dim, true) ? CX_SUBRANGE_FITS : CX_SUBRANGE_OTHER_VARIANT;
}

void cx_subrange_package(const struct cx_access_geometry *geometry, unsigned dim, enum cx_variant variant,
                         uint64_t first, uint64_t end, struct cx_subrange_launch *launch)
{
    *launch =
        (struct cx_subrange_launch){.dims = geometry->work_dim, .global = {1, 1, 1}, .local = {1, 1, 1}};
    for (unsigned d = 0; d < geometry->work_dim; d++) {
        launch->offset[d] = geometry->offset[d];
        launch->global[d] = geometry->global[d];
        launch->local[d] = geometry->local[d];
    }

    uint64_t lo = first * geometry->local[dim];
    uint64_t hi = end * geometry->local[dim];
    if (hi > geometry->global[dim])
        hi = geometry->global[dim]; /* the last group may be uneven */
    launch->offset[dim] += lo;
    launch->global[dim] = hi - lo;

    if (variant == CX_VARIANT_SPLIT) {
        unsigned shape = geometry->work_dim == 1 ? 1 : 2 + dim;
        launch->dims = 3;
        launch->offset[2] = (size_t)(geometry->global[dim] << 2 | shape);
    } else if (variant != CX_VARIANT_PLAIN) {
        launch->offset[state_dim(dim)] = geometry->global[dim];
    }
}
