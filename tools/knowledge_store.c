/* SPDX-License-Identifier: MIT */
/*
 * The knowledge base. See knowledge_store.h.
 */
#include "tools/knowledge_store.h"
#include "layer/base/disk_cache.h"
#include "layer/knowledge/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

enum { BUSY_MS = 2000, PAGE = 4096, LEFT_SECONDS = 86400 };
#define LAYOUT "1"

struct cx_store {
    char *folder;
    int lock;
    sqlite3 *base;
    bool was_damaged;
    char checked[200];
};

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS profile(key BLOB PRIMARY KEY, name TEXT, seen INTEGER, line TEXT) WITHOUT "
    "ROWID;"
    "CREATE INDEX IF NOT EXISTS newest ON profile(seen);"
    "CREATE TABLE IF NOT EXISTS devices(hash BLOB PRIMARY KEY, line TEXT) WITHOUT ROWID;"
    "PRAGMA user_version=" LAYOUT;

/* ---- opening ---- */

/* File systems of other machines: their locks and maps are not what write-ahead logging needs. */
static bool is_remote(const char *folder)
{
    static const unsigned long types[] = {0x6969,     0x517b,     0xff534d42, 0xfe534d42,
                                          0x65735546, 0x0bd00bd0, 0x5346414f, 0x6b414653,
                                          0x01021997, 0x00c36400, 0x47504653};
    struct statfs info;
    bool remote = statfs(folder, &info) != 0;
    for (size_t i = 0; i < sizeof(types) / sizeof(*types) && !remote; i++)
        remote = ((unsigned long)info.f_type & 0xffffffff) == types[i];
    return remote;
}

static bool is_ours(const char *folder)
{
    struct stat info;
    return stat(folder, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
           !(info.st_mode & (S_IWGRP | S_IWOTH));
}

static bool run(struct cx_store *store, const char *sql)
{
    return sqlite3_exec(store->base, sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* One number or text that a statement gives. */
static bool ask(struct cx_store *store, const char *sql, char *text, size_t room)
{
    sqlite3_stmt *statement = NULL;
    bool got = sqlite3_prepare_v2(store->base, sql, -1, &statement, NULL) == SQLITE_OK &&
               sqlite3_step(statement) == SQLITE_ROW;
    const unsigned char *value = got ? sqlite3_column_text(statement, 0) : NULL;
    snprintf(text, room, "%s", value ? (const char *)value : "");
    sqlite3_finalize(statement);
    return got;
}

static bool set_up(struct cx_store *store, const char *path)
{
    char text[200], pages[64];
    if (sqlite3_open_v2(path, &store->base, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
        return false;
    sqlite3_busy_timeout(store->base, BUSY_MS);
    snprintf(pages, sizeof(pages), "PRAGMA max_page_count=%d", CX_STORE_BYTES / PAGE);
    bool ok =
        run(store, "PRAGMA trusted_schema=0") && run(store, "PRAGMA mmap_size=0") &&
        run(store, is_remote(store->folder) ? "PRAGMA journal_mode=DELETE" : "PRAGMA journal_mode=WAL") &&
        run(store, "PRAGMA synchronous=NORMAL") && run(store, "PRAGMA journal_size_limit=1048576") &&
        run(store, pages);
    ok = ok && ask(store, "PRAGMA integrity_check(1)", text, sizeof(text)) && strcmp(text, "ok") == 0;
    ok = ok && ask(store, "PRAGMA user_version", text, sizeof(text)) &&
         (strcmp(text, "0") == 0 || strcmp(text, LAYOUT) == 0);
    return ok && run(store, schema);
}

static void shut(struct cx_store *store)
{
    sqlite3_close(store->base);
    store->base = NULL;
}

/* A damaged base, or one of a later version, makes room. */
static void set_aside(struct cx_store *store, const char *path)
{
    char *other = NULL;
    for (unsigned i = 0; i < 3; i++) {
        static const char *const ends[] = {"-wal", "-shm", "-journal"};
        if (asprintf(&other, "%s%s", path, ends[i]) >= 0) {
            unlink(other);
            free(other);
        }
    }
    if (asprintf(&other, "%s.damaged", path) >= 0) {
        store->was_damaged = rename(path, other) == 0;
        free(other);
    }
}

/* Whether what failed last tells of damage, or of what is no base at all; not that the disk is full or
 * somebody else has it. */
static bool is_damage(const struct cx_store *store)
{
    const int code = store->base ? sqlite3_errcode(store->base) : SQLITE_NOMEM;
    return code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE || code == SQLITE_CORRUPT ||
           code == SQLITE_NOTADB || code == SQLITE_ERROR || code == SQLITE_SCHEMA ||
           code == SQLITE_CONSTRAINT || code == SQLITE_MISMATCH;
}

/* anew: what is there is damaged. */
static bool open_base(struct cx_store *store, bool anew)
{
    char *path = NULL;
    if (asprintf(&path, "%s/" CX_KNOWLEDGE_BASE, store->folder) < 0)
        return false;
    bool opened = !anew && set_up(store, path);
    if (!opened && (anew || is_damage(store))) {
        shut(store);
        set_aside(store, path);
        opened = set_up(store, path);
    }
    free(path);
    return opened;
}

static bool lock(struct cx_store *store, bool waits)
{
    char *path = NULL;
    if (asprintf(&path, "%s/lock", store->folder) < 0)
        return false;
    store->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    free(path);
    return store->lock >= 0 && flock(store->lock, LOCK_EX | (waits ? 0 : LOCK_NB)) == 0;
}

struct cx_store *cx_store_open(const char *folder, bool waits, const char **why)
{
    struct cx_store *store = calloc(1, sizeof(*store));
    signal(SIGXFSZ, SIG_IGN); /* a limit on files' sizes is a full disk */
    umask(077);
    *why = "no memory";
    if (!store || !(store->folder = strdup(folder))) {
        free(store);
        return NULL;
    }
    store->lock = -1;
    if (!cx_disk_cache_make_folder(folder))
        *why = "the folder cannot be made";
    else if (!is_ours(folder))
        *why = "the folder is not yours alone to write";
    else if (!lock(store, waits))
        *why = "another process has it open, or the folder cannot be written";
    else if (!open_base(store, false))
        *why = "the base cannot be opened: is the disk full?";
    else
        return store;
    cx_store_close(store);
    return NULL;
}

void cx_store_close(struct cx_store *store)
{
    if (!store)
        return;
    shut(store);
    if (store->lock >= 0)
        close(store->lock);
    free(store->folder);
    free(store);
}

bool cx_store_was_damaged(const struct cx_store *store)
{
    return store->was_damaged;
}

const char *cx_store_check(struct cx_store *store)
{
    if (!ask(store, "PRAGMA integrity_check(1)", store->checked, sizeof(store->checked)))
        snprintf(store->checked, sizeof(store->checked), "%s", sqlite3_errmsg(store->base));
    return store->checked;
}

/* ---- rows ---- */

static sqlite3_stmt *prepare(struct cx_store *store, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    return sqlite3_prepare_v2(store->base, sql, -1, &statement, NULL) == SQLITE_OK ? statement : NULL;
}

/* Runs what was bound, for its effect. */
static bool finish(sqlite3_stmt *statement)
{
    const bool done = statement && sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_finalize(statement);
    return done;
}

static bool load(struct cx_store *store, const struct cx_profile_key *key, struct cx_profile *profile)
{
    sqlite3_stmt *statement = prepare(store, "SELECT line FROM profile WHERE key=?");
    sqlite3_bind_blob(statement, 1, key, sizeof(*key), SQLITE_STATIC);
    const bool found = statement && sqlite3_step(statement) == SQLITE_ROW;
    const char *line = found ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    const bool sound =
        line && cx_profile_parse(line, profile) && memcmp(&profile->key, key, sizeof(*key)) == 0;
    sqlite3_finalize(statement);
    return sound;
}

static bool save(struct cx_store *store, const struct cx_profile *profile)
{
    char line[CX_PROFILE_LINE];
    sqlite3_stmt *statement =
        prepare(store, "INSERT OR REPLACE INTO profile(key, name, seen, line) VALUES(?, ?, ?, ?)");
    cx_profile_print(profile, line);
    sqlite3_bind_blob(statement, 1, &profile->key, sizeof(profile->key), SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, profile->name, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 3, (sqlite3_int64)profile->seen);
    sqlite3_bind_text(statement, 4, line, -1, SQLITE_STATIC);
    return finish(statement);
}

static bool save_set(struct cx_store *store, const struct cx_profile_table *table, unsigned i)
{
    char line[CX_PROFILE_LINE], *text = NULL;
    cx_profile_print_set(table->set[i].hash, table->set[i].opening, line);
    if (asprintf(&text, "%s %s", line, table->set[i].text) < 0)
        return false;
    sqlite3_stmt *statement = prepare(store, "INSERT OR REPLACE INTO devices(hash, line) VALUES(?, ?)");
    sqlite3_bind_blob(statement, 1, table->set[i].hash, CX_PROFILE_HASH, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, text, -1, free);
    return finish(statement);
}

void cx_store_sets(struct cx_store *store, struct cx_profile_table *table)
{
    sqlite3_stmt *statement = prepare(store, "SELECT line FROM devices");
    while (statement && sqlite3_step(statement) == SQLITE_ROW) {
        unsigned char hash[CX_PROFILE_HASH];
        double opening[CX_PROFILE_DEVICES];
        const char *line = (const char *)sqlite3_column_text(statement, 0);
        const char *names = line ? cx_profile_parse_set(line, hash, opening) : NULL;
        if (names)
            cx_profile_table_tell_set(table, hash, names, opening);
    }
    sqlite3_finalize(statement);
}

static bool save_all(struct cx_store *store, const struct cx_profile_table *table)
{
    struct cx_profile_table sets = {.nsets = 0};
    struct cx_profile former;
    bool ok = true;
    for (unsigned i = 0; i < table->count && ok; i++) {
        const bool known = load(store, &table->profile[i].key, &former);
        if (known)
            cx_profile_merge(&former, &table->profile[i]);
        ok = save(store, known ? &former : &table->profile[i]);
    }
    cx_store_sets(store, &sets);
    for (unsigned i = 0; i < table->nsets; i++)
        cx_profile_table_tell_set(&sets, table->set[i].hash, table->set[i].text, table->set[i].opening);
    for (unsigned i = 0; i < sets.nsets && ok; i++)
        ok = save_set(store, &sets, i);
    cx_profile_table_free(&sets);
    return ok;
}

/* All or nothing. *damaged: why it failed. */
static bool add(struct cx_store *store, const struct cx_profile_table *table, bool *damaged)
{
    const bool ok = run(store, "BEGIN IMMEDIATE") && save_all(store, table) && run(store, "COMMIT");
    *damaged = !ok && is_damage(store);
    if (!ok)
        (void)run(store, "ROLLBACK");
    return ok;
}

/* Damage that opening it did not show makes room, too. */
bool cx_store_add(struct cx_store *store, const struct cx_profile_table *table)
{
    bool damaged;
    if (!store->base)
        return false;
    return add(store, table, &damaged) || (damaged && open_base(store, true) && add(store, table, &damaged));
}

/* ---- bounds ---- */

static bool drop_old(struct cx_store *store)
{
    sqlite3_stmt *statement = prepare(store, "DELETE FROM profile WHERE seen < ?");
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)time(NULL) - CX_STORE_DAYS * INT64_C(86400));
    return finish(statement);
}

static bool drop_beyond(struct cx_store *store, unsigned rows)
{
    sqlite3_stmt *statement = prepare(
        store,
        "DELETE FROM profile WHERE key IN (SELECT key FROM profile ORDER BY seen DESC LIMIT -1 OFFSET ?)");
    sqlite3_bind_int64(statement, 1, rows);
    return finish(statement);
}

/* ---- new files and the view ---- */

struct news {
    struct cx_store *store;
    unsigned count;
    char *name[CX_KNOWLEDGE_NEW_MOST];
    struct cx_profile_table table;
};

static void take(void *data, const char *name)
{
    struct news *news = data;
    if (news->count < CX_KNOWLEDGE_NEW_MOST && (news->name[news->count] = strdup(name)))
        news->count++;
    (void)cx_knowledge_read(news->store->folder, name, &news->table);
}

static void collect(void *data, const struct cx_profile *profile)
{
    struct cx_profile_table *view = data;
    struct cx_profile *place =
        view->count < CX_STORE_VIEW ? cx_profile_table_make(view, &profile->key) : NULL;
    if (place)
        *place = *profile;
}

static bool write_view(struct cx_store *store)
{
    struct cx_profile_table view = {.count = 0};
    cx_store_sets(store, &view);
    const bool ok =
        cx_store_each(store, NULL, collect, &view) && cx_knowledge_write(store->folder, "view", &view);
    cx_profile_table_free(&view);
    return ok;
}

/* Those that are in the base now; what made no sense goes, too, or it would be read for ever. */
static void remove_files(struct news *news, bool taken)
{
    for (unsigned i = 0; i < news->count; i++) {
        char *path = NULL;
        if (taken && asprintf(&path, "%s/%s", news->store->folder, news->name[i]) >= 0) {
            unlink(path);
            free(path);
        }
        free(news->name[i]);
    }
}

/* *damaged: why it failed. */
static bool take_all(struct cx_store *store, const struct news *news, bool *damaged)
{
    bool ok = add(store, &news->table, damaged);
    if (!ok && !*damaged) /* the file is full: older profiles make room */
        ok = drop_beyond(store, CX_STORE_ROWS / 2) && add(store, &news->table, damaged);
    if (*damaged)
        return false;
    const bool dropped = drop_old(store) && drop_beyond(store, CX_STORE_ROWS);
    *damaged = !dropped && is_damage(store);
    return dropped && write_view(store) && ok;
}

/* What a process that was killed while it wrote a file left, as it is (disk_cache.c). */
static void remove_leftovers(const struct cx_store *store)
{
    DIR *listed = opendir(store->folder);
    for (const struct dirent *entry; listed && (entry = readdir(listed));) {
        struct stat info;
        if (entry->d_name[0] == '.' &&
            fstatat(dirfd(listed), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode) &&
            info.st_mtime < time(NULL) - LEFT_SECONDS)
            unlinkat(dirfd(listed), entry->d_name, 0);
    }
    if (listed)
        closedir(listed);
}

bool cx_store_take_in(struct cx_store *store)
{
    struct news *news = calloc(1, sizeof(*news));
    bool damaged = false;
    if (!news || !store->base) {
        free(news);
        return false;
    }
    news->store = store;
    cx_knowledge_each_new(store->folder, take, news);
    const bool ok = take_all(store, news, &damaged) ||
                    (damaged && open_base(store, true) && take_all(store, news, &damaged));
    remove_files(news, ok);
    remove_leftovers(store);
    cx_profile_table_free(&news->table);
    free(news);
    return ok;
}

/* ---- for people ---- */

bool cx_store_each(struct cx_store *store, const char *pattern,
                   void (*see)(void *data, const struct cx_profile *profile), void *data)
{
    struct cx_profile profile;
    sqlite3_stmt *statement = prepare(store, "SELECT line FROM profile ORDER BY seen DESC");
    int step = SQLITE_DONE;
    while (statement && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *line = (const char *)sqlite3_column_text(statement, 0);
        if (line && cx_profile_parse(line, &profile) && (!pattern || fnmatch(pattern, profile.name, 0) == 0))
            see(data, &profile);
    }
    sqlite3_finalize(statement);
    return statement && step == SQLITE_DONE;
}

struct matches {
    const char *pattern;
    uint64_t before;
    struct cx_profile_key *key;
    unsigned count, room;
};

static void note(void *data, const struct cx_profile *profile)
{
    struct matches *matches = data;
    if (profile->seen >= matches->before)
        return;
    if (matches->count == matches->room) {
        const unsigned room = matches->room ? 2 * matches->room : 64;
        struct cx_profile_key *key = realloc(matches->key, room * sizeof(*key));
        if (!key)
            return;
        matches->key = key;
        matches->room = room;
    }
    matches->key[matches->count++] = profile->key;
}

int cx_store_forget(struct cx_store *store, const char *pattern, uint64_t before)
{
    struct matches matches = {.pattern = pattern, .before = before};
    bool ok = cx_store_each(store, pattern, note, &matches) && run(store, "BEGIN IMMEDIATE");
    for (unsigned i = 0; i < matches.count && ok; i++) {
        sqlite3_stmt *statement = prepare(store, "DELETE FROM profile WHERE key=?");
        sqlite3_bind_blob(statement, 1, &matches.key[i], sizeof(*matches.key), SQLITE_STATIC);
        ok = finish(statement);
    }
    if (!pattern && before == UINT64_MAX)
        ok = ok && run(store, "DELETE FROM profile; DELETE FROM devices");
    ok = ok && run(store, "COMMIT") && write_view(store);
    free(matches.key);
    return ok ? (int)matches.count : -1;
}
