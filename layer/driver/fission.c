/* SPDX-License-Identifier: MIT */
/*
 * Cutting CPU devices. See fission.h.
 */
#include "layer/driver/fission.h"
#include "layer/base/options.h"
#include "layer/driver/drivers.h"
#include "layer/driver/topology.h"
#include "layer/knowledge/cut_record.h"
#include "layer/knowledge/cut_search.h"
#include "layer/knowledge/profile.h"

#include <stdlib.h>
#include <string.h>

/* What the parts are to be, in numbers. */
struct plan {
    unsigned n;
    cl_uint *units;                /* of each part */
    struct cx_cpu_domains domains; /* n of them, or none */
};

/* How the driver made the parts. */
struct method {
    const char *name;
    cl_device_partition_property property;
};

static const struct method by_domain = {"by the driver's affinity domains",
                                        CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN},
                           by_counts = {"by counts, in the order of processors",
                                        CL_DEVICE_PARTITION_BY_COUNTS},
                           equally = {"into equal parts, as its driver can no other",
                                      CL_DEVICE_PARTITION_EQUALLY};

static const char *const shared[] = {NULL, "an L1 cache", "an L2 cache", "an L3 cache", "a memory domain"};

/* ---- in numbers ---- */

static void plan_free(struct plan *plan)
{
    free(plan->units);
    cx_cpu_domains_free(&plan->domains);
}

/* Parts of so many cores, and one of the rest. */
static void plan_cores(struct plan *plan, cl_uint units, uint64_t cores)
{
    const unsigned n = (unsigned)((units + cores - 1) / cores);
    plan->units = calloc(n, sizeof *plan->units);
    plan->n = plan->units ? n : 0;
    for (unsigned i = 0; i < plan->n; i++)
        plan->units[i] = (cl_uint)(i + 1 < n ? cores : units - (n - 1) * cores);
}

/* Units of the parts by the sizes of the domains. A driver that uses fewer processors than there are fills
 * the first domains; one that counts more, as in a container, has them in proportion. */
static void plan_units(struct plan *plan, cl_uint units)
{
    uint64_t cpus = 0, before = 0;
    cl_uint given = 0;
    for (unsigned i = 0; i < plan->domains.n; i++)
        cpus += (unsigned)CPU_COUNT(&plan->domains.cpus[i]);
    for (unsigned i = 0; i < plan->domains.n && given < units; i++) {
        before += (unsigned)CPU_COUNT(&plan->domains.cpus[i]);
        const cl_uint until = (cl_uint)(units > cpus     ? units * before / cpus
                                        : before < units ? before
                                                         : units);
        plan->units[plan->n++] = until - given;
        given = until;
    }
    plan->domains.n = plan->n;
}

static void plan_domains(struct plan *plan, cl_uint units, enum cx_cpu_level level)
{
    cpu_set_t allowed;
    if (!cx_topology_allowed(&allowed))
        return;
    cx_topology_domains(cx_options_get()->sysfs, &allowed, level, &plan->domains);
    plan->units = plan->domains.n ? calloc(plan->domains.n, sizeof *plan->units) : NULL;
    if (plan->units)
        plan_units(plan, units);
    else
        cx_cpu_domains_free(&plan->domains);
}

static void make_plan(struct plan *plan, cl_uint units, struct cx_option_cut how)
{
    *plan = (struct plan){.n = 0};
    if (how.by == CX_CUT_CORES)
        plan_cores(plan, units, how.cores);
    else
        plan_domains(plan, units, (enum cx_cpu_level)(how.by - CX_CUT_L1));
}

/* ---- by the driver ---- */

/* Has the driver cut as the list says, into `room` parts at most. False: it does not. */
static bool cut_by(const struct cx_real_device *device, const cl_device_partition_property *list,
                   unsigned room, struct cx_fission *fission)
{
    cl_uint made = 0;
    cl_device_id *part = calloc(room, sizeof *part);
    if (part && device->cl->clCreateSubDevices(device->id, list, room, part, &made) == CL_SUCCESS &&
        made > 0 && made <= room) {
        fission->part = part;
        fission->n = made;
        return true;
    }
    free(part);
    return false;
}

static bool cut_by_domain(const struct cx_real_device *device, enum cx_option_cut_by by,
                          struct cx_fission *fission)
{
    static const cl_device_affinity_domain names[] = {
        0, CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE,
        CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, CL_DEVICE_AFFINITY_DOMAIN_NUMA};
    const cl_device_partition_property list[] = {by_domain.property, (cl_device_partition_property)names[by],
                                                 0};
    cl_device_affinity_domain offered = 0;
    cl_uint parts = 0;
    return by != CX_CUT_CORES &&
           device->cl->clGetDeviceInfo(device->id, CL_DEVICE_PARTITION_AFFINITY_DOMAIN, sizeof offered,
                                       &offered, NULL) == CL_SUCCESS &&
           (offered & names[by]) &&
           device->cl->clCreateSubDevices(device->id, list, 0, NULL, &parts) == CL_SUCCESS && parts > 1 &&
           parts <= CX_MEMBERS_MAX && cut_by(device, list, parts, fission);
}

static bool cut_by_counts(const struct cx_real_device *device, const struct plan *plan,
                          struct cx_fission *fission)
{
    cl_device_partition_property list[CX_MEMBERS_MAX + 3] = {by_counts.property}; /* ends with two zeros */
    for (unsigned i = 0; i < plan->n; i++)
        list[1 + i] = (cl_device_partition_property)plan->units[i];
    return cut_by(device, list, plan->n, fission);
}

/* By the size of the first part: what that leaves over of the device is lost. */
static bool cut_equally(const struct cx_real_device *device, const struct plan *plan,
                        struct cx_fission *fission)
{
    const cl_device_partition_property list[] = {equally.property,
                                                 (cl_device_partition_property)plan->units[0], 0};
    return cut_by(device, list, device->compute_units / plan->units[0], fission);
}

static const struct method *make_parts(const struct cx_real_device *device, enum cx_option_cut_by by,
                                       const struct plan *plan, struct cx_fission *fission)
{
    if (!device->cl->clCreateSubDevices)
        return NULL;
    if (cut_by_domain(device, by, fission))
        return &by_domain;
    if (plan->n < 2 || plan->n > CX_MEMBERS_MAX)
        return NULL;
    if (cut_by_counts(device, plan, fission))
        return &by_counts;
    return cut_equally(device, plan, fission) ? &equally : NULL;
}

/* ---- what came of it ---- */

static cl_uint units_of(const struct cx_real_device *device, cl_device_id part)
{
    cl_uint units = 0;
    return device->cl->clGetDeviceInfo(part, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL) ==
                   CL_SUCCESS
               ? units
               : 0;
}

/* Whether the parts are those of the plan, and cores are processors one for one. */
static bool as_planned(const struct cx_real_device *device, const struct plan *plan,
                       const struct cx_fission *fission)
{
    bool is = plan->domains.n == fission->n;
    for (unsigned i = 0; i < fission->n && is; i++)
        is = units_of(device, fission->part[i]) == plan->units[i] &&
             plan->units[i] == (cl_uint)CPU_COUNT(&plan->domains.cpus[i]);
    return is;
}

/* Binds the driver's threads, if they are known to be one a core in the parts' order. */
static bool bind_threads(const struct cx_real_device *device, const struct plan *plan,
                         const struct cx_driver_threads *threads, const struct cx_fission *fission)
{
    bool all = cx_drivers_is_pocl(device->platform->name) && threads->n == device->compute_units;
    for (unsigned i = 0, first = 0; i < fission->n && all; first += plan->units[i++])
        all = cx_driver_threads_bind(threads, first, plan->units[i], &fission->cpus[i]);
    return all;
}

static void print_units(const struct cx_real_device *device, const struct cx_fission *fission, FILE *out)
{
    const cl_uint first = units_of(device, fission->part[0]);
    bool alike = true;
    cl_uint all = 0;
    for (unsigned i = 0; i < fission->n; i++) {
        const cl_uint units = units_of(device, fission->part[i]);
        alike &= units == first;
        all += units;
    }
    fprintf(out, "cut into %u device%s of %u", fission->n, fission->n == 1 ? "" : "s", first);
    for (unsigned i = 1; i < fission->n && !alike; i++)
        fprintf(out, ", %u", units_of(device, fission->part[i]));
    fprintf(out, " cores");
    if (all < device->compute_units)
        fprintf(out, ", and %u core%s in none", device->compute_units - all,
                device->compute_units - all == 1 ? " is" : "s are");
}

static void print_domains(const struct cx_fission *fission, FILE *out)
{
    for (unsigned i = 0; i < fission->n && fission->cpus; i++) {
        char list[64];
        cx_cpu_list_print(&fission->cpus[i], list, sizeof list);
        fprintf(out, "%s%s", i ? " | " : ": ", list);
    }
}

static void tell_cut(const struct cx_real_device *device, struct cx_option_cut how,
                     const struct method *method, struct cx_fission *fission, FILE *out)
{
    print_units(device, fission, out);
    if (how.by == CX_CUT_CORES) {
        fprintf(out, " (COEXEC_FISSION)");
        return;
    }
    fprintf(out, " (COEXEC_FISSION=%s: one for what shares %s", cx_option_cut_name(how.by), shared[how.by]);
    print_domains(fission, out);
    fprintf(out, "; %s%s)", method->name, fission->bound ? ", its driver's threads bound to them" : "");
}

static void tell_whole(const struct cx_real_device *device, struct cx_option_cut how, const struct plan *plan,
                       FILE *out)
{
    if (plan->n > CX_MEMBERS_MAX)
        fprintf(out, "not cut: there would be %u parts, and there can be %d devices (COEXEC_FISSION)",
                plan->n, CX_MEMBERS_MAX);
    else if (how.by == CX_CUT_CORES)
        fprintf(out, "its driver cannot cut it into sub-devices (%u of %u cores, COEXEC_FISSION)",
                (unsigned)how.cores, device->compute_units);
    else if (plan->n == 0)
        fprintf(out, "not cut: the system does not tell which processors share %s (COEXEC_FISSION)",
                shared[how.by]);
    else if (plan->n == 1)
        fprintf(out, "not cut: all its processors share %s (COEXEC_FISSION)", shared[how.by]);
    else
        fprintf(out, "its driver cannot cut it into %u sub-devices (COEXEC_FISSION)", plan->n);
}

static void tell(const struct cx_real_device *device, struct cx_option_cut how, const struct plan *plan,
                 const struct method *method, struct cx_fission *fission)
{
    FILE *out = fmemopen(fission->text, sizeof fission->text, "w");
    if (!out)
        return;
    if (fission->n)
        tell_cut(device, how, method, fission, out);
    else
        tell_whole(device, how, plan, out);
    fclose(out);
    fission->text[sizeof fission->text - 1] = '\0';
}

/* ---- auto ---- */

/* More devices are none that knowledge is kept of. */
enum { MOST_PARTS = CX_PROFILE_DEVICES, LEVELS = 1 + CX_CPU_LEVELS };

/* Levels that can be tried: none, and those with ever more parts. */
struct levels {
    unsigned n, order[LEVELS], parts[LEVELS];
};

static void add_level(struct levels *levels, unsigned level, unsigned parts)
{
    unsigned at = levels->n;
    for (unsigned i = 0; i < levels->n; i++)
        if (levels->parts[i] == parts)
            return; /* the same domains */
    for (; at > 0 && levels->parts[at - 1] > parts; at--) {
        levels->order[at] = levels->order[at - 1];
        levels->parts[at] = levels->parts[at - 1];
    }
    levels->order[at] = level;
    levels->parts[at] = parts;
    levels->n++;
}

static struct levels find_levels(cl_uint units)
{
    struct levels levels = {.n = 1, .parts = {1}};
    for (unsigned level = CX_CPU_LEVELS; level > 0; level--) {
        struct plan plan;
        make_plan(&plan, units, (struct cx_option_cut){.by = CX_CUT_L1 + level - 1});
        if (plan.n > 1 && plan.n <= MOST_PARTS)
            add_level(&levels, level, plan.n);
        plan_free(&plan);
    }
    return levels;
}

static void tell_levels(const struct levels *levels, unsigned level, bool tries, const double *ratios,
                        char text[CX_FISSION_TEXT])
{
    FILE *out = fmemopen(text, CX_FISSION_TEXT, "w");
    if (!out)
        return;
    fprintf(out, "COEXEC_FISSION=auto: %s%s", cx_cut_level_name(level),
            tries ? ", to see how fast it is" : "");
    for (unsigned i = 1; i < levels->n; i++)
        if (ratios[i] > 0)
            fprintf(out, "; %s took %.2f of whole", cx_cut_level_name(levels->order[i]), ratios[i]);
    if (levels->n == 1)
        fprintf(out, "; there is no level with 2 to %d parts", MOST_PARTS);
    fclose(out);
    text[CX_FISSION_TEXT - 1] = '\0';
}

struct cx_option_cut cx_fission_settle(const struct cx_real_device *device, char text[CX_FISSION_TEXT])
{
    const struct levels levels = find_levels(device->compute_units);
    double ratios[LEVELS] = {0};
    unsigned level = 0;
    bool tries = false;
    char *machine = NULL;
    if (levels.n > 1 && asprintf(&machine, "%s|%s|%s|%u|%u|%u|%u|%u|%u", device->platform->driver,
                                 device->platform->version, device->name, device->compute_units, levels.n,
                                 levels.parts[1], levels.parts[2], levels.parts[3], levels.parts[4]) >= 0)
        level = cx_cut_search_begin(machine, levels.order, levels.n, ratios, &tries);
    free(machine);
    tell_levels(&levels, level, tries, ratios, text);
    return (struct cx_option_cut){.by = level ? CX_CUT_L1 + level - 1 : CX_CUT_CORES};
}

void cx_fission_cut(const struct cx_real_device *device, struct cx_option_cut how,
                    const struct cx_driver_threads *threads, struct cx_fission *fission)
{
    struct plan plan;
    *fission = (struct cx_fission){.n = 0};
    if (device->type != CL_DEVICE_TYPE_CPU || device->compute_units < 2 ||
        (how.by == CX_CUT_CORES && (how.cores == 0 || how.cores >= device->compute_units)))
        return;
    make_plan(&plan, device->compute_units, how);
    const struct method *method = make_parts(device, how.by, &plan, fission);
    if (fission->n && as_planned(device, &plan, fission)) {
        fission->cpus = plan.domains.cpus;
        plan.domains = (struct cx_cpu_domains){.n = 0};
        fission->bound = method != &by_domain && bind_threads(device, &plan, threads, fission);
    }
    tell(device, how, &plan, method, fission);
    plan_free(&plan);
}

void cx_fission_free(struct cx_fission *fission)
{
    free(fission->part);
    free(fission->cpus);
}
