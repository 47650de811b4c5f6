/* SPDX-License-Identifier: MIT */
/*
 * Flags: merges whose being 0 or not tells by which way control came. See flag.c.
 *
 * Previous stage: cfg.c. Used by guard.c. Takes no lock.
 */
#ifndef CX_LAYER_ANALYSER_FLAG_H
#define CX_LAYER_ANALYSER_FLAG_H

#include "layer/analyser/build.h"

/*
 * Appends to the guards what holds where control comes into the phi's block by a way on which it can be of
 * that truth (not 0, or 0). Returns the value that the way brings where there is one way only, which is of
 * the same truth, else NULL. Called by guard.c.
 */
LLVMValueRef cx_flag_guards(struct cx_build *b, LLVMValueRef phi, bool truth, bool hint);

#endif
