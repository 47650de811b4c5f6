/* SPDX-License-Identifier: MIT */
/*
 * The Euler equations of a compressible gas on an unstructured mesh of quadrangles, by finite volumes: step
 * sizes, then three times fluxes and an update. From the LogFit paper (there Rodinia's CFD with its
 * tetrahedra: four neighbours as well). Regular: each cell costs nearly the same, but its neighbours' numbers are read
 * from memory, so that what a launch reads is not known before it; the launches are short and many.
 *
 * A state is density, two momenta and energy, all by volume. Neighbour -1 is a wall, -2 the undisturbed
 * stream.
 */
#pragma OPENCL FP_CONTRACT OFF

#define GAMMA 1.4f

static float pressure_of(float4 state)
{
    return (GAMMA - 1.0f) * (state.w - 0.5f * (state.y * state.y + state.z * state.z) / state.x);
}

/* Speed of sound plus that of the gas through a side, times the side's length. */
static float signal(float4 state, float pressure, float nx, float ny, float length)
{
    return fabs(state.y * nx + state.z * ny) / state.x + sqrt(GAMMA * pressure / state.x) * length;
}

/* What flows out of this state through a side with the given normal, which is as long as the side. */
static float4 flow(float4 state, float pressure, float nx, float ny)
{
    float through = (state.y * nx + state.z * ny) / state.x;
    return (float4)(state.x * through, state.y * through + pressure * nx, state.z * through + pressure * ny,
                    (state.w + pressure) * through);
}

__kernel void step_sizes(__global const float4 *states, __global const float4 *normals_x,
                         __global const float4 *normals_y, uint cells, float courant, __global float *sizes)
{
    size_t i = get_global_id(0);
    if (i >= cells)
        return;
    float4 state = states[i];
    float pressure = pressure_of(state);
    float4 nx = normals_x[i], ny = normals_y[i];
    float4 length = sqrt(nx * nx + ny * ny);
    float sum = signal(state, pressure, nx.x, ny.x, length.x);
    sum += signal(state, pressure, nx.y, ny.y, length.y);
    sum += signal(state, pressure, nx.z, ny.z, length.z);
    sum += signal(state, pressure, nx.w, ny.w, length.w);
    sizes[i] = courant / sum; /* the cell's area falls out */
}

/* The mean of both sides' flows, less what their difference calls for (Rusanov). */
static float4 side_flux(__global const float4 *states, float4 own, float pressure, int neighbour, float nx,
                        float ny, float4 stream)
{
    if (neighbour == -1)
        return (float4)(0.0f, pressure * nx, pressure * ny, 0.0f);
    float4 other = neighbour == -2 ? stream : states[neighbour];
    float other_pressure = pressure_of(other);
    float length = sqrt(nx * nx + ny * ny);
    float fastest =
        fmax(signal(own, pressure, nx, ny, length), signal(other, other_pressure, nx, ny, length));
    float4 both = flow(own, pressure, nx, ny) + flow(other, other_pressure, nx, ny);
    return 0.5f * both - 0.5f * fastest * (other - own);
}

__kernel void fluxes(__global const float4 *states, __global const int4 *neighbours,
                     __global const float4 *normals_x, __global const float4 *normals_y, uint cells,
                     float4 stream, __global float4 *gains)
{
    size_t i = get_global_id(0);
    if (i >= cells)
        return;
    float4 own = states[i];
    float pressure = pressure_of(own);
    int4 next = neighbours[i];
    float4 nx = normals_x[i], ny = normals_y[i];
    float4 loss = side_flux(states, own, pressure, next.x, nx.x, ny.x, stream);
    loss += side_flux(states, own, pressure, next.y, nx.y, ny.y, stream);
    loss += side_flux(states, own, pressure, next.z, nx.z, ny.z, stream);
    loss += side_flux(states, own, pressure, next.w, nx.w, ny.w, stream);
    gains[i] = -loss;
}

__kernel void advance(__global const float4 *old_states, __global const float4 *gains,
                      __global const float *sizes, uint cells, float share, __global float4 *states)
{
    size_t i = get_global_id(0);
    if (i >= cells)
        return;
    states[i] = old_states[i] + share * sizes[i] * gains[i];
}
