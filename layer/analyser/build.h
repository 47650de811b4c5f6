/* SPDX-License-Identifier: MIT */
/*
 * From LLVM values to expressions, of one kernel: integers (build.c), pointers as argument plus byte offset
 * (pointer.c), branch conditions as guards (guard.c).
 *
 * Previous stage: cfg.c. Next stage: scan.c, which asks here for every memory access.
 */
#ifndef CX_LAYER_ANALYSER_BUILD_H
#define CX_LAYER_ANALYSER_BUILD_H

#include "layer/analyser/builtin.h"
#include "layer/analyser/cfg.h"
#include "layer/analyser/dag.h"

#include <llvm-c/Target.h>

/* Address spaces of the spir targets. */
enum { CX_SPACE_PRIVATE, CX_SPACE_GLOBAL, CX_SPACE_CONSTANT, CX_SPACE_LOCAL, CX_SPACE_GENERIC };

struct cx_build {
    LLVMValueRef function;
    LLVMTargetDataRef layout;
    struct cx_cfg cfg;
    struct cx_dag dag;
    struct cx_map memo;               /* (value, lane) to node; BUSY while being built */
    struct cx_map ptr_busy;           /* pointer phis being followed */
    struct cx_map counts;             /* (merge, loop and ways) to the node of step.c's count_of() */
    unsigned depth, ptr_steps, flags; /* flags: how many flag.c is in the midst of */
    bool *arg_changed;                /* a by-value struct the kernel writes to itself, by argument */
    struct cx_guard *guard;           /* the summary's guards */
    uint32_t nguard, guard_room;
};

/* LLVMRet for what is no instruction. Called by flag.c, step.c and trips.c. */
static inline LLVMOpcode cx_opcode_of(LLVMValueRef v)
{
    return LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : LLVMRet;
}

void cx_build_init(struct cx_build *b, LLVMValueRef kernel, LLVMModuleRef module);
void cx_build_finish(struct cx_build *b);

/* The node of an integer (or of a lane of an integer vector); an opaque one where nothing is known. Called
 * by analyser/. */
int32_t cx_build_value(struct cx_build *b, LLVMValueRef value, unsigned lane);
/* The same as a 64-bit number. Called by pointer.c, scan_call.c and step.c. */
int32_t cx_build_index(struct cx_build *b, LLVMValueRef value, bool sign);
/* True where the value is the same in every iteration of the loop. Called by analyser/. */
bool cx_build_invariant(struct cx_build *b, LLVMValueRef value, int32_t loop);
/*
 * If `next` is phi plus something that does not change in the loop: true, and the something as a node of that
 * width. For pointers the something is in bytes and has 64 bits. Called by trips.c.
 */
bool cx_build_step(struct cx_build *b, LLVMValueRef next, LLVMValueRef phi, unsigned lane, int32_t loop,
                   int32_t *step);
/*
 * What a header phi holds: `start` (a node) plus what the iterations so far have added by way of `next`,
 * exactly or within bounds. -1 where that is not known. Called by build.c and pointer.c.
 */
int32_t cx_build_carried(struct cx_build *b, LLVMValueRef phi, unsigned lane, int32_t start,
                         LLVMValueRef next, int32_t loop);
/*
 * How often the loop is repeated each time it is entered, as a 64-bit node that is the same in every
 * iteration of `outer`: just so often where *exact, else at most. -1 where not known. Called by step.c.
 */
int32_t cx_build_repeats(struct cx_build *b, int32_t loop, int32_t outer, bool *exact);
/* Whether control may go from the block out of the loop. Called by loop.c and trips.c. */
bool cx_build_leaves(const struct cx_build *b, int32_t loop, int32_t block);
/* The condition at the block's end that decides whether control stays in the loop, and whether it does where
 * that holds; NULL: none. Called by flag.c, loop.c and trips.c. */
LLVMValueRef cx_build_exit_condition(const struct cx_build *b, int32_t loop, int32_t block, bool *stays);
/* One of two nodes: which one, if the launch's numbers decide the condition, else either. Called by
 * build.c. */
int32_t cx_build_choice(struct cx_build *b, LLVMValueRef condition, int32_t yes, int32_t no);
/* The condition that decides between a phi's two values, and which of them it takes where it holds; NULL:
 * none. Called by build.c. */
LLVMValueRef cx_build_decider(const struct cx_build *b, LLVMValueRef phi, unsigned *yes);
/* The loop whose header phi this is and its two incoming values; -1 where it is none of that simple form.
 * Called by analyser/. */
int32_t cx_build_header_phi(const struct cx_build *b, LLVMValueRef phi, LLVMValueRef *start,
                            LLVMValueRef *next);

enum cx_base_kind {
    CX_BASE_ARG,     /* kernel argument number arg */
    CX_BASE_GLOBAL,  /* program-scope variable in value */
    CX_BASE_PRIVATE, /* private or local memory of any kind */
    CX_BASE_NOTHING, /* NULL, undefined: not to be accessed */
    CX_BASE_UNKNOWN,
};

struct cx_base {
    enum cx_base_kind kind;
    uint32_t arg;
    LLVMValueRef value; /* variable; by-value argument behind private memory; else NULL */
    int32_t off;        /* 64-bit node, bytes; -1: not known */
};

#define CX_MAX_BASES 4
/* What the pointer may point to; at most CX_MAX_BASES (a single unknown one where there would be more).
 * Called by build.c, guard.c, scan.c and wait.c. */
unsigned cx_build_pointer(struct cx_build *b, LLVMValueRef pointer, struct cx_base bases[CX_MAX_BASES]);
/* The byte offset a GEP instruction or expression adds; -1 where not known. Called by step.c. */
int32_t cx_build_gep(struct cx_build *b, LLVMValueRef gep);

/*
 * Appends the conditions that hold when `condition` is `truth` to the guards. True where they say it all,
 * false where a part could not be expressed. Called by loop.c.
 */
bool cx_build_guards(struct cx_build *b, LLVMValueRef condition, bool truth, bool hint);
/* The same of the branch by which control goes from one block to the next. Called by flag.c. */
bool cx_build_branch_guards(struct cx_build *b, int32_t from, int32_t to, bool hint);
/* Called by scan.c. */
void cx_build_add_guard(struct cx_build *b, struct cx_guard guard);

/*
 * Guards of a block: what holds whenever it runs. must is set where every work-item for which they hold
 * (hints left out) does run it. Called by scan.c.
 */
struct cx_block_guards {
    uint32_t first, count;
    bool must;
};
struct cx_block_guards cx_build_block_guards(struct cx_build *b, int32_t block);
/* The loops of the function as the summary has them, with lines in the kernel's files; one for each of
 * cfg.loop, the caller frees. Called by scan.c. */
struct cx_loop *cx_build_loops(struct cx_build *b, struct cx_summary_kernel *kernel);

#endif
