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
#define SHAPE(name)                                                                                          \
    {                                                                                                        \
        "field-" name, "field", {"--shape", name}, CX_PAPER_NONE, REGULAR, ONE, OTHER, true                  \
    }

const struct cx_bench_program cx_bench_programs[] = {
    {"binomial", "binomial", {NULL}, CX_PAPER_SIGMOID | CX_PAPER_OMPSS, REGULAR, NATIVE, COMPUTE, false},
    {"gaussian", "gaussian", {NULL}, CX_PAPER_SIGMOID, REGULAR, NATIVE, COMPUTE, false},
    {"nbody",
     "nbody",
     {NULL},
     CX_PAPER_SIGMOID | CX_PAPER_OMPSS | CX_PAPER_MARROW,
     REGULAR,
     NATIVE,
     COMPUTE,
     false},
    {"taylor", "taylor", {NULL}, CX_PAPER_SIGMOID, REGULAR, ONE, COMPUTE, false},
    {"mandelbrot", "mandelbrot", {NULL}, CX_PAPER_SIGMOID, REGULAR, NATIVE, COMPUTE, false},
    {"aho", "aho", {NULL}, CX_PAPER_SIGMOID, IRREGULAR, ONE, OTHER, false},
    {"bm3d", "bm3d", {NULL}, CX_PAPER_SIGMOID, IRREGULAR, ONE, COMPUTE, false},
    {"rap", "rap", {NULL}, CX_PAPER_SIGMOID | CX_PAPER_OMPSS, IRREGULAR, ONE, COMPUTE, false},
    {"ray1", "ray", {"--scene", "ray1"}, CX_PAPER_SIGMOID, IRREGULAR, NATIVE, COMPUTE, false},
    {"ray2", "ray", {"--scene", "ray2"}, CX_PAPER_SIGMOID, IRREGULAR, NATIVE, COMPUTE, false},
    {"krist", "krist", {NULL}, CX_PAPER_OMPSS, REGULAR, ONE, COMPUTE, false},
    {"perlin", "perlin", {NULL}, CX_PAPER_OMPSS, REGULAR, ONE, OTHER, false},
    {"spmv", "spmv", {"--profile", "random"}, CX_PAPER_OMPSS, IRREGULAR, NATIVE, OTHER, false},
    {"filter", "filter", {NULL}, CX_PAPER_MARROW, REGULAR, ONE, OTHER, false},
    {"fft", "fft", {NULL}, CX_PAPER_MARROW, REGULAR, ONE, OTHER, false},
    {"saxpy", "saxpy", {NULL}, CX_PAPER_MARROW, REGULAR, NATIVE, OTHER, false},
    {"segmentation", "segmentation", {NULL}, CX_PAPER_MARROW, REGULAR, ONE, OTHER, false},
    {"barneshut", "barneshut", {NULL}, CX_PAPER_LOGFIT, IRREGULAR, ONE, OTHER, false},
    {"pepc", "pepc", {NULL}, CX_PAPER_LOGFIT, IRREGULAR, ONE, OTHER, false},
    {"cfd", "cfd", {NULL}, CX_PAPER_LOGFIT, IRREGULAR, ONE, OTHER, false},
    {"spmv-triangular",
     "spmv",
     {"--profile", "triangular"},
     CX_PAPER_LOGFIT,
     IRREGULAR,
     NATIVE,
     OTHER,
     false},
    {"vecadd", "vecadd", {NULL}, CX_PAPER_NONE, REGULAR, ONE, OTHER, false},
    {"matmul", "matmul", {NULL}, CX_PAPER_NONE, REGULAR, NATIVE, COMPUTE, false},
    {"histogram", "histogram", {NULL}, CX_PAPER_NONE, REGULAR, ONE, OTHER, false},
    {"bfs", "bfs", {NULL}, CX_PAPER_NONE, IRREGULAR, ONE, OTHER, false},
    {"stencil", "stencil", {NULL}, CX_PAPER_NONE, REGULAR, ONE, OTHER, false},
    SHAPE("blur2d"),
    SHAPE("blur3d"),
    SHAPE("matvec"),
    SHAPE("products"),
    SHAPE("once"),
    SHAPE("steps-short"),
    SHAPE("steps-long"),
    SHAPE("reads-short"),
    SHAPE("reads-long"),
    SHAPE("chain"),
    SHAPE("stream"),
    SHAPE("eliminate"),
    SHAPE("wave"),
    SHAPE("fields"),
    SHAPE("search"),
    SHAPE("tune"),
    SHAPE("reduce"),
    SHAPE("cluster"),
    SHAPE("queues"),
    SHAPE("chains"),
    SHAPE("frames"),
    SHAPE("programs"),
    {"field-levels", "bfs", {"--size", "65536"}, CX_PAPER_NONE, IRREGULAR, ONE, OTHER, true},
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
