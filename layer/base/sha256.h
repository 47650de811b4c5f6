/* SPDX-License-Identifier: MIT */
/*
 * SHA-256 (FIPS 180-4). Our own since the driver is loaded into programs of all kinds and should bring no
 * library with it that they might have in another version. Reentrant.
 */
#ifndef CX_LAYER_BASE_SHA256_H
#define CX_LAYER_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct cx_sha256 {
    uint32_t state[8];
    uint64_t length; /* bytes so far */
    unsigned char block[64];
};

/* Hash data piece by piece: init, add any number of times, end. Called by analyser/, api/, program/, source/
 * and disk_cache.c. */
void cx_sha256_init(struct cx_sha256 *hash);
void cx_sha256_add(struct cx_sha256 *hash, const void *data, size_t size);
void cx_sha256_end(struct cx_sha256 *hash, unsigned char digest[32]);

#endif
