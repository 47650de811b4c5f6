/* SPDX-License-Identifier: MIT */
/*
 * The summary table: one record a kernel name, printed at exit on stderr or into a file.
 */
#include "layer/report/kernel_table.h"
#include "layer/report/gain.h"
#include "layer/base/forked.h"
#include "layer/base/clock.h"
#include "layer/base/file_name.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_DEVICES = 64, MAX_REASONS = 4, MAX_DECISIONS = 32, MAX_PRINTS = 4 };

/* Times of whole launches of which only samples are timed, by work-items: launches may have no local size. */
struct sampled {
    uint64_t untimed;   /* work-items since the last sample */
    uint64_t ns;        /* of untimed launches before it, by estimate */
    double ns_per_item; /* of the last sample; 0: there was none */
};

struct device_stats {
    const char *name;
    uint64_t packages, groups, busy_ns; /* busy_ns: as far as it was timed */
    struct sampled sampled;
};

struct reason {
    const char *text;  /* copied */
    const char *where; /* of the source */
    uint32_t line;
    uint64_t launches;
};

struct decision {
    const char *text; /* static */
    unsigned device;
    uint64_t times;
};

struct cx_function_stats {
    struct cx_function_stats *next;
    char *name;
    uint64_t launches, split, moved;
    uint64_t untimed;                   /* launches whose times were not taken */
    uint64_t merged, changed, combined; /* launches with writes merged afterwards, and bytes of these */
    uint64_t private_copies;            /* launches with private copies of what atomics update */
    uint64_t remote_accesses;           /* launches with remote access */
    double balance_sum;
    uint64_t balanced;
    uint64_t span_ns;                        /* first start to last end, summed, of timed launches */
    uint64_t split_span_ns;                  /* of split launches */
    struct device_stats device[MAX_DEVICES]; /* by real device */
    struct cx_gain_device gain[MAX_DEVICES]; /* ... each from its first start to its last end in a launch */
    struct reason reason[MAX_REASONS];       /* of launches that stayed whole */
    struct decision decision[MAX_DECISIONS]; /* those beyond are not counted */
    uint64_t verified[CX_VERIFIED_COUNT];
};

static const uint64_t KEEP_NS = 200 * 1000 * 1000; /* between two writes of the summary so far */
static _Atomic uint64_t kept_ns;                   /* when the last one was */
static char *kept;                                 /* its file */
static pthread_once_t kept_once = PTHREAD_ONCE_INIT;
static void keep_current(void);

static struct cx_lock lock = CX_LOCK_INIT(CX_RANK_KERNEL_TABLE);
static struct cx_function_stats *all, **all_tail = &all;
static void (*prints[MAX_PRINTS])(FILE *out); /* under lock */
static const struct cx_kernel_table_energy *energy;

struct cx_function_stats *cx_kernel_table_function(const char *name)
{
    cx_lock(&lock);
    struct cx_function_stats *stats = all;
    while (stats && strcmp(stats->name, name) != 0)
        stats = stats->next;
    if (!stats && (stats = calloc(1, sizeof(*stats)))) {
        stats->name = strdup(name);
        if (stats->name) {
            *all_tail = stats;
            all_tail = &stats->next;
        } else {
            free(stats);
            stats = NULL;
        }
    }
    cx_unlock(&lock);
    return stats;
}

void cx_kernel_table_decided(struct cx_function_stats *stats, unsigned device, const char *reason)
{
    if (!stats || !cx_options_get()->summary)
        return;
    cx_lock(&lock);
    for (unsigned i = 0; i < MAX_DECISIONS; i++) {
        struct decision *decision = &stats->decision[i];
        if (!decision->text)
            *decision = (struct decision){reason, device, 0};
        if (decision->device != device || strcmp(decision->text, reason) != 0)
            continue;
        decision->times++;
        break;
    }
    cx_unlock(&lock);
}

/* 1 + the reason's place, which is taken for it if it is new; 0: all are taken. */
static unsigned reason_number(struct cx_function_stats *stats, const char *text, const char *where,
                              uint32_t line)
{
    for (unsigned i = 0; i < MAX_REASONS; i++) {
        struct reason *reason = &stats->reason[i];
        if (!reason->text)
            *reason = (struct reason){strdup(text), strdup(where), line, 0};
        if (reason->text && reason->line == line && strcmp(reason->text, text) == 0)
            return 1 + i;
    }
    return 0;
}

static void count_reason(struct cx_function_stats *stats, unsigned number)
{
    if (number)
        stats->reason[number - 1].launches++;
}

/* A whole launch that was not timed. */
static void count_untimed(struct cx_function_stats *stats, struct sampled *sampled, uint64_t items)
{
    stats->untimed++;
    sampled->untimed += items;
}

static uint64_t untimed_ns(const struct sampled *sampled)
{
    return sampled->ns + (uint64_t)((double)sampled->untimed * sampled->ns_per_item);
}

/* A whole launch that was: those before it are taken to be like it. */
static void count_sample(struct sampled *sampled, uint64_t items, uint64_t ns)
{
    sampled->ns_per_item = items ? (double)ns / (double)items : 0;
    sampled->ns = untimed_ns(sampled);
    sampled->untimed = 0;
}

/* How long a device computed, and how long all launches took, of the untimed ones by estimate. */
static uint64_t device_ns(const struct device_stats *device)
{
    return device->busy_ns + untimed_ns(&device->sampled);
}

static uint64_t total_ns(const struct cx_function_stats *stats)
{
    uint64_t ns = stats->span_ns;
    for (unsigned d = 0; d < MAX_DEVICES; d++)
        ns += untimed_ns(&stats->device[d].sampled);
    return ns;
}

/* First finisher's time over the last's, from the launch's first start on; parts without work do not count.
 */
static bool load_balance(const struct cx_kernel_table_run *run, double *balance)
{
    uint64_t start = UINT64_MAX, first = UINT64_MAX, last = 0;
    unsigned parts = 0;
    for (unsigned p = 0; p < run->nparts; p++) {
        const struct cx_kernel_table_part *part = &run->part[p];
        if (!part->packages)
            continue;
        parts++;
        start = part->first_ns < start ? part->first_ns : start;
        first = part->last_ns < first ? part->last_ns : first;
        last = part->last_ns > last ? part->last_ns : last;
    }
    if (parts < 2 || last <= start)
        return false;
    *balance = first > start ? (double)(first - start) / (double)(last - start) : 0;
    return true;
}

/* What the estimate of the gain goes by. */
static void count_gain(struct cx_function_stats *stats, const struct cx_kernel_table_run *run, bool split)
{
    for (unsigned p = 0; p < run->nparts; p++) {
        const struct cx_kernel_table_part *part = &run->part[p];
        if (part->device >= MAX_DEVICES || !part->groups || part->last_ns <= part->first_ns)
            continue;
        const uint64_t span = part->last_ns - part->first_ns; /* packages may overlap in busy_ns */
        const uint64_t ns = part->busy_ns && part->busy_ns < span ? part->busy_ns : span;
        struct cx_gain_device *gain = &stats->gain[part->device];
        gain->cpu_units = part->cpu_units;
        *(split ? &gain->split_groups : &gain->whole_groups) += part->groups;
        *(split ? &gain->split_ns : &gain->whole_ns) += ns;
    }
}

/* What one device did of it. alone: it was the only one. */
static void count_part(struct cx_function_stats *stats, const struct cx_kernel_table_part *part, bool alone,
                       uint64_t items)
{
    if (part->device >= MAX_DEVICES)
        return;
    struct device_stats *device = &stats->device[part->device];
    device->name = part->name;
    device->packages += part->packages;
    device->groups += part->groups;
    if (alone && part->last_ns <= part->first_ns) {
        count_untimed(stats, &device->sampled, items);
        return;
    }
    device->busy_ns += part->busy_ns;
    if (alone)
        count_sample(&device->sampled, items, part->last_ns - part->first_ns);
}

static unsigned working_parts(const struct cx_kernel_table_run *run)
{
    unsigned worked = 0;
    for (unsigned p = 0; p < run->nparts; p++)
        worked += run->part[p].packages > 0;
    return worked;
}

/* The parts of the launch: which device did what, and how long it took. */
static void count_parts(struct cx_function_stats *stats, const struct cx_kernel_table_run *run, bool split)
{
    uint64_t start = UINT64_MAX, end = 0;
    for (unsigned p = 0; p < run->nparts; p++) {
        const struct cx_kernel_table_part *part = &run->part[p];
        if (!part->packages)
            continue;
        start = part->first_ns && part->first_ns < start ? part->first_ns : start;
        end = part->last_ns > end ? part->last_ns : end;
        count_part(stats, part, !split, run->items);
    }
    if (end <= start)
        return;
    stats->span_ns += end - start;
    stats->split_span_ns += split ? end - start : 0;
    count_gain(stats, run, split);
}

static void count_launch(struct cx_function_stats *stats, const struct cx_kernel_table_run *run)
{
    const bool split = working_parts(run) > 1;
    double balance;
    stats->launches++;
    stats->moved += run->moved;
    stats->split += split;
    stats->merged += split && run->merges;
    stats->private_copies += split && run->has_private;
    stats->remote_accesses += split && run->remote_access;
    stats->changed += run->changed;
    stats->combined += run->combined;
    count_parts(stats, run, split);
    if (!split && run->reason)
        count_reason(stats, reason_number(stats, run->reason, run->where, run->line));
    if (load_balance(run, &balance)) {
        stats->balance_sum += balance;
        stats->balanced++;
    }
}

void cx_kernel_table_launch(struct cx_function_stats *stats, const struct cx_kernel_table_run *run)
{
    if (!stats)
        return;
    cx_lock(&lock);
    count_launch(stats, run);
    cx_unlock(&lock);
    keep_current();
}

unsigned cx_kernel_table_reason(struct cx_function_stats *stats, const char *text, const char *where,
                                uint32_t line)
{
    unsigned number = 0;
    cx_lock(&lock);
    if (stats)
        number = reason_number(stats, text, where, line);
    cx_unlock(&lock);
    return number;
}

static void count_repeated(struct cx_function_stats *stats, const struct cx_kernel_table_repeat *repeat)
{
    stats->launches++;
    count_reason(stats, repeat->reason);
    if (repeat->failed || repeat->device >= MAX_DEVICES)
        return;
    struct device_stats *device = &stats->device[repeat->device];
    device->name = repeat->name;
    device->packages++;
    device->groups += repeat->groups;
    count_untimed(stats, &device->sampled, repeat->items);
}

void cx_kernel_table_repeated(struct cx_function_stats *stats, const struct cx_kernel_table_repeat *repeat)
{
    if (!stats)
        return;
    cx_lock(&lock);
    count_repeated(stats, repeat);
    cx_unlock(&lock);
    keep_current();
}

static void print_devices(FILE *out, const struct cx_function_stats *stats)
{
    uint64_t groups = 0, packages = 0;
    for (unsigned d = 0; d < MAX_DEVICES; d++) {
        groups += stats->device[d].groups;
        packages += stats->device[d].packages;
    }
    for (unsigned d = 0; d < MAX_DEVICES; d++) {
        const struct device_stats *device = &stats->device[d];
        if (!device->packages)
            continue;
        fprintf(out, "    device %-2u %-40.40s %6llu packages  %5.1f %%  busy %10.3f ms\n", d, device->name,
                (unsigned long long)device->packages,
                groups ? 100.0 * (double)device->groups / (double)groups
                       : 100.0 * (double)device->packages / (double)packages, /* whole, of sizes unknown */
                (double)device_ns(device) / 1e6);
    }
}

void cx_kernel_table_verified(struct cx_function_stats *stats, enum cx_verified outcome)
{
    cx_lock(&lock);
    if (stats)
        stats->verified[outcome]++;
    cx_unlock(&lock);
}

static void print_verified(FILE *out, const char *before, const uint64_t counts[CX_VERIFIED_COUNT])
{
    fprintf(out, "%sverified %llu launches, %llu of them differ", before,
            (unsigned long long)(counts[CX_VERIFIED_SAME] + counts[CX_VERIFIED_DIFFERS]),
            (unsigned long long)counts[CX_VERIFIED_DIFFERS]);
    if (counts[CX_VERIFIED_NOT])
        fprintf(out, "; %llu could not be verified", (unsigned long long)counts[CX_VERIFIED_NOT]);
    fprintf(out, "\n");
}

static void print_headline(FILE *out)
{
    uint64_t launches = 0, split = 0;
    double alone = 0, span = 0, load = 0;
    unsigned units[MAX_DEVICES] = {0}, cpu_units = 0; /* of CPU devices that worked beside others */
    char doubts[64];
    for (const struct cx_function_stats *stats = all; stats; stats = stats->next) {
        for (unsigned d = 0; d < MAX_DEVICES; d++)
            units[d] = stats->gain[d].split_groups ? stats->gain[d].cpu_units : units[d];
        launches += stats->launches;
        split += stats->split;
        alone += cx_gain_alone_ns(stats->gain, MAX_DEVICES, total_ns(stats), stats->split_span_ns);
        span += (double)total_ns(stats);
    }
    for (unsigned d = 0; d < MAX_DEVICES; d++)
        cpu_units += units[d];
    if (getloadavg(&load, 1) != 1)
        load = 0;
    cx_gain_doubts(doubts, sizeof(doubts), cpu_units, cx_gain_cores(), load);
    if (split && span > 0)
        fprintf(out,
                "  %.2fx as fast as the fastest device alone (estimate%s); %llu of %llu launches split\n",
                alone / span, doubts, (unsigned long long)split, (unsigned long long)launches);
    else
        fprintf(out, "  none of %llu launches split, all ran whole\n", (unsigned long long)launches);
}

static void print_protocols(FILE *out, const struct cx_function_stats *stats)
{
    if (stats->merged)
        fprintf(out, "    merged afterwards %llu times: %.3f MB changed, %.3f MB of it on several devices\n",
                (unsigned long long)stats->merged, (double)stats->changed / 1e6,
                (double)stats->combined / 1e6);
    if (stats->private_copies)
        fprintf(out, "    private copies combined %llu times\n", (unsigned long long)stats->private_copies);
    if (stats->remote_accesses)
        fprintf(out, "    remote access to buffers %llu times\n", (unsigned long long)stats->remote_accesses);
}

/* By the model of what its devices consume: a meter cannot tell kernels apart. */
static void print_energy(FILE *out, const struct cx_function_stats *stats)
{
    double busy[MAX_DEVICES];
    for (unsigned d = 0; d < MAX_DEVICES; d++)
        busy[d] = (double)device_ns(&stats->device[d]) * 1e-9;
    const double joules = energy->joules(stats, (double)total_ns(stats) * 1e-9, busy, MAX_DEVICES);
    if (isfinite(joules))
        fprintf(out, "; about %.1f J", joules);
}

static void print_reasons(FILE *out, const struct cx_function_stats *stats)
{
    for (unsigned i = 0; i < MAX_REASONS && stats->reason[i].text; i++)
        if (stats->reason[i].launches)
            fprintf(out, "    whole %llu times: %s%s\n", (unsigned long long)stats->reason[i].launches,
                    stats->reason[i].text, stats->reason[i].where ? stats->reason[i].where : "");
}

/* finished: at exit. */
static void print_kernel(FILE *out, const struct cx_function_stats *stats, bool finished,
                         uint64_t verified[CX_VERIFIED_COUNT])
{
    const bool full = cx_options_get()->summary == CX_OPTION_SUMMARY_FULL;
    fprintf(out, "  kernel %s: %llu launches, %llu split, %llu whole; time %.3f ms", stats->name,
            (unsigned long long)stats->launches, (unsigned long long)stats->split,
            (unsigned long long)(stats->launches - stats->split), (double)total_ns(stats) / 1e6);
    if (stats->untimed)
        fprintf(out, " (estimate: %llu of %llu launches timed)",
                (unsigned long long)(stats->launches - stats->untimed), (unsigned long long)stats->launches);
    if (stats->balanced)
        fprintf(out, "; load balance %.3f", stats->balance_sum / (double)stats->balanced);
    fprintf(out, "; moved %.3f MB", (double)stats->moved / 1e6);
    if (energy && finished)
        print_energy(out, stats);
    fputc('\n', out);
    print_devices(out, stats);
    print_protocols(out, stats);
    for (unsigned i = 0; full && i < MAX_DECISIONS && stats->decision[i].text; i++)
        fprintf(out, "    decided %llu times about device %u: %s\n",
                (unsigned long long)stats->decision[i].times, stats->decision[i].device,
                stats->decision[i].text);
    print_reasons(out, stats);
    uint64_t seen = 0;
    for (unsigned v = 0; v < CX_VERIFIED_COUNT; v++) {
        seen += stats->verified[v];
        verified[v] += stats->verified[v];
    }
    if (seen)
        print_verified(out, "    ", stats->verified);
}

/* finished: at exit. What others have registered may take locks of theirs, and is left out before that. */
static void print_tables(FILE *out, bool finished)
{
    const bool full = finished && cx_options_get()->summary == CX_OPTION_SUMMARY_FULL;
    uint64_t verified[CX_VERIFIED_COUNT] = {0};
    cx_lock(&lock);
    fprintf(out, "coexec summary (pid %d, balancer %s)\n", (int)getpid(), cx_options_algo_text());
    print_headline(out);
    if (energy && finished)
        energy->head(out);
    for (const struct cx_function_stats *stats = all; stats; stats = stats->next)
        if (stats->launches)
            print_kernel(out, stats, finished, verified);
    if (cx_options_get()->verify)
        print_verified(out, "  in all: ", verified);
    for (unsigned i = 0; full && i < MAX_PRINTS && prints[i]; i++)
        prints[i](out);
    cx_unlock(&lock);
}

static bool write_whole(int fd, const char *text, size_t size)
{
    while (size) {
        const ssize_t put = write(fd, text, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        text += put;
        size -= (size_t)put;
    }
    return true;
}

/* In one call, since several processes may write to one terminal or file. */
static void print_summary(void)
{
    const char *file = cx_options_get()->summary_file;
    char *text = NULL, *path = *file ? cx_file_name(file) : NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream) {
        print_tables(stream, true);
        const int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : STDERR_FILENO;
        if (fclose(stream) != 0 || fd < 0 || !write_whole(fd, text, size))
            cx_warn(CX_TOPIC_OPTIONS, "cannot write the summary to %s: %s", path ? path : "stderr",
                    strerror(errno));
        if (path && fd >= 0)
            close(fd);
    }
    free(path);
    free(text);
}

void cx_kernel_table_energy(const struct cx_kernel_table_energy *told)
{
    cx_lock(&lock);
    energy = told;
    cx_unlock(&lock);
}

void cx_kernel_table_append(void (*print)(FILE *out))
{
    unsigned i = 0;
    cx_lock(&lock);
    while (i < MAX_PRINTS && prints[i] && prints[i] != print)
        i++;
    if (i < MAX_PRINTS)
        prints[i] = print;
    cx_unlock(&lock);
}

static void find_kept_path(void)
{
    const struct cx_options *options = cx_options_get();
    const char *place = *options->summary_kept ? options->summary_kept : options->summary_file;
    char *name = *place ? cx_file_name(place) : NULL;
    struct stat info;
    if (name && stat(name, &info) == 0 &&
        !S_ISREG(info.st_mode)) { /* not beside devices, such as /dev/stderr */
        free(name);
        return;
    }
    if (name && asprintf(&kept, "%s.%d", name, (int)getpid()) < 0)
        kept = NULL;
    free(name);
}

/* The file that holds the summary so far. NULL: none is wanted. Made once. */
static const char *kept_path(void)
{
    pthread_once(&kept_once, find_kept_path);
    return kept;
}

/* Makes the file with a whole table in it: whoever sees it may end the process. False: it is there, or the
 * file system has no files without a name. */
static bool make_kept(const char *text, size_t size)
{
    char own[32];
    const char *slash = strrchr(kept, '/');
    char *folder = slash ? strndup(kept, (size_t)(slash - kept) + 1) : strdup(".");
    const int fd = folder ? open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600) : -1;
    snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
    const bool made = fd >= 0 && write_whole(fd, text, size) &&
                      linkat(AT_FDCWD, own, AT_FDCWD, kept, AT_SYMLINK_FOLLOW) == 0;
    if (fd >= 0)
        close(fd);
    free(folder);
    return made;
}

static void write_kept(const char *text, size_t size)
{
    const int fd = open(kept, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0 && (!write_whole(fd, text, size) || ftruncate(fd, (off_t)size) != 0))
        unlink(kept); /* a full disk */
    if (fd >= 0)
        close(fd);
}

/* Programs that a signal ends run no destructors: what the summary would be lies on disk meanwhile. */
static void keep_current(void)
{
    if (!cx_options_get()->summary)
        return;
    uint64_t now = cx_clock_ns(), last = atomic_load_explicit(&kept_ns, memory_order_relaxed);
    if (now - last < KEEP_NS || !kept_path() || !atomic_compare_exchange_strong(&kept_ns, &last, now))
        return;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return;
    print_tables(stream, false);
    /* over the one before: at no time is there less than a whole table */
    if (fclose(stream) == 0 && (last || !make_kept(text, size)))
        write_kept(text, size);
    free(text);
}

__attribute__((destructor)) static void print_at_exit(void)
{
    if (!all || cx_forked || !cx_options_get()->summary)
        return;
    print_summary();
    if (kept_path())
        unlink(kept);
}
