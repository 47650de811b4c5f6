/* SPDX-License-Identifier: MIT */
/*
 * Marrow's test of balance, its adaptive binary search and its experiments: by hand, and by the paper's
 * bounds.
 */
#include "scheduler/marrow_paper.h"
#include "scheduler/memory.h"
#include "tests/scheduler/suites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the test and the search ---- */

/* A run on two sides of which the first should have that part. */
static bool run_two(struct cx_marrow *marrow, double best, double *part)
{
    const double seconds[] = {part[0] / best, part[1] / (1 - best)};
    return cx_marrow_run(marrow, &cx_balancer_defaults, 2, seconds, part);
}

/* lbt(n) = 2/3 + lbt(n-1) / 3 over three unbalanced runs: the third acts. */
START_TEST(third_run_acts)
{
    struct cx_marrow marrow = {0};
    double part[] = {0.5, 0.5};
    ck_assert(!run_two(&marrow, 0.75, part));
    ck_assert_double_eq_tol(marrow.lbt, 2.0 / 3, 1e-3);
    ck_assert(!run_two(&marrow, 0.75, part));
    ck_assert_double_eq_tol(marrow.lbt, 8.0 / 9, 1e-3);
    ck_assert_double_eq(part[0], 0.5);
    ck_assert(run_two(&marrow, 0.75, part));
    ck_assert_double_eq_tol(marrow.lbt, 26.0 / 27, 1e-3);
    ck_assert_double_eq_tol(part[0], 0.5 + 1.0 / 16, 1e-12);
    ck_assert_double_eq_tol(part[0] + part[1], 1, 1e-12);
    ck_assert_uint_eq(marrow.unbalanced, 3);
    ck_assert_uint_eq(marrow.operations, 1);
}
END_TEST

/* Sporadic runs do not act, nor those whose first side ends at 0.85 of the last one's time or later. */
START_TEST(balanced_runs_stay)
{
    struct cx_marrow marrow = {0};
    double even[] = {0.5, 0.5}, near[] = {0.46, 0.54};
    for (unsigned i = 0; i < 100; i++) {
        ck_assert(!run_two(&marrow, i % 3 == 0 ? 0.75 : 0.5, even));
        ck_assert(!run_two(&marrow, 0.5, near));
    }
    ck_assert_uint_eq(marrow.unbalanced, 34);
    ck_assert_uint_eq(marrow.operations, 0);
    ck_assert(even[0] == 0.5 && near[0] == 0.46);
}
END_TEST

/* By hand: shifts of 1, 1 and 2 sixteenths, then halves of the last one to and fro, until less than 0.002. */
START_TEST(search_by_hand)
{
    static const double parts[] = {0.5625,   0.625,     0.75,       0.6875,    0.71875,
                                   0.734375, 0.7421875, 0.73828125, 0.73828125};
    struct cx_marrow marrow = {0};
    double part[] = {0.5, 0.5};
    run_two(&marrow, 0.74, part);
    run_two(&marrow, 0.74, part);
    for (unsigned i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        run_two(&marrow, 0.74, part);
        ck_assert_double_eq_tol(part[0], parts[i], 1e-9);
    }
    ck_assert(!marrow.searching);
    ck_assert_double_eq(marrow.correction, 1);
}
END_TEST

/* Wherever the best distribution lies, and where it moves to during the search, it is found. */
START_TEST(search_finds)
{
    for (double best = 0.03; best < 0.98; best += 0.05) {
        for (double moved = 0.03; moved < 0.98; moved += 0.05) {
            struct cx_marrow marrow = {0};
            double part[] = {0.5, 0.5};
            for (unsigned i = 0; i < 60; i++)
                run_two(&marrow, i < 9 ? best : moved, part);
            const double ratio = part[0] / moved / (part[1] / (1 - moved));
            ck_assert_msg(ratio > 0.84 && ratio < 1 / 0.84, "%g, %g: %g", best, moved, part[0]);
        }
    }
}
END_TEST

/* The sides' sum stays, none is emptied, and all end together, however many they are. */
START_TEST(many_sides)
{
    for (unsigned n = 2; n <= 16; n++) {
        struct cx_marrow marrow = {0};
        double part[16], seconds[16], speeds = 0, sum = 0, worst = 0, least = INFINITY;
        for (unsigned s = 0; s < n; s++)
            speeds += 1 + s % 5;
        for (unsigned s = 0; s < n; s++)
            part[s] = 1.0 / n;
        for (unsigned i = 0; i < 300; i++) {
            for (unsigned s = 0; s < n; s++)
                seconds[s] = part[s] * speeds / (1 + s % 5);
            cx_marrow_run(&marrow, &cx_balancer_defaults, n, seconds, part);
        }
        for (unsigned s = 0; s < n; s++) {
            ck_assert_double_gt(part[s], 0);
            sum += part[s];
            worst = fmax(worst, part[s] / (1 + s % 5));
            least = fmin(least, part[s] / (1 + s % 5));
        }
        ck_assert_double_eq_tol(sum, 1, 1e-9);
        ck_assert_msg(least / worst > 0.84, "%u sides: %g", n, least / worst);
    }
}
END_TEST

/* ---- the policy ---- */

enum { GROUPS = 10000 };

struct launches {
    struct cx_memory memory;
    struct cx_sim_load *load;
    struct cx_sim_device device[4];
    uint64_t done[4];
    struct cx_sim_result result;
};

static struct launches *begin(uint64_t groups, unsigned n, const double *speeds)
{
    struct launches *launches = calloc(1, sizeof(*launches));
    ck_assert_ptr_nonnull(launches);
    cx_memory_init(&launches->memory);
    launches->load = cx_sim_load_create(CX_SIM_REGULAR, groups, 1);
    ck_assert_ptr_nonnull(launches->load);
    for (unsigned i = 0; i < n; i++)
        launches->device[i] =
            (struct cx_sim_device){.known = {.nominal_speed = 1, .fill = 1}, .speed = speeds[i]};
    return launches;
}

static void end(struct launches *launches)
{
    free(launches->load);
    free(launches);
}

/* Launches of devices [0, n). */
static void launch(struct launches *launches, unsigned n, unsigned times)
{
    const struct cx_simulation sim = {.policy = cx_policy_find("marrow"),
                                      .load = launches->load,
                                      .ndevices = n,
                                      .devices = launches->device,
                                      .partitions = true,
                                      .notice_seconds = 0.01,
                                      .memory = &launches->memory,
                                      .groups_done = launches->done};
    for (unsigned i = 0; i < times; i++) {
        launches->result = cx_simulate(&sim);
        ck_assert(launches->result.complete);
    }
}

/* One package a device; the distribution is the same to the group until three launches were unbalanced. */
START_TEST(shares_are_kept)
{
    struct launches *launches = begin(GROUPS, 2, (const double[]){3000, 1000});
    for (unsigned i = 0; i < 3; i++) {
        launch(launches, 2, 1);
        ck_assert_uint_eq(launches->done[0], GROUPS / 2);
        ck_assert_uint_eq(launches->result.packages, 2);
    }
    launch(launches, 2, 1);
    ck_assert_uint_eq(launches->done[0], GROUPS / 2 + GROUPS / 16);
    launch(launches, 2, 20);
    ck_assert_double_eq_tol((double)launches->done[0], 0.75 * GROUPS, 0.003 * GROUPS);
    const uint64_t kept = launches->done[0];
    launch(launches, 2, 20);
    ck_assert_uint_eq(launches->done[0], kept);
    ck_assert_uint_eq(launches->memory.marrow.operations, 1);
    end(launches);
}
END_TEST

/* Accelerators are one side, whose devices keep their relation; CPUs the other. */
START_TEST(types_are_sides)
{
    struct launches *launches = begin(GROUPS, 3, (const double[]){2000, 1000, 1000});
    launches->device[0].known.accelerator = launches->device[1].known.accelerator = true;
    launches->device[0].known.nominal_speed = 2;
    launches->device[2].known.nominal_speed = 3;
    launch(launches, 3, 1);
    ck_assert(launches->done[0] == GROUPS / 3 && launches->done[2] == GROUPS / 2 + 1);
    launch(launches, 3, 30);
    ck_assert_double_eq_tol((double)launches->done[2], 0.25 * GROUPS, 0.003 * GROUPS);
    ck_assert_double_eq_tol((double)launches->done[0], 2.0 * (double)launches->done[1], 3);
    end(launches);
}
END_TEST

/* A device that is gone leaves its share to the others in proportion; one that joins gets one by its speed.
 */
START_TEST(members_come_and_go)
{
    struct launches *launches = begin(GROUPS, 3, (const double[]){3000, 1000, 1000});
    launch(launches, 2, 30);
    const double relation = (double)launches->done[0] / (double)launches->done[1];
    ck_assert_double_eq_tol(relation, 3, 0.1);
    launch(launches, 3, 1);
    ck_assert_double_eq_tol((double)launches->done[0] / (double)launches->done[1], relation, 0.01);
    ck_assert_double_eq_tol((double)launches->done[2], GROUPS / 3.0, 2);
    launch(launches, 3, 60);
    ck_assert_double_eq_tol((double)launches->done[2], GROUPS / 5.0, 0.02 * GROUPS);
    launch(launches, 2, 1);
    ck_assert_uint_eq(launches->done[0] + launches->done[1], GROUPS);
    ck_assert_double_eq_tol((double)launches->done[0] / (double)launches->done[1], 3, 0.3);
    launch(launches, 1, 1);
    ck_assert_uint_eq(launches->done[0], GROUPS);
    end(launches);
}
END_TEST

/* A launch in which a device fails is finished by the others and says nothing of the distribution; nor do one
 * of another size and one whose times nobody told. */
START_TEST(odd_launches_do_not_count)
{
    struct launches *launches = begin(GROUPS, 3, (const double[]){1000, 1000, 1000});
    const struct cx_marrow *kept = &launches->memory.marrow;
    launch(launches, 3, 2);
    launches->device[1].dies_at = 1;
    launch(launches, 3, 5);
    ck_assert_uint_eq(launches->done[1], 0);
    ck_assert_uint_eq(kept->runs, 2);
    launches->device[1].dies_at = 0;
    launches->device[2].untimed = 1;
    launch(launches, 3, 1);
    ck_assert_uint_eq(kept->runs, 2);
    launches->device[2].untimed = 0;
    launch(launches, 3, 1);
    ck_assert_uint_eq(kept->runs, 3);
    ck_assert_double_eq_tol((double)launches->done[1], GROUPS / 3.0, 2);
    end(launches);
}
END_TEST

/* Where no distribution is balanced, as for three groups on two devices, the best one is left alone. */
START_TEST(coarse_launches_settle)
{
    struct launches *launches = begin(3, 2, (const double[]){1000, 1000});
    launch(launches, 2, 60);
    const unsigned operations = launches->memory.marrow.operations;
    const uint64_t kept = launches->done[0];
    launch(launches, 2, 60);
    ck_assert_uint_eq(launches->memory.marrow.operations, operations);
    ck_assert_uint_eq(launches->done[0], kept);
    ck_assert(kept == 1 || kept == 2);
    end(launches);
}
END_TEST

/* A device that ends late with a single unit has no work, is tried after 64 launches, then after 128; when it
 * is as fast as the other one, it gets its half. */
START_TEST(left_out_is_tried)
{
    struct launches *launches = begin(64, 2, (const double[]){1000, 0.5});
    unsigned tried = 0, last = 0, between[4] = {0};
    launch(launches, 2, 60);
    ck_assert_uint_eq(launches->done[1], 0);
    for (unsigned i = 0; i < 400; i++) {
        launch(launches, 2, 1);
        if (launches->done[1] > 0) {
            between[tried++ % 4] = i - last;
            last = i;
        }
    }
    ck_assert_uint_ge(tried, 2);
    ck_assert_uint_le(tried, 3);
    ck_assert_uint_ge(between[1], 128);
    launches->device[1].speed = 1000;
    launch(launches, 2, 600);
    ck_assert_double_eq_tol((double)launches->done[1], 32, 4);
    end(launches);
}
END_TEST

/* ---- the paper's experiments ---- */

/* Section 4.2.2: distributions are within 3 %, and after three data sets times within 5 %, of what a search
 * for the best finds; no more searches than the paper needed, and fewer unbalanced runs in all. */
START_TEST(images_are_learned)
{
    struct cx_marrow_applied applied[CX_MARROW_APPLIED];
    unsigned unbalanced = 0, printed = 0;
    ck_assert(cx_marrow_apply(applied));
    for (unsigned i = 0; i < CX_MARROW_APPLIED; i++) {
        const struct cx_marrow_image *image = &cx_marrow_images[applied[i].image];
        const bool again = i + 1 >= CX_MARROW_IMAGES;
        ck_assert_msg(fabs(applied[i].persisted - image->share) <= 3, "image %u: %g", applied[i].image,
                      applied[i].persisted);
        ck_assert_msg(i < 3 || applied[i].time <= 1.05, "image %u: %g", applied[i].image, applied[i].time);
        ck_assert_uint_le(applied[i].operations, again ? 0 : image->operations);
        unbalanced += applied[i].unbalanced;
        printed += again ? 0 : image->unbalanced;
    }
    ck_assert_uint_le(unbalanced, printed);
}
END_TEST

/* The shares that the search begins from, once three data sets are known. The printed true ones follow no law
 * over the size, so that the bound of 3 % holds for three of five, as for four of the paper's own: image 4's
 * 99.9 % cannot be told from the others' 87 to 95, and image 6's 89.6 not to 3 %. */
START_TEST(images_are_derived)
{
    static const double bound[CX_MARROW_IMAGES] = {0, 0, 0, 3, 7, 3, 4, 3};
    struct cx_marrow_applied applied[CX_MARROW_APPLIED];
    ck_assert(cx_marrow_apply(applied));
    for (unsigned i = 2; i + 1 < CX_MARROW_IMAGES; i++) {
        const struct cx_marrow_image *image = &cx_marrow_images[applied[i].image];
        ck_assert_msg(fabs(applied[i].derived - image->share) <= bound[applied[i].image], "image %u: %g",
                      applied[i].image, applied[i].derived);
    }
    for (unsigned i = CX_MARROW_IMAGES - 1; i < CX_MARROW_APPLIED; i++)
        ck_assert_double_eq_tol(applied[i].derived, cx_marrow_images[applied[i].image].share, 0.5);
}
END_TEST

/* The first run after a change in which the share is another one; runs are counted from 1. */
static unsigned acts_at(const double *share)
{
    unsigned i = 1;
    while (i < CX_MARROW_LOADED && fabs(share[i] - share[0]) < 0.01)
        i++;
    return i + 1;
}

/* Figure 11: three to four unbalanced runs, one to four that shift, a search of some ten; auto and static
 * need one and two. */
START_TEST(load_is_followed)
{
    static const double factors[] = {1.5, 2, 4};
    struct cx_marrow_fluctuation marrow, fixed, ours;
    ck_assert(cx_marrow_fluctuate(cx_policy_find("marrow"), factors[_i], &marrow));
    ck_assert(cx_marrow_fluctuate(cx_policy_find("static"), factors[_i], &fixed));
    ck_assert(cx_marrow_fluctuate(cx_policy_find("auto"), factors[_i], &ours));
    for (unsigned phase = 1; phase < 3; phase++) {
        const unsigned from = CX_MARROW_BEFORE + (phase == 2 ? CX_MARROW_LOADED : 0);
        const unsigned acts = acts_at(marrow.share + from);
        ck_assert_msg(acts >= 4 && acts <= 5, "%g, phase %u: acts at %u", factors[_i], phase, acts);
        ck_assert_double_eq_tol(marrow.share[from + 19], marrow.ideal[phase], 2.5);
        ck_assert_double_eq_tol(fixed.share[from + 3], marrow.ideal[phase], 2.5);
        ck_assert_double_eq_tol(ours.share[from + 2], marrow.ideal[phase], 2.5);
    }
}
END_TEST

Suite *cx_test_marrow(void)
{
    Suite *suite = suite_create("marrow");
    TCase *tcase = tcase_create("marrow");
    tcase_add_test(tcase, third_run_acts);
    tcase_add_test(tcase, balanced_runs_stay);
    tcase_add_test(tcase, search_by_hand);
    tcase_add_test(tcase, search_finds);
    tcase_add_test(tcase, many_sides);
    tcase_add_test(tcase, shares_are_kept);
    tcase_add_test(tcase, types_are_sides);
    tcase_add_test(tcase, members_come_and_go);
    tcase_add_test(tcase, odd_launches_do_not_count);
    tcase_add_test(tcase, coarse_launches_settle);
    tcase_add_test(tcase, left_out_is_tried);
    tcase_add_test(tcase, images_are_learned);
    tcase_add_test(tcase, images_are_derived);
    tcase_add_loop_test(tcase, load_is_followed, 0, 3);
    suite_add_tcase(suite, tcase);
    return suite;
}
