/* SPDX-License-Identifier: MIT */
/*
 * What a call to a function without a body means: OpenCL C built-ins by their (Itanium-mangled) names, LLVM
 * intrinsics, and the helpers clang emits.
 *
 * Used by build.c (values) and scan.c (effects).
 */
#ifndef CX_LAYER_ANALYSER_BUILTIN_H
#define CX_LAYER_ANALYSER_BUILTIN_H

#include "layer/access/summary.h"

#include <llvm-c/Core.h>

enum cx_builtin_kind {
    CX_BUILTIN_UNKNOWN = 0, /* effects not known */
    CX_BUILTIN_PURE,        /* touches no memory but what a pointer to private memory names */
    CX_BUILTIN_IGNORE,      /* no effect that matters here: hints, event waits, debug */
    CX_BUILTIN_WORK_ITEM,   /* use, leaf */
    CX_BUILTIN_LINEAR_ID,   /* use */
    CX_BUILTIN_SUB_GROUP,
    CX_BUILTIN_INTEGER, /* op on integers */
    CX_BUILTIN_VLOAD,   /* elem, lanes, pitch */
    CX_BUILTIN_VSTORE,
    CX_BUILTIN_ASYNC_COPY, /* elem */
    CX_BUILTIN_ASYNC_STRIDED,
    CX_BUILTIN_OUT_POINTER, /* a mathematical function that writes elem bytes through a pointer argument */
    CX_BUILTIN_BARRIER,
    CX_BUILTIN_COLLECTIVE, /* work-group function */
    CX_BUILTIN_FENCE,
    CX_BUILTIN_ATOMIC, /* atomic_op, elem */
    CX_BUILTIN_IMAGE_READ,
    CX_BUILTIN_IMAGE_WRITE,
    CX_BUILTIN_IMAGE_QUERY, /* query; with CX_IMAGE_QUERY_COUNT: get_image_dim() */
    CX_BUILTIN_PRINTF,
    CX_BUILTIN_ENQUEUE,
    CX_BUILTIN_PIPE,
    CX_BUILTIN_SAME_POINTER, /* to_global() and the like: the argument, in another address space */
    CX_BUILTIN_MEMCPY,       /* llvm.memcpy, llvm.memmove: destination, source, length */
    CX_BUILTIN_MEMSET,
};

enum cx_builtin_integer {
    CX_INTEGER_MIN,
    CX_INTEGER_MAX,
    CX_INTEGER_CLAMP,
    CX_INTEGER_ABS,
    CX_INTEGER_MUL24,
    CX_INTEGER_MAD24,
    CX_INTEGER_SELECT,
    CX_INTEGER_CONVERT, /* convert_TYPE() between integers, not saturating */
};

/* Atomics that store what they are given. */
enum cx_exchange {
    CX_EXCHANGE_NONE = 0,
    CX_EXCHANGE_ALWAYS,  /* atomic_xchg(pointer, new) */
    CX_EXCHANGE_COMPARE, /* atomic_cmpxchg(pointer, old, new) */
};

/* How far an atomic orders accesses to other places, by its name or its arguments. */
enum cx_order {
    CX_ORDER_NONE = 0, /* OpenCL C 1.x */
    CX_ORDER_IMPLIED,  /* 2.0 without _explicit: sequentially consistent by the letter */
    CX_ORDER_EXPLICIT, /* its memory_order argument says */
};

/* Functions that test the highest bit of each of a vector's lanes. */
enum cx_lanes { CX_LANES_NONE = 0, CX_LANES_ANY, CX_LANES_ALL };

struct cx_builtin {
    enum cx_builtin_kind kind;
    uint32_t use;         /* enum cx_summary_use */
    enum cx_expr_op leaf; /* of a work-item function */
    enum cx_builtin_integer integer;
    bool is_signed; /* of the integer operation's (or atomic's) operands */
    enum cx_atomic_op atomic_op;
    enum cx_exchange exchange;
    bool loads; /* atomic_load() */
    enum cx_order order;
    bool is_fma;        /* a * b + c */
    enum cx_lanes test; /* of all lanes of a vector */
    uint32_t elem;      /* bytes of one element */
    enum cx_image_query query;
    struct {
        uint8_t coordinates; /* 1 to 3, 0: not known; the last one is the layer of an array */
        bool layers;
        bool samples; /* of several samples a texel */
        bool sampler; /* read with one */
    } image;
    uint32_t lanes, pitch; /* vloadN: elements accessed, elements from one index to the next */
};

/* What the function (a declaration) does. Called by analyser/. */
struct cx_builtin cx_builtin_classify(LLVMValueRef function);
/* How a function without a body may touch memory, by its attributes. */
bool cx_builtin_touches_nothing(LLVMValueRef function);

#endif
