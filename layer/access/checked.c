/* SPDX-License-Identifier: MIT */
/*
 * Launches that are split first and checked afterwards: which objects every participant gets a copy of, and
 * what forbids it. launch/speculation.h tells why that is right.
 *
 * An object is left as it is where it is proved apart: different packages write different bytes, and none
 * reads what another writes, for every border. An offset that has a value in it that is not known before the
 * launch counts as not proved, even where its bounds would do: no proof then rests on two items reading one
 * value, which they need not where each device has a copy.
 *
 * Previous stage: protocol.c. Next stage: plan/check_rules.h, which asks for sizes and what the program sees.
 */
#include "layer/access/access_inside.h"

#include <stdlib.h>

bool cx_access_takes_conflicts;

static const struct cx_access_record no_record = {.line = 0};

/* Whether the node has a value in it that is not known before the launch. -1: it has none. */
static bool is_opaque(const struct cx_summary_kernel *k, int32_t node)
{
    return cx_summary_opaque(k, node) != CX_OPAQUE_COUNT;
}

static bool counts(const struct cx_access *a, uint32_t access, uint64_t object)
{
    return a->args[a->launch.kernel->access[access].arg].object == object && !a->bound[access].empty;
}

/* The first access to the object at a place that is not known before the launch; NULL: there is none. */
static const struct cx_access_record *at_opaque_place(const struct cx_access *a, uint64_t object)
{
    const struct cx_summary_kernel *k = a->launch.kernel;

    for (uint32_t i = 0; i < k->naccess; i++) {
        const struct cx_access_record *r = &k->access[i];
        if (counts(a, i, object) && (r->off < 0 || is_opaque(k, r->off) || is_opaque(k, r->len))) {
            return r;
        }
    }
    return NULL;
}

/* Whether every work-item, but for conditions that are known before the launch, changes something there by an
 * atomic: then several participants will. */
static bool always_changes(const struct cx_access *a, const struct cx_access_record *r)
{
    const struct cx_summary_kernel *k = a->launch.kernel;
    bool always = r->mode == CX_MODE_ATOMIC && r->flags & CX_ACCESS_MUST && !(r->flags & CX_ACCESS_KEEPS);

    for (uint32_t i = 0; i < r->nguard && always; i++) {
        const struct cx_guard *g = &k->guard[r->guard + i];
        always = g->hint || (!is_opaque(k, g->l) && !is_opaque(k, g->r));
    }
    return always;
}

/* An access through the argument; never NULL. */
static const struct cx_access_record *record_of(const struct cx_access *a, uint32_t arg)
{
    const struct cx_summary_kernel *k = a->launch.kernel;

    for (uint32_t i = 0; i < k->naccess; i++) {
        if (k->access[i].arg == arg) {
            return &k->access[i];
        }
    }
    return &no_record;
}

bool cx_access_may_check(const struct cx_access *a, struct cx_fault *fault)
{
    const struct cx_summary_kernel *k = a->launch.kernel;
    const uint8_t both = CX_TOUCH_DECIDES | CX_TOUCH_VOLATILE;

    for (uint32_t i = 0; i < k->narg; i++) {
        *fault = (struct cx_fault){.record = record_of(a, i)};
        if ((k->arg[i].touch & both) == both) {
            fault->reason = CX_REASON_CHECK_LOOP;
            return false;
        }
        if (k->arg[i].kind == CX_ARG_IMAGE && k->arg[i].touch & CX_TOUCH_WRITE) {
            fault->reason = CX_REASON_CHECK_IMAGE;
            return false;
        }
    }
    return true;
}

/* Why the object cannot be CHECKED; NONE: it can. Sets the record that is to blame. */
static enum cx_summary_reason refuses(struct cx_access *a, uint64_t object, struct cx_fault *fault)
{
    const struct cx_summary_kernel *k = a->launch.kernel;

    for (uint32_t i = 0; i < k->narg; i++) {
        if (a->args[i].object != object) {
            continue;
        }
        if (k->arg[i].kind == CX_ARG_IMAGE || a->args[i].is_image) {
            fault->record = record_of(a, i);
            return CX_REASON_CHECK_IMAGE;
        }
        if (k->arg[i].touch & CX_TOUCH_DECIDES) {
            fault->record = record_of(a, i);
            return CX_REASON_CHECK_LOOP;
        }
    }
    for (uint32_t i = 0; i < k->naccess; i++) {
        if (counts(a, i, object) && !cx_access_takes_conflicts && always_changes(a, &k->access[i])) {
            fault->record = &k->access[i];
            return CX_REASON_CHECK_ALWAYS;
        }
    }
    return cx_access_stores_race(a, object, fault) ? fault->reason : CX_REASON_NONE;
}

void cx_access_check_object(struct cx_access *a, uint64_t object, struct cx_access_means *means,
                            struct cx_fault *fault)
{
    const bool apart = means->protocol == CX_PROTOCOL_EXCLUSIVE && !means->before;
    const struct cx_access_record *opaque = at_opaque_place(a, object);
    enum cx_summary_reason why;

    if (apart && !opaque) {
        return;
    }
    if (apart) {
        *fault = (struct cx_fault){.reason = CX_REASON_WRITE_UNKNOWN, .record = opaque};
    }
    *means = (struct cx_access_means){.protocol = CX_PROTOCOL_CHECKED,
                                      .why = fault->reason,
                                      .line = fault->record ? fault->record->line : 0};
    why = refuses(a, object, fault);
    if (why != CX_REASON_NONE) {
        fault->reason = why;
        means->protocol = CX_PROTOCOL_NONE;
    }
}
