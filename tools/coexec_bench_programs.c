/* SPDX-License-Identifier: MIT */
/*
 * The programs of `coexec bench`: those of the papers, under the papers' names, and the project's own.
 */
#include "tools/coexec_bench.h"

#include <string.h>

#define REGULAR   true
#define IRREGULAR false
#define NATIVE    true /* has a version split by hand */
#define ONE       false
#define COMPUTE   true
#define OTHER     false /* bound by memory, transfers, the number of its launches or what the host does */

const struct cx_bench_program cx_bench_programs[] = {
    {"binomial", "binomial", {NULL}, CX_PAPER_SIGMOID | CX_PAPER_OMPSS, REGULAR, NATIVE, COMPUTE},
    {"gaussian", "gaussian", {NULL}, CX_PAPER_SIGMOID, REGULAR, NATIVE, COMPUTE},
    {"nbody", "nbody", {NULL}, CX_PAPER_SIGMOID | CX_PAPER_OMPSS | CX_PAPER_MARROW, REGULAR, NATIVE, COMPUTE},
    {"taylor", "taylor", {NULL}, CX_PAPER_SIGMOID, REGULAR, ONE, COMPUTE},
    {"mandelbrot", "mandelbrot", {NULL}, CX_PAPER_SIGMOID, IRREGULAR, NATIVE, COMPUTE},
    {"aho", "aho", {NULL}, CX_PAPER_SIGMOID, IRREGULAR, ONE, OTHER},
    {"bm3d", "bm3d", {NULL}, CX_PAPER_SIGMOID, IRREGULAR, ONE, COMPUTE},
    {"rap", "rap", {NULL}, CX_PAPER_SIGMOID | CX_PAPER_OMPSS, IRREGULAR, ONE, COMPUTE},
    {"ray1", "ray", {"--scene", "ray1"}, CX_PAPER_SIGMOID, IRREGULAR, NATIVE, COMPUTE},
    {"ray2", "ray", {"--scene", "ray2"}, CX_PAPER_SIGMOID, IRREGULAR, NATIVE, COMPUTE},
    {"krist", "krist", {NULL}, CX_PAPER_OMPSS, REGULAR, ONE, COMPUTE},
    {"perlin", "perlin", {NULL}, CX_PAPER_OMPSS, REGULAR, ONE, OTHER},
    {"spmv", "spmv", {"--profile", "random"}, CX_PAPER_OMPSS, IRREGULAR, NATIVE, OTHER},
    {"filter", "filter", {NULL}, CX_PAPER_MARROW, REGULAR, ONE, OTHER},
    {"fft", "fft", {NULL}, CX_PAPER_MARROW, REGULAR, ONE, OTHER},
    {"saxpy", "saxpy", {NULL}, CX_PAPER_MARROW, REGULAR, NATIVE, OTHER},
    {"segmentation", "segmentation", {NULL}, CX_PAPER_MARROW, REGULAR, ONE, OTHER},
    {"barneshut", "barneshut", {NULL}, CX_PAPER_LOGFIT, IRREGULAR, ONE, OTHER},
    {"pepc", "pepc", {NULL}, CX_PAPER_LOGFIT, IRREGULAR, ONE, OTHER},
    {"cfd", "cfd", {NULL}, CX_PAPER_LOGFIT, REGULAR, ONE, OTHER},
    {"spmv-triangular", "spmv", {"--profile", "triangular"}, CX_PAPER_LOGFIT, IRREGULAR, NATIVE, OTHER},
    {"vecadd", "vecadd", {NULL}, CX_PAPER_NONE, REGULAR, ONE, OTHER},
    {"matmul", "matmul", {NULL}, CX_PAPER_NONE, REGULAR, NATIVE, COMPUTE},
    {"histogram", "histogram", {NULL}, CX_PAPER_NONE, REGULAR, ONE, OTHER},
    {"bfs", "bfs", {NULL}, CX_PAPER_NONE, IRREGULAR, ONE, OTHER},
    {"stencil", "stencil", {NULL}, CX_PAPER_NONE, REGULAR, ONE, OTHER},
};
const size_t cx_bench_program_count = sizeof cx_bench_programs / sizeof *cx_bench_programs;

static const struct {
    unsigned bit;
    const char *name;
} papers[] = {{CX_PAPER_SIGMOID, "sigmoid"},
              {CX_PAPER_OMPSS, "ompss"},
              {CX_PAPER_MARROW, "marrow"},
              {CX_PAPER_LOGFIT, "logfit"}};

unsigned cx_bench_paper_of(const char *name)
{
    for (size_t i = 0; i < sizeof papers / sizeof *papers; i++)
        if (strcmp(papers[i].name, name) == 0)
            return papers[i].bit;
    return 0;
}

const char *cx_bench_paper_name(unsigned paper)
{
    for (size_t i = 0; i < sizeof papers / sizeof *papers; i++)
        if (papers[i].bit == paper)
            return papers[i].name;
    return "own";
}
