/* SPDX-License-Identifier: MIT */
/* sha256.c against the standard's examples, checksum.c, and disk_cache.c: keys, round trips, damaged files,
 * writers at once.
 */
#include "capture.h"
#include "layer/base/disk_cache.h"
#include "layer/base/checksum.h"
#include "layer/base/sha256.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char base[64], folder[128];
static const char *const words[] = {"a", "bc"};
static char key[CX_DISK_CACHE_KEY_SIZE];

static void setup(void)
{
    clean_environment();
    strcpy(base, "/tmp/test-cache-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(base));
    snprintf(folder, sizeof(folder), "%s/deep/er", base);
    cx_disk_cache_key(key, 2, words);
}

static void teardown(void)
{
    char command[128];
    snprintf(command, sizeof(command), "rm -rf '%s'", base);
    ck_assert_int_eq(system(command), 0);
}

static void expect_digest(const char *text, size_t repeat, size_t range, const char *expected)
{
    struct cx_sha256 hash;
    unsigned char digest[32];
    char hex[65];

    cx_sha256_init(&hash);
    for (size_t r = 0; r < repeat; r++)
        for (size_t at = 0; at < strlen(text); at += range) {
            size_t left = strlen(text) - at;
            cx_sha256_add(&hash, text + at, left < range ? left : range);
        }
    cx_sha256_end(&hash, digest);
    for (unsigned i = 0; i < 32; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    ck_assert_str_eq(hex, expected);
}

START_TEST(digests)
{
    const char *two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";

    expect_digest("", 1, 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect_digest("abc", 1, 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect_digest("abc", 1, 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    for (size_t range = 1; range <= 56; range += 11)
        expect_digest(two_blocks, 1, range,
                      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    expect_digest("aaaaaaaaaa", 100000, 7,
                  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
END_TEST

/* Files written before must be read by later builds: the answer of xxhsum -H2. */
START_TEST(checksum)
{
    static const unsigned char expected[CX_CHECKSUM_SIZE] = {0x06, 0xb0, 0x5a, 0xb6, 0x73, 0x3a, 0x61, 0x85,
                                                             0x78, 0xaf, 0x5f, 0x94, 0x89, 0x2f, 0x39, 0x50};
    unsigned char sum[CX_CHECKSUM_SIZE];
    cx_checksum("abc", 3, sum);
    ck_assert_mem_eq(sum, expected, CX_CHECKSUM_SIZE);
}
END_TEST

START_TEST(keys_differ)
{
    const char *const other[] = {"ab", "c"};
    const char *const longer[] = {"a", "bc", ""};
    char second[CX_DISK_CACHE_KEY_SIZE], third[CX_DISK_CACHE_KEY_SIZE];

    cx_disk_cache_key(second, 2, other);
    cx_disk_cache_key(third, 3, longer);
    ck_assert_uint_eq(strlen(key), 64);
    ck_assert_str_ne(key, second);
    ck_assert_str_ne(key, third);
    cx_disk_cache_key(second, 2, words);
    ck_assert_str_eq(key, second);
}
END_TEST

static void expect_stored(const char *text)
{
    size_t size = 0;
    char *data = cx_disk_cache_load(folder, key, &size);
    ck_assert_ptr_nonnull(data);
    ck_assert_uint_eq(size, strlen(text));
    ck_assert_mem_eq(data, text, size);
    free(data);
}

static void expect_absent(void)
{
    size_t size = 0;
    ck_assert_ptr_null(cx_disk_cache_load(folder, key, &size));
}

START_TEST(round_trip)
{
    struct stat info;

    expect_absent();
    ck_assert(cx_disk_cache_store(folder, key, "hello", 5));
    expect_stored("hello");
    ck_assert(cx_disk_cache_store(folder, key, "hello again", 11));
    expect_stored("hello again");
    ck_assert_int_eq(stat(folder, &info), 0);
    ck_assert_uint_eq(info.st_mode & 0777, 0700);
}
END_TEST

/* Changes the file at one offset, or cuts it there. */
static void damage(long at, bool cut)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, key);
    if (cut) {
        ck_assert_int_eq(truncate(path, at), 0);
        return;
    }
    FILE *file = fopen(path, "r+");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fseek(file, at, SEEK_SET), 0);
    int byte = fgetc(file);
    ck_assert_int_eq(fseek(file, at, SEEK_SET), 0);
    ck_assert_int_ne(fputc(byte ^ 1, file), EOF);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(damaged_files_are_absent)
{
    const long length = 8 + CX_CHECKSUM_SIZE + 5;

    for (long at = 0; at < length; at++) {
        ck_assert(cx_disk_cache_store(folder, key, "hello", 5));
        damage(at, false);
        expect_absent();
        ck_assert(cx_disk_cache_store(folder, key, "hello", 5));
        damage(at, true);
        expect_absent();
    }
    ck_assert(cx_disk_cache_store(folder, key, "hello", 5));
    expect_stored("hello");
}
END_TEST

START_TEST(foreign_files_are_absent)
{
    char path[256];

    ck_assert(cx_disk_cache_store(folder, key, "hello", 5));
    snprintf(path, sizeof(path), "%s/%s", folder, key);
    ck_assert_int_eq(chmod(path, 0666), 0); /* anybody could have written it */
    expect_absent();
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    expect_absent();
    ck_assert(!cx_disk_cache_store(folder, key, "hello", 5));
    ck_assert_int_eq(rmdir(path), 0);
    ck_assert_int_eq(mkfifo(path, 0600), 0); /* must not wait for a writer */
    expect_absent();
}
END_TEST

START_TEST(no_folder)
{
    char file[96];

    snprintf(file, sizeof(file), "%s/file", base);
    int fd = open(file, O_CREAT | O_WRONLY, 0600);
    ck_assert_int_ge(fd, 0);
    close(fd);
    snprintf(folder, sizeof(folder), "%s/below", file);
    capture_start();
    ck_assert(!cx_disk_cache_store(folder, key, "hello", 5));
    ck_assert(!cx_disk_cache_store("", key, "hello", 5));
    ck_assert_str_eq(capture_end(), "");
    expect_absent();
}
END_TEST

/* Nothing half-written is left behind, and the signal that a limit comes with does not end the program. */
START_TEST(no_room)
{
    struct rlimit limit;
    char command[160];

    ck_assert(cx_disk_cache_store(folder, key, "hello", 5));
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    struct rlimit low = {8 + CX_CHECKSUM_SIZE + 3, limit.rlim_max};
    /* no checks in between: libcheck notes each in a file */
    bool set = setrlimit(RLIMIT_FSIZE, &low) == 0;
    bool too_long = cx_disk_cache_store(folder, key, "other", 5),
         fits = cx_disk_cache_store(folder, key, "cut", 3);
    set &= setrlimit(RLIMIT_FSIZE, &limit) == 0;
    ck_assert(set && !too_long);
    ck_assert(fits);
    expect_stored("cut");
    snprintf(command, sizeof(command), "[ $(ls -A '%s' | wc -l) = 1 ]", folder);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

static void *write_often(void *data)
{
    char text[4096];
    memset(text, *(const char *)data, sizeof(text));
    for (unsigned i = 0; i < 200; i++)
        if (!cx_disk_cache_store(folder, key, text, (size_t)(1000 + (*(const char *)data - 'a') * 700)))
            return data;
    return NULL;
}

/* Readers see whole files while several write. */
START_TEST(writers_at_once)
{
    static const char letters[] = "abcd";
    pthread_t writers[4];

    ck_assert(cx_disk_cache_store(folder, key, "a", 1));
    for (unsigned i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&writers[i], NULL, write_often, (void *)(uintptr_t)&letters[i]), 0);
    for (unsigned i = 0; i < 300; i++) {
        size_t size = 0;
        char *data = cx_disk_cache_load(folder, key, &size);
        ck_assert_ptr_nonnull(data);
        for (size_t j = 1; j < size; j++)
            ck_assert_int_eq(data[j], data[0]);
        free(data);
    }
    for (unsigned i = 0; i < 4; i++) {
        void *failed;
        ck_assert_int_eq(pthread_join(writers[i], &failed), 0);
        ck_assert_ptr_null(failed);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cache");
    TCase *tests = tcase_create("cache");

    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, digests);
    tcase_add_test(tests, checksum);
    tcase_add_test(tests, keys_differ);
    tcase_add_test(tests, round_trip);
    tcase_add_test(tests, damaged_files_are_absent);
    tcase_add_test(tests, foreign_files_are_absent);
    tcase_add_test(tests, no_folder);
    tcase_add_test(tests, no_room);
    tcase_add_test(tests, writers_at_once);
    suite_add_tcase(suite, tests);
    return tap_run(suite);
}
