/* SPDX-License-Identifier: MIT */
/*
 * topology.c over small trees as Linux has them: one socket with two threads a core, two sockets, several L3
 * caches a socket, cores that are unlike, a container, nodes smaller than an L3 cache, machines that tell too
 * little, and files that make no sense.
 */
#include "capture.h"
#include "cl_folder.h"
#include "layer/driver/topology.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char root[64];

static void begin(void)
{
    cl_folder_make("topology");
    snprintf(root, sizeof root, "%s", cl_folder_path("."));
    mkdir(cl_folder_path("cpu"), 0755);
    mkdir(cl_folder_path("node"), 0755);
}

static void end(void)
{
    cl_folder_remove();
}

/* ---- trees ---- */

__attribute__((format(printf, 2, 3))) static void put(const char *text, const char *format, ...)
{
    char path[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    for (char *slash = path; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        mkdir(cl_folder_path(path), 0755);
    }
    FILE *file = fopen(cl_folder_path(path), "w");
    ck_assert_ptr_nonnull(file);
    ck_assert(fputs(text, file) >= 0);
    ck_assert_int_eq(fclose(file), 0);
}

static void put_cache(unsigned cpu, unsigned index, unsigned level, const char *type, const char *list)
{
    char number[16];
    snprintf(number, sizeof number, "%u\n", level);
    put(number, "cpu/cpu%u/cache/index%u/level", cpu, index);
    put(type, "cpu/cpu%u/cache/index%u/type", cpu, index);
    put(list, "cpu/cpu%u/cache/index%u/shared_cpu_list", cpu, index);
}

/* The processors from `first` on that are in one domain of size `size` with `cpu`. */
static const char *block(unsigned cpu, unsigned size)
{
    static char list[32];
    const unsigned first = cpu / size * size;
    snprintf(list, sizeof list, size > 1 ? "%u-%u\n" : "%u\n", first, first + size - 1);
    return list;
}

/* Neighbours in number share: so many an L1, L2, L3 (0: there is no such cache), and a node. */
static void put_machine(unsigned cpus, unsigned l1, unsigned l2, unsigned l3, unsigned node)
{
    for (unsigned cpu = 0; cpu < cpus; cpu++) {
        put_cache(cpu, 0, 1, "Data\n", block(cpu, l1));
        put_cache(cpu, 1, 1, "Instruction\n", block(cpu, 1));
        put_cache(cpu, 2, 2, "Unified\n", block(cpu, l2));
        if (l3)
            put_cache(cpu, 3, 3, "Unified\n", block(cpu, l3));
    }
    for (unsigned i = 0; node && i < cpus / node; i++)
        put(block(i * node, node), "node/node%u/cpulist", i);
}

/* ---- what is found ---- */

static const char *domains(enum cx_cpu_level level, const char *allowed)
{
    static char text[512];
    struct cx_cpu_domains found;
    cpu_set_t cpus;
    size_t at = 0;
    ck_assert(cx_cpu_list_read(allowed, &cpus));
    cx_topology_domains(root, &cpus, level, &found);
    text[0] = '\0';
    for (unsigned i = 0; i < found.n; i++) {
        char list[64];
        cx_cpu_list_print(&found.cpus[i], list, sizeof list);
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", i ? " | " : "", list);
    }
    cx_cpu_domains_free(&found);
    ck_assert_uint_eq(found.n, 0);
    return text;
}

static void check(const char *allowed, const char *l1, const char *l2, const char *l3, const char *numa)
{
    ck_assert_str_eq(domains(CX_CPU_L1, allowed), l1);
    ck_assert_str_eq(domains(CX_CPU_L2, allowed), l2);
    ck_assert_str_eq(domains(CX_CPU_L3, allowed), l3);
    ck_assert_str_eq(domains(CX_CPU_NUMA, allowed), numa);
}

/* Intel's numbers: the second threads of the cores come behind all first ones. */
START_TEST(one_socket_two_threads_a_core)
{
    for (unsigned cpu = 0; cpu < 8; cpu++) {
        char pair[16];
        snprintf(pair, sizeof pair, "%u,%u\n", cpu % 4, cpu % 4 + 4);
        put_cache(cpu, 0, 1, "Data\n", pair);
        put_cache(cpu, 1, 1, "Instruction\n", pair);
        put_cache(cpu, 2, 2, "Unified\n", pair);
        put_cache(cpu, 3, 3, "Unified\n", "0-7\n");
    }
    put("0-7\n", "node/node0/cpulist");
    check("0-7", "0,4 | 1,5 | 2,6 | 3,7", "0,4 | 1,5 | 2,6 | 3,7", "0-7", "0-7");
}
END_TEST

START_TEST(two_sockets)
{
    put_machine(8, 1, 2, 4, 4);
    check("0-7", "0 | 1 | 2 | 3 | 4 | 5 | 6 | 7", "0-1 | 2-3 | 4-5 | 6-7", "0-3 | 4-7", "0-3 | 4-7");
}
END_TEST

START_TEST(several_l3_a_socket)
{
    put_machine(16, 2, 2, 4, 8);
    check("0-15", "0-1 | 2-3 | 4-5 | 6-7 | 8-9 | 10-11 | 12-13 | 14-15",
          "0-1 | 2-3 | 4-5 | 6-7 | 8-9 | 10-11 | 12-13 | 14-15", "0-3 | 4-7 | 8-11 | 12-15", "0-7 | 8-15");
}
END_TEST

/* Marrow's: four sockets of 16 cores, L2 for two, L3 for eight, two nodes a socket. */
START_TEST(nodes_as_large_as_an_l3)
{
    put_machine(64, 1, 2, 8, 8);
    static const char eights[] = "0-7 | 8-15 | 16-23 | 24-31 | 32-39 | 40-47 | 48-55 | 56-63";
    ck_assert_str_eq(domains(CX_CPU_NUMA, "0-63"), eights);
    ck_assert_str_eq(domains(CX_CPU_L3, "0-63"), eights);
    ck_assert_str_eq(domains(CX_CPU_L2, "4-9,62"), "4-5 | 6-7 | 8-9 | 62");
}
END_TEST

/* Two large cores of two threads, and four small ones that share an L2, as a hybrid processor of Intel's. */
START_TEST(unlike_cores)
{
    for (unsigned cpu = 0; cpu < 8; cpu++) {
        put_cache(cpu, 0, 1, "Data\n", block(cpu, cpu < 4 ? 2 : 1));
        put_cache(cpu, 1, 1, "Instruction\n", block(cpu, cpu < 4 ? 2 : 1));
        put_cache(cpu, 2, 2, "Unified\n", block(cpu, cpu < 4 ? 2 : 4));
        put_cache(cpu, 3, 3, "Unified\n", "0-7\n");
    }
    put("0-7\n", "node/node0/cpulist");
    check("0-7", "0-1 | 2-3 | 4 | 5 | 6 | 7", "0-1 | 2-3 | 4-7", "0-7", "0-7");
    check("1,6-7", "1 | 6 | 7", "1 | 6-7", "1,6-7", "1,6-7");
}
END_TEST

START_TEST(container_with_three)
{
    put_machine(8, 1, 2, 4, 8);
    check("1,2,5", "1 | 2 | 5", "1 | 2 | 5", "1-2 | 5", "1-2,5");
    check("2-3,6", "2 | 3 | 6", "2-3 | 6", "2-3 | 6", "2-3,6");
}
END_TEST

START_TEST(nodes_smaller_than_l3)
{
    put_machine(8, 1, 1, 8, 4);
    put("\n", "node/node2/cpulist"); /* of memory alone */
    check("0-7", "0 | 1 | 2 | 3 | 4 | 5 | 6 | 7", "0 | 1 | 2 | 3 | 4 | 5 | 6 | 7", "0-7", "0-3 | 4-7");
}
END_TEST

/* Of a processor that is offline there is no cache, and no node has it. */
START_TEST(offline)
{
    put_machine(4, 1, 2, 4, 4);
    put("0\n", "cpu/cpu3/online");
    put("1\n", "cpu/cpu2/online");
    put("2\n", "cpu/cpu2/cache/index2/shared_cpu_list");
    put("0-2\n", "node/node0/cpulist");
    check("0-3", "0 | 1 | 2", "0-1 | 2", "0-2", "0-2");
}
END_TEST

START_TEST(too_little_is_told)
{
    check("0-3", "", "", "", "");
    put_machine(4, 1, 2, 0, 0);
    check("0-3", "0 | 1 | 2 | 3", "0-1 | 2-3", "", "");
    put("0-1\n", "node/node0/cpulist");
    ck_assert_str_eq(domains(CX_CPU_NUMA, "0-3"), "");
    check("0-4", "", "", "", ""); /* of the fifth nothing is told */
}
END_TEST

/* Each of these in place of a good list makes the level one that is not told; so does a folder in its place.
 */
START_TEST(lists_that_make_no_sense)
{
    static const char *const bad[] = {"",     "\n",     "zwei\n",  "0-\n",   "-1\n",          "1-0\n",
                                      "0,\n", "0,,1\n", "0 1\n",   "0-1x\n", "0-99999999\n",  "1024\n",
                                      "1\n",  "0x1\n",  "0-1-2\n", "4-7\n",  "\x01\x80\xff\n"};
    put_machine(4, 1, 2, 4, 2);
    put(bad[_i], "cpu/cpu0/cache/index2/shared_cpu_list");
    put(bad[_i], "node/node0/cpulist");
    check("0-3", "0 | 1 | 2 | 3", "", "0-3", "");
}
END_TEST

START_TEST(overlapping_nodes)
{
    put_machine(4, 1, 2, 4, 2);
    put("1-3\n", "node/node1/cpulist");
    put("1-3\n", "cpu/cpu2/cache/index2/shared_cpu_list");
    check("0-3", "0 | 1 | 2 | 3", "", "0-3", "");
}
END_TEST

START_TEST(long_lists)
{
    char list[8192] = "0";
    for (unsigned i = 2, at = 1; i < 1024; i += 2)
        at += (unsigned)snprintf(list + at, sizeof list - at, ",%u", i);
    cpu_set_t cpus;
    char text[32];
    ck_assert(cx_cpu_list_read(list, &cpus));
    ck_assert_int_eq(CPU_COUNT(&cpus), 512);
    cx_cpu_list_print(&cpus, text, sizeof text);
    ck_assert_uint_eq(strlen(text), sizeof text - 1);
    strcat(list, ",0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0");
    while (strlen(list) < 6000)
        strcat(list, ",0");
    put_machine(2, 1, 2, 2, 2);
    put(list, "node/node0/cpulist"); /* longer than what is read */
    ck_assert_str_eq(domains(CX_CPU_NUMA, "0-1"), "");
}
END_TEST

/* Whatever this machine is: the domains of a level are no empty ones, have nothing in common, and together
 * have all that the process may run on. */
START_TEST(this_machine)
{
    cpu_set_t allowed, seen, common;
    ck_assert(cx_topology_allowed(&allowed));
    for (unsigned level = 0; level < CX_CPU_LEVELS; level++) {
        struct cx_cpu_domains found;
        cx_topology_domains("/sys/devices/system", &allowed, level, &found);
        CPU_ZERO(&seen);
        for (unsigned i = 0; i < found.n; i++) {
            CPU_AND(&common, &seen, &found.cpus[i]);
            ck_assert_int_eq(CPU_COUNT(&common), 0);
            ck_assert_int_gt(CPU_COUNT(&found.cpus[i]), 0);
            CPU_OR(&seen, &seen, &found.cpus[i]);
        }
        ck_assert(found.n == 0 || CPU_EQUAL(&seen, &allowed));
        cx_cpu_domains_free(&found);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("topology");
    TCase *tcase = tcase_create("topology");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, one_socket_two_threads_a_core);
    tcase_add_test(tcase, two_sockets);
    tcase_add_test(tcase, several_l3_a_socket);
    tcase_add_test(tcase, nodes_as_large_as_an_l3);
    tcase_add_test(tcase, unlike_cores);
    tcase_add_test(tcase, container_with_three);
    tcase_add_test(tcase, nodes_smaller_than_l3);
    tcase_add_test(tcase, offline);
    tcase_add_test(tcase, too_little_is_told);
    tcase_add_loop_test(tcase, lists_that_make_no_sense, 0, 17);
    tcase_add_test(tcase, overlapping_nodes);
    tcase_add_test(tcase, long_lists);
    tcase_add_test(tcase, this_machine);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
