/* SPDX-License-Identifier: MIT */
#include "layer/analyser/outlast.h"
#include "layer/analyser/map.h"
#include "layer/source/compiler_macros.h"
#include "layer/base/disk_cache.h"
#include "layer/base/plain_file.h"
#include "layer/base/sha256.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static const struct cx_outlast *run;
static char folder[512], draft[512]; /* draft: of the product while it is written */
static volatile sig_atomic_t left;

/* Only calls that a signal's handler may make. */
static void remove_files(void)
{
    unlink(run->source);
    unlink(run->blob);
    unlink(draft);
    if (run->replies) {
        unlink(run->replies);
    }
    if (run->text) {
        unlink(run->text);
    }
    rmdir(folder);
}

static void note_end(int signal)
{
    (void)signal;
    left = 1;
    alarm(CX_OUTLAST_SECONDS);
}

/* The children end with us. */
static void give_up(int signal)
{
    remove_files();
    _exit(128 + signal);
}

void cx_outlast_begin(const struct cx_outlast *given)
{
    const struct sigaction end = {.sa_handler = note_end, .sa_flags = SA_RESTART};
    const char *slash = strrchr(given->source, '/');
    sigset_t replies;

    if (!slash || (size_t)(slash - given->source) >= sizeof(folder)) {
        return;
    }
    run = given;
    snprintf(folder, sizeof(folder), "%.*s", (int)(slash - given->source), given->source);
    snprintf(draft, sizeof(draft), "%s.%ld", given->blob, (long)getpid());
    signal(SIGPIPE, SIG_IGN); /* nobody may read our errors */
    signal(SIGALRM, give_up);
    sigaction(SIGUSR1, &end, NULL);
    prctl(PR_SET_PDEATHSIG, SIGUSR1);
    sigemptyset(&replies);
    sigaddset(&replies, SIGUSR1);
    sigprocmask(SIG_UNBLOCK, &replies, NULL);            /* the layer starts us with it blocked */
    if (given->process && getppid() != given->process) { /* it was killed before we could ask to be told */
        raise(SIGUSR1);
    }
}

static bool begins_with(const char *data, size_t size, const char *text)
{
    return size > strlen(text) && !memcmp(data, text, strlen(text));
}

/* What the layer keeps: a doubt as it is, a summary with its text's hash. */
static void keep(void)
{
    unsigned char digest[CX_DISK_CACHE_TEXT_SIZE] = {0};
    struct cx_sha256 hash;
    size_t size = 0, length = 0;
    char *data = cx_plain_file_read(run->blob, &size),
         *text = run->text ? cx_plain_file_read(run->text, &length) : NULL;
    char *place = strdup(run->cache_path), *key = place ? strrchr(place, '/') : NULL;

    if (data && key) {
        *key++ = 0;
        if (begins_with(data, size, CX_MACRO_QUESTION "\n") ||
            begins_with(data, size, CX_MACRO_REFUSAL "\n")) {
            cx_disk_cache_store(place, key, data, size);
        } else if (text || !run->text) { /* else it is not comparable, and may be next time */
            if (text) {
                cx_sha256_init(&hash);
                cx_sha256_add(&hash, text, length);
                cx_sha256_end(&hash, digest);
            }
            cx_disk_cache_store_result(place, key, data, size, digest);
        }
    }
    free(place);
    free(text);
    free(data);
}

void cx_outlast_end(int done)
{
    if (!run || !left) {
        return;
    }
    if (done) {
        keep();
    }
    remove_files();
}
