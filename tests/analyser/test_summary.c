/* SPDX-License-Identifier: MIT */
/* Blobs: what is written is what is read, and damage is never more than an error. */
#include "random_kernel.h"

#include "layer/access/explain.h"
#include "suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_same(const struct cx_summary_kernel *x, const struct cx_summary_kernel *y)
{
    ck_assert_str_eq(x->name, y->name);
    ck_assert_uint_eq(x->flags, y->flags);
    ck_assert_uint_eq(x->uses, y->uses);
    ck_assert_uint_eq(x->nexpr, y->nexpr);
    ck_assert_uint_eq(x->nguard, y->nguard);
    ck_assert_uint_eq(x->nloop, y->nloop);
    ck_assert_uint_eq(x->naccess, y->naccess);
    ck_assert_uint_eq(x->narg, y->narg);
    for (uint32_t i = 0; i < x->nexpr; i++) {
        const struct cx_expr *a = &x->expr[i], *b = &y->expr[i];
        ck_assert(a->op == b->op && a->width == b->width && a->a == b->a && a->b == b->b && a->imm == b->imm);
    }
    for (uint32_t i = 0; i < x->nguard; i++) {
        const struct cx_guard *a = &x->guard[i], *b = &y->guard[i];
        ck_assert(a->pred == b->pred && a->hint == b->hint && a->l == b->l && a->r == b->r);
    }
    for (uint32_t i = 0; i < x->naccess; i++) {
        const struct cx_access_record *a = &x->access[i], *b = &y->access[i];
        ck_assert(a->arg == b->arg && a->mode == b->mode && a->off == b->off && a->len == b->len &&
                  a->skew == b->skew && a->size == b->size && a->guard == b->guard &&
                  a->nguard == b->nguard && a->line == b->line && a->flags == b->flags &&
                  a->width == b->width);
    }
}

/* Two random kernels and one with notes. */
static void make_blob(uint64_t seed, void **data, size_t *size, struct cx_random_kernel *k)
{
    static struct cx_summary_note notes[2] = {{CX_REASON_PRINTF, -1, 2 * 0x1000000 + 12},
                                              {CX_REASON_VOLATILE, 1, 3}};
    static const char *files[2] = {"a.h", "b/c.h"};
    struct cx_summary_kernel kernels[2];
    struct cx_summary summary = {2, kernels};
    struct cx_random r = {seed};

    cx_random_kernel_make(k, &r, true);
    kernels[0] = kernels[1] = k->kernel;
    kernels[1].name = "second";
    kernels[1].nfile = 2;
    kernels[1].file = files;
    kernels[1].nnote = 2;
    kernels[1].note = notes;
    ck_assert_int_eq(cx_summary_serialise(&summary, data, size), CX_SUMMARY_OK);
}

static void check_places(struct cx_summary_kernel *kernel)
{
    struct cx_summary summary = {1, kernel};
    uint32_t place = kernel->note[0].line;
    char text[64];

    ck_assert_uint_eq(place, cx_summary_line(2, 12));
    ck_assert_str_eq(cx_summary_line_file(kernel, place), "b/c.h");
    cx_summary_line_text(text, sizeof(text), kernel, place, "own.cl");
    ck_assert_str_eq(text, " (b/c.h:12)");
    cx_summary_line_text(text, sizeof(text), kernel, 3, "own.cl");
    ck_assert_str_eq(text, " (own.cl:3)");
    cx_summary_line_text(text, sizeof(text), kernel, 3, NULL);
    ck_assert_str_eq(text, " (line 3)");
    cx_summary_line_text(text, sizeof(text), kernel, 0, "own.cl");
    ck_assert_str_eq(text, "");
    cx_summary_lines_text(text, sizeof(text), kernel, 3, place, "own.cl");
    ck_assert_str_eq(text, " (own.cl:3 and b/c.h:12)");
    cx_summary_lines_text(text, sizeof(text), kernel, 3, 7, NULL);
    ck_assert_str_eq(text, " (line 3 and line 7)");
    cx_summary_lines_text(text, sizeof(text), kernel, 3, 3, NULL);
    ck_assert_str_eq(text, " (line 3)");
    cx_summary_lines_text(text, sizeof(text), kernel, 0, 7, NULL);
    ck_assert_str_eq(text, " (line 7)");
    kernel->note[0].line = cx_summary_line(3, 12);
    ck_assert(!cx_summary_check(&summary));
    kernel->note[0].line = place;
    ck_assert(cx_summary_check(&summary));
}

START_TEST(round_trip_keeps_everything)
{
    for (uint64_t seed = 1; seed < 50; seed++) {
        static struct cx_random_kernel k;
        struct cx_summary *read;
        void *data, *again;
        size_t size, size_again;
        uint32_t line;
        int arg;
        make_blob(seed, &data, &size, &k);
        ck_assert_int_eq(cx_summary_parse(data, size, &read), CX_SUMMARY_OK);
        ck_assert_uint_eq(read->nkernel, 2);
        check_same(&k.kernel, cx_summary_find(read, "random"));
        ck_assert_int_eq(cx_summary_forbids(&read->kernel[0], NULL, NULL), CX_REASON_NONE);
        ck_assert_int_eq(cx_summary_forbids(cx_summary_find(read, "second"), &line, &arg),
                         CX_REASON_VOLATILE);
        ck_assert_uint_eq(line, 3);
        ck_assert_int_eq(arg, 1);
        check_places(&read->kernel[1]);
        ck_assert_ptr_null(cx_summary_find(read, "third"));
        ck_assert_int_eq(cx_summary_serialise(read, &again, &size_again), CX_SUMMARY_OK);
        ck_assert(size == size_again && memcmp(data, again, size) == 0);
        cx_summary_destroy(&read);
        ck_assert_ptr_null(read);
        free(data);
        free(again);
    }
}
END_TEST

static void seal(unsigned char *data, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (size_t i = 24; i < size; i++) {
        hash = (hash ^ data[i]) * 0x100000001b3u;
    }
    for (unsigned i = 0; i < 8; i++) {
        data[8 + i] = (unsigned char)((size - 24) >> (8 * i));
        data[16 + i] = (unsigned char)(hash >> (8 * i));
    }
}

/* Whatever a damaged blob still says must be safe to use. */
static void use(const struct cx_summary *summary, FILE *sink)
{
    cx_explain_summary(sink, summary, NULL);
    for (uint32_t i = 0; i < summary->nkernel; i++) {
        const struct cx_summary_kernel *k = &summary->kernel[i];
        static const uint64_t number[32];
        struct cx_access_geometry g = {2, {0, 0, 0}, {64, 64, 1}, {8, 8, 1}};
        struct cx_access_arg *args = calloc(k->narg + 1, sizeof(*args));
        struct cx_access_region *regions = calloc(k->narg + 1, sizeof(*regions));
        struct cx_access_verdict v;
        struct cx_access *a;
        for (uint32_t j = 0; j < k->narg; j++) {
            args[j] = (struct cx_access_arg){.value = number,
                                             .size = sizeof(number),
                                             .object = j + 1,
                                             .bytes = 4096,
                                             .is_image = true,
                                             .image = {64, 4, 4, 1, 256, 1024, 4, 0, 0}};
        }
        cx_access_choose(k, &g, args, &a, &v);
        if (a) {
            cx_access_whole(a, regions);
        }
        cx_access_destroy(&a);
        free(args);
        free(regions);
    }
}

static void try_blob(const unsigned char *data, size_t size, FILE *sink)
{
    /* a copy of just this size, so that a sanitizer sees reads past the end */
    unsigned char *copy = malloc(size ? size : 1);
    struct cx_summary *read = NULL;

    memcpy(copy, data, size);
    if (cx_summary_parse(copy, size, &read) == CX_SUMMARY_OK) {
        ck_assert(cx_summary_check(read));
        use(read, sink);
    } else {
        ck_assert_ptr_null(read);
    }
    cx_summary_destroy(&read);
    free(copy);
}

START_TEST(damage_is_an_error)
{
    static struct cx_random_kernel k;
    struct cx_random r = {7};
    FILE *sink = fopen("/dev/null", "w");
    unsigned char *data;
    size_t size;
    struct cx_summary *read;

    make_blob(3, (void **)&data, &size, &k);
    for (size_t cut = 0; cut < size; cut++) {
        ck_assert_int_ne(cx_summary_parse(data, cut, &read), CX_SUMMARY_OK);
    }
    for (size_t at = 0; at < size; at++) {
        data[at] ^= 0x40;
        ck_assert_int_ne(cx_summary_parse(data, size, &read), CX_SUMMARY_OK);
        data[at] ^= 0x40;
    }
    ck_assert_int_eq(cx_summary_parse(NULL, 0, &read), CX_SUMMARY_FOREIGN);
    ck_assert_int_eq(cx_summary_parse("not a summary at all, is it?", 28, &read), CX_SUMMARY_FOREIGN);
    data[4]++;
    ck_assert_int_eq(cx_summary_parse(data, size, &read), CX_SUMMARY_FOREIGN);
    data[4]--;
    /* damage behind a right checksum: the contents themselves must be checked */
    for (unsigned i = 0; i < 20000; i++) {
        unsigned char *bad = malloc(size);
        size_t length = cx_random_chance(&r, 80) ? size : 24 + cx_random_below(&r, size - 24);
        memcpy(bad, data, size);
        for (uint64_t n = 1 + cx_random_below(&r, 4); n-- > 0;) {
            bad[24 + cx_random_below(&r, size - 24)] = (unsigned char)cx_random_next(&r);
        }
        seal(bad, length);
        try_blob(bad, length, sink);
        free(bad);
    }
    fclose(sink);
    free(data);
}
END_TEST

START_TEST(every_reason_has_a_name)
{
    for (int i = 0; i < CX_REASON_COUNT; i++) {
        ck_assert_ptr_nonnull(cx_summary_reason_name((enum cx_summary_reason)i));
        ck_assert_ptr_nonnull(cx_summary_reason_text((enum cx_summary_reason)i));
        for (int j = 0; j < i; j++) {
            ck_assert_str_ne(cx_summary_reason_name((enum cx_summary_reason)i),
                             cx_summary_reason_name((enum cx_summary_reason)j));
        }
    }
    ck_assert_str_eq(cx_summary_reason_name((enum cx_summary_reason)1000), "?");
    ck_assert_int_eq(cx_summary_forbids(NULL, NULL, NULL), CX_REASON_NO_SUMMARY);
}
END_TEST

Suite *summary_suite(void)
{
    Suite *suite = suite_create("summary");
    TCase *blob = tcase_create("blob");

    tcase_set_timeout(blob, 120);
    tcase_add_test(blob, round_trip_keeps_everything);
    tcase_add_test(blob, damage_is_an_error);
    tcase_add_test(blob, every_reason_has_a_name);
    suite_add_tcase(suite, blob);
    return suite;
}
