/* SPDX-License-Identifier: MIT */
/*
 * Which devices take part: the cases that promise 2 rests on, with records fed as the layer feeds them.
 */
#include "tests/scheduler/suites.h"
#include "scheduler/admission.h"
#include "scheduler/feedback.h"
#include "scheduler/balancer.h"
#include "scheduler/probe.h"
#include <math.h>
#include <string.h>

enum { CPU, GPU };

static struct cx_admission_device cpu(struct cx_speed_record *record)
{
    return (struct cx_admission_device){
        .nominal_speed = 100, .device_class = CPU, .launch_seconds = 20e-6, .fill = 1, .record = record};
}

static struct cx_admission_device gpu(struct cx_speed_record *record)
{
    return (struct cx_admission_device){
        .nominal_speed = 60000, .device_class = GPU, .launch_seconds = 10e-6, .fill = 1056, .record = record};
}

static struct cx_admission launch_of(uint64_t groups, unsigned n, const struct cx_admission_device *devices)
{
    return (struct cx_admission){
        .groups = groups, .split_seconds = 50e-6, .may_probe = true, .ndevices = n, .devices = devices};
}

START_TEST(equal_and_unmeasured_start_together)
{
    struct cx_speed_record records[2] = {{0}};
    struct cx_admission_device devices[] = {cpu(&records[0]), cpu(&records[1])};
    struct cx_admission launch = launch_of(4096, 2, devices);
    struct cx_admission_member members[2];
    struct cx_admission_decision decision = cx_admission_decide(&launch, members);
    ck_assert(decision.split && members[0].takes_part && members[1].takes_part);
    ck_assert_int_eq(decision.reason, CX_ADMISSION_SPLIT_UNMEASURED);
    ck_assert_uint_eq(members[1].first_package, 0);

    launch.groups = 7; /* less than four groups a device */
    decision = cx_admission_decide(&launch, members);
    ck_assert(!decision.split);
    ck_assert_int_eq(decision.reason, CX_ADMISSION_WHOLE_FEW_GROUPS);
    launch.groups = 4096;
    launch.granularity = 4096; /* one package */
    ck_assert(!cx_admission_decide(&launch, members).split);
}
END_TEST

START_TEST(one_device_stays_whole)
{
    struct cx_admission_device device = cpu(NULL);
    struct cx_admission launch = launch_of(4096, 1, &device);
    struct cx_admission_member member;
    struct cx_admission_decision decision = cx_admission_decide(&launch, &member);
    ck_assert(!decision.split && member.takes_part);
    ck_assert_int_eq(decision.reason, CX_ADMISSION_WHOLE_ONE_DEVICE);
}
END_TEST

/* Two equal devices: short launches stay whole, long ones split. */
START_TEST(short_launches_stay_whole)
{
    struct cx_speed_record records[2] = {{0}};
    cx_speed_record_update(&records[0], 1000000, 1, 1);
    cx_speed_record_update(&records[1], 1000000, 1, 1);
    struct cx_admission_device devices[] = {cpu(&records[0]), cpu(&records[1])};
    struct cx_admission launch = launch_of(100, 2, devices); /* 0.1 ms */
    struct cx_admission_member members[2];
    struct cx_admission_decision decision = cx_admission_decide(&launch, members);
    ck_assert_int_eq(decision.reason, CX_ADMISSION_WHOLE_SHORT);
    ck_assert(!decision.split && members[0].takes_part && !members[1].takes_part);
    ck_assert_int_eq(members[1].part, CX_ADMISSION_LEFT_WHOLE);

    launch.groups = 10000; /* 10 ms */
    decision = cx_admission_decide(&launch, members);
    ck_assert_int_eq(decision.reason, CX_ADMISSION_SPLIT);
    ck_assert_double_eq_tol(decision.whole_seconds, 10.02e-3, 1e-6);
    ck_assert_double_lt(decision.split_seconds, 5.2e-3);
}
END_TEST

/* An H200 at 13 M groups/s beside a CPU 1400 times slower: the GPU alone, save for rare, cheap probes. */
START_TEST(fast_gpu_beside_slow_cpu)
{
    static const uint64_t groups[] = {30000, 130000, 13000000};
    const double fast = 13e6, slow = 13e6 / 1400;
    struct cx_speed_record records[2] = {{0}};
    struct cx_admission_device devices[] = {cpu(&records[0]), gpu(&records[1])};
    devices[0].fill = 16;
    struct cx_admission launch = launch_of(groups[_i], 2, devices);
    double whole = 10e-6 + (double)launch.groups / fast, total = 0, lost = 0;
    unsigned probes = 0;
    for (unsigned i = 0; i < 20000; i++) {
        struct cx_admission_member members[2];
        struct cx_admission_decision decision = cx_admission_decide(&launch, members);
        ck_assert_uint_eq(decision.best, 1);
        ck_assert(members[1].takes_part);
        ck_assert_int_eq(decision.reason, i == 0           ? CX_ADMISSION_WHOLE_UNMEASURED
                                          : decision.split ? CX_ADMISSION_SPLIT_PROBE
                                                           : CX_ADMISSION_WHOLE_OTHERS_SLOW);
        uint64_t probe = members[0].takes_part ? members[0].first_package : 0;
        ck_assert(!decision.split || probe > 0);
        double end = 10e-6 + (double)(launch.groups - probe) / fast;
        if (probe > 0) {
            double seconds = 20e-6 + (double)probe / slow;
            end = fmax(end, seconds) + launch.split_seconds;
            cx_speed_record_update(&records[0], probe, 1, seconds);
            probes++;
            ck_assert_double_le(end, 1.03 * whole);
        }
        cx_speed_record_update(&records[1], launch.groups - probe, 1, (double)(launch.groups - probe) / fast);
        total += whole;
        lost += fmax(end - whole, 0);
    }
    ck_assert_uint_ge(probes, 2);
    ck_assert_uint_le(probes, 16);
    ck_assert_double_le(lost, 0.01 * total);
}
END_TEST

/* A launch of 0.1 s in 256 units, a CPU of a tenth of the GPU's nominal speed, and a driver that compiles for
 * 50 ms: measured after 1.3 s, as compiling, and a unit at 160 times less than the GPU's speed, take little
 * longer than the launch. Of a hundredth of the nominal speed: after 35 s, as a unit may take four launches.
 */
START_TEST(probes_go_by_nominal_speeds)
{
    static const struct {
        double nominal;
        unsigned least, most;
    } cases[] = {{6000, 10, 20}, {600, 300, 400}, {0, 300, 400}};
    struct cx_speed_record records[2] = {{0}};
    struct cx_admission_device devices[] = {cpu(&records[0]), gpu(&records[1])};
    struct cx_admission launch = launch_of(4096, 2, devices);
    launch.granularity = 16;
    devices[0].nominal_speed = cases[_i].nominal;
    devices[0].first_seconds = 0.05;
    devices[1].fill = 1;
    cx_speed_record_update(&records[1], 4096, 1, 0.1);
    unsigned launches = 0;
    struct cx_admission_member members[2];
    do {
        (void)cx_admission_decide(&launch, members);
        launches++;
    } while (!members[0].takes_part && launches < 1000);
    ck_assert_msg(launches >= cases[_i].least && launches <= cases[_i].most, "%u launches", launches);
}
END_TEST

/* A CPU that turns out a tenth as fast as the GPU is found by its probe and works from then on. */
START_TEST(probe_finds_a_useful_device)
{
    struct cx_speed_record records[2] = {{0}};
    struct cx_admission_device devices[] = {cpu(&records[0]), gpu(&records[1])};
    struct cx_admission launch = launch_of(100000, 2, devices);
    struct cx_admission_member members[2];
    cx_speed_record_update(&records[1], 100000, 1, 0.1);
    for (unsigned probes = 0; probes < CX_PROBES;) {
        enum cx_admission_reason reason = cx_admission_decide(&launch, members).reason;
        ck_assert_int_ne(reason, CX_ADMISSION_SPLIT);
        if (reason != CX_ADMISSION_SPLIT_PROBE)
            continue;
        ck_assert_int_eq(members[0].part, CX_ADMISSION_PROBED);
        cx_speed_record_update(&records[0], members[0].first_package, 1,
                               (double)members[0].first_package / 1e5);
        probes++;
    }
    ck_assert_int_eq(cx_admission_decide(&launch, members).reason, CX_ADMISSION_SPLIT);
    ck_assert(members[0].takes_part && members[0].first_package == 0);
}
END_TEST

/* One of two like devices is 100 times slower for a while and left out. It works again before as many
 * launches have gone by as it was slow for, and 32. */
START_TEST(left_out_for_a_while)
{
    const unsigned slow_from = 20, fast_from = slow_from + (unsigned)(_i ? 400 : 20);
    struct cx_speed_record records[2] = {{0}};
    struct cx_admission_device devices[] = {cpu(&records[0]), cpu(&records[1])};
    const struct cx_admission launch = launch_of(10000, 2, devices);
    unsigned left = 0, back = 0;
    for (unsigned i = 0; i < 1000; i++) {
        struct cx_admission_member members[2];
        const bool slow = i >= slow_from && i < fast_from;
        const double speed = slow ? 1e6 / 100 : 1e6;
        cx_admission_decide(&launch, members);
        uint64_t part = !members[1].takes_part ? 0
                        : members[1].first_package > 0
                            ? members[1].first_package
                            : (uint64_t)(10000 * members[1].speed / (members[0].speed + members[1].speed));
        part = part < 10000 ? part : 5000;
        left += slow && part == 0;
        if (i >= fast_from && part > 1000 && back == 0)
            back = i;
        cx_speed_record_update(&records[0], 10000 - part, 1, (double)(10000 - part) / 1e6);
        cx_speed_record_update(&records[1], part, 1, (double)part / speed);
    }
    ck_assert_uint_gt(left, 10);
    ck_assert_uint_gt(back, 0);
    ck_assert_msg(back - fast_from <= fast_from - slow_from + 32, "back after %u", back - fast_from);
}
END_TEST

/* A driver that compiles for a tenth of a second in its first launch: 10 s of launches of 10 ms go by before,
 * and later probes of that kernel are cheap again. */
START_TEST(compiling_is_paid_for)
{
    struct cx_speed_record records[2] = {{0}};
    struct cx_admission_device devices[] = {cpu(&records[0]), gpu(&records[1])};
    struct cx_admission launch = launch_of(100000, 2, devices);
    struct cx_admission_member members[2];
    double since = 0;
    devices[0].first_seconds = 0.1;
    cx_speed_record_update(&records[1], 100000, 1, 0.01);
    for (unsigned probes = 0; probes < 2;) {
        since += 0.01;
        if (!cx_admission_decide(&launch, members).split)
            continue;
        ck_assert_double_ge(since, probes == 0 ? 9 : 0.01);
        ck_assert_double_le(since, probes == 0 ? 11 : 0.1);
        devices[0].first_seconds = since = 0;
        probes++;
    }
}
END_TEST

/* A launch that is cheap at its edges and dear in the middle: one cheap probe must not let a slow device in.
 */
START_TEST(slowest_probe_counts)
{
    struct cx_speed_record records[2] = {{0}};
    struct cx_admission_device devices[] = {cpu(&records[0]), gpu(&records[1])};
    struct cx_admission launch = launch_of(100000, 2, devices);
    struct cx_admission_member members[2];
    cx_speed_record_update(&records[1], 100000, 1, 0.1);
    cx_speed_record_update(&records[0], 10, 1, 1e-5);
    cx_speed_record_update(&records[0], 10, 1, 1);
    cx_speed_record_update(&records[0], 10, 1, 1e-5);
    launch.may_probe = false;
    ck_assert(!cx_admission_decide(&launch, members).split);
    ck_assert_int_eq(members[0].part, CX_ADMISSION_LEFT_SLOW);
}
END_TEST

/* Probes lie in the middle, then at the quarters, then at the eighths. */
START_TEST(probes_spread)
{
    const double at[] = {0.5, 0.25, 0.75, 0.125, 0.625};
    struct cx_speed_record record = {0};
    for (unsigned i = 0; i < 5; i++) {
        ck_assert_double_eq(cx_speed_record_probe_at(&record), at[i]);
        cx_speed_record_update(&record, 1, 1, 1);
    }
}
END_TEST

START_TEST(probes_can_be_forbidden)
{
    struct cx_speed_record records[2] = {{0}};
    struct cx_admission_device devices[] = {cpu(&records[0]), gpu(&records[1])};
    struct cx_admission launch = launch_of(100000, 2, devices);
    struct cx_admission_member members[2];
    launch.may_probe = false;
    cx_speed_record_update(&records[1], 100000, 1, 0.1);
    for (unsigned i = 0; i < 100; i++)
        ck_assert(!cx_admission_decide(&launch, members).split);
    ck_assert_int_eq(members[0].part, CX_ADMISSION_LEFT_UNKNOWN);
}
END_TEST

/* Few, long groups: one group on an unknown device might take far longer than the launch, so it has to be
 * earned. */
START_TEST(few_long_groups_are_probed_late)
{
    struct cx_speed_record records[2] = {{0}};
    struct cx_admission_device devices[] = {cpu(&records[0]), gpu(&records[1])};
    struct cx_admission launch = launch_of(100, 2, devices);
    struct cx_admission_member members[2];
    devices[1].fill = 1;
    cx_speed_record_update(&records[1], 100, 1, 0.01);
    unsigned launches = 1;
    while (!cx_admission_decide(&launch, members).split)
        launches++;
    /* One group at a thousandth of the speed: 100 ms, or 9 launches; at 1 % a launch that is 900 of them. */
    ck_assert_uint_ge(launches, 850);
    ck_assert_uint_le(launches, 1000);
    ck_assert_uint_eq(members[0].first_package, 1);
}
END_TEST

/* A measured device whose smallest package takes longer than the others need is left out. */
START_TEST(delaying_device_is_left_out)
{
    struct cx_speed_record records[3] = {{0}};
    cx_speed_record_update(&records[0], 1000, 1, 1);
    cx_speed_record_update(&records[1], 1000, 1, 1);
    cx_speed_record_update(&records[2], 300, 1, 1);
    struct cx_admission_device devices[] = {cpu(&records[0]), cpu(&records[1]), cpu(&records[2])};
    struct cx_admission launch = launch_of(1000, 3, devices);
    struct cx_admission_member members[3];
    ck_assert(cx_admission_decide(&launch, members).split && members[2].takes_part);
    devices[2].fill = 200; /* 0.67 s, the two others need 0.5 s */
    ck_assert(cx_admission_decide(&launch, members).split && !members[2].takes_part);
    ck_assert_int_eq(members[2].part, CX_ADMISSION_LEFT_SLOW);
    devices[2].fill = 1;
    devices[2].fixed_seconds = 0.6; /* its inputs arrive too late */
    ck_assert(cx_admission_decide(&launch, members).split && !members[2].takes_part);
}
END_TEST

/* Transfers that cost more than computing: the fastest device is not the best one. */
START_TEST(transfers_decide)
{
    struct cx_speed_record records[2] = {{0}};
    for (unsigned i = 0; i < CX_PROBES; i++) {
        cx_speed_record_update(&records[0], 10000, 1, 1);
        cx_speed_record_update(&records[1], 1000000, 1, 1);
    }
    struct cx_admission_device devices[] = {cpu(&records[0]), gpu(&records[1])};
    struct cx_admission launch = launch_of(10000, 2, devices);
    struct cx_admission_member members[2];
    ck_assert_uint_eq(cx_admission_best(&launch), 1);
    devices[1].transfer_seconds = 1e-3;
    devices[1].fill = 10;
    ck_assert_uint_eq(cx_admission_best(&launch), 0);
    /* 10,000 groups/s beside less than 1000 */
    struct cx_admission_decision decision = cx_admission_decide(&launch, members);
    ck_assert_double_eq_tol(decision.split_seconds, 0.91, 0.01);
}
END_TEST

/* Told moves would keep the launch whole. Where earlier launches' took a twentieth of what was told, it
 * splits; what is no move is not less for that. */
START_TEST(learned_moves_decide)
{
    struct cx_speed_record records[2] = {{0}};
    for (unsigned i = 0; i < 2; i++)
        cx_speed_record_update(&records[i], 10000, 1, 1);
    struct cx_admission_device devices[] = {cpu(&records[0]), cpu(&records[1])};
    struct cx_admission launch = launch_of(10000, 2, devices);
    struct cx_admission_member members[2];
    devices[1].fixed_seconds = 1;
    devices[1].transfer_seconds = 1e-3;
    ck_assert(!cx_admission_decide(&launch, members).split);
    devices[1].moves_part = 0.05;
    /* 10,000 groups/s beside 1 / (0.1 + 0.05) ms that begin 0.05 s later */
    struct cx_admission_decision decision = cx_admission_decide(&launch, members);
    ck_assert(decision.split);
    ck_assert_double_eq_tol(decision.split_seconds, 0.62, 1e-3);
    devices[1].after_seconds = 1;
    ck_assert(!cx_admission_decide(&launch, members).split);

    devices[0].fixed_seconds = 3; /* and they tell which device is the best */
    devices[1].after_seconds = 0;
    ck_assert_uint_eq(cx_admission_best(&launch), 1);
    devices[0].moves_part = 0.001;
    ck_assert_uint_eq(cx_admission_best(&launch), 0);
    devices[0].moves_part = NAN; /* not known */
    ck_assert_uint_eq(cx_admission_best(&launch), 1);
}
END_TEST

/* A device left out by a bad measurement is tried again, ever more rarely. */
START_TEST(left_out_is_retried_rarely)
{
    struct cx_speed_record records[2] = {{0}};
    struct cx_admission_device devices[] = {cpu(&records[0]), cpu(&records[1])};
    struct cx_admission launch = launch_of(100000, 2, devices);
    struct cx_admission_member members[2];
    cx_speed_record_update(&records[0], 1000, 1, 10);
    cx_speed_record_update(&records[1], 100000, 1, 0.1);
    unsigned at[8], n = 0;
    for (unsigned i = 0; i < 2000 && n < 8; i++) {
        bool split = cx_admission_decide(&launch, members).split;
        if (split)
            at[n++] = i;
    }
    ck_assert_uint_ge(n, 3);
    ck_assert_uint_ge(at[0], 60);
    ck_assert_uint_ge(at[2] - at[1], 3 * (at[1] - at[0]) / 2);
}
END_TEST

START_TEST(records_weigh_by_size)
{
    struct cx_speed_record record = {0};
    ck_assert_double_eq(cx_speed_record_speed(&record), 0);
    ck_assert_double_eq(cx_speed_record_speed(NULL), 0);
    cx_speed_record_update(&record, 1, 1, 0.01); /* a probe: 100 groups/s */
    ck_assert_double_eq_tol(cx_speed_record_speed(&record), 100, 1e-9);
    cx_speed_record_update(&record, 100000, 1, 100); /* really 1000 */
    ck_assert_double_eq_tol(cx_speed_record_speed(&record), 1000, 1);
    cx_speed_record_update(&record, 1, 1, 10);
    ck_assert_double_ge(cx_speed_record_speed(&record), 850);
    struct cx_speed_record before = record;
    cx_speed_record_update(&record, 5, 1, 0);
    cx_speed_record_update(&record, 5, 1, -1);
    cx_speed_record_update(&record, 5, 1, NAN);
    cx_speed_record_update(&record, 5, 1, INFINITY);
    cx_speed_record_update(&record, 0, 1, 1);
    ck_assert_uint_eq(record.samples, before.samples);
    ck_assert_double_eq(record.groups, before.groups);
}
END_TEST

/* A launch that may hold a compilation is no measurement, unless there are only such. */
START_TEST(first_launches_teach_little)
{
    struct cx_speed_record record = {0};
    cx_speed_record_first(&record, 100, 1, 10);
    cx_speed_record_first(&record, 100, 1, 10);
    ck_assert_double_eq(cx_speed_record_speed(&record), 0);
    cx_speed_record_first(&record, 100, 1, 10);
    ck_assert_double_eq_tol(cx_speed_record_speed(&record), 10, 1e-9);
    cx_speed_record_first(&record, 100, 1, 5);
    cx_speed_record_first(&record, 100, 1, 20);
    ck_assert_double_eq_tol(cx_speed_record_speed(&record), 20, 1e-9);
    cx_speed_record_update(&record, 100, 1, 0.1);
    ck_assert_double_eq_tol(cx_speed_record_speed(&record), 1000, 1e-6);
    ck_assert_uint_eq(record.samples, 1);
    cx_speed_record_first(&record, 100, 1, 10);
    ck_assert_double_eq_tol(cx_speed_record_speed(&record), 1000, 1e-6);
    cx_speed_record_first(&record, 100, 1, NAN);
    cx_speed_record_first(&record, 0, 1, 1);
    ck_assert_uint_eq(record.samples, 1);
}
END_TEST

/* Likewise for a package among those of a launch: what comes after it replaces it. */
START_TEST(first_packages_teach_little)
{
    const struct cx_balancer_device devices[] = {{.nominal_speed = 1},
                                                 {.nominal_speed = 1, .measured_speed = 50}};
    const struct cx_problem problem = {.groups = 1000, .ndevices = 2, .devices = devices};
    struct cx_balancer *balancer = cx_balancer_create(cx_policy_find("dynamic"), &problem, NULL);
    uint64_t groups, first, later;
    double seconds;
    ck_assert_ptr_nonnull(balancer);
    for (unsigned i = 0; i < 2; i++) {
        first = cx_balancer_next(balancer, i, 0);
        later = cx_balancer_next(balancer, i, 0);
        cx_balancer_first(balancer, i);
        cx_balancer_done(balancer, i, first, 100, 100);
        ck_assert_uint_eq(cx_balancer_doubtful(balancer, i), i == 0);
        cx_balancer_measured(balancer, i, &groups, &seconds);
        ck_assert_uint_eq(groups, i == 0 ? first : 0); /* the other one is known */
        cx_balancer_done(balancer, i, later, 1, 101);
        ck_assert(!cx_balancer_doubtful(balancer, i));
        cx_balancer_measured(balancer, i, &groups, &seconds);
        ck_assert_uint_eq(groups, later);
        ck_assert_double_eq(seconds, 1);
    }
    cx_balancer_destroy(balancer);
}
END_TEST

/* Whatever the numbers: the best device takes part, a whole launch has one device, texts exist. */
START_TEST(nonsense_is_survived)
{
    static const double odd[] = {0, -1, NAN, INFINITY, 1e-300, 1e300, 1, 50};
    struct cx_speed_record records[3] = {{0}};
    uint64_t random = 1;
    for (unsigned round = 0; round < 20000; round++) {
        struct cx_admission_device devices[3];
        unsigned pick[15];
        for (unsigned i = 0; i < 15; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            pick[i] = (unsigned)(random >> 60) % 8;
        }
        for (unsigned i = 0; i < 3; i++) {
            devices[i] = (struct cx_admission_device){.nominal_speed = odd[pick[i]],
                                                      .device_class = pick[3 + i] % 2,
                                                      .launch_seconds = odd[pick[6 + i]],
                                                      .fixed_seconds = odd[pick[12 + i]],
                                                      .after_seconds = odd[pick[3 + i]],
                                                      .transfer_seconds = odd[pick[9 + i]],
                                                      .moves_part = odd[pick[6 + i]],
                                                      .first_seconds = odd[pick[i]],
                                                      .min_package = pick[i],
                                                      .fill = pick[i],
                                                      .record = &records[i]};
            cx_speed_record_update(&records[i], pick[12 + i], 1, odd[pick[i]]);
        }
        struct cx_admission launch = launch_of(round % 7 ? round : UINT64_C(1) << 40, 1 + round % 3, devices);
        launch.granularity = round % 5;
        launch.split_seconds = odd[pick[12]];
        struct cx_admission_member members[3];
        struct cx_admission_decision decision = cx_admission_decide(&launch, members);
        unsigned taken = 0;
        for (unsigned i = 0; i < launch.ndevices; i++) {
            taken += members[i].takes_part;
            ck_assert_uint_gt(strlen(cx_admission_part_text(members[i].part)), 1);
        }
        ck_assert(decision.best < launch.ndevices && members[decision.best].takes_part);
        ck_assert(decision.split ? taken > 1 : taken == 1);
        ck_assert_uint_gt(strlen(cx_admission_reason_text(decision.reason)), 1);
    }
}
END_TEST

/* Launches of a kernel whose splits take `elapsed` and whole launches `whole`: how many are split. */
static unsigned split_of(struct cx_feedback *feedback, struct cx_feedback_record *record, unsigned launches,
                         double elapsed, double whole)
{
    unsigned split = 0;
    for (unsigned i = 0; i < launches; i++)
        if (!cx_feedback_keeps_whole(feedback, record)) {
            (void)cx_feedback_count(feedback, record, elapsed, whole);
            split++;
        }
    return split;
}

START_TEST(losing_splits_end)
{
    struct cx_feedback feedback = {0};
    struct cx_feedback_record record = {0};
    unsigned split = split_of(&feedback, &record, 1000000, 2e-3, 1e-3);
    ck_assert_uint_ge(split, 8);
    ck_assert_uint_le(split, 300); /* tried again, ever less often */
    ck_assert_uint_eq(split_of(&feedback, &record, 1000, 2e-3, 1e-3), 0);
}
END_TEST

START_TEST(gaining_splits_go_on)
{
    struct cx_feedback feedback = {0};
    struct cx_feedback_record record = {0};
    for (unsigned i = 0; i < 1000; i++) { /* a hiccup now and then */
        ck_assert(!cx_feedback_keeps_whole(&feedback, &record));
        ck_assert(!cx_feedback_count(&feedback, &record, i % 5 ? 0.6e-3 : 50e-3, 1e-3));
    }
}
END_TEST

/* One kernel gains much, another loses a little of that: nothing changes. It loses more: it stays whole, and
 * the first goes on, unless it begins to lose as well. */
START_TEST(kernels_are_told_apart)
{
    struct cx_feedback feedback = {0};
    struct cx_feedback_record good = {0}, bad = {0};
    for (unsigned i = 0; i < 100; i++) {
        ck_assert_uint_eq(split_of(&feedback, &good, 1, 1e-3, 4e-3), 1);
        ck_assert_uint_eq(split_of(&feedback, &bad, 1, 3e-3, 1e-3), 1);
    }
    ck_assert_uint_le(split_of(&feedback, &bad, 50, 3e-3, 1e-3), 25);
    ck_assert_uint_eq(feedback.level, CX_FEEDBACK_SOME);
    ck_assert_uint_eq(split_of(&feedback, &bad, 20, 3e-3, 1e-3), 0);
    ck_assert_uint_eq(split_of(&feedback, &good, 20, 1e-3, 4e-3), 20);
    ck_assert_uint_lt(split_of(&feedback, &good, 40, 9e-3, 4e-3), 40);
    ck_assert_uint_eq(split_of(&feedback, &good, 20, 9e-3, 4e-3), 0);
}
END_TEST

START_TEST(feedback_survives_nonsense)
{
    static const double odd[] = {0, -1, NAN, INFINITY, 1e-300, 1e300};
    struct cx_feedback feedback = {0};
    struct cx_feedback_record record = {0};
    for (unsigned i = 0; i < 36; i++)
        ck_assert(!cx_feedback_count(&feedback, &record, odd[i % 6], odd[i / 6]));
    ck_assert(!isnan(feedback.lost));
}
END_TEST

Suite *cx_test_admission(void)
{
    Suite *suite = suite_create("admission");
    TCase *tcase = tcase_create("decisions");
    tcase_add_test(tcase, equal_and_unmeasured_start_together);
    tcase_add_test(tcase, one_device_stays_whole);
    tcase_add_test(tcase, short_launches_stay_whole);
    tcase_add_loop_test(tcase, fast_gpu_beside_slow_cpu, 0, 3);
    tcase_add_loop_test(tcase, probes_go_by_nominal_speeds, 0, 3);
    tcase_add_test(tcase, probe_finds_a_useful_device);
    tcase_add_test(tcase, slowest_probe_counts);
    tcase_add_test(tcase, compiling_is_paid_for);
    tcase_add_loop_test(tcase, left_out_for_a_while, 0, 2);
    tcase_add_test(tcase, probes_spread);
    tcase_add_test(tcase, probes_can_be_forbidden);
    tcase_add_test(tcase, few_long_groups_are_probed_late);
    tcase_add_test(tcase, delaying_device_is_left_out);
    tcase_add_test(tcase, transfers_decide);
    tcase_add_test(tcase, learned_moves_decide);
    tcase_add_test(tcase, left_out_is_retried_rarely);
    tcase_add_test(tcase, records_weigh_by_size);
    tcase_add_test(tcase, first_launches_teach_little);
    tcase_add_test(tcase, first_packages_teach_little);
    tcase_add_test(tcase, nonsense_is_survived);
    tcase_add_test(tcase, losing_splits_end);
    tcase_add_test(tcase, gaining_splits_go_on);
    tcase_add_test(tcase, kernels_are_told_apart);
    tcase_add_test(tcase, feedback_survives_nonsense);
    suite_add_tcase(suite, tcase);
    return suite;
}
