/* SPDX-License-Identifier: MIT */
/*
 * A launch on modelled devices, with no device at all: what a policy would do, in virtual seconds.
 * Discrete events, deterministic by seed. Used by the tests and the sweep.
 * Thread-safety: none needed; nothing is shared between calls.
 */
#ifndef CX_SCHEDULER_SIMULATE_H
#define CX_SCHEDULER_SIMULATE_H

#include "scheduler/balancer.h"

/* How the cost of a group depends on its number; the mean is 1 always. Called by sweep.c,
 * tools/coexec_simulate.c, tools/coexec_simulate_grid.c and tools/coexec_simulate_paper.c. */
enum cx_sim_profile {
    CX_SIM_REGULAR,   /* all equal */
    CX_SIM_RAMP,      /* from 0.1 to 1.9 */
    CX_SIM_RANDOM,    /* independent, exponential */
    CX_SIM_CLUSTERED, /* a few runs of groups that cost 20 times the others, at random places */
    CX_SIM_SYMMETRIC, /* dear in the middle, alike about it, as mandelbrot's default view */
    CX_SIM_PROFILES
};
const char *cx_sim_profile_name(enum cx_sim_profile profile);

/* The costs of all groups of a launch, summed up so that any run of groups costs one subtraction. */
struct cx_sim_load {
    uint64_t groups;
    double total;
    double before[]; /* before[i]: cost of groups 0 .. i-1; groups + 1 numbers */
};
/* NULL when memory is short. Caller frees with free(). Called by scheduler/ and tools/. */
struct cx_sim_load *cx_sim_load_create(enum cx_sim_profile profile, uint64_t groups, uint64_t seed);

/* A number from 0 to 1 (1 not included); advances *state. Called by grid.c and simulate.c. */
double cx_sim_random(uint64_t *state);

struct cx_sim_device {
    struct cx_balancer_device known; /* what the balancer is told */
    double speed;                    /* groups of cost 1 a second, at full occupancy */
    double half;    /* cost of a package that reaches half of that speed; 0: all do reach it */
    double drain;   /* groups as dear as the package's by which it takes longer, as its last ones leave
                     * the device ever emptier; the package behind it fills the gap where packages
                     * overlap and it is there in time */
    uint64_t slots; /* groups that run at once, each for slots / speed times its cost, as on a GPU: what
                     * drains is then what their lengths make; 0: any number does, at `speed` together */
    double launch_seconds;          /* the device spends this on every package */
    double in_seconds, out_seconds; /* and this on each group's data: bytes over bandwidth */
    double fixed_seconds;           /* and this before its first package; times told do not count it */
    double reply_seconds;           /* from a package's end to the next one's arrival, where none is queued */
    double jitter;                  /* 0..1: a package takes up to this share more or less */
    double untimed;                 /* 0..1: part of its packages whose times are not told */
    double pause_every, pause_seconds; /* it stands still for so long, each so many seconds of work, both by
                                        * chance and in the mean: something else had its core; 0: never */
    double slows_at;                   /* from then on it is slow_factor times slower; 0: never */
    double slow_factor;
    double dies_at; /* stops for good at that time; 0: never */
};

/* A package that ended, or that the launch did not wait for. */
struct cx_sim_package {
    unsigned device;
    uint64_t first, groups;
    double start, end; /* end: INFINITY where nobody waited for it */
    bool copy;         /* a part of a re-execution */
    enum cx_done outcome;
    enum cx_decision decision;
};

struct cx_simulation {
    const struct cx_policy *policy;
    const struct cx_balancer_params *params; /* NULL: defaults */
    const struct cx_sim_load *load;
    uint64_t granularity;
    unsigned ndevices;
    const struct cx_sim_device *devices;
    unsigned depth;        /* packages in flight a device; 0: 2, as the layer does */
    double notice_seconds; /* from a death to cx_balancer_fail */
    uint64_t seed;
    uint64_t *groups_done;    /* one a device, filled when not NULL: groups computed there */
    unsigned char *taken;     /* one a group, when not NULL: times computed, less what a death lost */
    bool partitions;          /* each device has a part of the range of its own (ranges.h), as in the layer;
                               * else packages are cut from the front */
    bool reexecutes;          /* packages may be re-executed on other devices */
    struct cx_memory *memory; /* learns from the launch; or NULL */
    struct cx_tuning *tuning; /* likewise */
    struct cx_speed_record *records;                                /* one a device: so do they; or NULL */
    void (*note)(void *data, const struct cx_sim_package *package); /* every package; or NULL */
    void *note_data;
};

struct cx_sim_result {
    bool complete;  /* every group computed */
    double seconds; /* until the last one ended */
    double ideal;   /* all devices busy from start to end, no overhead */
    double best;    /* whole on the fastest device */
    double balance; /* first finisher's time over the last one's, of those that did any of it; one that
                     * is busy with what others finished first is busy to the end */
    double after;   /* by how much a launch like it, begun at once, ends later for what devices still do that
                     * nobody waits for */
    unsigned packages;
    unsigned reexecutes; /* parts of packages re-executed */
};

/* Seconds of a package on a device that is never slow: no jitter. Called by ideal.c. */
double cx_sim_package_seconds(const struct cx_sim_device *device, const struct cx_sim_load *load,
                              uint64_t first, uint64_t count);
/* The best makespan of a planner who knows every cost: one package each for the devices that pay, one behind
 * the other along the range, launches and transfers included, jitter not (ideal.c). Called by grid.c. */
double cx_sim_ideal(const struct cx_sim_load *load, unsigned ndevices, const struct cx_sim_device *devices);
/* How that plan balances: its first device's end over its last one's. Called by grid.c. */
double cx_sim_ideal_balance(const struct cx_sim_load *load, unsigned ndevices,
                            const struct cx_sim_device *devices);
/* The whole launch on the device that ends it soonest. Called by grid.c. */
double cx_sim_alone(const struct cx_sim_load *load, unsigned ndevices, const struct cx_sim_device *devices);

struct cx_sim_result cx_simulate(const struct cx_simulation *simulation);

#endif
