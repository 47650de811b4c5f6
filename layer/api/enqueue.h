/* SPDX-License-Identifier: MIT */
/*
 * Shared by the enqueue_*.c files: checks of arguments, and small jobs of the host's worker.
 */
#ifndef CX_LAYER_API_ENQUEUE_H
#define CX_LAYER_API_ENQUEUE_H

#include "layer/memory/buffer.h"
#include "layer/memory/unsettled.h"
#include "layer/timeline/command.h"
#include "layer/memory/transfer.h"
#include "layer/timeline/queue.h"

/* A rectangle in linear memory, in bytes, with pitches filled in. */
struct cx_rect {
    size_t origin[3];
    size_t row, slice;
};

/* Checks queue, memory object (NULL: there is none to check) and wait list of an enqueue; sets *queue. Called
 * by api/. */
cl_int cx_enqueue_check(const char *function, cl_command_queue handle, const struct cx_mem *mem,
                        cl_uint nwait, const cl_event *list, struct cx_queue **queue);
/* Checks that [offset, offset + size) lies in the object. Called by enqueue_image_copy.c, enqueue_map.c and
 * enqueue_transfer.c. */
cl_int cx_enqueue_range(const char *function, const struct cx_mem *mem, size_t offset, size_t size);
/* Fills in zero pitches and checks a rectangle; `bytes` (0: unbounded) is the room it must lie in. Called
 * by enqueue_rect.c. */
cl_int cx_enqueue_rect(const char *function, struct cx_rect *rect, const size_t region[3], size_t bytes);
/* First byte and length of the interval that a rectangle spans; copies one rectangle to another. Called by
 * enqueue_image.c, enqueue_image_copy.c and enqueue_rect.c. */
size_t cx_enqueue_rect_offset(const struct cx_rect *rect);
size_t cx_enqueue_rect_span(const struct cx_rect *rect, const size_t region[3]);
void cx_enqueue_rect_copy(unsigned char *to, const struct cx_rect *to_rect, const unsigned char *from,
                          const struct cx_rect *from_rect, const size_t region[3]);

/* Orders a job of the worker, not planned yet, that writes to the program's memory: behind launches only if
 * these may reach that memory. The caller orders what the job reads. Called by enqueue_image_read.c,
 * enqueue_rect.c and enqueue_transfer.c. */
void cx_enqueue_order_read(const struct cx_command *command, const struct cx_worker *worker,
                           struct cx_job *job) CX_HOLDS(cx_context_locked);
/* The last step of plan functions that write [lo, hi) of the object's root: moves fine-grained shared virtual
 * memory to the place where the program sees it. Called by enqueue_image.c, enqueue_rect.c and
 * enqueue_transfer.c. */
cl_int cx_enqueue_show(struct cx_command *command, struct cx_mem *mem, uint64_t lo, uint64_t hi)
    CX_HOLDS(cx_context_locked);

/* The place at which a copy of [lo, hi) of `from`'s root to `to` should run; both objects are prepared there.
 * context->lock held. Called by enqueue_rect.c and enqueue_transfer.c. */
unsigned cx_enqueue_copy_place(struct cx_mem *from, uint64_t lo, uint64_t hi, struct cx_mem *to)
    CX_HOLDS(cx_context_locked);
/* The place where new contents of the object go, prepared; the host copy if the member has no memory for
 * them. Called by enqueue_rect.c and enqueue_transfer.c. */
unsigned cx_enqueue_write_place(struct cx_mem *mem) CX_HOLDS(cx_context_locked);
/* Makes the place the only holder of [lo, hi), to which the program gives new contents, and counts the bytes
 * for split feedback (split_feedback.h). Called by api/. */
bool cx_enqueue_own(struct cx_mem *root, uint64_t lo, uint64_t hi, unsigned place)
    CX_HOLDS(cx_context_locked);
/* Makes a job of the host's worker that overwrites [lo, hi) of the root's host copy, with its dependencies.
 * NULL: no memory. Called by enqueue_transfer.c. */
struct cx_job *cx_enqueue_host_writer(struct cx_command *command, struct cx_mem *root, uint64_t lo,
                                      uint64_t hi, cl_int (*run)(struct cx_job *, struct cx_worker *))
    CX_HOLDS(cx_context_locked);
/* Checks that the object's flags allow the host's access: none of `forbidden` may be set. Called by
 * enqueue_image.c, enqueue_map.c, enqueue_rect.c and enqueue_transfer.c. */
cl_int cx_enqueue_host_access(const char *function, const struct cx_mem *mem, cl_mem_flags forbidden);
/* Enqueue transfers whose arguments are checked, for commands on buffers and on shared virtual memory. type:
 * the event's; lo and hi are offsets in the objects' roots. Called by enqueue_svm.c. */
struct cx_transfer_wait { /* the rest of an enqueue's arguments */
    cl_uint nwait;
    const cl_event *list;
    cl_event *event;
    bool blocking;
};
cl_int cx_enqueue_transfer_linear(struct cx_queue *queue, cl_command_type type, struct cx_mem *mem,
                                  uint64_t lo, size_t size, void *pointer, bool write,
                                  const struct cx_transfer_wait *wait);
cl_int cx_enqueue_transfer_fill(struct cx_queue *queue, cl_command_type type, struct cx_mem *mem, uint64_t lo,
                                size_t size, const void *pattern, size_t pattern_size,
                                const struct cx_transfer_wait *wait);
cl_int cx_enqueue_transfer_copy(struct cx_queue *queue, cl_command_type type, struct cx_mem *to, uint64_t lo,
                                struct cx_mem *from, uint64_t from_lo, size_t size,
                                const struct cx_transfer_wait *wait);
/* enqueue_kernel.c: clEnqueueNDRangeKernel with captured arguments (NULL: captures them now). sizes: offset,
 * global and local. Called by command_buffer_record.c. */
struct cx_kernel;
struct cx_args;
cl_int cx_enqueue_recorded(struct cx_queue *queue, struct cx_kernel *kernel, struct cx_args *args,
                           cl_uint dims, const size_t *const sizes[3], cl_uint nwait, const cl_event *list,
                           cl_event *event);
/* Enqueues a migration: with to_host the objects' contents move to the host copies, else nothing moves. Takes
 * the references over in all cases. Called by enqueue_svm.c. */
cl_int cx_enqueue_transfer_migrate(struct cx_queue *queue, cl_command_type type, struct cx_mem **mems,
                                   cl_uint count, bool to_host, const struct cx_transfer_wait *wait);
/* enqueue_map.c: enqueue a mapping of a block, which gives the program `pointer`, and an unmapping. Called by
 * enqueue_svm.c. */
cl_int cx_enqueue_map_begin(struct cx_queue *queue, cl_command_type type, struct cx_mem *mem,
                            const struct cx_block *block, cl_map_flags flags, void **pointer,
                            const struct cx_transfer_wait *wait);
cl_int cx_enqueue_map_end(struct cx_queue *queue, cl_command_type type, struct cx_mem *mem,
                          const void *pointer, const struct cx_transfer_wait *wait);

#endif
