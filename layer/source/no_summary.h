/* SPDX-License-Identifier: MIT */
/*
 * Why there is no access summary of a program or kernel, or none that two members share. Previous:
 * analysis.h, which finds it. Next: plan/why.h, which shows it. Pure; thread-safe.
 */
#ifndef CX_LAYER_SOURCE_NO_SUMMARY_H
#define CX_LAYER_SOURCE_NO_SUMMARY_H

enum cx_no_summary_reason {
    CX_NO_SUMMARY_UNKNOWN,
    CX_NO_SUMMARY_REPORTED, /* the analyser says why in words of its own (cx_no_summary.report) */
    CX_NO_SUMMARY_OFF,
    CX_NO_SUMMARY_NO_ANALYSER,
    CX_NO_SUMMARY_NO_MEMORY,
    CX_NO_SUMMARY_RUNNING,
    CX_NO_SUMMARY_OTHER_RUNNING, /* of another member */
    CX_NO_SUMMARY_MACROS_DIFFER, /* two members have one each */
    CX_NO_SUMMARY_ONE_DEVICE,    /* of a program, up to LINKED ... */
    CX_NO_SUMMARY_NOT_BUILT,
    CX_NO_SUMMARY_BINARY,
    CX_NO_SUMMARY_IL,
    CX_NO_SUMMARY_BUILTINS,
    CX_NO_SUMMARY_LINKED,
    CX_NO_SUMMARY_NO_KERNEL, /* of a kernel */
    CX_NO_SUMMARY_ARGUMENTS,
    CX_NO_SUMMARY_NO_DEVICE,
    CX_NO_SUMMARY_REASONS
};

struct cx_no_summary {
    enum cx_no_summary_reason reason;
    const char *report; /* REPORTED: lives as long as the analysis; else NULL */
};

/* A phrase that completes "runs whole: ..."; "" for REPORTED. Called by plan/why.c. */
const char *cx_no_summary_reason_text(enum cx_no_summary_reason reason);
/* The same, with what the analyser reported. Called by program/variant.c. */
const char *cx_no_summary_text(const struct cx_no_summary *why);

#endif
