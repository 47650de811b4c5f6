/* SPDX-License-Identifier: MIT */
/*
 * When devices beyond the first are opened, and what that may cost (design: "How a program begins").
 */
#ifndef CX_LAYER_PLAN_OPEN_H
#define CX_LAYER_PLAN_OPEN_H

#include <stdbool.h>

/* Whether what splits risk is bounded (COEXEC_BUDGET): not where somebody wants them at any price, or waits
 * for them. */
bool cx_plan_bounded(void);

#endif
