/* SPDX-License-Identifier: MIT */
/*
 * Program binaries of the virtual device, as bytes: the program's text and options, and for each kind of
 * device the real driver's binary and the access summary.
 *
 * A container begins with a mark, a version and a SHA-256 of all that follows; whatever the bytes are,
 * reading them touches nothing outside and gives either sound contents or nothing. It holds no secret and
 * keeps nothing out: whoever can write a program's binaries can make a sound one. Previous stage:
 * program_binary.c. Thread-safety: no state.
 */
#ifndef CX_LAYER_PROGRAM_BINARY_FORMAT_H
#define CX_LAYER_PROGRAM_BINARY_FORMAT_H

#include "layer/object/version.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes within a container, or the writer's own; NULL: there are none (size is then 0). */
struct cx_container_bytes {
    const unsigned char *data;
    size_t size;
};

/* What belongs to one kind of device. */
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

/* The container's bytes, free() them; NULL: no memory. Called by program_binary.c. */
unsigned char *cx_container_write(const struct cx_container *container, size_t *size);
/* Reads one; the contents point into data. false: it is none of ours, or damaged. Called by
 * program_binary.c. */
bool cx_container_read(const void *data, size_t size, struct cx_container *container);
/* Whether the bytes begin as ours do, sound or not. Called by program_binary.c. */
bool cx_container_marked(const void *data, size_t size);
/* Puts the checksum right: for tests that change a container on purpose. */
void cx_container_seal(unsigned char *data, size_t size);

#endif
