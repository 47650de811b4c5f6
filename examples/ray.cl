/* SPDX-License-Identifier: MIT */
/*
 * Ray tracing: mirroring spheres above a chequered floor under one light, with shadows. From the Sigmoid
 * paper. Irregular: a ray into the sky costs one look at all spheres, one that meets a sphere up to twelve;
 * where the dear pixels lie depends on the scene.
 */
#pragma OPENCL FP_CONTRACT OFF

#define DEPTH 6
#define FAR   1e30f

static float product(float3 a, float3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static float3 unit(float3 a)
{
    return a / sqrt(product(a, a));
}

/* Distance to the sphere along the ray, FAR where it is missed. */
static float meet(float4 sphere, float3 origin, float3 direction)
{
    float3 to = sphere.xyz - origin;
    float along = product(to, direction);
    float inside = sphere.w * sphere.w - (product(to, to) - along * along);
    if (inside <= 0.0f)
        return FAR;
    float distance = along - sqrt(inside);
    return distance > 1e-3f ? distance : FAR;
}

static bool lit(__global const float4 *spheres, uint count, float3 place, float3 light)
{
    for (uint i = 0; i < count; i++) {
        if (meet(spheres[i], place, light) < FAR)
            return false;
    }
    return true;
}

/* w of a sphere is its radius, of a colour how much it mirrors. */
static float3 trace(__global const float4 *spheres, __global const float4 *colours, uint count, float3 origin,
                    float3 direction)
{
    float3 light = unit((float3)(-0.4f, 0.8f, -0.45f));
    float3 seen = (float3)(0.0f);
    float weight = 1.0f;
    for (int depth = 0; depth < DEPTH && weight > 0.02f; depth++) {
        float nearest = direction.y < -1e-4f ? -origin.y / direction.y : FAR;
        uint hit = count; /* the floor, or nothing */
        for (uint i = 0; i < count; i++) {
            float distance = meet(spheres[i], origin, direction);
            if (distance < nearest) {
                nearest = distance;
                hit = i;
            }
        }
        if (nearest > 200.0f) {
            float up = 0.5f + 0.5f * direction.y;
            seen += weight * (float3)(0.4f + 0.2f * up, 0.6f + 0.2f * up, 1.0f);
            break;
        }
        float3 place = origin + nearest * direction;
        float3 normal = (float3)(0.0f, 1.0f, 0.0f);
        float4 colour;
        if (hit < count) {
            normal = (place - spheres[hit].xyz) / spheres[hit].w;
            colour = colours[hit];
        } else {
            int field = (int)floor(place.x) + (int)floor(place.z);
            colour = field & 1 ? (float4)(0.9f, 0.9f, 0.9f, 0.1f) : (float4)(0.2f, 0.2f, 0.2f, 0.1f);
        }
        float3 outside = place + 1e-3f * normal;
        float slope = product(normal, light);
        float brightness = slope > 0.0f && lit(spheres, count, outside, light) ? 0.2f + 0.8f * slope : 0.2f;
        seen += weight * (1.0f - colour.w) * brightness * colour.xyz;
        weight *= colour.w;
        origin = outside;
        direction = direction - 2.0f * product(direction, normal) * normal;
    }
    return seen;
}

__kernel void ray(__global const float4 *spheres, __global const float4 *colours, uint count, uint side,
                  __global uchar4 *picture)
{
    size_t x = get_global_id(0);
    size_t y = get_global_id(1);
    if (x >= side || y >= side)
        return;

    float middle = 0.5f * (float)side;
    float3 direction =
        unit((float3)(((float)x - middle) / middle, (middle - (float)y) / middle - 0.25f, 1.8f));
    float3 seen = trace(spheres, colours, count, (float3)(0.0f, 4.0f, -9.0f), direction);
    float3 level = clamp(255.0f * seen, 0.0f, 255.0f);
    picture[y * side + x] = (uchar4)((uchar)level.x, (uchar)level.y, (uchar)level.z, 255);
}
