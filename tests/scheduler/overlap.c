/* SPDX-License-Identifier: MIT */
/*
 * Devices on which a package begins while the last groups of the one before end: how well auto hides that
 * they leave the device ever emptier.
 */
#include "tests/scheduler/suites.h"
#include "scheduler/admission.h"
#include "scheduler/memory.h"
#include "scheduler/simulate.h"
#include <math.h>
#include <stdlib.h>

enum { MOST = 4 };

/* Equal devices that learn over launches. */
struct row {
    struct cx_sim_device devices[MOST];
    struct cx_speed_record records[MOST];
    struct cx_memory *memory;
    struct cx_sim_load *load;
    unsigned n;
    uint64_t granularity;
};

static void fill_row(struct row *row, unsigned n, double speed, uint64_t fill, double drain)
{
    row->memory = malloc(sizeof *row->memory);
    ck_assert_ptr_nonnull(row->memory);
    cx_memory_init(row->memory);
    row->n = n;
    for (unsigned i = 0; i < n; i++)
        row->devices[i] = (struct cx_sim_device){
            .known = {.nominal_speed = 1, .fill = fill, .overlaps = true, .kind = 1, .launch_seconds = 1e-5},
            .speed = speed,
            .launch_seconds = 1e-5,
            .reply_seconds = 8e-5,
            .jitter = 0.01,
            .drain = drain};
}

static void free_row(struct row *row)
{
    free(row->memory);
    free(row->load);
}

/* One launch more; its time over the ideal. */
static double launch(struct row *row, uint64_t seed)
{
    struct cx_simulation sim = {.policy = cx_policy_find("auto"),
                                .load = row->load,
                                .granularity = row->granularity,
                                .ndevices = row->n,
                                .devices = row->devices,
                                .partitions = true,
                                .reexecutes = true,
                                .memory = row->memory,
                                .records = row->records,
                                .seed = seed};
    for (unsigned i = 0; i < row->n; i++)
        row->devices[i].known.measured_speed = cx_speed_record_speed(&row->records[i]);
    const struct cx_sim_result result = cx_simulate(&sim);
    ck_assert(result.complete);
    return result.seconds / cx_sim_ideal(row->load, row->n, row->devices);
}

/* Packages drain for a third of a filling or more, unless the next one is there by then: it has to be, but
 * must not be given away before its size can be known. */
START_TEST(drains_overlap)
{
    enum { GROUPS = 294912, LAUNCHES = 6, SHAPES = 3, FILL = 1056 };
    static const double lengths[] = {0.05, 0.5}, drains[] = {0.36, 0.62};
    const unsigned n = _i % 2 ? 4 : 2;
    double sum = 0;
    for (unsigned shape = 0; shape < SHAPES; shape++) {
        struct row row = {.load = cx_sim_load_create(shape ? CX_SIM_RAMP : CX_SIM_REGULAR, GROUPS, 3),
                          .granularity = 192};
        ck_assert_ptr_nonnull(row.load);
        for (unsigned i = 0; i < GROUPS && shape == 2; i++) {
            const double x = ((i + 0.5) / GROUPS - 0.47) / 0.15;
            row.load->before[i + 1] = row.load->before[i] + 2e-4 + exp(-x * x);
        }
        row.load->total = row.load->before[GROUPS];
        fill_row(&row, n, row.load->total / lengths[_i / 4], FILL, drains[_i / 2 % 2] * FILL);
        for (unsigned l = 0; l < LAUNCHES; l++) {
            const double ratio = launch(&row, l + 1);
            ck_assert_msg(ratio < (l ? 1.1 : 1.25), "shape %u, launch %u: %.4f of the ideal", shape, l,
                          ratio);
            sum += log(ratio);
        }
        free_row(&row);
    }
    const double mean = exp(sum / (SHAPES * LAUNCHES));
    ck_assert_msg(mean < (n == 2 ? 1.02 : 1.04), "%.4f of the ideal", mean);
}
END_TEST

/* nbody on H100s: few groups, and a package drains for longer than the device's fillings tell. */
START_TEST(long_drains)
{
    enum { GROUPS = 32768, LAUNCHES = 4 };
    struct row row = {.load = cx_sim_load_create(CX_SIM_REGULAR, GROUPS, 3), .granularity = 1};
    double sum = 0;
    ck_assert_ptr_nonnull(row.load);
    fill_row(&row, _i ? 4 : 2, 10989, 1056, 1400);
    for (unsigned l = 0; l < LAUNCHES; l++) {
        const double ratio = launch(&row, l + 1);
        ck_assert_msg(ratio < 1.2, "launch %u: %.4f of the ideal", l, ratio);
        sum += l ? log(ratio) : 0;
    }
    ck_assert_msg(exp(sum / (LAUNCHES - 1)) < 1.02, "%.4f of the ideal", exp(sum / (LAUNCHES - 1)));
    free_row(&row);
}
END_TEST

/* nbody on H100s, where 3,300 groups run at once for 0.3 s: half of all is five waves of them. Known to be
 * regular, it is not cut any further, as another package's groups would begin late in a wave and end in a
 * sixth. */
START_TEST(few_waves)
{
    enum { GROUPS = 32768, LAUNCHES = 5, SLOTS = 3300, FILL = 2112 };
    struct row row = {.load = cx_sim_load_create(CX_SIM_REGULAR, GROUPS, 3), .granularity = 1};
    ck_assert_ptr_nonnull(row.load);
    fill_row(&row, 2, 10300, FILL, 0);
    for (unsigned i = 0; i < row.n; i++)
        row.devices[i].slots = SLOTS;
    for (unsigned l = 0; l < LAUNCHES; l++) {
        const double ratio = launch(&row, l + (unsigned)_i * LAUNCHES + 1);
        ck_assert_msg(ratio < (l ? 1.03 : 1.25), "launch %u: %.4f of the ideal", l, ratio);
    }
    free_row(&row);
}
END_TEST

/* A device that holds a package is asked for the next one shortly before that should be over, where they
 * overlap on it. */
START_TEST(asked_while_it_drains)
{
    struct cx_balancer_device device = {.measured_speed = 1e5, .fill = 100, .kind = 1, .overlaps = true};
    struct cx_balancer_device devices[2] = {device, device};
    struct cx_problem problem = {.groups = 100000, .ndevices = 2, .devices = devices};
    struct cx_balancer *balancer = cx_balancer_create(cx_policy_find("auto"), &problem, NULL);
    ck_assert_ptr_nonnull(balancer);
    double held = 0, again, now = 0;
    for (uint64_t groups; (groups = cx_balancer_next(balancer, 0, now)) > 0;)
        held += (double)groups / 1e5;
    ck_assert_uint_gt(cx_balancer_next(balancer, 1, now), 0);
    for (unsigned i = 0; i < 3 && cx_balancer_next(balancer, 0, now) == 0; i++, now = again) {
        again = cx_balancer_ask_next(balancer, 0, now);
        ck_assert_double_gt(again, now);
        ck_assert_double_lt(again, held);
    }
    ck_assert_double_gt(now, 0.8 * held);
    cx_balancer_destroy(balancer);
}
END_TEST

Suite *cx_test_overlap(void)
{
    Suite *suite = suite_create("overlap");
    TCase *tcase = tcase_create("simulated");
    tcase_add_loop_test(tcase, drains_overlap, 0, 8);
    tcase_add_loop_test(tcase, long_drains, 0, 2);
    tcase_add_loop_test(tcase, few_waves, 0, 4);
    tcase_add_test(tcase, asked_while_it_drains);
    suite_add_tcase(suite, tcase);
    return suite;
}
