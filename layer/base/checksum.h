/* SPDX-License-Identifier: MIT */
/*
 * Checksums of whole files and binaries: XXH3 of 128 bits, from libxxhash's header, so that the driver loads
 * no further library into the program. A checksum detects damage and different content, not forgery. Where
 * equal names must mean equal contents, SHA-256 is used (sha256.h). Reentrant.
 */
#ifndef CX_LAYER_BASE_CHECKSUM_H
#define CX_LAYER_BASE_CHECKSUM_H

#include <stddef.h>

enum { CX_CHECKSUM_SIZE = 16 };

/* Computes the checksum. It does not depend on the byte order of the machine. Called by disk_cache.c,
 * program/container.c and source/binary_summaries.c. */
void cx_checksum(const void *data, size_t size, unsigned char sum[CX_CHECKSUM_SIZE]);

#endif
