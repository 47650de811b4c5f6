/* SPDX-License-Identifier: MIT */
/* See late_events.h. */
#include "late_events.h"
#include "cl_fixture.h"
#include <pthread.h>
#include <unistd.h>

enum { ROOM = 1024 };

static struct {
    pthread_mutex_t lock;
    pthread_t thread;
    cl_event event[ROOM];
    unsigned count, done;
    bool over;
} late = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *complete(void *unused)
{
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&late.lock);
        cl_event event = late.done < late.count ? late.event[late.done++] : NULL;
        bool over = late.over;
        pthread_mutex_unlock(&late.lock);
        if (event)
            clSetUserEventStatus(event, CL_COMPLETE);
        else if (over)
            return NULL;
        usleep(200);
    }
}

void late_start(void)
{
    ck_assert_int_eq(pthread_create(&late.thread, NULL, complete, NULL), 0);
}

void late_add(cl_event event)
{
    pthread_mutex_lock(&late.lock);
    ck_assert_uint_lt(late.count, ROOM);
    late.event[late.count++] = event;
    pthread_mutex_unlock(&late.lock);
}

void late_stop(void)
{
    pthread_mutex_lock(&late.lock);
    late.over = true;
    pthread_mutex_unlock(&late.lock);
    pthread_join(late.thread, NULL);
}
