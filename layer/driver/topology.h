/* SPDX-License-Identifier: MIT */
/*
 * The machine's processors by what they share: a cache of a level, or the memory nearest to them (NUMA), as
 * Linux tells below /sys/devices/system. Only processors count that are online and that this process may run
 * on: a container sees the whole machine there. Next: fission.h. Thread-safe, no state.
 */
#ifndef CX_LAYER_DRIVER_TOPOLOGY_H
#define CX_LAYER_DRIVER_TOPOLOGY_H

#include <sched.h>
#include <stdbool.h>

/* From what the fewest processors share to what most do, as a rule: with sub-NUMA clustering several nodes
 * share an L3 cache. */
enum cx_cpu_level { CX_CPU_L1, CX_CPU_L2, CX_CPU_L3, CX_CPU_NUMA, CX_CPU_LEVELS };

/* Domains of one level: sets of processors that have none in common, in the order of their first ones. */
struct cx_cpu_domains {
    unsigned n;
    cpu_set_t *cpus;
};

/* The processors that this process may run on. False: the system does not tell, or numbers go beyond
 * CPU_SETSIZE. Called by fission.c. */
bool cx_topology_allowed(cpu_set_t *allowed);

/* Fills *domains with those of the level that have an allowed processor, which together have all allowed ones
 * that are online. n is 0 where the system does not tell for each of them, or tells what cannot be. root:
 * COEXEC_SYSFS. The caller frees them. Called by fission.c. */
void cx_topology_domains(const char *root, const cpu_set_t *allowed, enum cx_cpu_level level,
                         struct cx_cpu_domains *domains);
/* Leaves them empty. Called by fission.c. */
void cx_cpu_domains_free(struct cx_cpu_domains *domains);

/* Reads a list as Linux writes them: "0-3,8". False: it is none. Called by topology.c. */
bool cx_cpu_list_read(const char *text, cpu_set_t *cpus);
/* Writes such a list, cut off where it is longer than `size`. Called by fission.c. */
void cx_cpu_list_print(const cpu_set_t *cpus, char *text, size_t size);

#endif
