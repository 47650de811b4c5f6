/* SPDX-License-Identifier: MIT */
/*
 * The texts of why there is no access summary. See no_summary.h.
 */
#include "layer/source/no_summary.h"

static const char *const texts[CX_NO_SUMMARY_REASONS] = {
    [CX_NO_SUMMARY_UNKNOWN] = "there is no access summary",
    [CX_NO_SUMMARY_REPORTED] = "",
    [CX_NO_SUMMARY_OFF] = "analysis is switched off (COEXEC_DEBUG=analysis=0)",
    [CX_NO_SUMMARY_NO_ANALYSER] = "there is no analyser (coexec-analyse)",
    [CX_NO_SUMMARY_NO_MEMORY] = "no memory for the analysis",
    [CX_NO_SUMMARY_RUNNING] = "analysis still running",
    [CX_NO_SUMMARY_OTHER_RUNNING] = "the analysis for another device still runs",
    [CX_NO_SUMMARY_MACROS_DIFFER] = "the other devices' compilers may see other code (their macros differ)",
    [CX_NO_SUMMARY_ONE_DEVICE] = "there is one device",
    [CX_NO_SUMMARY_NOT_BUILT] = "the program is not built",
    [CX_NO_SUMMARY_BINARY] = "the program's binary has no access summary",
    [CX_NO_SUMMARY_IL] = "the program is in an intermediate language",
    [CX_NO_SUMMARY_BUILTINS] = "built-in kernels have no source",
    [CX_NO_SUMMARY_LINKED] = "linked program",
    [CX_NO_SUMMARY_NO_KERNEL] = "the analysis does not know the kernel",
    [CX_NO_SUMMARY_ARGUMENTS] = "driver and analysis disagree on the kernel's arguments",
    [CX_NO_SUMMARY_NO_DEVICE] = "no device runs the kernel",
};

const char *cx_no_summary_reason_text(enum cx_no_summary_reason reason)
{
    return texts[reason];
}

const char *cx_no_summary_text(const struct cx_no_summary *why)
{
    return why->reason == CX_NO_SUMMARY_REPORTED ? why->report : texts[why->reason];
}
