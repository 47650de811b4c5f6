/* SPDX-License-Identifier: MIT */
/* Random kernels as OpenCL C. */
#include "generator.h"

#include <inttypes.h>
#include <string.h>

static const char *const type_name[] = {"int", "uint", "long", "ulong"};
static const char *const binary[] = {"+", "-", "*",  "/", "%",  "<<", ">>", "&",  "|",
                                     "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||"};
static const char *const builtin[] = {"min",    "max", "clamp",    "select",   "mul24",
                                      "mad24",  "abs", "abs_diff", "add_sat",  "rotate",
                                      "mul_hi", "clz", "popcount", "bitselect"};
static const char *const item[] = {"get_global_id",        "get_local_id",       "get_group_id",
                                   "get_global_size",      "get_local_size",     "get_num_groups",
                                   "get_global_offset",    "get_work_dim",       "get_enqueued_local_size",
                                   "get_global_linear_id", "get_local_linear_id"};
static const char *const atomic[] = {"add", "sub", "inc", "dec",  "min",    "max",
                                     "and", "or",  "xor", "xchg", "cmpxchg"};

const char *gen_build_option(const struct gen_kernel *k)
{
    return k->std == 30   ? "-cl-std=CL3.0"
           : k->std == 20 ? "-cl-std=CL2.0"
           : k->std == 12 ? "-cl-std=CL1.2"
                          : "";
}

/* Functions that fold a vector into one number and spread a number over a vector. */
static void print_folds(FILE *out)
{
    static const unsigned counts[] = {2, 3, 4, 8};
    static const uint8_t scalars[] = {EL_CHAR, EL_SHORT, EL_INT, EL_LONG, EL_FLOAT};

    for (unsigned s = 0; s < sizeof(scalars); s++) {
        const struct gen_elem_info *e = &gen_elem[scalars[s]];
        const char *wide = type_name[e->type], *as = scalars[s] == EL_FLOAT ? "as_int" : "";
        for (unsigned c = 0; c < 4; c++) {
            fprintf(out, "%s fold_%s%u(%s%u v) { return ", wide, e->name, counts[c], e->name, counts[c]);
            for (unsigned i = 0; i < counts[c]; i++) {
                fprintf(out, "%s%s(v.s%u)", i ? " ^ " : "", as, i);
            }
            fprintf(out, "; }\n%s%u spread_%s%u(%s v) { return (%s%u)(", e->name, counts[c], e->name,
                    counts[c], wide, e->name, counts[c]);
            for (unsigned i = 0; i < counts[c]; i++) {
                fprintf(out, scalars[s] == EL_FLOAT ? "%sas_%s(v ^ %u)" : "%s(%s)(v ^ %u)", i ? ", " : "",
                        e->name, i);
            }
            fprintf(out, "); }\n");
        }
    }
}

void gen_print_common(FILE *out)
{
    fprintf(out,
            "struct pair { char a; int b; };\n"
            "struct mixed { short a; char b; long c; uchar d[3]; };\n"
            "struct nested { int x; struct pair s[2]; float f; };\n"
            "struct __attribute__((packed)) packed { char a; int b; short c; };\n"
            "__constant int table[%d] = {",
            GEN_TABLE);
    for (unsigned i = 0; i < GEN_TABLE; i++) {
        fprintf(out, "%s%d", i ? ", " : "", gen_table_value(i));
    }
    fprintf(out, "};\n");
    print_folds(out);
}

static const char *space(const struct gen_kernel *k, const struct gen_ref *r)
{
    bool constant = r->ptr ? k->ptr[r->src].space == 1 : k->param[r->src].kind == P_CONSTANT;
    bool is_const = r->ptr ? k->ptr[r->src].is_const : k->param[r->src].is_const;
    bool is_volatile = r->ptr ? k->ptr[r->src].is_volatile : k->param[r->src].is_volatile;

    return constant      ? "__constant "
           : is_volatile ? "volatile __global "
           : is_const    ? "const __global "
                         : "__global ";
}

static void print_source(FILE *out, const struct gen_ref *r)
{
    fprintf(out, "%s%u", r->ptr ? "q" : "p", r->src);
}

/* The place as an lvalue or, of vloadN, as the operands behind the value. */
static void print_ref(FILE *out, const struct gen_kernel *k, int ref)
{
    const struct gen_ref *r = &k->ref[ref];
    const struct gen_elem_info *e = &gen_elem[r->el];

    switch ((enum gen_form)r->form) {
    case R_STAR:
        fprintf(out, "*(");
        print_source(out, r);
        fprintf(out, " + ");
        gen_print_expr(out, k, r->index);
        fprintf(out, ")");
        return;
    case R_VLOAD:
    case R_HALF:
        gen_print_expr(out, k, r->index);
        fprintf(out, ", ");
        if (r->form == R_HALF) {
            fprintf(out, "(%shalf *)", space(k, r));
        }
        print_source(out, r);
        return;
    case R_CAST:
        fprintf(out, "((%s%s *)", space(k, r), gen_elem[r->to].name);
        print_source(out, r);
        fprintf(out, ")[");
        break;
    case R_BYTES:
        fprintf(out, "*(%s%s *)((%schar *)", space(k, r), gen_elem[r->to].name, space(k, r));
        print_source(out, r);
        fprintf(out, " + ");
        gen_print_expr(out, k, r->index);
        fprintf(out, " * sizeof(%s))", gen_elem[r->to].name);
        return;
    default:
        print_source(out, r);
        fprintf(out, "[");
        break;
    }
    gen_print_expr(out, k, r->index);
    fprintf(out, "]");
    if (r->form == R_FIELD) {
        fprintf(out, ".%s", e->field[r->part].path);
    } else if (r->form == R_COMP) {
        fprintf(out, ".s%u", r->part);
    }
}

static void print_load(FILE *out, const struct gen_kernel *k, int ref)
{
    const struct gen_ref *r = &k->ref[ref];
    unsigned scalar = gen_ref_scalar(r);

    if (r->form == R_VLOAD) {
        fprintf(out, "fold_%s%u(vload%u(", gen_elem[r->el].name, r->part, r->part);
        print_ref(out, k, ref);
        fprintf(out, "))");
    } else if (r->form == R_HALF) {
        fprintf(out, "(vload_half(");
        print_ref(out, k, ref);
        fprintf(out, ") > 1.0f)");
    } else if (r->form == R_VECTOR) {
        fprintf(out, "fold_%s(", gen_elem[r->el].name);
        print_ref(out, k, ref);
        fprintf(out, ")");
    } else {
        fprintf(out, scalar == EL_FLOAT ? "as_int(" : "");
        print_ref(out, k, ref);
        fprintf(out, scalar == EL_FLOAT ? ")" : "");
    }
}

static void print_const(FILE *out, const struct gen_expr *e)
{
    switch (e->type) {
    case I32:
        fprintf(out, e->imm < 0 ? "(%" PRId64 " - 1)" : "%" PRId64, e->imm < 0 ? e->imm + 1 : e->imm);
        return;
    case U32:
        fprintf(out, "%" PRId64 "u", e->imm);
        return;
    case I64:
        fprintf(out, e->imm < 0 ? "(%" PRId64 "L - 1L)" : "%" PRId64 "L", e->imm < 0 ? e->imm + 1 : e->imm);
        return;
    default:
        fprintf(out, "%" PRIu64 "UL", (uint64_t)e->imm);
        return;
    }
}

static void print_builtin(FILE *out, const struct gen_kernel *k, const struct gen_expr *e)
{
    int operand[3] = {e->a, e->b, e->c};

    fprintf(out, "%s(", builtin[e->sub]);
    for (int i = 0; i < 3 && operand[i] >= 0; i++) {
        fprintf(out, "%s(%s)", i ? ", " : "", type_name[e->opnd]);
        gen_print_expr(out, k, operand[i]);
    }
    fprintf(out, ")");
}

static void print_item(FILE *out, const struct gen_kernel *k, const struct gen_expr *e)
{
    fprintf(out, "%s(", item[e->sub]);
    if (e->a >= 0) {
        fprintf(out, "(uint)");
        gen_print_expr(out, k, e->a);
    } else if (e->sub != ITEM_WORK_DIM && e->sub != ITEM_GLOBAL_LINEAR_ID && e->sub != ITEM_LOCAL_LINEAR_ID) {
        fprintf(out, "%d", (int)e->imm);
    }
    fprintf(out, ")");
}

static void print_arg(FILE *out, const struct gen_kernel *k, const struct gen_expr *e)
{
    const struct gen_elem_info *el = &gen_elem[k->param[e->sub].el];

    if (el->nfield) {
        bool real = el->field[e->imm].scalar == EL_FLOAT;
        fprintf(out, real ? "as_int(p%u.%s)" : "p%u.%s", e->sub, el->field[e->imm].path);
    } else if (el->comps) {
        fprintf(out, el->scalar == EL_FLOAT ? "as_int(p%u.s%d)" : "p%u.s%d", e->sub, (int)e->imm);
    } else {
        fprintf(out, k->param[e->sub].el == EL_FLOAT ? "as_int(p%u)" : "p%u", e->sub);
    }
}

/* A call of a helper: a pointer first where it takes one. */
static void print_call(FILE *out, const struct gen_kernel *k, unsigned helper, int a, int b, int ref)
{
    fprintf(out, "h%u_%u(", k->index, helper);
    if (ref >= 0) {
        print_source(out, &k->ref[ref]);
        fprintf(out, " + ");
        gen_print_expr(out, k, k->ref[ref].index);
        fprintf(out, ", ");
    }
    gen_print_expr(out, k, a);
    fprintf(out, ", ");
    gen_print_expr(out, k, b);
    fprintf(out, ")");
}

static void print_around(FILE *out, const struct gen_kernel *k, const char *before, int i, const char *after)
{
    fprintf(out, "%s", before);
    gen_print_expr(out, k, i);
    fprintf(out, "%s", after);
}

void gen_print_expr(FILE *out, const struct gen_kernel *k, int i)
{
    static const char *const unary[] = {"(-", "(~", "(!"};
    const struct gen_expr *e = &k->expr[i];
    char text[60];

    switch ((enum gen_expr_op)e->op) {
    case E_CONST:
        print_const(out, e);
        break;
    case E_VAR:
        fprintf(out, "v%u", e->sub);
        break;
    case E_ARG:
        print_arg(out, k, e);
        break;
    case E_ITEM:
        print_item(out, k, e);
        break;
    case E_BIN:
        print_around(out, k, "(", e->a, " ");
        fprintf(out, "%s ", binary[e->sub]);
        print_around(out, k, "", e->b, ")");
        break;
    case E_UN:
        print_around(out, k, unary[e->sub], e->a, ")");
        break;
    case E_CAST:
        snprintf(text, sizeof(text), "((%s)", type_name[e->type]);
        print_around(out, k, text, e->a, ")");
        break;
    case E_NARROW:
        snprintf(text, sizeof(text), "((%s)", gen_elem[e->sub].name);
        print_around(out, k, text, e->a, ")");
        break;
    case E_COND:
        print_around(out, k, "(", e->a, " ? ");
        print_around(out, k, "", e->b, " : ");
        print_around(out, k, "", e->c, ")");
        break;
    case E_BUILTIN:
        print_builtin(out, k, e);
        break;
    case E_LOAD:
        print_load(out, k, e->ref);
        break;
    case E_LOCAL:
        snprintf(text, sizeof(text), "%s(l%u[(uint)", k->local[e->sub].el == EL_FLOAT ? "as_int" : "",
                 e->sub);
        print_around(out, k, text, e->a, "");
        fprintf(out, " %% %uu])", (unsigned)k->local[e->sub].n);
        break;
    case E_PRIVATE:
        print_around(out, k, "mine[", e->a, " & 3]");
        break;
    case E_TABLE:
        print_around(out, k, "table[", e->a, " & 7]");
        break;
    case E_HELPER:
        print_call(out, k, e->sub, e->a, e->b, e->ref);
        break;
    case E_FLOAT:
        print_around(out, k, "((int)((float)(", e->a, " & 255) * 0.5f))");
        break;
    case E_EXISTS:
        fprintf(out, "(p%u != 0)", e->sub);
        break;
    case E_IMAGE:
        gen_print_image_read(out, k, e);
        break;
    case E_IMAGE_SIZE:
        gen_print_image_size(out, k, e);
        break;
    case E_PLACE:
        break;
    }
}

static void print_body(FILE *out, const struct gen_kernel *k, int s, int depth);

static void indent(FILE *out, int depth)
{
    fprintf(out, "%*s", depth * 4, "");
}

static void print_op(FILE *out, unsigned op)
{
    fprintf(out, " %s= ", op == B_SET ? "" : binary[op]);
}

/* The value brought into the type that is stored. */
static void print_value(FILE *out, const struct gen_kernel *k, unsigned scalar, int value)
{
    if (scalar == EL_FLOAT) {
        print_around(out, k, "as_float((int)", value, ")");
    } else {
        gen_print_expr(out, k, value);
    }
}

static void print_store(FILE *out, const struct gen_kernel *k, const struct gen_stmt *s)
{
    const struct gen_ref *r = &k->ref[s->ref];
    char text[60];

    if (r->form == R_VLOAD) {
        snprintf(text, sizeof(text), "vstore%u(spread_%s%u(", r->part, gen_elem[r->el].name, r->part);
        print_around(out, k, text, s->a, "), ");
        print_ref(out, k, s->ref);
        fprintf(out, ");\n");
    } else if (r->form == R_HALF) {
        print_around(out, k, "vstore_half((float)(", s->a, " & 255), ");
        print_ref(out, k, s->ref);
        fprintf(out, ");\n");
    } else if (r->form == R_VECTOR) {
        print_ref(out, k, s->ref);
        snprintf(text, sizeof(text), " = spread_%s(", gen_elem[r->el].name);
        print_around(out, k, text, s->a, ");\n");
    } else {
        print_ref(out, k, s->ref);
        print_op(out, s->sub);
        print_value(out, k, gen_ref_scalar(r), s->a);
        fprintf(out, ";\n");
    }
}

static void print_atomic(FILE *out, const struct gen_kernel *k, const struct gen_stmt *s)
{
    if (s->var >= 0) {
        fprintf(out, "v%d = ", s->var);
    }
    fprintf(out, "atomic_%s(&", atomic[s->sub]);
    if (s->op == S_LATOMIC) {
        fprintf(out, "l%d[(uint)", s->ref);
        gen_print_expr(out, k, s->b);
        fprintf(out, " %% %uu]", (unsigned)k->local[s->ref].n);
    } else {
        print_ref(out, k, s->ref);
    }
    if (s->sub == A_CMPXCHG) {
        fprintf(out, ", 1");
    }
    if (s->sub != A_INC && s->sub != A_DEC) {
        print_around(out, k, ", ", s->a, "");
    }
    fprintf(out, ");\n");
}

static void print_for(FILE *out, const struct gen_kernel *k, const struct gen_stmt *s, int depth)
{
    fprintf(out, "for (%s v%d = ", type_name[k->var_type[s->var]], s->var);
    print_around(out, k, "", s->a, "; ");
    print_around(out, k, "", s->b, "; ");
    fprintf(out, "v%d", s->var);
    print_op(out, s->sub);
    print_around(out, k, "", s->c, ") {\n");
    print_body(out, k, s->body, depth + 1);
    indent(out, depth);
    fprintf(out, "}\n");
}

static void print_address(FILE *out, const struct gen_kernel *k, int ref)
{
    print_source(out, &k->ref[ref]);
    print_around(out, k, " + ", k->ref[ref].index, "");
}

static void print_async(FILE *out, const struct gen_kernel *k, const struct gen_stmt *s, int depth)
{
    const char *kind = s->b >= 0 ? "strided_copy" : "copy";

    fprintf(out, "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n");
    indent(out, depth);
    fprintf(out, "{ event_t e = async_work_group_%s(", kind);
    if (s->sub) {
        print_address(out, k, s->ref);
        fprintf(out, ", (const __local %s *)l%d, ", gen_elem[k->local[s->var].el].name, s->var);
    } else {
        fprintf(out, "l%d, (const __global %s *)(", s->var, gen_elem[k->local[s->var].el].name);
        print_address(out, k, s->ref);
        fprintf(out, "), ");
    }
    print_around(out, k, "(size_t)", s->a, "");
    if (s->b >= 0) {
        print_around(out, k, ", (size_t)", s->b, "");
    }
    fprintf(out, ", 0); wait_group_events(1, &e); }\n");
    indent(out, depth);
    fprintf(out, "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n");
}

static void print_block(FILE *out, const struct gen_kernel *k, int body, int depth, const char *after)
{
    fprintf(out, "{\n");
    print_body(out, k, body, depth + 1);
    indent(out, depth);
    fprintf(out, "}%s", after);
}

static void print_pointer(FILE *out, const struct gen_kernel *k, const struct gen_stmt *s)
{
    struct gen_ref r = {.ptr = true, .src = (uint8_t)s->var};

    fprintf(out, "%s%s *q%d = ", space(k, &r), gen_elem[k->ptr[s->var].el].name, s->var);
    if (s->a >= 0) {
        print_around(out, k, "", s->a, " ? ");
        print_address(out, k, s->ref);
        fprintf(out, " : ");
        print_address(out, k, s->ref2);
    } else {
        print_address(out, k, s->ref);
    }
    fprintf(out, ";\n");
}

static void print_flow(FILE *out, const struct gen_kernel *k, const struct gen_stmt *s, int depth)
{
    switch ((enum gen_stmt_op)s->op) {
    case S_IF:
        print_around(out, k, "if (", s->a, ") ");
        print_block(out, k, s->body, depth, s->other >= 0 ? " else " : "\n");
        if (s->other >= 0) {
            print_block(out, k, s->other, depth, "\n");
        }
        break;
    case S_SWITCH:
        print_around(out, k, "switch (", s->a, ") ");
        print_block(out, k, s->body, depth, "\n");
        break;
    case S_CASE:
        if (s->imm >= 0) {
            fprintf(out, "case %d: ", (int)s->imm);
        } else {
            fprintf(out, "default: ");
        }
        print_block(out, k, s->body, depth, s->sub ? " break;\n" : "\n");
        break;
    case S_WHILE:
        print_around(out, k, "while (", s->a, ") ");
        print_block(out, k, s->body, depth, "\n");
        break;
    case S_DO:
        fprintf(out, "do ");
        print_block(out, k, s->body, depth, "");
        print_around(out, k, " while (", s->a, ");\n");
        break;
    default:
        print_for(out, k, s, depth);
        break;
    }
}

static void print_local_store(FILE *out, const struct gen_kernel *k, const struct gen_stmt *s)
{
    char text[60];

    if (s->op == S_LOCAL) {
        snprintf(text, sizeof(text), " %% %uu]", (unsigned)k->local[s->var].n);
        fprintf(out, "l%d[(uint)", s->var);
        print_around(out, k, "", s->a, text);
    } else {
        print_around(out, k, "mine[", s->a, " & 3]");
    }
    print_op(out, s->sub);
    print_value(out, k, s->op == S_LOCAL ? k->local[s->var].el : EL_INT, s->b);
    fprintf(out, ";\n");
}

static void print_fill(FILE *out, const struct gen_kernel *k, const struct gen_stmt *s)
{
    static const char linear[] =
        "(get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0)";
    const char *as = k->local[s->var].el == EL_FLOAT ? "as_float" : "";

    fprintf(out,
            "for (uint i = %s; i < %uu; i += get_local_size(0) * get_local_size(1) * get_local_size(2)) { "
            "l%d[i] = %s((int)(i * %du)); }\n",
            linear, (unsigned)k->local[s->var].n, s->var, as, (int)s->imm);
}

static void print_simple(FILE *out, const struct gen_kernel *k, const struct gen_stmt *s, int depth)
{
    switch ((enum gen_stmt_op)s->op) {
    case S_DECL:
        fprintf(out, "%s ", type_name[k->var_type[s->var]]);
        /* fall through */
    case S_SET:
        fprintf(out, "v%d", s->var);
        print_op(out, s->op == S_DECL ? (unsigned)B_SET : s->sub);
        print_around(out, k, "", s->a, ";\n");
        break;
    case S_STORE:
        print_store(out, k, s);
        break;
    case S_COPY:
        print_ref(out, k, s->ref);
        fprintf(out, " = ");
        print_ref(out, k, s->ref2);
        fprintf(out, ";\n");
        break;
    case S_ATOMIC:
    case S_LATOMIC:
        print_atomic(out, k, s);
        break;
    case S_PTR:
        print_pointer(out, k, s);
        break;
    case S_PTR_ADD:
        fprintf(out, "q%d += ", s->var);
        print_around(out, k, "", s->a, ";\n");
        break;
    case S_LOCAL:
    case S_PRIVATE:
        print_local_store(out, k, s);
        break;
    case S_CALL:
        print_call(out, k, (unsigned)s->var, s->a, s->b, s->ref);
        fprintf(out, ";\n");
        break;
    case S_ASYNC:
        print_async(out, k, s, depth);
        break;
    case S_FILL:
        print_fill(out, k, s);
        break;
    case S_IMAGE:
        gen_print_image_write(out, k, s);
        break;
    default:
        fprintf(out, "%s;\n",
                s->op == S_BREAK      ? "break"
                : s->op == S_CONTINUE ? "continue"
                : s->op == S_RETURN   ? "return"
                                      : "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)");
        break;
    }
}

static void print_body(FILE *out, const struct gen_kernel *k, int i, int depth)
{
    for (; i >= 0; i = k->stmt[i].next) {
        const struct gen_stmt *s = &k->stmt[i];
        if (s->dropped) {
            continue;
        }
        indent(out, depth);
        if ((s->op >= S_IF && s->op <= S_DO)) {
            print_flow(out, k, s, depth);
        } else {
            print_simple(out, k, s, depth);
        }
    }
}

static void print_helper(FILE *out, const struct gen_kernel *k, unsigned i)
{
    const struct gen_helper *h = &k->helper[i];
    struct gen_ref r = {.ptr = true, .src = (uint8_t)h->ptr};

    fprintf(out, "%s%s h%u_%u(", h->noinline ? "__attribute__((noinline)) " : "",
            h->kind == H_STORE ? "void" : type_name[h->type], k->index, i);
    if (h->kind != H_VALUE) {
        fprintf(out, "%s%s *q%d, ", space(k, &r), gen_elem[h->el].name, h->ptr);
    }
    fprintf(out, "%s v%d, %s v%d) {\n", type_name[k->var_type[h->var[0]]], h->var[0],
            type_name[k->var_type[h->var[1]]], h->var[1]);
    print_body(out, k, h->body, 1);
    if (h->kind != H_STORE) {
        print_around(out, k, "    return ", h->result, ";\n");
    }
    fprintf(out, "}\n");
}

static void print_param(FILE *out, const struct gen_kernel *k, unsigned i)
{
    const struct gen_param *p = &k->param[i];
    struct gen_ref r = {.src = (uint8_t)i};

    if (i) {
        fprintf(out, ", ");
    }
    if (p->kind == P_VALUE) {
        fprintf(out, "%s p%u", gen_elem[p->el].name, i);
    } else if (p->kind == P_LOCAL) {
        fprintf(out, "__local %s *l%d", gen_elem[p->el].name, p->minimum);
    } else if (p->kind == P_IMAGE) {
        gen_print_image_param(out, p, i);
    } else {
        fprintf(out, "%s%s *%sp%u", space(k, &r), gen_elem[p->el].name, p->is_restrict ? "restrict " : "", i);
    }
}

void gen_print(FILE *out, const struct gen_kernel *k)
{
    for (unsigned i = 0; i < k->nhelper; i++) {
        print_helper(out, k, i);
    }
    fprintf(out, "__kernel ");
    if (k->reqd[0]) {
        fprintf(out, "__attribute__((reqd_work_group_size(%u, %u, %u))) ", k->reqd[0], k->reqd[1],
                k->reqd[2]);
    }
    fprintf(out, "void k%u(", k->index);
    for (unsigned i = 0; i < k->nparam; i++) {
        print_param(out, k, i);
    }
    fprintf(out, ") {\n");
    for (unsigned i = 0; i < k->nlocal; i++) {
        if (k->local[i].param < 0) {
            fprintf(out, "    __local %s l%u[%d];\n", gen_elem[k->local[i].el].name, i, k->local[i].n);
        }
    }
    for (unsigned i = 0; i < k->nparam; i++) {
        if (k->param[i].kind == P_IMAGE && k->param[i].is_const) {
            fprintf(out,
                    "    const sampler_t edge = CLK_ADDRESS_CLAMP_TO_EDGE, border = CLK_ADDRESS_CLAMP;\n");
            break;
        }
    }
    if (k->has_private) {
        fprintf(out, "    int mine[%d] = {1, 2, 3, 4};\n", GEN_PRIVATE);
    }
    print_body(out, k, k->body, 1);
    fprintf(out, "}\n\n");
}
