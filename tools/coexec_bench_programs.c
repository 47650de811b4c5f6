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

const struct cx_bench_program cx_bench_programs[] = {
    {"binomial", "binomial", {NULL}, CX_PAPER_SIGMOID | CX_PAPER_OMPSS, REGULAR, ONE},
    {"gaussian", "gaussian", {NULL}, CX_PAPER_SIGMOID, REGULAR, NATIVE},
    {"nbody", "nbody", {NULL}, CX_PAPER_SIGMOID | CX_PAPER_OMPSS | CX_PAPER_MARROW, REGULAR, NATIVE},
    {"taylor", "taylor", {NULL}, CX_PAPER_SIGMOID, REGULAR, ONE},
    {"mandelbrot", "mandelbrot", {NULL}, CX_PAPER_SIGMOID, IRREGULAR, NATIVE},
    {"aho", "aho", {NULL}, CX_PAPER_SIGMOID, IRREGULAR, ONE},
    {"bm3d", "bm3d", {NULL}, CX_PAPER_SIGMOID, IRREGULAR, ONE},
    {"rap", "rap", {NULL}, CX_PAPER_SIGMOID | CX_PAPER_OMPSS, IRREGULAR, ONE},
    {"ray1", "ray", {"--scene", "ray1"}, CX_PAPER_SIGMOID, IRREGULAR, ONE},
    {"ray2", "ray", {"--scene", "ray2"}, CX_PAPER_SIGMOID, IRREGULAR, ONE},
    {"krist", "krist", {NULL}, CX_PAPER_OMPSS, REGULAR, ONE},
    {"perlin", "perlin", {NULL}, CX_PAPER_OMPSS, REGULAR, ONE},
    {"spmv", "spmv", {"--profile", "random"}, CX_PAPER_OMPSS, IRREGULAR, NATIVE},
    {"filter", "filter", {NULL}, CX_PAPER_MARROW, REGULAR, ONE},
    {"fft", "fft", {NULL}, CX_PAPER_MARROW, REGULAR, ONE},
    {"saxpy", "saxpy", {NULL}, CX_PAPER_MARROW, REGULAR, NATIVE},
    {"segmentation", "segmentation", {NULL}, CX_PAPER_MARROW, REGULAR, ONE},
    {"barneshut", "barneshut", {NULL}, CX_PAPER_LOGFIT, IRREGULAR, ONE},
    {"pepc", "pepc", {NULL}, CX_PAPER_LOGFIT, IRREGULAR, ONE},
    {"cfd", "cfd", {NULL}, CX_PAPER_LOGFIT, REGULAR, ONE},
    {"spmv-triangular", "spmv", {"--profile", "triangular"}, CX_PAPER_LOGFIT, IRREGULAR, NATIVE},
    {"vecadd", "vecadd", {NULL}, CX_PAPER_NONE, REGULAR, ONE},
    {"matmul", "matmul", {NULL}, CX_PAPER_NONE, REGULAR, ONE},
    {"histogram", "histogram", {NULL}, CX_PAPER_NONE, REGULAR, ONE},
    {"bfs", "bfs", {NULL}, CX_PAPER_NONE, IRREGULAR, ONE},
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
