/* SPDX-License-Identifier: MIT */
/*
 * The proof. A place is constant + sum of y[i], where y[i] = factor[i] * x[i] + (x[i] >= from[i] ? step[i] :
 * 0) and x[i] are digits of ids. Each step is a multiple v[i] of its factor, such that y[i] / factor[i] =
 * x[i] or x[i] + v[i] are different numbers for different digits (is_one_to_one()).
 *
 * 1. With |factor[0]| <= |factor[1]| <= ..., let each |factor[i]| be at least the extent of what lies below:
 * size + sum over j < i of |factor[j]| * (range of y[j] / factor[j]). Then the bytes of two items meet only
 * if all their y are equal (the highest that differ are further apart than all below can make good), hence
 * all their digits.
 * 2. The digits of the split dimension's id follow each other without a gap up to the highest, and the lowest
 * begins at a place that divides a unit's items: equal digits make the units equal. So what one access
 * touches with one unit it does not touch with another one.
 * 3. Two accesses of one argument with equal digits are one with a larger size. Two others are apart if their
 * hulls are, or if their bytes are apart modulo a number that divides all factors and steps of both.
 *
 * The regions. A package's ids [first, end) are parted by digits: all numbers between two borders are a run
 * of the highest digit with all below complete, and a head and a tail of which the highest digit is one
 * number. Each digit's run becomes one or two runs of y, and their product one box for each combination.
 * Boxes are apart as the items are.
 */
#include "layer/access/bijection.h"
#include "layer/access/access_inside.h"
#include "layer/access/radix_eval.h"
#include "layer/access/number.h"

#include <stdlib.h>

#define MAX_PLACES 160
#define MAX_ROWS   65536

/* A run of numbers. */
struct run {
    int64_t lo, n;
};

static struct run runs_from(int64_t first, int64_t last)
{
    return (struct run){first, last - first + 1};
}

/* What the digits first..last become, divided by the factor: one run, or two. */
static unsigned images(const struct cx_digit *d, int64_t first, int64_t last, struct run *out)
{
    const int64_t by = d->step / d->factor;

    if (d->step == 0 || last < d->from || first >= d->from) {
        const int64_t more = d->step && first >= d->from ? by : 0;
        out[0] = runs_from(first + more, last + more);
        return 1;
    }
    out[0] = runs_from(first, d->from - 1);
    out[1] = runs_from(d->from + by, last + by);
    if (out[0].lo + out[0].n == out[1].lo || out[1].lo + out[1].n == out[0].lo) {
        out[0] = (struct run){out[0].lo < out[1].lo ? out[0].lo : out[1].lo, out[0].n + out[1].n};
        return 1;
    }
    return 2;
}

/* Whether different digits become different numbers; *extent: the distance of the least from the greatest. */
static bool is_one_to_one(const struct cx_ids *ids, const struct cx_digit *d, int64_t *extent)
{
    struct run run[2];
    int64_t lo, hi, least, most;
    unsigned n;

    if (d->factor == 0 || d->step % d->factor != 0) {
        return false;
    }
    cx_radix_digit_range(ids, d, &lo, &hi);
    n = images(d, lo, hi, run);
    least = run[0].lo;
    most = run[0].lo + run[0].n - 1;
    if (n == 2) {
        const int64_t end = run[1].lo + run[1].n - 1;
        if (run[1].lo <= most && end >= least) {
            return false;
        }
        least = run[1].lo < least ? run[1].lo : least;
        most = end > most ? end : most;
    }
    *extent = most - least;
    return true;
}

/* 1. of the proof; puts the digits in order of their factors. */
static bool is_separate(struct cx_places *p)
{
    struct cx_digit *d = p->place.digit;
    int64_t extent = p->size - 1;

    for (unsigned i = 1; i < p->place.n; i++) {
        for (unsigned j = i; j > 0 && cx_number_size(d[j - 1].factor) > cx_number_size(d[j].factor); j--) {
            const struct cx_digit swap = d[j];
            d[j] = d[j - 1];
            d[j - 1] = swap;
        }
    }
    for (unsigned i = 0; i < p->place.n; i++) {
        int64_t range;
        if (!is_one_to_one(&p->ids, &d[i], &range) || cx_number_size(d[i].factor) <= extent) {
            return false;
        }
        extent = cx_sat_add(extent, cx_sat_mul(cx_number_size(d[i].factor), range));
    }
    return extent < INT64_MAX / 4;
}

/* The digits of the id, lowest first. */
static unsigned digits_of(const struct cx_radix *place, unsigned id, unsigned *digit)
{
    unsigned n = 0;

    for (unsigned i = 0; i < place->n; i++) {
        unsigned at = n;
        if (place->digit[i].id != id) {
            continue;
        }
        for (; at > 0 && place->digit[digit[at - 1]].place > place->digit[i].place; at--) {
            digit[at] = digit[at - 1];
        }
        digit[at] = i;
        n++;
    }
    return n;
}

static int64_t items_of_unit(const struct cx_access *a)
{
    return cx_sat_mul(a->launch.granularity, a->launch.local[a->launch.dim]);
}

/* 2. of the proof. */
static bool tells_unit(const struct cx_access *a, const struct cx_places *p)
{
    const unsigned dim = a->launch.dim;
    unsigned digit[CX_RADIX_DIGITS];
    const unsigned n = digits_of(&p->place, dim, digit);
    int64_t place = 0;

    for (unsigned i = 0; i < n; i++) {
        const struct cx_digit *d = &p->place.digit[digit[i]];
        if (i == 0 ? items_of_unit(a) % d->place != 0 : d->place != place) {
            return false;
        }
        place = d->base ? d->place * d->base : 0;
    }
    /* above the highest digit the ids are all alike */
    return n > 0 && (place == 0 || p->ids.lo[dim] / place == p->ids.hi[dim] / place);
}

static unsigned complete(const struct cx_places *p, const struct cx_digit *d)
{
    struct run run[2];
    int64_t lo, hi;

    cx_radix_digit_range(&p->ids, d, &lo, &hi);
    return images(d, lo, hi, run);
}

/* Whether digit i goes on where the one before it, in order of factors, ends. Of the split id digits are
 * complete below one that is not a single number, and not otherwise; those of others always are. */
static bool goes_on(const struct cx_access *a, const struct cx_places *p, unsigned i)
{
    const struct cx_digit *d = &p->place.digit[i], *before = i ? d - 1 : d;

    return i == 0 || before->id != a->launch.dim || (d->id == before->id && before->place < d->place);
}

/* Levels of strides that a box may need; *rows: how many all boxes have together. */
static unsigned count_levels(const struct cx_access *a, const struct cx_places *p, int64_t *rows)
{
    unsigned levels = 0;
    int64_t next = p->size; /* what a factor must be for the digit to go on without a gap */

    for (unsigned i = 0; i < p->place.n; i++) {
        const struct cx_digit *d = &p->place.digit[i];
        int64_t lo, hi;
        levels += cx_number_size(d->factor) != next || !goes_on(a, p, i);
        cx_radix_digit_range(&p->ids, d, &lo, &hi);
        *rows = levels ? cx_sat_mul(*rows, hi - lo + 1) : *rows;
        next = complete(p, d) == 1 ? cx_sat_mul(cx_number_size(d->factor), hi - lo + 1) : 0;
    }
    return levels;
}

/* Boxes that a package may need. */
static unsigned count_boxes(const struct cx_access *a, const struct cx_places *p)
{
    const unsigned dim = a->launch.dim;
    const int64_t unit = p->round ? p->round : items_of_unit(a), end = p->ids.hi[dim] + 1;
    unsigned digit[CX_RADIX_DIGITS], each = 1, all = 0;
    const unsigned n = digits_of(&p->place, dim, digit);
    int64_t rows = 1;

    for (unsigned i = 0; i < p->place.n; i++) {
        each *= p->place.digit[i].id == dim ? 1 : complete(p, &p->place.digit[i]);
    }
    if (count_levels(a, p, &rows) > 2 || rows > MAX_ROWS) {
        return CX_ACCESS_BOXES + 1;
    }
    for (unsigned i = n; i-- > 0;) { /* from the highest digit down to where no border cuts */
        const struct cx_digit *d = &p->place.digit[digit[i]];
        unsigned below = 1;
        for (unsigned j = 0; j < i; j++) {
            below *= complete(p, &p->place.digit[digit[j]]);
        }
        all += (i + 1 == n ? 1u : 2u) * (d->step ? 2u : 1u) * below;
        if (unit % d->place == 0 && end % d->place == 0 && p->ids.lo[dim] % d->place == 0) {
            break;
        }
    }
    return all * each;
}

static bool same_digits(const struct cx_places *x, const struct cx_places *y)
{
    bool same = x->place.n == y->place.n;

    for (unsigned i = 0; same && i < x->place.n; i++) {
        const struct cx_digit *d = &x->place.digit[i], *e = &y->place.digit[i];
        same = d->id == e->id && d->place == e->place && d->base == e->base && d->factor == e->factor &&
               d->step == e->step && (d->step == 0 || d->from == e->from);
    }
    return same;
}

/* Gives x the bytes of y; `by` is how much further on y's argument begins. */
static void join(struct cx_places *x, const struct cx_places *y, int64_t by)
{
    const int64_t first = y->place.constant + by, end = first + y->size, to = x->place.constant + x->size;

    x->place.constant = first < x->place.constant ? first : x->place.constant;
    x->size = (end > to ? end : to) - x->place.constant;
    for (unsigned d = 0; d < CX_RADIX_IDS; d++) {
        x->ids.lo[d] = y->ids.lo[d] < x->ids.lo[d] ? y->ids.lo[d] : x->ids.lo[d];
        x->ids.hi[d] = y->ids.hi[d] > x->ids.hi[d] ? y->ids.hi[d] : x->ids.hi[d];
    }
    x->reads |= y->reads;
    x->writes |= y->writes;
}

/* Finds all else that is to be known of them; false where packages may meet there. */
static bool measure(const struct cx_access *a, struct cx_places *p)
{
    int64_t hi;

    if (!is_separate(p) || !tells_unit(a, p) || !cx_radix_hull(&p->ids, &p->place, &p->lo, &hi)) {
        return false;
    }
    p->hi = hi + p->size;
    p->multiple = 0;
    for (unsigned i = 0; i < p->place.n; i++) {
        p->multiple =
            cx_number_gcd(cx_number_gcd(p->multiple, p->place.digit[i].factor), p->place.digit[i].step);
    }
    p->boxes = count_boxes(a, p);
    return p->lo >= 0 && p->hi <= (int64_t)a->args[p->arg].bytes;
}

/* 3. of the proof. */
static bool are_apart(const struct cx_access *a, const struct cx_places *x, const struct cx_places *y)
{
    const int64_t by = (int64_t)a->args[y->arg].base - (int64_t)a->args[x->arg].base;
    const int64_t modulus = cx_number_gcd(x->multiple, y->multiple);
    int64_t distance;

    if (x->hi <= y->lo + by || y->hi + by <= x->lo) {
        return true;
    }
    if (same_digits(x, y)) {
        struct cx_places both = *x;
        join(&both, y, by);
        if (is_separate(&both) && tells_unit(a, &both)) {
            return true;
        }
    }
    distance = y->place.constant + by - x->place.constant;
    distance = (distance % modulus + modulus) % modulus;
    return distance >= x->size && distance + y->size <= modulus;
}

static bool writes(const struct cx_access_record *r)
{
    return r->mode != CX_MODE_READ;
}

/* Adds the access to those of its argument; false where its place is not known, or not each item's own. */
static bool add_access(struct cx_access *a, struct cx_radix_eval *re, const struct cx_access_record *r)
{
    struct cx_places *p = &a->places[a->nplaces], *both = p + 1; /* there is room for two more */

    *p = (struct cx_places){
        .arg = r->arg, .size = (int64_t)r->size, .reads = r->mode != CX_MODE_WRITE, .writes = writes(r)};
    cx_radix_eval_access(re, r, &p->ids, &p->place);
    if (!p->place.known || r->size == 0 || r->size > INT32_MAX || !measure(a, p)) {
        return false;
    }
    for (unsigned i = 0; i < a->nplaces; i++) {
        struct cx_places *other = &a->places[i];
        if (other->arg != p->arg || !same_digits(other, p)) {
            continue;
        }
        *both = *other;
        join(both, p, 0);
        /* larger only where that is no more than the two */
        if (both->size <= other->size + p->size && measure(a, both)) {
            *other = *both;
            return true;
        }
    }
    a->nplaces++;
    return a->nplaces <= MAX_PLACES;
}

static bool make_room(struct cx_access *a)
{
    if (!a->places) {
        a->places = malloc((MAX_PLACES + 2) * sizeof(*a->places));
    }
    return a->places != NULL;
}

/* Forgets those of the object that are there already. */
static void forget(struct cx_access *a, uint64_t object)
{
    unsigned n = 0;

    for (unsigned i = 0; i < a->nplaces; i++) {
        if (a->args[a->places[i].arg].object != object) {
            a->places[n++] = a->places[i];
        }
    }
    a->nplaces = n;
}

/* Collects the places of all accesses to the object, or of its writes. */
static bool collect(struct cx_access *a, uint64_t object, bool reads)
{
    const struct cx_summary_kernel *k = a->launch.kernel;
    struct cx_radix_eval re;
    bool found = make_room(a);

    if (!found || !cx_radix_eval_init(&re, &a->eval)) {
        return false;
    }
    forget(a, object);
    for (uint32_t i = 0; found && i < k->naccess; i++) {
        const struct cx_access_record *r = &k->access[i];
        if (a->args[r->arg].object == object && !a->bound[i].empty && (reads || writes(r))) {
            found = add_access(a, &re, r);
        }
    }
    cx_radix_eval_finish(&re);
    for (unsigned i = 0; !reads && i < a->nplaces; i++) { /* they are not all that is read */
        a->places[i].reads &= a->args[a->places[i].arg].object != object;
    }
    return found;
}

/* Boxes of a package at most, of what is read or written through the argument. */
static unsigned most_boxes(const struct cx_access *a, uint32_t arg, bool write)
{
    unsigned n = 0;

    for (unsigned i = 0; i < a->nplaces; i++) {
        const struct cx_places *p = &a->places[i];
        n += p->arg == arg && (write ? p->writes : p->reads) ? p->boxes : 0;
    }
    return n;
}

static bool all_apart(const struct cx_access *a, uint64_t object)
{
    for (unsigned i = 0; i < a->nplaces; i++) {
        for (unsigned j = 0; j < i; j++) {
            if (a->args[a->places[i].arg].object == object && a->args[a->places[j].arg].object == object &&
                !are_apart(a, &a->places[j], &a->places[i])) {
                return false;
            }
        }
    }
    return true;
}

/* Places of an id's digits, at which packages would make fewer boxes: the lowest that packages of so many
 * items cut. */
static int64_t next_place(const struct cx_access *a, uint64_t object, int64_t unit)
{
    int64_t least = 0;

    for (unsigned i = 0; i < a->nplaces; i++) {
        const struct cx_places *p = &a->places[i];
        for (unsigned j = 0; j < p->place.n && a->args[p->arg].object == object; j++) {
            const struct cx_digit *d = &p->place.digit[j];
            if (d->id == a->launch.dim && unit % d->place && (!least || d->place < least)) {
                least = d->place;
            }
        }
    }
    return least;
}

bool cx_access_is_bijective(struct cx_access *a, uint64_t object, bool reads)
{
    bool apart = collect(a, object, reads) && all_apart(a, object), few = true;

    for (uint32_t i = 0; apart && i < a->launch.kernel->narg; i++) {
        few = few && (a->args[i].object != object || (most_boxes(a, i, true) <= CX_ACCESS_BOXES &&
                                                      most_boxes(a, i, false) <= CX_ACCESS_BOXES));
    }
    if (apart && !few) {
        const int64_t place = next_place(a, object, items_of_unit(a)), local = a->launch.local[a->launch.dim];
        a->aligned = place ? place / cx_number_gcd(place, local) : 0;
    }
    if (!apart || !few) {
        forget(a, object);
    }
    return apart && few;
}

void cx_access_find_places(struct cx_access *a, uint32_t arg)
{
    const uint64_t object = a->args[arg].object;
    bool found = collect(a, object, true);
    int64_t round = found ? next_place(a, object, items_of_unit(a)) : 0;

    /* whole rows, or planes, hold what a part of them does */
    while (found && round && most_boxes(a, arg, false) > CX_ACCESS_BOXES) {
        for (unsigned i = 0; i < a->nplaces; i++) {
            struct cx_places *p = &a->places[i];
            if (a->args[p->arg].object == object) {
                p->round = round;
                p->boxes = count_boxes(a, p);
            }
        }
        round = next_place(a, object, round);
    }
    if (!found || most_boxes(a, arg, false) > CX_ACCESS_BOXES) {
        forget(a, object);
    }
}

void cx_access_trim_places(struct cx_access *a)
{
    struct cx_places *fewer = a->nplaces ? realloc(a->places, a->nplaces * sizeof(*a->places)) : NULL;

    if (a->nplaces == 0) {
        free(a->places);
        a->places = NULL;
    } else if (fewer) {
        a->places = fewer;
    }
}

/* A box of one run for each digit. */
static bool add_box(const struct cx_places *p, const struct run *run, struct cx_access_box *box)
{
    int64_t lo = p->place.constant;
    unsigned levels = 0;

    *box = (struct cx_access_box){.len = (uint64_t)p->size, .count = {1, 1}};
    for (unsigned i = 0; i < p->place.n; i++) {
        const int64_t factor = p->place.digit[i].factor, step = cx_number_size(factor);
        const uint64_t n = (uint64_t)run[i].n, stride = (uint64_t)step;
        lo += factor * (factor > 0 ? run[i].lo : run[i].lo + run[i].n - 1);
        if (n == 1) {
            continue;
        }
        if (levels == 0 && stride == box->len) {
            box->len *= n;
        } else if (levels && stride == box->stride[levels - 1] * box->count[levels - 1]) {
            box->count[levels - 1] *= n;
        } else if (levels == 2) {
            return false;
        } else {
            box->stride[levels] = stride;
            box->count[levels++] = n;
        }
    }
    box->lo = (uint64_t)lo;
    return true;
}

struct boxes {
    struct cx_access_box *box;
    unsigned n;
    bool fits;
};

/* All boxes of the digits lo..hi, by digit. */
static void add_product(const struct cx_places *p, const int64_t *lo, const int64_t *hi, struct boxes *out)
{
    struct run run[CX_RADIX_DIGITS][2], one[CX_RADIX_DIGITS];
    unsigned n[CX_RADIX_DIGITS], all = 1;

    for (unsigned i = 0; i < p->place.n; i++) {
        n[i] = images(&p->place.digit[i], lo[i], hi[i], run[i]);
        all *= n[i];
    }
    for (unsigned which = 0; which < all && out->fits; which++) {
        unsigned rest = which;
        for (unsigned i = 0; i < p->place.n; i++) {
            one[i] = run[i][rest % n[i]];
            rest /= n[i];
        }
        out->fits = out->n < CX_ACCESS_BOXES && add_box(p, one, &out->box[out->n]);
        out->n += out->fits;
    }
}

/* The digits of one id while its numbers are parted. */
struct parting {
    const struct cx_places *p;
    const unsigned *digit;
    int64_t lo[CX_RADIX_DIGITS], hi[CX_RADIX_DIGITS];
    struct boxes *out;
};

/* Numbers first..last made of the lowest n digits, counted in the place of the lowest one. */
static void part(struct parting *w, unsigned n, int64_t first, int64_t last)
{
    const struct cx_digit *d = w->p->place.digit;
    const unsigned top = w->digit[n - 1];
    const int64_t one = d[top].place / d[w->digit[0]].place;
    int64_t lo = first / one, hi = last / one;

    if (n > 1 && lo == hi) {
        w->lo[top] = w->hi[top] = lo;
        part(w, n - 1, first % one, last % one);
        return;
    }
    if (n > 1 && first % one) {
        w->lo[top] = w->hi[top] = lo++;
        part(w, n - 1, first % one, one - 1);
    }
    if (n > 1 && last % one != one - 1) {
        w->lo[top] = w->hi[top] = hi--;
        part(w, n - 1, 0, last % one);
    }
    if (lo > hi) {
        return;
    }
    w->lo[top] = lo;
    w->hi[top] = hi;
    for (unsigned i = 0; i + 1 < n; i++) {
        w->lo[w->digit[i]] = 0;
        w->hi[w->digit[i]] = d[w->digit[i]].base - 1;
    }
    add_product(w->p, w->lo, w->hi, w->out);
}

/* What the items of units first..last touch of these places. */
static void add_places(const struct cx_access *a, const struct cx_places *p, int64_t first, int64_t last,
                       struct boxes *out)
{
    const unsigned dim = a->launch.dim;
    const int64_t unit = items_of_unit(a);
    unsigned digit[CX_RADIX_DIGITS];
    const unsigned n = digits_of(&p->place, dim, digit);
    const struct cx_digit *highest = &p->place.digit[digit[n - 1]];
    const int64_t least = p->place.digit[digit[0]].place,
                  end = highest->base ? highest->place * highest->base : 0;
    int64_t from = first * unit, to = (last + 1) * unit - 1;
    struct parting w = {.p = p, .digit = digit, .out = out};

    if (p->round) {
        from = from / p->round * p->round;
        to = (to / p->round + 1) * p->round - 1;
    }
    from = from > p->ids.lo[dim] ? from : p->ids.lo[dim];
    to = to < p->ids.hi[dim] ? to : p->ids.hi[dim];
    if (from > to) {
        return;
    }
    for (unsigned i = 0; i < p->place.n; i++) {
        cx_radix_digit_range(&p->ids, &p->place.digit[i], &w.lo[i], &w.hi[i]);
    }
    /* above the highest digit all ids are alike */
    part(&w, n, (end ? from % end : from) / least, (end ? to % end : to) / least);
}

/* Whether the box is one run of bytes, without strides: one that is merged with others, or all that is asked
 * for. */
static bool is_run(const struct cx_access_box *b)
{
    return b->count[0] == 1 && b->count[1] == 1;
}

static uint64_t end_of(const struct cx_access_box *b)
{
    return b->lo + b->len + b->stride[0] * (b->count[0] - 1) + b->stride[1] * (b->count[1] - 1);
}

static int compare(const void *a, const void *b)
{
    const struct cx_access_box *x = a, *y = b;

    return x->lo < y->lo ? -1 : x->lo > y->lo;
}

/* Makes one of runs that overlap or follow each other; false where other boxes might overlap. */
static bool tidy(struct boxes *all, bool apart)
{
    unsigned n = 0;
    uint64_t end = 0;

    qsort(all->box, all->n, sizeof(all->box[0]), compare);
    for (unsigned i = 0; i < all->n; i++) {
        struct cx_access_box *b = &all->box[i], *before = n ? &all->box[n - 1] : NULL;
        if (!apart && b->lo < end && !(is_run(b) && before && is_run(before) && b->lo <= end_of(before))) {
            return false;
        }
        end = end_of(b) > end ? end_of(b) : end;
        if (before && is_run(b) && is_run(before) && b->lo <= end_of(before)) {
            before->len = end_of(b) > end_of(before) ? end_of(b) - before->lo : before->len;
            continue;
        }
        all->box[n++] = *b;
    }
    all->n = n;
    return true;
}

bool cx_access_place_boxes(const struct cx_access *a, uint32_t arg, bool write, int64_t first, int64_t last,
                           struct cx_access_box *box, unsigned *n, struct cx_access_interval *hull)
{
    struct boxes all = {.box = box, .fits = true};
    const bool apart = write || a->means[arg].protocol == CX_PROTOCOL_EXCLUSIVE;
    bool any = false;

    for (unsigned i = 0; i < a->nplaces; i++) {
        const struct cx_places *p = &a->places[i];
        if (p->arg == arg && (write ? p->writes : p->reads)) {
            any = true;
            add_places(a, p, first, last, &all);
        }
    }
    if (!any || !all.fits || !tidy(&all, apart)) {
        return false;
    }
    *hull = (struct cx_access_interval){.known = true};
    for (unsigned i = 0; i < all.n; i++) {
        hull->lo = i == 0 ? box[i].lo : hull->lo;
        hull->hi = end_of(&box[i]) > hull->hi ? end_of(&box[i]) : hull->hi;
    }
    *n = all.n == 1 && is_run(&box[0]) ? 0 : all.n;
    return true;
}
