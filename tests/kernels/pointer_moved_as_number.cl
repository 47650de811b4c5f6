/* SPDX-License-Identifier: MIT */
/* A pointer in a union, moved by its number. */
// expect: whole (a pointer whose argument is not known)
// kernel: pointer_moved_as_number
// arg: buffer int X+200
// arg: buffer int X+1
// offset: no
// note: pointer-unresolved
__kernel void pointer_moved_as_number(__global int *out, __global const int *in)
{
    size_t i = get_global_id(0);
    union {
        __global int *p[2];
        ulong n[2];
    } u;
    u.p[0] = out + i;
    u.p[1] = out + i;
    u.n[in[i] & 1] += 400;
    *u.p[in[i + 1] & 1] = 3; // here
}
