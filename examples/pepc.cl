/* SPDX-License-Identifier: MIT */
/*
 * One time step of point charges by an octree with charges and dipoles, in the manner of PEPC. From the
 * LogFit paper. Irregular: a charge among many others opens more nodes than one far out; and as the charges
 * are in no order, neighbouring work-items take different ways.
 */
typedef struct {
    float side2;
    uint next;
} cell;

__kernel void pepc(__global const float4 *centres, __global const cell *cells, uint nodes,
                   __global float4 *positions, __global float4 *velocities, uint n, float dt, float theta2,
                   float softening, __global const float4 *dipoles)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;

    float4 own = positions[i];
    float ex = 0.0f, ey = 0.0f, ez = 0.0f;
    for (uint node = 0; node < nodes;) {
        float4 centre = centres[node];
        cell here = cells[node];
        float dx = centre.x - own.x;
        float dy = centre.y - own.y;
        float dz = centre.z - own.z;
        float r2 = dx * dx + dy * dy + dz * dz;
        if (here.side2 > theta2 * r2) {
            node++;
            continue;
        }
        float4 dipole = dipoles[node];
        float inverse = rsqrt(r2 + softening);
        float inverse2 = inverse * inverse, inverse3 = inverse2 * inverse;
        float along = dipole.x * dx + dipole.y * dy + dipole.z * dz;
        /* d points from the charge to the node, so the field of a charge there is along -d. */
        float radial = (3.0f * along * inverse2 - centre.w) * inverse3;
        ex += dx * radial - dipole.x * inverse3;
        ey += dy * radial - dipole.y * inverse3;
        ez += dz * radial - dipole.z * inverse3;
        node = here.next;
    }

    float4 velocity = velocities[i];
    float push = own.w * (float)n * dt; /* charges get smaller with their number, their mass does not count */
    velocity.x += ex * push;
    velocity.y += ey * push;
    velocity.z += ez * push;
    own.x += velocity.x * dt;
    own.y += velocity.y * dt;
    own.z += velocity.z * dt;
    velocities[i] = velocity;
    positions[i] = own;
}
