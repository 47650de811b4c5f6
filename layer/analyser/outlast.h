/* SPDX-License-Identifier: MIT */
/*
 * An analysis that outlasts the program it was made for. The layer tells by SIGUSR1, the kernel does when the
 * program is killed: nobody will fetch the result, so it goes to the layer's cache for the next run, and the
 * run's folder is removed. Next: layer/base/disk_cache.h. One per process.
 */
#ifndef CX_LAYER_ANALYSER_OUTLAST_H
#define CX_LAYER_ANALYSER_OUTLAST_H

struct cx_outlast {
    long process;                        /* the program's */
    const char *cache_path;              /* the result's place in the cache */
    const char *source, *replies, *text; /* files of this run, the last two may be NULL */
    const char *blob;                    /* its product */
};

/* From now on the process is told, and ends CX_OUTLAST_SECONDS after that at the latest, its folder removed.
 * The struct must last. Called by main.c. */
enum { CX_OUTLAST_SECONDS = 5 };
void cx_outlast_begin(const struct cx_outlast *run);
/* The product is there, where `done`. Keeps it and removes the folder, if the program has ended. Called by
 * main.c. */
void cx_outlast_end(int done);

#endif
