/* SPDX-License-Identifier: MIT */
/*
 * Powers that are kept from process to process: each device's come back, whatever the program's locale, and
 * files that are damaged or not ours count as absent.
 */
#include "capture.h"
#include "cl_folder.h"
#include "layer/base/disk_cache.h"
#include "layer/base/options.h"
#include "layer/power/record.h"

#include <dirent.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cx_power_kind nvml = {.name = "NVML"}, rapl = {.name = "RAPL"};
static const struct cx_power_source gpu = {.kind = &nvml, .name = "Some GPU", .pci = "0000:0a:00.0"},
                                    twin = {.kind = &nvml, .name = "Some GPU", .pci = "0000:0b:00.0"},
                                    package = {.kind = &rapl, .name = "package-0"};

static void set_up(void)
{
    cl_folder_make("powers");
    setenv("COEXEC_CACHE_DIR", cl_folder_path("cache"), 1);
    unsetenv("COEXEC_REPRODUCIBLE");
    setenv("COEXEC_KNOWLEDGE", "auto", 1);
}

/* The n-th file of powers, or NULL. */
static const char *file_of(unsigned n)
{
    static char name[256];
    DIR *folder = opendir(cl_folder_path("cache/knowledge"));
    bool found = false;
    for (struct dirent *entry; folder && !found && (entry = readdir(folder));)
        if (strncmp(entry->d_name, CX_POWER_RECORD_FILES, strlen(CX_POWER_RECORD_FILES)) == 0 && n-- == 0) {
            snprintf(name, sizeof name, "%s", entry->d_name);
            found = true;
        }
    if (folder)
        closedir(folder);
    return found ? name : NULL;
}

START_TEST(each_device_has_its_own)
{
    const struct cx_power_pair pairs[] = {{72.25, 621.5, 3.125}, {1e-6, 0, 0}, {0.5, 1234567.891, 0}};
    struct cx_power_pair back;
    if (_i)
        (void)setlocale(LC_ALL, "de_DE.UTF-8"); /* where there is none this is the same test again */
    ck_assert(cx_power_record_store(&gpu, 0, 0, &pairs[0]));
    ck_assert(cx_power_record_store(&twin, 1, 0, &pairs[1]));
    ck_assert(cx_power_record_store(&package, 1, 2, &pairs[2]));
    ck_assert(cx_power_record_load(&gpu, 5, 0, &back) && fabs(back.fixed - 72.25) < 1e-6);
    ck_assert(fabs(back.dynamic - 621.5) < 1e-6 && fabs(back.error - 3.125) < 1e-6);
    ck_assert(cx_power_record_load(&twin, 1, 0, &back) && fabs(back.fixed - 1e-6) < 1e-9);
    ck_assert(cx_power_record_load(&package, 1, 2, &back) && fabs(back.dynamic - 1234567.891) < 1e-5);
    ck_assert(!cx_power_record_load(&package, 0, 2, &back) && !cx_power_record_load(&package, 1, 3, &back));
}
END_TEST

START_TEST(files_say_whose_they_are)
{
    struct cx_power_record record;
    ck_assert(cx_power_record_store(&gpu, 0, 0, &(struct cx_power_pair){100, 300, 1}));
    ck_assert(cx_power_record_read(cl_folder_path("cache/knowledge"), file_of(0), &record));
    ck_assert_str_eq(record.kind, "NVML");
    ck_assert_str_eq(record.name, "Some GPU");
    ck_assert_str_eq(record.place, "0000:0a:00.0");
    ck_assert_ptr_null(file_of(1));
}
END_TEST

/* What a file may contain that is none of ours, though its checksum is right. */
static const char *const foreign[] = {
    "",
    "coexec powers 1\n",
    "coexec powers 2\nkind NVML\nname Some GPU\nplace x\nmicrowatts 1 2 3\n",
    "coexec powers 1\nkind NVML\nname Some GPU\nplace x\nmicrowatts 1 2\n",
    "coexec powers 1\nkind NVML\nname Some GPU\nplace x\nmicrowatts 1 2 3 4\n",
    "coexec powers 1\nkind NVML\nname Some GPU\nplace x\nmicrowatts 1 2 9999999999999999\n",
    "coexec powers 1\nkind NVML\nname Some GPU\nplace x\nmicrowatts 1 2 3\nmore\n",
    "coexec powers 1\nkind A name that is far too long\nname x\nplace x\nmicrowatts 1 2 3\n",
    "coexec powers 1\nkind NVML\nplace x\nname x\nmicrowatts 1 2 3\n",
    "coexec powers 1\nkind NVML\nname x\nplace x\nmicrowatts nan inf 3\n",
};

START_TEST(foreign_files_are_not_read)
{
    struct cx_power_record record;
    struct cx_power_pair back;
    ck_assert(cx_power_record_store(&gpu, 0, 0, &(struct cx_power_pair){100, 300, 1}));
    const char *name = file_of(0), *folder = cl_folder_path("cache/knowledge");
    ck_assert(cx_disk_cache_store(folder, name, foreign[_i], strlen(foreign[_i])));
    ck_assert(!cx_power_record_read(folder, name, &record) && !cx_power_record_load(&gpu, 0, 0, &back));
    ck_assert(cx_power_record_store(&gpu, 0, 0, &(struct cx_power_pair){100, 300, 1}));
    ck_assert(cx_power_record_load(&gpu, 0, 0, &back));
}
END_TEST

START_TEST(nothing_is_kept_unless_allowed)
{
    static const char *const variables[][2] = {
        {"COEXEC_KNOWLEDGE", "0"}, {"COEXEC_KNOWLEDGE", "read"}, {"COEXEC_REPRODUCIBLE", "1"}};
    setenv(variables[_i][0], variables[_i][1], 1);
    ck_assert(!cx_power_record_store(&gpu, 0, 0, &(struct cx_power_pair){100, 300, 1}));
    ck_assert_ptr_null(file_of(0));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("power record");
    TCase *tcase = tcase_create("power record");
    tcase_add_checked_fixture(tcase, set_up, cl_folder_remove);
    tcase_add_loop_test(tcase, each_device_has_its_own, 0, 2);
    tcase_add_test(tcase, files_say_whose_they_are);
    tcase_add_loop_test(tcase, foreign_files_are_not_read, 0, sizeof foreign / sizeof *foreign);
    tcase_add_loop_test(tcase, nothing_is_kept_unless_allowed, 0, 3);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
