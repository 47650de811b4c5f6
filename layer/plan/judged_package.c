/* SPDX-License-Identifier: MIT */
/*
 * Regions of packages that are kept. See judged_package.h.
 */
#include "layer/plan/judged_package.h"
#include "layer/access/access.h"
#include "layer/base/log.h"
#include "layer/plan/kernel_history.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* One argument's region, of which boxes are kept as many as there are, behind it. */
struct kept_region {
    struct cx_access_interval read, write;
    unsigned nread, nwrite;
};

static size_t bytes_of(const struct cx_access_region *regions, unsigned nargs)
{
    size_t bytes = nargs * sizeof(struct kept_region);
    for (unsigned i = 0; i < nargs; i++)
        bytes += (size_t)(regions[i].nread + regions[i].nwrite) * sizeof(struct cx_access_box);
    return bytes;
}

/* In the order of memory: all regions, then the boxes of each. */
static struct kept_region *keep(const struct cx_access_region *regions, unsigned nargs)
{
    struct kept_region *kept = malloc(bytes_of(regions, nargs) + 1);
    struct cx_access_box *box = kept ? (void *)(kept + nargs) : NULL;
    for (unsigned i = 0; i < nargs && kept; i++) {
        const struct cx_access_region *region = &regions[i];
        kept[i] = (struct kept_region){region->read, region->write, region->nread, region->nwrite};
        memcpy(box, region->read_box, region->nread * sizeof(*box));
        memcpy(box + region->nread, region->write_box, region->nwrite * sizeof(*box));
        box += region->nread + region->nwrite;
    }
    return kept;
}

static void give(const struct kept_region *kept, unsigned nargs, struct cx_access_region *regions)
{
    const struct cx_access_box *box = (const void *)(kept + nargs);
    for (unsigned i = 0; i < nargs; i++) {
        struct cx_access_region *region = &regions[i];
        region->read = kept[i].read;
        region->write = kept[i].write;
        region->nread = kept[i].nread;
        region->nwrite = kept[i].nwrite;
        memcpy(region->read_box, box, region->nread * sizeof(*box));
        memcpy(region->write_box, box + region->nread, region->nwrite * sizeof(*box));
        box += region->nread + region->nwrite;
    }
}

void cx_judged_package(struct cx_cached_verdict *judged, uint64_t first, uint64_t end, unsigned nargs,
                       struct cx_access_region *regions)
{
    for (unsigned i = 0; i < CX_KEPT_PACKAGES; i++) {
        const struct cx_kept_package *package = &judged->package[i];
        if (!package->regions || package->first != first || package->end != end)
            continue;
        give(package->regions, nargs, regions);
        return;
    }
    cx_access_package(judged->access, first, end, regions);
    struct cx_kept_package *package = &judged->package[judged->npackages++ % CX_KEPT_PACKAGES];
    free(package->regions);
    *package = (struct cx_kept_package){first, end, keep(regions, nargs)};
    cx_debug(CX_TOPIC_PLAN, "worked out what work-groups %llu to %llu of %llu touch",
             (unsigned long long)first, (unsigned long long)end, (unsigned long long)judged->verdict.groups);
}

void cx_judged_whole(struct cx_cached_verdict *judged, unsigned nargs, struct cx_access_region *regions)
{
    cx_judged_package(judged, 0, judged->verdict.groups, nargs, regions);
}

void cx_judged_package_forget(struct cx_cached_verdict *judged)
{
    for (unsigned i = 0; i < CX_KEPT_PACKAGES; i++)
        free(judged->package[i].regions);
}
