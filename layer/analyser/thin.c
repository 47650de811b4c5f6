/* SPDX-License-Identifier: MIT */
#include "layer/analyser/thin.h"

#include <stdlib.h>

uint32_t cx_thin_pick(const struct cx_summary_kernel *k)
{
    uint32_t best = k->narg, most = 1;

    for (uint32_t i = 0; i < k->narg; i++) {
        uint32_t known = 0;
        for (uint32_t j = 0; j < k->naccess; j++) {
            known += k->access[j].arg == i && k->access[j].off >= 0;
        }
        /* a place that is known by one record is worth keeping longer */
        if (known > most || (known == 1 && most == 1 && best == k->narg)) {
            best = i;
            most = known;
        }
    }
    return best;
}

void cx_thin_record(struct cx_access_record *r)
{
    r->off = r->len = -1;
    r->skew = 0;
    r->guard = r->nguard = 0;
    r->place = 0;
    r->flags &= CX_ACCESS_VOLATILE | CX_ACCESS_RESULT_USED | CX_ACCESS_SEVERAL;
}

static bool is_like(const struct cx_access_record *a, const struct cx_access_record *b)
{
    return a->arg == b->arg && a->mode == b->mode && a->atomic_op == b->atomic_op &&
           ((a->flags ^ b->flags) & ~CX_ACCESS_SEVERAL) == 0 && a->off < 0 && b->off < 0;
}

void cx_thin_join(struct cx_access_record *into, const struct cx_access_record *more)
{
    into->width = more->width < into->width ? more->width : into->width;
    if (more->flags & CX_ACCESS_SEVERAL || more->store != into->store) {
        into->other = into->flags & CX_ACCESS_SEVERAL ? into->other : more->line;
        into->flags |= CX_ACCESS_SEVERAL;
    }
}

void cx_thin_arg(struct cx_summary_kernel *k, uint32_t arg)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < k->naccess; i++) {
        struct cx_access_record r = k->access[i];
        uint32_t same = 0;
        if (r.arg == arg) {
            cx_thin_record(&r);
        }
        while (same < n && (r.arg != arg || !is_like(&k->access[same], &r))) {
            same++;
        }
        if (same < n) {
            cx_thin_join(&k->access[same], &r);
        } else {
            k->access[n++] = r;
        }
    }
    k->naccess = n;
}

uint64_t cx_thin_cost(const struct cx_summary_kernel *k)
{
    return (uint64_t)k->nexpr * (1 + 2 * (uint64_t)k->nloop + k->naccess);
}
