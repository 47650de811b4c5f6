/* SPDX-License-Identifier: MIT */
/*
 * The coherence map: for each region of a buffer, at which places it is valid, and which jobs on which
 * timelines last wrote or still read its host copy.
 *
 * A place is a memory in which a copy can be: CX_PLACE_HOST is the host copy, which some members use in
 * place; member m's own memory is place 1 + m. A member's own memory is accessed only by its own in-order
 * queue, so order there needs no record. The host copy is shared: each region has its last writer and the
 * readers since, as positions on timelines (worker.h), and every access collects what it must wait for in
 * deps[timeline] = max(seq). Invariant: every byte has at least one valid place, unless its contents were
 * lost (cx_coherence_void). Thread-safety: the caller holds the context's lock.
 */
#ifndef CX_LAYER_MEMORY_COHERENCE_MAP_H
#define CX_LAYER_MEMORY_COHERENCE_MAP_H

#include "layer/timeline/context.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CX_PLACE_HOST = 0, CX_PLACE_NONE = 64 };

struct cx_coherence; /* opaque: sorted, gapless segments over [0, size) */

/* Bytes [lo, hi) to be copied from place `from` to become valid at another one. */
struct cx_move {
    uint64_t lo, hi;
    unsigned from; /* CX_PLACE_NONE: they are valid nowhere, they were lost */
};

/* A new map: everything valid at every place (contents undefined), no accesses. At most 63 places. NULL: no
 * memory. Called by buffer.c. */
struct cx_coherence *cx_coherence_create(uint64_t size, unsigned places, unsigned timelines);
/* Like cx_coherence_create, for members that copy from each other: allows cx_coherence_peer_copy. Called
 * by buffer.c. */
struct cx_coherence *cx_coherence_create_peers(uint64_t size, unsigned places, unsigned timelines);
void cx_coherence_destroy(struct cx_coherence *map);

/* Lists the parts of [lo, hi) that are not valid at `place`, as maximal ranges with one source each: the host
 * copy if valid there, else the valid place with the lowest number. Appends to *moves (realloc'ed, *count
 * entries so far; caller frees). Returns false when out of memory. Called by api/enqueue_image_read.c and
 * api/enqueue_transfer.c. */
bool cx_coherence_missing(const struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place,
                          struct cx_move **moves, size_t *count) CX_HOLDS(cx_context_locked);
/* Like cx_coherence_missing, preferring sources among the places `near` (as bits), first those that did not
 * get the bytes by copies themselves. Called by transfer.c and launch/split_inputs.c. */
bool cx_coherence_missing_near(const struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place,
                               uint64_t near, struct cx_move **moves, size_t *count)
    CX_HOLDS(cx_context_locked);
/* Like cx_coherence_missing_near, without those of `near` that got the bytes by a job after since[timeline].
 * Called by launch/split_inputs.c.
 */
bool cx_coherence_missing_since(const struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place,
                                uint64_t near, const uint64_t *since, struct cx_move **moves, size_t *count)
    CX_HOLDS(cx_context_locked);
/* Adds to bytes[p], for each place p of the map, how many bytes of [lo, hi) are not valid there. One walk.
 * Called by plan/. */
void cx_coherence_lacking(const struct cx_coherence *map, uint64_t lo, uint64_t hi, uint64_t *bytes)
    CX_HOLDS(cx_context_locked);
/* Bytes of [lo, hi) that are valid at none of these places, as bits. Called by plan/making_cost.c. */
uint64_t cx_coherence_lacking_all(const struct cx_coherence *map, uint64_t lo, uint64_t hi, uint64_t places)
    CX_HOLDS(cx_context_locked);
/* Adds `place` to the holders of [lo, hi). Called by memory/ and launch/. */
bool cx_coherence_validate(struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place)
    CX_HOLDS(cx_context_locked);
/* Makes `place` the only holder of [lo, hi). Called by memory/, api/, launch/ and plan/. */
bool cx_coherence_own(struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place)
    CX_HOLDS(cx_context_locked);
/* A count that changes whenever bytes of the map get new contents. Called by plan/remote_access_rules.c. */
uint64_t cx_coherence_writes(const struct cx_coherence *map) CX_HOLDS(cx_context_locked);
/* Whether cx_coherence_own for a member's own place would change nothing. Called by launch/whole.c. */
bool cx_coherence_owned(const struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place)
    CX_HOLDS(cx_context_locked);
/* Makes `place` the only holder of those bytes that were never written, whose contents differ between places:
 * this place's contents become the buffer's. Called by launch/merge.c and launch/verify.c. */
bool cx_coherence_define(struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place)
    CX_HOLDS(cx_context_locked);
/* Removes `place` from the holders of the segments that overlap [lo, hi), unless it is the only one: a
 * transfer to it failed. Needs no memory, so it cannot fail. Called by transfer.c and launch/write_back.c. */
void cx_coherence_lose(struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place)
    CX_HOLDS(cx_context_locked);
/* Marks [lo, hi) as lost: it should have been written but was not, and the old contents are gone. A command
 * that needs the bytes before they are written again must fail. Called by api/enqueue_image.c,
 * api/enqueue_rect.c, api/enqueue_transfer.c and launch/launch.c. */
bool cx_coherence_void(struct cx_coherence *map, uint64_t lo, uint64_t hi) CX_HOLDS(cx_context_locked);
/* Whether all of [lo, hi) is valid at `place`. Called by memory/, launch/ and plan/. */
bool cx_coherence_valid(const struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place)
    CX_HOLDS(cx_context_locked);
/* The places at which all of [lo, hi) is valid, as bits. Called by api/enqueue.c, api/enqueue_image.c and
 * api/enqueue_rect.c. */
uint64_t cx_coherence_holders(const struct cx_coherence *map, uint64_t lo, uint64_t hi)
    CX_HOLDS(cx_context_locked);
/* Whether all of [lo, hi) is valid at `place`, and other places hold at most `most` bytes of it: those would
 * lose little if it came to be the only holder of all. Called by launch/region_ranges.c. */
bool cx_coherence_holds_most(const struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place,
                             uint64_t most) CX_HOLDS(cx_context_locked);
/* Whether bytes of [lo, hi) were lost (cx_coherence_void). Called by launch/region_ranges.c. */
bool cx_coherence_lost(const struct cx_coherence *map, uint64_t lo, uint64_t hi) CX_HOLDS(cx_context_locked);
/* Whether only that place and the host copy hold bytes that were written. Called by launch/whole.c. */
bool cx_coherence_alone(const struct cx_coherence *map, unsigned place) CX_HOLDS(cx_context_locked);

/* The job (timeline, seq) reads the host copy's [lo, hi): raises deps[t] to what it must wait for (the last
 * writers, its own timeline excluded) and records it as a reader. Called by memory/, api/ and launch/. */
bool cx_coherence_host_read(struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned timeline,
                            uint64_t seq, uint64_t *deps) CX_HOLDS(cx_context_locked);
/* The job writes the host copy's [lo, hi): it must wait for writers and readers, and becomes the last writer.
 * Called by memory/, api/ and plan/.
 */
bool cx_coherence_host_write(struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned timeline,
                             uint64_t seq, uint64_t *deps) CX_HOLDS(cx_context_locked);
/* One more job writes the host copy's [lo, hi) beside those recorded before, as the jobs of one split launch
 * do: later accesses wait for all of them. Adds no dependencies, as these were collected before. Called by
 * launch/launch.c, launch/split.c, launch/split_inputs.c and launch/write_back.c. */
bool cx_coherence_host_share(struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned timeline,
                             uint64_t seq) CX_HOLDS(cx_context_locked);
/* The job (timeline `to`, seq) copies [lo, hi) from member `from`'s own place into its own: raises deps to
 * the copies that brought the bytes there and to copies that others make of the destination's bytes. The
 * caller orders everything else that the two members do with their memory (peer.h). Called by
 * transport_peer.c and launch/split_inputs.c. */
bool cx_coherence_peer_copy(struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned from, unsigned to,
                            uint64_t seq, uint64_t *deps) CX_HOLDS(cx_context_locked);
/* The job (timeline, seq) copies [lo, hi) to its member's own place from another one. Called by
 * transport_bounce.c and launch/split_inputs.c. */
bool cx_coherence_brought(struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned timeline, uint64_t seq)
    CX_HOLDS(cx_context_locked);
/* The job (timeline, seq) no longer accesses the host copy, though it is not complete: later accesses wait
 * only for jobs before it on that timeline. Needs no memory. Called by launch/reexecute.c. */
void cx_coherence_retract(struct cx_coherence *map, unsigned timeline, uint64_t seq)
    CX_HOLDS(cx_context_locked);
/* Only collects what a read (write = false) or write would wait for; records nothing. Called by
 * launch/launch.c, launch/split_inputs.c and launch/write_back.c. */
void cx_coherence_host_deps(const struct cx_coherence *map, uint64_t lo, uint64_t hi, bool write,
                            unsigned timeline, uint64_t *deps) CX_HOLDS(cx_context_locked);

/* Forgets accesses that are complete (completed[t] = all seq up to it are done on timeline t) and joins equal
 * neighbours, so that the map stays as small as its contents. Called now and then by the planner. Called
 * by transfer.c. */
void cx_coherence_tidy(struct cx_coherence *map, const uint64_t *completed) CX_HOLDS(cx_context_locked);
/* Whether it has many segments, and so many were cut off since it was tidied last that they pay for one more
 * walk over all, or this was asked often since then. Called by transfer.c. */
bool cx_coherence_is_cluttered(struct cx_coherence *map) CX_HOLDS(cx_context_locked);
/* How many segments it has. Called by plan/scattered_data.c. */
size_t cx_coherence_segments(const struct cx_coherence *map) CX_HOLDS(cx_context_locked);

#endif
