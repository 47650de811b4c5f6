/* SPDX-License-Identifier: MIT */
/*
 * One time step of a gravitational simulation by Barnes and Hut: each work-item walks through the octree for
 * its body and takes a node's centre of mass for all bodies in it where the node is far enough away. From the
 * LogFit paper. Irregular: a body among many others opens more nodes than one far out. Bodies are sorted
 * along the tree, so that neighbouring work-items take like ways.
 */
typedef struct {
    float side2;
    uint next;
} cell;

__kernel void barneshut(__global const float4 *centres, __global const cell *cells, uint nodes,
                        __global float4 *positions, __global float4 *velocities, uint n, float dt,
                        float theta2, float softening)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;

    float4 own = positions[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
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
        float inverse = rsqrt(r2 + softening);
        float pull = centre.w * inverse * inverse * inverse;
        ax += dx * pull;
        ay += dy * pull;
        az += dz * pull;
        node = here.next;
    }

    float4 velocity = velocities[i];
    velocity.x += ax * dt;
    velocity.y += ay * dt;
    velocity.z += az * dt;
    own.x += velocity.x * dt;
    own.y += velocity.y * dt;
    own.z += velocity.z * dt;
    velocities[i] = velocity;
    positions[i] = own;
}
