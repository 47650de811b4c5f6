/* SPDX-License-Identifier: MIT */
/*
 * Sub-buffers in the order of their making. See window.h.
 */
#include "layer/window.h"
#include "layer/worker.h"

#include <pthread.h>
#include <stdlib.h>

struct cx_window {
    struct cx_window *older;
    uint64_t lo, hi; /* of the root */
    unsigned member;
    cl_mem real;
    bool over;
};

/* Held while drivers release, so that no other thread comes in between; they call nobody back. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool order_matters(const struct cx_mem *mem, unsigned member)
{
    return mem->context->workers[member].device->type & CL_DEVICE_TYPE_GPU;
}

bool cx_window_made(const struct cx_mem *mem, unsigned member, cl_mem real)
{
    if (!order_matters(mem, member))
        return true;
    struct cx_window *window = malloc(sizeof(*window));
    if (!window)
        return false;
    pthread_mutex_lock(&lock);
    *window =
        (struct cx_window){mem->root->windows, mem->origin, mem->origin + mem->size, member, real, false};
    mem->root->windows = window;
    pthread_mutex_unlock(&lock);
    return true;
}

/* Whether a newer sub-buffer, this side of `window`, overlaps it. */
static bool is_under(const struct cx_window *newer, const struct cx_window *window)
{
    for (; newer != window; newer = newer->older)
        if (newer->member == window->member && newer->lo < window->hi && window->lo < newer->hi)
            return true;
    return false;
}

/* Newest first. */
static void release_some(struct cx_mem *root)
{
    struct cx_window **link = &root->windows;
    while (*link) {
        struct cx_window *window = *link;
        if (!window->over || is_under(root->windows, window)) {
            link = &window->older;
            continue;
        }
        root->context->workers[window->member].device->cl->clReleaseMemObject(window->real);
        *link = window->older;
        free(window);
    }
}

bool cx_window_over(const struct cx_mem *mem, unsigned member, cl_mem real)
{
    bool found = false;
    if (!order_matters(mem, member))
        return false;
    pthread_mutex_lock(&lock);
    for (struct cx_window *window = mem->root->windows; window && !found; window = window->older)
        if (window->member == member && window->real == real && !window->over)
            window->over = found = true;
    if (found)
        release_some(mem->root);
    pthread_mutex_unlock(&lock);
    return found;
}

void cx_windows_finish(struct cx_mem *root)
{
    pthread_mutex_lock(&lock);
    for (struct cx_window *window = root->windows; window; window = window->older)
        window->over = true;
    release_some(root);
    pthread_mutex_unlock(&lock);
}
