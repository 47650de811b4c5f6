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

    switch (make_below(s, 4)) {
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
    return make_binary(s, B_REM, ahead, size);
}

int make_ring(struct scope *s, int value)
{
    const unsigned type = make_chance(s, 60) ? U32 : U64, n = 2 + make_below(s, 7);
    const unsigned ring = n + (make_chance(s, 8) ? 1 : 0), by = make_chance(s, 50) ? 1 : make_below(s, n + 1);
    int id = make_cast(s, type, value), size = make_const(s, type, n);
    int row = make_binary(s, B_DIV, id, size);

    if (make_chance(s, 40)) {
        row = around(s, type, row, 1, 2 + make_below(s, 7));
    }
    return make_binary(s, B_ADD, around(s, type, make_binary(s, B_REM, id, size), by, ring),
                       make_binary(s, B_MUL, row, size));
}
