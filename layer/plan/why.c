/* SPDX-License-Identifier: MIT */
/*
 * The texts of reasons. See why.h.
 */
#include "layer/plan/why.h"

static const char *const why_texts[CX_WHY_SUMMARY] = {
    [CX_WHY_NONE] = "",
    [CX_WHY_ONE_DEVICE] = "there is one device",
    [CX_WHY_SPLIT_NEVER] = "COEXEC_SPLIT=never",
    [CX_WHY_SINGLE] = "COEXEC_ALGO=single",
    [CX_WHY_ENDING] = "the process is ending",
    [CX_WHY_BEYOND] = "only its driver can tell whether it takes such work-groups",
    [CX_WHY_NO_LOCAL_SIZE] = "no work-group size suits all devices",
    [CX_WHY_FLOAT_SUMS] = "COEXEC_REPRODUCIBLE=1, and work-groups add floating-point numbers in any order",
    [CX_WHY_NO_MEMORY] = "out of memory",
    [CX_WHY_STRAGGLER] = "another device still works on what others have done",
    [CX_WHY_FOREIGN] =
        "the kernel has inline assembly, and the other devices are of another model than the fastest",
    [CX_WHY_NOT_BUILT] = "the other devices have not built the program yet",
    [CX_WHY_BUILD_FAILED] = "the other devices' compilers have refused the program",
    [CX_WHY_NO_OTHER] = "no other device can run this kernel",
    [CX_WHY_NO_VARIANT] = "the split variant cannot be built",
    [CX_WHY_VARIANT_LATER] = "the split variant is not built yet",
    [CX_WHY_GROUP_SIZE] = "no other device takes work-groups of this size",
    [CX_WHY_REFUSED] = "drivers take such work-groups in the whole launch, but not in a part of it",
    [CX_WHY_NO_ARGUMENTS] = "its arguments cannot be had on another device",
    [CX_WHY_FEEDBACK] = "split launches of late took longer than one device would have",
    [CX_WHY_OBJECTIVE] = "the other devices would cost more energy than they save (COEXEC_OBJECTIVE)",
    [CX_WHY_SVM_FINE] = "the program may touch fine-grained shared virtual memory at any time",
    [CX_WHY_SVM_POINTERS] = "it may load or keep pointers into shared virtual memory",
    [CX_WHY_SVM_BELOW] = "it may touch shared virtual memory before the pointer it is given",
    [CX_WHY_NO_THREAD] = "the system gives no thread for a device that would share it",
    [CX_WHY_NO_COPIES] = "there is no memory for the copies that a split needs",
    [CX_WHY_CHECK_CONFLICT] = "several devices changed what its work-groups share",
    [CX_WHY_CHECK_LOST] = "a device failed at its part",
    [CX_WHY_CHECK_LATER] = "of late several devices changed what its work-groups share",
    [CX_WHY_ONE_TOOK_ALL] = "one device took all of its work-groups",
    [CX_WHY_DATA] = "a split would need its data elsewhere, and moving that does not pay yet",
    [CX_WHY_MIGRATION] = "launches have lost as much as moving their data costs",
    [CX_WHY_REPRODUCIBLE] = "COEXEC_REPRODUCIBLE=1",
    [CX_WHY_SPLIT_ALWAYS] = "COEXEC_SPLIT=always",
};

const char *cx_why_text(enum cx_why why)
{
    const unsigned value = (unsigned)why;
    if (value >= CX_WHY_NO_SUMMARY)
        return cx_no_summary_reason_text((enum cx_no_summary_reason)(value - CX_WHY_NO_SUMMARY));
    if (value >= CX_WHY_STAKE)
        return cx_stake_verdict_text((enum cx_stake_verdict)(value - CX_WHY_STAKE));
    if (value >= CX_WHY_ADMISSION)
        return cx_admission_reason_text((enum cx_admission_reason)(value - CX_WHY_ADMISSION));
    if (value >= CX_WHY_MOVED)
        return cx_analysis_moved_text((enum cx_files_moved)(value - CX_WHY_MOVED));
    if (value >= CX_WHY_SUBRANGE)
        return cx_subrange_limit_text((enum cx_subrange_limit)(value - CX_WHY_SUBRANGE));
    if (value >= CX_WHY_SUMMARY)
        return cx_summary_reason_text((enum cx_summary_reason)(value - CX_WHY_SUMMARY));
    return why_texts[value];
}
