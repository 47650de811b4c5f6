/* SPDX-License-Identifier: MIT */
/*
 * Checksums of whole files and binaries: XXH3 of 128 bits, from libxxhash's header, so that no library comes
 * into the program with the driver. Tells damage and other content, not forgery; names that decide what is
 * taken for equal are SHA-256 (sha256.h). Reentrant.
 */
#ifndef CX_LAYER_BASE_CHECKSUM_H
#define CX_LAYER_BASE_CHECKSUM_H

#include <stddef.h>

enum { CX_CHECKSUM_SIZE = 16 };

/* The same on machines of either byte order. Called by disk_cache.c, program/binary_format.c and
 * source/binary_summaries.c. */
void cx_checksum(const void *data, size_t size, unsigned char sum[CX_CHECKSUM_SIZE]);

#endif
