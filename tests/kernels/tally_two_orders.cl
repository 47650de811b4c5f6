/* SPDX-License-Identifier: MIT */
/* The greatest of signed and of unsigned numbers in one place: two operations. */
// expect: whole (other than one kind of atomic)
// kernel: tally_two_orders
// arg: buffer int 32
// arg: buffer int X+3
// reason: atomic-mixed
__kernel void tally_two_orders(__global int *most, __global const int *in)
{
    size_t i = get_global_id(0);
    atomic_max((__global uint *)&most[in[i] & 31], (uint)in[i + 1] & 0x7fffffff);
    atomic_max(&most[in[i + 2] & 31], in[i + 3] & 0x7fffffff);
}
