/* SPDX-License-Identifier: MIT */
/* What the memory of random kernels holds, and places in it. */
#include "generator.h"

const struct gen_elem_info gen_elem[EL_COUNT] = {
    [EL_CHAR] = {"char", 1, 1, I32},
    [EL_UCHAR] = {"uchar", 1, 1, I32},
    [EL_SHORT] = {"short", 2, 2, I32},
    [EL_USHORT] = {"ushort", 2, 2, I32},
    [EL_INT] = {"int", 4, 4, I32},
    [EL_UINT] = {"uint", 4, 4, U32},
    [EL_LONG] = {"long", 8, 8, I64},
    [EL_ULONG] = {"ulong", 8, 8, U64},
    [EL_FLOAT] = {"float", 4, 4, I32},
    [EL_CHAR4] = {"char4", 4, 4, I32, 4, EL_CHAR},
    [EL_INT2] = {"int2", 8, 8, I32, 2, EL_INT},
    [EL_INT4] = {"int4", 16, 16, I32, 4, EL_INT},
    [EL_FLOAT4] = {"float4", 16, 16, I32, 4, EL_FLOAT},
    [EL_PAIR] = {"struct pair", 8, 4, 0, 0, 0, 2, {{"a", 0, EL_CHAR}, {"b", 4, EL_INT}}},
    [EL_MIXED] = {"struct mixed",
                  24,
                  8,
                  0,
                  0,
                  0,
                  5,
                  {{"a", 0, EL_SHORT},
                   {"b", 2, EL_CHAR},
                   {"c", 8, EL_LONG},
                   {"d[0]", 16, EL_UCHAR},
                   {"d[2]", 18, EL_UCHAR}}},
    [EL_NESTED] = {"struct nested",
                   24,
                   4,
                   0,
                   0,
                   0,
                   6,
                   {{"x", 0, EL_INT},
                    {"s[0].a", 4, EL_CHAR},
                    {"s[0].b", 8, EL_INT},
                    {"s[1].a", 12, EL_CHAR},
                    {"s[1].b", 16, EL_INT},
                    {"f", 20, EL_FLOAT}}},
    [EL_PACKED] =
        {"struct packed", 7, 1, 0, 0, 0, 3, {{"a", 0, EL_CHAR}, {"b", 1, EL_INT}, {"c", 5, EL_SHORT}}},
};

int32_t gen_table_value(unsigned i)
{
    static const int32_t table[GEN_TABLE] = {3, 0, 7, 1, 12, 5, 2, 9};

    return table[i % GEN_TABLE];
}

unsigned gen_ref_stride(const struct gen_ref *r)
{
    switch ((enum gen_form)r->form) {
    case R_VLOAD:
        return r->part * gen_elem[r->el].size;
    case R_CAST:
    case R_BYTES:
        return gen_elem[r->to].size;
    case R_HALF:
        return 2;
    default:
        return gen_elem[r->el].size;
    }
}

unsigned gen_ref_size(const struct gen_ref *r)
{
    switch ((enum gen_form)r->form) {
    case R_FIELD:
        return gen_elem[gen_elem[r->el].field[r->part].scalar].size;
    case R_COMP:
        return gen_elem[gen_elem[r->el].scalar].size;
    default:
        return gen_ref_stride(r);
    }
}

unsigned gen_ref_add(const struct gen_ref *r)
{
    if (r->form == R_FIELD) {
        return gen_elem[r->el].field[r->part].offset;
    }
    return r->form == R_COMP ? r->part * gen_elem[gen_elem[r->el].scalar].size : 0;
}

unsigned gen_ref_scalar(const struct gen_ref *r)
{
    const struct gen_elem_info *e = &gen_elem[r->el];

    switch ((enum gen_form)r->form) {
    case R_FIELD:
        return e->field[r->part].scalar;
    case R_COMP:
    case R_VECTOR:
        return e->scalar;
    case R_CAST:
    case R_BYTES:
        return r->to;
    default:
        return r->el;
    }
}
