/* SPDX-License-Identifier: MIT */
/*
 * Control flow of one function: blocks, dominators, post-dominators and natural loops.
 *
 * Previous stage: pipeline.c (the simplified module). Next stage: build.c and guard.c.
 */
#ifndef CX_LAYER_ANALYSER_CFG_H
#define CX_LAYER_ANALYSER_CFG_H

#include "layer/analyser/map.h"

#include <llvm-c/Core.h>

struct cx_cfg_block {
    LLVMBasicBlockRef bb;
    int32_t *succ, *pred;
    uint32_t nsucc, npred;
    int32_t idom, ipdom;      /* -1: none (entry, virtual exit or unreachable) */
    uint32_t dom_in, dom_out; /* interval of the dominator tree's depth-first walk; 0: unreachable */
    uint32_t pdom_in, pdom_out;
    int32_t loop; /* innermost, -1: none */
};

struct cx_cfg_loop {
    int32_t header, latch; /* latch -1: several */
    int32_t parent;        /* -1: outermost */
    unsigned char *inside; /* a flag a block */
};

struct cx_cfg {
    struct cx_cfg_block *block; /* 0 is the entry */
    uint32_t nblock;
    struct cx_cfg_loop *loop; /* inner ones after the loops around them */
    uint32_t nloop;
    bool irreducible; /* has a cycle that is no natural loop */
    struct cx_map index;
};

void cx_cfg_init(struct cx_cfg *cfg, LLVMValueRef function);
void cx_cfg_finish(struct cx_cfg *cfg);
/* -1 where bb is not a block of the function. Called by analyser/. */
int32_t cx_cfg_index(const struct cx_cfg *cfg, LLVMBasicBlockRef bb);
bool cx_cfg_reachable(const struct cx_cfg *cfg, int32_t block);
/* Reflexive. False where one of them is not reachable. Called by choice.c, effort.c, loop.c and trips.c. */
bool cx_cfg_dominates(const struct cx_cfg *cfg, int32_t above, int32_t below);
/* Reflexive: every way from `before` to the function's end passes `after`. Called by guard.c. */
bool cx_cfg_postdominates(const struct cx_cfg *cfg, int32_t after, int32_t before);

#endif
