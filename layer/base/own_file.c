/* SPDX-License-Identifier: MIT */
/*
 * Descriptors that the program may close and use anew. See own_file.h.
 */
#include "layer/base/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* The same file, not as one of the three standard ones. Takes the descriptor over. */
static int move_up(int descriptor)
{
    if (descriptor < 0 || descriptor > STDERR_FILENO)
        return descriptor;
    const int higher = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), error = errno;
    close(descriptor);
    errno = error;
    return higher;
}

struct cx_own_file cx_own_file_keep(int descriptor)
{
    struct stat info;
    descriptor = move_up(descriptor);
    if (descriptor < 0)
        return CX_OWN_FILE_NONE;
    if (fstat(descriptor, &info) != 0) {
        close(descriptor);
        return CX_OWN_FILE_NONE;
    }
    return (struct cx_own_file){descriptor, info.st_dev, info.st_ino};
}

bool cx_own_file_is(const struct cx_own_file *file)
{
    struct stat info;
    return file->descriptor >= 0 && fstat(file->descriptor, &info) == 0 && info.st_dev == file->device &&
           info.st_ino == file->inode;
}

void cx_own_file_close(struct cx_own_file *file)
{
    if (cx_own_file_is(file))
        close(file->descriptor);
    *file = CX_OWN_FILE_NONE;
}
