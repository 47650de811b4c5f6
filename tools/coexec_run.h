/* SPDX-License-Identifier: MIT */
/*
 * What `coexec run` looks at before it becomes the program.
 */
#ifndef CX_TOOLS_COEXEC_RUN_H
#define CX_TOOLS_COEXEC_RUN_H

#include <stdbool.h>

/* Whether the list chooses devices that are there, with the drivers that the environment names. Returns the
 * exit status, 0 where it does; what is wrong it has told. Called by coexec_run.c. */
int cx_run_check_devices(const char *subcommand, const char *list);

/* With a summary wanted: has what is left of it printed when this process, or the program that it becomes, is
 * ended by a signal. Called by coexec_run.c. */
void cx_run_watch(void);

/* Starts a child, shows a line at the foot of the terminal until it ends, and gives its status (true). False,
 * in the process that is to become the program: the child, or this one where there is no terminal. Called by
 * coexec_run.c. */
bool cx_run_live(int *status);

#endif
