/* SPDX-License-Identifier: MIT */
#include "apart.h"
#include "layer/access/access_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PACKAGES = 7, CUTS = 3 };

/* One cut of a launch. */
struct cut {
    struct cx_access *access;
    uint32_t narg;
    const struct cx_access_arg *args;
    const struct cx_access_verdict *verdict;
    uint64_t border[MOST_PACKAGES + 1]; /* in work-groups */
    unsigned packages;
    struct cx_access_region *regions; /* by package and argument */
    unsigned char *owner;             /* by byte of the object: package + 1; 0: none */
    apart_changes *changes;
    void *context;
    char *why;
    size_t size;
};

static uint64_t bytes_of_object(const struct cut *c, uint64_t object)
{
    uint64_t most = 0;

    for (uint32_t i = 0; i < c->narg; i++) {
        const uint64_t end = c->args[i].base + c->args[i].bytes;
        most = c->args[i].object == object && end > most ? end : most;
    }
    return most;
}

/* Bytes [lo, hi) of the argument, of which the package is the owner, or which it reads. */
static bool take(struct cut *c, uint32_t arg, unsigned package, uint64_t lo, uint64_t hi, bool write)
{
    for (uint64_t b = lo; b < hi; b++) {
        const uint64_t byte = c->args[arg].base + b, object = c->args[arg].object;
        unsigned char *owner = &c->owner[byte];
        const uint64_t *from = &c->border[*owner ? *owner - 1 : 0], *own = &c->border[package];
        if (*owner && *owner != package + 1 &&
            (write || c->changes(c->context, object, byte, from[0], from[1]))) {
            snprintf(c->why, c->size, "argument %u byte %llu: groups %llu..%llu %s what %llu..%llu %s", arg,
                     (unsigned long long)b, (unsigned long long)own[0], (unsigned long long)own[1],
                     write ? "own" : "are said to read", (unsigned long long)from[0],
                     (unsigned long long)from[1], write ? "own" : "change");
            return false;
        }
        *owner = write ? (unsigned char)(package + 1) : *owner;
    }
    return true;
}

static bool take_region(struct cut *c, uint32_t arg, unsigned package, bool write)
{
    const struct cx_access_region *region = &c->regions[package * c->narg + arg];
    const struct cx_access_interval *whole = write ? &region->write : &region->read;
    const struct cx_access_box *box = write ? region->write_box : region->read_box;
    const unsigned n = write ? region->nwrite : region->nread;
    bool good = n > 0 || take(c, arg, package, whole->lo, whole->hi, write);

    for (unsigned i = 0; i < n; i++) {
        for (uint64_t row = 0; good && row < box[i].count[0] * box[i].count[1]; row++) {
            const uint64_t at = box[i].lo + row % box[i].count[0] * box[i].stride[0] +
                                row / box[i].count[0] * box[i].stride[1];
            good = take(c, arg, package, at, at + box[i].len, write);
        }
    }
    return good;
}

/* Where a package's region says that nobody else writes between its boxes: nobody else owns a byte there. */
static bool check_gaps(struct cut *c, uint32_t arg, unsigned package)
{
    const struct cx_access_interval *write = &c->regions[package * c->narg + arg].write;

    for (uint64_t b = write->lo; write->apart && b < write->hi; b++) {
        const unsigned char owner = c->owner[c->args[arg].base + b];
        if (owner && owner != package + 1) {
            snprintf(c->why, c->size,
                     "argument %u byte %llu: groups %llu..%llu are said to have it for themselves", arg,
                     (unsigned long long)b, (unsigned long long)c->border[package],
                     (unsigned long long)c->border[package + 1]);
            return false;
        }
    }
    return true;
}

static bool check_object(struct cut *c, uint64_t object)
{
    const struct cx_access_means *means = cx_access_means(c->access);
    bool good = true;

    c->owner = calloc(bytes_of_object(c, object) + 1, 1);
    for (unsigned writes = 2; writes-- > 0;) {
        for (uint32_t i = 0; i < c->narg; i++) {
            const bool own =
                means[i].protocol == CX_PROTOCOL_EXCLUSIVE && (writes || (c->changes && !means[i].before));
            for (unsigned p = 0; p < c->packages && good && own && c->args[i].object == object; p++) {
                good = take_region(c, i, p, writes);
            }
        }
        for (uint32_t i = 0; i < c->narg && writes; i++) {
            for (unsigned p = 0; p < c->packages && good && c->args[i].object == object; p++) {
                good = means[i].protocol != CX_PROTOCOL_EXCLUSIVE || check_gaps(c, i, p);
            }
        }
    }
    free(c->owner);
    return good;
}

static bool check_cut(struct cut *c, struct cx_random *r)
{
    const uint64_t q = c->verdict->granularity, groups = c->verdict->groups, units = (groups + q - 1) / q;
    bool good = true;

    c->packages = 0;
    for (uint64_t at = 0; at < units && c->packages < MOST_PACKAGES;) {
        c->border[c->packages++] = at * q;
        at += 1 + cx_random_below(r, cx_random_chance(r, 50) ? (units - at) : (units - at + 3) / 4);
    }
    c->border[c->packages] = groups;
    for (unsigned p = 0; p < c->packages; p++) {
        cx_access_package(c->access, c->border[p], c->border[p + 1], &c->regions[p * c->narg]);
    }
    for (uint32_t i = 0; i < c->narg && good; i++) {
        bool first = c->args[i].object != 0;
        for (uint32_t j = 0; j < i; j++) {
            first = first && c->args[j].object != c->args[i].object;
        }
        good = !first || check_object(c, c->args[i].object);
    }
    return good;
}

bool apart_check(struct cx_access *access, uint32_t narg, const struct cx_access_arg *args,
                 const struct cx_access_verdict *verdict, struct cx_random *r, apart_changes *changes,
                 void *context, char *why, size_t size)
{
    struct cut c = {.access = access,
                    .narg = narg,
                    .args = args,
                    .verdict = verdict,
                    .changes = changes,
                    .context = context,
                    .why = why,
                    .size = size};
    const unsigned lost = cx_access_lost_places;
    bool good = true;

    c.regions = malloc((MOST_PACKAGES + 1) * (narg + 1) * sizeof(*c.regions));
    for (unsigned i = 0; i < CUTS && good; i++) {
        good = check_cut(&c, r);
    }
    if (good && cx_access_lost_places != lost) {
        snprintf(why, size, "a package's regions were not those that the launch was judged by");
        good = false;
    }
    free(c.regions);
    return good;
}
