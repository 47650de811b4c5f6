/* SPDX-License-Identifier: MIT */
/*
 * Starting the examples for `coexec bench`: which program, which arguments, which drivers it sees. See
 * coexec_bench_start.h; next: coexec_bench_run.c.
 */
#include "tools/coexec_bench_start.h"
#include "tools/coexec.h"

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ARGUMENTS = 40 };

/* The program and its options, from `at` on. */
static void program_arguments(const struct cx_bench_start *start, const struct cx_bench_program *program,
                              const char **at, char path[PATH_MAX], char repeat[16])
{
    snprintf(path, PATH_MAX, "%s/%s", start->examples, program->executable);
    snprintf(repeat, 16, "%u", start->repeat);
    *at++ = path;
    for (unsigned i = 0; i < 4 && program->arguments[i]; i++)
        *at++ = program->arguments[i];
    const char *const common[] = {"--preset", start->preset, "--repeat", repeat, "--verbose"};
    for (unsigned i = 0; i < sizeof common / sizeof *common; i++)
        *at++ = common[i];
    if (start->size) {
        *at++ = "--size";
        *at++ = start->size;
    }
    if (start->check)
        *at++ = "--check";
    *at = NULL;
}

/* The variables that tell coexec and the drivers where to keep what they build, at the end of an environment:
 * none where programs keep that where they always do. */
struct caches {
    char text[3][PATH_MAX + 32];
    bool set;
};
#define CACHES(caches) (caches).set ? (caches).text[0] : NULL, (caches).text[1], (caches).text[2]

static struct caches caches_of(const struct cx_bench_start *start)
{
    static const char *const names[] = {"COEXEC_CACHE_DIR", "POCL_CACHE_DIR", "CUDA_CACHE_PATH"};
    struct caches caches = {.set = *start->caches != '\0'};
    for (unsigned i = 0; i < 3; i++)
        snprintf(caches.text[i], sizeof caches.text[i], "%s=%s", names[i], start->caches);
    return caches;
}

bool cx_bench_start_caches(struct cx_bench_start *start, const char *name)
{
    snprintf(start->caches, sizeof start->caches, "%.*s/%s", PATH_MAX - 64, start->folder, name);
    return mkdir(start->caches, 0700) == 0 || errno == EEXIST;
}

/* powers: of COEXEC_DEBUG, or NULL. */
static struct cx_bench_running begin_through(const struct cx_bench_start *start,
                                             const struct cx_bench_program *program, const char *devices,
                                             const char *algo, const char *powers)
{
    const char *arguments[ARGUMENTS] = {start->self, "run", "--devices", devices, "--algo", algo};
    struct caches caches = caches_of(start);
    const char *const environment[] = {"COEXEC_SUMMARY_FILE", CACHES(caches), NULL};
    char path[PATH_MAX], repeat[16], setting[64];
    unsigned n = 6;
    if (powers) {
        snprintf(setting, sizeof setting, "powers=%s", powers);
        arguments[n++] = "--set";
        arguments[n++] = setting;
    }
    arguments[n++] = "--summary";
    arguments[n++] = "--";
    program_arguments(start, program, arguments + n, path, repeat);
    return cx_bench_begin(arguments, environment);
}

void cx_bench_start_through(const struct cx_bench_start *start, const struct cx_bench_program *program,
                            const char *devices, const char *algo, struct cx_bench_result *result)
{
    struct cx_bench_running running = begin_through(start, program, devices, algo, NULL);
    cx_bench_end(&running, start->limit, result);
}

void cx_bench_start_oracle(const struct cx_bench_start *start, const struct cx_bench_program *program,
                           const char *devices, struct cx_bench_result *result)
{
    for (unsigned share = CX_BENCH_SHARE_FIRST; share <= CX_BENCH_SHARE_LAST; share += CX_BENCH_SHARE_STEP) {
        struct cx_bench_result one;
        char powers[32];
        snprintf(powers, sizeof powers, "%u:%u", share, 100 - share);
        struct cx_bench_running running = begin_through(start, program, devices, "static", powers);
        cx_bench_end(&running, start->limit, &one);
        if (share == CX_BENCH_SHARE_FIRST || !one.ok || (result->ok && one.ms < result->ms))
            *result = one;
        if (!one.ok)
            return;
    }
}

/* Adds the device's driver to those that the loader finds in a folder, which is made. `folder` gets its path.
 * False: errno. */
static bool add_driver(const struct cx_bench_start *start, const char *name,
                       const struct cx_real_device *device, char folder[PATH_MAX])
{
    char file[PATH_MAX + 32];
    unsigned number = 0; /* of the driver: its first device's */
    snprintf(folder, PATH_MAX, "%.*s/%s/", PATH_MAX - 64, start->folder, name);
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return false;
    while (strcmp(start->machine->devices[number].platform->driver, device->platform->driver) != 0)
        number++;
    snprintf(file, sizeof file, "%s/%u.icd", folder, number);
    FILE *out = fopen(file, "we");
    bool ok = out && fprintf(out, "%s\n", device->platform->driver) > 0;
    return (!out || fclose(out) == 0) && ok;
}

/* Which of its platform's devices it is. */
static unsigned ordinal(const struct cx_bench_start *start, const struct cx_real_device *device)
{
    unsigned n = 0;
    for (unsigned i = 0; i < device->index; i++)
        n += start->machine->devices[i].platform == device->platform;
    return n;
}

/* Starts the program with what `more` says besides the common options, on the drivers in the folder alone. */
static struct cx_bench_running begin_beside(const struct cx_bench_start *start,
                                            const struct cx_bench_program *program, const char *folder,
                                            const char *const *more)
{
    char variable[PATH_MAX + 32], path[PATH_MAX], repeat[16];
    const char *arguments[ARGUMENTS];
    struct caches caches = caches_of(start);
    const char *const environment[] = {variable, "OCL_ICD_FILENAMES", "OCL_ICD_DEFAULT_PLATFORM",
                                       CACHES(caches), NULL};
    unsigned n = 0;
    snprintf(variable, sizeof variable, "OCL_ICD_VENDORS=%s", folder);
    program_arguments(start, program, arguments, path, repeat);
    while (arguments[n])
        n++;
    while (n + 1 < ARGUMENTS && *more)
        arguments[n++] = *more++;
    arguments[n] = NULL;
    return cx_bench_begin(arguments, environment);
}

/* The program alone with the device's own driver. */
static struct cx_bench_running begin_bare(const struct cx_bench_start *start,
                                          const struct cx_bench_program *program,
                                          const struct cx_real_device *device)
{
    char folder[PATH_MAX], platform[16], number[16], name[16];
    unsigned nplatform = 0;
    snprintf(name, sizeof name, "%u", device->index);
    if (device->is_sub_device) /* made by COEXEC_FISSION: there is nothing to name it by */
        return begin_through(start, program, name, "single", NULL);
    for (const struct cx_real_platform *p = start->machine->platforms; p != device->platform; p++)
        nplatform += strcmp(p->driver, device->platform->driver) == 0;
    if (!add_driver(start, name, device, folder))
        return (struct cx_bench_running){.child = -1, .error = errno};
    snprintf(platform, sizeof platform, "%u", nplatform);
    snprintf(number, sizeof number, "%u", ordinal(start, device));
    return begin_beside(start, program, folder,
                        (const char *const[]){"--platform", platform, "--device", number, NULL});
}

void cx_bench_start_bare(const struct cx_bench_start *start, const struct cx_bench_program *program,
                         const struct cx_real_device *device, struct cx_bench_result *result)
{
    struct cx_bench_running running = begin_bare(start, program, device);
    cx_bench_end(&running, start->limit, result);
}

static const struct cx_bench_row *alone_row(const struct cx_bench_case *job, unsigned device)
{
    for (unsigned i = 0; i < job->nrows; i++)
        if (!*job->row[i].algo && job->row[i].devices >> device & 1)
            return &job->row[i];
    return NULL;
}

/* The program's time alone on the device, as far as measured; 0: none. */
static double alone_ms(const struct cx_bench_case *job, unsigned device)
{
    const struct cx_bench_row *row = alone_row(job, device);
    return row ? cx_bench_ms(row) : 0;
}

/* POWER@PLATFORM:DEVICE,... for the row's devices, whose drivers go into the folder. False: result->problem
 * says why not. */
static bool native_powers(const struct cx_bench_start *start, const struct cx_bench_case *job,
                          const struct cx_bench_row *row, char *powers, size_t room, char folder[PATH_MAX],
                          struct cx_bench_result *result)
{
    const struct cx_machine *machine = start->machine;
    double best = 0;
    size_t length = 0;
    for (unsigned i = 0; i < machine->ndevices && i < 64; i++) {
        const double ms = row->devices >> i & 1 ? alone_ms(job, i) : 0;
        best = ms > 0 && (best == 0 || ms < best) ? ms : best;
    }
    for (unsigned i = 0; i < machine->ndevices && i < 64; i++) {
        const struct cx_real_device *device = &machine->devices[i];
        const double ms = alone_ms(job, i);
        if (!(row->devices >> i & 1) || (alone_row(job, i) && cx_bench_too_slow(alone_row(job, i))))
            continue;
        if (device->is_sub_device || !(ms > 0))
            snprintf(result->problem, sizeof result->problem,
                     device->is_sub_device ? "device %u is part of one: programs cannot name it"
                                           : "there is no time of device %u alone to split by",
                     i);
        else if (!add_driver(start, "native", device, folder))
            snprintf(result->problem, sizeof result->problem, "%.100s: %s", folder, strerror(errno));
        if (*result->problem)
            return false;
        length += (size_t)snprintf(powers + length, room - length, "%s%.4g@%s:%u", length ? "," : "",
                                   best / ms, device->platform->name, ordinal(start, device));
        if (length >= room) {
            snprintf(result->problem, sizeof result->problem, "too many devices to name");
            return false;
        }
    }
    if (!length)
        snprintf(result->problem, sizeof result->problem, "too slow on each device alone");
    return length != 0;
}

void cx_bench_start_native(const struct cx_bench_start *start, const struct cx_bench_case *job,
                           const struct cx_bench_row *row, struct cx_bench_result *result)
{
    char folder[PATH_MAX], powers[4096];
    if (!native_powers(start, job, row, powers, sizeof powers, folder, result))
        return;
    struct cx_bench_running running =
        begin_beside(start, job->program, folder, (const char *const[]){"--native", powers, NULL});
    cx_bench_end(&running, start->limit, result);
}

void cx_bench_start_together(const struct cx_bench_start *start, const struct cx_bench_case *job,
                             const struct cx_bench_row *row, struct cx_bench_result *result)
{
    struct cx_bench_running running[CX_BENCH_DEVICES] = {0};
    const unsigned n =
        start->machine->ndevices < CX_BENCH_DEVICES ? start->machine->ndevices : CX_BENCH_DEVICES;
    double speed = 0;
    for (unsigned i = 0; i < n; i++)
        if (row->devices >> i & 1 && !(alone_row(job, i) && cx_bench_too_slow(alone_row(job, i))))
            running[i] = begin_bare(start, job->program, &start->machine->devices[i]);
    for (unsigned i = 0; i < n; i++) {
        struct cx_bench_result one;
        if (!running[i].child)
            continue;
        cx_bench_end(&running[i], start->limit, &one);
        speed += one.ok ? 1 / one.ms : 0;
        if (!*result->checksum || (result->ok && !one.ok))
            *result = one;
        result->checked &= one.checked;
    }
    result->ms = speed > 0 ? 1 / speed : 0;
    result->launches = result->split = result->packages = 0;
    result->build_ms = result->first_ms = result->moved_mb = 0;
    result->balance = -1;
    if (!(speed > 0) && !*result->problem)
        snprintf(result->problem, sizeof result->problem, "too slow on each device alone");
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status;
    (void)kind;
    (void)walk;
    remove(path);
    return 0;
}

int cx_bench_start_init(struct cx_bench_start *start, const char *subcommand)
{
    const char *temporary = getenv("TMPDIR");
    if (readlink("/proc/self/exe", start->self, sizeof start->self - 1) <= 0)
        return cx_tool_error(subcommand, "cannot find out where this program lies: %s", strerror(errno));
    snprintf(start->folder, sizeof start->folder, "%s/coexec-%s-XXXXXX",
             temporary && *temporary ? temporary : "/tmp", subcommand);
    if (!mkdtemp(start->folder))
        return cx_tool_error(subcommand, "%s: %s", start->folder, strerror(errno));
    return CX_EXIT_OK;
}

void cx_bench_start_finish(const struct cx_bench_start *start)
{
    const struct timespec wait = {0, 100000000};
    /* an analysis that outlasts its program may still write into its cache */
    for (unsigned tries = 0; tries < 50; tries++) {
        nftw(start->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
        if (access(start->folder, F_OK) != 0)
            break;
        nanosleep(&wait, NULL);
    }
}
