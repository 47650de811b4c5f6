/* SPDX-License-Identifier: MIT */
/*
 * Which device has which power source, and what the summary tells of energy. See power.h.
 */
#include "layer/api/power.h"
#include "layer/base/options.h"
#include "layer/plan/plan_objective.h"
#include "layer/power/sampler.h"
#include "layer/report/kernel_table.h"
#include "layer/report/trace.h"

#include <CL/cl_ext.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* cl_nv_device_attribute_query and cl_khr_pci_bus_info */
enum { PCI_BUS_NV = 0x4008, PCI_SLOT_NV = 0x4009, PCI_DOMAIN_NV = 0x400A, PCI_BUS_INFO = 0x410F };

/* ---- devices ---- */

static bool ask(const struct cx_real_device *device, cl_device_info query, void *value, size_t size)
{
    return device->cl->clGetDeviceInfo(device->id, query, size, value, NULL) == CL_SUCCESS;
}

/* "" where the driver does not tell. */
static void find_place(const struct cx_real_device *device, char *pci, size_t size)
{
    struct {
        cl_uint domain, bus, device, function;
    } place = {0};
    bool is_told = false;
    *pci = '\0';
    if (cx_device_has_extension(device->extensions, "cl_khr_pci_bus_info"))
        is_told = ask(device, PCI_BUS_INFO, &place, sizeof place);
    if (!is_told && cx_device_has_extension(device->extensions, "cl_nv_device_attribute_query")) {
        cl_uint slot = 0;
        is_told = ask(device, PCI_BUS_NV, &place.bus, sizeof place.bus) &&
                  ask(device, PCI_SLOT_NV, &slot, sizeof slot);
        place.device = slot >> 3;
        place.function = slot & 7;
        if (!ask(device, PCI_DOMAIN_NV, &place.domain, sizeof place.domain))
            place.domain = 0;
    }
    if (is_told)
        snprintf(pci, size, "%04x:%02x:%02x.%x", place.domain & 0xffff, place.bus & 0xff, place.device & 0xff,
                 place.function & 0xf);
}

bool cx_power_identify(const struct cx_real_device *device, char pci[CX_POWER_PCI], unsigned char uuid[16])
{
    find_place(device, pci, CX_POWER_PCI);
    return cx_device_has_extension(device->extensions, "cl_khr_device_uuid") &&
           ask(device, CL_DEVICE_UUID_KHR, uuid, CL_UUID_SIZE_KHR);
}

static void tell_device(const struct cx_real_device *device)
{
    char pci[CX_POWER_PCI];
    uint8_t uuid[CL_UUID_SIZE_KHR];
    const bool has_uuid = cx_power_identify(device, pci, uuid);
    cx_power_sampler_device(device->index, device->type == CL_DEVICE_TYPE_CPU, pci, has_uuid ? uuid : NULL,
                            &device->opened);
}

/* ---- the summary ---- */

static void print_powers(FILE *out, const struct cx_power_result *result, unsigned device)
{
    const struct cx_power_fitted *fixed = &result->model.fixed[result->group[device]],
                                 *dynamic = &result->model.dynamic[device];
    const double computed = result->model.computed[device];
    const unsigned group = result->group[device];
    const bool has_idle = cx_power_model_tells_idle(&result->model, group);
    if (cx_power_model_tells(&result->model, group, device)) {
        fprintf(out, "; idle %.1f W +- %.1f, computing %.1f W +- %.1f more", fixed->watts, fixed->error,
                dynamic->watts, dynamic->error);
        return;
    }
    if (has_idle)
        fprintf(out, "; idle %.1f W +- %.1f", fixed->watts, fixed->error);
    if (computed > 0)
        fprintf(out, "; %s: it computed %.0f %% of the time",
                has_idle ? "computing not known" : "its powers are not told apart", 100 * computed);
    else if (computed == 0)
        fputs("; it did not compute", out);
}

static void print_source(FILE *out, const struct cx_power_result *result, unsigned i)
{
    const struct cx_power_source *source = &result->sources->source[i];
    const struct cx_power_figure *figure = &result->figure[i];
    unsigned device = 0;
    while (device < CX_POWER_DEVICES && result->group[device] != i)
        device++;
    if (device < CX_POWER_DEVICES)
        fprintf(out, "    device %-2u %-40.40s ", device, source->name);
    else
        fprintf(out, "    %-50.50s ", source->name);
    if (figure->lack != CX_POWER_KNOWN)
        fprintf(out, "%s", cx_power_lack_text(figure->lack));
    else
        fprintf(out, "%.1f J +- %.1f, mean %.1f W", figure->joules, figure->error, figure->watts);
    if (device < CX_POWER_DEVICES)
        print_powers(out, result, device);
    fputc('\n', out);
}

/* CPU devices have the packages in common. */
static void print_cpus(FILE *out, const struct cx_power_result *result)
{
    for (unsigned d = 0; d < CX_POWER_DEVICES; d++)
        if (result->group[d] == CX_POWER_GROUP_CPU &&
            cx_power_model_tells(&result->model, CX_POWER_GROUP_CPU, d)) {
            fprintf(out, "    device %-2u the CPU", d);
            print_powers(out, result, d);
            fputc('\n', out);
        }
}

static void print_head(FILE *out)
{
    const struct cx_power_result *result = cx_power_sampler_result();
    double joules = 0, error = 0;
    unsigned n = 0;
    cx_plan_objective_print(out);
    if (!result) {
        fputs(cx_options_get()->power ? "  energy not measured\n" : "", out);
        return;
    }
    for (unsigned i = 0; i < result->sources->n; i++) {
        const bool is_there = result->figure[i].lack == CX_POWER_KNOWN;
        joules += is_there ? result->figure[i].joules : 0;
        error += is_there ? result->figure[i].error : 0;
        n += is_there;
    }
    if (n)
        fprintf(out, "  energy %.1f J +- %.1f in %.2f s of this machine, energy-delay product %.1f J s\n",
                joules, error, result->seconds, joules * result->seconds);
    else
        fprintf(out, "  energy of %.2f s: no figure\n", result->seconds);
    for (unsigned i = 0; i < result->sources->n; i++)
        print_source(out, result, i);
    print_cpus(out, result);
}

/* E = P^S T + sum P_i^D t_i (scheduler/energy.h), over the groups of devices that the program has. */
static double kernel_joules(const struct cx_function_stats *stats, double seconds, const double *busy,
                            unsigned n)
{
    const struct cx_power_result *result = cx_power_sampler_result();
    bool counted[CX_POWER_SOURCES + 1] = {false};
    double joules = 0;
    const unsigned k = result ? cx_power_kernel_number(result->kernel, stats) : 0;
    for (unsigned d = 0; result && d < CX_POWER_DEVICES && d < n; d++) {
        const unsigned group = result->group[d];
        if (group > CX_POWER_GROUP_CPU && !(busy[d] > 0))
            continue;
        if (group > CX_POWER_GROUP_CPU || !(busy[d] > 0 ? cx_power_model_tells(&result->model, group, d)
                                                        : cx_power_model_tells_idle(&result->model, group)))
            return NAN;
        joules += counted[group] ? 0 : result->model.fixed[group].watts * seconds;
        joules += result->model.of_kernel[d][k].watts * fmin(busy[d], seconds); /* packages may overlap */
        counted[group] = true;
    }
    return result ? joules : NAN;
}

void cx_power_begin(const struct cx_device_list *devices)
{
    static const struct cx_kernel_table_energy told = {print_head, kernel_joules};
    const struct cx_options *options = cx_options_get();
    const bool tells = options->power && (options->summary || cx_trace_on());
    const bool needs = options->objective != CX_OPTION_OBJECTIVE_TIME && !*options->watts;
    if (tells || options->objective != CX_OPTION_OBJECTIVE_TIME)
        cx_kernel_table_energy(&told);
    if (!tells && !needs)
        return;
    cx_power_sampler_start();
    for (unsigned d = 0; d < devices->n; d++)
        tell_device(devices->device[d]);
}
