/* SPDX-License-Identifier: MIT */
/*
 * Files of ours that stay open for long. A program may close all descriptors that it does not know, as
 * daemons do, and then open files of its own, which get our numbers: so each use asks first whether it is
 * still our file. Nor do we keep one as standard input, output or error where the program was started
 * without: what it prints would come there. Thread-safe.
 */
#ifndef CX_LAYER_BASE_OWN_FILE_H
#define CX_LAYER_BASE_OWN_FILE_H

#include <stdbool.h>
#include <sys/types.h>

struct cx_own_file {
    int descriptor; /* -1: none */
    dev_t device;
    ino_t inode;
};

#define CX_OWN_FILE_NONE                                                                                     \
    (struct cx_own_file)                                                                                     \
    {                                                                                                        \
        .descriptor = -1                                                                                     \
    }

/* Takes an open descriptor over; -1, too. None, and errno says why, if it cannot be kept. Called by log.c,
 * subprocess.c, report/live.c, report/recording.c and report/trace.c. */
struct cx_own_file cx_own_file_keep(int descriptor);
/* Whether there is one, and it is still ours. Called by those, and by exit_guard.c. */
bool cx_own_file_is(const struct cx_own_file *file);
/* Closes it if it is still ours. Called by subprocess.c. */
void cx_own_file_close(struct cx_own_file *file);

#endif
