/* SPDX-License-Identifier: MIT */
/*
 * Which policy shares out the launches of which kernel, and with which parameters, as text:
 *
 *   CHOICE;KERNEL=CHOICE;...    CHOICE is POLICY or POLICY:NAME=VALUE,NAME=VALUE,...
 *
 * as in "auto;nbody_step=static;other=sigmoid:p=0.1,k_regular=0.5". The choice without a kernel is for all
 * kernels that are not named; left out, these get the policy auto. A kernel's name decides, whatever its
 * program. No blanks. This is what COEXEC_ALGO and the options --algo of the tools accept.
 *
 * Thread-safety: what is made never changes. Previous stage: params.h. Next: balancer.h.
 */
#ifndef CX_SCHEDULER_ALGO_H
#define CX_SCHEDULER_ALGO_H

#include "scheduler/balancer.h"

/* A policy with its parameters. */
struct cx_algo {
    const struct cx_policy *policy;
    struct cx_balancer_params params;
};

struct cx_algos {
    char *text;         /* what was read */
    struct cx_algo all; /* for kernels that are not named */
    unsigned nkernels;
    struct cx_kernel_algo {
        char *kernel;
        struct cx_algo algo;
    } kernel[];
};

/* Why a text cannot be read: what is wrong with it, and what would be right. */
struct cx_algo_problem {
    char wrong[160], accepted[320];
};

/* params: the values of what the text does not give; NULL: the defaults. NULL, and *problem filled, where the
 * text is not of that form. Called by base/options.c, tools/coexec_bench.c, tools/coexec_run.c and
 * tools/coexec_simulate.c. */
struct cx_algos *cx_algos_create(const char *text, const struct cx_balancer_params *params,
                                 struct cx_algo_problem *problem);
void cx_algos_destroy(struct cx_algos *algos); /* accepts NULL */
/* The choice for a kernel of that name. Called by base/options.c. */
const struct cx_algo *cx_algos_for(const struct cx_algos *algos, const char *kernel);
/* A list "A,B" of such texts: how long the first one is, as a part NAME=VALUE belongs to the balancer before
 * it. Called by tools/coexec_bench.c and tools/coexec_simulate.c. */
size_t cx_algo_length(const char *list);

#endif
