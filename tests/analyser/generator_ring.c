/* SPDX-License-Identifier: MIT */
/* Indices of random kernels that wrap around. */
#include "generator_make.h"

static int choose(struct scope *s, unsigned type, int condition, int a, int b)
{
    return make_expr(s, (struct gen_expr){.op = E_COND,
                                          .type = (uint8_t)type,
                                          .a = (int16_t)condition,
                                          .b = (int16_t)make_cast(s, type, a),
                                          .c = (int16_t)make_cast(s, type, b),
                                          .ref = -1});
}

/* x + by, where x is below n and by not above it, on a ring of n. */
static int around(struct scope *s, unsigned type, int x, unsigned by, unsigned n)
{
    int ahead = make_binary(s, B_ADD, x, make_const(s, type, by)), size = make_const(s, type, n);

    switch (make_below(s, 5)) {
    case 4: /* x + by - n, and n more where that is below 0 */
        ahead = make_cast(s, I32, make_binary(s, B_SUB, ahead, size));
        return make_cast(
            s, type,
            choose(s, I32, make_binary(s, B_LT, ahead, make_const(s, I32, 0)),
                   make_cast(s, I32, make_binary(s, B_ADD, make_cast(s, U32, ahead), make_const(s, U32, n))),
                   ahead));
    case 0:
        return choose(s, type, make_binary(s, make_chance(s, 50) ? B_LT : B_NE, ahead, size), ahead,
                      by == 1 ? make_const(s, type, 0) : make_binary(s, B_SUB, ahead, size));
    case 1:
        return make_binary(s, B_SUB, ahead,
                           choose(s, type, make_binary(s, B_GE, ahead, size), size, make_const(s, type, 0)));
    case 2:
        if ((n & (n - 1)) == 0) {
            return make_binary(s, B_AND, ahead, make_const(s, type, n - 1));
        }
        break;
    default:
        break;
    }
    return make_divided(s, B_REM, ahead, n);
}

struct gen_ring make_ring_layout(struct scope *s)
{
    struct gen_ring ring = {.n = make_chance(s, 30) ? 2 : 3 + make_below(s, GEN_DIGITS - 2)};
    const unsigned most = ring.n <= 3 ? 6 : ring.n == 4 ? 4 : 3;
    unsigned order[GEN_DIGITS], stride = 1;

    for (unsigned i = 0; i < ring.n; i++) {
        const unsigned at = make_below(s, i + 1);
        order[i] = order[at];
        order[at] = i;
        ring.base[i] = 2 + make_below(s, most - 1);
    }
    for (unsigned i = 0; i < ring.n; i++) {
        ring.stride[order[i]] = stride;
        stride = stride * ring.base[order[i]] + (make_chance(s, 25) ? 1 + make_below(s, 3) : 0);
        stride -= make_chance(s, 3) ? 1 : 0;
    }
    ring.extent = stride;
    return ring;
}

/* The digit, moved around the ring of its base. */
static int moved(struct scope *s, unsigned type, int digit, unsigned base)
{
    const unsigned by = make_chance(s, 60) ? (make_chance(s, 50) ? 1 : base - 1) : make_below(s, base + 1);

    return make_chance(s, 45) ? digit : around(s, type, digit, by, base + (make_chance(s, 3) ? 1 : 0));
}

int make_ring(struct scope *s, int value, const struct gen_ring *ring)
{
    const unsigned type = make_chance(s, 60) ? U32 : U64;
    int rest = make_cast(s, type, value), sum = -1;

    for (unsigned i = 0; i < ring->n; i++) {
        const bool last = i + 1 == ring->n;
        int digit = last ? rest : make_divided(s, B_REM, rest, ring->base[i]);
        digit = moved(s, type, digit, ring->base[i]);
        if (ring->stride[i] > 1) {
            digit = make_binary(s, B_MUL, digit, make_const(s, type, ring->stride[i]));
        }
        sum = sum < 0 ? digit : make_binary(s, B_ADD, sum, digit);
        rest = last ? rest : make_divided(s, B_DIV, rest, ring->base[i]);
    }
    return sum;
}

int make_own_number(struct scope *s)
{
    const bool rings = s->k->class == CLASS_RINGS;
    int index = make_var(s, (unsigned)s->k->unique);

    if (make_chance(s, rings ? 95 : 15)) {
        const struct gen_ring ring = rings ? s->k->ring : make_ring_layout(s);
        index = make_ring(s, index, &ring);
        if (rings && make_chance(s, 60)) { /* one of some slots */
            const unsigned slot = (1 + make_below(s, 2)) * ring.extent;
            index = make_binary(s, B_ADD, index, make_const(s, 2 + make_below(s, 2), slot));
        }
    }
    return index;
}
