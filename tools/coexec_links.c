/* SPDX-License-Identifier: MIT */
/*
 * Measuring links. See coexec_links.h. One context a device, as the layer has it; each figure is the best of
 * a few transfers that are waited for, the first of which does not count.
 */
#include "tools/coexec_links_inside.h"
#include "layer/timeline/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 4 };

static double rate(size_t bytes, uint64_t ns)
{
    return ns ? (double)bytes / (double)ns : 0;
}

/* The best of several transfers between the device and host memory; 0 where one fails. */
static double measure(const struct cx_end *end, void *host, size_t bytes, bool in)
{
    const cl_icd_dispatch *cl = end->device->cl;
    uint64_t best = UINT64_MAX;
    for (unsigned i = 0; i < TRIES; i++) {
        const uint64_t start = cx_clock_ns();
        cl_int error =
            in ? cl->clEnqueueWriteBuffer(end->queue, end->own, CL_FALSE, 0, bytes, host, 0, NULL, NULL)
               : cl->clEnqueueReadBuffer(end->queue, end->own, CL_FALSE, 0, bytes, host, 0, NULL, NULL);
        if (error != CL_SUCCESS || cl->clFinish(end->queue) != CL_SUCCESS)
            return 0;
        const uint64_t ns = cx_clock_ns() - start;
        best = i > 0 && ns < best ? ns : best;
    }
    return rate(bytes, best);
}

static double measure_in_place(const struct cx_end *end, size_t bytes)
{
    const cl_icd_dispatch *cl = end->device->cl;
    uint64_t best = UINT64_MAX;
    for (unsigned i = 0; i < TRIES && end->own && end->other; i++) {
        const uint64_t start = cx_clock_ns();
        if (cl->clEnqueueCopyBuffer(end->queue, end->own, end->other, 0, 0, bytes, 0, NULL, NULL) !=
                CL_SUCCESS ||
            cl->clFinish(end->queue) != CL_SUCCESS)
            return 0;
        const uint64_t ns = cx_clock_ns() - start;
        best = i > 0 && ns < best ? ns : best;
    }
    return best == UINT64_MAX ? 0 : rate(bytes, best);
}

/* From one device's memory to the pinned host copy and on to the other's, as the layer does it. */
static double measure_between(const struct cx_end *from, const struct cx_end *to, size_t bytes)
{
    uint64_t best = UINT64_MAX;
    void *host = atomic_load(&from->pages->pinned) ? from->pages->memory : to->pages->memory;
    if (from->device->probe.in_place && to->device->probe.in_place)
        return 0;
    for (unsigned i = 0; i < TRIES; i++) {
        const uint64_t start = cx_clock_ns();
        cl_int error = CL_SUCCESS;
        if (!from->device->probe.in_place)
            error = from->device->cl->clEnqueueReadBuffer(from->queue, from->own, CL_TRUE, 0, bytes, host, 0,
                                                          NULL, NULL);
        if (error == CL_SUCCESS && !to->device->probe.in_place)
            error = to->device->cl->clEnqueueWriteBuffer(to->queue, to->own, CL_TRUE, 0, bytes, host, 0, NULL,
                                                         NULL);
        if (error != CL_SUCCESS)
            return 0;
        const uint64_t ns = cx_clock_ns() - start;
        best = i > 0 && ns < best ? ns : best;
    }
    return rate(bytes, best);
}

static cl_mem over(const struct cx_end *end, void *host, size_t bytes)
{
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (host ? CL_MEM_USE_HOST_PTR : 0);
    cl_int error;
    cl_mem mem = end->device->cl->clCreateBuffer(end->context, flags, bytes, host, &error);
    return error == CL_SUCCESS ? mem : NULL;
}

/* False: out of host memory. What a driver refuses leaves zeros. */
static bool open_end(struct cx_end *end, const struct cx_real_device *device, size_t bytes)
{
    const cl_icd_dispatch *cl = device->cl;
    cl_int error;
    bool again;
    *end = (struct cx_end){.device = device};
    end->pages = cx_pinned_pool_take(&end->pool, bytes, true);
    end->plain = malloc(bytes);
    if (!end->pages || !end->plain)
        return false;
    memset(end->pages->memory, 1, bytes);
    memset(end->plain, 2, bytes);
    end->context = cl->clCreateContext(NULL, 1, &device->id, NULL, NULL, &error);
    if (error != CL_SUCCESS) {
        end->context = NULL;
        return true;
    }
    end->queue = cl->clCreateCommandQueue(end->context, device->id, 0, &error);
    if (error != CL_SUCCESS) {
        end->queue = NULL;
        return true;
    }
    end->own = over(end, device->probe.in_place ? end->pages->memory : NULL, bytes);
    if (device->probe.in_place)
        end->other = over(end, end->plain, bytes);
    else
        cx_pinned_pool_pin(end->pages, end->context, device, &again);
    return true;
}

static void close_end(struct cx_end *end)
{
    const cl_icd_dispatch *cl = end->device ? end->device->cl : NULL;
    cx_pinned_pool_give(&end->pool, &end->pages);
    cx_pinned_pool_finish(&end->pool);
    if (end->own)
        cl->clReleaseMemObject(end->own);
    if (end->other)
        cl->clReleaseMemObject(end->other);
    if (end->queue)
        cl->clReleaseCommandQueue(end->queue);
    if (end->context)
        cl->clReleaseContext(end->context);
    free(end->plain);
}

bool cx_links_measure(struct cx_links *links, const struct cx_machine *machine, size_t bytes)
{
    const unsigned n = machine->nused;
    struct cx_end *ends = calloc(n + 1u, sizeof(*ends));
    *links = (struct cx_links){.n = n, .bytes = bytes};
    links->host = calloc(n + 1u, sizeof(*links->host));
    links->between = calloc((size_t)n * n + 1, sizeof(*links->between));
    links->peer = calloc((size_t)n * n + 1, sizeof(*links->peer));
    links->peer_us = calloc((size_t)n * n + 1, sizeof(*links->peer_us));
    links->queue = calloc((size_t)n * n + 1, sizeof(*links->queue));
    links->queue_us = calloc((size_t)n * n + 1, sizeof(*links->queue_us));
    bool ok = ends && links->host && links->between && links->peer && links->peer_us && links->queue &&
              links->queue_us;
    for (unsigned d = 0; d < n; d++)
        if (machine->used[d]->limits.max_alloc < links->bytes)
            links->bytes = (size_t)machine->used[d]->limits.max_alloc;
    for (unsigned d = 0; d < n && ok; d++)
        ok = open_end(&ends[d], machine->used[d], links->bytes);
    for (unsigned d = 0; d < n && ok; d++) {
        struct cx_host_link *host = &links->host[d];
        const struct cx_end *end = &ends[d];
        if (!end->own)
            continue;
        host->pageable_in = measure(end, end->plain, links->bytes, true);
        host->pageable_out = measure(end, end->plain, links->bytes, false);
        if (atomic_load(&end->pages->pinned)) {
            host->pinned_in = measure(end, end->pages->memory, links->bytes, true);
            host->pinned_out = measure(end, end->pages->memory, links->bytes, false);
        }
        host->in_place = measure_in_place(end, links->bytes);
    }
    for (unsigned from = 0; from < n && ok; from++)
        for (unsigned to = 0; to < n; to++)
            if (from != to && ends[from].own && ends[to].own)
                links->between[from * n + to] = measure_between(&ends[from], &ends[to], links->bytes);
    ok = ok && cx_links_measure_peers(links, ends);
    for (unsigned d = 0; ends && d < n; d++)
        close_end(&ends[d]);
    free(ends);
    return ok;
}

void cx_links_finish(struct cx_links *links)
{
    free(links->host);
    free(links->between);
    free(links->peer);
    free(links->peer_us);
    free(links->queue);
    free(links->queue_us);
    *links = (struct cx_links){0};
}

static void print_rate(double gbs)
{
    if (gbs > 0)
        printf(" %8.1f", gbs);
    else
        printf(" %8s", "-");
}

static void print_matrix(const char *title, const struct cx_links *links, const double *figures,
                         const struct cx_machine *machine)
{
    printf("  %s\n  %6s  ", title, "");
    for (unsigned to = 0; to < links->n; to++)
        printf(" %8u", machine->used[to]->index);
    puts("");
    for (unsigned from = 0; from < links->n; from++) {
        printf("  %6u  ", machine->used[from]->index);
        for (unsigned to = 0; to < links->n; to++)
            print_rate(figures[from * links->n + to]);
        puts("");
    }
}

void cx_links_print(const struct cx_links *links, const struct cx_machine *machine)
{
    printf("\nLinks, GB/s, %.0f MB at a time\n", (double)links->bytes / 1e6);
    puts("  device   pageable in and out  pinned in and out  in place");
    for (unsigned d = 0; d < links->n; d++) {
        const struct cx_host_link *host = &links->host[d];
        printf("  %6u  ", machine->used[d]->index);
        print_rate(host->pageable_in);
        print_rate(host->pageable_out);
        print_rate(host->pinned_in);
        print_rate(host->pinned_out);
        print_rate(host->in_place);
        puts("");
    }
    if (links->n < 2)
        return;
    print_matrix("from a device to another, through the host copy (-: they share it)", links, links->between,
                 machine);
    if (!links->peers)
        return;
    print_matrix("from a device's memory to another's directly (-: it does not reach it)", links, links->peer,
                 machine);
    print_matrix("the same by an OpenCL queue that sees the other's memory", links, links->queue, machine);
    print_matrix("directly, 64 KB and its end, in microseconds", links, links->peer_us, machine);
    print_matrix("by an OpenCL queue, 64 KB and its end, in microseconds", links, links->queue_us, machine);
}
