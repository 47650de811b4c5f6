/* SPDX-License-Identifier: MIT */
/*
 * What former processes learned of devices' powers, kept in the knowledge base's folder: a small file of text
 * `powers.HASH` a device, by its source and, for CPU devices, by its number of so many. As COEXEC_KNOWLEDGE
 * says they are read, or written as well. Thread-safe. Previous stage: windows.h. Next: sampler.h.
 */
#ifndef CX_LAYER_POWER_RECORD_H
#define CX_LAYER_POWER_RECORD_H

#include "layer/power/windows.h"

#define CX_POWER_RECORD_FILES "powers." /* how the files' names begin */

/* Static and dynamic watts, and the error of the static ones (0: not told). Called by sampler.c. */
struct cx_power_pair {
    double fixed, dynamic, error;
};

/* A file's contents. Called by tools/knowledge_files.c. */
struct cx_power_record {
    char kind[16], name[96]; /* of the source */
    char place[64];          /* of the device: on the bus, or "0 of 2" for a CPU device; "": not told */
    struct cx_power_pair powers;
};

/* False: nothing is known. index, cpus: of a CPU device its index, and how many there are; source is then the
 * first package, and cpus 0 for other devices. Called by sampler.c. */
bool cx_power_record_load(const struct cx_power_source *source, unsigned index, unsigned cpus,
                          struct cx_power_pair *powers);
/* False: not stored, as COEXEC_KNOWLEDGE or the folder does not allow it. Called by sampler.c and
 * tools/coexec_calibrate.c. */
bool cx_power_record_store(const struct cx_power_source *source, unsigned index, unsigned cpus,
                           const struct cx_power_pair *powers);
/* Reads one of the files of the folder (cx_knowledge_folder). False: it is damaged, or not ours. Called by
 * record.c and tools/knowledge_files.c. */
bool cx_power_record_read(const char *folder, const char *file, struct cx_power_record *record);

#endif
