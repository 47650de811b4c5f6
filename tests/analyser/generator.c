/* SPDX-License-Identifier: MIT */
/*
 * usage: generator ANALYSER [--seed N] [--first I] [--count M] [--launches L] [--device] [--replay] [--rings]
 *
 * Kernels I .. I + M - 1 of the run with that seed, with L launches each: the analyser's regions must hold
 * all that an interpreter sees; with --device (the loader's environment says which) a device's results must
 * be the interpreter's instead. A kernel that fails is made smaller and printed. --replay prints the kernels
 * as they are. TAP.
 */
#include "file.h"
#include "layer/access/access_inside.h"
#include "generator_shrink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHOWN = 5, SHRINK_TRIES = 400, TRIES = 4 };

struct options {
    const char *analyser;
    uint64_t seed;
    unsigned first, count, launches;
    bool device, replay, rings;
};

struct totals {
    struct gen_stats class[CLASS_COUNT];
    unsigned long kernels, failed, run, racy;
};

static const char *const class_name[] = {"affine", "mixed", "wild", "rings"};

static char *print_source(const struct gen_kernel *k, unsigned n)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    gen_print_common(out);
    for (unsigned i = 0; i < n; i++) {
        gen_print(out, &k[i]);
    }
    fclose(out);
    return text;
}

static bool write_whole(int fd, const char *text)
{
    size_t size = strlen(text);
    bool ok = write(fd, text, size) == (ssize_t)size;

    return close(fd) == 0 && ok;
}

/* NULL with clang's words on standard error, if loud, where the source is not accepted. */
static struct cx_summary *analyse(const char *analyser, const char *source, const char *option, bool loud)
{
    char input[] = "/tmp/coexec-generator-XXXXXX.cl", output[] = "/tmp/coexec-generator-XXXXXX";
    int in = mkstemps(input, 3), out = mkstemp(output), status = -1;
    struct cx_summary *summary = NULL;
    size_t size = 0;
    char *blob;
    pid_t child;

    if (in < 0 || out < 0 || !write_whole(in, source)) {
        return NULL;
    }
    close(out);
    child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        if (!loud) {
            dup2(null, 2);
        }
        execl(analyser, analyser, "--time-limit", "60000", "-o", output, input, "--", option, (char *)NULL);
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    blob = file_read(output, &size);
    unlink(output);
    unlink(input);
    if (status == 0 && blob) {
        cx_summary_parse(blob, size, &summary);
    }
    free(blob);
    return summary;
}

static const struct cx_summary_kernel *find(const struct cx_summary *summary, const struct gen_kernel *k)
{
    char name[20];

    snprintf(name, sizeof(name), "k%u", k->index);
    return cx_summary_find(summary, name);
}

/* Why a launch or none of them had a meaning, counted over the run. */
static struct {
    const char *why;
    unsigned long times;
} discards[32];

static void count_discard(const char *why)
{
    for (unsigned i = 0; i < 32; i++) {
        if (!discards[i].why || strcmp(discards[i].why, why) == 0) {
            discards[i].why = why;
            discards[i].times++;
            return;
        }
    }
}

/* A launch with a meaning and what the interpreter saw of it; the same for the same number. */
static bool prepare(const struct gen_kernel *k, unsigned number, struct gen_launch *l, struct gen_record *rec,
                    struct cx_random *r, bool counts)
{
    unsigned scale = 0;

    for (unsigned i = 0; i < TRIES; i++) {
        *r = (struct cx_random){k->seed * 31 + k->index * UINT64_C(64) + number * TRIES + i};
        cx_random_next(r);
        gen_launch_make(l, k, r, scale);
        gen_run(rec, k, l, NULL);
        if (!rec->undefined) {
            return true;
        }
        if (counts) {
            count_discard(rec->undefined);
        }
        scale += rec->missing > 0;
        gen_record_finish(rec);
        gen_launch_finish(l);
    }
    return false;
}

static void print_launch(const struct gen_kernel *k, const struct gen_launch *l)
{
    const struct cx_access_geometry *g = &l->geometry;

    printf("#   launch:");
    for (unsigned d = 0; d < g->work_dim; d++) {
        printf(" %llu+%llu/%llu", (unsigned long long)g->global[d], (unsigned long long)g->offset[d],
               (unsigned long long)g->local[d]);
    }
    for (unsigned i = 0; i < k->nparam; i++) {
        const struct cx_access_arg *a = &l->args[i];
        if (k->param[i].kind == P_VALUE && k->param[i].el < EL_SCALARS) {
            int64_t value = 0;
            memcpy(&value, l->value[i], gen_elem[k->param[i].el].size);
            printf(" p%u=%lld", i, (long long)value);
        } else if (k->param[i].kind <= P_CONSTANT) {
            printf(" p%u=object %llu+%llu, %llu bytes", i, (unsigned long long)a->object,
                   (unsigned long long)a->base, (unsigned long long)a->bytes);
        }
    }
    printf("\n");
}

/* Whether something is wrong with any launch of the kernel; says what, if loud. */
static bool check_kernel(const struct cx_summary_kernel *s, const struct gen_kernel *k, unsigned launches,
                         struct gen_stats *stats, bool loud)
{
    bool good = true;

    for (unsigned i = 0; i < launches && good; i++) {
        struct gen_launch l;
        struct gen_record rec;
        struct cx_random r;
        char why[400];
        if (!prepare(k, i, &l, &rec, &r, stats != NULL)) {
            if (stats) {
                stats->discarded++;
            }
            continue;
        }
        if (s) {
            struct gen_stats ignored = {0};
            good = gen_check(s, k, &l, &rec, &r, stats ? stats : &ignored, why, sizeof(why));
        }
        if (!good && loud) {
            printf("# kernel %u: %s\n", k->index, why);
            print_launch(k, &l);
        }
        gen_record_finish(&rec);
        gen_launch_finish(&l);
    }
    return good;
}

struct shrinking {
    const struct options *o;
};

static bool still_fails(const struct gen_kernel *k, void *context)
{
    const struct options *o = ((struct shrinking *)context)->o;
    char *source = print_source(k, 1);
    struct cx_summary *summary = analyse(o->analyser, source, gen_build_option(k), false);
    bool fails = summary && find(summary, k) && !check_kernel(find(summary, k), k, o->launches, NULL, false);

    cx_summary_destroy(&summary);
    free(source);
    return fails;
}

static void print_comment(const char *text)
{
    const char *end;

    for (; *text; text = *end ? end + 1 : end) {
        end = strchrnul(text, '\n');
        printf("#   %.*s\n", (int)(end - text), text);
    }
}

static void print_kernel(const struct gen_kernel *k)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    gen_print(out, k);
    fclose(out);
    print_comment(text);
    free(text);
}

static void report(const struct options *o, const struct gen_kernel *k)
{
    struct gen_kernel *small = malloc(sizeof(*small));
    struct shrinking context = {o};
    struct cx_summary *summary;
    char *source;

    *small = *k;
    gen_shrink(small, still_fails, &context, SHRINK_TRIES);
    printf("# replay: --seed %llu --first %u --count 1 --replay%s (%s); smaller:\n",
           (unsigned long long)o->seed, k->index, o->rings ? " --rings" : "", gen_build_option(k));
    source = print_source(small, 1);
    summary = analyse(o->analyser, source, gen_build_option(small), false);
    print_kernel(small);
    if (summary) {
        check_kernel(find(summary, small), small, o->launches, NULL, true);
    }
    cx_summary_destroy(&summary);
    free(source);
    free(small);
    fflush(stdout);
}

static void check_batch(const struct options *o, const struct gen_kernel *k, unsigned n, struct totals *t)
{
    char *source = print_source(k, n);
    struct cx_summary *summary = analyse(o->analyser, source, gen_build_option(k), true);

    for (unsigned i = 0; i < n; i++) {
        const struct cx_summary_kernel *s = summary ? find(summary, &k[i]) : NULL;
        if (!summary && n > 1) {
            check_batch(o, &k[i], 1, t); /* which one is it? */
        } else if (!s) {
            printf("# kernel %u: no summary\n", k[i].index);
            t->failed++;
        } else if (!check_kernel(s, &k[i], o->launches, &t->class[k[i].class], true)) {
            if (t->failed++ < SHOWN) {
                report(o, &k[i]);
            }
        }
    }
    cx_summary_destroy(&summary);
    free(source);
}

static bool is_even(const struct cx_access_geometry *g)
{
    for (unsigned d = 0; d < g->work_dim; d++) {
        if (g->global[d] % g->local[d]) {
            return false;
        }
    }
    return true;
}

static void run_kernel(const struct options *o, const struct gen_kernel *k, struct totals *t)
{
    for (unsigned i = 0; i < o->launches; i++) {
        struct gen_launch l;
        struct gen_record rec;
        struct cx_random r;
        char why[300];
        if (!prepare(k, i, &l, &rec, &r, true)) {
            continue;
        }
        t->racy += rec.racy;
        if (!rec.racy && is_even(&l.geometry)) {
            t->run++;
            if (!gen_device_check(k, &l, &rec, why, sizeof(why))) {
                printf(
                    "# kernel %u: %s\n# replay: --device --seed %llu --first %u --count 1 --replay%s (%s)\n",
                    k->index, why, (unsigned long long)o->seed, k->index, o->rings ? " --rings" : "",
                    gen_build_option(k));
                print_launch(k, &l);
                if (t->failed++ < SHOWN) {
                    print_kernel(k);
                }
                fflush(stdout);
            }
        }
        gen_record_finish(&rec);
        gen_launch_finish(&l);
    }
}

static void run_batch(const struct options *o, const struct gen_kernel *k, unsigned n, struct totals *t)
{
    char *source = print_source(k, n);

    if (gen_device_build(source, gen_build_option(k))) {
        for (unsigned i = 0; i < n; i++) {
            run_kernel(o, &k[i], t);
        }
    } else {
        printf("# kernels %u..%u do not build\n", k[0].index, k[n - 1].index);
        t->failed += n;
    }
    free(source);
}

static void run_all(const struct options *o, struct totals *t)
{
    struct gen_kernel *k = calloc(GEN_BATCH, sizeof(*k));

    for (unsigned i = o->first; i < o->first + o->count;) {
        unsigned n = 0, end = (i / GEN_BATCH + 1) * GEN_BATCH;
        for (; i < end && i < o->first + o->count; i++) {
            gen_make(&k[n], o->seed, i, o->device, o->rings);
            if (o->replay) {
                print_kernel(&k[n]);
            }
            n++;
        }
        t->kernels += n;
        if (o->device) {
            run_batch(o, k, n, t);
        } else {
            check_batch(o, k, n, t);
        }
    }
    free(k);
}

static double percent(unsigned long part, unsigned long whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 100.0;
}

static void print_totals(const struct options *o, const struct totals *t)
{
    for (unsigned c = 0; c < CLASS_COUNT && !o->device; c++) {
        const struct gen_stats *s = &t->class[c];
        printf(
            "# %s: %lu launches (%lu discarded); writes known %.1f %% (exact %.1f %%), reads known %.1f %%; "
            "separable %.1f %%, splits %.1f %% (apart in truth %.1f %%), %lu checked afterwards, %lu but for "
            "an "
            "atomic's order; boxes %lu; "
            "ways none %lu own %lu "
            "merge "
            "%lu private %lu\n",
            class_name[c], s->launches, s->discarded, percent(s->writes_known, s->writes),
            percent(s->writes_exact, s->writes), percent(s->reads_known, s->reads),
            percent(s->separable, s->launches), percent(s->splits, s->launches),
            percent(s->apart, s->launches), s->checked, s->ordered, s->boxes, s->ways[0], s->ways[1],
            s->ways[2], s->ways[3]);
    }
    if (o->device) {
        printf("# %lu launches compared, %lu depend on the order of work-items\n", t->run, t->racy);
    }
    printf("# discarded:");
    for (unsigned i = 0; i < 32 && discards[i].why; i++) {
        printf("%s %s %lu", i ? "," : "", discards[i].why, discards[i].times);
    }
    printf("\n");
}

static bool parse(struct options *o, int argc, char **argv)
{
    *o = (struct options){.seed = 1, .count = 500, .launches = 3};
    for (int i = 1; i < argc; i++) {
        unsigned long long number = i + 1 < argc ? strtoull(argv[i + 1], NULL, 10) : 0;
        if (strcmp(argv[i], "--device") == 0) {
            o->device = true;
        } else if (strcmp(argv[i], "--replay") == 0) {
            o->replay = true;
        } else if (strcmp(argv[i], "--rings") == 0) {
            o->rings = true;
        } else if (argv[i][0] != '-') {
            o->analyser = argv[i];
        } else if (i + 1 == argc) {
            return false;
        } else {
            if (strcmp(argv[i], "--seed") == 0) {
                o->seed = number;
            } else if (strcmp(argv[i], "--first") == 0) {
                o->first = (unsigned)number;
            } else if (strcmp(argv[i], "--count") == 0) {
                o->count = (unsigned)number;
            } else if (strcmp(argv[i], "--launches") == 0) {
                o->launches = (unsigned)number;
            } else {
                return false;
            }
            i++;
        }
    }
    return o->analyser || o->device;
}

/* Shares that tell an analysis that knows nothing from one that works. */
static bool is_precise(const struct totals *t)
{
    const struct gen_stats *s = &t->class[CLASS_AFFINE];

    return t->kernels < 400 ||
           (percent(s->writes_known, s->writes) >= 1 && percent(s->reads_known, s->reads) >= 1);
}

int main(int argc, char **argv)
{
    struct options o;
    struct totals t = {0};
    bool precise;

    cx_access_takes_conflicts = true;
    if (!parse(&o, argc, argv)) {
        fprintf(stderr,
                "usage: generator ANALYSER [--seed N] [--first I] [--count M] [--launches L] [--device] "
                "[--replay] [--rings]\n");
        return 2;
    }
    if (o.device && !gen_device_open()) {
        printf("1..0 # SKIP no OpenCL device\n");
        return 0;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("1..2\n");
    run_all(&o, &t);
    print_totals(&o, &t);
    precise = is_precise(&t) || o.device;
    printf("%s 1 - %lu kernels, %lu fail\n", t.failed ? "not ok" : "ok", t.kernels, t.failed);
    printf("%s 2 - known where affine\n", precise ? "ok" : "not ok");
    if (o.device) {
        gen_device_close();
    }
    return t.failed || !precise;
}
