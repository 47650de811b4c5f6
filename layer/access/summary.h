/* SPDX-License-Identifier: MIT */
/*
 * The access summary: what each kernel of a program touches and what forbids splitting it.
 *
 * Previous stage: layer/analyser/ (a program of its own) writes a summary as a blob.
 * Next stage: layer/access/access.h evaluates a kernel's summary for one launch; layer/access/explain.h
 * prints it.
 *
 * Nothing here knows LLVM or OpenCL. A parsed summary is immutable and may be read by any thread.
 */
#ifndef CX_LAYER_ACCESS_SUMMARY_H
#define CX_LAYER_ACCESS_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes whenever a blob of another version would be misread, or says what is wrong; part of the disk
 * cache's key. */
#define CX_SUMMARY_VERSION 12

/*
 * Why a kernel (or one launch of it) is not split. The values up to CX_REASON_KERNEL_LAST are found by the
 * analyser and hold for every launch; those after it are found by layer/access/access.h for one launch with
 * its numbers. Values are stored in blobs: append only, or raise CX_SUMMARY_VERSION.
 */
enum cx_summary_reason {
    CX_REASON_NONE = 0,
    CX_REASON_NO_SUMMARY,         /* no analyser, not ready yet, or the kernel is not in the summary */
    CX_REASON_COMPILE_FAILED,     /* clang refused the source */
    CX_REASON_TIME_LIMIT,         /* the analyser ran into its wall-clock or memory cap */
    CX_REASON_ANALYSER_CRASHED,   /* the analysing process died */
    CX_REASON_TOO_COMPLEX,        /* a cap on instructions, accesses, loops or expressions was hit */
    CX_REASON_GROUPS_WAIT,        /* a loop ends by what another work-group stores: all must run at a time */
    CX_REASON_ATOMIC_RESULT_USED, /* global atomic whose result is used */
    CX_REASON_ATOMIC_ORDER,       /* global atomic load, store, exchange, compare-exchange or flag */
    CX_REASON_ATOMIC_FENCE,       /* fence that orders work-groups */
    CX_REASON_VOLATILE,           /* volatile access to global memory */
    CX_REASON_DEVICE_ENQUEUE,     /* device-side enqueue, queues, events */
    CX_REASON_PIPE,
    CX_REASON_PRINTF,
    CX_REASON_IMAGE_READ,
    CX_REASON_IMAGE_WRITE,
    CX_REASON_PROGRAM_VARIABLE,   /* program-scope variable in global memory that the program writes */
    CX_REASON_POINTER_STORED,     /* a global pointer is stored in memory */
    CX_REASON_POINTER_UNRESOLVED, /* access through a pointer whose argument is not known */
    CX_REASON_POINTER_INTEGER,    /* a global pointer's address is used as a number */
    CX_REASON_INLINE_ASM,
    CX_REASON_OPAQUE_CALL,   /* call of a function without a body that is no known built-in */
    CX_REASON_INDIRECT_CALL, /* call through a function pointer */
    CX_REASON_RECURSION,
    CX_REASON_KERNEL_LAST = CX_REASON_RECURSION,
    /* of one launch */
    CX_REASON_WRITE_UNKNOWN, /* the bytes written are not known (index from memory, unbounded loop, overflow)
                              */
    CX_REASON_WRITE_OVERLAP, /* different packages would write overlapping intervals */
    CX_REASON_READ_OVERLAP,  /* a package reads what another writes: needs old contents elsewhere */
    CX_REASON_ATOMIC_MIXED,  /* packages update the same bytes by atomics and touch them in other ways too */
    CX_REASON_ONE_GROUP,     /* a single work-group (or unit of granularity) along the dimension */
    CX_REASON_BAD_LAUNCH,    /* geometry or arguments do not fit the summary */
    CX_REASON_NO_MEMORY,
    CX_REASON_STORES_RACE, /* different stores may write one place from different work-groups */
    /* why it is not split first and checked afterwards either (access/checked.c, plan/check_rules.h) */
    CX_REASON_CHECK_LOOP,   /* a loop may end by what is read of an object that several copies would be of */
    CX_REASON_CHECK_ALWAYS, /* every work-group changes such an object */
    CX_REASON_CHECK_IMAGE,  /* such an object is an image, or an image is written */
    CX_REASON_CHECK_LARGE,  /* such objects are too large */
    CX_REASON_CHECK_SHARED, /* the program may see what the launch uses while it runs */
    CX_REASON_COUNT
};

/* Short name for logs and golden files, such as "write-overlap"; "?" for a value that is none. */
const char *cx_summary_reason_name(enum cx_summary_reason reason);
/* The reason as half a sentence for users, such as "different work-groups write overlapping bytes"; a
 * constant. Used to say why a launch is not split. Called by explain.c, plan/why.c and
 * tools/coexec_judge.c. */
const char *cx_summary_reason_text(enum cx_summary_reason reason);

/* Work-item functions a kernel calls, itself or through helpers (struct cx_summary_kernel.uses). */
enum cx_summary_use {
    CX_USE_GLOBAL_ID = 1u << 0,
    CX_USE_LOCAL_ID = 1u << 1,
    CX_USE_LOCAL_SIZE = 1u << 2,
    CX_USE_ENQUEUED_LOCAL_SIZE = 1u << 3,
    CX_USE_LOCAL_LINEAR_ID = 1u << 4,
    CX_USE_SUB_GROUP = 1u << 5, /* any sub-group function */
    /* those below change their value in a sub-range launched with a global offset */
    CX_USE_GROUP_ID = 1u << 8,
    CX_USE_NUM_GROUPS = 1u << 9,
    CX_USE_GLOBAL_SIZE = 1u << 10,
    CX_USE_GLOBAL_OFFSET = 1u << 11,
    CX_USE_GLOBAL_LINEAR_ID = 1u << 12,
    CX_USE_WORK_DIM = 1u << 13,
};
/* The uses for which a sub-range needs the rewritten variant of the program. */
#define CX_USE_NEEDS_REWRITE 0xff00u

/* Properties of a kernel (struct cx_summary_kernel.flags). */
enum cx_summary_flag {
    CX_SUMMARY_OPAQUE = 1u << 0,      /* nothing is known but the name: args may be empty, never split */
    CX_SUMMARY_PINNED = 1u << 1,      /* uses state the host cannot copy: always the same one device */
    CX_SUMMARY_BARRIER = 1u << 2,     /* has a work-group barrier or collective */
    CX_SUMMARY_LOCAL_MEM = 1u << 3,   /* uses local memory (argument or variable) */
    CX_SUMMARY_REQD_SIZE = 1u << 4,   /* reqd_work_group_size given */
    CX_SUMMARY_SIZE_HINT = 1u << 5,   /* work_group_size_hint given */
    CX_SUMMARY_DYNAMIC_DIM = 1u << 6, /* a work-item function has a run-time dimension argument */
    CX_SUMMARY_ONE_MODEL = 1u << 7,   /* has inline assembly, which other models may take and not do */
};

enum cx_arg_kind {
    CX_ARG_OTHER = 0, /* sampler, queue, pipe, ... */
    CX_ARG_GLOBAL,
    CX_ARG_CONSTANT,
    CX_ARG_LOCAL,
    CX_ARG_VALUE, /* scalar, vector or struct by value; size says how many bytes */
    CX_ARG_IMAGE,
};

/* What a kernel does with what an argument points to (struct cx_summary_arg.touch). */
enum cx_arg_touch {
    CX_TOUCH_READ = 1u << 0,
    CX_TOUCH_WRITE = 1u << 1,
    CX_TOUCH_ATOMIC = 1u << 2,
    CX_TOUCH_VOLATILE = 1u << 3,
    /* whether a loop ends may depend on what is read through it, but for a compare-exchange that is retried
       only after it failed (analyser/ending.h) */
    CX_TOUCH_DECIDES = 1u << 4,
};

struct cx_summary_arg {
    const char *name;     /* "" where unknown */
    const char *type;     /* OpenCL C type as written, such as "float*"; "" where unknown */
    uint32_t size;        /* bytes of a by-value argument, else 0 */
    uint32_t elem_size;   /* bytes of the widest element accessed through it, 0: none seen */
    uint32_t store_width; /* bytes of the narrowest store, 0: never stored to */
    uint8_t kind;         /* enum cx_arg_kind */
    uint8_t touch;        /* enum cx_arg_touch bits */
};

/*
 * Expressions: a DAG in one array per kernel, children before parents. A node of width w stands for an
 * integer modulo 2^w; it has a sign only where an operation gives it one (sext, sdiv, comparisons of guards).
 */
enum cx_expr_op {
    /* leaves */
    CX_EXPR_CONST = 0, /* imm */
    CX_EXPR_ARG,       /* by-value argument a, bytes [imm, imm + width / 8) */
    CX_EXPR_GLOBAL_ID, /* a: dimension, 0..2 (also for the others below) */
    CX_EXPR_LOCAL_ID,
    CX_EXPR_GROUP_ID,
    CX_EXPR_GLOBAL_SIZE,
    CX_EXPR_LOCAL_SIZE, /* of this work-group: smaller in an uneven last one */
    CX_EXPR_ENQ_LOCAL_SIZE,
    CX_EXPR_NUM_GROUPS,
    CX_EXPR_GLOBAL_OFFSET,
    CX_EXPR_WORK_DIM,
    CX_EXPR_IMAGE,  /* a: image argument, imm: enum cx_image_query; 64 bits */
    CX_EXPR_OPAQUE, /* any value of this width; a: enum cx_opaque, imm: serial that tells two apart */
    CX_EXPR_RANGE,  /* any value in [a, b]: both are nodes; imm: serial; read as signed */
    /* of a loop */
    CX_EXPR_LOOP,  /* a: start node, b: step node, imm: loop; start + step * (iterations so far) */
    CX_EXPR_DECAY, /* a: start node, imm: loop; some value in [0, start], unsigned: shifted or divided down */
    /* one or two operands */
    CX_EXPR_ADD,
    CX_EXPR_SUB,
    CX_EXPR_MUL,
    CX_EXPR_UDIV,
    CX_EXPR_SDIV,
    CX_EXPR_UREM,
    CX_EXPR_SREM,
    CX_EXPR_SHL,
    CX_EXPR_LSHR,
    CX_EXPR_ASHR,
    CX_EXPR_AND,
    CX_EXPR_OR,
    CX_EXPR_XOR,
    CX_EXPR_SMIN,
    CX_EXPR_SMAX,
    CX_EXPR_UMIN,
    CX_EXPR_UMAX,
    CX_EXPR_ABS,   /* of a, read as signed */
    CX_EXPR_UNION, /* a or b */
    CX_EXPR_SEXT,
    CX_EXPR_ZEXT,
    CX_EXPR_TRUNC,
    CX_EXPR_SMUL24, /* mul24: product where both operands fit 24 bits, else any value */
    CX_EXPR_UMUL24,
    CX_EXPR_ULESS, /* 1 where a < b, else 0 */
    CX_EXPR_SLESS,
    CX_EXPR_EQUAL,
    CX_EXPR_CHOICE, /* a: a UNION, of which it is the first where b, of any width, is not 0, else the second
                     */
    CX_EXPR_COUNT
};

/* What a leaf asks of an image argument. Dimensions that it has not are 1; pitches are those of struct
 * cx_access_image. */
enum cx_image_query {
    CX_IMAGE_WIDTH = 0,
    CX_IMAGE_HEIGHT,
    CX_IMAGE_DEPTH,
    CX_IMAGE_ARRAY_SIZE,
    CX_IMAGE_CHANNEL_TYPE,
    CX_IMAGE_CHANNEL_ORDER,
    CX_IMAGE_ELEMENT_SIZE,
    CX_IMAGE_ROW_PITCH,
    CX_IMAGE_SLICE_PITCH,
    CX_IMAGE_BYTES, /* of the whole argument */
    CX_IMAGE_QUERY_COUNT
};

/* Why a value is opaque; for explanations only. */
enum cx_opaque {
    CX_OPAQUE_OTHER = 0,
    CX_OPAQUE_LOADED,   /* read from global memory */
    CX_OPAQUE_CONSTANT, /* read from constant memory */
    CX_OPAQUE_LOCAL,    /* read from local memory */
    CX_OPAQUE_PRIVATE,  /* read from private memory */
    CX_OPAQUE_FLOAT,    /* computed in floating point */
    CX_OPAQUE_CALL,     /* result of a function */
    CX_OPAQUE_LOOP,     /* changes in a loop in a way not followed */
    CX_OPAQUE_BOOL,     /* a comparison's result */
    CX_OPAQUE_COUNT
};

struct cx_expr {
    uint8_t op;    /* enum cx_expr_op */
    uint8_t width; /* bits, 1..64 */
    int32_t a, b;  /* operands (node index below this node's own) or as the op says; -1: none */
    int64_t imm;
};

/* Condition l PRED r of two nodes of one width. */
enum cx_guard_pred {
    CX_PRED_EQ = 0,
    CX_PRED_NE,
    CX_PRED_SLT,
    CX_PRED_SLE,
    CX_PRED_SGT,
    CX_PRED_SGE,
    CX_PRED_ULT,
    CX_PRED_ULE,
    CX_PRED_UGT,
    CX_PRED_UGE,
    CX_PRED_COUNT
};

struct cx_guard {
    uint8_t pred; /* enum cx_guard_pred */
    uint8_t hint; /* true: holds whenever the access is executed, but does not decide whether it is */
    int32_t l, r; /* nodes */
};

/*
 * Each `line` of a summary is a line of the program's own text, or of the file whose number, counted from 1,
 * is above CX_PLACE_LINES. 0: unknown.
 */
#define CX_PLACE_LINES 0xffffffu
#define CX_PLACE_FILES 255u /* most files of a kernel */

static inline uint32_t cx_summary_line(uint32_t file, uint32_t line)
{
    return file * (CX_PLACE_LINES + 1) + line;
}

static inline uint32_t cx_summary_line_number(uint32_t place)
{
    return place & CX_PLACE_LINES;
}

/*
 * A loop runs its header for iterations t = 0, 1, ...; each guard in [guard, guard + nguard) is known to hold
 * for iteration t whenever iteration t + 1 is begun.
 */
struct cx_loop {
    uint32_t guard, nguard;
    uint32_t line;
    uint8_t single_exit; /* true: it ends only when one of these guards fails, so all of them decide */
    uint32_t times;      /* iterations at most, where that is a constant; else 0 */
    uint32_t steps;      /* of an iteration, as `steps` of the kernel, without loops inside */
    int32_t parent;      /* the loop around it, which comes before it; -1: none */
};

/* No bound is known. */
#define CX_STEPS_UNKNOWN UINT32_MAX

enum cx_access_mode { CX_MODE_READ = 0, CX_MODE_WRITE, CX_MODE_ATOMIC, CX_MODE_COUNT };

enum cx_atomic_op {
    CX_ATOMIC_NONE = 0,
    CX_ATOMIC_ADD,
    CX_ATOMIC_SUB,
    CX_ATOMIC_INC,
    CX_ATOMIC_DEC,
    CX_ATOMIC_MIN,
    CX_ATOMIC_MAX,
    CX_ATOMIC_UMIN,
    CX_ATOMIC_UMAX,
    CX_ATOMIC_AND,
    CX_ATOMIC_OR,
    CX_ATOMIC_XOR,
    CX_ATOMIC_FADD,
    CX_ATOMIC_OTHER, /* exchange, compare-exchange, load, store, flag: orders work-items */
    CX_ATOMIC_COUNT
};

/* Properties of one access (struct cx_access_record.flags). */
enum cx_access_flag {
    /* every work-item for which all guards that are no hints hold executes it, in every iteration of its
       loops */
    CX_ACCESS_MUST = 1u << 0,
    CX_ACCESS_VOLATILE = 1u << 1,
    CX_ACCESS_RESULT_USED = 1u << 2, /* atomics */
    CX_ACCESS_SPARSE = 1u << 3,      /* not all bytes of [off, off + size + len) are touched */
    CX_ACCESS_KEEPS = 1u << 5,       /* atomics that change nothing, such as a load */
    CX_ACCESS_SEVERAL = 1u << 4,     /* stores that write unlike values at unlike places, made into one */
};

/*
 * One access: bytes [off, off + size) from where the argument points to, plus len bytes more where len >= 0
 * (async copies, memcpy, images; then size is 0 and len an unsigned 64-bit node). off < 0: unknown, the whole
 * buffer. A texel's off is the sum of its coordinates, each times ELEMENT_SIZE, ROW_PITCH or SLICE_PITCH.
 */
struct cx_access_record {
    uint16_t arg;
    uint8_t mode;      /* enum cx_access_mode */
    uint8_t atomic_op; /* enum cx_atomic_op */
    uint8_t flags;     /* enum cx_access_flag bits */
    uint8_t width;     /* bytes of one store or load unit (narrowest merged) */
    int32_t off;       /* 64-bit node, bytes, read as signed; -1: unknown */
    int32_t len;       /* 64-bit node or -1 */
    int64_t skew;      /* constant added to off, so that stencil taps merged into one record have one node */
    uint64_t size;
    uint32_t guard, nguard;
    uint32_t line;
    /*
     * Writes to buffers that are no atomics: those with equal numbers store the same value wherever they
     * store, or are one instruction.
     */
    uint32_t store;
    /* Accesses with equal numbers, which are not 0, begin at one place if one work-item executes them, but
     * for their skews. */
    uint32_t place;
    uint32_t other; /* CX_ACCESS_SEVERAL: the line of another one of the stores */
};

/* One thing in the kernel that stands in the way of a split, at its first source line. */
struct cx_summary_note {
    uint8_t reason; /* enum cx_summary_reason, up to CX_REASON_KERNEL_LAST */
    int16_t arg;    /* -1: none */
    uint32_t line;  /* 0: unknown */
};

struct cx_summary_kernel {
    const char *name;
    uint32_t flags;  /* enum cx_summary_flag bits */
    uint32_t uses;   /* enum cx_summary_use bits */
    uint32_t line;   /* of the definition, 0: unknown */
    uint8_t max_dim; /* 1 + the largest constant dimension a work-item function is asked for; 0: none */
    uint32_t reqd_size[3], size_hint[3]; /* 0,0,0 where not given */
    /* of a work-item at most, about as many instructions, without those in `loop`; or CX_STEPS_UNKNOWN */
    uint32_t steps;
    uint32_t nfile, nnote, narg, nexpr, nguard, nloop, naccess;
    const char **file;            /* that lines are in, besides the program's own text */
    struct cx_summary_note *note; /* empty: nothing in the kernel itself forbids a split */
    struct cx_summary_arg *arg;
    struct cx_expr *expr;
    struct cx_guard *guard;
    struct cx_loop *loop;
    struct cx_access_record *access; /* sorted by arg */
};

struct cx_summary {
    uint32_t nkernel;
    struct cx_summary_kernel *kernel;
};

enum cx_summary_status {
    CX_SUMMARY_OK = 0,
    CX_SUMMARY_FOREIGN, /* no summary blob, or of another version */
    CX_SUMMARY_DAMAGED, /* cut short, checksum wrong, or contents out of bounds */
    CX_SUMMARY_NO_MEMORY,
};

/*
 * Reads a blob. On success *out is a summary to be freed with cx_summary_destroy(); otherwise *out is NULL.
 * Whatever the bytes are, this neither reads outside [data, data + size) nor returns a summary with an index
 * that is out of bounds. The result keeps no pointer into data. Called by analyser/main.c,
 * source/analyser.c and source/analysis.c.
 */
enum cx_summary_status cx_summary_parse(const void *data, size_t size, struct cx_summary **out);
/* Accepts NULL and a pointer to NULL; sets *summary to NULL. Called by analyser/main.c and
 * source/analyser.c. */
void cx_summary_destroy(struct cx_summary **summary);

/* Writes a blob into *data (free() it), its size into *size. Only for summaries that cx_summary_check()
 * accepts. Called by analyser/main.c. */
enum cx_summary_status cx_summary_serialise(const struct cx_summary *summary, void **data, size_t *size);
/* True where every index, enum value and count is in bounds and nodes come after their operands. Called by
 * summary_blob.c and analyser/kernel.c. */
bool cx_summary_check(const struct cx_summary *summary);

/* The kernel of that name, or NULL. program/ asks once for each kernel function and member. Called by
 * program/kernel_bind.c and tools/coexec_judge.c. */
const struct cx_summary_kernel *cx_summary_find(const struct cx_summary *summary, const char *name);

/*
 * What forbids splitting any launch of the kernel: the first note (first in enum order), CX_REASON_NO_SUMMARY
 * where kernel is NULL or opaque without a note, or CX_REASON_NONE. line and arg (either may be NULL) are set
 * to 0 and -1 where there is none. Called by access/, api/, plan/, program/ and tools/.
 */
enum cx_summary_reason cx_summary_forbids(const struct cx_summary_kernel *kernel, uint32_t *line, int *arg);

/* The same for a launch that is split first and checked afterwards (CX_PROTOCOL_CHECKED), which needs no
 * order between work-groups: atomics that order, fences and volatile accesses do not forbid that. Called by
 * access/ and plan/. */
enum cx_summary_reason cx_summary_forbids_checked(const struct cx_summary_kernel *kernel, uint32_t *line,
                                                  int *arg);

/* The file of a line, as the compiler names it; NULL: the program's own text. Lives as long as the kernel.
 * Called by plan/record_launch.c and plan/trace_launch.c. */
const char *cx_summary_line_file(const struct cx_summary_kernel *kernel, uint32_t place);
/* " (FILE:LINE)", with `own` for the program's own text, or " (line LINE)" where that is NULL, or "".
 * Called by explain.c. */
void cx_summary_line_text(char *text, size_t size, const struct cx_summary_kernel *kernel, uint32_t place,
                          const char *own);
/* The same of two, where both are known and unlike: " (FILE:LINE and FILE:LINE)". Called by explain.c,
 * plan/launch_stats.c, plan/plan.c and tools/coexec_judge.c. */
void cx_summary_lines_text(char *text, size_t size, const struct cx_summary_kernel *kernel, uint32_t place,
                           uint32_t other, const char *own);

/* Number of operand nodes of an op: 0, 1 or 2. Called by access/ and analyser/. */
unsigned cx_expr_operands(enum cx_expr_op op);
/* Of the values in the node that are not known before a launch the kind of the first, from the node on
 * downwards; CX_OPAQUE_COUNT: there is none, or node is -1. Without memory it takes one for there. Called by
 * checked.c and explain.c. */
enum cx_opaque cx_summary_opaque(const struct cx_summary_kernel *k, int32_t node);

#ifdef __cplusplus
}
#endif

#endif
