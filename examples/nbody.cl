/* SPDX-License-Identifier: MIT */
/*
 * One time step of a gravitational n-body simulation. From the Sigmoid, OmpSs, Marrow (over many steps, 65536
 * bodies) and LogFit papers (10000 bodies, 50 steps). Regular: every work-item reads all bodies, then writes
 * its own one's new position and updates its velocity in place. w of a position is the mass.
 */
__kernel void nbody_step(__global const float4 *positions, __global float4 *new_positions,
                         __global float4 *velocities, uint n, float dt, float softening)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;

    float4 own = positions[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (uint j = 0; j < n; j++) {
        float4 other = positions[j];
        float dx = other.x - own.x;
        float dy = other.y - own.y;
        float dz = other.z - own.z;
        float inverse = rsqrt(dx * dx + dy * dy + dz * dz + softening);
        float pull = other.w * inverse * inverse * inverse;
        ax += dx * pull;
        ay += dy * pull;
        az += dz * pull;
    }

    float4 velocity = velocities[i];
    velocity.x += ax * dt;
    velocity.y += ay * dt;
    velocity.z += az * dt;
    own.x += velocity.x * dt;
    own.y += velocity.y * dt;
    own.z += velocity.z * dt;
    velocities[i] = velocity;
    new_positions[i] = own;
}
