/* SPDX-License-Identifier: MIT */
/* Inline assembly that reads where it runs. */
// expect: whole (assembly)
// kernel: assembly_inline
// run: no
// arg: buffer int X
// note: inline-asm
__kernel void assembly_inline(__global int *out)
{
    int x;
    __asm__ volatile("mov.u32 %0, %%laneid;" : "=r"(x)); // here
    out[get_global_id(0)] = x;
}
