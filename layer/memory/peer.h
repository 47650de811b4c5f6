/* SPDX-License-Identifier: MIT */
/*
 * Members that reach each other's memory: NVIDIA GPUs, through its driver library (cuda.h). Their shadows are
 * allocated there, imported into OpenCL, where they are as any others, and regions move from one to the other
 * without the host.
 *
 * Order between the two worlds: copies are jobs of the destination's timeline that wait on the host. Such a
 * job begins once what the source had planned is complete and the destination's queue is empty, and is over
 * when the copy is; whatever either member gets afterwards waits for it (cx_worker.fence). Copies know of
 * each other by region (cx_coherence_peer_copy), so that those of one exchange run side by side.
 *
 * With COEXEC_DEBUG=peer=auto the library is opened beside the program, once that uses enough memory for it
 * to be worth what it costs the process: until that is done everything goes through the host, and later no
 * shadow that was there is changed. With 1 it is opened with a first shadow, which waits. Not at all where
 * fewer than two members could be peers. Shadows that cannot be shared go by transport_bounce.c.
 * Thread-safety: context->lock where nothing else is said. Previous stage: buffer.c for memory, transfer.c
 * for copies. Next: transport_peer.h.
 */
#ifndef CX_LAYER_MEMORY_PEER_H
#define CX_LAYER_MEMORY_PEER_H

#include "layer/timeline/context.h"
#include "layer/driver/cuda.h"

struct cx_job;
struct cx_worker;
struct cx_mem;
struct cx_peers; /* of a context */
struct cx_peer_memory {
    cx_cu_pointer pointer;
    size_t bytes; /* whole granules */
    cx_cu_handle handle;
};

/* Looks which members could be peers, by what their OpenCL drivers say: context->peers is NULL where no two
 * could. When the context is made. */
void cx_peers_look(struct cx_context *context);
/* The context has so many bytes more in buffers, or in launches that run on several members: with
 * COEXEC_DEBUG=peer=auto opening begins once that is much, and all that could be peers are open. Any thread;
 * waits for nothing. */
void cx_peers_use(struct cx_context *context, uint64_t bytes);
/* Opens at once and waits for it: for those who measure. */
void cx_peers_open(struct cx_context *context);
/* Whether members are peers by now; finds out where opening has just ended. */
bool cx_peers_are_open(struct cx_context *context);
/* Nothing is in flight, all memory is freed. Accepts NULL. */
void cx_peers_finish(struct cx_peers *peers);

/* A shadow of the root on a member in memory that peers reach, with *memory to be freed after it. NULL: to be
 * had the ordinary way. */
cl_mem cx_peer_allocate(struct cx_context *context, unsigned member, size_t size,
                        struct cx_peer_memory **memory);
/* An OpenCL object over such memory, its own or a peer's, in the member's context. NULL: *error. */
cl_mem cx_peer_import(struct cx_context *context, unsigned member, const struct cx_peer_memory *memory,
                      cl_int *error);
/* Releases such an object. It is given back first: NVIDIA's clReleaseContext hangs for ever after an object
 * that ended while it was acquired (580.159.04). No lock needed. */
void cx_peer_release(const struct cx_context *context, unsigned member, cl_mem real);
/* Frees it once the OpenCL objects are released. Nulls the pointer; accepts NULL. No lock needed. */
void cx_peer_free(struct cx_context *context, unsigned member, struct cx_peer_memory **memory);

/* Whether bytes can be copied from one member's shared memory to the other's. */
bool cx_peer_reaches(const struct cx_peers *peers, unsigned from, unsigned to);
/* The places, as bits, from which the root's bytes can be copied to `place` directly; the same with those
 * whose copies have failed (transport_peer.h goes by the host then) and those that are left out. */
uint64_t cx_peer_near(const struct cx_mem *root, unsigned place);
uint64_t cx_peer_reach(const struct cx_mem *root, unsigned place);

/* Of a copy from `source`, which is planned as the next job of `worker`: lets it wait for all that may touch
 * that memory, and what `source` gets later for it; with what a region's map adds, all it must wait for. */
void cx_peers_order_copy(struct cx_peers *peers, const struct cx_worker *source,
                         const struct cx_worker *worker, struct cx_job *job);

/* A job's kernels work on `home`'s memory: lets it wait for what home had planned up to since[home] and for
 * copies that others planned up to since[timeline] make of that memory. */
void cx_peers_order_remote(const struct cx_peers *peers, unsigned owner, const uint64_t *since,
                           struct cx_job *job);
/* The job just planned for `worker` copies from any of its peers' memory while it runs. */
void cx_peers_note_copies(struct cx_peers *peers, const struct cx_worker *worker, uint64_t seq);

/* For those who copy, whoever pumps the destination's worker: its stream and a marker of its end, made when
 * first needed, with the destination's CUDA context current; *before is the thread's own, to be given back by
 * cx_peer_leave. */
struct cx_peer_stream {
    const struct cx_cuda *cuda;
    cx_cu_context before;
    cx_cu_stream stream;
    cx_cu_event end;
};
cx_cu_result cx_peer_enter(struct cx_peers *peers, unsigned member, struct cx_peer_stream *stream);
void cx_peer_leave(const struct cx_peer_stream *stream);
/* Copies from `source` to `member` fail: no more are planned. Gives whether this is the first time. Any
 * thread. */
bool cx_peer_broken(const struct cx_peers *peers, unsigned source, unsigned member);
bool cx_peer_break(struct cx_peers *peers, unsigned source, unsigned member);
/* The member's kernels do not work on `source`'s memory: none are planned to any more (remote_access.h).
 * Gives whether this is the first time. */
bool cx_peer_remote_disabled(const struct cx_peers *peers, unsigned source, unsigned member);
bool cx_peer_disable_remote(struct cx_peers *peers, unsigned source, unsigned member);

#endif
