/* SPDX-License-Identifier: MIT */
/*
 * Access summaries: names, look-up and the check that every index is in bounds.
 *
 * Previous stage: summary_blob.c reads the bytes. Next stage: access.c evaluates, explain.c prints.
 */
#include "layer/access/summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reason_name {
    const char *name;
    const char *text;
};

static const struct reason_name reason_names[CX_REASON_COUNT] = {
    [CX_REASON_NONE] = {"none", "nothing stands in the way"},
    [CX_REASON_NO_SUMMARY] = {"no-summary", "the kernel has not been analysed"},
    [CX_REASON_COMPILE_FAILED] = {"compile-failed", "the analyser's compiler refused the source"},
    [CX_REASON_TIME_LIMIT] = {"time-limit", "the analysis ran into its time or memory limit"},
    [CX_REASON_ANALYSER_CRASHED] = {"analyser-crashed", "the analyser died"},
    [CX_REASON_TOO_COMPLEX] = {"too-complex", "the kernel is too large to be analysed"},
    [CX_REASON_GROUPS_WAIT] = {"groups-wait", "work-groups wait for each other"},
    [CX_REASON_ATOMIC_RESULT_USED] = {"atomic-result-used",
                                      "the result of an atomic on global memory is used"},
    [CX_REASON_ATOMIC_ORDER] = {"atomic-order", "an atomic on global memory orders work-items"},
    [CX_REASON_ATOMIC_FENCE] = {"atomic-fence", "a fence orders work-groups"},
    [CX_REASON_VOLATILE] = {"volatile", "global memory is accessed as volatile"},
    [CX_REASON_DEVICE_ENQUEUE] = {"device-enqueue", "the kernel enqueues work itself"},
    [CX_REASON_PIPE] = {"pipe", "the kernel uses a pipe"},
    [CX_REASON_PRINTF] = {"printf", "the kernel prints"},
    [CX_REASON_IMAGE_READ] = {"image-read", "it is not known which image is read"},
    [CX_REASON_IMAGE_WRITE] = {"image-write", "it is not known which image is written"},
    [CX_REASON_PROGRAM_VARIABLE] = {"program-variable",
                                    "the kernel uses a program-scope variable that is written"},
    [CX_REASON_POINTER_STORED] = {"pointer-stored", "a pointer to global memory is stored in memory"},
    [CX_REASON_POINTER_UNRESOLVED] = {"pointer-unresolved", "it is not known what a pointer points to"},
    [CX_REASON_POINTER_INTEGER] = {"pointer-integer", "an address of global memory is used as a number"},
    [CX_REASON_INLINE_ASM] = {"inline-asm",
                              "inline assembly may touch memory, or depend on where or when it runs"},
    [CX_REASON_OPAQUE_CALL] = {"opaque-call", "a function is called whose effects are not known"},
    [CX_REASON_INDIRECT_CALL] = {"indirect-call", "a function is called through a pointer"},
    [CX_REASON_RECURSION] = {"recursion", "a function calls itself"},
    [CX_REASON_WRITE_UNKNOWN] = {"write-unknown", "the bytes written are not known before the launch"},
    [CX_REASON_WRITE_OVERLAP] = {"write-overlap", "different work-groups write overlapping bytes"},
    [CX_REASON_READ_OVERLAP] = {"read-overlap", "work-groups read what other work-groups write"},
    [CX_REASON_ATOMIC_MIXED] = {"atomic-mixed",
                                "work-groups update the same bytes by atomics and touch them in other ways"},
    [CX_REASON_ONE_GROUP] = {"one-group", "there is only one work-group to give away"},
    [CX_REASON_BAD_LAUNCH] = {"bad-launch", "geometry or arguments do not fit the kernel"},
    [CX_REASON_NO_MEMORY] = {"no-memory", "out of memory"},
    [CX_REASON_STORES_RACE] = {"stores-race",
                               "different stores may write one place from different work-groups"},
    [CX_REASON_CHECK_LOOP] = {"check-loop", "a loop may end by what other work-groups store"},
    [CX_REASON_CHECK_ALWAYS] = {"check-always", "every work-group changes the same buffer by atomics"},
    [CX_REASON_CHECK_IMAGE] = {"check-image", "an image is written, too"},
    [CX_REASON_CHECK_LARGE] = {"check-large", "what would have to be copied is too large"},
    [CX_REASON_CHECK_SHARED] = {"check-shared", "the program may see its memory while the kernel runs"},
};

const char *cx_summary_reason_name(enum cx_summary_reason reason)
{
    return (unsigned)reason < CX_REASON_COUNT ? reason_names[reason].name : "?";
}

const char *cx_summary_reason_text(enum cx_summary_reason reason)
{
    return (unsigned)reason < CX_REASON_COUNT ? reason_names[reason].text : "?";
}

unsigned cx_expr_operands(enum cx_expr_op op)
{
    if (op == CX_EXPR_RANGE || op == CX_EXPR_LOOP) {
        return 2;
    }
    if (op < CX_EXPR_DECAY) {
        return 0;
    }
    switch (op) {
    case CX_EXPR_DECAY:
    case CX_EXPR_ABS:
    case CX_EXPR_SEXT:
    case CX_EXPR_ZEXT:
    case CX_EXPR_TRUNC:
        return 1;
    default:
        return 2;
    }
}

const struct cx_summary_kernel *cx_summary_find(const struct cx_summary *summary, const char *name)
{
    for (uint32_t i = 0; summary && name && i < summary->nkernel; i++) {
        if (strcmp(summary->kernel[i].name, name) == 0) {
            return &summary->kernel[i];
        }
    }
    return NULL;
}

/* Those that order work-groups, which does not matter where each device works alone. */
static bool is_about_order(uint8_t reason)
{
    return reason == CX_REASON_ATOMIC_ORDER || reason == CX_REASON_ATOMIC_FENCE ||
           reason == CX_REASON_VOLATILE;
}

static enum cx_summary_reason forbids(const struct cx_summary_kernel *kernel, bool in_any_order,
                                      uint32_t *line, int *arg)
{
    const struct cx_summary_note *first = NULL;

    for (uint32_t i = 0; kernel && i < kernel->nnote; i++) {
        if ((!first || kernel->note[i].reason < first->reason) &&
            !(in_any_order && is_about_order(kernel->note[i].reason))) {
            first = &kernel->note[i];
        }
    }
    if (line) {
        *line = first ? first->line : 0;
    }
    if (arg) {
        *arg = first ? first->arg : -1;
    }
    if (first) {
        return (enum cx_summary_reason)first->reason;
    }
    return !kernel || (kernel->flags & CX_SUMMARY_OPAQUE) ? CX_REASON_NO_SUMMARY : CX_REASON_NONE;
}

enum cx_summary_reason cx_summary_forbids(const struct cx_summary_kernel *kernel, uint32_t *line, int *arg)
{
    return forbids(kernel, false, line, arg);
}

enum cx_summary_reason cx_summary_forbids_checked(const struct cx_summary_kernel *kernel, uint32_t *line,
                                                  int *arg)
{
    return forbids(kernel, true, line, arg);
}

const char *cx_summary_line_file(const struct cx_summary_kernel *kernel, uint32_t place)
{
    uint32_t file = place / (CX_PLACE_LINES + 1);

    return file && file <= kernel->nfile ? kernel->file[file - 1] : NULL;
}

void cx_summary_line_text(char *text, size_t size, const struct cx_summary_kernel *kernel, uint32_t place,
                          const char *own)
{
    const char *file = kernel ? cx_summary_line_file(kernel, place) : NULL;
    uint32_t line = cx_summary_line_number(place);

    file = file ? file : own;
    if (!line) {
        snprintf(text, size, "%s", "");
    } else if (file) {
        snprintf(text, size, " (%s:%" PRIu32 ")", file, line);
    } else {
        snprintf(text, size, " (line %" PRIu32 ")", line);
    }
}

void cx_summary_lines_text(char *text, size_t size, const struct cx_summary_kernel *kernel, uint32_t place,
                           uint32_t other, const char *own)
{
    char first[512], second[512];

    cx_summary_line_text(first, sizeof(first), kernel, place, own);
    cx_summary_line_text(second, sizeof(second), kernel, other == place ? 0 : other, own);
    if (*first && *second) {
        first[strlen(first) - 1] = '\0';
        snprintf(text, size, "%s and %s", first, second + 2); /* without the brackets in between */
    } else {
        snprintf(text, size, "%s", *first ? first : second);
    }
}

static bool check_leaf(const struct cx_summary_kernel *k, const struct cx_expr *e)
{
    switch ((enum cx_expr_op)e->op) {
    case CX_EXPR_CONST:
        return true;
    case CX_EXPR_ARG:
        return e->a >= 0 && (uint32_t)e->a < k->narg && k->arg[e->a].kind == CX_ARG_VALUE &&
               e->width % 8 == 0 && e->imm >= 0 && (uint64_t)e->imm + e->width / 8 <= k->arg[e->a].size;
    case CX_EXPR_IMAGE:
        return e->a >= 0 && (uint32_t)e->a < k->narg && k->arg[e->a].kind == CX_ARG_IMAGE && e->width == 64 &&
               e->imm >= 0 && e->imm < CX_IMAGE_QUERY_COUNT;
    case CX_EXPR_OPAQUE:
        return e->a >= 0 && e->a < CX_OPAQUE_COUNT;
    default: /* a work-item function's dimension */
        return e->a >= 0 && e->a <= 2;
    }
}

/* Widths of operands, where the op ties them to the node's own. */
static bool check_widths(const struct cx_summary_kernel *k, const struct cx_expr *e)
{
    uint8_t wa = k->expr[e->a].width;

    switch ((enum cx_expr_op)e->op) {
    case CX_EXPR_SEXT:
    case CX_EXPR_ZEXT:
        return wa <= e->width;
    case CX_EXPR_TRUNC:
        return wa >= e->width;
    case CX_EXPR_CHOICE:
        return wa == e->width && k->expr[e->a].op == CX_EXPR_UNION;
    default:
        return wa == e->width && (cx_expr_operands(e->op) < 2 || k->expr[e->b].width == e->width);
    }
}

static bool check_expr(const struct cx_summary_kernel *k, uint32_t index)
{
    const struct cx_expr *e = &k->expr[index];
    unsigned n;

    if (e->op >= CX_EXPR_COUNT || e->width < 1 || e->width > 64) {
        return false;
    }
    n = cx_expr_operands(e->op);
    if (n == 0) {
        return check_leaf(k, e);
    }
    if (e->a < 0 || (uint32_t)e->a >= index || (n == 2 && (e->b < 0 || (uint32_t)e->b >= index))) {
        return false;
    }
    if ((e->op == CX_EXPR_LOOP || e->op == CX_EXPR_DECAY) && (e->imm < 0 || e->imm >= k->nloop)) {
        return false;
    }
    return check_widths(k, e);
}

static bool in_span(uint32_t first, uint32_t count, uint32_t total)
{
    return first <= total && count <= total - first;
}

static bool check_node(const struct cx_summary_kernel *k, int32_t node, bool optional)
{
    return node >= 0 ? (uint32_t)node < k->nexpr && k->expr[node].width == 64 : optional && node == -1;
}

static bool check_access(const struct cx_summary_kernel *k, uint32_t i)
{
    const struct cx_access_record *r = &k->access[i];

    return r->arg < k->narg && (i == 0 || k->access[i - 1].arg <= r->arg) && r->mode < CX_MODE_COUNT &&
           r->atomic_op < CX_ATOMIC_COUNT && check_node(k, r->off, true) && check_node(k, r->len, true) &&
           r->size <= INT64_MAX / 4 && in_span(r->guard, r->nguard, k->nguard);
}

static bool check_guard(const struct cx_summary_kernel *k, const struct cx_guard *g)
{
    return g->pred < CX_PRED_COUNT && g->l >= 0 && (uint32_t)g->l < k->nexpr && g->r >= 0 &&
           (uint32_t)g->r < k->nexpr && k->expr[g->l].width == k->expr[g->r].width;
}

static bool check_place(const struct cx_summary_kernel *k, uint32_t place)
{
    return place / (CX_PLACE_LINES + 1) <= k->nfile;
}

static bool check_kernel(const struct cx_summary_kernel *k)
{
    if (!k->name || k->max_dim > 3 || k->narg > UINT16_MAX || k->nfile > CX_PLACE_FILES ||
        !check_place(k, k->line)) {
        return false;
    }
    for (uint32_t i = 0; i < k->nfile; i++) {
        if (!k->file[i]) {
            return false;
        }
    }
    for (uint32_t i = 0; i < k->nnote; i++) {
        const struct cx_summary_note *n = &k->note[i];
        if (n->reason == CX_REASON_NONE || n->reason > CX_REASON_KERNEL_LAST || n->arg < -1 ||
            (n->arg >= 0 && (uint32_t)n->arg >= k->narg) || !check_place(k, n->line)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < k->narg; i++) {
        if (!k->arg[i].name || !k->arg[i].type || k->arg[i].kind > CX_ARG_IMAGE) {
            return false;
        }
    }
    for (uint32_t i = 0; i < k->nexpr; i++) {
        if (!check_expr(k, i)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < k->nguard; i++) {
        if (!check_guard(k, &k->guard[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < k->nloop; i++) {
        if (!in_span(k->loop[i].guard, k->loop[i].nguard, k->nguard) || !check_place(k, k->loop[i].line) ||
            k->loop[i].parent < -1 || k->loop[i].parent >= (int32_t)i) {
            return false;
        }
    }
    for (uint32_t i = 0; i < k->naccess; i++) {
        if (!check_access(k, i) || !check_place(k, k->access[i].line) ||
            !check_place(k, k->access[i].other)) {
            return false;
        }
    }
    return true;
}

bool cx_summary_check(const struct cx_summary *summary)
{
    for (uint32_t i = 0; i < summary->nkernel; i++) {
        if (!check_kernel(&summary->kernel[i])) {
            return false;
        }
    }
    return true;
}

enum cx_opaque cx_summary_opaque(const struct cx_summary_kernel *k, int32_t node)
{
    unsigned char *mark = node >= 0 ? calloc((size_t)node + 1, 1) : NULL;
    enum cx_opaque first = node >= 0 && !mark ? CX_OPAQUE_OTHER : CX_OPAQUE_COUNT;

    for (int32_t i = node; mark && i >= 0 && first == CX_OPAQUE_COUNT; i--) {
        const struct cx_expr *e = &k->expr[i];
        unsigned n = cx_expr_operands(e->op);
        if (i != node && !mark[i]) {
            continue;
        }
        if (e->op == CX_EXPR_OPAQUE) {
            first = (enum cx_opaque)e->a;
        }
        if (n >= 1) {
            mark[e->a] = 1;
        }
        if (n >= 2) {
            mark[e->b] = 1;
        }
    }
    free(mark);
    return first;
}
