/* SPDX-License-Identifier: MIT */
/* How what a launch writes is kept right, object by object. */
#include "layer/access/access_inside.h"

static bool writes(const struct cx_access_record *r)
{
    return r->mode != CX_MODE_READ;
}

static bool counts(const struct cx_access *a, uint32_t access, uint64_t object)
{
    return a->args[a->launch.kernel->access[access].arg].object == object && !a->bound[access].empty;
}

static bool is_first(const struct cx_access *a, uint32_t arg)
{
    for (uint32_t i = 0; i < arg; i++) {
        if (a->args[i].object == a->args[arg].object) {
            return false;
        }
    }
    return a->args[arg].object != 0;
}

static bool is_written(const struct cx_access *a, uint64_t object)
{
    const struct cx_summary_kernel *k = a->launch.kernel;

    for (uint32_t i = 0; i < k->narg; i++) {
        if (a->args[i].object == object && k->arg[i].touch & (CX_TOUCH_WRITE | CX_TOUCH_ATOMIC)) {
            return true;
        }
    }
    for (uint32_t i = 0; i < k->naccess; i++) {
        if (writes(&k->access[i]) && counts(a, i, object)) {
            return true;
        }
    }
    return false;
}

static bool is_loose(const struct cx_access *a, uint64_t object)
{
    for (uint32_t i = 0; i < a->launch.kernel->naccess; i++) {
        if (a->bound[i].loose && counts(a, i, object)) {
            return true;
        }
    }
    return false;
}

/* What all of a commutative family's members have in common; NONE for those of no family. */
static enum cx_atomic_op family(uint8_t op)
{
    switch ((enum cx_atomic_op)op) {
    case CX_ATOMIC_SUB:
    case CX_ATOMIC_INC:
    case CX_ATOMIC_DEC:
        return CX_ATOMIC_ADD;
    case CX_ATOMIC_OTHER:
    case CX_ATOMIC_COUNT:
        return CX_ATOMIC_NONE;
    default:
        return (enum cx_atomic_op)op;
    }
}

static bool is_like(const struct cx_access_record *first, const struct cx_access_record *r)
{
    return r->mode == CX_MODE_ATOMIC && !(r->flags & CX_ACCESS_RESULT_USED) &&
           family(r->atomic_op) == family(first->atomic_op) && r->width == first->width;
}

/* Elements of all windows lie in one grid: each may have a copy of its own. */
static bool in_one_grid(const struct cx_access *a, uint64_t object, unsigned width)
{
    for (uint32_t i = 0; i < a->launch.kernel->narg; i++) {
        if (a->args[i].object == object && a->args[i].base % width) {
            return false;
        }
    }
    return true;
}

/* Sets a way for an object that has atomics and is not OWN, or the fault that leaves it without. */
static void by_atomics(const struct cx_access *a, uint64_t object, const struct cx_access_record *first,
                       struct cx_access_means *means, struct cx_fault *fault)
{
    const struct cx_summary_kernel *k = a->launch.kernel;
    const struct cx_access_record *odd = NULL, *used = NULL;

    for (uint32_t i = 0; i < k->naccess; i++) {
        const struct cx_access_record *r = &k->access[i];
        if (!counts(a, i, object)) {
            continue;
        }
        odd = !odd && !is_like(first, r) ? r : odd;
        used = !used && r->mode == CX_MODE_ATOMIC && r->flags & CX_ACCESS_RESULT_USED ? r : used;
    }
    if (used) {
        *fault = (struct cx_fault){.reason = CX_REASON_ATOMIC_RESULT_USED, .record = used};
    } else if (odd || family(first->atomic_op) == CX_ATOMIC_NONE ||
               (first->width != 4 && first->width != 8) || !in_one_grid(a, object, first->width)) {
        *fault = (struct cx_fault){.reason = CX_REASON_ATOMIC_MIXED, .record = odd ? odd : first};
    } else {
        means->protocol = CX_PROTOCOL_REDUCTION;
        means->atomic_op = (uint8_t)family(first->atomic_op);
        means->width = first->width;
    }
}

static const struct cx_access_record *first_atomic(const struct cx_access *a, uint64_t object)
{
    const struct cx_summary_kernel *k = a->launch.kernel;

    for (uint32_t i = 0; i < k->naccess; i++) {
        if (k->access[i].mode == CX_MODE_ATOMIC && counts(a, i, object)) {
            return &k->access[i];
        }
    }
    return NULL;
}

/* The largest unit of 1, 2, 4 or 8 bytes that no store crosses. */
static uint8_t narrowest(const struct cx_access *a, uint64_t object)
{
    const struct cx_summary_kernel *k = a->launch.kernel;
    uint64_t all = 8; /* its lowest bit is the answer */

    for (uint32_t i = 0; i < k->naccess; i++) {
        if (writes(&k->access[i]) && counts(a, i, object)) {
            all |= k->access[i].width ? k->access[i].width : 1u;
        }
    }
    for (uint32_t i = 0; i < k->narg; i++) {
        if (a->args[i].object == object) {
            all |= a->args[i].base;
            all |= k->arg[i].touch & CX_TOUCH_WRITE && !k->arg[i].store_width ? 1 : k->arg[i].store_width;
        }
    }
    return (uint8_t)(all & -all);
}

/* Bytes of the object that the launch may write. */
static uint64_t extent(const struct cx_access *a, uint64_t object)
{
    const struct cx_summary_kernel *k = a->launch.kernel;
    uint64_t lo = UINT64_MAX, hi = 0;

    for (uint32_t i = 0; i < k->naccess; i++) {
        const struct cx_bound *b = &a->bound[i];
        const struct cx_access_arg *arg = &a->args[k->access[i].arg];
        uint64_t from = b->known && b->min > 0 ? (uint64_t)b->min : 0;
        uint64_t to =
            b->known && b->max < (int64_t)arg->bytes ? (b->max > 0 ? (uint64_t)b->max : 0) : arg->bytes;
        if (!writes(&k->access[i]) || !counts(a, i, object) || from >= to) {
            continue;
        }
        lo = from + arg->base < lo ? from + arg->base : lo;
        hi = to + arg->base > hi ? to + arg->base : hi;
    }
    return lo < hi ? hi - lo : 0;
}

/* The lists of what each unit touches, where they may tell more than the bounds. */
static bool list(struct cx_access *a, uint64_t object, struct cx_proof *proof)
{
    if (!is_loose(a, object) || !cx_access_list_units(a)) {
        return false;
    }
    proof->writes = a->list;
    proof->reads = a->list + a->launch.kernel->narg * a->launch.units;
    return true;
}

/* All shapes written through one argument against all through another (or the same) one. */
static bool args_apart(const struct cx_access *a, uint32_t x, uint32_t y)
{
    const struct cx_shapes *px = &a->shapes[2 * x + 1], *py = &a->shapes[2 * y + 1];

    for (unsigned i = 0; i < px->n; i++) {
        for (unsigned j = x == y ? i : 0; j < py->n; j++) {
            if (!cx_access_shapes_apart(a, x, &px->shape[i], y, &py->shape[j])) {
                return false;
            }
        }
    }
    return true;
}

/* Whether what packages write is disjoint shape by shape; on success the shapes of all arguments are there.
 */
static bool is_scattered(struct cx_access *a, uint64_t object)
{
    uint32_t n = a->launch.kernel->narg;
    bool apart = true;

    for (uint32_t x = 0; apart && x < n; x++) {
        apart = a->args[x].object != object || cx_access_gather(a, x, true, true);
        for (uint32_t y = 0; apart && a->args[x].object == object && y <= x; y++) {
            apart = a->args[y].object != object || args_apart(a, y, x);
        }
    }
    for (uint32_t x = 0; x < n; x++) {
        if (a->args[x].object == object) {
            a->shapes[2 * x + 1].must = apart;
            a->shapes[2 * x + 1].n *= apart;
        }
    }
    return apart;
}

/* Whether what packages read there is apart from what others write of the object: by the shapes that hold all
 * writes through an argument, where there are any, else by those of its accesses. */
static bool apart_from_writes(struct cx_access *a, uint32_t arg, const struct cx_shape *read)
{
    const struct cx_summary_kernel *k = a->launch.kernel;
    const uint64_t object = a->args[arg].object;
    bool apart = cx_shape_is_strict(read);

    for (uint32_t y = 0; apart && y < k->narg; y++) {
        const struct cx_shapes *p = &a->shapes[2 * y + 1];
        for (unsigned i = 0; apart && a->args[y].object == object && i < p->n; i++) {
            apart = cx_access_shapes_apart(a, arg, read, y, &p->shape[i]);
        }
    }
    for (uint32_t j = 0; apart && j < k->naccess; j++) {
        const uint32_t y = k->access[j].arg;
        if (writes(&k->access[j]) && counts(a, j, object) && a->shapes[2 * y + 1].n == 0) {
            const struct cx_shape *w = cx_access_shape(a, j);
            apart = w && cx_access_shapes_apart(a, arg, read, y, w);
        }
    }
    return apart;
}

/* Whether what packages read through the argument is, shape by shape, apart from what others write of the
 * object. */
static bool reads_scattered(struct cx_access *a, uint32_t arg)
{
    struct cx_shapes *reads = &a->shapes[2 * arg];
    bool apart = cx_access_gather(a, arg, false, true);

    for (unsigned i = 0; apart && i < reads->n; i++) {
        apart = apart_from_writes(a, arg, &reads->shape[i]);
    }
    reads->must = apart;
    reads->n *= apart;
    return apart;
}

static bool all_reads_apart(struct cx_access *a, const struct cx_proof *proof, uint64_t object,
                            struct cx_fault *fault)
{
    for (uint32_t i = 0; i < a->launch.kernel->narg; i++) {
        if (a->args[i].object == object && !cx_proof_reads(proof, i, fault) && !reads_scattered(a, i)) {
            return false;
        }
    }
    return true;
}

/* The first access to the object through an image argument; NULL: there is none. */
static const struct cx_access_record *by_image(const struct cx_access *a, uint64_t object)
{
    const struct cx_summary_kernel *k = a->launch.kernel;

    for (uint32_t i = 0; i < k->naccess; i++) {
        if (k->arg[k->access[i].arg].kind == CX_ARG_IMAGE && counts(a, i, object)) {
            return &k->access[i];
        }
    }
    return NULL;
}

/* Whether each item has its places for itself. */
static bool is_placed(struct cx_access *a, uint64_t object, bool reads, uint8_t *listed)
{
    if (by_image(a, object) || !cx_access_is_bijective(a, object, reads)) {
        return false;
    }
    *listed |= CX_PLACED_WRITES | (reads ? CX_PLACED_READS : 0);
    a->scattered = true;
    return true;
}

static bool is_own(struct cx_access *a, uint64_t object, struct cx_fault *fault, uint8_t *listed)
{
    struct cx_proof proof = {.launch = &a->launch, .bound = a->bound};

    if (cx_proof_writes(&proof, object, fault)) {
        return true;
    }
    if (is_scattered(a, object)) {
        a->scattered = true;
        return true;
    }
    if (is_placed(a, object, true, listed) || is_placed(a, object, false, listed)) {
        return true;
    }
    if (list(a, object, &proof) && cx_proof_listed_writes(&proof, object)) {
        *listed |= CX_LISTED_WRITES;
        return true;
    }
    return false;
}

/* Whether no package reads what another one writes. */
static bool reads_apart(struct cx_access *a, uint64_t object, struct cx_fault *fault, uint8_t *listed)
{
    struct cx_proof proof = {.launch = &a->launch, .bound = a->bound};

    if (*listed & CX_PLACED_READS || all_reads_apart(a, &proof, object, fault) ||
        (!(*listed & CX_PLACED_WRITES) && is_placed(a, object, true, listed))) {
        return true;
    }
    if (list(a, object, &proof) && cx_proof_listed_reads(&proof, object)) {
        *listed |= CX_LISTED_READS;
        return true;
    }
    return false;
}

/* One object's way into *means; *fault is why it is not OWN without `before`, or has no way at all. */
static void judge_object(struct cx_access *a, uint64_t object, struct cx_access_means *means,
                         struct cx_fault *fault, uint8_t *listed)
{
    const struct cx_access_record *atomic;

    if (is_own(a, object, fault, listed)) {
        fault->reason = CX_REASON_NONE;
        means->protocol = CX_PROTOCOL_EXCLUSIVE;
        means->before = !reads_apart(a, object, fault, listed);
        if (!means->before) {
            fault->reason = CX_REASON_NONE;
        } else if (by_image(a, object)) {
            means->protocol = CX_PROTOCOL_NONE; /* no two devices see one image's texels at a time */
        }
        return;
    }
    if (by_image(a, object)) {
        return;
    }
    means->why = fault->reason;
    means->line = fault->record->line;
    atomic = first_atomic(a, object);
    if (atomic) {
        by_atomics(a, object, atomic, means, fault);
        return;
    }
    if (cx_access_stores_race(a, object, fault)) {
        return;
    }
    means->protocol = CX_PROTOCOL_MERGE;
    means->width = narrowest(a, object);
    means->before = true;
}

/* The reason to be told is that of the object which is the furthest from being OWN. */
static int severity(enum cx_summary_reason reason)
{
    switch (reason) {
    case CX_REASON_ATOMIC_RESULT_USED:
    case CX_REASON_ATOMIC_MIXED:
    case CX_REASON_STORES_RACE:
        return 4;
    case CX_REASON_CHECK_LOOP:
    case CX_REASON_CHECK_ALWAYS:
    case CX_REASON_CHECK_IMAGE:
        return 5;
    case CX_REASON_WRITE_UNKNOWN:
        return 3;
    case CX_REASON_WRITE_OVERLAP:
        return 2;
    default:
        return reason != CX_REASON_NONE;
    }
}

static void note_fault(struct cx_access_verdict *v, const struct cx_fault *fault)
{
    if (severity(fault->reason) > severity(v->reason)) {
        v->reason = fault->reason;
        v->arg = fault->record->arg;
        v->line = fault->record->line;
        v->other = fault->other;
    }
}

/* Whether what is read or written through the argument may have holes that are worth to know. */
static bool may_have_holes(const struct cx_access *a, uint32_t arg, bool write)
{
    const struct cx_summary_kernel *k = a->launch.kernel;
    bool dense = true;
    unsigned count = 0;

    for (uint32_t i = 0; i < k->naccess; i++) {
        const struct cx_bound *b = &a->bound[i];
        if (k->access[i].arg != arg || k->access[i].mode == (write ? CX_MODE_READ : CX_MODE_WRITE) ||
            b->empty) {
            continue;
        }
        if (!b->known || b->guessed) {
            return false;
        }
        dense = dense && b->exact;
        count++;
    }
    return count > 1 || !dense;
}

/* Whether bounds do not tell what is read through the argument. */
static bool is_vague(const struct cx_access *a, uint32_t arg)
{
    for (uint32_t i = 0; i < a->launch.kernel->naccess; i++) {
        const struct cx_bound *b = &a->bound[i];
        if (a->launch.kernel->access[i].arg == arg && !b->empty && (!b->known || b->guessed)) {
            return true;
        }
    }
    return false;
}

/* Boxes that leave out holes, where no proof asked for boxes. */
static void add_boxes(struct cx_access *a, uint32_t arg)
{
    struct cx_shapes *reads = &a->shapes[2 * arg], *writes = reads + 1;
    bool written = is_written(a, a->args[arg].object);

    if (!reads->must && !(a->listed[arg] & (CX_LISTED_READS | CX_PLACED_READS))) {
        const bool holes = may_have_holes(a, arg, false);
        const bool gathered = holes && cx_access_gather(a, arg, false, false);
        if (!written && (holes ? !gathered || is_loose(a, a->args[arg].object) : is_vague(a, arg))) {
            cx_access_find_places(a, arg);
        }
        reads->free = !written;
    }
    if (!writes->must && !(a->listed[arg] & (CX_LISTED_WRITES | CX_PLACED_WRITES)) && written &&
        a->means[arg].protocol == CX_PROTOCOL_EXCLUSIVE && may_have_holes(a, arg, true)) {
        cx_access_gather(a, arg, true, true);
    }
}

void cx_access_find_protocols(struct cx_access *a)
{
    const struct cx_summary_kernel *k = a->launch.kernel;
    struct cx_access_verdict *v = &a->verdict;
    uint8_t any_listed = 0;

    v->splits = true;
    for (uint32_t i = 0; i < k->narg; i++) {
        struct cx_access_means means = {.protocol = CX_PROTOCOL_NONE};
        struct cx_fault fault = {.reason = CX_REASON_NONE};
        uint64_t object = a->args[i].object;
        uint8_t listed = 0;
        if (!is_first(a, i) || !is_written(a, object)) {
            continue;
        }
        judge_object(a, object, &means, &fault, &listed);
        if (a->checks) {
            cx_access_check_object(a, object, &means, &fault);
            v->checked |= means.protocol == CX_PROTOCOL_CHECKED;
            if (means.protocol == CX_PROTOCOL_NONE) { /* worse than all that checking makes up for */
                v->reason = CX_REASON_NONE;
            }
        }
        note_fault(v, &fault);
        v->splits &= means.protocol != CX_PROTOCOL_NONE;
        a->merged += means.protocol == CX_PROTOCOL_MERGE ? extent(a, object) : 0;
        a->private_copies += means.protocol == CX_PROTOCOL_REDUCTION || means.protocol == CX_PROTOCOL_CHECKED
                                 ? extent(a, object)
                                 : 0;
        a->curable |= fault.reason != CX_REASON_NONE && is_loose(a, object);
        for (uint32_t j = i; j < k->narg; j++) {
            if (a->args[j].object == object) {
                a->means[j] = means;
                a->listed[j] = listed;
            }
        }
        any_listed |= listed;
    }
    for (uint32_t i = 0; i < k->narg; i++) {
        if (a->args[i].object) {
            add_boxes(a, i);
        }
    }
    cx_access_trim_places(a);
    v->separable = v->reason == CX_REASON_NONE;
    if (!(any_listed & (CX_LISTED_READS | CX_LISTED_WRITES))) {
        cx_access_drop_list(a);
    }
}
