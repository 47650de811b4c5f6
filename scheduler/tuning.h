/* SPDX-License-Identifier: MIT */
/*
 * What policies found out about one kernel and start its later launches from: whether it is irregular
 * (sigmoid), and the first points of its throughput curve on each device (logfit). The speeds that static,
 * hguided and concord start from are in struct cx_speed_record, auto's costs in memory.h.
 *
 * The caller keeps one for a kernel, zeroed at first, and hands it to every balancer (cx_problem.tuning):
 * policies read it as they are made, and write it in cx_balancer_learn. Thread-safety: none; the caller
 * serialises. Previous stage: balancer.h. Next: sigmoid.c, logfit.c.
 */
#ifndef CX_SCHEDULER_TUNING_H
#define CX_SCHEDULER_TUNING_H

enum { CX_TUNING_DEVICES = 64, CX_TUNING_SAMPLES = 3 };

/* Throughput of packages of three sizes on one device. */
struct cx_tuning_device {
    double unit; /* the device's smallest package then, work-groups; 0: there are no samples */
    struct {
        double groups, speed; /* work-groups, and these a second */
    } sample[CX_TUNING_SAMPLES];
};

struct cx_tuning {
    unsigned launches; /* that told whether they are regular; no more than 1000 are counted */
    double irregular;  /* part of these that were not, newer ones counting more, 0 to 1 */
    struct cx_tuning_device device[CX_TUNING_DEVICES]; /* by slot (cx_balancer_device) */
};

#endif
