/* SPDX-License-Identifier: MIT */
/*
 * The inside of struct cx_access, for access.c, protocol.c, box.c, package.c and race.c. These take no locks:
 * in the driver all of it runs under context->lock (plan/judge.h and launch/), in coexec-analyse and the
 * tools in one thread.
 */
#ifndef CX_LAYER_ACCESS_ACCESS_INSIDE_H
#define CX_LAYER_ACCESS_ACCESS_INSIDE_H

#include "layer/access/bijection.h"
#include "layer/access/eval.h"
#include "layer/access/proof.h"
#include "layer/access/stride.h"

/* What is read or written through one argument, if boxes may be worth while. */
struct cx_shapes {
    struct cx_shape *shape;
    unsigned n;
    bool free; /* nothing of the object is written: boxes may reach out of the hull */
    bool must; /* the hulls of packages are not apart, the boxes are */
};

enum {
    CX_LISTED_WRITES = 1, /* from the list */
    CX_LISTED_READS = 2,
    CX_PLACED_WRITES = 4, /* from the places */
    CX_PLACED_READS = 8,
};

struct cx_access {
    struct cx_access_verdict verdict;
    struct cx_access_geometry geometry;
    struct cx_launch launch;
    struct cx_eval eval;
    struct cx_bound *bound;        /* by access */
    struct cx_access_arg *args;    /* copies; object 0 where there is no memory */
    struct cx_span *list;          /* writes, then reads, by argument and unit; NULL: not needed */
    struct cx_access_means *means; /* by argument */
    uint8_t *listed;               /* by argument: where its regions come from, besides bounds and shapes */
    struct cx_shapes *shapes;      /* by argument: reads, writes */
    struct cx_shape *shape;        /* by access, then room for two an access; NULL: not needed */
    uint8_t *shaped;               /* by access: its shape is there */
    struct cx_places *places;      /* in which packages do not meet; NULL: not needed */
    unsigned nplaces;
    int64_t aligned; /* multiple of work-groups, at which packages would have few places; 0: none is known */
    void *eval_memory;
    double steps;    /* cx_access_steps() */
    bool unreliable; /* the records do not tell all: everything may be read and written */
    bool loose;      /* some bound is loose */
    bool curable;    /* a coarser cut might do better */
    bool scattered;  /* some packages own several separate parts of an object */
    bool checks;     /* what is not proved apart may be CHECKED */
    /* bytes that a split may have to merge, or combine from private copies */
    uint64_t merged, private_copies;
    _Alignas(16) unsigned char memory[];
};

/* Bytes that a row must leave out to be worth while; tests of small launches set it to 0. */
extern int64_t cx_access_row_cost;
/* Whether objects that every work-group changes may be CHECKED, too, which is as right and never stands; the
 * generator's tests set it. */
extern bool cx_access_takes_conflicts;
/* How often a package's boxes by places, which the launch was judged by, could not be told: never, or the
 * judgement is wrong. Tests look at it. */
extern unsigned cx_access_lost_places;

/* Whether an argument is a memory object: global, constant or an image. Called by package.c. */
bool cx_access_is_memory(const struct cx_summary_kernel *kernel, uint32_t arg);

/* Whether two shapes of two arguments of one object are apart in different units. Called by protocol.c. */
bool cx_access_shapes_apart(const struct cx_access *access, uint32_t arg_x, const struct cx_shape *x,
                            uint32_t arg_y, const struct cx_shape *y);
/* Whether different units' work-items touch no bytes in common by these two records, which may be one, as
 * their indices and guards tell. Takes up to a millisecond. Only while the launch is being judged; in
 * delinear.c. Called by race.c. */
bool cx_access_items_apart(struct cx_access *access, const struct cx_access_record *x,
                           const struct cx_access_record *y);
/* Whether different stores may write unlike values to one place of the object from different units; *fault
 * tells of two such stores. Only while the launch is being judged; in race.c. Called by protocol.c. */
bool cx_access_stores_race(struct cx_access *access, uint64_t object, struct cx_fault *fault);

/* An object that is written, judged for a launch that is checked afterwards: sets its way to CHECKED where
 * it is not proved apart, or NONE and *fault. In checked.c. Called by protocol.c. */
void cx_access_check_object(struct cx_access *access, uint64_t object, struct cx_access_means *means,
                            struct cx_fault *fault);
/* What forbids that for all objects, before they are judged; false: *fault is set. In checked.c. Called by
 * access.c. */
bool cx_access_may_check(const struct cx_access *access, struct cx_fault *fault);

/* Sets the means of each argument and what the verdict says about them. Called by access.c. */
void cx_access_find_protocols(struct cx_access *access);

/* Evaluates each unit by itself into access->list, if there are few; true where the list is there. Called
 * by protocol.c. */
bool cx_access_list_units(struct cx_access *access);
void cx_access_drop_list(struct cx_access *access);

/* The shape of an access; NULL where it is empty or not known. Only while the launch is being judged.
 * Called by protocol.c and race.c. */
const struct cx_shape *cx_access_shape(struct cx_access *access, uint32_t index);
/*
 * Sets an argument's shapes, for its reads or writes; false (and none) where they do not make few boxes.
 * tight: they are to be apart in different units. Called by protocol.c.
 */
bool cx_access_gather(struct cx_access *access, uint32_t arg, bool write, bool tight);
/*
 * The boxes of units first..last. Returns how many and sets *hull to what they lie in. 0: the hull says it
 * all; it is not set where boxes would not be worth while and need not be. Called by package.c.
 */
unsigned cx_access_boxes(const struct cx_shapes *shapes, int64_t first, int64_t last, uint64_t bytes,
                         bool must, struct cx_access_box *box, struct cx_access_interval *hull);

#endif
