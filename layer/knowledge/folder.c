/* SPDX-License-Identifier: MIT */
/*
 * The files of the knowledge base. See folder.h.
 */
#include "layer/knowledge/folder.h"
#include "layer/base/clock.h"
#include "layer/base/disk_cache.h"
#include "layer/base/options.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

char *cx_knowledge_folder(const char *cache)
{
    char *path = NULL;
    return asprintf(&path, "%s/knowledge", cache) < 0 ? NULL : path;
}

char *cx_knowledge_folder_wanted(void)
{
    const struct cx_options *options = cx_options_get();
    const char *cache = cx_options_cache_dir();
    if (options->knowledge == CX_OPTION_KNOWLEDGE_NEVER || options->reproducible ||
        options->split == CX_OPTION_SPLIT_NEVER || !cache)
        return NULL;
    return cx_knowledge_folder(cache);
}

static bool load_salt(const char *folder, unsigned char salt[CX_KNOWLEDGE_SALT])
{
    size_t size;
    void *data = cx_disk_cache_load(folder, "salt", &size);
    const bool found = data && size == CX_KNOWLEDGE_SALT;
    if (found)
        memcpy(salt, data, CX_KNOWLEDGE_SALT);
    free(data);
    return found;
}

/* Of processes that make one at a time the last one's counts, which the others learn the next time. */
bool cx_knowledge_salt(const char *folder, bool may_write, unsigned char salt[CX_KNOWLEDGE_SALT])
{
    if (load_salt(folder, salt))
        return true;
    return may_write && getrandom(salt, CX_KNOWLEDGE_SALT, GRND_NONBLOCK) == CX_KNOWLEDGE_SALT &&
           cx_disk_cache_store(folder, "salt", salt, CX_KNOWLEDGE_SALT) && load_salt(folder, salt);
}

bool cx_knowledge_read(const char *folder, const char *name, struct cx_profile_table *table)
{
    size_t size;
    char *text = cx_disk_cache_load(folder, name, &size);
    const bool read = text && cx_profile_table_read(table, text, size) >= 0;
    free(text);
    return read;
}

void cx_knowledge_read_view(const char *folder, struct cx_profile_table *table)
{
    (void)cx_knowledge_read(folder, "view", table);
}

static int is_new(const struct dirent *entry)
{
    return strncmp(entry->d_name, "new.", 4) == 0;
}

/* By their times, which are the last numbers of their names. */
static int is_later(const struct dirent **a, const struct dirent **b)
{
    const unsigned long long one = strtoull(strrchr((*a)->d_name, '.') + 1, NULL, 10),
                             other = strtoull(strrchr((*b)->d_name, '.') + 1, NULL, 10);
    return one < other ? -1 : one > other;
}

unsigned cx_knowledge_each_new(const char *folder, void (*take)(void *data, const char *name), void *data)
{
    struct dirent **listed;
    const int count = scandir(folder, &listed, is_new, is_later);
    for (int i = 0; i < count; i++) {
        if (i < CX_KNOWLEDGE_NEW_MOST)
            take(data, listed[i]->d_name);
        free(listed[i]);
    }
    if (count >= 0)
        free(listed);
    return count > 0 ? (unsigned)count : 0;
}

/* Room for a text, a line of it and the stream's buffer. Pages of its own: at exit() large memory from
 * malloc() would have glibc put together all small pieces that the program has freed, for a tenth of a second
 * and more where they are millions. */
struct room {
    char line[CX_PROFILE_LINE], buffer[4096];
    char text[];
};

bool cx_knowledge_write(const char *folder, const char *name, const struct cx_profile_table *table)
{
    const size_t most = (1 + (size_t)table->nsets + table->count) * (CX_PROFILE_LINE + CX_TABLE_SET_TEXT);
    struct room *room = mmap(NULL, sizeof(*room) + most, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return false;
    FILE *out = fmemopen(room->text, most, "w");
    bool written = out != NULL;
    if (out) {
        setvbuf(out, room->buffer, _IOFBF, sizeof(room->buffer));
        cx_profile_table_write(table, out, room->line);
        written = fflush(out) == 0;
        const long size = ftell(out);
        written = fclose(out) == 0 && written && size > 0 &&
                  cx_disk_cache_store(folder, name, room->text, (size_t)size);
    }
    munmap(room, sizeof(*room) + most);
    return written;
}

bool cx_knowledge_add_new(const char *folder, const struct cx_profile_table *table)
{
    char name[64];
    snprintf(name, sizeof(name), "new.%ld.%" PRIu64, (long)getpid(), cx_clock_ns());
    return cx_knowledge_write(folder, name, table);
}
