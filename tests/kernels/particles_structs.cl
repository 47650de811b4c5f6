/* SPDX-License-Identifier: MIT */
/* Particles as an array of structs. */
// expect: split
// kernel: particles_structs
// arg: buffer float X*7
// arg: float 0.5
// way: 0 own
// part: 8..10 writes 0 14336..17920
// part: 8..10 reads 0 14336..17920
typedef struct {
    float at[3], speed[3];
    int age;
} particles_structs_one;
__kernel void particles_structs(__global particles_structs_one *p, float dt)
{
    size_t i = get_global_id(0);
    for (int d = 0; d < 3; d++)
        p[i].at[d] += dt * p[i].speed[d];
    p[i].age++;
}
