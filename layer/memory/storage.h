/* SPDX-License-Identifier: MIT */
/*
 * The storage of memory objects: the host copy, the map that says where its bytes are valid, and how commands
 * use it. A root has one, which all windows on it share; the real objects belong to each memory object itself
 * (cx_mem.real).
 *
 * It lies behind its root in memory and ends with it; windows keep their root alive. Thread-safety: each part
 * of the struct names its lock. Previous stage: buffer.h. Next: coherence_map.h, transfer.h.
 */
#ifndef CX_LAYER_MEMORY_STORAGE_H
#define CX_LAYER_MEMORY_STORAGE_H

#include "layer/memory/coherence_map.h"
#include "layer/memory/pin_policy.h"
#include "layer/memory/pinned_pool.h"
#include "layer/memory/write_place.h"
#include "layer/timeline/context.h"

struct cx_command;
struct cx_mem_map;
struct cx_peer_memory;
struct cx_result_uses;
struct cx_svm;
struct cx_windows;

struct cx_storage {
    /* What holds the bytes. Written under context->lock, by memory/ alone; a job that was planned with it
     * reads host and pages without. */
    unsigned char *host;    /* host copy, NULL until needed (cx_mem_host) */
    struct cx_pages *pages; /* pinned_pool.h: the pages of the host copy; NULL: it is the program's memory */
    uint64_t
        apart; /* members, as bits, with memory of their own for this root, whatever worker->place says */
    struct cx_coherence *coherence; /* coherence_map.h; the map itself under context->lock */
    struct cx_peer_memory **peer;   /* peer.h: by member, the peer memory of its shadow; else NULL */
    cl_mem *aliases;                /* alias.h: aliases, at owner * members + member; or NULL */

    struct cx_svm *svm; /* svm.h: an allocation of shared virtual memory, constant once made; or NULL */
    struct cx_pin pin;  /* pin_policy.h; any thread */
    struct cx_windows *windows; /* subbuffer_order.h, under its lock: real sub-buffers, one list a member; or
                                   NULL */

    /* What commands do with it: written under context->lock. */
    /* unsettled.h: a launch whose results have no owners yet; other commands on the object wait for it */
    struct cx_command *unsettled CX_GUARDED_BY(cx_context_locked);
    /* of any window; the newest first. api/enqueue_map.c */
    struct cx_mem_map *maps CX_GUARDED_BY(cx_context_locked);

    /* How launches use it: written by plan/ under context->lock, where no other file is named. */
    /* result_mark.c: the function whose launch wrote it last; NULL: used since */
    struct cx_result_uses *written_by CX_GUARDED_BY(cx_context_locked);
    unsigned written_arg CX_GUARDED_BY(cx_context_locked); /* ... and through which argument */
    struct cx_use use CX_GUARDED_BY(cx_context_locked);    /* write_place.c */
    /* remote_access_rules.c: bytes that launches accessed remotely since the map's count of writes was
     * remote_since; seconds that launches would have saved by remote access before there was an alias */
    uint64_t remote_bytes CX_GUARDED_BY(cx_context_locked);
    uint64_t remote_since CX_GUARDED_BY(cx_context_locked);
    double remote_missed CX_GUARDED_BY(cx_context_locked);
    /* launch/region_ranges.c: bytes that keeping rows apart has cost, less those brought to end that */
    uint64_t gaps_credit CX_GUARDED_BY(cx_context_locked);
};

#endif
