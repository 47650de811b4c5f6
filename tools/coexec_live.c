/* SPDX-License-Identifier: MIT */
/*
 * Finding and reading the counters of processes: see coexec_live.h. Next: coexec_live_text.c.
 */
#include "tools/coexec_live.h"
#include "layer/base/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char link_name[] = "/memfd:" CX_LIVE_FILE;
static const uint64_t WINDOW_NS = UINT64_C(1000000000), LONGEST_WINDOW_NS = UINT64_C(10000000000);

/* ---- finding ---- */

/* Whether that file of the process is its page. */
static bool is_page(const char *path)
{
    char target[sizeof link_name];
    return readlink(path, target, sizeof target) >= (ssize_t)sizeof link_name - 1 &&
           memcmp(target, link_name, sizeof link_name - 1) == 0;
}

/* The first number, or the last one, of a line of /proc/PID/status. 0: there is none. */
static long status_number(pid_t pid, const char *name, bool last)
{
    char path[64], line[256];
    long number = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, name, strlen(name)) != 0)
            continue;
        for (char *at = line + strlen(name), *end; (!number || last); at = end) {
            const long next = strtol(at, &end, 10);
            if (end == at)
                break;
            number = next;
        }
        break;
    }
    if (file)
        fclose(file);
    return number;
}

/* The process' number as it sees it itself, in a container: children made by fork() have their parent's page
 * open, too. */
static bool is_own(const struct cx_live_page *page, pid_t pid)
{
    const long seen = status_number(pid, "NSpid:", true);
    return page->pid == (seen ? seen : (long)pid);
}

static const struct cx_live_page *map_page(const char *path, pid_t pid, const char **why)
{
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat info;
    const struct cx_live_page *page = MAP_FAILED;
    const int seals = file >= 0 ? fcntl(file, F_GET_SEALS) : -1; /* other file systems have none */
    if (file >= 0 && fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
        info.st_size >= (off_t)sizeof(*page) && seals >= 0 && seals & F_SEAL_SHRINK)
        page = mmap(NULL, sizeof(*page), PROT_READ, MAP_SHARED, file, 0);
    else if (file >= 0)
        *why = "runs another release of coexec";
    if (file >= 0)
        close(file);
    if (page == MAP_FAILED)
        return NULL;
    const bool whole = memcmp(page->magic, CX_LIVE_MAGIC, sizeof page->magic) == 0;
    if (whole && page->version == CX_LIVE_VERSION && page->size == sizeof(*page) && is_own(page, pid))
        return page;
    if (whole && is_own(page, pid))
        *why = "runs another release of coexec";
    munmap((void *)page, sizeof(*page));
    return NULL;
}

static void read_program(pid_t pid, char program[CX_LIVE_TEXT])
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/comm", (long)pid);
    FILE *file = fopen(path, "re");
    if (!file || !fgets(program, CX_LIVE_TEXT, file))
        program[0] = '\0';
    program[strcspn(program, "\n")] = '\0';
    if (file)
        fclose(file);
}

struct cx_live_process *cx_live_open(pid_t pid, const char **why)
{
    char path[PATH_MAX];
    const struct cx_live_page *page = NULL;
    int number = -1;
    snprintf(path, sizeof path, "/proc/%ld/fd", (long)pid);
    DIR *files = opendir(path);
    *why = files             ? "does not use coexec, or has made no OpenCL context yet"
           : errno == EACCES ? "is another user's"
                             : "does not run";
    for (struct dirent *entry; files && !page && (entry = readdir(files));) {
        snprintf(path, sizeof path, "/proc/%ld/fd/%s", (long)pid, entry->d_name);
        if (entry->d_name[0] != '.' && is_page(path) && (page = map_page(path, pid, why)))
            number = (int)strtol(entry->d_name, NULL, 10);
    }
    if (files)
        closedir(files);
    struct cx_live_process *process = page ? calloc(1, sizeof *process) : NULL;
    if (!process) {
        if (page)
            munmap((void *)page, sizeof *page);
        return NULL;
    }
    process->pid = pid;
    process->file = number;
    process->page = page;
    read_program(pid, process->program);
    return process;
}

void cx_live_close(struct cx_live_process *process)
{
    if (!process)
        return;
    munmap((void *)process->page, sizeof *process->page);
    free(process);
}

bool cx_live_runs_yet(const struct cx_live_process *process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)process->pid, process->file);
    return is_page(path);
}

bool cx_live_is_below(pid_t pid, pid_t ancestor)
{
    for (int depth = 0; pid > 1 && pid != ancestor && depth < 64; depth++)
        pid = (pid_t)status_number(pid, "PPid:", false);
    return pid == ancestor;
}

static struct cx_live_process *find(const struct cx_live_processes *all, pid_t pid)
{
    for (unsigned i = 0; i < all->n; i++)
        if (all->of[i]->pid == pid)
            return all->of[i];
    return NULL;
}

static void add(struct cx_live_processes *all, pid_t pid)
{
    const char *why;
    struct cx_live_process *process = cx_live_open(pid, &why);
    struct cx_live_process **longer =
        process ? realloc(all->of, (all->n + 1) * sizeof(struct cx_live_process *)) : NULL;
    if (!longer) {
        cx_live_close(process);
        return;
    }
    all->of = longer;
    unsigned at = all->n++;
    for (; at > 0 && longer[at - 1]->pid > pid; at--)
        longer[at] = longer[at - 1];
    longer[at] = process;
}

void cx_live_search(struct cx_live_processes *all)
{
    DIR *processes = opendir("/proc");
    unsigned kept = 0;
    for (unsigned i = 0; i < all->n; i++)
        if (cx_live_runs_yet(all->of[i]))
            all->of[kept++] = all->of[i];
        else
            cx_live_close(all->of[i]);
    all->n = kept;
    for (struct dirent *entry; processes && (entry = readdir(processes));) {
        const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid > 0 && !find(all, pid))
            add(all, pid);
    }
    if (processes)
        closedir(processes);
}

void cx_live_forget(struct cx_live_processes *all)
{
    for (unsigned i = 0; i < all->n; i++)
        cx_live_close(all->of[i]);
    free(all->of);
    *all = (struct cx_live_processes){0};
}

/* ---- reading ---- */

static uint64_t get(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

void cx_live_take_sample(struct cx_live_process *process)
{
    const struct cx_live_page *page = process->page;
    process->last = process->nsamples ? (process->last + 1) % CX_LIVE_SAMPLES : 0;
    process->nsamples += process->nsamples < CX_LIVE_SAMPLES;
    struct cx_live_sample *sample = &process->sample[process->last];
    *sample = (struct cx_live_sample){.at_ns = cx_clock_ns()};
    for (unsigned d = 0; d < CX_LIVE_DEVICES; d++) {
        sample->items[d] = get(&page->device[d].items);
        sample->busy_ns[d] = get(&page->device[d].busy_ns);
    }
    for (unsigned m = 0; m < CX_LIVE_MOVES; m++)
        sample->moved[m] = get(&page->moved[m]);
    for (unsigned k = 0; k < CX_LIVE_KERNELS; k++) {
        const struct cx_live_kernel *kernel = &page->kernel[k];
        sample->over += sample->kernel[k].over = get(&kernel->over); /* before begun, which is more */
        sample->split += sample->kernel[k].split = get(&kernel->split);
        sample->span_ns += sample->kernel[k].span_ns = get(&kernel->span_ns);
        sample->gained_ns += sample->kernel[k].gained_ns = get(&kernel->gained_ns);
        sample->begun += get(&kernel->begun);
    }
}

static bool is_like(const struct cx_live_sample *a, const struct cx_live_sample *b)
{
    return a->over == b->over && memcmp(a->busy_ns, b->busy_ns, sizeof a->busy_ns) == 0;
}

/* Where the window begins: a second ago, or earlier where nothing has ended since, as with long launches. */
static const struct cx_live_sample *window_begin(const struct cx_live_process *process)
{
    const struct cx_live_sample *last = &process->sample[process->last], *first = last;
    for (unsigned i = 1; i < process->nsamples; i++) {
        const struct cx_live_sample *before =
            &process->sample[(process->last + CX_LIVE_SAMPLES - i) % CX_LIVE_SAMPLES];
        const uint64_t age = last->at_ns - first->at_ns;
        if (age >= LONGEST_WINDOW_NS || (age >= WINDOW_NS * 9 / 10 && !is_like(first, last)))
            break;
        first = before;
    }
    return first;
}

static double part_of(uint64_t part, uint64_t whole)
{
    return whole ? fmin(1, (double)part / (double)whole) : NAN;
}

static double faster(uint64_t gained_ns, uint64_t span_ns)
{
    return span_ns ? 1 + (double)(int64_t)gained_ns / (double)span_ns : NAN;
}

static void look_at_devices(struct cx_live_view *view, const struct cx_live_sample *first,
                            const struct cx_live_sample *last)
{
    uint64_t items = 0, ever = 0;
    for (unsigned d = 0; d < CX_LIVE_DEVICES; d++) {
        items += last->items[d] - first->items[d];
        ever += last->items[d];
    }
    for (unsigned d = 0; d < CX_LIVE_DEVICES; d++) {
        const uint64_t did = last->items[d] - first->items[d];
        const double busy = (double)(last->busy_ns[d] - first->busy_ns[d]) * 1e-9;
        view->work[d] = items ? part_of(did, items) : part_of(last->items[d], ever);
        view->items[d] = (double)did / view->window;
        view->busy[d] = last->busy_ns[d] ? fmin(1, busy / view->window) : NAN;
    }
}

static void look_at_kernels(struct cx_live_view *view, const struct cx_live_sample *first,
                            const struct cx_live_sample *last)
{
    for (unsigned k = 0; k < CX_LIVE_KERNELS; k++) {
        const uint64_t over = last->kernel[k].over - first->kernel[k].over;
        view->kernel_rate[k] = (double)over / view->window;
        view->kernel_split[k] = part_of(last->kernel[k].split, last->kernel[k].over);
        view->kernel_part[k] = part_of(last->kernel[k].span_ns, last->span_ns);
        view->kernel_faster[k] = faster(last->kernel[k].gained_ns, last->kernel[k].span_ns);
    }
}

static unsigned at_most(uint32_t number, unsigned most)
{
    return number < most ? number : most;
}

void cx_live_look(const struct cx_live_process *process, struct cx_live_view *view)
{
    const struct cx_live_page *page = process->page;
    const struct cx_live_sample *first = window_begin(process), *last = &process->sample[process->last];
    const uint64_t over = last->over - first->over;
    const unsigned current = atomic_load_explicit(&page->current, memory_order_relaxed);
    *view = (struct cx_live_view){
        .seconds = (double)(last->at_ns - page->since_ns) * 1e-9,
        .window = last->at_ns > first->at_ns ? (double)(last->at_ns - first->at_ns) * 1e-9 : NAN,
        .speedup = faster(last->gained_ns, last->span_ns),
        .speedup_now = faster(last->gained_ns - first->gained_ns, last->span_ns - first->span_ns),
        .launches = last->over,
        .split = last->split,
        .under_way = last->begun > last->over ? last->begun - last->over : 0,
        .split_part = part_of(last->split - first->split, over),
        .kernel = current < CX_LIVE_KERNELS && last->begun ? page->kernel[current].name : "",
        .ndevices = at_most(atomic_load_explicit(&page->ndevices, memory_order_acquire), CX_LIVE_DEVICES),
        .nkernels = at_most(atomic_load_explicit(&page->nkernels, memory_order_acquire), CX_LIVE_KERNELS)};
    view->launches_rate = (double)over / view->window;
    for (unsigned m = 0; m < CX_LIVE_MOVES; m++)
        view->moved[m] = (double)(last->moved[m] - first->moved[m]) / view->window;
    look_at_devices(view, first, last);
    look_at_kernels(view, first, last);
}
