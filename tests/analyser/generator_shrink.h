/* SPDX-License-Identifier: MIT */
#ifndef CX_TESTS_ANALYSER_GENERATOR_SHRINK_H
#define CX_TESTS_ANALYSER_GENERATOR_SHRINK_H

#include "generator.h"

/* Whether the kernel still shows the fault. */
typedef bool (*gen_fails)(const struct gen_kernel *k, void *context);
/* At most so many tries. */
void gen_shrink(struct gen_kernel *k, gen_fails fails, void *context, unsigned tries);

#endif
