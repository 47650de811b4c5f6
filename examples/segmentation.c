/* SPDX-License-Identifier: MIT */
/*
 * segmentation: thresholds on a volume, 3-D; bound by memory.
 */
#include "common.h"

#include <string.h>

#include "segmentation.cl.h"

enum { SIDE = 1024, VOXELS_AN_ITEM = 4, LOCAL_SIZE = 64 };
static const cl_uint low = 85, high = 170;

struct segmentation {
    cl_kernel kernel;
    cl_mem volume_buffer, segment_buffer;
    cl_uchar *volume, *segments;
    size_t voxels;
};

static void segmentation_setup(struct run *run, void *state)
{
    struct segmentation *s = state;
    s->voxels = run_size(run) * SIDE * SIDE;
    s->volume_buffer = run_buffer(run, CL_MEM_READ_ONLY, s->voxels);
    s->segment_buffer = run_buffer(run, CL_MEM_WRITE_ONLY, s->voxels);
    s->volume = run_input(run, s->volume_buffer, s->voxels);
    s->segments = run_output(run, s->segment_buffer, s->voxels);
    struct random random = random_seeded(12);
    for (size_t i = 0; i < s->voxels; i += sizeof(uint32_t)) {
        uint32_t four = random_u32(&random);
        memcpy(s->volume + i, &four, sizeof(four));
    }
    s->kernel = run_kernel(run, "segmentation");
    SET_ARGS(s->kernel, ARG(s->volume_buffer), ARG(s->segment_buffer), ARG(low), ARG(high));
}

static void segmentation_enqueue(struct run *run, void *state)
{
    struct segmentation *s = state;
    size_t global[] = {SIDE / VOXELS_AN_ITEM, SIDE, run_size(run)}, local[] = {LOCAL_SIZE, 1, 1};
    for (size_t i = 0; i < run_iterations(run); i++)
        run_launch(run, s->kernel, 3, global, local);
}

static bool segmentation_check(struct run *run, void *state)
{
    const struct segmentation *s = state;
    struct tally tally = {.name = run->example->name};
    for (size_t i = 0; i < s->voxels; i++) {
        cl_uchar grey = s->volume[i];
        tally_value(&tally, i, s->segments[i], grey < low ? 0 : grey > high ? 255 : 128, 0);
    }
    return tally_pass(&tally, 0);
}

static const struct example segmentation = {
    .name = "segmentation",
    .summary = "Cuts a volume of size planes of 1024 by 1024 voxels into white, grey and black.",
    .iterations = "launches of the kernel, all with the same result",
    .check_note = "every voxel must be equal.",
    .source = kernel_source,
    .size = 8,
    .size_max = 1 << 20,
    .default_iterations = 1,
    .presets = {[PRESET_TINY] = {.size = 8},
                [PRESET_SMALL] = {.size = 60, .iterations = 16},
                [PRESET_LARGE] = {.size = 600, .iterations = 16},
                [PRESET_PAPER] = {.size = 60}},
    .state_size = sizeof(struct segmentation),
    .setup = segmentation_setup,
    .enqueue = segmentation_enqueue,
    .check = segmentation_check,
};

int main(int argc, char **argv)
{
    return example_main(&segmentation, argc, argv);
}
