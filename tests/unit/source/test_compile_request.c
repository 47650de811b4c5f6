/* SPDX-License-Identifier: MIT */
/*
 * Requests to compile: read as they were written, and refused where bytes are missing or changed.
 */
#include "tap.h"
#include "layer/source/compile_request.h"

#include <stdlib.h>
#include <string.h>

static const float number = 1.5F;

static void make(struct cx_compile_request *request)
{
    *request = (struct cx_compile_request){
        .driver = "libpocl.so",
        .place = 3,
        .device = "pthread",
        .options = "-DN=4",
        .kernel = "k",
        .folder = "/cache",
        .built = "abc",
        .compiled = "def",
        .ntexts = 3,
        .text = {"", "kernel void k() {}\n", "end"},
        .nargs = 4,
        .arg = {{CX_COMPILE_VALUE, sizeof(number), &number},
                {CX_COMPILE_LOCAL, 256, NULL},
                {CX_COMPILE_BUFFER, (size_t)5 << 30, NULL},
                {CX_COMPILE_NO_BUFFER, 0, NULL}},
        .nvariables = 1,
        .variable = {"HOME=/root"},
        .launch = {2, {64, 0, 0}, {128, 8, 1}, {64, 1, 1}},
    };
}

START_TEST(read_as_written)
{
    static struct cx_compile_request request, got;
    size_t size;
    make(&request);
    void *data = cx_compile_request_pack(&request, &size);
    ck_assert_ptr_nonnull(data);
    ck_assert(cx_compile_request_parse(data, size, &got));
    ck_assert_str_eq(got.driver, request.driver);
    ck_assert_uint_eq(got.place, 3);
    ck_assert_str_eq(got.device, request.device);
    ck_assert_str_eq(got.options, request.options);
    ck_assert_str_eq(got.kernel, request.kernel);
    ck_assert_str_eq(got.folder, request.folder);
    ck_assert_str_eq(got.built, request.built);
    ck_assert_str_eq(got.compiled, request.compiled);
    ck_assert_uint_eq(got.ntexts, 3);
    for (unsigned i = 0; i < 3; i++)
        ck_assert_str_eq(got.text[i], request.text[i]);
    ck_assert_uint_eq(got.nargs, 4);
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_uint_eq(got.arg[i].kind, request.arg[i].kind);
        ck_assert_uint_eq(got.arg[i].size, request.arg[i].size);
    }
    ck_assert_mem_eq(got.arg[0].value, &number, sizeof(number));
    ck_assert_uint_eq(got.nvariables, 1);
    ck_assert_str_eq(got.variable[0], "HOME=/root");
    ck_assert_mem_eq(&got.launch, &request.launch, sizeof(got.launch));
    free(data);
}
END_TEST

/* Each start of it in memory of its own, so that a sanitizer sees what is read behind its end. */
START_TEST(parts_are_refused)
{
    static struct cx_compile_request request, got;
    size_t size;
    make(&request);
    char *data = cx_compile_request_pack(&request, &size);
    for (size_t part = 0; part < size; part++) {
        char *start = malloc(part + 1);
        ck_assert_ptr_nonnull(start);
        memcpy(start, data, part);
        char *exact = realloc(start, part ? part : 1);
        ck_assert(!cx_compile_request_parse(exact ? exact : start, part, &got));
        free(exact ? exact : start);
    }
    free(data);
}
END_TEST

/* Any byte may change: what is read lies within the bytes, and numbers within their bounds. */
START_TEST(changed_bytes_do_no_harm)
{
    static struct cx_compile_request request, got;
    size_t size;
    make(&request);
    char *data = cx_compile_request_pack(&request, &size);
    for (size_t at = 0; at < size; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            data[at] = (char)(data[at] ^ (1 << bit));
            if (cx_compile_request_parse(data, size, &got)) {
                ck_assert_uint_le(got.ntexts, CX_COMPILE_TEXTS);
                ck_assert_uint_le(got.nargs, CX_COMPILE_ARGS);
                ck_assert_uint_le(got.nvariables, CX_COMPILE_VARIABLES);
                for (unsigned i = 0; i < got.ntexts; i++)
                    ck_assert(got.text[i] >= data && got.text[i] + strlen(got.text[i]) < data + size);
            }
            data[at] = (char)(data[at] ^ (1 << bit));
        }
    free(data);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("compile request");
    TCase *tcase = tcase_create("compile request");
    tcase_add_test(tcase, read_as_written);
    tcase_add_test(tcase, parts_are_refused);
    tcase_add_test(tcase, changed_bytes_do_no_harm);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
