/* SPDX-License-Identifier: MIT */
/*
 * Peers: members that reach each other's memory (NVIDIA GPUs, through the driver library, cuda.h). Their
 * shadows are allocated by that library and imported into OpenCL, where they are used like any others;
 * regions are copied from one to the other without the host.
 *
 * Order: copies are jobs of the destination's timeline that wait on the host. Such a job begins once
 * everything planned for the source before is complete and the destination's queue is empty, and ends with
 * the copy; later jobs of both members wait for it (cx_worker.fence). Copies are ordered among each other by
 * region (cx_coherence_peer_copy), so those of one exchange run side by side.
 *
 * With COEXEC_DEBUG=peer=auto the library is opened beside the program, once that uses enough memory for it
 * to be worth what it costs the process: until that is done everything goes through the host, and later no
 * shadow that was there is changed. With 1 it is opened with a first shadow, which waits. Not at all where
 * fewer than two members could be peers. Shadows that cannot be shared go by transport_bounce.c.
 * Thread-safety: context->lock where nothing else is said. Previous stage: buffer.c for memory, transfer.c
 * for copies. Next: transport_peer.c.
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

/* Finds out which members could be peers, by their OpenCL drivers' answers, when the context is made;
 * context->memory.peers stays NULL if no two could. Called by api/context.c and tools/coexec_links_peer.c. */
void cx_peers_look(struct cx_context *context);
/* The context has so many bytes more in buffers, or in launches that run on several members: with
 * COEXEC_DEBUG=peer=auto opening begins once that is much, and all that could be peers are open. Any thread;
 * waits for nothing. Called by buffer.c, api/context.c and plan/plan.c. */
void cx_peers_use(struct cx_context *context, uint64_t bytes);
/* Opens the library at once and waits for it; for measurements. Called by tools/coexec_links_peer.c. */
void cx_peers_open(struct cx_context *context);
/* Whether any members could be peers. No lock needed. Called through a pointer of the table of transports. */
bool cx_peers_possible(const struct cx_context *context);
/* Whether peers can be used by now; completes an opening that has just ended. */
bool cx_peers_are_open(struct cx_context *context);
/* Nothing is in flight, all memory is freed. Accepts NULL. Called by api/context.c and
 * tools/coexec_links_peer.c. */
void cx_peers_finish(struct cx_peers *peers);

/* Makes a shadow on a member in memory that peers reach; *memory is to be freed after it. NULL: the caller
 * makes an ordinary one. Called by buffer.c, transport_bounce.c and tools/coexec_links_peer.c. */
cl_mem cx_peer_allocate(struct cx_context *context, unsigned member, size_t size,
                        struct cx_peer_memory **memory);
/* Makes an OpenCL object over such memory, of the member or a peer, in the member's context. NULL: *error is
 * set. Called by alias.c, transport_bounce.c and tools/coexec_links_peer.c. */
cl_mem cx_peer_import(struct cx_context *context, unsigned member, const struct cx_peer_memory *memory,
                      cl_int *error);
/* Releases such an object, after giving it back to the library: NVIDIA's clReleaseContext hangs after an
 * object that was released while acquired (580.159.04). No lock needed. Called by alias.c, buffer.c,
 * transport_bounce.c and tools/coexec_links_peer.c. */
void cx_peer_release(const struct cx_context *context, unsigned member, cl_mem real);
/* Frees peer memory, once its OpenCL objects are released. Nulls the pointer; accepts NULL. No lock needed.
 * Called by buffer.c, transport_bounce.c and tools/coexec_links_peer.c.
 */
void cx_peer_free(struct cx_context *context, unsigned member, struct cx_peer_memory **memory);

/* Whether bytes can be copied from one member's shared memory to the other's. Called by
 * transport_bounce.c, plan/plan_size.c, plan/remote_access_rules.c and tools/coexec_links_peer.c. */
bool cx_peer_reaches(const struct cx_peers *peers, unsigned from, unsigned to);
/* near: the places, as bits, from which the root's bytes can be copied to `place` directly. reach: also those
 * whose copies have failed (they go through the host then), and excluded members. Called
 * through pointers of the table of transports. */
uint64_t cx_peer_near(const struct cx_mem *root, unsigned place);
uint64_t cx_peer_reach(const struct cx_mem *root, unsigned place);

/* Orders a copy from `source` that is planned as the next job of `worker`: it waits for jobs that may access
 * that memory, and later jobs of `source` wait for it. Together with the dependencies of the coherence map,
 * that is everything it must wait for. Called by transport_peer.c. */
void cx_peers_order_copy(struct cx_peers *peers, const struct cx_worker *source,
                         const struct cx_worker *worker, struct cx_job *job) CX_HOLDS(cx_context_locked);

/* Orders a job whose kernels work on the owner's memory: it waits for what was planned for the owner up to
 * since[owner], and for copies that others, up to since[timeline], make of that memory. Called
 * through pointers of the table of transports. */
void cx_peers_order_remote(const struct cx_peers *peers, unsigned owner, const uint64_t *since,
                           struct cx_job *job);
/* Notes that the job just planned for `worker` copies from its peers' memory while it runs. Called
 * through pointers of the table of transports. */
void cx_peers_note_copies(struct cx_peers *peers, const struct cx_worker *worker, uint64_t seq);

/* The stream of a destination and an event for its end, made when first needed, for the thread that pumps its
 * worker. cx_peer_enter makes the destination's CUDA context current; cx_peer_leave restores the thread's own
 * (`before`). Called by transport_peer.c and tools/coexec_links_peer.c. */
struct cx_peer_stream {
    const struct cx_cuda *cuda;
    cx_cu_context before;
    cx_cu_stream stream;
    cx_cu_event end;
};
cx_cu_result cx_peer_enter(struct cx_peers *peers, unsigned member, struct cx_peer_stream *stream);
void cx_peer_leave(const struct cx_peer_stream *stream);
/* Copies from `source` to `member` have failed, so no more are planned: asks; sets, and returns whether this
 * is the first time. Any thread. Called by transport_bounce.c, transport_peer.c, plan/plan_size.c and
 * plan/remote_access_rules.c. */
bool cx_peer_broken(const struct cx_peers *peers, unsigned source, unsigned member);
bool cx_peer_break(struct cx_peers *peers, unsigned source, unsigned member);
/* The member's kernels do not work on `source`'s memory, so remote access is disabled for the pair
 * (remote_access.h): asks; sets, and returns whether this is the first time. Called by alias.c,
 * launch/remote_access.c and plan/remote_access_rules.c. */
bool cx_peer_remote_disabled(const struct cx_peers *peers, unsigned source, unsigned member);
bool cx_peer_disable_remote(struct cx_peers *peers, unsigned source, unsigned member);

#endif
