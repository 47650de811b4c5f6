/* SPDX-License-Identifier: MIT */
/*
 * ray: a ray-traced picture of one of two scenes; 2-D, little input, cost that varies over the picture.
 */
#include "common.h"

#include <math.h>

#include "ray.cl.h"

enum { LOCAL_SIDE = 8, DEPTH = 6, EXTRA_SCENE = 0, EXTRA_SPHERES = 1 };
enum scene { SCENE_RAY1, SCENE_RAY2 };
static const float beyond = 1e30f;

/* The check looks at most at about this many spheres, if each pixel took eight looks at all. */
static const size_t check_budget = 100000000;

typedef struct vec {
    float x, y, z;
} vec;

struct ray {
    cl_kernel kernel;
    cl_mem sphere_buffer, colour_buffer, picture_buffer;
    cl_float4 *spheres, *colours;
    cl_uchar4 *picture;
    cl_uint count, side;
};

/* ray1: spheres all over the picture; ray2: as many, crowded in the lower left of it. */
static void make_scene(struct run *run, struct ray *r)
{
    bool crowded = run_extra(run, EXTRA_SCENE) == SCENE_RAY2;
    struct random random = random_seeded(22);
    for (size_t i = 0; i < r->count; i++) {
        float radius = 0.45f + 0.25f * random_float(&random);
        float x = random_float(&random), y = random_float(&random), z = random_float(&random);
        if (crowded)
            r->spheres[i] =
                (cl_float4){{-3.0f + 1.6f * x, radius + 0.8f + 0.8f * y, -2.0f + 1.5f * z, radius}};
        else
            r->spheres[i] = (cl_float4){{6.0f * x, radius + 3.5f + 3.5f * y, 2.0f + 3.0f * z, radius}};
        for (unsigned c = 0; c < 3; c++)
            r->colours[i].s[c] = 0.6f + 0.4f * random_float(&random);
        r->colours[i].s[3] = 0.5f + 0.35f * random_float(&random);
    }
}

static void ray_setup(struct run *run, void *state)
{
    struct ray *r = state;
    r->side = (cl_uint)run_size(run);
    r->count = (cl_uint)run_extra(run, EXTRA_SPHERES);
    size_t sphere_bytes = r->count * sizeof(cl_float4);
    size_t picture_bytes = (size_t)r->side * r->side * sizeof(cl_uchar4);
    r->sphere_buffer = run_buffer(run, CL_MEM_READ_ONLY, sphere_bytes);
    r->colour_buffer = run_buffer(run, CL_MEM_READ_ONLY, sphere_bytes);
    r->picture_buffer = run_buffer(run, CL_MEM_WRITE_ONLY, picture_bytes);
    r->spheres = run_input(run, r->sphere_buffer, sphere_bytes);
    r->colours = run_input(run, r->colour_buffer, sphere_bytes);
    r->picture = run_output(run, r->picture_buffer, picture_bytes);
    make_scene(run, r);
    r->kernel = run_kernel(run, "ray");
    SET_ARGS(r->kernel, ARG(r->sphere_buffer), ARG(r->colour_buffer), ARG(r->count), ARG(r->side),
             ARG(r->picture_buffer));
}

static void ray_enqueue(struct run *run, void *state)
{
    struct ray *r = state;
    size_t side = round_up(r->side, LOCAL_SIDE), global[] = {side, side}, local[] = {LOCAL_SIDE, LOCAL_SIDE};
    for (size_t i = 0; i < run_iterations(run); i++)
        run_launch(run, r->kernel, 2, global, local);
}

/* Each device traces rows of its own. */
static bool ray_native(struct run *part, void *state, size_t step)
{
    struct ray *r = state;
    size_t sphere_bytes = r->count * sizeof(cl_float4), row = r->side * sizeof(cl_uchar4), first, end;
    run_share(part, r->side, LOCAL_SIDE, &first, &end);
    if (end == first)
        return false;
    size_t offset[] = {0, first}, local[] = {LOCAL_SIDE, LOCAL_SIDE};
    size_t global[] = {round_up(r->side, LOCAL_SIDE), round_up(end - first, LOCAL_SIDE)};
    run_write(part, r->sphere_buffer, r->spheres, sphere_bytes);
    run_write(part, r->colour_buffer, r->colours, sphere_bytes);
    for (size_t i = 0; i < run_iterations(part); i++)
        run_launch_part(part, r->kernel, 2, offset, global, local);
    run_read_part(part, r->picture_buffer, first * row, end * row, r->picture);
    return false;
}

static float product(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* a + t * b */
static vec along(vec a, float t, vec b)
{
    return (vec){a.x + t * b.x, a.y + t * b.y, a.z + t * b.z};
}

static vec unit(vec a)
{
    float length = sqrtf(product(a, a));
    return (vec){a.x / length, a.y / length, a.z / length};
}

static float meet(cl_float4 sphere, vec origin, vec direction)
{
    vec to = {sphere.s[0] - origin.x, sphere.s[1] - origin.y, sphere.s[2] - origin.z};
    float t = product(to, direction), inside = sphere.s[3] * sphere.s[3] - (product(to, to) - t * t);
    if (inside <= 0.0f)
        return beyond;
    float distance = t - sqrtf(inside);
    return distance > 1e-3f ? distance : beyond;
}

static bool lit(const struct ray *r, vec place, vec light)
{
    for (size_t i = 0; i < r->count; i++) {
        if (meet(r->spheres[i], place, light) < beyond)
            return false;
    }
    return true;
}

static size_t nearest_sphere(const struct ray *r, vec origin, vec direction, float *nearest)
{
    size_t hit = r->count;
    for (size_t i = 0; i < r->count; i++) {
        float distance = meet(r->spheres[i], origin, direction);
        if (distance < *nearest) {
            *nearest = distance;
            hit = i;
        }
    }
    return hit;
}

/* The kernel's computation for one ray, rounded in the same places. */
static vec trace(const struct ray *r, vec origin, vec direction)
{
    vec light = unit((vec){-0.4f, 0.8f, -0.45f}), seen = {0};
    float weight = 1.0f;
    for (int depth = 0; depth < DEPTH && weight > 0.02f; depth++) {
        float nearest = direction.y < -1e-4f ? -origin.y / direction.y : beyond;
        size_t hit = nearest_sphere(r, origin, direction, &nearest);
        if (nearest > 200.0f) {
            float up = 0.5f + 0.5f * direction.y;
            return along(seen, weight, (vec){0.4f + 0.2f * up, 0.6f + 0.2f * up, 1.0f});
        }
        vec place = along(origin, nearest, direction), normal = {0.0f, 1.0f, 0.0f};
        int field = (int)floorf(place.x) + (int)floorf(place.z);
        float grey = field & 1 ? 0.9f : 0.2f, mirrored = 0.1f;
        vec colour = {grey, grey, grey};
        if (hit < r->count) {
            const float *s = r->spheres[hit].s, *c = r->colours[hit].s;
            normal = (vec){(place.x - s[0]) / s[3], (place.y - s[1]) / s[3], (place.z - s[2]) / s[3]};
            colour = (vec){c[0], c[1], c[2]};
            mirrored = c[3];
        }
        vec outside = along(place, 1e-3f, normal);
        float slope = product(normal, light);
        float brightness = slope > 0.0f && lit(r, outside, light) ? 0.2f + 0.8f * slope : 0.2f;
        seen = along(seen, weight * (1.0f - mirrored) * brightness, colour);
        weight *= mirrored;
        origin = outside;
        direction = along(direction, -(2.0f * product(direction, normal)), normal);
    }
    return seen;
}

static bool ray_check(struct run *run, void *state)
{
    const struct ray *r = state;
    struct tally tally = {.name = run->example->name};
    size_t pixels = (size_t)r->side * r->side;
    size_t stride = sample_stride(pixels, check_budget / 8 / r->count, r->side);
    float middle = 0.5f * (float)r->side;
    for (size_t i = 0; i < pixels; i += stride) {
        float x = (float)(i % r->side), y = (float)(i / r->side);
        vec direction = unit((vec){(x - middle) / middle, (middle - y) / middle - 0.25f, 1.8f});
        vec seen = trace(r, (vec){0.0f, 4.0f, -9.0f}, direction);
        const float levels[] = {255.0f * seen.x, 255.0f * seen.y, 255.0f * seen.z};
        for (unsigned c = 0; c < 3; c++)
            tally_value(&tally, 3 * i + c, r->picture[i].s[c], floorf(fminf(levels[c], 255.0f)), 0.01);
    }
    /* A last bit decides whether a ray meets the rim of a sphere. */
    return tally_pass(&tally, tally.seen / 500);
}

static const struct example ray = {
    .name = "ray",
    .summary = "Traces rays for a picture of size by size pixels.",
    .iterations = "launches of the kernel, all with the same result",
    .check_note = "levels must be equal or one percent apart but for one in 500; a sample of pixels where\n"
                  "  pixels times spheres exceed 12 million.",
    .source = kernel_source,
    .rounds_exactly = true, /* mirrored rays part where they do not, and their pixels differ */
    .size = 512,
    .size_max = 1 << 15,
    .default_iterations = 1,
    .presets = {[PRESET_TINY] = {.size = 160},
                [PRESET_SMALL] = {.size = 1024},
                [PRESET_LARGE] = {.size = 4096, .extra = {0, 4096}},
                [PRESET_PAPER] = {.size = 12000}},
    .extra = {{"scene", "where the spheres are", "ray1|ray2", 0, 0, SCENE_RAY1},
              {"spheres", "number of spheres", NULL, 1, 1 << 16, 64}},
    .state_size = sizeof(struct ray),
    .setup = ray_setup,
    .enqueue = ray_enqueue,
    .native = ray_native,
    .check = ray_check,
};

int main(int argc, char **argv)
{
    return example_main(&ray, argc, argv);
}
