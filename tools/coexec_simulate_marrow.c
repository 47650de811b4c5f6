/* SPDX-License-Identifier: MIT */
/*
 * `coexec simulate --paper marrow`: Table 5 and Figures 9 to 11 of "Marrow" beside ours
 * (scheduler/marrow_paper.h), as Markdown. Figures are pictures: what is beside them is computed from Table
 * 5, or is what the text says.
 */
#include "scheduler/marrow_paper.h"
#include "tools/coexec.h"
#include "tools/coexec_simulate.h"

#include <math.h>
#include <stdio.h>

static const char *again(unsigned i)
{
    return i + 1 >= CX_MARROW_IMAGES ? " again" : "";
}

static void print_table5(const struct cx_marrow_applied *applied)
{
    puts("Marrow, Table 5: the GPU's share in per cent; 100 runs an image, by what was learned of those "
         "before it\n\n"
         "| image | size | true share | derived: printed | ours | unbalanced: printed | ours | operations: "
         "printed "
         "| ours | persisted: printed | ours |\n|---|---|---|---|---|---|---|---|---|---|---|");
    for (unsigned i = 0; i + 1 < CX_MARROW_IMAGES; i++) {
        const struct cx_marrow_image *image = &cx_marrow_images[applied[i].image];
        printf("| %u | %ux%u | %.1f | %.1f | %.1f | %u | %u | %u | %u | %.1f | %.1f |\n", applied[i].image,
               image->width, image->height, image->share, image->derived, applied[i].derived,
               image->unbalanced, applied[i].unbalanced, image->operations, applied[i].operations,
               image->persisted, applied[i].persisted);
    }
}

static void print_figure9(const struct cx_marrow_applied *applied)
{
    puts("\nFigure 9: how far shares are off, in points, and times, in per cent; printed: by Table 5\n\n| "
         "image | derived "
         "share: printed | ours | first run's time: ours | share at the end: printed | ours | time at the "
         "end: "
         "printed | ours |\n|---|---|---|---|---|---|---|---|");
    for (unsigned i = 0; i + 1 < CX_MARROW_IMAGES; i++) {
        const struct cx_marrow_image *image = &cx_marrow_images[applied[i].image];
        printf("| %u | %.1f | %.1f | %+.1f | %.1f | %.1f | %+.1f | %+.1f |\n", applied[i].image,
               fabs(image->derived - image->share), fabs(applied[i].derived - image->share),
               100 * (applied[i].derived_time - 1), fabs(image->persisted - image->share),
               fabs(applied[i].persisted - image->share),
               100 * (image->persisted_seconds / image->seconds - 1), 100 * (applied[i].time - 1));
    }
}

static void print_figure10(const struct cx_marrow_applied *applied)
{
    puts("\nFigure 10: unbalanced runs of 100, and operations of the load balancer\n\n| image | unbalanced: "
         "printed | "
         "ours | operations: printed | ours |\n|---|---|---|---|---|");
    for (unsigned i = 0; i < CX_MARROW_APPLIED; i++) {
        const struct cx_marrow_image *image = &cx_marrow_images[applied[i].image];
        printf("| %u%s |", applied[i].image, again(i));
        if (*again(i))
            printf("  | %u |  | %u |\n", applied[i].unbalanced, applied[i].operations);
        else
            printf(" %u | %u | %u | %u |\n", image->unbalanced, applied[i].unbalanced, image->operations,
                   applied[i].operations);
    }
}

/* Runs of Figure 11 that are printed, counted from where the load comes or goes. */
static const unsigned shown[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 14, 19, 29};
enum { NSHOWN = sizeof(shown) / sizeof(shown[0]) };

/* Runs until all later ones of the phase are within two points of the best share. */
static unsigned settles(const double *share, unsigned n, double best)
{
    while (n > 0 && fabs(share[n - 1] - best) <= 2)
        n--;
    return n;
}

static bool print_phase(const char *policy, double factor, bool loaded)
{
    struct cx_marrow_fluctuation result;
    if (!cx_marrow_fluctuate(cx_policy_find(policy), factor, &result))
        return false;
    const unsigned from = CX_MARROW_BEFORE + (loaded ? 0 : CX_MARROW_LOADED);
    const unsigned n = loaded ? CX_MARROW_LOADED : CX_MARROW_BEHIND;
    double excess = 0;
    printf("| %s, %s x%g |", policy, loaded ? "load" : "gone:", factor);
    for (unsigned i = 0; i < NSHOWN; i++)
        printf(" %.1f |", result.share[from + shown[i]]);
    for (unsigned i = from; i < from + n; i++)
        excess += result.time[i] - 1;
    const double best = result.ideal[loaded ? 1 : 2];
    printf(" %.1f | %u | %.2f |\n", best, settles(result.share + from, n, best), excess);
    return true;
}

static bool print_figure11(void)
{
    static const char *const policies[] = {"marrow", "static", "auto"};
    static const double factors[] = {1.5, 2, 4};
    bool ok = true;
    fputs("\nFigure 11: FFT of 128 MB, the CPU slower for 30 runs; the GPUs' share in per cent, run by run; "
          "runs until "
          "all are within two points of the best; time lost in all, in runs. In the paper three to four "
          "unbalanced runs "
          "go by, one to four shift, and the search takes a little more than ten.\n\n| balancer |",
          stdout);
    for (unsigned i = 0; i < NSHOWN; i++)
        printf(" %u |", shown[i] + 1);
    fputs(" best | settles after | lost |\n|---|", stdout);
    for (unsigned i = 0; i < NSHOWN + 3; i++)
        fputs("---|", stdout);
    puts("");
    for (unsigned f = 0; f < sizeof(factors) / sizeof(factors[0]); f++)
        for (unsigned p = 0; p < 2 * sizeof(policies) / sizeof(policies[0]); p++)
            ok &= print_phase(policies[p / 2], factors[f], p % 2 == 0);
    return ok;
}

int cx_simulate_marrow(void)
{
    struct cx_marrow_applied applied[CX_MARROW_APPLIED];
    if (!cx_marrow_apply(applied))
        return cx_tool_error("simulate", "out of memory");
    print_table5(applied);
    print_figure9(applied);
    print_figure10(applied);
    return print_figure11() ? CX_EXIT_OK : cx_tool_error("simulate", "out of memory");
}
