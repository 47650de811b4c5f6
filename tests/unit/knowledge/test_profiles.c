/* SPDX-License-Identifier: MIT */
/*
 * Profiles: their lines, what later measurements change, tables, and the files in their folder, damaged ones
 * among them.
 */
#include "capture.h"
#include "layer/base/disk_cache.h"
#include "layer/knowledge/folder.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static void set_up(void)
{
    clean_environment();
    strcpy(folder, "/tmp/test-profiles-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void tear_down(void)
{
    char command[256];
    snprintf(command, sizeof(command), "chmod -R u+rwx '%s'; rm -rf '%s'", folder, folder);
    ck_assert_int_eq(system(command), 0);
}

static struct cx_profile profile_of(unsigned number)
{
    struct cx_profile profile = {.key = {.dims = 2, .global = {64 + number, 32}, .local = {16, 1}},
                                 .name = "matmul",
                                 .groups = 128,
                                 .arguments = UINT64_MAX - number,
                                 .lengths = 3,
                                 .length = 0.125,
                                 .splits = 2,
                                 .ratio = 0.6,
                                 .saved = 0.05,
                                 .processes = 1,
                                 .seen = 1700000000,
                                 .ndevices = 2,
                                 .device = {{1000.5, 4}, {250.25, 2}}};
    memset(profile.key.kernel, 0xab, sizeof(profile.key.kernel));
    memset(profile.key.set, (int)number, sizeof(profile.key.set));
    return profile;
}

START_TEST(lines_come_back)
{
    char line[CX_PROFILE_LINE], again[CX_PROFILE_LINE];
    struct cx_profile profile = profile_of(1), read;
    for (unsigned i = 0; i < CX_PROFILE_CURVE; i++)
        profile.curve[i] = (uint16_t)((i + 1) * 65535 / CX_PROFILE_CURVE);
    for (unsigned curve = 0; curve < 2; curve++) {
        profile.has_curve = curve;
        cx_profile_print(&profile, line);
        ck_assert(cx_profile_parse(line, &read));
        cx_profile_print(&read, again);
        ck_assert_str_eq(line, again);
        ck_assert(read.device[1].speed == 250.25 && read.length == 0.125 &&
                  read.has_curve == profile.has_curve);
        ck_assert(memcmp(&read.key, &profile.key, sizeof(read.key)) == 0);
    }
}
END_TEST

/* What policies start from comes back; of a form of later versions the rest of the profile does. */
START_TEST(tuning_comes_back)
{
    char line[CX_PROFILE_LINE], again[CX_PROFILE_LINE];
    struct cx_profile profile = profile_of(1), read;
    profile.tuning.launches = 7;
    profile.tuning.irregular = 0.25;
    profile.tuning.device[1] = (struct cx_profile_samples){20, {20, 40, 80}, {100, 150, 170.5f}};
    cx_profile_print(&profile, line);
    ck_assert(cx_profile_parse(line, &read));
    cx_profile_print(&read, again);
    ck_assert_str_eq(line, again);
    ck_assert(read.tuning.launches == 7 && read.tuning.irregular == 0.25);
    ck_assert(read.tuning.device[0].unit == 0 && read.tuning.device[1].unit == 20);
    ck_assert(read.tuning.device[1].groups[2] == 80 && read.tuning.device[1].speed[2] == 170.5f);
    char *form = strstr(line, "tuning1");
    ck_assert_ptr_nonnull(form);
    form[strlen("tuning")] = '2';
    ck_assert(cx_profile_parse(line, &read));
    ck_assert(read.length == 0.125 && read.tuning.launches == 0);
    form[strlen("tuning")] = '1';
    *strrchr(line, ' ') = '\0'; /* a number is missing */
    ck_assert(!cx_profile_parse(line, &read));
}
END_TEST

/* The newest process, which began with what was known, replaces it, but for what it did not see. */
START_TEST(newest_tuning_counts)
{
    struct cx_profile profile = profile_of(1), later = profile_of(1), other = profile_of(1);
    profile.tuning.launches = 7;
    profile.tuning.irregular = 0.25;
    profile.tuning.device[0] = (struct cx_profile_samples){10, {10, 20, 40}, {1, 2, 3}};
    later.tuning.device[1] = (struct cx_profile_samples){20, {20, 40, 80}, {4, 5, 6}};
    cx_profile_merge(&profile, &later);
    ck_assert(profile.tuning.launches == 7 && profile.tuning.irregular == 0.25);
    ck_assert(profile.tuning.device[0].unit == 10 && profile.tuning.device[1].unit == 20);
    later.tuning.launches = 9;
    later.tuning.irregular = 1;
    cx_profile_merge(&profile, &later);
    ck_assert(profile.tuning.launches == 9 && profile.tuning.irregular == 1);
    other.ndevices = 1; /* other devices */
    cx_profile_merge(&profile, &other);
    ck_assert(profile.tuning.device[0].unit == 0 && profile.tuning.launches == 9);
}
END_TEST

/* All numbers at their longest. */
START_TEST(longest_line_has_room)
{
    char line[CX_PROFILE_LINE];
    struct cx_profile profile, read;
    memset(&profile, 0xff, sizeof(profile));
    memset(profile.name, 'n', sizeof(profile.name));
    profile.name[sizeof(profile.name) - 1] = '\0';
    profile.ndevices = CX_PROFILE_DEVICES;
    for (unsigned i = 0; i < CX_PROFILE_DEVICES; i++)
        profile.tuning.device[i] = (struct cx_profile_samples){1.1f, {1.1f, 1.1f, 1.1f}, {1.1f, 1.1f, 1.1f}};
    profile.has_curve = true;
    cx_profile_print(&profile, line);
    ck_assert_uint_lt(strlen(line), CX_PROFILE_LINE);
    ck_assert(!cx_profile_parse(line, &read));
}
END_TEST

/* A letter more, less or another one: refused, or numbers that make sense. */
START_TEST(changed_lines_make_sense)
{
    char line[CX_PROFILE_LINE], changed[CX_PROFILE_LINE];
    const struct cx_profile profile = profile_of(1);
    struct cx_profile read;
    cx_profile_print(&profile, line);
    srand(1);
    for (unsigned i = 0; i < 20000; i++) {
        strcpy(changed, line);
        changed[(size_t)rand() % strlen(line)] = (char)(rand() % 96 + ' ');
        if (i % 3 == 0)
            changed[(size_t)rand() % strlen(line)] = '\0';
        if (!cx_profile_parse(changed, &read))
            continue;
        ck_assert(read.key.dims >= 1 && read.key.dims <= 3);
        ck_assert(isfinite(read.length) && read.length >= 0 && isfinite(read.ratio) && read.ratio >= 0);
        ck_assert(read.ndevices >= 1 && read.ndevices <= CX_PROFILE_DEVICES);
        for (unsigned d = 0; d < read.ndevices; d++)
            ck_assert(isfinite(read.device[d].speed) && read.device[d].speed >= 0);
    }
    ck_assert(!cx_profile_parse("", &read) && !cx_profile_parse("profile ", &read));
}
END_TEST

START_TEST(later_measurements_count)
{
    struct cx_profile profile = profile_of(1), later = profile_of(1);
    later.length = 0.135;
    later.device[0].speed = 1100.5;
    later.device[1].speed = 1000;
    later.saved = 0.02;
    cx_profile_merge(&profile, &later);
    ck_assert(fabs(profile.length - 0.13) < 1e-12 && fabs(profile.device[0].speed - 1050.5) < 1e-9);
    ck_assert_msg(profile.device[1].speed == 1000, "what is far off is replaced, not averaged");
    ck_assert(profile.processes == 2 && profile.saved == 0.02 && profile.saved_before == 0.05);
    ck_assert(cx_profile_saves(&profile) == 0.02);
    ck_assert(profile.splits == 4 && profile.lengths == 6);
    later.processes = 0; /* more of that process */
    cx_profile_merge(&profile, &later);
    ck_assert(profile.processes == 2 && profile.saved == 0.04 && profile.saved_before == 0.05);
}
END_TEST

/* One split that took three times as long, as something disturbed it, hardly counts among those that gained;
 * where all take longer that is known after some. */
START_TEST(a_disturbed_split_hardly_counts)
{
    struct cx_profile profile = {.splits = 0};
    const struct cx_profile gained = {.splits = 1, .ratio = 0.92}, disturbed = {.splits = 1, .ratio = 3};
    cx_profile_add(&profile, &gained);
    cx_profile_add(&profile, &gained);
    cx_profile_add(&profile, &disturbed);
    ck_assert(fabs(profile.ratio - 0.97) < 1e-9);
    for (unsigned i = 0; i < 4; i++)
        cx_profile_add(&profile, &disturbed);
    ck_assert(profile.ratio > 1.1);
}
END_TEST

/* Packages that something disturbed say little of a device: what whole launches took says more, as do
 * relations. */
START_TEST(speeds_agree_with_lengths)
{
    struct cx_profile profile = {.groups = 262144, .length = 0.6e-3, .ndevices = 2};
    profile.device[0].speed = 2.6e6; /* 0.1 s a launch */
    profile.device[1].speed = 1.3e6;
    const double alone = 262144 / 0.6e-3;
    ck_assert(fabs(cx_profile_speed(&profile, 0, 0) / alone - 1) < 1e-9);
    ck_assert(fabs(cx_profile_speed(&profile, 1, 0) / (alone / 2) - 1) < 1e-9);
    profile.device[0].speed = 100 * alone;
    ck_assert(fabs(cx_profile_speed(&profile, 0, 0) / alone - 1) < 1e-9);
    profile.device[0].speed = 0.5 * alone; /* packages may be slower, and launches wait */
    ck_assert(cx_profile_speed(&profile, 0, 0) == 0.5 * alone && cx_profile_speed(&profile, 1, 0) == 1.3e6);
    profile.device[0].speed = 0; /* not measured */
    ck_assert(cx_profile_speed(&profile, 0, 0) == 0 && cx_profile_speed(&profile, 1, 0) == 1.3e6);
    profile.device[0].speed = 2.6e6;
    profile.length = 0;
    ck_assert(cx_profile_speed(&profile, 0, 0) == 2.6e6);
}
END_TEST

/* A length tells of launches with the same arguments, and of others only where it was seen not to change. */
START_TEST(arguments_count)
{
    struct cx_profile profile = profile_of(1), later = profile_of(1);
    ck_assert(cx_profile_tells_length(&profile, profile.arguments) && !cx_profile_tells_length(&profile, 7));
    later.arguments = 7;
    later.length = 0.13;
    cx_profile_merge(&profile, &later);
    ck_assert(cx_profile_tells_length(&profile, 7) && cx_profile_tells_length(&profile, 8));
    later.arguments = 8;
    later.length = 0.001;
    cx_profile_merge(&profile, &later);
    ck_assert(profile.length == 0.001 && cx_profile_tells_length(&profile, 8));
    ck_assert(!cx_profile_tells_length(&profile, 7));
}
END_TEST

static void fill(struct cx_profile_table *table, unsigned from, unsigned count)
{
    for (unsigned i = from; i < from + count; i++) {
        const struct cx_profile profile = profile_of(i);
        struct cx_profile *place = cx_profile_table_make(table, &profile.key);
        if (place)
            *place = profile;
    }
}

START_TEST(tables_find)
{
    struct cx_profile_table table = {.count = 0};
    fill(&table, 0, CX_TABLE_MOST + 10);
    ck_assert_uint_eq(table.count, CX_TABLE_MOST);
    for (unsigned i = 0; i < CX_TABLE_MOST + 10; i++) {
        const struct cx_profile profile = profile_of(i);
        const struct cx_profile *found = cx_profile_table_find(&table, &profile.key);
        ck_assert((found != NULL) == (i < CX_TABLE_MOST));
        ck_assert(!found || found->key.global[0] == 64 + i);
    }
    cx_profile_table_free(&table);
}
END_TEST

/* Of a process: sizes that come back and sizes that never do. It keeps CX_TABLE_MOST, and what it writes
 * stays far below the base's 16 MB, which has a bound of its own (tests/tool/check_knowledge.py). */
START_TEST(a_million_launches_stay_small)
{
    struct cx_profile_table table = {.count = 0};
    char *text = NULL;
    size_t size = 0;
    for (unsigned i = 0; i < 1000000; i++) {
        const struct cx_profile launch = profile_of(i % 3 ? i % 50 : i);
        struct cx_profile *place = cx_profile_table_make(&table, &launch.key);
        if (place)
            cx_profile_add(place, &launch);
    }
    ck_assert_uint_eq(table.count, CX_TABLE_MOST);
    FILE *out = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(out);
    cx_profile_table_write(&table, out, (char[CX_PROFILE_LINE]){0});
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_uint_le(size, 4 << 20);
    free(text);
    cx_profile_table_free(&table);
}
END_TEST

static void count(void *data, const char *name)
{
    ck_assert(strncmp(name, "new.", 4) == 0);
    ++*(unsigned *)data;
}

START_TEST(files_come_back)
{
    struct cx_profile_table table = {.count = 0}, read = {.count = 0};
    const unsigned char hash[CX_PROFILE_HASH] = {1, 2};
    const double opening[CX_PROFILE_DEVICES] = {0, 0.02};
    unsigned files = 0;
    fill(&table, 0, 100);
    cx_profile_table_tell_set(&table, hash, "One + \033[1mOther\nno", opening);
    cx_profile_table_tell_set(&table, hash, "One + \033[1mOther\nno", NULL);
    ck_assert(cx_knowledge_write(folder, "view", &table) && cx_knowledge_add_new(folder, &table));
    cx_knowledge_read_view(folder, &read);
    ck_assert_uint_eq(read.count, 100);
    ck_assert_str_eq(read.set[0].text, "One + ?[1mOther");
    ck_assert(cx_profile_table_opening(&read, hash, 1) == 0.02 &&
              cx_profile_table_opening(&read, hash, 0) == 0);
    ck_assert_uint_eq(cx_knowledge_each_new(folder, count, &files), 1);
    ck_assert_uint_eq(files, 1);
    ck_assert_uint_eq(cx_knowledge_each_new("/nonexistent", count, &files), 0);
    cx_profile_table_free(&table);
    cx_profile_table_free(&read);
}
END_TEST

/* Any bit: the file counts as absent. */
START_TEST(damage_is_absence)
{
    struct cx_profile_table table = {.count = 0}, read = {.count = 0};
    char path[128];
    fill(&table, 0, 3);
    srand(2);
    for (unsigned i = 0; i < 300; i++) {
        ck_assert(cx_knowledge_write(folder, "view", &table));
        snprintf(path, sizeof(path), "%s/view", folder);
        const int fd = open(path, O_RDWR);
        struct stat info;
        unsigned char byte;
        ck_assert_int_eq(fstat(fd, &info), 0);
        const off_t at = rand() % info.st_size;
        ck_assert_int_eq(pread(fd, &byte, 1, at), 1);
        byte ^= (unsigned char)(1 << rand() % 8);
        ck_assert_int_eq(pwrite(fd, &byte, 1, at), 1);
        close(fd);
        cx_knowledge_read_view(folder, &read);
        ck_assert_uint_eq(read.count, 0);
    }
    cx_profile_table_free(&table);
}
END_TEST

/* Nor what others may write, nor without a folder. */
START_TEST(foreign_files_are_absent)
{
    struct cx_profile_table table = {.count = 0}, read = {.count = 0};
    unsigned char salt[CX_KNOWLEDGE_SALT], again[CX_KNOWLEDGE_SALT];
    char path[128];
    fill(&table, 0, 3);
    ck_assert(cx_knowledge_write(folder, "view", &table));
    snprintf(path, sizeof(path), "%s/view", folder);
    ck_assert_int_eq(chmod(path, 0666), 0);
    cx_knowledge_read_view(folder, &read);
    ck_assert_uint_eq(read.count, 0);
    ck_assert(!cx_knowledge_salt(folder, false, salt));
    ck_assert(cx_knowledge_salt(folder, true, salt) && cx_knowledge_salt(folder, false, again));
    ck_assert(memcmp(salt, again, sizeof(salt)) == 0);
    ck_assert(!cx_knowledge_write("/proc/nothing", "view", &table));
    ck_assert(!cx_knowledge_salt("/proc/nothing", true, salt));
    cx_profile_table_free(&table);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profiles");
    TCase *tcase = tcase_create("profiles");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, lines_come_back);
    tcase_add_test(tcase, tuning_comes_back);
    tcase_add_test(tcase, newest_tuning_counts);
    tcase_add_test(tcase, longest_line_has_room);
    tcase_add_test(tcase, changed_lines_make_sense);
    tcase_add_test(tcase, later_measurements_count);
    tcase_add_test(tcase, a_disturbed_split_hardly_counts);
    tcase_add_test(tcase, speeds_agree_with_lengths);
    tcase_add_test(tcase, arguments_count);
    tcase_add_test(tcase, tables_find);
    tcase_add_test(tcase, a_million_launches_stay_small);
    tcase_add_test(tcase, files_come_back);
    tcase_add_test(tcase, damage_is_absence);
    tcase_add_test(tcase, foreign_files_are_absent);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
