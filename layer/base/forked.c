/* SPDX-License-Identifier: MIT */
/*
 * Detects children made by fork(). See forked.h.
 */
#include "layer/base/forked.h"

#include <pthread.h>
#include <stddef.h>

bool cx_forked;

static void in_child(void)
{
    cx_forked = true;
}

void cx_forked_refuse(void)
{
    pthread_atfork(NULL, NULL, in_child);
}
