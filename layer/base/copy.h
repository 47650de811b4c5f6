/* SPDX-License-Identifier: MIT */
/*
 * Copies bytes between the program's memory, host copies and pinned memory; large copies are shared by
 * several threads.
 *
 * One core does not use all of the memory's bandwidth, and splitting a launch does not shorten the copies of
 * its inputs. Next: copy_threads.h, the threads.
 */
#ifndef CX_LAYER_BASE_COPY_H
#define CX_LAYER_BASE_COPY_H

#include <stddef.h>

/* Threads that one copy uses at most. */
enum { CX_COPY_THREADS = 8 };

/* memmove by at most `threads` threads (and at most CX_COPY_THREADS). The caller copies alone if there is
 * less than a megabyte for each thread, if the ranges overlap, or if no threads can be had. Returns when
 * everything is copied. Called by memory/host_copy.c. */
void cx_copy_by(unsigned threads, void *to, const void *from, size_t bytes);

/* The number of cores that are online, at least 1. The system is asked once, since asking opens a file. Any
 * thread. Called by copy_threads.c, memory/host_copy.c, memory/transport_ring.c and plan/plan_open.c. */
long cx_copy_cores(void);

#endif
