/* SPDX-License-Identifier: MIT */
/*
 * What processes learned of launches of one kernel and size on one set of devices, and its form as a line of
 * text, which files and `coexec knowledge export` have.
 *
 * A kernel is known by a salted hash of its program's text, options and name, a set of devices by one of
 * their names, drivers and order (knowledge.h); nothing of texts or contents is kept. What policies start
 * from ends the line, behind a word that names its form: readers that do not know the form pass over it. A
 * line is read with distrust: whatever it says, what is made of it is a profile of numbers that make sense.
 * Pure functions; reentrant. Next: table.h.
 */
#ifndef CX_LAYER_KNOWLEDGE_PROFILE_H
#define CX_LAYER_KNOWLEDGE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CX_PROFILE_HASH = 16, CX_PROFILE_DEVICES = 16, CX_PROFILE_CURVE = 64, CX_PROFILE_NAME = 64 };
/* A line's room: all numbers at their longest. */
enum { CX_PROFILE_LINE = 3600, CX_PROFILE_SAMPLES = 3 };

/* What a profile is found by. Zeroed before it is filled in: compared as bytes. */
struct cx_profile_key {
    unsigned char kernel[CX_PROFILE_HASH], set[CX_PROFILE_HASH];
    /* local: 0 where the program leaves it open; global 0: all launches of the kernel together, of which only
     * `saved` and `tuning` count */
    uint64_t dims, global[3], local[3];
};

struct cx_profile_device {
    double speed; /* work-groups/s; 0: not measured */
    uint64_t samples;
};

/* What policies start a kernel's launches from (scheduler/tuning.h). */
struct cx_profile_tuning {
    uint64_t launches; /* that told whether they are regular */
    double irregular;  /* part of them that were not */
    struct cx_profile_samples {
        float unit; /* work-groups; 0: no samples */
        float groups[CX_PROFILE_SAMPLES], speed[CX_PROFILE_SAMPLES];
    } device[CX_PROFILE_DEVICES];
};

/* Seconds. Zeroed: nothing is known. */
struct cx_profile {
    struct cx_profile_key key;
    char name[CX_PROFILE_NAME]; /* of the kernel, for people */
    uint64_t groups;            /* 0: not known */
    uint64_t arguments;         /* hash of values and sizes of the newest launch's arguments */
    uint64_t lengths;           /* whole launches measured */
    double length;              /* of a whole launch on the first device, the newest counting most */
    double spread;              /* longest over shortest of launches with unlike arguments; 0: none yet */
    uint64_t splits;            /* measured */
    double ratio;               /* of a split's time to the whole launch's, the newest counting most */
    double saved;               /* by all splits of the newest process */
    double saved_before;        /* ... of the one before that; 0: there is none */
    uint64_t processes;
    uint64_t seen; /* when the newest ended, seconds since 1970 */
    uint64_t ndevices;
    struct cx_profile_device device[CX_PROFILE_DEVICES]; /* by member */
    bool has_curve;
    uint16_t
        curve[CX_PROFILE_CURVE]; /* part of all cost, of 65535, that lies before piece i + 1 of the range */
    struct cx_profile_tuning tuning; /* of all launches of the kernel together only */
};

/* Writes the line, without its end. Called by table.c and tools/knowledge_store.c. */
void cx_profile_print(const struct cx_profile *profile, char line[CX_PROFILE_LINE]);
/* Reads one. False: it is none, or makes no sense. Called by table.c and tools/knowledge_store.c. */
bool cx_profile_parse(const char *line, struct cx_profile *profile);
/* The same of a set of devices and the seconds that opening them took, CX_PROFILE_DEVICES of them; what
 * follows on the line are names. parse: where these begin; NULL: it is no such line. Called by table.c. */
void cx_profile_print_set(const unsigned char *hash, const double *opening, char line[CX_PROFILE_LINE]);
const char *cx_profile_parse_set(const char *line, unsigned char hash[CX_PROFILE_HASH],
                                 double opening[CX_PROFILE_DEVICES]);

/* Adds one launch of this process, of the same key: `event` has what was measured of it. Called by
 * knowledge.c. */
void cx_profile_add(struct cx_profile *profile, const struct cx_profile *event);
/* Adds what a later process learned, of the same key; or more of the newest one, if it counts no process.
 * Called by table.c and tools/knowledge_store.c. */
void cx_profile_merge(struct cx_profile *profile, const struct cx_profile *later);
/* Whether its length is that of a launch with arguments of that hash, or hardly depends on them. Called by
 * plan/recall.c. */
bool cx_profile_tells_length(const struct cx_profile *profile, uint64_t arguments);
/* Work-groups a second that the member does; 0: not known. `first`: the member whose whole launches were
 * timed. Where its speed, measured by packages of splits, contradicts their length by more than three times,
 * the length counts, which is measured more often, and the relations between members' speeds stay. Called by
 * plan/recall.c. */
double cx_profile_speed(const struct cx_profile *profile, unsigned member, unsigned first);
/* What splits of it saved a process at least, of the newest two. Called by plan/recall.c. */
double cx_profile_saves(const struct cx_profile *profile);

#endif
