/* SPDX-License-Identifier: MIT */
/*
 * Processors by shared caches and memory. See topology.h.
 */
#include "layer/driver/topology.h"
#include "layer/base/sysfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LIST = 4096, MOST_CACHES = 16 };

bool cx_topology_allowed(cpu_set_t *allowed)
{
    CPU_ZERO(allowed);
    return sched_getaffinity(0, sizeof *allowed, allowed) == 0 && CPU_COUNT(allowed) > 0;
}

/* ---- lists ---- */

/* A number below CPU_SETSIZE; NULL: there is none. Else where it ends. */
static const char *read_cpu(const char *text, unsigned *cpu)
{
    *cpu = 0;
    if (*text < '0' || *text > '9')
        return NULL;
    for (; *text >= '0' && *text <= '9'; text++) {
        *cpu = 10 * *cpu + (unsigned)(*text - '0');
        if (*cpu >= CPU_SETSIZE)
            return NULL;
    }
    return text;
}

bool cx_cpu_list_read(const char *text, cpu_set_t *cpus)
{
    CPU_ZERO(cpus);
    while (*text) {
        unsigned first, last;
        text = read_cpu(text, &first);
        last = first;
        if (text && *text == '-')
            text = read_cpu(text + 1, &last);
        if (!text || last < first || (*text && *text != ',') || (*text == ',' && !text[1]))
            return false;
        for (; first <= last; first++)
            CPU_SET(first, cpus);
        text += *text == ',';
    }
    return true;
}

void cx_cpu_list_print(const cpu_set_t *cpus, char *text, size_t size)
{
    size_t at = 0;
    *text = '\0';
    for (unsigned first = 0, last; first < CPU_SETSIZE && at < size; first = last + 1) {
        for (last = first; last + 1 < CPU_SETSIZE && CPU_ISSET(first, cpus) && CPU_ISSET(last + 1, cpus);)
            last++;
        if (!CPU_ISSET(first, cpus))
            continue;
        const char *comma = at ? "," : "";
        at += (size_t)(last > first ? snprintf(text + at, size - at, "%s%u-%u", comma, first, last)
                                    : snprintf(text + at, size - at, "%s%u", comma, first));
    }
}

static bool read_list(const char *folder, const char *file, cpu_set_t *cpus)
{
    char *text = malloc(LONGEST_LIST); /* threads may have small stacks */
    const bool is = text && cx_sysfs_text(folder, file, text, LONGEST_LIST) &&
                    strlen(text) < LONGEST_LIST - 1 && cx_cpu_list_read(text, cpus);
    free(text);
    return is;
}

/* ---- what the system tells ---- */

/* Of processors that were never offline, and of the first, there may be no file that says so. */
static bool is_online(const char *root, unsigned cpu)
{
    char folder[CX_SYSFS_PATH];
    double online;
    snprintf(folder, sizeof folder, "%s/cpu/cpu%u", root, cpu);
    return !cx_sysfs_number(folder, "online", &online) || online != 0;
}

static bool is_for_data(const char *folder)
{
    char type[32];
    return cx_sysfs_text(folder, "type", type, sizeof type) &&
           (strcmp(type, "Data") == 0 || strcmp(type, "Unified") == 0);
}

/* Those that the processor shares its cache of that level with, itself among them. */
static bool sharing_cache(const char *root, unsigned cpu, unsigned level, cpu_set_t *cpus)
{
    for (unsigned i = 0; i < MOST_CACHES; i++) {
        char folder[CX_SYSFS_PATH];
        double number;
        snprintf(folder, sizeof folder, "%s/cpu/cpu%u/cache/index%u", root, cpu, i);
        if (!cx_sysfs_number(folder, "level", &number))
            return false;
        if (number == level && is_for_data(folder))
            return read_list(folder, "shared_cpu_list", cpus);
    }
    return false;
}

/* ---- domains ---- */

struct finding {
    const char *root;
    const cpu_set_t *allowed; /* and online */
    struct cx_cpu_domains *domains;
    bool bad; /* what the system tells cannot be, or there is no memory */
};

static void add_domain(struct finding *finding, const cpu_set_t *told)
{
    struct cx_cpu_domains *domains = finding->domains;
    cpu_set_t cpus, common;
    CPU_AND(&cpus, told, finding->allowed);
    if (CPU_COUNT(&cpus) == 0)
        return;
    for (unsigned i = 0; i < domains->n && !finding->bad; i++) {
        CPU_AND(&common, &cpus, &domains->cpus[i]);
        finding->bad = CPU_COUNT(&common) > 0;
    }
    cpu_set_t *grown = finding->bad ? NULL : realloc(domains->cpus, (domains->n + 1) * sizeof *grown);
    finding->bad = !grown;
    if (grown) {
        domains->cpus = grown;
        grown[domains->n++] = cpus;
    }
}

static bool has_domain(const struct finding *finding, unsigned cpu)
{
    bool has = false;
    for (unsigned i = 0; i < finding->domains->n && !has; i++)
        has = CPU_ISSET(cpu, &finding->domains->cpus[i]);
    return has;
}

static void find_caches(struct finding *finding, unsigned level)
{
    for (unsigned cpu = 0; cpu < CPU_SETSIZE && !finding->bad; cpu++) {
        cpu_set_t cpus;
        if (!CPU_ISSET(cpu, finding->allowed) || has_domain(finding, cpu))
            continue;
        finding->bad = !sharing_cache(finding->root, cpu, level, &cpus) || !CPU_ISSET(cpu, &cpus);
        if (!finding->bad)
            add_domain(finding, &cpus);
    }
}

/* Nodes of memory alone have no processor. */
static void take_node(const char *folder, const char *name, void *data)
{
    struct finding *finding = data;
    cpu_set_t cpus;
    if (name[4] < '0' || name[4] > '9' || finding->bad)
        return;
    char text[2];
    if (read_list(folder, "cpulist", &cpus))
        add_domain(finding, &cpus);
    else
        finding->bad = cx_sysfs_text(folder, "cpulist", text, sizeof text) && *text;
}

static void find_nodes(struct finding *finding)
{
    char folder[CX_SYSFS_PATH];
    snprintf(folder, sizeof folder, "%s/node", finding->root);
    cx_sysfs_each(folder, "node", take_node, finding);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE && !finding->bad; cpu++)
        finding->bad = CPU_ISSET(cpu, finding->allowed) && !has_domain(finding, cpu);
}

static int first_cpu(const cpu_set_t *cpus)
{
    int cpu = 0;
    while (cpu < CPU_SETSIZE && !CPU_ISSET(cpu, cpus))
        cpu++;
    return cpu;
}

static int by_first(const void *a, const void *b)
{
    return first_cpu(a) - first_cpu(b);
}

void cx_topology_domains(const char *root, const cpu_set_t *allowed, enum cx_cpu_level level,
                         struct cx_cpu_domains *domains)
{
    cpu_set_t online;
    struct finding finding = {.root = root, .allowed = &online, .domains = domains};
    *domains = (struct cx_cpu_domains){.n = 0};
    CPU_ZERO(&online);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, allowed) && is_online(root, cpu))
            CPU_SET(cpu, &online);
    if (level == CX_CPU_NUMA)
        find_nodes(&finding);
    else
        find_caches(&finding, 1 + (unsigned)level);
    if (finding.bad)
        cx_cpu_domains_free(domains);
    else if (domains->n > 1)
        qsort(domains->cpus, domains->n, sizeof *domains->cpus, by_first);
}

void cx_cpu_domains_free(struct cx_cpu_domains *domains)
{
    free(domains->cpus);
    *domains = (struct cx_cpu_domains){.n = 0};
}
