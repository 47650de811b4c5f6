/* SPDX-License-Identifier: MIT */
/*
 * The programs of `coexec bench`: those of the papers, under the papers' names, and the project's own.
 */
#include "tools/coexec_bench.h"

#include <string.h>

#define REGULAR   true
#define IRREGULAR false

const struct cx_bench_program cx_bench_programs[] = {
    {"binomial", "binomial", {NULL}, CX_PAPER_SIGMOID | CX_PAPER_OMPSS, REGULAR},
    {"gaussian", "gaussian", {NULL}, CX_PAPER_SIGMOID, REGULAR},
    {"nbody", "nbody", {NULL}, CX_PAPER_SIGMOID | CX_PAPER_OMPSS | CX_PAPER_MARROW, REGULAR},
    {"taylor", "taylor", {NULL}, CX_PAPER_SIGMOID, REGULAR},
    {"mandelbrot", "mandelbrot", {NULL}, CX_PAPER_SIGMOID, IRREGULAR},
    {"aho", "aho", {NULL}, CX_PAPER_SIGMOID, IRREGULAR},
    {"bm3d", "bm3d", {NULL}, CX_PAPER_SIGMOID, IRREGULAR},
    {"rap", "rap", {NULL}, CX_PAPER_SIGMOID | CX_PAPER_OMPSS, IRREGULAR},
    {"ray1", "ray", {"--scene", "ray1"}, CX_PAPER_SIGMOID, IRREGULAR},
    {"ray2", "ray", {"--scene", "ray2"}, CX_PAPER_SIGMOID, IRREGULAR},
    {"krist", "krist", {NULL}, CX_PAPER_OMPSS, REGULAR},
    {"perlin", "perlin", {NULL}, CX_PAPER_OMPSS, REGULAR},
    {"spmv", "spmv", {NULL}, CX_PAPER_OMPSS, IRREGULAR},
    {"filter", "filter", {NULL}, CX_PAPER_MARROW, REGULAR},
    {"fft", "fft", {NULL}, CX_PAPER_MARROW, REGULAR},
    {"saxpy", "saxpy", {NULL}, CX_PAPER_MARROW, REGULAR},
    {"segmentation", "segmentation", {NULL}, CX_PAPER_MARROW, REGULAR},
    {"barneshut", "barneshut", {NULL}, CX_PAPER_LOGFIT, IRREGULAR},
    {"pepc", "pepc", {NULL}, CX_PAPER_LOGFIT, IRREGULAR},
    {"cfd", "cfd", {NULL}, CX_PAPER_LOGFIT, REGULAR},
    {"spmv-triangular", "spmv", {"--profile", "triangular"}, CX_PAPER_LOGFIT, IRREGULAR},
    {"vecadd", "vecadd", {NULL}, CX_PAPER_NONE, REGULAR},
    {"matmul", "matmul", {NULL}, CX_PAPER_NONE, REGULAR},
    {"histogram", "histogram", {NULL}, CX_PAPER_NONE, REGULAR},
    {"bfs", "bfs", {NULL}, CX_PAPER_NONE, IRREGULAR},
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
