/* SPDX-License-Identifier: MIT */
/*
 * When devices beyond the first are opened. See plan_open.h.
 */
#include "layer/plan_open.h"
#include "layer/options.h"
#include "layer/plan_size.h"

#include <string.h>

bool cx_plan_bounded(void)
{
    const struct cx_options *options = cx_options_get();
    return options->budget < 1 && !cx_plan_always() && !cx_plan_wants_all() && !options->verify &&
           strcmp(options->build, "all") != 0 && strcmp(options->peer, "1") != 0;
}
