/* SPDX-License-Identifier: MIT */
/*
 * What each step of a played program costs in truth and by the estimates. See play.h.
 */
#include "scheduler/play.h"
#include "scheduler/admission.h"
#include "scheduler/migration.h"

#include <math.h>
#include <string.h>

const struct cx_play_costs cx_play_defaults = {.speed = 1,
                                               .open = 0.25,
                                               .suffer = 0.05,
                                               .first = 1e-3,
                                               .launch = 10e-6,
                                               .link = 1e10,
                                               .off = 1,
                                               .bound = 2};

/* Times that a measured speed may be too high. */
static const double measured_bound = 1.1;
/* How much the newest split says about what its results cost others. */
static const double newest = 0.5;
/* Copies of a buffer whose writes are not known: from before, and the other device's merged. */
static const double merge_copies = 2;
/* Groups that a launch is taken to have; more than any rule of admission asks for. */
enum { GROUPS = 100000 };

void cx_play_init(struct cx_play *play, const struct cx_play_costs *costs)
{
    memset(play, 0, sizeof(*play));
    play->costs = costs ? *costs : cx_play_defaults;
    play->budget.share = CX_BUDGET_SHARE;
    play->result.opened = -1;
    for (unsigned i = 0; i < CX_PLAY_BUFFERS; i++)
        play->buffer[i].valid = play->buffer[i].imagined = CX_VALID_WHOLE;
}

static double true_speed(const struct cx_play *play, const struct cx_play_kernel *kernel)
{
    return kernel->speed > 0 ? kernel->speed : play->costs.speed;
}

static uint8_t *validity(struct cx_play_buffer *buffer, bool imagined)
{
    return imagined ? &buffer->imagined : &buffer->valid;
}

/* Bytes that a split launch would move, where the second device does that share of it. */
static double bytes_moved(struct cx_play *play, const struct cx_play_step *step, double share, bool imagined)
{
    double bytes = 0;
    for (unsigned i = 0; i < CX_PLAY_BUFFERS; i++) {
        const uint32_t bit = UINT32_C(1) << i;
        const uint8_t valid = *validity(&play->buffer[i], imagined);
        if ((step->reads_all & bit) && !(valid & CX_VALID_ALL))
            bytes += play->buffer[i].bytes * (valid & CX_VALID_PARTS ? fmax(share, 1 - share) : 1);
        else if ((step->reads & bit) && !(valid & (CX_VALID_ALL | CX_VALID_PARTS)))
            bytes += play->buffer[i].bytes * share;
        if ((step->writes & bit) && play->kernel[step->which].merges)
            bytes += merge_copies * play->buffer[i].bytes;
    }
    return bytes;
}

/* The launch was split: what it read and wrote is where its parts are. */
static void place_parts(struct cx_play *play, const struct cx_play_step *step, bool imagined)
{
    for (unsigned i = 0; i < CX_PLAY_BUFFERS; i++) {
        const uint32_t bit = UINT32_C(1) << i;
        uint8_t *valid = validity(&play->buffer[i], imagined);
        if (step->reads_all & bit)
            *valid = CX_VALID_ALL | CX_VALID_WHOLE;
        else if ((step->reads & bit) && !(*valid & CX_VALID_ALL))
            *valid |= CX_VALID_PARTS;
        if (step->writes & bit) {
            *valid = play->kernel[step->which].merges ? CX_VALID_WHOLE : CX_VALID_PARTS;
            if (!imagined)
                play->buffer[i].writer = step->which;
        }
    }
}

/* Seconds that a whole launch needs until what it reads is on the first device again, and those of each
 * buffer's part that would have to come back, were the launch that writes it split. */
static double back_seconds(const struct cx_play *play, const struct cx_play_buffer *buffer, unsigned writer)
{
    const double speed = true_speed(play, &play->kernel[writer]);
    return buffer->bytes * speed / (1 + speed) / play->costs.link;
}

static bool comes_back(const struct cx_play *play, const struct cx_play_step *step, unsigned buffer)
{
    return ((step->reads | step->reads_all) >> buffer & 1) && !(play->buffer[buffer].valid & CX_VALID_WHOLE);
}

static double to_bring_back(const struct cx_play *play, const struct cx_play_step *step)
{
    double sum = 0;
    for (unsigned i = 0; i < CX_PLAY_BUFFERS; i++)
        if (comes_back(play, step, i))
            sum += back_seconds(play, &play->buffer[i], play->buffer[i].writer);
    return sum;
}

struct truth {
    double whole, split;
    double back;    /* of the bound: what may have to come back */
    double avoided; /* of the stake's whole launch: what would have to come back for it */
};

/* The account holds what the results of a kernel's newest split may still cost. */
static void hold(struct cx_play *play, struct cx_play_kernel *kernel, double seconds)
{
    play->budget.reserved = fmax(play->budget.reserved + seconds - kernel->held, 0);
    kernel->held = seconds;
}

/* The launch is whole: what comes back is paid for by whoever left it in parts. */
static double bring_back(struct cx_play *play, const struct cx_play_step *step)
{
    const double sum = to_bring_back(play, step) * play->costs.off;
    for (unsigned i = 0; i < CX_PLAY_BUFFERS; i++) {
        struct cx_play_buffer *buffer = &play->buffer[i];
        if (comes_back(play, step, i)) {
            struct cx_play_kernel *kernel = &play->kernel[buffer->writer];
            const double seconds = back_seconds(play, buffer, buffer->writer) * play->costs.off;
            kernel->back += newest * (seconds - kernel->back);
            play->result.beyond += fmax(seconds - kernel->foreseen, 0);
            kernel->foreseen = fmax(kernel->foreseen - seconds, 0);
            hold(play, kernel, 0);
            buffer->valid |= CX_VALID_WHOLE;
        }
        if (step->writes >> i & 1)
            buffer->valid = CX_VALID_WHOLE;
    }
    return sum;
}

/* What the results of a split may cost the next launches, where nothing is known of that yet. */
static double may_come_back(const struct cx_play *play, const struct cx_play_step *step)
{
    double sum = 0;
    for (unsigned i = 0; i < CX_PLAY_BUFFERS && play->kernel[step->which].record.splits == 0; i++)
        if (step->writes >> i & 1)
            sum += back_seconds(play, &play->buffer[i], step->which);
    return sum;
}

/* Admission's idea of such a launch: how long it takes when split, or whole where that would not pay. */
static double admitted(const struct cx_play *play, double whole, double speed, double moves)
{
    struct cx_speed_record records[2] = {{0}};
    cx_speed_record_update(&records[0], GROUPS, 1, whole);
    cx_speed_record_update(&records[1], GROUPS, 1, whole / speed);
    const struct cx_admission_device devices[2] = {
        {.launch_seconds = play->costs.launch, .fill = 1, .record = &records[0]},
        {.launch_seconds = play->costs.launch, .fixed_seconds = moves, .fill = 1, .record = &records[1]}};
    const struct cx_admission launch = {
        .groups = GROUPS, .split_seconds = play->costs.launch, .ndevices = 2, .devices = devices};
    struct cx_admission_member members[2];
    const struct cx_admission_decision decision = cx_admission_imagine(&launch, 0, members);
    return decision.split ? decision.split_seconds : whole;
}

/* A split of the launch at that speed of the second device: computing, packages and what it needs beside. */
static double split_time(const struct cx_play *play, double whole, double speed, double extra)
{
    return whole / (1 + speed) + 2 * play->costs.launch + extra;
}

/* What is true of a split of the launch now, and what is known of it. */
static struct truth weigh(struct cx_play *play, const struct cx_play_step *step, struct cx_stake *stake)
{
    const struct cx_play_costs *costs = &play->costs;
    const struct cx_play_kernel *kernel = &play->kernel[step->which];
    const double speed = true_speed(play, kernel), known = kernel->used ? speed : costs->speed;
    const double share = known / (1 + known), whole = step->amount;
    const double right = 1.0 / (1 + kernel->record.splits); /* estimates come nearer to the truth */
    const double first = kernel->used ? 0 : costs->first;
    const double moves = bytes_moved(play, step, share, false) / costs->link + first;
    const double recur = bytes_moved(play, step, share, true) / costs->link;
    const double off = pow(costs->off, 1 - right), bound = 1 + (costs->bound - 1) * right;
    const double extra = moves * off + kernel->back;
    const double slowest = known / (kernel->used ? measured_bound : costs->bound);
    const double back = may_come_back(play, step), worst = bound * (extra + back);
    const double later = admitted(play, whole, known, recur * off + kernel->back);
    /* Where later launches gain, this one follows data that are elsewhere; but not again where it lost. */
    const bool follows = later < (1 - CX_BUDGET_GAIN) * whole && kernel->record.lost <= 0;
    const double avoided = follows ? to_bring_back(play, step) : 0;
    *stake = (struct cx_stake){.whole = kernel->measured ? whole + avoided : 0,
                               .split = split_time(play, whole, known, extra),
                               .worst = split_time(play, whole, slowest, worst),
                               .later = later,
                               .moved = kernel->measured ? avoided : 0};
    return (struct truth){.whole = whole,
                          .split = split_time(play, whole, speed, moves * costs->off),
                          .back = bound * (kernel->back + back),
                          .avoided = avoided};
}

/* Begins to open the second device once as much again as has run would pay for it; gives what launches of
 * these seconds suffer meanwhile. */
static double opening(struct cx_play *play, double seconds)
{
    struct cx_play_result *result = &play->result;
    const double part = result->busy > 0 ? play->promised / result->busy : 0;
    if (result->opened < 0) {
        if (cx_budget_pays(result->busy, part, play->costs.open))
            result->opened = result->seconds;
        return 0;
    }
    const double left = result->opened + play->costs.open - result->seconds;
    return left > 0 ? fmin(left, seconds) * play->costs.suffer : 0;
}

static bool is_open(const struct cx_play *play)
{
    return play->result.opened >= 0 && play->result.seconds >= play->result.opened + play->costs.open;
}

static void run_whole(struct cx_play *play, const struct cx_play_step *step)
{
    struct cx_play_result *result = &play->result;
    struct cx_play_kernel *kernel = &play->kernel[step->which];
    const double lost = opening(play, step->amount) + bring_back(play, step);
    kernel->measured = true;
    cx_budget_ran(&play->budget, &kernel->record, step->amount);
    cx_budget_charge(&play->budget, lost);
    result->busy += step->amount;
    result->lost += lost;
    result->seconds += step->amount + lost;
}

static void run_split(struct cx_play *play, const struct cx_play_step *step, const struct cx_stake *stake,
                      const struct truth *truth, double reserved)
{
    struct cx_play_result *result = &play->result;
    struct cx_play_kernel *kernel = &play->kernel[step->which];
    const double speed = true_speed(play, kernel), busy = truth->whole / (1 + speed);
    result->splits++;
    result->beyond += fmax(truth->split - fmax(stake->worst, truth->whole), 0);
    result->lost += fmax(truth->split - truth->whole, 0);
    result->gained += fmax(truth->whole - truth->split, 0);
    result->busy += busy;
    result->seconds += truth->split;
    play->budget.reserved += truth->avoided; /* it may lose as much: that was foreseen before */
    cx_budget_settle(&play->budget, &kernel->record, reserved + truth->avoided, truth->whole, truth->split);
    kernel->foreseen = fmin(truth->back, fmax(stake->worst - truth->split, 0));
    hold(play, kernel, fmin(reserved, kernel->foreseen));
    cx_budget_ran(&play->budget, &kernel->record, busy);
    kernel->used = true;
    place_parts(play, step, false);
}

static void launch(struct cx_play *play, const struct cx_play_step *step)
{
    struct cx_play_result *result = &play->result;
    struct cx_play_kernel *kernel = &play->kernel[step->which];
    struct cx_stake stake;
    double reserved = 0;
    const struct truth truth = weigh(play, step, &stake);
    place_parts(play, step, true);
    play->promised += fmax(truth.whole - stake.later, 0);
    result->launches++;
    result->alone += truth.whole;
    if (is_open(play) && cx_stake_splits(cx_budget_decide(&play->budget, &kernel->record, &stake, &reserved)))
        run_split(play, step, &stake, &truth, reserved);
    else
        run_whole(play, step);
    result->trials = play->budget.trials;
}

void cx_play_step(struct cx_play *play, const struct cx_play_step *step)
{
    struct cx_play_buffer *buffer = &play->buffer[step->which % CX_PLAY_BUFFERS];
    double seconds = step->amount;
    if (step->kind == CX_PLAY_LAUNCH) {
        launch(play, step);
        return;
    }
    if (step->kind == CX_PLAY_UPLOAD)
        buffer->valid = buffer->imagined = CX_VALID_WHOLE;
    if (step->kind != CX_PLAY_HOST)
        seconds = step->amount / play->costs.link;
    play->result.alone += seconds;
    play->result.seconds += seconds;
}
