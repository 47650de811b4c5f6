/* SPDX-License-Identifier: MIT */
/*
 * Questions about options that decide on splitting as a whole. See split_policy.h.
 */
#include "layer/base/split_policy.h"
#include "layer/base/options.h"

bool cx_split_policy_always(void)
{
    return cx_options_get()->split == CX_OPTION_SPLIT_ALWAYS || cx_options_get()->reproducible;
}

bool cx_split_policy_wants_all(void)
{
    const struct cx_options *options = cx_options_get();
    return options->split == CX_OPTION_SPLIT_ALWAYS ||
           (options->analysis_wait && options->split != CX_OPTION_SPLIT_NEVER);
}

bool cx_split_policy_bounded(void)
{
    const struct cx_options *options = cx_options_get();
    return options->budget < 1 && !cx_split_policy_always() && !cx_split_policy_wants_all() &&
           !options->verify && options->build != CX_OPTION_BUILD_ALL &&
           options->peer != CX_OPTION_PEER_WANTED;
}
