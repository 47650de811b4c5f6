/* SPDX-License-Identifier: MIT */
/*
 * Coherence: for each region of a buffer, which places hold it valid, and which jobs on which timelines last
 * wrote or still read its host copy.
 *
 * Places: CX_PLACE_HOST is the host copy, also used in place by members that can; member m's own memory is
 * place 1 + m. A member's own memory is touched by its own in-order queue alone, so order there needs no
 * record. The host copy is shared by many: for it each region remembers the last writer and the readers
 * since, as positions on timelines (worker.h), and every access collects what it must wait for into
 * deps[timeline] = max(seq). Invariant: every byte has at least one valid place, save where contents were
 * lost (cx_coherence_void). Source: interval maps as in design section 4. Thread-safety: the caller holds the
 * context's lock.
 */
#ifndef CX_LAYER_MEMORY_COHERENCE_MAP_H
#define CX_LAYER_MEMORY_COHERENCE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CX_PLACE_HOST = 0, CX_PLACE_NONE = 64 };

struct cx_coherence; /* opaque: sorted, gapless segments over [0, size) */

/* A run of bytes [lo, hi) that must be copied from place `from` to become valid elsewhere. */
struct cx_move {
    uint64_t lo, hi;
    unsigned from; /* CX_PLACE_NONE: nobody has them, they were lost */
};

/* A new map: everything valid at every place (contents undefined), no accesses. At most 63 places. NULL: no
 * memory. */
struct cx_coherence *cx_coherence_create(uint64_t size, unsigned places, unsigned timelines);
/* The same for members some of which copy from each other: cx_coherence_peer_copy works. */
struct cx_coherence *cx_coherence_create_peers(uint64_t size, unsigned places, unsigned timelines);
void cx_coherence_destroy(struct cx_coherence *map);

/* Lists what [lo, hi) lacks at `place`, as maximal runs with one source each: the host copy where valid
 * there, else the valid place with the lowest number. Appends to *moves (realloc'ed, *count entries so far;
 * caller frees). Returns false when out of memory. */
bool cx_coherence_missing(const struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place,
                          struct cx_move **moves, size_t *count);
/* The same, with the places among `near` (as bits) before all others, those first that did not get the bytes
 * by copies themselves. */
bool cx_coherence_missing_near(const struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place,
                               uint64_t near, struct cx_move **moves, size_t *count);
/* The same without those of them that got the bytes by a job after since[timeline] (of each timeline). */
bool cx_coherence_missing_since(const struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place,
                                uint64_t near, const uint64_t *since, struct cx_move **moves, size_t *count);
/* Adds to bytes[p], for each place p of the map, how many bytes of [lo, hi) are not valid there. One walk. */
void cx_coherence_lacking(const struct cx_coherence *map, uint64_t lo, uint64_t hi, uint64_t *bytes);
/* Adds `place` to the holders of [lo, hi). */
bool cx_coherence_validate(struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place);
/* Makes `place` the only holder of [lo, hi). */
bool cx_coherence_own(struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place);
/* How often bytes of the map got new contents: it differs after each time. */
uint64_t cx_coherence_writes(const struct cx_coherence *map);
/* Whether that would change nothing, for a member's own place. */
bool cx_coherence_owned(const struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place);
/* Where nobody wrote the bytes yet, so that each place holds some of its own, makes `place` the only holder:
 * it says what they are. */
bool cx_coherence_define(struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place);
/* Takes `place` from the holders of the segments in which [lo, hi) lies, save where it is the only one: what
 * should have come there did not. Needs no memory, so it cannot fail. */
void cx_coherence_lose(struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place);
/* Nobody holds [lo, hi): what should have been written there was not, and what stood there is gone. Whoever
 * needs the bytes before they are written again must fail. */
bool cx_coherence_void(struct cx_coherence *map, uint64_t lo, uint64_t hi);
/* Whether all of [lo, hi) is valid at `place`. */
bool cx_coherence_valid(const struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place);
/* The places at which all of [lo, hi) is valid, as bits. */
uint64_t cx_coherence_holders(const struct cx_coherence *map, uint64_t lo, uint64_t hi);
/* Whether no place but that one and the host copy holds bytes that were written. */
bool cx_coherence_alone(const struct cx_coherence *map, unsigned place);

/* The job (timeline, seq) reads the host copy's [lo, hi): raises deps[t] to what it must wait for (the last
 * writers, its own timeline excluded) and records it as a reader. */
bool cx_coherence_host_read(struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned timeline,
                            uint64_t seq, uint64_t *deps);
/* The same for a write: waits for writers and readers, then becomes the last writer. */
bool cx_coherence_host_write(struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned timeline,
                             uint64_t seq, uint64_t *deps);
/* One more job that writes the host copy's [lo, hi) side by side with those noted before, as the jobs of one
 * split launch do: later accesses wait for all of them. It waits for nothing itself: its deps were collected
 * before. */
bool cx_coherence_host_share(struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned timeline,
                             uint64_t seq);
/* The job (timeline `to`, seq) copies [lo, hi) from member `from`'s own place into its own: raises deps to
 * the copies that brought the bytes there and to those that others make of what stands at the destination.
 * What else the two members do with their memory is the caller's to wait for (peer.h). */
bool cx_coherence_peer_copy(struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned from, unsigned to,
                            uint64_t seq, uint64_t *deps);
/* The job (timeline, seq) brings [lo, hi) to its member's own place from elsewhere. */
bool cx_coherence_brought(struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned timeline,
                          uint64_t seq);
/* The job (timeline, seq) does not touch the host copy any more, though it is not over: later accesses wait
 * only for what came before it there. Needs no memory. */
void cx_coherence_retract(struct cx_coherence *map, unsigned timeline, uint64_t seq);
/* Only collects what a read (write = false) or write would wait for; records nothing. */
void cx_coherence_host_deps(const struct cx_coherence *map, uint64_t lo, uint64_t hi, bool write,
                            unsigned timeline, uint64_t *deps);

/* Forgets accesses that are complete (completed[t] = all seq up to it are done on timeline t) and joins equal
 * neighbours, so that the map stays as small as its contents. Called now and then by the planner. */
void cx_coherence_tidy(struct cx_coherence *map, const uint64_t *completed);
size_t cx_coherence_segments(const struct cx_coherence *map);

#endif
