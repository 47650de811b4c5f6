/* SPDX-License-Identifier: MIT */
/* Commands of test_mixed.c other than launches: one at random, or none. */
#ifndef CX_TESTS_LAYER_MIXED_TRANSFERS_H
#define CX_TESTS_LAYER_MIXED_TRANSFERS_H

#include "mixed_world.h"

void transfer_bytes(void);
void transfer_texels(void);

#endif
