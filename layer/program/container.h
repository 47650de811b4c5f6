/* SPDX-License-Identifier: MIT */
/*
 * The format of program binaries of the virtual device, a container: the program's text and options, and for
 * each kind of device the real driver's binary and the access summary. A container begins with a mark, a
 * version and a SHA-256 of all that follows. Reading checks everything: it accesses no byte outside, and
 * gives either sound contents or nothing. The hash is no protection against forgery: anybody can make a sound
 * container. Previous stage: program_binary.c. Thread-safety: no state.
 */
#ifndef CX_LAYER_PROGRAM_CONTAINER_H
#define CX_LAYER_PROGRAM_CONTAINER_H

#include "layer/object/version.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes within a container, or of the writer; NULL: there are none (size is then 0). */
struct cx_container_bytes {
    const unsigned char *data;
    size_t size;
};

/* The contents for one kind of device. */
struct cx_container_part {
    struct cx_container_bytes device;  /* text that names device and driver with their versions */
    struct cx_container_bytes binary;  /* the driver's */
    struct cx_container_bytes summary; /* the analyser's blob (summary.h) */
    struct cx_container_bytes text;    /* hash of the text that was analysed */
};

enum { CX_CONTAINER_PARTS = 64 }; /* at most */

struct cx_container {
    uint32_t type; /* cl_program_binary_type */
    struct cx_container_bytes source, options;
    unsigned nparts;
    struct cx_container_part part[CX_CONTAINER_PARTS];
};

/* Makes a container's bytes, which the caller frees. NULL: no memory. Called by program_binary.c. */
unsigned char *cx_container_write(const struct cx_container *container, size_t *size);
/* Reads a container; the contents point into data. False: it is no container, or damaged. Called by
 * program_binary.c. */
bool cx_container_read(const void *data, size_t size, struct cx_container *container);
/* Whether the bytes begin with a container's mark, sound or not. Called by program_binary.c. */
bool cx_container_marked(const void *data, size_t size);
/* Corrects the hash. Used by tests that change a container. */
void cx_container_seal(unsigned char *data, size_t size);

#endif
