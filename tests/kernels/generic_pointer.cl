/* SPDX-License-Identifier: MIT */
/* A pointer without an address space. */
// expect: split
// kernel: generic_pointer
// run: no
// options: -cl-std=CL2.0
// arg: buffer int X
// way: 0 own
// part: 1..2 writes 0 256..512 exact
void generic_pointer_put(int *p, size_t at, int v)
{
    p[at] = v;
}
__kernel void generic_pointer(__global int *out)
{
    generic_pointer_put(out, get_global_id(0), 4);
}
