/* SPDX-License-Identifier: MIT */
/*
 * The walk over a kernel's instructions: memory accesses as records, what forbids a split as notes, which
 * work-item functions are used.
 *
 * Previous stage: build.h. Next stage: kernel.c puts the result into the summary.
 */
#ifndef CX_LAYER_ANALYSER_SCAN_H
#define CX_LAYER_ANALYSER_SCAN_H

#include "layer/analyser/update.h"

struct cx_scan {
    struct cx_build *build;
    struct cx_summary_kernel *kernel; /* args given; the scan fills notes, accesses, uses, flags, max_dim */
    struct cx_loop *loops;
    uint32_t access_room;
    uint32_t block;                /* being scanned */
    struct cx_block_guards guards; /* of the block being scanned */
    bool must;                     /* of an access in it */
    bool too_complex;
    bool *anywhere;               /* arguments whose places are no longer followed */
    struct cx_map updates;        /* of update.h */
    struct cx_map stores, places; /* of scan_store.c */
    struct cx_map numbers;        /* values that are no addresses, of scan_call.c */
    uint32_t nstore, nplace;
    uint32_t store; /* the number of the write being looked at */
    int32_t moving; /* of its pointer: the innermost loop in which that changes; -1: none */
    struct {
        uint32_t arg, line;
    } ordered[8]; /* atomics that are sequentially consistent by the letter, an argument once */
    unsigned nordered;
};

void cx_scan_run(struct cx_scan *scan);

/* Notes a reason once for each argument, with the first line it is seen at. Called by scan_call.c,
 * scan_image.c and wait.c. */
void cx_scan_note(struct cx_scan *scan, enum cx_summary_reason reason, uint32_t line, int arg);

/* What an instruction does to the memory behind a pointer; scan_call.c uses it for built-ins. Called by
 * scan_call.c. */
struct cx_touch {
    enum cx_access_mode mode;
    enum cx_atomic_op atomic_op;
    bool result_used, is_volatile;
    bool keeps;                   /* atomics: changes nothing */
    bool orders, may_order;       /* atomics: surely, or if there is something else to be ordered */
    bool may, sparse;             /* not surely executed; not all bytes touched */
    uint64_t size;                /* bytes */
    uint32_t width;               /* of one unit */
    int32_t extra;                /* node added to the pointer's offset, -1: none */
    int32_t len;                  /* node, -1: none */
    const struct cx_guard *guard; /* more conditions, besides those of the block */
    unsigned nguard;
    LLVMValueRef stored; /* by a write, if it is one value; else NULL */
};
void cx_scan_touch(struct cx_scan *scan, LLVMValueRef instruction, LLVMValueRef pointer,
                   struct cx_touch touch);
/* The same at an unknown place of an argument. */
void cx_scan_touch_arg(struct cx_scan *scan, uint32_t line, uint32_t arg, const struct cx_touch *touch);
/* At `extra` bytes from the beginning of an argument. Called by scan_image.c. */
void cx_scan_touch_from(struct cx_scan *scan, uint32_t line, uint32_t arg, const struct cx_touch *touch);
/* A call that reads or writes an image; in scan_image.c. Called by scan_call.c. */
void cx_scan_image(struct cx_scan *scan, LLVMValueRef call, const struct cx_builtin *builtin);
/* Which writes may race with each other; in scan_store.c. Numbers for cx_access_record.store and .place.
 * Called by scan.c. */
uint32_t cx_scan_store(struct cx_scan *scan, LLVMValueRef store, LLVMValueRef stored);
uint32_t cx_scan_place(struct cx_scan *scan, int32_t off);
/* The innermost loop around the block being scanned in which the place that is touched changes; -1: none.
 * Called by scan.c. */
int32_t cx_scan_moving(struct cx_scan *scan, LLVMValueRef pointer, const struct cx_touch *touch);
/* Two writes that begin at one place, or at unknown ones, become one record: sets what is known of both.
 * Called by scan.c. */
void cx_scan_join_stores(struct cx_scan *scan, struct cx_access_record *into,
                         const struct cx_access_record *more);
/* A call; in scan_call.c. Called by scan.c. */
void cx_scan_call(struct cx_scan *scan, LLVMValueRef call);

/* String attributes that pipeline.c puts on functions it leaves as calls. */
#define CX_ATTRIBUTE_HARMLESS  "coexec-harmless"
#define CX_ATTRIBUTE_ASSEMBLES "coexec-assembles"
#define CX_ATTRIBUTE_RECURSIVE "coexec-recursive"

#endif
