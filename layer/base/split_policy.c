/* SPDX-License-Identifier: MIT */
/*
 * What the options say about splitting at all. See split_policy.h.
 */
#include "layer/base/split_policy.h"
#include "layer/base/options.h"

#include <string.h>

bool cx_plan_always(void)
{
    return strcmp(cx_options_get()->split, "always") == 0 || cx_options_get()->reproducible;
}

bool cx_plan_wants_all(void)
{
    const struct cx_options *options = cx_options_get();
    return strcmp(options->split, "always") == 0 ||
           (options->analysis_wait && strcmp(options->split, "never") != 0);
}

bool cx_plan_bounded(void)
{
    const struct cx_options *options = cx_options_get();
    return options->budget < 1 && !cx_plan_always() && !cx_plan_wants_all() && !options->verify &&
           strcmp(options->build, "all") != 0 && strcmp(options->peer, "1") != 0;
}
