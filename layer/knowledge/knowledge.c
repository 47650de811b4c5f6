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

/* Set before `ready`, by the first context and the thread that reads. */
static struct {
    char *folder; /* NULL: there is none */
    unsigned char salt[CX_KNOWLEDGE_SALT];
    pid_t process;
    bool may_write;
    atomic_bool ready;
} base;

static struct cx_lock lock = CX_LOCK_INIT(CX_RANK_KNOWLEDGE);
static struct cx_profile_table former CX_GUARDED_BY(lock); /* of other processes */
static struct cx_profile_table own CX_GUARDED_BY(lock);    /* of this one, for look-ups */
static struct cx_profile_table news CX_GUARDED_BY(lock);   /* ... that is not written yet */
static bool *asked CX_GUARDED_BY(lock);                    /* by the place in `former` */
static struct cx_profile_table last;                       /* ... by the destructor: it stays */
static uint64_t written_ns CX_GUARDED_BY(lock);            /* host clock, the last time */
static bool writes CX_GUARDED_BY(lock);                    /* a thread is on its way to */

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* ---- at the beginning ---- */

/* Files, one after another, into `former`; nobody else uses that yet. */
static void take_new(void *data, const char *name) CX_UNCHECKED
{
    (void)data;
    (void)cx_knowledge_read(base.folder, name, &former);
}

/* Has a process take the new files into the base. */
static void store(void *data)
{
    (void)data;
    const char *program = cx_knowledge_store_program();
    struct cx_subprocess helper = {0};
    char message[128];
    atomic_init(&helper.outlasts, true);
    cx_exit_guard_files(true); /* those that it takes in */
    const enum cx_subprocess_end end =
        cx_subprocess_run(&helper, (char *const[]){(char *)program, (char[]){"take-in"}, base.folder, NULL},
                          STORE_LIMIT, message, sizeof(message));
    if (end != CX_SUBPROCESS_LEFT)
        cx_exit_guard_files(false);
    if (end == CX_SUBPROCESS_OK || end == CX_SUBPROCESS_LEFT)
        cx_debug(CX_TOPIC_PLAN, "%s takes in what processes learned", program);
    else
        cx_info(CX_TOPIC_PLAN, "%s does not take in what processes learned: %s", program,
                message[0] ? message : "it ended early");
}

static void load(void *data) CX_UNCHECKED
{
    const struct cx_options *options = cx_options_get(); /* runs beside a launch change its times */
    const bool may_write = options->knowledge == CX_OPTION_KNOWLEDGE_AUTO && !options->verify;
    (void)data;
    if (!cx_knowledge_store_program() || !cx_knowledge_salt(base.folder, may_write, base.salt))
        return;
    cx_knowledge_read_view(base.folder, &former);
    const unsigned files = cx_knowledge_each_new(base.folder, take_new, NULL);
    asked = calloc(former.count + 1u, sizeof(*asked));
    if (!asked)
        return;
    base.may_write = may_write && files < CX_KNOWLEDGE_NEW_MOST;
    written_ns = cx_clock_ns();
    atomic_store_explicit(&base.ready, true, memory_order_release);
    cx_debug(CX_TOPIC_PLAN, "%u kernels and sizes are known from former processes", former.count);
    if (may_write && files >= MANY_NEW)
        store(NULL);
}

static void begin(void)
{
    base.folder = cx_knowledge_folder_wanted();
    if (!base.folder)
        return;
    base.process = getpid();
    (void)cx_exit_guard_run(load, NULL); /* else: nothing is known */
}

void cx_knowledge_begin(void)
{
    pthread_once(&once, begin);
}

bool cx_knowledge_ready(void)
{
    return atomic_load_explicit(&base.ready, memory_order_acquire);
}

void cx_knowledge_hash(const char *const *texts, unsigned count, unsigned char hash[CX_PROFILE_HASH])
{
    struct cx_sha256 sha;
    unsigned char digest[32];
    cx_sha256_init(&sha);
    cx_sha256_add(&sha, base.salt, sizeof(base.salt));
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
    cx_lock(&lock);
    cx_profile_table_tell_set(&news, hash, text, opening);
    cx_unlock(&lock);
}

double cx_knowledge_opening(const unsigned char *hash, unsigned member)
{
    cx_lock(&lock);
    const double seconds = cx_profile_table_opening(&former, hash, member);
    cx_unlock(&lock);
    return seconds;
}

/* ---- look-ups ---- */

bool cx_knowledge_find(const struct cx_profile_key *key, struct cx_profile *profile, bool *first)
{
    cx_lock(&lock);
    const struct cx_profile *before = cx_profile_table_find(&former, key);
    const struct cx_profile *ours = cx_profile_table_find(&own, key);
    if (first)
        *first = before && !asked[before - former.profile];
    if (first && before)
        asked[before - former.profile] = true;
    if (before || ours)
        *profile = before ? *before : *ours;
    if (before && ours)
        cx_profile_merge(profile, ours);
    cx_unlock(&lock);
    return before || ours;
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
    cx_lock(&lock);
    const unsigned count = find_alike(&former, key, profile, most);
    cx_unlock(&lock);
    return count;
}

/* ---- what is added ---- */

/* Hands over what is new, and, unless it is for the last time, keeps the names of sets. */
static struct cx_profile_table take_news(bool ending)
{
    cx_lock(&lock);
    struct cx_profile_table taken = news;
    memset(&news, 0, sizeof(news));
    for (unsigned i = 0; i < taken.nsets && !ending; i++)
        cx_profile_table_tell_set(&news, taken.set[i].hash, taken.set[i].text, taken.set[i].opening);
    written_ns = cx_clock_ns();
    writes = false;
    cx_unlock(&lock);
    return taken;
}

/* Whether nothing of that key was written before. */
static bool is_first_of_process(const struct cx_profile_key *key)
{
    cx_lock(&lock);
    struct cx_profile *profile = cx_profile_table_find(&own, key);
    const bool first = !profile || profile->processes == 0;
    if (profile)
        profile->processes = 1;
    cx_unlock(&lock);
    return first;
}

static void write_news(struct cx_profile_table *taken)
{
    for (unsigned i = 0; i < taken->count; i++) {
        taken->profile[i].processes = is_first_of_process(&taken->profile[i].key);
        taken->profile[i].seen = (uint64_t)time(NULL);
    }
    if (taken->count && !cx_knowledge_add_new(base.folder, taken))
        cx_log_once(CX_LEVEL_INFO, CX_TOPIC_PLAN, "what is learned cannot be kept in %s", base.folder);
}

static void write_now(void *data)
{
    struct cx_profile_table taken = take_news(false);
    (void)data;
    write_news(&taken);
    cx_profile_table_free(&taken);
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
    cx_lock(&lock);
    add_to(&own, event);
    if (base.may_write)
        add_to(&news, event);
    const bool due = base.may_write && !writes && cx_clock_ns() > written_ns + WRITE_EVERY_NS;
    writes |= due;
    cx_unlock(&lock);
    if (due)
        (void)cx_exit_guard_run(write_now, NULL); /* else: at the end */
}

/* In a child made by fork() another thread may have held the lock; exit() in a signal's handler may have
 * interrupted one that does. Nothing large is allocated or freed, see folder.c. */
__attribute__((destructor)) static void write_at_exit(void)
{
    const struct timespec most = cx_deadline_on(CLOCK_REALTIME, LOCK_PATIENCE_MS);
    if (!cx_knowledge_ready() || base.process != getpid() || !base.may_write || !cx_lock_before(&lock, &most))
        return;
    cx_unlock(&lock);
    last = take_news(true);
    write_news(&last);
}
