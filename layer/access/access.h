/* SPDX-License-Identifier: MIT */
/*
 * Evaluates a kernel's access summary for one launch: is it separable along a dimension, and which bytes of
 * each argument does a package of work-groups read and write?
 *
 * Previous stage: layer/access/summary.h (parsed from the analyser's blob). Next stage: the planner, which
 * asks here before it lets the balancer cut a launch, and coherence, which moves the intervals.
 *
 * Use:
 *     struct cx_access *access;
 *     struct cx_access_verdict verdict;
 *     if (cx_access_choose(kernel, &geometry, args, &access, &verdict)) {
 *         // along verdict.dim, borders at multiples of verdict.granularity
 *         // cx_access_means(access): how each written argument is kept right
 *         cx_access_package(access, g0, g1, regions);   // per package, nanoseconds
 *     } else {
 *         // whole launch; verdict.reason, verdict.arg, verdict.line say why
 *     }
 *     cx_access_destroy(&access);
 *
 * Threads: an object is used by one thread at a time; different objects are independent. No OpenCL calls, no
 * locks.
 */
#ifndef CX_LAYER_ACCESS_ACCESS_H
#define CX_LAYER_ACCESS_ACCESS_H

#include "layer/access/summary.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The launch as the program enqueued it. local must be the size really used (a NULL one chosen before). */
struct cx_access_geometry {
    uint32_t work_dim; /* 1..3; entries from work_dim on are ignored (offset 0, sizes 1) */
    uint64_t offset[3];
    uint64_t global[3];
    uint64_t local[3]; /* need not divide global: the last group may be uneven */
};

/*
 * An image argument, as bytes of its object: texel (x, y, z) is the element_size bytes at x * element_size +
 * y * row_pitch + z * slice_pitch from where the argument points to. A layer of an array counts as z, also of
 * a 1D array, whose layers are slice_pitch apart. The layout is that of the map which says who holds which
 * bytes valid; devices may keep the texels as they like.
 */
struct cx_access_image {
    uint64_t width, height, depth, array_size; /* texels and layers; 1 where it has no such dimension */
    uint64_t row_pitch, slice_pitch;           /* bytes; not 0: of what there would be one of, the whole */
    uint32_t element_size;                     /* bytes of a texel */
    uint32_t channel_order, channel_type;      /* CL_RGBA, CL_UNORM_INT8, ... */
};

/* What one kernel argument holds at this launch. */
struct cx_access_arg {
    const void *value; /* by-value arguments: the bytes; ignored (may be NULL) for others */
    size_t size;       /* of value */
    /*
     * Memory arguments: identity of the memory. Arguments with the same object may overlap and are judged
     * together: base is where the argument points to inside the object, bytes how many bytes from there
     * belong to it (a sub-buffer's size). 0: a NULL buffer, accesses through it touch nothing. Different
     * objects never overlap.
     */
    uint64_t object;
    uint64_t base;
    uint64_t bytes;
    /* Image arguments, which are memory arguments too; their texels lie in [base, base + bytes). An image
     * argument without is_image makes the launch one that is not split. */
    bool is_image;
    struct cx_access_image image;
};

/* Interval [lo, hi) in bytes from where the argument points to, clipped to [0, bytes); empty where lo == hi
 * (then 0, 0). */
struct cx_access_interval {
    uint64_t lo, hi;
    /* false: not known, the interval is the whole argument */
    bool known;
    /* writes: every byte of [lo, hi) is written by this package for certain. Otherwise bytes inside may keep
     * their contents, which must then be valid where the package runs. Always false for reads and for empty
     * intervals. */
    bool exact;
    /* no other package of the launch writes anything between lo and hi */
    bool apart;
};

/*
 * Bytes lo + i * stride[0] + j * stride[1] + [0, len) for i < count[0], j < count[1], from where the argument
 * points to: a strided run, or the rows of a block. Pieces do not overlap, and stride[0] >= len, stride[1] >=
 * stride[0] * (count[0] - 1) + len wherever the count is above 1. Counts are at least 1; a stride whose count
 * is 1 is 0.
 */
struct cx_access_box {
    uint64_t lo, len;
    uint64_t stride[2], count[2];
    bool exact; /* as in an interval; false for reads */
};

enum { CX_ACCESS_BOXES = 48 };

/*
 * What a package touches of one argument. The intervals are always right. Where boxes are given (nread or
 * nwrite not 0) the union of the boxes holds all that the interval stands for and usually much less; they do
 * not overlap each other, and `known` is true. Boxes are only given where they leave out enough to be worth
 * it.
 */
struct cx_access_region {
    struct cx_access_interval read;
    struct cx_access_interval write;
    unsigned nread, nwrite;
    struct cx_access_box read_box[CX_ACCESS_BOXES], write_box[CX_ACCESS_BOXES];
};

/* Makes these regions empty; what their boxes hold is not set. Called by plan/ and launch/. */
void cx_access_regions_clear(struct cx_access_region *regions, size_t count);
/* Room for so many regions, or for one where that is 0, all empty: they are large, and boxes are mostly few.
 * NULL: no memory. Freed with free(). Called by plan/ and launch/. */
struct cx_access_region *cx_access_regions_make(size_t count);

/* How many bytes it reads at most: of the boxes where given, else of the interval. Called by plan/. */
uint64_t cx_access_read_bytes(const struct cx_access_region *region);

/* How a split launch keeps what is written through an argument right (design section 3). */
enum cx_write_protocol {
    CX_PROTOCOL_NONE = 0, /* nothing is written through it */
    /* What different packages write is disjoint, proved for every border: regions (boxes where given) change
     * owner. Also for atomics, even with used results, where packages are apart. */
    CX_PROTOCOL_EXCLUSIVE,
    /* What packages write is not known, or may overlap, without any order between work-groups: changed blocks
     * are found afterwards and merged by units of `width`. */
    CX_PROTOCOL_MERGE,
    /* Every access to the object in this launch is an atomic of one commutative family (`atomic_op`), results
     * unused: each device has a private copy, combined afterwards. */
    CX_PROTOCOL_REDUCTION,
    /* All devices use the object at one device's memory, which they reach, reads and writes alike. Never
     * judged so, but chosen by the planner (remote_access.h) in place of NONE and MERGE. */
    CX_PROTOCOL_REMOTE,
    /* Each participant works on a copy of its own, whatever its accesses are. Afterwards the copies are
     * compared with the contents before: the launch stands where at most one of them changed, else it is
     * undone and runs whole (launch/speculation.h). Judged so by cx_access_choose_checked() alone. */
    CX_PROTOCOL_CHECKED,
};

/* The same for all arguments of one object. */
struct cx_access_means {
    uint8_t protocol;  /* enum cx_write_protocol */
    uint8_t atomic_op; /* PRIVATE: ADD (add, sub, inc, dec), MIN, MAX, UMIN, UMAX, AND, OR, XOR or FADD */
    uint8_t width;     /* MERGE, PRIVATE: bytes of the narrowest store, or of the atomics: 1, 2, 4 or 8 */
    /* What a package reads, or is said to read, may be written by another one: reads mean the contents before
     * the launch, which must be at every device with memory of its own before any package starts. Always set
     * for MERGE.
     */
    bool before;
    enum cx_summary_reason why; /* MERGE, PRIVATE: what kept it from being OWN; NONE: not known */
    uint32_t line;              /* of that, 0: unknown */
};

/* Answer to "can this launch be cut along this dimension?". */
struct cx_access_verdict {
    /* Each written argument has a way (cx_access_means). separable: all of them are OWN and none needs
     * `before`. */
    bool splits;
    bool separable;
    bool checked; /* it splits so that some object is CHECKED, and all that it writes else is EXCLUSIVE */
    uint8_t dim;
    /* Packages are runs of work-groups [g0, g1) along dim whose ends are multiples of granularity or groups.
     */
    uint64_t granularity;
    uint64_t groups;
    /* where not separable: why (where it splits: why only by other means), at which argument (-1: none), at
     * which source line (0: unknown) */
    enum cx_summary_reason reason;
    int arg;
    uint32_t line;
    uint32_t other; /* the line of a second access that is as much to blame; 0: there is none, or unknown */
};

struct cx_access; /* one launch (kernel, geometry, arguments) prepared for a cut along one dimension */

/*
 * Judges the launch along one dimension with packages cut at multiples of granularity (>= 1). Returns true
 * where separable: for every border b (a multiple of granularity), what groups [0, b) write and what groups
 * [b, groups) write are disjoint in every object, and what either reads of an object is not written by the
 * other. Proved, not sampled. verdict->splits is true more often: see cx_access_means(). Needs about a
 * microsecond for a small kernel.
 *
 * *out is set in both cases except after CX_REASON_BAD_LAUNCH and CX_REASON_NO_MEMORY (then NULL): an access
 * that is not separable may still be asked for the regions of the whole launch (see cx_access_whole()). The
 * kernel must outlive it; geometry and args are copied as far as needed. out may be NULL when only the
 * verdict matters.
 */
bool cx_access_separable(const struct cx_summary_kernel *kernel, const struct cx_access_geometry *geometry,
                         const struct cx_access_arg *args, unsigned dim, uint64_t granularity,
                         struct cx_access **out, struct cx_access_verdict *verdict);

/*
 * The best cut: tries the dimensions, the slowest-varying (highest) one first among those with more than one
 * group, and coarser granularities (powers of two) where that may help. Takes in this order: separable ones,
 * granularity 1 before coarser ones; those where all is OWN; those that merge the fewest bytes. Among equals
 * one whose packages own plain intervals goes before one whose packages own boxes. Returns verdict->splits;
 * where that is false, the verdict is of the dimension that came furthest. *out is as in
 * cx_access_separable() and may be NULL. Called by explain_trial.c, plan/judge.c and tools/coexec_judge.c.
 */
bool cx_access_choose(const struct cx_summary_kernel *kernel, const struct cx_access_geometry *geometry,
                      const struct cx_access_arg *args, struct cx_access **out,
                      struct cx_access_verdict *verdict);

/*
 * The same for a launch that cx_access_choose() does not split: each object with an access that is not proved
 * apart is CHECKED, and all else is EXCLUSIVE or only read. The proofs hold for whatever values are read from
 * memory or returned by atomics, since values that are not known before the launch count as any. Returns
 * verdict->splits, and then verdict->checked, or verdict->separable where all is apart and only atomics that
 * order work-items forbade the split; else verdict->reason is why that cannot be done either. Objects may be
 * of any size, and what the program sees of them is not asked: see plan/check_rules.h. Called by
 * explain_trial.c, plan/judge.c, tools/coexec_judge.c and tests.
 */
bool cx_access_choose_checked(const struct cx_summary_kernel *kernel,
                              const struct cx_access_geometry *geometry, const struct cx_access_arg *args,
                              struct cx_access **out, struct cx_access_verdict *verdict);

/* Accepts NULL and a pointer to NULL; sets *access to NULL. Called by explain.c, explain_trial.c,
 * plan/kernel_history.c and tools/coexec_judge.c. */
void cx_access_destroy(struct cx_access **access);

/*
 * What the package of groups [g0, g1) along the access's dimension reads and writes: regions[i] for argument
 * i, kernel->narg entries; by-value and local arguments get empty intervals. g0 and g1 must be
 * multiples of the granularity (or g1 the number of groups), g0 < g1. What different packages write through
 * arguments that are OWN is disjoint: the boxes where given, else the intervals. Whatever the way, and for a
 * launch that does not split, intervals are right supersets. Called by launch/ and plan/.
 */
void cx_access_package(struct cx_access *access, uint64_t g0, uint64_t g1, struct cx_access_region *regions);

/* The same for the whole launch: what must be valid on the one device that runs it, and what it then owns.
 * Called by access/, launch/, plan/ and tools/. */
void cx_access_whole(struct cx_access *access, struct cx_access_region *regions);

/* Whether the launch may touch bytes before the one the argument points to, which regions leave out. For
 * pointers into memory that goes on before them. Called by plan/svm_rules.c. */
bool cx_access_reaches_below(const struct cx_access *access, uint32_t arg);

/*
 * For a cache of judged launches: a hash of the kernel's identity (its address), the geometry and all that
 * the evaluation reads of args, and whether a prepared access (of cx_access_separable/choose) is the one for
 * these. Scalars that no index depends on do not take part. Called by plan/judge.c.
 */
uint64_t cx_access_hash(const struct cx_summary_kernel *kernel, const struct cx_access_geometry *geometry,
                        const struct cx_access_arg *args);
bool cx_access_matches(const struct cx_access *access, const struct cx_summary_kernel *kernel,
                       const struct cx_access_geometry *geometry, const struct cx_access_arg *args);

/* The verdict with which an access was made. Used by tests. */
const struct cx_access_verdict *cx_access_verdict(const struct cx_access *access);
/* Instructions of all work-items together at most, about; INFINITY: unknown. A guess for times, no bound to
 * rely on for what is right. Called by plan/judge.c. */
double cx_access_steps(const struct cx_access *access);
/* The way of each argument (kernel->narg entries, owned by the access); of use where verdict.splits.
 * Called by access/, launch/, plan/ and tools/. */
const struct cx_access_means *cx_access_means(const struct cx_access *access);

#ifdef __cplusplus
}
#endif

#endif
