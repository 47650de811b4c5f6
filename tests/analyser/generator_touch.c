/* SPDX-License-Identifier: MIT */
/* Memory of the interpreter: every byte that is used is noted by work-group, and races are found. */
#include "generator_run.h"

#include <string.h>

int64_t run_get(unsigned scalar, const unsigned char *from)
{
    int64_t value = 0;

    memcpy(&value, from, gen_elem[scalar].size);
    switch (scalar) {
    case EL_CHAR:
        return (int8_t)value;
    case EL_SHORT:
        return (int16_t)value;
    case EL_INT:
    case EL_FLOAT:
        return (int32_t)value;
    default:
        return value;
    }
}

void run_put(unsigned scalar, unsigned char *to, int64_t value)
{
    memcpy(to, &value, gen_elem[scalar].size);
}

/* Whether this use and those before it, by other work-items, depend on their order. */
static bool races(const struct last_use *u, int group, uint32_t epoch, int item, bool write, unsigned family)
{
    bool same_atomic = family && u->family == family;

    if (u->writer != -1 && u->writer != item && !(write && same_atomic) &&
        (u->wgroup != group || u->wepoch == epoch)) {
        return true;
    }
    return write && u->reader != -1 && (u->reader != item || u->rgroup == -2) &&
           (u->rgroup != group || u->repoch == epoch);
}

static void note(struct last_use *u, int group, uint32_t epoch, int item, bool write, unsigned family)
{
    if (write) {
        bool joins = family && u->family == family && u->writer != -1;
        u->writer = joins && u->writer != item ? -2 : item;
        u->wgroup = joins && u->wgroup != group ? -2 : group;
        u->wepoch = epoch;
        u->family = (uint8_t)family;
        return;
    }
    if (u->reader != -1 && u->repoch == epoch && u->reader != item) {
        u->reader = -2;
    } else {
        u->reader = item;
    }
    u->rgroup = u->rgroup != -1 && u->rgroup != group ? -2 : group;
    u->repoch = epoch;
}

static void use(struct run *r, struct last_use *u, unsigned how, unsigned family, int item)
{
    int group = (int)r->group_index;

    item += group * GEN_ITEMS;
    for (unsigned kind = GEN_READ; kind <= GEN_WRITE; kind *= 2) {
        /* an atomic is one use, a write */
        if (how & kind && !(family && kind == GEN_READ)) {
            r->rec->racy |= races(u, group, r->epoch, item, kind == GEN_WRITE, family);
            note(u, group, r->epoch, item, kind == GEN_WRITE, family);
        }
    }
}

/* Memory stored as one type is not read as another, but for bytes. */
static void check_type(struct run *r, struct last_use *u, unsigned how, unsigned type)
{
    bool byte = type == EL_CHAR || type == EL_UCHAR || type == ANY_TYPE;
    /* signed and unsigned are one type */
    unsigned tag = byte ? 0 : 1 + (type == EL_FLOAT ? type : type & ~1u);

    if (how & GEN_READ && tag && u->type && u->type != tag) {
        run_undefined(r, "read as another type than stored");
    }
    if (how & GEN_WRITE) {
        u->type = (uint8_t)tag;
    }
}

unsigned char *run_touch(struct run *r, struct pointer at, unsigned size, unsigned how, unsigned type,
                         unsigned family, int item)
{
    const struct cx_access_arg *arg = &r->l->args[at.param];
    uint64_t object = arg->object - 1, start;

    if (!arg->object) {
        run_undefined(r, "access through NULL");
        return NULL;
    }
    if (at.offset < 0 || (uint64_t)at.offset + size > arg->bytes) {
        if (at.offset >= 0 && (uint64_t)at.offset + size > r->rec->missing) {
            r->rec->missing = (uint64_t)at.offset + size;
        }
        run_undefined(r, at.offset < 0 ? "access below a buffer" : "access past a buffer");
        return NULL;
    }
    start = arg->base + (uint64_t)at.offset;
    for (unsigned i = 0; i < size; i++) {
        unsigned char *touch =
            r->rec->touch[at.param] + r->group_index * arg->bytes + (uint64_t)at.offset + i;
        struct last_use *u = &r->use[object][start + i];
        *touch |= (unsigned char)(family ? GEN_ATOMIC | GEN_WRITE : how);
        check_type(r, u, how, type);
        use(r, u, how, family, item);
    }
    r->rec->use[object].loaded |= !family && how & GEN_READ;
    return r->rec->result[object] + start;
}

/* A store that changes something. */
void run_stored(struct run *r, int param, unsigned unit)
{
    struct gen_object_use *use = &r->rec->use[r->l->args[param].object - 1];

    use->stored = true;
    use->narrowest_store = use->narrowest_store && use->narrowest_store < unit ? use->narrowest_store : unit;
}

unsigned char *run_touch_local(struct run *r, int array, uint64_t index, unsigned how, unsigned family,
                               int item)
{
    unsigned size = gen_elem[r->k->local[array].el].size;
    uint64_t at = index * size;

    for (unsigned i = 0; i < size; i++) {
        if (how & GEN_READ && !r->local_set[array][at + i]) {
            run_undefined(r, "local memory read before it is written");
        }
        r->local_set[array][at + i] |= (how & GEN_WRITE) != 0;
        use(r, &r->local_use[array][at + i], how, family, item);
    }
    return r->local_data[array] + at;
}

bool run_address(struct run *r, int ref, unsigned item, struct pointer *at)
{
    const struct gen_ref *f = &r->k->ref[ref];
    int64_t index = run_eval(r, f->index, item);
    unsigned type = r->k->expr[f->index].type;

    *at = f->ptr ? r->ptr[f->src][item] : (struct pointer){f->src, 0};
    if (r->rec->undefined || (type == U64 && index < 0) || index > INT64_C(1) << 40 ||
        index < -(INT64_C(1) << 40)) {
        run_undefined(r, "index far outside");
        return false;
    }
    at->offset += index * gen_ref_stride(f) + gen_ref_add(f);
    return true;
}

/* A float of a half, more than 1. */
static bool half_above_one(const unsigned char *at)
{
    uint16_t bits;

    memcpy(&bits, at, 2);
    return bits > 0x3c00 && bits <= 0x7c00;
}

static uint16_t half_of(unsigned value)
{
    unsigned exponent = 0;

    if (!value) {
        return 0;
    }
    while (value >> (exponent + 1)) {
        exponent++;
    }
    return (uint16_t)((exponent + 15) << 10 | ((value << (10 - exponent)) & 0x3ff));
}

int64_t run_load(struct run *r, int ref, unsigned item)
{
    const struct gen_ref *f = &r->k->ref[ref];
    unsigned scalar = gen_ref_scalar(f), size = gen_elem[scalar].size;
    bool fold = f->form == R_VECTOR || f->form == R_VLOAD;
    struct pointer at;
    unsigned char *from;
    int64_t value = 0;

    if (!run_address(r, ref, item, &at)) {
        return 0;
    }
    from = run_touch(r, at, gen_ref_size(f), GEN_READ, f->form == R_HALF || fold ? ANY_TYPE : scalar, 0,
                     (int)item);
    if (!from) {
        return 0;
    }
    if (f->form == R_HALF) {
        return half_above_one(from);
    }
    for (unsigned i = 0; i < (fold ? gen_ref_size(f) / size : 1); i++) {
        value ^= run_get(scalar, from + i * size);
    }
    return value;
}

void run_store(struct run *r, int ref, unsigned op, int value_expr, unsigned item)
{
    const struct gen_ref *f = &r->k->ref[ref];
    unsigned scalar = gen_ref_scalar(f), size = gen_elem[scalar].size;
    bool spread = f->form == R_VECTOR || f->form == R_VLOAD;
    unsigned how = GEN_WRITE | (op != B_SET ? GEN_READ : 0), unit = f->form == R_HALF ? 2
                                                                    : f->el == EL_PACKED && f->form == R_FIELD
                                                                        ? 1
                                                                        : size;
    unsigned type = f->form == R_HALF || spread || f->form == R_COMP ? ANY_TYPE : scalar;
    unsigned char before[64];
    int64_t value = run_eval(r, value_expr, item);
    struct pointer at;
    unsigned char *to;

    if (!run_address(r, ref, item, &at)) {
        return;
    }
    if (f->form == R_COMP) { /* compilers may load the vector, change it and store it */
        struct pointer whole = {at.param, at.offset - gen_ref_add(f)};
        if (!run_touch(r, whole, gen_elem[f->el].size, GEN_READ | GEN_WRITE, ANY_TYPE, 0, (int)item)) {
            return;
        }
        how |= GEN_READ;
    }
    to = run_touch(r, at, gen_ref_size(f), how, type, 0, (int)item);
    if (!to) {
        return;
    }
    memcpy(before, to, gen_ref_size(f));
    if (op != B_SET) {
        unsigned left = gen_elem[scalar].type, right = r->k->expr[value_expr].type;
        bool shift = op == B_SHL || op == B_SHR;
        value = run_binary(r, op, shift ? left : run_common(left, right), run_get(scalar, to), value);
    }
    if (f->form == R_HALF) {
        uint16_t half = half_of((unsigned)value & 255);
        memcpy(to, &half, 2);
    }
    for (unsigned i = 0; f->form != R_HALF && i < (spread ? gen_ref_size(f) / size : 1); i++) {
        run_put(scalar, to + i * size, spread ? value ^ i : value);
    }
    if (memcmp(before, to, gen_ref_size(f))) {
        run_stored(r, at.param, unit);
    }
}
