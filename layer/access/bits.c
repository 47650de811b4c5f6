/* SPDX-License-Identifier: MIT */
/* Known bits of expressions: see bits.h. Next stage: race.c. */
#include "layer/access/bits.h"

#include <stdlib.h>

static const struct cx_bits unknown = {0, 0};

static uint64_t below(unsigned bit)
{
    return bit < 64 ? (UINT64_C(1) << bit) - 1 : UINT64_MAX;
}

static struct cx_bits constant(uint64_t value)
{
    return (struct cx_bits){~value, value};
}

static bool is_constant(struct cx_bits x)
{
    return (x.zero | x.one) == UINT64_MAX;
}

static bool is_power(uint64_t value)
{
    return value && !(value & (value - 1));
}

static unsigned log_of(uint64_t power)
{
    return (unsigned)__builtin_ctzll(power);
}

/* Any number from 0 to this. */
static struct cx_bits up_to(uint64_t highest)
{
    return (struct cx_bits){highest ? ~below(64 - (unsigned)__builtin_clzll(highest)) : UINT64_MAX, 0};
}

/* The bits that are known of both, and the same. */
static struct cx_bits common(struct cx_bits x, struct cx_bits y)
{
    return (struct cx_bits){x.zero & y.zero, x.one & y.one};
}

/* x + y + carry. A bit of the sum is known where those of the operands are and what is carried into it. */
static struct cx_bits sum(struct cx_bits x, struct cx_bits y, unsigned carry)
{
    const uint64_t highest = ~x.zero + ~y.zero + carry, lowest = x.one + y.one + carry;
    const uint64_t none = ~(highest ^ x.zero ^ y.zero), carried = lowest ^ x.one ^ y.one;
    const uint64_t known = (x.zero | x.one) & (y.zero | y.one) & (none | carried);

    return (struct cx_bits){~highest & known, lowest & known};
}

static struct cx_bits shifted_up(struct cx_bits x, unsigned by)
{
    return (struct cx_bits){x.zero << by | below(by), x.one << by};
}

static struct cx_bits shifted_down(struct cx_bits x, unsigned by)
{
    return (struct cx_bits){x.zero >> by | ~(UINT64_MAX >> by), x.one >> by};
}

static struct cx_bits times(struct cx_bits x, uint64_t factor)
{
    struct cx_bits result = constant(0);

    for (unsigned bit = 0; bit < 64; bit++) {
        if (factor >> bit & 1) {
            result = sum(result, shifted_up(x, bit), 0);
        }
    }
    return result;
}

static struct cx_bits product(struct cx_bits x, struct cx_bits y)
{
    uint64_t even;

    if (is_constant(x) || is_constant(y)) {
        return is_constant(y) ? times(x, y.one) : times(y, x.one);
    }
    even = (x.zero + 1) & ~x.zero; /* the lowest bit that may be set; neither is 0 in all bits */
    return times((struct cx_bits){below(log_of((y.zero + 1) & ~y.zero)), 0}, even);
}

static struct cx_bits quotient(struct cx_bits x, struct cx_bits y)
{
    if (!is_constant(y) || !y.one) {
        return unknown;
    }
    return is_power(y.one) ? shifted_down(x, log_of(y.one)) : up_to(~x.zero / y.one);
}

static struct cx_bits remainder_of(struct cx_bits x, struct cx_bits y)
{
    const uint64_t highest = ~x.zero;

    if (!is_constant(y) || !y.one) {
        return unknown;
    }
    if (is_power(y.one)) {
        return (struct cx_bits){x.zero | ~(y.one - 1), x.one & (y.one - 1)};
    }
    return up_to(highest < y.one ? highest : y.one - 1);
}

static struct cx_bits sign_extended(struct cx_bits x, unsigned width)
{
    const uint64_t sign = UINT64_C(1) << (width - 1), above = ~below(width);

    return (struct cx_bits){(x.zero & ~above) | (x.zero & sign ? above : 0),
                            (x.one & ~above) | (x.one & sign ? above : 0)};
}

static struct cx_bits shift(enum cx_expr_op op, struct cx_bits x, struct cx_bits y, unsigned width)
{
    if (!is_constant(y) || y.one >= width) {
        return unknown;
    }
    if (op == CX_EXPR_SHL) {
        return shifted_up(x, (unsigned)y.one);
    }
    if (op == CX_EXPR_ASHR) {
        x = sign_extended(x, width);
        if (!((x.zero | x.one) >> 63)) {
            return (struct cx_bits){x.zero >> y.one & below(width - (unsigned)y.one),
                                    x.one >> y.one & below(width - (unsigned)y.one)};
        }
        return (struct cx_bits){(uint64_t)((int64_t)x.zero >> y.one), (uint64_t)((int64_t)x.one >> y.one)};
    }
    return shifted_down(x, (unsigned)y.one);
}

static bool is_negative_never(struct cx_bits x, unsigned width)
{
    return x.zero >> (width - 1) & 1;
}

static struct cx_bits of_operands(const struct cx_expr *e, struct cx_bits x, struct cx_bits y, unsigned from)
{
    switch ((enum cx_expr_op)e->op) {
    case CX_EXPR_ADD:
        return sum(x, y, 0);
    case CX_EXPR_SUB:
        return sum(x, (struct cx_bits){y.one, y.zero}, 1);
    case CX_EXPR_MUL:
        return product(x, y);
    case CX_EXPR_SDIV:
    case CX_EXPR_SREM:
        if (!is_negative_never(x, e->width) || !is_negative_never(y, e->width)) {
            return unknown;
        }
        return e->op == CX_EXPR_SDIV ? quotient(x, y) : remainder_of(x, y);
    case CX_EXPR_UDIV:
        return quotient(x, y);
    case CX_EXPR_UREM:
        return remainder_of(x, y);
    case CX_EXPR_SHL:
    case CX_EXPR_LSHR:
    case CX_EXPR_ASHR:
        return shift((enum cx_expr_op)e->op, x, y, e->width);
    case CX_EXPR_AND:
        return (struct cx_bits){x.zero | y.zero, x.one & y.one};
    case CX_EXPR_OR:
        return (struct cx_bits){x.zero & y.zero, x.one | y.one};
    case CX_EXPR_XOR:
        return (struct cx_bits){(x.zero & y.zero) | (x.one & y.one), (x.zero & y.one) | (x.one & y.zero)};
    case CX_EXPR_CHOICE:
        return x;
    case CX_EXPR_UNION:
    case CX_EXPR_SMIN:
    case CX_EXPR_SMAX:
    case CX_EXPR_UMIN:
    case CX_EXPR_UMAX:
        return common(x, y);
    case CX_EXPR_SEXT:
        return sign_extended(x, from);
    case CX_EXPR_ZEXT:
    case CX_EXPR_TRUNC:
        return x;
    default:
        return unknown;
    }
}

static struct cx_bits of_leaf(const struct cx_launch *l, const struct cx_expr *e)
{
    const int64_t most = INT64_C(1) << 40; /* beyond are no ranges of today, and nothing overflows below */
    const unsigned d = (unsigned)e->a;

    switch ((enum cx_expr_op)e->op) {
    case CX_EXPR_CONST:
        return constant((uint64_t)e->imm);
    case CX_EXPR_GLOBAL_ID:
        return l->offset[d] < 0 || l->offset[d] > most || l->global[d] < 1 || l->global[d] > most
                   ? unknown
                   : up_to((uint64_t)(l->offset[d] + l->global[d] - 1));
    case CX_EXPR_LOCAL_ID:
        return l->local[d] < 1 || l->local[d] > most ? unknown : up_to((uint64_t)l->local[d] - 1);
    case CX_EXPR_GROUP_ID:
        return l->groups[d] < 1 || l->groups[d] > most ? unknown : up_to((uint64_t)l->groups[d] - 1);
    default:
        return unknown;
    }
}

/* Bits beyond the node's width are 0, as an operation reads it that does not mind signs. */
static struct cx_bits cut(struct cx_bits x, unsigned width)
{
    return (struct cx_bits){x.zero | ~below(width), x.one & below(width)};
}

struct cx_bits *cx_bits_find(const struct cx_launch *launch)
{
    const struct cx_expr *expr = launch->kernel->expr;
    const uint32_t n = launch->kernel->nexpr;
    struct cx_bits *bits = malloc((n + 1) * sizeof(*bits));

    for (uint32_t i = 0; bits && i < n; i++) {
        const struct cx_expr *e = &expr[i];
        const unsigned operands = cx_expr_operands(e->op);
        const struct cx_bits found =
            operands ? of_operands(e, bits[e->a], operands > 1 ? bits[e->b] : unknown, expr[e->a].width)
                     : of_leaf(launch, e);
        bits[i] = cut(found, e->width);
    }
    return bits;
}

struct cx_bits cx_bits_add(struct cx_bits x, int64_t value)
{
    return sum(x, constant((uint64_t)value), 0);
}

bool cx_bits_apart(struct cx_bits x, struct cx_bits y, uint64_t bytes)
{
    /* of the power of two that the bytes fit in: both places leave one rest, so that they are one or that far
     * apart */
    const uint64_t rest = bytes > 1 ? below(64 - (unsigned)__builtin_clzll(bytes - 1)) : 0;
    const bool one_rest =
        !(~(x.zero | x.one) & rest) && !(~(y.zero | y.one) & rest) && !((x.one ^ y.one) & rest);

    return one_rest && ((x.zero & y.one) | (x.one & y.zero));
}
