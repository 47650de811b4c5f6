/* SPDX-License-Identifier: MIT */
/*
 * A power source: something that counts joules or tells watts, of one device or of one CPU package. Each kind
 * is one file with one const struct cx_power_kind; one more is a file and a line in the table of source.c,
 * and nothing else knows of it. Looking for sources opens libraries and reads folders; nothing does before a
 * meter is made (meter.h), which is where what they tell becomes figures with errors.
 *
 * A source tells of the machine, not of the process: it counts what others do there, too.
 *
 * Thread-safety: one thread at a time uses the sources of one list. Nothing of them is ever closed, but the
 * lists are freed by cx_power_sources_finish.
 */
#ifndef CX_LAYER_POWER_SOURCE_H
#define CX_LAYER_POWER_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CX_POWER_SOURCES = 64,
    CX_POWER_NOTES = 8,
    CX_POWER_TEXT = 160,
};

enum cx_power_part { CX_POWER_PACKAGE /* the CPU's, with all its cores */, CX_POWER_DEVICE };

struct cx_power_source {
    const struct cx_power_kind *kind;
    char name[96];             /* "package-0", "NVIDIA H100 80GB HBM3" */
    char place[CX_POWER_TEXT]; /* where it is read, for messages: a folder or a library */
    enum cx_power_part part;
    char pci[16]; /* "0000:0a:00.0"; "": none */
    bool has_uuid;
    uint8_t uuid[16];
    double wrap_joules;   /* the counter begins anew there; 0: it does not */
    double step_seconds;  /* what it tells is so old at most */
    bool counts, gauges;  /* what it has: a counter of joules, an instantaneous power */
    bool count_is_costly; /* read the counter at the ends of windows only, and the power between */
    void *handle;         /* the kind's own */
};

struct cx_power_sources {
    unsigned n;
    struct cx_power_source source[CX_POWER_SOURCES];
    unsigned nnotes; /* what there is but cannot be used, and the remedy */
    char note[CX_POWER_NOTES][2 * CX_POWER_TEXT];
};

/* A kind of source. find adds what this machine has to the list, and a note for what cannot be used. count
 * and watts read it; false: it cannot be read, now or any more. */
struct cx_power_kind {
    const char *name;
    void (*find)(struct cx_power_sources *all);
    bool (*count)(const struct cx_power_source *source, double *joules);
    bool (*watts)(const struct cx_power_source *source, double *watts);
};

extern const struct cx_power_kind cx_power_rapl;
extern const struct cx_power_kind cx_power_nvml;
extern const struct cx_power_kind cx_power_hwmon;

/* Fills the list with all sources of the machine, packages first. Called by meter.c. */
void cx_power_sources_find(struct cx_power_sources *all);

/* The source of a device with that place on the PCI bus ("" or NULL: not known) or that UUID (NULL: not
 * known). NULL: none. */
const struct cx_power_source *cx_power_source_of(const struct cx_power_sources *all, const char *pci,
                                                 const uint8_t *uuid);

/* For kinds: one more source, zeroed but for the kind; NULL: the list is full. Called by rapl.c, nvml.c and
 * hwmon.c. */
struct cx_power_source *cx_power_source_add(struct cx_power_sources *all, const struct cx_power_kind *kind);
/* ... and one more note, formatted as by printf. One that is there already is not added again.
 * rapl.c, nvml.c and hwmon.c. */
void cx_power_note(struct cx_power_sources *all, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
