/* SPDX-License-Identifier: MIT */
/*
 * The knowledge of this process. See knowledge.h.
 */
#include "layer/knowledge/knowledge.h"
#include "layer/base/clock.h"
#include "layer/base/deadline.h"
#include "layer/base/exit_guard.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/base/sha256.h"
#include "layer/base/subprocess.h"
#include "layer/knowledge/folder.h"
#include "layer/knowledge/store_program.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Between two times that the process writes, ns; a process that is killed loses what came since. */
#define WRITE_EVERY_NS UINT64_C(10000000000)
/* New files from which on they are taken into the base. */
enum { MANY_NEW = 8 };
/* Profiles of one process at most: those of the first kernels and sizes. */
enum { MOST_OWN = 512 };
/* Milliseconds that this may take: it goes on by itself if the process ends. */
enum { STORE_LIMIT = 10000, LOCK_PATIENCE_MS = 20 };

static struct {
    struct cx_lock lock;
    char *folder; /* NULL: there is none */
    unsigned char salt[CX_KNOWLEDGE_SALT];
    pid_t process;
    bool may_write;
    atomic_bool ready;
    struct cx_profile_table former, /* of other processes */
        own,                        /* of this one, for look-ups */
        news;                       /* ... that is not written yet */
    bool *asked;                    /* by the place in `former` */
    uint64_t written_ns;
    bool writes; /* a thread is on its way to */
} known = {.lock = CX_LOCK_INIT(CX_RANK_KNOWLEDGE)};

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* ---- at the beginning ---- */

/* Files, one after another, into `former`; nobody else uses that yet. */
static void take_new(void *data, const char *name)
{
    (void)data;
    (void)cx_knowledge_read(known.folder, name, &known.former);
}

/* Has a process take the new files into the base. */
static void store(void *data)
{
    (void)data;
    const char *program = cx_knowledge_store_program();
    struct cx_subprocess helper = {0};
    char message[128];
    atomic_init(&helper.outlasts, true);
    const enum cx_subprocess_end end =
        cx_subprocess_run(&helper, (char *const[]){(char *)program, (char[]){"take-in"}, known.folder, NULL},
                          STORE_LIMIT, message, sizeof(message));
    cx_debug(CX_TOPIC_PLAN, "coexec-knowledge ended with %u %s", (unsigned)end, message);
}

static void load(void *data)
{
    const bool may_write = cx_options_get()->knowledge == CX_OPTION_KNOWLEDGE_AUTO;
    (void)data;
    if (!cx_knowledge_store_program() || !cx_knowledge_salt(known.folder, may_write, known.salt))
        return;
    cx_knowledge_read_view(known.folder, &known.former);
    const unsigned news = cx_knowledge_each_new(known.folder, take_new, NULL);
    known.asked = calloc(known.former.count + 1u, sizeof(*known.asked));
    if (!known.asked)
        return;
    known.may_write = may_write && news < CX_KNOWLEDGE_NEW_MOST;
    known.written_ns = cx_clock_ns();
    atomic_store_explicit(&known.ready, true, memory_order_release);
    cx_debug(CX_TOPIC_PLAN, "%u kernels and sizes are known from former processes", known.former.count);
    if (may_write && news >= MANY_NEW)
        store(NULL);
}

static void begin(void)
{
    const struct cx_options *options = cx_options_get();
    const char *cache = cx_options_cache_dir();
    if (options->knowledge == CX_OPTION_KNOWLEDGE_NEVER || options->reproducible ||
        options->split == CX_OPTION_SPLIT_NEVER || !cache)
        return;
    known.process = getpid();
    known.folder = cx_knowledge_folder(cache);
    if (known.folder)
        (void)cx_exit_guard_run(load, NULL); /* else: nothing is known */
}

void cx_knowledge_begin(void)
{
    pthread_once(&once, begin);
}

bool cx_knowledge_ready(void)
{
    return atomic_load_explicit(&known.ready, memory_order_acquire);
}

void cx_knowledge_hash(const char *const *texts, unsigned count, unsigned char hash[CX_PROFILE_HASH])
{
    struct cx_sha256 sha;
    unsigned char digest[32];
    cx_sha256_init(&sha);
    cx_sha256_add(&sha, known.salt, sizeof(known.salt));
    for (unsigned i = 0; i < count; i++) {
        const uint64_t length = strlen(texts[i]);
        cx_sha256_add(&sha, &length, sizeof(length));
        cx_sha256_add(&sha, texts[i], length);
    }
    cx_sha256_end(&sha, digest);
    memcpy(hash, digest, CX_PROFILE_HASH);
}

void cx_knowledge_tell_set(const unsigned char *hash, const char *text, const double *opening)
{
    cx_lock(&known.lock);
    cx_profile_table_tell_set(&known.news, hash, text, opening);
    cx_unlock(&known.lock);
}

double cx_knowledge_opening(const unsigned char *hash, unsigned member)
{
    cx_lock(&known.lock);
    const double seconds = cx_profile_table_opening(&known.former, hash, member);
    cx_unlock(&known.lock);
    return seconds;
}

/* ---- look-ups ---- */

bool cx_knowledge_find(const struct cx_profile_key *key, struct cx_profile *profile, bool *first)
{
    cx_lock(&known.lock);
    const struct cx_profile *former = cx_profile_table_find(&known.former, key);
    const struct cx_profile *own = cx_profile_table_find(&known.own, key);
    *first = former && !known.asked[former - known.former.profile];
    if (former)
        known.asked[former - known.former.profile] = true;
    if (former || own)
        *profile = former ? *former : *own;
    if (former && own)
        cx_profile_merge(profile, own);
    cx_unlock(&known.lock);
    return former || own;
}

static unsigned find_alike(const struct cx_profile_table *table, const struct cx_profile_key *key,
                           struct cx_profile *profile, unsigned most)
{
    unsigned count = 0;
    for (unsigned i = 0; i < table->count && count < most; i++) {
        const struct cx_profile_key *other = &table->profile[i].key;
        if (memcmp(other->kernel, key->kernel, CX_PROFILE_HASH) == 0 &&
            memcmp(other->set, key->set, CX_PROFILE_HASH) == 0 && other->dims == key->dims)
            profile[count++] = table->profile[i];
    }
    return count;
}

unsigned cx_knowledge_alike(const struct cx_profile_key *key, struct cx_profile *profile, unsigned most)
{
    cx_lock(&known.lock);
    const unsigned count = find_alike(&known.former, key, profile, most);
    cx_unlock(&known.lock);
    return count;
}

/* ---- what is added ---- */

/* Hands over what is new, and keeps the names of sets. */
static struct cx_profile_table take_news(void)
{
    cx_lock(&known.lock);
    struct cx_profile_table news = known.news;
    memset(&known.news, 0, sizeof(known.news));
    for (unsigned i = 0; i < news.nsets; i++)
        cx_profile_table_tell_set(&known.news, news.set[i].hash, news.set[i].text, news.set[i].opening);
    known.written_ns = cx_clock_ns();
    known.writes = false;
    cx_unlock(&known.lock);
    return news;
}

/* Whether nothing of that key was written before. */
static bool is_first_of_process(const struct cx_profile_key *key)
{
    cx_lock(&known.lock);
    struct cx_profile *own = cx_profile_table_find(&known.own, key);
    const bool first = !own || own->processes == 0;
    if (own)
        own->processes = 1;
    cx_unlock(&known.lock);
    return first;
}

static void write_news(void)
{
    struct cx_profile_table news = take_news();
    for (unsigned i = 0; i < news.count; i++) {
        news.profile[i].processes = is_first_of_process(&news.profile[i].key);
        news.profile[i].seen = (uint64_t)time(NULL);
    }
    if (news.count && !cx_knowledge_add_new(known.folder, &news))
        cx_log_once(CX_LEVEL_INFO, CX_TOPIC_PLAN, "what is learned cannot be kept in %s", known.folder);
    cx_profile_table_free(&news);
}

static void write_now(void *data)
{
    (void)data;
    write_news();
}

static void add_to(struct cx_profile_table *table, const struct cx_profile *event)
{
    struct cx_profile *profile = table->count < MOST_OWN ? cx_profile_table_make(table, &event->key)
                                                         : cx_profile_table_find(table, &event->key);
    if (profile)
        cx_profile_add(profile, event);
}

void cx_knowledge_add(const struct cx_profile *event)
{
    if (!cx_knowledge_ready())
        return;
    cx_lock(&known.lock);
    add_to(&known.own, event);
    if (known.may_write)
        add_to(&known.news, event);
    const bool due = known.may_write && !known.writes && cx_clock_ns() > known.written_ns + WRITE_EVERY_NS;
    known.writes |= due;
    cx_unlock(&known.lock);
    if (due)
        (void)cx_exit_guard_run(write_now, NULL); /* else: at the end */
}

/* In a child made by fork() another thread may have held the lock; exit() in a signal's handler may have
 * interrupted one that does. */
__attribute__((destructor)) static void write_at_exit(void)
{
    const struct timespec most = cx_deadline_on(CLOCK_REALTIME, LOCK_PATIENCE_MS);
    if (!cx_knowledge_ready() || known.process != getpid() || !known.may_write ||
        !cx_lock_before(&known.lock, &most))
        return;
    cx_unlock(&known.lock);
    write_news();
}
