/* SPDX-License-Identifier: MIT */
/*
 * What the parts of `coexec simulate` share.
 */
#ifndef CX_TOOLS_COEXEC_SIMULATE_H
#define CX_TOOLS_COEXEC_SIMULATE_H

#include "scheduler/algo.h"
#include "scheduler/admission.h"
#include "scheduler/simulate.h"
#include "scheduler/tuning.h"

#include <stdbool.h>
#include <stddef.h>

enum cx_sim_format { CX_SIM_TABLE, CX_SIM_CSV, CX_SIM_JSON };

/* The balancers that are tried, in that order. */
struct cx_simulate_algos {
    struct cx_algos *algo[32];
    unsigned count;
};
/* The first of that policy, or NULL. */
const struct cx_algos *cx_simulate_find(const struct cx_simulate_algos *algos, const char *policy);
/* A balancer as a field of CSV: in quotes where it has commas. Lasts until the next call. */
const char *cx_simulate_csv(const char *text);
/* Every listed balancer on the grid of that seed (0: the published one): means as a table, or each case as
 * CSV or JSON. An exit status. */
int cx_simulate_grid(const struct cx_simulate_algos *algos, uint64_t seed, enum cx_sim_format format);
/* Every listed balancer where a device gets slower and faster again, as a table. An exit status. */
int cx_simulate_drift(const struct cx_simulate_algos *algos);
/* A paper's comparison, printed figures beside ours. An exit status. */
int cx_simulate_paper(const char *name);
int cx_simulate_marrow(void); /* of that paper */
int cx_simulate_sigmoid(void);
/* One launch under a policy, as its paper has it (one package at a time on a device) or by our rules. tuning,
 * records: as in struct cx_simulation. */
struct cx_sim_result cx_simulate_as(const char *policy, bool published, const struct cx_sim_load *load,
                                    unsigned ndevices, const struct cx_sim_device *devices, uint64_t seed,
                                    struct cx_tuning *tuning, struct cx_speed_record *records);

/* Programs on two devices (scheduler/play.h): all made-up ones ("all"), one of these by name, or those in a
 * file. costs: KEY=VALUE,...; NULL: the defaults. An exit status. */
int cx_simulate_programs(const char *what, const char *costs, enum cx_sim_format format);
/* The text of the made-up ones; whether one has that name. */
extern const char cx_simulate_shapes[];
bool cx_simulate_is_shape(const char *name);

/* Packages of a launch; free() them. */
struct cx_simulate_log {
    struct cx_sim_package *packages;
    size_t count, room;
};
/* For cx_simulation.note, with a log as its data. */
void cx_simulate_note(void *data, const struct cx_sim_package *package);
/* Speed and package size over time as an SVG. An exit status. */
int cx_simulate_svg(const char *path, const char *policy, const struct cx_simulate_log *log,
                    unsigned ndevices);
/* The cost profile that a file of COEXEC_TRACE shows, for a launch of `groups`: the launch with the most
 * packages, each one's time by its device's mean speed. NULL, with a line on stderr, where there is none.
 * free() it. */
struct cx_sim_load *cx_simulate_traced(const char *path, uint64_t groups);

#endif
