/* SPDX-License-Identifier: MIT */
/*
 * Which devices take part in a launch: one, several, or several and a probe. Keeps promise 2 of the design:
 * never slower than the best device alone.
 *
 * The caller keeps one cx_speed_record per kernel and device (zeroed: never measured), brings it up to date
 * after each launch, and asks cx_admission_decide before each. All times in seconds, speeds in work-groups/s.
 * Thread-safety: none; the caller serialises calls that share records.
 * Previous stage: the planner, which knows that the launch may be split. Next: balancer.h.
 */
#ifndef CX_SCHEDULER_ADMISSION_H
#define CX_SCHEDULER_ADMISSION_H

#include <stdbool.h>
#include <stdint.h>

/* What is known of one kernel on one device. */
struct cx_speed_record {
    double groups;    /* sum over past launches, older ones counting less */
    double seconds;   /* likewise; groups / seconds is the speed */
    uint64_t samples; /* launches measured */
    double slowest;   /* the lowest speed of late, work-groups/s */
    double few;      /* seconds that a package of late took whose groups all ran at once; 0: there was none */
    double credit;   /* seconds that a probe of this device may cost by now */
    uint64_t waited; /* launches decided since it last took part */
    uint64_t backoff; /* launches to wait before the next probe */
    unsigned firsts;  /* launches in a row that were the first of their kind here */
    bool doubtful;    /* nothing but such launches is known */
    int odd;          /* launches in a row that were far faster (negative: slower) than remembered */
    unsigned steady;  /* launches in a row before these that were as fast as remembered */
};

/* One launch's part on this device: groups done and seconds the device was busy with them. Nonsense is
 * ignored. fill: as in struct cx_balancer_device; fewer groups than that take as long, and count as that
 * many. Called by play.c, simulate.c and plan/launch_learn.c. */
void cx_speed_record_update(struct cx_speed_record *record, uint64_t groups, uint64_t fill, double seconds);
/* Likewise for a launch whose time may hold what a driver does once (compiling for a new local size). It
 * counts as no measurement, but for a program in which many launches in a row are such and nothing else is
 * known; the fastest of them does then, until another launch was measured. Called by plan/launch_learn.c. */
void cx_speed_record_first(struct cx_speed_record *record, uint64_t groups, uint64_t fill, double seconds);
/* A package whose groups all ran at once took so long: as long as the dearest of them. The shortest counts,
 * until longer ones have come several times. Called by launch/split_package.c. */
void cx_speed_record_few(struct cx_speed_record *record, double seconds);
/* Work-groups/s of the device when full; 0: never measured. Accepts NULL. Called by scheduler/, launch/,
 * plan/ and tools/. */
double cx_speed_record_speed(const struct cx_speed_record *record);
/* Where in the range the next probe lies, as a fraction: the middle, the quarters, the eighths, ... A launch
 * whose cost varies along the range shows itself only so. Accepts NULL. Called by plan/plan_share.c. */
double cx_speed_record_probe_at(const struct cx_speed_record *record);

struct cx_admission_device {
    double nominal_speed;    /* relative, such as GFLOP/s; 0: unknown */
    unsigned device_class;   /* nominal speeds compare only within a class: CPU, GPU, ... any numbers */
    double launch_seconds;   /* cost of one launch there */
    double fixed_seconds;    /* moves it needs whatever its share: inputs read whole and not valid there */
    double after_seconds;    /* of these, what is no move */
    double transfer_seconds; /* moves for one group, in and out; 0 where its data is in place */
    double moves_part;       /* part of these seconds that moves took in earlier launches; 0: not known */
    double first_seconds;    /* what its driver may do once before this launch there, such as compiling */
    uint64_t min_package;    /* as in struct cx_balancer_device */
    uint64_t fill;           /* likewise */
    struct cx_speed_record *record; /* NULL: nothing known, nothing kept */
};

struct cx_admission {
    uint64_t groups;
    uint64_t granularity; /* packages are multiples of it; 0 counts as 1 */
    double split_seconds; /* what a split costs beside the launches: planning, refills, merging */
    bool may_probe;       /* false: no device takes part only to be measured */
    unsigned ndevices;
    const struct cx_admission_device *devices;
};

enum cx_admission_reason {
    CX_ADMISSION_SPLIT,
    CX_ADMISSION_SPLIT_UNMEASURED, /* equal enough by their nominal speeds to start at once */
    CX_ADMISSION_SPLIT_PROBE,      /* whole on the best devices save one small package elsewhere */
    CX_ADMISSION_WHOLE_ONE_DEVICE,
    CX_ADMISSION_WHOLE_FEW_GROUPS,
    CX_ADMISSION_WHOLE_UNMEASURED,  /* the fastest device has to be measured first */
    CX_ADMISSION_WHOLE_SHORT,       /* a split would cost more than it gains */
    CX_ADMISSION_WHOLE_OTHERS_SLOW, /* no other device would end it sooner */
    CX_ADMISSION_REASONS
};
/* A phrase that completes "runs split/whole: ...". Called by plan/why.c. */
const char *cx_admission_reason_text(enum cx_admission_reason reason);

enum cx_admission_part {
    CX_ADMISSION_WORKS,
    CX_ADMISSION_PROBED,       /* takes part with a bounded first package */
    CX_ADMISSION_LEFT_SLOW,    /* would delay the end or add next to nothing */
    CX_ADMISSION_LEFT_UNKNOWN, /* not measured, and not like the others: waits for a probe */
    CX_ADMISSION_LEFT_WHOLE,   /* would be fit, but the launch stays whole */
    CX_ADMISSION_LEFT_DEAR,    /* would shorten it, but costs more energy than it saves (objective.h) */
    CX_ADMISSION_PARTS
};
const char *cx_admission_part_text(enum cx_admission_part part);

/* The decision about one device. */
struct cx_admission_member {
    bool takes_part;
    enum cx_admission_part part;
    uint64_t first_package; /* for cx_balancer_device.first_package: bound of a probe, 0 for none */
    double speed; /* predicted: work-groups/s where anything is measured, else relative; 0: no idea */
};

struct cx_admission_decision {
    bool split;
    unsigned best; /* the device for the launch when whole */
    enum cx_admission_reason reason;
    double whole_seconds; /* predicted on the best device; 0: unknown */
    double split_seconds; /* predicted when split; 0: unknown or not split */
};

/* Decides and counts the launch in the records (waiting times, credit). members: one a device, filled. There
 * must be at least one device. Called by plan/plan_share.c. */
struct cx_admission_decision cx_admission_decide(const struct cx_admission *launch,
                                                 struct cx_admission_member *members);
/* The same where the launch would run on that device if whole, without probes; touches no record. For
 * launches as they would be (migration.h). Called by play.c and plan/plan_share.c. */
struct cx_admission_decision cx_admission_imagine(const struct cx_admission *launch, unsigned best,
                                                  struct cx_admission_member *members);
/* The best device for a launch that cannot be split; touches no record. Called by plan/plan_share.c. */
unsigned cx_admission_best(const struct cx_admission *launch);

#endif
