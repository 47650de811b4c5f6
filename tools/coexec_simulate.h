/* SPDX-License-Identifier: MIT */
/*
 * What the parts of `coexec simulate` share.
 */
#ifndef CX_TOOLS_COEXEC_SIMULATE_H
#define CX_TOOLS_COEXEC_SIMULATE_H

#include <stdbool.h>
#include <stddef.h>

enum cx_sim_format { CX_SIM_TABLE, CX_SIM_CSV, CX_SIM_JSON };

/* Whether the list (separated by commas; NULL: all) names it. */
bool cx_simulate_listed(const char *list, const char *name, size_t length);
/* Every listed balancer on the grid: means as a table, or each case as CSV or JSON. An exit status. */
int cx_simulate_grid(const char *algos, enum cx_sim_format format);

#endif
