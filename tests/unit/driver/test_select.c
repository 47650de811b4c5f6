/* SPDX-License-Identifier: MIT */
/*
 * select.c: which devices a COEXEC_DEVICES list chooses, in which order, and which lists are mistakes.
 */
#include "capture.h"
#include "layer/driver/select.h"

#include <stdlib.h>
#include <string.h>

static char names[4][24] = {"basic-AMD EPYC", "pthread-AMD EPYC", "NVIDIA H200", "NVIDIA H200"};
static char vendors[4][24] = {"AuthenticAMD", "AuthenticAMD", "NVIDIA Corporation", "NVIDIA Corporation"};
static char platforms[4][32] = {"Portable Computing Language", "The pocl project", "NVIDIA CUDA",
                                "NVIDIA Corporation"};
static const struct cx_real_platform pocl = {.name = platforms[0], .vendor = platforms[1]},
                                     nvidia = {.name = platforms[2], .vendor = platforms[3]};
static struct cx_real_device devices[4] = {
    {.name = names[0], .vendor = vendors[0], .platform = &pocl, .type = CL_DEVICE_TYPE_CPU},
    {.name = names[1], .vendor = vendors[1], .platform = &pocl, .type = CL_DEVICE_TYPE_CPU},
    {.name = names[2], .vendor = vendors[2], .platform = &nvidia, .type = CL_DEVICE_TYPE_GPU},
    {.name = names[3], .vendor = vendors[3], .platform = &nvidia, .type = CL_DEVICE_TYPE_GPU},
};

static const struct {
    const char *list;
    const char *order; /* digits; "" with a problem */
} cases[] = {
    {"all", "0123"},
    {"", "0123"},
    {"2", "2"},
    {"3,0", "30"},
    {"3,0,3,0", "30"},
    {"gpu", "23"},
    {"GPU,0", "230"},
    {"gpu,all", "2301"},
    {"basic", "0"},
    {"amd epyc", "01"},
    {"*h200", "23"},
    {"pthread*", "1"},
    {"p*c", "1"},
    {"?asic*", "0"},
    {"!basic", "123"},
    {"!0,!3", "12"},
    {"gpu,!3", "2"},
    {"!3,gpu", "2"},
    {" 2 , ! basic ,0", "2"},
    {"cpu,accelerator", "01"}, /* a word that names nothing is no mistake beside another */
    {"!accelerator", "0123"},
    {",,1,", "1"},
    {"!radeon", "0123"}, /* nor is to leave out what is not there */
    {"gpu,!*pocl*", "23"},
    {"all,!*pocl*", "23"}, /* whose driver it is and who made it counts, too */
    {"pocl", "01"},
    {"cuda*", ""},
    {"*cuda,portable*", "2301"},
    {"!nvidia corp", "01"},
    {"authentic*", "01"},
    {"!authentic*", "23"},
    {"1,!9", "1"},
    {"4", ""},
    {"radeon", ""},
    {"0,radeon", ""},
    {"accelerator", ""},
    {"!all", ""},
    {"!", ""},
    {"gpu,!h200", ""},
    {"h200*x", ""},
    {"99999999999999999999", ""},
};

START_TEST(lists)
{
    unsigned order[4];
    char problem[CX_SELECT_PROBLEM];
    unsigned count = cx_select(devices, 4, cases[_i].list, order, problem);
    ck_assert_msg(count == strlen(cases[_i].order), "'%s' chooses %u devices", cases[_i].list, count);
    ck_assert_msg(!*problem == (count > 0), "'%s': problem '%s'", cases[_i].list, problem);
    for (unsigned i = 0; i < count; i++)
        ck_assert_msg(order[i] == (unsigned)(cases[_i].order[i] - '0'), "'%s': place %u is %u",
                      cases[_i].list, i, order[i]);
}
END_TEST

START_TEST(problems)
{
    unsigned order[4];
    char problem[CX_SELECT_PROBLEM];
    cx_select(devices, 4, "0, radeon ,!x", order, problem);
    ck_assert_str_eq(problem, "'radeon' names no device");
    cx_select(devices, 4, "gpu,!h200", order, problem);
    ck_assert_str_eq(problem, "leaves no device of the 4 found");
    cx_select(devices, 4, "gpu,! ", order, problem);
    ck_assert_str_eq(problem, "'!' leaves out nothing");
}
END_TEST

START_TEST(accepted)
{
    char *text = cx_select_accepted(devices, 2);
    ck_assert_str_eq(
        text, "0 (basic-AMD EPYC), 1 (pthread-AMD EPYC), cpu, gpu, accelerator, all, a part of a name or "
              "a pattern with * ?, !item");
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("select");
    TCase *tcase = tcase_create("select");
    tcase_add_loop_test(tcase, lists, 0, sizeof cases / sizeof *cases);
    tcase_add_test(tcase, problems);
    tcase_add_test(tcase, accepted);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
