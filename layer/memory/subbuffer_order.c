/* SPDX-License-Identifier: MIT */
/*
 * Sub-buffers in the order of their making. See subbuffer_order.h.
 *
 * Each counts the newer ones that overlap it and the older ones that it overlaps, so that its end looks at
 * others only where there are such; nor does its making where it lies outside of all others.
 */
#include "layer/memory/subbuffer_order.h"
#include "layer/timeline/worker.h"
#include "layer/base/lock.h"

#include <stdlib.h>

struct cx_window {
    struct cx_window *older, *newer;
    struct cx_window *next; /* of its object's, one a member; then of those that are to be released */
    uint64_t lo, hi;        /* of the root */
    size_t above, below;    /* newer ones that overlap it; older ones that it overlaps */
    unsigned member;
    cl_mem real;
    bool over;
};

/* Those of one member. */
struct cx_windows {
    struct cx_window *newest;
    uint64_t lo, hi; /* all lie within */
    size_t nover;    /* so many stay though they are over */
};

/* Held while drivers make and release, so that what is released then is what the newest one known here
 * allows; they call nobody back. */
static struct cx_lock lock = CX_LOCK_INIT(CX_RANK_SUBBUFFER_ORDER);

static bool order_matters(const struct cx_mem *mem, unsigned member)
{
    return mem->context->workers[member].device->type & CL_DEVICE_TYPE_GPU;
}

static bool overlap(const struct cx_window *a, const struct cx_window *b)
{
    return a->lo < b->hi && b->lo < a->hi;
}

/* Makes it the newest. */
static void add(struct cx_windows *all, struct cx_window *window)
{
    if (!all->newest)
        all->lo = all->hi = window->lo;
    if (window->lo < all->hi && all->lo < window->hi)
        for (struct cx_window *older = all->newest; older; older = older->older)
            if (overlap(older, window)) {
                older->above++;
                window->below++;
            }
    all->lo = window->lo < all->lo ? window->lo : all->lo;
    all->hi = window->hi > all->hi ? window->hi : all->hi;
    window->older = all->newest;
    if (all->newest)
        all->newest->newer = window;
    all->newest = window;
}

static void drop(struct cx_windows *all, struct cx_window *window)
{
    if (window->older)
        window->older->newer = window->newer;
    if (window->newer)
        window->newer->older = window->older;
    else
        all->newest = window->older;
    free(window);
}

/* Releases one that is over and that no newer one overlaps, then the older ones that waited for it. */
static void release(struct cx_mem *root, struct cx_window *window)
{
    struct cx_windows *all = &root->storage->windows[window->member];
    const struct cx_real_device *device = root->context->workers[window->member].device;
    window->next = NULL;
    for (struct cx_window *ready = window; ready;) {
        struct cx_window *last = ready;
        ready = last->next;
        device->cl->clReleaseMemObject(last->real);
        for (struct cx_window *older = last->older; last->below > 0; older = older->older)
            if (overlap(older, last)) {
                last->below--;
                if (--older->above == 0 && older->over) {
                    older->next = ready;
                    ready = older;
                }
            }
        all->nover--;
        drop(all, last);
    }
}

/* ---- what an object has ---- */

static void give(struct cx_mem *mem, struct cx_window *window)
{
    window->over = false;
    window->next = mem->window;
    mem->window = window;
}

/* One of the same bytes that is over but stayed; NULL: none. */
static struct cx_window *again(struct cx_windows *all, const struct cx_mem *mem)
{
    struct cx_window *window = all->nover > 0 ? all->newest : NULL;
    while (window && !(window->over && window->lo == mem->origin && window->hi == mem->origin + mem->size))
        window = window->older;
    all->nover -= window != NULL;
    return window;
}

static cl_mem create(const struct cx_mem *mem, unsigned member, cl_int *error)
{
    const cl_buffer_region region = {mem->origin, mem->size};
    return mem->context->workers[member].device->cl->clCreateSubBuffer(
        mem->root->real[member], CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, error);
}

cl_mem cx_subbuffer_order_make(struct cx_mem *mem, unsigned member, cl_int *error)
{
    struct cx_mem *root = mem->root;
    if (!order_matters(mem, member))
        return create(mem, member, error);
    struct cx_window *fresh = calloc(1, sizeof(*fresh)), *window = NULL;
    *error = CL_OUT_OF_HOST_MEMORY;
    cx_lock(&lock);
    if (!root->storage->windows)
        root->storage->windows = calloc(root->context->nmembers, sizeof(*root->storage->windows));
    struct cx_windows *all = root->storage->windows ? &root->storage->windows[member] : NULL;
    if (all && (window = again(all, mem))) {
        *error = CL_SUCCESS;
    } else if (all && fresh) {
        *fresh = (struct cx_window){.lo = mem->origin,
                                    .hi = mem->origin + mem->size,
                                    .member = member,
                                    .real = create(mem, member, error)};
        if (*error == CL_SUCCESS) {
            window = fresh;
            fresh = NULL;
            add(all, window);
        }
    }
    if (window)
        give(mem, window);
    cl_mem real = window ? window->real : NULL; /* as long as the lock is held it cannot be over again */
    cx_unlock(&lock);
    free(fresh);
    return real;
}

bool cx_subbuffer_order_over(struct cx_mem *mem, unsigned member)
{
    if (!order_matters(mem, member))
        return false;
    cx_lock(&lock);
    struct cx_window **link = &mem->window, *window;
    while (*link && (*link)->member != member)
        link = &(*link)->next;
    if ((window = *link) != NULL) {
        *link = window->next;
        window->over = true;
        mem->storage->windows[member].nover++;
        if (window->above == 0)
            release(mem->root, window);
    }
    cx_unlock(&lock);
    return window;
}

void cx_subbuffer_order_finish(struct cx_mem *root)
{
    cx_lock(&lock);
    for (unsigned m = 0; root->storage->windows && m < root->context->nmembers; m++)
        for (struct cx_window *window; (window = root->storage->windows[m].newest) != NULL;) {
            root->context->workers[m].device->cl->clReleaseMemObject(window->real);
            drop(&root->storage->windows[m], window);
        }
    free(root->storage->windows);
    root->storage->windows = NULL;
    cx_unlock(&lock);
}
