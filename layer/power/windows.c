/* SPDX-License-Identifier: MIT */
/*
 * Windows of energy and of computing. See windows.h.
 */
#include "layer/power/windows.h"

#include <math.h>
#include <string.h>

/* Of what a device consumes when it computes. */
static const double most_error = 0.2;
/* Of what is known otherwise: a device is warmer, or another one of its kind, the next time. */
static const double guess_error = 0.05;
/* By how much kernels are expected to differ from what a device consumes for all of them. */
static const double kernels_differ = 0.3;

void cx_power_windows_init(struct cx_power_windows *windows, const struct cx_power_sources *sources)
{
    memset(windows, 0, sizeof *windows);
    windows->sources = sources->n;
    for (unsigned i = 0; i < sources->n; i++)
        windows->package[i] = sources->source[i].part == CX_POWER_PACKAGE;
    cx_power_quiet_init(&windows->quiet, sources);
}

void cx_power_windows_device(struct cx_power_windows *windows, unsigned device, bool is_cpu, unsigned source)
{
    if (device >= CX_POWER_DEVICES || windows->there[device])
        return;
    windows->there[device] = true;
    windows->opened[device] = INFINITY;
    windows->group[device] = is_cpu                      ? CX_POWER_GROUP_CPU
                             : source < windows->sources ? source
                                                         : CX_POWER_GROUP_CPU + 1u;
}

static unsigned kept(const struct cx_power_windows *windows)
{
    return windows->n < CX_POWER_FIT_WINDOWS ? windows->n : CX_POWER_FIT_WINDOWS;
}

/* The newest one is open until it is closed, and computing counts in it already. */
void cx_power_windows_open(struct cx_power_windows *windows, double from)
{
    windows->span[windows->n++ % CX_POWER_FIT_WINDOWS] = (struct cx_power_span){.from = from, .to = INFINITY};
}

void cx_power_windows_close(struct cx_power_windows *windows, const struct cx_power_meter *meter, double to,
                            const struct cx_power_mark *begin, const struct cx_power_mark *end)
{
    struct cx_power_span *span = &windows->span[(windows->n - 1) % CX_POWER_FIT_WINDOWS];
    span->to = to;
    for (unsigned i = 0; i < windows->sources; i++) {
        const struct cx_power_figure figure = cx_power_meter_between(meter, begin, end, i);
        span->joules[i] = figure.lack == CX_POWER_KNOWN ? figure.watts * (to - span->from) : -1;
        span->error[i] = figure.error;
    }
}

bool cx_power_windows_opened(struct cx_power_windows *windows, unsigned device, double at)
{
    if (device >= CX_POWER_DEVICES || !windows->there[device] || isfinite(windows->opened[device]))
        return false;
    windows->opened[device] = at;
    if (windows->group[device] < windows->sources)
        cx_power_quiet_busy(&windows->quiet, windows->group[device], 0, at);
    return true;
}

void cx_power_windows_sample(struct cx_power_windows *windows, const struct cx_power_meter *meter, double at)
{
    cx_power_quiet_sample(&windows->quiet, meter, at);
}

void cx_power_windows_guess(struct cx_power_windows *windows, unsigned group, double watts, double error)
{
    if (group <= CX_POWER_GROUP_CPU && watts > 0)
        windows->guess[group] = (struct cx_power_fitted){watts, fmax(error, guess_error * watts)};
}

unsigned cx_power_kernel_number(const void *const *kernels, const void *kernel)
{
    unsigned k = 0;
    while (k + 1 < CX_POWER_KERNELS && kernels[k] != kernel)
        k++;
    return k;
}

static unsigned number_kernel(struct cx_power_windows *windows, const void *kernel)
{
    unsigned k = 0;
    while (k + 1 < CX_POWER_KERNELS && windows->kernel[k] && windows->kernel[k] != kernel)
        k++;
    if (k + 1 < CX_POWER_KERNELS)
        windows->kernel[k] = kernel;
    return k;
}

void cx_power_windows_busy(struct cx_power_windows *windows, unsigned device, const void *kernel, double from,
                           double to)
{
    if (device >= CX_POWER_DEVICES)
        return;
    if (windows->there[device] && windows->group[device] < windows->sources)
        cx_power_quiet_busy(&windows->quiet, windows->group[device], from, to);
    from = fmax(from, windows->until[device]);
    windows->until[device] = fmax(to, windows->until[device]);
    const unsigned k = number_kernel(windows, kernel);
    for (unsigned back = 1; back <= kept(windows); back++) {
        struct cx_power_span *span = &windows->span[(windows->n - back) % CX_POWER_FIT_WINDOWS];
        const double seconds = fmax(fmin(to, span->to) - fmax(from, span->from), 0);
        if (span->to <= from)
            break; /* as all before it */
        span->busy[device] += seconds;
        span->of_kernel[device][k] += (float)seconds;
    }
}

/* Whether a source is one of the group's. */
static bool is_of(const struct cx_power_windows *windows, unsigned source, unsigned group)
{
    return group == CX_POWER_GROUP_CPU ? windows->package[source] : source == group;
}

/* The window as the group sees it. False: a source of it has no figure there, or it has none. */
static bool group_window(const struct cx_power_windows *windows, const struct cx_power_span *span,
                         unsigned group, const unsigned *device, unsigned ndevices,
                         struct cx_power_window *window)
{
    bool any = false;
    *window = (struct cx_power_window){.seconds = span->to - span->from};
    for (unsigned i = 0; i < windows->sources; i++) {
        if (!is_of(windows, i, group))
            continue;
        if (span->joules[i] < 0)
            return false;
        any = true;
        window->joules += span->joules[i];
        window->error += span->error[i];
    }
    for (unsigned d = 0; d < ndevices; d++)
        window->busy[d] = span->busy[device[d]];
    return any;
}

static double last_end(const struct cx_power_windows *windows)
{
    double last = 0;
    for (unsigned d = 0; d < CX_POWER_DEVICES; d++)
        last = fmax(last, windows->until[d]);
    return last;
}

/* What the group consumed in a second in which no device of it computed. Not of packages, which are busy with
 * the program itself. */
static void add_quiet(struct cx_power_windows *windows, unsigned group, bool all)
{
    struct cx_power_fitted watts;
    if (group < windows->sources && !windows->package[group] &&
        cx_power_quiet_watts(&windows->quiet, group, all, &watts))
        cx_power_fit_add(&windows->fit,
                         &(struct cx_power_window){1, watts.watts, sqrt(3) * watts.error, {0}});
}

static void begin_fit(struct cx_power_windows *windows, unsigned group, bool all)
{
    memset(&windows->fit, 0, sizeof windows->fit);
    windows->fit.fixed = windows->guess[group];
    add_quiet(windows, group, all);
}

/* Whether window number w counts for the group, and what it is then. */
static bool takes_window(const struct cx_power_windows *windows, unsigned w, unsigned group, bool all,
                         const unsigned *device, unsigned ndevices, struct cx_power_window *window)
{
    const struct cx_power_span *span = &windows->span[w];
    for (unsigned d = 0; d < ndevices; d++)
        if (isfinite(windows->opened[device[d]]) && span->from < windows->opened[device[d]])
            return false;
    return span->to <= (all ? INFINITY : last_end(windows)) && isfinite(span->to) &&
           group_window(windows, span, group, device, ndevices, window);
}

static void add_windows(struct cx_power_windows *windows, unsigned group, bool all, const unsigned *device,
                        struct cx_power_model *model)
{
    struct cx_power_fit *fit = &windows->fit;
    double seconds = 0, busy[CX_POWER_FIT_DEVICES] = {0};
    for (unsigned w = 0; w < kept(windows); w++) {
        struct cx_power_window window;
        if (!takes_window(windows, w, group, all, device, fit->devices, &window))
            continue;
        cx_power_fit_add(fit, &window);
        seconds += window.seconds;
        for (unsigned d = 0; d < fit->devices; d++)
            busy[d] += window.busy[d];
    }
    for (unsigned d = 0; d < fit->devices; d++)
        model->computed[device[d]] = seconds > 0 ? fmin(busy[d] / seconds, 1) : NAN;
}

/* The column of each kernel of the device: the last one is all kernels' that there is none left for. Gives
 * how many there are. */
static unsigned number_columns(const struct cx_power_windows *windows, unsigned device, unsigned *column)
{
    double sum[CX_POWER_KERNELS] = {0};
    unsigned n = 0;
    for (unsigned w = 0; w < kept(windows); w++)
        for (unsigned k = 0; k < CX_POWER_KERNELS; k++)
            sum[k] += (double)windows->span[w].of_kernel[device][k];
    for (unsigned k = 0; k < CX_POWER_KERNELS; k++) {
        unsigned longer = 0;
        for (unsigned other = 0; other < CX_POWER_KERNELS; other++)
            longer += sum[other] > sum[k] || (sum[other] == sum[k] && other < k);
        column[k] = longer < CX_POWER_FIT_DEVICES ? longer : CX_POWER_FIT_DEVICES - 1;
        n += sum[k] > 0;
    }
    return n < CX_POWER_FIT_DEVICES ? n : CX_POWER_FIT_DEVICES;
}

/* The device's powers from those of its kernels, which no mixture of kernels bends. */
static void take_kernels(const struct cx_power_windows *windows, unsigned group, unsigned device,
                         const unsigned *column, const struct cx_powers *powers, struct cx_power_model *model)
{
    double joules = 0, seconds = 0, busy[CX_POWER_KERNELS] = {0};
    struct cx_power_fitted *of_all = &model->dynamic[device];
    for (unsigned w = 0; w < kept(windows); w++)
        for (unsigned k = 0; k < CX_POWER_KERNELS; k++)
            busy[k] += (double)windows->span[w].of_kernel[device][k];
    for (unsigned k = 0; k < CX_POWER_KERNELS; k++) {
        const struct cx_power_fitted *of = &powers->dynamic[column[k]];
        if (isfinite(of->error))
            model->of_kernel[device][k] = *of;
        joules += busy[k] * model->of_kernel[device][k].watts;
        seconds += busy[k];
    }
    model->fixed[group] = powers->fixed;
    of_all->watts = joules / seconds;
    for (unsigned k = 0; k < CX_POWER_KERNELS; k++)
        model->of_kernel[device][k] = busy[k] > 0 ? model->of_kernel[device][k] : *of_all;
}

/* The same windows, of one device, with a column a kernel in place of it. What is known of all kernels is a
 * guess for each, no better for all of them together than it was. */
static void solve_kernels(struct cx_power_windows *windows, unsigned group, unsigned device, bool all,
                          struct cx_power_model *model)
{
    unsigned column[CX_POWER_KERNELS];
    struct cx_powers powers;
    struct cx_power_fit *fit = &windows->fit;
    const struct cx_power_fitted of_all = model->dynamic[device];
    const unsigned n = number_columns(windows, device, column);
    if (n < 2 || !isfinite(of_all.error))
        return;
    begin_fit(windows, group, all);
    fit->devices = n;
    for (unsigned i = 0; i < n; i++)
        fit->dynamic[i] =
            (struct cx_power_fitted){of_all.watts, sqrt(n) * (kernels_differ * of_all.watts + of_all.error)};
    for (unsigned w = 0; w < kept(windows); w++) {
        struct cx_power_window window;
        if (!takes_window(windows, w, group, all, &device, 1, &window))
            continue;
        window.busy[0] = 0;
        for (unsigned k = 0; k < CX_POWER_KERNELS; k++)
            window.busy[column[k]] += (double)windows->span[w].of_kernel[device][k];
        cx_power_fit_add(fit, &window);
    }
    cx_power_fit_solve(fit, &powers);
    if (isfinite(powers.fixed.error))
        take_kernels(windows, group, device, column, &powers, model);
}

static void solve_group(struct cx_power_windows *windows, unsigned group, bool all,
                        struct cx_power_model *model)
{
    struct cx_powers powers;
    unsigned device[CX_POWER_FIT_DEVICES];
    struct cx_power_fit *fit = &windows->fit;
    begin_fit(windows, group, all);
    for (unsigned d = 0; d < CX_POWER_DEVICES; d++) {
        if (!windows->there[d] || windows->group[d] != group)
            continue;
        if (fit->devices == CX_POWER_FIT_DEVICES)
            return; /* too many to be told apart */
        device[fit->devices++] = d;
    }
    add_windows(windows, group, all, device, model);
    cx_power_fit_solve(fit, &powers);
    model->fixed[group] = (struct cx_power_fitted){powers.fixed.watts, powers.fixed.error};
    for (unsigned d = 0; d < fit->devices; d++)
        model->dynamic[device[d]] =
            (struct cx_power_fitted){powers.dynamic[d].watts, powers.dynamic[d].error};
    const unsigned ndevices = fit->devices;
    for (unsigned d = 0; d < ndevices; d++)
        for (unsigned k = 0; k < CX_POWER_KERNELS; k++)
            model->of_kernel[device[d]][k] = model->dynamic[device[d]];
    if (group < windows->sources && !windows->package[group] && ndevices == 1)
        solve_kernels(windows, group, device[0], all, model);
}

void cx_power_windows_solve(struct cx_power_windows *windows, bool all, struct cx_power_model *model)
{
    for (unsigned d = 0; d < CX_POWER_DEVICES; d++) {
        model->dynamic[d] = (struct cx_power_fitted){0, INFINITY};
        model->computed[d] = NAN;
        for (unsigned k = 0; k < CX_POWER_KERNELS; k++)
            model->of_kernel[d][k] = model->dynamic[d];
    }
    for (unsigned group = 0; group <= CX_POWER_GROUP_CPU; group++)
        model->fixed[group] = (struct cx_power_fitted){0, INFINITY};
    for (unsigned group = 0; group <= CX_POWER_GROUP_CPU; group++)
        if (group < windows->sources || group == CX_POWER_GROUP_CPU)
            solve_group(windows, group, all, model);
}

bool cx_power_model_tells(const struct cx_power_model *model, unsigned group, unsigned device)
{
    const struct cx_power_fitted *fixed = &model->fixed[group], *dynamic = &model->dynamic[device];
    const double most = most_error * (fixed->watts + dynamic->watts);
    return fixed->error <= most && dynamic->error <= most;
}

bool cx_power_model_tells_idle(const struct cx_power_model *model, unsigned group)
{
    return model->fixed[group].error <= most_error * model->fixed[group].watts;
}
