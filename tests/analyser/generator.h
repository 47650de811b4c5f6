/* SPDX-License-Identifier: MIT */
/*
 * Random OpenCL C kernels, as trees that can be printed as source and run by an interpreter.
 *
 * generator_elem.c   what memory holds
 * generator_make.c   a kernel from a seed (statements: generator_stmt.c, values: generator_index.c,
 *                    generator_ring.c)
 * generator_print.c  its source
 * generator_image.c  all of images
 * generator_launch.c sizes, arguments and contents for it
 * generator_run.c    the interpreter: results, and which bytes each work-group reads and writes
 * generator_check.c  what the analyser says of the launch, held against that
 * generator_device.c the same launch on a device, held against the interpreter's results
 * generator.c        batches, statistics, shrinking, the command line
 */
#ifndef CX_TESTS_ANALYSER_GENERATOR_H
#define CX_TESTS_ANALYSER_GENERATOR_H

#include "layer/access/access.h"
#include "oracle.h"

#include <stdio.h>

/* Types that expressions have; narrower ones are promoted. */
enum gen_type { I32, U32, I64, U64 };

/* What memory holds. */
enum gen_elem {
    EL_CHAR,
    EL_UCHAR,
    EL_SHORT,
    EL_USHORT,
    EL_INT,
    EL_UINT,
    EL_LONG,
    EL_ULONG,
    EL_FLOAT,
    EL_SCALARS,
    EL_CHAR4 = EL_SCALARS,
    EL_INT2,
    EL_INT4,
    EL_FLOAT4,
    EL_PAIR, /* structs from here on */
    EL_MIXED,
    EL_NESTED,
    EL_PACKED,
    EL_COUNT
};

struct gen_field {
    const char *path;
    uint8_t offset, scalar;
};

struct gen_elem_info {
    const char *name;
    uint8_t size, align;
    uint8_t type;          /* scalars: enum gen_type they are promoted to */
    uint8_t comps, scalar; /* vectors */
    uint8_t nfield;        /* structs */
    struct gen_field field[6];
};
extern const struct gen_elem_info gen_elem[EL_COUNT];

enum { GEN_EXPRS = 6000, GEN_STMTS = 500, GEN_REFS = 400, GEN_VARS = 120, GEN_PTRS = 16 };
enum { GEN_PARAMS = 10, GEN_HELPERS = 3, GEN_LOCALS = 2, GEN_ITEMS = 64, GEN_PRIVATE = 4, GEN_TABLE = 8 };
enum { GEN_BATCH = 50 };

enum gen_expr_op {
    E_CONST,
    E_VAR,        /* sub: variable */
    E_ARG,        /* sub: parameter, imm: field or component */
    E_ITEM,       /* sub: enum gen_item; imm: dimension, or a: an expression for it */
    E_BIN,        /* sub: enum gen_bin */
    E_UN,         /* sub: enum gen_un */
    E_CAST,       /* to type */
    E_NARROW,     /* sub: scalar element */
    E_COND,       /* a ? b : c */
    E_BUILTIN,    /* sub: enum gen_builtin; operands are cast to opnd */
    E_LOAD,       /* ref */
    E_LOCAL,      /* sub: local array, a: index */
    E_PRIVATE,    /* a: index */
    E_TABLE,      /* a: index */
    E_HELPER,     /* sub: helper, a, b; ref: what is passed as pointer */
    E_FLOAT,      /* half of the low 8 bits of a, through float */
    E_EXISTS,     /* sub: parameter is no NULL buffer */
    E_PLACE,      /* of a texel: sub: image, a, b, c: coordinates */
    E_IMAGE,      /* sub: image, a: place */
    E_IMAGE_SIZE, /* sub: image, imm: coordinate */
};

enum gen_item {
    ITEM_GLOBAL_ID,
    ITEM_LOCAL_ID,
    ITEM_GROUP_ID,
    ITEM_GLOBAL_SIZE,
    ITEM_LOCAL_SIZE,
    ITEM_NUM_GROUPS,
    ITEM_GLOBAL_OFFSET,
    ITEM_WORK_DIM,
    ITEM_ENQUEUED_LOCAL_SIZE, /* from OpenCL C 2.0 on */
    ITEM_GLOBAL_LINEAR_ID,
    ITEM_LOCAL_LINEAR_ID,
    ITEM_COUNT
};

enum gen_bin {
    B_ADD,
    B_SUB,
    B_MUL,
    B_DIV,
    B_REM,
    B_SHL,
    B_SHR,
    B_AND,
    B_OR,
    B_XOR,
    B_ARITHMETIC, /* those below give 0 or 1 */
    B_LT = B_ARITHMETIC,
    B_LE,
    B_GT,
    B_GE,
    B_EQ,
    B_NE,
    B_LAND,
    B_LOR,
    B_COUNT,
    B_SET /* of an assignment: no operation */
};

enum gen_un { U_NEG, U_NOT, U_LNOT };

enum gen_builtin {
    F_MIN,
    F_MAX,
    F_CLAMP,
    F_SELECT,
    F_MUL24,
    F_MAD24,
    F_ABS,
    F_ABS_DIFF,
    F_ADD_SAT,
    F_ROTATE,
    F_MUL_HI,
    F_CLZ,
    F_POPCOUNT,
    F_BITSELECT,
    F_COUNT
};

struct gen_expr {
    uint8_t op, type, sub, opnd;
    int16_t a, b, c, ref;
    int64_t imm;
};

enum gen_form {
    R_ELEM,  /* p[i] */
    R_STAR,  /* *(p + i) */
    R_FIELD, /* p[i].f */
    R_COMP,  /* p[i].s1 */
    R_VECTOR,
    R_VLOAD, /* vloadN, vstoreN */
    R_CAST,  /* ((T *)p)[i] */
    R_BYTES, /* *(T *)((char *)p + i * sizeof(T)) */
    R_HALF,  /* vload_half, vstore_half */
    R_WHOLE, /* a struct */
};

/* A place in global memory. */
struct gen_ref {
    uint8_t form;
    bool ptr;    /* src is a pointer variable, else a parameter */
    uint8_t src; /* of element type el */
    uint8_t el, to;
    uint8_t part; /* component, field, or N of vloadN */
    int16_t index;
};

enum gen_stmt_op {
    S_DECL,   /* var = a */
    S_SET,    /* var sub= a */
    S_STORE,  /* ref sub= a */
    S_COPY,   /* ref = ref2 */
    S_ATOMIC, /* sub: enum gen_atomic on ref with a; var: result or -1 */
    S_IF,     /* a: body, else other */
    S_SWITCH, /* a: cases in body */
    S_CASE,   /* imm (-1: default): body, with a break at its end where sub is 1 */
    S_FOR,    /* var = a; b; var sub= c */
    S_WHILE,  /* a */
    S_DO,     /* a */
    S_BREAK,
    S_CONTINUE,
    S_RETURN,
    S_BARRIER,
    S_PTR,     /* pointer var = a ? ref : ref2 (a -1: ref), as addresses */
    S_PTR_ADD, /* pointer var += a */
    S_LOCAL,   /* local array var[a] sub= b */
    S_PRIVATE, /* [a] sub= b */
    S_LATOMIC, /* sub on int local array var [a] with b */
    S_CALL,    /* helper var with a, b, ref as pointer */
    S_ASYNC, /* local array var, ref its place in global memory, a elements, stride b or -1; sub: 1 to global
              */
    S_FILL,  /* local array var by all items: i * imm */
    S_IMAGE, /* image var, a: place, b: value */
};

enum gen_atomic { A_ADD, A_SUB, A_INC, A_DEC, A_MIN, A_MAX, A_AND, A_OR, A_XOR, A_XCHG, A_CMPXCHG, A_COUNT };

struct gen_stmt {
    uint8_t op, sub;
    bool dropped;
    int16_t var, a, b, c, ref, ref2, body, other, next;
    int64_t imm;
};

enum gen_param_kind { P_GLOBAL, P_CONSTANT, P_VALUE, P_LOCAL, P_IMAGE };

enum gen_shape { GEN_1D, GEN_1D_ARRAY, GEN_2D, GEN_2D_ARRAY, GEN_3D, GEN_SHAPES };

enum gen_role { ROLE_IN, ROLE_OUT, ROLE_COUNTER };

struct gen_param {
    uint8_t kind, el;
    bool is_const, is_restrict, is_volatile, nullable, count; /* count: number of elements, by its role */
    bool written;
    uint8_t role;      /* enum gen_role; of tidy kernels */
    int16_t first_ref; /* of tidy kernels: the first store, which the others follow; -1: none yet */
    int minimum;       /* elements that are always there; P_LOCAL: the array's number */
    uint8_t shape, channels, sampler; /* P_IMAGE: of elements el; is_const: read, else written */
};

struct gen_local {
    uint8_t el;
    int n, param; /* param -1: declared in the kernel */
};

enum gen_helper_kind { H_VALUE, H_LOAD, H_STORE };

struct gen_helper {
    uint8_t kind, type, el;
    bool noinline, is_const;
    int16_t var[2], ptr, body, result;
};

/* CLASS_RINGS: tidy kernels whose places are sums of digits of the work-item's number, moved around rings. */
enum gen_class { CLASS_AFFINE, CLASS_MIXED, CLASS_WILD, CLASS_RINGS, CLASS_COUNT };

enum { GEN_DIGITS = 6 };
/* Digits of a number, lowest first, and how far apart the places of two neighbours are. */
struct gen_ring {
    unsigned n, base[GEN_DIGITS], stride[GEN_DIGITS], extent;
};

struct gen_kernel {
    uint64_t seed;
    unsigned index; /* number in its run */
    int std;        /* 10 * version */
    uint8_t class, dims;
    bool tidy;      /* each work-item stores in places of its own */
    int16_t unique; /* variable: the work-item's number, in tidy kernels */
    struct gen_ring ring;
    unsigned reqd[3];
    unsigned nparam, nvar, nptr, nhelper, nlocal, nexpr, nstmt, nref;
    bool has_private, full; /* full: out of room, the rest was left out */
    struct gen_param param[GEN_PARAMS];
    uint8_t var_type[GEN_VARS];
    bool var_tame[GEN_VARS], var_uniform[GEN_VARS];
    struct {
        uint8_t el;
        bool is_const, is_volatile, is_helper;
        int8_t space; /* 1: constant */
    } ptr[GEN_PTRS];
    struct gen_local local[GEN_LOCALS];
    struct gen_helper helper[GEN_HELPERS];
    int16_t body;
    struct gen_expr expr[GEN_EXPRS];
    struct gen_stmt stmt[GEN_STMTS];
    struct gen_ref ref[GEN_REFS];
};

/* Kernel number index of the run with that seed. runs: one of those that are run on devices: mostly tidy, and
 * of no OpenCL C after 1.2 (with which PoCL 3.1 knows no vloadN of global memory). rings: of that class. */
void gen_make(struct gen_kernel *k, uint64_t seed, unsigned index, bool runs, bool rings);
/* Bytes from one index to the next, and bytes touched. */
unsigned gen_ref_stride(const struct gen_ref *r);
unsigned gen_ref_size(const struct gen_ref *r);
unsigned gen_ref_add(const struct gen_ref *r);
/* The scalar element that it deals in. */
unsigned gen_ref_scalar(const struct gen_ref *r);
int32_t gen_table_value(unsigned i);

const char *gen_build_option(const struct gen_kernel *k);
void gen_print_common(FILE *out);
void gen_print(FILE *out, const struct gen_kernel *k);
void gen_print_expr(FILE *out, const struct gen_kernel *k, int i);
void gen_print_image_param(FILE *out, const struct gen_param *p, unsigned i);
void gen_print_image_read(FILE *out, const struct gen_kernel *k, const struct gen_expr *e);
void gen_print_image_write(FILE *out, const struct gen_kernel *k, const struct gen_stmt *s);
void gen_print_image_size(FILE *out, const struct gen_kernel *k, const struct gen_expr *e);

enum { GEN_MAX_BYTES = 1 << 14, GEN_MAX_GROUPS = 48 };

struct gen_launch {
    struct cx_access_geometry geometry;
    struct cx_access_arg args[GEN_PARAMS];
    unsigned char value[GEN_PARAMS][32];
    unsigned nobject;
    size_t bytes[GEN_PARAMS]; /* of an object; object i of an argument is number i - 1 here */
    unsigned char *data[GEN_PARAMS];
};

/* scale: how large buffers are. */
void gen_launch_make(struct gen_launch *l, const struct gen_kernel *k, struct cx_random *r, unsigned scale);
void gen_launch_image(struct gen_launch *l, const struct gen_param *p, unsigned i, struct cx_random *r);
void gen_launch_finish(struct gen_launch *l);

enum { GEN_READ = 1, GEN_WRITE = 2, GEN_ATOMIC = 4 };

/* What an object's bytes were used for in the whole launch. */
struct gen_object_use {
    bool stored, loaded, result_used; /* stored: some store, no atomic, changed it */
    unsigned families;                /* bits of enum gen_atomic, add for add, sub, inc and dec */
    unsigned narrowest_store;         /* bytes; 0: none */
};

struct gen_record {
    uint64_t groups[3], ngroups;
    unsigned char *touch[GEN_PARAMS]; /* [group][byte], group 0 fastest along dimension 0 */
    struct gen_object_use use[GEN_PARAMS];
    unsigned char *result[GEN_PARAMS]; /* of an object */
    const char *undefined;             /* why the launch has no meaning, else NULL */
    size_t missing;                    /* bytes that a buffer would have needed */
    bool racy;                         /* the results depend on the order of work-items */
};

/* A run of groups along one dimension. */
struct gen_part {
    unsigned dim;
    uint64_t g0, g1;
};

/* part: NULL for the whole launch. */
void gen_run(struct gen_record *rec, const struct gen_kernel *k, const struct gen_launch *l,
             const struct gen_part *part);
void gen_record_finish(struct gen_record *rec);

struct gen_stats {
    unsigned long launches, discarded, splits, separable, checked, ordered;
    unsigned long writes, writes_known, writes_exact, reads, reads_known, boxes, dead_reads, idle_writes;
    unsigned long apart, ways[4]; /* apart: the record has no two groups that share a byte one writes */
};

/* False with a message in why where a region or a way is wrong. */
bool gen_check(const struct cx_summary_kernel *s, const struct gen_kernel *k, const struct gen_launch *l,
               const struct gen_record *rec, struct cx_random *r, struct gen_stats *stats, char *why,
               size_t size);

/* A device to run on; false (with a message) where there is none. */
bool gen_device_open(void);
void gen_device_close(void);
/* Builds the source for the launches that follow. */
bool gen_device_build(const char *source, const char *options);
/* False with a message in why where the buffers differ from the record's results. */
bool gen_device_check(const struct gen_kernel *k, const struct gen_launch *l, const struct gen_record *rec,
                      char *why, size_t size);

#endif
